/* qp.c - see qp.h: values, and whether doubles suffice. */
#include "learn/qp.h"

#include <math.h>

#include "learn/dense.h"
#include "learn/qp_solve.h"

double sos_qp_norm(const sos_qp *qp, const double w[])
{
    const size_t d = qp->cone->weights;
    if (!qp->centre) return sos_dot(d, w, w) / 2;
    double sum = 0;
    for (size_t i = 0; i < d; i++) sum += (w[i] - qp->centre[i]) * (w[i] - qp->centre[i]);
    return sum / 2;
}

double sos_qp_value(const sos_qp *qp, size_t count, const sos_qp_plane planes[], const double w[], double xi[])
{
    const size_t d = qp->cone->weights;
    for (size_t g = 0; g < qp->groups; g++) xi[g] = 0;
    for (size_t k = 0; k < count; k++) {
        const double slack = planes[k].b - sos_dot(d, planes[k].a, w);
        if (slack > xi[planes[k].group]) xi[planes[k].group] = slack;
    }
    double value = sos_qp_norm(qp, w);
    for (size_t g = 0; g < qp->groups; g++) value += qp->cost[g] * xi[g];
    return value;
}

sos_status sos_qp_solve(sos_qp *qp, size_t count, sos_qp_plane planes[], sos_error *error)
{
    qp->primal = count ? INFINITY : 0;
    qp->dual = 0; /* of no multipliers at all */
    qp->iterations = 0;
    if (count) return qp->wide ? sos_qp_solve_wide(qp, count, planes, error) : sos_qp_solve_double(qp, count, planes, error);
    for (size_t i = 0; i < qp->cone->weights; i++) qp->w[i] = qp->centre ? qp->centre[i] : 0;
    return SOS_OK;
}
