/* trainer.h - the state of cutting-plane training, and the file that keeps it. */
#ifndef SOS_LEARN_TRAINER_H
#define SOS_LEARN_TRAINER_H

#include <sos/learn.h>

#include "learn/qp.h"

/* A plane of a group of examples, or a cached one of a single example. */
typedef struct sos_cut {
    double *a; /* owned */
    double b;
    uint32_t group; /* or example */
    uint32_t idle;  /* rounds since its multiplier was last over 0 */
    double multiplier;
} sos_cut;

typedef struct sos_cuts {
    sos_cut *list;
    size_t count, room;
} sos_cuts;

/* Who takes part: the scouts alone, all for the first time, at the weights of the scouts, or all. */
enum { SOS_STAGE_SCOUTS, SOS_STAGE_FIRST, SOS_STAGE_ALL };

/* All that a checkpoint keeps: with it, training goes on as if it had never stopped. */
typedef struct sos_trainer_state {
    uint64_t identity; /* of the layout and the examples */
    uint64_t point;    /* which C of a path */
    double C;
    uint64_t stage;         /* who takes part */
    uint64_t round, rounds; /* of this C; of all */
    uint64_t oracle_calls, cache_hits;
    uint64_t fruitless; /* rounds since one found anything */
    double seconds, seconds_oracle, seconds_qp;
    double dual;             /* best bound for this C */
    double primal;           /* least proven objective for this C */
    double best_hinge;       /* mean slack at the best weights; negative: none yet */
    double best_missed;      /* and what the oracle may have missed there */
    double *best, *optimum;  /* [d] best weights seen; optimum of the last program */
    double *cone_multiplier; /* [rows] */
    sos_cuts planes, cache;

    /* Of a path: what the values of C before this one gave, and the weights chosen among theirs. */
    sos_path_point *points; /* [point] */
    size_t points_room;
    uint64_t chosen;
    double *kept; /* [d] */
} sos_trainer_state;

typedef struct sos_trainer {
    const sos_layout *layout;
    const sos_oracle *oracle;
    sos_train_settings settings;
    sos_cone cone;
    size_t examples, groups;
    bool scouts; /* group 0 goes first, alone */
    int threads;
    double *cost;                       /* [groups] C times the group's share of the examples */
    double *xi;                         /* [groups] */
    double *trial;                      /* [d] weights of the round */
    double *difference, *loss, *missed; /* [examples * d], [examples], [examples] what the oracle returned */
    size_t known;                       /* planes before those of the round */
    sos_trainer_state state;
    double written; /* when the checkpoint was */
    double began;
} sos_trainer;

bool sos_cuts_add(sos_cuts *cuts, size_t d, const double a[], double b, uint32_t group);
void sos_cuts_free(sos_cuts *cuts);

/* Writes the state, by rename; reads it back, refusing what is damaged or of another problem. */
sos_status sos_checkpoint_write(const sos_trainer *t, const char *path, sos_error *error);
sos_status sos_checkpoint_read(sos_trainer *t, const char *path, bool *found, sos_error *error);

#endif
