/* curve_recorder.h - records the learning curve of a training and reports its progress, which may cancel it. */
#ifndef S3SVM_EXPERIMENTS_COMMON_CURVE_RECORDER_H
#define S3SVM_EXPERIMENTS_COMMON_CURVE_RECORDER_H

#include <sos/learn.h>

#include "experiments/common/curve.h"
#include "experiments/common/progress.h"

/* Starts with what is known beforehand, the rest 0. */
typedef struct s3svm_curve_recorder {
    s3svm_progress *progress;
    double gap;         /* that is wanted */
    size_t values;      /* of C, along a path; 0: there is one C */
    const double *C;    /* these, which rise */
    s3svm_curve *curve; /* NULL: not kept */
    double before;      /* seconds spent before training, for the curve */
    double *seconds;    /* when each C of a path was done, by the clock; or NULL */
    double *processor;  /* the same, in processor time of the program; or NULL */
    bool no_memory;     /* for the curve */
} s3svm_curve_recorder;

/* A settings' progress, whose user is the recorder: the stage of the progress is the training. */
bool s3svm_curve_record(void *recorder, const sos_train_round *r);

/* What training comes to that returned status. */
SOS_MUST_USE sos_status s3svm_curve_end(const s3svm_curve_recorder *f, sos_status status, sos_error *error);

#endif
