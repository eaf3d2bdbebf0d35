/* regions.c - which cliques lie across regions, and which merge they wait for. */
#include "minimize/regions.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* More cliques than one in so many across regions, and the cut does not pay: they wait for merges, which are harder. */
enum { CROSSING_SHARE = 8 };

enum { CHUNK = 1 << 14 }; /* cliques that one thread looks at */

/* Nodes of a region.  Measured on images, 2^15 and 2^16 take the least time on one core: more do not fit its cache, fewer have
 * more cliques across.  With more than 4 members to a clique that is work, not memory, and 2^17 are better.  But so many rows
 * of an image at least. */
enum { REGION = 1 << 15, LARGE_REGION = 1 << 17, REACHES = 16 };

/* The regions of the first and the last member. */
typedef struct span {
    uint32_t low, high;
} span;

static inline __attribute__((always_inline)) span span_of(const uint32_t member[], unsigned k, uint32_t nodes)
{
    uint32_t low = member[0], high = member[0];
    for (unsigned q = 1; q < k; q++) {
        low = member[q] < low ? member[q] : low;
        high = member[q] > high ? member[q] : high;
    }
    return (span){ low / nodes, high / nodes };
}

/* How many of the cliques begin .. end - 1 lie across regions; those are listed unless out is NULL. */
static inline __attribute__((always_inline)) uint32_t crossing_among(const sos_network *net, unsigned size, uint32_t nodes,
                                                                     uint32_t begin, uint32_t end, uint32_t out[])
{
    uint32_t found = 0, region = 0; /* the first node of the region of the last clique: the next is mostly there too */
    for (uint32_t c = begin; c < end; c++) {
        const unsigned k = size ? size : sos_network_size(net, c);
        const uint32_t *member = net->member + (size ? c * size : sos_network_start(net, c));
        bool inside = true;
        for (unsigned q = 0; q < k; q++) inside &= member[q] - region < nodes;
        if (inside) continue;
        const span s = span_of(member, k, nodes);
        region = s.high * nodes;
        if (s.low == s.high) continue;
        if (out) out[found] = c;
        found++;
    }
    return found;
}

static uint32_t crossing_in(const sos_network *net, uint32_t nodes, uint32_t chunk, uint32_t out[])
{
    const uint32_t begin = chunk * CHUNK, end = net->cliques - begin < CHUNK ? net->cliques : begin + CHUNK;
    switch (net->k) {
    case 2: return crossing_among(net, 2, nodes, begin, end, out);
    case 4: return crossing_among(net, 4, nodes, begin, end, out);
    default: return crossing_among(net, 0, nodes, begin, end, out);
    }
}

/* The merge that first holds both ends of a span. */
static uint32_t merge_of(const sos_regions *r, span s)
{
    const unsigned level = 31 - (unsigned)__builtin_clz(s.low ^ s.high);
    uint32_t first = 0;
    for (unsigned l = 0; l < level; l++) first += sos_regions_merges(r, l);
    return first + (s.low >> (level + 1));
}

typedef struct lists {
    uint32_t *found; /* [chunks + 1], then [crossings]: in the order of the cliques */
    uint32_t crossings;
} lists;

/* Crossing cliques in the order of their numbers, unless there are more than most; found is NULL where there is no memory. */
static lists list_crossing(const sos_network *net, uint32_t nodes, uint32_t most, int threads)
{
    const uint32_t chunks = net->cliques / CHUNK + 1;
    lists l = { .found = malloc(((size_t)chunks + 1) * sizeof *l.found) };
    if (!l.found) return l;
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (uint32_t i = 0; i < chunks; i++) l.found[i + 1] = crossing_in(net, nodes, i, NULL);
    l.found[0] = 0;
    for (uint32_t i = 0; i < chunks; i++) l.found[i + 1] += l.found[i];
    l.crossings = l.found[chunks];
    if (l.crossings > most) return l;
    uint32_t *all = realloc(l.found, ((size_t)chunks + 1 + l.crossings) * sizeof *l.found);
    if (!all) {
        free(l.found);
        return (lists){ 0 };
    }
    l.found = all;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (uint32_t i = 0; i < chunks; i++)
        if (all[i + 1] > all[i]) crossing_in(net, nodes, i, all + chunks + 1 + all[i]);
    memmove(all, all + chunks + 1, l.crossings * sizeof *all);
    return l;
}

static void lay_out(sos_regions *r, sos_arena *arena, uint32_t crossings, bool pairs)
{
    r->first = sos_arena_take(arena, (size_t)r->merges + 2, sizeof *r->first);
    r->crossing = sos_arena_take(arena, crossings, sizeof *r->crossing);
    r->left = sos_arena_take(arena, pairs ? 2 * (size_t)crossings : 0, sizeof *r->left);
    r->depth = sos_arena_take(arena, r->count, sizeof *r->depth);
    r->rounding = sos_arena_take(arena, r->count, sizeof *r->rounding);
}

static bool take_memory(sos_regions *r, uint32_t crossings, bool pairs, size_t limit)
{
    sos_arena arena = { 0 };
    lay_out(r, &arena, crossings, pairs);
    if (arena.overflowed || (limit && arena.used > limit)) return false;
    if (r->room < arena.used) {
        free(r->block);
        r->block = malloc(arena.used);
        r->room = r->block ? arena.used : 0;
    }
    if (!r->block) return false;
    r->bytes = arena.used;
    arena = (sos_arena){ .base = r->block };
    lay_out(r, &arena, crossings, pairs);
    return true;
}

/* Counting sort by merge. */
static void sort_crossing(sos_regions *r, const sos_network *net, lists l)
{
    uint32_t *end = r->first + 1;
    memset(r->first, 0, ((size_t)r->merges + 2) * sizeof *r->first);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < l.crossings; i++) {
            const uint32_t c = l.found[i];
            const span s = span_of(net->member + sos_network_start(net, c), sos_network_size(net, c), r->nodes);
            if (pass)
                r->crossing[end[merge_of(r, s)]++] = c;
            else
                end[merge_of(r, s) + 1]++;
        }
        for (uint32_t m = 0; !pass && m < r->merges; m++) end[m + 1] += end[m];
    }
}

/* How far the members of a clique are apart on average, by a sample: a row of an image, a slice of a volume. */
static uint64_t mean_reach(const sos_network *net)
{
    enum { SAMPLES = 1024 };
    uint64_t sum = 0;
    for (uint32_t i = 0; net->cliques && i < SAMPLES; i++) {
        const uint32_t c = (uint32_t)((uint64_t)net->cliques * i / SAMPLES);
        const span s = span_of(net->member + sos_network_start(net, c), sos_network_size(net, c), 1);
        sum += s.high - s.low;
    }
    return sum / SAMPLES;
}

static size_t nodes_of_regions(const sos_network *net)
{
    const size_t enough = net->slots / 4 > net->cliques ? LARGE_REGION : REGION;
    const uint64_t rows = REACHES * mean_reach(net);
    return rows > enough ? (size_t)rows : enough;
}

void sos_regions_find(sos_regions *r, const sos_network *net, size_t forced, size_t limit, int threads)
{
    r->count = 0;
    r->bytes = 0;
    const size_t nodes = forced ? forced : nodes_of_regions(net);
    if (net->nodes / 2 < nodes || net->nodes > net->variables) return;
    const uint32_t most = forced ? net->cliques : net->cliques / CROSSING_SHARE;
    const lists l = list_crossing(net, (uint32_t)nodes, most, threads);
    if (l.found && l.crossings <= most) {
        r->nodes = (uint32_t)nodes;
        r->count = (net->nodes - 1) / r->nodes + 1;
        r->levels = 32 - (unsigned)__builtin_clz(r->count - 1);
        r->merges = 0;
        for (unsigned level = 0; level < r->levels; level++) r->merges += sos_regions_merges(r, level);
        if (take_memory(r, l.crossings, net->k == 2 || !net->k, limit))
            sort_crossing(r, net, l);
        else
            r->count = 0;
    }
    free(l.found);
}

void sos_regions_free(sos_regions *r)
{
    free(r->block);
    *r = (sos_regions){ 0 };
}
