/* features.h - what models of thin structures are made of: groups of weights, and the fact "features", all that is needed to
 * see a new picture as the model does. */
#ifndef S3SVM_TRACE_FEATURES_H
#define S3SVM_TRACE_FEATURES_H

#include <sos/model.h>

#include "tasks/line_cliques.h"
#include "tasks/own_maps.h"
#include "trace/design.h"
#include "trace/evidence.h"

enum {
    S3SVM_TRACE_NAME_ROOM = 24,
    S3SVM_TRACE_THRESHOLDS = 3,
    S3SVM_TRACE_STEPS = 16, /* of directions */
    S3SVM_TRACE_LENGTH = 7, /* pixels of a line: tables of 128 costs */
    S3SVM_TRACE_SHAPES = 2,
    S3SVM_TRACE_GROUPS_MAX = 128
};

typedef struct s3svm_trace_features {
    const s3svm_trace_design *design;
    s3svm_evidence evidence;                 /* no networks where alone */
    float threshold[S3SVM_TRACE_THRESHOLDS]; /* of strengths, of designs with directions */
    float even; /* log odds from which on pixels are called structures for the best F1; others are measured from there */
    bool alone; /* a constant is all that the model has of pixels but its maps */
    s3svm_own_maps maps; /* of users */
} s3svm_trace_features;

void s3svm_trace_features_free(s3svm_trace_features *f); /* leaves it empty; an empty one is fine */

/* Lines of both kinds. */
extern const s3svm_line_shape s3svm_trace_shapes[S3SVM_TRACE_SHAPES];

/* The groups of a model, in their order, and where those of its parts begin.  It points into itself: not to be copied. */
typedef struct s3svm_trace_groups {
    size_t count;
    sos_group groups[S3SVM_TRACE_GROUPS_MAX];
    char names[S3SVM_TRACE_GROUPS_MAX][32];
    uint32_t constant, odds, neighbours, keyed, pairs[S3SVM_TRACE_SHAPES], tables[S3SVM_TRACE_SHAPES];
} s3svm_trace_groups;

void s3svm_trace_groups_list(const s3svm_trace_features *f, s3svm_trace_groups *out);

/* A model with the groups and facts, weights 0. */
SOS_MUST_USE sos_status s3svm_trace_features_model(const s3svm_trace_features *f, sos_model **out, sos_error *error);

/* Reads and checks all that a model says; *f is to free. */
SOS_MUST_USE sos_status s3svm_trace_features_read(const sos_model *m, s3svm_trace_features *f, sos_error *error);

/* ---- examples ---- */

/* What errors cost in training. */
typedef struct s3svm_trace_loss {
    double missed; /* a pixel of a structure that is missed, where an added one costs 1 */
    double broken; /* on top, five pixels of a centre line in a row that are all missed */
} s3svm_trace_loss;

/* A picture, all borrowed. */
typedef struct s3svm_trace_look {
    const s3svm_image *picture;
    size_t fold; /* whose networks to ask, or S3SVM_EVIDENCE_NEW */
    int threads;
    const s3svm_maps *maps;       /* or NULL */
    const uint8_t *truth, *care;  /* or NULL */
    const s3svm_trace_loss *loss; /* NULL: all errors cost alike */
} s3svm_trace_look;

/* Directions, in the steps of lines, of what the networks say. */
SOS_MUST_USE sos_status s3svm_trace_directions(const s3svm_plane *response, s3svm_directions *out, sos_error *error);

/* What networks say of a picture; zeros of models that have none. */
SOS_MUST_USE sos_status s3svm_trace_respond(const s3svm_trace_features *f, const s3svm_trace_look *look, s3svm_plane *out,
                                            sos_error *error);

/* Fills an example of such a model.  response: s3svm_trace_respond. */
SOS_MUST_USE sos_status s3svm_trace_features_apply(const s3svm_trace_features *f, const s3svm_trace_look *look,
                                                   const s3svm_plane *response, sos_example *x, sos_error *error);

/* Adds the loss to an example that has its truth. */
SOS_MUST_USE sos_status s3svm_trace_loss_add(const s3svm_trace_look *look, sos_example *x, sos_error *error);

#endif
