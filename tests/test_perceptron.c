/* test_perceptron.c - the network computes its formula and learns what one layer could not. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "vision/perceptron.h"

enum { HIDDEN = 24, OUTPUTS_MAX = 5 };

static s3svm_perceptron network_of(size_t inputs, size_t hidden, size_t outputs)
{
    s3svm_perceptron p;
    sos_error error;
    check_ok(s3svm_perceptron_create(inputs, hidden, outputs, &p, &error), error);
    return p;
}

static s3svm_perceptron network_new(size_t inputs) { return network_of(inputs, HIDDEN, 1); }

/* The l-th response to the features of one place. */
static double output(const s3svm_perceptron *p, size_t l, const double x[])
{
    const float *w = p->numbers, *b = w + p->inputs * p->hidden, *v = b + p->hidden;
    double sum = (double)v[p->hidden * p->outputs + l];
    for (size_t k = 0; k < p->hidden; k++) {
        double a = (double)b[k];
        for (size_t f = 0; f < p->inputs; f++) a += (double)w[f * p->hidden + k] * x[f];
        sum += (double)v[k * p->outputs + l] * (a > 0 ? a : a / 10);
    }
    return sum;
}

static double response(const s3svm_perceptron *p, const double x[]) { return output(p, 0, x); }

static s3svm_perceptron network_random(sos_random *r)
{
    const size_t inputs = 1 + (size_t)sos_random_below(r, 70), hidden = 8 * (1 + (size_t)sos_random_below(r, 12));
    s3svm_perceptron p = network_of(inputs, hidden, 1 + (size_t)sos_random_below(r, OUTPUTS_MAX));
    for (size_t i = 0; i < s3svm_perceptron_numbers(&p); i++) p.numbers[i] = (float)(sos_random_normal(r) / 4);
    return p;
}

static void responses_are_the_formula(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(50); c++) {
        sos_random r = test_case_begin(c);
        s3svm_perceptron p = network_random(&r);
        const size_t inputs = p.inputs, outputs = p.outputs, n = 1 + (size_t)sos_random_below(&r, 100);
        float *planes = test_room(NULL, inputs * n, sizeof *planes), *side = test_room(NULL, inputs * n, sizeof *side);
        float *z = test_room(NULL, outputs * n, sizeof *z), *logs = test_room(NULL, outputs * n, sizeof *logs);
        for (size_t i = 0; i < inputs * n; i++) side[i % n * inputs + i / n] = planes[i] = (float)sos_random_normal(&r);
        for (size_t i = 0; i < outputs * n; i++) logs[i] = (float)i;
        const size_t part = (size_t)sos_random_below(&r, n + 1); /* planes can be judged in parts */
        s3svm_perceptron_apply(&p, part, n, planes, z);
        s3svm_perceptron_apply(&p, n - part, n, planes + part, z + part);
        s3svm_perceptron_add_logs(&p, n, side, logs);
        for (size_t i = 0; i < n; i++) {
            double pixel[70], sum = 0;
            for (size_t f = 0; f < inputs; f++) pixel[f] = (double)side[i * inputs + f];
            for (size_t l = 0; l < outputs; l++) {
                check(fabs((double)z[l * n + i] - output(&p, l, pixel)) < 1e-4);
                sum += exp(output(&p, l, pixel));
            }
            for (size_t l = 0; l < outputs; l++)
                check(fabs((double)logs[i * outputs + l] - (double)(i * outputs + l) - output(&p, l, pixel) + log(sum)) < 1e-3);
        }
        free(planes);
        free(side);
        free(z);
        free(logs);
        s3svm_perceptron_free(&p);
    }
}

/* Points of a square, labelled by the sign of the product of their coordinates: no function of a weighted sum can tell. */
typedef struct lesson {
    s3svm_sample *samples;
    float *features;
    size_t count;
} lesson;

static lesson lesson_random(sos_random *r, size_t count, double weight1)
{
    lesson l = { .samples = test_room(NULL, count, sizeof *l.samples),
                 .features = test_room(NULL, 2 * count, sizeof *l.features),
                 .count = count };
    for (size_t i = 0; i < count; i++) {
        const double x = 2 * sos_random_uniform(r) - 1, y = 2 * sos_random_uniform(r) - 1;
        l.features[2 * i] = (float)(100 + 5 * x);
        l.features[2 * i + 1] = (float)(0.01 * y - 3);
        l.samples[i] = (s3svm_sample){ .label = x * y > 0, .weight = x * y > 0 ? (float)weight1 : 1 };
    }
    return l;
}

static void lesson_free(lesson *l)
{
    free(l->samples);
    free(l->features);
}

static void train(s3svm_perceptron *p, lesson *l, size_t epochs)
{
    sos_error error;
    s3svm_perceptron_settings s = s3svm_perceptron_defaults();
    s.epochs = epochs;
    s.rate = 0.01;
    check_ok(s3svm_perceptron_train(p, &(s3svm_samples){ l->count, l->samples, l->features }, &s, &error), error);
}

/* Share of label 1 among the wrong, and all wrong. */
static double wrong_share(const s3svm_perceptron *p, const lesson *l, double *of_ones)
{
    size_t wrong = 0, ones = 0;
    for (size_t i = 0; i < l->count; i++) {
        const double x[2] = { (double)l->features[2 * i], (double)l->features[2 * i + 1] };
        const bool one = response(p, x) > 0;
        wrong += one != (l->samples[i].label != 0);
        ones += !one && l->samples[i].label;
    }
    if (of_ones) *of_ones = wrong ? (double)ones / (double)wrong : 0;
    return (double)wrong / (double)l->count;
}

/* A network that goes on begins where it is: a pass at rate 0 leaves its responses as they are, a strong decay keeps it from
 * going far, and without one it learns what it did not know. */
static void networks_go_on_from_where_they_are(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    lesson l = lesson_random(&r, 4000, 1), flipped = lesson_random(&r, 4000, 1);
    for (size_t i = 0; i < flipped.count; i++) flipped.samples[i].label = !flipped.samples[i].label;
    const s3svm_samples samples = { flipped.count, flipped.samples, flipped.features };
    s3svm_perceptron p = network_new(2), q = network_new(2);
    train(&p, &l, 20);
    const size_t bytes = s3svm_perceptron_numbers(&p) * sizeof *p.numbers;
    sos_error error;
    s3svm_perceptron_settings s = s3svm_perceptron_defaults();
    s.go_on = true;
    s.rate = 0;
    memcpy(q.numbers, p.numbers, bytes);
    check_ok(s3svm_perceptron_train(&q, &samples, &s, &error), error);
    for (size_t i = 0; i < l.count; i += 100) {
        const double x[2] = { (double)l.features[2 * i], (double)l.features[2 * i + 1] };
        check(fabs(response(&p, x) - response(&q, x)) < 1e-2);
    }
    s.rate = 0.01;
    s.decay = 1000;
    s.epochs = 10;
    check_ok(s3svm_perceptron_train(&q, &samples, &s, &error), error);
    check(wrong_share(&q, &l, NULL) < 0.1);
    s.decay = 0;
    s.epochs = 20;
    check_ok(s3svm_perceptron_train(&q, &samples, &s, &error), error);
    check(wrong_share(&q, &flipped, NULL) < 0.2);
    s3svm_perceptron_free(&p);
    s3svm_perceptron_free(&q);
    lesson_free(&l);
    lesson_free(&flipped);
}

static void a_product_is_learned_and_learned_again_alike(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    lesson l = lesson_random(&r, 4000, 1), other = lesson_random(&r, 4000, 1);
    s3svm_perceptron p = network_new(2), q = network_new(2);
    train(&p, &l, 20);
    train(&q, &l, 20);
    check(!memcmp(p.numbers, q.numbers, s3svm_perceptron_numbers(&p) * sizeof *p.numbers));
    check(wrong_share(&p, &other, NULL) < 0.05);
    s3svm_perceptron_free(&p);
    s3svm_perceptron_free(&q);
    lesson_free(&l);
    lesson_free(&other);
}

static void weights_of_samples_count(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    lesson l = lesson_random(&r, 4000, 30);
    s3svm_perceptron p = network_new(2);
    double ones;
    train(&p, &l, 6);
    wrong_share(&p, &l, &ones);
    check(ones < 0.1); /* it rather errs on the side that costs little */
    s3svm_perceptron_free(&p);
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
        s3svm_perceptron p = network_new(2);
        s3svm_perceptron_settings s = s3svm_perceptron_defaults();
        sos_error error;
        s.epochs = 20;
        s.rate = 0.01;
        s.decay = decays[k];
        check_ok(s3svm_perceptron_train(&p, &(s3svm_samples){ l.count, l.samples, l.features }, &s, &error), error);
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < l.count; i++) {
            const double value = response(&p, (const double[2]){ (double)l.features[2 * i], (double)l.features[2 * i + 1] });
            low = fmin(low, value);
            high = fmax(high, value);
        }
        check(high - low < 0.8 * before);
        before = high - low;
        s3svm_perceptron_free(&p);
    }
    check(before < 0.05); /* nothing but the offset is left */
    lesson_free(&l);
}

/* ---- several outputs ---- */

/* Label 2 in a disc, else by the quadrant. */
static void ring_make(sos_random *r, size_t count, s3svm_sample samples[], float features[])
{
    for (size_t i = 0; i < count; i++) {
        const double x = 2 * sos_random_uniform(r) - 1, y = 2 * sos_random_uniform(r) - 1;
        features[2 * i] = (float)(100 + 10 * x);
        features[2 * i + 1] = (float)(10 * y);
        samples[i] = (s3svm_sample){ .weight = 1, .label = x * x + y * y < 0.3 ? 2 : (x > 0) != (y > 0) };
    }
}

static void more_labels_are_learned(void **state)
{
    (void)state;
    enum { N = 600 };
    sos_random r = test_case_begin(1);
    s3svm_sample samples[N];
    float *x = test_room(NULL, N * 2, sizeof *x), *p = test_room(NULL, N * 3, sizeof *p);
    ring_make(&r, N, samples, x);
    s3svm_perceptron network = network_of(2, 96, 3);
    s3svm_perceptron_settings settings = s3svm_perceptron_defaults();
    sos_error error;
    settings.epochs = 300;
    settings.spread = 0.25;
    check_ok(s3svm_perceptron_train(&network, &(s3svm_samples){ N, samples, x }, &settings, &error), error);
    memset(p, 0, N * 3 * sizeof *p);
    s3svm_perceptron_add_logs(&network, N, x, p);
    size_t wrong = 0;
    for (size_t i = 0; i < N; i++) {
        double sum = 0;
        size_t best = 0;
        for (size_t l = 0; l < 3; l++) {
            sum += exp((double)p[3 * i + l]);
            if (p[3 * i + l] > p[3 * i + best]) best = l;
        }
        check(fabs(sum - 1) < 1e-4);
        wrong += best != samples[i].label;
    }
    check(wrong < N / 20);
    free(p);
    free(x);
    s3svm_perceptron_free(&network);
}

/* ---- one step ---- */

static double loss(const s3svm_perceptron *p, const s3svm_samples *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->count; i++) {
        double x[4], most = 0, z[OUTPUTS_MAX + 1] = { 0 };
        for (size_t f = 0; f < p->inputs; f++) x[f] = (double)s->features[i * p->inputs + f];
        const size_t labels = p->outputs == 1 ? 2 : p->outputs;
        for (size_t l = 0; l < p->outputs; l++) z[p->outputs == 1 ? 1 : l] = output(p, l, x); /* one output: z_0 is 0 */
        for (size_t l = 0; l < labels; l++) most += exp(z[l]);
        sum += (double)s->samples[i].weight * (log(most) - z[s->samples[i].label]);
    }
    return sum / (double)s->count;
}

/* The first step of Adam takes every number by the rate against its gradient's sign.  So one epoch of one batch must lead to
 * where the loss, computed anew by its definition, is less by the rate times the sum of |gradient|; and all numbers have moved
 * by the rate, but for those that make no difference.  Features have mean 0 and variance 1 here: the network sees them as they
 * are. */
static void the_first_step_goes_down_by_its_length(void **state)
{
    (void)state;
    enum { N = 52, INPUTS = 3 }; /* no multiple of what is computed at once */
    for (uint64_t c = 0; c < test_cases(20); c++) {
        sos_random r = test_case_begin(c);
        s3svm_sample samples[N];
        float x[N * INPUTS];
        const size_t outputs = 1 + (size_t)sos_random_below(&r, OUTPUTS_MAX), labels = outputs == 1 ? 2 : outputs;
        for (size_t i = 0; i < N / 2; i++) { /* with a mirrored one for each, so that the mean is 0 */
            const float weight = i % 2 ? 2 : 1;
            samples[i] = (s3svm_sample){ .weight = weight, .label = (uint8_t)sos_random_below(&r, labels) };
            samples[i + N / 2] = (s3svm_sample){ .weight = weight, .label = (uint8_t)sos_random_below(&r, labels) };
            for (size_t f = 0; f < INPUTS; f++) {
                x[i * INPUTS + f] = i >> f & 1 ? 1 : -1;
                x[(i + N / 2) * INPUTS + f] = -x[i * INPUTS + f];
            }
        }
        const s3svm_samples s = { N, samples, x };
        s3svm_perceptron start = network_of(INPUTS, 16, outputs), end = network_of(INPUTS, 16, outputs);
        s3svm_perceptron_settings settings = s3svm_perceptron_defaults();
        sos_error error;
        settings.epochs = 1;
        settings.rate = 0;
        settings.seed = c;
        check_ok(s3svm_perceptron_train(&start, &s, &settings, &error), error);
        settings.rate = 1e-4;
        check_ok(s3svm_perceptron_train(&end, &s, &settings, &error), error);
        double expected = 0;
        for (size_t i = 0; i < s3svm_perceptron_numbers(&start); i++) {
            const float was = start.numbers[i], now = end.numbers[i];
            start.numbers[i] = was + 1e-3F;
            const double above = loss(&start, &s);
            start.numbers[i] = was - 1e-3F;
            const double gradient = (above - loss(&start, &s)) / 2e-3;
            start.numbers[i] = was;
            expected += fabs(gradient) * settings.rate;
            if (fabs(gradient) > 1e-2)
                check(fabs((double)(was - now) - copysign(settings.rate, gradient)) < 0.02 * settings.rate);
        }
        const double fell = loss(&start, &s) - loss(&end, &s);
        check(fabs(fell - expected) < 0.05 * expected);
        s3svm_perceptron_free(&start);
        s3svm_perceptron_free(&end);
    }
}

/* What is left out, and what is varied, changes what is learned; features are nobody's to change. */
static void feature_shift(sos_random *r, float features[])
{
    if (sos_random_uniform(r) < 0.5) features[0] = features[0] + 1;
}

static void dropping_and_varying_make_a_difference(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    lesson l = lesson_random(&r, 1000, 1);
    float *before = test_room(NULL, 2 * l.count, sizeof *before);
    memcpy(before, l.features, 2 * l.count * sizeof *before);
    s3svm_perceptron plain = network_new(2), dropped = network_new(2), varied = network_new(2);
    train(&plain, &l, 2);
    s3svm_perceptron_settings s = s3svm_perceptron_defaults();
    sos_error error;
    s.rate = 0.01;
    s.epochs = 2;
    s.drop = 0.5;
    check_ok(s3svm_perceptron_train(&dropped, &(s3svm_samples){ l.count, l.samples, l.features }, &s, &error), error);
    s.drop = 0;
    s.vary = feature_shift;
    check_ok(s3svm_perceptron_train(&varied, &(s3svm_samples){ l.count, l.samples, l.features }, &s, &error), error);
    check(memcmp(plain.numbers, dropped.numbers, s3svm_perceptron_numbers(&plain) * sizeof *plain.numbers) != 0);
    check(memcmp(plain.numbers, varied.numbers, s3svm_perceptron_numbers(&plain) * sizeof *plain.numbers) != 0);
    check(!memcmp(before, l.features, 2 * l.count * sizeof *before));
    free(before);
    s3svm_perceptron_free(&plain);
    s3svm_perceptron_free(&dropped);
    s3svm_perceptron_free(&varied);
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
    s3svm_perceptron p = network_new(2);
    sos_error error;
    int calls = 2;
    s3svm_perceptron_settings s = s3svm_perceptron_defaults();
    s.epochs = 100;
    s.progress = stop;
    s.user = &calls;
    check_is(s3svm_perceptron_train(&p, &(s3svm_samples){ l.count, l.samples, l.features }, &s, &error), SOS_CANCELLED);
    for (size_t i = 0; i < s3svm_perceptron_numbers(&p); i++) check(p.numbers[i] == 0);
    check_error(s3svm_perceptron_train(&p, &(s3svm_samples){ 0, l.samples, l.features }, &s, &error), SOS_ERR_ARGUMENT, error,
                "0 samples");
    l.samples[5].label = 2;
    check_error(s3svm_perceptron_train(&p, &(s3svm_samples){ l.count, l.samples, l.features }, &s, &error), SOS_ERR_ARGUMENT,
                error, "sample 5", "label 2");
    s3svm_perceptron_free(&p);
    check_error(s3svm_perceptron_create(0, 8, 1, &p, &error), SOS_ERR_RANGE, error, "0 inputs");
    check_error(s3svm_perceptron_create(100000, 8, 1, &p, &error), SOS_ERR_RANGE, error, "100000 inputs");
    check_error(s3svm_perceptron_create(2, 1000, 1, &p, &error), SOS_ERR_RANGE, error, "1000 hidden units");
    check_error(s3svm_perceptron_create(2, 8, 0, &p, &error), SOS_ERR_RANGE, error, "0 outputs");
    check_error(s3svm_perceptron_create(2, 12, 1, &p, &error), SOS_ERR_ARGUMENT, error, "12 hidden units");
    lesson_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(responses_are_the_formula),
        cmocka_unit_test(a_product_is_learned_and_learned_again_alike),
        cmocka_unit_test(networks_go_on_from_where_they_are),
        cmocka_unit_test(weights_of_samples_count),
        cmocka_unit_test(decay_keeps_weights_small),
        cmocka_unit_test(more_labels_are_learned),
        cmocka_unit_test(the_first_step_goes_down_by_its_length),
        cmocka_unit_test(dropping_and_varying_make_a_difference),
        cmocka_unit_test(training_can_be_stopped_and_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
