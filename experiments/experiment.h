/* experiment.h - an experiment as the command knows it: a name, options, and a run that writes a report. */
#ifndef S3SVM_EXPERIMENTS_EXPERIMENT_H
#define S3SVM_EXPERIMENTS_EXPERIMENT_H

#include <stdio.h>

#include <sos/status.h>

#include <s3svm/option.h>
#include <sos/work.h>

typedef struct s3svm_experiment {
    const char *name;
    const char *summary;  /* half a line */
    const char *details;  /* paragraphs for its help */
    const char *examples; /* lines, each a command */
    const s3svm_form *form;

    /* Runs it and writes a report into the folder, which is there; command says in it how it was run.  What came out, in a few
     * lines for people, goes to summary.  SOS_CANCELLED: stopped; the message says what the report holds, if there is one. */
    sos_status (*run)(const void *settings, const sos_work *work, const char *folder, const char *command, FILE *summary,
                      sos_error *error);
} s3svm_experiment;

/* All of them; NULL ends the list.  It is all that the command sees of the part it loads, under a name that tells the version.
 */
#define S3SVM_EXPERIMENTS "s3svm_experiments_1"
SOS_API extern const s3svm_experiment *const s3svm_experiments_1[];

extern const s3svm_experiment s3svm_denoise_experiment_row, s3svm_dashes_experiment_row, s3svm_segment_experiment_row,
    s3svm_clicks_experiment_row, s3svm_label_experiment_row, s3svm_trace_experiment_row;

#endif
