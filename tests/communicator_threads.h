/* communicator_threads.h - ranks that are threads of one process, for tests: the operations of communicator.h over shared
 * memory. */
#ifndef SOS_TESTS_COMMUNICATOR_THREADS_H
#define SOS_TESTS_COMMUNICATOR_THREADS_H

#include <sos/communicator.h>

/* Runs work on size threads at once, each with a communicator of its own, and waits for all. */
typedef void rank_work(const sos_communicator *c, void *user);
void ranks_run(size_t size, rank_work *work, void *user);

/* Bytes that went through operations since the last ranks_run began, of rank 0. */
size_t ranks_bytes(void);

/* Operations from this one on fail on all ranks, as where a process is gone; 0: none does. */
void ranks_fail_from(size_t operation);

#endif
