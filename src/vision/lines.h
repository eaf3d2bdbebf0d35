/* lines.h - cliques along lines: the pixels of a line through each pixel of a picture, in the direction that it has there. */
#ifndef S3SVM_VISION_LINES_H
#define S3SVM_VISION_LINES_H

#include <stdbool.h>

#include "vision/direction.h"

enum { S3SVM_LINES_LENGTH_MAX = 1024 };

/* A pixel of a line, seen from the pixel that the line is made for. */
typedef struct s3svm_line_place {
    int x, y;
} s3svm_line_place;

/* The places of a line of so many pixels, 1 ... S3SVM_LINES_LENGTH_MAX, in one of so many directions (direction.h), in their
 * order along it: one step along the longer axis from each to the next, so that neighbours touch.  Place length / 2 is (0, 0).
 * A line of odd length is its own mirror image in that point. */
void s3svm_line_places(size_t length, size_t steps, size_t direction, s3svm_line_place places[]);

/* What becomes of lines that leave the picture. */
typedef enum s3svm_lines_border { S3SVM_LINES_LEFT_OUT, S3SVM_LINES_SHORTENED } s3svm_lines_border;

/* Lines through pixels, in the order of the pixels: line l has the members from start[l] to start[l + 1] in their order along
 * it, and is made for pixel middle[l]. */
typedef struct s3svm_lines {
    size_t count;
    size_t *start;
    uint32_t *members;
    uint32_t *middle;
} s3svm_lines;

/* The lines of so many pixels through all pixels whose wanted is not 0 (NULL: all).  Those that are left out have no line. */
SOS_MUST_USE sos_status s3svm_lines_find(const s3svm_directions *d, size_t length, const uint8_t wanted[],
                                         s3svm_lines_border border, s3svm_lines *out, sos_error *error);
void s3svm_lines_free(s3svm_lines *l); /* leaves it empty; an empty one is fine */

#endif
