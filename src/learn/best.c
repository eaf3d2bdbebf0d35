/* best.c - the best weights so far, and what is known of their slacks (math.md, 12.4 and 12.8). */
#include "learn/trainer.h"

#include <math.h>
#include <string.h>

#include "learn/dense.h"

double sos_trainer_primal(const sos_trainer *t)
{
    const sos_trainer_state *s = &t->state;
    if (s->best_hinge < 0) return INFINITY;
    const double value = sos_trainer_objective(t, s->best, s->best_hinge + s->best_missed);
    return s->approximate ? value : fmin(s->primal, value);
}

void sos_trainer_set_floors(const sos_trainer *t, const double w[], double floor[])
{
    const size_t d = t->layout->weights;
    memset(floor, 0, t->groups * sizeof *floor);
    for (size_t k = 0; k < t->state.planes.count; k++) {
        const sos_cut *cut = &t->state.planes.list[k];
        floor[cut->group] = fmax(floor[cut->group], cut->b - sos_dot(d, cut->a, w));
    }
}

/* The mean over all examples that take part of slacks, known by their sums of groups, which are, group by group, no less than
 * the floor. */
static double mean_over(const sos_trainer *t, const double slack[], const double floor[])
{
    double sum = 0;
    for (size_t g = 0; g < sos_trainer_active_groups(t); g++)
        sum += fmax(slack[g], floor[g] * (double)sos_trainer_group_size(t, g));
    return sum / (double)sos_trainer_active_examples(t);
}

double sos_trainer_trial_hinge(sos_trainer *t)
{
    memset(t->floor, 0, t->groups * sizeof *t->floor);
    if (t->state.approximate) sos_trainer_set_floors(t, t->trial, t->floor);
    for (size_t g = 0; g < sos_trainer_active_groups(t); g++) t->group[g] = sos_trainer_group_slack(t, g);
    return mean_over(t, t->group, t->floor);
}

static double mean_missed(const sos_trainer *t)
{
    double sum = 0;
    for (size_t g = 0; g < sos_trainer_active_groups(t); g++) sum += sos_trainer_group_missed(t, g);
    return sum / (double)sos_trainer_active_examples(t);
}

/* The bound counts what the oracle may have missed; the choice of the best does not. */
bool sos_trainer_take_trial(sos_trainer *t, double hinge)
{
    sos_trainer_state *s = &t->state;
    const double missed = mean_missed(t);
    s->primal = fmin(s->primal, sos_trainer_objective(t, t->trial, hinge + missed));
    const bool better = s->best_hinge < 0 ||
                        sos_trainer_objective(t, t->trial, hinge) < sos_trainer_objective(t, s->best, s->best_hinge);
    if (!better) return false;
    memcpy(s->best, t->trial, t->layout->weights * sizeof *s->best);
    memcpy(s->best_slack, t->slack, t->own * sizeof *s->best_slack);
    memcpy(s->best_group, t->group, t->groups * sizeof *s->best_group);
    memcpy(s->best_floor, t->floor, t->groups * sizeof *s->best_floor);
    s->best_hinge = hinge;
    s->best_missed = missed;
    return true;
}

sos_status sos_trainer_raise_best(sos_trainer *t, sos_error *error)
{
    sos_trainer_state *s = &t->state;
    const size_t d = t->layout->weights;
    if (!s->approximate || s->best_hinge < 0) return SOS_OK;
    for (size_t k = 0; k < t->own; k++)
        if (sos_trainer_is_active(t, t->mine[k]))
            s->best_slack[k] = fmax(s->best_slack[k], t->loss[k] - sos_dot(d, t->difference + k * d, s->best));
    const sos_status status = sos_trainer_sum_by_group(t, s->best_slack, s->best_group, error);
    if (!status) s->best_hinge = mean_over(t, s->best_group, s->best_floor);
    return status;
}

/* Bounds may pass each other by the rounding of sums, never by so much. */
static const double FOUND_OUT = 1e-6;

void sos_trainer_find_out(sos_trainer *t)
{
    sos_trainer_state *s = &t->state;
    const double primal = sos_trainer_primal(t);
    if (s->approximate || !(s->dual > primal + FOUND_OUT * fabs(primal))) return;
    s->approximate = 1;
    sos_trainer_set_floors(t, s->best, s->best_floor);
    s->best_hinge = mean_over(t, s->best_group, s->best_floor);
}
