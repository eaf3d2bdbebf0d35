/* features.h - what is learned from many pictures so that a labelling sees something in others: clusters of texture, clusters
 * of edges, and networks that turn the description of a place (inputs.h) into how likely each label is.
 *
 * There are several networks, each trained without a part of the pictures: what one says of those is what it would say of new
 * ones, and that is what energies are learned from.  New pictures get the mean of all. */
#ifndef S3SVM_LABEL_FEATURES_H
#define S3SVM_LABEL_FEATURES_H

#include <s3svm/label.h>

#include "label/view.h"
#include "vision/perceptron.h"

enum {
    S3SVM_LABEL_TEXTURE = S3SVM_LABEL_PLANES, /* numbers that texture clusters are found by */
    S3SVM_LABEL_EDGE = 4,                     /* numbers that clusters of 2x2 patches are found by */
    S3SVM_LABEL_CLUSTERS_MAX = 256,           /* of either kind */
    S3SVM_LABEL_FOLDS_MAX = 16
};

struct s3svm_label_features {
    size_t labels;
    size_t clusters; /* of texture */
    float *centres;  /* clusters * S3SVM_LABEL_TEXTURE */
    size_t edges;    /* clusters of patches */
    float *edge;     /* edges * S3SVM_LABEL_EDGE */
    size_t folds;
    s3svm_perceptron networks[S3SVM_LABEL_FOLDS_MAX];
};

/* Room for so many of each, all 0.  Neither clusters nor networks: users' maps stand for them. */
SOS_MUST_USE sos_status s3svm_label_features_create(size_t labels, size_t clusters, size_t edges, size_t folds,
                                                    s3svm_label_features **out, sos_error *error);

/* SOS_ERR_ARGUMENT: nothing can be learned from these. */
SOS_MUST_USE sos_status s3svm_label_pictures_check(const s3svm_label_pictures *p, sos_error *error);

enum { S3SVM_LABEL_NEW = S3SVM_LABEL_FOLDS_MAX }; /* a picture that none has seen */

/* Whether it has textures and networks; both or neither. */
static inline bool s3svm_label_has_networks(const s3svm_label_features *f) { return f->folds > 0; }

/* The network that has not seen the i-th picture it was learned from. */
static inline size_t s3svm_label_fold(const s3svm_label_features *f, size_t i)
{
    return f->folds ? i % f->folds : S3SVM_LABEL_NEW;
}

/* ---- of a picture ---- */

/* For every pixel: log p of every label, side by side, by the network of a fold, or by all (S3SVM_LABEL_NEW). */
SOS_MUST_USE sos_status s3svm_label_responses(const s3svm_label_features *f, const s3svm_label_view *v, size_t fold,
                                              float out[], sos_error *error);

/* For every pixel the number of its texture cluster. */
SOS_MUST_USE sos_status s3svm_label_textures(const s3svm_label_features *f, const s3svm_label_view *v, uint32_t out[],
                                             sos_error *error);

/* For every patch of 2x2 pixels that are so far apart, row by row, the number of its cluster. */
SOS_MUST_USE sos_status s3svm_label_edges(const s3svm_label_features *f, const s3svm_label_view *v, size_t distance,
                                          uint32_t out[], sos_error *error);

/* ---- points that clusters are made of ---- */

void s3svm_label_texture_at(const s3svm_label_view *v, size_t x, size_t y, float out[S3SVM_LABEL_TEXTURE]);
void s3svm_label_edge_at(const s3svm_label_view *v, size_t distance, size_t x, size_t y, float out[S3SVM_LABEL_EDGE]);

#endif
