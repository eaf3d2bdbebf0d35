/* own_lesson.c - what somebody's own photographs show of a model, by dialogues with it.
 *
 * A simulated person clicks until nothing is wrong, or some times, and the model answers as it does when it is used: with its
 * energy and its second look at outlines, where lessons of models in the making have no more than networks.  So the moments
 * that are learned from are those that people come to, with the mistakes that this model makes there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/threads.h"
#include "segment/marks/marks.h"
#include "segment/model/outline_lesson.h"
#include "segment/person/person.h"

enum {
    CLICKS = 8,        /* in a dialogue */
    LOOKS = 4,         /* clicks behind which outlines are looked at */
    BANDS = 1 + LOOKS, /* and that by strokes */
    MOMENTS_LEAST = 2, /* examples of a photograph: one by strokes, the others behind clicks ... */
    MOMENTS_MOST = 4,  /* ... of a few photographs more, since examples take memory */
    EXAMPLES = 80,
    SAMPLES = 1600, /* of a band, unless all would be more than ... */
    SAMPLES_ALL = 400000
};
static const size_t LOOKED[LOOKS] = { 1, 2, 4, 8 };
static const s3svm_maps NOTHING = { 0 }; /* no network says anything: what a model makes of evidence stays as it is */

struct s3svm_own_lesson {
    const s3svm_segment_model *model;
    size_t count, moments;
    sos_example **examples; /* moments of each photograph; NULL: nothing was wrong before */
    s3svm_outline_lesson outlines;
};

/* ---------------------------------------------------------------- one moment */

typedef struct subject {
    s3svm_own_lesson *lesson;
    const s3svm_segment_model *model;
    const s3svm_marked *picture;
    size_t number;
    s3svm_photo photo;
    s3svm_outline_photo around;
    sos_example *scratch; /* for moments that are not kept */
    uint8_t *labels;
    float *response;
    double worth; /* of its examples */
    sos_error *error;
} subject;

/* Large objects have more pixels to be wrong about, but people look at all photographs alike.  With the root of the object's
 * share, which goes as the length of its outline does, examples count between both. */
static double worth_of(const s3svm_marked *picture)
{
    static const double LEAST = 0.01, USUAL = 0.15;
    const size_t n = s3svm_image_size(&picture->photograph);
    size_t object = 0;
    for (size_t i = 0; i < n; i++) object += picture->truth[i];
    return sqrt(USUAL / fmax(LEAST, (double)object / (double)n));
}

/* The weight of an example is that of its loss and its energy together. */
static sos_status example_weigh(const subject *s, sos_example *x)
{
    const double weights[S3SVM_SEGMENT_LABELS] = { s->worth, s->worth };
    sos_status status = sos_example_set_truth(x, s->picture->truth, NULL, s->error);
    if (!status) status = sos_example_set_class_loss(x, weights, s->error);
    return status ? status : sos_example_set_scale(x, s->worth * sos_example_scale(x), s->error);
}

static bool is_kept(const subject *s, size_t moment) { return moment < s->lesson->moments; }

/* The example of a moment of the lesson, or one that is used again and again. */
static sos_status example_find(subject *s, const s3svm_segment_input *in, size_t moment, sos_example **out)
{
    sos_example **place = is_kept(s, moment) ? &s->lesson->examples[s->number * s->lesson->moments + moment] : &s->scratch;
    sos_status status = *place ? SOS_OK : s3svm_segment_example_create(s->model, in, place, s->error);
    *out = *place;
    return status ? status : s3svm_segment_example_mark(s->model, in, &s->photo, *place, s->response, s->error);
}

enum { NO_BAND = BANDS };

/* What the model finds by these marks: an example if it is a moment to keep, a band if it is one to look at. */
static sos_status moment_look(subject *s, const s3svm_segment_input *in, size_t moment, size_t band)
{
    const s3svm_outline_found found = { .picture = s->picture,
                                        .photo = &s->around,
                                        .labels = s->labels,
                                        .marks = in->marks->pixels,
                                        .odds = { .response = s->response } };
    s3svm_own_lesson *l = s->lesson;
    sos_example *x = NULL;
    sos_status status = example_find(s, in, moment, &x);
    if (!status) status = sos_example_minimize(x, s->model->hard_weights, false, NULL, s->labels, NULL, s->error);
    if (!status && is_kept(s, moment)) status = example_weigh(s, x);
    if (!status && band != NO_BAND)
        status = s3svm_outline_lesson_band(&found, s->number + 1, 1, s->number * BANDS + band, &l->outlines, s->error);
    return status;
}

/* ---------------------------------------------------------------- one photograph */

/* Its own strokes, or simulated ones. */
static sos_status strokes_look(subject *s, uint64_t seed)
{
    s3svm_simulated_opening opening = { .person = s3svm_simulation_defaults() };
    size_t counts[S3SVM_MARKS] = { 0 };
    bool right;
    if (s->picture->marks.pixels) s3svm_marks_count(&s->picture->marks, counts);
    opening.own = counts[S3SVM_MARK_OBJECT] && counts[S3SVM_MARK_BACKGROUND];
    opening.person.kind = S3SVM_SIMULATED_SCRIBBLES;
    opening.person.both = true;
    opening.person.seed = seed;
    s3svm_simulated_dialogue t;
    sos_status status = s3svm_simulated_dialogue_begin(&t, s->picture, &s->photo, &opening, &NOTHING, s->error);
    if (!status) status = s3svm_simulated_dialogue_step(&t, &right, s->error);
    if (!status) status = moment_look(s, &t.in, 0, 0);
    s3svm_simulated_dialogue_end(&t);
    return status;
}

/* The last answer of the dialogue: what was found, looked at again. */
static sos_status answer_take(const subject *s, s3svm_simulated_dialogue *t)
{
    const s3svm_outline_model *outline = &s->model->parts->outline;
    const s3svm_image *marks = &t->marks.all;
    const s3svm_outline_odds odds = { .response = s->response };
    const size_t n = s3svm_image_size(marks);
    sos_status status = SOS_OK;
    if (!s3svm_outline_model_is_empty(outline))
        status = s3svm_outline_decide(outline, &s->around, marks->pixels, &odds, 1, s->labels, s->error);
    for (size_t i = 0; i < n && !status; i++)
        t->labels[i] = s3svm_mark_is_sure(marks->pixels[i]) ? marks->pixels[i] == S3SVM_MARK_OBJECT : s->labels[i];
    return status;
}

/* One click of each part of the dialogue. */
static size_t moment_of(const size_t clicks[], size_t moments, size_t click)
{
    size_t k = 1;
    while (k < moments && clicks[k] != click) k++;
    return k; /* moments: none */
}

static size_t band_of(size_t click)
{
    for (size_t k = 0; k < LOOKS; k++)
        if (LOOKED[k] == click) return 1 + k;
    return NO_BAND;
}

static sos_status clicks_look(subject *s, sos_random *r)
{
    const s3svm_simulated_opening opening = { .person = s3svm_simulation_defaults() };
    const size_t moments = s->lesson->moments, parts = moments - 1;
    size_t clicks[MOMENTS_MOST] = { 0 };
    s3svm_simulated_dialogue t;
    bool right = false;
    for (size_t k = 0; k < parts; k++) {
        const size_t first = 1 + k * CLICKS / parts, end = 1 + (k + 1) * CLICKS / parts;
        clicks[1 + k] = first + (size_t)sos_random_below(r, end - first);
    }
    sos_status status = s3svm_simulated_dialogue_begin(&t, s->picture, &s->photo, &opening, &NOTHING, s->error);
    for (size_t click = 1; click <= CLICKS && !status; click++) {
        status = s3svm_simulated_dialogue_step(&t, &right, s->error);
        if (status || right) break;
        status = moment_look(s, &t.in, moment_of(clicks, moments, click), band_of(click));
        if (!status) status = answer_take(s, &t);
    }
    s3svm_simulated_dialogue_end(&t);
    return status;
}

static sos_status photograph_look(s3svm_own_lesson *l, const s3svm_marked *picture, size_t number, uint64_t seed,
                                  sos_error *error)
{
    const size_t n = s3svm_image_size(&picture->photograph);
    sos_random r = sos_random_seeded(seed);
    if (!picture->truth) return sos_fail(error, SOS_ERR_ARGUMENT, "no true labels to learn from");
    subject s = { .lesson = l,
                  .model = l->model,
                  .picture = picture,
                  .number = number,
                  .labels = malloc(n),
                  .response = malloc(n * sizeof *s.response),
                  .worth = worth_of(picture),
                  .error = error };
    sos_status status = s.labels && s.response ? s3svm_photo_create(&picture->photograph, 1, &s.photo, error)
                                               : sos_fail(error, SOS_ERR_MEMORY, "no memory for labels of %zu pixels", n);
    if (!status) status = s3svm_outline_lesson_photo(&picture->photograph, &s.around, error);
    if (!status) status = strokes_look(&s, sos_random_bits(&r));
    if (!status) status = clicks_look(&s, &r);
    sos_example_free(s.scratch);
    s3svm_photo_free(&s.photo);
    s3svm_outline_photo_free(&s.around);
    free(s.labels);
    free(s.response);
    return status;
}

/* ---------------------------------------------------------------- all photographs */

void s3svm_own_lesson_free(s3svm_own_lesson *l)
{
    if (!l) return;
    for (size_t i = 0; l->examples && i < l->count * l->moments; i++) sos_example_free(l->examples[i]);
    free(l->examples);
    s3svm_outline_lesson_free(&l->outlines);
    free(l);
}

static size_t between(size_t least, size_t value, size_t most) { return value < least ? least : value > most ? most : value; }

static sos_status own_lesson_begin(const s3svm_segment_model *p, size_t count, s3svm_own_lesson **out, sos_error *error)
{
    s3svm_own_lesson *l = calloc(1, sizeof *l);
    *out = l;
    if (!l) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a lesson");
    l->model = p;
    l->count = count;
    l->moments = between(MOMENTS_LEAST, EXAMPLES / count, MOMENTS_MOST);
    l->examples = calloc(count * l->moments, sizeof *l->examples);
    if (!l->examples) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu examples", count * l->moments);
    return s3svm_outline_lesson_create(count * BANDS, between(1, SAMPLES_ALL / (count * BANDS), SAMPLES),
                                       s3svm_outline_lesson_inputs(p, &p->parts->outline), &l->outlines, error);
}

static sos_status own_lesson_fill(s3svm_own_lesson *l, const s3svm_marked *const photographs[], uint64_t seed,
                                  const sos_work *work, sos_error *error)
{
    sos_failure failure = { 0 };
    size_t begun = 0;
    const int used = sos_thread_count(work->threads);
    (void)used; /* where OpenMP is missing */
#pragma omp parallel for schedule(dynamic) num_threads(used)
    for (size_t i = 0; i < l->count; i++) {
        sos_error why = { SOS_CANCELLED, "stopped while photographs were marked" };
        const uint64_t key[2] = { seed, i };
        size_t before;
#pragma omp atomic capture
        before = begun++;
        const bool go_on = s3svm_segment_progress(work, "examples", (double)before / (double)l->count);
        const sos_status status = go_on ? photograph_look(l, photographs[i], i, sos_hash(SOS_HASH_START, key, sizeof key), &why)
                                        : SOS_CANCELLED;
        if (status) sos_failure_note(&failure, i, status, &why);
    }
    return sos_failure_status(&failure, "photograph", error);
}

sos_status s3svm_own_lesson_create(const s3svm_segment_model *p, size_t count, const s3svm_marked *const photographs[],
                                   uint64_t seed, const sos_work *work, s3svm_own_lesson **out, sos_error *error)
{
    s3svm_own_lesson *l = NULL;
    if (!p->parts->response.dialogues) return sos_fail(error, SOS_ERR_ARGUMENT, "the model does not learn from dialogues");
    sos_status status = own_lesson_begin(p, count, &l, error);
    if (!status) status = own_lesson_fill(l, photographs, seed, work, error);
    if (status)
        s3svm_own_lesson_free(l);
    else
        *out = l;
    return status;
}

/* ---------------------------------------------------------------- learning from them */

size_t s3svm_own_lesson_examples(const s3svm_own_lesson *l) { return l->count * l->moments; }

size_t s3svm_own_lesson_list(const s3svm_own_lesson *l, const bool chosen[], bool wanted, sos_example *list[])
{
    size_t found = 0;
    for (size_t i = 0; i < l->count * l->moments; i++)
        if (l->examples[i] && chosen[i / l->moments] == wanted) list[found++] = l->examples[i];
    return found;
}

sos_status s3svm_own_lesson_outlines(const s3svm_own_lesson *l, const bool chosen[], const sos_work *work, sos_model *m,
                                     sos_error *error)
{
    s3svm_outline_model outline = { 0 };
    bool trained = false, *bands = malloc(l->count * BANDS * sizeof *bands);
    sos_status status = bands ? s3svm_outline_model_read(m, &outline, error)
                              : sos_fail(error, SOS_ERR_MEMORY, "no memory for outlines of %zu photographs", l->count);
    for (size_t i = 0; i < l->count * BANDS && bands; i++) bands[i] = chosen[i / BANDS];
    if (!status) status = s3svm_outline_lesson_train(&l->outlines, bands, work, &outline, &trained, error);
    if (trained && !status) status = s3svm_outline_model_write(&outline, m, error);
    s3svm_outline_model_free(&outline);
    free(bands);
    return status;
}
