/* image.c - pictures in memory; reading files, and the choice of the decoder. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <s3svm/image.h>

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "vision/image_codec.h"

/* Bytes of a file; a PPM in text of the largest picture would have more, but nobody has that. */
static const size_t file_most = (size_t)1 << 31;

static bool size_is_fine(size_t width, size_t height)
{
    return width && height && width <= S3SVM_IMAGE_SIDE_MAX && height <= S3SVM_IMAGE_SIDE_MAX &&
           height <= S3SVM_IMAGE_PIXELS_MAX / width;
}

sos_status s3svm_image_create(size_t width, size_t height, size_t channels, s3svm_image *out, sos_error *error)
{
    if (!out) return sos_fail(error, SOS_ERR_ARGUMENT, "no place for the picture was given");
    if (channels != 1 && channels != 3 && channels != 4)
        return sos_fail(error, SOS_ERR_ARGUMENT, "a picture of %zu channels: 1, 3 or 4 are possible", channels);
    if (!size_is_fine(width, height))
        return sos_fail(error, SOS_ERR_RANGE, "a picture of %zu by %zu pixels: the maximum is %d per side and %d in total",
                        width, height, S3SVM_IMAGE_SIDE_MAX, S3SVM_IMAGE_PIXELS_MAX);
    uint8_t *pixels = calloc(width * height, channels);
    if (!pixels) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a picture of %zu by %zu pixels", width, height);
    *out = (s3svm_image){ .width = width, .height = height, .channels = channels, .pixels = pixels };
    return SOS_OK;
}

void s3svm_image_free(s3svm_image *image)
{
    free(image->pixels);
    *image = (s3svm_image){ 0 };
}

void s3svm_picture_free(s3svm_picture *picture)
{
    free(picture->image.pixels);
    free(picture->deep);
    free(picture->profile);
    *picture = (s3svm_picture){ 0 };
}

sos_status s3svm_picture_seen(const s3svm_picture *picture, s3svm_image *out, sos_error *error)
{
    const s3svm_image *image = picture ? &picture->image : NULL;
    if (!image || !image->pixels || !out || image->channels < 3)
        return sos_fail(error, SOS_ERR_ARGUMENT, "no picture with colours, or no place for it, was given");
    const sos_status status = s3svm_image_create(image->width, image->height, 3, out, error);
    for (size_t i = 0; i < s3svm_image_size(image) && !status; i++) {
        const uint8_t *pixel = image->pixels + i * image->channels;
        const unsigned opacity = image->channels == 4 ? pixel[3] : 255;
        for (size_t k = 0; k < 3; k++) out->pixels[3 * i + k] = (uint8_t)s3svm_over_white(pixel[k], opacity);
    }
    return status;
}

sos_status s3svm_image_check(const s3svm_image *image, sos_error *error)
{
    if (!image || !image->pixels) return sos_fail(error, SOS_ERR_ARGUMENT, "no picture was given");
    const bool channels = image->channels == 1 || image->channels == 3 || image->channels == 4;
    if (channels && size_is_fine(image->width, image->height)) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "there are no pictures of %zu by %zu pixels with %zu channels", image->width,
                    image->height, image->channels);
}

/* ---- what the readers share ---- */

sos_status s3svm_image_source_fail(const s3svm_image_source *s, sos_status status, const char *format, ...)
{
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return sos_fail(s->error, status, "%.200s: %s", s->name, message);
}

sos_status s3svm_image_source_check(const s3svm_image_source *s, size_t width, size_t height)
{
    if (!width || !height)
        return s3svm_image_source_fail(s, SOS_ERR_FORMAT, "a picture of %zu by %zu pixels has none", width, height);
    if (!size_is_fine(width, height))
        return s3svm_image_source_fail(s, SOS_ERR_RANGE,
                                       "%zu by %zu pixels are too many: the maximum is %d per side and %d in total", width,
                                       height, S3SVM_IMAGE_SIDE_MAX, S3SVM_IMAGE_PIXELS_MAX);
    return SOS_OK;
}

sos_status s3svm_image_source_believe(const s3svm_image_source *s, size_t width, size_t height)
{
    enum { PIXELS_FREE = 1 << 20, PIXELS_OF_A_BYTE = 1 << 16 }; /* white paper may be so small, photographs never are */
    if (width * height <= PIXELS_FREE || (width * height - PIXELS_FREE) / PIXELS_OF_A_BYTE <= s->length) return SOS_OK;
    return s3svm_image_source_fail(s, SOS_ERR_FORMAT, "%zu by %zu pixels in a file of %zu bytes: not a valid picture", width,
                                   height, s->length);
}

/* ---- reading ---- */

typedef sos_status reader(const s3svm_image_source *s, s3svm_picture *out);

/* The first bytes of a format; one without a reader is named in the error, with what converts it. */
typedef struct signature {
    const char *format;
    size_t offset, length;
    const char *bytes;
    reader *read;
} signature;

static const signature signatures[] = {
    { "PNG", 0, 4, "\x89PNG", s3svm_image_png_read },
    { "JPEG", 0, 3, "\xff\xd8\xff", s3svm_image_jpeg_read },
    { "PGM", 0, 2, "P2", s3svm_image_pnm_read },
    { "PPM", 0, 2, "P3", s3svm_image_pnm_read },
    { "PGM", 0, 2, "P5", s3svm_image_pnm_read },
    { "PPM", 0, 2, "P6", s3svm_image_pnm_read },
    { "GIF", 0, 4, "GIF8", NULL },
    { "WebP", 8, 4, "WEBP", s3svm_image_webp_read },
    { "BMP", 0, 2, "BM", NULL },
    { "TIFF", 0, 4, "II*\0", s3svm_image_tiff_read },
    { "TIFF", 0, 4, "MM\0*", s3svm_image_tiff_read },
    { "TIFF", 0, 4, "II+\0", s3svm_image_tiff_read },
    { "TIFF", 0, 4, "MM\0+", s3svm_image_tiff_read },
    { "AVIF", 4, 8, "ftypavif", NULL },
    { "HEIF", 4, 4, "ftyp", NULL },
    { "JPEG XL", 0, 2, "\xff\x0a", NULL },
    { "JPEG XL", 4, 4, "JXL ", NULL },
    { "JPEG 2000", 4, 4, "jP  ", NULL },
    { "PBM", 0, 2, "P1", NULL },
    { "PBM", 0, 2, "P4", NULL },
    { "PAM", 0, 2, "P7", NULL },
    { "Photoshop", 0, 4, "8BPS", NULL },
    { "PDF", 0, 5, "%PDF-", NULL },
    { "SVG", 0, 4, "<svg", NULL },
};

enum { SIGNATURE_MAX = 12 }; /* bytes from the start that tell the format */

/* A picture of some other format, and how to come by one that is read. */
static sos_status format_refuse(const s3svm_image_source *s, const char *format)
{
    const bool heif = !strcmp(format, "HEIF") || !strcmp(format, "AVIF");
    return s3svm_image_source_fail(s, SOS_ERR_FORMAT,
                                   "%s is not supported: pictures are PNG, JPEG, WebP, TIFF, PGM or PPM; '%s FILE FILE.png' "
                                   "converts it (Debian: %s)",
                                   format, heif ? "heif-convert" : "convert", heif ? "libheif-examples" : "imagemagick");
}

static sos_status reader_find(const s3svm_image_source *s, reader **found)
{
    if (!s->length) return s3svm_image_source_fail(s, SOS_ERR_FORMAT, "the file is empty");
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
        const signature *k = &signatures[i];
        if (s->length < k->offset + k->length || memcmp(s->bytes + k->offset, k->bytes, k->length)) continue;
        *found = k->read;
        return *found ? SOS_OK : format_refuse(s, k->format);
    }
    return s3svm_image_source_fail(s, SOS_ERR_FORMAT, "the first bytes are not those of PNG, JPEG, WebP, TIFF, PGM or PPM");
}

static sos_status source_read(const s3svm_image_source *s, s3svm_picture *out)
{
    reader *read = NULL;
    const sos_status status = reader_find(s, &read);
    return status ? status : read(s, out);
}

static bool is_kind(s3svm_image_kind kind)
{
    return kind == S3SVM_IMAGE_GREY || kind == S3SVM_IMAGE_COLOUR || kind == S3SVM_IMAGE_LABELS;
}

sos_status s3svm_image_parse(const void *bytes, size_t length, const char *name, s3svm_image_kind kind, s3svm_image *out,
                             sos_error *error)
{
    if (!bytes || !out) return sos_fail(error, SOS_ERR_ARGUMENT, "no bytes or no place for the picture was given");
    if (!is_kind(kind)) return sos_fail(error, SOS_ERR_ARGUMENT, "there is no kind of picture number %d", (int)kind);
    const s3svm_image_source s = {
        .bytes = bytes, .length = length, .name = name ? name : "picture", .kind = kind, .error = error
    };
    s3svm_picture picture = { 0 };
    const sos_status status = source_read(&s, &picture);
    if (!status) *out = picture.image;
    return status;
}

sos_status s3svm_picture_parse(const void *bytes, size_t length, const char *name, s3svm_picture *out, sos_error *error)
{
    if (!bytes || !out) return sos_fail(error, SOS_ERR_ARGUMENT, "no bytes or no place for the picture was given");
    const s3svm_image_source s = { .bytes = bytes,
                                   .length = length,
                                   .name = name ? name : "picture",
                                   .kind = S3SVM_IMAGE_COLOUR,
                                   .whole = true,
                                   .error = error };
    s3svm_picture picture = { 0 };
    const sos_status status = source_read(&s, &picture);
    if (!status) *out = picture;
    return status;
}

/* Room to read a file into: all of it at once where its size is known, with one byte more to see the end without growing. */
static size_t file_room(FILE *file)
{
    struct stat found;
    if (fstat(fileno(file), &found) || !S_ISREG(found.st_mode) || found.st_size < 0) return 1 << 16;
    return (uintmax_t)found.st_size < file_most ? (size_t)found.st_size + 1 : file_most;
}

/* Reads to the end, so that pipes work too.  Endless devices show themselves by their first bytes, or by the limit. */
static sos_status file_fill(FILE *file, s3svm_image_source *s, uint8_t **buffer)
{
    size_t room = file_room(file);
    if (room < SIGNATURE_MAX + 1) room = SIGNATURE_MAX + 1;
    *buffer = malloc(room);
    if (!*buffer) return s3svm_image_source_fail(s, SOS_ERR_MEMORY, "no memory for its %zu bytes", room);
    errno = 0;
    s->bytes = *buffer;
    s->length = fread(*buffer, 1, SIGNATURE_MAX, file);
    reader *unused;
    const sos_status status = ferror(file) ? SOS_OK : reader_find(s, &unused);
    if (status) return status;
    while (!ferror(file) && !feof(file)) {
        if (s->length == room) {
            if (room >= file_most)
                return s3svm_image_source_fail(s, SOS_ERR_RANGE, "the file is larger than the maximum of %zu bytes", file_most);
            uint8_t *larger = realloc(*buffer, room * 2);
            if (!larger) return s3svm_image_source_fail(s, SOS_ERR_MEMORY, "no memory for all of it");
            s->bytes = *buffer = larger;
            room *= 2;
        }
        s->length += fread(*buffer + s->length, 1, room - s->length, file);
    }
    return ferror(file) ? sos_fail(s->error, SOS_ERR_IO, "cannot read '%.200s': %s", s->name, strerror(errno)) : SOS_OK;
}

/* Reads a file as the source says, of which the bytes are still missing. */
static sos_status path_read(s3svm_image_source *s, s3svm_picture *out)
{
    FILE *file = fopen(s->name, "rb");
    if (!file) return sos_fail(s->error, SOS_ERR_IO, "cannot open '%.200s': %s", s->name, strerror(errno));
    uint8_t *buffer = NULL;
    sos_status status = file_fill(file, s, &buffer);
    fclose(file);
    if (!status) status = source_read(s, out);
    free(buffer);
    return status;
}

sos_status s3svm_image_read(const char *path, s3svm_image_kind kind, s3svm_image *out, sos_error *error)
{
    if (!path || !out) return sos_fail(error, SOS_ERR_ARGUMENT, "no path or no place for the picture was given");
    if (!is_kind(kind)) return sos_fail(error, SOS_ERR_ARGUMENT, "there is no kind of picture number %d", (int)kind);
    s3svm_image_source s = { .name = path, .kind = kind, .error = error };
    s3svm_picture picture = { 0 };
    const sos_status status = path_read(&s, &picture);
    if (!status) *out = picture.image;
    return status;
}

sos_status s3svm_picture_read(const char *path, s3svm_picture *out, sos_error *error)
{
    if (!path || !out) return sos_fail(error, SOS_ERR_ARGUMENT, "no path or no place for the picture was given");
    s3svm_image_source s = { .name = path, .kind = S3SVM_IMAGE_COLOUR, .whole = true, .error = error };
    s3svm_picture picture = { 0 };
    const sos_status status = path_read(&s, &picture);
    if (!status) *out = picture;
    return status;
}

sos_status s3svm_image_probe(const char *path, size_t *width, size_t *height, sos_error *error)
{
    if (!path || !width || !height) return sos_fail(error, SOS_ERR_ARGUMENT, "no path or no place for the size was given");
    s3svm_image_source s = { .name = path, .kind = S3SVM_IMAGE_GREY, .header_only = true, .error = error };
    s3svm_picture header = { 0 };
    const sos_status status = path_read(&s, &header);
    if (status) return status;
    *width = header.image.width;
    *height = header.image.height;
    return SOS_OK;
}

sos_status s3svm_image_measure(const void *bytes, size_t length, const char *name, size_t *width, size_t *height,
                               sos_error *error)
{
    if (!bytes || !width || !height) return sos_fail(error, SOS_ERR_ARGUMENT, "no bytes or no place for the size was given");
    const s3svm_image_source s = { .bytes = bytes,
                                   .length = length,
                                   .name = name ? name : "picture",
                                   .kind = S3SVM_IMAGE_GREY,
                                   .header_only = true,
                                   .error = error };
    s3svm_picture header = { 0 };
    const sos_status status = source_read(&s, &header);
    if (status) return status;
    *width = header.image.width;
    *height = header.image.height;
    return SOS_OK;
}

/* ---- planes ---- */

sos_status s3svm_image_grey(const s3svm_image *image, s3svm_image *out, sos_error *error)
{
    if (!image || !image->pixels || !out || image->channels != 3)
        return sos_fail(error, SOS_ERR_ARGUMENT, "no picture of 3 channels, or no place for its luma, was given");
    const sos_status status = s3svm_image_create(image->width, image->height, 1, out, error);
    for (size_t i = 0; i < s3svm_image_size(image) && !status; i++) {
        const uint8_t *pixel = image->pixels + 3 * i;
        out->pixels[i] = (uint8_t)s3svm_luma(pixel[0], pixel[1], pixel[2]);
    }
    return status;
}

sos_status s3svm_image_to_plane(const s3svm_image *image, s3svm_plane *out, sos_error *error)
{
    sos_status status = s3svm_image_check(image, error);
    if (status) return status;
    if (!out) return sos_fail(error, SOS_ERR_ARGUMENT, "no place for the plane was given");
    if (image->channels != 1)
        return sos_fail(error, SOS_ERR_ARGUMENT, "a plane is made of 1 channel, but the picture has %zu", image->channels);
    status = s3svm_plane_create(image->width, image->height, out, error);
    if (status) return status;
    for (size_t i = 0; i < s3svm_image_size(image); i++) out->values[i] = (float)image->pixels[i] / 255;
    return SOS_OK;
}

/* Not a number becomes 0. */
static uint8_t grey_of(float x)
{
    if (!(x > 0)) return 0;
    return x >= 1 ? 255 : (uint8_t)lroundf(x * 255);
}

sos_status s3svm_plane_to_image(const s3svm_plane *plane, s3svm_image *out, sos_error *error)
{
    if (!plane || !plane->values || !out) return sos_fail(error, SOS_ERR_ARGUMENT, "no plane or no place was given");
    const sos_status status = s3svm_image_create(plane->width, plane->height, 1, out, error);
    if (status) return status;
    for (size_t i = 0; i < s3svm_plane_size(plane); i++) out->pixels[i] = grey_of(plane->values[i]);
    return SOS_OK;
}
