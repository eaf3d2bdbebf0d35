/* mixture_learn.c - mixtures from points.  Sums over points are taken in chunks, whose number depends on the number of points
 * only, and added in their order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/error.h"
#include "base/threads.h"
#include "vision/kmeans.h"
#include "vision/mixture_block.h"

enum { CHUNKS = 64 }; /* some for each thread of a large machine */

/* ---------------------------------------------------------------- learning */

/* Sums of a component, of points less an origin: their mass, d coordinates, d (d + 1) / 2 products. */
static size_t sums_size(size_t d) { return 1 + d + d * (d + 1) / 2; }

static void sums_add(size_t d, const float x[], const double origin[], double mass, double sums[])
{
    double from[S3SVM_MIXTURE_DIMENSIONS_MAX], *products = sums + 1 + d;
    sums[0] += mass;
    for (size_t i = 0; i < d; i++) {
        from[i] = (double)x[i] - origin[i];
        const double scaled = mass * from[i];
        sums[1 + i] += scaled;
        for (size_t j = 0; j <= i; j++) *products++ += scaled * from[j];
    }
}

static const double MASS_LEAST = 1e-9; /* points; a component that has less is nobody's */

static void component_from_sums(s3svm_mixture *m, size_t c, double total, const double origin[], const double sums[],
                                const s3svm_mixture_ridge *ridge)
{
    const size_t d = m->d;
    double mean[S3SVM_MIXTURE_DIMENSIONS_MAX], S[S3SVM_MIXTURE_DIMENSIONS_MAX * S3SVM_MIXTURE_DIMENSIONS_MAX];
    const double *products = sums + 1 + d;
    if (!(sums[0] > MASS_LEAST)) {
        s3svm_mixture_component_clear(m, c);
        return;
    }
    for (size_t i = 0; i < d; i++) {
        mean[i] = sums[1 + i] / sums[0];
        for (size_t j = 0; j <= i; j++) S[i * d + j] = *products++ / sums[0] - mean[i] * mean[j];
    }
    for (size_t i = 0; i < d; i++) mean[i] += origin[i];
    s3svm_mixture_component_set(m, c, sums[0] / total, mean, S, ridge);
}

static void mixture_from_sums(s3svm_mixture *m, size_t n, const double origin[], const double sums[],
                              const s3svm_mixture_ridge *ridge)
{
    for (size_t c = 0; c < m->components; c++) component_from_sums(m, c, (double)n, origin, sums + c * sums_size(m->d), ridge);
}

static sos_status points_check(const s3svm_mixture *m, size_t n, const float points[], const s3svm_mixture_ridge *ridge,
                               sos_error *error)
{
    if (!n || !points) return sos_fail(error, SOS_ERR_ARGUMENT, "a mixture without points");
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m->d; j++)
            if (!(fabsf(points[i * m->d + j]) < S3SVM_POINT_MOST))
                return sos_fail(error, SOS_ERR_ARGUMENT, "number %zu of point %zu is %g; it must be below 1e15", j, i,
                                (double)points[i * m->d + j]);
    return s3svm_mixture_ridge_check(ridge, error);
}

/* The mean of the points: products of differences from it are small. */
static void find_origin(size_t n, size_t d, const float points[], double origin[])
{
    memset(origin, 0, d * sizeof *origin);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < d; j++) origin[j] += (double)points[i * d + j];
    for (size_t j = 0; j < d; j++) origin[j] /= (double)n;
}

sos_status s3svm_mixture_learn(s3svm_mixture *m, size_t n, const float points[], const uint32_t labels[],
                               const s3svm_mixture_ridge *ridge, sos_error *error)
{
    const sos_status status = points_check(m, n, points, ridge, error);
    if (status) return status;
    for (size_t i = 0; i < n; i++)
        if (labels[i] >= m->components)
            return sos_fail(error, SOS_ERR_ARGUMENT, "point %zu belongs to component %u of %zu", i, labels[i], m->components);
    double origin[S3SVM_MIXTURE_DIMENSIONS_MAX], *sums = calloc(m->components * sums_size(m->d), sizeof *sums);
    if (!sums) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the sums of a mixture");
    find_origin(n, m->d, points, origin);
    for (size_t i = 0; i < n; i++) sums_add(m->d, points + i * m->d, origin, 1, sums + labels[i] * sums_size(m->d));
    mixture_from_sums(m, n, origin, sums, ridge);
    free(sums);
    return SOS_OK;
}

sos_status s3svm_mixture_start(s3svm_mixture *m, size_t n, const float points[], size_t iterations, uint64_t seed,
                               const s3svm_mixture_ridge *ridge, int threads, sos_error *error)
{
    const s3svm_kmeans_settings s = {
        .clusters = m->components, .starts = 1, .iterations = iterations, .seed = seed, .threads = threads
    };
    float *centres = malloc(m->components * m->d * sizeof *centres);
    uint32_t *labels = malloc((n ? n : 1) * sizeof *labels);
    sos_status status = SOS_OK;
    if (!centres || !labels) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for the components of %zu points", n);
    if (!status) status = s3svm_kmeans(n, m->d, points, &s, centres, labels, NULL, error);
    if (!status) status = s3svm_mixture_learn(m, n, points, labels, ridge, error);
    free(labels);
    free(centres);
    return status;
}

/* ---------------------------------------------------------------- expectation-maximisation */

typedef struct expectation {
    const s3svm_mixture *m;
    size_t n, blocks, chunks;
    const float *points;
    double origin[S3SVM_MIXTURE_DIMENSIONS_MAX];
    double *sums;        /* chunks * components * sums_size */
    double logs[CHUNKS]; /* sums of log p(x) */
} expectation;

SOS_INLINE void expect_block(expectation *e, size_t b, size_t chunk)
{
    const s3svm_mixture *m = e->m;
    const size_t first = b * S3SVM_MIXTURE_BLOCK,
                 count = e->n - first < S3SVM_MIXTURE_BLOCK ? e->n - first : S3SVM_MIXTURE_BLOCK, size = sums_size(m->d);
    double x[S3SVM_MIXTURE_DIMENSIONS_MAX * S3SVM_MIXTURE_BLOCK], logs[S3SVM_MIXTURE_COMPONENTS_MAX * S3SVM_MIXTURE_BLOCK],
        largest[S3SVM_MIXTURE_BLOCK], best[S3SVM_MIXTURE_BLOCK], sum[S3SVM_MIXTURE_BLOCK];
    s3svm_mixture_take(m->d, count, e->points + first * m->d, x);
    s3svm_mixture_logs(m, x, logs, largest, best);
    s3svm_mixture_exponentials(m->components, logs, largest, sum);
    for (size_t l = 0; l < count; l++) {
        e->logs[chunk] += largest[l] + sos_log(sum[l]);
        for (size_t c = 0; c < m->components; c++)
            sums_add(m->d, e->points + (first + l) * m->d, e->origin, logs[c * S3SVM_MIXTURE_BLOCK + l] / sum[l],
                     e->sums + (chunk * m->components + c) * size);
    }
}

SOS_TARGET_AVX2 static void expect_avx2(expectation *e, size_t b, size_t chunk) { expect_block(e, b, chunk); }
static void expect_plain(expectation *e, size_t b, size_t chunk) { expect_block(e, b, chunk); }

/* Fills the sums of all components, each point shared out in proportion to the densities; returns the mean log-likelihood. */
static double expect(expectation *e, int workers)
{
    const size_t size = e->m->components * sums_size(e->m->d);
    void (*const block)(expectation *, size_t, size_t) = sos_has_avx2() ? expect_avx2 : expect_plain;
    (void)workers;
#pragma omp parallel for num_threads(workers) if (workers > 1)
    for (size_t chunk = 0; chunk < e->chunks; chunk++) {
        memset(e->sums + chunk * size, 0, size * sizeof *e->sums);
        e->logs[chunk] = 0;
        for (size_t b = e->blocks * chunk / e->chunks; b < e->blocks * (chunk + 1) / e->chunks; b++) block(e, b, chunk);
    }
    double total = 0;
    for (size_t chunk = 0; chunk < e->chunks; chunk++) total += e->logs[chunk];
    for (size_t chunk = 1; chunk < e->chunks; chunk++)
        for (size_t j = 0; j < size; j++) e->sums[j] += e->sums[chunk * size + j];
    return total / (double)e->n;
}

sos_status s3svm_mixture_improve(s3svm_mixture *m, size_t n, const float points[], size_t iterations, double tolerance,
                                 const s3svm_mixture_ridge *ridge, int threads, double *mean_log, sos_error *error)
{
    const sos_status status = points_check(m, n, points, ridge, error);
    if (status) return status;
    double mass = 0;
    for (size_t c = 0; c < m->components; c++) mass += m->weight[c];
    if (!(mass > 0)) return sos_fail(error, SOS_ERR_ARGUMENT, "a mixture must be started before it can be improved");
    expectation e = { .m = m, .n = n, .blocks = (n + S3SVM_MIXTURE_BLOCK - 1) / S3SVM_MIXTURE_BLOCK, .points = points };
    e.chunks = e.blocks < CHUNKS ? e.blocks : CHUNKS;
    e.sums = malloc(e.chunks * m->components * sums_size(m->d) * sizeof *e.sums);
    if (!e.sums) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the sums of a mixture");
    find_origin(n, m->d, points, e.origin);
    const int workers = n > S3SVM_MIXTURE_THREADS_FROM ? sos_thread_count(threads) : 1;
    double before = -INFINITY, now = -INFINITY;
    for (size_t i = 0; i < iterations; i++, before = now) {
        now = expect(&e, workers);
        mixture_from_sums(m, n, e.origin, e.sums, ridge);
        if (i && now - before < tolerance) break;
    }
    if (mean_log) *mean_log = now;
    free(e.sums);
    return SOS_OK;
}
