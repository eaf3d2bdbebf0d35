/* ahead.c - the training subset, asked ahead of the others (math.md, 12.5).
 *
 * Examples of one kind have much the same slack as a function of the weights: where they differ, a plane tells most of it.  So
 * the rest is expected to bend as the subset does, which is small: before all are asked, the subset finds where the sum of both is
 * least.  Expectations are in no bound. */
#include "learn/trainer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "learn/dense.h"

enum { SUBSET, REST };

/* Looking ahead pays where the gap is still so many times the wanted one: otherwise the next answers are the last. */
static const double FROM = 2;

/* How far towards the aim a question goes. */
static const double STEP = 0.7;

/* The rest is asked when what is left to the aim is this share of what was to be gained, or of the wanted gap. */
static const double NEAR = 0.05, NEAR_GAP = 0.5;

/* With many weights, the subset needs as many questions as all would: then what is left is more than this share after so many. */
enum { SLOW_QUESTIONS = 3, QUESTIONS_MOST = 7 };
static const double SLOW = 0.25;

/* From this round of a C on all rounds are as they must be for the gap to close. */
enum { ROUNDS_MOST = 200 };

/* The subset is trusted where the rest was like it when it was asked last, but for this share.  Bends of less than the second
 * share of the slack tell nothing. */
static const double ALIKE = 0.25, TELLING = 0.01;

bool sos_trainer_looks_ahead(const sos_trainer *t)
{
    const sos_trainer_state *s = &t->state;
    if (!t->subset || !t->recaller.recall || !s->trusted || s->ahead_off || s->approximate) return false;
    if (s->stage != SOS_STAGE_ALL || s->best_hinge < 0 || s->stiff || s->round > ROUNDS_MOST) return false;
    const double primal = sos_trainer_primal(t);
    return primal - s->dual > FROM * t->settings.gap * primal;
}

/* What a plane says of the slack at w. */
static double at(const sos_trainer *t, const sos_cut *plane, const double w[])
{
    return plane->b - sos_dot(t->layout->weights, plane->a, w);
}

static double share_of(const sos_trainer *t, size_t g) { return (double)sos_trainer_group_size(t, g) / (double)t->examples; }

/* The mean slack of a group at the trial, from its answers. */
static double slack_of(const sos_trainer *t, size_t g)
{
    return sos_trainer_group_slack(t, g) / (double)sos_trainer_group_size(t, g);
}

/* The objective at w if the slack of the subset is as given and the rest has what the planes say, or what is expected. */
static double expected_value(const sos_trainer *t, const double w[], double subset)
{
    const sos_trainer_state *s = &t->state;
    double slack[2];
    sos_trainer_set_floors(t, w, slack);
    slack[SUBSET] = fmax(slack[SUBSET], subset);
    slack[REST] = fmax(slack[REST], slack[SUBSET] + at(t, &s->common.list[REST], w) - at(t, &s->common.list[SUBSET], w));
    return sos_trainer_objective(t, w, share_of(t, SUBSET) * slack[SUBSET] + share_of(t, REST) * slack[REST]);
}

/* What the program in which the rest has the planes of the subset as well, tilted, comes to. */
typedef struct outcome {
    double *bound, *optimum, *multiplier; /* [1], [d], [planes] */
} outcome;

/* On rank 0.  Planes that no program has needed for some time are left out: they are many. */
static sos_status solve_here(const sos_trainer *t, const outcome *o, sos_error *error)
{
    enum { LATELY = 3 };
    const sos_trainer_state *s = &t->state;
    const size_t d = t->layout->weights, count = s->planes.count;
    const sos_cut *subset = &s->common.list[SUBSET], *rest = &s->common.list[REST];
    sos_qp_plane *planes = malloc((2 * count + 1) * sizeof *planes);
    double *tilted = count < SIZE_MAX / sizeof *tilted / d ? malloc((count + 1) * d * sizeof *tilted) : NULL;
    double *cone_multiplier = calloc(t->cone.row_count + 1, sizeof *cone_multiplier);
    const bool ok = planes && tilted && cone_multiplier;
    sos_status status = ok ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu planes", count);
    size_t known = 0;
    for (size_t k = 0; !status && k < count; k++) {
        const sos_cut *cut = &s->planes.list[k];
        if (cut->idle > LATELY) continue;
        planes[known++] = (sos_qp_plane){ cut->a, cut->b, cut->group, 0 };
        if (cut->group != SUBSET) continue;
        double *a = tilted + k * d;
        for (size_t i = 0; i < d; i++) a[i] = cut->a[i] + rest->a[i] - subset->a[i];
        planes[known++] = (sos_qp_plane){ a, cut->b + rest->b - subset->b, REST, 0 };
    }
    sos_qp qp = { .cone = &t->cone,
                  .groups = t->groups,
                  .cost = t->cost,
                  .gap = fmax(t->settings.qp_gap, t->settings.gap / 10),
                  .threads = t->threads,
                  .w = o->optimum,
                  .cone_multiplier = cone_multiplier };
    if (!status) status = sos_trainer_solve(t, &qp, known, planes, error);
    if (!status) *o->bound = qp.dual;
    for (size_t k = 0, next = 0; !status && k < count; k++) {
        if (s->planes.list[k].idle > LATELY) continue;
        o->multiplier[k] = planes[next++].multiplier;
        if (s->planes.list[k].group == SUBSET) o->multiplier[k] += planes[next++].multiplier;
    }
    free(planes);
    free(tilted);
    free(cone_multiplier);
    return status;
}

/* A plane is idle where neither program needs it. */
static void take_outcome(sos_trainer *t, const outcome *o)
{
    sos_trainer_state *s = &t->state;
    s->aim_bound = *o->bound;
    memcpy(s->aim, o->optimum, t->layout->weights * sizeof *s->aim);
    for (size_t k = 0; k < s->planes.count; k++) sos_trainer_note_need(t, &s->planes.list[k], o->multiplier[k]);
}

static sos_status solve(sos_trainer *t, sos_error *error)
{
    const size_t d = t->layout->weights, count = t->state.planes.count, rank = sos_ranks_rank(t->ranks);
    const double began = sos_seconds();
    double *room = calloc(1 + d + count, sizeof *room);
    const outcome o = { room, room + 1, room + 1 + d };
    sos_status status = room ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu planes", count);
    if (!status && !rank) status = solve_here(t, &o, error);
    status = sos_ranks_agree(t->ranks, rank, status, error);
    if (!status) status = sos_ranks_broadcast(t->ranks, (1 + d + count) * sizeof *room, room, error);
    if (!status) take_outcome(t, &o);
    free(room);
    t->state.seconds_qp += sos_seconds() - began;
    return status;
}

/* The last weights that the subset was asked at. */
static const double *asked_last(const sos_trainer *t) { return t->state.asked.list[t->state.asked.count - 1].a; }

/* The least objective, known or expected. */
static double least_value(const sos_trainer *t)
{
    const double best = sos_trainer_primal(t);
    return t->state.ahead ? fmin(best, expected_value(t, asked_last(t), 0)) : best;
}

/* What is recalled at the aim is added to the program, as long as it says enough of it. */
sos_status sos_trainer_aim(sos_trainer *t, sos_error *error)
{
    enum { TRIES = 10, TRIES_MANY = 3, MANY_WEIGHTS = 256 }; /* with many weights a program costs as much as a question */
    static const double PAYS = 0.1;
    sos_trainer_state *s = &t->state;
    const int tries = t->layout->weights > MANY_WEIGHTS ? TRIES_MANY : TRIES;
    sos_status status = solve(t, error);
    for (int n = 1; !status && n < tries; n++) {
        memcpy(t->trial, s->aim, t->layout->weights * sizeof *t->trial);
        status = sos_trainer_answer_from_cache(t, error);
        if (!status) status = sos_trainer_sum_answers(t, error);
        if (status) return status;
        const double gained = expected_value(t, s->aim, slack_of(t, SUBSET)) - s->aim_bound;
        if (gained < PAYS * (least_value(t) - s->aim_bound)) return SOS_OK;
        const size_t before = s->planes.count;
        status = sos_trainer_add_planes(t, error);
        if (status || s->planes.count == before) return status;
        s->cache_hits += t->examples;
        status = solve(t, error);
    }
    return status;
}

sos_whom sos_trainer_choose_ahead(sos_trainer *t)
{
    sos_trainer_state *s = &t->state;
    const double best = sos_trainer_primal(t), least = least_value(t), left = least - s->aim_bound;
    const bool better = least < best;
    if (!s->ahead) s->ahead_begin = left;
    const bool near = left <= fmax(NEAR * s->ahead_begin, NEAR_GAP * t->settings.gap * best);
    const bool slow = s->ahead >= SLOW_QUESTIONS && left > SLOW * s->ahead_begin;
    const bool lost = s->ahead >= SLOW_QUESTIONS && !better; /* this time */
    t->gives_up = slow;
    if (better && (near || slow || s->ahead >= QUESTIONS_MOST)) {
        memcpy(t->trial, asked_last(t), t->layout->weights * sizeof *t->trial);
        return SOS_ASK_REST;
    }
    if (slow || lost) return SOS_ASK_ALL;
    sos_trainer_step(t, better ? asked_last(t) : s->best, s->aim, STEP);
    return SOS_ASK_SUBSET;
}

/* Is the slack of the rest at the trial like that of the subset?  Where all were asked before, what counts is how far each has
 * bent since. */
static bool is_alike(const sos_trainer *t)
{
    const sos_cuts *common = &t->state.common;
    double subset = slack_of(t, SUBSET), rest = slack_of(t, REST);
    const double telling = TELLING * rest;
    if (common->count) {
        subset -= at(t, &common->list[SUBSET], t->trial);
        rest -= at(t, &common->list[REST], t->trial);
        if (rest < telling) return t->state.trusted;
    }
    return fabs(rest - subset) <= ALIKE * rest;
}

sos_status sos_trainer_note_common(sos_trainer *t, bool hoped, sos_error *error)
{
    sos_trainer_state *s = &t->state;
    const size_t d = t->layout->weights;
    if (!t->subset || !t->recaller.recall || s->stage == SOS_STAGE_SUBSET) return SOS_OK;
    s->trusted = hoped && is_alike(t);
    s->ahead_off |= t->gives_up;
    s->ahead = 0;
    double *a = malloc(d * sizeof *a);
    bool ok = a;
    sos_cuts_free(&s->common);
    for (uint32_t g = SUBSET; ok && g <= REST; g++) {
        const double b = sos_trainer_group_plane(t, g, a);
        ok = sos_cuts_add(&s->common, d, a, b, g);
    }
    free(a);
    const sos_status status = ok ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for a plane");
    return sos_ranks_agree(t->ranks, sos_ranks_rank(t->ranks), status, error);
}
