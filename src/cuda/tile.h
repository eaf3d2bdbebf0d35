/* tile.h - what threads do with a tile of 32x32 pixels: a block of them descends, a warp finds heights and pushes.
 *
 * One source for the card and for the CPU.  A step is written as what one thread does, EACH_THREAD or EACH_LANE, and ends at a
 * barrier; on the CPU the threads take turns.  Between two barriers no thread reads what another writes, so that the order does
 * not matter. */
#ifndef SOS_CUDA_TILE_H
#define SOS_CUDA_TILE_H

#include "cuda/patch.h"

namespace sos_card
{

enum { SIDE = 32, LANES = SIDE, THREADS = SIDE * SIDE / 4, COLOURS = 4, SHIFTS = 3 };

/* Heights are searched in tiles with a pixel of others' on either side. */
enum { CORE = SIDE - 2, SEARCH = SHIFTS, TILINGS = SHIFTS + 1 };

/* Heights are lengths of paths to a pixel with s < 0.  What is farther cannot be told from what cannot be reached: such a grid
 * is left to the CPU. */
typedef uint16_t height_t;
enum : int { FAR = 65535, HIGHEST = FAR - 2 };

#if defined(__CUDA_ARCH__)
#define EACH_THREAD for (int tid = (int)threadIdx.x, once_ = 1; once_; once_ = 0)
#define BARRIER()   __syncthreads()
/* Lanes have what is theirs in registers: an array of 1.  What others have is asked for. */
#define EACH_LANE             for ([[maybe_unused]] int lane = (int)threadIdx.x % LANES, once_ = 1; once_; once_ = 0)
#define LANE_BARRIER()        __syncwarp()
#define OWN(array)            array[0]
#define OF(array, of, member) __shfl_sync(~0U, array[0].member, of)
#define ABOVE(array, member)  __shfl_up_sync(~0U, array[0].member, 1)
#define BELOW(array, member)  __shfl_down_sync(~0U, array[0].member, 1)
enum { ROWS = 1 };
__device__ __forceinline__ int lowest(uint32_t bits) { return __ffs((int)bits) - 1; }
__device__ __forceinline__ void bits_add(uint32_t *to, uint32_t bits) { atomicOr(to, bits); }
/* Of which lanes it holds; and the least of them all. */
template <class Row, class Holds> __device__ __forceinline__ uint32_t vote(const Row row[], Holds holds)
{
    return __ballot_sync(~0U, holds(row[0]));
}
template <class Row, class Number> __device__ __forceinline__ int least_of(const Row row[], Number number)
{
    return (int)__reduce_min_sync(~0U, (unsigned)number(row[0]));
}
__device__ __forceinline__ int bits_of(uint32_t bits) { return __popc(bits); }
/* found becomes the sum of those of the lanes before; returns that of all. */
template <class Row> __device__ __forceinline__ int sums_before(Row row[])
{
    const int own = row[0].found;
    int sum = own;
    for (int i = 1; i < LANES; i *= 2) {
        const int before = __shfl_up_sync(~0U, sum, i);
        if ((int)threadIdx.x % LANES >= i) sum += before;
    }
    row[0].found = sum - own;
    return __shfl_sync(~0U, sum, LANES - 1);
}
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
#define EACH_THREAD           for (int tid = 0; tid < THREADS; tid++)
#define BARRIER()             ((void)0)
#define EACH_LANE             for (int lane = 0; lane < LANES; lane++)
#define LANE_BARRIER()        ((void)0)
#define OWN(array)            array[lane]
#define OF(array, of, member) array[of].member
#define ABOVE(array, member)  array[lane ? lane - 1 : 0].member
#define BELOW(array, member)  array[lane < LANES - 1 ? lane + 1 : lane].member
enum { ROWS = LANES };
inline int lowest(uint32_t bits) { return __builtin_ctz(bits); }
inline void bits_add(uint32_t *to, uint32_t bits) { *to |= bits; }
template <class Row, class Holds> inline uint32_t vote(const Row row[], Holds holds)
{
    uint32_t bits = 0;
    EACH_LANE bits |= (uint32_t)(holds(row[lane]) ? 1 : 0) << lane;
    return bits;
}
template <class Row, class Number> inline int least_of(const Row row[], Number number)
{
    int least = number(row[0]);
    EACH_LANE least = number(row[lane]) < least ? number(row[lane]) : least;
    return least;
}
inline int bits_of(uint32_t bits) { return __builtin_popcount(bits); }
template <class Row> inline int sums_before(Row row[])
{
    int sum = 0;
    EACH_LANE
    {
        const int own = row[lane].found;
        row[lane].found = sum;
        sum += own;
    }
    return sum;
}
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

/* A grid on the card: where its arrays begin, and its tiles: of three shifts, and those of the search. */
template <class C> struct image {
    int width, height;
    functions<C> from;
    C *s, *alpha;                        /* alpha: 4 for each pixel's patch */
    height_t *far;                       /* the height of each pixel */
    uint16_t *tight;                     /* the tight sets of each pixel's patch, or NO_PATCH */
    int across[TILINGS], first[TILINGS]; /* tiles in a row; number of its first tile among those of all grids */
};

/* Tiles begin at so much less than a multiple of what is from one to the next. */
SOS_HD int shift_of(int tiling) { return tiling == SEARCH ? 1 : tiling * (SIDE / SHIFTS); }
SOS_HD int pitch_of(int tiling) { return tiling == SEARCH ? (int)CORE : (int)SIDE; }
SOS_HD int tiles_along(int length, int tiling)
{
    return tiling == SEARCH ? (length + CORE - 1) / CORE : (length + shift_of(tiling) + SIDE - 1) / SIDE;
}

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

/* Where in the grid, at the nearest of its pixels: what is read there in vain need not be asked for. */
template <class C> SOS_HD size_t place_near(const image<C> &g, int x, int y)
{
    x = x < 0 ? 0 : x < g.width ? x : g.width - 1;
    y = y < 0 ? 0 : y < g.height ? y : g.height - 1;
    return (size_t)y * (unsigned)g.width + (unsigned)x;
}

template <class C> SOS_HD bool is_inside(const image<C> &g, int x, int y)
{
    return (unsigned)x < (unsigned)g.width && (unsigned)y < (unsigned)g.height;
}

/* unary: of the grid, where nothing has been moved yet; else NULL. */
template <class C> SOS_HD void descent_load(const image<C> &g, const C *unary, descent_room<C> &room, int x0, int y0)
{
    EACH_THREAD
    SOS_UNROLL
    for (int k = 0; k < SIDE * SIDE / THREADS; k++) {
        const int i = tid + k * THREADS, lx = i % SIDE, ly = i / SIDE;
        const bool inside = is_inside(g, x0 + lx, y0 + ly);
        const size_t p = place_near(g, x0 + lx, y0 + ly);
        alignas(16) C alpha[4] = { 0, 0, 0, 0 };
        const C s = unary ? unary[p] : fresh(&g.s[p]);
        if (!unary) fresh_base(g.alpha + 4 * p, alpha);
        room.whole[ly][lx] = inside ? s : 0;
        room.s[ly][lx] = inside ? (float)s : 0;
        for (int b = 0; b < 4; b++) room.alpha[b][ly][lx] = (float)alpha[b];
    }
    BARRIER();
}

/* One colour: patches that have no pixel in common. */
template <class C>
SOS_HD void descent_step(const image<C> &g, const float *tables, descent_room<C> &room, int x0, int y0, int colour)
{
    EACH_THREAD
    {
        const int lx = colour_x(tid, colour), ly = colour_y(tid, colour);
        if (has_patch(g, x0, y0, lx, ly)) {
            alignas(16) float f[16];
            float s[4], alpha[4];
            floats_at(g.from, tables, (size_t)place(g, x0 + lx, y0 + ly), f);
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
template <class C> SOS_HD void descent_round(const image<C> &g, bool first, descent_room<C> &room, int x0, int y0, int colour)
{
    EACH_THREAD
    {
        const int lx = colour_x(tid, colour), ly = colour_y(tid, colour);
        if (has_patch(g, x0, y0, lx, ly)) {
            const long long p = place(g, x0 + lx, y0 + ly);
            float alpha[4];
            alignas(16) C f[16], base[4], before[4] = { 0, 0, 0, 0 };
            function_at(g.from, (size_t)p, f);
            if (!first) fresh_base(g.alpha + 4 * p, before);
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

/* Nothing has been moved yet in patches across the sides of the first tiles. */
template <class C> SOS_HD void descent_aside(const image<C> &g, int x0, int y0, int tid)
{
    for (int i = tid; i < SIDE * SIDE; i += THREADS) {
        const int lx = i % SIDE, ly = i / SIDE, x = x0 + lx, y = y0 + ly;
        if (!is_inside(g, x, y) || has_patch(g, x0, y0, lx, ly)) continue;
        const size_t p = place_near(g, x, y);
        alignas(16) C f[16];
        alignas(16) const C none[4] = { 0, 0, 0, 0 };
        const bool there = x + 1 < g.width && y + 1 < g.height;
        if (there) function_at(g.from, p, f);
        g.tight[p] = there ? (uint16_t)tight_of(f) : (uint16_t)NO_PATCH;
        base_store(g.alpha + 4 * p, none);
    }
}

/* So many sweeps over a tile.  tables: those of the grid as floats, or NULL; unary: as above. */
template <class C>
SOS_HD void descent_run(const image<C> &g, const float *tables, const C *unary, descent_room<C> &room, int x0, int y0,
                        int sweeps)
{
    descent_load(g, unary, room, x0, y0);
    SOS_UNROLL_NOT
    for (int i = 0; i < sweeps * COLOURS; i++) descent_step(g, tables, room, x0, y0, i % COLOURS);
    SOS_UNROLL_NOT
    for (int colour = 0; colour < COLOURS; colour++) descent_round(g, unary != NULL, room, x0, y0, colour);
    EACH_THREAD
    {
        for (int i = tid; i < SIDE * SIDE; i += THREADS) {
            const long long p = place(g, x0 + i % SIDE, y0 + i / SIDE);
            if (p >= 0) g.s[p] = room.whole[i / SIDE][i % SIDE];
        }
        if (unary) descent_aside(g, x0, y0, tid);
    }
    BARRIER();
}

/* ---- heights ----
 *
 * A lane has a row of pixels, a bit each.  What is a step farther is found for all of them at once, level by level. */

struct alignas(16) search_room {
    uint16_t tight[SIDE][SIDE + 1]; /* a column more: rows begin in different banks */
    height_t height[SIDE][SIDE + 1];
};

/* The arcs of a row of patches, from one pixel of theirs to another. */
struct patch_row {
    uint32_t to_right, to_left, below_right, below_left; /* between the two above; between the two below */
    uint32_t left_down, left_up, right_down, right_up;   /* along the sides */
    uint32_t falling, rising, falling_back, rising_back; /* 0 to 3, 2 to 1, 3 to 0, 1 to 2 */
};

struct search_row {
    patch_row arcs;
    uint32_t way[8];              /* where each pixel can push to, in the order of step_up */
    uint32_t open;                /* not reached yet */
    uint32_t front, next;         /* reached at this level, and at the next */
    uint32_t fell;                /* whose heights are less than before */
    int left, right, top, bottom; /* heights of the other tiles' pixels: those of the row, and those of the lane's column */
};

/* So many rows are on their way at once. */
enum { BURST = 16 };

template <class C> SOS_HD void search_load(const image<C> &g, search_room &room, int x0, int y0, bool begin)
{
    EACH_LANE
    SOS_UNROLL_NOT
    for (int r0 = 0; r0 < SIDE; r0 += BURST) {
        uint16_t tight[BURST];
        int height[BURST];
        SOS_UNROLL
        for (int i = 0; i < BURST; i++) {
            const size_t p = place_near(g, x0 + lane, y0 + r0 + i);
            tight[i] = fresh(&g.tight[p]);
            height[i] = begin ? (fresh(&g.s[p]) < 0 ? 0 : (int)FAR) : (int)fresh(&g.far[p]);
        }
        SOS_UNROLL
        for (int i = 0; i < BURST; i++) {
            const bool inside = is_inside(g, x0 + lane, y0 + r0 + i);
            room.tight[r0 + i][lane] = inside ? tight[i] : (uint16_t)NO_PATCH;
            room.height[r0 + i][lane] = inside ? (height_t)height[i] : (height_t)FAR;
        }
    }
    LANE_BARRIER();
}

/* Columns come in order: each moves those before it down. */
SOS_HD void arcs_add(patch_row &a, unsigned tight)
{
    const uint32_t bit = UINT32_C(1) << (SIDE - 1);
    a.to_right = a.to_right >> 1 | (has_arc(tight, 0, 1) ? bit : 0);
    a.to_left = a.to_left >> 1 | (has_arc(tight, 1, 0) ? bit : 0);
    a.below_right = a.below_right >> 1 | (has_arc(tight, 2, 3) ? bit : 0);
    a.below_left = a.below_left >> 1 | (has_arc(tight, 3, 2) ? bit : 0);
    a.left_down = a.left_down >> 1 | (has_arc(tight, 0, 2) ? bit : 0);
    a.left_up = a.left_up >> 1 | (has_arc(tight, 2, 0) ? bit : 0);
    a.right_down = a.right_down >> 1 | (has_arc(tight, 1, 3) ? bit : 0);
    a.right_up = a.right_up >> 1 | (has_arc(tight, 3, 1) ? bit : 0);
    a.falling = a.falling >> 1 | (has_arc(tight, 0, 3) ? bit : 0);
    a.rising = a.rising >> 1 | (has_arc(tight, 2, 1) ? bit : 0);
    a.falling_back = a.falling_back >> 1 | (has_arc(tight, 3, 0) ? bit : 0);
    a.rising_back = a.rising_back >> 1 | (has_arc(tight, 1, 2) ? bit : 0);
}

/* Rows from what was loaded. */
SOS_HD void search_rows(search_room &room, search_row row[ROWS])
{
    EACH_LANE
    {
        search_row &own = OWN(row);
        uint32_t low = 0;
        own.arcs = {};
        SOS_UNROLL_SOME
        for (int c = 0; c < SIDE; c++) {
            arcs_add(own.arcs, room.tight[lane][c]);
            low = low >> 1 | (room.height[lane][c] ? 0 : UINT32_C(1) << (SIDE - 1));
        }
        const uint32_t core = lane > 0 && lane < SIDE - 1 ? UINT32_C(0x7FFFFFFE) : 0;
        own.front = low & core, own.open = core & ~low, own.fell = 0;
        own.left = room.height[lane][0], own.right = room.height[lane][SIDE - 1];
        own.top = room.height[0][lane], own.bottom = room.height[SIDE - 1][lane];
    }
    EACH_LANE
    {
        search_row &own = OWN(row);
        const patch_row a = own.arcs;
        own.way[0] = a.to_right | ABOVE(row, arcs.below_right);
        own.way[1] = (a.to_left | ABOVE(row, arcs.below_left)) << 1;
        own.way[2] = a.left_down | a.right_down << 1;
        own.way[3] = ABOVE(row, arcs.left_up) | ABOVE(row, arcs.right_up) << 1;
        own.way[4] = a.falling;
        own.way[5] = a.rising_back << 1;
        own.way[6] = ABOVE(row, arcs.rising);
        own.way[7] = ABOVE(row, arcs.falling_back) << 1;
    }
    LANE_BARRIER();
}

/* The least height of other tiles' pixels from level on. */
SOS_HD int next_level(const search_row row[ROWS], int level)
{
    return least_of(row, [level](const search_row &r) {
        int least = FAR;
        least = r.left >= level && r.left < least ? r.left : least;
        least = r.right >= level && r.right < least ? r.right : least;
        least = r.top >= level && r.top < least ? r.top : least;
        least = r.bottom >= level && r.bottom < least ? r.bottom : least;
        return least;
    });
}

/* All that is a step farther than level. */
SOS_HD void search_spread(search_row row[ROWS], int level)
{
    const uint32_t top = vote(row, [level](const search_row &r) { return r.top == level; });
    const uint32_t bottom = vote(row, [level](const search_row &r) { return r.bottom == level; });
    EACH_LANE
    {
        search_row &own = OWN(row);
        own.front |= (uint32_t)(own.left == level) | (uint32_t)(own.right == level) << (SIDE - 1);
        own.front |= lane == 0 ? top : lane == SIDE - 1 ? bottom : 0;
    }
    EACH_LANE
    {
        search_row &own = OWN(row);
        const uint32_t here = own.front, above = ABOVE(row, front), below = BELOW(row, front);
        own.next = own.open & ((here >> 1 & own.way[0]) | (here << 1 & own.way[1]) | (below & own.way[2]) |
                               (above & own.way[3]) | (below >> 1 & own.way[4]) | (below << 1 & own.way[5]) |
                               (above >> 1 & own.way[6]) | (above << 1 & own.way[7]));
    }
}

/* Finds heights up to limit inside the tile, by those around it; returns whether there may be larger ones. */
SOS_HD bool search_levels(search_room &room, search_row row[ROWS], int limit)
{
    for (int level = 0; level < limit;) {
        search_spread(row, level++);
        const bool any = vote(row, [](const search_row &r) { return r.next != 0; });
        EACH_LANE
        {
            search_row &own = OWN(row);
            own.front = own.next;
            own.open &= ~own.next;
            for (uint32_t bits = own.next; bits; bits &= bits - 1) {
                height_t *h = &room.height[lane][lowest(bits)];
                if (*h == level) continue;
                *h = (height_t)level;
                own.fell |= bits & -bits;
            }
        }
        if (!any) level = next_level(row, level);
        if (level == FAR) return false;
    }
    return true;
}

/* Writes what has fallen; returns along which sides: left 1, right 2, above 4, below 8. */
template <class C>
SOS_HD int search_store(const image<C> &g, search_room &room, search_row row[ROWS], int x0, int y0, bool begin)
{
    LANE_BARRIER();
    EACH_LANE
    SOS_UNROLL_SOME
    for (int r = 1; r <= CORE; r++) {
        const uint32_t fell = OF(row, r, fell);
        const long long p = place(g, x0 + lane, y0 + r);
        if (lane > 0 && lane <= CORE && p >= 0 && (begin || (fell >> lane & 1))) g.far[p] = room.height[r][lane];
    }
    const bool left = vote(row, [](const search_row &r) { return (r.fell & 2) != 0; });
    const bool right = vote(row, [](const search_row &r) { return r.fell >> CORE & 1; });
    const uint32_t rows = vote(row, [](const search_row &r) { return r.fell != 0; });
    LANE_BARRIER();
    return left | right << 1 | (int)(rows >> 1 & 1) << 2 | (int)(rows >> CORE & 1) << 3;
}

/* ---- pushes ----
 *
 * Functions and bases stay in the card's memory: few patches of a tile have anything to do. */

template <class C> struct alignas(16) push_room {
    C s[SIDE][SIDE + 1];
    height_t height[SIDE][SIDE + 1];
    uint16_t tight[SIDE][SIDE + 1];
    uint16_t list[SIDE * SIDE / 4]; /* patches of a colour */
    uint32_t active[SIDE];          /* pixels of each row with s > 0 that reach something */
    int moved;
};

struct push_row {
    uint32_t todo; /* patches to list, pixels to lift */
    int found;     /* a place in the list, a new height */
};

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

/* One more than the least height of the neighbours that can be reached. */
SOS_HD int step_up(const height_t height[SIDE][SIDE + 1], int lx, int ly, unsigned ways)
{
    const height_t *here = &height[ly][lx], *above = here - (SIDE + 1), *below = here + (SIDE + 1);
    const int near[8] = { here[1], here[-1], below[0], above[0], below[1], below[-1], above[1], above[-1] };
    int least = FAR - 1;
    SOS_UNROLL
    for (int i = 0; i < 8; i++) least = (ways >> i & 1) && near[i] < least ? near[i] : least;
    return least + 1;
}

template <class C> SOS_HD void push_load(const image<C> &g, push_room<C> &room, int x0, int y0)
{
    EACH_LANE
    SOS_UNROLL_NOT
    for (int r0 = 0; r0 < SIDE; r0 += BURST) {
        C s[BURST];
        height_t height[BURST];
        uint16_t tight[BURST];
        SOS_UNROLL
        for (int i = 0; i < BURST; i++) {
            const size_t p = place_near(g, x0 + lane, y0 + r0 + i);
            s[i] = fresh(&g.s[p]), height[i] = fresh(&g.far[p]), tight[i] = fresh(&g.tight[p]);
        }
        SOS_UNROLL
        for (int i = 0; i < BURST; i++) {
            const bool inside = is_inside(g, x0 + lane, y0 + r0 + i);
            room.s[r0 + i][lane] = inside ? s[i] : 0;
            room.height[r0 + i][lane] = inside ? height[i] : (height_t)FAR;
            room.tight[r0 + i][lane] = inside ? tight[i] : (uint16_t)NO_PATCH;
        }
    }
    LANE_BARRIER();
}

/* Which pixels are active; nothing has moved yet. */
template <class C> SOS_HD bool push_begin(push_room<C> &room, push_row row[ROWS])
{
    EACH_LANE
    {
        uint32_t bits = 0;
        SOS_UNROLL_SOME
        for (int c = 0; c < SIDE; c++)
            if (room.s[lane][c] > 0 && room.height[lane][c] < FAR) bits |= UINT32_C(1) << c;
        room.active[lane] = OWN(row).todo = bits;
        if (lane == 0) room.moved = 0;
    }
    LANE_BARRIER();
    return vote(row, [](const push_row &r) { return r.todo != 0; });
}

/* The patches of a colour that hold an active pixel; returns how many. */
template <class C> SOS_HD int push_list(push_room<C> &room, push_row row[ROWS], int colour)
{
    EACH_LANE
    {
        const bool mine = (lane & 1) == colour >> 1 && lane < SIDE - 1;
        const uint32_t pixels = mine ? (room.active[lane] | room.active[lane + 1]) >> (colour & 1) : 0;
        OWN(row).todo = (pixels | pixels >> 1) & (colour & 1 ? UINT32_C(0x15555555) : UINT32_C(0x55555555));
        OWN(row).found = bits_of(OWN(row).todo);
    }
    const int count = sums_before(row);
    EACH_LANE
    for (int i = OWN(row).found; OWN(row).todo; OWN(row).todo &= OWN(row).todo - 1)
        room.list[i++] = (uint16_t)(lane * SIDE + lowest(OWN(row).todo) + (colour & 1));
    LANE_BARRIER();
    return count;
}

/* Lets a patch push, if it can. */
template <class C> SOS_HD void push_patch(const image<C> &g, push_room<C> &room, int x0, int y0, int lx, int ly)
{
    C s[4];
    int height[4];
    SOS_UNROLL
    for (int b = 0; b < 4; b++) {
        s[b] = room.s[ly + (b >> 1)][lx + (b & 1)];
        height[b] = room.height[ly + (b >> 1)][lx + (b & 1)];
    }
    if (!can_push(s, height, room.tight[ly][lx])) return;
    const long long p = place(g, x0 + lx, y0 + ly);
    alignas(16) C f[16], alpha[4];
    function_at(g.from, (size_t)p, f);
    fresh_base(g.alpha + 4 * p, alpha);
    const uint16_t tight = (uint16_t)push(s, height, alpha, f);
    base_store(g.alpha + 4 * p, alpha);
    g.tight[p] = room.tight[ly][lx] = tight;
    SOS_UNROLL
    for (int b = 0; b < 4; b++) {
        room.s[ly + (b >> 1)][lx + (b & 1)] = s[b];
        if (s[b] > 0 && height[b] < FAR) bits_add(&room.active[ly + (b >> 1)], UINT32_C(1) << (lx + (b & 1)));
    }
    room.moved = 1;
}

template <class C>
SOS_HD void push_colour(const image<C> &g, push_room<C> &room, push_row row[ROWS], int x0, int y0, int colour)
{
    const int count = push_list(room, row, colour);
    SOS_UNROLL_NOT
    for (int i = 0; i < count; i += LANES) {
        EACH_LANE
        if (i + lane < count) push_patch(g, room, x0, y0, room.list[i + lane] % SIDE, room.list[i + lane] / SIDE);
        LANE_BARRIER();
    }
}

/* Lifts pixels with s > 0 to a step above the lowest neighbour they can push to; above cap they wait for the next search.
 * Pixels at the sides of the tile, which do not see all their neighbours, wait for a shifted one. */
template <class C> SOS_HD void push_lift(push_room<C> &room, push_row row[ROWS], int cap)
{
    EACH_LANE OWN(row).todo = lane > 0 && lane < SIDE - 1 ? room.active[lane] & UINT32_C(0x7FFFFFFE) : 0;
    while (vote(row, [](const push_row &r) { return r.todo != 0; })) {
        EACH_LANE
        {
            push_row &own = OWN(row);
            own.found = 0;
            if (own.todo) {
                const int lx = lowest(own.todo);
                const unsigned ways = ways_of(room.tight[lane][lx], room.tight[lane][lx - 1], room.tight[lane - 1][lx],
                                              room.tight[lane - 1][lx - 1]);
                if (room.s[lane][lx] > 0) own.found = step_up(room.height, lx, lane, ways);
            }
        }
        LANE_BARRIER();
        EACH_LANE
        {
            push_row &own = OWN(row);
            if (own.todo) {
                height_t *h = &room.height[lane][lowest(own.todo)];
                if (own.found > *h) *h = (height_t)(own.found > cap ? FAR : own.found), room.moved = 1;
                own.todo &= own.todo - 1;
            }
        }
        LANE_BARRIER();
    }
}

/* At most so many sweeps, while something moves. */
template <class C>
SOS_HD void push_run(const image<C> &g, push_room<C> &room, push_row row[ROWS], int x0, int y0, int sweeps, int cap)
{
    push_load(g, room, x0, y0);
    for (int i = 0; i < sweeps && push_begin(room, row); i++) {
        SOS_UNROLL_NOT
        for (int colour = 0; colour < COLOURS; colour++) push_colour(g, room, row, x0, y0, colour);
        push_lift(room, row, cap);
        const bool moved = room.moved;
        LANE_BARRIER();
        if (!moved) break;
    }
}

/* Writes the tile back, and tells of pixels in it that still are active. */
template <class C, class Active> SOS_HD void push_store(const image<C> &g, push_room<C> &room, int x0, int y0, Active active)
{
    EACH_LANE
    SOS_UNROLL_SOME
    for (int r = 0; r < SIDE; r++) {
        const long long p = place(g, x0 + lane, y0 + r);
        if (p < 0) continue;
        g.s[p] = room.s[r][lane];
        g.far[p] = room.height[r][lane];
        if (room.s[r][lane] > 0 && room.height[r][lane] < FAR) active(x0 + lane, y0 + r);
    }
    LANE_BARRIER();
}

} // namespace sos_card

#endif
