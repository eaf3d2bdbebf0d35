#include "experiments/denoise/dashes_drawing.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "drawing/canvas.h"

/* Pixels.  Gaps are about as long as dashes, so that nothing near a dash tells whether it is one of a row. */
static const double DASH = 6, GAP = 5, RADIUS = 1.2;

/* For each dash of a curve there is so much of a single one. */
static const double SINGLES = 0.8;

static const double CURVATURE_MOST = 1.0 / 80; /* lines of 25 pixels leave a curve by a pixel at most */
static const double TURN_MOST = 0.125;         /* from straight into the picture, in turns */
static const double STEP = 0.5;                /* from point to point of a path */
static const double TAU = 6.283185307179586;

typedef struct sheet {
    s3svm_canvas drawn, joined;
    double side;
} sheet;

static bool is_inside(const sheet *s, s3svm_spot p) { return p.x >= -1 && p.y >= -1 && p.x <= s->side && p.y <= s->side; }

/* A place on the frame, not close to a corner, and the direction across the picture from there, in turns. */
static s3svm_spot place_on_frame(sheet *s, double *turns)
{
    s3svm_canvas *c = &s->drawn;
    const size_t edge = s3svm_pick(c, 0, 3);
    const double along = s->side * s3svm_between(c, 0.15, 0.85), last = s->side - 1;
    *turns = (double)edge / 4 + s3svm_between(c, -TURN_MOST, TURN_MOST);
    const s3svm_spot places[] = { { 0, along }, { along, 0 }, { last, along }, { along, last } };
    return places[edge];
}

/* Draws a curve from the frame until it leaves the picture, and returns its length. */
static double curve_draw(sheet *s)
{
    double turns, length = 0;
    s3svm_spot p = place_on_frame(s, &turns);
    const double bend = s3svm_between(&s->drawn, -CURVATURE_MOST, CURVATURE_MOST) / TAU;
    const double phase = s3svm_between(&s->drawn, 0, DASH + GAP);
    bool inked = false;
    while (is_inside(s, p) && length < 4 * s->side) {
        const double at = length + phase, within = at - (DASH + GAP) * floor(at / (DASH + GAP));
        const sos_direction d = sos_turn(turns);
        s3svm_path_add_round(&s->joined, p.x, p.y, RADIUS);
        if (within < DASH) s3svm_path_add_round(&s->drawn, p.x, p.y, RADIUS);
        if (inked && !(within < DASH)) s3svm_path_stroke(&s->drawn);
        inked = within < DASH;
        p = (s3svm_spot){ p.x + STEP * d.x, p.y + STEP * d.y };
        turns += STEP * bend;
        length += STEP;
    }
    s3svm_path_stroke(&s->drawn);
    s3svm_path_stroke(&s->joined);
    return length;
}

static void single_draw(sheet *s)
{
    s3svm_canvas *c = &s->drawn;
    const double x = s3svm_between(c, 0, s->side), y = s3svm_between(c, 0, s->side);
    const sos_direction d = sos_turn(s3svm_between(c, 0, 0.5));
    const size_t points = (size_t)(DASH / STEP) + 1;
    for (size_t i = 0; i < points; i++) {
        const double at = STEP * (double)i - DASH / 2;
        s3svm_path_add_round(c, x + at * d.x, y + at * d.y, RADIUS);
    }
    s3svm_path_stroke(c);
}

static void sheet_draw(sheet *s)
{
    double length = 0;
    const size_t curves = s3svm_pick(&s->drawn, 2, 3);
    for (size_t i = 0; i < curves; i++) length += curve_draw(s);
    const size_t singles = (size_t)(SINGLES * length / (DASH + GAP));
    for (size_t i = 0; i < singles; i++) single_draw(s);
}

sos_status s3svm_dashes_make(size_t side, uint64_t seed, s3svm_image *drawn, s3svm_image *joined, sos_error *error)
{
    sheet *s = malloc(sizeof *s);
    if (!s) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a drawing");
    *drawn = *joined = (s3svm_image){ 0 };
    sos_status status = s3svm_image_create(side, side, 1, drawn, error);
    if (!status) status = s3svm_image_create(side, side, 1, joined, error);
    if (!status) {
        s->side = (double)side;
        s3svm_canvas_begin(&s->drawn, drawn, seed, 0);
        s3svm_canvas_begin(&s->joined, joined, seed, 1);
        sheet_draw(s);
    } else {
        s3svm_image_free(drawn);
    }
    free(s);
    return status;
}
