/* task.h - the rows of this task and of its experiments. */
#ifndef SOS_DENOISE_TASK_H
#define SOS_DENOISE_TASK_H

#include <s3svm/task.h>

extern const sos_task sos_denoise_task;
extern const sos_experiment sos_denoise_experiment_row, sos_dashes_experiment_row;

#endif
