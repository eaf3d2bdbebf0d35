/* qp.h - the quadratic program of a round:
 *
 *     minimise  1/2 |w - z|^2 + sum_g c_g xi_g   subject to   a_k . w + xi_g(k) >= b_k,   xi >= 0,   G w >= 0
 *
 * by a primal-dual interior-point method (Mehrotra, 1992) whose linear systems are as small as the program's structure
 * allows: one factor per block of the cone, and one of the size of the number of planes (math.md, 11). */
#ifndef SOS_LEARN_QP_H
#define SOS_LEARN_QP_H

#include "learn/cone.h"

typedef struct sos_qp_plane {
    const double *a; /* weights */
    double b;
    uint32_t group;
    double multiplier; /* in: where to start from; out */
} sos_qp_plane;

typedef struct sos_qp {
    const sos_cone *cone;
    size_t groups;
    const double *cost;   /* [groups] c_g > 0 */
    const double *centre; /* [weights] z, in the cone; NULL: 0 */
    double gap;           /* relative duality gap to reach */
    int threads;

    double *w;               /* [weights] in: where to start from; out: the optimum, in the cone to rounding */
    double *cone_multiplier; /* [rows of the cone] in, out */
    bool warm;               /* w and the multipliers are worth starting from */
    bool wide;               /* with numbers of 113 digits: slow, for programs that doubles do not solve (sos_qp_has_wide) */

    double primal, dual; /* out; dual is a lower bound whatever the accuracy */
    size_t iterations;
} sos_qp;

/* SOS_OK, SOS_ERR_MEMORY.  Where rounding keeps it from reaching the gap it returns the best it has. */
sos_status sos_qp_solve(sos_qp *qp, size_t count, sos_qp_plane planes[], sos_error *error);

/* Are there wide numbers, and is the program small enough for them? */
bool sos_qp_has_wide(const sos_qp *qp, size_t count);

/* 1/2 |w - z|^2. */
double sos_qp_norm(const sos_qp *qp, const double w[]);

/* The value of w for the planes, xi being the least that they allow. */
double sos_qp_value(const sos_qp *qp, size_t count, const sos_qp_plane planes[], const double w[], double xi[]);

#endif
