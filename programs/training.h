/* training.h - what all of s3svm train shares: its options, progress, the training record, the model file. */
#ifndef S3SVM_TRAINING_H
#define S3SVM_TRAINING_H

#include <s3svm/task.h>

#include "command.h"
#include "files.h"
#include "options.h"

/* What the command line says. */
typedef struct training {
    const char *output, *checkpoint, *note;
    const char *from; /* a model to learn away from, or NULL */
    s3svm_reals C;
    double gap, epsilon; /* NaN: what serves the model best */
    double seconds, checkpoint_seconds;
    int64_t rounds, threads, searches, relax, folds; /* relax, folds: 0: none */
    int slacks, device;
    bool json, stream;             /* stream: examples are made when they are asked */
    const sos_communicator *ranks; /* that train together (ranks.h), or NULL */
} training;

extern const s3svm_option training_options[];
training training_defaults(void);

/* Checks what can be known before the data are read: the options; that model and checkpoint can be written when their time
 * comes, and over nothing that is read.  Returns OPTIONS_RUN or the exit code. */
int training_check(const command *self, const training *t, bool validation, size_t reads, const file_use read[]);

/* Trains, away from a model if it is not NULL, reports, puts the record and the note into the model and writes it; Ctrl-C keeps
 * the best so far.  data is what people call what it learned from, line the command line, to be kept in the model, or NULL.
 * Returns the exit code. */
int training_run(const training *t, const sos_model *from, const char *data, const char *line, s3svm_lesson *lesson);

/* The model to learn away from, to free; NULL where none is named.  Returns the exit code. */
int training_from(const training *t, sos_model **out);

/* What models keep about where they come from.  The last part of a path: what data are called wherever they lie; and the
 * command line without folders, made before the options are parsed, which moves words about.  Both to free; NULL: no memory. */
char *training_name(const char *path);
char *training_line(const char *name, int argc, char *argv[]);

/* Where the model comes from, the command line and the note, as facts: a model that goes on from another one says nothing of
 * what that was trained by. */
SOS_MUST_USE sos_status training_facts_set(const training *t, const char *line, sos_model *m, sos_error *error);

/* ---- training_own.c ---- */

/* Whether the task adapts this model to somebody's own pictures, with cross-validation that says whether it helped: unless the
 * command line says how weights are to be trained. */
bool training_is_own(const training *t, bool validation, const s3svm_task *task, const void *settings, const sos_model *from);

/* Does so, reports, and writes the new model, or the old one where nothing was gained.  Returns the exit code. */
int training_own(const training *t, const s3svm_task *task, const void *settings, const sos_model *from,
                 const s3svm_lesson_data *data, const char *line);

/* ---- training_report.c ---- */

/* What a run is doing and has found. */
typedef struct training_state {
    const training *t;
    const sos_model *from; /* to learn away from, or NULL */
    const char *data;
    const s3svm_lesson *lesson;
    s3svm_reals values;   /* of C, increasing */
    sos_train_round seen; /* the last round */
    sos_path_point path[S3SVM_REALS_MAX];
    size_t best;                    /* of the path */
    size_t folds;                   /* of a cross-validation that chooses C; 0: none does */
    double folded[S3SVM_REALS_MAX]; /* of a cross-validation: the loss of each value of C */
    double training_loss;           /* of the model that is written; NaN: not known */
    bool interrupted;               /* by Ctrl-C, on any rank */
    bool estimated;                 /* people were told how long it may take */
} training_state;

static inline bool training_has_folds(const training_state *s) { return s->folds > 0; }
static inline bool training_has_path(const training_state *s)
{
    return !training_has_folds(s) && s->lesson->validation_count > 0;
}

enum { TRAINING_ROUND_TEXT = 280 };
void training_round_text(const training_state *s, const sos_train_round *r, char text[TRAINING_ROUND_TEXT]);
void training_round_json(const training_state *s, const sos_train_round *r); /* a line on standard output */

/* The record as the fact "training", and texts as facts. */
SOS_MUST_USE sos_status training_record_set(const training_state *s, sos_error *error);
SOS_MUST_USE sos_status training_fact_set(sos_model *m, const char *key, const char *text, sos_error *error);

/* What came out, on standard output, and what people should note on standard error. */
void training_report(const training_state *s);

#endif
