/* parts.h - what a model of segmentation is made of: groups of weights, and the fact "features". */
#ifndef SOS_SEGMENT_PARTS_H
#define SOS_SEGMENT_PARTS_H

#include "segment/features.h"
#include "segment/outline.h"
#include "segment/response.h"
#include "tasks/own_maps.h"

enum {
    SOS_SEGMENT_EDGES = 9, /* between bins of distances */
    SOS_SEGMENT_BINS = SOS_SEGMENT_EDGES + 1,
    SOS_SEGMENT_STATES = 4, /* of a cluster: under object marks or not, under background marks or not */
    SOS_SEGMENT_KNOTS_MAX = 64,
    SOS_SEGMENT_SCALES = 3,                       /* of superpixels */
    SOS_SEGMENT_REGIONS = SOS_SEGMENT_SCALES + 1, /* kinds of regions whose pixels should agree: these, and sets of colours */
    SOS_SEGMENT_SHARES = 6                        /* of a region, at which its function may bend */
};

/* What a pixel looks like to the full model. */
enum { SOS_SEGMENT_RESPONSE, SOS_SEGMENT_RATIO, SOS_SEGMENT_LOOKS };

/* What the fact "features" says. */
typedef struct sos_segment_parts {
    sos_segment_features kind;
    sos_segment_method method;
    double relations;                  /* what weights between pixels count against those of pixels, as in the settings */
    float edges[2][SOS_SEGMENT_EDGES]; /* paper: distances from object and background marks */
    float patches[SOS_SEGMENT_CLUSTERS * SOS_SEGMENT_PATCH];      /* paper: centres of clusters */
    float gradients[SOS_SEGMENT_CLUSTERS * SOS_SEGMENT_GRADIENT]; /* of patches of 2x2: centres of clusters */
    size_t knots[SOS_SEGMENT_LOOKS];                              /* full: where functions of the looks bend */
    float knot[SOS_SEGMENT_LOOKS][SOS_SEGMENT_KNOTS_MAX];
    sos_segment_response response; /* full */
    sos_own_maps maps;             /* of users */
    sos_outline_model outline;     /* of a second look; empty: there is none */
} sos_segment_parts;

/* How far a pixel is from the marks of the last step, in sides of a square of as many pixels: between bins. */
enum { SOS_SEGMENT_NEARNESS = 5 };
extern const double sos_segment_nearness[SOS_SEGMENT_NEARNESS];

/* Groups: those of marks, those of what pixels look like, pairs or tables, superpixels. */
enum {
    SOS_SEGMENT_MARKS,
    SOS_SEGMENT_FIRST,
    SOS_SEGMENT_CONSTANT_ONE = SOS_SEGMENT_FIRST, /* none */
    SOS_SEGMENT_COLOURS = SOS_SEGMENT_FIRST,      /* paper */
    SOS_SEGMENT_DISTANCES,
    SOS_SEGMENT_PATCHES,
    SOS_SEGMENT_BEFORE = SOS_SEGMENT_FIRST + SOS_SEGMENT_LOOKS /* full, from dialogues: by the label before, then by nearness */
};
enum { SOS_SEGMENT_CONSTANT, SOS_SEGMENT_CONTRAST, SOS_SEGMENT_PAIRS }; /* what pairs have */

enum { SOS_SEGMENT_SIDES, SOS_SEGMENT_DIAGONALS, SOS_SEGMENT_APART }; /* what pairs of patches have */

double sos_segment_method_relations(sos_segment_method method); /* unless settings say otherwise */

/* What the method takes into account. */
bool sos_segment_has_pairs(const sos_segment_parts *f);
bool sos_segment_has_patches(const sos_segment_parts *f); /* of 2x2, as pairs or as tables */
bool sos_segment_has_tables(const sos_segment_parts *f);
bool sos_segment_has_regions(const sos_segment_parts *f);
bool sos_segment_has_counts(const sos_segment_parts *f);

/* The group of the pairs, or the first one of patches; and the first one of superpixels. */
uint32_t sos_segment_relations(const sos_segment_parts *f);
uint32_t sos_segment_regions(const sos_segment_parts *f);

/* Adds all that is between pixels of the photograph to an example; regions_add: its superpixels alone. */
SOS_MUST_USE sos_status sos_segment_relations_add(const sos_segment_parts *f, const sos_segment_input *in, sos_example *x,
                                                  sos_error *error);
SOS_MUST_USE sos_status sos_segment_regions_add(const sos_segment_parts *f, const sos_segment_input *in, sos_example *x,
                                                sos_error *error);

/* A model with groups alone; and one with facts as well. */
SOS_MUST_USE sos_status sos_segment_parts_groups(const sos_segment_parts *f, sos_model **out, sos_error *error);
SOS_MUST_USE sos_status sos_segment_parts_model(const sos_segment_parts *f, sos_model **out, sos_error *error);

/* And back, with everything checked; *out is to free. */
SOS_MUST_USE sos_status sos_segment_parts_read(const sos_model *m, sos_segment_parts **out, sos_error *error);
void sos_segment_parts_free(sos_segment_parts *f); /* NULL is fine */

#endif
