/* hinge.c - the structured hinge loss of a batch of pictures, as a step of learning asks for it, compared with minimising. */
#include "bench.h"

#include <stdlib.h>

enum { BATCH = 32, SIDE = 200, PIXELS = SIDE * SIDE, STEPS = 5 };

typedef struct learning {
    double *unary[BATCH];
    uint8_t *truth[BATCH], *labels[BATCH];
    double table[16];
    sos_energy *energies[BATCH]; /* to minimise: the same cliques and costs */
    sos_hinge *hinge;
} learning;

/* A drawing in noise: what a pixel says by itself is right on four of five, and costs about scale. */
static void learning_make(learning *l, double scale)
{
    sos_error error;
    uint32_t table;
    sos_random r = sos_random_seeded(1);
    prior_square_root(&r, 4, 0.5 * scale, l->table);
    for (size_t i = 0; i < BATCH; i++) {
        l->unary[i] = room(PIXELS, sizeof **l->unary);
        l->truth[i] = room(PIXELS, 1);
        l->labels[i] = room(PIXELS, 1);
        for (size_t v = 0; v < PIXELS; v++) l->truth[i][v] = 0;
        draw(SIDE, SIDE, 0.2, &r, l->truth[i]);
        for (size_t v = 0; v < PIXELS; v++) l->unary[i][v] = scale * ((l->truth[i][v] ? -1 : 1) + 1.2 * sos_random_normal(&r));
        must(sos_energy_create(PIXELS, &l->energies[i], &error), &error);
        must(sos_energy_add_table(l->energies[i], 4, l->table, &table, &error), &error);
        must(sos_energy_add_patches(l->energies[i], table, SIDE, SIDE, 2, 2, NULL, &error), &error);
    }
    must(sos_hinge_create(l->energies[0], &l->hinge, &error), &error);
}

static void learning_free(learning *l)
{
    for (size_t i = 0; i < BATCH; i++) {
        free(l->unary[i]);
        free(l->truth[i]);
        free(l->labels[i]);
        sos_energy_free(l->energies[i]);
    }
    sos_hinge_free(l->hinge);
}

/* Costs move as in a step of learning: all by about so much of their size. */
static void learning_step(learning *l, sos_random *r, double size)
{
    for (size_t i = 0; i < BATCH; i++)
        for (size_t v = 0; v < PIXELS; v++) l->unary[i][v] *= 1 + size * sos_random_normal(r);
    const double factor = 1 + size;
    for (size_t S = 0; S < 16; S++) l->table[S] *= factor;
}

/* The same energies, less the loss or not, by sos_minimize_batch. */
static double minimize_seconds(const learning *l, bool loss_augmented)
{
    sos_error error;
    sos_minimize_settings s = sos_minimize_defaults();
    double *cost0 = room(PIXELS, sizeof *cost0), *cost1 = room(PIXELS, sizeof *cost1);
    s.work.threads = 1;
    const double began = seconds_computed();
    for (size_t i = 0; i < BATCH; i++) {
        for (size_t v = 0; v < PIXELS; v++) {
            const bool truth = l->truth[i][v];
            cost0[v] = loss_augmented && truth ? -1 : 0;
            cost1[v] = l->unary[i][v] - (loss_augmented && !truth);
        }
        must(sos_energy_set_unaries(l->energies[i], cost0, cost1, &error), &error);
        must(sos_energy_set_table(l->energies[i], 0, l->table, &error), &error);
    }
    must(sos_minimize_batch(BATCH, (const sos_energy *const *)l->energies, &s, l->labels, NULL, &error), &error);
    const double seconds = seconds_computed() - began;
    free(cost0);
    free(cost1);
    return seconds;
}

static double hinge_seconds(learning *l, bool keep, int bits)
{
    sos_error error;
    double to_tables[BATCH][16], *to_unary = room((size_t)BATCH * PIXELS, sizeof *to_unary);
    sos_hinge_item items[BATCH];
    sos_hinge_settings s = sos_hinge_defaults();
    s.work.threads = 1;
    s.bits = bits;
    for (size_t i = 0; i < BATCH; i++)
        items[i] = (sos_hinge_item){ .unary = l->unary[i],
                                     .truth = l->truth[i],
                                     .tables = l->table,
                                     .keep = keep ? i + 1 : 0,
                                     .labels = l->labels[i],
                                     .to_unary = to_unary + i * PIXELS,
                                     .to_tables = to_tables[i] };
    const double began = seconds_computed();
    must(sos_hinge_run(l->hinge, BATCH, items, &s, &error), &error);
    const double seconds = seconds_computed() - began;
    free(to_unary);
    return seconds;
}

/* Costs of about so much, which change by so much of their size from step to step. */
static void hinge_row(bench *b, double scale, double change)
{
    static learning l;
    sos_random r = sos_random_seeded(2);
    series forward = { 0 }, augmented = { 0 }, cold = { 0 }, cold32 = { 0 }, kept = { 0 };
    learning_make(&l, scale);
    hinge_seconds(&l, true, 0);
    for (size_t step = 0; step < (b->quick ? 1 : STEPS); step++) {
        learning_step(&l, &r, change);
        series_add(&forward, minimize_seconds(&l, false));
        series_add(&augmented, minimize_seconds(&l, true));
        series_add(&cold, hinge_seconds(&l, false, 0));
        series_add(&cold32, hinge_seconds(&l, false, 32));
        series_add(&kept, hinge_seconds(&l, true, 0));
    }
    const double m = series_median(&augmented);
    report_row(&b->report, (cell[]){ { .number = scale },
                                     { .number = change },
                                     { .number = 1e3 * series_median(&forward) },
                                     { .number = 1e3 * m },
                                     { .number = series_median(&cold) / m },
                                     { .number = series_median(&cold32) / m },
                                     { .number = series_median(&kept) / m } });
    learning_free(&l);
}

void section_hinge(bench *b)
{
    static const column COLUMNS[] = { { "scale", "unaries", 7, 0 },
                                      { "change", "change", 6, 3 },
                                      { "forward_ms", "minimise", 8, 1 },
                                      { "augmented_ms", "less the loss", 13, 1 },
                                      { "cold", "hinge / that", 12, 2 },
                                      { "cold32", "32 bits", 7, 2 },
                                      { "kept", "kept", 5, 2 } };
    static const double CHANGES[] = { 0.1, 0.01 };
    report_table(&b->report, "hinge", "The hinge loss of 32 pictures of 200x200 with 2x2 patches (ms of one thread)",
                 LENGTH(COLUMNS), COLUMNS);
    for (double scale = 1; scale <= (b->quick ? 1 : 9); scale *= 3)
        for (size_t i = 0; i < (b->quick ? 1 : LENGTH(CHANGES)); i++) hinge_row(b, scale, CHANGES[i]);
    report_table_end(&b->report);
}
