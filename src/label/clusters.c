/* clusters.c - clusters of texture, and of how colours differ within 2x2 patches. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "label/features.h"
#include "vision/kmeans.h"

/* ---------------------------------------------------------------- points */

/* What the planes of a view count: colour in units of about what people see as different, slopes and texture more. */
static const double TEXTURE_WEIGHTS[S3SVM_LABEL_TEXTURE] = { 0.1, 0.2, 0.2, 0.3, 0.3, 0.5, 0.3 };
static const double TEXTURE_RADIUS = 2;
_Static_assert((int)S3SVM_LABEL_TEXTURE == (int)S3SVM_LABEL_PLANES, "a texture is described by all planes");

void s3svm_label_texture_at(const s3svm_label_view *v, size_t x, size_t y, float out[S3SVM_LABEL_TEXTURE])
{
    const s3svm_label_box b = s3svm_label_box_around(v, (double)x, (double)y, TEXTURE_RADIUS);
    for (size_t p = 0; p < S3SVM_LABEL_TEXTURE; p++) out[p] = (float)(TEXTURE_WEIGHTS[p] * s3svm_label_box_mean(v, p, &b));
}

/* How far the mean of colours a and b is from that of c and d. */
static float distance_of(const float a[], const float b[], const float c[], const float d[])
{
    float sum = 0;
    for (size_t k = 0; k < S3SVM_LABEL_COLOURS; k++) {
        const float x = (a[k] + b[k] - c[k] - d[k]) / 2;
        sum += x * x;
    }
    return sqrtf(sum);
}

/* How much colours differ across, down and along both diagonals: the greater and the less of either two, so that turned and
 * mirrored patches look alike.  Roots, lest the strongest edges take all clusters. */
void s3svm_label_edge_at(const s3svm_label_view *v, size_t distance, size_t x, size_t y, float out[S3SVM_LABEL_EDGE])
{
    const float *a = v->lab + S3SVM_LABEL_COLOURS * (y * v->width + x), *b = a + S3SVM_LABEL_COLOURS * distance;
    const float *c = a + S3SVM_LABEL_COLOURS * distance * v->width, *d = c + S3SVM_LABEL_COLOURS * distance;
    const float across = distance_of(a, c, b, d), down = distance_of(a, b, c, d);
    const float falling = distance_of(a, a, d, d), rising = distance_of(b, b, c, c);
    out[0] = sqrtf(fmaxf(across, down));
    out[1] = sqrtf(fminf(across, down));
    out[2] = sqrtf(fmaxf(falling, rising));
    out[3] = sqrtf(fminf(falling, rising));
}

/* ---------------------------------------------------------------- of all pixels */

sos_status s3svm_label_textures(const s3svm_label_features *f, const s3svm_label_view *v, uint32_t out[], sos_error *error)
{
    const size_t n = s3svm_label_view_size(v);
    float *points = malloc(n * S3SVM_LABEL_TEXTURE * sizeof *points);
    if (!points) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the textures of a picture");
    for (size_t i = 0; i < n; i++) s3svm_label_texture_at(v, i % v->width, i / v->width, points + i * S3SVM_LABEL_TEXTURE);
    const sos_status status = s3svm_kmeans_assign(n, S3SVM_LABEL_TEXTURE, points, f->clusters, f->centres, 1, out, NULL, error);
    free(points);
    return status;
}

sos_status s3svm_label_edges(const s3svm_label_features *f, const s3svm_label_view *v, size_t distance, uint32_t out[],
                             sos_error *error)
{
    if (v->width <= distance || v->height <= distance) return SOS_OK;
    const size_t across = v->width - distance, n = across * (v->height - distance);
    if (f->edges == 1) {
        memset(out, 0, n * sizeof *out);
        return SOS_OK;
    }
    float *points = malloc(n * S3SVM_LABEL_EDGE * sizeof *points);
    if (!points) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the edges of a picture");
    for (size_t i = 0; i < n; i++) s3svm_label_edge_at(v, distance, i % across, i / across, points + i * S3SVM_LABEL_EDGE);
    const sos_status status = s3svm_kmeans_assign(n, S3SVM_LABEL_EDGE, points, f->edges, f->edge, 1, out, NULL, error);
    free(points);
    return status;
}
