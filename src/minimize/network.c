#include "minimize/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "energy/submodular.h"

/* ---------------------------------------------------------------- layout */

/* Cliques of one member are unaries and take no part in the network. */
static uint32_t counted_cliques(const sos_energy *e) { return (uint32_t)(e->clique_count - e->pools[1].count); }

/* The only size of all cliques, or 0: none or several.  Concave cliques bring pairs. */
static unsigned only_size(const sos_energy *e)
{
    unsigned only = 0, sizes = 0;
    for (unsigned k = 2; k <= SOS_TABLE_MEMBERS_MAX; k++)
        if (e->pools[k].count) {
            only = k;
            sizes++;
        }
    return sizes == 1 && !e->concave_count ? only : 0;
}

/* beta_t = 2 g(t) - g(t-1) - g(t+1): where the slope of g changes, and by how much (math.md, 7). */
static double slope_change(const sos_concave_clique *c, size_t t) { return (c->g[t] - c->g[t - 1]) - (c->g[t + 1] - c->g[t]); }

/* Slope changes up to this are rounding of whoever computed g, and would each cost an auxiliary node. */
static double slope_tolerance(const sos_concave_clique *c)
{
    double largest = 0;
    bool integers = true;
    for (size_t m = 0; m <= c->k; m++) {
        largest = fmax(largest, fabs(c->g[m]));
        integers &= c->g[m] == rint(c->g[m]);
    }
    return integers ? 0 : sos_violation_tolerance(largest);
}

typedef struct sizes {
    size_t nodes, cliques, slots;
    bool too_many;
} sizes;

static sizes network_sizes(const sos_energy *e)
{
    sizes s = { .nodes = e->n, .cliques = e->clique_count - e->pools[1].count };
    for (size_t k = 2; k <= SOS_TABLE_MEMBERS_MAX; k++) s.slots += e->pools[k].count * k;
    for (size_t i = 0; i < e->concave_count; i++) {
        const sos_concave_clique *c = &e->concaves[i];
        const double tolerance = slope_tolerance(c);
        for (size_t t = 1; t < c->k; t++)
            if (slope_change(c, t) > tolerance) {
                s.nodes++;
                s.cliques += c->k;
                s.slots += 2 * c->k;
            }
    }
    s.too_many = s.nodes >= (size_t)1 << 31 || s.slots >= UINT32_MAX - 64 || s.cliques >= (UINT32_MAX >> SOS_POSITION_BITS) - 1;
    return s;
}

typedef struct layout {
    uint32_t *member, *start, *table_of, *first, *places;
    sos_piece *pieces;
    int32_t *weight;
} layout;

static bool has_weights(const sos_energy *e)
{
    for (size_t k = 3; k <= SOS_TABLE_MEMBERS_MAX; k++)
        if (e->pools[k].weights) return true;
    return false;
}

static layout lay_out(sos_arena *arena, const sos_energy *e, sizes s)
{
    const bool mixed = !only_size(e);
    return (layout){
        .member = sos_arena_take(arena, mixed ? s.slots : 0, sizeof(uint32_t)),
        .start = sos_arena_take(arena, mixed ? s.cliques + 1 : 0, sizeof(uint32_t)),
        .table_of = sos_arena_take(arena, mixed ? counted_cliques(e) : 0, sizeof(uint32_t)),
        .first = sos_arena_take(arena, s.nodes + 2, sizeof(uint32_t)),
        .places = sos_arena_take(arena, s.slots, sizeof(uint32_t)),
        .pieces = sos_arena_take(arena, s.nodes - e->n, sizeof(sos_piece)),
        .weight = sos_arena_take(arena, has_weights(e) ? counted_cliques(e) : 0, sizeof(int32_t)),
    };
}

/* Copies the pools one after the other, then adds the pairs (member, auxiliary node) of every linear piece. */
static void copy_mixed(const sos_energy *e, layout *l, double *dropped)
{
    uint32_t slot = 0, c = 0;
    for (uint32_t k = 2; k <= SOS_TABLE_MEMBERS_MAX; k++) {
        const sos_pool *pool = &e->pools[k];
        if (!pool->count) continue;
        memcpy(l->member + slot, pool->variables, pool->count * k * sizeof *l->member);
        memcpy(l->table_of + c, pool->tables, pool->count * sizeof *l->table_of);
        for (size_t i = 0; i < pool->count; i++, slot += k) l->start[c++] = slot;
    }
    uint32_t node = (uint32_t)e->n;
    for (size_t i = 0; i < e->concave_count; i++) {
        const sos_concave_clique *g = &e->concaves[i];
        const double tolerance = slope_tolerance(g);
        for (uint32_t t = 1; t < g->k; t++) {
            if (slope_change(g, t) <= tolerance) {
                *dropped += fabs(slope_change(g, t)) * t;
                continue;
            }
            l->pieces[node - e->n] = (sos_piece){ slope_change(g, t), t };
            for (size_t q = 0; q < g->k; q++, slot += 2) {
                l->start[c++] = slot;
                l->member[slot] = g->variables[q];
                l->member[slot + 1] = node;
            }
            node++;
        }
    }
    l->start[c] = slot;
}

static inline __attribute__((always_inline)) void fill_places(sos_network *net, uint32_t k, uint32_t end[])
{
    for (uint32_t c = 0; c < net->cliques; c++) {
        const uint32_t slot = k ? c * k : sos_network_start(net, c), size = k ? k : sos_network_size(net, c);
        for (uint32_t q = 0; q < size; q++) net->places[end[net->member[slot + q]]++] = c << SOS_POSITION_BITS | q;
    }
}

/* Counting sort of the slots by node. */
static void find_places(sos_network *net)
{
    uint32_t *end = net->first + 1; /* end[v + 1] counts, then is where node v's next place goes, then where they end */
    memset(net->first, 0, ((size_t)net->nodes + 2) * sizeof *net->first);
    for (uint32_t s = 0; s < net->slots; s++) end[net->member[s] + 1]++;
    for (uint32_t v = 0; v < net->nodes; v++) end[v + 1] += end[v];
    switch (net->k) { /* a constant size makes the loop much faster */
    case 2: fill_places(net, 2, end); break;
    case 4: fill_places(net, 4, end); break;
    case 9: fill_places(net, 9, end); break;
    default: fill_places(net, 0, end);
    }
}

static void borrow(sos_network *net, const sos_energy *e)
{
    if (!net->k) return;
    net->member = e->pools[net->k].variables;
    net->table_of = e->pools[net->k].tables;
}

sos_status sos_network_build(sos_network *net, const sos_energy *e, size_t limit, sos_error *error)
{
    if (net->block && net->identity == e->identity) {
        borrow(net, e);
        return SOS_OK;
    }
    net->identity = 0;
    const sizes s = network_sizes(e);
    if (s.too_many)
        return sos_fail(error, SOS_ERR_RANGE, "a network of %zu nodes and %zu cliques is too large", s.nodes, s.cliques);
    sos_arena arena = { 0 };
    lay_out(&arena, e, s);
    if (arena.overflowed)
        return sos_fail(error, SOS_ERR_RANGE, "a network of %zu nodes does not fit the address space", s.nodes);
    if (limit && arena.used > limit)
        return sos_fail(error, SOS_ERR_MEMORY, "the network takes %zu bytes, more than the limit of %zu", arena.used, limit);
    /* A block that is too large may serve again, unless a limit counts. */
    const bool wasteful = limit ? net->bytes > arena.used : net->bytes / 2 > arena.used;
    if (!net->block || net->bytes < arena.used || wasteful) {
        sos_block_free(net->block);
        net->bytes = 0;
        net->block = sos_block_alloc(arena.used);
        if (!net->block) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a network of %zu bytes", arena.used);
        net->bytes = arena.used;
    }
    net->used = arena.used;
    arena = (sos_arena){ .base = net->block };
    layout l = lay_out(&arena, e, s);

    net->variables = (uint32_t)e->n;
    net->nodes = (uint32_t)s.nodes;
    net->cliques = (uint32_t)s.cliques;
    net->slots = (uint32_t)s.slots;
    net->table_cliques = counted_cliques(e);
    net->k = only_size(e);
    net->dropped = 0;
    net->first = l.first;
    net->places = l.places;
    net->pieces = l.pieces;
    net->weight = has_weights(e) ? l.weight : NULL;
    if (net->k) {
        net->start = NULL;
        borrow(net, e);
    } else {
        copy_mixed(e, &l, &net->dropped);
        net->member = l.member;
        net->start = l.start;
        net->table_of = l.table_of;
    }
    find_places(net);
    net->identity = e->identity;
    return SOS_OK;
}

void sos_network_free(sos_network *net)
{
    sos_block_free(net->block);
    free(net->table);
    *net = (sos_network){ 0 };
}

/* ---------------------------------------------------------------- integers */

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
        integers = true;
        double step = 0;
        for (size_t m = 0; m <= c->k; m++) {
            integers &= c->g[m] == rint(c->g[m]);
            if (m) step = fmax(step, fabs(c->g[m] - c->g[m - 1]));
        }
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

sos_pair sos_network_pair(const sos_network *net, const sos_energy *e, uint32_t c, double *rounding)
{
    if (c >= net->table_cliques) {
        const uint32_t node = net->member[sos_network_start(net, c) + 1];
        return (sos_pair){ sos_network_integer(net, net->pieces[node - net->variables].beta, rounding), 0, 0 };
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
        const int64_t slope = sos_network_integer(net, c->g[c->k] - c->g[c->k - 1], &once);
        *rounding += once * (double)c->k;
        for (size_t q = 0; q < c->k; q++) unary[c->variables[q]] += slope;
    }
    for (uint32_t v = net->variables; v < net->nodes; v++) {
        const sos_piece *p = &net->pieces[v - net->variables];
        double once = 0;
        unary[v] = sos_network_integer(net, p->beta, &once) * p->t;
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
    for (size_t c = 0; c < e->concave_count; c++) total += e->concaves[c].g[0];
    return total;
}
