/* filter_line.c - averages along short lines. */
#include <math.h>
#include <stdint.h>

#include "base/elementary.h"
#include "base/error.h"
#include "base/lanes.h"
#include "vision/filter.h"

/* A line that passes aside of its pixel crosses the minor axis at most sqrt(2) times as far away, on the diagonal; two pixels
 * more for rounding to a sample and for its second pixel. */
size_t s3svm_line_margin(const s3svm_line *line) { return (size_t)(ceil(line->reach) + ceil(1.5 * fabs(line->aside))) + 2; }

/* to[x] += near * a[x] + far * b[x] */
SOS_INLINE void row_add(size_t n, float near, const float a[], float far, const float b[], float to[])
{
    for (size_t x = 0; x < n; x++) to[x] += near * a[x] + far * b[x];
}

/* A sample: the two pixels it lies between, as offsets in the padded plane, and how much each counts. */
typedef struct sample {
    ptrdiff_t near, far;
    float near_weight, far_weight;
} sample;

/* The samples of a line; returns how many.  Directions are rounded to multiples of 2^-40, so that a diagonal, whose cosine
 * and sine may differ in the last place, passes through pixels and not beside them. */
static size_t samples_find(const s3svm_line *line, size_t stride, sample samples[])
{
    const double grain = 0x1p40;
    const sos_direction way = sos_turn(line->angle);
    const double dx = rint(way.x * grain) / grain, dy = rint(way.y * grain) / grain;
    const bool steep = fabs(dy) > fabs(dx);
    const double along = steep ? dy : dx, across = steep ? dx : dy;
    const double middle = line->aside / (steep ? dy : -dx); /* where the line crosses the minor axis: (dy, -dx) is aside */
    const ptrdiff_t steps = (ptrdiff_t)rint(line->reach * fabs(along));
    const ptrdiff_t major = steep ? (ptrdiff_t)stride : 1, minor = steep ? 1 : (ptrdiff_t)stride;
    const double each = 1 / (double)(2 * steps + 1);
    size_t count = 0;
    for (ptrdiff_t i = -steps; i <= steps; i++) {
        const double exact = (double)i * across / along + middle, whole = floor(exact), part = exact - whole;
        const ptrdiff_t near = i * major + (ptrdiff_t)whole * minor;
        samples[count++] = (sample){ near, near + minor, (float)((1 - part) * each), (float)(part * each) };
    }
    return count;
}

SOS_INLINE void rows_add(const s3svm_plane *padded, size_t margin, size_t count, const sample samples[], s3svm_plane *out)
{
    for (size_t y = 0; y < out->height; y++) {
        const float *from = padded->values + (y + margin) * padded->width + margin;
        float *to = out->values + y * out->width;
        for (size_t x = 0; x < out->width; x++) to[x] = 0;
        for (size_t i = 0; i < count; i++)
            row_add(out->width, samples[i].near_weight, from + samples[i].near, samples[i].far_weight, from + samples[i].far,
                    to);
    }
}

static void rows_add_plain(const s3svm_plane *padded, size_t margin, size_t count, const sample samples[], s3svm_plane *out)
{
    rows_add(padded, margin, count, samples, out);
}

SOS_TARGET_AVX2 static void rows_add_avx2(const s3svm_plane *padded, size_t margin, size_t count, const sample samples[],
                                          s3svm_plane *out)
{
    rows_add(padded, margin, count, samples, out);
}

sos_status s3svm_filter_line(const s3svm_plane *padded, size_t margin, const s3svm_line *line, s3svm_plane *out,
                             sos_error *error)
{
    if (!(fabs(line->angle) <= S3SVM_FILTER_TURNS_MAX && line->reach >= 0 && line->reach <= S3SVM_FILTER_REACH_MAX &&
          fabs(line->aside) <= S3SVM_FILTER_REACH_MAX))
        return sos_fail(error, SOS_ERR_ARGUMENT, "a line turned %g times that reaches %g pixels, %g aside", line->angle,
                        line->reach, line->aside);
    if (margin < s3svm_line_margin(line) || padded->width != out->width + 2 * margin ||
        padded->height != out->height + 2 * margin)
        return sos_fail(error, SOS_ERR_ARGUMENT, "a line that needs a margin of %zu pixels, with one of %zu",
                        s3svm_line_margin(line), margin);
    sample samples[2 * S3SVM_FILTER_REACH_MAX + 1];
    const size_t count = samples_find(line, padded->width, samples);
    if (sos_has_avx2())
        rows_add_avx2(padded, margin, count, samples, out);
    else
        rows_add_plain(padded, margin, count, samples, out);
    return SOS_OK;
}
