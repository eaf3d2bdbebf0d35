/* task_model.h - inside a prepared model. */
#ifndef SOS_TASKS_TASK_MODEL_H
#define SOS_TASKS_TASK_MODEL_H

#include <s3svm/task.h>

struct sos_task_model {
    const sos_task *task;
    void *prepared; /* of the task */
    size_t maps;    /* channels that it needs */
};

#endif
