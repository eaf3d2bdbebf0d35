/* dialogue.c - the list of steps.  Marks are stored in order; a step stores the end of its marks. */
#include "vision/dialogue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

typedef struct entry {
    s3svm_mark mark; /* its points and pixels are NULL or the two that follow */
    s3svm_point *points;
    s3svm_image pixels;
} entry;

struct s3svm_dialogue {
    size_t width, height;
    entry **marks; /* each by itself, so that what s3svm_dialogue_mark gave stays where it is */
    size_t mark_count, mark_room;
    size_t *ends; /* of steps: how many marks there are up to the end of each */
    size_t step_count, step_room;
    size_t points, pictures, outlines; /* of all marks: points, pixels of pictures, and how many are outlines */
};

sos_status s3svm_dialogue_create(size_t width, size_t height, s3svm_dialogue **out, sos_error *error)
{
    if (!out) return sos_fail(error, SOS_ERR_ARGUMENT, "no place for a list of marks was given");
    if (!width || !height || width > S3SVM_IMAGE_SIDE_MAX || height > S3SVM_IMAGE_SIDE_MAX ||
        width > S3SVM_IMAGE_PIXELS_MAX / height)
        return sos_fail(error, SOS_ERR_RANGE, "marks of a photograph of %zu by %zu pixels", width, height);
    s3svm_dialogue *d = calloc(1, sizeof *d);
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
    s3svm_image_free(&e->pixels);
    free(e);
}

void s3svm_dialogue_free(s3svm_dialogue *d)
{
    if (!d) return;
    s3svm_dialogue_cut(d, 0);
    free(d->marks);
    free(d->ends);
    free(d);
}

size_t s3svm_dialogue_width(const s3svm_dialogue *d) { return d->width; }
size_t s3svm_dialogue_height(const s3svm_dialogue *d) { return d->height; }
size_t s3svm_dialogue_steps(const s3svm_dialogue *d) { return d->step_count; }

static size_t step_begin(const s3svm_dialogue *d, size_t step) { return step ? d->ends[step - 1] : 0; }

size_t s3svm_dialogue_count(const s3svm_dialogue *d, size_t step)
{
    return step < d->step_count ? d->ends[step] - step_begin(d, step) : 0;
}

s3svm_mark s3svm_dialogue_mark(const s3svm_dialogue *d, size_t step, size_t i)
{
    sos_expects(i < s3svm_dialogue_count(d, step));
    return d->marks[step_begin(d, step) + i]->mark;
}

void s3svm_dialogue_cut(s3svm_dialogue *d, size_t steps)
{
    if (steps >= d->step_count) return;
    const size_t keep = step_begin(d, steps);
    while (d->mark_count > keep) {
        entry *e = d->marks[--d->mark_count];
        d->points -= e->mark.count;
        d->outlines -= e->mark.shape == S3SVM_SHAPE_OUTLINE;
        if (e->pixels.pixels) d->pictures -= s3svm_image_size(&e->pixels);
        entry_free(e);
    }
    d->step_count = steps;
}

/* ---------------------------------------------------------------- checks */

/* The check of one mark, of which messages give the number. */
typedef struct checking {
    const s3svm_dialogue *d;
    const s3svm_mark *mark;
    size_t number;
    sos_error *error;
} checking;

/* What a shape of points needs. */
typedef struct needs {
    size_t least, most;
    const char *words;
} needs;

static const needs NEEDS[] = {
    [S3SVM_SHAPE_STROKE] = { 1, S3SVM_DIALOGUE_POINTS_MAX, "a stroke has 1 or more" },
    [S3SVM_SHAPE_BOX] = { 2, 2, "a box has 2, opposite corners" },
    [S3SVM_SHAPE_OUTLINE] = { 3, S3SVM_DIALOGUE_POINTS_MAX, "an outline has 3 or more" },
};

static sos_status points_check(const checking *c)
{
    const s3svm_mark *m = c->mark;
    const needs *n = NEEDS + m->shape;
    const double limit = S3SVM_DIALOGUE_COORDINATE_MAX;
    const size_t count = m->points ? m->count : 0;
    if (count < n->least || count > n->most)
        return sos_fail(c->error, SOS_ERR_ARGUMENT, "mark %zu has %zu points; %s (and at most %d)", c->number, count, n->words,
                        S3SVM_DIALOGUE_POINTS_MAX);
    for (size_t i = 0; i < m->count; i++) {
        const double x = (double)m->points[i].x, y = (double)m->points[i].y;
        if (!(fabs(x) <= limit && fabs(y) <= limit))
            return sos_fail(c->error, SOS_ERR_ARGUMENT,
                            "mark %zu: point %zu is (%g, %g); coordinates must be numbers of at most %d", c->number, i, x, y,
                            S3SVM_DIALOGUE_COORDINATE_MAX);
    }
    return SOS_OK;
}

static sos_status stroke_check(const checking *c)
{
    const s3svm_mark *m = c->mark;
    if (m->label != S3SVM_MARK_OBJECT && m->label != S3SVM_MARK_BACKGROUND)
        return sos_fail(c->error, SOS_ERR_ARGUMENT, "mark %zu is a stroke with label %d; 1 is object, 2 background", c->number,
                        m->label);
    if (!(m->radius >= 0 && m->radius <= S3SVM_DIALOGUE_RADIUS_MAX))
        return sos_fail(c->error, SOS_ERR_ARGUMENT, "mark %zu has a pen of radius %g; 0 to %d are possible", c->number,
                        (double)m->radius, S3SVM_DIALOGUE_RADIUS_MAX);
    return points_check(c);
}

/* Whether some pixel centre of a side lies between two numbers. */
static bool has_pixel(double a, double b, size_t side)
{
    return fmax(ceil(fmin(a, b)), 0) <= fmin(floor(fmax(a, b)), (double)side - 1);
}

static sos_status box_check(const checking *c)
{
    const s3svm_point *p = c->mark->points;
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
        found = s3svm_outline_row(c->mark->count, c->mark->points, width, y, turns, inside) > 0;
    free(turns);
    free(inside);
    if (!room) return sos_fail(c->error, SOS_ERR_MEMORY, "no memory for an outline");
    if (found) return SOS_OK;
    return sos_fail(c->error, SOS_ERR_ARGUMENT, "mark %zu: the outline has no pixel of a photograph of %zu by %zu inside",
                    c->number, width, c->d->height);
}

static sos_status pixels_check(const checking *c)
{
    const s3svm_image *p = c->mark->pixels;
    if (!p || !p->pixels || p->channels != 1 || p->width != c->d->width || p->height != c->d->height)
        return sos_fail(c->error, SOS_ERR_ARGUMENT, "mark %zu: a picture of marks must have 1 channel and %zu by %zu pixels",
                        c->number, c->d->width, c->d->height);
    for (size_t i = 0; i < s3svm_image_size(p); i++)
        if (p->pixels[i] >= S3SVM_MARKS)
            return sos_fail(c->error, SOS_ERR_ARGUMENT, "mark %zu: column %zu, row %zu is %d; marks are 0 to 4", c->number,
                            i % p->width, i / p->width, p->pixels[i]);
    return SOS_OK;
}

static sos_status mark_check(const checking *c)
{
    const s3svm_mark *m = c->mark;
    const sos_status status = sos_reserved_check("s3svm_mark", m, c->error);
    if (status) return status;
    if (m->shape != S3SVM_SHAPE_STROKE && m->label)
        return sos_fail(c->error, SOS_ERR_ARGUMENT, "mark %zu has label %d; only strokes have one", c->number, m->label);
    if (m->shape == S3SVM_SHAPE_PIXELS ? m->count != 0 : m->pixels != NULL)
        return sos_fail(c->error, SOS_ERR_ARGUMENT, "mark %zu has points and a picture", c->number);
    switch (m->shape) {
    case S3SVM_SHAPE_STROKE: return stroke_check(c);
    case S3SVM_SHAPE_BOX: return box_check(c);
    case S3SVM_SHAPE_OUTLINE: return outline_check(c);
    case S3SVM_SHAPE_PIXELS: return pixels_check(c);
    default: return sos_fail(c->error, SOS_ERR_ARGUMENT, "mark %zu has the shape %d", c->number, (int)m->shape);
    }
}

static sos_status step_check(const s3svm_dialogue *d, size_t count, const s3svm_mark marks[], sos_error *error)
{
    size_t points = d->points, pictures = d->pictures, outlines = d->outlines;
    if (!count || !marks) return sos_fail(error, SOS_ERR_ARGUMENT, "a step must have at least one mark");
    if (d->step_count == S3SVM_DIALOGUE_STEPS_MAX)
        return sos_fail(error, SOS_ERR_RANGE, "there are %d steps of marks already, the maximum", S3SVM_DIALOGUE_STEPS_MAX);
    for (size_t i = 0; i < count; i++) {
        const sos_status status = mark_check(&(checking){ .d = d, .mark = marks + i, .number = i, .error = error });
        if (status) return status;
        points += marks[i].count;
        pictures += marks[i].pixels ? s3svm_image_size(marks[i].pixels) : 0;
        outlines += marks[i].shape == S3SVM_SHAPE_OUTLINE;
        if (outlines > S3SVM_DIALOGUE_OUTLINES_MAX)
            return sos_fail(error, SOS_ERR_RANGE, "mark %zu is one outline too many: the maximum is %d", i,
                            S3SVM_DIALOGUE_OUTLINES_MAX);
        if (points > S3SVM_DIALOGUE_POINTS_MAX || pictures > S3SVM_DIALOGUE_PICTURE_PIXELS_MAX)
            return sos_fail(error, SOS_ERR_RANGE,
                            "mark %zu exceeds the limits: all marks together may have %d points and %d pixels", i,
                            S3SVM_DIALOGUE_POINTS_MAX, S3SVM_DIALOGUE_PICTURE_PIXELS_MAX);
    }
    return SOS_OK;
}

/* ---------------------------------------------------------------- adding */

/* A mark with points and pixels of its own; NULL: no memory. */
static entry *entry_create(const s3svm_mark *m)
{
    entry *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    const bool picture = m->shape == S3SVM_SHAPE_PIXELS;
    e->mark = *m;
    e->points = picture ? NULL : malloc(m->count * sizeof *e->points);
    if (picture ? s3svm_image_create(m->pixels->width, m->pixels->height, 1, &e->pixels, NULL) != SOS_OK : !e->points) {
        entry_free(e);
        return NULL;
    }
    if (picture)
        memcpy(e->pixels.pixels, m->pixels->pixels, s3svm_image_size(m->pixels));
    else
        memcpy(e->points, m->points, m->count * sizeof *e->points);
    e->mark.points = e->points;
    e->mark.pixels = picture ? &e->pixels : NULL;
    return e;
}

sos_status s3svm_dialogue_add(s3svm_dialogue *d, size_t count, const s3svm_mark marks[], sos_error *error)
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
        d->outlines += marks[i].shape == S3SVM_SHAPE_OUTLINE;
        d->pictures += marks[i].pixels ? s3svm_image_size(marks[i].pixels) : 0;
    }
    d->mark_count += count;
    d->ends[d->step_count++] = d->mark_count;
    return SOS_OK;
}

sos_status s3svm_dialogue_add_step(s3svm_dialogue *d, const s3svm_dialogue *from, size_t step, sos_error *error)
{
    const size_t count = s3svm_dialogue_count(from, step);
    s3svm_mark *marks = malloc((count + 1) * sizeof *marks);
    if (!marks) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu marks", count);
    for (size_t i = 0; i < count; i++) marks[i] = s3svm_dialogue_mark(from, step, i);
    const sos_status status = s3svm_dialogue_add(d, count, marks, error);
    free(marks);
    return status;
}

sos_status s3svm_dialogue_of_marks(const s3svm_image *marks, s3svm_dialogue **out, sos_error *error)
{
    s3svm_dialogue *d = NULL;
    if (!marks || !marks->pixels || !out)
        return sos_fail(error, SOS_ERR_ARGUMENT, "no marks or no place for a list were given");
    sos_status status = s3svm_dialogue_create(marks->width, marks->height, &d, error);
    if (!status) status = s3svm_dialogue_add(d, 1, &(s3svm_mark){ .shape = S3SVM_SHAPE_PIXELS, .pixels = marks }, error);
    if (status)
        s3svm_dialogue_free(d);
    else
        *out = d;
    return status;
}

static bool mark_is_same(const s3svm_mark *a, const s3svm_mark *b)
{
    if (a->shape != b->shape || a->label != b->label || a->count != b->count) return false;
    if (a->shape == S3SVM_SHAPE_STROKE && (a->radius < b->radius || a->radius > b->radius)) return false;
    if (a->shape == S3SVM_SHAPE_PIXELS) return !memcmp(a->pixels->pixels, b->pixels->pixels, s3svm_image_size(a->pixels));
    return !memcmp(a->points, b->points, a->count * sizeof *a->points);
}

static bool step_is_same(const s3svm_dialogue *a, const s3svm_dialogue *b, size_t step)
{
    const size_t count = s3svm_dialogue_count(a, step);
    if (s3svm_dialogue_count(b, step) != count) return false;
    for (size_t i = 0; i < count; i++) {
        const s3svm_mark x = s3svm_dialogue_mark(a, step, i), y = s3svm_dialogue_mark(b, step, i);
        if (!mark_is_same(&x, &y)) return false;
    }
    return true;
}

size_t s3svm_dialogue_common(const s3svm_dialogue *a, const s3svm_dialogue *b)
{
    size_t step = 0;
    if (a->width != b->width || a->height != b->height) return 0;
    while (step < s3svm_dialogue_steps(a) && step < s3svm_dialogue_steps(b) && step_is_same(a, b, step)) step++;
    return step;
}
