/* denoise.h - models that restore black and white drawings from noisy ones (paper, section 5.1).
 *
 * Label 1 is ink (grey 0), label 0 paper (grey 1).
 *
 *     paper   E(y) = w sum_i |x_i - grey(y_i)| + sum of one table f over all 2x2 patches: the paper's model, 16 costs of f
 *     full    E(y) = sum_i u(r_i, y_i) + sum of one table g over the 3x3 patches that are not decided by themselves
 *
 * where r_i is the response of two small networks to the neighbourhood of the pixel, u a learned function of it, piecewise
 * linear, and g is the same for turned and mirrored patches.  Networks come first; u and g are learned together, by sos_train.
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

/* What pixels know, and which cliques there are. */
typedef enum s3svm_denoise_kind {
    S3SVM_DENOISE_PAPER,           /* grey value; a table of 2x2 patches */
    S3SVM_DENOISE_FULL,            /* a function of what networks say; a table of 3x3 patches */
    S3SVM_DENOISE_ODDS_LONG_LINES, /* log odds of networks; pairs of neighbours by their turn against the local direction,
                                      tables of 7 pixels along lines, near and far */
    S3SVM_DENOISE_FAR_COUNTS,      /* for thin structures: grey value and direction; the same pairs, and learned functions of
                                      how many of 25 pixels along a line are ink */
    S3SVM_DENOISE_KIND_COUNT
} s3svm_denoise_kind;

/* Their names on the command line and in models, in the order of s3svm_denoise_kind. */
#define S3SVM_DENOISE_KINDS "paper|full|odds-long-lines|far-counts"

/* ---- a model to train ---- */

typedef struct s3svm_denoise_settings {
    size_t samples; /* pixels that the networks learn from, about */
    uint64_t seed;
    sos_work work;        /* progress is called while networks are trained */
    bool alone;           /* without features of pixels: maps of one's own (<s3svm/maps.h>) stand for them */
    uint64_t reserved[8]; /* 0 (status.h) */
} s3svm_denoise_settings;

/* 400,000 samples, seed 1, all cores, no callback. */
SOS_API s3svm_denoise_settings s3svm_denoise_defaults(void);

/* A model with its groups, weights 0, and its facts: "task" and "features", all that is needed to compute the features of a new
 * picture.  Networks are learned from count pictures and their truths (a label per pixel), classes of strengths from the
 * pictures; models of grey values alone need neither.  settings may be NULL. */
SOS_MUST_USE SOS_API sos_status s3svm_denoise_create(s3svm_denoise_kind kind, size_t count, const s3svm_plane noisy[],
                                                     const uint8_t *const truths[], const s3svm_denoise_settings *settings,
                                                     sos_model **out, sos_error *error);

/* The settings of sos_train that serve a kind best. */
SOS_API sos_train_settings s3svm_denoise_training(s3svm_denoise_kind kind);

/* ---- a model prepared for use ---- */

/* All that a model says, and its weights, read once.  It borrows nothing, never changes, and any number of threads may use it
 * at once. */
typedef struct s3svm_denoise_model s3svm_denoise_model;

/* SOS_ERR_FORMAT, with the reason, if it is no model of denoising.  Models of further kinds, which 0.2 trained and experiments
 * compare with, say of themselves what they are made of, and are read. */
SOS_MUST_USE SOS_API sos_status s3svm_denoise_model_create(const sos_model *m, s3svm_denoise_model **out, sos_error *error);
SOS_API void s3svm_denoise_model_free(s3svm_denoise_model *p); /* NULL is allowed */

/* The labels of a picture, whose grey values must be finite. */
SOS_MUST_USE SOS_API sos_status s3svm_denoise_model_predict(const s3svm_denoise_model *p, const s3svm_plane *noisy,
                                                            uint8_t labels[], sos_error *error);

/* What models see of a picture, all borrowed. */
typedef struct s3svm_denoise_input {
    const s3svm_plane *noisy;
    const s3svm_maps *maps; /* for models that have learned from such (<s3svm/maps.h>), else NULL */
    const uint8_t *truth;   /* a label per pixel, or NULL */
    uint64_t reserved[8];   /* 0 (status.h) */
} s3svm_denoise_input;

/* The labels of a picture, and a picture as an example of the model that p was made of; of models that need maps, too.
 * to_learn: with the loss that serves training best; else all errors cost alike. */
SOS_MUST_USE SOS_API sos_status s3svm_denoise_model_predict_input(const s3svm_denoise_model *p, const s3svm_denoise_input *in,
                                                                  uint8_t labels[], sos_error *error);
SOS_MUST_USE SOS_API sos_status s3svm_denoise_model_example_input(const s3svm_denoise_model *p, const s3svm_denoise_input *in,
                                                                  bool to_learn, sos_example **out, sos_error *error);

/* All of count pictures.  to_learn: with the loss that serves training best; else all errors cost alike, for judging.  examples
 * receives one each, to free; on failure there are none.  work may be NULL. */
SOS_MUST_USE SOS_API sos_status s3svm_denoise_model_examples(const s3svm_denoise_model *p, size_t count,
                                                             const s3svm_plane noisy[], const uint8_t *const truths[],
                                                             bool to_learn, const sos_work *work, sos_example *examples[],
                                                             sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
