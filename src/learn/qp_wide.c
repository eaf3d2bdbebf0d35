/* qp_wide.c - quadratic programs with numbers of 128 bits, of which 113 are digits: for programs so stiff that doubles lose the
 * terms that matter among those that cancel, such as C = 1e15, or features of 1e8 beside others of 1.
 *
 * IEEE binary128 gives the same bits wherever it is: in software on x86-64 and POWER, as long double on others of 64 bits. */
#include <float.h>
#include <stddef.h>

#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 wide;
#define HAS_WIDE 1
#elif LDBL_MANT_DIG == 113
typedef long double wide;
#define HAS_WIDE 1
#else
#define HAS_WIDE 0
#endif

#if HAS_WIDE

static wide plane_dot(size_t n, const double a[], const wide b[])
{
    wide sum = 0;
    for (size_t i = 0; i < n; i++)
        if (a[i] != 0) sum += a[i] * b[i];
    return sum;
}

static wide planes_dot(size_t n, const double a[], const double b[])
{
    wide sum = 0;
    for (size_t i = 0; i < n; i++)
        if (a[i] != 0 && b[i] != 0) sum += (wide)a[i] * b[i];
    return sum;
}

static wide real_dot(size_t n, const wide a[], const wide b[])
{
    wide sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void plane_axpy(size_t n, wide s, const double x[], wide y[])
{
    for (size_t i = 0; i < n; i++)
        if (x[i] != 0) y[i] += s * x[i];
}

static void real_axpy(size_t n, wide s, const wide x[], wide y[])
{
    for (size_t i = 0; i < n; i++) y[i] += s * x[i];
}

static void gram_add(size_t rows, size_t n, const wide A[], size_t stride, wide G[], int threads)
{
    (void)threads;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (rows * rows * n > 1 << 12)
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j <= i; j++) G[i * rows + j] += real_dot(n, A + i * stride, A + j * stride);
}

static void solve_lower(size_t n, const wide L[], wide x[])
{
    for (size_t i = 0; i < n; i++) x[i] = (x[i] - real_dot(i, L + i * n, x)) / L[i * n + i];
}

static void solve_lower_rows(size_t n, const wide L[], size_t rows, wide X[], size_t stride)
{
    for (size_t r = 0; r < rows; r++) solve_lower(n, L, X + r * stride);
}

static void solve_upper(size_t n, const wide L[], wide x[])
{
    for (size_t i = n; i-- > 0;) {
        x[i] /= L[i * n + i];
        for (size_t j = 0; j < i; j++) x[j] -= x[i] * L[i * n + j];
    }
}

/* From the root of doubles, by two steps of Newton: 16 digits, 32, 64.  x is within their range. */
static wide root(wide x)
{
    wide y = __builtin_sqrt((double)x);
    for (int step = 0; step < 2; step++) y = (y + x / y) / 2;
    return y;
}

/* As sos_cholesky, by rows. */
static void cholesky(size_t n, wide A[])
{
    wide largest = 0;
    for (size_t i = 0; i < n; i++)
        if (A[i * n + i] > largest) largest = A[i * n + i];
    for (size_t i = 0; i < n; i++) {
        wide *row = A + i * n;
        for (size_t j = 0; j < i; j++) row[j] = (row[j] - real_dot(j, row, A + j * n)) / A[j * n + j];
        const wide pivot = row[i] - real_dot(i, row, row);
        row[i] = pivot > largest * 1e-60 && (double)pivot > 0 ? root(pivot) : 1e128;
    }
}

#define REAL         wide
#define REAL_MAX     ((wide)DBL_MAX)
#define REAL_IS_WIDE 1
#include "learn/qp_interior.h"

/* Multiplications of an iteration: a wide one takes about 50 ns, and there are up to 300 iterations. */
static const double WORK_MAX = 1e6;

bool sos_qp_has_wide(const sos_qp *qp, size_t count)
{
    const double m = (double)count;
    double work = m * m * m / 6 + m * m / 2 * (double)qp->cone->weights;
    for (size_t b = 0; b < qp->cone->block_count; b++) {
        const double p = (double)qp->cone->blocks[b].pattern->size;
        work += p * p * p / 6 + m * p * p / 2;
    }
    return work <= WORK_MAX;
}

sos_status sos_qp_solve_wide(sos_qp *qp, size_t count, sos_qp_plane planes[], sos_error *error)
{
    return interior_solve(qp, count, planes, error);
}

#else

#include "learn/qp_solve.h"

bool sos_qp_has_wide(const sos_qp *qp, size_t count)
{
    (void)qp, (void)count;
    return false;
}

sos_status sos_qp_solve_wide(sos_qp *qp, size_t count, sos_qp_plane planes[], sos_error *error)
{
    return sos_qp_solve_double(qp, count, planes, error);
}

#endif
