/* measure.h - clocks, medians, and exits on failure for the benchmarks. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stddef.h>

#include <sos/status.h>

/* Seconds this thread has computed: other people's work on the machine does not count, as far as the system can tell. */
double seconds_computed(void);
/* The same of all threads of this program. */
double seconds_computed_by_all(void);
/* Seconds on the wall, for work on several threads. */
double seconds_passed(void);

enum { SERIES_MAX = 128 };

/* The times of one thing, run by run. */
typedef struct series {
    size_t count;
    double seconds[SERIES_MAX];
} series;

void series_add(series *s, double seconds);
double series_median(const series *s); /* NAN where there was no run */
double series_least(const series *s);  /* the run least disturbed by others */

/* The slope of the line through (log x, log y) by least squares: y grows as x to this power. */
double growth_exponent(size_t count, const double x[], const double y[]);

/* Resident memory in bytes: now, and the most since memory_settle, which also returns freed memory to the system.  NAN where
 * the system does not say. */
void memory_settle(void);
double memory_resident(void);
double memory_peak(void);

/* malloc, and a check of a call; both end the program with a message where they fail. */
void *room(size_t count, size_t size);
void must(sos_status status, const sos_error *error);

#endif
