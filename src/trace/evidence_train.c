/* evidence_train.c - networks learned from pictures. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "trace/evidence_view.h"
#include "trace/variants.h"
#include "vision/distance.h"

enum {
    NEAR = 4,           /* pixels from a structure */
    LOOKED_AT = 8,      /* pictures by which the channel is chosen */
    STEP_SAMPLES = 100, /* first networks learn for a step for so many samples */
    /* Second networks see about so many samples, the same ones again and again, but none more often than this, nor less than
       that. */
    SEEN = 2400000,
    EPOCHS_MAX = 40,
    EPOCHS_MIN = 3
};

/* How much of a picture's variants together is looked at, where of itself it is all: by first and by second networks. */
static const double VARIED_FIRST = 2, VARIED_SECOND = 1;
static const double RATE = 5e-3; /* of first networks */

static bool cares(const s3svm_evidence_pictures *p, size_t i, size_t pixel)
{
    return !p->cares || !p->cares[i] || p->cares[i][pixel];
}

/* ---------------------------------------------------------------- the channel */

/* Sums over pixels on structures, and off them. */
typedef struct moments {
    double count[2], sum[2], square[2];
} moments;

static void moments_add(const s3svm_evidence_pictures *p, size_t i, const s3svm_plane *plane, moments *m)
{
    for (size_t pixel = 0; pixel < s3svm_plane_size(plane); pixel++) {
        if (!cares(p, i, pixel)) continue;
        const size_t label = p->truths[i][pixel] != 0;
        const double x = (double)plane->values[pixel];
        m->count[label]++;
        m->sum[label] += x;
        m->square[label] += x * x;
    }
}

/* How far structures stand out, in deviations of what is around them. */
static double contrast_of(const moments *m)
{
    if (!(m->count[0] > 0) || !(m->count[1] > 0)) return 0;
    const double mean = m->sum[0] / m->count[0], variance = m->square[0] / m->count[0] - mean * mean;
    return (m->sum[1] / m->count[1] - mean) / sqrt(fmax(variance, 1e-12));
}

static sos_status channel_choose(const s3svm_evidence_pictures *p, float channel[3], sos_error *error)
{
    static const float mixtures[][3] = { { 0.299F, 0.587F, 0.114F }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    const size_t step = p->count > LOOKED_AT ? p->count / LOOKED_AT : 1;
    double best = 0;
    for (size_t c = 0; c < sizeof mixtures / sizeof *mixtures; c++) {
        moments m = { 0 };
        for (size_t i = 0; i < p->count; i += step) {
            s3svm_plane plane;
            const sos_status status = s3svm_evidence_plane(mixtures[c], &p->images[i], &plane, error);
            if (status) return status;
            moments_add(p, i, &plane, &m);
            s3svm_plane_free(&plane);
        }
        const double contrast = contrast_of(&m);
        if (c && fabs(contrast) <= 1.03 * fabs(best)) continue; /* grey, unless another one is better */
        best = contrast;
        for (size_t k = 0; k < 3; k++) channel[k] = contrast < 0 ? -mixtures[c][k] : mixtures[c][k];
    }
    return SOS_OK;
}

/* ---------------------------------------------------------------- pixels to learn from */

typedef struct choice {
    size_t own;    /* pictures; those behind are variants */
    double varied; /* samples of a variant, where its picture has one */
    size_t *start; /* picture i has samples start[i] ... start[i + 1], in the order of its pixels */
    s3svm_sample *samples;
    size_t room;
} choice;

/* Chances of being taken. */
typedef struct shares {
    double near, far;
} shares;

static shares shares_of(double near, double all, double wanted)
{
    const double most = 0.75 * wanted, rest = wanted - fmin(near, most);
    return (shares){ .near = near > 0 ? fmin(1, most / near) : 1, .far = all > near ? fmin(1, rest / (all - near)) : 1 };
}

/* Calls of a picture: 0, does not count; 1, far from structures; 2, near them.  To free. */
static sos_status nearness_find(const s3svm_evidence_pictures *p, size_t i, uint8_t **out, sos_error *error)
{
    const s3svm_image *image = &p->images[i];
    const size_t n = s3svm_image_size(image);
    float *distances = malloc(n * sizeof *distances);
    uint8_t *nearness = malloc(n);
    sos_status status = distances && nearness ? s3svm_distance_city(image->width, image->height, p->truths[i], distances, error)
                                              : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pixels", n);
    for (size_t pixel = 0; pixel < n && !status; pixel++)
        nearness[pixel] = !cares(p, i, pixel) ? 0 : distances[pixel] <= NEAR ? 2 : 1;
    free(distances);
    if (status)
        free(nearness);
    else
        *out = nearness;
    return status;
}

static sos_status pixels_count(const s3svm_evidence_pictures *p, const choice *c, double *near, double *all, sos_error *error)
{
    *near = *all = 0;
    for (size_t i = 0; i < p->count; i++) {
        const double share = i < c->own ? 1 : c->varied;
        uint8_t *nearness;
        const sos_status status = nearness_find(p, i, &nearness, error);
        if (status) return status;
        for (size_t pixel = 0; pixel < s3svm_image_size(&p->images[i]); pixel++) {
            *near += share * (nearness[pixel] == 2);
            *all += share * (nearness[pixel] != 0);
        }
        free(nearness);
    }
    return SOS_OK;
}

static sos_status picture_choose(const s3svm_evidence_pictures *p, size_t i, shares share, sos_random *random, choice *c,
                                 size_t *n, sos_error *error)
{
    const double part = i < c->own ? 1 : c->varied;
    uint8_t *nearness;
    sos_status status = nearness_find(p, i, &nearness, error);
    if (status) return status;
    for (size_t pixel = 0; pixel < s3svm_image_size(&p->images[i]) && !status; pixel++) {
        const double chance = part * (nearness[pixel] == 2 ? share.near : nearness[pixel] ? share.far : 0);
        if (sos_random_uniform(random) >= chance) continue;
        if (sos_grow(&c->samples, &c->room, *n + 1))
            c->samples[(*n)++] = (s3svm_sample){ .place = (uint32_t)pixel,
                                                 .weight = (float)(part / chance),
                                                 .label = p->truths[i][pixel] != 0 };
        else
            status = sos_fail(error, SOS_ERR_MEMORY, "no memory for samples");
    }
    free(nearness);
    return status;
}

static sos_status choice_create(const s3svm_evidence_pictures *p, const s3svm_evidence_settings *settings, choice *c,
                                sos_error *error)
{
    double near, all;
    size_t n = 0;
    sos_status status = pixels_count(p, c, &near, &all, error);
    if (status) return status;
    if (!(near > 0))
        return sos_fail(error, SOS_ERR_ARGUMENT, "no structure in any of the %zu pictures to learn from", p->count);
    c->start = calloc(p->count + 1, sizeof *c->start);
    if (!c->start) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pictures", p->count);
    const shares share = shares_of(near, all, (double)settings->samples);
    sos_random random = sos_random_seeded(settings->seed);
    for (size_t i = 0; i < p->count && !status; i++) {
        status = picture_choose(p, i, share, &random, c, &n, error);
        c->start[i + 1] = n;
    }
    return status;
}

/* ---------------------------------------------------------------- features of samples */

/* What learning works on. */
typedef struct lesson {
    const s3svm_evidence_variants *variants;
    const s3svm_evidence_pictures *pictures; /* with variants */
    const s3svm_evidence_settings *settings;
    choice choice;
    s3svm_plane *planes, *responses; /* levelled; and of first networks */
} lesson;

/* A variant is of the fold of its picture. */
static size_t fold_of(const lesson *l, const s3svm_evidence *e, size_t i) { return s3svm_evidence_fold(e, l->variants->of[i]); }

static sos_status strip_gather(const lesson *l, const s3svm_evidence_view *v, size_t picture, size_t strip, float features[],
                               sos_error *error)
{
    const size_t inputs = S3SVM_EVIDENCE_INPUTS, width = v->plane->width;
    const size_t n = s3svm_evidence_strip_rows(v, strip) * width, from = strip * S3SVM_EVIDENCE_STRIP * width;
    const s3svm_sample *samples = l->choice.samples;
    float *values = NULL;
    const sos_status status = s3svm_evidence_strip(v, strip, &values, error);
    if (status) return status;
    for (size_t i = l->choice.start[picture]; i < l->choice.start[picture + 1]; i++)
        if (samples[i].place >= from && samples[i].place < from + n)
            for (size_t f = 0; f < inputs; f++) features[i * inputs + f] = values[f * n + samples[i].place - from];
    free(values);
    return SOS_OK;
}

static sos_status picture_gather(const lesson *l, size_t picture, float features[], sos_error *error)
{
    s3svm_evidence_view v;
    const sos_status status = s3svm_evidence_view_create(&l->planes[picture], &l->responses[picture], &v, error);
    if (status) return status;
    sos_failure failure = { 0 };
    const int used = sos_thread_count(l->settings->work.threads);
    (void)used; /* where OpenMP is missing */
#pragma omp parallel for schedule(dynamic) num_threads(used)
    for (size_t strip = 0; strip < s3svm_evidence_strips(&v); strip++) {
        sos_error why;
        const sos_status failed = strip_gather(l, &v, picture, strip, features, &why);
        if (failed) sos_failure_note(&failure, strip, failed, &why);
    }
    s3svm_evidence_view_free(&v);
    return sos_failure_status(&failure, "strip", error);
}

static sos_status features_gather(const lesson *l, float features[], sos_error *error)
{
    const sos_work *work = &l->settings->work;
    sos_status status = SOS_OK;
    for (size_t i = 0; i < l->pictures->count && !status; i++) {
        if (work->progress && !work->progress(work->user, "features", (double)i / (double)l->pictures->count))
            status = sos_fail(error, SOS_CANCELLED, "stopped while computing features");
        else
            status = picture_gather(l, i, features, error);
    }
    return status;
}

/* ---------------------------------------------------------------- second networks */

static size_t epochs_of(size_t samples)
{
    const size_t epochs = samples ? SEEN / samples : 0;
    return epochs > EPOCHS_MAX ? EPOCHS_MAX : epochs < EPOCHS_MIN ? EPOCHS_MIN : epochs;
}

/* The samples of all pictures but those of a fold, copied together. */
static sos_status second_train(const lesson *l, const s3svm_evidence *e, size_t fold, const float features[],
                               s3svm_perceptron *network, sos_error *error)
{
    const size_t all = l->choice.start[l->pictures->count], inputs = network->inputs;
    s3svm_sample *samples = malloc((all + 1) * sizeof *samples);
    float *own = malloc((all * inputs + 1) * sizeof *own);
    size_t count = 0;
    sos_status status = samples && own ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu samples", all);
    for (size_t i = 0; i < l->pictures->count && !status; i++) {
        if (fold_of(l, e, i) == fold) continue;
        for (size_t s = l->choice.start[i]; s < l->choice.start[i + 1]; s++) {
            samples[count] = l->choice.samples[s];
            for (size_t f = 0; f < inputs; f++) own[count * inputs + f] = features[s * inputs + f];
            count++;
        }
    }
    if (!status) {
        s3svm_perceptron_settings s = s3svm_perceptron_defaults();
        s.seed = l->settings->seed + 1 + fold;
        s.epochs = epochs_of(count);
        s.progress = l->settings->work.progress;
        s.user = l->settings->work.user;
        status = s3svm_perceptron_train(network, &(s3svm_samples){ count, samples, own }, &s, error);
    }
    free(samples);
    free(own);
    return status;
}

static sos_status seconds_train(const lesson *l, s3svm_evidence *e, sos_error *error)
{
    const size_t count = l->choice.start[l->pictures->count], inputs = S3SVM_EVIDENCE_INPUTS;
    float *features = count <= SIZE_MAX / sizeof *features / inputs ? malloc(count * inputs * sizeof *features) : NULL;
    if (!features) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the features of %zu pixels", count);
    sos_status status = features_gather(l, features, error);
    sos_failure failure = { 0 };
    const int used = sos_thread_count(l->settings->work.threads);
    (void)used; /* where OpenMP is missing */
#pragma omp parallel for schedule(dynamic) num_threads(used) if (!status)
    for (size_t k = 0; k < e->folds; k++) {
        sos_error why;
        const sos_status failed = status ? SOS_OK : second_train(l, e, k, features, &e->second[k], &why);
        if (failed) sos_failure_note(&failure, k, failed, &why);
    }
    free(features);
    return status ? status : sos_failure_status(&failure, "network", error);
}

/* ---------------------------------------------------------------- first networks */

static sos_status firsts_train(const lesson *l, s3svm_evidence *e, sos_error *error)
{
    const s3svm_evidence_pictures *p = l->pictures;
    const size_t steps = l->settings->samples / STEP_SAMPLES;
    const s3svm_unet_settings s = { steps ? steps : 1, RATE, l->settings->seed, l->settings->work };
    s3svm_unet_picture *seen = calloc(p->count, sizeof *seen);
    if (!seen) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pictures", p->count);
    for (size_t i = 0; i < p->count; i++)
        seen[i] = (s3svm_unet_picture){ .plane = &l->planes[i],
                                        .truth = p->truths[i],
                                        .care = p->cares ? p->cares[i] : NULL,
                                        .share = i < l->variants->count ? 1 : VARIED_FIRST / (double)l->variants->each,
                                        .fold = fold_of(l, e, i) };
    const sos_status status = s3svm_unet_train(e->folds, e->first, p->count, seen, &s, error);
    free(seen);
    return status;
}

/* ---------------------------------------------------------------- all */

static int compare(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Of the picture in the middle by its size. */
static sos_status side_find(const s3svm_evidence_pictures *p, float *out, sos_error *error)
{
    size_t *sizes = malloc(p->count * sizeof *sizes);
    if (!sizes) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pictures", p->count);
    for (size_t i = 0; i < p->count; i++) sizes[i] = s3svm_image_size(&p->images[i]);
    qsort(sizes, p->count, sizeof *sizes, compare);
    *out = (float)sqrt((double)sizes[p->count / 2]);
    free(sizes);
    return SOS_OK;
}

static sos_status networks_train(lesson *l, s3svm_evidence *e, sos_error *error)
{
    const size_t count = l->pictures->count;
    sos_status status = SOS_OK;
    for (size_t i = 0; i < count && !status; i++)
        status = s3svm_evidence_plane(e->channel, &l->pictures->images[i], &l->planes[i], error);
    if (!status) status = firsts_train(l, e, error);
    for (size_t i = 0; i < count && !status; i++)
        status = s3svm_evidence_first(e, fold_of(l, e, i), &l->planes[i], l->settings->work.threads, &l->responses[i], error);
    return status ? status : seconds_train(l, e, error);
}

static void lesson_free(lesson *l)
{
    for (size_t i = 0; i < l->pictures->count; i++) {
        if (l->planes) s3svm_plane_free(&l->planes[i]);
        if (l->responses) s3svm_plane_free(&l->responses[i]);
    }
    free(l->planes);
    free(l->responses);
    free(l->choice.start);
    free(l->choice.samples);
}

sos_status s3svm_evidence_train(const s3svm_evidence_pictures *p, const s3svm_evidence_settings *settings, s3svm_evidence *out,
                                sos_error *error)
{
    if (!p->count) return sos_fail(error, SOS_ERR_ARGUMENT, "there are no pictures to learn from");
    const size_t folds = settings->folds < p->count ? settings->folds : p->count;
    s3svm_evidence_variants variants = { 0 };
    s3svm_evidence e = { 0 };
    sos_status status = s3svm_evidence_create(folds, &e, error);
    if (status) return status;
    status = s3svm_evidence_variants_make(p, settings->seed, &variants, error);
    const s3svm_evidence_pictures *all = &variants.all;
    lesson l = { .variants = &variants, .pictures = all, .settings = settings, .choice = { .own = p->count } };
    if (!status) l.choice.varied = VARIED_SECOND / (double)variants.each;
    l.planes = calloc(all->count + 1, sizeof *l.planes);
    l.responses = calloc(all->count + 1, sizeof *l.responses);
    if (!status && (!l.planes || !l.responses))
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pictures", all->count);
    if (!status) status = choice_create(all, settings, &l.choice, error);
    if (!status) status = channel_choose(p, e.channel, error);
    if (!status) status = side_find(p, &e.side, error);
    if (!status) status = networks_train(&l, &e, error);
    lesson_free(&l);
    s3svm_evidence_variants_free(&variants);
    if (status)
        s3svm_evidence_free(&e);
    else
        *out = e;
    return status;
}
