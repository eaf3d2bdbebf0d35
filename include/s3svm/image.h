/* image.h - pictures of 8 bits a channel, and the files they come from: PNG, JPEG, PGM and PPM.
 *
 * A file is recognised by its first bytes, whatever its name.  Nothing in it is believed: sizes are checked before memory is
 * taken, and what a decoder complains of is passed on with the name of the file. */
#ifndef S3SVM_IMAGE_H
#define S3SVM_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sos/status.h>

#include <s3svm/plane.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SOS_IMAGE_SIDE_MAX = 1 << 16, SOS_IMAGE_PIXELS_MAX = 1 << 28 };

typedef struct sos_image {
    size_t width, height;
    size_t channels; /* 1 grey or label numbers, 3 red, green, blue, 4 these and opacity (written, never read) */
    uint8_t *pixels; /* row after row, channels side by side */
} sos_image;

/* The kind of picture to make of a file. */
typedef enum sos_image_kind {
    SOS_IMAGE_GREY,   /* 1 channel; colours become their luma (0.299, 0.587, 0.114) */
    SOS_IMAGE_COLOUR, /* 3 channels; grey is repeated */
    SOS_IMAGE_LABELS  /* 1 channel: numbers as stored, palette indices and grey values; colour, 16 bits and JPEG are refused */
} sos_image_kind;

SOS_MUST_USE SOS_API sos_status sos_image_create(size_t width, size_t height, size_t channels, sos_image *out,
                                                 sos_error *error);
SOS_API void sos_image_free(sos_image *image); /* leaves it empty; an empty one is fine */

static inline size_t sos_image_size(const sos_image *image) { return image->width * image->height; }

/* 16 bits become 8, opacity is laid over white, CMYK becomes RGB; the rotation that a camera notes in a JPEG is applied. */
SOS_MUST_USE SOS_API sos_status sos_image_read(const char *path, sos_image_kind kind, sos_image *out, sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_image_parse(const void *bytes, size_t length, const char *name, sos_image_kind kind,
                                                sos_image *out, sos_error *error);

/* Whether the library was built with libpng, and with libjpeg; PGM and PPM are always there. */
SOS_API bool sos_image_has_png(void);
SOS_API bool sos_image_has_jpeg(void);

/* Width and height as the file's header says, without decoding it. */
SOS_MUST_USE SOS_API sos_status sos_image_probe(const char *path, size_t *width, size_t *height, sos_error *error);

/* The same of a file in memory; name, which may be NULL, is for messages. */
SOS_MUST_USE SOS_API sos_status sos_image_measure(const void *bytes, size_t length, const char *name, size_t *width,
                                                  size_t *height, sos_error *error);

/* Written by way of a temporary file and a rename, in the format of the name's ending: .png, .pgm, .ppm, .jpg or .jpeg. */
SOS_MUST_USE SOS_API sos_status sos_image_write(const sos_image *image, const char *path, sos_error *error);

/* A PNG in memory, to free. */
SOS_MUST_USE SOS_API sos_status sos_image_encode(const sos_image *image, uint8_t **bytes, size_t *length, sos_error *error);

/* Label numbers as a PNG with a palette: colours[l] is 0xRRGGBB; in a file, and in memory, to free. */
SOS_MUST_USE SOS_API sos_status sos_image_write_palette(const sos_image *labels, size_t count, const uint32_t colours[],
                                                        const char *path, sos_error *error);

SOS_MUST_USE SOS_API sos_status sos_image_encode_palette(const sos_image *labels, size_t count, const uint32_t colours[],
                                                         uint8_t **bytes, size_t *length, sos_error *error);

/* Grey pixels 0 ... 255 to 0 ... 1, and back with rounding and clipping. */
SOS_MUST_USE SOS_API sos_status sos_image_to_plane(const sos_image *image, sos_plane *out, sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_plane_to_image(const sos_plane *plane, sos_image *out, sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
