/* simulate.h - what first marks and corrections share: depths of a region, places drawn in it, pens that fit, lines in it. */
#ifndef SOS_SEGMENT_SIMULATE_H
#define SOS_SEGMENT_SIMULATE_H

#include <s3svm/simulate.h>

#include "base/random.h"

enum { SOS_LINE_POINTS_MAX = 64 }; /* of a simulated stroke */

/* A person at work on one step. */
typedef struct sos_marker {
    const sos_simulation *settings;
    size_t width, height;
    const uint8_t *truth, *care; /* care may be NULL */
    sos_random random;
    uint8_t *ground; /* 1 where a mark of the label at hand may lie */
    uint8_t *region; /* 1 where it is meant to lie: a part of the ground */
    uint8_t *kinds;  /* of corrections: 0 right or not sure, 1 wrong on the background, 2 wrong on the object */
    uint8_t *other;  /* room */
    float *fit;      /* how far a pixel of the ground is from the nearest that is not; the picture has no end there */
    float *depth;    /* how far a pixel of the region is from the nearest that is not, or from the picture's end; 0 outside */
    uint32_t *parts; /* room for the numbers of regions */
    sos_error *error;
} sos_marker;

/* Takes memory and begins a stream of random numbers of its own for every step of the dialogue. */
SOS_MUST_USE sos_status sos_marker_begin(const sos_simulation *settings, const uint8_t truth[], const uint8_t care[],
                                         const sos_dialogue *d, sos_marker *out, sos_error *error);
void sos_marker_end(sos_marker *h);

/* The ground becomes all sure pixels of a true label, 0 or 1, and the region the same; how many there are. */
SOS_MUST_USE sos_status sos_marker_ground(sos_marker *h, uint8_t label, size_t *count);

/* Finds the depths of the region that the caller has made. */
SOS_MUST_USE sos_status sos_marker_depth(sos_marker *h);

/* The first of the deepest pixels of the region. */
size_t sos_marker_deepest(const sos_marker *h);

/* A pixel of the region that is at least a share of the greatest depth deep, all such alike. */
size_t sos_marker_somewhere(sos_marker *h, double share);

/* The largest radius, at most wanted, with which a click on a pixel stays within the ground. */
float sos_marker_radius(const sos_marker *h, size_t pixel, double wanted);

/* Points of a line of about a length, through a pixel and in a direction given in turns, that bends a little and, drawn with
 * that radius, stays within the ground.  Where it cannot go on, it ends.  Returns how many points: 1 or more. */
size_t sos_marker_line(sos_marker *h, size_t pixel, double turns, double length, float radius,
                       sos_point points[SOS_LINE_POINTS_MAX]);

#endif
