/* label.h - models that give every pixel of a photograph one of several labels (paper, section 4.4).
 *
 *     E(y) = sum_i u(x_i, y_i)                                                     unary
 *          + sum of [y_i != y_j] (w_1 + w_2 contrast_ij) over neighbours           pairwise
 *          + sum of contrast_C g_{c, l}({pixels of C labelled l}) over labels and  tables: instead of pairs; c is the
 *            2x2 patches C of neighbours, and of pixels further apart              patch's kind and its cluster of edges
 *          + robust P^n over superpixels                                           full: besides the tables
 *
 * u is a learned function of what networks say of each label, of the cluster of texture and of the place.
 *
 *     sos_label_features_learn(&lesson, NULL, &features, &error);
 *     design = sos_label_design_of(SOS_LABEL_FULL);
 *     sos_label_create(&design, features, &names, &model, &error);
 *     sos_label_model_create(model, &prepared, &error);
 *     sos_label_model_examples(prepared, &lesson, true, 0, examples, &error);
 *     settings = sos_label_training();
 *     sos_train(model, count, examples, &settings, &result, &error);
 *     sos_label_model_free(prepared);
 *     sos_label_model_create(model, &prepared, &error);
 *     sos_label_model_predict(prepared, &other, labels, &error); */
#ifndef SOS_LABEL_LABEL_H
#define SOS_LABEL_LABEL_H

#include <sos/learn.h>
#include <sos/model.h>

#include "label/data.h"

typedef enum sos_label_kind { SOS_LABEL_UNARY, SOS_LABEL_PAIRWISE, SOS_LABEL_TABLES, SOS_LABEL_FULL } sos_label_kind;
enum { SOS_LABEL_KINDS_COUNT = 4 };

/* Their names on the command line and in models, in the order of sos_label_kind. */
#define SOS_LABEL_KINDS "unary|pairwise|tables|full"
const char *sos_label_kind_name(sos_label_kind kind);

/* ---- what an energy is made of ---- */

enum { SOS_LABEL_REACHES_MAX = 4, SOS_LABEL_REACH_MAX = 1000 };

/* A reach is how far the four pixels of a 2x2 patch are apart, in pixels of a picture of 180 x 120, and more in larger ones; 1
 * stands for neighbours in pictures of any size.  Tables are over patches, pairs over the sides of patches and, if asked for,
 * their diagonals.  Each reach has weights of its own.  Patches of neighbours are everywhere, others at every second column,
 * where they count twice. */
typedef struct sos_label_design {
    sos_label_kind kind;
    size_t reaches; /* 0: unaries alone */
    double reach[SOS_LABEL_REACHES_MAX];
    bool diagonals;  /* of pairs */
    double strength; /* what a pair or a patch without contrast counts */
} sos_label_design;

/* The usual one of a kind: pairs of neighbours, without diagonals; tables over neighbours and over pixels 8 apart. */
sos_label_design sos_label_design_of(sos_label_kind kind);
bool sos_label_design_is_usual(const sos_label_design *d);
SOS_MUST_USE sos_status sos_label_design_check(const sos_label_design *d, sos_error *error);

/* ---- what a model sees in pictures ---- */

/* Pictures with true labels to learn from, borrowed. */
typedef struct sos_label_lesson {
    size_t count, labels;
    const sos_image *pictures;    /* 3 channels */
    const uint8_t *const *truths; /* a label per pixel */
    const uint8_t *const *care;   /* 0: no label is known; NULL, or an entry of NULL: all are */
} sos_label_lesson;

/* How to learn features. */
typedef struct sos_label_learning {
    size_t clusters; /* of texture */
    size_t edges;    /* clusters of patches, by how their colours differ */
    size_t folds;    /* networks; each learns from all pictures but its share */
    size_t epochs;   /* of the networks */
    uint64_t seed;
    int threads;            /* 0: all cores; the result is the same */
    sos_progress *progress; /* or NULL */
    void *user;
} sos_label_learning;

/* 32 clusters of texture, 1 of patches, 6 networks of 20 epochs, seed 1, all cores, no callback. */
sos_label_learning sos_label_learning_defaults(void);

/* Clusters and networks, learned from pictures, that models see other pictures by. */
typedef struct sos_label_features sos_label_features;

/* With fewer pictures than networks there is one network per picture, with one picture one for all.  settings may be NULL. */
SOS_MUST_USE sos_status sos_label_features_learn(const sos_label_lesson *lesson, const sos_label_learning *settings,
                                                 sos_label_features **out, sos_error *error);
void sos_label_features_free(sos_label_features *f); /* NULL is fine */

/* A model with its groups, weights 0, and its facts, all that is needed to label a new picture.  Features and names have the
 * same number of labels. */
SOS_MUST_USE sos_status sos_label_create(const sos_label_design *design, const sos_label_features *features,
                                         const sos_label_names *names, sos_model **out, sos_error *error);

/* The settings of sos_train that serve all kinds best. */
sos_train_settings sos_label_training(void);

/* ---- a model prepared for use ---- */

/* All that a model says, and its weights, read once.  It borrows nothing, never changes, and any number of threads may use it
 * at once. */
typedef struct sos_label_model sos_label_model;

/* SOS_ERR_FORMAT, with the reason, if it is no model for labels. */
SOS_MUST_USE sos_status sos_label_model_create(const sos_model *m, sos_label_model **out, sos_error *error);
void sos_label_model_free(sos_label_model *p); /* NULL is fine */

/* Both as long as p. */
const sos_label_design *sos_label_model_design(const sos_label_model *p);
const sos_label_names *sos_label_model_names(const sos_label_model *p);

/* The labels of a picture of 3 channels. */
SOS_MUST_USE sos_status sos_label_model_predict(const sos_label_model *p, const sos_image *picture, uint8_t labels[],
                                                sos_error *error);

/* ---- examples to train on ---- */

enum { SOS_LABEL_UNSEEN = -1 };

/* A picture of 3 channels as an example of the model that p was made of; truth and care, a number per pixel, or NULL.  seen:
 * its number among the pictures that the features were learned from, or SOS_LABEL_UNSEEN. */
SOS_MUST_USE sos_status sos_label_model_example(const sos_label_model *p, const sos_image *picture, const uint8_t truth[],
                                                const uint8_t care[], int seen, sos_example **out, sos_error *error);

/* All pictures of a lesson as examples, on so many threads (0: all cores).  seen: the features were learned from them. examples
 * receives one each, to free; on failure there are none. */
SOS_MUST_USE sos_status sos_label_model_examples(const sos_label_model *p, const sos_label_lesson *lesson, bool seen,
                                                 int threads, sos_example *examples[], sos_error *error);

/* ---- results ---- */

/* What was called what, against the true labels of an item; *out is to free. */
SOS_MUST_USE sos_status sos_label_judge(const sos_label_model *p, const sos_item *item, const sos_image *labels,
                                        sos_confusion *out, sos_error *error);

#endif
