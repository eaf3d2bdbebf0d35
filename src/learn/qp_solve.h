/* qp_solve.h - the two ways to solve a quadratic program: with doubles, and with wide numbers where these do not suffice. */
#ifndef SOS_LEARN_QP_SOLVE_H
#define SOS_LEARN_QP_SOLVE_H

#include "learn/qp.h"

sos_status sos_qp_solve_double(sos_qp *qp, size_t count, sos_qp_plane planes[], sos_error *error);
sos_status sos_qp_solve_wide(sos_qp *qp, size_t count, sos_qp_plane planes[], sos_error *error);

#endif
