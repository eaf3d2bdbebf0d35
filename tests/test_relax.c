/* test_relax.c - bounds by relaxation against exhaustive search. */
#include "multi_energy_support.h"

#include <stdio.h>

#include <sos/relax.h>

static void bounds_are_below_all_labellings(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(400); c++) {
        sos_random r = test_case_begin(c);
        const size_t labels = 2 + (size_t)sos_random_below(&r, 3), n = (size_t)sos_random_below(&r, 7);
        const costs kind = (costs)sos_random_below(&r, COSTS_KINDS);
        many p = many_random(&r, n, labels, 6, 5, kind);
        sos_multi_energy *e = many_build(&p, false);
        uint8_t *y = test_room(NULL, n, 1);
        sos_relax_settings s = sos_relax_defaults();
        sos_relax_result result;
        sos_error error;
        s.rounds = (size_t)sos_random_below(&r, 40);
        s.work.threads = 1;
        many_labels_random(&r, &p, y);
        const double given = sos_multi_energy_value(e, y);
        check_ok(sos_relax(e, &s, y, &result, &error), error);
        const long double least = many_least(&p), off = many_tolerance(&p);
        if (result.lower_bound > least + off)
            test_fail(__FILE__, __LINE__, "the bound %.17g is above the minimum %.17Lg", result.lower_bound, least);
        check(result.energy == sos_multi_energy_value(e, y) && result.energy <= given);
        check(result.lower_bound <= result.energy && result.rounds <= s.rounds);
        if (result.exact && result.energy > least + off + s.gap * fabsl(least))
            test_fail(__FILE__, __LINE__, "%.17g is called a minimum, which is %.17Lg", result.energy, least);
        free(y);
        sos_multi_energy_free(e);
        many_free(&p);
    }
}

/* Potts pairs and random tables with real costs: most relaxations have no gap, and rounds enough to see it. */
static void most_bounds_are_the_minimum(void **state)
{
    (void)state;
    const uint64_t cases = test_cases(100);
    size_t tight = 0, better = 0;
    for (uint64_t c = 0; c < cases; c++) {
        sos_random r = test_case_begin(c);
        many p = many_random(&r, 7, 3, 8, 4, COSTS_REALS);
        sos_multi_energy *e = many_build(&p, false);
        uint8_t y[7];
        sos_expand_result moves;
        sos_relax_settings s = sos_relax_defaults();
        sos_relax_result result;
        sos_error error;
        s.work.threads = 1;
        check_ok(sos_expand(e, NULL, y, &moves, &error), error);
        check_ok(sos_relax(e, &s, y, &result, &error), error);
        const double least = (double)many_least(&p);
        check(result.lower_bound >= moves.lower_bound && result.energy <= moves.energy);
        tight += least - result.lower_bound <= 1e-6 * fabs(least);
        better += result.lower_bound > moves.lower_bound;
        sos_multi_energy_free(e);
        many_free(&p);
    }
    printf("%zu of %zu bounds are the minimum, %zu above that of moves\n", tight, (size_t)cases, better);
    check(10 * tight >= 9 * cases && 2 * better >= cases);
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(20); c++) {
        sos_random r = test_case_begin(c);
        many p = many_random(&r, 40, 5, 60, 5, COSTS_REALS);
        sos_multi_energy *e = many_build(&p, false);
        uint8_t y[2][40];
        sos_relax_result result[2];
        for (int k = 0; k < 2; k++) {
            sos_relax_settings s = sos_relax_defaults();
            sos_error error;
            s.rounds = 30;
            s.work.threads = k ? 3 : 1;
            memset(y[k], 0, sizeof y[k]);
            check_ok(sos_relax(e, &s, y[k], &result[k], &error), error);
        }
        check(!memcmp(y[0], y[1], sizeof y[0]) && result[0].lower_bound == result[1].lower_bound);
        check(result[0].energy == result[1].energy && result[0].rounds == result[1].rounds);
        sos_multi_energy_free(e);
        many_free(&p);
    }
}

static bool stop_at_third(void *user, const char *phase, double done)
{
    check(!strcmp(phase, "bound") && done >= 0 && done < 1);
    return ++*(size_t *)user < 3;
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    sos_random r = sos_random_seeded(7);
    many p = many_random(&r, 12, 4, 30, 4, COSTS_REALS);
    sos_multi_energy *e = many_build(&p, false);
    uint8_t y[12] = { 0 };
    sos_relax_settings s = sos_relax_defaults();
    sos_relax_result result;
    sos_error error;
    size_t calls = 0;
    s.work.progress = stop_at_third;
    s.work.user = &calls;
    s.gap = 0;
    check_is(sos_relax(e, &s, y, &result, &error), SOS_CANCELLED);
    check(result.rounds == 2 && result.energy == sos_multi_energy_value(e, y) && result.lower_bound <= result.energy);
    check_error(sos_relax(NULL, NULL, y, NULL, &error), SOS_ERR_ARGUMENT, error, "no energy", "");
    y[3] = 4;
    check_error(sos_relax(e, NULL, y, NULL, &error), SOS_ERR_ARGUMENT, error, "variable 3", "label 4");
    y[3] = 0;
    s = sos_relax_defaults();
    s.gap = NAN;
    check_error(sos_relax(e, &s, y, NULL, &error), SOS_ERR_ARGUMENT, error, "gap", "negative");
    s = sos_relax_defaults();
    s.reserved[0] = 1;
    check_error(sos_relax(e, &s, y, NULL, &error), SOS_ERR_ARGUMENT, error, "sos_relax_settings", "");
    sos_multi_energy_free(e);
    many_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_are_below_all_labellings),
        cmocka_unit_test(most_bounds_are_the_minimum),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(what_is_wrong_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
