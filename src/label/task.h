/* task.h - the row of this task. */
#ifndef SOS_LABEL_TASK_H
#define SOS_LABEL_TASK_H

#include <s3svm/task.h>

extern const sos_task sos_label_task;

#endif
