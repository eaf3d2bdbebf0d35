/* dialogue_draw.c - draws the shapes of marks as pixels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "vision/dialogue.h"
#include "vision/marks.h"

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

static void widen_disk(s3svm_point centre, double radius, double y, double *from, double *to)
{
    const double dy = y - (double)centre.y, square = radius * radius - dy * dy;
    if (square < 0) return;
    const double half = sqrt(square);
    widen((double)centre.x - half, (double)centre.x + half, from, to);
}

/* What row y has of the points at most radius from a line: of two disks and the rectangle between them, the union of which is
 * convex, so that it is one range. */
static void row_range(s3svm_point a, s3svm_point b, double radius, double y, double *from, double *to)
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

bool s3svm_pen_rows(s3svm_point a, s3svm_point b, double radius, size_t height, size_t *first, size_t *last)
{
    const double low = fmin((double)a.y, (double)b.y), high = fmax((double)a.y, (double)b.y);
    return whole_range(low - radius, high + radius, height, first, last);
}

bool s3svm_pen_row(s3svm_point a, s3svm_point b, double radius, size_t width, size_t y, size_t *first, size_t *last)
{
    static const double SLACK = 0.5; /* the range is rounded; s3svm_pen_marks decides */
    double from = INFINITY, to = -INFINITY;
    row_range(a, b, radius + SLACK, (double)y, &from, &to);
    if (!whole_range(from, to, width, first, last)) return false;
    while (*first <= *last && !s3svm_pen_marks(a, b, radius, (double)*first, (double)y)) ++*first;
    while (*last > *first && !s3svm_pen_marks(a, b, radius, (double)*last, (double)y)) --*last;
    return *first <= *last;
}

static void line_draw(s3svm_point a, s3svm_point b, double radius, uint8_t label, s3svm_image *marks)
{
    size_t top, bottom, first, last;
    if (!s3svm_pen_rows(a, b, radius, marks->height, &top, &bottom)) return;
    for (size_t y = top; y <= bottom; y++)
        if (s3svm_pen_row(a, b, radius, marks->width, y, &first, &last))
            memset(marks->pixels + y * marks->width + first, label, last - first + 1);
}

static void stroke_draw(const s3svm_mark *m, s3svm_image *marks)
{
    const double radius = s3svm_pen_radius(m->radius);
    if (m->count == 1) line_draw(m->points[0], m->points[0], radius, m->label, marks);
    for (size_t i = 1; i < m->count; i++) line_draw(m->points[i - 1], m->points[i], radius, m->label, marks);
}

/* ---------------------------------------------------------------- pictures, boxes, outlines */

/* Row by row: in most of them nothing is marked. */
static void pixels_draw(const s3svm_image *from, s3svm_image *marks)
{
    for (size_t y = 0; y < marks->height; y++) {
        const uint8_t *row = from->pixels + y * marks->width;
        uint8_t *onto = marks->pixels + y * marks->width;
        if (s3svm_marks_are_none(marks->width, row)) continue;
        for (size_t x = 0; x < marks->width; x++)
            if (s3svm_mark_is_sure(row[x]) || (row[x] != S3SVM_MARK_NONE && !s3svm_mark_is_sure(onto[x]))) onto[x] = row[x];
    }
}

/* A side that goes down turns one way around all pixels to its right, one that goes up the other way.  The sum of turns up to a
 * pixel is how often the line winds around it. */
size_t s3svm_outline_row(size_t count, const s3svm_point points[], size_t width, size_t y, int32_t turns[], uint8_t inside[])
{
    size_t found = 0;
    int32_t sum = 0;
    memset(turns, 0, (width + 1) * sizeof *turns);
    for (size_t i = 0; i < count; i++) {
        const s3svm_point a = points[i], b = points[i + 1 < count ? i + 1 : 0];
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
        if (s3svm_mark_is_sure(marks[x])) continue;
        if (!inside[x])
            marks[x] = S3SVM_MARK_BACKGROUND;
        else if (marks[x] == S3SVM_MARK_NONE)
            marks[x] = S3SVM_MARK_PERHAPS_OBJECT;
    }
}

static void box_row(const s3svm_point corners[2], size_t width, size_t y, uint8_t inside[])
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

/* Room for a row of pixels against a box or an outline. */
typedef struct row_room {
    int32_t *turns;
    uint8_t *inside;
} row_room;

static bool row_room_take(size_t width, row_room *r)
{
    r->turns = malloc((width + 1) * sizeof *r->turns);
    r->inside = malloc(width);
    return r->turns && r->inside;
}

static void row_room_free(row_room *r)
{
    free(r->turns);
    free(r->inside);
}

/* A box or an outline around pictures of one size. */
static void enclose(const s3svm_mark *m, const row_room *r, size_t count, const s3svm_image *const marks[])
{
    const size_t width = marks[0]->width;
    for (size_t y = 0; y < marks[0]->height; y++) {
        if (m->shape == S3SVM_SHAPE_BOX)
            box_row(m->points, width, y, r->inside);
        else
            s3svm_outline_row(m->count, m->points, width, y, r->turns, r->inside);
        for (size_t i = 0; i < count; i++) row_enclose(width, r->inside, marks[i]->pixels + y * width);
    }
}

/* ---------------------------------------------------------------- steps */

static bool is_enclosing(const s3svm_mark *m) { return m->shape == S3SVM_SHAPE_BOX || m->shape == S3SVM_SHAPE_OUTLINE; }

/* The strokes and pictures of a step.  *around becomes its last box or outline, if it has one: these yield to all others. */
static void step_draw(const s3svm_dialogue *d, size_t step, s3svm_image *marks, s3svm_mark *around)
{
    for (size_t i = 0; i < s3svm_dialogue_count(d, step); i++) {
        const s3svm_mark m = s3svm_dialogue_mark(d, step, i);
        if (m.shape == S3SVM_SHAPE_STROKE)
            stroke_draw(&m, marks);
        else if (m.shape == S3SVM_SHAPE_PIXELS)
            pixels_draw(m.pixels, marks);
        else
            *around = m;
    }
}

sos_status s3svm_dialogue_draw(const s3svm_dialogue *d, size_t steps, s3svm_image *marks, sos_error *error)
{
    const size_t width = s3svm_dialogue_width(d), height = s3svm_dialogue_height(d), all = s3svm_dialogue_steps(d);
    s3svm_mark around = { .shape = S3SVM_SHAPES };
    if (!marks || !marks->pixels || marks->channels != 1 || marks->width != width || marks->height != height)
        return sos_fail(error, SOS_ERR_ARGUMENT, "marks must be drawn into a picture of 1 channel and %zu by %zu pixels", width,
                        height);
    memset(marks->pixels, S3SVM_MARK_NONE, s3svm_image_size(marks));
    for (size_t s = 0; s < steps && s < all; s++) step_draw(d, s, marks, &around);
    if (!is_enclosing(&around)) return SOS_OK;
    row_room row = { 0 };
    const bool done = row_room_take(width, &row);
    if (done) enclose(&around, &row, 1, (const s3svm_image *const[]){ marks });
    row_room_free(&row);
    return done ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory to draw marks");
}

sos_status s3svm_dialogue_draw_sure(const s3svm_dialogue *d, s3svm_image *marks, sos_error *error)
{
    const sos_status status = s3svm_dialogue_draw(d, s3svm_dialogue_steps(d), marks, error);
    for (size_t i = 0; !status && i < s3svm_image_size(marks); i++)
        if (!s3svm_mark_is_sure(marks->pixels[i])) marks->pixels[i] = S3SVM_MARK_NONE;
    return status;
}

/* ---------------------------------------------------------------- step by step */

void s3svm_drawn_marks_free(s3svm_drawn_marks *m)
{
    s3svm_image_free(&m->all);
    s3svm_image_free(&m->last);
    s3svm_image_free(&m->strokes);
    row_room_free(&(row_room){ m->turns, m->inside });
    *m = (s3svm_drawn_marks){ 0 };
}

sos_status s3svm_drawn_marks_create(size_t width, size_t height, s3svm_drawn_marks *out, sos_error *error)
{
    row_room row = { 0 };
    s3svm_drawn_marks m = { 0 };
    sos_status status = row_room_take(width, &row) ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory to draw marks");
    m.turns = row.turns;
    m.inside = row.inside;
    if (!status) status = s3svm_image_create(width, height, 1, &m.all, error);
    if (!status) status = s3svm_image_create(width, height, 1, &m.last, error);
    if (status)
        s3svm_drawn_marks_free(&m);
    else
        *out = m;
    return status;
}

static bool step_encloses(const s3svm_dialogue *d, size_t step)
{
    for (size_t i = 0; i < s3svm_dialogue_count(d, step); i++) {
        const s3svm_mark m = s3svm_dialogue_mark(d, step, i);
        if (is_enclosing(&m)) return true;
    }
    return false;
}

/* Draws a box or an outline around all strokes, in place of the last one, and around those of the last step. */
static void step_enclose(s3svm_drawn_marks *m, const s3svm_mark *around)
{
    const size_t n = s3svm_image_size(&m->all);
    const row_room row = { m->turns, m->inside };
    if (m->enclosed)
        memcpy(m->all.pixels, m->strokes.pixels, n);
    else
        memcpy(m->strokes.pixels, m->all.pixels, n);
    m->enclosed = true;
    enclose(around, &row, 2, (const s3svm_image *const[]){ &m->all, &m->last });
}

/* Strokes of a step win over what boxes and outlines say, so that they are laid over both pictures. */
static void step_add(s3svm_drawn_marks *m, const s3svm_dialogue *d, size_t step)
{
    s3svm_mark around = { .shape = S3SVM_SHAPES };
    memset(m->last.pixels, S3SVM_MARK_NONE, s3svm_image_size(&m->last));
    step_draw(d, step, &m->last, &around);
    pixels_draw(&m->last, &m->all);
    if (m->enclosed) pixels_draw(&m->last, &m->strokes);
    if (is_enclosing(&around)) step_enclose(m, &around);
}

sos_status s3svm_drawn_marks_add(s3svm_drawn_marks *m, const s3svm_dialogue *d, size_t step, sos_error *error)
{
    sos_status status = SOS_OK;
    if (step_encloses(d, step) && !m->strokes.pixels)
        status = s3svm_image_create(m->all.width, m->all.height, 1, &m->strokes, error);
    if (!status) step_add(m, d, step);
    return status;
}

void s3svm_drawn_marks_redraw(s3svm_drawn_marks *m, const s3svm_dialogue *d, size_t steps)
{
    s3svm_mark around = { .shape = S3SVM_SHAPES };
    const size_t n = s3svm_image_size(&m->all);
    memset(m->all.pixels, S3SVM_MARK_NONE, n);
    memset(m->last.pixels, S3SVM_MARK_NONE, n);
    m->enclosed = false;
    for (size_t step = 0; step + 1 < steps; step++) step_draw(d, step, &m->all, &around);
    if (is_enclosing(&around)) step_enclose(m, &around);
    if (steps) step_add(m, d, steps - 1);
}
