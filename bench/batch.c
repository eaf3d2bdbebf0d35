/* batch.c - eight images at once. */
#include "bench.h"

#include <stdlib.h>

enum { BATCH = 8 };

typedef struct batch {
    instance instances[BATCH];
    sos_energy *energies[BATCH];
    uint8_t *labels[BATCH];
} batch;

static void batch_make(batch *all, const recipe *r)
{
    for (size_t i = 0; i < BATCH; i++) {
        all->instances[i] = instance_generate(r, i + 1);
        all->energies[i] = instance_build(&all->instances[i]);
        all->labels[i] = room(all->instances[i].n, 1);
    }
}

static void batch_free(batch *all)
{
    for (size_t i = 0; i < BATCH; i++) {
        instance_free(&all->instances[i]);
        sos_energy_free(all->energies[i]);
        free(all->labels[i]);
    }
}

static double batch_seconds(const batch *all, int threads)
{
    sos_error error;
    sos_minimize_settings s = sos_minimize_defaults();
    s.work.threads = threads;
    const double start = seconds_passed();
    must(sos_minimize_batch(BATCH, (const sos_energy *const *)all->energies, &s, all->labels, NULL, &error), &error);
    return seconds_passed() - start;
}

void section_batch(bench *b)
{
    static const column COLUMNS[] = {
        { "kind", "kind", 22, COLUMN_TEXT },
        { "one_ms", "1 thread", 8, 2 },
        { "two_ms", "2 threads", 9, 2 },
        { "speedup", "faster", 6, 2 },
    };
    static const size_t WHICH[] = { GC, GC_L12, HARD9 };
    report_table(&b->report, "batch", "A batch of 8 generated images (ms on the wall, solving only)", LENGTH(COLUMNS), COLUMNS);
    for (size_t i = 0; i < (b->quick ? 1 : LENGTH(WHICH)); i++) {
        batch all;
        series times[2] = { 0 };
        batch_make(&all, &RECIPES[WHICH[i]]);
        for (size_t run = 0; run < (b->quick ? 1 : 9); run++)
            for (int threads = 1; threads <= 2; threads++) series_add(&times[threads - 1], batch_seconds(&all, threads));
        const double one = series_median(&times[0]), two = series_median(&times[1]);
        report_row(&b->report, (cell[]){ { .text = RECIPES[WHICH[i]].name },
                                         { .number = 1e3 * one },
                                         { .number = 1e3 * two },
                                         { .number = one / two } });
        batch_free(&all);
    }
    report_table_end(&b->report);
}
