/* file.h - reads whole files. */
#ifndef SOS_BASE_FILE_H
#define SOS_BASE_FILE_H

#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

typedef enum sos_content {
    SOS_CONTENT_TEXT, /* a zero byte is refused as soon as it comes, so that endless devices end */
    SOS_CONTENT_BYTES,
    SOS_CONTENT_MARKED /* bytes where the first is SOS_BINARY_MARK, else text */
} sos_content;

enum { SOS_BINARY_MARK = 0x89 }; /* begins no text in UTF-8 */

/* All that follows in a stream, a pipe or a file, the caller's to free; name is for messages. */
sos_status sos_stream_read(FILE *file, const char *name, sos_content content, char **bytes, size_t *length, sos_error *error);

/* All of the file of that path. */
sos_status sos_file_read(const char *path, sos_content content, char **bytes, size_t *length, sos_error *error);

#endif
