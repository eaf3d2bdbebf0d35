/* test_certificate.c - what minimising claims holds in exact arithmetic, for costs of all magnitudes in one energy: no
 * labelling costs less than the lower bound, and none costs less than the answer by more than twice the rounding. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/wide.h"
#include "exact_sum.h"
#include "multi_energy_support.h"

static exact_sum exact_value(const problem *p, const uint8_t labels[])
{
    exact_sum sum = { { 0 } };
    exact_add(&sum, p->constant);
    for (size_t i = 0; i < p->n; i++) exact_add(&sum, labels[i] ? p->cost1[i] : p->cost0[i]);
    for (size_t c = 0; c < p->clique_count; c++) {
        const problem_clique *q = &p->cliques[c];
        size_t S = 0;
        for (size_t b = 0; b < p->tables[q->table].k; b++) S |= (size_t)(labels[q->variables[b]] != 0) << b;
        exact_add_product(&sum, q->weight, p->tables[q->table].f[S]);
    }
    for (size_t c = 0; c < p->concave_count; c++) {
        size_t ones = 0;
        for (size_t b = 0; b < p->concaves[c].k; b++) ones += labels[p->concaves[c].variables[b]] != 0;
        exact_add_product(&sum, p->concaves[c].weight, p->concaves[c].g[ones]);
    }
    return sum;
}

static exact_sum exact_minimum(const problem *p)
{
    exact_sum least = { { 0 } };
    bool first = true;
    for (uint64_t y = 0; y < UINT64_C(1) << p->n; y++) {
        uint8_t labels[EXHAUSTIVE_MAX];
        bool fits = true;
        for (size_t i = 0; i < p->n; i++) {
            labels[i] = y >> i & 1;
            fits &= p->fixed[i] == SOS_FREE || p->fixed[i] == labels[i];
        }
        if (!fits) continue;
        const exact_sum value = exact_value(p, labels), less = exact_difference(&value, &least);
        if (first || exact_sign(&less) < 0) least = value;
        first = false;
    }
    return least;
}

/* a - b <= x, exactly. */
static bool is_within(const exact_sum *a, const exact_sum *b, double x)
{
    if (isinf(x)) return x > 0;
    exact_sum d = exact_difference(a, b);
    exact_add(&d, -x);
    return exact_sign(&d) <= 0;
}

static void check_claims(const problem *p, const exact_sum *least, const sos_minimize_settings *s)
{
    sos_energy *e = problem_build(p);
    uint8_t labels[EXHAUSTIVE_MAX] = { 0 };
    sos_minimize_result r;
    sos_error error;
    const sos_status status = sos_minimize(e, s, labels, &r, &error);
    sos_energy_free(e);
    if (status) { /* products that are no numbers */
        check_error(status, SOS_ERR_RANGE, error, "so large");
        return;
    }
    const exact_sum value = exact_value(p, labels);
    check(r.rounding >= 0 && !isnan(r.lower_bound));
    exact_sum bound = { { 0 } };
    if (!isinf(r.lower_bound)) exact_add(&bound, r.lower_bound);
    if (r.lower_bound > 0 ? isinf(r.lower_bound) : !isinf(r.lower_bound) && !is_within(&bound, least, 0))
        test_fail(__FILE__, __LINE__, "lower bound %.17g is above the minimum; energy %.17g, rounding %g, %d bits",
                  r.lower_bound, r.energy, r.rounding, r.bits);
    if (!is_within(&value, least, 2 * r.rounding))
        test_fail(__FILE__, __LINE__,
                  "the answer is not within 2 * %g of the minimum; energy %.17g, lower bound %.17g, %d bits", r.rounding,
                  r.energy, r.lower_bound, r.bits);
}

static void check_all_settings(const problem *p)
{
    static const int BITS[] = { 0, 32, 64 };
    const exact_sum least = exact_minimum(p);
    for (int b = 0; b < 3; b++) {
        sos_minimize_settings s = sos_minimize_defaults();
        s.bits = BITS[b];
        s.maximal = b & 1;
        check_claims(p, &least, &s);
    }
}

/* A factor for all costs of a term, so that terms of one energy lie far apart. */
static double factor_random(sos_random *r, int range)
{
    return ldexp(1, (int)sos_random_below(r, 2 * (uint64_t)range) - range);
}

static void spread(sos_random *r, problem *p, int range)
{
    for (size_t i = 0; i < p->n; i++) {
        p->cost0[i] *= factor_random(r, range);
        p->cost1[i] *= factor_random(r, range);
    }
    for (size_t t = 0; t < p->table_count; t++) {
        const double factor = factor_random(r, range);
        for (size_t S = 0; S < (size_t)1 << p->tables[t].k; S++) p->tables[t].f[S] *= factor;
    }
    for (size_t c = 0; c < p->concave_count; c++) {
        const double factor = factor_random(r, range);
        for (size_t m = 0; m <= p->concaves[c].k; m++) p->concaves[c].g[m] *= factor;
    }
    for (size_t c = 0; c < p->clique_count; c++) p->cliques[c].weight *= factor_random(r, range / 3);
}

static void claims_hold_for_costs_of_every_kind(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(600); c++) {
        sos_random r = test_case_begin(c);
        const recipe wanted = { (costs)(c % COSTS_KINDS), 6, 6, 4, c & 1 ? 2 : 0, c & 2, c & 4 };
        problem p = problem_random(&r, &wanted);
        check_all_settings(&p);
        problem_free(&p);
    }
}

static void claims_hold_for_costs_far_apart(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(1500); c++) {
        sos_random r = test_case_begin(c);
        static const costs KINDS[] = { COSTS_SMALL, COSTS_INTEGERS, COSTS_DYADIC, COSTS_REALS };
        const recipe wanted = { KINDS[c % 4], 5, 5, 4, c & 1, c & 2, false };
        problem p = problem_random(&r, &wanted);
        spread(&r, &p, 10 << c % 7);
        check_all_settings(&p);
        problem_free(&p);
    }
}

/* 4e-179 is lost beside 1e251, and the answer without it is not the minimum. */
static void a_cost_that_vanishes_beside_another_counts(void **state)
{
    (void)state;
    problem p = problem_create(2);
    p.cost1[0] = -4e-179;
    p.cost1[1] = 1e251;
    check_all_settings(&p);
    sos_energy *e = problem_build(&p);
    uint8_t labels[2];
    sos_minimize_result r;
    sos_error error;
    check_ok(sos_minimize(e, NULL, labels, &r, &error), error);
    check(labels[0] == 1 || (r.rounding >= 4e-179 && r.lower_bound <= -4e-179));
    sos_energy_free(e);
    problem_free(&p);
}

/* 0.3 is lost in the difference of 0.3 and 1e16. */
static void a_cost_that_vanishes_in_a_difference_counts(void **state)
{
    (void)state;
    problem p = problem_create(2);
    static const double TOGETHER[] = { 0, 1e18, 1e18, 0 };
    p.cost0[0] = 1e16;
    p.cost1[0] = -0.3;
    p.cost1[1] = 1e16;
    problem_add_clique(&p, problem_add_table(&p, 2, TOGETHER), (uint32_t[]){ 0, 1 }, 1);
    check_all_settings(&p);
    problem_free(&p);
}

/* Sums of costs that are no number prove nothing. */
static void a_bound_beyond_doubles_is_no_bound(void **state)
{
    (void)state;
    enum { N = 400 };
    for (uint64_t c = 0; c < test_cases(20); c++) {
        sos_random r = test_case_begin(c);
        problem p = problem_create(N);
        exact_sum least = { { 0 } };
        for (size_t i = 0; i < N; i++) {
            p.cost0[i] = 1e306 * (1 + 1e-9 * sos_random_uniform(&r));
            p.cost1[i] = 1e306 * (c & 1 ? 1 : -1) * (1 + 1e-9 * sos_random_uniform(&r));
            if (c & 2) p.cost0[i] = i & 1 ? p.cost0[i] : -p.cost0[i];
            exact_add(&least, fmin(p.cost0[i], p.cost1[i]));
        }
        for (int bits = 0; bits <= 64; bits += 32) {
            sos_minimize_settings s = sos_minimize_defaults();
            s.bits = bits;
            sos_energy *e = problem_build(&p);
            uint8_t labels[N];
            sos_minimize_result result;
            sos_error error;
            check_ok(sos_minimize(e, &s, labels, &result, &error), error);
            exact_sum bound = { { 0 } };
            if (!isinf(result.lower_bound)) exact_add(&bound, result.lower_bound);
            check(result.lower_bound == -INFINITY || (isfinite(result.lower_bound) && is_within(&bound, &least, 0)));
            sos_energy_free(e);
        }
        problem_free(&p);
    }
}

/* With integers and multiples of a power of two nothing is lost, and the bound is the energy. */
static void exact_costs_have_exact_bounds(void **state)
{
    (void)state;
    static const costs KINDS[] = { COSTS_SMALL, COSTS_INTEGERS, COSTS_LARGE, COSTS_DYADIC };
    for (uint64_t c = 0; c < test_cases(600); c++) {
        sos_random r = test_case_begin(c);
        const recipe wanted = { KINDS[c % 4], 8, 8, 4, c % 4 == 3 ? 0 : 2, c % 4 != 3, c & 4 };
        problem p = problem_random(&r, &wanted);
        sos_energy *e = problem_build(&p);
        uint8_t labels[EXHAUSTIVE_MAX];
        sos_minimize_result result;
        sos_error error;
        check_ok(sos_minimize(e, NULL, labels, &result, &error), error);
        check(result.rounding == 0 && result.lower_bound == result.energy);
        sos_energy_free(e);
        problem_free(&p);
    }
}

/* ---- several labels ---- */

/* Reaches are 1, 2 or 4, so that quarters of weights are all there is. */
static void exact_add_term(exact_sum *sum, const many *p, const term *t, const uint8_t y[])
{
    const bool robust = t->kind == TERM_PN || t->kind == TERM_ROBUST;
    if (t->kind == TERM_POTTS && y[t->variables[0]] != y[t->variables[1]]) exact_add(sum, t->weight);
    if (t->kind == TERM_POTTS) return;
    if (robust) exact_add_product(sum, t->weight, t->most);
    for (size_t l = 0; l < p->labels; l++) {
        size_t S = 0, m = 0;
        for (size_t q = 0; q < t->k; q++) {
            S |= (size_t)(y[t->variables[q]] == l) << q;
            m += y[t->variables[q]] == l;
        }
        if (t->kind == TERM_TABLES) exact_add_product(sum, t->weight, t->g[(l << t->k) + S]);
        if (t->kind == TERM_COUNTS) exact_add_product(sum, t->weight, t->g[l * (t->k + 1) + m]);
        const double reach = t->kind == TERM_PN ? 1 : t->reach[l], quarters = 4 * (reach - (double)(t->k - m)) / reach;
        for (double i = 0; robust && i < quarters; i++) {
            exact_add_product(sum, t->weight / 4, t->agree[l]);
            exact_add_product(sum, t->weight / 4, -t->most);
        }
    }
}

static exact_sum exact_many_value(const many *p, const uint8_t y[])
{
    exact_sum sum = { { 0 } };
    exact_add(&sum, p->constant);
    for (size_t i = 0; i < p->n; i++) exact_add(&sum, p->unary[i * p->labels + y[i]]);
    for (size_t t = 0; t < p->count; t++) exact_add_term(&sum, p, &p->terms[t], y);
    return sum;
}

static void check_bound(const many *p, double bound)
{
    exact_sum claimed = { { 0 } };
    uint8_t y[8] = { 0 };
    check(!isnan(bound) && bound < INFINITY);
    if (isinf(bound)) return;
    exact_add(&claimed, bound);
    do {
        const exact_sum value = exact_many_value(p, y);
        if (!is_within(&claimed, &value, 0)) test_fail(__FILE__, __LINE__, "%.17g is no lower bound", bound);
    } while (many_next(p, y));
}

static void no_labelling_with_several_labels_costs_less_than_the_bound(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(800); c++) {
        sos_random r = test_case_begin(c);
        many p = many_random(&r, (size_t)sos_random_below(&r, 4), 2 + (size_t)sos_random_below(&r, 2), 4, 3,
                             (costs)(c % COSTS_KINDS));
        sos_multi_energy *e = many_build(&p, false);
        uint8_t y[8];
        sos_expand_result result;
        sos_error error;
        check_ok(sos_expand(e, NULL, y, &result, &error), error);
        check_bound(&p, sos_multi_energy_lower_bound(e));
        check_bound(&p, result.lower_bound);
        sos_multi_energy_free(e);
        many_free(&p);
    }
}

/* ---- the arithmetic itself ---- */

/* Products of two vanish now and then, but never overflow. */
static double wild(sos_random *r) { return (sos_random_uniform(r) - 0.5) * ldexp(1, (int)sos_random_below(r, 1112) - 600); }

static void what_rounding_does_is_known(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(20000); c++) {
        sos_random r = test_case_begin(c);
        const double a = wild(&r), b = c & 1 ? wild(&r) : a * (1 + 0x1p-40 * (sos_random_uniform(&r) - 0.5)), x = a - b,
                     y = a * b;
        exact_sum difference = { { 0 } }, product = { { 0 } };
        exact_add(&difference, a);
        exact_add(&difference, -b);
        exact_add(&difference, -x);
        exact_add_product(&product, a, b);
        exact_add(&product, -y);
        exact_sum zero = { { 0 } };
        const double d = sos_difference_off(a, b), p = sos_product_off(a, b);
        check(is_within(&difference, &zero, d) && is_within(&zero, &difference, d));
        check(is_within(&product, &zero, p) && is_within(&zero, &product, p));
        check((d == 0) == (exact_sign(&difference) == 0));
        check((p == 0) == (exact_sign(&product) == 0));
        check(sos_is_whole(a) == (a == rint(a)) && sos_is_whole(rint(a)));
    }
    check(sos_is_whole(0x1p51 + 1) && !sos_is_whole(0x1p51 + 0.5) && sos_is_whole(DBL_MAX) && !sos_is_whole(DBL_TRUE_MIN));
}

static void wide_sums_say_how_far_they_are_off(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(2000); c++) {
        sos_random r = test_case_begin(c);
        sos_wide wide = { 0, 0 };
        exact_sum exact = { { 0 } };
        const int exponent = (int)sos_random_below(&r, 1800) - 1000, shift = (int)sos_random_below(&r, 62);
        for (uint64_t i = 1 + sos_random_below(&r, 50); i; i--) {
            const int64_t x = (int64_t)sos_random_bits(&r) >> shift;
            sos_wide_add(&wide, x);
            exact_add_product(&exact, (double)(x >> 32), ldexp(1, 32));
            exact_add(&exact, (double)(x & UINT32_MAX));
        }
        const sos_sum value = sos_wide_value(wide, exponent);
        exact_sum scaled = { { 0 } }; /* value 2^-exponent, to compare where nothing underflows */
        if (!isfinite(value.total)) continue;
        if (exponent < -960) {
            check(value.off >= 0);
            continue;
        }
        exact_add_product(&scaled, value.total, ldexp(1, -exponent));
        exact_sum allowed = { { 0 } };
        exact_add_product(&allowed, value.off, ldexp(1, -exponent));
        const exact_sum over = exact_difference(&scaled, &exact), under = exact_difference(&exact, &scaled);
        const exact_sum a = exact_difference(&over, &allowed), b = exact_difference(&under, &allowed);
        check(exact_sign(&a) <= 0 && exact_sign(&b) <= 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(claims_hold_for_costs_of_every_kind),
        cmocka_unit_test(claims_hold_for_costs_far_apart),
        cmocka_unit_test(a_cost_that_vanishes_beside_another_counts),
        cmocka_unit_test(a_cost_that_vanishes_in_a_difference_counts),
        cmocka_unit_test(a_bound_beyond_doubles_is_no_bound),
        cmocka_unit_test(exact_costs_have_exact_bounds),
        cmocka_unit_test(no_labelling_with_several_labels_costs_less_than_the_bound),
        cmocka_unit_test(what_rounding_does_is_known),
        cmocka_unit_test(wide_sums_say_how_far_they_are_off),
    };
    return cmocka_run_group_tests_name("certificate", tests, NULL, NULL);
}
