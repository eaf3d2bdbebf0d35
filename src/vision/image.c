/* image.c - pictures in memory; files as bytes, and which reader or writer they go to. */
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

#include "base/output.h"
#include "base/path.h"
#include "vision/image_codec.h"

/* Bytes of a file; a PPM in text of the largest picture would have more, but nobody has that. */
static const size_t file_most = (size_t)1 << 31;

static bool size_is_fine(size_t width, size_t height)
{
    return width && height && width <= SOS_IMAGE_SIDE_MAX && height <= SOS_IMAGE_SIDE_MAX &&
           height <= SOS_IMAGE_PIXELS_MAX / width;
}

sos_status sos_image_create(size_t width, size_t height, size_t channels, sos_image *out, sos_error *error)
{
    if (!out) return sos_fail(error, SOS_ERR_ARGUMENT, "no place for the picture was given");
    if (channels != 1 && channels != 3 && channels != 4)
        return sos_fail(error, SOS_ERR_ARGUMENT, "a picture of %zu channels: they are 1, 3 or 4", channels);
    if (!size_is_fine(width, height))
        return sos_fail(error, SOS_ERR_RANGE, "a picture of %zu by %zu pixels: the most is %d a side and %d in all", width,
                        height, SOS_IMAGE_SIDE_MAX, SOS_IMAGE_PIXELS_MAX);
    uint8_t *pixels = calloc(width * height, channels);
    if (!pixels) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a picture of %zu by %zu pixels", width, height);
    *out = (sos_image){ .width = width, .height = height, .channels = channels, .pixels = pixels };
    return SOS_OK;
}

void sos_image_free(sos_image *image)
{
    free(image->pixels);
    *image = (sos_image){ 0 };
}

/* ---- what the readers share ---- */

sos_status sos_image_source_fail(const sos_image_source *s, sos_status status, const char *format, ...)
{
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return sos_fail(s->error, status, "%.200s: %s", s->name, message);
}

sos_status sos_image_source_check(const sos_image_source *s, size_t width, size_t height)
{
    if (!width || !height)
        return sos_image_source_fail(s, SOS_ERR_FORMAT, "a picture of %zu by %zu pixels has none", width, height);
    if (!size_is_fine(width, height))
        return sos_image_source_fail(s, SOS_ERR_RANGE, "%zu by %zu pixels are too many: the most is %d a side and %d in all",
                                     width, height, SOS_IMAGE_SIDE_MAX, SOS_IMAGE_PIXELS_MAX);
    return SOS_OK;
}

sos_status sos_image_source_create(const sos_image_source *s, size_t width, size_t height, sos_image *out)
{
    const size_t channels = s->kind == SOS_IMAGE_COLOUR ? 3 : 1;
    uint8_t *pixels = malloc(width * height * channels);
    if (!pixels) return sos_image_source_fail(s, SOS_ERR_MEMORY, "no memory for %zu by %zu pixels", width, height);
    *out = (sos_image){ .width = width, .height = height, .channels = channels, .pixels = pixels };
    return SOS_OK;
}

void sos_image_put_row(sos_image_kind kind, const uint8_t *row, size_t width, size_t channels, uint8_t *to, ptrdiff_t step)
{
    for (size_t x = 0; x < width; x++, row += channels) {
        uint8_t *at = to + (ptrdiff_t)x * step;
        if (channels == 1 || kind == SOS_IMAGE_LABELS)
            sos_image_put_grey(kind, row[0], at);
        else if (channels == 2)
            sos_image_put_grey(kind, sos_over_white(row[0], row[1]), at);
        else if (channels == 3)
            sos_image_put_colour(kind, row[0], row[1], row[2], at);
        else
            sos_image_put_colour(kind, sos_over_white(row[0], row[3]), sos_over_white(row[1], row[3]),
                                 sos_over_white(row[2], row[3]), at);
    }
}

/* ---- reading ---- */

typedef sos_status reader(const sos_image_source *s, sos_image *out);

/* The first bytes of a format; one without a reader is named in the error. */
typedef struct signature {
    const char *format;
    size_t offset, length;
    const char *bytes;
    reader *read;
} signature;

static const signature signatures[] = {
    { "PNG", 0, 4, "\x89PNG", sos_image_png_read },
    { "JPEG", 0, 3, "\xff\xd8\xff", sos_image_jpeg_read },
    { "PGM", 0, 2, "P2", sos_image_pnm_read },
    { "PPM", 0, 2, "P3", sos_image_pnm_read },
    { "PGM", 0, 2, "P5", sos_image_pnm_read },
    { "PPM", 0, 2, "P6", sos_image_pnm_read },
    { "GIF", 0, 4, "GIF8", NULL },
    { "WebP", 8, 4, "WEBP", NULL },
    { "BMP", 0, 2, "BM", NULL },
    { "TIFF", 0, 4, "II*\0", NULL },
    { "TIFF", 0, 4, "MM\0*", NULL },
    { "TIFF", 0, 4, "II+\0", NULL },
    { "TIFF", 0, 4, "MM\0+", NULL },
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

static sos_status reader_find(const sos_image_source *s, reader **found)
{
    if (!s->length) return sos_image_source_fail(s, SOS_ERR_FORMAT, "the file is empty");
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
        const signature *k = &signatures[i];
        if (s->length < k->offset + k->length || memcmp(s->bytes + k->offset, k->bytes, k->length)) continue;
        *found = k->read;
        if (*found) return SOS_OK;
        return sos_image_source_fail(s, SOS_ERR_FORMAT, "a %s file; pictures are read from PNG, JPEG, PGM and PPM", k->format);
    }
    return sos_image_source_fail(s, SOS_ERR_FORMAT, "neither PNG nor JPEG, PGM or PPM, by its first bytes");
}

static sos_status source_read(const sos_image_source *s, sos_image *out)
{
    reader *read = NULL;
    const sos_status status = reader_find(s, &read);
    return status ? status : read(s, out);
}

static bool is_kind(sos_image_kind kind)
{
    return kind == SOS_IMAGE_GREY || kind == SOS_IMAGE_COLOUR || kind == SOS_IMAGE_LABELS;
}

sos_status sos_image_parse(const void *bytes, size_t length, const char *name, sos_image_kind kind, sos_image *out,
                           sos_error *error)
{
    if (!bytes || !out) return sos_fail(error, SOS_ERR_ARGUMENT, "no bytes or no place for the picture was given");
    if (!is_kind(kind)) return sos_fail(error, SOS_ERR_ARGUMENT, "there is no kind of picture number %d", (int)kind);
    const sos_image_source s = { bytes, length, name ? name : "picture", kind, false, error };
    return source_read(&s, out);
}

/* Room to read a file into: all of it at once where its size is known, with one byte more to see the end without growing. */
static size_t file_room(FILE *file)
{
    struct stat found;
    if (fstat(fileno(file), &found) || !S_ISREG(found.st_mode) || found.st_size < 0) return 1 << 16;
    return (uintmax_t)found.st_size < file_most ? (size_t)found.st_size + 1 : file_most;
}

/* Reads to the end, so that pipes work too.  Endless devices show themselves by their first bytes, or by the limit. */
static sos_status file_fill(FILE *file, sos_image_source *s, uint8_t **buffer)
{
    size_t room = file_room(file);
    if (room < SIGNATURE_MAX + 1) room = SIGNATURE_MAX + 1;
    *buffer = malloc(room);
    if (!*buffer) return sos_image_source_fail(s, SOS_ERR_MEMORY, "no memory for its %zu bytes", room);
    errno = 0;
    s->bytes = *buffer;
    s->length = fread(*buffer, 1, SIGNATURE_MAX, file);
    reader *unused;
    const sos_status status = ferror(file) ? SOS_OK : reader_find(s, &unused);
    if (status) return status;
    while (!ferror(file) && !feof(file)) {
        if (s->length == room) {
            if (room >= file_most)
                return sos_image_source_fail(s, SOS_ERR_RANGE, "the file has more than the %zu bytes that are read", file_most);
            uint8_t *larger = realloc(*buffer, room * 2);
            if (!larger) return sos_image_source_fail(s, SOS_ERR_MEMORY, "no memory for all of it");
            s->bytes = *buffer = larger;
            room *= 2;
        }
        s->length += fread(*buffer + s->length, 1, room - s->length, file);
    }
    return ferror(file) ? sos_fail(s->error, SOS_ERR_IO, "cannot read '%.200s': %s", s->name, strerror(errno)) : SOS_OK;
}

static sos_status path_read(const char *path, sos_image_kind kind, bool header_only, sos_image *out, sos_error *error)
{
    FILE *file = fopen(path, "rb");
    if (!file) return sos_fail(error, SOS_ERR_IO, "cannot open '%.200s': %s", path, strerror(errno));
    sos_image_source s = { NULL, 0, path, kind, header_only, error };
    uint8_t *buffer = NULL;
    sos_status status = file_fill(file, &s, &buffer);
    fclose(file);
    if (!status) status = source_read(&s, out);
    free(buffer);
    return status;
}

sos_status sos_image_read(const char *path, sos_image_kind kind, sos_image *out, sos_error *error)
{
    if (!path || !out) return sos_fail(error, SOS_ERR_ARGUMENT, "no path or no place for the picture was given");
    if (!is_kind(kind)) return sos_fail(error, SOS_ERR_ARGUMENT, "there is no kind of picture number %d", (int)kind);
    return path_read(path, kind, false, out, error);
}

sos_status sos_image_probe(const char *path, size_t *width, size_t *height, sos_error *error)
{
    if (!path || !width || !height) return sos_fail(error, SOS_ERR_ARGUMENT, "no path or no place for the size was given");
    sos_image header = { 0 };
    const sos_status status = path_read(path, SOS_IMAGE_GREY, true, &header, error);
    if (status) return status;
    *width = header.width;
    *height = header.height;
    return SOS_OK;
}

sos_status sos_image_measure(const void *bytes, size_t length, const char *name, size_t *width, size_t *height,
                             sos_error *error)
{
    if (!bytes || !width || !height) return sos_fail(error, SOS_ERR_ARGUMENT, "no bytes or no place for the size was given");
    const sos_image_source s = { bytes, length, name ? name : "picture", SOS_IMAGE_GREY, true, error };
    sos_image header = { 0 };
    const sos_status status = source_read(&s, &header);
    if (status) return status;
    *width = header.width;
    *height = header.height;
    return SOS_OK;
}

/* ---- writing ---- */

static sos_status image_check(const sos_image *image, sos_error *error)
{
    if (!image || !image->pixels) return sos_fail(error, SOS_ERR_ARGUMENT, "no picture was given");
    const bool channels = image->channels == 1 || image->channels == 3 || image->channels == 4;
    if (channels && size_is_fine(image->width, image->height)) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "there are no pictures of %zu by %zu pixels with %zu channels", image->width,
                    image->height, image->channels);
}

static sos_status bytes_write(const uint8_t *bytes, size_t length, const char *path, sos_error *error)
{
    sos_output o;
    const sos_status status = sos_output_open(&o, path, error);
    if (status) return status;
    fwrite(bytes, 1, length, o.file); /* commit sees whether that failed */
    return sos_output_commit(&o);
}

static sos_status png_write(const sos_image *image, size_t count, const uint32_t colours[], const char *path, sos_error *error)
{
    uint8_t *bytes = NULL;
    size_t length = 0;
    sos_status status = sos_image_png_encode(image, count, colours, &bytes, &length, error);
    if (!status) status = bytes_write(bytes, length, path, error);
    free(bytes);
    return status;
}

static sos_status jpeg_write(const sos_image *image, const char *path, sos_error *error)
{
    if (image->channels == 4) return sos_fail(error, SOS_ERR_ARGUMENT, "'%.200s': JPEG has no opacity; write a .png", path);
    sos_output o;
    sos_status status = sos_output_open(&o, path, error);
    if (status) return status;
    status = sos_image_jpeg_write(image, o.file, path, error);
    if (!status) return sos_output_commit(&o);
    sos_output_abandon(&o);
    return status;
}

static sos_status pnm_write(const sos_image *image, size_t channels, const char *path, sos_error *error)
{
    if (image->channels > channels)
        return sos_fail(error, SOS_ERR_ARGUMENT, "'%.200s': %s has no %s; write a .png", path, channels == 1 ? "PGM" : "PPM",
                        channels == 1 ? "colours" : "opacity");
    sos_output o;
    const sos_status status = sos_output_open(&o, path, error);
    if (status) return status;
    sos_image_pnm_write(image, channels, o.file);
    return sos_output_commit(&o);
}

sos_status sos_image_write(const sos_image *image, const char *path, sos_error *error)
{
    const sos_status status = image_check(image, error);
    if (status) return status;
    if (!path) return sos_fail(error, SOS_ERR_ARGUMENT, "no path was given");
    if (sos_path_ends(path, ".png")) return png_write(image, 0, NULL, path, error);
    if (sos_path_ends(path, ".jpg") || sos_path_ends(path, ".jpeg")) return jpeg_write(image, path, error);
    if (sos_path_ends(path, ".pgm")) return pnm_write(image, 1, path, error);
    if (sos_path_ends(path, ".ppm")) return pnm_write(image, 3, path, error);
    return sos_fail(error, SOS_ERR_ARGUMENT, "'%.200s' does not end in .png, .jpg, .jpeg, .pgm or .ppm", path);
}

sos_status sos_image_encode(const sos_image *image, uint8_t **bytes, size_t *length, sos_error *error)
{
    const sos_status status = image_check(image, error);
    if (status) return status;
    if (!bytes || !length) return sos_fail(error, SOS_ERR_ARGUMENT, "no place for the bytes was given");
    return sos_image_png_encode(image, 0, NULL, bytes, length, error);
}

static sos_status palette_check(const sos_image *labels, size_t count, const uint32_t colours[], sos_error *error)
{
    const sos_status status = image_check(labels, error);
    if (status) return status;
    if (!colours) return sos_fail(error, SOS_ERR_ARGUMENT, "no colours were given");
    if (labels->channels != 1)
        return sos_fail(error, SOS_ERR_ARGUMENT, "a label picture has 1 channel, not %zu", labels->channels);
    if (!count || count > 256) return sos_fail(error, SOS_ERR_ARGUMENT, "a palette has 1 to 256 colours, not %zu", count);
    for (size_t i = 0; i < sos_image_size(labels); i++)
        if (labels->pixels[i] >= count)
            return sos_fail(error, SOS_ERR_ARGUMENT, "pixel (%zu, %zu) has label %d, but there are %zu colours",
                            i % labels->width, i / labels->width, labels->pixels[i], count);
    return SOS_OK;
}

sos_status sos_image_write_palette(const sos_image *labels, size_t count, const uint32_t colours[], const char *path,
                                   sos_error *error)
{
    const sos_status status = palette_check(labels, count, colours, error);
    if (status) return status;
    if (!path) return sos_fail(error, SOS_ERR_ARGUMENT, "no path was given");
    if (!sos_path_ends(path, ".png"))
        return sos_fail(error, SOS_ERR_ARGUMENT, "'%.200s' does not end in .png, which only has palettes", path);
    return png_write(labels, count, colours, path, error);
}

sos_status sos_image_encode_palette(const sos_image *labels, size_t count, const uint32_t colours[], uint8_t **bytes,
                                    size_t *length, sos_error *error)
{
    const sos_status status = palette_check(labels, count, colours, error);
    if (status) return status;
    if (!bytes || !length) return sos_fail(error, SOS_ERR_ARGUMENT, "no place for the picture was given");
    return sos_image_png_encode(labels, count, colours, bytes, length, error);
}

/* ---- planes ---- */

sos_status sos_image_to_plane(const sos_image *image, sos_plane *out, sos_error *error)
{
    sos_status status = image_check(image, error);
    if (status) return status;
    if (!out) return sos_fail(error, SOS_ERR_ARGUMENT, "no place for the plane was given");
    if (image->channels != 1)
        return sos_fail(error, SOS_ERR_ARGUMENT, "a plane is made of 1 channel, but the picture has %zu", image->channels);
    status = sos_plane_create(image->width, image->height, out, error);
    if (status) return status;
    for (size_t i = 0; i < sos_image_size(image); i++) out->values[i] = (float)image->pixels[i] / 255;
    return SOS_OK;
}

/* Not a number becomes 0. */
static uint8_t grey_of(float x)
{
    if (!(x > 0)) return 0;
    return x >= 1 ? 255 : (uint8_t)lroundf(x * 255);
}

sos_status sos_plane_to_image(const sos_plane *plane, sos_image *out, sos_error *error)
{
    if (!plane || !plane->values || !out) return sos_fail(error, SOS_ERR_ARGUMENT, "no plane or no place was given");
    const sos_status status = sos_image_create(plane->width, plane->height, 1, out, error);
    if (status) return status;
    for (size_t i = 0; i < sos_plane_size(plane); i++) out->pixels[i] = grey_of(plane->values[i]);
    return SOS_OK;
}
