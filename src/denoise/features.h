/* features.h - what models of denoising are made of: groups of weights, and the fact "features", all that is needed to compute
 * the features of a new picture. */
#ifndef S3SVM_DENOISE_FEATURES_H
#define S3SVM_DENOISE_FEATURES_H

#include <s3svm/denoise.h>

#include "denoise/design.h"
#include "denoise/response.h"
#include "tasks/own_maps.h"
#include "vision/direction.h"

enum {
    S3SVM_DENOISE_KNOTS_MAX = 256,
    S3SVM_DENOISE_THRESHOLDS_MAX = 8,
    S3SVM_DENOISE_STEPS_MAX = 32,
    S3SVM_DENOISE_LENGTH_MIN = 2,
    S3SVM_DENOISE_LENGTH_MAX = 32, /* of lines */
    S3SVM_DENOISE_STRIDE_MAX = 8,  /* of long lines */
    S3SVM_DENOISE_TABLE_MAX = 12,  /* of lines with tables, of 4096 costs */
    S3SVM_DENOISE_GROUPS_MAX = 960 /* keyed pairs 9 * 17, pairs of lines 3 * 8 * 31, and a few of each other kind */
};

/* Directions and strengths (vision/direction.h), of the noisy picture or, of designs with odds, of the ink that the networks
 * see; and lines along them. */
typedef struct s3svm_denoise_key {
    double blur;
    size_t steps;
    size_t thresholds; /* of strengths: pixels are in class 0, below the first, to class thresholds */
    float threshold[S3SVM_DENOISE_THRESHOLDS_MAX];
    size_t knots; /* of the function of the strength */
    float knot[S3SVM_DENOISE_KNOTS_MAX];
    size_t length; /* pixels of a line; 0 where there are no lines */
    size_t every;  /* lines go through pixels whose x + y is a multiple of this */

    /* Of designs with long lines. */
    size_t long_steps;  /* of their directions, which are finer */
    size_t long_stride; /* steps from each of their pixels to the next */
    size_t long_class;  /* the first class with long lines */
} s3svm_denoise_key;

/* What the fact "features" says. */
typedef struct s3svm_denoise_features {
    char name[S3SVM_DENOISE_NAME_ROOM];
    s3svm_denoise_design design;
    s3svm_denoise_key key; /* of designs with directions */
    double undecided; /* of designs with networks, as what follows: cliques count where a response is less than this on either
                         side */
    size_t knots;     /* of the function of the response */
    float knot[S3SVM_DENOISE_KNOTS_MAX];
    s3svm_response response;
    bool alone;          /* a constant is all that the model has of pixels but its maps, and none of what networks say */
    s3svm_own_maps maps; /* of users */
} s3svm_denoise_features;

void s3svm_denoise_features_free(s3svm_denoise_features *f); /* leaves it empty; an empty one is fine */

/* The features of a design, learned from pictures.  *f is to free. */
SOS_MUST_USE sos_status s3svm_denoise_features_learn(const s3svm_denoise_preset *preset, size_t count,
                                                     const s3svm_plane noisy[], const uint8_t *const truths[],
                                                     const s3svm_denoise_settings *settings, s3svm_denoise_features *f,
                                                     sos_error *error);

/* Thresholds and knots of the strengths of pictures, at given shares of their pixels, by what the features say of networks;
 * far: as of a preset. */
SOS_MUST_USE sos_status s3svm_denoise_key_learn(s3svm_denoise_features *f, bool far, size_t count, const s3svm_plane noisy[],
                                                int threads, sos_error *error);

/* ---- groups ---- */

/* The groups of a model, in their order, and where those of its parts begin.  It points into itself: not to be copied. */
typedef struct s3svm_denoise_groups {
    size_t count;
    sos_group groups[S3SVM_DENOISE_GROUPS_MAX];
    char names[S3SVM_DENOISE_GROUPS_MAX][32];
    uint32_t unary[S3SVM_UNARIES], cliques[S3SVM_CLIQUES];
} s3svm_denoise_groups;

/* Keyed pairs, and pairs and tables of lines, in the order of tasks/line_cliques.h; long lines have their classes from
 * long_class. */
void s3svm_denoise_groups_list(const s3svm_denoise_features *f, s3svm_denoise_groups *out);

/* ---- models and examples ---- */

/* A model with the groups and facts, weights 0. */
SOS_MUST_USE sos_status s3svm_denoise_features_model(const s3svm_denoise_features *f, sos_model **out, sos_error *error);

/* Reads and checks all that a model says; *f is to free. */
SOS_MUST_USE sos_status s3svm_denoise_features_read(const sos_model *m, s3svm_denoise_features *f, sos_error *error);

/* What is measured in a picture, and which features it needs to have: all that a design asks for. */
typedef struct s3svm_denoise_view {
    s3svm_plane response;    /* log odds of ink; without values where there are no networks */
    s3svm_directions where;  /* without pixels where there are no directions */
    s3svm_directions fine;   /* of long lines; without pixels where there are none */
    double seconds_response; /* that it took */
    double seconds_directions;
} s3svm_denoise_view;

SOS_MUST_USE sos_status s3svm_denoise_view_create(const s3svm_denoise_features *f, const s3svm_plane *noisy, int threads,
                                                  s3svm_denoise_view *out, sos_error *error);
void s3svm_denoise_view_free(s3svm_denoise_view *v); /* leaves it empty; an empty one is fine */

/* Directions, in so many steps, of what the networks see, or of the noisy picture where response has no values. */
SOS_MUST_USE sos_status s3svm_denoise_directions(const s3svm_denoise_key *k, size_t steps, const s3svm_plane *noisy,
                                                 const s3svm_plane *response, s3svm_directions *out, sos_error *error);

/* Fills an example of such a model with a picture whose grey values are finite; view: what is measured in it, by these
 * features.
 */
SOS_MUST_USE sos_status s3svm_denoise_features_apply(const s3svm_denoise_features *f, const s3svm_denoise_input *in,
                                                     const s3svm_denoise_view *view, sos_example *x, sos_error *error);

/* The part of it that directions say: keyed pairs and lines. */
SOS_MUST_USE sos_status s3svm_denoise_lines_apply(const s3svm_denoise_features *f, const s3svm_denoise_groups *groups,
                                                  const s3svm_denoise_view *view, sos_example *x, sos_error *error);

/* What errors cost where the example is to learn from: missed ink so much, added ink 1. */
SOS_MUST_USE sos_status s3svm_denoise_weigh(double ink, sos_example *x, sos_error *error);

/* s3svm_denoise_create of any design. */
SOS_MUST_USE sos_status s3svm_denoise_preset_create(const s3svm_denoise_preset *preset, size_t count, const s3svm_plane noisy[],
                                                    const uint8_t *const truths[], const s3svm_denoise_settings *settings,
                                                    sos_model **out, sos_error *error);

/* The settings of sos_train that serve a design best. */
sos_train_settings s3svm_denoise_preset_training(const s3svm_denoise_preset *preset);

/* As its preset, or its maker, calls it. */
const char *s3svm_denoise_model_name(const s3svm_denoise_model *p);

/* s3svm_denoise_model_examples, with maps, one of each picture, or NULL; mine, if not NULL, says which to make: the others are
 * not looked at, and NULL. */
SOS_MUST_USE sos_status s3svm_denoise_examples_make(const s3svm_denoise_model *p, size_t count, const s3svm_plane noisy[],
                                                    const uint8_t *const truths[], const s3svm_maps maps[], bool to_learn,
                                                    const bool mine[], const sos_work *work, sos_example *examples[],
                                                    sos_error *error);

/* Whether all grey values are finite. */
SOS_MUST_USE sos_status s3svm_denoise_values_check(const s3svm_plane *noisy, sos_error *error);

#endif
