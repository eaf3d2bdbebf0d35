/* wide.h - an exact sum of many 64-bit integers. */
#ifndef SOS_BASE_WIDE_H
#define SOS_BASE_WIDE_H

#include <math.h>
#include <stdint.h>

#include "base/exact.h"

/* high * 2^32 + low; exact for up to 2^31 terms. */
typedef struct sos_wide {
    int64_t high;
    uint64_t low;
} sos_wide;

static inline void sos_wide_add(sos_wide *sum, int64_t x)
{
    sum->high += x >> 32;
    sum->low += (uint64_t)x & UINT32_MAX;
}

/* x * 2^exponent, and what rounding does to it. */
static inline sos_sum sos_wide_part(double x, double off, int exponent)
{
    const double scaled = ldexp(x, exponent);
    const bool exact = ldexp(scaled, -exponent) == x;
    return (sos_sum){ scaled, (off > 0 ? sos_rounded_up(ldexp(off, exponent)) : 0) + (exact ? 0 : DBL_TRUE_MIN) };
}

/* sum * 2^exponent as a double, and how far that is from it. */
static inline sos_sum sos_wide_value(sos_wide sum, int exponent)
{
    const int64_t high = sum.high + (int64_t)(sum.low >> 32);
    const uint64_t low = sum.low & UINT32_MAX;
    const double whole = (double)high; /* below 2^62, so that it fits back */
    const sos_sum upper = sos_wide_part(whole, fabs((double)(high - (int64_t)whole)), exponent + 32);
    sos_sum value = sos_wide_part((double)low, 0, exponent);
    value.off += upper.off;
    sos_sum_add(&value, upper.total);
    return value;
}

#endif
