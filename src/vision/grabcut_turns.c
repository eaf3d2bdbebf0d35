#include "vision/grabcut_turns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sos/minimize.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"

enum { BACKGROUND, OBJECT };
enum {
    KMEANS_ITERATIONS = 10, /* as OpenCV has it */
    NO_COMPONENT = UINT8_MAX
};

typedef struct turns {
    const s3svm_grabcut_job *job;
    sos_minimizer *minimizer;
    s3svm_mixture mixtures[2];
    double *logs[2];        /* of points: log p(x | background), log p(x | object) */
    uint8_t *best[2];       /* of points: component of either mixture that fits best */
    uint8_t *component;     /* of points: in the mixture of their own side */
    uint8_t *component_was; /* one iteration before */
    double *gains;          /* of variables: by what object is better than background */
    double *costs[2];       /* of variables, in units */
    uint8_t *labels;        /* of variables; the caller's */
    uint8_t *labels_was;    /* before the last cut */
    void *block;
} turns;

static void turns_lay_out(turns *t, sos_arena *arena)
{
    const size_t points = t->job->points, variables = t->job->variables;
    for (int side = 0; side < 2; side++) {
        t->logs[side] = sos_arena_take(arena, points, sizeof(double));
        t->best[side] = sos_arena_take(arena, points, 1);
        t->costs[side] = sos_arena_take(arena, variables, sizeof(double));
    }
    t->component = sos_arena_take(arena, points, 1);
    t->component_was = sos_arena_take(arena, points, 1);
    t->gains = sos_arena_take(arena, variables, sizeof(double));
    t->labels_was = sos_arena_take(arena, variables, 1);
}

static sos_status turns_create(turns *t, sos_error *error)
{
    sos_arena arena = { 0 };
    turns_lay_out(t, &arena);
    t->block = arena.overflowed ? NULL : sos_block_alloc(arena.used);
    if (!t->block) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a cut of %zu variables", t->job->variables);
    arena = (sos_arena){ .base = t->block };
    turns_lay_out(t, &arena);
    memset(t->component, NO_COMPONENT, t->job->points);
    sos_status status = sos_minimizer_create(&t->minimizer, error);
    for (int side = 0; side < 2 && !status; side++)
        status = s3svm_mixture_create(t->job->components, 3, &t->mixtures[side], error);
    return status;
}

static void turns_free(turns *t)
{
    sos_minimizer_free(t->minimizer);
    s3svm_mixture_free(&t->mixtures[0]);
    s3svm_mixture_free(&t->mixtures[1]);
    sos_block_free(t->block);
}

static size_t variable_of(const s3svm_grabcut_job *job, size_t point) { return job->variable ? job->variable[point] : point; }

/* ---------------------------------------------------------------- mixtures */

/* samples is room for all points. */
static sos_status start_mixture(turns *t, int side, float samples[], sos_error *error)
{
    const s3svm_grabcut_job *job = t->job;
    size_t count = 0;
    for (size_t i = 0; i < job->points; i++) {
        const size_t point = job->order ? job->order[i] : i;
        if (t->labels[variable_of(job, point)] == side)
            memcpy(samples + 3 * count++, job->colours + 3 * point, 3 * sizeof *samples);
    }
    if (!count) return SOS_OK;
    return s3svm_mixture_start(&t->mixtures[side], count, samples, KMEANS_ITERATIONS, job->seeds[side], &job->ridge,
                               job->work.threads, error);
}

static sos_status start_mixtures(turns *t, sos_error *error)
{
    float *samples = malloc(t->job->points * 3 * sizeof *samples);
    sos_status status = SOS_OK;
    if (!samples) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for the colours of %zu pixels", t->job->points);
    for (int side = 0; side < 2 && !status; side++) status = start_mixture(t, side, samples, error);
    free(samples);
    return status;
}

/* Number, sums and products of the colours of a component.  Exact for colours of 8 bits. */
typedef struct moments {
    double count, sum[3], product[6];
} moments;

static void moments_add(moments *m, const float x[3])
{
    const double r = (double)x[0], g = (double)x[1], b = (double)x[2];
    m->count++;
    m->sum[0] += r;
    m->sum[1] += g;
    m->sum[2] += b;
    m->product[0] += r * r;
    m->product[1] += g * r;
    m->product[2] += g * g;
    m->product[3] += b * r;
    m->product[4] += b * g;
    m->product[5] += b * b;
}

static sos_status component_learn(const turns *t, s3svm_mixture *mixture, size_t number, const moments *m, double total,
                                  sos_error *error)
{
    const double n = m->count > 0 ? m->count : 1;
    double mean[3], covariance[9];
    for (size_t i = 0, p = 0; i < 3; i++) {
        mean[i] = m->sum[i] / n;
        for (size_t j = 0; j <= i; j++)
            covariance[3 * i + j] = covariance[3 * j + i] = (m->product[p++] - mean[j] * m->sum[i]) / n;
    }
    return s3svm_mixture_set(mixture, number, m->count / total, mean, covariance, &t->job->ridge, error);
}

/* Every point's component is the one of its own side's mixture that fits it best; the mixtures are learned from these. */
static sos_status learn_mixtures(turns *t, sos_error *error)
{
    static const moments NONE;
    moments sums[2][S3SVM_MIXTURE_COMPONENTS_MAX];
    const s3svm_grabcut_job *job = t->job;
    for (size_t k = 0; k < job->components; k++) sums[0][k] = sums[1][k] = NONE;
    for (size_t i = 0; i < job->points; i++) {
        const uint8_t label = t->labels[variable_of(job, i)];
        t->component[i] = t->best[label][i];
        moments_add(&sums[label][t->component[i]], job->colours + 3 * i);
    }
    sos_status status = SOS_OK;
    for (int side = 0; side < 2; side++) {
        double total = 0;
        for (size_t k = 0; k < job->components; k++) total += sums[side][k].count;
        if (!(total > 0)) continue; /* a side that has lost all its points keeps its mixture */
        for (size_t k = 0; k < job->components && !status; k++)
            status = component_learn(t, &t->mixtures[side], k, &sums[side][k], total, error);
    }
    return status;
}

static void evaluate_mixtures(turns *t)
{
    for (int side = 0; side < 2; side++)
        s3svm_mixture_evaluate(&t->mixtures[side], t->job->points, t->job->colours, t->logs[side], t->best[side],
                               t->job->work.threads);
}

/* ---------------------------------------------------------------- cuts */

static double log_of(const turns *t, int side, size_t point)
{
    const double log = t->logs[side][point], least = t->job->log_least;
    return log > least ? log : least;
}

static void find_gains(turns *t)
{
    memset(t->gains, 0, t->job->variables * sizeof *t->gains);
    for (size_t i = 0; i < t->job->points; i++)
        t->gains[variable_of(t->job, i)] += log_of(t, OBJECT, i) - log_of(t, BACKGROUND, i);
}

/* Only the difference between the labels matters. */
static void set_costs(turns *t)
{
    const s3svm_grabcut_job *job = t->job;
    const double most = rint(job->most / job->unit), scale = job->share / job->unit;
    for (size_t v = 0; v < job->variables; v++) {
        double gain = rint(t->gains[v] * scale);
        if (s3svm_mark_is_sure(job->marks[v])) gain = job->marks[v] == S3SVM_MARK_OBJECT ? most : -most;
        gain = gain < most ? gain : most;
        gain = gain > -most ? gain : -most;
        t->costs[BACKGROUND][v] = gain > 0 ? gain : 0;
        t->costs[OBJECT][v] = gain < 0 ? -gain : 0;
    }
}

/* E of the labels, by the definition. */
static double label_energy(const turns *t)
{
    const s3svm_grabcut_job *job = t->job;
    double sum = 0, pairs = 0;
    for (size_t i = 0; i < job->points; i++) {
        const size_t v = variable_of(job, i);
        if (!s3svm_mark_is_sure(job->marks[v])) sum -= job->share * log_of(t, t->labels[v], i);
    }
    for (size_t k = 0; k < sos_energy_cliques(job->energy); k++) {
        const sos_clique pair = sos_energy_clique(job->energy, k);
        if (t->labels[pair.variables[0]] != t->labels[pair.variables[1]]) pairs += pair.weight;
    }
    return sum + pairs * job->unit;
}

static sos_status cut(turns *t, size_t iteration, sos_error *error)
{
    sos_minimize_settings s = sos_minimize_defaults();
    s3svm_grabcut_step *step = t->job->steps ? &t->job->steps[iteration] : NULL;
    s.start = SOS_START_FLOW;
    find_gains(t);
    set_costs(t);
    memcpy(t->labels_was, t->labels, t->job->variables);
    if (step) step->before = label_energy(t);
    sos_status status = sos_energy_set_unaries(t->job->energy, t->costs[BACKGROUND], t->costs[OBJECT], error);
    if (!status) status = sos_minimizer_run(t->minimizer, t->job->energy, &s, t->labels, NULL, error);
    if (step && !status) step->after = label_energy(t);
    return status;
}

/* ---------------------------------------------------------------- turns */

static bool is_settled(const turns *t)
{
    const bool labels = !memcmp(t->labels, t->labels_was, t->job->variables);
    return labels && (t->job->labels_settle || !memcmp(t->component, t->component_was, t->job->points));
}

static sos_status turn(turns *t, s3svm_grabcut_result *r, sos_error *error)
{
    const double began = sos_seconds();
    memcpy(t->component_was, t->component, t->job->points);
    sos_status status = SOS_OK;
    if (r->iterations || !t->job->cut_first) {
        status = learn_mixtures(t, error);
        evaluate_mixtures(t);
    }
    const double learned = sos_seconds();
    if (!status) status = cut(t, r->iterations, error);
    r->converged = is_settled(t);
    r->iterations++;
    r->seconds_mixtures += learned - began;
    r->seconds_cut += sos_seconds() - learned;
    return status;
}

static sos_status take_turns(turns *t, s3svm_grabcut_result *r, sos_error *error)
{
    const s3svm_grabcut_job *job = t->job;
    sos_status status = start_mixtures(t, error);
    if (!status) evaluate_mixtures(t);
    while (!status && !r->converged && r->iterations < job->iterations) {
        if (job->work.progress &&
            !job->work.progress(job->work.user, "GrabCut", (double)r->iterations / (double)job->iterations))
            return sos_fail(error, SOS_CANCELLED, "stopped after %zu iterations of GrabCut", r->iterations);
        status = turn(t, r, error);
    }
    return status;
}

double s3svm_grabcut_unit(double most)
{
    int exponent;
    (void)frexp(most, &exponent);
    return ldexp(1, exponent - 29);
}

sos_status s3svm_grabcut_turns(const s3svm_grabcut_job *job, uint8_t labels[], s3svm_mixture mixtures[2],
                               s3svm_grabcut_result *result, sos_error *error)
{
    turns t = { .job = job, .labels = labels };
    s3svm_grabcut_result r = { 0 };
    const double began = sos_seconds();
    sos_status status = turns_create(&t, error);
    if (!status) status = take_turns(&t, &r, error);
    if (!status) {
        r.seconds_start = sos_seconds() - began - r.seconds_mixtures - r.seconds_cut;
        *result = r;
        for (int side = 0; side < 2; side++) {
            mixtures[side] = t.mixtures[side];
            t.mixtures[side] = (s3svm_mixture){ 0 };
        }
    }
    turns_free(&t);
    return status;
}
