/* task.c - from drawings in noise to examples. */
#include "task.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "instance.h"
#include "measure.h"

static const double INK = 0.19, SIGMA = 0.7;

typedef struct picture {
    size_t width, height, n;
    uint8_t *ink; /* the truth */
    double *grey; /* what is seen of it */
} picture;

static picture picture_make(const task *t, sos_random *r)
{
    picture p = { .width = t->width, .height = t->height, .n = t->width * t->height };
    p.ink = room(p.n, sizeof *p.ink);
    p.grey = room(p.n, sizeof *p.grey);
    draw(p.width, p.height, INK, r, p.ink);
    for (size_t i = 0; i < p.n; i++) p.grey[i] = p.ink[i] + SIGMA * sos_random_normal(r);
    return p;
}

static void picture_free(picture *p)
{
    free(p->ink);
    free(p->grey);
}

/* Which of so many equal parts of least ... most x is in; the outer ones reach to infinity. */
static uint32_t part_of(double x, double least, double most, size_t parts)
{
    return (uint32_t)fmin((double)parts - 1, fmax(0, floor((x - least) / (most - least) * (double)parts)));
}

static double mean_around(const picture *p, size_t x, size_t y)
{
    double sum = 0, count = 0;
    for (size_t v = y ? y - 1 : 0; v <= y + 1 && v < p->height; v++)
        for (size_t u = x ? x - 1 : 0; u <= x + 1 && u < p->width; u++, count++) sum += p->grey[v * p->width + u];
    return sum / count;
}

static void set_grey(const picture *p, sos_example *x, uint32_t group)
{
    sos_error error;
    double *value = room(p->n, sizeof *value);
    for (size_t i = 0; i < p->n; i++) value[i] = 1 - 2 * fmin(1, fmax(0, p->grey[i]));
    must(sos_example_set_dense_features(x, group, value, 1, 0, &error), &error);
    free(value);
}

/* Three indicators per pixel; the place is a cell of a 10 x 10 grid, or a coarser one where indicators are few. */
static void set_indicators(const picture *p, sos_example *x, uint32_t group, size_t indicators)
{
    sos_error error;
    const size_t lot = indicators / 3, cells = (size_t)sqrt((double)lot);
    size_t *start = room(p->n + 1, sizeof *start);
    uint32_t *index = room(3 * p->n, sizeof *index);
    for (size_t i = 0; i < p->n; i++) {
        const size_t u = i % p->width, v = i / p->width;
        index[3 * i] = part_of(p->grey[i], -1, 2, lot);
        index[3 * i + 1] = (uint32_t)lot + part_of(mean_around(p, u, v), -0.5, 1.5, lot);
        index[3 * i + 2] = (uint32_t)(2 * lot + u * cells / p->width * cells + v * cells / p->height);
        start[i + 1] = 3 * (i + 1);
    }
    must(sos_example_set_features(x, group, start, index, NULL, &error), &error);
    free(start);
    free(index);
}

/* All 2x2 patches; their contrast is that of both diagonals. */
static void add_patches(const picture *p, sos_example *x, uint32_t first_group, size_t tables)
{
    sos_error error;
    size_t count = 0;
    uint32_t *variables = room(4 * p->n, sizeof *variables), *groups = room(p->n, sizeof *groups);
    for (size_t v = 0; v + 1 < p->height; v++)
        for (size_t u = 0; u + 1 < p->width; u++, count++) {
            const size_t i = v * p->width + u, patch[] = { i, i + 1, i + p->width, i + p->width + 1 };
            const double contrast = fabs(p->grey[patch[0]] - p->grey[patch[3]]) + fabs(p->grey[patch[1]] - p->grey[patch[2]]);
            for (size_t k = 0; k < 4; k++) variables[4 * count + k] = (uint32_t)patch[k];
            groups[count] = first_group + part_of(contrast, 0, 4, tables);
        }
    must(sos_example_add_listed(x, count, groups, variables, NULL, &error), &error);
    free(variables);
    free(groups);
}

/* Energies are per pixel, as the loss is, so that C means the same for all sizes. */
static sos_example *task_example_make(const task *t, const sos_model *m, sos_random *r)
{
    sos_example *x = NULL;
    sos_error error;
    picture p = picture_make(t, r);
    must(sos_example_create(m, p.n, &x, &error), &error);
    if (t->indicators)
        set_indicators(&p, x, 0, t->indicators);
    else
        set_grey(&p, x, 0);
    add_patches(&p, x, 1, t->tables);
    must(sos_example_set_scale(x, 1 / (double)p.n, &error), &error);
    must(sos_example_set_truth(x, p.ink, NULL, &error), &error);
    picture_free(&p);
    return x;
}

lesson lesson_generate(const task *t, uint64_t seed)
{
    lesson l = { .count = t->images, .examples = room(t->images, sizeof(sos_example *)) };
    sos_random r = sos_random_seeded(seed);
    sos_error error;
    uint32_t number;
    must(sos_model_create(2, &l.model, &error), &error);
    const sos_group pixels = { .name = "pixel", .kind = SOS_GROUP_FREE, .size = t->indicators ? t->indicators : 1 };
    must(sos_model_add_group(l.model, &pixels, &number, &error), &error);
    for (size_t i = 0; i < t->tables; i++) {
        char name[32];
        snprintf(name, sizeof name, "patch %zu", i);
        const sos_group patch = { .name = name, .kind = SOS_GROUP_TABLE, .size = 4 };
        must(sos_model_add_group(l.model, &patch, &number, &error), &error);
    }
    for (size_t i = 0; i < l.count; i++) l.examples[i] = task_example_make(t, l.model, &r);
    return l;
}

void lesson_free(lesson *l)
{
    for (size_t i = 0; i < l->count; i++) sos_example_free(l->examples[i]);
    free(l->examples);
    sos_model_free(l->model);
}
