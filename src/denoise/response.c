#include "denoise/response.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"

enum {
    HIDDEN = 24, /* units of a network */
    STRIP = 64,  /* rows that are worked on at once: so much memory, and so much work for a thread */
    NEAR = 3,    /* pixels from ink */
    /* Networks see about so many samples, the same ones again and again, but none more often than this, nor less than that. */
    SEEN = 1200000,
    EPOCHS_MAX = 60,
    EPOCHS_MIN = 3
};

size_t s3svm_response_inputs(size_t stage) { return stage ? S3SVM_STROKES_FEATURES + 2 : S3SVM_STROKES_FEATURES; }

void s3svm_response_free(s3svm_response *r)
{
    for (size_t s = 0; s < S3SVM_RESPONSE_STAGES; s++) s3svm_perceptron_free(&r->stages[s]);
}

sos_status s3svm_response_create(s3svm_response *out, sos_error *error)
{
    s3svm_response r = { 0 };
    sos_status status = SOS_OK;
    for (size_t s = 0; s < S3SVM_RESPONSE_STAGES && !status; s++)
        status = s3svm_perceptron_create(s3svm_response_inputs(s), HIDDEN, 1, &r.stages[s], error);
    if (status)
        s3svm_response_free(&r);
    else
        *out = r;
    return status;
}

/* ---------------------------------------------------------------- the view of one stage */

/* A picture as a stage sees it. */
typedef struct view {
    size_t stage, width, height;
    const s3svm_plane *noisy;
    const s3svm_plane *response; /* of the stage before; NULL for the first */
    s3svm_strokes *strokes;
} view;

static void view_free(view *v) { s3svm_strokes_free(v->strokes); }

static sos_status view_create(size_t stage, const s3svm_plane *noisy, const s3svm_plane *response, view *v, sos_error *error)
{
    *v = (view){ .stage = stage, .width = noisy->width, .height = noisy->height, .noisy = noisy, .response = response };
    s3svm_plane ink;
    sos_status status = s3svm_plane_create(noisy->width, noisy->height, &ink, error);
    if (status) return status;
    for (size_t i = 0; i < s3svm_plane_size(noisy); i++)
        ink.values[i] = stage ? (float)sos_logistic((double)response->values[i]) : 1 - noisy->values[i];
    status = s3svm_strokes_create(&ink, &v->strokes, error);
    s3svm_plane_free(&ink);
    return status;
}

static size_t strips_of(const view *v) { return (v->height + STRIP - 1) / STRIP; }
static size_t strip_rows(const view *v, size_t strip)
{
    return v->height - strip * STRIP < STRIP ? v->height - strip * STRIP : STRIP;
}

/* The features of a strip, feature after feature, to free. */
static sos_status strip_features(const view *v, size_t strip, float **out, sos_error *error)
{
    const size_t rows = strip_rows(v, strip), n = rows * v->width, first = strip * STRIP * v->width;
    float *features = malloc(s3svm_response_inputs(v->stage) * n * sizeof *features);
    if (!features) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the features of %zu pixels", n);
    const sos_status status = s3svm_strokes_rows(v->strokes, strip * STRIP, rows, features, error);
    if (status) {
        free(features);
        return status;
    }
    if (v->stage) {
        float *more = features + S3SVM_STROKES_FEATURES * n;
        memcpy(more, v->response->values + first, n * sizeof *more);
        for (size_t i = 0; i < n; i++) more[n + i] = 1 - v->noisy->values[first + i];
    }
    *out = features;
    return SOS_OK;
}

/* ---------------------------------------------------------------- applying */

static sos_status strip_apply(const view *v, const s3svm_perceptron *p, size_t strip, s3svm_plane *out, sos_error *error)
{
    float *features = NULL;
    const sos_status status = strip_features(v, strip, &features, error);
    if (status) return status;
    const size_t n = strip_rows(v, strip) * v->width;
    s3svm_perceptron_apply(p, n, n, features, out->values + strip * STRIP * v->width);
    free(features);
    return SOS_OK;
}

/* out may be the response of the stage before: the view has its own copy of what reaches beyond a strip, and reads the rest row
 * by row before they are written. */
static sos_status view_apply(const view *v, const s3svm_perceptron *p, int threads, s3svm_plane *out, sos_error *error)
{
    sos_failure failure = { 0 };
    const int used = sos_thread_count(threads);
    (void)used; /* where OpenMP is missing */
#pragma omp parallel for schedule(dynamic) num_threads(used)
    for (size_t strip = 0; strip < strips_of(v); strip++) {
        sos_error why;
        const sos_status status = strip_apply(v, p, strip, out, &why);
        if (status) sos_failure_note(&failure, strip, status, &why);
    }
    return sos_failure_status(&failure, "strip", error);
}

static sos_status stage_apply(const s3svm_response *r, size_t stage, const s3svm_plane *noisy, int threads,
                              s3svm_plane *response, sos_error *error)
{
    view v;
    sos_status status = view_create(stage, noisy, stage ? response : NULL, &v, error);
    if (status) return status;
    status = view_apply(&v, &r->stages[stage], threads, response, error);
    view_free(&v);
    return status;
}

sos_status s3svm_response_apply(const s3svm_response *r, const s3svm_plane *noisy, int threads, s3svm_plane *out,
                                sos_error *error)
{
    s3svm_plane response;
    sos_status status = s3svm_plane_create(noisy->width, noisy->height, &response, error);
    if (status) return status;
    for (size_t s = 0; s < S3SVM_RESPONSE_STAGES && !status; s++) status = stage_apply(r, s, noisy, threads, &response, error);
    if (status)
        s3svm_plane_free(&response);
    else
        *out = response;
    return status;
}

/* ---------------------------------------------------------------- learning */

/* The pixels to learn from, the same for all stages. */
typedef struct choice {
    size_t *start; /* picture i has samples start[i] ... start[i + 1], in the order of its pixels */
    s3svm_sample *samples;
    size_t room;
} choice;

static void choice_free(choice *c)
{
    free(c->start);
    free(c->samples);
}

static bool ink_is_near(const s3svm_plane *p, const uint8_t truth[], size_t x, size_t y)
{
    const size_t left = x < NEAR ? 0 : x - NEAR, right = x + NEAR < p->width ? x + NEAR : p->width - 1;
    const size_t top = y < NEAR ? 0 : y - NEAR, bottom = y + NEAR < p->height ? y + NEAR : p->height - 1;
    for (size_t v = top; v <= bottom; v++)
        for (size_t u = left; u <= right; u++)
            if (truth[v * p->width + u]) return true;
    return false;
}

/* How many pixels are near ink, and how many there are. */
static void pixels_count(size_t count, const s3svm_plane noisy[], const uint8_t *const truths[], size_t *near, size_t *all)
{
    *near = *all = 0;
    for (size_t i = 0; i < count; i++) {
        *all += s3svm_plane_size(&noisy[i]);
        for (size_t y = 0; y < noisy[i].height; y++)
            for (size_t x = 0; x < noisy[i].width; x++) *near += ink_is_near(&noisy[i], truths[i], x, y);
    }
}

/* Chances of being taken. */
typedef struct shares {
    double near, far;
} shares;

static shares shares_of(size_t near, size_t all, size_t wanted)
{
    const double most = 0.75 * (double)wanted, rest = (double)wanted - fmin((double)near, most);
    return (shares){ .near = near ? fmin(1, most / (double)near) : 1,
                     .far = all > near ? fmin(1, rest / (double)(all - near)) : 1 };
}

static sos_status picture_choose(choice *c, const s3svm_plane *noisy, const uint8_t truth[], shares share, sos_random *random,
                                 size_t *n, sos_error *error)
{
    for (size_t y = 0; y < noisy->height; y++)
        for (size_t x = 0; x < noisy->width; x++) {
            const size_t pixel = y * noisy->width + x;
            const double chance = ink_is_near(noisy, truth, x, y) ? share.near : share.far;
            if (sos_random_uniform(random) >= chance) continue;
            if (!sos_grow(&c->samples, &c->room, *n + 1)) return sos_fail(error, SOS_ERR_MEMORY, "no memory for samples");
            c->samples[(*n)++] = (s3svm_sample){ .place = (uint32_t)pixel,
                                                 .weight = (float)(1 / chance),
                                                 .label = truth[pixel] != 0 };
        }
    return SOS_OK;
}

static sos_status choice_create(size_t count, const s3svm_plane noisy[], const uint8_t *const truths[],
                                const s3svm_response_settings *settings, choice *c, sos_error *error)
{
    size_t near, all, n = 0;
    pixels_count(count, noisy, truths, &near, &all);
    if (!near) return sos_fail(error, SOS_ERR_ARGUMENT, "none of the %zu training drawings has ink", count);
    *c = (choice){ .start = calloc(count + 1, sizeof *c->start) };
    if (!c->start) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pictures", count);
    const shares share = shares_of(near, all, settings->samples);
    sos_random random = sos_random_seeded(settings->seed);
    sos_status status = SOS_OK;
    for (size_t i = 0; i < count && !status; i++) {
        status = picture_choose(c, &noisy[i], truths[i], share, &random, &n, error);
        c->start[i + 1] = n;
    }
    if (status) choice_free(c);
    return status;
}

/* Copies the features of the chosen pixels of a strip to their places. */
static sos_status strip_gather(const view *v, size_t strip, size_t first, size_t end, const s3svm_sample samples[],
                               float features[], sos_error *error)
{
    const size_t inputs = s3svm_response_inputs(v->stage), n = strip_rows(v, strip) * v->width, from = strip * STRIP * v->width;
    float *strip_values = NULL;
    const sos_status status = strip_features(v, strip, &strip_values, error);
    if (status) return status;
    for (size_t i = first; i < end; i++)
        if (samples[i].place >= from && samples[i].place < from + n)
            for (size_t f = 0; f < inputs; f++) features[i * inputs + f] = strip_values[f * n + samples[i].place - from];
    free(strip_values);
    return SOS_OK;
}

static sos_status picture_gather(const view *v, const choice *c, size_t picture, int threads, float features[],
                                 sos_error *error)
{
    sos_failure failure = { 0 };
    const int used = sos_thread_count(threads);
    (void)used; /* where OpenMP is missing */
#pragma omp parallel for schedule(dynamic) num_threads(used)
    for (size_t strip = 0; strip < strips_of(v); strip++) {
        sos_error why;
        const sos_status status = strip_gather(v, strip, c->start[picture], c->start[picture + 1], c->samples, features, &why);
        if (status) sos_failure_note(&failure, strip, status, &why);
    }
    return sos_failure_status(&failure, "strip", error);
}

/* What learning works on. */
typedef struct lesson {
    size_t count;
    const s3svm_plane *noisy;
    const s3svm_response_settings *settings;
    choice choice;
    s3svm_plane *responses; /* of the stages so far */
} lesson;

static sos_status features_gather(const lesson *l, size_t stage, float features[], sos_error *error)
{
    sos_status status = SOS_OK;
    for (size_t i = 0; i < l->count && !status; i++) {
        view v;
        status = view_create(stage, &l->noisy[i], stage ? &l->responses[i] : NULL, &v, error);
        if (status) break;
        status = picture_gather(&v, &l->choice, i, l->settings->work.threads, features, error);
        view_free(&v);
        if (!status && l->settings->work.progress && !l->settings->work.progress(l->settings->work.user, "features", -1))
            status = sos_fail(error, SOS_CANCELLED, "stopped while computing features");
    }
    return status;
}

static size_t epochs_of(size_t samples)
{
    const size_t epochs = samples ? SEEN / samples : 0;
    return epochs > EPOCHS_MAX ? EPOCHS_MAX : epochs < EPOCHS_MIN ? EPOCHS_MIN : epochs;
}

static sos_status stage_train(const lesson *l, size_t stage, s3svm_perceptron *p, sos_error *error)
{
    const size_t count = l->choice.start[l->count], inputs = s3svm_response_inputs(stage);
    float *features = count <= SIZE_MAX / sizeof *features / inputs ? malloc(count * inputs * sizeof *features) : NULL;
    if (!features) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the features of %zu pixels", count);
    sos_status status = features_gather(l, stage, features, error);
    if (!status) {
        s3svm_perceptron_settings s = s3svm_perceptron_defaults();
        s.seed = l->settings->seed + 1 + stage;
        s.epochs = epochs_of(count);
        s.progress = l->settings->work.progress;
        s.user = l->settings->work.user;
        status = s3svm_perceptron_train(p, &(s3svm_samples){ count, l->choice.samples, features }, &s, error);
    }
    free(features);
    return status;
}

static sos_status stages_train(lesson *l, s3svm_response *r, sos_error *error)
{
    sos_status status = SOS_OK;
    for (size_t i = 0; i < l->count && !status; i++)
        status = s3svm_plane_create(l->noisy[i].width, l->noisy[i].height, &l->responses[i], error);
    for (size_t s = 0; s < S3SVM_RESPONSE_STAGES && !status; s++) {
        status = stage_train(l, s, &r->stages[s], error);
        for (size_t i = 0; i < l->count && !status && s + 1 < S3SVM_RESPONSE_STAGES; i++)
            status = stage_apply(r, s, &l->noisy[i], l->settings->work.threads, &l->responses[i], error);
    }
    return status;
}

static void lesson_free(lesson *l)
{
    for (size_t i = 0; l->responses && i < l->count; i++) s3svm_plane_free(&l->responses[i]);
    free(l->responses);
    choice_free(&l->choice);
}

sos_status s3svm_response_train(size_t count, const s3svm_plane noisy[], const uint8_t *const truths[],
                                const s3svm_response_settings *settings, s3svm_response *out, sos_error *error)
{
    lesson l = { .count = count, .noisy = noisy, .settings = settings };
    sos_status status = choice_create(count, noisy, truths, settings, &l.choice, error);
    if (status) return status;
    s3svm_response r = { 0 };
    l.responses = calloc(count, sizeof *l.responses);
    status = l.responses ? s3svm_response_create(&r, error)
                         : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pictures", count);
    if (!status) status = stages_train(&l, &r, error);
    lesson_free(&l);
    if (status)
        s3svm_response_free(&r);
    else
        *out = r;
    return status;
}
