/* exact.h - what rounding does to differences, sums and products of doubles (Knuth, The Art of Computer Programming, 4.2.2).
 * All of it is exact where nothing overflows, and 0 where nothing was rounded. */
#ifndef SOS_BASE_EXACT_H
#define SOS_BASE_EXACT_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* How far a + b is from the true sum. */
static inline double sos_sum_off(double a, double b)
{
    const double s = a + b, bb = s - a;
    return fabs((a - (s - bb)) + (b - bb));
}

static inline double sos_difference_off(double a, double b) { return sos_sum_off(a, -b); }

/* How far a * b is from the true product, or a little more where that is too small for a double. */
static inline double sos_product_off(double a, double b)
{
    const double x = a * b;
    if (fabs(x) >= 0x1p-960) return fabs(fma(a, b, -x));
    if (x == 0) return a != 0 && b != 0 ? DBL_TRUE_MIN : 0;
    const double large = fabs(a) < fabs(b) ? b : a, small = fabs(a) < fabs(b) ? a : b; /* all bits of the product, higher up: */
    const double off = fabs(fma(large, small * 0x1p600, -(x * 0x1p600)));
    return off > 0 ? off * 0x1p-600 + DBL_TRUE_MIN : 0;
}

/* A sum of many numbers, with all that was rounded on the way. */
typedef struct sos_sum {
    double total, off;
} sos_sum;

static inline void sos_sum_add(sos_sum *s, double x)
{
    s->off += sos_sum_off(s->total, x);
    s->total += x;
}

static inline void sos_sum_add_product(sos_sum *s, double a, double b)
{
    s->off += sos_product_off(a, b);
    sos_sum_add(s, a * b);
}

/* A bound that was added up from up to 2^31 numbers, none negative, made to hold in spite of the rounding of that sum. */
static inline double sos_rounded_up(double bound)
{
    const double x = bound * (1 + 0x1p-20);
    return bound > 0 && x < 0x1p-1000 ? x + DBL_TRUE_MIN : x;
}

/* The sum less all that it may be off by, and less off, downwards; -INFINITY where it is not a number. */
static inline double sos_sum_below(sos_sum sum, double off)
{
    const double all = sos_rounded_up(sum.off + off);
    const double bound = all > 0 ? nextafter(sum.total - all, -INFINITY) : sum.total;
    return isnan(bound) || isinf(sum.total) ? -INFINITY : bound;
}

/* rint(x), but for the sign of 0, without a call for most. */
static inline double sos_rounded(double x) { return fabs(x) < 0x1p51 ? (x + 0x1.8p52) - 0x1.8p52 : rint(x); }

static inline bool sos_is_whole(double x) { return sos_rounded(x) == x; }

/* 2^exponent as two factors, which reach beyond the range of one double. */
typedef struct sos_scale {
    double up, on;
} sos_scale;

static inline sos_scale sos_scale_of(int exponent)
{
    return (sos_scale){ ldexp(1, exponent / 2), ldexp(1, exponent - exponent / 2) };
}

/* Is x 2^exponent a whole number?  What vanishes at that scale is none. */
static inline bool sos_is_whole_at(double x, sos_scale scale)
{
    const double scaled = x * scale.up * scale.on;
    return sos_is_whole(scaled) && (scaled != 0 || x == 0);
}

#endif
