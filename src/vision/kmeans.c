/* kmeans.c - points are copied into blocks of 32, one dimension after the other, so that a distance is computed for 32 points
 * at a time.  Threads take whole chunks of blocks; how many chunks there are depends on the number of points only, each has
 * sums of its own, and these are added in the order of the chunks. */
#include "vision/kmeans.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/lanes.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"

typedef float lanes __attribute__((vector_size(32)));
typedef int32_t flags __attribute__((vector_size(32)));

enum {
    LANES = 8,   /* floats of a register of AVX2 */
    VECTORS = 4, /* registers: so many sums at once hide how long an addition takes */
    BLOCK = LANES * VECTORS,
    CHUNKS = 64, /* some for each thread of a large machine */
    /* Draws for a centre.  On the colours of 7 photographs, 32 clusters, 3 starts come to 19.21 with 1 draw, 19.13 with 3 and
     * 19.17 with 6. */
    TRIALS = 3
};
static const double THREADS_FROM = 2e6; /* products of differences; fewer are done before other threads have woken up */

typedef struct work {
    size_t n, d, k, blocks, chunks;
    int threads;
    const float *points; /* as given */
    lanes *blocked;      /* blocks * d * VECTORS; what is missing in the last one repeats the last point */
    uint32_t *labels;    /* of points, and of the rest of the last block */
    float *nearest;      /* squared distance to the nearest centre, likewise; while seeding, to the nearest so far */
    float *trial;        /* the same if one more centre is taken */
    double *sums;        /* chunks * k * d: sums of points by cluster */
    size_t *counts;      /* chunks * k */
    uint32_t *previous;  /* labels before the last assignment */
    float *centres, *best_centres;
    void *block;
} work;

s3svm_kmeans_settings s3svm_kmeans_defaults(size_t clusters)
{
    /* 10 starts come 0.2 % lower than 3, 1 start comes 0.9 % higher (colours of 7 photographs, 32 clusters). */
    return (s3svm_kmeans_settings){ .clusters = clusters, .starts = 3, .iterations = 50, .tolerance = 1e-4 };
}

/* ---------------------------------------------------------------- distances */

/* s[l] = |x_l - c|^2 for the 32 points of a block. */
SOS_INLINE void block_distances(size_t d, const lanes *x, const float c[], lanes s[VECTORS])
{
    for (int v = 0; v < VECTORS; v++) s[v] = (lanes){ 0 };
    for (size_t j = 0; j < d; j++, x += VECTORS) {
        for (int v = 0; v < VECTORS; v++) {
            const lanes difference = x[v] - c[j];
            s[v] += difference * difference;
        }
    }
}

SOS_INLINE void assign_block(size_t d, const lanes *x, size_t k, const float centres[], uint32_t labels[], float nearest[])
{
    lanes best[VECTORS];
    flags label[VECTORS] = { 0 };
    block_distances(d, x, centres, best);
    for (size_t c = 1; c < k; c++) {
        lanes s[VECTORS];
        block_distances(d, x, centres + c * d, s);
        for (int v = 0; v < VECTORS; v++) {
            const flags less = s[v] < best[v];
            best[v] = (lanes)((less & (flags)s[v]) | (~less & (flags)best[v]));
            label[v] = (less & (int32_t)c) | (~less & label[v]);
        }
    }
    memcpy(labels, label, sizeof label);
    memcpy(nearest, best, sizeof best);
}

SOS_INLINE void assign_blocks(const work *w, size_t first, size_t end, const float centres[])
{
    for (size_t b = first; b < end; b++)
        assign_block(w->d, w->blocked + b * w->d * VECTORS, w->k, centres, w->labels + b * BLOCK, w->nearest + b * BLOCK);
}

/* trial = min(nearest, distance to c). */
SOS_INLINE void approach_blocks(const work *w, size_t first, size_t end, const float c[])
{
    for (size_t b = first; b < end; b++) {
        lanes s[VECTORS], old[VECTORS];
        block_distances(w->d, w->blocked + b * w->d * VECTORS, c, s);
        memcpy(old, w->nearest + b * BLOCK, sizeof old);
        for (int v = 0; v < VECTORS; v++) {
            const flags less = s[v] < old[v];
            s[v] = (lanes)((less & (flags)s[v]) | (~less & (flags)old[v]));
        }
        memcpy(w->trial + b * BLOCK, s, sizeof s);
    }
}

SOS_TARGET_AVX2 static void assign_avx2(const work *w, size_t first, size_t end, const float c[])
{
    assign_blocks(w, first, end, c);
}
SOS_TARGET_AVX2 static void approach_avx2(const work *w, size_t first, size_t end, const float c[])
{
    approach_blocks(w, first, end, c);
}
static void assign_plain(const work *w, size_t first, size_t end, const float c[]) { assign_blocks(w, first, end, c); }
static void approach_plain(const work *w, size_t first, size_t end, const float c[]) { approach_blocks(w, first, end, c); }

typedef void block_loop(const work *w, size_t first, size_t end, const float c[]);

static size_t chunk_begin(const work *w, size_t chunk) { return w->blocks * chunk / w->chunks; }

static size_t point_begin(const work *w, size_t chunk)
{
    const size_t i = chunk_begin(w, chunk) * BLOCK;
    return i < w->n ? i : w->n;
}

static double chunk_total(const work *w, size_t chunk, const float distances[])
{
    double sum = 0;
    for (size_t i = point_begin(w, chunk), end = point_begin(w, chunk + 1); i < end; i++) sum += (double)distances[i];
    return sum;
}

static double totals_sum(const work *w, const double totals[])
{
    double sum = 0;
    for (size_t chunk = 0; chunk < w->chunks; chunk++) sum += totals[chunk];
    return sum;
}

/* ---------------------------------------------------------------- the copy in blocks */

static void fill_block(work *w, size_t b)
{
    float *to = (float *)(w->blocked + b * w->d * VECTORS);
    for (size_t l = 0; l < BLOCK; l++) {
        const size_t i = b * BLOCK + l < w->n ? b * BLOCK + l : w->n - 1;
        for (size_t j = 0; j < w->d; j++) to[j * BLOCK + l] = w->points[i * w->d + j];
    }
}

static void kmeans_lay_out(work *w, sos_arena *arena, bool training)
{
    const size_t d = w->d, k = w->k, sums = training ? w->chunks : 0, rows = w->blocks * BLOCK;
    w->blocked = sos_arena_take(arena, w->blocks * VECTORS, d * sizeof(lanes));
    w->labels = sos_arena_take(arena, rows, sizeof *w->labels);
    w->nearest = sos_arena_take(arena, rows, sizeof *w->nearest);
    w->trial = sos_arena_take(arena, training ? rows : 0, sizeof *w->trial);
    w->sums = sos_arena_take(arena, sums * k, d * sizeof *w->sums);
    w->counts = sos_arena_take(arena, sums * k, sizeof *w->counts);
    w->centres = sos_arena_take(arena, training ? k : 0, d * sizeof *w->centres);
    w->best_centres = sos_arena_take(arena, training ? k : 0, d * sizeof *w->centres);
    w->previous = sos_arena_take(arena, training ? rows : 0, sizeof *w->previous);
}

static sos_status work_create(work *w, bool training, sos_error *error)
{
    w->blocks = (w->n + BLOCK - 1) / BLOCK;
    w->chunks = w->blocks < CHUNKS ? w->blocks : CHUNKS;
    sos_arena arena = { 0 };
    kmeans_lay_out(w, &arena, training);
    w->block = arena.overflowed ? NULL : sos_block_alloc(arena.used);
    if (!w->block) return sos_fail(error, SOS_ERR_MEMORY, "no memory for clusters of %zu points in %zu dimensions", w->n, w->d);
    arena = (sos_arena){ .base = w->block };
    kmeans_lay_out(w, &arena, training);
    memset(w->labels, 0, w->blocks * BLOCK * sizeof *w->labels);
#pragma omp parallel for num_threads(w->threads) if (w->threads > 1)
    for (size_t b = 0; b < w->blocks; b++) fill_block(w, b);
    return SOS_OK;
}

enum { SIDE_MAX = 1 << 20 }; /* dimensions, and clusters: products of sizes stay below 2^64 */

static sos_status numbers_check(size_t n, size_t d, const float numbers[], const char *what, sos_error *error)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < d; j++)
            if (!(fabsf(numbers[i * d + j]) < S3SVM_POINT_MOST))
                return sos_fail(error, SOS_ERR_ARGUMENT, "number %zu of %s %zu is %g; it must be below 1e15", j, what, i,
                                (double)numbers[i * d + j]);
    return SOS_OK;
}

static sos_status sizes_check(size_t n, size_t d, const float points[], size_t k, const float centres[], sos_error *error)
{
    if (!n || !d || !k) return sos_fail(error, SOS_ERR_ARGUMENT, "%zu clusters of %zu points in %zu dimensions", k, n, d);
    if (d > SIDE_MAX || k > SIDE_MAX || n > SIZE_MAX / 64 / d || n >= UINT32_MAX)
        return sos_fail(error, SOS_ERR_RANGE, "%zu clusters of %zu points in %zu dimensions are too many", k, n, d);
    if (!points || !centres) return sos_fail(error, SOS_ERR_ARGUMENT, "no points or no centres were given");
    return numbers_check(n, d, points, "point", error);
}

static int thread_count(int threads, size_t n, size_t d, size_t k)
{
    return (double)n * (double)d * (double)k > THREADS_FROM ? sos_thread_count(threads) : 1;
}

/* ---------------------------------------------------------------- seeding */

/* The point at which the running sum of distances passes r of the whole; the last with a distance where rounding passes all. */
static size_t draw(const work *w, const double totals[], double r)
{
    size_t chunk = 0, drawn = 0;
    double rest = r * totals_sum(w, totals);
    while (chunk + 1 < w->chunks && rest >= totals[chunk]) rest -= totals[chunk++];
    for (size_t i = point_begin(w, chunk), end = point_begin(w, chunk + 1); i < end; i++) {
        if (w->nearest[i] > 0) drawn = i;
        rest -= (double)w->nearest[i];
        if (rest < 0) return i;
    }
    return drawn;
}

static double approach(const work *w, const float c[], double totals[])
{
    block_loop *const loop = sos_has_avx2() ? approach_avx2 : approach_plain;
#pragma omp parallel for num_threads(w->threads) if (w->threads > 1)
    for (size_t chunk = 0; chunk < w->chunks; chunk++) {
        loop(w, chunk_begin(w, chunk), chunk_begin(w, chunk + 1), c);
        totals[chunk] = chunk_total(w, chunk, w->trial);
    }
    return totals_sum(w, totals);
}

static void take_trial(work *w)
{
    float *old = w->nearest;
    w->nearest = w->trial;
    w->trial = old;
}

/* The first centre is any point, each further one is drawn in proportion to the squared distance to the nearest before it:
 * the best of TRIALS draws. */
static void seed_centres(work *w, sos_random *r)
{
    double totals[CHUNKS] = { 0 }, next[CHUNKS];
    for (size_t i = 0; i < w->blocks * BLOCK; i++) w->nearest[i] = INFINITY;
    for (size_t c = 0; c < w->k; c++) {
        const bool any = c == 0 || totals_sum(w, totals) <= 0; /* else no point is away from all centres */
        size_t best = 0;
        double least = INFINITY;
        for (int t = 0; t < (any ? 1 : TRIALS); t++) {
            const size_t i = any ? (size_t)sos_random_below(r, w->n) : draw(w, totals, sos_random_uniform(r));
            const double sum = approach(w, w->points + i * w->d, next);
            if (sum < least) best = i;
            if (sum < least) least = sum;
        }
        memcpy(w->centres + c * w->d, w->points + best * w->d, w->d * sizeof *w->centres);
        approach(w, w->centres + c * w->d, totals);
        take_trial(w);
    }
}

/* ---------------------------------------------------------------- iterations */

static void sum_chunk(const work *w, size_t chunk)
{
    double *sums = w->sums + chunk * w->k * w->d;
    size_t *counts = w->counts + chunk * w->k;
    memset(sums, 0, w->k * w->d * sizeof *sums);
    memset(counts, 0, w->k * sizeof *counts);
    for (size_t i = point_begin(w, chunk), end = point_begin(w, chunk + 1); i < end; i++) {
        double *sum = sums + w->labels[i] * w->d;
        const float *x = w->points + i * w->d;
        counts[w->labels[i]]++;
        for (size_t j = 0; j < w->d; j++) sum[j] += (double)x[j];
    }
}

/* Assigns every point to its nearest centre and sums the clusters; returns the objective.  *changed: some label did. */
static double assign(work *w, bool *changed)
{
    double totals[CHUNKS];
    bool changes[CHUNKS];
    block_loop *const loop = sos_has_avx2() ? assign_avx2 : assign_plain;
#pragma omp parallel for num_threads(w->threads) if (w->threads > 1)
    for (size_t chunk = 0; chunk < w->chunks; chunk++) {
        const size_t first = chunk_begin(w, chunk), end = chunk_begin(w, chunk + 1);
        const size_t bytes = (end - first) * BLOCK * sizeof *w->labels;
        memcpy(w->previous + first * BLOCK, w->labels + first * BLOCK, bytes);
        loop(w, first, end, w->centres);
        changes[chunk] = memcmp(w->previous + first * BLOCK, w->labels + first * BLOCK, bytes) != 0;
        totals[chunk] = chunk_total(w, chunk, w->nearest);
        sum_chunk(w, chunk);
    }
    *changed = false;
    for (size_t chunk = 0; chunk < w->chunks; chunk++) *changed |= changes[chunk];
    for (size_t chunk = 1; chunk < w->chunks; chunk++) {
        const double *more = w->sums + chunk * w->k * w->d;
        for (size_t j = 0; j < w->k * w->d; j++) w->sums[j] += more[j];
        for (size_t c = 0; c < w->k; c++) w->counts[c] += w->counts[chunk * w->k + c];
    }
    return totals_sum(w, totals);
}

/* The point farthest from its centre, the first of several, among clusters of two and more; n: all points are on theirs. */
static size_t farthest_point(const work *w)
{
    size_t best = w->n;
    float most = 0;
    for (size_t i = 0; i < w->n; i++)
        if (w->nearest[i] > most && w->counts[w->labels[i]] > 1) {
            best = i;
            most = w->nearest[i];
        }
    return best;
}

/* Moves the farthest points to the clusters that have none. */
static void refill_empty(work *w)
{
    for (size_t c = 0; c < w->k; c++) {
        if (w->counts[c]) continue;
        const size_t i = farthest_point(w);
        if (i == w->n) return;
        const size_t from = w->labels[i];
        const float *x = w->points + i * w->d;
        for (size_t j = 0; j < w->d; j++) {
            w->sums[from * w->d + j] -= (double)x[j];
            w->sums[c * w->d + j] = (double)x[j];
        }
        w->counts[from]--;
        w->counts[c] = 1;
        w->labels[i] = (uint32_t)c;
        w->nearest[i] = 0;
    }
}

static void move_centres(work *w)
{
    for (size_t c = 0; c < w->k; c++)
        for (size_t j = 0; w->counts[c] && j < w->d; j++)
            w->centres[c * w->d + j] = (float)(w->sums[c * w->d + j] / (double)w->counts[c]);
}

static size_t count_empty(const work *w)
{
    size_t empty = 0;
    for (size_t c = 0; c < w->k; c++) empty += !w->counts[c];
    return empty;
}

/* From the seeds until nothing moves, little is gained or the iterations are used up; ends with an assignment. */
static s3svm_kmeans_result iterate(work *w, const s3svm_kmeans_settings *s)
{
    bool changed = true, enough = false;
    s3svm_kmeans_result r = { .objective = assign(w, &changed) };
    for (changed = true; changed && !enough && r.iterations < s->iterations; r.iterations++) {
        const double before = r.objective;
        refill_empty(w);
        move_centres(w);
        r.objective = assign(w, &changed);
        enough = before - r.objective < s->tolerance * before;
    }
    r.empty = count_empty(w);
    return r;
}

static s3svm_kmeans_result best_start(work *w, const s3svm_kmeans_settings *s)
{
    s3svm_kmeans_result best = { .objective = INFINITY };
    for (size_t start = 0; start < (s->starts ? s->starts : 1); start++) {
        sos_random random = sos_random_seeded(s->seed + start * UINT64_C(0x9e3779b97f4a7c15));
        seed_centres(w, &random);
        s3svm_kmeans_result r = iterate(w, s);
        r.start = start;
        if (start && !(r.objective < best.objective)) continue;
        best = r;
        memcpy(w->best_centres, w->centres, w->k * w->d * sizeof *w->centres);
    }
    return best;
}

sos_status s3svm_kmeans(size_t n, size_t d, const float points[], const s3svm_kmeans_settings *settings, float centres[],
                        uint32_t labels[], s3svm_kmeans_result *result, sos_error *error)
{
    if (!settings) return sos_fail(error, SOS_ERR_ARGUMENT, "no number of clusters was given");
    work w = { .n = n, .d = d, .k = settings->clusters, .points = points };
    sos_status status = sizes_check(n, d, points, w.k, centres, error);
    if (status) return status;
    w.threads = thread_count(settings->threads, n, d, w.k);
    status = work_create(&w, true, error);
    if (status) return status;
    const s3svm_kmeans_result best = best_start(&w, settings);
    memcpy(centres, w.best_centres, w.k * d * sizeof *centres);
    if (result) *result = best;
    if (labels) {
        bool changed;
        memcpy(w.centres, centres, w.k * d * sizeof *centres);
        assign(&w, &changed);
        memcpy(labels, w.labels, n * sizeof *labels);
    }
    sos_block_free(w.block);
    return SOS_OK;
}

sos_status s3svm_kmeans_assign(size_t n, size_t d, const float points[], size_t k, const float centres[], int threads,
                               uint32_t labels[], float distances[], sos_error *error)
{
    work w = { .n = n, .d = d, .k = k, .points = points };
    sos_status status = sizes_check(n, d, points, k, centres, error);
    if (!status) status = numbers_check(k, d, centres, "centre", error);
    if (!status && !labels) status = sos_fail(error, SOS_ERR_ARGUMENT, "no place for labels was given");
    if (status) return status;
    w.threads = thread_count(threads, n, d, k);
    status = work_create(&w, false, error);
    if (status) return status;
    block_loop *const loop = sos_has_avx2() ? assign_avx2 : assign_plain;
#pragma omp parallel for num_threads(w.threads) if (w.threads > 1)
    for (size_t chunk = 0; chunk < w.chunks; chunk++) loop(&w, chunk_begin(&w, chunk), chunk_begin(&w, chunk + 1), centres);
    memcpy(labels, w.labels, n * sizeof *labels);
    if (distances) memcpy(distances, w.nearest, n * sizeof *distances);
    sos_block_free(w.block);
    return SOS_OK;
}
