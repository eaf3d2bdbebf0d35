/* threads.h - what loops over independent pieces of work on several threads share. */
#ifndef SOS_BASE_THREADS_H
#define SOS_BASE_THREADS_H

#include <stddef.h>

#include "base/error.h"

/* How many threads to use: as many as asked for; all cores for 0 or less; 1 where OpenMP is missing. */
int sos_thread_count(int threads);

/* The same for a loop inside a call that may itself be one of several at once: then 1. */
int sos_thread_team(int threads);

/* The failure of the piece with the least number, so that what is reported does not depend on threads.  Starts as zeros. */
typedef struct sos_failure {
    size_t number;
    sos_error error; /* its status is SOS_OK while nothing has failed */
} sos_failure;

/* Notes what piece number came to, from any thread.  why holds the words. */
void sos_failure_note(sos_failure *f, size_t number, sos_status status, const sos_error *why);

/* SOS_OK, or the noted failure with the kind of piece and its number put before the words. */
sos_status sos_failure_status(const sos_failure *f, const char *piece, sos_error *error);

#endif
