/* network_scale.c - the costs of a network as integers (math.md, 6). */
#include "minimize/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "minimize/knots.h"

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

/* The concave clique with chosen knots that a place of a variable belongs to, or UINT32_MAX. */
static uint32_t chosen_clique(const sos_network *net, uint32_t place)
{
    const uint32_t c = place >> SOS_POSITION_BITS;
    if (c < net->table_cliques) return UINT32_MAX;
    const sos_piece *p = &net->pieces[net->member[sos_network_start(net, c) + 1] - net->variables];
    return p->integer == SOS_BY_BETA ? UINT32_MAX : p->clique;
}

/* Places of a variable, those of a clique with chosen knots counted as one, however many there are: its pieces have together no
 * more than the change of slope of all of it, and the scale must not depend on the choice. */
static uint32_t own_degree(const sos_network *net, uint32_t v)
{
    uint32_t degree = net->first[v + 1] - net->first[v], last = UINT32_MAX;
    for (uint32_t a = net->first[v]; a < net->first[v + 1]; a++) {
        const uint32_t clique = chosen_clique(net, net->places[a]);
        degree -= clique != UINT32_MAX && clique == last;
        last = clique;
    }
    return degree;
}

static uint32_t largest_degree(const sos_network *net)
{
    uint32_t most = 0;
    if (!net->knots_count || net->lists) return net->most_places;
    const int threads = sos_network_threads(net, net->variables);
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(max : most)
    for (uint32_t v = 0; v < net->variables; v++) {
        const uint32_t degree = own_degree(net, v);
        most = degree > most ? degree : most;
    }
    return most;
}

static extent cost_extent(const sos_network *net, const sos_energy *e, const sos_unary_facts *unaries)
{
    double unary = fmax(unaries->largest, net->clamp), share = 0; /* what a node gets from its unary, and from one place */
    extent x = { unary, unaries->whole && sos_is_whole(net->clamp) };
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX; k++) {
        const sos_pool *pool = &e->pools[k];
        if (!pool->count) continue;
        double marginal = 0, largest = 0;
        bool integers = pool->integer_weights;
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
    for (size_t i = 0; i < e->concave_count; i++) {
        const sos_concave_clique *c = &e->concaves[i];
        const double slope = c->weight * c->steepest, step = slope * c->largest;
        extend(&x, 4 * c->total * slope, c->integers && sos_is_whole(c->weight));
        share = fmax(share, 2 * step);
        unary += step;
    }
    extend(&x, unary + (double)largest_degree(net) * share, true);
    return x;
}

/* Whether every cost is an integer at this exponent. */
static bool all_exact(const sos_energy *e, int exponent)
{
    const sos_scale scale = sos_scale_of(exponent);
    bool exact = true;
    for (size_t i = 0; exact && i < e->n; i++) exact = sos_is_whole_at(e->unary[2 * i + 1] - e->unary[2 * i], scale);
    for (size_t t = 0; exact && t < e->table_count; t++) {
        const double *f = sos_table_costs(e, (uint32_t)t);
        for (size_t S = 0; e->tables[t].uses && S < (size_t)1 << e->tables[t].k; S++)
            exact &= sos_is_whole_at(f[S] - f[0], scale);
    }
    for (size_t c = 0; exact && c < e->concave_count; c++) {
        const sos_count_function *f = &e->concaves[c].hull;
        exact = !e->concaves[c].products;
        for (size_t j = 1; exact && j < f->knots; j++)
            exact = sos_is_whole_at(sos_count_slope(f, j), scale) && (!f->place || sos_count_slope_off(f, j) == 0);
    }
    return exact;
}

static bool all_weights_integers(const sos_energy *e, size_t least_k)
{
    for (size_t k = least_k; k <= SOS_TABLE_MEMBERS_MAX; k++)
        if (e->pools[k].count && !e->pools[k].integer_weights) return false;
    return true;
}

/* Are all costs multiples of 2^-exponent, and no integers? */
static bool has_exact_fractions(const extent *x, const sos_energy *e, int exponent)
{
    return !x->integers && !e->concave_count && all_weights_integers(e, 1) && all_exact(e, exponent);
}

/* Integers are doubled, so that halving a sum of two costs stays exact; else as many bits as fit.  The largest integer stays
 * below 2^30 or 2^61. */
static sos_scaling choose_scaling(const extent *x, const sos_network *net, const sos_energy *e, int bits)
{
    int size = 0; /* largest < 2^size */
    if (x->largest > 0) frexp(x->largest, &size);
    sos_scaling s = { .bits = 64, .exponent = 61 - size };
    if (x->integers && 1 + size <= 30 && bits != 64)
        s = (sos_scaling){ .bits = 32, .exponent = 1 };
    else if (bits == 32 || (!bits && has_exact_fractions(x, e, 29 - size)))
        s = (sos_scaling){ .bits = 32, .exponent = 30 - size };
    else if (x->integers && 1 + size <= 61)
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

/* By how much rounding moves a cost that became scaled, which is no exact product where it is hardly a number any more. */
static inline double moved_by(double cost, double scaled, double rounded)
{
    const double moved = fabs(scaled - rounded);
    return fabs(scaled) < DBL_MIN && cost != 0 ? moved + DBL_TRUE_MIN : moved;
}

int64_t sos_network_integer(const sos_network *net, double cost, double *rounding)
{
    const double scaled = cost * net->scale.up * net->scale.on, rounded = sos_rounded(scaled);
    const double moved = moved_by(cost, scaled, rounded);
    if (moved > 0) *rounding += moved; /* whole costs do not wait for the sum */
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
    const sos_scale scale = sos_scale_of(exponent);
    double moved = 0;
    for (uint32_t S = 0; S < entries; S++) {
        const double scaled = (f[S] - f[0]) * scale.up * scale.on, rounded = sos_rounded(scaled);
        const double by = moved_by(f[S] - f[0], scaled, rounded);
        moved = by > moved ? by : moved;
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

/* Weights of cliques of 3 and more members as integers.  Returns the sum over cliques of what rounding a weight can do to the
 * integers of their tables, which have moved by so much, by size. */
static double scale_weights(sos_network *net, const sos_energy *e, const double moved[])
{
    const int table_exponent = net->scaling.exponent - net->scaling.weight_exponent;
    double rounding = 0;
    uint32_t c = 0;
    for (size_t k = 2; k <= SOS_TABLE_MEMBERS_MAX; k++) {
        const sos_pool *pool = &e->pools[k];
        for (size_t i = 0; i < pool->count; i++, c++) {
            const double w = k > 2 && pool->weights ? pool->weights[i] : 1;
            const double scaled = ldexp(w, net->scaling.weight_exponent), rounded = sos_rounded(scaled);
            net->weight[c] = (int32_t)rounded;
            const double by = moved_by(w, scaled, rounded);
            if (by == 0 || k == 2) continue;
            const sos_table *t = &e->tables[pool->tables[i]];
            rounding += by * (sos_rounded_up(ldexp(t->largest, table_exponent)) + moved[k]) + DBL_TRUE_MIN;
        }
    }
    return rounding;
}

/* Is no product of a weight and a cost rounded?  So it is where no weight is a fraction, and all costs are multiples of one
 * power of two, of which products have at most 2^53. */
static bool has_exact_products(const extent *x, const sos_energy *e)
{
    if (x->integers && x->largest <= 0x1p53) return true;
    bool any = e->pools[1].weights || e->pools[2].weights, integers = all_weights_integers(e, 1);
    for (size_t c = 0; c < e->concave_count; c++) {
        any |= e->concaves[c].weight != 1 || e->concaves[c].products;
        integers &= sos_is_whole(e->concaves[c].weight);
    }
    int size = 0;
    if (x->largest > 0) frexp(x->largest, &size);
    return !any || (integers && all_exact(e, 53 - size));
}

/* A bound on what rounding does to the product of a weight and a cost of at most that size.  A weight that is a power of two
 * changes no digit. */
static double product_lost(double weight, double size)
{
    int exponent;
    if (weight == 0 || size == 0 || (weight >= 1 && frexp(weight, &exponent) == 0.5)) return 0;
    return weight * size * (DBL_EPSILON / 2) + DBL_TRUE_MIN;
}

/* What doubles lost in cliques with tables: in differences, and in products of a weight and a cost.  exact: in no product.
 * Products of 3 and more members are products of integers. */
static double tables_lost(const sos_energy *e, bool exact)
{
    double lost = 0, off = 0;
    for (size_t t = 0; t < e->table_count; t++) {
        if (!e->pools[e->tables[t].k].weights) lost += (double)e->tables[t].uses * e->tables[t].off;
        off = fmax(off, e->tables[t].off);
    }
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX && !(exact && off == 0); k++) {
        const sos_pool *pool = &e->pools[k];
        for (size_t c = 0; pool->weights && c < pool->count; c++) {
            const sos_table *t = &e->tables[pool->tables[c]];
            const double w = pool->weights[c], product = exact || k > 2 ? 0 : product_lost(w, t->largest);
            if (w > 0) lost += w * t->off + product + (t->off > 0 ? DBL_TRUE_MIN : 0);
        }
    }
    return lost;
}

static double concaves_lost(const sos_energy *e, bool exact)
{
    double lost = 0;
    for (size_t i = 0; i < e->concave_count; i++) {
        const sos_concave_clique *c = &e->concaves[i];
        double products = exact ? 0 : product_lost(c->weight, c->bulk), many = (double)c->k * (double)c->f.knots;
        if (c->products) { /* of three numbers, the last of which may be large */
            products = 2 * DBL_EPSILON * c->weight * c->bulk;
            many *= 1 + c->total;
        }
        if (c->weight > 0 && (c->off > 0 || products > 0)) lost += c->weight * c->off + products + many * DBL_TRUE_MIN;
    }
    return lost;
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

    const sos_unary_facts unaries = sos_network_unary_facts(net, e);
    const extent x = cost_extent(net, e, &unaries);
    if (!isfinite(x.largest))
        return sos_fail(error, SOS_ERR_RANGE, "costs and weights are so large that their products or sums are no numbers");
    net->scaling = choose_scaling(&x, net, e, bits);
    const int exponent = net->scaling.exponent;
    net->scale = sos_scale_of(exponent);
    net->rounding = 0;
    const bool exact = has_exact_products(&x, e);
    net->lost = unaries.off + tables_lost(e, exact) + concaves_lost(e, exact);
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
    if (net->weight) net->rounding += scale_weights(net, e, moved);
    for (size_t k = 3; k <= SOS_TABLE_MEMBERS_MAX; k++)
        if (e->pools[k].count)
            net->rounding += (double)e->pools[k].count * moved[k] *
                             ldexp(e->pools[k].largest_weight, net->scaling.weight_exponent);
    sos_knots_scale(net, e);
    return SOS_OK;
}

/* What a slope of a concave clique makes the member q pay: the product of integers where amounts are whole. */
static int64_t member_integer(const sos_network *net, const sos_concave_clique *c, double slope, size_t q, double *rounding)
{
    const double amount = c->amounts ? c->amounts[q] : 1;
    if (!c->whole) return sos_network_integer(net, c->weight * slope * amount, rounding);
    double once = 0;
    const int64_t x = sos_network_integer(net, c->weight * slope, &once);
    *rounding += once * amount;
    return x * (int64_t)amount;
}

int64_t sos_network_unit(const sos_network *net, const sos_energy *e, const sos_piece *p, double *rounding)
{
    return p->integer == SOS_BY_BETA ? sos_network_integer(net, e->concaves[p->clique].weight * p->beta, rounding) : p->integer;
}

/* What the node of a piece pays. */
static int64_t place_integer(const sos_network *net, const sos_concave_clique *c, const sos_piece *p, double *rounding)
{
    if (p->integer != SOS_BY_BETA) return p->integer * (int64_t)p->place;
    if (c->products) return sos_network_integer(net, c->weight * p->beta * p->place, rounding);
    double once = 0;
    const int64_t x = sos_network_integer(net, c->weight * p->beta, &once);
    *rounding += once * p->place;
    return x * (int64_t)p->place;
}

sos_pair sos_network_pair(const sos_network *net, const sos_energy *e, uint32_t c, double *rounding)
{
    if (c >= net->table_cliques) {
        const sos_piece *p = &net->pieces[net->member[sos_network_start(net, c) + 1] - net->variables];
        const sos_concave_clique *g = &e->concaves[p->clique];
        const size_t q = c - p->first;
        if (p->integer == SOS_BY_BETA) return (sos_pair){ member_integer(net, g, p->beta, q, rounding), 0, 0 };
        return (sos_pair){ p->integer * (g->amounts ? (int64_t)g->amounts[q] : 1), 0, 0 };
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
    sos_network_round_unaries(net, e, unary, rounding);
    const sos_pool *ones = &e->pools[1];
    for (size_t c = 0; c < ones->count; c++) {
        const double *f = sos_table_costs(e, ones->tables[c]);
        unary[ones->variables[c]] += sos_network_integer(net, (ones->weights ? ones->weights[c] : 1) * (f[1] - f[0]), rounding);
    }
    size_t chosen = 0;
    for (size_t i = 0; i < e->concave_count; i++) {
        const sos_concave_clique *c = &e->concaves[i];
        const double slope = sos_last_slope(c);
        const bool choose = sos_knots_are_of(net, chosen, i);
        double once = 0;
        const int64_t each = choose     ? net->knots[chosen].slope
                             : c->whole ? sos_network_integer(net, c->weight * slope, &once)
                                        : 0;
        chosen += choose;
        *rounding += once * c->total;
        for (size_t q = 0; q < c->k; q++)
            unary[c->variables[q]] += !c->whole ? member_integer(net, c, slope, q, rounding)
                                                : each * (c->amounts ? (int64_t)c->amounts[q] : 1);
    }
    for (uint32_t v = net->variables; v < net->nodes; v++) {
        const sos_piece *p = &net->pieces[v - net->variables];
        unary[v] = place_integer(net, &e->concaves[p->clique], p, rounding);
    }
}
