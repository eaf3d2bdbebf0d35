/* flow_bands.h - the first flow of a cold start where all cliques are pairs, or all have 4 members: bases and pushes inside
 * single cliques in one go, eight cliques at a time.  A part of flow.c.
 *
 * The list of cliques is cut into eight bands of equal length, and the cliques at the same place of each band are lanes of
 * vectors.  Where numbers are near in space they share no node, as is looked up for a run of places; else cliques are taken one
 * by one.  What is pushed inside each clique takes no branch, which no processor would guess. */
#ifndef SOS_MINIMIZE_FLOW_BANDS_H
#define SOS_MINIMIZE_FLOW_BANDS_H

#include "minimize/flow_start.h"

enum { BANDS = BLOCK };

#if defined(__AVX2__) && COST_BITS == 32

INLINE block block_min(block x, block y) { return (block)_mm256_min_epi32((__m256i)x, (__m256i)y); }
INLINE block block_max(block x, block y) { return (block)_mm256_max_epi32((__m256i)x, (__m256i)y); }

/* Lane l of 2 or 4 blocks goes to l strides from to on. */
INLINE void store_pairs(block x, block y, cost to[], size_t stride)
{
    const __m256i low = _mm256_unpacklo_epi32((__m256i)x, (__m256i)y), high = _mm256_unpackhi_epi32((__m256i)x, (__m256i)y);
    const __m128i row[4] = { _mm256_castsi256_si128(low), _mm256_castsi256_si128(high), _mm256_extracti128_si256(low, 1),
                             _mm256_extracti128_si256(high, 1) };
    for (unsigned l = 0; l < BANDS; l += 2) {
        _mm_storel_pd((double *)(void *)(to + l * stride), _mm_castsi128_pd(row[l / 2]));
        _mm_storeh_pd((double *)(void *)(to + (l + 1) * stride), _mm_castsi128_pd(row[l / 2]));
    }
}

INLINE void store_fours(const block x[4], cost to[], size_t stride)
{
    const __m256i a = _mm256_unpacklo_epi32((__m256i)x[0], (__m256i)x[1]);
    const __m256i b = _mm256_unpackhi_epi32((__m256i)x[0], (__m256i)x[1]);
    const __m256i c = _mm256_unpacklo_epi32((__m256i)x[2], (__m256i)x[3]);
    const __m256i d = _mm256_unpackhi_epi32((__m256i)x[2], (__m256i)x[3]);
    const __m256i row[4] = { _mm256_unpacklo_epi64(a, c), _mm256_unpackhi_epi64(a, c), _mm256_unpacklo_epi64(b, d),
                             _mm256_unpackhi_epi64(b, d) };
    for (unsigned l = 0; l < 4; l++) {
        _mm_storeu_si128((__m128i *)(void *)(to + l * stride), _mm256_castsi256_si128(row[l]));
        _mm_storeu_si128((__m128i *)(void *)(to + (l + 4) * stride), _mm256_extracti128_si256(row[l], 1));
    }
}

/* Rows become columns. */
INLINE void turn(block m[BLOCK])
{
    __m256i t[8], u[8];
    for (unsigned i = 0; i < 8; i += 2) {
        t[i] = _mm256_unpacklo_epi32((__m256i)m[i], (__m256i)m[i + 1]);
        t[i + 1] = _mm256_unpackhi_epi32((__m256i)m[i], (__m256i)m[i + 1]);
    }
    for (unsigned i = 0; i < 8; i += 4)
        for (unsigned j = 0; j < 2; j++) {
            u[i + 2 * j] = _mm256_unpacklo_epi64(t[i + j], t[i + j + 2]);
            u[i + 2 * j + 1] = _mm256_unpackhi_epi64(t[i + j], t[i + j + 2]);
        }
    for (unsigned i = 0; i < 4; i++) {
        m[i] = (block)_mm256_permute2x128_si256(u[i], u[i + 4], 0x20);
        m[i + 4] = (block)_mm256_permute2x128_si256(u[i], u[i + 4], 0x31);
    }
}

#else

INLINE block block_min(block x, block y)
{
    const block less = x < y;
    return (x & less) | (y & ~less);
}
INLINE block block_max(block x, block y)
{
    const block less = x < y;
    return (y & less) | (x & ~less);
}

INLINE void store_pairs(block x, block y, cost to[], size_t stride)
{
    for (unsigned l = 0; l < BANDS; l++) {
        to[l * stride] = x[l];
        to[l * stride + 1] = y[l];
    }
}

INLINE void store_fours(const block x[4], cost to[], size_t stride)
{
    for (unsigned l = 0; l < BANDS; l++)
        for (unsigned q = 0; q < 4; q++) to[l * stride + q] = x[q][l];
}

INLINE void turn(block m[BLOCK])
{
    for (unsigned i = 1; i < BLOCK; i++)
        for (unsigned j = 0; j < i; j++) {
            const cost x = m[i][j];
            m[i][j] = m[j][i];
            m[j][i] = x;
        }
}

#endif

/* Clique c of the first band and those at its place in the others: their slots are so far apart. */
typedef struct eight {
    uint32_t c, band;
    size_t slot, stride;
} eight;

INLINE eight eight_at(uint32_t c, uint32_t band) { return (eight){ c, band, (size_t)c * K, (size_t)band * K }; }
INLINE uint32_t clique_in(eight e, unsigned lane) { return e.c + lane * e.band; }
INLINE size_t slot_in(eight e, unsigned lane) { return e.slot + lane * e.stride; }

/* Do the cliques at places first .. end - 1 of different bands share no node? */
static bool are_apart(const flow *f, uint32_t band, uint32_t first, uint32_t end)
{
    uint32_t before = 0; /* all nodes of earlier bands are below */
    for (uint32_t b = 0; b < BANDS; b++) {
        const uint32_t *member = f->member + start_of(f, b * band + first), slots = (end - first) * K;
        uint32_t low = UINT32_MAX, high = 0;
        for (uint32_t s = 0; s < slots; s++) {
            low = member[s] < low ? member[s] : low;
            high = member[s] > high ? member[s] : high;
        }
        if (low < before) return false;
        before = high + 1;
    }
    return true;
}

INLINE block excess_of(const flow *f, eight e, unsigned q)
{
    block x = { 0 };
    for (unsigned l = 0; l < BANDS; l++) x[l] = f->excess[f->member[slot_in(e, l) + q]];
    return x;
}

INLINE void set_excess(flow *f, eight e, unsigned q, block x)
{
    for (unsigned l = 0; l < BANDS; l++) f->excess[f->member[slot_in(e, l) + q]] = x[l];
}

/* The push from i to j, or back where negative, that leaves no excess at one of them and a deficit at the other, as far as the
 * arcs can carry it. */
INLINE block push_between_eight(block i, block j, block there, block back)
{
    const block low = block_min(i, -j), high = block_max(i, -j); /* as push_between */
    return block_max(-back, block_min(there, block_max(low, block_min(high, (block){ 0 }))));
}

/* Pairs that can carry half either way. */
INLINE void push_eight_pairs(flow *f, eight e, block half, block *pushes)
{
    const block one = excess_of(f, e, 0), two = excess_of(f, e, 1), d = push_between_eight(one, two, half, half);
    set_excess(f, e, 0, one - d);
    set_excess(f, e, 1, two + d);
    store_pairs(half - d, half + d, f->alpha + e.slot, e.stride);
    *pushes -= d != 0;
}

/* What the balanced bases of eight cliques of 4 members leave of their functions, set by set. */
static void start_residual(const flow *f, eight e, block r[16])
{
    for (unsigned l = 0; l < BANDS; l++) {
        const uint32_t c = clique_in(e, l);
        const cost *F = table_at(f, c), *base = f->base + f->base_at[f->net->table_of[c]], w = weight_of(f, c);
        const cost a[4] = { w * base[0], w * base[1], w * base[2], w * base[3] };
        const block low = low_sums(a);
        r[l] = residuals(F, w, 0, low, 0);
        r[l + BLOCK] = residuals(F, w, 1, low, a[3]);
    }
    turn(r);
    turn(r + BLOCK);
}

/* Pushes between i and j. */
INLINE void push_eight(block r[16], block x[4], unsigned i, unsigned j, block *pushes)
{
    const unsigned rest = 15 & ~(1u << i | 1u << j), P = rest & -rest, Q = rest ^ P;
    block *with_i = r + (1u << i), *with_j = r + (1u << j);
    const block there = block_min(block_min(with_i[0], with_i[P]), block_min(with_i[Q], with_i[rest]));
    const block back = block_min(block_min(with_j[0], with_j[P]), block_min(with_j[Q], with_j[rest]));
    const block d = push_between_eight(x[i], x[j], there, back);
    with_i[0] -= d, with_i[P] -= d, with_i[Q] -= d, with_i[rest] -= d;
    with_j[0] += d, with_j[P] += d, with_j[Q] += d, with_j[rest] += d;
    x[i] -= d;
    x[j] += d;
    *pushes -= d != 0;
}

INLINE void push_eight_fours(flow *f, eight e, const block start[16], bool based, block *pushes)
{
    block r[16], x[4], a[4];
    for (unsigned S = 0; S < 16; S++) r[S] = start[S];
    for (unsigned q = 0; q < 4; q++) a[q] = x[q] = excess_of(f, e, q);
    push_eight(r, x, 0, 1, pushes);
    push_eight(r, x, 0, 2, pushes);
    push_eight(r, x, 0, 3, pushes);
    push_eight(r, x, 1, 2, pushes);
    push_eight(r, x, 1, 3, pushes);
    push_eight(r, x, 2, 3, pushes);
    block tight = { 0 };
    cost bit = 1;
    for (unsigned S = 0; S < 16; S++, bit *= 2) tight |= (block)(r[S] == 0) & bit;
    for (unsigned q = 0; q < 4; q++) {
        a[q] -= x[q];
        set_excess(f, e, q, x[q]);
    }
    store_fours(a, f->alpha + e.slot, e.stride);
    for (unsigned l = 0; based && l < BANDS; l++) {
        const uint32_t c = clique_in(e, l);
        const cost *base = f->base + f->base_at[f->net->table_of[c]], w = weight_of(f, c);
        for (unsigned q = 0; q < 4; q++) f->alpha[slot_in(e, l) + q] += w * base[q];
    }
    for (unsigned l = 0; l < BANDS; l++) f->dep[clique_in(e, l)] = (uint16_t)rows_zeros(SEPARATING & (uint16_t)tight[l]);
}

/* Have all cliques the same table, and no weights? */
static bool has_one_table(const flow *f, const sos_energy *e)
{
    return !e->pools[K].weights && e->tables[f->net->table_of[0]].uses == f->cliques;
}

/* Is the base of every table nothing at each member? */
static bool has_no_bases(const flow *f, const sos_energy *e)
{
    cost any = 0;
    for (size_t t = 0; t < e->table_count; t++) {
        const double *g = sos_table_costs(e, (uint32_t)t);
        if (e->tables[t].k != K) continue;
        if (K == 2) any |= g[1] != g[2] || g[0] != g[3];
        for (unsigned q = 0; K == 4 && q < 4; q++) any |= f->base[f->base_at[t] + q];
    }
    return !any;
}

/* Takes all bases from the excess, before anything is pushed. */
static void take_bases(flow *f, const sos_energy *e)
{
    known_pair known = { .table = UINT32_MAX };
    for (uint32_t c = 0; c < f->cliques; c++) {
        cost a[4];
        if (K == 2) {
            know_pair(f, e, c, &known);
            a[0] = (cost)known.pair.one - half_of(known.pair);
            a[1] = (cost)known.pair.both - a[0];
        } else {
            for (unsigned q = 0; q < 4; q++) a[q] = weight_of(f, c) * f->base[f->base_at[f->net->table_of[c]] + q];
        }
        take_from_excess(f, start_of(f, c), K, a);
    }
}

INLINE void start_one(flow *f, const sos_energy *e, uint32_t c, known_pair *known)
{
    if (K == 2) {
        know_pair(f, e, c, known);
        split_pair(f, known->pair, c, false);
    } else {
        set_base(f, c);
    }
    push_inside(f, c);
}

/* The cliques at places first .. end - 1 of all bands.  start: what all begin with, if they have one table. */
static void start_run(flow *f, const sos_energy *e, uint32_t band, uint32_t first, uint32_t end, const block start[16],
                      bool based, known_pair *known)
{
    const bool apart = are_apart(f, band, first, end);
    const cost most = half_of(known->pair); /* of pairs */
    const block half = (block){ 0 } + most;
    block pushes = { 0 };
    block own[16];
    for (uint32_t c = first; c < end; c++) {
        const eight some = eight_at(c, band);
        if (!apart) {
            for (unsigned l = 0; l < BANDS; l++) start_one(f, e, clique_in(some, l), known);
        } else if (K == 2) {
            push_eight_pairs(f, some, half, &pushes);
        } else if (start) {
            push_eight_fours(f, some, start, based, &pushes);
        } else {
            start_residual(f, some, own);
            push_eight_fours(f, some, own, true, &pushes);
        }
    }
    for (unsigned l = 0; l < BANDS; l++) {
        f->pushes += (uint64_t)pushes[l];
        f->augmentations += (uint64_t)pushes[l];
    }
}

/* Sums of what rounding did to pairs are taken in the order of the cliques, so that bands need one number for all. */
static void start_in_bands(flow *f, const sos_energy *e)
{
    enum { RUN = 128 }; /* places: their nodes should fit the nearest cache, and not reach into the next band */
    const bool same = f->cliques && has_one_table(f, e);
    const uint32_t band = K == 2 && !same ? 0 : f->cliques / BANDS;
    known_pair known = { .table = UINT32_MAX, .sum = f->job->rounding };
    block start[16];
    const bool based = !has_no_bases(f, e);
    if (based) take_bases(f, e);
    if (K == 2 && same) know_pair(f, e, 0, &known);
    if (K == 4 && same) start_residual(f, eight_at(0, 0), start);
    for (uint32_t c = 0; c < band; c += RUN)
        start_run(f, e, band, c, band - c < RUN ? band : c + RUN, same ? start : NULL, based, &known);
    for (uint32_t c = band * BANDS; c < f->cliques; c++) start_one(f, e, c, &known);
    if (!band) f->job->rounding = known.sum;
    for (uint32_t c = 0; band && known.rounding > 0 && c < f->cliques; c++) f->job->rounding += known.rounding;
}

#endif
