#include "experiments/trace/experiment.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "experiments/common/progress.h"
#include "tasks/photographs.h"
#include "trace/model.h"
#include <s3svm/dataset.h>
#include <s3svm/truth.h>

enum { PAIRS_KNOWN = S3SVM_TRACE_KIND_COUNT, TABLES_KNOWN };

static const char *const NAMES[S3SVM_TRACE_METHODS] = {
    "Networks alone",     "Pairs of neighbours",   "Pairs along lines",
    "Tables along lines", "Pairs that know truth", "Tables that know truth"
};

static bool is_known(size_t method) { return method >= S3SVM_TRACE_KIND_COUNT; }

static s3svm_trace_kind kind_of(size_t method)
{
    return method == PAIRS_KNOWN    ? S3SVM_TRACE_LINE_PAIR
           : method == TABLES_KNOWN ? S3SVM_TRACE_LINES
                                    : (s3svm_trace_kind)method;
}

bool s3svm_trace_takes_part(const s3svm_trace_results *r, size_t method) { return r->plan.known || !is_known(method); }

const char *s3svm_trace_method_name(size_t method) { return NAMES[method]; }

const s3svm_rivals s3svm_trace_rivals[S3SVM_TRACE_RIVALS] = { { S3SVM_TRACE_LINES, S3SVM_TRACE_LINE_PAIR },
                                                              { S3SVM_TRACE_LINES, S3SVM_TRACE_PAIRS },
                                                              { S3SVM_TRACE_LINES, S3SVM_TRACE_EVIDENCE },
                                                              { S3SVM_TRACE_LINE_PAIR, S3SVM_TRACE_PAIRS },
                                                              { TABLES_KNOWN, PAIRS_KNOWN } };

/* ---------------------------------------------------------------- results */

void s3svm_trace_results_free(s3svm_trace_results *r)
{
    free(r->seconds_networks);
    free(r->seconds_respond);
    free(r->outcomes);
    free(r->tested);
    free(r->fold_of);
    free(r->counts);
    s3svm_contest_free(&r->wrong);
    s3svm_contest_free(&r->breaks);
    *r = (s3svm_trace_results){ 0 };
}

/* Places k of the order with k % folds == only - 1, or all. */
static size_t tests_count(const s3svm_trace_plan *plan, size_t images)
{
    return plan->only ? (images - plan->only + plan->folds) / plan->folds : images;
}

static sos_status results_create(const s3svm_trace_plan *plan, size_t images, char *const names[], s3svm_trace_results *r,
                                 sos_error *error)
{
    *r = (s3svm_trace_results){ .plan = *plan,
                                .images = images,
                                .seconds_networks = calloc(plan->folds, sizeof *r->seconds_networks),
                                .seconds_respond = calloc(plan->folds, sizeof *r->seconds_respond),
                                .outcomes = calloc(plan->folds * S3SVM_TRACE_METHODS, sizeof *r->outcomes),
                                .tested = calloc(images, sizeof *r->tested),
                                .fold_of = calloc(images, sizeof *r->fold_of),
                                .counts = calloc(images * S3SVM_TRACE_METHODS * S3SVM_TRACE_OFFSETS, sizeof *r->counts) };
    sos_status status = r->seconds_networks && r->seconds_respond && r->outcomes && r->tested && r->fold_of && r->counts
                            ? SOS_OK
                            : sos_fail(error, SOS_ERR_MEMORY, "no memory for the results of %zu pictures", images);
    const size_t tests = tests_count(plan, images);
    if (!status) status = s3svm_contest_create(images, names, S3SVM_TRACE_METHODS, NAMES, 1, tests, &r->wrong, error);
    if (!status) status = s3svm_contest_create(images, names, S3SVM_TRACE_METHODS, NAMES, 1, tests, &r->breaks, error);
    if (status) s3svm_trace_results_free(r);
    return status;
}

double s3svm_trace_wrong(const s3svm_trace_counts *c) { return c->pixels > 0 ? (c->missed + c->extra) / c->pixels : 0; }
double s3svm_trace_breaks(const s3svm_trace_counts *c) { return c->breaks; }

s3svm_spread s3svm_trace_mean(const s3svm_trace_results *r, size_t method, int steps, s3svm_trace_score *score)
{
    double sum = 0, squares = 0, n = 0;
    for (size_t i = 0; i < r->images; i++) {
        if (!r->tested[i]) continue;
        const double x = score(s3svm_trace_counts_at(r, i, method, steps));
        n++;
        sum += x;
        squares += x * x;
    }
    const double mean = sum / n, variance = fmax(squares / n - mean * mean, 0);
    return (s3svm_spread){ mean, n > 1 ? sqrt(variance / (n - 1)) : NAN };
}

/* Every picture was tested once: one split of them all. */
static void contests_fill(s3svm_trace_results *r, size_t numbers[])
{
    size_t tests = 0;
    for (size_t i = 0; i < r->images; i++)
        if (r->tested[i]) numbers[tests++] = i;
    s3svm_contest_begin(&r->wrong, 0, numbers);
    s3svm_contest_begin(&r->breaks, 0, numbers);
    for (size_t m = 0; m < S3SVM_TRACE_METHODS; m++)
        for (size_t k = 0; k < tests && s3svm_trace_takes_part(r, m); k++) {
            const s3svm_trace_counts *c = s3svm_trace_counts_at(r, numbers[k], m, 0);
            s3svm_contest_errors(&r->wrong, 0, m)[k] = s3svm_trace_wrong(c);
            s3svm_contest_errors(&r->breaks, 0, m)[k] = s3svm_trace_breaks(c) / 100; /* contests are in points */
        }
    r->wrong.splits = r->breaks.splits = 1;
}

/* ---------------------------------------------------------------- pictures */

/* All pictures, and what the networks of a fold say of them. */
typedef struct pictures {
    size_t count;
    size_t *order, *fold; /* picture order[k] is tested on in fold[k] */
    s3svm_image *images;
    s3svm_truth *truths;
    s3svm_plane *responses;
    const uint8_t **learned_truths, **learned_cares; /* of those to learn from, side by side */
    s3svm_image *learned;
    size_t *numbers;
} pictures;

static void pictures_free(pictures *p)
{
    for (size_t i = 0; i < p->count; i++) {
        if (p->images) s3svm_image_free(&p->images[i]);
        if (p->truths) s3svm_truth_free(&p->truths[i]);
        if (p->responses) s3svm_plane_free(&p->responses[i]);
    }
    free(p->order);
    free(p->fold);
    free(p->images);
    free(p->truths);
    free(p->responses);
    free(p->learned_truths);
    free(p->learned_cares);
    free(p->learned);
    free(p->numbers);
    *p = (pictures){ 0 };
}

/* The order, and the fold of each place in it: the same picture is never on both sides. */
static sos_status places_deal(const s3svm_dataset *d, uint64_t seed, size_t folds, pictures *p, sos_error *error)
{
    size_t *same = malloc(d->count * sizeof *same), *placed = malloc(d->count * sizeof *placed);
    sos_status status = same && placed ? s3svm_dataset_photographs(d, same, error)
                                       : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pictures", d->count);
    if (!status && s3svm_photographs_count(d->count, same) < 2 * folds)
        status = sos_fail(error, SOS_ERR_ARGUMENT, "'%.200s' has %zu different pictures; %zu folds need twice as many",
                          d->folder, s3svm_photographs_count(d->count, same), folds);
    s3svm_split(d->count, seed, 0, p->order);
    for (size_t k = 0; k < d->count && !status; k++) placed[k] = same[p->order[k]];
    if (!status) status = s3svm_photographs_fold(d->count, placed, folds, p->fold, error);
    free(same);
    free(placed);
    return status;
}

static sos_status pictures_read(const s3svm_dataset *d, uint64_t seed, size_t folds, pictures *p, sos_error *error)
{
    const size_t n = d->count;
    *p = (pictures){ .count = n,
                     .order = calloc(n, sizeof *p->order),
                     .fold = calloc(n, sizeof *p->fold),
                     .images = calloc(n, sizeof *p->images),
                     .truths = calloc(n, sizeof *p->truths),
                     .responses = calloc(n, sizeof *p->responses),
                     .learned_truths = calloc(n, sizeof *p->learned_truths),
                     .learned_cares = calloc(n, sizeof *p->learned_cares),
                     .learned = calloc(n, sizeof *p->learned),
                     .numbers = calloc(n, sizeof *p->numbers) };
    const bool room = p->order && p->fold && p->images && p->truths && p->responses && p->learned_truths && p->learned_cares &&
                      p->learned && p->numbers;
    sos_status status = room ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pictures", n);
    if (room) status = places_deal(d, seed, folds, p, error);
    for (size_t i = 0; i < n && !status; i++) {
        status = s3svm_image_read(d->items[i].image, S3SVM_IMAGE_COLOUR, &p->images[i], error);
        if (!status) status = s3svm_truth_read(d->items[i].labels, &d->items[i].truth, &p->truths[i], error);
    }
    if (status) pictures_free(p);
    return status;
}

/* ---------------------------------------------------------------- one fold */

typedef struct fold_run {
    const s3svm_trace_plan *plan;
    size_t fold, learned; /* how many pictures are learned from */
    bool known;           /* these are the ones to be judged on */
    pictures *p;
    s3svm_trace_features features; /* of the networks, which all methods share */
    s3svm_trace_results *results;
    s3svm_progress *progress;
} fold_run;

static bool is_test(const fold_run *f, size_t place) { return f->p->fold[place] == f->fold; }

static void learned_list(fold_run *f)
{
    pictures *p = f->p;
    f->learned = 0;
    for (size_t k = 0; k < p->count; k++) {
        if (is_test(f, k) != f->known) continue;
        const size_t i = p->order[k];
        p->learned[f->learned] = p->images[i];
        p->learned_truths[f->learned] = p->truths[i].labels;
        p->learned_cares[f->learned] = p->truths[i].care;
        p->numbers[f->learned++] = i;
    }
}

static sos_status networks_learn(fold_run *f, sos_error *error)
{
    pictures *p = f->p;
    const s3svm_trace_pictures seen = {
        .count = f->learned, .images = p->learned, .truths = p->learned_truths, .cares = p->learned_cares
    };
    s3svm_trace_settings s = s3svm_trace_defaults();
    sos_model *m;
    const double began = sos_seconds();
    s.seed = f->plan->seed;
    if (f->plan->samples) s.samples = f->plan->samples;
    s.work = (sos_work){ .threads = f->plan->threads, .progress = s3svm_progress_callback, .user = f->progress };
    sos_status status = s3svm_trace_create(S3SVM_TRACE_LINES, &seen, &s, &m, error);
    if (status) return status;
    f->results->seconds_networks[f->fold] = sos_seconds() - began;
    status = s3svm_trace_features_read(m, &f->features, error);
    sos_model_free(m);
    return status;
}

static sos_status responses_find(fold_run *f, sos_error *error)
{
    size_t learned = 0, tests = 0;
    sos_status status = SOS_OK;
    for (size_t k = 0; k < f->p->count && !status; k++) {
        const size_t i = f->p->order[k];
        const bool test = is_test(f, k);
        const size_t fold = test ? S3SVM_EVIDENCE_NEW : s3svm_evidence_fold(&f->features.evidence, learned++);
        const double began = sos_seconds();
        s3svm_plane_free(&f->p->responses[i]);
        status = s3svm_evidence_apply(&f->features.evidence, &f->p->images[i], fold, f->plan->threads, &f->p->responses[i],
                                      error);
        if (!test) continue;
        f->results->seconds_respond[f->fold] += sos_seconds() - began;
        tests++;
    }
    f->results->seconds_respond[f->fold] /= (double)tests;
    return status;
}

static sos_status example_make(const fold_run *f, const s3svm_trace_model *model, size_t i, bool learn, sos_example **out,
                               sos_error *error)
{
    const s3svm_trace_loss loss = { f->plan->missed, f->plan->broken };
    const s3svm_trace_look look = {
        .picture = &f->p->images[i], .truth = f->p->truths[i].labels, .care = f->p->truths[i].care, .loss = learn ? &loss : NULL
    };
    return s3svm_trace_look_example(model, &look, &f->p->responses[i], out, error);
}

/* Every fourth picture is for choosing C, where there is something to choose; those that know the truth take the greatest. */
static bool is_validation(const fold_run *f, size_t learned) { return !f->known && f->plan->Cs.count > 1 && learned % 4 == 3; }

static sos_status weights_learn(fold_run *f, size_t examples, sos_example *x[], size_t validations, sos_example *v[],
                                sos_model *m, s3svm_trace_outcome *o, sos_error *error)
{
    const s3svm_reals *all = &f->plan->Cs;
    s3svm_reals last = { 1, { all->values[all->count - 1] } };
    const s3svm_reals *values = f->known ? &last : all;
    sos_path_point path[S3SVM_REALS_MAX];
    size_t best = 0;
    sos_train_settings s = s3svm_trace_training();
    const double began = sos_seconds();
    s.work = (sos_work){ .threads = f->plan->threads, .progress = s3svm_progress_callback, .user = f->progress };
    const sos_status status = sos_train_path(m, examples, x, validations, v, values->count, values->values, &s, path, &best,
                                             error);
    if (status) return status;
    o->C = values->values[best];
    o->gap = path[best].result.last.gap;
    o->rounds = path[best].result.last.round;
    o->weights = sos_model_weight_count(m);
    o->seconds_training = sos_seconds() - began;
    return SOS_OK;
}

/* By all pictures that are learned from, in their order. */
static sos_status bias_learn(fold_run *f, sos_example *x[], sos_example *v[], sos_model *m, double *bias, sos_error *error)
{
    pictures *p = f->p;
    const s3svm_trace_pictures seen = {
        .count = f->learned, .images = p->learned, .truths = p->learned_truths, .cares = p->learned_cares
    };
    const sos_work work = { .threads = f->plan->threads, .progress = s3svm_progress_callback, .user = f->progress };
    sos_example **all = calloc(f->learned, sizeof *all);
    if (!all) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu examples", f->learned);
    size_t examples = 0, validations = 0;
    for (size_t k = 0; k < f->learned; k++) all[k] = is_validation(f, k) ? v[validations++] : x[examples++];
    const sos_status status = s3svm_trace_bias_learn(m, f->learned, all, &seen, &work, bias, error);
    free(all);
    return status;
}

static sos_status model_learn(fold_run *f, const s3svm_trace_model *model, sos_model *m, s3svm_trace_outcome *o,
                              sos_error *error)
{
    sos_example **x = calloc(f->learned, sizeof *x), **v = calloc(f->learned, sizeof *v);
    size_t examples = 0, validations = 0;
    sos_status status = x && v ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu examples", f->learned);
    for (size_t k = 0; k < f->learned && !status; k++) {
        sos_example *made;
        status = example_make(f, model, f->p->numbers[k], true, &made, error);
        if (status) break;
        if (is_validation(f, k))
            v[validations++] = made;
        else
            x[examples++] = made;
    }
    if (!status) status = weights_learn(f, examples, x, validations, v, m, o, error);
    if (!status) status = bias_learn(f, x, v, m, &o->bias, error);
    for (size_t k = 0; k < examples; k++) sos_example_free(x[k]);
    for (size_t k = 0; k < validations; k++) sos_example_free(v[k]);
    free(x);
    free(v);
    return status;
}

/* Labels by a threshold so many steps aside of the one that was chosen. */
static sos_status labels_count(const fold_run *f, const sos_model *m, sos_example *x, size_t i, s3svm_trace_counts *out,
                               double *seconds, sos_error *error)
{
    const s3svm_image *image = &f->p->images[i];
    uint8_t *labels = malloc(s3svm_image_size(image));
    if (!labels) return sos_fail(error, SOS_ERR_MEMORY, "no memory for labels");
    const double began = sos_seconds();
    sos_status status = sos_model_predict(m, x, NULL, labels, NULL, error);
    *seconds = sos_seconds() - began;
    if (!status)
        status = s3svm_trace_count(image->width, image->height, labels, f->p->truths[i].labels, f->p->truths[i].care, out,
                                   error);
    free(labels);
    return status;
}

static sos_status picture_judge(const fold_run *f, const s3svm_trace_model *model, sos_model *const models[], size_t i,
                                size_t method, double *seconds, sos_error *error)
{
    const double began = sos_seconds();
    sos_example *x = NULL;
    sos_status status = example_make(f, model, i, false, &x, error);
    *seconds += sos_seconds() - began;
    for (int steps = -S3SVM_TRACE_ASIDE; steps <= S3SVM_TRACE_ASIDE && !status; steps++) {
        double took = 0;
        status = labels_count(f, models[steps + S3SVM_TRACE_ASIDE], x, i, s3svm_trace_counts_at(f->results, i, method, steps),
                              &took, error);
        if (!steps) *seconds += took;
    }
    sos_example_free(x);
    return status;
}

static sos_status tests_judge(fold_run *f, const s3svm_trace_model *model, sos_model *const models[], size_t method,
                              sos_error *error)
{
    s3svm_trace_outcome *o = s3svm_trace_outcome_at(f->results, f->fold, method);
    sos_status status = SOS_OK;
    size_t tests = 0;
    for (size_t k = 0; k < f->p->count && !status; k++) {
        if (!is_test(f, k)) continue;
        status = picture_judge(f, model, models, f->p->order[k], method, &o->seconds_an_image, error);
        f->results->tested[f->p->order[k]] = true;
        f->results->fold_of[f->p->order[k]] = f->fold;
        tests++;
    }
    o->seconds_an_image /= (double)tests;
    return status;
}

/* The model with other thresholds. */
static sos_status models_make(const sos_model *m, sos_model *models[S3SVM_TRACE_OFFSETS], sos_error *error)
{
    sos_status status = SOS_OK;
    for (int k = 0; k < S3SVM_TRACE_OFFSETS && !status; k++) {
        status = sos_model_copy(m, &models[k], error);
        if (!status) status = s3svm_trace_bias_add(models[k], S3SVM_TRACE_OFFSET_STEP * (k - S3SVM_TRACE_ASIDE), error);
    }
    return status;
}

static sos_status method_run(fold_run *f, size_t method, sos_error *error)
{
    s3svm_trace_model *model = NULL;
    sos_model *m = NULL, *models[S3SVM_TRACE_OFFSETS] = { NULL };
    f->features.design = s3svm_trace_design_of(kind_of(method));
    f->known = is_known(method);
    learned_list(f);
    sos_status status = s3svm_trace_features_model(&f->features, &m, error);
    if (!status) status = s3svm_trace_model_create(m, &model, error);
    if (!status) status = model_learn(f, model, m, s3svm_trace_outcome_at(f->results, f->fold, method), error);
    if (!status) status = models_make(m, models, error);
    if (!status) status = tests_judge(f, model, models, method, error);
    for (size_t k = 0; k < S3SVM_TRACE_OFFSETS; k++) sos_model_free(models[k]);
    s3svm_trace_model_free(model);
    sos_model_free(m);
    return status;
}

static sos_status fold_learn(fold_run *f, sos_error *error)
{
    learned_list(f);
    s3svm_progress_begin(f->progress, 4, "fold %zu: networks", f->fold + 1);
    sos_status status = networks_learn(f, error);
    if (!status) status = responses_find(f, error);
    if (!status) status = s3svm_progress_end(f->progress, error);
    for (size_t m = 0; m < S3SVM_TRACE_METHODS && !status; m++) {
        if (!s3svm_trace_takes_part(f->results, m)) continue;
        s3svm_progress_begin(f->progress, m < S3SVM_TRACE_LINE_PAIR ? 1 : 4, "fold %zu: %s", f->fold + 1, NAMES[m]);
        status = method_run(f, m, error);
        if (!status) status = s3svm_progress_end(f->progress, error);
    }
    s3svm_trace_features_free(&f->features);
    return status;
}

sos_status s3svm_trace_experiment(const s3svm_trace_plan *plan, s3svm_trace_results *out, sos_error *error)
{
    const double began = sos_seconds();
    s3svm_dataset d;
    sos_status status = s3svm_dataset_open(plan->data, S3SVM_IMAGES_REQUIRED, false, &d, error);
    if (status) return status;
    pictures p = { 0 };
    s3svm_trace_results r = { 0 };
    char **names = calloc(d.count, sizeof *names);
    if (!names) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for names");
    for (size_t i = 0; i < d.count && !status; i++) names[i] = d.items[i].name;
    if (!status) status = s3svm_dataset_tell_truths(&d, S3SVM_UNSURE_TOLD, true, NULL, error);
    if (!status) status = pictures_read(&d, plan->seed, plan->folds, &p, error);
    if (!status) status = results_create(plan, d.count, names, &r, error);
    s3svm_progress progress = { .progress = plan->progress,
                                .user = plan->user,
                                .total = (plan->known ? 22 : 14) * (plan->only ? 1 : (double)plan->folds) };
    for (size_t fold = 0; fold < plan->folds && !status; fold++) {
        if (plan->only && fold != plan->only - 1) continue;
        fold_run f = { .plan = plan, .fold = fold, .p = &p, .results = &r, .progress = &progress };
        status = fold_learn(&f, error);
        r.folds += !status;
    }
    if (!status) contests_fill(&r, p.numbers);
    r.seconds = sos_seconds() - began;
    free(names);
    pictures_free(&p);
    s3svm_dataset_free(&d);
    if (status)
        s3svm_trace_results_free(&r);
    else
        *out = r;
    return status;
}
