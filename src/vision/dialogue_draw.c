/* dialogue_draw.c - from shapes to pixels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "vision/dialogue.h"

/* ---------------------------------------------------------------- pens */

/* Where a line x of slope: a + x b lies within low ... high; cuts *from ... *to. */
static void cut_range(double a, double b, double low, double high, double *from, double *to)
{
    if (b == 0) {
        if (a < low || a > high) *to = -INFINITY;
        return;
    }
    const double s = (low - a) / b, t = (high - a) / b;
    *from = fmax(*from, fmin(s, t));
    *to = fmin(*to, fmax(s, t));
}

static void widen(double low, double high, double *from, double *to)
{
    if (low > high) return;
    *from = fmin(*from, low);
    *to = fmax(*to, high);
}

static void widen_disk(sos_point centre, double radius, double y, double *from, double *to)
{
    const double dy = y - (double)centre.y, square = radius * radius - dy * dy;
    if (square < 0) return;
    const double half = sqrt(square);
    widen((double)centre.x - half, (double)centre.x + half, from, to);
}

/* What row y has of the points at most radius from a line: of two disks and the rectangle between them, the union of which is
 * convex, so that it is one range. */
static void row_range(sos_point a, sos_point b, double radius, double y, double *from, double *to)
{
    const double dx = (double)b.x - (double)a.x, dy = (double)b.y - (double)a.y, square = dx * dx + dy * dy;
    const double py = y - (double)a.y, reach = radius * sqrt(square);
    double low = -INFINITY, high = INFINITY;
    widen_disk(a, radius, y, from, to);
    widen_disk(b, radius, y, from, to);
    if (square == 0) return;
    cut_range(py * dy, dx, 0, square, &low, &high);
    cut_range(-py * dx, dy, -reach, reach, &low, &high);
    widen((double)a.x + low, (double)a.x + high, from, to);
}

/* Whole numbers of low ... high within 0 ... side - 1. */
static bool whole_range(double low, double high, size_t side, size_t *first, size_t *last)
{
    low = fmax(ceil(low), 0);
    high = fmin(floor(high), (double)side - 1);
    if (!(low <= high)) return false;
    *first = (size_t)low;
    *last = (size_t)high;
    return true;
}

bool sos_pen_rows(sos_point a, sos_point b, double radius, size_t height, size_t *first, size_t *last)
{
    const double low = fmin((double)a.y, (double)b.y), high = fmax((double)a.y, (double)b.y);
    return whole_range(low - radius, high + radius, height, first, last);
}

bool sos_pen_row(sos_point a, sos_point b, double radius, size_t width, size_t y, size_t *first, size_t *last)
{
    static const double SLACK = 0.5; /* the range is rounded; sos_pen_marks decides */
    double from = INFINITY, to = -INFINITY;
    row_range(a, b, radius + SLACK, (double)y, &from, &to);
    if (!whole_range(from, to, width, first, last)) return false;
    while (*first <= *last && !sos_pen_marks(a, b, radius, (double)*first, (double)y)) ++*first;
    while (*last > *first && !sos_pen_marks(a, b, radius, (double)*last, (double)y)) --*last;
    return *first <= *last;
}

static void line_draw(sos_point a, sos_point b, double radius, uint8_t label, sos_image *marks)
{
    size_t top, bottom, first, last;
    if (!sos_pen_rows(a, b, radius, marks->height, &top, &bottom)) return;
    for (size_t y = top; y <= bottom; y++)
        if (sos_pen_row(a, b, radius, marks->width, y, &first, &last))
            memset(marks->pixels + y * marks->width + first, label, last - first + 1);
}

static void stroke_draw(const sos_mark *m, sos_image *marks)
{
    const double radius = sos_pen_radius(m->radius);
    if (m->count == 1) line_draw(m->points[0], m->points[0], radius, m->label, marks);
    for (size_t i = 1; i < m->count; i++) line_draw(m->points[i - 1], m->points[i], radius, m->label, marks);
}

/* ---------------------------------------------------------------- pictures, boxes, outlines */

static void pixels_draw(const sos_mark *m, sos_image *marks)
{
    for (size_t i = 0; i < sos_image_size(marks); i++) {
        const uint8_t mark = m->pixels->pixels[i];
        if (sos_mark_is_sure(mark) || (mark != SOS_MARK_NONE && !sos_mark_is_sure(marks->pixels[i]))) marks->pixels[i] = mark;
    }
}

/* A side that goes down turns one way around all pixels to its right, one that goes up the other way.  The sum of turns up to a
 * pixel is how often the line winds around it. */
size_t sos_outline_row(size_t count, const sos_point points[], size_t width, size_t y, int32_t turns[], uint8_t inside[])
{
    size_t found = 0;
    int32_t sum = 0;
    memset(turns, 0, (width + 1) * sizeof *turns);
    for (size_t i = 0; i < count; i++) {
        const sos_point a = points[i], b = points[i + 1 < count ? i + 1 : 0];
        const bool before = (double)a.y <= (double)y, behind = (double)b.y <= (double)y;
        if (before == behind) continue;
        const double slope = ((double)b.x - (double)a.x) / ((double)b.y - (double)a.y);
        const double x = ceil((double)a.x + ((double)y - (double)a.y) * slope);
        turns[x <= 0 ? 0 : x >= (double)width ? width : (size_t)x] += before ? 1 : -1;
    }
    for (size_t x = 0; x < width; x++) found += inside[x] = (sum += turns[x]) != 0;
    return found;
}

/* A row of the photograph against the last box or outline. */
static void row_enclose(size_t width, const uint8_t inside[], uint8_t marks[])
{
    for (size_t x = 0; x < width; x++) {
        if (sos_mark_is_sure(marks[x])) continue;
        if (!inside[x])
            marks[x] = SOS_MARK_BACKGROUND;
        else if (marks[x] == SOS_MARK_NONE)
            marks[x] = SOS_MARK_PERHAPS_OBJECT;
    }
}

static void box_row(const sos_point corners[2], size_t width, size_t y, uint8_t inside[])
{
    const double left = fmin((double)corners[0].x, (double)corners[1].x),
                 right = fmax((double)corners[0].x, (double)corners[1].x);
    const double top = fmin((double)corners[0].y, (double)corners[1].y),
                 bottom = fmax((double)corners[0].y, (double)corners[1].y);
    size_t first, last;
    memset(inside, 0, width);
    if ((double)y < top || (double)y > bottom || !whole_range(left, right, width, &first, &last)) return;
    memset(inside + first, 1, last - first + 1);
}

static sos_status enclose(const sos_mark *m, sos_image *marks, sos_error *error)
{
    const size_t width = marks->width;
    int32_t *turns = malloc((width + 1) * sizeof *turns);
    uint8_t *inside = malloc(width);
    for (size_t y = 0; y < marks->height && turns && inside; y++) {
        if (m->shape == SOS_SHAPE_BOX)
            box_row(m->points, width, y, inside);
        else
            sos_outline_row(m->count, m->points, width, y, turns, inside);
        row_enclose(width, inside, marks->pixels + y * width);
    }
    const bool done = turns && inside;
    free(turns);
    free(inside);
    return done ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory to draw marks");
}

/* ---------------------------------------------------------------- all */

sos_status sos_dialogue_draw(const sos_dialogue *d, size_t steps, sos_image *marks, sos_error *error)
{
    const size_t width = sos_dialogue_width(d), height = sos_dialogue_height(d), all = sos_dialogue_steps(d);
    sos_mark last = { .shape = SOS_SHAPES }; /* box or outline */
    if (!marks || !marks->pixels || marks->channels != 1 || marks->width != width || marks->height != height)
        return sos_fail(error, SOS_ERR_ARGUMENT, "marks are drawn into a picture of 1 channel and %zu by %zu pixels", width,
                        height);
    memset(marks->pixels, SOS_MARK_NONE, sos_image_size(marks));
    for (size_t s = 0; s < steps && s < all; s++)
        for (size_t i = 0; i < sos_dialogue_count(d, s); i++) {
            const sos_mark m = sos_dialogue_mark(d, s, i);
            if (m.shape == SOS_SHAPE_STROKE)
                stroke_draw(&m, marks);
            else if (m.shape == SOS_SHAPE_PIXELS)
                pixels_draw(&m, marks);
            else
                last = m;
        }
    return last.shape == SOS_SHAPES ? SOS_OK : enclose(&last, marks, error);
}
