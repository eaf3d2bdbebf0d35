/* growth.c - the same kind of image, larger and larger. */
#include "bench.h"

#include <stdio.h>

#include "plot.h"

static void curve_add(curve *c, double x, double y)
{
    c->x[c->count] = x;
    c->y[c->count++] = y;
}

/* All kinds of one size, and the peer, in turns. */
typedef struct contest {
    size_t kinds;
    instance instances[KINDS_END]; /* the first is the peer's too */
    outcome last[KINDS_END];
    series ours[KINDS_END], theirs;
} contest;

static void contest_make(contest *c, const image_size *size)
{
    *c = (contest){ 0 };
    for (; c->kinds < KINDS_END && size < SIZES + KINDS[c->kinds].sizes; c->kinds++) {
        const recipe wanted = kind_recipe(&KINDS[c->kinds], size);
        c->instances[c->kinds] = instance_generate(&wanted, 1);
    }
}

static void contest_run(contest *c, size_t runs)
{
    peer against = peer_of(&c->instances[0]);
    for (size_t run = 0; run < runs; run++) {
        if (maxflow_peer_exists()) series_add(&c->theirs, peer_seconds(&against, &c->instances[0].optimum));
        for (size_t i = 0; i < c->kinds; i++) {
            c->last[i] = solve(&c->instances[i], NULL);
            series_add(&c->ours[i], c->last[i].seconds);
        }
    }
    peer_free(&against);
}

static void growth_of_size(bench *b, const image_size *size, curve ours[], curve *theirs)
{
    contest c;
    contest_make(&c, size);
    contest_run(&c, b->quick ? 1 : size->runs);
    const double pixels = (double)c.instances[0].n, peer_time = series_median(&c.theirs);
    curve_add(theirs, pixels, 1e3 * peer_time);
    for (size_t i = 0; i < c.kinds; i++) {
        const double seconds = series_median(&c.ours[i]);
        curve_add(&ours[i], pixels, 1e3 * seconds);
        report_row(&b->report, (cell[]){ { .text = size->name },
                                         { .text = KINDS[i].name },
                                         { .number = 1e3 * seconds },
                                         { .number = 1e9 * seconds / pixels },
                                         { .number = 1e3 * peer_time },
                                         { .number = seconds / peer_time },
                                         { .text = verdict(b, &c.instances[i], &c.last[i].result) } });
        instance_free(&c.instances[i]);
    }
}

static void growth_exponents(bench *b, size_t count, const curve curves[])
{
    static const column COLUMNS[] = { { "kind", "kind", 18, COLUMN_TEXT },
                                      { "exponent", "time grows as pixels to the", 27, 3 } };
    report_table(&b->report, "growth_exponents", "Growth: exponent of the fit", LENGTH(COLUMNS), COLUMNS);
    for (size_t i = 0; i < count; i++)
        report_row(&b->report, (cell[]){ { .text = curves[i].name },
                                         { .number = growth_exponent(curves[i].count, curves[i].x, curves[i].y) } });
    report_table_end(&b->report);
}

void section_growth(bench *b)
{
    static const column COLUMNS[] = {
        { "image", "image", 9, COLUMN_TEXT },
        { "kind", "kind", 9, COLUMN_TEXT },
        { "ms", "ms", 9, 2 },
        { "ns_per_pixel", "ns/pixel", 8, 1 },
        { "libmaxflow_ms", "libmaxflow, same grid", 21, 2 },
        { "ratio", "ratio", 6, 2 },
        { "answer", "answer", 7, COLUMN_TEXT },
    };
    curve curves[KINDS_END + 1] = { [KINDS_END] = { .name = "libmaxflow, pairs" } };
    for (size_t i = 0; i < KINDS_END; i++) curves[i].name = KINDS[i].name;
    report_table(&b->report, "growth", "Growth with the image, generated drawings (ms)", LENGTH(COLUMNS), COLUMNS);
    for (size_t s = 0; s < (b->quick ? 2 : SIZES_END); s++) growth_of_size(b, &SIZES[s], curves, &curves[KINDS_END]);
    report_table_end(&b->report);
    const size_t count = KINDS_END + maxflow_peer_exists();
    growth_exponents(b, count, curves);
    if (!b->plot) return;
    plot_write(&(plot){ "Time by size of the image", "pixels", "milliseconds, building and solving", count, curves, false },
               b->plot);
    printf("\nPlot: %s\n", b->plot);
}
