#include "catalogue/catalogue.h"

#include <string.h>

#include "base/error.h"
#include "tasks/facts.h"

extern const sos_task sos_denoise_task, sos_segment_task, sos_label_task;

const sos_task *const sos_tasks[] = { &sos_denoise_task, &sos_segment_task, &sos_label_task, NULL };

sos_status sos_task_of(const sos_model *m, const sos_task **out, sos_error *error)
{
    char name[32];
    const sos_status status = sos_facts_task_name(m, sizeof name, name, error);
    if (status) return status;
    for (size_t i = 0; sos_tasks[i]; i++)
        if (!strcmp(sos_tasks[i]->name, name)) {
            *out = sos_tasks[i];
            return SOS_OK;
        }
    return sos_fail(error, SOS_ERR_FORMAT, "the model is for the task \"%s\", which is not known here", name);
}
