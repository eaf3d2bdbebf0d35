#include "label/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "vision/colour.h"

/* The side of a square with as many pixels as 180 x 120, the size that all lengths are chosen for. */
static const double USUAL_SIDE = 146.97;

/* Radii of the two averages whose differences are fine and coarse texture. */
static const double BLUR_LITTLE = 1, BLUR_MUCH = 3;

/* In a picture of one colour a bin has some width too. */
static const float BIN_LEAST = 1e-6F;

/* ---------------------------------------------------------------- boxes */

/* Sums over all pixels above and to the left, so that any box is summed up from its four corners. */
static void plane_sum(const s3svm_label_view *v, const float plane[], bool squared, double sums[])
{
    const size_t side = v->width + 1;
    for (size_t x = 0; x < side; x++) sums[x] = 0;
    for (size_t y = 0; y < v->height; y++) {
        double row = 0;
        sums[(y + 1) * side] = 0;
        for (size_t x = 0; x < v->width; x++) {
            const double value = (double)plane[y * v->width + x];
            row += squared ? value * value : value;
            sums[(y + 1) * side + x + 1] = sums[y * side + x + 1] + row;
        }
    }
}

static float deviation(double mean, double square) { return (float)sqrt(fmax(square - mean * mean, 0)); }

float s3svm_label_box_deviation(const s3svm_label_view *v, size_t colour, const s3svm_label_box *b)
{
    return deviation(s3svm_label_box_mean(v, colour, b), s3svm_label_box_mean(v, S3SVM_LABEL_PLANES + colour, b));
}

static size_t clamp(double x, size_t most) { return x <= 0 ? 0 : x >= (double)most ? most : (size_t)x; }

s3svm_label_box s3svm_label_box_around(const s3svm_label_view *v, double x, double y, double radius)
{
    const double r = fmax(1, rint(radius * v->scale));
    const size_t cx = clamp(x, v->width - 1), cy = clamp(y, v->height - 1);
    return (s3svm_label_box){ clamp((double)cx - r, v->width - 1), clamp((double)cy - r, v->height - 1),
                              clamp((double)cx + r + 1, v->width), clamp((double)cy + r + 1, v->height) };
}

size_t s3svm_label_view_length(const s3svm_label_view *v, double pixels) { return (size_t)fmax(1, rint(pixels * v->scale)); }

/* ---------------------------------------------------------------- planes */

/* Half the difference of the neighbours on both sides; at the border of one. */
static void slopes_find(s3svm_label_view *v)
{
    const float *light = v->planes[S3SVM_LABEL_LIGHT];
    for (size_t y = 0; y < v->height; y++)
        for (size_t x = 0; x < v->width; x++) {
            const size_t i = y * v->width + x;
            const float left = light[x ? i - 1 : i], right = light[x + 1 < v->width ? i + 1 : i];
            const float above = light[y ? i - v->width : i], below = light[y + 1 < v->height ? i + v->width : i];
            v->planes[S3SVM_LABEL_ACROSS][i] = fabsf(right - left) / 2;
            v->planes[S3SVM_LABEL_DOWN][i] = fabsf(below - above) / 2;
        }
}

/* |L - blurred L| and |blurred L - more blurred L|. */
static sos_status textures_find(s3svm_label_view *v, sos_error *error)
{
    const size_t n = s3svm_label_view_size(v);
    const float *light = v->planes[S3SVM_LABEL_LIGHT];
    float *little = v->planes[S3SVM_LABEL_FINE], *much = v->planes[S3SVM_LABEL_COARSE];
    memcpy(little, light, n * sizeof *little);
    memcpy(much, light, n * sizeof *much);
    sos_status status = s3svm_colour_blur(v->width, v->height, 1, BLUR_LITTLE * v->scale, 1, little, error);
    if (!status) status = s3svm_colour_blur(v->width, v->height, 1, BLUR_MUCH * v->scale, 1, much, error);
    for (size_t i = 0; !status && i < n; i++) {
        much[i] = fabsf(little[i] - much[i]);
        little[i] = fabsf(light[i] - little[i]);
    }
    return status;
}

/* ---------------------------------------------------------------- the picture as a whole */

static void whole_find(s3svm_label_view *v)
{
    const size_t w = v->width, h = v->height;
    const s3svm_label_box all = { 0, 0, w, h };
    for (size_t p = 0; p < S3SVM_LABEL_PLANES; p++) v->whole[p] = (float)s3svm_label_box_mean(v, p, &all);
    for (size_t c = 0; c < S3SVM_LABEL_COLOURS; c++) {
        v->spread[c] = deviation((double)v->whole[c], s3svm_label_box_mean(v, S3SVM_LABEL_PLANES + c, &all));
        for (size_t t = 0; t < S3SVM_LABEL_THIRDS; t++) {
            const size_t begin = t * h / S3SVM_LABEL_THIRDS, end = (t + 1) * h / S3SVM_LABEL_THIRDS;
            const size_t top = begin < h - 1 ? begin : h - 1; /* of very low pictures a third is one row */
            const s3svm_label_box third = { 0, top, w, end > top ? end : top + 1 };
            v->thirds[c][t] = (float)s3svm_label_box_mean(v, c, &third);
        }
    }
}

static void distribution_find(s3svm_label_view *v, size_t c)
{
    const float *plane = v->planes[c];
    const size_t n = s3svm_label_view_size(v);
    float least = plane[0], most = plane[0];
    size_t counts[S3SVM_LABEL_BINS] = { 0 }, sum = 0;
    for (size_t i = 1; i < n; i++) {
        least = fminf(least, plane[i]);
        most = fmaxf(most, plane[i]);
    }
    v->least[c] = least;
    v->bin_width[c] = fmaxf((most - least) / S3SVM_LABEL_BINS, BIN_LEAST);
    for (size_t i = 0; i < n; i++) {
        const size_t bin = (size_t)((plane[i] - least) / v->bin_width[c]);
        counts[bin < S3SVM_LABEL_BINS ? bin : S3SVM_LABEL_BINS - 1]++;
    }
    for (size_t b = 0; b < S3SVM_LABEL_BINS; b++) {
        v->below[c][b] = (float)((double)sum / (double)n);
        sum += counts[b];
    }
    v->below[c][S3SVM_LABEL_BINS] = 1;
}

float s3svm_label_view_rank(const s3svm_label_view *v, size_t colour, double value)
{
    const float *below = v->below[colour];
    const float place = fminf(fmaxf(((float)value - v->least[colour]) / v->bin_width[colour], 0), S3SVM_LABEL_BINS);
    const size_t bin = place < S3SVM_LABEL_BINS ? (size_t)place : S3SVM_LABEL_BINS - 1;
    return below[bin] + (place - (float)bin) * (below[bin + 1] - below[bin]);
}

/* ---------------------------------------------------------------- all of it */

void s3svm_label_view_free(s3svm_label_view *v)
{
    if (!v) return;
    free(v->lab);
    for (size_t p = 0; p < S3SVM_LABEL_PLANES; p++) free(v->planes[p]);
    for (size_t s = 0; s < S3SVM_LABEL_SUMS; s++) free(v->sums[s]);
    free(v);
}

static bool view_allocate(s3svm_label_view *v)
{
    const size_t n = s3svm_label_view_size(v), sums = (v->width + 1) * (v->height + 1);
    v->lab = malloc(S3SVM_LABEL_COLOURS * n * sizeof *v->lab);
    bool room = v->lab;
    for (size_t p = 0; p < S3SVM_LABEL_PLANES; p++) room &= (v->planes[p] = malloc(n * sizeof(float))) != NULL;
    for (size_t s = 0; s < S3SVM_LABEL_SUMS; s++) room &= (v->sums[s] = malloc(sums * sizeof(double))) != NULL;
    return room;
}

static sos_status view_fill(s3svm_label_view *v, const s3svm_image *picture, sos_error *error)
{
    sos_status status = s3svm_colour_lab(picture, 1, v->lab, error);
    if (status) return status;
    for (size_t i = 0; i < s3svm_label_view_size(v); i++)
        for (size_t c = 0; c < S3SVM_LABEL_COLOURS; c++) v->planes[c][i] = v->lab[S3SVM_LABEL_COLOURS * i + c];
    slopes_find(v);
    status = textures_find(v, error);
    if (status) return status;
    for (size_t p = 0; p < S3SVM_LABEL_PLANES; p++) plane_sum(v, v->planes[p], false, v->sums[p]);
    for (size_t c = 0; c < S3SVM_LABEL_COLOURS; c++) plane_sum(v, v->planes[c], true, v->sums[S3SVM_LABEL_PLANES + c]);
    whole_find(v);
    for (size_t c = 0; c < S3SVM_LABEL_COLOURS; c++) distribution_find(v, c);
    return SOS_OK;
}

sos_status s3svm_label_view_create(const s3svm_image *picture, s3svm_label_view **out, sos_error *error)
{
    s3svm_label_view *v = calloc(1, sizeof *v);
    if (!v) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a picture");
    v->width = picture->width;
    v->height = picture->height;
    v->scale = sqrt((double)s3svm_label_view_size(v)) / USUAL_SIDE;
    sos_status status = view_allocate(v) ? view_fill(v, picture, error)
                                         : sos_fail(error, SOS_ERR_MEMORY, "no memory for a picture of %zu by %zu pixels",
                                                    picture->width, picture->height);
    if (status)
        s3svm_label_view_free(v);
    else
        *out = v;
    return status;
}
