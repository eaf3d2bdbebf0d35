/* test_mixture.c - mixtures of Gaussians: densities are those of the formula, learned moments those of the points, and
 * expectation-maximisation never lowers the likelihood. */
#include "support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vision/mixture.h"

/* The density by the definition: the inverse and the determinant by elimination, in long double. */
static long double component_density(const s3svm_mixture *m, size_t c, const float x[])
{
    long double S[32][33], determinant = 1, square = 0;
    const size_t d = m->d;
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j < d; j++) S[i][j] = (long double)m->covariance[(c * d + i) * d + j];
        S[i][d] = (long double)x[i] - (long double)m->mean[c * d + i];
    }
    for (size_t i = 0; i < d; i++) {
        determinant *= S[i][i];
        for (size_t k = i + 1; k < d; k++) {
            const long double factor = S[k][i] / S[i][i];
            for (size_t j = i; j <= d; j++) S[k][j] -= factor * S[i][j];
        }
    }
    long double solved[32];
    for (size_t i = d; i-- > 0;) {
        solved[i] = S[i][d];
        for (size_t j = i + 1; j < d; j++) solved[i] -= S[i][j] * solved[j];
        solved[i] /= S[i][i];
        square += solved[i] * ((long double)x[i] - (long double)m->mean[c * d + i]);
    }
    return -0.5L * (square + logl(determinant) + (long double)d * logl(2 * 3.14159265358979323846264338327950288L));
}

static long double log_density(const s3svm_mixture *m, const float x[], size_t *best, long double *lead)
{
    long double logs[16], most = -INFINITY, first = -INFINITY, second = -INFINITY, sum = 0;
    for (size_t c = 0; c < m->components; c++) {
        logs[c] = -INFINITY;
        if (!(m->weight[c] > 0)) continue;
        const long double plain = component_density(m, c, x);
        logs[c] = plain + logl((long double)m->weight[c]);
        most = fmaxl(most, logs[c]);
        if (plain > first) {
            second = first;
            first = plain;
            *best = c;
        } else {
            second = fmaxl(second, plain);
        }
    }
    *lead = first - second;
    for (size_t c = 0; c < m->components; c++) sum += expl(logs[c] - most);
    return most + logl(sum);
}

static void random_component(sos_random *r, s3svm_mixture *m, size_t c)
{
    double mean[8], A[64], S[64];
    sos_error error;
    const size_t d = m->d;
    for (size_t i = 0; i < d; i++) mean[i] = 100 * sos_random_normal(r);
    for (size_t i = 0; i < d * d; i++) A[i] = 20 * sos_random_normal(r);
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++) {
            S[i * d + j] = i == j ? 1 : 0;
            for (size_t k = 0; k < d; k++) S[i * d + j] += A[i * d + k] * A[j * d + k];
        }
    const double weight = sos_random_below(r, 5) ? sos_random_uniform(r) / (double)m->components : 0;
    check_ok(s3svm_mixture_set(m, c, weight, mean, S, NULL, &error), error);
}

static void densities_are_those_of_the_formula(void **state)
{
    (void)state;
    enum { POINTS = 150 };
    for (uint64_t i = 0; i < test_cases(200); i++) {
        sos_random r = test_case_begin(i);
        s3svm_mixture m;
        sos_error error;
        const size_t d = i % 2 ? 3 : 1 + sos_random_below(&r, 8), n = 1 + sos_random_below(&r, POINTS);
        check_ok(s3svm_mixture_create(1 + sos_random_below(&r, 10), d, &m, &error), error);
        for (size_t c = 0; c < m.components; c++) random_component(&r, &m, c);
        if (!(m.weight[0] > 0)) { /* at least one component */
            const double mean[8] = { 0 };
            double S[64] = { 0 };
            for (size_t j = 0; j < d; j++) S[j * d + j] = 2;
            check_ok(s3svm_mixture_set(&m, 0, 0.25, mean, S, NULL, &error), error);
        }
        float points[POINTS * 8];
        double logs[POINTS], only[POINTS];
        uint8_t best[POINTS];
        for (size_t j = 0; j < n * d; j++) points[j] = (float)(150 * sos_random_normal(&r));
        s3svm_mixture_evaluate(&m, n, points, logs, best, 1);
        s3svm_mixture_evaluate(&m, n, points, only, NULL, 2);
        check(!memcmp(logs, only, n * sizeof *logs));
        for (size_t p = 0; p < n; p++) {
            size_t wanted = 0;
            long double lead;
            const long double exact = log_density(&m, points + p * d, &wanted, &lead);
            check(fabsl((long double)logs[p] - exact) <= 1e-9L * (1 + fabsl(exact)));
            if (lead > 1e-9L * (1 + fabsl(exact))) check(best[p] == wanted);
        }
        s3svm_mixture_free(&m);
    }
}

static void learned_moments_are_those_of_the_points(void **state)
{
    (void)state;
    enum { POINTS = 400 };
    for (uint64_t i = 0; i < test_cases(60); i++) {
        sos_random r = test_case_begin(i);
        s3svm_mixture m;
        sos_error error;
        const size_t d = 1 + sos_random_below(&r, 5), k = 1 + sos_random_below(&r, 4), n = 50 + sos_random_below(&r, 350);
        float points[POINTS * 5];
        uint32_t labels[POINTS];
        for (size_t j = 0; j < n * d; j++) points[j] = (float)(1000 + 30 * sos_random_normal(&r));
        for (size_t p = 0; p < n; p++) labels[p] = (uint32_t)sos_random_below(&r, k);
        check_ok(s3svm_mixture_create(k + 1, d, &m, &error), error);
        check_ok(s3svm_mixture_learn(&m, n, points, labels, NULL, &error), error);
        check(m.weight[k] == 0); /* nobody's */
        for (size_t c = 0; c < k; c++) {
            long double count = 0, mean[5] = { 0 };
            for (size_t p = 0; p < n; p++) count += labels[p] == c;
            for (size_t p = 0; p < n; p++)
                for (size_t j = 0; j < d && labels[p] == c; j++) mean[j] += (long double)points[p * d + j] / count;
            check(fabsl((long double)m.weight[c] - count / (long double)n) < 1e-12L);
            for (size_t a = 0; a < d && count > 0; a++)
                for (size_t b = 0; b < d; b++) {
                    long double sum = 0;
                    for (size_t p = 0; p < n; p++)
                        if (labels[p] == c)
                            sum += ((long double)points[p * d + a] - mean[a]) * ((long double)points[p * d + b] - mean[b]);
                    check(fabsl((long double)m.mean[c * d + a] - mean[a]) < 1e-8L);
                    if (count > 2 * (long double)d) /* else singular, and given a ridge */
                        check(fabsl((long double)m.covariance[(c * d + a) * d + b] - sum / count) < 1e-6L);
                }
        }
        s3svm_mixture_free(&m);
    }
}

/* Samples of a known mixture: likelihood rises from step to step, and the mixture is found again. */
static void improving_never_lowers_the_likelihood(void **state)
{
    (void)state;
    enum { POINTS = 3000 };
    static float points[POINTS * 3];
    for (uint64_t i = 0; i < test_cases(20); i++) {
        sos_random r = test_case_begin(i);
        for (size_t p = 0; p < POINTS; p++) {
            const double side = p % 3 ? 60 : -60;
            for (size_t j = 0; j < 3; j++) points[3 * p + j] = (float)(side + (j == 1 ? 20 : 5) * sos_random_normal(&r));
        }
        s3svm_mixture m;
        sos_error error;
        check_ok(s3svm_mixture_create(2, 3, &m, &error), error);
        check_ok(s3svm_mixture_start(&m, POINTS, points, 3, i, NULL, 1, &error), error);
        double before = -INFINITY, now;
        for (int step = 0; step < 8; step++, before = now) {
            check_ok(s3svm_mixture_improve(&m, POINTS, points, 1, 0, NULL, 1 + step % 3, &now, &error), error);
            check(now >= before - 1e-10);
        }
        const size_t large = m.weight[0] > m.weight[1] ? 0 : 1;
        check(fabs(m.weight[large] - 2.0 / 3) < 1e-6);
        check(fabs(m.mean[large * 3] - 60) < 1 && fabs(m.covariance[large * 9 + 4] - 400) < 60);
        s3svm_mixture_free(&m);
    }
}

static void singular_covariances_get_a_ridge(void **state)
{
    (void)state;
    const s3svm_mixture_ridge ridge = s3svm_mixture_ridge_grabcut();
    float points[30];
    double logs[10];
    uint8_t best[10];
    s3svm_mixture m;
    sos_error error;
    for (int kind = 0; kind < 3; kind++) { /* one point again and again, grey ones, ones in a plane */
        for (int p = 0; p < 10; p++)
            for (int j = 0; j < 3; j++) points[3 * p + j] = kind == 0 ? 255 : (float)(kind == 1 || j < 2 ? p : p * p);
        check_ok(s3svm_mixture_create(4, 3, &m, &error), error);
        check_ok(s3svm_mixture_start(&m, 10, points, 10, 1, &ridge, 1, &error), error);
        s3svm_mixture_evaluate(&m, 10, points, logs, best, 1);
        for (int p = 0; p < 10; p++) check(isfinite(logs[p]) && logs[p] > -100 && best[p] < 4);
        for (size_t c = 0; c < 4; c++)
            if (m.weight[c] > 0) check(m.covariance[9 * c] >= 0.01 && m.covariance[9 * c + 8] >= 0.01);
        check_ok(s3svm_mixture_improve(&m, 10, points, 5, 0, &ridge, 1, NULL, &error), error);
        s3svm_mixture_evaluate(&m, 10, points, logs, best, 1);
        for (int p = 0; p < 10; p++) check(isfinite(logs[p]));
        s3svm_mixture_free(&m);
    }
}

static void any_number_of_threads_gives_the_same(void **state)
{
    (void)state;
    enum { POINTS = 20000 };
    static float points[POINTS * 3];
    static double logs[2][POINTS];
    sos_random r = test_case_begin(0);
    for (size_t j = 0; j < POINTS * 3; j++) points[j] = (float)sos_random_below(&r, 256);
    for (int threads = 1; threads < 5; threads++) {
        s3svm_mixture m;
        sos_error error;
        check_ok(s3svm_mixture_create(5, 3, &m, &error), error);
        check_ok(s3svm_mixture_start(&m, POINTS, points, 5, 1, NULL, threads, &error), error);
        check_ok(s3svm_mixture_improve(&m, POINTS, points, 4, 0, NULL, threads, NULL, &error), error);
        s3svm_mixture_evaluate(&m, POINTS, points, logs[threads > 1], NULL, threads);
        check(threads == 1 || !memcmp(logs[0], logs[1], sizeof logs[0]));
        s3svm_mixture_free(&m);
    }
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    s3svm_mixture m = { 0 };
    sos_error error;
    check_error(s3svm_mixture_create(0, 3, &m, &error), SOS_ERR_RANGE, error, "0 components");
    check_error(s3svm_mixture_create(3, 33, &m, &error), SOS_ERR_RANGE, error, "33 dimensions");
    check_ok(s3svm_mixture_create(2, 1, &m, &error), error);
    const float points[2] = { 1, INFINITY };
    const uint32_t labels[1] = { 2 };
    const double mean = 0, covariance = NAN;
    check_error(s3svm_mixture_learn(&m, 1, points, labels, NULL, &error), SOS_ERR_ARGUMENT, error, "component 2 of 2");
    check_error(s3svm_mixture_improve(&m, 2, points, 1, 0, NULL, 1, NULL, &error), SOS_ERR_ARGUMENT, error, "point 1");
    check_error(s3svm_mixture_improve(&m, 1, points, 1, 0, NULL, 1, NULL, &error), SOS_ERR_ARGUMENT, error, "started");
    check_error(s3svm_mixture_set(&m, 1, 1, &mean, &covariance, NULL, &error), SOS_ERR_ARGUMENT, error, "component 1");
    check_error(s3svm_mixture_start(&m, 0, points, 1, 0, NULL, 1, &error), SOS_ERR_ARGUMENT, error, "0 points");
    double log = 0;
    uint8_t best = 9;
    s3svm_mixture_evaluate(&m, 1, points, &log, &best, 1); /* no component has weight */
    check(log < -1e299 && best == 0);
    s3svm_mixture_free(&m);
    s3svm_mixture_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(densities_are_those_of_the_formula),    cmocka_unit_test(learned_moments_are_those_of_the_points),
        cmocka_unit_test(improving_never_lowers_the_likelihood), cmocka_unit_test(singular_covariances_get_a_ridge),
        cmocka_unit_test(any_number_of_threads_gives_the_same),  cmocka_unit_test(bad_input_is_refused),
    };
    return cmocka_run_group_tests_name("mixture", tests, NULL, NULL);
}
