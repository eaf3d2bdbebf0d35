/* image_codec.h - what the readers and writers of picture files share; for image*.c only. */
#ifndef SOS_VISION_IMAGE_CODEC_H
#define SOS_VISION_IMAGE_CODEC_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include <s3svm/image.h>

/* A file in memory, and what to make of it. */
typedef struct sos_image_source {
    const uint8_t *bytes;
    size_t length;
    const char *name; /* for messages */
    sos_image_kind kind;
    bool header_only; /* width and height suffice: what is read has no pixels */
    sos_error *error;
} sos_image_source;

/* Fails with "name: ...". */
sos_status sos_image_source_fail(const sos_image_source *s, sos_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define SOS_IMAGE_CUT_OFF "the file ends in the middle of the picture"

/* Is it a size that may be read? */
sos_status sos_image_source_check(const sos_image_source *s, size_t width, size_t height);

/* The picture to read into, with as many channels as the kind has.  The pixels are not set. */
sos_status sos_image_source_create(const sos_image_source *s, size_t width, size_t height, sos_image *out);

/* Each leaves out alone unless it succeeds. */
sos_status sos_image_png_read(const sos_image_source *s, sos_image *out);
sos_status sos_image_jpeg_read(const sos_image_source *s, sos_image *out);
sos_status sos_image_pnm_read(const sos_image_source *s, sos_image *out);

/* A PNG in memory, to free; with a palette if colours is not NULL. */
sos_status sos_image_png_encode(const sos_image *image, size_t count, const uint32_t colours[], uint8_t **bytes, size_t *length,
                                sos_error *error);

/* Pictures of 1 or 3 channels, written to a file that the caller opens, checks and closes; path is for messages. */
sos_status sos_image_jpeg_write(const sos_image *image, FILE *file, const char *path, sos_error *error);
void sos_image_pnm_write(const sos_image *image, size_t channels, FILE *file);

/* x laid over white with opacity a, and the luma of a colour, rounded to the nearest. */
static inline unsigned sos_over_white(unsigned x, unsigned a) { return (x * a + 255 * (255 - a) + 127) / 255; }
static inline unsigned sos_luma(unsigned r, unsigned g, unsigned b) { return (299 * r + 587 * g + 114 * b + 500) / 1000; }

static inline void sos_image_put_colour(sos_image_kind kind, unsigned r, unsigned g, unsigned b, uint8_t *to)
{
    if (kind == SOS_IMAGE_COLOUR) {
        to[0] = (uint8_t)r;
        to[1] = (uint8_t)g;
        to[2] = (uint8_t)b;
    } else {
        to[0] = (uint8_t)sos_luma(r, g, b);
    }
}

static inline void sos_image_put_grey(sos_image_kind kind, unsigned x, uint8_t *to)
{
    to[0] = (uint8_t)x;
    if (kind == SOS_IMAGE_COLOUR) to[1] = to[2] = (uint8_t)x;
}

/* Puts a row of 1 grey, 2 grey and opacity, 3 colour, or 4 colour and opacity channels into a picture: pixel x goes to
 * to + x * step.  For labels the first channel is taken as it is. */
void sos_image_put_row(sos_image_kind kind, const uint8_t *row, size_t width, size_t channels, uint8_t *to, ptrdiff_t step);

#endif
