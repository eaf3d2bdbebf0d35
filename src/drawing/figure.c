#include "drawing/figure.h"

#include <math.h>

/* ---- thickness ---- */

double sos_width(const sos_canvas *c, double width) { return fmax(width * c->unit, 1.1); }

double sos_width_thin(sos_canvas *c) { return sos_width(c, sos_between(c, 1, 2.2)); }
double sos_width_medium(sos_canvas *c) { return sos_width(c, sos_between(c, 2.4, 4.2)); }
static double thick(sos_canvas *c) { return sos_width(c, sos_between(c, 4.5, 8)); }

double sos_width_any(sos_canvas *c)
{
    switch (sos_pick(c, 0, 4)) {
    case 0:
    case 1: return sos_width_thin(c);
    case 2:
    case 3: return sos_width_medium(c);
    default: return thick(c);
    }
}

/* ---- lines ---- */

sos_spot sos_spot_beyond(sos_spot p, sos_spot direction, double distance)
{
    return (sos_spot){ p.x + distance * direction.x, p.y + distance * direction.y };
}

double sos_spot_distance(sos_spot a, sos_spot b) { return sqrt((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y)); }

sos_spot sos_spot_direction(sos_spot a, sos_spot b)
{
    const double length = sos_spot_distance(a, b);
    return length > 0 ? (sos_spot){ (b.x - a.x) / length, (b.y - a.y) / length } : (sos_spot){ 1, 0 };
}

void sos_ruler_line(sos_canvas *c, sos_spot a, sos_spot b, double width)
{
    const sos_spot d = sos_spot_direction(a, b), side = { -d.y, d.x };
    sos_path_add_spot(c, sos_spot_beyond(a, side, width / 2));
    sos_path_add_spot(c, sos_spot_beyond(b, side, width / 2));
    sos_path_add_spot(c, sos_spot_beyond(b, side, -width / 2));
    sos_path_add_spot(c, sos_spot_beyond(a, side, -width / 2));
    sos_path_fill(c, &sos_ink);
}

void sos_ruler_dashes(sos_canvas *c, sos_spot a, sos_spot b, double width, double dash)
{
    const sos_spot d = sos_spot_direction(a, b);
    const double length = sos_spot_distance(a, b);
    for (size_t i = 0; (double)i * 2 * dash < length; i++) {
        const double at = (double)i * 2 * dash;
        sos_ruler_line(c, sos_spot_beyond(a, d, at), sos_spot_beyond(a, d, fmin(at + dash, length)), width);
    }
}

double sos_ruler_dash(const sos_canvas *c, double width) { return fmax(3 * width, 8 * c->unit); }

void sos_ruler_polyline(sos_canvas *c, size_t count, const sos_spot points[], double width)
{
    for (size_t i = 0; i < count; i++) sos_path_add_round(c, points[i].x, points[i].y, width / 2);
    sos_path_stroke(c);
}

void sos_ruler_disc(sos_canvas *c, sos_spot at, double radius)
{
    sos_path_add_round(c, at.x, at.y, radius);
    sos_path_stroke(c);
}

void sos_ruler_arc(sos_canvas *c, sos_spot at, double radius, double begin, double turns, double width)
{
    const size_t n = SOS_FIGURE_MAX / 2;
    for (size_t i = 0; i <= n; i++)
        sos_path_add_spot(c, sos_spot_beyond(at, sos_turn(begin + turns * (double)i / (double)n), radius + width / 2));
    for (size_t i = n + 1; i-- > 0;)
        sos_path_add_spot(c, sos_spot_beyond(at, sos_turn(begin + turns * (double)i / (double)n), radius - width / 2));
    sos_path_fill(c, &sos_ink);
}

/* ---- closed figures ---- */

sos_figure sos_figure_ellipse(sos_spot at, double rx, double ry, double tilt)
{
    const double n = 24 + 8 * sqrt(fmax(rx, ry));
    sos_figure f = { .count = n < SOS_FIGURE_MAX ? (size_t)n : SOS_FIGURE_MAX };
    const sos_spot turned = sos_turn(tilt);
    for (size_t i = 0; i < f.count; i++) {
        const sos_spot t = sos_turn((double)i / (double)f.count);
        const double x = rx * t.x, y = ry * t.y;
        f.points[i] = (sos_spot){ at.x + x * turned.x - y * turned.y, at.y + x * turned.y + y * turned.x };
    }
    return f;
}

sos_figure sos_figure_circle(sos_spot at, double radius) { return sos_figure_ellipse(at, radius, radius, 0); }

sos_figure sos_figure_rectangle(sos_spot at, double half_width, double half_height, double tilt)
{
    static const double X[4] = { -1, 1, 1, -1 }, Y[4] = { -1, -1, 1, 1 };
    const sos_spot turned = sos_turn(tilt);
    sos_figure f = { .count = 4 };
    for (size_t i = 0; i < 4; i++) {
        const double x = X[i] * half_width, y = Y[i] * half_height;
        f.points[i] = (sos_spot){ at.x + x * turned.x - y * turned.y, at.y + x * turned.y + y * turned.x };
    }
    return f;
}

sos_figure sos_figure_polygon(sos_spot at, size_t corners, double radius, double other_radius, double tilt)
{
    sos_figure f = { .count = corners };
    for (size_t i = 0; i < corners; i++)
        f.points[i] = sos_spot_beyond(at, sos_turn(tilt + (double)i / (double)corners), i & 1 ? other_radius : radius);
    return f;
}

sos_figure sos_figure_triangle(sos_canvas *c, sos_spot at, double radius)
{
    const double tilt = sos_between(c, 0, 1);
    sos_figure f = { .count = 3 };
    for (size_t i = 0; i < 3; i++) {
        const double turns = tilt + ((double)i + sos_between(c, -0.2, 0.2)) / 3, distance = radius * sos_between(c, 0.85, 1.15);
        f.points[i] = sos_spot_beyond(at, sos_turn(turns), distance);
    }
    return f;
}

/* The corner p between its neighbours, moved outwards by distance; sharp corners by at most three times that. */
static sos_spot corner_moved(sos_spot before, sos_spot p, sos_spot after, double distance)
{
    const sos_spot u = sos_spot_direction(before, p), v = sos_spot_direction(p, after);
    const double sum = 1 + u.x * v.x + u.y * v.y, by = distance / fmax(sum, 0.25);
    return (sos_spot){ p.x + by * (u.y + v.y), p.y - by * (u.x + v.x) };
}

void sos_figure_contour(sos_canvas *c, const sos_figure *f, double moved)
{
    const size_t n = f->count;
    for (size_t i = 0; i < n; i++)
        sos_path_add_spot(c, corner_moved(f->points[(i + n - 1) % n], f->points[i], f->points[(i + 1) % n], moved));
    sos_path_close(c);
}

void sos_figure_outline(sos_canvas *c, const sos_figure *f, double width, double moved)
{
    sos_figure_contour(c, f, moved + width / 2);
    sos_figure_contour(c, f, moved - width / 2);
    sos_path_fill(c, &sos_ink);
}

/* Dashes go round without a break at the corners: left over from one side is what the next side begins with. */
void sos_figure_dashes(sos_canvas *c, const sos_figure *f, double width, double dash)
{
    double at = 0; /* along a dash and the gap behind it */
    for (size_t i = 0; i < f->count; i++) {
        const sos_spot p = f->points[i], q = f->points[(i + 1) % f->count], d = sos_spot_direction(p, q);
        const double length = sos_spot_distance(p, q);
        for (double done = 0; done < length;) {
            const bool ink = at < dash;
            const double step = fmin((ink ? dash : 2 * dash) - at, length - done);
            if (ink)
                sos_ruler_polyline(c, 2, (sos_spot[]){ sos_spot_beyond(p, d, done), sos_spot_beyond(p, d, done + step) },
                                   width);
            done += step + 1e-9;
            at += step + 1e-9;
            if (at >= 2 * dash) at = 0;
        }
    }
}

static double perimeter(const sos_figure *f)
{
    double sum = 0;
    for (size_t i = 0; i < f->count; i++) sum += sos_spot_distance(f->points[i], f->points[(i + 1) % f->count]);
    return sum;
}

sos_paint sos_paint_pattern(sos_canvas *c, sos_paint_kind kind)
{
    static const double ANGLES[] = { 0, 0.125, 0.25, 0.375, 0.08, 0.17 };
    const double width = kind == SOS_PAINT_DOTS ? sos_width(c, sos_between(c, 3, 4.5)) : sos_width_thin(c);
    const double apart = kind == SOS_PAINT_STRIPES ? sos_between(c, 6, 11) : sos_between(c, 9, 14);
    const sos_spot along = sos_turn(ANGLES[sos_pick(c, 0, 5)]);
    return (sos_paint){ .kind = kind, .along = along, .width = width, .pitch = fmax(apart * c->unit, 4 * width) };
}

void sos_figure_draw(sos_canvas *c, const sos_figure *f, sos_figure_style s, double width)
{
    static const sos_paint_kind KINDS[] = {
        [SOS_HATCHED] = SOS_PAINT_STRIPES, [SOS_CROSSED] = SOS_PAINT_CROSSED, [SOS_DOTTED] = SOS_PAINT_DOTS
    };
    switch (s) {
    case SOS_OUTLINED: sos_figure_outline(c, f, width, 0); break;
    case SOS_DOUBLED:
        sos_figure_outline(c, f, width, 0);
        sos_figure_outline(c, f, sos_width(c, 1), -width - 4 * c->unit);
        break;
    case SOS_DASHED: sos_figure_dashes(c, f, width, fmin(sos_ruler_dash(c, width), perimeter(f) / 18)); break;
    case SOS_FILLED:
        sos_figure_contour(c, f, 0);
        sos_path_fill(c, &sos_ink);
        break;
    default: {
        const sos_paint paint = sos_paint_pattern(c, KINDS[s]);
        sos_figure_contour(c, f, 0);
        sos_path_fill(c, &paint);
        sos_figure_outline(c, f, fmin(width, sos_width(c, 3)), 0);
    }
    }
}

sos_figure_style sos_figure_style_any(sos_canvas *c)
{
    static const sos_figure_style OFTEN[] = { SOS_OUTLINED, SOS_OUTLINED, SOS_OUTLINED, SOS_OUTLINED, SOS_DOUBLED,
                                              SOS_DASHED,   SOS_HATCHED,  SOS_HATCHED,  SOS_CROSSED,  SOS_DOTTED };
    return OFTEN[sos_pick(c, 0, sizeof OFTEN / sizeof *OFTEN - 1)];
}

sos_figure sos_figure_box(sos_box b)
{
    return (sos_figure){ .count = 4, .points = { { b.x0, b.y0 }, { b.x1, b.y0 }, { b.x1, b.y1 }, { b.x0, b.y1 } } };
}

sos_figure sos_figure_any(sos_canvas *c, sos_spot at, double radius)
{
    const size_t corners = sos_pick(c, 5, 8), rays = sos_pick(c, 5, 8);
    const double slim = radius * sos_between(c, 0.4, 0.85), tilt = sos_between(c, 0, 1);
    switch (sos_pick(c, 0, 6)) {
    case 0: return sos_figure_circle(at, radius * 0.9);
    case 1: return sos_figure_ellipse(at, radius, slim * 0.9, tilt);
    case 2: return sos_figure_rectangle(at, radius * 0.95, slim * 1.1, 0);
    case 3: return sos_figure_rectangle(at, radius * 0.85, slim * 0.8, tilt);
    case 4: return sos_figure_triangle(c, at, radius);
    case 5: return sos_figure_polygon(at, corners, radius, radius, tilt);
    default: return sos_figure_polygon(at, 2 * rays, radius, 0.3 * radius + 0.35 * slim, tilt);
    }
}
