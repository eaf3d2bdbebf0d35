/* task.h - the row of this task. */
#ifndef SOS_SEGMENT_TASK_H
#define SOS_SEGMENT_TASK_H

#include <s3svm/task.h>

extern const sos_task sos_segment_task;

#endif
