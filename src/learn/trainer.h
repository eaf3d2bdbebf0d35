/* trainer.h - a training, by its parts.
 *
 *     pass       the examples: asking the oracle, recalling answers, sums over all processes
 *     master     the planes so far, their program and its bound
 *     best       the best weights, whose objective is the other bound
 *     ahead      where the training subset says that the optimum will be
 *     stopping   when it is enough
 *
 * A round (round.c) takes them in turn; training for one C (train.c) and for several (path.c) are rounds until one is the last.
 */
#ifndef SOS_LEARN_TRAINER_H
#define SOS_LEARN_TRAINER_H

#include "base/lock.h"
#include "learn/ahead.h"
#include "learn/best.h"
#include "learn/master.h"
#include "learn/pass.h"
#include "learn/stopping.h"

/* How far a round has come: nothing is done; the program is solved; the aim is taken.  One that failed goes on from there. */
enum { SOS_ROUND_NEW, SOS_ROUND_SOLVED, SOS_ROUND_AIMED };

/* Of a path: what the values of C before this one gave, and the weights chosen among theirs. */
typedef struct sos_trainer_path {
    uint64_t point;         /* which C */
    sos_path_point *points; /* [point] */
    size_t room;
    uint64_t chosen;
    double *kept; /* [weights] */
} sos_trainer_path;

typedef struct sos_trainer {
    const sos_layout *layout;
    sos_train_settings settings;
    sos_pass pass;
    sos_master master;
    sos_best best;
    sos_ahead ahead;
    sos_stopping stopping;
    sos_trainer_path path;

    uint64_t identity;      /* of the layout and the examples, which a checkpoint must agree with */
    uint64_t round, rounds; /* of this C; of all */
    uint64_t pending;       /* how far the round has come */
    sos_train_round last;   /* what the last round reported */
    double *trial;          /* [weights] where the round asks */
    double seconds, began;  /* so far, but for what has passed since then */

    sos_error checkpoint_error; /* why the last checkpoint could not be written */
    sos_lock lock;              /* of the checkpoint, on the process that has it */
} sos_trainer;

/* data: a hash of what the examples are, as far as that is known. */
sos_status sos_trainer_create(sos_trainer *t, sos_share *share, const sos_layout *layout, const sos_oracle *oracle,
                              sos_recaller recaller, uint64_t data, const sos_train_settings *settings, sos_error *error);
void sos_trainer_free(sos_trainer *t);

/* Reads the checkpoint, if there is one. */
sos_status sos_trainer_begin(sos_trainer *t, bool *resumed, sos_error *error);

/* A new C: planes, caches and, unless the subset goes first, the best weights stay; bounds do not.  The subset goes first where
 * it is the first C, or nothing can be recalled. */
void sos_trainer_next_C(sos_trainer *t, double C);

void sos_trainer_forget_bounds(sos_trainer *t);

/* Rounds until a reason to stop holds (round.c). */
sos_status sos_trainer_run(sos_trainer *t, sos_train_result *result, sos_error *error);

/* Training for one C (train.c).  data: as above. */
sos_status sos_train_with(sos_model *m, sos_share *share, const sos_oracle *oracle, sos_recaller recaller, uint64_t data,
                          const sos_train_settings *settings, sos_train_result *result, sos_error *error);

/* SOS_CANCELLED where training was stopped. */
sos_status sos_train_status(const sos_train_result *r, sos_error *error);

/* ---- checkpoints (checkpoint.c) ---- */

/* Writes the state, by rename; reads it back, refusing what is damaged or of another problem.  All processes call them; the
 * first has the file, which is the same for any number of them. */
sos_status sos_checkpoint_write(sos_trainer *t, const char *path, sos_error *error);
sos_status sos_checkpoint_read(sos_trainer *t, const char *path, bool *found, sos_error *error);

#endif
