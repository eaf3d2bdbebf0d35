/* learn.h - structural SVM training under hard submodularity constraints (paper, section 4; math.md, 9 to 12).
 *
 *     minimise  1/2 |w|^2 + C/n sum_i xi_i   over w in the model's cone,
 *     xi_i >= Delta(y_i, y) - w . (Psi(x_i, y) - Psi(x_i, y_i))  for all y
 *
 * where |w|^2 is the sum over groups of their stiffness times the squares of their weights, less those of a model to stay near
 * (settings, from).  It is found
 * by cutting planes: every round solves the quadratic program over the planes found so far, asks an oracle for the most
 * violated constraint of every example, and adds it.  The weights of every round are submodular in exact arithmetic. */
#ifndef SOS_LEARN_H
#define SOS_LEARN_H

#include <sos/model.h>
#include <sos/work.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a round reports, and, for the last one, training as a whole. */
typedef struct sos_train_round {
    size_t round;    /* from 1; along a path, of the current C */
    size_t examples; /* that took part: at first, and before all are asked, perhaps a few only */
    double C;
    double primal; /* the least objective of any weights seen, proven by their oracle calls; infinite until all examples were
                      asked.  Of an approximate oracle: as far as it, and all planes, know, so that it may rise */
    double dual;   /* no weights have a smaller objective; 0 until all were asked */
    double gap;    /* (primal - dual) / primal; 1 until all were asked */
    double hinge;  /* mean slack of this round's weights: the upper bound on the training loss that is minimised.  Once all were
                      asked, of a round that does not ask all: of the best weights */
    double loss;   /* mean loss of this round's most violated labellings, of the last that were of all */
    size_t planes; /* in the quadratic program */
    size_t oracle_calls, cache_hits;            /* so far: minimisations, and planes taken from caches instead */
    double seconds, seconds_oracle, seconds_qp; /* so far */
    double seconds_left;                        /* estimated from how the gap shrinks; negative: unknown */
    bool approximate;                  /* primal and gap are against an oracle that does not always find the most violated
                                          constraint: there may be larger slacks than those they count */
    size_t beaten;                     /* so far: answers of such an oracle that a plane found before was better than */
    const sos_error *checkpoint_error; /* why the last checkpoint could not be written; NULL: it could, or there was none. Valid
                                          in the callback; NULL in results */
    double idle;           /* of several ranks: which share of their time, while oracles are asked, they wait for the slowest;
                              of this call of training */
    double seconds_shared; /* that this rank spent in operations of the communicator, waiting included; of this call */
    uint64_t bytes_shared; /* that it put into them */
    uint64_t reserved[8];  /* 0 (status.h) */
} sos_train_round;

/* Called after every round; returns false to stop: the call returns SOS_CANCELLED, with the best weights so far. */
typedef bool sos_train_watch(void *user, const sos_train_round *round);

typedef enum sos_train_outcome {
    SOS_TRAIN_GAP,     /* the duality gap is small enough */
    SOS_TRAIN_EPSILON, /* no constraint is violated by more than epsilon */
    SOS_TRAIN_ROUNDS,  /* rounds or seconds are used up */
    SOS_TRAIN_SECONDS,
    SOS_TRAIN_STOPPED, /* by the callback */
    SOS_TRAIN_STALLED  /* rounds neither find better weights nor raise the bound, by more than doubles can tell: the gap is what
                          remains */
} sos_train_outcome;

typedef struct sos_train_settings {
    double C;
    size_t slacks;  /* how many slack variables the examples share: 1 is the paper's 1-slack, one per example (or more) its
                       n-slack; 0: as measured best: every fifth example shares one and is learned first, the others
                       share another; one for all where there are fewer than 5 examples */
    double gap;     /* stop at this relative duality gap ... */
    double epsilon; /* ... or when no slack is wrong by more than this (0: off) */
    size_t rounds;  /* at most, of each C, those before a checkpoint included (0: no limit) */
    double seconds; /* at most, of this call (0: no limit) */
    double step;    /* ask the oracle at best + step * (optimum of the planes - best): 1 is the plain method */
    size_t cache;   /* planes per example that are tried before the oracle is asked, and, with two labels, labellings that are
                       put together from its last answers; 0: none */
    size_t idle;    /* rounds after which an inactive plane leaves the program; 0: it stays */
    double qp_gap;  /* relative duality gap of the quadratic program, or a tenth of gap if that is less */
    bool warm;      /* minimisations start from the flow of the round before */
    size_t memory;  /* bytes that flows kept for that may take; 0: no limit */
    sos_work work;  /* progress is called after every round; threads are those of each rank; communicator: see below */
    const char *checkpoint;    /* file for the state, or NULL; if it is there, training resumes from it.  It is written now and
                                  then, and when training ends before its goal: by rounds, seconds, the callback or an error */
    double checkpoint_seconds; /* between writing it */
    sos_train_watch *watch;    /* or NULL; gets work.user */
    const double *from;        /* weights w0 in the cone, or NULL: 0.  The objective has 1/2 |w - w0|^2: learn away from them */
    const double *start; /* weights in the cone, or NULL: the first round asks the oracle at these, such as those of a model
                            that is near.  It changes the way, not the optimum; along a path it is that of the first C */
    size_t searches;   /* of more than two labels: the oracle's answer is the best of so many searches by expansion moves, from
                          different starts and with labels in different orders; 0: one */
    size_t exhaustive; /* examples with no more labellings than this are answered by trying all, which is exact; 0: none */
    size_t relax; /* of more than two labels: so many rounds of sos_relax, at most, bound what searches may have missed, so that
                     the optimum lies between primal and dual; each takes as many minima as there are labels.  0: no bound */
    uint64_t reserved[8]; /* 0 (status.h) */
} sos_train_settings;

/* C = 1, gap 1e-3, everything else as measured best (docs/benchmarks.md). */
SOS_API sos_train_settings sos_train_defaults(void);

typedef struct sos_train_result {
    sos_train_outcome outcome;
    sos_train_round last;
    bool approximate; /* as in the last round */
    bool learned;     /* all examples were asked, and the weights are not 0 (from), or that is the optimum.  Else training ended
                         before it had anything to show: the weights are no better than none, or come from some examples only */
    bool zero;        /* the optimum is w = 0, or settings.from: nothing can be learned from these examples with this C */
    bool resumed;     /* from a checkpoint */
    sos_error checkpoint_error; /* why the last checkpoint could not be written; status SOS_OK: it could, or there was none */
    uint64_t reserved[8];       /* 0 (status.h) */
} sos_train_result;

/* Training together.  With a communicator of several ranks each process calls the same function at the same time, with the same
 * model, settings and number of examples, and has some of the examples: examples[i] is NULL where another rank has example i.
 * Each asks the oracle for its own; rank 0 solves the programs, and has the checkpoint.  All ranks end with the same model,
 * which is, to the last bit, that of one process.  Callbacks are called on all ranks, and any that returns false stops all;
 * what fails on one fails on all.  settings.work.threads are those of each rank. */

/* Trains the model's weights on examples made for its groups, with truths.  With more than two labels the oracle is sos_expand,
 * which is approximate, unless all labellings of all examples are tried (exhaustive).  On SOS_OK the model has the best weights
 * seen; on SOS_CANCELLED too, and result is set: the outcome is SOS_TRAIN_STOPPED.  settings, result and error may be NULL.
 *
 * A checkpoint that cannot be written later on is no error; rounds and result say so.  One that could not be written from the
 * start is: SOS_ERR_IO before the first round. */
SOS_MUST_USE SOS_API sos_status sos_train(sos_model *m, size_t count, sos_example *const examples[],
                                          const sos_train_settings *settings, sos_train_result *result, sos_error *error);

/* One C of a path. */
typedef struct sos_path_point {
    double C;
    sos_train_result result;
    double validation_loss; /* mean loss of predictions on the validation examples; NaN without any */
    uint64_t reserved[8];   /* 0 (status.h) */
} sos_path_point;

/* Trains for values_count values of C, which must increase, each from what those before found; path[i] receives what values[i]
 * gave, within settings->gap as if it were trained alone.  A value for which those before have found enough ends with no
 * minimisation at all.  The path takes fewer minimisations than a training for each value, but two to three times those of the
 * dearest one (docs/benchmarks.md).  The model gets the weights with the least validation loss (of the first such C), or,
 * without validation examples, those of the last C.  *best receives its number.  settings->C is not used.  On SOS_CANCELLED the
 * same holds of the values that were begun; path[i] of the others is not trained: its last round is 0. */
SOS_MUST_USE SOS_API sos_status sos_train_path(sos_model *m, size_t count, sos_example *const examples[],
                                               size_t validation_count, sos_example *const validation[], size_t values_count,
                                               const double values[], const sos_train_settings *settings, sos_path_point path[],
                                               size_t *best, sos_error *error);

/* Cross-validation, where there are no examples to choose C by: example i belongs to fold i % folds, of which there are 2 to
 * count; each fold is judged by models that learned from all others, for values_count values of C, which must increase.
 * losses[i] receives the mean loss of all examples with values[i], *best the number of the least; both may be NULL.  The model
 * stays as it is: train it with the C that was found.  Of settings C and checkpoint are not used; on SOS_CANCELLED nothing is
 * chosen. */
SOS_MUST_USE SOS_API sos_status sos_train_folds(const sos_model *m, size_t count, sos_example *const examples[], size_t folds,
                                                size_t values_count, const double values[], const sos_train_settings *settings,
                                                double losses[], size_t *best, sos_error *error);

/* Mean loss of the model's predictions.  losses, of count entries, and work may be NULL.  With a communicator the examples lie
 * on several ranks, as for training: all of them get the mean, and each the losses of its own, 0 elsewhere. */
SOS_MUST_USE SOS_API sos_status sos_evaluate(const sos_model *m, size_t count, sos_example *const examples[],
                                             const sos_work *work, double losses[], double *mean, sos_error *error);

/* ---- another model's oracle ---- */

/* For people whose energies are not sos_examples.  The calls for different examples may come from different threads.  An oracle
 * that returns SOS_CANCELLED stops training as the callback does; what it returned for the round does not count. */
typedef struct sos_oracle {
    size_t examples;
    void *user;
    /* Fills difference, as many numbers as the model has weights, with Psi(x_i, y) - Psi(x_i, y_i), and *loss with
     * Delta(y_i, y), for the y that makes *loss - w . difference largest.  *missed: a bound on how much larger it could be
     * (0: exact); it counts in the primal value. */
    sos_status (*violate)(void *user, size_t i, const double w[], double difference[], double *loss, double *missed,
                          sos_error *error);
    /* It does not always find that y, and has no bound on what it missed.  Then its answer is replaced by the example's most
     * violated cached plane where that is more violated, and what later answers show of the best weights is added to their
     * slacks; primal and gap are against this oracle, which rounds and the result say.  An oracle that is not called so, but
     * found out, is treated so from then on. */
    bool approximate;
    /* Of several ranks: does this one answer for example i?  One and only one must.  NULL: rank i % size does. */
    bool (*has)(void *user, size_t i);
    uint64_t reserved[8]; /* 0 (status.h) */
} sos_oracle;

SOS_MUST_USE SOS_API sos_status sos_train_oracle(sos_model *m, const sos_oracle *oracle, const sos_train_settings *settings,
                                                 sos_train_result *result, sos_error *error);

/* ---- examples that do not fit into memory ---- */

/* Examples that are made when they are asked, once a round, and freed: as many are there at a time as there are threads. */
typedef struct sos_example_source {
    size_t count;
    void *user;
    /* Makes example i, with its truth, for the model that is trained; the same each time.  Called from any thread. */
    sos_status (*make)(void *user, size_t i, sos_example **out, sos_error *error);
    /* Of several ranks: does this one answer for example i?  NULL: rank i % size does. */
    bool (*has)(void *user, size_t i);
    uint64_t identity;    /* of what the examples are made from, the same on all ranks: a checkpoint must agree with it */
    uint64_t reserved[8]; /* 0 (status.h) */
} sos_example_source;

/* As sos_train, to the same model: minimisations start cold, which changes no bit.  (Of more than two labels, where all
 * examples are small enough to be answered by trying all, sos_train knows that its oracle is exact, and this does not.) */
SOS_MUST_USE SOS_API sos_status sos_train_source(sos_model *m, const sos_example_source *source,
                                                 const sos_train_settings *settings, sos_train_result *result,
                                                 sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
