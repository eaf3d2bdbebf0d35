/* task.h - the rows of this task and of its experiments. */
#ifndef SOS_SEGMENT_TASK_H
#define SOS_SEGMENT_TASK_H

#include <s3svm/task.h>

extern const sos_task sos_segment_task;
extern const sos_experiment sos_segment_experiment_row, sos_clicks_experiment_row;

#endif
