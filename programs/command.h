/* command.h - a subcommand of s3svm.  A new one is a file with its run function, and a line in main.c. */
#ifndef S3SVM_COMMAND_H
#define S3SVM_COMMAND_H

#include <stdarg.h>
#include <stddef.h>

enum {
    COMMAND_DONE = 0,
    COMMAND_FAILED = 1,
    COMMAND_USAGE = 2, /* the command line itself is wrong */
    COMMAND_INTERRUPTED = 130
};

typedef struct command {
    const char *name;
    const char *arguments;                                          /* for the usage line, such as "FILE..." */
    const char *summary;                                            /* half a line, for the list of commands */
    const char *details;                                            /* paragraphs for its own help */
    void (*list)(void);                                             /* prints lines that follow the details; or NULL */
    const char *(*child)(size_t i);                                 /* words that make it another command; or NULL */
    const char *examples;                                           /* lines, each a command */
    int (*run)(const struct command *self, int argc, char *argv[]); /* argv without the name; returns the exit code */
} command;

extern const command minimize_command, convert_command, train_command, predict_command, make_data_command, add_noise_command,
    experiment_command, evaluate_command, segment_command, inspect_command, manual_command, completion_command,
    make_scribbles_command, serve_command, calibrate_command;

/* The list of commands; NULL ends it. */
extern const command *const commands[];

/* Asks a command, and then each of its children, for its help (options_listen). */
void command_describe(const command *c);

/* Prints begin, the words and end to standard error. */
void command_say(const char *begin, const char *format, va_list arguments, const char *end)
    __attribute__((format(printf, 2, 0)));

/* Prints "s3svm: ..." to standard error and returns COMMAND_FAILED. */
int command_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* From now on what goes wrong is kept instead of printed, the first of it, for command_held: see ranks.h. */
void command_hold(void);
const char *command_held(void);

/* Prints "s3svm: note: ..." to standard error. */
void command_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
