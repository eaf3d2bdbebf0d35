/* plane_cache.c - the newest planes of single examples (math.md, 12.6). */
#include "learn/trainer.h"

#include <string.h>

#include "learn/dense.h"

static void answer_by(sos_trainer *t, const sos_cut *cut)
{
    const size_t d = t->layout->weights;
    t->loss[cut->group] = cut->b;
    memcpy(t->difference + cut->group * d, cut->a, d * sizeof *cut->a);
}

void sos_trainer_improve_answers(sos_trainer *t)
{
    const size_t d = t->layout->weights;
    memset(t->beaten, 0, t->examples * sizeof *t->beaten);
    for (size_t c = 0; c < t->state.cache.count; c++) {
        const sos_cut *cut = &t->state.cache.list[c];
        const size_t i = cut->group;
        if (!sos_trainer_is_active(t, i)) continue;
        if (cut->b - sos_dot(d, cut->a, t->trial) <= t->loss[i] - sos_dot(d, t->difference + i * d, t->trial)) continue;
        answer_by(t, cut);
        t->state.cache_hits++;
        t->beaten[i] = true;
    }
    for (size_t i = 0; i < t->examples; i++) t->state.beaten += t->beaten[i];
}

void sos_trainer_answer_from_cache(sos_trainer *t)
{
    const size_t d = t->layout->weights;
    memset(t->loss, 0, t->examples * sizeof *t->loss);
    memset(t->missed, 0, t->examples * sizeof *t->missed);
    memset(t->difference, 0, t->examples * d * sizeof *t->difference);
    for (size_t i = 0; i < t->examples; i++) t->cached[i] = -1; /* none */
    for (size_t c = 0; c < t->state.cache.count; c++) {
        const sos_cut *cut = &t->state.cache.list[c];
        const double violation = cut->b - sos_dot(d, cut->a, t->trial);
        if (violation < 0 || violation <= t->cached[cut->group]) continue;
        t->cached[cut->group] = violation;
        answer_by(t, cut);
    }
}

sos_status sos_trainer_fill_cache(sos_trainer *t, sos_error *error)
{
    sos_cuts *cache = &t->state.cache;
    const size_t d = t->layout->weights, most = t->settings.cache * t->examples;
    if (!most) return SOS_OK;
    for (size_t i = 0; i < t->examples; i++) {
        const double *a = t->difference + i * d;
        if (!sos_trainer_is_active(t, i)) continue;
        if (t->loss[i] == 0 && sos_dot(d, a, a) == 0) continue;
        if (!sos_cuts_add(cache, d, a, t->loss[i], (uint32_t)i))
            return sos_fail(error, SOS_ERR_MEMORY, "no memory for a cache");
    }
    sos_cuts_drop_first(cache, cache->count > most ? cache->count - most : 0);
    return SOS_OK;
}
