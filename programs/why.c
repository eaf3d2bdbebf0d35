#include "why.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

static const uint8_t OBJECT[3] = { 202, 0, 32 }, NEITHER[3] = { 247, 247, 247 }, BACKGROUND[3] = { 5, 113, 176 };

/* From one colour to another. */
static void colour_mix(const uint8_t from[3], const uint8_t to[3], float share, uint8_t out[3])
{
    for (int c = 0; c < 3; c++) out[c] = (uint8_t)((float)from[c] + share * ((float)to[c] - (float)from[c]) + 0.5F);
}

/* What is usual is that of pixels that nobody marked, since marks say much more. */
static void unaries_draw(const s3svm_image *marks, const float odds[], s3svm_image *out)
{
    const size_t n = s3svm_image_size(out);
    double sum = 0, count = 1;
    for (size_t i = 0; i < n; i++) {
        const bool sure = s3svm_mark_is_sure(marks->pixels[i]);
        sum += sure ? 0 : fabsf(odds[i]);
        count += !sure;
    }
    const float usual = (float)(sum / count) + 1e-6F;
    for (size_t i = 0; i < n; i++) {
        const float size = fabsf(odds[i]);
        colour_mix(NEITHER, odds[i] > 0 ? OBJECT : BACKGROUND, size / (size + usual / 2), out->pixels + 3 * i);
    }
}

static void prior_draw(const s3svm_image *luma, const float odds[], const uint8_t labels[], s3svm_image *out)
{
    for (size_t i = 0; i < s3svm_image_size(out); i++) {
        const uint8_t pale = (uint8_t)(128 + luma->pixels[i] / 2), grey[3] = { pale, pale, pale };
        const bool alone = odds[i] > 0, changed = alone != (labels[i] != 0);
        colour_mix(grey, labels[i] ? OBJECT : BACKGROUND, changed ? 0.75F : 0, out->pixels + 3 * i);
    }
}

/* *odds of the photograph's size, and a picture to draw them in. */
static sos_status why_begin(s3svm_segmenter *s, const s3svm_image *photograph, float **odds, s3svm_image *out, sos_error *error)
{
    const size_t n = s3svm_image_size(photograph);
    *odds = malloc(n * sizeof **odds);
    if (!*odds) return sos_fail(error, SOS_ERR_MEMORY, "no memory for odds of %zu pixels", n);
    sos_status status = s3svm_segmenter_odds(s, *odds, error);
    if (!status) status = s3svm_image_create(photograph->width, photograph->height, 3, out, error);
    return status;
}

sos_status why_unaries(s3svm_segmenter *s, const s3svm_image *photograph, s3svm_image *out, sos_error *error)
{
    float *odds = NULL;
    const sos_status status = why_begin(s, photograph, &odds, out, error);
    if (!status) unaries_draw(s3svm_segmenter_marks(s), odds, out);
    free(odds);
    return status;
}

sos_status why_prior(s3svm_segmenter *s, const s3svm_image *photograph, s3svm_image *out, sos_error *error)
{
    float *odds = NULL;
    s3svm_image luma = { 0 };
    sos_status status = s3svm_image_grey(photograph, &luma, error);
    if (!status) status = why_begin(s, photograph, &odds, out, error);
    if (!status) prior_draw(&luma, odds, s3svm_segmenter_labels(s), out);
    s3svm_image_free(&luma);
    free(odds);
    return status;
}
