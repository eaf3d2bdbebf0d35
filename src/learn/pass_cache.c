/* pass_cache.c - the newest planes of single examples, and what is recalled of them (math.md, 12.6). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "learn/dense.h"
#include "learn/pass.h"

static void answer_by(sos_pass *p, size_t k, const sos_plane *plane)
{
    p->loss[k] = plane->b;
    memcpy(p->difference + k * p->weights, plane->a, p->weights * sizeof *plane->a);
}

sos_status sos_pass_improve(sos_pass *p, const double w[], sos_error *error)
{
    const size_t d = p->weights;
    int64_t counts[2] = { 0, 0 }; /* planes that were better, and examples that had one */
    memset(p->improved, 0, p->own * sizeof *p->improved);
    for (size_t c = 0; c < p->cache.count; c++) {
        const sos_plane *plane = &p->cache.list[c];
        const size_t k = sos_pass_place(p, plane->group);
        if (!sos_slacks_is_active(&p->slacks, plane->group)) continue;
        if (sos_plane_slack(plane, d, w) <= p->loss[k] - sos_dot(d, p->difference + k * d, w)) continue;
        answer_by(p, k, plane);
        counts[0]++;
        p->improved[k] = true;
    }
    for (size_t k = 0; k < p->own; k++) counts[1] += p->improved[k];
    const sos_status status = sos_share_sum(p->share, 2, counts, error);
    if (status) return status;
    p->cache_hits += (uint64_t)counts[0];
    p->beaten += (uint64_t)counts[1];
    return SOS_OK;
}

/* ---- recalling ---- */

static void answer_from_planes(sos_pass *p, const double w[])
{
    const size_t d = p->weights;
    memset(p->loss, 0, p->own * sizeof *p->loss);
    memset(p->missed, 0, p->own * sizeof *p->missed);
    memset(p->difference, 0, p->own * d * sizeof *p->difference);
    for (size_t k = 0; k < p->own; k++) p->recalled[k] = -1; /* none */
    for (size_t c = 0; c < p->cache.count; c++) {
        const sos_plane *plane = &p->cache.list[c];
        const size_t k = sos_pass_place(p, plane->group);
        const double violation = sos_plane_slack(plane, d, w);
        if (violation < 0 || violation <= p->recalled[k]) continue;
        p->recalled[k] = violation;
        answer_by(p, k, plane);
    }
}

/* The k-th own example, whose answer gives way where the plane that is recalled is more violated. */
static sos_status answer_by_recall(sos_pass *p, const double w[], size_t k, sos_error *error)
{
    const size_t d = p->weights;
    sos_plane plane = { .a = malloc(d * sizeof *plane.a) };
    bool known = false;
    sos_status status = plane.a ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for a plane");
    if (!status) status = p->recaller.recall(p->recaller.user, p->mine[k], w, plane.a, &plane.b, &known, error);
    if (!status && known && sos_plane_slack(&plane, d, w) > fmax(0, p->recalled[k])) answer_by(p, k, &plane);
    free(plane.a);
    return status;
}

sos_status sos_pass_recall(sos_pass *p, const double w[], sos_error *error)
{
    sos_failure failure = { 0 };
    answer_from_planes(p, w);
    if (!p->recaller.recall) return SOS_OK;
#pragma omp parallel for schedule(dynamic, 1) num_threads(p->threads)
    for (size_t k = 0; k < p->own; k++) {
        sos_error mine = { SOS_OK, "" };
        if (!sos_slacks_is_active(&p->slacks, p->mine[k])) continue;
        sos_failure_note(&failure, p->mine[k], answer_by_recall(p, w, k, &mine), &mine);
    }
    const sos_status status = sos_failure_status(&failure, "example", error);
    return sos_share_agree_by(p->share, failure.number, status, error);
}

/* ---- keeping ---- */

/* How many of this process's planes are of the round, if that is its oldest. */
static size_t oldest_here(const sos_planes *cache, uint64_t round)
{
    size_t count = 0;
    while (count < cache->count && cache->list[count].born == round) count++;
    return count;
}

/* Whole rounds go: which process has their planes makes no difference then. */
static sos_status drop_oldest(sos_pass *p, sos_error *error)
{
    while (p->cached > p->cache_most) {
        int64_t oldest = p->cache.count ? -(int64_t)p->cache.list[0].born : INT64_MIN;
        sos_status status = sos_share_max(p->share, 1, &oldest, error);
        if (status) return status;
        const size_t here = oldest_here(&p->cache, (uint64_t)-oldest);
        int64_t count = (int64_t)here;
        status = sos_share_sum(p->share, 1, &count, error);
        if (status || p->cached - (uint64_t)count < p->cache_most) return status;
        sos_planes_drop_first(&p->cache, here);
        p->cached -= (uint64_t)count;
    }
    return SOS_OK;
}

sos_status sos_pass_keep(sos_pass *p, size_t first, uint64_t round, sos_error *error)
{
    const size_t d = p->weights, before = p->cache.count;
    if (!p->cache_most) return SOS_OK;
    int64_t added = 0;
    bool ok = true;
    for (size_t k = 0; k < p->own && ok; k++) {
        const double *a = p->difference + k * d;
        if (!sos_slacks_is_active(&p->slacks, p->mine[k]) || sos_slacks_group(&p->slacks, p->mine[k]) < first) continue;
        if (p->loss[k] == 0 && sos_dot(d, a, a) == 0) continue;
        ok = sos_planes_add(&p->cache, d, a, p->loss[k], (uint32_t)p->mine[k]);
        if (ok) p->cache.list[p->cache.count - 1].born = round;
        added += ok;
    }
    sos_status status = ok ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for a cache");
    status = sos_share_agree(p->share, status, error);
    if (!status) status = sos_share_sum(p->share, 1, &added, error);
    if (status) sos_planes_drop_behind(&p->cache, before); /* the round will be gone on with */
    if (status) return status;
    p->cached += (uint64_t)added;
    return drop_oldest(p, error);
}
