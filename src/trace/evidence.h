/* evidence.h - how likely a pixel is part of a thin structure, by what is around it.
 *
 * A picture becomes one levelled plane (vision/level.h), of the channel in which structures stand out best, darker or lighter.
 * The first network (vision/unet.h) sees that plane around a pixel; the second (vision/perceptron.h) the strokes
 * (vision/strokes.h) of what the first made of it, and so farther along lines.  Responses are log odds: 0 is undecided,
 * positive is a structure.
 *
 * There are several of both.  Number k learns from all pictures but those of fold k, so that a model can learn from what
 * networks say that have not seen the picture.  A new picture is shown to all of them: what first networks say on average is
 * what second networks see, and the mean of these is the response. */
#ifndef S3SVM_TRACE_EVIDENCE_H
#define S3SVM_TRACE_EVIDENCE_H

#include <s3svm/image.h>
#include <sos/work.h>

#include "vision/perceptron.h"
#include "vision/unet.h"

enum {
    S3SVM_EVIDENCE_FOLDS_MAX = 8,
    S3SVM_EVIDENCE_NEW = S3SVM_EVIDENCE_FOLDS_MAX /* a picture that no network has seen */
};

typedef struct s3svm_evidence {
    float channel[3]; /* what the levelled plane is made of: so much of red, green and blue; negative: structures are dark */
    float side;       /* of a square of as many pixels as pictures had that were learned from; 0: not known */
    size_t folds;
    s3svm_unet first[S3SVM_EVIDENCE_FOLDS_MAX];
    s3svm_perceptron second[S3SVM_EVIDENCE_FOLDS_MAX];
} s3svm_evidence;

typedef struct s3svm_evidence_settings {
    size_t samples; /* pixels that second networks learn from, about; first ones learn in proportion to it */
    size_t folds;   /* 1: one network of both kinds, which sees all pictures */
    uint64_t seed;
    sos_work work;
} s3svm_evidence_settings;

/* Pictures to learn from: in colour or grey, with a label for each pixel, and care, whose 0 says that the label is not known
 * (NULL: all are). */
typedef struct s3svm_evidence_pictures {
    size_t count;
    const s3svm_image *images;
    const uint8_t *const *truths, *const *cares;
} s3svm_evidence_pictures;

/* Networks of zeros. */
SOS_MUST_USE sos_status s3svm_evidence_create(size_t folds, s3svm_evidence *out, sos_error *error);
void s3svm_evidence_free(s3svm_evidence *e); /* leaves it empty; an empty one is fine */

/* The fold of picture i of those that were learned from. */
static inline size_t s3svm_evidence_fold(const s3svm_evidence *e, size_t i)
{
    return e->folds > 1 ? i % e->folds : S3SVM_EVIDENCE_NEW;
}

SOS_MUST_USE sos_status s3svm_evidence_train(const s3svm_evidence_pictures *p, const s3svm_evidence_settings *settings,
                                             s3svm_evidence *out, sos_error *error);

/* The responses of a picture, a new plane; fold: whose networks to ask; S3SVM_EVIDENCE_NEW: all, at the size at which they are
 * surest (evidence_size.c). */
SOS_MUST_USE sos_status s3svm_evidence_apply(const s3svm_evidence *e, const s3svm_image *picture, size_t fold, int threads,
                                             s3svm_plane *out, sos_error *error);

/* The levelled plane of a picture, structures being greater; a new one. */
SOS_MUST_USE sos_status s3svm_evidence_plane(const float channel[3], const s3svm_image *picture, s3svm_plane *out,
                                             sos_error *error);

#endif
