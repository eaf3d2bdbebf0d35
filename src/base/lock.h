/* lock.h - locks a file for one process at a time. */
#ifndef SOS_BASE_LOCK_H
#define SOS_BASE_LOCK_H

#include "base/error.h"

typedef struct sos_lock {
    int descriptor; /* behind sos_lock_take */
    char *path;     /* of the file that is locked; NULL: none */
} sos_lock;

/* Locks PATH.lock, which it makes, for PATH.  SOS_ERR_IO where another process, or this one, has it.  A process that is killed
 * gives it back. */
sos_status sos_lock_take(sos_lock *l, const char *path, sos_error *error);
void sos_lock_release(sos_lock *l); /* removes the file; one that was never taken, all zeros, is fine */

#endif
