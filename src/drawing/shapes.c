/* shapes.c - lines and geometric shapes of various thickness, arranged in a dozen ways. */
#include <math.h>

#include "drawing/figure.h"
#include "drawing/kinds.h"

/* ---- how many and where ---- */

/* A number of things to draw, where a picture of two cells such as 400 x 200 has least ... most. */
static size_t amount(s3svm_canvas *c, size_t least, size_t most)
{
    const double cells = (double)(c->columns * c->rows), n = s3svm_between(c, (double)least, (double)most + 1) * cells / 2;
    return n < 1 ? 1 : (size_t)n;
}

/* A number of things that run across the whole width, so many for each row of cells. */
static size_t amount_of_rows(s3svm_canvas *c, size_t least, size_t most)
{
    return (size_t)(s3svm_between(c, (double)least, (double)most + 1) * (double)c->rows);
}

static s3svm_spot anywhere(s3svm_canvas *c, double margin)
{
    const double x = fmin(margin, c->width / 2), y = fmin(margin, c->height / 2);
    const double across = s3svm_between(c, x, c->width - x), down = s3svm_between(c, y, c->height - y);
    return (s3svm_spot){ across, down };
}

/* ---- arrangements ---- */

/* A line through somewhere, which goes from border to border unless the picture is very long. */
static void long_line(s3svm_canvas *c, double width, bool dashed, double steepest)
{
    const s3svm_spot p = anywhere(c, 20 * c->unit), d = sos_turn(s3svm_between(c, -steepest, steepest));
    const s3svm_spot a = s3svm_spot_beyond(p, d, -460 * c->unit), b = s3svm_spot_beyond(p, d, 460 * c->unit);
    if (dashed)
        s3svm_ruler_dashes(c, a, b, width, s3svm_ruler_dash(c, width));
    else
        s3svm_ruler_line(c, a, b, width);
}

/* As in the paper: long lines from border to border, circles and rectangles that lie over each other. */
static void crossing_draw(s3svm_canvas *c)
{
    const double u = c->unit;
    for (size_t n = amount(c, 2, 4); n; n--) {
        const double width = s3svm_width_any(c);
        long_line(c, width, s3svm_chance(c, 0.15), 0.25);
    }
    for (size_t n = amount(c, 2, 4); n; n--) {
        const s3svm_spot at = anywhere(c, 20 * u);
        const s3svm_figure f = s3svm_figure_circle(at, s3svm_between(c, 15, 65) * u);
        s3svm_figure_draw(c, &f, S3SVM_OUTLINED, s3svm_width_any(c));
    }
    for (size_t n = amount(c, 2, 4); n; n--) {
        const s3svm_spot at = anywhere(c, 30 * u);
        const double half_width = s3svm_between(c, 15, 50) * u, half_height = s3svm_between(c, 12, 35) * u;
        const s3svm_figure f = s3svm_figure_rectangle(at, half_width, half_height, 0);
        s3svm_figure_draw(c, &f, S3SVM_OUTLINED, s3svm_width_any(c));
    }
}

/* The ornament at one place of an arrangement in rows. */
static void ornament_draw(s3svm_canvas *c, s3svm_spot at, double radius)
{
    const double begin = s3svm_between(c, 0, 1), width = s3svm_width_any(c);
    switch (s3svm_pick(c, 0, 9)) {
    case 0: /* rings */
        for (size_t i = 0; (double)i * fmax(radius / 4, 2.5 * width) < 0.8 * radius; i++) {
            const s3svm_figure f = s3svm_figure_circle(at, radius - (double)i * fmax(radius / 4, 2.5 * width));
            s3svm_figure_outline(c, &f, fmin(width, radius / 8), 0);
        }
        break;
    case 1: /* arcs */
        for (size_t i = 0; i < 3; i++)
            s3svm_ruler_arc(c, at, radius * (1 - 0.3 * (double)i), begin + 0.2 * (double)i, s3svm_between(c, 0.4, 0.75),
                            fmin(width, radius / 6));
        break;
    case 2: { /* a small one filled */
        const s3svm_figure f = s3svm_figure_any(c, at, radius * 0.45);
        s3svm_figure_draw(c, &f, S3SVM_FILLED, width);
        break;
    }
    default: {
        const s3svm_figure f = s3svm_figure_any(c, at, radius);
        s3svm_figure_draw(c, &f, s3svm_figure_style_any(c), fmin(width, radius / 6));
    }
    }
}

/* One figure at each place of a loose grid. */
static void figures_draw(s3svm_canvas *c)
{
    const size_t columns = 2 * c->columns, rows = c->unit < 0.4 ? c->rows : 2 * c->rows;
    const double w = c->width / (double)columns, h = c->height / (double)rows, side = fmin(w, h);
    for (size_t i = 0; i < columns * rows; i++) {
        const double x = ((double)(i % columns) + s3svm_between(c, 0.42, 0.58)) * w;
        const double y = ((double)(i / columns) + s3svm_between(c, 0.42, 0.58)) * h;
        if (s3svm_chance(c, 0.9)) ornament_draw(c, (s3svm_spot){ x, y }, side * s3svm_between(c, 0.34, 0.5));
    }
}

/* A box that is left undivided: mostly blank, else a pattern or a circle. */
static void room_draw(s3svm_canvas *c, s3svm_box b)
{
    const double side = fmin(b.x1 - b.x0, b.y1 - b.y0);
    const s3svm_spot middle = { (b.x0 + b.x1) / 2, (b.y0 + b.y1) / 2 };
    const s3svm_figure f = s3svm_figure_box(b);
    const size_t what = s3svm_pick(c, 0, 9);
    if (what <= 1) {
        s3svm_figure_draw(c, &f, what ? S3SVM_HATCHED : s3svm_chance(c, 0.5) ? S3SVM_CROSSED : S3SVM_DOTTED, s3svm_width(c, 1));
    } else if (what == 2 && side < 45 * c->unit) {
        s3svm_figure_draw(c, &f, S3SVM_FILLED, 0);
    } else if (what <= 5) {
        const s3svm_figure inside = what == 5 ? s3svm_figure_triangle(c, middle, side * 0.33)
                                              : s3svm_figure_circle(middle, side * 0.33);
        const s3svm_figure_style s = s3svm_chance(c, 0.7) || side < 60 * c->unit ? S3SVM_OUTLINED : S3SVM_DASHED;
        s3svm_figure_draw(c, &inside, s, fmin(s3svm_width_medium(c), side / 10));
    }
}

/* A box divided again and again, by lines that become thinner. */
static void box_divide(s3svm_canvas *c, s3svm_box b, size_t depth)
{
    const double w = b.x1 - b.x0, h = b.y1 - b.y0;
    if (depth > 16 || fmax(w, h) < 55 * c->unit || (depth >= 3 && fmax(w, h) < 150 * c->unit && s3svm_chance(c, 0.35))) {
        room_draw(c, b);
        return;
    }
    const double share = s3svm_between(c, 0.3, 0.7),
                 width = depth < 2 ? s3svm_width(c, s3svm_between(c, 4, 7)) : s3svm_width(c, s3svm_between(c, 1.5, 4));
    s3svm_box first = b, second = b;
    if (w > h) {
        first.x1 = second.x0 = b.x0 + share * w;
    } else {
        first.y1 = second.y0 = b.y0 + share * h;
    }
    box_divide(c, first, depth + 1);
    box_divide(c, second, depth + 1);
    s3svm_ruler_line(c, (s3svm_spot){ second.x0, second.y0 }, (s3svm_spot){ first.x1, first.y1 }, width);
}

static void partition_draw(s3svm_canvas *c) { box_divide(c, (s3svm_box){ 0, 0, c->width, c->height }, 0); }

/* The middle of cell i, and half of its smaller side. */
static s3svm_spot cell_middle(const s3svm_canvas *c, size_t i)
{
    return (s3svm_spot){ ((double)(i % c->columns) + 0.5) * c->cell_width, ((double)(i / c->columns) + 0.5) * c->cell_height };
}

/* Polygons one in another, each turned a little. */
static void nested_draw(s3svm_canvas *c)
{
    for (size_t i = 0; i < c->columns * c->rows; i++) {
        const size_t corners = s3svm_pick(c, 3, 6);
        const double way = s3svm_chance(c, 0.5) ? 1 : -1, turn = way * s3svm_between(c, 0.01, 0.05),
                     shrink = s3svm_between(c, 0.72, 0.83);
        const double width = s3svm_width(c, s3svm_between(c, 1.3, 4)), least = fmax(14 * c->unit, 6 * s3svm_width(c, 1));
        double r = 92 * c->unit, tilt = s3svm_between(c, 0, 1);
        while (r > least) {
            const s3svm_figure f = s3svm_figure_polygon(cell_middle(c, i), corners, r, r, tilt);
            s3svm_figure_outline(c, &f, fmax(width * r / (92 * c->unit), s3svm_width(c, 1)), 0);
            r *= shrink;
            tilt += turn;
        }
    }
    for (size_t n = amount(c, 0, 2); n; n--) long_line(c, s3svm_width_thin(c), true, 0.06);
}

static s3svm_spot middle_of(s3svm_spot a, s3svm_spot b) { return (s3svm_spot){ (a.x + b.x) / 2, (a.y + b.y) / 2 }; }

/* A triangle with its circles and lines, as in a book of geometry. */
static void construction_draw(s3svm_canvas *c)
{
    for (size_t i = 0; i < c->columns * c->rows; i++) {
        const double radius = s3svm_between(c, 62, 80) * c->unit, tilt = s3svm_between(c, 0, 1);
        const s3svm_spot o = s3svm_spot_beyond(cell_middle(c, i), sos_turn(s3svm_between(c, 0, 1)), 10 * c->unit);
        s3svm_figure f = { .count = 3 };
        for (size_t k = 0; k < 3; k++)
            f.points[k] = s3svm_spot_beyond(o, sos_turn(tilt + ((double)k + s3svm_between(c, -0.22, 0.22)) / 3), radius);
        const s3svm_spot *p = f.points;
        s3svm_figure_outline(c, &f, s3svm_width(c, s3svm_between(c, 2.5, 5)), 0);
        const s3svm_figure around = s3svm_figure_circle(o, radius);
        const double fine = s3svm_width_thin(c);
        s3svm_figure_draw(c, &around, s3svm_chance(c, 0.3) ? S3SVM_DASHED : S3SVM_OUTLINED, fine);

        const double a = s3svm_spot_distance(p[1], p[2]), b = s3svm_spot_distance(p[2], p[0]),
                     e = s3svm_spot_distance(p[0], p[1]), sum = a + b + e;
        const double s = sum / 2, inner = sqrt(fmax((s - a) * (s - b) * (s - e) / s, 0));
        const s3svm_spot inside = { (a * p[0].x + b * p[1].x + e * p[2].x) / sum,
                                    (a * p[0].y + b * p[1].y + e * p[2].y) / sum };
        const s3svm_figure within = s3svm_figure_circle(inside, inner);
        if (s3svm_chance(c, 0.6)) s3svm_figure_draw(c, &within, s3svm_chance(c, 0.4) ? S3SVM_HATCHED : S3SVM_OUTLINED, fine);
        for (size_t k = 0; k < 3; k++) {
            const s3svm_spot foot = middle_of(p[(k + 1) % 3], p[(k + 2) % 3]);
            const double width = s3svm_width_thin(c);
            s3svm_ruler_dashes(c, p[k], foot, width, s3svm_ruler_dash(c, width));
            s3svm_ruler_disc(c, p[k], s3svm_width(c, 4));
        }
    }
    if (s3svm_chance(c, 0.7)) long_line(c, s3svm_width_medium(c), false, 0.06);
}

/* Axes, bars and a curve. */
static void chart_in(s3svm_canvas *c, s3svm_box b)
{
    const size_t n = s3svm_pick(c, 5, 9);
    const double step = (b.x1 - b.x0) / ((double)n + 0.3), height = b.y1 - b.y0, width = s3svm_width(c, s3svm_between(c, 2, 4));
    static const s3svm_figure_style BARS[] = { S3SVM_OUTLINED, S3SVM_HATCHED, S3SVM_HATCHED, S3SVM_CROSSED, S3SVM_DOTTED };
    const s3svm_figure_style bar = BARS[s3svm_pick(c, 0, 4)], other = BARS[s3svm_pick(c, 0, 4)];
    s3svm_spot curve[16];
    for (int i = 1; i < 4; i++) {
        const double y = b.y1 - i * height / 4;
        s3svm_ruler_dashes(c, (s3svm_spot){ b.x0, y }, (s3svm_spot){ b.x1, y }, s3svm_width(c, 1), 6 * c->unit + 2);
    }
    for (size_t i = 0; i < n; i++) {
        const double x = b.x0 + ((double)i + 0.65) * step, top = b.y1 - height * s3svm_between(c, 0.12, 0.8);
        const s3svm_figure f = s3svm_figure_box((s3svm_box){ x - step * 0.32, top, x + step * 0.32, b.y1 });
        s3svm_figure_contour(c, &f, 0);
        s3svm_path_fill(c, &s3svm_paper);
        s3svm_figure_draw(c, &f, i == n / 2 ? S3SVM_FILLED : i & 1 ? bar : other, s3svm_width(c, 1.6));
        curve[i] = (s3svm_spot){ x, b.y1 - height * s3svm_between(c, 0.45, 0.95) };
    }
    if (s3svm_chance(c, 0.8)) {
        s3svm_ruler_polyline(c, n, curve, s3svm_width(c, 2.5));
        for (size_t i = 0; i < n; i++) s3svm_ruler_disc(c, curve[i], s3svm_width(c, 4.5));
    }
    s3svm_ruler_line(c, (s3svm_spot){ b.x0 - width / 2, b.y1 }, (s3svm_spot){ b.x1 + 4 * c->unit, b.y1 }, width);
    s3svm_ruler_line(c, (s3svm_spot){ b.x0, b.y0 - 6 * c->unit }, (s3svm_spot){ b.x0, b.y1 }, width);
}

static void pie_in(s3svm_canvas *c, s3svm_box b)
{
    const s3svm_spot at = { (b.x0 + b.x1) / 2, (b.y0 + b.y1) / 2 };
    const double radius = 0.45 * fmin(b.x1 - b.x0, b.y1 - b.y0), width = s3svm_width(c, s3svm_between(c, 2, 4));
    double begin = s3svm_between(c, 0, 1);
    const double first = begin;
    for (size_t i = 0; begin < first + 0.93; i++) {
        const double turns = fmin(s3svm_between(c, 0.1, 0.3), first + 1 - begin);
        const s3svm_paint paint = i % 3 == 2 ? s3svm_paint_pattern(c, S3SVM_PAINT_DOTS)
                                  : i % 3    ? s3svm_paint_pattern(c, S3SVM_PAINT_STRIPES)
                                             : s3svm_paper;
        s3svm_path_add_spot(c, at);
        for (size_t k = 0; k <= 64; k++)
            s3svm_path_add_spot(c, s3svm_spot_beyond(at, sos_turn(begin + turns * (double)k / 64), radius));
        s3svm_path_fill(c, &paint);
        s3svm_ruler_line(c, at, s3svm_spot_beyond(at, sos_turn(begin), radius), width);
        begin += turns;
    }
    s3svm_ruler_line(c, at, s3svm_spot_beyond(at, sos_turn(begin), radius), width);
    const s3svm_figure f = s3svm_figure_circle(at, radius);
    s3svm_figure_outline(c, &f, width, 0);
}

static void charts_draw(s3svm_canvas *c)
{
    const size_t cells = c->columns * c->rows, pie = s3svm_pick(c, 0, cells);
    for (size_t i = 0; i < cells; i++) {
        const s3svm_spot at = cell_middle(c, i);
        const double w = 0.41 * c->cell_width, h = 0.39 * c->cell_height;
        const s3svm_box b = { at.x - w, at.y - h, at.x + w, at.y + h };
        if (i == pie)
            pie_in(c, b);
        else
            chart_in(c, b);
    }
}

enum { NODES_MAX = 256 };

/* Nodes kept apart from each other, and lines between near ones. */
static void network_draw(s3svm_canvas *c)
{
    s3svm_spot nodes[NODES_MAX];
    size_t count = 0;
    const size_t wanted = amount(c, 12, 18);
    const double apart = 46 * c->unit, radius = s3svm_between(c, 8, 13) * c->unit;
    for (size_t attempt = 0; attempt < 40 * wanted && count < wanted && count < NODES_MAX; attempt++) {
        const s3svm_spot p = anywhere(c, 18 * c->unit);
        bool free = true;
        for (size_t i = 0; i < count; i++) free = free && s3svm_spot_distance(p, nodes[i]) >= apart;
        if (free) nodes[count++] = p;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++) {
            if (s3svm_spot_distance(nodes[i], nodes[k]) > 2.2 * apart) continue;
            const double width = s3svm_width_any(c) * 0.8 + 0.2;
            if (s3svm_chance(c, 0.15))
                s3svm_ruler_dashes(c, nodes[i], nodes[k], width, s3svm_ruler_dash(c, width));
            else if (s3svm_chance(c, 0.75))
                s3svm_ruler_line(c, nodes[i], nodes[k], fmax(width, s3svm_width(c, 1)));
        }
    for (size_t i = 0; i < count; i++) {
        const size_t sides = s3svm_pick(c, 0, 2);
        const s3svm_figure f = sides ? s3svm_figure_polygon(nodes[i], 2 * sides + 2, radius, radius, 0.125)
                                     : s3svm_figure_circle(nodes[i], radius);
        s3svm_figure_contour(c, &f, 0);
        s3svm_path_fill(c, &s3svm_paper);
        if (s3svm_chance(c, 0.25))
            s3svm_figure_draw(c, &f, S3SVM_FILLED, 0);
        else
            s3svm_figure_outline(c, &f, s3svm_width(c, s3svm_between(c, 1.8, 3.5)), 0);
    }
}

/* Waves of different heights, some running together. */
static void waves_draw(s3svm_canvas *c)
{
    const size_t count = amount_of_rows(c, 4, 6);
    const double waves = s3svm_between(c, 1.2, 3) * c->width / (400 * c->unit), phase = s3svm_between(c, 0, 1),
                 drift = s3svm_between(c, 0, 0.18);
    const double rise = s3svm_between(c, 12, 32) * c->unit, second = s3svm_between(c, 0, 0.5);
    const s3svm_spot sky = { s3svm_between(c, 0.2, 0.8) * c->width, 42 * c->unit };
    const s3svm_figure sun = s3svm_figure_circle(sky, s3svm_between(c, 18, 34) * c->unit);
    const s3svm_figure_style s = s3svm_figure_style_any(c);
    s3svm_figure_draw(c, &sun, s, s3svm_width_medium(c));
    const size_t steps = (size_t)fmin(200 * waves + 200, S3SVM_PATH_MAX);
    for (size_t i = 0; i < count; i++) {
        const double y = c->height * (0.3 + 0.64 * ((double)i + 0.5) / (double)count);
        const double width = i & 1 ? s3svm_width_thin(c) : s3svm_width_any(c);
        for (size_t k = 0; k < steps; k++) {
            const double t = (double)k / (double)(steps - 1), a = waves * t + phase + drift * (double)i;
            const double up = rise * (sos_turn(a).y + second * sos_turn(2.7 * a).y);
            s3svm_path_add_round(c, (1.1 * t - 0.05) * c->width, y + up, width / 2);
        }
        s3svm_path_stroke(c);
    }
}

/* Straight lines whose envelope is a curve, in a corner between two arms. */
static void strings_in(s3svm_canvas *c, s3svm_spot corner, s3svm_spot one, s3svm_spot other)
{
    const size_t n = s3svm_pick(c, 8, 13);
    const double width = s3svm_width(c, s3svm_between(c, 1, 1.6));
    for (size_t i = 0; i <= n; i++) {
        const double t = (double)i / (double)n;
        const s3svm_spot a = { corner.x + t * (one.x - corner.x), corner.y + t * (one.y - corner.y) };
        const s3svm_spot b = { other.x + t * (corner.x - other.x), other.y + t * (corner.y - other.y) };
        s3svm_ruler_line(c, a, b, width);
    }
    s3svm_ruler_line(c, corner, one, s3svm_width(c, 3.5));
    s3svm_ruler_line(c, corner, other, s3svm_width(c, 3.5));
}

static void fan_in(s3svm_canvas *c, s3svm_spot at, double radius)
{
    const size_t rays = s3svm_pick(c, 7, 14);
    const double begin = s3svm_between(c, 0, 1), turns = s3svm_chance(c, 0.5) ? 1 : s3svm_between(c, 0.3, 0.6),
                 width = s3svm_width(c, s3svm_between(c, 1.2, 3));
    for (size_t i = 0; i < rays; i++) {
        const s3svm_spot d = sos_turn(begin + turns * (double)i / (double)rays);
        s3svm_ruler_line(c, s3svm_spot_beyond(at, d, radius * 0.22), s3svm_spot_beyond(at, d, radius * (i & 1 ? 0.75 : 1)),
                         width);
    }
    const s3svm_figure f = s3svm_figure_circle(at, radius * 0.22);
    s3svm_figure_draw(c, &f, s3svm_chance(c, 0.4) ? S3SVM_FILLED : S3SVM_OUTLINED, s3svm_width(c, 3));
    for (size_t i = s3svm_pick(c, 0, 2); i; i--) {
        const double part = turns * s3svm_between(c, 0.5, 1);
        s3svm_ruler_arc(c, at, radius * (0.4 + 0.2 * (double)i), begin, part, s3svm_width_medium(c));
    }
}

static void strings_draw(s3svm_canvas *c)
{
    const size_t cells = c->columns * c->rows;
    for (size_t i = 0; i < cells; i++) {
        const s3svm_spot at = cell_middle(c, i);
        const double w = 0.44 * c->cell_width, h = 0.44 * c->cell_height, x = s3svm_chance(c, 0.5) ? 1 : -1,
                     y = s3svm_chance(c, 0.5) ? 1 : -1;
        if (s3svm_chance(c, 0.45)) {
            const double radius = s3svm_between(c, 72, 96) * c->unit;
            fan_in(c, s3svm_spot_beyond(at, sos_turn(s3svm_between(c, 0, 1)), 8 * c->unit), radius);
            continue;
        }
        const s3svm_spot corner = { at.x - x * w, at.y - y * h }, across = { at.x + x * w, at.y + y * h };
        strings_in(c, corner, (s3svm_spot){ across.x, corner.y }, (s3svm_spot){ corner.x, across.y });
        if (s3svm_chance(c, 0.6)) strings_in(c, across, (s3svm_spot){ corner.x, across.y }, (s3svm_spot){ across.x, corner.y });
    }
}

/* A lattice with some of its squares filled, and circles over it. */
static void lattice_draw(s3svm_canvas *c)
{
    const double pitch = s3svm_between(c, 24, 38) * c->unit, width = s3svm_width_thin(c),
                 tilt = s3svm_chance(c, 0.5) ? 0 : s3svm_between(c, -0.06, 0.06);
    const double reach = c->width + c->height;
    const s3svm_spot o = { c->width / 2, c->height / 2 }, d = sos_turn(tilt), e = { -d.y, d.x };
    const long n = (long)(reach / 2 / pitch);
    const bool dashed = s3svm_chance(c, 0.25);
    for (long i = -n; i <= n; i++) {
        const s3svm_spot p = s3svm_spot_beyond(o, e, (double)i * pitch), q = s3svm_spot_beyond(o, d, (double)i * pitch);
        const double w = i % 4 ? width : 2 * width;
        if (dashed && i % 4) {
            s3svm_ruler_dashes(c, s3svm_spot_beyond(p, d, -reach), s3svm_spot_beyond(p, d, reach), w, pitch / 4);
            s3svm_ruler_dashes(c, s3svm_spot_beyond(q, e, -reach), s3svm_spot_beyond(q, e, reach), w, pitch / 4);
            continue;
        }
        s3svm_ruler_line(c, s3svm_spot_beyond(p, d, -reach), s3svm_spot_beyond(p, d, reach), w);
        s3svm_ruler_line(c, s3svm_spot_beyond(q, e, -reach), s3svm_spot_beyond(q, e, reach), w);
    }
    for (size_t k = amount(c, 3, 7); k; k--) {
        const double i = (double)(long)s3svm_between(c, -c->width / 2 / pitch, c->width / 2 / pitch) + 0.5;
        const double j = (double)(long)s3svm_between(c, -c->height / 2 / pitch, c->height / 2 / pitch) + 0.5;
        const s3svm_figure f = s3svm_figure_rectangle(s3svm_spot_beyond(s3svm_spot_beyond(o, d, i * pitch), e, j * pitch),
                                                      pitch / 2, pitch / 2, tilt);
        s3svm_figure_draw(c, &f, s3svm_chance(c, 0.5) ? S3SVM_FILLED : S3SVM_HATCHED, width);
    }
    for (size_t k = amount(c, 1, 3); k; k--) {
        const s3svm_spot at = anywhere(c, 40 * c->unit);
        const s3svm_figure f = s3svm_figure_circle(at, s3svm_between(c, 25, 60) * c->unit);
        if (s3svm_chance(c, 0.5)) {
            s3svm_figure_contour(c, &f, 0);
            s3svm_path_fill(c, &s3svm_paper);
        }
        s3svm_figure_outline(c, &f, s3svm_width(c, s3svm_between(c, 3, 6)), 0);
    }
}

/* A wheel with teeth, spokes and a hub. */
static void wheel_in(s3svm_canvas *c, s3svm_spot at, double radius)
{
    const size_t teeth = 8 + (size_t)(radius / (5 * c->unit)), spokes = s3svm_pick(c, 3, 7);
    const double tilt = s3svm_between(c, 0, 1), width = s3svm_width(c, s3svm_between(c, 2, 4.5));
    s3svm_figure f = { .count = 0 };
    for (size_t i = 0; i < teeth && f.count + 4 <= S3SVM_FIGURE_MAX; i++)
        for (size_t k = 0; k < 4; k++) {
            static const double PLACE[4] = { 0, 0.12, 0.5, 0.62 };
            const s3svm_spot d = sos_turn(tilt + ((double)i + PLACE[k]) / (double)teeth);
            f.points[f.count++] = s3svm_spot_beyond(at, d, k == 1 || k == 2 ? radius : radius - 8 * c->unit);
        }
    s3svm_figure_contour(c, &f, 0);
    s3svm_path_fill(c, &s3svm_paper);
    if (s3svm_chance(c, 0.6)) {
        s3svm_figure_outline(c, &f, width, 0);
    } else {
        const s3svm_figure rim = s3svm_figure_circle(at, radius - 4 * c->unit);
        s3svm_figure_outline(c, &rim, width * 1.5, 0);
    }
    const s3svm_figure hub = s3svm_figure_circle(at, fmax(radius * 0.2, 4 * c->unit)),
                       inner = s3svm_figure_circle(at, radius * 0.7);
    for (size_t i = 0; i < spokes; i++) {
        const s3svm_spot d = sos_turn(tilt + (double)i / (double)spokes);
        s3svm_ruler_line(c, s3svm_spot_beyond(at, d, radius * 0.2), s3svm_spot_beyond(at, d, radius * 0.7), width);
    }
    s3svm_figure_outline(c, &inner, s3svm_width_thin(c), 0);
    s3svm_figure_draw(c, &hub, s3svm_chance(c, 0.4) ? S3SVM_FILLED : S3SVM_OUTLINED, width);
}

/* Wheels side by side along a row of cells, some with a belt to the next. */
static void wheels_along(s3svm_canvas *c, double y)
{
    double x = s3svm_between(c, 20, 45) * c->unit, before = 0;
    s3svm_spot last = { 0, 0 };
    for (size_t i = 0; x < c->width - 10 * c->unit; i++) {
        const double radius = s3svm_between(c, 24, 62) * c->unit;
        const s3svm_spot at = { x + (i ? radius * 0.85 : 0), y + s3svm_between(c, -0.22, 0.22) * c->cell_height };
        if (i && s3svm_chance(c, 0.4)) {
            const s3svm_spot d = s3svm_spot_direction(last, at), side = { -d.y, d.x };
            const double width = s3svm_width_thin(c);
            s3svm_ruler_line(c, s3svm_spot_beyond(last, side, before), s3svm_spot_beyond(at, side, radius), width);
            s3svm_ruler_line(c, s3svm_spot_beyond(last, side, -before), s3svm_spot_beyond(at, side, -radius), width);
        }
        wheel_in(c, at, radius);
        last = at;
        before = radius - 4 * c->unit;
        x = at.x + radius * s3svm_between(c, 0.9, 1.15);
    }
}

static void wheels_draw(s3svm_canvas *c)
{
    for (size_t i = 0; i < c->rows; i++) wheels_along(c, ((double)i + 0.5) * c->cell_height);
}

/* Boxes, cylinders and cones in a slanted view; hidden edges are dashed or left out. */
static void block_in(s3svm_canvas *c, s3svm_box b)
{
    const double w = b.x1 - b.x0, h = b.y1 - b.y0, depth = 0.3 * fmin(w, h), width = s3svm_width(c, s3svm_between(c, 1.8, 4));
    const double lean = s3svm_chance(c, 0.5) ? depth : -depth, x0 = lean > 0 ? b.x0 : b.x0 + depth,
                 x1 = lean > 0 ? b.x1 - depth : b.x1;
    const s3svm_figure front = s3svm_figure_box((s3svm_box){ x0, b.y0 + depth, x1, b.y1 });
    const double side = lean > 0 ? x1 : x0;
    const s3svm_figure top = {
        .count = 4, .points = { { x0, b.y0 + depth }, { x0 + lean, b.y0 }, { x1 + lean, b.y0 }, { x1, b.y0 + depth } }
    };
    const s3svm_figure flank = {
        .count = 4, .points = { { side, b.y0 + depth }, { side + lean, b.y0 }, { side + lean, b.y1 - depth }, { side, b.y1 } }
    };
    s3svm_figure_draw(c, &front, s3svm_chance(c, 0.3) ? S3SVM_DOTTED : S3SVM_OUTLINED, width);
    s3svm_figure_draw(c, &top, S3SVM_OUTLINED, width);
    s3svm_figure_draw(c, &flank, s3svm_chance(c, 0.6) ? S3SVM_HATCHED : S3SVM_OUTLINED, width);
}

static void round_in(s3svm_canvas *c, s3svm_box b, bool cone)
{
    const double rx = 0.4 * (b.x1 - b.x0), ry = rx * 0.3, width = s3svm_width(c, s3svm_between(c, 1.8, 4));
    const s3svm_spot top = { (b.x0 + b.x1) / 2, b.y0 + (cone ? 0 : ry) }, bottom = { top.x, b.y1 - ry };
    const s3svm_figure lid = s3svm_figure_ellipse(top, rx, ry, 0), under = s3svm_figure_ellipse(bottom, rx, ry, 0);
    s3svm_figure_dashes(c, &under, s3svm_width(c, 1), s3svm_ruler_dash(c, s3svm_width(c, 1)));
    for (size_t i = 0; i <= 64; i++) {
        const s3svm_spot t = sos_turn(0.5 * (double)i / 64);
        s3svm_path_add_round(c, bottom.x + rx * t.x, bottom.y + ry * t.y, width / 2);
    }
    s3svm_path_stroke(c);
    for (int s = -1; s < 2; s += 2)
        s3svm_ruler_polyline(c, 2, (s3svm_spot[]){ { bottom.x + s * rx, bottom.y }, { top.x + (cone ? 0 : s * rx), top.y } },
                             width);
    if (!cone) s3svm_figure_draw(c, &lid, s3svm_chance(c, 0.4) ? S3SVM_HATCHED : S3SVM_OUTLINED, width);
}

static void solids_draw(s3svm_canvas *c)
{
    const size_t columns = 2 * c->columns, rows = c->rows;
    const double w = c->width / (double)columns, h = c->height / (double)rows;
    for (size_t i = 0; i < columns * rows; i++) {
        const double x = ((double)(i % columns) + s3svm_between(c, 0.1, 0.2)) * w,
                     y = ((double)(i / columns) + s3svm_between(c, 0.12, 0.4)) * h;
        const s3svm_box b = { x, y, x + w * s3svm_between(c, 0.65, 0.75), ((double)(i / columns) + 0.88) * h };
        const size_t what = s3svm_pick(c, 0, 3);
        if (what < 2)
            block_in(c, b);
        else
            round_in(c, b, what == 2);
    }
    const double ground = s3svm_chance(c, 0.5) ? 0.94 : 0.97;
    for (size_t i = 0; i < rows; i++)
        s3svm_ruler_line(c, (s3svm_spot){ 0, ((double)i + ground) * h }, (s3svm_spot){ c->width, ((double)i + ground) * h },
                         s3svm_width_medium(c));
}

typedef enum zigzag { ZIGZAG, BATTLEMENTS, RANDOM } zigzag;

/* A line from border to border about height y. */
static void zigzag_line(s3svm_canvas *c, zigzag kind, double y, double rise, double step, double width)
{
    double x = -s3svm_between(c, 0, 1) * step, at = y;
    for (size_t n = 0; x < c->width + step; n++) {
        s3svm_path_add_round(c, x, at, width / 2);
        x += kind == RANDOM ? step * s3svm_between(c, 0.6, 1.6) : step;
        if (kind == BATTLEMENTS) s3svm_path_add_round(c, x, at, width / 2);
        at = kind == RANDOM ? s3svm_between(c, y - rise, y + rise) : n & 1 ? y - rise : y + rise;
    }
    s3svm_path_stroke(c);
}

/* Lines that go up and down, and figures in front of them. */
static void zigzags_draw(s3svm_canvas *c)
{
    const size_t count = amount_of_rows(c, 3, 4);
    for (size_t i = 0; i < count; i++) {
        const zigzag kind = (zigzag)s3svm_pick(c, 0, 2);
        const double y = c->height * ((double)i + 0.5) / (double)count, width = s3svm_width_any(c);
        const double rise = fmin(s3svm_between(c, 14, 38) * c->unit, 0.6 * c->height / (double)count + 6);
        zigzag_line(c, kind, y, kind == BATTLEMENTS ? rise / 2 : rise, fmax(s3svm_between(c, 14, 44) * c->unit, 3 * width),
                    width);
    }
    for (size_t n = amount(c, 2, 3); n; n--) {
        const s3svm_spot at = anywhere(c, 35 * c->unit);
        const s3svm_figure f = s3svm_figure_any(c, at, s3svm_between(c, 20, 38) * c->unit);
        const s3svm_figure_style s = s3svm_figure_style_any(c);
        s3svm_figure_contour(c, &f, 3 * c->unit);
        s3svm_path_fill(c, &s3svm_paper);
        s3svm_figure_draw(c, &f, s, s3svm_width(c, s3svm_between(c, 1.5, 3)));
    }
}

void s3svm_drawing_shapes(s3svm_canvas *c)
{
    static void (*const ARRANGEMENTS[])(s3svm_canvas *) = { crossing_draw,     figures_draw, partition_draw, nested_draw,
                                                            construction_draw, charts_draw,  crossing_draw,  network_draw,
                                                            waves_draw,        strings_draw, lattice_draw,   wheels_draw,
                                                            solids_draw,       zigzags_draw };
    ARRANGEMENTS[c->seed % (sizeof ARRANGEMENTS / sizeof *ARRANGEMENTS)](c);
}
