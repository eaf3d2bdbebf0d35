#include "vision/direction.h"

#include <math.h>
#include <stdlib.h>

#include "base/elementary.h"
#include "base/error.h"
#include "vision/filter.h"

void s3svm_directions_free(s3svm_directions *d)
{
    free(d->direction);
    free(d->strength);
    *d = (s3svm_directions){ 0 };
}

static sos_status directions_create(const s3svm_plane *in, size_t steps, s3svm_directions *out, sos_error *error)
{
    const size_t n = s3svm_plane_size(in);
    *out = (s3svm_directions){ .width = in->width,
                               .height = in->height,
                               .steps = steps,
                               .direction = malloc(n),
                               .strength = malloc(n * sizeof *out->strength) };
    if (out->direction && out->strength) return SOS_OK;
    s3svm_directions_free(out);
    return sos_fail(error, SOS_ERR_MEMORY, "no memory for the directions of %zu pixels", n);
}

/* ( xx xy ) of a pixel, by differences of its neighbours in a plane of that many columns.
 * ( xy yy ) */
typedef struct hessian {
    double xx, xy, yy;
} hessian;

static hessian hessian_at(const float *p, size_t columns)
{
    const float *above = p - columns, *below = p + columns;
    const double middle = 2 * (double)p[0];
    return (hessian){ .xx = (double)p[-1] + (double)p[1] - middle,
                      .yy = (double)above[0] + (double)below[0] - middle,
                      .xy = ((double)below[1] - (double)below[-1] - (double)above[1] + (double)above[-1]) / 4 };
}

/* The eigenvalues are (xx + yy +- |v|) / 2 with v = (xx - yy, 2 xy), and v has twice the angle of the eigenvector of the larger
 * one.  A line runs across the eigenvector of the eigenvalue that is further from 0: half a turn further in twice the angle. */
static double strength_of(hessian h, double *x, double *y)
{
    const double vx = h.xx - h.yy, vy = 2 * h.xy, trace = h.xx + h.yy;
    const double sign = trace < 0 ? -1 : 1;
    *x = -sign * vx;
    *y = -sign * vy;
    return (trace + sign * sqrt(vx * vx + vy * vy)) / 2;
}

/* The step whose double angle is nearest. */
static uint8_t step_of(double x, double y, size_t steps, const sos_direction turns[])
{
    size_t best = 0;
    double most = -INFINITY;
    for (size_t d = 0; d < steps; d++) {
        const double along = x * turns[d].x + y * turns[d].y;
        if (along > most) best = d;
        most = fmax(most, along);
    }
    return (uint8_t)best;
}

static void directions_fill(const s3svm_plane *padded, double blur, s3svm_directions *out)
{
    sos_direction turns[S3SVM_DIRECTION_STEPS_MAX];
    for (size_t d = 0; d < out->steps; d++) turns[d] = sos_turn((double)d / (double)out->steps);
    for (size_t y = 0; y < out->height; y++)
        for (size_t x = 0; x < out->width; x++) {
            const size_t i = y * out->width + x;
            double along_x, along_y;
            const hessian h = hessian_at(padded->values + (y + 1) * padded->width + x + 1, padded->width);
            out->strength[i] = (float)(blur * blur * strength_of(h, &along_x, &along_y));
            out->direction[i] = step_of(along_x, along_y, out->steps, turns);
        }
}

sos_status s3svm_directions_find(const s3svm_plane *in, double blur, size_t steps, s3svm_directions *out, sos_error *error)
{
    if (!steps || steps > S3SVM_DIRECTION_STEPS_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "directions in %zu steps; 1 to %d are possible", steps,
                        S3SVM_DIRECTION_STEPS_MAX);
    s3svm_plane blurred, padded;
    s3svm_directions d = { 0 };
    sos_status status = s3svm_plane_create(in->width, in->height, &blurred, error);
    if (status) return status;
    status = s3svm_filter_gauss(in, blur, &blurred, error);
    if (!status) status = s3svm_filter_pad(&blurred, 1, &padded, error);
    s3svm_plane_free(&blurred);
    if (status) return status;
    status = directions_create(in, steps, &d, error);
    if (!status) directions_fill(&padded, blur, &d);
    s3svm_plane_free(&padded);
    if (!status) *out = d;
    return status;
}
