/* simulate_around.c - boxes and outlines around the true object. */
#include <math.h>

#include "base/error.h"
#include "segment/person/simulate_step.h"

typedef struct bounds {
    double left, top, right, bottom; /* of pixels, both ends included */
} bounds;

static sos_status object_bounds(const s3svm_marker *h, bounds *out)
{
    bounds b = { (double)h->width, (double)h->height, -1, -1 };
    for (size_t i = 0; i < h->width * h->height; i++) {
        const double x = (double)(i % h->width), y = (double)(i / h->width);
        if (!h->truth[i]) continue;
        b = (bounds){ fmin(b.left, x), fmin(b.top, y), fmax(b.right, x), fmax(b.bottom, y) };
    }
    if (b.right < 0) return sos_fail(h->error, SOS_ERR_ARGUMENT, "the true mask has no object to mark");
    *out = b;
    return SOS_OK;
}

/* ---------------------------------------------------------------- boxes */

/* How many pixels one side of a box moves out: half of the margin; of hasty people's anything up to twice that. */
static double side_margin(s3svm_marker *h, double length)
{
    const double half = h->settings->margin * length / 2;
    return h->settings->hasty ? rint(2 * half * sos_random_uniform(&h->random)) : rint(half);
}

sos_status s3svm_simulated_box(s3svm_marker *h, s3svm_simulated_step *s)
{
    bounds b;
    const sos_status status = object_bounds(h, &b);
    if (status) return status;
    const double width = b.right - b.left + 1, height = b.bottom - b.top + 1;
    const double left = fmax(b.left - side_margin(h, width), 0), top = fmax(b.top - side_margin(h, height), 0);
    const double right = fmin(b.right + side_margin(h, width), (double)h->width - 1);
    const double bottom = fmin(b.bottom + side_margin(h, height), (double)h->height - 1);
    s3svm_point *corners = s3svm_simulated_points(s);
    corners[0] = (s3svm_point){ (float)left, (float)top };
    corners[1] = (s3svm_point){ (float)right, (float)bottom };
    s3svm_simulated_shape(s, S3SVM_SHAPE_BOX, 2);
    return SOS_OK;
}

/* ---------------------------------------------------------------- outlines */

enum { RAYS = 32 }; /* points of an outline */

/* How far the object reaches from a middle, by the nearest of RAYS directions. */
static void reaches_find(const s3svm_marker *h, s3svm_point middle, double reaches[RAYS])
{
    sos_direction rays[RAYS];
    for (size_t k = 0; k < RAYS; k++) {
        rays[k] = sos_turn((double)k / RAYS);
        reaches[k] = 0;
    }
    for (size_t i = 0; i < h->width * h->height; i++) {
        if (!h->truth[i]) continue;
        const double x = (double)(i % h->width) - (double)middle.x, y = (double)(i / h->width) - (double)middle.y;
        size_t nearest = 0;
        for (size_t k = 1; k < RAYS; k++)
            if (x * rays[k].x + y * rays[k].y > x * rays[nearest].x + y * rays[nearest].y) nearest = k;
        reaches[nearest] = fmax(reaches[nearest], sqrt(x * x + y * y));
    }
}

/* Of each number and its two neighbours the largest, or the mean. */
static void neighbours_join(double x[RAYS], bool mean)
{
    double old[RAYS];
    for (size_t k = 0; k < RAYS; k++) old[k] = x[k];
    for (size_t k = 0; k < RAYS; k++) {
        const double before = old[(k + RAYS - 1) % RAYS], behind = old[(k + 1) % RAYS];
        x[k] = mean ? (before + old[k] + behind) / 3 : fmax(old[k], fmax(before, behind));
    }
}

/* Distances from the middle: no less than where the object ends around a ray.  The largest of three, then the mean of three
 * that are the largest of three, is a smooth line that leaves nothing out: every pixel between two rays is nearer to the middle
 * than both of them reach, but for the arc that a straight side cuts off. */
static void reaches_loosen(s3svm_marker *h, double reaches[RAYS])
{
    const double arc = 1 / sos_turn(0.5 / RAYS).x;
    neighbours_join(reaches, false);
    neighbours_join(reaches, false);
    neighbours_join(reaches, true);
    for (size_t k = 0; k < RAYS; k++) {
        const double loose = h->settings->margin * (0.5 + sos_random_uniform(&h->random)) / 2;
        reaches[k] = (reaches[k] + 1) * arc * (1 + loose);
    }
}

sos_status s3svm_simulated_outline(s3svm_marker *h, s3svm_simulated_step *s)
{
    bounds b;
    double reaches[RAYS];
    const sos_status status = object_bounds(h, &b);
    if (status) return status;
    const s3svm_point middle = { (float)((b.left + b.right) / 2), (float)((b.top + b.bottom) / 2) };
    s3svm_point *points = s3svm_simulated_points(s);
    reaches_find(h, middle, reaches);
    reaches_loosen(h, reaches);
    for (size_t k = 0; k < RAYS; k++) {
        const sos_direction u = sos_turn((double)k / RAYS);
        points[k] = (s3svm_point){ middle.x + (float)(reaches[k] * u.x), middle.y + (float)(reaches[k] * u.y) };
    }
    s3svm_simulated_shape(s, S3SVM_SHAPE_OUTLINE, RAYS);
    return SOS_OK;
}
