/* plane_cache.c - the newest planes of single examples (math.md, 12.6). */
#include "learn/trainer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "learn/dense.h"

static void answer_by(sos_trainer *t, size_t k, const sos_cut *cut)
{
    const size_t d = t->layout->weights;
    t->loss[k] = cut->b;
    memcpy(t->difference + k * d, cut->a, d * sizeof *cut->a);
}

sos_status sos_trainer_improve_answers(sos_trainer *t, sos_error *error)
{
    const size_t d = t->layout->weights;
    int64_t counts[2] = { 0, 0 }; /* planes that were better, and examples that had one */
    memset(t->beaten, 0, t->own * sizeof *t->beaten);
    for (size_t c = 0; c < t->state.cache.count; c++) {
        const sos_cut *cut = &t->state.cache.list[c];
        const size_t k = sos_trainer_place(t, cut->group);
        if (!sos_trainer_is_active(t, cut->group)) continue;
        if (cut->b - sos_dot(d, cut->a, t->trial) <= t->loss[k] - sos_dot(d, t->difference + k * d, t->trial)) continue;
        answer_by(t, k, cut);
        counts[0]++;
        t->beaten[k] = true;
    }
    for (size_t k = 0; k < t->own; k++) counts[1] += t->beaten[k];
    const sos_status status = sos_ranks_sum(t->ranks, 2, counts, error);
    if (status) return status;
    t->state.cache_hits += (uint64_t)counts[0];
    t->state.beaten += (uint64_t)counts[1];
    return SOS_OK;
}

static void answer_from_planes(sos_trainer *t)
{
    const size_t d = t->layout->weights;
    memset(t->loss, 0, t->own * sizeof *t->loss);
    memset(t->missed, 0, t->own * sizeof *t->missed);
    memset(t->difference, 0, t->own * d * sizeof *t->difference);
    for (size_t k = 0; k < t->own; k++) t->cached[k] = -1; /* none */
    for (size_t c = 0; c < t->state.cache.count; c++) {
        const sos_cut *cut = &t->state.cache.list[c];
        const size_t k = sos_trainer_place(t, cut->group);
        const double violation = cut->b - sos_dot(d, cut->a, t->trial);
        if (violation < 0 || violation <= t->cached[k]) continue;
        t->cached[k] = violation;
        answer_by(t, k, cut);
    }
}

/* The k-th own example, whose answer gives way where the plane that is recalled is more violated. */
static sos_status answer_by_recall(sos_trainer *t, size_t k, sos_error *error)
{
    const size_t d = t->layout->weights;
    sos_cut cut = { .a = malloc(d * sizeof *cut.a) };
    bool known = false;
    sos_status status = cut.a ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for a plane");
    if (!status) status = t->recaller.recall(t->recaller.user, t->mine[k], t->trial, cut.a, &cut.b, &known, error);
    if (!status && known && cut.b - sos_dot(d, cut.a, t->trial) > fmax(0, t->cached[k])) answer_by(t, k, &cut);
    free(cut.a);
    return status;
}

sos_status sos_trainer_answer_from_cache(sos_trainer *t, sos_error *error)
{
    sos_failure failure = { 0 };
    answer_from_planes(t);
    if (!t->recaller.recall) return SOS_OK;
#pragma omp parallel for schedule(dynamic, 1) num_threads(t->threads)
    for (size_t k = 0; k < t->own; k++) {
        sos_error mine = { SOS_OK, "" };
        if (!sos_trainer_is_active(t, t->mine[k])) continue;
        sos_failure_note(&failure, t->mine[k], answer_by_recall(t, k, &mine), &mine);
    }
    const sos_status status = sos_failure_status(&failure, "example", error);
    return sos_ranks_agree(t->ranks, failure.number, status, error);
}

/* Planes of the oldest round that the caches of all ranks have; *born is that round. */
static sos_status oldest_count(sos_trainer *t, uint64_t *born, uint64_t *count, sos_error *error)
{
    const sos_cuts *cache = &t->state.cache;
    int64_t oldest = cache->count ? -(int64_t)cache->list[0].born : INT64_MIN, number = 0;
    sos_status status = sos_ranks_max(t->ranks, 1, &oldest, error);
    *born = (uint64_t)-oldest;
    while (!status && (size_t)number < cache->count && cache->list[number].born == *born) number++;
    if (!status) status = sos_ranks_sum(t->ranks, 1, &number, error);
    *count = (uint64_t)number;
    return status;
}

static void drop_round(sos_cuts *cache, uint64_t born)
{
    size_t count = 0;
    while (count < cache->count && cache->list[count].born == born) count++;
    sos_cuts_drop_first(cache, count);
}

/* Whole rounds go: which ranks have their planes makes no difference then. */
static sos_status drop_oldest(sos_trainer *t, uint64_t most, sos_error *error)
{
    sos_status status = SOS_OK;
    while (!status && t->state.cached > most) {
        uint64_t born, count;
        status = oldest_count(t, &born, &count, error);
        if (status || t->state.cached - count < most) return status;
        drop_round(&t->state.cache, born);
        t->state.cached -= count;
    }
    return status;
}

sos_status sos_trainer_fill_cache(sos_trainer *t, size_t first, sos_error *error)
{
    sos_cuts *cache = &t->state.cache;
    const size_t d = t->layout->weights, most = t->settings.cache * t->examples;
    if (!most) return SOS_OK;
    const size_t before = cache->count;
    int64_t added = 0;
    bool ok = true;
    for (size_t k = 0; k < t->own && ok; k++) {
        const double *a = t->difference + k * d;
        if (!sos_trainer_is_active(t, t->mine[k]) || sos_trainer_group(t, t->mine[k]) < first) continue;
        if (t->loss[k] == 0 && sos_dot(d, a, a) == 0) continue;
        ok = sos_cuts_add(cache, d, a, t->loss[k], (uint32_t)t->mine[k]);
        if (ok) cache->list[cache->count - 1].born = t->state.rounds;
        added += ok;
    }
    sos_status status = ok ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for a cache");
    status = sos_ranks_agree(t->ranks, sos_ranks_rank(t->ranks), status, error);
    if (!status) status = sos_ranks_sum(t->ranks, 1, &added, error);
    if (status) sos_cuts_drop_behind(cache, before); /* the round will be gone on with */
    if (status) return status;
    t->state.cached += (uint64_t)added;
    return drop_oldest(t, most, error);
}
