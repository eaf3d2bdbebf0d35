/* catalogue.c - the tasks that there are.  A further one is a folder with its row, and the row's name here. */
#include <string.h>

#include <s3svm/task.h>

#include "base/error.h"
#include "denoise/task.h"
#include "label/task.h"
#include "segment/task.h"
#include "tasks/facts.h"

static const sos_task *const TASKS[] = { &sos_denoise_task, &sos_segment_task, &sos_label_task };

const sos_task *sos_task_at(size_t i) { return i < sizeof TASKS / sizeof *TASKS ? TASKS[i] : NULL; }

const sos_task *sos_task_find(const char *name)
{
    size_t i = 0;
    while (sos_task_at(i) && strcmp(TASKS[i]->name, name) != 0) i++;
    return sos_task_at(i);
}

sos_status sos_task_of(const sos_model *m, const sos_task **out, sos_error *error)
{
    char name[32];
    const sos_status status = sos_facts_task_name(m, sizeof name, name, error);
    if (status) return status;
    const sos_task *found = sos_task_find(name);
    if (!found) return sos_fail(error, SOS_ERR_FORMAT, "the model is for the task \"%s\", which is not known here", name);
    *out = found;
    return SOS_OK;
}
