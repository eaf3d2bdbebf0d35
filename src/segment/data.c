#include "segment/data.h"

#include <stdlib.h>
#include <string.h>

#include <s3svm/simulate.h>

#include "base/error.h"
#include "base/path.h"
#include "vision/resample.h"

void sos_marked_free(sos_marked *m)
{
    sos_image_free(&m->photograph);
    sos_image_free(&m->marks);
    free(m->truth);
    free(m->care);
    sos_maps_free(&m->maps);
    *m = (sos_marked){ 0 };
}

/* Sizes were compared by the headers; what was decoded counts. */
static sos_status size_check(const char *path, const sos_image *image, const sos_image *photograph, sos_error *error)
{
    if (image->width == photograph->width && image->height == photograph->height) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "'%.300s' has %zu by %zu pixels, its photograph %zu by %zu", path, image->width,
                    image->height, photograph->width, photograph->height);
}

/* Data sets have one convention for scribbles, "palette", whose numbers are marks. */
static sos_status marks_check(const char *path, const sos_image *marks, sos_error *error)
{
    for (size_t i = 0; i < sos_image_size(marks); i++)
        if (marks->pixels[i] > SOS_MARK_BACKGROUND)
            return sos_fail(error, SOS_ERR_FORMAT,
                            "'%.300s': column %zu, row %zu is %d; scribbles are 0 none, 1 object, 2 background", path,
                            i % marks->width, i / marks->width, marks->pixels[i]);
    return SOS_OK;
}

/* A list of marks as a picture of those that are certain. */
static sos_status list_read(const char *path, sos_marked *m, sos_error *error)
{
    const size_t width = m->photograph.width, height = m->photograph.height;
    sos_dialogue *d;
    sos_status status = sos_dialogue_read(path, &d, error);
    if (status) return status;
    if (sos_dialogue_width(d) != width || sos_dialogue_height(d) != height)
        status = sos_fail(error, SOS_ERR_ARGUMENT, "'%.300s' is for %zu by %zu pixels, its photograph has %zu by %zu", path,
                          sos_dialogue_width(d), sos_dialogue_height(d), width, height);
    if (!status) status = sos_image_create(width, height, 1, &m->marks, error);
    if (!status) status = sos_dialogue_draw(d, sos_dialogue_steps(d), &m->marks, error);
    for (size_t i = 0; i < width * height && !status; i++)
        if (!sos_mark_is_sure(m->marks.pixels[i])) m->marks.pixels[i] = SOS_MARK_NONE;
    sos_dialogue_free(d);
    return status;
}

static sos_status marks_read(const char *path, bool needed, sos_marked *m, sos_error *error)
{
    if (!path && needed) return sos_fail(error, SOS_ERR_ARGUMENT, "there are no scribbles");
    if (!path) return sos_image_create(m->photograph.width, m->photograph.height, 1, &m->marks, error);
    if (sos_path_ends(path, ".json")) return list_read(path, m, error);
    sos_status status = sos_image_read(path, SOS_IMAGE_LABELS, &m->marks, error);
    if (!status) status = size_check(path, &m->marks, &m->photograph, error);
    return status ? status : marks_check(path, &m->marks, error);
}

static sos_status truth_check(const char *path, const sos_image *labels, sos_error *error)
{
    for (size_t i = 0; i < sos_image_size(labels); i++) {
        const uint8_t grey = labels->pixels[i];
        if (grey != SOS_TRUTH_FILE_BACKGROUND && grey != SOS_TRUTH_FILE_UNSURE && grey != SOS_TRUTH_FILE_OBJECT)
            return sos_fail(error, SOS_ERR_FORMAT,
                            "'%.300s': column %zu, row %zu is %d; labels are 0 background, 128 unsure, 255 object", path,
                            i % labels->width, i / labels->width, grey);
    }
    return SOS_OK;
}

sos_status sos_truth_file_read(const char *path, sos_image *out, sos_error *error)
{
    sos_status status = sos_image_read(path, SOS_IMAGE_LABELS, out, error);
    if (status) return status;
    status = truth_check(path, out, error);
    if (status) sos_image_free(out);
    return status;
}

sos_status sos_truth_read(const char *path, sos_truth *out, sos_error *error)
{
    sos_image labels;
    const sos_status status = sos_truth_file_read(path, &labels, error);
    if (status) return status;
    const size_t n = sos_image_size(&labels);
    uint8_t *care = malloc(n);
    if (!care) {
        sos_image_free(&labels);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for the labels of '%.300s'", path);
    }
    for (size_t i = 0; i < n; i++) {
        care[i] = labels.pixels[i] != SOS_TRUTH_FILE_UNSURE;
        labels.pixels[i] = labels.pixels[i] == SOS_TRUTH_FILE_OBJECT;
    }
    *out = (sos_truth){ .width = labels.width, .height = labels.height, .labels = labels.pixels, .care = care };
    return SOS_OK;
}

void sos_truth_free(sos_truth *t)
{
    free(t->labels);
    free(t->care);
    *t = (sos_truth){ 0 };
}

static sos_status truth_read(const char *path, sos_marked *m, sos_error *error)
{
    sos_truth truth;
    const sos_status status = sos_truth_read(path, &truth, error);
    if (status) return status;
    m->truth = truth.labels;
    m->care = truth.care;
    return size_check(path, &(sos_image){ .width = truth.width, .height = truth.height }, &m->photograph, error);
}

sos_status sos_marked_read(const sos_item *item, bool truth, sos_marked *out, sos_error *error)
{
    sos_marked m = { 0 };
    if (!item->image) return sos_fail(error, SOS_ERR_ARGUMENT, "'%.300s' has no photograph", item->name);
    sos_status status = sos_image_read(item->image, SOS_IMAGE_COLOUR, &m.photograph, error);
    if (!status) status = marks_read(item->scribbles, !truth, &m, error);
    if (!status && truth) status = truth_read(item->labels, &m, error);
    if (status)
        sos_marked_free(&m);
    else
        *out = m;
    return status;
}

/* values may be NULL; there are some unless *status says that memory is missing. */
static uint8_t *middles_take(const sos_blocks *b, const uint8_t values[], sos_status *status, sos_error *error)
{
    uint8_t *out = values ? malloc(sos_blocks_size(b)) : NULL;
    if (out) sos_blocks_middle(b, values, out);
    if (values && !out && !*status) *status = sos_fail(error, SOS_ERR_MEMORY, "no memory for a smaller photograph");
    return out;
}

sos_status sos_marked_shrink(sos_marked *m, size_t factor, sos_error *error)
{
    const sos_blocks b = sos_blocks_of(&m->photograph, factor);
    sos_marked small = { 0 };
    sos_status status = sos_blocks_mean(&b, &m->photograph, &small.photograph, error);
    if (!status) status = sos_blocks_marks(&b, &m->marks, &small.marks, error);
    if (!status && m->maps.values) status = sos_blocks_maps(&b, &m->maps, &small.maps, error);
    small.truth = middles_take(&b, m->truth, &status, error);
    small.care = middles_take(&b, m->care, &status, error);
    if (status) {
        sos_marked_free(&small);
        return status;
    }
    sos_marked_free(m);
    *m = small;
    return SOS_OK;
}

bool sos_segment_progress(const sos_work *work, const char *phase, double done)
{
    bool go_on = true;
#pragma omp critical(sos_segment_progress)
    go_on = !work->progress || work->progress(work->user, phase, done);
    return go_on;
}
