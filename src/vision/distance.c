#include "vision/distance.h"

#include <math.h>
#include <stdlib.h>

#include "base/threads.h"

static float smaller(float a, float b) { return a < b ? a : b; }

/* ---------------------------------------------------------------- city block */

/* row = min(row, other + 1), pixel by pixel. */
static void step_between_rows(size_t width, float row[], const float other[])
{
    for (size_t x = 0; x < width; x++) row[x] = smaller(row[x], other[x] + 1);
}

sos_status s3svm_distance_city(size_t width, size_t height, const uint8_t mask[], float distances[], sos_error *error)
{
    const sos_status status = s3svm_distance_check(width, height, mask, distances, error);
    if (status) return status;
    for (size_t i = 0; i < width * height; i++) distances[i] = mask[i] ? 0 : INFINITY;
    for (size_t y = 0; y < height; y++) {
        float *row = distances + y * width;
        if (y) step_between_rows(width, row, row - width);
        for (size_t x = 1; x < width; x++) row[x] = smaller(row[x], row[x - 1] + 1);
        for (size_t x = width - 1; x-- > 0;) row[x] = smaller(row[x], row[x + 1] + 1);
    }
    for (size_t y = height - 1; y-- > 0;) step_between_rows(width, distances + y * width, distances + (y + 1) * width);
    return SOS_OK;
}

/* ---------------------------------------------------------------- Euclidean */

enum { THREADS_FROM = 1 << 16 }; /* pixels; fewer are done before other threads have woken up */

/* Distances within columns. */
static void column_distances(size_t width, size_t height, const uint8_t mask[], float distances[])
{
    for (size_t i = 0; i < width * height; i++) distances[i] = mask[i] ? 0 : INFINITY;
    for (size_t y = 1; y < height; y++) step_between_rows(width, distances + y * width, distances + (y - 1) * width);
    for (size_t y = height - 1; y-- > 0;) step_between_rows(width, distances + y * width, distances + (y + 1) * width);
}

/* (x - at)^2 + square, the lowest of all from `from` up to where the next one begins. */
typedef struct parabola {
    int64_t at, square, from;
} parabola;

/* The first x at which q is below p, p->at < q->at: beyond ((q^2 + q.square) - (p^2 + p.square)) / (2 (q - p)).  The quotient
 * is below 2^36, and if it is not an integer at least 2^-17 from one, so that a division of doubles tells. */
static int64_t overtakes(const parabola *p, const parabola *q)
{
    const int64_t above = q->at * q->at + q->square - p->at * p->at - p->square;
    return (int64_t)floor((double)above / (double)(2 * (q->at - p->at))) + 1;
}

static void envelope_row(size_t width, float row[], parabola stack[])
{
    size_t count = 0;
    for (size_t x = 0; x < width; x++) {
        if (isinf(row[x])) continue;
        parabola new = { (int64_t)x, (int64_t)row[x] * (int64_t)row[x], 0 };
        for (; count; count--) {
            new.from = overtakes(&stack[count - 1], &new);
            if (new.from > stack[count - 1].from) break;
        }
        if (!count) new.from = 0;
        if (new.from < (int64_t)width) stack[count++] = new;
    }
    for (size_t x = 0, k = 0; count && x < width; x++) {
        while (k + 1 < count && stack[k + 1].from <= (int64_t)x) k++;
        const int64_t dx = (int64_t)x - stack[k].at;
        row[x] = (float)sqrt((double)(dx * dx + stack[k].square));
    }
}

sos_status s3svm_distance_euclidean(size_t width, size_t height, const uint8_t mask[], int threads, float distances[],
                                    sos_error *error)
{
    const sos_status status = s3svm_distance_check(width, height, mask, distances, error);
    if (status) return status;
    const int workers = width * height > THREADS_FROM ? sos_thread_count(threads) : 1;
    parabola *stacks = malloc((size_t)workers * width * sizeof *stacks);
    if (!stacks) return sos_fail(error, SOS_ERR_MEMORY, "no memory for distances in rows of %zu pixels", width);
    column_distances(width, height, mask, distances);
#pragma omp parallel for num_threads(workers) if (workers > 1)
    for (int worker = 0; worker < workers; worker++)
        for (size_t y = height * (size_t)worker / (size_t)workers; y < height * ((size_t)worker + 1) / (size_t)workers; y++)
            envelope_row(width, distances + y * width, stacks + (size_t)worker * width);
    free(stacks);
    return SOS_OK;
}
