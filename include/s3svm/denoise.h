/* denoise.h - models that restore black and white drawings from noisy ones (paper, section 5.1).
 *
 * Label 1 is ink (grey 0), label 0 paper (grey 1).
 *
 *     paper   E(y) = w sum_i |x_i - grey(y_i)| + sum of one table f over all 2x2 patches: the paper's model, 16 costs of f
 *     full    E(y) = sum_i u(r_i, y_i) + sum of one table g over the ambiguous 3x3 patches
 *
 * where r_i is the response of two small networks to the neighbourhood of the pixel, u is a learned piecewise linear function
 * of it, and g is invariant under rotation and reflection of patches.  The networks are trained first; u and g are learned
 * together, by sos_train.
 *
 *     s3svm_denoise_create(kind, count, noisy, truths, NULL, &model, &error);
 *     s3svm_denoise_model_create(model, &untrained, &error);
 *     s3svm_denoise_model_examples(untrained, count, noisy, truths, true, NULL, examples, &error);
 *     settings = s3svm_denoise_training(kind);
 *     sos_train(model, count, examples, &settings, &result, &error);
 *     s3svm_denoise_model_create(model, &trained, &error);
 *     s3svm_denoise_model_predict(trained, &other, labels, &error); */
#ifndef S3SVM_DENOISE_H
#define S3SVM_DENOISE_H

#include <stdbool.h>
#include <stdint.h>

#include <sos/learn.h>

#include <s3svm/maps.h>
#include <s3svm/plane.h>
#include <sos/work.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The features of pixels and the cliques of a model. */
typedef enum s3svm_denoise_kind {
    S3SVM_DENOISE_PAPER,           /* grey value; a table of 2x2 patches */
    S3SVM_DENOISE_FULL,            /* a function of the output of networks; a table of 3x3 patches */
    S3SVM_DENOISE_ODDS_LONG_LINES, /* log odds of networks; pairs of neighbours by their angle to the local direction, tables of
                                      7 pixels along lines, adjacent and 3 apart */
    S3SVM_DENOISE_FAR_COUNTS,      /* for thin structures: grey value and direction; the same pairs, and learned functions of
                                      the number of ink pixels among 25 along a line */
    S3SVM_DENOISE_KIND_COUNT
} s3svm_denoise_kind;

/* Their names on the command line and in models, in the order of s3svm_denoise_kind. */
#define S3SVM_DENOISE_KINDS "paper|full|odds-long-lines|far-counts"

/* ---- a model to train ---- */

typedef struct s3svm_denoise_settings {
    size_t samples; /* approximate number of pixels for training the networks */
    uint64_t seed;
    sos_work work;        /* progress is called while networks are trained */
    bool alone;           /* without features of pixels, to be used with custom maps (<s3svm/maps.h>) */
    uint64_t reserved[8]; /* 0 (status.h) */
} s3svm_denoise_settings;

/* 400,000 samples, seed 1, all cores, no callback. */
SOS_API s3svm_denoise_settings s3svm_denoise_defaults(void);

/* Creates a model with its groups, weights 0, and the facts "task" and "features", which hold everything needed to compute the
 * features of a new picture.  Networks are trained on count pictures and their truths (a label per pixel), and classes of
 * strengths are found from the pictures; models of grey values need neither.  settings may be NULL.  The caller frees *out. */
SOS_MUST_USE SOS_API sos_status s3svm_denoise_create(s3svm_denoise_kind kind, size_t count, const s3svm_plane noisy[],
                                                     const uint8_t *const truths[], const s3svm_denoise_settings *settings,
                                                     sos_model **out, sos_error *error);

/* The best settings of sos_train for a kind. */
SOS_API sos_train_settings s3svm_denoise_training(s3svm_denoise_kind kind);

/* ---- a model prepared for use ---- */

/* A model whose facts and weights are read once.  It borrows nothing and never changes; any number of threads may use it. */
typedef struct s3svm_denoise_model s3svm_denoise_model;

/* SOS_ERR_FORMAT, with the reason, if m is not a model of denoising.  Models of further kinds, which version 0.2 trained and
 * experiments use for comparison, can be read as well.  The caller frees *out. */
SOS_MUST_USE SOS_API sos_status s3svm_denoise_model_create(const sos_model *m, s3svm_denoise_model **out, sos_error *error);
SOS_API void s3svm_denoise_model_free(s3svm_denoise_model *p); /* NULL is allowed */

/* The labels of a picture, whose grey values must be finite. */
SOS_MUST_USE SOS_API sos_status s3svm_denoise_model_predict(const s3svm_denoise_model *p, const s3svm_plane *noisy,
                                                            uint8_t labels[], sos_error *error);

/* The input of a model; all borrowed. */
typedef struct s3svm_denoise_input {
    const s3svm_plane *noisy;
    const s3svm_maps *maps; /* for models trained with maps (<s3svm/maps.h>), else NULL */
    const uint8_t *truth;   /* a label per pixel, or NULL */
    uint64_t reserved[8];   /* 0 (status.h) */
} s3svm_denoise_input;

/* The labels of a picture, and the example that the model makes of it for the sos_model that p was made from; also for models
 * that need maps.  to_learn: with the loss that is best for training; otherwise all errors cost the same. */
SOS_MUST_USE SOS_API sos_status s3svm_denoise_model_predict_input(const s3svm_denoise_model *p, const s3svm_denoise_input *in,
                                                                  uint8_t labels[], sos_error *error);
SOS_MUST_USE SOS_API sos_status s3svm_denoise_model_example_input(const s3svm_denoise_model *p, const s3svm_denoise_input *in,
                                                                  bool to_learn, sos_example **out, sos_error *error);

/* The examples of count pictures; to_learn as above.  The caller frees the examples; on failure there are none.  work may be
 * NULL. */
SOS_MUST_USE SOS_API sos_status s3svm_denoise_model_examples(const s3svm_denoise_model *p, size_t count,
                                                             const s3svm_plane noisy[], const uint8_t *const truths[],
                                                             bool to_learn, const sos_work *work, sos_example *examples[],
                                                             sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
