#include "vision/perceptron.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/lanes.h"
#include "base/random.h"

enum {
    HIDDEN = SOS_PERCEPTRON_HIDDEN,
    BLOCK = 32, /* pixels whose responses are found together */
    BATCH = 256 /* samples between two steps */
};

SOS_INLINE float leaky(float a) { return a > 0 ? a : 0.1F * a; }

sos_status sos_perceptron_create(size_t inputs, sos_perceptron *out, sos_error *error)
{
    if (!inputs || inputs > SOS_PERCEPTRON_INPUTS_MAX)
        return sos_fail(error, SOS_ERR_RANGE, "a network of %zu inputs; 1 to %d are possible", inputs,
                        SOS_PERCEPTRON_INPUTS_MAX);
    float *numbers = calloc(sos_perceptron_numbers(inputs), sizeof *numbers);
    if (!numbers) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a network of %zu inputs", inputs);
    *out = (sos_perceptron){ .inputs = inputs, .numbers = numbers };
    return SOS_OK;
}

void sos_perceptron_free(sos_perceptron *p)
{
    free(p->numbers);
    *p = (sos_perceptron){ 0 };
}

/* The responses of BLOCK pixels, one hidden unit after the other; inputs has n pixels a feature. */
SOS_INLINE void block_apply(const sos_perceptron *p, size_t n, const float inputs[], float responses[])
{
    const float *w = p->numbers, *b = w + p->inputs * HIDDEN, *v = b + HIDDEN;
    for (size_t i = 0; i < BLOCK; i++) responses[i] = v[HIDDEN];
    for (size_t k = 0; k < HIDDEN; k++) {
        float a[BLOCK];
        for (size_t i = 0; i < BLOCK; i++) a[i] = b[k];
        for (size_t f = 0; f < p->inputs; f++)
            for (size_t i = 0; i < BLOCK; i++) a[i] += w[f * HIDDEN + k] * inputs[f * n + i];
        for (size_t i = 0; i < BLOCK; i++) responses[i] += v[k] * leaky(a[i]);
    }
}

SOS_INLINE void all_apply(const sos_perceptron *p, size_t n, const float inputs[], float responses[])
{
    size_t i = 0;
    for (; i + BLOCK <= n; i += BLOCK) block_apply(p, n, inputs + i, responses + i);
    if (i == n) return;
    float rest[SOS_PERCEPTRON_INPUTS_MAX * BLOCK], last[BLOCK];
    for (size_t f = 0; f < p->inputs; f++)
        for (size_t j = 0; j < BLOCK; j++) rest[f * BLOCK + j] = i + j < n ? inputs[f * n + i + j] : 0;
    block_apply(p, BLOCK, rest, last);
    memcpy(responses + i, last, (n - i) * sizeof *responses);
}

static void all_apply_plain(const sos_perceptron *p, size_t n, const float inputs[], float responses[])
{
    all_apply(p, n, inputs, responses);
}

SOS_TARGET_AVX2 static void all_apply_avx2(const sos_perceptron *p, size_t n, const float inputs[], float responses[])
{
    all_apply(p, n, inputs, responses);
}

void sos_perceptron_apply(const sos_perceptron *p, size_t n, const float inputs[], float responses[])
{
    if (sos_has_avx2())
        all_apply_avx2(p, n, inputs, responses);
    else
        all_apply_plain(p, n, inputs, responses);
}

double sos_logistic(double x)
{
    const double e = sos_exp(-fmin(fabs(x), 700));
    return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}

/* ---------------------------------------------------------------- training */

typedef struct training {
    size_t inputs, numbers;
    const sos_samples *samples;
    uint32_t *order;
    double *mean, *scale;  /* of the features: the network sees (x - mean) * scale */
    float *w;              /* its numbers */
    float *gradient;       /* of a batch */
    float *first, *second; /* moments */
    float decay;
} training;

sos_perceptron_settings sos_perceptron_defaults(void)
{
    return (sos_perceptron_settings){ .epochs = 3, .rate = 0.002, .seed = 1 };
}

static void training_free(training *t)
{
    free(t->order);
    free(t->mean);
    free(t->scale);
    free(t->w);
    free(t->gradient);
    free(t->first);
    free(t->second);
}

/* False: no memory for all of it, but perhaps for some. */
static bool training_create(size_t inputs, const sos_samples *samples, training *t)
{
    const size_t numbers = sos_perceptron_numbers(inputs);
    *t = (training){ .inputs = inputs, .numbers = numbers, .samples = samples };
    t->order = malloc(samples->count * sizeof *t->order);
    t->mean = calloc(inputs, sizeof *t->mean);
    t->scale = calloc(inputs, sizeof *t->scale);
    t->w = calloc(numbers, sizeof *t->w);
    t->gradient = calloc(numbers, sizeof *t->gradient);
    t->first = calloc(numbers, sizeof *t->first);
    t->second = calloc(numbers, sizeof *t->second);
    return t->order && t->mean && t->scale && t->w && t->gradient && t->first && t->second;
}

/* Brings every feature to mean 0 and variance 1, so that one rate suits all. */
static void samples_normalize(training *t)
{
    const sos_samples *s = t->samples;
    double total = 0;
    for (size_t i = 0; i < s->count; i++) {
        total += (double)s->samples[i].weight;
        for (size_t f = 0; f < t->inputs; f++) {
            const double x = (double)s->features[i * t->inputs + f];
            t->mean[f] += (double)s->samples[i].weight * x;
            t->scale[f] += (double)s->samples[i].weight * x * x;
        }
    }
    for (size_t f = 0; f < t->inputs; f++) {
        t->mean[f] /= total;
        t->scale[f] = 1 / sqrt(fmax(t->scale[f] / total - t->mean[f] * t->mean[f], 1e-8));
    }
    for (size_t i = 0; i < s->count; i++)
        for (size_t f = 0; f < t->inputs; f++) {
            float *x = &s->features[i * t->inputs + f];
            *x = (float)(((double)*x - t->mean[f]) * t->scale[f]);
        }
}

/* Uniform numbers of variance 1 / (how many are summed up). */
static void numbers_start(training *t, sos_random *r)
{
    float *v = t->w + (t->inputs + 1) * HIDDEN;
    for (size_t i = 0; i < t->inputs * HIDDEN; i++)
        t->w[i] = (float)((2 * sos_random_uniform(r) - 1) * sqrt(3 / (double)t->inputs));
    for (size_t k = 0; k < HIDDEN; k++) v[k] = (float)((2 * sos_random_uniform(r) - 1) * sqrt(3 / (double)HIDDEN));
}

static void order_shuffle(training *t, sos_random *r)
{
    for (size_t i = t->samples->count - 1; i > 0; i--) {
        const size_t j = (size_t)sos_random_below(r, i + 1);
        const uint32_t other = t->order[i];
        t->order[i] = t->order[j];
        t->order[j] = other;
    }
}

/* Adds the gradient of one sample's logistic loss to g. */
SOS_INLINE void sample_gradient(const training *t, size_t sample, float g[])
{
    const float *x = t->samples->features + sample * t->inputs;
    const float *w = t->w, *b = w + t->inputs * HIDDEN, *v = b + HIDDEN;
    float *gb = g + t->inputs * HIDDEN, *gv = gb + HIDDEN;
    float a[HIDDEN], da[HIDDEN], response = v[HIDDEN];
    for (size_t k = 0; k < HIDDEN; k++) a[k] = b[k];
    for (size_t f = 0; f < t->inputs; f++)
        for (size_t k = 0; k < HIDDEN; k++) a[k] += x[f] * w[f * HIDDEN + k];
    for (size_t k = 0; k < HIDDEN; k++) response += v[k] * leaky(a[k]);
    const double wrong = sos_logistic((double)response) - t->samples->samples[sample].label;
    const float d = (float)((double)t->samples->samples[sample].weight * wrong / BATCH);
    gv[HIDDEN] += d;
    for (size_t k = 0; k < HIDDEN; k++) {
        gv[k] += d * leaky(a[k]);
        da[k] = d * v[k] * (a[k] > 0 ? 1 : 0.1F);
        gb[k] += da[k];
    }
    for (size_t f = 0; f < t->inputs; f++)
        for (size_t k = 0; k < HIDDEN; k++) g[f * HIDDEN + k] += x[f] * da[k];
}

SOS_INLINE void batch_gradient(training *t, size_t first)
{
    memset(t->gradient, 0, t->numbers * sizeof *t->gradient);
    for (size_t i = first; i < first + BATCH; i++) sample_gradient(t, t->order[i], t->gradient);
}

static void batch_gradient_plain(training *t, size_t first) { batch_gradient(t, first); }
SOS_TARGET_AVX2 static void batch_gradient_avx2(training *t, size_t first) { batch_gradient(t, first); }

/* The moments forget at the paper's rates: after 10 and after 1000 steps. */
typedef struct pace {
    double rate;
    double first_left, second_left; /* 0.9^step, 0.999^step */
} pace;

static void numbers_step(training *t, pace *p)
{
    p->first_left *= 0.9;
    p->second_left *= 0.999;
    const float rate = (float)(p->rate * sqrt(1 - p->second_left) / (1 - p->first_left));
    for (size_t i = 0; i < t->numbers; i++) {
        const bool offset = i / HIDDEN == t->inputs || i + 1 == t->numbers;
        const float g = offset ? t->gradient[i] : t->gradient[i] + t->decay * t->w[i];
        t->first[i] = 0.9F * t->first[i] + 0.1F * g;
        t->second[i] = 0.999F * t->second[i] + 0.001F * g * g;
        t->w[i] -= rate * t->first[i] / (sqrtf(t->second[i]) + 1e-6F);
    }
}

/* One pass over all samples; those that do not fill a batch wait for another pass, in another order. */
static sos_status epoch_run(training *t, const sos_perceptron_settings *s, size_t epoch, pace *p, sos_error *error)
{
    const size_t batches = t->samples->count / BATCH;
    const bool avx2 = sos_has_avx2();
    for (size_t b = 0; b < batches; b++) {
        const double done = ((double)epoch + (double)b / (double)batches) / (double)s->epochs;
        if (b % 64 == 0 && s->progress && !s->progress(s->user, "network", done))
            return sos_fail(error, SOS_CANCELLED, "stopped while training a network");
        if (avx2)
            batch_gradient_avx2(t, b * BATCH);
        else
            batch_gradient_plain(t, b * BATCH);
        p->rate = s->rate * (1 - done);
        numbers_step(t, p);
    }
    return SOS_OK;
}

/* Takes the normalisation into the first layer: w (x - mean) scale = (w scale) x - w scale mean. */
static void numbers_fold(const training *t, float out[])
{
    memcpy(out, t->w, t->numbers * sizeof *out);
    for (size_t k = 0; k < HIDDEN; k++) {
        double bias = (double)t->w[t->inputs * HIDDEN + k];
        for (size_t f = 0; f < t->inputs; f++) {
            const double w = (double)t->w[f * HIDDEN + k] * t->scale[f];
            out[f * HIDDEN + k] = (float)w;
            bias -= w * t->mean[f];
        }
        out[t->inputs * HIDDEN + k] = (float)bias;
    }
}

sos_status sos_perceptron_train(sos_perceptron *p, const sos_samples *samples, const sos_perceptron_settings *settings,
                                sos_error *error)
{
    if (samples->count < BATCH || samples->count > UINT32_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "%zu samples to train a network; at least %d are needed", samples->count,
                        BATCH);
    training t;
    if (!training_create(p->inputs, samples, &t)) {
        training_free(&t);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory to train a network of %zu inputs", p->inputs);
    }
    sos_status status = SOS_OK;
    sos_random random = sos_random_seeded(settings->seed);
    for (size_t i = 0; i < samples->count; i++) t.order[i] = (uint32_t)i;
    samples_normalize(&t);
    numbers_start(&t, &random);
    pace steps = { .first_left = 1, .second_left = 1 };
    t.decay = (float)settings->decay;
    for (size_t epoch = 0; epoch < settings->epochs && !status; epoch++) {
        order_shuffle(&t, &random);
        status = epoch_run(&t, settings, epoch, &steps, error);
    }
    if (!status) numbers_fold(&t, p->numbers);
    training_free(&t);
    return status;
}
