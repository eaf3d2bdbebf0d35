/* best.h - the best weights so far, and what is known of their slacks (math.md, 12.4 and 12.8). */
#ifndef SOS_LEARN_BEST_H
#define SOS_LEARN_BEST_H

#include "learn/master.h"

typedef struct sos_best {
    /* What a checkpoint keeps. */
    double primal;         /* least proven objective for this C */
    double hinge;          /* mean slack at the best weights; negative: there are none yet */
    double missed;         /* and what the oracle may have missed there */
    double *slack;         /* [own] slack of each at the best weights, as far as answers since have shown */
    double *group, *floor; /* [groups] their sums over all examples; what planes say of their mean, at least */
    double *weights;       /* [weights] */

    double *trial_group, *trial_floor; /* [groups] the same of weights that may become the best */
} sos_best;

sos_status sos_best_create(sos_best *b, const sos_pass *p, sos_error *error);
void sos_best_free(sos_best *b); /* also where creating it failed */

static inline bool sos_best_is_known(const sos_best *b) { return b->hinge >= 0; }
static inline void sos_best_forget(sos_best *b) { b->hinge = -1; }

/* The least value of any weights seen: proven, or, if the oracle is approximate, as far as is known by now.  It is the primal
 * bound of training. */
double sos_best_value(const sos_best *b, const sos_master *m, const sos_pass *p);

/* Mean slack at w, where all were asked; where the oracle is approximate, from the planes of the program too. */
double sos_best_trial_hinge(sos_best *b, const sos_master *m, const sos_pass *p, const double w[]);

/* The best weights are those with the least value: takes w, whose hinge was just found, if it is that, and says whether. */
bool sos_best_take(sos_best *b, const sos_master *m, const sos_pass *p, const double w[], double hinge);

/* What the last answers show of the best weights, if the oracle is approximate. */
sos_status sos_best_raise(sos_best *b, const sos_pass *p, sos_error *error);

/* An oracle that let the bound pass the objective is approximate, whatever it said. */
void sos_best_find_out(sos_best *b, const sos_master *m, sos_pass *p);

#endif
