/* network_unaries.c - the costs of single variables: how large they are, what doubles lost of them, their integers (math.md,
 * 6).
 *
 * Most costs are whole numbers, or become such.  So runs of variables are looked at four at a time for whether all is as simple
 * as that, and one by one only where it is not. */
#include "minimize/network.h"

#include <string.h>

#include "base/lanes.h"

/* Parts of a sum over a large network, added up in order: the same for every number of threads. */
enum { PARTS = 256 };

static int parts_of(size_t n) { return n < SOS_NETWORK_LARGE ? 1 : PARTS; }
static size_t part_begin(size_t n, int part) { return n * (size_t)part / (size_t)parts_of(n); }

/* Below 2^51 adding 1.5 * 2^52 rounds to whole numbers, and leaves them in the low bits. */
static const double SHIFT = 0x1.8p52, SHIFTED_BELOW = 0x1p51;

static bool any(const sos_flags *which) { return (*which)[0] | (*which)[1] | (*which)[2] | (*which)[3]; }

/* The costs of both labels of four variables. */
SOS_INLINE void costs_at(const double unary[], sos_lanes *zero, sos_lanes *one)
{
    *zero = (sos_lanes){ unary[0], unary[2], unary[4], unary[6] };
    *one = (sos_lanes){ unary[1], unary[3], unary[5], unary[7] };
}

/* Of the variables begin .. end - 1, of which there are a multiple of four: the largest difference of the two costs, and, if
 * that is below 2^51, whether all differences are whole, and whether none was rounded. */
typedef struct differences {
    double largest;
    bool whole, exact;
} differences;

SOS_INLINE differences look_at(const sos_energy *e, size_t begin, size_t end)
{
    const sos_flags sign = (sos_flags){ 0 } + INT64_MIN;
    sos_lanes largest = { 0 };
    sos_flags broken = { 0 }, off = { 0 };
    for (size_t v = begin; v < end; v += SOS_LANES) {
        sos_lanes zero, one;
        costs_at(e->unary + 2 * v, &zero, &one);
        const sos_lanes u = one - zero, back = u - one, size = (sos_lanes)((sos_flags)u & ~sign);
        sos_lanes_raise(&largest, &size);
        broken |= (u + SHIFT) - SHIFT != u;
        off |= (one - (u - back)) != (zero + back); /* as sos_sum_off, which is their difference */
    }
    differences d = { 0, !any(&broken), !any(&off) };
    for (int l = 0; l < SOS_LANES; l++) d.largest = largest[l] > d.largest ? largest[l] : d.largest;
    return d;
}

/* Integers of these variables, if all differences are whole at that scale and small; else out is not all written, and false
 * comes back. */
SOS_INLINE bool take_whole(const sos_energy *e, sos_scale scale, size_t begin, size_t end, int64_t out[])
{
    const sos_flags sign = (sos_flags){ 0 } + INT64_MIN;
    uint64_t shift;
    memcpy(&shift, &SHIFT, sizeof shift);
    sos_flags broken = { 0 };
    for (size_t v = begin; v < end; v += SOS_LANES) {
        sos_lanes zero, one;
        costs_at(e->unary + 2 * v, &zero, &one);
        const sos_lanes u = one - zero, scaled = u * scale.up * scale.on, shifted = scaled + SHIFT;
        const sos_lanes size = (sos_lanes)((sos_flags)scaled & ~sign);
        broken |= (shifted - SHIFT != scaled) | (size >= SHIFTED_BELOW) | ((scaled == 0) & (u != 0));
        const sos_lane_bits integers = (sos_lane_bits)shifted - shift; /* of any double, as bits */
        memcpy(out + v, &integers, sizeof integers);
    }
    return !any(&broken);
}

SOS_TARGET_AVX2 static differences look_at_by_avx2(const sos_energy *e, size_t begin, size_t end)
{
    return look_at(e, begin, end);
}
static differences look_at_by_any(const sos_energy *e, size_t begin, size_t end) { return look_at(e, begin, end); }

SOS_TARGET_AVX2 static bool take_whole_by_avx2(const sos_energy *e, sos_scale scale, size_t begin, size_t end, int64_t out[])
{
    return take_whole(e, scale, begin, end, out);
}
static bool take_whole_by_any(const sos_energy *e, sos_scale scale, size_t begin, size_t end, int64_t out[])
{
    return take_whole(e, scale, begin, end, out);
}

static double difference(const sos_energy *e, size_t v) { return e->unary[2 * v + 1] - e->unary[2 * v]; }

/* The same of the variables begin .. end - 1. */
static sos_unary_facts facts_of(const sos_energy *e, size_t begin, size_t end)
{
    const size_t fours = begin + (end - begin) / SOS_LANES * SOS_LANES;
    const differences d = (sos_has_avx2() ? look_at_by_avx2 : look_at_by_any)(e, begin, fours);
    const bool simple = d.largest < SHIFTED_BELOW && d.exact;
    sos_unary_facts facts = { d.largest, !simple || d.whole, 0 };
    for (size_t v = simple ? fours : begin; v < end; v++) {
        const double size = fabs(difference(e, v));
        facts.largest = size > facts.largest ? size : facts.largest;
        facts.whole &= sos_is_whole(size);
        facts.off += sos_difference_off(e->unary[2 * v + 1], e->unary[2 * v]);
    }
    return facts;
}

sos_unary_facts sos_network_unary_facts(const sos_network *net, const sos_energy *e)
{
    sos_unary_facts parts[PARTS], all = { 0, true, 0 };
    const int threads = sos_network_threads(net, e->n);
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int p = 0; p < parts_of(e->n); p++) parts[p] = facts_of(e, part_begin(e->n, p), part_begin(e->n, p + 1));
    for (int p = 0; p < parts_of(e->n); p++) {
        all.largest = parts[p].largest > all.largest ? parts[p].largest : all.largest;
        all.whole &= parts[p].whole;
        all.off += parts[p].off;
    }
    return all;
}

/* Runs of so many variables are rounded one by one where one of them is not whole. */
enum { RUN = 256 };

static double round_part(const sos_network *net, const sos_energy *e, size_t begin, size_t end, int64_t unary[])
{
    double sum = 0;
    const bool avx2 = sos_has_avx2();
    for (size_t v = begin; v < end;) {
        const size_t next = v + RUN;
        if (next <= end && (avx2 ? take_whole_by_avx2 : take_whole_by_any)(e, net->scale, v, next, unary)) v = next;
        for (; v < next && v < end; v++) unary[v] = sos_network_integer(net, difference(e, v), &sum);
    }
    return sum;
}

void sos_network_round_unaries(const sos_network *net, const sos_energy *e, int64_t unary[], double *rounding)
{
    double sums[PARTS], all = 0;
    const int threads = sos_network_threads(net, e->n);
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int p = 0; p < parts_of(e->n); p++) sums[p] = round_part(net, e, part_begin(e->n, p), part_begin(e->n, p + 1), unary);
    for (int p = 0; p < parts_of(e->n); p++) all += sums[p];
    *rounding += all;
}
