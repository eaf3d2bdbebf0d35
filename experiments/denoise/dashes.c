/* dashes.c - the run of the experiment "dashes". */
#include "experiments/denoise/dashes.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/drawing.h>

#include "base/clock.h"
#include "base/error.h"
#include "denoise/features.h"
#include "experiments/common/curve_recorder.h"
#include "experiments/common/progress.h"
#include "experiments/denoise/dashes_drawing.h"
#include "tasks/split.h"

static const s3svm_drawing_design DESIGNS[S3SVM_DASHES_METHODS] = { S3SVM_DESIGN_FAR_UNARIES, S3SVM_DESIGN_FAR_KEYED,
                                                                    S3SVM_DESIGN_FAR_PAIRS,   S3SVM_DESIGN_FAR_PAIR_TABLES,
                                                                    S3SVM_DESIGN_FAR_ROBUST,  S3SVM_DESIGN_FAR_COUNTS };
const char *const s3svm_dashes_names[S3SVM_DASHES_METHODS] = { "pixels alone",        "pairs of neighbours",
                                                               "all pairs of lines",  "pair tables of lines",
                                                               "robust P^n on lines", "learned functions of lines" };
const s3svm_denoise_preset *s3svm_dashes_preset(size_t method) { return s3svm_drawing_design_preset(DESIGNS[method]); }

const double s3svm_dashes_cs[S3SVM_DASHES_VALUES] = { 1e3, 1e4 };

const s3svm_rivals s3svm_dashes_rivals[S3SVM_DASHES_RIVALS] = { { 5, 0 }, { 5, 1 }, { 5, 2 }, { 5, 3 }, { 5, 4 } };

/* About what the methods take. */
static const double WORTH[S3SVM_DASHES_METHODS] = { 1, 3, 15, 20, 6, 12 };
static const double CHOSEN = 0.6; /* where choosing C ends, as a part of a step */

s3svm_spread s3svm_dashes_spread(const s3svm_dashes_results *r, size_t method, size_t offset)
{
    return s3svm_spread_of_members(r->splits, (const char *)s3svm_dashes_outcome_at(r, 0, method) + offset,
                                   S3SVM_DASHES_METHODS * sizeof(s3svm_dashes_outcome));
}

/* ---------------------------------------------------------------- drawings */

static bool counts(size_t side, size_t pixel)
{
    const size_t x = pixel % side, y = pixel / side;
    return x >= S3SVM_DASHES_FRAME && y >= S3SVM_DASHES_FRAME && x + S3SVM_DASHES_FRAME < side && y + S3SVM_DASHES_FRAME < side;
}

static sos_status drawing_make(const s3svm_dashes_plan *p, size_t i, s3svm_drawings *out, sos_error *error)
{
    enum { NAME_ROOM = 32 };
    const s3svm_noise noise = { .model = S3SVM_NOISE_PLAIN, .sigma = p->sigma, .seed = p->seed };
    s3svm_image drawn, joined;
    sos_status status = s3svm_dashes_make(p->side, s3svm_drawing_seed(p->seed, i), &drawn, &joined, error);
    if (status) return status;
    out->names[i] = malloc(NAME_ROOM);
    out->truths[i] = malloc(s3svm_image_size(&joined));
    if (out->names[i] && out->truths[i]) {
        snprintf(out->names[i], NAME_ROOM, "dashes-%02zu", i + 1);
        s3svm_drawing_truth(&joined, out->truths[i]);
        status = s3svm_noise_add(&noise, i, &drawn, &out->noisy[i], error);
    } else {
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for a drawing");
    }
    s3svm_image_free(&drawn);
    s3svm_image_free(&joined);
    return status;
}

static sos_status drawings_make(const s3svm_dashes_plan *p, s3svm_drawings *out, sos_error *error)
{
    *out = (s3svm_drawings){ .count = p->count,
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
static double ink_of(const s3svm_dashes_results *r)
{
    double judged = 0, ink = 0;
    for (size_t i = 0; i < r->drawings.count; i++)
        for (size_t k = 0; k < s3svm_plane_size(&r->drawings.noisy[i]); k++) {
            if (!counts(r->plan.side, k)) continue;
            judged++;
            ink += r->drawings.truths[i][k];
        }
    return ink / judged;
}

/* ---------------------------------------------------------------- one method on one split */

typedef struct split_run {
    s3svm_dashes_results *results;
    s3svm_progress *progress;
    size_t split, method;
    const size_t *order;
    uint8_t *care; /* of a drawing's pixels: not the frame */
    s3svm_dashes_outcome *outcome;
} split_run;

static sos_status dashes_example_make(const split_run *s, const s3svm_denoise_model *m, size_t drawing, sos_example **out,
                                      sos_error *error)
{
    const s3svm_drawings *d = &s->results->drawings;
    const s3svm_denoise_input in = { .noisy = &d->noisy[drawing] };
    sos_status status = s3svm_denoise_model_example_input(m, &in, false, out, error);
    if (!status) status = sos_example_set_truth(*out, d->truths[drawing], s->care, error);
    if (!status) status = s3svm_denoise_weigh(s3svm_dashes_preset(s->method)->ink, *out, error);
    return status;
}

static sos_status dashes_examples_make(const split_run *s, const sos_model *m, sos_example *examples[], sos_error *error)
{
    s3svm_denoise_model *prepared;
    sos_status status = s3svm_denoise_model_create(m, &prepared, error);
    if (status) return status;
    for (size_t i = 0; i < s->results->train && !status; i++)
        status = dashes_example_make(s, prepared, s->order[i], &examples[i], error);
    s3svm_denoise_model_free(prepared);
    return status;
}

/* The values of C are tried on two thirds of the drawings to learn from, and judged on the others; then all are learned from
 * with the best. */
static sos_status training_run(const split_run *s, sos_model *m, sos_example *const examples[], sos_error *error)
{
    const size_t all = s->results->train, some = all - all / 3;
    s3svm_dashes_outcome *o = s->outcome;
    sos_train_settings t = s3svm_denoise_preset_training(s3svm_dashes_preset(s->method));
    s3svm_curve_recorder f = { .progress = s->progress, .gap = t.gap, .values = S3SVM_DASHES_VALUES, .C = s3svm_dashes_cs };
    sos_path_point path[S3SVM_DASHES_VALUES];
    size_t best;
    t.work.threads = s->results->plan.threads;
    t.watch = s3svm_curve_record;
    t.work.user = &f;
    s3svm_progress_stage(s->progress, 0, CHOSEN);
    sos_status status = s3svm_curve_end(&f,
                                        sos_train_path(m, some, examples, all - some, examples + some, S3SVM_DASHES_VALUES,
                                                       s3svm_dashes_cs, &t, path, &best, error),
                                        error);
    if (status) return status;
    t.C = s3svm_dashes_cs[best];
    f = (s3svm_curve_recorder){ .progress = s->progress, .gap = t.gap };
    sos_train_result result;
    s3svm_progress_stage(s->progress, CHOSEN, 1);
    status = s3svm_curve_end(&f, sos_train(m, all, examples, &t, &result, error), error);
    if (status) return status;
    o->C = t.C;
    o->gap = result.last.gap;
    o->rounds = result.last.round;
    o->seconds_training = result.last.seconds;
    o->weights = sos_model_weight_count(m);
    return SOS_OK;
}

static sos_status model_train(const split_run *s, sos_model *m, sos_error *error)
{
    const size_t count = s->results->train;
    sos_example **examples = calloc(count, sizeof(sos_example *));
    if (!examples) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu examples", count);
    sos_status status = dashes_examples_make(s, m, examples, error);
    if (!status) status = training_run(s, m, examples, error);
    for (size_t i = 0; i < count; i++) sos_example_free(examples[i]);
    free(examples);
    return status;
}

/* Pixels of one label and the other, without the frame. */
typedef struct tally {
    double judged, wrong, both, either;
} tally;

static tally tally_of(const split_run *s, size_t n, const uint8_t labels[], const uint8_t truth[])
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

static sos_status test_judge(const split_run *s, const s3svm_denoise_model *m, sos_error *error)
{
    const s3svm_drawings *d = &s->results->drawings;
    const size_t n = s->results->plan.side * s->results->plan.side, tests = s->results->test;
    double both = 0, either = 0;
    for (size_t i = 0; i < tests; i++) {
        const size_t drawing = s->order[s->results->train + i];
        uint8_t *labels = malloc(n);
        if (!labels) return sos_fail(error, SOS_ERR_MEMORY, "no memory for labels");
        const double began = sos_seconds_of_thread();
        const sos_status status = s3svm_denoise_model_predict(m, &d->noisy[drawing], labels, error);
        s->outcome->seconds_an_image += (sos_seconds_of_thread() - began) / (double)tests;
        if (status) {
            free(labels);
            return status;
        }
        const tally t = tally_of(s, n, labels, d->truths[drawing]);
        both += t.both;
        either += t.either;
        s->outcome->error += t.wrong / t.judged / (double)tests;
        s3svm_contest_errors(&s->results->contest, s->split, s->method)[i] = t.wrong / t.judged;
        if (!s->split && i < S3SVM_DASHES_SHOWN)
            s->results->labels[s->method][i] = labels;
        else
            free(labels);
    }
    s->outcome->iou = either > 0 ? both / either : 1;
    return SOS_OK;
}

static sos_status model_judge(const split_run *s, const sos_model *m, sos_error *error)
{
    s3svm_denoise_model *prepared;
    sos_status status = s3svm_denoise_model_create(m, &prepared, error);
    if (status) return status;
    status = test_judge(s, prepared, error);
    s3svm_denoise_model_free(prepared);
    return status;
}

static sos_status dashes_model_make(const split_run *s, sos_model **out, sos_error *error)
{
    const s3svm_drawings *d = &s->results->drawings;
    const size_t train = s->results->train;
    s3svm_plane *noisy = s3svm_items_picked(d->noisy, sizeof *d->noisy, train, s->order);
    uint8_t **truths = s3svm_items_picked(d->truths, sizeof *d->truths, train, s->order);
    const sos_status status = noisy && truths ? s3svm_denoise_preset_create(s3svm_dashes_preset(s->method), train, noisy,
                                                                            (const uint8_t *const *)truths, NULL, out, error)
                                              : sos_fail(error, SOS_ERR_MEMORY, "no memory for a split");
    free(noisy);
    free(truths);
    return status;
}

static sos_status run_method(split_run *s, size_t method, sos_error *error)
{
    s->method = method;
    s->outcome = s3svm_dashes_outcome_at(s->results, s->split, method);
    s3svm_progress_begin(s->progress, WORTH[method], "split %zu, %s", s->split + 1, s3svm_dashes_names[method]);
    sos_model *m = NULL;
    sos_status status = dashes_model_make(s, &m, error);
    if (!status) status = model_train(s, m, error);
    if (!status) status = model_judge(s, m, error);
    if (!status) status = s3svm_progress_end(s->progress, error);
    if (!status && !s->split)
        s->results->models[method] = m;
    else
        sos_model_free(m);
    return status;
}

/* ---------------------------------------------------------------- the whole */

static sos_status run_split(s3svm_dashes_results *r, s3svm_progress *progress, size_t split, sos_error *error)
{
    const size_t n = r->plan.side * r->plan.side;
    size_t *order = r->orders + split * r->drawings.count;
    s3svm_split(r->drawings.count, r->plan.seed, split, order);
    s3svm_contest_begin(&r->contest, split, order + r->train);
    split_run s = { .results = r, .progress = progress, .split = split, .order = order, .care = malloc(n) };
    sos_status status = s.care ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for a split");
    for (size_t i = 0; i < n && !status; i++) s.care[i] = counts(r->plan.side, i);
    for (size_t m = 0; m < S3SVM_DASHES_METHODS && !status; m++) status = run_method(&s, m, error);
    free(s.care);
    return status;
}

static sos_status dashes_plan_check(const s3svm_dashes_plan *p, sos_error *error)
{
    enum { SIDE_LEAST = 64, SIDE_MOST = 2048, COUNT_LEAST = 6 };
    if (p->side < SIDE_LEAST || p->side > SIDE_MOST)
        return sos_fail(error, SOS_ERR_ARGUMENT, "drawings of %zu pixels a side; %d to %d are possible", p->side, SIDE_LEAST,
                        SIDE_MOST);
    if (p->count < COUNT_LEAST)
        return sos_fail(error, SOS_ERR_ARGUMENT, "%zu drawings are too few; %d are needed", p->count, COUNT_LEAST);
    return s3svm_splits_check(p->splits, error);
}

static sos_status run_all(s3svm_dashes_results *r, sos_error *error)
{
    const s3svm_dashes_plan *p = &r->plan;
    s3svm_progress progress = { .progress = p->progress, .user = p->user };
    const double began = sos_seconds();
    sos_status status = drawings_make(p, &r->drawings, error);
    if (status) return status;
    for (size_t m = 0; m < S3SVM_DASHES_METHODS; m++) progress.total += (double)p->splits * WORTH[m];
    r->train = p->count / 2;
    r->test = p->count - r->train;
    r->ink = ink_of(r);
    r->orders = calloc(p->splits * p->count, sizeof *r->orders);
    r->outcomes = calloc(p->splits * S3SVM_DASHES_METHODS, sizeof *r->outcomes);
    if (!r->orders || !r->outcomes) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the results");
    status = s3svm_contest_create(p->count, r->drawings.names, S3SVM_DASHES_METHODS, s3svm_dashes_names, p->splits, r->test,
                                  &r->contest, error);
    for (size_t split = 0; split < p->splits && !status; split++) {
        status = run_split(r, &progress, split, error);
        if (!status) r->splits = r->contest.splits = split + 1;
        r->seconds = sos_seconds() - began;
    }
    return status == SOS_CANCELLED && r->splits ? SOS_OK : status;
}

sos_status s3svm_dashes_experiment(const s3svm_dashes_plan *plan, s3svm_dashes_results *out, sos_error *error)
{
    sos_status status = dashes_plan_check(plan, error);
    if (status) return status;
    s3svm_dashes_results r = { .plan = *plan };
    status = run_all(&r, error);
    if (status)
        s3svm_dashes_results_free(&r);
    else
        *out = r;
    return status;
}

void s3svm_dashes_results_free(s3svm_dashes_results *r)
{
    for (size_t m = 0; m < S3SVM_DASHES_METHODS; m++) {
        for (size_t i = 0; i < S3SVM_DASHES_SHOWN; i++) free(r->labels[m][i]);
        sos_model_free(r->models[m]);
    }
    s3svm_contest_free(&r->contest);
    free(r->orders);
    free(r->outcomes);
    s3svm_drawings_free(&r->drawings);
    *r = (s3svm_dashes_results){ 0 };
}
