/* test_minimize.c - the minimum is the minimum: against exhaustive search, with every setting; where there are too many
 * labellings to try, against plain augmenting paths. */
#include "support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "augment.h"
#include "minimize/network.h"

typedef struct answer {
    uint8_t *labels;
    sos_minimize_result result;
} answer;

typedef sos_status method(const sos_energy *e, const sos_minimize_settings *settings, uint8_t labels[],
                          sos_minimize_result *result, sos_error *error);

static answer answer_by(method *by, const sos_energy *e, const sos_minimize_settings *settings)
{
    answer a = { .labels = test_room(NULL, sos_energy_variables(e), 1) };
    sos_error error;
    memset(a.labels, 9, sos_energy_variables(e));
    check_ok(by(e, settings, a.labels, &a.result, &error), error);
    check(a.result.energy == sos_energy_value(e, a.labels));
    check(!a.result.warm || (settings && settings->start != SOS_START_COLD));
    return a;
}

static answer minimize(const sos_energy *e, const sos_minimize_settings *settings)
{
    return answer_by(sos_minimize, e, settings);
}

/* The smallest and the largest minimiser, with and without reduction; and by augmenting paths, which know no reduction. */
enum { WAYS = 6 };

static sos_minimize_settings settings_numbered(unsigned number)
{
    sos_minimize_settings s = sos_minimize_defaults();
    s.maximal = number & 1;
    s.reduce = !(number & 2);
    return s;
}

static answer answer_numbered(unsigned number, const sos_energy *e)
{
    const sos_minimize_settings s = settings_numbered(number);
    return answer_by(number < 4 ? sos_minimize : augment_minimize, e, &s);
}

static void check_all_settings(const problem *p)
{
    const oracle o = problem_solve_exhaustively(p);
    sos_energy *e = problem_build(p);
    for (unsigned number = 0; number < WAYS; number++) {
        answer a = answer_numbered(number, e);
        check_answer(p, &o, settings_numbered(number).maximal, a.labels, &a.result);
        free(a.labels);
    }
    sos_energy_free(e);
}

static void check_random(uint64_t count, const recipe *wanted)
{
    for (uint64_t c = 0; c < test_cases(count); c++) {
        sos_random r = test_case_begin(c);
        problem p = problem_random(&r, wanted);
        check_all_settings(&p);
        problem_free(&p);
    }
}

static void defaults_are_as_documented(void **state)
{
    (void)state;
    const sos_minimize_settings s = sos_minimize_defaults();
    check(s.start == SOS_START_COLD && !s.maximal && s.reduce);
    check(s.memory_limit == 0 && !s.work.progress);
}

static void small_integers_with_many_ties_give_the_very_minimiser(void **state)
{
    (void)state;
    check_random(1500, &(recipe){ COSTS_SMALL, 9, 14, 4, 0, false, false });
    check_random(800, &(recipe){ COSTS_SMALL, 12, 10, 6, 2, true, false });
}

static void integers_give_the_very_minimiser(void **state)
{
    (void)state;
    check_random(1000, &(recipe){ COSTS_INTEGERS, 9, 16, 6, 0, false, false });
    check_random(600, &(recipe){ COSTS_INTEGERS, 10, 12, 6, 2, true, false });
    check_random(40, &(recipe){ COSTS_INTEGERS, 14, 20, 6, 2, true, true });
}

static void large_integers_stay_exact(void **state)
{
    (void)state;
    check_random(600, &(recipe){ COSTS_LARGE, 9, 14, 6, 2, true, false });
}

/* From costs that 32 bits hold to those that only 64 do, by every number of bits in between. */
static void integers_of_every_size_stay_exact(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(600); c++) {
        sos_random r = test_case_begin(c);
        const recipe wanted = { COSTS_SMALL, 8, 10, c % 3 ? 4 : 2, c & 1, c & 2, false };
        problem p = problem_random(&r, &wanted);
        const double factor = (double)(1 + sos_random_below(&r, UINT64_C(1) << (16 + c % 26)));
        for (size_t i = 0; i < p.n; i++) {
            p.cost0[i] *= factor;
            p.cost1[i] = p.cost1[i] * factor + (double)sos_random_below(&r, 3);
        }
        for (size_t t = 0; t < p.table_count; t++)
            for (size_t S = 0; S < (size_t)1 << p.tables[t].k; S++) p.tables[t].f[S] *= factor;
        for (size_t t = 0; t < p.concave_count; t++)
            for (size_t m = 0; m <= p.concaves[t].k; m++) p.concaves[t].g[m] *= factor;
        check_all_settings(&p);
        problem_free(&p);
    }
}

static void binary_fractions_stay_exact(void **state)
{
    (void)state;
    check_random(500, &(recipe){ COSTS_DYADIC, 8, 12, 5, 0, false, false });
    check_random(500, &(recipe){ COSTS_DYADIC, 8, 12, 5, 2, true, false });
}

static void reals_give_the_minimum_up_to_rounding(void **state)
{
    (void)state;
    check_random(800, &(recipe){ COSTS_REALS, 10, 14, 6, 0, false, false });
    check_random(800, &(recipe){ COSTS_REALS, 9, 12, 6, 2, true, true });
}

static void huge_costs_give_the_minimum_up_to_rounding(void **state)
{
    (void)state;
    check_random(500, &(recipe){ COSTS_HUGE, 9, 12, 6, 2, true, true });
}

static void tiny_costs_give_the_minimum_up_to_rounding(void **state)
{
    (void)state;
    check_random(500, &(recipe){ COSTS_TINY, 9, 12, 6, 2, true, true });
}

static void mixed_magnitudes_give_the_minimum_up_to_rounding(void **state)
{
    (void)state;
    check_random(800, &(recipe){ COSTS_MIXED, 9, 12, 6, 2, true, true });
}

static void fixed_variables_are_kept_and_the_rest_is_optimal(void **state)
{
    (void)state;
    check_random(800, &(recipe){ COSTS_SMALL, 9, 14, 5, 1, true, true });
    check_random(500, &(recipe){ COSTS_INTEGERS, 9, 14, 6, 1, false, true });
}

static void cliques_of_one_size_only_are_minimised(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(900); c++) {
        sos_random r = test_case_begin(c);
        const size_t k = 1 + c % 6, n = k + (size_t)sos_random_below(&r, 5);
        const costs kind = c % 3 ? COSTS_SMALL : COSTS_INTEGERS;
        problem p = problem_grid(&r, n, 1, kind);
        for (uint64_t cliques = 1 + sos_random_below(&r, 12); cliques; cliques--) {
            double f[64];
            uint32_t variables[6];
            table_random(&r, k, kind, f);
            members_random(&r, n, k, variables);
            problem_add_clique(&p, problem_add_table(&p, k, f), variables, 1);
        }
        check_all_settings(&p);
        problem_free(&p);
    }
}

static void tables_of_many_members_are_minimised(void **state)
{
    (void)state;
    static const size_t SIZES[] = { 7, 8, 9, 10, 12 };
    for (uint64_t c = 0; c < test_cases(60); c++) {
        sos_random r = test_case_begin(c);
        const size_t k = SIZES[c % 5];
        problem p = problem_grid(&r, k + c % 3, 1, c & 1 ? COSTS_SMALL : COSTS_INTEGERS);
        double *f = test_room(NULL, (size_t)1 << k, sizeof *f);
        uint32_t variables[SOS_TABLE_MEMBERS_MAX];
        for (int cliques = 0; cliques < 3; cliques++) {
            table_random(&r, k, c & 1 ? COSTS_SMALL : COSTS_INTEGERS, f);
            members_random(&r, p.n, k, variables);
            problem_add_clique(&p, problem_add_table(&p, k, f), variables, cliques == 1 ? 2 : 1);
        }
        problem_add_random_clique(&r, &p, 3, COSTS_INTEGERS, true);
        check_all_settings(&p);
        free(f);
        problem_free(&p);
    }
}

static void the_largest_tables_are_minimised(void **state)
{
    (void)state;
    static double f[1 << SOS_TABLE_MEMBERS_MAX];
    for (uint64_t c = 0; c < test_cases(4); c++) {
        sos_random r = test_case_begin(c);
        problem p = problem_grid(&r, SOS_TABLE_MEMBERS_MAX, 1, COSTS_INTEGERS);
        uint32_t variables[SOS_TABLE_MEMBERS_MAX];
        for (int cliques = 0; cliques < 2; cliques++) {
            table_random(&r, SOS_TABLE_MEMBERS_MAX, COSTS_INTEGERS, f);
            members_random(&r, p.n, SOS_TABLE_MEMBERS_MAX, variables);
            problem_add_clique(&p, problem_add_table(&p, SOS_TABLE_MEMBERS_MAX, f), variables, 1);
        }
        check_all_settings(&p);
        problem_free(&p);
    }
}

static void an_empty_problem_costs_its_constant(void **state)
{
    (void)state;
    for (size_t n = 0; n < 3; n++)
        for (unsigned number = 0; number < WAYS; number++) {
            sos_energy *e;
            sos_error error;
            check_ok(sos_energy_create(n, &e, &error), error);
            check_ok(sos_energy_add_constant(e, -2.5, &error), error);
            answer a = answer_numbered(number, e);
            check(a.result.energy == -2.5 && a.result.lower_bound == -2.5 && a.result.rounding == 0);
            for (size_t i = 0; i < n; i++) check(a.labels[i] == settings_numbered(number).maximal);
            free(a.labels);
            sos_energy_free(e);
        }
}

static void all_but_the_labels_may_be_left_out(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    problem p = problem_grid(&r, 4, 3, COSTS_INTEGERS);
    double f[16];
    table_random(&r, 4, COSTS_INTEGERS, f);
    problem_add_patches(&p, problem_add_table(&p, 4, f), 4, 3, 2, 2);
    const oracle o = problem_solve_exhaustively(&p);
    sos_energy *e = problem_build(&p);
    uint8_t labels[12];
    check_is(sos_minimize(e, NULL, labels, NULL, NULL), SOS_OK);
    check(!memcmp(labels, o.minimal, p.n));
    check_is(sos_minimize(e, NULL, NULL, NULL, NULL), SOS_ERR_ARGUMENT);
    check_is(sos_minimize(NULL, NULL, labels, NULL, NULL), SOS_ERR_ARGUMENT);
    sos_energy_free(e);
    problem_free(&p);
}

/* Costs from the smallest doubles there are: the scale that makes them integers is beyond what a double holds. */
static void the_smallest_doubles_are_minimised(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(100); c++) {
        sos_random r = test_case_begin(c);
        const recipe wanted = { COSTS_SMALL, 8, 10, 4, 1, true, false };
        problem p = problem_random(&r, &wanted);
        sos_energy *integers = problem_build(&p);
        p.constant *= DBL_TRUE_MIN;
        for (size_t i = 0; i < p.n; i++) {
            p.cost0[i] *= DBL_TRUE_MIN;
            p.cost1[i] *= DBL_TRUE_MIN;
        }
        for (size_t t = 0; t < p.table_count; t++)
            for (size_t S = 0; S < (size_t)1 << p.tables[t].k; S++) p.tables[t].f[S] *= DBL_TRUE_MIN;
        for (size_t t = 0; t < p.concave_count; t++)
            for (size_t m = 0; m <= p.concaves[t].k; m++) p.concaves[t].g[m] *= DBL_TRUE_MIN;
        sos_energy *e = problem_build(&p);
        answer a = minimize(integers, NULL), b = minimize(e, NULL);
        check(b.result.energy == a.result.energy * DBL_TRUE_MIN);
        check(b.result.lower_bound == b.result.energy);
        check(!memcmp(a.labels, b.labels, p.n));
        free(a.labels);
        free(b.labels);
        sos_energy_free(e);
        sos_energy_free(integers);
        problem_free(&p);
    }
}

/* A large offset in a table or count function must not swallow what distinguishes labellings, as long as doubles hold it. */
static void integers_near_the_end_of_doubles_stay_exact(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(300); c++) {
        sos_random r = test_case_begin(c);
        const recipe wanted = { COSTS_SMALL, 8, 6, 4, 2, false, false };
        problem p = problem_random(&r, &wanted);
        const double offset = 0x1p51 / (double)(p.clique_count + p.concave_count + 1);
        for (size_t t = 0; t < p.table_count; t++)
            for (size_t S = 0; S < (size_t)1 << p.tables[t].k; S++) p.tables[t].f[S] += rint(offset);
        for (size_t t = 0; t < p.concave_count; t++)
            for (size_t m = 0; m <= p.concaves[t].k; m++) p.concaves[t].g[m] += rint(offset);
        check_all_settings(&p);
        problem_free(&p);
    }
}

/* Looks inside: an inequality that rounding breaks by one unit would not show in any energy. */
static void tables_of_reals_stay_submodular_as_integers(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(500); c++) {
        sos_random r = test_case_begin(c);
        const recipe wanted = { c & 1 ? COSTS_REALS : COSTS_MIXED, 8, 8, 6, 0, c & 2, false };
        problem p = problem_random(&r, &wanted);
        sos_energy *e = problem_build(&p);
        sos_network net = { 0 };
        sos_error error;
        check_ok(sos_network_build(&net, e, 0, &error), error);
        check_ok(sos_network_scale(&net, e, false, 0, &error), error);
        for (size_t t = 0; t < p.table_count; t++) {
            const size_t k = p.tables[t].k;
            const int64_t *F = net.table + e->tables[t].offset;
            if (k < 3) continue; /* pairs are turned into integers one by one */
            for (size_t A = 0; A < (size_t)1 << k; A++)
                for (size_t B = 0; B < (size_t)1 << k; B++) check(F[A] + F[B] >= F[A | B] + F[A & B]);
        }
        sos_network_free(&net);
        sos_energy_free(e);
        problem_free(&p);
    }
}

/* Not even in the last bit, which adding costs in another order may turn. */
static void the_lower_bound_is_never_above_the_energy(void **state)
{
    (void)state;
    static const costs KINDS[] = { COSTS_REALS, COSTS_MIXED, COSTS_HUGE, COSTS_DYADIC };
    for (uint64_t c = 0; c < test_cases(400); c++) {
        sos_random r = test_case_begin(c);
        const recipe wanted = { KINDS[c % 4], 30, 40, 5, 2, true, true };
        problem p = problem_random(&r, &wanted);
        sos_energy *e = problem_build(&p);
        for (unsigned number = 0; number < 2; number++) {
            const sos_minimize_settings s = settings_numbered(number);
            answer a = minimize(e, &s);
            if (a.result.lower_bound > a.result.energy)
                test_fail(__FILE__, __LINE__, "lower bound %.17g, energy %.17g", a.result.lower_bound, a.result.energy);
            free(a.labels);
        }
        sos_energy_free(e);
        problem_free(&p);
    }
}

/* Costs that no labelling pays must not set the scale of those that count. */
static void tables_that_do_not_count_do_not_spoil_the_rest(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(100); c++) {
        sos_random r = test_case_begin(c);
        const recipe wanted = { COSTS_SMALL, 6, 8, 4, 0, false, false };
        problem p = problem_random(&r, &wanted);
        const oracle o = problem_solve_exhaustively(&p);
        sos_energy *e = problem_build(&p);
        const size_t k = p.n > 2 ? 3 : p.n;
        double f[8];
        uint32_t variables[3] = { 0, 1, 2 }, table;
        const double nothing = 0;
        sos_error error;
        if (k) {
            table_random(&r, k, COSTS_HUGE, f);
            check_ok(sos_energy_add_table(e, k, f, &table, &error), error);
            if (c & 1) check_ok(sos_energy_add_cliques(e, table, 1, variables, &nothing, &error), error);
        }
        answer a = minimize(e, NULL);
        check_answer(&p, &o, false, a.labels, &a.result);
        free(a.labels);
        sos_energy_free(e);
        problem_free(&p);
    }
}

/* The minimum of one concave clique, by a search over counts; its members' labels. */
static double best_by_count(const problem *p, const problem_concave *c, bool maximal, uint8_t labels[])
{
    double *cost = test_room(NULL, c->k, sizeof *cost);
    uint8_t *chosen = test_room(NULL, c->k, 1);
    double zeros = 0;
    for (size_t b = 0; b < c->k; b++) {
        const uint32_t i = c->variables[b];
        cost[b] = p->cost1[i] - p->cost0[i];
        zeros += p->cost0[i];
    }
    const double best = zeros + (double)test_best_count(c->k, cost, c->g, maximal, chosen);
    for (size_t b = 0; b < c->k; b++) labels[c->variables[b]] = chosen[b];
    free(cost);
    free(chosen);
    return best;
}

/* Two concave cliques without common members, of k members in all; a piece of g costs memory in proportion to k. */
static problem concave_problem(sos_random *r, size_t k, size_t pieces)
{
    problem p = problem_grid(r, k, 1, COSTS_INTEGERS);
    uint32_t *variables = test_room(NULL, k, sizeof *variables);
    double *g = test_room(NULL, k + 1, sizeof *g);
    for (size_t b = 0; b < k; b++) variables[b] = (uint32_t)((b * 7919 + 13) % k); /* k is no multiple of that prime */
    const size_t first = k - k / 4;
    for (size_t c = 0; c < 2; c++) {
        const size_t members = c ? k - first : first;
        memset(g, 0, (k + 1) * sizeof *g);
        for (size_t q = 0; q < pieces; q++) {
            const size_t t = 1 + (size_t)sos_random_below(r, members);
            const double slope = (double)sos_random_below(r, 800);
            for (size_t m = 0; m <= members; m++) g[m] += slope * (double)(m < t ? m : t);
        }
        const double tilt = pieces ? (double)sos_random_below(r, 1600) - 800 : 0;
        for (size_t m = 0; m <= members; m++) g[m] -= tilt * (double)m;
        problem_add_concave(&p, members, variables + (c ? first : 0), g, 1);
    }
    free(variables);
    free(g);
    return p;
}

static void large_concave_cliques_agree_with_a_search_over_counts(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(20); c++) {
        sos_random r = test_case_begin(c);
        problem p = concave_problem(&r, c < 4 ? 2000 : 50 + (size_t)sos_random_below(&r, 300), (size_t)(c % 5));
        sos_energy *e = problem_build(&p);
        uint8_t *wanted = test_room(NULL, p.n, 1);
        for (unsigned number = 0; number < (p.n > 500 ? 4 : WAYS); number++) {
            double best = 0;
            for (size_t i = 0; i < 2; i++) best += best_by_count(&p, &p.concaves[i], settings_numbered(number).maximal, wanted);
            answer a = answer_numbered(number, e);
            check_certificate(&p, a.labels, &a.result);
            check(a.result.energy == best);
            check(!memcmp(a.labels, wanted, p.n));
            free(a.labels);
        }
        free(wanted);
        sos_energy_free(e);
        problem_free(&p);
    }
}

/* ---- grids too large for exhaustive search ---- */

static void add_grid_table(sos_random *r, problem *p, size_t k, costs kind, size_t width, size_t height, size_t dx, size_t dy)
{
    double *f = test_room(NULL, (size_t)1 << k, sizeof *f);
    table_random(r, k, kind, f);
    problem_add_patches(p, problem_add_table(p, k, f), width, height, dx, dy);
    free(f);
}

/* A grid of width x height with patches of the kinds set in shapes: pairs, 2x2, 3x3, rows of 3; weights if bit 4 is set. */
static problem grid_problem(sos_random *r, size_t width, size_t height, costs kind, unsigned shapes)
{
    problem p = problem_grid(r, width, height, kind);
    if (shapes & 1) add_grid_table(r, &p, 2, kind, width, height, 2, 1);
    if (shapes & 1) add_grid_table(r, &p, 2, kind, width, height, 1, 2);
    if (shapes & 2) add_grid_table(r, &p, 4, kind, width, height, 2, 2);
    if (shapes & 4) add_grid_table(r, &p, 9, kind, width, height, 3, 3);
    if (shapes & 8) add_grid_table(r, &p, 3, kind, width, height, 3, 1);
    for (size_t c = 0; shapes & 16 && c < p.clique_count; c++) p.cliques[c].weight = (double)sos_random_below(r, 3);
    return p;
}

/* All ways prove their answer, and the answer is one. */
static void check_ways_agree(const problem *p)
{
    sos_energy *e = problem_build(p);
    answer first[2];
    for (unsigned number = 0; number < WAYS; number++) {
        answer a = answer_numbered(number, e);
        check_certificate(p, a.labels, &a.result);
        if (number < 2) {
            first[number] = a;
            continue;
        }
        const answer *b = &first[number & 1];
        check(a.result.energy == first[0].result.energy);
        check(!memcmp(a.labels, b->labels, p->n));
        free(a.labels);
    }
    for (size_t i = 0; i < p->n; i++) check(first[0].labels[i] <= first[1].labels[i]);
    free(first[0].labels);
    free(first[1].labels);
    sos_energy_free(e);
}

static void on_grids_the_cut_equals_the_flow_and_that_of_augmenting_paths(void **state)
{
    (void)state;
    static const unsigned SHAPES[] = { 1, 2, 4, 8, 3, 6, 15, 18, 20, 31 };
    static const costs KINDS[] = { COSTS_INTEGERS, COSTS_SMALL, COSTS_LARGE };
    for (uint64_t c = 0; c < test_cases(30); c++) {
        sos_random r = test_case_begin(c);
        const unsigned shapes = SHAPES[c % 10];
        const bool heavy = shapes & 4;
        problem p = grid_problem(&r, heavy ? 24 : 60, heavy ? 18 : 40, KINDS[c % 3], shapes);
        if (c % 4 == 3) problem_add_random_concave(&r, &p, 40, KINDS[c % 3], c & 8);
        check_ways_agree(&p);
        problem_free(&p);
    }
}

static void on_grids_with_reals_the_cut_equals_the_flow(void **state)
{
    (void)state;
    static const costs KINDS[] = { COSTS_REALS, COSTS_HUGE, COSTS_TINY };
    for (uint64_t c = 0; c < test_cases(9); c++) {
        sos_random r = test_case_begin(c);
        problem p = grid_problem(&r, 30, 20, KINDS[c % 3], c & 1 ? 15 : 10);
        sos_energy *e = problem_build(&p);
        for (unsigned number = 0; number < WAYS; number++) {
            answer a = answer_numbered(number, e), b = minimize(e, NULL);
            check_certificate(&p, a.labels, &a.result);
            check(fabs(a.result.energy - b.result.energy) <=
                  2 * (a.result.rounding + b.result.rounding) + 1e-13 * (double)problem_magnitude(&p));
            free(a.labels);
            free(b.labels);
        }
        sos_energy_free(e);
        problem_free(&p);
    }
}

/* Pairs or 2x2 patches of a grid, pixel by pixel, with so many tables, in that order or in any: what the first flow takes eight
 * at a time, and what it cannot. */
static problem listed_grid(sos_random *r, size_t width, size_t height, costs kind, size_t k, size_t tables, bool shuffled)
{
    problem p = problem_grid(r, width, height, kind);
    double f[16];
    for (size_t t = 0; t < tables; t++) {
        table_random(r, k, kind, f);
        problem_add_table(&p, k, f);
    }
    for (size_t i = 0; i < width * height; i++) {
        const uint32_t v = (uint32_t)i, down = v + (uint32_t)width;
        const bool right = (i + 1) % width, below = i + width < width * height;
        if (k == 2 && right) problem_add_clique(&p, (uint32_t)sos_random_below(r, tables), (uint32_t[]){ v, v + 1 }, 1);
        if (k == 2 && below) problem_add_clique(&p, (uint32_t)sos_random_below(r, tables), (uint32_t[]){ down, v }, 1);
        if (k == 4 && right && below)
            problem_add_clique(&p, (uint32_t)sos_random_below(r, tables), (uint32_t[]){ v, v + 1, down, down + 1 }, 1);
    }
    for (size_t c = p.clique_count; shuffled && c > 1; c--) {
        const size_t other = (size_t)sos_random_below(r, c);
        const problem_clique last = p.cliques[c - 1];
        p.cliques[c - 1] = p.cliques[other];
        p.cliques[other] = last;
    }
    return p;
}

static void on_grids_in_any_order_and_with_any_tables_all_ways_agree(void **state)
{
    (void)state;
    static const costs KINDS[] = { COSTS_INTEGERS, COSTS_SMALL, COSTS_LARGE, COSTS_DYADIC };
    for (uint64_t c = 0; c < test_cases(32); c++) {
        sos_random r = test_case_begin(c);
        problem p = listed_grid(&r, 40 + (size_t)(c % 7), 30, KINDS[c / 8 % 4], c & 1 ? 4 : 2, c & 2 ? 5 : 1, c & 4);
        check_ways_agree(&p);
        problem_free(&p);
    }
}

/* A grid that the reduction cannot settle: patches of a strong prior over noise. */
static problem noisy_grid(sos_random *r, size_t width, size_t height)
{
    problem p = problem_grid(r, width, height, COSTS_INTEGERS);
    double f[16];
    for (size_t S = 0; S < 16; S++) {
        const int m = __builtin_popcountll(S);
        f[S] = 150 * m * (4 - m);
    }
    problem_add_patches(&p, problem_add_table(&p, 4, f), width, height, 2, 2);
    return p;
}

static void the_same_call_gives_the_same_answer(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    problem p = noisy_grid(&r, 40, 30);
    sos_energy *e = problem_build(&p), *copy = problem_build(&p);
    answer a = minimize(e, NULL), b = minimize(copy, NULL);
    check(!memcmp(a.labels, b.labels, p.n));
    check(a.result.augmentations == b.result.augmentations && a.result.pushes == b.result.pushes);
    check(a.result.adoptions == b.result.adoptions && a.result.growths == b.result.growths);
    check(a.result.fixed == b.result.fixed && a.result.bytes == b.result.bytes);
    check(a.result.augmentations > 0 && a.result.pushes > 0 && a.result.bytes > 0);
    free(a.labels);
    free(b.labels);
    sos_energy_free(e);
    sos_energy_free(copy);
    problem_free(&p);
}

/* ---- progress, cancelling, memory ---- */

typedef struct watch {
    uint64_t calls, stop_at;
    bool sane;
} watch;

static bool watching(void *user, const char *phase, double done)
{
    watch *w = user;
    w->sane &= phase && *phase && done <= 1;
    return ++w->calls != w->stop_at;
}

static void check_cancelling(const problem *p)
{
    sos_energy *e = problem_build(p);
    sos_minimizer *m = NULL;
    sos_error error;
    check_ok(sos_minimizer_create(&m, &error), error);
    answer wanted = minimize(e, NULL);
    uint8_t *labels = test_room(NULL, p->n, 1);
    watch w = { 0, 0, true };
    sos_minimize_settings s = sos_minimize_defaults();
    s.work.progress = watching;
    s.work.user = &w;
    check_ok(sos_minimizer_run(m, e, &s, labels, NULL, &error), error);
    check(w.calls > 0 && w.sane);
    const uint64_t calls = w.calls, step = calls / 8 + 1;
    for (uint64_t stop = 1; stop <= calls; stop += step) {
        w = (watch){ 0, stop, true };
        memset(labels, 9, p->n);
        s.start = SOS_START_COLD;
        check_error(sos_minimizer_run(m, e, &s, labels, NULL, &error), SOS_CANCELLED, error, "");
        check(w.calls == stop && w.sane);
        for (size_t i = 0; i < p->n; i++) check(labels[i] == 9);
        sos_minimize_result result;
        w = (watch){ 0, 0, true };
        s.start = stop & 1 ? SOS_START_FLOW : SOS_START_COLD;
        check_ok(sos_minimizer_run(m, e, &s, labels, &result, &error), error);
        check_certificate(p, labels, &result);
        check(!memcmp(labels, wanted.labels, p->n));
    }
    free(labels);
    free(wanted.labels);
    sos_minimizer_free(m);
    sos_energy_free(e);
}

static void cancelling_leaves_a_usable_minimizer(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    problem p = noisy_grid(&r, 60, 40);
    check_cancelling(&p);
    problem_free(&p);
}

static void check_memory_limit(const problem *p)
{
    sos_energy *e = problem_build(p);
    sos_minimizer *m = NULL;
    sos_error error;
    check_ok(sos_minimizer_create(&m, &error), error);
    sos_minimize_settings s = sos_minimize_defaults();
    answer wanted = minimize(e, &s);
    check(wanted.result.bytes > 0);
    uint8_t *labels = test_room(NULL, p->n, 1);
    for (size_t limit = 1; limit < wanted.result.bytes; limit += limit / 3 + 1) {
        s.memory_limit = limit;
        memset(labels, 9, p->n);
        const sos_status status = sos_minimizer_run(m, e, &s, labels, NULL, &error);
        if (status == SOS_OK)
            test_fail(__FILE__, __LINE__, "%zu bytes are held, over the limit of %zu", wanted.result.bytes, limit);
        check_error(status, SOS_ERR_MEMORY, error, "limit", "bytes");
        for (size_t i = 0; i < p->n; i++) check(labels[i] == 9);
    }
    sos_minimize_result result;
    s.memory_limit = wanted.result.bytes;
    check_ok(sos_minimizer_run(m, e, &s, labels, &result, &error), error);
    check(result.bytes <= s.memory_limit);
    check(!memcmp(labels, wanted.labels, p->n));
    free(labels);
    free(wanted.labels);
    sos_minimizer_free(m);
    sos_energy_free(e);
}

static void a_limit_on_memory_is_kept_and_explained(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    problem p = noisy_grid(&r, 30, 20);
    check_memory_limit(&p);
    for (int c = 0; c < 3; c++) problem_add_random_clique(&r, &p, 6, COSTS_INTEGERS, true);
    problem_add_random_concave(&r, &p, 40, COSTS_INTEGERS, true);
    check_memory_limit(&p);
    problem_free(&p);
}

/* What a minimizer kept from a larger energy must not count against a smaller one, or a batch would depend on its threads. */
static void a_limit_on_memory_does_not_depend_on_earlier_runs(void **state)
{
    (void)state;
    for (size_t rows = 4; rows < 20; rows++) {
        sos_random r = test_case_begin(rows);
        problem large = noisy_grid(&r, 20, 20), small = noisy_grid(&r, 20, rows);
        sos_energy *first = problem_build(&large), *second = problem_build(&small);
        sos_minimize_settings s = sos_minimize_defaults();
        sos_minimizer *m = NULL;
        sos_error error;
        answer a = minimize(first, &s), b = minimize(second, &s);
        check_ok(sos_minimizer_create(&m, &error), error);
        check_ok(sos_minimizer_run(m, first, &s, a.labels, NULL, &error), error);
        s.memory_limit = b.result.bytes;
        check_ok(sos_minimizer_run(m, second, &s, a.labels, NULL, &error), error);
        check(!memcmp(a.labels, b.labels, small.n));
        sos_minimizer_free(m);
        free(a.labels);
        free(b.labels);
        sos_energy_free(first);
        sos_energy_free(second);
        problem_free(&large);
        problem_free(&small);
    }
}

/* The largest weight of a size of cliques times their largest cost, of different cliques, is no number. */
static void products_that_are_no_numbers_are_refused(void **state)
{
    (void)state;
    sos_energy *e;
    sos_error error;
    uint8_t labels[4];
    uint32_t small, large;
    const double little[] = { 0, 1, 1, 0 }, much[] = { 0, 1e247, 1e247, 0 }, heavy = 1e130;
    check_ok(sos_energy_create(4, &e, &error), error);
    check_ok(sos_energy_add_table(e, 2, little, &small, &error), error);
    check_ok(sos_energy_add_table(e, 2, much, &large, &error), error);
    check_ok(sos_energy_add_cliques(e, small, 1, (const uint32_t[]){ 0, 1 }, &heavy, &error), error);
    check_ok(sos_energy_add_cliques(e, large, 1, (const uint32_t[]){ 2, 3 }, NULL, &error), error);
    check_error(sos_minimize(e, NULL, labels, NULL, &error), SOS_ERR_RANGE, error, "so large");
    sos_energy_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_as_documented),
        cmocka_unit_test(an_empty_problem_costs_its_constant),
        cmocka_unit_test(all_but_the_labels_may_be_left_out),
        cmocka_unit_test(small_integers_with_many_ties_give_the_very_minimiser),
        cmocka_unit_test(integers_give_the_very_minimiser),
        cmocka_unit_test(cliques_of_one_size_only_are_minimised),
        cmocka_unit_test(large_integers_stay_exact),
        cmocka_unit_test(integers_near_the_end_of_doubles_stay_exact),
        cmocka_unit_test(integers_of_every_size_stay_exact),
        cmocka_unit_test(binary_fractions_stay_exact),
        cmocka_unit_test(reals_give_the_minimum_up_to_rounding),
        cmocka_unit_test(huge_costs_give_the_minimum_up_to_rounding),
        cmocka_unit_test(tiny_costs_give_the_minimum_up_to_rounding),
        cmocka_unit_test(mixed_magnitudes_give_the_minimum_up_to_rounding),
        cmocka_unit_test(the_smallest_doubles_are_minimised),
        cmocka_unit_test(tables_that_do_not_count_do_not_spoil_the_rest),
        cmocka_unit_test(tables_of_reals_stay_submodular_as_integers),
        cmocka_unit_test(the_lower_bound_is_never_above_the_energy),
        cmocka_unit_test(fixed_variables_are_kept_and_the_rest_is_optimal),
        cmocka_unit_test(tables_of_many_members_are_minimised),
        cmocka_unit_test(the_largest_tables_are_minimised),
        cmocka_unit_test(large_concave_cliques_agree_with_a_search_over_counts),
        cmocka_unit_test(on_grids_the_cut_equals_the_flow_and_that_of_augmenting_paths),
        cmocka_unit_test(on_grids_in_any_order_and_with_any_tables_all_ways_agree),
        cmocka_unit_test(on_grids_with_reals_the_cut_equals_the_flow),
        cmocka_unit_test(the_same_call_gives_the_same_answer),
        cmocka_unit_test(cancelling_leaves_a_usable_minimizer),
        cmocka_unit_test(a_limit_on_memory_is_kept_and_explained),
        cmocka_unit_test(a_limit_on_memory_does_not_depend_on_earlier_runs),
        cmocka_unit_test(products_that_are_no_numbers_are_refused),
    };
    return cmocka_run_group_tests_name("minimize", tests, NULL, NULL);
}
