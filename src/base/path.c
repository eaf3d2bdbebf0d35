/* path.c - names of files and folders. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include "base/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char *sos_path_join(const char *folder, const char *name, const char *ending)
{
    const size_t length = strlen(folder) + strlen(name) + strlen(ending) + 2;
    const bool slash = *folder && folder[strlen(folder) - 1] != '/';
    char *path = malloc(length);
    if (path) snprintf(path, length, "%s%s%s%s", folder, slash ? "/" : "", name, ending);
    return path;
}

const char *sos_path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *sos_path_folder(const char *path)
{
    const char *name = sos_path_name(path);
    if (name == path) return strdup(".");
    return strndup(path, name - path > 1 ? (size_t)(name - path) - 1 : 1); /* the slash alone is the root */
}

char *sos_path_stem(const char *path)
{
    const char *name = sos_path_name(path), *dot = strrchr(name, '.');
    return strndup(name, dot && dot != name ? (size_t)(dot - name) : strlen(name));
}

bool sos_path_ends(const char *path, const char *ending)
{
    const size_t length = strlen(path), tail = strlen(ending);
    if (length <= tail) return false;
    for (size_t i = 0; i < tail; i++) {
        const char c = path[length - tail + i];
        if ((c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c) != ending[i]) return false;
    }
    return true;
}

bool sos_path_exists(const char *path)
{
    struct stat s;
    return !lstat(path, &s);
}

bool sos_path_is_folder(const char *path)
{
    struct stat s;
    return !stat(path, &s) && S_ISDIR(s.st_mode);
}

bool sos_path_is_same(const char *a, const char *b)
{
    struct stat s, t;
    return !stat(a, &s) && !stat(b, &t) && s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

bool sos_path_meets(const char *a, const char *b)
{
    if (sos_path_is_same(a, b)) return true;
    if (sos_path_exists(a) || sos_path_exists(b) || strcmp(sos_path_name(a), sos_path_name(b)) != 0) return false;
    char *first = sos_path_folder(a), *second = sos_path_folder(b);
    const bool meets = first && second && sos_path_is_same(first, second);
    free(first);
    free(second);
    return meets;
}

static sos_status folder_make(const char *path, sos_error *error)
{
    if (!mkdir(path, 0777) || sos_path_is_folder(path)) return SOS_OK;
    if (errno == EEXIST) return sos_fail(error, SOS_ERR_IO, "'%.200s' exists and is not a folder", path);
    return sos_fail(error, SOS_ERR_IO, "cannot create the folder '%.200s': %s", path, strerror(errno));
}

sos_status sos_folder_create(const char *path, sos_error *error)
{
    char *part = strdup(path);
    sos_status status = part ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for the path '%.200s'", path);
    for (char *at = part ? strchr(part + (*part == '/'), '/') : NULL; at && !status; at = strchr(at + 1, '/')) {
        *at = '\0';
        status = folder_make(part, error);
        *at = '/';
    }
    if (!status) status = folder_make(path, error);
    free(part);
    return status;
}
