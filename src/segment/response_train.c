/* response_train.c - the networks of responses, learned from marked photographs. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "base/threads.h"
#include "segment/data.h"
#include "segment/features.h"
#include "segment/response.h"

enum { EPOCHS = 8, NETWORKS = SOS_SEGMENT_NETWORKS };
static const double DECAY = 0.004; /* 0.001 to 0.006 are as good; without it networks learn the photographs by heart */

static bool progress_pass(void *user, const char *phase, double done) { return sos_segment_progress(user, phase, done); }

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
    sos_segment_sight sight = { 0 };
    sos_segment_view v = { 0 };
    sos_status status = sos_segment_sight_create(in.photograph, in.threads, &sight, error);
    if (status) return status;
    uint8_t *truth = malloc(sight.scene.n);
    if (!truth) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for labels of %zu pixels", sight.scene.n);
    if (!status) status = sos_segment_view_find(&in, &sight, false, &v, error);
    if (!status) sos_blocks_middle(&sight.blocks, p->truth, truth);
    sos_random random = sos_random_seeded(seed);
    for (size_t k = 0; k < samples && !status; k++) {
        const size_t i = (size_t)sos_random_below(&random, v.n);
        for (size_t m = 0; m < SOS_SEGMENT_MAPS; m++) maps[k * SOS_SEGMENT_MAPS + m] = v.maps[m * v.n + i];
        labels[k] = truth[i];
    }
    sos_segment_sight_free(&sight);
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

static sos_status lesson_create(size_t count, const sos_marked pictures[], const sos_segment_settings *settings, lesson *l,
                                sos_error *error)
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
    const int used = sos_thread_count(settings->work.threads);
    (void)used; /* where OpenMP is missing */
#pragma omp parallel for schedule(dynamic) num_threads(used)
    for (size_t i = 0; i < count; i++) {
        sos_error why;
        sos_status status = picture_sample(&pictures[i], l->samples, settings->seed + i,
                                           l->maps + i * l->samples * SOS_SEGMENT_MAPS, l->labels + i * l->samples, &why);
        if (!status && !sos_segment_progress(&settings->work, "maps", -1))
            status = sos_fail(&why, SOS_CANCELLED, "stopped while computing maps");
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

static sos_status network_train(const lesson *l, const sos_segment_settings *settings, size_t k, sos_perceptron *p,
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
        sos_work work = settings->work;
        s.progress = progress_pass;
        s.user = &work;
        const size_t n = samples_copy(l, k, samples, features);
        status = sos_perceptron_train(p, &(sos_samples){ n, samples, features }, &s, error);
    }
    free(samples);
    free(features);
    return status;
}

static sos_status networks_learn(const lesson *l, const sos_segment_settings *settings, sos_segment_response *r,
                                 sos_error *error)
{
    sos_failure failure = { 0 };
    const int used = sos_thread_count(settings->work.threads);
    (void)used; /* where OpenMP is missing */
#pragma omp parallel for schedule(dynamic) num_threads(used)
    for (size_t k = 0; k < NETWORKS; k++) {
        sos_error why;
        const sos_status status = network_train(l, settings, k, &r->networks[k], &why);
        if (status) sos_failure_note(&failure, k, status, &why);
    }
    return sos_failure_status(&failure, "network", error);
}

static sos_status networks_train(size_t count, const sos_marked pictures[], const sos_segment_settings *settings,
                                 sos_segment_response *r, sos_error *error)
{
    lesson l;
    sos_status status = lesson_create(count, pictures, settings, &l, error);
    if (status) return status;
    status = networks_learn(&l, settings, r, error);
    lesson_free(&l);
    return status;
}

static sos_cache_key networks_key(size_t count, const sos_marked pictures[], const sos_segment_settings *settings)
{
    sos_cache_key key = sos_cache_key_of("networks", SOS_SEGMENT_MAPS_VERSION);
    sos_cache_key_add_number(&key, settings->samples);
    sos_cache_key_add_number(&key, settings->seed);
    for (size_t i = 0; i < count; i++) {
        const sos_segment_input in = sos_marked_input(&pictures[i]);
        sos_segment_key(&key, &in, true);
        sos_cache_key_add(&key, pictures[i].truth, sos_image_size(in.photograph));
    }
    return key;
}

static sos_status networks_find(size_t count, const sos_marked pictures[], const sos_segment_settings *settings,
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

sos_status sos_segment_response_train(size_t count, const sos_marked pictures[], const sos_segment_settings *settings,
                                      sos_segment_response *out, sos_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (!pictures[i].truth) return sos_fail(error, SOS_ERR_ARGUMENT, "picture %zu has no true labels to learn from", i);
    sos_segment_response r = { 0 };
    sos_status status = sos_segment_response_create(count, false, &r, error);
    if (status) return status;
    for (size_t i = 0; i < count; i++) r.hashes[i] = sos_segment_response_hash(&pictures[i].photograph);
    status = networks_find(count, pictures, settings, &r, error);
    if (status)
        sos_segment_response_free(&r);
    else
        *out = r;
    return status;
}
