/* label_features.h - what a labelling of whole images sees of a picture: the features of its places, and what is learned from
 * many pictures to make them.
 *
 * A place is described by colours, edges and texture in boxes around it and to its sides, by where it is, and by the picture as
 * a whole; lengths are relative to the picture, so that pictures of other sizes look alike.  Networks turn that into how likely
 * each label is.  There are several, each trained without a part of the pictures: what one says of those is what it would say
 * of new ones, and that is what energies are learned from.  New pictures get the mean of all. */
#ifndef SOS_LABEL_FEATURES_H
#define SOS_LABEL_FEATURES_H

#include "vision/perceptron.h"
#include <s3svm/image.h>

enum {
    SOS_LABEL_INPUTS = 92,        /* of the networks */
    SOS_LABEL_TEXTURE = 7,        /* numbers that texture clusters are found by: colour, edges, fine and coarse texture */
    SOS_LABEL_EDGE = 4,           /* numbers that clusters of 2x2 patches are found by */
    SOS_LABEL_CLUSTERS_MAX = 256, /* of either kind */
    SOS_LABEL_FOLDS_MAX = 16
};

/* Pictures with true labels to learn from, borrowed. */
typedef struct sos_label_lesson {
    size_t count, labels;
    const sos_image *pictures;    /* 3 channels */
    const uint8_t *const *truths; /* a label per pixel */
    const uint8_t *const *care;   /* 0: no label is known; NULL, or an entry of NULL: all are */
} sos_label_lesson;

typedef struct sos_label_features {
    size_t labels;
    size_t clusters; /* of texture */
    float *centres;  /* clusters * SOS_LABEL_TEXTURE */
    size_t edges;    /* clusters of patches */
    float *edge;     /* edges * SOS_LABEL_EDGE */
    size_t folds;
    sos_perceptron networks[SOS_LABEL_FOLDS_MAX];
} sos_label_features;

typedef struct sos_label_learning {
    size_t clusters, edges, folds;
    size_t epochs; /* of the networks */
    uint64_t seed;
    int threads;            /* 0: all cores; the result is the same */
    sos_progress *progress; /* or NULL */
    void *user;
} sos_label_learning;

/* 32 clusters of texture, 1 of patches, 6 networks of 20 epochs, seed 1, all cores, no callback. */
sos_label_learning sos_label_learning_defaults(void);

/* Room for so many of each, all 0. */
SOS_MUST_USE sos_status sos_label_features_create(size_t labels, size_t clusters, size_t edges, size_t folds,
                                                  sos_label_features *out, sos_error *error);
void sos_label_features_free(sos_label_features *f); /* leaves it empty; an empty one is fine */

/* Learns them; with fewer pictures than networks there is one network per picture, with one picture one for all.  settings may
 * be NULL. */
SOS_MUST_USE sos_status sos_label_features_learn(const sos_label_lesson *lesson, const sos_label_learning *settings,
                                                 sos_label_features *out, sos_error *error);

/* The network that has not seen the i-th picture it was learned from. */
static inline size_t sos_label_fold(const sos_label_features *f, size_t i) { return i % f->folds; }
enum { SOS_LABEL_NEW = SOS_LABEL_FOLDS_MAX }; /* a picture that none has seen */

/* A picture prepared. */
typedef struct sos_label_view sos_label_view;
SOS_MUST_USE sos_status sos_label_view_create(const sos_image *picture, sos_label_view **out, sos_error *error);
void sos_label_view_free(sos_label_view *v); /* NULL is fine */

/* The inputs of the networks at a pixel. */
void sos_label_view_inputs(const sos_label_view *v, size_t x, size_t y, float out[SOS_LABEL_INPUTS]);

/* For every pixel: log p of every label, side by side, by the network of a fold, or by all (SOS_LABEL_NEW). */
SOS_MUST_USE sos_status sos_label_responses(const sos_label_features *f, const sos_label_view *v, size_t fold, float out[],
                                            sos_error *error);

/* For every pixel the number of its texture cluster. */
SOS_MUST_USE sos_status sos_label_textures(const sos_label_features *f, const sos_label_view *v, uint32_t out[],
                                           sos_error *error);

/* For every patch of 2x2 pixels that are so far apart, row by row, the number of its cluster. */
SOS_MUST_USE sos_status sos_label_edges(const sos_label_features *f, const sos_label_view *v, size_t distance, uint32_t out[],
                                        sos_error *error);

/* So many pixels of a picture of 180 x 120 in one of this size; at least 1. */
size_t sos_label_view_length(const sos_label_view *v, double pixels);

/* L, a and b of all pixels, side by side. */
const float *sos_label_view_lab(const sos_label_view *v);

#endif
