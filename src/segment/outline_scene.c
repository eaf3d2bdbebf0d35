/* outline_scene.c - what the second look at an outline needs of a photograph whatever is marked in it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/error.h"
#include "segment/outline.h"
#include "vision/colour.h"
#include "vision/contrast.h"

static const double BLUR = 1; /* pixels: beyond noise and the blocks of a JPEG, not beyond thin edges */

/* Right, down left, down, down right. */
static const int RIGHT[SOS_OUTLINE_NEIGHBOURS] = { 1, -1, 0, 1 }, DOWN[SOS_OUTLINE_NEIGHBOURS] = { 0, 1, 1, 1 };

void sos_outline_scene_free(sos_outline_scene *s)
{
    free(s->moments);
    free(s->steepness);
    free(s->contrast);
    *s = (sos_outline_scene){ 0 };
}

/* L, a, b as bytes: units of half and of one, which is finer than noise. */
static void moments_find(sos_outline_scene *s, const float lab[])
{
    for (size_t i = 0; i < s->width * s->height; i++) {
        sos_outline_moments m = { 1 };
        for (size_t c = 0; c < SOS_OUTLINE_CHANNELS; c++) {
            const double x = c ? (double)lab[3 * i + c] + 128 : 2 * (double)lab[3 * i];
            const uint16_t byte = (uint16_t)fmin(255, fmax(0, rint(x)));
            m[1 + c] = byte;
            m[1 + SOS_OUTLINE_CHANNELS + c] = (uint16_t)(byte * byte);
        }
        s->moments[i] = m;
    }
}

static double square_between(const float lab[], size_t i, size_t j)
{
    double sum = 0;
    for (size_t c = 0; c < 3; c++) {
        const double d = (double)lab[3 * i + c] - (double)lab[3 * j + c];
        sum += d * d;
    }
    return sum;
}

/* Differences of the neighbours to both sides, over two pixels; at the border over one. */
static void steepness_find(sos_outline_scene *s, const float lab[])
{
    const size_t width = s->width, height = s->height;
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            const size_t i = y * width + x, left = i - (x > 0), right = i + (x + 1 < width);
            const size_t up = y ? i - width : i, down = y + 1 < height ? i + width : i;
            const double sum = square_between(lab, left, right) + square_between(lab, up, down);
            s->steepness[i] = (float)sos_log(1 + sqrt(sum) / 2);
        }
}

static void contrast_find(sos_outline_scene *s, const sos_image *photograph, uint32_t squares[], double weights[])
{
    const size_t width = s->width, height = s->height, n = width * height;
    const double beta = sos_contrast_beta(photograph, 2 * SOS_OUTLINE_NEIGHBOURS);
    for (size_t k = 0; k < SOS_OUTLINE_NEIGHBOURS; k++) {
        const double unit = RIGHT[k] && DOWN[k] ? SOS_CONTRAST_DIAGONAL : 1;
        for (size_t y = 0; y < height; y++)
            for (size_t x = 0; x < width; x++) {
                const size_t i = y * width + x, x2 = x + (size_t)RIGHT[k], y2 = y + (size_t)DOWN[k]; /* -1 wraps around */
                const bool there = x2 < width && y2 < height;
                const uint8_t *here = photograph->pixels + 3 * i;
                squares[i] = there ? sos_contrast_square(here, photograph->pixels + 3 * (y2 * width + x2)) : UINT32_MAX;
            }
        sos_contrast_weights(beta, n, squares, weights);
        for (size_t i = 0; i < n; i++) s->contrast[k * n + i] = squares[i] == UINT32_MAX ? 0 : (float)(unit * weights[i]);
    }
}

static sos_status scene_fill(sos_outline_scene *s, const sos_image *photograph, int threads, float lab[], uint32_t squares[],
                             double weights[], sos_error *error)
{
    const sos_status status = sos_colour_blur(s->width, s->height, 3, BLUR, threads, lab, error);
    if (status) return status;
    moments_find(s, lab);
    steepness_find(s, lab);
    contrast_find(s, photograph, squares, weights);
    return SOS_OK;
}

sos_status sos_outline_scene_create(const sos_image *photograph, const float lab[], int threads, sos_outline_scene *out,
                                    sos_error *error)
{
    const size_t n = sos_image_size(photograph);
    sos_outline_scene s = { .width = photograph->width,
                            .height = photograph->height,
                            .scale = sqrt((double)n / SOS_OUTLINE_PIXELS),
                            .moments = aligned_alloc(sizeof *s.moments, n * sizeof *s.moments),
                            .steepness = malloc(n * sizeof *s.steepness),
                            .contrast = malloc(SOS_OUTLINE_NEIGHBOURS * n * sizeof *s.contrast) };
    float *soft = malloc(3 * n * sizeof *soft);
    uint32_t *squares = malloc(n * sizeof *squares);
    double *weights = malloc(n * sizeof *weights);
    const bool room = s.moments && s.steepness && s.contrast && soft && squares && weights;
    sos_status status = room
                            ? SOS_OK
                            : sos_fail(error, SOS_ERR_MEMORY, "no memory for outlines in %zu by %zu pixels", s.width, s.height);
    if (!status) memcpy(soft, lab, 3 * n * sizeof *soft);
    if (!status) status = scene_fill(&s, photograph, threads, soft, squares, weights, error);
    free(soft);
    free(squares);
    free(weights);
    if (status)
        sos_outline_scene_free(&s);
    else
        *out = s;
    return status;
}
