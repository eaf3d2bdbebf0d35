/* outline_train.c - the second look at outlines, learned from marked photographs with true labels. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "base/threads.h"
#include "segment/data.h"
#include "segment/model.h"
#include "segment/outline.h"
#include "vision/colour.h"

enum { HIDDEN = 24, EPOCHS = 6, SAMPLES = 4000 /* of the band of a photograph */ };
static const double DECAY = 0.001;
static const double STRENGTH = 3; /* of pairs; 2 to 4 are as good (docs/segmentation.md) */

/* ---------------------------------------------------------------- one photograph */

/* Some pixels of the band of every photograph. */
typedef struct lesson {
    size_t count;
    float *features; /* SAMPLES of each, SOS_OUTLINE_FEATURES numbers side by side */
    sos_sample *samples;
    bool *taken; /* whether there is a band */
} lesson;

/* What the model finds first, by networks that have not seen the photograph, and its responses. */
static sos_status first_find(const sos_segment_model *p, const sos_segment_input *in, uint8_t labels[], float response[],
                             sos_error *error)
{
    sos_example *x = NULL;
    sos_status status = sos_segment_example_create(p, in, &x, error);
    if (!status) status = sos_segment_example_mark(p, in, NULL, x, response, error);
    if (!status) status = sos_example_minimize(x, p->hard_weights, false, NULL, labels, NULL, error);
    sos_example_free(x);
    return status;
}

static sos_status scene_find(const sos_image *photograph, sos_outline_scene *out, sos_error *error)
{
    const size_t n = sos_image_size(photograph);
    float *lab = malloc(3 * n * sizeof *lab);
    if (!lab) return sos_fail(error, SOS_ERR_MEMORY, "no memory for colours of %zu pixels", n);
    sos_status status = sos_colour_lab(photograph, 1, lab, error);
    if (!status) status = sos_outline_scene_create(photograph, lab, 1, out, error);
    free(lab);
    return status;
}

/* Photographs count by the share of their pixels that is in the band, as it is with the loss. */
static void samples_take(const sos_marked *m, const sos_outline_band *b, const float features[], uint64_t seed, float rows[],
                         sos_sample samples[])
{
    sos_random random = sos_random_seeded(seed);
    const float weight = (float)b->count / (float)sos_image_size(&m->photograph);
    for (size_t k = 0; k < SAMPLES; k++) {
        const size_t i = (size_t)sos_random_below(&random, b->count);
        for (size_t f = 0; f < SOS_OUTLINE_FEATURES; f++) rows[k * SOS_OUTLINE_FEATURES + f] = features[f * b->count + i];
        samples[k] = (sos_sample){ .place = b->pixels[i], .weight = weight, .label = m->truth[b->pixels[i]] };
    }
}

static sos_status band_sample(const sos_marked *m, const uint8_t labels[], const float response[], uint64_t seed, lesson *l,
                              size_t number, sos_error *error)
{
    sos_outline_scene scene = { 0 };
    sos_outline_band band = { 0 };
    float *features = NULL;
    sos_status status = scene_find(&m->photograph, &scene, error);
    if (!status) status = sos_outline_band_create(&scene, labels, m->marks.pixels, 1, &band, error);
    if (!status) features = malloc((band.count * SOS_OUTLINE_FEATURES + 1) * sizeof *features);
    if (!status && !features) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for an outline of %zu pixels", band.count);
    if (!status) status = sos_outline_features(&scene, &band, response, 1, features, error);
    if (!status && band.count) {
        l->taken[number] = true;
        samples_take(m, &band, features, seed, l->features + number * SAMPLES * SOS_OUTLINE_FEATURES,
                     l->samples + number * SAMPLES);
    }
    free(features);
    sos_outline_band_free(&band);
    sos_outline_scene_free(&scene);
    return status;
}

static bool is_marked(const sos_image *marks)
{
    size_t counts[SOS_MARKS];
    sos_marks_count(marks, counts);
    return counts[SOS_MARK_OBJECT] && counts[SOS_MARK_BACKGROUND];
}

static sos_status picture_sample(const sos_segment_model *p, const sos_marked *m, const char *cache, uint64_t seed, lesson *l,
                                 size_t number, sos_error *error)
{
    const size_t n = sos_image_size(&m->photograph);
    sos_segment_input in = sos_marked_input(m);
    in.cache = p->parts->response.dialogues ? NULL : cache;
    sos_status status = sos_segment_check(&in, p->parts->response.dialogues, error);
    if (!status && !m->truth) status = sos_fail(error, SOS_ERR_ARGUMENT, "no true labels to learn from");
    if (status || !is_marked(&m->marks)) return status;
    uint8_t *labels = malloc(n);
    float *response = malloc(n * sizeof *response);
    status = labels && response ? first_find(p, &in, labels, response, error)
                                : sos_fail(error, SOS_ERR_MEMORY, "no memory for labels of %zu pixels", n);
    if (!status) status = band_sample(m, labels, response, seed, l, number, error);
    free(labels);
    free(response);
    return status;
}

/* ---------------------------------------------------------------- all photographs */

static void lesson_free(lesson *l)
{
    free(l->features);
    free(l->samples);
    free(l->taken);
}

static sos_status lesson_create(size_t count, lesson *l, sos_error *error)
{
    *l = (lesson){ .count = count,
                   .features = malloc(count * SAMPLES * SOS_OUTLINE_FEATURES * sizeof *l->features),
                   .samples = malloc(count * SAMPLES * sizeof *l->samples),
                   .taken = calloc(count, sizeof *l->taken) };
    if (l->features && l->samples && l->taken) return SOS_OK;
    lesson_free(l);
    return sos_fail(error, SOS_ERR_MEMORY, "no memory for samples of %zu outlines", count);
}

static sos_status lesson_fill(const sos_segment_model *p, const sos_marked pictures[], const char *cache, const sos_work *work,
                              lesson *l, sos_error *error)
{
    sos_failure failure = { 0 };
    size_t begun = 0;
    const int used = sos_thread_count(work->threads);
    (void)used; /* where OpenMP is missing */
#pragma omp parallel for schedule(dynamic) num_threads(used)
    for (size_t i = 0; i < l->count; i++) {
        size_t before;
#pragma omp atomic capture
        before = begun++;
        sos_error why = { SOS_CANCELLED, "stopped while learning outlines" };
        const bool go_on = sos_segment_progress(work, "outlines", (double)before / (double)l->count);
        const sos_status status = go_on ? picture_sample(p, &pictures[i], cache, i + 1, l, i, &why) : SOS_CANCELLED;
        if (status) sos_failure_note(&failure, i, status, &why);
    }
    return sos_failure_status(&failure, "picture", error);
}

/* Photographs without a band leave no gap; weights come to 1 on average.  Returns how many samples there are. */
static size_t lesson_tidy(lesson *l)
{
    size_t kept = 0;
    double sum = 0;
    for (size_t i = 0; i < l->count; i++) {
        if (!l->taken[i]) continue;
        memmove(l->features + kept * SAMPLES * SOS_OUTLINE_FEATURES, l->features + i * SAMPLES * SOS_OUTLINE_FEATURES,
                SAMPLES * SOS_OUTLINE_FEATURES * sizeof *l->features);
        memmove(l->samples + kept * SAMPLES, l->samples + i * SAMPLES, SAMPLES * sizeof *l->samples);
        sum += (double)l->samples[kept++ * SAMPLES].weight;
    }
    for (size_t k = 0; k < kept * SAMPLES; k++) l->samples[k].weight *= (float)((double)kept / sum);
    return kept * SAMPLES;
}

static bool progress_pass(void *user, const char *phase, double done)
{
    (void)phase;
    return sos_segment_progress(user, "outlines", done);
}

static sos_status network_learn(const lesson *l, size_t samples, const sos_work *work, sos_outline_model *out, sos_error *error)
{
    sos_work told = *work;
    sos_perceptron_settings settings = sos_perceptron_defaults();
    settings.epochs = EPOCHS;
    settings.decay = DECAY;
    settings.progress = progress_pass;
    settings.user = &told;
    sos_status status = sos_perceptron_create(SOS_OUTLINE_FEATURES, HIDDEN, 1, &out->network, error);
    if (!status)
        status = sos_perceptron_train(&out->network, &(sos_samples){ samples, l->samples, l->features }, &settings, error);
    return status;
}

static sos_status outline_learn(const sos_segment_model *p, size_t count, const sos_marked pictures[], const char *cache,
                                const sos_work *work, sos_model *m, sos_error *error)
{
    lesson l;
    sos_outline_model outline = { .strength = STRENGTH };
    sos_status status = lesson_create(count, &l, error);
    if (status) return status;
    status = lesson_fill(p, pictures, cache, work, &l, error);
    const size_t samples = status ? 0 : lesson_tidy(&l);
    if (samples) status = network_learn(&l, samples, work, &outline, error);
    if (samples && !status) status = sos_outline_model_write(&outline, m, error);
    sos_outline_model_free(&outline);
    lesson_free(&l);
    return status;
}

sos_status sos_segment_outline_learn(sos_model *m, size_t count, const sos_marked pictures[], const char *cache,
                                     const sos_work *work, sos_error *error)
{
    sos_segment_model *p = NULL;
    const sos_work usual = { 0 };
    if (!count || !pictures) return sos_fail(error, SOS_ERR_ARGUMENT, "outlines are learned from pictures; none given");
    sos_status status = sos_segment_model_create(m, &p, error);
    if (!status && sos_segment_model_features(p) != SOS_SEGMENT_FULL)
        status = sos_fail(error, SOS_ERR_ARGUMENT, "models with full features look at outlines again, others do not");
    if (!status) status = outline_learn(p, count, pictures, cache, work ? work : &usual, m, error);
    sos_segment_model_free(p);
    return status;
}
