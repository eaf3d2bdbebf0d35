/* own_maps_fill.c - custom maps as features of an example. */
#include <math.h>
#include <stdlib.h>

#include "base/elementary.h"
#include "base/error.h"
#include "tasks/own_maps_parts.h"
#include "vision/bins.h"

/* No estimate is believed beyond this -log p: a network that is sure and wrong must not outweigh all that is around a pixel. */
static const double COST_MOST = 9;

/* Deviations from the mean that a pixel can have at most: one outlier must not outweigh a picture, nor a hard mark. */
static const double FARTHEST = 10;

sos_status s3svm_own_maps_check(const s3svm_own_maps *o, const s3svm_maps *maps, size_t width, size_t height, sos_error *error)
{
    const bool given = maps && maps->values;
    if (o->kind == S3SVM_MAPS_NONE)
        return given ? sos_fail(error, SOS_ERR_ARGUMENT, "maps were given, but the model was trained without maps") : SOS_OK;
    if (!given)
        return sos_fail(error, SOS_ERR_ARGUMENT, "the model needs maps of %zu channels for each picture; none were given",
                        o->channels);
    if (maps->width != width || maps->height != height)
        return sos_fail(error, SOS_ERR_ARGUMENT, "the maps have %zu by %zu pixels, the picture %zu by %zu", maps->width,
                        maps->height, width, height);
    if (maps->channels != o->channels)
        return sos_fail(error, SOS_ERR_ARGUMENT, "the maps have %zu channels; the model needs %zu", maps->channels,
                        o->channels);
    for (size_t i = 0; i < width * height * o->channels; i++)
        if (!isfinite(maps->values[i]))
            return sos_fail(error, SOS_ERR_ARGUMENT, "channel %zu of pixel %zu of the maps is not finite", i / (width * height),
                            i % (width * height));
    return SOS_OK;
}

/* ---------------------------------------------------------------- weights and bins */

/* The features of all pixels, those of one after those of the other. */
typedef struct features {
    size_t *start, count;
    uint32_t *index;
    double *value;
} features;

static void feature_add(features *f, size_t index, double value)
{
    f->index[f->count] = (uint32_t)index;
    f->value[f->count++] = value;
}

/* All channels of pixel i. */
static void weights_add(features *f, const s3svm_own_maps *o, const s3svm_maps *maps, size_t i, double unit)
{
    const size_t n = maps->width * maps->height;
    for (size_t c = 0; c < o->channels; c++) {
        const double far = ((double)maps->values[c * n + i] - (double)o->mean[c]) / (double)o->deviation[c];
        feature_add(f, c, unit * fmax(-FARTHEST, fmin(far, FARTHEST)));
    }
}

static void bins_add(features *f, const s3svm_own_maps *o, const s3svm_maps *maps, size_t i, double unit)
{
    const size_t n = maps->width * maps->height;
    for (size_t c = 0; c < o->channels; c++) {
        const size_t first = o->first[c], knots = o->first[c + 1] - first;
        float share;
        const size_t low = first + s3svm_bins_place(knots, o->knots + first, maps->values[c * n + i], &share);
        feature_add(f, low, unit * (1 - (double)share));
        if (knots > 1) feature_add(f, low + 1, unit * (double)share);
    }
}

static sos_status features_set(const s3svm_own_maps *o, const s3svm_maps *maps, double unit, sos_example *x, sos_error *error)
{
    const size_t n = maps->width * maps->height, each = o->kind == S3SVM_MAPS_BINS ? 2 * o->channels : o->channels;
    features f = { .start = malloc((n + 1) * sizeof *f.start),
                   .index = malloc(n * each * sizeof *f.index),
                   .value = malloc(n * each * sizeof *f.value) };
    sos_status status = SOS_OK;
    if (!f.start || !f.index || !f.value)
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu channels of maps of %zu pixels", o->channels, n);
    for (size_t i = 0; i < n && !status; i++) {
        f.start[i] = f.count;
        if (o->kind == S3SVM_MAPS_BINS)
            bins_add(&f, o, maps, i, unit);
        else
            weights_add(&f, o, maps, i, unit);
    }
    if (!status) {
        f.start[n] = f.count;
        status = sos_example_set_features(x, o->group, f.start, f.index, f.value, error);
    }
    free(f.start);
    free(f.index);
    free(f.value);
    return status;
}

/* ---------------------------------------------------------------- odds */

/* -log p_l, p being the softmax of the channels of pixel i; one channel is that of label 1 beside a 0. */
static void odds_find(const s3svm_own_maps *o, const s3svm_maps *maps, size_t i, double unit, double cost[])
{
    const size_t n = maps->width * maps->height, labels = o->labels;
    for (size_t l = 0; l < labels; l++) {
        const bool zero = o->channels < labels && !l;
        cost[l] = zero ? 0 : (double)maps->values[(o->channels < labels ? 0 : l) * n + i];
    }
    double most = cost[0], sum = 0;
    for (size_t l = 1; l < labels; l++) most = fmax(most, cost[l]);
    for (size_t l = 0; l < labels; l++) sum += sos_exp(cost[l] - most);
    const double log_sum = most + sos_log(sum);
    for (size_t l = 0; l < labels; l++) cost[l] = unit * fmin(log_sum - cost[l], COST_MOST);
}

static sos_status odds_set(const s3svm_own_maps *o, const s3svm_maps *maps, double unit, sos_example *x, sos_error *error)
{
    const size_t n = maps->width * maps->height;
    double *cost = malloc(n * o->labels * sizeof *cost);
    if (!cost) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the odds of %zu pixels", n);
    for (size_t i = 0; i < n; i++) odds_find(o, maps, i, unit, cost + i * o->labels);
    const sos_status status = sos_example_set_costs(x, o->group, cost, error);
    free(cost);
    return status;
}

sos_status s3svm_own_maps_fill(const s3svm_own_maps *o, const s3svm_maps *maps, size_t width, size_t height, double unit,
                               sos_example *x, sos_error *error)
{
    const sos_status status = s3svm_own_maps_check(o, maps, width, height, error);
    if (status || o->kind == S3SVM_MAPS_NONE) return status;
    return o->kind == S3SVM_MAPS_ODDS ? odds_set(o, maps, unit, x, error) : features_set(o, maps, unit, x, error);
}
