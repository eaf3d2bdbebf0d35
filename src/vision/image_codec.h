/* image_codec.h - what the readers and writers of picture files share; for image*.c only. */
#ifndef S3SVM_VISION_IMAGE_CODEC_H
#define S3SVM_VISION_IMAGE_CODEC_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include <s3svm/image.h>

/* A file in memory, and what to make of it. */
typedef struct s3svm_image_source {
    const uint8_t *bytes;
    size_t length;
    const char *name; /* for messages */
    s3svm_image_kind kind;
    bool whole;       /* opacity, depth and colour profile are wanted, too; the kind is S3SVM_IMAGE_COLOUR then */
    bool header_only; /* width and height suffice: what is read has no pixels */
    sos_error *error;
} s3svm_image_source;

/* Fails with "name: ...". */
sos_status s3svm_image_source_fail(const s3svm_image_source *s, sos_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define S3SVM_IMAGE_CUT_OFF "the file ends in the middle of the picture"

/* Is it a picture that can be written? */
sos_status s3svm_image_check(const s3svm_image *image, sos_error *error);

/* Is it a size that may be read? */
sos_status s3svm_image_source_check(const s3svm_image_source *s, size_t width, size_t height);

/* Whether the file is long enough for them, of a format that may take next to nothing for a pixel. */
sos_status s3svm_image_source_believe(const s3svm_image_source *s, size_t width, size_t height);

/* ---- what readers fill (image_canvas.c) ---- */

/* Pixels as a file has them. */
typedef struct s3svm_image_layout {
    size_t width, height;
    size_t channels;      /* 1 grey, 2 grey and opacity, 3 colours, 4 colours and opacity */
    bool deep;            /* samples have 16 bits */
    unsigned orientation; /* 1 ... 8: how to turn them, as cameras note it */
} s3svm_image_layout;

typedef struct s3svm_image_canvas {
    const s3svm_image_source *source;
    s3svm_image_layout layout;
    s3svm_picture picture;
    uint8_t *row; /* of 8 bits, where samples have 16 */
} s3svm_image_canvas;

/* Rows come in any order.  Closing gives the picture away; freeing is fine at any time, of one that is all zeros, too. */
sos_status s3svm_image_canvas_open(s3svm_image_canvas *c, const s3svm_image_source *s, const s3svm_image_layout *layout);
void s3svm_image_canvas_row(s3svm_image_canvas *c, size_t y, const uint8_t *row);
void s3svm_image_canvas_row_deep(s3svm_image_canvas *c, size_t y, const uint16_t *row);
void s3svm_image_canvas_close(s3svm_image_canvas *c, s3svm_picture *out);
void s3svm_image_canvas_free(s3svm_image_canvas *c);

/* Keeps a copy of an ICC profile, if it is one of colours as they are here, and wanted. */
sos_status s3svm_image_canvas_profile(s3svm_image_canvas *c, const uint8_t *profile, size_t length);

/* Width and height of what is seen: an image without pixels. */
s3svm_image s3svm_image_layout_seen(const s3svm_image_layout *layout);

/* The orientation that Exif data note, 1 ... 8; 1, as it is, for all that is not understood. */
unsigned s3svm_image_exif_orientation(const uint8_t *exif, size_t length);

/* ---- formats ----
 *
 * Readers leave out alone unless they succeed. */
sos_status s3svm_image_png_read(const s3svm_image_source *s, s3svm_picture *out);
sos_status s3svm_image_jpeg_read(const s3svm_image_source *s, s3svm_picture *out);
sos_status s3svm_image_pnm_read(const s3svm_image_source *s, s3svm_picture *out);
sos_status s3svm_image_webp_read(const s3svm_image_source *s, s3svm_picture *out);
sos_status s3svm_image_tiff_read(const s3svm_image_source *s, s3svm_picture *out);

/* A PNG in memory, to free; with a palette if colours is not NULL.  And the same of other formats. */
sos_status s3svm_image_png_encode(const s3svm_picture *picture, size_t count, const uint32_t colours[], uint8_t **bytes,
                                  size_t *length, sos_error *error);
sos_status s3svm_image_webp_encode(const s3svm_picture *picture, uint8_t **bytes, size_t *length, sos_error *error);
sos_status s3svm_image_tiff_encode(const s3svm_picture *picture, uint8_t **bytes, size_t *length, sos_error *error);

/* Pictures of 1 or 3 channels, written to a file that the caller opens, checks and closes; path is for messages. */
sos_status s3svm_image_jpeg_write(const s3svm_picture *picture, FILE *file, const char *path, sos_error *error);
void s3svm_image_pnm_write(const s3svm_picture *picture, size_t channels, FILE *file);

/* ---- pixels ---- */

/* x laid over white with opacity a, and the luma of a colour, rounded to the nearest. */
static inline unsigned s3svm_over_white(unsigned x, unsigned a) { return (x * a + 255 * (255 - a) + 127) / 255; }
static inline unsigned s3svm_luma(unsigned r, unsigned g, unsigned b) { return (299 * r + 587 * g + 114 * b + 500) / 1000; }

static inline void s3svm_image_put_colour(s3svm_image_kind kind, unsigned r, unsigned g, unsigned b, uint8_t *to)
{
    if (kind == S3SVM_IMAGE_COLOUR) {
        to[0] = (uint8_t)r;
        to[1] = (uint8_t)g;
        to[2] = (uint8_t)b;
    } else {
        to[0] = (uint8_t)s3svm_luma(r, g, b);
    }
}

static inline void s3svm_image_put_grey(s3svm_image_kind kind, unsigned x, uint8_t *to)
{
    to[0] = (uint8_t)x;
    if (kind == S3SVM_IMAGE_COLOUR) to[1] = to[2] = (uint8_t)x;
}

#endif
