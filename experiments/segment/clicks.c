#include "experiments/segment/clicks.h"

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
#include "base/random.h"
#include "base/threads.h"
#include "experiments/common/progress.h"
#include "experiments/segment/clicks_judge.h"
#include "experiments/segment/clicks_learn.h"
#include "tasks/photographs.h"

const double s3svm_clicks_goals[S3SVM_CLICKS_GOALS] = { 0.85, 0.90 };
const size_t s3svm_clicks_frames[S3SVM_CLICKS_FRAMES] = { 1, 2, 3, 5, 10, 20 };

static const double BOX_MARGIN = 0.1; /* boxes are a tenth larger than the true one */

/* ---------------------------------------------------------------- methods */

/* A path with the number of a split, from 1, in the place of {}. */
void s3svm_clicks_path(const char *pattern, size_t split, size_t room, char path[])
{
    const char *place = strstr(pattern, "{}");
    if (place)
        snprintf(path, room, "%.*s%zu%s", (int)(place - pattern), pattern, split + 1, place + 2);
    else
        snprintf(path, room, "%s", pattern);
}

/* How many splits have a model of their own: all photographs are one. */
size_t s3svm_clicks_splits(const s3svm_clicks_plan *p) { return p->splits ? p->splits : 1; }

static sos_status model_prepare(const sos_model *file, const char *name, s3svm_segment_model **out, sos_error *error)
{
    sos_error why;
    const sos_status status = s3svm_segment_model_create(file, out, &why);
    return status ? sos_fail(error, status, "%.200s: %.250s", name, why.message) : SOS_OK;
}

sos_status s3svm_clicks_model_read(const char *path, sos_model **out, sos_error *error)
{
    return sos_path_exists(path) ? sos_model_read(path, out, error) : s3svm_embedded_model(path, out, error);
}

static sos_status model_read(const char *path, s3svm_segment_model **out, sos_error *error)
{
    sos_model *file;
    sos_status status = s3svm_clicks_model_read(path, &file, error);
    if (status) return status;
    status = model_prepare(file, path, out, error);
    sos_model_free(file);
    return status;
}

sos_status s3svm_clicks_method_add(s3svm_clicks_results *r, bool models, const char *word, const char *name,
                                   s3svm_clicks_method **out, sos_error *error)
{
    if (r->method_count == S3SVM_CLICKS_METHODS_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "more than %d methods", S3SVM_CLICKS_METHODS_MAX);
    s3svm_clicks_method *m = &r->methods[r->method_count++];
    snprintf(m->word, sizeof m->word, "%.250s", word);
    snprintf(m->name, sizeof m->name, "%.130s", name);
    if (models) m->models = calloc(s3svm_clicks_splits(&r->plan), sizeof *m->models);
    if (models && !m->models) return sos_fail(error, SOS_ERR_MEMORY, "no memory for models");
    *out = m;
    return SOS_OK;
}

static sos_status models_add(s3svm_clicks_results *r, const char *word, const char *name, sos_error *error)
{
    s3svm_clicks_method *m = NULL;
    sos_status status = s3svm_clicks_method_add(r, true, word, name, &m, error);
    const bool one = !strstr(word, "{}");
    for (size_t i = 0; i < s3svm_clicks_splits(&r->plan) && !status; i++) {
        char path[sizeof m->word + 24];
        s3svm_clicks_path(word, i, sizeof path, path);
        if (one && i)
            m->models[i] = m->models[0];
        else
            status = model_read(path, &m->models[i], error);
    }
    return status;
}

static void method_free(s3svm_clicks_method *m, size_t splits)
{
    if (m->borrowed) return;
    for (size_t i = splits; m->models && i-- > 0;)
        if (!i || m->models[i] != m->models[0]) s3svm_segment_model_free(m->models[i]);
    free(m->models);
}

/* ---------------------------------------------------------------- with evidence */

static const char *const EVIDENCE_WORDS[S3SVM_CLICKS_EVIDENCES] = { "none", "maps", "proposed", "other", "noise" };
static const char *const EVIDENCE_NAMES[S3SVM_CLICKS_EVIDENCES] = { "", ", with maps", ", from what maps propose",
                                                                    ", with maps of others", ", with noise" };

/* Of a list of words the first; *at moves on behind it. */
static sos_status evidence_next(const char **at, s3svm_clicks_evidence *out, sos_error *error)
{
    const size_t length = strcspn(*at, ",");
    for (int k = 0; k < S3SVM_CLICKS_EVIDENCES; k++)
        if (strlen(EVIDENCE_WORDS[k]) == length && !strncmp(*at, EVIDENCE_WORDS[k], length)) {
            *out = (s3svm_clicks_evidence)k;
            *at += length + ((*at)[length] == ',');
            return SOS_OK;
        }
    return sos_fail(error, SOS_ERR_ARGUMENT, "--evidence takes a list of none, maps, proposed, other and noise, not '%.100s'",
                    *at);
}

/* The method number m of before takes part with each kind of evidence. */
static sos_status evidence_multiply(s3svm_clicks_results *r, const s3svm_clicks_method *before, sos_error *error)
{
    s3svm_clicks_method *m = NULL;
    const char *at = r->plan.evidence;
    sos_status status = SOS_OK;
    const bool sees = before->models && s3svm_segment_model_evidence(before->models[0]);
    for (bool first = true; !status && (first || (sees && *at)); first = false) {
        s3svm_clicks_evidence kind = S3SVM_CLICKS_NONE;
        if (sees) status = evidence_next(&at, &kind, error);
        if (!status) status = s3svm_clicks_method_add(r, false, before->word, before->name, &m, error);
        if (status) break;
        m->models = before->models;
        m->borrowed = !first;
        m->evidence = kind;
        if (kind) snprintf(m->name, sizeof m->name, "%.100s%s", before->name, EVIDENCE_NAMES[kind]);
        if (kind) snprintf(m->word, sizeof m->word, "%.200s+%s", before->word, EVIDENCE_WORDS[kind]);
    }
    return status;
}

static sos_status evidence_add(s3svm_clicks_results *r, sos_error *error)
{
    s3svm_clicks_method before[S3SVM_CLICKS_METHODS_MAX];
    const size_t count = r->method_count;
    if (!r->plan.evidence) return SOS_OK;
    if (!*r->plan.evidence) return sos_fail(error, SOS_ERR_ARGUMENT, "--evidence has an empty list");
    memcpy(before, r->methods, sizeof before);
    r->method_count = 0;
    sos_status status = SOS_OK;
    size_t i = 0;
    for (; i < count && !status; i++) status = evidence_multiply(r, &before[i], error);
    for (; i < count; i++) method_free(&before[i], s3svm_clicks_splits(&r->plan));
    return status;
}

/* Maps of a photograph number i, or those of another one, brought to its size. */
static sos_status maps_take(const s3svm_clicks_results *r, size_t i, const s3svm_image *size, s3svm_maps *out, sos_error *error)
{
    s3svm_maps there = { 0 };
    char *folder = sos_path_join(r->plan.data, "maps", ""), *path = NULL;
    if (folder) path = sos_path_join(folder, r->data.items[i].name, ".npy");
    sos_status status = path ? s3svm_npy_read(path, &there, error) : sos_fail(error, SOS_ERR_MEMORY, "no memory for a path");
    if (!status) status = s3svm_maps_create(size->width, size->height, 1, out, error);
    for (size_t k = 0; k < s3svm_image_size(size) && !status; k++) {
        const size_t column = k % size->width * there.width / size->width, row = k / size->width * there.height / size->height;
        out->values[k] = there.values[row * there.width + column];
    }
    s3svm_maps_free(&there);
    free(folder);
    free(path);
    return status;
}

/* Blotches of a twelfth of the picture that are sure of anything. */
static sos_status noise_make(size_t i, const s3svm_image *size, s3svm_maps *out, sos_error *error)
{
    enum { BLOTCHES = 12 };
    float blotches[(BLOTCHES + 1) * (BLOTCHES + 1)];
    sos_random r = sos_random_seeded(i + 1);
    const sos_status status = s3svm_maps_create(size->width, size->height, 1, out, error);
    if (status) return status;
    for (size_t k = 0; k < sizeof blotches / sizeof *blotches; k++) blotches[k] = (float)(12 * sos_random_uniform(&r) - 6);
    for (size_t k = 0; k < s3svm_image_size(size); k++) {
        const size_t column = k % size->width * BLOTCHES / size->width, row = k / size->width * BLOTCHES / size->height;
        out->values[k] = blotches[row * (BLOTCHES + 1) + column];
    }
    return SOS_OK;
}

static sos_status evidence_make(const s3svm_clicks_results *r, s3svm_clicks_evidence kind, size_t picture,
                                const s3svm_image *size, s3svm_maps *out, sos_error *error)
{
    const size_t count = r->data.count;
    switch (kind) {
    case S3SVM_CLICKS_MAPS:
    case S3SVM_CLICKS_PROPOSED: return maps_take(r, picture, size, out, error);
    case S3SVM_CLICKS_OTHER: return maps_take(r, (picture + count / 2) % count, size, out, error);
    case S3SVM_CLICKS_NOISE: return noise_make(picture, size, out, error);
    default: return SOS_OK;
    }
}

/* One of the words of --methods. */
static sos_status word_add(s3svm_clicks_results *r, const char *word, sos_error *error)
{
    char name[80];
    s3svm_clicks_method *m;
    if (!strcmp(word, "model")) return models_add(r, s3svm_segmenter_method_at(0)->model, "The model inside", error);
    const s3svm_segmenter_method *method = s3svm_segmenter_method_find(word);
    if (!method)
        return sos_fail(error, SOS_ERR_ARGUMENT, "--methods takes a list of model, amn and grabcut, not '%.100s'", word);
    if (!method->model) return s3svm_clicks_method_add(r, false, word, method->title, &m, error);
    snprintf(name, sizeof name, "%s, inside", method->title);
    return models_add(r, method->model, name, error);
}

static sos_status file_add(s3svm_clicks_results *r, const char *path, sos_error *error)
{
    char *stem = sos_path_stem(path);
    const sos_status status = stem ? models_add(r, path, stem, error) : sos_fail(error, SOS_ERR_MEMORY, "no memory for a name");
    free(stem);
    return status;
}

/* Words with commas between them, one after the other. */
static sos_status list_add(s3svm_clicks_results *r, const char *list,
                           sos_status (*add)(s3svm_clicks_results *, const char *, sos_error *), sos_error *error)
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

static sos_status methods_open(s3svm_clicks_results *r, sos_error *error)
{
    const s3svm_clicks_plan *p = &r->plan;
    const char *methods = p->methods ? p->methods : p->models ? "grabcut" : "model,grabcut";
    sos_status status = p->models ? list_add(r, p->models, file_add, error) : SOS_OK;
    if (!status) status = list_add(r, methods, word_add, error);
    if (!status && !r->method_count) status = sos_fail(error, SOS_ERR_ARGUMENT, "no method was chosen");
    return status;
}

/* ---------------------------------------------------------------- photographs */

static sos_status data_open(s3svm_clicks_results *r, sos_error *error)
{
    char *folder = sos_path_join(r->plan.data, "scribbles", "");
    if (!folder) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a path");
    r->has_scribbles = sos_path_is_folder(folder);
    free(folder);
    sos_status status = s3svm_dataset_open(r->plan.data, S3SVM_IMAGES_REQUIRED, r->has_scribbles, &r->data, error);
    if (status || !r->plan.splits) return status;
    r->photograph = malloc(r->data.count * sizeof *r->photograph);
    return r->photograph ? s3svm_dataset_photographs(&r->data, r->photograph, error)
                         : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu photographs", r->data.count);
}

/* The test part is that of "interactive", or all that nobody learns from; without splits, all in an order by the seed. */
sos_status s3svm_clicks_order(const s3svm_clicks_results *r, size_t split, s3svm_parts *parts, size_t order[], sos_error *error)
{
    const s3svm_clicks_plan *p = &r->plan;
    const size_t count = r->data.count, lesson = s3svm_clicks_lesson(p);
    *parts = (s3svm_parts){ .test = count };
    if (!p->splits) s3svm_split(count, p->seed, split, order);
    if (!p->splits) return SOS_OK;
    const sos_status status = lesson ? s3svm_parts_find(count, lesson, 0, parts, error)
                                     : s3svm_parts_usual(count, 0, 0, parts, error);
    return status ? status : s3svm_photographs_split(parts, r->photograph, p->seed, split, order, error);
}

static sos_status split_cases(s3svm_clicks_results *r, size_t split, size_t order[], sos_error *error)
{
    const s3svm_clicks_plan *p = &r->plan;
    const size_t count = r->data.count;
    s3svm_parts parts;
    const sos_status status = s3svm_clicks_order(r, split, &parts, order, error);
    if (status) return status;
    const size_t test = p->photographs && p->photographs < parts.test ? p->photographs : parts.test;
    for (size_t i = 0; i < test; i++)
        r->cases[r->planned++] = (s3svm_clicks_case){ .picture = order[count - parts.test + i], .split = split };
    return SOS_OK;
}

static sos_status cases_make(s3svm_clicks_results *r, sos_error *error)
{
    const size_t splits = s3svm_clicks_splits(&r->plan), most = splits * r->data.count;
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
    s3svm_clicks_results *results;
    s3svm_progress progress;
    size_t clicks; /* made so far, of all dialogues */
} gathering;

/* A method before a photograph. */
typedef struct session {
    gathering *shared;
    const s3svm_clicks_subject *subject;
    s3svm_clicks_outcome *outcome;
    s3svm_segmenter *segmenter;
    uint8_t *before, *labels; /* before the last click, and behind it */
    sos_error *error;
} session;

static bool goes_on(void *user, const char *phase, double done)
{
    gathering *shared = user;
    const s3svm_clicks_results *r = shared->results;
    const double all = (double)(r->planned * r->method_count * r->plan.clicks);
    size_t clicks;
    (void)phase;
    (void)done;
#pragma omp atomic read
    clicks = shared->clicks;
    return s3svm_progress_report(&shared->progress, (double)clicks / all);
}

static void clicks_count(gathering *shared, size_t clicks)
{
#pragma omp atomic
    shared->clicks += clicks;
}

/* The labels behind the last step of a dialogue, all before it having been given. */
static sos_status dialogue_labels(const session *s, const s3svm_dialogue *d, uint8_t labels[])
{
    const size_t step = s3svm_dialogue_steps(d) - 1, count = s3svm_dialogue_count(d, step);
    s3svm_mark *marks = malloc(count * sizeof *marks);
    if (!marks) return sos_fail(s->error, SOS_ERR_MEMORY, "no memory for marks");
    for (size_t i = 0; i < count; i++) marks[i] = s3svm_dialogue_mark(d, step, i);
    const sos_status status = s3svm_segmenter_mark(s->segmenter, count, marks, s->error);
    if (!status) memcpy(labels, s3svm_segmenter_labels(s->segmenter), s3svm_image_size(&s->subject->photograph));
    free(marks);
    return status;
}

/* Labels by marks that are all there is. */
static sos_status single_judge(const session *s, const s3svm_dialogue *d, s3svm_clicks_score *score)
{
    s3svm_segmenter_cut(s->segmenter, 0);
    const sos_status status = dialogue_labels(s, d, s->labels);
    if (!status) *score = s3svm_clicks_judge(s->subject, s->labels);
    return status;
}

/* Labels by a box, or by one stroke on each side. */
static sos_status first_judge(const session *s, s3svm_simulated kind, s3svm_clicks_score *score)
{
    s3svm_simulation person = s3svm_simulation_defaults();
    const s3svm_image *p = &s->subject->photograph;
    s3svm_dialogue *d;
    person.kind = kind;
    person.both = kind == S3SVM_SIMULATED_HURRIED;
    person.margin = BOX_MARGIN;
    sos_status status = s3svm_dialogue_create(p->width, p->height, &d, s->error);
    if (status) return status;
    status = s3svm_simulate_first(&person, s->subject->truth, s->subject->care, d, s->error);
    if (!status) status = single_judge(s, d, score);
    s3svm_dialogue_free(d);
    return status;
}

static sos_status scribbles_judge(const session *s)
{
    const s3svm_image *p = &s->subject->photograph;
    s3svm_dialogue *d;
    sos_status status = s3svm_dialogue_create(p->width, p->height, &d, s->error);
    if (status) return status;
    const s3svm_mark mark = { .shape = S3SVM_SHAPE_PIXELS, .pixels = &s->subject->scribbles };
    status = s3svm_dialogue_add(d, 1, &mark, s->error);
    if (!status) status = single_judge(s, d, &s->outcome->scribbles);
    s3svm_dialogue_free(d);
    return status;
}

static sos_status frames_keep(const session *s, size_t click)
{
    const size_t n = s3svm_image_size(&s->subject->photograph);
    for (size_t f = 0; f < S3SVM_CLICKS_FRAMES; f++) {
        if (s3svm_clicks_frames[f] != click + 1) continue;
        uint8_t *packed = s->outcome->film[f] = calloc(n / 8 + 1, 1);
        if (!packed) return sos_fail(s->error, SOS_ERR_MEMORY, "no memory for a film");
        for (size_t i = 0; i < n; i++) packed[i / 8] |= (uint8_t)(s->labels[i] << i % 8);
    }
    return SOS_OK;
}

/* The next click, unless nothing is wrong, and what it gives. */
static sos_status click_make(session *s, size_t click, bool *right)
{
    const s3svm_clicks_plan *p = &s->shared->results->plan;
    s3svm_clicks_outcome *o = s->outcome;
    s3svm_simulation person = s3svm_simulation_defaults();
    person.radius = p->radius;
    person.whole = p->whole;
    sos_status status = s3svm_simulate_correct(&person, s->subject->truth, s->subject->care, s->labels, o->dialogue, right,
                                               s->error);
    if (status || *right) return status;
    memcpy(s->before, s->labels, s3svm_image_size(&s->subject->photograph));
    const double began = sos_seconds_of_thread();
    status = dialogue_labels(s, o->dialogue, s->labels);
    o->seconds += sos_seconds_of_thread() - began;
    if (status) return status;
    const s3svm_mark mark = s3svm_dialogue_mark(o->dialogue, s3svm_dialogue_steps(o->dialogue) - 1, 0);
    o->scores[click] = s3svm_clicks_judge(s->subject, s->labels);
    o->harms[click] = click ? s3svm_clicks_harm_of(s->subject, s->before, s->labels, mark.points[0]) : NAN;
    o->made = click + 1;
    return SOS_OK;
}

/* What is there before the first click. */
static sos_status proposal_take(session *s)
{
    const sos_status status = s3svm_segmenter_propose(s->segmenter, s->error);
    if (!status) memcpy(s->labels, s3svm_segmenter_labels(s->segmenter), s3svm_image_size(&s->subject->photograph));
    return status;
}

static sos_status clicks_make(session *s, bool proposed)
{
    const size_t clicks = s->shared->results->plan.clicks;
    s3svm_clicks_outcome *o = s->outcome;
    bool right = false;
    sos_status status = proposed ? proposal_take(s) : SOS_OK;
    const s3svm_clicks_score first = s3svm_clicks_judge(s->subject, s->labels);
    for (size_t k = 0; k < clicks && !status; k++) {
        if (!right) status = click_make(s, k, &right);
        if (!status && right && !k && !proposed) status = sos_fail(s->error, SOS_ERR_ARGUMENT, "its true mask has no object");
        if (right && !k) {
            o->scores[k] = first;
            o->harms[k] = NAN;
        }
        if (right && k) {
            o->scores[k] = o->scores[k - 1];
            o->harms[k] = NAN;
        }
        if (!status) status = frames_keep(s, k);
        clicks_count(s->shared, 1);
    }
    for (size_t g = 0; g < S3SVM_CLICKS_GOALS && !status; g++) {
        size_t k = 0;
        while (k < clicks && o->scores[k].iou < s3svm_clicks_goals[g]) k++;
        o->reached[g] = k < clicks;
        o->needed[g] = first.iou >= s3svm_clicks_goals[g] ? 0 : o->reached[g] ? k + 1 : clicks;
        o->reached[g] = o->reached[g] || !o->needed[g];
    }
    o->last = o->scores[clicks - 1];
    if (o->made) o->seconds /= (double)o->made;
    return status;
}

static sos_status session_run(session *s, const s3svm_segment_model *model, const s3svm_maps *maps, bool proposed)
{
    const s3svm_image *p = &s->subject->photograph;
    s3svm_clicks_outcome *o = s->outcome;
    s3svm_segmentation_settings settings = s3svm_segmentation_defaults();
    settings.tidying.specks = 1; /* what methods find is judged, not what tidying makes of it */
    settings.maps = maps->values ? maps : NULL;
    settings.work = (sos_work){ .threads = 1, .progress = goes_on, .user = s->shared };
    const double began = sos_seconds_of_thread();
    sos_status status = s3svm_segmenter_create(model, p, &settings, &s->segmenter, s->error);
    o->seconds_look = sos_seconds_of_thread() - began;
    if (!status) status = s3svm_dialogue_create(p->width, p->height, &o->dialogue, s->error);
    if (!status) status = clicks_make(s, proposed);
    if (!status) status = first_judge(s, S3SVM_SIMULATED_BOX, &o->box);
    if (!status) status = first_judge(s, S3SVM_SIMULATED_HURRIED, &o->hurried);
    o->scribbles = (s3svm_clicks_score){ NAN, NAN, { NAN, NAN, NAN } };
    if (!status && s->subject->scribbles.pixels) status = scribbles_judge(s);
    o->done = !status;
    return status;
}

static sos_status outcome_find(gathering *shared, size_t i, size_t method, sos_error *error)
{
    s3svm_clicks_results *r = shared->results;
    const s3svm_clicks_case *c = &r->cases[i];
    const s3svm_clicks_method *m = &r->methods[method];
    const s3svm_item *item = &r->data.items[c->picture];
    s3svm_clicks_subject subject;
    s3svm_maps maps = { 0 };
    sos_error why;
    sos_status status = s3svm_clicks_subject_read(item, &subject, error);
    if (status) return status;
    const size_t n = s3svm_image_size(&subject.photograph);
    session s = { .shared = shared, .subject = &subject, .outcome = s3svm_clicks_outcome_at(r, i, method), .error = &why };
    s.before = calloc(n, 1);
    s.labels = calloc(n, 1); /* all background, to begin with */
    status = s.before && s.labels ? evidence_make(r, m->evidence, c->picture, &subject.photograph, &maps, &why)
                                  : sos_fail(&why, SOS_ERR_MEMORY, "no memory for labels");
    if (!status) status = session_run(&s, m->models ? m->models[c->split] : NULL, &maps, m->evidence == S3SVM_CLICKS_PROPOSED);
    if (status) status = sos_fail(error, status, "'%.150s', %.100s: %.200s", item->name, m->name, why.message);
    s3svm_segmenter_free(s.segmenter);
    s3svm_maps_free(&maps);
    free(s.before);
    free(s.labels);
    s3svm_clicks_subject_free(&subject);
    return status;
}

/* ---------------------------------------------------------------- all of them */

static void outcome_free(s3svm_clicks_outcome *o)
{
    s3svm_dialogue_free(o->dialogue);
    for (size_t f = 0; f < S3SVM_CLICKS_FRAMES; f++) free(o->film[f]);
    *o = (s3svm_clicks_outcome){ 0 };
}

/* Keeps the cases that all methods are done with, in their order. */
static void cases_keep(s3svm_clicks_results *r)
{
    for (size_t i = 0; i < r->planned; i++) {
        bool complete = true;
        for (size_t m = 0; m < r->method_count; m++) complete = complete && s3svm_clicks_outcome_at(r, i, m)->done;
        for (size_t m = 0; m < r->method_count; m++) {
            s3svm_clicks_outcome *from = s3svm_clicks_outcome_at(r, i, m), *to = s3svm_clicks_outcome_at(r, r->case_count, m);
            if (!complete) {
                outcome_free(from);
            } else if (from != to) {
                *to = *from;
                *from = (s3svm_clicks_outcome){ 0 };
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
static sos_status run_all(s3svm_clicks_results *r, sos_error *error)
{
    const int workers = sos_thread_count(r->plan.threads);
    (void)workers; /* where OpenMP is missing */
    gathering shared = { .results = r, .progress = { .progress = r->plan.progress, .user = r->plan.user, .total = 1 } };
    sos_failure failure = { 0 };
    bool stop = false;
    s3svm_progress_begin(&shared.progress, 1, "clicking");
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

static sos_status clicks_plan_check(const s3svm_clicks_plan *p, sos_error *error)
{
    if (!p->clicks || p->clicks > S3SVM_CLICKS_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "the number of clicks must be 1 to %d, not %zu", S3SVM_CLICKS_MAX, p->clicks);
    if (p->learn.count && (!p->models || strchr(p->models, ',') || !p->splits))
        return sos_fail(error, SOS_ERR_ARGUMENT, "--learn needs --splits and a single model");
    if (!(p->radius > 0)) return sos_fail(error, SOS_ERR_ARGUMENT, "the radius of clicks must be above 0, not %g", p->radius);
    return p->splits ? s3svm_splits_check(p->splits, error) : SOS_OK;
}

sos_status s3svm_clicks_experiment(const s3svm_clicks_plan *plan, s3svm_clicks_results *out, sos_error *error)
{
    const double began = sos_seconds();
    s3svm_clicks_results r = { .plan = *plan };
    sos_status status = clicks_plan_check(plan, error);
    if (!status) status = methods_open(&r, error);
    if (!status) status = data_open(&r, error);
    if (!status) status = s3svm_clicks_learn(&r, error);
    if (!status) status = evidence_add(&r, error);
    if (!status) status = cases_make(&r, error);
    if (!status) status = run_all(&r, error);
    r.seconds = sos_seconds() - began;
    if (status)
        s3svm_clicks_results_free(&r);
    else
        *out = r;
    return status;
}

void s3svm_clicks_results_free(s3svm_clicks_results *r)
{
    for (size_t i = 0; r->outcomes && i < r->planned * r->method_count; i++) outcome_free(&r->outcomes[i]);
    for (size_t m = 0; m < r->method_count; m++) method_free(&r->methods[m], s3svm_clicks_splits(&r->plan));
    free(r->outcomes);
    free(r->cases);
    free(r->photograph);
    s3svm_dataset_free(&r->data);
    *r = (s3svm_clicks_results){ 0 };
}
