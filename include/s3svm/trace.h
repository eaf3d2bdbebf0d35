/* trace.h - models that find thin structures in photographs and scans: vessels, cracks, wires, roads, handwriting.
 *
 * Label 1 is a structure, label 0 what is around it.
 *
 *     E(y) = sum_i (a + b r_i) y_i + sum of 2x2 tables over neighbours, by their turn against the direction of the line here
 *          + sum of tables of 2^7 costs over lines of 7 pixels, next to each other and 3 apart
 *
 * where r_i is what small networks say of the neighbourhood of the pixel.  Networks
 * come first; all costs are learned together, by sos_train, with a loss that counts missed and added pixels, and breaks of the
 * centre line.
 *
 *     s3svm_trace_create(S3SVM_TRACE_LINES, &pictures, NULL, &model, &error);
 *     s3svm_trace_model_create(model, &untrained, &error);
 *     s3svm_trace_model_examples(untrained, &pictures, true, NULL, examples, &error);
 *     settings = s3svm_trace_training();
 *     sos_train(model, count, examples, &settings, &result, &error);
 *     s3svm_trace_model_create(model, &trained, &error);
 *     s3svm_trace_model_predict(trained, &other, NULL, labels, &error);
 *     s3svm_centre_lines_find(width, height, labels, &lines, &error); */
#ifndef S3SVM_TRACE_H
#define S3SVM_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include <sos/learn.h>

#include <s3svm/image.h>
#include <s3svm/maps.h>
#include <sos/work.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which cliques there are. */
typedef enum s3svm_trace_kind {
    S3SVM_TRACE_EVIDENCE,  /* none: what networks say of each pixel */
    S3SVM_TRACE_PAIRS,     /* pairs of 8 neighbours */
    S3SVM_TRACE_LINE_PAIR, /* pairs of neighbours by their turn, and pairs along lines by their distance */
    S3SVM_TRACE_LINES,     /* the same pairs of neighbours, and tables of costs along the same lines */
    S3SVM_TRACE_KIND_COUNT
} s3svm_trace_kind;

/* Their names on the command line and in models, in the order of s3svm_trace_kind. */
#define S3SVM_TRACE_KINDS "evidence|pairs|line-pairs|lines"

/* ---- a model to train ---- */

typedef struct s3svm_trace_settings {
    size_t samples; /* pixels that the networks learn from, about */
    size_t folds;   /* networks of each stage, each of which learns from all pictures but those of its fold */
    uint64_t seed;
    sos_work work;
    bool alone;           /* without networks: maps of one's own (<s3svm/maps.h>) stand for them */
    uint64_t reserved[8]; /* 0 (status.h) */
} s3svm_trace_settings;

SOS_API s3svm_trace_settings s3svm_trace_defaults(void);

/* Pictures to learn from, all borrowed. */
typedef struct s3svm_trace_pictures {
    size_t count;
    const s3svm_image *images;    /* grey or in colour */
    const uint8_t *const *truths; /* a label for each pixel */
    const uint8_t *const *cares;  /* 0 where the label is not known; NULL, or one that is NULL: all are */
    const s3svm_maps *maps;       /* one of each picture, for models that need some; or NULL */
    uint64_t reserved[8];         /* 0 (status.h) */
} s3svm_trace_pictures;

/* A model with its groups, weights 0, and its facts.  settings may be NULL. */
SOS_MUST_USE SOS_API sos_status s3svm_trace_create(s3svm_trace_kind kind, const s3svm_trace_pictures *pictures,
                                                   const s3svm_trace_settings *settings, sos_model **out, sos_error *error);

/* The settings of sos_train that serve best. */
SOS_API sos_train_settings s3svm_trace_training(void);

/* ---- a model prepared for use ---- */

/* All that a model says, and its weights, read once.  It borrows nothing, never changes, and any number of threads may use it
 * at once. */
typedef struct s3svm_trace_model s3svm_trace_model;

SOS_MUST_USE SOS_API sos_status s3svm_trace_model_create(const sos_model *m, s3svm_trace_model **out, sos_error *error);
SOS_API void s3svm_trace_model_free(s3svm_trace_model *p); /* NULL is fine */

/* The labels of a picture; maps: of models that need some, else NULL. */
SOS_MUST_USE SOS_API sos_status s3svm_trace_model_predict(const s3svm_trace_model *p, const s3svm_image *picture,
                                                          const s3svm_maps *maps, uint8_t labels[], sos_error *error);

/* What the model sees of a picture, as an example without a truth. */
SOS_MUST_USE SOS_API sos_status s3svm_trace_model_example(const s3svm_trace_model *p, const s3svm_image *picture,
                                                          const s3svm_maps *maps, sos_example **out, sos_error *error);

/* All of the pictures that the model was created from, in their order.  to_learn: with responses of networks that have not seen
 * them, and the loss that serves training best; else as new ones, and all errors cost alike.  examples receives one each, to
 * free; on failure there are none.  work may be NULL. */
SOS_MUST_USE SOS_API sos_status s3svm_trace_model_examples(const s3svm_trace_model *p, const s3svm_trace_pictures *pictures,
                                                           bool to_learn, const sos_work *work, sos_example *examples[],
                                                           sos_error *error);

/* ---- centre lines ---- */

/* Lines of points, in pixels: (0, 0) is the middle of the upper left one.  Line l has the points from start[l] to start[l + 1].
 */
typedef struct s3svm_centre_lines {
    size_t count;
    size_t *start;
    float *x, *y, *width; /* of each point; how wide the structure is there */
} s3svm_centre_lines;

/* The centre lines of labels of 0 and 1, cut where they cross; one that is closed ends where it began.  Widths are twice the
 * distance to the nearest pixel of label 0, less 1. */
SOS_MUST_USE SOS_API sos_status s3svm_centre_lines_find(size_t width, size_t height, const uint8_t labels[],
                                                        s3svm_centre_lines *out, sos_error *error);
SOS_API void s3svm_centre_lines_free(s3svm_centre_lines *lines); /* leaves it empty; an empty one is fine */

/* As an SVG of the size of the picture, each line as wide as its mean; and as GeoJSON, a feature for each line with its mean
 * width and its length in pixels, and the width at each point.  Written by way of a temporary file and a rename. */
SOS_MUST_USE SOS_API sos_status s3svm_centre_lines_write_svg(const s3svm_centre_lines *lines, size_t width, size_t height,
                                                             const char *path, sos_error *error);
SOS_MUST_USE SOS_API sos_status s3svm_centre_lines_write_geojson(const s3svm_centre_lines *lines, const char *path,
                                                                 sos_error *error);

/* The same bytes in memory; the caller frees *text with free().  A zero byte stands behind them, which length does not count.
 */
SOS_MUST_USE SOS_API sos_status s3svm_centre_lines_encode_svg(const s3svm_centre_lines *lines, size_t width, size_t height,
                                                              char **text, size_t *length, sos_error *error);
SOS_MUST_USE SOS_API sos_status s3svm_centre_lines_encode_geojson(const s3svm_centre_lines *lines, char **text, size_t *length,
                                                                  sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
