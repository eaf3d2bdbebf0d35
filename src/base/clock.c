#define _POSIX_C_SOURCE 200809L
#include "base/clock.h"

#include <time.h>

static double read_clock(clockid_t which)
{
    struct timespec t;
    clock_gettime(which, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double sos_seconds(void) { return read_clock(CLOCK_MONOTONIC); }
double sos_seconds_of_thread(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }
double sos_seconds_of_program(void) { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }
