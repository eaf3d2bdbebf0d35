/* output.h - files that appear whole or not at all. */
#ifndef SOS_BASE_OUTPUT_H
#define SOS_BASE_OUTPUT_H

#include <stdio.h>

#include "base/error.h"

/* A file that is written beside its path and renamed when whole.  A path that is no regular file (a pipe, a terminal) is
 * written straight. */
typedef struct sos_output {
    FILE *file;
    char *path, *temporary; /* temporary NULL: written straight */
    sos_error *error;
} sos_output;

sos_status sos_output_open(sos_output *o, const char *path, sos_error *error);
sos_status sos_output_commit(sos_output *o);
void sos_output_abandon(sos_output *o);
void sos_output_real(sos_output *o, double x, char behind); /* by number.h, then one character */

#endif
