#include "learn/master.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/threads.h"
#include "learn/dense.h"

void sos_master_free(sos_master *m)
{
    sos_cone_free(&m->cone);
    free(m->stiffness);
    free(m->root);
    free(m->cost);
    free(m->xi);
    free(m->optimum);
    free(m->cone_multiplier);
    sos_planes_free(&m->planes);
}

static double stiffness_of(const sos_group *g) { return g->stiffness > 0 ? g->stiffness : 1; }

/* The stiffness of all weights, if one is not 1; false: no memory. */
static bool take_stiffness(sos_master *m, const sos_layout *layout)
{
    bool plain = true;
    for (size_t g = 0; g < layout->group_count; g++) plain &= stiffness_of(&layout->groups[g].spec) == 1;
    if (plain) return true;
    m->stiffness = sos_numbers(m->weights);
    m->root = sos_numbers(m->weights);
    if (!m->stiffness || !m->root) return false;
    for (uint32_t g = 0; g < layout->group_count; g++)
        for (size_t i = 0; i < sos_layout_group_weights(layout, g); i++) {
            const double stiffness = stiffness_of(&layout->groups[g].spec);
            m->stiffness[layout->groups[g].offset + i] = stiffness;
            m->root[layout->groups[g].offset + i] = sqrt(stiffness);
        }
    return true;
}

sos_status sos_master_create(sos_master *m, const sos_layout *layout, size_t groups, const sos_train_settings *settings,
                             sos_error *error)
{
    *m = (sos_master){ .weights = layout->weights,
                       .groups = groups,
                       .threads = sos_thread_count(settings->work.threads),
                       .gap = fmax(1e-12, fmin(settings->qp_gap, settings->gap / 10)),
                       .gap_coarse = fmax(settings->qp_gap, settings->gap / 10),
                       .from = settings->from };
    const sos_status status = sos_cone_create(layout, &m->cone, error);
    if (status) return status;
    m->cost = sos_numbers(groups);
    m->xi = sos_numbers(groups);
    m->optimum = sos_numbers(m->weights);
    m->cone_multiplier = sos_numbers(m->cone.row_count);
    if (take_stiffness(m, layout) && m->cost && m->xi && m->optimum && m->cone_multiplier) return SOS_OK;
    return sos_fail(error, SOS_ERR_MEMORY, "no memory for a program of %zu weights", layout->weights);
}

void sos_master_set_C(sos_master *m, double C, const sos_slacks *slacks)
{
    const double share = 1 / (double)sos_slacks_active_examples(slacks);
    m->C = C;
    for (size_t g = 0; g < m->groups; g++) m->cost[g] = 0;
    for (size_t i = 0; i < slacks->examples; i++) m->cost[sos_slacks_group(slacks, i)] += C * share;
}

/* ---- what weights cost ---- */

static double norm(const sos_master *m, const double w[])
{
    if (!m->from && !m->stiffness) return sos_dot(m->weights, w, w) / 2;
    double sum = 0;
    for (size_t i = 0; i < m->weights; i++) {
        const double away = w[i] - (m->from ? m->from[i] : 0);
        sum += (m->stiffness ? m->stiffness[i] : 1) * away * away;
    }
    return sum / 2;
}

double sos_master_objective(const sos_master *m, const double w[], double hinge) { return norm(m, w) + m->C * hinge; }

/* Repair moves weights by less than 1e-10 of the largest of their table (math.md, 10.3). */
static const double REPAIR_MOVES = 1e-10;

bool sos_master_is_origin(const sos_master *m, const double w[])
{
    const size_t d = m->weights;
    if (!m->from) return sos_dot(d, w, w) == 0;
    double away = 0;
    for (size_t i = 0; i < d; i++) away += (w[i] - m->from[i]) * (w[i] - m->from[i]);
    return away <= REPAIR_MOVES * REPAIR_MOVES * sos_dot(d, m->from, m->from);
}

void sos_master_step(const sos_master *m, const double from[], const double to[], double step, double w[])
{
    for (size_t i = 0; i < m->weights; i++) w[i] = from[i] + step * (to[i] - from[i]);
    sos_cone_repair(&m->cone, w);
}

/* ---- planes ---- */

void sos_master_floors(const sos_master *m, const double w[], double floor[])
{
    memset(floor, 0, m->groups * sizeof *floor);
    for (size_t k = 0; k < m->planes.count; k++) {
        const sos_plane *plane = &m->planes.list[k];
        floor[plane->group] = fmax(floor[plane->group], sos_plane_slack(plane, m->weights, w));
    }
}

double sos_master_shortfall(const sos_master *m, const double w[], size_t known)
{
    double worst = 0;
    memset(m->xi, 0, m->groups * sizeof *m->xi);
    for (size_t k = 0; k < m->planes.count; k++) {
        const sos_plane *plane = &m->planes.list[k];
        const double violation = sos_plane_slack(plane, m->weights, w);
        if (k >= known)
            worst = fmax(worst, violation - m->xi[plane->group]);
        else
            m->xi[plane->group] = fmax(m->xi[plane->group], violation);
    }
    return worst;
}

/* A plane that the program has already would only be in its way. */
sos_status sos_master_add_planes(sos_master *m, const sos_pass *p, sos_error *error)
{
    const size_t d = m->weights;
    double *a = malloc(d * sizeof *a);
    bool ok = a;
    for (size_t g = 0; ok && g < sos_slacks_active_groups(&p->slacks); g++) {
        const double b = sos_pass_plane(p, g, a);
        const bool empty = b == 0 && sos_dot(d, a, a) == 0;
        if (!empty && !sos_planes_has(&m->planes, d, a, b, (uint32_t)g)) ok = sos_planes_add(&m->planes, d, a, b, (uint32_t)g);
    }
    free(a);
    const sos_status status = ok ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for more planes");
    return sos_share_agree(p->share, status, error);
}

void sos_master_note_need(const sos_master *m, sos_plane *plane, double multiplier)
{
    plane->idle = multiplier > 1e-7 * m->cost[plane->group] ? 0 : plane->idle + 1;
}

/* ---- solving ---- */

/* With v = root w the norm is 1/2 |v - root from|^2, planes are a / root, and the cone stays what it is: every block of it has
 * one stiffness, and is a cone. */
sos_status sos_master_solve_planes(const sos_master *m, sos_qp *qp, size_t count, sos_qp_plane planes[], sos_error *error)
{
    const size_t d = m->weights;
    const double *from = m->from, *root = m->root;
    qp->centre = from;
    if (!root) return sos_qp_solve(qp, count, planes, error);
    double *room = count + 1 <= SIZE_MAX / sizeof *room / d ? malloc((count + 1) * d * sizeof *room) : NULL;
    sos_qp_plane *scaled = malloc((count ? count : 1) * sizeof *scaled);
    if (!room || !scaled) {
        free(room);
        free(scaled);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for a quadratic program of %zu planes", count);
    }
    for (size_t k = 0; k < count; k++) {
        double *a = room + (k + 1) * d;
        for (size_t i = 0; i < d; i++) a[i] = planes[k].a[i] / root[i];
        scaled[k] = planes[k];
        scaled[k].a = a;
    }
    for (size_t i = 0; i < d; i++) {
        room[i] = from ? root[i] * from[i] : 0;
        qp->w[i] *= root[i];
    }
    if (from) qp->centre = room;
    const sos_status status = sos_qp_solve(qp, count, scaled, error);
    for (size_t i = 0; i < d; i++) qp->w[i] /= root[i];
    for (size_t k = 0; k < count; k++) planes[k].multiplier = scaled[k].multiplier;
    qp->centre = NULL; /* it goes with the room */
    free(room);
    free(scaled);
    return status;
}

/* On the first process. */
static sos_status solve_here(sos_master *m, size_t groups, bool warm, sos_error *error)
{
    sos_qp_plane *planes = malloc((m->planes.count ? m->planes.count : 1) * sizeof *planes);
    if (!planes) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu planes", m->planes.count);
    size_t count = 0;
    for (size_t k = 0; k < m->planes.count; k++) {
        const sos_plane *plane = &m->planes.list[k];
        if (plane->group < groups) planes[count++] = (sos_qp_plane){ plane->a, plane->b, plane->group, plane->multiplier };
    }
    sos_qp qp = { .cone = &m->cone,
                  .groups = groups,
                  .cost = m->cost,
                  .gap = m->gap,
                  .threads = m->threads,
                  .w = m->optimum,
                  .cone_multiplier = m->cone_multiplier,
                  .warm = warm,
                  .wide = m->stiff };
    if (qp.wide) qp.wide = sos_qp_has_wide(&qp, count);
    const sos_status status = sos_master_solve_planes(m, &qp, count, planes, error);
    for (size_t k = 0, known = 0; !status && k < m->planes.count; k++)
        if (m->planes.list[k].group < groups) m->planes.list[k].multiplier = planes[known++].multiplier;
    free(planes);
    if (!status && qp.dual > m->dual) m->dual = qp.dual;
    return status;
}

/* What a program came to, from the first process to all: bound, optimum, multipliers. */
static sos_status share_outcome(sos_master *m, sos_share *share, sos_error *error)
{
    const size_t d = m->weights, count = m->planes.count;
    double *all = malloc((1 + d + count) * sizeof *all);
    sos_status status = all ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu planes", count);
    status = sos_share_agree(share, status, error);
    if (!status) {
        all[0] = m->dual;
        memcpy(all + 1, m->optimum, d * sizeof *all);
        for (size_t k = 0; k < count; k++) all[1 + d + k] = m->planes.list[k].multiplier;
        status = sos_share_broadcast(share, (1 + d + count) * sizeof *all, all, error);
    }
    if (!status) {
        m->dual = all[0];
        memcpy(m->optimum, all + 1, d * sizeof *all);
        for (size_t k = 0; k < count; k++) m->planes.list[k].multiplier = all[1 + d + k];
    }
    free(all);
    return status;
}

sos_status sos_master_solve(sos_master *m, const sos_pass *p, bool warm, sos_error *error)
{
    const size_t groups = sos_slacks_active_groups(&p->slacks);
    const double began = sos_seconds();
    sos_status status = sos_share_is_first(p->share) ? solve_here(m, groups, warm, error) : SOS_OK;
    status = sos_share_agree(p->share, status, error);
    if (!status) status = share_outcome(m, p->share, error);
    for (size_t k = 0; !status && k < m->planes.count; k++) {
        sos_plane *plane = &m->planes.list[k];
        if (plane->group < groups) sos_master_note_need(m, plane, plane->multiplier);
    }
    m->seconds += sos_seconds() - began;
    return status;
}
