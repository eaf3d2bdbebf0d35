/* heif.c - HEIC, HEIF and AVIF, by way of libheif. */
#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* fork */
#endif

#include "heif.h"

#if !defined(SOS_HAVE_HEIF)

#include "base/error.h"

bool heif_is_there(void) { return false; }

bool heif_recognise(const char *path)
{
    (void)path;
    return false;
}

sos_status heif_parse(const void *bytes, size_t length, const char *name, s3svm_picture *out, sos_error *error)
{
    (void)bytes, (void)length, (void)out;
    return sos_fail(error, SOS_ERR_ARGUMENT, "%.200s: this program was built without libheif", name);
}

#else

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <libheif/heif.h>

#include "base/error.h"
#include "picture_wire.h"

enum {
    SIDE_MOST = 1 << 14,    /* so that there are at most S3SVM_IMAGE_PIXELS_MAX pixels */
    PROFILE_MOST = 1 << 22, /* bytes of a colour profile that is read */
    SECONDS_MOST = 300      /* that a processor may work on one file */
};
static const size_t MEMORY_MOST = (size_t)8 << 30; /* bytes, of which the largest picture takes half */

bool heif_is_there(void) { return true; }

bool heif_recognise(const char *path)
{
    char start[12];
    struct stat found;
    if (stat(path, &found) || !S_ISREG(found.st_mode)) return false;
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    const bool filled = fread(start, 1, sizeof start, file) == sizeof start;
    fclose(file);
    return filled && !memcmp(start + 4, "ftyp", 4);
}

typedef struct decoding {
    const char *name;
    struct heif_context *context;
    struct heif_image_handle *handle;
    struct heif_image *image;
    bool opacity, deep;
    size_t width, height;
    sos_error *error;
} decoding;

static sos_status reader_fail(const decoding *r, struct heif_error found)
{
    const sos_status status = found.code == heif_error_Memory_allocation_error ? SOS_ERR_MEMORY : SOS_ERR_FORMAT;
    return sos_fail(r->error, status, "%.200s: cannot be read as HEIF: %.200s", r->name, found.message ? found.message : "");
}

static sos_status image_open(decoding *r, const void *bytes, size_t length)
{
    r->context = heif_context_alloc();
    if (!r->context) return sos_fail(r->error, SOS_ERR_MEMORY, "%.200s: no memory to read the picture", r->name);
    heif_context_set_maximum_image_size_limit(r->context, SIDE_MOST);
    heif_context_set_max_decoding_threads(r->context, 0); /* one more for every picture in a circle of them */
    struct heif_error found = heif_context_read_from_memory_without_copy(r->context, bytes, length, NULL);
    if (found.code) return reader_fail(r, found);
    found = heif_context_get_primary_image_handle(r->context, &r->handle);
    if (found.code) return reader_fail(r, found);
    const int width = heif_image_handle_get_width(r->handle), height = heif_image_handle_get_height(r->handle);
    if (width < 1 || height < 1 || width > S3SVM_IMAGE_SIDE_MAX || height > S3SVM_IMAGE_PIXELS_MAX / width)
        return sos_fail(r->error, SOS_ERR_RANGE,
                        "%.200s: %d by %d pixels are too many: the maximum is %d per side and %d in total", r->name, width,
                        height, S3SVM_IMAGE_SIDE_MAX, S3SVM_IMAGE_PIXELS_MAX);
    r->opacity = heif_image_handle_has_alpha_channel(r->handle);
    r->deep = heif_image_handle_get_luma_bits_per_pixel(r->handle) > 8;
    return SOS_OK;
}

static sos_status image_decode(decoding *r)
{
    const enum heif_chroma chroma[2][2] = {
        { heif_chroma_interleaved_RGB, heif_chroma_interleaved_RGBA },
        { heif_chroma_interleaved_RRGGBB_LE, heif_chroma_interleaved_RRGGBBAA_LE },
    };
    const struct heif_error found = heif_decode_image(r->handle, &r->image, heif_colorspace_RGB, chroma[r->deep][r->opacity],
                                                      NULL);
    if (found.code) return reader_fail(r, found);
    const int width = heif_image_get_width(r->image, heif_channel_interleaved);
    const int height = heif_image_get_height(r->image, heif_channel_interleaved);
    if (width < 1 || height < 1) return sos_fail(r->error, SOS_ERR_FORMAT, "%.200s: a picture without pixels", r->name);
    r->width = (size_t)width;
    r->height = (size_t)height;
    return SOS_OK;
}

/* The samples of libheif: rows of stride bytes, of so many bits. */
typedef struct samples {
    const uint8_t *bytes;
    size_t stride, channels;
    unsigned most;
    bool deep, multiplied;
} samples;

static unsigned sample_get(const samples *s, size_t x, size_t y, size_t k)
{
    const uint8_t *p = s->bytes + y * s->stride + (x * s->channels + k) * (s->deep ? 2 : 1);
    const unsigned value = s->deep ? p[0] | (unsigned)p[1] << 8 : p[0];
    return value < s->most ? value : s->most;
}

/* Channel k in 16 bits, with the opacity divided out of colours. */
static unsigned channel_get(const samples *s, size_t x, size_t y, size_t k)
{
    const unsigned value = sample_get(s, x, y, k), opacity = s->channels == 4 ? sample_get(s, x, y, 3) : s->most;
    if (!s->multiplied || k == 3 || !opacity) return (value * 65535U + s->most / 2) / s->most;
    return value >= opacity ? 65535 : (value * 65535U + opacity / 2) / opacity;
}

static bool is_opaque(const decoding *r, const samples *s)
{
    if (s->channels == 3) return true;
    for (size_t y = 0; y < r->height; y++)
        for (size_t x = 0; x < r->width; x++)
            if (sample_get(s, x, y, 3) < s->most) return false;
    return true;
}

static sos_status samples_find(const decoding *r, samples *s)
{
    int stride = 0;
    const uint8_t *bytes = heif_image_get_plane_readonly(r->image, heif_channel_interleaved, &stride);
    const int bits = heif_image_get_bits_per_pixel_range(r->image, heif_channel_interleaved);
    *s = (samples){ .bytes = bytes,
                    .stride = (size_t)stride,
                    .channels = r->opacity ? 4 : 3,
                    .most = (1U << (r->deep ? bits : 8)) - 1,
                    .deep = r->deep,
                    .multiplied = r->opacity && heif_image_handle_is_premultiplied_alpha(r->handle) };
    const size_t row = r->width * s->channels * (s->deep ? 2 : 1);
    if (bytes && stride > 0 && s->stride >= row && (!r->deep || (bits > 8 && bits <= 16))) return SOS_OK;
    return sos_fail(r->error, SOS_ERR_FORMAT, "%.200s: a HEIF picture whose samples have no known form", r->name);
}

static sos_status pixels_take(const decoding *r, s3svm_picture *p)
{
    samples s;
    sos_status status = samples_find(r, &s);
    if (!status) status = s3svm_image_create(r->width, r->height, is_opaque(r, &s) ? 3 : 4, &p->image, r->error);
    if (status) return status;
    const size_t channels = p->image.channels, n = s3svm_image_size(&p->image);
    if (r->deep) p->deep = malloc(n * channels * sizeof *p->deep);
    if (r->deep && !p->deep) return sos_fail(r->error, SOS_ERR_MEMORY, "%.200s: no memory for %zu pixels", r->name, n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < channels; k++) {
            const unsigned value = channel_get(&s, i % r->width, i / r->width, k);
            p->image.pixels[i * channels + k] = (uint8_t)((value * 255 + 32895) >> 16);
            if (p->deep) p->deep[i * channels + k] = (uint16_t)value;
        }
    return SOS_OK;
}

/* An ICC profile of colours, if the picture has one. */
static sos_status profile_take(const decoding *r, s3svm_picture *p)
{
    const size_t length = heif_image_handle_get_raw_color_profile_size(r->handle);
    if (heif_image_handle_get_color_profile_type(r->handle) == heif_color_profile_type_nclx || length < 132 ||
        length > PROFILE_MOST)
        return SOS_OK;
    uint8_t *profile = malloc(length);
    if (!profile) return sos_fail(r->error, SOS_ERR_MEMORY, "%.200s: no memory for its colour profile", r->name);
    if (heif_image_handle_get_raw_color_profile(r->handle, profile).code || memcmp(profile + 16, "RGB ", 4) != 0) {
        free(profile);
        return SOS_OK;
    }
    p->profile = profile;
    p->profile_length = length;
    return SOS_OK;
}

static sos_status picture_decode(const void *bytes, size_t length, const char *name, s3svm_picture *out, sos_error *error)
{
    decoding r = { .name = name, .error = error };
    sos_status status = image_open(&r, bytes, length);
    if (!status) status = image_decode(&r);
    if (!status) status = pixels_take(&r, out);
    if (!status) status = profile_take(&r, out);
    heif_image_release(r.image);
    heif_image_handle_release(r.handle);
    heif_context_free(r.context);
    return status;
}

/* ---- in a process of its own ----
 *
 * libheif follows references from picture to picture of a file without end where they lead in a circle, and so may end the
 * program.  What it takes, and what becomes of it, is therefore that of a process that does nothing else. */

static _Noreturn void child_run(int to, const void *bytes, size_t length, const char *name)
{
    s3svm_picture p = { 0 };
    sos_error error;
    wire_limits(MEMORY_MOST, SECONDS_MOST);
    if (!picture_decode(bytes, length, name, &p, &error)) error.status = SOS_OK;
    wire_end(!wire_tell(to, &p, false, &error));
}

sos_status heif_parse(const void *bytes, size_t length, const char *name, s3svm_picture *out, sos_error *error)
{
    int ends[2], outcome;
    if (pipe(ends)) return sos_fail(error, SOS_ERR_IO, "%.200s: no pipe: %s", name, strerror(errno));
    const pid_t child = fork();
    if (!child) {
        close(ends[0]);
        child_run(ends[1], bytes, length, name);
    }
    const int number = errno;
    close(ends[1]);
    const sos_status status = child < 0
                                  ? sos_fail(error, SOS_ERR_IO, "%.200s: no process to read it: %s", name, strerror(number))
                                  : wire_hear(ends[0], name, "libheif", S3SVM_IMAGE_PIXELS_MAX, out, NULL, error);
    close(ends[0]);
    while (child > 0 && waitpid(child, &outcome, 0) < 0 && errno == EINTR) continue;
    return status;
}

#endif
