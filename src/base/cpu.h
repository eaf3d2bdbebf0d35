/* cpu.h - features of the processor. */
#ifndef SOS_BASE_CPU_H
#define SOS_BASE_CPU_H

#include <stdbool.h>

/* Does code for AVX2 exist, and run on this processor?  It has the bit instructions of the same age too. */
static inline bool sos_cpu_runs_avx2(void)
{
#if defined(SOS_HAVE_AVX2)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
#else
    return false;
#endif
}

#endif
