/* allocation.h - a call whose allocations fail in turn.  A program that links allocation.c is linked with --wrap for malloc and
 * its kin, strdup, strndup, realpath and open_memstream, and with the static libraries, so that their calls come by there; with
 * --wrap for free too, blocks are counted. */
#ifndef SOS_TESTS_ALLOCATION_H
#define SOS_TESTS_ALLOCATION_H

#include <stdbool.h>
#include <stdint.h>

#include "support.h"

extern bool allocation_armed;    /* count, and fail when the countdown ends */
extern long allocation_failures; /* that were forced since arming */

/* Notes that a function was called so: the text of a call. */
void allocation_note(const char *call);

/* A call under the countdown.  Where an allocation failed in it, it must say SOS_ERR_MEMORY with words, and succeed when
 * repeated; otherwise it must succeed at once. */
#define attempt(call)                                                                                                          \
    do {                                                                                                                       \
        sos_error error = { SOS_OK, "" };                                                                                      \
        const long before = allocation_failures;                                                                               \
        allocation_note(#call);                                                                                                \
        allocation_armed = true;                                                                                               \
        const sos_status first = (call);                                                                                       \
        allocation_armed = false;                                                                                              \
        if (allocation_failures == before) {                                                                                   \
            check_ok(first, error);                                                                                            \
        } else {                                                                                                               \
            check_error(first, SOS_ERR_MEMORY, error, "memory");                                                               \
            check_ok((call), error);                                                                                           \
        }                                                                                                                      \
    } while (0)

/* The same where the call may do without what it has no memory for, such as a cache. */
#define attempt_or_without(call)                                                                                               \
    do {                                                                                                                       \
        sos_error error = { SOS_OK, "" };                                                                                      \
        allocation_note(#call);                                                                                                \
        allocation_armed = true;                                                                                               \
        const sos_status first = (call);                                                                                       \
        allocation_armed = false;                                                                                              \
        if (first) {                                                                                                           \
            check_error(first, SOS_ERR_MEMORY, error, "memory");                                                               \
            check_ok((call), error);                                                                                           \
        }                                                                                                                      \
    } while (0)

/* Runs a scenario with each of its allocations failing, alone and with all after it. */
void check_every_allocation(void (*scenario)(uint64_t), uint64_t c);

/* With the last ones failing alone, of a scenario that takes too long for all of them; or with some, chosen by the seed of the
 * tests. */
void check_last_allocations(void (*scenario)(uint64_t), uint64_t c, long count);
void check_some_allocations(void (*scenario)(uint64_t), uint64_t c, long count);

/* Every function of the public headers that can fail was attempted, in whatever scenario. */
void check_all_are_attempted(void);

/* Further calls, each with all that it needs: allocation_calls.c. */
int allocation_calls_begin(void **state);
int allocation_calls_end(void **state);
void energies_in_other_ways_survive(void **state);
void files_survive(void **state);
void pictures_survive(void **state);
void cut_outs_survive(void **state);
void maps_survive(void **state);
void data_sets_survive(void **state);
void other_ways_to_learn_survive(void **state);
void models_of_drawings_survive(void **state);
void models_of_thin_structures_survive(void **state);
void models_of_photographs_survive(void **state);
void segmenters_survive(void **state);
void tasks_survive(void **state);

#endif
