/* flow_start.h - the flow that the trees start from: bases, what the costs alone decide, pushes inside single cliques.
 * A part of flow.c. */
#ifndef SOS_MINIMIZE_FLOW_START_H
#define SOS_MINIMIZE_FLOW_START_H

#include "minimize/flow_clique.h"

/* Greedy base of a table for an order of its members given in groups, group 0 first: alpha_i = f(those before and i) -
 * f(those before).  The members of the first groups together form a tight set.  Averaging an order and its reverse within
 * the groups balances the base between their members; tables are even, so that halves are whole. */
static void grouped_base(const cost F[], const uint32_t group[], unsigned groups, cost a[])
{
    uint32_t before = 0;
    for (unsigned g = 0; g < groups; g++) {
        uint32_t S = before;
        for (uint32_t rest = group[g]; rest; rest &= rest - 1) {
            const uint32_t bit = rest & -rest;
            a[__builtin_ctz(bit)] = F[S | bit] - F[S];
            S |= bit;
        }
        S = before;
        for (uint32_t rest = group[g]; rest;) {
            const unsigned i = 31 - (unsigned)__builtin_clz(rest);
            const uint32_t bit = UINT32_C(1) << i;
            a[i] = (a[i] + F[S | bit] - F[S]) / 2;
            S |= bit;
            rest &= ~bit;
        }
        before = S;
    }
}

/* Takes over the integers of the tables and their balanced bases; notes which changed since the run before. */
static void take_tables(flow *f, const sos_energy *e, bool keep)
{
    for (size_t t = 0; t < e->table_count; t++) {
        const sos_table *table = &e->tables[t];
        if (table->k < 3) continue;
        const size_t entries = (size_t)1 << table->k;
        const int64_t *new = f->net->table + table->offset;
        cost *F = f->table + table->offset, *base = f->base + f->base_at[t];
        bool changed = !keep;
        for (size_t S = 0; S < entries; S++) {
            changed |= F[S] != (cost) new[S];
            F[S] = (cost) new[S];
        }
        f->changed[t] = changed;
        if (keep) memcpy(f->was + f->base_at[t], base, table->k * sizeof *base);
        if (!changed) continue;
        grouped_base(F, (uint32_t[]){ (uint32_t)entries - 1 }, 1, base);
        if (K == 4)
            f->base_dep[t] = dep_of_four(F, 1, base);
        else
            dep_of_any((unsigned)table->k, F, 1, base, f->base_dep + f->base_at[t]);
    }
}

/* Balanced bases of symmetric tables are 0, which spares a visit to the nodes. */
INLINE void take_from_excess(flow *f, uint32_t start, unsigned k, const cost a[])
{
    cost any = 0;
    for (unsigned q = 0; q < k; q++) any |= a[q];
    if (!any) return;
    for (unsigned q = 0; q < k; q++) f->excess[f->member[start + q]] -= a[q];
}

INLINE cost all_of(sos_pair p) { return (cost)(p.one + p.two - p.both); }
INLINE cost half_of(sos_pair p) { return all_of(p) / 2; }

/* Splits what a pair can carry in halves, or as it was split before. */
INLINE void split_pair(flow *f, sos_pair p, uint32_t c, bool keep)
{
    cost *left = f->alpha + start_of(f, c);
    const cost all = all_of(p), old = keep ? left[0] + left[1] : 0;
    if (!keep)
        left[0] = half_of(p);
    else if (old != all) {
        const cost half = all / 2 + (left[0] - left[1]) / 2;
        left[0] = half < 0 ? 0 : half > all ? all : half;
    }
    left[1] = all - left[0];
}

INLINE void start_pair(flow *f, sos_pair p, uint32_t c, bool keep)
{
    const cost *left = f->alpha + start_of(f, c);
    split_pair(f, p, c, keep);
    take_from_excess(f, start_of(f, c), 2, (cost[]){ (cost)p.one - left[0], (cost)p.two - left[1] });
}

/* The largest t <= 1 for which base + t * shift is still a base, in 256ths, rounded down. */
static int largest_share(const flow *f, uint32_t c, const cost base[], const cost shift[])
{
    const unsigned k = size_of(f, c);
    const cost *F = table_at(f, c), w = weight_of(f, c);
    double share = 1;
    for (uint32_t S = 1; S < (UINT32_C(1) << k) - 1; S++) {
        cost b = 0, d = 0;
        for (uint32_t rest = S; rest; rest &= rest - 1) {
            const unsigned i = (unsigned)__builtin_ctz(rest);
            b += base[i];
            d += shift[i];
        }
        const cost room = w * F[S] - b;
        if (d > room && (double)room < share * (double)d) share = (double)room / (double)d;
    }
    return (int)(share * 256);
}

/* Rounds share/256 of the shift towards zero so that it still sums to zero. */
static void scale_shift(unsigned k, cost shift[], int share)
{
    cost sum = 0;
    for (unsigned i = 0; i < k; i++) {
        shift[i] = (cost)((double)shift[i] * share / 256);
        sum += shift[i];
    }
    for (unsigned i = 0; sum; i++) { /* takes from those of the sum's own sign, which together have at least the sum */
        const cost much = sum > 0 ? (shift[i] > sum ? sum
                                     : shift[i] > 0 ? shift[i]
                                                    : 0)
                                  : (shift[i] < sum ? sum
                                     : shift[i] < 0 ? shift[i]
                                                    : 0);
        shift[i] -= much;
        sum -= much;
    }
}

static bool is_base(const flow *f, uint32_t c, const cost a[])
{
    const unsigned k = size_of(f, c);
    const cost *F = table_at(f, c), w = weight_of(f, c);
    cost high[BLOCKS_MAX];
    high_sums(k, a, high);
    const block low = low_sums(a);
    block negative = { 0 };
    for (unsigned h = 0; h < 1u << (k - BLOCK_BITS); h++) negative |= residuals(F, w, h, low, high[h]);
    for (unsigned l = 0; l < BLOCK; l++)
        if (negative[l] < 0) return false;
    return true;
}

/* The flow of the run before, as far as the new table can carry it: the balanced base of the new table plus as much as fits of
 * how the old flow differed from the balanced base of the old table. */
static void refit(flow *f, uint32_t c, const cost was[], const cost base[])
{
    const unsigned k = size_of(f, c);
    const cost w = weight_of(f, c);
    cost *a = f->alpha + start_of(f, c), balanced[SOS_TABLE_MEMBERS_MAX], shift[SOS_TABLE_MEMBERS_MAX];
    for (unsigned i = 0; i < k; i++) {
        balanced[i] = w * base[i];
        shift[i] = a[i] - w * was[i];
        a[i] = balanced[i] + shift[i];
    }
    if (is_base(f, c, a)) return;
    scale_shift(k, shift, largest_share(f, c, balanced, shift));
    for (unsigned i = 0; i < k; i++) a[i] = balanced[i] + shift[i];
    if (!is_base(f, c, a)) memcpy(a, balanced, k * sizeof *a);
}

/* dep of the balanced base of c's own table: a weight does not change which sets are tight, unless it is 0. */
INLINE void take_base_dep(flow *f, uint32_t c)
{
    const uint32_t t = f->net->table_of[c];
    const uint16_t any = weight_of(f, c) ? 0xFFFF : 0;
    if (K == 4) {
        f->dep[c] = f->base_dep[t] & any;
        return;
    }
    const unsigned k = size_of(f, c);
    for (unsigned i = 0; i < k; i++) f->dep[start_of(f, c) + i] = f->base_dep[f->base_at[t] + i] & any;
}

INLINE void set_base(flow *f, uint32_t c)
{
    const cost w = weight_of(f, c), *base = f->base + f->base_at[f->net->table_of[c]];
    cost *a = f->alpha + start_of(f, c);
    const unsigned k = size_of(f, c);
    for (unsigned i = 0; i < k; i++) a[i] = w * base[i];
    take_base_dep(f, c);
}

INLINE void start_table_clique(flow *f, uint32_t c, bool keep)
{
    const uint32_t t = f->net->table_of[c];
    if (!keep) {
        set_base(f, c);
    } else if (f->changed[t]) {
        refit(f, c, f->was + f->base_at[t], f->base + f->base_at[t]);
        update_dep(f, c);
    }
    take_from_excess(f, start_of(f, c), size_of(f, c), f->alpha + start_of(f, c));
}

/* The pair that was looked at last: many have the same costs. */
typedef struct known_pair {
    sos_pair pair;
    double rounding;
    uint32_t table; /* that the pair is of, or UINT32_MAX; weighted pairs all differ */
    double sum;     /* of what rounding did to all of them */
} known_pair;

INLINE void know_pair(const flow *f, const sos_energy *e, uint32_t c, known_pair *known)
{
    const bool shared = c < f->net->table_cliques && !e->pools[2].weights;
    if (!shared || f->net->table_of[c] != known->table) {
        known->rounding = 0;
        known->pair = sos_network_pair(f->net, e, c, &known->rounding);
        known->table = shared ? f->net->table_of[c] : UINT32_MAX;
    }
    known->sum += known->rounding;
}

INLINE void start_clique(flow *f, const sos_energy *e, uint32_t c, bool keep, known_pair *known)
{
    if (size_of(f, c) != 2) {
        start_table_clique(f, c, keep);
        return;
    }
    know_pair(f, e, c, known);
    start_pair(f, known->pair, c, keep);
}

static void start_cliques(flow *f, const sos_energy *e, bool keep)
{
    known_pair known = { .table = UINT32_MAX, .sum = f->job->rounding };
    for (uint32_t c = 0; c < f->cliques; c++) start_clique(f, e, c, keep, &known);
    f->job->rounding = known.sum;
}

/* What the costs alone decide. */

/* Members of a clique settled to 1 and to 0. */
typedef struct settled_members {
    uint32_t ones, zeros;
} settled_members;

INLINE settled_members settled_in(const flow *f, uint32_t c)
{
    const uint32_t start = start_of(f, c);
    const unsigned k = size_of(f, c);
    settled_members m = { 0, 0 };
    for (unsigned q = 0; q < k; q++) {
        const int32_t label = f->label[f->member[start + q]];
        m.ones |= (uint32_t)(label == SETTLED) << q;
        m.zeros |= (uint32_t)(label == -SETTLED) << q;
    }
    return m;
}

/* How much the marginal cost of the member at a place exceeds its share of the base at most, and falls short of it at most,
 * given what is settled: f(O+i) - f(O) - alpha_i and alpha_i - f(C-Z) + f(C-Z-i) with O the ones, Z the zeros. */
typedef struct margins {
    cost above, below;
} margins;

INLINE margins margins_at(const flow *f, uint32_t place, settled_members m)
{
    const uint32_t c = clique_of(place), start = start_of(f, c), bit = UINT32_C(1) << position_of(place);
    const unsigned s = position_of(place), k = size_of(f, c);
    if (k == 2) {
        const cost out = f->alpha[start + s], in = f->alpha[start + 1 - s];
        return (margins){ m.ones & ~bit ? -in : out, m.zeros & ~bit ? -out : in };
    }
    const cost *F = table_at(f, c), w = weight_of(f, c), a = f->alpha[start + s];
    const uint32_t O = m.ones & ~bit, rest = ((UINT32_C(1) << k) - 1) & ~(m.zeros | bit);
    return (margins){ w * (F[O | bit] - F[O]) - a, a - w * (F[rest | bit] - F[rest]) };
}

/* -1, 1: label 0, 1 is in the minimiser that is wanted; 0: not decided.  excess_v = -(unary + alpha), so that turning v on
 * costs at most above - excess and at least -excess - below, whatever the rest does. */
INLINE int decide(const flow *f, uint32_t v, bool any_settled, bool maximal)
{
    int64_t above = 0, below = 0;
    for (uint32_t a = f->first[v]; a < f->first[v + 1]; a++) {
        const settled_members none = { 0, 0 };
        const margins m = margins_at(f, f->places[a], any_settled ? settled_in(f, clique_of(f->places[a])) : none);
        above += m.above;
        below += m.below;
    }
    const int64_t x = f->excess[v];
    if (maximal) return above - x <= 0 ? 1 : -x - below > 0 ? -1 : 0;
    return -x - below >= 0 ? -1 : above - x < 0 ? 1 : 0;
}

INLINE bool settle(flow *f, uint32_t v, bool any_settled, bool maximal)
{
    const int decided = decide(f, v, any_settled, maximal);
    f->label[v] = decided * SETTLED;
    f->settlings += decided && v < f->net->variables;
    f->settled_any |= decided != 0;
    return decided;
}

static void enqueue_neighbours(flow *f, uint32_t v, uint32_t *tail)
{
    for (uint32_t a = f->first[v]; a < f->first[v + 1]; a++) {
        const uint32_t c = clique_of(f->places[a]), start = start_of(f, c);
        const unsigned k = size_of(f, c);
        for (unsigned q = 0; q < k; q++) {
            const uint32_t u = f->member[start + q];
            if (f->label[u] || f->node[u].flags & QUEUED) continue;
            f->node[u].flags |= QUEUED;
            f->node[*tail].next = u;
            *tail = *tail + 1 == f->nodes ? 0 : *tail + 1;
        }
    }
}

enum { SAMPLES = 1024 };

/* Settling pays only where many nodes are settled by their own costs: what spreads from a few costs as much as the pushes it
 * spares (measured: of card9_200x100_s05 it settles 95 %, in the time of the flow).  A sample tells.  With pairs and cliques of
 * 4 it takes longer than the flow even where all are settled (measured: 7.2 and 3.7 ms in all), which small networks do not
 * feel. */
static bool may_reduce(const flow *f) { return (K != 2 && K != 4) || f->nodes <= SAMPLES; }

static bool is_worth_reducing(const flow *f, bool maximal)
{
    if (!may_reduce(f)) return false;
    const uint32_t members = f->cliques ? f->net->slots / f->cliques : 1, stride = f->nodes / SAMPLES | 1;
    uint32_t seen = 0, decided = 0;
    for (uint32_t v = 0; v < f->nodes; v += stride) {
        seen++;
        decided += !f->label[v] && decide(f, v, false, maximal);
    }
    return decided * members >= seen;
}

/* Settles nodes to a fixed point: each settled one narrows its neighbours' margins. */
static void reduce(flow *f, bool maximal)
{
    if (!is_worth_reducing(f, maximal)) return;
    for (uint32_t v = 0; v < f->nodes; v++) f->node[v].flags = 0;
    for (uint32_t v = 0; v < f->nodes; v++) /* by their own costs; whom others decide is seen below */
        if (!f->label[v]) settle(f, v, false, maximal);
    uint32_t head = 0, tail = 0; /* of a ring, in which a node is at most once, and not all are */
    for (uint32_t v = 0; v < f->nodes; v++)
        if (!f->label[v] && settle(f, v, true, maximal)) enqueue_neighbours(f, v, &tail);
    while (head != tail) {
        const uint32_t v = f->node[head].next;
        head = head + 1 == f->nodes ? 0 : head + 1;
        f->node[v].flags &= ~(uint32_t)QUEUED;
        if (!f->label[v] && settle(f, v, true, maximal)) enqueue_neighbours(f, v, &tail);
    }
}

/* No flow goes through a clique whose members are all settled, so that its base may stay what it is; it costs f(ones). */
static void set_aside_clique(flow *f, uint32_t c, uint32_t ones)
{
    const cost *a = f->alpha + start_of(f, c);
    const unsigned k = size_of(f, c);
    if (k == 2) { /* f({i}) - alpha_i is what is left from i to the other */
        if (ones == 1 || ones == 2) sos_wide_add(&f->settled, -a[ones - 1]);
        return;
    }
    cost taken = 0;
    for (uint32_t rest = ones; rest; rest &= rest - 1) taken += a[__builtin_ctz(rest)];
    sos_wide_add(&f->settled, taken - weight_of(f, c) * table_at(f, c)[ones]);
}

/* Whoever comes first has no arc to the other: a one, or the other of a zero, or whom a hint puts on. */
static void order_pair(flow *f, uint32_t c, settled_members m, uint32_t on)
{
    const unsigned first = m.ones    ? (unsigned)__builtin_ctz(m.ones)
                           : m.zeros ? 1 - (unsigned)__builtin_ctz(m.zeros)
                                     : (unsigned)__builtin_ctz(on);
    const uint32_t start = start_of(f, c);
    cost *left = f->alpha + start;
    const cost d = left[first];
    left[first] = 0;
    left[1 - first] += d;
    f->excess[f->member[start + first]] -= d;
    f->excess[f->member[start + 1 - first]] += d;
}

static void order_table_clique(flow *f, uint32_t c, const uint32_t group[4])
{
    const uint32_t start = start_of(f, c);
    const unsigned k = size_of(f, c);
    const cost w = weight_of(f, c);
    cost a[SOS_TABLE_MEMBERS_MAX];
    grouped_base(table_at(f, c), group, 4, a);
    for (unsigned q = 0; q < k; q++) {
        f->excess[f->member[start + q]] += f->alpha[start + q] - w * a[q];
        f->alpha[start + q] = w * a[q];
    }
    update_dep(f, c);
}

/* Bases that order ones before the rest and the rest before zeros: no arc leaves settled ones, none enters settled zeros, so
 * that the flow never touches them.  hints, if not NULL, order the rest, ones first. */
static void order_base(flow *f, uint32_t c, const uint8_t hints[])
{
    const uint32_t start = start_of(f, c);
    const unsigned k = size_of(f, c);
    const uint32_t all = (UINT32_C(1) << k) - 1;
    const settled_members m = settled_in(f, c);
    uint32_t on = 0;
    for (unsigned q = 0; hints && q < k; q++) {
        const uint32_t v = f->member[start + q];
        on |= (uint32_t)(v < f->net->variables && hints[v]) << q;
    }
    on &= ~(m.ones | m.zeros);
    const uint32_t group[4] = { m.ones, on, all & ~(m.ones | m.zeros | on), m.zeros };
    if (group[1] == all || group[2] == all) return;
    if ((m.ones | m.zeros) == all)
        set_aside_clique(f, c, m.ones);
    else if (k != 2)
        order_table_clique(f, c, group);
    else
        order_pair(f, c, m, on);
}

/* The flow leaves settled nodes alone; what they cost is known. */
static void set_aside(flow *f)
{
    for (uint32_t v = f->begin; v < f->end; v++) {
        if (abs(f->label[v]) != SETTLED) continue;
        if (f->label[v] > 0) sos_wide_add(&f->settled, f->excess[v]);
        f->excess[v] = 0;
    }
}

INLINE cost least_of(cost x, cost y) { return x < y ? x : y; }
INLINE cost largest_of(cost x, cost y) { return x > y ? x : y; }

/* The push from one to two, or back where negative, that leaves no excess at one of them and a deficit at the other, as far as
 * what a pair can carry allows.  No processor guesses signs. */
INLINE cost push_between(cost one, cost two, cost there, cost back)
{
    const cost low = least_of(one, -two), high = largest_of(one, -two); /* 0 where 0 lies between, else the nearer to 0: */
    const cost wanted = largest_of(low, least_of(high, 0));
    return largest_of(-back, least_of(there, wanted));
}

INLINE void push_inside_pair(flow *f, uint32_t c)
{
    const uint32_t *member = f->member + start_of(f, c);
    cost *left = f->alpha + start_of(f, c), *one = &f->excess[member[0]], *two = &f->excess[member[1]];
    const cost d = push_between(*one, *two, left[0], left[1]);
    left[0] -= d;
    left[1] += d;
    *one -= d;
    *two += d;
    f->pushes += d != 0;
    f->augmentations += d != 0;
}

/* Most augmenting paths are one arc long.  Pushing them clique by clique, in the order of memory and without any tree, leaves
 * the trees the long ones. */
INLINE void push_inside(flow *f, uint32_t c)
{
    const uint32_t *member = f->member + start_of(f, c);
    const unsigned k = size_of(f, c);
    uint32_t sources = 0, sinks = 0;
    if (k == 2) {
        push_inside_pair(f, c);
        return;
    }
    for (unsigned q = 0; q < k; q++) {
        const cost x = f->excess[member[q]];
        sources |= (uint32_t)(x > 0) << q;
        sinks |= (uint32_t)(x < 0) << q;
    }
    if (!sources || !sinks) return;
    for (; sources; sources &= sources - 1) {
        const unsigned i = (unsigned)__builtin_ctz(sources);
        cost *from = &f->excess[member[i]];
        for (uint32_t reached; *from && (reached = sinks & out_arcs(f, c, i));) {
            const unsigned j = (unsigned)__builtin_ctz(reached);
            cost *to = &f->excess[member[j]];
            const cost most = capacity(f, c, i, j), d = least_of(most, least_of(*from, -*to));
            push(f, c, i, j, d, d == most);
            f->augmentations++;
            *from -= d;
            *to += d;
            if (!*to) sinks &= ~(UINT32_C(1) << j);
        }
    }
}

#endif
