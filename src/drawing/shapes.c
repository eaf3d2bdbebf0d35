/* drawing_shapes.c - lines and geometric shapes of various thickness, arranged in a dozen ways. */
#include <math.h>

#include "drawing/parts.h"

enum { FIGURE_MAX = 512 };

/* A closed polygon; what is round has many corners. */
typedef struct figure {
    size_t count;
    sos_spot points[FIGURE_MAX];
} figure;

typedef enum style { OUTLINED, DOUBLED, DASHED, HATCHED, CROSSED, DOTTED, FILLED } style;

/* One of these in an expression, never two: C leaves their order open, and compilers differ. */
static double between(sos_canvas *c, double least, double most) { return sos_canvas_between(c, least, most); }
static size_t pick(sos_canvas *c, size_t least, size_t most) { return sos_canvas_pick(c, least, most); }
static bool chance(sos_canvas *c, double probability) { return sos_canvas_chance(c, probability); }

/* ---- thickness ---- */

/* Widths are given for cells of 200 pixels; the least one is a pixel, a little more so that slanted lines hold together. */
static double width_of(const sos_canvas *c, double width) { return fmax(width * c->unit, 1.1); }

static double thin(sos_canvas *c) { return width_of(c, between(c, 1, 2.2)); }
static double medium(sos_canvas *c) { return width_of(c, between(c, 2.4, 4.2)); }
static double thick(sos_canvas *c) { return width_of(c, between(c, 4.5, 8)); }

static double any_width(sos_canvas *c)
{
    switch (pick(c, 0, 4)) {
    case 0:
    case 1: return thin(c);
    case 2:
    case 3: return medium(c);
    default: return thick(c);
    }
}

/* How many of something, where a picture of two cells such as 400 x 200 has least ... most. */
static size_t amount(sos_canvas *c, size_t least, size_t most)
{
    const double cells = (double)(c->columns * c->rows), n = between(c, (double)least, (double)most + 1) * cells / 2;
    return n < 1 ? 1 : (size_t)n;
}

/* The same for what runs across the whole width. */
static size_t amount_of_rows(sos_canvas *c, size_t least, size_t most)
{
    return (size_t)(between(c, (double)least, (double)most + 1) * (double)c->rows);
}

/* ---- lines ---- */

static sos_spot from(sos_spot p, sos_spot direction, double distance)
{
    return (sos_spot){ p.x + distance * direction.x, p.y + distance * direction.y };
}

static double distance_of(sos_spot a, sos_spot b) { return sqrt((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y)); }

static sos_spot direction_of(sos_spot a, sos_spot b)
{
    const double length = distance_of(a, b);
    return length > 0 ? (sos_spot){ (b.x - a.x) / length, (b.y - a.y) / length } : (sos_spot){ 1, 0 };
}

static void add(sos_canvas *c, sos_spot p) { sos_path_add(c, p.x, p.y); }

static void line(sos_canvas *c, sos_spot a, sos_spot b, double width)
{
    const sos_spot d = direction_of(a, b), side = { -d.y, d.x };
    add(c, from(a, side, width / 2));
    add(c, from(b, side, width / 2));
    add(c, from(b, side, -width / 2));
    add(c, from(a, side, -width / 2));
    sos_path_fill(c, &sos_ink);
}

static void dashed_line(sos_canvas *c, sos_spot a, sos_spot b, double width, double dash)
{
    const sos_spot d = direction_of(a, b);
    const double length = distance_of(a, b);
    for (size_t i = 0; (double)i * 2 * dash < length; i++) {
        const double at = (double)i * 2 * dash;
        line(c, from(a, d, at), from(a, d, fmin(at + dash, length)), width);
    }
}

static double dash_of(const sos_canvas *c, double width) { return fmax(3 * width, 8 * c->unit); }

/* A line through open points, with round joints. */
static void polyline(sos_canvas *c, size_t count, const sos_spot points[], double width)
{
    for (size_t i = 0; i < count; i++) sos_path_add_round(c, points[i].x, points[i].y, width / 2);
    sos_path_stroke(c);
}

static void disc(sos_canvas *c, sos_spot at, double radius)
{
    sos_path_add_round(c, at.x, at.y, radius);
    sos_path_stroke(c);
}

/* ---- closed figures ---- */

static figure ellipse(sos_spot at, double rx, double ry, double tilt)
{
    const double n = 24 + 8 * sqrt(fmax(rx, ry));
    figure f = { .count = n < FIGURE_MAX ? (size_t)n : FIGURE_MAX };
    const sos_spot turned = sos_turn(tilt);
    for (size_t i = 0; i < f.count; i++) {
        const sos_spot t = sos_turn((double)i / (double)f.count);
        const double x = rx * t.x, y = ry * t.y;
        f.points[i] = (sos_spot){ at.x + x * turned.x - y * turned.y, at.y + x * turned.y + y * turned.x };
    }
    return f;
}

static figure circle(sos_spot at, double radius) { return ellipse(at, radius, radius, 0); }

static figure rectangle(sos_spot at, double half_width, double half_height, double tilt)
{
    static const double X[4] = { -1, 1, 1, -1 }, Y[4] = { -1, -1, 1, 1 };
    const sos_spot turned = sos_turn(tilt);
    figure f = { .count = 4 };
    for (size_t i = 0; i < 4; i++) {
        const double x = X[i] * half_width, y = Y[i] * half_height;
        f.points[i] = (sos_spot){ at.x + x * turned.x - y * turned.y, at.y + x * turned.y + y * turned.x };
    }
    return f;
}

/* Radii may alternate, which makes stars. */
static figure polygon(sos_spot at, size_t corners, double radius, double other_radius, double tilt)
{
    figure f = { .count = corners };
    for (size_t i = 0; i < corners; i++)
        f.points[i] = from(at, sos_turn(tilt + (double)i / (double)corners), i & 1 ? other_radius : radius);
    return f;
}

static figure triangle(sos_canvas *c, sos_spot at, double radius)
{
    const double tilt = between(c, 0, 1);
    figure f = { .count = 3 };
    for (size_t i = 0; i < 3; i++) {
        const double turns = tilt + ((double)i + between(c, -0.2, 0.2)) / 3, distance = radius * between(c, 0.85, 1.15);
        f.points[i] = from(at, sos_turn(turns), distance);
    }
    return f;
}

/* The corner p between its neighbours, moved outwards by distance; sharp corners by at most three times that. */
static sos_spot corner_moved(sos_spot before, sos_spot p, sos_spot after, double distance)
{
    const sos_spot u = direction_of(before, p), v = direction_of(p, after);
    const double sum = 1 + u.x * v.x + u.y * v.y, by = distance / fmax(sum, 0.25);
    return (sos_spot){ p.x + by * (u.y + v.y), p.y - by * (u.x + v.x) };
}

static void contour_add(sos_canvas *c, const figure *f, double moved)
{
    const size_t n = f->count;
    for (size_t i = 0; i < n; i++)
        add(c, corner_moved(f->points[(i + n - 1) % n], f->points[i], f->points[(i + 1) % n], moved));
    sos_path_close(c);
}

static void outline(sos_canvas *c, const figure *f, double width, double moved)
{
    contour_add(c, f, moved + width / 2);
    contour_add(c, f, moved - width / 2);
    sos_path_fill(c, &sos_ink);
}

/* Dashes go round without a break at the corners: left over from one side is what the next side begins with. */
static void dashed_outline(sos_canvas *c, const figure *f, double width, double dash)
{
    double at = 0; /* along a dash and the gap behind it */
    for (size_t i = 0; i < f->count; i++) {
        const sos_spot p = f->points[i], q = f->points[(i + 1) % f->count], d = direction_of(p, q);
        const double length = distance_of(p, q);
        for (double done = 0; done < length;) {
            const bool ink = at < dash;
            const double step = fmin((ink ? dash : 2 * dash) - at, length - done);
            if (ink) polyline(c, 2, (sos_spot[]){ from(p, d, done), from(p, d, done + step) }, width);
            done += step + 1e-9;
            at += step + 1e-9;
            if (at >= 2 * dash) at = 0;
        }
    }
}

static double perimeter(const figure *f)
{
    double sum = 0;
    for (size_t i = 0; i < f->count; i++) sum += distance_of(f->points[i], f->points[(i + 1) % f->count]);
    return sum;
}

static sos_paint pattern(sos_canvas *c, sos_paint_kind kind)
{
    static const double ANGLES[] = { 0, 0.125, 0.25, 0.375, 0.08, 0.17 };
    const double width = kind == SOS_PAINT_DOTS ? width_of(c, between(c, 3, 4.5)) : thin(c);
    const double apart = kind == SOS_PAINT_STRIPES ? between(c, 6, 11) : between(c, 9, 14);
    const sos_spot along = sos_turn(ANGLES[pick(c, 0, 5)]);
    return (sos_paint){ .kind = kind, .along = along, .width = width, .pitch = fmax(apart * c->unit, 4 * width) };
}

static void figure_draw(sos_canvas *c, const figure *f, style s, double width)
{
    static const sos_paint_kind KINDS[] = {
        [HATCHED] = SOS_PAINT_STRIPES, [CROSSED] = SOS_PAINT_CROSSED, [DOTTED] = SOS_PAINT_DOTS
    };
    switch (s) {
    case OUTLINED: outline(c, f, width, 0); break;
    case DOUBLED:
        outline(c, f, width, 0);
        outline(c, f, width_of(c, 1), -width - 4 * c->unit);
        break;
    case DASHED: dashed_outline(c, f, width, fmin(dash_of(c, width), perimeter(f) / 18)); break;
    case FILLED:
        contour_add(c, f, 0);
        sos_path_fill(c, &sos_ink);
        break;
    default: {
        const sos_paint paint = pattern(c, KINDS[s]);
        contour_add(c, f, 0);
        sos_path_fill(c, &paint);
        outline(c, f, fmin(width, width_of(c, 3)), 0);
    }
    }
}

static style any_style(sos_canvas *c)
{
    static const style OFTEN[] = { OUTLINED, OUTLINED, OUTLINED, OUTLINED, DOUBLED, DASHED, HATCHED, HATCHED, CROSSED, DOTTED };
    return OFTEN[pick(c, 0, sizeof OFTEN / sizeof *OFTEN - 1)];
}

static sos_spot anywhere(sos_canvas *c, double margin)
{
    const double x = fmin(margin, c->width / 2), y = fmin(margin, c->height / 2);
    const double across = between(c, x, c->width - x), down = between(c, y, c->height - y);
    return (sos_spot){ across, down };
}

static void arc(sos_canvas *c, sos_spot at, double radius, double begin, double turns, double width)
{
    const size_t n = FIGURE_MAX / 2;
    for (size_t i = 0; i <= n; i++) add(c, from(at, sos_turn(begin + turns * (double)i / (double)n), radius + width / 2));
    for (size_t i = n + 1; i-- > 0;) add(c, from(at, sos_turn(begin + turns * (double)i / (double)n), radius - width / 2));
    sos_path_fill(c, &sos_ink);
}

/* ---- arrangements ---- */

/* A line through somewhere, which goes from border to border unless the picture is very long. */
static void long_line(sos_canvas *c, double width, bool dashed, double steepest)
{
    const sos_spot p = anywhere(c, 20 * c->unit), d = sos_turn(between(c, -steepest, steepest));
    const sos_spot a = from(p, d, -460 * c->unit), b = from(p, d, 460 * c->unit);
    if (dashed)
        dashed_line(c, a, b, width, dash_of(c, width));
    else
        line(c, a, b, width);
}

/* As in the paper: long lines from border to border, circles and rectangles that lie over each other. */
static void crossing_draw(sos_canvas *c)
{
    const double u = c->unit;
    for (size_t n = amount(c, 2, 4); n; n--) {
        const double width = any_width(c);
        long_line(c, width, chance(c, 0.15), 0.25);
    }
    for (size_t n = amount(c, 2, 4); n; n--) {
        const sos_spot at = anywhere(c, 20 * u);
        const figure f = circle(at, between(c, 15, 65) * u);
        figure_draw(c, &f, OUTLINED, any_width(c));
    }
    for (size_t n = amount(c, 2, 4); n; n--) {
        const sos_spot at = anywhere(c, 30 * u);
        const double half_width = between(c, 15, 50) * u, half_height = between(c, 12, 35) * u;
        const figure f = rectangle(at, half_width, half_height, 0);
        figure_draw(c, &f, OUTLINED, any_width(c));
    }
}

static figure any_figure(sos_canvas *c, sos_spot at, double radius)
{
    const size_t corners = pick(c, 5, 8), rays = pick(c, 5, 8);
    const double slim = radius * between(c, 0.4, 0.85), tilt = between(c, 0, 1);
    switch (pick(c, 0, 6)) {
    case 0: return circle(at, radius * 0.9);
    case 1: return ellipse(at, radius, slim * 0.9, tilt);
    case 2: return rectangle(at, radius * 0.95, slim * 1.1, 0);
    case 3: return rectangle(at, radius * 0.85, slim * 0.8, tilt);
    case 4: return triangle(c, at, radius);
    case 5: return polygon(at, corners, radius, radius, tilt);
    default: return polygon(at, 2 * rays, radius, 0.3 * radius + 0.35 * slim, tilt);
    }
}

/* What an arrangement in rows has at one place. */
static void ornament_draw(sos_canvas *c, sos_spot at, double radius)
{
    const double begin = between(c, 0, 1), width = any_width(c);
    switch (pick(c, 0, 9)) {
    case 0: /* rings */
        for (size_t i = 0; (double)i * fmax(radius / 4, 2.5 * width) < 0.8 * radius; i++) {
            const figure f = circle(at, radius - (double)i * fmax(radius / 4, 2.5 * width));
            outline(c, &f, fmin(width, radius / 8), 0);
        }
        break;
    case 1: /* arcs */
        for (size_t i = 0; i < 3; i++)
            arc(c, at, radius * (1 - 0.3 * (double)i), begin + 0.2 * (double)i, between(c, 0.4, 0.75), fmin(width, radius / 6));
        break;
    case 2: { /* a small one filled */
        const figure f = any_figure(c, at, radius * 0.45);
        figure_draw(c, &f, FILLED, width);
        break;
    }
    default: {
        const figure f = any_figure(c, at, radius);
        figure_draw(c, &f, any_style(c), fmin(width, radius / 6));
    }
    }
}

/* One figure at each place of a loose grid. */
static void figures_draw(sos_canvas *c)
{
    const size_t columns = 2 * c->columns, rows = c->unit < 0.4 ? c->rows : 2 * c->rows;
    const double w = c->width / (double)columns, h = c->height / (double)rows, side = fmin(w, h);
    for (size_t i = 0; i < columns * rows; i++) {
        const double x = ((double)(i % columns) + between(c, 0.42, 0.58)) * w;
        const double y = ((double)(i / columns) + between(c, 0.42, 0.58)) * h;
        if (chance(c, 0.9)) ornament_draw(c, (sos_spot){ x, y }, side * between(c, 0.34, 0.5));
    }
}

typedef struct box {
    double x0, y0, x1, y1;
} box;

static figure box_figure(box b)
{
    return (figure){ .count = 4, .points = { { b.x0, b.y0 }, { b.x1, b.y0 }, { b.x1, b.y1 }, { b.x0, b.y1 } } };
}

/* What is left undivided: mostly blank, else a pattern or a circle. */
static void room_draw(sos_canvas *c, box b)
{
    const double side = fmin(b.x1 - b.x0, b.y1 - b.y0);
    const sos_spot middle = { (b.x0 + b.x1) / 2, (b.y0 + b.y1) / 2 };
    const figure f = box_figure(b);
    const size_t what = pick(c, 0, 9);
    if (what <= 1) {
        figure_draw(c, &f, what ? HATCHED : chance(c, 0.5) ? CROSSED : DOTTED, width_of(c, 1));
    } else if (what == 2 && side < 45 * c->unit) {
        figure_draw(c, &f, FILLED, 0);
    } else if (what <= 5) {
        const figure inside = what == 5 ? triangle(c, middle, side * 0.33) : circle(middle, side * 0.33);
        const style s = chance(c, 0.7) || side < 60 * c->unit ? OUTLINED : DASHED;
        figure_draw(c, &inside, s, fmin(medium(c), side / 10));
    }
}

/* A box divided again and again, by lines that become thinner. */
static void box_divide(sos_canvas *c, box b, size_t depth)
{
    const double w = b.x1 - b.x0, h = b.y1 - b.y0;
    if (depth > 16 || fmax(w, h) < 55 * c->unit || (depth >= 3 && fmax(w, h) < 150 * c->unit && chance(c, 0.35))) {
        room_draw(c, b);
        return;
    }
    const double share = between(c, 0.3, 0.7),
                 width = depth < 2 ? width_of(c, between(c, 4, 7)) : width_of(c, between(c, 1.5, 4));
    box first = b, second = b;
    if (w > h) {
        first.x1 = second.x0 = b.x0 + share * w;
    } else {
        first.y1 = second.y0 = b.y0 + share * h;
    }
    box_divide(c, first, depth + 1);
    box_divide(c, second, depth + 1);
    line(c, (sos_spot){ second.x0, second.y0 }, (sos_spot){ first.x1, first.y1 }, width);
}

static void partition_draw(sos_canvas *c) { box_divide(c, (box){ 0, 0, c->width, c->height }, 0); }

/* The middle of cell i, and half of its smaller side. */
static sos_spot cell_middle(const sos_canvas *c, size_t i)
{
    return (sos_spot){ ((double)(i % c->columns) + 0.5) * c->cell_width, ((double)(i / c->columns) + 0.5) * c->cell_height };
}

/* Polygons one in another, each turned a little. */
static void nested_draw(sos_canvas *c)
{
    for (size_t i = 0; i < c->columns * c->rows; i++) {
        const size_t corners = pick(c, 3, 6);
        const double way = chance(c, 0.5) ? 1 : -1, turn = way * between(c, 0.01, 0.05), shrink = between(c, 0.72, 0.83);
        const double width = width_of(c, between(c, 1.3, 4)), least = fmax(14 * c->unit, 6 * width_of(c, 1));
        double r = 92 * c->unit, tilt = between(c, 0, 1);
        while (r > least) {
            const figure f = polygon(cell_middle(c, i), corners, r, r, tilt);
            outline(c, &f, fmax(width * r / (92 * c->unit), width_of(c, 1)), 0);
            r *= shrink;
            tilt += turn;
        }
    }
    for (size_t n = amount(c, 0, 2); n; n--) long_line(c, thin(c), true, 0.06);
}

static sos_spot middle_of(sos_spot a, sos_spot b) { return (sos_spot){ (a.x + b.x) / 2, (a.y + b.y) / 2 }; }

/* A triangle with its circles and lines, as in a book of geometry. */
static void construction_draw(sos_canvas *c)
{
    for (size_t i = 0; i < c->columns * c->rows; i++) {
        const double radius = between(c, 62, 80) * c->unit, tilt = between(c, 0, 1);
        const sos_spot o = from(cell_middle(c, i), sos_turn(between(c, 0, 1)), 10 * c->unit);
        figure f = { .count = 3 };
        for (size_t k = 0; k < 3; k++)
            f.points[k] = from(o, sos_turn(tilt + ((double)k + between(c, -0.22, 0.22)) / 3), radius);
        const sos_spot *p = f.points;
        outline(c, &f, width_of(c, between(c, 2.5, 5)), 0);
        const figure around = circle(o, radius);
        const double fine = thin(c);
        figure_draw(c, &around, chance(c, 0.3) ? DASHED : OUTLINED, fine);

        const double a = distance_of(p[1], p[2]), b = distance_of(p[2], p[0]), e = distance_of(p[0], p[1]), sum = a + b + e;
        const double s = sum / 2, inner = sqrt(fmax((s - a) * (s - b) * (s - e) / s, 0));
        const sos_spot inside = { (a * p[0].x + b * p[1].x + e * p[2].x) / sum, (a * p[0].y + b * p[1].y + e * p[2].y) / sum };
        const figure within = circle(inside, inner);
        if (chance(c, 0.6)) figure_draw(c, &within, chance(c, 0.4) ? HATCHED : OUTLINED, fine);
        for (size_t k = 0; k < 3; k++) {
            const sos_spot foot = middle_of(p[(k + 1) % 3], p[(k + 2) % 3]);
            const double width = thin(c);
            dashed_line(c, p[k], foot, width, dash_of(c, width));
            disc(c, p[k], width_of(c, 4));
        }
    }
    if (chance(c, 0.7)) long_line(c, medium(c), false, 0.06);
}

/* Axes, bars and a curve. */
static void chart_in(sos_canvas *c, box b)
{
    const size_t n = pick(c, 5, 9);
    const double step = (b.x1 - b.x0) / ((double)n + 0.3), height = b.y1 - b.y0, width = width_of(c, between(c, 2, 4));
    static const style BARS[] = { OUTLINED, HATCHED, HATCHED, CROSSED, DOTTED };
    const style bar = BARS[pick(c, 0, 4)], other = BARS[pick(c, 0, 4)];
    sos_spot curve[16];
    for (int i = 1; i < 4; i++) {
        const double y = b.y1 - i * height / 4;
        dashed_line(c, (sos_spot){ b.x0, y }, (sos_spot){ b.x1, y }, width_of(c, 1), 6 * c->unit + 2);
    }
    for (size_t i = 0; i < n; i++) {
        const double x = b.x0 + ((double)i + 0.65) * step, top = b.y1 - height * between(c, 0.12, 0.8);
        const figure f = box_figure((box){ x - step * 0.32, top, x + step * 0.32, b.y1 });
        contour_add(c, &f, 0);
        sos_path_fill(c, &sos_paper);
        figure_draw(c, &f, i == n / 2 ? FILLED : i & 1 ? bar : other, width_of(c, 1.6));
        curve[i] = (sos_spot){ x, b.y1 - height * between(c, 0.45, 0.95) };
    }
    if (chance(c, 0.8)) {
        polyline(c, n, curve, width_of(c, 2.5));
        for (size_t i = 0; i < n; i++) disc(c, curve[i], width_of(c, 4.5));
    }
    line(c, (sos_spot){ b.x0 - width / 2, b.y1 }, (sos_spot){ b.x1 + 4 * c->unit, b.y1 }, width);
    line(c, (sos_spot){ b.x0, b.y0 - 6 * c->unit }, (sos_spot){ b.x0, b.y1 }, width);
}

static void pie_in(sos_canvas *c, box b)
{
    const sos_spot at = { (b.x0 + b.x1) / 2, (b.y0 + b.y1) / 2 };
    const double radius = 0.45 * fmin(b.x1 - b.x0, b.y1 - b.y0), width = width_of(c, between(c, 2, 4));
    double begin = between(c, 0, 1);
    const double first = begin;
    for (size_t i = 0; begin < first + 0.93; i++) {
        const double turns = fmin(between(c, 0.1, 0.3), first + 1 - begin);
        const sos_paint paint = i % 3 == 2 ? pattern(c, SOS_PAINT_DOTS) : i % 3 ? pattern(c, SOS_PAINT_STRIPES) : sos_paper;
        add(c, at);
        for (size_t k = 0; k <= 64; k++) add(c, from(at, sos_turn(begin + turns * (double)k / 64), radius));
        sos_path_fill(c, &paint);
        line(c, at, from(at, sos_turn(begin), radius), width);
        begin += turns;
    }
    line(c, at, from(at, sos_turn(begin), radius), width);
    const figure f = circle(at, radius);
    outline(c, &f, width, 0);
}

static void charts_draw(sos_canvas *c)
{
    const size_t cells = c->columns * c->rows, pie = pick(c, 0, cells);
    for (size_t i = 0; i < cells; i++) {
        const sos_spot at = cell_middle(c, i);
        const double w = 0.41 * c->cell_width, h = 0.39 * c->cell_height;
        const box b = { at.x - w, at.y - h, at.x + w, at.y + h };
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
    const double apart = 46 * c->unit, radius = between(c, 8, 13) * c->unit;
    for (size_t attempt = 0; attempt < 40 * wanted && count < wanted && count < NODES_MAX; attempt++) {
        const sos_spot p = anywhere(c, 18 * c->unit);
        bool free = true;
        for (size_t i = 0; i < count; i++) free = free && distance_of(p, nodes[i]) >= apart;
        if (free) nodes[count++] = p;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++) {
            if (distance_of(nodes[i], nodes[k]) > 2.2 * apart) continue;
            const double width = any_width(c) * 0.8 + 0.2;
            if (chance(c, 0.15))
                dashed_line(c, nodes[i], nodes[k], width, dash_of(c, width));
            else if (chance(c, 0.75))
                line(c, nodes[i], nodes[k], fmax(width, width_of(c, 1)));
        }
    for (size_t i = 0; i < count; i++) {
        const size_t sides = pick(c, 0, 2);
        const figure f = sides ? polygon(nodes[i], 2 * sides + 2, radius, radius, 0.125) : circle(nodes[i], radius);
        contour_add(c, &f, 0);
        sos_path_fill(c, &sos_paper);
        if (chance(c, 0.25))
            figure_draw(c, &f, FILLED, 0);
        else
            outline(c, &f, width_of(c, between(c, 1.8, 3.5)), 0);
    }
}

/* Waves of different heights, some running together. */
static void waves_draw(sos_canvas *c)
{
    const size_t count = amount_of_rows(c, 4, 6);
    const double waves = between(c, 1.2, 3) * c->width / (400 * c->unit), phase = between(c, 0, 1), drift = between(c, 0, 0.18);
    const double rise = between(c, 12, 32) * c->unit, second = between(c, 0, 0.5);
    const sos_spot sky = { between(c, 0.2, 0.8) * c->width, 42 * c->unit };
    const figure sun = circle(sky, between(c, 18, 34) * c->unit);
    const style s = any_style(c);
    figure_draw(c, &sun, s, medium(c));
    const size_t steps = (size_t)fmin(200 * waves + 200, SOS_PATH_MAX);
    for (size_t i = 0; i < count; i++) {
        const double y = c->height * (0.3 + 0.64 * ((double)i + 0.5) / (double)count);
        const double width = i & 1 ? thin(c) : any_width(c);
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
    const size_t n = pick(c, 8, 13);
    const double width = width_of(c, between(c, 1, 1.6));
    for (size_t i = 0; i <= n; i++) {
        const double t = (double)i / (double)n;
        const sos_spot a = { corner.x + t * (one.x - corner.x), corner.y + t * (one.y - corner.y) };
        const sos_spot b = { other.x + t * (corner.x - other.x), other.y + t * (corner.y - other.y) };
        line(c, a, b, width);
    }
    line(c, corner, one, width_of(c, 3.5));
    line(c, corner, other, width_of(c, 3.5));
}

static void fan_in(sos_canvas *c, sos_spot at, double radius)
{
    const size_t rays = pick(c, 7, 14);
    const double begin = between(c, 0, 1), turns = chance(c, 0.5) ? 1 : between(c, 0.3, 0.6),
                 width = width_of(c, between(c, 1.2, 3));
    for (size_t i = 0; i < rays; i++) {
        const sos_spot d = sos_turn(begin + turns * (double)i / (double)rays);
        line(c, from(at, d, radius * 0.22), from(at, d, radius * (i & 1 ? 0.75 : 1)), width);
    }
    const figure f = circle(at, radius * 0.22);
    figure_draw(c, &f, chance(c, 0.4) ? FILLED : OUTLINED, width_of(c, 3));
    for (size_t i = pick(c, 0, 2); i; i--) {
        const double part = turns * between(c, 0.5, 1);
        arc(c, at, radius * (0.4 + 0.2 * (double)i), begin, part, medium(c));
    }
}

static void strings_draw(sos_canvas *c)
{
    const size_t cells = c->columns * c->rows;
    for (size_t i = 0; i < cells; i++) {
        const sos_spot at = cell_middle(c, i);
        const double w = 0.44 * c->cell_width, h = 0.44 * c->cell_height, x = chance(c, 0.5) ? 1 : -1,
                     y = chance(c, 0.5) ? 1 : -1;
        if (chance(c, 0.45)) {
            const double radius = between(c, 72, 96) * c->unit;
            fan_in(c, from(at, sos_turn(between(c, 0, 1)), 8 * c->unit), radius);
            continue;
        }
        const sos_spot corner = { at.x - x * w, at.y - y * h }, across = { at.x + x * w, at.y + y * h };
        strings_in(c, corner, (sos_spot){ across.x, corner.y }, (sos_spot){ corner.x, across.y });
        if (chance(c, 0.6)) strings_in(c, across, (sos_spot){ corner.x, across.y }, (sos_spot){ across.x, corner.y });
    }
}

/* A lattice with some of its squares filled, and circles over it. */
static void lattice_draw(sos_canvas *c)
{
    const double pitch = between(c, 24, 38) * c->unit, width = thin(c), tilt = chance(c, 0.5) ? 0 : between(c, -0.06, 0.06);
    const double reach = c->width + c->height;
    const sos_spot o = { c->width / 2, c->height / 2 }, d = sos_turn(tilt), e = { -d.y, d.x };
    const long n = (long)(reach / 2 / pitch);
    const bool dashed = chance(c, 0.25);
    for (long i = -n; i <= n; i++) {
        const sos_spot p = from(o, e, (double)i * pitch), q = from(o, d, (double)i * pitch);
        const double w = i % 4 ? width : 2 * width;
        if (dashed && i % 4) {
            dashed_line(c, from(p, d, -reach), from(p, d, reach), w, pitch / 4);
            dashed_line(c, from(q, e, -reach), from(q, e, reach), w, pitch / 4);
            continue;
        }
        line(c, from(p, d, -reach), from(p, d, reach), w);
        line(c, from(q, e, -reach), from(q, e, reach), w);
    }
    for (size_t k = amount(c, 3, 7); k; k--) {
        const double i = (double)(long)between(c, -c->width / 2 / pitch, c->width / 2 / pitch) + 0.5;
        const double j = (double)(long)between(c, -c->height / 2 / pitch, c->height / 2 / pitch) + 0.5;
        const figure f = rectangle(from(from(o, d, i * pitch), e, j * pitch), pitch / 2, pitch / 2, tilt);
        figure_draw(c, &f, chance(c, 0.5) ? FILLED : HATCHED, width);
    }
    for (size_t k = amount(c, 1, 3); k; k--) {
        const sos_spot at = anywhere(c, 40 * c->unit);
        const figure f = circle(at, between(c, 25, 60) * c->unit);
        if (chance(c, 0.5)) {
            contour_add(c, &f, 0);
            sos_path_fill(c, &sos_paper);
        }
        outline(c, &f, width_of(c, between(c, 3, 6)), 0);
    }
}

/* A wheel with teeth, spokes and a hub. */
static void wheel_in(sos_canvas *c, sos_spot at, double radius)
{
    const size_t teeth = 8 + (size_t)(radius / (5 * c->unit)), spokes = pick(c, 3, 7);
    const double tilt = between(c, 0, 1), width = width_of(c, between(c, 2, 4.5));
    figure f = { .count = 0 };
    for (size_t i = 0; i < teeth && f.count + 4 <= FIGURE_MAX; i++)
        for (size_t k = 0; k < 4; k++) {
            static const double PLACE[4] = { 0, 0.12, 0.5, 0.62 };
            const sos_spot d = sos_turn(tilt + ((double)i + PLACE[k]) / (double)teeth);
            f.points[f.count++] = from(at, d, k == 1 || k == 2 ? radius : radius - 8 * c->unit);
        }
    contour_add(c, &f, 0);
    sos_path_fill(c, &sos_paper);
    if (chance(c, 0.6)) {
        outline(c, &f, width, 0);
    } else {
        const figure rim = circle(at, radius - 4 * c->unit);
        outline(c, &rim, width * 1.5, 0);
    }
    const figure hub = circle(at, fmax(radius * 0.2, 4 * c->unit)), inner = circle(at, radius * 0.7);
    for (size_t i = 0; i < spokes; i++) {
        const sos_spot d = sos_turn(tilt + (double)i / (double)spokes);
        line(c, from(at, d, radius * 0.2), from(at, d, radius * 0.7), width);
    }
    outline(c, &inner, thin(c), 0);
    figure_draw(c, &hub, chance(c, 0.4) ? FILLED : OUTLINED, width);
}

/* Wheels side by side along a row of cells, some with a belt to the next. */
static void wheels_along(sos_canvas *c, double y)
{
    double x = between(c, 20, 45) * c->unit, before = 0;
    sos_spot last = { 0, 0 };
    for (size_t i = 0; x < c->width - 10 * c->unit; i++) {
        const double radius = between(c, 24, 62) * c->unit;
        const sos_spot at = { x + (i ? radius * 0.85 : 0), y + between(c, -0.22, 0.22) * c->cell_height };
        if (i && chance(c, 0.4)) {
            const sos_spot d = direction_of(last, at), side = { -d.y, d.x };
            const double width = thin(c);
            line(c, from(last, side, before), from(at, side, radius), width);
            line(c, from(last, side, -before), from(at, side, -radius), width);
        }
        wheel_in(c, at, radius);
        last = at;
        before = radius - 4 * c->unit;
        x = at.x + radius * between(c, 0.9, 1.15);
    }
}

static void wheels_draw(sos_canvas *c)
{
    for (size_t i = 0; i < c->rows; i++) wheels_along(c, ((double)i + 0.5) * c->cell_height);
}

/* Boxes, cylinders and cones in a slanted view; hidden edges are dashed or left out. */
static void block_in(sos_canvas *c, box b)
{
    const double w = b.x1 - b.x0, h = b.y1 - b.y0, depth = 0.3 * fmin(w, h), width = width_of(c, between(c, 1.8, 4));
    const double lean = chance(c, 0.5) ? depth : -depth, x0 = lean > 0 ? b.x0 : b.x0 + depth,
                 x1 = lean > 0 ? b.x1 - depth : b.x1;
    const figure front = box_figure((box){ x0, b.y0 + depth, x1, b.y1 });
    const double side = lean > 0 ? x1 : x0;
    const figure top = { .count = 4,
                         .points = { { x0, b.y0 + depth }, { x0 + lean, b.y0 }, { x1 + lean, b.y0 }, { x1, b.y0 + depth } } };
    const figure flank = {
        .count = 4, .points = { { side, b.y0 + depth }, { side + lean, b.y0 }, { side + lean, b.y1 - depth }, { side, b.y1 } }
    };
    figure_draw(c, &front, chance(c, 0.3) ? DOTTED : OUTLINED, width);
    figure_draw(c, &top, OUTLINED, width);
    figure_draw(c, &flank, chance(c, 0.6) ? HATCHED : OUTLINED, width);
}

static void round_in(sos_canvas *c, box b, bool cone)
{
    const double rx = 0.4 * (b.x1 - b.x0), ry = rx * 0.3, width = width_of(c, between(c, 1.8, 4));
    const sos_spot top = { (b.x0 + b.x1) / 2, b.y0 + (cone ? 0 : ry) }, bottom = { top.x, b.y1 - ry };
    const figure lid = ellipse(top, rx, ry, 0), under = ellipse(bottom, rx, ry, 0);
    dashed_outline(c, &under, width_of(c, 1), dash_of(c, width_of(c, 1)));
    for (size_t i = 0; i <= 64; i++) {
        const sos_spot t = sos_turn(0.5 * (double)i / 64);
        sos_path_add_round(c, bottom.x + rx * t.x, bottom.y + ry * t.y, width / 2);
    }
    sos_path_stroke(c);
    for (int s = -1; s < 2; s += 2)
        polyline(c, 2, (sos_spot[]){ { bottom.x + s * rx, bottom.y }, { top.x + (cone ? 0 : s * rx), top.y } }, width);
    if (!cone) figure_draw(c, &lid, chance(c, 0.4) ? HATCHED : OUTLINED, width);
}

static void solids_draw(sos_canvas *c)
{
    const size_t columns = 2 * c->columns, rows = c->rows;
    const double w = c->width / (double)columns, h = c->height / (double)rows;
    for (size_t i = 0; i < columns * rows; i++) {
        const double x = ((double)(i % columns) + between(c, 0.1, 0.2)) * w,
                     y = ((double)(i / columns) + between(c, 0.12, 0.4)) * h;
        const box b = { x, y, x + w * between(c, 0.65, 0.75), ((double)(i / columns) + 0.88) * h };
        const size_t what = pick(c, 0, 3);
        if (what < 2)
            block_in(c, b);
        else
            round_in(c, b, what == 2);
    }
    const double ground = chance(c, 0.5) ? 0.94 : 0.97;
    for (size_t i = 0; i < rows; i++)
        line(c, (sos_spot){ 0, ((double)i + ground) * h }, (sos_spot){ c->width, ((double)i + ground) * h }, medium(c));
}

typedef enum zigzag { ZIGZAG, BATTLEMENTS, RANDOM } zigzag;

/* A line from border to border about height y. */
static void zigzag_line(sos_canvas *c, zigzag kind, double y, double rise, double step, double width)
{
    double x = -between(c, 0, 1) * step, at = y;
    for (size_t n = 0; x < c->width + step; n++) {
        sos_path_add_round(c, x, at, width / 2);
        x += kind == RANDOM ? step * between(c, 0.6, 1.6) : step;
        if (kind == BATTLEMENTS) sos_path_add_round(c, x, at, width / 2);
        at = kind == RANDOM ? between(c, y - rise, y + rise) : n & 1 ? y - rise : y + rise;
    }
    sos_path_stroke(c);
}

/* Lines that go up and down, and figures in front of them. */
static void zigzags_draw(sos_canvas *c)
{
    const size_t count = amount_of_rows(c, 3, 4);
    for (size_t i = 0; i < count; i++) {
        const zigzag kind = (zigzag)pick(c, 0, 2);
        const double y = c->height * ((double)i + 0.5) / (double)count, width = any_width(c);
        const double rise = fmin(between(c, 14, 38) * c->unit, 0.6 * c->height / (double)count + 6);
        zigzag_line(c, kind, y, kind == BATTLEMENTS ? rise / 2 : rise, fmax(between(c, 14, 44) * c->unit, 3 * width), width);
    }
    for (size_t n = amount(c, 2, 3); n; n--) {
        const sos_spot at = anywhere(c, 35 * c->unit);
        const figure f = any_figure(c, at, between(c, 20, 38) * c->unit);
        const style s = any_style(c);
        contour_add(c, &f, 3 * c->unit);
        sos_path_fill(c, &sos_paper);
        figure_draw(c, &f, s, width_of(c, between(c, 1.5, 3)));
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
