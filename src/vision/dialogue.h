/* dialogue.h - where a round pen and an outline mark pixels, and marks that are drawn step by step. */
#ifndef S3SVM_VISION_DIALOGUE_H
#define S3SVM_VISION_DIALOGUE_H

#include <s3svm/dialogue.h>

/* Half the diagonal of a pixel, rounded up: a pen of this radius reaches the centre of the pixel that it is in. */
#define S3SVM_PEN_LEAST 0.7072

/* Whether a pixel is at most radius from the line from a to b.  With d = b - a, p = pixel - a and t = p.d: beyond the ends the
 * distance is that from an end; between them |p x d| / |d|.  Squares only, so that nothing is rounded but products and sums. */
static inline bool s3svm_pen_marks(s3svm_point a, s3svm_point b, double radius, double x, double y)
{
    const double dx = (double)b.x - (double)a.x, dy = (double)b.y - (double)a.y;
    const double px = x - (double)a.x, py = y - (double)a.y, qx = x - (double)b.x, qy = y - (double)b.y;
    const double along = px * dx + py * dy, square = dx * dx + dy * dy, across = px * dy - py * dx;
    if (along <= 0) return px * px + py * py <= radius * radius;
    if (along >= square) return qx * qx + qy * qy <= radius * radius;
    return across * across <= radius * radius * square;
}

/* The radius that a pen draws with. */
static inline double s3svm_pen_radius(float radius)
{
    return (double)radius < S3SVM_PEN_LEAST ? S3SVM_PEN_LEAST : (double)radius;
}

/* The columns first ... last, cut to 0 ... width - 1, that the pen marks of row y; false: none. */
bool s3svm_pen_row(s3svm_point a, s3svm_point b, double radius, size_t width, size_t y, size_t *first, size_t *last);

/* The rows likewise that it may mark. */
bool s3svm_pen_rows(s3svm_point a, s3svm_point b, double radius, size_t height, size_t *first, size_t *last);

/* 1 for pixels of row y inside of a closed line by the nonzero rule, else 0; pixels on its left side are inside, those on the
 * right are not.  turns is room for width + 1 numbers.  Returns how many are inside. */
size_t s3svm_outline_row(size_t count, const s3svm_point points[], size_t width, size_t y, int32_t turns[], uint8_t inside[]);

/* Marks drawn step by step, each step once. */
typedef struct s3svm_drawn_marks {
    s3svm_image all;     /* of the steps so far, as s3svm_dialogue_draw draws them */
    s3svm_image last;    /* of the last step, as if there were no other; nothing without a step */
    s3svm_image strokes; /* all but boxes and outlines; empty until there is one of these */
    bool enclosed;       /* there is one, and strokes are up to date */
    int32_t *turns;      /* room for a row */
    uint8_t *inside;
} s3svm_drawn_marks;

/* No step yet. */
SOS_MUST_USE sos_status s3svm_drawn_marks_create(size_t width, size_t height, s3svm_drawn_marks *out, sos_error *error);
void s3svm_drawn_marks_free(s3svm_drawn_marks *m); /* leaves it empty; an empty one is fine */

/* Draws the next step of a dialogue of that size.  When it fails the marks are as they were. */
SOS_MUST_USE sos_status s3svm_drawn_marks_add(s3svm_drawn_marks *m, const s3svm_dialogue *d, size_t step, sos_error *error);

/* Goes back to the first so many steps, all of which were drawn before; this cannot fail. */
void s3svm_drawn_marks_redraw(s3svm_drawn_marks *m, const s3svm_dialogue *d, size_t steps);

#endif
