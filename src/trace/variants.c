#include "trace/variants.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/error.h"
#include "base/random.h"
#include "vision/resize.h"

/* Neighbours in the list differ much; steps of 5 against folds of 4 bring every factor to every fold. */
enum { FACTORS = 4, LEAST_SIDE = 32, FEW = 100 };
static const double FACTOR[FACTORS] = { 1.5, 0.67, 2, 0.8 };

static const double GAMMA = 0.25; /* exponents of a channel are e^-0.25 to e^0.25 */
static const double NOISE = 3;    /* its greatest deviation, in steps of 255 */

void s3svm_evidence_variants_free(s3svm_evidence_variants *v)
{
    for (size_t i = v->count; i < v->count * (1 + v->each); i++) {
        if (v->images) s3svm_image_free(&v->images[i]);
        if (v->labels) free(v->labels[i]);
        if (v->known) free(v->known[i]);
    }
    free(v->of);
    free(v->images);
    free(v->truths);
    free(v->cares);
    free(v->labels);
    free(v->known);
    *v = (s3svm_evidence_variants){ 0 };
}

/* A part of a picture, and the size that it is brought to. */
typedef struct window {
    size_t x, y, width, height;
    size_t to_width, to_height;
} window;

static window window_choose(const s3svm_image *image, double factor, sos_random *r)
{
    const double part = factor > 1 ? 1 / factor : 1;
    window w = { .width = (size_t)fmax(1, rint(part * (double)image->width)),
                 .height = (size_t)fmax(1, rint(part * (double)image->height)) };
    w.x = (size_t)sos_random_below(r, image->width - w.width + 1);
    w.y = (size_t)sos_random_below(r, image->height - w.height + 1);
    w.to_width = (size_t)fmax(1, rint(factor * (double)w.width));
    w.to_height = (size_t)fmax(1, rint(factor * (double)w.height));
    return w;
}

static sos_status window_resize(const s3svm_image *image, const window *w, s3svm_image *out, sos_error *error)
{
    s3svm_image part;
    sos_status status = s3svm_image_create(w->width, w->height, image->channels, &part, error);
    if (status) return status;
    const size_t row = w->width * image->channels;
    for (size_t y = 0; y < w->height; y++)
        memcpy(part.pixels + y * row, image->pixels + ((w->y + y) * image->width + w->x) * image->channels, row);
    status = s3svm_image_cover(&part, w->to_width, w->to_height, out, error);
    s3svm_image_free(&part);
    return status;
}

/* 1 where at least so much of a pixel is of label 1. */
static sos_status labels_resize(const s3svm_image *image, const uint8_t labels[], const window *w, uint8_t least, uint8_t **out,
                                sos_error *error)
{
    const size_t n = s3svm_image_size(image);
    s3svm_image grey, resized;
    sos_status status = s3svm_image_create(image->width, image->height, 1, &grey, error);
    if (status) return status;
    for (size_t i = 0; i < n; i++) grey.pixels[i] = labels[i] ? 255 : 0;
    status = window_resize(&grey, w, &resized, error);
    s3svm_image_free(&grey);
    if (status) return status;
    for (size_t i = 0; i < s3svm_image_size(&resized); i++) resized.pixels[i] = resized.pixels[i] >= least;
    *out = resized.pixels;
    return SOS_OK;
}

/* Colours of another camera, and its noise. */
static void colours_change(s3svm_image *image, sos_random *r)
{
    uint8_t curve[3][256];
    const double noise = NOISE * sos_random_uniform(r);
    for (size_t c = 0; c < 3; c++) {
        const double gamma = sos_exp(GAMMA * (2 * sos_random_uniform(r) - 1));
        for (size_t v = 0; v < 256; v++) curve[c][v] = v ? (uint8_t)rint(255 * sos_exp(gamma * sos_log((double)v / 255))) : 0;
    }
    for (size_t i = 0; i < s3svm_image_size(image); i++)
        for (size_t c = 0; c < image->channels; c++) {
            uint8_t *v = &image->pixels[i * image->channels + c];
            *v = (uint8_t)fmin(fmax(rint(curve[c % 3][*v] + noise * sos_random_normal(r)), 0), 255);
        }
}

/* Variant number of picture i, at place k of all. */
static sos_status variant_make(const s3svm_evidence_pictures *p, size_t i, size_t number, size_t k, sos_random *r,
                               s3svm_evidence_variants *v, sos_error *error)
{
    const s3svm_image *image = &p->images[i];
    const bool small = image->width < 2 * LEAST_SIDE || image->height < 2 * LEAST_SIDE;
    const window w = window_choose(image, small ? 1 : FACTOR[(i + i / FACTORS + number) % FACTORS], r);
    sos_status status = window_resize(image, &w, &v->images[k], error);
    if (!status) status = labels_resize(image, p->truths[i], &w, 128, &v->labels[k], error);
    if (!status && p->cares && p->cares[i]) status = labels_resize(image, p->cares[i], &w, 255, &v->known[k], error);
    if (status) return status;
    colours_change(&v->images[k], r);
    v->truths[k] = v->labels[k];
    v->cares[k] = v->known[k];
    return SOS_OK;
}

sos_status s3svm_evidence_variants_make(const s3svm_evidence_pictures *p, uint64_t seed, s3svm_evidence_variants *out,
                                        sos_error *error)
{
    const size_t n = p->count, each = n <= FEW ? FACTORS : 1, all = n * (1 + each);
    s3svm_evidence_variants v = { .count = n,
                                  .each = each,
                                  .of = calloc(all, sizeof *v.of),
                                  .images = calloc(all, sizeof *v.images),
                                  .truths = calloc(all, sizeof *v.truths),
                                  .cares = calloc(all, sizeof *v.cares),
                                  .labels = calloc(all, sizeof *v.labels),
                                  .known = calloc(all, sizeof *v.known) };
    sos_status status = SOS_OK;
    if (!v.of || !v.images || !v.truths || !v.cares || !v.labels || !v.known)
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for the variants of %zu pictures", n);
    sos_random random = sos_random_seeded(seed);
    for (size_t number = 0; number <= each && !status; number++)
        for (size_t i = 0; i < n && !status; i++) {
            const size_t k = number * n + i;
            v.of[k] = i;
            if (number) {
                status = variant_make(p, i, number - 1, k, &random, &v, error);
                continue;
            }
            v.images[k] = p->images[i];
            v.truths[k] = p->truths[i];
            v.cares[k] = p->cares ? p->cares[i] : NULL;
        }
    v.all = (s3svm_evidence_pictures){ .count = all, .images = v.images, .truths = v.truths, .cares = v.cares };
    if (status)
        s3svm_evidence_variants_free(&v);
    else
        *out = v;
    return status;
}
