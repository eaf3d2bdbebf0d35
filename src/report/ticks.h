/* ticks.h - where an axis is marked: at round numbers, 1, 2 or 5 times powers of ten. */
#ifndef SOS_REPORT_TICKS_H
#define SOS_REPORT_TICKS_H

#include <stddef.h>

#include "report/text.h"

/* Rising; mark i stands at digits[i] * 10^exponent[i]. */
enum { SOS_TICKS_LEAST = 5, SOS_TICKS_MOST = 24 };
typedef struct sos_ticks {
    size_t count;
    long long digits[SOS_TICKS_MOST + 2];
    int exponent[SOS_TICKS_MOST + 2];
} sos_ticks;

/* All multiples within low ... high of the least step 1, 2 or 5 times a power of ten that has at most most of them there, which
 * are two or more.  low < high, both at most 1e300 in size, and apart by a millionth of that at least;
 * SOS_TICKS_LEAST <= most <= SOS_TICKS_MOST. */
void sos_ticks_linear(double low, double high, size_t most, sos_ticks *ticks);

/* The same step; low and high move outwards to the next multiples. */
void sos_ticks_around(double *low, double *high, size_t most, sos_ticks *ticks);

/* 1, 2 and 5 times powers of ten within low ... high, if these are at most most; else powers of ten; else every second, fifth,
 * tenth, ... of these.  Where only one or none would be left, as for sos_ticks_linear.  1e-300 <= low < high <= 1e300. */
void sos_ticks_log(double low, double high, size_t most, sos_ticks *ticks);

double sos_ticks_value(const sos_ticks *ticks, size_t i);

/* Plain with as many decimals as the exponent asks for, or as by sos_number_text where that would be long. */
const char *sos_ticks_text(const sos_ticks *ticks, size_t i, char text[SOS_NUMBER_TEXT]);

#endif
