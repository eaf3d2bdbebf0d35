/* outline_photo.c - what refining outlines needs of a photograph, independent of the marks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/error.h"
#include "segment/outlines/outline.h"
#include "vision/colour.h"
#include "vision/contrast.h"

static const double BLUR = 1; /* pixels: beyond noise and the blocks of a JPEG, not beyond thin edges */

/* Right, down left, down, down right. */
static const int RIGHT[S3SVM_OUTLINE_NEIGHBOURS] = { 1, -1, 0, 1 }, DOWN[S3SVM_OUTLINE_NEIGHBOURS] = { 0, 1, 1, 1 };

void s3svm_outline_photo_free(s3svm_outline_photo *s)
{
    free(s->moments);
    free(s->steepness);
    free(s->contrast);
    *s = (s3svm_outline_photo){ 0 };
}

/* L, a, b as bytes: units of half and of one, which is finer than noise. */
static void moments_find(s3svm_outline_photo *s, const float lab[])
{
    for (size_t i = 0; i < s->width * s->height; i++) {
        s3svm_outline_moments m = { 1 };
        for (size_t c = 0; c < S3SVM_OUTLINE_CHANNELS; c++) {
            const double x = c ? (double)lab[3 * i + c] + 128 : 2 * (double)lab[3 * i];
            const uint16_t byte = (uint16_t)fmin(255, fmax(0, rint(x)));
            m[1 + c] = byte;
            m[1 + S3SVM_OUTLINE_CHANNELS + c] = (uint16_t)(byte * byte);
        }
        s->moments[i] = m;
    }
}

static double square_between(const float lab[], size_t i, size_t j)
{
    double sum = 0;
    for (size_t c = 0; c < 3; c++) {
        const double d = (double)lab[3 * i + c] - (double)lab[3 * j + c];
        sum += d * d;
    }
    return sum;
}

/* Differences of the neighbours to both sides, over two pixels; at the border over one. */
static void steepness_find(s3svm_outline_photo *s, const float lab[])
{
    const size_t width = s->width, height = s->height;
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            const size_t i = y * width + x, left = i - (x > 0), right = i + (x + 1 < width);
            const size_t up = y ? i - width : i, down = y + 1 < height ? i + width : i;
            const double sum = square_between(lab, left, right) + square_between(lab, up, down);
            s->steepness[i] = (float)sos_log(1 + sqrt(sum) / 2);
        }
}

static void contrast_find(s3svm_outline_photo *s, const s3svm_image *photograph, uint32_t squares[], double weights[])
{
    const size_t width = s->width, height = s->height, n = width * height;
    const double beta = s3svm_contrast_beta(photograph, 2 * S3SVM_OUTLINE_NEIGHBOURS);
    for (size_t k = 0; k < S3SVM_OUTLINE_NEIGHBOURS; k++) {
        const double unit = RIGHT[k] && DOWN[k] ? S3SVM_CONTRAST_DIAGONAL : 1;
        for (size_t y = 0; y < height; y++)
            for (size_t x = 0; x < width; x++) {
                const size_t i = y * width + x, x2 = x + (size_t)RIGHT[k], y2 = y + (size_t)DOWN[k]; /* -1 wraps around */
                const bool there = x2 < width && y2 < height;
                const uint8_t *here = photograph->pixels + 3 * i;
                squares[i] = there ? s3svm_contrast_square(here, photograph->pixels + 3 * (y2 * width + x2)) : UINT32_MAX;
            }
        s3svm_contrast_weights(beta, n, squares, weights);
        for (size_t i = 0; i < n; i++) s->contrast[k * n + i] = squares[i] == UINT32_MAX ? 0 : (float)(unit * weights[i]);
    }
}

static sos_status photo_fill(s3svm_outline_photo *s, const s3svm_image *photograph, int threads, float lab[],
                             uint32_t squares[], double weights[], sos_error *error)
{
    const sos_status status = s3svm_colour_blur(s->width, s->height, 3, BLUR, threads, lab, error);
    if (status) return status;
    moments_find(s, lab);
    steepness_find(s, lab);
    contrast_find(s, photograph, squares, weights);
    return SOS_OK;
}

sos_status s3svm_outline_photo_create(const s3svm_image *photograph, const float lab[], int threads, s3svm_outline_photo *out,
                                      sos_error *error)
{
    const size_t n = s3svm_image_size(photograph);
    s3svm_outline_photo s = { .width = photograph->width,
                              .height = photograph->height,
                              .scale = sqrt((double)n / S3SVM_OUTLINE_PIXELS),
                              .moments = aligned_alloc(sizeof *s.moments, n * sizeof *s.moments),
                              .steepness = malloc(n * sizeof *s.steepness),
                              .contrast = malloc(S3SVM_OUTLINE_NEIGHBOURS * n * sizeof *s.contrast) };
    float *soft = malloc(3 * n * sizeof *soft);
    uint32_t *squares = malloc(n * sizeof *squares);
    double *weights = malloc(n * sizeof *weights);
    const bool room = s.moments && s.steepness && s.contrast && soft && squares && weights;
    sos_status status = room
                            ? SOS_OK
                            : sos_fail(error, SOS_ERR_MEMORY, "no memory for outlines in %zu by %zu pixels", s.width, s.height);
    if (!status) memcpy(soft, lab, 3 * n * sizeof *soft);
    if (!status) status = photo_fill(&s, photograph, threads, soft, squares, weights, error);
    free(soft);
    free(squares);
    free(weights);
    if (status)
        s3svm_outline_photo_free(&s);
    else
        *out = s;
    return status;
}
