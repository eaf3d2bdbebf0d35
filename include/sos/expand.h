/* expand.h - minimising energies with several labels by expansion moves (paper, section 4.4; math.md, 13).
 *
 *     sos_expand(e, NULL, labels, &result, &error);
 *
 * An expansion of label a lets every variable keep its label or take a.  The best expansion is the minimum of an energy with
 * two labels, which is found exactly.  Moves are made until no expansion of any label lowers the energy.  With two labels
 * that is the minimum; with more it is a local one. */
#ifndef SOS_EXPAND_H
#define SOS_EXPAND_H

#include <sos/minimize.h>
#include <sos/multi_energy.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sos_expand_start {
    SOS_EXPAND_UNARIES, /* every variable starts with the label that costs it least by itself, the first such */
    SOS_EXPAND_LABELS   /* from the labelling that labels[] holds on entry */
} sos_expand_start;

typedef struct sos_expand_settings {
    sos_expand_start start;
    const uint8_t *order; /* all labels in the order they are tried, or NULL: 0, 1, 2, ... */
    bool shuffle;         /* another order for every sweep over the labels, drawn by seed */
    uint64_t seed;        /* for shuffle */
    size_t sweeps;        /* over all labels, at most; 0: until nothing changes */
    bool reduce;          /* leave out of a move what the costs alone decide; the moves are the same */
    int bits;             /* as in sos_minimize_settings */
    size_t memory_limit;  /* bytes that the moves may hold, besides the energy itself; 0: no limit */
    sos_work work;        /* one thread serves; progress is called before and during every move */
    uint64_t reserved[8]; /* 0 (status.h) */
} sos_expand_settings;

/* From unaries, labels in order, until nothing changes, reduce, no limit, no callback. */
SOS_API sos_expand_settings sos_expand_defaults(void);

typedef struct sos_expand_result {
    double energy;       /* sos_multi_energy_value of the labels */
    double start_energy; /* of the labelling it started from */
    double lower_bound;  /* sos_multi_energy_lower_bound: no labelling costs less */
    double factor;       /* with the least energy min E: energy - lower_bound <= factor (min E - lower_bound), if converged.
                            INFINITY: nothing is guaranteed; 1: the minimum */
    double rounding;     /* as in sos_minimize_result, the most of all moves */
    bool converged;      /* no expansion lowers the energy, but for rounding of sums; else sweeps were used up */
    bool exact;          /* a minimum, but for rounding: there are two labels, or the lower bound is attained */
    uint64_t sweeps, moves, successes, skipped; /* moves tried, those that lowered the energy, and labels not tried because
                                                   nothing had changed since the last time */
    uint64_t variables;                         /* that took part in moves, summed over moves */
    size_t bytes;                               /* held at most, besides the energy itself */
    double seconds;
    uint64_t reserved[8]; /* 0 (status.h) */
} sos_expand_result;

/* Lowers the energy by expansion moves; labels receives n labels.  settings, result and error may be NULL.  When the callback
 * stops it (SOS_CANCELLED), labels and result hold what was reached so far. */
SOS_MUST_USE SOS_API sos_status sos_expand(const sos_multi_energy *e, const sos_expand_settings *settings, uint8_t labels[],
                                           sos_expand_result *result, sos_error *error);

/* An expander keeps its memory, and that of the minimizer of its moves, from one run to the next.  The answers are those of
 * sos_expand: it remembers nothing of an energy.  With a memory limit a run begins with nothing.  One thread at a time. */
typedef struct sos_expander sos_expander;

SOS_MUST_USE SOS_API sos_status sos_expander_create(sos_expander **out, sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_expander_run(sos_expander *x, const sos_multi_energy *e,
                                                 const sos_expand_settings *settings, uint8_t labels[],
                                                 sos_expand_result *result, sos_error *error);
SOS_API void sos_expander_free(sos_expander *x); /* NULL is fine */

#ifdef __cplusplus
}
#endif

#endif
