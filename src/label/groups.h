/* groups.h - the groups of weights that each design of a model for labels has: unaries first, in all designs alike; then pairs,
 * or the tables of each reach, cluster by cluster; then superpixels: robust P^n in one group, or functions of the count, a
 * group for each size. */
#ifndef S3SVM_LABEL_GROUPS_H
#define S3SVM_LABEL_GROUPS_H

#include "label/design.h"
#include "label/features.h"

enum { S3SVM_LABEL_GROUP_RESPONSE, S3SVM_LABEL_GROUP_TEXTURE, S3SVM_LABEL_GROUP_PLACE, S3SVM_LABEL_UNARIES };
enum { S3SVM_LABEL_GROUP_CONSTANT }; /* where users' maps stand for these, the only one */

enum {
    S3SVM_LABEL_COLUMNS = 9, /* cells that places are counted in */
    S3SVM_LABEL_ROWS = 6,
    S3SVM_LABEL_SCALES_MAX = 4, /* sizes of superpixels, the picture being the last */
    S3SVM_LABEL_GROUP_NAME = 32
};

typedef struct s3svm_label_groups {
    size_t count;
    sos_group *groups;
    char (*names)[S3SVM_LABEL_GROUP_NAME]; /* that groups point at */
} s3svm_label_groups;

SOS_MUST_USE sos_status s3svm_label_groups_create(const s3svm_label_design *d, const s3svm_label_features *f,
                                                  s3svm_label_groups *out, sos_error *error);
void s3svm_label_groups_free(s3svm_label_groups *g);

/* A model of these groups and nothing else; its weights are 0. */
SOS_MUST_USE sos_status s3svm_label_groups_model(const s3svm_label_groups *g, size_t labels, sos_model **out, sos_error *error);

/* How many sizes of superpixels a model has. */
size_t s3svm_label_scales(const s3svm_label_design *d);

/* Of pairs: side by side, and along diagonals. */
static inline size_t s3svm_label_directions(const s3svm_label_design *d) { return d->diagonals ? 2 : 1; }

/* How many groups are about single pixels, but for maps of users. */
static inline size_t s3svm_label_unaries(const s3svm_label_features *f)
{
    return s3svm_label_has_networks(f) ? S3SVM_LABEL_UNARIES : 1;
}

/* The group of the pairs of a reach, side by side or along diagonals; the first group of the tables of a reach; that of the
 * regions, which stands last. */
static inline uint32_t s3svm_label_pair_group(const s3svm_label_design *d, const s3svm_label_features *f, size_t reach,
                                              bool diagonal)
{
    return (uint32_t)(s3svm_label_unaries(f) + reach * s3svm_label_directions(d) + (diagonal ? 1 : 0));
}
static inline uint32_t s3svm_label_patch_group(const s3svm_label_features *f, size_t reach)
{
    return (uint32_t)(s3svm_label_unaries(f) + reach * f->edges);
}
static inline uint32_t s3svm_label_region_group(const s3svm_label_design *d, const s3svm_label_features *f)
{
    return s3svm_label_has_tables(d) ? s3svm_label_patch_group(f, d->reaches) : s3svm_label_pair_group(d, f, d->reaches, false);
}

#endif
