#include "experiments/segment/experiment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/segmenter.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/threads.h"
#include "experiments/segment/kept.h"
#include "segment/marks/marks.h"
#include "segment/model/model.h"
#include "tasks/cache.h"
#include "tasks/photographs.h"
#include "tasks/score.h"

/* How much more weights between pixels may count than those of pixels: all methods have the same choice. */
static const double RELATIONS[S3SVM_SEGMENT_RELATIONS] = { 1, 4 };

s3svm_spread s3svm_segment_spread(const s3svm_segment_results *r, size_t contender, size_t offset)
{
    const char *first = (const char *)s3svm_segment_outcome_at(r, 0, contender);
    return s3svm_spread_of_members(r->plan.contends[contender] ? r->splits : 0, first + offset,
                                   S3SVM_CONTENDERS * sizeof(s3svm_segment_outcome));
}

/* ---------------------------------------------------------------- progress */

static double worth_of_all(const s3svm_segment_plan *p)
{
    double sum = 0;
    for (size_t c = 0; c < S3SVM_CONTENDERS; c++) sum += p->contends[c] ? s3svm_contender_row(c)->worth : 0;
    return sum * (double)p->splits;
}

/* Where the stages of training a model end: creating it, making examples; and where all training ends, before judging. */
static const double CREATED = 0.125, FEATURES_MADE = 0.25, TRAINED = 0.93;

/* ---------------------------------------------------------------- photographs */

/* Reduces a photograph whose longer side is above side. */
static sos_status picture_shrink(s3svm_marked *p, size_t side, sos_error *error)
{
    const size_t longer = p->photograph.width > p->photograph.height ? p->photograph.width : p->photograph.height;
    return side && longer > side ? s3svm_marked_shrink(p, (longer + side - 1) / side, error) : SOS_OK;
}

static sos_status pictures_read(s3svm_segment_results *r, s3svm_dataset *d, sos_error *error)
{
    r->names = calloc(d->count, sizeof *r->names);
    r->pictures = calloc(d->count, sizeof *r->pictures);
    if (!r->names || !r->pictures) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu photographs", d->count);
    for (size_t i = 0; i < d->count; i++) {
        sos_status status = s3svm_marked_read(&d->items[i], true, &r->pictures[i], error);
        if (!status) status = picture_shrink(&r->pictures[i], r->plan.side, error);
        if (status) return status;
        r->names[i] = d->items[i].name;
        d->items[i].name = NULL; /* taken */
        r->images = i + 1;
    }
    return SOS_OK;
}

static sos_status parts_find(s3svm_segment_results *r, size_t count, sos_error *error)
{
    const s3svm_segment_plan *p = &r->plan;
    s3svm_parts parts;
    sos_error why;
    if (s3svm_parts_usual(count, p->train, p->validation, &parts, &why))
        return sos_fail(error, SOS_ERR_ARGUMENT, "'%.300s': %s", p->data, why.message);
    r->train = parts.train;
    r->validation = parts.validation;
    r->test = parts.test;
    return SOS_OK;
}

static double background_error(const s3svm_segment_results *r)
{
    double sum = 0;
    for (size_t i = 0; i < r->images; i++) {
        const size_t n = s3svm_image_size(&r->pictures[i].photograph);
        size_t object = 0;
        for (size_t j = 0; j < n; j++) object += r->pictures[i].truth[j];
        sum += (double)object / (double)n;
    }
    return sum / (double)r->images;
}

static sos_status data_open(s3svm_segment_results *r, sos_error *error)
{
    s3svm_dataset d;
    sos_status status = s3svm_dataset_open(r->plan.data, S3SVM_IMAGES_REQUIRED, true, &d, error);
    if (status) return status;
    status = parts_find(r, d.count, error);
    if (!status) status = pictures_read(r, &d, error);
    s3svm_dataset_free(&d);
    if (!status) r->background_error = background_error(r);
    return status;
}

/* ---------------------------------------------------------------- one contender on one split */

/* A part of a step. */
typedef struct span {
    double first, length;
} span;

typedef struct split_run {
    s3svm_segment_results *results;
    s3svm_progress *progress;
    span stages; /* of the step, that the trial at hand takes */
    size_t split, contender;
    s3svm_marked *lessons; /* the pictures to train on, then those to validate on; borrowed */
    const size_t *test;    /* numbers of pictures */
    s3svm_segment_outcome *outcome;
} split_run;

static void stage_begin(const split_run *s, double from, double to)
{
    s3svm_progress_stage(s->progress, s->stages.first + from * s->stages.length, s->stages.first + to * s->stages.length);
}

static const s3svm_marked *picture_at(const split_run *s, size_t number) { return &s->results->pictures[number]; }

/* The labels of a picture by its own marks; m NULL: GrabCut. */
static sos_status picture_segment(const s3svm_marked *p, const s3svm_segment_model *m, uint8_t labels[], sos_error *error)
{
    s3svm_segmentation_settings settings = s3svm_segmentation_defaults();
    s3svm_dialogue *marks;
    settings.hard = false;       /* the paper's protocol: what a mark says is evidence, ... */
    settings.tidying.specks = 1; /* ... and labels are judged as they are found */
    settings.work.threads = 1;
    sos_status status = s3svm_dialogue_of_marks(&p->marks, &marks, error);
    if (status) return status;
    status = s3svm_photograph_segment(m, &p->photograph, marks, &settings, labels, NULL, error);
    s3svm_dialogue_free(marks);
    return status;
}

static sos_status picture_judge(const split_run *s, const s3svm_segment_model *m, size_t i, sos_error *error)
{
    const s3svm_marked *p = picture_at(s, s->test[i]);
    uint8_t *labels = malloc(s3svm_image_size(&p->photograph));
    if (!labels) return sos_fail(error, SOS_ERR_MEMORY, "no memory for labels");
    const double began = sos_seconds_of_thread();
    const sos_status status = picture_segment(p, m, labels, error);
    const double seconds = sos_seconds_of_thread() - began;
    if (status) { /* there are no labels to score */
        free(labels);
        return status;
    }
    const size_t n = s3svm_image_size(&p->photograph);
    const s3svm_score score = s3svm_score_of(n, labels, p->truth, NULL), sure = s3svm_score_of(n, labels, p->truth, p->care);
    s->outcome->judged[i] = (s3svm_segment_judged){ .picture = s->test[i],
                                                    .error = s3svm_score_error(&score),
                                                    .error_without_unsure = sure.pixels ? s3svm_score_error(&sure) : 0,
                                                    .iou = s3svm_score_iou(&score),
                                                    .seconds = seconds };
    if (!s->split)
        s->results->labels[s->contender][i] = labels;
    else
        free(labels);
    return SOS_OK;
}

static void means_find(const split_run *s)
{
    s3svm_segment_outcome *o = s->outcome;
    double pixels = 0, seconds = 0;
    for (size_t i = 0; i < s->results->test; i++) {
        const s3svm_segment_judged *j = &o->judged[i];
        const double share = 1 / (double)s->results->test;
        s3svm_contest_errors(&s->results->contest, s->split, s->contender)[i] = j->error;
        o->error += share * j->error;
        o->error_without_unsure += share * j->error_without_unsure;
        o->iou += share * j->iou;
        seconds += j->seconds;
        pixels += (double)s3svm_image_size(&picture_at(s, j->picture)->photograph);
    }
    o->seconds_per_image = seconds / (double)s->results->test;
    o->seconds_per_fifth = seconds / pixels * 2e5;
}

/* Pictures side by side, each on one thread. */
static sos_status test_judge(const split_run *s, const s3svm_segment_model *m, sos_error *error)
{
    const size_t count = s->results->test;
    const int workers = sos_thread_count(s->results->plan.threads);
    (void)workers; /* where OpenMP is missing */
    sos_failure failure = { 0 };
    size_t done = 0;
    s->outcome->judged = calloc(count, sizeof *s->outcome->judged);
    if (!s->split) s->results->labels[s->contender] = calloc(count, sizeof(uint8_t *));
    if (!s->outcome->judged || (!s->split && !s->results->labels[s->contender]))
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for the results of %zu pictures", count);
#pragma omp parallel for schedule(dynamic) num_threads(workers) if (workers > 1)
    for (size_t i = 0; i < count; i++) {
        sos_error why = { 0 };
        size_t now;
#pragma omp atomic capture
        now = done++;
        sos_status status = SOS_OK;
        if (!s3svm_progress_report(s->progress, (double)now / (double)count)) status = sos_fail(&why, SOS_CANCELLED, "stopped");
        if (!status) status = picture_judge(s, m, i, &why);
        sos_failure_note(&failure, i, status, &why);
    }
    const sos_status status = sos_failure_status(&failure, "test picture", error);
    if (!status) means_find(s);
    return status;
}

/* ---------------------------------------------------------------- training */

static void path_keep(s3svm_segment_outcome *o, const s3svm_curve_recorder *f, const sos_path_point path[], double seconds,
                      double processor)
{
    for (size_t i = 0; i < o->values; i++) {
        s3svm_segment_trained *t = &o->trained[i];
        t->validation = path[i].validation_loss;
        t->rounds = path[i].result.last.round;
        t->gap = path[i].result.last.gap;
        t->seconds = f->seconds[i] - seconds;
        t->processor = f->processor[i] - processor;
        seconds = f->seconds[i];
        processor = f->processor[i];
        if (i > o->best) continue;
        o->seconds_training += t->seconds;
        o->processor_training += t->processor;
    }
}

/* What was chosen on the first split and holds for this one, or NULL. */
static const s3svm_segment_outcome *chosen_before(const split_run *s)
{
    return s->results->plan.choose_once && s->split ? s3svm_segment_outcome_at(s->results, 0, s->contender) : NULL;
}

/* The values of C to train with. */
static void values_list(const split_run *s)
{
    const s3svm_segment_outcome *before = chosen_before(s);
    const s3svm_contender *row = s3svm_contender_row(s->contender);
    const s3svm_segment_plan *p = &s->results->plan;
    const double *values = p->values ? p->C : s3svm_segment_cs(row->features, row->method);
    s3svm_segment_outcome *o = s->outcome;
    o->values = before ? 1 : p->values ? p->values : S3SVM_SEGMENT_CS;
    for (size_t i = 0; i < o->values; i++) o->trained[i].C = before ? before->trained[before->best].C : values[i];
}

static sos_status path_train(const split_run *s, sos_model *m, sos_example *const examples[], sos_error *error)
{
    const s3svm_segment_features features = s3svm_contender_row(s->contender)->features;
    const s3svm_segment_method method = s3svm_contender_row(s->contender)->method;
    const size_t train = s->results->train, validation = s->results->validation;
    s3svm_segment_outcome *o = s->outcome;
    sos_path_point path[S3SVM_SEGMENT_TRIED];
    sos_train_settings settings = s3svm_segment_training(features, method);
    double done[2][S3SVM_SEGMENT_TRIED] = { { 0 } }, values[S3SVM_SEGMENT_TRIED];
    values_list(s);
    for (size_t i = 0; i < o->values; i++) values[i] = o->trained[i].C;
    s3svm_curve_recorder f = { .progress = s->progress,
                               .gap = settings.gap,
                               .values = o->values,
                               .C = values,
                               .curve = &o->curve,
                               .seconds = done[0],
                               .processor = done[1] };
    settings.work.threads = s->results->plan.threads;
    settings.watch = s3svm_curve_record;
    settings.work.user = &f;
    const double seconds = sos_seconds(), processor = sos_seconds_of_program();
    sos_status status = sos_train_path(m, train, examples, validation, examples + train, o->values, values, &settings, path,
                                       &o->best, error);
    status = s3svm_curve_end(&f, status, error);
    if (status) return status;
    path_keep(o, &f, path, seconds, processor);
    return sos_evaluate(m, train, examples, &settings.work, NULL, &o->training_error, error);
}

static s3svm_segment_settings settings_of(const split_run *s, double relations)
{
    const s3svm_segment_plan *p = &s->results->plan;
    s3svm_segment_settings settings = s3svm_segment_defaults();
    settings.features = s3svm_contender_row(s->contender)->features;
    settings.method = s3svm_contender_row(s->contender)->method;
    settings.relations = relations;
    if (p->samples) settings.samples = p->samples;
    settings.cache = p->cache;
    settings.work = (sos_work){ .threads = p->threads, .progress = s3svm_progress_callback, .user = s->progress };
    return settings;
}

static sos_status interactive_examples_make(const split_run *s, const sos_model *m, const s3svm_segment_settings *settings,
                                            size_t count, sos_example *examples[], sos_error *error)
{
    s3svm_segment_model *prepared;
    sos_status status = s3svm_segment_model_create(m, &prepared, error);
    if (status) return status;
    status = s3svm_segment_model_examples(prepared, count, s->lessons, settings->cache, NULL, &settings->work, examples, error);
    s3svm_segment_model_free(prepared);
    return status;
}

static sos_status model_train(const split_run *s, sos_model *m, const s3svm_segment_settings *settings, sos_error *error)
{
    const size_t count = s->results->train + s->results->validation;
    s3svm_segment_outcome *o = s->outcome;
    sos_example **examples = calloc(count, sizeof(sos_example *));
    if (!examples) return sos_fail(error, SOS_ERR_MEMORY, "no memory for examples");
    stage_begin(s, CREATED, FEATURES_MADE);
    sos_status status = interactive_examples_make(s, m, settings, count, examples, error);
    o->seconds_features += sos_seconds();
    o->processor_features += sos_seconds_of_program();
    o->weights = sos_model_weight_count(m);
    stage_begin(s, FEATURES_MADE, 1);
    if (!status) status = path_train(s, m, examples, error);
    for (size_t i = 0; i < count; i++) sos_example_free(examples[i]);
    free(examples);
    return status;
}

static sos_status model_judge(const split_run *s, const sos_model *m, sos_error *error)
{
    s3svm_segment_model *prepared;
    sos_status status = s3svm_segment_model_create(m, &prepared, error);
    if (status) return status;
    status = test_judge(s, prepared, error);
    s3svm_segment_model_free(prepared);
    return status;
}

/* One way to weigh relations against features: a model trained so, and what it came to. */
typedef struct trial {
    s3svm_segment_outcome outcome;
    sos_model *model;
} trial;

static void trial_free(trial *t)
{
    s3svm_curve_free(&t->outcome.curve);
    sos_model_free(t->model);
    *t = (trial){ 0 };
}

static double trial_error(const trial *t) { return t->outcome.trained[t->outcome.best].validation; }

static sos_status trial_run(const split_run *s, double relations, size_t number, size_t count, trial *t, sos_error *error)
{
    split_run one = *s;
    one.outcome = &t->outcome;
    one.stages = (span){ TRAINED * (double)number / (double)count, TRAINED / (double)count };
    const s3svm_segment_settings settings = settings_of(s, relations);
    t->outcome.relations = relations;
    t->outcome.seconds_features = -sos_seconds();
    t->outcome.processor_features = -sos_seconds_of_program();
    stage_begin(&one, 0, CREATED);
    sos_status status = s3svm_segment_create(&settings, s->results->train, s->lessons, &t->model, error);
    if (!status) status = model_train(&one, t->model, &settings, error);
    return status;
}

/* The trial with the least error on validation pictures, the first of those alike. */
static sos_status best_trial(const split_run *s, trial *best, sos_error *error)
{
    const s3svm_segment_outcome *before = chosen_before(s);
    const double given = before ? before->relations : s->results->plan.relations;
    const bool choose = !(given > 0) && s3svm_contender_row(s->contender)->method != S3SVM_SEGMENT_UNARIES;
    const size_t count = choose ? S3SVM_SEGMENT_RELATIONS : 1;
    sos_status status = SOS_OK;
    for (size_t i = 0; i < count && !status; i++) {
        trial t = { 0 };
        status = trial_run(s, given > 0 ? given : RELATIONS[i], i, count, &t, error);
        if (!status && (!i || trial_error(&t) < trial_error(best))) {
            const trial worse = *best;
            *best = t;
            t = worse;
        }
        trial_free(&t);
    }
    return status;
}

static sos_status outlines_learn(const split_run *s, sos_model *m, sos_error *error)
{
    const s3svm_segment_settings settings = settings_of(s, 0);
    if (!s->results->plan.outlines || settings.features != S3SVM_SEGMENT_FULL) return SOS_OK;
    return s3svm_segment_outline_learn(m, s->results->train, s->lessons, settings.cache, &settings.work, error);
}

static sos_status run_model(const split_run *s, sos_error *error)
{
    trial best = { 0 };
    sos_status status = best_trial(s, &best, error);
    if (status) {
        trial_free(&best);
        return status;
    }
    *s->outcome = best.outcome;
    s3svm_progress_stage(s->progress, TRAINED, 1);
    status = outlines_learn(s, best.model, error);
    if (!status) status = model_judge(s, best.model, error);
    if (!status && !s->split)
        s->results->models[s->contender] = best.model;
    else
        sos_model_free(best.model);
    return status;
}

/* ---------------------------------------------------------------- the whole */

static sos_status run_contender(split_run *s, size_t contender, sos_error *error)
{
    const s3svm_segment_plan *p = &s->results->plan;
    if (!p->contends[contender]) return SOS_OK;
    s->contender = contender;
    s->outcome = s3svm_segment_outcome_at(s->results, s->split, contender);
    s3svm_progress_begin(s->progress, s3svm_contender_row(contender)->worth, "split %zu, %s", s->split + 1,
                         s3svm_contender_names[contender]);
    bool found;
    sos_status status = s3svm_segment_kept_read(s->results, s->split, contender, &found, error);
    if (!status && !found) {
        status = contender == S3SVM_CONTENDER_GRABCUT ? test_judge(s, NULL, error) : run_model(s, error);
        if (!status) status = s3svm_segment_kept_write(s->results, s->split, contender, error);
    }
    if (!status) status = s3svm_progress_end(s->progress, error);
    if (!status && p->told) p->told(p->listener, s->results, s->split, contender);
    return status;
}

static sos_status split_order(const s3svm_segment_results *r, size_t split, size_t order[], sos_error *error)
{
    const s3svm_parts parts = { r->train, r->validation, r->test };
    uint64_t *hashes = malloc(r->images * sizeof *hashes);
    if (!hashes) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a split");
    for (size_t i = 0; i < r->images; i++) hashes[i] = s3svm_photograph_hash(&r->pictures[i].photograph);
    const sos_status status = s3svm_photographs_hashed_split(&parts, hashes, r->plan.seed, split, order, error);
    free(hashes);
    return status;
}

static sos_status run_split(s3svm_segment_results *r, s3svm_progress *c, size_t split, sos_error *error)
{
    const size_t lessons = r->train + r->validation;
    size_t *order = r->orders + split * r->images;
    sos_status status = split_order(r, split, order, error);
    if (status) return status;
    s3svm_contest_begin(&r->contest, split, order + lessons);
    split_run s = { .results = r,
                    .progress = c,
                    .split = split,
                    .lessons = s3svm_items_picked(r->pictures, sizeof *r->pictures, lessons, order),
                    .test = order + lessons };
    status = s.lessons ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for a split");
    for (size_t contender = 0; !status && contender < S3SVM_CONTENDERS; contender++)
        status = run_contender(&s, contender, error);
    free(s.lessons);
    return status;
}

static sos_status interactive_plan_check(const s3svm_segment_plan *p, sos_error *error)
{
    bool some = false;
    for (size_t c = 0; c < S3SVM_CONTENDERS; c++) some |= p->contends[c];
    if (!some) return sos_fail(error, SOS_ERR_ARGUMENT, "no method was chosen");
    const sos_status status = s3svm_splits_check(p->splits, error);
    return !status && p->cache ? s3svm_cache_open(p->cache, error) : status;
}

static sos_status run_all(s3svm_segment_results *r, sos_error *error)
{
    s3svm_progress c = { .progress = r->plan.progress, .user = r->plan.user, .total = worth_of_all(&r->plan) };
    const double began = sos_seconds();
    sos_status status = data_open(r, error);
    if (status) return status;
    r->run = s3svm_segment_run(r);
    r->orders = calloc(r->plan.splits * r->images, sizeof *r->orders);
    r->outcomes = calloc(r->plan.splits * S3SVM_CONTENDERS, sizeof *r->outcomes);
    if (!r->orders || !r->outcomes) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the results");
    status = s3svm_contest_create(r->images, r->names, S3SVM_CONTENDERS, s3svm_contender_names, r->plan.splits, r->test,
                                  &r->contest, error);
    for (size_t split = 0; !status && split < r->plan.splits; split++) {
        status = run_split(r, &c, split, error);
        r->seconds = sos_seconds() - began;
        if (status) break;
        r->splits = r->contest.splits = split + 1;
        if (r->plan.told) r->plan.told(r->plan.listener, r, split, S3SVM_CONTENDERS);
    }
    r->stopped = status == SOS_CANCELLED;
    return r->stopped && r->splits ? SOS_OK : status;
}

sos_status s3svm_segment_experiment(const s3svm_segment_plan *plan, s3svm_segment_results *out, sos_error *error)
{
    sos_status status = interactive_plan_check(plan, error);
    if (status) return status;
    s3svm_segment_results r = { .plan = *plan };
    status = run_all(&r, error);
    if (status)
        s3svm_segment_results_free(&r);
    else
        *out = r;
    return status;
}

static void labels_free(size_t count, uint8_t **labels)
{
    for (size_t i = 0; labels && i < count; i++) free(labels[i]);
    free(labels);
}

void s3svm_segment_results_free(s3svm_segment_results *r)
{
    for (size_t i = 0; r->outcomes && i < r->plan.splits * S3SVM_CONTENDERS; i++) {
        free(r->outcomes[i].judged);
        s3svm_curve_free(&r->outcomes[i].curve);
    }
    free(r->outcomes);
    free(r->orders);
    s3svm_contest_free(&r->contest);
    for (size_t c = 0; c < S3SVM_CONTENDERS; c++) {
        labels_free(r->test, r->labels[c]);
        sos_model_free(r->models[c]);
    }
    for (size_t i = 0; i < r->images; i++) {
        free(r->names[i]);
        s3svm_marked_free(&r->pictures[i]);
    }
    free(r->names);
    free(r->pictures);
    *r = (s3svm_segment_results){ 0 };
}
