/* trainer.h - the state of cutting-plane training, and the file that keeps it. */
#ifndef SOS_LEARN_TRAINER_H
#define SOS_LEARN_TRAINER_H

#include <sos/learn.h>

#include "base/ranks.h"
#include "base/lock.h"
#include "learn/qp.h"

/* A plane of a group of examples, or a cached one of a single example. */
typedef struct sos_cut {
    double *a; /* owned */
    double b;
    uint32_t group; /* or example */
    uint32_t idle;  /* rounds since its multiplier was last over 0 */
    double multiplier;
    uint64_t born; /* of a cached one: the round that found it, of all */
} sos_cut;

typedef struct sos_cuts {
    sos_cut *list;
    size_t count, room;
} sos_cuts;

/* What answers before know of other weights: as an oracle's violate, without minimising, and not the most violated one.  *known
 * is false, and nothing else set, where they know nothing. */
typedef struct sos_recaller {
    void *user;
    size_t answers; /* of each example, the last ones, on which it depends */
    sos_status (*recall)(void *user, size_t i, const double w[], double difference[], double *loss, bool *known,
                         sos_error *error); /* or NULL */
    void (*refine)(void *user);             /* from now on the oracle misses as little as it can, at whatever cost; or NULL */
} sos_recaller;

/* Who takes part: the subset alone, all for the first time, at the weights of the subset, or all. */
enum { SOS_STAGE_SUBSET, SOS_STAGE_FIRST, SOS_STAGE_ALL };

/* Whom a question goes to: the subset; all that take part; the rest, at the weights that the subset was asked at last. */
typedef enum sos_whom { SOS_ASK_SUBSET, SOS_ASK_ALL, SOS_ASK_REST } sos_whom;

/* How far a round has come: nothing is done; the program is solved; the aim is taken.  One that failed goes on from there. */
enum { SOS_ROUND_NEW, SOS_ROUND_SOLVED, SOS_ROUND_AIMED };

/* All that a checkpoint keeps: with it, training goes on as if it had never stopped. */
typedef struct sos_trainer_state {
    uint64_t identity; /* of the layout and the examples */
    uint64_t point;    /* which C of a path */
    double C;
    uint64_t stage;         /* who takes part */
    uint64_t round, rounds; /* of this C; of all */
    uint64_t pending;       /* how far the round has come */
    uint64_t oracle_calls, cache_hits, beaten;
    uint64_t fruitless;            /* rounds since one found anything */
    uint64_t stiff;                /* programs are solved with wide numbers: with doubles rounds came no further */
    uint64_t stale;                /* rounds since bounds moved */
    uint64_t precise;              /* the oracle answers with as many bits as it has: what it missed was all that was left */
    double mark_primal, mark_dual; /* where they were then */
    uint64_t approximate;          /* the oracle has no bound on what it missed, or was found out */
    double seconds, seconds_oracle, seconds_qp;
    double dual;             /* best bound for this C */
    double primal;           /* least proven objective for this C */
    double best_hinge;       /* mean slack at the best weights; negative: none yet */
    double best_missed;      /* and what the oracle may have missed there */
    double *best_slack;      /* [own] slack of each at the best weights, as far as answers since have shown */
    double *best_group;      /* [groups] their sums over the examples of all ranks */
    double *best_floor;      /* [groups] what the planes of the program say of their mean, at least */
    double *best, *optimum;  /* [d] best weights seen; optimum of the last program */
    sos_train_round last;    /* what the last round reported */
    double *cone_multiplier; /* [rows] */
    sos_cuts planes, cache;  /* the cache is that of this rank's examples */
    uint64_t cached;         /* planes in the caches of all ranks */
    sos_cuts asked;          /* the weights of the last questions; group: whom they went to */

    /* Of looking ahead. */
    uint64_t ahead;     /* questions to the subset since all were asked, */
    uint64_t ahead_off; /* which took too many: there are no more */
    uint64_t trusted;   /* the rest bent as the subset did when all were asked last */
    double ahead_begin; /* how far the first aim lay below the best objective */
    double aim_bound;   /* what the aim costs, as far as is known, */
    double *aim;        /* [d] and where it is */
    double *ahead_sums; /* [d + 3] of the last answers of the subset, as sos_trainer_group_sums */
    sos_cuts common;    /* the planes of the subset and of the rest when all were asked last, or none */

    /* Of a path: what the values of C before this one gave, and the weights chosen among theirs. */
    sos_path_point *points; /* [point] */
    size_t points_room;
    uint64_t chosen;
    double *kept; /* [d] */
} sos_trainer_state;

/* Of several ranks each has all of this, but for what is kept of single examples: of those it has its own. */
typedef struct sos_trainer {
    sos_ranks *ranks; /* borrowed */
    const sos_layout *layout;
    const sos_oracle *oracle;
    sos_recaller recaller;
    sos_train_settings settings;
    sos_cone cone;
    size_t examples, groups;
    size_t own;   /* examples that this rank has, */
    size_t *mine; /* [own] and which, ascending */
    bool subset;  /* group 0 goes first, alone */
    int threads;
    double *stiffness, *root;           /* [d] what the square of a weight costs, and the root of that; NULL: all 1 */
    double *cost;                       /* [groups] C times the group's share of the examples */
    double *xi;                         /* [groups] */
    double *trial;                      /* [d] weights of the round */
    double *difference, *loss, *missed; /* [own * d], [own], [own] what the oracle, or a cache, returned */
    double *cached;                     /* [own] how much each one's most violated cached plane is violated */
    bool *beaten;                       /* [own] a cached plane was better than the oracle's */
    double *slack, *group, *floor;      /* [own], [groups], [groups] as best_slack, best_group, best_floor, at the trial */
    double *sums;                       /* [groups * (d + 3)] of the answers of all ranks: sos_trainer_sum_answers */
    size_t known;                       /* planes before those of the round */
    bool gives_up;                      /* this round is the last that looked ahead */
    sos_trainer_state state;
    double written;             /* when the checkpoint was */
    double began;               /* what state.seconds does not have yet */
    double called;              /* when this call of training began */
    sos_error checkpoint_error; /* why the last checkpoint could not be written */
    sos_lock lock;              /* of the checkpoint, on rank 0 */
    double busy, span;          /* seconds that ranks asked oracles, and that the slowest took, times ranks; of this call */
} sos_trainer;

/* ---- lists of planes (cuts.c) ---- */

bool sos_cuts_add(sos_cuts *cuts, size_t d, const double a[], double b, uint32_t group);
bool sos_cuts_has(const sos_cuts *cuts, size_t d, const double a[], double b, uint32_t group);
void sos_cuts_drop_first(sos_cuts *cuts, size_t count);
void sos_cuts_drop_behind(sos_cuts *cuts, size_t count); /* but for the first so many */
void sos_cuts_drop_idle(sos_cuts *cuts, size_t idle);    /* those that have been idle for more rounds than that */
void sos_cuts_free(sos_cuts *cuts);

/* ---- the trainer (trainer.c) ---- */

/* data: a hash of what the examples are, as far as that is known. */
sos_status sos_trainer_create(sos_trainer *t, sos_ranks *ranks, const sos_layout *layout, const sos_oracle *oracle,
                              sos_recaller recaller, uint64_t data, const sos_train_settings *settings, sos_error *error);
void sos_trainer_free(sos_trainer *t);

/* Reads the checkpoint, if there is one. */
sos_status sos_trainer_begin(sos_trainer *t, bool *resumed, sos_error *error);

/* A new C: planes, caches and, unless the subset goes first, the best weights stay; bounds do not.  The subset goes first where it is the
 * first C, or nothing can be recalled. */
void sos_trainer_next_C(sos_trainer *t, double C);

/* From the subset to all examples: their weights are where to begin, their bounds say nothing. */
void sos_trainer_call_all(sos_trainer *t);

/* The group of an example, groups and examples that take part at this stage, examples in a group. */
uint32_t sos_trainer_group(const sos_trainer *t, size_t i);
size_t sos_trainer_active_groups(const sos_trainer *t);
bool sos_trainer_is_active(const sos_trainer *t, size_t i);
size_t sos_trainer_active_examples(const sos_trainer *t);
size_t sos_trainer_group_size(const sos_trainer *t, size_t g);

/* Which of this rank's examples example i is; own: it is another rank's. */
size_t sos_trainer_place(const sos_trainer *t, size_t i);

/* 1/2 |w|^2 + C hinge, |w| as the groups' stiffness and settings.from will have it. */
double sos_trainer_objective(const sos_trainer *t, const double w[], double hinge);

/* ---- answers (answers.c) ---- */

/* Sums, over the examples of each group that takes part, what the oracle, or the caches, answered on all ranks: planes, losses,
 * slacks at the trial, which are set too, and what may have been missed. */
sos_status sos_trainer_sum_answers(sos_trainer *t, sos_error *error);

/* Those sums of a group. */
static inline const double *sos_trainer_group_sums(const sos_trainer *t, size_t g)
{
    return t->sums + g * (t->layout->weights + 3);
}
static inline double sos_trainer_group_loss(const sos_trainer *t, size_t g)
{
    return sos_trainer_group_sums(t, g)[t->layout->weights];
}
static inline double sos_trainer_group_slack(const sos_trainer *t, size_t g)
{
    return sos_trainer_group_sums(t, g)[t->layout->weights + 1];
}
static inline double sos_trainer_group_missed(const sos_trainer *t, size_t g)
{
    return sos_trainer_group_sums(t, g)[t->layout->weights + 2];
}

/* sums[g]: of one number per own example, over all ranks. */
sos_status sos_trainer_sum_by_group(sos_trainer *t, const double of_own[], double sums[], sos_error *error);

/* ---- what weights cost by themselves (regulariser.c) ---- */

/* The stiffness of all weights, if one is not 1. */
sos_status sos_trainer_take_stiffness(sos_trainer *t, sos_error *error);

/* 1/2 sum_g stiffness_g |w_g - w0_g|^2. */
double sos_trainer_norm(const sos_trainer *t, const double w[]);

/* Are the weights those that cost nothing: 0, or settings.from? */
bool sos_trainer_is_origin(const sos_trainer *t, const double w[]);

/* Solves the program with that norm: in the unknowns sqrt(stiffness) w, where it is a plain one. */
sos_status sos_trainer_solve(const sos_trainer *t, sos_qp *qp, size_t count, sos_qp_plane planes[], sos_error *error);

/* ---- the best weights (best.c) ---- */

/* The least value of any weights seen: proven, or, if the oracle is approximate, as far as is known by now. */
double sos_trainer_primal(const sos_trainer *t);

/* What the planes of the program say of the mean slack of each group at w, at least. */
void sos_trainer_set_floors(const sos_trainer *t, const double w[], double floor[]);

/* Mean slack at the trial, from the answers; where the oracle is approximate, from the planes of the program too. */
double sos_trainer_trial_hinge(sos_trainer *t);

/* The best weights are those with the least value: takes the trial, if it is that, and says whether. */
bool sos_trainer_take_trial(sos_trainer *t, double hinge);

/* What the answers show of the best weights, if the oracle is approximate. */
sos_status sos_trainer_raise_best(sos_trainer *t, sos_error *error);

/* An oracle that let the bound pass the objective is approximate, whatever it said. */
void sos_trainer_find_out(sos_trainer *t);

/* ---- planes of single examples that are kept (plane_cache.c) ---- */

/* What an approximate oracle said gives way to a plane that it, or one like it, has found before and that is more violated. */
sos_status sos_trainer_improve_answers(sos_trainer *t, sos_error *error);

/* Puts each example's most violated plane at the trial, of those that are cached and of what can be recalled, in the place of
 * what the oracle would say; where an example has none its true labelling, which violates nothing. */
sos_status sos_trainer_answer_from_cache(sos_trainer *t, sos_error *error);

/* Keeps the answers of the round, of groups from first on; the oldest rounds go as long as there are settings.cache planes per
 * example without them. */
sos_status sos_trainer_fill_cache(sos_trainer *t, size_t first, sos_error *error);

/* ---- rounds (round.c, rounds.c) ---- */

/* Asks the last questions again, and does nothing with the answers: what can be recalled is then as it was. */
sos_status sos_trainer_replay(sos_trainer *t, sos_error *error);

/* Begins a round, unless one is pending: the program, and what caches know.  The bound is then what is known without asking. */
sos_status sos_trainer_round_begin(sos_trainer *t, sos_error *error);

/* The trial, and whom to ask there. */
sos_status sos_trainer_round_choose(sos_trainer *t, sos_whom *whom, sos_error *error);

/* The rest of it, with all or the rest: the oracle, new planes.  *hinge: mean slack of its weights; *better: they are the best
 * so far. */
sos_status sos_trainer_round(sos_trainer *t, sos_whom whom, double *hinge, bool *better, sos_error *error);

/* The rest of it, with the subset. */
sos_status sos_trainer_round_ahead(sos_trainer *t, sos_error *error);

/* The mean plane of a group, from the sums of the answers: a, and returns b. */
double sos_trainer_group_plane(const sos_trainer *t, size_t g, double a[]);

/* Adds that of each group that takes part. */
sos_status sos_trainer_add_planes(sos_trainer *t, sos_error *error);

/* Whether the last program needed a plane, by the plane's multiplier there. */
void sos_trainer_note_need(const sos_trainer *t, sos_cut *plane, double multiplier);

/* The trial: so far on the way from some weights to others, repaired. */
void sos_trainer_step(sos_trainer *t, const double from[], const double to[], double step);

/* ---- looking ahead (ahead.c) ---- */

bool sos_trainer_looks_ahead(const sos_trainer *t);

/* Where the optimum is expected, if the rest bends as the subset does. */
sos_status sos_trainer_aim(sos_trainer *t, sos_error *error);

/* Whom to ask, by the aim; the trial is set unless it is all. */
sos_whom sos_trainer_choose_ahead(sos_trainer *t);

/* All have been asked.  hoped: if the subset was first, the weights are the best, as they were expected to be. */
sos_status sos_trainer_note_common(sos_trainer *t, bool hoped, sos_error *error);

/* SOS_CANCELLED where training was stopped. */
sos_status sos_train_status(const sos_train_result *r, sos_error *error);

/* Training for one C (train.c).  data: a hash of what the examples are, as far as that is known. */
sos_status sos_train_with(sos_model *m, sos_ranks *ranks, const sos_oracle *oracle, sos_recaller recaller, uint64_t data,
                          const sos_train_settings *settings, sos_train_result *result, sos_error *error);

/* Rounds until a reason to stop holds. */
sos_status sos_trainer_run(sos_trainer *t, sos_train_result *result, sos_error *error);

/* ---- checkpoints (checkpoint.c) ---- */

/* Writes the state, by rename; reads it back, refusing what is damaged or of another problem.  All ranks call them; rank 0 has
 * the file, which is the same for any number of them. */
sos_status sos_checkpoint_write(sos_trainer *t, const char *path, sos_error *error);
sos_status sos_checkpoint_read(sos_trainer *t, const char *path, bool *found, sos_error *error);

#endif
