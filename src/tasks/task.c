#include "tasks/task.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/threads.h"
#include "tasks/cutout.h"
#include "tasks/denoise.h"
#include "tasks/denoise_data.h"
#include "tasks/facts.h"
#include "tasks/label.h"
#include "tasks/score.h"
#include "tasks/segment.h"

/* ---- denoise: ink is label 1, and black on white for people ---- */

static sos_status denoise_read(const sos_item *item, const sos_noise *noise, sos_task_input *in, sos_error *error)
{
    const sos_status status = sos_drawing_noisy(item, noise, &in->grey, error);
    if (status) return status;
    in->width = in->grey.width;
    in->height = in->grey.height;
    return SOS_OK;
}

static sos_status denoise_predict(const sos_model *m, const sos_task_input *in, uint8_t labels[], sos_error *error)
{
    return sos_denoise_predict(m, &in->grey, labels, error);
}

static sos_status denoise_truth(const sos_item *item, sos_image *out, sos_error *error)
{
    const sos_status status = sos_image_read(item->labels, SOS_IMAGE_GREY, out, error);
    if (!status) sos_drawing_truth(out, out->pixels);
    return status;
}

static sos_task_score denoise_score(const sos_image *labels, const sos_image *truth)
{
    const sos_score s = sos_score_of(sos_image_size(labels), labels->pixels, truth->pixels);
    return (sos_task_score){ .error = sos_score_error(&s), .iou = sos_score_iou(&s), .extra = NAN };
}

static sos_status denoise_write(const sos_image *labels, const char *path, sos_error *error)
{
    sos_image picture;
    sos_status status = sos_drawing_picture(labels->width, labels->height, labels->pixels, &picture, error);
    if (status) return status;
    status = sos_image_write(&picture, path, error);
    sos_image_free(&picture);
    return status;
}

/* ---- segment: the object is label 1, and white on black for people ---- */

static sos_status segment_read(const sos_item *item, const sos_noise *noise, sos_task_input *in, sos_error *error)
{
    (void)noise;
    sos_scribbled s = { 0 };
    const sos_status status = sos_scribbled_read(item, false, &s, error);
    if (status) return status;
    in->width = s.picture.width;
    in->height = s.picture.height;
    in->colour = s.picture;
    in->marks = (sos_image){ .width = in->width, .height = in->height, .channels = 1, .pixels = s.scribbles };
    return SOS_OK;
}

/* As s3svm segment does it. */
static sos_status segment_predict(const sos_model *m, const sos_task_input *in, uint8_t labels[], sos_error *error)
{
    sos_segment_solver solver = { .model = m, .threads = 1 };
    sos_cutout_settings settings = sos_cutout_defaults();
    settings.solve = sos_segment_solve;
    settings.data = &solver;
    settings.pixels = SOS_SEGMENT_PIXELS;
    settings.grabcut.threads = 1;
    return sos_cutout_segment(&in->colour, &in->marks, &settings, labels, NULL, error);
}

static sos_status segment_truth(const sos_item *item, sos_image *out, sos_error *error)
{
    return sos_truth_read(item->labels, out, error);
}

/* The unsure band is background, as the paper counts, and left out of the extra score. */
static sos_task_score segment_score(const sos_image *labels, const sos_image *truth)
{
    sos_score s = { .pixels = sos_image_size(labels) };
    size_t sure = 0, wrong = 0;
    for (size_t i = 0; i < s.pixels; i++) {
        const bool object = truth->pixels[i] == SOS_TRUTH_OBJECT, unsure = truth->pixels[i] == SOS_TRUTH_UNSURE;
        s.found += object && labels->pixels[i];
        s.missed += object && !labels->pixels[i];
        s.extra += !object && labels->pixels[i];
        sure += !unsure;
        wrong += !unsure && (labels->pixels[i] != 0) != object;
    }
    return (sos_task_score){ .error = sos_score_error(&s),
                             .iou = sos_score_iou(&s),
                             .extra = sure ? (double)wrong / (double)sure : 0 };
}

static sos_status segment_write(const sos_image *labels, const char *path, sos_error *error)
{
    sos_image mask;
    sos_status status = sos_image_create(labels->width, labels->height, 1, &mask, error);
    if (status) return status;
    for (size_t i = 0; i < sos_image_size(labels); i++)
        mask.pixels[i] = labels->pixels[i] ? SOS_TRUTH_OBJECT : SOS_TRUTH_BACKGROUND;
    status = sos_image_write(&mask, path, error);
    sos_image_free(&mask);
    return status;
}

/* ---- label: what a label is called and looks like is in the model ---- */

static sos_status label_read(const sos_item *item, const sos_noise *noise, sos_task_input *in, sos_error *error)
{
    (void)noise;
    const sos_status status = sos_image_read(item->image, SOS_IMAGE_COLOUR, &in->colour, error);
    if (status) return status;
    in->width = in->colour.width;
    in->height = in->colour.height;
    return SOS_OK;
}

static sos_status label_predict(const sos_model *m, const sos_task_input *in, uint8_t labels[], sos_error *error)
{
    return sos_label_predict(m, &in->colour, labels, error);
}

static sos_status label_judge(const sos_model *m, const sos_item *item, const sos_image *labels, sos_task_score *score,
                              sos_confusion *counts, sos_error *error)
{
    sos_confusion c;
    const sos_status status = sos_label_judge(m, item, labels, &c, error);
    if (status) return status;
    const double right = sos_confusion_accuracy(&c), iou = sos_confusion_mean_iou(&c);
    *score = (sos_task_score){ .error = isnan(right) ? 0 : 1 - right, .iou = isnan(iou) ? 1 : iou, .extra = NAN };
    if (counts)
        *counts = c;
    else
        sos_confusion_free(&c);
    return SOS_OK;
}

/* ---- the table ---- */

static const sos_task tasks[] = { {
                                      .name = "denoise",
                                      .images = SOS_IMAGES_OPTIONAL,
                                      .noise = true,
                                      .read = denoise_read,
                                      .predict = denoise_predict,
                                      .truth = denoise_truth,
                                      .score = denoise_score,
                                      .write = denoise_write,
                                  },
                                  {
                                      .name = "segment",
                                      .extra = "error_without_unsure",
                                      .images = SOS_IMAGES_REQUIRED,
                                      .scribbles = true,
                                      .read = segment_read,
                                      .predict = segment_predict,
                                      .truth = segment_truth,
                                      .score = segment_score,
                                      .write = segment_write,
                                  },
                                  {
                                      .name = "label",
                                      .images = SOS_IMAGES_REQUIRED,
                                      .read = label_read,
                                      .predict = label_predict,
                                      .judge = label_judge,
                                      .show = sos_label_show,
                                  } };
enum { TASKS = sizeof tasks / sizeof *tasks };

sos_status sos_task_of(const sos_model *m, const sos_task **out, sos_error *error)
{
    char name[32];
    if (!sos_model_fact(m, "task"))
        return sos_fail(error, SOS_ERR_FORMAT, "the model is not for pictures: it has no fact \"task\"");
    sos_facts f = sos_facts_begin(m, "task");
    sos_facts_text(&f, sizeof name, name);
    const sos_status status = sos_facts_end(&f, error);
    if (status) return status;
    for (size_t i = 0; i < TASKS; i++)
        if (!strcmp(tasks[i].name, name)) {
            *out = &tasks[i];
            return SOS_OK;
        }
    return sos_fail(error, SOS_ERR_FORMAT, "the model is for the task \"%s\", which is not known here", name);
}

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
