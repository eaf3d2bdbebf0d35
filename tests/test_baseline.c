/* test_baseline.c - baselines are the minima and thresholds they claim to be, and tuning finds the best of its grid. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/denoise/baseline.h"
#include "support.h"

enum { SIDE_MAX = 4, PICTURES = 3 };

static s3svm_plane plane_new(size_t width, size_t height)
{
    s3svm_plane p;
    sos_error error;
    check_ok(s3svm_plane_create(width, height, &p, &error), error);
    return p;
}

static double differs(const uint8_t y[], size_t a, size_t b) { return y[a] != y[b] ? 1 : 0; }

/* The energies as baseline.h words them. */
static double energy(const s3svm_baseline *b, const s3svm_plane *p, const uint8_t y[])
{
    const size_t w = p->width, h = p->height;
    double sum = 0, pairs = 0;
    for (size_t i = 0; i < w * h; i++) sum += fabs((double)p->values[i] - (y[i] ? 0 : 1)) + (y[i] ? b->offset : 0);
    for (size_t v = 0; v < h; v++)
        for (size_t u = 0; u < w; u++) {
            const size_t i = v * w + u;
            const bool right = u + 1 < w, down = v + 1 < h;
            if (b->kind == S3SVM_BASELINE_GENERIC_CUTS || b->kind == S3SVM_BASELINE_GENERIC_CUTS_OFFSET) {
                if (right && down)
                    pairs += sqrt(differs(y, i, i + 1) + differs(y, i + w, i + w + 1) + differs(y, i, i + w) +
                                  differs(y, i + 1, i + w + 1));
                continue;
            }
            if (right) pairs += differs(y, i, i + 1);
            if (down) pairs += differs(y, i, i + w);
            if (b->kind != S3SVM_BASELINE_POTTS8) continue;
            if (right && down) pairs += (differs(y, i, i + w + 1) + differs(y, i + 1, i + w)) / sqrt(2);
        }
    return sum + b->parameter * pairs;
}

static void energies_are_minimised(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(60); c++) {
        sos_random r = test_case_begin(c);
        s3svm_plane p = plane_new(1 + sos_random_below(&r, SIDE_MAX), 1 + sos_random_below(&r, 3));
        const size_t n = s3svm_plane_size(&p);
        for (size_t i = 0; i < n; i++) p.values[i] = (float)(2 * sos_random_uniform(&r) - 0.5);
        s3svm_baseline b = { .kind = (s3svm_baseline_kind)(S3SVM_BASELINE_POTTS4 + c % 5),
                             .parameter = sos_random_below(&r, 5) ? 0.6 * sos_random_uniform(&r) : 0 };
        if (b.kind >= S3SVM_BASELINE_POTTS4_OFFSET) b.offset = sos_random_uniform(&r) - 0.5;
        uint8_t labels[SIDE_MAX * 3], y[SIDE_MAX * 3];
        sos_error error;
        check_ok(s3svm_baseline_predict(&b, &p, labels, &error), error);
        double least = INFINITY;
        for (uint32_t S = 0; S < UINT32_C(1) << n; S++) {
            for (size_t i = 0; i < n; i++) y[i] = S >> i & 1;
            least = fmin(least, energy(&b, &p, y));
        }
        check(fabs(energy(&b, &p, labels) - least) < 1e-5);
        s3svm_plane_free(&p);
    }
}

static void a_threshold_is_one(void **state)
{
    (void)state;
    sos_error error;
    s3svm_plane p = plane_new(3, 1);
    const float grey[3] = { 0.2F, 0.5F, 0.9F };
    memcpy(p.values, grey, sizeof grey);
    uint8_t labels[3];
    const s3svm_baseline b = { .kind = S3SVM_BASELINE_THRESHOLD, .parameter = 0.5 };
    check_ok(s3svm_baseline_predict(&b, &p, labels, &error), error);
    check(labels[0] == 1 && labels[1] == 0 && labels[2] == 0);
    const s3svm_baseline m = { .kind = S3SVM_BASELINE_MEDIAN, .parameter = 0.5, .radius = 1 };
    check_ok(s3svm_baseline_predict(&m, &p, labels, &error), error); /* medians 0.2, 0.5, 0.9: the borders mirror */
    check(labels[0] == 1 && labels[1] == 0 && labels[2] == 0);
    s3svm_plane_free(&p);
}

/* Small drawings of a bar with noise. */
typedef struct set {
    s3svm_plane noisy[PICTURES];
    uint8_t *truths[PICTURES];
    const uint8_t *views[PICTURES];
} set;

static set set_random(sos_random *r)
{
    set s;
    for (size_t i = 0; i < PICTURES; i++) {
        s.noisy[i] = plane_new(12 + sos_random_below(r, 6), 10 + sos_random_below(r, 6));
        s.truths[i] = test_room(NULL, s3svm_plane_size(&s.noisy[i]), 1);
        s.views[i] = s.truths[i];
        const size_t left = 3 + sos_random_below(r, 5);
        for (size_t p = 0; p < s3svm_plane_size(&s.noisy[i]); p++) {
            const size_t x = p % s.noisy[i].width;
            s.truths[i][p] = x >= left && x < left + 3;
            const double grey = (s.truths[i][p] ? 0 : 1) + 0.5 * sos_random_normal(r);
            s.noisy[i].values[p] = (float)(rint(fmin(fmax(grey, 0), 1) * 255) / 255);
        }
    }
    return s;
}

static void set_free(set *s)
{
    for (size_t i = 0; i < PICTURES; i++) {
        s3svm_plane_free(&s->noisy[i]);
        free(s->truths[i]);
    }
}

static double mean_error(const s3svm_baseline *b, const set *s)
{
    double sum = 0;
    for (size_t i = 0; i < PICTURES; i++) {
        const size_t n = s3svm_plane_size(&s->noisy[i]);
        uint8_t *labels = test_room(NULL, n, 1);
        sos_error error;
        check_ok(s3svm_baseline_predict(b, &s->noisy[i], labels, &error), error);
        size_t wrong = 0;
        for (size_t p = 0; p < n; p++) wrong += labels[p] != s->truths[i][p];
        sum += (double)wrong / (double)n;
        free(labels);
    }
    return sum / PICTURES;
}

static void tuning_reports_what_predictions_give(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(5); c++) {
        sos_random r = test_case_begin(c);
        set s = set_random(&r);
        for (int kind = 0; kind < S3SVM_BASELINES; kind++) {
            s3svm_baseline one, two;
            double error_one, error_two;
            sos_error error;
            check_ok(s3svm_baseline_tune((s3svm_baseline_kind)kind, PICTURES, s.noisy, s.views, 1, &one, &error_one, &error),
                     error);
            check_ok(s3svm_baseline_tune((s3svm_baseline_kind)kind, PICTURES, s.noisy, s.views, 2, &two, &error_two, &error),
                     error);
            check(one.kind == two.kind && one.parameter == two.parameter && one.radius == two.radius &&
                  one.offset == two.offset && error_one == error_two);
            check(one.kind == (s3svm_baseline_kind)kind);
            check(fabs(mean_error(&one, &s) - error_one) < 1e-12);
        }
        set_free(&s);
    }
}

/* Nothing on the documented grid is better than what tuning found. */
static void tuning_finds_the_best_of_its_grid(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(5); c++) {
        sos_random r = test_case_begin(c);
        set s = set_random(&r);
        for (int kind = 0; kind < S3SVM_BASELINES; kind++) {
            s3svm_baseline tuned, other = { .kind = (s3svm_baseline_kind)kind };
            double least;
            sos_error error;
            check_ok(s3svm_baseline_tune(other.kind, PICTURES, s.noisy, s.views, 0, &tuned, &least, &error), error);
            for (int i = 0; i <= 20; i++) {
                const bool strength = kind >= S3SVM_BASELINE_POTTS4, offset = kind >= S3SVM_BASELINE_POTTS4_OFFSET;
                if (offset && (i % 2 || i < 4 || i > 16)) continue; /* strengths 2^-4 ... 2^2 in steps of 2 */
                other.offset = offset ? 0.15 * (i - 10) : 0;
                other.parameter = strength ? exp2(-6 + 0.5 * i) : (12 * i + 0.5) / 255;
                for (other.radius = kind == S3SVM_BASELINE_MEDIAN; other.radius <= 6; other.radius++) {
                    check(mean_error(&other, &s) >= least - 1e-12);
                    if (kind != S3SVM_BASELINE_MEDIAN) break;
                }
            }
            check(mean_error(&tuned, &s) < 0.3); /* all paper is 0.2 or less */
        }
        set_free(&s);
    }
}

static void bad_baselines_are_refused(void **state)
{
    (void)state;
    sos_error error;
    s3svm_plane p = plane_new(2, 2);
    uint8_t labels[4];
    const uint8_t *truths[1] = { labels };
    s3svm_baseline b = { .kind = S3SVM_BASELINE_POTTS4, .parameter = -1 };
    check_error(s3svm_baseline_predict(&b, &p, labels, &error), SOS_ERR_ARGUMENT, error, "-1");
    b.parameter = NAN;
    check_error(s3svm_baseline_predict(&b, &p, labels, &error), SOS_ERR_ARGUMENT, error, "nan");
    b = (s3svm_baseline){ .kind = S3SVM_BASELINES };
    check_error(s3svm_baseline_predict(&b, &p, labels, &error), SOS_ERR_ARGUMENT, error, "kind");
    check_error(s3svm_baseline_tune(S3SVM_BASELINES, 1, &p, truths, 1, &b, NULL, &error), SOS_ERR_ARGUMENT, error, "kind");
    check_error(s3svm_baseline_tune(S3SVM_BASELINE_POTTS8, 0, &p, truths, 1, &b, NULL, &error), SOS_ERR_ARGUMENT, error,
                "potts8");
    p.values[2] = NAN;
    b = (s3svm_baseline){ .kind = S3SVM_BASELINE_POTTS4, .parameter = 1 };
    check_error(s3svm_baseline_predict(&b, &p, labels, &error), SOS_ERR_ARGUMENT, error, "2");
    s3svm_plane_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energies_are_minimised),
        cmocka_unit_test(a_threshold_is_one),
        cmocka_unit_test(tuning_reports_what_predictions_give),
        cmocka_unit_test(tuning_finds_the_best_of_its_grid),
        cmocka_unit_test(bad_baselines_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
