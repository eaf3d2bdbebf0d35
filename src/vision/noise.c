#include <s3svm/noise.h>

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/random.h"

const char *sos_noise_name(sos_noise_model model) { return model == SOS_NOISE_PLAIN ? "plain" : "shifted"; }

sos_noise sos_noise_defaults(sos_noise_model model)
{
    return (sos_noise){ .model = model, .sigma = model == SOS_NOISE_PLAIN ? 0.5 : 150, .seed = 1 };
}

uint64_t sos_noise_stream(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    return sos_hash(SOS_HASH_START, name, dot && dot != name ? (size_t)(dot - name) : strlen(name));
}

/* The seed is spread over all bits first: seeds and pictures that are near each other must not meet. */
static sos_random stream_begin(uint64_t seed, uint64_t picture)
{
    sos_random r = sos_random_seeded(seed);
    return sos_random_seeded(sos_random_bits(&r) ^ picture);
}

static void values_fill(const sos_noise *noise, uint64_t picture, const sos_image *clean, float values[])
{
    sos_random r = stream_begin(noise->seed, picture);
    const bool shifted = noise->model == SOS_NOISE_SHIFTED;
    const size_t n = sos_image_size(clean);
    for (size_t i = 0; i < n; i++) {
        const double y = clean->pixels[i], z = sos_random_normal(&r);
        values[i] = (float)(shifted ? (y + 255 + noise->sigma * z) / 2 / 255 : y / 255 + noise->sigma * z);
    }
}

/* By the very functions that write and read pictures, so that files change nothing. */
static sos_status plane_round(sos_plane *plane, sos_error *error)
{
    sos_image grey;
    sos_plane rounded;
    sos_status status = sos_plane_to_image(plane, &grey, error);
    if (status) return status;
    status = sos_image_to_plane(&grey, &rounded, error);
    sos_image_free(&grey);
    if (status) return status;
    sos_plane_free(plane);
    *plane = rounded;
    return SOS_OK;
}

sos_status sos_noise_add(const sos_noise *noise, uint64_t picture, const sos_image *clean, sos_plane *out, sos_error *error)
{
    const sos_status reserved = sos_reserved_check("sos_noise", noise, error);
    if (reserved) return reserved;
    if (!(noise->sigma >= 0) || !isfinite(noise->sigma))
        return sos_fail(error, SOS_ERR_ARGUMENT, "the noise's sigma is %g, and must be 0 or more", noise->sigma);
    if (clean->channels != 1)
        return sos_fail(error, SOS_ERR_ARGUMENT, "noise is for grey pictures: this one has %zu channels", clean->channels);
    sos_plane plane;
    sos_status status = sos_plane_create(clean->width, clean->height, &plane, error);
    if (status) return status;
    values_fill(noise, picture, clean, plane.values);
    if (!noise->unclipped) status = plane_round(&plane, error);
    if (status)
        sos_plane_free(&plane);
    else
        *out = plane;
    return status;
}
