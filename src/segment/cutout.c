/* cutout.c - from marks to labels: what to assume where marks are missing, and large photographs at a reduced size. */
#include "segment/cutout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "vision/distance.h"
#include "vision/marks.h"
#include "vision/resample.h"

static const double REFERENCE = 500000; /* pixels */

/* A photograph, or a smaller copy of it, on the way to its labels. */
typedef struct work {
    const sos_cutout_settings *settings;
    const sos_image *picture;
    size_t pixels;    /* of the photograph at full size */
    uint8_t *marks;   /* SOS_MARK_ numbers; changed by what is assumed */
    uint8_t *assumed; /* 1 where the border stands for background */
    uint8_t *labels;
    sos_cutout_result *result;
    sos_error *error;
} work;

sos_cutout_settings sos_cutout_defaults(void)
{
    return (sos_cutout_settings){ .grabcut = sos_grabcut_defaults(), .pixels = 2000000 };
}

static sos_status no_memory(sos_error *error, const sos_image *picture)
{
    return sos_fail(error, SOS_ERR_MEMORY, "no memory to segment %zu by %zu pixels", picture->width, picture->height);
}

static sos_status report(const work *w, const char *phase)
{
    const sos_cutout_settings *s = w->settings;
    if (!s->progress || s->progress(s->user, phase, -1)) return SOS_OK;
    return sos_fail(w->error, SOS_CANCELLED, "cancelled while %s", phase);
}

/* ---------------------------------------------------------------- what is not marked */

static bool has_mark(const work *w, uint8_t a, uint8_t b)
{
    for (size_t i = 0; i < sos_image_size(w->picture); i++)
        if (w->marks[i] == a || w->marks[i] == b) return true;
    return false;
}

/* The outermost pixels stand for background where they are not marked. */
static void assume_border(work *w)
{
    const size_t width = w->picture->width, height = w->picture->height;
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            const bool border = !x || !y || x + 1 == width || y + 1 == height;
            uint8_t *mark = w->marks + y * width + x;
            if (!border || *mark == SOS_MARK_OBJECT) continue;
            *mark = SOS_MARK_BACKGROUND;
            w->assumed[y * width + x] = 1;
            w->result->border_assumed = true;
        }
}

/* An object may well reach the border: what was only assumed takes the label of the next pixel inside. */
static void release_border(const work *w)
{
    const size_t width = w->picture->width, height = w->picture->height;
    if (width < 3 || height < 3) return;
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            if (!w->assumed[y * width + x]) continue;
            const size_t inner_x = x < 1           ? 1
                                   : x > width - 2 ? width - 2
                                                   : x,
                         inner_y = y < 1            ? 1
                                   : y > height - 2 ? height - 2
                                                    : y;
            w->labels[y * width + x] = w->labels[inner_y * width + inner_x];
        }
}

/* ---------------------------------------------------------------- methods */

/* What an unmarked pixel starts as: background, as is the custom.  Where no object is marked, object in the middle, that is but
 * for an eighth of the sides. */
static uint8_t start_of(const work *w, size_t i, bool object)
{
    const size_t width = w->picture->width, height = w->picture->height, x = i % width, y = i / width;
    const bool middle = x >= width / 8 && x < width - width / 8 && y >= height / 8 && y < height - height / 8;
    return middle && !object ? SOS_MARK_PERHAPS_OBJECT : SOS_MARK_PERHAPS_BACKGROUND;
}

/* GrabCut's gamma is for photographs of half a megapixel or less.  A scene with sides k times as long has k^2 times the
 * pixels, but only k times the pairs along an outline: for the same energy but for a factor, pairs weigh k times as much.  So
 * a scene comes to the same outline at every size, whether as it is or reduced. */
static double gamma_of(const work *w)
{
    const double gamma = w->settings->grabcut.gamma, n = (double)w->pixels;
    return n > REFERENCE ? gamma * sqrt(n / REFERENCE) / (double)w->result->reduction : gamma / (double)w->result->reduction;
}

static sos_status run_grabcut(const work *w)
{
    const bool object = has_mark(w, SOS_MARK_OBJECT, SOS_MARK_PERHAPS_OBJECT);
    const size_t n = sos_image_size(w->picture);
    sos_image marks = { .width = w->picture->width, .height = w->picture->height, .channels = 1, .pixels = w->labels };
    sos_grabcut_settings settings = w->settings->grabcut;
    settings.gamma = gamma_of(w);
    settings.progress = w->settings->progress;
    settings.user = w->settings->user;
    for (size_t i = 0; i < n; i++) marks.pixels[i] = w->marks[i] == SOS_MARK_NONE ? start_of(w, i, object) : w->marks[i];
    const sos_status status = sos_grabcut(w->picture, &marks, &settings, NULL, w->error);
    for (size_t i = 0; i < n && !status; i++) w->labels[i] = sos_mark_is_object(w->labels[i]);
    return status;
}

/* A method that learns from both kinds of marks gets the inside of what GrabCut finds for an object. */
static sos_status propose_object(work *w)
{
    const size_t n = sos_image_size(w->picture);
    float *depth = malloc(n * sizeof *depth), most = 0;
    if (!depth) return no_memory(w->error, w->picture);
    sos_status status = run_grabcut(w);
    for (size_t i = 0; i < n && !status; i++) w->labels[i] ^= 1;
    if (!status)
        status = sos_distance_euclidean(w->picture->width, w->picture->height, w->labels, w->settings->grabcut.threads, depth,
                                        w->error);
    for (size_t i = 0; i < n && !status; i++)
        if (depth[i] > most) most = depth[i];
    for (size_t i = 0; i < n && !status; i++)
        if (most > 0 && depth[i] >= most / 2 && w->marks[i] != SOS_MARK_BACKGROUND) w->marks[i] = SOS_MARK_OBJECT;
    free(depth);
    return status;
}

static sos_status run_learned(work *w)
{
    sos_status status = SOS_OK;
    if (w->result->object_assumed) status = propose_object(w);
    if (status) return status;
    for (size_t i = 0; i < sos_image_size(w->picture); i++)
        if (w->marks[i] > SOS_MARK_BACKGROUND) w->marks[i] = SOS_MARK_NONE;
    return w->settings->solve(w->settings->data, w->picture, w->marks, w->labels, w->error);
}

static sos_status solve(work *w)
{
    const bool learned = w->settings->solve;
    const double began = sos_seconds();
    w->result->object_assumed = !has_mark(w, SOS_MARK_OBJECT, learned ? SOS_MARK_OBJECT : SOS_MARK_PERHAPS_OBJECT);
    w->result->background_assumed = !has_mark(w, SOS_MARK_BACKGROUND,
                                              learned ? SOS_MARK_BACKGROUND : SOS_MARK_PERHAPS_BACKGROUND);
    if (w->result->background_assumed && (learned || !has_mark(w, SOS_MARK_NONE, SOS_MARK_NONE))) assume_border(w);
    sos_status status = report(w, "segmenting");
    if (!status) status = learned ? run_learned(w) : run_grabcut(w);
    if (!status) release_border(w);
    w->result->seconds_solve = sos_seconds() - began;
    return status;
}

static sos_status solve_at(const work *outer, const sos_image *picture, const uint8_t marks[], uint8_t labels[])
{
    work w = *outer;
    const size_t n = sos_image_size(picture);
    w.picture = picture;
    w.labels = labels;
    w.marks = malloc(n);
    w.assumed = calloc(n, 1);
    sos_status status = w.marks && w.assumed ? SOS_OK : no_memory(w.error, picture);
    if (!status) {
        memcpy(w.marks, marks, n);
        status = solve(&w);
    }
    free(w.marks);
    free(w.assumed);
    return status;
}

/* ---------------------------------------------------------------- reduced size */

static sos_status solve_reduced(work *w, const sos_image *marks, const sos_blocks *blocks)
{
    sos_image small = { 0 }, small_marks = { 0 };
    sos_status status = sos_blocks_mean(blocks, w->picture, &small, w->error);
    if (!status) status = sos_blocks_marks(blocks, marks, &small_marks, w->error);
    uint8_t *labels = malloc(sos_blocks_size(blocks));
    if (!status && !labels) status = no_memory(w->error, &small);
    if (!status) status = solve_at(w, &small, small_marks.pixels, labels);
    if (!status) sos_blocks_grow_labels(blocks, labels, w->labels);
    free(labels);
    sos_image_free(&small_marks);
    sos_image_free(&small);
    return status;
}

static sos_status refine(work *w, const sos_image *marks, bool hard, size_t k)
{
    const sos_cutout_settings *s = w->settings;
    const double began = sos_seconds();
    sos_status status = report(w, "deciding the outline at full size");
    if (!status)
        status = sos_cutout_refine(w->picture, hard ? marks : NULL, 2 * k, s->grabcut.threads, w->labels, &w->result->band,
                                   w->error);
    w->result->seconds_refine = sos_seconds() - began;
    return status;
}

/* ---------------------------------------------------------------- what is asked for */

sos_status sos_cutout_segment(const sos_image *photograph, const sos_image *marks, const sos_cutout_settings *settings,
                              uint8_t labels[], sos_cutout_result *result, sos_error *error)
{
    const sos_cutout_settings s = settings ? *settings : sos_cutout_defaults();
    const bool hard = s.hard || !s.solve;
    sos_cutout_result r = { 0 };
    work w = { .settings = &s, .picture = photograph, .labels = labels, .result = &r, .error = error };
    sos_status status = sos_marks_check(photograph, marks, SOS_MARKS, error);
    if (!status && !labels) status = sos_fail(error, SOS_ERR_ARGUMENT, "no place for labels was given");
    if (status) return status;
    w.pixels = sos_image_size(photograph);
    const sos_blocks blocks = sos_blocks_within(photograph, s.pixels);
    r.reduction = blocks.factor;
    status = r.reduction == 1 ? solve_at(&w, photograph, marks->pixels, labels) : solve_reduced(&w, marks, &blocks);
    if (!status && r.reduction > 1) status = refine(&w, marks, hard, r.reduction);
    for (size_t i = 0; i < sos_image_size(photograph) && !status; i++) {
        if (hard && marks->pixels[i] == SOS_MARK_OBJECT) labels[i] = 1;
        if (hard && marks->pixels[i] == SOS_MARK_BACKGROUND) labels[i] = 0;
        r.object += labels[i];
    }
    if (result && !status) *result = r;
    return status;
}
