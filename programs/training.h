/* training.h - what the tasks of s3svm train share: their options, progress, the training record, the model file. */
#ifndef S3SVM_TRAINING_H
#define S3SVM_TRAINING_H

#include <sos/sos.h>

#include "command.h"
#include "options.h"

enum { TRAINING_VALUES_MAX = 64 };

typedef struct training {
    /* From the command line. */
    const char *output, *C, *checkpoint;
    double gap, epsilon, seconds;
    long rounds, threads;
    int slacks;
    bool json;

    /* From the task: what was learned from, and C without --C; with validation examples, those to choose from. */
    const char *data;
    uint64_t fingerprint;
    double usual_C;
    const double *usual_values; /* NULL: 0.01 to 10000 */
    size_t usual_count;

    double values[TRAINING_VALUES_MAX]; /* of C, increasing */
    size_t values_count;
} training;

/* Rows of an option table. */
/* clang-format off */
#define TRAINING_OPTIONS(t)                                                                                                    \
    { "output", 'o', OPTION_TEXT, &(t).output, "MODEL", "write the model to this file", 0, 0 },                                \
    { "C", 0, OPTION_TEXT, &(t).C, "LIST", "how much errors weigh against large weights: 1, or 0.1,1,10", 0, 0 },              \
    { "slacks", 0, OPTION_CHOICE, &(t).slacks, "auto|1|n", "slack variables: one, or one per example", 0, 0 },                 \
    { "gap", 0, OPTION_REAL, &(t).gap, "G", "stop at this relative duality gap", 0, 0 },                                       \
    { "epsilon", 0, OPTION_REAL, &(t).epsilon, "E", "or where no slack is wrong by more than E (off)", 0, 0 },                 \
    { "rounds", 0, OPTION_INTEGER, &(t).rounds, "N", "or after N rounds, for each C (no limit)", 0, 1000000000 },              \
    { "seconds", 0, OPTION_REAL, &(t).seconds, "S", "or after S seconds (no limit)", 0, 0 },                                   \
    { "threads", 0, OPTION_INTEGER, &(t).threads, "N", "use N threads (0: all cores); the model is the same", 0, 4096 },       \
    { "checkpoint", 0, OPTION_TEXT, &(t).checkpoint, "FILE", "keep the state here, and go on from it if it is there", 0, 0 },  \
    { "json", 0, OPTION_FLAG, &(t).json, NULL, "print JSON lines: an object per round, then a summary", 0, 0 }
/* clang-format on */

/* The library's defaults, for the options to change. */
training training_defaults(void);

/* Checks the options, and that the model can be written when it is there.  Returns OPTIONS_RUN or the exit code. */
int training_check(const command *self, training *t, bool validation);

/* Trains, reports, puts the record into the model and writes it; Ctrl-C keeps the best so far.  Returns the exit code. */
int training_run(const training *t, sos_model *m, size_t count, sos_example *const examples[], size_t validation_count,
                 sos_example *const validation[]);

/* Before training_run, for a task's lesson about data: read, which returns an exit code, while Ctrl-C is heard, then make the
 * model and its examples.  Returns the exit code. */
int training_prepare(const char *data, void *lesson, int (*read)(void *lesson),
                     sos_status (*make)(void *lesson, sos_error *error));

/* What models keep about where they come from.  The last part of a path: what data are called wherever they lie; and the
 * command line without folders, made before the options are parsed, which moves words about.  Both to free; NULL: no memory. */
char *training_name(const char *path);
char *training_line(const char *name, int argc, char *argv[]);

/* Sets a fact to a text, which becomes JSON. */
SOS_MUST_USE sos_status training_fact(sos_model *m, const char *key, const char *text, sos_error *error);

/* The tasks that make their own examples: s3svm train WORD. */
extern const command train_denoise_command, train_segment_command, train_label_command;

#endif
