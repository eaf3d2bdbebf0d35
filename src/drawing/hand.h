/* hand.h - what sketches are drawn with: strokes along splines that tremble, by a pen of uneven width. */
#ifndef S3SVM_DRAWING_HAND_H
#define S3SVM_DRAWING_HAND_H

#include "drawing/canvas.h"

enum { SOS_KNOTS_MAX = 128, S3SVM_STEPS_MAX = 1800 };

typedef struct sos_knot {
    double x, y;
    bool corner;
} sos_knot;

/* How and where a subject's square of 100 by 100 comes to paper. */
typedef struct s3svm_hand {
    s3svm_canvas *c;
    s3svm_spot middle, right, down; /* in pixels: the square's middle, and a hundredth of it to the right and down */
    struct {
        s3svm_spot wave, shift;
        double phase;
    } warp[3];              /* bends the square, so that no two subjects are alike */
    double radius, tremble; /* of the pen, in pixels */

    size_t word, word_step; /* the word written last, and how far in the list the next one is */

    /* The stroke in work. */
    size_t knot_count, step_count;
    sos_knot knots[SOS_KNOTS_MAX];
    s3svm_spot steps[S3SVM_STEPS_MAX];
} s3svm_hand;

/* The radius of a random pen; never so thin that lines break. */
double s3svm_hand_pen(s3svm_canvas *c);

/* A square of the given side around (x, y), leaning a little. */
void s3svm_hand_place(s3svm_hand *h, s3svm_canvas *c, double x, double y, double side, bool mirrored, double radius);

/* A knot more of the stroke in work; those beyond the room are left out. */
void s3svm_hand_knot(s3svm_hand *h, double x, double y, bool corner);

/* Draw what the knots make, and forget them: an open stroke, a closed one filled with paint, dots. */
void s3svm_hand_open(s3svm_hand *h);
void s3svm_hand_closed(s3svm_hand *h, const s3svm_paint *paint);
void s3svm_hand_dots(s3svm_hand *h);

/* The strokes of a text; subjects.h says how it is to read. */
void s3svm_hand_strokes(s3svm_hand *h, const char *text);

void s3svm_hand_line(s3svm_hand *h, double x0, double y0, double x1, double y1);
void s3svm_hand_rectangle(s3svm_hand *h, double x0, double y0, double x1, double y1);
void s3svm_hand_blob(s3svm_hand *h, double x, double y, double rx, double ry, double uneven, const s3svm_paint *paint);

/* An outline of bumps, as of clouds and of the crowns of trees. */
void s3svm_hand_bumps(s3svm_hand *h, double x, double y, double rx, double ry, size_t count);

#endif
