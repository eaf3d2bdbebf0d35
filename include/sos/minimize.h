/* minimize.h - the exact minimum of a sum-of-submodular energy, with its proof.
 *
 *     sos_minimize(e, NULL, labels, &result, &error);
 *
 * Costs become integers inside (math.md, 6): integers stay what they are; reals are scaled by a power of two to about 60 bits,
 * in a way that keeps every table submodular.  So the flow that proves the minimum is exact, and the answer is the same on
 * every machine and for every number of threads.  Weights of cliques of 3 and more members are rounded to 26 bits (12 with
 * bits = 32) unless all of them are integers below 2^30. */
#ifndef SOS_MINIMIZE_H
#define SOS_MINIMIZE_H

#include <sos/energy.h>
#include <sos/work.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sos_start {
    SOS_START_COLD,
    SOS_START_FLOW,  /* from the flow of this minimizer's last run, if that was on the same energy with the same cliques;
                        unaries, tables, weights and fixed labels may have changed.  Else, where new costs
                        need another scale, or where a cold start is expected to be quicker, as SOS_START_COLD. */
    SOS_START_LABELS /* from the labelling that labels[] holds on entry: a guess that need not be good */
} sos_start;

typedef struct sos_minimize_settings {
    sos_start start;
    bool maximal;         /* among all minimisers return the largest set of ones, not the smallest */
    bool reduce;          /* decide what the costs alone decide before the flow starts, where that may pay: not among many
                             variables in pairs or cliques of 4 only, nor where several threads may serve */
    int bits;             /* 0: 32 where that holds all costs exactly, else 64.  32: always; costs that do not fit are rounded
                             to about 28 bits, and result->rounding says what that can do: faster where that is enough */
    size_t memory_limit;  /* bytes the minimizer may hold; 0: no limit */
    sos_work work;        /* several threads serve cold starts on large energies only (architecture.md) */
    uint64_t reserved[8]; /* 0 (status.h) */
} sos_minimize_settings;

/* Cold start, the minimal minimiser, reduction, no limit, no callback. */
SOS_API sos_minimize_settings sos_minimize_defaults(void);

typedef struct sos_minimize_result {
    double energy;      /* sos_energy_value of the labels */
    double lower_bound; /* of every labelling's energy, from the flow: never above the minimum, in exact arithmetic.  For
                           integer costs it equals energy; for others it may be less in the last places, as sums of doubles are
                           rounded.  -INFINITY: these sums are no numbers */
    double rounding;    /* bound on how far turning costs into integers moved any labelling's energy; 0: not at all.  The
                           labels cost at most twice as much more than the minimum */
    int bits;           /* 32 or 64: the integers of the flow */
    bool warm;          /* an earlier flow or labelling was used */
    uint64_t fixed;     /* variables decided before the flow */
    uint64_t augmentations, pushes, adoptions, growths;
    size_t bytes; /* held by the minimizer; the energy itself comes on top (sos_energy_bytes) */
    double seconds_build, seconds_reduce, seconds_solve;
    uint64_t reserved[8]; /* 0 (status.h) */
} sos_minimize_result;

/* Minimises e over the labels of its free variables; labels receives n labels.  settings, result and error may be NULL.  When
 * the callback stops it (SOS_CANCELLED), labels and result are left alone. */
SOS_MUST_USE SOS_API sos_status sos_minimize(const sos_energy *e, const sos_minimize_settings *settings, uint8_t labels[],
                                             sos_minimize_result *result, sos_error *error);

/* A minimizer keeps its memory, its network and its flow from one run to the next.  One thread at a time.  It remembers which
 * energy it solved only to recognise it; the energy may be freed or changed in between. */
typedef struct sos_minimizer sos_minimizer;

SOS_MUST_USE SOS_API sos_status sos_minimizer_create(sos_minimizer **out, sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_minimizer_run(sos_minimizer *m, const sos_energy *e, const sos_minimize_settings *settings,
                                                  uint8_t labels[], sos_minimize_result *result, sos_error *error);
SOS_API void sos_minimizer_free(sos_minimizer *m); /* NULL is fine */

/* Minimises count energies, each as sos_minimize would, shared out among the threads of settings->work.  labels[i] receives the
 * labels of energies[i]; results, of count entries, may be NULL.  On error (that of the first energy that failed, by number)
 * labels and results of the others are still set.
 *
 * progress is called from all of the threads, but by one at a time.  Once it has returned false it is not called again, no
 * further energy is begun, and those at work stop: labels and results of the energies that were done are set, those of the
 * others are left alone. */
SOS_MUST_USE SOS_API sos_status sos_minimize_batch(size_t count, const sos_energy *const energies[],
                                                   const sos_minimize_settings *settings, uint8_t *const labels[],
                                                   sos_minimize_result results[], sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
