/* test_score.c - scores are what counting says, means and deviations what their definitions say. */
#include <math.h>
#include <stdlib.h>

#include "experiments/common/spread.h"
#include "support.h"
#include "tasks/score.h"

/* One pixel at a time, by the four cases. */
static void test_scores_are_counts(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(300); c++) {
        sos_random r = test_case_begin(c);
        uint8_t labels[60], truth[60];
        const size_t n = 1 + (size_t)sos_random_below(&r, 60);
        const double share = sos_random_uniform(&r), kept = sos_random_uniform(&r);
        size_t counts[2][2] = { { 0 } };
        for (size_t i = 0; i < n; i++) {
            truth[i] = sos_random_uniform(&r) < share;
            labels[i] = sos_random_uniform(&r) < kept ? truth[i] : !truth[i];
            counts[truth[i]][labels[i]]++;
        }
        const s3svm_score s = s3svm_score_of(n, labels, truth, NULL);
        check(s.pixels == n && s.missed == counts[1][0] && s.extra == counts[0][1] && s.found == counts[1][1]);
        const double wrong = (double)(counts[1][0] + counts[0][1]), either = (double)(n - counts[0][0]);
        check(fabs(s3svm_score_error(&s) - wrong / (double)n) < 1e-15);
        check(fabs(s3svm_score_iou(&s) - (either > 0 ? (double)counts[1][1] / either : 1)) < 1e-15);
        const s3svm_score same = s3svm_score_of(n, truth, truth, NULL);
        check(s3svm_score_error(&same) == 0 && s3svm_score_iou(&same) == 1);
    }
    const s3svm_score none = s3svm_score_of(0, NULL, NULL, NULL);
    assert_true(isnan(s3svm_score_error(&none)));
}

static void test_mean_and_deviation_are_their_definitions(void **state)
{
    (void)state;
    const double known[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
    assert_true(fabs(s3svm_mean(8, known) - 5) < 1e-15);
    assert_true(fabs(s3svm_deviation(8, known) - sqrt(32.0 / 7)) < 1e-14);
    assert_true(isnan(s3svm_mean(0, known)));
    assert_true(isnan(s3svm_deviation(1, known)));
    for (uint64_t c = 0; c < test_cases(100); c++) {
        sos_random r = test_case_begin(c);
        double x[30];
        const size_t n = 2 + (size_t)sos_random_below(&r, 29);
        for (size_t i = 0; i < n; i++) x[i] = sos_random_normal(&r);
        /* By all pairs: the variance is the mean of (x_i - x_j)^2 / 2 over i != j. */
        long double pairs = 0;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) pairs += (long double)(x[i] - x[j]) * (x[i] - x[j]) / 2;
        const double variance = (double)(pairs / (long double)(n * (n - 1)));
        check(fabs(s3svm_deviation(n, x) - sqrt(variance)) < 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores_are_counts),
        cmocka_unit_test(test_mean_and_deviation_are_their_definitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
