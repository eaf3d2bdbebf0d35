/* task.c - interactive segmentation as a task: the object is label 1, and white on black for people. */
#include "segment/task.h"

#include <stdlib.h>

#include <s3svm/cutout.h>

#include "base/error.h"
#include "segment/data.h"
#include "segment/lesson.h"
#include "tasks/score.h"

/* ---------------------------------------------------------------- predicting */

static sos_status prepare(const sos_model *m, void **prepared, sos_error *error)
{
    sos_segment_model *p;
    const sos_status status = sos_segment_model_create(m, &p, error);
    if (!status) *prepared = p;
    return status;
}

static void release(void *prepared) { sos_segment_model_free(prepared); }

static const sos_task_labels *labels_of(const void *prepared)
{
    static const char *const names[] = { "background", "object" };
    static const uint32_t colours[] = { 0, 0xffffff };
    static const sos_task_labels labels = { .count = 2, .names = names, .colours = colours };
    (void)prepared;
    return &labels;
}

static sos_status photograph_read(const sos_item *item, const sos_noise *noise, sos_task_input *in, sos_error *error)
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

/* On one thread: pictures are done side by side. */
static sos_status predict(const void *prepared, const sos_task_input *in, uint8_t labels[], sos_error *error)
{
    sos_cutout_settings settings = sos_cutout_defaults();
    settings.hard = false; /* as sos_segment_model_predict */
    settings.work.threads = 1;
    settings.maps = in->maps.values ? &in->maps : NULL;
    return sos_cutout_segment(prepared, &in->colour, &in->marks, &settings, labels, NULL, error);
}

/* ---------------------------------------------------------------- judging */

/* The unsure band is background, as the paper counts, and left out of the extra score. */
static sos_status band_judge(const sos_image *labels, sos_image *truth, sos_confusion *counts, sos_task_score *score,
                             sos_error *error)
{
    const size_t n = sos_image_size(truth);
    uint8_t *care = malloc(n);
    if (!care) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu labels", n);
    for (size_t i = 0; i < n; i++) {
        care[i] = truth->pixels[i] != SOS_TRUTH_FILE_UNSURE;
        truth->pixels[i] = truth->pixels[i] == SOS_TRUTH_FILE_OBJECT;
    }
    const sos_status status = sos_score_judge(n, labels->pixels, truth->pixels, care, counts, score, error);
    free(care);
    return status;
}

static sos_status judge(const void *prepared, const sos_item *item, const sos_image *labels, sos_confusion *counts,
                        sos_task_score *score, sos_error *error)
{
    sos_image truth;
    (void)prepared;
    sos_status status = sos_truth_file_read(item->labels, &truth, error);
    if (status) return status;
    status = sos_score_sizes(labels, &truth, item->labels, error);
    if (!status) status = band_judge(labels, &truth, counts, score, error);
    sos_image_free(&truth);
    return status;
}

static const sos_experiment *const EXPERIMENTS[] = { &sos_segment_experiment_row, &sos_clicks_experiment_row, NULL };

const sos_task sos_segment_task = {
    .name = "segment",
    .summary = "learn to cut objects out of photographs",
    .details = "Learns to tell object from background by a few scribbles, for s3svm segment.  Files of the same name\n"
               "belong together: DIR/images has photographs, DIR/scribbles PNG whose grey values or palette indices\n"
               "are 0 nothing, 1 object, 2 background, and DIR/labels PNG of 0 background, 255 object, 128 unsure.\n"
               "\n"
               "  s3svm  a table of costs for all 2x2 patches, one for each of 50 kinds of edges\n"
               "  amn    pairs of neighbours: a constant, and a part that falls with contrast\n"
               "\n"
               "  paper  the paper's features: colour mixtures, distances from the scribbles, clusters of patches\n"
               "  full   what small networks make of 39 maps, and GrabCut's colour mixtures",
    .examples = "  s3svm train segment --data photographs -o model.json\n"
                "  s3svm train segment --data photographs --validation others -o model.json\n"
                "  s3svm train segment --data photographs --method amn --features paper -o model.json\n",
    .data = "photographs in DIR/images, with DIR/scribbles and DIR/labels",
    .shows = "masks, the object white, by scribbles of the same name",
    .model = "segment",

    .images = SOS_IMAGES_REQUIRED,
    .scribbles = true,
    .colour = true,

    .streams = true,
    .form = &sos_segment_lesson_form,
    .lesson = sos_segment_lesson_make,
    .prepare = prepare,
    .release = release,
    .labels = labels_of,
    .read = photograph_read,
    .predict = predict,
    .extra = "error_without_unsure",
    .judge = judge,
    .experiments = EXPERIMENTS,
    .folders = true,
};
