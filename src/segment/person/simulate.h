/* simulate.h - what first marks and corrections share: depths of a region, places drawn in it, pens that fit, lines in it. */
#ifndef S3SVM_SEGMENT_SIMULATE_H
#define S3SVM_SEGMENT_SIMULATE_H

#include <s3svm/simulate.h>

#include "base/random.h"

enum { S3SVM_LINE_POINTS_MAX = 64 }; /* of a simulated stroke */

/* A person at work on one step. */
typedef struct s3svm_marker {
    const s3svm_simulation *settings;
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
} s3svm_marker;

/* Takes memory and begins a stream of random numbers of its own for every step of the dialogue. */
SOS_MUST_USE sos_status s3svm_marker_begin(const s3svm_simulation *settings, const uint8_t truth[], const uint8_t care[],
                                           const s3svm_dialogue *d, s3svm_marker *out, sos_error *error);
void s3svm_marker_end(s3svm_marker *h);

/* The ground becomes all sure pixels of a true label, 0 or 1, and the region the same; how many there are. */
SOS_MUST_USE sos_status s3svm_marker_ground(s3svm_marker *h, uint8_t label, size_t *count);

/* Finds the depths of the region that the caller has made. */
SOS_MUST_USE sos_status s3svm_marker_depth(s3svm_marker *h);

/* The first of the deepest pixels of the region. */
size_t s3svm_marker_deepest(const s3svm_marker *h);

/* A pixel of the region that is at least a share of the greatest depth deep, all such alike. */
size_t s3svm_marker_somewhere(s3svm_marker *h, double share);

/* Whether a straight line between two pixels, drawn with that radius, stays within the ground. */
bool s3svm_marker_sees(const s3svm_marker *h, size_t from, size_t to, float radius);

/* The largest radius, at most wanted, with which a click on a pixel stays within the ground. */
float s3svm_marker_radius(const s3svm_marker *h, size_t pixel, double wanted);

/* Points of a line of about a length, through a pixel and in a direction given in turns, that bends a little and, drawn with
 * that radius, stays within the ground.  Where it cannot go on, it ends.  Returns how many points: 1 or more. */
size_t s3svm_marker_line(s3svm_marker *h, size_t pixel, double turns, double length, float radius,
                         s3svm_point points[S3SVM_LINE_POINTS_MAX]);

#endif
