/* test_regions.c - a network that is cut into regions has the answer of the whole one, for any number of threads. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "minimize/minimizer.h"

enum { WHOLE = 1 << 30 }; /* nodes of a region that no network has twice */

typedef struct answer {
    uint8_t *labels;
    sos_minimize_result result;
} answer;

/* Solved in regions of so many nodes. */
static answer solve(const sos_energy *e, const sos_minimize_settings *s, size_t nodes)
{
    sos_error error;
    sos_minimizer *m;
    answer a = { .labels = test_room(NULL, sos_energy_variables(e), 1) };
    check_ok(sos_minimizer_create(&m, &error), error);
    sos_minimizer_cut(m, nodes);
    check_ok(sos_minimizer_run(m, e, s, a.labels, &a.result, &error), error);
    sos_minimizer_free(m);
    return a;
}

static void check_same_counts(const sos_minimize_result *a, const sos_minimize_result *b)
{
    check(same_bits(a->energy, b->energy) && same_bits(a->lower_bound, b->lower_bound) && same_bits(a->rounding, b->rounding));
    check(a->augmentations == b->augmentations && a->pushes == b->pushes && a->bytes == b->bytes);
    check(a->adoptions == b->adoptions && a->growths == b->growths && a->fixed == b->fixed);
}

/* In regions of so many nodes, on 1 to most threads: the same to the last bit, and the labels of the whole network. */
static void check_cut(const problem *p, const sos_energy *e, bool maximal, size_t nodes, int most, const oracle *o)
{
    sos_minimize_settings s = sos_minimize_defaults();
    s.maximal = maximal;
    const answer whole = solve(e, &s, WHOLE);
    answer first = { 0 };
    for (int t = 0; t < most; t++) {
        s.work.threads = t + 1;
        const answer a = solve(e, &s, nodes);
        check_certificate(p, a.labels, &a.result);
        if (o) check_answer(p, o, maximal, a.labels, &a.result);
        check(!memcmp(a.labels, whole.labels, p->n) && same_bits(a.result.energy, whole.result.energy));
        if (!t) {
            first = a;
            continue;
        }
        check_same_counts(&first.result, &a.result);
        free(a.labels);
    }
    check(same_bits(first.result.lower_bound, whole.result.lower_bound)); /* rounding and all: the network is not so large */
    free(first.labels);
    free(whole.labels);
}

static void small_energies_of_all_kinds_have_the_minimum(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(1000); c++) {
        sos_random r = test_case_begin(c);
        const recipe wanted = { (costs)(c % COSTS_KINDS), 12, 20, c % 3 ? 4 : 6, c % 7 == 6, c & 1, c % 5 == 4 };
        problem p = problem_random(&r, &wanted);
        sos_energy *e = problem_build(&p);
        const oracle o = problem_solve_exhaustively(&p);
        const size_t nodes = 1 + sos_random_below(&r, 5);
        check_cut(&p, e, c & 2, nodes, c % 16 ? 1 : 3, &o);
        sos_energy_free(e);
        problem_free(&p);
    }
}

static void add_grid_table(sos_random *r, problem *p, size_t width, size_t height, size_t w, size_t h, costs kind)
{
    double f[1 << 9];
    table_random(r, w * h, kind, f);
    problem_add_patches(p, problem_add_table(p, w * h, f), width, height, w, h);
}

/* Pairs, 2x2 and 3x3 patches, and pairs among patches, with costs of all kinds: paths cross many regions. */
static void grids_have_the_labels_of_the_whole(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(64); c++) {
        sos_random r = test_case_begin(c);
        const size_t width = 5 + sos_random_below(&r, 30), height = 5 + sos_random_below(&r, 30);
        const costs kind = (costs)(c % COSTS_KINDS);
        problem p = problem_grid(&r, width, height, kind);
        const unsigned shapes = 1 + (unsigned)sos_random_below(&r, 15);
        if (shapes & 1) add_grid_table(&r, &p, width, height, 2, 1, kind);
        if (shapes & 1) add_grid_table(&r, &p, width, height, 1, 2, kind);
        if (shapes & 2) add_grid_table(&r, &p, width, height, 2, 2, kind);
        if (shapes & 4) add_grid_table(&r, &p, width, height, 3, 1, kind);
        if (shapes == 8) add_grid_table(&r, &p, width, height, 3, 3, kind);
        sos_energy *e = problem_build(&p);
        for (size_t v = 0; c % 4 == 3 && v < p.n; v++)
            if (!sos_random_below(&r, 6)) {
                sos_error error;
                p.fixed[v] = (uint8_t)sos_random_below(&r, 2);
                check_ok(sos_energy_fix(e, v, p.fixed[v], &error), error);
            }
        const size_t nodes = 1 + sos_random_below(&r, p.n / 2);
        check_cut(&p, e, c & 1, nodes, c % 3 ? 1 : 3, NULL);
        sos_energy_free(e);
        problem_free(&p);
    }
}

/* Costs of a drawing with a strong prior: most of the flow is across borders. */
static void flow_across_many_borders(void **state)
{
    (void)state;
    enum { WIDTH = 7, HEIGHT = 200 };
    for (uint64_t c = 0; c < test_cases(20); c++) {
        sos_random r = test_case_begin(c);
        problem p = problem_create((size_t)WIDTH * HEIGHT);
        for (size_t v = 0; v < p.n; v++) {
            const bool ink = v < p.n / 2; /* excess at one end, deficit at the other */
            p.cost0[v] = ink ? (double)sos_random_below(&r, 20) : 0;
            p.cost1[v] = ink ? 0 : (double)sos_random_below(&r, 20);
        }
        const double f[16] = { 0, 6, 6, 8, 6, 8, 8, 6, 6, 8, 8, 6, 8, 6, 6, 0 };
        const double pair[4] = { 0, 40, 40, 0 };
        if (c & 1)
            problem_add_patches(&p, problem_add_table(&p, 4, f), WIDTH, HEIGHT, 2, 2);
        else
            problem_add_patches(&p, problem_add_table(&p, 2, pair), WIDTH, HEIGHT, 1, 2);
        sos_energy *e = problem_build(&p);
        check_cut(&p, e, c & 2, WIDTH * (1 + sos_random_below(&r, 9)), 2, NULL);
        sos_energy_free(e);
        problem_free(&p);
    }
}

static void a_flow_made_in_regions_serves_warm_starts(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(40); c++) {
        sos_random r = test_case_begin(c);
        problem p = problem_grid(&r, 20, 24, COSTS_INTEGERS);
        add_grid_table(&r, &p, 20, 24, 2, c & 1 ? 2 : 1, COSTS_INTEGERS);
        sos_energy *e = problem_build(&p);
        sos_error error;
        sos_minimizer *m;
        sos_minimize_result result;
        sos_minimize_settings s = sos_minimize_defaults();
        uint8_t *labels = test_room(NULL, p.n, 1);
        s.work.threads = 1 + !(c % 8);
        check_ok(sos_minimizer_create(&m, &error), error);
        sos_minimizer_cut(m, 50);
        check_ok(sos_minimizer_run(m, e, &s, labels, &result, &error), error);
        for (int change = 0; change < 3; change++) {
            for (size_t i = 0; i < 5; i++) {
                const size_t v = sos_random_below(&r, p.n);
                p.cost1[v] += (double)sos_random_below(&r, 2000) - 1000;
                check_ok(sos_energy_set_unary(e, v, p.cost0[v], p.cost1[v], &error), error);
            }
            s.start = SOS_START_FLOW;
            check_ok(sos_minimizer_run(m, e, &s, labels, &result, &error), error);
            check(result.warm);
            check_certificate(&p, labels, &result);
            s.start = SOS_START_COLD;
            const answer cold = solve(e, &s, WHOLE);
            check(!memcmp(cold.labels, labels, p.n) && same_bits(cold.result.lower_bound, result.lower_bound));
            free(cold.labels);
        }
        sos_minimizer_free(m);
        sos_energy_free(e);
        problem_free(&p);
        free(labels);
    }
}

/* With 2x2 patches besides. */
static sos_energy *patches_build(const problem *p, size_t width, size_t height)
{
    const double f[16] = { 0, 300, 300, 350, 300, 350, 400, 300, 300, 400, 350, 300, 350, 300, 300, 0 };
    sos_energy *e = problem_build(p);
    sos_error error;
    uint32_t table;
    check_ok(sos_energy_add_table(e, 4, f, &table, &error), error);
    check_ok(sos_energy_add_patches(e, table, width, height, 2, 2, NULL, &error), error);
    return e;
}

/* As the library cuts by itself. */
static void a_large_image_is_the_same_on_all_threads(void **state)
{
    (void)state;
    enum { WIDTH = 800, HEIGHT = 700 };
    sos_random r = test_case_begin(0);
    problem p = problem_grid(&r, WIDTH, HEIGHT, COSTS_INTEGERS);
    sos_energy *e = patches_build(&p, WIDTH, HEIGHT);
    sos_minimize_settings s = sos_minimize_defaults();
    const answer whole = solve(e, &s, WHOLE);
    answer threads[3];
    for (int t = 0; t < 3; t++) {
        s.work.threads = t;
        threads[t] = solve(e, &s, 0);
        check(!memcmp(threads[t].labels, whole.labels, p.n));
        check(same_bits(threads[t].result.lower_bound, whole.result.lower_bound));
        check(threads[t].result.energy == threads[t].result.lower_bound);
        check_same_counts(&threads[0].result, &threads[t].result);
        check(threads[t].result.growths != whole.result.growths); /* it was cut */
    }
    for (int t = 0; t < 3; t++) free(threads[t].labels);
    free(whole.labels);
    sos_energy_free(e);
    problem_free(&p);
}

/* Many regions for each thread, so that some are solved while others beside them are: what make races looks at. */
static void neighbours_are_solved_at_the_same_time(void **state)
{
    (void)state;
    enum { WIDTH = 260, HEIGHT = 200, REGION = 4096, THREADS = 4 };
    sos_random r = test_case_begin(0);
    problem p = problem_grid(&r, WIDTH, HEIGHT, COSTS_INTEGERS);
    sos_energy *e = patches_build(&p, WIDTH, HEIGHT);
    sos_minimize_settings s = sos_minimize_defaults();
    for (int maximal = 0; maximal < 2; maximal++) {
        s.maximal = maximal;
        const answer whole = solve(e, &s, WHOLE);
        s.work.threads = THREADS;
        const answer cut = solve(e, &s, REGION);
        check(!memcmp(cut.labels, whole.labels, p.n) && same_bits(cut.result.lower_bound, whole.result.lower_bound));
        free(cut.labels);
        free(whole.labels);
    }
    sos_energy_free(e);
    problem_free(&p);
}

typedef struct patience {
    int calls;
} patience;

static bool lose_patience(void *user, const char *phase, double done)
{
    (void)phase;
    (void)done;
    return ((patience *)user)->calls-- > 0;
}

static void it_can_be_stopped_anywhere(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    problem p = problem_grid(&r, 30, 40, COSTS_INTEGERS);
    add_grid_table(&r, &p, 30, 40, 2, 2, COSTS_INTEGERS);
    sos_energy *e = problem_build(&p);
    uint8_t *labels = test_room(NULL, p.n, 1);
    bool stopped = true;
    for (int calls = 0; stopped && calls < 10000; calls++) {
        sos_error error;
        sos_minimizer *m;
        patience left = { calls };
        sos_minimize_settings s = sos_minimize_defaults();
        s.work.progress = lose_patience;
        s.work.user = &left;
        s.work.threads = 1;
        memset(labels, 9, p.n);
        check_ok(sos_minimizer_create(&m, &error), error);
        sos_minimizer_cut(m, 100);
        const sos_status status = sos_minimizer_run(m, e, &s, labels, NULL, &error);
        stopped = status == SOS_CANCELLED;
        if (stopped)
            check(labels[0] == 9 && labels[p.n - 1] == 9);
        else
            check_ok(status, error);
        sos_minimizer_free(m);
    }
    check(!stopped);
    free(labels);
    sos_energy_free(e);
    problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_energies_of_all_kinds_have_the_minimum),
        cmocka_unit_test(grids_have_the_labels_of_the_whole),
        cmocka_unit_test(flow_across_many_borders),
        cmocka_unit_test(a_flow_made_in_regions_serves_warm_starts),
        cmocka_unit_test(neighbours_are_solved_at_the_same_time),
        cmocka_unit_test(a_large_image_is_the_same_on_all_threads),
        cmocka_unit_test(it_can_be_stopped_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
