/* work.h - who does long work, and who watches it. */
#ifndef S3SVM_WORK_H
#define S3SVM_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include <sos/communicator.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SOS_STREAM_LEARN = 200 }; /* whose features are learned from, where pictures do not all fit into memory */

/* All zeros: all cores, unwatched. */
typedef struct sos_work {
    int threads;                                /* 0: all cores; the results are the same */
    sos_progress *progress;                     /* or NULL; called from any thread; returns false to stop */
    void (*tell)(void *user, const char *line); /* or NULL: a line for people, now and then */
    void *user;                                 /* of both */
    const sos_communicator *communicator;       /* of processes that make a lesson together, or NULL: each makes its share of
                                                   the examples, and NULL stands for those of the others */
    const bool *mine;     /* of calls that make examples: those to make; NULL: all.  The pictures of others
                             are not looked at, and their examples are NULL */
    bool stream;          /* of lessons: examples are made when they are asked (sos_lesson, source), and features learned
                             from the first SOS_STREAM_LEARN pictures */
    uint64_t reserved[5]; /* 0 (status.h) */
} sos_work;

#ifdef __cplusplus
}
#endif

#endif
