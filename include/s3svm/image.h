/* image.h - pictures of 8 bits per channel, and their files: PNG, JPEG, WebP, TIFF, PGM and PPM.
 *
 * A file is recognised by its first bytes, whatever its name.  Files are not trusted: sizes are checked before memory is
 * allocated, and errors of decoders are reported with the name of the file. */
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
    size_t channels; /* 1: grey or label numbers; 3: red, green, blue; 4: these and opacity (written, never read) */
    uint8_t *pixels; /* row by row, channels interleaved */
} s3svm_image;

/* How a file is converted when it is read. */
typedef enum s3svm_image_kind {
    S3SVM_IMAGE_GREY,   /* 1 channel; colours become their luma (0.299, 0.587, 0.114) */
    S3SVM_IMAGE_COLOUR, /* 3 channels; grey is repeated */
    S3SVM_IMAGE_LABELS  /* 1 channel: palette indices or grey values as stored; colour, 16 bits, JPEG and WebP are refused */
} s3svm_image_kind;

SOS_MUST_USE SOS_API sos_status s3svm_image_create(size_t width, size_t height, size_t channels, s3svm_image *out,
                                                   sos_error *error);
SOS_API void s3svm_image_free(s3svm_image *image); /* leaves it empty; freeing an empty one does nothing */

static inline size_t s3svm_image_size(const s3svm_image *image) { return image->width * image->height; }

/* Reads a picture, from a file or from memory; name is for messages.  16 bits are reduced to 8, transparent pixels are blended
 * with white, CMYK becomes RGB, and the orientation noted by the camera is applied.  The caller frees out. */
SOS_MUST_USE SOS_API sos_status s3svm_image_read(const char *path, s3svm_image_kind kind, s3svm_image *out, sos_error *error);
SOS_MUST_USE SOS_API sos_status s3svm_image_parse(const void *bytes, size_t length, const char *name, s3svm_image_kind kind,
                                                  s3svm_image *out, sos_error *error);

/* Whether the library was built with libpng, libjpeg, libwebp and libtiff; PGM and PPM are always supported. */
SOS_API bool s3svm_image_has_png(void);
SOS_API bool s3svm_image_has_jpeg(void);
SOS_API bool s3svm_image_has_webp(void);
SOS_API bool s3svm_image_has_tiff(void);

/* Width and height from the header of a file, without decoding it. */
SOS_MUST_USE SOS_API sos_status s3svm_image_probe(const char *path, size_t *width, size_t *height, sos_error *error);

/* The same for a file in memory; name, which may be NULL, is for messages. */
SOS_MUST_USE SOS_API sos_status s3svm_image_measure(const void *bytes, size_t length, const char *name, size_t *width,
                                                    size_t *height, sos_error *error);

/* Writes a picture in the format of the extension: .png, .jpg, .jpeg, .webp (lossless), .tif, .tiff, .pgm or .ppm.  It is
 * written to a temporary file, which is then renamed. */
SOS_MUST_USE SOS_API sos_status s3svm_image_write(const s3svm_image *image, const char *path, sos_error *error);

/* ---- pictures with opacity, 16 bits and colour profile, which are preserved from reading to writing ---- */

typedef struct s3svm_picture {
    s3svm_image image;     /* 3 channels, or 4 if some pixel is not opaque; for writing any number */
    uint16_t *deep;        /* the same samples with 16 bits if the file has more than 8; else NULL */
    uint8_t *profile;      /* ICC colour profile, or NULL */
    size_t profile_length; /* bytes */
    uint64_t reserved[4];  /* 0 */
} s3svm_picture;

SOS_MUST_USE SOS_API sos_status s3svm_picture_read(const char *path, s3svm_picture *out, sos_error *error);
SOS_MUST_USE SOS_API sos_status s3svm_picture_parse(const void *bytes, size_t length, const char *name, s3svm_picture *out,
                                                    sos_error *error);
SOS_API void s3svm_picture_free(s3svm_picture *picture); /* leaves it empty; freeing an empty one does nothing */

/* As s3svm_image_write.  PNG, TIFF, PGM and PPM keep 16 bits; all but PGM and PPM keep profiles. */
SOS_MUST_USE SOS_API sos_status s3svm_picture_write(const s3svm_picture *picture, const char *path, sos_error *error);

/* The same as a PNG in memory; the caller frees *bytes. */
SOS_MUST_USE SOS_API sos_status s3svm_picture_encode(const s3svm_picture *picture, uint8_t **bytes, size_t *length,
                                                     sos_error *error);

/* Converts it to 3 channels, blended with white, as s3svm_image_read does with S3SVM_IMAGE_COLOUR. */
SOS_MUST_USE SOS_API sos_status s3svm_picture_seen(const s3svm_picture *picture, s3svm_image *out, sos_error *error);

/* ---- in memory, and as labels ---- */

/* Encodes a PNG in memory; the caller frees *bytes with free(). */
SOS_MUST_USE SOS_API sos_status s3svm_image_encode(const s3svm_image *image, uint8_t **bytes, size_t *length, sos_error *error);

/* Writes label numbers as a PNG with a palette, colours[l] being 0xRRGGBB; to a file, or to memory, where the caller frees
 * *bytes with free(). */
SOS_MUST_USE SOS_API sos_status s3svm_image_write_palette(const s3svm_image *labels, size_t count, const uint32_t colours[],
                                                          const char *path, sos_error *error);

SOS_MUST_USE SOS_API sos_status s3svm_image_encode_palette(const s3svm_image *labels, size_t count, const uint32_t colours[],
                                                           uint8_t **bytes, size_t *length, sos_error *error);

/* The luma of a picture of 3 channels, as S3SVM_IMAGE_GREY reads it.  The caller frees out. */
SOS_MUST_USE SOS_API sos_status s3svm_image_grey(const s3svm_image *image, s3svm_image *out, sos_error *error);

/* Converts grey pixels 0 ... 255 to 0 ... 1, and back, with rounding and clipping.  The caller frees out. */
SOS_MUST_USE SOS_API sos_status s3svm_image_to_plane(const s3svm_image *image, s3svm_plane *out, sos_error *error);
SOS_MUST_USE SOS_API sos_status s3svm_plane_to_image(const s3svm_plane *plane, s3svm_image *out, sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
