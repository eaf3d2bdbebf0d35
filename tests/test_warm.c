/* test_warm.c - a minimizer that starts from what it knows gives the answer of one that knows nothing. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An energy, the same as plain data, and the minimizer that follows its changes. */
typedef struct pair {
    problem p;
    sos_energy *e;
    sos_minimizer *m;
    bool solved; /* the minimizer's last run was on this energy with these cliques */
} pair;

static sos_minimizer *minimizer(void)
{
    sos_minimizer *m = NULL;
    sos_error error;
    check_ok(sos_minimizer_create(&m, &error), error);
    return m;
}

static void pair_free(pair *x)
{
    sos_minimizer_free(x->m);
    sos_energy_free(x->e);
    problem_free(&x->p);
}

/* ---- changes ---- */

static void set_unary(pair *x, size_t i, double cost0, double cost1)
{
    sos_error error;
    x->p.cost0[i] = cost0;
    x->p.cost1[i] = cost1;
    check_ok(sos_energy_set_unary(x->e, i, cost0, cost1, &error), error);
}

static void change_few_unaries(sos_random *r, pair *x, costs kind)
{
    for (int repeat = 0; x->p.n && repeat < 3; repeat++)
        set_unary(x, (size_t)sos_random_below(r, x->p.n), cost_signed(r, kind), cost_signed(r, kind));
}

static void change_all_unaries(sos_random *r, pair *x, costs kind)
{
    for (size_t i = 0; i < x->p.n; i++) set_unary(x, i, cost_random(r, kind), cost_random(r, kind));
}

static void set_table(pair *x, size_t t, const double f[])
{
    sos_error error;
    memmove(x->p.tables[t].f, f, sizeof *f << x->p.tables[t].k);
    check_ok(sos_energy_set_table(x->e, (uint32_t)t, f, &error), error);
}

/* A sum of two submodular tables is submodular; a modular one moves every entry. */
static void change_tables_slightly(sos_random *r, pair *x, costs kind)
{
    for (size_t t = 0; t < x->p.table_count; t++) {
        const problem_table *table = &x->p.tables[t];
        const size_t entries = (size_t)1 << table->k, i = (size_t)sos_random_below(r, table->k);
        const double c = cost_signed(r, kind), d = kind < COSTS_DYADIC ? rint(c / 3) : c / 16;
        double *f = test_room(NULL, entries, sizeof *f);
        for (size_t S = 0; S < entries; S++) f[S] = table->f[S] + (S >> i & 1 ? d : 0);
        for (size_t S = 1; S + 1 < entries; S++) f[S] += fabs(d); /* not all equal */
        set_table(x, t, f);
        free(f);
    }
}

static void change_tables_completely(sos_random *r, pair *x, costs kind)
{
    for (size_t t = 0; t < x->p.table_count; t++) {
        double *f = test_room(NULL, (size_t)1 << x->p.tables[t].k, sizeof *f);
        table_random(r, x->p.tables[t].k, kind, f);
        set_table(x, t, f);
        free(f);
    }
}

static void clear_tables(sos_random *r, pair *x, costs kind)
{
    (void)r, (void)kind;
    for (size_t t = 0; t < x->p.table_count; t++) {
        double *f = calloc((size_t)1 << x->p.tables[t].k, sizeof *f);
        set_table(x, t, f);
        free(f);
    }
}

static void fix_and_free(sos_random *r, pair *x, costs kind)
{
    (void)kind;
    sos_error error;
    for (size_t i = 0; i < x->p.n; i++) {
        if (sos_random_below(r, 3)) continue;
        x->p.fixed[i] = (uint8_t)sos_random_below(r, 3);
        check_ok(sos_energy_fix(x->e, i, x->p.fixed[i], &error), error);
    }
}

static void change_constant(sos_random *r, pair *x, costs kind)
{
    sos_error error;
    const double c = cost_signed(r, kind);
    x->p.constant += c;
    check_ok(sos_energy_add_constant(x->e, c, &error), error);
}

static void add_cliques(sos_random *r, pair *x, costs kind)
{
    const size_t tables = x->p.table_count, cliques = x->p.clique_count, concaves = x->p.concave_count;
    for (uint64_t more = 1 + sos_random_below(r, 3); more; more--)
        problem_add_random_clique(r, &x->p, 4, kind, sos_random_bits(r) & 1);
    if (!sos_random_below(r, 3)) problem_add_random_concave(r, &x->p, 6, kind, true);
    problem_build_rest(&x->p, x->e, tables, cliques, concaves);
    x->solved &= x->p.clique_count == cliques && x->p.concave_count == concaves;
}

static void change_concave_weights(sos_random *r, pair *x, costs kind)
{
    if (!x->p.concave_count) return;
    const size_t first = (size_t)sos_random_below(r, x->p.concave_count), count = x->p.concave_count - first;
    double *weights = test_room(NULL, count, sizeof *weights);
    for (size_t c = 0; c < count; c++) {
        weights[c] = kind < COSTS_REALS ? (double)sos_random_below(r, 4) : 3 * sos_random_uniform(r);
        x->p.concaves[first + c].weight = weights[c];
    }
    sos_error error;
    check_ok(sos_energy_set_concave_weights(x->e, first, count, weights, &error), error);
    free(weights);
}

static void fix_all_or_none(sos_random *r, pair *x, costs kind)
{
    (void)kind;
    const bool any = sos_random_bits(r) & 1;
    for (size_t i = 0; i < x->p.n; i++) x->p.fixed[i] = any ? (uint8_t)sos_random_below(r, 3) : SOS_FREE;
    sos_error error;
    check_ok(sos_energy_fix_all(x->e, any || sos_random_bits(r) & 1 ? x->p.fixed : NULL, &error), error);
}

static void go_on_with_a_copy(sos_random *r, pair *x, costs kind)
{
    (void)r, (void)kind;
    sos_energy *copy = NULL;
    sos_error error;
    check_ok(sos_energy_copy(x->e, &copy, &error), error);
    sos_energy_free(x->e);
    x->e = copy;
    x->solved = false;
}

static void change_nothing(sos_random *r, pair *x, costs kind) { (void)r, (void)x, (void)kind; }

static void (*const CHANGES[])(sos_random *, pair *, costs) = {
    change_nothing,           change_few_unaries, change_few_unaries, change_all_unaries, change_tables_slightly,
    change_tables_completely, clear_tables,       fix_and_free,       change_constant,    add_cliques,
    change_concave_weights,   fix_all_or_none,    go_on_with_a_copy,
};
enum { CHANGE_COUNT = sizeof CHANGES / sizeof *CHANGES };

/* ---- sequences of changes ---- */

static void guess_random(sos_random *r, const problem *p, const uint8_t last[], uint8_t labels[])
{
    const uint64_t way = sos_random_below(r, 4); /* all 0, all 1, random, or the last answer */
    for (size_t i = 0; i < p->n; i++)
        labels[i] = way < 2 ? (uint8_t)way : way == 2 ? (uint8_t)(sos_random_bits(r) & 1) : last[i];
}

/* One run from the last flow, a guess or nothing. */
static void check_run(sos_random *r, pair *x, uint8_t labels[])
{
    const oracle o = problem_solve_exhaustively(&x->p);
    sos_minimize_settings s = sos_minimize_defaults();
    s.start = (sos_start)sos_random_below(r, 3);
    s.maximal = sos_random_bits(r) & 1;
    s.reduce = sos_random_bits(r) & 1;
    sos_minimize_result result;
    sos_error error;
    if (s.start == SOS_START_LABELS) guess_random(r, &x->p, labels, labels);
    check_ok(sos_minimizer_run(x->m, x->e, &s, labels, &result, &error), error);
    check_answer(&x->p, &o, s.maximal, labels, &result);
    check(result.energy == sos_energy_value(x->e, labels));
    if (s.start == SOS_START_COLD) check(!result.warm);
    if (s.start == SOS_START_FLOW && !x->solved) check(!result.warm);
    x->solved = true;
}

static void check_sequence(uint64_t c, const recipe *wanted, const costs kinds[], size_t kind_count)
{
    sos_random r = test_case_begin(c);
    pair x = { .p = problem_random(&r, wanted), .m = minimizer() };
    x.e = problem_build(&x.p);
    uint8_t labels[EXHAUSTIVE_MAX] = { 0 };
    for (int step = 0; step < 14; step++) {
        check_run(&r, &x, labels);
        const costs kind = kinds[sos_random_below(&r, kind_count)];
        for (uint64_t changes = 1 + sos_random_below(&r, 2); changes; changes--)
            CHANGES[sos_random_below(&r, CHANGE_COUNT)](&r, &x, kind);
    }
    check_run(&r, &x, labels);
    pair_free(&x);
}

static void after_changes_of_integers_the_minimiser_is_that_of_a_cold_start(void **state)
{
    (void)state;
    static const costs SMALL[] = { COSTS_SMALL }, INTEGERS[] = { COSTS_SMALL, COSTS_INTEGERS };
    const recipe pairs = { COSTS_SMALL, 8, 10, 2, 0, false, false }, fours = { COSTS_SMALL, 8, 8, 4, 0, false, false };
    const recipe mixed = { COSTS_INTEGERS, 8, 8, 5, 2, true, true };
    for (uint64_t c = 0; c < test_cases(400); c++) {
        check_sequence(c, &pairs, SMALL, 1);
        check_sequence(c, &fours, SMALL, 1);
        check_sequence(c, &mixed, INTEGERS, 2);
    }
}

static void after_changes_of_scale_the_minimum_is_that_of_a_cold_start(void **state)
{
    (void)state;
    static const costs ALL[] = { COSTS_SMALL, COSTS_INTEGERS, COSTS_LARGE, COSTS_DYADIC, COSTS_REALS, COSTS_MIXED };
    static const costs FAR[] = { COSTS_INTEGERS, COSTS_HUGE, COSTS_TINY };
    const recipe wanted = { COSTS_INTEGERS, 8, 8, 5, 1, true, true };
    for (uint64_t c = 0; c < test_cases(300); c++) {
        check_sequence(c, &wanted, ALL, 6);
        check_sequence(c, &wanted, FAR, 3);
    }
}

/* Reals of 62 bits, then integers: a scale kept from the first would drop the last bits of the second. */
static void integers_after_large_reals_are_exact(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(200); c++) {
        sos_random r = test_case_begin(c);
        const recipe wanted = { COSTS_SMALL, 8, 8, 4, 0, false, false };
        pair x = { .p = problem_random(&r, &wanted), .m = minimizer() };
        x.e = problem_build(&x.p);
        uint8_t labels[EXHAUSTIVE_MAX] = { 0 };
        const double large = ldexp(1, 54 + (int)(c % 10));
        for (size_t i = 0; i < x.p.n; i++) set_unary(&x, i, 0.5, large * (sos_random_uniform(&r) - 0.5));
        check_run(&r, &x, labels);
        for (size_t i = 0; i < x.p.n; i++) set_unary(&x, i, cost_signed(&r, COSTS_SMALL), cost_signed(&r, COSTS_SMALL));
        if (x.p.n) set_unary(&x, 0, 0, ldexp(1, 50));
        for (int repeat = 0; repeat < 3; repeat++) check_run(&r, &x, labels);
        pair_free(&x);
    }
}

/* Rows and columns as concave cliques, so that flow goes far: it is kept when their weights change, and even when one of them
 * becomes 0, and the answer is that of a cold start. */
static void weights_of_concave_cliques_may_change_under_a_flow(void **state)
{
    (void)state;
    enum { SIDE = 24 };
    for (uint64_t c = 0; c < test_cases(20); c++) {
        sos_random r = test_case_begin(c);
        pair x = { .p = problem_grid(&r, SIDE, SIDE, COSTS_INTEGERS), .m = minimizer() };
        for (size_t line = 0; line < 2 * SIDE; line++) {
            uint32_t members[SIDE];
            double g[SIDE + 1];
            for (size_t i = 0; i < SIDE; i++) members[i] = (uint32_t)(line < SIDE ? line * SIDE + i : i * SIDE + line - SIDE);
            for (size_t m = 0; m <= SIDE; m++) g[m] = 150 * fmin(5, fmin((double)m, (double)(SIDE - m)));
            problem_add_concave(&x.p, SIDE, members, g, 3);
        }
        x.e = problem_build(&x.p);
        uint8_t labels[SIDE * SIDE], cold[SIDE * SIDE];
        sos_minimize_settings s = sos_minimize_defaults();
        s.start = SOS_START_FLOW;
        sos_error error;
        for (int step = 0; step < 8; step++) {
            sos_minimize_result warm, alone;
            check_ok(sos_minimizer_run(x.m, x.e, &s, labels, &warm, &error), error);
            check_ok(sos_minimize(x.e, NULL, cold, &alone, &error), error);
            check_certificate(&x.p, labels, &warm);
            check(!memcmp(labels, cold, sizeof labels) && warm.energy == alone.energy && warm.warm == (step > 0));
            change_concave_weights(&r, &x, COSTS_INTEGERS);
        }
        pair_free(&x);
    }
}

static void a_minimizer_serves_many_energies_in_turn(void **state)
{
    (void)state;
    enum { COUNT = 4 };
    for (uint64_t c = 0; c < test_cases(150); c++) {
        sos_random r = test_case_begin(c);
        sos_minimizer *m = minimizer();
        pair x[COUNT];
        uint8_t labels[COUNT][EXHAUSTIVE_MAX] = { 0 };
        for (size_t i = 0; i < COUNT; i++) {
            const recipe wanted = { i & 1 ? COSTS_REALS : COSTS_SMALL, 9, 9, 1 + i, i & 1, true, true };
            x[i] = (pair){ .p = problem_random(&r, &wanted), .m = m };
            x[i].e = problem_build(&x[i].p);
        }
        for (int step = 0; step < 20; step++) {
            const size_t i = (size_t)sos_random_below(&r, COUNT);
            check_run(&r, &x[i], labels[i]);
            for (size_t j = 0; j < COUNT; j++) x[j].solved = j == i;
            CHANGES[sos_random_below(&r, CHANGE_COUNT)](&r, &x[i], i & 1 ? COSTS_REALS : COSTS_SMALL);
        }
        for (size_t i = 0; i < COUNT; i++) {
            x[i].m = NULL;
            pair_free(&x[i]);
        }
        sos_minimizer_free(m);
    }
}

/* Freed and made again, an energy may stand at the same address: it must not be taken for the old one. */
static void a_freed_energy_is_not_mistaken_for_another(void **state)
{
    (void)state;
    sos_minimizer *m = minimizer();
    for (uint64_t c = 0; c < test_cases(300); c++) {
        sos_random r = test_case_begin(c);
        const recipe wanted = { COSTS_SMALL, 7, 8, 3, 0, false, false };
        pair x = { .p = problem_random(&r, &wanted), .m = m };
        x.e = problem_build(&x.p);
        const oracle o = problem_solve_exhaustively(&x.p);
        sos_minimize_settings s = sos_minimize_defaults();
        s.start = SOS_START_FLOW;
        sos_minimize_result result;
        sos_error error;
        uint8_t labels[EXHAUSTIVE_MAX];
        check_ok(sos_minimizer_run(m, x.e, &s, labels, &result, &error), error);
        check(!result.warm);
        check_answer(&x.p, &o, false, labels, &result);
        x.m = NULL;
        pair_free(&x);
    }
    sos_minimizer_free(m);
}

/* ---- a grid, where warm means less work ---- */

static pair grid(sos_random *r, size_t width, size_t height)
{
    pair x = { .p = problem_grid(r, width, height, COSTS_INTEGERS), .m = minimizer() };
    double f[16];
    for (size_t S = 0; S < 16; S++) {
        const int m = __builtin_popcountll(S);
        f[S] = 90 * m * (4 - m);
    }
    problem_add_patches(&x.p, problem_add_table(&x.p, 4, f), width, height, 2, 2);
    x.e = problem_build(&x.p);
    return x;
}

static sos_minimize_result run_grid(pair *x, sos_start start, bool reduce, uint8_t labels[])
{
    sos_minimize_settings s = sos_minimize_defaults();
    s.start = start;
    s.reduce = reduce;
    sos_minimize_result result;
    sos_error error;
    check_ok(sos_minimizer_run(x->m, x->e, &s, labels, &result, &error), error);
    check_certificate(&x->p, labels, &result);
    return result;
}

static void on_a_grid_warm_starts_give_the_same_labels_with_less_work(void **state)
{
    (void)state;
    enum { WIDTH = 40, HEIGHT = 30, N = WIDTH * HEIGHT };
    for (uint64_t c = 0; c < test_cases(8); c++) {
        sos_random r = test_case_begin(c);
        pair x = grid(&r, WIDTH, HEIGHT);
        uint8_t labels[N], wanted[N];
        const bool reduce = c & 1;
        run_grid(&x, SOS_START_COLD, reduce, labels);
        uint64_t warm_work = 0, cold_work = 0;
        for (int step = 0; step < 6; step++) {
            change_few_unaries(&r, &x, COSTS_INTEGERS);
            sos_error error;
            const sos_minimize_result warm = run_grid(&x, SOS_START_FLOW, reduce, labels);
            sos_minimize_settings s = sos_minimize_defaults();
            s.reduce = reduce;
            sos_minimize_result cold;
            check_ok(sos_minimize(x.e, &s, wanted, &cold, &error), error);
            check(warm.warm && warm.energy == cold.energy && warm.lower_bound == cold.lower_bound);
            check(!memcmp(labels, wanted, N));
            warm_work += warm.pushes;
            cold_work += cold.pushes;
            memcpy(labels, wanted, N);
            labels[sos_random_below(&r, N)] ^= 1;
            const sos_minimize_result guessed = run_grid(&x, SOS_START_LABELS, reduce, labels);
            check(guessed.energy == cold.energy && !memcmp(labels, wanted, N));
        }
        check(reduce || warm_work < cold_work / 2);
        pair_free(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_changes_of_integers_the_minimiser_is_that_of_a_cold_start),
        cmocka_unit_test(after_changes_of_scale_the_minimum_is_that_of_a_cold_start),
        cmocka_unit_test(integers_after_large_reals_are_exact),
        cmocka_unit_test(weights_of_concave_cliques_may_change_under_a_flow),
        cmocka_unit_test(a_minimizer_serves_many_energies_in_turn),
        cmocka_unit_test(a_freed_energy_is_not_mistaken_for_another),
        cmocka_unit_test(on_a_grid_warm_starts_give_the_same_labels_with_less_work),
    };
    return cmocka_run_group_tests_name("warm", tests, NULL, NULL);
}
