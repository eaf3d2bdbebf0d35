/* ahead.h - the training subset, asked ahead of the others (math.md, 12.5).
 *
 * Examples of one kind have much the same slack as a function of the weights: where they differ, a plane tells most of it.  So
 * the rest is expected to bend as the subset does, which is small: before all are asked, the subset finds where the sum of both
 * is least.  Expectations are in no bound. */
#ifndef SOS_LEARN_AHEAD_H
#define SOS_LEARN_AHEAD_H

#include "learn/best.h"

typedef struct sos_ahead {
    /* What a checkpoint keeps. */
    uint64_t questions; /* to the subset since all were asked, */
    uint64_t off;       /* which took too many: there are no more */
    uint64_t trusted;   /* the rest bent as the subset did when all were asked last */
    double begin;       /* how far the first aim lay below the best objective */
    double aim_bound;   /* what the aim costs, as far as is known, */
    double *aim;        /* [weights] and where it is */
    double *sums;       /* [weights + 3] of the last answers of the subset, as sos_pass_sums */
    sos_planes common;  /* the planes of the subset and of the rest when all were asked last, or none */

    bool gives_up; /* this round is the last that looked ahead */
} sos_ahead;

/* The parts of training that it looks at. */
typedef struct sos_ahead_view {
    sos_pass *pass;
    sos_master *master;
    const sos_best *best;
    double gap; /* that is wanted */
} sos_ahead_view;

sos_status sos_ahead_create(sos_ahead *a, size_t weights, sos_error *error);
void sos_ahead_free(sos_ahead *a); /* also where creating it failed */

/* Does it pay in this round of a C? */
bool sos_ahead_pays(const sos_ahead *a, const sos_ahead_view *v, uint64_t round);

/* Where the optimum is expected, if the rest bends as the subset does. */
sos_status sos_ahead_aim(sos_ahead *a, const sos_ahead_view *v, sos_error *error);

/* Whom to ask, by the aim; and, unless it is all, where: w. */
sos_whom sos_ahead_choose(sos_ahead *a, const sos_ahead_view *v, double w[]);

/* The subset has been asked: keeps what its answers come to.  Where the rest is asked at the same weights, they are put beside
 * its own. */
void sos_ahead_note_subset(sos_ahead *a, const sos_pass *p);
void sos_ahead_add_subset(const sos_ahead *a, sos_pass *p);

/* All have been asked, at w.  hoped: if the subset was first, the weights are the best, as they were expected to be. */
sos_status sos_ahead_note_all(sos_ahead *a, const sos_pass *p, const double w[], bool hoped, sos_error *error);

#endif
