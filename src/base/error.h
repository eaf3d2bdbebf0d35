/* error.h - filling a sos_error. */
#ifndef SOS_BASE_ERROR_H
#define SOS_BASE_ERROR_H

#include <sos/status.h>

/* Fills error, if not NULL, and returns status, so that a failing function ends with: return sos_fail(...). */
sos_status sos_fail(sos_error *error, sos_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
