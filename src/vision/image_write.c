/* image_write.c - writes pictures to files, in the format of the extension, and to memory. */
#include <stdlib.h>

#include "base/output.h"
#include "base/path.h"
#include "vision/image_codec.h"

static sos_status bytes_write(const uint8_t *bytes, size_t length, const char *path, sos_error *error)
{
    sos_output o;
    const sos_status status = sos_output_open(&o, path, error);
    if (status) return status;
    fwrite(bytes, 1, length, o.file); /* commit sees whether that failed */
    return sos_output_commit(&o);
}

/* Writes what an encoder has made, and frees it. */
static sos_status encoded_write(sos_status status, uint8_t *bytes, size_t length, const char *path, sos_error *error)
{
    if (!status) status = bytes_write(bytes, length, path, error);
    free(bytes);
    return status;
}

static sos_status png_write(const s3svm_picture *picture, const char *path, sos_error *error)
{
    uint8_t *bytes = NULL;
    size_t length = 0;
    const sos_status status = s3svm_image_png_encode(picture, 0, NULL, &bytes, &length, error);
    return encoded_write(status, bytes, length, path, error);
}

static sos_status webp_write(const s3svm_picture *picture, const char *path, sos_error *error)
{
    uint8_t *bytes = NULL;
    size_t length = 0;
    const sos_status status = s3svm_image_webp_encode(picture, &bytes, &length, error);
    return encoded_write(status, bytes, length, path, error);
}

static sos_status tiff_write(const s3svm_picture *picture, const char *path, sos_error *error)
{
    uint8_t *bytes = NULL;
    size_t length = 0;
    const sos_status status = s3svm_image_tiff_encode(picture, &bytes, &length, error);
    return encoded_write(status, bytes, length, path, error);
}

static sos_status jpeg_write(const s3svm_picture *picture, const char *path, sos_error *error)
{
    if (picture->image.channels == 4)
        return sos_fail(error, SOS_ERR_ARGUMENT, "'%.200s': JPEG has no opacity; write a .png", path);
    sos_output o;
    sos_status status = sos_output_open(&o, path, error);
    if (status) return status;
    status = s3svm_image_jpeg_write(picture, o.file, path, error);
    if (!status) return sos_output_commit(&o);
    sos_output_abandon(&o);
    return status;
}

static sos_status pnm_write(const s3svm_picture *picture, size_t channels, const char *path, sos_error *error)
{
    if (picture->image.channels > channels)
        return sos_fail(error, SOS_ERR_ARGUMENT, "'%.200s': %s has no %s; write a .png", path, channels == 1 ? "PGM" : "PPM",
                        channels == 1 ? "colours" : "opacity");
    sos_output o;
    const sos_status status = sos_output_open(&o, path, error);
    if (status) return status;
    s3svm_image_pnm_write(picture, channels, o.file);
    return sos_output_commit(&o);
}

static sos_status pgm_write(const s3svm_picture *picture, const char *path, sos_error *error)
{
    return pnm_write(picture, 1, path, error);
}

static sos_status ppm_write(const s3svm_picture *picture, const char *path, sos_error *error)
{
    return pnm_write(picture, 3, path, error);
}

sos_status s3svm_picture_write(const s3svm_picture *picture, const char *path, sos_error *error)
{
    static const struct {
        const char *ending;
        sos_status (*write)(const s3svm_picture *picture, const char *path, sos_error *error);
    } FORMATS[] = { { ".png", png_write },  { ".jpg", jpeg_write },  { ".jpeg", jpeg_write }, { ".webp", webp_write },
                    { ".tif", tiff_write }, { ".tiff", tiff_write }, { ".pgm", pgm_write },   { ".ppm", ppm_write } };
    const sos_status status = s3svm_image_check(picture ? &picture->image : NULL, error);
    if (status) return status;
    if (!path) return sos_fail(error, SOS_ERR_ARGUMENT, "no path was given");
    s3svm_picture fit = *picture;
    if (fit.image.channels == 1) fit.profile = NULL; /* which is about colours */
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++)
        if (sos_path_ends(path, FORMATS[i].ending)) return FORMATS[i].write(&fit, path, error);
    return sos_fail(error, SOS_ERR_ARGUMENT, "'%.200s' does not end in .png, .jpg, .jpeg, .webp, .tif, .tiff, .pgm or .ppm",
                    path);
}

sos_status s3svm_image_write(const s3svm_image *image, const char *path, sos_error *error)
{
    s3svm_picture picture = { 0 };
    if (image) picture.image = *image;
    return s3svm_picture_write(&picture, path, error);
}

sos_status s3svm_picture_encode(const s3svm_picture *picture, uint8_t **bytes, size_t *length, sos_error *error)
{
    const sos_status status = s3svm_image_check(picture ? &picture->image : NULL, error);
    if (status) return status;
    if (!bytes || !length) return sos_fail(error, SOS_ERR_ARGUMENT, "no place for the bytes was given");
    s3svm_picture fit = *picture;
    if (fit.image.channels == 1) fit.profile = NULL; /* which is about colours */
    return s3svm_image_png_encode(&fit, 0, NULL, bytes, length, error);
}

sos_status s3svm_image_encode(const s3svm_image *image, uint8_t **bytes, size_t *length, sos_error *error)
{
    s3svm_picture picture = { 0 };
    if (image) picture.image = *image;
    return s3svm_picture_encode(&picture, bytes, length, error);
}

static sos_status palette_check(const s3svm_image *labels, size_t count, const uint32_t colours[], sos_error *error)
{
    const sos_status status = s3svm_image_check(labels, error);
    if (status) return status;
    if (!colours) return sos_fail(error, SOS_ERR_ARGUMENT, "no colours were given");
    if (labels->channels != 1)
        return sos_fail(error, SOS_ERR_ARGUMENT, "a label picture has 1 channel, not %zu", labels->channels);
    if (!count || count > 256) return sos_fail(error, SOS_ERR_ARGUMENT, "a palette has 1 to 256 colours, not %zu", count);
    for (size_t i = 0; i < s3svm_image_size(labels); i++)
        if (labels->pixels[i] >= count)
            return sos_fail(error, SOS_ERR_ARGUMENT, "pixel (%zu, %zu) has label %d, but there are %zu colours",
                            i % labels->width, i / labels->width, labels->pixels[i], count);
    return SOS_OK;
}

sos_status s3svm_image_write_palette(const s3svm_image *labels, size_t count, const uint32_t colours[], const char *path,
                                     sos_error *error)
{
    const sos_status status = palette_check(labels, count, colours, error);
    if (status) return status;
    if (!path) return sos_fail(error, SOS_ERR_ARGUMENT, "no path was given");
    if (!sos_path_ends(path, ".png"))
        return sos_fail(error, SOS_ERR_ARGUMENT, "'%.200s' does not end in .png, the only format with palettes", path);
    uint8_t *bytes = NULL;
    size_t length = 0;
    const sos_status encoded = s3svm_image_png_encode(&(s3svm_picture){ .image = *labels }, count, colours, &bytes, &length,
                                                      error);
    return encoded_write(encoded, bytes, length, path, error);
}

sos_status s3svm_image_encode_palette(const s3svm_image *labels, size_t count, const uint32_t colours[], uint8_t **bytes,
                                      size_t *length, sos_error *error)
{
    const sos_status status = palette_check(labels, count, colours, error);
    if (status) return status;
    if (!bytes || !length) return sos_fail(error, SOS_ERR_ARGUMENT, "no place for the picture was given");
    return s3svm_image_png_encode(&(s3svm_picture){ .image = *labels }, count, colours, bytes, length, error);
}
