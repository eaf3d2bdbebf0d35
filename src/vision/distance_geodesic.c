/* distance_geodesic.c - distances along paths whose steps cost what the image says. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "vision/distance.h"

/* ---------------------------------------------------------------- the heap */

enum { BUCKETS = 33 }; /* one for each bit of a key, and one for keys without difference */
static const uint32_t NONE = UINT32_MAX;

/* A radix heap.  Bucket b > 0 holds the pixels whose key differs from the last one taken out in bit b - 1 and in none above,
 * bucket 0 those whose key is the last one.  Keys never fall below the last, so a pixel only moves down.  A pixel is in one
 * bucket at most, in a list with links both ways. */
typedef struct heap {
    uint32_t last;
    uint64_t filled; /* which buckets have pixels, a bit each */
    uint32_t first[BUCKETS];
    uint32_t *next, *previous;
    uint8_t *bucket; /* BUCKETS: in none */
    float *distances;
} heap;

/* The bits of a distance: those of floats >= 0 are in the order of the floats. */
static uint32_t key_of(const heap *h, uint32_t i)
{
    uint32_t key;
    memcpy(&key, &h->distances[i], sizeof key);
    return key;
}

static void heap_insert(heap *h, uint32_t i)
{
    const uint32_t differs = key_of(h, i) ^ h->last;
    const unsigned b = differs ? 32 - (unsigned)__builtin_clz(differs) : 0;
    h->bucket[i] = (uint8_t)b;
    h->previous[i] = NONE;
    h->next[i] = h->first[b];
    if (h->first[b] != NONE) h->previous[h->first[b]] = i;
    h->first[b] = i;
    h->filled |= UINT64_C(1) << b;
}

static void heap_remove(heap *h, uint32_t i)
{
    const unsigned b = h->bucket[i];
    if (h->previous[i] == NONE)
        h->first[b] = h->next[i];
    else
        h->next[h->previous[i]] = h->next[i];
    if (h->next[i] != NONE) h->previous[h->next[i]] = h->previous[i];
    if (h->first[b] == NONE) h->filled &= ~(UINT64_C(1) << b);
    h->bucket[i] = BUCKETS;
}

/* Empties the lowest bucket that has pixels into the ones below it; the nearest go to bucket 0. */
static void heap_refill(heap *h)
{
    const unsigned b = (unsigned)__builtin_ctzll(h->filled);
    uint32_t least = UINT32_MAX, i = h->first[b];
    for (uint32_t j = i; j != NONE; j = h->next[j]) least = key_of(h, j) < least ? key_of(h, j) : least;
    h->last = least;
    h->first[b] = NONE;
    h->filled &= ~(UINT64_C(1) << b);
    while (i != NONE) {
        const uint32_t after = h->next[i];
        heap_insert(h, i);
        i = after;
    }
}

static uint32_t heap_take(heap *h)
{
    if (!(h->filled & 1)) heap_refill(h);
    const uint32_t i = h->first[0];
    heap_remove(h, i);
    return i;
}

/* ---------------------------------------------------------------- paths */

static void approach(heap *h, size_t from, size_t to, float cost)
{
    const uint32_t i = (uint32_t)to;
    const float distance = h->distances[from] + cost;
    if (!(distance < h->distances[i])) return;
    if (h->bucket[i] != BUCKETS) heap_remove(h, i);
    h->distances[i] = distance;
    heap_insert(h, i);
}

static void approach_neighbours(heap *h, size_t width, size_t height, const s3svm_steps *s, size_t i)
{
    const size_t x = i % width, y = i / width;
    const bool left = x > 0, right = x + 1 < width, up = y > 0, down = y + 1 < height;
    if (left) approach(h, i, i - 1, s->right[i - 1]);
    if (right) approach(h, i, i + 1, s->right[i]);
    if (up) approach(h, i, i - width, s->down[i - width]);
    if (down) approach(h, i, i + width, s->down[i]);
    if (!s->down_right) return;
    if (up && left) approach(h, i, i - width - 1, s->down_right[i - width - 1]);
    if (up && right) approach(h, i, i - width + 1, s->down_left[i - width + 1]);
    if (down && left) approach(h, i, i + width - 1, s->down_left[i]);
    if (down && right) approach(h, i, i + width + 1, s->down_right[i]);
}

static void geodesic_lay_out(heap *h, size_t n, sos_arena *arena)
{
    h->next = sos_arena_take(arena, n, sizeof *h->next);
    h->previous = sos_arena_take(arena, n, sizeof *h->previous);
    h->bucket = sos_arena_take(arena, n, 1);
}

static sos_status costs_check(size_t width, size_t height, const s3svm_steps *s, sos_error *error)
{
    const float *const costs[4] = { s->right, s->down, s->down_right, s->down_left };
    if (!s->right || !s->down || !s->down_right != !s->down_left)
        return sos_fail(error, SOS_ERR_ARGUMENT, "steps right and down are needed, and both diagonals or none");
    for (int k = 0; k < 4 && costs[k]; k++)
        for (size_t i = 0; i < width * height; i++)
            if (!(costs[k][i] >= 0))
                return sos_fail(error, SOS_ERR_ARGUMENT, "a step from pixel (%zu, %zu) costs %g; it must not be negative",
                                i % width, i / width, (double)costs[k][i]);
    return SOS_OK;
}

sos_status s3svm_distance_geodesic(size_t width, size_t height, const uint8_t mask[], const s3svm_steps *steps,
                                   float distances[], sos_error *error)
{
    sos_status status = s3svm_distance_check(width, height, mask, distances, error);
    if (!status && (!steps || !width)) status = sos_fail(error, SOS_ERR_ARGUMENT, "no steps were given");
    if (!status) status = costs_check(width, height, steps, error);
    if (status) return status;
    const size_t n = width * height;
    heap h = { .distances = distances };
    sos_arena arena = { 0 };
    geodesic_lay_out(&h, n, &arena);
    void *block = sos_block_alloc(arena.used);
    if (!block) return sos_fail(error, SOS_ERR_MEMORY, "no memory for distances between %zu pixels", n);
    arena = (sos_arena){ .base = block };
    geodesic_lay_out(&h, n, &arena);
    memset(h.first, 0xFF, sizeof h.first);
    memset(h.bucket, BUCKETS, n);
    for (size_t i = 0; i < n; i++) {
        distances[i] = mask[i] ? 0 : INFINITY;
        if (mask[i]) heap_insert(&h, (uint32_t)i);
    }
    while (h.filled) approach_neighbours(&h, width, height, steps, heap_take(&h));
    sos_block_free(block);
    return SOS_OK;
}

/* ---------------------------------------------------------------- steps */

static float step_cost(size_t channels, const float values[], size_t i, size_t j, double length, double contrast)
{
    double sum = 0;
    for (size_t c = 0; c < channels; c++) {
        const double difference = (double)values[i * channels + c] - (double)values[j * channels + c];
        sum += difference * difference;
    }
    return (float)(length + contrast * sqrt(sum));
}

sos_status s3svm_steps_create(size_t width, size_t height, size_t channels, const float values[], double contrast,
                              s3svm_steps *steps, sos_error *error)
{
    const sos_status status = s3svm_distance_check(width, height, values, steps, error);
    if (status) return status;
    if (!(contrast >= 0) || isinf(contrast)) return sos_fail(error, SOS_ERR_ARGUMENT, "a contrast of %g", contrast);
    const size_t n = width * height;
    const double diagonal = 0x1.6a09e667f3bcdp0; /* the square root of 2 */
    float *all = calloc(n, 4 * sizeof *all);
    if (!all) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the steps between %zu pixels", n);
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            const size_t i = y * width + x;
            const bool right = x + 1 < width, down = y + 1 < height;
            if (right) all[i] = step_cost(channels, values, i, i + 1, 1, contrast);
            if (down) all[n + i] = step_cost(channels, values, i, i + width, 1, contrast);
            if (right && down) all[2 * n + i] = step_cost(channels, values, i, i + width + 1, diagonal, contrast);
            if (x && down) all[3 * n + i] = step_cost(channels, values, i, i + width - 1, diagonal, contrast);
        }
    *steps = (s3svm_steps){ all, all + n, all + 2 * n, all + 3 * n, all };
    return SOS_OK;
}

void s3svm_steps_free(s3svm_steps *steps)
{
    free(steps->block);
    *steps = (s3svm_steps){ 0 };
}
