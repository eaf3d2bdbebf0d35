#include "denoise/experiment.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include <s3svm/drawing.h>

static const char *const METHOD_NAMES[SOS_DENOISE_METHODS] = { "Threshold",           "Median filter", "Potts, 4 neighbours",
                                                               "Potts, 8 neighbours", "Generic Cuts",  "S3SVM, paper",
                                                               "S3SVM, full" };

const char *sos_denoise_method_name(size_t method) { return METHOD_NAMES[method]; }

const char *sos_denoise_noise_text(const sos_noise *noise, char text[SOS_DENOISE_NOISE_TEXT])
{
    snprintf(text, SOS_DENOISE_NOISE_TEXT, "%s%s, σ\u00a0=\u00a0%g", noise->model == SOS_NOISE_PLAIN ? "plain" : "shifted",
             noise->unclipped ? ", unclipped" : "", noise->sigma);
    return text;
}

/* Of a number of the outcomes of a method in one kind of noise. */
static sos_spread spread_of(const sos_denoise_results *r, size_t noise, size_t method, size_t offset)
{
    const sos_denoise_outcome *first = sos_denoise_outcome_at(r, noise, 0, method);
    return sos_spread_of_members(first->missing ? 0 : r->plan.splits, (const char *)first + offset,
                                 SOS_DENOISE_METHODS * sizeof *first);
}

sos_spread sos_denoise_error(const sos_denoise_results *r, size_t noise, size_t method)
{
    return spread_of(r, noise, method, offsetof(sos_denoise_outcome, error));
}

size_t sos_denoise_tuned_best(const sos_denoise_results *r, size_t noise, size_t first, size_t last)
{
    size_t best = first;
    double least = INFINITY;
    for (size_t b = first; b <= last; b++) {
        const double error = spread_of(r, noise, b, offsetof(sos_denoise_outcome, training_error)).mean;
        if (error < least) best = b;
        least = fmin(least, error);
    }
    return best;
}

void sos_denoise_rivals(const sos_denoise_results *r, size_t noise, sos_rivals out[SOS_DENOISE_RIVALS])
{
    enum { PAPER = SOS_BASELINES + SOS_DENOISE_PAPER, FULL = SOS_BASELINES + SOS_DENOISE_FULL };
    out[0] = (sos_rivals){ PAPER, SOS_BASELINE_GENERIC_CUTS };
    out[1] = (sos_rivals){ PAPER, sos_denoise_tuned_best(r, noise, SOS_BASELINE_POTTS4, SOS_BASELINE_POTTS8) };
    out[2] = (sos_rivals){ FULL, sos_denoise_tuned_best(r, noise, 0, SOS_BASELINES - 1) };
    out[3] = (sos_rivals){ FULL, PAPER };
}

/* ---------------------------------------------------------------- progress */

/* What the steps are worth: about what they take. */
static const double WORTH[SOS_DENOISE_METHODS] = { 0.3, 1, 2, 2, 2, 2, 12 };
static const double PATH_WORTH = 4;

static double worth_of_all(const sos_denoise_plan *p)
{
    double sum = 0;
    for (size_t m = 0; m < SOS_DENOISE_METHODS; m++)
        if (!(p->without_full && m == SOS_DENOISE_METHODS - 1)) sum += WORTH[m];
    return (double)p->noises * ((double)p->splits * sum + (p->without_curves ? 0 : PATH_WORTH));
}

static const double FEATURES_PART = 0.3; /* of the step of a model; the rest is training */

/* ---------------------------------------------------------------- drawings */

static sos_status drawing_add(const sos_denoise_plan *p, const sos_noise *noise, size_t i, sos_drawings *out, sos_error *error)
{
    const size_t shapes = (p->count + 1) / 2;
    const bool sketch = i >= shapes;
    char name[64];
    sos_image picture;
    snprintf(name, sizeof name, "%s-%02zu", sketch ? "sketch" : "shapes", sketch ? i + 1 - shapes : i + 1);
    sos_status status = sos_drawing_make(p->width, p->height, sketch, sos_drawing_seed(p->drawings_seed, i), &picture, error);
    if (status) return status;
    const size_t bytes = strlen(name) + 1;
    out->names[i] = malloc(bytes);
    out->truths[i] = malloc(sos_image_size(&picture));
    if (out->names[i] && out->truths[i]) {
        memcpy(out->names[i], name, bytes);
        sos_drawing_truth(&picture, out->truths[i]);
        status = sos_noise_add(noise, sos_noise_stream(name), &picture, &out->noisy[i], error);
    } else {
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for a drawing");
    }
    sos_image_free(&picture);
    return status;
}

static sos_status drawings_make(const sos_denoise_plan *p, const sos_noise *noise, sos_drawings *out, sos_error *error)
{
    *out = (sos_drawings){ .count = p->count,
                           .names = calloc(p->count, sizeof *out->names),
                           .noisy = calloc(p->count, sizeof *out->noisy),
                           .truths = calloc(p->count, sizeof *out->truths) };
    sos_status status = SOS_OK;
    if (!out->names || !out->noisy || !out->truths) {
        out->count = 0;
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu drawings", p->count);
    }
    for (size_t i = 0; !status && i < p->count; i++) status = drawing_add(p, noise, i, out, error);
    if (status) sos_drawings_free(out);
    return status;
}

static sos_status drawings_get(const sos_denoise_plan *p, const sos_noise *noise, sos_drawings *out, sos_error *error)
{
    if (!p->data) return drawings_make(p, noise, out, error);
    sos_dataset d;
    sos_status status = sos_dataset_open(p->data, SOS_IMAGES_OPTIONAL, false, &d, error);
    if (status) return status;
    status = sos_drawings_load(&d, 1, noise, out, error);
    sos_dataset_free(&d);
    return status;
}

/* Some drawings in another order, borrowed. */
typedef struct selection {
    size_t count;
    sos_plane *noisy;
    const uint8_t **truths;
} selection;

static bool selection_make(const sos_drawings *d, size_t count, const size_t order[], selection *out)
{
    *out = (selection){ .count = count,
                        .noisy = sos_items_picked(d->noisy, sizeof *d->noisy, count, order),
                        .truths = sos_items_picked(d->truths, sizeof *d->truths, count, order) };
    return out->noisy && out->truths;
}

static void selection_free(selection *s)
{
    free(s->noisy);
    free(s->truths);
    *s = (selection){ 0 };
}

/* One split in one kind of noise. */
typedef struct scene {
    const sos_denoise_plan *plan;
    const sos_noise *noise;
    size_t split;
    selection train, test;
    sos_course *course;
    sos_contest *contest;
    sos_denoise_show *show; /* NULL: not the first split */
} scene;

static void step_begin(const scene *s, double worth, const char *what)
{
    char text[SOS_DENOISE_NOISE_TEXT];
    sos_course_begin(s->course, worth, "%s, split %zu, %s", sos_denoise_noise_text(s->noise, text), s->split + 1, what);
}

/* ---------------------------------------------------------------- methods */

/* Gives labels to one picture. */
typedef sos_status predictor(const void *with, const sos_plane *noisy, uint8_t labels[], sos_error *error);

static sos_status predict_baseline(const void *with, const sos_plane *noisy, uint8_t labels[], sos_error *error)
{
    return sos_baseline_predict(with, noisy, labels, error);
}

static sos_status predict_model(const void *with, const sos_plane *noisy, uint8_t labels[], sos_error *error)
{
    return sos_denoise_model_predict(with, noisy, labels, error);
}

/* errors: of the test pictures, one each. */
static sos_status judge(const scene *s, predictor *predict, const void *with, double errors[], sos_denoise_outcome *o,
                        sos_error *error)
{
    for (size_t i = 0; i < s->test.count; i++) {
        const size_t n = sos_plane_size(&s->test.noisy[i]);
        uint8_t *labels = malloc(n);
        if (!labels) return sos_fail(error, SOS_ERR_MEMORY, "no memory for labels");
        const double began = sos_seconds(), share = 1 / (double)s->test.count;
        const sos_status status = predict(with, &s->test.noisy[i], labels, error);
        const double seconds = sos_seconds() - began;
        sos_score score = { 0 };
        if (!status) score = sos_score_of(n, labels, s->test.truths[i]);
        free(labels);
        if (status) return status;
        errors[i] = sos_score_error(&score);
        o->seconds_an_image += share * seconds;
        o->error += share * errors[i];
        o->iou += share * sos_score_iou(&score);
    }
    return SOS_OK;
}

static sos_status run_baseline(const scene *s, sos_baseline_kind kind, sos_denoise_outcome *o, sos_error *error)
{
    sos_baseline b;
    const double began = sos_seconds();
    sos_status status = sos_baseline_tune(kind, s->train.count, s->train.noisy, s->train.truths, s->plan->threads, &b,
                                          &o->training_error, error);
    if (status) return status;
    o->seconds_training = sos_seconds() - began;
    o->parameter = b.parameter;
    o->radius = (double)b.radius;
    if (s->show) s->show->baselines[kind] = b;
    return judge(s, predict_baseline, &b, sos_contest_errors(s->contest, s->split, kind), o, error);
}

static void examples_free(size_t count, sos_example **examples)
{
    for (size_t i = 0; examples && i < count; i++) sos_example_free(examples[i]);
    free(examples);
}

static sos_status examples_make(const sos_model *m, const selection *from, bool to_learn, sos_example ***out, sos_error *error)
{
    sos_denoise_model *p;
    sos_example **examples = calloc(from->count ? from->count : 1, sizeof(sos_example *));
    if (!examples) return sos_fail(error, SOS_ERR_MEMORY, "no memory for examples");
    sos_status status = sos_denoise_model_create(m, &p, error);
    if (!status) {
        status = sos_denoise_model_examples(p, from->count, from->noisy, from->truths, to_learn, NULL, examples, error);
        sos_denoise_model_free(p);
    }
    if (status)
        free(examples);
    else
        *out = examples;
    return status;
}

static sos_status model_make(const scene *s, sos_denoise_kind kind, sos_model **out, sos_error *error)
{
    sos_denoise_settings settings = sos_denoise_defaults();
    if (s->plan->samples) settings.samples = s->plan->samples;
    settings.threads = s->plan->threads;
    settings.progress = sos_course_progress;
    settings.user = s->course;
    return sos_denoise_create(kind, s->train.count, s->train.noisy, s->train.truths, &settings, out, error);
}

static sos_status model_train(const scene *s, sos_denoise_kind kind, double began, sos_model *m, sos_denoise_outcome *o,
                              sos_error *error)
{
    sos_example **examples;
    sos_status status = examples_make(m, &s->train, true, &examples, error);
    if (status) return status;
    sos_train_settings settings = sos_denoise_training(kind);
    sos_follower f = { .course = s->course,
                       .gap = settings.gap,
                       .curve = s->show ? &s->show->curves[kind] : NULL,
                       .before = sos_seconds() - began };
    sos_train_result result;
    settings.threads = s->plan->threads;
    settings.progress = sos_follow;
    settings.user = &f;
    status = sos_train(m, s->train.count, examples, &settings, &result, error);
    examples_free(s->train.count, examples);
    status = sos_follow_end(&f, status, error);
    if (status) return status;
    o->seconds_training = sos_seconds() - began;
    o->gap = result.last.gap;
    o->rounds = result.last.round;
    return SOS_OK;
}

static sos_status model_judge(const scene *s, sos_denoise_kind kind, const sos_model *m, sos_denoise_outcome *o,
                              sos_error *error)
{
    sos_denoise_model *p;
    sos_status status = sos_denoise_model_create(m, &p, error);
    if (status) return status;
    status = judge(s, predict_model, p, sos_contest_errors(s->contest, s->split, SOS_BASELINES + kind), o, error);
    sos_denoise_model_free(p);
    return status;
}

static sos_status run_model(const scene *s, sos_denoise_kind kind, sos_denoise_outcome *o, sos_error *error)
{
    sos_model *m;
    const double began = sos_seconds();
    sos_course_stage(s->course, 0, FEATURES_PART);
    sos_status status = model_make(s, kind, &m, error);
    if (status) return status;
    sos_course_stage(s->course, FEATURES_PART, 1);
    status = model_train(s, kind, began, m, o, error);
    if (!status) status = model_judge(s, kind, m, o, error);
    if (!status && s->show)
        s->show->models[kind] = m;
    else
        sos_model_free(m);
    return status;
}

static sos_status run_method(const scene *s, size_t method, sos_denoise_outcome *o, sos_error *error)
{
    *o = (sos_denoise_outcome){ .training_error = NAN, .parameter = NAN, .radius = NAN, .gap = NAN };
    o->missing = s->plan->without_full && method == SOS_DENOISE_METHODS - 1;
    if (o->missing) return SOS_OK;
    step_begin(s, WORTH[method], METHOD_NAMES[method]);
    const sos_status status = method < SOS_BASELINES ? run_baseline(s, (sos_baseline_kind)method, o, error)
                                                     : run_model(s, (sos_denoise_kind)(method - SOS_BASELINES), o, error);
    return status ? status : sos_course_end(s->course, error);
}

/* ---------------------------------------------------------------- error against C */

static const double PATH_GAP = 1e-2; /* the chart shows no more than that */

static sos_status run_path(const scene *s, sos_denoise_path *out, sos_error *error)
{
    sos_model *m;
    sos_example **train = NULL, **test = NULL;
    sos_path_point points[SOS_DENOISE_VALUES];
    sos_follower f = { .course = s->course, .gap = PATH_GAP, .values = SOS_DENOISE_VALUES, .C = out->C };
    const double began = sos_seconds();
    step_begin(s, PATH_WORTH, "error against C");
    sos_status status = model_make(s, SOS_DENOISE_PAPER, &m, error);
    if (status) return status;
    sos_train_settings settings = sos_denoise_training(SOS_DENOISE_PAPER);
    static const double times[SOS_DENOISE_VALUES] = { 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10 };
    for (size_t i = 0; i < SOS_DENOISE_VALUES; i++) out->C[i] = settings.C * times[i];
    settings.gap = PATH_GAP;
    settings.threads = s->plan->threads;
    settings.progress = sos_follow;
    settings.user = &f;
    status = examples_make(m, &s->train, true, &train, error);
    if (!status) status = examples_make(m, &s->test, false, &test, error);
    if (!status)
        status = sos_train_path(m, s->train.count, train, s->test.count, test, SOS_DENOISE_VALUES, out->C, &settings, points,
                                NULL, error);
    status = sos_follow_end(&f, status, error);
    for (size_t i = 0; !status && i < SOS_DENOISE_VALUES; i++) out->error[i] = points[i].validation_loss;
    out->count = status ? 0 : SOS_DENOISE_VALUES;
    out->seconds = sos_seconds() - began;
    examples_free(train ? s->train.count : 0, train);
    examples_free(test ? s->test.count : 0, test);
    sos_model_free(m);
    return status ? status : sos_course_end(s->course, error);
}

/* ---------------------------------------------------------------- the whole */

/* The first test picture of either kind, by name, is shown: the kinds stand at both ends of the alphabet. */
static sos_status keep_pictures(const sos_drawings *d, size_t count, const size_t order[], sos_drawings *out, sos_error *error)
{
    size_t ends[2] = { order[0], order[0] };
    for (size_t i = 0; i < count; i++) {
        if (strcmp(d->names[order[i]], d->names[ends[0]]) < 0) ends[0] = order[i];
        if (strcmp(d->names[order[i]], d->names[ends[1]]) > 0) ends[1] = order[i];
    }
    const size_t kept = ends[0] == ends[1] ? 1 : 2;
    *out = (sos_drawings){ .names = calloc(kept, sizeof *out->names),
                           .noisy = calloc(kept, sizeof *out->noisy),
                           .truths = calloc(kept, sizeof *out->truths) };
    if (!out->names || !out->noisy || !out->truths) return sos_fail(error, SOS_ERR_MEMORY, "no memory for pictures");
    for (size_t i = 0; i < kept; i++) {
        const size_t from = ends[i], n = sos_plane_size(&d->noisy[from]), bytes = strlen(d->names[from]) + 1;
        const sos_status status = sos_plane_create(d->noisy[from].width, d->noisy[from].height, &out->noisy[i], error);
        if (status) return status;
        out->count = i + 1;
        out->names[i] = malloc(bytes);
        out->truths[i] = malloc(n);
        if (!out->names[i] || !out->truths[i]) return sos_fail(error, SOS_ERR_MEMORY, "no memory for pictures");
        memcpy(out->names[i], d->names[from], bytes);
        memcpy(out->truths[i], d->truths[from], n);
        memcpy(out->noisy[i].values, d->noisy[from].values, n * sizeof(float));
    }
    return SOS_OK;
}

static double white_error(const sos_drawings *d)
{
    double sum = 0;
    for (size_t i = 0; i < d->count; i++) {
        const size_t n = sos_plane_size(&d->noisy[i]);
        size_t ink = 0;
        for (size_t j = 0; j < n; j++) ink += d->truths[i][j];
        sum += (double)ink / (double)n;
    }
    return sum / (double)d->count;
}

static sos_status run_split(sos_denoise_results *r, sos_course *c, size_t noise, size_t split, const sos_drawings *d,
                            size_t order[], sos_error *error)
{
    const sos_parts *parts = &r->parts;
    scene s = { .plan = &r->plan,
                .noise = &r->plan.noise[noise],
                .split = split,
                .course = c,
                .contest = &r->contests[noise],
                .show = split ? NULL : &r->show[noise] };
    sos_status status = SOS_OK;
    sos_split(d->count, r->plan.seed, split, order);
    sos_contest_begin(s.contest, split, order + parts->train);
    if (!selection_make(d, parts->train, order, &s.train) || !selection_make(d, parts->test, order + parts->train, &s.test))
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for a split");
    if (!status && s.show) status = keep_pictures(d, s.test.count, order + parts->train, &s.show->pictures, error);
    for (size_t m = 0; !status && m < SOS_DENOISE_METHODS; m++)
        status = run_method(&s, m, sos_denoise_outcome_at(r, noise, split, m), error);
    if (!status && s.show && !r->plan.without_curves) status = run_path(&s, &s.show->path, error);
    selection_free(&s.train);
    selection_free(&s.test);
    if (!status) s.contest->splits = split + 1;
    return status;
}

static sos_status run_noise(sos_denoise_results *r, sos_course *c, size_t noise, sos_error *error)
{
    sos_drawings d;
    sos_status status = drawings_get(&r->plan, &r->plan.noise[noise], &d, error);
    if (status) return status;
    r->images = d.count;
    r->white_error = white_error(&d);
    size_t *order = malloc(d.count * sizeof *order);
    if (!order) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for a split");
    if (!status) status = sos_parts_find(d.count, d.count / 2, 0, &r->parts, error);
    if (!status)
        status = sos_contest_create(d.count, d.names, SOS_DENOISE_METHODS, METHOD_NAMES, r->plan.splits, r->parts.test,
                                    &r->contests[noise], error);
    for (size_t split = 0; !status && split < r->plan.splits; split++) status = run_split(r, c, noise, split, &d, order, error);
    free(order);
    sos_drawings_free(&d);
    return status;
}

static sos_status plan_check(const sos_denoise_plan *p, sos_error *error)
{
    if (!p->noises || p->noises > SOS_DENOISE_NOISES_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "%zu kinds of noise; 1 to %d are possible", p->noises, SOS_DENOISE_NOISES_MAX);
    if (!p->data && p->count < 2) return sos_fail(error, SOS_ERR_ARGUMENT, "an experiment needs at least 2 drawings");
    return sos_splits_check(p->splits, error);
}

sos_status sos_denoise_experiment(const sos_denoise_plan *plan, sos_denoise_results *out, sos_error *error)
{
    sos_status status = plan_check(plan, error);
    if (status) return status;
    sos_denoise_results r = { .plan = *plan,
                              .outcomes = calloc(plan->noises * plan->splits * SOS_DENOISE_METHODS, sizeof *r.outcomes) };
    if (!r.outcomes) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the results");
    const double began = sos_seconds();
    sos_course c = { .progress = plan->progress, .user = plan->user, .total = worth_of_all(plan) };
    for (size_t noise = 0; !status && noise < plan->noises; noise++) status = run_noise(&r, &c, noise, error);
    r.seconds = sos_seconds() - began;
    if (status)
        sos_denoise_results_free(&r);
    else
        *out = r;
    return status;
}

void sos_denoise_results_free(sos_denoise_results *r)
{
    free(r->outcomes);
    for (size_t noise = 0; noise < SOS_DENOISE_NOISES_MAX; noise++) {
        sos_denoise_show *show = &r->show[noise];
        for (size_t kind = 0; kind < SOS_DENOISE_MODELS; kind++) {
            sos_model_free(show->models[kind]);
            sos_curve_free(&show->curves[kind]);
        }
        sos_drawings_free(&show->pictures);
        sos_contest_free(&r->contests[noise]);
    }
    *r = (sos_denoise_results){ 0 };
}
