#include "segment/response.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/threads.h"
#include "segment/features.h"
#include "vision/colour.h"
#include "vision/resample.h"

enum {
    PIXELS_MAX = 75000, /* of a picture that maps are made of */
    HIDDEN = 24,        /* units of a network */
    EPOCHS = 8,
    NETWORKS = SOS_SEGMENT_NETWORKS,
    MAPS_VERSION = 2 /* changes when maps, or what networks learn from them, do: for caches */
};
static const double DECAY = 0.004; /* 0.001 to 0.006 are as good; without it networks learn the photographs by heart */

void sos_segment_response_free(sos_segment_response *r)
{
    for (size_t k = 0; k < NETWORKS; k++) sos_perceptron_free(&r->networks[k]);
    free(r->hashes);
    *r = (sos_segment_response){ 0 };
}

sos_status sos_segment_response_create(size_t pictures, sos_segment_response *out, sos_error *error)
{
    sos_segment_response r = { .pictures = pictures, .hashes = calloc(pictures + 1, sizeof *r.hashes) };
    sos_status status = r.hashes ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pictures", pictures);
    for (size_t k = 0; k < NETWORKS && !status; k++)
        status = sos_perceptron_create(SOS_SEGMENT_MAPS, HIDDEN, 1, &r.networks[k], error);
    if (status)
        sos_segment_response_free(&r);
    else
        *out = r;
    return status;
}

static uint64_t picture_hash(const sos_image *p)
{
    const uint64_t size[2] = { p->width, p->height };
    return sos_hash(sos_hash(SOS_HASH_START, size, sizeof size), p->pixels, 3 * sos_image_size(p));
}

/* ---------------------------------------------------------------- applying */

/* Sum over networks that have not seen the picture; returns their number. */
static size_t networks_sum(const sos_segment_response *r, uint64_t hash, const sos_segment_view *v, float scratch[],
                           float sum[])
{
    size_t left_out = NETWORKS, judges = 0;
    for (size_t i = 0; i < r->pictures; i++)
        if (r->hashes[i] == hash) left_out = i % NETWORKS;
    memset(sum, 0, v->n * sizeof *sum);
    for (size_t k = 0; k < NETWORKS; k++) {
        if (left_out < NETWORKS && k != left_out) continue;
        sos_perceptron_apply(&r->networks[k], v->n, v->maps, scratch);
        for (size_t i = 0; i < v->n; i++) sum[i] += scratch[i];
        judges++;
    }
    return judges;
}

static sos_status responses_find(const sos_segment_response *r, const sos_segment_input *in, const sos_segment_view *v,
                                 float out[], sos_error *error)
{
    float *scratch = malloc(v->n * sizeof *scratch);
    if (!scratch) return sos_fail(error, SOS_ERR_MEMORY, "no memory for responses of %zu pixels", v->n);
    const float judges = (float)networks_sum(r, picture_hash(in->photograph), v, scratch, out);
    for (size_t i = 0; i < v->n; i++) out[i] /= judges;
    free(scratch);
    return SOS_OK;
}

static sos_status ratios_find(const sos_segment_input *in, const sos_segment_view *v, float out[], sos_error *error)
{
    const size_t n = sos_image_size(in->photograph);
    memset(out, 0, n * sizeof *out);
    if (!v->refined[0].components || !v->refined[1].components) return SOS_OK;
    float *lab = malloc(3 * n * sizeof *lab);
    double *logs = malloc(n * sizeof *logs);
    sos_status status = lab && logs ? sos_colour_lab(in->photograph, in->threads, lab, error)
                                    : sos_fail(error, SOS_ERR_MEMORY, "no memory for colours of %zu pixels", n);
    for (size_t k = 0; k < 2 && !status; k++) {
        sos_mixture_evaluate(&v->refined[k], n, lab, logs, NULL, in->threads);
        for (size_t i = 0; i < n; i++) out[i] += (float)((k ? 1 : -1) * fmax(logs[i], -40));
    }
    free(lab);
    free(logs);
    return status;
}

/* The maps of a photograph in blocks. */
static sos_status view_find(const sos_segment_input *in, const sos_blocks *b, sos_segment_view *v, sos_error *error)
{
    sos_image photograph = { 0 }, marks = { 0 };
    sos_segment_scene scene = { 0 };
    sos_status status = sos_blocks_mean(b, in->photograph, &photograph, error);
    if (!status) status = sos_segment_scene_create(&photograph, in->threads, &scene, error);
    if (!status) status = sos_blocks_marks(b, in->marks, &marks, error);
    if (!status) status = sos_segment_view_create(&scene, &marks, in->threads, v, error);
    sos_segment_scene_free(&scene);
    sos_image_free(&photograph);
    sos_image_free(&marks);
    return status;
}

static sos_status looks_compute(const sos_segment_response *r, const sos_segment_input *in, const sos_blocks *b,
                                float responses[], float ratios[], sos_error *error)
{
    sos_segment_view v = { 0 };
    sos_status status = view_find(in, b, &v, error);
    if (!status) status = responses_find(r, in, &v, responses, error);
    if (!status) status = ratios_find(in, &v, ratios, error);
    sos_segment_view_free(&v);
    return status;
}

/* Responses of blocks depend on networks as well, and ratios of pixels do not: a cache keeps these once for all networks. */
static sos_status looks_find(const sos_segment_response *r, const sos_segment_input *in, const sos_blocks *b, float responses[],
                             float ratios[], sos_error *error)
{
    if (!in->cache) return looks_compute(r, in, b, responses, ratios, error);
    const size_t blocks = sos_blocks_size(b) * sizeof *responses, pixels = sos_image_size(in->photograph) * sizeof *ratios;
    sos_cache_key ratio = sos_cache_key_of("ratios", MAPS_VERSION), response = sos_cache_key_of("responses", MAPS_VERSION);
    sos_segment_key(&ratio, in, true);
    sos_segment_key(&response, in, true);
    sos_cache_key_add(&response, r->hashes, r->pictures * sizeof *r->hashes);
    for (size_t k = 0; k < NETWORKS; k++)
        sos_cache_key_add(&response, r->networks[k].numbers,
                          sos_perceptron_numbers(&r->networks[k]) * sizeof *r->networks[k].numbers);
    if (sos_cache_find(in->cache, &response, responses, blocks) && sos_cache_find(in->cache, &ratio, ratios, pixels))
        return SOS_OK;
    const sos_status status = looks_compute(r, in, b, responses, ratios, error);
    if (!status) sos_cache_keep(in->cache, &response, responses, blocks);
    if (!status) sos_cache_keep(in->cache, &ratio, ratios, pixels);
    return status;
}

sos_status sos_segment_response_apply(const sos_segment_response *r, const sos_segment_input *in, float responses[],
                                      float ratios[], sos_error *error)
{
    const sos_blocks b = sos_blocks_within(in->photograph, PIXELS_MAX);
    float *small = malloc(sos_blocks_size(&b) * sizeof *small);
    if (!small) return sos_fail(error, SOS_ERR_MEMORY, "no memory for responses of %zu pixels", sos_blocks_size(&b));
    const sos_status status = looks_find(r, in, &b, small, ratios, error);
    if (!status) sos_blocks_grow(&b, small, responses);
    free(small);
    return status;
}

/* ---------------------------------------------------------------- learning */

/* The caller's callback, from several threads but one at a time. */
static bool progress_pass(void *user, const char *phase, double done)
{
    const sos_segment_response_settings *s = user;
    bool go_on = true;
#pragma omp critical(sos_segment_progress)
    go_on = !s->progress || s->progress(s->user, phase, done);
    return go_on;
}

/* So many pixels of each picture: maps side by side. */
typedef struct lesson {
    size_t count, samples;
    float *maps;
    uint8_t *labels;
} lesson;

static sos_status picture_sample(const sos_marked *p, size_t samples, uint64_t seed, float maps[], uint8_t labels[],
                                 sos_error *error)
{
    const sos_segment_input in = sos_marked_input(p);
    const sos_blocks b = sos_blocks_within(in.photograph, PIXELS_MAX);
    sos_segment_view v = { 0 };
    uint8_t *truth = malloc(sos_blocks_size(&b));
    if (!truth) return sos_fail(error, SOS_ERR_MEMORY, "no memory for labels of %zu pixels", sos_blocks_size(&b));
    sos_blocks_middle(&b, p->truth, truth);
    const sos_status status = view_find(&in, &b, &v, error);
    sos_random random = sos_random_seeded(seed);
    for (size_t k = 0; k < samples && !status; k++) {
        const size_t i = (size_t)sos_random_below(&random, v.n);
        for (size_t m = 0; m < SOS_SEGMENT_MAPS; m++) maps[k * SOS_SEGMENT_MAPS + m] = v.maps[m * v.n + i];
        labels[k] = truth[i];
    }
    sos_segment_view_free(&v);
    free(truth);
    return status;
}

static void lesson_free(lesson *l)
{
    free(l->maps);
    free(l->labels);
    *l = (lesson){ 0 };
}

static sos_status lesson_create(size_t count, const sos_marked pictures[], const sos_segment_response_settings *settings,
                                lesson *l, sos_error *error)
{
    *l = (lesson){ .count = count,
                   .samples = settings->samples,
                   .maps = malloc(count * settings->samples * SOS_SEGMENT_MAPS * sizeof *l->maps),
                   .labels = malloc(count * settings->samples) };
    if (!l->maps || !l->labels) {
        lesson_free(l);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for samples of %zu pictures", count);
    }
    sos_failure failure = { 0 };
    const int used = sos_thread_count(settings->threads);
    (void)used; /* where OpenMP is missing */
#pragma omp parallel for schedule(dynamic) num_threads(used)
    for (size_t i = 0; i < count; i++) {
        sos_error why;
        sos_status status = picture_sample(&pictures[i], l->samples, settings->seed + i,
                                           l->maps + i * l->samples * SOS_SEGMENT_MAPS, l->labels + i * l->samples, &why);
        sos_segment_response_settings own = *settings;
        if (!status && !progress_pass(&own, "maps", -1)) status = sos_fail(&why, SOS_CANCELLED, "stopped while computing maps");
        if (status) sos_failure_note(&failure, i, status, &why);
    }
    const sos_status status = sos_failure_status(&failure, "picture", error);
    if (status) lesson_free(l);
    return status;
}

/* The samples of all pictures but those of network k. */
static size_t samples_copy(const lesson *l, size_t k, sos_sample samples[], float features[])
{
    size_t n = 0;
    for (size_t i = 0; i < l->count * l->samples; i++) {
        if (i / l->samples % NETWORKS == k && l->count > 1) continue;
        samples[n] = (sos_sample){ .place = (uint32_t)i, .weight = 1, .label = l->labels[i] };
        memcpy(features + n * SOS_SEGMENT_MAPS, l->maps + i * SOS_SEGMENT_MAPS, SOS_SEGMENT_MAPS * sizeof *features);
        n++;
    }
    return n;
}

static sos_status network_train(const lesson *l, const sos_segment_response_settings *settings, size_t k, sos_perceptron *p,
                                sos_error *error)
{
    const size_t room = l->count * l->samples;
    sos_sample *samples = malloc(room * sizeof *samples);
    float *features = malloc(room * SOS_SEGMENT_MAPS * sizeof *features);
    sos_status status = samples && features ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu samples", room);
    if (!status) {
        sos_perceptron_settings s = sos_perceptron_defaults();
        s.seed = settings->seed + k;
        s.epochs = EPOCHS;
        s.decay = DECAY;
        sos_segment_response_settings own = *settings;
        s.progress = progress_pass;
        s.user = &own;
        const size_t n = samples_copy(l, k, samples, features);
        status = sos_perceptron_train(p, &(sos_samples){ n, samples, features }, &s, error);
    }
    free(samples);
    free(features);
    return status;
}

static sos_status networks_learn(const lesson *l, const sos_segment_response_settings *settings, sos_segment_response *r,
                                 sos_error *error)
{
    sos_failure failure = { 0 };
    const int used = sos_thread_count(settings->threads);
    (void)used; /* where OpenMP is missing */
#pragma omp parallel for schedule(dynamic) num_threads(used)
    for (size_t k = 0; k < NETWORKS; k++) {
        sos_error why;
        const sos_status status = network_train(l, settings, k, &r->networks[k], &why);
        if (status) sos_failure_note(&failure, k, status, &why);
    }
    return sos_failure_status(&failure, "network", error);
}

static sos_status networks_train(size_t count, const sos_marked pictures[], const sos_segment_response_settings *settings,
                                 sos_segment_response *r, sos_error *error)
{
    lesson l;
    sos_status status = lesson_create(count, pictures, settings, &l, error);
    if (status) return status;
    status = networks_learn(&l, settings, r, error);
    lesson_free(&l);
    return status;
}

static sos_cache_key networks_key(size_t count, const sos_marked pictures[], const sos_segment_response_settings *settings)
{
    sos_cache_key key = sos_cache_key_of("networks", MAPS_VERSION);
    sos_cache_key_add_number(&key, settings->samples);
    sos_cache_key_add_number(&key, settings->seed);
    for (size_t i = 0; i < count; i++) {
        const sos_segment_input in = sos_marked_input(&pictures[i]);
        sos_segment_key(&key, &in, true);
        sos_cache_key_add(&key, pictures[i].truth, sos_image_size(in.photograph));
    }
    return key;
}

static sos_status networks_find(size_t count, const sos_marked pictures[], const sos_segment_response_settings *settings,
                                sos_segment_response *r, sos_error *error)
{
    if (!settings->cache) return networks_train(count, pictures, settings, r, error);
    const size_t bytes = sos_perceptron_numbers(&r->networks[0]) * sizeof *r->networks[0].numbers;
    const sos_cache_key all = networks_key(count, pictures, settings);
    sos_cache_key keys[NETWORKS];
    bool found = true;
    for (size_t k = 0; k < NETWORKS; k++) {
        keys[k] = all;
        sos_cache_key_add_number(&keys[k], k);
        found = found && sos_cache_find(settings->cache, &keys[k], r->networks[k].numbers, bytes);
    }
    if (found) return SOS_OK;
    const sos_status status = networks_train(count, pictures, settings, r, error);
    for (size_t k = 0; k < NETWORKS && !status; k++) sos_cache_keep(settings->cache, &keys[k], r->networks[k].numbers, bytes);
    return status;
}

sos_status sos_segment_response_train(size_t count, const sos_marked pictures[], const sos_segment_response_settings *settings,
                                      sos_segment_response *out, sos_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (!pictures[i].truth) return sos_fail(error, SOS_ERR_ARGUMENT, "picture %zu has no true labels to learn from", i);
    sos_segment_response r = { 0 };
    sos_status status = sos_segment_response_create(count, &r, error);
    if (status) return status;
    for (size_t i = 0; i < count; i++) r.hashes[i] = picture_hash(&pictures[i].photograph);
    status = networks_find(count, pictures, settings, &r, error);
    if (status)
        sos_segment_response_free(&r);
    else
        *out = r;
    return status;
}
