/* learn.h - structural SVM training under hard submodularity constraints (paper, section 4; math.md, 9 to 12).
 *
 *     minimise  1/2 |w|^2 + C/n sum_i xi_i   over w in the model's cone,
 *     xi_i >= Delta(y_i, y) - w . (Psi(x_i, y) - Psi(x_i, y_i))  for all y
 *
 * where |w|^2 is the sum over groups of the stiffness times the squared weights; settings.from replaces w by w - w0 in it.  The
 * minimum is found by cutting planes: every round solves the quadratic program over the planes found so far, calls an oracle
 * for the most violated constraint of every example, and adds it.  The weights of every round are submodular in exact
 * arithmetic. */
#ifndef SOS_LEARN_H
#define SOS_LEARN_H

#include <sos/model.h>
#include <sos/work.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The state of a training after a round. */
typedef struct sos_train_round {
    size_t round;    /* from 1; along a path, of the current C */
    size_t examples; /* for which the oracle was called in this round: all, or the training subset */
    double C;
    double primal; /* the least objective of any weights so far, proven by their oracle calls; infinite until the oracle has
                      been called for all examples.  With an approximate oracle it counts the violations found so far, and may
                      rise */
    double dual;   /* a lower bound on the objective of all weights; 0 until the oracle has been called for all examples */
    double gap;    /* (primal - dual) / primal; 1 until the oracle has been called for all examples */
    double hinge;  /* mean slack of this round's weights, which bounds the training loss from above.  In a round that uses the
                      training subset only, after one that used all examples: that of the best weights */
    double loss;   /* mean loss of the most violated labellings of the last round that used all examples */
    size_t planes; /* in the quadratic program */
    size_t oracle_calls, cache_hits;            /* so far: minimisations, and planes taken from caches instead */
    double seconds, seconds_oracle, seconds_qp; /* so far */
    double seconds_left;                        /* estimated from how the gap shrinks; negative: unknown */
    bool approximate; /* the oracle does not always find the most violated constraint: slacks may be larger than
                         primal and gap assume */
    size_t beaten;    /* so far: answers of such an oracle that were less violated than a plane found earlier */
    const sos_error *checkpoint_error; /* why the last checkpoint could not be written; NULL: no failure.  Valid in the
                                          callback; NULL in results */
    double idle;           /* with several ranks: the fraction of oracle time that they spend waiting for the slowest, in this
                              call */
    double seconds_shared; /* that this rank spent in operations of the communicator in this call, including waiting */
    uint64_t bytes_shared; /* that this rank passed to them */
    uint64_t reserved[8];  /* 0 (status.h) */
} sos_train_round;

/* Called after every round.  Return false to cancel: the call then returns SOS_CANCELLED, with the best weights so far. */
typedef bool sos_train_watch(void *user, const sos_train_round *round);

typedef enum sos_train_outcome {
    SOS_TRAIN_GAP,     /* the duality gap is small enough */
    SOS_TRAIN_EPSILON, /* no constraint is violated by more than epsilon */
    SOS_TRAIN_ROUNDS,  /* the limit on rounds was reached */
    SOS_TRAIN_SECONDS, /* the limit on seconds was reached */
    SOS_TRAIN_STOPPED, /* cancelled by the callback */
    SOS_TRAIN_STALLED  /* further rounds neither find better weights nor raise the bound within the precision of doubles: the
                          gap cannot be reduced */
} sos_train_outcome;

typedef struct sos_train_settings {
    double C;
    size_t slacks;  /* number of slack variables that the examples share: 1 is the paper's 1-slack formulation, one per example
                       (or more) its n-slack.  0: the fastest as measured: one slack for the training subset (every fifth
                       example), which is used first, and one for the others; a single slack for fewer than 5 examples */
    double gap;     /* stop at this relative duality gap ... */
    double epsilon; /* ... or when no slack is exceeded by more than this (0: off) */
    size_t rounds;  /* maximal number of rounds for each C, including those before a checkpoint (0: no limit) */
    double seconds; /* maximal duration of this call (0: no limit) */
    double step;    /* call the oracle at best + step * (optimum of the planes - best); 1: the plain cutting-plane method */
    size_t cache;   /* planes per example that are tried before the oracle is called, and, with two labels, labellings that are
                       combined from its last answers; 0: none */
    size_t idle;    /* rounds after which an inactive plane is dropped from the quadratic program; 0: never */
    double qp_gap;  /* relative duality gap of the quadratic program, or a tenth of gap if that is less */
    bool warm;      /* minimisations start from the flow of the previous round */
    size_t memory;  /* bytes that the flows kept for this may take; 0: no limit.  Where they would take more, none is kept, and
                       minimisations start cold, or, where large regions and counts are all cliques but pairs, from the last
                       labels */
    sos_work work;  /* progress is called after every round; threads are those of each rank; communicator: see below */
    const char *checkpoint; /* file for the state, or NULL; if it exists, training resumes from it.  It is written from time to
                               time, and when training ends early: by rounds, seconds, the callback or an error */
    double checkpoint_seconds; /* between two checkpoints */
    sos_train_watch *watch;    /* or NULL; receives work.user */
    const double *from;  /* weights w0 in the cone, or NULL: 0.  The objective then has 1/2 |w - w0|^2: training stays near
                            w0 */
    const double *start; /* weights in the cone, or NULL: the first round calls the oracle at these, for example at those of a
                            similar model.  They affect the time, not the optimum; along a path they are for the first C */
    size_t searches;     /* with more than two labels: the oracle's answer is the best of this many searches by expansion moves,
                            with different starts and orders of labels; 0: one */
    size_t
        exhaustive; /* for examples with at most this many labellings the oracle tries all of them, which is exact; 0: none */
    size_t relax; /* with more than two labels: up to this many rounds of sos_relax bound what the searches missed, so that the
                     optimum lies between primal and dual; each takes one minimisation per label.  0: no bound */
    sos_device device; /* with two labels: where examples are minimised whose energies a graphics card takes (minimize.h), all
                          of a round together; the weights are the same */
    uint64_t reserved[7]; /* 0 (status.h) */
} sos_train_settings;

/* C = 1, gap 1e-3, and the fastest settings as measured (docs/benchmarks.md). */
SOS_API sos_train_settings sos_train_defaults(void);

typedef struct sos_train_result {
    sos_train_outcome outcome;
    sos_train_round last;
    bool approximate; /* as in the last round */
    bool learned;     /* the oracle was called for all examples, and the weights differ from 0 (from), or 0 (from) is the
                         optimum.  false: training ended too early; the weights are useless, or from some examples only */
    bool zero;        /* the optimum is w = 0 (settings.from): nothing can be learned from these examples with this C */
    bool resumed;     /* from a checkpoint */
    sos_error checkpoint_error; /* why the last checkpoint could not be written; status SOS_OK: no failure */
    uint64_t reserved[8];       /* 0 (status.h) */
} sos_train_result;

/* Training on several ranks.  With a communicator each process calls the same function at the same time, with the same model,
 * settings and number of examples, and holds some of the examples: examples[i] is NULL if another rank has example i.  Each
 * rank calls the oracle for its own examples; rank 0 solves the quadratic programs and writes the checkpoint.  All ranks end
 * with the same model, which is bit for bit that of a single process.  Callbacks are called on all ranks, and any that returns
 * false cancels all; a failure on one rank is a failure on all.  settings.work.threads are those of each rank. */

/* Trains the model's weights on examples made for its groups, with truths.  With more than two labels the oracle is sos_expand,
 * which is approximate, unless all labellings of all examples are tried (exhaustive).  On SOS_OK the model has the best weights
 * found; on SOS_CANCELLED as well, and result is set with the outcome SOS_TRAIN_STOPPED.  settings, result and error may be
 * NULL.
 *
 * If the checkpoint cannot be written before the first round, the call fails with SOS_ERR_IO.  A later failure to write it is
 * not an error, but is reported in rounds and in the result. */
SOS_MUST_USE SOS_API sos_status sos_train(sos_model *m, size_t count, sos_example *const examples[],
                                          const sos_train_settings *settings, sos_train_result *result, sos_error *error);

/* One C of a path. */
typedef struct sos_path_point {
    double C;
    sos_train_result result;
    double validation_loss; /* mean loss of predictions on the validation examples; NaN without any */
    uint64_t reserved[8];   /* 0 (status.h) */
} sos_path_point;

/* Trains for values_count values of C, which must increase, each starting from the planes found for the previous ones; path[i]
 * receives the result of values[i], within settings->gap as if trained alone.  If the known planes suffice for a value, it
 * takes no minimisation at all.  The path takes fewer minimisations than a separate training for each value, but two to three
 * times those of the most expensive one (docs/benchmarks.md).  The model receives the weights with the least validation loss
 * (of the least such C), or, without validation examples, those of the last C; *best receives the number of that C. settings->C
 * is not used.  On SOS_CANCELLED the same holds for the values that were started; the others are not trained, and the last
 * round of their path[i] is 0. */
SOS_MUST_USE SOS_API sos_status sos_train_path(sos_model *m, size_t count, sos_example *const examples[],
                                               size_t validation_count, sos_example *const validation[], size_t values_count,
                                               const double values[], const sos_train_settings *settings, sos_path_point path[],
                                               size_t *best, sos_error *error);

/* Cross-validation, for choosing C without validation examples: example i belongs to fold i % folds, 2 <= folds <= count; each
 * fold is evaluated with models trained on all others, for values_count values of C, which must increase.  losses[i] receives
 * the mean loss over all examples with values[i], *best the number of the least; both may be NULL.  The model is unchanged:
 * train it with the C that was chosen.  settings->C and settings->checkpoint are not used; on SOS_CANCELLED nothing is chosen.
 */
SOS_MUST_USE SOS_API sos_status sos_train_folds(const sos_model *m, size_t count, sos_example *const examples[], size_t folds,
                                                size_t values_count, const double values[], const sos_train_settings *settings,
                                                double losses[], size_t *best, sos_error *error);

/* Mean loss of the model's predictions.  losses, of count entries, and work may be NULL.  With a communicator the examples are
 * distributed over ranks, as in training: all ranks receive the mean, and each the losses of its own examples, 0 elsewhere. */
SOS_MUST_USE SOS_API sos_status sos_evaluate(const sos_model *m, size_t count, sos_example *const examples[],
                                             const sos_work *work, double losses[], double *mean, sos_error *error);

/* ---- custom oracles ---- */

/* An oracle for energies that are not given as sos_examples.  Calls for different examples may come from different threads.  An
 * oracle that returns SOS_CANCELLED cancels training as the callback does; its answers for that round are ignored. */
typedef struct sos_oracle {
    size_t examples;
    void *user;
    /* Fills difference, as many numbers as the model has weights, with Psi(x_i, y) - Psi(x_i, y_i), and *loss with
     * Delta(y_i, y), for the y that makes *loss - w . difference largest.  *missed: a bound on how much larger it could be
     * (0: exact); it counts in the primal value. */
    sos_status (*violate)(void *user, size_t i, const double w[], double difference[], double *loss, double *missed,
                          sos_error *error);
    /* The oracle does not always find that y, and has no bound on what it missed.  Its answer is then replaced by the example's
     * most violated cached plane if that is more violated, and violations that later answers reveal are added to the slacks of
     * the best weights; primal and gap are relative to this oracle, and marked as approximate.  An oracle that does not declare
     * this, but is found to miss violations, is treated in the same way from then on. */
    bool approximate;
    /* With several ranks: whether this rank answers for example i; exactly one must.  NULL: rank i % size. */
    bool (*has)(void *user, size_t i);
    /* Called before violate is, for these examples of this rank, count of them, all at w: an oracle that answers many together
     * does so here, and violate fetches the answers.  NULL: each is asked alone. */
    sos_status (*prepare)(void *user, size_t count, const size_t which[], const double w[], sos_error *error);
    uint64_t reserved[7]; /* 0 (status.h) */
} sos_oracle;

SOS_MUST_USE SOS_API sos_status sos_train_oracle(sos_model *m, const sos_oracle *oracle, const sos_train_settings *settings,
                                                 sos_train_result *result, sos_error *error);

/* ---- examples that do not fit into memory ---- */

/* Examples that are made when needed, once a round, and then freed: at most one per thread exists at a time. */
typedef struct sos_example_source {
    size_t count;
    void *user;
    /* Makes example i, with its truth, for the model being trained; the same every time.  Called from any thread. */
    sos_status (*make)(void *user, size_t i, sos_example **out, sos_error *error);
    /* With several ranks: whether this rank answers for example i; exactly one must.  NULL: rank i % size. */
    bool (*has)(void *user, size_t i);
    uint64_t identity;    /* a hash of the data, the same on all ranks; training resumes only from a checkpoint of the same */
    uint64_t reserved[8]; /* 0 (status.h) */
} sos_example_source;

/* Like sos_train, with the same resulting model: minimisations start cold, which does not change their results.  (With more
 * than two labels, if all examples are small enough for trying all labellings, sos_train reports an exact oracle, and
 * sos_train_source an approximate one.) */
SOS_MUST_USE SOS_API sos_status sos_train_source(sos_model *m, const sos_example_source *source,
                                                 const sos_train_settings *settings, sos_train_result *result,
                                                 sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
