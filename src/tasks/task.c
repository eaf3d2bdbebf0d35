#include "tasks/task.h"

#include <string.h>

#include "base/clock.h"
#include "base/threads.h"

void sos_task_input_free(sos_task_input *in)
{
    sos_plane_free(&in->grey);
    sos_image_free(&in->colour);
    sos_image_free(&in->marks);
    *in = (sos_task_input){ 0 };
}

/* ---- all items ---- */

static const char *seen_path(const sos_task_job *job, size_t i)
{
    return job->noise ? job->items[i].labels : job->items[i].image;
}

static sos_status item_label(const sos_task_job *job, size_t i, sos_image *labels, sos_error *error)
{
    sos_task_input in = { 0 };
    sos_error why;
    sos_status status = job->task->read(&job->items[i], job->noise, &in, error);
    if (!status) status = sos_image_create(in.width, in.height, 1, labels, error);
    if (!status) {
        status = job->task->predict(job->model, &in, labels->pixels, &why);
        if (status) sos_fail(error, status, "%.200s: %.290s", seen_path(job, i), why.message);
    }
    sos_task_input_free(&in);
    return status;
}

static sos_status item_score(const sos_task_job *job, size_t i, const sos_image *labels, sos_task_score *score,
                             sos_error *error)
{
    const sos_item *item = &job->items[i];
    sos_image truth;
    if (job->task->judge) return job->task->judge(job->model, item, labels, score, job->counts ? &job->counts[i] : NULL, error);
    sos_status status = job->task->truth(item, &truth, error);
    if (status) return status;
    if (truth.width == labels->width && truth.height == labels->height)
        *score = job->task->score(labels, &truth);
    else
        status = sos_fail(error, SOS_ERR_ARGUMENT, "'%.180s' has %zu by %zu pixels, but '%.180s' %zu by %zu", item->labels,
                          truth.width, truth.height, seen_path(job, i), labels->width, labels->height);
    sos_image_free(&truth);
    return status;
}

static sos_status item_run(const sos_task_job *job, size_t i, sos_task_result *r, sos_error *error)
{
    sos_image labels = { 0 };
    const double started = sos_seconds();
    sos_status status = item_label(job, i, &labels, error);
    r->seconds = sos_seconds() - started;
    r->width = labels.width;
    r->height = labels.height;
    if (!status && job->outputs)
        status = job->task->show ? job->task->show(job->model, &labels, job->outputs[i], error)
                                 : job->task->write(&labels, job->outputs[i], error);
    if (!status && job->score) status = item_score(job, i, &labels, &r->score, error);
    sos_image_free(&labels);
    r->done = !status;
    return status;
}

/* The first failure counts, so an item is left out only if one before it has failed: whatever the threads do, no item before
 * the first failure is. */
static bool is_left_out(const sos_failure *f, size_t i)
{
    bool out;
#pragma omp critical(sos_failure_note)
    out = f->error.status && f->number < i;
    return out;
}

static sos_status item_attempt(const sos_task_job *job, size_t i, size_t begun, sos_task_result *r, sos_error *error)
{
    if (job->progress && !job->progress(job->user, "labelling", (double)begun / (double)job->count))
        return sos_fail(error, SOS_CANCELLED, "stopped");
    return item_run(job, i, r, error);
}

sos_status sos_task_run(const sos_task_job *job, sos_task_result results[], sos_error *error)
{
    sos_failure failure = { 0 };
    size_t begun = 0;
    const int workers = sos_thread_count(job->threads);
    (void)workers;
    memset(results, 0, job->count * sizeof *results);
#pragma omp parallel for num_threads(workers) schedule(dynamic, 1)
    for (size_t i = 0; i < job->count; i++) {
        sos_error mine = { SOS_OK, "" };
        size_t before;
        if (is_left_out(&failure, i)) continue;
#pragma omp atomic capture
        before = begun++;
        const sos_status status = item_attempt(job, i, before, &results[i], &mine);
        sos_failure_note(&failure, i, status, &mine);
    }
    if (!failure.error.status) return SOS_OK;
    return sos_fail(error, failure.error.status, "%s", failure.error.message);
}
