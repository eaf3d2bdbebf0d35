#include "label/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sos/multi_energy.h>

#include "base/error.h"
#include "base/lanes.h"

enum { HIDDEN = SOS_LABEL_HIDDEN, BATCH = 256 /* samples between two steps */ };

/* Added to the variance of a feature. */
static const double FLOOR = 0.25;

SOS_INLINE float leaky(float a) { return a > 0 ? a : 0.1F * a; }

sos_status sos_label_network_create(size_t inputs, size_t labels, sos_label_network *out, sos_error *error)
{
    if (!inputs || inputs > SOS_LABEL_INPUTS_MAX)
        return sos_fail(error, SOS_ERR_RANGE, "a network of %zu inputs; 1 to %d are possible", inputs, SOS_LABEL_INPUTS_MAX);
    float *numbers = calloc(sos_label_network_numbers(inputs, labels), sizeof *numbers);
    if (!numbers) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a network of %zu inputs", inputs);
    *out = (sos_label_network){ .inputs = inputs, .labels = labels, .numbers = numbers };
    return SOS_OK;
}

void sos_label_network_free(sos_label_network *p)
{
    free(p->numbers);
    *p = (sos_label_network){ 0 };
}

/* ---------------------------------------------------------------- forward */

/* a of the hidden units, and z.  keep: what the units count. */
SOS_INLINE void forward(size_t inputs, size_t labels, const float numbers[], const float x[], const float keep[], float a[],
                        float z[])
{
    const float *w = numbers, *b = w + inputs * HIDDEN, *v = b + HIDDEN, *c = v + HIDDEN * labels;
    for (size_t k = 0; k < HIDDEN; k++) a[k] = b[k];
    for (size_t f = 0; f < inputs; f++)
        for (size_t k = 0; k < HIDDEN; k++) a[k] += x[f] * w[f * HIDDEN + k];
    for (size_t l = 0; l < labels; l++) z[l] = c[l];
    for (size_t k = 0; k < HIDDEN; k++) {
        const float h = keep[k] * leaky(a[k]);
        for (size_t l = 0; l < labels; l++) z[l] += v[k * labels + l] * h;
    }
}

/* The log of sum_l exp(z_l). */
static double log_sum(size_t labels, const float z[])
{
    double most = (double)z[0], sum = 0;
    for (size_t l = 1; l < labels; l++) most = fmax(most, (double)z[l]);
    for (size_t l = 0; l < labels; l++) sum += sos_exp((double)z[l] - most);
    return most + sos_log(sum);
}

/* Several places at once, one in each lane: the same sums in the same order as forward.  The sums of a few units stay in
 * registers. */
enum { PLACES = 8, UNITS = 8 };
typedef float places __attribute__((vector_size(PLACES * sizeof(float))));

SOS_INLINE void places_hidden(size_t inputs, const float numbers[], const places x[], places h[HIDDEN])
{
    for (size_t first = 0; first < HIDDEN; first += UNITS) {
        const float *w = numbers + first, *b = numbers + inputs * HIDDEN + first;
        places sum[UNITS];
        for (size_t k = 0; k < UNITS; k++) sum[k] = (places){ 0 } + b[k];
        for (size_t f = 0; f < inputs; f++)
            for (size_t k = 0; k < UNITS; k++) sum[k] += x[f] * w[f * HIDDEN + k];
        for (size_t k = 0; k < UNITS; k++)
            for (size_t g = 0; g < PLACES; g++) h[first + k][g] = leaky(sum[k][g]);
    }
}

SOS_INLINE void places_labels(const sos_label_network *p, const places h[HIDDEN], places z[])
{
    const float *v = p->numbers + (p->inputs + 1) * HIDDEN, *c = v + HIDDEN * p->labels;
    for (size_t l = 0; l < p->labels; l++) {
        places sum = (places){ 0 } + c[l];
        for (size_t k = 0; k < HIDDEN; k++) sum += v[k * p->labels + l] * h[k];
        z[l] = sum;
    }
}

SOS_INLINE void all_add(const sos_label_network *p, size_t n, const float features[], float out[])
{
    for (size_t i = 0; i < n; i += PLACES) {
        places x[SOS_LABEL_INPUTS_MAX], h[HIDDEN], z[SOS_LABELS_MAX];
        const size_t count = n - i < PLACES ? n - i : PLACES;
        for (size_t f = 0; f < p->inputs; f++)
            for (size_t g = 0; g < PLACES; g++) x[f][g] = features[(i + (g < count ? g : 0)) * p->inputs + f];
        places_hidden(p->inputs, p->numbers, x, h);
        places_labels(p, h, z);
        for (size_t g = 0; g < count; g++) {
            float one[SOS_LABELS_MAX] = { z[0][g] };
            for (size_t l = 1; l < p->labels; l++) one[l] = z[l][g];
            const double sum = log_sum(p->labels, one);
            for (size_t l = 0; l < p->labels; l++) out[(i + g) * p->labels + l] += (float)((double)one[l] - sum);
        }
    }
}

static void all_add_plain(const sos_label_network *p, size_t n, const float features[], float out[])
{
    all_add(p, n, features, out);
}

SOS_TARGET_AVX2 static void all_add_avx2(const sos_label_network *p, size_t n, const float features[], float out[])
{
    all_add(p, n, features, out);
}

void sos_label_network_add(const sos_label_network *p, size_t n, const float features[], float out[])
{
    if (sos_has_avx2())
        all_add_avx2(p, n, features, out);
    else
        all_add_plain(p, n, features, out);
}

/* ---------------------------------------------------------------- training */

typedef struct training {
    size_t inputs, labels, numbers;
    const sos_label_samples *samples;
    sos_label_vary *vary;
    double drop;
    uint64_t seed;
    uint32_t *order;
    float *mean, *scale;   /* of the features: the network sees (x - mean) * scale */
    float *w;              /* its numbers */
    float *gradient;       /* of a batch */
    float *first, *second; /* moments */
} training;

sos_label_network_settings sos_label_network_defaults(void)
{
    return (sos_label_network_settings){ .epochs = 6, .rate = 0.002, .decay = 0.003, .drop = 0, .seed = 1 };
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
static bool training_create(const sos_label_network *p, const sos_label_samples *samples, training *t)
{
    const size_t numbers = sos_label_network_numbers(p->inputs, p->labels);
    *t = (training){ .inputs = p->inputs, .labels = p->labels, .numbers = numbers, .samples = samples };
    t->order = malloc(samples->count * sizeof *t->order);
    t->mean = calloc(p->inputs, sizeof *t->mean);
    t->scale = calloc(p->inputs, sizeof *t->scale);
    t->w = calloc(numbers, sizeof *t->w);
    t->gradient = calloc(numbers, sizeof *t->gradient);
    t->first = calloc(numbers, sizeof *t->first);
    t->second = calloc(numbers, sizeof *t->second);
    return t->order && t->mean && t->scale && t->w && t->gradient && t->first && t->second;
}

/* A network sees every feature with mean 0 and a variance of about 1, so that one rate suits all.  What hardly differs among
 * few pictures, such as their mean colours, must not become large for other ones: hence FLOOR. */
static void samples_measure(training *t)
{
    const sos_label_samples *s = t->samples;
    for (size_t f = 0; f < t->inputs; f++) {
        double sum = 0, squares = 0;
        for (size_t i = 0; i < s->count; i++) {
            const double x = (double)s->features[i * t->inputs + f];
            sum += x;
            squares += x * x;
        }
        const double mean = sum / (double)s->count;
        t->mean[f] = (float)mean;
        t->scale[f] = (float)(1 / sqrt(fmax(squares / (double)s->count - mean * mean, 0) + FLOOR));
    }
}

/* Which units see a sample: each by a chance of its own.  Those that do count more, so that the sum stays what it is. */
SOS_INLINE void units_choose(const training *t, sos_random *r, float keep[])
{
    const float more = (float)(1 / (1 - t->drop));
    const uint64_t least = (uint64_t)(t->drop * 256); /* a byte of chance for each unit */
    uint64_t bits = 0;
    for (size_t k = 0; k < HIDDEN; k++, bits >>= 8) {
        if (k % 8 == 0) bits = sos_random_bits(r);
        keep[k] = (bits & 255) < least ? 0 : more;
    }
}

/* A sample as the network sees it for the n-th time. */
SOS_INLINE void sample_see(const training *t, size_t sample, size_t n, float x[], float keep[])
{
    sos_random r = sos_random_seeded(t->seed + (uint64_t)n * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)sample);
    memcpy(x, t->samples->features + sample * t->inputs, t->inputs * sizeof *x);
    if (t->vary) t->vary(&r, x);
    for (size_t f = 0; f < t->inputs; f++) x[f] = (x[f] - t->mean[f]) * t->scale[f];
    units_choose(t, &r, keep);
}

/* Uniform numbers of variance 1 / (how many are summed up). */
static void numbers_start(training *t, sos_random *r)
{
    float *v = t->w + (t->inputs + 1) * HIDDEN;
    for (size_t i = 0; i < t->inputs * HIDDEN; i++)
        t->w[i] = (float)((2 * sos_random_uniform(r) - 1) * sqrt(3 / (double)t->inputs));
    for (size_t i = 0; i < HIDDEN * t->labels; i++) v[i] = (float)((2 * sos_random_uniform(r) - 1) * sqrt(3 / (double)HIDDEN));
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

/* Adds the gradient of one sample's loss, -log p of its label, to g. */
SOS_INLINE void sample_gradient(const training *t, size_t sample, size_t n, float g[])
{
    const size_t labels = t->labels;
    const float *v = t->w + (t->inputs + 1) * HIDDEN;
    float *gb = g + t->inputs * HIDDEN, *gv = gb + HIDDEN, *gc = gv + HIDDEN * labels;
    float x[SOS_LABEL_INPUTS_MAX], keep[HIDDEN], a[HIDDEN], da[HIDDEN], z[SOS_LABELS_MAX];
    sample_see(t, sample, n, x, keep);
    forward(t->inputs, labels, t->w, x, keep, a, z);
    const double sum = log_sum(labels, z);
    for (size_t l = 0; l < labels; l++) {
        z[l] = (float)((sos_exp((double)z[l] - sum) - (l == t->samples->labels[sample])) / BATCH);
        gc[l] += z[l];
    }
    for (size_t k = 0; k < HIDDEN; k++) {
        const float h = keep[k] * leaky(a[k]);
        float back = 0;
        for (size_t l = 0; l < labels; l++) {
            gv[k * labels + l] += h * z[l];
            back += v[k * labels + l] * z[l];
        }
        da[k] = back * keep[k] * (a[k] > 0 ? 1 : 0.1F);
        gb[k] += da[k];
    }
    for (size_t f = 0; f < t->inputs; f++)
        for (size_t k = 0; k < HIDDEN; k++) g[f * HIDDEN + k] += x[f] * da[k];
}

SOS_INLINE void batch_gradient(training *t, size_t first, size_t count, size_t n, float decay)
{
    for (size_t i = 0; i < t->numbers; i++) t->gradient[i] = decay * t->w[i];
    for (size_t i = first; i < first + count; i++) sample_gradient(t, t->order[i], n, t->gradient);
}

static void batch_gradient_plain(training *t, size_t first, size_t count, size_t n, float decay)
{
    batch_gradient(t, first, count, n, decay);
}

SOS_TARGET_AVX2 static void batch_gradient_avx2(training *t, size_t first, size_t count, size_t n, float decay)
{
    batch_gradient(t, first, count, n, decay);
}

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
        const float g = t->gradient[i];
        t->first[i] = 0.9F * t->first[i] + 0.1F * g;
        t->second[i] = 0.999F * t->second[i] + 0.001F * g * g;
        t->w[i] -= rate * t->first[i] / (sqrtf(t->second[i]) + 1e-8F);
    }
}

static sos_status epoch_run(training *t, const sos_label_network_settings *s, size_t epoch, pace *p, sos_error *error)
{
    const size_t count = t->samples->count, batches = (count + BATCH - 1) / BATCH;
    for (size_t b = 0; b < batches; b++) {
        const double done = ((double)epoch + (double)b / (double)batches) / (double)s->epochs;
        const size_t first = b * BATCH, size = count - first < BATCH ? count - first : BATCH;
        if (b % 64 == 0 && s->progress && !s->progress(s->user, "network", done))
            return sos_fail(error, SOS_CANCELLED, "stopped while training a network");
        if (sos_has_avx2())
            batch_gradient_avx2(t, first, size, epoch, (float)s->decay);
        else
            batch_gradient_plain(t, first, size, epoch, (float)s->decay);
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
            const double w = (double)t->w[f * HIDDEN + k] * (double)t->scale[f];
            out[f * HIDDEN + k] = (float)w;
            bias -= w * (double)t->mean[f];
        }
        out[t->inputs * HIDDEN + k] = (float)bias;
    }
}

static sos_status samples_check(const sos_label_network *p, const sos_label_samples *s, sos_error *error)
{
    if (!s->count || s->count > UINT32_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "%zu samples to train a network", s->count);
    for (size_t i = 0; i < s->count; i++)
        if (s->labels[i] >= p->labels)
            return sos_fail(error, SOS_ERR_ARGUMENT, "sample %zu has label %d, but there are %zu", i, s->labels[i], p->labels);
    return SOS_OK;
}

sos_status sos_label_network_train(sos_label_network *p, const sos_label_samples *samples,
                                   const sos_label_network_settings *settings, sos_error *error)
{
    training t;
    sos_status status = samples_check(p, samples, error);
    if (status) return status;
    if (!training_create(p, samples, &t)) {
        training_free(&t);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory to train a network of %zu inputs", p->inputs);
    }
    t.vary = settings->vary;
    t.drop = settings->drop;
    t.seed = settings->seed;
    sos_random random = sos_random_seeded(settings->seed);
    for (size_t i = 0; i < samples->count; i++) t.order[i] = (uint32_t)i;
    samples_measure(&t);
    numbers_start(&t, &random);
    pace steps = { .first_left = 1, .second_left = 1 };
    for (size_t epoch = 0; epoch < settings->epochs && !status; epoch++) {
        order_shuffle(&t, &random);
        status = epoch_run(&t, settings, epoch, &steps, error);
    }
    if (!status) numbers_fold(&t, p->numbers);
    training_free(&t);
    return status;
}
