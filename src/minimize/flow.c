/* flow.c - maximum submodular flow by incremental breadth-first search.
 *
 * The paper's section 3.2 (Goldberg and others' IBFS, ESA 2011, on a submodular flow network), on compact cliques: a clique
 * keeps no residual table of its own but the flow through it, a base alpha of its function, and shares the table itself.
 *
 *     residual function   f(S) - alpha(S) >= 0, and = 0 for the empty set and for all of the clique          (math.md, 3.2)
 *     residual capacity   c(i,j) = min { f(S) - alpha(S) : i in S, j not in S }                              (math.md, 3.4)
 *     dependency          bit j of dep(i) says that c(i,j) > 0: no tight set separates i from j              (math.md, 3.5)
 *
 * Growing and adopting test bits of dep; capacities are computed on augmenting paths only.
 *
 * This file is compiled once for each size of integers (COST_BITS), each common size of cliques (K; 0: any) and each
 * instruction set (SOS_FLOW_ISA).  K is a constant, so that what other sizes need is compiled away.
 *
 *     array       of            what
 *     alpha       slot          flow through the clique at this member; in a pair: capacity left from this member to the other
 *     dep         slot          bits as above, without the own; K = 4: one word of 4 x 4 bits per clique; pairs: none
 *     up          slot          position of this member's tree parent in the clique, or UP_NONE: no tree arc ends here
 *     unary       node          cost of label 1 less that of label 0
 *     excess      node          > 0: capacity left from the source, < 0: to the sink
 *     label       node          distance from the source (> 0) or to the sink (< 0) of a tree node, 0: in no tree
 *     node        node          of the search, in one place:
 *       link                    place of the tree arc that ends here, LINK_ROOT or LINK_NONE
 *       current                 the first of its places at which a parent at the same distance may still be found
 *       flags                   is it an orphan, in which layers is it listed
 *       next                    next orphan at the same distance; while reducing: the queue
 *     bucket      distance      first orphan
 *     layer       node, 2 x 2   nodes of each tree at its depth, and one deeper
 *
 * Time O(n^2 m 2^k) as in the paper; in practice close to linear.  Memory: see flow_layout. */
#include "minimize/flow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/wide.h"

#if defined(_OPENMP)
#include <omp.h>
#define THREAD_NUMBER omp_get_thread_num()
#else
#define THREAD_NUMBER 0
#endif
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#ifndef COST_BITS /* so that this file stands on its own for tools that read it */
#define COST_BITS    32
#define K            4
#define SOS_FLOW_ISA baseline
#endif

/* The parts, each of which uses those before it. */
#include "minimize/flow_clique.inc"

#include "minimize/flow_start.inc"

#include "minimize/flow_bands.inc"

#include "minimize/flow_tree.inc"

#include "minimize/flow_regions.inc"

static void flow_layout(flow *f, sos_arena *arena, const sos_network *net, const sos_energy *e)
{
    const size_t nodes = net->nodes, costs = K == 2 ? 0 : e->costs_count, tables = K == 2 ? 0 : e->table_count;
    size_t members = 0;
    for (size_t t = 0; t < tables; t++) members += e->tables[t].k;
    f->alpha = sos_arena_take(arena, net->slots, sizeof *f->alpha);
    f->dep = sos_arena_take(arena,
                            K == 2   ? 0
                            : K == 4 ? net->cliques
                                     : (size_t)net->slots + SOS_TABLE_MEMBERS_MAX,
                            sizeof *f->dep);
    f->up = sos_arena_take(arena, (size_t)net->slots + SOS_TABLE_MEMBERS_MAX, sizeof *f->up);
    f->unary = sos_arena_take(arena, nodes, sizeof *f->unary);
    f->excess = sos_arena_take(arena, nodes, sizeof *f->excess);
    f->label = sos_arena_take(arena, nodes, sizeof *f->label);
    f->node = sos_arena_take(arena, nodes, sizeof *f->node);
    f->bucket = sos_arena_take(arena, nodes + 2, sizeof *f->bucket);
    for (int side = SOURCE; side <= SINK; side++)
        for (int p = 0; p < 2; p++) f->layer[side][p] = sos_arena_take(arena, nodes, sizeof *f->layer[side][p]);
    f->table = sos_arena_take(arena, costs, sizeof *f->table);
    f->base = sos_arena_take(arena, members, sizeof *f->base);
    f->was = sos_arena_take(arena, members, sizeof *f->was);
    f->base_at = sos_arena_take(arena, tables, sizeof *f->base_at);
    f->pair_rounding = sos_arena_take(arena, 1, sizeof *f->pair_rounding);
    f->base_dep = sos_arena_take(arena, K == 4 ? tables : members, sizeof *f->base_dep);
    f->changed = sos_arena_take(arena, tables, sizeof *f->changed);
}

static size_t flow_bytes(const sos_network *net, const sos_energy *e)
{
    flow f = { 0 };
    sos_arena arena = { 0 };
    flow_layout(&f, &arena, net, e);
    return arena.overflowed ? 0 : arena.used;
}

/* For loops over all nodes. */
static int threads_of(const flow *f) { return f->job->regions && f->job->threads > 1 ? f->job->threads : 1; }

static void start_nodes(flow *f, const sos_energy *e)
{
    /* The layers are not in use yet, and have room for one 64-bit number per node. */
    int64_t *unary = (int64_t *)(void *)f->layer[0][0];
    const bool same = f->job->same_cliques;
    sos_network_unaries(f->net, e, unary, &f->job->rounding);
    const int threads = threads_of(f);
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (uint32_t v = 0; v < f->nodes; v++) {
        f->excess[v] = (cost)(same ? f->excess[v] + f->unary[v] - unary[v] : -unary[v]);
        f->unary[v] = (cost)unary[v];
        f->label[v] = 0;
    }
    for (uint32_t v = 0; e->fixed && v < f->net->variables; v++)
        if (e->fixed[v] != SOS_FREE) f->label[v] = e->fixed[v] ? SETTLED : -SETTLED;
}

static void start_flow(flow *f, const sos_energy *e, bool at_once)
{
    const bool keep = f->job->start == SOS_FLOW_KEEP;
    if (f->job->same_cliques) {
        f->job->rounding += *f->pair_rounding;
        return;
    }
    const double before = f->job->rounding;
    if (K != 2) take_tables(f, e, keep);
    if (at_once)
        start_in_bands(f, e);
    else
        start_cliques(f, e, keep);
    *f->pair_rounding = f->job->rounding - before;
}

/* Labels of the nodes begin .. end - 1, and the sum of their excess over 0. */
INLINE void read_nodes(const flow *f, uint32_t begin, uint32_t end, bool maximal, sos_wide *sum)
{
    const uint32_t last = end < f->net->variables ? end : f->net->variables;
    uint8_t *labels = f->job->labels;
    for (uint32_t v = begin; v < last && !f->job->cancelled; v++) labels[v] = maximal ? f->label[v] >= 0 : f->label[v] > 0;
    if (COST_BITS == 32) {
        int64_t few = 0; /* a sum of less than 2^31 numbers below 2^31 */
        for (uint32_t v = begin; v < end; v++) few += f->excess[v] > 0 ? f->excess[v] : 0;
        sos_wide_add(sum, few);
        return;
    }
    for (uint32_t v = begin; v < end; v++) sos_wide_add(sum, f->excess[v] > 0 ? f->excess[v] : 0);
}

static void finish(flow *f)
{
    enum { SHARE = 1 << 14 };
    sos_flow_job *job = f->job;
    int64_t high = 0;
    uint64_t low = 0;
    const int threads = threads_of(f);
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : high, low)
    for (uint32_t v = 0; v < f->nodes; v += SHARE) {
        sos_wide x = { 0, 0 };
        const uint32_t end = f->nodes - v < SHARE ? f->nodes : v + SHARE;
        if (job->settings->maximal)
            read_nodes(f, v, end, true, &x);
        else
            read_nodes(f, v, end, false, &x);
        high += x.high;
        low += x.low;
    }
    const sos_wide sum = { f->settled.high + high, f->settled.low + low };
    job->settled = f->settled_any || job->energy->fixed;
    job->bound = sos_wide_value(sum, -f->net->scaling.exponent);
    job->bound.total = -job->bound.total;
    job->result->augmentations = f->augmentations;
    job->result->pushes = f->pushes;
    job->result->adoptions = f->adoptions;
    job->result->growths = f->growths;
    job->result->fixed = f->settlings;
}

/* Does nothing come between the bases of a cold start and the pushes inside single cliques? */
static bool starts_at_once(const flow *f, const sos_energy *e)
{
    return (K == 2 || K == 4) && f->job->start == SOS_FLOW_COLD && !e->fixed && !(f->job->settings->reduce && may_reduce(f));
}

static void run_whole(flow *f, const sos_energy *e, double began)
{
    sos_flow_job *job = f->job;
    const bool at_once = starts_at_once(f, e);
    start_flow(f, e, at_once);
    const double built = sos_seconds();
    if (job->settings->reduce && job->start == SOS_FLOW_COLD && !at_once) reduce(f, job->settings->maximal);
    const bool ordered = f->settled_any || e->fixed || job->start == SOS_FLOW_LABELS;
    for (uint32_t c = 0; ordered && c < f->cliques; c++) order_base(f, c, job->start == SOS_FLOW_LABELS ? job->labels : NULL);
    if (!at_once) set_aside(f);
    const double reduced = sos_seconds();
    for (uint32_t c = 0; !job->same_cliques && !at_once && c < f->cliques; c++) push_inside(f, c);
    f->inside = f->pushes;
    maximize_flow(f, job->settings->maximal);
    job->result->seconds_build += built - began;
    job->result->seconds_reduce = reduced - built;
    job->result->seconds_solve = sos_seconds() - reduced;
}

/* sum, and what rounding did to pairs, in the order of the cliques, so that the bits are those of the whole network. */
static double rounding_in_order(const flow *f, const sos_energy *e, double sum)
{
    for (uint32_t c = 0; c < f->cliques; c++) {
        double rounding = 0;
        if (size_of(f, c) == 2) sos_network_pair(f->net, e, c, &rounding);
        sum += rounding;
    }
    return sum;
}

/* In regions, from a cold start.  What the costs alone decide is not looked for: there it takes longer than the flow. */
static void run_cut(flow *f, const sos_energy *e, double began)
{
    sos_flow_job *job = f->job;
    const double before = job->rounding;
    if (K != 2) take_tables(f, e, false);
    close_crossing(f, e);
    const double built = sos_seconds();
    run_regions(f, e);
    if (job->rounding > before && f->nodes < SOS_NETWORK_LARGE) job->rounding = rounding_in_order(f, e, before);
    *f->pair_rounding = job->rounding - before;
    job->result->seconds_build += built - began;
    job->result->seconds_solve = sos_seconds() - built;
}

static void flow_run(sos_flow_job *job)
{
    const sos_energy *e = job->energy;
    const sos_network *net = job->network;
    flow f = { .net = net,
               .member = net->member,
               .places = net->places,
               .first = net->first,
               .tables = e->tables,
               .nodes = net->nodes,
               .cliques = net->cliques,
               .end = net->nodes,
               .asks = true,
               .job = job };
    sos_arena arena = { .base = job->block };
    flow_layout(&f, &arena, net, e);
    for (size_t t = 0, at = 0; K != 2 && t < e->table_count; at += e->tables[t++].k) f.base_at[t] = (uint32_t)at;

    const double began = sos_seconds();
    start_nodes(&f, e);
    if (job->regions)
        run_cut(&f, e, began);
    else
        run_whole(&f, e, began);
    const double solved = sos_seconds();
    job->deep = f.pushes - f.inside > f.inside;
    finish(&f);
    job->result->seconds_solve += sos_seconds() - solved;
}

#define JOIN(a, isa, bits, k) a##_##isa##_##bits##_##k
#define OPS(isa, bits, k)     JOIN(sos_flow, isa, bits, k)
const sos_flow_ops OPS(SOS_FLOW_ISA, COST_BITS, K) = { flow_bytes, flow_run };
