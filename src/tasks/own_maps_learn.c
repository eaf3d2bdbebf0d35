/* own_maps_learn.c - scales and bins of custom maps, from the training pictures. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "tasks/own_maps_parts.h"
#include "vision/bins.h"

enum {
    KNOTS = 16,      /* of a channel, at quantiles: a bend for every 15th of the pixels */
    SAMPLES = 100000 /* pixels that quantiles are taken of: they are then right to a thousandth or two of the pixels */
};

static size_t size_of(const s3svm_maps *m) { return m->width * m->height; }
static const float *channel_of(const s3svm_maps *m, size_t c) { return m->values + c * size_of(m); }

static sos_status maps_check(size_t count, const s3svm_maps maps[], sos_error *error)
{
    if (!count || !maps) return sos_fail(error, SOS_ERR_ARGUMENT, "there are no training maps");
    for (size_t i = 0; i < count; i++) {
        if (!maps[i].values) return sos_fail(error, SOS_ERR_ARGUMENT, "picture %zu has no maps", i);
        if (maps[i].channels != maps[0].channels)
            return sos_fail(error, SOS_ERR_ARGUMENT, "the maps of picture %zu have %zu channels, those of picture 0 have %zu",
                            i, maps[i].channels, maps[0].channels);
        for (size_t j = 0; j < size_of(&maps[i]) * maps[i].channels; j++)
            if (!isfinite(maps[i].values[j]))
                return sos_fail(error, SOS_ERR_ARGUMENT, "channel %zu of pixel %zu of picture %zu is not finite",
                                j / size_of(&maps[i]), j % size_of(&maps[i]), i);
    }
    return SOS_OK;
}

/* ---------------------------------------------------------------- mean and deviation */

/* A channel that never changes keeps its unit, and is 0 everywhere. */
static void scale_find(size_t count, const s3svm_maps maps[], size_t c, float *mean, float *deviation)
{
    double pixels = 0, sum = 0, square = 0;
    for (size_t i = 0; i < count; i++) {
        const float *v = channel_of(&maps[i], c);
        for (size_t j = 0; j < size_of(&maps[i]); j++) sum += (double)v[j];
        pixels += (double)size_of(&maps[i]);
    }
    *mean = (float)(sum / pixels);
    for (size_t i = 0; i < count; i++) {
        const float *v = channel_of(&maps[i], c);
        for (size_t j = 0; j < size_of(&maps[i]); j++) {
            const double d = (double)v[j] - (double)*mean;
            square += d * d;
        }
    }
    const double found = sqrt(square / pixels);
    *deviation = found >= (double)FLT_MIN ? (float)fmin(found, (double)FLT_MAX) : 1;
}

/* ---------------------------------------------------------------- bins */

/* Values of a channel, one from every so many pixels of all pictures in a row, at changing places. */
static size_t samples_take(size_t count, const s3svm_maps maps[], size_t c, size_t each, float samples[])
{
    size_t taken = 0, next = 0, before = 0; /* pixels */
    for (size_t i = 0; i < count; i++) {
        const float *v = channel_of(&maps[i], c);
        const size_t n = size_of(&maps[i]);
        while (next < before + n) {
            samples[taken++] = v[next - before];
            next = taken * each + taken * 7919 % each; /* a prime: pixels of one column must not be all that is seen */
        }
        before += n;
    }
    return taken;
}

static sos_status bins_find(size_t count, const s3svm_maps maps[], s3svm_own_maps *o, sos_error *error)
{
    size_t pixels = 0;
    for (size_t i = 0; i < count; i++) pixels += size_of(&maps[i]);
    const size_t each = pixels / SAMPLES + 1;
    float *samples = malloc((pixels / each + 1) * sizeof *samples);
    if (!samples) return sos_fail(error, SOS_ERR_MEMORY, "no memory for samples of maps");
    for (size_t c = 0; c < o->channels; c++) {
        const size_t taken = samples_take(count, maps, c, each, samples);
        o->first[c + 1] = o->first[c] + s3svm_bins_fit(taken, samples, KNOTS, o->knots + o->first[c]);
    }
    free(samples);
    return SOS_OK;
}

/* ---------------------------------------------------------------- all */

static sos_status parts_learn(s3svm_own_maps *o, size_t count, const s3svm_maps maps[], sos_error *error)
{
    if (o->kind == S3SVM_MAPS_ODDS) return s3svm_own_maps_odds_check(o->channels, o->labels, error);
    if (o->kind == S3SVM_MAPS_BINS) return bins_find(count, maps, o, error);
    for (size_t c = 0; c < o->channels; c++) scale_find(count, maps, c, &o->mean[c], &o->deviation[c]);
    return SOS_OK;
}

sos_status s3svm_maps_learn(sos_model *m, const s3svm_maps_settings *settings, size_t count, const s3svm_maps maps[],
                            sos_error *error)
{
    sos_status status = sos_reserved_check("s3svm_maps_settings", settings, error);
    if (status || settings->kind == S3SVM_MAPS_NONE) return status;
    if (!s3svm_maps_kind_name(settings->kind))
        return sos_fail(error, SOS_ERR_ARGUMENT, "unknown kind of maps: %d", (int)settings->kind);
    if (sos_model_fact(m, "maps")) return sos_fail(error, SOS_ERR_ARGUMENT, "the model already has maps");
    status = maps_check(count, maps, error);
    if (status) return status;
    s3svm_own_maps o;
    status = s3svm_own_maps_create(m, settings->kind, maps[0].channels, (uint32_t)sos_model_groups(m), &o, error);
    if (status) return status;
    status = parts_learn(&o, count, maps, error);
    if (!status) status = s3svm_own_maps_add(&o, m, error);
    s3svm_own_maps_free(&o);
    return status;
}
