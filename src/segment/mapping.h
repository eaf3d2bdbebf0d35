/* mapping.h - maps in the making: what the files maps*.c share. */
#ifndef SOS_SEGMENT_MAPPING_H
#define SOS_SEGMENT_MAPPING_H

#include <stdbool.h>

#include "segment/maps.h"

/* Arrays of two are by label: background, object. */
typedef struct sos_mapping {
    const sos_segment_scene *scene;
    size_t n; /* pixels */
    int threads;
    sos_traces *traces;
    const uint8_t *mask[SOS_SEGMENT_LABELS]; /* n: what is marked */
    size_t count[SOS_SEGMENT_LABELS];
    struct sos_marked_pieces *pieces; /* superpixels with their marks; NULL without marks of both kinds */
    sos_segment_view *view;
} sos_mapping;

/* The set of marks of a label. */
static inline sos_trace_set sos_mapping_marks(size_t label)
{
    return label == SOS_SEGMENT_OBJECT ? SOS_TRACE_OBJECT : SOS_TRACE_BACKGROUND;
}

static inline float *sos_mapping_map(const sos_mapping *m, sos_segment_map map) { return m->view->maps + (size_t)map * m->n; }
static inline bool sos_mapping_has_both(const sos_mapping *m)
{
    return m->count[SOS_SEGMENT_OBJECT] && m->count[SOS_SEGMENT_BACKGROUND];
}

/* Mixtures of Lab colours have 5 components, as GrabCut's have. */
enum { SOS_MAPPING_COMPONENTS = 5, SOS_MAPPING_SEED = 1 };
#define SOS_MAPPING_RIDGE                                                                                                      \
    {                                                                                                                          \
        .ridge = 2, .determinant = 0                                                                                           \
    } /* a variance of 2 on top, about that of noise */

#define SOS_MAPPING_RATIO_MOST 20.0 /* of log densities: beyond that there is no more doubt */

/* Part of the work, which shares nothing but what it reads with other parts of its phase. */
typedef sos_status sos_mapping_part(sos_mapping *m, sos_error *error);

/* ---- maps_colours.c: from traces ---- */

void sos_mapping_colours(const sos_mapping *m);

/* ---- maps_superpixels.c: with marks of both kinds, else the maps stay 0 ---- */

/* Begins with the means of colours and the marks, which the walks and the nearest need. */
SOS_MUST_USE sos_status sos_mapping_pieces_create(sos_mapping *m, sos_error *error);
void sos_mapping_pieces_free(sos_mapping *m);
sos_mapping_part sos_mapping_walk, sos_mapping_walk_colours, sos_mapping_walk_far, sos_mapping_nearest;

/* Means of what other parts have found. */
sos_mapping_part sos_mapping_refined_means, sos_mapping_second_means, sos_mapping_large_means;

/* What most of the marks of each superpixel say, and where the walk with steps far away has come to. */
const uint8_t *sos_mapping_piece_marks(const sos_mapping *m);
const float *sos_mapping_piece_far(const sos_mapping *m);

/* ---- maps_cuts.c: with marks of both kinds, else the maps stay 0 ---- */

/* The maps of GrabCut over superpixels, and its mixtures; from the marks, and from the walk with steps far away. */
sos_mapping_part sos_mapping_refine, sos_mapping_second;

/* The labels that GrabCut over superpixels finds by marks of the size of the scene, object beginning where found is 1. */
SOS_MUST_USE sos_status sos_mapping_propose(const sos_segment_scene *scene, const sos_image *marks, int threads,
                                            uint8_t found[], sos_error *error);

/* ---- maps_paths.c ---- */

/* The maps of distances: from traces, from the soft ratio, from the refined one; and of the frame. */
void sos_mapping_distances(const sos_mapping *m);
sos_mapping_part sos_mapping_soft_paths, sos_mapping_refined_paths, sos_mapping_frame;

/* ---- maps_dialogue.c ---- */

/* Makes the sets of a dialogue known to the traces; then its maps, once these are found. */
SOS_MUST_USE sos_status sos_mapping_turn(const sos_mapping *m, const sos_segment_turn *turn, sos_error *error);
void sos_mapping_dialogue(const sos_mapping *m, const sos_segment_turn *turn);

#endif
