/* task.h - the row of this task. */
#ifndef SOS_DENOISE_TASK_H
#define SOS_DENOISE_TASK_H

#include <s3svm/task.h>

extern const sos_task sos_denoise_task;

#endif
