#include "learn/ahead.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "learn/dense.h"

enum { SUBSET = SOS_SLACK_SUBSET, REST = SOS_SLACK_REST };

/* Looking ahead pays where the gap is still so many times the wanted one: otherwise the next answers are the last. */
static const double FROM = 2;

/* How far towards the aim a question goes. */
static const double STEP = 0.7;

/* The rest is asked when what is left to the aim is this share of what was to be gained, or of the wanted gap. */
static const double NEAR = 0.05, NEAR_GAP = 0.5;

/* With many weights, the subset needs as many questions as all would: then what is left is more than this share after so many.
 */
enum { SLOW_QUESTIONS = 3, QUESTIONS_MOST = 7 };
static const double SLOW = 0.25;

/* From this round of a C on all rounds are as they must be for the gap to close. */
enum { ROUNDS_MOST = 200 };

/* The subset is trusted where the rest was like it when it was asked last, but for this share.  Bends of less than the second
 * share of the slack tell nothing. */
static const double ALIKE = 0.25, TELLING = 0.01;

static bool is_possible(const sos_pass *p) { return p->slacks.subset && p->recaller.recall; }

/* The least objective that is known. */
static double best_value(const sos_ahead_view *v) { return sos_best_value(v->best, v->master, v->pass); }

bool sos_ahead_pays(const sos_ahead *a, const sos_ahead_view *v, uint64_t round)
{
    if (!is_possible(v->pass) || !a->trusted || a->off || v->pass->approximate) return false;
    if (v->pass->slacks.stage != SOS_STAGE_ALL || !sos_best_is_known(v->best)) return false;
    if (v->master->stiff || round > ROUNDS_MOST) return false;
    const double best = best_value(v);
    return best - v->master->dual > FROM * v->gap * best;
}

void sos_ahead_free(sos_ahead *a)
{
    free(a->aim);
    free(a->sums);
    sos_planes_free(&a->common);
}

sos_status sos_ahead_create(sos_ahead *a, size_t weights, sos_error *error)
{
    *a = (sos_ahead){ .aim = sos_numbers(weights), .sums = sos_numbers(weights + 3) };
    if (a->aim && a->sums) return SOS_OK;
    return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu weights", weights);
}

/* The mean slack of a group where it was asked last. */
static double slack_of(const sos_pass *p, size_t g) { return sos_pass_slack(p, g) / (double)sos_slacks_size(&p->slacks, g); }

/* The objective at w if the slack of the subset is as given and the rest has what the planes say, or what is expected. */
static double expected_value(const sos_ahead *a, const sos_ahead_view *v, const double w[], double subset)
{
    const sos_slacks *s = &v->pass->slacks;
    const size_t d = v->pass->weights;
    const double n = (double)s->examples;
    double slack[2];
    sos_master_floors(v->master, w, slack);
    slack[SUBSET] = fmax(slack[SUBSET], subset);
    slack[REST] = fmax(slack[REST], slack[SUBSET] + sos_plane_slack(&a->common.list[REST], d, w) -
                                        sos_plane_slack(&a->common.list[SUBSET], d, w));
    return sos_master_objective(v->master, w,
                                (double)sos_slacks_size(s, SUBSET) / n * slack[SUBSET] +
                                    (double)sos_slacks_size(s, REST) / n * slack[REST]);
}

/* ---- the aim ---- */

/* What the program in which the rest has the planes of the subset as well, tilted, comes to. */
typedef struct outcome {
    double *bound, *optimum, *multiplier; /* [1], [weights], [planes] */
} outcome;

/* On the first process.  Planes that no program has needed for some time are left out: they are many. */
static sos_status solve_tilted(const sos_ahead *ahead, const sos_master *m, const outcome *o, sos_error *error)
{
    enum { LATELY = 3 };
    const size_t d = m->weights, count = m->planes.count;
    const sos_plane *subset = &ahead->common.list[SUBSET], *rest = &ahead->common.list[REST];
    sos_qp_plane *planes = malloc((2 * count + 1) * sizeof *planes);
    double *tilted = count < SIZE_MAX / sizeof *tilted / d ? malloc((count + 1) * d * sizeof *tilted) : NULL;
    double *cone_multiplier = sos_numbers(m->cone.row_count);
    const bool ok = planes && tilted && cone_multiplier;
    sos_status status = ok ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu planes", count);
    size_t known = 0;
    for (size_t k = 0; !status && k < count; k++) {
        const sos_plane *plane = &m->planes.list[k];
        if (plane->idle > LATELY) continue;
        planes[known++] = (sos_qp_plane){ plane->a, plane->b, plane->group, 0 };
        if (plane->group != SUBSET) continue;
        double *a = tilted + k * d;
        for (size_t i = 0; i < d; i++) a[i] = plane->a[i] + rest->a[i] - subset->a[i];
        planes[known++] = (sos_qp_plane){ a, plane->b + rest->b - subset->b, REST, 0 };
    }
    sos_qp qp = { .cone = &m->cone,
                  .groups = m->groups,
                  .cost = m->cost,
                  .gap = m->gap_coarse,
                  .threads = m->threads,
                  .w = o->optimum,
                  .cone_multiplier = cone_multiplier };
    if (!status) status = sos_master_solve_planes(m, &qp, known, planes, error);
    if (!status) *o->bound = qp.dual;
    for (size_t k = 0, next = 0; !status && k < count; k++) {
        if (m->planes.list[k].idle > LATELY) continue;
        o->multiplier[k] = planes[next++].multiplier;
        if (m->planes.list[k].group == SUBSET) o->multiplier[k] += planes[next++].multiplier;
    }
    free(planes);
    free(tilted);
    free(cone_multiplier);
    return status;
}

/* A plane is idle where neither program needs it. */
static sos_status solve_aim(sos_ahead *a, const sos_ahead_view *v, sos_error *error)
{
    sos_master *m = v->master;
    sos_share *share = v->pass->share;
    const size_t d = m->weights, count = m->planes.count;
    const double began = sos_seconds();
    double *room = sos_numbers(1 + d + count);
    const outcome o = { room, room + 1, room + 1 + d };
    sos_status status = room ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu planes", count);
    if (!status && sos_share_is_first(share)) status = solve_tilted(a, m, &o, error);
    status = sos_share_agree(share, status, error);
    if (!status) status = sos_share_broadcast(share, (1 + d + count) * sizeof *room, room, error);
    if (!status) {
        a->aim_bound = *o.bound;
        memcpy(a->aim, o.optimum, d * sizeof *a->aim);
        for (size_t k = 0; k < count; k++) sos_master_note_need(m, &m->planes.list[k], o.multiplier[k]);
    }
    free(room);
    m->seconds += sos_seconds() - began;
    return status;
}

/* The last weights that the subset was asked at. */
static const double *asked_last(const sos_pass *p) { return p->asked.list[p->asked.count - 1].a; }

/* The least objective, known or expected. */
static double least_value(const sos_ahead *a, const sos_ahead_view *v)
{
    const double best = best_value(v);
    return a->questions ? fmin(best, expected_value(a, v, asked_last(v->pass), 0)) : best;
}

/* What is recalled at the aim is added to the program, as long as it says enough of it. */
sos_status sos_ahead_aim(sos_ahead *a, const sos_ahead_view *v, sos_error *error)
{
    enum { TRIES = 10, TRIES_MANY = 3, MANY_WEIGHTS = 256 }; /* with many weights a program costs as much as a question */
    static const double PAYS = 0.1;
    sos_pass *p = v->pass;
    const int tries = p->weights > MANY_WEIGHTS ? TRIES_MANY : TRIES;
    sos_status status = solve_aim(a, v, error);
    for (int n = 1; !status && n < tries; n++) {
        status = sos_pass_recall(p, a->aim, error);
        if (!status) status = sos_pass_sum(p, a->aim, error);
        if (status) return status;
        const double gained = expected_value(a, v, a->aim, slack_of(p, SUBSET)) - a->aim_bound;
        if (gained < PAYS * (least_value(a, v) - a->aim_bound)) return SOS_OK;
        const size_t before = v->master->planes.count;
        status = sos_master_add_planes(v->master, p, error);
        if (status || v->master->planes.count == before) return status;
        p->cache_hits += p->slacks.examples;
        status = solve_aim(a, v, error);
    }
    return status;
}

sos_whom sos_ahead_choose(sos_ahead *a, const sos_ahead_view *v, double w[])
{
    const size_t d = v->pass->weights;
    const double best = best_value(v), least = least_value(a, v), left = least - a->aim_bound;
    const bool better = least < best;
    if (!a->questions) a->begin = left;
    const bool near = left <= fmax(NEAR * a->begin, NEAR_GAP * v->gap * best);
    const bool slow = a->questions >= SLOW_QUESTIONS && left > SLOW * a->begin;
    const bool lost = a->questions >= SLOW_QUESTIONS && !better; /* this time */
    a->gives_up = slow;
    if (better && (near || slow || a->questions >= QUESTIONS_MOST)) {
        memcpy(w, asked_last(v->pass), d * sizeof *w);
        return SOS_ASK_REST;
    }
    if (slow || lost) return SOS_ASK_ALL;
    const double *from = better ? asked_last(v->pass) : v->best->weights;
    sos_master_step(v->master, from, a->aim, STEP, w);
    return SOS_ASK_SUBSET;
}

/* ---- answers ---- */

void sos_ahead_note_subset(sos_ahead *a, const sos_pass *p)
{
    memcpy(a->sums, sos_pass_sums(p, SUBSET), (p->weights + 3) * sizeof *a->sums);
}

/* Of the single slacks of the subset nothing is known any more but that none is below 0. */
void sos_ahead_add_subset(const sos_ahead *a, sos_pass *p)
{
    memcpy(sos_pass_sums(p, SUBSET), a->sums, (p->weights + 3) * sizeof *a->sums);
    for (size_t k = 0; k < p->own; k++)
        if (sos_slacks_group(&p->slacks, p->mine[k]) == SUBSET) p->slack[k] = 0;
}

/* Is the slack of the rest at w like that of the subset?  Where all were asked before, what counts is how far each has bent
 * since. */
static bool is_alike(const sos_ahead *a, const sos_pass *p, const double w[])
{
    double subset = slack_of(p, SUBSET), rest = slack_of(p, REST);
    const double telling = TELLING * rest;
    if (a->common.count) {
        subset -= sos_plane_slack(&a->common.list[SUBSET], p->weights, w);
        rest -= sos_plane_slack(&a->common.list[REST], p->weights, w);
        if (rest < telling) return a->trusted;
    }
    return fabs(rest - subset) <= ALIKE * rest;
}

sos_status sos_ahead_note_all(sos_ahead *a, const sos_pass *p, const double w[], bool hoped, sos_error *error)
{
    const size_t d = p->weights;
    if (!is_possible(p) || p->slacks.stage == SOS_STAGE_SUBSET) return SOS_OK;
    a->trusted = hoped && is_alike(a, p, w);
    a->off |= a->gives_up;
    a->questions = 0;
    double *plane = malloc(d * sizeof *plane);
    bool ok = plane;
    sos_planes_free(&a->common);
    for (uint32_t g = SUBSET; ok && g <= REST; g++) {
        const double b = sos_pass_plane(p, g, plane);
        ok = sos_planes_add(&a->common, d, plane, b, g);
    }
    free(plane);
    const sos_status status = ok ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for a plane");
    return sos_share_agree(p->share, status, error);
}
