/* bars.c - compares every instance with its time limit. */
#include "bench.h"

#include <math.h>

/* Ours on one instance and the peer on pairs, in turns. */

typedef struct race {
    double ours, theirs; /* median seconds; theirs NAN without the peer */
    double least_ratio;  /* of the fastest runs */
    double flow;         /* of the peer */
    outcome last;
} race;

static race race_run(const instance *p, const peer *against, size_t runs)
{
    series ours = { 0 }, theirs = { 0 };
    race r = { .flow = NAN };
    for (size_t i = 0; i <= runs; i++) { /* the first warms up */
        const double peer_time = maxflow_peer_exists() ? peer_seconds(against, &r.flow) : NAN;
        r.last = solve(p, NULL);
        if (!i) continue;
        if (maxflow_peer_exists()) series_add(&theirs, peer_time);
        series_add(&ours, r.last.seconds);
    }
    r.ours = series_median(&ours);
    r.theirs = series_median(&theirs);
    r.least_ratio = series_least(&ours) / series_least(&theirs);
    return r;
}

static void bars_row(bench *b, size_t number, const peer *against)
{
    const recipe *limits = &RECIPES[number];
    instance *p = bench_instance(b, number);
    const race r = race_run(p, against, b->quick ? 5 : 31);
    if (number == PAIR4 && isnan(p->optimum)) p->optimum = r.flow;
    const double ratio = r.ours / r.theirs, pixel = r.last.bytes / (double)p->n;
    report_row(&b->report, (cell[]){ { .text = p->name },
                                     { .text = p->source },
                                     { .number = 1e3 * r.ours },
                                     { .number = 1e3 * r.theirs },
                                     { .number = ratio },
                                     { .number = r.least_ratio },
                                     { .number = limits->limit },
                                     { .number = pixel },
                                     { .number = limits->bytes_limit },
                                     { .text = verdict(b, p, &r.last.result) },
                                     { .text = within(ratio, limits->limit, pixel, limits->bytes_limit) },
                                     { .number = 100 * (double)r.last.result.fixed / (double)p->n },
                                     { .number = r.last.result.bits } });
}

void section_bars(bench *b)
{
    static const column COLUMNS[] = {
        { "instance", "instance", 22, COLUMN_TEXT },
        { "source", "source", 9, COLUMN_TEXT },
        { "ms", "ms", 7, 2 },
        { "libmaxflow_ms", "libmaxflow", 10, 2 },
        { "ratio", "ratio", 6, 2 },
        { "least_ratio", "fastest", 7, 2 },
        { "limit", "limit", 5, 1 },
        { "bytes_per_pixel", "bytes/pixel", 11, 1 },
        { "bytes_limit", "limit", 5, 0 },
        { "answer", "answer", 7, COLUMN_TEXT },
        { "within", "within", 6, COLUMN_TEXT },
        { "fixed", "fixed %", 7, 1 },
        { "bits", "bits", 4, 0 },
    };
    peer against = peer_of(bench_instance(b, PAIR4));
    report_table(&b->report, "bars", "Against libmaxflow on pair4_400x200_s05 (ms; ratio of medians)", LENGTH(COLUMNS),
                 COLUMNS);
    for (size_t i = 0; i < RECIPES_END; i++) bars_row(b, i, &against);
    report_table_end(&b->report);
    peer_free(&against);
}
