/* options.h - the command line: options in any order among the arguments, --help and messages from tables (s3svm/option.h). */
#ifndef S3SVM_OPTIONS_H
#define S3SVM_OPTIONS_H

#include <s3svm/option.h>

#include "command.h"

/* A table, and the struct that it fills. */
typedef struct option_set {
    const s3svm_option *options; /* NULL ends a list of sets */
    void *settings;
} option_set;

enum { OPTIONS_RUN = -1 };

/* Sets the values and moves what is not an option to the front of argv, *count of them.  Returns OPTIONS_RUN, or the exit
 * code: after --help, or after a message about what is wrong. */
int options_parse(const command *self, const option_set sets[], int argc, char *argv[], int *count);

/* The same for one table. */
int options_parse_table(const command *self, const s3svm_option options[], void *settings, int argc, char *argv[], int *count);

/* What --help does, instead of printing: told what a command and its options are.  NULL: prints again. */
typedef void options_listener(void *user, const command *self, const option_set sets[]);
void options_listen(options_listener *listener, void *user);

/* Prints "s3svm NAME: ..." and where to find help; returns COMMAND_USAGE. */
int options_wrong(const command *self, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* --device, in the order of sos_device.  Who asks for a card and has none is told. */
#define OPTIONS_DEVICES "auto|cpu|card"
void options_device_check(int device);

/* The word nearest to the given one that is near enough to be meant, or NULL.  words[i] may be NULL. */
const char *options_nearest(const char *word, const char *const words[], size_t count);

#endif
