/* flow_clique.h - the state of the flow, and what a clique can do: which arcs it has, what they carry, a push.
 * A part of flow.c, which explains the arrays. */
#ifndef SOS_MINIMIZE_FLOW_CLIQUE_H
#define SOS_MINIMIZE_FLOW_CLIQUE_H

#include "minimize/flow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/wide.h"

#if defined(__SSE2__)
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
enum { HIGH_SETS = K > BLOCK_BITS ? 1 << (K - BLOCK_BITS) : BLOCKS_MAX }; /* subsets of the members from 3 on */
static const uint32_t LINK_NONE = UINT32_MAX, LINK_ROOT = UINT32_MAX - 1;
/* The label of a node whose own label is known beforehand: in a tree for all that look at it, but never grown or adopted. */
static const int32_t SETTLED = INT32_MAX;

/* What the search knows of a node, in one cache line; but the label, which neighbours look at, stands apart. */
typedef struct node {
    uint32_t link, current, next, flags;
} node;

typedef struct flow {
    const sos_network *net;
    const uint32_t *member, *places, *first;
    const sos_table *tables; /* of the energy */
    uint32_t nodes, cliques;

    cost *table;      /* like net->table */
    cost *base, *was; /* balanced base of every table, k numbers at offset base_at; that of the run before */
    uint32_t *base_at;
    uint16_t *base_dep;    /* dep of that base, whatever its weight, at base_at; K = 4: one word a table */
    uint8_t *changed;      /* [tables] since the run before */
    double *pair_rounding; /* what rounding the costs of pairs can do, in integer units */

    cost *alpha;
    uint16_t *dep;
    uint8_t *up;
    cost *unary, *excess;
    int32_t *label;
    node *node;
    uint32_t *bucket, *layer[2][2];

    uint32_t begin, end;       /* the nodes that are searched: all, or those of some regions */
    uint32_t listed[2][2];     /* nodes in each layer */
    int parity[2];             /* which of the two layers is the one at the tree's depth */
    int32_t depth[2];          /* of each tree */
    int growing;               /* the tree that is being grown, or -1 */
    int32_t nearest, farthest; /* orphans wait at these distances */

    sos_flow_job *job;
    bool asks;    /* for whether to go on: one thread does */
    bool merging; /* in regions: roots need not be at distance 1 */
    bool settled_any;
    sos_wide settled; /* sum of the excess of nodes settled to 1 */
    uint64_t inside;  /* pushes inside single cliques, before there were trees */
    uint64_t augmentations, pushes, adoptions, growths, settlings;
} flow;

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

/* Which sets separate i from j: bit S of lane 4 i + j; a member is never its own neighbour, so all bits where i = j. */
typedef uint16_t rows __attribute__((vector_size(32)));
#define WITH(i)       ((i) == 0 ? 0xAAAA : (i) == 1 ? 0xCCCC : (i) == 2 ? 0xF0F0 : 0xFF00)
#define APART(i, j)   ((i) == (j) ? 0xFFFF : (WITH(i) & ~WITH(j) & 0xFFFF))
#define APART_FROM(i) APART(i, 0), APART(i, 1), APART(i, 2), APART(i, 3)
static const rows SEPARATING = { APART_FROM(0), APART_FROM(1), APART_FROM(2), APART_FROM(3) };

/* Bit l of each: lane l is zero; or, of rows, has bit b. */
#if defined(__AVX2__)

INLINE unsigned block_zeros(block b)
{
    __m256i half[2]; /* or whole, where costs have 32 bits */
    memcpy(half, &b, sizeof b);
    if (COST_BITS == 32) {
        const __m256i zero = _mm256_cmpeq_epi32(half[0], _mm256_setzero_si256());
        return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(zero));
    }
    const __m256i low = _mm256_cmpeq_epi64(half[0], _mm256_setzero_si256());
    const __m256i high = _mm256_cmpeq_epi64(half[1], _mm256_setzero_si256());
    return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(low)) | (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(high))
                                                                        << 4;
}

INLINE unsigned rows_zeros(rows r)
{
    const __m256i none = _mm256_cmpeq_epi16((__m256i)r, _mm256_setzero_si256());
    return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(_mm256_castsi256_si128(none), _mm256_extracti128_si256(none, 1)));
}

INLINE unsigned rows_column(rows r, unsigned b)
{
    const __m256i first = _mm256_sll_epi16((__m256i)r, _mm_cvtsi32_si128(15 - (int)b));
    return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(_mm256_castsi256_si128(first), _mm256_extracti128_si256(first, 1)));
}

#else

INLINE unsigned block_zeros(block b)
{
    unsigned bits = 0;
    for (unsigned l = 0; l < BLOCK; l++) bits |= (unsigned)(b[l] == 0) << l;
    return bits;
}

INLINE unsigned rows_zeros(rows r)
{
    unsigned bits = 0;
    for (unsigned l = 0; l < 16; l++) bits |= (unsigned)(r[l] == 0) << l;
    return bits;
}

INLINE unsigned rows_column(rows r, unsigned b)
{
    unsigned bits = 0;
    for (unsigned l = 0; l < 16; l++) bits |= (unsigned)(r[l] >> b & 1) << l;
    return bits;
}

#endif

/* Bit l: byte l of 16 is x; callers with fewer look at the first bits only. */
INLINE unsigned bytes_equal(const uint8_t bytes[], unsigned x)
{
#if defined(__SSE2__)
    const __m128i all = _mm_loadu_si128((const __m128i *)(const void *)bytes);
    return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(all, _mm_set1_epi8((char)x)));
#else
    unsigned bits = 0;
    for (unsigned l = 0; l < 16; l++) bits |= (unsigned)(bytes[l] == x) << l;
    return bits;
#endif
}

/* Bit l: the number at index[l] is x, of 4. */
INLINE unsigned picked_equal(const int32_t numbers[], const uint32_t index[], int32_t x)
{
    const int32_t picked[4] = { numbers[index[0]], numbers[index[1]], numbers[index[2]], numbers[index[3]] };
#if defined(__SSE2__)
    const __m128i all = _mm_set_epi32(picked[3], picked[2], picked[1], picked[0]);
    return (unsigned)_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(all, _mm_set1_epi32(x))));
#else
    unsigned bits = 0;
    for (unsigned l = 0; l < 4; l++) bits |= (unsigned)(picked[l] == x) << l;
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

/* Below, what a clique does stands once for each kind: pairs, cliques of 4 members, and those of any other size.  K chooses,
 * and what it does not choose is not compiled. */

/* dep of a base a of w F from scratch: O(2^k). */
INLINE uint16_t dep_of_four(const cost F[], cost w, const cost a[])
{
    const block low = low_sums(a);
    const unsigned tight = block_zeros(residuals(F, w, 0, low, 0)) | block_zeros(residuals(F, w, 1, low, a[3])) << BLOCK;
    return (uint16_t)rows_zeros(SEPARATING & (uint16_t)tight);
}

/* A tight set S is closed: its members depend on no others. */
INLINE rows dep_within(rows dep, unsigned S)
{
    const rows own = { 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768 };
    return dep & ((rows)((own & (uint16_t)S) == 0) | (uint16_t)S);
}

INLINE void dep_of_any(unsigned size, const cost F[], cost w, const cost a[], uint16_t out[])
{
    const unsigned k = K > 2 ? K : size, blocks = 1u << (k - BLOCK_BITS), some = blocks < 8 ? blocks : 8;
    cost high[HIGH_SETS];
    high_sums(k, a, high);
    const block low = low_sums(a);
    rows dep = { 0 };
    for (unsigned i = 0; i < SOS_TABLE_MEMBERS_MAX; i++) dep[i] = (uint16_t)(((1u << k) - 1) & ~(1u << i));
    for (unsigned h = 0; h < blocks; h += some) { /* several at a time, as most are not tight */
        uint64_t zeros = 0;
        for (unsigned n = 0; n < some; n++)
            zeros |= (uint64_t)block_zeros(residuals(F, w, h + n, low, high[h + n])) << BLOCK * n;
        for (; zeros; zeros &= zeros - 1) dep = dep_within(dep, BLOCK * h + (unsigned)__builtin_ctzll(zeros));
    }
    memcpy(out, &dep, k * sizeof *out);
}

static void update_dep_of_any(flow *f, uint32_t c)
{
    const uint32_t start = start_of(f, c);
    if (size_of(f, c) == 2) return;
    dep_of_any(size_of(f, c), table_at(f, c), weight_of(f, c), f->alpha + start, f->dep + start);
}

static void update_dep_of_four(flow *f, uint32_t c)
{
    f->dep[c] = dep_of_four(table_at(f, c), weight_of(f, c), f->alpha + start_of(f, c));
}

INLINE void update_dep(flow *f, uint32_t c)
{
    if (K == 4)
        update_dep_of_four(f, c);
    else if (K != 2)
        update_dep_of_any(f, c);
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
        return column * 0x1248 >> 12 & 15; /* no two of the products' bits meet */
    }
    rows dep; /* and what follows, which does not count */
    memcpy(&dep, f->dep + start, sizeof dep);
    return rows_column(dep, s) & ((1u << k) - 1);
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

INLINE cost capacity_of_four(const flow *f, uint32_t c, unsigned i, unsigned j)
{
    const cost *a = f->alpha + start_of(f, c), *F = table_at(f, c), w = weight_of(f, c);
    const unsigned S = 1u << i, rest = 15 & ~(S | 1u << j), p = (unsigned)__builtin_ctz(rest), P = 1u << p;
    const unsigned Q = rest ^ P, q = (unsigned)__builtin_ctz(Q);
    const cost alone = w * F[S], with_p = w * F[S | P] - a[p], with_q = w * F[S | Q] - a[q];
    const cost with_both = w * F[S | rest] - a[p] - a[q];
    const cost x = alone < with_p ? alone : with_p, y = with_q < with_both ? with_q : with_both;
    return (x < y ? x : y) - a[i];
}

/* The members from 3 on but i and j: to their subsets belong the blocks with sets that hold i and not j. */
INLINE unsigned others_of(unsigned k, unsigned i, unsigned j) { return (((1u << k) - 1) & ~(1u << i | 1u << j)) >> BLOCK_BITS; }

INLINE cost capacity_of_any(const flow *f, uint32_t c, unsigned i, unsigned j)
{
    const unsigned k = size_of(f, c);
    const cost *a = f->alpha + start_of(f, c), *F = table_at(f, c), w = weight_of(f, c);
    cost high[HIGH_SETS];
    high_sums(k, a, high);
    const block low = low_sums(a), lanes = { 0, 1, 2, 3, 4, 5, 6, 7 };
    const cost bi = (cost)1 << i, bj = (cost)1 << j;
    const block without = ((lanes & (bi & 7)) != (bi & 7)) | ((lanes & (bj & 7)) != 0);
    const unsigned hi = (1u << i) >> BLOCK_BITS, rest = others_of(k, i, j);
    block least = (block){ 0 } + COST_MAX;
    unsigned h = 0;
    do {
        const block r = residuals(F, w, h | hi, low, high[h | hi]), smaller = r < least;
        least = (r & smaller) | (least & ~smaller);
        h = (h - rest) & rest; /* the next of the subsets */
    } while (h);
    return block_least(least, without);
}

/* c(i,j) = min { f(S) - alpha(S) : i in S, j not in S }. */
INLINE cost capacity(const flow *f, uint32_t c, unsigned i, unsigned j)
{
    if (size_of(f, c) == 2) return f->alpha[start_of(f, c) + i];
    return K == 4 ? capacity_of_four(f, c, i, j) : capacity_of_any(f, c, i, j);
}

/* What a push of d from i to j does to dep.  Sets with j and without i cease to be tight; where none was, arcs do not open, and
 * only sets with i and without j, which become tight, close some.  fills: they may, as d is all that the arc carries. */
static bool push_of_any(flow *f, uint32_t c, unsigned i, unsigned j, bool fills)
{
    static const uint8_t IN_LANES[BLOCK_BITS] = { 0xAA, 0xCC, 0xF0 };
    const uint32_t start = start_of(f, c);
    const unsigned k = size_of(f, c);
    if (!has_arc(f, c, j, i)) {
        update_dep_of_any(f, c);
        return true;
    }
    if (!fills) return false;
    const cost *a = f->alpha + start, *F = table_at(f, c), w = weight_of(f, c);
    cost high[HIGH_SETS];
    high_sums(k, a, high);
    const block low = low_sums(a);
    const unsigned lanes = (i < BLOCK_BITS ? IN_LANES[i] : 0xFFu) & ~(j < BLOCK_BITS ? IN_LANES[j] : 0u);
    const unsigned hi = (1u << i) >> BLOCK_BITS, rest = others_of(k, i, j);
    rows dep;
    memcpy(&dep, f->dep + start, sizeof dep);
    bool closes = false;
    unsigned h = 0;
    do {
        unsigned zeros = block_zeros(residuals(F, w, h | hi, low, high[h | hi])) & lanes;
        closes |= zeros != 0;
        for (; zeros; zeros &= zeros - 1) dep = dep_within(dep, BLOCK * (h | hi) + (unsigned)__builtin_ctz(zeros));
        h = (h - rest) & rest;
    } while (h);
    if (closes) memcpy(f->dep + start, &dep, k * sizeof *f->dep);
    return closes;
}

static bool push_of_four(flow *f, uint32_t c, unsigned i, unsigned j, bool fills)
{
    if (!fills && has_arc(f, c, j, i)) return false;
    const uint16_t before = f->dep[c];
    update_dep_of_four(f, c);
    return before & ~f->dep[c];
}

/* Says whether arcs may have closed.  fills: d may be all that the arc carries. */
INLINE bool push(flow *f, uint32_t c, unsigned i, unsigned j, cost d, bool fills)
{
    cost *a = f->alpha + start_of(f, c);
    f->pushes++;
    if (size_of(f, c) == 2) {
        a[i] -= d;
        a[j] += d;
        return a[i] == 0;
    }
    a[i] += d;
    a[j] -= d;
    return K == 4 ? push_of_four(f, c, i, j, fills) : push_of_any(f, c, i, j, fills);
}

#endif
