/* tile.h - what a block of threads does with a tile of 32x32 pixels: descent, heights, pushes.
 *
 * One source for the card and for the CPU.  A step is written as what one thread does, EACH_THREAD, and ends at a BARRIER; on
 * the CPU the threads take turns.  Between two barriers no thread reads what another writes, so that the order does not matter.
 */
#ifndef SOS_CUDA_TILE_H
#define SOS_CUDA_TILE_H

#include "cuda/patch.h"

namespace sos_card
{

enum { SIDE = 32, THREADS = SIDE * SIDE / 4, COLOURS = 4, SHIFTS = 3 };

/* Heights are lengths of paths to a pixel with s < 0.  What is farther cannot be told from what cannot be reached: such a grid
 * is left to the CPU. */
typedef uint16_t height_t;
enum : int { FAR = 65535, HIGHEST = FAR - 2 };

#if defined(__CUDA_ARCH__)
#define EACH_THREAD for (int tid = (int)threadIdx.x, once_ = 1; once_; once_ = 0)
#define BARRIER()   __syncthreads()
__device__ __forceinline__ int append(int *count) { return atomicAdd(count, 1); }
/* What another block may have written: not from the cache of this one. */
template <class X> __device__ __forceinline__ X fresh(const X *p) { return __ldcg(p); }
template <class C> __device__ __forceinline__ void fresh_base(const C *p, C to[4])
{
    for (int i = 0; i < (int)(sizeof(C) / 4); i++) ((int4 *)to)[i] = __ldcg((const int4 *)p + i);
}
template <class C> __device__ __forceinline__ void base_store(C *p, const C from[4])
{
    for (int i = 0; i < (int)(sizeof(C) / 4); i++) ((int4 *)p)[i] = ((const int4 *)from)[i];
}
#else
#define EACH_THREAD for (int tid = 0; tid < THREADS; tid++)
#define BARRIER()   ((void)0)
inline int append(int *count) { return (*count)++; }
template <class X> inline X fresh(const X *p) { return *p; }
template <class C> inline void fresh_base(const C *p, C to[4])
{
    for (int b = 0; b < 4; b++) to[b] = p[b];
}
template <class C> inline void base_store(C *p, const C from[4])
{
    for (int b = 0; b < 4; b++) p[b] = from[b];
}
#endif

/* A grid on the card: where its arrays begin, and its tiles.  Tiles of the three shifts begin at -shift_of(shift). */
template <class C> struct image {
    int width, height;
    functions<C> from;
    C *s, *alpha;                      /* alpha: 4 for each pixel's patch */
    height_t *far;                     /* the height of each pixel */
    uint16_t *tight;                   /* the tight sets of each pixel's patch, or NO_PATCH */
    int across[SHIFTS], first[SHIFTS]; /* tiles in a row; number of its first tile among those of all grids */
};

SOS_HD int shift_of(int shift) { return shift * (SIDE / SHIFTS); }
SOS_HD int tiles_along(int length, int shift) { return (length + shift_of(shift) + SIDE - 1) / SIDE; }

/* Pixel (x, y) of the grid; -1: outside. */
template <class C> SOS_HD long long place(const image<C> &g, int x, int y)
{
    return x >= 0 && y >= 0 && x < g.width && y < g.height ? (long long)y * g.width + x : -1;
}

/* ---- descent ---- */

template <class C> struct alignas(16) descent_room {
    float alpha[4][SIDE][SIDE], s[SIDE][SIDE];
    C whole[SIDE][SIDE];
};

/* Has tile pixel (lx, ly) a patch that lies in the tile and in the grid? */
template <class C> SOS_HD bool has_patch(const image<C> &g, int x0, int y0, int lx, int ly)
{
    const int x = x0 + lx, y = y0 + ly;
    return lx + 1 < SIDE && ly + 1 < SIDE && x >= 0 && y >= 0 && x + 1 < g.width && y + 1 < g.height;
}

/* The pixel of a thread that has a patch of this colour. */
SOS_HD int colour_x(int tid, int colour) { return 2 * (tid % (SIDE / 2)) + (colour & 1); }
SOS_HD int colour_y(int tid, int colour) { return 2 * (tid / (SIDE / 2)) + (colour >> 1); }

template <class C> SOS_HD void descent_load(const image<C> &g, descent_room<C> &room, int x0, int y0)
{
    EACH_THREAD
    for (int i = tid; i < SIDE * SIDE; i += THREADS) {
        const int lx = i % SIDE, ly = i / SIDE;
        const long long p = place(g, x0 + lx, y0 + ly);
        const C s = p < 0 ? 0 : fresh(&g.s[p]);
        room.whole[ly][lx] = s;
        room.s[ly][lx] = (float)s;
        alignas(16) C alpha[4] = { 0, 0, 0, 0 };
        if (p >= 0) fresh_base(g.alpha + 4 * p, alpha);
        for (int b = 0; b < 4; b++) room.alpha[b][ly][lx] = (float)alpha[b];
    }
    BARRIER();
}

/* One colour: patches that have no pixel in common. */
template <class C> SOS_HD void descent_step(const image<C> &g, descent_room<C> &room, int x0, int y0, int colour)
{
    EACH_THREAD
    {
        const int lx = colour_x(tid, colour), ly = colour_y(tid, colour);
        if (has_patch(g, x0, y0, lx, ly)) {
            float s[4], alpha[4];
            alignas(16) C f[16];
            function_at(g.from, (size_t)place(g, x0 + lx, y0 + ly), f);
            SOS_UNROLL
            for (int b = 0; b < 4; b++) s[b] = room.s[ly + (b >> 1)][lx + (b & 1)], alpha[b] = room.alpha[b][ly][lx];
            descend(s, alpha, f);
            SOS_UNROLL
            for (int b = 0; b < 4; b++) room.s[ly + (b >> 1)][lx + (b & 1)] = s[b], room.alpha[b][ly][lx] = alpha[b];
        }
    }
    BARRIER();
}

/* Rounds one colour to integer bases. */
template <class C> SOS_HD void descent_round(const image<C> &g, descent_room<C> &room, int x0, int y0, int colour)
{
    EACH_THREAD
    {
        const int lx = colour_x(tid, colour), ly = colour_y(tid, colour);
        if (has_patch(g, x0, y0, lx, ly)) {
            const long long p = place(g, x0 + lx, y0 + ly);
            float alpha[4];
            alignas(16) C f[16], base[4], before[4];
            function_at(g.from, (size_t)p, f);
            fresh_base(g.alpha + 4 * p, before);
            SOS_UNROLL
            for (int b = 0; b < 4; b++) alpha[b] = room.alpha[b][ly][lx];
            g.tight[p] = (uint16_t)round_base(alpha, f, base);
            SOS_UNROLL
            for (int b = 0; b < 4; b++) room.whole[ly + (b >> 1)][lx + (b & 1)] += base[b] - before[b];
            base_store(g.alpha + 4 * p, base);
        }
    }
    BARRIER();
}

/* So many sweeps over a tile. */
template <class C> SOS_HD void descent_run(const image<C> &g, descent_room<C> &room, int x0, int y0, int sweeps)
{
    descent_load(g, room, x0, y0);
    for (int i = 0; i < sweeps * COLOURS; i++) descent_step(g, room, x0, y0, i % COLOURS);
    for (int colour = 0; colour < COLOURS; colour++) descent_round(g, room, x0, y0, colour);
    EACH_THREAD
    for (int i = tid; i < SIDE * SIDE; i += THREADS) {
        const long long p = place(g, x0 + i % SIDE, y0 + i / SIDE);
        if (p >= 0) g.s[p] = room.whole[i / SIDE][i % SIDE];
    }
    BARRIER();
}

/* ---- heights ---- */

enum { AROUND = SIDE + 2 }; /* with a pixel on either side */

/* Which of its eight neighbours a pixel can push to, from the tight sets of the patches around it: that at the pixel, to its
 * left, above, and above to the left.  Bits: right, left, below, above, and the diagonals below right, below left, above right,
 * above left. */
SOS_HD unsigned ways_of(unsigned own, unsigned left, unsigned above, unsigned corner)
{
    return (unsigned)(has_arc(own, 0, 1) || has_arc(above, 2, 3)) |
           (unsigned)(has_arc(left, 1, 0) || has_arc(corner, 3, 2)) << 1 |
           (unsigned)(has_arc(own, 0, 2) || has_arc(left, 1, 3)) << 2 |
           (unsigned)(has_arc(above, 2, 0) || has_arc(corner, 3, 1)) << 3 | (unsigned)has_arc(own, 0, 3) << 4 |
           (unsigned)has_arc(left, 1, 2) << 5 | (unsigned)has_arc(above, 2, 1) << 6 | (unsigned)has_arc(corner, 3, 0) << 7;
}

/* One more than the least height of the neighbours that can be reached; at: that of the pixel, rows being stride apart. */
template <int stride, class H> SOS_HD int step_up(const H *at, unsigned ways)
{
    int least = FAR - 1;
    if (ways & 1) least = at[1] < least ? at[1] : least;
    if (ways & 2) least = at[-1] < least ? at[-1] : least;
    if (ways & 4) least = at[stride] < least ? at[stride] : least;
    if (ways & 8) least = at[-stride] < least ? at[-stride] : least;
    if (ways & 16) least = at[stride + 1] < least ? at[stride + 1] : least;
    if (ways & 32) least = at[stride - 1] < least ? at[stride - 1] : least;
    if (ways & 64) least = at[-stride + 1] < least ? at[-stride + 1] : least;
    if (ways & 128) least = at[-stride - 1] < least ? at[-stride - 1] : least;
    return least + 1;
}

struct search_room {
    alignas(16) height_t height[2][AROUND][AROUND]; /* read and written in turns */
    uint16_t tight[SIDE + 1][SIDE + 1];             /* from the pixel above to the left on */
    uint32_t ways[THREADS];                         /* of the 2x2 pixels of each thread, 8 bits each */
    int changed[3];                                 /* in turns, too */
    int sides;                                      /* along which heights have changed: left 1, right 2, above 4, below 8 */
};

SOS_HD unsigned ways_at(const uint16_t tight[SIDE + 1][SIDE + 1], int lx, int ly)
{
    return ways_of(tight[ly + 1][lx + 1], tight[ly + 1][lx], tight[ly][lx + 1], tight[ly][lx]);
}

template <class C> SOS_HD void tight_load(const image<C> &g, uint16_t tight[SIDE + 1][SIDE + 1], int x0, int y0, int tid)
{
    for (int i = tid; i < (SIDE + 1) * (SIDE + 1); i += THREADS) {
        const int lx = i % (SIDE + 1), ly = i / (SIDE + 1);
        const long long p = place(g, x0 + lx - 1, y0 + ly - 1);
        tight[ly][lx] = p < 0 ? (uint16_t)NO_PATCH : fresh(&g.tight[p]);
    }
}

/* begin: heights are 0 where s < 0, and unknown elsewhere; else they are those found so far. */
template <class C> SOS_HD void search_load(const image<C> &g, search_room &room, int x0, int y0, bool begin)
{
    EACH_THREAD
    {
        for (int i = tid; i < AROUND * AROUND; i += THREADS) {
            const int lx = i % AROUND, ly = i / AROUND;
            const long long p = place(g, x0 + lx - 1, y0 + ly - 1);
            const height_t h = p < 0 ? (height_t)FAR : begin ? (height_t)(fresh(&g.s[p]) < 0 ? 0 : FAR) : fresh(&g.far[p]);
            room.height[0][ly][lx] = room.height[1][ly][lx] = h;
        }
        tight_load(g, room.tight, x0, y0, tid);
        if (tid < 3) room.changed[tid] = 0;
        if (tid == 3) room.sides = 0;
    }
    BARRIER();
    EACH_THREAD
    {
        uint32_t ways = 0;
        for (int q = 0; q < 4; q++) ways |= ways_at(room.tight, colour_x(tid, q), colour_y(tid, q)) << 8 * q;
        room.ways[tid] = ways;
    }
    BARRIER();
}

/* Lowers the heights of the 2x2 pixels of a thread, twice, by what is known of the 4x4 pixels around. */
SOS_HD bool heights_lower(int h[16], uint32_t ways, int limit)
{
    bool fell = false;
    SOS_UNROLL
    for (int i = 0; i < 8; i++) {
        const int q = i % 4, at = 4 * (1 + (q >> 1)) + 1 + (q & 1);
        const int found = step_up<4>(h + at, ways >> 8 * q & 0xFF);
        const bool lower = found < h[at] && found <= limit;
        h[at] = lower ? found : h[at];
        fell |= lower;
    }
    return fell;
}

/* Lowers heights up to limit inside the tile until none falls. */
SOS_HD void search_relax(search_room &room, int limit)
{
    for (int turn = 0;; turn++) {
        EACH_THREAD
        {
            int h[16];
            const int x = colour_x(tid, 0), y = colour_y(tid, 0);
            SOS_UNROLL
            for (int i = 0; i < 16; i++) h[i] = room.height[turn & 1][y + i / 4][x + i % 4];
            const bool fell = heights_lower(h, room.ways[tid], limit);
            SOS_UNROLL
            for (int q = 0; q < 4; q++)
                room.height[~turn & 1][y + 1 + (q >> 1)][x + 1 + (q & 1)] = (height_t)h[4 * (1 + (q >> 1)) + 1 + (q & 1)];
            if (fell) room.changed[turn % 3] = 1;
            if (tid == 0) room.changed[(turn + 1) % 3] = 0;
        }
        BARRIER();
        if (!room.changed[turn % 3]) return; /* and both sets of heights are the same */
    }
}

/* Writes what has fallen, and tells along which sides. */
template <class C> SOS_HD void search_store(const image<C> &g, search_room &room, int x0, int y0, bool begin)
{
    EACH_THREAD
    for (int i = tid; i < SIDE * SIDE; i += THREADS) {
        const int lx = i % SIDE, ly = i / SIDE;
        const long long p = place(g, x0 + lx, y0 + ly);
        if (p < 0) continue;
        const height_t h = room.height[0][ly + 1][lx + 1],
                       before = begin ? (height_t)(fresh(&g.s[p]) < 0 ? 0 : FAR) : fresh(&g.far[p]);
        if (begin || h != before) g.far[p] = h;
        if (h == before) continue;
        const int sides = (lx == 0) | (lx == SIDE - 1) << 1 | (ly == 0) << 2 | (ly == SIDE - 1) << 3;
#if defined(__CUDA_ARCH__)
        if (sides) atomicOr(&room.sides, sides);
#else
        room.sides |= sides;
#endif
    }
    BARRIER();
}

/* ---- pushes ---- */

template <class C> struct alignas(16) push_room {
    C alpha[4][SIDE][SIDE], s[SIDE][SIDE];
    height_t height[AROUND][AROUND];
    uint16_t tight[SIDE + 1][SIDE + 1];
    uint16_t list[SIDE * SIDE], next[SIDE * SIDE]; /* pixels with something to do; their new heights */
    int count[COLOURS + 1], moved;
};

template <class C> SOS_HD void push_load(const image<C> &g, push_room<C> &room, int x0, int y0)
{
    EACH_THREAD
    {
        for (int i = tid; i < SIDE * SIDE; i += THREADS) {
            const int lx = i % SIDE, ly = i / SIDE;
            const long long p = place(g, x0 + lx, y0 + ly);
            room.s[ly][lx] = p < 0 ? 0 : fresh(&g.s[p]);
            alignas(16) C alpha[4] = { 0, 0, 0, 0 };
            if (p >= 0) fresh_base(g.alpha + 4 * p, alpha);
            for (int b = 0; b < 4; b++) room.alpha[b][ly][lx] = alpha[b];
        }
        for (int i = tid; i < AROUND * AROUND; i += THREADS) {
            const long long p = place(g, x0 + i % AROUND - 1, y0 + i / AROUND - 1);
            room.height[i / AROUND][i % AROUND] = p < 0 ? (height_t)FAR : fresh(&g.far[p]);
        }
        tight_load(g, room.tight, x0, y0, tid);
        if (tid <= COLOURS) room.count[tid] = 0;
        if (tid == COLOURS + 1) room.moved = 0;
    }
    BARRIER();
}

/* Lists the patches of a colour that can push, and lets them. */
template <class C> SOS_HD void push_colour(const image<C> &g, push_room<C> &room, int x0, int y0, int colour)
{
    EACH_THREAD
    {
        const int lx = colour_x(tid, colour), ly = colour_y(tid, colour);
        if (has_patch(g, x0, y0, lx, ly)) {
            C s[4];
            int height[4];
            SOS_UNROLL
            for (int b = 0; b < 4; b++) {
                s[b] = room.s[ly + (b >> 1)][lx + (b & 1)];
                height[b] = room.height[ly + 1 + (b >> 1)][lx + 1 + (b & 1)];
            }
            if (can_push(s, height, room.tight[ly + 1][lx + 1]))
                room.list[append(&room.count[colour])] = (uint16_t)(ly * SIDE + lx);
        }
    }
    BARRIER();
    EACH_THREAD
    if (tid < room.count[colour]) {
        const int lx = room.list[tid] % SIDE, ly = room.list[tid] / SIDE;
        alignas(16) C f[16];
        C s[4], alpha[4];
        int height[4];
        function_at(g.from, (size_t)place(g, x0 + lx, y0 + ly), f);
        SOS_UNROLL
        for (int b = 0; b < 4; b++) {
            s[b] = room.s[ly + (b >> 1)][lx + (b & 1)];
            height[b] = room.height[ly + 1 + (b >> 1)][lx + 1 + (b & 1)];
            alpha[b] = room.alpha[b][ly][lx];
        }
        room.tight[ly + 1][lx + 1] = (uint16_t)push(s, height, alpha, f);
        SOS_UNROLL
        for (int b = 0; b < 4; b++) room.s[ly + (b >> 1)][lx + (b & 1)] = s[b], room.alpha[b][ly][lx] = alpha[b];
        room.moved = 1;
    }
    BARRIER();
}

/* Lifts pixels with s > 0 to a step above the lowest neighbour they can push to; above cap they wait for the next search. */
template <class C> SOS_HD void push_lift(push_room<C> &room, int cap)
{
    EACH_THREAD
    for (int i = tid; i < SIDE * SIDE; i += THREADS)
        if (room.s[i / SIDE][i % SIDE] > 0 && room.height[i / SIDE + 1][i % SIDE + 1] < FAR)
            room.list[append(&room.count[COLOURS])] = (uint16_t)i;
    BARRIER();
    EACH_THREAD
    for (int i = tid; i < room.count[COLOURS]; i += THREADS) {
        const int lx = room.list[i] % SIDE, ly = room.list[i] / SIDE;
        const height_t *at = &room.height[ly + 1][lx + 1];
        const int found = step_up<AROUND>(at, ways_at(room.tight, lx, ly));
        room.next[i] = found <= *at ? *at : (height_t)(found > cap ? FAR : found);
        if (found > *at) room.moved = 1;
    }
    BARRIER();
    EACH_THREAD
    {
        for (int i = tid; i < room.count[COLOURS]; i += THREADS)
            room.height[room.list[i] / SIDE + 1][room.list[i] % SIDE + 1] = room.next[i];
        if (tid < COLOURS) room.count[tid] = 0;
    }
    BARRIER();
}

/* At most so many sweeps, while something moves. */
template <class C> SOS_HD void push_run(const image<C> &g, push_room<C> &room, int x0, int y0, int sweeps, int cap)
{
    push_load(g, room, x0, y0);
    for (int i = 0; i < sweeps; i++) {
        for (int colour = 0; colour < COLOURS; colour++) push_colour(g, room, x0, y0, colour);
        push_lift(room, cap);
        const bool moved = room.moved && room.count[COLOURS];
        BARRIER();
        if (!moved) break;
        EACH_THREAD
        {
            if (tid == 0) room.moved = 0;
            if (tid == 1) room.count[COLOURS] = 0;
        }
        BARRIER();
    }
}

/* Writes the tile back; returns, on the card for the thread, whether a pixel in it is still active. */
template <class C, class Active> SOS_HD void push_store(const image<C> &g, push_room<C> &room, int x0, int y0, Active active)
{
    EACH_THREAD
    for (int i = tid; i < SIDE * SIDE; i += THREADS) {
        const int lx = i % SIDE, ly = i / SIDE;
        const long long p = place(g, x0 + lx, y0 + ly);
        if (p < 0) continue;
        g.s[p] = room.s[ly][lx];
        g.far[p] = room.height[ly + 1][lx + 1];
        if (has_patch(g, x0, y0, lx, ly)) {
            alignas(16) C alpha[4];
            for (int b = 0; b < 4; b++) alpha[b] = room.alpha[b][ly][lx];
            base_store(g.alpha + 4 * p, alpha);
            g.tight[p] = room.tight[ly + 1][lx + 1];
        }
        if (room.s[ly][lx] > 0 && room.height[ly + 1][lx + 1] < FAR) active(x0 + lx, y0 + ly);
    }
    BARRIER();
}

} // namespace sos_card

#endif
