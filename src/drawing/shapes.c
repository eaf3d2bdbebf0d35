/* shapes.c - lines and geometric shapes of various thickness, arranged in a dozen ways. */
#include <math.h>

#include "drawing/figure.h"
#include "drawing/kinds.h"

/* ---- how many and where ---- */

/* A number of things to draw, where a picture of two cells such as 400 x 200 has least ... most. */
static size_t amount(sos_canvas *c, size_t least, size_t most)
{
    const double cells = (double)(c->columns * c->rows), n = sos_between(c, (double)least, (double)most + 1) * cells / 2;
    return n < 1 ? 1 : (size_t)n;
}

/* A number of things that run across the whole width, so many for each row of cells. */
static size_t amount_of_rows(sos_canvas *c, size_t least, size_t most)
{
    return (size_t)(sos_between(c, (double)least, (double)most + 1) * (double)c->rows);
}

static sos_spot anywhere(sos_canvas *c, double margin)
{
    const double x = fmin(margin, c->width / 2), y = fmin(margin, c->height / 2);
    const double across = sos_between(c, x, c->width - x), down = sos_between(c, y, c->height - y);
    return (sos_spot){ across, down };
}

/* ---- arrangements ---- */

/* A line through somewhere, which goes from border to border unless the picture is very long. */
static void long_line(sos_canvas *c, double width, bool dashed, double steepest)
{
    const sos_spot p = anywhere(c, 20 * c->unit), d = sos_turn(sos_between(c, -steepest, steepest));
    const sos_spot a = sos_spot_beyond(p, d, -460 * c->unit), b = sos_spot_beyond(p, d, 460 * c->unit);
    if (dashed)
        sos_ruler_dashes(c, a, b, width, sos_ruler_dash(c, width));
    else
        sos_ruler_line(c, a, b, width);
}

/* As in the paper: long lines from border to border, circles and rectangles that lie over each other. */
static void crossing_draw(sos_canvas *c)
{
    const double u = c->unit;
    for (size_t n = amount(c, 2, 4); n; n--) {
        const double width = sos_width_any(c);
        long_line(c, width, sos_chance(c, 0.15), 0.25);
    }
    for (size_t n = amount(c, 2, 4); n; n--) {
        const sos_spot at = anywhere(c, 20 * u);
        const sos_figure f = sos_figure_circle(at, sos_between(c, 15, 65) * u);
        sos_figure_draw(c, &f, SOS_OUTLINED, sos_width_any(c));
    }
    for (size_t n = amount(c, 2, 4); n; n--) {
        const sos_spot at = anywhere(c, 30 * u);
        const double half_width = sos_between(c, 15, 50) * u, half_height = sos_between(c, 12, 35) * u;
        const sos_figure f = sos_figure_rectangle(at, half_width, half_height, 0);
        sos_figure_draw(c, &f, SOS_OUTLINED, sos_width_any(c));
    }
}

/* The ornament at one place of an arrangement in rows. */
static void ornament_draw(sos_canvas *c, sos_spot at, double radius)
{
    const double begin = sos_between(c, 0, 1), width = sos_width_any(c);
    switch (sos_pick(c, 0, 9)) {
    case 0: /* rings */
        for (size_t i = 0; (double)i * fmax(radius / 4, 2.5 * width) < 0.8 * radius; i++) {
            const sos_figure f = sos_figure_circle(at, radius - (double)i * fmax(radius / 4, 2.5 * width));
            sos_figure_outline(c, &f, fmin(width, radius / 8), 0);
        }
        break;
    case 1: /* arcs */
        for (size_t i = 0; i < 3; i++)
            sos_ruler_arc(c, at, radius * (1 - 0.3 * (double)i), begin + 0.2 * (double)i, sos_between(c, 0.4, 0.75),
                          fmin(width, radius / 6));
        break;
    case 2: { /* a small one filled */
        const sos_figure f = sos_figure_any(c, at, radius * 0.45);
        sos_figure_draw(c, &f, SOS_FILLED, width);
        break;
    }
    default: {
        const sos_figure f = sos_figure_any(c, at, radius);
        sos_figure_draw(c, &f, sos_figure_style_any(c), fmin(width, radius / 6));
    }
    }
}

/* One figure at each place of a loose grid. */
static void figures_draw(sos_canvas *c)
{
    const size_t columns = 2 * c->columns, rows = c->unit < 0.4 ? c->rows : 2 * c->rows;
    const double w = c->width / (double)columns, h = c->height / (double)rows, side = fmin(w, h);
    for (size_t i = 0; i < columns * rows; i++) {
        const double x = ((double)(i % columns) + sos_between(c, 0.42, 0.58)) * w;
        const double y = ((double)(i / columns) + sos_between(c, 0.42, 0.58)) * h;
        if (sos_chance(c, 0.9)) ornament_draw(c, (sos_spot){ x, y }, side * sos_between(c, 0.34, 0.5));
    }
}

/* A box that is left undivided: mostly blank, else a pattern or a circle. */
static void room_draw(sos_canvas *c, sos_box b)
{
    const double side = fmin(b.x1 - b.x0, b.y1 - b.y0);
    const sos_spot middle = { (b.x0 + b.x1) / 2, (b.y0 + b.y1) / 2 };
    const sos_figure f = sos_figure_box(b);
    const size_t what = sos_pick(c, 0, 9);
    if (what <= 1) {
        sos_figure_draw(c, &f, what ? SOS_HATCHED : sos_chance(c, 0.5) ? SOS_CROSSED : SOS_DOTTED, sos_width(c, 1));
    } else if (what == 2 && side < 45 * c->unit) {
        sos_figure_draw(c, &f, SOS_FILLED, 0);
    } else if (what <= 5) {
        const sos_figure inside = what == 5 ? sos_figure_triangle(c, middle, side * 0.33)
                                            : sos_figure_circle(middle, side * 0.33);
        const sos_figure_style s = sos_chance(c, 0.7) || side < 60 * c->unit ? SOS_OUTLINED : SOS_DASHED;
        sos_figure_draw(c, &inside, s, fmin(sos_width_medium(c), side / 10));
    }
}

/* A box divided again and again, by lines that become thinner. */
static void box_divide(sos_canvas *c, sos_box b, size_t depth)
{
    const double w = b.x1 - b.x0, h = b.y1 - b.y0;
    if (depth > 16 || fmax(w, h) < 55 * c->unit || (depth >= 3 && fmax(w, h) < 150 * c->unit && sos_chance(c, 0.35))) {
        room_draw(c, b);
        return;
    }
    const double share = sos_between(c, 0.3, 0.7),
                 width = depth < 2 ? sos_width(c, sos_between(c, 4, 7)) : sos_width(c, sos_between(c, 1.5, 4));
    sos_box first = b, second = b;
    if (w > h) {
        first.x1 = second.x0 = b.x0 + share * w;
    } else {
        first.y1 = second.y0 = b.y0 + share * h;
    }
    box_divide(c, first, depth + 1);
    box_divide(c, second, depth + 1);
    sos_ruler_line(c, (sos_spot){ second.x0, second.y0 }, (sos_spot){ first.x1, first.y1 }, width);
}

static void partition_draw(sos_canvas *c) { box_divide(c, (sos_box){ 0, 0, c->width, c->height }, 0); }

/* The middle of cell i, and half of its smaller side. */
static sos_spot cell_middle(const sos_canvas *c, size_t i)
{
    return (sos_spot){ ((double)(i % c->columns) + 0.5) * c->cell_width, ((double)(i / c->columns) + 0.5) * c->cell_height };
}

/* Polygons one in another, each turned a little. */
static void nested_draw(sos_canvas *c)
{
    for (size_t i = 0; i < c->columns * c->rows; i++) {
        const size_t corners = sos_pick(c, 3, 6);
        const double way = sos_chance(c, 0.5) ? 1 : -1, turn = way * sos_between(c, 0.01, 0.05),
                     shrink = sos_between(c, 0.72, 0.83);
        const double width = sos_width(c, sos_between(c, 1.3, 4)), least = fmax(14 * c->unit, 6 * sos_width(c, 1));
        double r = 92 * c->unit, tilt = sos_between(c, 0, 1);
        while (r > least) {
            const sos_figure f = sos_figure_polygon(cell_middle(c, i), corners, r, r, tilt);
            sos_figure_outline(c, &f, fmax(width * r / (92 * c->unit), sos_width(c, 1)), 0);
            r *= shrink;
            tilt += turn;
        }
    }
    for (size_t n = amount(c, 0, 2); n; n--) long_line(c, sos_width_thin(c), true, 0.06);
}

static sos_spot middle_of(sos_spot a, sos_spot b) { return (sos_spot){ (a.x + b.x) / 2, (a.y + b.y) / 2 }; }

/* A triangle with its circles and lines, as in a book of geometry. */
static void construction_draw(sos_canvas *c)
{
    for (size_t i = 0; i < c->columns * c->rows; i++) {
        const double radius = sos_between(c, 62, 80) * c->unit, tilt = sos_between(c, 0, 1);
        const sos_spot o = sos_spot_beyond(cell_middle(c, i), sos_turn(sos_between(c, 0, 1)), 10 * c->unit);
        sos_figure f = { .count = 3 };
        for (size_t k = 0; k < 3; k++)
            f.points[k] = sos_spot_beyond(o, sos_turn(tilt + ((double)k + sos_between(c, -0.22, 0.22)) / 3), radius);
        const sos_spot *p = f.points;
        sos_figure_outline(c, &f, sos_width(c, sos_between(c, 2.5, 5)), 0);
        const sos_figure around = sos_figure_circle(o, radius);
        const double fine = sos_width_thin(c);
        sos_figure_draw(c, &around, sos_chance(c, 0.3) ? SOS_DASHED : SOS_OUTLINED, fine);

        const double a = sos_spot_distance(p[1], p[2]), b = sos_spot_distance(p[2], p[0]), e = sos_spot_distance(p[0], p[1]),
                     sum = a + b + e;
        const double s = sum / 2, inner = sqrt(fmax((s - a) * (s - b) * (s - e) / s, 0));
        const sos_spot inside = { (a * p[0].x + b * p[1].x + e * p[2].x) / sum, (a * p[0].y + b * p[1].y + e * p[2].y) / sum };
        const sos_figure within = sos_figure_circle(inside, inner);
        if (sos_chance(c, 0.6)) sos_figure_draw(c, &within, sos_chance(c, 0.4) ? SOS_HATCHED : SOS_OUTLINED, fine);
        for (size_t k = 0; k < 3; k++) {
            const sos_spot foot = middle_of(p[(k + 1) % 3], p[(k + 2) % 3]);
            const double width = sos_width_thin(c);
            sos_ruler_dashes(c, p[k], foot, width, sos_ruler_dash(c, width));
            sos_ruler_disc(c, p[k], sos_width(c, 4));
        }
    }
    if (sos_chance(c, 0.7)) long_line(c, sos_width_medium(c), false, 0.06);
}

/* Axes, bars and a curve. */
static void chart_in(sos_canvas *c, sos_box b)
{
    const size_t n = sos_pick(c, 5, 9);
    const double step = (b.x1 - b.x0) / ((double)n + 0.3), height = b.y1 - b.y0, width = sos_width(c, sos_between(c, 2, 4));
    static const sos_figure_style BARS[] = { SOS_OUTLINED, SOS_HATCHED, SOS_HATCHED, SOS_CROSSED, SOS_DOTTED };
    const sos_figure_style bar = BARS[sos_pick(c, 0, 4)], other = BARS[sos_pick(c, 0, 4)];
    sos_spot curve[16];
    for (int i = 1; i < 4; i++) {
        const double y = b.y1 - i * height / 4;
        sos_ruler_dashes(c, (sos_spot){ b.x0, y }, (sos_spot){ b.x1, y }, sos_width(c, 1), 6 * c->unit + 2);
    }
    for (size_t i = 0; i < n; i++) {
        const double x = b.x0 + ((double)i + 0.65) * step, top = b.y1 - height * sos_between(c, 0.12, 0.8);
        const sos_figure f = sos_figure_box((sos_box){ x - step * 0.32, top, x + step * 0.32, b.y1 });
        sos_figure_contour(c, &f, 0);
        sos_path_fill(c, &sos_paper);
        sos_figure_draw(c, &f, i == n / 2 ? SOS_FILLED : i & 1 ? bar : other, sos_width(c, 1.6));
        curve[i] = (sos_spot){ x, b.y1 - height * sos_between(c, 0.45, 0.95) };
    }
    if (sos_chance(c, 0.8)) {
        sos_ruler_polyline(c, n, curve, sos_width(c, 2.5));
        for (size_t i = 0; i < n; i++) sos_ruler_disc(c, curve[i], sos_width(c, 4.5));
    }
    sos_ruler_line(c, (sos_spot){ b.x0 - width / 2, b.y1 }, (sos_spot){ b.x1 + 4 * c->unit, b.y1 }, width);
    sos_ruler_line(c, (sos_spot){ b.x0, b.y0 - 6 * c->unit }, (sos_spot){ b.x0, b.y1 }, width);
}

static void pie_in(sos_canvas *c, sos_box b)
{
    const sos_spot at = { (b.x0 + b.x1) / 2, (b.y0 + b.y1) / 2 };
    const double radius = 0.45 * fmin(b.x1 - b.x0, b.y1 - b.y0), width = sos_width(c, sos_between(c, 2, 4));
    double begin = sos_between(c, 0, 1);
    const double first = begin;
    for (size_t i = 0; begin < first + 0.93; i++) {
        const double turns = fmin(sos_between(c, 0.1, 0.3), first + 1 - begin);
        const sos_paint paint = i % 3 == 2 ? sos_paint_pattern(c, SOS_PAINT_DOTS)
                                : i % 3    ? sos_paint_pattern(c, SOS_PAINT_STRIPES)
                                           : sos_paper;
        sos_path_add_spot(c, at);
        for (size_t k = 0; k <= 64; k++)
            sos_path_add_spot(c, sos_spot_beyond(at, sos_turn(begin + turns * (double)k / 64), radius));
        sos_path_fill(c, &paint);
        sos_ruler_line(c, at, sos_spot_beyond(at, sos_turn(begin), radius), width);
        begin += turns;
    }
    sos_ruler_line(c, at, sos_spot_beyond(at, sos_turn(begin), radius), width);
    const sos_figure f = sos_figure_circle(at, radius);
    sos_figure_outline(c, &f, width, 0);
}

static void charts_draw(sos_canvas *c)
{
    const size_t cells = c->columns * c->rows, pie = sos_pick(c, 0, cells);
    for (size_t i = 0; i < cells; i++) {
        const sos_spot at = cell_middle(c, i);
        const double w = 0.41 * c->cell_width, h = 0.39 * c->cell_height;
        const sos_box b = { at.x - w, at.y - h, at.x + w, at.y + h };
        if (i == pie)
            pie_in(c, b);
        else
            chart_in(c, b);
    }
}

enum { NODES_MAX = 256 };

/* Nodes kept apart from each other, and lines between near ones. */
static void network_draw(sos_canvas *c)
{
    sos_spot nodes[NODES_MAX];
    size_t count = 0;
    const size_t wanted = amount(c, 12, 18);
    const double apart = 46 * c->unit, radius = sos_between(c, 8, 13) * c->unit;
    for (size_t attempt = 0; attempt < 40 * wanted && count < wanted && count < NODES_MAX; attempt++) {
        const sos_spot p = anywhere(c, 18 * c->unit);
        bool free = true;
        for (size_t i = 0; i < count; i++) free = free && sos_spot_distance(p, nodes[i]) >= apart;
        if (free) nodes[count++] = p;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++) {
            if (sos_spot_distance(nodes[i], nodes[k]) > 2.2 * apart) continue;
            const double width = sos_width_any(c) * 0.8 + 0.2;
            if (sos_chance(c, 0.15))
                sos_ruler_dashes(c, nodes[i], nodes[k], width, sos_ruler_dash(c, width));
            else if (sos_chance(c, 0.75))
                sos_ruler_line(c, nodes[i], nodes[k], fmax(width, sos_width(c, 1)));
        }
    for (size_t i = 0; i < count; i++) {
        const size_t sides = sos_pick(c, 0, 2);
        const sos_figure f = sides ? sos_figure_polygon(nodes[i], 2 * sides + 2, radius, radius, 0.125)
                                   : sos_figure_circle(nodes[i], radius);
        sos_figure_contour(c, &f, 0);
        sos_path_fill(c, &sos_paper);
        if (sos_chance(c, 0.25))
            sos_figure_draw(c, &f, SOS_FILLED, 0);
        else
            sos_figure_outline(c, &f, sos_width(c, sos_between(c, 1.8, 3.5)), 0);
    }
}

/* Waves of different heights, some running together. */
static void waves_draw(sos_canvas *c)
{
    const size_t count = amount_of_rows(c, 4, 6);
    const double waves = sos_between(c, 1.2, 3) * c->width / (400 * c->unit), phase = sos_between(c, 0, 1),
                 drift = sos_between(c, 0, 0.18);
    const double rise = sos_between(c, 12, 32) * c->unit, second = sos_between(c, 0, 0.5);
    const sos_spot sky = { sos_between(c, 0.2, 0.8) * c->width, 42 * c->unit };
    const sos_figure sun = sos_figure_circle(sky, sos_between(c, 18, 34) * c->unit);
    const sos_figure_style s = sos_figure_style_any(c);
    sos_figure_draw(c, &sun, s, sos_width_medium(c));
    const size_t steps = (size_t)fmin(200 * waves + 200, SOS_PATH_MAX);
    for (size_t i = 0; i < count; i++) {
        const double y = c->height * (0.3 + 0.64 * ((double)i + 0.5) / (double)count);
        const double width = i & 1 ? sos_width_thin(c) : sos_width_any(c);
        for (size_t k = 0; k < steps; k++) {
            const double t = (double)k / (double)(steps - 1), a = waves * t + phase + drift * (double)i;
            const double up = rise * (sos_turn(a).y + second * sos_turn(2.7 * a).y);
            sos_path_add_round(c, (1.1 * t - 0.05) * c->width, y + up, width / 2);
        }
        sos_path_stroke(c);
    }
}

/* Straight lines whose envelope is a curve, in a corner between two arms. */
static void strings_in(sos_canvas *c, sos_spot corner, sos_spot one, sos_spot other)
{
    const size_t n = sos_pick(c, 8, 13);
    const double width = sos_width(c, sos_between(c, 1, 1.6));
    for (size_t i = 0; i <= n; i++) {
        const double t = (double)i / (double)n;
        const sos_spot a = { corner.x + t * (one.x - corner.x), corner.y + t * (one.y - corner.y) };
        const sos_spot b = { other.x + t * (corner.x - other.x), other.y + t * (corner.y - other.y) };
        sos_ruler_line(c, a, b, width);
    }
    sos_ruler_line(c, corner, one, sos_width(c, 3.5));
    sos_ruler_line(c, corner, other, sos_width(c, 3.5));
}

static void fan_in(sos_canvas *c, sos_spot at, double radius)
{
    const size_t rays = sos_pick(c, 7, 14);
    const double begin = sos_between(c, 0, 1), turns = sos_chance(c, 0.5) ? 1 : sos_between(c, 0.3, 0.6),
                 width = sos_width(c, sos_between(c, 1.2, 3));
    for (size_t i = 0; i < rays; i++) {
        const sos_spot d = sos_turn(begin + turns * (double)i / (double)rays);
        sos_ruler_line(c, sos_spot_beyond(at, d, radius * 0.22), sos_spot_beyond(at, d, radius * (i & 1 ? 0.75 : 1)), width);
    }
    const sos_figure f = sos_figure_circle(at, radius * 0.22);
    sos_figure_draw(c, &f, sos_chance(c, 0.4) ? SOS_FILLED : SOS_OUTLINED, sos_width(c, 3));
    for (size_t i = sos_pick(c, 0, 2); i; i--) {
        const double part = turns * sos_between(c, 0.5, 1);
        sos_ruler_arc(c, at, radius * (0.4 + 0.2 * (double)i), begin, part, sos_width_medium(c));
    }
}

static void strings_draw(sos_canvas *c)
{
    const size_t cells = c->columns * c->rows;
    for (size_t i = 0; i < cells; i++) {
        const sos_spot at = cell_middle(c, i);
        const double w = 0.44 * c->cell_width, h = 0.44 * c->cell_height, x = sos_chance(c, 0.5) ? 1 : -1,
                     y = sos_chance(c, 0.5) ? 1 : -1;
        if (sos_chance(c, 0.45)) {
            const double radius = sos_between(c, 72, 96) * c->unit;
            fan_in(c, sos_spot_beyond(at, sos_turn(sos_between(c, 0, 1)), 8 * c->unit), radius);
            continue;
        }
        const sos_spot corner = { at.x - x * w, at.y - y * h }, across = { at.x + x * w, at.y + y * h };
        strings_in(c, corner, (sos_spot){ across.x, corner.y }, (sos_spot){ corner.x, across.y });
        if (sos_chance(c, 0.6)) strings_in(c, across, (sos_spot){ corner.x, across.y }, (sos_spot){ across.x, corner.y });
    }
}

/* A lattice with some of its squares filled, and circles over it. */
static void lattice_draw(sos_canvas *c)
{
    const double pitch = sos_between(c, 24, 38) * c->unit, width = sos_width_thin(c),
                 tilt = sos_chance(c, 0.5) ? 0 : sos_between(c, -0.06, 0.06);
    const double reach = c->width + c->height;
    const sos_spot o = { c->width / 2, c->height / 2 }, d = sos_turn(tilt), e = { -d.y, d.x };
    const long n = (long)(reach / 2 / pitch);
    const bool dashed = sos_chance(c, 0.25);
    for (long i = -n; i <= n; i++) {
        const sos_spot p = sos_spot_beyond(o, e, (double)i * pitch), q = sos_spot_beyond(o, d, (double)i * pitch);
        const double w = i % 4 ? width : 2 * width;
        if (dashed && i % 4) {
            sos_ruler_dashes(c, sos_spot_beyond(p, d, -reach), sos_spot_beyond(p, d, reach), w, pitch / 4);
            sos_ruler_dashes(c, sos_spot_beyond(q, e, -reach), sos_spot_beyond(q, e, reach), w, pitch / 4);
            continue;
        }
        sos_ruler_line(c, sos_spot_beyond(p, d, -reach), sos_spot_beyond(p, d, reach), w);
        sos_ruler_line(c, sos_spot_beyond(q, e, -reach), sos_spot_beyond(q, e, reach), w);
    }
    for (size_t k = amount(c, 3, 7); k; k--) {
        const double i = (double)(long)sos_between(c, -c->width / 2 / pitch, c->width / 2 / pitch) + 0.5;
        const double j = (double)(long)sos_between(c, -c->height / 2 / pitch, c->height / 2 / pitch) + 0.5;
        const sos_figure f = sos_figure_rectangle(sos_spot_beyond(sos_spot_beyond(o, d, i * pitch), e, j * pitch), pitch / 2,
                                                  pitch / 2, tilt);
        sos_figure_draw(c, &f, sos_chance(c, 0.5) ? SOS_FILLED : SOS_HATCHED, width);
    }
    for (size_t k = amount(c, 1, 3); k; k--) {
        const sos_spot at = anywhere(c, 40 * c->unit);
        const sos_figure f = sos_figure_circle(at, sos_between(c, 25, 60) * c->unit);
        if (sos_chance(c, 0.5)) {
            sos_figure_contour(c, &f, 0);
            sos_path_fill(c, &sos_paper);
        }
        sos_figure_outline(c, &f, sos_width(c, sos_between(c, 3, 6)), 0);
    }
}

/* A wheel with teeth, spokes and a hub. */
static void wheel_in(sos_canvas *c, sos_spot at, double radius)
{
    const size_t teeth = 8 + (size_t)(radius / (5 * c->unit)), spokes = sos_pick(c, 3, 7);
    const double tilt = sos_between(c, 0, 1), width = sos_width(c, sos_between(c, 2, 4.5));
    sos_figure f = { .count = 0 };
    for (size_t i = 0; i < teeth && f.count + 4 <= SOS_FIGURE_MAX; i++)
        for (size_t k = 0; k < 4; k++) {
            static const double PLACE[4] = { 0, 0.12, 0.5, 0.62 };
            const sos_spot d = sos_turn(tilt + ((double)i + PLACE[k]) / (double)teeth);
            f.points[f.count++] = sos_spot_beyond(at, d, k == 1 || k == 2 ? radius : radius - 8 * c->unit);
        }
    sos_figure_contour(c, &f, 0);
    sos_path_fill(c, &sos_paper);
    if (sos_chance(c, 0.6)) {
        sos_figure_outline(c, &f, width, 0);
    } else {
        const sos_figure rim = sos_figure_circle(at, radius - 4 * c->unit);
        sos_figure_outline(c, &rim, width * 1.5, 0);
    }
    const sos_figure hub = sos_figure_circle(at, fmax(radius * 0.2, 4 * c->unit)), inner = sos_figure_circle(at, radius * 0.7);
    for (size_t i = 0; i < spokes; i++) {
        const sos_spot d = sos_turn(tilt + (double)i / (double)spokes);
        sos_ruler_line(c, sos_spot_beyond(at, d, radius * 0.2), sos_spot_beyond(at, d, radius * 0.7), width);
    }
    sos_figure_outline(c, &inner, sos_width_thin(c), 0);
    sos_figure_draw(c, &hub, sos_chance(c, 0.4) ? SOS_FILLED : SOS_OUTLINED, width);
}

/* Wheels side by side along a row of cells, some with a belt to the next. */
static void wheels_along(sos_canvas *c, double y)
{
    double x = sos_between(c, 20, 45) * c->unit, before = 0;
    sos_spot last = { 0, 0 };
    for (size_t i = 0; x < c->width - 10 * c->unit; i++) {
        const double radius = sos_between(c, 24, 62) * c->unit;
        const sos_spot at = { x + (i ? radius * 0.85 : 0), y + sos_between(c, -0.22, 0.22) * c->cell_height };
        if (i && sos_chance(c, 0.4)) {
            const sos_spot d = sos_spot_direction(last, at), side = { -d.y, d.x };
            const double width = sos_width_thin(c);
            sos_ruler_line(c, sos_spot_beyond(last, side, before), sos_spot_beyond(at, side, radius), width);
            sos_ruler_line(c, sos_spot_beyond(last, side, -before), sos_spot_beyond(at, side, -radius), width);
        }
        wheel_in(c, at, radius);
        last = at;
        before = radius - 4 * c->unit;
        x = at.x + radius * sos_between(c, 0.9, 1.15);
    }
}

static void wheels_draw(sos_canvas *c)
{
    for (size_t i = 0; i < c->rows; i++) wheels_along(c, ((double)i + 0.5) * c->cell_height);
}

/* Boxes, cylinders and cones in a slanted view; hidden edges are dashed or left out. */
static void block_in(sos_canvas *c, sos_box b)
{
    const double w = b.x1 - b.x0, h = b.y1 - b.y0, depth = 0.3 * fmin(w, h), width = sos_width(c, sos_between(c, 1.8, 4));
    const double lean = sos_chance(c, 0.5) ? depth : -depth, x0 = lean > 0 ? b.x0 : b.x0 + depth,
                 x1 = lean > 0 ? b.x1 - depth : b.x1;
    const sos_figure front = sos_figure_box((sos_box){ x0, b.y0 + depth, x1, b.y1 });
    const double side = lean > 0 ? x1 : x0;
    const sos_figure top = {
        .count = 4, .points = { { x0, b.y0 + depth }, { x0 + lean, b.y0 }, { x1 + lean, b.y0 }, { x1, b.y0 + depth } }
    };
    const sos_figure flank = {
        .count = 4, .points = { { side, b.y0 + depth }, { side + lean, b.y0 }, { side + lean, b.y1 - depth }, { side, b.y1 } }
    };
    sos_figure_draw(c, &front, sos_chance(c, 0.3) ? SOS_DOTTED : SOS_OUTLINED, width);
    sos_figure_draw(c, &top, SOS_OUTLINED, width);
    sos_figure_draw(c, &flank, sos_chance(c, 0.6) ? SOS_HATCHED : SOS_OUTLINED, width);
}

static void round_in(sos_canvas *c, sos_box b, bool cone)
{
    const double rx = 0.4 * (b.x1 - b.x0), ry = rx * 0.3, width = sos_width(c, sos_between(c, 1.8, 4));
    const sos_spot top = { (b.x0 + b.x1) / 2, b.y0 + (cone ? 0 : ry) }, bottom = { top.x, b.y1 - ry };
    const sos_figure lid = sos_figure_ellipse(top, rx, ry, 0), under = sos_figure_ellipse(bottom, rx, ry, 0);
    sos_figure_dashes(c, &under, sos_width(c, 1), sos_ruler_dash(c, sos_width(c, 1)));
    for (size_t i = 0; i <= 64; i++) {
        const sos_spot t = sos_turn(0.5 * (double)i / 64);
        sos_path_add_round(c, bottom.x + rx * t.x, bottom.y + ry * t.y, width / 2);
    }
    sos_path_stroke(c);
    for (int s = -1; s < 2; s += 2)
        sos_ruler_polyline(c, 2, (sos_spot[]){ { bottom.x + s * rx, bottom.y }, { top.x + (cone ? 0 : s * rx), top.y } },
                           width);
    if (!cone) sos_figure_draw(c, &lid, sos_chance(c, 0.4) ? SOS_HATCHED : SOS_OUTLINED, width);
}

static void solids_draw(sos_canvas *c)
{
    const size_t columns = 2 * c->columns, rows = c->rows;
    const double w = c->width / (double)columns, h = c->height / (double)rows;
    for (size_t i = 0; i < columns * rows; i++) {
        const double x = ((double)(i % columns) + sos_between(c, 0.1, 0.2)) * w,
                     y = ((double)(i / columns) + sos_between(c, 0.12, 0.4)) * h;
        const sos_box b = { x, y, x + w * sos_between(c, 0.65, 0.75), ((double)(i / columns) + 0.88) * h };
        const size_t what = sos_pick(c, 0, 3);
        if (what < 2)
            block_in(c, b);
        else
            round_in(c, b, what == 2);
    }
    const double ground = sos_chance(c, 0.5) ? 0.94 : 0.97;
    for (size_t i = 0; i < rows; i++)
        sos_ruler_line(c, (sos_spot){ 0, ((double)i + ground) * h }, (sos_spot){ c->width, ((double)i + ground) * h },
                       sos_width_medium(c));
}

typedef enum zigzag { ZIGZAG, BATTLEMENTS, RANDOM } zigzag;

/* A line from border to border about height y. */
static void zigzag_line(sos_canvas *c, zigzag kind, double y, double rise, double step, double width)
{
    double x = -sos_between(c, 0, 1) * step, at = y;
    for (size_t n = 0; x < c->width + step; n++) {
        sos_path_add_round(c, x, at, width / 2);
        x += kind == RANDOM ? step * sos_between(c, 0.6, 1.6) : step;
        if (kind == BATTLEMENTS) sos_path_add_round(c, x, at, width / 2);
        at = kind == RANDOM ? sos_between(c, y - rise, y + rise) : n & 1 ? y - rise : y + rise;
    }
    sos_path_stroke(c);
}

/* Lines that go up and down, and figures in front of them. */
static void zigzags_draw(sos_canvas *c)
{
    const size_t count = amount_of_rows(c, 3, 4);
    for (size_t i = 0; i < count; i++) {
        const zigzag kind = (zigzag)sos_pick(c, 0, 2);
        const double y = c->height * ((double)i + 0.5) / (double)count, width = sos_width_any(c);
        const double rise = fmin(sos_between(c, 14, 38) * c->unit, 0.6 * c->height / (double)count + 6);
        zigzag_line(c, kind, y, kind == BATTLEMENTS ? rise / 2 : rise, fmax(sos_between(c, 14, 44) * c->unit, 3 * width),
                    width);
    }
    for (size_t n = amount(c, 2, 3); n; n--) {
        const sos_spot at = anywhere(c, 35 * c->unit);
        const sos_figure f = sos_figure_any(c, at, sos_between(c, 20, 38) * c->unit);
        const sos_figure_style s = sos_figure_style_any(c);
        sos_figure_contour(c, &f, 3 * c->unit);
        sos_path_fill(c, &sos_paper);
        sos_figure_draw(c, &f, s, sos_width(c, sos_between(c, 1.5, 3)));
    }
}

void sos_drawing_shapes(sos_canvas *c)
{
    static void (*const ARRANGEMENTS[])(sos_canvas *) = { crossing_draw,     figures_draw, partition_draw, nested_draw,
                                                          construction_draw, charts_draw,  crossing_draw,  network_draw,
                                                          waves_draw,        strings_draw, lattice_draw,   wheels_draw,
                                                          solids_draw,       zigzags_draw };
    ARRANGEMENTS[c->seed % (sizeof ARRANGEMENTS / sizeof *ARRANGEMENTS)](c);
}
