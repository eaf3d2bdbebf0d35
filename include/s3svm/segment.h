/* segment.h - models that tell an object from its background in a photograph, from a few marks (paper, section 5.2).
 *
 * Label 1 is the object.  What a pixel looks like is judged by features, a weight for each and for each label:
 *
 *     paper   colour mixtures of the marks, distances from them, and which clusters of 3x3 colours lie under them
 *     full    what networks make of maps of many kinds, and GrabCut's mixtures, each as a learned function that is piecewise
 *             linear
 *
 * and how labels of neighbours depend on each other by the method:
 *
 *     amn      pairs of neighbours that differ cost a constant and a part that falls with their contrast (S3SVM-AMN)
 *     s3svm    a table of 16 costs over patches of 2x2 pixels, one for each of 50 clusters of their gradients (S3SVM)
 *     counts   the pairs of amn, and regions, superpixels of several sizes and sets of pixels of similar colours, each of
 *              which costs a learned concave function of the share of its pixels that is object
 *
 *     s3svm_segment_create(&settings, count, photographs, &model, &error);
 *     s3svm_segment_model_create(model, &prepared, &error);
 *     s3svm_segment_model_examples(prepared, count, photographs, NULL, NULL, NULL, examples, &error);
 *     training = s3svm_segment_training(settings.features, settings.method);
 *     sos_train(model, count, examples, &training, &result, &error);
 *     s3svm_segment_model_free(prepared);
 *
 * A trained model with its facts is a file as any model is (<sos/model.h>); <s3svm/embedded.h> has models that are trained, and
 * <s3svm/segmenter.h> finds the labels of photographs with any of them. */
#ifndef S3SVM_SEGMENT_H
#define S3SVM_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sos/learn.h>
#include <sos/model.h>

#include <s3svm/dataset.h>
#include <s3svm/maps.h>
#include <s3svm/marks.h>
#include <sos/work.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Labels. */
enum { S3SVM_SEGMENT_BACKGROUND, S3SVM_SEGMENT_OBJECT, S3SVM_SEGMENT_LABELS };

typedef enum s3svm_segment_features {
    S3SVM_SEGMENT_PAPER,
    S3SVM_SEGMENT_FULL,
    S3SVM_SEGMENT_NONE /* but the marks and a constant: maps of one's own (<s3svm/maps.h>) stand for the others */
} s3svm_segment_features;
typedef enum s3svm_segment_method {
    S3SVM_SEGMENT_AMN,
    S3SVM_SEGMENT_S3SVM,
    S3SVM_SEGMENT_COUNTS,
    S3SVM_SEGMENT_METHODS
} s3svm_segment_method;

/* Their names on the command line and in models, in the order of the enumerations; S3SVM_SEGMENT_NONE is "none". */
#define S3SVM_SEGMENT_FEATURES_NAMES "paper|full"
#define S3SVM_SEGMENT_METHOD_NAMES   "amn|s3svm|counts"
SOS_API const char *s3svm_segment_features_name(s3svm_segment_features features);
SOS_API const char *s3svm_segment_method_name(s3svm_segment_method method);

/* ---- photographs ---- */

/* A photograph of 3 channels with marks of its size: S3SVM_MARK_NONE, _OBJECT and _BACKGROUND. */
typedef struct s3svm_marked {
    s3svm_image photograph, marks;
    uint8_t *truth;       /* labels, or NULL; the unsure band counts as background */
    uint8_t *care;        /* 0 in the unsure band, else 1; NULL where truth is */
    s3svm_maps maps;      /* of one's own, for models that have learned from such (<s3svm/maps.h>) */
    uint64_t reserved[8]; /* 0 */
} s3svm_marked;

SOS_API void s3svm_marked_free(s3svm_marked *m); /* leaves it empty; freeing an empty one does nothing */

/* Reduces it to a pixel for each block of factor by factor pixels: colours become their means; any mark of object or
 * background marks its block; of the truth the middles stay; maps become their means. */
SOS_MUST_USE SOS_API sos_status s3svm_marked_shrink(s3svm_marked *m, size_t factor, sos_error *error);

/* ---- models ---- */

typedef struct s3svm_segment_settings {
    s3svm_segment_features features;
    s3svm_segment_method method;
    size_t samples; /* pixels of each photograph that networks learn from */
    uint64_t seed;
    const char *cache;    /* a folder, which is there, where clusters and networks are kept and found again; or NULL */
    sos_work work;        /* its callback is called from any thread, by one at a time */
    double relations;     /* how many times more a weight between pixels counts than one of a pixel, so that it costs so much
                             less, squared, in training; 0: 1 for pairs, 4 for others, the best on validation pictures */
    bool dialogues;       /* full features: learn from simulated dialogues about the photographs, marks of their own being one
                             way to begin; their marks may be empty */
    uint64_t reserved[8]; /* 0 */
} s3svm_segment_settings;

/* full, s3svm, 2,500 samples, seed 1, all cores, no callback. */
SOS_API s3svm_segment_settings s3svm_segment_defaults(void);

/* A model with its groups, weights 0, and its facts: "task" and "features", all that is needed to compute the features of a new
 * photograph: clusters, bins and networks, learned from count photographs with truths.  settings may be NULL. */
SOS_MUST_USE SOS_API sos_status s3svm_segment_create(const s3svm_segment_settings *settings, size_t count,
                                                     const s3svm_marked photographs[], sos_model **out, sos_error *error);

/* Teaches a model with full features, whose weights are trained, to look at outlines again: the pixels near the outline of the
 * labels that it finds are decided once more, at full resolution, by colours and edges close by.  It learns from the model's
 * own labels for count photographs with truths, best those that the model has learned from, and sets the fact "outline" of m.
 * cache: as in the settings; work may be NULL. */
SOS_MUST_USE SOS_API sos_status s3svm_segment_outline_learn(sos_model *m, size_t count, const s3svm_marked photographs[],
                                                            const char *cache, const sos_work *work, sos_error *error);

/* The settings of sos_train that serve a kind best, and the values of C to choose from, which increase. */
SOS_API sos_train_settings s3svm_segment_training(s3svm_segment_features features, s3svm_segment_method method);
enum { S3SVM_SEGMENT_CS = 4 };
SOS_API const double *s3svm_segment_cs(s3svm_segment_features features, s3svm_segment_method method);

/* ---- a model prepared for use ---- */

/* All that a model says, and its weights, read once.  It borrows nothing, never changes, and any number of threads may use it
 * at once. */
typedef struct s3svm_segment_model s3svm_segment_model;

/* SOS_ERR_FORMAT, with the reason, if it is no model of segmentation or not whole. */
SOS_MUST_USE SOS_API sos_status s3svm_segment_model_create(const sos_model *m, s3svm_segment_model **out, sos_error *error);
SOS_API void s3svm_segment_model_free(s3svm_segment_model *p); /* NULL is allowed */

SOS_API s3svm_segment_features s3svm_segment_model_features(const s3svm_segment_model *p);
SOS_API s3svm_segment_method s3svm_segment_model_method(const s3svm_segment_model *p);

/* ---- examples to train on ---- */

/* Where a dialogue stands: the marks of the last step alone, and the labels that were found before it, NULL if it was the
 * first. */
typedef struct s3svm_segment_moment {
    const s3svm_image *last;
    const uint8_t *before;
} s3svm_segment_moment;

/* What features are computed from. */
typedef struct s3svm_segment_input {
    const s3svm_image *photograph;      /* 3 channels */
    const s3svm_image *marks;           /* of its size: S3SVM_MARK_NONE, _OBJECT and _BACKGROUND */
    int threads;                        /* 0: all cores; the results are the same */
    const char *cache;                  /* a folder, which is there, where features are kept and found again; or NULL */
    const s3svm_maps *maps;             /* for models that have learned from such, else NULL */
    const s3svm_segment_moment *moment; /* of a dialogue, for models that have learned from such; NULL: it was one step */
    uint64_t reserved[8];               /* 0 */
} s3svm_segment_input;

/* A marked photograph as an example of the model that p was made of; truth, a label per pixel, or NULL; pixels whose care is 0
 * cost nothing (NULL: all count). */
SOS_MUST_USE SOS_API sos_status s3svm_segment_model_example(const s3svm_segment_model *p, const s3svm_segment_input *in,
                                                            const uint8_t truth[], const uint8_t care[], sos_example **out,
                                                            sos_error *error);

/* All of count photographs with truths, of which all pixels count; examples receives them.  On failure there are none.  cache:
 * as above; mine, if not NULL, says which to make: the others are not looked at, and NULL; work may be NULL. */
SOS_MUST_USE SOS_API sos_status s3svm_segment_model_examples(const s3svm_segment_model *p, size_t count,
                                                             const s3svm_marked photographs[], const char *cache,
                                                             const bool mine[], const sos_work *work, sos_example *examples[],
                                                             sos_error *error);

/* Moments of simulated dialogues about count photographs with truths (<s3svm/simulate.h>), for a model that learns from such:
 * S3SVM_SEGMENT_MOMENTS of each, side by side.  The photographs' own marks, where there are some, are the first one.  mine
 * as above, one for each photograph. */
enum { S3SVM_SEGMENT_MOMENTS = 2 };
SOS_MUST_USE SOS_API sos_status s3svm_segment_model_dialogues(const s3svm_segment_model *p, size_t count,
                                                              const s3svm_marked photographs[], uint64_t seed,
                                                              const bool mine[], const sos_work *work, sos_example *examples[],
                                                              sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
