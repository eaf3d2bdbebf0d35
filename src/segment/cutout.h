/* cutout.h - one photograph, from marks to the pictures that people want: which pixels are the object, the object with a soft
 * edge and nothing around it, and the photograph with the outline drawn on it.
 *
 * Photographs larger than a method can take are segmented at a reduced size; the pixels along the outline are then decided
 * again at full size. */
#ifndef SOS_SEGMENT_CUTOUT_H
#define SOS_SEGMENT_CUTOUT_H

#include <s3svm/grabcut.h>
#include <s3svm/marks.h>

/* ---- labels ---- */

/* A method: labels, 1 object and 0 background, of all pixels of a picture of 3 channels.  marks are SOS_MARK_NONE, _OBJECT and
 * _BACKGROUND, and there is at least one object and one background mark unless the picture is too small for both. */
typedef sos_status sos_cutout_solver(void *data, const sos_image *picture, const uint8_t marks[], uint8_t labels[],
                                     sos_error *error);

typedef struct sos_cutout_settings {
    sos_cutout_solver *solve;     /* NULL: GrabCut */
    void *data;                   /* for solve */
    sos_grabcut_settings grabcut; /* GrabCut's, also where it helps another method */
    size_t pixels;                /* larger photographs are solved at a reduced size; 0: none */
    bool hard;                    /* what is marked gets that label; with GrabCut it always does */
    sos_progress *progress;       /* or NULL */
    void *user;                   /* for progress */
} sos_cutout_settings;

/* GrabCut, reduced above 2 megapixels, soft, no callback.  Above half a megapixel GrabCut's gamma grows with the sides.
 */
sos_cutout_settings sos_cutout_defaults(void);

typedef struct sos_cutout_result {
    bool background_assumed; /* there was no background mark: what is not marked was a start for GrabCut ... */
    bool border_assumed;     /* ... or, for other methods, the border of the picture stood for one */
    bool object_assumed;     /* there was no object mark: the middle was a start for GrabCut, which finds one for others */
    size_t reduction;        /* by what the sides were divided; 1: not at all */
    size_t band;             /* pixels decided again at full size */
    size_t object;           /* pixels of the object */
    double seconds_solve, seconds_refine;
} sos_cutout_result;

/* Labels a photograph of 3 channels by marks of its size.  settings and result may be NULL. */
SOS_MUST_USE sos_status sos_cutout_segment(const sos_image *photograph, const sos_image *marks,
                                           const sos_cutout_settings *settings, uint8_t labels[], sos_cutout_result *result,
                                           sos_error *error);

/* Decides the pixels again that are at most reach from the outline, all others staying as they are, by their colours, their
 * contrast, and how far the outline would move.  For labels of any method that were found at 2 / reach of the sides.  marks, if
 * not NULL, are kept, and wrong labels among them put right with what is near them.  *count, if not NULL, receives how many
 * pixels were free. */
SOS_MUST_USE sos_status sos_cutout_refine(const sos_image *photograph, const sos_image *marks, size_t reach, int threads,
                                          uint8_t labels[], size_t *count, sos_error *error);

/* ---- pictures ----
 *
 * threads: 0 for all cores; the pictures are the same. */

/* Half the width of the band along the outline where pixels may be partly object, for pictures of so many pixels. */
double sos_cutout_edge(size_t pixels);

/* The object alone: red, green, blue and opacity.  More than edge pixels from the outline opacity is 0 or 255, and the colours
 * of the object are the photograph's.  Nearer, a pixel is taken for a mixture alpha F + (1 - alpha) B of the colours of object
 * and background around it: alpha is its opacity, and F its colour, so that nothing of the background is left in it. */
SOS_MUST_USE sos_status sos_cutout_matte(const sos_image *photograph, const uint8_t labels[], double edge, int threads,
                                         sos_image *out, sos_error *error);

/* The photograph with its background dimmed, the outline, and the marks, of which areas show only their rims.  marks may be
 * NULL. */
SOS_MUST_USE sos_status sos_cutout_overlay(const sos_image *photograph, const uint8_t labels[], const sos_image *marks,
                                           int threads, sos_image *out, sos_error *error);

#endif
