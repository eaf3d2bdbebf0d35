/* simulate.c - first marks that are strokes, and corrections. */
#include "segment/person/simulate.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "segment/person/simulate_step.h"
#include "vision/components.h"

s3svm_simulation s3svm_simulation_defaults(void) { return (s3svm_simulation){ .radius = 5, .margin = 0.1 }; }

const char *s3svm_simulated_name(s3svm_simulated kind)
{
    static const char *const names[] = { "clicks", "strokes", "scribbles", "box", "outline", "hurried" };
    return (unsigned)kind < S3SVM_SIMULATED_KINDS ? names[kind] : "";
}

/* The radius of strokes as a share of that of clicks: scribbles of data sets have pens of 3 pixels radius. */
static const double THIN = 0.6;

/* Uniform in low ... high. */
static double between(s3svm_marker *h, double low, double high) { return low + (high - low) * sos_random_uniform(&h->random); }

/* The side of a square of as many pixels as the picture has. */
static double side_of(const s3svm_marker *h) { return sqrt((double)h->width * (double)h->height); }

static uint8_t mark_of(uint8_t label) { return label ? S3SVM_MARK_OBJECT : S3SVM_MARK_BACKGROUND; }

/* ---------------------------------------------------------------- clicks and lines */

static void click_add(const s3svm_marker *h, s3svm_simulated_step *s, uint8_t label, size_t pixel, double radius)
{
    s3svm_point *points = s3svm_simulated_points(s);
    points[0] = (s3svm_point){ (float)(pixel % h->width), (float)(pixel / h->width) };
    s3svm_simulated_stroke(s, mark_of(label), h->settings->whole ? (float)radius : s3svm_marker_radius(h, pixel, radius), 1);
}

/* A line through a pixel: of some directions that which lets it become longest, as people draw along what they mark. */
static void line_add(s3svm_marker *h, s3svm_simulated_step *s, uint8_t label, size_t pixel, double length)
{
    enum { DIRECTIONS = 4 };
    s3svm_point tried[S3SVM_LINE_POINTS_MAX], *points = s3svm_simulated_points(s);
    const float radius = s3svm_marker_radius(h, pixel, THIN * h->settings->radius);
    const double first = sos_random_uniform(&h->random);
    size_t best = 0;
    for (size_t k = 0; k < DIRECTIONS; k++) {
        const size_t count = s3svm_marker_line(h, pixel, first + (double)k / (2 * DIRECTIONS), length, radius, tried);
        for (size_t i = 0; count > best && i < count; i++) points[i] = tried[i];
        best = count > best ? count : best;
    }
    s3svm_simulated_stroke(s, mark_of(label), radius, best);
}

/* The square of the distance between two pixels. */
static double apart(const s3svm_marker *h, size_t a, size_t b)
{
    const double x = (double)(a % h->width) - (double)(b % h->width), y = (double)(a / h->width) - (double)(b / h->width);
    return x * x + y * y;
}

/* The farthest pixel of the region, at least a share of the greatest depth deep, that is seen from another one; from itself
 * where none is. */
static size_t farthest_seen(const s3svm_marker *h, size_t from, double share, float radius)
{
    const double least = share * (double)h->depth[from];
    size_t best = from;
    for (size_t i = 0; i < h->width * h->height; i++)
        if (h->region[i] && (double)h->depth[i] >= least && apart(h, from, i) > apart(h, from, best) &&
            s3svm_marker_sees(h, from, i, radius))
            best = i;
    return best;
}

/* Some pixel like that: the first of a few tried that is seen. */
static size_t somewhere_seen(s3svm_marker *h, size_t from, double share, float radius)
{
    for (int tries = 0; tries < 10; tries++) {
        const size_t i = s3svm_marker_somewhere(h, share);
        if (s3svm_marker_sees(h, from, i, radius)) return i;
    }
    return from;
}

/* One stroke from the innermost pixel of the region to another that is well inside. */
static void hurried_add(s3svm_marker *h, s3svm_simulated_step *s, uint8_t label)
{
    static const double WELL_INSIDE = 0.5; /* of the greatest depth */
    const size_t from = s3svm_marker_deepest(h);
    const float radius = s3svm_marker_radius(h, from, THIN * h->settings->radius);
    const size_t to = h->settings->hasty ? somewhere_seen(h, from, between(h, 0.2, 0.8), radius)
                                         : farthest_seen(h, from, WELL_INSIDE, radius);
    s3svm_point *points = s3svm_simulated_points(s);
    points[0] = (s3svm_point){ (float)(from % h->width), (float)(from / h->width) };
    points[1] = (s3svm_point){ (float)(to % h->width), (float)(to / h->width) };
    s3svm_simulated_stroke(s, mark_of(label), radius, 2);
}

static double short_length(s3svm_marker *h) { return between(h, 0.03, 0.1) * side_of(h); }

/* ---------------------------------------------------------------- regions */

static size_t largest(size_t count, const size_t sizes[])
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (sizes[i] > sizes[best]) best = i;
    return best;
}

/* The region of a pixel that is drawn from those with any label in kinds. */
static uint32_t part_drawn(s3svm_marker *h, const uint8_t kinds[], size_t wrong)
{
    uint64_t left = sos_random_below(&h->random, wrong);
    size_t i = 0;
    while (!kinds[i] || left--) i++;
    return h->parts[i];
}

/* Numbers the regions of kinds, 0 being none, and picks the largest, or one drawn by its size.  *wrong: pixels of all. */
static sos_status part_pick(s3svm_marker *h, const uint8_t kinds[], bool draw, uint32_t *part, size_t *wrong)
{
    const size_t n = h->width * h->height;
    size_t count;
    const sos_status status = s3svm_components(h->width, h->height, kinds, h->parts, &count, h->error);
    if (status) return status;
    size_t *sizes = calloc(count ? count : 1, sizeof *sizes);
    if (!sizes) return sos_fail(h->error, SOS_ERR_MEMORY, "no memory for %zu regions", count);
    *wrong = 0;
    for (size_t i = 0; i < n; i++) {
        sizes[h->parts[i]] += kinds[i] != 0;
        *wrong += kinds[i] != 0;
    }
    *part = draw && *wrong ? part_drawn(h, kinds, *wrong) : (uint32_t)largest(count, sizes);
    free(sizes);
    return SOS_OK;
}

/* The region becomes the part; the ground is known. */
static sos_status region_take(s3svm_marker *h, uint32_t part)
{
    for (size_t i = 0; i < h->width * h->height; i++) h->region[i] = h->parts[i] == part;
    return s3svm_marker_depth(h);
}

/* ---------------------------------------------------------------- first marks */

/* The region becomes the largest part of the ground. */
static sos_status largest_take(s3svm_marker *h)
{
    uint32_t part;
    size_t count;
    const sos_status status = part_pick(h, h->ground, false, &part, &count);
    return status ? status : region_take(h, part);
}

static sos_status first_click(s3svm_marker *h, s3svm_simulated_step *s, uint8_t label)
{
    if (h->settings->hasty) {
        const size_t pixel = s3svm_marker_somewhere(h, between(h, 0.2, 0.8));
        click_add(h, s, label, pixel, h->settings->radius * between(h, THIN, 1));
        return SOS_OK;
    }
    const sos_status status = largest_take(h);
    if (!status) click_add(h, s, label, s3svm_marker_deepest(h), h->settings->radius);
    return status;
}

/* Scribbles of data sets have one line through the object of 0.35 to 0.85 of the root of its area. */
static void scribble_object(s3svm_marker *h, s3svm_simulated_step *s, size_t area)
{
    const double length = between(h, 0.35, 0.85) * sqrt((double)area);
    line_add(h, s, 1, s3svm_marker_somewhere(h, between(h, 0.3, 0.7)), length);
}

/* The middle of the object. */
static s3svm_point object_middle(const s3svm_marker *h)
{
    double x = 0, y = 0, count = 0;
    for (size_t i = 0; i < h->width * h->height; i++) {
        if (!h->truth[i]) continue;
        x += (double)(i % h->width);
        y += (double)(i / h->width);
        count++;
    }
    return count > 0 ? (s3svm_point){ (float)(x / count), (float)(y / count) } : (s3svm_point){ 0, 0 };
}

/* The region becomes the ground at distances near ... far from what is not, seen from the middle of the object within a tenth
 * of a turn of a direction; all of the ground where there is nothing such. */
static sos_status region_around(s3svm_marker *h, s3svm_point middle, double turns, double near, double far)
{
    const sos_direction u = sos_turn(turns), narrow = sos_turn(0.1);
    size_t count = 0;
    for (size_t i = 0; i < h->width * h->height; i++) {
        const double x = (double)(i % h->width) - (double)middle.x, y = (double)(i / h->width) - (double)middle.y;
        const double along = x * u.x + y * u.y;
        const bool fits = (double)h->fit[i] >= near && (double)h->fit[i] <= far;
        count += h->region[i] = h->ground[i] && fits && along >= narrow.x * sqrt(x * x + y * y);
    }
    for (size_t i = 0; i < h->width * h->height && !count; i++) h->region[i] = h->ground[i];
    return s3svm_marker_depth(h);
}

/* And three lines in the background, on three sides of the object, across the direction in which it lies: 0.13 to 0.35 of the
 * picture's side long, 0.04 to 0.2 of it from the object. */
static sos_status scribble_background(s3svm_marker *h, s3svm_simulated_step *s)
{
    enum { SIDES = 3 };
    const s3svm_point middle = object_middle(h);
    const double first = sos_random_uniform(&h->random), side = side_of(h);
    for (size_t k = 0; k < SIDES; k++) {
        const double turns = first + (double)k / SIDES;
        const sos_status status = region_around(h, middle, turns, 0.04 * side, 0.2 * side);
        if (status) return status;
        const size_t pixel = s3svm_marker_somewhere(h, 0);
        const float radius = s3svm_marker_radius(h, pixel, THIN * h->settings->radius);
        const double across = turns + 0.25 + between(h, -0.06, 0.06);
        const size_t count = s3svm_marker_line(h, pixel, across, between(h, 0.13, 0.35) * side, radius,
                                               s3svm_simulated_points(s));
        s3svm_simulated_stroke(s, S3SVM_MARK_BACKGROUND, radius, count);
    }
    return SOS_OK;
}

static sos_status first_of_label(s3svm_marker *h, s3svm_simulated_step *s, uint8_t label)
{
    size_t count;
    const sos_status status = s3svm_marker_ground(h, label, &count);
    if (status) return status;
    if (!count && label) return sos_fail(h->error, SOS_ERR_ARGUMENT, "the true mask has no object to mark");
    if (!count) return SOS_OK;
    if (h->settings->kind == S3SVM_SIMULATED_STROKES) {
        const double length = short_length(h); /* before the place: of two arguments compilers draw either one first */
        line_add(h, s, label, s3svm_marker_somewhere(h, between(h, 0.3, 0.8)), length);
        return SOS_OK;
    }
    if (h->settings->kind == S3SVM_SIMULATED_HURRIED) {
        const sos_status taken = largest_take(h);
        if (!taken) hurried_add(h, s, label);
        return taken;
    }
    if (h->settings->kind != S3SVM_SIMULATED_SCRIBBLES) return first_click(h, s, label);
    if (!label) return scribble_background(h, s);
    scribble_object(h, s, count);
    return SOS_OK;
}

static sos_status first_step(s3svm_marker *h, s3svm_simulated_step *s)
{
    const s3svm_simulated kind = h->settings->kind;
    const bool around = kind == S3SVM_SIMULATED_BOX || kind == S3SVM_SIMULATED_OUTLINE, both = h->settings->both;
    sos_status status = SOS_OK;
    if (around) status = kind == S3SVM_SIMULATED_BOX ? s3svm_simulated_box(h, s) : s3svm_simulated_outline(h, s);
    if (!status && (both || !around)) status = first_of_label(h, s, 1);
    if (!status && both && !around) status = first_of_label(h, s, 0);
    return status;
}

/* ---------------------------------------------------------------- corrections */

/* A place up to the radius away, if it is still on the ground: hands slip. */
static size_t slip(s3svm_marker *h, size_t pixel)
{
    const sos_direction u = sos_turn(sos_random_uniform(&h->random));
    const double far = between(h, 0, h->settings->radius);
    const double x = floor((double)(pixel % h->width) + far * u.x + 0.5),
                 y = floor((double)(pixel / h->width) + far * u.y + 0.5);
    if (x < 0 || y < 0 || x >= (double)h->width || y >= (double)h->height) return pixel;
    const size_t other = (size_t)y * h->width + (size_t)x;
    return h->ground[other] ? other : pixel;
}

static void hasty_correction(s3svm_marker *h, s3svm_simulated_step *s, uint8_t label)
{
    size_t pixel = s3svm_marker_somewhere(h, between(h, 0, 0.8));
    const bool slips = sos_random_below(&h->random, 4) == 0, line = sos_random_below(&h->random, 2);
    if (slips) pixel = slip(h, pixel);
    if (line)
        line_add(h, s, label, pixel, short_length(h));
    else
        click_add(h, s, label, pixel, h->settings->radius * between(h, THIN, 1));
}

static void kinds_find(const s3svm_marker *h, const uint8_t labels[])
{
    for (size_t i = 0; i < h->width * h->height; i++)
        h->kinds[i] = (h->care && !h->care[i]) || labels[i] == h->truth[i] ? 0 : (uint8_t)(1 + h->truth[i]);
}

static sos_status correction(s3svm_marker *h, const uint8_t labels[], s3svm_simulated_step *s)
{
    uint32_t part;
    size_t wrong, count, at = 0;
    kinds_find(h, labels);
    sos_status status = part_pick(h, h->kinds, h->settings->hasty, &part, &wrong);
    if (status || !wrong) return status;
    while (h->parts[at] != part) at++;
    const uint8_t label = h->truth[at];
    status = s3svm_marker_ground(h, label, &count);
    if (!status) status = region_take(h, part);
    if (status) return status;
    if (h->settings->hasty)
        hasty_correction(h, s, label);
    else
        click_add(h, s, label, s3svm_marker_deepest(h), h->settings->radius);
    return SOS_OK;
}

/* ---------------------------------------------------------------- calls */

static sos_status labels_check(const char *what, const uint8_t labels[], const s3svm_dialogue *d, sos_error *error)
{
    const size_t width = s3svm_dialogue_width(d), n = width * s3svm_dialogue_height(d);
    if (!labels) return sos_fail(error, SOS_ERR_ARGUMENT, "no %s labels were given", what);
    for (size_t i = 0; i < n; i++)
        if (labels[i] > 1)
            return sos_fail(error, SOS_ERR_ARGUMENT, "column %zu, row %zu has the %s label %d", i % width, i / width, what,
                            labels[i]);
    return SOS_OK;
}

static sos_status settings_check(const s3svm_simulation *s, sos_error *error)
{
    if (!(s->radius > 0 && s->radius <= S3SVM_DIALOGUE_RADIUS_MAX) || !(s->margin >= 0 && s->margin <= 1))
        return sos_fail(error, SOS_ERR_ARGUMENT, "the radius must be above 0, not %g, and the margin 0 to 1, not %g", s->radius,
                        s->margin);
    if ((unsigned)s->kind >= S3SVM_SIMULATED_KINDS)
        return sos_fail(error, SOS_ERR_ARGUMENT, "unknown kind of simulated marks: %d", (int)s->kind);
    return sos_reserved_check("s3svm_simulation", s, error);
}

sos_status s3svm_simulate_first(const s3svm_simulation *settings, const uint8_t truth[], const uint8_t care[],
                                s3svm_dialogue *d, sos_error *error)
{
    const s3svm_simulation defaults = s3svm_simulation_defaults();
    s3svm_simulated_step step = { 0 };
    s3svm_marker h;
    if (!settings) settings = &defaults;
    sos_status status = settings_check(settings, error);
    if (!status) status = labels_check("true", truth, d, error);
    if (!status) status = s3svm_marker_begin(settings, truth, care, d, &h, error);
    if (status) return status;
    status = first_step(&h, &step);
    if (!status) status = s3svm_dialogue_add(d, step.count, step.marks, error);
    s3svm_marker_end(&h);
    return status;
}

sos_status s3svm_simulate_correct(const s3svm_simulation *settings, const uint8_t truth[], const uint8_t care[],
                                  const uint8_t labels[], s3svm_dialogue *d, bool *right, sos_error *error)
{
    const s3svm_simulation defaults = s3svm_simulation_defaults();
    s3svm_simulated_step step = { 0 };
    s3svm_marker h;
    if (!settings) settings = &defaults;
    sos_status status = settings_check(settings, error);
    if (!status) status = labels_check("true", truth, d, error);
    if (!status) status = labels_check("present", labels, d, error);
    if (!status) status = s3svm_marker_begin(settings, truth, care, d, &h, error);
    if (status) return status;
    status = correction(&h, labels, &step);
    if (!status && step.count) status = s3svm_dialogue_add(d, step.count, step.marks, error);
    if (!status && right) *right = !step.count;
    s3svm_marker_end(&h);
    return status;
}
