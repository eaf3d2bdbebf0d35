/* round.c - one round of training: the program, the caches, the oracle, new planes (math.md, 12.3). */
#include "learn/trainer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/threads.h"
#include "learn/dense.h"

/* On rank 0. */
static sos_status solve_here(sos_trainer *t, sos_error *error)
{
    sos_trainer_state *s = &t->state;
    sos_qp_plane *planes = malloc((s->planes.count ? s->planes.count : 1) * sizeof *planes);
    if (!planes) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu planes", s->planes.count);
    size_t count = 0;
    for (size_t k = 0; k < s->planes.count; k++) {
        const sos_cut *cut = &s->planes.list[k];
        if (cut->group < sos_trainer_active_groups(t))
            planes[count++] = (sos_qp_plane){ cut->a, cut->b, cut->group, cut->multiplier };
    }
    sos_qp qp = { .cone = &t->cone,
                  .groups = sos_trainer_active_groups(t),
                  .cost = t->cost,
                  .gap = fmax(1e-12, fmin(t->settings.qp_gap, t->settings.gap / 10)),
                  .threads = t->threads,
                  .w = s->optimum,
                  .cone_multiplier = s->cone_multiplier,
                  .warm = s->round > 0,
                  .wide = s->stiff };
    if (qp.wide) qp.wide = sos_qp_has_wide(&qp, count);
    const sos_status status = sos_trainer_solve(t, &qp, count, planes, error);
    for (size_t k = 0, known = 0; !status && k < s->planes.count; k++) {
        sos_cut *cut = &s->planes.list[k];
        if (cut->group < sos_trainer_active_groups(t)) cut->multiplier = planes[known++].multiplier;
    }
    free(planes);
    if (!status && qp.dual > s->dual) s->dual = qp.dual;
    return status;
}

/* What a program came to, from rank 0 to all: bound, optimum, multipliers. */
static sos_status share_program(sos_trainer *t, sos_error *error)
{
    sos_trainer_state *s = &t->state;
    const size_t d = t->layout->weights, count = s->planes.count;
    double *all = malloc((1 + d + count) * sizeof *all);
    sos_status status = all ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu planes", count);
    status = sos_ranks_agree(t->ranks, sos_ranks_rank(t->ranks), status, error);
    if (!status) {
        all[0] = s->dual;
        memcpy(all + 1, s->optimum, d * sizeof *all);
        for (size_t k = 0; k < count; k++) all[1 + d + k] = s->planes.list[k].multiplier;
        status = sos_ranks_broadcast(t->ranks, (1 + d + count) * sizeof *all, all, error);
    }
    if (!status) {
        s->dual = all[0];
        memcpy(s->optimum, all + 1, d * sizeof *all);
        for (size_t k = 0; k < count; k++) s->planes.list[k].multiplier = all[1 + d + k];
    }
    free(all);
    return status;
}

void sos_trainer_note_need(const sos_trainer *t, sos_cut *plane, double multiplier)
{
    plane->idle = multiplier > 1e-7 * t->cost[plane->group] ? 0 : plane->idle + 1;
}

static sos_status solve_program(sos_trainer *t, sos_error *error)
{
    sos_trainer_state *s = &t->state;
    const double began = sos_seconds();
    sos_status status = sos_ranks_rank(t->ranks) ? SOS_OK : solve_here(t, error);
    status = sos_ranks_agree(t->ranks, sos_ranks_rank(t->ranks), status, error);
    if (!status && sos_ranks_size(t->ranks) > 1) status = share_program(t, error);
    for (size_t k = 0; !status && k < s->planes.count; k++) {
        sos_cut *cut = &s->planes.list[k];
        if (cut->group >= sos_trainer_active_groups(t)) continue;
        sos_trainer_note_need(t, cut, cut->multiplier);
    }
    s->seconds_qp += sos_seconds() - began;
    return status;
}

void sos_trainer_step(sos_trainer *t, const double from[], const double to[], double step)
{
    for (size_t i = 0; i < t->layout->weights; i++) t->trial[i] = from[i] + step * (to[i] - from[i]);
    sos_cone_repair(&t->cone, t->trial);
}

/* The weights to ask the oracle at. */
static void choose_trial(sos_trainer *t)
{
    const sos_trainer_state *s = &t->state;
    const bool given = t->settings.start && s->rounds == 1; /* the first round of all */
    if (s->best_hinge >= 0 && t->settings.step < 1) {
        sos_trainer_step(t, s->best, s->optimum, t->settings.step);
        return;
    }
    const double *begin = given ? t->settings.start : s->stage == SOS_STAGE_FIRST ? s->best : s->optimum;
    memcpy(t->trial, begin, t->layout->weights * sizeof *t->trial);
    sos_cone_repair(&t->cone, t->trial);
}

static sos_status answer_check(const sos_trainer *t, size_t k, sos_error *error)
{
    const size_t d = t->layout->weights;
    const double *a = t->difference + k * d;
    double sum = t->loss[k] + t->missed[k];
    for (size_t j = 0; j < d; j++) sum += a[j] - a[j]; /* NaN unless a[j] is finite */
    if (isfinite(sum) && t->missed[k] >= 0) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "the oracle's answer is not finite");
}

/* How long ranks were at work, and how long the slowest was. */
static sos_status note_busy(sos_trainer *t, double seconds, sos_error *error)
{
    int64_t sum = (int64_t)(1e9 * seconds), longest = sum;
    sos_status status = sos_ranks_sum(t->ranks, 1, &sum, error);
    if (!status) status = sos_ranks_max(t->ranks, 1, &longest, error);
    if (status) return status;
    t->busy += 1e-9 * (double)sum;
    t->span += 1e-9 * (double)longest * (double)sos_ranks_size(t->ranks);
    return SOS_OK;
}

/* Those that take part, of groups from first on. */
static sos_status ask_oracle(sos_trainer *t, size_t first, sos_error *error)
{
    const size_t d = t->layout->weights;
    const double began = sos_seconds();
    sos_failure failure = { 0 };
#pragma omp parallel for schedule(dynamic, 1) num_threads(t->threads)
    for (size_t k = 0; k < t->own; k++) {
        const size_t i = t->mine[k];
        if (!sos_trainer_is_active(t, i) || sos_trainer_group(t, i) < first) continue;
        sos_error mine = { SOS_OK, "" };
        t->loss[k] = t->missed[k] = 0;
        memset(t->difference + k * d, 0, d * sizeof *t->difference);
        sos_status status = t->oracle->violate(t->oracle->user, i, t->trial, t->difference + k * d, &t->loss[k], &t->missed[k],
                                               &mine);
        if (!status) status = answer_check(t, k, &mine);
        sos_failure_note(&failure, i, status, &mine);
    }
    const double seconds = sos_seconds() - began;
    sos_status status = sos_failure_status(&failure, "example", error);
    status = sos_ranks_agree(t->ranks, failure.number, status, error);
    if (!status) status = note_busy(t, seconds, error);
    t->state.oracle_calls += sos_trainer_active_examples(t) - (first ? sos_trainer_group_size(t, 0) : 0);
    t->state.seconds_oracle += sos_seconds() - began;
    return status;
}

/* Of the weights that were asked at, those that the last answers of the subset, or of the rest, come from are kept. */
static void drop_asked(sos_cuts *asked, size_t answers)
{
    size_t kept = asked->count, subset = 0, rest = 0;
    for (size_t k = asked->count; k-- > 0;) {
        sos_cut *cut = &asked->list[k];
        const bool to_subset = cut->group != SOS_ASK_REST, to_rest = cut->group != SOS_ASK_SUBSET;
        const bool needed = (to_subset && subset < answers) || (to_rest && rest < answers);
        subset += to_subset;
        rest += to_rest;
        if (needed)
            asked->list[--kept] = *cut;
        else
            free(cut->a);
    }
    asked->count -= kept;
    memmove(asked->list, asked->list + kept, asked->count * sizeof *asked->list);
}

static sos_status note_asked(sos_trainer *t, sos_whom whom, sos_error *error)
{
    sos_trainer_state *s = &t->state;
    if (!t->recaller.recall) return SOS_OK;
    const bool ok = sos_cuts_add(&s->asked, t->layout->weights, t->trial, 0, whom);
    const sos_status status = ok ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for weights");
    if (ok) drop_asked(&s->asked, t->recaller.answers);
    return sos_ranks_agree(t->ranks, sos_ranks_rank(t->ranks), status, error);
}

sos_status sos_trainer_replay(sos_trainer *t, sos_error *error)
{
    sos_trainer_state *s = &t->state;
    const uint64_t stage = s->stage, calls = s->oracle_calls;
    const double seconds = s->seconds_oracle;
    sos_status status = SOS_OK;
    for (size_t k = 0; k < s->asked.count && !status; k++) {
        const sos_cut *question = &s->asked.list[k];
        s->stage = question->group == SOS_ASK_SUBSET ? SOS_STAGE_SUBSET : SOS_STAGE_ALL;
        memcpy(t->trial, question->a, t->layout->weights * sizeof *t->trial);
        status = ask_oracle(t, question->group == SOS_ASK_REST, error);
    }
    s->stage = stage;
    s->oracle_calls = calls;
    s->seconds_oracle = seconds;
    return status;
}

double sos_trainer_group_plane(const sos_trainer *t, size_t g, double a[])
{
    const double *sums = sos_trainer_group_sums(t, g), size = (double)sos_trainer_group_size(t, g);
    for (size_t j = 0; j < t->layout->weights; j++) a[j] = sums[j] / size;
    return sos_trainer_group_loss(t, g) / size;
}

/* A plane that the program has already would only be in its way. */
sos_status sos_trainer_add_planes(sos_trainer *t, sos_error *error)
{
    const size_t d = t->layout->weights;
    double *a = malloc(d * sizeof *a);
    bool ok = a;
    for (size_t g = 0; ok && g < sos_trainer_active_groups(t); g++) {
        const double b = sos_trainer_group_plane(t, g, a);
        const bool empty = b == 0 && sos_dot(d, a, a) == 0;
        if (!empty && !sos_cuts_has(&t->state.planes, d, a, b, (uint32_t)g))
            ok = sos_cuts_add(&t->state.planes, d, a, b, (uint32_t)g);
    }
    free(a);
    const sos_status status = ok ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for more planes");
    return sos_ranks_agree(t->ranks, sos_ranks_rank(t->ranks), status, error);
}

/* Mean violation of the planes from the caches at the trial. */
static double cached_hinge(const sos_trainer *t)
{
    double sum = 0;
    for (size_t g = 0; g < sos_trainer_active_groups(t); g++) sum += sos_trainer_group_slack(t, g);
    return sum / (double)sos_trainer_active_examples(t);
}

/* Planes from caches pay if they raise the objective at the program's optimum by this share of the gap; from the second C of a
 * path on, where caches know more and passes over all examples are what costs, a smaller one does. */
static const double PAYS = 0.25, PAYS_ALONG_A_PATH = 0.1;

/* Adds planes from the caches as long as they tell the program enough: each spares a round of oracle calls. */
static sos_status exhaust_cache(sos_trainer *t, sos_error *error)
{
    enum { TRIES = 20, TRIES_WIDE = 4 }; /* wide programs cost more than a round of oracle calls may */
    if (!t->settings.cache || !t->state.cached) return SOS_OK;
    for (int n = 0; n < (t->state.stiff ? TRIES_WIDE : TRIES) && t->state.best_hinge >= 0; n++) {
        memcpy(t->trial, t->state.optimum, t->layout->weights * sizeof *t->trial);
        sos_status status = sos_trainer_answer_from_cache(t, error);
        if (!status) status = sos_trainer_sum_answers(t, error);
        if (status) return status;
        const double gap = sos_trainer_primal(t) - t->state.dual;
        const double gained = sos_trainer_objective(t, t->trial, cached_hinge(t)) - t->state.dual;
        if (gained < (t->state.point ? PAYS_ALONG_A_PATH : PAYS) * gap) return SOS_OK;
        const size_t before = t->state.planes.count;
        status = sos_trainer_add_planes(t, error);
        if (!status && t->state.planes.count == before) return SOS_OK; /* rounding alone sees a violation there */
        if (!status) status = solve_program(t, error);
        if (status) return status;
        t->state.cache_hits += sos_trainer_active_examples(t);
    }
    return SOS_OK;
}

sos_status sos_trainer_round_begin(sos_trainer *t, sos_error *error)
{
    sos_trainer_state *s = &t->state;
    if (s->pending != SOS_ROUND_NEW) return SOS_OK;
    sos_status status = solve_program(t, error);
    if (!status) status = exhaust_cache(t, error);
    if (status) return status;
    s->round++;
    s->rounds++;
    s->pending = SOS_ROUND_SOLVED;
    return SOS_OK;
}

sos_status sos_trainer_round_choose(sos_trainer *t, sos_whom *whom, sos_error *error)
{
    sos_trainer_state *s = &t->state;
    const bool ahead = sos_trainer_looks_ahead(t);
    t->gives_up = false;
    if (ahead && s->pending == SOS_ROUND_SOLVED) {
        const sos_status status = sos_trainer_aim(t, error);
        if (status) return status;
        s->pending = SOS_ROUND_AIMED;
    }
    *whom = ahead ? sos_trainer_choose_ahead(t) : SOS_ASK_ALL;
    if (*whom == SOS_ASK_ALL) choose_trial(t);
    return SOS_OK;
}

sos_status sos_trainer_round_ahead(sos_trainer *t, sos_error *error)
{
    sos_trainer_state *s = &t->state;
    s->stage = SOS_STAGE_SUBSET; /* for this question */
    sos_status status = ask_oracle(t, 0, error);
    if (!status) status = sos_trainer_sum_answers(t, error);
    if (!status && t->settings.idle) sos_cuts_drop_idle(&s->planes, t->settings.idle);
    if (!status) memcpy(s->ahead_sums, sos_trainer_group_sums(t, 0), (t->layout->weights + 3) * sizeof *s->ahead_sums);
    if (!status) status = sos_trainer_add_planes(t, error);
    if (!status) status = sos_trainer_fill_cache(t, 0, error);
    if (!status) status = note_asked(t, SOS_ASK_SUBSET, error);
    s->stage = SOS_STAGE_ALL;
    if (status) return status;
    s->ahead++;
    s->pending = SOS_ROUND_NEW;
    return SOS_OK;
}

/* The subset was asked at the trial before.  Of their single slacks nothing is known any more but that none is below 0. */
static void take_subset(sos_trainer *t)
{
    memcpy(t->sums, t->state.ahead_sums, (t->layout->weights + 3) * sizeof *t->sums);
    for (size_t k = 0; k < t->own; k++)
        if (sos_trainer_group(t, t->mine[k]) == 0) t->slack[k] = 0;
}

sos_status sos_trainer_round(sos_trainer *t, sos_whom whom, double *hinge, bool *better, sos_error *error)
{
    sos_trainer_state *s = &t->state;
    const size_t first = whom == SOS_ASK_REST;
    sos_status status = ask_oracle(t, first, error);
    if (!status) status = sos_trainer_raise_best(t, error);
    if (!status && s->approximate) status = sos_trainer_improve_answers(t, error);
    if (!status) status = sos_trainer_sum_answers(t, error);
    if (status) return status;
    if (first) take_subset(t);
    *hinge = sos_trainer_trial_hinge(t);
    *better = sos_trainer_take_trial(t, *hinge);
    sos_trainer_find_out(t);
    if (t->settings.idle) sos_cuts_drop_idle(&s->planes, t->settings.idle);
    t->known = s->planes.count;
    status = sos_trainer_add_planes(t, error);
    if (!status) status = sos_trainer_fill_cache(t, first, error);
    if (!status) status = note_asked(t, s->stage == SOS_STAGE_SUBSET ? SOS_ASK_SUBSET : whom, error);
    if (!status) status = sos_trainer_note_common(t, !first || *better, error);
    if (!status) s->pending = SOS_ROUND_NEW;
    return status;
}
