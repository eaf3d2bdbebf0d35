/* direction.h - which way the strokes of a picture run, and how clearly: the second derivatives of the picture, blurred.
 *
 * Of the two eigenvalues of the Hessian the one that is further from 0 belongs to the direction across a line, so the line runs
 * along the other one.  That eigenvalue is the strength: positive on a dark line, negative on a light one and beside a dark
 * one, near 0 where there is no line. */
#ifndef S3SVM_VISION_DIRECTION_H
#define S3SVM_VISION_DIRECTION_H

#include <stddef.h>
#include <stdint.h>

#include <sos/status.h>

#include <s3svm/plane.h>

enum { S3SVM_DIRECTION_STEPS_MAX = 64 };

/* Directions of lines, not of arrows: number d of so many steps has the angle d / (2 steps) turns, 0 along the row and 1/4 turn
 * down the column, as s3svm_line has it (filter.h). */
typedef struct s3svm_directions {
    size_t width, height;
    size_t steps;
    uint8_t *direction; /* of each pixel, 0 ... steps - 1 */
    float *strength;    /* of each pixel, times blur^2: then lines of any width have about the same at their own blur */
} s3svm_directions;

/* Of a plane of finite numbers, blurred by a Gaussian of standard deviation blur > 0, in 1 ... S3SVM_DIRECTION_STEPS_MAX steps.
 * Where no direction is better than others it is 0.  O(blur + steps) a pixel. */
SOS_MUST_USE sos_status s3svm_directions_find(const s3svm_plane *in, double blur, size_t steps, s3svm_directions *out,
                                              sos_error *error);
void s3svm_directions_free(s3svm_directions *d); /* leaves it empty; an empty one is fine */

#endif
