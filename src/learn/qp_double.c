/* qp_double.c - quadratic programs with doubles. */
#define REAL             double
#define REAL_MAX         INFINITY
#define REAL_IS_WIDE     0
#define plane_dot        sos_dot
#define planes_dot       sos_dot
#define real_dot         sos_dot
#define plane_axpy       sos_axpy
#define real_axpy        sos_axpy
#define gram_add         sos_gram_add
#define cholesky         sos_cholesky
#define solve_lower      sos_solve_lower
#define solve_lower_rows sos_solve_lower_rows
#define solve_upper      sos_solve_upper
#include "learn/qp_interior.h"

sos_status sos_qp_solve_double(sos_qp *qp, size_t count, sos_qp_plane planes[], sos_error *error)
{
    return interior_solve(qp, count, planes, error);
}
