/* options.h - the command line: options in any order among the arguments, --help and messages from one table. */
#ifndef S3SVM_OPTIONS_H
#define S3SVM_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "command.h"

typedef enum option_kind {
    OPTION_FLAG,    /* bool: set to true; --no-reduce and the like are flags of their own */
    OPTION_TEXT,    /* const char * */
    OPTION_INTEGER, /* long, least ... most */
    OPTION_REAL,    /* double, finite */
    OPTION_BYTES,   /* size_t, with K, M or G for powers of 1024 */
    OPTION_CHOICE   /* int: the number of the word in argument, "first|second" */
} option_kind;

typedef struct option {
    const char *name; /* without the dashes; NULL ends the table */
    char letter;      /* 0: none */
    option_kind kind;
    void *value;          /* of the type above; left alone unless the option is given */
    const char *argument; /* what help calls the value */
    const char *help;
    long least, most; /* OPTION_INTEGER */
} option;

enum { OPTIONS_RUN = -1 };

/* Sets the values and moves what is not an option to the front of argv, *count of them.  Returns OPTIONS_RUN, or the exit
 * code: after --help, or after a message about what is wrong. */
int options_parse(const command *self, const option options[], int argc, char *argv[], int *count);

/* Prints "s3svm NAME: ..." and where to find help; returns COMMAND_USAGE. */
int options_wrong(const command *self, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "0.5,0.7,1": at most so many finite numbers into values.  Returns how many, 0 where the text is anything else. */
size_t options_reals(const char *text, size_t most, double values[]);

bool options_size(const char *text, size_t *width, size_t *height); /* "400x200" */

/* The word nearest to the given one that is near enough to be meant, or NULL.  words[i] may be NULL. */
const char *options_nearest(const char *word, const char *const words[], size_t count);

#endif
