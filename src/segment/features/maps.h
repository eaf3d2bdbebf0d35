/* maps.h - what the full models of segmentation see of a marked photograph: maps with a number for each pixel.
 *
 * Distances are in units of the side of a square of as many pixels, so that maps mean the same at every resolution.  Where a
 * kind of mark is missing, maps that compare both kinds are 0. */
#ifndef S3SVM_SEGMENT_MAPS_H
#define S3SVM_SEGMENT_MAPS_H

#include <stdbool.h>

#include <s3svm/segment.h>

#include "segment/features/photo.h"
#include "vision/mixture.h"

enum { S3SVM_SEGMENT_MAPS_VERSION = 3 }; /* changes when maps, or what networks learn from them, do: for caches */

typedef enum s3svm_segment_map {
    S3SVM_MAP_LAB_RATIO,       /* log p(x | object) / p(x | background), mixtures of Lab colours under the marks */
    S3SVM_MAP_LAB_OBJECT,      /* log p(x | object) */
    S3SVM_MAP_LAB_BACKGROUND,  /* log p(x | background) */
    S3SVM_MAP_SOFT_RATIO,      /* the same ratio in a blurred photograph */
    S3SVM_MAP_REFINED_RATIO,   /* the ratio of the mixtures that GrabCut ends with */
    S3SVM_MAP_REFINED_SOFT,    /* blurred */
    S3SVM_MAP_SECOND_RATIO,    /* of a GrabCut that starts from the walk with steps far away */
    S3SVM_MAP_SECOND,          /* its labels, blurred */
    S3SVM_MAP_SMALL_SECOND,    /* mean of its ratio over superpixels */
    S3SVM_MAP_LARGE_WALK,      /* mean of that walk over large superpixels */
    S3SVM_MAP_GRABCUT,         /* GrabCut's labels, blurred */
    S3SVM_MAP_PATH_RATIO,      /* o / (o + b), distances along paths on which the soft ratio changes little */
    S3SVM_MAP_PATH_OBJECT,     /* log o */
    S3SVM_MAP_PATH_BACKGROUND, /* log b */
    S3SVM_MAP_COLOUR_RATIO,    /* the same for paths on which colours change little */
    S3SVM_MAP_COLOUR_OBJECT,
    S3SVM_MAP_COLOUR_BACKGROUND,
    S3SVM_MAP_REFINED_PATH,  /* the same ratio for paths on which the refined ratio changes little */
    S3SVM_MAP_EUCLID_OBJECT, /* distance from the nearest object mark */
    S3SVM_MAP_EUCLID_BACKGROUND,
    S3SVM_MAP_EUCLID_RATIO,
    S3SVM_MAP_BORDER, /* distance from the border */
    S3SVM_MAP_CENTRE, /* distance from the centroid of the object marks, in their standard deviations */
    S3SVM_MAP_ASIDE,  /* sideways and downwards, likewise */
    S3SVM_MAP_BELOW,
    S3SVM_MAP_BOX,         /* distance from the box around the object marks */
    S3SVM_MAP_SMALL_RATIO, /* mean ratios over superpixels */
    S3SVM_MAP_SMALL_REFINED,
    S3SVM_MAP_LARGE_RATIO,
    S3SVM_MAP_LARGE_REFINED,
    S3SVM_MAP_WALK,          /* chance of a random walk over superpixels to meet an object mark first */
    S3SVM_MAP_WALK_PRIOR,    /* with colours as a prior */
    S3SVM_MAP_WALK_FAR,      /* with steps to similar superpixels far away as well */
    S3SVM_MAP_NEAREST,       /* o / (o + b), distances in colour and place from the nearest marked superpixels */
    S3SVM_MAP_TEXTURE_RATIO, /* the ratio of mixtures of soft colours and of how rough the picture is */
    S3SVM_MAP_FRAME_PATH,    /* log distance along paths on which colours change little from the frame of the picture and
                              background    marks */
    S3SVM_MAP_FRAME_LOG,     /* log p(x | frame) */
    S3SVM_MAP_EXTENT,        /* of the object marks: one number for the photograph */
    S3SVM_MAP_SEPARATION,    /* how well colours tell the marks apart: one number for the photograph */
    S3SVM_SEGMENT_MAPS,

    /* Of a dialogue, for models that have learned from such. */
    S3SVM_MAP_BEFORE = S3SVM_SEGMENT_MAPS, /* the label found before the last step: 1 object, -1 background, 0 there was none */
    S3SVM_MAP_BEFORE_DEPTH,                /* how far from the outline found before, and on which side */
    S3SVM_MAP_LAST_OBJECT,                 /* log distance from the marks of the last step */
    S3SVM_MAP_LAST_BACKGROUND,
    S3SVM_MAP_LAST_PATH,   /* along paths on which colours change little */
    S3SVM_MAP_SIZE_OBJECT, /* how much is marked: one number for the photograph */
    S3SVM_MAP_SIZE_BACKGROUND,
    S3SVM_MAP_GIVEN_BACKGROUND, /* log distance from background marks, without what is assumed */
    S3SVM_MAP_GIVEN_PATH,
    S3SVM_SEGMENT_DIALOGUE_MAPS,

    /* Of evidence, for models that have learned from dialogues with such: x are log odds of a user's network.  All are 0 where
     * there is none. */
    S3SVM_MAP_EVIDENCE = S3SVM_SEGMENT_DIALOGUE_MAPS, /* x */
    S3SVM_MAP_EVIDENCE_SOFT,                          /* blurred */
    S3SVM_MAP_EVIDENCE_SMALL,                         /* mean over superpixels */
    S3SVM_MAP_EVIDENCE_DEPTH,                         /* how far from the outline of x > 0, and on which side */
    S3SVM_MAP_EVIDENCE_PATH, /* (b - o) / (b + o), distances from marks along paths on which the chances by x change little */
    S3SVM_MAP_EVIDENCE_PART, /* x > 0: 1 in connected parts with an object mark, -1 in others while there is one; else 0 */
    S3SVM_MAP_EVIDENCE_TRUSTED,    /* x times how far marks agree with it */
    S3SVM_MAP_EVIDENCE_OBJECT,     /* mean of 2 / (1 + e^-x) - 1 under object marks: one number for the photograph */
    S3SVM_MAP_EVIDENCE_BACKGROUND, /* under background marks, likewise */
    S3SVM_MAP_EVIDENCE_SIZE,       /* how much of the photograph x calls object, likewise */
    S3SVM_MAP_EVIDENCE_KNOWN,      /* 1: there is some */
    S3SVM_SEGMENT_EVIDENCE_MAPS
} s3svm_segment_map;

/* What a view shows: maps of marks alone, those of a dialogue as well, and those of evidence besides. */
typedef enum s3svm_segment_sight { S3SVM_SIGHT_MARKS, S3SVM_SIGHT_DIALOGUE, S3SVM_SIGHT_EVIDENCE } s3svm_segment_sight;

static inline size_t s3svm_segment_sight_maps(s3svm_segment_sight sight)
{
    if (sight == S3SVM_SIGHT_MARKS) return S3SVM_SEGMENT_MAPS;
    return sight == S3SVM_SIGHT_DIALOGUE ? S3SVM_SEGMENT_DIALOGUE_MAPS : S3SVM_SEGMENT_EVIDENCE_MAPS;
}

/* How far a dialogue has come, in the size of a photograph: what was given in all, what in the last step, and the labels before
 * that, or NULL. */
typedef struct s3svm_segment_turn {
    const s3svm_image *given, *last;
    const uint8_t *before;
    bool sees_evidence;    /* the view has maps of evidence ... */
    const float *evidence; /* ... which are made of these log odds; or NULL */
} s3svm_segment_turn;

/* The maps of a photograph under marks, and the mixtures of Lab colours that GrabCut ended with: background, object. */
typedef struct s3svm_segment_view {
    size_t n, count;                             /* pixels; maps */
    float *maps;                                 /* maps[m * n + i] is map m of pixel i */
    s3svm_mixture refined[S3SVM_SEGMENT_LABELS]; /* empty without marks of both kinds */
} s3svm_segment_view;

/* marks have the size of the photograph.  turn: of a dialogue, or NULL.  mark_features: those of the last view of the
 * photograph, or NULL. */
SOS_MUST_USE sos_status s3svm_segment_view_create(const s3svm_photo_features *features, const s3svm_image *marks,
                                                  const s3svm_segment_turn *turn, int threads,
                                                  s3svm_mark_features *mark_features, s3svm_segment_view *out,
                                                  sos_error *error);
void s3svm_segment_view_free(s3svm_segment_view *v); /* leaves it empty; an empty one is fine */

/* The same of a photograph that was looked at.  In dialogues marks that are missing are assumed; evidence are the maps of in,
 * one channel, if there are some. */
SOS_MUST_USE sos_status s3svm_segment_view_find(const s3svm_segment_input *in, const s3svm_photo *photo,
                                                s3svm_segment_sight sight, s3svm_segment_view *v, sos_error *error);

#endif
