/* training.h - what the tasks of s3svm train share: their options, progress, the training record, the model file. */
#ifndef S3SVM_TRAINING_H
#define S3SVM_TRAINING_H

#include <sos/sos.h>

#include "command.h"
#include "options.h"

typedef struct training {
    /* From the command line. */
    const char *output, *checkpoint;
    sos_reals C;
    double gap, epsilon, seconds;
    int64_t rounds, threads;
    int slacks;
    bool json;

    /* From the task: what was learned from, and C without --C; with validation examples, those to choose from. */
    const char *data;
    uint64_t fingerprint;
    double usual_C;
    const double *usual_values; /* NULL: 0.01 to 10000 */
    size_t usual_count;

    sos_reals values; /* of C, increasing */
} training;

extern const sos_option training_options[]; /* of the first part of training */

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
