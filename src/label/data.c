#include "label/data.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

void s3svm_labelled_free(s3svm_labelled *p)
{
    s3svm_image_free(&p->picture);
    free(p->truth);
    free(p->care);
    *p = (s3svm_labelled){ 0 };
}

static sos_status numbers_check(const s3svm_image *labels, const char *name, size_t count, int unknown, sos_error *error)
{
    for (size_t i = 0; i < s3svm_image_size(labels); i++) {
        const size_t label = labels->pixels[i];
        if (label >= count && (int)label != unknown)
            return sos_fail(error, SOS_ERR_ARGUMENT,
                            "'%.300s': column %zu, row %zu has label %zu, but there are %zu labels, numbered from 0", name,
                            i % labels->width, i / labels->width, label, count);
    }
    return SOS_OK;
}

/* care is made only where something is unknown. */
sos_status s3svm_label_truth_decode(const s3svm_image *labels, const char *name, size_t count, int unknown, uint8_t **truth,
                                    uint8_t **care, sos_error *error)
{
    const size_t n = s3svm_image_size(labels);
    const sos_status status = numbers_check(labels, name, count, unknown, error);
    if (status) return status;
    const bool some = unknown >= 0 && n && memchr(labels->pixels, unknown, n);
    uint8_t *numbers = malloc(n + 1), *known = some ? malloc(n + 1) : NULL;
    if (!numbers || (some && !known)) {
        free(numbers);
        free(known);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for the labels of '%.300s'", name);
    }
    memcpy(numbers, labels->pixels, n);
    for (size_t i = 0; i < n && known; i++) {
        known[i] = numbers[i] != unknown;
        if (!known[i]) numbers[i] = 0;
    }
    *truth = numbers;
    *care = known;
    return SOS_OK;
}

sos_status s3svm_labelled_read(const s3svm_item *item, size_t count, int unknown, s3svm_labelled *out, sos_error *error)
{
    s3svm_labelled p = { 0 };
    s3svm_image labels = { 0 };
    if (!item->image) return sos_fail(error, SOS_ERR_ARGUMENT, "'%.300s' has no photograph", item->name);
    if (!item->labels) return sos_fail(error, SOS_ERR_ARGUMENT, "'%.300s' has no true labels", item->name);
    sos_status status = s3svm_image_read(item->image, S3SVM_IMAGE_COLOUR, &p.picture, error);
    if (!status) status = s3svm_image_read(item->labels, S3SVM_IMAGE_LABELS, &labels, error);
    if (!status) status = s3svm_label_truth_decode(&labels, item->labels, count, unknown, &p.truth, &p.care, error);
    if (!status && (labels.width != p.picture.width || labels.height != p.picture.height))
        status = sos_fail(error, SOS_ERR_ARGUMENT, "'%.300s' has %zu by %zu pixels, its photograph %zu by %zu", item->labels,
                          labels.width, labels.height, p.picture.width, p.picture.height);
    s3svm_image_free(&labels);
    if (status)
        s3svm_labelled_free(&p);
    else
        *out = p;
    return status;
}

void s3svm_label_numbers_count(const s3svm_image *labels, size_t counts[S3SVM_LABEL_NUMBERS])
{
    for (size_t i = 0; i < s3svm_image_size(labels); i++) counts[labels->pixels[i]]++;
}

sos_status s3svm_label_count_of(const size_t counts[S3SVM_LABEL_NUMBERS], int unknown, const char *data, size_t *count,
                                sos_error *error)
{
    size_t most = 0;
    for (size_t l = 0; l < S3SVM_LABEL_NUMBERS; l++)
        if (counts[l] && (int)l != unknown) most = l + 1;
    if (most < 2)
        return sos_fail(error, SOS_ERR_ARGUMENT, "the pictures in '%.300s' have %s; there must be 2 or more", data,
                        most ? "one label only, 0" : "no labels");
    *count = most;
    return SOS_OK;
}

sos_status s3svm_label_count(const s3svm_dataset *d, int unknown, size_t *count, sos_error *error)
{
    size_t counts[S3SVM_LABEL_NUMBERS] = { 0 };
    for (size_t i = 0; i < d->count; i++) {
        s3svm_image labels;
        const sos_status status = s3svm_image_read(d->items[i].labels, S3SVM_IMAGE_LABELS, &labels, error);
        if (status) return status;
        s3svm_label_numbers_count(&labels, counts);
        s3svm_image_free(&labels);
    }
    return s3svm_label_count_of(counts, unknown, d->folder, count, error);
}

sos_status s3svm_label_judge(const s3svm_label_names *names, const s3svm_item *item, const s3svm_image *labels,
                             s3svm_confusion *out, sos_error *error)
{
    s3svm_labelled true_one;
    sos_status status = s3svm_labelled_read(item, names->count, names->unknown, &true_one, error);
    if (status) return status;
    const s3svm_image *picture = &true_one.picture;
    if (picture->width != labels->width || picture->height != labels->height)
        status = sos_fail(error, SOS_ERR_ARGUMENT, "'%.300s' has %zu by %zu pixels, its result %zu by %zu", item->labels,
                          picture->width, picture->height, labels->width, labels->height);
    if (!status) status = s3svm_confusion_create(names->count, out, error);
    if (!status) s3svm_confusion_add(out, s3svm_image_size(labels), labels->pixels, true_one.truth, true_one.care);
    s3svm_labelled_free(&true_one);
    return status;
}

sos_status s3svm_label_paint(const s3svm_label_names *names, size_t width, size_t height, const uint8_t labels[],
                             const uint8_t care[], s3svm_image *out, sos_error *error)
{
    const sos_status status = s3svm_image_create(width, height, 3, out, error);
    if (status) return status;
    for (size_t i = 0; i < width * height; i++) {
        const bool known = (!care || care[i]) && labels[i] < names->count;
        const uint32_t colour = known ? names->colour[labels[i]] : 0;
        for (size_t c = 0; c < 3; c++) out->pixels[3 * i + c] = (uint8_t)(colour >> (16 - 8 * c));
    }
    return SOS_OK;
}
