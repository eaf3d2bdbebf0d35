/* work.h - the threads, the callbacks and the communicator of a long call.
 *
 *     sos_minimize_settings s = sos_minimize_defaults();
 *     s.work = (sos_work){ .threads = 4, .progress = on_progress, .user = me };
 *
 * Every call that can take long has a sos_work, either in its settings or as an argument, which may be NULL.  The result of a
 * call never depends on it. */
#ifndef SOS_WORK_H
#define SOS_WORK_H

#include <stdint.h>

#include <sos/communicator.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All zeros: all cores, no callbacks, one process. */
typedef struct sos_work {
    int threads;            /* 0: all cores; at most 256, or 4 a core; 1 without OpenMP, and inside a parallel region */
    sos_progress *progress; /* or NULL; called from any thread, by one at a time; returns false to cancel */
    void (*tell)(void *user, const char *line); /* or NULL; receives messages for the user, one line each */
    void *user;                                 /* passed to all callbacks */
    const sos_communicator *communicator;       /* of the processes that share the work, for calls that support it; else NULL */
    uint64_t reserved[8];                       /* 0 (status.h) */
} sos_work;

#ifdef __cplusplus
}
#endif

#endif
