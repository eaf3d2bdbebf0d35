/* work.h - who does the work of a long call, and who watches it.
 *
 *     sos_minimize_settings s = sos_minimize_defaults();
 *     s.work = (sos_work){ .threads = 4, .progress = on_progress, .user = me };
 *
 * Every call that can take long has one, in its settings or as an argument that may be NULL.  What a call computes never
 * depends on it. */
#ifndef SOS_WORK_H
#define SOS_WORK_H

#include <stdint.h>

#include <sos/communicator.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All zeros: all cores of this process, unwatched. */
typedef struct sos_work {
    int threads;            /* 0: all cores; 1 where OpenMP is missing, and in a parallel region of the caller's */
    sos_progress *progress; /* or NULL; called from any thread, by one at a time; returns false to stop */
    void (*tell)(void *user, const char *line); /* or NULL: receives a line for people, now and then */
    void *user;                                 /* given to all callbacks */
    const sos_communicator *communicator;       /* of processes that share the work, where the call says so; else NULL */
    uint64_t reserved[8];                       /* 0 (status.h) */
} sos_work;

#ifdef __cplusplus
}
#endif

#endif
