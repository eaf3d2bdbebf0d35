/* output.h - atomic writing of files: they appear complete or not at all. */
#ifndef SOS_BASE_OUTPUT_H
#define SOS_BASE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

/* A file that is written beside its path, as PATH.HOST-PID-N.tmp, and renamed when whole.  Symbolic links are followed, also
 * where they lead to nothing yet.  Opening removes what runs that were killed have left of the same path, as their locks tell,
 * or their age where locks do not reach.  A path that is no regular file (a pipe, a terminal) is written straight. */
typedef struct sos_output {
    FILE *file;
    char *path, *temporary; /* temporary NULL: written straight */
    bool borrowed;          /* the stream is the caller's, to stay open */
    char *text;             /* of an output in memory */
    size_t length;
    sos_error *error;
} sos_output;

sos_status sos_output_open(sos_output *o, const char *path, sos_error *error);
sos_status sos_output_commit(sos_output *o);
void sos_output_abandon(sos_output *o);

/* The same to a stream of the caller's: committing flushes it. */
sos_status sos_output_borrow(sos_output *o, FILE *file, sos_error *error);

/* The same into memory; o must stay where it is.  In the place of committing, taking gives the bytes to the caller, to free; a
 * zero byte stands behind them. */
sos_status sos_output_open_memory(sos_output *o, sos_error *error);
sos_status sos_output_take(sos_output *o, char **text, size_t *length);

void sos_output_real(sos_output *o, double x, char behind); /* by number.h, then one character */

#endif
