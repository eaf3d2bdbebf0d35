#include "vision/filter.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/error.h"
#include "base/memory.h"
#include <s3svm/image.h>

/* The pixel of a row of n that pixel i is a mirror image of, if i is beyond the border: ... 1 0 | 0 1 ... n-1 | n-1 n-2 ... */
static size_t mirrored(ptrdiff_t i, size_t n)
{
    const ptrdiff_t period = 2 * (ptrdiff_t)n;
    const size_t j = (size_t)((i % period + period) % period);
    return j < n ? j : 2 * n - 1 - j;
}

static sos_status sizes_check(const s3svm_plane *in, const s3svm_plane *out, sos_error *error)
{
    if (in == out || in->values == out->values) return sos_fail(error, SOS_ERR_ARGUMENT, "a filter cannot work in place");
    if (in->width != out->width || in->height != out->height)
        return sos_fail(error, SOS_ERR_ARGUMENT, "a filter from %zu by %zu to %zu by %zu pixels", in->width, in->height,
                        out->width, out->height);
    return SOS_OK;
}

sos_status s3svm_filter_pad(const s3svm_plane *in, size_t margin, s3svm_plane *out, sos_error *error)
{
    if (margin > S3SVM_IMAGE_SIDE_MAX) return sos_fail(error, SOS_ERR_RANGE, "a margin of %zu pixels", margin);
    s3svm_plane p;
    const sos_status status = s3svm_plane_create(in->width + 2 * margin, in->height + 2 * margin, &p, error);
    if (status) return status;
    for (size_t y = 0; y < p.height; y++) {
        const float *from = in->values + mirrored((ptrdiff_t)y - (ptrdiff_t)margin, in->height) * in->width;
        float *to = p.values + y * p.width;
        memcpy(to + margin, from, in->width * sizeof *to);
        for (size_t x = 0; x < margin; x++) {
            to[margin - 1 - x] = from[mirrored(-1 - (ptrdiff_t)x, in->width)];
            to[margin + in->width + x] = from[mirrored((ptrdiff_t)(in->width + x), in->width)];
        }
    }
    *out = p;
    return SOS_OK;
}

/* sum_t taps[t] * in[x + t], for a row of n values. */
static void row_convolve(size_t n, const float in[], size_t count, const float taps[], float out[])
{
    for (size_t x = 0; x < n; x++) out[x] = 0;
    for (size_t t = 0; t < count; t++)
        for (size_t x = 0; x < n; x++) out[x] += taps[t] * in[x + t];
}

/* Rows, then columns: both passes run along rows, so that both are loops over neighbours in memory. */
static sos_status separable(const s3svm_plane *in, size_t reach, const float taps[], s3svm_plane *out, sos_error *error)
{
    const size_t count = 2 * reach + 1;
    s3svm_plane padded, rows;
    sos_status status = s3svm_filter_pad(in, reach, &padded, error);
    if (status) return status;
    status = s3svm_plane_create(in->width, padded.height, &rows, error);
    if (!status) {
        for (size_t y = 0; y < padded.height; y++)
            row_convolve(in->width, padded.values + y * padded.width, count, taps, rows.values + y * in->width);
        for (size_t y = 0; y < in->height; y++) {
            float *to = out->values + y * in->width;
            for (size_t x = 0; x < in->width; x++) to[x] = 0;
            for (size_t t = 0; t < count; t++) {
                const float *from = rows.values + (y + t) * in->width;
                for (size_t x = 0; x < in->width; x++) to[x] += taps[t] * from[x];
            }
        }
        s3svm_plane_free(&rows);
    }
    s3svm_plane_free(&padded);
    return status;
}

size_t s3svm_gauss_reach(double sigma) { return (size_t)ceil(S3SVM_GAUSS_SIGMAS * sigma); }

void s3svm_gauss_kernel(double sigma, size_t reach, float kernel[])
{
    double sum = 1;
    for (size_t i = 1; i <= reach; i++) sum += 2 * sos_exp(-0.5 * (double)(i * i) / (sigma * sigma));
    for (size_t i = 0; i <= reach; i++) kernel[i] = (float)(sos_exp(-0.5 * (double)(i * i) / (sigma * sigma)) / sum);
}

sos_status s3svm_filter_gauss(const s3svm_plane *in, double sigma, s3svm_plane *out, sos_error *error)
{
    const sos_status status = sizes_check(in, out, error);
    if (status) return status;
    if (!(sigma > 0 && sigma * S3SVM_GAUSS_SIGMAS <= S3SVM_FILTER_REACH_MAX))
        return sos_fail(error, SOS_ERR_ARGUMENT, "a Gaussian filter of standard deviation %g", sigma);
    const size_t reach = s3svm_gauss_reach(sigma);
    float half[S3SVM_FILTER_REACH_MAX + 1], taps[2 * S3SVM_FILTER_REACH_MAX + 1];
    s3svm_gauss_kernel(sigma, reach, half);
    for (size_t t = 0; t <= reach; t++) taps[reach - t] = taps[reach + t] = half[t];
    return separable(in, reach, taps, out, error);
}

/* How often each of 256 values occurs in a window, and how many of them are below the median: as the window moves, the median
 * moves little (Huang, Yang and Tang, "A fast two-dimensional median filtering algorithm", 1979). */
typedef struct histogram {
    uint32_t count[256];
    uint32_t below; /* values less than median */
    uint32_t rank;  /* the median has so many values before it in order */
    uint8_t median;
} histogram;

static void histogram_add(histogram *h, uint8_t value)
{
    h->count[value]++;
    h->below += value < h->median;
}

static void histogram_remove(histogram *h, uint8_t value)
{
    h->count[value]--;
    h->below -= value < h->median;
}

static uint8_t histogram_median(histogram *h)
{
    while (h->below > h->rank) h->below -= h->count[--h->median];
    while (h->below + h->count[h->median] <= h->rank) h->below += h->count[h->median++];
    return h->median;
}

static uint8_t rounded(float x) { return (uint8_t)(x <= 0 ? 0 : x >= 1 ? 255 : lrintf(x * 255)); }

sos_status s3svm_filter_median(const s3svm_plane *in, size_t radius, s3svm_plane *out, sos_error *error)
{
    sos_status status = sizes_check(in, out, error);
    if (status) return status;
    if (radius > S3SVM_FILTER_REACH_MAX) return sos_fail(error, SOS_ERR_ARGUMENT, "a median filter of radius %zu", radius);
    s3svm_plane padded;
    status = s3svm_filter_pad(in, radius, &padded, error);
    if (status) return status;
    const size_t side = 2 * radius + 1, w = padded.width;
    uint8_t *bytes = sos_block_alloc(w * padded.height);
    if (!bytes) {
        s3svm_plane_free(&padded);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for a median filter of %zu by %zu pixels", in->width, in->height);
    }
    for (size_t i = 0; i < w * padded.height; i++) bytes[i] = rounded(padded.values[i]);
    for (size_t y = 0; y < in->height; y++) {
        histogram h = { .rank = (uint32_t)(side * side / 2) };
        for (size_t j = 0; j < side; j++)
            for (size_t x = 0; x < side - 1; x++) histogram_add(&h, bytes[(y + j) * w + x]);
        for (size_t x = 0; x < in->width; x++) {
            for (size_t j = 0; j < side; j++) histogram_add(&h, bytes[(y + j) * w + x + side - 1]);
            out->values[y * in->width + x] = (float)histogram_median(&h) / 255;
            for (size_t j = 0; j < side; j++) histogram_remove(&h, bytes[(y + j) * w + x]);
        }
    }
    sos_block_free(bytes);
    s3svm_plane_free(&padded);
    return SOS_OK;
}
