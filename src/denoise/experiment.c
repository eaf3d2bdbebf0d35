#include "denoise/experiment.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "denoise/features.h"
#include <s3svm/drawing.h>

/* Names of baselines and networks; models have theirs in design.c. */
static const char *const BASELINE_NAMES[SOS_METHOD_MODELS] = {
    "Threshold",    "Median filter",      "Potts, 4 neighbours",  "Potts, 8 neighbours",
    "Generic Cuts", "Potts 4 and offset", "Gen. Cuts and offset", "networks alone"
};

const char *sos_denoise_method_name(size_t method)
{
    return method < SOS_METHOD_MODELS ? BASELINE_NAMES[method]
                                      : sos_denoise_preset_of((sos_denoise_kind)(method - SOS_METHOD_MODELS))->title;
}

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
    enum { FIRST = SOS_METHOD_MODELS, PAPER = FIRST + SOS_DENOISE_PAPER, FULL = FIRST + SOS_DENOISE_FULL };
    const sos_rivals all[SOS_DENOISE_RIVALS] = {
        { PAPER, SOS_BASELINE_GENERIC_CUTS },
        { PAPER, sos_denoise_tuned_best(r, noise, SOS_BASELINE_POTTS4, SOS_BASELINE_POTTS8) },
        { PAPER, SOS_BASELINE_GENERIC_CUTS_OFFSET },
        { PAPER, SOS_BASELINE_POTTS4_OFFSET },
        { PAPER, FIRST + SOS_DENOISE_PAIRS8 },
        { FULL, sos_denoise_tuned_best(r, noise, 0, SOS_BASELINES - 1) },
        { FULL, PAPER },
        { FULL, SOS_METHOD_NETWORKS },
        { FIRST + SOS_DENOISE_LINES, FIRST + SOS_DENOISE_KEYED },
        { FIRST + SOS_DENOISE_LINES, FIRST + SOS_DENOISE_LINE_PAIRS },
        { FIRST + SOS_DENOISE_LINES, FIRST + SOS_DENOISE_LINE_PAIR_TABLES },
        { FIRST + SOS_DENOISE_LONG_LINES, FIRST + SOS_DENOISE_LINES },
        { FIRST + SOS_DENOISE_LONG_LINES, FIRST + SOS_DENOISE_LONG_LINE_PAIRS },
        { FIRST + SOS_DENOISE_LONG_LINES, FIRST + SOS_DENOISE_LONG_LINE_PAIR_TABLES },
        { FIRST + SOS_DENOISE_ODDS_LINES, SOS_METHOD_NETWORKS },
        { FIRST + SOS_DENOISE_ODDS_LINES, FIRST + SOS_DENOISE_ODDS_PAIRS },
        { FIRST + SOS_DENOISE_ODDS_LINES, FIRST + SOS_DENOISE_ODDS_LINE_PAIRS },
        { FIRST + SOS_DENOISE_ODDS_LONG_LINES, SOS_METHOD_NETWORKS },
        { FIRST + SOS_DENOISE_ODDS_LONG_LINES, FIRST + SOS_DENOISE_ODDS_PAIRS },
        { FIRST + SOS_DENOISE_ODDS_LONG_LINES, FIRST + SOS_DENOISE_ODDS_LINES },
        { FIRST + SOS_DENOISE_ODDS_LONG_LINES, FIRST + SOS_DENOISE_ODDS_LONG_LINE_PAIRS },
    };
    memcpy(out, all, sizeof all);
}

/* ---------------------------------------------------------------- progress */

/* What the steps are worth: about what they take. */
static double worth_of(size_t method)
{
    static const double baselines[SOS_METHOD_MODELS] = { 0.3, 1, 2, 2, 2, 4, 4, 1 };
    if (method < SOS_METHOD_MODELS) return baselines[method];
    const sos_denoise_kind kind = (sos_denoise_kind)(method - SOS_METHOD_MODELS);
    return kind == SOS_DENOISE_KEYED       ? 8
           : sos_denoise_is_directed(kind) ? 40
           : sos_denoise_is_on_odds(kind)  ? 12
           : kind == SOS_DENOISE_FULL      ? 6
                                           : 2;
}
static const double PATH_WORTH = 4, NETWORKS_WORTH = 8;

typedef bool is_of_family(sos_denoise_kind kind);

static bool any_contends(const sos_denoise_plan *p, is_of_family *belongs)
{
    for (size_t kind = 0; kind < SOS_DENOISE_MODELS; kind++)
        if (p->contends[SOS_METHOD_MODELS + kind] && belongs((sos_denoise_kind)kind)) return true;
    return false;
}

static bool has_networks(sos_denoise_kind kind) { return sos_design_has_networks(&sos_denoise_preset_of(kind)->design); }
static bool needs_networks(const sos_denoise_plan *p)
{
    return p->contends[SOS_METHOD_NETWORKS] || any_contends(p, has_networks);
}
static bool needs_directions(const sos_denoise_plan *p) { return any_contends(p, sos_denoise_is_directed); }

static double worth_of_all(const sos_denoise_plan *p)
{
    double sum = needs_networks(p) ? NETWORKS_WORTH : 0;
    for (size_t m = 0; m < SOS_DENOISE_METHODS; m++)
        if (p->contends[m]) sum += worth_of(m);
    return (double)p->noises * ((double)p->splits * sum + (p->without_curves ? 0 : PATH_WORTH));
}

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
    status = sos_drawings_load(&d, 1, noise, NULL, out, error);
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

/* Features that models share: learned once, and measured once in each picture. */
typedef struct shared {
    bool there;
    double seconds; /* that learning them took */
    sos_denoise_features features;
    sos_denoise_view *train, *test; /* of each picture */
} shared;

/* One split in one kind of noise. */
typedef struct scene {
    const sos_denoise_plan *plan;
    const sos_noise *noise;
    size_t split;
    selection train, test;
    shared greys, networks; /* directions in the noisy picture; networks, and directions in what they see */
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

/* Gives labels to test picture i. */
typedef sos_status predictor(const void *with, size_t i, const sos_plane *noisy, uint8_t labels[], sos_error *error);

static sos_status predict_baseline(const void *with, size_t i, const sos_plane *noisy, uint8_t labels[], sos_error *error)
{
    (void)i;
    return sos_baseline_predict(with, noisy, labels, error);
}

/* A model with what was measured in the pictures. */
typedef struct model_ready {
    const sos_denoise_features *features;
    const sos_model *model;
    const shared *shared; /* or NULL */
} model_ready;

static const sos_denoise_view NOTHING_SEEN;

static sos_status example_make(const model_ready *m, const sos_plane *noisy, const uint8_t truth[],
                               const sos_denoise_view *view, sos_example **out, sos_error *error)
{
    sos_example *x;
    const sos_denoise_input in = { .noisy = noisy, .truth = truth };
    sos_status status = sos_example_create(m->model, sos_plane_size(noisy), &x, error);
    if (status) return status;
    status = sos_denoise_features_apply(m->features, &in, view, x, error);
    if (status)
        sos_example_free(x);
    else
        *out = x;
    return status;
}

static sos_status predict_model(const void *with, size_t i, const sos_plane *noisy, uint8_t labels[], sos_error *error)
{
    const model_ready *m = with;
    sos_example *x;
    sos_status status = example_make(m, noisy, NULL, m->shared ? &m->shared->test[i] : &NOTHING_SEEN, &x, error);
    if (status) return status;
    status = sos_model_predict(m->model, x, NULL, labels, NULL, error);
    sos_example_free(x);
    return status;
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
        const sos_status status = predict(with, i, &s->test.noisy[i], labels, error);
        const double seconds = sos_seconds() - began;
        sos_score score = { 0 };
        if (!status) score = sos_score_of(n, labels, s->test.truths[i], NULL);
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
    o->offset = b.offset;
    if (s->show) s->show->baselines[kind] = b;
    return judge(s, predict_baseline, &b, sos_contest_errors(s->contest, s->split, kind), o, error);
}

static void examples_free(size_t count, sos_example **examples)
{
    for (size_t i = 0; examples && i < count; i++) sos_example_free(examples[i]);
    free(examples);
}

/* ---------------------------------------------------------------- what models share */

static void views_free(size_t count, sos_denoise_view *views)
{
    for (size_t i = 0; views && i < count; i++) sos_denoise_view_free(&views[i]);
    free(views);
}

static void shared_free(const scene *s, shared *h)
{
    views_free(s->train.count, h->train);
    views_free(s->test.count, h->test);
    if (h->there) sos_denoise_features_free(&h->features);
    *h = (shared){ 0 };
}

/* Of a picture one by one, with one thread: their times are those of an image. */
static sos_status views_make(const sos_denoise_features *f, const selection *from, sos_denoise_view **out, sos_error *error)
{
    sos_denoise_view *views = calloc(from->count, sizeof *views);
    sos_status status = views ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pictures", from->count);
    for (size_t i = 0; i < from->count && !status; i++)
        status = sos_denoise_view_create(f, &from->noisy[i], 1, &views[i], error);
    *out = views;
    return status;
}

/* The features of a kind serve all kinds that need no more. */
static sos_status shared_make(const scene *s, sos_denoise_kind kind, shared *out, sos_error *error)
{
    sos_denoise_settings settings = sos_denoise_defaults();
    const double began = sos_seconds();
    if (s->plan->samples) settings.samples = s->plan->samples;
    settings.threads = s->plan->threads;
    settings.progress = sos_course_progress;
    settings.user = s->course;
    sos_status status = sos_denoise_features_learn(kind, s->train.count, s->train.noisy, s->train.truths, &settings,
                                                   &out->features, error);
    if (status) return status;
    out->there = true;
    out->seconds = sos_seconds() - began;
    status = views_make(&out->features, &s->train, &out->train, error);
    return status ? status : views_make(&out->features, &s->test, &out->test, error);
}

static sos_status shared_all(scene *s, sos_error *error)
{
    sos_status status = SOS_OK;
    if (needs_directions(s->plan)) status = shared_make(s, SOS_DENOISE_LONG_LINES, &s->greys, error);
    if (status || !needs_networks(s->plan)) return status;
    sos_course_begin(s->course, NETWORKS_WORTH, "networks");
    status = shared_make(s, SOS_DENOISE_ODDS_LONG_LINES, &s->networks, error);
    return status ? status : sos_course_end(s->course, error);
}

/* ---------------------------------------------------------------- networks alone */

/* Ink is where log odds are above an offset. */
typedef struct networks_alone {
    const shared *shared;
    double offset;
} networks_alone;

static void odds_threshold(const sos_plane *response, double offset, uint8_t labels[])
{
    for (size_t i = 0; i < sos_plane_size(response); i++) labels[i] = (double)response->values[i] > offset;
}

static sos_status predict_networks(const void *with, size_t i, const sos_plane *noisy, uint8_t labels[], sos_error *error)
{
    const networks_alone *n = with;
    (void)noisy;
    (void)error;
    odds_threshold(&n->shared->test[i].response, n->offset, labels);
    return SOS_OK;
}

static double offset_error(const scene *s, double offset)
{
    size_t wrong = 0, all = 0;
    for (size_t i = 0; i < s->train.count; i++) {
        const sos_plane *r = &s->networks.train[i].response;
        for (size_t k = 0; k < sos_plane_size(r); k++) wrong += ((double)r->values[k] > offset) != (s->train.truths[i][k] != 0);
        all += sos_plane_size(r);
    }
    return (double)wrong / (double)all;
}

static sos_status run_networks(const scene *s, sos_denoise_outcome *o, sos_error *error)
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
    const sos_status status = judge(s, predict_networks, &n, sos_contest_errors(s->contest, s->split, SOS_METHOD_NETWORKS), o,
                                    error);
    for (size_t i = 0; i < s->test.count; i++)
        o->seconds_an_image += s->networks.test[i].seconds_response / (double)s->test.count;
    return status;
}

/* ---------------------------------------------------------------- models */

static const shared *shared_of(const scene *s, sos_denoise_kind kind)
{
    const sos_denoise_design *d = &sos_denoise_preset_of(kind)->design;
    return sos_design_has_networks(d) ? &s->networks : sos_design_has_directions(d) ? &s->greys : NULL;
}

/* What a kind takes of what is shared, borrowed. */
static sos_denoise_features features_of(sos_denoise_kind kind, const shared *h)
{
    sos_denoise_features f = { 0 };
    if (h) f = h->features;
    f.kind = kind;
    f.design = sos_denoise_preset_of(kind)->design;
    return f;
}

/* The examples of pictures first ... end - 1. */
static sos_status examples_make(const model_ready *m, const selection *from, const sos_denoise_view views[], bool to_learn,
                                sos_example ***out, sos_error *error)
{
    sos_example **examples = calloc(from->count ? from->count : 1, sizeof(sos_example *));
    sos_status status = examples ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for examples");
    for (size_t i = 0; i < from->count && !status; i++) {
        status = example_make(m, &from->noisy[i], from->truths[i], views ? &views[i] : &NOTHING_SEEN, &examples[i], error);
        if (!status && to_learn) status = sos_denoise_weigh(m->features->kind, examples[i], error);
    }
    if (status)
        examples_free(from->count, examples);
    else
        *out = examples;
    return status;
}

/* Every second picture serves to judge what the others teach, and the other way round; all errors cost alike where they are
 * judged.  So C is chosen among its usual value, a tenth and ten times of it. */
static sos_status C_choose(const scene *s, const model_ready *m, sos_example *const examples[], sos_example *const judged[],
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
        coarse.progress = NULL;
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

static sos_status model_train(const scene *s, const model_ready *ready, double before, sos_model *m, sos_denoise_outcome *o,
                              sos_error *error)
{
    const sos_denoise_kind kind = ready->features->kind;
    const sos_denoise_view *views = ready->shared ? ready->shared->train : NULL;
    const double began = sos_seconds();
    sos_example **examples = NULL, **judged = NULL;
    sos_train_settings settings = sos_denoise_training(kind);
    settings.threads = s->plan->threads;
    sos_status status = examples_make(ready, &s->train, views, true, &examples, error);
    if (!status && s->plan->choose_C) {
        status = examples_make(ready, &s->train, views, false, &judged, error);
        if (!status) status = C_choose(s, ready, examples, judged, &settings, error);
        examples_free(judged ? s->train.count : 0, judged);
    }
    sos_follower f = { .course = s->course,
                       .gap = settings.gap,
                       .curve = s->show ? &s->show->curves[kind] : NULL,
                       .before = before + sos_seconds() - began };
    sos_train_result result;
    settings.progress = sos_follow;
    settings.user = &f;
    if (!status) {
        status = sos_train(m, s->train.count, examples, &settings, &result, error);
        status = sos_follow_end(&f, status, error);
    }
    examples_free(examples ? s->train.count : 0, examples);
    if (status) return status;
    o->seconds_training = before + sos_seconds() - began;
    o->gap = result.last.gap;
    o->rounds = result.last.round;
    o->C = settings.C;
    return SOS_OK;
}

static sos_status run_model(const scene *s, sos_denoise_kind kind, sos_denoise_outcome *o, sos_error *error)
{
    sos_model *m;
    const shared *h = shared_of(s, kind);
    const sos_denoise_features f = features_of(kind, h);
    sos_status status = sos_denoise_features_model(&f, &m, error);
    if (status) return status;
    const model_ready ready = { &f, m, h };
    status = model_train(s, &ready, h ? h->seconds : 0, m, o, error);
    if (!status)
        status = judge(s, predict_model, &ready, sos_contest_errors(s->contest, s->split, SOS_METHOD_MODELS + kind), o, error);
    for (size_t i = 0; h && i < s->test.count && !status; i++) {
        const sos_denoise_view *v = &h->test[i];
        o->seconds_an_image += (v->seconds_response + (sos_design_has_directions(&f.design) ? v->seconds_directions : 0)) /
                               (double)s->test.count;
    }
    if (!status && s->show)
        s->show->models[kind] = m;
    else
        sos_model_free(m);
    return status;
}

static sos_status run_method(const scene *s, size_t method, sos_denoise_outcome *o, sos_error *error)
{
    *o = (sos_denoise_outcome){ .training_error = NAN, .parameter = NAN, .radius = NAN, .gap = NAN, .C = NAN, .offset = NAN };
    o->missing = !s->plan->contends[method];
    if (o->missing) return SOS_OK;
    step_begin(s, worth_of(method), sos_denoise_method_name(method));
    const sos_status status = method < SOS_BASELINES ? run_baseline(s, (sos_baseline_kind)method, o, error)
                              : method == SOS_METHOD_NETWORKS
                                  ? run_networks(s, o, error)
                                  : run_model(s, (sos_denoise_kind)(method - SOS_METHOD_MODELS), o, error);
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
    const sos_denoise_features paper = features_of(SOS_DENOISE_PAPER, NULL);
    sos_status status = sos_denoise_features_model(&paper, &m, error);
    if (status) return status;
    const model_ready ready = { &paper, m, NULL };
    sos_train_settings settings = sos_denoise_training(SOS_DENOISE_PAPER);
    static const double times[SOS_DENOISE_VALUES] = { 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10 };
    for (size_t i = 0; i < SOS_DENOISE_VALUES; i++) out->C[i] = settings.C * times[i];
    settings.gap = PATH_GAP;
    settings.threads = s->plan->threads;
    settings.progress = sos_follow;
    settings.user = &f;
    status = examples_make(&ready, &s->train, NULL, true, &train, error);
    if (!status) status = examples_make(&ready, &s->test, NULL, false, &test, error);
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
    if (!status) status = shared_all(&s, error);
    for (size_t m = 0; !status && m < SOS_DENOISE_METHODS; m++)
        status = run_method(&s, m, sos_denoise_outcome_at(r, noise, split, m), error);
    if (!status && s.show && !r->plan.without_curves && r->plan.contends[SOS_METHOD_MODELS + SOS_DENOISE_PAPER])
        status = run_path(&s, &s.show->path, error);
    shared_free(&s, &s.greys);
    shared_free(&s, &s.networks);
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
        status = sos_contest_create(d.count, d.names, SOS_DENOISE_METHODS, r->method_names, r->plan.splits, r->parts.test,
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
                              .method_names = calloc(SOS_DENOISE_METHODS, sizeof *r.method_names),
                              .outcomes = calloc(plan->noises * plan->splits * SOS_DENOISE_METHODS, sizeof *r.outcomes) };
    if (!r.outcomes || !r.method_names) {
        sos_denoise_results_free(&r);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for the results");
    }
    for (size_t m = 0; m < SOS_DENOISE_METHODS; m++) r.method_names[m] = sos_denoise_method_name(m);
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
    free((void *)r->method_names);
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
