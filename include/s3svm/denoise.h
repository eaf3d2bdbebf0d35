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
 *     sos_denoise_create(kind, count, noisy, truths, NULL, &model, &error);
 *     sos_denoise_model_create(model, &untrained, &error);
 *     sos_denoise_model_examples(untrained, count, noisy, truths, true, NULL, examples, &error);
 *     settings = sos_denoise_training(kind);
 *     sos_train(model, count, examples, &settings, &result, &error);
 *     sos_denoise_model_create(model, &trained, &error);
 *     sos_denoise_model_predict(trained, &other, labels, &error); */
#ifndef S3SVM_DENOISE_H
#define S3SVM_DENOISE_H

#include <stdbool.h>
#include <stdint.h>

#include <sos/learn.h>

#include <s3svm/maps.h>
#include <s3svm/plane.h>
#include <s3svm/work.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What pixels know, and which cliques there are.  "direction": where and how clearly a line runs in the blurred picture. */
typedef enum sos_denoise_kind {
    SOS_DENOISE_PAPER,                 /* grey value; tables of 2x2 patches */
    SOS_DENOISE_FULL,                  /* a function of what networks say; a table of 3x3 patches */
    SOS_DENOISE_PAIRS4,                /* grey value; pairs of 4 neighbours */
    SOS_DENOISE_PAIRS8,                /* grey value; pairs of 8 neighbours, which are all pairs of a 2x2 patch */
    SOS_DENOISE_KEYED,                 /* grey value and direction; pairs of 8 neighbours by their turn against it */
    SOS_DENOISE_LINE_PAIRS,            /* the same, and all pairs of the pixels of lines, a weight for each distance */
    SOS_DENOISE_LINE_PAIR_TABLES,      /* the same with a table for each distance */
    SOS_DENOISE_LINES,                 /* keyed pairs, and tables of the same lines */
    SOS_DENOISE_LONG_LINE_PAIRS,       /* as line-pairs, and all pairs of every third pixel of lines three times as long */
    SOS_DENOISE_LONG_LINE_PAIR_TABLES, /* the same with a table for each distance */
    SOS_DENOISE_LONG_LINES,            /* as lines, and tables of the same pixels of the longer lines */
    SOS_DENOISE_ODDS_PAIRS,            /* log odds of networks, one weight; pairs of 8 neighbours */
    SOS_DENOISE_ODDS_LINE_PAIRS,       /* the same with keyed pairs and all pairs of lines */
    SOS_DENOISE_ODDS_LINES,            /* the same with keyed pairs and tables of lines */
    SOS_DENOISE_ODDS_LONG_LINE_PAIRS,  /* and all pairs of longer lines, on networks */
    SOS_DENOISE_ODDS_LONG_LINES,       /* and tables of longer lines, on networks */
    SOS_DENOISE_FAR_UNARIES,           /* for thin structures: grey value and direction; no cliques */
    SOS_DENOISE_FAR_KEYED,             /* the same; pairs of 8 neighbours by their turn against the direction */
    SOS_DENOISE_FAR_PAIRS,             /* and all pairs of the pixels of long lines, a weight for each distance */
    SOS_DENOISE_FAR_ROBUST,            /* or robust P^n on the same lines */
    SOS_DENOISE_FAR_COUNTS,            /* or learned functions of how many of their pixels are ink */
    SOS_DENOISE_KIND_COUNT
} sos_denoise_kind;

/* Their names on the command line and in models, in the order of sos_denoise_kind. */
#define SOS_DENOISE_KINDS                                                                                                      \
    "paper|full|pairs4|pairs8|keyed|line-pairs|line-pair-tables|lines|long-line-pairs|"                                        \
    "long-line-pair-tables|long-lines|odds-pairs|odds-line-pairs|odds-lines|odds-long-line-pairs|odds-long-lines|"             \
    "far-unaries|far-keyed|far-pairs|far-robust|far-counts"
SOS_API const char *sos_denoise_name(sos_denoise_kind kind);

/* ---- a model to train ---- */

typedef struct sos_denoise_settings {
    size_t samples; /* pixels that the networks learn from, about */
    uint64_t seed;
    int threads;            /* 0: all cores; the result is the same */
    sos_progress *progress; /* or NULL; called while networks are trained */
    void *user;
    bool alone;           /* without features of pixels: maps of one's own (<s3svm/maps.h>) stand for them */
    uint64_t reserved[7]; /* 0 (status.h) */
} sos_denoise_settings;

/* 400,000 samples, seed 1, all cores, no callback. */
SOS_API sos_denoise_settings sos_denoise_defaults(void);

/* A model with its groups, weights 0, and its facts: "task" and "features", all that is needed to compute the features of a new
 * picture.  Networks are learned from count pictures and their truths (a label per pixel), classes of strengths from the
 * pictures; models of grey values alone need neither.  settings may be NULL. */
SOS_MUST_USE SOS_API sos_status sos_denoise_create(sos_denoise_kind kind, size_t count, const sos_plane noisy[],
                                                   const uint8_t *const truths[], const sos_denoise_settings *settings,
                                                   sos_model **out, sos_error *error);

/* The settings of sos_train that serve a kind best. */
SOS_API sos_train_settings sos_denoise_training(sos_denoise_kind kind);

/* ---- a model prepared for use ---- */

/* All that a model says, and its weights, read once.  It borrows nothing, never changes, and any number of threads may use it
 * at once. */
typedef struct sos_denoise_model sos_denoise_model;

/* SOS_ERR_FORMAT, with the reason, if it is no model of denoising. */
SOS_MUST_USE SOS_API sos_status sos_denoise_model_create(const sos_model *m, sos_denoise_model **out, sos_error *error);
SOS_API void sos_denoise_model_free(sos_denoise_model *p); /* NULL is fine */
SOS_API sos_denoise_kind sos_denoise_model_kind(const sos_denoise_model *p);

/* The labels of a picture, whose grey values must be finite. */
SOS_MUST_USE SOS_API sos_status sos_denoise_model_predict(const sos_denoise_model *p, const sos_plane *noisy, uint8_t labels[],
                                                          sos_error *error);

/* A picture as an example of the model that p was made of; truth, a label per pixel, or NULL. */
SOS_MUST_USE SOS_API sos_status sos_denoise_model_example(const sos_denoise_model *p, const sos_plane *noisy,
                                                          const uint8_t truth[], sos_example **out, sos_error *error);

/* What models see of a picture, all borrowed. */
typedef struct sos_denoise_input {
    const sos_plane *noisy;
    const sos_maps *maps; /* for models that have learned from such (<s3svm/maps.h>), else NULL */
    const uint8_t *truth; /* a label per pixel, or NULL */
    uint64_t reserved[8]; /* 0 (status.h) */
} sos_denoise_input;

/* The same for models that need maps, too.  to_learn: with the loss that serves training best; else all errors cost alike. */
SOS_MUST_USE SOS_API sos_status sos_denoise_model_predict_input(const sos_denoise_model *p, const sos_denoise_input *in,
                                                                uint8_t labels[], sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_denoise_model_example_input(const sos_denoise_model *p, const sos_denoise_input *in,
                                                                bool to_learn, sos_example **out, sos_error *error);

/* All of count pictures.  to_learn: with the loss that serves training best; else all errors cost alike, for judging.  examples
 * receives one each, to free; on failure there are none.  work may be NULL. */
SOS_MUST_USE SOS_API sos_status sos_denoise_model_examples(const sos_denoise_model *p, size_t count, const sos_plane noisy[],
                                                           const uint8_t *const truths[], bool to_learn, const sos_work *work,
                                                           sos_example *examples[], sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
