/* dashes.c - the run of the experiment "dashes". */
#include "denoise/dashes.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/drawing.h>

#include "base/clock.h"
#include "base/error.h"
#include "denoise/features.h"
#include "drawing/dashes.h"
#include "tasks/course.h"
#include "tasks/follow.h"
#include "tasks/split.h"

const sos_denoise_kind sos_dashes_kinds[SOS_DASHES_METHODS] = { SOS_DENOISE_FAR_UNARIES, SOS_DENOISE_FAR_KEYED,
                                                                SOS_DENOISE_FAR_PAIRS, SOS_DENOISE_FAR_ROBUST,
                                                                SOS_DENOISE_FAR_COUNTS };
const char *const sos_dashes_names[SOS_DASHES_METHODS] = { "pixels alone", "pairs of neighbours", "all pairs of lines",
                                                           "robust P^n on lines", "learned functions of lines" };
const double sos_dashes_cs[SOS_DASHES_VALUES] = { 1e3, 1e4 };

const sos_rivals sos_dashes_rivals[SOS_DASHES_RIVALS] = { { 4, 0 }, { 4, 1 }, { 4, 2 }, { 4, 3 } };

/* About what the methods take. */
static const double WORTH[SOS_DASHES_METHODS] = { 1, 3, 15, 6, 12 };
static const double CHOSEN = 0.6; /* where choosing C ends, as a part of a step */

sos_spread sos_dashes_spread(const sos_dashes_results *r, size_t method, size_t offset)
{
    return sos_spread_of_members(r->splits, (const char *)sos_dashes_outcome_at(r, 0, method) + offset,
                                 SOS_DASHES_METHODS * sizeof(sos_dashes_outcome));
}

/* ---------------------------------------------------------------- drawings */

static bool counts(size_t side, size_t pixel)
{
    const size_t x = pixel % side, y = pixel / side;
    return x >= SOS_DASHES_FRAME && y >= SOS_DASHES_FRAME && x + SOS_DASHES_FRAME < side && y + SOS_DASHES_FRAME < side;
}

static sos_status drawing_make(const sos_dashes_plan *p, size_t i, sos_drawings *out, sos_error *error)
{
    enum { NAME_ROOM = 32 };
    const sos_noise noise = { .model = SOS_NOISE_PLAIN, .sigma = p->sigma, .seed = p->seed };
    sos_image drawn, joined;
    sos_status status = sos_dashes_make(p->side, sos_drawing_seed(p->seed, i), &drawn, &joined, error);
    if (status) return status;
    out->names[i] = malloc(NAME_ROOM);
    out->truths[i] = malloc(sos_image_size(&joined));
    if (out->names[i] && out->truths[i]) {
        snprintf(out->names[i], NAME_ROOM, "dashes-%02zu", i + 1);
        sos_drawing_truth(&joined, out->truths[i]);
        status = sos_noise_add(&noise, i, &drawn, &out->noisy[i], error);
    } else {
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for a drawing");
    }
    sos_image_free(&drawn);
    sos_image_free(&joined);
    return status;
}

static sos_status drawings_make(const sos_dashes_plan *p, sos_drawings *out, sos_error *error)
{
    *out = (sos_drawings){ .count = p->count,
                           .names = calloc(p->count, sizeof *out->names),
                           .noisy = calloc(p->count, sizeof *out->noisy),
                           .truths = calloc(p->count, sizeof *out->truths) };
    if (!out->names || !out->noisy || !out->truths) {
        out->count = 0;
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu drawings", p->count);
    }
    sos_status status = SOS_OK;
    for (size_t i = 0; i < p->count && !status; i++) status = drawing_make(p, i, out, error);
    return status;
}

/* Pixels of all drawings that are judged, and those of them that are ink. */
static double ink_of(const sos_dashes_results *r)
{
    double judged = 0, ink = 0;
    for (size_t i = 0; i < r->drawings.count; i++)
        for (size_t k = 0; k < sos_plane_size(&r->drawings.noisy[i]); k++) {
            if (!counts(r->plan.side, k)) continue;
            judged++;
            ink += r->drawings.truths[i][k];
        }
    return ink / judged;
}

/* ---------------------------------------------------------------- one method on one split */

typedef struct scene {
    sos_dashes_results *results;
    sos_course *course;
    size_t split, method;
    const size_t *order;
    uint8_t *care; /* of a drawing's pixels: not the frame */
    sos_dashes_outcome *outcome;
} scene;

static sos_status example_make(const scene *s, const sos_denoise_model *m, size_t drawing, sos_example **out, sos_error *error)
{
    const sos_drawings *d = &s->results->drawings;
    const sos_denoise_input in = { .noisy = &d->noisy[drawing] };
    sos_status status = sos_denoise_model_example_input(m, &in, false, out, error);
    if (!status) status = sos_example_set_truth(*out, d->truths[drawing], s->care, error);
    if (!status) status = sos_denoise_weigh(sos_dashes_kinds[s->method], *out, error);
    return status;
}

static sos_status examples_make(const scene *s, const sos_model *m, sos_example *examples[], sos_error *error)
{
    sos_denoise_model *prepared;
    sos_status status = sos_denoise_model_create(m, &prepared, error);
    if (status) return status;
    for (size_t i = 0; i < s->results->train && !status; i++)
        status = example_make(s, prepared, s->order[i], &examples[i], error);
    sos_denoise_model_free(prepared);
    return status;
}

/* The values of C are tried on two thirds of the drawings to learn from, and judged on the others; then all are learned from
 * with the best. */
static sos_status training_run(const scene *s, sos_model *m, sos_example *const examples[], sos_error *error)
{
    const size_t all = s->results->train, some = all - all / 3;
    sos_dashes_outcome *o = s->outcome;
    sos_train_settings t = sos_denoise_training(sos_dashes_kinds[s->method]);
    sos_follower f = { .course = s->course, .gap = t.gap, .values = SOS_DASHES_VALUES, .C = sos_dashes_cs };
    sos_path_point path[SOS_DASHES_VALUES];
    size_t best;
    t.threads = s->results->plan.threads;
    t.progress = sos_follow;
    t.user = &f;
    sos_course_stage(s->course, 0, CHOSEN);
    sos_status status = sos_follow_end(&f,
                                       sos_train_path(m, some, examples, all - some, examples + some, SOS_DASHES_VALUES,
                                                      sos_dashes_cs, &t, path, &best, error),
                                       error);
    if (status) return status;
    t.C = sos_dashes_cs[best];
    f = (sos_follower){ .course = s->course, .gap = t.gap };
    sos_train_result result;
    sos_course_stage(s->course, CHOSEN, 1);
    status = sos_follow_end(&f, sos_train(m, all, examples, &t, &result, error), error);
    if (status) return status;
    o->C = t.C;
    o->gap = result.last.gap;
    o->rounds = result.last.round;
    o->seconds_training = result.last.seconds;
    o->weights = sos_model_weight_count(m);
    return SOS_OK;
}

static sos_status model_train(const scene *s, sos_model *m, sos_error *error)
{
    const size_t count = s->results->train;
    sos_example **examples = calloc(count, sizeof(sos_example *));
    if (!examples) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu examples", count);
    sos_status status = examples_make(s, m, examples, error);
    if (!status) status = training_run(s, m, examples, error);
    for (size_t i = 0; i < count; i++) sos_example_free(examples[i]);
    free(examples);
    return status;
}

/* Pixels of one label and the other, without the frame. */
typedef struct tally {
    double judged, wrong, both, either;
} tally;

static tally tally_of(const scene *s, size_t n, const uint8_t labels[], const uint8_t truth[])
{
    tally t = { 0 };
    for (size_t i = 0; i < n; i++) {
        if (!s->care[i]) continue;
        t.judged++;
        t.wrong += labels[i] != truth[i];
        t.both += labels[i] && truth[i];
        t.either += labels[i] || truth[i];
    }
    return t;
}

static sos_status test_judge(const scene *s, const sos_denoise_model *m, sos_error *error)
{
    const sos_drawings *d = &s->results->drawings;
    const size_t n = s->results->plan.side * s->results->plan.side, tests = s->results->test;
    double both = 0, either = 0;
    for (size_t i = 0; i < tests; i++) {
        const size_t drawing = s->order[s->results->train + i];
        uint8_t *labels = malloc(n);
        if (!labels) return sos_fail(error, SOS_ERR_MEMORY, "no memory for labels");
        const double began = sos_seconds_of_thread();
        const sos_status status = sos_denoise_model_predict(m, &d->noisy[drawing], labels, error);
        s->outcome->seconds_an_image += (sos_seconds_of_thread() - began) / (double)tests;
        if (status) {
            free(labels);
            return status;
        }
        const tally t = tally_of(s, n, labels, d->truths[drawing]);
        both += t.both;
        either += t.either;
        s->outcome->error += t.wrong / t.judged / (double)tests;
        sos_contest_errors(&s->results->contest, s->split, s->method)[i] = t.wrong / t.judged;
        if (!s->split && i < SOS_DASHES_SHOWN)
            s->results->labels[s->method][i] = labels;
        else
            free(labels);
    }
    s->outcome->iou = either > 0 ? both / either : 1;
    return SOS_OK;
}

static sos_status model_judge(const scene *s, const sos_model *m, sos_error *error)
{
    sos_denoise_model *prepared;
    sos_status status = sos_denoise_model_create(m, &prepared, error);
    if (status) return status;
    status = test_judge(s, prepared, error);
    sos_denoise_model_free(prepared);
    return status;
}

static sos_status model_make(const scene *s, sos_model **out, sos_error *error)
{
    const sos_drawings *d = &s->results->drawings;
    const size_t train = s->results->train;
    sos_plane *noisy = sos_items_picked(d->noisy, sizeof *d->noisy, train, s->order);
    uint8_t **truths = sos_items_picked(d->truths, sizeof *d->truths, train, s->order);
    const sos_status status = noisy && truths ? sos_denoise_create(sos_dashes_kinds[s->method], train, noisy,
                                                                   (const uint8_t *const *)truths, NULL, out, error)
                                              : sos_fail(error, SOS_ERR_MEMORY, "no memory for a split");
    free(noisy);
    free(truths);
    return status;
}

static sos_status run_method(scene *s, size_t method, sos_error *error)
{
    s->method = method;
    s->outcome = sos_dashes_outcome_at(s->results, s->split, method);
    sos_course_begin(s->course, WORTH[method], "split %zu, %s", s->split + 1, sos_dashes_names[method]);
    sos_model *m = NULL;
    sos_status status = model_make(s, &m, error);
    if (!status) status = model_train(s, m, error);
    if (!status) status = model_judge(s, m, error);
    if (!status) status = sos_course_end(s->course, error);
    if (!status && !s->split)
        s->results->models[method] = m;
    else
        sos_model_free(m);
    return status;
}

/* ---------------------------------------------------------------- the whole */

static sos_status run_split(sos_dashes_results *r, sos_course *course, size_t split, sos_error *error)
{
    const size_t n = r->plan.side * r->plan.side;
    size_t *order = r->orders + split * r->drawings.count;
    sos_split(r->drawings.count, r->plan.seed, split, order);
    sos_contest_begin(&r->contest, split, order + r->train);
    scene s = { .results = r, .course = course, .split = split, .order = order, .care = malloc(n) };
    sos_status status = s.care ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for a split");
    for (size_t i = 0; i < n && !status; i++) s.care[i] = counts(r->plan.side, i);
    for (size_t m = 0; m < SOS_DASHES_METHODS && !status; m++) status = run_method(&s, m, error);
    free(s.care);
    return status;
}

static sos_status plan_check(const sos_dashes_plan *p, sos_error *error)
{
    enum { SIDE_LEAST = 64, SIDE_MOST = 2048, COUNT_LEAST = 6 };
    if (p->side < SIDE_LEAST || p->side > SIDE_MOST)
        return sos_fail(error, SOS_ERR_ARGUMENT, "drawings of %zu pixels a side; %d to %d are possible", p->side, SIDE_LEAST,
                        SIDE_MOST);
    if (p->count < COUNT_LEAST)
        return sos_fail(error, SOS_ERR_ARGUMENT, "%zu drawings are too few; %d are needed", p->count, COUNT_LEAST);
    return sos_splits_check(p->splits, error);
}

static sos_status run_all(sos_dashes_results *r, sos_error *error)
{
    const sos_dashes_plan *p = &r->plan;
    sos_course course = { .progress = p->progress, .user = p->user };
    const double began = sos_seconds();
    sos_status status = drawings_make(p, &r->drawings, error);
    if (status) return status;
    for (size_t m = 0; m < SOS_DASHES_METHODS; m++) course.total += (double)p->splits * WORTH[m];
    r->train = p->count / 2;
    r->test = p->count - r->train;
    r->ink = ink_of(r);
    r->orders = calloc(p->splits * p->count, sizeof *r->orders);
    r->outcomes = calloc(p->splits * SOS_DASHES_METHODS, sizeof *r->outcomes);
    if (!r->orders || !r->outcomes) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the results");
    status = sos_contest_create(p->count, r->drawings.names, SOS_DASHES_METHODS, sos_dashes_names, p->splits, r->test,
                                &r->contest, error);
    for (size_t split = 0; split < p->splits && !status; split++) {
        status = run_split(r, &course, split, error);
        if (!status) r->splits = r->contest.splits = split + 1;
        r->seconds = sos_seconds() - began;
    }
    return status == SOS_CANCELLED && r->splits ? SOS_OK : status;
}

sos_status sos_dashes_experiment(const sos_dashes_plan *plan, sos_dashes_results *out, sos_error *error)
{
    sos_status status = plan_check(plan, error);
    if (status) return status;
    sos_dashes_results r = { .plan = *plan };
    status = run_all(&r, error);
    if (status)
        sos_dashes_results_free(&r);
    else
        *out = r;
    return status;
}

void sos_dashes_results_free(sos_dashes_results *r)
{
    for (size_t m = 0; m < SOS_DASHES_METHODS; m++) {
        for (size_t i = 0; i < SOS_DASHES_SHOWN; i++) free(r->labels[m][i]);
        sos_model_free(r->models[m]);
    }
    sos_contest_free(&r->contest);
    free(r->orders);
    free(r->outcomes);
    sos_drawings_free(&r->drawings);
    *r = (sos_dashes_results){ 0 };
}
