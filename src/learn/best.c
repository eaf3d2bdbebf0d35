#include "learn/best.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn/dense.h"

void sos_best_free(sos_best *b)
{
    free(b->slack);
    free(b->group);
    free(b->floor);
    free(b->weights);
    free(b->trial_group);
    free(b->trial_floor);
}

sos_status sos_best_create(sos_best *b, const sos_pass *p, sos_error *error)
{
    const size_t groups = p->slacks.groups;
    *b = (sos_best){ .hinge = -1,
                     .slack = sos_numbers(p->own),
                     .group = sos_numbers(groups),
                     .floor = sos_numbers(groups),
                     .weights = sos_numbers(p->weights),
                     .trial_group = sos_numbers(groups),
                     .trial_floor = sos_numbers(groups) };
    if (b->slack && b->group && b->floor && b->weights && b->trial_group && b->trial_floor) return SOS_OK;
    return sos_fail(error, SOS_ERR_MEMORY, "no memory for the slacks of %zu examples", p->slacks.examples);
}

double sos_best_value(const sos_best *b, const sos_master *m, const sos_pass *p)
{
    if (!sos_best_is_known(b)) return INFINITY;
    const double value = sos_master_objective(m, b->weights, b->hinge + b->missed);
    return p->approximate ? value : fmin(b->primal, value);
}

/* The mean over all examples that take part of slacks, known by their sums of groups, which are, group by group, no less than
 * the floor. */
static double mean_over(const sos_slacks *s, const double slack[], const double floor[])
{
    double sum = 0;
    for (size_t g = 0; g < sos_slacks_active_groups(s); g++) sum += fmax(slack[g], floor[g] * (double)sos_slacks_size(s, g));
    return sum / (double)sos_slacks_active_examples(s);
}

double sos_best_trial_hinge(sos_best *b, const sos_master *m, const sos_pass *p, const double w[])
{
    memset(b->trial_floor, 0, p->slacks.groups * sizeof *b->trial_floor);
    if (p->approximate) sos_master_floors(m, w, b->trial_floor);
    for (size_t g = 0; g < sos_slacks_active_groups(&p->slacks); g++) b->trial_group[g] = sos_pass_slack(p, g);
    return mean_over(&p->slacks, b->trial_group, b->trial_floor);
}

static double mean_missed(const sos_pass *p)
{
    double sum = 0;
    for (size_t g = 0; g < sos_slacks_active_groups(&p->slacks); g++) sum += sos_pass_missed(p, g);
    return sum / (double)sos_slacks_active_examples(&p->slacks);
}

/* The bound counts what the oracle may have missed; the choice of the best does not. */
bool sos_best_take(sos_best *b, const sos_master *m, const sos_pass *p, const double w[], double hinge)
{
    const double missed = mean_missed(p);
    b->primal = fmin(b->primal, sos_master_objective(m, w, hinge + missed));
    const bool better = !sos_best_is_known(b) ||
                        sos_master_objective(m, w, hinge) < sos_master_objective(m, b->weights, b->hinge);
    if (!better) return false;
    memcpy(b->weights, w, p->weights * sizeof *w);
    memcpy(b->slack, p->slack, p->own * sizeof *b->slack);
    memcpy(b->group, b->trial_group, p->slacks.groups * sizeof *b->group);
    memcpy(b->floor, b->trial_floor, p->slacks.groups * sizeof *b->floor);
    b->hinge = hinge;
    b->missed = missed;
    return true;
}

sos_status sos_best_raise(sos_best *b, const sos_pass *p, sos_error *error)
{
    const size_t d = p->weights;
    if (!p->approximate || !sos_best_is_known(b)) return SOS_OK;
    for (size_t k = 0; k < p->own; k++)
        if (sos_slacks_is_active(&p->slacks, p->mine[k]))
            b->slack[k] = fmax(b->slack[k], p->loss[k] - sos_dot(d, p->difference + k * d, b->weights));
    const sos_status status = sos_pass_sum_numbers(p, b->slack, b->group, error);
    if (!status) b->hinge = mean_over(&p->slacks, b->group, b->floor);
    return status;
}

/* Bounds may pass each other by the rounding of sums, never by so much. */
static const double FOUND_OUT = 1e-6;

void sos_best_find_out(sos_best *b, const sos_master *m, sos_pass *p)
{
    const double value = sos_best_value(b, m, p);
    if (p->approximate || !(m->dual > value + FOUND_OUT * fabs(value))) return;
    p->approximate = 1;
    sos_master_floors(m, b->weights, b->floor);
    b->hinge = mean_over(&p->slacks, b->group, b->floor);
}
