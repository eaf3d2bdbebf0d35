/* master.h - the master program of cutting planes: what weights cost, the planes so far, their optimum and bound (math.md, 11
 * and 12.1). */
#ifndef SOS_LEARN_MASTER_H
#define SOS_LEARN_MASTER_H

#include "learn/pass.h"
#include "learn/planes.h"
#include "learn/qp.h"

typedef struct sos_master {
    sos_cone cone;
    size_t weights, groups;
    int threads;
    double gap, gap_coarse;   /* that programs are solved to; that those are which only guide */
    const double *from;       /* [weights] where they cost nothing, borrowed; NULL: at 0 */
    double *stiffness, *root; /* [weights] what the square of a weight costs, and the root of that; NULL: all 1 */
    double *cost;             /* [groups] C times the group's share of the examples */
    double *xi;               /* [groups] */

    /* What a checkpoint keeps. */
    double C;
    sos_planes planes;
    double *optimum;         /* [weights] of the last program */
    double *cone_multiplier; /* [rows] */
    double dual;             /* best bound for this C */
    uint64_t stiff;          /* programs are solved with wide numbers: with doubles rounds came no further */
    double seconds;          /* solving */
} sos_master;

sos_status sos_master_create(sos_master *m, const sos_layout *layout, size_t groups, const sos_train_settings *settings,
                             sos_error *error);
void sos_master_free(sos_master *m); /* also where creating it failed */

/* What the slacks of those that take part cost. */
void sos_master_set_C(sos_master *m, double C, const sos_slacks *slacks);

/* 1/2 sum_g stiffness_g |w_g - from_g|^2 + C hinge. */
double sos_master_objective(const sos_master *m, const double w[], double hinge);

/* Are the weights those that cost nothing? */
bool sos_master_is_origin(const sos_master *m, const double w[]);

/* w: so far on the way from some weights to others, repaired (math.md, 10.3). */
void sos_master_step(const sos_master *m, const double from[], const double to[], double step, double w[]);

/* What the planes say of the mean slack of each group at w, at least. */
void sos_master_floors(const sos_master *m, const double w[], double floor[]);

/* By how much the planes behind the first so many are violated at w beyond those, at most. */
double sos_master_shortfall(const sos_master *m, const double w[], size_t known);

/* Adds the mean plane of each group that takes part, from the sums of a pass. */
sos_status sos_master_add_planes(sos_master *m, const sos_pass *p, sos_error *error);

/* Whether a program needed a plane, by the plane's multiplier there. */
void sos_master_note_need(const sos_master *m, sos_plane *plane, double multiplier);

/* Solves the program of the planes of those that take part: optimum, multipliers, bound.  warm: from the last ones. */
sos_status sos_master_solve(sos_master *m, const sos_pass *p, bool warm, sos_error *error);

/* Solves a program of any planes with the norm of this one; on one process. */
sos_status sos_master_solve_planes(const sos_master *m, sos_qp *qp, size_t count, sos_qp_plane planes[], sos_error *error);

#endif
