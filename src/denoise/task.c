/* task.c - denoising as a task: ink is label 1, and black on white for people. */
#include <math.h>

#include "denoise/data.h"
#include "denoise/denoise.h"
#include "tasks/score.h"
#include "tasks/task.h"

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

const sos_task sos_denoise_task = {
    .name = "denoise",
    .images = SOS_IMAGES_OPTIONAL,
    .noise = true,
    .read = denoise_read,
    .predict = denoise_predict,
    .truth = denoise_truth,
    .score = denoise_score,
    .write = denoise_write,
};
