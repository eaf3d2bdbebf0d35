#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include "denoise/data.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

void s3svm_drawing_truth(const s3svm_image *picture, uint8_t labels[])
{
    const size_t n = s3svm_image_size(picture);
    for (size_t i = 0; i < n; i++) labels[i] = s3svm_drawing_is_ink(picture->pixels[i]);
}

void s3svm_drawing_of_labels(s3svm_image *picture)
{
    const size_t n = s3svm_image_size(picture);
    for (size_t i = 0; i < n; i++) picture->pixels[i] = picture->pixels[i] ? 0 : UINT8_MAX;
}

void s3svm_drawing_tell(s3svm_image *picture)
{
    const size_t n = s3svm_image_size(picture);
    uint8_t lightest = 0;
    for (size_t i = 0; i < n; i++)
        if (picture->pixels[i] > lightest) lightest = picture->pixels[i];
    if (lightest == 1) s3svm_drawing_of_labels(picture);
}

sos_status s3svm_drawing_picture(size_t width, size_t height, const uint8_t labels[], s3svm_image *out, sos_error *error)
{
    s3svm_image picture;
    const sos_status status = s3svm_image_create(width, height, 1, &picture, error);
    if (status) return status;
    const size_t n = s3svm_image_size(&picture);
    for (size_t i = 0; i < n; i++) picture.pixels[i] = labels[i] ? 0 : 255;
    *out = picture;
    return SOS_OK;
}

sos_status s3svm_drawing_noisy(const s3svm_item *item, const s3svm_noise *noise, s3svm_plane *out, sos_error *error)
{
    const char *path = noise ? item->labels : item->image;
    s3svm_image grey;
    sos_status status = s3svm_image_read(path, S3SVM_IMAGE_GREY, &grey, error);
    if (status) return status;
    if (noise) s3svm_drawing_tell(&grey);
    status = noise ? s3svm_noise_add(noise, s3svm_noise_stream(path), &grey, out, error)
                   : s3svm_image_to_plane(&grey, out, error);
    s3svm_image_free(&grey);
    return status;
}

/* Sizes were compared by the headers; what was decoded counts. */
static sos_status drawing_size_check(const s3svm_item *item, const s3svm_plane *noisy, const s3svm_image *clean,
                                     sos_error *error)
{
    if (noisy->width == clean->width && noisy->height == clean->height) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "'%.180s' has %zu by %zu pixels, but '%.180s' %zu by %zu", item->image,
                    noisy->width, noisy->height, item->labels, clean->width, clean->height);
}

sos_status s3svm_drawing_read(const s3svm_item *item, const s3svm_noise *noise, s3svm_plane *noisy, uint8_t **truth,
                              sos_error *error)
{
    s3svm_image clean;
    s3svm_plane seen = { 0 };
    uint8_t *labels = NULL;
    sos_status status = s3svm_image_read(item->labels, S3SVM_IMAGE_GREY, &clean, error);
    if (status) return status;
    status = s3svm_drawing_noisy(item, noise, &seen, error);
    if (!status) status = drawing_size_check(item, &seen, &clean, error);
    if (!status && !(labels = malloc(s3svm_image_size(&clean))))
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for '%.300s'", item->labels);
    if (!status) s3svm_drawing_truth(&clean, labels);
    s3svm_image_free(&clean);
    if (status) {
        s3svm_plane_free(&seen);
        return status;
    }
    *noisy = seen;
    *truth = labels;
    return SOS_OK;
}

static sos_status drawing_load(const s3svm_item *item, const s3svm_noise *noise, s3svm_drawings *out, size_t i,
                               sos_error *error)
{
    const sos_status status = s3svm_drawing_read(item, noise, &out->noisy[i], &out->truths[i], error);
    if (status) return status;
    out->names[i] = strdup(item->name);
    return out->names[i] ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for '%.300s'", item->labels);
}

sos_status s3svm_drawings_load(const s3svm_dataset *d, size_t noises, const s3svm_noise noise[], const bool wanted[],
                               s3svm_drawings *out, sos_error *error)
{
    const size_t count = d->count * (noises ? noises : 1);
    if (!noises && !d->items[0].image)
        return sos_fail(error, SOS_ERR_ARGUMENT,
                        "there are no noisy pictures: '%.200s' has no folder images/; add noise to labels/ with --noise plain "
                        "or shifted, or write noisy pictures with s3svm add-noise",
                        d->folder);
    s3svm_drawings all = { .names = calloc(count, sizeof *all.names),
                           .noisy = calloc(count, sizeof *all.noisy),
                           .truths = calloc(count, sizeof *all.truths) };
    sos_status status = SOS_OK;
    if (all.names && all.noisy && all.truths)
        all.count = count;
    else
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pictures", count);
    for (size_t i = 0; i < count && !status; i++)
        if (!wanted || wanted[i])
            status = drawing_load(&d->items[i % d->count], noises ? &noise[i / d->count] : NULL, &all, i, error);
    if (status)
        s3svm_drawings_free(&all);
    else
        *out = all;
    return status;
}

void s3svm_drawings_free(s3svm_drawings *d)
{
    for (size_t i = 0; i < d->count; i++) {
        free(d->names[i]);
        s3svm_plane_free(&d->noisy[i]);
        free(d->truths[i]);
    }
    free(d->names);
    free(d->noisy);
    free(d->truths);
    *d = (s3svm_drawings){ 0 };
}
