/* lanes.h - four numbers at a time: vectors of the compiler, code for the processor at hand, exp and log.
 *
 * Only additions, multiplications, divisions and operations on bits, so that a result has the same bits on every machine;
 * the C library's functions have not.  Compilers vectorise loops with choices in them only if they need not mind floating-point
 * traps, hence vectors by hand. */
#ifndef SOS_BASE_LANES_H
#define SOS_BASE_LANES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A loop is written once, as a function SOS_INLINE, and called from two others, one of them SOS_TARGET_AVX2. */
#define SOS_INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__) && defined(__GNUC__)
#define SOS_TARGET_AVX2 __attribute__((target("avx2")))
static inline bool sos_has_avx2(void) { return __builtin_cpu_supports("avx2"); }
#else
#define SOS_TARGET_AVX2
static inline bool sos_has_avx2(void) { return false; }
#endif

/* Vectors go from function to function by address: by value their ABI depends on the processor, and compilers say so. */
typedef double sos_lanes __attribute__((vector_size(32)));
typedef int64_t sos_flags __attribute__((vector_size(32))); /* of a comparison: all bits or none */
typedef uint64_t sos_lane_bits __attribute__((vector_size(32)));
enum { SOS_LANES = 4 };

typedef double sos_lanes_in_memory __attribute__((vector_size(32), aligned(8), may_alias));

/* Four doubles anywhere, to read or write as a vector. */
SOS_INLINE const sos_lanes_in_memory *sos_lanes_at(const double *p) { return (const sos_lanes_in_memory *)p; }
SOS_INLINE sos_lanes_in_memory *sos_lanes_to(double *p) { return (sos_lanes_in_memory *)p; }

/* x = y where which says so. */
SOS_INLINE void sos_lanes_take(sos_lanes *x, const sos_lanes *y, const sos_flags *which)
{
    *x = (sos_lanes)((*which & (sos_flags)*y) | (~*which & (sos_flags)*x));
}

/* x = max(x, y); where x is NaN, y. */
SOS_INLINE void sos_lanes_raise(sos_lanes *x, const sos_lanes *y)
{
    const sos_flags keep = *x > *y;
    *x = (sos_lanes)((keep & (sos_flags)*x) | (~keep & (sos_flags)*y));
}

/* e^x for x <= 700, to 1e-15 of its value; below -700 as e^-700, which is next to nothing.
 *     x = n ln 2 + r, |r| <= ln 2 / 2,  e^x = 2^n sum_i r^i / i!
 * Adding 1.5 * 2^52 rounds to an integer and leaves it in the low bits. */
SOS_INLINE void sos_lanes_exp(sos_lanes *x)
{
    const double shift = 0x1.8p52;
    const sos_lanes least = { -700, -700, -700, -700 };
    sos_lanes_raise(x, &least);
    const sos_lanes shifted = *x * 0x1.71547652b82fep0 + shift, n = shifted - shift;
    const sos_lanes r = (*x - n * 0x1.62e42fefa0000p-1) - n * 0x1.cf79abc9e3b3ap-40;
    sos_lanes sum = r * (1.0 / 6227020800) + 1.0 / 479001600;
    sum = sum * r + 1.0 / 39916800;
    sum = sum * r + 1.0 / 3628800;
    sum = sum * r + 1.0 / 362880;
    sum = sum * r + 1.0 / 40320;
    sum = sum * r + 1.0 / 5040;
    sum = sum * r + 1.0 / 720;
    sum = sum * r + 1.0 / 120;
    sum = sum * r + 1.0 / 24;
    sum = sum * r + 1.0 / 6;
    sum = sum * r + 0.5;
    sum = sum * r + 1;
    sum = sum * r + 1;
    *x = (sos_lanes)((sos_lane_bits)sum + ((sos_lane_bits)shifted << 52));
}

/* log x for normal x > 0, to 1e-15 absolutely or relatively, whichever is more.
 *     x = 2^n m, sqrt(1/2) <= m < sqrt 2,  log m = 2 s sum_i s^2i / (2i + 1),  s = (m - 1) / (m + 1) */
SOS_INLINE void sos_lanes_log(sos_lanes *x)
{
    const uint64_t root = UINT64_C(0x3fe6a09e667f3bcd), one = UINT64_C(0x3ff0000000000000);
    const sos_lane_bits bits = (sos_lane_bits)*x, biased = (bits + (one - root)) >> 52; /* n + 1023 */
    const sos_lanes m = (sos_lanes)(bits - (biased << 52) + (UINT64_C(1023) << 52));
    const sos_lanes n = (sos_lanes)(biased | UINT64_C(0x4330000000000000)) - (0x1p52 + 1023);
    const sos_lanes s = (m - 1) / (m + 1), q = s * s;
    sos_lanes sum = q * (1.0 / 19) + 1.0 / 17;
    sum = sum * q + 1.0 / 15;
    sum = sum * q + 1.0 / 13;
    sum = sum * q + 1.0 / 11;
    sum = sum * q + 1.0 / 9;
    sum = sum * q + 1.0 / 7;
    sum = sum * q + 1.0 / 5;
    sum = sum * q + 1.0 / 3;
    *x = n * 0x1.62e42fefa39efp-1 + (s * 2 + s * 2 * q * sum);
}

#endif
