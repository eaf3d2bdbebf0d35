/* centre.c - centre lines of labels: thinned, cut where they cross, as lists of points. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "vision/distance.h"
#include "vision/thin.h"
#include <s3svm/trace.h>

void s3svm_centre_lines_free(s3svm_centre_lines *lines)
{
    free(lines->start);
    free(lines->x);
    free(lines->y);
    free(lines->width);
    *lines = (s3svm_centre_lines){ 0 };
}

/* Lines being followed. */
typedef struct following {
    size_t width, height;
    uint8_t *line;  /* what is left of the thinned labels: 1 on a line, 2 where lines meet or end */
    uint8_t *taken; /* pixels between ends that belong to a line already */
    float *distance;
    s3svm_centre_lines out;
    size_t start_room, point_room[3], points;
} following;

static const int DX[8] = { 0, 1, 0, -1, 1, 1, -1, -1 }, DY[8] = { -1, 0, 1, 0, -1, 1, 1, -1 };

/* The neighbour in a direction, or SIZE_MAX beyond the border. */
static size_t neighbour(const following *f, size_t pixel, size_t d)
{
    const ptrdiff_t x = (ptrdiff_t)(pixel % f->width) + DX[d], y = (ptrdiff_t)(pixel / f->width) + DY[d];
    if (x < 0 || y < 0 || x >= (ptrdiff_t)f->width || y >= (ptrdiff_t)f->height) return SIZE_MAX;
    return (size_t)(y * (ptrdiff_t)f->width + x);
}

/* Whether a step across a corner is one: it is none where the line also goes around by a side. */
static bool is_step(const following *f, size_t pixel, size_t d)
{
    const size_t to = neighbour(f, pixel, d);
    if (to == SIZE_MAX || !f->line[to]) return false;
    if (!DX[d] || !DY[d]) return true;
    const size_t x_side = pixel + (size_t)(ptrdiff_t)DX[d], y_side = (size_t)((ptrdiff_t)pixel + DY[d] * (ptrdiff_t)f->width);
    return !f->line[x_side] && !f->line[y_side];
}

static size_t steps_count(const following *f, size_t pixel)
{
    size_t count = 0;
    for (size_t d = 0; d < 8; d++) count += is_step(f, pixel, d);
    return count;
}

static sos_status point_put(following *f, size_t pixel, sos_error *error)
{
    s3svm_centre_lines *o = &f->out;
    if (!sos_grow(&o->x, &f->point_room[0], f->points + 1) || !sos_grow(&o->y, &f->point_room[1], f->points + 1) ||
        !sos_grow(&o->width, &f->point_room[2], f->points + 1))
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for centre lines");
    o->x[f->points] = (float)(pixel % f->width);
    o->y[f->points] = (float)(pixel / f->width);
    /* Where everything is a structure there is no border to be far from. */
    o->width[f->points++] = isinf(f->distance[pixel]) ? (float)f->width : 2 * f->distance[pixel] - 1;
    return SOS_OK;
}

static sos_status line_end(following *f, sos_error *error)
{
    if (!sos_grow(&f->out.start, &f->start_room, f->out.count + 2))
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for lines");
    f->out.start[0] = 0;
    f->out.start[++f->out.count] = f->points;
    return SOS_OK;
}

/* The next pixel of a line that came from another one; SIZE_MAX: there is none. */
static size_t line_next(const following *f, size_t from, size_t pixel)
{
    for (size_t d = 0; d < 8; d++) {
        const size_t to = neighbour(f, pixel, d);
        if (is_step(f, pixel, d) && to != from && !f->taken[to]) return to;
    }
    return SIZE_MAX;
}

/* Follows a line from pixel `from`, whose first step is `pixel`, to where it meets another one, ends, or comes back. */
static sos_status line_follow(following *f, size_t from, size_t pixel, sos_error *error)
{
    const size_t first = from;
    sos_status status = point_put(f, from, error);
    while (!status) {
        status = point_put(f, pixel, error);
        if (f->line[pixel] == 2) break;
        f->taken[pixel] = 1;
        const size_t next = line_next(f, from, pixel);
        if (next == SIZE_MAX) {
            for (size_t d = 0; d < 8 && !status; d++) /* a closed one ends where it began */
                if (is_step(f, pixel, d) && neighbour(f, pixel, d) == first && from != first)
                    status = point_put(f, first, error);
            break;
        }
        from = pixel;
        pixel = next;
    }
    return status ? status : line_end(f, error);
}

/* All lines from a pixel at which lines meet or end. */
static sos_status lines_from(following *f, size_t pixel, sos_error *error)
{
    sos_status status = SOS_OK;
    size_t steps = 0;
    for (size_t d = 0; d < 8 && !status; d++) {
        if (!is_step(f, pixel, d)) continue;
        const size_t to = neighbour(f, pixel, d);
        steps++;
        /* Between two such pixels side by side there is a line of two points, which the first of them has. */
        if (f->line[to] == 2 ? to > pixel : !f->taken[to]) status = line_follow(f, pixel, to, error);
    }
    if (steps || status) return status;
    status = point_put(f, pixel, error); /* alone */
    return status ? status : line_end(f, error);
}

static sos_status lines_follow(following *f, sos_error *error)
{
    const size_t n = f->width * f->height;
    sos_status status = SOS_OK;
    for (size_t i = 0; i < n; i++)
        if (f->line[i] && steps_count(f, i) != 2) f->line[i] = 2;
    for (size_t i = 0; i < n && !status; i++)
        if (f->line[i] == 2) status = lines_from(f, i, error);
    for (size_t i = 0; i < n && !status; i++) { /* what is left is closed */
        if (f->line[i] != 1 || f->taken[i]) continue;
        f->taken[i] = 1;
        const size_t next = line_next(f, i, i);
        if (next != SIZE_MAX) status = line_follow(f, i, next, error);
    }
    return status;
}

sos_status s3svm_centre_lines_find(size_t width, size_t height, const uint8_t labels[], s3svm_centre_lines *out,
                                   sos_error *error)
{
    const size_t n = width * height;
    following f = { .width = width, .height = height };
    f.line = calloc(n + 1, 1);
    f.taken = calloc(n + 1, 1);
    f.distance = malloc((n + 1) * sizeof *f.distance);
    sos_status status = f.line && f.taken && f.distance ? SOS_OK
                                                        : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pixels", n);
    for (size_t i = 0; i < n && !status; i++) f.line[i] = !labels[i];
    if (!status) status = s3svm_distance_euclidean(width, height, f.line, 1, f.distance, error);
    for (size_t i = 0; i < n && !status; i++) f.line[i] = labels[i] != 0;
    if (!status) status = s3svm_thin(width, height, f.line, error);
    if (!status) status = lines_follow(&f, error);
    free(f.line);
    free(f.taken);
    free(f.distance);
    if (status)
        s3svm_centre_lines_free(&f.out);
    else
        *out = f.out;
    return status;
}
