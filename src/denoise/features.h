/* features.h - what models of denoising are made of: groups of weights, and the fact "features", all that is needed to compute
 * the features of a new picture. */
#ifndef SOS_DENOISE_FEATURES_H
#define SOS_DENOISE_FEATURES_H

#include <s3svm/denoise.h>

#include "denoise/response.h"
#include "tasks/own_maps.h"

enum { SOS_DENOISE_KNOTS_MAX = 256 };

/* The groups: features of the pixels, which are free, and a table of the patches. */
enum { SOS_DENOISE_PIXELS, SOS_DENOISE_PATCHES, SOS_DENOISE_GROUPS };

/* What the fact "features" says. */
typedef struct sos_denoise_features {
    sos_denoise_kind kind;
    double undecided; /* full only, as what follows: patches count where a response is less than this on either side */
    size_t knots;
    float knot[SOS_DENOISE_KNOTS_MAX];
    sos_response response;
    bool alone;        /* a constant is all that the model has of pixels but its maps, and none of what full has */
    sos_own_maps maps; /* of users */
} sos_denoise_features;

void sos_denoise_features_free(sos_denoise_features *f); /* leaves it empty; an empty one is fine */

/* A model with the groups and facts, weights 0. */
SOS_MUST_USE sos_status sos_denoise_features_model(const sos_denoise_features *f, sos_model **out, sos_error *error);

/* Reads and checks all that a model says; *f is to free. */
SOS_MUST_USE sos_status sos_denoise_features_read(const sos_model *m, sos_denoise_features *f, sos_error *error);

/* Fills an example of such a model with a picture whose grey values are finite. */
SOS_MUST_USE sos_status sos_denoise_features_apply(const sos_denoise_features *f, const sos_denoise_input *in, sos_example *x,
                                                   sos_error *error);

/* sos_denoise_model_examples, with maps, one of each picture, or NULL. */
SOS_MUST_USE sos_status sos_denoise_examples_make(const sos_denoise_model *p, size_t count, const sos_plane noisy[],
                                                  const uint8_t *const truths[], const sos_maps maps[], bool to_learn,
                                                  const sos_work *work, sos_example *examples[], sos_error *error);

/* Whether all grey values are finite. */
SOS_MUST_USE sos_status sos_denoise_values_check(const sos_plane *noisy, sos_error *error);

#endif
