/* clicks_learn.h - methods that learn from some photographs of a split; for clicks*.c only. */
#ifndef S3SVM_EXPERIMENTS_SEGMENT_CLICKS_LEARN_H
#define S3SVM_EXPERIMENTS_SEGMENT_CLICKS_LEARN_H

#include "experiments/segment/clicks.h"
#include "tasks/split.h"

/* How many photographs of a split are learned from: as many as the method does that learns from most. */
size_t s3svm_clicks_lesson(const s3svm_clicks_plan *p);

/* Adds the methods of the plan that learn, with a model for each split. */
SOS_MUST_USE sos_status s3svm_clicks_learn(s3svm_clicks_results *r, sos_error *error);

/* ---- clicks.c ---- */

size_t s3svm_clicks_splits(const s3svm_clicks_plan *p); /* that have a model of their own */

/* All pictures in the order of a split, those to test on last; what is for what goes into *parts. */
SOS_MUST_USE sos_status s3svm_clicks_order(const s3svm_clicks_results *r, size_t split, s3svm_parts *parts, size_t order[],
                                           sos_error *error);

/* Another method, with room for a model for each split where it has models. */
SOS_MUST_USE sos_status s3svm_clicks_method_add(s3svm_clicks_results *r, bool models, const char *word, const char *name,
                                                s3svm_clicks_method **out, sos_error *error);

/* A path with the number of a split, from 1, in the place of {}. */
void s3svm_clicks_path(const char *pattern, size_t split, size_t room, char path[]);

/* The model of a file, or the one of that name inside. */
SOS_MUST_USE sos_status s3svm_clicks_model_read(const char *path, sos_model **out, sos_error *error);

#endif
