/* denoise.h - models that restore black and white drawings from noisy ones (paper, section 5.1).
 *
 * Label 1 is ink (grey 0), label 0 paper (grey 1).
 *
 *     paper   E(y) = w sum_i |x_i - grey(y_i)| + sum of one table f over all 2x2 patches: the paper's model, 16 costs of f
 *     full    E(y) = sum_i u(r_i, y_i) + sum of one table g over the 3x3 patches that are not decided by themselves
 *
 * where r_i is the response of two small networks to the neighbourhood of the pixel (response.h), u a learned function of it,
 * piecewise linear, and g is the same for turned and mirrored patches.  Networks come first; u and g are learned together, by
 * sos_train.
 *
 *     sos_denoise_create(kind, count, noisy, truths, NULL, &model, &error);
 *     for (i...) sos_denoise_example(model, &noisy[i], truths[i], &examples[i], &error);
 *     for (i...) sos_denoise_weigh(kind, examples[i], &error);
 *     settings = sos_denoise_training(kind);
 *     sos_train(model, count, examples, &settings, &result, &error);
 *     sos_denoise_predict(model, &other, labels, &error); */
#ifndef SOS_DENOISE_DENOISE_H
#define SOS_DENOISE_DENOISE_H

#include <stddef.h>
#include <stdint.h>

#include <sos/learn.h>
#include <sos/model.h>

#include <s3svm/plane.h>
#include <s3svm/work.h>

typedef enum sos_denoise_kind { SOS_DENOISE_PAPER, SOS_DENOISE_FULL } sos_denoise_kind;

/* Their names on the command line and in models, in the order of sos_denoise_kind. */
#define SOS_DENOISE_KINDS "paper|full"
const char *sos_denoise_name(sos_denoise_kind kind);

typedef struct sos_denoise_settings {
    size_t samples; /* pixels that the networks learn from, about */
    uint64_t seed;
    int threads;            /* 0: all cores; the result is the same */
    sos_progress *progress; /* or NULL; called while networks are trained */
    void *user;
} sos_denoise_settings;

/* 400,000 samples, seed 1, all cores, no callback. */
sos_denoise_settings sos_denoise_defaults(void);

/* A model with its groups, weights 0, and its facts: "task" and "features", all that is needed to compute the features of a new
 * picture.  full learns its networks from count pictures and their truths (a label per pixel); paper needs neither.  settings
 * may be NULL. */
SOS_MUST_USE sos_status sos_denoise_create(sos_denoise_kind kind, size_t count, const sos_plane noisy[],
                                           const uint8_t *const truths[], const sos_denoise_settings *settings, sos_model **out,
                                           sos_error *error);

/* Which kind a model is: SOS_ERR_FORMAT if it is none of these, with the reason. */
SOS_MUST_USE sos_status sos_denoise_kind_of(const sos_model *m, sos_denoise_kind *kind, sos_error *error);

/* A picture as an example of the model; truth, a label per pixel, or NULL. */
SOS_MUST_USE sos_status sos_denoise_example(const sos_model *m, const sos_plane *noisy, const uint8_t truth[],
                                            sos_example **out, sos_error *error);

/* The settings of sos_train that serve a kind best; and, for its examples, the loss that does.  The paper's model learns best
 * where ink that is missed costs 1.6 times as much as ink that is added: otherwise, in strong noise, the bound that training
 * minimises is least where little ink is seen at all.  Examples made anew count both alike: that is for judging. */
sos_train_settings sos_denoise_training(sos_denoise_kind kind);
SOS_MUST_USE sos_status sos_denoise_weigh(sos_denoise_kind kind, sos_example *x, sos_error *error);

/* ---- a model prepared for use ---- */

/* All that a model says, and its weights, read once.  It borrows nothing, never changes, and any number of threads may use it
 * at once. */
typedef struct sos_denoise_model sos_denoise_model;

/* SOS_ERR_FORMAT, with the reason, if it is no model of denoising. */
SOS_MUST_USE sos_status sos_denoise_model_create(const sos_model *m, sos_denoise_model **out, sos_error *error);
void sos_denoise_model_free(sos_denoise_model *p); /* NULL is fine */
sos_denoise_kind sos_denoise_model_kind(const sos_denoise_model *p);

/* A picture as an example of the model that p was made of; truth, a label per pixel, or NULL. */
SOS_MUST_USE sos_status sos_denoise_model_example(const sos_denoise_model *p, const sos_plane *noisy, const uint8_t truth[],
                                                  sos_example **out, sos_error *error);

/* All of count pictures.  to_learn: with the loss that serves training best; else all errors cost alike, for judging.  examples
 * receives one each, to free; on failure there are none.  work may be NULL. */
SOS_MUST_USE sos_status sos_denoise_model_examples(const sos_denoise_model *p, size_t count, const sos_plane noisy[],
                                                   const uint8_t *const truths[], bool to_learn, const sos_work *work,
                                                   sos_example *examples[], sos_error *error);

SOS_MUST_USE sos_status sos_denoise_model_predict(const sos_denoise_model *p, const sos_plane *noisy, uint8_t labels[],
                                                  sos_error *error);

/* ---- the same for a model that is used once ---- */

/* The labels that a trained model gives a picture. */
SOS_MUST_USE sos_status sos_denoise_predict(const sos_model *m, const sos_plane *noisy, uint8_t labels[], sos_error *error);

#endif
