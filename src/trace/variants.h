/* variants.h - training pictures as another camera might have taken them: larger or smaller, brighter or darker, with noise.
 *
 * Networks see so many pixels, so those that have learned from one size only are lost on others.  Each of a few pictures has a
 * variant of every size, each of many pictures one, of about as many pixels at most: a larger one is a part of it. */
#ifndef S3SVM_TRACE_VARIANTS_H
#define S3SVM_TRACE_VARIANTS_H

#include "trace/evidence.h"

/* Pictures of a list, borrowed, and behind them their variants: one of each in their order, then another one of each. */
typedef struct s3svm_evidence_variants {
    s3svm_evidence_pictures all;
    size_t count, each; /* pictures themselves; variants of each */
    size_t *of;         /* of all: number of the picture, itself or a variant of it; from here on all is its own */
    s3svm_image *images;
    const uint8_t **truths, **cares;
    uint8_t **labels, **known; /* of all, NULL for the pictures themselves */
} s3svm_evidence_variants;

SOS_MUST_USE sos_status s3svm_evidence_variants_make(const s3svm_evidence_pictures *p, uint64_t seed,
                                                     s3svm_evidence_variants *out, sos_error *error);
void s3svm_evidence_variants_free(s3svm_evidence_variants *v); /* leaves it empty; an empty one is fine */

#endif
