#include "label/data.h"

#include <stdlib.h>

#include "base/error.h"

void sos_labelled_free(sos_labelled *p)
{
    sos_image_free(&p->picture);
    free(p->truth);
    free(p->care);
    *p = (sos_labelled){ 0 };
}

sos_status sos_label_truth_read(const sos_item *item, size_t count, int unknown, sos_image *out, sos_error *error)
{
    if (!item->labels) return sos_fail(error, SOS_ERR_ARGUMENT, "'%.300s' has no true labels", item->name);
    sos_image labels;
    const sos_status status = sos_image_read(item->labels, SOS_IMAGE_LABELS, &labels, error);
    if (status) return status;
    for (size_t i = 0; i < sos_image_size(&labels); i++) {
        const size_t label = labels.pixels[i], width = labels.width;
        if (label < count || (int)label == unknown) continue;
        sos_image_free(&labels);
        return sos_fail(error, SOS_ERR_ARGUMENT,
                        "'%.300s': column %zu, row %zu has label %zu, but there are %zu labels, from 0 on", item->labels,
                        i % width, i / width, label, count);
    }
    *out = labels;
    return SOS_OK;
}

/* care is made only where something is unknown. */
static sos_status care_find(int unknown, size_t n, sos_labelled *p, sos_error *error)
{
    size_t some = 0;
    for (size_t i = 0; i < n; i++) some += p->truth[i] == unknown;
    if (!some) return SOS_OK;
    p->care = malloc(n);
    if (!p->care) return sos_fail(error, SOS_ERR_MEMORY, "no memory for labels");
    for (size_t i = 0; i < n; i++) {
        p->care[i] = p->truth[i] != unknown;
        if (!p->care[i]) p->truth[i] = 0;
    }
    return SOS_OK;
}

sos_status sos_labelled_read(const sos_item *item, size_t count, int unknown, sos_labelled *out, sos_error *error)
{
    sos_labelled p = { 0 };
    sos_image labels = { 0 };
    if (!item->image) return sos_fail(error, SOS_ERR_ARGUMENT, "'%.300s' has no photograph", item->name);
    sos_status status = sos_image_read(item->image, SOS_IMAGE_COLOUR, &p.picture, error);
    if (!status) status = sos_label_truth_read(item, count, unknown, &labels, error);
    p.truth = labels.pixels;
    if (!status && (labels.width != p.picture.width || labels.height != p.picture.height))
        status = sos_fail(error, SOS_ERR_ARGUMENT, "'%.300s' has %zu by %zu pixels, its photograph %zu by %zu", item->labels,
                          labels.width, labels.height, p.picture.width, p.picture.height);
    if (!status) status = care_find(unknown, sos_image_size(&p.picture), &p, error);
    if (status)
        sos_labelled_free(&p);
    else
        *out = p;
    return status;
}

sos_status sos_label_count(const sos_dataset *d, int unknown, size_t *count, sos_error *error)
{
    size_t most = 0;
    for (size_t i = 0; i < d->count; i++) {
        sos_image labels;
        const sos_status status = sos_label_truth_read(&d->items[i], 256, unknown, &labels, error);
        if (status) return status;
        for (size_t j = 0; j < sos_image_size(&labels); j++)
            if (labels.pixels[j] != unknown && labels.pixels[j] >= most) most = (size_t)labels.pixels[j] + 1;
        sos_image_free(&labels);
    }
    if (most < 2)
        return sos_fail(error, SOS_ERR_ARGUMENT, "the pictures in '%.300s' have %s; there must be 2 or more", d->folder,
                        most ? "one label only, 0" : "no labels");
    *count = most;
    return SOS_OK;
}

sos_status sos_label_judge(const sos_label_names *names, const sos_item *item, const sos_image *labels, sos_confusion *out,
                           sos_error *error)
{
    sos_labelled true_one;
    sos_status status = sos_labelled_read(item, names->count, names->unknown, &true_one, error);
    if (status) return status;
    const sos_image *picture = &true_one.picture;
    if (picture->width != labels->width || picture->height != labels->height)
        status = sos_fail(error, SOS_ERR_ARGUMENT, "'%.300s' has %zu by %zu pixels, its result %zu by %zu", item->labels,
                          picture->width, picture->height, labels->width, labels->height);
    if (!status) status = sos_confusion_create(names->count, out, error);
    if (!status) sos_confusion_add(out, sos_image_size(labels), labels->pixels, true_one.truth, true_one.care);
    sos_labelled_free(&true_one);
    return status;
}

sos_status sos_label_paint(const sos_label_names *names, size_t width, size_t height, const uint8_t labels[],
                           const uint8_t care[], sos_image *out, sos_error *error)
{
    const sos_status status = sos_image_create(width, height, 3, out, error);
    if (status) return status;
    for (size_t i = 0; i < width * height; i++) {
        const bool known = (!care || care[i]) && labels[i] < names->count;
        const uint32_t colour = known ? names->colour[labels[i]] : 0;
        for (size_t c = 0; c < 3; c++) out->pixels[3 * i + c] = (uint8_t)(colour >> (16 - 8 * c));
    }
    return SOS_OK;
}
