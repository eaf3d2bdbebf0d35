/* inject.c - a library to preload that makes one operation on a file fail, or the clock jump.  It works on programs as they are
 * shipped: a seam in the product would see only what goes through it, and a tracer cannot shorten a write.
 *
 *     SOS_FAIL_UNDER=FOLDER   counts operations on what lies below, and on nothing else
 *     SOS_FAIL_AT=N           the Nth of them fails, from 1 on; with SOS_FAIL_LASTING=1 those after it, too
 *     SOS_FAIL_HOW=NAME       ENOSPC, EDQUOT, EIO, EINTR, SHORT (one byte of a read or a write), XFSZ (a write), KILL
 *     SOS_FAIL_COUNT=FILE     receives a line for each operation
 *     SOS_CLOCK_JUMPS=SEED    CLOCK_REALTIME and time() jump by up to days, both ways, at random
 *
 * An operation that cannot fail in that way (a read for which there is no space) is done.  What a stream of stdio does inside
 * of libc does not come by here, so that streams of such files are made anew, over functions that do. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FILES = 4096, STREAMS = 64 };

/* What an operation does, by which it may fail. */
typedef enum deed { DEED_READ = 1, DEED_WRITE = 2, DEED_MAKE = 4, DEED_OTHER = 8 } deed;

/* Names of libc's own in the place of which these stand. */
#define REAL(name)                                                                                                             \
    static __typeof__(&name) real;                                                                                             \
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long count, at;
static bool lasting, ready;
static char under[PATH_MAX], how[16];
static int log_file = -1;
static bool known[FILES]; /* descriptors of files below */

static void prepare(void)
{
    if (ready) return;
    ready = true;
    const char *folder = getenv("SOS_FAIL_UNDER"), *number = getenv("SOS_FAIL_AT"), *name = getenv("SOS_FAIL_HOW");
    const char *listed = getenv("SOS_FAIL_COUNT");
    if (folder) snprintf(under, sizeof under, "%s", folder);
    if (number) at = strtoul(number, NULL, 10);
    if (name) snprintf(how, sizeof how, "%s", name);
    lasting = getenv("SOS_FAIL_LASTING") != NULL;
    REAL(open);
    if (listed) log_file = real(listed, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

static bool is_below(const char *path) { return *under && !strncmp(path, under, strlen(under)); }

static bool is_known(int file) { return file >= 0 && file < FILES && known[file]; }

/* Whether a path, seen from a folder, lies below; the parent of what is not there yet tells. */
static bool path_counts(int folder, const char *path)
{
    char there[PATH_MAX];
    prepare();
    if (!*under || !path) return false;
    if (*path == '/') return is_below(path);
    if (folder == AT_FDCWD) return getcwd(there, sizeof there) && is_below(there);
    return is_known(folder);
}

static void file_learn(int file, bool counts)
{
    if (file >= 0 && file < FILES) known[file] = counts;
}

static bool can_fail(deed d)
{
    if (!strcmp(how, "ENOSPC") || !strcmp(how, "EDQUOT")) return d & (DEED_WRITE | DEED_MAKE);
    if (!strcmp(how, "SHORT") || !strcmp(how, "EINTR")) return d & (DEED_READ | DEED_WRITE);
    if (!strcmp(how, "XFSZ")) return d == DEED_WRITE;
    return true;
}

/* Counts an operation; true: it fails, with errno set. */
static bool fails(deed d, const char *what)
{
    bool now;
    char line[64];
    pthread_mutex_lock(&lock);
    count++;
    now = at && (count == at || (lasting && count > at));
    const int length = snprintf(line, sizeof line, "%lu %s\n", count, what);
    REAL(write);
    if (log_file >= 0 && real(log_file, line, (size_t)length) < 0) log_file = -1;
    pthread_mutex_unlock(&lock);
    if (!now || !can_fail(d)) return false;
    if (!strcmp(how, "KILL")) raise(SIGKILL);
    if (!strcmp(how, "XFSZ")) raise(SIGXFSZ);
    errno = !strcmp(how, "ENOSPC")   ? ENOSPC
            : !strcmp(how, "EDQUOT") ? EDQUOT
            : !strcmp(how, "EINTR")  ? EINTR
            : !strcmp(how, "XFSZ")   ? EFBIG
                                     : EIO;
    return true;
}

static bool is_short(void) { return !strcmp(how, "SHORT"); }

/* ---------------------------------------------------------------- reading, writing */

ssize_t read(int file, void *to, size_t length)
{
    REAL(read);
    if (is_known(file) && fails(DEED_READ, "read")) {
        if (!is_short()) return -1;
        length = length > 0;
    }
    return real(file, to, length);
}

ssize_t pread(int file, void *to, size_t length, off_t from)
{
    REAL(pread);
    if (is_known(file) && fails(DEED_READ, "pread")) {
        if (!is_short()) return -1;
        length = length > 0;
    }
    return real(file, to, length, from);
}

ssize_t write(int file, const void *from, size_t length)
{
    REAL(write);
    if (is_known(file) && fails(DEED_WRITE, "write")) {
        if (!is_short()) return -1;
        length = length > 0;
    }
    return real(file, from, length);
}

int fsync(int file)
{
    REAL(fsync);
    return is_known(file) && fails(DEED_OTHER, "fsync") ? -1 : real(file);
}

int ftruncate(int file, off_t length)
{
    REAL(ftruncate);
    return is_known(file) && fails(DEED_MAKE, "ftruncate") ? -1 : real(file, length);
}

/* The file is closed all the same. */
int close(int file)
{
    REAL(close);
    const bool counts = is_known(file), failed = counts && fails(DEED_OTHER, "close");
    const int number = errno;
    file_learn(file, false);
    const int done = real(file);
    if (!failed) return done;
    errno = number;
    return -1;
}

int flock(int file, int operation)
{
    REAL(flock);
    return is_known(file) && fails(DEED_OTHER, "flock") ? -1 : real(file, operation);
}

int fstat(int file, struct stat *out)
{
    REAL(fstat);
    return is_known(file) && fails(DEED_OTHER, "fstat") ? -1 : real(file, out);
}

/* ---------------------------------------------------------------- names */

static int opened(int file, bool counts)
{
    file_learn(file, counts);
    return file;
}

static bool open_fails(int flags, bool counts)
{
    return counts && fails(flags & O_CREAT ? DEED_MAKE : DEED_OTHER, flags & O_CREAT ? "create" : "open");
}

static mode_t mode_of(int flags, va_list more) { return flags & O_CREAT ? (mode_t)va_arg(more, unsigned) : 0; }

int open(const char *path, int flags, ...)
{
    REAL(open);
    va_list more;
    va_start(more, flags);
    const mode_t mode = mode_of(flags, more);
    va_end(more);
    const bool counts = path_counts(AT_FDCWD, path);
    return open_fails(flags, counts) ? -1 : opened(real(path, flags, mode), counts);
}

int openat(int folder, const char *path, int flags, ...)
{
    REAL(openat);
    va_list more;
    va_start(more, flags);
    const mode_t mode = mode_of(flags, more);
    va_end(more);
    const bool counts = path_counts(folder, path);
    return open_fails(flags, counts) ? -1 : opened(real(folder, path, flags, mode), counts);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));
int openat64(int folder, const char *path, int flags, ...) __attribute__((alias("openat")));

int dup(int file)
{
    REAL(dup);
    return opened(real(file), is_known(file));
}

int mkstemp(char *path)
{
    REAL(mkstemp);
    const bool counts = path_counts(AT_FDCWD, path);
    return open_fails(O_CREAT, counts) ? -1 : opened(real(path), counts);
}

int rename(const char *from, const char *to)
{
    REAL(rename);
    return path_counts(AT_FDCWD, to) && fails(DEED_MAKE, "rename") ? -1 : real(from, to);
}

int renameat(int folder, const char *from, int other, const char *to)
{
    REAL(renameat);
    return path_counts(other, to) && fails(DEED_MAKE, "renameat") ? -1 : real(folder, from, other, to);
}

int mkdir(const char *path, mode_t mode)
{
    REAL(mkdir);
    return path_counts(AT_FDCWD, path) && fails(DEED_MAKE, "mkdir") ? -1 : real(path, mode);
}

int mkdirat(int folder, const char *path, mode_t mode)
{
    REAL(mkdirat);
    return path_counts(folder, path) && fails(DEED_MAKE, "mkdirat") ? -1 : real(folder, path, mode);
}

static DIR *listed(DIR *d)
{
    if (d) file_learn(dirfd(d), true);
    return d;
}

DIR *opendir(const char *path)
{
    REAL(opendir);
    if (!path_counts(AT_FDCWD, path)) return real(path);
    return fails(DEED_OTHER, "opendir") ? NULL : listed(real(path));
}

struct dirent *readdir(DIR *d)
{
    REAL(readdir);
    return is_known(dirfd(d)) && fails(DEED_OTHER, "readdir") ? NULL : real(d);
}

struct dirent64 *readdir64(DIR *d) __attribute__((alias("readdir")));

int closedir(DIR *d)
{
    REAL(closedir);
    file_learn(dirfd(d), false);
    return real(d);
}

/* ---------------------------------------------------------------- streams */

typedef struct stream {
    FILE *file;
    int descriptor;
} stream;

static stream streams[STREAMS];

static stream *stream_find(FILE *file)
{
    for (size_t i = 0; i < STREAMS; i++)
        if (streams[i].file == file) return &streams[i];
    return NULL;
}

static ssize_t cookie_read(void *cookie, char *to, size_t length) { return read(((stream *)cookie)->descriptor, to, length); }

/* As stdio's own: all of it, but where writing fails.  A call that a signal interrupted is not repeated. */
static ssize_t cookie_write(void *cookie, const char *from, size_t length)
{
    size_t done = 0;
    while (done < length) {
        const ssize_t some = write(((stream *)cookie)->descriptor, from + done, length - done);
        if (some < 0) return done ? (ssize_t)done : 0;
        done += (size_t)some;
    }
    return (ssize_t)done;
}

static int cookie_seek(void *cookie, off64_t *place, int whence)
{
    const off_t found = lseek(((stream *)cookie)->descriptor, *place, whence);
    if (found < 0) return -1;
    *place = found;
    return 0;
}

static int cookie_close(void *cookie)
{
    stream *s = cookie;
    const int descriptor = s->descriptor;
    pthread_mutex_lock(&lock);
    *s = (stream){ 0 };
    pthread_mutex_unlock(&lock);
    return close(descriptor);
}

static FILE *stream_make(int descriptor, const char *mode)
{
    const cookie_io_functions_t functions = { cookie_read, cookie_write, cookie_seek, cookie_close };
    pthread_mutex_lock(&lock);
    stream *s = stream_find(NULL);
    FILE *file = s ? fopencookie(s, mode, functions) : NULL;
    if (file) *s = (stream){ file, descriptor };
    pthread_mutex_unlock(&lock);
    return file;
}

FILE *fdopen(int descriptor, const char *mode)
{
    REAL(fdopen);
    return is_known(descriptor) ? stream_make(descriptor, mode) : real(descriptor, mode);
}

FILE *fopen(const char *path, const char *mode)
{
    REAL(fopen);
    if (!path_counts(AT_FDCWD, path)) return real(path, mode);
    const int flags = *mode == 'r' ? O_RDONLY : O_WRONLY | O_CREAT | (*mode == 'a' ? O_APPEND : O_TRUNC);
    const int descriptor = open(path, (strchr(mode, '+') ? (flags & ~O_WRONLY) | O_RDWR : flags) | O_CLOEXEC, 0666);
    FILE *file = descriptor < 0 ? NULL : stream_make(descriptor, mode);
    if (!file && descriptor >= 0) close(descriptor);
    return file;
}

FILE *fopen64(const char *path, const char *mode) __attribute__((alias("fopen")));

int fileno(FILE *file)
{
    REAL(fileno);
    const stream *s = stream_find(file);
    return s ? s->descriptor : real(file);
}

/* ---------------------------------------------------------------- the clock */

static long long jump(void)
{
    static unsigned long long state;
    static long long away;
    const char *seed = getenv("SOS_CLOCK_JUMPS");
    if (!seed) return 0;
    pthread_mutex_lock(&lock);
    if (!state) state = strtoull(seed, NULL, 10) * 2654435761U + 1;
    state = state * 6364136223846793005U + 1442695040888963407U;
    if ((state >> 33) % 4 == 0) away = (long long)(state >> 40) % 864000 - 432000; /* five days, both ways */
    const long long now = away;
    pthread_mutex_unlock(&lock);
    return now;
}

int clock_gettime(clockid_t which, struct timespec *out)
{
    REAL(clock_gettime);
    const int done = real(which, out);
    if (which == CLOCK_REALTIME) out->tv_sec += jump();
    return done;
}

time_t time(time_t *out)
{
    REAL(time);
    const time_t now = real(NULL) + jump();
    if (out) *out = now;
    return now;
}
