/* plane.h - one channel of real numbers: grey values, in [0, 1] unless they have unclipped noise; filter responses; distances.
 */
#ifndef S3SVM_PLANE_H
#define S3SVM_PLANE_H

#include <stddef.h>

#include <sos/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct s3svm_plane {
    size_t width, height;
    float *values; /* row after row */
} s3svm_plane;

/* Creates a plane of zeros.  Fails if it would have no pixels, or more than S3SVM_IMAGE_PIXELS_MAX. */
SOS_MUST_USE SOS_API sos_status s3svm_plane_create(size_t width, size_t height, s3svm_plane *out, sos_error *error);
SOS_API void s3svm_plane_free(s3svm_plane *p); /* leaves it empty; freeing an empty one does nothing */

static inline size_t s3svm_plane_size(const s3svm_plane *p) { return p->width * p->height; }

#ifdef __cplusplus
}
#endif

#endif
