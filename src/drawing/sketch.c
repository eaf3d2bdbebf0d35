/* drawing_sketch.c - free-hand sketches: strokes along splines that tremble, drawn by a pen of uneven width. */
#include <math.h>
#include <string.h>

#include "drawing/parts.h"

enum { KNOTS_MAX = 128, STEPS_MAX = 1800 };

typedef struct knot {
    double x, y;
    bool corner;
} knot;

/* A value that wanders about 0, about -1 ... 1, with a new aim after every stretch. */
typedef struct drift {
    double from, to, at; /* at: how far between the two, 0 ... 1 */
} drift;

/* How and where a subject's square of 100 by 100 comes to paper. */
typedef struct hand {
    sos_canvas *c;
    sos_spot middle, right, down; /* in pixels: the square's middle, and a hundredth of it to the right and down */
    struct {
        sos_spot wave, shift;
        double phase;
    } warp[3];              /* bends the square, so that no two subjects are alike */
    double radius, tremble; /* of the pen, in pixels */

    size_t word, word_step; /* the one written last, and how far in the list the next one is */

    /* The stroke in work. */
    size_t knot_count, step_count;
    knot knots[KNOTS_MAX];
    sos_spot steps[STEPS_MAX];
} hand;

/* One of these in an expression, never two: C leaves their order open, and compilers differ. */
static double between(sos_canvas *c, double least, double most) { return sos_canvas_between(c, least, most); }
static size_t pick(sos_canvas *c, size_t least, size_t most) { return sos_canvas_pick(c, least, most); }
static bool chance(sos_canvas *c, double probability) { return sos_canvas_chance(c, probability); }

/* ---- the hand ---- */

/* A pen's radius for cells of 200 pixels; never so thin that lines break. */
static double pen_any(sos_canvas *c) { return fmax(between(c, 1, 2.1) * c->unit, 0.65); }

/* A square of the given side around (x, y), leaning a little. */
static void hand_place(hand *h, sos_canvas *c, double x, double y, double side, bool mirrored, double radius)
{
    const double lean = between(c, -0.012, 0.012), slim = between(c, 0.92, 1.06);
    const sos_spot t = sos_turn(lean);
    h->c = c;
    h->middle = (sos_spot){ x, y };
    h->right = (sos_spot){ t.x * side / 100 * slim * (mirrored ? -1 : 1), t.y * side / 100 };
    h->down = (sos_spot){ -t.y * side / 100, t.x * side / 100 };
    h->radius = radius;
    h->tremble = fmin(between(c, 0.3, 0.9) * c->unit, side / 150);
    for (size_t i = 0; i < 3; i++) {
        const double size = between(c, 0.4, 1.5);
        h->warp[i].wave.x = between(c, -0.016, 0.016);
        h->warp[i].wave.y = between(c, -0.016, 0.016);
        h->warp[i].shift.x = size * between(c, -1, 1);
        h->warp[i].shift.y = size * between(c, -1, 1);
        h->warp[i].phase = between(c, 0, 1);
    }
}

static sos_spot hand_map(const hand *h, double x, double y)
{
    double u = x - 50, v = y - 50;
    for (size_t i = 0; i < 3; i++) {
        const double s = sos_turn(h->warp[i].wave.x * x + h->warp[i].wave.y * y + h->warp[i].phase).y;
        u += h->warp[i].shift.x * s;
        v += h->warp[i].shift.y * s;
    }
    return (sos_spot){ h->middle.x + u * h->right.x + v * h->down.x, h->middle.y + u * h->right.y + v * h->down.y };
}

static drift drift_begin(sos_canvas *c)
{
    const double start = between(c, -1, 1), aim = between(c, -1, 1), at = between(c, 0, 1);
    return (drift){ .from = start, .to = aim, .at = at };
}

static double drift_move(sos_canvas *c, drift *d, double by)
{
    d->at += by;
    if (d->at >= 1) {
        d->at -= floor(d->at);
        d->from = d->to;
        d->to = between(c, -1, 1);
    }
    const double t = d->at * d->at * (3 - 2 * d->at);
    return d->from + t * (d->to - d->from);
}

/* ---- strokes ---- */

static void knot_add(hand *h, double x, double y, bool corner)
{
    if (h->knot_count < KNOTS_MAX) h->knots[h->knot_count++] = (knot){ x, y, corner };
}

static double knot_distance(const knot *a, const knot *b)
{
    return sqrt((b->x - a->x) * (b->x - a->x) + (b->y - a->y) * (b->y - a->y));
}

/* The velocity at b on the way from a over b to d, for a piece whose parameter has the given span.  The spline is Catmull and
 * Rom's with the parameter growing by the root of the distance (centripetal): there are neither loops nor overshoots. */
static sos_spot velocity(const knot *a, const knot *b, const knot *d, double span)
{
    const double s = sqrt(knot_distance(a, b)), t = sqrt(knot_distance(b, d));
    if (s < 1e-6 || t < 1e-6) return (sos_spot){ 0, 0 };
    return (sos_spot){ span * ((b->x - a->x) / s - (d->x - a->x) / (s + t) + (d->x - b->x) / t),
                       span * ((b->y - a->y) / s - (d->y - a->y) / (s + t) + (d->y - b->y) / t) };
}

static void step_add(hand *h, double x, double y)
{
    if (h->step_count < STEPS_MAX) h->steps[h->step_count++] = hand_map(h, x, y);
}

/* The curve from b to d, where the way comes from a and goes on to e; NULL: it does not. */
static void piece_add(hand *h, const knot *a, const knot *b, const knot *d, const knot *e)
{
    const double length = knot_distance(b, d), span = sqrt(length);
    const double pixels = length * sqrt(h->down.x * h->down.x + h->down.y * h->down.y);
    const sos_spot straight = { d->x - b->x, d->y - b->y };
    const sos_spot m = a && !b->corner ? velocity(a, b, d, span) : straight;
    const sos_spot n = e && !d->corner ? velocity(b, d, e, span) : straight;
    const size_t count = (size_t)fmin(fmax(pixels / 2, 2), 200);
    for (size_t i = 0; i < count; i++) {
        const double t = (double)i / (double)count, r = 1 - t;
        const double hb = (1 + 2 * t) * r * r, hm = t * r * r, hd = t * t * (3 - 2 * t), hn = t * t * (t - 1);
        step_add(h, hb * b->x + hm * m.x + hd * d->x + hn * n.x, hb * b->y + hm * m.y + hd * d->y + hn * n.y);
    }
}

/* From knots to steps.  Trembling, a closed stroke will not quite meet its beginning, as with a hand. */
static void steps_make(hand *h, bool closed)
{
    const size_t n = h->knot_count;
    const knot *k = h->knots;
    h->step_count = 0;
    for (size_t i = 0; i + 1 < n + closed; i++) {
        const knot *before = i ? &k[i - 1] : closed ? &k[n - 1] : NULL;
        const knot *after = i + 2 < n ? &k[i + 2] : closed ? &k[(i + 2) % n] : NULL;
        piece_add(h, before, &k[i], &k[(i + 1) % n], after);
    }
    if (n) step_add(h, k[closed ? 0 : n - 1].x, k[closed ? 0 : n - 1].y);
    h->knot_count = 0;
}

/* Moves the steps as a hand trembles, more slowly than the pen is wide. */
static void steps_tremble(hand *h)
{
    drift x = drift_begin(h->c), y = drift_begin(h->c);
    const double stretch = fmax(14 * h->c->unit, 4);
    sos_spot last = h->step_count ? h->steps[0] : (sos_spot){ 0, 0 };
    for (size_t i = 0; i < h->step_count; i++) {
        const sos_spot p = h->steps[i];
        const double by = sqrt((p.x - last.x) * (p.x - last.x) + (p.y - last.y) * (p.y - last.y)) / stretch;
        h->steps[i].x += h->tremble * drift_move(h->c, &x, by);
        h->steps[i].y += h->tremble * drift_move(h->c, &y, by);
        last = p;
    }
}

static void steps_fill(hand *h, const sos_paint *paint)
{
    for (size_t i = 0; i < h->step_count; i++) sos_path_add(h->c, h->steps[i].x, h->steps[i].y);
    sos_path_fill(h->c, paint);
}

/* The pen presses unevenly, and less where it sets down and lifts off. */
static void steps_stroke(hand *h)
{
    drift press = drift_begin(h->c);
    const double by = 2 / fmax(30 * h->c->unit, 8);
    for (size_t i = 0; i < h->step_count; i++) {
        const size_t from_end = i < h->step_count - 1 - i ? i : h->step_count - 1 - i;
        const double lift = from_end < 4 ? 0.7 + 0.075 * (double)from_end : 1;
        const double r = h->radius * lift * (1 + 0.28 * drift_move(h->c, &press, by));
        sos_path_add_round(h->c, h->steps[i].x, h->steps[i].y, fmax(r, 0.55));
    }
    sos_path_stroke(h->c);
}

static void stroke_open(hand *h)
{
    steps_make(h, false);
    steps_tremble(h);
    steps_stroke(h);
}

static void stroke_closed(hand *h, const sos_paint *paint)
{
    steps_make(h, true);
    steps_tremble(h);
    steps_fill(h, paint);
    steps_stroke(h);
}

static void dots_draw(hand *h)
{
    for (size_t i = 0; i < h->knot_count; i++) {
        const sos_spot p = hand_map(h, h->knots[i].x, h->knots[i].y);
        sos_path_add_round(h->c, p.x, p.y, h->radius * between(h->c, 1.2, 1.5));
        sos_path_stroke(h->c);
    }
    h->knot_count = 0;
}

static void blob(hand *h, double x, double y, double rx, double ry, double uneven, const sos_paint *paint)
{
    const size_t n = 9;
    const double begin = between(h->c, 0, 1);
    for (size_t i = 0; i < n; i++) {
        const sos_spot t = sos_turn(begin + (double)i / (double)n);
        const double r = between(h->c, 1 - uneven, 1 + uneven);
        knot_add(h, x + r * rx * t.x, y + r * ry * t.y, false);
    }
    stroke_closed(h, paint);
}

/* The first knot is the middle, the second holds the radii. */
static void circle_finish(hand *h)
{
    const knot middle = h->knots[0], radii = h->knots[1];
    const bool whole = h->knot_count == 2;
    h->knot_count = 0;
    if (whole) blob(h, middle.x, middle.y, radii.x, radii.y, 0.04, &sos_paper);
}

/* What the letters of drawing_parts.h mean. */
static void stroke_finish(hand *h, char kind)
{
    if (kind == 's' || kind == 'l')
        stroke_open(h);
    else if (kind == 'o' || kind == 'p')
        stroke_closed(h, &sos_paper);
    else if (kind == 'c')
        circle_finish(h);
    else if (kind == 'f')
        stroke_closed(h, &sos_ink);
    else
        dots_draw(h);
}

static double number_take(const char **text)
{
    const bool negative = **text == '-';
    double x = 0;
    for (*text += negative; **text >= '0' && **text <= '9'; ++*text) x = 10 * x + (**text - '0');
    return negative ? -x : x;
}

static void strokes_draw(hand *h, const char *text)
{
    char kind = 0;
    while (*text) {
        if (*text == ' ') {
            text++;
        } else if (*text >= 'a' && *text <= 'z') {
            if (kind) stroke_finish(h, kind);
            kind = *text++;
        } else {
            const double x = number_take(&text);
            text += *text == ',';
            const double y = number_take(&text);
            const bool corner = *text == '!';
            text += corner;
            knot_add(h, x, y, corner || kind == 'l' || kind == 'p');
        }
    }
    if (kind) stroke_finish(h, kind);
}

/* ---- strokes from numbers ---- */

static void line(hand *h, double x0, double y0, double x1, double y1)
{
    knot_add(h, x0, y0, true);
    knot_add(h, x1, y1, true);
    stroke_open(h);
}

static void rectangle(hand *h, double x0, double y0, double x1, double y1)
{
    knot_add(h, x0, y0, true);
    knot_add(h, x1, y0, true);
    knot_add(h, x1, y1, true);
    knot_add(h, x0, y1, true);
    stroke_closed(h, &sos_paper);
}

/* An outline of bumps, as of clouds and of the crowns of trees. */
static void bumps(hand *h, double x, double y, double rx, double ry, size_t count)
{
    const double begin = between(h->c, 0, 1);
    for (size_t i = 0; i < count; i++) {
        const double a = begin + ((double)i + between(h->c, -0.15, 0.15)) / (double)count, rise = between(h->c, 1.1, 1.22);
        const sos_spot t = sos_turn(a), l = sos_turn(a + 0.25 / (double)count), m = sos_turn(a + 0.5 / (double)count);
        const sos_spot r = sos_turn(a + 0.75 / (double)count);
        knot_add(h, x + 0.9 * rx * t.x, y + 0.9 * ry * t.y, true);
        knot_add(h, x + 1.1 * rx * l.x, y + 1.1 * ry * l.y, false);
        knot_add(h, x + rise * rx * m.x, y + rise * ry * m.y, false);
        knot_add(h, x + 1.1 * rx * r.x, y + 1.1 * ry * r.y, false);
    }
    stroke_closed(h, &sos_paper);
}

/* ---- subjects made from numbers ---- */

static void smoke_draw(hand *h, double x, double y)
{
    for (size_t i = 0; i < 5; i++) knot_add(h, x + (i & 1 ? 5 : -1) + 2 * (double)i, y - 6 * (double)i, false);
    stroke_open(h);
}

static void window_draw(hand *h, double x, double y, double w, double t)
{
    rectangle(h, x, y, x + w, y + t);
    line(h, x + w / 2, y, x + w / 2, y + t);
    line(h, x, y + t / 2, x + w, y + t / 2);
}

static void house_draw(hand *h)
{
    sos_canvas *c = h->c;
    const double left = between(c, 10, 18), right = between(c, 80, 90), eaves = between(c, 42, 52), top = between(c, 10, 20);
    const double ridge = between(c, 0, 1) < 0.5 ? 0 : 16, middle = (left + right) / 2,
                 door = between(c, 0, 1) < 0.5 ? 0.18 : 0.62;
    if (chance(c, 0.75)) {
        rectangle(h, right - 22, top, right - 13, eaves - 4);
        smoke_draw(h, right - 18, top - 2);
    }
    rectangle(h, left, eaves, right, 92);
    knot_add(h, left - 6, eaves + 1, true);
    knot_add(h, middle - ridge, top + 2, true);
    knot_add(h, middle + ridge, top + 2, true);
    knot_add(h, right + 6, eaves + 1, true);
    stroke_closed(h, &sos_paper);
    const double at = left + door * (right - left);
    rectangle(h, at, 66, at + 14, 92);
    knot_add(h, at + 11, 80, false);
    dots_draw(h);
    window_draw(h, door < 0.4 ? right - 34 : left + 9, eaves + 11, 20, 17);
    if (!(ridge > 0)) blob(h, middle, (top + eaves) / 2 + 3, 6, 6, 0.05, &sos_paper);
    line(h, 0, 92, 100, 92);
}

static void tree_draw(hand *h)
{
    sos_canvas *c = h->c;
    const double crown = between(c, 30, 36), w = between(c, 5, 8);
    knot_add(h, 50 - w, crown + 20, false);
    knot_add(h, 50 - w, 76, false);
    knot_add(h, 50 - w - 7, 94, true);
    knot_add(h, 50 + w + 7, 94, true);
    knot_add(h, 50 + w, 76, false);
    knot_add(h, 50 + w, crown + 20, false);
    stroke_closed(h, &sos_paper);
    const double half_width = between(c, 28, 36), half_height = between(c, 22, 26);
    bumps(h, 50, crown, half_width, half_height, pick(c, 7, 11));
    for (size_t i = pick(c, 0, 5); i; i--) {
        const double x = between(c, 30, 70), y = between(c, 20, 46);
        blob(h, x, y, 3, 3, 0.1, chance(c, 0.5) ? &sos_ink : &sos_paper);
    }
    line(h, 50, 72, 51, 84);
}

static void fir_draw(hand *h)
{
    const size_t tiers = pick(h->c, 3, 4);
    rectangle(h, 45, 82, 55, 96);
    for (size_t i = tiers; i-- > 0;) {
        const double y = 4 + 70 * (double)i / (double)tiers, w = 14 + 22 * (double)(i + 1) / (double)tiers,
                     low = y + 84 / (double)tiers + 4;
        knot_add(h, 50, y, true);
        knot_add(h, 50 + w * 0.45, y + (low - y) * 0.6, false);
        knot_add(h, 50 + w, low, true);
        knot_add(h, 50, low + 4, false);
        knot_add(h, 50 - w, low, true);
        knot_add(h, 50 - w * 0.45, y + (low - y) * 0.6, false);
        stroke_closed(h, &sos_paper);
    }
}

static void flower_draw(hand *h)
{
    sos_canvas *c = h->c;
    const size_t petals = pick(c, 5, 9);
    const double x = between(c, 46, 54), y = 32, begin = between(c, 0, 1), inner = between(c, 8, 11),
                 outer = between(c, 27, 31);
    knot_add(h, x, y, false);
    knot_add(h, 52, 66, false);
    knot_add(h, 49, 98, false);
    stroke_open(h);
    strokes_draw(h, chance(c, 0.5) ? "o 50,86! 64,70 82,66! 72,84" : "o 50,80! 36,66 18,64! 28,80 o 50,92! 64,78 80,76! 70,90");
    for (size_t i = 0; i < petals; i++) {
        const double a = begin + (double)i / (double)petals, wide = 0.4 / (double)petals;
        const sos_spot l = sos_turn(a - wide), m = sos_turn(a), r = sos_turn(a + wide);
        knot_add(h, x + inner * 0.7 * m.x, y + inner * 0.7 * m.y, true);
        knot_add(h, x + 0.8 * outer * l.x, y + 0.8 * outer * l.y, false);
        knot_add(h, x + outer * m.x, y + outer * m.y, false);
        knot_add(h, x + 0.8 * outer * r.x, y + 0.8 * outer * r.y, false);
        stroke_closed(h, &sos_paper);
    }
    blob(h, x, y, inner, inner, 0.05, &sos_paper);
    for (size_t i = 0; i < 4; i++) {
        const sos_spot t = sos_turn(0.25 * (double)i);
        knot_add(h, x + 0.45 * inner * t.x, y + 0.45 * inner * t.y, false);
    }
    dots_draw(h);
}

static void sun_draw(hand *h)
{
    const size_t rays = pick(h->c, 9, 14);
    const double begin = between(h->c, 0, 1);
    for (size_t i = 0; i < rays; i++) {
        const sos_spot t = sos_turn(begin + (double)i / (double)rays);
        const double far = i & 1 ? 40 : 47;
        line(h, 50 + 30 * t.x, 50 + 30 * t.y, 50 + far * t.x, 50 + far * t.y);
    }
    blob(h, 50, 50, 22, 22, 0.04, &sos_paper);
    if (chance(h->c, 0.5)) strokes_draw(h, "d 43,46 57,46 s 40,55 50,61 60,55");
}

static void cloud_draw(hand *h) { bumps(h, 50, 50, 38, 22, pick(h->c, 7, 9)); }

static void hair_draw(hand *h)
{
    switch (pick(h->c, 0, 3)) {
    case 0: /* curls */
        for (size_t i = 0; i < 6; i++)
            blob(h, 22 + 11.2 * (double)i, 20 - (i == 0 || i == 5 ? -8 : i == 1 || i == 4 ? 2 : 6), 9, 8, 0.1, &sos_paper);
        break;
    case 1: /* bristles */
        for (size_t i = 0; i < 11; i++) {
            const sos_spot t = sos_turn(0.56 + 0.038 * (double)i);
            line(h, 50 + 36 * t.x, 54 + 42 * t.y, 50 + 45 * t.x, 54 + 54 * t.y);
        }
        break;
    case 2: strokes_draw(h, "o 12,60 8,30 26,8 52,4 78,8 93,30 88,60! 82,36 64,28! 50,34 34,26! 18,38"); break;
    default: strokes_draw(h, "o 18,26! 26,-6! 74,-6! 82,26! 50,22 l 6,27 94,27 s 21,16 50,12 79,16");
    }
}

static void face_draw(hand *h)
{
    sos_canvas *c = h->c;
    static const char *const EYES[] = { "d 36,46 64,46", "o 28,46 36,41 44,46 36,51 d 36,46 o 56,46 64,41 72,46 64,51 d 64,46",
                                        "s 30,47 36,43 42,47 s 58,47 64,43 70,47",
                                        "c 35,46 9,8 c 65,46 9,8 s 44,45 50,43 56,45 d 35,46 65,46" };
    static const char *const NOSES[] = { "s 50,48 45,62 51,64", "s 46,60 50,64 54,60", "c 50,60 5,5" };
    static const char *const MOUTHS[] = { "s 34,72 50,82 66,72", "o 36,72! 50,74 64,72! 50,86", "s 38,78 50,75 62,78",
                                          "c 50,78 7,6" };
    strokes_draw(h, "o 14,50 6,48 5,60 14,64 o 86,50 94,48 95,60 86,64");
    blob(h, 50, 54, 37, 43, 0.03, &sos_paper);
    strokes_draw(h, EYES[pick(c, 0, 3)]);
    strokes_draw(h, NOSES[pick(c, 0, 2)]);
    strokes_draw(h, MOUTHS[pick(c, 0, 3)]);
    if (chance(c, 0.65)) strokes_draw(h, "s 28,36 35,33 43,36 s 57,36 65,33 72,36");
    hair_draw(h);
}

/* A range with snow on its peaks. */
static void mountains_draw(hand *h)
{
    sos_canvas *c = h->c;
    for (size_t range = 0; range < 3; range++) {
        const double x = range == 0   ? 30
                         : range == 1 ? 72
                                      : 48,
                     top = range == 2 ? between(c, 34, 44) : between(c, 12, 30), w = between(c, 28, 36);
        knot_add(h, x - w, 86, true);
        knot_add(h, x - 0.45 * w, top + 0.5 * (86 - top), true);
        knot_add(h, x, top, true);
        knot_add(h, x + 0.3 * w, top + 0.34 * (86 - top), true);
        knot_add(h, x + w, 86, true);
        stroke_closed(h, &sos_paper);
        const double snow = top + 0.28 * (86 - top);
        knot_add(h, x - 0.25 * w, snow, true);
        knot_add(h, x - 0.1 * w, snow + 5, true);
        knot_add(h, x, snow - 2, true);
        knot_add(h, x + 0.1 * w, snow + 6, true);
        knot_add(h, x + 0.25 * w, snow, true);
        stroke_open(h);
    }
    line(h, 2, 86, 98, 86);
}

static void spiral_draw(hand *h)
{
    const double turns = between(h->c, 2.6, 4);
    for (size_t i = 0; i < 60; i++) {
        const double t = (double)i / 59;
        const sos_spot d = sos_turn(turns * t);
        knot_add(h, 50 + 44 * t * d.x, 50 + 44 * t * d.y, false);
    }
    stroke_open(h);
}

static void star_draw(hand *h)
{
    const double tilt = between(h->c, -0.03, 0.03);
    for (size_t i = 0; i < 5; i++) {
        const sos_spot t = sos_turn(tilt - 0.25 + 0.4 * (double)i);
        knot_add(h, 50 + 45 * t.x, 52 + 45 * t.y, true);
    }
    stroke_closed(h, &sos_paper);
}

static void branch_grow(hand *h, double x, double y, double angle, double length, size_t depth)
{
    const sos_spot t = sos_turn(angle);
    const double bend = between(h->c, -0.12, 0.12) * length, x1 = x + length * t.x, y1 = y + length * t.y;
    knot_add(h, x, y, false);
    knot_add(h, (x + x1) / 2 - bend * t.y, (y + y1) / 2 + bend * t.x, false);
    knot_add(h, x1, y1, false);
    stroke_open(h);
    if (!depth) return;
    const double before = h->radius;
    h->radius *= 0.8;
    for (int side = -1; side < 2; side += 2) {
        const double turned = angle + side * between(h->c, 0.06, 0.11);
        branch_grow(h, x1, y1, turned, length * between(h->c, 0.62, 0.78), depth - 1);
    }
    h->radius = before;
}

static void bare_tree_draw(hand *h)
{
    h->radius *= 1.5;
    branch_grow(h, 50, 96, -0.25, 30, 4);
    line(h, 26, 96, 74, 96);
}

typedef struct maker {
    void (*draw)(hand *h);
    bool simple;
} maker;

static const maker MAKERS[] = { { house_draw, false }, { tree_draw, true },    { fir_draw, true },   { flower_draw, false },
                                { face_draw, false },  { sun_draw, true },     { cloud_draw, true }, { mountains_draw, true },
                                { star_draw, true },   { spiral_draw, false }, { face_draw, false }, { bare_tree_draw, false },
                                { flower_draw, false } };
enum { MAKER_COUNT = sizeof MAKERS / sizeof *MAKERS };

/* ---- what is on a sheet ---- */

static bool subject_fits(size_t i, bool simple)
{
    return !simple || (i < MAKER_COUNT ? MAKERS[i].simple : sos_subjects[i - MAKER_COUNT].simple);
}

/* Subject number n of all that fit: those of numbers that follow each other are spread over the list, and differ. */
static size_t subject_choose(uint64_t n, bool simple)
{
    const size_t all = sos_subject_count + MAKER_COUNT;
    size_t fit = 0, at = 0;
    for (size_t i = 0; i < all; i++) fit += subject_fits(i, simple);
    if (!fit) return 0;
    size_t rest = (size_t)(n % fit) * (fit % 19 ? 19 : 17) % fit;
    while (!subject_fits(at, simple) || rest-- > 0) at++;
    return at;
}

static void subject_draw(hand *h, uint64_t n, bool simple, double x, double y, double side)
{
    const size_t i = subject_choose(n, simple);
    sos_canvas *c = h->c;
    const bool mirrored = i >= MAKER_COUNT && !sos_subjects[i - MAKER_COUNT].upright && chance(c, 0.5);
    hand_place(h, c, x, y, side, mirrored, fmin(pen_any(c), fmax(side / 40, 0.65)));
    if (i < MAKER_COUNT)
        MAKERS[i].draw(h);
    else
        strokes_draw(h, sos_subjects[i - MAKER_COUNT].strokes);
}

/* A subject in every cell. */
static void subjects_draw(hand *h)
{
    sos_canvas *c = h->c;
    const size_t cells = c->columns * c->rows;
    for (size_t i = 0; i < cells; i++) {
        const double x = ((double)(i % c->columns) + between(c, 0.46, 0.54)) * c->cell_width;
        const double y = ((double)(i / c->columns) + between(c, 0.47, 0.53)) * c->cell_height;
        subject_draw(h, c->seed * cells + i, c->unit < 0.35, x, y, between(c, 148, 178) * c->unit);
    }
}

static const char *const WORDS[] = { "hello", "river", "energy", "garden", "pencil", "quick", "brown",  "fox",
                                     "jumps", "over",  "lazy",   "dog",    "noise",  "black", "white",  "paper",
                                     "sum",   "graph", "cut",    "flow",   "zebra",  "six",   "2013",   "42",
                                     "yes",   "maybe", "winter", "kite",   "a",      "the",   "letter", "1768",
                                     "95",    "vowel", "jazz",   "apple",  "min",    "of",    "to",     "and" };

static const char *word_next(hand *h) { return WORDS[h->word = (h->word + h->word_step) % (sizeof WORDS / sizeof *WORDS)]; }

static double word_width(const char *word)
{
    double width = 0;
    for (; *word; word++) width += sos_letter_width(*word);
    return width;
}

/* Writes a word with its lower left corner at (x, y) of the line of writing; size is a letter's box of 100. */
static void word_draw(hand *h, const char *word, double x, double y, double size, double radius)
{
    sos_canvas *c = h->c;
    const double slant = between(c, 0.05, 0.25);
    for (; *word; word++) {
        const char *strokes = sos_letter_strokes(*word);
        const double middle = x + 0.5 * size;
        hand_place(h, c, middle, y - 0.2 * size + between(c, -0.02, 0.02) * size, size, false, radius);
        h->down.x -= slant * size / 100;
        h->tremble *= 0.7;
        if (strokes) strokes_draw(h, strokes);
        x += sos_letter_width(*word) * size / 100;
    }
}

static void writing_draw(hand *h)
{
    sos_canvas *c = h->c;
    const double lines = fmax(floor(c->height / (between(c, 52, 72) * c->unit)), 1), pitch = c->height / lines,
                 size = pitch * 0.92;
    const double radius = fmax(fmin(pen_any(c), size / 22), 0.65);
    for (size_t i = 0; i < (size_t)lines; i++) {
        const double y = ((double)i + 0.7) * pitch;
        double x = size * between(c, 0.1, 0.5);
        for (size_t n = 0; n < 4000; n++) {
            const char *word = word_next(h);
            const double width = word_width(word) * size / 100;
            if (x + width > c->width && x > size) break;
            word_draw(h, word, x, y, size, radius);
            x += width + size * between(c, 0.22, 0.4);
        }
    }
}

/* A subject, and beside it a few words. */
static void note_draw(hand *h)
{
    sos_canvas *c = h->c;
    const size_t cells = c->columns * c->rows, first = pick(c, 0, 1);
    for (size_t i = 0; i < cells; i++) {
        const double left = (double)(i % c->columns) * c->cell_width, top = (double)(i / c->columns) * c->cell_height,
                     u = c->unit;
        if (i % 2 == first || cells == 1) {
            subject_draw(h, c->seed * cells + i, u < 0.35, left + 100 * u, top + 100 * u, between(c, 145, 170) * u);
            continue;
        }
        const double radius = pen_any(c);
        for (size_t k = 0; k < 3; k++) {
            const char *word = word_next(h);
            const double size = fmin(68 * u, 0.92 * c->cell_width / word_width(word) * 100);
            word_draw(h, word, left + between(c, 4, 20) * u, top + (50 + 58 * (double)k) * u, size,
                      fmax(fmin(radius, size / 22), 0.65));
        }
    }
}

/* A wavy line from border to border that hides what is behind it. */
static void hill_draw(hand *h, double y, double rise)
{
    sos_canvas *c = h->c;
    const size_t n = (size_t)fmin(3 + c->width / (50 * c->unit), 100);
    hand_place(h, c, 0, 0, 100, false, pen_any(c));
    h->middle = (sos_spot){ 50, 50 }; /* pixels are the square's units here */
    h->right = (sos_spot){ 1, 0 };
    h->down = (sos_spot){ 0, 1 };
    memset(h->warp, 0, sizeof h->warp);
    for (size_t i = 0; i < n; i++)
        knot_add(h, (1.1 * (double)i / (double)(n - 1) - 0.05) * c->width, y + rise * between(c, -1, 1), false);
    knot_add(h, 1.05 * c->width, c->height + 40 * c->unit, true);
    knot_add(h, -0.05 * c->width, c->height + 40 * c->unit, true);
    stroke_closed(h, &sos_paper);
}

typedef struct prop {
    void (*draw)(hand *h);
    double least, most; /* size, for cells of 200 */
} prop;

/* Props along the width, standing at height y. */
static void props_draw(hand *h, size_t count, const prop props[], size_t kinds, double y, double places)
{
    sos_canvas *c = h->c;
    for (size_t i = 0; i < count; i++) {
        const prop *p = &props[pick(c, 0, kinds - 1)];
        const double size = between(c, p->least, p->most) * c->unit,
                     x = ((double)i + between(c, 0.3, 0.7)) / (double)count * c->width;
        const double foot = y + places * between(c, -1, 1), radius = fmax(fmin(pen_any(c), size / 45), 0.65);
        hand_place(h, c, x, foot - 0.45 * size, size, false, radius);
        p->draw(h);
    }
}

/* From back to front: sky, mountains, hills with trees and houses, flowers. */
static void scene_draw(hand *h)
{
    sos_canvas *c = h->c;
    static const prop CLOUDS[] = { { cloud_draw, 50, 85 } };
    static const prop FAR[] = { { mountains_draw, 110, 150 }, { mountains_draw, 90, 130 } };
    static const prop NEAR[] = { { house_draw, 75, 105 },
                                 { tree_draw, 70, 105 },
                                 { fir_draw, 65, 105 },
                                 { bare_tree_draw, 70, 100 },
                                 { house_draw, 70, 90 } };
    static const prop FRONT[] = { { flower_draw, 52, 68 }, { fir_draw, 50, 70 }, { flower_draw, 48, 62 } };
    const double whole = fmin(c->width, c->height) / 200, before = c->unit, sky = 0.3 * c->height, u = whole;
    const size_t across = (size_t)fmax(c->width / (200 * u) + 0.5, 1);
    c->unit = whole; /* a scene is one, however large the picture */
    const double x = between(c, 0.08, 0.92) * c->width, y = between(c, 0.5, 0.7) * sky, size = between(c, 60, 80) * u;
    hand_place(h, c, x, y, size, false, pen_any(c));
    sun_draw(h);
    props_draw(h, across + 1, CLOUDS, 1, sky, 6 * u);
    const double ground = 0.68 * c->height - between(c, 0, 14) * u;
    if (chance(c, 0.7)) props_draw(h, across + 1, FAR, 2, ground + 12 * u, 3 * u);
    for (size_t i = 0; ground + (double)i * 62 * u < c->height - 50 * u; i++) {
        const double top = ground + (double)i * 62 * u;
        hill_draw(h, top, 7 * u);
        props_draw(h, 2 * across - 1 + pick(c, 0, 1), NEAR, 5, top + 22 * u, 6 * u);
    }
    if (chance(c, 0.6)) hill_draw(h, c->height - 22 * u, 6 * u);
    props_draw(h, across + pick(c, 0, 1), FRONT, 3, c->height - 6 * u, 3 * u);
    c->unit = before;
}

void sos_drawing_sketch(sos_canvas *c)
{
    static void (*const SHEETS[])(hand *) = { subjects_draw, subjects_draw, scene_draw,   subjects_draw, note_draw,
                                              subjects_draw, subjects_draw, writing_draw, subjects_draw, scene_draw };
    static const size_t STEPS[] = { 3, 7, 11, 13, 17 }; /* share no divisor with the number of words, 40 */
    hand h = { .c = c, .word = pick(c, 0, sizeof WORDS / sizeof *WORDS - 1) };
    h.word_step = STEPS[pick(c, 0, 4)];
    const size_t kinds = c->unit < 0.35 ? 2 : sizeof SHEETS / sizeof *SHEETS; /* what is small must be simple */
    SHEETS[c->seed % kinds](&h);
}
