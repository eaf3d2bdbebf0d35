#include "segment/clicks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/embedded.h>
#include <s3svm/segmenter.h>
#include <s3svm/simulate.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/path.h"
#include "base/threads.h"
#include "segment/clicks_judge.h"
#include "segment/clicks_learn.h"
#include "tasks/course.h"
#include "tasks/split.h"

const double sos_clicks_goals[SOS_CLICKS_GOALS] = { 0.85, 0.90 };
const size_t sos_clicks_frames[SOS_CLICKS_FRAMES] = { 1, 2, 3, 5, 10, 20 };

static const double BOX_MARGIN = 0.1; /* boxes are a tenth larger than the true one */

/* ---------------------------------------------------------------- methods */

/* A path with the number of a split, from 1, in the place of {}. */
void sos_clicks_path(const char *pattern, size_t split, size_t room, char path[])
{
    const char *place = strstr(pattern, "{}");
    if (place)
        snprintf(path, room, "%.*s%zu%s", (int)(place - pattern), pattern, split + 1, place + 2);
    else
        snprintf(path, room, "%s", pattern);
}

/* How many splits have a model of their own: all photographs are one. */
size_t sos_clicks_splits(const sos_clicks_plan *p) { return p->splits ? p->splits : 1; }

static sos_status model_prepare(const sos_model *file, const char *name, sos_segment_model **out, sos_error *error)
{
    sos_error why;
    const sos_status status = sos_segment_model_create(file, out, &why);
    return status ? sos_fail(error, status, "%.200s: %.250s", name, why.message) : SOS_OK;
}

sos_status sos_clicks_model_read(const char *path, sos_model **out, sos_error *error)
{
    return sos_path_exists(path) ? sos_model_read(path, out, error) : sos_embedded_model(path, out, error);
}

static sos_status model_read(const char *path, sos_segment_model **out, sos_error *error)
{
    sos_model *file;
    sos_status status = sos_clicks_model_read(path, &file, error);
    if (status) return status;
    status = model_prepare(file, path, out, error);
    sos_model_free(file);
    return status;
}

sos_status sos_clicks_method_add(sos_clicks_results *r, bool models, const char *word, const char *name,
                                 sos_clicks_method **out, sos_error *error)
{
    if (r->method_count == SOS_CLICKS_METHODS_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "more than %d methods", SOS_CLICKS_METHODS_MAX);
    sos_clicks_method *m = &r->methods[r->method_count++];
    snprintf(m->word, sizeof m->word, "%s", word);
    snprintf(m->name, sizeof m->name, "%s", name);
    if (models) m->models = calloc(sos_clicks_splits(&r->plan), sizeof *m->models);
    if (models && !m->models) return sos_fail(error, SOS_ERR_MEMORY, "no memory for models");
    *out = m;
    return SOS_OK;
}

static sos_status models_add(sos_clicks_results *r, const char *word, const char *name, sos_error *error)
{
    sos_clicks_method *m = NULL;
    sos_status status = sos_clicks_method_add(r, true, word, name, &m, error);
    const bool one = !strstr(word, "{}");
    for (size_t i = 0; i < sos_clicks_splits(&r->plan) && !status; i++) {
        char path[sizeof m->word + 24];
        sos_clicks_path(word, i, sizeof path, path);
        if (one && i)
            m->models[i] = m->models[0];
        else
            status = model_read(path, &m->models[i], error);
    }
    return status;
}

static void method_free(sos_clicks_method *m, size_t splits)
{
    for (size_t i = splits; m->models && i-- > 0;)
        if (!i || m->models[i] != m->models[0]) sos_segment_model_free(m->models[i]);
    free(m->models);
}

/* One of the words of --methods. */
static sos_status word_add(sos_clicks_results *r, const char *word, sos_error *error)
{
    sos_clicks_method *m;
    if (!strcmp(word, "grabcut")) return sos_clicks_method_add(r, false, word, "GrabCut", &m, error);
    if (!strcmp(word, "amn")) return models_add(r, "segment-amn", "AMN, inside", error);
    if (!strcmp(word, "model")) return models_add(r, "segment", "The model inside", error);
    return sos_fail(error, SOS_ERR_ARGUMENT, "--methods takes a list of model, amn and grabcut, not '%.100s'", word);
}

static sos_status file_add(sos_clicks_results *r, const char *path, sos_error *error)
{
    char *stem = sos_path_stem(path);
    const sos_status status = stem ? models_add(r, path, stem, error) : sos_fail(error, SOS_ERR_MEMORY, "no memory for a name");
    free(stem);
    return status;
}

/* Words with commas between them, one after the other. */
static sos_status list_add(sos_clicks_results *r, const char *list,
                           sos_status (*add)(sos_clicks_results *, const char *, sos_error *), sos_error *error)
{
    sos_status status = SOS_OK;
    for (const char *at = list; *at && !status;) {
        char word[256];
        const size_t length = strcspn(at, ",");
        if (length >= sizeof word) return sos_fail(error, SOS_ERR_ARGUMENT, "'%.100s...' is too long", at);
        memcpy(word, at, length);
        word[length] = '\0';
        status = add(r, word, error);
        at += length + (at[length] == ',');
    }
    return status;
}

static sos_status methods_open(sos_clicks_results *r, sos_error *error)
{
    const sos_clicks_plan *p = &r->plan;
    const char *methods = p->methods ? p->methods : p->models ? "grabcut" : "model,grabcut";
    sos_status status = p->models ? list_add(r, p->models, file_add, error) : SOS_OK;
    if (!status) status = list_add(r, methods, word_add, error);
    if (!status && !r->method_count) status = sos_fail(error, SOS_ERR_ARGUMENT, "no method was chosen");
    return status;
}

/* ---------------------------------------------------------------- photographs */

static sos_status data_open(sos_clicks_results *r, sos_error *error)
{
    char *folder = sos_path_join(r->plan.data, "scribbles", "");
    if (!folder) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a path");
    r->has_scribbles = sos_path_is_folder(folder);
    free(folder);
    return sos_dataset_open(r->plan.data, SOS_IMAGES_REQUIRED, r->has_scribbles, &r->data, error);
}

/* Photographs of a split: its test part, as "interactive" splits, or all that nobody learns from; without splits, all in an
 * order by the seed. */
static sos_status split_cases(sos_clicks_results *r, size_t split, size_t order[], sos_error *error)
{
    const sos_clicks_plan *p = &r->plan;
    const size_t count = r->data.count;
    sos_parts parts = { .test = count };
    sos_status status = SOS_OK;
    const size_t lesson = sos_clicks_lesson(p);
    if (lesson)
        status = sos_parts_find(count, lesson, 0, &parts, error);
    else if (p->splits)
        status = sos_parts_usual(count, 0, 0, &parts, error);
    if (status) return status;
    sos_split(count, p->seed, split, order);
    const size_t test = p->photographs && p->photographs < parts.test ? p->photographs : parts.test;
    for (size_t i = 0; i < test; i++)
        r->cases[r->planned++] = (sos_clicks_case){ .picture = order[count - parts.test + i], .split = split };
    return SOS_OK;
}

static sos_status cases_make(sos_clicks_results *r, sos_error *error)
{
    const size_t splits = sos_clicks_splits(&r->plan), most = splits * r->data.count;
    size_t *order = malloc(r->data.count * sizeof *order);
    r->cases = calloc(most, sizeof *r->cases);
    sos_status status = order && r->cases ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu photographs", most);
    for (size_t split = 0; split < splits && !status; split++) status = split_cases(r, split, order, error);
    free(order);
    if (status) return status;
    r->outcomes = calloc(r->planned * r->method_count, sizeof *r->outcomes);
    return r->outcomes ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for the results");
}

/* ---------------------------------------------------------------- one dialogue */

/* What all threads share. */
typedef struct gathering {
    sos_clicks_results *results;
    sos_course course;
    size_t clicks; /* made so far, of all dialogues */
} gathering;

/* A method before a photograph. */
typedef struct session {
    gathering *shared;
    const sos_clicks_subject *subject;
    sos_clicks_outcome *outcome;
    sos_segmenter *segmenter;
    uint8_t *before, *labels; /* before the last click, and behind it */
    sos_error *error;
} session;

static bool goes_on(void *user, const char *phase, double done)
{
    gathering *shared = user;
    const sos_clicks_results *r = shared->results;
    const double all = (double)(r->planned * r->method_count * r->plan.clicks);
    size_t clicks;
    (void)phase;
    (void)done;
#pragma omp atomic read
    clicks = shared->clicks;
    return sos_course_report(&shared->course, (double)clicks / all);
}

static void clicks_count(gathering *shared, size_t clicks)
{
#pragma omp atomic
    shared->clicks += clicks;
}

/* The labels behind the last step of a dialogue, all before it having been given. */
static sos_status dialogue_labels(const session *s, const sos_dialogue *d, uint8_t labels[])
{
    const size_t step = sos_dialogue_steps(d) - 1, count = sos_dialogue_count(d, step);
    sos_mark *marks = malloc(count * sizeof *marks);
    if (!marks) return sos_fail(s->error, SOS_ERR_MEMORY, "no memory for marks");
    for (size_t i = 0; i < count; i++) marks[i] = sos_dialogue_mark(d, step, i);
    const sos_status status = sos_segmenter_mark(s->segmenter, count, marks, s->error);
    if (!status) memcpy(labels, sos_segmenter_labels(s->segmenter), sos_image_size(&s->subject->photograph));
    free(marks);
    return status;
}

/* Labels by marks that are all there is. */
static sos_status single_judge(const session *s, const sos_dialogue *d, sos_clicks_score *score)
{
    sos_segmenter_cut(s->segmenter, 0);
    const sos_status status = dialogue_labels(s, d, s->labels);
    if (!status) *score = sos_clicks_judge(s->subject, s->labels);
    return status;
}

static sos_status box_judge(const session *s)
{
    sos_simulation person = sos_simulation_defaults();
    const sos_image *p = &s->subject->photograph;
    sos_dialogue *d;
    person.kind = SOS_SIMULATED_BOX;
    person.margin = BOX_MARGIN;
    sos_status status = sos_dialogue_create(p->width, p->height, &d, s->error);
    if (status) return status;
    status = sos_simulate_first(&person, s->subject->truth, s->subject->care, d, s->error);
    if (!status) status = single_judge(s, d, &s->outcome->box);
    sos_dialogue_free(d);
    return status;
}

static sos_status scribbles_judge(const session *s)
{
    const sos_image *p = &s->subject->photograph;
    sos_dialogue *d;
    sos_status status = sos_dialogue_create(p->width, p->height, &d, s->error);
    if (status) return status;
    const sos_mark mark = { .shape = SOS_SHAPE_PIXELS, .pixels = &s->subject->scribbles };
    status = sos_dialogue_add(d, 1, &mark, s->error);
    if (!status) status = single_judge(s, d, &s->outcome->scribbles);
    sos_dialogue_free(d);
    return status;
}

static sos_status frames_keep(const session *s, size_t click)
{
    const size_t n = sos_image_size(&s->subject->photograph);
    for (size_t f = 0; f < SOS_CLICKS_FRAMES; f++) {
        if (sos_clicks_frames[f] != click + 1) continue;
        uint8_t *packed = s->outcome->film[f] = calloc(n / 8 + 1, 1);
        if (!packed) return sos_fail(s->error, SOS_ERR_MEMORY, "no memory for a film");
        for (size_t i = 0; i < n; i++) packed[i / 8] |= (uint8_t)(s->labels[i] << i % 8);
    }
    return SOS_OK;
}

/* The next click, unless nothing is wrong, and what it gives. */
static sos_status click_make(session *s, size_t click, bool *right)
{
    const sos_clicks_plan *p = &s->shared->results->plan;
    sos_clicks_outcome *o = s->outcome;
    sos_simulation person = sos_simulation_defaults();
    person.radius = p->radius;
    person.whole = p->whole;
    sos_status status = sos_simulate_correct(&person, s->subject->truth, s->subject->care, s->labels, o->dialogue, right,
                                             s->error);
    if (status || *right) return status;
    memcpy(s->before, s->labels, sos_image_size(&s->subject->photograph));
    const double began = sos_seconds_of_thread();
    status = dialogue_labels(s, o->dialogue, s->labels);
    o->seconds += sos_seconds_of_thread() - began;
    if (status) return status;
    const sos_mark mark = sos_dialogue_mark(o->dialogue, sos_dialogue_steps(o->dialogue) - 1, 0);
    o->scores[click] = sos_clicks_judge(s->subject, s->labels);
    o->harms[click] = click ? sos_clicks_harm_of(s->subject, s->before, s->labels, mark.points[0]) : NAN;
    o->made = click + 1;
    return SOS_OK;
}

static sos_status clicks_make(session *s)
{
    const size_t clicks = s->shared->results->plan.clicks;
    sos_clicks_outcome *o = s->outcome;
    bool right = false;
    sos_status status = SOS_OK;
    for (size_t k = 0; k < clicks && !status; k++) {
        if (!right) status = click_make(s, k, &right);
        if (!status && right && !k) status = sos_fail(s->error, SOS_ERR_ARGUMENT, "its true mask has no object");
        if (right && k) {
            o->scores[k] = o->scores[k - 1];
            o->harms[k] = NAN;
        }
        if (!status) status = frames_keep(s, k);
        clicks_count(s->shared, 1);
    }
    for (size_t g = 0; g < SOS_CLICKS_GOALS && !status; g++) {
        size_t k = 0;
        while (k < clicks && o->scores[k].iou < sos_clicks_goals[g]) k++;
        o->reached[g] = k < clicks;
        o->needed[g] = o->reached[g] ? k + 1 : clicks;
    }
    o->last = o->scores[clicks - 1];
    if (o->made) o->seconds /= (double)o->made;
    return status;
}

static sos_status session_run(session *s, const sos_segment_model *model)
{
    const sos_image *p = &s->subject->photograph;
    sos_clicks_outcome *o = s->outcome;
    sos_cutout_settings settings = sos_cutout_defaults();
    settings.work = (sos_work){ .threads = 1, .progress = goes_on, .user = s->shared };
    const double began = sos_seconds_of_thread();
    sos_status status = sos_segmenter_create(model, p, &settings, &s->segmenter, s->error);
    o->seconds_look = sos_seconds_of_thread() - began;
    if (!status) status = sos_dialogue_create(p->width, p->height, &o->dialogue, s->error);
    if (!status) status = clicks_make(s);
    if (!status) status = box_judge(s);
    o->scribbles = (sos_clicks_score){ NAN, NAN, { NAN, NAN, NAN } };
    if (!status && s->subject->scribbles.pixels) status = scribbles_judge(s);
    o->done = !status;
    return status;
}

static sos_status outcome_find(gathering *shared, size_t i, size_t method, sos_error *error)
{
    sos_clicks_results *r = shared->results;
    const sos_clicks_case *c = &r->cases[i];
    const sos_clicks_method *m = &r->methods[method];
    const sos_item *item = &r->data.items[c->picture];
    sos_clicks_subject subject;
    sos_error why;
    sos_status status = sos_clicks_subject_read(item, &subject, error);
    if (status) return status;
    const size_t n = sos_image_size(&subject.photograph);
    session s = { .shared = shared, .subject = &subject, .outcome = sos_clicks_outcome_at(r, i, method), .error = &why };
    s.before = calloc(n, 1);
    s.labels = calloc(n, 1); /* all background, to begin with */
    status = s.before && s.labels ? session_run(&s, m->models ? m->models[c->split] : NULL)
                                  : sos_fail(&why, SOS_ERR_MEMORY, "no memory for labels");
    if (status) status = sos_fail(error, status, "'%.150s', %.100s: %.200s", item->name, m->name, why.message);
    sos_segmenter_free(s.segmenter);
    free(s.before);
    free(s.labels);
    sos_clicks_subject_free(&subject);
    return status;
}

/* ---------------------------------------------------------------- all of them */

static void outcome_free(sos_clicks_outcome *o)
{
    sos_dialogue_free(o->dialogue);
    for (size_t f = 0; f < SOS_CLICKS_FRAMES; f++) free(o->film[f]);
    *o = (sos_clicks_outcome){ 0 };
}

/* Keeps the cases that all methods are done with, in their order. */
static void cases_keep(sos_clicks_results *r)
{
    for (size_t i = 0; i < r->planned; i++) {
        bool complete = true;
        for (size_t m = 0; m < r->method_count; m++) complete = complete && sos_clicks_outcome_at(r, i, m)->done;
        for (size_t m = 0; m < r->method_count; m++) {
            sos_clicks_outcome *from = sos_clicks_outcome_at(r, i, m), *to = sos_clicks_outcome_at(r, r->case_count, m);
            if (!complete) {
                outcome_free(from);
            } else if (from != to) {
                *to = *from;
                *from = (sos_clicks_outcome){ 0 };
            }
        }
        if (complete) r->cases[r->case_count++] = r->cases[i];
    }
    for (size_t i = 0; i < r->case_count; i++) {
        bool before = false;
        for (size_t j = 0; j < i; j++) before = before || r->cases[j].picture == r->cases[i].picture;
        r->picture_count += !before;
    }
}

/* Photographs side by side, each on one thread; one method after the other on each, so that being stopped leaves whole cases.
 */
static sos_status run_all(sos_clicks_results *r, sos_error *error)
{
    const int workers = sos_thread_count(r->plan.threads);
    (void)workers; /* where OpenMP is missing */
    gathering shared = { .results = r, .course = { .progress = r->plan.progress, .user = r->plan.user, .total = 1 } };
    sos_failure failure = { 0 };
    bool stop = false;
    sos_course_begin(&shared.course, 1, "clicking");
#pragma omp parallel for schedule(dynamic) num_threads(workers) if (workers > 1)
    for (size_t k = 0; k < r->planned * r->method_count; k++) {
        sos_error why = { 0 };
        bool stopped;
#pragma omp atomic read
        stopped = stop;
        if (stopped) continue;
        const sos_status status = outcome_find(&shared, k / r->method_count, k % r->method_count, &why);
        if (status) {
#pragma omp atomic write
            stop = true;
        }
        sos_failure_note(&failure, k, status, &why);
    }
    const sos_status status = failure.error.status;
    if (status && status != SOS_CANCELLED) return sos_fail(error, status, "%s", failure.error.message);
    cases_keep(r);
    return status && !r->case_count ? sos_fail(error, SOS_CANCELLED, "stopped") : SOS_OK;
}

static sos_status plan_check(const sos_clicks_plan *p, sos_error *error)
{
    if (!p->clicks || p->clicks > SOS_CLICKS_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "dialogues have 1 to %d clicks, not %zu", SOS_CLICKS_MAX, p->clicks);
    if (p->learn.count && (!p->models || strchr(p->models, ',') || !p->splits))
        return sos_fail(error, SOS_ERR_ARGUMENT, "--learn goes with --splits, and with one model to learn away from");
    if (!(p->radius > 0)) return sos_fail(error, SOS_ERR_ARGUMENT, "the radius of clicks is above 0, not %g", p->radius);
    return p->splits ? sos_splits_check(p->splits, error) : SOS_OK;
}

sos_status sos_clicks_experiment(const sos_clicks_plan *plan, sos_clicks_results *out, sos_error *error)
{
    const double began = sos_seconds();
    sos_clicks_results r = { .plan = *plan };
    sos_status status = plan_check(plan, error);
    if (!status) status = methods_open(&r, error);
    if (!status) status = data_open(&r, error);
    if (!status) status = sos_clicks_learn(&r, error);
    if (!status) status = cases_make(&r, error);
    if (!status) status = run_all(&r, error);
    r.seconds = sos_seconds() - began;
    if (status)
        sos_clicks_results_free(&r);
    else
        *out = r;
    return status;
}

void sos_clicks_results_free(sos_clicks_results *r)
{
    for (size_t i = 0; r->outcomes && i < r->planned * r->method_count; i++) outcome_free(&r->outcomes[i]);
    for (size_t m = 0; m < r->method_count; m++) method_free(&r->methods[m], sos_clicks_splits(&r->plan));
    free(r->outcomes);
    free(r->cases);
    sos_dataset_free(&r->data);
    *r = (sos_clicks_results){ 0 };
}
