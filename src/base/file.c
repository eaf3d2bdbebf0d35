/* file.c - all of a file. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include "base/file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Reads to the end, so that pipes work too.  Binary files, endless devices among them, show themselves by a zero byte. */
static sos_status file_read(FILE *file, const char *path, char **text, size_t *length, sos_error *error)
{
    struct stat found;
    size_t room = 1 << 16, used = 0;
    if (!fstat(fileno(file), &found) && S_ISREG(found.st_mode) && found.st_size > 0 && (uintmax_t)found.st_size < SIZE_MAX / 2)
        room = (size_t)found.st_size + 1; /* one more, to see the end without growing */
    char *buffer = malloc(room);
    if (!buffer) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the %zu bytes of '%.200s'", room, path);
    for (;;) {
        errno = 0;
        const size_t got = fread(buffer + used, 1, room - used, file);
        const bool binary = got && memchr(buffer + used, 0, got);
        used += got;
        if (!binary && !ferror(file) && used == room && room < SIZE_MAX / 2) {
            char *larger = realloc(buffer, room * 2);
            if (larger) {
                buffer = larger;
                room *= 2;
                continue;
            }
            errno = ENOMEM;
        }
        if (!binary && !ferror(file) && feof(file)) break;
        const int number = errno;
        free(buffer);
        if (binary) return sos_fail(error, SOS_ERR_FORMAT, "'%.200s' is not a text file: it holds a zero byte", path);
        if (!ferror(file)) return sos_fail(error, SOS_ERR_MEMORY, "no memory for all of '%.200s'", path);
        return sos_fail(error, SOS_ERR_IO, "cannot read '%.200s': %s", path, strerror(number));
    }
    *text = buffer;
    *length = used;
    return SOS_OK;
}

sos_status sos_text_read(const char *path, char **text, size_t *length, sos_error *error)
{
    FILE *file = fopen(path, "r");
    if (!file) return sos_fail(error, SOS_ERR_IO, "cannot open '%.200s': %s", path, strerror(errno));
    const sos_status status = file_read(file, path, text, length, error);
    fclose(file);
    return status;
}
