/* flow_regions.h - a network that is cut into regions (regions.h): the flow inside each, then merges.  A part of flow.c.
 *
 * While a region is solved, cliques across its border are closed: they have no arcs, and what they carry stays what it is.
 * Then one of the trees, the driver, holds all nodes that it reaches: the source's where the minimal minimiser is wanted.  A
 * merge opens the cliques between two groups of regions and goes on with the trees that are there (math.md, 5.5).  Between
 * merges, with the source driving (the sink: all arcs turned round):
 *
 *     an arc from a node of the source tree ends in that tree, and at most one farther from the source
 *     an arc between nodes of the sink tree begins at most one farther from the sink than it ends
 *     roots may be at any distance; nodes in neither tree may have a deficit, and are then linked as roots are
 *
 * The other tree only shrinks: who would be farther from its roots than its depth leaves it.  All work is near the borders, so
 * that merges take a small part of the time. */
#ifndef SOS_MINIMIZE_FLOW_REGIONS_H
#define SOS_MINIMIZE_FLOW_REGIONS_H

#include "minimize/flow_start.h"
#include "minimize/flow_tree.h"

#if defined(_OPENMP)
#include <omp.h>
#define THREAD_NUMBER omp_get_thread_num()
#else
#define THREAD_NUMBER 0
#endif

/* Regions. */

/* The flow among the nodes of so many regions from the first on. */
static flow flow_of_regions(const flow *f, uint32_t first, uint32_t count)
{
    const sos_regions *r = f->job->regions;
    flow part = *f;
    const uint64_t end = ((uint64_t)first + count) * r->nodes;
    part.begin = first * r->nodes;
    part.end = end < f->nodes ? (uint32_t)end : f->nodes;
    part.bucket += part.begin; /* distances are at most the number of nodes, and at least 1 */
    for (int side = SOURCE; side <= SINK; side++)
        for (int p = 0; p < 2; p++) part.layer[side][p] += part.begin;
    part.asks = THREAD_NUMBER == 0;
    part.settled = (sos_wide){ 0, 0 };
    part.augmentations = part.inside = part.pushes = part.adoptions = part.growths = 0;
    return part;
}

/* Adds up what a part counted: whole numbers, so that the order is no matter. */
static void count_in(flow *f, const flow *part)
{
#pragma omp critical(sos_flow_count_in)
    {
        f->settled.high += part->settled.high;
        f->settled.low += part->settled.low;
        f->augmentations += part->augmentations;
        f->inside += part->inside;
        f->pushes += part->pushes;
        f->adoptions += part->adoptions;
        f->growths += part->growths;
    }
}

INLINE bool lies_inside(const flow *f, uint32_t c)
{
    const uint32_t *member = f->member + start_of(f, c), nodes = f->end - f->begin;
    const unsigned k = size_of(f, c);
    bool inside = true;
    for (unsigned q = 0; q < k; q++) inside &= member[q] - f->begin < nodes;
    return inside;
}

/* The clique whose first member is at place a, if it lies inside; else false. */
INLINE bool owns(const flow *f, uint32_t a, uint32_t *c)
{
    *c = clique_of(f->places[a]);
    return position_of(f->places[a]) == 0 && lies_inside(f, *c);
}

static double start_region(flow *f, const sos_energy *e)
{
    known_pair known = { .table = UINT32_MAX };
    const uint32_t first = f->first[f->begin], end = f->first[f->end];
    uint32_t c;
    for (uint32_t a = first; a < end; a++) {
        if (!owns(f, a, &c)) continue;
        start_clique(f, e, c, false, &known);
        memset(f->up + start_of(f, c), UP_NONE, size_of(f, c));
    }
    for (uint32_t a = first; e->fixed && a < end; a++)
        if (owns(f, a, &c)) order_base(f, c, NULL);
    set_aside(f);
    for (uint32_t a = first; a < end; a++)
        if (owns(f, a, &c)) push_inside(f, c);
    f->inside = f->pushes;
    return known.sum;
}

/* The flow inside, from new trees; then all that the driver reaches. */
static void solve_inside(flow *f, int driver)
{
    plant_trees(f);
    grow_trees(f);
    while (frontier(f, driver) && !f->job->cancelled) grow_layer(f, driver);
}

static void solve_region(flow *f, const sos_energy *e, uint32_t number, int driver)
{
    sos_regions *r = f->job->regions;
    memset(f->bucket + 1, 0xFF, (size_t)(f->end - f->begin) * sizeof *f->bucket);
    r->rounding[number] = start_region(f, e);
    solve_inside(f, driver);
    memcpy(r->depth[number], f->depth, sizeof f->depth);
}

/* Cliques that wait for a merge. */

static void close_crossing(flow *f, const sos_energy *e)
{
    sos_regions *r = f->job->regions;
    known_pair known = { .table = UINT32_MAX };
    for (uint32_t i = 0; i < r->first[r->merges]; i++) {
        const uint32_t c = r->crossing[i], start = start_of(f, c);
        const unsigned k = size_of(f, c);
        start_clique(f, e, c, false, &known);
        if (e->fixed) order_base(f, c, NULL);
        memset(f->up + start, UP_NONE, k);
        if (k == 2) {
            for (unsigned q = 0; q < 2; q++) {
                r->left[2 * i + q] = f->alpha[start + q];
                f->alpha[start + q] = 0;
            }
        } else if (K == 4) {
            f->dep[c] = 0;
        } else {
            memset(f->dep + start, 0, k * sizeof *f->dep);
        }
    }
    f->job->rounding += known.sum;
}

/* What the arc from x to y would break, by their labels. */
INLINE bool breaks(int driver, int32_t x, int32_t y)
{
    if (abs(x) == SETTLED || abs(y) == SETTLED) return false; /* their bases see to that */
    if (x > 0 && y > 0) return y > x + 1;
    if (x < 0 && y < 0) return -x > -y + 1;
    return driver == SOURCE ? x > 0 : y < 0;
}

static bool has_broken_arc(const flow *f, int driver, uint32_t c)
{
    const uint32_t *member = f->member + start_of(f, c);
    const unsigned k = size_of(f, c);
    for (unsigned i = 0; i < k; i++)
        for (uint32_t arcs = out_arcs(f, c, i); arcs; arcs &= arcs - 1)
            if (breaks(driver, f->label[member[i]], f->label[member[(unsigned)__builtin_ctz(arcs)]])) return true;
    return false;
}

/* Ones, the source tree from its roots on, the rest, the sink tree towards its roots, zeros: by rising rank. */
INLINE int64_t rank_of(int32_t label)
{
    const int64_t REST = INT64_C(1) << 32;
    if (label == SETTLED) return -1;
    if (label == -SETTLED) return 2 * REST;
    return label > 0 ? label : label < 0 ? 2 * REST + label - 1 : REST;
}

/* Positions of the members by rank. */
static void order_members(const flow *f, uint32_t c, unsigned order[])
{
    const uint32_t *member = f->member + start_of(f, c);
    const unsigned k = size_of(f, c);
    for (unsigned q = 0; q < k; q++) {
        unsigned at = q;
        for (; at > 0 && rank_of(f->label[member[order[at - 1]]]) > rank_of(f->label[member[q]]); at--)
            order[at] = order[at - 1];
        order[at] = q;
    }
}

INLINE void add_excess(flow *f, uint32_t v, cost d)
{
    if (abs(f->label[v]) != SETTLED) f->excess[v] += d; /* what settled nodes cost together stays the same */
}

/* The greedy base in that order: arcs only lead from later members to earlier ones, and break nothing. */
static void open_ordered(flow *f, uint32_t c)
{
    const uint32_t start = start_of(f, c), *member = f->member + start;
    const unsigned k = size_of(f, c);
    cost *a = f->alpha + start;
    unsigned order[SOS_TABLE_MEMBERS_MAX];
    order_members(f, c, order);
    if (k == 2) {
        const unsigned one = order[0], two = order[1];
        const cost d = a[one];
        a[one] = 0;
        a[two] += d;
        add_excess(f, member[one], -d);
        add_excess(f, member[two], d);
        return;
    }
    const cost *F = table_at(f, c), w = weight_of(f, c);
    uint32_t S = 0;
    for (unsigned n = 0; n < k; n++) {
        const unsigned q = order[n];
        const cost before = a[q];
        a[q] = w * (F[S | UINT32_C(1) << q] - F[S]);
        S |= UINT32_C(1) << q;
        add_excess(f, member[q], before - a[q]);
    }
    update_dep(f, c);
}

static void open_clique(flow *f, int driver, uint32_t i)
{
    const sos_regions *r = f->job->regions;
    const uint32_t c = r->crossing[i], start = start_of(f, c);
    if (size_of(f, c) == 2) {
        f->alpha[start] = (cost)r->left[2 * i];
        f->alpha[start + 1] = (cost)r->left[2 * i + 1];
    } else {
        update_dep(f, c);
    }
    if (has_broken_arc(f, driver, c)) open_ordered(f, c);
}

/* Merging. */

INLINE cost own_excess(const flow *f, int side, uint32_t v) { return side == SOURCE ? f->excess[v] : -f->excess[v]; }

/* A member of an opened clique that is in a tree is a root if it has what roots have, and else is none. */
static void fit_root(flow *f, uint32_t v)
{
    const int32_t label = f->label[v];
    f->node[v].current = f->first[v];
    if (!label || abs(label) == SETTLED) return;
    const bool root = f->node[v].link == LINK_ROOT;
    if (own_excess(f, label > 0 ? SOURCE : SINK, v) <= 0) {
        if (root) make_orphan(f, v);
    } else if (!root) {
        f->up[start_of(f, clique_of(f->node[v].link)) + position_of(f->node[v].link)] = UP_NONE;
        f->node[v].link = LINK_ROOT;
    }
}

/* Takes from v's root what v is short of, as far as its tree can carry that. */
static void fill_up(flow *f, uint32_t v)
{
    while (f->label[v]) {
        const int side = f->label[v] > 0 ? SOURCE : SINK;
        const cost lacking = -own_excess(f, side, v);
        if (lacking <= 0) return;
        const cost d = narrowest(f, side, v, lacking);
        push_along(f, side, v, d);
        f->excess[v] += side == SOURCE ? d : -d;
        f->augmentations++;
        if (f->farthest) adopt(f);
    }
}

/* A member in neither tree: a new root of the driver at its depth, or linked as a root where it lacks what the driver has. */
static void fit_free(flow *f, int driver, uint32_t v)
{
    const cost own = own_excess(f, driver, v);
    f->node[v].link = own ? LINK_ROOT : LINK_NONE;
    if (own <= 0) return;
    f->label[v] = driver == SOURCE ? f->depth[driver] : -f->depth[driver];
    list(f, driver, 0, v);
}

/* Grows a node of the driver.  Within a clique paths to the nearest nodes of the other tree come first, then those to nodes
 * in neither: what comes after cannot bring nodes of that tree nearer to each other (math.md, 5.5). */
INLINE void drive_node(flow *f, int side, uint32_t v)
{
    const int32_t sign = side == SOURCE ? 1 : -1, distance = sign * f->depth[side];
    f->growths++;
    for (uint32_t a = f->first[v]; a < f->first[v + 1]; a++) {
        const uint32_t c = clique_of(f->places[a]), start = start_of(f, c);
        const unsigned s = position_of(f->places[a]);
        for (;;) {
            int32_t nearest = INT32_MAX;
            unsigned to = 0;
            for (uint32_t arcs = arcs_from(f, side, c, s); arcs; arcs &= arcs - 1) {
                const unsigned q = (unsigned)__builtin_ctz(arcs);
                const uint32_t u = f->member[start + q];
                const int32_t label = sign * f->label[u];
                const int32_t far = label < 0 ? -label : label == 0 && f->node[u].link == LINK_ROOT ? SETTLED - 1 : INT32_MAX;
                if (far >= nearest) continue;
                nearest = far;
                to = q;
            }
            if (nearest == INT32_MAX) break;
            meet(f, side, c, s, to);
            if (f->label[v] != distance) return;
        }
        for (uint32_t arcs = arcs_from(f, side, c, s); arcs; arcs &= arcs - 1) {
            const unsigned q = (unsigned)__builtin_ctz(arcs);
            const uint32_t u = f->member[start + q];
            if (!f->label[u]) take_in(f, side, c, s, q, u);
        }
    }
}

static void uproot(flow *f)
{
    for (uint32_t a = f->first[f->begin]; a < f->first[f->end]; a++)
        f->up[start_of(f, clique_of(f->places[a])) + position_of(f->places[a])] = UP_NONE;
}

/* Distances grow from merge to merge.  Where they would leave the buckets, the trees are planted anew. */
static void drive(flow *f, int driver)
{
    while (frontier(f, driver) && !stopped(f)) {
        if ((uint32_t)f->depth[driver] >= f->end - f->begin) {
            uproot(f);
            solve_inside(f, driver);
        } else if (driver == SOURCE) {
            scan_layer(f, SOURCE, drive_node);
        } else {
            scan_layer(f, SINK, drive_node);
        }
    }
}

#if defined(SOS_CHECKS)
static void check_labels(const flow *f, int driver)
{
    for (uint32_t a = f->first[f->begin]; a < f->first[f->end]; a++) {
        uint32_t c;
        if (owns(f, a, &c)) assert(!has_broken_arc(f, driver, c));
    }
}
#endif

typedef void on_member(flow *f, uint32_t v);

/* The members of the cliques first .. end - 1 of those that wait. */
static void for_members(flow *f, uint32_t first, uint32_t end, on_member *visit)
{
    const uint32_t *crossing = f->job->regions->crossing;
    for (uint32_t i = first; i < end; i++)
        for (unsigned q = 0; q < size_of(f, crossing[i]); q++) visit(f, f->member[start_of(f, crossing[i]) + q]);
}

static void fit_rest(flow *f, uint32_t v)
{
    const int driver = f->job->settings->maximal ? SINK : SOURCE;
    fill_up(f, v);
    if (!f->label[v]) fit_free(f, driver, v);
}

static void merge(flow *f, int driver, uint32_t number)
{
    const uint32_t *first = f->job->regions->first;
    f->nearest = INT32_MAX;
    f->farthest = 0;
    f->growing = -1;
    memset(f->listed, 0, sizeof f->listed);
    f->parity[SOURCE] = f->parity[SINK] = 0;
    for (uint32_t i = first[number]; i < first[number + 1]; i++) open_clique(f, driver, i);
    for_members(f, first[number], first[number + 1], fit_root);
    if (f->farthest) adopt(f);
    for_members(f, first[number], first[number + 1], fit_rest);
    drive(f, driver);
#if defined(SOS_CHECKS)
    if (!f->job->cancelled) check_labels(f, driver);
#endif
}

static void run_regions(flow *f, const sos_energy *e)
{
    sos_regions *r = f->job->regions;
    const int driver = f->job->settings->maximal ? SINK : SOURCE, threads = f->job->threads;
    (void)threads;
    f->merging = true;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (uint32_t i = 0; i < r->count; i++) {
        flow part = flow_of_regions(f, i, 1);
        if (!f->job->cancelled) solve_region(&part, e, i, driver);
        count_in(f, &part);
    }
    for (uint32_t i = 0; i < r->count; i++) f->job->rounding += r->rounding[i];
    for (uint32_t level = 0, number = 0; level < r->levels && !f->job->cancelled; number += sos_regions_merges(r, level++)) {
#pragma omp parallel for num_threads(threads) schedule(static, 1)
        for (uint32_t g = 0; g < sos_regions_merges(r, level); g++) {
            const uint32_t first = g << (level + 1), other = first + (UINT32_C(1) << level);
            if (other >= r->count) continue;
            flow part = flow_of_regions(f, first, UINT32_C(2) << level);
            for (int side = SOURCE; side <= SINK; side++)
                part.depth[side] = r->depth[first][side] > r->depth[other][side] ? r->depth[first][side]
                                                                                 : r->depth[other][side];
            if (!f->job->cancelled) merge(&part, driver, number + g);
            memcpy(r->depth[first], part.depth, sizeof part.depth);
            count_in(f, &part);
        }
    }
}

#endif
