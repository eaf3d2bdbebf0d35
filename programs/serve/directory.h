/* directory.h - files in a folder that is open: by their names, without following links, so that nothing outside of it is read
 * or written; and whole or not at all, also if the power fails.
 *
 * Names are those that were found in the folder, or made of them: never those of a request. */
#ifndef S3SVM_SERVE_DIRECTORY_H
#define S3SVM_SERVE_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sos/status.h>

enum { DIRECTORY_NAME = 256 };

/* A folder in another one, which is made where it is missing and wanted; -1: there is none, or it is a link (errno). */
int directory_open(int parent, const char *name, bool make);

/* What tells one content of a file from another without reading it; zeros: there is no such file. */
typedef struct stamp {
    uint64_t size, seconds, nanoseconds, number;
} stamp;
stamp directory_stamp(int directory, const char *name);
static inline bool stamp_is_there(const stamp *s) { return s->number; }
bool stamp_is_same(const stamp *a, const stamp *b);

/* All of a file of at most so many bytes, to free, with a zero byte behind them. */
SOS_MUST_USE sos_status directory_read(int directory, const char *name, size_t most, char **bytes, size_t *length,
                                       sos_error *error);

/* By way of a temporary file, which is on the disk before it takes the name. */
SOS_MUST_USE sos_status directory_write(int directory, const char *name, const void *bytes, size_t length, sos_error *error);

/* Gives a file another name, in another folder of the same disk; what has that name is replaced. */
SOS_MUST_USE sos_status directory_move(int from, const char *name, int to, const char *other, sos_error *error);

/* Removes temporary files that were left by a server that was killed. */
void directory_sweep(int directory);

/* Names of the files in a folder, in the order of their bytes, without those that begin with a point; to free. */
typedef struct names {
    size_t count, room;
    char (*list)[DIRECTORY_NAME];
} names;
SOS_MUST_USE sos_status directory_list(int directory, size_t most, names *out, sos_error *error);
void names_free(names *n);

#endif
