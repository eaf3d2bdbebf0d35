/* task.c - interactive segmentation as a task: the object is label 1, and white on black for people. */
#include "tasks/task.h"
#include "segment/cutout.h"
#include "segment/segment.h"
#include "tasks/score.h"

static sos_status segment_read(const sos_item *item, const sos_noise *noise, sos_task_input *in, sos_error *error)
{
    (void)noise;
    sos_marked s = { 0 };
    const sos_status status = sos_marked_read(item, false, &s, error);
    if (status) return status;
    in->width = s.photograph.width;
    in->height = s.photograph.height;
    in->colour = s.photograph;
    in->marks = s.marks;
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
        const bool object = truth->pixels[i] == SOS_TRUTH_FILE_OBJECT, unsure = truth->pixels[i] == SOS_TRUTH_FILE_UNSURE;
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
        mask.pixels[i] = labels->pixels[i] ? SOS_TRUTH_FILE_OBJECT : SOS_TRUTH_FILE_BACKGROUND;
    status = sos_image_write(&mask, path, error);
    sos_image_free(&mask);
    return status;
}

const sos_task sos_segment_task = {
    .name = "segment",
    .extra = "error_without_unsure",
    .images = SOS_IMAGES_REQUIRED,
    .scribbles = true,
    .read = segment_read,
    .predict = segment_predict,
    .truth = segment_truth,
    .score = segment_score,
    .write = segment_write,
};
