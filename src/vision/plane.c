/* plane.c - the memory of planes. */
#include <s3svm/plane.h>

#include <stdlib.h>

#include "base/error.h"
#include <s3svm/image.h>

sos_status s3svm_plane_create(size_t width, size_t height, s3svm_plane *out, sos_error *error)
{
    if (!width || !height || width > S3SVM_IMAGE_SIDE_MAX || height > S3SVM_IMAGE_PIXELS_MAX / width)
        return sos_fail(error, SOS_ERR_RANGE, "a plane of %zu by %zu pixels", width, height);
    float *values = calloc(width * height, sizeof *values);
    if (!values) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a plane of %zu by %zu pixels", width, height);
    *out = (s3svm_plane){ .width = width, .height = height, .values = values };
    return SOS_OK;
}

void s3svm_plane_free(s3svm_plane *p)
{
    free(p->values);
    *p = (s3svm_plane){ 0 };
}
