#include "learn/dense.h"

#include <string.h>

typedef double lanes __attribute__((vector_size(32)));
enum { LANES = 4 };

static inline __attribute__((always_inline)) lanes load(const double *p)
{
    lanes x;
    memcpy(&x, p, sizeof x);
    return x;
}

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

void sos_cholesky(size_t n, double A[])
{
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        if (A[i * n + i] > largest) largest = A[i * n + i];
    for (size_t i = 0; i < n; i++) {
        double *row = A + i * n;
        for (size_t j = 0; j < i; j++) row[j] = (row[j] - dot(j, row, A + j * n)) / A[j * n + j];
        const double pivot = row[i] - dot(i, row, row);
        row[i] = pivot > largest * 1e-30 && pivot > 0 ? __builtin_sqrt(pivot) : 1e64;
    }
}

void sos_solve_lower(size_t n, const double L[], double x[])
{
    for (size_t i = 0; i < n; i++) x[i] = (x[i] - dot(i, L + i * n, x)) / L[i * n + i];
}

void sos_solve_upper(size_t n, const double L[], double x[])
{
    for (size_t i = n; i-- > 0;) {
        x[i] /= L[i * n + i];
        for (size_t j = 0; j < i; j++) x[j] -= x[i] * L[i * n + j];
    }
}
