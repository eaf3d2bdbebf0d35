/* relax.h - a lower bound on energies with several labels, by Lagrangian relaxation (math.md, 13.7).
 *
 *     sos_expand(e, NULL, labels, NULL, &error);
 *     sos_relax(e, NULL, labels, &result, &error);    result.lower_bound <= min E <= result.energy
 *
 * Every label chooses its set of variables independently: the minimum of an energy with two labels, which is found exactly.
 * Prices of variables are adjusted, round by round, until few variables are chosen by several labels or by none.  Each round
 * gives a lower bound, and often a labelling.  A round takes one exact minimisation per label, so this is for small energies,
 * and for judging the result of sos_expand. */
#ifndef SOS_RELAX_H
#define SOS_RELAX_H

#include <sos/expand.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sos_relax_settings {
    size_t rounds;        /* maximal number of rounds */
    double gap;           /* stop when energy - lower_bound is at most this fraction of |energy| */
    sos_work work;        /* labels are distributed over the threads; progress is called before every round */
    uint64_t reserved[8]; /* 0 (status.h) */
} sos_relax_settings;

/* 200 rounds, gap 1e-9, all cores, no callback. */
SOS_API sos_relax_settings sos_relax_defaults(void);

typedef struct sos_relax_result {
    double energy;      /* sos_multi_energy_value of the labels */
    double lower_bound; /* no labelling costs less */
    bool exact;         /* the labels are a minimum, up to rounding: every variable was chosen by exactly one label, or energy
                           and lower_bound meet */
    size_t rounds;
    size_t bytes; /* peak memory, besides the energy itself */
    double seconds;
    uint64_t reserved[8]; /* 0 (status.h) */
} sos_relax_result;

/* Computes a lower bound on the least energy.  labels has n labels on entry, such as those of sos_expand; on return it has the
 * best labelling found, which is never worse.  settings, result and error may be NULL.  On SOS_CANCELLED labels and result hold
 * the best labelling and bound so far. */
SOS_MUST_USE SOS_API sos_status sos_relax(const sos_multi_energy *e, const sos_relax_settings *settings, uint8_t labels[],
                                          sos_relax_result *result, sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
