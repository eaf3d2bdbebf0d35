/* label.h - models that give every pixel of a photograph one of several labels (paper, section 4.4).
 *
 *     E(y) = sum_i u(x_i, y_i)                                                     unary
 *          + sum of [y_i != y_j] (w_1 + w_2 contrast_ij) over neighbours           pairwise
 *          + sum of contrast_C g_{c, l}({pixels of C labelled l}) over labels and  tables: instead of pairs; c is the
 *            2x2 patches C of neighbours, and of pixels further apart              patch's kind and its cluster of edges
 *          + robust P^n over superpixels                                           full: besides the tables
 *
 *          + a learned concave function, for each label, of the share that has    counts: besides pairs of neighbours
 *            it, over superpixels of several sizes, the whole picture being one
 *
 * u is a learned function of what networks say of each label, of the cluster of texture and of the place.
 *
 *     s3svm_label_features_learn(&pictures, NULL, &features, &error);
 *     design = s3svm_label_design_of(S3SVM_LABEL_FULL);
 *     s3svm_label_create(&design, features, &names, &model, &error);
 *     s3svm_label_model_create(model, &prepared, &error);
 *     s3svm_label_model_examples(prepared, &pictures, true, NULL, NULL, examples, &error);
 *     settings = s3svm_label_training();
 *     sos_train(model, count, examples, &settings, &result, &error);
 *     s3svm_label_model_free(prepared);
 *     s3svm_label_model_create(model, &prepared, &error);   now with the weights
 *     s3svm_label_model_predict(prepared, &other, labels, &error);
 *
 * examples/label.c is that as a program. */
#ifndef S3SVM_LABEL_H
#define S3SVM_LABEL_H

#include <sos/learn.h>
#include <sos/model.h>

#include <s3svm/image.h>
#include <s3svm/maps.h>
#include <sos/work.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- labels ---- */

enum { S3SVM_LABEL_NAME = 64, S3SVM_LABEL_VOID = 255 };

/* Labels as people know them. */
typedef struct s3svm_label_names {
    size_t count; /* 2 or more */
    char name[SOS_LABELS_MAX][S3SVM_LABEL_NAME];
    uint32_t colour[SOS_LABELS_MAX]; /* 0xRRGGBB */
    int unknown;                     /* the number in pictures that stands for no label; -1: none does */
    uint64_t reserved[8];            /* 0 (status.h) */
} s3svm_label_names;

/* "label 0" and so on, in colours that are easy to tell apart; S3SVM_LABEL_VOID stands for no label. */
SOS_MUST_USE SOS_API sos_status s3svm_label_names_default(size_t count, s3svm_label_names *out, sos_error *error);

/* Names from a text such as "sky=8080ff,grass,water=#0000ff"; those without a colour get one. */
SOS_MUST_USE SOS_API sos_status s3svm_label_names_parse(const char *text, s3svm_label_names *out, sos_error *error);

/* ---- what an energy is made of ---- */

typedef enum s3svm_label_kind {
    S3SVM_LABEL_UNARY,
    S3SVM_LABEL_PAIRWISE,
    S3SVM_LABEL_TABLES,
    S3SVM_LABEL_FULL,
    S3SVM_LABEL_COUNTS,
    S3SVM_LABEL_KINDS_COUNT
} s3svm_label_kind;

/* Their names on the command line and in models, in the order of s3svm_label_kind. */
#define S3SVM_LABEL_KINDS "unary|pairwise|tables|full|counts"

enum { S3SVM_LABEL_REACHES_MAX = 4, S3SVM_LABEL_REACH_MAX = 1000 };

/* A reach is how far the four pixels of a 2x2 patch are apart, in pixels of a picture of 180 x 120, and more in larger ones; 1
 * stands for neighbours in pictures of any size.  Tables are over patches, pairs over the sides of patches and, if asked for,
 * their diagonals.  Each reach has weights of its own.  Patches of neighbours are everywhere, others at every second column,
 * where they count twice. */
typedef struct s3svm_label_design {
    s3svm_label_kind kind;
    size_t reaches;                        /* 0: unaries alone */
    double reach[S3SVM_LABEL_REACHES_MAX]; /* increasing, from 1 to at most S3SVM_LABEL_REACH_MAX */
    bool diagonals;                        /* of pairs */
    double strength;                       /* what a pair or a patch without contrast counts; positive */
    uint64_t reserved[8];                  /* 0 (status.h) */
} s3svm_label_design;

/* The usual one of a kind: pairs of neighbours, without diagonals; tables over neighbours and over pixels 8 apart. */
SOS_API s3svm_label_design s3svm_label_design_of(s3svm_label_kind kind);

/* ---- what a model sees in pictures ---- */

/* Pictures with true labels to learn from, borrowed. */
typedef struct s3svm_label_pictures {
    size_t count, labels;
    const s3svm_image *pictures;  /* 3 channels */
    const uint8_t *const *truths; /* a label per pixel; NULL, or an entry of NULL: only for examples to predict */
    const uint8_t *const *care;   /* 0: no label is known; NULL, or an entry of NULL: all are */
    const double *weights;        /* what an error at a pixel of each label counts, positive; NULL: all 1 */
    const s3svm_maps *maps;       /* of each picture, for models that have learned from such (<s3svm/maps.h>); NULL: none */
    uint64_t reserved[8];         /* 0 (status.h) */
} s3svm_label_pictures;

/* Weights with which all labels together count alike, however rare: pixels / (labels that there are * pixels of the label), and
 * 1 for labels that there are not. */
SOS_API void s3svm_label_balance(size_t labels, const size_t counts[], double weights[]);

/* How to learn features. */
typedef struct s3svm_label_learning {
    size_t clusters; /* of texture */
    size_t edges;    /* clusters of patches, by how their colours differ */
    size_t folds;    /* networks; each learns from all pictures but its share */
    size_t epochs;   /* of the networks */
    uint64_t seed;
    sos_work work;
    bool alone;           /* without textures and networks: maps of one's own (<s3svm/maps.h>) stand for them */
    uint64_t reserved[8]; /* 0 (status.h) */
} s3svm_label_learning;

/* 32 clusters of texture, 1 of patches, 6 networks of 20 epochs, seed 1, all cores, no callback. */
SOS_API s3svm_label_learning s3svm_label_learning_defaults(void);

/* Clusters and networks, learned from pictures, that models see other pictures by. */
typedef struct s3svm_label_features s3svm_label_features;

/* With fewer pictures than networks there is one network per picture, with one picture one for all.  settings may be NULL. */
SOS_MUST_USE SOS_API sos_status s3svm_label_features_learn(const s3svm_label_pictures *pictures,
                                                           const s3svm_label_learning *settings, s3svm_label_features **out,
                                                           sos_error *error);
SOS_API void s3svm_label_features_free(s3svm_label_features *f); /* NULL is allowed */

/* ---- a model to train ---- */

/* A model with its groups, weights 0, and its facts, all that is needed to label a new picture.  Features and names have the
 * same number of labels.  Everything is copied. */
SOS_MUST_USE SOS_API sos_status s3svm_label_create(const s3svm_label_design *design, const s3svm_label_features *features,
                                                   const s3svm_label_names *names, sos_model **out, sos_error *error);

/* The settings of sos_train that serve all kinds best. */
SOS_API sos_train_settings s3svm_label_training(void);

/* ---- a model prepared for use ---- */

/* All that a model says, and its weights, read once.  It borrows nothing, never changes, and any number of threads may use it
 * at once. */
typedef struct s3svm_label_model s3svm_label_model;

/* SOS_ERR_FORMAT, with the reason, if it is no model for labels. */
SOS_MUST_USE SOS_API sos_status s3svm_label_model_create(const sos_model *m, s3svm_label_model **out, sos_error *error);
SOS_API void s3svm_label_model_free(s3svm_label_model *p); /* NULL is allowed */

/* Both as long as p. */
SOS_API const s3svm_label_design *s3svm_label_model_design(const s3svm_label_model *p);
SOS_API const s3svm_label_names *s3svm_label_model_names(const s3svm_label_model *p);

/* The labels of a picture of 3 channels, a number per pixel. */
SOS_MUST_USE SOS_API sos_status s3svm_label_model_predict(const s3svm_label_model *p, const s3svm_image *picture,
                                                          uint8_t labels[], sos_error *error);

/* What models see of a picture, all borrowed. */
typedef struct s3svm_label_input {
    const s3svm_image *picture; /* 3 channels */
    const s3svm_maps *maps;     /* for models that have learned from such, else NULL */
    uint64_t reserved[8];       /* 0 (status.h) */
} s3svm_label_input;

/* The same for models that need maps, too. */
SOS_MUST_USE SOS_API sos_status s3svm_label_model_predict_input(const s3svm_label_model *p, const s3svm_label_input *in,
                                                                uint8_t labels[], sos_error *error);

/* ---- examples to train on ---- */

/* The i-th of some pictures as an example, with its true labels, of the model that p was made of.  seen: its features were
 * learned from these pictures; then the network that has not seen this one is asked. */
SOS_MUST_USE SOS_API sos_status s3svm_label_model_example(const s3svm_label_model *p, const s3svm_label_pictures *pictures,
                                                          size_t i, bool seen, sos_example **out, sos_error *error);

/* All of them.  examples receives one each, to free; on failure there are none.  mine, if not NULL, says which to make: the
 * others are not looked at, and NULL. work may be NULL. */
SOS_MUST_USE SOS_API sos_status s3svm_label_model_examples(const s3svm_label_model *p, const s3svm_label_pictures *pictures,
                                                           bool seen, const bool mine[], const sos_work *work,
                                                           sos_example *examples[], sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
