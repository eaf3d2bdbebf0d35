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
    uint8_t *mask[SOS_SEGMENT_LABELS]; /* n: what is marked */
    size_t count[SOS_SEGMENT_LABELS];
    float *far[SOS_SEGMENT_LABELS]; /* n: distances that were found last */
    float *room;                    /* SOS_SCENE_TEXTURE n, for anybody */
    double *logs;                   /* n: log densities that were found last */
    sos_segment_view *view;
} sos_mapping;

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

/* ---- maps_colours.c ---- */

/* The maps of colours and textures. */
SOS_MUST_USE sos_status sos_mapping_colours(sos_mapping *m, sos_error *error);

/* log p(x) of all pixels into logs, p being the mixture of the points of d numbers that are in the mask. */
SOS_MUST_USE sos_status sos_mapping_logs(sos_mapping *m, const uint8_t mask[], size_t count, size_t d, const float points[],
                                         sos_error *error);

/* ---- maps_superpixels.c, maps_cuts.c: with marks of both kinds, else the maps stay 0 ---- */

/* The maps of superpixels, from those of colours. */
SOS_MUST_USE sos_status sos_mapping_superpixels(sos_mapping *m, sos_error *error);

/* The maps of GrabCut over superpixels, and its mixtures; start: which ones are object, above one half, for the second. */
SOS_MUST_USE sos_status sos_mapping_cuts(sos_mapping *m, const uint8_t marks[], const float start[], sos_error *error);

/* The labels that GrabCut over superpixels finds by marks of the size of the scene, object beginning where found is 1. */
SOS_MUST_USE sos_status sos_mapping_propose(const sos_segment_scene *scene, const sos_image *marks, int threads,
                                            uint8_t found[], sos_error *error);

/* ---- maps_paths.c ---- */

/* The maps of distances, from those of superpixels; and of the frame, from these. */
SOS_MUST_USE sos_status sos_mapping_paths(sos_mapping *m, sos_error *error);
SOS_MUST_USE sos_status sos_mapping_frame(sos_mapping *m, sos_error *error);

/* ---- maps_dialogue.c ---- */

/* The maps of a dialogue. */
SOS_MUST_USE sos_status sos_mapping_dialogue(const sos_mapping *m, const sos_segment_turn *turn, sos_error *error);

#endif
