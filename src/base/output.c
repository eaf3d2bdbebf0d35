/* output.c - files that appear whole or not at all. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#if !defined(_XOPEN_SOURCE)
#define _XOPEN_SOURCE 700 /* realpath */
#endif

#include "base/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"

enum {
    LINKS_MAX = 40,       /* links that lead to links; as many as Linux follows */
    LINK_TEXT_MAX = 4096, /* characters of what a link says */
    LISTED_MAX = 10000    /* names of a folder that are looked at, so that writing into a large one does not become slow */
};

static sos_status output_fail(sos_output *o, const char *path, const char *what)
{
    const int number = errno;
    const sos_status status = number == ENOMEM
                                  ? sos_fail(o->error, SOS_ERR_MEMORY, "no memory to write '%.200s'", path)
                                  : sos_fail(o->error, SOS_ERR_IO, "cannot %s '%.200s': %s", what, path, strerror(number));
    sos_output_abandon(o); /* only now: path may be its own */
    return status;
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

/* The process that a name "NAME.PID-N.tmp" is of; 0: it is no such name. */
static long temporary_owner(const char *file, const char *name)
{
    const size_t length = strlen(name);
    if (strncmp(file, name, length) != 0 || file[length] != '.') return 0;
    char *end;
    const char *number = file + length + 1;
    if (*number < '1' || *number > '9') return 0;
    errno = 0;
    const long pid = strtol(number, &end, 10);
    if (errno || *end != '-' || end[1] < '0' || end[1] > '9') return 0;
    for (end++; *end >= '0' && *end <= '9';) end++;
    return strcmp(end, ".tmp") ? 0 : pid;
}

static bool is_gone(long pid) { return (pid_t)pid == pid && kill((pid_t)pid, 0) && errno == ESRCH; }

/* Removes what runs that were killed while writing this path left beside it, where no process has their number any more. */
static void temporaries_clear(char *path)
{
    char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    if (slash) *slash = '\0';
    DIR *folder = opendir(!slash ? "." : slash == path ? "/" : path);
    if (slash) *slash = '/';
    if (!folder) return;
    const struct dirent *entry;
    for (int listed = 0; listed < LISTED_MAX && (entry = readdir(folder)) != NULL; listed++) {
        const long pid = temporary_owner(entry->d_name, name);
        struct stat found;
        if (pid && is_gone(pid) && !fstatat(dirfd(folder), entry->d_name, &found, AT_SYMLINK_NOFOLLOW) &&
            S_ISREG(found.st_mode))
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    closedir(folder);
}

/* Another process or thread may be writing the same path: the first name that nobody has. */
static int temporary_open(sos_output *o, mode_t mode)
{
    const size_t room = strlen(o->path) + 48;
    o->temporary = malloc(room);
    if (!o->temporary) return -1;
    for (int i = 0; i < 1000; i++) {
        snprintf(o->temporary, room, "%s.%ld-%d.tmp", o->path, (long)getpid(), i);
        const int file = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (file >= 0 || errno != EEXIST) return file;
    }
    return -1;
}

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
        o->file = fopen(path, "w");
        return o->file ? SOS_OK : output_fail(o, path, "write");
    }
    /* The rename must replace what a symbolic link points to, not the link. */
    o->path = exists ? realpath(path, NULL) : absent_target(path);
    if (!o->path) return output_fail(o, path, "write");
    temporaries_clear(o->path);
    const int file = temporary_open(o, exists ? found.st_mode & 0777 : 0666);
    if (file < 0) {
        free(o->temporary); /* it is not ours to remove */
        o->temporary = NULL;
        return output_fail(o, path, "write");
    }
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

sos_status sos_output_commit(sos_output *o)
{
    const char *shown = o->path ? o->path : o->borrowed ? "the stream" : "the file";
    errno = 0;
    if (fflush(o->file) || ferror(o->file) || (o->temporary && fsync(fileno(o->file)))) return output_fail(o, shown, "write");
    FILE *file = o->file;
    o->file = NULL;
    if (!o->borrowed && fclose(file)) return output_fail(o, shown, "write");
    if (o->temporary && rename(o->temporary, o->path)) return output_fail(o, shown, "rename the finished file to");
    free(o->temporary);
    o->temporary = NULL;
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
