#include "experiments/label/experiment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "experiments/common/curve_recorder.h"
#include "label/album.h"
#include "tasks/photographs.h"

static const char *const METHOD_NAMES[S3SVM_LABEL_DESIGNS] = {
    [S3SVM_LABEL_UNARY] = "Unaries alone",        [S3SVM_LABEL_PAIRWISE] = "Pairwise Potts",
    [S3SVM_LABEL_TABLES] = "Learned 2x2 tables",  [S3SVM_LABEL_FULL] = "Tables and superpixels",
    [S3SVM_LABEL_PAIRS] = "Pairs of 2x2 patches", [S3SVM_LABEL_ROBUST] = "Potts and robust P^n",
    [S3SVM_LABEL_COUNTS] = "Potts and counts",
};

size_t s3svm_label_contenders(const s3svm_label_plan *p, s3svm_label_kind kinds[S3SVM_LABEL_DESIGNS])
{
    static const s3svm_label_kind order[S3SVM_LABEL_DESIGNS] = { S3SVM_LABEL_UNARY,  S3SVM_LABEL_PAIRWISE, S3SVM_LABEL_PAIRS,
                                                                 S3SVM_LABEL_TABLES, S3SVM_LABEL_FULL,     S3SVM_LABEL_ROBUST,
                                                                 S3SVM_LABEL_COUNTS };
    size_t count = 0;
    for (size_t k = 0; k < S3SVM_LABEL_DESIGNS; k++)
        if (p->contends[order[k]]) kinds[count++] = order[k];
    return count;
}

const char *s3svm_label_method_name(s3svm_label_kind kind) { return METHOD_NAMES[kind]; }

/* A score of a kind of model. */
typedef struct series {
    const s3svm_label_results *results;
    s3svm_label_kind kind;
    double (*score)(const s3svm_confusion *);
} series;

static double split_score(const void *data, size_t split)
{
    const series *s = data;
    return s->score(&s3svm_label_outcome_at(s->results, split, s->kind)->counts);
}

s3svm_spread s3svm_label_spread(const s3svm_label_results *r, s3svm_label_kind kind, double (*score)(const s3svm_confusion *))
{
    return s3svm_spread_of(r->plan.splits, split_score, &(series){ r, kind, score });
}

const s3svm_rivals s3svm_label_rivals[S3SVM_LABEL_RIVALS] = {
    { S3SVM_LABEL_PAIRWISE, S3SVM_LABEL_UNARY },  { S3SVM_LABEL_PAIRS, S3SVM_LABEL_PAIRWISE },
    { S3SVM_LABEL_TABLES, S3SVM_LABEL_UNARY },    { S3SVM_LABEL_TABLES, S3SVM_LABEL_PAIRWISE },
    { S3SVM_LABEL_TABLES, S3SVM_LABEL_PAIRS },    { S3SVM_LABEL_FULL, S3SVM_LABEL_PAIRWISE },
    { S3SVM_LABEL_FULL, S3SVM_LABEL_PAIRS },      { S3SVM_LABEL_FULL, S3SVM_LABEL_TABLES },
    { S3SVM_LABEL_ROBUST, S3SVM_LABEL_PAIRWISE }, { S3SVM_LABEL_COUNTS, S3SVM_LABEL_PAIRWISE },
    { S3SVM_LABEL_COUNTS, S3SVM_LABEL_PAIRS },    { S3SVM_LABEL_COUNTS, S3SVM_LABEL_ROBUST }
};

/* ---------------------------------------------------------------- progress */

/* What the steps are worth: about what they take. */
static const double WORTH[S3SVM_LABEL_DESIGNS] = {
    [S3SVM_LABEL_UNARY] = 1,  [S3SVM_LABEL_PAIRWISE] = 6, [S3SVM_LABEL_TABLES] = 10, [S3SVM_LABEL_FULL] = 14,
    [S3SVM_LABEL_PAIRS] = 10, [S3SVM_LABEL_ROBUST] = 12,  [S3SVM_LABEL_COUNTS] = 16,
};
static const double FEATURES_WORTH = 5;

/* ---------------------------------------------------------------- photographs */

static sos_status album_open(s3svm_label_results *r, s3svm_label_album *a, sos_error *error)
{
    s3svm_dataset d;
    sos_status status = s3svm_dataset_open(r->plan.data, S3SVM_IMAGES_REQUIRED, false, &d, error);
    if (status) return status;
    r->images = d.count;
    s3svm_parts parts;
    status = s3svm_parts_find(d.count, r->plan.train ? r->plan.train : d.count * 3 / 5, 0, &parts, error);
    if (!status) r->train = parts.train;
    if (!status) status = s3svm_label_names_find(r->plan.names, &d, r->plan.unknown, &r->names, error);
    if (!status) status = s3svm_label_album_read(&d, &r->names, NULL, a, error);
    s3svm_dataset_free(&d);
    return status;
}

/* ---------------------------------------------------------------- one split */

typedef struct split_run {
    s3svm_label_results *results;
    s3svm_progress *progress;
    size_t split;
    s3svm_label_selection train, test;
    s3svm_label_features *features;
    double seconds_features;
} split_run;

static sos_status features_learn(split_run *s, sos_error *error)
{
    s3svm_label_learning settings = s3svm_label_learning_defaults();
    const double began = sos_seconds();
    if (s->results->plan.epochs) settings.epochs = s->results->plan.epochs;
    settings.work.threads = s->results->plan.threads;
    settings.work.progress = s3svm_progress_callback;
    settings.work.user = s->progress;
    s3svm_progress_begin(s->progress, FEATURES_WORTH, "split %zu, features", s->split + 1);
    const sos_status status = s3svm_label_features_learn(&s->train.chosen, &settings, &s->features, error);
    s->seconds_features = sos_seconds() - began;
    return status ? status : s3svm_progress_end(s->progress, error);
}

static sos_status corel_examples_make(const split_run *s, const sos_model *m, sos_example *examples[], sos_error *error)
{
    s3svm_label_model *p;
    sos_status status = s3svm_label_model_create(m, &p, error);
    if (status) return status;
    const sos_work work = { .threads = s->results->plan.threads };
    status = s3svm_label_model_examples(p, &s->train.chosen, true, NULL, &work, examples, error);
    s3svm_label_model_free(p);
    return status;
}

static sos_status model_train(split_run *s, sos_model *m, s3svm_label_outcome *o, sos_error *error)
{
    const size_t count = s->train.chosen.count;
    const s3svm_label_plan *p = &s->results->plan;
    sos_example **examples = calloc(count, sizeof(sos_example *));
    if (!examples) return sos_fail(error, SOS_ERR_MEMORY, "no memory for examples");
    const double began = sos_seconds();
    sos_train_settings settings = s3svm_label_training();
    s3svm_curve_recorder f = { .progress = s->progress, .gap = settings.gap };
    sos_train_result result = { 0 };
    settings.work.threads = p->threads;
    if (p->seconds > 0) settings.seconds = p->seconds;
    settings.watch = s3svm_curve_record;
    settings.work.user = &f;
    sos_status status = corel_examples_make(s, m, examples, error);
    if (!status) status = sos_train(m, count, examples, &settings, &result, error);
    for (size_t i = 0; i < count; i++) sos_example_free(examples[i]);
    free(examples);
    status = s3svm_curve_end(&f, status, error);
    o->seconds_training = sos_seconds() - began;
    o->gap = result.last.gap;
    o->approximate = result.approximate;
    o->answers = result.last.oracle_calls;
    o->beaten = result.last.beaten;
    o->rounds = result.last.round;
    return status;
}

/* Of the pixels that have a label; 0 where none has. */
static double wrong_share(size_t n, const uint8_t labels[], const uint8_t truth[], const uint8_t care[])
{
    size_t wrong = 0, all = 0;
    for (size_t i = 0; i < n; i++) {
        if (care && !care[i]) continue;
        wrong += labels[i] != truth[i];
        all++;
    }
    return all ? (double)wrong / (double)all : 0;
}

/* Labels a test picture; those that are shown are kept. */
static sos_status picture_judge(split_run *s, s3svm_label_kind kind, const s3svm_label_model *m, size_t i,
                                s3svm_label_outcome *o, sos_error *error)
{
    const s3svm_label_selection *t = &s->test;
    const size_t n = s3svm_image_size(&t->pictures[i]);
    uint8_t *labels = malloc(n);
    if (!labels) return sos_fail(error, SOS_ERR_MEMORY, "no memory for labels");
    const double began = sos_seconds();
    const sos_status status = s3svm_label_model_predict(m, &t->pictures[i], labels, error);
    const double seconds = sos_seconds() - began;
    o->seconds_an_image += seconds / (double)t->chosen.count;
    o->slowest_image = fmax(o->slowest_image, seconds);
    if (!status) {
        s3svm_confusion_add(&o->counts, n, labels, t->truths[i], t->care[i]);
        s3svm_contest_errors(&s->results->contest, s->split, kind)[i] = wrong_share(n, labels, t->truths[i], t->care[i]);
    }
    if (!status && !s->split && i < s->results->shown_count)
        s->results->shown[i].labels[kind] = labels;
    else
        free(labels);
    return status;
}

static sos_status pictures_judge(split_run *s, s3svm_label_kind kind, const sos_model *m, s3svm_label_outcome *o,
                                 sos_error *error)
{
    s3svm_label_model *p;
    sos_status status = s3svm_label_model_create(m, &p, error);
    if (status) return status;
    for (size_t i = 0; !status && i < s->test.chosen.count; i++) status = picture_judge(s, kind, p, i, o, error);
    s3svm_label_model_free(p);
    return status;
}

static sos_status run_kind(split_run *s, s3svm_label_kind kind, sos_error *error)
{
    s3svm_label_outcome *o = s3svm_label_outcome_at(s->results, s->split, kind);
    const s3svm_label_design design = s3svm_label_design_of(kind);
    sos_model *m = NULL;
    s3svm_progress_begin(s->progress, WORTH[kind], "split %zu, %s", s->split + 1, METHOD_NAMES[kind]);
    o->seconds_features = s->seconds_features;
    sos_status status = s3svm_confusion_create(s->results->names.count, &o->counts, error);
    if (!status) status = s3svm_label_create(&design, s->features, &s->results->names, &m, error);
    if (!status) o->weights = sos_model_weight_count(m);
    if (!status) status = model_train(s, m, o, error);
    if (!status) status = pictures_judge(s, kind, m, o, error);
    if (!status && !s->split)
        s->results->models[kind] = m;
    else
        sos_model_free(m);
    return status ? status : s3svm_progress_end(s->progress, error);
}

/* Copies the first test pictures. */
static sos_status pictures_keep(s3svm_label_results *r, const s3svm_label_album *a, size_t count, const size_t order[],
                                sos_error *error)
{
    for (size_t i = 0; i < count && i < S3SVM_LABEL_SHOWN_MAX; i++) {
        const s3svm_labelled *from = &a->pictures[order[i]];
        const size_t n = s3svm_image_size(&from->picture), letters = strlen(a->names[order[i]]) + 1;
        s3svm_label_shown *to = &r->shown[i];
        const sos_status status = s3svm_image_create(from->picture.width, from->picture.height, 3, &to->seen.picture, error);
        if (status) return status;
        r->shown_count = i + 1;
        to->name = malloc(letters);
        to->seen.truth = malloc(n);
        to->seen.care = from->care ? malloc(n) : NULL;
        if (!to->name || !to->seen.truth || (from->care && !to->seen.care))
            return sos_fail(error, SOS_ERR_MEMORY, "no memory for pictures");
        memcpy(to->name, a->names[order[i]], letters);
        memcpy(to->seen.picture.pixels, from->picture.pixels, 3 * n);
        memcpy(to->seen.truth, from->truth, n);
        if (from->care) memcpy(to->seen.care, from->care, n);
    }
    return SOS_OK;
}

static sos_status split_order(const s3svm_label_results *r, size_t split, const s3svm_label_album *a, size_t order[],
                              sos_error *error)
{
    const s3svm_parts parts = { .train = r->train, .test = a->count - r->train };
    uint64_t *hashes = malloc(a->count * sizeof *hashes);
    if (!hashes) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a split");
    for (size_t i = 0; i < a->count; i++) hashes[i] = s3svm_photograph_hash(&a->pictures[i].picture);
    const sos_status status = s3svm_photographs_hashed_split(&parts, hashes, r->plan.seed, split, order, error);
    free(hashes);
    return status;
}

static sos_status run_split(s3svm_label_results *r, s3svm_progress *c, size_t split, const s3svm_label_album *a, size_t order[],
                            sos_error *error)
{
    split_run s = { .results = r, .progress = c, .split = split };
    const size_t labels = r->names.count, tested = a->count - r->train;
    sos_status status = split_order(r, split, a, order, error);
    if (status) return status;
    s3svm_contest_begin(&r->contest, split, order + r->train);
    status = s3svm_label_selection_make(a, labels, r->train, order, &s.train, error);
    if (!status) status = s3svm_label_selection_make(a, labels, tested, order + r->train, &s.test, error);
    if (!status && !split) status = pictures_keep(r, a, tested, order + r->train, error);
    if (!status) status = features_learn(&s, error);
    s3svm_label_kind kinds[S3SVM_LABEL_DESIGNS];
    const size_t count = s3svm_label_contenders(&r->plan, kinds);
    for (size_t k = 0; !status && k < count; k++) status = run_kind(&s, kinds[k], error);
    s3svm_label_selection_free(&s.train);
    s3svm_label_selection_free(&s.test);
    s3svm_label_features_free(s.features);
    if (!status) r->contest.splits = split + 1;
    return status;
}

static double worth_of_all(const s3svm_label_plan *p)
{
    double sum = FEATURES_WORTH;
    for (size_t k = 0; k < S3SVM_LABEL_DESIGNS; k++) sum += p->contends[k] ? WORTH[k] : 0;
    return sum * (double)p->splits;
}

sos_status s3svm_label_experiment(const s3svm_label_plan *plan, s3svm_label_results *out, sos_error *error)
{
    sos_status status = s3svm_splits_check(plan->splits, error);
    if (status) return status;
    s3svm_label_results *r = calloc(1, sizeof *r); /* too large for small stacks */
    s3svm_label_album a = { 0 };
    size_t *order = NULL;
    const double began = sos_seconds();
    s3svm_progress c = { .progress = plan->progress, .user = plan->user, .total = worth_of_all(plan) };
    if (!r) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the results");
    r->plan = *plan;
    r->outcomes = calloc(plan->splits * S3SVM_LABEL_DESIGNS, sizeof *r->outcomes);
    status = r->outcomes ? album_open(r, &a, error) : sos_fail(error, SOS_ERR_MEMORY, "no memory for the results");
    if (!status && !(order = malloc(a.count * sizeof *order)))
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for a split");
    if (!status)
        status = s3svm_contest_create(a.count, a.names, S3SVM_LABEL_DESIGNS, METHOD_NAMES, plan->splits, a.count - r->train,
                                      &r->contest, error);
    for (size_t split = 0; !status && split < plan->splits; split++) status = run_split(r, &c, split, &a, order, error);
    r->seconds = sos_seconds() - began;
    free(order);
    s3svm_label_album_free(&a);
    if (status)
        s3svm_label_results_free(r);
    else
        *out = *r;
    free(r);
    return status;
}

void s3svm_label_results_free(s3svm_label_results *r)
{
    for (size_t i = 0; r->outcomes && i < r->plan.splits * S3SVM_LABEL_DESIGNS; i++)
        s3svm_confusion_free(&r->outcomes[i].counts);
    free(r->outcomes);
    s3svm_contest_free(&r->contest);
    for (size_t i = 0; i < S3SVM_LABEL_SHOWN_MAX; i++) {
        free(r->shown[i].name);
        s3svm_labelled_free(&r->shown[i].seen);
        for (size_t k = 0; k < S3SVM_LABEL_DESIGNS; k++) free(r->shown[i].labels[k]);
    }
    for (size_t k = 0; k < S3SVM_LABEL_DESIGNS; k++) sos_model_free(r->models[k]);
    memset(r, 0, sizeof *r);
}
