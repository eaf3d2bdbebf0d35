#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include "base/file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/pages.h"

enum { FIRST_ROOM = 1 << 16 };

/* Bytes to begin with: the size of a file and one more, to see the end without growing. */
static size_t first_room(FILE *file)
{
    struct stat found;
    if (fstat(fileno(file), &found) || !S_ISREG(found.st_mode)) return FIRST_ROOM;
    return found.st_size > 0 && (uintmax_t)found.st_size < SIZE_MAX / 2 ? (size_t)found.st_size + 1 : FIRST_ROOM;
}

static bool is_binary(sos_content content, const char *buffer, size_t used)
{
    return content == SOS_CONTENT_BYTES || (content == SOS_CONTENT_MARKED && used && (unsigned char)*buffer == SOS_BINARY_MARK);
}

sos_status sos_stream_read(FILE *file, const char *name, sos_content content, char **bytes, size_t *length, sos_error *error)
{
    size_t room = first_room(file), used = 0;
    char *buffer = malloc(room);
    sos_status status = buffer ? SOS_OK
                               : sos_fail(error, SOS_ERR_MEMORY, "no memory for the %zu bytes of '%.200s'", room, name);
    if (buffer) sos_large_pages(buffer, room);
    while (!status && !feof(file)) {
        if (used == room) {
            char *larger = room < SIZE_MAX / 2 ? realloc(buffer, room * 2) : NULL;
            if (!larger) {
                status = sos_fail(error, SOS_ERR_MEMORY, "no memory for all of '%.200s'", name);
                break;
            }
            buffer = larger;
            room *= 2;
        }
        errno = 0;
        const size_t got = fread(buffer + used, 1, room - used, file);
        if (ferror(file))
            status = sos_fail(error, SOS_ERR_IO, "cannot read '%.200s': %s", name, strerror(errno));
        else if (!is_binary(content, buffer, used + got) && memchr(buffer + used, 0, got))
            status = sos_fail(error, SOS_ERR_FORMAT, "'%.200s' is not a text file: it contains a zero byte", name);
        used += got;
    }
    if (status) {
        free(buffer);
        return status;
    }
    *bytes = buffer;
    *length = used;
    return SOS_OK;
}

sos_status sos_file_read(const char *path, sos_content content, char **bytes, size_t *length, sos_error *error)
{
    FILE *file = fopen(path, "rb");
    if (!file) return sos_fail(error, SOS_ERR_IO, "cannot open '%.200s': %s", path, strerror(errno));
    const sos_status status = sos_stream_read(file, path, content, bytes, length, error);
    fclose(file);
    return status;
}
