/* card.cu - grids solved on a graphics card, many together: memory, kernels, certificates.
 *
 * All grids of a batch go through the same rounds.  A tile is done by a block of threads in the descent, and by a warp in the
 * rounds; the warps of one persistent kernel share out the tiles that have something to do, and meet between passes.  Tiles of
 * one pass have no pixel in common, so that flows need no atomics; patches across tiles are inside those of the next, shifted
 * pass. */
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>

#include "cuda/rounds.h"

namespace
{

using namespace sos_card;
namespace groups = cooperative_groups;

/* ---- what the kernels share ---- */

/* Numbers of one batch on the card. */
template <class C> struct batch {
    int count;
    const image<C> *images;
    const int *owner[TILINGS]; /* the grid of each tile */
    int tiles[TILINGS];
    const C *unary, *table; /* of all grids, one behind the other */
    int table_costs;        /* of those that blocks keep in their own memory; 0: they are too many */
    int *search;            /* tiles of the search whose heights may fall */
    int *active[SHIFTS];    /* tiles that may push */
    int *round_of;          /* of each grid: the last round in which it was active, plus 1 */
    int *highest;           /* of each grid, by turns of rounds */
    int *news;              /* by turns of passes: the number of the last pass with anything to tell */
    int *deep;              /* of each grid: a height was too large */
    int *failed;            /* of each grid: a certificate that does not hold */
    uint8_t *labels;
    unsigned long long *bound, *energy; /* of each grid: high and low halves (grid.h), as two's complement */
    const int *stop;                    /* not 0: the host needs no more of it; */
    int *halt;                          /* by turns of passes: the number of the pass in which that was seen */
    int *finished;                      /* grids that were active in rounds before this one only are solved */
};

/* Tables are read again and again: blocks have a copy, where they are few. */
enum { TABLE_BYTES_MAX = 8192 };

template <class C> __device__ __forceinline__ void tables_copy(const batch<C> &b, float *own)
{
    for (int i = (int)threadIdx.x; i < b.table_costs; i += THREADS) own[i] = (float)b.table[i];
    __syncthreads();
}

template <class C>
__device__ __forceinline__ void tile_corner(const image<C> &g, int tiling, int first, int across, int tile, int *x0, int *y0)
{
    const int t = tile - first;
    *x0 = t % across * pitch_of(tiling) - shift_of(tiling);
    *y0 = t / across * pitch_of(tiling) - shift_of(tiling);
}

template <class C> __device__ __forceinline__ void activate(const batch<C> &b, const image<C> &g, int x, int y)
{
#pragma unroll
    for (int shift = 0; shift < SHIFTS; shift++) {
        const int tile = g.first[shift] + (y + shift_of(shift)) / SIDE * g.across[shift] + (x + shift_of(shift)) / SIDE;
        __stcg(b.active[shift] + tile, 1);
    }
}

/* Calls work(x, y, p) for all pixels of a grid, by warps along its rows. */
template <class C, class Work> __device__ __forceinline__ void each_pixel(const image<C> &g, Work work)
{
    const int warps = (int)(blockDim.x / LANES), lane = (int)threadIdx.x % LANES;
    for (int y = (int)blockIdx.x * warps + (int)threadIdx.x / LANES; y < g.height; y += (int)gridDim.x * warps)
        for (int x = lane; x < g.width; x += LANES) work(x, y, (size_t)y * g.width + x);
}

/* ---- start ---- */

template <class C, int shift> __global__ void __launch_bounds__(THREADS) descend_tiles(batch<C> b)
{
    extern __shared__ __align__(16) unsigned char memory[];
    float *own = (float *)(memory + sizeof(descent_room<C>));
    const int tile = (int)blockIdx.x;
    int x0, y0;
    tables_copy(b, own);
    const image<C> &g = b.images[b.owner[shift][tile]];
    tile_corner(g, shift, g.first[shift], g.across[shift], tile, &x0, &y0);
    const float *tables = b.table_costs ? own + (g.from.table - b.table) : NULL;
    const C *unary = shift ? NULL : b.unary + (g.s - b.images[0].s);
    descent_run(g, tables, unary, *(descent_room<C> *)memory, x0, y0, DESCENT_SWEEPS);
}

/* ---- rounds ---- */

/* Calls work(tile) for those tiles of this warp that wanted(tile) holds for. */
template <class Wanted, class Work> __device__ __forceinline__ void each_tile(int tiles, Wanted wanted, Work work)
{
    const int lane = (int)threadIdx.x % LANES, warps = (int)gridDim.x * (THREADS / LANES),
              me = (int)threadIdx.x / LANES * (int)gridDim.x + (int)blockIdx.x;
    for (int base = me; base < tiles; base += warps * LANES) {
        const int tile = base + lane * warps;
        unsigned found = __ballot_sync(~0U, tile < tiles && wanted(tile));
        for (; found; found &= found - 1) {
            work(base + lowest(found) * warps);
            __syncwarp();
        }
    }
}

template <class C> union alignas(16) solve_room {
    search_room search;
    push_room<C> push;
};

/* Tiles around one whose heights have fallen along these sides: lanes 0 to 8 tell one each.  Returns whether there are any. */
template <class C> __device__ __forceinline__ bool search_around(const batch<C> &b, const image<C> &g, int tile, int sides)
{
    const int lane = (int)threadIdx.x % LANES, i = lane % 3 - 1, j = lane / 3 - 1, across = g.across[SEARCH],
              down = tiles_along(g.height, SEARCH), X = (tile - g.first[SEARCH]) % across,
              Y = (tile - g.first[SEARCH]) / across;
    const bool reached = (i >= 0 || sides & 1) && (i <= 0 || sides & 2) && (j >= 0 || sides & 4) && (j <= 0 || sides & 8);
    const bool there = lane < 9 && lane != 4 && reached && X + i >= 0 && X + i < across && Y + j >= 0 && Y + j < down;
    if (there) __stcg(b.search + tile + j * across + i, 1);
    return there;
}

/* One pass over tiles whose heights may fall. */
template <class C>
__device__ __forceinline__ void search_pass(const batch<C> &b, search_room &room, int round, int limit, bool begin, int pass)
{
    bool any = false;
    each_tile(
        b.tiles[SEARCH],
        [&](int t) { return begin ? !round || __ldcg(b.round_of + b.owner[SEARCH][t]) >= round : __ldcg(b.search + t) != 0; },
        [&](int t) {
            const image<C> &g = b.images[b.owner[SEARCH][t]];
            search_row row[ROWS];
            int x0, y0;
            tile_corner(g, SEARCH, g.first[SEARCH], g.across[SEARCH], t, &x0, &y0);
            if (!begin && threadIdx.x % LANES == 0) atomicExch(b.search + t, 0);
            __threadfence(); /* before heights are read: who has written some has said so before */
            __syncwarp();
            search_load(g, room, x0, y0, begin);
            search_rows(room, row);
            if (search_levels(room, row, limit) && limit == HIGHEST) __stcg(b.deep + b.owner[SEARCH][t], 1);
            const int sides = search_store(g, room, row, x0, y0, begin);
            __threadfence();
            __syncwarp();
            if (sides) any |= search_around(b, g, t, sides);
        });
    if (any) __stcg(b.news + pass % 3, pass);
}

/* Which grids have pixels that can push, and up to which height. */
template <class C> __device__ __forceinline__ void active_pass(const batch<C> &b, int round, int limit, int pass)
{
    bool any = false;
    each_tile(
        b.tiles[0], [&](int t) { return !round || __ldcg(b.round_of + b.owner[0][t]) >= round; },
        [&](int t) {
            const int owner = b.owner[0][t], lane = (int)threadIdx.x % LANES;
            const image<C> &g = b.images[owner];
            int x0, y0, highest = 0;
            uint32_t rows = 0;
            bool mine = false;
            tile_corner(g, 0, g.first[0], g.across[0], t, &x0, &y0);
#pragma unroll 1
            for (int r0 = 0; r0 < SIDE; r0 += BURST) {
                C s[BURST];
                int h[BURST];
#pragma unroll
                for (int i = 0; i < BURST; i++) {
                    const size_t p = place_near(g, x0 + lane, y0 + r0 + i);
                    s[i] = fresh(&g.s[p]), h[i] = fresh(&g.far[p]);
                }
#pragma unroll
                for (int i = 0; i < BURST; i++)
                    if (s[i] > 0 && h[i] != FAR && is_inside(g, x0 + lane, y0 + r0 + i)) {
                        mine = true;
                        highest = max(highest, h[i]);
                        rows |= 1U << (r0 + i);
                    }
            }
            for (; rows; rows &= rows - 1) activate(b, g, x0 + lane, y0 + lowest(rows));
            if (mine || (limit < HIGHEST && lane == 0)) __stcg(b.round_of + owner, round + 1);
            any |= mine;
            highest = __reduce_max_sync(~0U, highest);
            if (highest && lane == 0) atomicMax(b.highest + (round & 1) * b.count + owner, highest);
        });
    if (any) __stcg(b.news + pass % 3, pass);
}

template <class C>
__device__ __forceinline__ void push_pass(const batch<C> &b, push_room<C> &room, int round, int shift, int pass)
{
    bool any = false;
    each_tile(
        b.tiles[shift], [&](int t) { return __ldcg(b.active[shift] + t) != 0; },
        [&](int t) {
            const int owner = b.owner[shift][t];
            const image<C> &g = b.images[owner];
            push_row row[ROWS];
            int x0, y0;
            tile_corner(g, shift, g.first[shift], g.across[shift], t, &x0, &y0);
            if (threadIdx.x % LANES == 0) __stcg(b.active[shift] + t, 0);
            push_run(g, room, row, x0, y0, PUSH_SWEEPS, __ldcg(b.highest + (round & 1) * b.count + owner) + CAP_SLACK);
            push_store(g, room, x0, y0, [&](int x, int y) {
                any = true;
                activate(b, g, x, y);
            });
        });
    if (any) __stcg(b.news + pass % 3, pass);
}

/* All warps have done the pass: had it anything to tell?  They learn the same, and so whether the host needs no more. */
template <class C>
__device__ __forceinline__ bool pass_ends(const batch<C> &b, const groups::grid_group &grid, int pass, bool *halted)
{
    if (blockIdx.x == 0 && threadIdx.x == 0 && __ldcg(b.stop)) __stcg(b.halt + pass % 3, pass);
    grid.sync();
    *halted = __ldcg(b.halt + pass % 3) == pass;
    return __ldcg(b.news + pass % 3) == pass;
}

template <class C> __global__ void __launch_bounds__(THREADS, sizeof(C) == 4 ? 3 : 2) solve_tiles(batch<C> b)
{
    extern __shared__ __align__(16) unsigned char memory[];
    solve_room<C> &room = ((solve_room<C> *)memory)[threadIdx.x / LANES];
    const groups::grid_group grid = groups::this_grid();
    const int me = (int)(blockIdx.x * THREADS + threadIdx.x), all = (int)(gridDim.x * THREADS);
    int pass = 0, limit = FIRST_LIMIT, shift = 0, round = 0;
    for (bool halted = false; round < ROUNDS_MAX && pass <= PASSES_MAX; round++) {
        for (int i = me; i < b.count; i += all) b.highest[(round & 1) * b.count + i] = 0;
        for (int s = 0; s < SHIFTS; s++)
            for (int i = me; i < b.tiles[s]; i += all) __stcg(b.active[s] + i, 0);
        int passes = 0;
        for (bool more = true; more && !halted;) {
            search_pass(b, room.search, round, limit, passes++ == 0, ++pass);
            more = pass_ends(b, grid, pass, &halted);
        }
        if (halted) break;
        active_pass(b, round, limit, ++pass);
        if (!pass_ends(b, grid, pass, &halted)) {
            if (limit == HIGHEST) {
                if (me == 0) *b.finished = INT_MAX;
                return;
            }
            limit = HIGHEST;
            continue;
        }
        limit = next_limit(limit);
        for (int i = push_passes(passes); i > 0 && !halted; i--) {
            push_pass(b, room.push, round, shift, ++pass);
            shift = shift == SHIFTS - 1 ? 0 : shift + 1;
            if (!pass_ends(b, grid, pass, &halted)) break;
        }
        if (halted) break;
    }
    if (me == 0) *b.finished = round;
}

/* ---- what was proven ---- */

template <class T> __device__ __forceinline__ T sum_of_warp(T x)
{
    for (int i = 16; i; i /= 2) x += __shfl_down_sync(~0U, x, i);
    return x;
}

/* A sum that 64 bits may not hold. */
struct halves {
    long long high, low;

    __device__ __forceinline__ void add(long long x)
    {
        high += x >> 32;
        low += x & 0xFFFFFFFF;
    }

    __device__ __forceinline__ void give(unsigned long long to[2]) const
    {
        const long long h = sum_of_warp(high), l = sum_of_warp(low);
        if (threadIdx.x % 32) return;
        atomicAdd(to, (unsigned long long)h);
        atomicAdd(to + 1, (unsigned long long)l);
    }
};

/* Labels; the bound sum_p min(0, s_p); the energy of the labels by its definition; and whether the flow is one: every alpha a
 * base, and s what they leave. */
template <class C> __global__ void certify(batch<C> b)
{
    const image<C> g = b.images[blockIdx.y];
    const size_t at = (size_t)(g.s - b.images[0].s);
    const C *unary = b.unary + at;
    halves bound = { 0, 0 }, energy = { 0, 0 };
    bool failed = false;
    each_pixel(g, [&](int x, int y, size_t p) {
        const int w = g.width;
        const bool one = g.far[p] != FAR, right = x + 1 < w, below = y + 1 < g.height;
        C left = unary[p], cost = one ? left : 0;
        if (right && below) {
            alignas(16) C f[16], alpha[4];
            C slack[16];
            numbers_load<4>(g.alpha + 4 * p, alpha);
            function_at(g.from, p, f);
            slack_of(f, alpha, slack);
            for (int S = 1; S < 16; S++) failed |= slack[S] < 0;
            failed |= slack[15] != 0;
            left += alpha[0];
            const int ones = one | (g.far[p + 1] != FAR) << 1 | (g.far[p + w] != FAR) << 2 | (g.far[p + w + 1] != FAR) << 3;
            energy.add(cost_at(g.from, p, ones));
        }
        if (x && below) left += g.alpha[4 * (p - 1) + 1];
        if (right && y) left += g.alpha[4 * (p - w) + 2];
        if (x && y) left += g.alpha[4 * (p - w - 1) + 3];
        failed |= left != g.s[p];
        bound.add(left < 0 ? left : 0);
        energy.add(cost);
        b.labels[at + p] = one;
    });
    bound.give(b.bound + 2 * blockIdx.y);
    energy.give(b.energy + 2 * blockIdx.y);
    if (failed) b.failed[blockIdx.y] = 1;
}

/* ---- memory ---- */

/* A call of CUDA that failed is thrown to the one place that makes an error of it. */
struct cuda_failure {
    cudaError_t what;
};

void must(cudaError_t what)
{
    if (what != cudaSuccess) throw cuda_failure{ what };
}

/* A block of the card's memory, cut into aligned arrays; laid out once without memory to learn its size. */
struct arena {
    unsigned char *block = nullptr;
    size_t used = 0;

    template <class T> T *take(size_t count)
    {
        T *here = block ? (T *)(block + used) : nullptr;
        used += (count * sizeof(T) + 255) / 256 * 256;
        return here;
    }
};

/* Pinned memory of the host, which grows. */
struct pinned {
    void *block = nullptr;
    size_t bytes = 0;

    void *reserve(size_t wanted)
    {
        if (wanted <= bytes) return block;
        release();
        must(cudaMallocHost(&block, wanted));
        bytes = wanted;
        return block;
    }

    void release()
    {
        if (block) cudaFreeHost(block);
        block = nullptr, bytes = 0;
    }
};

/* Memory of the card, which grows. */
struct device_block {
    unsigned char *block = nullptr;
    size_t bytes = 0;

    unsigned char *reserve(size_t wanted)
    {
        if (wanted <= bytes) return block;
        release();
        must(cudaMalloc((void **)&block, wanted));
        bytes = wanted;
        return block;
    }

    void release()
    {
        if (block) cudaFree(block);
        block = nullptr, bytes = 0;
    }
};

/* What grids of a batch take together. */
struct sizes {
    size_t pixels = 0, tables = 0, strengths = 0, chosen = 0;
    size_t tiles[TILINGS] = { 0 };

    void add(const sos_card_grid &g)
    {
        const size_t n = (size_t)g.width * g.height;
        pixels += n;
        tables += g.tables;
        strengths += g.tables ? 0 : n;
        chosen += g.chosen ? n : 0;
        for (int k = 0; k < TILINGS; k++)
            tiles[k] += (size_t)tiles_along((int)g.width, k) * (size_t)tiles_along((int)g.height, k);
    }
};

/* Where a batch has its arrays; first with no block, to learn how much they take. */
template <class C> struct layout {
    batch<C> b;
    image<C> *images;
    int *owner[TILINGS];
    C *unary, *s, *alpha, *table, *strength;
    uint16_t *which, *tight;
    height_t *far;
    int *flags;
    size_t pixels;
    size_t in_at, in_used; /* what comes from the host: from the images to the unaries */
    size_t out_at, out_used;

    void lay(arena &a, size_t count, const sizes &all)
    {
        b = {};
        b.count = (int)count;
        for (int k = 0; k < TILINGS; k++) b.tiles[k] = (int)all.tiles[k];
        in_at = a.used;
        b.images = images = a.take<image<C>>(count);
        for (int k = 0; k < TILINGS; k++) b.owner[k] = owner[k] = a.take<int>(all.tiles[k]);
        b.table = table = a.take<C>(16 * all.tables);
        which = a.take<uint16_t>(all.chosen);
        strength = a.take<C>(6 * all.strengths);
        b.unary = unary = a.take<C>(all.pixels);
        in_used = a.used - in_at;
        s = a.take<C>(all.pixels);
        alpha = a.take<C>(4 * all.pixels);
        far = a.take<height_t>(all.pixels);
        tight = a.take<uint16_t>(all.pixels);
        out_at = a.used;
        b.labels = a.take<uint8_t>(all.pixels);
        pixels = all.pixels;
        flags = a.take<int>(all.tiles[0] + all.tiles[1] + all.tiles[2] + all.tiles[SEARCH] + 5 * count + 8);
        b.bound = a.take<unsigned long long>(2 * count);
        b.energy = a.take<unsigned long long>(2 * count);
        out_used = a.used - out_at;
        int *f = flags;
        b.search = f, f += all.tiles[SEARCH];
        for (int i = 0; i < SHIFTS; i++) b.active[i] = f, f += all.tiles[i];
        b.round_of = f, f += count;
        b.highest = f, f += 2 * count;
        b.deep = f, f += count;
        b.failed = f, f += count;
        b.news = f, f += 3;
        b.halt = f, f += 3;
        b.stop = f++;
        b.finished = f;
        b.table_costs = 16 * all.tables * sizeof(float) <= TABLE_BYTES_MAX ? (int)(16 * all.tables) : 0;
    }
};

/* One of the batches under way. */
struct slot {
    cudaStream_t stream = nullptr, aside = nullptr; /* aside: to stop what the other does */
    cudaEvent_t sent = nullptr, began = nullptr, ended = nullptr,
                fetched = nullptr; /* of the work between the transfers, and all */
    device_block block;
    pinned in, out;
    int bits = 0;
    uint32_t largest_rows = 0;
    size_t in_at = 0, in_used = 0, out_at = 0, out_used = 0;
    layout<int32_t> narrow;
    layout<int64_t> wide;
};

/* What is kept between calls. */
struct card {
    bool tried = false;
    cudaDeviceProp properties;
    sos_error why = { SOS_OK, "" };
    slot slots[SOS_CARD_SLOTS];
    pinned one; /* a number for kernels */
};

card the_card;

/* ---- a batch ---- */

template <class C> layout<C> &layout_of(slot &s);
template <> layout<int32_t> &layout_of(slot &s) { return s.narrow; }
template <> layout<int64_t> &layout_of(slot &s) { return s.wide; }

/* Lays a batch out, in the card's memory and in the host's, where the caller fills in what goes there. */
template <class C> void lay(slot &s, size_t count, sos_card_grid grids[])
{
    sizes all;
    for (size_t i = 0; i < count; i++) all.add(grids[i]);
    layout<C> &l = layout_of<C>(s);
    arena a;
    l.lay(a, count, all);
    const size_t bytes = a.used;
    a = arena();
    a.block = s.block.reserve(bytes);
    l.lay(a, count, all);
    unsigned char *host = (unsigned char *)s.in.reserve(l.in_used);
    s.out.reserve(l.out_used);
    const auto mirror = [&](const void *there) { return host + ((const unsigned char *)there - (a.block + l.in_at)); };
    size_t pixel = 0, table = 0, strength = 0, chosen = 0;
    int first[TILINGS] = { 0 };
    s.largest_rows = 0;
    for (size_t i = 0; i < count; i++) {
        sos_card_grid &g = grids[i];
        const size_t n = (size_t)g.width * g.height;
        image<C> one = {};
        one.width = (int)g.width, one.height = (int)g.height;
        one.from = { l.table + 16 * table, g.chosen ? l.which + chosen : nullptr, l.strength + 6 * strength, g.tables };
        one.s = l.s + pixel, one.alpha = l.alpha + 4 * pixel, one.far = l.far + pixel, one.tight = l.tight + pixel;
        for (int k = 0; k < TILINGS; k++) {
            one.across[k] = tiles_along(one.width, k);
            one.first[k] = first[k];
            const int tiles = one.across[k] * tiles_along(one.height, k);
            std::fill_n((int *)mirror(l.owner[k] + first[k]), tiles, (int)i);
            first[k] += tiles;
        }
        memcpy(mirror(l.images + i), &one, sizeof one);
        g.unary = mirror(l.unary + pixel);
        g.table = mirror(l.table + 16 * table);
        g.strength = mirror(l.strength + 6 * strength);
        g.which = (uint16_t *)mirror(l.which + chosen);
        g.place = pixel;
        pixel += n;
        table += g.tables;
        strength += g.tables ? 0 : n;
        chosen += g.chosen ? n : 0;
        s.largest_rows = std::max(s.largest_rows, g.height);
    }
}

template <class C, int shift> void descend(const layout<C> &l, size_t memory, cudaStream_t stream)
{
    must(cudaFuncSetAttribute((const void *)descend_tiles<C, shift>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)memory));
    descend_tiles<C, shift><<<(unsigned)l.b.tiles[shift], THREADS, memory, stream>>>(l.b);
    must(cudaGetLastError());
}

template <class C> void launch(const card &c, slot &s)
{
    const layout<C> &l = layout_of<C>(s);
    const batch<C> &b = l.b;
    const size_t own = (size_t)b.table_costs * sizeof(float), descent = sizeof(descent_room<C>) + own,
                 memory = sizeof(solve_room<C>) * (THREADS / LANES);
    const dim3 over((unsigned)std::min<uint32_t>(264, (s.largest_rows + 7) / 8), (unsigned)b.count);
    int resident = 0;
    must(cudaMemsetAsync(b.labels + l.pixels, 0, l.out_used - l.pixels, s.stream)); /* with what is between arrays */
    must(cudaFuncSetAttribute((const void *)solve_tiles<C>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)memory));
    must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, solve_tiles<C>, THREADS, memory));
    const int blocks = std::min(resident * c.properties.multiProcessorCount, b.tiles[SEARCH]); /* few tiles: a block each */
    for (int pass = 0; pass < DESCENT_PASSES; pass++) {
        if (pass % SHIFTS == 0) descend<C, 0>(l, descent, s.stream);
        if (pass % SHIFTS == 1) descend<C, 1>(l, descent, s.stream);
        if (pass % SHIFTS == 2) descend<C, 2>(l, descent, s.stream);
    }
    batch<C> argument = b;
    void *arguments[] = { &argument };
    must(cudaLaunchCooperativeKernel((const void *)solve_tiles<C>, dim3((unsigned)blocks), dim3(THREADS), arguments, memory,
                                     s.stream));
    certify<C><<<over, 256, 0, s.stream>>>(b);
    must(cudaGetLastError());
}

template <class C> void begin(const card &c, slot &s)
{
    const layout<C> &l = layout_of<C>(s);
    must(cudaEventRecord(s.sent, s.stream));
    must(cudaMemcpyAsync(s.block.block + l.in_at, s.in.block, l.in_used, cudaMemcpyHostToDevice, s.stream));
    must(cudaEventRecord(s.began, s.stream));
    launch<C>(c, s);
    must(cudaEventRecord(s.ended, s.stream));
    must(cudaMemcpyAsync(s.out.block, s.block.block + l.out_at, l.out_used, cudaMemcpyDeviceToHost, s.stream));
    must(cudaEventRecord(s.fetched, s.stream));
}

/* Are the numbers that two pairs of halves stand for the same?  The low halves are below 2^63, the high ones carry. */
bool same(const long long a[2], const long long b[2])
{
    return a[0] + (a[1] >> 32) == b[0] + (b[1] >> 32) && (a[1] & 0xFFFFFFFF) == (b[1] & 0xFFFFFFFF);
}

/* Sets the kernel's flag while it runs.  By a copy: what fills memory is a kernel, too, and would wait for this one. */
void halt(card &c, slot &s)
{
    const int *flag = s.bits == 32 ? s.narrow.b.stop : s.wide.b.stop;
    *(int *)c.one.reserve(sizeof(int)) = 1;
    must(cudaMemcpyAsync((void *)flag, c.one.block, sizeof *flag, cudaMemcpyHostToDevice, s.aside));
}

/* Labels and what was proven; false: a certificate does not hold. */
template <class C> bool read(slot &s, size_t count, sos_card_grid grids[])
{
    const layout<C> &l = layout_of<C>(s);
    unsigned char *host = (unsigned char *)s.out.block;
    const auto mirror = [&](const void *there) { return host + ((const unsigned char *)there - (s.block.block + l.out_at)); };
    const int *deep = (const int *)mirror(l.b.deep), *failed = (const int *)mirror(l.b.failed);
    const long long *bound = (const long long *)mirror(l.b.bound), *energy = (const long long *)mirror(l.b.energy);
    const int *round_of = (const int *)mirror(l.b.round_of), finished = *(const int *)mirror(l.b.finished);
    bool sound = true;
    for (size_t i = 0; i < count; i++) {
        grids[i].solved = round_of[i] < finished && !deep[i];
        grids[i].bound_high = bound[2 * i];
        grids[i].bound_low = bound[2 * i + 1];
        grids[i].labels = host + grids[i].place;
        sound &= !failed[i] && (!grids[i].solved || same(bound + 2 * i, energy + 2 * i));
    }
    return sound;
}

/* ---- the interface ---- */

void card_open(card &c)
{
    int count = 0, cooperative = 0;
    c.tried = true;
    must(cudaGetDeviceCount(&count));
    if (!count) throw cuda_failure{ cudaErrorNoDevice };
    must(cudaGetDeviceProperties(&c.properties, 0));
    must(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, 0));
    if (!cooperative || c.properties.major < 8) throw cuda_failure{ cudaErrorNotSupported };
    for (slot &s : c.slots) {
        must(cudaStreamCreateWithFlags(&s.stream, cudaStreamNonBlocking));
        must(cudaStreamCreateWithFlags(&s.aside, cudaStreamNonBlocking));
        for (cudaEvent_t *e : { &s.sent, &s.began, &s.ended, &s.fetched }) must(cudaEventCreate(e));
    }
}

sos_status failure_tell(const cuda_failure &f, sos_error *error)
{
    cudaGetLastError(); /* forgets it, where it can be forgotten */
    if (error) {
        error->status = SOS_ERR_IO;
        snprintf(error->message, sizeof error->message, "the graphics card: %s", cudaGetErrorString(f.what));
    }
    return SOS_ERR_IO;
}

/* Calls work, and turns what it throws into an error. */
template <class Work> sos_status guarded(sos_error *error, Work work)
{
    try {
        must(cudaSetDevice(0));
        work();
        return SOS_OK;
    } catch (const cuda_failure &f) {
        return failure_tell(f, error);
    }
}

const char *card_name(size_t *memory, sos_error *error)
{
    card &c = the_card;
    size_t all = 0;
    if (!c.tried && guarded(&c.why, [&] { card_open(c); })) c.tried = true;
    if (c.why.status) {
        if (error) *error = c.why;
        return nullptr;
    }
    if (guarded(error, [&] { must(cudaMemGetInfo(memory, &all)); })) return nullptr;
    for (const slot &s : c.slots) *memory += s.block.bytes;
    return c.properties.name;
}

template <class C> size_t bytes_of(const sos_card_grid &g)
{
    arena a;
    layout<C> l;
    sizes one;
    one.add(g);
    l.lay(a, 1, one);
    return a.used;
}

size_t card_bytes(int bits, const sos_card_grid *g) { return bits == 32 ? bytes_of<int32_t>(*g) : bytes_of<int64_t>(*g); }

sos_status card_lay(int number, int bits, size_t count, sos_card_grid grids[], sos_error *error)
{
    slot &s = the_card.slots[number];
    s.bits = bits;
    return guarded(error, [&] {
        if (bits == 32)
            lay<int32_t>(s, count, grids);
        else
            lay<int64_t>(s, count, grids);
    });
}

sos_status card_start(int number, sos_error *error)
{
    slot &s = the_card.slots[number];
    return guarded(error, [&] {
        if (s.bits == 32)
            begin<int32_t>(the_card, s);
        else
            begin<int64_t>(the_card, s);
    });
}

/* What has failed is ready, too: finish says what is wrong. */
bool card_is_ready(int number) { return cudaStreamQuery(the_card.slots[number].stream) != cudaErrorNotReady; }

void card_stop(int number)
{
    (void)guarded(nullptr, [&] { halt(the_card, the_card.slots[number]); });
}

sos_status card_finish(int number, size_t count, sos_card_grid grids[], double seconds[2], sos_error *error)
{
    slot &s = the_card.slots[number];
    float alone = 0, all = 0;
    bool sound = false;
    const sos_status status = guarded(error, [&] {
        must(cudaStreamSynchronize(s.stream));
        must(cudaEventElapsedTime(&alone, s.began, s.ended));
        must(cudaEventElapsedTime(&all, s.sent, s.fetched));
        sound = s.bits == 32 ? read<int32_t>(s, count, grids) : read<int64_t>(s, count, grids);
    });
    seconds[0] = alone / 1000, seconds[1] = all / 1000;
    if (status || sound) return status;
    if (error) *error = { SOS_ERR_IO, "the card's answer does not pass its certificate" };
    return SOS_ERR_IO;
}

void card_release(void)
{
    for (slot &s : the_card.slots) {
        s.block.release();
        s.in.release();
        s.out.release();
    }
    the_card.one.release();
}

} // namespace

extern "C" __attribute__((visibility("default"))) const sos_card_ops sos_card_ops_2;
const sos_card_ops sos_card_ops_2 = { card_name,     card_bytes, card_lay,    card_start,
                                      card_is_ready, card_stop,  card_finish, card_release };
