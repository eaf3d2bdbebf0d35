/* perceptron_train.c - training of small networks: batches of samples, Adam, units that are left out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/error.h"
#include "vision/adam.h"
#include "vision/perceptron_layers.h"

enum {
    BATCH = 256,        /* samples between two steps */
    PROGRESS_EVERY = 64 /* batches: some milliseconds */
};

typedef struct training {
    s3svm_perceptron network; /* as it is so far; it sees (x - mean) * scale */
    const s3svm_samples *samples;
    const s3svm_perceptron_settings *settings;
    size_t numbers;
    uint32_t *order;
    double *mean, *scale;  /* of the features */
    float *home;           /* where decay draws the numbers to */
    float *gradient;       /* of a batch */
    float *first, *second; /* moments */
} training;

s3svm_perceptron_settings s3svm_perceptron_defaults(void)
{
    return (s3svm_perceptron_settings){ .epochs = 3, .rate = 0.002, .seed = 1 };
}

static void training_free(training *t)
{
    s3svm_perceptron_free(&t->network);
    free(t->order);
    free(t->mean);
    free(t->scale);
    free(t->home);
    free(t->gradient);
    free(t->first);
    free(t->second);
}

/* Takes all memory. */
static sos_status training_create(const s3svm_perceptron *p, const s3svm_samples *samples,
                                  const s3svm_perceptron_settings *settings, training *out, sos_error *error)
{
    training t = { .samples = samples, .settings = settings, .numbers = s3svm_perceptron_numbers(p) };
    sos_status status = s3svm_perceptron_create(p->inputs, p->hidden, p->outputs, &t.network, error);
    if (status) return status;
    t.order = malloc(samples->count * sizeof *t.order);
    t.mean = calloc(p->inputs, sizeof *t.mean);
    t.scale = calloc(p->inputs, sizeof *t.scale);
    t.home = calloc(t.numbers, sizeof *t.home);
    t.gradient = calloc(t.numbers, sizeof *t.gradient);
    t.first = calloc(t.numbers, sizeof *t.first);
    t.second = calloc(t.numbers, sizeof *t.second);
    if (!t.order || !t.mean || !t.scale || !t.home || !t.gradient || !t.first || !t.second) {
        training_free(&t);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory to train a network of %zu inputs", p->inputs);
    }
    for (size_t i = 0; i < samples->count; i++) t.order[i] = (uint32_t)i;
    *out = t;
    return SOS_OK;
}

/* How to bring every feature to mean 0 and variance 1, so that one rate suits all. */
static void samples_measure(training *t)
{
    const double least = 1e-8; /* variance: a feature that is the same in all samples stays near 0 */
    const s3svm_samples *s = t->samples;
    const size_t inputs = t->network.inputs;
    double total = 0;
    for (size_t i = 0; i < s->count; i++) {
        const double weight = (double)s->samples[i].weight;
        total += weight;
        for (size_t f = 0; f < inputs; f++) {
            const double x = (double)s->features[i * inputs + f];
            t->mean[f] += weight * x;
            t->scale[f] += weight * x * x;
        }
    }
    for (size_t f = 0; f < inputs; f++) {
        t->mean[f] /= total;
        const double variance = t->scale[f] / total - t->mean[f] * t->mean[f];
        t->scale[f] = 1 / sqrt(fmax(variance + t->settings->spread, least));
    }
}

/* Uniform numbers of variance 1 / (how many are summed up). */
static void uniform_fill(sos_random *r, size_t summed, size_t count, float out[])
{
    for (size_t i = 0; i < count; i++) out[i] = (float)((2 * sos_random_uniform(r) - 1) * sqrt(3 / (double)summed));
}

static void numbers_start(training *t, sos_random *r)
{
    const s3svm_perceptron *p = &t->network;
    uniform_fill(r, p->inputs, p->inputs * p->hidden, p->numbers);
    uniform_fill(r, p->hidden, p->hidden * p->outputs, p->numbers + (p->inputs + 1) * p->hidden);
}

/* The numbers that the network has, for features of mean 0 and variance 1: what numbers_fold takes back. */
static void numbers_go_on(training *t, const float from[])
{
    const s3svm_perceptron *p = &t->network;
    memcpy(p->numbers, from, t->numbers * sizeof *from);
    for (size_t k = 0; k < p->hidden; k++) {
        double offset = (double)from[p->inputs * p->hidden + k];
        for (size_t f = 0; f < p->inputs; f++) {
            const double w = (double)from[f * p->hidden + k];
            p->numbers[f * p->hidden + k] = (float)(w / t->scale[f]);
            offset += w * t->mean[f];
        }
        p->numbers[p->inputs * p->hidden + k] = (float)offset;
    }
    memcpy(t->home, p->numbers, t->numbers * sizeof *from);
}

/* ---------------------------------------------------------------- gradients */

/* A few samples, one in each lane. */
typedef struct group {
    size_t count;
    const s3svm_sample *sample[S3SVM_PLACES];
    s3svm_places x[S3SVM_PERCEPTRON_INPUTS_MAX];
    s3svm_places keep[S3SVM_PERCEPTRON_HIDDEN_MAX]; /* what hidden units count for */
    s3svm_places a[S3SVM_PERCEPTRON_HIDDEN_MAX], h[S3SVM_PERCEPTRON_HIDDEN_MAX];
    s3svm_places z[S3SVM_PERCEPTRON_OUTPUTS_MAX], dz[S3SVM_PERCEPTRON_OUTPUTS_MAX]; /* outputs, and the loss derived by them */
    float da[S3SVM_PLACES][S3SVM_PERCEPTRON_HIDDEN_MAX];                            /* derived by a, a row for each sample */
} group;

/* Chooses the hidden units that see a sample, each by a chance of its own.  They count more, so that sums stay what they are.
 */
static void units_choose(const training *t, sos_random *r, size_t lane, group *g)
{
    const float more = (float)(1 / (1 - t->settings->drop));
    const uint64_t least = (uint64_t)(t->settings->drop * 256); /* a byte of chance for each unit */
    uint64_t bits = 0;
    for (size_t k = 0; k < t->network.hidden; k++, bits >>= 8) {
        if (k % 8 == 0) bits = sos_random_bits(r);
        g->keep[k][lane] = (bits & 255) < least ? 0 : more;
    }
}

/* A sample as the network sees it in an epoch.  A row of its own comes first, and then the lane: so rows are computed side by
 * side. */
SOS_INLINE void sample_see(const training *t, size_t sample, size_t epoch, size_t lane, group *g)
{
    const size_t inputs = t->network.inputs;
    const bool drop = t->settings->drop > 0;
    const float *x = t->samples->features + sample * inputs;
    float varied[S3SVM_PERCEPTRON_INPUTS_MAX], row[S3SVM_PERCEPTRON_INPUTS_MAX];
    sos_random r;
    if (t->settings->vary || drop)
        r = sos_random_seeded(t->settings->seed + (uint64_t)epoch * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)sample);
    if (t->settings->vary) {
        memcpy(varied, x, inputs * sizeof *varied);
        t->settings->vary(&r, varied);
        x = varied;
    }
    for (size_t f = 0; f < inputs; f++) row[f] = (float)(((double)x[f] - t->mean[f]) * t->scale[f]);
    for (size_t f = 0; f < inputs; f++) g->x[f][lane] = row[f];
    if (drop) units_choose(t, &r, lane, g);
    g->sample[lane] = &t->samples->samples[sample];
}

/* weight * (p_l - 1) for the sample's label l, weight * p_l for others, as a share of the batch; p by one output or by several.
 */
static void losses_derive(const s3svm_perceptron *p, size_t batch, group *g)
{
    for (size_t s = 0; s < g->count; s++) {
        const double weight = (double)g->sample[s]->weight, share = (double)batch;
        const uint8_t label = g->sample[s]->label;
        if (p->outputs == 1) {
            g->dz[0][s] = (float)(weight * (sos_logistic((double)g->z[0][s]) - label) / share);
            continue;
        }
        float z[S3SVM_PERCEPTRON_OUTPUTS_MAX] = { 0 };
        for (size_t l = 0; l < p->outputs; l++) z[l] = g->z[l][s];
        const double sum = s3svm_perceptron_log_sum(p->outputs, z);
        for (size_t l = 0; l < p->outputs; l++)
            g->dz[l][s] = (float)(weight * (sos_exp((double)z[l] - sum) - (l == label)) / share);
    }
}

SOS_INLINE void group_forward(const s3svm_perceptron *p, bool drop, group *g)
{
    s3svm_places_sums(p, g->x, g->a);
    for (size_t k = 0; k < p->hidden; k++) {
        s3svm_places_leaky(&g->a[k], &g->a[k], &g->h[k]);
        if (drop) g->h[k] *= g->keep[k];
    }
    s3svm_places_outputs(p, g->h, g->z);
}

/* The loss derived by the sums a. */
SOS_INLINE void group_back(const s3svm_perceptron *p, bool drop, group *g)
{
    const float *v = p->numbers + (p->inputs + 1) * p->hidden;
    for (size_t k = 0; k < p->hidden; k++) {
        s3svm_places back = { 0 };
        for (size_t l = 0; l < p->outputs; l++) back += g->dz[l] * v[k * p->outputs + l];
        if (drop) back *= g->keep[k];
        for (size_t s = 0; s < S3SVM_PLACES; s++) g->da[s][k] = back[s] * (g->a[k][s] > 0 ? 1 : 0.1F);
    }
}

/* Adds what the samples of a group say of the offsets c and of v, sample after sample. */
SOS_INLINE void outputs_gradient(const s3svm_perceptron *p, const group *g, float gv[], float gc[])
{
    for (size_t s = 0; s < g->count; s++)
        for (size_t l = 0; l < p->outputs; l++) gc[l] += g->dz[l][s];
    for (size_t k = 0; k < p->hidden; k++)
        for (size_t l = 0; l < p->outputs; l++) {
            float sum = gv[k * p->outputs + l];
            for (size_t s = 0; s < S3SVM_PLACES; s++) sum += g->h[k][s] * g->dz[l][s];
            gv[k * p->outputs + l] = sum;
        }
}

/* Adds what the samples say of the offsets b and of w: rows of da stay in registers while all features pass by. */
SOS_INLINE void inputs_gradient(const s3svm_perceptron *p, const group *g, float gw[], float gb[])
{
    for (size_t first = 0; first < p->hidden; first += S3SVM_UNITS) {
        s3svm_places da[S3SVM_PLACES];
        s3svm_places_in_memory *b = s3svm_places_to(gb + first);
        for (size_t s = 0; s < S3SVM_PLACES; s++) {
            da[s] = *s3svm_places_at(g->da[s] + first);
            *b += da[s];
        }
        for (size_t f = 0; f < p->inputs; f++) {
            s3svm_places_in_memory *to = s3svm_places_to(gw + f * p->hidden + first);
            s3svm_places sum = *to;
            for (size_t s = 0; s < S3SVM_PLACES; s++) sum += da[s] * g->x[f][s];
            *to = sum;
        }
    }
}
_Static_assert((int)S3SVM_UNITS == (int)S3SVM_PLACES, "a row of units is a vector");

/* The gradient of a batch: of first ... first + count - 1 in the order of this epoch. */
SOS_INLINE void batch_gradient(training *t, size_t epoch, size_t first, size_t count)
{
    const s3svm_perceptron *p = &t->network;
    const bool drop = t->settings->drop > 0;
    float *gw = t->gradient, *gb = gw + p->inputs * p->hidden, *gv = gb + p->hidden, *gc = gv + p->hidden * p->outputs;
    group g;
    memset(t->gradient, 0, t->numbers * sizeof *t->gradient);
    memset(&g, 0, sizeof g);
    for (size_t i = 0; i < count; i += S3SVM_PLACES) {
        g.count = count - i < S3SVM_PLACES ? count - i : S3SVM_PLACES;
        for (size_t s = 0; s < g.count; s++) sample_see(t, t->order[first + i + s], epoch, s, &g);
        for (size_t s = g.count; s < S3SVM_PLACES; s++)
            for (size_t l = 0; l < p->outputs; l++) g.dz[l][s] = 0; /* the rest of the last group says nothing */
        group_forward(p, drop, &g);
        losses_derive(p, count, &g);
        group_back(p, drop, &g);
        outputs_gradient(p, &g, gv, gc);
        inputs_gradient(p, &g, gw, gb);
    }
}

static void batch_gradient_plain(training *t, size_t epoch, size_t first, size_t count)
{
    batch_gradient(t, epoch, first, count);
}

SOS_TARGET_AVX2 static void batch_gradient_avx2(training *t, size_t epoch, size_t first, size_t count)
{
    batch_gradient(t, epoch, first, count);
}

/* ---------------------------------------------------------------- steps */

typedef struct pace {
    double rate;
    s3svm_adam adam;
} pace;

static void numbers_move(training *t, float rate, size_t first, size_t count, float decay)
{
    float *w = t->network.numbers;
    for (size_t i = first; i < first + count; i++) {
        const float g = t->gradient[i] + decay * (w[i] - t->home[i]);
        s3svm_adam_move(rate, g, &t->first[i], &t->second[i], &w[i]);
    }
}

/* Offsets do not decay to 0, but to where they were. */
static void numbers_step(training *t, pace *steps)
{
    const s3svm_perceptron *p = &t->network;
    const float rate = s3svm_adam_rate(&steps->adam, steps->rate);
    const float decay = (float)t->settings->decay, offset_decay = t->settings->go_on ? decay : 0;
    const size_t b = p->inputs * p->hidden, v = b + p->hidden, c = v + p->hidden * p->outputs;
    numbers_move(t, rate, 0, b, decay);
    numbers_move(t, rate, b, p->hidden, offset_decay);
    numbers_move(t, rate, v, c - v, decay);
    numbers_move(t, rate, c, p->outputs, offset_decay);
}

/* One pass over all samples; samples that do not fill a batch wait for another pass, in another order. */
static sos_status epoch_run(training *t, size_t epoch, pace *steps, sos_error *error)
{
    const s3svm_perceptron_settings *s = t->settings;
    const size_t count = t->samples->count < BATCH ? t->samples->count : BATCH, batches = t->samples->count / count;
    const bool avx2 = sos_has_avx2();
    for (size_t b = 0; b < batches; b++) {
        const double done = ((double)epoch + (double)b / (double)batches) / (double)s->epochs;
        if (b % PROGRESS_EVERY == 0 && s->progress && !s->progress(s->user, "network", done))
            return sos_fail(error, SOS_CANCELLED, "stopped while training a network");
        if (avx2)
            batch_gradient_avx2(t, epoch, b * count, count);
        else
            batch_gradient_plain(t, epoch, b * count, count);
        steps->rate = s->rate * (1 - done);
        numbers_step(t, steps);
    }
    return SOS_OK;
}

/* Takes the normalisation into the first layer: w (x - mean) scale = (w scale) x - w scale mean. */
static void numbers_fold(const training *t, float out[])
{
    const s3svm_perceptron *p = &t->network;
    memcpy(out, p->numbers, t->numbers * sizeof *out);
    for (size_t k = 0; k < p->hidden; k++) {
        double offset = (double)p->numbers[p->inputs * p->hidden + k];
        for (size_t f = 0; f < p->inputs; f++) {
            const double w = (double)p->numbers[f * p->hidden + k] * t->scale[f];
            out[f * p->hidden + k] = (float)w;
            offset -= w * t->mean[f];
        }
        out[p->inputs * p->hidden + k] = (float)offset;
    }
}

static sos_status samples_check(const s3svm_perceptron *p, const s3svm_samples *s, sos_error *error)
{
    const size_t labels = p->outputs == 1 ? 2 : p->outputs;
    if (!s->count || s->count > UINT32_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "%zu samples to train a network", s->count);
    for (size_t i = 0; i < s->count; i++)
        if (s->samples[i].label >= labels)
            return sos_fail(error, SOS_ERR_ARGUMENT, "sample %zu has label %d, but there are %zu", i, s->samples[i].label,
                            labels);
    return SOS_OK;
}

sos_status s3svm_perceptron_train(s3svm_perceptron *p, const s3svm_samples *samples, const s3svm_perceptron_settings *settings,
                                  sos_error *error)
{
    training t;
    sos_status status = samples_check(p, samples, error);
    if (!status) status = training_create(p, samples, settings, &t, error);
    if (status) return status;
    sos_random random = sos_random_seeded(settings->seed);
    samples_measure(&t);
    if (settings->go_on)
        numbers_go_on(&t, p->numbers);
    else
        numbers_start(&t, &random);
    pace steps = { .adam = s3svm_adam_begin() };
    for (size_t epoch = 0; epoch < settings->epochs && !status; epoch++) {
        sos_random_shuffle(&random, t.samples->count, t.order);
        status = epoch_run(&t, epoch, &steps, error);
    }
    if (!status) numbers_fold(&t, p->numbers);
    training_free(&t);
    return status;
}
