#include "drawing/canvas.h"

#include <math.h>
#include <string.h>

const s3svm_paint s3svm_ink = { .kind = S3SVM_PAINT_INK }, s3svm_paper = { .kind = S3SVM_PAINT_PAPER };

enum { INK = 0, PAPER = 255 };

/* Pictures grow in two ways: elements become larger, and there are more of them. */
static size_t cells_along(double side) { return side < 300 ? 1 : (size_t)(sqrt(side / 200) + 0.5); }

static void canvas_divide(s3svm_canvas *c)
{
    const double least = c->width < c->height ? c->width : c->height;
    const size_t across = cells_along(least);
    const double side = least / (double)across;
    c->columns = (size_t)(c->width / side + 0.5);
    c->rows = (size_t)(c->height / side + 0.5);
    c->cell_width = c->width / (double)c->columns;
    c->cell_height = c->height / (double)c->rows;
    c->unit = (c->cell_width < c->cell_height ? c->cell_width : c->cell_height) / 200;
}

void s3svm_canvas_begin(s3svm_canvas *c, s3svm_image *image, uint64_t seed, uint64_t stream)
{
    sos_random mixed = sos_random_seeded(seed);
    c->image = image;
    c->seed = seed;
    c->random = sos_random_seeded(sos_random_bits(&mixed) ^ stream);
    c->width = (double)image->width;
    c->height = (double)image->height;
    c->count = c->contours = 0;
    canvas_divide(c);
    memset(image->pixels, PAPER, s3svm_image_size(image));
}

double s3svm_between(s3svm_canvas *c, double least, double most)
{
    return least + (most - least) * sos_random_uniform(&c->random);
}

size_t s3svm_pick(s3svm_canvas *c, size_t least, size_t most)
{
    return least + (size_t)sos_random_below(&c->random, most - least + 1);
}

bool s3svm_chance(s3svm_canvas *c, double probability) { return sos_random_uniform(&c->random) < probability; }

/* ---- the path ---- */

void s3svm_path_add(s3svm_canvas *c, double x, double y) { s3svm_path_add_round(c, x, y, 0); }
void s3svm_path_add_spot(s3svm_canvas *c, s3svm_spot p) { s3svm_path_add(c, p.x, p.y); }

void s3svm_path_add_round(s3svm_canvas *c, double x, double y, double radius)
{
    if (c->count == S3SVM_PATH_MAX) return;
    c->path[c->count] = (s3svm_spot){ x, y };
    c->radii[c->count++] = radius;
}

void s3svm_path_close(s3svm_canvas *c)
{
    if (c->contours < S3SVM_CONTOURS_MAX) c->ends[c->contours++] = c->count;
}

static void path_empty(s3svm_canvas *c) { c->count = c->contours = 0; }

/* ---- areas ---- */

/* How far x is from the nearest multiple of pitch. */
static double from_multiple(double x, double pitch)
{
    const double turns = x / pitch;
    return fabs(turns - floor(turns + 0.5)) * pitch;
}

static bool paint_is_ink(const s3svm_paint *paint, double x, double y)
{
    const double along = x * paint->along.x + y * paint->along.y, across = y * paint->along.x - x * paint->along.y;
    switch (paint->kind) {
    case S3SVM_PAINT_INK: return true;
    case S3SVM_PAINT_PAPER: return false;
    case S3SVM_PAINT_STRIPES: return 2 * from_multiple(across, paint->pitch) < paint->width;
    case S3SVM_PAINT_CROSSED:
        return 2 * from_multiple(across, paint->pitch) < paint->width || 2 * from_multiple(along, paint->pitch) < paint->width;
    case S3SVM_PAINT_DOTS: break;
    }
    const double dx = from_multiple(along, paint->pitch), dy = from_multiple(across, paint->pitch);
    return 4 * (dx * dx + dy * dy) < paint->width * paint->width;
}

/* The first pixel of 0 ... n whose centre is at x or beyond. */
static size_t first_pixel(double x, size_t n)
{
    const double at = ceil(x - 0.5);
    return at <= 0 ? 0 : at >= (double)n ? n : (size_t)at;
}

static void crossing_insert(s3svm_canvas *c, size_t count, double x)
{
    size_t at = count;
    for (; at && c->crossings[at - 1] > x; at--) c->crossings[at] = c->crossings[at - 1];
    c->crossings[at] = x;
}

/* Where the contours cross the line of height y, in order. */
static size_t crossings_find(s3svm_canvas *c, double y)
{
    size_t count = 0;
    for (size_t k = 0, begin = 0; k < c->contours; begin = c->ends[k++]) {
        for (size_t i = begin; i < c->ends[k]; i++) {
            const s3svm_spot p = c->path[i], q = c->path[i + 1 < c->ends[k] ? i + 1 : begin];
            if ((p.y <= y) != (q.y <= y)) crossing_insert(c, count++, p.x + (y - p.y) / (q.y - p.y) * (q.x - p.x));
        }
    }
    return count;
}

static void row_fill(s3svm_canvas *c, size_t row, const s3svm_paint *paint)
{
    const size_t n = c->image->width, count = crossings_find(c, (double)row + 0.5);
    uint8_t *pixels = c->image->pixels + row * n;
    for (size_t i = 0; i + 1 < count; i += 2) {
        const size_t end = first_pixel(c->crossings[i + 1], n);
        for (size_t x = first_pixel(c->crossings[i], n); x < end; x++)
            pixels[x] = paint_is_ink(paint, (double)x + 0.5, (double)row + 0.5) ? INK : PAPER;
    }
}

void s3svm_path_fill(s3svm_canvas *c, const s3svm_paint *paint)
{
    if (!c->contours) s3svm_path_close(c);
    double top = c->height, bottom = 0;
    for (size_t i = 0; i < c->count; i++) {
        if (c->path[i].y < top) top = c->path[i].y;
        if (c->path[i].y > bottom) bottom = c->path[i].y;
    }
    const size_t end = first_pixel(bottom, c->image->height);
    for (size_t row = first_pixel(top, c->image->height); row < end; row++) row_fill(c, row, paint);
    path_empty(c);
}

/* ---- strokes ---- */

typedef struct capsule {
    s3svm_spot p, step; /* from p to p + step */
    double length2;
    double radius, growth; /* at p, and up to p + step */
} capsule;

static bool capsule_holds(const capsule *s, double x, double y)
{
    const double dx = x - s->p.x, dy = y - s->p.y;
    double t = s->length2 > 0 ? (dx * s->step.x + dy * s->step.y) / s->length2 : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    const double ex = dx - t * s->step.x, ey = dy - t * s->step.y, r = s->radius + t * s->growth;
    return ex * ex + ey * ey <= r * r;
}

/* The row's pixels that may be inside: those near the part of the axis that is within reach of the row. */
static void capsule_row(s3svm_canvas *c, const capsule *s, double reach, size_t row)
{
    const double y = (double)row + 0.5;
    double from = 0, to = 1;
    if (fabs(s->step.y) > 1e-9) {
        const double a = (y - reach - s->p.y) / s->step.y, b = (y + reach - s->p.y) / s->step.y;
        from = fmax(from, fmin(a, b));
        to = fmin(to, fmax(a, b));
    }
    const double x0 = s->p.x + from * s->step.x, x1 = s->p.x + to * s->step.x;
    const size_t n = c->image->width, end = first_pixel(fmax(x0, x1) + reach + 1, n);
    uint8_t *pixels = c->image->pixels + row * n;
    for (size_t x = first_pixel(fmin(x0, x1) - reach, n); x < end; x++)
        if (capsule_holds(s, (double)x + 0.5, y)) pixels[x] = INK;
}

static void capsule_draw(s3svm_canvas *c, const capsule *s)
{
    const double reach = fmax(s->radius, s->radius + s->growth);
    const double top = fmin(s->p.y, s->p.y + s->step.y) - reach, bottom = fmax(s->p.y, s->p.y + s->step.y) + reach;
    const size_t end = first_pixel(bottom + 1, c->image->height);
    for (size_t row = first_pixel(top, c->image->height); row < end; row++) capsule_row(c, s, reach, row);
}

void s3svm_path_stroke(s3svm_canvas *c)
{
    for (size_t i = 0; i < c->count; i++) {
        const size_t next = i + 1 < c->count ? i + 1 : i;
        const s3svm_spot p = c->path[i], step = { c->path[next].x - p.x, c->path[next].y - p.y };
        if (next == i && i) break;
        capsule_draw(c, &(capsule){ p, step, step.x * step.x + step.y * step.y, c->radii[i], c->radii[next] - c->radii[i] });
    }
    path_empty(c);
}
