/* cutout.c - from marks to labels: the steps that <s3svm/cutout.h> lists, one after the other. */
#include <s3svm/cutout.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "segment/model.h"
#include "vision/distance.h"
#include "vision/marks.h"
#include "vision/resample.h"

/* Larger pictures are reduced.  GrabCut takes some seconds for 2 megapixels.  Models learn from a fifth of a megapixel, and
 * what they have learned about neighbours is no longer true for pictures that are many times as large. */
enum { GRABCUT_PIXELS = 2000000, MODEL_PIXELS = 1000000 };

static const double REFERENCE = 500000; /* pixels up to which GrabCut's gamma is what OpenCV has */

enum { MARGIN = 8 }; /* where no object is marked, it is looked for within the sides less 1 / MARGIN of them on either end */

/* A photograph on the way to its labels. */
typedef struct segmentation {
    const sos_segment_model *model; /* NULL: GrabCut */
    const sos_cutout_settings *settings;
    const sos_image *photograph, *given; /* at full size, and its marks */
    sos_blocks blocks;
    sos_image small;          /* the reduced photograph; empty where it is not reduced */
    sos_maps small_maps;      /* and its maps, if there are some */
    const sos_image *picture; /* what is solved: that, or the photograph */
    sos_image marks;          /* of the picture, with what is assumed */
    uint8_t *assumed;         /* of the picture: 1 where the border stands for background */
    uint8_t *found;           /* of the picture: labels */
    uint8_t *labels;          /* of the photograph */
    sos_cutout_result result;
    sos_error *error;
} segmentation;

sos_cutout_settings sos_cutout_defaults(void) { return (sos_cutout_settings){ .grabcut = sos_grabcut_defaults() }; }

static void segmentation_free(segmentation *s)
{
    sos_image_free(&s->small);
    sos_maps_free(&s->small_maps);
    sos_image_free(&s->marks);
    free(s->assumed);
    free(s->found);
    free(s->labels);
}

static sos_status report(const segmentation *s, const char *phase)
{
    const sos_work *w = &s->settings->work;
    if (!w->progress || w->progress(w->user, phase, -1)) return SOS_OK;
    return sos_fail(s->error, SOS_CANCELLED, "cancelled while %s", phase);
}

static bool is_hard(const segmentation *s) { return s->settings->hard || !s->model; }

/* ---------------------------------------------------------------- reduce */

static sos_status reduce(segmentation *s)
{
    const size_t usual = s->model ? MODEL_PIXELS : GRABCUT_PIXELS, most = s->settings->pixels ? s->settings->pixels : usual;
    s->blocks = sos_blocks_within(s->photograph, most);
    s->result.reduction = s->blocks.factor;
    s->picture = s->blocks.factor > 1 ? &s->small : s->photograph;
    sos_status status = SOS_OK;
    if (s->blocks.factor > 1) status = sos_blocks_mean(&s->blocks, s->photograph, &s->small, s->error);
    if (!status && s->blocks.factor > 1 && s->settings->maps)
        status = sos_blocks_maps(&s->blocks, s->settings->maps, &s->small_maps, s->error);
    if (!status) status = sos_blocks_marks(&s->blocks, s->given, &s->marks, s->error);
    s->assumed = calloc(sos_blocks_size(&s->blocks), 1);
    s->found = malloc(sos_blocks_size(&s->blocks));
    s->labels = malloc(sos_image_size(s->photograph));
    if (!status && (!s->assumed || !s->found || !s->labels))
        status = sos_fail(s->error, SOS_ERR_MEMORY, "no memory to segment %zu by %zu pixels", s->photograph->width,
                          s->photograph->height);
    return status;
}

/* ---------------------------------------------------------------- assume */

static bool has_mark(const segmentation *s, uint8_t a, uint8_t b)
{
    for (size_t i = 0; i < sos_image_size(&s->marks); i++)
        if (s->marks.pixels[i] == a || s->marks.pixels[i] == b) return true;
    return false;
}

/* The outermost pixels stand for background where they are not marked. */
static void assume_border(segmentation *s)
{
    const size_t width = s->marks.width, height = s->marks.height;
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            const bool border = !x || !y || x + 1 == width || y + 1 == height;
            uint8_t *mark = s->marks.pixels + y * width + x;
            if (!border || *mark == SOS_MARK_OBJECT) continue;
            *mark = SOS_MARK_BACKGROUND;
            s->assumed[y * width + x] = 1;
            s->result.border_assumed = true;
        }
}

/* A model learns from marks alone; GrabCut can begin with what is perhaps, or not marked. */
static void assume(segmentation *s)
{
    const bool learned = s->model;
    s->result.object_assumed = !has_mark(s, SOS_MARK_OBJECT, learned ? SOS_MARK_OBJECT : SOS_MARK_PERHAPS_OBJECT);
    s->result.background_assumed = !has_mark(s, SOS_MARK_BACKGROUND,
                                             learned ? SOS_MARK_BACKGROUND : SOS_MARK_PERHAPS_BACKGROUND);
    if (s->result.background_assumed && (learned || !has_mark(s, SOS_MARK_NONE, SOS_MARK_NONE))) assume_border(s);
}

/* ---------------------------------------------------------------- solve: GrabCut */

/* What an unmarked pixel starts as: background, as is the custom; where no object is marked, object in the middle. */
static uint8_t start_of(const segmentation *s, size_t i, bool object)
{
    const size_t width = s->marks.width, height = s->marks.height, x = i % width, y = i / width;
    const bool middle = x >= width / MARGIN && x < width - width / MARGIN && y >= height / MARGIN &&
                        y < height - height / MARGIN;
    return middle && !object ? SOS_MARK_PERHAPS_OBJECT : SOS_MARK_PERHAPS_BACKGROUND;
}

/* GrabCut's gamma is for photographs of half a megapixel or less.  A scene with sides k times as long has k^2 times the
 * pixels, but only k times the pairs along an outline: for the same energy but for a factor, pairs weigh k times as much.  So
 * a scene comes to the same outline at every size, whether as it is or reduced. */
static double gamma_of(const segmentation *s)
{
    const double gamma = s->settings->grabcut.gamma, n = (double)sos_image_size(s->photograph);
    const double factor = (double)s->blocks.factor;
    return n > REFERENCE ? gamma * sqrt(n / REFERENCE) / factor : gamma / factor;
}

static sos_status solve_grabcut(segmentation *s)
{
    const bool object = has_mark(s, SOS_MARK_OBJECT, SOS_MARK_PERHAPS_OBJECT);
    const size_t n = sos_image_size(s->picture);
    sos_image marks = { .width = s->marks.width, .height = s->marks.height, .channels = 1, .pixels = malloc(n) };
    if (!marks.pixels) return sos_fail(s->error, SOS_ERR_MEMORY, "no memory for the marks of %zu pixels", n);
    sos_grabcut_settings settings = s->settings->grabcut;
    settings.gamma = gamma_of(s);
    settings.work = s->settings->work;
    for (size_t i = 0; i < n; i++)
        marks.pixels[i] = s->marks.pixels[i] == SOS_MARK_NONE ? start_of(s, i, object) : s->marks.pixels[i];
    const sos_status status = sos_grabcut(s->picture, &marks, &settings, NULL, s->error);
    for (size_t i = 0; i < n && !status; i++) s->found[i] = sos_mark_is_object(marks.pixels[i]);
    free(marks.pixels);
    return status;
}

/* ---------------------------------------------------------------- solve: a model */

/* The inside of an object, from half of its greatest depth on, is marked.  background and depth are room. */
static sos_status mark_inside(segmentation *s, uint8_t background[], float depth[])
{
    const size_t n = sos_image_size(s->picture);
    float most = 0;
    for (size_t i = 0; i < n; i++) background[i] = !s->found[i];
    const sos_status status = sos_distance_euclidean(s->picture->width, s->picture->height, background,
                                                     s->settings->work.threads, depth, s->error);
    for (size_t i = 0; i < n && !status; i++) most = depth[i] > most ? depth[i] : most;
    for (size_t i = 0; i < n && !status; i++)
        if (most > 0 && depth[i] >= most / 2 && s->marks.pixels[i] != SOS_MARK_BACKGROUND) s->marks.pixels[i] = SOS_MARK_OBJECT;
    return status;
}

/* A model, which learns from both kinds of marks, gets the inside of what GrabCut finds for an object. */
static sos_status propose_object(segmentation *s)
{
    const size_t n = sos_image_size(s->picture);
    uint8_t *background = malloc(n);
    float *depth = malloc(n * sizeof *depth);
    sos_status status = background && depth ? solve_grabcut(s)
                                            : sos_fail(s->error, SOS_ERR_MEMORY, "no memory for the depth of %zu pixels", n);
    if (!status) status = mark_inside(s, background, depth);
    free(background);
    free(depth);
    return status;
}

static sos_status solve_model(segmentation *s)
{
    const sos_segment_input in = { .photograph = s->picture,
                                   .marks = &s->marks,
                                   .threads = s->settings->work.threads,
                                   .maps = s->small_maps.values ? &s->small_maps : s->settings->maps };
    const sos_status status = s->result.object_assumed ? propose_object(s) : SOS_OK;
    if (status) return status;
    for (size_t i = 0; i < sos_image_size(&s->marks); i++)
        if (!sos_mark_is_sure(s->marks.pixels[i])) s->marks.pixels[i] = SOS_MARK_NONE;
    return sos_segment_model_solve(s->model, &in, s->settings->hard, s->found, s->error);
}

/* ---------------------------------------------------------------- release, grow, refine, keep */

/* The pixel of a side of so many that is as near as can be, but not the outermost. */
static size_t inner(size_t x, size_t side)
{
    if (x < 1) return 1;
    return x > side - 2 ? side - 2 : x;
}

/* An object may well reach the border: what was only assumed takes the label of the next pixel inside. */
static void release_border(const segmentation *s)
{
    const size_t width = s->marks.width, height = s->marks.height;
    if (width < 3 || height < 3) return;
    for (size_t i = 0; i < width * height; i++)
        if (s->assumed[i]) s->found[i] = s->found[inner(i / width, height) * width + inner(i % width, width)];
}

/* Labels found at 1 / factor of the sides are right but for a pixel of that size, so that the outline may be as far again. */
static sos_status refine(segmentation *s)
{
    const sos_status status = report(s, "deciding the outline at full size");
    if (status) return status;
    return sos_cutout_refine(s->photograph, is_hard(s) ? s->given : NULL, 2 * s->blocks.factor, s->settings->work.threads,
                             s->labels, &s->result.band, s->error);
}

static void keep_marks(const segmentation *s)
{
    for (size_t i = 0; i < sos_image_size(s->given); i++)
        if (sos_mark_is_sure(s->given->pixels[i])) s->labels[i] = s->given->pixels[i] == SOS_MARK_OBJECT;
}

/* ---------------------------------------------------------------- all */

static sos_status segment(segmentation *s)
{
    const double began = sos_seconds();
    sos_status status = reduce(s);
    if (!status) status = report(s, "segmenting");
    if (!status) assume(s);
    if (!status) status = s->model ? solve_model(s) : solve_grabcut(s);
    if (status) return status;
    release_border(s);
    sos_blocks_grow_labels(&s->blocks, s->found, s->labels);
    const double solved = sos_seconds();
    if (s->blocks.factor > 1) status = refine(s);
    if (is_hard(s)) keep_marks(s);
    for (size_t i = 0; i < sos_image_size(s->photograph); i++) s->result.object += s->labels[i];
    s->result.seconds_solve = solved - began;
    s->result.seconds_refine = sos_seconds() - solved;
    return status;
}

static sos_status maps_check(const segmentation *s)
{
    const sos_maps *maps = s->settings->maps;
    if (s->model)
        return sos_own_maps_check(&s->model->parts->maps, maps, s->photograph->width, s->photograph->height, s->error);
    return maps ? sos_fail(s->error, SOS_ERR_ARGUMENT, "GrabCut has learned from no maps") : SOS_OK;
}

sos_status sos_cutout_segment(const sos_segment_model *model, const sos_image *photograph, const sos_image *marks,
                              const sos_cutout_settings *settings, uint8_t labels[], sos_cutout_result *result,
                              sos_error *error)
{
    const sos_cutout_settings defaults = sos_cutout_defaults();
    segmentation s = {
        .model = model, .settings = settings ? settings : &defaults, .photograph = photograph, .given = marks, .error = error
    };
    sos_status status = sos_marks_check(photograph, marks, SOS_MARKS, error);
    if (!status) status = sos_reserved_check("sos_cutout_settings", s.settings, error);
    if (!status) status = maps_check(&s);
    if (!status && !labels) status = sos_fail(error, SOS_ERR_ARGUMENT, "no place for labels was given");
    if (!status) status = segment(&s);
    if (!status) memcpy(labels, s.labels, sos_image_size(photograph));
    if (!status && result) *result = s.result;
    segmentation_free(&s);
    return status;
}
