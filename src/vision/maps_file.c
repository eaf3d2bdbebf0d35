#include "vision/maps_file.h"

#include <math.h>

#include <s3svm/image.h>

#include "base/elementary.h"
#include "base/path.h"
#include "vision/npy.h"

double s3svm_maps_byte_odds(double byte)
{
    const double b = fmax(0.5, fmin(byte, 254.5));
    return sos_log(b / (255 - b));
}

sos_status s3svm_maps_probe(const char *path, size_t *width, size_t *height, size_t *channels, sos_error *error)
{
    if (!sos_path_ends(path, ".png")) return s3svm_npy_probe(path, width, height, channels, error);
    *channels = 1;
    return s3svm_image_probe(path, width, height, error);
}

static sos_status image_odds(const s3svm_image *image, s3svm_maps *out, sos_error *error)
{
    float odds[256];
    for (int b = 0; b < 256; b++) odds[b] = (float)s3svm_maps_byte_odds(b);
    const sos_status status = s3svm_maps_create(image->width, image->height, 1, out, error);
    for (size_t i = 0; i < s3svm_image_size(image) && !status; i++) out->values[i] = odds[image->pixels[i]];
    return status;
}

sos_status s3svm_maps_read(const char *path, s3svm_maps *out, sos_error *error)
{
    s3svm_image image;
    if (!sos_path_ends(path, ".png")) return s3svm_npy_read(path, out, error);
    sos_status status = s3svm_image_read(path, S3SVM_IMAGE_GREY, &image, error);
    if (status) return status;
    status = image_odds(&image, out, error);
    s3svm_image_free(&image);
    return status;
}

sos_status s3svm_maps_parse(const void *bytes, size_t length, const char *name, s3svm_maps *out, sos_error *error)
{
    s3svm_image image;
    if (!sos_path_ends(name, ".png")) return s3svm_npy_parse(bytes, length, name, out, error);
    sos_status status = s3svm_image_parse(bytes, length, name, S3SVM_IMAGE_GREY, &image, error);
    if (status) return status;
    status = image_odds(&image, out, error);
    s3svm_image_free(&image);
    return status;
}
