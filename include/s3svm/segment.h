/* segment.h - models that separate an object from its background in a photograph, given a few marks (paper, section 5.2).
 *
 * Label 1 is the object.  Unary costs are linear in features, with a weight for each feature and label:
 *
 *     paper   colour mixtures of the marked pixels, distances from them, and the clusters of 3x3 colours that occur among them
 *     full    the output of networks on maps of many kinds, and GrabCut's mixtures, each as a learned piecewise linear function
 *
 * and the method determines the terms between pixels:
 *
 *     amn      pairs of neighbours with different labels cost a constant and a term that decreases with contrast (S3SVM-AMN)
 *     s3svm    a table of 16 costs over patches of 2x2 pixels, one for each of 50 clusters of their gradients (S3SVM)
 *     counts   the pairs of amn, and regions: superpixels of several sizes and sets of pixels of similar colours, each of
 *              which costs a learned concave function of the share of its pixels that is object
 *
 *     s3svm_segment_create(&settings, count, photographs, &model, &error);
 *     s3svm_segment_model_create(model, &prepared, &error);
 *     s3svm_segment_model_examples(prepared, count, photographs, NULL, NULL, NULL, examples, &error);
 *     training = s3svm_segment_training(settings.features, settings.method);
 *     sos_train(model, count, examples, &training, &result, &error);
 *     s3svm_segment_model_free(prepared);
 *
 * A trained model is written and read like any other (<sos/model.h>); <s3svm/embedded.h> has trained models, and
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
    S3SVM_SEGMENT_NONE /* only the marks and a constant, to be used with custom maps (<s3svm/maps.h>) */
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
    uint8_t *truth;       /* labels, or NULL; unsure pixels are background */
    uint8_t *care;        /* 0 for unsure pixels, else 1; NULL if truth is NULL */
    s3svm_maps maps;      /* custom maps, for models trained with maps (<s3svm/maps.h>), or evidence */
    uint64_t reserved[8]; /* 0 */
} s3svm_marked;

SOS_API void s3svm_marked_free(s3svm_marked *m); /* leaves it empty; freeing an empty one does nothing */

/* Reduces each block of factor by factor pixels to one pixel: colours and maps are averaged; a block is marked if any of its
 * pixels is; the truth is that of the middle pixel. */
SOS_MUST_USE SOS_API sos_status s3svm_marked_shrink(s3svm_marked *m, size_t factor, sos_error *error);

/* ---- models ---- */

typedef struct s3svm_segment_settings {
    s3svm_segment_features features;
    s3svm_segment_method method;
    size_t samples; /* pixels of each photograph that are used for training networks */
    uint64_t seed;
    const char *cache;    /* an existing folder in which clusters and networks are kept; or NULL */
    sos_work work;        /* its callback is called from any thread, by one at a time */
    double relations;     /* factor of the weights between pixels relative to unary weights: their squares cost less in training
                             by the square of it; 0: 1 for pairs, 4 for others, the best on validation pictures */
    bool dialogues;       /* full features: learn from simulated dialogues about the photographs.  Their own marks, if any, are
                             one of the possible first steps */
    bool evidence;        /* dialogues: the maps of the photographs are log odds of the object by somebody's network, of several
                             networks if there are several channels; photographs may come without.  The model learns what to
                             make of such evidence under marks, and to do without */
    uint64_t reserved[8]; /* 0 */
} s3svm_segment_settings;

/* full, s3svm, 2,500 samples, seed 1, all cores, no callback. */
SOS_API s3svm_segment_settings s3svm_segment_defaults(void);

/* Creates a model with its groups, weights 0, and the facts "task" and "features", which hold everything needed to compute the
 * features of a new photograph: clusters, bins and networks, learned from count photographs with truths.  settings may be NULL.
 * The caller frees *out. */
SOS_MUST_USE SOS_API sos_status s3svm_segment_create(const s3svm_segment_settings *settings, size_t count,
                                                     const s3svm_marked photographs[], sos_model **out, sos_error *error);

/* Trains the refinement of outlines of a trained model with full features: pixels near the outline of its labels are decided
 * once more, at full resolution, by the colours and edges nearby.  It learns from the model's own labels of count photographs
 * with truths, preferably those on which the model was trained, and sets the fact "outline" of m.  cache as in the settings;
 * work may be NULL. */
SOS_MUST_USE SOS_API sos_status s3svm_segment_outline_learn(sos_model *m, size_t count, const s3svm_marked photographs[],
                                                            const char *cache, const sos_work *work, sos_error *error);

/* The best settings of sos_train for these features and method, and the values of C to choose from, in increasing order. */
SOS_API sos_train_settings s3svm_segment_training(s3svm_segment_features features, s3svm_segment_method method);
enum { S3SVM_SEGMENT_CS = 4 };
SOS_API const double *s3svm_segment_cs(s3svm_segment_features features, s3svm_segment_method method);

/* ---- a model prepared for use ---- */

/* A model whose facts and weights are read once.  It borrows nothing and never changes; any number of threads may use it. */
typedef struct s3svm_segment_model s3svm_segment_model;

/* SOS_ERR_FORMAT, with the reason, if m is not a complete model of segmentation.  The caller frees *out. */
SOS_MUST_USE SOS_API sos_status s3svm_segment_model_create(const sos_model *m, s3svm_segment_model **out, sos_error *error);
SOS_API void s3svm_segment_model_free(s3svm_segment_model *p); /* NULL is allowed */

SOS_API s3svm_segment_features s3svm_segment_model_features(const s3svm_segment_model *p);
SOS_API s3svm_segment_method s3svm_segment_model_method(const s3svm_segment_model *p);

/* Whether the maps of a photograph can be evidence for it: log odds of the object by anybody's network, in one channel. */
SOS_API bool s3svm_segment_model_evidence(const s3svm_segment_model *p);

/* ---- examples to train on ---- */

/* The state of a dialogue: the marks of the last step alone, and the labels before it (NULL if it was the first). */
typedef struct s3svm_segment_moment {
    const s3svm_image *last;
    const uint8_t *before;
} s3svm_segment_moment;

/* The input of features. */
typedef struct s3svm_segment_input {
    const s3svm_image *photograph;      /* 3 channels */
    const s3svm_image *marks;           /* of its size: S3SVM_MARK_NONE, _OBJECT and _BACKGROUND */
    int threads;                        /* 0: all cores; the results are the same */
    const char *cache;                  /* an existing folder in which features are kept; or NULL */
    const s3svm_maps *maps;             /* for models trained with maps; or evidence, one channel, for models that have learned
                                           what to make of it; else NULL */
    const s3svm_segment_moment *moment; /* for models trained on dialogues; NULL: all marks were made in one step */
    uint64_t reserved[8];               /* 0 */
} s3svm_segment_input;

/* Makes an example from a marked photograph, for the sos_model that p was made from.  truth has a label per pixel, or is NULL;
 * pixels whose care is 0 have no loss (NULL: all count).  The caller frees *out. */
SOS_MUST_USE SOS_API sos_status s3svm_segment_model_example(const s3svm_segment_model *p, const s3svm_segment_input *in,
                                                            const uint8_t truth[], const uint8_t care[], sos_example **out,
                                                            sos_error *error);

/* Makes the examples of count photographs with truths, in which all pixels count.  The caller frees the examples; on failure
 * there are none.  cache as above.  mine, if not NULL, says which examples to make; the others are NULL.  work may be NULL. */
SOS_MUST_USE SOS_API sos_status s3svm_segment_model_examples(const s3svm_segment_model *p, size_t count,
                                                             const s3svm_marked photographs[], const char *cache,
                                                             const bool mine[], const sos_work *work, sos_example *examples[],
                                                             sos_error *error);

/* The same for a model that learns from dialogues: S3SVM_SEGMENT_MOMENTS examples of each photograph, side by side, at
 * different moments of simulated dialogues (<s3svm/simulate.h>).  If a photograph has marks, they are the first moment.  mine
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
