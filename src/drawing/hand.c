#include "drawing/hand.h"

#include <math.h>

/* A value that wanders about 0, about -1 ... 1, with a new aim after every stretch. */
typedef struct drift {
    double from, to, at; /* at: how far between the two, 0 ... 1 */
} drift;

/* ---- the hand ---- */

double s3svm_hand_pen(s3svm_canvas *c) { return fmax(s3svm_between(c, 1, 2.1) * c->unit, 0.65); }

void s3svm_hand_place(s3svm_hand *h, s3svm_canvas *c, double x, double y, double side, bool mirrored, double radius)
{
    const double lean = s3svm_between(c, -0.012, 0.012), slim = s3svm_between(c, 0.92, 1.06);
    const s3svm_spot t = sos_turn(lean);
    h->c = c;
    h->middle = (s3svm_spot){ x, y };
    h->right = (s3svm_spot){ t.x * side / 100 * slim * (mirrored ? -1 : 1), t.y * side / 100 };
    h->down = (s3svm_spot){ -t.y * side / 100, t.x * side / 100 };
    h->radius = radius;
    h->tremble = fmin(s3svm_between(c, 0.3, 0.9) * c->unit, side / 150);
    for (size_t i = 0; i < 3; i++) {
        const double size = s3svm_between(c, 0.4, 1.5);
        h->warp[i].wave.x = s3svm_between(c, -0.016, 0.016);
        h->warp[i].wave.y = s3svm_between(c, -0.016, 0.016);
        h->warp[i].shift.x = size * s3svm_between(c, -1, 1);
        h->warp[i].shift.y = size * s3svm_between(c, -1, 1);
        h->warp[i].phase = s3svm_between(c, 0, 1);
    }
}

static s3svm_spot hand_map(const s3svm_hand *h, double x, double y)
{
    double u = x - 50, v = y - 50;
    for (size_t i = 0; i < 3; i++) {
        const double s = sos_turn(h->warp[i].wave.x * x + h->warp[i].wave.y * y + h->warp[i].phase).y;
        u += h->warp[i].shift.x * s;
        v += h->warp[i].shift.y * s;
    }
    return (s3svm_spot){ h->middle.x + u * h->right.x + v * h->down.x, h->middle.y + u * h->right.y + v * h->down.y };
}

static drift drift_begin(s3svm_canvas *c)
{
    const double start = s3svm_between(c, -1, 1), aim = s3svm_between(c, -1, 1), at = s3svm_between(c, 0, 1);
    return (drift){ .from = start, .to = aim, .at = at };
}

static double drift_move(s3svm_canvas *c, drift *d, double by)
{
    d->at += by;
    if (d->at >= 1) {
        d->at -= floor(d->at);
        d->from = d->to;
        d->to = s3svm_between(c, -1, 1);
    }
    const double t = d->at * d->at * (3 - 2 * d->at);
    return d->from + t * (d->to - d->from);
}

/* ---- strokes ---- */

void s3svm_hand_knot(s3svm_hand *h, double x, double y, bool corner)
{
    if (h->knot_count < SOS_KNOTS_MAX) h->knots[h->knot_count++] = (sos_knot){ x, y, corner };
}

static double knot_distance(const sos_knot *a, const sos_knot *b)
{
    return sqrt((b->x - a->x) * (b->x - a->x) + (b->y - a->y) * (b->y - a->y));
}

/* The velocity at b on the way from a over b to d, for a piece whose parameter has the given span.  The spline is Catmull and
 * Rom's with the parameter growing by the root of the distance (centripetal): there are neither loops nor overshoots. */
static s3svm_spot velocity(const sos_knot *a, const sos_knot *b, const sos_knot *d, double span)
{
    const double s = sqrt(knot_distance(a, b)), t = sqrt(knot_distance(b, d));
    if (s < 1e-6 || t < 1e-6) return (s3svm_spot){ 0, 0 };
    return (s3svm_spot){ span * ((b->x - a->x) / s - (d->x - a->x) / (s + t) + (d->x - b->x) / t),
                         span * ((b->y - a->y) / s - (d->y - a->y) / (s + t) + (d->y - b->y) / t) };
}

static void step_add(s3svm_hand *h, double x, double y)
{
    if (h->step_count < S3SVM_STEPS_MAX) h->steps[h->step_count++] = hand_map(h, x, y);
}

/* The curve from b to d, where the way comes from a and goes on to e; NULL: it does not. */
static void piece_add(s3svm_hand *h, const sos_knot *a, const sos_knot *b, const sos_knot *d, const sos_knot *e)
{
    const double length = knot_distance(b, d), span = sqrt(length);
    const double pixels = length * sqrt(h->down.x * h->down.x + h->down.y * h->down.y);
    const s3svm_spot straight = { d->x - b->x, d->y - b->y };
    const s3svm_spot m = a && !b->corner ? velocity(a, b, d, span) : straight;
    const s3svm_spot n = e && !d->corner ? velocity(b, d, e, span) : straight;
    const size_t count = (size_t)fmin(fmax(pixels / 2, 2), 200);
    for (size_t i = 0; i < count; i++) {
        const double t = (double)i / (double)count, r = 1 - t;
        const double hb = (1 + 2 * t) * r * r, hm = t * r * r, hd = t * t * (3 - 2 * t), hn = t * t * (t - 1);
        step_add(h, hb * b->x + hm * m.x + hd * d->x + hn * n.x, hb * b->y + hm * m.y + hd * d->y + hn * n.y);
    }
}

/* From knots to steps.  Trembling, a closed stroke will not quite meet its beginning, as with a hand. */
static void steps_make(s3svm_hand *h, bool closed)
{
    const size_t n = h->knot_count;
    const sos_knot *k = h->knots;
    h->step_count = 0;
    for (size_t i = 0; i + 1 < n + closed; i++) {
        const sos_knot *before = i ? &k[i - 1] : closed ? &k[n - 1] : NULL;
        const sos_knot *after = i + 2 < n ? &k[i + 2] : closed ? &k[(i + 2) % n] : NULL;
        piece_add(h, before, &k[i], &k[(i + 1) % n], after);
    }
    if (n) step_add(h, k[closed ? 0 : n - 1].x, k[closed ? 0 : n - 1].y);
    h->knot_count = 0;
}

/* Moves the steps as a hand trembles, more slowly than the pen is wide. */
static void steps_tremble(s3svm_hand *h)
{
    drift x = drift_begin(h->c), y = drift_begin(h->c);
    const double stretch = fmax(14 * h->c->unit, 4);
    s3svm_spot last = h->step_count ? h->steps[0] : (s3svm_spot){ 0, 0 };
    for (size_t i = 0; i < h->step_count; i++) {
        const s3svm_spot p = h->steps[i];
        const double by = sqrt((p.x - last.x) * (p.x - last.x) + (p.y - last.y) * (p.y - last.y)) / stretch;
        h->steps[i].x += h->tremble * drift_move(h->c, &x, by);
        h->steps[i].y += h->tremble * drift_move(h->c, &y, by);
        last = p;
    }
}

static void steps_fill(s3svm_hand *h, const s3svm_paint *paint)
{
    for (size_t i = 0; i < h->step_count; i++) s3svm_path_add(h->c, h->steps[i].x, h->steps[i].y);
    s3svm_path_fill(h->c, paint);
}

/* The pen presses unevenly, and less where it sets down and lifts off. */
static void steps_stroke(s3svm_hand *h)
{
    drift press = drift_begin(h->c);
    const double by = 2 / fmax(30 * h->c->unit, 8);
    for (size_t i = 0; i < h->step_count; i++) {
        const size_t from_end = i < h->step_count - 1 - i ? i : h->step_count - 1 - i;
        const double lift = from_end < 4 ? 0.7 + 0.075 * (double)from_end : 1;
        const double r = h->radius * lift * (1 + 0.28 * drift_move(h->c, &press, by));
        s3svm_path_add_round(h->c, h->steps[i].x, h->steps[i].y, fmax(r, 0.55));
    }
    s3svm_path_stroke(h->c);
}

void s3svm_hand_open(s3svm_hand *h)
{
    steps_make(h, false);
    steps_tremble(h);
    steps_stroke(h);
}

void s3svm_hand_closed(s3svm_hand *h, const s3svm_paint *paint)
{
    steps_make(h, true);
    steps_tremble(h);
    steps_fill(h, paint);
    steps_stroke(h);
}

void s3svm_hand_dots(s3svm_hand *h)
{
    for (size_t i = 0; i < h->knot_count; i++) {
        const s3svm_spot p = hand_map(h, h->knots[i].x, h->knots[i].y);
        s3svm_path_add_round(h->c, p.x, p.y, h->radius * s3svm_between(h->c, 1.2, 1.5));
        s3svm_path_stroke(h->c);
    }
    h->knot_count = 0;
}

void s3svm_hand_blob(s3svm_hand *h, double x, double y, double rx, double ry, double uneven, const s3svm_paint *paint)
{
    const size_t n = 9;
    const double begin = s3svm_between(h->c, 0, 1);
    for (size_t i = 0; i < n; i++) {
        const s3svm_spot t = sos_turn(begin + (double)i / (double)n);
        const double r = s3svm_between(h->c, 1 - uneven, 1 + uneven);
        s3svm_hand_knot(h, x + r * rx * t.x, y + r * ry * t.y, false);
    }
    s3svm_hand_closed(h, paint);
}

/* The first knot is the middle, the second holds the radii. */
static void circle_finish(s3svm_hand *h)
{
    const sos_knot middle = h->knots[0], radii = h->knots[1];
    const bool whole = h->knot_count == 2;
    h->knot_count = 0;
    if (whole) s3svm_hand_blob(h, middle.x, middle.y, radii.x, radii.y, 0.04, &s3svm_paper);
}

/* The kinds of strokes are those of subjects.h. */
static void stroke_finish(s3svm_hand *h, char kind)
{
    if (kind == 's' || kind == 'l')
        s3svm_hand_open(h);
    else if (kind == 'o' || kind == 'p')
        s3svm_hand_closed(h, &s3svm_paper);
    else if (kind == 'c')
        circle_finish(h);
    else if (kind == 'f')
        s3svm_hand_closed(h, &s3svm_ink);
    else
        s3svm_hand_dots(h);
}

static double number_take(const char **text)
{
    const bool negative = **text == '-';
    double x = 0;
    for (*text += negative; **text >= '0' && **text <= '9'; ++*text) x = 10 * x + (**text - '0');
    return negative ? -x : x;
}

void s3svm_hand_strokes(s3svm_hand *h, const char *text)
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
            s3svm_hand_knot(h, x, y, corner || kind == 'l' || kind == 'p');
        }
    }
    if (kind) stroke_finish(h, kind);
}

/* ---- strokes from numbers ---- */

void s3svm_hand_line(s3svm_hand *h, double x0, double y0, double x1, double y1)
{
    s3svm_hand_knot(h, x0, y0, true);
    s3svm_hand_knot(h, x1, y1, true);
    s3svm_hand_open(h);
}

void s3svm_hand_rectangle(s3svm_hand *h, double x0, double y0, double x1, double y1)
{
    s3svm_hand_knot(h, x0, y0, true);
    s3svm_hand_knot(h, x1, y0, true);
    s3svm_hand_knot(h, x1, y1, true);
    s3svm_hand_knot(h, x0, y1, true);
    s3svm_hand_closed(h, &s3svm_paper);
}

void s3svm_hand_bumps(s3svm_hand *h, double x, double y, double rx, double ry, size_t count)
{
    const double begin = s3svm_between(h->c, 0, 1);
    for (size_t i = 0; i < count; i++) {
        const double a = begin + ((double)i + s3svm_between(h->c, -0.15, 0.15)) / (double)count,
                     rise = s3svm_between(h->c, 1.1, 1.22);
        const s3svm_spot t = sos_turn(a), l = sos_turn(a + 0.25 / (double)count), m = sos_turn(a + 0.5 / (double)count);
        const s3svm_spot r = sos_turn(a + 0.75 / (double)count);
        s3svm_hand_knot(h, x + 0.9 * rx * t.x, y + 0.9 * ry * t.y, true);
        s3svm_hand_knot(h, x + 1.1 * rx * l.x, y + 1.1 * ry * l.y, false);
        s3svm_hand_knot(h, x + rise * rx * m.x, y + rise * ry * m.y, false);
        s3svm_hand_knot(h, x + 1.1 * rx * r.x, y + 1.1 * ry * r.y, false);
    }
    s3svm_hand_closed(h, &s3svm_paper);
}
