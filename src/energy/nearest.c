/* nearest.c - the submodular table nearest to one that is not. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "energy/energy.h"
#include "energy/submodular.h"

/* What is left of violations is lifted (math.md, 10.2): parts of the largest cost.  Sweeps take O(k^2 2^k); tables of 4 random
 * costs need tens of them, of 2^9 thousands. */
static const double ENOUGH = 0x1p-36;
enum { SWEEPS_MAX = 4000 };

/* A square of the cube: f(S+i) + f(S+j) - f(S+i+j) - f(S) >= 0 in the directions bi > bj. */
typedef struct square {
    uint32_t S, bi, bj;
} square;

static double lack(const double f[], const square *q)
{
    return (f[q->S | q->bi | q->bj] - f[q->S | q->bi]) - (f[q->S | q->bj] - f[q->S]);
}

/* Hildreth's step: the nearest f that satisfies this inequality, counted from f without what the inequality gave it before. */
static double step(double f[], const square *q, double *given)
{
    const double wanted = fmax(0, *given + lack(f, q) / 4), change = wanted - *given;
    f[q->S | q->bi] += change;
    f[q->S | q->bj] += change;
    f[q->S | q->bi | q->bj] -= change;
    f[q->S] -= change;
    *given = wanted;
    return fabs(change);
}

/* One step for each inequality, in order; the largest of the changes. */
static double sweep(size_t k, double f[], double given[])
{
    double most = 0;
    for (uint32_t i = 1; i < k; i++)
        for (uint32_t j = 0; j < i; j++)
            for (uint32_t S = 0; S < UINT32_C(1) << k; S++) {
                const square q = { S, UINT32_C(1) << i, UINT32_C(1) << j };
                if (S & (q.bi | q.bj)) continue;
                most = fmax(most, step(f, &q, given++));
            }
    return most;
}

/* To a grid of 2^-40 of the largest cost, where |S| (k - |S|) lifts every inequality by 2, exactly (math.md, 10.3). */
static void lift(size_t k, double f[], double largest)
{
    int exponent;
    frexp(largest, &exponent);
    for (uint32_t S = 0; S < UINT32_C(1) << k; S++) f[S] = rint(ldexp(f[S], 40 - exponent));
    const double c = ceil(fmax(0, sos_worst_violation(k, f).amount) / 2);
    for (uint32_t S = 0; S < UINT32_C(1) << k; S++) {
        const double ones = __builtin_popcount(S);
        f[S] = ldexp(f[S] + c * ones * ((double)k - ones), exponent - 40);
    }
}

sos_status sos_table_nearest(size_t k, const double f[], double nearest[], sos_error *error)
{
    if (k < 1 || k > SOS_TABLE_MEMBERS_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "a table of %zu members; 1 to %d are possible", k, SOS_TABLE_MEMBERS_MAX);
    if (!f || !nearest) return sos_fail(error, SOS_ERR_ARGUMENT, "no costs or no place for the nearest were given");
    const size_t entries = (size_t)1 << k;
    double largest;
    const sos_status status = sos_costs_check(entries, f, "table entry", &largest, error);
    if (status) return status;
    if (k < 2 || sos_worst_violation(k, f).amount <= 0) {
        memmove(nearest, f, entries * sizeof *f);
        return SOS_OK;
    }
    double *given = calloc(k * (k - 1) / 2 << (k - 2), sizeof *given);
    if (!given) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the inequalities of %zu members", k);
    memmove(nearest, f, entries * sizeof *f);
    for (int s = 0; s < SWEEPS_MAX && sweep(k, nearest, given) > ENOUGH * largest; s++) continue;
    lift(k, nearest, largest);
    free(given);
    return SOS_OK;
}
