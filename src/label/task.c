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

const sos_task sos_label_task = {
    .name = "label",
    .images = SOS_IMAGES_REQUIRED,
    .read = label_read,
    .predict = label_predict,
    .judge = label_judge,
    .show = sos_label_show,
};
