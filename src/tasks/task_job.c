/* task_job.c - a prepared model and many pictures. */
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/threads.h"
#include "tasks/own_maps.h"
#include "tasks/task_model.h"

static const char *seen_path(const s3svm_task_job *job, size_t i)
{
    return job->noise ? job->items[i].labels : job->items[i].image;
}

static sos_status item_label(const s3svm_task_job *job, size_t i, s3svm_task_input *in, s3svm_image *labels, sos_error *error)
{
    sos_error why;
    sos_status status = job->model->task->read(&job->items[i], job->noise, in, error);
    const size_t channels = job->model->maps ? job->model->maps : job->items[i].maps ? 1 : 0;
    if (!status && channels) status = s3svm_own_maps_load(&job->items[i], in->width, in->height, channels, &in->maps, error);
    if (!status) status = s3svm_image_create(in->width, in->height, 1, labels, error);
    if (!status) {
        status = s3svm_task_model_predict(job->model, in, labels->pixels, &why);
        if (status) sos_fail(error, status, "%.200s: %.290s", seen_path(job, i), why.message);
    }
    return status;
}

static sos_status item_write(const s3svm_task_job *job, size_t i, const s3svm_task_input *in, const s3svm_image *labels,
                             sos_error *error)
{
    const s3svm_task *task = job->model->task;
    const sos_status status = s3svm_task_model_write(job->model, labels, job->outputs[i], error);
    return status || !task->accompany ? status : task->accompany(in, labels, job->outputs[i], error);
}

static sos_status item_score(const s3svm_task_job *job, size_t i, const s3svm_image *labels, s3svm_task_result *r,
                             sos_error *error)
{
    const s3svm_task *task = job->model->task;
    s3svm_confusion counts;
    sos_status status = task->measure ? task->measure(&job->items[i], labels, r->measures, error) : SOS_OK;
    if (!status) status = task->judge(job->model->prepared, &job->items[i], labels, &counts, &r->score, error);
    if (status) return status;
    if (job->counts)
        job->counts[i] = counts;
    else
        s3svm_confusion_free(&counts);
    return SOS_OK;
}

static sos_status item_run(const s3svm_task_job *job, size_t i, s3svm_task_result *r, sos_error *error)
{
    s3svm_image labels = { 0 };
    s3svm_task_input in = { 0 };
    const double started = sos_seconds();
    sos_status status = item_label(job, i, &in, &labels, error);
    r->seconds = sos_seconds() - started;
    r->width = labels.width;
    r->height = labels.height;
    if (!status && job->outputs) status = item_write(job, i, &in, &labels, error);
    if (!status && job->score) status = item_score(job, i, &labels, r, error);
    s3svm_image_free(&labels);
    s3svm_task_input_free(&in);
    return status;
}

/* What all threads know. */
typedef struct job_run {
    size_t begun;
    bool stopped;
    sos_failure failure;
} job_run;

/* The number of items begun before, or count where the job was stopped. */
static size_t item_begin(const s3svm_task_job *job, job_run *c)
{
    size_t before;
#pragma omp critical(s3svm_task_job)
    before = c->stopped ? job->count : c->begun++;
    return before;
}

static void run_stop(job_run *c)
{
#pragma omp critical(s3svm_task_job)
    c->stopped = true;
}

static void item_attempt(const s3svm_task_job *job, size_t i, job_run *c, s3svm_task_result *r)
{
    const sos_work *work = &job->work;
    const size_t before = item_begin(job, c);
    if (before == job->count) return;
    if (work->progress && !work->progress(work->user, "labelling", (double)before / (double)job->count)) {
        run_stop(c);
        return;
    }
    const sos_status status = item_run(job, i, r, &r->error);
    r->done = !status;
    sos_failure_note(&c->failure, i, status, &r->error);
}

sos_status s3svm_task_run(const s3svm_task_job *job, s3svm_task_result results[], sos_error *error)
{
    job_run c = { 0 };
    const int workers = sos_thread_count(job->work.threads);
    (void)workers;
    sos_status status = sos_reserved_check("s3svm_task_job", job, error);
    if (!status) status = sos_reserved_check("sos_work", &job->work, error);
    if (status) return status;
    memset(results, 0, job->count * sizeof *results);
#pragma omp parallel for num_threads(workers) schedule(dynamic, 1)
    for (size_t i = 0; i < job->count; i++) item_attempt(job, i, &c, &results[i]);
    if (c.stopped) return sos_fail(error, SOS_CANCELLED, "stopped");
    if (!c.failure.error.status) return SOS_OK;
    return sos_fail(error, c.failure.error.status, "%s", c.failure.error.message);
}
