#include "segment/traces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/threads.h"
#include "segment/mapping.h"

void sos_traces_free(sos_traces *t)
{
    for (size_t s = 0; s < SOS_TRACE_SETS; s++) {
        free(t->sets[s].mask);
        for (size_t k = 0; k < SOS_TRACE_KINDS; k++) free(t->sets[s].values[k]);
    }
    *t = (sos_traces){ 0 };
}

sos_status sos_traces_set(sos_traces *t, sos_trace_set set, size_t n, const uint8_t mask[], sos_error *error)
{
    sos_trace *s = &t->sets[set];
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
static sos_status logs_find(const sos_trace *s, size_t n, size_t d, const float points[], float out[], sos_error *error)
{
    const sos_mixture_ridge ridge = SOS_MAPPING_RIDGE;
    const size_t every = s->count / POINTS_MAX + 1;
    size_t taken = 0, seen = 0;
    float *sample = malloc((s->count / every + 1) * d * sizeof *sample);
    double *logs = malloc(n * sizeof *logs);
    sos_mixture x = { 0 };
    sos_status status = sample && logs ? sos_mixture_create(SOS_MAPPING_COMPONENTS, d, &x, error)
                                       : sos_fail(error, SOS_ERR_MEMORY, "no memory for colours of %zu pixels", n);
    for (size_t i = 0; i < n && !status; i++)
        if (s->mask[i] && seen++ % every == 0) memcpy(sample + d * taken++, points + d * i, d * sizeof *points);
    if (!status) status = sos_mixture_start(&x, taken, sample, START_ITERATIONS, SOS_MAPPING_SEED, &ridge, 1, error);
    if (!status) status = sos_mixture_improve(&x, taken, sample, EM_ITERATIONS, EM_TOLERANCE, &ridge, 1, NULL, error);
    if (!status) {
        sos_mixture_evaluate(&x, n, points, logs, NULL, 1);
        for (size_t i = 0; i < n; i++) out[i] = (float)fmax(logs[i], SOS_SEGMENT_LOG_LEAST);
    }
    sos_mixture_free(&x);
    free(sample);
    free(logs);
    return status;
}

static sos_status trace_find(const sos_trace *s, const sos_segment_scene *scene, sos_trace_kind kind, sos_error *error)
{
    float *out = s->values[kind];
    switch (kind) {
    case SOS_TRACE_LAB: return logs_find(s, scene->n, 3, scene->lab, out, error);
    case SOS_TRACE_SOFT: return logs_find(s, scene->n, 3, scene->soft, out, error);
    case SOS_TRACE_TEXTURE: return logs_find(s, scene->n, SOS_SCENE_TEXTURE, scene->texture, out, error);
    case SOS_TRACE_PATH: return sos_distance_geodesic(scene->width, scene->height, s->mask, &scene->colour_steps, out, error);
    case SOS_TRACE_TIGHT: return sos_distance_geodesic(scene->width, scene->height, s->mask, &scene->frame_steps, out, error);
    default: return sos_distance_euclidean(scene->width, scene->height, s->mask, 1, out, error);
    }
}

static bool is_missing(const sos_traces *t, const sos_trace_wish *w)
{
    return t->sets[w->set].count && !t->sets[w->set].known[w->kind];
}

static sos_status values_take(sos_traces *t, const sos_trace_wish *w, sos_error *error)
{
    float **values = &t->sets[w->set].values[w->kind];
    if (!*values) *values = malloc(t->n * sizeof **values);
    return *values ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for distances of %zu pixels", t->n);
}

sos_status sos_traces_find(sos_traces *t, const sos_segment_scene *scene, size_t count, const sos_trace_wish wishes[],
                           int threads, sos_error *error)
{
    sos_status status = SOS_OK;
    for (size_t i = 0; i < count && !status; i++)
        if (is_missing(t, &wishes[i])) status = values_take(t, &wishes[i], error);
    if (status) return status;
    sos_failure failure = { 0 };
    const int used = sos_thread_count(threads);
    (void)used; /* where OpenMP is missing */
#pragma omp parallel for schedule(dynamic) num_threads(used)
    for (size_t i = 0; i < count; i++) {
        sos_trace *s = &t->sets[wishes[i].set];
        sos_error why;
        if (!is_missing(t, &wishes[i])) continue;
        const sos_status found = trace_find(s, scene, wishes[i].kind, &why);
        if (found) sos_failure_note(&failure, i, found, &why);
        s->known[wishes[i].kind] = !found;
    }
    return sos_failure_status(&failure, "wish", error);
}
