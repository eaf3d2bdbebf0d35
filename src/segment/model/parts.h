/* parts.h - what a model of segmentation is made of: groups of weights, and the fact "features". */
#ifndef S3SVM_SEGMENT_PARTS_H
#define S3SVM_SEGMENT_PARTS_H

#include "segment/features/features.h"
#include "segment/outlines/outlines.h"
#include "tasks/own_maps.h"

enum {
    S3SVM_SEGMENT_EDGES = 9, /* between bins of distances */
    S3SVM_SEGMENT_BINS = S3SVM_SEGMENT_EDGES + 1,
    S3SVM_SEGMENT_STATES = 4, /* of a cluster: under object marks or not, under background marks or not */
    S3SVM_SEGMENT_KNOTS_MAX = 64,
    S3SVM_SEGMENT_SCALES = 3, /* of superpixels */
    S3SVM_SEGMENT_REGIONS = S3SVM_SEGMENT_SCALES +
                            1, /* kinds of regions whose pixels should agree: these, and sets of colours */
    S3SVM_SEGMENT_SHARES = 6   /* of a region, at which its function may bend */
};

/* Methods that experiments compare with: nothing between pixels; all six pairs of the patches of 2x2, a cost for sides and one
 * for diagonals for each of the clusters of s3svm; the pairs of amn, and on the regions of counts robust P^n, a cost for each
 * kind, or pairs of pixels at random, two costs for each kind.  0.2 trained models of the first three, too, which are read. */
#define S3SVM_SEGMENT_UNARIES     ((s3svm_segment_method)S3SVM_SEGMENT_METHODS)
#define S3SVM_SEGMENT_KEYED_PAIRS ((s3svm_segment_method)(S3SVM_SEGMENT_METHODS + 1))
#define S3SVM_SEGMENT_ROBUST      ((s3svm_segment_method)(S3SVM_SEGMENT_METHODS + 2))
#define S3SVM_SEGMENT_SCATTERED   ((s3svm_segment_method)(S3SVM_SEGMENT_METHODS + 3))
enum { S3SVM_SEGMENT_DESIGNS = S3SVM_SEGMENT_METHODS + 4 };

/* What a pixel looks like to the full model. */
enum { S3SVM_SEGMENT_RESPONSE, S3SVM_SEGMENT_RATIO, S3SVM_SEGMENT_LOOKS };

/* What the fact "features" says. */
typedef struct s3svm_segment_parts {
    s3svm_segment_features kind;
    s3svm_segment_method method;
    double relations;                    /* what weights between pixels count against those of pixels, as in the settings */
    float edges[2][S3SVM_SEGMENT_EDGES]; /* paper: distances from object and background marks */
    float patches[S3SVM_SEGMENT_CLUSTERS * S3SVM_SEGMENT_PATCH];      /* paper: centres of clusters */
    float gradients[S3SVM_SEGMENT_CLUSTERS * S3SVM_SEGMENT_GRADIENT]; /* of patches of 2x2: centres of clusters */
    size_t knots[S3SVM_SEGMENT_LOOKS];                                /* full: where functions of the looks bend */
    float knot[S3SVM_SEGMENT_LOOKS][S3SVM_SEGMENT_KNOTS_MAX];
    s3svm_segment_response response; /* full */
    s3svm_own_maps maps;             /* of users */
    s3svm_outline_model outline;     /* of a second look; empty: there is none */
} s3svm_segment_parts;

/* How far a pixel is from the marks of the last step, in sides of a square of as many pixels: between bins. */
enum { S3SVM_SEGMENT_NEARNESS = 5 };
extern const double s3svm_segment_nearness[S3SVM_SEGMENT_NEARNESS];

/* Groups: those of marks, those of what pixels look like, pairs or tables, superpixels. */
enum {
    S3SVM_SEGMENT_MARKS,
    S3SVM_SEGMENT_FIRST,
    S3SVM_SEGMENT_CONSTANT_ONE = S3SVM_SEGMENT_FIRST, /* none */
    S3SVM_SEGMENT_COLOURS = S3SVM_SEGMENT_FIRST,      /* paper */
    S3SVM_SEGMENT_DISTANCES,
    S3SVM_SEGMENT_PATCHES,
    S3SVM_SEGMENT_BEFORE = S3SVM_SEGMENT_FIRST +
                           S3SVM_SEGMENT_LOOKS /* full, from dialogues: by the label before, then by nearness */
};
enum { S3SVM_SEGMENT_CONSTANT, S3SVM_SEGMENT_CONTRAST, S3SVM_SEGMENT_PAIRS }; /* what pairs have, near or far */

enum { S3SVM_SEGMENT_SIDES, S3SVM_SEGMENT_DIAGONALS, S3SVM_SEGMENT_APART }; /* what pairs of patches have */

double s3svm_segment_method_relations(s3svm_segment_method method); /* unless settings say otherwise */

/* What the method takes into account. */
bool s3svm_segment_has_pairs(const s3svm_segment_parts *f);
bool s3svm_segment_has_patches(const s3svm_segment_parts *f); /* of 2x2, as pairs or as tables */
bool s3svm_segment_has_tables(const s3svm_segment_parts *f);
bool s3svm_segment_has_regions(const s3svm_segment_parts *f);
bool s3svm_segment_has_counts(const s3svm_segment_parts *f);
bool s3svm_segment_has_scattered(const s3svm_segment_parts *f);

/* The group of the pairs, or the first one of patches; and the first one of superpixels. */
uint32_t s3svm_segment_relations(const s3svm_segment_parts *f);
uint32_t s3svm_segment_regions(const s3svm_segment_parts *f);

/* Phi of the pair of pixels i and j; beta is of the photograph (vision/contrast.h). */
void s3svm_segment_pair_phi(const s3svm_image *photograph, double beta, size_t i, size_t j, double phi[]);

/* Adds all that is between pixels of the photograph to an example; regions_add: its superpixels alone. */
SOS_MUST_USE sos_status s3svm_segment_relations_add(const s3svm_segment_parts *f, const s3svm_segment_input *in, sos_example *x,
                                                    sos_error *error);
SOS_MUST_USE sos_status s3svm_segment_regions_add(const s3svm_segment_parts *f, const s3svm_segment_input *in, sos_example *x,
                                                  sos_error *error);

/* Whether maps, which may be NULL, are those that a model needs for a photograph of that size, or evidence that it can see. */
SOS_MUST_USE sos_status s3svm_segment_maps_check(const s3svm_segment_parts *f, const s3svm_maps *maps, size_t width,
                                                 size_t height, sos_error *error);

/* A model with groups alone; and one with facts as well. */
SOS_MUST_USE sos_status s3svm_segment_parts_groups(const s3svm_segment_parts *f, sos_model **out, sos_error *error);
SOS_MUST_USE sos_status s3svm_segment_parts_model(const s3svm_segment_parts *f, sos_model **out, sos_error *error);

/* And back, with everything checked; *out is to free. */
SOS_MUST_USE sos_status s3svm_segment_parts_read(const sos_model *m, s3svm_segment_parts **out, sos_error *error);
void s3svm_segment_parts_free(s3svm_segment_parts *f); /* NULL is fine */

#endif
