#include "learn/dense.h"

#include <stdlib.h>
#include <string.h>

double *sos_numbers(size_t count) { return calloc(count ? count : 1, sizeof(double)); }

typedef double lanes __attribute__((vector_size(32)));
enum { LANES = 4 };

static inline __attribute__((always_inline)) lanes load(const double *p)
{
    lanes x;
    memcpy(&x, p, sizeof x);
    return x;
}

/* Functions compiled for processors with wide registers too.  Their loops are the same everywhere, so sums are too: wide ones
 * just take fewer instructions. */
#if defined(__x86_64__)
#define WIDE __attribute__((target("avx2")))
static bool is_wide(void) { return __builtin_cpu_supports("avx2"); }
#else
#define WIDE
static bool is_wide(void) { return false; }
#endif

static inline __attribute__((always_inline)) double total(lanes x) { return (x[0] + x[2]) + (x[1] + x[3]); }

/* Four sums at a time: each waits for its own last addition only. */
static inline __attribute__((always_inline)) double dot(size_t n, const double a[], const double b[])
{
    lanes s0 = { 0 }, s1 = { 0 }, s2 = { 0 }, s3 = { 0 };
    size_t i = 0;
    for (; i + 4 * LANES <= n; i += 4 * LANES) {
        s0 += load(a + i) * load(b + i);
        s1 += load(a + i + LANES) * load(b + i + LANES);
        s2 += load(a + i + 2 * LANES) * load(b + i + 2 * LANES);
        s3 += load(a + i + 3 * LANES) * load(b + i + 3 * LANES);
    }
    for (; i + LANES <= n; i += LANES) s0 += load(a + i) * load(b + i);
    double rest = 0;
    for (; i < n; i++) rest += a[i] * b[i];
    return total((s0 + s2) + (s1 + s3)) + rest;
}

double sos_dot(size_t n, const double a[], const double b[]) { return dot(n, a, b); }

void sos_axpy(size_t n, double s, const double x[], double y[])
{
    for (size_t i = 0; i < n; i++) y[i] += s * x[i];
}

/* Four products with one row at a time: each row is loaded once for four. */
static void gram_row(size_t i, size_t n, const double A[], size_t stride, double G[], size_t rows)
{
    const double *a = A + i * stride;
    size_t j = 0;
    for (; j + 4 <= i + 1; j += 4) {
        const double *b0 = A + j * stride, *b1 = b0 + stride, *b2 = b1 + stride, *b3 = b2 + stride;
        lanes s0 = { 0 }, s1 = { 0 }, s2 = { 0 }, s3 = { 0 };
        size_t c = 0;
        for (; c + LANES <= n; c += LANES) {
            const lanes x = load(a + c);
            s0 += x * load(b0 + c);
            s1 += x * load(b1 + c);
            s2 += x * load(b2 + c);
            s3 += x * load(b3 + c);
        }
        double r0 = 0, r1 = 0, r2 = 0, r3 = 0;
        for (; c < n; c++) {
            r0 += a[c] * b0[c];
            r1 += a[c] * b1[c];
            r2 += a[c] * b2[c];
            r3 += a[c] * b3[c];
        }
        double *g = G + i * rows + j;
        g[0] += total(s0) + r0;
        g[1] += total(s1) + r1;
        g[2] += total(s2) + r2;
        g[3] += total(s3) + r3;
    }
    for (; j <= i; j++) G[i * rows + j] += dot(n, a, A + j * stride);
}

void sos_gram_add(size_t rows, size_t n, const double A[], size_t stride, double G[], int threads)
{
    if (!n) return;
    const bool many = rows * rows * n > 1 << 20;
    (void)threads, (void)many;
#pragma omp parallel for schedule(dynamic, 4) num_threads(threads) if (many)
    for (size_t i = 0; i < rows; i++) gram_row(i, n, A, stride, G, rows);
}

/* ---- Cholesky factor ----
 *
 * By panels of columns.  What earlier columns take away from a panel is a product of matrices, made tile by tile, so that each
 * number that is loaded serves several sums; it is nearly all of the work.  The rest of the panel follows row by row. */

enum { PANEL = 8, TILE_ROWS = 2, TILE_COLUMNS = 4 };

/* Rows i and i + 1, columns j ... j + 3: less the products of their first k numbers. */
static inline __attribute__((always_inline)) void tile(size_t n, double A[], size_t i, size_t j, size_t k)
{
    lanes s[TILE_ROWS][TILE_COLUMNS] = { { { 0 } } };
    double rest[TILE_ROWS][TILE_COLUMNS] = { { 0 } };
    const double *a = A + i * n, *b = A + j * n;
    size_t c = 0;
    for (; c + LANES <= k; c += LANES)
        for (size_t x = 0; x < TILE_ROWS; x++)
            for (size_t y = 0; y < TILE_COLUMNS; y++) s[x][y] += load(a + x * n + c) * load(b + y * n + c);
    for (; c < k; c++)
        for (size_t x = 0; x < TILE_ROWS; x++)
            for (size_t y = 0; y < TILE_COLUMNS; y++) rest[x][y] += a[x * n + c] * b[y * n + c];
    for (size_t x = 0; x < TILE_ROWS; x++)
        for (size_t y = 0; y < TILE_COLUMNS; y++) A[(i + x) * n + j + y] -= total(s[x][y]) + rest[x][y];
}

/* Columns from ... to of the rows from `from` on, less what the columns before take away.  Tiles may reach above the diagonal,
 * where nothing stands. */
static inline __attribute__((always_inline)) void panel_reduce(size_t n, double A[], size_t from, size_t to)
{
    size_t i = from;
    for (; i + TILE_ROWS <= n; i += TILE_ROWS) {
        size_t j = from;
        for (; j + TILE_COLUMNS <= to; j += TILE_COLUMNS) tile(n, A, i, j, from);
        for (; j < to; j++)
            for (size_t x = i; x < i + TILE_ROWS; x++) A[x * n + j] -= dot(from, A + x * n, A + j * n);
    }
    for (; i < n; i++)
        for (size_t j = from; j < to; j++) A[i * n + j] -= dot(from, A + i * n, A + j * n);
}

WIDE static void panel_reduce_wide(size_t n, double A[], size_t from, size_t to) { panel_reduce(n, A, from, to); }

void sos_cholesky(size_t n, double A[])
{
    const bool wide = is_wide();
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        if (A[i * n + i] > largest) largest = A[i * n + i];
    for (size_t from = 0; from < n; from += PANEL) {
        const size_t to = from + PANEL < n ? from + PANEL : n;
        double inverse[PANEL] = { 0 }; /* of the diagonal */
        if (wide)
            panel_reduce_wide(n, A, from, to);
        else
            panel_reduce(n, A, from, to);
        for (size_t i = from; i < n; i++) {
            double *row = A + i * n;
            for (size_t j = from; j < to && j < i; j++) {
                for (size_t k = from; k < j; k++) row[j] -= row[k] * A[j * n + k];
                row[j] *= inverse[j - from];
            }
            if (i >= to) continue;
            double pivot = row[i];
            for (size_t k = from; k < i; k++) pivot -= row[k] * row[k];
            row[i] = pivot > largest * 1e-30 && pivot > 0 ? __builtin_sqrt(pivot) : 1e64;
            inverse[i - from] = 1 / row[i];
        }
    }
}

void sos_solve_lower(size_t n, const double L[], double x[])
{
    for (size_t i = 0; i < n; i++) x[i] = (x[i] - dot(i, L + i * n, x)) / L[i * n + i];
}

/* Four right-hand sides at a time: each row of L is loaded once for all of them. */
static inline __attribute__((always_inline)) void solve_four(size_t n, const double L[], double *const x[4])
{
    for (size_t i = 0; i < n; i++) {
        const double *row = L + i * n;
        lanes s[4] = { { 0 } };
        double rest[4] = { 0 };
        size_t c = 0;
        for (; c + LANES <= i; c += LANES)
            for (size_t y = 0; y < 4; y++) s[y] += load(row + c) * load(x[y] + c);
        for (; c < i; c++)
            for (size_t y = 0; y < 4; y++) rest[y] += row[c] * x[y][c];
        for (size_t y = 0; y < 4; y++) x[y][i] = (x[y][i] - (total(s[y]) + rest[y])) / row[i];
    }
}

WIDE static void solve_four_wide(size_t n, const double L[], double *const x[4]) { solve_four(n, L, x); }

void sos_solve_lower_rows(size_t n, const double L[], size_t rows, double X[], size_t stride)
{
    const bool wide = is_wide();
    size_t r = 0;
    for (; r + 4 <= rows; r += 4) {
        double *const x[4] = { X + r * stride, X + (r + 1) * stride, X + (r + 2) * stride, X + (r + 3) * stride };
        if (wide)
            solve_four_wide(n, L, x);
        else
            solve_four(n, L, x);
    }
    for (; r < rows; r++) sos_solve_lower(n, L, X + r * stride);
}

void sos_solve_upper(size_t n, const double L[], double x[])
{
    for (size_t i = n; i-- > 0;) {
        x[i] /= L[i * n + i];
        for (size_t j = 0; j < i; j++) x[j] -= x[i] * L[i * n + j];
    }
}
