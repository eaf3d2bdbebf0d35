#include "vision/level.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "vision/filter.h"

enum { BLACK = 16, SIDE = 17 }; /* grey values below this are black; of squares that are large */

/* ---------------------------------------------------------------- the frame */

/* sums[y * (width + 1) + x]: how many of the pixels above and left of (x, y) are 1. */
static void sums_make(size_t width, size_t height, const uint8_t mask[], uint32_t sums[])
{
    const size_t stride = width + 1;
    for (size_t x = 0; x <= width; x++) sums[x] = 0;
    for (size_t y = 0; y < height; y++) {
        uint32_t row = 0;
        sums[(y + 1) * stride] = 0;
        for (size_t x = 0; x < width; x++) {
            row += mask[y * width + x];
            sums[(y + 1) * stride + x + 1] = sums[y * stride + x + 1] + row;
        }
    }
}

/* Of the pixels from (left, top) up to, not with, (right, bottom). */
static uint32_t sum_of(const uint32_t sums[], size_t stride, size_t left, size_t top, size_t right, size_t bottom)
{
    return sums[bottom * stride + right] - sums[bottom * stride + left] - sums[top * stride + right] +
           sums[top * stride + left];
}

/* First the upper left corners of squares that are all black, then what such squares cover. */
static void frame_open(size_t width, size_t height, uint32_t sums[], uint8_t frame[])
{
    const size_t stride = width + 1;
    sums_make(width, height, frame, sums);
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++)
            frame[y * width + x] = x + SIDE <= width && y + SIDE <= height &&
                                   sum_of(sums, stride, x, y, x + SIDE, y + SIDE) == SIDE * SIDE;
    sums_make(width, height, frame, sums);
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++)
            frame[y * width + x] = sum_of(sums, stride, x < SIDE ? 0 : x + 1 - SIDE, y < SIDE ? 0 : y + 1 - SIDE, x + 1,
                                          y + 1) > 0;
}

sos_status s3svm_level_frame(const s3svm_image *picture, uint8_t frame[], sos_error *error)
{
    const size_t n = s3svm_image_size(picture), channels = picture->channels;
    uint32_t *sums = malloc((picture->width + 1) * (picture->height + 1) * sizeof *sums);
    if (!sums) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the frame of %zu pixels", n);
    for (size_t i = 0; i < n; i++) {
        frame[i] = 1;
        for (size_t c = 0; c < channels && c < 3; c++) frame[i] &= picture->pixels[i * channels + c] < BLACK;
    }
    frame_open(picture->width, picture->height, sums, frame);
    free(sums);
    return SOS_OK;
}

/* ---------------------------------------------------------------- levelling */

/* Means under a Gaussian of what counts: in[] becomes blur(in * count) / blur(count), where count is 0 or 1.  weights:
 * blur(count) of that sigma, all over 0 where anything counts. */
static sos_status means_take(const s3svm_plane *in, double sigma, const s3svm_plane *weights, s3svm_plane *out,
                             sos_error *error)
{
    const sos_status status = s3svm_filter_gauss(in, sigma, out, error);
    if (status) return status;
    for (size_t i = 0; i < s3svm_plane_size(in); i++)
        out->values[i] = weights->values[i] > 1e-6F ? out->values[i] / weights->values[i] : 0;
    return SOS_OK;
}

enum { COUNT, WEIGHT, MASKED, MEAN, PLANES };

static sos_status level_fill(const s3svm_plane *in, const uint8_t frame[], const s3svm_level_settings *s, s3svm_plane p[PLANES],
                             s3svm_plane *out, sos_error *error)
{
    const size_t n = s3svm_plane_size(in);
    for (size_t i = 0; i < n; i++) {
        p[COUNT].values[i] = frame[i] ? 0 : 1;
        p[MASKED].values[i] = frame[i] ? 0 : in->values[i];
    }
    sos_status status = s3svm_filter_gauss(&p[COUNT], s->near, &p[WEIGHT], error);
    if (!status) status = means_take(&p[MASKED], s->near, &p[WEIGHT], &p[MEAN], error);
    for (size_t i = 0; i < n && !status; i++) {
        const float from_mean = in->values[i] - p[MEAN].values[i];
        out->values[i] = frame[i] ? 0 : from_mean;
        p[MASKED].values[i] = out->values[i] * out->values[i];
    }
    if (!status) status = s3svm_filter_gauss(&p[COUNT], s->far, &p[WEIGHT], error);
    if (!status) status = means_take(&p[MASKED], s->far, &p[WEIGHT], &p[MEAN], error);
    for (size_t i = 0; i < n && !status; i++) out->values[i] /= sqrtf(p[MEAN].values[i]) + (float)s->least;
    return status;
}

sos_status s3svm_level(const s3svm_plane *in, const uint8_t frame[], const s3svm_level_settings *settings, s3svm_plane *out,
                       sos_error *error)
{
    s3svm_plane planes[PLANES] = { 0 }, made = { 0 };
    sos_status status = s3svm_plane_create(in->width, in->height, &made, error);
    for (size_t i = 0; i < PLANES && !status; i++) status = s3svm_plane_create(in->width, in->height, &planes[i], error);
    if (!status) status = level_fill(in, frame, settings, planes, &made, error);
    for (size_t i = 0; i < PLANES; i++) s3svm_plane_free(&planes[i]);
    if (status)
        s3svm_plane_free(&made);
    else
        *out = made;
    return status;
}
