/* relax.h - how good is a labelling with several labels?  A bound by relaxation (math.md, 13.7).
 *
 *     sos_expand(e, NULL, labels, NULL, &error);
 *     sos_relax(e, NULL, labels, &result, &error);    result.lower_bound <= min E <= result.energy
 *
 * Every label chooses its set of variables for itself, an energy with two labels that is minimised exactly; prices of variables
 * are changed, round by round, until few are wanted by several labels or by none.  Each round gives a bound, and often a
 * labelling.  It takes as many minima a round as there are labels: for small energies, and for knowing. */
#ifndef SOS_RELAX_H
#define SOS_RELAX_H

#include <sos/expand.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sos_relax_settings {
    size_t rounds;        /* at most */
    double gap;           /* stop where energy - lower_bound is at most this share of |energy| */
    sos_work work;        /* threads serve the labels; progress is called before every round */
    uint64_t reserved[8]; /* 0 (status.h) */
} sos_relax_settings;

/* 200 rounds, gap 1e-9, all cores, no callback. */
SOS_API sos_relax_settings sos_relax_defaults(void);

typedef struct sos_relax_result {
    double energy;      /* sos_multi_energy_value of the labels */
    double lower_bound; /* no labelling costs less */
    bool exact;         /* the labels are a minimum, but for rounding: all variables were wanted by one label, or both meet */
    size_t rounds;
    size_t bytes; /* held at most, besides the energy itself */
    double seconds;
    uint64_t reserved[8]; /* 0 (status.h) */
} sos_relax_result;

/* Bounds the least energy from below.  labels has n labels on entry, such as those of sos_expand, and the best that were found
 * on return: never worse.  settings, result and error may be NULL.  When the callback stops it (SOS_CANCELLED), labels and
 * result hold what was reached so far. */
SOS_MUST_USE SOS_API sos_status sos_relax(const sos_multi_energy *e, const sos_relax_settings *settings, uint8_t labels[],
                                          sos_relax_result *result, sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
