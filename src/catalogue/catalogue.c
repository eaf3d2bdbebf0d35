/* catalogue.c - all tasks.  A new task is a folder with its row, and the row's name here. */
#include <string.h>

#include <s3svm/task.h>

#include "base/error.h"
#include "denoise/task.h"
#include "label/task.h"
#include "segment/task.h"
#include "tasks/facts.h"
#include "trace/task.h"

static const s3svm_task *const TASKS[] = { &s3svm_denoise_task, &s3svm_segment_task, &s3svm_label_task, &s3svm_trace_task };

const s3svm_task *s3svm_task_at(size_t i) { return i < sizeof TASKS / sizeof *TASKS ? TASKS[i] : NULL; }

const s3svm_task *s3svm_task_find(const char *name)
{
    size_t i = 0;
    while (s3svm_task_at(i) && strcmp(TASKS[i]->name, name) != 0) i++;
    return s3svm_task_at(i);
}

sos_status s3svm_task_of(const sos_model *m, const s3svm_task **out, sos_error *error)
{
    char name[32];
    const sos_status status = s3svm_facts_task_name(m, sizeof name, name, error);
    if (status) return status;
    const s3svm_task *found = s3svm_task_find(name);
    if (!found) return sos_fail(error, SOS_ERR_FORMAT, "the model is for the task \"%s\", which is unknown", name);
    *out = found;
    return SOS_OK;
}
