/* mixture.c - mixtures, their components, and their densities. */
#include "vision/mixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "vision/mixture_block.h"

static const double LOG_TWO_PI = 1.8378770664093454836;

s3svm_mixture_ridge s3svm_mixture_ridge_grabcut(void) { return (s3svm_mixture_ridge){ .ridge = 0.01, .determinant = 1e-6 }; }

/* ---------------------------------------------------------------- memory */

static void mixture_lay_out(s3svm_mixture *m, sos_arena *arena)
{
    m->weight = sos_arena_take(arena, m->components, sizeof(double));
    m->mean = sos_arena_take(arena, m->components * m->d, sizeof(double));
    m->covariance = sos_arena_take(arena, m->components * m->d * m->d, sizeof(double));
    m->whitening = sos_arena_take(arena, m->components * m->d * m->d, sizeof(double));
    m->offset = sos_arena_take(arena, m->components, sizeof(double));
    m->log_weight = sos_arena_take(arena, m->components, sizeof(double));
}

void s3svm_mixture_component_clear(s3svm_mixture *m, size_t c)
{
    const size_t d = m->d;
    m->weight[c] = 0;
    memset(m->mean + c * d, 0, d * sizeof(double));
    memset(m->covariance + c * d * d, 0, d * d * sizeof(double));
    memset(m->whitening + c * d * d, 0, d * d * sizeof(double));
    m->offset[c] = S3SVM_MIXTURE_LOG_LEAST;
    m->log_weight[c] = 0;
}

sos_status s3svm_mixture_create(size_t components, size_t d, s3svm_mixture *out, sos_error *error)
{
    if (!components || components > S3SVM_MIXTURE_COMPONENTS_MAX || !d || d > S3SVM_MIXTURE_DIMENSIONS_MAX)
        return sos_fail(error, SOS_ERR_RANGE, "a mixture of %zu components in %zu dimensions", components, d);
    s3svm_mixture m = { .d = d, .components = components };
    sos_arena arena = { 0 };
    mixture_lay_out(&m, &arena);
    m.block = sos_block_alloc(arena.used);
    if (!m.block) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a mixture of %zu components", components);
    arena = (sos_arena){ .base = m.block };
    mixture_lay_out(&m, &arena);
    for (size_t c = 0; c < components; c++) s3svm_mixture_component_clear(&m, c);
    *out = m;
    return SOS_OK;
}

void s3svm_mixture_free(s3svm_mixture *m)
{
    sos_block_free(m->block);
    *m = (s3svm_mixture){ 0 };
}

/* ---------------------------------------------------------------- one component */

static const double PIVOT_LEAST = 1e-14; /* of the variance itself: about its rounding, after some sums */

/* S + ridge = L L^T; false where that is not positive definite as far as doubles can tell. */
static bool factorise(size_t d, const double S[], double ridge, double L[])
{
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = S[i * d + j] + (i == j ? ridge : 0);
            for (size_t q = 0; q < j; q++) sum -= L[i * d + q] * L[j * d + q];
            if (i == j && !(sum > PIVOT_LEAST * fabs(S[i * d + i]))) return false;
            L[i * d + j] = i == j ? sqrt(sum) : sum / L[j * d + j];
        }
    return true;
}

static double log_determinant(size_t d, const double L[])
{
    double sum = 0;
    for (size_t i = 0; i < d; i++) sum += 2 * sos_log(L[i * d + i]);
    return sum;
}

/* F = L^-1. */
static void invert_lower(size_t d, const double L[], double F[])
{
    memset(F, 0, d * d * sizeof *F);
    for (size_t j = 0; j < d; j++) {
        F[j * d + j] = 1 / L[j * d + j];
        for (size_t i = j + 1; i < d; i++) {
            double sum = 0;
            for (size_t q = j; q < i; q++) sum -= L[i * d + q] * F[q * d + j];
            F[i * d + j] = sum / L[i * d + i];
        }
    }
}

/* Factorises S, with no ridge, the one asked for, or a larger one: the first that serves; returns it.  Larger ones begin where
 * they are more than rounding (1e-12 of the largest variance, or of 1e-6 where all points are one) and grow tenfold. */
static double factorise_somehow(size_t d, const double S[], const s3svm_mixture_ridge *wanted, double L[])
{
    if (factorise(d, S, 0, L)) {
        if (!wanted) return 0;
        if (wanted->determinant > 0 && log_determinant(d, L) > sos_log(wanted->determinant)) return 0;
    }
    double largest = 1e-6, ridge = wanted ? wanted->ridge : 0;
    for (size_t i = 0; i < d; i++) largest = fmax(largest, fabs(S[i * d + i]));
    for (double least = largest * 1e-12; !factorise(d, S, ridge, L); least *= 10) ridge = fmax(ridge, least);
    return ridge;
}

void s3svm_mixture_component_set(s3svm_mixture *m, size_t c, double weight, const double mean[], const double S[],
                                 const s3svm_mixture_ridge *wanted)
{
    const size_t d = m->d;
    double L[S3SVM_MIXTURE_DIMENSIONS_MAX * S3SVM_MIXTURE_DIMENSIONS_MAX];
    const double ridge = factorise_somehow(d, S, wanted, L);
    double *covariance = m->covariance + c * d * d;
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++) covariance[i * d + j] = covariance[j * d + i] = S[i * d + j] + (i == j ? ridge : 0);
    memcpy(m->mean + c * d, mean, d * sizeof *mean);
    invert_lower(d, L, m->whitening + c * d * d);
    m->weight[c] = weight;
    m->log_weight[c] = sos_log(weight);
    m->offset[c] = -0.5 * ((double)d * LOG_TWO_PI + log_determinant(d, L));
}

sos_status s3svm_mixture_ridge_check(const s3svm_mixture_ridge *r, sos_error *error)
{
    if (!r || (r->ridge >= 0 && r->ridge < 1e30 && r->determinant >= 0)) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "a ridge of %g up to a determinant of %g", r->ridge, r->determinant);
}

static const double MEAN_MOST = 1e16;      /* beyond what points may be (S3SVM_POINT_MOST), so that learned ones can be set */
static const double WEIGHT_LEAST = 1e-300; /* less has no logarithm to speak of: as 0 */

sos_status s3svm_mixture_set(s3svm_mixture *m, size_t component, double weight, const double mean[], const double covariance[],
                             const s3svm_mixture_ridge *ridge, sos_error *error)
{
    if (component >= m->components)
        return sos_fail(error, SOS_ERR_ARGUMENT, "component %zu of a mixture of %zu", component, m->components);
    bool bad = !(weight >= 0 && weight <= 1);
    for (size_t j = 0; j < m->d; j++) bad |= !(fabs(mean[j]) < MEAN_MOST);
    for (size_t j = 0; j < m->d * m->d; j++) bad |= !(fabs(covariance[j]) < MEAN_MOST * MEAN_MOST);
    if (bad)
        return sos_fail(error, SOS_ERR_ARGUMENT, "component %zu of a mixture has numbers that are out of range", component);
    const sos_status status = s3svm_mixture_ridge_check(ridge, error);
    if (status) return status;
    if (weight < WEIGHT_LEAST)
        s3svm_mixture_component_clear(m, component);
    else
        s3svm_mixture_component_set(m, component, weight, mean, covariance, ridge);
    return SOS_OK;
}

/* ---------------------------------------------------------------- density */

typedef struct evaluation {
    const s3svm_mixture *m;
    size_t n;
    const float *points;
    double *log_density;
    uint8_t *best;
} evaluation;

SOS_INLINE void evaluate_block(const evaluation *e, size_t b)
{
    const size_t first = b * S3SVM_MIXTURE_BLOCK,
                 count = e->n - first < S3SVM_MIXTURE_BLOCK ? e->n - first : S3SVM_MIXTURE_BLOCK;
    double x[S3SVM_MIXTURE_DIMENSIONS_MAX * S3SVM_MIXTURE_BLOCK], logs[S3SVM_MIXTURE_COMPONENTS_MAX * S3SVM_MIXTURE_BLOCK],
        largest[S3SVM_MIXTURE_BLOCK], best[S3SVM_MIXTURE_BLOCK], sum[S3SVM_MIXTURE_BLOCK];
    s3svm_mixture_take(e->m->d, count, e->points + first * e->m->d, x);
    s3svm_mixture_logs(e->m, x, logs, largest, best);
    for (size_t l = 0; e->best && l < count; l++) e->best[first + l] = (uint8_t)(int)best[l];
    if (!e->log_density) return;
    s3svm_mixture_exponentials(e->m->components, logs, largest, sum);
    s3svm_mixture_log_densities(largest, sum);
    memcpy(e->log_density + first, sum, count * sizeof *sum);
}

SOS_TARGET_AVX2 static void evaluate_avx2(const evaluation *e, size_t b) { evaluate_block(e, b); }
static void evaluate_plain(const evaluation *e, size_t b) { evaluate_block(e, b); }

void s3svm_mixture_evaluate(const s3svm_mixture *m, size_t n, const float points[], double log_density[], uint8_t best[],
                            int threads)
{
    const evaluation e = { m, n, points, log_density, best };
    const int workers = n > S3SVM_MIXTURE_THREADS_FROM ? sos_thread_count(threads) : 1;
    void (*const block)(const evaluation *, size_t) = sos_has_avx2() ? evaluate_avx2 : evaluate_plain;
    (void)workers;
#pragma omp parallel for num_threads(workers) if (workers > 1)
    for (size_t b = 0; b < (n + S3SVM_MIXTURE_BLOCK - 1) / S3SVM_MIXTURE_BLOCK; b++) block(&e, b);
}
