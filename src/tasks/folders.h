/* folders.h - folders: making them, and listing the pictures in one. */
#ifndef SOS_TASKS_FOLDERS_H
#define SOS_TASKS_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>

#include <sos/status.h>

/* folder/name and an ending, to free; NULL: no memory. */
char *path_join(const char *folder, const char *name, const char *ending);

/* The name without folder and ending, to free; NULL: no memory. */
char *path_stem(const char *path);

bool path_exists(const char *path);
bool path_is_folder(const char *path);
bool path_is_same(const char *a, const char *b); /* both are there, and are one file */

/* Makes the folder, and those it lies in; fine if it is there. */
SOS_MUST_USE sos_status folder_create(const char *path, sos_error *error);

/* Paths of files, to free. */
typedef struct folder_list {
    size_t count, room;
    char **paths;
} folder_list;

/* The pictures in a folder by their endings (.png, .jpg, .jpeg, .pgm, .ppm), sorted by their names as bytes.  Names that begin
 * with a point are passed over; *others says how many more files there are. */
SOS_MUST_USE sos_status folder_pictures(const char *path, folder_list *out, size_t *others, sos_error *error);
void folder_list_free(folder_list *list);

#endif
