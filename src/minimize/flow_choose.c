/* flow_choose.c - which of the compiled variants of flow.c solves a network here. */
#include "base/cpu.h"
#include "minimize/flow.h"
#include "minimize/push.h"

#define DECLARE(isa)                                                                                                           \
    extern const sos_flow_ops sos_flow_##isa##_32_2, sos_flow_##isa##_32_4, sos_flow_##isa##_32_9, sos_flow_##isa##_32_0;      \
    extern const sos_flow_ops sos_flow_##isa##_64_2, sos_flow_##isa##_64_4, sos_flow_##isa##_64_9, sos_flow_##isa##_64_0

#define VARIANTS(isa)                                                                                                          \
    {                                                                                                                          \
        { &sos_flow_##isa##_32_2, &sos_flow_##isa##_32_4, &sos_flow_##isa##_32_9, &sos_flow_##isa##_32_0 },                    \
        {                                                                                                                      \
            &sos_flow_##isa##_64_2, &sos_flow_##isa##_64_4, &sos_flow_##isa##_64_9, &sos_flow_##isa##_64_0                     \
        }                                                                                                                      \
    }

DECLARE(baseline);
static const sos_flow_ops *const BASELINE[2][4] = VARIANTS(baseline);

#if defined(SOS_HAVE_AVX2)
DECLARE(avx2);
static const sos_flow_ops *const AVX2[2][4] = VARIANTS(avx2);
#endif

const sos_flow_ops *sos_flow_choose(const sos_network *net)
{
    if (net->lists) return &sos_push_ops;
    const int wide = net->scaling.bits == 64;
    const int size = net->k == 2 ? 0 : net->k == 4 ? 1 : net->k == 9 ? 2 : 3;
#if defined(SOS_HAVE_AVX2)
    if (sos_cpu_runs_avx2()) return AVX2[wide][size];
#endif
    return BASELINE[wide][size];
}
