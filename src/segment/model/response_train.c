/* response_train.c - the networks of responses, learned from marked photographs. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "base/threads.h"
#include "segment/features/features.h"
#include "segment/marks/marks.h"
#include "segment/model/response_lesson.h"

enum { EPOCHS = 8, NETWORKS = S3SVM_SEGMENT_NETWORKS };
static const double DECAY = 0.004; /* 0.001 to 0.006 are as good; without it networks learn the photographs by heart */

static bool progress_pass(void *user, const char *phase, double done) { return s3svm_segment_progress(user, phase, done); }

/* ---------------------------------------------------------------- lessons */

void s3svm_response_lesson_free(s3svm_response_lesson *l)
{
    free(l->maps);
    free(l->labels);
    free(l->pictures);
    *l = (s3svm_response_lesson){ 0 };
}

sos_status s3svm_response_lesson_create(size_t inputs, size_t room, s3svm_response_lesson *out, sos_error *error)
{
    s3svm_response_lesson l = { .inputs = inputs,
                                .maps = malloc((room + 1) * inputs * sizeof *l.maps),
                                .labels = malloc(room + 1),
                                .pictures = malloc((room + 1) * sizeof *l.pictures),
                                .epochs = EPOCHS,
                                .decay = DECAY };
    if (l.maps && l.labels && l.pictures) {
        *out = l;
        return SOS_OK;
    }
    s3svm_response_lesson_free(&l);
    return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pixels to learn from", room);
}

/* The samples of all pictures but those of network k.  One picture is for all networks: there is no other. */
static size_t samples_copy(const s3svm_response_lesson *l, size_t pictures, size_t k, s3svm_sample samples[], float features[])
{
    size_t n = 0;
    for (size_t i = 0; i < l->count; i++) {
        if (l->pictures[i] % NETWORKS == k && pictures > 1) continue;
        samples[n] = (s3svm_sample){ .place = (uint32_t)i, .weight = 1, .label = l->labels[i] };
        memcpy(features + n * l->inputs, l->maps + i * l->inputs, l->inputs * sizeof *features);
        n++;
    }
    return n;
}

static sos_status network_train(const s3svm_response_lesson *l, const s3svm_segment_settings *settings, size_t pictures,
                                size_t k, s3svm_perceptron *p, sos_error *error)
{
    s3svm_sample *samples = malloc((l->count + 1) * sizeof *samples);
    float *features = malloc((l->count + 1) * l->inputs * sizeof *features);
    sos_status status = samples && features ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu samples", l->count);
    if (!status) {
        s3svm_perceptron_settings s = s3svm_perceptron_defaults();
        s.seed = settings->seed + k;
        s.epochs = l->epochs;
        s.decay = l->decay;
        s.spread = l->spread;
        sos_work work = settings->work;
        s.progress = progress_pass;
        s.user = &work;
        const size_t n = samples_copy(l, pictures, k, samples, features);
        status = s3svm_perceptron_train(p, &(s3svm_samples){ n, samples, features }, &s, error);
    }
    free(samples);
    free(features);
    return status;
}

sos_status s3svm_response_learn(const s3svm_response_lesson *l, const s3svm_segment_settings *settings,
                                s3svm_segment_response *r, sos_error *error)
{
    sos_failure failure = { 0 };
    const int used = sos_thread_count(settings->work.threads);
    (void)used; /* where OpenMP is missing */
#pragma omp parallel for schedule(dynamic) num_threads(used)
    for (size_t k = 0; k < NETWORKS; k++) {
        sos_error why;
        const sos_status status = network_train(l, settings, r->pictures, k, &r->networks[k], &why);
        if (status) sos_failure_note(&failure, k, status, &why);
    }
    return sos_failure_status(&failure, "network", error);
}

/* ---------------------------------------------------------------- photographs as they are marked */

/* So many pixels of a picture: maps side by side. */
static sos_status picture_sample(const s3svm_marked *p, size_t samples, uint64_t seed, float maps[], uint8_t labels[],
                                 sos_error *error)
{
    const s3svm_segment_input in = s3svm_marked_input(p);
    s3svm_photo photo = { 0 };
    s3svm_segment_view v = { 0 };
    sos_status status = s3svm_photo_create(in.photograph, in.threads, &photo, error);
    if (status) return status;
    uint8_t *truth = malloc(photo.features.n);
    if (!truth) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for labels of %zu pixels", photo.features.n);
    if (!status) status = s3svm_segment_view_find(&in, &photo, S3SVM_SIGHT_MARKS, &v, error);
    if (!status) s3svm_blocks_middle(&photo.blocks, p->truth, truth);
    sos_random random = sos_random_seeded(seed);
    for (size_t k = 0; k < samples && !status; k++) {
        const size_t i = (size_t)sos_random_below(&random, v.n);
        for (size_t m = 0; m < S3SVM_SEGMENT_MAPS; m++) maps[k * S3SVM_SEGMENT_MAPS + m] = v.maps[m * v.n + i];
        labels[k] = truth[i];
    }
    s3svm_photo_free(&photo);
    s3svm_segment_view_free(&v);
    free(truth);
    return status;
}

/* The same number of each, in their order. */
static sos_status lesson_fill(size_t count, const s3svm_marked pictures[], const s3svm_segment_settings *settings,
                              s3svm_response_lesson *l, sos_error *error)
{
    const size_t samples = settings->samples;
    sos_failure failure = { 0 };
    const int used = sos_thread_count(settings->work.threads);
    (void)used; /* where OpenMP is missing */
#pragma omp parallel for schedule(dynamic) num_threads(used)
    for (size_t i = 0; i < count; i++) {
        sos_error why;
        sos_status status = picture_sample(&pictures[i], samples, settings->seed + i, l->maps + i * samples * l->inputs,
                                           l->labels + i * samples, &why);
        if (!status && !s3svm_segment_progress(&settings->work, "maps", -1))
            status = sos_fail(&why, SOS_CANCELLED, "stopped while computing maps");
        if (status) sos_failure_note(&failure, i, status, &why);
    }
    l->count = count * samples;
    for (size_t i = 0; i < l->count; i++) l->pictures[i] = (uint32_t)(i / samples);
    return sos_failure_status(&failure, "picture", error);
}

static sos_status networks_train(size_t count, const s3svm_marked pictures[], const s3svm_segment_settings *settings,
                                 s3svm_segment_response *r, sos_error *error)
{
    if (settings->dialogues) return s3svm_response_learn_dialogues(count, pictures, settings, r, error);
    s3svm_response_lesson l;
    sos_status status = s3svm_response_lesson_create(S3SVM_SEGMENT_MAPS, count * settings->samples, &l, error);
    if (status) return status;
    status = lesson_fill(count, pictures, settings, &l, error);
    if (!status) status = s3svm_response_learn(&l, settings, r, error);
    s3svm_response_lesson_free(&l);
    return status;
}

static s3svm_cache_key networks_key(size_t count, const s3svm_marked pictures[], const s3svm_segment_settings *settings)
{
    s3svm_cache_key key = s3svm_cache_key_of(settings->dialogues ? "networks of dialogues" : "networks",
                                             S3SVM_SEGMENT_MAPS_VERSION);
    s3svm_cache_key_add_number(&key, settings->samples);
    s3svm_cache_key_add_number(&key, settings->seed);
    s3svm_cache_key_add_number(&key, settings->evidence);
    for (size_t i = 0; i < count; i++) {
        const s3svm_segment_input in = s3svm_marked_input(&pictures[i]);
        s3svm_segment_key(&key, &in, true);
        s3svm_cache_key_add(&key, pictures[i].truth, s3svm_image_size(in.photograph));
        if (settings->dialogues) s3svm_cache_key_add(&key, pictures[i].care, s3svm_image_size(in.photograph));
    }
    return key;
}

static sos_status networks_find(size_t count, const s3svm_marked pictures[], const s3svm_segment_settings *settings,
                                s3svm_segment_response *r, sos_error *error)
{
    if (!settings->cache) return networks_train(count, pictures, settings, r, error);
    const size_t bytes = s3svm_perceptron_numbers(&r->networks[0]) * sizeof *r->networks[0].numbers;
    const s3svm_cache_key all = networks_key(count, pictures, settings);
    s3svm_cache_key keys[NETWORKS];
    bool found = true;
    for (size_t k = 0; k < NETWORKS; k++) {
        keys[k] = all;
        s3svm_cache_key_add_number(&keys[k], k);
        found = found && s3svm_cache_find(settings->cache, &keys[k], r->networks[k].numbers, bytes);
    }
    if (found) return SOS_OK;
    const sos_status status = networks_train(count, pictures, settings, r, error);
    for (size_t k = 0; k < NETWORKS && !status; k++) s3svm_cache_keep(settings->cache, &keys[k], r->networks[k].numbers, bytes);
    return status;
}

sos_status s3svm_segment_response_train(size_t count, const s3svm_marked pictures[], const s3svm_segment_settings *settings,
                                        s3svm_segment_response *out, sos_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (!pictures[i].truth) return sos_fail(error, SOS_ERR_ARGUMENT, "picture %zu has no true labels", i);
    s3svm_segment_response r = { 0 };
    const s3svm_segment_sight sight = settings->evidence    ? S3SVM_SIGHT_EVIDENCE
                                      : settings->dialogues ? S3SVM_SIGHT_DIALOGUE
                                                            : S3SVM_SIGHT_MARKS;
    sos_status status = s3svm_segment_response_create(count, sight, &r, error);
    if (status) return status;
    for (size_t i = 0; i < count; i++) r.hashes[i] = s3svm_segment_response_hash(&pictures[i].photograph);
    status = networks_find(count, pictures, settings, &r, error);
    if (status)
        s3svm_segment_response_free(&r);
    else
        *out = r;
    return status;
}
