/* simulate_step.h - the marks of a simulated step. */
#ifndef SOS_SEGMENT_SIMULATE_STEP_H
#define SOS_SEGMENT_SIMULATE_STEP_H

#include "segment/simulate.h"

enum { SOS_STEP_MARKS_MAX = 6 }; /* a long line and three around it are the most there are */

/* Zeros at first. */
typedef struct sos_simulated_step {
    size_t count;
    sos_mark marks[SOS_STEP_MARKS_MAX];
    sos_point points[SOS_STEP_MARKS_MAX][SOS_LINE_POINTS_MAX];
} sos_simulated_step;

/* Where the points of the next mark go. */
static inline sos_point *sos_simulated_points(sos_simulated_step *s) { return s->points[s->count]; }

static inline void sos_simulated_stroke(sos_simulated_step *s, uint8_t mark, float radius, size_t count)
{
    s->marks[s->count] = (sos_mark){
        .shape = SOS_SHAPE_STROKE, .label = mark, .radius = radius, .count = count, .points = s->points[s->count]
    };
    s->count++;
}

static inline void sos_simulated_shape(sos_simulated_step *s, sos_shape shape, size_t count)
{
    s->marks[s->count] = (sos_mark){ .shape = shape, .count = count, .points = s->points[s->count] };
    s->count++;
}

/* A box or an outline around the true object. */
SOS_MUST_USE sos_status sos_simulated_box(sos_marker *h, sos_simulated_step *s);
SOS_MUST_USE sos_status sos_simulated_outline(sos_marker *h, sos_simulated_step *s);

#endif
