/* adapt.h - what the files adapt*.c share. */
#ifndef S3SVM_SEGMENT_ADAPT_H
#define S3SVM_SEGMENT_ADAPT_H

#include <s3svm/adapt.h>

/* One of the models that are learned: who is told of it. */
typedef struct s3svm_adapt_progress {
    const s3svm_adapt_settings *settings;
    size_t fold, folds;
    double from, to; /* the part of everything that it is */
    s3svm_adapt_phase phase;
    bool stopped;
} s3svm_adapt_progress;

/* How far its phase has come, from 0 to 1; false: stop.  From any thread. */
bool s3svm_adapt_tell(s3svm_adapt_progress *c, double done, const sos_train_round *round);

/* A model that has learned from these photographs, too. */
SOS_MUST_USE sos_status s3svm_adapt_learn(const sos_model *from, size_t count, const s3svm_marked *const photographs[],
                                          s3svm_adapt_progress *progress, sos_model **out, sos_error *error);

#endif
