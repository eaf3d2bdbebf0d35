/* task_model.h - the internals of a prepared model. */
#ifndef S3SVM_TASKS_TASK_MODEL_H
#define S3SVM_TASKS_TASK_MODEL_H

#include <s3svm/task.h>

struct s3svm_task_model {
    const s3svm_task *task;
    void *prepared; /* of the task */
    size_t maps;    /* channels that it needs */
};

/* Labels as the picture that people expect, in memory: in grey, or in colours where they are numbered. */
SOS_MUST_USE sos_status s3svm_task_model_show(const s3svm_task_model *m, const s3svm_image *labels, s3svm_image *out,
                                              sos_error *error);

#endif
