#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE
#endif

#include "directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

#define TEMPORARY ".s3svm-"

int directory_open(int parent, const char *name, bool make)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int directory = openat(parent, name, flags);
    if (directory >= 0 || errno != ENOENT || !make) return directory;
    if (mkdirat(parent, name, 0777) && errno != EEXIST) return -1;
    fsync(parent);
    return openat(parent, name, flags);
}

stamp directory_stamp(int directory, const char *name)
{
    struct stat found;
    if (directory < 0 || !*name || fstatat(directory, name, &found, AT_SYMLINK_NOFOLLOW) || !S_ISREG(found.st_mode))
        return (stamp){ 0 };
    return (stamp){ .size = (uint64_t)found.st_size,
                    .seconds = (uint64_t)found.st_mtim.tv_sec,
                    .nanoseconds = (uint64_t)found.st_mtim.tv_nsec,
                    .number = (uint64_t)found.st_ino };
}

bool stamp_is_same(const stamp *a, const stamp *b)
{
    return a->size == b->size && a->seconds == b->seconds && a->nanoseconds == b->nanoseconds && a->number == b->number;
}

/* ---------------------------------------------------------------- reading */

static sos_status file_fail(const char *what, const char *name, sos_error *error)
{
    return sos_fail(error, SOS_ERR_IO, "cannot %s '%.200s': %s", what, name, strerror(errno));
}

static sos_status descriptor_fill(int file, const char *name, size_t length, char bytes[], sos_error *error)
{
    size_t got = 0;
    while (got < length) {
        const ssize_t some = read(file, bytes + got, length - got);
        if (some < 0 && errno == EINTR) continue;
        if (some < 0) return file_fail("read", name, error);
        if (!some) return sos_fail(error, SOS_ERR_IO, "'%.200s' became shorter while it was read", name);
        got += (size_t)some;
    }
    bytes[length] = '\0';
    return SOS_OK;
}

static sos_status descriptor_read(int file, const char *name, size_t most, char **bytes, size_t *length, sos_error *error)
{
    struct stat found;
    if (fstat(file, &found)) return file_fail("read", name, error);
    if (!S_ISREG(found.st_mode)) return sos_fail(error, SOS_ERR_IO, "'%.200s' is no file", name);
    if ((uint64_t)found.st_size > most) return sos_fail(error, SOS_ERR_RANGE, "'%.200s' has more than %zu bytes", name, most);
    *length = (size_t)found.st_size;
    *bytes = malloc(*length + 1);
    if (!*bytes) return sos_fail(error, SOS_ERR_MEMORY, "no memory for '%.200s'", name);
    const sos_status status = descriptor_fill(file, name, *length, *bytes, error);
    if (status) free(*bytes);
    return status;
}

sos_status directory_read(int directory, const char *name, size_t most, char **bytes, size_t *length, sos_error *error)
{
    const int file = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC); /* a pipe would wait */
    if (file < 0) return file_fail("open", name, error);
    const sos_status status = descriptor_read(file, name, most, bytes, length, error);
    close(file);
    return status;
}

/* ---------------------------------------------------------------- writing */

static bool all_write(int file, const char *bytes, size_t length)
{
    while (length) {
        const ssize_t some = write(file, bytes, length);
        if (some < 0 && errno == EINTR) continue;
        if (some < 0) return false;
        bytes += some;
        length -= (size_t)some;
    }
    return true;
}

sos_status directory_write(int directory, const char *name, const void *bytes, size_t length, sos_error *error)
{
    static atomic_uint count;
    char temporary[64];
    snprintf(temporary, sizeof temporary, TEMPORARY "%ld-%u.tmp", (long)getpid(), atomic_fetch_add(&count, 1));
    const int file = openat(directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file < 0) return file_fail("write", name, error);
    bool written = all_write(file, bytes, length) && !fsync(file);
    int number = errno;
    if (close(file) && written) {
        written = false;
        number = errno;
    }
    if (written && !renameat(directory, temporary, directory, name)) {
        fsync(directory); /* the name, too; where a disk cannot do that, it comes with the next sync */
        return SOS_OK;
    }
    if (written) number = errno;
    unlinkat(directory, temporary, 0);
    errno = number;
    return file_fail("write", name, error);
}

sos_status directory_move(int from, const char *name, int to, const char *other, sos_error *error)
{
    if (renameat(from, name, to, other)) return file_fail("move", name, error);
    fsync(to);
    fsync(from);
    return SOS_OK;
}

/* ---------------------------------------------------------------- lists */

/* A stream of its own, so that the folder stays open. */
static DIR *stream_open(int directory)
{
    const int again = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = again < 0 ? NULL : fdopendir(again);
    if (!stream && again >= 0) close(again);
    return stream;
}

void directory_sweep(int directory)
{
    DIR *stream = directory < 0 ? NULL : stream_open(directory);
    const struct dirent *entry;
    while (stream && (entry = readdir(stream))) {
        const char *end = strrchr(entry->d_name, '.');
        if (!strncmp(entry->d_name, TEMPORARY, strlen(TEMPORARY)) && !strcmp(end, ".tmp"))
            unlinkat(directory, entry->d_name, 0);
    }
    if (stream) closedir(stream);
}

static int by_bytes(const void *a, const void *b) { return strcmp(a, b); }

sos_status directory_list(int directory, size_t most, names *out, sos_error *error)
{
    names found = { 0 };
    DIR *stream = stream_open(directory);
    const struct dirent *entry;
    bool room = true;
    if (!stream) return file_fail("list", "the folder", error);
    errno = 0;
    while (room && found.count < most && (entry = readdir(stream))) {
        const size_t length = strlen(entry->d_name);
        if (entry->d_name[0] == '.' || length >= DIRECTORY_NAME) continue;
        room = sos_grow(&found.list, &found.room, found.count + 1);
        if (room) memcpy(found.list[found.count++], entry->d_name, length + 1);
        errno = 0;
    }
    const int number = errno; /* of readdir, which says so only here that there may be more */
    closedir(stream);
    if (!room || number) names_free(&found);
    if (!room) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the names in a folder");
    errno = number;
    if (number) return file_fail("list", "the folder", error);
    if (found.count) qsort(found.list, found.count, DIRECTORY_NAME, by_bytes);
    *out = found;
    return SOS_OK;
}

void names_free(names *n)
{
    free(n->list);
    *n = (names){ 0 };
}
