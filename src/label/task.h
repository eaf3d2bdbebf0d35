/* task.h - the rows of this task and of its experiment. */
#ifndef SOS_LABEL_TASK_H
#define SOS_LABEL_TASK_H

#include <s3svm/task.h>

extern const sos_task sos_label_task;
extern const sos_experiment sos_label_experiment_row;

#endif
