/* test_contest.c - what experiments share: comparisons of methods as computed by hand and by other code, splits, progress that
 * only grows, and trainings that are followed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "experiments/common/contest.h"
#include "experiments/common/curve_recorder.h"
#include "report_support.h"
#include "scratch.h"
#include "tasks/split.h"
#include <s3svm/dataset.h>

static bool is_near(double x, double y) { return fabs(x - y) <= 1e-12 * fmax(1, fabs(y)); }

/* ---------------------------------------------------------------- comparisons */

static char *const NAMES[] = { "a", "b", "c", "d" };
static const char *const METHODS[] = { "baseline", "method", "absent" };

/* Four pictures, two splits that test on two each: b and c, then c and a; d is never tested on.
 *
 *              b            c            c            a
 *   baseline   0.30         0.10         0.20         0.40
 *   method     0.20         0.10         0.14         0.42
 *
 *   d(a) = -0.02, d(b) = 0.10, d(c) = (0 + 0.06) / 2 = 0.03;   gain = 0.11 / 3
 *   errors: baseline a 0.40, b 0.30, c 0.15, sum 0.85;  method a 0.42, b 0.20, c 0.12, sum 0.74
 *   squares (11/300 = 0.036667): a 0.0032111, b 0.0040111, c 0.0000444, sum 0.0072667; / (3 * 2) = 0.00121111
 *   standard error 0.03480102 */
static s3svm_contest contest_by_hand(void)
{
    static const size_t pictures[2][2] = { { 1, 2 }, { 2, 0 } };
    static const double errors[2][2][2] = { { { 0.30, 0.10 }, { 0.20, 0.10 } }, { { 0.20, 0.40 }, { 0.14, 0.42 } } };
    s3svm_contest c;
    sos_error error;
    check_ok(s3svm_contest_create(4, NAMES, 3, METHODS, 3, 2, &c, &error), error); /* the third split is not run */
    for (size_t split = 0; split < 2; split++) {
        s3svm_contest_begin(&c, split, pictures[split]);
        for (size_t m = 0; m < 2; m++) memcpy(s3svm_contest_errors(&c, split, m), errors[split][m], 2 * sizeof(double));
        c.splits = split + 1;
    }
    return c;
}

static void a_comparison_is_that_by_hand(void **state)
{
    (void)state;
    s3svm_contest c = contest_by_hand();
    const s3svm_rivals rivals = { .method = 1, .baseline = 0 };
    s3svm_comparison k = s3svm_contest_compare(&c, rivals);
    check(k.pictures == 3 && k.better == 2 && k.worse == 1);
    check(is_near(k.gain, 0.11 / 3) && is_near(k.ratio, 0.74 / 0.85));
    check(fabs(k.uncertainty - 0.03480102) < 1e-8);
    check(is_near(s3svm_contest_split_gain(&c, rivals, 0), 0.05) && is_near(s3svm_contest_split_gain(&c, rivals, 1), 0.02));
    check(s3svm_contest_has(&c, 0) && s3svm_contest_has(&c, 1) && !s3svm_contest_has(&c, 2));
    k = s3svm_contest_compare(&c, (s3svm_rivals){ 0, 1 });
    check(is_near(k.gain, -0.11 / 3) && k.better == 1 && k.worse == 2);
    k = s3svm_contest_compare(&c, (s3svm_rivals){ 0, 0 });
    check(k.gain == 0 && k.uncertainty == 0 && k.ratio == 1 && k.better == 0 && k.worse == 0);
    c.splits = 0;
    check(!s3svm_contest_has(&c, 0));
    s3svm_contest_free(&c);
    check(!c.errors && !c.names);
}

/* The formulas of contest.h over lists of differences for each picture. */
static void comparisons_are_those_of_the_formulas(void **state)
{
    (void)state;
    enum { IMAGES = 12, SPLITS = 5, TESTS = 4 };
    for (uint64_t n = 0; n < test_cases(300); n++) {
        sos_random r = test_case_begin(n);
        char *names[IMAGES];
        for (size_t i = 0; i < IMAGES; i++) names[i] = NAMES[i % 4];
        const size_t splits = 1 + sos_random_below(&r, SPLITS);
        double differences[IMAGES][SPLITS], means[IMAGES], gain = 0, squares = 0;
        size_t times[IMAGES] = { 0 }, tested = 0;
        s3svm_contest c;
        sos_error error;
        check_ok(s3svm_contest_create(IMAGES, names, 2, METHODS, SPLITS, TESTS, &c, &error), error);
        for (size_t split = 0; split < splits; split++) {
            size_t order[IMAGES];
            s3svm_split(IMAGES, n, split, order);
            s3svm_contest_begin(&c, split, order);
            for (size_t i = 0; i < TESTS; i++) {
                const double baseline = sos_random_uniform(&r), method = sos_random_uniform(&r);
                s3svm_contest_errors(&c, split, 0)[i] = baseline;
                s3svm_contest_errors(&c, split, 1)[i] = method;
                differences[order[i]][times[order[i]]++] = baseline - method;
            }
        }
        c.splits = splits;
        for (size_t p = 0; p < IMAGES; p++)
            if (times[p]) means[tested++] = s3svm_mean(times[p], differences[p]);
        for (size_t i = 0; i < tested; i++) gain += means[i] / (double)tested;
        for (size_t i = 0; i < tested; i++) squares += (means[i] - gain) * (means[i] - gain);
        const s3svm_comparison k = s3svm_contest_compare(&c, (s3svm_rivals){ 1, 0 });
        check(k.pictures == tested && is_near(k.gain, gain));
        check(is_near(k.uncertainty, sqrt(squares / (double)(tested * (tested - 1)))));
        s3svm_contest_free(&c);
    }
}

static void one_picture_has_no_standard_error(void **state)
{
    (void)state;
    const size_t picture = 3;
    s3svm_contest c;
    sos_error error;
    check_ok(s3svm_contest_create(4, NAMES, 2, METHODS, 1, 1, &c, &error), error);
    s3svm_contest_begin(&c, 0, &picture);
    *s3svm_contest_errors(&c, 0, 0) = 0;
    *s3svm_contest_errors(&c, 0, 1) = 0.25;
    c.splits = 1;
    const s3svm_comparison k = s3svm_contest_compare(&c, (s3svm_rivals){ 1, 0 });
    check(k.pictures == 1 && k.gain == -0.25 && isnan(k.uncertainty) && isnan(k.ratio) && k.worse == 1);
    s3svm_contest_free(&c);
}

static void a_page_and_json_say_what_was_compared(void **state)
{
    (void)state;
    static const s3svm_rivals rivals[] = { { 1, 0 }, { 2, 0 } }; /* the second does not take part */
    s3svm_contest c = contest_by_hand();
    s3svm_report page;
    sos_error error;
    s3svm_report_open(&page, scratch("p.html"), "t", NULL, &error);
    s3svm_contest_table(&page, &c, "Comparisons", "Noise");
    for (size_t i = 0; i < 2; i++) s3svm_contest_row(&page, &c, rivals[i], "plain");
    check_ok(s3svm_report_close(&page), error);
    char *text = file_text(scratch("p.html"));
    check_markup(text);
    check(strstr(text, "+3.67 ± 3.48") && strstr(text, "<td>0.87</td>") && strstr(text, "2 : 1") &&
          strstr(text, "+5.00 +2.00"));
    check(strstr(text, "<td>1.1</td>") && occurrences(text, "plain") == 1 && !strstr(text, "absent"));
    free(text);
    FILE *file = written_begin();
    sos_json j = { .file = file };
    sos_json_open(&j, NULL, '{');
    s3svm_contest_json(&j, &c, 2, rivals);
    s3svm_contest_images_json(&j, &c, 1, 1);
    sos_json_close(&j, '}');
    text = written_end(file);
    sos_json_value *whole = NULL;
    check_ok(sos_json_read(text, strlen(text), "t", &whole, &error), error);
    const sos_json_value *list = sos_json_value_member(whole, "comparisons"), *one = sos_json_value_item(list, 0);
    const sos_json_value *image = sos_json_value_item(sos_json_value_member(whole, "images"), 1);
    check(sos_json_value_size(list) == 1 && sos_json_value_size(sos_json_value_member(one, "split_gains")) == 2);
    assert_string_equal(sos_json_value_text(sos_json_value_member(one, "against")), "baseline");
    check(is_near(sos_json_value_number(sos_json_value_member(one, "gain")), 0.11 / 3));
    assert_string_equal(sos_json_value_text(sos_json_value_member(image, "name")), "a");
    check(sos_json_value_number(sos_json_value_member(image, "error")) == 0.42);
    sos_json_free(whole);
    free(text);
    s3svm_contest_free(&c);
}

/* ---------------------------------------------------------------- splits */

static void splits_leave_something_to_test_on(void **state)
{
    (void)state;
    s3svm_parts p;
    sos_error error;
    check_ok(s3svm_parts_find(151, 75, 38, &p, &error), error);
    check(p.train == 75 && p.validation == 38 && p.test == 38);
    check_ok(s3svm_parts_find(2, 1, 0, &p, &error), error);
    check(p.test == 1);
    check_error(s3svm_parts_find(4, 0, 1, &p, &error), SOS_ERR_ARGUMENT, error, "none for training");
    check_error(s3svm_parts_find(4, 4, 0, &p, &error), SOS_ERR_ARGUMENT, error, "4 pictures: 4 for training");
    check_error(s3svm_parts_find(4, 2, 2, &p, &error), SOS_ERR_ARGUMENT, error, "leave none for testing");
    check_error(s3svm_parts_find(4, 2, SIZE_MAX, &p, &error), SOS_ERR_ARGUMENT, error, "leave none");
    check_error(s3svm_splits_check(0, &error), SOS_ERR_ARGUMENT, error, "0 splits");
    check_error(s3svm_splits_check(1001, &error), SOS_ERR_ARGUMENT, error, "1001 splits", "1 to 1000");
    check_ok(s3svm_splits_check(1000, &error), error);
    static const double items[] = { 1, 2, 3 };
    static const size_t order[] = { 2, 0 };
    double *picked = s3svm_items_picked(items, sizeof *items, 2, order);
    check(picked && picked[0] == 3 && picked[1] == 1);
    free(picked);
}

/* ---------------------------------------------------------------- progress */

typedef struct heard {
    double last;
    size_t calls, stop_at;
    char phase[160];
} heard;

static bool hear(void *user, const char *phase, double done)
{
    heard *h = user;
    check(done >= h->last && done <= 1);
    h->last = done;
    snprintf(h->phase, sizeof h->phase, "%s", phase);
    return ++h->calls != h->stop_at;
}

static void progress_grows_from_step_to_step(void **state)
{
    (void)state;
    heard h = { 0 };
    sos_error error;
    s3svm_progress c = { .progress = hear, .user = &h, .total = 10 };
    s3svm_progress_begin(&c, 4, "split %d", 1);
    assert_string_equal(h.phase, "split 1");
    s3svm_progress_stage(&c, 0, 0.5);
    check(s3svm_progress_report(&c, 0.5) && is_near(h.last, 0.1));
    check(s3svm_progress_callback(&c, "not said", 2) && is_near(h.last, 0.2));
    s3svm_progress_stage(&c, 0.5, 1);
    check(s3svm_progress_report(&c, NAN) && is_near(h.last, 0.2));
    check_ok(s3svm_progress_end(&c, &error), error);
    check(is_near(h.last, 0.4));
    s3svm_progress_begin(&c, 6, "split %d", 2);
    h.stop_at = h.calls + 1;
    check(!s3svm_progress_report(&c, 0.5) && c.stopped && is_near(h.last, 0.7));
    const size_t calls = h.calls;
    check(!s3svm_progress_report(&c, 0.9) && h.calls == calls); /* who has stopped is not asked again */
    check_error(s3svm_progress_end(&c, &error), SOS_CANCELLED, error, "stopped");
}

static void a_training_is_followed_along_a_path(void **state)
{
    (void)state;
    static const double values[] = { 1, 10, 100 };
    heard h = { 0 };
    double seconds[3] = { 0 };
    sos_error error;
    s3svm_progress c = { .progress = hear, .user = &h, .total = 1 };
    s3svm_curve curve = { 0 };
    s3svm_curve_recorder f = {
        .progress = &c, .gap = 0.01, .values = 3, .C = values, .curve = &curve, .before = 5, .seconds = seconds
    };
    s3svm_progress_begin(&c, 1, "training");
    for (size_t v = 0; v < 3; v++)
        for (int i = 0; i <= 2; i++) {
            const double gap = i == 0 ? 1 : i == 1 ? 0.1 : 0.01;
            const sos_train_round r = { .C = values[v], .gap = gap, .primal = i ? 2 : INFINITY, .dual = 1, .seconds = i };
            check(s3svm_curve_record(&f, &r));
        }
    check(is_near(h.last, 1) && curve.count == 6 && seconds[0] > 0 && seconds[2] >= seconds[0]);
    check(curve.points[5].C == 100 && curve.points[5].seconds == 7 && curve.points[5].dual == 1);
    check_ok(s3svm_curve_end(&f, SOS_OK, &error), error);
    c.stopped = true;
    check_error(s3svm_curve_end(&f, SOS_OK, &error), SOS_CANCELLED, error, "stopped");
    f.no_memory = true;
    check_error(s3svm_curve_end(&f, SOS_CANCELLED, &error), SOS_ERR_MEMORY, error, "curve");
    s3svm_curve_free(&curve);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_comparison_is_that_by_hand),        cmocka_unit_test(comparisons_are_those_of_the_formulas),
        cmocka_unit_test(one_picture_has_no_standard_error),   cmocka_unit_test(a_page_and_json_say_what_was_compared),
        cmocka_unit_test(splits_leave_something_to_test_on),   cmocka_unit_test(progress_grows_from_step_to_step),
        cmocka_unit_test(a_training_is_followed_along_a_path),
    };
    return cmocka_run_group_tests_name("experiments", tests, scratch_make, scratch_remove);
}
