/* marginals.h - how sure the labels of least energy are: by how much the least energy rises if variables must take another
 * label (math.md, 5.6).
 *
 *     double rise[2 * N];
 *     sos_min_marginals(e, N, NULL, NULL, NULL, labels, rise, NULL, NULL, &error);    of every variable
 *
 * rise[2 * i + 1] - rise[2 * i] is then the min-marginal difference of variable i, min { E : y_i = 1 } - min { E : y_i = 0 }:
 * one of the two is 0, and the other one says how sure the label is.  Every rise is the difference of two minima that are found
 * exactly, as sos_minimize finds them, by one flow each, which goes on from the last one. */
#ifndef SOS_MARGINALS_H
#define SOS_MARGINALS_H

#include <sos/minimize.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sos_marginals_settings {
    int bits;             /* as in sos_minimize_settings */
    size_t memory_limit;  /* bytes that the minimizer of a thread may hold; 0: no limit */
    sos_work work;        /* groups are distributed over the threads, each of which has a copy of the energy; progress is called
                             before every flow */
    uint64_t reserved[8]; /* 0 (status.h) */
} sos_marginals_settings;

/* No memory limit, all cores, no callback. */
SOS_API sos_marginals_settings sos_marginals_defaults(void);

typedef struct sos_marginals_result {
    double energy;      /* sos_energy_value of the labels */
    double lower_bound; /* of all labellings, as in sos_minimize_result */
    double doubt;   /* no rise is farther than this from the exact one, sums of doubles aside: the largest difference between
                       an energy that was found and the lower bound that proves it; 0 for integer costs */
    uint64_t flows; /* minimisations after the first one */
    size_t bytes;   /* held by all minimizers and copies */
    uint64_t reserved[8]; /* 0 (status.h) */
} sos_marginals_result;

/* Minimises e, and finds for each of so many groups of variables by how much the least energy rises if all of them have label
 * 0, rises[2 * g], or label 1, rises[2 * g + 1]: 0 if they have it in labels, INFINITY if one of them is fixed to the other
 * label.
 *
 * The members of group g are variables[start[g]] to variables[start[g + 1] - 1]; start has groups + 1 numbers.  start NULL:
 * every group is one variable, variables[g], or, if that is NULL as well, variable g.  labels receives the smallest minimiser,
 * n labels; rises receives 2 * groups numbers.
 *
 * most, if not NULL, receives for every variable a bound on how far its own rise goes: the least of the rises that were found
 * with its label changed; INFINITY if none was.  It is the exact rise for a variable that is a group of its own.
 *
 * settings, result and error may be NULL.  The outcome does not depend on the number of threads, nor the rises of a group on
 * what other groups there are.  On failure or cancellation labels, rises and most are unchanged. */
SOS_MUST_USE SOS_API sos_status sos_min_marginals(const sos_energy *e, size_t groups, const size_t start[],
                                                  const uint32_t variables[], const sos_marginals_settings *settings,
                                                  uint8_t labels[], double rises[], double most[], sos_marginals_result *result,
                                                  sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
