/* mark_features.h - what follows from a set of pixels of a photograph alone: how far others are from it, and how much they look
 * like it.
 *
 * A new mark changes some of the sets that maps are made of, and leaves others as they are: what is known of these is kept, and
 * is the same as if it were found again. */
#ifndef S3SVM_SEGMENT_MARK_FEATURES_H
#define S3SVM_SEGMENT_MARK_FEATURES_H

#include "segment/features/photo_features.h"

typedef enum s3svm_mark_set {
    S3SVM_MARK_SET_BACKGROUND, /* marks, by their labels, with what is assumed */
    S3SVM_MARK_SET_OBJECT,
    S3SVM_MARK_SET_FRAME,           /* of the picture, and background marks */
    S3SVM_MARK_SET_GIVEN,           /* background marks, without what is assumed */
    S3SVM_MARK_SET_LAST_BACKGROUND, /* marks of the last step */
    S3SVM_MARK_SET_LAST_OBJECT,
    S3SVM_MARK_SET_LAST,
    S3SVM_MARK_SET_BEFORE,     /* labels found before it: object */
    S3SVM_MARK_SET_NOT_BEFORE, /* background */
    S3SVM_MARK_SET_EVIDENCE,   /* what evidence calls object */
    S3SVM_MARK_SET_NOT_EVIDENCE,
    S3SVM_MARK_SETS
} s3svm_mark_set;

typedef enum s3svm_mark_feature {
    S3SVM_MARK_FEATURE_TEXTURE, /* log p(x), p being a mixture of the textures of the set; the slowest is first */
    S3SVM_MARK_FEATURE_LAB,     /* the same of colours */
    S3SVM_MARK_FEATURE_SOFT,    /* and of blurred ones */
    S3SVM_MARK_FEATURE_PATH,    /* distances along paths on which colours change little, in pixels */
    S3SVM_MARK_FEATURE_TIGHT,   /* the same for steps that must not leak at weak edges */
    S3SVM_MARK_FEATURE_CROW,    /* as the crow flies */
    S3SVM_MARK_FEATURES
} s3svm_mark_feature;

typedef struct s3svm_marked_set {
    size_t count;  /* pixels of the set */
    uint8_t *mask; /* n */
    bool known[S3SVM_MARK_FEATURES];
    float *values[S3SVM_MARK_FEATURES]; /* n each, or NULL */
} s3svm_marked_set;

typedef struct s3svm_mark_features {
    size_t n;
    s3svm_marked_set sets[S3SVM_MARK_SETS];
} s3svm_mark_features;

void s3svm_mark_features_free(s3svm_mark_features *t); /* leaves it empty; an empty one is fine */

/* Makes a set what the mask says; what was known of it stays if it is the same. */
SOS_MUST_USE sos_status s3svm_mark_features_set(s3svm_mark_features *t, s3svm_mark_set set, size_t n, const uint8_t mask[],
                                                sos_error *error);

typedef struct s3svm_mark_query {
    s3svm_mark_set set;
    s3svm_mark_feature kind;
} s3svm_mark_query;

/* Finds what is asked for and not known, on several threads.  Of sets without pixels nothing is known. */
SOS_MUST_USE sos_status s3svm_mark_features_find(s3svm_mark_features *t, const s3svm_photo_features *features, size_t count,
                                                 const s3svm_mark_query queries[], int threads, sos_error *error);

/* What was found; logarithms are at least S3SVM_SEGMENT_LOG_LEAST: colours that no component knows are all alike. */
#define S3SVM_SEGMENT_LOG_LEAST (-40.0)
static inline const float *s3svm_mark_features_of(const s3svm_mark_features *t, s3svm_mark_set set, s3svm_mark_feature kind)
{
    return t->sets[set].values[kind];
}

#endif
