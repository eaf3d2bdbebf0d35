/* counts.c - cliques of many members whose cost is a strictly concave function of the count: with few knots chosen as needed,
 * and with all of them in the network, in turns. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The function is 600 per member at its highest, in the shape of a root, sqrt(x (1 - x)), or a parabola, 4 x (1 - x) / 2. */
typedef enum shape { ROOT, PARABOLA } shape;

static double height(shape s, double x) { return 300 * (s == ROOT ? 2 * sqrt(x * (1 - x)) : 4 * x * (1 - x)); }

/* k + 1 whole costs, concave. */
static double *counts_make(shape s, size_t k)
{
    double *g = room(k + 1, sizeof *g), last = INFINITY;
    g[0] = 0;
    for (size_t m = 1; m <= k; m++) {
        const double members = (double)k, before = height(s, (double)(m - 1) / members), now = height(s, (double)m / members);
        last = fmin(last, rint(members * (now - before)));
        g[m] = g[m - 1] + last;
    }
    return g;
}

/* Adds a clique; with a knot halfway between the last two counts, where the slope does not change, no knots are chosen. */
static void counts_add(sos_energy *e, size_t k, const uint32_t variables[], const double g[], bool all)
{
    sos_error error;
    if (!all) {
        must(sos_energy_add_concave(e, k, variables, g, 1, &error), &error);
        return;
    }
    double *place = room(k + 2, sizeof *place), *value = room(k + 2, sizeof *value);
    for (size_t m = 0; m <= k; m++) {
        place[m] = (double)m;
        value[m] = g[m];
    }
    place[k] = (double)k - 0.5;
    value[k] = (g[k - 1] + g[k]) / 2;
    place[k + 1] = (double)k;
    value[k + 1] = g[k];
    must(sos_energy_add_pieces(e, k, variables, NULL, k + 2, place, value, 1, &error), &error);
    free(place);
    free(value);
}

typedef struct counts_case {
    const char *name;
    shape shape;
    size_t side, block; /* a grid of pairs in blocks; side 0: one clique of block members */
    double spread;      /* unaries lie between its negative and it; 1200 and a parabola nearly cancel */
    bool all;           /* run with all knots too */
    bool long_one;      /* not in a quick run */
} counts_case;

static sos_energy *one_clique(const counts_case *c, bool all)
{
    sos_energy *e;
    sos_error error;
    const size_t k = c->block;
    sos_random r = sos_random_seeded(1);
    uint32_t *variables = room(k, sizeof *variables);
    must(sos_energy_create(k, &e, &error), &error);
    for (size_t i = 0; i < k; i++) {
        variables[i] = (uint32_t)i;
        const double cost = rint(c->spread * ((double)sos_random_below(&r, 20001) * 1e-4 - 1));
        must(sos_energy_set_unary(e, i, 0, cost, &error), &error);
    }
    double *g = counts_make(c->shape, k);
    counts_add(e, k, variables, g, all);
    free(g);
    free(variables);
    return e;
}

/* Squares of 40 pixels in noise, pairs, and a clique over every block. */
static sos_energy *grid(const counts_case *c, bool all)
{
    static const double POTTS[] = { 0, 600, 600, 0 };
    sos_energy *e;
    sos_error error;
    const size_t side = c->side, block = c->block;
    sos_random r = sos_random_seeded(1);
    uint32_t table, *variables = room(block * block, sizeof *variables);
    must(sos_energy_create(side * side, &e, &error), &error);
    must(sos_energy_add_table(e, 2, POTTS, &table, &error), &error);
    must(sos_energy_add_patches(e, table, side, side, 2, 1, NULL, &error), &error);
    must(sos_energy_add_patches(e, table, side, side, 1, 2, NULL, &error), &error);
    for (size_t i = 0; i < side * side; i++) {
        const double square = (i % side / 40 + i / side / 40) % 2 ? 600 : -600;
        const double cost = square + rint(c->spread * ((double)sos_random_below(&r, 20001) * 1e-4 - 1));
        must(sos_energy_set_unary(e, i, 0, cost, &error), &error);
    }
    double *g = counts_make(c->shape, block * block);
    for (size_t y = 0; y + block <= side; y += block)
        for (size_t x = 0; x + block <= side; x += block) {
            for (size_t i = 0; i < block * block; i++) variables[i] = (uint32_t)((y + i / block) * side + x + i % block);
            counts_add(e, block * block, variables, g, all);
        }
    free(g);
    free(variables);
    return e;
}

typedef struct counts_outcome {
    series times;
    sos_minimize_result result;
    uint8_t *labels;
} counts_outcome;

static void counts_run(const sos_energy *e, counts_outcome *o)
{
    sos_error error;
    const double began = seconds_computed();
    must(sos_minimize(e, NULL, o->labels, &o->result, &error), &error);
    series_add(&o->times, seconds_computed() - began);
}

static void counts_row(bench *b, const counts_case *c, size_t n, const counts_outcome o[2])
{
    const sos_minimize_result *few = &o[0].result, *all = &o[1].result;
    bool right = few->energy == few->lower_bound && few->rounding == 0;
    if (c->all) right &= few->energy == all->energy && !memcmp(o[0].labels, o[1].labels, n);
    b->failed = b->failed || !right;
    const double seconds = series_median(&o[0].times), slow = c->all ? series_median(&o[1].times) : NAN;
    const double bytes = c->all ? (double)all->bytes : NAN;
    report_row(&b->report, (cell[]){ { .text = c->name },
                                     { .number = (double)n },
                                     { .number = 1e3 * seconds },
                                     { .number = (double)few->bytes / 1e6 },
                                     { .number = 1e3 * slow },
                                     { .number = bytes / 1e6 },
                                     { .number = slow / seconds },
                                     { .number = bytes / (double)few->bytes },
                                     { .text = right ? c->all ? "same" : "proven" : "WRONG" } });
}

/* Seconds with chosen knots. */
static double counts_measure(bench *b, const counts_case *c)
{
    const size_t n = c->side ? c->side * c->side : c->block;
    counts_outcome o[2] = { { .labels = room(n, 1) }, { .labels = room(n, 1) } };
    sos_energy *e[2] = { c->side ? grid(c, false) : one_clique(c, false), NULL };
    if (c->all) e[1] = c->side ? grid(c, true) : one_clique(c, true);
    for (size_t run = 0; run < (b->quick ? 1 : 3); run++) {
        counts_run(e[0], &o[0]);
        if (e[1]) counts_run(e[1], &o[1]);
    }
    counts_row(b, c, n, o);
    for (size_t i = 0; i < 2; i++) {
        sos_energy_free(e[i]);
        free(o[i].labels);
    }
    return series_median(&o[0].times);
}

static const counts_case CASES[] = {
    { "root, one clique", ROOT, 0, 1000, 2000, true, false },
    { "root, one clique", ROOT, 0, 3000, 2000, true, true },
    { "root, one clique", ROOT, 0, 10000, 2000, false, false },
    { "root, one clique", ROOT, 0, 30000, 2000, false, true },
    { "root, one clique", ROOT, 0, 100000, 2000, false, true },
    { "parabola, one clique", PARABOLA, 0, 1000, 2000, true, false },
    { "parabola, one clique", PARABOLA, 0, 3000, 2000, true, true },
    { "parabola, one clique", PARABOLA, 0, 10000, 2000, false, false },
    { "parabola, one clique", PARABOLA, 0, 30000, 2000, false, true },
    { "parabola, one clique", PARABOLA, 0, 100000, 2000, false, true },
    { "parabola, nearly flat sum", PARABOLA, 0, 1000, 1200, true, false },
    { "parabola, nearly flat sum", PARABOLA, 0, 3000, 1200, false, true },
    { "parabola, nearly flat sum", PARABOLA, 0, 10000, 1200, false, true },
    { "root, blocks of 16x16", ROOT, 128, 16, 2000, true, false },
    { "root, blocks of 16x16", ROOT, 256, 16, 2000, false, true },
    { "root, blocks of 16x16", ROOT, 512, 16, 2000, false, true },
    { "parabola, blocks of 16x16", PARABOLA, 128, 16, 2000, true, false },
    { "parabola, blocks of 16x16", PARABOLA, 256, 16, 2000, false, true },
    { "parabola, blocks of 16x16", PARABOLA, 512, 16, 2000, false, true },
};

static void counts_growth(bench *b, const double seconds[])
{
    static const column COLUMNS[] = { { "kind", "kind", 26, COLUMN_TEXT },
                                      { "exponent", "time grows as variables to the", 30, 3 } };
    report_table(&b->report, "counts_growth", "Functions of the count: exponent of the fit", LENGTH(COLUMNS), COLUMNS);
    for (size_t i = 0; i < LENGTH(CASES);) {
        double x[LENGTH(CASES)], y[LENGTH(CASES)];
        size_t count = 0;
        const char *name = CASES[i].name;
        for (; i < LENGTH(CASES) && !strcmp(CASES[i].name, name); i++) {
            if (isnan(seconds[i])) continue;
            x[count] = (double)(CASES[i].side ? CASES[i].side * CASES[i].side : CASES[i].block);
            y[count++] = seconds[i];
        }
        if (count > 1) report_row(&b->report, (cell[]){ { .text = name }, { .number = growth_exponent(count, x, y) } });
    }
    report_table_end(&b->report);
}

void section_counts(bench *b)
{
    static const column COLUMNS[] = {
        { "kind", "kind", 26, COLUMN_TEXT }, { "variables", "variables", 9, 0 }, { "ms", "ms", 9, 2 },
        { "megabytes", "MB", 6, 1 },         { "all_ms", "all knots", 9, 1 },    { "all_megabytes", "MB", 6, 1 },
        { "faster", "faster", 7, 1 },        { "smaller", "smaller", 7, 1 },     { "answer", "answer", 7, COLUMN_TEXT },
    };
    double seconds[LENGTH(CASES)];
    report_table(&b->report, "counts", "Strictly concave functions of the count (ms, solving only)", LENGTH(COLUMNS), COLUMNS);
    for (size_t i = 0; i < LENGTH(CASES); i++) seconds[i] = b->quick && CASES[i].long_one ? NAN : counts_measure(b, &CASES[i]);
    report_table_end(&b->report);
    counts_growth(b, seconds);
}
