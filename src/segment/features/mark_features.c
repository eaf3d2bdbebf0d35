#include "segment/features/mark_features.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/threads.h"
#include "segment/features/mapping.h"

void s3svm_mark_features_free(s3svm_mark_features *t)
{
    for (size_t s = 0; s < S3SVM_MARK_SETS; s++) {
        free(t->sets[s].mask);
        for (size_t k = 0; k < S3SVM_MARK_FEATURES; k++) free(t->sets[s].values[k]);
    }
    *t = (s3svm_mark_features){ 0 };
}

sos_status s3svm_mark_features_set(s3svm_mark_features *t, s3svm_mark_set set, size_t n, const uint8_t mask[], sos_error *error)
{
    s3svm_marked_set *s = &t->sets[set];
    t->n = n;
    if (s->mask && !memcmp(s->mask, mask, n)) return SOS_OK;
    if (!s->mask) s->mask = malloc(n);
    if (!s->mask) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a set of %zu pixels", n);
    s->count = 0;
    for (size_t i = 0; i < n; i++) s->count += s->mask[i] = mask[i] != 0;
    memset(s->known, 0, sizeof s->known);
    return SOS_OK;
}

/* ---------------------------------------------------------------- finding */

/* k-means starts a mixture, expectation-maximisation ends it.  Of more than 4,000 points some stand for all, so that time does
 * not grow with the marks. */
enum { START_ITERATIONS = 10, EM_ITERATIONS = 10, POINTS_MAX = 4000 };
static const double EM_TOLERANCE = 1e-3;

/* log p(x) of all points of d numbers, p being the mixture of those of the set. */
static sos_status logs_find(const s3svm_marked_set *s, size_t n, size_t d, const float points[], float out[], sos_error *error)
{
    const s3svm_mixture_ridge ridge = S3SVM_MAPPING_RIDGE;
    const size_t every = s->count / POINTS_MAX + 1;
    size_t taken = 0, seen = 0;
    float *sample = malloc((s->count / every + 1) * d * sizeof *sample);
    double *logs = malloc(n * sizeof *logs);
    s3svm_mixture x = { 0 };
    sos_status status = sample && logs ? s3svm_mixture_create(S3SVM_MAPPING_COMPONENTS, d, &x, error)
                                       : sos_fail(error, SOS_ERR_MEMORY, "no memory for colours of %zu pixels", n);
    for (size_t i = 0; i < n && !status; i++)
        if (s->mask[i] && seen++ % every == 0) memcpy(sample + d * taken++, points + d * i, d * sizeof *points);
    if (!status) status = s3svm_mixture_start(&x, taken, sample, START_ITERATIONS, S3SVM_MAPPING_SEED, &ridge, 1, error);
    if (!status) status = s3svm_mixture_improve(&x, taken, sample, EM_ITERATIONS, EM_TOLERANCE, &ridge, 1, NULL, error);
    if (!status) {
        s3svm_mixture_evaluate(&x, n, points, logs, NULL, 1);
        for (size_t i = 0; i < n; i++) out[i] = (float)fmax(logs[i], S3SVM_SEGMENT_LOG_LEAST);
    }
    s3svm_mixture_free(&x);
    free(sample);
    free(logs);
    return status;
}

static sos_status trace_find(const s3svm_marked_set *s, const s3svm_photo_features *features, s3svm_mark_feature kind,
                             sos_error *error)
{
    float *out = s->values[kind];
    switch (kind) {
    case S3SVM_MARK_FEATURE_LAB: return logs_find(s, features->n, 3, features->lab, out, error);
    case S3SVM_MARK_FEATURE_SOFT: return logs_find(s, features->n, 3, features->soft, out, error);
    case S3SVM_MARK_FEATURE_TEXTURE: return logs_find(s, features->n, S3SVM_PHOTO_TEXTURE, features->texture, out, error);
    case S3SVM_MARK_FEATURE_PATH:
        return s3svm_distance_geodesic(features->width, features->height, s->mask, &features->colour_steps, out, error);
    case S3SVM_MARK_FEATURE_TIGHT:
        return s3svm_distance_geodesic(features->width, features->height, s->mask, &features->frame_steps, out, error);
    default: return s3svm_distance_euclidean(features->width, features->height, s->mask, 1, out, error);
    }
}

static bool is_missing(const s3svm_mark_features *t, const s3svm_mark_query *w)
{
    return t->sets[w->set].count && !t->sets[w->set].known[w->kind];
}

static sos_status values_take(s3svm_mark_features *t, const s3svm_mark_query *w, sos_error *error)
{
    float **values = &t->sets[w->set].values[w->kind];
    if (!*values) *values = malloc(t->n * sizeof **values);
    return *values ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for distances of %zu pixels", t->n);
}

sos_status s3svm_mark_features_find(s3svm_mark_features *t, const s3svm_photo_features *features, size_t count,
                                    const s3svm_mark_query queries[], int threads, sos_error *error)
{
    sos_status status = SOS_OK;
    for (size_t i = 0; i < count && !status; i++)
        if (is_missing(t, &queries[i])) status = values_take(t, &queries[i], error);
    if (status) return status;
    sos_failure failure = { 0 };
    const int used = sos_thread_count(threads);
    (void)used; /* where OpenMP is missing */
#pragma omp parallel for schedule(dynamic) num_threads(used)
    for (size_t i = 0; i < count; i++) {
        s3svm_marked_set *s = &t->sets[queries[i].set];
        sos_error why;
        if (!is_missing(t, &queries[i])) continue;
        const sos_status found = trace_find(s, features, queries[i].kind, &why);
        if (found) sos_failure_note(&failure, i, found, &why);
        s->known[queries[i].kind] = !found;
    }
    return sos_failure_status(&failure, "query", error);
}
