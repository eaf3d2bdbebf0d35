/* test_hinge.c - the structured hinge loss is the maximum over all labellings tried, its subgradients lie below it, and it is
 * the same on every number of threads, warm or cold. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 9, ITEMS = 7 };

/* One example: a problem with unaries (cost1 - cost0), true labels, losses, and room for what is asked. */
typedef struct example {
    problem p;
    double unary[N], loss[N];
    uint8_t truth[N], labels[N];
    double *tables, *weights; /* as the library numbers them */
    double to_unary[N], *to_tables, *to_weights;
    size_t entries;
} example;

/* The library numbers cliques by size, then in the order added. */
static void weights_of(const problem *p, double weights[])
{
    size_t count = 0;
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX; k++)
        for (size_t c = 0; c < p->clique_count; c++)
            if (p->tables[p->cliques[c].table].k == k) weights[count++] = p->cliques[c].weight;
}

static void tables_of(const problem *p, double entries[])
{
    size_t count = 0;
    for (size_t t = 0; t < p->table_count; t++)
        for (size_t S = 0; S < (size_t)1 << p->tables[t].k; S++) entries[count++] = p->tables[t].f[S];
}

static void item_random(sos_random *r, example *x, costs kind)
{
    for (size_t i = 0; i < x->p.n; i++) {
        x->unary[i] = cost_signed(r, kind);
        x->p.cost0[i] = 0;
        x->p.cost1[i] = x->unary[i];
        x->truth[i] = (uint8_t)(x->p.fixed[i] == SOS_FREE ? sos_random_below(r, 2) : x->p.fixed[i]);
        x->loss[i] = sos_random_below(r, 4) ? cost_random(r, kind) : 0;
    }
    tables_of(&x->p, x->tables);
    weights_of(&x->p, x->weights);
}

static example example_random(sos_random *r, costs kind)
{
    const recipe wanted = { kind, N, 8, 4, 2, true, true };
    example x = { .p = problem_random(r, &wanted) };
    x.p.constant = 0;
    for (size_t t = 0; t < x.p.table_count; t++) x.entries += (size_t)1 << x.p.tables[t].k;
    x.tables = test_room(NULL, x.entries + 1, sizeof *x.tables);
    x.to_tables = test_room(NULL, x.entries + 1, sizeof *x.tables);
    x.weights = test_room(NULL, x.p.clique_count + 1, sizeof *x.weights);
    x.to_weights = test_room(NULL, x.p.clique_count + 1, sizeof *x.weights);
    item_random(r, &x, kind);
    return x;
}

static void example_free(example *x)
{
    problem_free(&x->p);
    free(x->tables);
    free(x->to_tables);
    free(x->weights);
    free(x->to_weights);
}

static sos_hinge_item item_of(example *x)
{
    return (sos_hinge_item){ .unary = x->unary,
                             .truth = x->truth,
                             .loss = x->loss,
                             .tables = x->tables,
                             .weights = x->weights,
                             .labels = x->labels,
                             .to_unary = x->to_unary,
                             .to_tables = x->to_tables,
                             .to_weights = x->to_weights };
}

/* ---- the oracle ---- */

static long double margin(const example *x, const uint8_t y[])
{
    long double loss = 0;
    for (size_t i = 0; i < x->p.n; i++) loss += y[i] != x->truth[i] ? x->loss[i] : 0;
    return loss + problem_value(&x->p, x->truth) - problem_value(&x->p, y);
}

/* The maximum over all labellings that keep the fixed labels. */
static long double hinge_exhaustively(const example *x)
{
    long double most = -INFINITY;
    for (uint32_t S = 0; S < UINT32_C(1) << x->p.n; S++) {
        uint8_t y[N];
        bool keeps = true;
        for (size_t i = 0; i < x->p.n; i++) {
            y[i] = S >> i & 1;
            keeps &= x->p.fixed[i] == SOS_FREE || x->p.fixed[i] == y[i];
        }
        if (keeps) most = fmaxl(most, margin(x, y));
    }
    return most;
}

static double room_for_rounding(const example *x) { return 1e-12 * (double)(problem_magnitude(&x->p) + 1); }

static sos_hinge *hinge_of(const problem *p)
{
    sos_energy *e = problem_build(p);
    sos_hinge *h;
    sos_error error;
    check_ok(sos_hinge_create(e, &h, &error), error);
    sos_energy_free(e); /* it was copied */
    return h;
}

static sos_hinge_item run_one(sos_hinge *h, example *x)
{
    sos_hinge_item item = item_of(x);
    sos_error error;
    check_ok(sos_hinge_run(h, 1, &item, NULL, &error), error);
    return item;
}

static void check_attained(const example *x, const sos_hinge_item *item)
{
    const double room = room_for_rounding(x);
    const long double most = hinge_exhaustively(x);
    check(item->value >= 0 && item->gap >= 0);
    check(item->value <= most + room && most <= item->value + item->gap + room);
    check(fabsl(margin(x, x->labels) - item->value) <= room);
    for (size_t i = 0; i < x->p.n; i++) check(x->p.fixed[i] == SOS_FREE || x->labels[i] == x->p.fixed[i]);
}

static const costs KINDS[] = { COSTS_SMALL, COSTS_INTEGERS, COSTS_DYADIC, COSTS_REALS };

static void the_value_is_the_maximum_over_all_labellings(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(600); c++) {
        sos_random r = test_case_begin(c);
        example x = example_random(&r, KINDS[c % 4]);
        sos_hinge *h = hinge_of(&x.p);
        const sos_hinge_item item = run_one(h, &x);
        check_attained(&x, &item);
        if (KINDS[c % 4] != COSTS_REALS) check(item.value == (double)hinge_exhaustively(&x));
        sos_hinge_free(h);
        example_free(&x);
    }
}

/* Moves the costs: tables stay submodular where another submodular one is added. */
static void move_costs(sos_random *r, example *x)
{
    for (size_t i = 0; i < x->p.n; i++) {
        x->unary[i] += cost_signed(r, COSTS_REALS);
        x->p.cost1[i] = x->unary[i];
    }
    for (size_t t = 0; t < x->p.table_count; t++) {
        double f[1 << 4];
        table_random(r, x->p.tables[t].k, COSTS_REALS, f);
        for (size_t S = 0; S < (size_t)1 << x->p.tables[t].k; S++) x->p.tables[t].f[S] += f[S];
    }
    tables_of(&x->p, x->tables);
}

static void move_weights(sos_random *r, example *x)
{
    for (size_t c = 0; c < x->p.clique_count; c++) x->p.cliques[c].weight = 2 * sos_random_uniform(r);
    weights_of(&x->p, x->weights);
}

static double along(size_t count, const double gradient[], const double to[], const double from[])
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += gradient[i] * (to[i] - from[i]);
    return sum;
}

/* L(v) >= L(u) + g (v - u) for all costs v: what a subgradient is.  L is convex in unaries and tables at given weights, and in
 * the weights at given tables. */
static void subgradients_lie_below(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(400); c++) {
        sos_random r = test_case_begin(c);
        example x = example_random(&r, KINDS[c % 4]);
        sos_hinge *h = hinge_of(&x.p);
        const sos_hinge_item item = run_one(h, &x);
        double unary[N], *tables = test_room(NULL, x.entries + 1, sizeof *tables);
        double *weights = test_room(NULL, x.p.clique_count + 1, sizeof *weights);
        memcpy(unary, x.unary, sizeof unary);
        memcpy(tables, x.tables, x.entries * sizeof *tables);
        memcpy(weights, x.weights, x.p.clique_count * sizeof *weights);
        double below = item.value;
        if (c & 4) {
            move_costs(&r, &x);
            below += along(x.p.n, x.to_unary, x.unary, unary) + along(x.entries, x.to_tables, x.tables, tables);
        } else {
            move_weights(&r, &x);
            below += along(x.p.clique_count, x.to_weights, x.weights, weights);
        }
        check(hinge_exhaustively(&x) >= below - room_for_rounding(&x));
        const sos_hinge_item moved = run_one(h, &x);
        check_attained(&x, &moved);
        free(tables);
        free(weights);
        sos_hinge_free(h);
        example_free(&x);
    }
}

/* Where the truth beats every other labelling by its loss, nothing is left to learn. */
static void a_truth_with_a_margin_has_no_loss(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(200); c++) {
        sos_random r = test_case_begin(c);
        example x = example_random(&r, KINDS[c % 4]);
        const double strong = 4 * (double)problem_magnitude(&x.p) + 4;
        for (size_t i = 0; i < x.p.n; i++) x.p.cost1[i] = x.unary[i] = x.truth[i] ? -strong : strong;
        for (size_t i = 0; i < x.p.n; i++) x.loss[i] = 1;
        sos_hinge *h = hinge_of(&x.p);
        const sos_hinge_item item = run_one(h, &x);
        check(item.value == 0 && !memcmp(x.labels, x.truth, x.p.n));
        for (size_t i = 0; i < x.p.n; i++) check(x.to_unary[i] == 0);
        for (size_t i = 0; i < x.entries; i++) check(x.to_tables[i] == 0);
        for (size_t i = 0; i < x.p.clique_count; i++) check(x.to_weights[i] == 0);
        sos_hinge_free(h);
        example_free(&x);
    }
}

/* Ties are broken for the truth: all costs 0, no loss. */
static void where_labels_are_as_good_the_truth_is_taken(void **state)
{
    (void)state;
    example x = { .p = problem_create(4), .truth = { 1, 0, 1, 1 } };
    sos_hinge *h = hinge_of(&x.p);
    sos_hinge_item item = { .unary = x.unary, .truth = x.truth, .loss = x.loss, .labels = x.labels };
    sos_error error;
    check_ok(sos_hinge_run(h, 1, &item, NULL, &error), error);
    check(item.value == 0 && !memcmp(x.labels, x.truth, 4));
    item.loss = NULL; /* 1 each */
    check_ok(sos_hinge_run(h, 1, &item, NULL, &error), error);
    check(item.value == 4 && x.labels[0] == 0 && x.labels[1] == 1);
    sos_hinge_free(h);
    problem_free(&x.p);
}

/* Without a truth: the least energy, and its supergradients. */
static void without_a_truth_it_is_the_least_energy(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(200); c++) {
        sos_random r = test_case_begin(c);
        example x = example_random(&r, KINDS[c % 4]);
        sos_hinge *h = hinge_of(&x.p);
        sos_hinge_item item = item_of(&x);
        sos_error error;
        item.truth = NULL;
        check_ok(sos_hinge_run(h, 1, &item, NULL, &error), error);
        const oracle o = problem_solve_exhaustively(&x.p);
        check(fabsl(item.value - o.minimum) <= room_for_rounding(&x));
        check(fabsl(problem_value(&x.p, x.labels) - o.minimum) <= room_for_rounding(&x) + item.gap);
        double sum =
            0; /* E is linear in tables and unaries, and so the sum of its gradients times these, but for concave parts */
        for (size_t i = 0; i < x.p.n; i++) sum += x.to_unary[i] * x.unary[i];
        for (size_t i = 0; i < x.entries; i++) sum += x.to_tables[i] * x.tables[i];
        if (!x.p.concave_count) check(fabs(sum - item.value) <= room_for_rounding(&x));
        sos_hinge_free(h);
        example_free(&x);
    }
}

/* ---- many at once ---- */

/* Examples of one structure. */
static void examples_alike(sos_random *r, example x[], costs kind)
{
    x[0] = example_random(r, kind);
    for (size_t i = 1; i < ITEMS; i++) {
        x[i] = x[0];
        x[i].p = problem_create(x[0].p.n);
        for (size_t t = 0; t < x[0].p.table_count; t++) problem_add_table(&x[i].p, x[0].p.tables[t].k, x[0].p.tables[t].f);
        for (size_t c = 0; c < x[0].p.clique_count; c++)
            problem_add_clique(&x[i].p, x[0].p.cliques[c].table, x[0].p.cliques[c].variables, x[0].p.cliques[c].weight);
        for (size_t c = 0; c < x[0].p.concave_count; c++)
            problem_add_concave(&x[i].p, x[0].p.concaves[c].k, x[0].p.concaves[c].variables, x[0].p.concaves[c].g,
                                x[0].p.concaves[c].weight);
        memcpy(x[i].p.fixed, x[0].p.fixed, x[0].p.n);
        x[i].tables = test_room(NULL, x[0].entries + 1, sizeof *x[i].tables);
        x[i].to_tables = test_room(NULL, x[0].entries + 1, sizeof *x[i].tables);
        x[i].weights = test_room(NULL, x[0].p.clique_count + 1, sizeof *x[i].weights);
        x[i].to_weights = test_room(NULL, x[0].p.clique_count + 1, sizeof *x[i].weights);
        item_random(r, &x[i], kind);
    }
}

static void items_run(sos_hinge *h, example x[], sos_hinge_item items[], int threads, bool keep)
{
    sos_hinge_settings s = sos_hinge_defaults();
    sos_error error;
    s.work.threads = threads;
    for (size_t i = 0; i < ITEMS; i++) {
        items[i] = item_of(&x[i]);
        items[i].keep = keep ? i + 1 : 0;
        memset(x[i].labels, 9, x[i].p.n);
    }
    check_ok(sos_hinge_run(h, ITEMS, items, &s, &error), error);
}

static void check_same_items(const sos_hinge_item a[], const sos_hinge_item b[], size_t n, size_t entries, size_t cliques)
{
    for (size_t i = 0; i < ITEMS; i++) {
        check(a[i].value == b[i].value);
        check(!memcmp(a[i].labels, b[i].labels, n) && !memcmp(a[i].to_unary, b[i].to_unary, n * sizeof(double)));
        check(!memcmp(a[i].to_tables, b[i].to_tables, entries * sizeof(double)));
        check(!memcmp(a[i].to_weights, b[i].to_weights, cliques * sizeof(double)));
    }
}

/* Each alone and cold is what all are together, on any number of threads, kept or not, while costs change. */
static void threads_and_kept_flows_change_no_bit(void **state)
{
    (void)state;
    static const int THREADS[] = { 1, 2, 5, 0 };
    for (uint64_t c = 0; c < test_cases(60); c++) {
        sos_random r = test_case_begin(c);
        example x[ITEMS];
        examples_alike(&r, x, KINDS[c % 4]);
        sos_hinge *kept = hinge_of(&x[0].p), *cold = hinge_of(&x[0].p);
        for (int round = 0; round < 4; round++) {
            sos_hinge_item wanted[ITEMS], items[ITEMS];
            static example copies[ITEMS];
            for (size_t i = 0; i < ITEMS; i++) {
                copies[i] = x[i];
                copies[i].to_tables = test_room(NULL, x[i].entries + 1, sizeof(double));
                copies[i].to_weights = test_room(NULL, x[i].p.clique_count + 1, sizeof(double));
                sos_hinge *alone = hinge_of(&x[i].p);
                wanted[i] = run_one(alone, &copies[i]);
                sos_hinge_free(alone);
            }
            items_run(kept, x, items, THREADS[round], true);
            check_same_items(items, wanted, x[0].p.n, x[0].entries, x[0].p.clique_count);
            items_run(cold, x, items, THREADS[round], false);
            check_same_items(items, wanted, x[0].p.n, x[0].entries, x[0].p.clique_count);
            for (size_t i = 0; i < ITEMS; i++) {
                check(!items[i].warm);
                check_attained(&x[i], &items[i]);
                free(copies[i].to_tables);
                free(copies[i].to_weights);
                if (round & 1)
                    move_costs(&r, &x[i]);
                else
                    move_weights(&r, &x[i]);
            }
        }
        sos_hinge_free(kept);
        sos_hinge_free(cold);
        for (size_t i = 0; i < ITEMS; i++) example_free(&x[i]);
    }
}

/* Costs that are left out are the structure's, also after an item with its own. */
static void what_is_left_out_is_as_in_the_structure(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(100); c++) {
        sos_random r = test_case_begin(c);
        example x = example_random(&r, COSTS_INTEGERS);
        sos_hinge *h = hinge_of(&x.p);
        const double before = run_one(h, &x).value;
        double *tables = test_room(NULL, x.entries + 1, sizeof *tables);
        for (size_t i = 0; i < x.entries; i++) tables[i] = 3 * x.tables[i];
        double *weights = test_room(NULL, x.p.clique_count + 1, sizeof *weights);
        for (size_t i = 0; i < x.p.clique_count; i++) weights[i] = 5;
        sos_hinge_item items[] = { item_of(&x), item_of(&x), item_of(&x) };
        sos_error error;
        sos_hinge_settings s = sos_hinge_defaults();
        s.work.threads = 1;
        items[0].tables = tables;
        items[1].weights = weights;
        items[2].tables = items[2].weights = NULL;
        check_ok(sos_hinge_run(h, 3, items, &s, &error), error);
        check(items[2].value == before);
        float unary32[N];
        for (size_t i = 0; i < x.p.n; i++) unary32[i] = (float)x.unary[i]; /* whole numbers up to 1000: exact */
        items[2].unary = NULL;
        items[2].unary32 = unary32;
        check_ok(sos_hinge_run(h, 1, items + 2, &s, &error), error);
        check(items[2].value == before);
        free(tables);
        free(weights);
        sos_hinge_free(h);
        example_free(&x);
    }
}

/* ---- memory ---- */

/* A grid whose flows count in bytes. */
static sos_hinge *grid_hinge(size_t side)
{
    sos_energy *e;
    sos_hinge *h;
    uint32_t table;
    sos_error error;
    check_ok(sos_energy_create(side * side, &e, &error), error);
    check_ok(sos_energy_add_table(e, 4, (const double[]){ 0, 1, 1, 1, 1, 1, 2, 1, 1, 2, 1, 1, 1, 1, 1, 0 }, &table, &error),
             error);
    check_ok(sos_energy_add_patches(e, table, side, side, 2, 2, NULL, &error), error);
    check_ok(sos_hinge_create(e, &h, &error), error);
    sos_energy_free(e);
    return h;
}

/* Squares in noise, which the loss makes hard to tell. */
static void grid_random(sos_random *r, size_t side, double unary[], uint8_t truth[])
{
    for (size_t v = 0; v < side * side; v++) {
        truth[v] = (v / side / 8 + v % side / 8) & 1;
        unary[v] = (truth[v] ? -1 : 1) + 4 * sos_random_uniform(r) - 2;
    }
}

static void kept_examples_are_warm_and_keep_to_their_memory(void **state)
{
    (void)state;
    enum { SIDE = 24, COUNT = 6 };
    sos_random r = test_case_begin(0);
    static double unary[COUNT][SIDE * SIDE];
    static uint8_t truth[COUNT][SIDE * SIDE];
    sos_hinge_item items[COUNT] = { { 0 } };
    sos_hinge *h = grid_hinge(SIDE);
    sos_error error;
    for (size_t i = 0; i < COUNT; i++) {
        grid_random(&r, SIDE, unary[i], truth[i]);
        items[i] = (sos_hinge_item){ .unary = unary[i], .truth = truth[i], .keep = 2 * i + 1 };
    }
    sos_hinge_settings s = sos_hinge_defaults();
    s.work.threads = 1;
    s.memory = 0; /* all take the one seat, whose memory is then there */
    check_ok(sos_hinge_run(h, COUNT, items, &s, &error), error);
    s.memory = sos_hinge_defaults().memory;
    check_ok(sos_hinge_run(h, COUNT, items, &s, &error), error);
    for (size_t i = 0; i < COUNT; i++) check(!items[i].warm && items[i].value > 0);
    const size_t all = sos_hinge_bytes(h);
    double values[COUNT];
    for (size_t i = 0; i < COUNT; i++) values[i] = items[i].value;
    check_ok(sos_hinge_run(h, COUNT, items, &s, &error), error);
    for (size_t i = 0; i < COUNT; i++) check(items[i].warm && items[i].value == values[i]);
    sos_hinge_forget(h);
    const size_t none = sos_hinge_bytes(h), one = (all - none) / COUNT;
    check(one > 0);
    s.memory = 3 * one - one / 2; /* three of them begin below that */
    check_ok(sos_hinge_run(h, COUNT, items, &s, &error), error);
    check_ok(sos_hinge_run(h, COUNT, items, &s, &error), error);
    size_t warm = 0;
    for (size_t i = 0; i < COUNT; i++) warm += items[i].warm;
    for (size_t i = 0; i < COUNT; i++) check(items[i].value == values[i]);
    check(warm > 0 && warm < COUNT);
    check(sos_hinge_bytes(h) <= none + s.memory + one);
    sos_hinge_free(h);
}

/* ---- wrong arguments ---- */

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    example x = { .p = problem_create(3), .truth = { 1, 0, 1 }, .loss = { 1, 1, 1 } };
    const uint32_t members[] = { 0, 1 };
    problem_add_clique(&x.p, problem_add_table(&x.p, 2, (const double[]){ 0, 1, 1, 0 }), members, 1);
    x.p.fixed[2] = 1;
    sos_hinge *h = hinge_of(&x.p);
    double tables[4] = { 0, 1, 1, 0 }, weights[1] = { 1 };
    sos_hinge_item good = { .unary = x.unary, .truth = x.truth, .loss = x.loss, .tables = tables, .weights = weights }, bad[2];
    sos_error error;
#define refused(status, ...) check_error(sos_hinge_run(h, 2, bad, NULL, &error), (status), error, "item 1", __VA_ARGS__)
    bad[0] = bad[1] = good;
    check_ok(sos_hinge_run(h, 2, bad, NULL, &error), error);
    tables[3] = 3;
    check_error(sos_hinge_run(h, 2, bad, NULL, &error), SOS_ERR_NOT_SUBMODULAR, error, "item 0", "table 0", "by 1");
    tables[3] = 0;
    x.truth[1] = 2;
    check_error(sos_hinge_run(h, 2, bad, NULL, &error), SOS_ERR_ARGUMENT, error, "item 0", "variable 1", "label 2");
    x.truth[1] = 0;
    bad[1].truth = (const uint8_t[]){ 0, 0, 0 };
    refused(SOS_ERR_ARGUMENT, "variable 2", "fixed to 1");
    bad[1] = good;
    bad[1].loss = (const double[]){ 1, -1, 1 };
    refused(SOS_ERR_ARGUMENT, "variable 1", "loss -1");
    bad[1] = good;
    bad[1].unary = (const double[]){ 1, NAN, 1 };
    refused(SOS_ERR_ARGUMENT, "variable 1", "finite");
    bad[1] = good;
    bad[1].unary = NULL;
    refused(SOS_ERR_ARGUMENT, "unaries");
    bad[1] = good;
    bad[1].weights = (const double[]){ -2 };
    refused(SOS_ERR_ARGUMENT, "clique 0", "weight -2");
    bad[1] = good;
    bad[1].keep = (size_t)SOS_HINGE_KEEP_MAX + 1;
    refused(SOS_ERR_RANGE, "number");
    bad[1] = good;
    bad[1].reserved[2] = 1;
    refused(SOS_ERR_ARGUMENT, "sos_hinge_item");
    bad[0] = bad[1] = good;
    bad[0].keep = bad[1].keep = 7;
    check_error(sos_hinge_run(h, 2, bad, NULL, &error), SOS_ERR_ARGUMENT, error, "two items", "number 7");
    check_error(sos_hinge_run(h, 1, NULL, NULL, &error), SOS_ERR_ARGUMENT, error, "no items");
    check_error(sos_hinge_create(NULL, &h, &error), SOS_ERR_ARGUMENT, error, "no energy");
    sos_hinge_settings s = sos_hinge_defaults();
    s.bits = 16;
    check_error(sos_hinge_run(h, 1, &good, &s, &error), SOS_ERR_ARGUMENT, error, "16 bits");
    s.bits = 32;
    check_ok(sos_hinge_run(h, 1, &good, &s, &error), error);
    check_ok(sos_hinge_run(h, 0, NULL, NULL, &error), error);
#undef refused
    sos_hinge_free(h);
    problem_free(&x.p);
}

static bool stop(void *user, const char *phase, double done)
{
    (void)phase, (void)done;
    ++*(int *)user;
    return false;
}

static void it_can_be_cancelled_and_goes_on_after(void **state)
{
    (void)state;
    enum { SIDE = 200 };
    static double unary[SIDE * SIDE];
    static uint8_t truth[SIDE * SIDE];
    sos_random r = test_case_begin(0);
    sos_hinge *h = grid_hinge(SIDE);
    sos_hinge_settings s = sos_hinge_defaults();
    sos_error error;
    int calls = 0;
    grid_random(&r, SIDE, unary, truth);
    sos_hinge_item item = { .unary = unary, .truth = truth, .keep = 1 };
    s.work.progress = stop;
    s.work.user = &calls;
    check_error(sos_hinge_run(h, 1, &item, &s, &error), SOS_CANCELLED, error, "cancelled");
    check(calls == 1);
    check_ok(sos_hinge_run(h, 1, &item, NULL, &error), error);
    const double value = item.value;
    check_ok(sos_hinge_run(h, 1, &item, NULL, &error), error);
    check(value > 0 && item.value == value && item.warm);
    sos_hinge_free(h);
}

/* ---- the nearest submodular table ---- */

static double worst_square(size_t k, const double f[])
{
    double worst = -INFINITY;
    for (size_t S = 0; S < (size_t)1 << k; S++)
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < i; j++) {
                const size_t a = (size_t)1 << i, b = (size_t)1 << j;
                if (!(S & (a | b))) worst = fmax(worst, f[S | a | b] + f[S] - f[S | a] - f[S | b]);
            }
    return worst;
}

/* g is the nearest of a convex cone iff (f - g) . g = 0 and (f - g) . h <= 0 for all h of the cone. */
static void the_nearest_table_is_submodular_and_nearest(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(150); c++) {
        sos_random r = test_case_begin(c);
        const size_t k = 2 + c % 4, entries = (size_t)1 << k;
        double f[32], g[32], h[32], size = 0, at = 0;
        sos_error error;
        for (size_t S = 0; S < entries; S++) f[S] = cost_signed(&r, c & 1 ? COSTS_REALS : COSTS_INTEGERS);
        check_ok(sos_table_nearest(k, f, g, &error), error);
        check(worst_square(k, g) <= 0);
        for (size_t S = 0; S < entries; S++) size += f[S] * f[S];
        for (size_t S = 0; S < entries; S++) at += (f[S] - g[S]) * g[S];
        check(fabs(at) <= 1e-8 * size);
        for (int i = 0; i < 20; i++) {
            double dot = 0, length = 0;
            table_random(&r, k, COSTS_REALS, h);
            for (size_t S = 0; S < entries; S++) dot += (f[S] - g[S]) * h[S];
            for (size_t S = 0; S < entries; S++) length += h[S] * h[S];
            check(dot <= 1e-8 * sqrt(size * length));
        }
        check_ok(sos_table_nearest(k, g, f, &error), error); /* which is submodular, and stays */
        check(!memcmp(f, g, entries * sizeof *f));
    }
}

static void nothing_is_nearest_to_what_is_no_table(void **state)
{
    (void)state;
    double f[4] = { 0, NAN, 0, 1 };
    sos_error error;
    check_error(sos_table_nearest(2, f, f, &error), SOS_ERR_ARGUMENT, error, "entry 1");
    check_error(sos_table_nearest(0, f, f, &error), SOS_ERR_ARGUMENT, error, "0 members");
    check_error(sos_table_nearest(17, f, f, &error), SOS_ERR_ARGUMENT, error, "17 members");
    check_error(sos_table_nearest(2, NULL, f, &error), SOS_ERR_ARGUMENT, error, "no costs");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_value_is_the_maximum_over_all_labellings),
        cmocka_unit_test(subgradients_lie_below),
        cmocka_unit_test(a_truth_with_a_margin_has_no_loss),
        cmocka_unit_test(where_labels_are_as_good_the_truth_is_taken),
        cmocka_unit_test(without_a_truth_it_is_the_least_energy),
        cmocka_unit_test(threads_and_kept_flows_change_no_bit),
        cmocka_unit_test(what_is_left_out_is_as_in_the_structure),
        cmocka_unit_test(kept_examples_are_warm_and_keep_to_their_memory),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(it_can_be_cancelled_and_goes_on_after),
        cmocka_unit_test(the_nearest_table_is_submodular_and_nearest),
        cmocka_unit_test(nothing_is_nearest_to_what_is_no_table),
    };
    return cmocka_run_group_tests_name("hinge", tests, NULL, NULL);
}
