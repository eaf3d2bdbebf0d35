/* share.h - processes that share the work of a training (<sos/communicator.h>): who has which examples, what all add up and
 * agree on, and what that took.  A process alone calls nobody. */
#ifndef SOS_BASE_SHARE_H
#define SOS_BASE_SHARE_H

#include <sos/communicator.h>

/* The training subset, which is asked first, alone (learn.h, slacks): one example in so many. */
enum { SOS_SUBSET_EVERY = 5 };

typedef struct sos_share {
    const sos_communicator *comm; /* NULL: alone */
    double seconds;               /* in operations, waiting included */
    uint64_t bytes;               /* that went into them */
    bool lost;                    /* an operation failed: nothing can be said to the others any more */
} sos_share;

sos_status sos_share_join(sos_share *c, const sos_communicator *comm, sos_error *error);
static inline size_t sos_share_rank(const sos_share *c) { return c->comm ? c->comm->rank : 0; }
static inline size_t sos_share_processes(const sos_share *c) { return c->comm ? c->comm->size : 1; }

/* Is this the one that has the files, and does what is done once for all? */
static inline bool sos_share_is_first(const sos_share *c) { return sos_share_rank(c) == 0; }

/* All call these, in the same order and with the same counts. */
sos_status sos_share_sum(sos_share *c, size_t count, int64_t values[], sos_error *error);
sos_status sos_share_max(sos_share *c, size_t count, int64_t values[], sos_error *error);
sos_status sos_share_broadcast(sos_share *c, size_t bytes, void *data, sos_error *error); /* from the first */

/* On the first process *all, to free, is what they have, one behind the other, and *total its bytes; elsewhere NULL. */
sos_status sos_share_gather(sos_share *c, size_t bytes, const void *data, char **all, size_t *total, sos_error *error);

/* What one process fails at fails on all: where any has a status that is not SOS_OK, all return that of the first that has,
 * with its words; or that of the piece of work with the least number. */
sos_status sos_share_agree(sos_share *c, sos_status status, sos_error *error);
sos_status sos_share_agree_by(sos_share *c, size_t number, sos_status status, sos_error *error);

/* A text that the first process has goes to all, or none where it has NULL: *text, to free, NULL before.  what: for a message.
 */
sos_status sos_share_text(sos_share *c, const char *what, char **text, size_t *length, sos_error *error);

/* Which of count examples that cost so much are this process's: *mine, to free; NULL: all.  Examples that are learned first
 * (one in five) are dealt out first, so that processes have as much to do with these as with all. */
sos_status sos_share_deal(const sos_share *c, size_t count, const double cost[], bool **mine, sos_error *error);

#endif
