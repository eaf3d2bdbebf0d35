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

static sos_status png_read(const char *path, s3svm_maps *out, sos_error *error)
{
    s3svm_image image;
    float odds[256];
    sos_status status = s3svm_image_read(path, S3SVM_IMAGE_GREY, &image, error);
    if (status) return status;
    for (int b = 0; b < 256; b++) odds[b] = (float)s3svm_maps_byte_odds(b);
    status = s3svm_maps_create(image.width, image.height, 1, out, error);
    for (size_t i = 0; i < s3svm_image_size(&image) && !status; i++) out->values[i] = odds[image.pixels[i]];
    s3svm_image_free(&image);
    return status;
}

sos_status s3svm_maps_read(const char *path, s3svm_maps *out, sos_error *error)
{
    return sos_path_ends(path, ".png") ? png_read(path, out, error) : s3svm_npy_read(path, out, error);
}
