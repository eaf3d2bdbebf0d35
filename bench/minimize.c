/* minimize.c - how fast and how lean sos_minimize is, next to libmaxflow on pairs.
 *
 *     minimize [--quick] [--only SECTION] [--json FILE] [--plot FILE]
 *
 * Times are medians over runs, of the processor's time of one thread (on the wall in "batch"), building and solving together
 * from arrays in memory unless a section says otherwise.  Ours and the peer take turns, so that noise hits both.
 * docs/benchmarks.md says what the figures mean. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sos/sos.h>

#include "instance.h"
#include "maxflow_peer.h"
#include "measure.h"
#include "plot.h"
#include "report.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* The instances, and what they may take.  The first is the one libmaxflow runs on. */
static const recipe RECIPES[] = {
    { "pair4_400x200_s05", 400, 200, 0.19, 0.5, 1, prior_potts, 5000, 1, 1.0, NAN },
    { "gc_400x200_s05", 400, 200, 0.19, 0.5, 2, prior_square_root, 5000, 1, 1.5, 160 },
    { "rand50_400x200_s05", 400, 200, 0.19, 0.5, 2, prior_random, 6000, 50, 1.5, 160 },
    { "gc_400x200_s08_l12", 400, 200, 0.19, 0.8, 2, prior_square_root, 12000, 1, 6, 160 },
    { "card9_200x100_s05", 200, 100, 0.19, 0.5, 3, prior_count, 2000, 1, 4, 250 },
    { "rand9_200x100_s05", 200, 100, 0.19, 0.5, 3, prior_random, 2250, 50, 4, 250 },
    { "hard9_200x100", 200, 100, 0.08, 1.0, 3, prior_hard, 2000, 1, 12, 250 },
    { "purenoise_400x200_l020", 400, 200, NOISE_ONLY, 0.3, 2, prior_square_root, 2000, 1, NAN, 160 },
    { "easy_400x200_s02", 400, 200, 0.19, 0.2, 2, prior_square_root, 1000, 1, NAN, 160 },
};

enum { PAIR4, GC, RAND50, GC_L12, CARD9, RAND9, HARD9, PURENOISE, EASY, RECIPES_END };

typedef struct bench {
    report report;
    bool quick;
    bool failed;                     /* an answer was wrong */
    const char *plot;                /* where the plot goes, or NULL */
    instance instances[RECIPES_END]; /* of RECIPES, got when first asked for */
} bench;

static instance *instance_number(bench *b, size_t number)
{
    instance *p = &b->instances[number];
    if (!p->name) *p = instance_get(&RECIPES[number]);
    return p;
}

/* One run of ours: an energy from arrays to labels, and everything freed again. */

typedef struct outcome {
    double seconds;
    double bytes; /* of the energy and the minimizer */
    sos_minimize_result result;
} outcome;

static outcome solve(const instance *p, const sos_minimize_settings *settings)
{
    outcome o;
    sos_error error;
    uint8_t *labels = room(p->n, 1);
    const double start = seconds_computed();
    sos_energy *e = instance_build(p);
    must(sos_minimize(e, settings, labels, &o.result, &error), &error);
    o.bytes = (double)(sos_energy_bytes(e) + o.result.bytes);
    sos_energy_free(e);
    o.seconds = seconds_computed() - start;
    free(labels);
    return o;
}

/* Is the answer proven, and the one that is known? */
static const char *verdict(bench *b, const instance *p, const sos_minimize_result *r)
{
    const bool proven = r->energy == r->lower_bound && r->rounding == 0;
    if (proven && r->energy == p->optimum) return "optimum";
    if (proven && isnan(p->optimum)) return "proven";
    b->failed = true;
    return "WRONG";
}

/* The peer, on an instance of pairs. */

typedef struct peer {
    maxflow_problem problem;
    int *cost0, *cost1, *ends;
} peer;

static int *integers(size_t count, const double x[])
{
    int *out = room(count, sizeof *out);
    for (size_t i = 0; i < count; i++) out[i] = (int)x[i];
    return out;
}

static peer peer_of(const instance *pairs)
{
    peer p = { .cost0 = integers(pairs->n, pairs->cost0), .cost1 = integers(pairs->n, pairs->cost1) };
    p.ends = room(2 * pairs->cliques, sizeof *p.ends);
    for (size_t i = 0; i < 2 * pairs->cliques; i++) p.ends[i] = (int)pairs->variables[i];
    p.problem = (maxflow_problem){ (int)pairs->n, (int)pairs->cliques, p.cost0,         p.cost1,
                                   p.ends,        (int)pairs->f[1],    (int)pairs->f[2] };
    return p;
}

static void peer_free(peer *p)
{
    free(p->cost0);
    free(p->cost1);
    free(p->ends);
}

static double peer_seconds(const peer *p, double *flow)
{
    const double start = seconds_computed();
    *flow = (double)maxflow_peer_solve(&p->problem);
    return seconds_computed() - start;
}

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

/* Section "bars": every instance against what it may take. */

static const char *within(double ratio, double bar, double bytes, double bytes_bar)
{
    if (isnan(bar) && isnan(bytes_bar)) return "-";
    return ratio > bar || bytes > bytes_bar ? "over" : "ok";
}

static void bars_row(bench *b, size_t number, const peer *against)
{
    const recipe *limits = &RECIPES[number];
    instance *p = instance_number(b, number);
    const race r = race_run(p, against, b->quick ? 5 : 31);
    if (number == PAIR4 && isnan(p->optimum)) p->optimum = r.flow;
    const double ratio = r.ours / r.theirs, pixel = r.last.bytes / (double)p->n;
    report_row(&b->report, (cell[]){ { .text = p->name },
                                     { .text = p->source },
                                     { .number = 1e3 * r.ours },
                                     { .number = 1e3 * r.theirs },
                                     { .number = ratio },
                                     { .number = r.least_ratio },
                                     { .number = limits->bar },
                                     { .number = pixel },
                                     { .number = limits->bytes_bar },
                                     { .text = verdict(b, p, &r.last.result) },
                                     { .text = within(ratio, limits->bar, pixel, limits->bytes_bar) },
                                     { .number = 100 * (double)r.last.result.fixed / (double)p->n },
                                     { .number = r.last.result.bits } });
}

static void bars(bench *b)
{
    static const column COLUMNS[] = {
        { "instance", "instance", 22, COLUMN_TEXT },
        { "source", "source", 9, COLUMN_TEXT },
        { "ms", "ms", 7, 2 },
        { "libmaxflow_ms", "libmaxflow", 10, 2 },
        { "ratio", "ratio", 6, 2 },
        { "least_ratio", "fastest", 7, 2 },
        { "bar", "bar", 5, 1 },
        { "bytes_per_pixel", "bytes/pixel", 11, 1 },
        { "bytes_bar", "bar", 5, 0 },
        { "answer", "answer", 7, COLUMN_TEXT },
        { "within", "within", 6, COLUMN_TEXT },
        { "fixed", "fixed %", 7, 1 },
        { "bits", "bits", 4, 0 },
    };
    peer against = peer_of(instance_number(b, PAIR4));
    report_table(&b->report, "bars", "Against libmaxflow on pair4_400x200_s05 (ms; ratio of medians)", LENGTH(COLUMNS),
                 COLUMNS);
    for (size_t i = 0; i < RECIPES_END; i++) bars_row(b, i, &against);
    report_table_end(&b->report);
    peer_free(&against);
}

/* Section "growth": the same kind of image, larger and larger. */

typedef struct image_size {
    const char *name;
    size_t width, height, runs;
} image_size;

static const image_size SIZES[] = {
    { "400x200", 400, 200, 21 }, { "800x400", 800, 400, 9 }, { "1600x800", 1600, 800, 7 }, { "3200x1600", 3200, 1600, 5 }
};

static recipe resized(const recipe *r, const image_size *size)
{
    recipe out = *r;
    out.width = size->width;
    out.height = size->height;
    return out;
}

typedef struct kind {
    const char *name;
    size_t recipe, sizes; /* the first so many of SIZES; no more than those of the kind before */
} kind;

static const kind KINDS[] = { { "pairs", PAIR4, 4 }, { "2x2", GC, 4 }, { "3x3 count", CARD9, 3 }, { "3x3 hard", HARD9, 3 } };

static void curve_add(curve *c, double x, double y)
{
    c->x[c->count] = x;
    c->y[c->count++] = y;
}

/* All kinds of one size, and the peer, in turns. */
typedef struct contest {
    size_t kinds;
    instance instances[LENGTH(KINDS)]; /* the first is the peer's too */
    outcome last[LENGTH(KINDS)];
    series ours[LENGTH(KINDS)], theirs;
} contest;

static void contest_make(contest *c, const image_size *size)
{
    *c = (contest){ 0 };
    for (; c->kinds < LENGTH(KINDS) && size < SIZES + KINDS[c->kinds].sizes; c->kinds++) {
        const recipe wanted = resized(&RECIPES[KINDS[c->kinds].recipe], size);
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

static void growth(bench *b)
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
    curve curves[LENGTH(KINDS) + 1] = { [LENGTH(KINDS)] = { .name = "libmaxflow, pairs" } };
    for (size_t i = 0; i < LENGTH(KINDS); i++) curves[i].name = KINDS[i].name;
    report_table(&b->report, "growth", "Growth with the image, generated drawings (ms)", LENGTH(COLUMNS), COLUMNS);
    for (size_t s = 0; s < (b->quick ? 2 : LENGTH(SIZES)); s++) growth_of_size(b, &SIZES[s], curves, &curves[LENGTH(KINDS)]);
    report_table_end(&b->report);
    const size_t count = LENGTH(KINDS) + maxflow_peer_exists();
    growth_exponents(b, count, curves);
    if (!b->plot) return;
    plot_write(&(plot){ "Time by size of the image", "pixels", "milliseconds, building and solving", count, curves }, b->plot);
    printf("\nPlot: %s\n", b->plot);
}

/* Section "warm": solving again after a change. */

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

static void warm_starts(bench *b)
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
    for (size_t i = 0; i < (b->quick ? 1 : LENGTH(WHICH)); i++) warm_instance(b, instance_number(b, WHICH[i]));
    report_table_end(&b->report);
}

/* Sections "reduce" and "solvers": one setting against another, in turns. */

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

/* On the first so many recipes. */
static void duels(bench *b, const sos_minimize_settings settings[2], size_t count, size_t runs)
{
    for (size_t i = 0; i < count; i++) {
        const instance *p = instance_number(b, i);
        duel d;
        duel_run(p, settings, runs, &d);
        duel_row(b, p, &d);
    }
    report_table_end(&b->report);
}

static void reduction(bench *b)
{
    static const column COLUMNS[] = {
        { "instance", "instance", 22, COLUMN_TEXT }, { "on_ms", "reduced", 7, 2 }, { "off_ms", "not", 7, 2 },
        { "ratio", "not/reduced", 11, 2 },           { "fixed", "fixed %", 7, 1 }, { "answer", "answer", 7, COLUMN_TEXT },
    };
    sos_minimize_settings settings[2] = { sos_minimize_defaults(), sos_minimize_defaults() };
    settings[1].reduce = false;
    report_table(&b->report, "reduce", "With and without deciding variables before the flow (ms)", LENGTH(COLUMNS), COLUMNS);
    duels(b, settings, RECIPES_END, b->quick ? 2 : 11);
}

static void solvers(bench *b)
{
    static const column COLUMNS[] = {
        { "instance", "instance", 22, COLUMN_TEXT }, { "ibfs_ms", "ibfs", 7, 2 },  { "augment_ms", "augment", 8, 2 },
        { "ratio", "augment/ibfs", 12, 1 },          { "fixed", "fixed %", 7, 1 }, { "answer", "answer", 7, COLUMN_TEXT },
    };
    sos_minimize_settings settings[2] = { sos_minimize_defaults(), sos_minimize_defaults() };
    settings[1].solver = SOS_SOLVER_AUGMENT;
    report_table(&b->report, "solvers", "Both solvers (ms)", LENGTH(COLUMNS), COLUMNS);
    duels(b, settings, b->quick ? GC_L12 : RECIPES_END, b->quick ? 1 : 3);
}

/* Section "batch": eight images at once. */

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
    const double start = seconds_passed();
    must(sos_minimize_batch(BATCH, (const sos_energy *const *)all->energies, NULL, threads, all->labels, NULL, &error), &error);
    return seconds_passed() - start;
}

static void batches(bench *b)
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

/* Section "memory": what is reported held, and by how much the process grew. */

static void memory(bench *b)
{
    static const column COLUMNS[] = {
        { "kind", "kind", 9, COLUMN_TEXT },
        { "energy", "energy", 6, 1 },
        { "minimizer", "minimizer", 9, 1 },
        { "sum", "sum", 6, 1 },
        { "bar", "bar", 4, 0 },
        { "resident", "process grew by", 15, 1 },
        { "within", "within", 6, COLUMN_TEXT },
    };
    const image_size *size = &SIZES[b->quick ? 1 : 2];
    char title[128];
    snprintf(title, sizeof title, "Memory, bytes per pixel at %s", size->name);
    report_table(&b->report, "memory", title, LENGTH(COLUMNS), COLUMNS);
    for (size_t i = 0; i < LENGTH(KINDS); i++) {
        const recipe wanted = resized(&RECIPES[KINDS[i].recipe], size);
        instance p = instance_generate(&wanted, 1);
        memory_settle();
        const double pixels = (double)p.n, before = memory_resident();
        const outcome o = solve(&p, NULL);
        const double grew = memory_peak() - before, held = (double)o.result.bytes;
        report_row(&b->report, (cell[]){ { .text = KINDS[i].name },
                                         { .number = (o.bytes - held) / pixels },
                                         { .number = held / pixels },
                                         { .number = o.bytes / pixels },
                                         { .number = wanted.bytes_bar },
                                         { .number = grew / pixels },
                                         { .text = within(NAN, NAN, o.bytes / pixels, wanted.bytes_bar) } });
        instance_free(&p);
    }
    report_table_end(&b->report);
}

/* The program. */

static const struct {
    const char *name;
    void (*run)(bench *b);
} SECTIONS[] = { { "bars", bars },       { "growth", growth }, { "warm", warm_starts }, { "reduce", reduction },
                 { "solvers", solvers }, { "batch", batches }, { "memory", memory } };

static int usage(void)
{
    fprintf(stderr, "usage: minimize [--quick] [--only SECTION] [--json FILE] [--plot FILE.svg]\nsections:");
    for (size_t i = 0; i < LENGTH(SECTIONS); i++) fprintf(stderr, " %s", SECTIONS[i].name);
    fprintf(stderr, "\n$SOS_SHARED_DIR/instances holds the instances; they are generated where it does not\n");
    return 2;
}

static bool is_section(const char *name)
{
    for (size_t i = 0; i < LENGTH(SECTIONS); i++)
        if (!strcmp(name, SECTIONS[i].name)) return true;
    return false;
}

/* The processor's name as Linux tells it. */
static void processor(char name[], size_t size)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(name, size, "an unknown processor");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) || !colon) continue;
        snprintf(name, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        break;
    }
    if (file) fclose(file);
}

static void introduce(bench *b, const char *json)
{
    char cpu[128], about[512], date[32];
    const time_t now = time(NULL);
    const char *peer_name = maxflow_peer_exists() ? "libmaxflow" : "none";
    processor(cpu, sizeof cpu);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    snprintf(about, sizeof about,
             "\"date\": \"%s\", \"processor\": \"%s\", \"version\": \"%s\", \"peer\": \"%s\", \"quick\": %s", date, cpu,
             sos_version(), peer_name, b->quick ? "true" : "false");
    printf("libsos %s on %s, %s\n", sos_version(), cpu, date);
    if (!maxflow_peer_exists()) printf("libmaxflow was not there when this was built: times only, no ratios\n");
    report_open(&b->report, json, about);
}

int main(int argc, char *argv[])
{
    bench b = { 0 };
    const char *json = NULL, *only = NULL;
    for (int i = 1; i < argc; i++) {
        const bool more = i + 1 < argc;
        if (!strcmp(argv[i], "--quick"))
            b.quick = true;
        else if (!strcmp(argv[i], "--json") && more)
            json = argv[++i];
        else if (!strcmp(argv[i], "--plot") && more)
            b.plot = argv[++i];
        else if (!strcmp(argv[i], "--only") && more && is_section(argv[i + 1]))
            only = argv[++i];
        else
            return usage();
    }
    introduce(&b, json);
    for (size_t i = 0; i < LENGTH(SECTIONS); i++)
        if (!only || !strcmp(only, SECTIONS[i].name)) SECTIONS[i].run(&b);
    report_close(&b.report);
    for (size_t i = 0; i < RECIPES_END; i++) instance_free(&b.instances[i]);
    if (b.failed) fprintf(stderr, "minimize: an answer was wrong\n");
    return b.failed;
}
