/* warm.c - solving again after a change. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Changes an energy built from p. */
typedef void change(const instance *p, sos_random *r, double size, sos_energy *e);

/* A pixel that was scribbled on wants label 1, whatever was seen there. */
static void scribble(sos_energy *e, size_t i)
{
    sos_error error;
    must(sos_energy_set_unary(e, i, 20000, 0, &error), &error);
}

static void change_scattered(const instance *p, sos_random *r, double size, sos_energy *e)
{
    const size_t count = (size_t)ceil(size * (double)p->n);
    for (size_t c = 0; c < count; c++) scribble(e, (size_t)sos_random_below(r, p->n));
}

/* One disc anywhere, cut off at the border. */
static void change_blob(const instance *p, sos_random *r, double size, sos_energy *e)
{
    const double radius2 = size * (double)p->n / 3.141592653589793;
    const double cx = (double)sos_random_below(r, p->width), cy = (double)sos_random_below(r, p->height);
    for (size_t i = 0; i < p->n; i++) {
        const double dx = (double)(i % p->width) - cx, dy = (double)(i / p->width) - cy;
        if (dx * dx + dy * dy <= radius2) scribble(e, i);
    }
}

static void change_tables(const instance *p, sos_random *r, double size, sos_energy *e)
{
    sos_error error;
    double *f = room((size_t)1 << p->k, sizeof *f);
    for (uint32_t t = 0; t < p->tables; t++) {
        double largest = 0;
        memcpy(f, instance_table(p, t), sizeof *f << p->k);
        for (size_t S = 0; S < (size_t)1 << p->k; S++) largest = fmax(largest, fabs(f[S]));
        table_nudge(r, p->k, size * largest, f);
        must(sos_energy_set_table(e, t, f, &error), &error);
    }
    free(f);
}

static const struct {
    const char *name;
    change *change;
    double size;
} CHANGES[] = { { "0.1 % of the unaries, scattered", change_scattered, 0.001 },
                { "1 % of the unaries, scattered", change_scattered, 0.01 },
                { "0.1 % of the unaries, one blob", change_blob, 0.001 },
                { "1 % of the unaries, one blob", change_blob, 0.01 },
                { "all tables by about 1 %", change_tables, 0.01 } };

typedef struct warm {
    const instance *p;
    sos_energy *e;
    sos_minimizer *minimizer;
    uint8_t *labels;
    series times[3]; /* by sos_start */
} warm;

static double warm_run(warm *w, sos_start start)
{
    sos_minimize_settings s = sos_minimize_defaults();
    sos_minimize_result result;
    sos_error error;
    s.start = start;
    const double began = seconds_computed();
    must(sos_minimizer_run(w->minimizer, w->e, &s, w->labels, &result, &error), &error);
    series_add(&w->times[start], seconds_computed() - began);
    return result.energy;
}

/* Before and after a change, or in every other round the way back, so that costs also fall. */
static bool warm_round(warm *w, size_t number, size_t round)
{
    sos_random r = sos_random_seeded(1000 * number + round);
    uint8_t *before = room(w->p->n, 1);
    const bool back = round & 1;
    instance_restore(w->p, w->e);
    if (back) CHANGES[number].change(w->p, &r, CHANGES[number].size, w->e);
    (void)warm_run(w, SOS_START_COLD);
    w->times[SOS_START_COLD].count--; /* another energy than the one that is timed */
    memcpy(before, w->labels, w->p->n);
    if (back) instance_restore(w->p, w->e);
    if (!back) CHANGES[number].change(w->p, &r, CHANGES[number].size, w->e);
    const double flow = warm_run(w, SOS_START_FLOW), cold = warm_run(w, SOS_START_COLD);
    memcpy(w->labels, before, w->p->n);
    const double labels = warm_run(w, SOS_START_LABELS);
    free(before);
    return flow == cold && labels == cold;
}

static void warm_row(bench *b, warm *w, size_t number)
{
    bool same = true;
    for (size_t start = 0; start < LENGTH(w->times); start++) w->times[start].count = 0;
    for (size_t round = 0; round < (b->quick ? 2 : 12); round++) same = warm_round(w, number, round) && same;
    b->failed = b->failed || !same;
    const double cold = series_median(&w->times[SOS_START_COLD]), flow = series_median(&w->times[SOS_START_FLOW]);
    const double labels = series_median(&w->times[SOS_START_LABELS]);
    report_row(&b->report, (cell[]){ { .text = w->p->name },
                                     { .text = CHANGES[number].name },
                                     { .number = 1e3 * cold },
                                     { .number = 1e3 * flow },
                                     { .number = cold / flow },
                                     { .number = 1e3 * labels },
                                     { .number = cold / labels },
                                     { .text = same ? "same" : "WRONG" } });
}

static void warm_instance(bench *b, const instance *p)
{
    sos_error error;
    warm w = { .p = p, .e = instance_build(p), .labels = room(p->n, 1) };
    must(sos_minimizer_create(&w.minimizer, &error), &error);
    for (size_t c = 0; c < LENGTH(CHANGES); c++) warm_row(b, &w, c);
    sos_minimizer_free(w.minimizer);
    sos_energy_free(w.e);
    free(w.labels);
}

void section_warm(bench *b)
{
    static const column COLUMNS[] = {
        { "instance", "instance", 18, COLUMN_TEXT },
        { "change", "change", 31, COLUMN_TEXT },
        { "cold_ms", "cold", 7, 2 },
        { "flow_ms", "flow", 7, 2 },
        { "flow_speedup", "faster", 6, 1 },
        { "labels_ms", "labels", 7, 2 },
        { "labels_speedup", "faster", 6, 1 },
        { "answer", "answer", 6, COLUMN_TEXT },
    };
    static const size_t WHICH[] = { GC, GC_L12, CARD9, HARD9 };
    report_table(&b->report, "warm", "Solving again after a change, in a reused minimizer (ms, without changing the energy)",
                 LENGTH(COLUMNS), COLUMNS);
    for (size_t i = 0; i < (b->quick ? 1 : LENGTH(WHICH)); i++) warm_instance(b, bench_instance(b, WHICH[i]));
    report_table_end(&b->report);
}
