#include "segment/features/response.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/threads.h"
#include "segment/features/paper.h"
#include "vision/resample.h"

enum {
    HIDDEN = 24,          /* units of a network ... */
    DIALOGUE_HIDDEN = 32, /* ... that learns from dialogues: marks of all kinds are more to know */
    NETWORKS = S3SVM_SEGMENT_NETWORKS,
    STRIP = 2048 /* pixels that a thread judges at a time: their maps stay in its cache */
};

void s3svm_segment_response_free(s3svm_segment_response *r)
{
    for (size_t k = 0; k < NETWORKS; k++) s3svm_perceptron_free(&r->networks[k]);
    free(r->hashes);
    *r = (s3svm_segment_response){ 0 };
}

sos_status s3svm_segment_response_create(size_t pictures, s3svm_segment_sight sight, s3svm_segment_response *out,
                                         sos_error *error)
{
    const bool dialogues = sight != S3SVM_SIGHT_MARKS;
    s3svm_segment_response r = { .dialogues = dialogues,
                                 .evidence = sight == S3SVM_SIGHT_EVIDENCE,
                                 .pictures = pictures,
                                 .hashes = calloc(pictures + 1, sizeof *r.hashes) };
    sos_status status = r.hashes ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pictures", pictures);
    for (size_t k = 0; k < NETWORKS && !status; k++)
        status = s3svm_perceptron_create(s3svm_segment_sight_maps(sight), dialogues ? DIALOGUE_HIDDEN : HIDDEN, 1,
                                         &r.networks[k], error);
    if (status)
        s3svm_segment_response_free(&r);
    else
        *out = r;
    return status;
}

uint64_t s3svm_segment_response_hash(const s3svm_image *p)
{
    const uint64_t size[2] = { p->width, p->height };
    return sos_hash(sos_hash(SOS_HASH_START, size, sizeof size), p->pixels, 3 * s3svm_image_size(p));
}

/* ---------------------------------------------------------------- applying */

/* The networks that have not seen the picture; returns their number. */
static size_t judges_find(const s3svm_segment_response *r, uint64_t hash, const s3svm_perceptron *judges[NETWORKS])
{
    size_t left_out = NETWORKS, count = 0;
    for (size_t i = 0; i < r->pictures; i++)
        if (r->hashes[i] == hash) left_out = i % NETWORKS;
    for (size_t k = 0; k < NETWORKS; k++)
        if (left_out == NETWORKS || k == left_out) judges[count++] = &r->networks[k];
    return count;
}

sos_status s3svm_segment_response_judge(const s3svm_segment_response *r, const s3svm_image *photograph,
                                        const s3svm_segment_view *v, int threads, float out[], sos_error *error)
{
    const s3svm_perceptron *judges[NETWORKS];
    const size_t count = judges_find(r, s3svm_segment_response_hash(photograph), judges), n = v->n;
    float *each = malloc(count * n * sizeof *each);
    if (!each) return sos_fail(error, SOS_ERR_MEMORY, "no memory for responses of %zu pixels", n);
    const int used = sos_thread_count(threads);
    (void)used; /* where OpenMP is missing */
#pragma omp parallel for schedule(dynamic) num_threads(used)
    for (size_t from = 0; from < n; from += STRIP) {
        const size_t to = n - from < STRIP ? n : from + STRIP;
        for (size_t k = 0; k < count; k++) s3svm_perceptron_apply(judges[k], to - from, n, v->maps + from, each + k * n + from);
        for (size_t i = from; i < to; i++) {
            float sum = 0;
            for (size_t k = 0; k < count; k++) sum += each[k * n + i];
            out[i] = sum / (float)count;
        }
    }
    free(each);
    return SOS_OK;
}

static sos_status ratios_find(const s3svm_segment_input *in, const s3svm_photo *photo, const s3svm_segment_view *v, float out[],
                              sos_error *error)
{
    const size_t n = s3svm_image_size(in->photograph);
    memset(out, 0, n * sizeof *out);
    if (!v->refined[0].components || !v->refined[1].components) return SOS_OK;
    double *logs = malloc(n * sizeof *logs);
    if (!logs) return sos_fail(error, SOS_ERR_MEMORY, "no memory for colours of %zu pixels", n);
    for (size_t k = 0; k < 2; k++) {
        s3svm_mixture_evaluate(&v->refined[k], n, photo->lab, logs, NULL, in->threads);
        for (size_t i = 0; i < n; i++) out[i] += (float)((k ? 1 : -1) * fmax(logs[i], S3SVM_SEGMENT_LOG_LEAST));
    }
    free(logs);
    return SOS_OK;
}

static sos_status looks_see(const s3svm_segment_response *r, const s3svm_segment_input *in, const s3svm_photo *photo,
                            float responses[], float ratios[], sos_error *error)
{
    s3svm_segment_view v = { 0 };
    sos_status status = s3svm_segment_view_find(in, photo, s3svm_segment_response_sight(r), &v, error);
    if (!status) status = s3svm_segment_response_judge(r, in->photograph, &v, in->threads, responses, error);
    if (!status) status = ratios_find(in, photo, &v, ratios, error);
    s3svm_segment_view_free(&v);
    return status;
}

static sos_status looks_compute(const s3svm_segment_response *r, const s3svm_segment_input *in, const s3svm_photo *photo,
                                float responses[], float ratios[], sos_error *error)
{
    if (photo) return looks_see(r, in, photo, responses, ratios, error);
    s3svm_photo first = { 0 };
    sos_status status = s3svm_photo_create(in->photograph, in->threads, &first, error);
    if (!status) status = looks_see(r, in, &first, responses, ratios, error);
    s3svm_photo_free(&first);
    return status;
}

/* Responses of blocks depend on networks as well, and ratios of pixels do not: a cache keeps these once for all networks. */
static sos_status looks_find(const s3svm_segment_response *r, const s3svm_segment_input *in, const s3svm_photo *photo,
                             const s3svm_blocks *b, float responses[], float ratios[], sos_error *error)
{
    if (!in->cache) return looks_compute(r, in, photo, responses, ratios, error);
    const size_t blocks = s3svm_blocks_size(b) * sizeof *responses, pixels = s3svm_image_size(in->photograph) * sizeof *ratios;
    s3svm_cache_key ratio = s3svm_cache_key_of("ratios", S3SVM_SEGMENT_MAPS_VERSION),
                    response = s3svm_cache_key_of("responses", S3SVM_SEGMENT_MAPS_VERSION);
    s3svm_segment_key(&ratio, in, true);
    s3svm_segment_key(&response, in, true);
    s3svm_cache_key_add(&response, r->hashes, r->pictures * sizeof *r->hashes);
    for (size_t k = 0; k < NETWORKS; k++)
        s3svm_cache_key_add(&response, r->networks[k].numbers,
                            s3svm_perceptron_numbers(&r->networks[k]) * sizeof *r->networks[k].numbers);
    if (s3svm_cache_find(in->cache, &response, responses, blocks) && s3svm_cache_find(in->cache, &ratio, ratios, pixels))
        return SOS_OK;
    const sos_status status = looks_compute(r, in, photo, responses, ratios, error);
    if (!status) s3svm_cache_keep(in->cache, &response, responses, blocks);
    if (!status) s3svm_cache_keep(in->cache, &ratio, ratios, pixels);
    return status;
}

sos_status s3svm_segment_response_apply(const s3svm_segment_response *r, const s3svm_segment_input *in,
                                        const s3svm_photo *photo, float responses[], float ratios[], sos_error *error)
{
    const s3svm_blocks b = s3svm_blocks_within(in->photograph, S3SVM_SEGMENT_MAPS_PIXELS);
    float *small = malloc(s3svm_blocks_size(&b) * sizeof *small);
    if (!small) return sos_fail(error, SOS_ERR_MEMORY, "no memory for responses of %zu pixels", s3svm_blocks_size(&b));
    const sos_status status = looks_find(r, in, photo, &b, small, ratios, error);
    if (!status) s3svm_blocks_grow(&b, small, responses);
    free(small);
    return status;
}
