/* segmenter.c - from marks to labels: the steps that <s3svm/segmenter.h> lists, and all steps in one call. */
#include <s3svm/segmenter.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "segment/features/features.h"
#include "segment/model/confidence.h"
#include "segment/model/middle.h"
#include "segment/model/model.h"
#include "segment/model/refine.h"
#include "segment/model/tidy.h"
#include "vision/dialogue.h"
#include "vision/marks.h"
#include "vision/resample.h"

/* Larger pictures are reduced.  GrabCut takes some seconds for 2 megapixels.  Models learn from a fifth of a megapixel, and
 * what they have learned about neighbours is no longer true for pictures that are many times as large.  Those of dialogues are
 * waited for. */
enum { GRABCUT_PIXELS = 2000000, MODEL_PIXELS = 1000000, DIALOGUE_PIXELS = 500000 };

static const double REFERENCE = 500000; /* pixels up to which GrabCut's gamma is what OpenCV has */

/* What a step gave, kept for when later ones are taken back. */
typedef struct outcome {
    uint8_t *packed; /* labels of the photograph before they are tidied, 8 in a byte */
    s3svm_segmentation_result result;
} outcome;

struct s3svm_segmenter {
    const s3svm_segment_model *model; /* NULL: GrabCut */
    s3svm_segmentation_settings settings;
    const s3svm_image *photograph; /* at full size */
    s3svm_blocks blocks;
    s3svm_image small;          /* the reduced photograph; empty where it is not reduced */
    s3svm_maps small_maps;      /* and its maps, if there are some */
    const s3svm_image *picture; /* what is solved: that, or the photograph */
    s3svm_photo photo;          /* of the picture, for full models */
    sos_example *example;       /* of the picture, for models */
    s3svm_outline_photo around; /* of the picture, for models that look again at outlines; else empty */
    float *response;            /* of the picture, for the same: what the model said last */
    double seconds_look;

    s3svm_dialogue *dialogue;
    size_t steps, room;
    outcome *outcomes; /* of every step */
    bool proposed;
    outcome proposal;        /* what evidence alone gave, if that was asked for */
    s3svm_drawn_marks given; /* all marks of the dialogue, and those of its last step, at full size */
    uint8_t *labels;         /* of the photograph, after the last step, tidied */
    s3svm_tidier tidier;     /* with room for the labels of every step */

    /* Of the step that is being made. */
    s3svm_image marks; /* of the picture, with what is assumed */
    uint8_t *assumed;  /* of the picture: 1 where the border stands for background */
    uint8_t *found;    /* of the picture: labels */
    uint8_t *next;     /* of the photograph: labels */
    size_t costs;      /* the step that the example has the costs of; 0: of none */
    s3svm_segmentation_result result;
    sos_error *error;
};

static sos_status report(const s3svm_segmenter *s, const char *phase)
{
    const sos_work *w = &s->settings.work;
    if (!w->progress || w->progress(w->user, phase, -1)) return SOS_OK;
    return sos_fail(s->error, SOS_CANCELLED, "cancelled while %s", phase);
}

static bool is_hard(const s3svm_segmenter *s) { return s->settings.hard || !s->model; }

/* Whether the model has learned from dialogues, and so what to make of missing marks. */
static bool has_dialogues(const s3svm_segmenter *s) { return s->model && s->model->parts->response.dialogues; }

/* Whether a user's network says something of the photograph that the model has learned to see. */
static bool has_evidence(const s3svm_segmenter *s)
{
    return s->model && s->model->parts->response.evidence && s->settings.maps && s->settings.maps->values;
}

/* What the labels are of: the last step, or what was proposed; NULL: there are none. */
static outcome *outcome_last(s3svm_segmenter *s)
{
    if (s->steps) return &s->outcomes[s->steps - 1];
    return s->proposed ? &s->proposal : NULL;
}

/* ---------------------------------------------------------------- reduce */

static sos_status reduce_photograph(s3svm_segmenter *s)
{
    const size_t usual = has_dialogues(s) ? DIALOGUE_PIXELS : s->model ? MODEL_PIXELS : GRABCUT_PIXELS;
    const size_t most = s->settings.pixels ? s->settings.pixels : usual;
    s->blocks = s3svm_blocks_within(s->photograph, most);
    s->picture = s->blocks.factor > 1 ? &s->small : s->photograph;
    sos_status status = SOS_OK;
    if (s->blocks.factor > 1) status = s3svm_blocks_mean(&s->blocks, s->photograph, &s->small, s->error);
    if (!status && s->blocks.factor > 1 && s->settings.maps)
        status = s3svm_blocks_maps(&s->blocks, s->settings.maps, &s->small_maps, s->error);
    return status;
}

static sos_status reduce_marks(s3svm_segmenter *s)
{
    s3svm_image_free(&s->marks);
    memset(s->assumed, 0, s3svm_blocks_size(&s->blocks));
    return s3svm_blocks_marks(&s->blocks, &s->given.all, &s->marks, s->error);
}

/* ---------------------------------------------------------------- assume */

static bool has_mark(const s3svm_segmenter *s, uint8_t a, uint8_t b)
{
    for (size_t i = 0; i < s3svm_image_size(&s->marks); i++)
        if (s->marks.pixels[i] == a || s->marks.pixels[i] == b) return true;
    return false;
}

/* The outermost pixels stand for background where they are not marked. */
static void assume_border(s3svm_segmenter *s)
{
    const size_t width = s->marks.width, height = s->marks.height;
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            const bool border = !x || !y || x + 1 == width || y + 1 == height;
            uint8_t *mark = s->marks.pixels + y * width + x;
            if (!border || *mark == S3SVM_MARK_OBJECT) continue;
            *mark = S3SVM_MARK_BACKGROUND;
            s->assumed[y * width + x] = 1;
            s->result.border_assumed = true;
        }
}

/* A model learns from marks alone; GrabCut can begin with what is perhaps, or not marked. */
static void assume(s3svm_segmenter *s)
{
    const bool learned = s->model;
    s->result.object_assumed = !has_mark(s, S3SVM_MARK_OBJECT, learned ? S3SVM_MARK_OBJECT : S3SVM_MARK_PERHAPS_OBJECT);
    s->result.background_assumed = !has_mark(s, S3SVM_MARK_BACKGROUND,
                                             learned ? S3SVM_MARK_BACKGROUND : S3SVM_MARK_PERHAPS_BACKGROUND);
    if (has_dialogues(s)) {
        s->result.border_assumed = s->result.background_assumed; /* maps see it so (assume.h) */
        return;
    }
    if (s->result.background_assumed && (learned || !has_mark(s, S3SVM_MARK_NONE, S3SVM_MARK_NONE))) assume_border(s);
}

/* ---------------------------------------------------------------- solve: GrabCut */

/* What an unmarked pixel starts as: background, as is the custom; where no object is marked, object in the middle. */
static uint8_t start_of(const s3svm_segmenter *s, size_t i, bool object)
{
    return s3svm_segment_is_middle(&s->marks, i) && !object ? S3SVM_MARK_PERHAPS_OBJECT : S3SVM_MARK_PERHAPS_BACKGROUND;
}

/* GrabCut's gamma is for photographs of half a megapixel or less.  A photograph with sides k times as long has k^2 times the
 * pixels, but only k times the pairs along an outline: for the same energy but for a factor, pairs weigh k times as much.  So
 * a photograph comes to the same outline at every size, whether as it is or reduced. */
static double gamma_of(const s3svm_segmenter *s)
{
    const double gamma = s->settings.grabcut.gamma, n = (double)s3svm_image_size(s->photograph);
    const double factor = (double)s->blocks.factor;
    return n > REFERENCE ? gamma * sqrt(n / REFERENCE) / factor : gamma / factor;
}

static sos_status solve_grabcut(s3svm_segmenter *s)
{
    const bool object = has_mark(s, S3SVM_MARK_OBJECT, S3SVM_MARK_PERHAPS_OBJECT);
    const size_t n = s3svm_image_size(s->picture);
    s3svm_image marks = { .width = s->marks.width, .height = s->marks.height, .channels = 1, .pixels = malloc(n) };
    if (!marks.pixels) return sos_fail(s->error, SOS_ERR_MEMORY, "no memory for the marks of %zu pixels", n);
    s3svm_grabcut_settings settings = s->settings.grabcut;
    settings.gamma = gamma_of(s);
    settings.work = s->settings.work;
    for (size_t i = 0; i < n; i++) {
        const bool marked = s->marks.pixels[i] != S3SVM_MARK_NONE;
        marks.pixels[i] = marked ? s->marks.pixels[i] : start_of(s, i, object);
    }
    const sos_status status = s3svm_grabcut(s->picture, &marks, &settings, NULL, s->error);
    for (size_t i = 0; i < n && !status; i++) s->found[i] = s3svm_mark_is_object(marks.pixels[i]);
    free(marks.pixels);
    return status;
}

/* One turn of it from the labels that were found; what is marked stays as it is. */
static sos_status turn_grabcut(s3svm_segmenter *s)
{
    const size_t n = s3svm_image_size(s->picture);
    s3svm_image marks = { .width = s->marks.width, .height = s->marks.height, .channels = 1, .pixels = malloc(n) };
    if (!marks.pixels) return sos_fail(s->error, SOS_ERR_MEMORY, "no memory for the marks of %zu pixels", n);
    s3svm_grabcut_settings settings = s->settings.grabcut;
    settings.gamma = gamma_of(s);
    settings.work = s->settings.work;
    settings.iterations = 1;
    for (size_t i = 0; i < n; i++) {
        const bool sure = s3svm_mark_is_sure(s->marks.pixels[i]);
        marks.pixels[i] = sure ? s->marks.pixels[i] : s->found[i] ? S3SVM_MARK_PERHAPS_OBJECT : S3SVM_MARK_PERHAPS_BACKGROUND;
    }
    const sos_status status = s3svm_grabcut_around(s->picture, &marks, &settings, s->error);
    for (size_t i = 0; i < n && !status; i++) s->found[i] = s3svm_mark_is_object(marks.pixels[i]);
    free(marks.pixels);
    return status;
}

/* ---------------------------------------------------------------- solve: a model */

/* Of the picture; NULL: there are none. */
static const s3svm_maps *maps_of(const s3svm_segmenter *s) { return s->small_maps.values ? &s->small_maps : s->settings.maps; }

static s3svm_segment_input input_of(const s3svm_segmenter *s)
{
    return (s3svm_segment_input){
        .photograph = s->picture, .marks = &s->marks, .threads = s->settings.work.threads, .maps = maps_of(s)
    };
}

static bool looks_again(const s3svm_segmenter *s)
{
    return s->model && !s3svm_outline_model_is_empty(&s->model->parts->outline);
}

static const double *weights_of(const s3svm_segmenter *s)
{
    return s->settings.hard ? s->model->hard_weights : sos_model_weights(s->model->model);
}

/* From the flow of the last step: a step changes few costs by much, and the minimum is the same. */
static sos_status minimize(s3svm_segmenter *s, const s3svm_segment_input *in)
{
    sos_minimize_settings settings = sos_minimize_defaults();
    sos_minimize_result minimum = { 0 };
    settings.start = SOS_START_FLOW;
    const s3svm_photo *photo = s->photo.lab ? &s->photo : NULL;
    sos_status status = s3svm_segment_example_mark(s->model, in, photo, s->example, s->response, s->error);
    if (!status) status = sos_example_minimize(s->example, weights_of(s), false, &settings, s->found, &minimum, s->error);
    s->result.energy = minimum.energy;
    s->result.bound = minimum.lower_bound;
    if (status || !looks_again(s)) return status;
    const bool evidence = s->model->parts->response.evidence && in->maps;
    const s3svm_outline_odds odds = { s->response, evidence ? in->maps->values : NULL };
    return s3svm_outline_decide(&s->model->parts->outline, &s->around, in->marks->pixels, &odds, in->threads, s->found,
                                s->error);
}

/* Whether a box or a loose outline is all that is known of the object. */
static bool is_only_framed(const s3svm_segmenter *s)
{
    return s->result.object_assumed && has_mark(s, S3SVM_MARK_PERHAPS_OBJECT, S3SVM_MARK_PERHAPS_OBJECT);
}

/* Nobody has shown what is in a box or in a loose outline.  In one of at most this share of the picture its middle is taken for
 * a mark on the object, but where background is marked: GrabCut loses small objects whose colours lie elsewhere, too.  In
 * larger ones GrabCut finds the object more often than the middle shows it (docs/segmentation.md). */
static const double SMALL_FRAME = 0.3;

static bool is_small(const s3svm_segmenter *s, const s3svm_disc *d)
{
    return (double)(d->right - d->left) * (double)(d->bottom - d->top) <= SMALL_FRAME * (double)s3svm_image_size(&s->marks);
}

/* last: the marks of this step, or NULL. */
static void middle_assume(s3svm_segmenter *s, const s3svm_disc *d, s3svm_image *last)
{
    for (size_t y = d->top; y < d->bottom; y++)
        for (size_t x = d->left; x < d->right; x++) {
            const size_t i = y * s->marks.width + x;
            if (!s3svm_disc_has(d, x, y) || s->marks.pixels[i] != S3SVM_MARK_PERHAPS_OBJECT) continue;
            s->marks.pixels[i] = S3SVM_MARK_OBJECT;
            if (last) last->pixels[i] = S3SVM_MARK_OBJECT;
        }
}

/* A model that has not learned from dialogues knows marks of both kinds only: it gets the inside of what GrabCut finds for an
 * object. */
static sos_status solve_marks(s3svm_segmenter *s)
{
    const s3svm_segment_input in = input_of(s);
    sos_status status = SOS_OK;
    if (s->result.object_assumed) {
        status = solve_grabcut(s);
        if (!status) status = s3svm_segment_assume_inside(s->found, s->settings.work.threads, &s->marks, s->error);
        if (!status && !has_mark(s, S3SVM_MARK_OBJECT, S3SVM_MARK_OBJECT)) {
            const s3svm_disc middle = s3svm_marks_middle(&s->marks);
            middle_assume(s, &middle, NULL);
        }
    }
    if (status) return status;
    for (size_t i = 0; i < s3svm_image_size(&s->marks); i++)
        if (!s3svm_mark_is_sure(s->marks.pixels[i])) s->marks.pixels[i] = S3SVM_MARK_NONE;
    return minimize(s, &in);
}

static void labels_unpack(const outcome *o, size_t n, uint8_t labels[])
{
    for (size_t i = 0; i < n; i++) labels[i] = o->packed[i / 8] >> i % 8 & 1;
}

/* Whether nothing is known of the object but what GrabCut finds. */
static bool is_lost(const s3svm_segmenter *s)
{
    return s->result.object_assumed && !has_evidence(s) && !has_mark(s, S3SVM_MARK_OBJECT, S3SVM_MARK_OBJECT);
}

/* Where evidence is for the object, in the picture. */
static void evidence_before(const s3svm_segmenter *s, uint8_t before[])
{
    const float *odds = maps_of(s)->values;
    for (size_t i = 0; i < s3svm_image_size(s->picture); i++) before[i] = odds[i] > 0;
}

/* Whether the first step is about what evidence proposes: it marks no object.  A first mark on the object is better off
 * without a proposal before it, which may be of another object. */
static bool is_proposed(const s3svm_segmenter *s)
{
    return !s->steps && has_evidence(s) && !has_mark(s, S3SVM_MARK_OBJECT, S3SVM_MARK_OBJECT);
}

/* The labels before the step, in the picture: those of the last step as they were found, since a model learns what to make of
 * those.  Before the first one they are of evidence, if the step is about them, or of GrabCut, where nothing else is known of
 * the object.  *found: there are some. */
static sos_status before_find(s3svm_segmenter *s, uint8_t before[], bool *found)
{
    sos_status status = SOS_OK;
    *found = true;
    if (s->steps) {
        labels_unpack(&s->outcomes[s->steps - 1], s3svm_image_size(s->photograph), s->next);
        s3svm_blocks_middle(&s->blocks, s->next, before);
    } else if (is_proposed(s)) {
        evidence_before(s, before);
    } else if (is_lost(s)) {
        status = solve_grabcut(s);
        memcpy(before, s->found, s3svm_image_size(s->picture));
    } else
        *found = false;
    return status;
}

/* In a box the colours of what the model finds have the last word, by one turn of GrabCut, unless there is evidence. */
static sos_status solve_dialogue(s3svm_segmenter *s)
{
    s3svm_segment_input in = input_of(s);
    s3svm_image last = { 0 };
    uint8_t *before = malloc(s3svm_image_size(s->picture));
    sos_status status = before ? s3svm_blocks_marks(&s->blocks, &s->given.last, &last, s->error)
                               : sos_fail(s->error, SOS_ERR_MEMORY, "no memory for labels of %zu pixels",
                                          s3svm_image_size(s->picture));
    const bool framed = is_only_framed(s) && !has_evidence(s);
    bool found = false;
    if (!status && framed) {
        const s3svm_disc middle = s3svm_marks_middle(&s->marks);
        if (is_small(s, &middle)) middle_assume(s, &middle, s->steps ? NULL : &last);
    }
    if (!status) status = before_find(s, before, &found);
    if (!status) {
        const s3svm_segment_moment moment = { &last, found ? before : NULL };
        in.moment = &moment;
        status = minimize(s, &in);
    }
    if (!status && framed) status = turn_grabcut(s);
    s3svm_image_free(&last);
    free(before);
    return status;
}

static sos_status solve_model(s3svm_segmenter *s) { return has_dialogues(s) ? solve_dialogue(s) : solve_marks(s); }

/* ---------------------------------------------------------------- release, grow, refine, keep */

/* The pixel of a side of so many that is as near as can be, but not the outermost. */
static size_t inner(size_t x, size_t side)
{
    if (x < 1) return 1;
    return x > side - 2 ? side - 2 : x;
}

/* An object may well reach the border: what was only assumed takes the label of the next pixel inside. */
static void release_border(const s3svm_segmenter *s)
{
    const size_t width = s->marks.width, height = s->marks.height;
    if (width < 3 || height < 3) return;
    for (size_t i = 0; i < width * height; i++)
        if (s->assumed[i]) s->found[i] = s->found[inner(i / width, height) * width + inner(i % width, width)];
}

/* Labels found at 1 / factor of the sides are right but for a pixel of that size, so that the outline may be as far again. */
static sos_status refine(s3svm_segmenter *s)
{
    const sos_status status = report(s, "deciding the outline at full size");
    if (status) return status;
    return s3svm_labels_refine(s->photograph, is_hard(s) ? &s->given.all : NULL, 2 * s->blocks.factor, s->settings.work.threads,
                               s->next, &s->result.band, s->error);
}

static void keep_marks(const s3svm_segmenter *s)
{
    const s3svm_image *given = &s->given.all;
    for (size_t i = 0; i < s3svm_image_size(given); i++)
        if (s3svm_mark_is_sure(given->pixels[i])) s->next[i] = given->pixels[i] == S3SVM_MARK_OBJECT;
}

/* ---------------------------------------------------------------- one step */

/* From the marks that are given to the next labels. */
static sos_status solve(s3svm_segmenter *s)
{
    const double began = sos_seconds();
    s->costs = 0;
    s->result = (s3svm_segmentation_result){ .reduction = s->blocks.factor, .seconds_look = s->seconds_look };
    s3svm_marks_count(&s->given.all, s->result.marks);
    sos_status status = reduce_marks(s);
    if (!status) status = report(s, "segmenting");
    if (!status) assume(s);
    if (!status) status = s->model ? solve_model(s) : solve_grabcut(s);
    if (status) return status;
    release_border(s);
    s3svm_blocks_grow_labels(&s->blocks, s->found, s->next);
    const double solved = sos_seconds();
    if (s->blocks.factor > 1 && !s->settings.rough) status = refine(s);
    if (status) return status;
    if (is_hard(s)) keep_marks(s);
    s->result.seconds_solve = solved - began;
    s->result.seconds_refine = sos_seconds() - solved;
    return SOS_OK;
}

static void labels_pack(const uint8_t labels[], size_t n, outcome *o)
{
    memset(o->packed, 0, (n + 7) / 8);
    for (size_t i = 0; i < n; i++) o->packed[i / 8] |= (uint8_t)(labels[i] << i % 8);
}

/* Tidies the labels, which are those of the last outcome as they were found. */
static void labels_tidy(s3svm_segmenter *s)
{
    s3svm_segmentation_result *r = &outcome_last(s)->result;
    r->tidied = s3svm_tidier_tidy(&s->tidier, &s->settings.tidying, &s->given.all, s->labels);
    r->object = 0;
    for (size_t i = 0; i < s3svm_image_size(s->photograph); i++) r->object += s->labels[i];
}

/* The labels after the last step, or what was proposed. */
static void labels_renew(s3svm_segmenter *s)
{
    const size_t n = s3svm_image_size(s->photograph);
    const outcome *o = outcome_last(s);
    memset(s->labels, 0, n);
    if (!o) return;
    labels_unpack(o, n, s->labels);
    labels_tidy(s);
}

/* The labels that were found become those of the last outcome, which is there.  Nothing can fail any more. */
static void outcome_keep(s3svm_segmenter *s, uint8_t packed[])
{
    const size_t n = s3svm_image_size(s->photograph);
    outcome *o = outcome_last(s);
    *o = (outcome){ .packed = packed, .result = s->result };
    labels_pack(s->next, n, o);
    memcpy(s->labels, s->next, n);
    labels_tidy(s);
}

/* Where evidence is for the object, at full size.  No model makes it better without a mark (docs/notes/clicks.md). */
static sos_status evidence_label(s3svm_segmenter *s)
{
    s->result = (s3svm_segmentation_result){
        .background_assumed = true, .object_assumed = true, .reduction = 1, .seconds_look = s->seconds_look
    };
    for (size_t i = 0; i < s3svm_image_size(s->photograph); i++) s->next[i] = s->settings.maps->values[i] > 0;
    return SOS_OK;
}

/* Finds labels; *packed is room for them. */
static sos_status outcome_find(s3svm_segmenter *s, sos_status (*find)(s3svm_segmenter *s), uint8_t **packed)
{
    const s3svm_image *p = s->photograph;
    const size_t n = s3svm_image_size(p);
    *packed = malloc((n + 7) / 8);
    sos_status status = *packed && sos_grow(&s->outcomes, &s->room, s->steps + 1)
                            ? find(s)
                            : sos_fail(s->error, SOS_ERR_MEMORY, "no memory for the labels of %zu pixels", n);
    if (!status) status = s3svm_tidier_reserve(&s->tidier, p->width, p->height, s->next, s->error);
    if (status) free(*packed);
    return status;
}

/* The marks of the next step are drawn, and give labels. */
static sos_status step_solve(s3svm_segmenter *s)
{
    uint8_t *packed;
    const sos_status status = outcome_find(s, solve, &packed);
    if (status) return status;
    s->steps++;
    outcome_keep(s, packed);
    s->costs = s->steps;
    return SOS_OK;
}

sos_status s3svm_segmenter_propose(s3svm_segmenter *s, sos_error *error)
{
    uint8_t *packed;
    s->error = error;
    if (s->steps) return sos_fail(error, SOS_ERR_ARGUMENT, "nothing is proposed after the first mark");
    if (!has_evidence(s))
        return sos_fail(error, SOS_ERR_ARGUMENT,
                        s->model && s->model->parts->response.evidence
                            ? "without maps nothing is known of the object before the first mark"
                            : "the model has not learned what to make of maps without marks");
    if (s->proposed) return SOS_OK;
    const sos_status status = outcome_find(s, evidence_label, &packed);
    if (status) return status;
    s->proposed = true;
    outcome_keep(s, packed);
    return SOS_OK;
}

void s3svm_segmenter_cut(s3svm_segmenter *s, size_t steps)
{
    if (steps >= s3svm_dialogue_steps(s->dialogue)) return;
    s3svm_dialogue_cut(s->dialogue, steps);
    while (s->steps > steps) free(s->outcomes[--s->steps].packed);
    s3svm_drawn_marks_redraw(&s->given, s->dialogue, steps);
    labels_renew(s);
}

void s3svm_segmenter_tidy(s3svm_segmenter *s, const s3svm_tidying *tidying)
{
    s->settings.tidying = *tidying;
    labels_renew(s);
}

sos_status s3svm_segmenter_mark(s3svm_segmenter *s, size_t count, const s3svm_mark marks[], sos_error *error)
{
    const size_t before = s->steps;
    s->error = error;
    sos_status status = s3svm_dialogue_add(s->dialogue, count, marks, error);
    if (!status) status = s3svm_drawn_marks_add(&s->given, s->dialogue, before, error);
    if (!status) status = step_solve(s);
    if (status) s3svm_segmenter_cut(s, before);
    return status;
}

static sos_status dialogue_size_check(const s3svm_segmenter *s, const s3svm_dialogue *d)
{
    const size_t width = s3svm_dialogue_width(d), height = s3svm_dialogue_height(d);
    if (width == s->photograph->width && height == s->photograph->height) return SOS_OK;
    return sos_fail(s->error, SOS_ERR_ARGUMENT, "marks of %zu by %zu pixels; the photograph has %zu by %zu", width, height,
                    s->photograph->width, s->photograph->height);
}

/* A step of another dialogue, without labels yet. */
static sos_status step_add(s3svm_segmenter *s, const s3svm_dialogue *d, size_t step)
{
    const size_t at = s3svm_dialogue_steps(s->dialogue);
    const sos_status status = s3svm_dialogue_add_step(s->dialogue, d, step, s->error);
    return status ? status : s3svm_drawn_marks_add(&s->given, s->dialogue, at, s->error);
}

sos_status s3svm_segmenter_step(s3svm_segmenter *s, const s3svm_dialogue *d, size_t step, sos_error *error)
{
    const size_t before = s->steps;
    s->error = error;
    sos_status status = dialogue_size_check(s, d);
    if (!status && step >= s3svm_dialogue_steps(d))
        status = sos_fail(error, SOS_ERR_ARGUMENT, "step %zu of a dialogue of %zu", step, s3svm_dialogue_steps(d));
    if (!status) status = step_add(s, d, step);
    if (!status) status = step_solve(s);
    if (status) s3svm_segmenter_cut(s, before);
    return status;
}

sos_status s3svm_segmenter_replay(s3svm_segmenter *s, const s3svm_dialogue *d, size_t steps, sos_error *error)
{
    const size_t before = s->steps;
    s->error = error;
    sos_status status = dialogue_size_check(s, d);
    for (size_t step = 0; step < steps && step < s3svm_dialogue_steps(d) && !status; step++)
        status = s3svm_segmenter_step(s, d, step, error);
    if (status) s3svm_segmenter_cut(s, before);
    return status;
}

size_t s3svm_segmenter_steps(const s3svm_segmenter *s) { return s->steps; }
const s3svm_dialogue *s3svm_segmenter_dialogue(const s3svm_segmenter *s) { return s->dialogue; }
const uint8_t *s3svm_segmenter_labels(const s3svm_segmenter *s) { return s->labels; }
const s3svm_image *s3svm_segmenter_marks(const s3svm_segmenter *s) { return &s->given.all; }

s3svm_segmentation_result s3svm_segmenter_result(const s3svm_segmenter *s)
{
    if (s->steps) return s->outcomes[s->steps - 1].result;
    return s->proposed ? s->proposal.result : (s3svm_segmentation_result){ 0 };
}

/* ---------------------------------------------------------------- odds */

/* The last step once more, so that the example has its costs; labels and results are those that are there. */
static sos_status costs_renew(s3svm_segmenter *s)
{
    s->steps--;
    const sos_status status = solve(s);
    s->steps++;
    if (!status) s->costs = s->steps;
    return status;
}

sos_status s3svm_segmenter_odds(s3svm_segmenter *s, float odds[], sos_error *error)
{
    const size_t n = s3svm_image_size(s->picture);
    const sos_energy *e;
    s->error = error;
    if (!s->model) return sos_fail(error, SOS_ERR_ARGUMENT, "GrabCut has no model, so there are no odds of single pixels");
    memset(odds, 0, s3svm_image_size(s->photograph) * sizeof *odds);
    if (!s->steps && s->proposed) memcpy(odds, s->settings.maps->values, s3svm_image_size(s->photograph) * sizeof *odds);
    if (!s->steps) return SOS_OK;
    float *small = malloc(n * sizeof *small);
    sos_status status = small ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for odds of %zu pixels", n);
    if (!status && s->costs != s->steps) status = costs_renew(s);
    if (!status) status = sos_example_energy(s->example, weights_of(s), false, &e, error);
    for (size_t i = 0; i < n && !status; i++) {
        double background, object;
        sos_energy_unary(e, i, &background, &object);
        small[i] = (float)(sos_example_scale(s->example) * (background - object));
    }
    if (!status) s3svm_blocks_grow(&s->blocks, small, odds);
    free(small);
    return status;
}

/* ---------------------------------------------------------------- confidence */

/* From the picture to the photograph: the pixel in the middle of a block. */
static void place_grow(const s3svm_segmenter *s, s3svm_confidence *c)
{
    const size_t k = s->blocks.factor, width = s->photograph->width, height = s->photograph->height;
    const size_t x = (size_t)c->next.x * k + k / 2, y = (size_t)c->next.y * k + k / 2;
    c->next = (s3svm_point){ (float)(x < width ? x : width - 1), (float)(y < height ? y : height - 1) };
    c->label = s->labels[(size_t)c->next.y * width + (size_t)c->next.x];
}

static sos_status confidence_of(s3svm_segmenter *s, const sos_energy *e, double scale, const uint8_t marked[], float small[],
                                s3svm_confidence *c)
{
    const s3svm_confidence_input in = { e, scale, s->picture, marked, &s->settings.work };
    return s3svm_confidence_find(&in, small, c, s->error);
}

/* In the picture, whose example gets the costs of the last step. */
static sos_status confidence_marked(s3svm_segmenter *s, float small[], uint8_t marked[], s3svm_confidence *c)
{
    const sos_energy *e;
    sos_status status = s->costs == s->steps ? SOS_OK : costs_renew(s);
    if (!status) status = sos_example_energy(s->example, weights_of(s), false, &e, s->error);
    if (status) return status;
    for (size_t i = 0; i < s3svm_image_size(s->picture); i++)
        marked[i] = s3svm_mark_is_sure(s->marks.pixels[i]) && !s->assumed[i];
    return confidence_of(s, e, sos_example_scale(s->example), marked, small, c);
}

/* What is proposed has no energy but the log odds of single pixels; the scale makes confidence their mean size. */
static sos_status confidence_proposed(s3svm_segmenter *s, float small[], uint8_t marked[], s3svm_confidence *c)
{
    const size_t n = s3svm_image_size(s->picture);
    const float *odds = maps_of(s)->values;
    double *costs = malloc(2 * n * sizeof *costs);
    sos_energy *e = NULL;
    sos_status status = costs ? sos_energy_create(n, &e, s->error)
                              : sos_fail(s->error, SOS_ERR_MEMORY, "no memory for the costs of %zu pixels", n);
    for (size_t i = 0; i < n && !status; i++) {
        costs[i] = fmin(fmax((double)odds[i], 0), S3SVM_CONFIDENCE_MOST);
        costs[n + i] = fmin(fmax(-(double)odds[i], 0), S3SVM_CONFIDENCE_MOST);
    }
    if (!status) status = sos_energy_set_unaries(e, costs, costs + n, s->error);
    memset(marked, 0, n);
    if (!status) status = confidence_of(s, e, 1 / (double)n, marked, small, c);
    sos_energy_free(e);
    free(costs);
    return status;
}

sos_status s3svm_segmenter_confidence(s3svm_segmenter *s, float confidence[], s3svm_confidence *out, sos_error *error)
{
    const double began = sos_seconds();
    const size_t n = s3svm_image_size(s->picture);
    s3svm_confidence c = { 0 };
    s->error = error;
    if (!s->model) return sos_fail(error, SOS_ERR_ARGUMENT, "GrabCut has no model, so nothing is known of its confidence");
    if (confidence) memset(confidence, 0, s3svm_image_size(s->photograph) * sizeof *confidence);
    if (!outcome_last(s)) {
        if (out) *out = c;
        return SOS_OK;
    }
    float *small = malloc(n * sizeof *small);
    uint8_t *marked = malloc(n);
    sos_status status = small && marked ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for confidence of %zu pixels", n);
    if (!status) status = (s->steps ? confidence_marked : confidence_proposed)(s, small, marked, &c);
    if (!status && confidence) s3svm_blocks_grow(&s->blocks, small, confidence);
    if (!status && c.found) place_grow(s, &c);
    c.seconds = sos_seconds() - began;
    if (!status && out) *out = c;
    free(small);
    free(marked);
    return status;
}

/* ---------------------------------------------------------------- creation */

void s3svm_segmenter_free(s3svm_segmenter *s)
{
    if (!s) return;
    s3svm_image_free(&s->small);
    s3svm_maps_free(&s->small_maps);
    s3svm_photo_free(&s->photo);
    sos_example_free(s->example);
    s3svm_outline_photo_free(&s->around);
    free(s->response);
    s3svm_dialogue_free(s->dialogue);
    for (size_t i = 0; i < s->steps; i++) free(s->outcomes[i].packed);
    free(s->outcomes);
    free(s->proposal.packed);
    s3svm_drawn_marks_free(&s->given);
    s3svm_tidier_free(&s->tidier);
    free(s->labels);
    s3svm_image_free(&s->marks);
    free(s->assumed);
    free(s->found);
    free(s->next);
    free(s);
}

static sos_status maps_check(const s3svm_segmenter *s)
{
    const s3svm_maps *maps = s->settings.maps;
    if (s->model) return s3svm_segment_maps_check(s->model->parts, maps, s->photograph->width, s->photograph->height, s->error);
    return maps ? sos_fail(s->error, SOS_ERR_ARGUMENT, "GrabCut does not use maps") : SOS_OK;
}

static sos_status room_take(s3svm_segmenter *s)
{
    const size_t n = s3svm_image_size(s->photograph), small = s3svm_blocks_size(&s->blocks);
    sos_status status = s3svm_dialogue_create(s->photograph->width, s->photograph->height, &s->dialogue, s->error);
    if (!status) status = s3svm_drawn_marks_create(s->photograph->width, s->photograph->height, &s->given, s->error);
    s->labels = calloc(n, 1);
    s->next = malloc(n);
    s->assumed = calloc(small, 1);
    s->found = malloc(small);
    if (!status && (!s->labels || !s->next || !s->assumed || !s->found))
        status = sos_fail(s->error, SOS_ERR_MEMORY, "no memory to segment %zu by %zu pixels", s->photograph->width,
                          s->photograph->height);
    return status;
}

static sos_status look_around(s3svm_segmenter *s)
{
    const size_t n = s3svm_image_size(s->picture);
    s->response = malloc(n * sizeof *s->response);
    if (!s->response) return sos_fail(s->error, SOS_ERR_MEMORY, "no memory for responses of %zu pixels", n);
    return s3svm_outline_photo_create(s->picture, s->photo.lab, s->settings.work.threads, &s->around, s->error);
}

/* All that does not depend on the marks. */
static sos_status look(s3svm_segmenter *s)
{
    if (!s->model) return SOS_OK;
    const s3svm_segment_input in = input_of(s);
    sos_status status = s3svm_segment_example_create(s->model, &in, &s->example, s->error);
    if (!status && s->model->parts->kind == S3SVM_SEGMENT_FULL)
        status = s3svm_photo_create(s->picture, in.threads, &s->photo, s->error);
    return status || !looks_again(s) ? status : look_around(s);
}

static sos_status segmenter_prepare(s3svm_segmenter *s)
{
    const double began = sos_seconds();
    sos_status status = sos_reserved_check("s3svm_segmentation_settings", &s->settings, s->error);
    if (!status) status = sos_reserved_check("s3svm_tidying", &s->settings.tidying, s->error);
    if (!status) status = maps_check(s);
    if (!status) status = report(s, "looking at the photograph");
    if (!status) status = reduce_photograph(s);
    if (!status) status = room_take(s);
    if (!status) status = look(s);
    s->seconds_look = sos_seconds() - began;
    return status;
}

sos_status s3svm_segmenter_create(const s3svm_segment_model *model, const s3svm_image *photograph,
                                  const s3svm_segmentation_settings *settings, s3svm_segmenter **out, sos_error *error)
{
    sos_status status = s3svm_photograph_check(photograph, error);
    if (status) return status;
    s3svm_segmenter *s = malloc(sizeof *s);
    if (!s) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a segmenter");
    *s = (s3svm_segmenter){ .model = model,
                            .settings = settings ? *settings : s3svm_segmentation_defaults(),
                            .photograph = photograph,
                            .error = error };
    status = segmenter_prepare(s);
    if (status)
        s3svm_segmenter_free(s);
    else
        *out = s;
    return status;
}

/* ---------------------------------------------------------------- all steps at once */

/* As s3svm_segmenter_replay, but the labels of steps before the last are not found where they do not count. */
static sos_status replay_last(s3svm_segmenter *s, const s3svm_dialogue *d, sos_error *error)
{
    const size_t steps = s3svm_dialogue_steps(d);
    if (has_dialogues(s) || steps < 2) return s3svm_segmenter_replay(s, d, steps, error);
    s->error = error;
    sos_status status = dialogue_size_check(s, d);
    for (size_t step = 0; step < steps && !status; step++) status = step_add(s, d, step);
    return status ? status : step_solve(s);
}

/* Nothing is marked. */
static sos_status propose_first(s3svm_segmenter *s, const s3svm_dialogue *d, sos_error *error)
{
    s->error = error;
    const sos_status status = dialogue_size_check(s, d);
    return status ? status : s3svm_segmenter_propose(s, error);
}

sos_status s3svm_photograph_segment(const s3svm_segment_model *model, const s3svm_image *photograph, const s3svm_dialogue *d,
                                    const s3svm_segmentation_settings *settings, uint8_t labels[],
                                    s3svm_segmentation_result *result, sos_error *error)
{
    s3svm_segmenter *s = NULL;
    if (!d || !labels) return sos_fail(error, SOS_ERR_ARGUMENT, "no marks or no place for labels were given");
    sos_status status = s3svm_segmenter_create(model, photograph, settings, &s, error);
    if (!status) status = s3svm_dialogue_steps(d) || !has_evidence(s) ? replay_last(s, d, error) : propose_first(s, d, error);
    if (!status) memcpy(labels, s3svm_segmenter_labels(s), s3svm_image_size(photograph));
    if (!status && result) *result = s3svm_segmenter_result(s);
    s3svm_segmenter_free(s);
    return status;
}
