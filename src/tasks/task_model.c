/* task_model.c - a model prepared for its task, and labels as pictures. */
#include "tasks/task_model.h"

#include <stdlib.h>

#include "base/error.h"

void sos_task_input_free(sos_task_input *in)
{
    sos_plane_free(&in->grey);
    sos_image_free(&in->colour);
    sos_image_free(&in->marks);
    sos_maps_free(&in->maps);
    *in = (sos_task_input){ 0 };
}

sos_status sos_task_model_create(const sos_task *task, const sos_model *m, sos_task_model **out, sos_error *error)
{
    sos_task_model *made = malloc(sizeof *made);
    if (!made) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a model");
    *made = (sos_task_model){ .task = task };
    sos_status status = sos_maps_needed(m, &made->maps, error);
    if (!status) status = task->prepare(m, &made->prepared, error);
    if (status)
        free(made);
    else
        *out = made;
    return status;
}

void sos_task_model_free(sos_task_model *m)
{
    if (m) m->task->release(m->prepared);
    free(m);
}

const sos_task *sos_task_model_task(const sos_task_model *m) { return m->task; }
size_t sos_task_model_maps(const sos_task_model *m) { return m->maps; }
const sos_task_labels *sos_task_model_labels(const sos_task_model *m) { return m->task->labels(m->prepared); }

sos_status sos_task_model_predict(const sos_task_model *m, const sos_task_input *in, uint8_t labels[], sos_error *error)
{
    return m->task->predict(m->prepared, in, labels, error);
}

/* ---------------------------------------------------------------- pictures of labels */

static sos_status numbers_check(const sos_task_labels *l, const sos_image *labels, sos_error *error)
{
    for (size_t i = 0; i < sos_image_size(labels); i++)
        if (labels->pixels[i] >= l->count)
            return sos_fail(error, SOS_ERR_ARGUMENT, "pixel %zu has label %d; there are %zu labels", i, labels->pixels[i],
                            l->count);
    return SOS_OK;
}

/* Colours of labels that are not numbered are greys: all channels alike. */
sos_status sos_task_model_show(const sos_task_model *m, const sos_image *labels, sos_image *out, sos_error *error)
{
    const sos_task_labels *l = sos_task_model_labels(m);
    const size_t channels = l->numbered ? 3 : 1;
    sos_status status = numbers_check(l, labels, error);
    if (!status) status = sos_image_create(labels->width, labels->height, channels, out, error);
    if (status) return status;
    for (size_t i = 0; i < sos_image_size(labels); i++)
        for (size_t c = 0; c < channels; c++)
            out->pixels[i * channels + c] = (uint8_t)(l->colours[labels->pixels[i]] >> (16 - 8 * c));
    return SOS_OK;
}

sos_status sos_task_model_write(const sos_task_model *m, const sos_image *labels, const char *path, sos_error *error)
{
    const sos_task_labels *l = sos_task_model_labels(m);
    sos_image picture;
    if (l->numbered) return sos_image_write_palette(labels, l->count, l->colours, path, error);
    sos_status status = sos_task_model_show(m, labels, &picture, error);
    if (status) return status;
    status = sos_image_write(&picture, path, error);
    sos_image_free(&picture);
    return status;
}
