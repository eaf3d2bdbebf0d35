/* segment.h - models that tell an object from its background in a photograph, from a few marks (paper, section 5.2).
 *
 * Label 1 is the object.  What a pixel looks like is judged by features, a weight for each and for each label:
 *
 *     paper   colour mixtures of the marks, distances from them, and which clusters of 3x3 colours lie under them
 *     full    what networks make of maps of many kinds (segment_response.h), and GrabCut's mixtures, each as a learned function
 *             that is piecewise linear
 *
 * and how labels of neighbours depend on each other by the method:
 *
 *     amn     pairs of neighbours that differ cost a constant and a part that falls with their contrast (S3SVM-AMN)
 *     s3svm   a table of 16 costs over patches of 2x2 pixels, one for each of 50 clusters of their gradients (S3SVM)
 *
 *     sos_segment_create(&settings, count, pictures, &model, &error);
 *     for (i...) sos_segment_example(model, &inputs[i], pictures[i].truth, NULL, &examples[i], &error);
 *     train = sos_segment_training(settings.features, settings.method);
 *     sos_train(model, count, examples, &train, &result, &error);
 *     sos_segment_predict(model, &other, false, labels, &error); */
#ifndef SOS_SEGMENT_SEGMENT_H
#define SOS_SEGMENT_SEGMENT_H

#include <sos/learn.h>
#include <sos/model.h>

#include "segment/data.h"

typedef enum sos_segment_features { SOS_SEGMENT_PAPER, SOS_SEGMENT_FULL } sos_segment_features;
typedef enum sos_segment_method { SOS_SEGMENT_AMN, SOS_SEGMENT_S3SVM } sos_segment_method;

/* Their names on the command line and in models, in the order of the enumerations. */
#define SOS_SEGMENT_FEATURES_NAMES "paper|full"
#define SOS_SEGMENT_METHOD_NAMES   "amn|s3svm"
const char *sos_segment_features_name(sos_segment_features features);
const char *sos_segment_method_name(sos_segment_method method);

typedef struct sos_segment_settings {
    sos_segment_features features;
    sos_segment_method method;
    size_t samples; /* pixels of each picture that networks learn from */
    uint64_t seed;
    int threads;            /* 0: all cores; the result is the same */
    const char *cache;      /* a folder (cache.h) where clusters and networks are kept and found again, or NULL */
    sos_progress *progress; /* or NULL; called from any thread, by one at a time */
    void *user;
} sos_segment_settings;

/* full, s3svm, 2,500 samples, seed 1, all cores, no callback. */
sos_segment_settings sos_segment_defaults(void);

/* A model with its groups, weights 0, and its facts: "task" and "features", all that is needed to compute the features of a new
 * picture: clusters, bins and networks, learned from count pictures with truths.  settings may be NULL. */
SOS_MUST_USE sos_status sos_segment_create(const sos_segment_settings *settings, size_t count, const sos_marked pictures[],
                                           sos_model **out, sos_error *error);

/* Which kind a model is: SOS_ERR_FORMAT if it is none of these, or not whole, with the reason. */
SOS_MUST_USE sos_status sos_segment_kind_of(const sos_model *m, sos_segment_features *kind, sos_segment_method *method,
                                            sos_error *error);

/* A marked photograph as an example of the model; truth, a label per pixel, or NULL; pixels whose care is 0 cost nothing
 * (NULL: all count). */
SOS_MUST_USE sos_status sos_segment_example(const sos_model *m, const sos_segment_input *in, const uint8_t truth[],
                                            const uint8_t care[], sos_example **out, sos_error *error);

/* The settings of sos_train that serve a kind best, and the values of C to choose from, which increase. */
sos_train_settings sos_segment_training(sos_segment_features features, sos_segment_method method);
enum { SOS_SEGMENT_CS = 3 };
const double *sos_segment_cs(sos_segment_features features, sos_segment_method method);

/* All of count pictures with truths, of which the unsure band counts as background; examples receives them.  On failure there
 * are none. */
SOS_MUST_USE sos_status sos_segment_examples(const sos_model *m, size_t count, const sos_marked pictures[],
                                             const sos_segment_settings *settings, sos_example *examples[], sos_error *error);

/* The labels that a trained model gives a picture.  hard: marks are certain; else they are strong evidence. */
SOS_MUST_USE sos_status sos_segment_predict(const sos_model *m, const sos_segment_input *in, bool hard, uint8_t labels[],
                                            sos_error *error);

/* The same as a method of sos_cutout_segment, with a sos_segment_solver as data.  It knows what to do about missing marks
 * and about pictures of more than SOS_SEGMENT_PIXELS, far larger than those that models learn from. */
typedef struct sos_segment_solver {
    const sos_model *model;
    bool hard;
    int threads;
} sos_segment_solver;

enum { SOS_SEGMENT_PIXELS = 1000000 };
SOS_MUST_USE sos_status sos_segment_solve(void *data, const sos_image *picture, const uint8_t marks[], uint8_t labels[],
                                          sos_error *error);

#endif
