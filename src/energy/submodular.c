#include "energy/submodular.h"

#include <float.h>
#include <math.h>

#include "energy/pieces.h"

/* f is submodular iff no square of the cube violates it: for every S without i and j,
 *     f(S+i) + f(S+j) >= f(S+i+j) + f(S).                                                                    (math.md, 2)
 * O(k^2 2^k); the definition costs O(4^k). */
static double square(const double f[], uint32_t S, uint32_t bi, uint32_t bj)
{
    return (f[S | bi | bj] - f[S | bi]) - (f[S | bj] - f[S]);
}

/* The worst of all squares in the directions i > j.  The innermost loop runs over consecutive entries. */
static double worst_in(size_t k, const double f[], uint32_t bi, uint32_t bj)
{
    double worst = -INFINITY;
    for (uint32_t high = 0; high < UINT32_C(1) << k; high += 2 * bi)
        for (uint32_t middle = high; middle < high + bi; middle += 2 * bj)
            for (uint32_t S = middle; S < middle + bj; S++) {
                const double amount = square(f, S, bi, bj);
                worst = amount > worst ? amount : worst;
            }
    return worst;
}

sos_violation sos_worst_violation(size_t k, const double f[])
{
    sos_violation worst = { -INFINITY, 0, 0, 0 };
    for (unsigned i = 0; i < k; i++)
        for (unsigned j = 0; j < i; j++) {
            const double amount = worst_in(k, f, UINT32_C(1) << i, UINT32_C(1) << j);
            if (amount > worst.amount) worst = (sos_violation){ amount, 0, j, i };
        }
    if (k < 2) return worst;
    const uint32_t bi = UINT32_C(1) << worst.j, bj = UINT32_C(1) << worst.i; /* in the order that found it */
    while (worst.S & (bi | bj) || square(f, worst.S, bi, bj) != worst.amount) worst.S++;
    return worst;
}

double sos_violation_tolerance(double largest) { return 16 * DBL_EPSILON * largest; }

/* Costs beyond this could overflow when four of them are added. */
static const double LARGEST_COST = DBL_MAX / 16;

sos_status sos_costs_check(size_t count, const double f[], const char *what, double *largest, sos_error *error)
{
    *largest = 0;
    for (size_t S = 0; S < count; S++) {
        if (!isfinite(f[S])) return sos_fail(error, SOS_ERR_ARGUMENT, "%s %zu is %g, not a finite cost", what, S, f[S]);
        if (fabs(f[S]) > LARGEST_COST) return sos_fail(error, SOS_ERR_RANGE, "%s %zu is %g, too large", what, S, f[S]);
        *largest = fmax(*largest, fabs(f[S]));
    }
    return SOS_OK;
}

sos_status sos_table_check(size_t k, const double f[], sos_error *error)
{
    double largest;
    const sos_status status = sos_costs_check((size_t)1 << k, f, "table entry", &largest, error);
    if (status) return status;
    const sos_violation v = sos_worst_violation(k, f);
    if (v.amount <= sos_violation_tolerance(largest)) return SOS_OK;
    return sos_fail(error, SOS_ERR_NOT_SUBMODULAR,
                    "table is not submodular: with S = %u, i = %u, j = %u, f(S+i) + f(S+j) is less than f(S+i+j) + f(S) by %g",
                    (unsigned)v.S, v.i, v.j, v.amount);
}

sos_status sos_concave_check(size_t k, const double g[], sos_error *error)
{
    return sos_count_values_check(&(sos_count_function){ k + 1, NULL, g }, error);
}
