#include "vision/resize.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

/* One side: pixel i of the result lies at first + i * step of the picture. */
typedef struct axis {
    size_t from, to; /* pixels */
    double first, step;
} axis;

static axis axis_of(size_t from, size_t to, double step)
{
    const double beyond = (double)from - (double)to * step;
    return (axis){ from, to, beyond / 2 + step / 2 - 0.5, step };
}

/* The weighted mean of a line of samples around a place.  Beyond its ends it has the samples there. */
static double line_mean(const axis *a, size_t i, const float *line, size_t stride)
{
    const double centre = a->first + (double)i * a->step, reach = fmax(1, a->step);
    const ptrdiff_t last = (ptrdiff_t)a->from - 1;
    double sum = 0, weights = 0;
    for (ptrdiff_t k = (ptrdiff_t)ceil(centre - reach); k <= (ptrdiff_t)floor(centre + reach); k++) {
        const double weight = 1 - fabs((double)k - centre) / reach;
        sum += weight * line[(size_t)(k < 0 ? 0 : k > last ? last : k) * stride];
        weights += weight;
    }
    return sum / weights;
}

/* Rows first, into numbers that are not rounded. */
static void rows_resize(const axis *a, const s3svm_image *from, float *line, float *out)
{
    const size_t channels = from->channels, samples = from->width * channels;
    for (size_t y = 0; y < from->height; y++) {
        for (size_t i = 0; i < samples; i++) line[i] = from->pixels[y * samples + i];
        for (size_t x = 0; x < a->to; x++)
            for (size_t c = 0; c < channels; c++)
                out[(y * a->to + x) * channels + c] = (float)line_mean(a, x, line + c, channels);
    }
}

static void columns_resize(const axis *a, const float *from, s3svm_image *out)
{
    const size_t samples = out->width * out->channels;
    for (size_t y = 0; y < out->height; y++)
        for (size_t i = 0; i < samples; i++) out->pixels[y * samples + i] = (uint8_t)(line_mean(a, y, from + i, samples) + 0.5);
}

sos_status s3svm_image_cover(const s3svm_image *from, size_t width, size_t height, s3svm_image *out, sos_error *error)
{
    const double step = fmin((double)from->width / (double)width, (double)from->height / (double)height);
    const axis across = axis_of(from->width, width, step), down = axis_of(from->height, height, step);
    float *line = malloc(from->width * from->channels * sizeof *line);
    float *between = malloc(width * from->height * from->channels * sizeof *between);
    sos_status status = line && between
                            ? s3svm_image_create(width, height, from->channels, out, error)
                            : sos_fail(error, SOS_ERR_MEMORY, "no memory for a picture of %zu by %zu pixels", width, height);
    if (!status) {
        rows_resize(&across, from, line, between);
        columns_resize(&down, between, out);
    }
    free(line);
    free(between);
    return status;
}

sos_status s3svm_plane_resize(const s3svm_plane *from, size_t width, size_t height, s3svm_plane *out, sos_error *error)
{
    const sos_status status = s3svm_plane_create(width, height, out, error);
    if (status) return status;
    const axis across = axis_of(from->width, width, (double)from->width / (double)width);
    const axis down = axis_of(from->height, height, (double)from->height / (double)height);
    float *between = malloc(width * from->height * sizeof *between);
    if (!between) {
        s3svm_plane_free(out);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for a plane of %zu by %zu pixels", width, height);
    }
    for (size_t y = 0; y < from->height; y++)
        for (size_t x = 0; x < width; x++)
            between[y * width + x] = (float)line_mean(&across, x, from->values + y * from->width, 1);
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) out->values[y * width + x] = (float)line_mean(&down, y, between + x, width);
    free(between);
    return SOS_OK;
}
