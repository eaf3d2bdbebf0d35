/* label.h - models that give every pixel of a photograph one of several labels (paper, section 4.4).
 *
 *     E(y) = sum_i u(x_i, y_i)                                                     unary
 *          + sum of [y_i != y_j] (w_1 + w_2 contrast_ij) over neighbours           pairwise
 *          + sum of contrast_C g_{c, l}({pixels of C labelled l}) over labels and  tables: instead of pairs; c is the
 *            2x2 patches C of neighbours, and of pixels further apart              patch's kind and its cluster of edges
 *          + robust P^n over superpixels                                           full: in addition to tables
 *
 *          + a learned concave function, for each label, of its share in           counts: in addition to pairs
 *            superpixels of several sizes, one being the whole picture
 *
 * u is a learned function of the output of networks for each label, of the cluster of texture and of the position.
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
 * examples/label.c is a complete program. */
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

/* Names and colours of labels. */
typedef struct s3svm_label_names {
    size_t count; /* 2 or more */
    char name[SOS_LABELS_MAX][S3SVM_LABEL_NAME];
    uint32_t colour[SOS_LABELS_MAX]; /* 0xRRGGBB */
    int unknown;                     /* the number of unlabelled pixels in label pictures; -1: none */
    uint64_t reserved[8];            /* 0 (status.h) */
} s3svm_label_names;

/* The names "label 0" and so on, with colours that are easy to tell apart; unknown is S3SVM_LABEL_VOID. */
SOS_MUST_USE SOS_API sos_status s3svm_label_names_default(size_t count, s3svm_label_names *out, sos_error *error);

/* Parses names such as "sky=8080ff,grass,water=#0000ff"; those without a colour get one. */
SOS_MUST_USE SOS_API sos_status s3svm_label_names_parse(const char *text, s3svm_label_names *out, sos_error *error);

/* ---- terms of the energy ---- */

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

/* A reach is the distance between the four pixels of a 2x2 patch, in pixels of a picture of 180 x 120; it is scaled for larger
 * pictures.  1 stands for neighbours in pictures of any size.  Tables are over patches, pairs over the sides of patches and,
 * optionally, their diagonals.  Each reach has its own weights.  Patches of neighbours are at every pixel, others at every
 * second column, where they count twice. */
typedef struct s3svm_label_design {
    s3svm_label_kind kind;
    size_t reaches;                        /* 0: unary costs only */
    double reach[S3SVM_LABEL_REACHES_MAX]; /* increasing, from 1 to at most S3SVM_LABEL_REACH_MAX */
    bool diagonals;                        /* of pairs */
    double strength;                       /* weight of a pair or a patch without contrast; positive */
    uint64_t reserved[8];                  /* 0 (status.h) */
} s3svm_label_design;

/* The default of a kind: pairs of neighbours, without diagonals; tables over neighbours and over pixels 8 apart. */
SOS_API s3svm_label_design s3svm_label_design_of(s3svm_label_kind kind);

/* ---- features ---- */

/* Pictures with true labels, for training; all borrowed. */
typedef struct s3svm_label_pictures {
    size_t count, labels;
    const s3svm_image *pictures;  /* 3 channels */
    const uint8_t *const *truths; /* a label per pixel; may be NULL, or have NULL entries, for examples to predict */
    const uint8_t *const *care;   /* 0 for pixels without a known label; NULL, or a NULL entry: all are known */
    const double *weights;        /* weight of an error at a pixel of each label, positive; NULL: all 1 */
    const s3svm_maps *maps;       /* of each picture, for models trained with maps (<s3svm/maps.h>); NULL: none */
    uint64_t reserved[8];         /* 0 (status.h) */
} s3svm_label_pictures;

/* Weights with which all labels have the same total weight, however rare: pixels / (number of labels that occur * pixels of the
 * label), and 1 for labels that do not occur. */
SOS_API void s3svm_label_balance(size_t labels, const size_t counts[], double weights[]);

/* Settings for learning features. */
typedef struct s3svm_label_learning {
    size_t clusters; /* of texture */
    size_t edges;    /* clusters of patches, by how their colours differ */
    size_t folds;    /* number of networks; each is trained on all pictures except those of its fold */
    size_t epochs;   /* of training the networks */
    uint64_t seed;
    sos_work work;
    bool alone;           /* without textures and networks, to be used with custom maps (<s3svm/maps.h>) */
    uint64_t reserved[8]; /* 0 (status.h) */
} s3svm_label_learning;

/* 32 clusters of texture, 1 of patches, 6 networks of 20 epochs, seed 1, all cores, no callback. */
SOS_API s3svm_label_learning s3svm_label_learning_defaults(void);

/* Clusters and networks, learned from pictures, from which features of pictures are computed. */
typedef struct s3svm_label_features s3svm_label_features;

/* Learns features.  With fewer pictures than folds there is one network per picture, and with one picture a single network.
 * settings may be NULL.  The caller frees *out. */
SOS_MUST_USE SOS_API sos_status s3svm_label_features_learn(const s3svm_label_pictures *pictures,
                                                           const s3svm_label_learning *settings, s3svm_label_features **out,
                                                           sos_error *error);
SOS_API void s3svm_label_features_free(s3svm_label_features *f); /* NULL is allowed */

/* ---- a model to train ---- */

/* Creates a model with its groups, weights 0, and its facts, which hold everything needed to label a new picture.  features and
 * names must have the same number of labels.  Everything is copied.  The caller frees *out. */
SOS_MUST_USE SOS_API sos_status s3svm_label_create(const s3svm_label_design *design, const s3svm_label_features *features,
                                                   const s3svm_label_names *names, sos_model **out, sos_error *error);

/* The best settings of sos_train for all kinds. */
SOS_API sos_train_settings s3svm_label_training(void);

/* ---- a model prepared for use ---- */

/* A model whose facts and weights are read once.  It borrows nothing and never changes; any number of threads may use it. */
typedef struct s3svm_label_model s3svm_label_model;

/* SOS_ERR_FORMAT, with the reason, if m is not a model of this task.  The caller frees *out. */
SOS_MUST_USE SOS_API sos_status s3svm_label_model_create(const sos_model *m, s3svm_label_model **out, sos_error *error);
SOS_API void s3svm_label_model_free(s3svm_label_model *p); /* NULL is allowed */

/* Both are valid until p is freed. */
SOS_API const s3svm_label_design *s3svm_label_model_design(const s3svm_label_model *p);
SOS_API const s3svm_label_names *s3svm_label_model_names(const s3svm_label_model *p);

/* The labels of a picture of 3 channels, a number per pixel. */
SOS_MUST_USE SOS_API sos_status s3svm_label_model_predict(const s3svm_label_model *p, const s3svm_image *picture,
                                                          uint8_t labels[], sos_error *error);

/* The input of a model; all borrowed. */
typedef struct s3svm_label_input {
    const s3svm_image *picture; /* 3 channels */
    const s3svm_maps *maps;     /* for models trained with maps, else NULL */
    uint64_t reserved[8];       /* 0 (status.h) */
} s3svm_label_input;

/* The same, also for models that need maps. */
SOS_MUST_USE SOS_API sos_status s3svm_label_model_predict_input(const s3svm_label_model *p, const s3svm_label_input *in,
                                                                uint8_t labels[], sos_error *error);

/* ---- examples to train on ---- */

/* Makes an example from picture i, with its true labels, for the sos_model that p was made from.  seen: the features were
 * learned from these pictures; then the network is used that was not trained on this one.  The caller frees *out. */
SOS_MUST_USE SOS_API sos_status s3svm_label_model_example(const s3svm_label_model *p, const s3svm_label_pictures *pictures,
                                                          size_t i, bool seen, sos_example **out, sos_error *error);

/* Makes the examples of all pictures.  The caller frees the examples; on failure there are none.  mine, if not NULL, says which
 * examples to make; the others are NULL.  work may be NULL. */
SOS_MUST_USE SOS_API sos_status s3svm_label_model_examples(const s3svm_label_model *p, const s3svm_label_pictures *pictures,
                                                           bool seen, const bool mine[], const sos_work *work,
                                                           sos_example *examples[], sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
