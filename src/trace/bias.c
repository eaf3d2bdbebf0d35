/* bias.c - how easily a model calls pixels a structure, chosen once its weights are learned.
 *
 * The hinge of training weighs errors of a pixel alike on both sides wherever it is more than a margin away, so that a pixel is
 * called a structure from about even odds on.  F1 and clDice want it called so earlier, the more so the rarer structures are.
 * One number, added to what label 1 costs at every pixel, makes up for that: the one with the best mean of both, the F1 counted
 * twice, over the pictures that were learned from, by what networks that have not seen them say. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "trace/measure.h"
#include "trace/model.h"

enum {
    PICTURES = 12,
    STEPS_MAX = 16,
    WORSE_MAX = 2
};                               /* pictures that are looked at; steps that are worse before the search ends */
static const double STEP = 0.15; /* about a quarter of what one unit of log odds is worth */

typedef struct search {
    sos_model *model;
    uint32_t group; /* whose weights of label 1 are changed: the first, which is the constant */
    size_t count;
    sos_example *const *examples;
    const s3svm_trace_pictures *pictures;
    double *weights; /* as they were learned; room for those that are tried behind them */
} search;

static void bias_put(const sos_model *m, uint32_t group, double bias, double weights[])
{
    const size_t first = sos_model_group_offset(m, group);
    for (size_t k = 0; k < sos_model_group(m, group)->size; k++) weights[first + 2 * k + 1] += bias;
}

static sos_status bias_set(const search *s, double bias, sos_error *error)
{
    const size_t all = sos_model_weight_count(s->model);
    double *tried = s->weights + all;
    memcpy(tried, s->weights, all * sizeof *tried);
    bias_put(s->model, s->group, bias, tried);
    return sos_model_set_weights(s->model, tried, error);
}

sos_status s3svm_trace_bias_add(sos_model *m, double bias, sos_error *error)
{
    const size_t all = sos_model_weight_count(m);
    double *weights = malloc(all * sizeof *weights);
    if (!weights) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu weights", all);
    memcpy(weights, sos_model_weights(m), all * sizeof *weights);
    bias_put(m, 0, bias, weights);
    const sos_status status = sos_model_set_weights(m, weights, error);
    free(weights);
    return status;
}

static sos_status picture_score(const search *s, size_t i, double *score, sos_error *error)
{
    const s3svm_image *image = &s->pictures->images[i];
    s3svm_trace_counts c;
    uint8_t *labels = malloc(s3svm_image_size(image));
    if (!labels) return sos_fail(error, SOS_ERR_MEMORY, "no memory for labels");
    sos_status status = sos_model_predict(s->model, s->examples[i], NULL, labels, NULL, error);
    if (!status)
        status = s3svm_trace_count(image->width, image->height, labels, s->pictures->truths[i],
                                   s->pictures->cares ? s->pictures->cares[i] : NULL, &c, error);
    if (!status) *score = (2 * s3svm_trace_f1(&c) + s3svm_trace_cldice(&c)) / 3;
    free(labels);
    return status;
}

/* The mean over pictures of equal steps through all. */
static sos_status bias_score(const search *s, double bias, double *out, sos_error *error)
{
    const size_t step = s->count > PICTURES ? s->count / PICTURES : 1;
    sos_status status = bias_set(s, bias, error);
    double sum = 0, seen = 0;
    for (size_t i = 0; i < s->count && !status; i += step) {
        double score = 0;
        if (!s->examples[i]) continue;
        status = picture_score(s, i, &score, error);
        sum += score;
        seen++;
    }
    *out = seen > 0 ? sum / seen : 0;
    return status;
}

/* In one direction from what was learned, until it gets worse again and again. */
static sos_status direction_search(const search *s, double step, double *best, double *bias, const sos_work *work,
                                   sos_error *error)
{
    sos_status status = SOS_OK;
    size_t worse = 0;
    for (size_t k = 1; k <= STEPS_MAX && worse < WORSE_MAX && !status; k++) {
        double score;
        if (work && work->progress && !work->progress(work->user, "threshold", (double)k / STEPS_MAX))
            return sos_fail(error, SOS_CANCELLED, "stopped");
        status = bias_score(s, step * (double)k, &score, error);
        worse = score > *best ? 0 : worse + 1;
        if (score <= *best) continue;
        *best = score;
        *bias = step * (double)k;
    }
    return status;
}

sos_status s3svm_trace_bias_learn(sos_model *m, size_t count, sos_example *const examples[],
                                  const s3svm_trace_pictures *pictures, const sos_work *work, double *out, sos_error *error)
{
    const size_t all = sos_model_weight_count(m);
    search s = { .model = m, .count = count, .examples = examples, .pictures = pictures };
    double best, bias = 0;
    s.weights = malloc(2 * all * sizeof *s.weights);
    if (!s.weights) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu weights", all);
    memcpy(s.weights, sos_model_weights(m), all * sizeof *s.weights);
    sos_status status = bias_score(&s, 0, &best, error);
    if (!status) status = direction_search(&s, -STEP, &best, &bias, work, error);
    if (!status && bias == 0) status = direction_search(&s, STEP, &best, &bias, work, error);
    const sos_status set = bias_set(&s, status ? 0 : bias, status ? NULL : error);
    free(s.weights);
    if (!status) status = set;
    if (!status && out) *out = bias;
    return status;
}
