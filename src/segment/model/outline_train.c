/* outline_train.c - trains the refinement of outlines on marked photographs with true labels.
 *
 * For a model trained on dialogues, refinement is trained at several moments of dialogues: after the first click labels are far
 * from right, and their outline is less reliable than later. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "base/threads.h"
#include "segment/marks/marks.h"
#include "segment/model/outline_lesson.h"
#include "segment/person/person.h"
#include "vision/colour.h"

enum {
    HIDDEN = 24,
    EPOCHS = 6,
    SAMPLES = 4000,      /* of the band of a photograph that is marked once */
    TALK_SAMPLES = 1600, /* of the band of each moment of a dialogue */
    MOMENTS = 4
};
static const size_t CLICKS[MOMENTS] = { 1, 3, 6, 12 }; /* that the moments of a dialogue have come to */
static const double DECAY = 0.001;
static const double STRENGTH = 3; /* of pairs; 2 to 4 are as good (docs/segmentation.md) */

/* ---------------------------------------------------------------- one band */

typedef s3svm_outline_lesson lesson;

static bool has_dialogues(const s3svm_segment_model *p) { return p->parts->response.dialogues; }
static bool has_evidence(const s3svm_segment_model *p) { return p->parts->response.evidence; }

/* What the model finds first, by networks that have not seen the photograph, and its responses. */
static sos_status first_find(const s3svm_segment_model *p, const s3svm_segment_input *in, const s3svm_photo *photo,
                             uint8_t labels[], float response[], sos_error *error)
{
    sos_example *x = NULL;
    sos_status status = s3svm_segment_example_create(p, in, &x, error);
    if (!status) status = s3svm_segment_example_mark(p, in, photo, x, response, error);
    if (!status) status = sos_example_minimize(x, p->hard_weights, false, NULL, labels, NULL, error);
    sos_example_free(x);
    return status;
}

sos_status s3svm_outline_lesson_photo(const s3svm_image *photograph, s3svm_outline_photo *out, sos_error *error)
{
    const size_t n = s3svm_image_size(photograph);
    float *lab = malloc(3 * n * sizeof *lab);
    if (!lab) return sos_fail(error, SOS_ERR_MEMORY, "no memory for colours of %zu pixels", n);
    sos_status status = s3svm_colour_lab(photograph, 1, lab, error);
    if (!status) status = s3svm_outline_photo_create(photograph, lab, 1, out, error);
    free(lab);
    return status;
}

/* Photographs count by the share of their pixels that is in the band, as it is with the loss, unless a weight is given. */
static void samples_take(const s3svm_marked *m, const s3svm_outline_band *b, const float features[], uint64_t seed,
                         double weight, size_t number, lesson *l)
{
    sos_random random = sos_random_seeded(seed);
    const float counts = weight > 0 ? (float)weight : (float)b->count / (float)s3svm_image_size(&m->photograph);
    for (size_t k = number * l->each; k < (number + 1) * l->each; k++) {
        const size_t i = (size_t)sos_random_below(&random, b->count);
        for (size_t f = 0; f < l->inputs; f++) l->features[k * l->inputs + f] = features[f * b->count + i];
        l->samples[k] = (s3svm_sample){ .place = b->pixels[i], .weight = counts, .label = m->truth[b->pixels[i]] };
    }
}

sos_status s3svm_outline_lesson_band(const s3svm_outline_found *found, uint64_t seed, double weight, size_t number,
                                     s3svm_outline_lesson *l, sos_error *error)
{
    s3svm_outline_band band = { 0 };
    float *features = NULL;
    sos_status status = s3svm_outline_band_create(found->photo, found->labels, found->marks, 1, &band, error);
    if (!status) features = malloc((band.count * l->inputs + 1) * sizeof *features);
    if (!status && !features) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for an outline of %zu pixels", band.count);
    if (!status) status = s3svm_outline_features(found->photo, &band, &found->odds, l->inputs, 1, features, error);
    if (!status && band.count) {
        l->taken[number] = true;
        samples_take(found->picture, &band, features, seed, weight, number, l);
    }
    free(features);
    s3svm_outline_band_free(&band);
    return status;
}

/* The photograph, and where it was looked at. */
typedef struct subject {
    const s3svm_segment_model *model;
    size_t count, number; /* of photographs, and of this one */
    const s3svm_marked *pictures, *picture;
    s3svm_outline_photo photo;
    uint64_t seed;
    sos_error *error;
} subject;

/* Band number `number`: around the labels that the model finds by these marks. */
static sos_status band_sample(const subject *s, const s3svm_segment_input *in, const s3svm_photo *photo, lesson *l,
                              size_t number)
{
    const size_t n = s3svm_image_size(in->photograph);
    uint8_t *labels = malloc(n);
    float *response = malloc(n * sizeof *response);
    const s3svm_outline_found found = { .picture = s->picture,
                                        .photo = &s->photo,
                                        .labels = labels,
                                        .marks = in->marks->pixels,
                                        .odds = { response, in->maps ? in->maps->values : NULL } };
    sos_status status = labels && response ? first_find(s->model, in, photo, labels, response, s->error)
                                           : sos_fail(s->error, SOS_ERR_MEMORY, "no memory for labels of %zu pixels", n);
    if (!status) status = s3svm_outline_lesson_band(&found, s->seed, 0, number, l, s->error);
    free(labels);
    free(response);
    return status;
}

/* ---------------------------------------------------------------- one photograph */

static bool is_marked(const s3svm_image *marks)
{
    size_t counts[S3SVM_MARKS];
    s3svm_marks_count(marks, counts);
    return counts[S3SVM_MARK_OBJECT] && counts[S3SVM_MARK_BACKGROUND];
}

/* The photograph as it is marked, if it is; evidence: for models that see some, else NULL. */
static sos_status marked_sample(const subject *s, const s3svm_maps *evidence, const char *cache, lesson *l, size_t number)
{
    s3svm_segment_input in = s3svm_marked_input(s->picture);
    in.cache = cache;
    if (has_evidence(s->model)) in.maps = evidence && evidence->values ? evidence : NULL;
    const sos_status status = s3svm_segment_check(&in, s->model->parts->response.dialogues, s->error);
    return status || !is_marked(&s->picture->marks) ? status : band_sample(s, &in, NULL, l, number);
}

/* Moments of a dialogue of clicks; one that ends before has fewer. */
static sos_status clicks_sample(const subject *s, const s3svm_photo *photo, const s3svm_maps *evidence, lesson *l, size_t first)
{
    const s3svm_simulated_opening opening = { .person = s3svm_simulation_defaults() };
    s3svm_simulated_dialogue t;
    sos_status status = s3svm_simulated_dialogue_begin(&t, s->picture, photo, &opening, evidence, s->error);
    for (size_t k = 0; k < MOMENTS && !status; k++) {
        bool right = false;
        status = s3svm_simulated_dialogue_until(&t, &s->model->parts->response, CLICKS[k], &right, s->error);
        if (right) break;
        if (!status) status = band_sample(s, &t.in, photo, l, first + k);
    }
    s3svm_simulated_dialogue_end(&t);
    return status;
}

/* Evidence for a model that sees some. */
static sos_status evidence_draw(const subject *s, sos_random *r, s3svm_maps *out)
{
    *out = (s3svm_maps){ 0 };
    if (!has_evidence(s->model)) return SOS_OK;
    return s3svm_simulated_evidence(s->count, s->pictures, s->number, r, out, s->error);
}

static sos_status dialogue_sample(const subject *s, lesson *l, size_t first)
{
    s3svm_photo photo = { 0 };
    s3svm_maps under_marks = { 0 }, under_clicks = { 0 };
    sos_random r = sos_random_seeded(s->seed);
    sos_status status = s3svm_photo_create(&s->picture->photograph, 1, &photo, s->error);
    if (!status) status = evidence_draw(s, &r, &under_marks);
    if (!status) status = evidence_draw(s, &r, &under_clicks);
    if (!status) status = marked_sample(s, &under_marks, NULL, l, first);
    if (!status) status = clicks_sample(s, &photo, &under_clicks, l, first + 1);
    s3svm_maps_free(&under_marks);
    s3svm_maps_free(&under_clicks);
    s3svm_photo_free(&photo);
    return status;
}

/* How many bands a photograph has. */
static size_t bands_of(const s3svm_segment_model *p) { return has_dialogues(p) ? 1 + MOMENTS : 1; }

static sos_status picture_sample(const s3svm_segment_model *p, size_t count, const s3svm_marked pictures[], size_t number,
                                 const char *cache, lesson *l, sos_error *error)
{
    const s3svm_marked *m = &pictures[number];
    subject s = {
        .model = p, .count = count, .number = number, .pictures = pictures, .picture = m, .seed = number + 1, .error = error
    };
    if (!m->truth) return sos_fail(error, SOS_ERR_ARGUMENT, "no true labels to learn from");
    sos_status status = s3svm_outline_lesson_photo(&m->photograph, &s.photo, error);
    if (!status)
        status = has_dialogues(p) ? dialogue_sample(&s, l, number * bands_of(p)) : marked_sample(&s, NULL, cache, l, number);
    s3svm_outline_photo_free(&s.photo);
    return status;
}

/* ---------------------------------------------------------------- all photographs */

void s3svm_outline_lesson_free(s3svm_outline_lesson *l)
{
    free(l->features);
    free(l->samples);
    free(l->taken);
    *l = (s3svm_outline_lesson){ 0 };
}

size_t s3svm_outline_lesson_inputs(const s3svm_segment_model *p, const s3svm_outline_model *outline)
{
    if (!s3svm_outline_model_is_empty(outline)) return outline->network.inputs;
    return has_evidence(p) ? S3SVM_OUTLINE_FEATURES_MAX : S3SVM_OUTLINE_FEATURES;
}

sos_status s3svm_outline_lesson_create(size_t count, size_t each, size_t inputs, s3svm_outline_lesson *l, sos_error *error)
{
    *l = (lesson){ .count = count,
                   .each = each,
                   .inputs = inputs,
                   .features = malloc((count * each + 1) * inputs * sizeof *l->features),
                   .samples = malloc((count * each + 1) * sizeof *l->samples),
                   .taken = calloc(count + 1, sizeof *l->taken) };
    if (l->features && l->samples && l->taken) return SOS_OK;
    s3svm_outline_lesson_free(l);
    return sos_fail(error, SOS_ERR_MEMORY, "no memory for samples of %zu outlines", count);
}

static sos_status lesson_fill(const s3svm_segment_model *p, const s3svm_marked pictures[], const char *cache,
                              const sos_work *work, lesson *l, sos_error *error)
{
    sos_failure failure = { 0 };
    size_t begun = 0;
    const size_t count = l->count / bands_of(p);
    const int used = sos_thread_count(work->threads);
    (void)used; /* where OpenMP is missing */
#pragma omp parallel for schedule(dynamic) num_threads(used)
    for (size_t i = 0; i < count; i++) {
        size_t before;
#pragma omp atomic capture
        before = begun++;
        sos_error why = { SOS_CANCELLED, "stopped while learning outlines" };
        const bool go_on = s3svm_segment_progress(work, "outlines", (double)before / (double)count);
        const sos_status status = go_on ? picture_sample(p, count, pictures, i, cache, l, &why) : SOS_CANCELLED;
        if (status) sos_failure_note(&failure, i, status, &why);
    }
    return sos_failure_status(&failure, "picture", error);
}

/* Copies the bands that are chosen and taken, without a gap; weights come to 1 on average. */
static sos_status lesson_pick(const lesson *l, const bool chosen[], lesson *out, sos_error *error)
{
    const size_t each = l->each, numbers = each * l->inputs;
    size_t kept = 0;
    double sum = 0;
    for (size_t i = 0; i < l->count; i++) kept += l->taken[i] && (!chosen || chosen[i]);
    const sos_status status = s3svm_outline_lesson_create(kept, each, l->inputs, out, error);
    if (status) return status;
    kept = 0;
    for (size_t i = 0; i < l->count; i++) {
        if (!l->taken[i] || (chosen && !chosen[i])) continue;
        memcpy(out->features + kept * numbers, l->features + i * numbers, numbers * sizeof *l->features);
        memcpy(out->samples + kept * each, l->samples + i * each, each * sizeof *l->samples);
        sum += (double)out->samples[kept++ * each].weight;
    }
    for (size_t k = 0; k < kept * each; k++) out->samples[k].weight *= (float)((double)kept / sum);
    return SOS_OK;
}

static bool progress_pass(void *user, const char *phase, double done)
{
    (void)phase;
    return s3svm_segment_progress(user, "outlines", done);
}

/* From the network that is there, if there is one. */
static sos_status network_learn(const lesson *l, const sos_work *work, s3svm_outline_model *out, sos_error *error)
{
    const size_t samples = l->count * l->each;
    sos_work told = *work;
    s3svm_perceptron_settings settings = s3svm_perceptron_defaults();
    settings.epochs = EPOCHS;
    settings.decay = DECAY;
    settings.go_on = !s3svm_outline_model_is_empty(out);
    settings.progress = progress_pass;
    settings.user = &told;
    sos_status status = SOS_OK;
    if (!settings.go_on) status = s3svm_perceptron_create(l->inputs, HIDDEN, 1, &out->network, error);
    if (!status)
        status = s3svm_perceptron_train(&out->network, &(s3svm_samples){ samples, l->samples, l->features }, &settings, error);
    return status;
}

sos_status s3svm_outline_lesson_train(const s3svm_outline_lesson *l, const bool chosen[], const sos_work *work,
                                      s3svm_outline_model *out, bool *trained, sos_error *error)
{
    lesson picked;
    sos_status status = lesson_pick(l, chosen, &picked, error);
    if (status) return status;
    *trained = picked.count > 0;
    if (s3svm_outline_model_is_empty(out)) out->strength = STRENGTH;
    if (picked.count) status = network_learn(&picked, work, out, error);
    s3svm_outline_lesson_free(&picked);
    return status;
}

static sos_status outline_learn(const s3svm_segment_model *p, size_t count, const s3svm_marked pictures[], const char *cache,
                                const sos_work *work, bool go_on, sos_model *m, sos_error *error)
{
    lesson l = { 0 };
    s3svm_outline_model outline = { 0 };
    bool trained = false;
    sos_status status = go_on ? s3svm_outline_model_read(m, &outline, error) : SOS_OK;
    const size_t inputs = s3svm_outline_lesson_inputs(p, &outline);
    if (!status)
        status = s3svm_outline_lesson_create(count * bands_of(p), has_dialogues(p) ? TALK_SAMPLES : SAMPLES, inputs, &l, error);
    if (!status) status = lesson_fill(p, pictures, cache, work, &l, error);
    if (!status) status = s3svm_outline_lesson_train(&l, NULL, work, &outline, &trained, error);
    if (trained && !status) status = s3svm_outline_model_write(&outline, m, error);
    s3svm_outline_model_free(&outline);
    s3svm_outline_lesson_free(&l);
    return status;
}

static sos_status model_learn(sos_model *m, size_t count, const s3svm_marked pictures[], const char *cache,
                              const sos_work *work, bool go_on, sos_error *error)
{
    s3svm_segment_model *p = NULL;
    const sos_work usual = { 0 };
    if (!count || !pictures) return sos_fail(error, SOS_ERR_ARGUMENT, "no training pictures for outlines");
    sos_status status = s3svm_segment_model_create(m, &p, error);
    if (!status && s3svm_segment_model_features(p) != S3SVM_SEGMENT_FULL)
        status = sos_fail(error, SOS_ERR_ARGUMENT, "only models with full features can refine outlines");
    if (!status) status = outline_learn(p, count, pictures, cache, work ? work : &usual, go_on, m, error);
    s3svm_segment_model_free(p);
    return status;
}

sos_status s3svm_segment_outline_learn(sos_model *m, size_t count, const s3svm_marked pictures[], const char *cache,
                                       const sos_work *work, sos_error *error)
{
    return model_learn(m, count, pictures, cache, work, false, error);
}

sos_status s3svm_outline_adapt(sos_model *m, size_t count, const s3svm_marked pictures[], const sos_work *work,
                               sos_error *error)
{
    return model_learn(m, count, pictures, NULL, work, true, error);
}
