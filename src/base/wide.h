/* wide.h - an exact sum of many 64-bit integers. */
#ifndef SOS_BASE_WIDE_H
#define SOS_BASE_WIDE_H

#include <math.h>
#include <stdint.h>

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

/* sum * 2^exponent, rounded once unless the sum is beyond 2^95. */
static inline double sos_wide_value(sos_wide sum, int exponent)
{
    const int64_t high = sum.high + (int64_t)(sum.low >> 32);
    const uint64_t low = sum.low & UINT32_MAX;
    return ldexp((double)high, exponent + 32) + ldexp((double)low, exponent);
}

#endif
