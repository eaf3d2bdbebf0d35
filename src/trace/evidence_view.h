/* evidence_view.h - a picture as the second networks see it, strip by strip, and what networks say of it at one size. */
#ifndef S3SVM_TRACE_EVIDENCE_VIEW_H
#define S3SVM_TRACE_EVIDENCE_VIEW_H

#include "trace/evidence.h"
#include "vision/strokes.h"

enum {
    S3SVM_EVIDENCE_INPUTS = 2 * S3SVM_STROKES_FEATURES + 2,
    S3SVM_EVIDENCE_STRIP = 64 /* rows that are worked on at once, even: so much memory, and so much work for a thread */
};

typedef struct s3svm_evidence_view {
    const s3svm_plane *plane;    /* levelled; borrowed */
    const s3svm_plane *response; /* of the first network; borrowed */
    s3svm_strokes *whole, *half; /* of how likely that says a structure is, at full and at half size */
} s3svm_evidence_view;

SOS_MUST_USE sos_status s3svm_evidence_view_create(const s3svm_plane *plane, const s3svm_plane *response,
                                                   s3svm_evidence_view *out, sos_error *error);
void s3svm_evidence_view_free(s3svm_evidence_view *v); /* leaves it empty; an empty one is fine */

static inline size_t s3svm_evidence_strips(const s3svm_evidence_view *v)
{
    return (v->plane->height + S3SVM_EVIDENCE_STRIP - 1) / S3SVM_EVIDENCE_STRIP;
}

static inline size_t s3svm_evidence_strip_rows(const s3svm_evidence_view *v, size_t strip)
{
    const size_t left = v->plane->height - strip * S3SVM_EVIDENCE_STRIP;
    return left < S3SVM_EVIDENCE_STRIP ? left : S3SVM_EVIDENCE_STRIP;
}

/* The responses of a picture at its own size, a new plane. */
SOS_MUST_USE sos_status s3svm_evidence_look(const s3svm_evidence *e, const s3svm_image *picture, size_t fold, int threads,
                                            s3svm_plane *out, sos_error *error);

/* The features of a strip, feature after feature, to free. */
SOS_MUST_USE sos_status s3svm_evidence_strip(const s3svm_evidence_view *v, size_t strip, float **out, sos_error *error);

/* The log odds of the first network of a fold, or the mean of all, a new plane. */
SOS_MUST_USE sos_status s3svm_evidence_first(const s3svm_evidence *e, size_t fold, const s3svm_plane *plane, int threads,
                                             s3svm_plane *out, sos_error *error);

#endif
