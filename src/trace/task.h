/* task.h - the row of this task. */
#ifndef S3SVM_TRACE_TASK_H
#define S3SVM_TRACE_TASK_H

#include <s3svm/task.h>

extern const s3svm_task s3svm_trace_task;

#endif
