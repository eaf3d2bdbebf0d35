/* maps.h - what the full models of segmentation see of a marked photograph: maps with a number for each pixel.
 *
 * Distances are in units of the side of a square of as many pixels, so that maps mean the same at every resolution.  Where a
 * kind of mark is missing, maps that compare both kinds are 0. */
#ifndef SOS_SEGMENT_MAPS_H
#define SOS_SEGMENT_MAPS_H

#include <s3svm/segment.h>

#include "segment/sight.h"
#include "vision/mixture.h"

enum { SOS_SEGMENT_MAPS_VERSION = 2 }; /* changes when maps, or what networks learn from them, do: for caches */

typedef enum sos_segment_map {
    SOS_MAP_LAB_RATIO,       /* log p(x | object) / p(x | background), mixtures of Lab colours under the marks */
    SOS_MAP_LAB_OBJECT,      /* log p(x | object) */
    SOS_MAP_LAB_BACKGROUND,  /* log p(x | background) */
    SOS_MAP_SOFT_RATIO,      /* the same ratio in a blurred photograph */
    SOS_MAP_REFINED_RATIO,   /* the ratio of the mixtures that GrabCut ends with */
    SOS_MAP_REFINED_SOFT,    /* blurred */
    SOS_MAP_SECOND_RATIO,    /* of a GrabCut that starts from the walk with steps far away */
    SOS_MAP_SECOND,          /* its labels, blurred */
    SOS_MAP_SMALL_SECOND,    /* mean of its ratio over superpixels */
    SOS_MAP_LARGE_WALK,      /* mean of that walk over large superpixels */
    SOS_MAP_GRABCUT,         /* GrabCut's labels, blurred */
    SOS_MAP_PATH_RATIO,      /* o / (o + b), distances along paths on which the soft ratio changes little */
    SOS_MAP_PATH_OBJECT,     /* log o */
    SOS_MAP_PATH_BACKGROUND, /* log b */
    SOS_MAP_COLOUR_RATIO,    /* the same for paths on which colours change little */
    SOS_MAP_COLOUR_OBJECT,
    SOS_MAP_COLOUR_BACKGROUND,
    SOS_MAP_REFINED_PATH,  /* the same ratio for paths on which the refined ratio changes little */
    SOS_MAP_EUCLID_OBJECT, /* distance from the nearest object mark */
    SOS_MAP_EUCLID_BACKGROUND,
    SOS_MAP_EUCLID_RATIO,
    SOS_MAP_BORDER, /* distance from the border */
    SOS_MAP_CENTRE, /* distance from the centroid of the object marks, in their standard deviations */
    SOS_MAP_ASIDE,  /* sideways and downwards, likewise */
    SOS_MAP_BELOW,
    SOS_MAP_BOX,         /* distance from the box around the object marks */
    SOS_MAP_SMALL_RATIO, /* mean ratios over superpixels */
    SOS_MAP_SMALL_REFINED,
    SOS_MAP_LARGE_RATIO,
    SOS_MAP_LARGE_REFINED,
    SOS_MAP_WALK,          /* chance of a random walk over superpixels to meet an object mark first */
    SOS_MAP_WALK_PRIOR,    /* with colours as a prior */
    SOS_MAP_WALK_FAR,      /* with steps to similar superpixels far away as well */
    SOS_MAP_NEAREST,       /* o / (o + b), distances in colour and place from the nearest marked superpixels */
    SOS_MAP_TEXTURE_RATIO, /* the ratio of mixtures of soft colours and of how rough the picture is */
    SOS_MAP_FRAME_PATH, /* log distance along paths on which colours change little from the frame of the picture and background
                           marks */
    SOS_MAP_FRAME_LOG,  /* log p(x | frame) */
    SOS_MAP_EXTENT,     /* of the object marks: one number for the photograph */
    SOS_MAP_SEPARATION, /* how well colours tell the marks apart: one number for the photograph */
    SOS_SEGMENT_MAPS,

    /* Of a dialogue, for models that have learned from such. */
    SOS_MAP_BEFORE = SOS_SEGMENT_MAPS, /* the label found before the last step: 1 object, -1 background, 0 there was none */
    SOS_MAP_BEFORE_DEPTH,              /* how far from the outline found before, and on which side */
    SOS_MAP_LAST_OBJECT,               /* log distance from the marks of the last step */
    SOS_MAP_LAST_BACKGROUND,
    SOS_MAP_LAST_PATH,   /* along paths on which colours change little */
    SOS_MAP_SIZE_OBJECT, /* how much is marked: one number for the photograph */
    SOS_MAP_SIZE_BACKGROUND,
    SOS_MAP_GIVEN_BACKGROUND, /* log distance from background marks, without what is assumed */
    SOS_MAP_GIVEN_PATH,
    SOS_SEGMENT_DIALOGUE_MAPS
} sos_segment_map;

/* How far a dialogue has come, in the size of a scene: what was given in all, what in the last step, and the labels before
 * that, or NULL. */
typedef struct sos_segment_turn {
    const sos_image *given, *last;
    const uint8_t *before;
} sos_segment_turn;

/* The maps of a scene under marks, and the mixtures of Lab colours that GrabCut ended with: background, object. */
typedef struct sos_segment_view {
    size_t n, count;                         /* pixels; maps: all, or all but those of a dialogue */
    float *maps;                             /* maps[m * n + i] is map m of pixel i */
    sos_mixture refined[SOS_SEGMENT_LABELS]; /* empty without marks of both kinds */
} sos_segment_view;

/* marks have the size of the scene.  turn: of a dialogue, or NULL.  traces: those of the last view of the scene, or NULL. */
SOS_MUST_USE sos_status sos_segment_view_create(const sos_segment_scene *scene, const sos_image *marks,
                                                const sos_segment_turn *turn, int threads, sos_traces *traces,
                                                sos_segment_view *out, sos_error *error);
void sos_segment_view_free(sos_segment_view *v); /* leaves it empty; an empty one is fine */

/* The same of a photograph that was looked at; dialogues: with the maps of a dialogue, and marks that are missing are assumed.
 */
SOS_MUST_USE sos_status sos_segment_view_find(const sos_segment_input *in, const sos_segment_sight *sight, bool dialogues,
                                              sos_segment_view *v, sos_error *error);

#endif
