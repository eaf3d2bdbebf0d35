/* threads.h - what loops over independent pieces of work on several threads share. */
#ifndef SOS_BASE_THREADS_H
#define SOS_BASE_THREADS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* How many to use: as many as asked for, at most 256 or four a core; all cores for 0 or less; 1 where OpenMP is missing. */
int sos_thread_count(int threads);

/* The same for a loop inside a call that may itself be one of several at once: then 1. */
int sos_thread_team(int threads);

/* Which thread of a team asks: 0, 1, ... */
int sos_thread_number(void);

/* The failure of the piece with the least number, so that what is reported does not depend on threads.  Starts as zeros. */
typedef struct sos_failure {
    size_t number;
    sos_error error; /* its status is SOS_OK while nothing has failed */
} sos_failure;

/* Notes what piece number came to, from any thread.  why holds the words. */
void sos_failure_note(sos_failure *f, size_t number, sos_status status, const sos_error *why);

/* SOS_OK, or the noted failure with the kind of piece and its number put before the words. */
sos_status sos_failure_status(const sos_failure *f, const char *piece, sos_error *error);

/* The caller's progress, for all threads of a loop: asked by one at a time, and not again once it said to stop. */
typedef struct sos_shared_progress {
    sos_progress *progress;
    void *user;
    atomic_bool stopped;
} sos_shared_progress;

/* A sos_progress, for user = the sos_shared_progress. */
bool sos_shared_go_on(void *user, const char *phase, double done);

#endif
