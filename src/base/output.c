/* output.c - atomic writing of files: they appear complete or not at all. */
#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* realpath, flock, gethostname */
#endif

#include "base/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/number.h"

enum {
    LINKS_MAX = 40,       /* links that lead to links; as many as Linux follows */
    LINK_TEXT_MAX = 4096, /* characters of what a link says */
    LISTED_MAX = 10000,   /* names of a folder that are looked at, so that writing into a large one does not become slow */
    STALE_AGE = 86400,    /* seconds without a change after which nobody is writing any more, where no lock can tell */
    PROBE_BYTES = 1 << 16 /* written to a file that failed, to learn why: more than what is left of a block */
};

/* The number of an error for people; 0: it is not known. */
static sos_status output_fail_with(sos_output *o, int number, const char *path, const char *what)
{
    const char *reason = number ? strerror(number) : "not all bytes were written";
    const sos_status status = number == ENOMEM ? sos_fail(o->error, SOS_ERR_MEMORY, "no memory to write '%.200s'", path)
                                               : sos_fail(o->error, SOS_ERR_IO, "cannot %s '%.200s': %s", what, path, reason);
    sos_output_abandon(o); /* only now: path may be its own */
    return status;
}

static sos_status output_fail(sos_output *o, const char *path, const char *what)
{
    return output_fail_with(o, errno, path, what);
}

/* What a link says, seen from the folder that the link is in; to free. */
static char *link_join(const char *link, const char *text)
{
    const char *slash = *text == '/' ? NULL : strrchr(link, '/');
    const size_t folder = slash ? (size_t)(slash - link) + 1 : 0, room = folder + strlen(text) + 1;
    char *joined = malloc(room);
    if (joined) snprintf(joined, room, "%.*s%s", (int)folder, link, text);
    return joined;
}

/* The path to make a file at where there is none yet: a link that leads nowhere is followed, not replaced.  To free; NULL and
 * errno: no memory, or links in a circle. */
static char *absent_target(const char *path)
{
    char *at = strdup(path);
    for (int links = 0; at && links < LINKS_MAX; links++) {
        char text[LINK_TEXT_MAX];
        const ssize_t length = readlink(at, text, sizeof text - 1);
        if (length < 0) return at;
        text[length] = '\0';
        char *next = link_join(at, text);
        free(at);
        at = next;
    }
    if (!at) return NULL;
    free(at);
    errno = ELOOP;
    return NULL;
}

/* ---- temporary files: PATH.HOST-PID-N.tmp ----
 *
 * Whoever writes one has it locked, so that others can tell it from one that a killed run has left: numbers of processes mean
 * nothing in another container or on another machine.  Some file systems of clusters have locks that other machines do not see,
 * or none: there a file must not have changed for a day. */

enum { HOST_DIGITS = 8 };

/* A name for this machine. */
static void host_name(char text[HOST_DIGITS + 1])
{
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    snprintf(text, HOST_DIGITS + 1, "%08" PRIx32, (uint32_t)sos_hash(SOS_HASH_START, host, strlen(host)));
}

static const char *digits_skip(const char *text)
{
    while (*text >= '0' && *text <= '9') text++;
    return text;
}

/* Whether a file is "NAME.HOST-PID-N.tmp", and in *host what stands there. */
static bool is_temporary(const char *file, const char *name, const char **host)
{
    const size_t length = strlen(name);
    if (strncmp(file, name, length) != 0 || file[length] != '.') return false;
    *host = file + length + 1;
    if (strspn(*host, "0123456789abcdef") != HOST_DIGITS || (*host)[HOST_DIGITS] != '-') return false;
    const char *process = *host + HOST_DIGITS + 1, *number = digits_skip(process);
    if (number == process || *number != '-') return false;
    const char *end = digits_skip(number + 1);
    return end != number + 1 && !strcmp(end, ".tmp");
}

static bool is_at(int folder, const char *file, const struct stat *open)
{
    struct stat there;
    return !fstatat(folder, file, &there, AT_SYMLINK_NOFOLLOW) && there.st_dev == open->st_dev && there.st_ino == open->st_ino;
}

/* Removes a file that a run which is no more has left.  now is by the clock of the file system, which may be another machine's.
 * It is removed while it is locked: one that its writer has made, but not locked yet, is then known to be gone. */
static void left_remove(int folder, const char *file, bool own_host, time_t now)
{
    struct stat found;
    const int descriptor = openat(folder, file, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return;
    const bool locked = !flock(descriptor, LOCK_EX | LOCK_NB), held = !locked && errno == EWOULDBLOCK;
    if (!held && !fstat(descriptor, &found) && S_ISREG(found.st_mode) && is_at(folder, file, &found) &&
        ((locked && own_host) || now - found.st_mtime > STALE_AGE))
        unlinkat(folder, file, 0);
    close(descriptor);
}

/* Removes what runs that were killed while writing this path left beside it. */
static void temporaries_clear(char *path, time_t now)
{
    char own[HOST_DIGITS + 1], *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path, *host;
    host_name(own);
    if (slash) *slash = '\0';
    DIR *folder = opendir(!slash ? "." : slash == path ? "/" : path);
    if (slash) *slash = '/';
    if (!folder) return;
    const struct dirent *entry;
    for (int listed = 0; listed < LISTED_MAX && (entry = readdir(folder)) != NULL; listed++)
        if (is_temporary(entry->d_name, name, &host))
            left_remove(dirfd(folder), entry->d_name, !strncmp(host, own, HOST_DIGITS), now);
    closedir(folder);
}

/* Locks a new file.  false: another process took it for one that was left, between its making and its lock. */
static bool temporary_lock(int file)
{
    struct stat found;
    if (flock(file, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) return false;
    return !fstat(file, &found) && found.st_nlink;
}

/* Another process or thread may be writing the same path: the first name that nobody has. */
static int temporary_open(sos_output *o, mode_t mode)
{
    const size_t room = strlen(o->path) + 64;
    char host[HOST_DIGITS + 1];
    host_name(host);
    o->temporary = malloc(room);
    if (!o->temporary) return -1;
    for (int i = 0; i < 1000; i++) {
        snprintf(o->temporary, room, "%s.%s-%ld-%d.tmp", o->path, host, (long)getpid(), i);
        const int file = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (file < 0 && errno != EEXIST) return -1;
        if (file >= 0 && temporary_lock(file)) return file;
        if (file >= 0) close(file);
    }
    errno = EEXIST;
    return -1;
}

/* ---- opening ---- */

sos_status sos_output_open(sos_output *o, const char *path, sos_error *error)
{
    *o = (sos_output){ .error = error };
    struct stat found;
    const bool exists = !stat(path, &found);
    if (exists && S_ISDIR(found.st_mode)) {
        errno = EISDIR;
        return output_fail(o, path, "write");
    }
    if (exists && !S_ISREG(found.st_mode)) {
        o->path = strdup(path);
        if (o->path) o->file = fopen(path, "w");
        return o->file ? SOS_OK : output_fail(o, path, "write");
    }
    /* The rename must replace what a symbolic link points to, not the link. */
    o->path = exists ? realpath(path, NULL) : absent_target(path);
    if (!o->path) return output_fail(o, path, "write");
    const int file = temporary_open(o, exists ? found.st_mode & 0777 : 0666);
    if (file < 0) {
        free(o->temporary); /* it is not ours to remove */
        o->temporary = NULL;
        return output_fail(o, path, "write");
    }
    if (!fstat(file, &found)) temporaries_clear(o->path, found.st_mtime);
    o->file = fdopen(file, "w");
    if (o->file) return SOS_OK;
    const int number = errno;
    close(file);
    errno = number;
    return output_fail(o, path, "write");
}

sos_status sos_output_borrow(sos_output *o, FILE *file, sos_error *error)
{
    *o = (sos_output){ .error = error, .file = file, .borrowed = true };
    return file ? SOS_OK : sos_fail(error, SOS_ERR_ARGUMENT, "no stream to write to was given");
}

sos_status sos_output_open_memory(sos_output *o, sos_error *error)
{
    *o = (sos_output){ .error = error };
    o->file = open_memstream(&o->text, &o->length);
    return o->file ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory to write to");
}

sos_status sos_output_take(sos_output *o, char **text, size_t *length)
{
    FILE *file = o->file;
    const bool failed = ferror(file);
    o->file = NULL;
    if (fclose(file) || failed) {
        sos_output_abandon(o);
        return sos_fail(o->error, SOS_ERR_MEMORY, "no memory to write all of it");
    }
    *text = o->text;
    *length = o->length;
    return SOS_OK;
}

/* Why a stream has failed.  It does not keep the reason; what cannot be written now could not be then.  What this adds to the
 * file is thrown away with it. */
static int failure_find(const sos_output *o)
{
    static const char zeros[PROBE_BYTES];
    size_t left = o->borrowed ? 0 : o->temporary ? sizeof zeros : 1;
    while (left) {
        const ssize_t taken = write(fileno(o->file), zeros, left);
        if (taken < 0 && errno != EINTR) return errno;
        if (taken > 0) left -= (size_t)taken;
    }
    return 0;
}

/* The file has its name before its lock is gone with the last descriptor: else it could be taken for one that was left. */
static int file_place(sos_output *o)
{
    const int held = dup(fileno(o->file));
    if (held < 0) return errno;
    FILE *file = o->file;
    o->file = NULL;
    const int number = fclose(file) || rename(o->temporary, o->path) ? errno : 0;
    close(held);
    return number;
}

sos_status sos_output_commit(sos_output *o)
{
    const char *shown = o->path ? o->path : o->file == stdout ? "standard output" : "the stream";
    errno = 0;
    if (fflush(o->file) || ferror(o->file)) return output_fail_with(o, errno ? errno : failure_find(o), shown, "write");
    if (o->temporary && fsync(fileno(o->file))) return output_fail(o, shown, "write");
    const int number = o->temporary ? file_place(o) : 0;
    if (number) return output_fail_with(o, number, shown, "write");
    free(o->temporary);
    o->temporary = NULL;
    FILE *file = o->borrowed ? NULL : o->file;
    o->file = NULL;
    if (file && fclose(file)) return output_fail(o, shown, "write");
    sos_output_abandon(o);
    return SOS_OK;
}

void sos_output_abandon(sos_output *o)
{
    if (o->file && !o->borrowed) fclose(o->file); /* a stream in memory sets text then */
    if (o->temporary) unlink(o->temporary);
    free(o->temporary);
    free(o->path);
    free(o->text);
    o->file = NULL;
    o->temporary = o->path = o->text = NULL;
}

void sos_output_real(sos_output *o, double x, char behind)
{
    char text[SOS_REAL_TEXT];
    fputs(sos_number_print(x, text), o->file);
    fputc(behind, o->file);
}
