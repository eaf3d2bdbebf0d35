/* random.h - a small, seeded generator with the same numbers on every machine (xoshiro256** seeded by splitmix64; Blackman and
 * Vigna, "Scrambled linear pseudorandom number generators", 2021).  Header only: tests and benchmarks use it too. */
#ifndef SOS_BASE_RANDOM_H
#define SOS_BASE_RANDOM_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "base/elementary.h"

typedef struct sos_random {
    uint64_t s[4];
} sos_random;

static inline sos_random sos_random_seeded(uint64_t seed)
{
    sos_random r;
    for (int i = 0; i < 4; i++) {
        uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        r.s[i] = z ^ z >> 31;
    }
    return r;
}

static inline uint64_t sos_random_bits(sos_random *r)
{
    uint64_t *s = r->s;
    const uint64_t x = s[1] * 5, result = (x << 7 | x >> 57) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = s[3] << 45 | s[3] >> 19;
    return result;
}

/* Uniform in [0, 1). */
static inline double sos_random_uniform(sos_random *r) { return (double)(sos_random_bits(r) >> 11) * 0x1p-53; }

/* Uniform in 0 ... n - 1, without bias; n > 0. */
static inline uint64_t sos_random_below(sos_random *r, uint64_t n)
{
    const uint64_t reject = -n % n; /* 2^64 mod n */
    uint64_t x;
    do x = sos_random_bits(r);
    while (x < reject);
    return x % n;
}

/* All orders are equally likely. */
static inline void sos_random_shuffle(sos_random *r, size_t count, uint32_t list[])
{
    for (size_t i = count; i > 1; i--) {
        const size_t j = (size_t)sos_random_below(r, i);
        const uint32_t kept = list[i - 1];
        list[i - 1] = list[j];
        list[j] = kept;
    }
}

/* Standard normal, by the polar method. */
static inline double sos_random_normal(sos_random *r)
{
    double x, y, q;
    do {
        x = 2 * sos_random_uniform(r) - 1;
        y = 2 * sos_random_uniform(r) - 1;
        q = x * x + y * y;
    } while (q >= 1 || q == 0);
    return x * sqrt(-2 * sos_log(q) / q);
}

#endif
