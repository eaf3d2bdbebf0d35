/* dialogue.c - the list of steps.  Marks stand one behind the other; a step knows where its marks end. */
#include "vision/dialogue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

typedef struct entry {
    sos_mark mark; /* its points and pixels are NULL or the two that follow */
    sos_point *points;
    sos_image pixels;
} entry;

struct sos_dialogue {
    size_t width, height;
    entry **marks; /* each by itself, so that what sos_dialogue_mark gave stays where it is */
    size_t mark_count, mark_room;
    size_t *ends; /* of steps: how many marks there are up to the end of each */
    size_t step_count, step_room;
    size_t points, pictures, outlines; /* of all marks: points, pixels of pictures, and how many are outlines */
};

sos_status sos_dialogue_create(size_t width, size_t height, sos_dialogue **out, sos_error *error)
{
    if (!out) return sos_fail(error, SOS_ERR_ARGUMENT, "no place for a list of marks was given");
    if (!width || !height || width > SOS_IMAGE_SIDE_MAX || height > SOS_IMAGE_SIDE_MAX || width > SOS_IMAGE_PIXELS_MAX / height)
        return sos_fail(error, SOS_ERR_RANGE, "marks of a photograph of %zu by %zu pixels", width, height);
    sos_dialogue *d = calloc(1, sizeof *d);
    if (!d) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a list of marks");
    d->width = width;
    d->height = height;
    *out = d;
    return SOS_OK;
}

static void entry_free(entry *e)
{
    if (!e) return;
    free(e->points);
    sos_image_free(&e->pixels);
    free(e);
}

void sos_dialogue_free(sos_dialogue *d)
{
    if (!d) return;
    sos_dialogue_cut(d, 0);
    free(d->marks);
    free(d->ends);
    free(d);
}

size_t sos_dialogue_width(const sos_dialogue *d) { return d->width; }
size_t sos_dialogue_height(const sos_dialogue *d) { return d->height; }
size_t sos_dialogue_steps(const sos_dialogue *d) { return d->step_count; }

static size_t step_begin(const sos_dialogue *d, size_t step) { return step ? d->ends[step - 1] : 0; }

size_t sos_dialogue_count(const sos_dialogue *d, size_t step)
{
    return step < d->step_count ? d->ends[step] - step_begin(d, step) : 0;
}

sos_mark sos_dialogue_mark(const sos_dialogue *d, size_t step, size_t i)
{
    sos_expects(i < sos_dialogue_count(d, step));
    return d->marks[step_begin(d, step) + i]->mark;
}

void sos_dialogue_cut(sos_dialogue *d, size_t steps)
{
    if (steps >= d->step_count) return;
    const size_t keep = step_begin(d, steps);
    while (d->mark_count > keep) {
        entry *e = d->marks[--d->mark_count];
        d->points -= e->mark.count;
        d->outlines -= e->mark.shape == SOS_SHAPE_OUTLINE;
        if (e->pixels.pixels) d->pictures -= sos_image_size(&e->pixels);
        entry_free(e);
    }
    d->step_count = steps;
}

/* ---------------------------------------------------------------- checks */

/* The check of one mark, of which messages give the number. */
typedef struct checking {
    const sos_dialogue *d;
    const sos_mark *mark;
    size_t number;
    sos_error *error;
} checking;

/* What a shape of points needs. */
typedef struct needs {
    size_t least, most;
    const char *words;
} needs;

static const needs NEEDS[] = {
    [SOS_SHAPE_STROKE] = { 1, SOS_DIALOGUE_POINTS_MAX, "a stroke has 1 or more" },
    [SOS_SHAPE_BOX] = { 2, 2, "a box has 2, opposite corners" },
    [SOS_SHAPE_OUTLINE] = { 3, SOS_DIALOGUE_POINTS_MAX, "an outline has 3 or more" },
};

static sos_status points_check(const checking *c)
{
    const sos_mark *m = c->mark;
    const needs *n = NEEDS + m->shape;
    const double limit = SOS_DIALOGUE_COORDINATE_MAX;
    const size_t count = m->points ? m->count : 0;
    if (count < n->least || count > n->most)
        return sos_fail(c->error, SOS_ERR_ARGUMENT, "mark %zu has %zu points; %s (and at most %d)", c->number, count, n->words,
                        SOS_DIALOGUE_POINTS_MAX);
    for (size_t i = 0; i < m->count; i++) {
        const double x = (double)m->points[i].x, y = (double)m->points[i].y;
        if (!(fabs(x) <= limit && fabs(y) <= limit))
            return sos_fail(c->error, SOS_ERR_ARGUMENT, "mark %zu: point %zu is (%g, %g); coordinates are numbers up to %d",
                            c->number, i, x, y, SOS_DIALOGUE_COORDINATE_MAX);
    }
    return SOS_OK;
}

static sos_status stroke_check(const checking *c)
{
    const sos_mark *m = c->mark;
    if (m->label != SOS_MARK_OBJECT && m->label != SOS_MARK_BACKGROUND)
        return sos_fail(c->error, SOS_ERR_ARGUMENT, "mark %zu is a stroke with label %d; 1 is object, 2 background", c->number,
                        m->label);
    if (!(m->radius >= 0 && m->radius <= SOS_DIALOGUE_RADIUS_MAX))
        return sos_fail(c->error, SOS_ERR_ARGUMENT, "mark %zu has a pen of radius %g; 0 to %d are possible", c->number,
                        (double)m->radius, SOS_DIALOGUE_RADIUS_MAX);
    return points_check(c);
}

/* Whether some pixel centre of a side lies between two numbers. */
static bool has_pixel(double a, double b, size_t side)
{
    return fmax(ceil(fmin(a, b)), 0) <= fmin(floor(fmax(a, b)), (double)side - 1);
}

static sos_status box_check(const checking *c)
{
    const sos_point *p = c->mark->points;
    const sos_status status = points_check(c);
    if (status) return status;
    if (has_pixel((double)p[0].x, (double)p[1].x, c->d->width) && has_pixel((double)p[0].y, (double)p[1].y, c->d->height))
        return SOS_OK;
    return sos_fail(c->error, SOS_ERR_ARGUMENT,
                    "mark %zu: the box from (%g, %g) to (%g, %g) has no pixel of a photograph of %zu by %zu", c->number,
                    (double)p[0].x, (double)p[0].y, (double)p[1].x, (double)p[1].y, c->d->width, c->d->height);
}

static sos_status outline_check(const checking *c)
{
    const size_t width = c->d->width;
    const sos_status status = points_check(c);
    if (status) return status;
    int32_t *turns = malloc((width + 1) * sizeof *turns);
    uint8_t *inside = malloc(width);
    const bool room = turns && inside;
    bool found = false;
    for (size_t y = 0; y < c->d->height && room && !found; y++)
        found = sos_outline_row(c->mark->count, c->mark->points, width, y, turns, inside) > 0;
    free(turns);
    free(inside);
    if (!room) return sos_fail(c->error, SOS_ERR_MEMORY, "no memory for an outline");
    if (found) return SOS_OK;
    return sos_fail(c->error, SOS_ERR_ARGUMENT, "mark %zu: the outline has no pixel of a photograph of %zu by %zu inside",
                    c->number, width, c->d->height);
}

static sos_status pixels_check(const checking *c)
{
    const sos_image *p = c->mark->pixels;
    if (!p || !p->pixels || p->channels != 1 || p->width != c->d->width || p->height != c->d->height)
        return sos_fail(c->error, SOS_ERR_ARGUMENT, "mark %zu: a picture of marks has 1 channel and %zu by %zu pixels here",
                        c->number, c->d->width, c->d->height);
    for (size_t i = 0; i < sos_image_size(p); i++)
        if (p->pixels[i] >= SOS_MARKS)
            return sos_fail(c->error, SOS_ERR_ARGUMENT, "mark %zu: column %zu, row %zu is %d; marks are 0 to 4", c->number,
                            i % p->width, i / p->width, p->pixels[i]);
    return SOS_OK;
}

static sos_status mark_check(const checking *c)
{
    const sos_mark *m = c->mark;
    const sos_status status = sos_reserved_check("sos_mark", m, c->error);
    if (status) return status;
    if (m->shape != SOS_SHAPE_STROKE && m->label)
        return sos_fail(c->error, SOS_ERR_ARGUMENT, "mark %zu has label %d; only strokes have one", c->number, m->label);
    if (m->shape == SOS_SHAPE_PIXELS ? m->count != 0 : m->pixels != NULL)
        return sos_fail(c->error, SOS_ERR_ARGUMENT, "mark %zu has points and a picture", c->number);
    switch (m->shape) {
    case SOS_SHAPE_STROKE: return stroke_check(c);
    case SOS_SHAPE_BOX: return box_check(c);
    case SOS_SHAPE_OUTLINE: return outline_check(c);
    case SOS_SHAPE_PIXELS: return pixels_check(c);
    default: return sos_fail(c->error, SOS_ERR_ARGUMENT, "mark %zu has the shape %d", c->number, (int)m->shape);
    }
}

static sos_status step_check(const sos_dialogue *d, size_t count, const sos_mark marks[], sos_error *error)
{
    size_t points = d->points, pictures = d->pictures, outlines = d->outlines;
    if (!count || !marks) return sos_fail(error, SOS_ERR_ARGUMENT, "a step has one mark or more");
    if (d->step_count == SOS_DIALOGUE_STEPS_MAX)
        return sos_fail(error, SOS_ERR_RANGE, "there are %d steps of marks, and no more are possible", SOS_DIALOGUE_STEPS_MAX);
    for (size_t i = 0; i < count; i++) {
        const sos_status status = mark_check(&(checking){ .d = d, .mark = marks + i, .number = i, .error = error });
        if (status) return status;
        points += marks[i].count;
        pictures += marks[i].pixels ? sos_image_size(marks[i].pixels) : 0;
        outlines += marks[i].shape == SOS_SHAPE_OUTLINE;
        if (outlines > SOS_DIALOGUE_OUTLINES_MAX)
            return sos_fail(error, SOS_ERR_RANGE, "mark %zu is one outline too many: %d are possible", i,
                            SOS_DIALOGUE_OUTLINES_MAX);
        if (points > SOS_DIALOGUE_POINTS_MAX || pictures > SOS_DIALOGUE_PICTURE_PIXELS_MAX)
            return sos_fail(error, SOS_ERR_RANGE, "mark %zu is too much: together marks may have %d points and %d pixels", i,
                            SOS_DIALOGUE_POINTS_MAX, SOS_DIALOGUE_PICTURE_PIXELS_MAX);
    }
    return SOS_OK;
}

/* ---------------------------------------------------------------- adding */

/* A mark with points and pixels of its own; NULL: no memory. */
static entry *entry_create(const sos_mark *m)
{
    entry *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    const bool picture = m->shape == SOS_SHAPE_PIXELS;
    e->mark = *m;
    e->points = picture ? NULL : malloc(m->count * sizeof *e->points);
    if (picture ? sos_image_create(m->pixels->width, m->pixels->height, 1, &e->pixels, NULL) != SOS_OK : !e->points) {
        entry_free(e);
        return NULL;
    }
    if (picture)
        memcpy(e->pixels.pixels, m->pixels->pixels, sos_image_size(m->pixels));
    else
        memcpy(e->points, m->points, m->count * sizeof *e->points);
    e->mark.points = e->points;
    e->mark.pixels = picture ? &e->pixels : NULL;
    return e;
}

sos_status sos_dialogue_add(sos_dialogue *d, size_t count, const sos_mark marks[], sos_error *error)
{
    const sos_status status = step_check(d, count, marks, error);
    if (status) return status;
    size_t made = 0;
    bool room = sos_grow(&d->marks, &d->mark_room, d->mark_count + count) &&
                sos_grow(&d->ends, &d->step_room, d->step_count + 1);
    for (; room && made < count; made += room) {
        d->marks[d->mark_count + made] = entry_create(marks + made);
        room = d->marks[d->mark_count + made] != NULL;
    }
    if (!room) {
        while (made--) entry_free(d->marks[d->mark_count + made]);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu marks", count);
    }
    for (size_t i = 0; i < count; i++) {
        d->points += marks[i].count;
        d->outlines += marks[i].shape == SOS_SHAPE_OUTLINE;
        d->pictures += marks[i].pixels ? sos_image_size(marks[i].pixels) : 0;
    }
    d->mark_count += count;
    d->ends[d->step_count++] = d->mark_count;
    return SOS_OK;
}

sos_status sos_dialogue_add_step(sos_dialogue *d, const sos_dialogue *from, size_t step, sos_error *error)
{
    const size_t count = sos_dialogue_count(from, step);
    sos_mark *marks = malloc((count + 1) * sizeof *marks);
    if (!marks) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu marks", count);
    for (size_t i = 0; i < count; i++) marks[i] = sos_dialogue_mark(from, step, i);
    const sos_status status = sos_dialogue_add(d, count, marks, error);
    free(marks);
    return status;
}

sos_status sos_dialogue_copy(const sos_dialogue *d, sos_dialogue **out, sos_error *error)
{
    sos_dialogue *copy = NULL;
    sos_status status = out ? sos_dialogue_create(d->width, d->height, &copy, error)
                            : sos_fail(error, SOS_ERR_ARGUMENT, "no place for a list of marks was given");
    for (size_t s = 0; s < d->step_count && !status; s++) status = sos_dialogue_add_step(copy, d, s, error);
    if (status)
        sos_dialogue_free(copy);
    else
        *out = copy;
    return status;
}

sos_status sos_dialogue_draw_step(const sos_dialogue *d, size_t step, sos_image *marks, sos_error *error)
{
    sos_dialogue *alone;
    sos_status status = sos_dialogue_create(d->width, d->height, &alone, error);
    if (status) return status;
    status = sos_dialogue_add_step(alone, d, step, error);
    if (!status) status = sos_dialogue_draw(alone, 1, marks, error);
    sos_dialogue_free(alone);
    return status;
}
