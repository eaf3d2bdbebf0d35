/* multi_bounds.c - lower and upper bounds on the costs of cliques with several labels (math.md, 13). */
#include "energy/multi_energy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sums of what each label costs at least and at most on its own. */
static sos_extremes loose_extremes(const sos_multi_energy *e, size_t k, const double g[])
{
    sos_extremes x = { 0, 0, 0 };
    for (size_t l = 0; l < e->labels; l++) {
        double least = INFINITY, greatest = -INFINITY;
        for (size_t S = 0; S < (size_t)1 << k; S++) {
            least = fmin(least, g[(l << k) + S]);
            greatest = fmax(greatest, g[(l << k) + S]);
        }
        x.least += least;
        x.greatest += greatest;
    }
    x.least_mixed = x.least;
    return x;
}

enum { EXACT_MEMBERS = 6 };

/* least[j][S] and most[S]: of all ways to share out S among the labels so far; j = 0, 1, 2: so many of them, or more, have
 * members.  Larger sets come first, so that what they are made of is still that of one label less. */
typedef struct partition {
    double least[3][1 << EXACT_MEMBERS], most[1 << EXACT_MEMBERS];
} partition;

static void partition_step(partition *p, size_t k, const double g[])
{
    for (size_t S = ((size_t)1 << k) - 1; S < (size_t)1 << k; S--) {
        double least[3], most = p->most[S] + g[0];
        for (size_t j = 0; j < 3; j++) least[j] = p->least[j][S] + g[0];
        for (size_t T = S; T; T = (T - 1) & S) {
            const size_t rest = S & ~T;
            least[1] = fmin(least[1], p->least[0][rest] + g[T]);
            least[2] = fmin(least[2], fmin(p->least[1][rest], p->least[2][rest]) + g[T]);
            most = fmax(most, p->most[rest] + g[T]);
        }
        for (size_t j = 0; j < 3; j++) p->least[j][S] = least[j];
        p->most[S] = most;
    }
}

sos_extremes sos_tables_extremes(const sos_multi_energy *e, uint32_t set)
{
    const size_t k = e->frame->tables[set].k, all = ((size_t)1 << k) - 1;
    const double *g = sos_multi_energy_costs(e, set);
    if (k > EXACT_MEMBERS) return loose_extremes(e, k, g);
    partition p;
    for (size_t S = 0; S <= all; S++) {
        p.least[0][S] = S ? INFINITY : 0;
        p.least[1][S] = p.least[2][S] = INFINITY;
        p.most[S] = S ? -INFINITY : 0;
    }
    for (size_t l = 0; l < e->labels; l++) partition_step(&p, k, g + (l << k));
    return (sos_extremes){ fmin(p.least[1][all], p.least[2][all]), p.least[2][all], p.most[all] };
}

/* The most that a label costs; robust P^n never costs more than with none. */
static double count_greatest(const sos_count_clique *c, size_t label)
{
    double most = sos_count_cost(c, label, 0);
    for (size_t m = 1; c->g && m <= c->k; m++) most = fmax(most, sos_count_cost(c, label, (double)m));
    for (size_t j = 1; j < c->knots; j++) most = fmax(most, c->value[label * c->knots + j]);
    return c->value ? fmax(most, sos_count_cost(c, label, c->total)) : most;
}

/* A sum of concave functions of amounts that add up is least where one label has all members, and, where none may, where it
 * has all but the smallest: an amount of at least that goes elsewhere. */
sos_extremes sos_count_extremes(const sos_multi_energy *e, const sos_count_clique *c)
{
    double none = 0, greatest = 0;
    for (size_t l = 0; l < e->labels; l++) {
        none += sos_count_cost(c, l, 0);
        greatest += count_greatest(c, l);
    }
    none += c->most;
    const double rest = fmax(0, c->total - c->smallest);
    sos_extremes x = { INFINITY, INFINITY, c->most + greatest };
    for (size_t l = 0; l < e->labels; l++) {
        const double nothing = sos_count_cost(c, l, 0), nearly = sos_count_cost(c, l, rest) - nothing;
        x.least = fmin(x.least, none + (sos_count_cost(c, l, c->total) - nothing));
        for (size_t m = 0; c->k > 1 && m < e->labels; m++)
            if (m != l)
                x.least_mixed = fmin(x.least_mixed,
                                     none + nearly + (sos_count_cost(c, m, c->smallest) - sos_count_cost(c, m, 0)));
    }
    return x;
}

/* What a set of tables costs at least, and how far that may be off: sums over the labels, one after the other. */
static sos_sum tables_least(const sos_multi_energy *e, uint32_t set)
{
    const size_t k = e->frame->tables[set].k;
    const double *g = sos_multi_energy_costs(e, set);
    double size = 0;
    for (size_t l = 0; l < e->labels; l++) {
        double largest = 0;
        for (size_t S = 0; S < (size_t)1 << k; S++) largest = fmax(largest, fabs(g[(l << k) + S]));
        size += largest;
    }
    /* Sums of multiples of a power of two that stay below 2^53 of it are exact. */
    int exponent = 0;
    if (size > 0) frexp(size, &exponent);
    const sos_scale scale = sos_scale_of(53 - exponent);
    bool exact = true;
    for (size_t S = 0; exact && S < e->labels << k; S++) exact = sos_is_whole_at(g[S], scale);
    return (sos_sum){ sos_tables_extremes(e, set).least, exact ? 0 : (double)(e->labels + 2) * DBL_EPSILON * size };
}

/* What no member or all members with a label cost, and how far that may be off. */
static sos_sum side_cost(const sos_count_clique *c, size_t label, bool all)
{
    sos_sum cost = { sos_count_cost(c, label, all ? c->total : 0), 0 };
    if (c->g || (c->value && !(all && (c->rounded || c->place[c->knots - 1] != c->total)))) return cost;
    if (c->value) { /* the last place is the sum of the amounts within rounding */
        const sos_count_function f = sos_count_pieces(c, label);
        const double off = fabs(c->place[c->knots - 1] - c->total) + (double)c->k * DBL_EPSILON * c->total;
        cost.off = sos_rounded_up(off * fabs(sos_count_slope(&f, c->knots - 1)) + 4 * DBL_EPSILON * fabs(cost.total)) +
                   DBL_TRUE_MIN;
        return cost;
    }
    const double others = all ? 0 : (double)c->k, reach = c->reach[label];
    if (others >= reach) return cost;
    const double gain = c->most - c->agree[label], share = reach - others, product = gain * share;
    const double off = sos_difference_off(c->most, c->agree[label]) * share + gain * sos_difference_off(reach, others) +
                       sos_product_off(gain, share) + fabs(fma(product / reach, reach, -product));
    cost.off = off > 0 ? sos_rounded_up(off / reach) + DBL_TRUE_MIN : 0;
    return cost;
}

static void add_cost(sos_sum *s, sos_sum cost, double sign)
{
    sos_sum_add(s, sign * cost.total);
    s->off += cost.off;
}

/* By concavity one label has all members where a clique costs least. */
static sos_sum count_least(const sos_multi_energy *e, const sos_count_clique *c)
{
    sos_sum none = { c->most, 0 }, least = { INFINITY, 0 };
    for (size_t l = 0; l < e->labels; l++) add_cost(&none, side_cost(c, l, false), 1);
    for (size_t l = 0; l < e->labels; l++) {
        sos_sum all = none;
        add_cost(&all, side_cost(c, l, false), -1);
        add_cost(&all, side_cost(c, l, true), 1);
        least = (sos_sum){ fmin(least.total, all.total), fmax(least.off, all.off) };
    }
    return least;
}

/* Adds weight * least, where the weight itself may be off by so much. */
static void add_least(sos_sum *total, double weight, double weight_off, sos_sum least)
{
    sos_sum_add_product(total, weight, least.total);
    if (least.off > 0 || weight_off > 0)
        total->off += (weight + weight_off) * least.off + weight_off * fabs(least.total) + DBL_TRUE_MIN;
}

sos_sum sos_multi_energy_bound(const sos_multi_energy *e, double share[])
{
    const size_t n = e->frame->n;
    sos_sum total = { e->constant, 0 };
    for (size_t i = 0; i < n; i++) {
        double least = INFINITY;
        for (size_t l = 0; l < e->labels; l++) least = fmin(least, e->unary[l * n + i]);
        sos_sum_add(&total, least);
    }
    memset(share, 0, e->frame->table_count * sizeof *share);
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX; k++) {
        const sos_pool *pool = &e->frame->pools[k];
        for (size_t c = 0; c < pool->count; c++) share[pool->tables[c]] += pool->weights ? pool->weights[c] : 1;
    }
    for (uint32_t t = 0; t < e->frame->table_count; t++) {
        if (!(share[t] > 0)) continue;
        const sos_table *table = &e->frame->tables[t];
        const bool exact = e->frame->pools[table->k].integer_weights && share[t] <= 0x1p53;
        add_least(&total, share[t], exact ? 0 : (double)table->uses * DBL_EPSILON * share[t], tables_least(e, t));
    }
    for (size_t c = 0; c < e->count_count; c++)
        if (e->counts[c].weight > 0) add_least(&total, e->counts[c].weight, 0, count_least(e, &e->counts[c]));
    return total;
}

double sos_multi_energy_lower_bound(const sos_multi_energy *e)
{
    double *share = malloc((e->frame->table_count + 1) * sizeof *share);
    const double bound = share ? sos_sum_below(sos_multi_energy_bound(e, share), 0) : -INFINITY;
    free(share);
    return bound;
}
