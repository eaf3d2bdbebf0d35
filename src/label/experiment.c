#include "label/experiment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "label/album.h"
#include "tasks/follow.h"
#include "tasks/split.h"

static const char *const METHOD_NAMES[SOS_LABEL_KINDS_COUNT] = {
    [SOS_LABEL_UNARY] = "Unaries alone",        [SOS_LABEL_PAIRWISE] = "Pairwise Potts",
    [SOS_LABEL_TABLES] = "Learned 2x2 tables",  [SOS_LABEL_FULL] = "Tables and superpixels",
    [SOS_LABEL_PAIRS] = "Pairs of 2x2 patches", [SOS_LABEL_ROBUST] = "Potts and robust P^n",
    [SOS_LABEL_COUNTS] = "Potts and counts",
};

size_t sos_label_contenders(const sos_label_plan *p, sos_label_kind kinds[SOS_LABEL_KINDS_COUNT])
{
    static const sos_label_kind order[SOS_LABEL_KINDS_COUNT] = { SOS_LABEL_UNARY,  SOS_LABEL_PAIRWISE, SOS_LABEL_PAIRS,
                                                                 SOS_LABEL_TABLES, SOS_LABEL_FULL,     SOS_LABEL_ROBUST,
                                                                 SOS_LABEL_COUNTS };
    size_t count = 0;
    for (size_t k = 0; k < SOS_LABEL_KINDS_COUNT; k++)
        if (p->contends[order[k]]) kinds[count++] = order[k];
    return count;
}

const char *sos_label_method_name(sos_label_kind kind) { return METHOD_NAMES[kind]; }

/* A score of a kind of model. */
typedef struct series {
    const sos_label_results *results;
    sos_label_kind kind;
    double (*score)(const sos_confusion *);
} series;

static double split_score(const void *data, size_t split)
{
    const series *s = data;
    return s->score(&sos_label_outcome_at(s->results, split, s->kind)->counts);
}

sos_spread sos_label_spread(const sos_label_results *r, sos_label_kind kind, double (*score)(const sos_confusion *))
{
    return sos_spread_of(r->plan.splits, split_score, &(series){ r, kind, score });
}

const sos_rivals sos_label_rivals[SOS_LABEL_RIVALS] = {
    { SOS_LABEL_PAIRWISE, SOS_LABEL_UNARY },  { SOS_LABEL_PAIRS, SOS_LABEL_PAIRWISE }, { SOS_LABEL_TABLES, SOS_LABEL_UNARY },
    { SOS_LABEL_TABLES, SOS_LABEL_PAIRWISE }, { SOS_LABEL_TABLES, SOS_LABEL_PAIRS },   { SOS_LABEL_FULL, SOS_LABEL_PAIRWISE },
    { SOS_LABEL_FULL, SOS_LABEL_PAIRS },      { SOS_LABEL_FULL, SOS_LABEL_TABLES },    { SOS_LABEL_ROBUST, SOS_LABEL_PAIRWISE },
    { SOS_LABEL_COUNTS, SOS_LABEL_PAIRWISE }, { SOS_LABEL_COUNTS, SOS_LABEL_PAIRS },   { SOS_LABEL_COUNTS, SOS_LABEL_ROBUST }
};

/* ---------------------------------------------------------------- progress */

/* What the steps are worth: about what they take. */
static const double WORTH[SOS_LABEL_KINDS_COUNT] = { 1, 6, 10, 14, 10, 12, 16 };
static const double FEATURES_WORTH = 5;

/* ---------------------------------------------------------------- photographs */

static sos_status album_open(sos_label_results *r, sos_label_album *a, sos_error *error)
{
    sos_dataset d;
    sos_status status = sos_dataset_open(r->plan.data, SOS_IMAGES_REQUIRED, false, &d, error);
    if (status) return status;
    r->images = d.count;
    sos_parts parts;
    status = sos_parts_find(d.count, r->plan.train ? r->plan.train : d.count * 3 / 5, 0, &parts, error);
    if (!status) r->train = parts.train;
    if (!status) status = sos_label_names_find(r->plan.names, &d, r->plan.unknown, &r->names, error);
    if (!status) status = sos_label_album_read(&d, &r->names, NULL, a, error);
    sos_dataset_free(&d);
    return status;
}

/* ---------------------------------------------------------------- one split */

typedef struct scene {
    sos_label_results *results;
    sos_course *course;
    size_t split;
    sos_label_selection train, test;
    sos_label_features *features;
    double seconds_features;
} scene;

static sos_status features_learn(scene *s, sos_error *error)
{
    sos_label_learning settings = sos_label_learning_defaults();
    const double began = sos_seconds();
    if (s->results->plan.epochs) settings.epochs = s->results->plan.epochs;
    settings.threads = s->results->plan.threads;
    settings.progress = sos_course_progress;
    settings.user = s->course;
    sos_course_begin(s->course, FEATURES_WORTH, "split %zu, features", s->split + 1);
    const sos_status status = sos_label_features_learn(&s->train.chosen, &settings, &s->features, error);
    s->seconds_features = sos_seconds() - began;
    return status ? status : sos_course_end(s->course, error);
}

static sos_status examples_make(const scene *s, const sos_model *m, sos_example *examples[], sos_error *error)
{
    sos_label_model *p;
    sos_status status = sos_label_model_create(m, &p, error);
    if (status) return status;
    const sos_work work = { .threads = s->results->plan.threads };
    status = sos_label_model_examples(p, &s->train.chosen, true, &work, examples, error);
    sos_label_model_free(p);
    return status;
}

static sos_status model_train(scene *s, sos_model *m, sos_label_outcome *o, sos_error *error)
{
    const size_t count = s->train.chosen.count;
    const sos_label_plan *p = &s->results->plan;
    sos_example **examples = calloc(count, sizeof(sos_example *));
    if (!examples) return sos_fail(error, SOS_ERR_MEMORY, "no memory for examples");
    const double began = sos_seconds();
    sos_train_settings settings = sos_label_training();
    sos_follower f = { .course = s->course, .gap = settings.gap };
    sos_train_result result = { 0 };
    settings.threads = p->threads;
    if (p->seconds > 0) settings.seconds = p->seconds;
    settings.progress = sos_follow;
    settings.user = &f;
    sos_status status = examples_make(s, m, examples, error);
    if (!status) status = sos_train(m, count, examples, &settings, &result, error);
    for (size_t i = 0; i < count; i++) sos_example_free(examples[i]);
    free(examples);
    status = sos_follow_end(&f, status, error);
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
static sos_status picture_judge(scene *s, sos_label_kind kind, const sos_label_model *m, size_t i, sos_label_outcome *o,
                                sos_error *error)
{
    const sos_label_selection *t = &s->test;
    const size_t n = sos_image_size(&t->pictures[i]);
    uint8_t *labels = malloc(n);
    if (!labels) return sos_fail(error, SOS_ERR_MEMORY, "no memory for labels");
    const double began = sos_seconds();
    const sos_status status = sos_label_model_predict(m, &t->pictures[i], labels, error);
    const double seconds = sos_seconds() - began;
    o->seconds_an_image += seconds / (double)t->chosen.count;
    o->slowest_image = fmax(o->slowest_image, seconds);
    if (!status) {
        sos_confusion_add(&o->counts, n, labels, t->truths[i], t->care[i]);
        sos_contest_errors(&s->results->contest, s->split, kind)[i] = wrong_share(n, labels, t->truths[i], t->care[i]);
    }
    if (!status && !s->split && i < s->results->shown_count)
        s->results->shown[i].labels[kind] = labels;
    else
        free(labels);
    return status;
}

static sos_status pictures_judge(scene *s, sos_label_kind kind, const sos_model *m, sos_label_outcome *o, sos_error *error)
{
    sos_label_model *p;
    sos_status status = sos_label_model_create(m, &p, error);
    if (status) return status;
    for (size_t i = 0; !status && i < s->test.chosen.count; i++) status = picture_judge(s, kind, p, i, o, error);
    sos_label_model_free(p);
    return status;
}

static sos_status run_kind(scene *s, sos_label_kind kind, sos_error *error)
{
    sos_label_outcome *o = sos_label_outcome_at(s->results, s->split, kind);
    const sos_label_design design = sos_label_design_of(kind);
    sos_model *m = NULL;
    sos_course_begin(s->course, WORTH[kind], "split %zu, %s", s->split + 1, METHOD_NAMES[kind]);
    o->seconds_features = s->seconds_features;
    sos_status status = sos_confusion_create(s->results->names.count, &o->counts, error);
    if (!status) status = sos_label_create(&design, s->features, &s->results->names, &m, error);
    if (!status) o->weights = sos_model_weight_count(m);
    if (!status) status = model_train(s, m, o, error);
    if (!status) status = pictures_judge(s, kind, m, o, error);
    if (!status && !s->split)
        s->results->models[kind] = m;
    else
        sos_model_free(m);
    return status ? status : sos_course_end(s->course, error);
}

/* Copies the first test pictures. */
static sos_status pictures_keep(sos_label_results *r, const sos_label_album *a, size_t count, const size_t order[],
                                sos_error *error)
{
    for (size_t i = 0; i < count && i < SOS_LABEL_SHOWN_MAX; i++) {
        const sos_labelled *from = &a->pictures[order[i]];
        const size_t n = sos_image_size(&from->picture), letters = strlen(a->names[order[i]]) + 1;
        sos_label_shown *to = &r->shown[i];
        const sos_status status = sos_image_create(from->picture.width, from->picture.height, 3, &to->seen.picture, error);
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

static sos_status run_split(sos_label_results *r, sos_course *c, size_t split, const sos_label_album *a, size_t order[],
                            sos_error *error)
{
    scene s = { .results = r, .course = c, .split = split };
    const size_t labels = r->names.count, tested = a->count - r->train;
    sos_split(a->count, r->plan.seed, split, order);
    sos_contest_begin(&r->contest, split, order + r->train);
    sos_status status = sos_label_selection_make(a, labels, r->train, order, &s.train, error);
    if (!status) status = sos_label_selection_make(a, labels, tested, order + r->train, &s.test, error);
    if (!status && !split) status = pictures_keep(r, a, tested, order + r->train, error);
    if (!status) status = features_learn(&s, error);
    sos_label_kind kinds[SOS_LABEL_KINDS_COUNT];
    const size_t count = sos_label_contenders(&r->plan, kinds);
    for (size_t k = 0; !status && k < count; k++) status = run_kind(&s, kinds[k], error);
    sos_label_selection_free(&s.train);
    sos_label_selection_free(&s.test);
    sos_label_features_free(s.features);
    if (!status) r->contest.splits = split + 1;
    return status;
}

static double worth_of_all(const sos_label_plan *p)
{
    double sum = FEATURES_WORTH;
    for (size_t k = 0; k < SOS_LABEL_KINDS_COUNT; k++) sum += p->contends[k] ? WORTH[k] : 0;
    return sum * (double)p->splits;
}

sos_status sos_label_experiment(const sos_label_plan *plan, sos_label_results *out, sos_error *error)
{
    sos_status status = sos_splits_check(plan->splits, error);
    if (status) return status;
    sos_label_results *r = calloc(1, sizeof *r); /* too large for small stacks */
    sos_label_album a = { 0 };
    size_t *order = NULL;
    const double began = sos_seconds();
    sos_course c = { .progress = plan->progress, .user = plan->user, .total = worth_of_all(plan) };
    if (!r) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the results");
    r->plan = *plan;
    r->outcomes = calloc(plan->splits * SOS_LABEL_KINDS_COUNT, sizeof *r->outcomes);
    status = r->outcomes ? album_open(r, &a, error) : sos_fail(error, SOS_ERR_MEMORY, "no memory for the results");
    if (!status && !(order = malloc(a.count * sizeof *order)))
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for a split");
    if (!status)
        status = sos_contest_create(a.count, a.names, SOS_LABEL_KINDS_COUNT, METHOD_NAMES, plan->splits, a.count - r->train,
                                    &r->contest, error);
    for (size_t split = 0; !status && split < plan->splits; split++) status = run_split(r, &c, split, &a, order, error);
    r->seconds = sos_seconds() - began;
    free(order);
    sos_label_album_free(&a);
    if (status)
        sos_label_results_free(r);
    else
        *out = *r;
    free(r);
    return status;
}

void sos_label_results_free(sos_label_results *r)
{
    for (size_t i = 0; r->outcomes && i < r->plan.splits * SOS_LABEL_KINDS_COUNT; i++)
        sos_confusion_free(&r->outcomes[i].counts);
    free(r->outcomes);
    sos_contest_free(&r->contest);
    for (size_t i = 0; i < SOS_LABEL_SHOWN_MAX; i++) {
        free(r->shown[i].name);
        sos_labelled_free(&r->shown[i].seen);
        for (size_t k = 0; k < SOS_LABEL_KINDS_COUNT; k++) free(r->shown[i].labels[k]);
    }
    for (size_t k = 0; k < SOS_LABEL_KINDS_COUNT; k++) sos_model_free(r->models[k]);
    memset(r, 0, sizeof *r);
}
