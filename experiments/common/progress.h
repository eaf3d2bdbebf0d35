/* progress.h - how far a long piece of work has come: steps one after the other, each worth about what it takes; within a step,
 * stages; and whether it was cancelled. */
#ifndef S3SVM_EXPERIMENTS_COMMON_PROGRESS_H
#define S3SVM_EXPERIMENTS_COMMON_PROGRESS_H

#include <stdbool.h>

#include <sos/status.h>

/* Starts with progress, user and total, the rest 0. */
typedef struct s3svm_progress {
    sos_progress *progress; /* or NULL */
    void *user;
    double total;      /* what all steps are worth */
    double done, step; /* what the steps before are worth, and the present one */
    double from, to;   /* the present stage, as parts of the step */
    char phase[160];
    bool stopped; /* progress has said so */
} s3svm_progress;

/* Begins a step, which is one stage; the format says what it is. */
void s3svm_progress_begin(s3svm_progress *c, double worth, const char *format, ...) __attribute__((format(printf, 3, 4)));
SOS_MUST_USE sos_status s3svm_progress_end(s3svm_progress *c, sos_error *error); /* SOS_CANCELLED: stop */

/* From now on parts are parts of this stage of the step. */
void s3svm_progress_stage(s3svm_progress *c, double from, double to);

/* How far the stage has come, from 0 to 1; false: stop.  From any thread, one at a time. */
bool s3svm_progress_report(s3svm_progress *c, double part);

/* The same as a sos_progress, whose user is the progress. */
bool s3svm_progress_callback(void *progress, const char *phase, double part);

#endif
