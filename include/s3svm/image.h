/* image.h - pictures of 8 bits a channel, and the files they come from: PNG, JPEG, WebP, TIFF, PGM and PPM.
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

enum { S3SVM_IMAGE_SIDE_MAX = 1 << 16, S3SVM_IMAGE_PIXELS_MAX = 1 << 28 };

typedef struct s3svm_image {
    size_t width, height;
    size_t channels; /* 1 grey or label numbers, 3 red, green, blue, 4 these and opacity (written, never read) */
    uint8_t *pixels; /* row after row, channels side by side */
} s3svm_image;

/* The kind of picture to make of a file. */
typedef enum s3svm_image_kind {
    S3SVM_IMAGE_GREY,   /* 1 channel; colours become their luma (0.299, 0.587, 0.114) */
    S3SVM_IMAGE_COLOUR, /* 3 channels; grey is repeated */
    S3SVM_IMAGE_LABELS  /* 1 channel: numbers as stored, palette indices and grey values; colour, 16 bits, JPEG and WebP are
                           refused */
} s3svm_image_kind;

SOS_MUST_USE SOS_API sos_status s3svm_image_create(size_t width, size_t height, size_t channels, s3svm_image *out,
                                                   sos_error *error);
SOS_API void s3svm_image_free(s3svm_image *image); /* leaves it empty; freeing an empty one does nothing */

static inline size_t s3svm_image_size(const s3svm_image *image) { return image->width * image->height; }

/* 16 bits become 8, opacity is laid over white, CMYK becomes RGB; pictures are turned as the camera was held that made them. */
SOS_MUST_USE SOS_API sos_status s3svm_image_read(const char *path, s3svm_image_kind kind, s3svm_image *out, sos_error *error);
SOS_MUST_USE SOS_API sos_status s3svm_image_parse(const void *bytes, size_t length, const char *name, s3svm_image_kind kind,
                                                  s3svm_image *out, sos_error *error);

/* Whether the library was built with libpng, libjpeg, libwebp and libtiff; PGM and PPM are always there. */
SOS_API bool s3svm_image_has_png(void);
SOS_API bool s3svm_image_has_jpeg(void);
SOS_API bool s3svm_image_has_webp(void);
SOS_API bool s3svm_image_has_tiff(void);

/* Width and height as the file's header says, without decoding it. */
SOS_MUST_USE SOS_API sos_status s3svm_image_probe(const char *path, size_t *width, size_t *height, sos_error *error);

/* The same of a file in memory; name, which may be NULL, is for messages. */
SOS_MUST_USE SOS_API sos_status s3svm_image_measure(const void *bytes, size_t length, const char *name, size_t *width,
                                                    size_t *height, sos_error *error);

/* Written by way of a temporary file and a rename, in the format of the name's ending: .png, .jpg, .jpeg, .webp (without loss),
 * .tif, .tiff, .pgm or .ppm. */
SOS_MUST_USE SOS_API sos_status s3svm_image_write(const s3svm_image *image, const char *path, sos_error *error);

/* ---- pictures with all that their files say, so that what is written is like what was read ---- */

typedef struct s3svm_picture {
    s3svm_image image;     /* 3 channels, or 4 where some pixel is not opaque; to write: any */
    uint16_t *deep;        /* the same samples with 16 bits, where the file has more than 8; else NULL */
    uint8_t *profile;      /* what its colours mean: an ICC profile, or NULL */
    size_t profile_length; /* bytes */
    uint64_t reserved[4];  /* 0 */
} s3svm_picture;

SOS_MUST_USE SOS_API sos_status s3svm_picture_read(const char *path, s3svm_picture *out, sos_error *error);
SOS_MUST_USE SOS_API sos_status s3svm_picture_parse(const void *bytes, size_t length, const char *name, s3svm_picture *out,
                                                    sos_error *error);
SOS_API void s3svm_picture_free(s3svm_picture *picture); /* leaves it empty; freeing an empty one does nothing */

/* As s3svm_image_write.  16 bits go into PNG, TIFF, PGM and PPM, profiles into all but the latter two. */
SOS_MUST_USE SOS_API sos_status s3svm_picture_write(const s3svm_picture *picture, const char *path, sos_error *error);

/* What s3svm_image_read makes of it with S3SVM_IMAGE_COLOUR: 3 channels, laid over white. */
SOS_MUST_USE SOS_API sos_status s3svm_picture_seen(const s3svm_picture *picture, s3svm_image *out, sos_error *error);

/* ---- in memory, and as labels ---- */

/* A PNG in memory, to free. */
SOS_MUST_USE SOS_API sos_status s3svm_image_encode(const s3svm_image *image, uint8_t **bytes, size_t *length, sos_error *error);

/* Label numbers as a PNG with a palette: colours[l] is 0xRRGGBB; in a file, and in memory, to free. */
SOS_MUST_USE SOS_API sos_status s3svm_image_write_palette(const s3svm_image *labels, size_t count, const uint32_t colours[],
                                                          const char *path, sos_error *error);

SOS_MUST_USE SOS_API sos_status s3svm_image_encode_palette(const s3svm_image *labels, size_t count, const uint32_t colours[],
                                                           uint8_t **bytes, size_t *length, sos_error *error);

/* Grey pixels 0 ... 255 to 0 ... 1, and back with rounding and clipping. */
SOS_MUST_USE SOS_API sos_status s3svm_image_to_plane(const s3svm_image *image, s3svm_plane *out, sos_error *error);
SOS_MUST_USE SOS_API sos_status s3svm_plane_to_image(const s3svm_plane *plane, s3svm_image *out, sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
