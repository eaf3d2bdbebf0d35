/* task.c - labelling as a task; names and colours of labels are in the model. */
#include "label/task.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "label/data.h"
#include "label/lesson.h"

/* A model, and its labels as tasks describe them. */
typedef struct prepared_model {
    s3svm_label_model *model;
    const char *names[SOS_LABELS_MAX]; /* of the model */
    s3svm_task_labels labels;
} prepared_model;

static sos_status label_task_prepare(const sos_model *m, void **prepared, sos_error *error)
{
    prepared_model *p = calloc(1, sizeof *p);
    if (!p) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a model of labels");
    const sos_status status = s3svm_label_model_create(m, &p->model, error);
    if (status) {
        free(p);
        return status;
    }
    const s3svm_label_names *names = s3svm_label_model_names(p->model);
    for (size_t l = 0; l < names->count; l++) p->names[l] = names->name[l];
    p->labels = (s3svm_task_labels){ .count = names->count, .names = p->names, .colours = names->colour, .numbered = true };
    *prepared = p;
    return SOS_OK;
}

static void release(void *prepared)
{
    prepared_model *p = prepared;
    s3svm_label_model_free(p->model);
    free(p);
}

const s3svm_label_model *s3svm_label_task_model(const void *prepared) { return ((const prepared_model *)prepared)->model; }

static const s3svm_task_labels *labels_of(const void *prepared) { return &((const prepared_model *)prepared)->labels; }

static sos_status photograph_read(const s3svm_item *item, const s3svm_noise *noise, s3svm_task_input *in, sos_error *error)
{
    (void)noise;
    const sos_status status = s3svm_image_read(item->image, S3SVM_IMAGE_COLOUR, &in->colour, error);
    if (status) return status;
    in->width = in->colour.width;
    in->height = in->colour.height;
    return SOS_OK;
}

static sos_status predict(const void *prepared, const s3svm_task_input *in, uint8_t labels[], sos_error *error)
{
    const prepared_model *p = prepared;
    const s3svm_label_input input = { .picture = &in->colour, .maps = &in->maps };
    return s3svm_label_model_predict_input(p->model, &input, labels, error);
}

static sos_status example(const void *prepared, const s3svm_task_input *in, sos_example **out, sos_error *error)
{
    const prepared_model *p = prepared;
    const s3svm_label_pictures pictures = {
        .count = 1, .labels = p->labels.count, .pictures = &in->colour, .maps = in->maps.values ? &in->maps : NULL
    };
    return s3svm_label_model_example(p->model, &pictures, 0, false, out, error);
}

static sos_status judge(const void *prepared, const s3svm_item *item, const s3svm_image *labels, s3svm_confusion *counts,
                        s3svm_task_score *score, sos_error *error)
{
    const prepared_model *p = prepared;
    const sos_status status = s3svm_label_judge(s3svm_label_model_names(p->model), item, labels, counts, error);
    if (status) return status;
    const double right = s3svm_confusion_accuracy(counts), iou = s3svm_confusion_mean_iou(counts);
    *score = (s3svm_task_score){ .error = isnan(right) ? 0 : 1 - right, .iou = isnan(iou) ? 1 : iou, .extra = NAN };
    return SOS_OK;
}

const s3svm_task s3svm_label_task = {
    .name = "label",
    .summary = "learn to label the pixels of photographs",
    .details = "Learns to give every pixel one of several labels. DIR/images has photographs; DIR/labels has PNG\n"
               "with the same names, whose grey values or palette indices are the labels, counted from 0. The number\n"
               "of labels is that of --names, or 1 more than the greatest number in the pictures.\n"
               "\n"
               "  unary     networks that see the surroundings of each pixel, its position and its texture\n"
               "  pairwise  in addition, neighbours should agree, less so if their colours differ\n"
               "  tables    instead of pairs, learned costs of all 2x2 patches, for each label and kind of edge\n"
               "  full      in addition, superpixels should agree except for a few of their pixels\n"
               "  counts    pairwise, and learned functions of the share of each label in superpixels of four sizes, the\n"
               "            largest being the whole picture",
    .examples = "  s3svm train label --data corel -o model.json\n"
                "  s3svm train label --data street --names road,car=ff0000,sky -o model.json\n"
                "  s3svm train label --data street --model pairwise --void 11 -o model.json\n",
    .data = "photographs in DIR/images, their labels in DIR/labels",
    .shows = "labels in their colours",

    .images = S3SVM_IMAGES_REQUIRED,
    .colour = true,

    .streams = true,
    .form = &s3svm_label_lesson_form,
    .steps = &s3svm_label_lesson_steps,
    .prepare = label_task_prepare,
    .release = release,
    .labels = labels_of,
    .read = photograph_read,
    .predict = predict,
    .example = example,
    .several = true,
    .judge = judge,
};
