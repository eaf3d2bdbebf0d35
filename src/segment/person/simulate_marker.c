/* simulate_marker.c - places and lines within a region. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "segment/person/simulate.h"
#include "vision/dialogue.h"
#include "vision/distance.h"

sos_status s3svm_marker_begin(const s3svm_simulation *settings, const uint8_t truth[], const uint8_t care[],
                              const s3svm_dialogue *d, s3svm_marker *out, sos_error *error)
{
    const size_t n = s3svm_dialogue_width(d) * s3svm_dialogue_height(d);
    s3svm_marker h = { .settings = settings,
                       .width = s3svm_dialogue_width(d),
                       .height = s3svm_dialogue_height(d),
                       .truth = truth,
                       .care = care,
                       .error = error };
    sos_random seeds = sos_random_seeded(settings->seed);
    h.random = sos_random_seeded(sos_random_bits(&seeds) + s3svm_dialogue_steps(d));
    h.ground = malloc(n);
    h.region = malloc(n);
    h.kinds = malloc(n);
    h.other = malloc(n);
    h.fit = malloc(n * sizeof *h.fit);
    h.depth = malloc(n * sizeof *h.depth);
    h.parts = malloc(n * sizeof *h.parts);
    *out = h;
    if (h.ground && h.region && h.kinds && h.other && h.fit && h.depth && h.parts) return SOS_OK;
    s3svm_marker_end(out);
    return sos_fail(error, SOS_ERR_MEMORY, "no memory to simulate marks on %zu pixels", n);
}

void s3svm_marker_end(s3svm_marker *h)
{
    free(h->ground);
    free(h->region);
    free(h->kinds);
    free(h->other);
    free(h->fit);
    free(h->depth);
    free(h->parts);
    *h = (s3svm_marker){ 0 };
}

/* ---------------------------------------------------------------- depths */

/* Distances of the pixels of a mask from the nearest that is not of it; infinite where there is none. */
static sos_status inner_distances(s3svm_marker *h, const uint8_t mask[], float distances[])
{
    for (size_t i = 0; i < h->width * h->height; i++) h->other[i] = !mask[i];
    return s3svm_distance_euclidean(h->width, h->height, h->other, 1, distances, h->error);
}

sos_status s3svm_marker_ground(s3svm_marker *h, uint8_t label, size_t *count)
{
    const size_t n = h->width * h->height;
    *count = 0;
    for (size_t i = 0; i < n; i++) *count += h->ground[i] = h->truth[i] == label && (!h->care || h->care[i]);
    memcpy(h->region, h->ground, n);
    const sos_status status = inner_distances(h, h->ground, h->fit);
    return status ? status : s3svm_marker_depth(h);
}

static float end_distance(const s3svm_marker *h, size_t i)
{
    const size_t x = i % h->width, y = i / h->width, right = h->width - 1 - x, below = h->height - 1 - y;
    const size_t across = x < right ? x : right, down = y < below ? y : below;
    return (float)((across < down ? across : down) + 1);
}

sos_status s3svm_marker_depth(s3svm_marker *h)
{
    const sos_status status = inner_distances(h, h->region, h->depth);
    for (size_t i = 0; i < h->width * h->height && !status; i++) h->depth[i] = fminf(h->depth[i], end_distance(h, i));
    for (size_t i = 0; i < h->width * h->height && !status; i++)
        if (!h->region[i]) h->depth[i] = 0;
    return status;
}

/* ---------------------------------------------------------------- places */

size_t s3svm_marker_deepest(const s3svm_marker *h)
{
    size_t best = 0;
    for (size_t i = 1; i < h->width * h->height; i++)
        if (h->depth[i] > h->depth[best]) best = i;
    return best;
}

size_t s3svm_marker_somewhere(s3svm_marker *h, double share)
{
    const size_t n = h->width * h->height, deepest = s3svm_marker_deepest(h);
    const double least = share * (double)h->depth[deepest];
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += h->region[i] && (double)h->depth[i] >= least;
    if (!count) return deepest;
    uint64_t left = sos_random_below(&h->random, count);
    for (size_t i = 0; i < n; i++)
        if (h->region[i] && (double)h->depth[i] >= least && !left--) return i;
    return deepest;
}

float s3svm_marker_radius(const s3svm_marker *h, size_t pixel, double wanted)
{
    static const double WITHIN = 0.999; /* of the distance from the nearest pixel that must not be marked */
    return (float)fmin(wanted, WITHIN * (double)h->fit[pixel]);
}

/* ---------------------------------------------------------------- lines */

/* Whether a pen from a to b marks nothing but the ground. */
static bool pen_fits(const s3svm_marker *h, s3svm_point a, s3svm_point b, float radius)
{
    const double pen = s3svm_pen_radius(radius);
    size_t top, bottom, first, last;
    if (!s3svm_pen_rows(a, b, pen, h->height, &top, &bottom)) return true;
    for (size_t y = top; y <= bottom; y++) {
        if (!s3svm_pen_row(a, b, pen, h->width, y, &first, &last)) continue;
        if (memchr(h->ground + y * h->width + first, 0, last - first + 1)) return false;
    }
    return true;
}

static s3svm_point point_of(const s3svm_marker *h, size_t pixel)
{
    return (s3svm_point){ (float)(pixel % h->width), (float)(pixel / h->width) };
}

bool s3svm_marker_sees(const s3svm_marker *h, size_t from, size_t to, float radius)
{
    return pen_fits(h, point_of(h, from), point_of(h, to), radius);
}

static bool is_in_picture(const s3svm_marker *h, s3svm_point p)
{
    return p.x >= 0 && p.y >= 0 && (double)p.x <= (double)h->width - 1 && (double)p.y <= (double)h->height - 1;
}

/* How a line is drawn. */
typedef struct drawing {
    double step; /* pixels from point to point */
    float radius;
} drawing;

static const double STEP = 6; /* pixels from point to point, unless that takes too many points */
static const double BEND =
    0.01; /* turns by which a line changes its direction at a point, about: scribbles are nearly straight */

/* Lets a line of count points go on for so many steps; the new count. */
static size_t line_grow(s3svm_marker *h, const drawing *g, double turns, size_t steps, size_t count, s3svm_point points[])
{
    const double bend = BEND * (2 * sos_random_uniform(&h->random) - 1);
    s3svm_point at = points[count - 1];
    for (size_t i = 0; i < steps && count < S3SVM_LINE_POINTS_MAX; i++) {
        turns += bend + BEND / 2 * (2 * sos_random_uniform(&h->random) - 1);
        const sos_direction u = sos_turn(turns);
        const s3svm_point next = { at.x + (float)(g->step * u.x), at.y + (float)(g->step * u.y) };
        if (!is_in_picture(h, next) || !pen_fits(h, at, next, g->radius)) break;
        points[count++] = at = next;
    }
    return count;
}

static void points_turn(size_t count, s3svm_point points[])
{
    for (size_t i = 0; i < count / 2; i++) {
        const s3svm_point p = points[i];
        points[i] = points[count - 1 - i];
        points[count - 1 - i] = p;
    }
}

/* Half of the steps from the pixel on, then the rest from it backwards. */
size_t s3svm_marker_line(s3svm_marker *h, size_t pixel, double turns, double length, float radius,
                         s3svm_point points[S3SVM_LINE_POINTS_MAX])
{
    const drawing g = { fmax(STEP, length / (S3SVM_LINE_POINTS_MAX - 1)), radius };
    const size_t steps = (size_t)floor(length / g.step);
    points[0] = point_of(h, pixel);
    const size_t half = line_grow(h, &g, turns, steps / 2, 1, points);
    points_turn(half, points);
    return line_grow(h, &g, turns + 0.5, steps - (half - 1), half, points);
}
