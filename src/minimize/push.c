/* push.c - see push.h.
 *
 * Nodes are those of the network of pairs that stands for concave cliques (math.md, 7): the variables, and a node z for each
 * piece.  But the arcs between a clique's members and the nodes of its pieces lie in lists, member by member, and no paths are
 * found one by one: a node with excess pushes it to all neighbours that are nearer to a deficit, so that what thousands of
 * members give the node of a piece goes on to others in one walk over the list (Goldberg and Tarjan, push-relabel;
 * math.md, 7.3).
 *
 *     array     of               what
 *     left      slot             capacity left from this member of a pair to the other
 *     share     member x piece   what a member pays of a piece, 0 ... its capacity; left to z: capacity - share; from z: share
 *     arcs      member           which pieces have an arc to the member, and from it
 *     excess    node             > 0: to be pushed, < 0: room for others' excess
 *     label     node             a lower bound on the number of arcs to the nearest deficit; FAR: none is in reach
 *     bucket    label            the first of the nodes with excess that wait at this label
 *     next      node             the one behind it, or IDLE: it does not wait
 *
 * A round finds all distances by a search from the deficits, then discharges the nodes with excess, the nearest first, until
 * that has taken as long as some searches.  Nodes that keep some excess get a new label and wait there.  O(nodes^2 arcs) at
 * worst; in practice some tens of rounds. */
#include "minimize/push.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/lanes.h"
#include "base/memory.h"
#include "base/wide.h"

static const int32_t FAR = INT32_MAX / 2, DEAD = INT32_MAX / 2 + 1; /* DEAD: a search did not find it, and none will */
static const uint32_t NONE = UINT32_MAX, IDLE = UINT32_MAX - 1;

/* Arcs looked at before distances are found anew, for every node: a search looks at a few for each. */
enum { DRAIN_COST = 16 };

/* The arcs of a member, as bits: from nodes of pieces, and to them. */
typedef struct member_arcs {
    uint32_t in, out;
} member_arcs;

/* A concave clique: its list. */
typedef struct list {
    const uint32_t *member;
    const double *amounts; /* or NULL: 1 each */
    uint32_t k, pieces;
    uint32_t node;   /* of its first piece */
    uint32_t first;  /* of its members among those of all lists */
    uint32_t hidden; /* pieces that a search has not found yet, as bits */
    uint32_t rest;   /* members that it has not found yet, listed in hidden; more than k: not listed yet */
    size_t shares;   /* of its first member */
} list;

typedef struct pushing {
    const sos_network *net;
    const sos_energy *energy;
    sos_flow_job *job;
    uint32_t variables, nodes;
    int64_t *left, *share, *unary, *excess, *unit; /* unit: of piece, the capacity of an amount of 1 */
    member_arcs *arcs;
    list *lists;
    int32_t *label;
    uint32_t *hidden;                                    /* of list: positions of members that a search has not found yet */
    uint32_t *next, *bucket, *queue, *current, *list_of; /* of piece: where its walk goes on; its list */
    double *rounding;                                    /* of pairs and pieces, kept for the next run */

    uint32_t *count;  /* of nodes at a label */
    int32_t limit;    /* nodes at greater labels wait for the next round */
    int32_t top;      /* no node waits at a greater label */
    uint64_t looked;  /* at arcs, in this round */
    sos_wide settled; /* excess of nodes fixed to 1 */
    uint64_t pushes, relabels, found, discharges;
} pushing;

static size_t shares_of(const sos_network *net, const sos_energy *e)
{
    size_t sum = 0;
    for (uint32_t z = 0; z < net->nodes - net->variables; z++) sum += e->concaves[net->pieces[z].clique].k;
    return sum;
}

static void push_layout(pushing *f, sos_arena *arena, const sos_network *net, const sos_energy *e)
{
    const size_t nodes = net->nodes, pieces = nodes - net->variables;
    f->left = sos_arena_take(arena, net->slots, sizeof *f->left);
    f->share = sos_arena_take(arena, shares_of(net, e), sizeof *f->share);
    f->arcs = sos_arena_take(arena, net->members, sizeof *f->arcs);
    f->hidden = sos_arena_take(arena, net->members, sizeof *f->hidden);
    f->unary = sos_arena_take(arena, nodes, sizeof *f->unary);
    f->excess = sos_arena_take(arena, nodes, sizeof *f->excess);
    f->unit = sos_arena_take(arena, pieces, sizeof *f->unit);
    f->lists = sos_arena_take(arena, e->concave_count, sizeof *f->lists);
    f->label = sos_arena_take(arena, nodes, sizeof *f->label);
    f->next = sos_arena_take(arena, nodes, sizeof *f->next);
    f->queue = sos_arena_take(arena, nodes, sizeof *f->queue);
    f->bucket = sos_arena_take(arena, nodes + 2, sizeof *f->bucket);
    f->count = sos_arena_take(arena, nodes + 2, sizeof *f->count);
    f->current = sos_arena_take(arena, pieces, sizeof *f->current);
    f->list_of = sos_arena_take(arena, pieces, sizeof *f->list_of);
    f->rounding = sos_arena_take(arena, 1, sizeof *f->rounding);
}

static size_t push_bytes(const sos_network *net, const sos_energy *e)
{
    pushing f = { 0 };
    sos_arena arena = { 0 };
    push_layout(&f, &arena, net, e);
    return arena.overflowed ? 0 : arena.used;
}

static inline int64_t amount_at(const list *l, uint32_t q) { return l->amounts ? (int64_t)l->amounts[q] : 1; }
static inline int64_t least_of(int64_t x, int64_t y) { return x < y ? x : y; }
static inline int64_t *share_at(const pushing *f, const list *l, uint32_t q)
{
    return f->share + l->shares + (size_t)q * l->pieces;
}
static inline int64_t capacity_at(const pushing *f, const list *l, uint32_t q, uint32_t j)
{
    return f->unit[l->node - f->variables + j] * amount_at(l, q);
}

/* ---------------------------------------------------------------- the flow to begin with */

static void find_lists(pushing *f)
{
    const sos_network *net = f->net;
    uint32_t node = f->variables, first = 0;
    size_t shares = 0;
    for (size_t c = 0; c < f->energy->concave_count; c++) {
        const sos_concave_clique *g = &f->energy->concaves[c];
        list *l = &f->lists[c];
        *l = (list){ g->variables, g->amounts, (uint32_t)g->k, 0, node, first, 0, 0, shares };
        for (; node < f->nodes && net->pieces[node - f->variables].clique == c; node++) {
            f->list_of[node - f->variables] = (uint32_t)c;
            l->pieces++;
        }
        first += l->k;
        shares += (size_t)l->k * l->pieces;
    }
}

/* Gives the members whose label is wanted (hints NULL: all) shares of piece j that add up to total, in the same proportion to
 * what they can carry. */
static void share_out(pushing *f, const list *l, uint32_t j, const uint8_t hints[], bool wanted, int64_t total)
{
    double all = 0;
    for (uint32_t q = 0; q < l->k; q++)
        if (!hints || (hints[l->member[q]] != 0) == wanted) all += (double)capacity_at(f, l, q, j);
    const double part = all > 0 ? (double)total / all : 0;
    for (uint32_t q = 0; q < l->k; q++) {
        if (hints && (hints[l->member[q]] != 0) != wanted) continue;
        const int64_t most = capacity_at(f, l, q, j), share = (int64_t)((double)most * part);
        share_at(f, l, q)[j] = share < 0 ? 0 : share > most ? most : share;
        total -= share_at(f, l, q)[j];
    }
    for (uint32_t q = 0; total && q < l->k; q++) { /* what rounding left */
        if (hints && (hints[l->member[q]] != 0) != wanted) continue;
        int64_t *share = share_at(f, l, q) + j;
        const int64_t most = capacity_at(f, l, q, j),
                      d = total > 0 ? least_of(total, most - *share) : -least_of(-total, *share);
        *share += d;
        total -= d;
    }
}

/* The shares of a piece: even, or such that the ones of a labelling are tight (math.md, 5.4), or as they were. */
static void start_piece(pushing *f, const list *l, uint32_t j, int64_t was)
{
    const uint32_t z = l->node - f->variables + j;
    const int64_t total = f->unary[l->node + j];
    if (f->job->start == SOS_FLOW_KEEP) {
        if (was == f->unit[z]) return;
        const double part = was > 0 ? (double)f->unit[z] / (double)was : 0;
        for (uint32_t q = 0; q < l->k; q++) {
            int64_t *share = share_at(f, l, q) + j;
            const int64_t most = capacity_at(f, l, q, j), now = (int64_t)((double)*share * part);
            *share = was > 0 ? (now < most ? now : most) : most / 2;
        }
        return;
    }
    if (f->job->start != SOS_FLOW_LABELS) {
        share_out(f, l, j, NULL, true, total);
        return;
    }
    int64_t ones = 0;
    for (uint32_t q = 0; q < l->k; q++) ones += f->job->labels[l->member[q]] ? capacity_at(f, l, q, j) : 0;
    share_out(f, l, j, f->job->labels, true, least_of(ones, total));
    share_out(f, l, j, f->job->labels, false, total - least_of(ones, total));
}

static void start_list(pushing *f, uint32_t c)
{
    const list *l = &f->lists[c];
    for (uint32_t j = 0; j < l->pieces; j++) {
        double once = 0;
        const uint32_t z = l->node - f->variables + j;
        const int64_t was = f->unit[z];
        f->unit[z] = sos_network_unit(f->net, f->energy, &f->net->pieces[z], &once);
        *f->rounding += once * f->energy->concaves[c].total;
        start_piece(f, l, j, was);
    }
    for (uint32_t q = 0; q < l->k; q++) {
        int64_t sum = 0;
        for (uint32_t j = 0; j < l->pieces; j++) {
            const int64_t share = share_at(f, l, q)[j];
            f->excess[l->node + j] += share;
            sum += share;
        }
        f->excess[l->member[q]] -= sum;
    }
}

static void start_pair(pushing *f, uint32_t c)
{
    const sos_pair p = sos_network_pair(f->net, f->energy, c, f->rounding);
    const uint32_t *member = f->net->member + 2 * (size_t)c;
    int64_t *left = f->left + 2 * (size_t)c;
    const int64_t all = p.one + p.two - p.both;
    int64_t half = all / 2;
    if (f->job->start == SOS_FLOW_KEEP) half += left[0] - (left[0] + left[1]) / 2;
    left[0] = half < 0 ? 0 : half > all ? all : half;
    if (f->job->start == SOS_FLOW_LABELS && f->job->labels[member[0]] != f->job->labels[member[1]])
        left[0] = f->job->labels[member[0]] ? 0 : all;
    left[1] = all - left[0];
    f->excess[member[0]] -= p.one - left[0];
    f->excess[member[1]] -= p.two - left[1];
}

static void start_nodes(pushing *f)
{
    const bool same = f->job->same_cliques;
    int64_t *unary = (int64_t *)(void *)f->next; /* and queue and bucket behind, not in use yet: room for a number per node */
    sos_network_unaries(f->net, f->energy, unary, &f->job->rounding);
    for (uint32_t v = 0; v < f->nodes; v++) {
        f->excess[v] = same ? f->excess[v] + f->unary[v] - unary[v] : -unary[v];
        f->unary[v] = unary[v];
    }
}

/* ---------------------------------------------------------------- levelling */

/* The sum of what members pay of a piece at a level: their excess without it, less the level, as far as they can carry it. */
typedef struct level_sum {
    double sum, inside; /* of all; how many would pay more at a lower level */
} level_sum;

SOS_INLINE level_sum sum_at(uint32_t k, const double excess[], double unit, double level)
{
    sos_lanes sum = { 0 }, inside = { 0 };
    const sos_lanes none = { 0 }, one = none + 1, limit = none + unit;
    for (uint32_t q = 0; q < k; q += SOS_LANES) {
        sos_lanes wanted;
        memcpy(&wanted, excess + q, sizeof wanted);
        wanted -= level;
        const sos_flags over = wanted > none, under = wanted < limit;
        sum += (sos_lanes)((sos_flags)wanted & over & under) + (sos_lanes)((sos_flags)limit & ~under);
        inside += (sos_lanes)((sos_flags)one & over & under);
    }
    return (level_sum){ (sum[0] + sum[1]) + (sum[2] + sum[3]), (inside[0] + inside[1]) + (inside[2] + inside[3]) };
}

SOS_INLINE double find_level(uint32_t k, const double excess[], double unit, double total)
{
    double low = INFINITY, high = -INFINITY;
    for (uint32_t q = 0; q < k; q++) {
        low = excess[q] < low ? excess[q] : low;
        high = excess[q] > high ? excess[q] : high;
    }
    low -= unit;
    double level = low + (high - low) * (1 - total / (unit * k));
    for (int i = 0; i < 12; i++) {
        const level_sum s = sum_at(k, excess, unit, level);
        const double off = s.sum - total;
        if (fabs(off) <= 1e-4 * total) break;
        if (off > 0)
            low = level;
        else
            high = level;
        const double next = s.inside > 0 ? level + off / s.inside : low;
        level = next > low && next < high ? next : low + (high - low) / 2;
    }
    return level;
}

SOS_TARGET_AVX2 static double find_level_by_avx2(uint32_t k, const double excess[], double unit, double total)
{
    return find_level(k, excess, unit, total);
}
static double find_level_by_any(uint32_t k, const double excess[], double unit, double total)
{
    return find_level(k, excess, unit, total);
}

/* Shares of piece j that leave its members excess as even as they can: those of the base nearest to it.  scratch has room for a
 * number per member, and SOS_LANES. */
static void level_piece(pushing *f, const list *l, uint32_t j, double scratch[])
{
    const int64_t unit = f->unit[l->node - f->variables + j];
    int64_t total = f->unary[l->node + j];
    for (uint32_t q = 0; q < l->k; q++) scratch[q] = (double)(f->excess[l->member[q]] + share_at(f, l, q)[j]);
    for (uint32_t q = l->k; q % SOS_LANES; q++) scratch[q] = -0x1p62; /* pays nothing */
    const double level = (sos_has_avx2() ? find_level_by_avx2 : find_level_by_any)(l->k, scratch, (double)unit, (double)total);
    for (uint32_t q = 0; q < l->k; q++) {
        const double wanted = scratch[q] - level;
        const int64_t now = wanted <= 0 ? 0 : wanted >= (double)unit ? unit : (int64_t)wanted;
        int64_t *share = share_at(f, l, q) + j;
        f->excess[l->member[q]] += *share - now;
        *share = now;
        total -= now;
    }
    for (uint32_t q = 0; total && q < l->k; q++) { /* what rounding left */
        int64_t *share = share_at(f, l, q) + j;
        const int64_t d = total > 0 ? least_of(total, unit - *share) : -least_of(-total, *share);
        f->excess[l->member[q]] -= d;
        *share += d;
        total -= d;
    }
    f->excess[l->node + j] = -total;
}

/* Evens out the excess of two neighbours as far as their pair can carry it. */
static void level_pair(pushing *f, uint32_t c)
{
    int64_t *left = f->left + 2 * (size_t)c, *one = &f->excess[f->net->member[2 * (size_t)c]];
    int64_t *two = &f->excess[f->net->member[2 * (size_t)c + 1]], d = (*one - *two) / 2;
    d = d > left[0] ? left[0] : d < -left[1] ? -left[1] : d;
    left[0] -= d;
    left[1] += d;
    *one -= d;
    *two += d;
}

/* Most excess finds its way to a deficit in this manner before any distance is known.  The second time pays still
 * (measured: 4.2 and 3.3 s with one and two for nine energies of photographs). */
enum { LEVELLINGS = 2 };

static void level_all(pushing *f)
{
    double *scratch = (double *)(void *)f->next; /* and queue and bucket behind, not in use yet */
    for (int i = 0; i < LEVELLINGS; i++) {
        for (uint32_t c = 0; c < f->net->cliques; c++) level_pair(f, c);
        for (size_t c = 0; c < f->energy->concave_count; c++) {
            const list *l = &f->lists[c];
            for (uint32_t j = 0; j < l->pieces && !l->amounts; j++)
                if (f->unit[l->node - f->variables + j] > 0) level_piece(f, l, j, scratch);
        }
    }
}

/* Which arcs members have. */
static void find_arcs(pushing *f)
{
    for (size_t c = 0; c < f->energy->concave_count; c++) {
        const list *l = &f->lists[c];
        for (uint32_t q = 0; q < l->k; q++) {
            const int64_t *share = share_at(f, l, q);
            member_arcs arcs = { 0, 0 };
            for (uint32_t j = 0; j < l->pieces; j++) {
                arcs.in |= (uint32_t)(share[j] > 0) << j;
                arcs.out |= (uint32_t)(share[j] < capacity_at(f, l, q, j)) << j;
            }
            f->arcs[l->first + q] = arcs;
        }
    }
}

/* Takes the flow away from a variable that is fixed: no arc leaves a one, none enters a zero, so that nobody's excess passes
 * (math.md, 5.1).  What it costs is known. */
static void set_aside(pushing *f, uint32_t v)
{
    const bool one = f->energy->fixed[v] != 0;
    const sos_network *net = f->net;
    for (uint32_t a = net->first[v]; a < net->first[v + 1]; a++) {
        const uint32_t c = net->places[a] >> SOS_POSITION_BITS, q = net->places[a] & SOS_POSITION_MASK;
        const uint32_t u = net->member[2 * (size_t)c + 1 - q];
        int64_t *left = f->left + 2 * (size_t)c;
        const int64_t d = one ? left[q] : -left[1 - q];
        if (f->energy->fixed[u] == f->energy->fixed[v]) continue; /* what goes from one to the other is no matter */
        left[q] -= d;
        left[1 - q] += d;
        f->excess[v] -= d;
        f->excess[u] += d;
    }
    for (uint32_t a = net->list_first[v]; a < net->list_first[v + 1]; a++) {
        const list *l = &f->lists[net->list_places[a].clique];
        const uint32_t q = net->list_places[a].member;
        for (uint32_t j = 0; j < l->pieces; j++) {
            int64_t *share = share_at(f, l, q) + j;
            const int64_t d = one ? capacity_at(f, l, q, j) - *share : -*share;
            *share += d;
            f->excess[v] -= d;
            f->excess[l->node + j] += d;
        }
    }
    if (one) sos_wide_add(&f->settled, f->excess[v]);
    f->excess[v] = 0;
}

static void start_flow(pushing *f)
{
    start_nodes(f);
    find_lists(f);
    if (!f->job->same_cliques) {
        *f->rounding = 0;
        for (uint32_t c = 0; c < f->net->cliques; c++) start_pair(f, c);
        for (uint32_t c = 0; c < f->energy->concave_count; c++) start_list(f, c);
        if (f->job->start != SOS_FLOW_KEEP) level_all(f);
        for (uint32_t v = 0; f->energy->fixed && v < f->variables; v++)
            if (f->energy->fixed[v] != SOS_FREE) set_aside(f, v);
        find_arcs(f);
    }
    f->job->rounding += *f->rounding;
}

/* ---------------------------------------------------------------- distances */

static inline void find_node(pushing *f, uint32_t v, int32_t label, uint32_t *tail)
{
    f->label[v] = label;
    f->queue[(*tail)++] = v;
}

/* Nodes that have an arc to v. */
static inline void find_before_variable(pushing *f, uint32_t v, int32_t label, uint32_t *tail)
{
    const sos_network *net = f->net;
    for (uint32_t a = net->first[v]; a < net->first[v + 1]; a++) {
        const size_t slot = 2 * (size_t)(net->places[a] >> SOS_POSITION_BITS) + (net->places[a] & SOS_POSITION_MASK);
        const uint32_t u = net->member[slot ^ 1];
        if (f->label[u] == FAR && f->left[slot ^ 1] > 0) find_node(f, u, label, tail);
    }
    for (uint32_t a = net->list_first[v]; a < net->list_first[v + 1]; a++) {
        list *l = &f->lists[net->list_places[a].clique];
        if (!l->hidden) continue;
        for (uint32_t found = l->hidden & f->arcs[l->first + net->list_places[a].member].in; found; found &= found - 1) {
            const uint32_t j = (uint32_t)__builtin_ctz(found);
            l->hidden &= ~(UINT32_C(1) << j);
            find_node(f, l->node + j, label, tail);
        }
    }
}

static inline void find_before_piece(pushing *f, uint32_t z, int32_t label, uint32_t *tail)
{
    list *l = &f->lists[f->list_of[z - f->variables]];
    const uint32_t bit = UINT32_C(1) << (z - l->node);
    uint32_t rest = 0, *hidden = f->hidden + l->first;
    const bool first = l->rest > l->k;
    for (uint32_t i = 0, count = first ? l->k : l->rest; i < count; i++) {
        const uint32_t q = first ? i : hidden[i], u = l->member[q];
        if (f->label[u] != FAR) continue;
        if (f->arcs[l->first + q].out & bit)
            find_node(f, u, label, tail);
        else
            hidden[rest++] = q;
    }
    l->rest = rest;
}

/* Asks the memory for what the search will look at: nodes of the queue lie anywhere. */
enum { AHEAD = 16 };
static inline void ask_for(const pushing *f, uint32_t later, uint32_t sooner)
{
    const sos_network *net = f->net;
    if (later < f->variables) {
        __builtin_prefetch(net->places + net->first[later]);
        __builtin_prefetch(net->list_places + net->list_first[later]);
    }
    if (sooner >= f->variables || net->first[sooner] == net->first[sooner + 1]) return;
    const uint32_t places[2] = { net->places[net->first[sooner]], net->places[net->first[sooner + 1] - 1] };
    for (int i = 0; i < 2; i++) {
        const size_t slot = 2 * (size_t)(places[i] >> SOS_POSITION_BITS);
        __builtin_prefetch(net->member + slot);
        __builtin_prefetch(f->left + slot);
    }
    for (uint32_t a = net->list_first[sooner]; a < net->list_first[sooner + 1]; a++) {
        const list *l = &f->lists[net->list_places[a].clique];
        if (l->hidden) __builtin_prefetch(f->arcs + l->first + net->list_places[a].member);
    }
}

/* The distance of every node to the nearest deficit.  Nodes that are found are in the queue, the nearest first; returns how
 * many. */
static uint32_t find_distances(pushing *f)
{
    uint32_t tail = 0;
    for (uint32_t v = 0; v < f->nodes; v++) {
        if (f->label[v] == DEAD) continue;
        const bool deficit = f->excess[v] < 0;
        f->label[v] = deficit ? 0 : FAR;
        f->queue[tail] = v;
        tail += deficit;
    }
    for (size_t c = 0; c < f->energy->concave_count; c++) {
        list *l = &f->lists[c];
        l->rest = UINT32_MAX;
        l->hidden = 0;
        for (uint32_t j = 0; j < l->pieces; j++) l->hidden |= (uint32_t)(f->label[l->node + j] == FAR) << j;
    }
    for (uint32_t head = 0; head < tail; head++) {
        const uint32_t v = f->queue[head];
        if (head + AHEAD < tail) ask_for(f, f->queue[head + AHEAD], f->queue[head + AHEAD / 2]);
        if (v < f->variables)
            find_before_variable(f, v, f->label[v] + 1, &tail);
        else
            find_before_piece(f, v, f->label[v] + 1, &tail);
    }
    for (uint32_t v = 0; v < f->nodes; v++) f->label[v] += f->label[v] == FAR;
    memset(f->current, 0, (f->nodes - f->variables) * sizeof *f->current);
    f->found += tail;
    return tail;
}

/* ---------------------------------------------------------------- pushes */

static inline void wait_at_label(pushing *f, uint32_t v)
{
    if (f->next[v] != IDLE) return;
    const int32_t label = f->label[v];
    f->next[v] = f->bucket[label];
    f->bucket[label] = v;
    if (label > f->top) f->top = label;
}

/* One more than the least label that an arc from the node leads to. */
static int32_t label_of_variable(const pushing *f, uint32_t v)
{
    const sos_network *net = f->net;
    int32_t least = FAR;
    for (uint32_t a = net->first[v]; a < net->first[v + 1]; a++) {
        const size_t slot = 2 * (size_t)(net->places[a] >> SOS_POSITION_BITS) + (net->places[a] & SOS_POSITION_MASK);
        const int32_t label = f->label[net->member[slot ^ 1]];
        if (f->left[slot] > 0 && label < least) least = label;
    }
    for (uint32_t a = net->list_first[v]; a < net->list_first[v + 1]; a++) {
        const list *l = &f->lists[net->list_places[a].clique];
        for (uint32_t out = f->arcs[l->first + net->list_places[a].member].out; out; out &= out - 1) {
            const int32_t label = f->label[l->node + (uint32_t)__builtin_ctz(out)];
            if (label < least) least = label;
        }
    }
    return least;
}

static int32_t label_of_piece(const pushing *f, uint32_t z)
{
    const list *l = &f->lists[f->list_of[z - f->variables]];
    const uint32_t bit = UINT32_C(1) << (z - l->node);
    int32_t least = FAR;
    for (uint32_t q = 0; q < l->k; q++)
        if (f->arcs[l->first + q].in & bit && f->label[l->member[q]] < least) least = f->label[l->member[q]];
    return least;
}

static void relabel(pushing *f, uint32_t v)
{
    const int32_t least = v < f->variables ? label_of_variable(f, v) : label_of_piece(f, v), was = f->label[v];
    f->label[v] = least < (int32_t)f->nodes ? least + 1 : FAR; /* no path has more arcs */
    if (!--f->count[was] && was < f->limit) f->limit = was;    /* from beyond no path leads to a deficit */
    if (f->label[v] != FAR) f->count[f->label[v]]++;
    if (v >= f->variables) f->current[v - f->variables] = 0;
    f->looked += v < f->variables ? 8 : f->lists[f->list_of[v - f->variables]].k;
    f->relabels++;
}

/* u has got d.  A deficit takes no more than it lacks; when that is 0, it is none. */
static inline void receive(pushing *f, uint32_t u, int64_t d)
{
    f->pushes++;
    f->excess[u] += d;
    if (f->label[u])
        wait_at_label(f, u);
    else if (!f->excess[u])
        relabel(f, u);
}

/* What a node at that label takes of an excess at most. */
static inline int64_t taken_by(const pushing *f, uint32_t u, int32_t label, int64_t excess)
{
    return label ? excess : least_of(excess, -f->excess[u]);
}

static int64_t push_to_pieces(pushing *f, uint32_t v, int32_t label, int64_t excess)
{
    const sos_network *net = f->net;
    for (uint32_t a = net->list_first[v]; a < net->list_first[v + 1]; a++) {
        const list *l = &f->lists[net->list_places[a].clique];
        const uint32_t q = net->list_places[a].member;
        member_arcs *arcs = &f->arcs[l->first + q];
        for (uint32_t out = arcs->out; out; out &= out - 1) {
            const uint32_t j = (uint32_t)__builtin_ctz(out), bit = UINT32_C(1) << j, z = l->node + j;
            if (f->label[z] != label) continue;
            int64_t *share = share_at(f, l, q) + j;
            const int64_t room = capacity_at(f, l, q, j) - *share, d = least_of(room, taken_by(f, z, label, excess));
            *share += d;
            excess -= d;
            arcs->in |= bit;
            if (d == room) arcs->out &= ~bit;
            receive(f, z, d);
            if (!excess) return 0;
        }
    }
    return excess;
}

static int64_t push_to_neighbours(pushing *f, uint32_t v, int32_t label, int64_t excess)
{
    const sos_network *net = f->net;
    for (uint32_t a = net->first[v]; a < net->first[v + 1] && excess; a++) {
        const size_t slot = 2 * (size_t)(net->places[a] >> SOS_POSITION_BITS) + (net->places[a] & SOS_POSITION_MASK);
        const uint32_t u = net->member[slot ^ 1];
        if (f->label[u] != label || f->left[slot] == 0) continue;
        const int64_t d = least_of(f->left[slot], taken_by(f, u, label, excess));
        f->left[slot] -= d;
        f->left[slot ^ 1] += d;
        excess -= d;
        receive(f, u, d);
    }
    return excess;
}

static int64_t push_to_members(pushing *f, uint32_t z, int32_t label, int64_t excess)
{
    const list *l = &f->lists[f->list_of[z - f->variables]];
    const uint32_t j = z - l->node, bit = UINT32_C(1) << j;
    uint32_t q = f->current[z - f->variables];
    f->looked += l->k - q;
    for (; q < l->k; q++) {
        const uint32_t u = l->member[q];
        member_arcs *arcs = &f->arcs[l->first + q];
        if (f->label[u] != label || !(arcs->in & bit)) continue;
        int64_t *share = share_at(f, l, q) + j;
        const int64_t room = *share, d = least_of(room, taken_by(f, u, label, excess));
        *share -= d;
        excess -= d;
        arcs->out |= bit;
        if (d == room) arcs->in &= ~bit;
        receive(f, u, d);
        if (!excess) break;
    }
    f->looked -= l->k - q;
    f->current[z - f->variables] = q;
    return excess;
}

/* Pushes what it can; the rest waits at another label. */
static void discharge(pushing *f, uint32_t v)
{
    const int32_t label = f->label[v] - 1;
    int64_t excess = f->excess[v];
    f->discharges++;
    if (v < f->variables) {
        f->looked += 8;
        excess = push_to_pieces(f, v, label, excess);
        if (excess) excess = push_to_neighbours(f, v, label, excess);
    } else {
        excess = push_to_members(f, v, label, excess);
    }
    f->excess[v] = excess;
    if (excess) relabel(f, v);
}

/* Discharges the nodes that wait at a label; returns whether there were any. */
static bool drain(pushing *f, int32_t label)
{
    const bool any = f->bucket[label] != NONE;
    while (f->bucket[label] != NONE) {
        const uint32_t v = f->bucket[label];
        f->bucket[label] = f->next[v];
        f->next[v] = IDLE;
        discharge(f, v);
        if (f->excess[v] && f->label[v] <= f->limit) wait_at_label(f, v);
    }
    return any;
}

/* The nearest first: most excess cannot get away in the end, and should not be moved about in vain.  Nodes of one label come
 * together, so that a piece has all that they give it when its turn comes. */
static void drain_all(pushing *f, uint64_t most)
{
    for (int32_t far = 1; far <= f->limit && far <= f->top; far++)
        for (bool any = true; any;) {
            any = false;
            for (int32_t label = far; label > 0; label--) any |= drain(f, label);
            if (f->looked > most) return;
        }
}

static bool stopped(const pushing *f)
{
    const sos_minimize_settings *s = f->job->settings;
    if (s->work.progress && !f->job->cancelled && !s->work.progress(s->work.user, "minimise", -1)) f->job->cancelled = true;
    return f->job->cancelled;
}

/* Of the nodes that a search found. */
static void count_labels(pushing *f, uint32_t found)
{
    f->limit = f->label[f->queue[found - 1]] + 1;
    memset(f->count, 0, ((size_t)f->nodes + 2) * sizeof *f->count);
    for (uint32_t i = 0; i < found; i++) f->count[f->label[f->queue[i]]]++;
}

/* Rounds until no excess can reach a deficit: then the flow is a maximum (math.md, 3.6). */
static void maximize_flow(pushing *f)
{
    memset(f->bucket, 0xFF, ((size_t)f->nodes + 2) * sizeof *f->bucket);
    for (uint32_t v = 0; v < f->nodes; v++) {
        f->next[v] = IDLE;
        f->label[v] = FAR;
    }
    while (!stopped(f)) {
        const uint32_t found = find_distances(f);
        bool any = false;
        f->top = 0;
        for (uint32_t i = 0; i < found; i++) {
            if (f->excess[f->queue[i]] <= 0) continue;
            wait_at_label(f, f->queue[i]);
            any = true;
        }
        if (!any) return;
        count_labels(f, found);
        f->looked = 0;
        drain_all(f, DRAIN_COST * (uint64_t)f->nodes);
        for (int32_t label = 1; label <= f->top; label++)
            while (f->bucket[label] != NONE) {
                const uint32_t v = f->bucket[label];
                f->bucket[label] = f->next[v];
                f->next[v] = IDLE;
            }
    }
}

/* ---------------------------------------------------------------- the answer */

static inline void reach(pushing *f, uint32_t v, uint32_t *tail)
{
    if (f->label[v] < 0) return;
    f->label[v] = -1;
    f->queue[(*tail)++] = v;
}

/* Labels all nodes -1 that excess reaches: the minimal minimiser. */
static void find_reached(pushing *f)
{
    const sos_network *net = f->net;
    uint32_t tail = 0;
    for (uint32_t v = 0; v < f->nodes; v++)
        if (f->excess[v] > 0) reach(f, v, &tail);
    for (uint32_t head = 0; head < tail; head++) {
        const uint32_t v = f->queue[head];
        if (v >= f->variables) {
            const list *l = &f->lists[f->list_of[v - f->variables]];
            for (uint32_t q = 0; q < l->k; q++)
                if (f->arcs[l->first + q].in >> (v - l->node) & 1) reach(f, l->member[q], &tail);
            continue;
        }
        for (uint32_t a = net->first[v]; a < net->first[v + 1]; a++) {
            const size_t slot = 2 * (size_t)(net->places[a] >> SOS_POSITION_BITS) + (net->places[a] & SOS_POSITION_MASK);
            if (f->left[slot] > 0) reach(f, net->member[slot ^ 1], &tail);
        }
        for (uint32_t a = net->list_first[v]; a < net->list_first[v + 1]; a++) {
            const list *l = &f->lists[net->list_places[a].clique];
            for (uint32_t out = f->arcs[l->first + net->list_places[a].member].out; out; out &= out - 1)
                reach(f, l->node + (uint32_t)__builtin_ctz(out), &tail);
        }
    }
}

static void finish(pushing *f)
{
    sos_flow_job *job = f->job;
    const uint8_t *fixed = f->energy->fixed;
    if (!job->cancelled) {
        if (!job->settings->maximal) find_reached(f);
        for (uint32_t v = 0; v < f->variables; v++) {
            const bool one = job->settings->maximal ? f->label[v] >= FAR : f->label[v] < 0;
            job->labels[v] = fixed && fixed[v] != SOS_FREE ? fixed[v] : one;
        }
    }
    sos_wide sum = f->settled;
    for (uint32_t v = 0; v < f->nodes; v++) sos_wide_add(&sum, f->excess[v] > 0 ? f->excess[v] : 0);
    job->settled = fixed != NULL;
    job->deep = true;
    job->bound = sos_wide_value(sum, -f->net->scaling.exponent);
    job->bound.total = -job->bound.total;
    job->result->augmentations = f->discharges;
    job->result->pushes = f->pushes;
    job->result->adoptions = f->relabels;
    job->result->growths = f->found;
}

static void push_run(sos_flow_job *job)
{
    pushing f = { .net = job->network,
                  .energy = job->energy,
                  .job = job,
                  .variables = job->network->variables,
                  .nodes = job->network->nodes };
    sos_arena arena = { .base = job->block };
    push_layout(&f, &arena, job->network, job->energy);
    const double began = sos_seconds();
    start_flow(&f);
    const double started = sos_seconds();
    maximize_flow(&f);
    finish(&f);
    job->result->seconds_build += started - began;
    job->result->seconds_solve = sos_seconds() - started;
}

const sos_flow_ops sos_push_ops = { push_bytes, push_run };
