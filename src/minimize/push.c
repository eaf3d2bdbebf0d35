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
 *     side      node             whether it is taken for a one
 *
 * A guess parts the nodes into ones and zeros, such that no arc leads from ones to zeros (push_start.inc).  Then the zeros'
 * excess is pushed to their deficits; those that what is left of it reaches join the ones; and the ones' deficits are pulled,
 * as one pushes excess with all arcs turned round, to their excess.  The flow is a maximum then, whatever the guess was; with a
 * good one there is little to push or to pull.
 *
 * A round finds all distances by a search from the deficits, then discharges the nodes with excess, the nearest first, until
 * that has taken as long as some searches.  Nodes that keep some excess get a new label and wait there.  O(nodes^2 arcs) at
 * worst; in practice some rounds. */
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
    uint32_t ones;   /* members on the ones' side, where there are sides */
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
    double *level;                                       /* of piece: what it was levelled to */
    uint8_t *side;                                       /* of node: the ones', or the zeros'; kept for the next run */

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
    f->level = sos_arena_take(arena, pieces, sizeof *f->level);
    f->side = sos_arena_take(arena, nodes, sizeof *f->side);
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

#include "minimize/push_start.inc"

#include "minimize/push_pack.inc"

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

/* Takes away what still waits. */
static void empty_buckets(pushing *f)
{
    for (int32_t label = 1; label <= f->top; label++)
        while (f->bucket[label] != NONE) {
            const uint32_t v = f->bucket[label];
            f->bucket[label] = f->next[v];
            f->next[v] = IDLE;
        }
}

/* Rounds among the nodes of a side, as if there were no others, until no excess can reach a deficit. */
static void maximize_side(pushing *f, bool side)
{
    memset(f->bucket, 0xFF, ((size_t)f->nodes + 2) * sizeof *f->bucket);
    for (uint32_t v = 0; v < f->nodes; v++) {
        f->next[v] = IDLE;
        f->label[v] = f->side[v] == side ? FAR : DEAD;
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
        empty_buckets(f);
    }
}

/* Turns all arcs round, so that excess is deficit and deficit excess. */
static void mirror(pushing *f)
{
    for (uint32_t v = 0; v < f->nodes; v++) f->excess[v] = -f->excess[v];
    for (uint32_t c = 0; c < f->net->cliques; c++) {
        int64_t *left = f->left + 2 * (size_t)c, zero = left[0];
        left[0] = left[1];
        left[1] = zero;
    }
    for (size_t c = 0; c < f->energy->concave_count; c++) {
        const list *l = &f->lists[c];
        for (uint32_t q = 0; q < l->k; q++) {
            int64_t *share = share_at(f, l, q);
            member_arcs *arcs = &f->arcs[l->first + q];
            for (uint32_t j = 0; j < l->pieces; j++) share[j] = capacity_at(f, l, q, j) - share[j];
            *arcs = (member_arcs){ arcs->out, arcs->in };
        }
    }
}

/* ---------------------------------------------------------------- what excess reaches */

static inline void reach(pushing *f, uint32_t v, uint32_t *tail)
{
    if (f->label[v] < 0) return;
    f->label[v] = -1;
    f->queue[(*tail)++] = v;
}

/* Labels all nodes -1 that excess reaches, of those that have no such label yet.  They are in the queue; returns how many. */
static uint32_t find_reached(pushing *f)
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
    return tail;
}

/* What the zeros' excess reaches joins the ones: no arc leads from them to zeros then, and no zero has excess. */
static void join_ones(pushing *f)
{
    for (uint32_t v = 0; v < f->nodes; v++) f->label[v] = f->side[v] ? -1 : 0;
    for (uint32_t i = find_reached(f); i-- > 0;) f->side[f->queue[i]] = 1;
}

/* Then no excess can reach a deficit, and the flow is a maximum (math.md, 3.6 and 7.4). */
static void maximize_flow(pushing *f)
{
    maximize_side(f, 0);
    if (f->job->cancelled) return;
    join_ones(f);
    mirror(f);
    maximize_side(f, 1);
    mirror(f);
}

/* ---------------------------------------------------------------- the answer */

/* The nodes that excess reaches, or those from which no path leads to a deficit. */
static void find_ones(pushing *f)
{
    const bool maximal = f->job->settings->maximal;
    for (uint32_t v = 0; v < f->nodes; v++) f->label[v] = FAR;
    if (maximal)
        find_distances(f);
    else
        find_reached(f);
    for (uint32_t v = 0; v < f->nodes; v++) f->side[v] = maximal ? f->label[v] >= FAR : f->label[v] < 0;
}

static void finish(pushing *f)
{
    sos_flow_job *job = f->job;
    const uint8_t *fixed = f->energy->fixed;
    if (!job->cancelled) {
        find_ones(f);
        for (uint32_t v = 0; v < f->variables; v++) job->labels[v] = fixed && fixed[v] != SOS_FREE ? fixed[v] : f->side[v];
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
