/* ranks.h - the processes that a command was started as, by mpirun or srun: docs/cluster.md.
 *
 * Only rank 0 speaks.  What goes wrong on another rank is kept, until all ranks settle what came of a step. */
#ifndef S3SVM_RANKS_H
#define S3SVM_RANKS_H

#include <stdbool.h>

#include <sos/communicator.h>

/* Joins the others, if there are any; else *out is NULL, and no MPI is touched.  Returns the exit code. */
int ranks_begin(const sos_communicator **out);

/* Ends a step that ranks took for themselves: the exit code, which is the same on all of them.  Rank 0 prints why another
 * failed. */
int ranks_settle(const sos_communicator *ranks, int code);

/* Has any rank this to say?  Where they cannot be asked: has this one? */
bool ranks_any(const sos_communicator *ranks, bool here);

/* A text of rank 0, to free there, goes to all; *text is NULL elsewhere before.  Returns the exit code. */
int ranks_share_text(const sos_communicator *ranks, char **text, size_t *length);

/* Takes leave of the others; code is the exit code that has been settled. */
void ranks_end(int code);

/* The MPIs that there are plug-ins for, as "openmpi, mpich"; "" if none. */
const char *ranks_kinds(void);

static inline bool ranks_is_first(const sos_communicator *ranks) { return !ranks || ranks->rank == 0; }

#endif
