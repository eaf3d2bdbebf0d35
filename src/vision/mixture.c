/* mixture.c - the density of 64 points at a time: a block of logarithms, component by component, then their largest, then the
 * sum of exponentials.  Sums over points are taken in chunks, whose number depends on the number of points only, and added in
 * their order. */
#include "vision/mixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/error.h"
#include "base/lanes.h"
#include "base/memory.h"
#include "base/threads.h"
#include "vision/kmeans.h"

enum { BLOCK = 64, CHUNKS = 64, D_MAX = SOS_MIXTURE_DIMENSIONS_MAX };

static const double LOG_LEAST = -1e300; /* stands for the logarithm of nothing, and of what has overflowed */
static const double LOG_TWO_PI = 1.8378770664093454836;

sos_mixture_ridge sos_mixture_ridge_grabcut(void) { return (sos_mixture_ridge){ .ridge = 0.01, .determinant = 1e-6 }; }

/* ---------------------------------------------------------------- memory */

static void lay_out(sos_mixture *m, sos_arena *arena)
{
    m->weight = sos_arena_take(arena, m->components, sizeof(double));
    m->mean = sos_arena_take(arena, m->components * m->d, sizeof(double));
    m->covariance = sos_arena_take(arena, m->components * m->d * m->d, sizeof(double));
    m->whitening = sos_arena_take(arena, m->components * m->d * m->d, sizeof(double));
    m->offset = sos_arena_take(arena, m->components, sizeof(double));
    m->log_weight = sos_arena_take(arena, m->components, sizeof(double));
}

static void component_clear(sos_mixture *m, size_t c)
{
    const size_t d = m->d;
    m->weight[c] = 0;
    memset(m->mean + c * d, 0, d * sizeof(double));
    memset(m->covariance + c * d * d, 0, d * d * sizeof(double));
    memset(m->whitening + c * d * d, 0, d * d * sizeof(double));
    m->offset[c] = LOG_LEAST;
    m->log_weight[c] = 0;
}

sos_status sos_mixture_create(size_t components, size_t d, sos_mixture *out, sos_error *error)
{
    if (!components || components > SOS_MIXTURE_COMPONENTS_MAX || !d || d > SOS_MIXTURE_DIMENSIONS_MAX)
        return sos_fail(error, SOS_ERR_RANGE, "a mixture of %zu components in %zu dimensions", components, d);
    sos_mixture m = { .d = d, .components = components };
    sos_arena arena = { 0 };
    lay_out(&m, &arena);
    m.block = sos_block_alloc(arena.used);
    if (!m.block) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a mixture of %zu components", components);
    arena = (sos_arena){ .base = m.block };
    lay_out(&m, &arena);
    for (size_t c = 0; c < components; c++) component_clear(&m, c);
    *out = m;
    return SOS_OK;
}

void sos_mixture_free(sos_mixture *m)
{
    sos_block_free(m->block);
    *m = (sos_mixture){ 0 };
}

sos_status sos_mixture_copy(const sos_mixture *m, sos_mixture *out, sos_error *error)
{
    sos_mixture copy;
    const sos_status status = sos_mixture_create(m->components, m->d, &copy, error);
    if (status) return status;
    const size_t k = m->components, d = m->d;
    memcpy(copy.weight, m->weight, k * sizeof(double));
    memcpy(copy.mean, m->mean, k * d * sizeof(double));
    memcpy(copy.covariance, m->covariance, k * d * d * sizeof(double));
    memcpy(copy.whitening, m->whitening, k * d * d * sizeof(double));
    memcpy(copy.offset, m->offset, k * sizeof(double));
    memcpy(copy.log_weight, m->log_weight, k * sizeof(double));
    *out = copy;
    return SOS_OK;
}

/* ---------------------------------------------------------------- one component */

/* S + ridge = L L^T; false where that is not positive definite as far as doubles can tell. */
static bool factorise(size_t d, const double S[], double ridge, double L[])
{
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = S[i * d + j] + (i == j ? ridge : 0);
            for (size_t q = 0; q < j; q++) sum -= L[i * d + q] * L[j * d + q];
            if (i == j && !(sum > 1e-14 * fabs(S[i * d + i]))) return false;
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

/* Factorises S, with no ridge, the one asked for, or a larger one: the first that serves; returns it. */
static double factorise_somehow(size_t d, const double S[], const sos_mixture_ridge *wanted, double L[])
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

static void component_set(sos_mixture *m, size_t c, double weight, const double mean[], const double S[],
                          const sos_mixture_ridge *wanted)
{
    const size_t d = m->d;
    double L[D_MAX * D_MAX];
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

static sos_status ridge_check(const sos_mixture_ridge *r, sos_error *error)
{
    if (!r || (r->ridge >= 0 && r->ridge < 1e30 && r->determinant >= 0)) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "a ridge of %g up to a determinant of %g", r->ridge, r->determinant);
}

sos_status sos_mixture_set(sos_mixture *m, size_t component, double weight, const double mean[], const double covariance[],
                           const sos_mixture_ridge *ridge, sos_error *error)
{
    if (component >= m->components)
        return sos_fail(error, SOS_ERR_ARGUMENT, "component %zu of a mixture of %zu", component, m->components);
    bool bad = !(weight >= 0 && weight <= 1);
    for (size_t j = 0; j < m->d; j++) bad |= !(fabs(mean[j]) < 1e16);
    for (size_t j = 0; j < m->d * m->d; j++) bad |= !(fabs(covariance[j]) < 1e32);
    if (bad)
        return sos_fail(error, SOS_ERR_ARGUMENT, "component %zu of a mixture has numbers that are out of range", component);
    const sos_status status = ridge_check(ridge, error);
    if (status) return status;
    if (weight < 1e-300)
        component_clear(m, component);
    else
        component_set(m, component, weight, mean, covariance, ridge);
    return SOS_OK;
}

/* ---------------------------------------------------------------- density */

/* The points of a block as columns; a block that is not full repeats its last point. */
SOS_INLINE void take_block(size_t d, size_t count, const float points[], double x[])
{
    for (size_t l = 0; l < BLOCK; l++)
        for (size_t j = 0; j < d; j++) x[j * BLOCK + l] = (double)points[(l < count ? l : count - 1) * d + j];
}

/* offset - 1/2 |F (x - m)|^2 for four points of a block. */
SOS_INLINE void component_log(const sos_mixture *m, size_t c, const double x[], sos_lanes *log)
{
    const size_t d = m->d;
    const double *F = m->whitening + c * d * d, *mean = m->mean + c * d;
    sos_lanes square = { 0 };
    for (size_t i = 0; i < d; i++) {
        sos_lanes y = { 0 };
        for (size_t j = 0; j <= i; j++) y += (*sos_lanes_at(x + j * BLOCK) - mean[j]) * F[i * d + j];
        square += y * y;
    }
    *log = m->offset[c] - square * 0.5;
}

/* The same in three dimensions. */
SOS_INLINE void component_log_3(const sos_mixture *m, size_t c, const double x[], sos_lanes *log)
{
    const double *F = m->whitening + c * 9, *mean = m->mean + c * 3;
    const sos_lanes x0 = *sos_lanes_at(x) - mean[0], x1 = *sos_lanes_at(x + BLOCK) - mean[1],
                    x2 = *sos_lanes_at(x + 2 * BLOCK) - mean[2];
    const sos_lanes y0 = x0 * F[0], y1 = x0 * F[3] + x1 * F[4], y2 = x0 * F[6] + x1 * F[7] + x2 * F[8];
    *log = m->offset[c] - (y0 * y0 + y1 * y1 + y2 * y2) * 0.5;
}

/* Logarithms of the weighted densities of all components for four points, their largest, and the component whose density is
 * largest.  Components are BLOCK numbers apart. */
SOS_INLINE void point_logs(const sos_mixture *m, bool three, const double x[], double logs[], double largest[], double best[])
{
    const sos_lanes least = { LOG_LEAST, LOG_LEAST, LOG_LEAST, LOG_LEAST };
    sos_lanes most = { -INFINITY, -INFINITY, -INFINITY, -INFINITY }, most_weighted = most, number = { 0 };
    for (size_t c = 0; c < m->components; c++) {
        const double here = (double)c;
        const sos_lanes name = { here, here, here, here };
        sos_lanes u;
        if (three)
            component_log_3(m, c, x, &u);
        else
            component_log(m, c, x, &u);
        sos_lanes_raise(&u, &least);
        const sos_flags better = u > most;
        const sos_lanes v = u + m->log_weight[c];
        sos_lanes_take(&number, &name, &better);
        sos_lanes_take(&most, &u, &better);
        sos_lanes_raise(&most_weighted, &v);
        *sos_lanes_to(logs + c * BLOCK) = v;
    }
    *sos_lanes_to(largest) = most_weighted;
    *sos_lanes_to(best) = number;
}

SOS_INLINE void block_logs(const sos_mixture *m, const double x[], double logs[], double largest[], double best[])
{
    const bool three = m->d == 3;
    for (size_t l = 0; three && l < BLOCK; l += SOS_LANES) point_logs(m, true, x + l, logs + l, largest + l, best + l);
    for (size_t l = 0; !three && l < BLOCK; l += SOS_LANES) point_logs(m, false, x + l, logs + l, largest + l, best + l);
}

/* Turns logarithms into exp(log - largest), in place; sum receives their sums. */
SOS_INLINE void block_exponentials(size_t components, double logs[], const double largest[], double sum[])
{
    for (size_t l = 0; l < BLOCK; l += SOS_LANES) {
        sos_lanes s = { 0 };
        for (size_t c = 0; c < components; c++) {
            sos_lanes e = *sos_lanes_at(logs + c * BLOCK + l) - *sos_lanes_at(largest + l);
            sos_lanes_exp(&e);
            *sos_lanes_to(logs + c * BLOCK + l) = e;
            s += e;
        }
        *sos_lanes_to(sum + l) = s;
    }
}

SOS_INLINE void block_log_densities(const double largest[], double sum[])
{
    for (size_t l = 0; l < BLOCK; l += SOS_LANES) {
        sos_lanes log = *sos_lanes_at(sum + l);
        sos_lanes_log(&log);
        *sos_lanes_to(sum + l) = *sos_lanes_at(largest + l) + log;
    }
}

typedef struct evaluation {
    const sos_mixture *m;
    size_t n;
    const float *points;
    double *log_density;
    uint8_t *best;
} evaluation;

SOS_INLINE void evaluate_block(const evaluation *e, size_t b)
{
    const size_t first = b * BLOCK, count = e->n - first < BLOCK ? e->n - first : BLOCK;
    double x[D_MAX * BLOCK], logs[SOS_MIXTURE_COMPONENTS_MAX * BLOCK], largest[BLOCK], best[BLOCK], sum[BLOCK];
    take_block(e->m->d, count, e->points + first * e->m->d, x);
    block_logs(e->m, x, logs, largest, best);
    for (size_t l = 0; e->best && l < count; l++) e->best[first + l] = (uint8_t)(int)best[l];
    if (!e->log_density) return;
    block_exponentials(e->m->components, logs, largest, sum);
    block_log_densities(largest, sum);
    memcpy(e->log_density + first, sum, count * sizeof *sum);
}

SOS_TARGET_AVX2 static void evaluate_avx2(const evaluation *e, size_t b) { evaluate_block(e, b); }
static void evaluate_plain(const evaluation *e, size_t b) { evaluate_block(e, b); }

void sos_mixture_evaluate(const sos_mixture *m, size_t n, const float points[], double log_density[], uint8_t best[],
                          int threads)
{
    const evaluation e = { m, n, points, log_density, best };
    const int workers = n > 4096 ? sos_thread_count(threads) : 1;
    void (*const block)(const evaluation *, size_t) = sos_has_avx2() ? evaluate_avx2 : evaluate_plain;
    (void)workers;
#pragma omp parallel for num_threads(workers) if (workers > 1)
    for (size_t b = 0; b < (n + BLOCK - 1) / BLOCK; b++) block(&e, b);
}

/* ---------------------------------------------------------------- learning */

/* Sums of a component, of points less an origin: their mass, d coordinates, d (d + 1) / 2 products. */
static size_t sums_size(size_t d) { return 1 + d + d * (d + 1) / 2; }

static void sums_add(size_t d, const float x[], const double origin[], double mass, double sums[])
{
    double from[D_MAX], *products = sums + 1 + d;
    sums[0] += mass;
    for (size_t i = 0; i < d; i++) {
        from[i] = (double)x[i] - origin[i];
        const double scaled = mass * from[i];
        sums[1 + i] += scaled;
        for (size_t j = 0; j <= i; j++) *products++ += scaled * from[j];
    }
}

static void component_from_sums(sos_mixture *m, size_t c, double total, const double origin[], const double sums[],
                                const sos_mixture_ridge *ridge)
{
    const size_t d = m->d;
    double mean[D_MAX], S[D_MAX * D_MAX];
    const double *products = sums + 1 + d;
    if (!(sums[0] > 1e-9)) { /* nobody's component */
        component_clear(m, c);
        return;
    }
    for (size_t i = 0; i < d; i++) {
        mean[i] = sums[1 + i] / sums[0];
        for (size_t j = 0; j <= i; j++) S[i * d + j] = *products++ / sums[0] - mean[i] * mean[j];
    }
    for (size_t i = 0; i < d; i++) mean[i] += origin[i];
    component_set(m, c, sums[0] / total, mean, S, ridge);
}

static void mixture_from_sums(sos_mixture *m, size_t n, const double origin[], const double sums[],
                              const sos_mixture_ridge *ridge)
{
    for (size_t c = 0; c < m->components; c++) component_from_sums(m, c, (double)n, origin, sums + c * sums_size(m->d), ridge);
}

static sos_status points_check(const sos_mixture *m, size_t n, const float points[], const sos_mixture_ridge *ridge,
                               sos_error *error)
{
    if (!n || !points) return sos_fail(error, SOS_ERR_ARGUMENT, "a mixture of no points");
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m->d; j++)
            if (!(fabsf(points[i * m->d + j]) < 1e15F))
                return sos_fail(error, SOS_ERR_ARGUMENT, "number %zu of point %zu is %g; it must be below 1e15", j, i,
                                (double)points[i * m->d + j]);
    return ridge_check(ridge, error);
}

/* Their mean, which keeps products small. */
static void find_origin(size_t n, size_t d, const float points[], double origin[])
{
    memset(origin, 0, d * sizeof *origin);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < d; j++) origin[j] += (double)points[i * d + j];
    for (size_t j = 0; j < d; j++) origin[j] /= (double)n;
}

sos_status sos_mixture_learn(sos_mixture *m, size_t n, const float points[], const uint32_t labels[],
                             const sos_mixture_ridge *ridge, sos_error *error)
{
    const sos_status status = points_check(m, n, points, ridge, error);
    if (status) return status;
    for (size_t i = 0; i < n; i++)
        if (labels[i] >= m->components)
            return sos_fail(error, SOS_ERR_ARGUMENT, "point %zu belongs to component %u of %zu", i, labels[i], m->components);
    double origin[D_MAX], *sums = calloc(m->components * sums_size(m->d), sizeof *sums);
    if (!sums) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the sums of a mixture");
    find_origin(n, m->d, points, origin);
    for (size_t i = 0; i < n; i++) sums_add(m->d, points + i * m->d, origin, 1, sums + labels[i] * sums_size(m->d));
    mixture_from_sums(m, n, origin, sums, ridge);
    free(sums);
    return SOS_OK;
}

sos_status sos_mixture_start(sos_mixture *m, size_t n, const float points[], size_t iterations, uint64_t seed,
                             const sos_mixture_ridge *ridge, int threads, sos_error *error)
{
    const sos_kmeans_settings s = {
        .clusters = m->components, .starts = 1, .iterations = iterations, .seed = seed, .threads = threads
    };
    float *centres = malloc(m->components * m->d * sizeof *centres);
    uint32_t *labels = malloc((n ? n : 1) * sizeof *labels);
    sos_status status = SOS_OK;
    if (!centres || !labels) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for the components of %zu points", n);
    if (!status) status = sos_kmeans(n, m->d, points, &s, centres, labels, NULL, error);
    if (!status) status = sos_mixture_learn(m, n, points, labels, ridge, error);
    free(labels);
    free(centres);
    return status;
}

/* ---------------------------------------------------------------- expectation-maximisation */

typedef struct expectation {
    const sos_mixture *m;
    size_t n, blocks, chunks;
    const float *points;
    double origin[D_MAX];
    double *sums;        /* chunks * components * sums_size */
    double logs[CHUNKS]; /* sums of log p(x) */
} expectation;

SOS_INLINE void expect_block(expectation *e, size_t b, size_t chunk)
{
    const sos_mixture *m = e->m;
    const size_t first = b * BLOCK, count = e->n - first < BLOCK ? e->n - first : BLOCK, size = sums_size(m->d);
    double x[D_MAX * BLOCK], logs[SOS_MIXTURE_COMPONENTS_MAX * BLOCK], largest[BLOCK], best[BLOCK], sum[BLOCK];
    take_block(m->d, count, e->points + first * m->d, x);
    block_logs(m, x, logs, largest, best);
    block_exponentials(m->components, logs, largest, sum);
    for (size_t l = 0; l < count; l++) {
        e->logs[chunk] += largest[l] + sos_log(sum[l]);
        for (size_t c = 0; c < m->components; c++)
            sums_add(m->d, e->points + (first + l) * m->d, e->origin, logs[c * BLOCK + l] / sum[l],
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

sos_status sos_mixture_improve(sos_mixture *m, size_t n, const float points[], size_t iterations, double tolerance,
                               const sos_mixture_ridge *ridge, int threads, double *mean_log, sos_error *error)
{
    const sos_status status = points_check(m, n, points, ridge, error);
    if (status) return status;
    double mass = 0;
    for (size_t c = 0; c < m->components; c++) mass += m->weight[c];
    if (!(mass > 0)) return sos_fail(error, SOS_ERR_ARGUMENT, "a mixture must be started before it can be improved");
    expectation e = { .m = m, .n = n, .blocks = (n + BLOCK - 1) / BLOCK, .points = points };
    e.chunks = e.blocks < CHUNKS ? e.blocks : CHUNKS;
    e.sums = malloc(e.chunks * m->components * sums_size(m->d) * sizeof *e.sums);
    if (!e.sums) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the sums of a mixture");
    find_origin(n, m->d, points, e.origin);
    const int workers = n > 4096 ? sos_thread_count(threads) : 1;
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
