#include <s3svm/plane.h>

#include <stdlib.h>

#include "base/error.h"
#include <s3svm/image.h>

sos_status sos_plane_create(size_t width, size_t height, sos_plane *out, sos_error *error)
{
    if (!width || !height || width > SOS_IMAGE_SIDE_MAX || height > SOS_IMAGE_PIXELS_MAX / width)
        return sos_fail(error, SOS_ERR_RANGE, "a plane of %zu by %zu pixels", width, height);
    float *values = calloc(width * height, sizeof *values);
    if (!values) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a plane of %zu by %zu pixels", width, height);
    *out = (sos_plane){ .width = width, .height = height, .values = values };
    return SOS_OK;
}

void sos_plane_free(sos_plane *p)
{
    free(p->values);
    *p = (sos_plane){ 0 };
}
