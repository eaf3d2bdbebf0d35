/* drawing.h - generates black and white drawings for denoising, like those of the paper's section 5.1: lines and geometric
 * shapes of various thickness, and free-hand sketches. */
#ifndef S3SVM_DRAWING_H
#define S3SVM_DRAWING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sos/status.h>

#include <s3svm/image.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { S3SVM_DRAWING_SIDE_MIN = 32 };

/* Makes one drawing, ink 0 on paper 255, with 1 channel and no other values.  The same arguments give the same bytes on every
 * machine.  Consecutive seeds give drawings of different kinds.  Fails for sides below S3SVM_DRAWING_SIDE_MIN, and where
 * s3svm_image_create does.  The caller frees out. */
SOS_MUST_USE SOS_API sos_status s3svm_drawing_make(size_t width, size_t height, bool sketch, uint64_t seed, s3svm_image *out,
                                                   sos_error *error);

/* The seed of drawing number n of a set.  Different sets have no seeds in common. */
SOS_API uint64_t s3svm_drawing_seed(uint64_t set, uint64_t n);

/* The fraction of pixels that are ink. */
SOS_API double s3svm_drawing_ink(const s3svm_image *image);

#ifdef __cplusplus
}
#endif

#endif
