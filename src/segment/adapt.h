/* adapt.h - what the files adapt*.c share, and what the row of the task has of them. */
#ifndef S3SVM_SEGMENT_ADAPT_H
#define S3SVM_SEGMENT_ADAPT_H

#include <s3svm/adapt.h>
#include <s3svm/task.h>

#include "segment/model/model.h"

/* A piece of the work: who is told of it. */
typedef struct s3svm_adapt_progress {
    const s3svm_adapt_settings *settings;
    s3svm_adapt_phase phase;
    size_t fold, folds;
    double from, to; /* the part of everything that it is */
    bool stopped;
} s3svm_adapt_progress;

/* How far it has come, from 0 to 1; false: stop.  From any thread. */
bool s3svm_adapt_tell(s3svm_adapt_progress *c, double done, const sos_train_round *round);

/* Work that tells of it. */
sos_work s3svm_adapt_work(s3svm_adapt_progress *c);

/* How far weights may go: C for each example.  With the first one they stay as they are; the usual one is for when nothing is
 * left to choose by. */
enum { S3SVM_ADAPT_STRENGTHS = 3, S3SVM_ADAPT_USUAL = 1 };

/* The model's weights, away from those that it has, by the photographs that are chosen. */
SOS_MUST_USE sos_status s3svm_adapt_weights(const s3svm_own_lesson *l, const bool chosen[], size_t strength,
                                            s3svm_adapt_progress *progress, sos_model *m, sos_error *error);

/* The sum of its losses on the examples of photographs that are not chosen. */
SOS_MUST_USE sos_status s3svm_adapt_loss(const s3svm_own_lesson *l, const bool chosen[], const sos_model *m, int threads,
                                         double *loss, sos_error *error);

/* ---- the row (adapt_lesson.c; <s3svm/task.h>) ---- */

bool s3svm_segment_adapts(const void *settings, const sos_model *from);
SOS_MUST_USE sos_status s3svm_segment_adapt_data(const void *settings, const sos_model *from, const s3svm_lesson_data *data,
                                                 const s3svm_adapt_settings *adapt, sos_model **out, s3svm_adapt_result *result,
                                                 sos_error *error);

#endif
