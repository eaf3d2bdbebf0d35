/* mapping.h - maps in the making: what the files maps*.c share. */
#ifndef S3SVM_SEGMENT_MAPPING_H
#define S3SVM_SEGMENT_MAPPING_H

#include <stdbool.h>

#include "segment/features/maps.h"

/* Arrays of two are by label: background, object. */
typedef struct s3svm_mapping {
    const s3svm_photo_features *features;
    size_t n; /* pixels */
    int threads;
    s3svm_mark_features *mark_features;
    const uint8_t *mask[S3SVM_SEGMENT_LABELS]; /* n: what is marked */
    size_t count[S3SVM_SEGMENT_LABELS];
    struct s3svm_marked_pieces *pieces; /* superpixels with their marks; NULL without marks of both kinds */
    const s3svm_segment_turn *turn;     /* of a dialogue, or NULL */
    s3svm_segment_view *view;
} s3svm_mapping;

/* The set of marks of a label. */
static inline s3svm_mark_set s3svm_mapping_marks(size_t label)
{
    return label == S3SVM_SEGMENT_OBJECT ? S3SVM_MARK_SET_OBJECT : S3SVM_MARK_SET_BACKGROUND;
}

static inline float *s3svm_mapping_map(const s3svm_mapping *m, s3svm_segment_map map)
{
    return m->view->maps + (size_t)map * m->n;
}
static inline bool s3svm_mapping_has_both(const s3svm_mapping *m)
{
    return m->count[S3SVM_SEGMENT_OBJECT] && m->count[S3SVM_SEGMENT_BACKGROUND];
}

/* Mixtures of Lab colours have 5 components, as GrabCut's have. */
enum { S3SVM_MAPPING_COMPONENTS = 5, S3SVM_MAPPING_SEED = 1 };
#define S3SVM_MAPPING_RIDGE                                                                                                    \
    {                                                                                                                          \
        .ridge = 2, .determinant = 0                                                                                           \
    } /* a variance of 2 on top, about that of noise */

#define S3SVM_MAPPING_RATIO_MOST 20.0 /* of log densities: beyond that there is no more doubt */

/* Part of the work, which shares nothing but what it reads with other parts of its phase. */
typedef sos_status s3svm_mapping_part(s3svm_mapping *m, sos_error *error);

/* ---- maps_colours.c: from mark_features ---- */

void s3svm_mapping_colours(const s3svm_mapping *m);

/* ---- maps_superpixels.c: with marks of both kinds, else the maps stay 0 ---- */

/* Begins with the means of colours and the marks, which the walks and the nearest need. */
SOS_MUST_USE sos_status s3svm_mapping_pieces_create(s3svm_mapping *m, sos_error *error);
void s3svm_mapping_pieces_free(s3svm_mapping *m);
s3svm_mapping_part s3svm_mapping_walk, s3svm_mapping_walk_colours, s3svm_mapping_walk_far, s3svm_mapping_nearest;

/* Means of what other parts have found. */
s3svm_mapping_part s3svm_mapping_refined_means, s3svm_mapping_second_means, s3svm_mapping_large_means,
    s3svm_mapping_evidence_means;

/* What most of the marks of each superpixel say, and where the walk with steps far away has come to. */
const uint8_t *s3svm_mapping_piece_marks(const s3svm_mapping *m);
const float *s3svm_mapping_piece_far(const s3svm_mapping *m);

/* ---- maps_cuts.c: with marks of both kinds, else the maps stay 0 ---- */

/* The maps of GrabCut over superpixels, and its mixtures; from the marks, and from the walk with steps far away. */
s3svm_mapping_part s3svm_mapping_refine, s3svm_mapping_second;

/* The labels that GrabCut over superpixels finds by marks of the size of the photograph, object beginning where found is 1. */
SOS_MUST_USE sos_status s3svm_mapping_propose(const s3svm_photo_features *features, const s3svm_image *marks, int threads,
                                              uint8_t found[], sos_error *error);

/* ---- maps_paths.c ---- */

/* The maps of distances: from mark_features, from the soft ratio, from the refined one; and of the frame. */
void s3svm_mapping_distances(const s3svm_mapping *m);
s3svm_mapping_part s3svm_mapping_soft_paths, s3svm_mapping_refined_paths, s3svm_mapping_frame;

/* Finds the distances of every pixel from object and background marks along paths on which chances, one for each pixel, change
 * little. */
SOS_MUST_USE sos_status s3svm_mapping_chance_paths(const s3svm_mapping *m, const float chances[], float *far[],
                                                   sos_error *error);

/* ---- maps_dialogue.c ---- */

/* Makes the sets of a dialogue known to the mark_features; then its maps, once these are found. */
SOS_MUST_USE sos_status s3svm_mapping_turn(const s3svm_mapping *m, const s3svm_segment_turn *turn, sos_error *error);
void s3svm_mapping_dialogue(const s3svm_mapping *m, const s3svm_segment_turn *turn);

/* ---- maps_evidence.c: with evidence, else the maps stay 0 ---- */

/* Makes what it calls object known to the mark_features; then its maps, once these are found. */
SOS_MUST_USE sos_status s3svm_mapping_evidence_sets(const s3svm_mapping *m, const float evidence[], sos_error *error);
s3svm_mapping_part s3svm_mapping_evidence;

#endif
