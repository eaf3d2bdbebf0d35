/* plane.h - one channel of real numbers: grey values in [0, 1] unless noise took them further, filter responses, distances. */
#ifndef S3SVM_PLANE_H
#define S3SVM_PLANE_H

#include <stddef.h>

#include <sos/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sos_plane {
    size_t width, height;
    float *values; /* row after row */
} sos_plane;

/* A plane of zeros.  Refused: no pixels, or more than SOS_IMAGE_PIXELS_MAX. */
SOS_MUST_USE SOS_API sos_status sos_plane_create(size_t width, size_t height, sos_plane *out, sos_error *error);
SOS_API void sos_plane_free(sos_plane *p); /* leaves it empty; an empty one is fine */

static inline size_t sos_plane_size(const sos_plane *p) { return p->width * p->height; }

#ifdef __cplusplus
}
#endif

#endif
