/* folders.c - the pictures, scribbles or maps in a folder. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <s3svm/dataset.h>

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/path.h"

static bool is_picture(const char *name)
{
    static const char *const ENDINGS[] = { ".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff",
                                           ".pgm", ".ppm", ".heic", ".heif", ".avif" };
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof ENDINGS / sizeof *ENDINGS; i++)
        if (!strcasecmp(dot, ENDINGS[i])) return true;
    return false;
}

/* A picture of scribbles, or a list of marks. */
static bool is_scribbles(const char *name)
{
    const char *dot = strrchr(name, '.');
    return is_picture(name) || (dot && !strcasecmp(dot, ".json"));
}

static bool is_maps(const char *name) { return sos_path_ends(name, ".npy") || sos_path_ends(name, ".png"); }

static bool list_add(s3svm_folder_list *list, const char *folder, const char *name)
{
    if (list->count == list->room) {
        const size_t room = list->room ? 2 * list->room : 64;
        char **larger = realloc(list->paths, room * sizeof *larger);
        if (!larger) return false;
        list->paths = larger;
        list->room = room;
    }
    char *path = sos_path_join(folder, name, "");
    if (path) list->paths[list->count++] = path;
    return path;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* The files of a folder whose names are wanted. */
static sos_status folder_files(const char *path, bool (*wanted)(const char *name), s3svm_folder_list *out, size_t *others,
                               sos_error *error)
{
    DIR *folder = opendir(path);
    if (!folder) return sos_fail(error, SOS_ERR_IO, "cannot open the folder '%.200s': %s", path, strerror(errno));
    s3svm_folder_list list = { 0 };
    const struct dirent *entry;
    bool room = true;
    *others = 0;
    errno = 0;
    while (room && (entry = readdir(folder))) {
        if (entry->d_name[0] == '.') continue;
        if (wanted(entry->d_name))
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
    s3svm_folder_list_free(&list);
    if (!room) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the names in '%.200s'", path);
    return sos_fail(error, SOS_ERR_IO, "cannot read the folder '%.200s': %s", path, strerror(number));
}

sos_status s3svm_folder_pictures(const char *path, s3svm_folder_list *out, size_t *others, sos_error *error)
{
    return folder_files(path, is_picture, out, others, error);
}

sos_status s3svm_folder_scribbles(const char *path, s3svm_folder_list *out, size_t *others, sos_error *error)
{
    return folder_files(path, is_scribbles, out, others, error);
}

sos_status s3svm_folder_maps(const char *path, s3svm_folder_list *out, size_t *others, sos_error *error)
{
    return folder_files(path, is_maps, out, others, error);
}

void s3svm_folder_list_free(s3svm_folder_list *list)
{
    for (size_t i = 0; i < list->count; i++) free(list->paths[i]);
    free(list->paths);
    *list = (s3svm_folder_list){ 0 };
}
