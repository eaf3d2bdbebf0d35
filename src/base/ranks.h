/* ranks.h - processes that work together: what they agree on, and what that took.  One process alone has rank 0 of 1, and
 * calls nobody. */
#ifndef SOS_BASE_RANKS_H
#define SOS_BASE_RANKS_H

#include <sos/communicator.h>

/* The training subset, which is asked first, alone (learn.h, slacks): one example in so many. */
enum { SOS_SUBSET_EVERY = 5 };

typedef struct sos_ranks {
    const sos_communicator *comm; /* NULL: alone */
    double seconds;               /* in operations, waiting included */
    uint64_t bytes;               /* that went into them */
    bool lost;                    /* an operation failed: nothing can be said to the others any more */
} sos_ranks;

sos_status sos_ranks_join(sos_ranks *c, const sos_communicator *comm, sos_error *error);
static inline size_t sos_ranks_rank(const sos_ranks *c) { return c->comm ? c->comm->rank : 0; }
static inline size_t sos_ranks_size(const sos_ranks *c) { return c->comm ? c->comm->size : 1; }

sos_status sos_ranks_sum(sos_ranks *c, size_t count, int64_t values[], sos_error *error);
sos_status sos_ranks_max(sos_ranks *c, size_t count, int64_t values[], sos_error *error);
sos_status sos_ranks_broadcast(sos_ranks *c, size_t bytes, void *data, sos_error *error);

/* On rank 0 *all, to free, is what the ranks have, one behind the other, and *total its bytes; elsewhere NULL. */
sos_status sos_ranks_gather(sos_ranks *c, size_t bytes, const void *data, char **all, size_t *total, sos_error *error);

/* What one rank fails at fails on all: where any has a status that is not SOS_OK, all return that of the piece of work with
 * the least number, with its words. */
sos_status sos_ranks_agree(sos_ranks *c, size_t number, sos_status status, sos_error *error);

/* Which of count examples that cost so much are this rank's: *mine, to free; NULL: all.  Examples that are learned first (one
 * in five) are dealt out first, so that ranks have as much to do with these as with all. */
sos_status sos_ranks_deal(const sos_ranks *c, size_t count, const double cost[], bool **mine, sos_error *error);

#endif
