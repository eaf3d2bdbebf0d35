/* files.h - energies and labels in files; "-" is standard input or output; and what may be written where. */
#ifndef S3SVM_FILES_H
#define S3SVM_FILES_H

#include <sos/sos.h>

/* The names of formats on the command line, and which is meant. */
#define FILES_FORMATS "auto|sos|uai|uai-energies|dimacs|binary"
static inline sos_format files_format(int choice)
{
    return choice > SOS_FORMAT_DIMACS ? SOS_FORMAT_BINARY : (sos_format)choice;
}

typedef struct input {
    const char *name; /* for people: the path, or "standard input" */
    sos_energy *energy;
    sos_format format; /* found by looking, if AUTO was asked for */
    double seconds;    /* reading and parsing */
} input;

/* uai_energies: take the tables of a UAI file for costs. */
SOS_MUST_USE sos_status input_read(input *in, const char *path, sos_format format, bool uai_energies, sos_error *error);
void input_free(input *in);

/* All of a text file, to free. */
SOS_MUST_USE sos_status text_read(const char *path, char **text, size_t *length, sos_error *error);
const char *text_name(const char *path); /* for people: the path, or "standard input" */

/* One label per line. */
SOS_MUST_USE sos_status labels_write(const char *path, const uint8_t labels[], size_t n, sos_error *error);

/* The labels of one example per line, count lines; row i has n[i] labels. */
SOS_MUST_USE sos_status label_rows_write(const char *path, size_t count, uint8_t *const rows[], const size_t n[],
                                         sos_error *error);

/* As sos_energy_write; "-" is standard output. */
SOS_MUST_USE sos_status energy_write(const sos_energy *e, const char *path, sos_format format, sos_error *error);

/* Flushes standard output, and says whether all of it was taken.  Where its reader has gone, as head does, nobody misses what
 * was not. */
SOS_MUST_USE sos_status standard_finish(sos_error *error);

/* The model of a file or, where there is no file of that name, the one of that name inside the program; *inside says which. */
SOS_MUST_USE sos_status model_find(const char *name, sos_model **out, bool *inside, sos_error *error);

/* ---- before anything is written; all return the exit code ---- */

/* A file that a command was told to read or to write. */
typedef struct file_use {
    const char *option; /* that named it, such as "-o"; of an input, "" */
    const char *path;   /* NULL and "-": none */
} file_use;

/* No output may be one of the inputs, nor another output: not by another name of the same file either. */
int files_guard(size_t reads, const file_use read[], size_t writes, const file_use written[]);

/* The same for the files of a data set: none of images/, labels/ and scribbles/ in the folder, which may be NULL. */
int dataset_guard(const char *folder, size_t writes, const file_use written[]);

/* Whether a file can be written there when its time comes: better known before long work than after. */
int output_try(const char *path);

#endif
