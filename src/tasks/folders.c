#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include "tasks/folders.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/error.h"

/* ---- paths ---- */

char *path_join(const char *folder, const char *name, const char *ending)
{
    const size_t length = strlen(folder) + strlen(name) + strlen(ending) + 2;
    const bool slash = *folder && folder[strlen(folder) - 1] != '/';
    char *path = malloc(length);
    if (path) snprintf(path, length, "%s%s%s%s", folder, slash ? "/" : "", name, ending);
    return path;
}

char *path_stem(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    return strndup(name, dot && dot != name ? (size_t)(dot - name) : strlen(name));
}

bool path_exists(const char *path)
{
    struct stat s;
    return !lstat(path, &s);
}

bool path_is_folder(const char *path)
{
    struct stat s;
    return !stat(path, &s) && S_ISDIR(s.st_mode);
}

bool path_is_same(const char *a, const char *b)
{
    struct stat s, t;
    return !stat(a, &s) && !stat(b, &t) && s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

/* ---- folders ---- */

static sos_status folder_make(const char *path, sos_error *error)
{
    if (!mkdir(path, 0777) || path_is_folder(path)) return SOS_OK;
    if (errno == EEXIST) return sos_fail(error, SOS_ERR_IO, "'%.200s' is there, and no folder", path);
    return sos_fail(error, SOS_ERR_IO, "cannot make the folder '%.200s': %s", path, strerror(errno));
}

sos_status folder_create(const char *path, sos_error *error)
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

static bool is_picture(const char *name)
{
    static const char *const ENDINGS[] = { ".png", ".jpg", ".jpeg", ".pgm", ".ppm" };
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof ENDINGS / sizeof *ENDINGS; i++)
        if (!strcasecmp(dot, ENDINGS[i])) return true;
    return false;
}

static bool list_add(folder_list *list, const char *folder, const char *name)
{
    if (list->count == list->room) {
        const size_t room = list->room ? 2 * list->room : 64;
        char **larger = realloc(list->paths, room * sizeof *larger);
        if (!larger) return false;
        list->paths = larger;
        list->room = room;
    }
    char *path = path_join(folder, name, "");
    if (path) list->paths[list->count++] = path;
    return path;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

sos_status folder_pictures(const char *path, folder_list *out, size_t *others, sos_error *error)
{
    DIR *folder = opendir(path);
    if (!folder) return sos_fail(error, SOS_ERR_IO, "cannot open the folder '%.200s': %s", path, strerror(errno));
    folder_list list = { 0 };
    const struct dirent *entry;
    bool room = true;
    *others = 0;
    errno = 0;
    while (room && (entry = readdir(folder))) {
        if (entry->d_name[0] == '.') continue;
        if (is_picture(entry->d_name))
            room = list_add(&list, path, entry->d_name);
        else
            ++*others;
        errno = 0;
    }
    const int number = errno;
    closedir(folder);
    if (room && !number) {
        if (list.count) qsort(list.paths, list.count, sizeof *list.paths, by_name);
        *out = list;
        return SOS_OK;
    }
    folder_list_free(&list);
    if (!room) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the names in '%.200s'", path);
    return sos_fail(error, SOS_ERR_IO, "cannot read the folder '%.200s': %s", path, strerror(number));
}

void folder_list_free(folder_list *list)
{
    for (size_t i = 0; i < list->count; i++) free(list->paths[i]);
    free(list->paths);
    *list = (folder_list){ 0 };
}
