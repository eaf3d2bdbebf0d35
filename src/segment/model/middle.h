/* middle.h - where the object is, if a box or a loose outline is all that is known of it. */
#ifndef S3SVM_SEGMENT_MIDDLE_H
#define S3SVM_SEGMENT_MIDDLE_H

#include <stdbool.h>

#include <s3svm/grabcut.h>

/* A disc within columns left ... right - 1 and rows top ... bottom - 1; empty where left = right. */
typedef struct s3svm_disc {
    double x, y, radius;
    size_t left, top, right, bottom;
} s3svm_disc;

static inline bool s3svm_disc_has(const s3svm_disc *d, size_t x, size_t y)
{
    const double dx = (double)x - d->x, dy = (double)y - d->y;
    return dx * dx + dy * dy <= d->radius * d->radius;
}

/* The middle of what is perhaps object: around the pixel of it that is nearest to its centre of mass, with a quarter of the
 * shorter side of its bounding box for a radius. */
s3svm_disc s3svm_marks_middle(const s3svm_image *marks);

/* As s3svm_grabcut, but only around what is not sure to be background: twice as wide and high, no further than the picture
 * goes. Elsewhere marks stay as they are.  Colours of what lies far away say nothing about the ground that the object stands
 * before. */
SOS_MUST_USE sos_status s3svm_grabcut_around(const s3svm_image *picture, s3svm_image *marks,
                                             const s3svm_grabcut_settings *settings, sos_error *error);

#endif
