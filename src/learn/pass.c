#include "learn/pass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/threads.h"
#include "learn/dense.h"

void sos_pass_free(sos_pass *p)
{
    free(p->mine);
    free(p->asked_now);
    free(p->difference);
    free(p->loss);
    free(p->missed);
    free(p->slack);
    free(p->sums);
    free(p->recalled);
    free(p->improved);
    sos_planes_free(&p->cache);
    sos_planes_free(&p->asked);
}

static bool is_own(const sos_pass *p, size_t i)
{
    const size_t processes = sos_share_processes(p->share);
    if (processes == 1) return true;
    if (p->oracle->has) return p->oracle->has(p->oracle->user, i);
    return i % processes == sos_share_rank(p->share);
}

sos_status sos_pass_create(sos_pass *p, sos_share *share, const sos_oracle *oracle, sos_recaller recaller, size_t weights,
                           const sos_train_settings *settings, sos_error *error)
{
    const size_t examples = oracle->examples, d = weights;
    *p = (sos_pass){ .share = share,
                     .oracle = oracle,
                     .recaller = recaller,
                     .weights = d,
                     .cache_most = settings->cache * examples,
                     .threads = sos_thread_count(settings->work.threads),
                     .slacks = sos_slacks_of(examples, settings->slacks),
                     .approximate = oracle->approximate };
    const bool fits = d + 3 <= SIZE_MAX / sizeof(double) / examples;
    p->mine = fits ? malloc(examples * sizeof *p->mine) : NULL;
    for (size_t i = 0; p->mine && i < examples; i++)
        if (is_own(p, i)) p->mine[p->own++] = i;
    p->asked_now = calloc(p->own + 1, sizeof *p->asked_now);
    p->difference = fits ? sos_numbers(p->own * d) : NULL;
    p->loss = sos_numbers(p->own);
    p->missed = sos_numbers(p->own);
    p->slack = sos_numbers(p->own);
    p->sums = fits ? sos_numbers(p->slacks.groups * (d + 3)) : NULL;
    p->recalled = sos_numbers(p->own);
    p->improved = calloc(p->own + 1, sizeof *p->improved);
    if (p->mine && p->asked_now && p->difference && p->loss && p->missed && p->slack && p->sums && p->recalled && p->improved)
        return SOS_OK;
    return sos_fail(error, SOS_ERR_MEMORY, "no memory to train %zu weights on %zu examples", d, examples);
}

/* Processes that were given different problems would wait for each other for ever, or learn nonsense. */
sos_status sos_pass_check(const sos_pass *p, uint64_t identity, sos_error *error)
{
    int64_t all[3] = { (int64_t)identity, ~(int64_t)identity, (int64_t)p->own };
    sos_status status = sos_share_max(p->share, 2, all, error);
    if (!status) status = sos_share_sum(p->share, 1, all + 2, error);
    if (status) return status;
    if (all[0] != ~all[1])
        return sos_fail(error, SOS_ERR_ARGUMENT, "the processes have different models, examples or settings");
    if (all[2] == (int64_t)p->slacks.examples) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "the processes have %lld of %zu examples", (long long)all[2], p->slacks.examples);
}

size_t sos_pass_place(const sos_pass *p, size_t i)
{
    size_t low = 0, high = p->own;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (p->mine[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->own && p->mine[low] == i ? low : p->own;
}

/* ---- asking ---- */

/* Own examples that take part, of groups from first on. */
static size_t asked_list(sos_pass *p, size_t first)
{
    size_t count = 0;
    for (size_t k = 0; k < p->own; k++) {
        const size_t i = p->mine[k];
        if (sos_slacks_is_active(&p->slacks, i) && sos_slacks_group(&p->slacks, i) >= first) p->asked_now[count++] = i;
    }
    return count;
}

static sos_status ask_one(sos_pass *p, const double w[], size_t i, sos_error *error)
{
    const size_t d = p->weights, k = sos_pass_place(p, i);
    double *a = p->difference + k * d;
    p->loss[k] = p->missed[k] = 0;
    memset(a, 0, d * sizeof *a);
    const sos_status status = p->oracle->violate(p->oracle->user, i, w, a, &p->loss[k], &p->missed[k], error);
    if (status) return status;
    double sum = p->loss[k] + p->missed[k];
    for (size_t j = 0; j < d; j++) sum += a[j] - a[j]; /* NaN unless a[j] is finite */
    if (isfinite(sum) && p->missed[k] >= 0) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "the oracle's answer is not finite");
}

static sos_status ask_all(sos_pass *p, const double w[], size_t first, size_t *failed, sos_error *error)
{
    const size_t count = asked_list(p, first);
    sos_failure failure = { 0 };
    sos_status status = SOS_OK;
    if (p->oracle->prepare && count) status = p->oracle->prepare(p->oracle->user, count, p->asked_now, w, error);
    *failed = count ? p->asked_now[0] : 0;
    if (status) return status;
#pragma omp parallel for schedule(dynamic, 1) num_threads(p->threads)
    for (size_t k = 0; k < count; k++) {
        sos_error mine = { SOS_OK, "" };
        sos_failure_note(&failure, p->asked_now[k], ask_one(p, w, p->asked_now[k], &mine), &mine);
    }
    *failed = failure.number;
    return sos_failure_status(&failure, "example", error);
}

/* How long processes were at work, and how long the slowest was. */
static sos_status note_busy(sos_pass *p, double seconds, sos_error *error)
{
    int64_t sum = (int64_t)(1e9 * seconds), longest = sum;
    sos_status status = sos_share_sum(p->share, 1, &sum, error);
    if (!status) status = sos_share_max(p->share, 1, &longest, error);
    if (status) return status;
    p->busy += 1e-9 * (double)sum;
    p->span += 1e-9 * (double)longest * (double)sos_share_processes(p->share);
    return SOS_OK;
}

sos_status sos_pass_ask(sos_pass *p, const double w[], size_t first, sos_error *error)
{
    const double began = sos_seconds();
    size_t failed;
    sos_status status = ask_all(p, w, first, &failed, error);
    const double seconds = sos_seconds() - began;
    status = sos_share_agree_by(p->share, failed, status, error);
    if (!status) status = note_busy(p, seconds, error);
    p->oracle_calls += sos_slacks_active_examples(&p->slacks) - (first ? sos_slacks_size(&p->slacks, SOS_SLACK_SUBSET) : 0);
    p->seconds += sos_seconds() - began;
    return status;
}

/* Of the weights that were asked at, those that the last answers of the subset, or of the rest, come from are kept. */
static void drop_asked(sos_planes *asked, size_t answers)
{
    size_t kept = asked->count, subset = 0, rest = 0;
    for (size_t k = asked->count; k-- > 0;) {
        sos_plane *question = &asked->list[k];
        const bool to_subset = question->group != SOS_ASK_REST, to_rest = question->group != SOS_ASK_SUBSET;
        const bool needed = (to_subset && subset < answers) || (to_rest && rest < answers);
        subset += to_subset;
        rest += to_rest;
        if (needed)
            asked->list[--kept] = *question;
        else
            free(question->a);
    }
    asked->count -= kept;
    memmove(asked->list, asked->list + kept, asked->count * sizeof *asked->list);
}

sos_status sos_pass_note_question(sos_pass *p, const double w[], sos_whom whom, sos_error *error)
{
    if (!p->recaller.recall) return SOS_OK;
    const bool ok = sos_planes_add(&p->asked, p->weights, w, 0, whom);
    const sos_status status = ok ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for weights");
    if (ok) drop_asked(&p->asked, p->recaller.answers);
    return sos_share_agree(p->share, status, error);
}

sos_status sos_pass_replay(sos_pass *p, sos_error *error)
{
    const uint64_t stage = p->slacks.stage, calls = p->oracle_calls;
    const double seconds = p->seconds;
    sos_status status = SOS_OK;
    for (size_t k = 0; p->recaller.recall && k < p->asked.count && !status; k++) {
        const sos_plane *question = &p->asked.list[k];
        p->slacks.stage = question->group == SOS_ASK_SUBSET ? SOS_STAGE_SUBSET : SOS_STAGE_ALL;
        status = sos_pass_ask(p, question->a, question->group == SOS_ASK_REST ? SOS_SLACK_REST : 0, error);
    }
    p->slacks.stage = stage;
    p->oracle_calls = calls;
    p->seconds = seconds;
    return status;
}

void sos_pass_refine(sos_pass *p)
{
    p->precise = 1;
    if (p->recaller.refine) p->recaller.refine(p->recaller.user);
}

void sos_pass_report(const sos_pass *p, sos_train_round *r)
{
    r->oracle_calls = (size_t)p->oracle_calls;
    r->cache_hits = (size_t)p->cache_hits;
    r->beaten = (size_t)p->beaten;
    r->approximate = p->approximate;
    r->seconds_oracle = p->seconds;
    r->idle = p->span > 0 ? fmax(0, 1 - p->busy / p->span) : 0;
    r->seconds_shared = p->share->seconds;
    r->bytes_shared = p->share->bytes;
}
