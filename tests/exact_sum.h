/* exact_sum.h - sums of products of doubles without any rounding, whatever their magnitudes: a fixed-point number of more than
 * 4000 bits. */
#ifndef SOS_TESTS_EXACT_SUM_H
#define SOS_TESTS_EXACT_SUM_H

#include <math.h>
#include <stdint.h>

enum { EXACT_LIMBS = 144, EXACT_OFFSET = 2304 };

/* sum of limb[i] 2^(32 i - EXACT_OFFSET); between additions all but the last are in [0, 2^32). */
typedef struct exact_sum {
    int64_t limb[EXACT_LIMBS];
} exact_sum;

static inline void exact_carry(exact_sum *s)
{
    for (int i = 0; i + 1 < EXACT_LIMBS; i++) {
        s->limb[i + 1] += s->limb[i] >> 32;
        s->limb[i] &= INT64_C(0xffffffff);
    }
}

/* Adds m 2^e, 0 <= m < 2^32, or takes it away. */
static inline void exact_add_part(exact_sum *s, uint64_t m, int e, int sign)
{
    const int at = e + EXACT_OFFSET;
    const uint64_t shifted = m << at % 32;
    s->limb[at / 32] += sign * (int64_t)(shifted & 0xffffffff);
    s->limb[at / 32 + 1] += sign * (int64_t)(shifted >> 32);
}

/* Adds a b. */
static inline void exact_add_product(exact_sum *s, double a, double b)
{
    int ea, eb;
    const int64_t ma = (int64_t)ldexp(frexp(a, &ea), 53), mb = (int64_t)ldexp(frexp(b, &eb), 53);
    if (!ma || !mb) return;
    const int sign = (ma < 0) == (mb < 0) ? 1 : -1;
    const uint64_t x = (uint64_t)(ma < 0 ? -ma : ma), y = (uint64_t)(mb < 0 ? -mb : mb);
    for (int i = 0; i < 4; i++) /* pieces of 14 bits, whose products have 28 */
        for (int j = 0; j < 4; j++)
            exact_add_part(s, (x >> 14 * i & 0x3fff) * (y >> 14 * j & 0x3fff), ea - 53 + eb - 53 + 14 * (i + j), sign);
    exact_carry(s);
}

static inline void exact_add(exact_sum *s, double x) { exact_add_product(s, x, 1); }

static inline exact_sum exact_difference(const exact_sum *a, const exact_sum *b)
{
    exact_sum d;
    for (int i = 0; i < EXACT_LIMBS; i++) d.limb[i] = a->limb[i] - b->limb[i];
    exact_carry(&d);
    return d;
}

/* -1, 0, 1. */
static inline int exact_sign(const exact_sum *s)
{
    if (s->limb[EXACT_LIMBS - 1] < 0) return -1;
    for (int i = 0; i < EXACT_LIMBS; i++)
        if (s->limb[i]) return 1;
    return 0;
}

#endif
