#include "pictures.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/embedded.h>

#include "base/clock.h"
#include "base/path.h"
#include "base/threads.h"
#include "files.h"
#include "progress.h"

/* ---------------------------------------------------------------- models */

static int model_prepare(picture_model *m, const sos_model *read)
{
    sos_error error;
    sos_status status = s3svm_task_of(read, &m->task, &error);
    if (!status) status = s3svm_task_model_create(m->task, read, &m->model, &error);
    return status ? command_fail("%s: %s", m->name, error.message) : COMMAND_DONE;
}

int picture_model_read(const char *name, picture_model *m)
{
    sos_model *read;
    sos_error error;
    bool inside;
    if (model_find(name, &read, &inside, &error)) return command_fail("%s", error.message);
    *m = (picture_model){ .path = inside ? NULL : name };
    snprintf(m->name, sizeof m->name, "%s%s", inside ? "embedded: " : "", name);
    const int code = model_prepare(m, read);
    sos_model_free(read);
    return code;
}

void picture_model_free(picture_model *m) { s3svm_task_model_free(m->model); }

/* ---------------------------------------------------------------- a model that nobody named */

static bool suits(const s3svm_task *task, const picture_look *look)
{
    if (!task->model) return false;
    if (look->noise) return task->noise;
    return task->scribbles == look->scribbles && (look->scribbles || task->colour == (look->coloured != NULL));
}

int picture_model_choose(const picture_look *look, picture_model *m)
{
    const s3svm_task *task = NULL;
    *m = (picture_model){ .path = NULL };
    for (size_t i = 0; s3svm_task_at(i) && !task; i++)
        if (suits(s3svm_task_at(i), look)) task = s3svm_task_at(i);
    if (!task && look->coloured)
        return command_fail("'%s' is in colour and has no scribbles: no built-in model is for such pictures; give one with -m",
                            look->coloured);
    if (!task) return command_fail("no built-in model is for such pictures; give one with -m");
    command_note("no model given: using the built-in one for \"%s\" (%s)", task->name, task->shows);
    return picture_model_read(task->model, m);
}

enum {
    LOOKED_AT = 16, /* pictures of a folder at most, so that a large one is not read twice */
    COLOUR = 32,    /* grey values between the channels of a pixel: more than JPEG adds to grey ones */
    RARE = 50       /* fewer than one pixel in so many: a stamp on a drawing */
};

static bool has_colours(const s3svm_image *picture)
{
    const size_t n = s3svm_image_size(picture);
    size_t coloured = 0;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *p = picture->pixels + 3 * i;
        const int most = p[0] > p[1] ? (p[0] > p[2] ? p[0] : p[2]) : p[1] > p[2] ? p[1] : p[2];
        const int least = p[0] < p[1] ? (p[0] < p[2] ? p[0] : p[2]) : p[1] < p[2] ? p[1] : p[2];
        coloured += most - least > COLOUR;
    }
    return coloured * RARE > n;
}

const char *picture_coloured(size_t count, char *const paths[])
{
    const size_t step = (count + LOOKED_AT - 1) / LOOKED_AT;
    for (size_t i = 0; i < count; i += step) {
        s3svm_image picture;
        if (s3svm_image_read(paths[i], S3SVM_IMAGE_COLOUR, &picture, NULL)) continue; /* the run will say why */
        const bool found = has_colours(&picture);
        s3svm_image_free(&picture);
        if (found) return paths[i];
    }
    return NULL;
}

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

int picture_output_check(const s3svm_item *item, const char *model, const char *output, bool force)
{
    const file_use inputs[] = {
        { "", item->image }, { "", item->labels }, { "", item->scribbles }, { "", item->maps }, { "", model }
    };
    const file_use outputs[] = { { "-o", output } };
    const int code = files_guard(sizeof inputs / sizeof *inputs, inputs, 1, outputs);
    if (code) return code;
    if (!force && sos_path_exists(output)) return command_fail("'%s' already exists; --force replaces it", output);
    return COMMAND_DONE;
}

int picture_outputs_make(size_t count, const s3svm_item items[], const picture_model *m, const char *folder, bool force,
                         char ***out)
{
    sos_error error;
    char **outputs = calloc(count, sizeof *outputs);
    int code = outputs ? COMMAND_DONE : command_fail("no memory for %zu names", count);
    for (size_t i = 0; i < count && !code; i++) {
        outputs[i] = sos_path_join(folder, items[i].name, ".png");
        code = outputs[i] ? picture_output_check(&items[i], m ? m->path : NULL, outputs[i], force)
                          : command_fail("no memory for %zu names", count);
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

/* What has become of all pictures, by their results: listed where some failed. */
static int run_finish(size_t count, const s3svm_task_result results[], bool stopped, bool written, size_t *done)
{
    *done = 0;
    for (size_t i = 0; i < count; i++) *done += results[i].done;
    if (stopped) {
        command_fail("interrupted: %zu of %zu pictures are %s", *done, count, written ? "written" : "done");
        return COMMAND_INTERRUPTED;
    }
    if (*done == count) return COMMAND_DONE;
    for (size_t i = 0; i < count; i++)
        if (results[i].error.status) command_fail("%s", results[i].error.message);
    if (count > 1) command_fail("%zu of %zu pictures failed", count - *done, count);
    return COMMAND_FAILED;
}

int pictures_label(const s3svm_task_job *job, const char *what, s3svm_task_result results[], size_t *done, double *seconds)
{
    progress shown;
    sos_error error;
    s3svm_task_job watched = *job;
    watched.work.progress = progress_report;
    watched.work.user = &shown;
    progress_begin(&shown, what);
    const sos_status status = s3svm_task_run(&watched, results, &error);
    progress_end(&shown);
    *seconds = sos_seconds() - shown.started;
    return run_finish(job->count, results, status == SOS_CANCELLED, job->outputs, done);
}

/* What all threads know. */
typedef struct picture_run {
    const picture_job *job;
    s3svm_task_result *results;
    progress shown;
    atomic_size_t begun;
    atomic_bool stopped;
} picture_run;

static void picture_attempt(picture_run *c, size_t i)
{
    const picture_job *job = c->job;
    s3svm_task_result *r = &c->results[i];
    if (atomic_load(&c->stopped)) return;
    const size_t before = atomic_fetch_add(&c->begun, 1);
    const double started = sos_seconds();
    const bool go = progress_report(&c->shown, job->phase, (double)before / (double)job->count);
    const sos_status status = go ? job->work(job->user, i, &r->error) : SOS_CANCELLED;
    r->seconds = sos_seconds() - started;
    r->done = !status;
    if (status != SOS_CANCELLED) return;
    r->error.status = SOS_OK;
    atomic_store(&c->stopped, true);
}

int pictures_run(const picture_job *job, s3svm_task_result results[], size_t *done, double *seconds)
{
    picture_run c = { .job = job, .results = results };
    const int workers = sos_thread_count(job->threads);
    (void)workers;
    atomic_init(&c.begun, 0);
    atomic_init(&c.stopped, false);
    memset(results, 0, job->count * sizeof *results);
    progress_begin(&c.shown, job->what);
#pragma omp parallel for num_threads(workers) schedule(dynamic, 1)
    for (size_t i = 0; i < job->count; i++) picture_attempt(&c, i);
    progress_end(&c.shown);
    *seconds = sos_seconds() - c.shown.started;
    return run_finish(job->count, results, atomic_load(&c.stopped), true, done);
}

void pictures_failed_json(sos_json *out, size_t count, const s3svm_item items[], const s3svm_task_result results[])
{
    size_t failed = 0;
    for (size_t i = 0; i < count; i++) failed += !results[i].done;
    if (!failed) return;
    sos_json_open(out, "failed", '[');
    for (size_t i = 0; i < count; i++) {
        if (results[i].done) continue;
        sos_json_open(out, NULL, '{');
        sos_json_text(out, "name", items[i].name);
        sos_json_text(out, "file", items[i].image);
        sos_json_text(out, "error", results[i].error.message);
        sos_json_close(out, '}');
    }
    sos_json_close(out, ']');
}
