/* truth.h - compares labels with the true ones of an object (<s3svm/truth.h>). */
#ifndef S3SVM_TASKS_TRUTH_H
#define S3SVM_TASKS_TRUTH_H

#include <s3svm/task.h>
#include <s3svm/truth.h>

/* The judge of tasks whose true labels are an object's: what is not sure is background, as the paper counts, and left out of
 * the extra score. */
SOS_MUST_USE sos_status s3svm_truth_judge(const s3svm_item *item, const s3svm_image *labels, s3svm_confusion *counts,
                                          s3svm_task_score *score, sos_error *error);

/* ---- steps of lessons (tasks/lesson_steps.h) whose truths are those of an object ---- */

/* A member of what the task has; all zeros but for unsure. */
typedef struct s3svm_truth_steps {
    int unsure;                 /* a number, or S3SVM_UNSURE_TOLD */
    s3svm_truth_survey *survey; /* of the set that is being looked at; or NULL */
    s3svm_truth_code code;      /* of the set that was looked at last */
} s3svm_truth_steps;

void s3svm_truth_steps_free(s3svm_truth_steps *t);
SOS_MUST_USE sos_status s3svm_truth_steps_look(s3svm_truth_steps *t, const s3svm_image *labels, const char *name,
                                               sos_error *error);
SOS_MUST_USE sos_status s3svm_truth_steps_settle(s3svm_truth_steps *t, const char *name, bool learn, const sos_work *work,
                                                 sos_error *error);
SOS_MUST_USE sos_status s3svm_truth_steps_decode(const s3svm_truth_steps *t, const s3svm_image *labels, const char *name,
                                                 uint8_t **truth, uint8_t **care, sos_error *error);

#endif
