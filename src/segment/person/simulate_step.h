/* simulate_step.h - the marks of a simulated step. */
#ifndef S3SVM_SEGMENT_SIMULATE_STEP_H
#define S3SVM_SEGMENT_SIMULATE_STEP_H

#include "segment/person/simulate.h"

enum { S3SVM_STEP_MARKS_MAX = 6 }; /* a long line and three around it are the most there are */

/* Zeros at first. */
typedef struct s3svm_simulated_step {
    size_t count;
    s3svm_mark marks[S3SVM_STEP_MARKS_MAX];
    s3svm_point points[S3SVM_STEP_MARKS_MAX][S3SVM_LINE_POINTS_MAX];
} s3svm_simulated_step;

/* Where the points of the next mark go. */
static inline s3svm_point *s3svm_simulated_points(s3svm_simulated_step *s) { return s->points[s->count]; }

static inline void s3svm_simulated_stroke(s3svm_simulated_step *s, uint8_t mark, float radius, size_t count)
{
    s->marks[s->count] = (s3svm_mark){
        .shape = S3SVM_SHAPE_STROKE, .label = mark, .radius = radius, .count = count, .points = s->points[s->count]
    };
    s->count++;
}

static inline void s3svm_simulated_shape(s3svm_simulated_step *s, s3svm_shape shape, size_t count)
{
    s->marks[s->count] = (s3svm_mark){ .shape = shape, .count = count, .points = s->points[s->count] };
    s->count++;
}

/* A box or an outline around the true object. */
SOS_MUST_USE sos_status s3svm_simulated_box(s3svm_marker *h, s3svm_simulated_step *s);
SOS_MUST_USE sos_status s3svm_simulated_outline(s3svm_marker *h, s3svm_simulated_step *s);

#endif
