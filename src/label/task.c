/* task.c - labelling as a task: what a label is called and looks like is in the model. */
#include <math.h>

#include "label/label.h"
#include "tasks/task.h"

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
    sos_label_model *p;
    sos_status status = sos_label_model_create(m, &p, error);
    if (status) return status;
    status = sos_label_model_predict(p, &in->colour, labels, error);
    sos_label_model_free(p);
    return status;
}

static sos_status label_judge(const sos_model *m, const sos_item *item, const sos_image *labels, sos_task_score *score,
                              sos_confusion *counts, sos_error *error)
{
    sos_confusion c;
    sos_label_model *p;
    sos_status status = sos_label_model_create(m, &p, error);
    if (status) return status;
    status = sos_label_judge(p, item, labels, &c, error);
    sos_label_model_free(p);
    if (status) return status;
    const double right = sos_confusion_accuracy(&c), iou = sos_confusion_mean_iou(&c);
    *score = (sos_task_score){ .error = isnan(right) ? 0 : 1 - right, .iou = isnan(iou) ? 1 : iou, .extra = NAN };
    if (counts)
        *counts = c;
    else
        sos_confusion_free(&c);
    return SOS_OK;
}

static sos_status label_show(const sos_model *m, const sos_image *labels, const char *path, sos_error *error)
{
    sos_label_model *p;
    sos_status status = sos_label_model_create(m, &p, error);
    if (status) return status;
    status = sos_label_show(p, labels, path, error);
    sos_label_model_free(p);
    return status;
}

const sos_task sos_label_task = {
    .name = "label",
    .images = SOS_IMAGES_REQUIRED,
    .read = label_read,
    .predict = label_predict,
    .judge = label_judge,
    .show = label_show,
};
