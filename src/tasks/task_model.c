/* task_model.c - a model prepared for its task, and labels as pictures. */
#include "tasks/task_model.h"

#include <stdlib.h>

#include "base/error.h"

void s3svm_task_input_free(s3svm_task_input *in)
{
    s3svm_plane_free(&in->grey);
    s3svm_image_free(&in->colour);
    s3svm_image_free(&in->marks);
    s3svm_dialogue_free(in->dialogue);
    s3svm_maps_free(&in->maps);
    *in = (s3svm_task_input){ 0 };
}

sos_status s3svm_task_model_create(const s3svm_task *task, const sos_model *m, s3svm_task_model **out, sos_error *error)
{
    s3svm_task_model *made = malloc(sizeof *made);
    if (!made) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a model");
    *made = (s3svm_task_model){ .task = task };
    sos_status status = s3svm_maps_needed(m, &made->maps, error);
    if (!status) status = task->prepare(m, &made->prepared, error);
    if (status)
        free(made);
    else
        *out = made;
    return status;
}

void s3svm_task_model_free(s3svm_task_model *m)
{
    if (m) m->task->release(m->prepared);
    free(m);
}

const s3svm_task *s3svm_task_model_task(const s3svm_task_model *m) { return m->task; }
size_t s3svm_task_model_maps(const s3svm_task_model *m) { return m->maps; }
bool s3svm_task_model_evidence(const s3svm_task_model *m) { return m->task->evidence && m->task->evidence(m->prepared); }
const s3svm_task_labels *s3svm_task_model_labels(const s3svm_task_model *m) { return m->task->labels(m->prepared); }

sos_status s3svm_task_model_predict(const s3svm_task_model *m, const s3svm_task_input *in, uint8_t labels[], sos_error *error)
{
    return m->task->predict(m->prepared, in, labels, error);
}

sos_status s3svm_task_model_example(const s3svm_task_model *m, const s3svm_task_input *in, sos_example **out, sos_error *error)
{
    return m->task->example(m->prepared, in, out, error);
}

/* ---------------------------------------------------------------- pictures of labels */

static sos_status numbers_check(const s3svm_task_labels *l, const s3svm_image *labels, sos_error *error)
{
    for (size_t i = 0; i < s3svm_image_size(labels); i++)
        if (labels->pixels[i] >= l->count)
            return sos_fail(error, SOS_ERR_ARGUMENT, "pixel %zu has label %d; there are %zu labels", i, labels->pixels[i],
                            l->count);
    return SOS_OK;
}

/* Colours of labels that are not numbered are greys: all channels alike. */
sos_status s3svm_task_model_show(const s3svm_task_model *m, const s3svm_image *labels, s3svm_image *out, sos_error *error)
{
    const s3svm_task_labels *l = s3svm_task_model_labels(m);
    const size_t channels = l->numbered ? 3 : 1;
    sos_status status = numbers_check(l, labels, error);
    if (!status) status = s3svm_image_create(labels->width, labels->height, channels, out, error);
    if (status) return status;
    for (size_t i = 0; i < s3svm_image_size(labels); i++)
        for (size_t c = 0; c < channels; c++)
            out->pixels[i * channels + c] = (uint8_t)(l->colours[labels->pixels[i]] >> (16 - 8 * c));
    return SOS_OK;
}

sos_status s3svm_task_model_write(const s3svm_task_model *m, const s3svm_image *labels, const char *path, sos_error *error)
{
    const s3svm_task_labels *l = s3svm_task_model_labels(m);
    s3svm_image picture;
    if (l->numbered) return s3svm_image_write_palette(labels, l->count, l->colours, path, error);
    sos_status status = s3svm_task_model_show(m, labels, &picture, error);
    if (status) return status;
    status = s3svm_image_write(&picture, path, error);
    s3svm_image_free(&picture);
    return status;
}
