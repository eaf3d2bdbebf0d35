/* strokes.h - what the neighbourhood of a pixel looks like, as numbers that a pen stroke changes and turning the picture does
 * not.
 *
 * Averages along lines through the pixel, in all directions and of several lengths, find the direction that is darkest.  In the
 * frame of that direction, turned and mirrored so that the darker side and the darker end come first, averages along further
 * lines beside, before and behind the pixel tell an edge from a stroke from an end.  Gaussian averages and the darkest and
 * lightest lines of each length come on top. */
#ifndef S3SVM_VISION_STROKES_H
#define S3SVM_VISION_STROKES_H

#include <stddef.h>

#include <sos/status.h>

#include <s3svm/plane.h>

enum {
    S3SVM_STROKES_GAUSSIANS = 6,
    S3SVM_STROKES_REACHES = 4,
    S3SVM_STROKES_PROBES = 46,
    S3SVM_STROKES_FEATURES = 1 + S3SVM_STROKES_GAUSSIANS + 2 * S3SVM_STROKES_REACHES + S3SVM_STROKES_PROBES
};

typedef struct s3svm_strokes s3svm_strokes;

/* Prepares a plane in which ink is larger than paper.  It is not needed afterwards. */
SOS_MUST_USE sos_status s3svm_strokes_create(const s3svm_plane *darkness, s3svm_strokes **out, sos_error *error);
void s3svm_strokes_free(s3svm_strokes *s); /* NULL is fine */

/* The features of the pixels of so many rows from row first on: features[f * rows * width + i] is feature f of their i-th
 * pixel. Rows do not depend on which others are asked for with them.  Several threads may ask at once. */
SOS_MUST_USE sos_status s3svm_strokes_rows(const s3svm_strokes *s, size_t first, size_t rows, float features[],
                                           sos_error *error);

#endif
