/* card.cu - grids solved on a graphics card, many together: memory, kernels, certificates.
 *
 * All grids of a batch go through the same rounds.  A tile is done by a block of threads; the blocks of one persistent kernel
 * share out the tiles that have something to do, and meet between passes.  Tiles of one pass have no pixel in common, so that
 * flows need no atomics; patches across tiles are inside those of the next, shifted pass. */
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <vector>

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
    const int *owner[SHIFTS]; /* the grid of each tile */
    int tiles[SHIFTS];
    const C *unary, *table; /* of all grids, one behind the other */
    int table_costs;        /* of those that blocks keep in their own memory; 0: they are too many */
    int *search;            /* tiles of shift 0 whose heights may fall */
    int *active[SHIFTS];    /* tiles that may push */
    int *round_of;          /* of each grid: the last round in which it was active, plus 1 */
    int *highest;           /* of each grid, by turns of rounds */
    int *news;              /* by turns of passes: the number of the last pass with anything to tell */
    int *deep;              /* of each grid: a height was too large */
    int *failed;            /* of each grid: a certificate that does not hold */
    uint8_t *labels;
    unsigned long long *bound, *energy; /* of each grid: high and low halves (grid.h), as two's complement */
    int *finished;
};

/* Tables are read again and again: blocks have a copy, where they are few. */
enum { TABLE_BYTES_MAX = 8192 };

template <class C> __device__ __forceinline__ void tables_copy(const batch<C> &b, C *own)
{
    for (int i = (int)threadIdx.x; i < b.table_costs; i += THREADS) own[i] = b.table[i];
    __syncthreads();
}

template <class C> __device__ __forceinline__ image<C> image_of(const batch<C> &b, int owner, const C *own)
{
    image<C> g = b.images[owner];
    if (b.table_costs) g.from.table = own + (g.from.table - b.table);
    return g;
}

template <class C> __device__ __forceinline__ void tile_corner(const image<C> &g, int shift, int tile, int *x0, int *y0)
{
    const int t = tile - g.first[shift];
    *x0 = t % g.across[shift] * SIDE - shift_of(shift);
    *y0 = t / g.across[shift] * SIDE - shift_of(shift);
}

template <class C> __device__ __forceinline__ void activate(const batch<C> &b, const image<C> &g, int x, int y)
{
    for (int shift = 0; shift < SHIFTS; shift++) {
        const int tile = g.first[shift] + (y + shift_of(shift)) / SIDE * g.across[shift] + (x + shift_of(shift)) / SIDE;
        __stcg(b.active[shift] + tile, 1);
    }
}

/* ---- start ---- */

template <class C> __global__ void start(batch<C> b)
{
    const image<C> g = b.images[blockIdx.y];
    const size_t n = (size_t)g.width * g.height, at = (size_t)(g.s - b.images[0].s);
    for (size_t p = blockIdx.x * (size_t)blockDim.x + threadIdx.x; p < n; p += (size_t)gridDim.x * blockDim.x) {
        const int x = (int)(p % g.width), y = (int)(p / g.width);
        unsigned tight = NO_PATCH;
        if (x + 1 < g.width && y + 1 < g.height) {
            alignas(16) C f[16];
            function_at(g.from, p, f);
            tight = tight_of(f);
        }
        g.s[p] = b.unary[at + p];
        alignas(16) const C none[4] = { 0, 0, 0, 0 };
        base_store(g.alpha + 4 * p, none);
        g.tight[p] = (uint16_t)tight;
        g.far[p] = FAR;
    }
}

template <class C> __global__ void __launch_bounds__(THREADS) descend_tiles(batch<C> b, int shift)
{
    extern __shared__ __align__(16) unsigned char memory[];
    C *own = (C *)(memory + sizeof(descent_room<C>));
    const int tile = (int)blockIdx.x;
    int x0, y0;
    tables_copy(b, own);
    const image<C> g = image_of(b, b.owner[shift][tile], own);
    tile_corner(g, shift, tile, &x0, &y0);
    descent_run(g, *(descent_room<C> *)memory, x0, y0, DESCENT_SWEEPS);
}

/* ---- rounds ---- */

/* The tiles that this block has in a pass, THREADS at a time. */
struct tile_list {
    int tile[THREADS], count;
};

/* Calls work(tile) for those tiles of this block that wanted(tile) holds for. */
template <class Wanted, class Work>
__device__ __forceinline__ void each_tile(tile_list &list, int tiles, Wanted wanted, Work work)
{
    for (int base = 0; base < tiles; base += (int)(gridDim.x * THREADS)) {
        __syncthreads();
        if (threadIdx.x == 0) list.count = 0;
        __syncthreads();
        const int tile = base + (int)(blockIdx.x + threadIdx.x * gridDim.x);
        if (tile < tiles && wanted(tile)) list.tile[append(&list.count)] = tile;
        __syncthreads();
        const int count = list.count;
        for (int i = 0; i < count; i++) work(list.tile[i]);
    }
}

template <class C> union alignas(16) solve_room {
    search_room search;
    push_room<C> push;
};

template <class C> struct alignas(16) solve_memory {
    solve_room<C> room;
    tile_list list;
    int highest;
};

/* Tiles around one whose heights have fallen along these sides.  Returns whether there are any. */
template <class C> __device__ bool search_around(const batch<C> &b, const image<C> &g, int tile, int sides)
{
    const int across = g.across[0], down = tiles_along(g.height, 0), X = (tile - g.first[0]) % across,
              Y = (tile - g.first[0]) / across;
    bool any = false;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) {
            const bool reached = (i >= 0 || sides & 1) && (i <= 0 || sides & 2) && (j >= 0 || sides & 4) &&
                                 (j <= 0 || sides & 8);
            if ((!i && !j) || !reached || X + i < 0 || X + i >= across || Y + j < 0 || Y + j >= down) continue;
            __stcg(b.search + tile + j * across + i, 1);
            any = true;
        }
    return any;
}

/* One pass over tiles whose heights may fall. */
template <class C>
__device__ void search_pass(const batch<C> &b, solve_memory<C> &m, int round, int limit, bool begin, int pass)
{
    bool any = false;
    search_room &room = m.room.search;
    each_tile(
        m.list, b.tiles[0],
        [&](int t) { return begin ? !round || __ldcg(b.round_of + b.owner[0][t]) >= round : __ldcg(b.search + t) != 0; },
        [&](int t) {
            const image<C> g = b.images[b.owner[0][t]];
            int x0, y0;
            tile_corner(g, 0, t, &x0, &y0);
            if (!begin && threadIdx.x == 0) atomicExch(b.search + t, 0);
            __threadfence(); /* before heights are read: who has written some has said so before */
            __syncthreads();
            search_load(g, room, x0, y0, begin);
            search_relax(room, limit);
            search_store(g, room, x0, y0, begin);
            __threadfence();
            __syncthreads();
            if (threadIdx.x == 0 && room.sides) any |= search_around(b, g, t, room.sides);
            __syncthreads();
        });
    if (any) __stcg(b.news + pass % 3, pass);
}

/* Which grids have pixels that can push, and up to which height. */
template <class C> __device__ void active_pass(const batch<C> &b, solve_memory<C> &m, int round, int limit, int pass)
{
    bool any = false;
    each_tile(
        m.list, b.tiles[0], [&](int t) { return !round || __ldcg(b.round_of + b.owner[0][t]) >= round; },
        [&](int t) {
            const int owner = b.owner[0][t];
            const image<C> g = b.images[owner];
            int x0, y0, highest = 0;
            bool mine = false, deep = false;
            tile_corner(g, 0, t, &x0, &y0);
            for (int i = (int)threadIdx.x; i < SIDE * SIDE; i += THREADS) {
                const long long p = place(g, x0 + i % SIDE, y0 + i / SIDE);
                if (p < 0) continue;
                const int h = fresh(&g.far[p]);
                deep |= h >= HIGHEST && h != FAR;
                if (h == FAR || fresh(&g.s[p]) <= 0) continue;
                mine = true;
                highest = max(highest, h);
                activate(b, g, x0 + i % SIDE, y0 + i / SIDE);
            }
            if (mine || (limit < HIGHEST && threadIdx.x == 0)) __stcg(b.round_of + owner, round + 1);
            if (deep) __stcg(b.deep + owner, 1);
            any |= mine;
            highest = __reduce_max_sync(~0U, highest);
            if (highest && threadIdx.x % 32 == 0) atomicMax(b.highest + (round & 1) * b.count + owner, highest);
        });
    if (any) __stcg(b.news + pass % 3, pass);
}

template <class C>
__device__ void push_pass(const batch<C> &b, solve_memory<C> &m, const C *own, int round, int shift, int pass)
{
    bool any = false;
    push_room<C> &room = m.room.push;
    each_tile(
        m.list, b.tiles[shift], [&](int t) { return __ldcg(b.active[shift] + t) != 0; },
        [&](int t) {
            const int owner = b.owner[shift][t];
            const image<C> g = image_of(b, owner, own);
            int x0, y0;
            tile_corner(g, shift, t, &x0, &y0);
            if (threadIdx.x == 0) __stcg(b.active[shift] + t, 0);
            push_run(g, room, x0, y0, PUSH_SWEEPS, __ldcg(b.highest + (round & 1) * b.count + owner) + CAP_SLACK);
            push_store(g, room, x0, y0, [&](int x, int y) {
                any = true;
                activate(b, g, x, y);
            });
        });
    if (any) __stcg(b.news + pass % 3, pass);
}

template <class C> __global__ void __launch_bounds__(THREADS, sizeof(C) == 4 ? 3 : 2) solve_tiles(batch<C> b)
{
    extern __shared__ __align__(16) unsigned char memory[];
    solve_memory<C> &m = *(solve_memory<C> *)memory;
    C *own = (C *)(memory + sizeof(solve_memory<C>));
    const groups::grid_group grid = groups::this_grid();
    const int me = (int)(blockIdx.x * THREADS + threadIdx.x), all = (int)(gridDim.x * THREADS);
    int pass = 0, limit = FIRST_LIMIT, shift = 0;
    tables_copy(b, own);
    for (int round = 0; round < ROUNDS_MAX; round++) {
        for (int i = me; i < b.count; i += all) b.highest[(round & 1) * b.count + i] = 0;
        for (int s = 0; s < SHIFTS; s++)
            for (int i = me; i < b.tiles[s]; i += all) __stcg(b.active[s] + i, 0);
        int passes = 0;
        do {
            search_pass(b, m, round, limit, passes++ == 0, ++pass);
            grid.sync();
        } while (__ldcg(b.news + pass % 3) == pass);
        active_pass(b, m, round, limit, ++pass);
        grid.sync();
        if (__ldcg(b.news + pass % 3) != pass) {
            if (limit == HIGHEST) {
                if (me == 0) *b.finished = 1;
                return;
            }
            limit = HIGHEST;
            continue;
        }
        limit = next_limit(limit);
        for (int i = push_passes(passes); i > 0; i--) {
            push_pass(b, m, own, round, shift++ % SHIFTS, ++pass);
            grid.sync();
            if (__ldcg(b.news + pass % 3) != pass) break;
        }
    }
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
    const size_t n = (size_t)g.width * g.height, at = (size_t)(g.s - b.images[0].s);
    halves bound = { 0, 0 }, energy = { 0, 0 };
    bool failed = false;
    for (size_t p = blockIdx.x * (size_t)blockDim.x + threadIdx.x; p < n; p += (size_t)gridDim.x * blockDim.x) {
        const int x = (int)(p % g.width), y = (int)(p / g.width), w = g.width;
        const bool one = g.far[p] != FAR, right = x + 1 < w, below = y + 1 < g.height;
        C left = b.unary[at + p];
        if (right && below) {
            alignas(16) C f[16], alpha[4];
            C slack[16];
            numbers_load<4>(g.alpha + 4 * p, alpha);
            function_at(g.from, p, f);
            slack_of(f, alpha, slack);
            for (int S = 1; S < 16; S++) failed |= slack[S] < 0;
            failed |= slack[15] != 0;
            left += alpha[0];
            energy.add(f[one | (g.far[p + 1] != FAR) << 1 | (g.far[p + w] != FAR) << 2 | (g.far[p + w + 1] != FAR) << 3]);
        }
        if (x && below) left += g.alpha[4 * (p - 1) + 1];
        if (right && y) left += g.alpha[4 * (p - w) + 2];
        if (x && y) left += g.alpha[4 * (p - w - 1) + 3];
        failed |= left != g.s[p];
        bound.add(left < 0 ? left : 0);
        energy.add(one ? b.unary[at + p] : 0);
        b.labels[at + p] = one;
    }
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
        if (block) cudaFreeHost(block);
        block = nullptr, bytes = 0;
        must(cudaMallocHost(&block, wanted));
        bytes = wanted;
        return block;
    }
};

/* What is kept between calls.  One call at a time. */
struct card {
    std::mutex mutex;
    bool tried = false;
    cudaDeviceProp properties;
    sos_error why = { SOS_OK, "" };
    cudaStream_t stream = nullptr;
    cudaEvent_t began = nullptr, ended = nullptr; /* of the work between the transfers */
    unsigned char *block = nullptr;
    size_t bytes = 0;
    pinned in, out;
};

card the_card;

/* ---- a batch ---- */

/* Where a batch has its arrays; first with no block, to learn how much they take. */
template <class C> struct layout {
    batch<C> b;
    image<C> *images;
    int *owner[SHIFTS];
    C *unary, *s, *alpha, *table, *strength;
    uint16_t *which, *tight;
    height_t *far;
    int *flags;
    size_t flag_count, zeroed; /* bytes of flags, bounds and energies, side by side */

    void lay(arena &a, size_t count, const sos_grid grids[])
    {
        size_t pixels = 0, tables = 0, strengths = 0;
        bool chosen = false;
        b = {};
        b.count = (int)count;
        for (size_t i = 0; i < count; i++) {
            const size_t n = (size_t)grids[i].width * grids[i].height;
            pixels += n;
            tables += grids[i].tables;
            strengths += grids[i].tables ? 0 : n;
            chosen |= grids[i].tables && grids[i].which;
            for (int k = 0; k < SHIFTS; k++)
                b.tiles[k] += tiles_along((int)grids[i].width, k) * tiles_along((int)grids[i].height, k);
        }
        images = a.take<image<C>>(count);
        for (int k = 0; k < SHIFTS; k++) owner[k] = a.take<int>((size_t)b.tiles[k]);
        table = a.take<C>(16 * tables);
        which = a.take<uint16_t>(chosen ? pixels : 0);
        strength = a.take<C>(6 * strengths);
        unary = a.take<C>(pixels);
        s = a.take<C>(pixels);
        alpha = a.take<C>(4 * pixels);
        far = a.take<height_t>(pixels);
        tight = a.take<uint16_t>(pixels);
        b.labels = a.take<uint8_t>(pixels);
        const size_t before = a.used;
        flag_count = (size_t)(2 * b.tiles[0] + b.tiles[1] + b.tiles[2]) + 5 * count + 4;
        flags = a.take<int>(flag_count);
        b.bound = a.take<unsigned long long>(2 * count);
        b.energy = a.take<unsigned long long>(2 * count);
        zeroed = a.used - before;
        int *f = flags;
        b.search = f, f += b.tiles[0];
        for (int i = 0; i < SHIFTS; i++) b.active[i] = f, f += b.tiles[i];
        b.round_of = f, f += count;
        b.highest = f, f += 2 * count;
        b.deep = f, f += count;
        b.failed = f, f += count;
        b.news = f, f += 3;
        b.finished = f;
        b.images = images;
        b.unary = unary;
        b.table = table;
        b.table_costs = 16 * tables * sizeof(C) <= TABLE_BYTES_MAX ? (int)(16 * tables) : 0;
        for (int i = 0; i < SHIFTS; i++) b.owner[i] = owner[i];
    }
};

template <class C> size_t bytes_of(size_t count, const sos_grid grids[])
{
    arena a;
    layout<C> l;
    l.lay(a, count, grids);
    return a.used;
}

template <class C> void numbers_copy(C *to, const int64_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++) to[i] = (C)from[i];
}

/* What goes to the card, laid out in pinned memory as it lies there: from the images to the unaries. */
template <class C> void upload(card &c, const layout<C> &l, size_t count, const sos_grid grids[])
{
    const size_t bytes = (size_t)((unsigned char *)l.s - (unsigned char *)l.images);
    unsigned char *host = (unsigned char *)c.in.reserve(bytes);
    const auto mirror = [&](const void *there) {
        return host + ((const unsigned char *)there - (const unsigned char *)l.images);
    };
    size_t pixel = 0, table = 0, strength = 0;
    int first[SHIFTS] = { 0 };
    for (size_t i = 0; i < count; i++) {
        const sos_grid &g = grids[i];
        const size_t n = (size_t)g.width * g.height;
        image<C> one = {};
        one.width = (int)g.width, one.height = (int)g.height;
        one.from = { l.table + 16 * table, g.tables && g.which ? l.which + pixel : nullptr, l.strength + 6 * strength,
                     g.tables };
        one.s = l.s + pixel, one.alpha = l.alpha + 4 * pixel, one.far = l.far + pixel, one.tight = l.tight + pixel;
        for (int s = 0; s < SHIFTS; s++) {
            one.across[s] = tiles_along(one.width, s);
            one.first[s] = first[s];
            const int tiles = one.across[s] * tiles_along(one.height, s);
            std::fill_n((int *)mirror(l.owner[s] + first[s]), tiles, (int)i);
            first[s] += tiles;
        }
        memcpy(mirror(l.images + i), &one, sizeof one);
        numbers_copy((C *)mirror(l.unary + pixel), g.unary, n);
        if (g.tables) numbers_copy((C *)mirror(l.table + 16 * table), g.table, 16 * g.tables);
        if (g.tables && g.which) memcpy(mirror(l.which + pixel), g.which, n * sizeof *g.which);
        if (!g.tables) numbers_copy((C *)mirror(l.strength + 6 * strength), g.strength, 6 * n);
        pixel += n;
        table += g.tables;
        strength += g.tables ? 0 : n;
    }
    must(cudaMemcpyAsync(l.images, host, bytes, cudaMemcpyHostToDevice, c.stream));
}

template <class C> void launch(card &c, const layout<C> &l, size_t largest)
{
    const batch<C> &b = l.b;
    const size_t own = (size_t)b.table_costs * sizeof(C), descent = sizeof(descent_room<C>) + own,
                 memory = sizeof(solve_memory<C>) + own;
    const dim3 over((unsigned)std::min<size_t>(264, (largest + 255) / 256), (unsigned)b.count);
    int resident = 0;
    must(cudaMemsetAsync(l.flags, 0, l.zeroed, c.stream));
    must(cudaFuncSetAttribute((const void *)descend_tiles<C>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)descent));
    must(cudaFuncSetAttribute((const void *)solve_tiles<C>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)memory));
    must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, solve_tiles<C>, THREADS, memory));
    const int most = std::max(b.tiles[0], std::max(b.tiles[1], b.tiles[2]));
    const int blocks = std::min(resident * c.properties.multiProcessorCount, most);
    start<C><<<over, 256, 0, c.stream>>>(b);
    must(cudaGetLastError());
    for (int pass = 0; pass < DESCENT_PASSES; pass++) {
        descend_tiles<C><<<(unsigned)b.tiles[pass % SHIFTS], THREADS, descent, c.stream>>>(b, pass % SHIFTS);
        must(cudaGetLastError());
    }
    batch<C> argument = b;
    void *arguments[] = { &argument };
    must(cudaLaunchCooperativeKernel((const void *)solve_tiles<C>, dim3((unsigned)blocks), dim3(THREADS), arguments, memory,
                                     c.stream));
    certify<C><<<over, 256, 0, c.stream>>>(b);
    must(cudaGetLastError());
}

/* Are the numbers that two pairs of halves stand for the same?  The low halves are below 2^63, the high ones carry. */
bool same(const long long a[2], const long long b[2])
{
    return a[0] + (a[1] >> 32) == b[0] + (b[1] >> 32) && (a[1] & 0xFFFFFFFF) == (b[1] & 0xFFFFFFFF);
}

/* Labels and what was proven; false: a certificate does not hold. */
template <class C> bool download(card &c, const layout<C> &l, size_t count, sos_grid grids[])
{
    const unsigned char *from = l.b.labels;
    const size_t bytes = (size_t)((unsigned char *)l.flags + l.zeroed - from);
    const unsigned char *host = (const unsigned char *)c.out.reserve(bytes);
    must(cudaMemcpyAsync((void *)host, from, bytes, cudaMemcpyDeviceToHost, c.stream));
    must(cudaStreamSynchronize(c.stream));
    const auto mirror = [&](const void *there) { return host + ((const unsigned char *)there - from); };
    const int *deep = (const int *)mirror(l.b.deep), *failed = (const int *)mirror(l.b.failed);
    const long long *bound = (const long long *)mirror(l.b.bound), *energy = (const long long *)mirror(l.b.energy);
    const bool finished = *(const int *)mirror(l.b.finished) != 0;
    bool sound = true;
    size_t pixel = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t n = (size_t)grids[i].width * grids[i].height;
        grids[i].solved = finished && !deep[i];
        grids[i].bound_high = bound[2 * i];
        grids[i].bound_low = bound[2 * i + 1];
        sound &= !failed[i] && (!grids[i].solved || same(bound + 2 * i, energy + 2 * i));
        memcpy(grids[i].labels, host + pixel, n);
        pixel += n;
    }
    return sound;
}

void reserve(card &c, size_t bytes)
{
    if (bytes <= c.bytes) return;
    if (c.block) cudaFree(c.block);
    c.block = nullptr, c.bytes = 0;
    must(cudaMalloc((void **)&c.block, bytes));
    c.bytes = bytes;
}

template <class C> sos_status solve_slice(card &c, size_t count, sos_grid grids[], double *seconds, sos_error *error)
{
    reserve(c, bytes_of<C>(count, grids));
    arena a;
    layout<C> l;
    a.block = c.block;
    l.lay(a, count, grids);
    size_t largest = 0;
    for (size_t i = 0; i < count; i++) largest = std::max(largest, (size_t)grids[i].width * grids[i].height);
    upload(c, l, count, grids);
    must(cudaEventRecord(c.began, c.stream));
    launch(c, l, largest);
    must(cudaEventRecord(c.ended, c.stream));
    const bool sound = download(c, l, count, grids);
    float milliseconds = 0;
    must(cudaEventElapsedTime(&milliseconds, c.began, c.ended));
    *seconds += milliseconds / 1000;
    if (sound) return SOS_OK;
    if (error) *error = { SOS_ERR_IO, "the card's answer does not pass its certificate" };
    return SOS_ERR_IO;
}

/* As many grids at a time as fit; one that does not fit alone is not solved. */
template <class C>
sos_status solve_slices(card &c, size_t count, sos_grid grids[], size_t memory, double *seconds, sos_error *error)
{
    sos_status status = SOS_OK;
    for (size_t begin = 0, end; begin < count && !status; begin = end) {
        size_t slice = bytes_of<C>(1, grids + begin);
        if (slice > memory) {
            grids[begin].solved = false;
            end = begin + 1;
            continue;
        }
        for (end = begin + 1; end < count && end - begin < 65535; end++) {
            slice += bytes_of<C>(1, grids + end);
            if (slice > memory) break;
        }
        status = solve_slice<C>(c, end - begin, grids + begin, seconds, error);
    }
    return status;
}

/* Do 32 bits hold all sums that can occur at a pixel: of unaries, and of what four patches move to it? */
bool fits(const sos_grid &g)
{
    int64_t costs = 0, unaries = 0;
    const size_t n = (size_t)g.width * g.height;
    const int64_t limit = INT64_C(1) << 27;
    for (size_t i = 0; i < 16 * g.tables; i++) costs = std::max(costs, g.table[i]);
    for (size_t i = 0; !g.tables && i < 6 * n; i++) costs = std::max(costs, 4 * g.strength[i]);
    for (size_t i = 0; i < n; i++) unaries = std::max(unaries, g.unary[i] < 0 ? -g.unary[i] : g.unary[i]);
    return costs < limit && unaries < 4 * limit;
}

/* ---- the interface ---- */

void card_open(card &c)
{
    int count = 0, runtime = 0, cooperative = 0;
    c.tried = true;
    must(cudaGetDeviceCount(&count));
    if (!count) throw cuda_failure{ cudaErrorNoDevice };
    must(cudaRuntimeGetVersion(&runtime));
    must(cudaGetDeviceProperties(&c.properties, 0));
    must(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, 0));
    if (!cooperative) throw cuda_failure{ cudaErrorNotSupported };
    must(cudaStreamCreateWithFlags(&c.stream, cudaStreamNonBlocking));
    must(cudaEventCreate(&c.began));
    must(cudaEventCreate(&c.ended));
}

sos_status failure_tell(const cuda_failure &f, sos_error *error)
{
    if (error) {
        error->status = SOS_ERR_IO;
        snprintf(error->message, sizeof error->message, "the graphics card: %s", cudaGetErrorString(f.what));
    }
    return SOS_ERR_IO;
}

const char *card_name(sos_error *error)
{
    card &c = the_card;
    const std::lock_guard<std::mutex> lock(c.mutex);
    if (!c.tried) {
        try {
            card_open(c);
        } catch (const cuda_failure &f) {
            failure_tell(f, &c.why);
        }
    }
    if (!c.why.status) return c.properties.name;
    if (error) *error = c.why;
    return nullptr;
}

sos_status card_solve(size_t count, sos_grid grids[], size_t memory, double *seconds, sos_error *error)
{
    if (!card_name(error)) return SOS_ERR_IO;
    card &c = the_card;
    const std::lock_guard<std::mutex> lock(c.mutex);
    try {
        size_t there = 0, total = 0;
        must(cudaMemGetInfo(&there, &total));
        if (!memory) memory = (there + c.bytes) / 5 * 4;
        bool small = true;
        for (size_t i = 0; i < count; i++) small &= fits(grids[i]);
        *seconds = 0;
        return small ? solve_slices<int32_t>(c, count, grids, memory, seconds, error)
                     : solve_slices<int64_t>(c, count, grids, memory, seconds, error);
    } catch (const cuda_failure &f) {
        cudaGetLastError(); /* forgets it, where it can be forgotten */
        return failure_tell(f, error);
    } catch (const std::bad_alloc &) {
        if (error) *error = { SOS_ERR_MEMORY, "no memory for a batch of the graphics card" };
        return SOS_ERR_MEMORY;
    }
}

} // namespace

extern "C" SOS_API const sos_card_ops sos_card_ops_1 = { card_name, card_solve };
