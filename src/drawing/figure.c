#include "drawing/figure.h"

#include <math.h>

/* ---- thickness ---- */

double s3svm_width(const s3svm_canvas *c, double width) { return fmax(width * c->unit, 1.1); }

double s3svm_width_thin(s3svm_canvas *c) { return s3svm_width(c, s3svm_between(c, 1, 2.2)); }
double s3svm_width_medium(s3svm_canvas *c) { return s3svm_width(c, s3svm_between(c, 2.4, 4.2)); }
static double thick(s3svm_canvas *c) { return s3svm_width(c, s3svm_between(c, 4.5, 8)); }

double s3svm_width_any(s3svm_canvas *c)
{
    switch (s3svm_pick(c, 0, 4)) {
    case 0:
    case 1: return s3svm_width_thin(c);
    case 2:
    case 3: return s3svm_width_medium(c);
    default: return thick(c);
    }
}

/* ---- lines ---- */

s3svm_spot s3svm_spot_beyond(s3svm_spot p, s3svm_spot direction, double distance)
{
    return (s3svm_spot){ p.x + distance * direction.x, p.y + distance * direction.y };
}

double s3svm_spot_distance(s3svm_spot a, s3svm_spot b) { return sqrt((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y)); }

s3svm_spot s3svm_spot_direction(s3svm_spot a, s3svm_spot b)
{
    const double length = s3svm_spot_distance(a, b);
    return length > 0 ? (s3svm_spot){ (b.x - a.x) / length, (b.y - a.y) / length } : (s3svm_spot){ 1, 0 };
}

void s3svm_ruler_line(s3svm_canvas *c, s3svm_spot a, s3svm_spot b, double width)
{
    const s3svm_spot d = s3svm_spot_direction(a, b), side = { -d.y, d.x };
    s3svm_path_add_spot(c, s3svm_spot_beyond(a, side, width / 2));
    s3svm_path_add_spot(c, s3svm_spot_beyond(b, side, width / 2));
    s3svm_path_add_spot(c, s3svm_spot_beyond(b, side, -width / 2));
    s3svm_path_add_spot(c, s3svm_spot_beyond(a, side, -width / 2));
    s3svm_path_fill(c, &s3svm_ink);
}

void s3svm_ruler_dashes(s3svm_canvas *c, s3svm_spot a, s3svm_spot b, double width, double dash)
{
    const s3svm_spot d = s3svm_spot_direction(a, b);
    const double length = s3svm_spot_distance(a, b);
    for (size_t i = 0; (double)i * 2 * dash < length; i++) {
        const double at = (double)i * 2 * dash;
        s3svm_ruler_line(c, s3svm_spot_beyond(a, d, at), s3svm_spot_beyond(a, d, fmin(at + dash, length)), width);
    }
}

double s3svm_ruler_dash(const s3svm_canvas *c, double width) { return fmax(3 * width, 8 * c->unit); }

void s3svm_ruler_polyline(s3svm_canvas *c, size_t count, const s3svm_spot points[], double width)
{
    for (size_t i = 0; i < count; i++) s3svm_path_add_round(c, points[i].x, points[i].y, width / 2);
    s3svm_path_stroke(c);
}

void s3svm_ruler_disc(s3svm_canvas *c, s3svm_spot at, double radius)
{
    s3svm_path_add_round(c, at.x, at.y, radius);
    s3svm_path_stroke(c);
}

void s3svm_ruler_arc(s3svm_canvas *c, s3svm_spot at, double radius, double begin, double turns, double width)
{
    const size_t n = S3SVM_FIGURE_MAX / 2;
    for (size_t i = 0; i <= n; i++)
        s3svm_path_add_spot(c, s3svm_spot_beyond(at, sos_turn(begin + turns * (double)i / (double)n), radius + width / 2));
    for (size_t i = n + 1; i-- > 0;)
        s3svm_path_add_spot(c, s3svm_spot_beyond(at, sos_turn(begin + turns * (double)i / (double)n), radius - width / 2));
    s3svm_path_fill(c, &s3svm_ink);
}

/* ---- closed figures ---- */

s3svm_figure s3svm_figure_ellipse(s3svm_spot at, double rx, double ry, double tilt)
{
    const double n = 24 + 8 * sqrt(fmax(rx, ry));
    s3svm_figure f = { .count = n < S3SVM_FIGURE_MAX ? (size_t)n : S3SVM_FIGURE_MAX };
    const s3svm_spot turned = sos_turn(tilt);
    for (size_t i = 0; i < f.count; i++) {
        const s3svm_spot t = sos_turn((double)i / (double)f.count);
        const double x = rx * t.x, y = ry * t.y;
        f.points[i] = (s3svm_spot){ at.x + x * turned.x - y * turned.y, at.y + x * turned.y + y * turned.x };
    }
    return f;
}

s3svm_figure s3svm_figure_circle(s3svm_spot at, double radius) { return s3svm_figure_ellipse(at, radius, radius, 0); }

s3svm_figure s3svm_figure_rectangle(s3svm_spot at, double half_width, double half_height, double tilt)
{
    static const double X[4] = { -1, 1, 1, -1 }, Y[4] = { -1, -1, 1, 1 };
    const s3svm_spot turned = sos_turn(tilt);
    s3svm_figure f = { .count = 4 };
    for (size_t i = 0; i < 4; i++) {
        const double x = X[i] * half_width, y = Y[i] * half_height;
        f.points[i] = (s3svm_spot){ at.x + x * turned.x - y * turned.y, at.y + x * turned.y + y * turned.x };
    }
    return f;
}

s3svm_figure s3svm_figure_polygon(s3svm_spot at, size_t corners, double radius, double other_radius, double tilt)
{
    s3svm_figure f = { .count = corners };
    for (size_t i = 0; i < corners; i++)
        f.points[i] = s3svm_spot_beyond(at, sos_turn(tilt + (double)i / (double)corners), i & 1 ? other_radius : radius);
    return f;
}

s3svm_figure s3svm_figure_triangle(s3svm_canvas *c, s3svm_spot at, double radius)
{
    const double tilt = s3svm_between(c, 0, 1);
    s3svm_figure f = { .count = 3 };
    for (size_t i = 0; i < 3; i++) {
        const double turns = tilt + ((double)i + s3svm_between(c, -0.2, 0.2)) / 3,
                     distance = radius * s3svm_between(c, 0.85, 1.15);
        f.points[i] = s3svm_spot_beyond(at, sos_turn(turns), distance);
    }
    return f;
}

/* The corner p between its neighbours, moved outwards by distance; sharp corners by at most three times that. */
static s3svm_spot corner_moved(s3svm_spot before, s3svm_spot p, s3svm_spot after, double distance)
{
    const s3svm_spot u = s3svm_spot_direction(before, p), v = s3svm_spot_direction(p, after);
    const double sum = 1 + u.x * v.x + u.y * v.y, by = distance / fmax(sum, 0.25);
    return (s3svm_spot){ p.x + by * (u.y + v.y), p.y - by * (u.x + v.x) };
}

void s3svm_figure_contour(s3svm_canvas *c, const s3svm_figure *f, double moved)
{
    const size_t n = f->count;
    for (size_t i = 0; i < n; i++)
        s3svm_path_add_spot(c, corner_moved(f->points[(i + n - 1) % n], f->points[i], f->points[(i + 1) % n], moved));
    s3svm_path_close(c);
}

void s3svm_figure_outline(s3svm_canvas *c, const s3svm_figure *f, double width, double moved)
{
    s3svm_figure_contour(c, f, moved + width / 2);
    s3svm_figure_contour(c, f, moved - width / 2);
    s3svm_path_fill(c, &s3svm_ink);
}

/* Dashes go round without a break at the corners: left over from one side is what the next side begins with. */
void s3svm_figure_dashes(s3svm_canvas *c, const s3svm_figure *f, double width, double dash)
{
    double at = 0; /* along a dash and the gap behind it */
    for (size_t i = 0; i < f->count; i++) {
        const s3svm_spot p = f->points[i], q = f->points[(i + 1) % f->count], d = s3svm_spot_direction(p, q);
        const double length = s3svm_spot_distance(p, q);
        for (double done = 0; done < length;) {
            const bool ink = at < dash;
            const double step = fmin((ink ? dash : 2 * dash) - at, length - done);
            if (ink)
                s3svm_ruler_polyline(
                    c, 2, (s3svm_spot[]){ s3svm_spot_beyond(p, d, done), s3svm_spot_beyond(p, d, done + step) }, width);
            done += step + 1e-9;
            at += step + 1e-9;
            if (at >= 2 * dash) at = 0;
        }
    }
}

static double perimeter(const s3svm_figure *f)
{
    double sum = 0;
    for (size_t i = 0; i < f->count; i++) sum += s3svm_spot_distance(f->points[i], f->points[(i + 1) % f->count]);
    return sum;
}

s3svm_paint s3svm_paint_pattern(s3svm_canvas *c, s3svm_paint_kind kind)
{
    static const double ANGLES[] = { 0, 0.125, 0.25, 0.375, 0.08, 0.17 };
    const double width = kind == S3SVM_PAINT_DOTS ? s3svm_width(c, s3svm_between(c, 3, 4.5)) : s3svm_width_thin(c);
    const double apart = kind == S3SVM_PAINT_STRIPES ? s3svm_between(c, 6, 11) : s3svm_between(c, 9, 14);
    const s3svm_spot along = sos_turn(ANGLES[s3svm_pick(c, 0, 5)]);
    return (s3svm_paint){ .kind = kind, .along = along, .width = width, .pitch = fmax(apart * c->unit, 4 * width) };
}

void s3svm_figure_draw(s3svm_canvas *c, const s3svm_figure *f, s3svm_figure_style s, double width)
{
    static const s3svm_paint_kind KINDS[] = {
        [S3SVM_HATCHED] = S3SVM_PAINT_STRIPES, [S3SVM_CROSSED] = S3SVM_PAINT_CROSSED, [S3SVM_DOTTED] = S3SVM_PAINT_DOTS
    };
    switch (s) {
    case S3SVM_OUTLINED: s3svm_figure_outline(c, f, width, 0); break;
    case S3SVM_DOUBLED:
        s3svm_figure_outline(c, f, width, 0);
        s3svm_figure_outline(c, f, s3svm_width(c, 1), -width - 4 * c->unit);
        break;
    case S3SVM_DASHED: s3svm_figure_dashes(c, f, width, fmin(s3svm_ruler_dash(c, width), perimeter(f) / 18)); break;
    case S3SVM_FILLED:
        s3svm_figure_contour(c, f, 0);
        s3svm_path_fill(c, &s3svm_ink);
        break;
    default: {
        const s3svm_paint paint = s3svm_paint_pattern(c, KINDS[s]);
        s3svm_figure_contour(c, f, 0);
        s3svm_path_fill(c, &paint);
        s3svm_figure_outline(c, f, fmin(width, s3svm_width(c, 3)), 0);
    }
    }
}

s3svm_figure_style s3svm_figure_style_any(s3svm_canvas *c)
{
    static const s3svm_figure_style OFTEN[] = { S3SVM_OUTLINED, S3SVM_OUTLINED, S3SVM_OUTLINED, S3SVM_OUTLINED, S3SVM_DOUBLED,
                                                S3SVM_DASHED,   S3SVM_HATCHED,  S3SVM_HATCHED,  S3SVM_CROSSED,  S3SVM_DOTTED };
    return OFTEN[s3svm_pick(c, 0, sizeof OFTEN / sizeof *OFTEN - 1)];
}

s3svm_figure s3svm_figure_box(s3svm_box b)
{
    return (s3svm_figure){ .count = 4, .points = { { b.x0, b.y0 }, { b.x1, b.y0 }, { b.x1, b.y1 }, { b.x0, b.y1 } } };
}

s3svm_figure s3svm_figure_any(s3svm_canvas *c, s3svm_spot at, double radius)
{
    const size_t corners = s3svm_pick(c, 5, 8), rays = s3svm_pick(c, 5, 8);
    const double slim = radius * s3svm_between(c, 0.4, 0.85), tilt = s3svm_between(c, 0, 1);
    switch (s3svm_pick(c, 0, 6)) {
    case 0: return s3svm_figure_circle(at, radius * 0.9);
    case 1: return s3svm_figure_ellipse(at, radius, slim * 0.9, tilt);
    case 2: return s3svm_figure_rectangle(at, radius * 0.95, slim * 1.1, 0);
    case 3: return s3svm_figure_rectangle(at, radius * 0.85, slim * 0.8, tilt);
    case 4: return s3svm_figure_triangle(c, at, radius);
    case 5: return s3svm_figure_polygon(at, corners, radius, radius, tilt);
    default: return s3svm_figure_polygon(at, 2 * rays, radius, 0.3 * radius + 0.35 * slim, tilt);
    }
}
