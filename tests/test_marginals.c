/* test_marginals.c - by how much the least energy rises where labels are forced, against exhaustive search. */
#include "support.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Groups of members at random, the last of which is empty. */
typedef struct groups {
    size_t count, start[8];
    uint32_t members[64];
} groups;

static groups groups_random(sos_random *r, size_t n)
{
    groups g = { .count = 1 + (size_t)sos_random_below(r, 5) };
    for (size_t i = 0; i < g.count; i++) {
        const size_t k = n ? 1 + (size_t)sos_random_below(r, n < 6 ? n : 6) : 0;
        members_random(r, n, k, g.members + g.start[i]);
        g.start[i + 1] = g.start[i] + k;
    }
    g.start[g.count + 1] = g.start[g.count];
    g.count++;
    return g;
}

/* The least energy of all labellings that give k members a label, and keep what is fixed; infinite if there is none. */
static long double least_with(const problem *p, size_t k, const uint32_t members[], uint8_t label)
{
    long double least = INFINITY;
    for (uint64_t y = 0; y < UINT64_C(1) << p->n; y++) {
        uint8_t labels[EXHAUSTIVE_MAX] = { 0 };
        bool fits = true;
        for (size_t i = 0; i < p->n; i++) {
            labels[i] = y >> i & 1;
            fits &= !p->fixed || p->fixed[i] == SOS_FREE || p->fixed[i] == labels[i];
        }
        for (size_t i = 0; i < k; i++) fits &= labels[members[i]] == label;
        if (fits) least = fminl(least, problem_value(p, labels));
    }
    return least;
}

/* What two sums of doubles may be off by. */
static long double tolerance_of(const problem *p)
{
    const size_t terms = 1 + p->n + p->clique_count + p->concave_count;
    return 2 * problem_magnitude(p) * DBL_EPSILON * (16 + (long double)terms);
}

static void check_rise(double rise, long double wanted, long double off, const char *what, size_t i)
{
    if (isinf(wanted) ? rise == INFINITY : fabsl(rise - wanted) <= off) return;
    test_fail(__FILE__, __LINE__, "%s %zu rises by %.17g, not by %.17Lg (to %.3Lg)", what, i, rise, wanted, off);
}

static bool one_in(sos_random *r, uint64_t count) { return !sos_random_below(r, count); }

static problem problem_of_case(sos_random *r)
{
    const costs kind = (costs)sos_random_below(r, COSTS_KINDS);
    if (one_in(r, 8)) return problem_grid(r, 3, 3, kind);
    const recipe wanted = { .kind = kind,
                            .n = 9,
                            .cliques = 8,
                            .members = one_in(r, 3) ? 2 : 4,
                            .concaves = one_in(r, 4) ? 2 : 0,
                            .weights = one_in(r, 2),
                            .fixed = one_in(r, 5) };
    return problem_random(r, &wanted);
}

static void rises_are_those_of_all_labellings(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(1200); c++) {
        sos_random r = test_case_begin(c);
        problem p = problem_of_case(&r);
        sos_energy *e = problem_build(&p);
        const groups g = groups_random(&r, p.n);
        const oracle o = problem_solve_exhaustively(&p);
        uint8_t labels[EXHAUSTIVE_MAX];
        double rises[16], most[EXHAUSTIVE_MAX];
        sos_marginals_settings s = sos_marginals_defaults();
        sos_marginals_result result;
        sos_error error;
        s.work.threads = 1 + (int)sos_random_below(&r, 3);
        check_ok(sos_min_marginals(e, g.count, g.start, g.members, &s, labels, rises, most, &result, &error), error);
        const bool exact = problem_is_multiple_of(&p, 1.0 / 64);
        const long double off = exact ? 0 : tolerance_of(&p) + result.doubt;
        check(result.doubt <= fmaxl((exact ? 1e-14L : 1e-6L) * problem_magnitude(&p), 1e-299L));
        check(!exact || !memcmp(labels, o.minimal, p.n));
        for (size_t i = 0; i < 2 * g.count; i++) {
            const size_t k = g.start[i / 2 + 1] - g.start[i / 2];
            check_rise(rises[i], least_with(&p, k, g.members + g.start[i / 2], i % 2) - o.minimum, off, "group and label", i);
        }
        for (uint32_t v = 0; v < p.n; v++) {
            const long double own = least_with(&p, 1, &v, !labels[v]) - o.minimum;
            if (most[v] + off < own)
                test_fail(__FILE__, __LINE__, "variable %u rises by %.17Lg, the bound is %.17g", v, own, most[v]);
        }
        sos_energy_free(e);
        problem_free(&p);
    }
}

/* Every variable a group of its own: one of the two rises is 0, the other is what its bound says. */
static void single_variables_are_exact(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(400); c++) {
        sos_random r = test_case_begin(c);
        problem p = problem_of_case(&r);
        sos_energy *e = problem_build(&p);
        const oracle o = problem_solve_exhaustively(&p);
        uint8_t labels[EXHAUSTIVE_MAX];
        double rises[2 * EXHAUSTIVE_MAX], most[EXHAUSTIVE_MAX];
        sos_marginals_result result;
        sos_error error;
        check_ok(sos_min_marginals(e, p.n, NULL, NULL, NULL, labels, rises, most, &result, &error), error);
        const long double off = problem_is_multiple_of(&p, 1.0 / 64) ? 0 : tolerance_of(&p) + result.doubt;
        for (uint32_t v = 0; v < p.n; v++) {
            check(rises[2 * v + labels[v]] == 0);
            check_rise(rises[2 * v + !labels[v]], least_with(&p, 1, &v, !labels[v]) - o.minimum, off, "variable", v);
            check(isinf(rises[2 * v + !labels[v]]) || most[v] <= rises[2 * v + !labels[v]]);
            check_rise(most[v], least_with(&p, 1, &v, !labels[v]) - o.minimum, off, "the bound of variable", v);
        }
        sos_energy_free(e);
        problem_free(&p);
    }
}

/* A grid that takes many flows: as many threads as one likes, and one group at a time, which is a cold start each. */
static void neither_threads_nor_other_groups_change_a_bit(void **state)
{
    (void)state;
    enum { WIDTH = 14, HEIGHT = 11, N = WIDTH * HEIGHT, GROUPS = 22 };
    for (uint64_t c = 0; c < test_cases(24); c++) {
        sos_random r = test_case_begin(c);
        problem p = problem_grid(&r, WIDTH, HEIGHT, (costs)sos_random_below(&r, COSTS_KINDS));
        if (one_in(&r, 3)) problem_add_random_concave(&r, &p, N, COSTS_INTEGERS, false);
        sos_energy *e = problem_build(&p);
        size_t start[GROUPS + 1] = { 0 };
        uint32_t members[N];
        uint8_t labels[2][N], alone[N];
        double rises[2][2 * GROUPS], most[2][N], pair[2];
        for (uint32_t v = 0; v < N; v++) members[v] = v;
        for (size_t g = 1; g <= GROUPS; g++) start[g] = g * N / GROUPS;
        for (int k = 0; k < 2; k++) {
            sos_marginals_settings s = sos_marginals_defaults();
            sos_error error;
            s.work.threads = k ? 3 : 1;
            check_ok(sos_min_marginals(e, GROUPS, start, members, &s, labels[k], rises[k], most[k], NULL, &error), error);
        }
        check(!memcmp(labels[0], labels[1], N) && !memcmp(rises[0], rises[1], sizeof rises[0]));
        check(!memcmp(most[0], most[1], sizeof most[0]));
        for (size_t g = 0; g < GROUPS; g++) {
            const size_t own[2] = { 0, start[g + 1] - start[g] };
            sos_error error;
            check_ok(sos_min_marginals(e, 1, own, members + start[g], NULL, alone, pair, NULL, NULL, &error), error);
            check(!memcmp(alone, labels[0], N) && !memcmp(pair, rises[0] + 2 * g, sizeof pair));
        }
        sos_energy_free(e);
        problem_free(&p);
    }
}

static bool stop_at_third(void *user, const char *phase, double done)
{
    check(!strcmp(phase, "min-marginals") && done >= 0 && done < 1);
    return ++*(size_t *)user < 3;
}

static void what_is_wrong_is_said_and_changes_nothing(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    problem p = problem_grid(&r, 4, 4, COSTS_INTEGERS);
    sos_energy *e = problem_build(&p);
    sos_marginals_settings s = sos_marginals_defaults();
    uint8_t labels[16];
    double rises[32], most[16];
    const uint32_t far[2] = { 3, 16 };
    const size_t back[2] = { 1, 0 };
    size_t calls = 0;
    sos_error error;
    memset(labels, 7, sizeof labels);
    for (size_t i = 0; i < 32; i++) rises[i] = -1;
    for (size_t i = 0; i < 16; i++) most[i] = -1;
    check_error(sos_min_marginals(NULL, 0, NULL, NULL, NULL, labels, rises, NULL, NULL, &error), SOS_ERR_ARGUMENT, error,
                "no energy");
    check_error(sos_min_marginals(e, 2, NULL, far, NULL, labels, rises, most, NULL, &error), SOS_ERR_ARGUMENT, error, "group 1",
                "variable 16");
    check_error(sos_min_marginals(e, 1, back, far, NULL, labels, rises, most, NULL, &error), SOS_ERR_ARGUMENT, error, "group 0",
                "begins");
    check_error(sos_min_marginals(e, 1, back, NULL, NULL, labels, rises, most, NULL, &error), SOS_ERR_ARGUMENT, error,
                "no members");
    s.reserved[2] = 1;
    check_is(sos_min_marginals(e, 16, NULL, NULL, &s, labels, rises, most, NULL, &error), SOS_ERR_ARGUMENT);
    s = sos_marginals_defaults();
    s.work.progress = stop_at_third;
    s.work.user = &calls;
    s.work.threads = 1;
    check_is(sos_min_marginals(e, 16, NULL, NULL, &s, labels, rises, most, NULL, &error), SOS_CANCELLED);
    check(calls == 3);
    for (size_t i = 0; i < 16; i++) check(labels[i] == 7 && rises[2 * i] == -1 && rises[2 * i + 1] == -1 && most[i] == -1);
    check_ok(sos_min_marginals(e, 0, NULL, NULL, NULL, labels, NULL, NULL, NULL, &error), error);
    check(labels[0] < 2);
    sos_energy_free(e);
    problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rises_are_those_of_all_labellings),
        cmocka_unit_test(single_variables_are_exact),
        cmocka_unit_test(neither_threads_nor_other_groups_change_a_bit),
        cmocka_unit_test(what_is_wrong_is_said_and_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
