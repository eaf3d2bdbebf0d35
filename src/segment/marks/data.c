/* data.c - marked photographs and their true labels, from files and in blocks. */
#include "segment/marks/data.h"

#include <stdlib.h>
#include <string.h>

#include <s3svm/dialogue.h>
#include <s3svm/truth.h>

#include "base/error.h"
#include "base/path.h"
#include "vision/resample.h"

void s3svm_marked_free(s3svm_marked *m)
{
    s3svm_image_free(&m->photograph);
    s3svm_image_free(&m->marks);
    free(m->truth);
    free(m->care);
    s3svm_maps_free(&m->maps);
    *m = (s3svm_marked){ 0 };
}

/* Sizes were compared by the headers; what was decoded counts. */
static sos_status marks_size_check(const char *path, const s3svm_image *image, const s3svm_image *photograph, sos_error *error)
{
    if (image->width == photograph->width && image->height == photograph->height) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "'%.300s' has %zu by %zu pixels, its photograph %zu by %zu", path, image->width,
                    image->height, photograph->width, photograph->height);
}

/* Data sets have one convention for scribbles, "palette", whose numbers are marks. */
static sos_status marks_check(const char *path, const s3svm_image *marks, sos_error *error)
{
    for (size_t i = 0; i < s3svm_image_size(marks); i++)
        if (marks->pixels[i] > S3SVM_MARK_BACKGROUND)
            return sos_fail(error, SOS_ERR_FORMAT,
                            "'%.300s': column %zu, row %zu is %d; scribbles are 0 none, 1 object, 2 background", path,
                            i % marks->width, i / marks->width, marks->pixels[i]);
    return SOS_OK;
}

static sos_status list_read(const char *path, const s3svm_image *photograph, s3svm_dialogue **out, sos_error *error)
{
    s3svm_dialogue *d;
    sos_status status = s3svm_dialogue_read(path, &d, error);
    if (status) return status;
    const size_t width = s3svm_dialogue_width(d), height = s3svm_dialogue_height(d);
    if (width == photograph->width && height == photograph->height) {
        *out = d;
        return SOS_OK;
    }
    s3svm_dialogue_free(d);
    return sos_fail(error, SOS_ERR_ARGUMENT, "'%.300s' is for %zu by %zu pixels, its photograph has %zu by %zu", path, width,
                    height, photograph->width, photograph->height);
}

/* A list becomes a picture of the marks that are certain; *list is the list, or NULL. */
static sos_status marks_read(const char *path, s3svm_marked *m, s3svm_dialogue **list, sos_error *error)
{
    const size_t width = m->photograph.width, height = m->photograph.height;
    sos_status status = SOS_OK;
    if (path && !sos_path_ends(path, ".json")) {
        status = s3svm_image_read(path, S3SVM_IMAGE_LABELS, &m->marks, error);
        if (!status) status = marks_size_check(path, &m->marks, &m->photograph, error);
        return status ? status : marks_check(path, &m->marks, error);
    }
    if (path) status = list_read(path, &m->photograph, list, error);
    if (!status) status = s3svm_image_create(width, height, 1, &m->marks, error);
    return status || !path ? status : s3svm_dialogue_draw_sure(*list, &m->marks, error);
}

static sos_status truth_read(const s3svm_item *item, s3svm_marked *m, sos_error *error)
{
    s3svm_truth truth;
    const sos_status status = s3svm_truth_read(item->labels, &item->truth, &truth, error);
    if (status) return status;
    m->truth = truth.labels;
    m->care = truth.care;
    return marks_size_check(item->labels, &(s3svm_image){ .width = truth.width, .height = truth.height }, &m->photograph,
                            error);
}

/* *list: as marks_read has it, to free, also on failure. */
static sos_status item_read(const s3svm_item *item, bool truth, s3svm_marked *out, s3svm_dialogue **list, sos_error *error)
{
    s3svm_marked m = { 0 };
    if (!item->image) return sos_fail(error, SOS_ERR_ARGUMENT, "'%.300s' has no photograph", item->name);
    if (!item->scribbles && !truth) return sos_fail(error, SOS_ERR_ARGUMENT, "there are no scribbles");
    sos_status status = s3svm_image_read(item->image, S3SVM_IMAGE_COLOUR, &m.photograph, error);
    if (!status) status = marks_read(item->scribbles, &m, list, error);
    if (!status && truth) status = truth_read(item, &m, error);
    if (status)
        s3svm_marked_free(&m);
    else
        *out = m;
    return status;
}

sos_status s3svm_marked_read(const s3svm_item *item, bool truth, s3svm_marked *out, sos_error *error)
{
    s3svm_dialogue *list = NULL;
    const sos_status status = item_read(item, truth, out, &list, error);
    s3svm_dialogue_free(list);
    return status;
}

sos_status s3svm_marked_read_list(const s3svm_item *item, s3svm_marked *out, s3svm_dialogue **list, sos_error *error)
{
    s3svm_dialogue *found = NULL;
    const sos_status status = item_read(item, false, out, &found, error);
    if (status)
        s3svm_dialogue_free(found);
    else
        *list = found;
    return status;
}

/* values may be NULL; there are some unless *status says that memory is missing. */
static uint8_t *middles_take(const s3svm_blocks *b, const uint8_t values[], sos_status *status, sos_error *error)
{
    uint8_t *out = values ? malloc(s3svm_blocks_size(b)) : NULL;
    if (out) s3svm_blocks_middle(b, values, out);
    if (values && !out && !*status) *status = sos_fail(error, SOS_ERR_MEMORY, "no memory for a smaller photograph");
    return out;
}

sos_status s3svm_marked_shrink(s3svm_marked *m, size_t factor, sos_error *error)
{
    const s3svm_blocks b = s3svm_blocks_of(&m->photograph, factor);
    s3svm_marked small = { 0 };
    sos_status status = s3svm_blocks_mean(&b, &m->photograph, &small.photograph, error);
    if (!status) status = s3svm_blocks_marks(&b, &m->marks, &small.marks, error);
    if (!status && m->maps.values) status = s3svm_blocks_maps(&b, &m->maps, &small.maps, error);
    small.truth = middles_take(&b, m->truth, &status, error);
    small.care = middles_take(&b, m->care, &status, error);
    if (status) {
        s3svm_marked_free(&small);
        return status;
    }
    s3svm_marked_free(m);
    *m = small;
    return SOS_OK;
}

bool s3svm_segment_progress(const sos_work *work, const char *phase, double done)
{
    bool go_on = true;
#pragma omp critical(s3svm_segment_progress)
    go_on = !work->progress || work->progress(work->user, phase, done);
    return go_on;
}
