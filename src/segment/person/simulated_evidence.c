#include "segment/person/simulated_evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/error.h"
#include "vision/colour.h"
#include "vision/resample.h"

typedef struct variation variation;
struct variation {
    double share; /* of dialogues */
    sos_status (*make)(size_t count, const s3svm_marked pictures[], size_t i, sos_random *r, s3svm_maps *x, sos_error *error);
};

static double between(sos_random *r, double low, double high) { return low + (high - low) * sos_random_uniform(r); }
static size_t pixels_of(const s3svm_maps *x) { return x->width * x->height; }
static double side_of(const s3svm_maps *x) { return sqrt((double)pixels_of(x)); }

static const double ODDS_MOST = 6; /* of what is made up */

/* ---------------------------------------------------------------- variations, in place */

static sos_status as_it_is(size_t count, const s3svm_marked pictures[], size_t i, sos_random *r, s3svm_maps *x,
                           sos_error *error)
{
    (void)count, (void)pictures, (void)i, (void)r, (void)x, (void)error;
    return SOS_OK;
}

static sos_status otherwise_sure(size_t count, const s3svm_marked pictures[], size_t i, sos_random *r, s3svm_maps *x,
                                 sos_error *error)
{
    const float scale = (float)sos_exp(between(r, -1.4, 1)), offset = (float)between(r, -2, 2);
    (void)count, (void)pictures, (void)i, (void)error;
    for (size_t k = 0; k < pixels_of(x); k++) x->values[k] = scale * x->values[k] + offset;
    return SOS_OK;
}

static sos_status blurred(size_t count, const s3svm_marked pictures[], size_t i, sos_random *r, s3svm_maps *x, sos_error *error)
{
    (void)count, (void)pictures, (void)i;
    return s3svm_colour_blur(x->width, x->height, 1, between(r, 0.01, 0.06) * side_of(x), 1, x->values, error);
}

static s3svm_blocks blocks_of(const s3svm_maps *x, double share)
{
    const s3svm_image size = { .width = x->width, .height = x->height, .channels = 1 };
    return s3svm_blocks_of(&size, (size_t)fmax(1, share * side_of(x)));
}

/* Of few pixels, as networks give that see a small picture. */
static sos_status coarse(size_t count, const s3svm_marked pictures[], size_t i, sos_random *r, s3svm_maps *x, sos_error *error)
{
    const s3svm_blocks b = blocks_of(x, between(r, 0.03, 0.12));
    s3svm_maps few = { 0 };
    (void)count, (void)pictures, (void)i;
    const sos_status status = s3svm_blocks_maps(&b, x, &few, error);
    if (!status) s3svm_blocks_grow(&b, few.values, x->values);
    s3svm_maps_free(&few);
    return status;
}

/* Parts that it calls the contrary, sure of it. */
static sos_status flawed(size_t count, const s3svm_marked pictures[], size_t i, sos_random *r, s3svm_maps *x, sos_error *error)
{
    (void)count, (void)pictures, (void)i, (void)error;
    for (uint64_t flaws = 1 + sos_random_below(r, 3); flaws; flaws--) {
        const size_t at = (size_t)sos_random_below(r, pixels_of(x));
        const double radius = between(r, 0.05, 0.25) * side_of(x), cx = (double)(at % x->width), cy = (double)(at / x->width);
        const float sign = x->values[at] > 0 ? -1 : 1;
        for (size_t k = 0; k < pixels_of(x); k++) {
            const double dx = (double)(k % x->width) - cx, dy = (double)(k / x->width) - cy;
            if (dx * dx + dy * dy <= radius * radius) x->values[k] = sign * fabsf(x->values[k]);
        }
    }
    return SOS_OK;
}

static sos_status inverted(size_t count, const s3svm_marked pictures[], size_t i, sos_random *r, s3svm_maps *x,
                           sos_error *error)
{
    (void)count, (void)pictures, (void)i, (void)r, (void)error;
    for (size_t k = 0; k < pixels_of(x); k++) x->values[k] = -x->values[k];
    return SOS_OK;
}

/* What a network has found elsewhere; where the other has no maps it stays as it is. */
static sos_status of_another(size_t count, const s3svm_marked pictures[], size_t i, sos_random *r, s3svm_maps *x,
                             sos_error *error)
{
    const s3svm_maps *from = &pictures[(i + 1 + (size_t)sos_random_below(r, count)) % count].maps;
    (void)error;
    if (!from->values) return SOS_OK;
    const float *values = from->values + (size_t)sos_random_below(r, from->channels) * pixels_of(from);
    for (size_t k = 0; k < pixels_of(x); k++) {
        const size_t column = k % x->width * from->width / x->width, row = k / x->width * from->height / x->height;
        x->values[k] = values[row * from->width + column];
    }
    return SOS_OK;
}

static sos_status noise(size_t count, const s3svm_marked pictures[], size_t i, sos_random *r, s3svm_maps *x, sos_error *error)
{
    const s3svm_blocks b = blocks_of(x, between(r, 0.01, 0.2));
    float *few = malloc(s3svm_blocks_size(&b) * sizeof *few);
    (void)count, (void)pictures, (void)i;
    if (!few) return sos_fail(error, SOS_ERR_MEMORY, "no memory for evidence of %zu pixels", pixels_of(x));
    for (size_t k = 0; k < s3svm_blocks_size(&b); k++) few[k] = (float)between(r, -ODDS_MOST, ODDS_MOST);
    s3svm_blocks_grow(&b, few, x->values);
    free(few);
    return SOS_OK;
}

/* ---------------------------------------------------------------- one of them */

static const double NONE = 0.24; /* of dialogues have no evidence */
static const variation VARIATIONS[] = { { 0.27, as_it_is }, { 0.08, otherwise_sure }, { 0.05, blurred },  { 0.05, coarse },
                                        { 0.07, flawed },   { 0.12, of_another },     { 0.03, inverted }, { 1, noise } };

sos_status s3svm_simulated_evidence(size_t count, const s3svm_marked pictures[], size_t i, sos_random *r, s3svm_maps *out,
                                    sos_error *error)
{
    const s3svm_maps *from = &pictures[i].maps;
    double u = sos_random_uniform(r) - NONE;
    *out = (s3svm_maps){ 0 };
    if (!from->values || u < 0) return SOS_OK;
    s3svm_maps x;
    sos_status status = s3svm_maps_create(from->width, from->height, 1, &x, error);
    if (status) return status;
    const float *values = from->values + (size_t)sos_random_below(r, from->channels) * pixels_of(from);
    memcpy(x.values, values, pixels_of(from) * sizeof *values);
    const variation *v = VARIATIONS;
    for (; u >= v->share; v++) u -= v->share;
    status = v->make(count, pictures, i, r, &x, error);
    if (status)
        s3svm_maps_free(&x);
    else
        *out = x;
    return status;
}
