/* path.h - names of files and folders. */
#ifndef SOS_BASE_PATH_H
#define SOS_BASE_PATH_H

#include <stdbool.h>

#include "base/error.h"

/* folder/name and an ending, to free; NULL: no memory. */
char *sos_path_join(const char *folder, const char *name, const char *ending);

/* The folder that a path lies in, "." where it says none, to free; NULL: no memory. */
char *sos_path_folder(const char *path);

/* What follows the last slash of a path: a part of it. */
const char *sos_path_name(const char *path);

/* The name without folder and ending, to free; NULL: no memory. */
char *sos_path_stem(const char *path);

/* Whether a name ends in this, in lower case, in letters of either case, and is longer. */
bool sos_path_ends(const char *path, const char *ending);

bool sos_path_exists(const char *path);
bool sos_path_is_folder(const char *path);
bool sos_path_is_same(const char *a, const char *b); /* both are there, and are one file */

/* The same, or neither is there and both would be one file: of the same name, in folders that are one. */
bool sos_path_meets(const char *a, const char *b);

/* Makes the folder, and those it lies in; fine if it is there. */
SOS_MUST_USE sos_status sos_folder_create(const char *path, sos_error *error);

#endif
