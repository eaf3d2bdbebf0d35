#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* flock, gethostname */
#endif

#include "base/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whoever has the lock removes the file: it may be gone, or another, by the time that it is locked. */
static bool is_still_there(int descriptor, const char *path)
{
    struct stat open, there;
    return !fstat(descriptor, &open) && !stat(path, &there) && open.st_dev == there.st_dev && open.st_ino == there.st_ino;
}

/* Who has it, for people: process and machine. */
static void owner_write(int descriptor)
{
    char host[65] = "", text[120];
    gethostname(host, sizeof host - 1);
    const int length = snprintf(text, sizeof text, "process %ld on %s\n", (long)getpid(), host);
    if (ftruncate(descriptor, 0) || write(descriptor, text, (size_t)length) != length) return; /* it is locked all the same */
}

static sos_status refuse(int descriptor, const char *path, sos_error *error)
{
    char text[120] = "", shown[120];
    const ssize_t length = read(descriptor, text, sizeof text - 1);
    text[length > 0 ? length : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return sos_fail(error, SOS_ERR_IO, "'%.200s' is in use by another training%s%s", path, *text ? ": " : "",
                    sos_harmless(text, sizeof shown, shown));
}

/* An open and locked file; -1: the error says why not. */
static int lock_open(const char *path, const char *file, sos_status *status, sos_error *error)
{
    for (;;) {
        const int descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (descriptor < 0) {
            *status = sos_fail(error, SOS_ERR_IO, "cannot write '%.200s': %s", file, strerror(errno));
            return -1;
        }
        if (flock(descriptor, LOCK_EX | LOCK_NB)) {
            *status = errno == EWOULDBLOCK ? refuse(descriptor, path, error)
                                           : sos_fail(error, SOS_ERR_IO, "cannot lock '%.200s': %s", file, strerror(errno));
            close(descriptor);
            return -1;
        }
        if (is_still_there(descriptor, file)) return descriptor;
        close(descriptor);
    }
}

sos_status sos_lock_take(sos_lock *l, const char *path, sos_error *error)
{
    const size_t room = strlen(path) + sizeof ".lock";
    sos_status status = SOS_OK;
    char *file = malloc(room);
    if (!file) return sos_fail(error, SOS_ERR_MEMORY, "no memory to lock '%.200s'", path);
    snprintf(file, room, "%s.lock", path);
    const int descriptor = lock_open(path, file, &status, error);
    if (descriptor < 0) {
        free(file);
        return status;
    }
    owner_write(descriptor);
    *l = (sos_lock){ descriptor, file };
    return SOS_OK;
}

void sos_lock_release(sos_lock *l)
{
    if (!l->path) return;
    unlink(l->path);
    close(l->descriptor);
    free(l->path);
    *l = (sos_lock){ 0 };
}
