/* unet_train.c - networks learned from patches of pictures, all of them step by step together. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "vision/adam.h"
#include "vision/unet_fields.h"

enum {
    PATCH = 96, /* pixels a side */
    BATCH = 4,  /* patches between two steps */
    WARM = 30,  /* steps until the rate is reached */
    TRIES = 20  /* at a patch whose middle counts */
};

static const double NEAR = 0.75;      /* of the patches have a pixel of label 1 for certain */
static const double LARGER = 0.5;     /* of the patches are shown up to so much larger or smaller, in log sizes */
static const float GRADIENT_MOST = 1; /* its length; longer ones are shortened, for they come from rare patches */

/* A network while it learns. */
typedef struct learner {
    s3svm_unet network;
    sos_random random;
    s3svm_adam adam;
    float *gradient, *first, *second; /* of a batch; moments */
} learner;

/* A patch for one of the networks: its middle, and the way of a step to the right in it and of one down. */
typedef struct patch {
    size_t picture;
    double x, y, right[2], down[2];
    size_t counts;   /* pixels */
    float *gradient; /* of all numbers */
} patch;

typedef struct training {
    size_t count, pictures;
    const s3svm_unet_picture *picture;
    const s3svm_unet_settings *settings;
    learner *learners;
    patch *patches; /* BATCH for each learner */
    size_t *listed; /* of picture i, pixels of label 1 that count are ones[listed[i]] ... ones[listed[i + 1] - 1] */
    uint32_t *ones;
    s3svm_unet_fields *room; /* of each thread */
    int threads;
} training;

static void training_free(training *t)
{
    for (size_t k = 0; t->learners && k < t->count; k++) {
        s3svm_unet_free(&t->learners[k].network);
        free(t->learners[k].gradient);
        free(t->learners[k].first);
        free(t->learners[k].second);
    }
    for (size_t i = 0; t->patches && i < t->count * BATCH; i++) free(t->patches[i].gradient);
    for (int i = 0; t->room && i < t->threads; i++) s3svm_unet_fields_free(&t->room[i]);
    free(t->learners);
    free(t->patches);
    free(t->listed);
    free(t->ones);
    free(t->room);
}

static bool counts(const s3svm_unet_picture *p, size_t pixel) { return !p->care || p->care[pixel]; }

static bool ones_list(training *t)
{
    size_t room = 0, n = 0;
    for (size_t i = 0; i < t->pictures; i++) {
        const s3svm_unet_picture *p = &t->picture[i];
        for (size_t pixel = 0; pixel < s3svm_plane_size(p->plane); pixel++) {
            if (!p->truth[pixel] || !counts(p, pixel)) continue;
            if (!sos_grow(&t->ones, &room, n + 1)) return false;
            t->ones[n++] = (uint32_t)pixel;
        }
        t->listed[i + 1] = n;
    }
    return true;
}

static bool learner_create(learner *l, uint64_t seed)
{
    if (s3svm_unet_create(&l->network, NULL)) return false;
    s3svm_unet_start(seed, l->network.numbers);
    l->random = sos_random_seeded(seed + 1);
    l->adam = s3svm_adam_begin();
    l->gradient = calloc(S3SVM_UNET_NUMBERS, sizeof *l->gradient);
    l->first = calloc(S3SVM_UNET_NUMBERS, sizeof *l->first);
    l->second = calloc(S3SVM_UNET_NUMBERS, sizeof *l->second);
    return l->gradient && l->first && l->second;
}

/* Takes all memory. */
static sos_status training_create(training *t, sos_error *error)
{
    t->threads = sos_thread_count(t->settings->work.threads);
    if ((size_t)t->threads > t->count * BATCH) t->threads = (int)(t->count * BATCH);
    t->learners = calloc(t->count, sizeof *t->learners);
    t->patches = calloc(t->count * BATCH, sizeof *t->patches);
    t->listed = calloc(t->pictures + 1, sizeof *t->listed);
    t->room = calloc((size_t)t->threads, sizeof *t->room);
    bool there = t->learners && t->patches && t->listed && t->room && ones_list(t);
    for (size_t k = 0; k < t->count && there; k++)
        there = learner_create(&t->learners[k], t->settings->seed + k * UINT64_C(0x9e3779b97f4a7c15));
    for (size_t i = 0; i < t->count * BATCH && there; i++) {
        t->patches[i].gradient = calloc(S3SVM_UNET_NUMBERS, sizeof *t->patches[i].gradient);
        there = t->patches[i].gradient;
    }
    for (int i = 0; i < t->threads && there; i++) there = !s3svm_unet_fields_create(PATCH, PATCH, true, &t->room[i], NULL);
    return there ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory to train %zu networks", t->count);
}

/* ---------------------------------------------------------------- patches */

/* One of those that the network sees, by their shares. */
static size_t picture_choose(const training *t, size_t network, sos_random *r)
{
    double all = 0;
    size_t chosen = 0;
    for (size_t i = 0; i < t->pictures; i++) {
        if (t->picture[i].fold == network) continue;
        all += t->picture[i].share;
        if (sos_random_uniform(r) * all < t->picture[i].share) chosen = i;
    }
    return chosen;
}

/* Turned by any angle, mirrored or not, and larger or smaller. */
static void patch_turn(sos_random *r, patch *out)
{
    double x, y, square;
    do {
        x = 2 * sos_random_uniform(r) - 1;
        y = 2 * sos_random_uniform(r) - 1;
        square = x * x + y * y;
    } while (square > 1 || square < 0.01);
    const double size = sos_random_uniform(r) < 0.5 ? sos_exp(LARGER * (2 * sos_random_uniform(r) - 1)) : 1;
    const double scale = size / sqrt(square), mirrored = sos_random_uniform(r) < 0.5 ? -1 : 1;
    out->right[0] = x * scale;
    out->right[1] = y * scale;
    out->down[0] = -y * scale * mirrored;
    out->down[1] = x * scale * mirrored;
}

/* Where a place of a patch is in the picture. */
static void patch_place(const patch *p, double x, double y, double place[2])
{
    const double a = x - (PATCH - 1) / 2.0, b = y - (PATCH - 1) / 2.0;
    place[0] = p->x + a * p->right[0] + b * p->down[0];
    place[1] = p->y + a * p->right[1] + b * p->down[1];
}

static void patch_choose(const training *t, size_t network, patch *out)
{
    sos_random *r = &t->learners[network].random;
    out->picture = picture_choose(t, network, r);
    patch_turn(r, out);
    const s3svm_unet_picture *p = &t->picture[out->picture];
    const size_t width = p->plane->width, n = s3svm_plane_size(p->plane);
    const size_t from = t->listed[out->picture], ones = t->listed[out->picture + 1] - from;
    if (ones && sos_random_uniform(r) < NEAR) {
        const size_t one = t->ones[from + (size_t)sos_random_below(r, ones)];
        double place[2];
        out->x = out->y = 0;
        patch_place(out, PATCH * sos_random_uniform(r), PATCH * sos_random_uniform(r), place);
        out->x = (double)(one % width) - place[0];
        out->y = (double)(one / width) - place[1];
        return;
    }
    size_t middle = (size_t)sos_random_below(r, n);
    for (int i = 0; i < TRIES && !counts(p, middle); i++) middle = (size_t)sos_random_below(r, n);
    out->x = (double)(middle % width);
    out->y = (double)(middle / width);
}

/* The value between four pixels; 0 outside the picture. */
static float plane_between(const s3svm_plane *p, const double place[2])
{
    const double left = floor(place[0]), top = floor(place[1]);
    if (left < 0 || top < 0 || left + 1 >= (double)p->width || top + 1 >= (double)p->height) return 0;
    const float a = (float)(place[0] - left), b = (float)(place[1] - top);
    const float *v = p->values + (size_t)top * p->width + (size_t)left, *below = v + p->width;
    return (v[0] * (1 - a) + v[1] * a) * (1 - b) + (below[0] * (1 - a) + below[1] * a) * b;
}

/* Whether a place is on a pixel, and one that counts. */
static bool pixel_at(const s3svm_unet_picture *p, const double place[2], size_t *pixel)
{
    const double x = floor(place[0] + 0.5), y = floor(place[1] + 0.5);
    if (x < 0 || y < 0 || x >= (double)p->plane->width || y >= (double)p->plane->height) return false;
    *pixel = (size_t)y * p->plane->width + (size_t)x;
    return counts(p, *pixel);
}

static void patch_learn(const training *t, const s3svm_unet *network, s3svm_unet_fields *f, patch *p)
{
    const s3svm_unet_picture *picture = &t->picture[p->picture];
    s3svm_unet_field *input = &f->field[0];
    double place[2];
    for (size_t y = 0; y < PATCH; y++)
        for (size_t x = 0; x < PATCH; x++) {
            patch_place(p, (double)x, (double)y, place);
            input->values[s3svm_unet_at(input, x, y)] = plane_between(picture->plane, place);
        }
    s3svm_unet_forward(network, f);
    p->counts = 0;
    for (size_t y = 0; y < PATCH; y++)
        for (size_t x = 0; x < PATCH; x++) {
            size_t pixel = 0;
            patch_place(p, (double)x, (double)y, place);
            const bool learned = pixel_at(picture, place, &pixel);
            const double odds = (double)f->response[y * PATCH + x];
            f->response_slope[y * PATCH + x] = learned ? (float)(sos_logistic(odds) - (picture->truth[pixel] != 0)) : 0;
            p->counts += learned;
        }
    memset(p->gradient, 0, S3SVM_UNET_NUMBERS * sizeof *p->gradient);
    s3svm_unet_backward(network, f, p->gradient);
}

/* ---------------------------------------------------------------- steps */

/* The mean over the pixels of a batch that count. */
static void gradient_gather(learner *l, const patch patches[BATCH])
{
    size_t pixels = 0;
    double square = 0;
    for (size_t b = 0; b < BATCH; b++) pixels += patches[b].counts;
    for (size_t i = 0; i < S3SVM_UNET_NUMBERS; i++) {
        float sum = 0;
        for (size_t b = 0; b < BATCH; b++) sum += patches[b].gradient[i];
        l->gradient[i] = pixels ? sum / (float)pixels : 0;
        square += (double)l->gradient[i] * (double)l->gradient[i];
    }
    const float length = (float)sqrt(square);
    for (size_t i = 0; i < S3SVM_UNET_NUMBERS && length > GRADIENT_MOST; i++) l->gradient[i] *= GRADIENT_MOST / length;
}

static void numbers_step(learner *l, const s3svm_unet_settings *s, size_t step)
{
    const double done = (double)step / (double)s->steps, warm = fmin(1, (double)(step + 1) / WARM);
    const float rate = s3svm_adam_rate(&l->adam, s->rate * warm * (1 - done));
    for (size_t i = 0; i < S3SVM_UNET_NUMBERS; i++)
        s3svm_adam_move(rate, l->gradient[i], &l->first[i], &l->second[i], &l->network.numbers[i]);
}

static void step_run(training *t, size_t step)
{
    for (size_t i = 0; i < t->count * BATCH; i++) patch_choose(t, i / BATCH, &t->patches[i]);
#pragma omp parallel num_threads(t->threads)
    {
        s3svm_unet_fields *room = &t->room[sos_thread_number()];
#pragma omp for schedule(dynamic)
        for (size_t i = 0; i < t->count * BATCH; i++) patch_learn(t, &t->learners[i / BATCH].network, room, &t->patches[i]);
#pragma omp for schedule(dynamic)
        for (size_t k = 0; k < t->count; k++) {
            gradient_gather(&t->learners[k], t->patches + k * BATCH);
            numbers_step(&t->learners[k], t->settings, step);
        }
    }
}

sos_status s3svm_unet_train(size_t count, s3svm_unet networks[], size_t pictures, const s3svm_unet_picture picture[],
                            const s3svm_unet_settings *settings, sos_error *error)
{
    training t = { .count = count, .pictures = pictures, .picture = picture, .settings = settings };
    const sos_work *work = &settings->work;
    sos_status status = training_create(&t, error);
    for (size_t step = 0; step < settings->steps && !status; step++)
        if (work->progress && !work->progress(work->user, "network", (double)step / (double)settings->steps))
            status = sos_fail(error, SOS_CANCELLED, "stopped while training networks");
        else
            step_run(&t, step);
    for (size_t k = 0; k < count && !status; k++)
        memcpy(networks[k].numbers, t.learners[k].network.numbers, S3SVM_UNET_NUMBERS * sizeof *networks[k].numbers);
    training_free(&t);
    return status;
}
