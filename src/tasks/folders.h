/* folders.h - the pictures in a folder. */
#ifndef SOS_TASKS_FOLDERS_H
#define SOS_TASKS_FOLDERS_H

#include <stddef.h>

#include <sos/status.h>

/* Paths of files, to free. */
typedef struct sos_folder_list {
    size_t count, room;
    char **paths;
} sos_folder_list;

/* The pictures in a folder by their endings (.png, .jpg, .jpeg, .pgm, .ppm), sorted by their names as bytes.  Names that begin
 * with a point are passed over; *others says how many more files there are. */
SOS_MUST_USE sos_status sos_folder_pictures(const char *path, sos_folder_list *out, size_t *others, sos_error *error);
void sos_folder_list_free(sos_folder_list *list);

#endif
