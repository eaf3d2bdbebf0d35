/* measure.c - clocks by POSIX, memory by Linux's /proc. */
#define _POSIX_C_SOURCE 200809L
#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double seconds_computed(void) { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }
double seconds_computed_by_all(void) { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }
double seconds_passed(void) { return seconds_of(CLOCK_MONOTONIC); }

void series_add(series *s, double seconds)
{
    if (s->count < SERIES_MAX) s->seconds[s->count++] = seconds;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double series_median(const series *s)
{
    series sorted = *s;
    if (!s->count) return NAN;
    qsort(sorted.seconds, s->count, sizeof *sorted.seconds, compare);
    return (sorted.seconds[(s->count - 1) / 2] + sorted.seconds[s->count / 2]) / 2;
}

double series_least(const series *s)
{
    double least = NAN;
    for (size_t i = 0; i < s->count; i++) least = fmin(least, s->seconds[i]);
    return least;
}

double growth_exponent(size_t count, const double x[], const double y[])
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    const double m = (double)count;
    for (size_t i = 0; i < count; i++) {
        const double u = log(x[i]), v = log(y[i]);
        sx += u;
        sy += v;
        sxx += u * u;
        sxy += u * v;
    }
    return (m * sxy - sx * sy) / (m * sxx - sx * sx);
}

/* The line "key: 123 kB" of /proc/self/status, in bytes. */
static double status_bytes(const char *key)
{
    char line[256];
    double kilobytes = NAN;
    FILE *file = fopen("/proc/self/status", "r");
    if (!file) return NAN;
    while (fgets(line, sizeof line, file))
        if (!strncmp(line, key, strlen(key))) kilobytes = strtod(line + strlen(key) + 1, NULL);
    fclose(file);
    return 1024 * kilobytes;
}

double memory_resident(void) { return status_bytes("VmRSS"); }
double memory_peak(void) { return status_bytes("VmHWM"); }

void memory_settle(void)
{
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (!file) return;
    fputs("5", file);
    fclose(file);
}

void *room(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (p) return p;
    fprintf(stderr, "minimize: no memory for %zu times %zu bytes\n", count, size);
    exit(1);
}

void must(sos_status status, const sos_error *error)
{
    if (!status) return;
    fprintf(stderr, "minimize: %s: %s\n", sos_status_name(status), error->message);
    exit(1);
}
