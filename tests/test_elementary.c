/* test_elementary.c - functions of one number are accurate, by the C library's of long double, and have the bits that were
 * recorded, whatever the machine. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "support.h"

/* Measured: 1.8e-16 exp, 2.2e-16 log, 2.0e-16 cosine and sine; where long double is double, what we compare with is no better.
 */
static const long double BOUND = LDBL_MANT_DIG > DBL_MANT_DIG ? 3e-16L : 1e-15L;

static void exp_and_log_are_accurate(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_cases(20000); i++) {
        sos_random r = test_case_begin(i);
        const double x = (sos_random_uniform(&r) - 0.5) * (i % 2 ? 1400 : 2);
        check(fabsl((long double)sos_exp(x) / expl((long double)x) - 1) < BOUND);
        const double y = i % 2 ? exp(x / 2) : 1 + x / 2; /* far from and near to 1 */
        const long double z = logl((long double)y);
        check(fabsl((long double)sos_log(y) - z) <= BOUND * (1 + fabsl(z)));
    }
    check(sos_exp(0) == 1 && sos_log(1) == 0);
    check(sos_exp(-1e9) > 0 && sos_exp(-1e9) < 1e-300 && sos_exp(-INFINITY) < 1e-300);
    check(fabs(sos_log(DBL_TRUE_MIN) - log(DBL_TRUE_MIN)) < 1e-12 && fabs(sos_log(DBL_MAX) - log(DBL_MAX)) < 1e-12);
}

static void turns_are_cosines_and_sines(void **state)
{
    (void)state;
    const long double turn = 8 * atanl(1);
    for (uint64_t i = 0; i < test_cases(20000); i++) {
        sos_random r = test_case_begin(i);
        const double turns = (sos_random_uniform(&r) - 0.5) * (i % 2 ? 2 : 2000);
        const long double part = (long double)turns - rintl((long double)turns); /* exact */
        const sos_direction p = sos_turn(turns);
        check(fabsl((long double)p.x - cosl(turn * part)) < BOUND && fabsl((long double)p.y - sinl(turn * part)) < BOUND);
    }
    for (int quarter = -8; quarter <= 8; quarter++) {
        const sos_direction p = sos_turn(quarter / 4.0);
        check(p.x == (quarter % 2 ? 0 : quarter % 4 ? -1 : 1) && p.y == (quarter % 2 ? ((quarter & 3) == 1 ? 1 : -1) : 0));
    }
}

static void the_logistic_function_is_that(void **state)
{
    (void)state;
    for (double x = -40; x <= 40; x += 0.37) check(fabs(sos_logistic(x) * (1 + exp(-x)) - 1) < 1e-14);
    check(sos_logistic(0) == 0.5 && sos_logistic(1e300) == 1);
    check(sos_logistic(-1e300) >= 0 && sos_logistic(-1e300) < 1e-300);
    const double odd = sos_logistic(NAN);
    check(!(odd < 0) && !(odd > 1));
}

static void normal_numbers_have_moments_0_1_0_3(void **state)
{
    (void)state;
    enum { N = 200000 };
    sos_random r = test_case_begin(0);
    double sum[4] = { 0 };
    for (size_t i = 0; i < N; i++) {
        const double x = sos_random_normal(&r);
        for (size_t k = 0; k < 4; k++) sum[k] += (k & 1 ? x * x : x) * (k & 2 ? x * x : 1) / N;
    }
    check(fabs(sum[0]) < 0.012 && fabs(sum[1] - 1) < 0.018 && fabs(sum[2]) < 0.05 && fabs(sum[3] - 3) < 0.12); /* 5 sigma */
}

/* ---- recorded bits ---- */

static uint64_t added(uint64_t hash, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
}

static void bits_are_those_recorded(void **state)
{
    (void)state;
    uint64_t exps = 0, logs = 0, turns = 0, odds = 0, normals = 0;
    sos_random r = sos_random_seeded(2012);
    for (size_t i = 0; i < 10000; i++) {
        const double x = sos_random_uniform(&r), y = 2 * x - 1;
        exps = added(added(exps, sos_exp(y)), sos_exp(700 * y));
        logs = added(added(logs, sos_log(0.5 + x)), sos_log(sos_exp(700 * y)));
        turns = added(added(turns, sos_turn(y).x), sos_turn(1000 * y).y);
        odds = added(odds, sos_logistic(50 * y));
        normals = added(normals, sos_random_normal(&r));
    }
    check(exps == UINT64_C(0x0500014a908359aa));
    check(logs == UINT64_C(0xe12aa796aa53b2ee));
    check(turns == UINT64_C(0xf8955e760d033718));
    check(odds == UINT64_C(0x2f05fa862c471edc));
    check(normals == UINT64_C(0x4542fe26e2ecfdf9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_and_log_are_accurate),      cmocka_unit_test(turns_are_cosines_and_sines),
        cmocka_unit_test(the_logistic_function_is_that), cmocka_unit_test(normal_numbers_have_moments_0_1_0_3),
        cmocka_unit_test(bits_are_those_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
