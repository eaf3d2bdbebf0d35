/* elementary.h - functions of one number with the same bits on every machine; the C library's have not, but for the square root
 * and those that round.  Header only: random numbers use them, and with these tests and benchmarks. */
#ifndef SOS_BASE_ELEMENTARY_H
#define SOS_BASE_ELEMENTARY_H

#include <float.h>
#include <math.h>

#include "base/lanes.h"

/* e^x for x <= 700, to 1e-15 of its value; below -700 as e^-700, which is next to nothing. */
static inline double sos_exp(double x)
{
    sos_lanes lanes = { x, x, x, x };
    sos_lanes_exp(&lanes);
    return lanes[0];
}

/* log x for finite x > 0, to 1e-15 absolutely or relatively, whichever is more. */
static inline double sos_log(double x)
{
    const double more = x < DBL_MIN ? 54 : 0; /* doublings that make a subnormal number normal */
    x *= x < DBL_MIN ? 0x1p54 : 1;
    sos_lanes lanes = { x, x, x, x };
    sos_lanes_log(&lanes);
    return lanes[0] - more * 0x1.62e42fefa39efp-1;
}

/* 1 / (1 + e^-x). */
static inline double sos_logistic(double x)
{
    const double e = sos_exp(-fmin(fabs(x), 700));
    return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}

typedef struct sos_direction {
    double x, y;
} sos_direction;

/* (cos, sin) of at most an eighth of a turn, by their series. */
static inline sos_direction sos_eighth_turn(double turns)
{
    const double a = turns * 0x1.921fb54442d18p2, q = a * a;
    double x = 1.0 / 20922789888000, y = -1.0 / 1307674368000;
    x = x * q - 1.0 / 87178291200;
    x = x * q + 1.0 / 479001600;
    x = x * q - 1.0 / 3628800;
    x = x * q + 1.0 / 40320;
    x = x * q - 1.0 / 720;
    x = x * q + 1.0 / 24;
    y = y * q + 1.0 / 6227020800;
    y = y * q - 1.0 / 39916800;
    y = y * q + 1.0 / 362880;
    y = y * q - 1.0 / 5040;
    y = y * q + 1.0 / 120;
    y = y * q - 1.0 / 6;
    const sos_direction d = { 1 - q / 2 + q * q * x, a + a * q * y };
    return d;
}

/* (cos, sin) of an angle given in turns, to 1e-15, for |turns| < 1e15; exact at quarters.  Counting in turns makes taking whole
 * ones away exact.  A turn goes from x to y and round to x. */
static inline sos_direction sos_turn(double turns)
{
    const double quarters = floor(turns * 4 + 0.5);
    const sos_direction p = sos_eighth_turn(turns - quarters / 4);
    const sos_direction all[4] = { p, { -p.y, p.x }, { -p.x, -p.y }, { p.y, -p.x } };
    return all[(int)(quarters - 4 * floor(quarters / 4))];
}

#endif
