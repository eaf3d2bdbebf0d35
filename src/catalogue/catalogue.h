/* catalogue.h - the tasks that there are.  A further one is a folder with its row, and its name here. */
#ifndef SOS_CATALOGUE_CATALOGUE_H
#define SOS_CATALOGUE_CATALOGUE_H

#include "tasks/task.h"

extern const sos_task *const sos_tasks[]; /* NULL ends the list */

/* The task of a model: SOS_ERR_FORMAT if it has none, or one that is not known. */
SOS_MUST_USE sos_status sos_task_of(const sos_model *m, const sos_task **out, sos_error *error);

#endif
