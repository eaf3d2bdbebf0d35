#include "experiments/denoise/experiment.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "denoise/features.h"
#include "tasks/photographs.h"
#include "tasks/score.h"
#include <s3svm/drawing.h>

/* Names of baselines and networks; models have theirs in design.c. */
static const char *const BASELINE_NAMES[S3SVM_METHOD_MODELS] = {
    "Threshold",    "Median filter",      "Potts, 4 neighbours",  "Potts, 8 neighbours",
    "Generic Cuts", "Potts 4 and offset", "Gen. Cuts and offset", "networks alone"
};

const char *s3svm_denoise_method_name(size_t method)
{
    return method < S3SVM_METHOD_MODELS ? BASELINE_NAMES[method]
                                        : s3svm_drawing_design_title((s3svm_drawing_design)(method - S3SVM_METHOD_MODELS));
}

const char *s3svm_denoise_noise_text(const s3svm_noise *noise, char text[S3SVM_DENOISE_NOISE_TEXT])
{
    snprintf(text, S3SVM_DENOISE_NOISE_TEXT, "%s%s, σ\u00a0=\u00a0%g", noise->model == S3SVM_NOISE_PLAIN ? "plain" : "shifted",
             noise->unclipped ? ", unclipped" : "", noise->sigma);
    return text;
}

/* Of a number of the outcomes of a method in one kind of noise. */
static s3svm_spread spread_of(const s3svm_denoise_results *r, size_t noise, size_t method, size_t offset)
{
    const s3svm_denoise_outcome *first = s3svm_denoise_outcome_at(r, noise, 0, method);
    return s3svm_spread_of_members(first->missing ? 0 : r->plan.splits, (const char *)first + offset,
                                   S3SVM_DENOISE_METHODS * sizeof *first);
}

s3svm_spread s3svm_denoise_error(const s3svm_denoise_results *r, size_t noise, size_t method)
{
    return spread_of(r, noise, method, offsetof(s3svm_denoise_outcome, error));
}

size_t s3svm_denoise_tuned_best(const s3svm_denoise_results *r, size_t noise, size_t first, size_t last)
{
    size_t best = first;
    double least = INFINITY;
    for (size_t b = first; b <= last; b++) {
        const double error = spread_of(r, noise, b, offsetof(s3svm_denoise_outcome, training_error)).mean;
        if (error < least) best = b;
        least = fmin(least, error);
    }
    return best;
}

void s3svm_denoise_rivals(const s3svm_denoise_results *r, size_t noise, s3svm_rivals out[S3SVM_DENOISE_RIVALS])
{
    enum { FIRST = S3SVM_METHOD_MODELS, PAPER = FIRST + S3SVM_DESIGN_PAPER, FULL = FIRST + S3SVM_DESIGN_FULL };
    const s3svm_rivals all[S3SVM_DENOISE_RIVALS] = {
        { PAPER, S3SVM_BASELINE_GENERIC_CUTS },
        { PAPER, s3svm_denoise_tuned_best(r, noise, S3SVM_BASELINE_POTTS4, S3SVM_BASELINE_POTTS8) },
        { PAPER, S3SVM_BASELINE_GENERIC_CUTS_OFFSET },
        { PAPER, S3SVM_BASELINE_POTTS4_OFFSET },
        { PAPER, FIRST + S3SVM_DESIGN_PAIRS8 },
        { FULL, s3svm_denoise_tuned_best(r, noise, 0, S3SVM_BASELINES - 1) },
        { FULL, PAPER },
        { FULL, S3SVM_METHOD_NETWORKS },
        { FIRST + S3SVM_DESIGN_LINES, FIRST + S3SVM_DESIGN_KEYED },
        { FIRST + S3SVM_DESIGN_LINES, FIRST + S3SVM_DESIGN_LINE_PAIRS },
        { FIRST + S3SVM_DESIGN_LINES, FIRST + S3SVM_DESIGN_LINE_PAIR_TABLES },
        { FIRST + S3SVM_DESIGN_LONG_LINES, FIRST + S3SVM_DESIGN_LINES },
        { FIRST + S3SVM_DESIGN_LONG_LINES, FIRST + S3SVM_DESIGN_LONG_LINE_PAIRS },
        { FIRST + S3SVM_DESIGN_LONG_LINES, FIRST + S3SVM_DESIGN_LONG_LINE_PAIR_TABLES },
        { FIRST + S3SVM_DESIGN_ODDS_LINES, S3SVM_METHOD_NETWORKS },
        { FIRST + S3SVM_DESIGN_ODDS_LINES, FIRST + S3SVM_DESIGN_ODDS_PAIRS },
        { FIRST + S3SVM_DESIGN_ODDS_LINES, FIRST + S3SVM_DESIGN_ODDS_LINE_PAIRS },
        { FIRST + S3SVM_DESIGN_ODDS_LINES, FIRST + S3SVM_DESIGN_ODDS_LINE_PAIR_TABLES },
        { FIRST + S3SVM_DESIGN_ODDS_LONG_LINES, S3SVM_METHOD_NETWORKS },
        { FIRST + S3SVM_DESIGN_ODDS_LONG_LINES, FIRST + S3SVM_DESIGN_ODDS_PAIRS },
        { FIRST + S3SVM_DESIGN_ODDS_LONG_LINES, FIRST + S3SVM_DESIGN_ODDS_LINES },
        { FIRST + S3SVM_DESIGN_ODDS_LONG_LINES, FIRST + S3SVM_DESIGN_ODDS_LONG_LINE_PAIRS },
        { FIRST + S3SVM_DESIGN_ODDS_LONG_LINES, FIRST + S3SVM_DESIGN_ODDS_LONG_LINE_PAIR_TABLES },
    };
    memcpy(out, all, sizeof all);
}

/* ---------------------------------------------------------------- progress */

/* What the steps are worth: about what they take. */
static double worth_of(size_t method)
{
    static const double baselines[S3SVM_METHOD_MODELS] = { 0.3, 1, 2, 2, 2, 4, 4, 1 };
    if (method < S3SVM_METHOD_MODELS) return baselines[method];
    const s3svm_drawing_design kind = (s3svm_drawing_design)(method - S3SVM_METHOD_MODELS);
    return kind == S3SVM_DESIGN_KEYED        ? 8
           : s3svm_denoise_is_directed(kind) ? 40
           : s3svm_denoise_is_on_odds(kind)  ? 12
           : kind == S3SVM_DESIGN_FULL       ? 6
                                             : 2;
}
static const double PATH_WORTH = 4, NETWORKS_WORTH = 8;

typedef bool is_of_family(s3svm_drawing_design kind);

static bool any_contends(const s3svm_denoise_plan *p, is_of_family *belongs)
{
    for (size_t kind = 0; kind < S3SVM_DENOISE_MODELS; kind++)
        if (p->contends[S3SVM_METHOD_MODELS + kind] && belongs((s3svm_drawing_design)kind)) return true;
    return false;
}

static bool has_networks(s3svm_drawing_design kind)
{
    return s3svm_design_has_networks(&s3svm_drawing_design_preset(kind)->design);
}
static bool needs_networks(const s3svm_denoise_plan *p)
{
    return p->contends[S3SVM_METHOD_NETWORKS] || any_contends(p, has_networks);
}
static bool needs_directions(const s3svm_denoise_plan *p) { return any_contends(p, s3svm_denoise_is_directed); }

static double worth_of_all(const s3svm_denoise_plan *p)
{
    double sum = needs_networks(p) ? NETWORKS_WORTH : 0;
    for (size_t m = 0; m < S3SVM_DENOISE_METHODS; m++)
        if (p->contends[m]) sum += worth_of(m);
    return (double)p->noises * ((double)p->splits * sum + (p->without_curves ? 0 : PATH_WORTH));
}

/* ---------------------------------------------------------------- drawings */

static sos_status drawing_add(const s3svm_denoise_plan *p, const s3svm_noise *noise, size_t i, s3svm_drawings *out,
                              sos_error *error)
{
    const size_t shapes = (p->count + 1) / 2;
    const bool sketch = i >= shapes;
    char name[64];
    s3svm_image picture;
    snprintf(name, sizeof name, "%s-%02zu", sketch ? "sketch" : "shapes", sketch ? i + 1 - shapes : i + 1);
    sos_status status = s3svm_drawing_make(p->width, p->height, sketch, s3svm_drawing_seed(p->drawings_seed, i), &picture,
                                           error);
    if (status) return status;
    const size_t bytes = strlen(name) + 1;
    out->names[i] = malloc(bytes);
    out->truths[i] = malloc(s3svm_image_size(&picture));
    if (out->names[i] && out->truths[i]) {
        memcpy(out->names[i], name, bytes);
        s3svm_drawing_truth(&picture, out->truths[i]);
        status = s3svm_noise_add(noise, s3svm_noise_stream(name), &picture, &out->noisy[i], error);
    } else {
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for a drawing");
    }
    s3svm_image_free(&picture);
    return status;
}

static sos_status drawings_make(const s3svm_denoise_plan *p, const s3svm_noise *noise, s3svm_drawings *out, sos_error *error)
{
    *out = (s3svm_drawings){ .count = p->count,
                             .names = calloc(p->count, sizeof *out->names),
                             .noisy = calloc(p->count, sizeof *out->noisy),
                             .truths = calloc(p->count, sizeof *out->truths) };
    sos_status status = SOS_OK;
    if (!out->names || !out->noisy || !out->truths) {
        out->count = 0;
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu drawings", p->count);
    }
    for (size_t i = 0; !status && i < p->count; i++) status = drawing_add(p, noise, i, out, error);
    if (status) s3svm_drawings_free(out);
    return status;
}

static sos_status drawings_get(const s3svm_denoise_plan *p, const s3svm_noise *noise, s3svm_drawings *out, sos_error *error)
{
    if (!p->data) return drawings_make(p, noise, out, error);
    s3svm_dataset d;
    sos_status status = s3svm_dataset_open(p->data, S3SVM_IMAGES_OPTIONAL, false, &d, error);
    if (status) return status;
    status = s3svm_drawings_load(&d, 1, noise, NULL, out, error);
    s3svm_dataset_free(&d);
    return status;
}

/* Some drawings in another order, borrowed. */
typedef struct selection {
    size_t count;
    s3svm_plane *noisy;
    const uint8_t **truths;
} selection;

static bool selection_make(const s3svm_drawings *d, size_t count, const size_t order[], selection *out)
{
    *out = (selection){ .count = count,
                        .noisy = s3svm_items_picked(d->noisy, sizeof *d->noisy, count, order),
                        .truths = s3svm_items_picked(d->truths, sizeof *d->truths, count, order) };
    return out->noisy && out->truths;
}

static void selection_free(selection *s)
{
    free(s->noisy);
    free(s->truths);
    *s = (selection){ 0 };
}

/* Features that models share: learned once, and measured once in each picture. */
typedef struct shared {
    bool there;
    double seconds; /* that learning them took */
    s3svm_denoise_features features;
    s3svm_denoise_view *train, *test; /* of each picture */
} shared;

/* One split in one kind of noise. */
typedef struct split_run {
    const s3svm_denoise_plan *plan;
    const s3svm_noise *noise;
    size_t split;
    selection train, test;
    shared greys, networks; /* directions in the noisy picture; networks, and directions in what they see */
    s3svm_progress *progress;
    s3svm_contest *contest;
    s3svm_denoise_show *show; /* NULL: not the first split */
} split_run;

static void step_begin(const split_run *s, double worth, const char *what)
{
    char text[S3SVM_DENOISE_NOISE_TEXT];
    s3svm_progress_begin(s->progress, worth, "%s, split %zu, %s", s3svm_denoise_noise_text(s->noise, text), s->split + 1, what);
}

/* ---------------------------------------------------------------- methods */

/* Gives labels to test picture i. */
typedef sos_status predictor(const void *with, size_t i, const s3svm_plane *noisy, uint8_t labels[], sos_error *error);

static sos_status predict_baseline(const void *with, size_t i, const s3svm_plane *noisy, uint8_t labels[], sos_error *error)
{
    (void)i;
    return s3svm_baseline_predict(with, noisy, labels, error);
}

/* A model with what was measured in the pictures. */
typedef struct model_ready {
    s3svm_drawing_design design;
    const s3svm_denoise_features *features;
    const sos_model *model;
    const shared *shared; /* or NULL */
} model_ready;

static const s3svm_denoise_view NOTHING_SEEN;

static sos_status denoising_example_make(const model_ready *m, const s3svm_plane *noisy, const uint8_t truth[],
                                         const s3svm_denoise_view *view, sos_example **out, sos_error *error)
{
    sos_example *x;
    const s3svm_denoise_input in = { .noisy = noisy, .truth = truth };
    sos_status status = sos_example_create(m->model, s3svm_plane_size(noisy), &x, error);
    if (status) return status;
    status = s3svm_denoise_features_apply(m->features, &in, view, x, error);
    if (status)
        sos_example_free(x);
    else
        *out = x;
    return status;
}

static sos_status predict_model(const void *with, size_t i, const s3svm_plane *noisy, uint8_t labels[], sos_error *error)
{
    const model_ready *m = with;
    sos_example *x;
    sos_status status = denoising_example_make(m, noisy, NULL, m->shared ? &m->shared->test[i] : &NOTHING_SEEN, &x, error);
    if (status) return status;
    status = sos_model_predict(m->model, x, NULL, labels, NULL, error);
    sos_example_free(x);
    return status;
}

/* errors: of the test pictures, one each. */
static sos_status judge(const split_run *s, predictor *predict, const void *with, double errors[], s3svm_denoise_outcome *o,
                        sos_error *error)
{
    for (size_t i = 0; i < s->test.count; i++) {
        const size_t n = s3svm_plane_size(&s->test.noisy[i]);
        uint8_t *labels = malloc(n);
        if (!labels) return sos_fail(error, SOS_ERR_MEMORY, "no memory for labels");
        const double began = sos_seconds(), share = 1 / (double)s->test.count;
        const sos_status status = predict(with, i, &s->test.noisy[i], labels, error);
        const double seconds = sos_seconds() - began;
        s3svm_score score = { 0 };
        if (!status) score = s3svm_score_of(n, labels, s->test.truths[i], NULL);
        free(labels);
        if (status) return status;
        errors[i] = s3svm_score_error(&score);
        o->seconds_an_image += share * seconds;
        o->error += share * errors[i];
        o->iou += share * s3svm_score_iou(&score);
    }
    return SOS_OK;
}

static sos_status run_baseline(const split_run *s, s3svm_baseline_kind kind, s3svm_denoise_outcome *o, sos_error *error)
{
    s3svm_baseline b;
    const double began = sos_seconds();
    sos_status status = s3svm_baseline_tune(kind, s->train.count, s->train.noisy, s->train.truths, s->plan->threads, &b,
                                            &o->training_error, error);
    if (status) return status;
    o->seconds_training = sos_seconds() - began;
    o->parameter = b.parameter;
    o->radius = (double)b.radius;
    o->offset = b.offset;
    if (s->show) s->show->baselines[kind] = b;
    return judge(s, predict_baseline, &b, s3svm_contest_errors(s->contest, s->split, kind), o, error);
}

static void examples_free(size_t count, sos_example **examples)
{
    for (size_t i = 0; examples && i < count; i++) sos_example_free(examples[i]);
    free(examples);
}

/* ---------------------------------------------------------------- what models share */

static void views_free(size_t count, s3svm_denoise_view *views)
{
    for (size_t i = 0; views && i < count; i++) s3svm_denoise_view_free(&views[i]);
    free(views);
}

static void shared_free(const split_run *s, shared *h)
{
    views_free(s->train.count, h->train);
    views_free(s->test.count, h->test);
    if (h->there) s3svm_denoise_features_free(&h->features);
    *h = (shared){ 0 };
}

/* Of a picture one by one, with one thread: their times are those of an image. */
static sos_status views_make(const s3svm_denoise_features *f, const selection *from, s3svm_denoise_view **out, sos_error *error)
{
    s3svm_denoise_view *views = calloc(from->count, sizeof *views);
    sos_status status = views ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pictures", from->count);
    for (size_t i = 0; i < from->count && !status; i++)
        status = s3svm_denoise_view_create(f, &from->noisy[i], 1, &views[i], error);
    *out = views;
    return status;
}

/* The features of a kind serve all kinds that need no more. */
static sos_status shared_make(const split_run *s, s3svm_drawing_design kind, shared *out, sos_error *error)
{
    s3svm_denoise_settings settings = s3svm_denoise_defaults();
    const double began = sos_seconds();
    if (s->plan->samples) settings.samples = s->plan->samples;
    settings.work.threads = s->plan->threads;
    settings.work.progress = s3svm_progress_callback;
    settings.work.user = s->progress;
    sos_status status = s3svm_denoise_features_learn(s3svm_drawing_design_preset(kind), s->train.count, s->train.noisy,
                                                     s->train.truths, &settings, &out->features, error);
    if (status) return status;
    out->there = true;
    out->seconds = sos_seconds() - began;
    status = views_make(&out->features, &s->train, &out->train, error);
    return status ? status : views_make(&out->features, &s->test, &out->test, error);
}

static sos_status shared_all(split_run *s, sos_error *error)
{
    sos_status status = SOS_OK;
    if (needs_directions(s->plan)) status = shared_make(s, S3SVM_DESIGN_LONG_LINES, &s->greys, error);
    if (status || !needs_networks(s->plan)) return status;
    s3svm_progress_begin(s->progress, NETWORKS_WORTH, "networks");
    status = shared_make(s, S3SVM_DESIGN_ODDS_LONG_LINES, &s->networks, error);
    return status ? status : s3svm_progress_end(s->progress, error);
}

/* ---------------------------------------------------------------- networks alone */

/* Ink is where log odds are above an offset. */
typedef struct networks_alone {
    const shared *shared;
    double offset;
} networks_alone;

static void odds_threshold(const s3svm_plane *response, double offset, uint8_t labels[])
{
    for (size_t i = 0; i < s3svm_plane_size(response); i++) labels[i] = (double)response->values[i] > offset;
}

static sos_status predict_networks(const void *with, size_t i, const s3svm_plane *noisy, uint8_t labels[], sos_error *error)
{
    const networks_alone *n = with;
    (void)noisy;
    (void)error;
    odds_threshold(&n->shared->test[i].response, n->offset, labels);
    return SOS_OK;
}

static double offset_error(const split_run *s, double offset)
{
    size_t wrong = 0, all = 0;
    for (size_t i = 0; i < s->train.count; i++) {
        const s3svm_plane *r = &s->networks.train[i].response;
        for (size_t k = 0; k < s3svm_plane_size(r); k++)
            wrong += ((double)r->values[k] > offset) != (s->train.truths[i][k] != 0);
        all += s3svm_plane_size(r);
    }
    return (double)wrong / (double)all;
}

static sos_status run_networks(const split_run *s, s3svm_denoise_outcome *o, sos_error *error)
{
    networks_alone n = { .shared = &s->networks };
    const double began = sos_seconds();
    o->training_error = offset_error(s, 0);
    for (int i = -40; i <= 40; i++) { /* log odds up to 2 either way */
        const double wrong = offset_error(s, 0.05 * i);
        if (wrong < o->training_error) n.offset = 0.05 * i;
        o->training_error = fmin(o->training_error, wrong);
    }
    o->seconds_training = s->networks.seconds + sos_seconds() - began;
    o->offset = n.offset;
    const sos_status status = judge(s, predict_networks, &n, s3svm_contest_errors(s->contest, s->split, S3SVM_METHOD_NETWORKS),
                                    o, error);
    for (size_t i = 0; i < s->test.count; i++)
        o->seconds_an_image += s->networks.test[i].seconds_response / (double)s->test.count;
    return status;
}

/* ---------------------------------------------------------------- models */

static const shared *shared_of(const split_run *s, s3svm_drawing_design kind)
{
    const s3svm_denoise_design *d = &s3svm_drawing_design_preset(kind)->design;
    return s3svm_design_has_networks(d) ? &s->networks : s3svm_design_has_directions(d) ? &s->greys : NULL;
}

/* What a kind takes of what is shared, borrowed. */
static s3svm_denoise_features features_of(s3svm_drawing_design kind, const shared *h)
{
    s3svm_denoise_features f = { 0 };
    if (h) f = h->features;
    snprintf(f.name, sizeof f.name, "%s", s3svm_drawing_design_preset(kind)->name);
    f.design = s3svm_drawing_design_preset(kind)->design;
    return f;
}

/* The examples of pictures first ... end - 1. */
static sos_status denoising_examples_make(const model_ready *m, const selection *from, const s3svm_denoise_view views[],
                                          bool to_learn, sos_example ***out, sos_error *error)
{
    sos_example **examples = calloc(from->count ? from->count : 1, sizeof(sos_example *));
    sos_status status = examples ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for examples");
    for (size_t i = 0; i < from->count && !status; i++) {
        status = denoising_example_make(m, &from->noisy[i], from->truths[i], views ? &views[i] : &NOTHING_SEEN, &examples[i],
                                        error);
        if (!status && to_learn) status = s3svm_denoise_weigh(s3svm_drawing_design_preset(m->design)->ink, examples[i], error);
    }
    if (status)
        examples_free(from->count, examples);
    else
        *out = examples;
    return status;
}

/* Every second picture serves to judge what the others teach, and the other way round; all errors cost alike where they are
 * judged.  So C is chosen among its usual value, a tenth and ten times of it. */
static sos_status C_choose(const split_run *s, const model_ready *m, sos_example *const examples[], sos_example *const judged[],
                           sos_train_settings *settings, sos_error *error)
{
    enum { VALUES = 3, FOLDS = 2 };
    static const double COARSE_GAP = 0.05; /* enough to tell a C from one of ten times that */
    const double values[VALUES] = { settings->C / 10, settings->C, settings->C * 10 };
    const size_t count = s->train.count;
    double losses[VALUES] = { 0 };
    sos_example **learn = calloc(count, sizeof(sos_example *)), **check = calloc(count, sizeof(sos_example *));
    sos_status status = learn && check ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for a fold");
    for (size_t fold = 0; fold < FOLDS && !status && count >= FOLDS; fold++) {
        sos_model *copy;
        sos_path_point points[VALUES];
        sos_train_settings coarse = *settings;
        size_t learned = 0, checked = 0;
        for (size_t i = 0; i < count; i++) {
            if (i % FOLDS == fold)
                check[checked++] = judged[i];
            else
                learn[learned++] = examples[i];
        }
        coarse.gap = fmax(COARSE_GAP, settings->gap);
        coarse.watch = NULL;
        status = sos_model_copy(m->model, &copy, error);
        if (status) break;
        status = sos_train_path(copy, learned, learn, checked, check, VALUES, values, &coarse, points, NULL, error);
        for (size_t v = 0; v < VALUES && !status; v++) losses[v] += points[v].validation_loss;
        sos_model_free(copy);
    }
    free(learn);
    free(check);
    size_t best = 1;
    for (size_t v = 0; v < VALUES && !status; v++)
        if (losses[v] < losses[best]) best = v;
    settings->C = values[best];
    return status;
}

static sos_status model_train(const split_run *s, const model_ready *ready, double before, sos_model *m,
                              s3svm_denoise_outcome *o, sos_error *error)
{
    const s3svm_drawing_design kind = ready->design;
    const s3svm_denoise_view *views = ready->shared ? ready->shared->train : NULL;
    const double began = sos_seconds();
    sos_example **examples = NULL, **judged = NULL;
    sos_train_settings settings = s3svm_denoise_preset_training(s3svm_drawing_design_preset(kind));
    settings.work.threads = s->plan->threads;
    sos_status status = denoising_examples_make(ready, &s->train, views, true, &examples, error);
    if (!status && s->plan->choose_C) {
        status = denoising_examples_make(ready, &s->train, views, false, &judged, error);
        if (!status) status = C_choose(s, ready, examples, judged, &settings, error);
        examples_free(judged ? s->train.count : 0, judged);
    }
    s3svm_curve_recorder f = { .progress = s->progress,
                               .gap = settings.gap,
                               .curve = s->show ? &s->show->curves[kind] : NULL,
                               .before = before + sos_seconds() - began };
    sos_train_result result;
    settings.watch = s3svm_curve_record;
    settings.work.user = &f;
    if (!status) {
        status = sos_train(m, s->train.count, examples, &settings, &result, error);
        status = s3svm_curve_end(&f, status, error);
    }
    examples_free(examples ? s->train.count : 0, examples);
    if (status) return status;
    o->seconds_training = before + sos_seconds() - began;
    o->gap = result.last.gap;
    o->rounds = result.last.round;
    o->C = settings.C;
    return SOS_OK;
}

static sos_status run_model(const split_run *s, s3svm_drawing_design kind, s3svm_denoise_outcome *o, sos_error *error)
{
    sos_model *m;
    const shared *h = shared_of(s, kind);
    const s3svm_denoise_features f = features_of(kind, h);
    sos_status status = s3svm_denoise_features_model(&f, &m, error);
    if (status) return status;
    const model_ready ready = { kind, &f, m, h };
    status = model_train(s, &ready, h ? h->seconds : 0, m, o, error);
    if (!status)
        status = judge(s, predict_model, &ready, s3svm_contest_errors(s->contest, s->split, S3SVM_METHOD_MODELS + kind), o,
                       error);
    for (size_t i = 0; h && i < s->test.count && !status; i++) {
        const s3svm_denoise_view *v = &h->test[i];
        o->seconds_an_image += (v->seconds_response + (s3svm_design_has_directions(&f.design) ? v->seconds_directions : 0)) /
                               (double)s->test.count;
    }
    if (!status && s->show)
        s->show->models[kind] = m;
    else
        sos_model_free(m);
    return status;
}

static sos_status run_method(const split_run *s, size_t method, s3svm_denoise_outcome *o, sos_error *error)
{
    *o = (s3svm_denoise_outcome){ .training_error = NAN, .parameter = NAN, .radius = NAN, .gap = NAN, .C = NAN, .offset = NAN };
    o->missing = !s->plan->contends[method];
    if (o->missing) return SOS_OK;
    step_begin(s, worth_of(method), s3svm_denoise_method_name(method));
    const sos_status status = method < S3SVM_BASELINES ? run_baseline(s, (s3svm_baseline_kind)method, o, error)
                              : method == S3SVM_METHOD_NETWORKS
                                  ? run_networks(s, o, error)
                                  : run_model(s, (s3svm_drawing_design)(method - S3SVM_METHOD_MODELS), o, error);
    return status ? status : s3svm_progress_end(s->progress, error);
}

/* ---------------------------------------------------------------- error against C */

static const double PATH_GAP = 1e-2; /* the chart shows no more than that */

static sos_status run_path(const split_run *s, s3svm_denoise_path *out, sos_error *error)
{
    sos_model *m;
    sos_example **train = NULL, **test = NULL;
    sos_path_point points[S3SVM_DENOISE_VALUES];
    s3svm_curve_recorder f = { .progress = s->progress, .gap = PATH_GAP, .values = S3SVM_DENOISE_VALUES, .C = out->C };
    const double began = sos_seconds();
    step_begin(s, PATH_WORTH, "error against C");
    const s3svm_denoise_features paper = features_of(S3SVM_DESIGN_PAPER, NULL);
    sos_status status = s3svm_denoise_features_model(&paper, &m, error);
    if (status) return status;
    const model_ready ready = { S3SVM_DESIGN_PAPER, &paper, m, NULL };
    sos_train_settings settings = s3svm_denoise_training(S3SVM_DENOISE_PAPER);
    static const double times[S3SVM_DENOISE_VALUES] = { 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10 };
    for (size_t i = 0; i < S3SVM_DENOISE_VALUES; i++) out->C[i] = settings.C * times[i];
    settings.gap = PATH_GAP;
    settings.work.threads = s->plan->threads;
    settings.watch = s3svm_curve_record;
    settings.work.user = &f;
    status = denoising_examples_make(&ready, &s->train, NULL, true, &train, error);
    if (!status) status = denoising_examples_make(&ready, &s->test, NULL, false, &test, error);
    if (!status)
        status = sos_train_path(m, s->train.count, train, s->test.count, test, S3SVM_DENOISE_VALUES, out->C, &settings, points,
                                NULL, error);
    status = s3svm_curve_end(&f, status, error);
    for (size_t i = 0; !status && i < S3SVM_DENOISE_VALUES; i++) out->error[i] = points[i].validation_loss;
    out->count = status ? 0 : S3SVM_DENOISE_VALUES;
    out->seconds = sos_seconds() - began;
    examples_free(train ? s->train.count : 0, train);
    examples_free(test ? s->test.count : 0, test);
    sos_model_free(m);
    return status ? status : s3svm_progress_end(s->progress, error);
}

/* ---------------------------------------------------------------- the whole */

/* The first test picture of either kind, by name, is shown: the kinds stand at both ends of the alphabet. */
static sos_status keep_pictures(const s3svm_drawings *d, size_t count, const size_t order[], s3svm_drawings *out,
                                sos_error *error)
{
    size_t ends[2] = { order[0], order[0] };
    for (size_t i = 0; i < count; i++) {
        if (strcmp(d->names[order[i]], d->names[ends[0]]) < 0) ends[0] = order[i];
        if (strcmp(d->names[order[i]], d->names[ends[1]]) > 0) ends[1] = order[i];
    }
    const size_t kept = ends[0] == ends[1] ? 1 : 2;
    *out = (s3svm_drawings){ .names = calloc(kept, sizeof *out->names),
                             .noisy = calloc(kept, sizeof *out->noisy),
                             .truths = calloc(kept, sizeof *out->truths) };
    if (!out->names || !out->noisy || !out->truths) return sos_fail(error, SOS_ERR_MEMORY, "no memory for pictures");
    for (size_t i = 0; i < kept; i++) {
        const size_t from = ends[i], n = s3svm_plane_size(&d->noisy[from]), bytes = strlen(d->names[from]) + 1;
        const sos_status status = s3svm_plane_create(d->noisy[from].width, d->noisy[from].height, &out->noisy[i], error);
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

static double white_error(const s3svm_drawings *d)
{
    double sum = 0;
    for (size_t i = 0; i < d->count; i++) {
        const size_t n = s3svm_plane_size(&d->noisy[i]);
        size_t ink = 0;
        for (size_t j = 0; j < n; j++) ink += d->truths[i][j];
        sum += (double)ink / (double)n;
    }
    return sum / (double)d->count;
}

/* The same drawing is never on both sides, whatever noise it has. */
static sos_status split_order(const s3svm_denoise_results *r, size_t split, const s3svm_drawings *d, size_t order[],
                              sos_error *error)
{
    uint64_t *hashes = malloc(d->count * sizeof *hashes);
    if (!hashes) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a split");
    for (size_t i = 0; i < d->count; i++) {
        const s3svm_image drawing = {
            .width = d->noisy[i].width, .height = d->noisy[i].height, .channels = 1, .pixels = d->truths[i]
        };
        hashes[i] = s3svm_photograph_hash(&drawing);
    }
    const sos_status status = s3svm_photographs_hashed_split(&r->parts, hashes, r->plan.seed, split, order, error);
    free(hashes);
    return status;
}

static sos_status run_split(s3svm_denoise_results *r, s3svm_progress *c, size_t noise, size_t split, const s3svm_drawings *d,
                            size_t order[], sos_error *error)
{
    const s3svm_parts *parts = &r->parts;
    split_run s = { .plan = &r->plan,
                    .noise = &r->plan.noise[noise],
                    .split = split,
                    .progress = c,
                    .contest = &r->contests[noise],
                    .show = split ? NULL : &r->show[noise] };
    sos_status status = SOS_OK;
    status = split_order(r, split, d, order, error);
    if (status) return status;
    s3svm_contest_begin(s.contest, split, order + parts->train);
    if (!selection_make(d, parts->train, order, &s.train) || !selection_make(d, parts->test, order + parts->train, &s.test))
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for a split");
    if (!status && s.show) status = keep_pictures(d, s.test.count, order + parts->train, &s.show->pictures, error);
    if (!status) status = shared_all(&s, error);
    for (size_t m = 0; !status && m < S3SVM_DENOISE_METHODS; m++)
        status = run_method(&s, m, s3svm_denoise_outcome_at(r, noise, split, m), error);
    if (!status && s.show && !r->plan.without_curves && r->plan.contends[S3SVM_METHOD_MODELS + S3SVM_DESIGN_PAPER])
        status = run_path(&s, &s.show->path, error);
    shared_free(&s, &s.greys);
    shared_free(&s, &s.networks);
    selection_free(&s.train);
    selection_free(&s.test);
    if (!status) s.contest->splits = split + 1;
    return status;
}

static sos_status run_noise(s3svm_denoise_results *r, s3svm_progress *c, size_t noise, sos_error *error)
{
    s3svm_drawings d;
    sos_status status = drawings_get(&r->plan, &r->plan.noise[noise], &d, error);
    if (status) return status;
    r->images = d.count;
    r->white_error = white_error(&d);
    size_t *order = malloc(d.count * sizeof *order);
    if (!order) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for a split");
    if (!status) status = s3svm_parts_find(d.count, d.count / 2, 0, &r->parts, error);
    if (!status)
        status = s3svm_contest_create(d.count, d.names, S3SVM_DENOISE_METHODS, r->method_names, r->plan.splits, r->parts.test,
                                      &r->contests[noise], error);
    for (size_t split = 0; !status && split < r->plan.splits; split++) status = run_split(r, c, noise, split, &d, order, error);
    free(order);
    s3svm_drawings_free(&d);
    return status;
}

static sos_status denoising_plan_check(const s3svm_denoise_plan *p, sos_error *error)
{
    if (!p->noises || p->noises > S3SVM_DENOISE_NOISES_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "%zu kinds of noise; 1 to %d are possible", p->noises,
                        S3SVM_DENOISE_NOISES_MAX);
    if (!p->data && p->count < 2) return sos_fail(error, SOS_ERR_ARGUMENT, "an experiment needs at least 2 drawings");
    return s3svm_splits_check(p->splits, error);
}

sos_status s3svm_denoise_experiment(const s3svm_denoise_plan *plan, s3svm_denoise_results *out, sos_error *error)
{
    sos_status status = denoising_plan_check(plan, error);
    if (status) return status;
    s3svm_denoise_results r = { .plan = *plan,
                                .method_names = calloc(S3SVM_DENOISE_METHODS, sizeof *r.method_names),
                                .outcomes = calloc(plan->noises * plan->splits * S3SVM_DENOISE_METHODS, sizeof *r.outcomes) };
    if (!r.outcomes || !r.method_names) {
        s3svm_denoise_results_free(&r);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for the results");
    }
    for (size_t m = 0; m < S3SVM_DENOISE_METHODS; m++) r.method_names[m] = s3svm_denoise_method_name(m);
    const double began = sos_seconds();
    s3svm_progress c = { .progress = plan->progress, .user = plan->user, .total = worth_of_all(plan) };
    for (size_t noise = 0; !status && noise < plan->noises; noise++) status = run_noise(&r, &c, noise, error);
    r.seconds = sos_seconds() - began;
    if (status)
        s3svm_denoise_results_free(&r);
    else
        *out = r;
    return status;
}

void s3svm_denoise_results_free(s3svm_denoise_results *r)
{
    free(r->outcomes);
    free((void *)r->method_names);
    for (size_t noise = 0; noise < S3SVM_DENOISE_NOISES_MAX; noise++) {
        s3svm_denoise_show *show = &r->show[noise];
        for (size_t kind = 0; kind < S3SVM_DENOISE_MODELS; kind++) {
            sos_model_free(show->models[kind]);
            s3svm_curve_free(&show->curves[kind]);
        }
        s3svm_drawings_free(&show->pictures);
        s3svm_contest_free(&r->contests[noise]);
    }
    *r = (s3svm_denoise_results){ 0 };
}
