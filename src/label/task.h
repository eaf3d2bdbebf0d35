/* task.h - the row of this task. */
#ifndef S3SVM_LABEL_TASK_H
#define S3SVM_LABEL_TASK_H

#include <s3svm/label.h>
#include <s3svm/task.h>

extern const s3svm_task s3svm_label_task;

/* The model that the task has prepared. */
const s3svm_label_model *s3svm_label_task_model(const void *prepared);

#endif
