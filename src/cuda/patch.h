/* patch.h - one patch of 2x2 pixels: which arcs it has, what they carry, and how it helps the pixels it holds.
 *
 * Costs of labels are moved about inside a patch: alpha, a number for each of its pixels, is a base of f, so that alpha(S) <=
 * f(S) for all sets S of its pixels, with equality for all four.  s = unary + sum of the alpha of all patches is what is left
 * at a pixel.  A unit goes from pixel j to pixel i of a patch (s_j falls, s_i rises) if no tight set, alpha(S) = f(S), holds i
 * without j (paper, section 3; math.md, 3).
 *
 * Compiled for the card and for the CPU. */
#ifndef SOS_CUDA_PATCH_H
#define SOS_CUDA_PATCH_H

#include <cmath>
#include <cstring>

#include "cuda/grid.h"

#if defined(__CUDACC__)
#define SOS_HD     __host__ __device__ __forceinline__
#define SOS_UNROLL _Pragma("unroll")
/* Code that is long must not be everywhere: the caches of instructions are small. */
#define SOS_UNROLL_SOME _Pragma("unroll 4")
#define SOS_UNROLL_NOT  _Pragma("unroll 1")
#else
#define SOS_HD inline
#define SOS_UNROLL
#define SOS_UNROLL_SOME
#define SOS_UNROLL_NOT
#endif

namespace sos_card
{

/* Sets that hold i and not j: none of them may be tight for an arc from j to i. */
SOS_HD constexpr unsigned between(int j, int i)
{
    unsigned sets = 0;
    for (unsigned S = 1; S < 15; S++)
        if (S >> i & 1 && !(S >> j & 1)) sets |= 1U << S;
    return sets;
}

SOS_HD bool has_arc(unsigned tight, int j, int i) { return !(tight & between(j, i)); }

/* Outside of the grid nothing moves: as if all sets were tight. */
enum : unsigned { NO_PATCH = 0xFFFF };

/* Where the functions of patches come from (grid.h). */
template <class C> struct functions {
    const C *table;
    const uint16_t *which;
    const C *strength;
    size_t tables;
};

/* Numbers that lie side by side, aligned: the card moves 16 bytes at once. */
template <int count, class C> SOS_HD void numbers_load(const C *from, C to[])
{
#if defined(__CUDA_ARCH__)
    const int4 *words = (const int4 *)from;
    SOS_UNROLL
    for (int i = 0; i < (int)(count * sizeof(C) / 16); i++) ((int4 *)to)[i] = words[i];
#else
    for (int i = 0; i < count; i++) to[i] = from[i];
#endif
}

/* What the six pairs of a patch cost at a set. */
template <class C> SOS_HD C pairs_cost(const C c[6], int S)
{
    const int a = S & 1, b = S >> 1 & 1, e = S >> 2 & 1, g = S >> 3 & 1;
    return (a > b ? c[0] : 0) + (e > g ? c[1] : 0) + (a > e ? c[2] : 0) + (b > g ? c[3] : 0) + (a > g ? c[4] : 0) +
           (b > e ? c[5] : 0);
}

template <class C> SOS_HD const C *table_at(const functions<C> &from, size_t p)
{
    return from.table + 16 * (from.which ? (size_t)from.which[p] : 0);
}

/* f of the patch at pixel p. */
template <class C> SOS_HD void function_at(const functions<C> &from, size_t p, C f[16])
{
    if (from.tables) {
        numbers_load<16>(table_at(from, p), f);
        return;
    }
    SOS_UNROLL
    for (int S = 0; S < 16; S++) f[S] = pairs_cost(from.strength + 6 * p, S);
}

/* The same as floats, of which tables may have a copy. */
template <class C> SOS_HD void floats_at(const functions<C> &from, const float *copy, size_t p, float f[16])
{
    if (from.tables && copy) {
        numbers_load<16>(copy + 16 * (from.which ? (size_t)from.which[p] : 0), f);
        return;
    }
    alignas(16) C exact[16];
    function_at(from, p, exact);
    SOS_UNROLL
    for (int S = 0; S < 16; S++) f[S] = (float)exact[S];
}

/* The same for one set. */
template <class C> SOS_HD C cost_at(const functions<C> &from, size_t p, int S)
{
    return from.tables ? table_at(from, p)[S] : pairs_cost(from.strength + 6 * p, S);
}

/* g(S) = f(S) - alpha(S), what is left before S is tight. */
template <class C> SOS_HD void slack_of(const C f[16], const C alpha[4], C g[16])
{
    SOS_UNROLL
    for (int S = 0; S < 16; S++) {
        g[S] = f[S];
        SOS_UNROLL
        for (int b = 0; b < 4; b++)
            if (S >> b & 1) g[S] -= alpha[b];
    }
}

template <class C> SOS_HD unsigned tight_of(const C g[16])
{
    unsigned tight = 0;
    SOS_UNROLL
    for (int S = 1; S < 15; S++) tight |= (unsigned)(g[S] == 0) << S;
    return tight;
}

/* Can a pixel with s > 0 push to one that is a step lower? */
template <class C> SOS_HD bool can_push(const C s[4], const int height[4], unsigned tight)
{
    bool found = false;
    SOS_UNROLL
    for (int j = 0; j < 4; j++) SOS_UNROLL
    for (int i = 0; i < 4; i++)
        if (i != j) found |= s[j] > 0 && height[j] == height[i] + 1 && has_arc(tight, j, i);
    return found;
}

/* Pushes what can be pushed down by a step between each two pixels, once; returns the new tight sets. */
template <class C> SOS_HD unsigned push(C s[4], const int height[4], C alpha[4], const C f[16])
{
    C g[16];
    slack_of(f, alpha, g);
    SOS_UNROLL
    for (int i = 0; i < 3; i++) SOS_UNROLL
    for (int j = i + 1; j < 4; j++) {
        const int k = i == 0 ? (j == 1 ? 2 : 1) : 0, l = 6 - i - j - k, K = 1 << k, L = 1 << l;
        const bool up = height[j] == height[i] + 1, down = height[i] == height[j] + 1; /* up: from j to i */
        const int I = 1 << i, J = 1 << j;
        C room = up ? g[I] : g[J];
        const C a = up ? g[I | K] : g[J | K], b = up ? g[I | L] : g[J | L], c = up ? g[I | K | L] : g[J | K | L];
        room = a < room ? a : room;
        room = b < room ? b : room;
        room = c < room ? c : room;
        C amount = up ? s[j] : down ? s[i] : 0;
        amount = amount < 0 ? 0 : amount < room ? amount : room;
        if (!up) amount = -amount; /* of what goes from j to i */
        s[j] -= amount, s[i] += amount, alpha[j] -= amount, alpha[i] += amount;
        g[I] -= amount, g[I | K] -= amount, g[I | L] -= amount, g[I | K | L] -= amount;
        g[J] += amount, g[J | K] += amount, g[J | L] += amount, g[J | K | L] += amount;
    }
    return tight_of(g);
}

/* ---- the start: block coordinate descent on 1/2 |s|^2 ----
 *
 * The minimum of 1/2 |s|^2 over all bases has the minimum of the energy in it; a few sweeps of exact steps for single patches
 * come near.  A step replaces alpha by the projection of what the others leave: s restricted to the patch becomes the point of
 * least norm of the base polytope of f + the modular function of what the others leave. */

SOS_HD constexpr int size_of(int S) { return (S & 1) + (S >> 1 & 1) + (S >> 2 & 1) + (S >> 3 & 1); }

/* A ratio with the set it is of in its lowest bits, so that a minimum finds both. */
SOS_HD float ratio_of(float ratio, int S)
{
#if defined(__CUDA_ARCH__)
    return __int_as_float((__float_as_int(ratio) & ~15) | S);
#else
    int32_t bits;
    memcpy(&bits, &ratio, sizeof bits);
    bits = (bits & ~15) | S;
    memcpy(&ratio, &bits, sizeof bits);
    return ratio;
#endif
}

SOS_HD int set_of(float ratio)
{
#if defined(__CUDA_ARCH__)
    return __float_as_int(ratio) & 15;
#else
    int32_t bits;
    memcpy(&bits, &ratio, sizeof bits);
    return bits & 15;
#endif
}

/* Decomposition: again and again the set above A with the least ratio (g(S) - g(A)) / |S - A|. */
SOS_HD void least_norm(const float g[16], float x[4])
{
    float best = ratio_of(g[15] * 0.25F, 15), at;
    SOS_UNROLL
    for (int S = 1; S < 15; S++) {
        const int size = size_of(S);
        best = fminf(best, ratio_of(g[S] * (size == 1 ? 1 : size == 2 ? 0.5F : 1.0F / 3), S));
    }
    SOS_UNROLL
    for (int b = 0; b < 4; b++) x[b] = best; /* written again for those that come later */
    int A = set_of(best), size = size_of(A);
    at = best * (float)size;
    while (A != 15) {
        const float all = size == 1 ? 1.0F / 3 : size == 2 ? 0.5F : 1, triple = size == 1 ? 0.5F : 1;
        best = ratio_of((g[15] - at) * all, 15);
        SOS_UNROLL
        for (int S = 3; S < 15; S++) {
            if (size_of(S) < 2) continue;
            const float ratio = ratio_of((g[S] - at) * (size_of(S) == 3 ? triple : 1), S);
            if (!(A & ~S) && S != A) best = fminf(best, ratio);
        }
        SOS_UNROLL
        for (int b = 0; b < 4; b++)
            if (!(A >> b & 1)) x[b] = best;
        A = set_of(best);
        at += best * (float)(size_of(A) - size);
        size = size_of(A);
    }
}

SOS_HD void descend(float s[4], float alpha[4], const float f[16])
{
    float others[4], sum[16], g[16];
    sum[0] = 0;
    SOS_UNROLL
    for (int b = 0; b < 4; b++) others[b] = s[b] - alpha[b];
    SOS_UNROLL
    for (int S = 1; S < 16; S++) {
        const int b = S & 8 ? 3 : S & 4 ? 2 : S & 2 ? 1 : 0;
        sum[S] = sum[S & ~(1 << b)] + others[b];
        g[S] = f[S] + sum[S];
    }
    least_norm(g, s);
    SOS_UNROLL
    for (int b = 0; b < 4; b++) alpha[b] = s[b] - others[b];
}

/* An integer base near alpha: rounded down, lowered as a whole until it is feasible, then each coordinate raised as far as it
 * goes.  Returns the tight sets. */
template <class C> SOS_HD unsigned round_base(const float alpha[4], const C f[16], C base[4])
{
    C g[16], low = 0;
    SOS_UNROLL
    for (int b = 0; b < 4; b++) base[b] = (C)floorf(alpha[b]);
    slack_of(f, base, g);
    SOS_UNROLL
    for (int S = 1; S < 16; S++) low = g[S] < low ? g[S] : low;
    SOS_UNROLL
    for (int b = 0; b < 4; b++) base[b] += low;
    slack_of(f, base, g);
    SOS_UNROLL
    for (int b = 0; b < 4; b++) {
        C room = g[15];
        SOS_UNROLL
        for (int S = 1; S < 15; S++)
            if (S >> b & 1) room = g[S] < room ? g[S] : room;
        base[b] += room;
        SOS_UNROLL
        for (int S = 1; S < 16; S++)
            if (S >> b & 1) g[S] -= room;
    }
    return tight_of(g);
}

} // namespace sos_card

#endif
