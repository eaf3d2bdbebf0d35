/* evidence.c - networks applied to pictures. */
#include "trace/evidence.h"

#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/error.h"
#include "base/threads.h"
#include "trace/evidence_view.h"
#include "vision/level.h"

enum { HIDDEN = 32 }; /* units of a second network */

void s3svm_evidence_free(s3svm_evidence *e)
{
    for (size_t k = 0; k < S3SVM_EVIDENCE_FOLDS_MAX; k++) {
        s3svm_unet_free(&e->first[k]);
        s3svm_perceptron_free(&e->second[k]);
    }
    *e = (s3svm_evidence){ 0 };
}

sos_status s3svm_evidence_create(size_t folds, s3svm_evidence *out, sos_error *error)
{
    if (!folds || folds > S3SVM_EVIDENCE_FOLDS_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "networks of %zu folds; 1 to %d are possible", folds,
                        S3SVM_EVIDENCE_FOLDS_MAX);
    s3svm_evidence e = { .folds = folds };
    sos_status status = SOS_OK;
    for (size_t k = 0; k < folds && !status; k++) {
        status = s3svm_unet_create(&e.first[k], error);
        if (!status) status = s3svm_perceptron_create(S3SVM_EVIDENCE_INPUTS, HIDDEN, 1, &e.second[k], error);
    }
    if (status)
        s3svm_evidence_free(&e);
    else
        *out = e;
    return status;
}

/* ---------------------------------------------------------------- the plane */

/* The mean follows what is wider than the structures, the deviation what is wider than several of them; a picture without any
 * contrast stays flat. */
static const s3svm_level_settings LEVEL = { .near = 12, .far = 32, .least = 0.005 };
static const float CLIPPED = 5; /* deviations: what is farther out tells no more */

sos_status s3svm_evidence_plane(const float channel[3], const s3svm_image *picture, s3svm_plane *out, sos_error *error)
{
    const size_t n = s3svm_image_size(picture), channels = picture->channels;
    s3svm_plane mixed;
    uint8_t *frame = malloc(n);
    sos_status status = frame ? s3svm_plane_create(picture->width, picture->height, &mixed, error)
                              : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pixels", n);
    if (status) {
        free(frame);
        return status;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < 3; c++)
            mixed.values[i] += channel[c] * (float)picture->pixels[i * channels + (channels < 3 ? 0 : c)] / 255;
    status = s3svm_level_frame(picture, frame, error);
    if (!status) status = s3svm_level(&mixed, frame, &LEVEL, out, error);
    for (size_t i = 0; i < n && !status; i++)
        out->values[i] = out->values[i] > CLIPPED ? CLIPPED : out->values[i] < -CLIPPED ? -CLIPPED : out->values[i];
    s3svm_plane_free(&mixed);
    free(frame);
    return status;
}

/* ---------------------------------------------------------------- what second networks see */

/* Means of blocks of 2 x 2 pixels. */
static sos_status plane_halve(const s3svm_plane *in, s3svm_plane *out, sos_error *error)
{
    const sos_status status = s3svm_plane_create((in->width + 1) / 2, (in->height + 1) / 2, out, error);
    if (status) return status;
    for (size_t y = 0; y < out->height; y++) {
        const float *above = in->values + 2 * y * in->width;
        const float *below = 2 * y + 1 < in->height ? above + in->width : above;
        for (size_t x = 0; x < out->width; x++) {
            const size_t left = 2 * x, right = 2 * x + 1 < in->width ? left + 1 : left;
            out->values[y * out->width + x] = ((above[left] + above[right]) + (below[left] + below[right])) / 4;
        }
    }
    return SOS_OK;
}

void s3svm_evidence_view_free(s3svm_evidence_view *v)
{
    s3svm_strokes_free(v->whole);
    s3svm_strokes_free(v->half);
    *v = (s3svm_evidence_view){ 0 };
}

sos_status s3svm_evidence_view_create(const s3svm_plane *plane, const s3svm_plane *response, s3svm_evidence_view *out,
                                      sos_error *error)
{
    s3svm_evidence_view v = { .plane = plane, .response = response };
    s3svm_plane seen = { 0 }, half = { 0 };
    sos_status status = s3svm_plane_create(plane->width, plane->height, &seen, error);
    for (size_t i = 0; i < s3svm_plane_size(plane) && !status; i++)
        seen.values[i] = (float)sos_logistic((double)response->values[i]);
    if (!status) status = plane_halve(&seen, &half, error);
    if (!status) status = s3svm_strokes_create(&seen, &v.whole, error);
    if (!status) status = s3svm_strokes_create(&half, &v.half, error);
    s3svm_plane_free(&seen);
    s3svm_plane_free(&half);
    if (status)
        s3svm_evidence_view_free(&v);
    else
        *out = v;
    return status;
}

/* Each pixel has what its block at half size has. */
static sos_status half_features(const s3svm_evidence_view *v, size_t strip, float features[], sos_error *error)
{
    const size_t width = v->plane->width, rows = s3svm_evidence_strip_rows(v, strip), half_width = (width + 1) / 2;
    const size_t half_rows = (rows + 1) / 2, n = rows * width, half_n = half_rows * half_width;
    float *half = malloc(S3SVM_STROKES_FEATURES * half_n * sizeof *half);
    if (!half) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the features of %zu pixels", half_n);
    const sos_status status = s3svm_strokes_rows(v->half, strip * S3SVM_EVIDENCE_STRIP / 2, half_rows, half, error);
    for (size_t f = 0; f < S3SVM_STROKES_FEATURES && !status; f++)
        for (size_t y = 0; y < rows; y++) {
            float *to = features + f * n + y * width;
            const float *from = half + f * half_n + y / 2 * half_width;
            for (size_t x = 0; x < width; x++) to[x] = from[x / 2];
        }
    free(half);
    return status;
}

sos_status s3svm_evidence_strip(const s3svm_evidence_view *v, size_t strip, float **out, sos_error *error)
{
    const size_t width = v->plane->width, n = s3svm_evidence_strip_rows(v, strip) * width;
    const size_t first = strip * S3SVM_EVIDENCE_STRIP;
    float *features = malloc(S3SVM_EVIDENCE_INPUTS * n * sizeof *features);
    if (!features) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the features of %zu pixels", n);
    sos_status status = s3svm_strokes_rows(v->whole, first, n / width, features, error);
    if (!status) status = half_features(v, strip, features + S3SVM_STROKES_FEATURES * n, error);
    if (status) {
        free(features);
        return status;
    }
    float *more = features + 2 * S3SVM_STROKES_FEATURES * n;
    memcpy(more, v->response->values + first * width, n * sizeof *more);
    memcpy(more + n, v->plane->values + first * width, n * sizeof *more);
    *out = features;
    return SOS_OK;
}

/* ---------------------------------------------------------------- applying */

/* Whose networks to ask: from first on, so many. */
typedef struct asked {
    size_t first, count;
} asked;

static asked asked_of(const s3svm_evidence *e, size_t fold)
{
    return fold < e->folds ? (asked){ fold, 1 } : (asked){ 0, e->folds };
}

/* Adds its share of a mean. */
static void mean_add(const float values[], size_t n, size_t count, float mean[])
{
    for (size_t i = 0; i < n; i++) mean[i] += values[i] / (float)count;
}

sos_status s3svm_evidence_first(const s3svm_evidence *e, size_t fold, const s3svm_plane *plane, int threads, s3svm_plane *out,
                                sos_error *error)
{
    const asked who = asked_of(e, fold);
    s3svm_plane one = { 0 };
    sos_status status = s3svm_plane_create(plane->width, plane->height, out, error);
    if (!status) status = s3svm_plane_create(plane->width, plane->height, &one, error);
    for (size_t k = 0; k < who.count && !status; k++) {
        status = s3svm_unet_apply(&e->first[who.first + k], plane, threads, &one, error);
        if (!status) mean_add(one.values, s3svm_plane_size(out), who.count, out->values);
    }
    s3svm_plane_free(&one);
    if (status) s3svm_plane_free(out);
    return status;
}

static sos_status strip_apply(const s3svm_evidence_view *v, const s3svm_perceptron networks[], size_t count, size_t strip,
                              s3svm_plane *out, sos_error *error)
{
    const size_t width = v->plane->width, n = s3svm_evidence_strip_rows(v, strip) * width;
    float *features = NULL, *one = malloc(n * sizeof *one);
    const sos_status status = one ? s3svm_evidence_strip(v, strip, &features, error)
                                  : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu responses", n);
    for (size_t k = 0; k < count && !status; k++) {
        s3svm_perceptron_apply(&networks[k], n, n, features, one);
        mean_add(one, n, count, out->values + strip * S3SVM_EVIDENCE_STRIP * width);
    }
    free(features);
    free(one);
    return status;
}

static sos_status second_apply(const s3svm_evidence *e, asked who, const s3svm_evidence_view *v, int threads, s3svm_plane *out,
                               sos_error *error)
{
    sos_failure failure = { 0 };
    const int used = sos_thread_count(threads);
    (void)used; /* where OpenMP is missing */
#pragma omp parallel for schedule(dynamic) num_threads(used)
    for (size_t strip = 0; strip < s3svm_evidence_strips(v); strip++) {
        sos_error why;
        const sos_status failed = strip_apply(v, &e->second[who.first], who.count, strip, out, &why);
        if (failed) sos_failure_note(&failure, strip, failed, &why);
    }
    return sos_failure_status(&failure, "strip", error);
}

sos_status s3svm_evidence_look(const s3svm_evidence *e, const s3svm_image *picture, size_t fold, int threads, s3svm_plane *out,
                               sos_error *error)
{
    s3svm_plane plane = { 0 }, first = { 0 };
    s3svm_evidence_view v = { 0 };
    *out = (s3svm_plane){ 0 };
    sos_status status = s3svm_evidence_plane(e->channel, picture, &plane, error);
    if (!status) status = s3svm_evidence_first(e, fold, &plane, threads, &first, error);
    if (!status) status = s3svm_evidence_view_create(&plane, &first, &v, error);
    if (!status) status = s3svm_plane_create(picture->width, picture->height, out, error);
    if (!status) status = second_apply(e, asked_of(e, fold), &v, threads, out, error);
    s3svm_evidence_view_free(&v);
    s3svm_plane_free(&plane);
    s3svm_plane_free(&first);
    if (status) s3svm_plane_free(out);
    return status;
}
