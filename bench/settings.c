/* settings.c - one setting against another, in turns: reduction. */
#include "bench.h"

typedef struct duel {
    series times[2];
    outcome last[2];
} duel;

static void duel_run(const instance *p, const sos_minimize_settings settings[2], size_t runs, duel *d)
{
    *d = (duel){ 0 };
    for (size_t i = 0; i < runs; i++)
        for (size_t side = 0; side < 2; side++) {
            d->last[side] = solve(p, &settings[side]);
            series_add(&d->times[side], d->last[side].seconds);
        }
}

static void duel_row(bench *b, const instance *p, const duel *d)
{
    const double first = series_median(&d->times[0]), second = series_median(&d->times[1]);
    const sos_minimize_result *r = &d->last[0].result;
    const bool same = r->energy == d->last[1].result.energy;
    b->failed = b->failed || !same;
    report_row(&b->report, (cell[]){ { .text = p->name },
                                     { .number = 1e3 * first },
                                     { .number = 1e3 * second },
                                     { .number = second / first },
                                     { .number = 100 * (double)r->fixed / (double)p->n },
                                     { .text = same ? verdict(b, p, r) : "WRONG" } });
}

/* On all recipes. */
static void duels(bench *b, const sos_minimize_settings settings[2], size_t runs)
{
    for (size_t i = 0; i < RECIPES_END; i++) {
        const instance *p = bench_instance(b, i);
        duel d;
        duel_run(p, settings, runs, &d);
        duel_row(b, p, &d);
    }
    report_table_end(&b->report);
}

void section_reduce(bench *b)
{
    static const column COLUMNS[] = {
        { "instance", "instance", 22, COLUMN_TEXT }, { "on_ms", "reduced", 7, 2 }, { "off_ms", "not", 7, 2 },
        { "ratio", "not/reduced", 11, 2 },           { "fixed", "fixed %", 7, 1 }, { "answer", "answer", 7, COLUMN_TEXT },
    };
    sos_minimize_settings settings[2] = { sos_minimize_defaults(), sos_minimize_defaults() };
    settings[1].reduce = false;
    report_table(&b->report, "reduce", "With and without deciding variables before the flow (ms)", LENGTH(COLUMNS), COLUMNS);
    duels(b, settings, b->quick ? 2 : 11);
}
