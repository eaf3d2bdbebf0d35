#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include "files.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <s3svm/embedded.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/output.h"
#include "base/path.h"
#include "command.h"

static bool is_standard(const char *path) { return !strcmp(path, "-"); }

/* ---------------------------------------------------------------- input */

const char *text_name(const char *path) { return is_standard(path) ? "standard input" : path; }

sos_status text_read(const char *path, char **text, size_t *length, sos_error *error)
{
    if (is_standard(path)) return sos_stream_read(stdin, text_name(path), SOS_CONTENT_TEXT, text, length, error);
    return sos_file_read(path, SOS_CONTENT_TEXT, text, length, error);
}

sos_status input_read(input *in, const char *path, sos_format format, bool uai_energies, sos_error *error)
{
    const double started = sos_seconds();
    *in = (input){ .name = text_name(path) };
    char *text = NULL;
    size_t length = 0;
    sos_status status = is_standard(path) ? sos_stream_read(stdin, in->name, SOS_CONTENT_MARKED, &text, &length, error)
                                          : sos_file_read(path, SOS_CONTENT_MARKED, &text, &length, error);
    if (status) return status;
    in->format = format == SOS_FORMAT_AUTO ? sos_format_recognise(text, length) : format;
    if (in->format == SOS_FORMAT_UAI && uai_energies) in->format = SOS_FORMAT_UAI_ENERGIES;
    status = sos_energy_parse(text, length, in->name, in->format, &in->energy, error);
    free(text);
    in->seconds = sos_seconds() - started;
    return status;
}

void input_free(input *in)
{
    sos_energy_free(in->energy);
    in->energy = NULL;
}

/* ---------------------------------------------------------------- standard output */

static bool reader_is_gone(void)
{
    struct pollfd end = { .fd = STDOUT_FILENO };
    return poll(&end, 1, 0) == 1 && end.revents & (POLLERR | POLLHUP);
}

sos_status standard_finish(sos_error *error)
{
    errno = 0;
    if (!fflush(stdout) && !ferror(stdout)) return SOS_OK;
    const int number = errno;
    clearerr(stdout); /* it is said once */
    if (number == EPIPE || reader_is_gone()) return SOS_OK;
    return sos_fail(error, SOS_ERR_IO, "cannot write standard output: %s",
                    number ? strerror(number) : "not all bytes were written");
}

/* ---------------------------------------------------------------- labels */

/* Labels in rows, each of which ends with a newline. */
typedef struct table {
    size_t count;
    const uint8_t *const *rows; /* [count] */
    const size_t *n;            /* [count] */
    char between;               /* the labels of a row */
} table;

static void labels_print(FILE *file, const table *t)
{
    for (size_t r = 0; r < t->count; r++)
        for (size_t i = 0; i < t->n[r]; i++)
            fprintf(file, "%u%c", (unsigned)t->rows[r][i], i + 1 < t->n[r] ? t->between : '\n');
}

static sos_status table_write(const char *path, const table *t, sos_error *error)
{
    sos_output out;
    if (is_standard(path)) {
        labels_print(stdout, t);
        return standard_finish(error);
    }
    const sos_status status = sos_output_open(&out, path, error);
    if (status) return status;
    labels_print(out.file, t);
    return sos_output_commit(&out);
}

sos_status labels_write(const char *path, const uint8_t labels[], size_t n, sos_error *error)
{
    return table_write(path, &(table){ 1, &labels, &n, '\n' }, error);
}

sos_status label_rows_write(const char *path, size_t count, uint8_t *const rows[], const size_t n[], sos_error *error)
{
    return table_write(path, &(table){ count, (const uint8_t *const *)rows, n, ' ' }, error);
}

/* ---------------------------------------------------------------- energies */

sos_status energy_write(const sos_energy *e, const char *path, sos_format format, sos_error *error)
{
    if (!is_standard(path)) return sos_energy_write(e, path, format, error);
    const sos_status status = sos_energy_write_stream(e, stdout, format, error);
    if (status != SOS_ERR_IO) return status;
    clearerr(stdout);
    return reader_is_gone() ? SOS_OK : status;
}

/* ---------------------------------------------------------------- models */

sos_status model_find(const char *name, sos_model **out, bool *inside, sos_error *error)
{
    *inside = false;
    for (size_t i = 0; s3svm_embedded_name(i); i++)
        if (!strcmp(s3svm_embedded_name(i), name)) *inside = !sos_path_exists(name);
    return *inside ? s3svm_embedded_model(name, out, error) : sos_model_read(name, out, error);
}

/* ---------------------------------------------------------------- what may be written */

static bool is_there(const file_use *f) { return f->path && !is_standard(f->path); }

static int twin_check(const file_use *a, const file_use *b)
{
    if (!is_there(a) || !is_there(b) || !sos_path_meets(a->path, b->path)) return COMMAND_DONE;
    command_fail("%s and %s cannot both be '%s'", a->option, b->option, b->path);
    return COMMAND_USAGE;
}

static int input_guard(const file_use *read, const file_use *written)
{
    if (!is_there(read) || !is_there(written) || !sos_path_is_same(read->path, written->path)) return COMMAND_DONE;
    return command_fail("'%s' would be overwritten; choose another name for %s", read->path, written->option);
}

int files_guard(size_t reads, const file_use read[], size_t writes, const file_use written[])
{
    int code = COMMAND_DONE;
    for (size_t i = 0; i < writes; i++) {
        for (size_t k = 0; k < reads && !code; k++) code = input_guard(&read[k], &written[i]);
        for (size_t k = 0; k < i && !code; k++) code = twin_check(&written[k], &written[i]);
    }
    return code;
}

static int subfolder_guard(const char *folder, const char *subfolder, const file_use *written)
{
    if (!is_there(written) || !sos_path_exists(written->path)) return COMMAND_DONE;
    char *pictures = sos_path_join(folder, subfolder, ""), *here = sos_path_folder(written->path);
    const bool inside = pictures && here && sos_path_is_same(pictures, here);
    free(pictures);
    free(here);
    if (!inside) return COMMAND_DONE;
    return command_fail("'%s' would be overwritten; choose another name for %s", written->path, written->option);
}

int dataset_guard(const char *folder, size_t writes, const file_use written[])
{
    static const char *const subfolders[] = { "images", "labels", "scribbles", "maps" };
    int code = COMMAND_DONE;
    for (size_t i = 0; folder && i < writes; i++)
        for (size_t k = 0; k < sizeof subfolders / sizeof *subfolders && !code; k++)
            code = subfolder_guard(folder, subfolders[k], &written[i]);
    return code;
}

/* A pipe or a device is left alone: opening it could be all that its other end waits for. */
int output_try(const char *path)
{
    struct stat found;
    sos_output out;
    sos_error error;
    if (!stat(path, &found) && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode)) return COMMAND_DONE;
    if (sos_output_open(&out, path, &error)) return command_fail("%s", error.message);
    sos_output_abandon(&out);
    return COMMAND_DONE;
}
