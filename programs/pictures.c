#include "pictures.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "progress.h"
#include <s3svm/embedded.h>

int picture_model_read(const char *path, picture_model *m)
{
    sos_error error;
    *m = (picture_model){ .name = path ? path : "embedded: denoise" };
    const sos_status status = path ? sos_model_read(path, &m->model, &error) : sos_embedded_model("denoise", &m->model, &error);
    if (status) return command_fail("%s", error.message);
    if (sos_task_of(m->model, &m->task, &error)) return command_fail("%s: %s", m->name, error.message);
    return COMMAND_DONE;
}

void picture_model_free(picture_model *m) { sos_model_free(m->model); }

/* ---------------------------------------------------------------- files to write */

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static int twins_check(size_t count, char *const outputs[])
{
    char **sorted = calloc(count, sizeof *sorted);
    if (!sorted) return command_fail("no memory for %zu names", count);
    memcpy(sorted, outputs, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_text);
    const char *twin = NULL;
    for (size_t i = 1; i < count && !twin; i++)
        if (!strcmp(sorted[i - 1], sorted[i])) twin = sorted[i];
    free(sorted);
    return twin ? command_fail("two of the pictures have the name of '%s'", twin) : COMMAND_DONE;
}

static int output_check(const sos_item *item, const char *output, bool force)
{
    const char *const inputs[] = { item->image, item->labels, item->scribbles };
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (inputs[i] && sos_path_is_same(inputs[i], output))
            return command_fail("'%s' would be written over itself; -o names another folder", inputs[i]);
    if (!force && sos_path_exists(output)) return command_fail("'%s' is there already; --force replaces it", output);
    return COMMAND_DONE;
}

int picture_outputs_make(size_t count, const sos_item items[], const char *folder, bool force, char ***out)
{
    sos_error error;
    char **outputs = calloc(count, sizeof *outputs);
    int code = outputs ? COMMAND_DONE : command_fail("no memory for %zu names", count);
    for (size_t i = 0; i < count && !code; i++) {
        outputs[i] = sos_path_join(folder, items[i].name, ".png");
        code = outputs[i] ? output_check(&items[i], outputs[i], force) : command_fail("no memory for %zu names", count);
    }
    if (!code) code = twins_check(count, outputs);
    if (!code && sos_folder_create(folder, &error)) code = command_fail("%s", error.message);
    if (code)
        picture_outputs_free(count, outputs);
    else
        *out = outputs;
    return code;
}

void picture_outputs_free(size_t count, char **outputs)
{
    for (size_t i = 0; outputs && i < count; i++) free(outputs[i]);
    free(outputs);
}

/* ---------------------------------------------------------------- the run */

static size_t done_count(const sos_task_job *job, const sos_task_result results[])
{
    size_t count = 0;
    for (size_t i = 0; i < job->count; i++) count += results[i].done;
    return count;
}

int pictures_label(const sos_task_job *job, const char *what, sos_task_result results[], double *seconds)
{
    progress shown;
    sos_error error;
    sos_task_job watched = *job;
    watched.progress = progress_report;
    watched.user = &shown;
    progress_begin(&shown, what);
    const sos_status status = sos_task_run(&watched, results, &error);
    progress_end(&shown);
    *seconds = progress_clock() - shown.started;
    if (status == SOS_CANCELLED) {
        command_fail("interrupted: %zu of %zu pictures are %s", done_count(job, results), job->count,
                     job->outputs ? "written" : "done");
        return COMMAND_INTERRUPTED;
    }
    return status ? command_fail("%s", error.message) : COMMAND_DONE;
}

double pictures_seconds(size_t count, const sos_task_result results[])
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += results[i].seconds;
    return sum / (double)count;
}
