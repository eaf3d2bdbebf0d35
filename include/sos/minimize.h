/* minimize.h - the exact minimum of a sum-of-submodular energy, with its proof.
 *
 *     sos_minimize(e, NULL, labels, &result, &error);
 *
 * Costs are converted to integers internally (math.md, 6): integer costs are kept; real costs are scaled by a power of two to
 * about 60 bits, in a way that keeps every table submodular.  The flow that proves the minimum is therefore exact, and the
 * result is the same on every machine and for every number of threads.  Weights of cliques of 3 or more members are rounded to
 * 26 bits (12 with bits = 32) unless all of them are integers below 2^30. */
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
                        unaries, tables, weights and fixed labels may have changed.  Otherwise, if new costs need another
                        scale, or if a cold start is expected to be faster, as SOS_START_COLD. */
    SOS_START_LABELS /* from the labelling in labels[] on entry: a guess, which need not be good.  Saves most where concave
                        cliques are large and all others are pairs, and the guess is near */
} sos_start;

/* Where an energy is minimised; the labels are the same.  A graphics card takes grids with a table at each 2x2 patch, all of
 * them there, row by row, without weights, and grids of pairs of up to eight neighbours; both without fixed labels, maximal and
 * memory_limit.  The CPU takes what a card does not, or does not finish in time. */
typedef enum sos_device {
    SOS_DEVICE_AUTOMATIC, /* a card that is there, for patches and cold starts of 2^22 variables together, or 2^15 once it has
                             been used: to start its driver takes some tenths of a second */
    SOS_DEVICE_CPU,
    SOS_DEVICE_CARD /* the card, if there is one (sos_card_name) and it takes the energy; any start is a cold one there */
} sos_device;

/* The name of the graphics card that SOS_DEVICE_CARD uses, cut to room bytes.  SOS_ERR_IO: there is none, and error says what
 * is missing: libsos-cuda, a driver, a card. */
SOS_MUST_USE SOS_API sos_status sos_card_name(char name[], size_t room, sos_error *error);

typedef struct sos_minimize_settings {
    sos_start start;
    bool maximal;        /* among all minimisers return the largest set of ones, not the smallest */
    bool reduce;         /* before the flow, fix variables whose label follows from the costs alone, where this may save time:
                            not if most variables are in pairs or cliques of 4 only, nor with several threads */
    int bits;            /* 0: 32-bit integers if they hold all costs exactly, else 64.  32: always 32, which is faster; costs
                            that do not fit are rounded to about 28 bits, and result->rounding bounds the effect */
    size_t memory_limit; /* bytes that the minimizer may hold; 0: no limit */
    sos_work work;       /* several threads are used for cold starts on large energies only (architecture.md) */
    sos_device device;
    uint64_t reserved[7]; /* 0 (status.h) */
} sos_minimize_settings;

/* Cold start, minimal minimiser, reduction, no memory limit, all cores, no callback. */
SOS_API sos_minimize_settings sos_minimize_defaults(void);

typedef struct sos_minimize_result {
    double energy;      /* sos_energy_value of the labels */
    double lower_bound; /* on the energy of every labelling, from the flow: in exact arithmetic never above the minimum.  Equal
                           to energy for integer costs; for others it may be less in the last places, because sums of doubles
                           are rounded.  -INFINITY: these sums overflow */
    double rounding;    /* bound on how far the conversion to integers changed the energy of any labelling; 0: not at all.  The
                           energy exceeds the minimum by at most twice this */
    int bits;           /* 32 or 64: the integers of the flow */
    bool warm;          /* an earlier flow or labelling was used */
    uint64_t fixed;     /* variables decided before the flow */
    uint64_t augmentations, pushes, adoptions, growths; /* counts of the flow's operations */
    size_t bytes; /* held by the minimizer, without the energy itself (sos_energy_bytes) */
    double seconds_build, seconds_reduce, seconds_solve;
    sos_device device;    /* that minimised it: SOS_DEVICE_CPU or SOS_DEVICE_CARD */
    uint64_t reserved[7]; /* 0 (status.h) */
} sos_minimize_result;

/* Minimises e over the labels of its free variables; labels receives n labels.  settings, result and error may be NULL.  On
 * SOS_CANCELLED labels and result are unchanged. */
SOS_MUST_USE SOS_API sos_status sos_minimize(const sos_energy *e, const sos_minimize_settings *settings, uint8_t labels[],
                                             sos_minimize_result *result, sos_error *error);

/* A minimizer keeps its memory, its network and its flow from one run to the next.  Only one thread may use it at a time.  It
 * does not keep a pointer to the energy it solved, which may be freed or changed between runs. */
typedef struct sos_minimizer sos_minimizer;

SOS_MUST_USE SOS_API sos_status sos_minimizer_create(sos_minimizer **out, sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_minimizer_run(sos_minimizer *m, const sos_energy *e, const sos_minimize_settings *settings,
                                                  uint8_t labels[], sos_minimize_result *result, sos_error *error);
SOS_API void sos_minimizer_free(sos_minimizer *m); /* NULL is allowed */

/* Minimises count energies, each as sos_minimize does, distributed over the threads of settings->work.  labels[i] receives the
 * labels of energies[i]; results, of count entries, may be NULL.  If some energies fail, the error is that of the one with the
 * lowest number, and labels and results of all others are set.
 *
 * progress is called from all threads, but by one at a time.  After it has returned false it is not called again, no further
 * energy is started, and those under way are cancelled: labels and results of finished energies are set, those of the others
 * are unchanged. */
SOS_MUST_USE SOS_API sos_status sos_minimize_batch(size_t count, const sos_energy *const energies[],
                                                   const sos_minimize_settings *settings, uint8_t *const labels[],
                                                   sos_minimize_result results[], sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
