/* outline_sides.c - the colours of both sides of an outline, in windows around the pixels of its band.
 *
 * Sums over windows slide: over the rows of every column, then over the columns.  They are of whole numbers, and so exact. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/error.h"
#include "base/threads.h"
#include "segment/outlines/outline.h"

typedef uint32_t sums __attribute__((vector_size(32)));

typedef struct column {
    sums of[2]; /* background, object */
} column;

static const double RIDGE = 6;                                    /* added to variances: the noise of a good photograph */
static const double LEAST = 4;                                    /* pixels of a side without which nothing is known of it */
static const double FIT_MOST = 8, PLACE_MOST = 6, APART_MOST = 6; /* beyond these there is no more doubt */

typedef struct sliding {
    const s3svm_outline_photo *photo;
    const s3svm_outline_band *band;
    ptrdiff_t reach;
    float apart;
    float *told;
} sliding;

/* ---------------------------------------------------------------- what a window tells */

typedef struct side {
    double count, mean[S3SVM_OUTLINE_CHANNELS], variance[S3SVM_OUTLINE_CHANNELS];
} side;

static side side_of(const sums *s)
{
    side out = { .count = (*s)[0] };
    const double each = 1 / fmax(out.count, 1);
    for (size_t c = 0; c < S3SVM_OUTLINE_CHANNELS; c++) {
        out.mean[c] = (*s)[1 + c] * each;
        out.variance[c] = fmax((*s)[1 + S3SVM_OUTLINE_CHANNELS + c] * each - out.mean[c] * out.mean[c], 0) + RIDGE;
    }
    return out;
}

static double clipped(double x, double most) { return fmin(most, fmax(-most, x)); }

static void tell(const sliding *a, const column *window, size_t pixel, size_t place)
{
    const side background = side_of(&window->of[0]), object = side_of(&window->of[1]);
    const size_t count = a->band->count;
    double fit = 0, on_line = 0, apart = 0, ratio = 1;
    for (size_t c = 0; c < S3SVM_OUTLINE_CHANNELS; c++) {
        const double x = a->photo->moments[pixel][1 + c], b = background.mean[c], o = object.mean[c];
        const double both = background.variance[c] + object.variance[c];
        fit += (x - b) * (x - b) / background.variance[c] - (x - o) * (x - o) / object.variance[c];
        ratio *= background.variance[c] / object.variance[c];
        on_line += (x - (o + b) / 2) * (o - b) / both;
        apart += (o - b) * (o - b) / both;
    }
    const bool known = background.count >= LEAST && object.count >= LEAST;
    fit = (fit + sos_log(ratio)) / 2;
    a->told[S3SVM_OUTLINE_FIT * count + place] = known ? (float)clipped(fit, FIT_MOST) : 0;
    a->told[S3SVM_OUTLINE_PLACE * count + place] = known ? (float)clipped(on_line, PLACE_MOST) : 0;
    a->told[S3SVM_OUTLINE_APART * count + place] = known ? (float)fmin(sqrt(apart), APART_MOST) : 0;
    a->told[S3SVM_OUTLINE_SHARE * count + place] = (float)sos_log((object.count + 0.5) / (background.count + 0.5));
}

/* ---------------------------------------------------------------- sliding */

/* Adds a row to the columns, or takes it away; rows outside of the picture have nothing. */
static void row_count(const sliding *a, column columns[], ptrdiff_t y, bool add)
{
    const size_t width = a->photo->width;
    if (y < 0 || y >= (ptrdiff_t)a->photo->height) return;
    const size_t first = (size_t)y * width;
    for (size_t x = 0; x < width; x++) {
        if (!(a->band->distances[first + x] >= a->apart)) continue;
        const sums m = __builtin_convertvector(a->photo->moments[first + x], sums);
        sums *s = &columns[x].of[a->band->labels[first + x]];
        *s = add ? *s + m : *s - m;
    }
}

static void row_tell(const sliding *a, const column columns[], size_t y)
{
    const ptrdiff_t width = (ptrdiff_t)a->photo->width;
    size_t at = a->band->first[y];
    const size_t end = a->band->first[y + 1];
    if (at == end) return;
    column window = { 0 };
    for (ptrdiff_t x = -a->reach; x < width && at < end; x++) {
        if (x + a->reach < width)
            for (size_t k = 0; k < 2; k++) window.of[k] += columns[x + a->reach].of[k];
        if (x - a->reach - 1 >= 0)
            for (size_t k = 0; k < 2; k++) window.of[k] -= columns[x - a->reach - 1].of[k];
        const size_t pixel = y * (size_t)width + (size_t)x;
        if (x >= 0 && a->band->pixels[at] == pixel) tell(a, &window, pixel, at++);
    }
}

static void rows_tell(const sliding *a, column columns[], size_t top, size_t bottom)
{
    memset(columns, 0, a->photo->width * sizeof *columns);
    for (ptrdiff_t y = (ptrdiff_t)top - a->reach; y < (ptrdiff_t)top + a->reach; y++) row_count(a, columns, y, true);
    for (size_t y = top; y < bottom; y++) {
        row_count(a, columns, (ptrdiff_t)y + a->reach, true);
        row_tell(a, columns, y);
        row_count(a, columns, (ptrdiff_t)y - a->reach, false);
    }
}

sos_status s3svm_outline_sides(const s3svm_outline_photo *s, const s3svm_outline_band *b, const s3svm_outline_window *w,
                               int threads, float told[], sos_error *error)
{
    const size_t height = s->height;
    const int used = sos_thread_count(threads);
    const sliding a = { s, b, (ptrdiff_t)w->reach, (float)w->apart, told };
    column *columns = aligned_alloc(sizeof(sums), (size_t)used * s->width * sizeof *columns);
    if (!columns) return sos_fail(error, SOS_ERR_MEMORY, "no memory for windows in %zu by %zu pixels", s->width, height);
#pragma omp parallel for schedule(static) num_threads(used)
    for (size_t k = 0; k < (size_t)used; k++)
        rows_tell(&a, columns + k * s->width, height * k / (size_t)used, height * (k + 1) / (size_t)used);
    free(columns);
    return SOS_OK;
}
