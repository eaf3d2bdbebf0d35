/* pass.h - passes over the examples: the oracle is asked at some weights, or what it said before is recalled; what the answers
 * of all processes come to.
 *
 * Processes share the examples (base/share.h): of single examples each has its own only, all else is the same on all. */
#ifndef SOS_LEARN_PASS_H
#define SOS_LEARN_PASS_H

#include <sos/learn.h>

#include "base/share.h"
#include "learn/planes.h"
#include "learn/slacks.h"

/* What answers before know of other weights: as an oracle's violate, without minimising, and not the most violated one.  *known
 * is false, and nothing else set, where they know nothing. */
typedef struct sos_recaller {
    void *user;
    size_t answers; /* of each example, the last ones, on which it depends */
    sos_status (*recall)(void *user, size_t i, const double w[], double difference[], double *loss, bool *known,
                         sos_error *error); /* or NULL */
    void (*refine)(void *user);             /* from now on the oracle misses as little as it can, at whatever cost; or NULL */
} sos_recaller;

/* Whom a question went to: the subset; all that take part; the rest, at the weights that the subset was asked at last. */
typedef enum sos_whom { SOS_ASK_SUBSET, SOS_ASK_ALL, SOS_ASK_REST } sos_whom;

typedef struct sos_pass {
    sos_share *share;         /* borrowed */
    const sos_oracle *oracle; /* borrowed */
    sos_recaller recaller;
    size_t weights, cache_most; /* planes that caches keep, of all examples */
    int threads;
    sos_slacks slacks;
    size_t own;        /* examples that this process has, */
    size_t *mine;      /* [own] and which, ascending */
    size_t *asked_now; /* [own] those of the question that is being asked */

    /* The last answers. */
    double *difference, *loss, *missed; /* [own * weights], [own], [own] what the oracle, or a cache, returned */
    double *slack;                      /* [own] at the weights that were asked at */
    double *sums;                       /* [groups * (weights + 3)] of all processes: sos_pass_sum */
    double *recalled;                   /* [own] how much each one's most violated cached plane is violated */
    bool *improved;                     /* [own] a cached plane was better than the oracle's */

    /* What a checkpoint keeps. */
    sos_planes cache; /* planes of own examples, the oldest first, */
    uint64_t cached;  /* and how many all processes have */
    sos_planes asked; /* the weights of the last questions; group: whom they went to */
    uint64_t oracle_calls, cache_hits, beaten;
    uint64_t approximate; /* the oracle has no bound on what it missed, or was found out */
    uint64_t precise;     /* it answers with as many bits as it has: what it missed was all that was left */
    double seconds;       /* asking */

    double busy, span; /* seconds that processes asked, and that the slowest took, times their number; of this call */
} sos_pass;

/* On this process: the others are met in sos_pass_check only. */
sos_status sos_pass_create(sos_pass *p, sos_share *share, const sos_oracle *oracle, sos_recaller recaller, size_t weights,
                           const sos_train_settings *settings, sos_error *error);
void sos_pass_free(sos_pass *p); /* also where creating it failed */

/* Have all processes the same problem, and each example one of them? */
sos_status sos_pass_check(const sos_pass *p, uint64_t identity, sos_error *error);

/* Which of this process's examples example i is; own: it is another's. */
size_t sos_pass_place(const sos_pass *p, size_t i);

/* ---- asking (pass.c) ---- */

/* Asks those that take part, of groups from first on, at w. */
sos_status sos_pass_ask(sos_pass *p, const double w[], size_t first, sos_error *error);

/* Notes that so much was asked at w, where answers are recalled. */
sos_status sos_pass_note_question(sos_pass *p, const double w[], sos_whom whom, sos_error *error);

/* Asks the last questions again, and does nothing with the answers: what can be recalled is then as it was. */
sos_status sos_pass_replay(sos_pass *p, sos_error *error);

/* From now on the oracle misses as little as it can. */
void sos_pass_refine(sos_pass *p);

/* Puts counts and times into a report. */
void sos_pass_report(const sos_pass *p, sos_train_round *r);

/* ---- what answers come to (pass_answers.c) ---- */

/* Sums, over the examples of each group that takes part, what the oracle, or the caches, answered on all processes: planes,
 * losses, slacks at w, which are set too, and what may have been missed. */
sos_status sos_pass_sum(sos_pass *p, const double w[], sos_error *error);

/* Those sums of a group. */
static inline double *sos_pass_sums(const sos_pass *p, size_t g) { return p->sums + g * (p->weights + 3); }
static inline double sos_pass_loss(const sos_pass *p, size_t g) { return sos_pass_sums(p, g)[p->weights]; }
static inline double sos_pass_slack(const sos_pass *p, size_t g) { return sos_pass_sums(p, g)[p->weights + 1]; }
static inline double sos_pass_missed(const sos_pass *p, size_t g) { return sos_pass_sums(p, g)[p->weights + 2]; }

/* The mean plane of a group: a, and returns b. */
double sos_pass_plane(const sos_pass *p, size_t g, double a[]);

/* sums[g]: of one number per own example, over all processes. */
sos_status sos_pass_sum_numbers(const sos_pass *p, const double of_own[], double sums[], sos_error *error);

/* ---- planes of single examples that are kept (pass_cache.c) ---- */

/* Puts each example's most violated plane at w, of those that are cached and of what can be recalled, in the place of what the
 * oracle would say; where an example has none its true labelling, which violates nothing. */
sos_status sos_pass_recall(sos_pass *p, const double w[], sos_error *error);

/* What an approximate oracle said gives way to a plane that it, or one like it, has found before and that is more violated. */
sos_status sos_pass_improve(sos_pass *p, const double w[], sos_error *error);

/* Keeps the answers of a round, of groups from first on; the oldest rounds go as long as there are settings.cache planes per
 * example without them. */
sos_status sos_pass_keep(sos_pass *p, size_t first, uint64_t round, sos_error *error);

#endif
