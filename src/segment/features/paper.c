#include "segment/features/paper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "vision/kmeans.h"
#include "vision/marks.h"
#include "vision/mixture.h"

enum { COMPONENTS = 5, KMEANS_ITERATIONS = 10, MIXTURE_SEED = 1 }; /* components and iterations as GrabCut has them */

/* The paper's least density, 1e-5 for colours in 0 ... 1, in units of 1/255: log 1e-5 - 3 log 255. */
static const double LOG_LEAST = -11.512925464970229 - 16.623790635543173;

sos_status s3svm_segment_check(const s3svm_segment_input *in, bool dialogues, sos_error *error)
{
    const uint8_t end = dialogues ? S3SVM_MARKS : S3SVM_MARK_BACKGROUND + 1;
    const sos_status status = s3svm_marks_check(in->photograph, in->marks, end, error);
    return status || !in->moment ? status : s3svm_marks_check(in->photograph, in->moment->last, end, error);
}

void s3svm_segment_key(s3svm_cache_key *key, const s3svm_segment_input *in, bool marks)
{
    const size_t n = s3svm_image_size(in->photograph);
    s3svm_cache_key_add_number(key, in->photograph->width);
    s3svm_cache_key_add(key, in->photograph->pixels, 3 * n);
    if (marks) s3svm_cache_key_add(key, in->marks->pixels, n);
    if (marks && in->moment) s3svm_cache_key_add(key, in->moment->last->pixels, n);
    if (marks && in->moment && in->moment->before) s3svm_cache_key_add(key, in->moment->before, n);
    if (marks && in->maps && in->maps->values)
        s3svm_cache_key_add(key, in->maps->values, n * in->maps->channels * sizeof(float));
}

/* ---------------------------------------------------------------- colours */

/* The colours under a mark as a mixture; points is room for them. */
static sos_status mark_mixture(const s3svm_segment_input *in, uint8_t mark, float points[], s3svm_mixture *out,
                               sos_error *error)
{
    size_t count = 0;
    for (size_t i = 0; i < s3svm_image_size(in->photograph); i++)
        if (in->marks->pixels[i] == mark) {
            for (size_t c = 0; c < 3; c++) points[3 * count + c] = in->photograph->pixels[3 * i + c];
            count++;
        }
    sos_status status = s3svm_mixture_create(COMPONENTS, 3, out, error);
    if (status || !count) return status;
    const s3svm_mixture_ridge ridge = s3svm_mixture_ridge_grabcut();
    status = s3svm_mixture_start(out, count, points, KMEANS_ITERATIONS, MIXTURE_SEED, &ridge, in->threads, error);
    if (status) s3svm_mixture_free(out);
    return status;
}

/* Adds sign * log p(x | mark) to the ratios; *missing: there is no such mark. */
static sos_status ratios_add(const s3svm_segment_input *in, uint8_t mark, float sign, float points[], double logs[],
                             float ratios[], bool *missing, sos_error *error)
{
    const size_t n = s3svm_image_size(in->photograph);
    s3svm_mixture m;
    const sos_status status = mark_mixture(in, mark, points, &m, error);
    if (status) return status;
    for (size_t i = 0; i < 3 * n; i++) points[i] = in->photograph->pixels[i];
    s3svm_mixture_evaluate(&m, n, points, logs, NULL, in->threads);
    for (size_t i = 0; i < n; i++) ratios[i] += sign * (float)fmax(logs[i], LOG_LEAST);
    double mass = 0;
    for (size_t c = 0; c < m.components; c++) mass += m.weight[c];
    *missing |= !(mass > 0);
    s3svm_mixture_free(&m);
    return SOS_OK;
}

sos_status s3svm_segment_colours(const s3svm_segment_input *in, float ratios[], sos_error *error)
{
    const size_t n = s3svm_image_size(in->photograph);
    float *points = malloc(3 * n * sizeof *points);
    double *logs = malloc(n * sizeof *logs);
    bool missing = false;
    sos_status status = points && logs ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for colours of %zu pixels", n);
    memset(ratios, 0, n * sizeof *ratios);
    if (!status) status = ratios_add(in, S3SVM_MARK_OBJECT, 1, points, logs, ratios, &missing, error);
    if (!status) status = ratios_add(in, S3SVM_MARK_BACKGROUND, -1, points, logs, ratios, &missing, error);
    if (!status && missing) memset(ratios, 0, n * sizeof *ratios);
    free(points);
    free(logs);
    return status;
}

/* ---------------------------------------------------------------- patches */

static size_t clipped(size_t x, int step, size_t size)
{
    if (step < 0) return x ? x - 1 : 0;
    return step > 0 && x + 1 < size ? x + 1 : x;
}

void s3svm_segment_patches(const s3svm_image *picture, float patches[])
{
    float *out = patches;
    for (size_t y = 0; y < picture->height; y++)
        for (size_t x = 0; x < picture->width; x++)
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) {
                    const size_t from = clipped(y, dy, picture->height) * picture->width + clipped(x, dx, picture->width);
                    for (size_t c = 0; c < 3; c++) *out++ = picture->pixels[3 * from + c];
                }
}

void s3svm_segment_gradients(const s3svm_image *picture, float gradients[])
{
    const size_t row = 3 * picture->width;
    float *out = gradients;
    for (size_t y = 0; y + 1 < picture->height; y++)
        for (size_t x = 0; x + 1 < picture->width; x++)
            for (size_t c = 0; c < 3; c++) {
                const uint8_t *p = picture->pixels + y * row + 3 * x + c;
                *out++ = (float)(p[0] - p[3]);
                *out++ = (float)(p[0] - p[row]);
                *out++ = (float)(p[0] - p[row + 3]);
                *out++ = (float)(p[3] - p[row]);
            }
}

/* ---------------------------------------------------------------- clusters */

size_t s3svm_segment_patch_count(const s3svm_image *picture, s3svm_segment_size size)
{
    return size == S3SVM_SEGMENT_3X3 ? s3svm_image_size(picture) : (picture->width - 1) * (picture->height - 1);
}

size_t s3svm_segment_patch_numbers(s3svm_segment_size size)
{
    return size == S3SVM_SEGMENT_3X3 ? S3SVM_SEGMENT_PATCH : S3SVM_SEGMENT_GRADIENT;
}

void s3svm_segment_patch_describe(const s3svm_image *picture, s3svm_segment_size size, float rows[])
{
    if (size == S3SVM_SEGMENT_3X3)
        s3svm_segment_patches(picture, rows);
    else
        s3svm_segment_gradients(picture, rows);
}

static sos_status clusters_compute(const s3svm_segment_input *in, s3svm_segment_size size, const float centres[],
                                   uint32_t clusters[], sos_error *error)
{
    const size_t n = s3svm_segment_patch_count(in->photograph, size), d = s3svm_segment_patch_numbers(size);
    float *rows = malloc((n + 1) * d * sizeof *rows);
    if (!rows) return sos_fail(error, SOS_ERR_MEMORY, "no memory for patches of %zu pixels", n);
    s3svm_segment_patch_describe(in->photograph, size, rows);
    const sos_status status = s3svm_kmeans_assign(n, d, rows, S3SVM_SEGMENT_CLUSTERS, centres, in->threads, clusters, NULL,
                                                  error);
    free(rows);
    return status;
}

/* A cache keeps a byte for each patch. */
sos_status s3svm_segment_clusters(const s3svm_segment_input *in, s3svm_segment_size size, const float centres[],
                                  uint32_t clusters[], sos_error *error)
{
    const size_t n = s3svm_segment_patch_count(in->photograph, size), d = s3svm_segment_patch_numbers(size);
    if (!in->cache) return clusters_compute(in, size, centres, clusters, error);
    s3svm_cache_key key = s3svm_cache_key_of("clusters of patches", 1);
    s3svm_cache_key_add(&key, centres, S3SVM_SEGMENT_CLUSTERS * d * sizeof *centres);
    s3svm_segment_key(&key, in, false);
    uint8_t *bytes = malloc(n + 1);
    sos_status status = bytes ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for clusters of %zu pixels", n);
    if (!status && s3svm_cache_find(in->cache, &key, bytes, n))
        for (size_t i = 0; i < n; i++) clusters[i] = bytes[i] % S3SVM_SEGMENT_CLUSTERS;
    else if (!status) {
        status = clusters_compute(in, size, centres, clusters, error);
        for (size_t i = 0; i < n && !status; i++) bytes[i] = (uint8_t)clusters[i];
        if (!status) s3svm_cache_keep(in->cache, &key, bytes, n);
    }
    free(bytes);
    return status;
}
