/* hand.h - what sketches are drawn with: strokes along splines that tremble, by a pen of uneven width. */
#ifndef SOS_DRAWING_HAND_H
#define SOS_DRAWING_HAND_H

#include "drawing/canvas.h"

enum { SOS_KNOTS_MAX = 128, SOS_STEPS_MAX = 1800 };

typedef struct sos_knot {
    double x, y;
    bool corner;
} sos_knot;

/* How and where a subject's square of 100 by 100 comes to paper. */
typedef struct sos_hand {
    sos_canvas *c;
    sos_spot middle, right, down; /* in pixels: the square's middle, and a hundredth of it to the right and down */
    struct {
        sos_spot wave, shift;
        double phase;
    } warp[3];              /* bends the square, so that no two subjects are alike */
    double radius, tremble; /* of the pen, in pixels */

    size_t word, word_step; /* the word written last, and how far in the list the next one is */

    /* The stroke in work. */
    size_t knot_count, step_count;
    sos_knot knots[SOS_KNOTS_MAX];
    sos_spot steps[SOS_STEPS_MAX];
} sos_hand;

/* The radius of a random pen; never so thin that lines break. */
double sos_hand_pen(sos_canvas *c);

/* A square of the given side around (x, y), leaning a little. */
void sos_hand_place(sos_hand *h, sos_canvas *c, double x, double y, double side, bool mirrored, double radius);

/* A knot more of the stroke in work; those beyond the room are left out. */
void sos_hand_knot(sos_hand *h, double x, double y, bool corner);

/* Draw what the knots make, and forget them: an open stroke, a closed one filled with paint, dots. */
void sos_hand_open(sos_hand *h);
void sos_hand_closed(sos_hand *h, const sos_paint *paint);
void sos_hand_dots(sos_hand *h);

/* The strokes of a text; subjects.h says how it is to read. */
void sos_hand_strokes(sos_hand *h, const char *text);

void sos_hand_line(sos_hand *h, double x0, double y0, double x1, double y1);
void sos_hand_rectangle(sos_hand *h, double x0, double y0, double x1, double y1);
void sos_hand_blob(sos_hand *h, double x, double y, double rx, double ry, double uneven, const sos_paint *paint);

/* An outline of bumps, as of clouds and of the crowns of trees. */
void sos_hand_bumps(sos_hand *h, double x, double y, double rx, double ry, size_t count);

#endif
