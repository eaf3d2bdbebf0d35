/* features.h - what models of denoising are made of: groups of weights, and the fact "features", all that is needed to compute
 * the features of a new picture. */
#ifndef SOS_DENOISE_FEATURES_H
#define SOS_DENOISE_FEATURES_H

#include <s3svm/denoise.h>

#include "denoise/design.h"
#include "denoise/response.h"
#include "tasks/own_maps.h"
#include "vision/direction.h"

enum {
    SOS_DENOISE_KNOTS_MAX = 256,
    SOS_DENOISE_THRESHOLDS_MAX = 8,
    SOS_DENOISE_STEPS_MAX = 32,
    SOS_DENOISE_LENGTH_MIN = 2,
    SOS_DENOISE_LENGTH_MAX = 32, /* of lines */
    SOS_DENOISE_STRIDE_MAX = 8,  /* of long lines */
    SOS_DENOISE_TABLE_MAX = 12,  /* of lines with tables, of 4096 costs */
    SOS_DENOISE_GROUPS_MAX = 960 /* keyed pairs 9 * 17, pairs of lines 3 * 8 * 31, and a few of each other kind */
};

/* Directions and strengths (vision/direction.h), of the noisy picture or, of designs with odds, of the ink that the networks
 * see; and lines along them. */
typedef struct sos_denoise_key {
    double blur;
    size_t steps;
    size_t thresholds; /* of strengths: pixels are in class 0, below the first, to class thresholds */
    float threshold[SOS_DENOISE_THRESHOLDS_MAX];
    size_t knots; /* of the function of the strength */
    float knot[SOS_DENOISE_KNOTS_MAX];
    size_t length; /* pixels of a line; 0 where there are no lines */
    size_t every;  /* lines go through pixels whose x + y is a multiple of this */

    /* Of designs with long lines. */
    size_t long_steps;  /* of their directions, which are finer */
    size_t long_stride; /* steps from each of their pixels to the next */
    size_t long_class;  /* the first class with long lines */
} sos_denoise_key;

/* What the fact "features" says. */
typedef struct sos_denoise_features {
    sos_denoise_kind kind;
    sos_denoise_design design;
    sos_denoise_key key; /* of designs with directions */
    double undecided; /* of designs with networks, as what follows: cliques count where a response is less than this on either
                         side */
    size_t knots;     /* of the function of the response */
    float knot[SOS_DENOISE_KNOTS_MAX];
    sos_response response;
    bool alone;        /* a constant is all that the model has of pixels but its maps, and none of what networks say */
    sos_own_maps maps; /* of users */
} sos_denoise_features;

void sos_denoise_features_free(sos_denoise_features *f); /* leaves it empty; an empty one is fine */

/* The features of a kind, learned from pictures; alone: without features of pixels.  *f is to free. */
SOS_MUST_USE sos_status sos_denoise_features_learn(sos_denoise_kind kind, size_t count, const sos_plane noisy[],
                                                   const uint8_t *const truths[], const sos_denoise_settings *settings,
                                                   sos_denoise_features *f, sos_error *error);

/* Thresholds and knots of the strengths of pictures, at given shares of their pixels, by what the features say of networks. */
SOS_MUST_USE sos_status sos_denoise_key_learn(sos_denoise_features *f, size_t count, const sos_plane noisy[], int threads,
                                              sos_error *error);

/* ---- groups ---- */

/* The groups of a model, in their order, and where those of its parts begin.  It points into itself: not to be copied. */
typedef struct sos_denoise_groups {
    size_t count;
    sos_group groups[SOS_DENOISE_GROUPS_MAX];
    char names[SOS_DENOISE_GROUPS_MAX][32];
    uint32_t unary[SOS_UNARIES], cliques[SOS_CLIQUES];
} sos_denoise_groups;

void sos_denoise_groups_list(const sos_denoise_features *f, sos_denoise_groups *out);

/* Keyed pairs: how many turns there are, and the number of a group, less that of the first.  Lines have their classes from 1,
 * long lines from long_class, which counts as 1 here. */
size_t sos_denoise_turns(const sos_denoise_key *k);
uint32_t sos_denoise_keyed_group(const sos_denoise_key *k, size_t class, size_t turn);
uint32_t sos_denoise_line_pair_group(const sos_denoise_key *k, size_t class, size_t distance);

/* ---- models and examples ---- */

/* A model with the groups and facts, weights 0. */
SOS_MUST_USE sos_status sos_denoise_features_model(const sos_denoise_features *f, sos_model **out, sos_error *error);

/* Reads and checks all that a model says; *f is to free. */
SOS_MUST_USE sos_status sos_denoise_features_read(const sos_model *m, sos_denoise_features *f, sos_error *error);

/* What is measured in a picture, and which features it needs to have: all that a design asks for. */
typedef struct sos_denoise_view {
    sos_plane response;      /* log odds of ink; without values where there are no networks */
    sos_directions where;    /* without pixels where there are no directions */
    sos_directions fine;     /* of long lines; without pixels where there are none */
    double seconds_response; /* that it took */
    double seconds_directions;
} sos_denoise_view;

SOS_MUST_USE sos_status sos_denoise_view_create(const sos_denoise_features *f, const sos_plane *noisy, int threads,
                                                sos_denoise_view *out, sos_error *error);
void sos_denoise_view_free(sos_denoise_view *v); /* leaves it empty; an empty one is fine */

/* Directions, in so many steps, of what the networks see, or of the noisy picture where response has no values. */
SOS_MUST_USE sos_status sos_denoise_directions(const sos_denoise_key *k, size_t steps, const sos_plane *noisy,
                                               const sos_plane *response, sos_directions *out, sos_error *error);

/* Fills an example of such a model with a picture whose grey values are finite; view: what is measured in it, by these
 * features.
 */
SOS_MUST_USE sos_status sos_denoise_features_apply(const sos_denoise_features *f, const sos_denoise_input *in,
                                                   const sos_denoise_view *view, sos_example *x, sos_error *error);

/* The part of it that directions say: keyed pairs and lines. */
SOS_MUST_USE sos_status sos_denoise_lines_apply(const sos_denoise_features *f, const sos_denoise_groups *groups,
                                                const sos_denoise_view *view, sos_example *x, sos_error *error);

/* What errors cost where the example is to learn from. */
SOS_MUST_USE sos_status sos_denoise_weigh(sos_denoise_kind kind, sos_example *x, sos_error *error);

/* sos_denoise_model_examples, with maps, one of each picture, or NULL. */
SOS_MUST_USE sos_status sos_denoise_examples_make(const sos_denoise_model *p, size_t count, const sos_plane noisy[],
                                                  const uint8_t *const truths[], const sos_maps maps[], bool to_learn,
                                                  const sos_work *work, sos_example *examples[], sos_error *error);

/* Whether all grey values are finite. */
SOS_MUST_USE sos_status sos_denoise_values_check(const sos_plane *noisy, sos_error *error);

#endif
