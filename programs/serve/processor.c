#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE
#endif

#include "processor.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static double seconds_of(const struct timeval *t) { return (double)t->tv_sec + 1e-6 * (double)t->tv_usec; }

/* /proc/stat begins with "cpu", and ticks: user, nice, system, idle, waiting for disks, interrupts of two kinds, stolen by
 * other virtual machines. */
bool processor_look(processor_use *out)
{
    enum { FIELDS = 8, IDLE = 3, WAITING = 4 };
    unsigned long long ticks[FIELDS] = { 0 };
    struct rusage own;
    const long rate = sysconf(_SC_CLK_TCK);
    FILE *file = fopen("/proc/stat", "re");
    if (!file) return false;
    const int read = fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &ticks[0], &ticks[1], &ticks[2], &ticks[3],
                            &ticks[4], &ticks[5], &ticks[6], &ticks[7]);
    fclose(file);
    if (read != FIELDS || rate <= 0 || getrusage(RUSAGE_SELF, &own)) return false;
    *out = (processor_use){ .idle = (double)(ticks[IDLE] + ticks[WAITING]) / (double)rate };
    for (int i = 0; i < FIELDS; i++) out->all += (double)ticks[i] / (double)rate;
    out->own = seconds_of(&own.ru_utime) + seconds_of(&own.ru_stime);
    return true;
}

double processor_others(const processor_use *before, const processor_use *after)
{
    const double all = after->all - before->all;
    const double others = all - (after->idle - before->idle) - (after->own - before->own);
    if (all <= 0 || others <= 0) return 0;
    return others < all ? others / all : 1;
}
