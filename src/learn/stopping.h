/* stopping.h - when training ends (math.md, 12.7): the gap, epsilon, rounds that come no further, what may be used, people. */
#ifndef SOS_LEARN_STOPPING_H
#define SOS_LEARN_STOPPING_H

#include <sos/learn.h>

#include "base/share.h"

/* Where the objective can still be: of the examples that take part. */
typedef struct sos_bounds {
    double primal, dual;
} sos_bounds;

/* (primal - dual) / primal. */
double sos_bounds_gap(sos_bounds b);

/* Whether training has come to an end, and by what. */
typedef struct sos_verdict {
    bool ended;
    sos_train_outcome outcome;
} sos_verdict;

typedef struct sos_stopping {
    const sos_train_settings *settings; /* borrowed */
    double called;                      /* when this call of training began */
    double written;                     /* when the checkpoint was */

    /* What a checkpoint keeps. */
    uint64_t fruitless; /* rounds since one found anything */
    uint64_t stale;     /* rounds since bounds moved, */
    sos_bounds mark;    /* and where they were then */
} sos_stopping;

/* Bounds are forgotten, and whether they move is watched anew. */
void sos_stopping_forget(sos_stopping *s);

/* Something has changed: rounds may come further again. */
void sos_stopping_hope(sos_stopping *s);

/* Is the gap small enough?  The subset, alone, need not come as close. */
bool sos_stopping_is_near(const sos_stopping *s, sos_bounds b, bool on_subset);

/* Notes what a round came to.  fruitful: it found better weights, or a plane that the program did not know. */
void sos_stopping_note_round(sos_stopping *s, sos_bounds b, bool fruitful);

/* Have rounds come no further for so long that something else should be tried? */
bool sos_stopping_is_stuck(const sos_stopping *s);

/* What the last round found ends training, or not.  epsilon stands against shortfall, by which its planes exceed those known.
 */
sos_verdict sos_stopping_judge(const sos_stopping *s, sos_bounds b, double C, double shortfall, bool on_subset);

/* What clocks and people say.  Clocks are those of the first process; any process can stop. */
typedef struct sos_votes {
    int64_t stop, late, due; /* stopped by a callback; the seconds are used up; it is time for a checkpoint */
} sos_votes;

/* Tells callbacks of a round, and hears all processes. */
sos_status sos_stopping_vote(const sos_stopping *s, sos_share *share, const sos_train_round *round, sos_votes *v,
                             sos_error *error);

/* Ends training if this round was the last that is allowed, or somebody says so. */
sos_verdict sos_stopping_judge_limits(const sos_stopping *s, uint64_t round, const sos_votes *v);

#endif
