/* file.h - all of a file. */
#ifndef SOS_BASE_FILE_H
#define SOS_BASE_FILE_H

#include <stddef.h>

#include "base/error.h"

/* All bytes of a text file, the caller's to free; a zero byte is refused. */
sos_status sos_text_read(const char *path, char **text, size_t *length, sos_error *error);

#endif
