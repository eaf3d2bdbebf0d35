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
 *     link        node          place of the tree arc that ends here, LINK_ROOT or LINK_NONE
 *     current     node          the first of its places at which a parent at the same distance may still be found
 *     flags       node          is it an orphan, in which layers is it listed
 *     next        node          next orphan at the same distance; while reducing: the queue
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

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#ifndef COST_BITS /* so that the file stands on its own for tools that read it */
#define COST_BITS    32
#define K            4
#define SOS_FLOW_ISA baseline
#endif

#define INLINE static inline __attribute__((always_inline))

#if COST_BITS == 32
typedef int32_t cost;
#define COST_MAX INT32_MAX
#else
typedef int64_t cost;
#define COST_MAX INT64_MAX
#endif

enum { SOURCE, SINK };
enum { UP_NONE = 255, ORPHAN = 16, QUEUED = 32 };
enum { BLOCK = 8, BLOCK_BITS = 3, BLOCKS_MAX = 1 << (SOS_TABLE_MEMBERS_MAX - BLOCK_BITS) };
static const uint32_t LINK_NONE = UINT32_MAX, LINK_ROOT = UINT32_MAX - 1, NO_CLIQUE = UINT32_MAX;
/* The label of a node whose own label is known beforehand: in a tree for all that look at it, but never grown or adopted. */
static const int32_t SETTLED = INT32_MAX;

typedef struct flow {
    const sos_network *net;
    const uint32_t *member, *places, *first;
    const sos_table *tables; /* of the energy */
    uint32_t nodes, cliques;

    cost *table;      /* like net->table */
    cost *base, *was; /* balanced base of every table, k numbers at offset base_at; that of the run before */
    uint32_t *base_at;
    uint32_t *started;     /* [tables] the last clique that has been given its first flow, or NO_CLIQUE */
    uint8_t *changed;      /* [tables] since the run before */
    double *pair_rounding; /* what rounding the costs of pairs can do, in integer units */

    cost *alpha;
    uint16_t *dep;
    uint8_t *up;
    cost *unary, *excess;
    int32_t *label;
    uint32_t *link, *current, *next, *bucket, *layer[2][2];
    uint8_t *flags;

    uint32_t listed[2][2];     /* nodes in each layer */
    int parity[2];             /* which of the two layers is the one at the tree's depth */
    int32_t depth[2];          /* of each tree */
    int growing;               /* the tree that is being grown, or -1 */
    int32_t nearest, farthest; /* orphans wait at these distances */

    sos_flow_job *job;
    bool settled_any;
    sos_wide settled; /* sum of the excess of nodes settled to 1 */
    uint64_t augmentations, pushes, adoptions, growths, settlings;
} flow;

/* ---------------------------------------------------------------- cliques */

INLINE uint32_t clique_of(uint32_t place) { return place >> SOS_POSITION_BITS; }
INLINE unsigned position_of(uint32_t place) { return place & SOS_POSITION_MASK; }
INLINE uint32_t place_at(uint32_t c, unsigned q) { return c << SOS_POSITION_BITS | q; }
INLINE uint32_t start_of(const flow *f, uint32_t c) { return K ? c * K : sos_network_start(f->net, c); }
INLINE unsigned size_of(const flow *f, uint32_t c) { return K ? K : sos_network_size(f->net, c); }
INLINE const cost *table_at(const flow *f, uint32_t c) { return f->table + f->tables[f->net->table_of[c]].offset; }
INLINE cost weight_of(const flow *f, uint32_t c) { return f->net->weight ? f->net->weight[c] : 1; }

/* A block is 8 consecutive entries of a table: all subsets of members 0, 1, 2 for one subset of the others. */
typedef cost block __attribute__((vector_size(BLOCK * sizeof(cost))));

INLINE block block_load(const cost *p)
{
    block b;
    memcpy(&b, p, sizeof b);
    return b;
}

/* Bit l: lane l is zero. */
INLINE unsigned block_zeros(block b)
{
#if defined(__AVX2__) && COST_BITS == 32
    const __m256i zero = _mm256_cmpeq_epi32((__m256i)b, _mm256_setzero_si256());
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(zero));
#elif defined(__AVX2__)
    __m256i half[2];
    memcpy(half, &b, sizeof b);
    const __m256i low = _mm256_cmpeq_epi64(half[0], _mm256_setzero_si256());
    const __m256i high = _mm256_cmpeq_epi64(half[1], _mm256_setzero_si256());
    return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(low)) | (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(high))
                                                                        << 4;
#else
    unsigned bits = 0;
    for (unsigned l = 0; l < BLOCK; l++) bits |= (unsigned)(b[l] == 0) << l;
    return bits;
#endif
}

/* The smallest lane among those whose bit is not set in without. */
INLINE cost block_least(block b, block without)
{
    const block masked = (b & ~without) | (without & COST_MAX);
    cost least = masked[0];
    for (unsigned l = 1; l < BLOCK; l++)
        if (masked[l] < least) least = masked[l];
    return least;
}

/* alpha of the subsets of members 0, 1, 2. */
INLINE block low_sums(const cost a[])
{
    return ((block){ 0, -1, 0, -1, 0, -1, 0, -1 } & a[0]) + ((block){ 0, 0, -1, -1, 0, 0, -1, -1 } & a[1]) +
           ((block){ 0, 0, 0, 0, -1, -1, -1, -1 } & a[2]);
}

/* alpha of the subsets of the members from 3 on. */
INLINE void high_sums(unsigned k, const cost a[], cost sums[])
{
    sums[0] = 0;
    unsigned i = BLOCK_BITS;
    if (k >= 2 * BLOCK_BITS) {
        const block first = low_sums(a + BLOCK_BITS);
        memcpy(sums, &first, sizeof first);
        i = 2 * BLOCK_BITS;
    }
    for (; i < k; i++) {
        const unsigned half = 1u << (i - BLOCK_BITS);
        for (unsigned h = 0; h < half; h++) sums[h + half] = sums[h] + a[i];
    }
}

/* f(S) - alpha(S) for the sets of block h. */
INLINE block residuals(const cost F[], cost w, unsigned h, block low, cost high)
{
    const block f = block_load(F + BLOCK * h);
    return (w == 1 ? f : f * w) - (low + high);
}

/* Which sets separate i from j: bit S of lane 4 i + j; a member is never its own neighbour, so all bits where i = j. */
#if K == 4
typedef uint16_t rows __attribute__((vector_size(32)));
#define WITH(i)       ((i) == 0 ? 0xAAAA : (i) == 1 ? 0xCCCC : (i) == 2 ? 0xF0F0 : 0xFF00)
#define APART(i, j)   ((i) == (j) ? 0xFFFF : (WITH(i) & ~WITH(j) & 0xFFFF))
#define APART_FROM(i) APART(i, 0), APART(i, 1), APART(i, 2), APART(i, 3)
static const rows SEPARATING = { APART_FROM(0), APART_FROM(1), APART_FROM(2), APART_FROM(3) };
#endif

/* dep from scratch: O(2^k). */
static void update_dep(flow *f, uint32_t c)
{
#if K == 4
    const cost *a = f->alpha + 4 * c, *F = table_at(f, c), w = weight_of(f, c);
    const block low = low_sums(a);
    const unsigned tight = block_zeros(residuals(F, w, 0, low, 0)) | block_zeros(residuals(F, w, 1, low, a[3])) << BLOCK;
    const rows cut = SEPARATING & (uint16_t)tight;
#if defined(__AVX2__)
    const __m256i none = _mm256_cmpeq_epi16((__m256i)cut, _mm256_setzero_si256());
    const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(none), _mm256_extracti128_si256(none, 1));
    f->dep[c] = (uint16_t)_mm_movemask_epi8(bytes);
#else
    unsigned bits = 0;
    for (unsigned l = 0; l < 16; l++) bits |= (unsigned)(cut[l] == 0) << l;
    f->dep[c] = (uint16_t)bits;
#endif
#elif K != 2
    const unsigned k = size_of(f, c);
    if (k == 2) return;
    const uint32_t start = start_of(f, c);
    const cost *a = f->alpha + start, *F = table_at(f, c), w = weight_of(f, c);
    cost high[K ? 1 << (K - BLOCK_BITS) : BLOCKS_MAX];
    high_sums(k, a, high);
    const block low = low_sums(a);
    uint16_t dep[SOS_TABLE_MEMBERS_MAX];
    const unsigned all = (1u << k) - 1;
    for (unsigned i = 0; i < SOS_TABLE_MEMBERS_MAX; i++) dep[i] = (uint16_t)(all & ~(1u << i));
    for (unsigned h = 0; h < 1u << (k - BLOCK_BITS); h++)
        for (unsigned zeros = block_zeros(residuals(F, w, h, low, high[h])); zeros; zeros &= zeros - 1) {
            const unsigned S = BLOCK * h + (unsigned)__builtin_ctz(zeros);
            for (unsigned i = 0; i < SOS_TABLE_MEMBERS_MAX; i++) dep[i] &= (uint16_t)(S | -(~S >> i & 1));
        }
    memcpy(f->dep + start, dep, k * sizeof *dep);
#else
    (void)f, (void)c;
#endif
}

/* Members that an arc from s reaches, and members from which an arc reaches s, as bits. */
INLINE uint32_t out_arcs(const flow *f, uint32_t c, unsigned s)
{
    const uint32_t start = start_of(f, c);
    if (size_of(f, c) == 2) return (uint32_t)(f->alpha[start + s] > 0) << (1 - s);
    if (K == 4) return f->dep[c] >> 4 * s & 15;
    return f->dep[start + s];
}

INLINE uint32_t in_arcs(const flow *f, uint32_t c, unsigned s)
{
    const uint32_t start = start_of(f, c);
    const unsigned k = size_of(f, c);
    if (k == 2) return (uint32_t)(f->alpha[start + 1 - s] > 0) << (1 - s);
    if (K == 4) {
        const uint32_t column = f->dep[c] >> s & 0x1111;
        return (column | column >> 3 | column >> 6 | column >> 9) & 15;
    }
    uint32_t bits = 0;
    for (unsigned q = 0; q < k; q++) bits |= (uint32_t)(f->dep[start + q] >> s & 1) << q;
    return bits;
}

INLINE bool has_arc(const flow *f, uint32_t c, unsigned i, unsigned j)
{
    const uint32_t start = start_of(f, c);
    if (size_of(f, c) == 2) return f->alpha[start + i] > 0;
    if (K == 4) return f->dep[c] >> (4 * i + j) & 1;
    return f->dep[start + i] >> j & 1;
}

/* Arcs by which a tree grows from s, and by which it reaches s: forwards in the source tree, backwards in the sink tree. */
INLINE uint32_t arcs_from(const flow *f, int side, uint32_t c, unsigned s)
{
    return side == SOURCE ? out_arcs(f, c, s) : in_arcs(f, c, s);
}
INLINE uint32_t arcs_to(const flow *f, int side, uint32_t c, unsigned s)
{
    return side == SOURCE ? in_arcs(f, c, s) : out_arcs(f, c, s);
}

/* c(i,j) = min { f(S) - alpha(S) : i in S, j not in S }. */
INLINE cost capacity(const flow *f, uint32_t c, unsigned i, unsigned j)
{
    const unsigned k = size_of(f, c);
    const cost *a = f->alpha + start_of(f, c);
    if (k == 2) return a[i];
    const cost *F = table_at(f, c), w = weight_of(f, c);
    if (K == 4) {
        const unsigned S = 1u << i, rest = 15 & ~(S | 1u << j), p = (unsigned)__builtin_ctz(rest), P = 1u << p;
        const unsigned Q = rest ^ P, q = (unsigned)__builtin_ctz(Q);
        const cost alone = w * F[S], with_p = w * F[S | P] - a[p], with_q = w * F[S | Q] - a[q];
        const cost with_both = w * F[S | rest] - a[p] - a[q];
        const cost x = alone < with_p ? alone : with_p, y = with_q < with_both ? with_q : with_both;
        return (x < y ? x : y) - a[i];
    }
    cost high[K > 4 ? 1 << (K - BLOCK_BITS) : BLOCKS_MAX];
    high_sums(k, a, high);
    const block low = low_sums(a), lanes = { 0, 1, 2, 3, 4, 5, 6, 7 };
    const cost bi = (cost)1 << i, bj = (cost)1 << j;
    const block without = ((lanes & (bi & 7)) != (bi & 7)) | ((lanes & (bj & 7)) != 0);
    const unsigned hi = (1u << i) >> BLOCK_BITS, hj = (1u << j) >> BLOCK_BITS;
    block least = (block){ 0 } + COST_MAX;
    for (unsigned h = hi; h < 1u << (k - BLOCK_BITS); h = (h + 1) | hi) {
        if (h & hj) continue;
        const block r = residuals(F, w, h, low, high[h]), smaller = r < least;
        least = (r & smaller) | (least & ~smaller);
    }
    return block_least(least, without);
}

INLINE void push(flow *f, uint32_t c, unsigned i, unsigned j, cost d)
{
    const uint32_t start = start_of(f, c);
    f->pushes++;
    if (size_of(f, c) == 2) {
        f->alpha[start + i] -= d;
        f->alpha[start + j] += d;
        return;
    }
    f->alpha[start + i] += d;
    f->alpha[start + j] -= d;
    update_dep(f, c);
}

/* ---------------------------------------------------------------- trees */

INLINE void list(flow *f, int side, int deeper, uint32_t v)
{
    const int p = f->parity[side] ^ deeper;
    const uint8_t bit = (uint8_t)(1 << (2 * side + p));
    if (f->flags[v] & bit) return;
    f->flags[v] |= bit;
    f->layer[side][p][f->listed[side][p]++] = v;
}

/* The link stays until the orphan is adopted, so that paths can still be walked. */
INLINE void make_orphan(flow *f, uint32_t v)
{
    if (f->flags[v] & ORPHAN) return;
    const int32_t d = abs(f->label[v]);
    f->flags[v] |= ORPHAN;
    f->next[v] = f->bucket[d];
    f->bucket[d] = v;
    if (d < f->nearest) f->nearest = d;
    if (d > f->farthest) f->farthest = d;
}

INLINE void orphan_children(flow *f, uint32_t v)
{
    for (uint32_t a = f->first[v]; a < f->first[v + 1]; a++) {
        const uint32_t c = clique_of(f->places[a]), start = start_of(f, c);
        const unsigned s = position_of(f->places[a]), k = size_of(f, c);
        for (unsigned q = 0; q < k; q++)
            if (f->up[start + q] == s) make_orphan(f, f->member[start + q]);
    }
}

INLINE void attach(flow *f, uint32_t v, uint32_t place, unsigned parent)
{
    f->link[v] = place;
    f->up[start_of(f, clique_of(place)) + position_of(place)] = (uint8_t)parent;
}

/* An orphan at distance d keeps its distance if a parent at d - 1 is left; else it takes the nearest parent and its children
 * become orphans; else, if it would lie beyond its tree's depth, it leaves the tree. */
INLINE void adopt_one(flow *f, int side, uint32_t v, int32_t d)
{
    const int32_t sign = side == SOURCE ? 1 : -1;
    const uint32_t end = f->first[v + 1];
    f->adoptions++;
    if (f->link[v] < LINK_ROOT) f->up[start_of(f, clique_of(f->link[v])) + position_of(f->link[v])] = UP_NONE;
    f->link[v] = LINK_NONE;
    for (uint32_t a = d > 1 ? f->current[v] : end; a < end; a++) {
        const uint32_t place = f->places[a], c = clique_of(place), start = start_of(f, c);
        for (uint32_t arcs = arcs_to(f, side, c, position_of(place)); arcs; arcs &= arcs - 1) {
            const unsigned q = (unsigned)__builtin_ctz(arcs);
            if (f->label[f->member[start + q]] != sign * (d - 1)) continue;
            attach(f, v, place, q);
            f->current[v] = a;
            return;
        }
    }
    orphan_children(f, v);
    const int32_t limit = f->depth[side] + (f->growing == side);
    int32_t nearest = limit;
    uint32_t best = 0;
    unsigned parent = 0;
    for (uint32_t a = f->first[v]; a < end && nearest > d; a++) {
        const uint32_t place = f->places[a], c = clique_of(place), start = start_of(f, c);
        for (uint32_t arcs = arcs_to(f, side, c, position_of(place)); arcs; arcs &= arcs - 1) {
            const unsigned q = (unsigned)__builtin_ctz(arcs);
            const int32_t distance = sign * f->label[f->member[start + q]];
            if (distance <= 0 || distance >= nearest) continue;
            nearest = distance;
            best = a;
            parent = q;
        }
    }
    if (nearest >= limit) {
        f->label[v] = 0;
        return;
    }
    f->label[v] = sign * (nearest + 1);
    f->current[v] = best;
    attach(f, v, f->places[best], parent);
    if (nearest + 1 >= f->depth[side]) list(f, side, nearest + 1 > f->depth[side], v);
}

/* Nearest first: who could be a parent at d - 1 has its final distance by then. */
static void adopt(flow *f)
{
    for (int32_t d = f->nearest; d <= f->farthest; d++)
        while (f->bucket[d] != LINK_NONE) {
            const uint32_t v = f->bucket[d];
            f->bucket[d] = f->next[v];
            f->flags[v] &= (uint8_t)~ORPHAN;
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
    for (unsigned q = 0; q < k; q++) {
        const unsigned p = f->up[start + q];
        if (p == UP_NONE) continue;
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
    const uint32_t place = f->link[v], c = clique_of(place), start = start_of(f, c);
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
    if (f->nodes > CHECKED_NODES) return d;
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
    if (f->nodes > CHECKED_NODES) return;
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

/* Pushes along source ... i -> j ... sink, the arc i -> j of clique c joining the trees. */
static void augment(flow *f, uint32_t c, unsigned i, unsigned j)
{
    const uint32_t ends[2] = { f->member[start_of(f, c) + i], f->member[start_of(f, c) + j] };
    uint32_t root[2];
    cost d = capacity(f, c, i, j);
    for (int side = SOURCE; side <= SINK; side++) {
        uint32_t v = ends[side];
        while (f->link[v] != LINK_ROOT) {
            const step t = step_up(f, v);
            const cost r = side == SOURCE ? capacity(f, t.c, t.p, t.s) : capacity(f, t.c, t.s, t.p);
            if (r < d) d = r;
            v = t.parent;
        }
        root[side] = v;
        const cost r = side == SOURCE ? f->excess[v] : -f->excess[v];
        if (r < d) d = r;
    }

#if defined(SOS_CHECKS)
    const distances before = measure(f);
    assert(d > 0);
#endif
    f->augmentations++;
    push(f, c, i, j, d);
    orphan_cut_off(f, c);
    for (int side = SOURCE; side <= SINK; side++) {
        for (uint32_t v = ends[side]; f->link[v] != LINK_ROOT;) {
            const step t = step_up(f, v);
            if (side == SOURCE)
                push(f, t.c, t.p, t.s, d);
            else
                push(f, t.c, t.s, t.p, d);
            orphan_cut_off(f, t.c);
            v = t.parent;
        }
        f->excess[root[side]] += side == SOURCE ? -d : d;
        if (!f->excess[root[side]]) make_orphan(f, root[side]);
    }
#if defined(SOS_CHECKS)
    check_lemma(f, &before);
    check_clique(f, c);
#endif
    if (f->farthest) adopt(f);
}

static bool stopped(flow *f)
{
    const sos_minimize_settings *s = f->job->settings;
    if (!f->job->cancelled && s->progress) f->job->cancelled = !s->progress(s->user, "minimise", -1);
    return f->job->cancelled;
}

INLINE void grow_node(flow *f, int side, uint32_t v)
{
    const int32_t sign = side == SOURCE ? 1 : -1, distance = sign * f->depth[side];
    f->growths++;
    for (uint32_t a = f->first[v]; a < f->first[v + 1]; a++) {
        const uint32_t c = clique_of(f->places[a]), start = start_of(f, c);
        const unsigned s = position_of(f->places[a]);
        for (uint32_t arcs = arcs_from(f, side, c, s); arcs;) {
            const unsigned q = (unsigned)__builtin_ctz(arcs);
            const uint32_t u = f->member[start + q];
            const int32_t label = f->label[u];
            if (label == 0) {
                f->label[u] = distance + sign;
                f->current[u] = f->first[u];
                attach(f, u, place_at(c, q), s);
                list(f, side, 1, u);
            } else if (sign * label < 0) {
                if (side == SOURCE)
                    augment(f, c, s, q);
                else
                    augment(f, c, q, s);
                if (f->label[v] != distance) return;
                arcs = arcs_from(f, side, c, s) & ~((1u << q) - 1); /* the same arc again, if it is still there */
                continue;
            }
            arcs &= arcs - 1;
        }
    }
}

/* Scans the nodes at the tree's depth; what they reach is one deeper. */
INLINE void grow_layer(flow *f, int side)
{
    const int p = f->parity[side];
    const int32_t distance = side == SOURCE ? f->depth[side] : -f->depth[side];
    f->growing = side;
    for (uint32_t i = 0; i < f->listed[side][p]; i++) {
        if (i % 4096 == 4095 && stopped(f)) return;
        const uint32_t v = f->layer[side][p][i];
        f->flags[v] &= (uint8_t) ~(1 << (2 * side + p));
        if (f->label[v] == distance) grow_node(f, side, v);
    }
    f->growing = -1;
    f->listed[side][p] = 0;
    f->parity[side] = !p;
    f->depth[side]++;
}

INLINE uint32_t frontier(const flow *f, int side) { return f->listed[side][f->parity[side]]; }

static void plant_trees(flow *f)
{
    f->nearest = INT32_MAX;
    f->farthest = 0;
    f->growing = -1;
    f->depth[SOURCE] = f->depth[SINK] = 1;
    f->parity[SOURCE] = f->parity[SINK] = 0;
    memset(f->listed, 0, sizeof f->listed);
    memset(f->bucket, 0xFF, ((size_t)f->nodes + 2) * sizeof *f->bucket);
    memset(f->flags, 0, f->nodes);
    memset(f->up, UP_NONE, f->net->slots);
    for (uint32_t v = 0; v < f->nodes; v++) {
        const cost x = f->excess[v];
        f->current[v] = f->first[v];
        f->link[v] = x ? LINK_ROOT : LINK_NONE;
        if (abs(f->label[v]) == SETTLED) continue;
        f->label[v] = (x > 0) - (x < 0);
        if (x) list(f, x > 0 ? SOURCE : SINK, 0, v);
    }
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
            for (uint32_t arcs = arcs_from(f, side, c, position_of(f->places[a])); arcs; arcs &= arcs - 1) {
                const uint32_t u = f->member[start + (unsigned)__builtin_ctz(arcs)];
                if (f->label[u]) continue;
                f->label[u] = reached;
                stack[top++] = u;
            }
        }
    }
}

/* Grows the tree with the smaller frontier until one is complete: then no path is left.  The minimal minimiser is what the
 * source reaches, the maximal one what does not reach the sink: that tree is completed. */
static void maximize_flow(flow *f, bool maximal)
{
    plant_trees(f);
    while (frontier(f, SOURCE) && frontier(f, SINK) && !stopped(f)) {
        if (frontier(f, SOURCE) <= frontier(f, SINK))
            grow_layer(f, SOURCE);
        else
            grow_layer(f, SINK);
    }
    if (f->job->cancelled) return;
    if (maximal)
        complete(f, SINK);
    else
        complete(f, SOURCE);
}

/* ---------------------------------------------------------------- the first flow */

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
        f->started[t] = NO_CLIQUE;
        if (keep) memcpy(f->was + f->base_at[t], base, table->k * sizeof *base);
        if (changed) grouped_base(F, (uint32_t[]){ (uint32_t)entries - 1 }, 1, base);
    }
}

INLINE void take_from_excess(flow *f, uint32_t start, unsigned k, const cost a[])
{
    for (unsigned q = 0; q < k; q++) f->excess[f->member[start + q]] -= a[q];
}

/* Splits what a pair can carry in halves, or as it was split before. */
INLINE void start_pair(flow *f, sos_pair p, uint32_t c, bool keep)
{
    cost *left = f->alpha + start_of(f, c);
    const cost all = (cost)(p.one + p.two - p.both), old = keep ? left[0] + left[1] : 0;
    if (!keep)
        left[0] = all / 2;
    else if (old != all) {
        const cost half = all / 2 + (left[0] - left[1]) / 2;
        left[0] = half < 0 ? 0 : half > all ? all : half;
    }
    left[1] = all - left[0];
    take_from_excess(f, start_of(f, c), 2, (cost[]){ (cost)p.one - left[0], (cost)p.two - left[1] });
}

#if K != 2

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

static void start_table_clique(flow *f, uint32_t c, bool keep)
{
    const uint32_t start = start_of(f, c), t = f->net->table_of[c];
    const unsigned k = size_of(f, c);
    const cost w = weight_of(f, c), *base = f->base + f->base_at[t];
    cost *a = f->alpha + start;
    if (!keep) {
        for (unsigned i = 0; i < k; i++) a[i] = w * base[i];
        /* Unweighted cliques of one table start alike. */
        const uint32_t twin = f->net->weight ? NO_CLIQUE : f->started[t];
        if (twin == NO_CLIQUE)
            update_dep(f, c);
        else if (K == 4)
            f->dep[c] = f->dep[twin];
        else
            memcpy(f->dep + start, f->dep + start_of(f, twin), k * sizeof *f->dep);
        f->started[t] = c;
    } else if (f->changed[t]) {
        refit(f, c, f->was + f->base_at[t], base);
        update_dep(f, c);
    }
    take_from_excess(f, start, k, a);
}

#endif

static void start_cliques(flow *f, const sos_energy *e, bool keep)
{
    sos_pair pair = { 0, 0, 0 };
    double rounding = 0;
    uint32_t last = UINT32_MAX; /* the table that pair is of; weighted pairs all differ */
    for (uint32_t c = 0; c < f->cliques; c++) {
        if (size_of(f, c) == 2) {
            const bool shared = c < f->net->table_cliques && !e->pools[2].weights;
            if (!shared || f->net->table_of[c] != last) {
                rounding = 0;
                pair = sos_network_pair(f->net, e, c, &rounding);
                last = shared ? f->net->table_of[c] : UINT32_MAX;
            }
            f->job->rounding += rounding;
            start_pair(f, pair, c, keep);
        }
#if K != 2
        else
            start_table_clique(f, c, keep);
#endif
    }
}

/* ---------------------------------------------------------------- what the costs alone decide */

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

static bool settle(flow *f, uint32_t v, bool maximal)
{
    const int decided = decide(f, v, true, maximal);
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
            if (f->label[u] || f->flags[u] & QUEUED) continue;
            f->flags[u] |= QUEUED;
            f->next[*tail] = u;
            *tail = *tail + 1 == f->nodes ? 0 : *tail + 1;
        }
    }
}

/* Settling pays only where many nodes are settled by their own costs: what spreads from a few costs as much as the pushes it
 * spares (measured: of card9_200x100_s05 it settles 95 %, in the time of the flow).  A sample tells. */
static bool is_worth_reducing(const flow *f, bool maximal)
{
    enum { SAMPLES = 1024 };
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
    memset(f->flags, 0, f->nodes);
    for (uint32_t v = 0; v < f->nodes; v++)
        if (!f->label[v]) settle(f, v, maximal);
    uint32_t head = 0, tail = 0; /* of a ring, in which a node is at most once, and not all are */
    for (uint32_t v = 0; v < f->nodes; v++)
        if (!f->label[v] && settle(f, v, maximal)) enqueue_neighbours(f, v, &tail);
    while (head != tail) {
        const uint32_t v = f->next[head];
        head = head + 1 == f->nodes ? 0 : head + 1;
        f->flags[v] &= (uint8_t)~QUEUED;
        if (!f->label[v] && settle(f, v, maximal)) enqueue_neighbours(f, v, &tail);
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

/* Bases that order ones before the rest and the rest before zeros: no arc leaves settled ones, none enters settled zeros, so
 * that the flow never touches them.  hints, if not NULL, order the rest, ones first. */
static void order_bases(flow *f, const uint8_t hints[])
{
    for (uint32_t c = 0; c < f->cliques; c++) {
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
        if (group[1] == all || group[2] == all) continue;
        if ((m.ones | m.zeros) == all) {
            set_aside_clique(f, c, m.ones);
            continue;
        }
        if (k == 2) {
            /* Whoever comes first has no arc to the other. */
            const unsigned i = m.ones    ? (unsigned)__builtin_ctz(m.ones)
                               : m.zeros ? 1 - (unsigned)__builtin_ctz(m.zeros)
                                         : (unsigned)__builtin_ctz(on);
            cost *left = f->alpha + start;
            const cost d = left[i];
            left[i] = 0;
            left[1 - i] += d;
            f->excess[f->member[start + i]] -= d;
            f->excess[f->member[start + 1 - i]] += d;
            continue;
        }
#if K != 2
        cost a[SOS_TABLE_MEMBERS_MAX];
        const cost w = weight_of(f, c);
        grouped_base(table_at(f, c), group, 4, a);
        for (unsigned q = 0; q < k; q++) {
            f->excess[f->member[start + q]] += f->alpha[start + q] - w * a[q];
            f->alpha[start + q] = w * a[q];
        }
        update_dep(f, c);
#endif
    }
}

/* The flow leaves settled nodes alone; what they cost is known. */
static void set_aside(flow *f)
{
    for (uint32_t v = 0; v < f->nodes; v++) {
        if (abs(f->label[v]) != SETTLED) continue;
        if (f->label[v] > 0) sos_wide_add(&f->settled, f->excess[v]);
        f->excess[v] = 0;
    }
}

/* ---------------------------------------------------------------- inside single cliques */

/* Most augmenting paths are one arc long.  Pushing them clique by clique, in the order of memory and without any tree, leaves
 * the trees the long ones. */
static void push_inside(flow *f, uint32_t c)
{
    const uint32_t *member = f->member + start_of(f, c);
    const unsigned k = size_of(f, c);
    uint32_t sources = 0, sinks = 0;
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
            cost *to = &f->excess[member[j]], d = capacity(f, c, i, j);
            if (*from < d) d = *from;
            if (-*to < d) d = -*to;
            push(f, c, i, j, d);
            f->augmentations++;
            *from -= d;
            *to += d;
            if (!*to) sinks &= ~(UINT32_C(1) << j);
        }
    }
}

/* ---------------------------------------------------------------- a run */

static void flow_layout(flow *f, sos_arena *arena, const sos_network *net, const sos_energy *e)
{
    const size_t nodes = net->nodes, costs = K == 2 ? 0 : e->costs_count, tables = K == 2 ? 0 : e->table_count;
    size_t members = 0;
    for (size_t t = 0; t < tables; t++) members += e->tables[t].k;
    f->alpha = sos_arena_take(arena, net->slots, sizeof *f->alpha);
    f->dep = sos_arena_take(arena, K == 2 ? 0 : K == 4 ? net->cliques : net->slots, sizeof *f->dep);
    f->up = sos_arena_take(arena, net->slots, sizeof *f->up);
    f->unary = sos_arena_take(arena, nodes, sizeof *f->unary);
    f->excess = sos_arena_take(arena, nodes, sizeof *f->excess);
    f->label = sos_arena_take(arena, nodes, sizeof *f->label);
    f->link = sos_arena_take(arena, nodes, sizeof *f->link);
    f->current = sos_arena_take(arena, nodes, sizeof *f->current);
    f->next = sos_arena_take(arena, nodes, sizeof *f->next);
    f->bucket = sos_arena_take(arena, nodes + 2, sizeof *f->bucket);
    f->flags = sos_arena_take(arena, nodes, sizeof *f->flags);
    for (int side = SOURCE; side <= SINK; side++)
        for (int p = 0; p < 2; p++) f->layer[side][p] = sos_arena_take(arena, nodes, sizeof *f->layer[side][p]);
    f->table = sos_arena_take(arena, costs, sizeof *f->table);
    f->base = sos_arena_take(arena, members, sizeof *f->base);
    f->was = sos_arena_take(arena, members, sizeof *f->was);
    f->base_at = sos_arena_take(arena, tables, sizeof *f->base_at);
    f->pair_rounding = sos_arena_take(arena, 1, sizeof *f->pair_rounding);
    f->started = sos_arena_take(arena, tables, sizeof *f->started);
    f->changed = sos_arena_take(arena, tables, sizeof *f->changed);
}

static size_t flow_bytes(const sos_network *net, const sos_energy *e)
{
    flow f = { 0 };
    sos_arena arena = { 0 };
    flow_layout(&f, &arena, net, e);
    return arena.overflowed ? 0 : arena.used;
}

static void start_nodes(flow *f, const sos_energy *e)
{
    /* The layers are not in use yet, and have room for one 64-bit number per node. */
    int64_t *unary = (int64_t *)(void *)f->layer[0][0];
    const bool same = f->job->same_cliques;
    sos_network_unaries(f->net, e, unary, &f->job->rounding);
    for (uint32_t v = 0; v < f->nodes; v++) {
        f->excess[v] = (cost)(same ? f->excess[v] + f->unary[v] - unary[v] : -unary[v]);
        f->unary[v] = (cost)unary[v];
        f->label[v] = 0;
    }
    for (uint32_t v = 0; e->fixed && v < f->net->variables; v++)
        if (e->fixed[v] != SOS_FREE) f->label[v] = e->fixed[v] ? SETTLED : -SETTLED;
}

static void start_flow(flow *f, const sos_energy *e)
{
    const bool keep = f->job->start == SOS_FLOW_KEEP;
    start_nodes(f, e);
    if (f->job->same_cliques) {
        f->job->rounding += *f->pair_rounding;
        return;
    }
    const double before = f->job->rounding;
    if (K != 2) take_tables(f, e, keep);
    start_cliques(f, e, keep);
    *f->pair_rounding = f->job->rounding - before;
}

static void finish(flow *f)
{
    sos_flow_job *job = f->job;
    sos_wide sum = f->settled;
    for (uint32_t v = 0; v < f->nodes; v++)
        if (f->excess[v] > 0) sos_wide_add(&sum, f->excess[v]);
    for (uint32_t v = 0; !job->cancelled && v < f->net->variables; v++)
        job->labels[v] = job->settings->maximal ? f->label[v] >= 0 : f->label[v] > 0;
    job->settled = f->settled_any || job->energy->fixed;
    job->bound = -sos_wide_value(sum, -f->net->scaling.exponent);
    job->result->augmentations = f->augmentations;
    job->result->pushes = f->pushes;
    job->result->adoptions = f->adoptions;
    job->result->growths = f->growths;
    job->result->fixed = f->settlings;
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
               .job = job };
    sos_arena arena = { .base = job->block };
    flow_layout(&f, &arena, net, e);
    for (size_t t = 0, at = 0; K != 2 && t < e->table_count; at += e->tables[t++].k) f.base_at[t] = (uint32_t)at;

    const double began = sos_seconds();
    start_flow(&f, e);
    const double built = sos_seconds();
    if (job->settings->reduce && job->start == SOS_FLOW_COLD) reduce(&f, job->settings->maximal);
    if (f.settled_any || e->fixed || job->start == SOS_FLOW_LABELS)
        order_bases(&f, job->start == SOS_FLOW_LABELS ? job->labels : NULL);
    set_aside(&f);
    const double reduced = sos_seconds();
    for (uint32_t c = 0; !job->same_cliques && c < f.cliques; c++) push_inside(&f, c);
    maximize_flow(&f, job->settings->maximal);
    finish(&f);
    job->result->seconds_build += built - began;
    job->result->seconds_reduce = reduced - built;
    job->result->seconds_solve = sos_seconds() - reduced;
}

#define JOIN(a, isa, bits, k) a##_##isa##_##bits##_##k
#define OPS(isa, bits, k)     JOIN(sos_flow, isa, bits, k)
const sos_flow_ops OPS(SOS_FLOW_ISA, COST_BITS, K) = { flow_bytes, flow_run };
