#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "progress.h"

static sos_status fail(sos_error *error, sos_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

static sos_status fail(sos_error *error, sos_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error->status = status;
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

/* All of a file, which may be a pipe.  A zero byte ends the reading: the parser will refuse it, and endless devices end. */
static sos_status bytes_read(FILE *file, const char *name, char **text, size_t *length, sos_error *error)
{
    size_t room = 1 << 20, used = 0;
    char *buffer = malloc(room);
    while (buffer) {
        const size_t got = fread(buffer + used, 1, room - used, file);
        const bool binary = got && memchr(buffer + used, 0, got);
        used += got;
        if (binary || used < room) break;
        char *larger = room <= SIZE_MAX / 2 ? realloc(buffer, room * 2) : NULL;
        if (!larger) free(buffer);
        buffer = larger;
        room *= 2;
    }
    if (!buffer) return fail(error, SOS_ERR_MEMORY, "no memory for all of '%.200s'", name);
    if (ferror(file)) {
        free(buffer);
        return fail(error, SOS_ERR_IO, "cannot read '%.200s': %s", name, strerror(errno));
    }
    *text = buffer;
    *length = used;
    return SOS_OK;
}

/* What the first word says, as the library looks at it; AUTO where it says nothing. */
static sos_format format_guess(const char *text, size_t length)
{
    static const char space[] = " \t\r\n\v\f";
    size_t at = length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
    while (at < length && (text[at] == '#' || (text[at] && strchr(space, text[at])))) {
        if (text[at] == '#')
            while (at + 1 < length && text[at] != '\n') at++;
        at++;
    }
    const size_t left = length - at;
    if (left >= 6 && !memcmp(text + at, "MARKOV", 6)) return SOS_FORMAT_UAI;
    if (left >= 3 && !memcmp(text + at, "sos", 3)) return SOS_FORMAT_SOS;
    if (left && (text[at] == 'p' || text[at] == 'c')) return SOS_FORMAT_DIMACS;
    return SOS_FORMAT_AUTO;
}

const char *text_name(const char *path) { return strcmp(path, "-") ? path : "standard input"; }

sos_status text_read(const char *path, char **text, size_t *length, sos_error *error)
{
    const bool standard = !strcmp(path, "-");
    FILE *file = standard ? stdin : fopen(path, "r");
    if (!file) return fail(error, SOS_ERR_IO, "cannot open '%.200s': %s", path, strerror(errno));
    const sos_status status = bytes_read(file, text_name(path), text, length, error);
    if (!standard) fclose(file);
    return status;
}

sos_status input_read(input *in, const char *path, sos_format format, bool uai_energies, sos_error *error)
{
    const double started = progress_clock();
    *in = (input){ .name = text_name(path) };
    char *text = NULL;
    size_t length = 0;
    sos_status status = text_read(path, &text, &length, error);
    if (status) return status;
    in->format = format == SOS_FORMAT_AUTO ? format_guess(text, length) : format;
    if (in->format == SOS_FORMAT_UAI && uai_energies) in->format = SOS_FORMAT_UAI_ENERGIES;
    status = sos_energy_parse(text, length, in->name, in->format, &in->energy, error);
    free(text);
    in->seconds = progress_clock() - started;
    return status;
}

void input_free(input *in)
{
    sos_energy_free(in->energy);
    in->energy = NULL;
}

/* Labels in rows, each of which ends with a newline. */
typedef struct table {
    size_t count;
    const uint8_t *const *rows; /* [count] */
    const size_t *n;            /* [count] */
    char between;               /* the labels of a row */
} table;

static sos_status labels_print(FILE *file, const table *t, const char *name, sos_error *error)
{
    for (size_t r = 0; r < t->count; r++)
        for (size_t i = 0; i < t->n[r]; i++)
            fprintf(file, "%u%c", (unsigned)t->rows[r][i], i + 1 < t->n[r] ? t->between : '\n');
    errno = 0;
    if (!fflush(file) && !ferror(file)) return SOS_OK;
    return fail(error, SOS_ERR_IO, "cannot write '%.200s': %s", name, strerror(errno));
}

/* Beside the path first, then renamed, so that the path never holds half the labels. */
static sos_status labels_replace(const char *path, mode_t mode, const table *t, sos_error *error)
{
    const size_t room = strlen(path) + 32;
    char *temporary = malloc(room);
    if (!temporary) return fail(error, SOS_ERR_MEMORY, "no memory to write '%.200s'", path);
    snprintf(temporary, room, "%s.%ld.tmp", path, (long)getpid());
    const int number = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    FILE *file = number >= 0 ? fdopen(number, "w") : NULL;
    sos_status status = SOS_OK;
    if (!file)
        status = fail(error, SOS_ERR_IO, "cannot write '%.200s': %s", path, strerror(errno));
    else {
        status = labels_print(file, t, path, error);
        if (!status && fsync(number)) status = fail(error, SOS_ERR_IO, "cannot write '%.200s': %s", path, strerror(errno));
        fclose(file);
        if (!status && rename(temporary, path))
            status = fail(error, SOS_ERR_IO, "cannot write '%.200s': %s", path, strerror(errno));
    }
    if (status && number >= 0) unlink(temporary);
    free(temporary);
    return status;
}

static sos_status table_write(const char *path, const table *t, sos_error *error)
{
    if (!strcmp(path, "-")) return labels_print(stdout, t, "standard output", error);
    struct stat found;
    const bool exists = !stat(path, &found);
    if (!exists || S_ISREG(found.st_mode)) return labels_replace(path, exists ? found.st_mode & 0777 : 0666, t, error);
    FILE *file = fopen(path, "w"); /* a pipe or a device stays what it is */
    if (!file) return fail(error, SOS_ERR_IO, "cannot write '%.200s': %s", path, strerror(errno));
    const sos_status status = labels_print(file, t, path, error);
    fclose(file);
    return status;
}

sos_status labels_write(const char *path, const uint8_t labels[], size_t n, sos_error *error)
{
    return table_write(path, &(table){ 1, &labels, &n, '\n' }, error);
}

sos_status label_rows_write(const char *path, size_t count, uint8_t *const rows[], const size_t n[], sos_error *error)
{
    return table_write(path, &(table){ count, (const uint8_t *const *)rows, n, ' ' }, error);
}

static sos_status file_print(const char *path, sos_error *error)
{
    FILE *file = fopen(path, "r");
    if (!file) return fail(error, SOS_ERR_IO, "cannot open '%.200s': %s", path, strerror(errno));
    char buffer[1 << 15];
    size_t got;
    while ((got = fread(buffer, 1, sizeof buffer, file)) > 0 && fwrite(buffer, 1, got, stdout) == got) continue;
    const bool failed = ferror(file) || fflush(stdout) || ferror(stdout);
    const int number = errno;
    fclose(file);
    return failed ? fail(error, SOS_ERR_IO, "cannot write standard output: %s", strerror(number)) : SOS_OK;
}

sos_status energy_write(const sos_energy *e, const char *path, sos_format format, sos_error *error)
{
    if (strcmp(path, "-")) return sos_energy_write(e, path, format, error);
    const char *folder = getenv("TMPDIR");
    char temporary[1024];
    const int length = snprintf(temporary, sizeof temporary, "%s/s3svm-XXXXXX", folder && *folder ? folder : "/tmp");
    const int number = length < (int)sizeof temporary ? mkstemp(temporary) : -1;
    if (number < 0) return fail(error, SOS_ERR_IO, "cannot make a temporary file: %s", strerror(errno));
    close(number);
    sos_status status = sos_energy_write(e, temporary, format, error);
    if (!status) status = file_print(temporary, error);
    unlink(temporary);
    return status;
}
