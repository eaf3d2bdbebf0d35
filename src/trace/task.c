/* task.c - tracing as a task: a structure is label 1, and white on black for people. */
#include "trace/task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "tasks/score.h"
#include "tasks/truth.h"
#include "trace/lesson.h"
#include "trace/measure.h"
#include <s3svm/trace.h>

static sos_status prepare(const sos_model *m, void **prepared, sos_error *error)
{
    s3svm_trace_model *p;
    const sos_status status = s3svm_trace_model_create(m, &p, error);
    if (!status) *prepared = p;
    return status;
}

static void release(void *prepared) { s3svm_trace_model_free(prepared); }

static const s3svm_task_labels *labels_of(const void *prepared)
{
    static const char *const names[] = { "background", "structure" };
    static const uint32_t colours[] = { 0, 0xffffff };
    static const s3svm_task_labels labels = { .count = 2, .names = names, .colours = colours };
    (void)prepared;
    return &labels;
}

static sos_status picture_read(const s3svm_item *item, const s3svm_noise *noise, s3svm_task_input *in, sos_error *error)
{
    (void)noise;
    const sos_status status = s3svm_image_read(item->image, S3SVM_IMAGE_COLOUR, &in->colour, error);
    if (status) return status;
    in->width = in->colour.width;
    in->height = in->colour.height;
    return SOS_OK;
}

static const s3svm_maps *maps_of(const s3svm_task_input *in) { return in->maps.values ? &in->maps : NULL; }

static sos_status predict(const void *prepared, const s3svm_task_input *in, uint8_t labels[], sos_error *error)
{
    return s3svm_trace_model_predict(prepared, &in->colour, maps_of(in), labels, error);
}

static sos_status example(const void *prepared, const s3svm_task_input *in, sos_example **out, sos_error *error)
{
    return s3svm_trace_model_example(prepared, &in->colour, maps_of(in), out, error);
}

static sos_status judge(const void *prepared, const s3svm_item *item, const s3svm_image *labels, s3svm_confusion *counts,
                        s3svm_task_score *score, sos_error *error)
{
    (void)prepared;
    return s3svm_truth_judge(item, labels, counts, score, error);
}

/* ---------------------------------------------------------------- further scores, further files */

static const char *const MEASURES[] = { "f1", "f1_within_2", "cldice", "breaks", NULL };

static sos_status measure(const s3svm_item *item, const s3svm_image *labels, double measures[], sos_error *error)
{
    s3svm_trace_counts c;
    s3svm_truth t;
    sos_status status = s3svm_truth_read(item->labels, &item->truth, &t, error);
    if (status) return status;
    status = s3svm_score_sizes(labels, &(s3svm_image){ .width = t.width, .height = t.height }, item->labels, error);
    if (!status) status = s3svm_trace_count(t.width, t.height, labels->pixels, t.labels, t.care, &c, error);
    s3svm_truth_free(&t);
    if (status) return status;
    measures[0] = s3svm_trace_f1(&c);
    measures[1] = s3svm_trace_f1_near(&c);
    measures[2] = s3svm_trace_cldice(&c);
    measures[3] = c.breaks;
    return SOS_OK;
}

/* The path of a mask with another ending; to free. */
static char *path_beside(const char *path, const char *ending)
{
    const char *slash = strrchr(path, '/'), *point = strrchr(path, '.');
    const size_t length = point && (!slash || point > slash) ? (size_t)(point - path) : strlen(path);
    const size_t bytes = length + strlen(ending) + 1;
    char *other = malloc(bytes);
    if (other) snprintf(other, bytes, "%.*s%s", (int)length, path, ending);
    return other;
}

/* The picture with structures in red; their borders stay visible. */
static sos_status overlay_write(const s3svm_image *picture, const s3svm_image *labels, const char *path, sos_error *error)
{
    s3svm_image over;
    sos_status status = s3svm_image_create(picture->width, picture->height, 3, &over, error);
    if (status) return status;
    for (size_t i = 0; i < s3svm_image_size(picture); i++)
        for (size_t c = 0; c < 3; c++) {
            const uint8_t seen = picture->pixels[i * picture->channels + (picture->channels < 3 ? 0 : c)];
            over.pixels[3 * i + c] = !labels->pixels[i] ? seen : c ? seen / 3 : 255;
        }
    status = s3svm_image_write(&over, path, error);
    s3svm_image_free(&over);
    return status;
}

static sos_status lines_write(const s3svm_image *labels, const char *svg, const char *geojson, sos_error *error)
{
    s3svm_centre_lines lines;
    sos_status status = s3svm_centre_lines_find(labels->width, labels->height, labels->pixels, &lines, error);
    if (status) return status;
    status = s3svm_centre_lines_write_svg(&lines, labels->width, labels->height, svg, error);
    if (!status) status = s3svm_centre_lines_write_geojson(&lines, geojson, error);
    s3svm_centre_lines_free(&lines);
    return status;
}

static sos_status accompany(const s3svm_task_input *in, const s3svm_image *labels, const char *path, sos_error *error)
{
    char *svg = path_beside(path, ".svg"), *geojson = path_beside(path, ".geojson"), *over = path_beside(path, "-overlay.png");
    sos_status status = svg && geojson && over ? lines_write(labels, svg, geojson, error)
                                               : sos_fail(error, SOS_ERR_MEMORY, "no memory for a path");
    if (!status) status = overlay_write(&in->colour, labels, over, error);
    free(svg);
    free(geojson);
    free(over);
    return status;
}

const s3svm_task s3svm_trace_task = {
    .name = "trace",
    .summary = "learn to find thin structures: vessels, cracks, wires, roads, handwriting",
    .details = "Learns to tell thin structures from what is around them.  DIR/images has photographs or scans, in\n"
               "colour or grey; DIR/labels, under the same names, PNG of 0 background, 255 structure, 128 does not\n"
               "count.\n"
               "\n"
               "  evidence    what small networks say of each pixel, and a threshold\n"
               "  pairs       and neighbours should agree\n"
               "  line-pairs  instead, costs of neighbours by their turn against the line here, and of pairs along\n"
               "              lines of 7 pixels, next to each other and 3 apart, for each distance\n"
               "  lines       instead of the latter, tables of costs of all 7 pixels of the same lines",
    .examples = "  s3svm train trace --data vessels -o model.json\n"
                "  s3svm train trace --data cracks --broken 3 -o model.json\n"
                "  s3svm predict -m model.json photographs -o traced\n",
    .data = "photographs or scans in DIR/images, their structures in DIR/labels",
    .shows = "masks, structures white; centre lines as .svg and .geojson, and an overlay",

    .images = S3SVM_IMAGES_REQUIRED,
    .colour = true,

    .form = &s3svm_trace_lesson_form,
    .steps = &s3svm_trace_lesson_steps,
    .prepare = prepare,
    .release = release,
    .labels = labels_of,
    .read = picture_read,
    .predict = predict,
    .example = example,
    .extra = "error_without_unsure",
    .judge = judge,
    .objects = true,
    .measures = MEASURES,
    .measure = measure,
    .accompany = accompany,
};
