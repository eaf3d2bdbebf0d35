/* network_scale.c - the costs of a network as integers (math.md, 6). */
#include "minimize/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* How large integers could grow that the flow handles, as costs (math.md, 6). */
typedef struct extent {
    double largest; /* of what a clique or node can hold */
    bool integers;  /* all costs and weights are */
} extent;

static void extend(extent *x, double bound, bool integers)
{
    x->largest = fmax(x->largest, bound);
    x->integers &= integers;
}

static extent cost_extent(const sos_network *net, const sos_energy *e)
{
    extent x = { 0, true };
    double unary = 0, share = 0; /* what a node gets from its unary, and from one place */
    bool integers = true;
    for (size_t i = 0; i < e->n; i++) {
        const double u = e->unary[2 * i + 1] - e->unary[2 * i];
        unary = fmax(unary, fabs(u));
        integers &= u == rint(u);
    }
    extend(&x, unary, integers);
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX; k++) {
        const sos_pool *pool = &e->pools[k];
        if (!pool->count) continue;
        double marginal = 0, largest = 0;
        integers = pool->integer_weights;
        for (size_t t = 0; t < e->table_count; t++) {
            if (e->tables[t].k != k || !e->tables[t].uses) continue;
            marginal = fmax(marginal, e->tables[t].marginal);
            largest = fmax(largest, e->tables[t].largest);
            integers &= e->tables[t].integers;
        }
        /* f(S) - f({}) - alpha(S) with |alpha_i| at most the largest marginal. */
        extend(&x, pool->largest_weight * (2 * largest + (double)k * marginal), integers);
        share = fmax(share, pool->largest_weight * marginal);
        if (k == 1) unary += (double)pool->count * share; /* all of them on one variable, at worst */
    }
    uint32_t degree = 0;
    for (uint32_t v = 0; v < net->variables; v++) {
        const uint32_t d = net->first[v + 1] - net->first[v];
        if (d > degree) degree = d;
    }
    for (size_t i = 0; i < e->concave_count; i++) {
        const sos_concave_clique *c = &e->concaves[i];
        integers = c->weight == rint(c->weight);
        double step = 0;
        for (size_t m = 0; m <= c->k; m++) {
            integers &= c->g[m] == rint(c->g[m]);
            if (m) step = fmax(step, fabs(c->g[m] - c->g[m - 1]));
        }
        step *= c->weight;
        extend(&x, 4 * (double)c->k * step, integers);
        share = fmax(share, 2 * step);
        unary += step;
    }
    extend(&x, unary + (double)degree * share, true);
    return x;
}

/* Whether every cost is an integer at this exponent. */
static bool all_exact(const sos_energy *e, int exponent)
{
    const double a = ldexp(1, exponent / 2), b = ldexp(1, exponent - exponent / 2);
    bool exact = true;
    for (size_t i = 0; i < e->n; i++) {
        const double u = (e->unary[2 * i + 1] - e->unary[2 * i]) * a * b;
        exact &= u == rint(u);
    }
    for (size_t t = 0; exact && t < e->table_count; t++) {
        const double *f = sos_table_costs(e, (uint32_t)t);
        for (size_t S = 0; e->tables[t].uses && S < (size_t)1 << e->tables[t].k; S++) {
            const double scaled = (f[S] - f[0]) * a * b;
            exact &= scaled == rint(scaled);
        }
    }
    return exact;
}

static bool all_weights_integers(const sos_energy *e, size_t least_k)
{
    for (size_t k = least_k; k <= SOS_TABLE_MEMBERS_MAX; k++)
        if (e->pools[k].count && !e->pools[k].integer_weights) return false;
    return true;
}

/* Integers are doubled, so that halving a sum of two costs stays exact; else as many bits as fit.  The largest integer stays
 * below 2^30 or 2^61. */
static sos_scaling choose_scaling(extent x, const sos_network *net, const sos_energy *e, int bits)
{
    int size = 0; /* largest < 2^size */
    if (x.largest > 0) frexp(x.largest, &size);
    sos_scaling s = { .bits = 64, .exponent = 61 - size };
    const bool fractions = !bits && !x.integers && !e->concave_count && all_weights_integers(e, 1);
    if (x.integers && 1 + size <= 30 && bits != 64)
        s = (sos_scaling){ .bits = 32, .exponent = 1 };
    else if (bits == 32 || (fractions && all_exact(e, 29 - size)))
        s = (sos_scaling){ .bits = 32, .exponent = 30 - size };
    else if (x.integers && 1 + size <= 61)
        s = (sos_scaling){ .bits = 64, .exponent = 1 };
    if (net->weight) {
        double largest = 0;
        for (size_t k = 3; k <= SOS_TABLE_MEMBERS_MAX; k++)
            if (e->pools[k].weights) largest = fmax(largest, e->pools[k].largest_weight);
        frexp(largest, &size);
        if (!all_weights_integers(e, 3) || size > 30) s.weight_exponent = (s.bits == 32 ? 12 : 26) - size;
    }
    return s;
}

int64_t sos_network_integer(const sos_network *net, double cost, double *rounding)
{
    const double scaled = cost * net->scale_up * net->scale_on, rounded = rint(scaled);
    *rounding += fabs(scaled - rounded);
    return (int64_t)rounded;
}

/* f(S+i+j) + f(S) - f(S+i) - f(S+j) at its worst, 0 if nothing is violated. */
static int64_t worst_violation(size_t k, const int64_t F[])
{
    int64_t worst = 0;
    for (uint32_t bi = 2; bi < UINT32_C(1) << k; bi <<= 1)
        for (uint32_t bj = 1; bj < bi; bj <<= 1)
            for (uint32_t high = 0; high < UINT32_C(1) << k; high += 2 * bi)
                for (uint32_t middle = high; middle < high + bi; middle += 2 * bj)
                    for (uint32_t S = middle; S < middle + bj; S++) {
                        const int64_t violation = F[S | bi | bj] + F[S] - F[S | bi] - F[S | bj];
                        worst = violation > worst ? violation : worst;
                    }
    return worst;
}

/* Rounds a table and, if that broke an inequality, lifts it back into the cone: adding c |S| (k - |S|) raises the slack of
 * every square by 2 c.  Returns by how much an entry may have moved. */
static double round_table(size_t k, const double f[], int exponent, int64_t F[])
{
    const uint32_t entries = UINT32_C(1) << k;
    const double a = ldexp(1, exponent / 2), b = ldexp(1, exponent - exponent / 2);
    double moved = 0;
    for (uint32_t S = 0; S < entries; S++) {
        const double scaled = (f[S] - f[0]) * a * b, rounded = rint(scaled), off = fabs(scaled - rounded);
        moved = off > moved ? off : moved;
        F[S] = (int64_t)rounded;
    }
    const int64_t worst = worst_violation(k, F);
    if (!worst) return moved;
    const int64_t lift = (worst + 1) / 2;
    for (uint32_t S = 0; S < entries; S++) {
        const int64_t ones = __builtin_popcount(S);
        F[S] += lift * ones * ((int64_t)k - ones);
    }
    return moved + (double)lift * (double)(k * k) / 4;
}

/* The entries of doubled integer tables are even and never lifted; those of other tables are made even, for the same use. */
static double scale_table(size_t k, const double f[], int exponent, int64_t F[])
{
    const double moved = round_table(k, f, exponent - 1, F);
    for (uint32_t S = 0; S < UINT32_C(1) << k; S++) F[S] *= 2;
    return 2 * moved;
}

/* Weights of cliques of 3 and more members as integers.  Returns the sum over cliques of what rounding a weight can do. */
static double scale_weights(sos_network *net, const sos_energy *e)
{
    double rounding = 0;
    uint32_t c = 0;
    for (size_t k = 2; k <= SOS_TABLE_MEMBERS_MAX; k++) {
        const sos_pool *pool = &e->pools[k];
        for (size_t i = 0; i < pool->count; i++, c++) {
            const double w = k > 2 && pool->weights ? pool->weights[i] : 1;
            const double scaled = ldexp(w, net->scaling.weight_exponent), rounded = rint(scaled);
            net->weight[c] = (int32_t)rounded;
            if (scaled == rounded || k == 2) continue;
            const sos_table *t = &e->tables[pool->tables[i]];
            rounding += fabs(scaled - rounded) * ldexp(2 * t->largest, net->scaling.exponent - net->scaling.weight_exponent);
        }
    }
    return rounding;
}

/* What slopes of concave cliques that were taken for equal can do to any labelling. */
static double dropped_slopes(const sos_energy *e)
{
    double dropped = 0;
    for (size_t i = 0; i < e->concave_count; i++) {
        const sos_concave_clique *c = &e->concaves[i];
        const double tolerance = sos_slope_tolerance(c);
        for (size_t t = 1; t < c->k; t++) {
            const double change = sos_slope_change(c, t);
            if (change <= tolerance) dropped += c->weight * fabs(change) * (double)t;
        }
    }
    return dropped;
}

sos_status sos_network_scale(sos_network *net, const sos_energy *e, int bits, size_t limit, sos_error *error)
{
    const size_t needed = e->costs_count * sizeof *net->table;
    if (limit && net->used + needed > limit)
        return sos_fail(error, SOS_ERR_MEMORY, "the tables take %zu bytes more, over the limit of %zu", needed, limit);
    if (limit && net->table_room > e->costs_count) {
        free(net->table);
        net->table = NULL;
        net->table_room = 0;
    }
    if (!sos_grow(&net->table, &net->table_room, e->costs_count))
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for the integers of %zu tables", e->table_count);

    const extent x = cost_extent(net, e);
    if (!isfinite(x.largest))
        return sos_fail(error, SOS_ERR_RANGE, "costs and weights are so large that their products or sums are no numbers");
    net->scaling = choose_scaling(x, net, e, bits);
    const int exponent = net->scaling.exponent;
    net->scale_up = ldexp(1, exponent / 2);
    net->scale_on = ldexp(1, exponent - exponent / 2);
    net->rounding = 0;
    net->dropped = dropped_slopes(e);
    double moved[SOS_TABLE_MEMBERS_MAX + 1] = { 0 };
    const int table_exponent = exponent - net->scaling.weight_exponent;
    for (size_t t = 0; t < e->table_count; t++) {
        const sos_table *table = &e->tables[t];
        if (table->k < 3) continue; /* pairs and unaries are rounded clique by clique */
        if (!table->uses) {
            memset(net->table + table->offset, 0, sizeof *net->table << table->k);
            continue;
        }
        const double m = scale_table(table->k, e->costs + table->offset, table_exponent, net->table + table->offset);
        moved[table->k] = fmax(moved[table->k], m);
    }
    if (net->weight) net->rounding += scale_weights(net, e);
    for (size_t k = 3; k <= SOS_TABLE_MEMBERS_MAX; k++)
        if (e->pools[k].count)
            net->rounding += (double)e->pools[k].count * moved[k] *
                             ldexp(e->pools[k].largest_weight, net->scaling.weight_exponent);
    return SOS_OK;
}

static int64_t piece_integer(const sos_network *net, const sos_energy *e, const sos_piece *p, double *rounding)
{
    return sos_network_integer(net, e->concaves[p->clique].weight * p->beta, rounding);
}

sos_pair sos_network_pair(const sos_network *net, const sos_energy *e, uint32_t c, double *rounding)
{
    if (c >= net->table_cliques) {
        const uint32_t node = net->member[sos_network_start(net, c) + 1];
        return (sos_pair){ piece_integer(net, e, &net->pieces[node - net->variables], rounding), 0, 0 };
    }
    const double *f = sos_table_costs(e, net->table_of[c]), w = e->pools[2].weights ? e->pools[2].weights[c] : 1;
    sos_pair p = { sos_network_integer(net, w * (f[1] - f[0]), rounding), sos_network_integer(net, w * (f[2] - f[0]), rounding),
                   sos_network_integer(net, w * (f[3] - f[0]), rounding) };
    if (p.one + p.two < p.both) {
        *rounding += (double)(p.both - p.one - p.two);
        p.one = p.both - p.two;
    }
    return p;
}

void sos_network_unaries(const sos_network *net, const sos_energy *e, int64_t unary[], double *rounding)
{
    for (uint32_t v = 0; v < net->variables; v++)
        unary[v] = sos_network_integer(net, e->unary[2 * v + 1] - e->unary[2 * v], rounding);
    const sos_pool *ones = &e->pools[1];
    for (size_t c = 0; c < ones->count; c++) {
        const double *f = sos_table_costs(e, ones->tables[c]);
        unary[ones->variables[c]] += sos_network_integer(net, (ones->weights ? ones->weights[c] : 1) * (f[1] - f[0]), rounding);
    }
    for (size_t i = 0; i < e->concave_count; i++) {
        const sos_concave_clique *c = &e->concaves[i];
        double once = 0;
        const int64_t slope = sos_network_integer(net, c->weight * (c->g[c->k] - c->g[c->k - 1]), &once);
        *rounding += once * (double)c->k;
        for (size_t q = 0; q < c->k; q++) unary[c->variables[q]] += slope;
    }
    for (uint32_t v = net->variables; v < net->nodes; v++) {
        const sos_piece *p = &net->pieces[v - net->variables];
        double once = 0;
        unary[v] = piece_integer(net, e, p, &once) * p->t;
        *rounding += once * p->t;
    }
}

double sos_network_base_energy(const sos_energy *e)
{
    enum { CHUNK = 256 }; /* as in sos_energy_value */
    double total = e->constant;
    for (size_t i = 0; i < e->n;) {
        const size_t end = e->n - i < CHUNK ? e->n : i + CHUNK;
        double sum = 0;
        for (; i < end; i++) sum += e->unary[2 * i];
        total += sum;
    }
    for (size_t t = 0; t < e->table_count; t++) {
        const sos_table *table = &e->tables[t];
        if (!e->pools[table->k].weights) total += (double)table->uses * sos_table_costs(e, (uint32_t)t)[0];
    }
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX; k++) {
        const sos_pool *pool = &e->pools[k];
        for (size_t c = 0; pool->weights && c < pool->count; c++)
            total += pool->weights[c] * sos_table_costs(e, pool->tables[c])[0];
    }
    for (size_t c = 0; c < e->concave_count; c++) total += e->concaves[c].weight * e->concaves[c].g[0];
    return total;
}
