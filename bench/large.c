/* large.c - one large energy on one core and on all: time, work of the busiest thread, memory.  $SOS_BENCH_SIZE names one of
 * the sizes, to run it alone. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

/* An image, or a volume where depth is over 1; side of the patches, 1: pairs. */
typedef struct large {
    const char *name, *kind;
    size_t width, height, depth, side;
} large;

static const large SIZES_LARGE[] = {
    { "5", "pairs", 3200, 1600, 1, 1 },      { "5", "2x2", 3200, 1600, 1, 2 },    { "20", "pairs", 5000, 4000, 1, 1 },
    { "20", "2x2", 5000, 4000, 1, 2 },       { "100", "2x2", 12500, 8000, 1, 2 }, { "volume", "pairs", 256, 256, 256, 1 },
    { "volume", "2x2x2", 256, 256, 256, 2 },
};

static sos_energy *image_build(const large *l)
{
    recipe wanted = RECIPES[l->side == 1 ? PAIR4 : GC];
    wanted.width = l->width;
    wanted.height = l->height;
    instance p = instance_generate(&wanted, 1);
    sos_energy *e = instance_build(&p);
    instance_free(&p);
    return e;
}

/* A shell in noise. */
static sos_energy *volume_build(const large *l)
{
    sos_random r = sos_random_seeded(1);
    sos_energy *e = NULL;
    sos_error error;
    uint32_t table;
    const double middle = (double)l->width / 2;
    must(sos_energy_create(l->width * l->height * l->depth, &e, &error), &error);
    for (size_t v = 0; v < l->width * l->height * l->depth; v++) {
        const double x = (double)(v % l->width) - middle, y = (double)(v / l->width % l->height) - middle;
        const double z = (double)(v / l->width / l->height) - middle, far = sqrt(x * x + y * y + z * z) / middle;
        const double ink = (far > 0.5 && far < 0.8 ? 1 : -1) + 2 * (2 * sos_random_uniform(&r) - 1);
        must(sos_energy_set_unary(e, v, 0, rint(-1000 * ink), &error), &error);
    }
    if (l->side == 1) {
        must(sos_energy_add_table(e, 2, (const double[]){ 0, 500, 500, 0 }, &table, &error), &error);
        must(sos_energy_add_volume_patches(e, table, l->width, l->height, l->depth, 2, 1, 1, NULL, &error), &error);
        must(sos_energy_add_volume_patches(e, table, l->width, l->height, l->depth, 1, 2, 1, NULL, &error), &error);
        must(sos_energy_add_volume_patches(e, table, l->width, l->height, l->depth, 1, 1, 2, NULL, &error), &error);
        return e;
    }
    double f[256];
    for (unsigned S = 0; S < 256; S++) f[S] = rint(60.0 * __builtin_popcount(S) * (8 - __builtin_popcount(S)));
    must(sos_energy_add_table(e, 8, f, &table, &error), &error);
    must(sos_energy_add_volume_patches(e, table, l->width, l->height, l->depth, 2, 2, 2, NULL, &error), &error);
    return e;
}

typedef struct run {
    double passed, computed, main_thread; /* seconds; computed by all threads, by this one */
    double grew;
    sos_minimize_result result;
} run;

static run run_on(const sos_energy *e, int threads, uint8_t labels[])
{
    run r;
    sos_error error;
    sos_minimize_settings s = sos_minimize_defaults();
    s.work.threads = threads;
    memory_settle();
    const double before = memory_resident();
    const double passed = seconds_passed(), all = seconds_computed_by_all(), mine = seconds_computed();
    must(sos_minimize(e, &s, labels, &r.result, &error), &error);
    r.passed = seconds_passed() - passed;
    r.computed = seconds_computed_by_all() - all;
    r.main_thread = seconds_computed() - mine;
    r.grew = memory_peak() - before;
    return r;
}

static void large_row(bench *b, const large *l)
{
    enum { RUNS = 3 };
    const size_t n = l->width * l->height * l->depth;
    sos_energy *e = l->depth > 1 ? volume_build(l) : image_build(l);
    uint8_t *one = room(n, 1), *all = room(n, 1);
    series passed[2] = { 0 }, work[2] = { 0 };
    run last[2];
    const size_t runs = n > 50000000 ? 1 : RUNS;
    for (size_t i = 0; i < runs; i++)
        for (int t = 0; t < 2; t++) {
            last[t] = run_on(e, 1 - t, t ? all : one);
            series_add(&passed[t], last[t].passed);
            series_add(&work[t], t ? last[t].main_thread : last[t].computed);
        }
    const bool same = !memcmp(one, all, n) && last[0].result.lower_bound == last[1].result.lower_bound;
    if (!same || last[0].result.energy != last[0].result.lower_bound) b->failed = true;
    char size[40];
    snprintf(size, sizeof size, l->depth > 1 ? "%zux%zux%zu" : "%zux%zu", l->width, l->height, l->depth);
    const double bytes = (double)(sos_energy_bytes(e) + last[0].result.bytes);
    report_row(&b->report, (cell[]){ { .text = size },
                                     { .text = l->kind },
                                     { .number = series_least(&passed[0]) },
                                     { .number = series_least(&passed[1]) },
                                     { .number = series_least(&passed[0]) / series_least(&passed[1]) },
                                     { .number = series_least(&work[0]) },
                                     { .number = series_least(&work[1]) },
                                     { .number = series_least(&work[0]) / series_least(&work[1]) },
                                     { .number = bytes / (double)n },
                                     { .number = (last[0].grew + (double)sos_energy_bytes(e)) / 0x1p30 },
                                     { .text = same ? "same" : "WRONG" } });
    free(one);
    free(all);
    sos_energy_free(e);
}

void section_large(bench *b)
{
    static const column COLUMNS[] = {
        { "size", "size", 11, COLUMN_TEXT },
        { "kind", "kind", 5, COLUMN_TEXT },
        { "one", "1 thread, s", 11, 3 },
        { "all", "all, s", 7, 3 },
        { "faster", "faster", 6, 2 },
        { "one_work", "work, s", 7, 3 },
        { "all_work", "of the busiest, s", 17, 3 },
        { "less", "less", 5, 2 },
        { "bytes", "bytes/variable", 14, 1 },
        { "gib", "GiB", 5, 2 },
        { "answer", "answer", 6, COLUMN_TEXT },
    };
    const char *only = getenv("SOS_BENCH_SIZE");
    report_table(&b->report, "large", "One large energy, sos_minimize alone: the fastest of 3 runs", LENGTH(COLUMNS), COLUMNS);
    for (size_t i = 0; i < LENGTH(SIZES_LARGE); i++)
        if (only ? !strcmp(only, SIZES_LARGE[i].name) : strcmp(SIZES_LARGE[i].name, "100") != 0) large_row(b, &SIZES_LARGE[i]);
    report_table_end(&b->report);
}
