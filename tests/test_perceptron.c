/* test_perceptron.c - the network computes its formula and learns what one layer could not. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "vision/perceptron.h"

enum { HIDDEN = SOS_PERCEPTRON_HIDDEN };

static sos_perceptron network_new(size_t inputs)
{
    sos_perceptron p;
    sos_error error;
    check_ok(sos_perceptron_create(inputs, &p, &error), error);
    return p;
}

static double response(const sos_perceptron *p, const double x[])
{
    const float *w = p->numbers, *b = w + p->inputs * HIDDEN, *v = b + HIDDEN;
    double sum = (double)v[HIDDEN];
    for (size_t k = 0; k < HIDDEN; k++) {
        double a = (double)b[k];
        for (size_t f = 0; f < p->inputs; f++) a += (double)w[f * HIDDEN + k] * x[f];
        sum += (double)v[k] * (a > 0 ? a : a / 10);
    }
    return sum;
}

static void responses_are_the_formula(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(50); c++) {
        sos_random r = test_case_begin(c);
        const size_t inputs = 1 + sos_random_below(&r, 70), n = 1 + sos_random_below(&r, 100);
        sos_perceptron p = network_new(inputs);
        for (size_t i = 0; i < sos_perceptron_numbers(inputs); i++) p.numbers[i] = (float)(sos_random_normal(&r) / 4);
        float *x = test_room(NULL, inputs * n, sizeof *x), *out = test_room(NULL, n, sizeof *out);
        for (size_t i = 0; i < inputs * n; i++) x[i] = (float)sos_random_normal(&r);
        sos_perceptron_apply(&p, n, x, out);
        for (size_t i = 0; i < n; i++) {
            double pixel[70];
            for (size_t f = 0; f < inputs; f++) pixel[f] = (double)x[f * n + i];
            check(fabs((double)out[i] - response(&p, pixel)) < 1e-4);
        }
        free(x);
        free(out);
        sos_perceptron_free(&p);
    }
}

static void the_logistic_function_is_that(void **state)
{
    (void)state;
    for (double x = -40; x <= 40; x += 0.37) check(fabs(sos_logistic(x) * (1 + exp(-x)) - 1) < 1e-12);
    check(sos_logistic(0) == 0.5 && sos_logistic(1e300) == 1);
    check(sos_logistic(-1e300) >= 0 && sos_logistic(-1e300) < 1e-300);
    const double odd = sos_logistic(NAN);
    check(!(odd < 0) && !(odd > 1));
}

/* Points of a square, labelled by the sign of the product of their coordinates: no function of a weighted sum can tell. */
typedef struct lesson {
    sos_sample *samples;
    float *features, *copy;
    size_t count;
} lesson;

static lesson lesson_random(sos_random *r, size_t count, double weight1)
{
    lesson l = { .samples = test_room(NULL, count, sizeof *l.samples),
                 .features = test_room(NULL, 2 * count, sizeof *l.features),
                 .copy = test_room(NULL, 2 * count, sizeof *l.copy),
                 .count = count };
    for (size_t i = 0; i < count; i++) {
        const double x = 2 * sos_random_uniform(r) - 1, y = 2 * sos_random_uniform(r) - 1;
        l.features[2 * i] = (float)(100 + 5 * x);
        l.features[2 * i + 1] = (float)(0.01 * y - 3);
        l.samples[i] = (sos_sample){ .label = x * y > 0, .weight = x * y > 0 ? (float)weight1 : 1 };
    }
    memcpy(l.copy, l.features, 2 * count * sizeof *l.copy);
    return l;
}

static void lesson_free(lesson *l)
{
    free(l->samples);
    free(l->features);
    free(l->copy);
}

static void train(sos_perceptron *p, lesson *l, size_t epochs)
{
    sos_error error;
    sos_perceptron_settings s = sos_perceptron_defaults();
    s.epochs = epochs;
    s.rate = 0.01;
    memcpy(l->features, l->copy, 2 * l->count * sizeof *l->copy);
    check_ok(sos_perceptron_train(p, &(sos_samples){ l->count, l->samples, l->features }, &s, &error), error);
}

/* Share of label 1 among the wrong, and all wrong. */
static double wrong_share(const sos_perceptron *p, const lesson *l, double *of_ones)
{
    size_t wrong = 0, ones = 0;
    for (size_t i = 0; i < l->count; i++) {
        const double x[2] = { (double)l->copy[2 * i], (double)l->copy[2 * i + 1] };
        const bool one = response(p, x) > 0;
        wrong += one != (l->samples[i].label != 0);
        ones += !one && l->samples[i].label;
    }
    if (of_ones) *of_ones = wrong ? (double)ones / (double)wrong : 0;
    return (double)wrong / (double)l->count;
}

static void a_product_is_learned_and_learned_again_alike(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    lesson l = lesson_random(&r, 4000, 1), other = lesson_random(&r, 4000, 1);
    sos_perceptron p = network_new(2), q = network_new(2);
    train(&p, &l, 20);
    train(&q, &l, 20);
    check(!memcmp(p.numbers, q.numbers, sos_perceptron_numbers(2) * sizeof *p.numbers));
    check(wrong_share(&p, &other, NULL) < 0.05);
    sos_perceptron_free(&p);
    sos_perceptron_free(&q);
    lesson_free(&l);
    lesson_free(&other);
}

static void weights_of_samples_count(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    lesson l = lesson_random(&r, 4000, 30);
    sos_perceptron p = network_new(2);
    double ones;
    train(&p, &l, 6);
    wrong_share(&p, &l, &ones);
    check(ones < 0.1); /* it rather errs on the side that costs little */
    sos_perceptron_free(&p);
    lesson_free(&l);
}

/* The more decay counts, the less responses differ from each other. */
static void decay_keeps_weights_small(void **state)
{
    (void)state;
    static const double decays[] = { 0, 0.01, 1 };
    sos_random r = test_case_begin(0);
    lesson l = lesson_random(&r, 4000, 1);
    double before = INFINITY;
    for (size_t k = 0; k < sizeof decays / sizeof *decays; k++) {
        sos_perceptron p = network_new(2);
        sos_perceptron_settings s = sos_perceptron_defaults();
        sos_error error;
        s.epochs = 20;
        s.rate = 0.01;
        s.decay = decays[k];
        memcpy(l.features, l.copy, 2 * l.count * sizeof *l.copy);
        check_ok(sos_perceptron_train(&p, &(sos_samples){ l.count, l.samples, l.features }, &s, &error), error);
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < l.count; i++) {
            const double value = response(&p, (const double[2]){ (double)l.copy[2 * i], (double)l.copy[2 * i + 1] });
            low = fmin(low, value);
            high = fmax(high, value);
        }
        check(high - low < 0.8 * before);
        before = high - low;
        sos_perceptron_free(&p);
    }
    check(before < 0.05); /* nothing but the offset is left */
    lesson_free(&l);
}

static bool stop(void *user, const char *phase, double done)
{
    (void)phase;
    (void)done;
    return --*(int *)user > 0;
}

static void training_can_be_stopped_and_refused(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    lesson l = lesson_random(&r, 4000, 1);
    sos_perceptron p = network_new(2);
    sos_error error;
    int calls = 2;
    sos_perceptron_settings s = sos_perceptron_defaults();
    s.epochs = 100;
    s.progress = stop;
    s.user = &calls;
    check_is(sos_perceptron_train(&p, &(sos_samples){ l.count, l.samples, l.features }, &s, &error), SOS_CANCELLED);
    for (size_t i = 0; i < sos_perceptron_numbers(2); i++) check(p.numbers[i] == 0);
    check_error(sos_perceptron_train(&p, &(sos_samples){ 255, l.samples, l.features }, &s, &error), SOS_ERR_ARGUMENT, error,
                "255 samples");
    check_error(sos_perceptron_create(0, &p, &error), SOS_ERR_RANGE, error, "0 inputs");
    check_error(sos_perceptron_create(100000, &p, &error), SOS_ERR_RANGE, error, "100000 inputs");
    sos_perceptron_free(&p);
    lesson_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(responses_are_the_formula),
        cmocka_unit_test(the_logistic_function_is_that),
        cmocka_unit_test(a_product_is_learned_and_learned_again_alike),
        cmocka_unit_test(weights_of_samples_count),
        cmocka_unit_test(decay_keeps_weights_small),
        cmocka_unit_test(training_can_be_stopped_and_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
