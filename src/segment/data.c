#include "segment/data.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

void sos_scribbled_free(sos_scribbled *s)
{
    sos_image_free(&s->picture);
    free(s->scribbles);
    free(s->truth);
    free(s->care);
    *s = (sos_scribbled){ 0 };
}

/* Sizes were compared by the headers; what was decoded counts. */
static sos_status size_check(const char *path, const sos_image *labels, const sos_image *picture, sos_error *error)
{
    if (labels->width == picture->width && labels->height == picture->height) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "'%.300s' has %zu by %zu pixels, its photograph %zu by %zu", path, labels->width,
                    labels->height, picture->width, picture->height);
}

static sos_status scribbles_check(const char *path, const sos_image *labels, sos_error *error)
{
    for (size_t i = 0; i < sos_image_size(labels); i++)
        if (labels->pixels[i] > SOS_SCRIBBLE_BACKGROUND)
            return sos_fail(error, SOS_ERR_FORMAT,
                            "'%.300s': column %zu, row %zu is %d; scribbles are 0 none, 1 object, 2 background", path,
                            i % labels->width, i / labels->width, labels->pixels[i]);
    return SOS_OK;
}

static sos_status scribbles_read(const char *path, sos_scribbled *s, sos_error *error)
{
    sos_image labels;
    if (!path) return sos_fail(error, SOS_ERR_ARGUMENT, "there are no scribbles");
    sos_status status = sos_image_read(path, SOS_IMAGE_LABELS, &labels, error);
    if (status) return status;
    s->scribbles = labels.pixels;
    status = size_check(path, &labels, &s->picture, error);
    return status ? status : scribbles_check(path, &labels, error);
}

static sos_status truth_check(const char *path, const sos_image *labels, sos_error *error)
{
    for (size_t i = 0; i < sos_image_size(labels); i++) {
        const uint8_t label = labels->pixels[i];
        if (label != SOS_TRUTH_BACKGROUND && label != SOS_TRUTH_UNSURE && label != SOS_TRUTH_OBJECT)
            return sos_fail(error, SOS_ERR_FORMAT,
                            "'%.300s': column %zu, row %zu is %d; labels are 0 background, 128 unsure, 255 object", path,
                            i % labels->width, i / labels->width, label);
    }
    return SOS_OK;
}

sos_status sos_truth_read(const char *path, sos_image *out, sos_error *error)
{
    sos_status status = sos_image_read(path, SOS_IMAGE_LABELS, out, error);
    if (status) return status;
    status = truth_check(path, out, error);
    if (status) sos_image_free(out);
    return status;
}

static sos_status truth_read(const char *path, sos_scribbled *s, sos_error *error)
{
    sos_image labels;
    sos_status status = sos_truth_read(path, &labels, error);
    if (status) return status;
    const size_t n = sos_image_size(&labels);
    s->truth = labels.pixels;
    status = size_check(path, &labels, &s->picture, error);
    if (status) return status;
    s->care = malloc(n);
    if (!s->care) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the labels of '%.300s'", path);
    for (size_t i = 0; i < n; i++) {
        s->care[i] = s->truth[i] != SOS_TRUTH_UNSURE;
        s->truth[i] = s->truth[i] == SOS_TRUTH_OBJECT;
    }
    return SOS_OK;
}

sos_status sos_scribbled_read(const sos_item *item, bool truth, sos_scribbled *out, sos_error *error)
{
    sos_scribbled s = { 0 };
    if (!item->image) return sos_fail(error, SOS_ERR_ARGUMENT, "'%.300s' has no photograph", item->name);
    sos_status status = sos_image_read(item->image, SOS_IMAGE_COLOUR, &s.picture, error);
    if (!status) status = scribbles_read(item->scribbles, &s, error);
    if (!status && truth) status = truth_read(item->labels, &s, error);
    if (status)
        sos_scribbled_free(&s);
    else
        *out = s;
    return status;
}
