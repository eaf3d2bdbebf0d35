/* expand.h - minimisation of energies with several labels by expansion moves (paper, section 4.4; math.md, 13).
 *
 *     sos_expand(e, NULL, labels, &result, &error);
 *
 * An expansion of label a lets every variable either keep its label or take a.  The best expansion is the minimum of an energy
 * with two labels, which is found exactly.  Moves are made until no expansion of any label lowers the energy.  With two labels
 * the result is the minimum; with more it is a local minimum. */
#ifndef SOS_EXPAND_H
#define SOS_EXPAND_H

#include <sos/minimize.h>
#include <sos/multi_energy.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sos_expand_start {
    SOS_EXPAND_UNARIES, /* every variable starts with the label of least unary cost, the first of several */
    SOS_EXPAND_LABELS   /* from the labelling in labels[] on entry */
} sos_expand_start;

typedef struct sos_expand_settings {
    sos_expand_start start;
    const uint8_t *order; /* all labels in the order in which they are tried, or NULL: 0, 1, 2, ... */
    bool shuffle;         /* use another random order for every sweep over the labels */
    uint64_t seed;        /* of shuffle */
    size_t sweeps;        /* maximal number of sweeps over all labels; 0: until nothing changes */
    bool reduce;          /* leave variables out of a move whose label follows from the costs alone; the moves are the same */
    int bits;             /* as in sos_minimize_settings */
    size_t memory_limit;  /* bytes that the moves may hold, besides the energy itself; 0: no limit */
    sos_work work;        /* one thread is used; progress is called before and during every move */
    uint64_t reserved[8]; /* 0 (status.h) */
} sos_expand_settings;

/* Start from unaries, labels in order, until nothing changes, reduce, no memory limit, no callback. */
SOS_API sos_expand_settings sos_expand_defaults(void);

typedef struct sos_expand_result {
    double energy;       /* sos_multi_energy_value of the labels */
    double start_energy; /* of the labelling it started from */
    double lower_bound;  /* sos_multi_energy_lower_bound: no labelling costs less */
    double factor;       /* if converged: energy - lower_bound <= factor (min E - lower_bound), where min E is the least energy.
                            INFINITY: no guarantee; 1: the minimum */
    double rounding;     /* as in sos_minimize_result, the maximum over all moves */
    bool converged;      /* no expansion lowers the energy, up to rounding of sums; false: the limit on sweeps was reached */
    bool exact;          /* a minimum, up to rounding: there are two labels, or energy equals lower_bound */
    uint64_t sweeps, moves, successes, skipped; /* moves: tried; successes: moves that lowered the energy; skipped: labels not
                                                   tried because nothing had changed since the last time */
    uint64_t variables;                         /* number of variables in all moves together */
    size_t bytes;                               /* peak memory, besides the energy itself */
    double seconds;
    uint64_t reserved[8]; /* 0 (status.h) */
} sos_expand_result;

/* Lowers the energy by expansion moves; labels receives n labels.  settings, result and error may be NULL.  On SOS_CANCELLED
 * labels and result hold the best labelling so far. */
SOS_MUST_USE SOS_API sos_status sos_expand(const sos_multi_energy *e, const sos_expand_settings *settings, uint8_t labels[],
                                           sos_expand_result *result, sos_error *error);

/* An expander keeps its memory, and that of its minimizer, from one run to the next.  Results are those of sos_expand: nothing
 * of an earlier energy is used.  With a memory limit every run releases that memory first.  Only one thread may use an expander
 * at a time. */
typedef struct sos_expander sos_expander;

SOS_MUST_USE SOS_API sos_status sos_expander_create(sos_expander **out, sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_expander_run(sos_expander *x, const sos_multi_energy *e,
                                                 const sos_expand_settings *settings, uint8_t labels[],
                                                 sos_expand_result *result, sos_error *error);
SOS_API void sos_expander_free(sos_expander *x); /* NULL is allowed */

#ifdef __cplusplus
}
#endif

#endif
