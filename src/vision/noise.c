/* noise.c - noise on pictures: a stream of numbers of its own for each, as reals or rounded to grey values. */
#include <s3svm/noise.h>

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/random.h"

const char *s3svm_noise_name(s3svm_noise_model model) { return model == S3SVM_NOISE_PLAIN ? "plain" : "shifted"; }

s3svm_noise s3svm_noise_defaults(s3svm_noise_model model)
{
    return (s3svm_noise){ .model = model, .sigma = model == S3SVM_NOISE_PLAIN ? 0.5 : 150, .seed = 1 };
}

uint64_t s3svm_noise_stream(const char *path)
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

static void values_fill(const s3svm_noise *noise, uint64_t picture, const s3svm_image *clean, float values[])
{
    sos_random r = stream_begin(noise->seed, picture);
    const bool shifted = noise->model == S3SVM_NOISE_SHIFTED;
    const size_t n = s3svm_image_size(clean);
    for (size_t i = 0; i < n; i++) {
        const double y = clean->pixels[i], z = sos_random_normal(&r);
        values[i] = (float)(shifted ? (y + 255 + noise->sigma * z) / 2 / 255 : y / 255 + noise->sigma * z);
    }
}

/* By the very functions that write and read pictures, so that files change nothing. */
static sos_status plane_round(s3svm_plane *plane, sos_error *error)
{
    s3svm_image grey;
    s3svm_plane rounded;
    sos_status status = s3svm_plane_to_image(plane, &grey, error);
    if (status) return status;
    status = s3svm_image_to_plane(&grey, &rounded, error);
    s3svm_image_free(&grey);
    if (status) return status;
    s3svm_plane_free(plane);
    *plane = rounded;
    return SOS_OK;
}

sos_status s3svm_noise_add(const s3svm_noise *noise, uint64_t picture, const s3svm_image *clean, s3svm_plane *out,
                           sos_error *error)
{
    const sos_status reserved = sos_reserved_check("s3svm_noise", noise, error);
    if (reserved) return reserved;
    if (!(noise->sigma >= 0) || !isfinite(noise->sigma))
        return sos_fail(error, SOS_ERR_ARGUMENT, "sigma of the noise is %g; it must not be negative", noise->sigma);
    if (clean->channels != 1)
        return sos_fail(error, SOS_ERR_ARGUMENT, "noise needs a grey picture: this one has %zu channels", clean->channels);
    s3svm_plane plane;
    sos_status status = s3svm_plane_create(clean->width, clean->height, &plane, error);
    if (status) return status;
    values_fill(noise, picture, clean, plane.values);
    if (!noise->unclipped) status = plane_round(&plane, error);
    if (status)
        s3svm_plane_free(&plane);
    else
        *out = plane;
    return status;
}
