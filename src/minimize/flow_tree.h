/* flow_tree.h - the search trees: growing, augmenting, adopting.  A part of flow.c. */
#ifndef SOS_MINIMIZE_FLOW_TREE_H
#define SOS_MINIMIZE_FLOW_TREE_H

#include "minimize/flow_clique.h"

INLINE void list(flow *f, int side, int deeper, uint32_t v)
{
    const int p = f->parity[side] ^ deeper;
    const uint32_t bit = 1u << (2 * side + p);
    if (f->node[v].flags & bit) return;
    f->node[v].flags |= bit;
    f->layer[side][p][f->listed[side][p]++] = v;
}

/* The link stays until the orphan is adopted, so that paths can still be walked. */
INLINE void make_orphan(flow *f, uint32_t v)
{
    if (f->node[v].flags & ORPHAN) return;
    const int32_t d = abs(f->label[v]);
    f->node[v].flags |= ORPHAN;
    f->node[v].next = f->bucket[d];
    f->bucket[d] = v;
    if (d < f->nearest) f->nearest = d;
    if (d > f->farthest) f->farthest = d;
}

/* Those of some members whose labels are the given one, as bits, or the first of them.  Which arcs there are, and which labels,
 * no processor guesses: small cliques are looked at without a branch. */
INLINE uint32_t labelled(const flow *f, uint32_t start, uint32_t members, int32_t label)
{
    if (K == 4) return picked_equal(f->label, f->member + start, label) & members;
    for (; members; members &= members - 1)
        if (f->label[f->member[start + (unsigned)__builtin_ctz(members)]] == label) return members;
    return 0;
}

INLINE void orphan_children(flow *f, uint32_t v)
{
    for (uint32_t a = f->first[v]; a < f->first[v + 1]; a++) {
        const uint32_t c = clique_of(f->places[a]), start = start_of(f, c);
        const unsigned s = position_of(f->places[a]), k = size_of(f, c);
        for (uint32_t children = bytes_equal(f->up + start, s) & ((1u << k) - 1); children; children &= children - 1)
            make_orphan(f, f->member[start + (unsigned)__builtin_ctz(children)]);
    }
}

INLINE void attach(flow *f, uint32_t v, uint32_t place, unsigned parent)
{
    f->node[v].link = place;
    f->up[start_of(f, clique_of(place)) + position_of(place)] = (uint8_t)parent;
}

/* A parent that an orphan may have: a place of the orphan, the position there, and the distance; 0: none. */
typedef struct parent {
    int32_t distance;
    uint32_t at;
    unsigned position;
} parent;

/* The first at a distance, from place a on. */
INLINE parent parent_at(const flow *f, int side, uint32_t v, uint32_t a, int32_t distance)
{
    for (const uint32_t end = f->first[v + 1]; a < end; a++) {
        const uint32_t c = clique_of(f->places[a]), arcs = arcs_to(f, side, c, position_of(f->places[a]));
        const uint32_t parents = labelled(f, start_of(f, c), arcs, side == SOURCE ? distance : -distance);
        if (parents) return (parent){ distance, a, (unsigned)__builtin_ctz(parents) };
    }
    return (parent){ 0, 0, 0 };
}

/* The first of the nearest, nearer than limit. */
INLINE parent nearest_parent(const flow *f, int side, uint32_t v, int32_t limit)
{
    parent nearest = { 0, 0, 0 };
    for (uint32_t a = f->first[v]; a < f->first[v + 1]; a++) {
        const uint32_t c = clique_of(f->places[a]), start = start_of(f, c);
        for (uint32_t arcs = arcs_to(f, side, c, position_of(f->places[a])); arcs; arcs &= arcs - 1) {
            const unsigned q = (unsigned)__builtin_ctz(arcs);
            const int32_t label = f->label[f->member[start + q]], distance = side == SOURCE ? label : -label;
            if (distance <= 0 || distance >= limit) continue;
            nearest = (parent){ distance, a, q };
            limit = distance;
        }
    }
    return nearest;
}

INLINE void attach_to(flow *f, uint32_t v, parent p)
{
    attach(f, v, f->places[p.at], p.position);
    f->node[v].current = p.at;
}

/* An orphan at distance d keeps its distance if a parent at d - 1 is left; else it takes the nearest parent, which mostly is at
 * d, and its children become orphans; else, if it would lie beyond its tree's depth, it leaves the tree. */
INLINE void adopt_one(flow *f, int side, uint32_t v, int32_t d)
{
    f->adoptions++;
    if (f->node[v].link < LINK_ROOT) f->up[start_of(f, clique_of(f->node[v].link)) + position_of(f->node[v].link)] = UP_NONE;
    f->node[v].link = LINK_NONE;
    parent p = { 0, 0, 0 };
    if (d > 1) p = parent_at(f, side, v, f->node[v].current, d - 1);
    if (p.distance) {
        attach_to(f, v, p);
        return;
    }
    orphan_children(f, v);
    const int32_t limit = f->depth[side] + (f->growing == side);
    if (limit > d) p = parent_at(f, side, v, f->first[v], d);
    if (limit > d + 1 && !p.distance) p = nearest_parent(f, side, v, limit);
    f->label[v] = 0;
    if (!p.distance) return;
    f->label[v] = side == SOURCE ? p.distance + 1 : -p.distance - 1;
    attach_to(f, v, p);
    if (p.distance + 1 >= f->depth[side]) list(f, side, p.distance + 1 > f->depth[side], v);
}

/* Nearest first: who could be a parent at d - 1 has its final distance by then. */
static void adopt(flow *f)
{
    for (int32_t d = f->nearest; d <= f->farthest; d++)
        while (f->bucket[d] != LINK_NONE) {
            const uint32_t v = f->bucket[d];
            f->bucket[d] = f->node[v].next;
            f->node[v].flags &= ~(uint32_t)ORPHAN;
            if (f->label[v] > 0)
                adopt_one(f, SOURCE, v, d);
            else
                adopt_one(f, SINK, v, d);
        }
    f->nearest = INT32_MAX;
    f->farthest = 0;
}

/* Pushing may close any arc of a clique, not only the one pushed along. */
INLINE void orphan_cut_off(flow *f, uint32_t c)
{
    const uint32_t start = start_of(f, c);
    const unsigned k = size_of(f, c);
    for (uint32_t linked = ~bytes_equal(f->up + start, UP_NONE) & ((1u << k) - 1); linked; linked &= linked - 1) {
        const unsigned q = (unsigned)__builtin_ctz(linked), p = f->up[start + q];
        const uint32_t v = f->member[start + q];
        if (!(f->label[v] > 0 ? has_arc(f, c, p, q) : has_arc(f, c, q, p))) make_orphan(f, v);
    }
}

/* The step of a path from v towards its root: the arc's clique, v's position in it, its parent's. */
typedef struct step {
    uint32_t c, parent;
    unsigned s, p;
} step;

INLINE step step_up(const flow *f, uint32_t v)
{
    const uint32_t place = f->node[v].link, c = clique_of(place), start = start_of(f, c);
    const unsigned s = position_of(place), p = f->up[start + s];
    return (step){ c, f->member[start + p], s, p };
}

#if defined(SOS_CHECKS)

/* The paper's lemma: pushing along a shortest path brings no node nearer to the source or the sink.  Checked by plain
 * relaxation, which only small networks can afford. */
enum { CHECKED_NODES = 64 };
typedef struct distances {
    uint32_t from_source[CHECKED_NODES], to_sink[CHECKED_NODES];
} distances;

static bool relax(const flow *f, uint32_t c, unsigned i, unsigned j, distances *d)
{
    const uint32_t u = f->member[start_of(f, c) + i], v = f->member[start_of(f, c) + j];
    bool shorter = false;
    if (d->from_source[u] + 1 < d->from_source[v]) d->from_source[v] = d->from_source[u] + 1, shorter = true;
    if (d->to_sink[v] + 1 < d->to_sink[u]) d->to_sink[u] = d->to_sink[v] + 1, shorter = true;
    return shorter;
}

static distances measure(const flow *f)
{
    distances d;
    if (f->nodes > CHECKED_NODES || f->merging) return d;
    for (uint32_t v = 0; v < f->nodes; v++) {
        d.from_source[v] = f->excess[v] > 0 ? 0 : UINT32_MAX / 2;
        d.to_sink[v] = f->excess[v] < 0 ? 0 : UINT32_MAX / 2;
    }
    for (bool shorter = true; shorter;) {
        shorter = false;
        for (uint32_t c = 0; c < f->cliques; c++)
            for (unsigned i = 0; i < size_of(f, c); i++)
                for (unsigned j = 0; j < size_of(f, c); j++)
                    if (i != j && has_arc(f, c, i, j)) shorter |= relax(f, c, i, j, &d);
    }
    return d;
}

static void check_lemma(const flow *f, const distances *before)
{
    if (f->nodes > CHECKED_NODES || f->merging) return;
    const distances after = measure(f);
    for (uint32_t v = 0; v < f->nodes; v++) {
        assert(after.from_source[v] >= before->from_source[v]);
        assert(after.to_sink[v] >= before->to_sink[v]);
    }
}

/* An arc of dep is one with capacity. */
static void check_clique(const flow *f, uint32_t c)
{
    for (unsigned i = 0; i < size_of(f, c); i++)
        for (unsigned j = 0; j < size_of(f, c); j++)
            if (i != j) {
                const cost r = capacity(f, c, i, j);
                assert(r >= 0 && (r > 0) == has_arc(f, c, i, j));
            }
}

#endif

/* What the path between v and its root can carry, root included, if that is less than d. */
INLINE cost narrowest(const flow *f, int side, uint32_t v, cost d)
{
    while (f->node[v].link != LINK_ROOT) {
        const step t = step_up(f, v);
        const cost r = side == SOURCE ? capacity(f, t.c, t.p, t.s) : capacity(f, t.c, t.s, t.p);
        if (r < d) d = r;
        v = t.parent;
    }
    const cost r = side == SOURCE ? f->excess[v] : -f->excess[v];
    return r < d ? r : d;
}

/* Pushes d along that path, from v's end on.  A root that has nothing left is an orphan, or outside the trees no root. */
INLINE void push_along(flow *f, int side, uint32_t v, cost d)
{
    while (f->node[v].link != LINK_ROOT) {
        const step t = step_up(f, v);
        const bool closed = side == SOURCE ? push(f, t.c, t.p, t.s, d, true) : push(f, t.c, t.s, t.p, d, true);
        if (closed) orphan_cut_off(f, t.c);
        v = t.parent;
    }
    f->excess[v] += side == SOURCE ? -d : d;
    if (f->excess[v]) return;
    if (f->label[v])
        make_orphan(f, v);
    else
        f->node[v].link = LINK_NONE;
}

/* Pushes along source ... i -> j ... sink, the arc i -> j of clique c joining the trees. */
static void augment(flow *f, uint32_t c, unsigned i, unsigned j)
{
    const uint32_t ends[2] = { f->member[start_of(f, c) + i], f->member[start_of(f, c) + j] };
    cost d = capacity(f, c, i, j);
    d = narrowest(f, SOURCE, ends[SOURCE], d);
    d = narrowest(f, SINK, ends[SINK], d);
#if defined(SOS_CHECKS)
    const distances before = measure(f);
    assert(d > 0);
#endif
    f->augmentations++;
    if (push(f, c, i, j, d, true)) orphan_cut_off(f, c);
    push_along(f, SOURCE, ends[SOURCE], d);
    push_along(f, SINK, ends[SINK], d);
#if defined(SOS_CHECKS)
    check_lemma(f, &before);
    check_clique(f, c);
#endif
    if (f->farthest) adopt(f);
}

static bool stopped(flow *f)
{
    const sos_minimize_settings *s = f->job->settings;
    if (f->asks && s->progress && !f->job->cancelled && !s->progress(s->user, "minimise", -1)) f->job->cancelled = true;
    return f->job->cancelled;
}

/* Along an arc from position s to q of a clique, the other way round in the sink's tree: a node of the other tree is met ... */
INLINE void meet(flow *f, int side, uint32_t c, unsigned s, unsigned q)
{
    if (side == SOURCE)
        augment(f, c, s, q);
    else
        augment(f, c, q, s);
}

/* ... or one of neither is taken into the tree, for the next layer. */
INLINE void take_in(flow *f, int side, uint32_t c, unsigned s, unsigned q, uint32_t u)
{
    f->label[u] = side == SOURCE ? f->depth[side] + 1 : -f->depth[side] - 1;
    f->node[u].current = f->first[u];
    attach(f, u, place_at(c, q), s);
    list(f, side, 1, u);
}

/* Those of some members that are not in a tree, or more. */
INLINE uint32_t outside(const flow *f, int side, uint32_t start, uint32_t members)
{
    enum { SMALL = K == 2 || K == 4 ? K : 0 };
    const uint32_t *m = f->member + start;
    const int32_t *label = f->label;
    uint32_t inside = 0;
    for (int q = 0; q < SMALL; q++) inside |= (uint32_t)(side == SOURCE ? label[m[q]] > 0 : label[m[q]] < 0) << q;
    return members & ~inside;
}

INLINE void grow_node(flow *f, int side, uint32_t v)
{
    const int32_t sign = side == SOURCE ? 1 : -1, distance = sign * f->depth[side];
    f->growths++;
    for (uint32_t a = f->first[v]; a < f->first[v + 1]; a++) {
        const uint32_t c = clique_of(f->places[a]), start = start_of(f, c);
        const unsigned s = position_of(f->places[a]);
        for (uint32_t arcs = outside(f, side, start, arcs_from(f, side, c, s)); arcs;) {
            const unsigned q = (unsigned)__builtin_ctz(arcs);
            const uint32_t u = f->member[start + q];
            const int32_t label = sign * f->label[u];
            if (label == 0) {
                take_in(f, side, c, s, q, u);
            } else if (label < 0) {
                meet(f, side, c, s, q);
                if (f->label[v] != distance) return;
                arcs = outside(f, side, start,
                               arcs_from(f, side, c, s) & ~((1u << q) - 1)); /* that arc again, if it is there */
                continue;
            }
            arcs &= arcs - 1;
        }
    }
}

/* Asks the memory for what growing a node will look at first.  Nodes of a layer lie anywhere. */
INLINE void look_ahead(const flow *f, uint32_t v)
{
    const uint32_t first = f->first[v], end = f->first[v + 1];
    if (first == end) return;
    const uint32_t starts[2] = { start_of(f, clique_of(f->places[first])), start_of(f, clique_of(f->places[end - 1])) };
    for (int i = 0; i < 2; i++) {
        __builtin_prefetch(f->member + starts[i]);
        if (K == 2) __builtin_prefetch(f->alpha + starts[i]);
    }
}

typedef void on_node(flow *f, int side, uint32_t v);

/* Visits the nodes at the tree's depth; what they reach is one deeper. */
INLINE void scan_layer(flow *f, int side, on_node *visit)
{
    const int p = f->parity[side];
    const int32_t distance = side == SOURCE ? f->depth[side] : -f->depth[side];
    f->growing = side;
    for (uint32_t i = 0; i < f->listed[side][p]; i++) {
        if (i % 4096 == 4095 && stopped(f)) return;
        const uint32_t *next = f->layer[side][p] + i, v = *next;
        if (i + 8 < f->listed[side][p]) {
            __builtin_prefetch(f->places + f->first[next[8]]);
            look_ahead(f, next[4]);
        }
        f->node[v].flags &= ~(1u << (2 * side + p));
        if (f->label[v] == distance) visit(f, side, v);
    }
    f->growing = -1;
    f->listed[side][p] = 0;
    f->parity[side] = !p;
    f->depth[side]++;
}

INLINE void grow_layer(flow *f, int side)
{
    if (side == SOURCE)
        scan_layer(f, SOURCE, grow_node);
    else
        scan_layer(f, SINK, grow_node);
}

INLINE uint32_t frontier(const flow *f, int side) { return f->listed[side][f->parity[side]]; }

/* No node is an orphan, none has a parent. */
static void clear_trees(flow *f)
{
    memset(f->bucket, 0xFF, ((size_t)f->nodes + 2) * sizeof *f->bucket);
    memset(f->up, UP_NONE, f->net->slots);
}

/* settling: some nodes may be settled. */
INLINE void plant_roots(flow *f, bool settling)
{
    uint32_t sources = 0, sinks = 0, *source = f->layer[SOURCE][0], *sink = f->layer[SINK][0];
    for (uint32_t v = f->begin; v < f->end; v++) { /* without branches: no processor guesses signs */
        const cost x = f->excess[v];
        const bool settled = settling && abs(f->label[v]) == SETTLED, above = x > 0 && !settled, below = x < 0 && !settled;
        f->node[v] = (node){ .link = x ? LINK_ROOT : LINK_NONE,
                             .current = f->first[v],
                             .flags = (uint32_t)above << 2 * SOURCE | (uint32_t)below << 2 * SINK }; /* as list() does */
        f->label[v] = settled ? f->label[v] : above - below;
        source[sources] = v;
        sink[sinks] = v;
        sources += above;
        sinks += below;
    }
    f->listed[SOURCE][0] = sources;
    f->listed[SINK][0] = sinks;
}

static void plant_trees(flow *f)
{
    f->nearest = INT32_MAX;
    f->farthest = 0;
    f->growing = -1;
    f->depth[SOURCE] = f->depth[SINK] = 1;
    f->parity[SOURCE] = f->parity[SINK] = 0;
    memset(f->listed, 0, sizeof f->listed);
    if (f->settled_any || f->job->energy->fixed)
        plant_roots(f, true);
    else
        plant_roots(f, false);
}

/* Completes a tree when no path is left to find: which nodes it reaches is all that matters now. */
INLINE void complete(flow *f, int side)
{
    const int p = f->parity[side];
    const int32_t reached = side == SOURCE ? f->depth[side] + 1 : -f->depth[side] - 1;
    uint32_t *stack = f->layer[side][p], top = 0;
    for (uint32_t i = 0; i < f->listed[side][p]; i++) /* in place: the top never passes i */
        if (abs(f->label[stack[i]]) == f->depth[side] && (f->label[stack[i]] > 0) == (side == SOURCE)) stack[top++] = stack[i];
    while (top) {
        const uint32_t v = stack[--top];
        f->growths++;
        for (uint32_t a = f->first[v]; a < f->first[v + 1]; a++) {
            const uint32_t c = clique_of(f->places[a]), start = start_of(f, c);
            uint32_t arcs = arcs_from(f, side, c, position_of(f->places[a]));
            for (arcs = labelled(f, start, arcs, 0); arcs; arcs = labelled(f, start, arcs & (arcs - 1), 0)) {
                const uint32_t u = f->member[start + (unsigned)__builtin_ctz(arcs)];
                f->label[u] = reached;
                stack[top++] = u;
            }
        }
    }
}

/* What growing a node costs, in adoptions.  Measured with pairs and 2x2 patches: about one.  With 3x3 patches several, as
 * growing looks at all members of all cliques, and adopting stops at the first parent. */
enum { GROWTH_COST = K == 2 || K == 4 ? 1 : 8 };

/* Grows a tree by a layer until one is complete: then no path is left.  It is the one with the smaller frontier, which often
 * stays the same.  The deeper it gets, the more orphans each path leaves there; when they have cost as much as the other tree's
 * next layer would, that one has its turn. */
static void grow_trees(flow *f)
{
    uint64_t spent[2] = { 0, 0 }; /* on each tree since the other grew */
    while (frontier(f, SOURCE) && frontier(f, SINK) && !stopped(f)) {
        int side = frontier(f, SOURCE) <= frontier(f, SINK) ? SOURCE : SINK;
        if (spent[side] > GROWTH_COST * (uint64_t)frontier(f, !side)) side = !side;
        const uint64_t before = f->adoptions + f->growths;
        grow_layer(f, side);
        spent[side] += f->adoptions + f->growths - before;
        spent[!side] = 0;
    }
}

/* The minimal minimiser is what the source reaches, the maximal one what does not reach the sink: that tree is completed. */
static void maximize_flow(flow *f, bool maximal)
{
    clear_trees(f);
    plant_trees(f);
    grow_trees(f);
    if (f->job->cancelled) return;
    if (maximal)
        complete(f, SINK);
    else
        complete(f, SOURCE);
}

#endif
