#include "segment/features/photo_features.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/error.h"
#include "vision/colour.h"

/* Standard deviations of blurs, in sides; a picture of 75,000 pixels has a side of 274. */
static const double SOFT = 0.005;                /* 1.4 pixels: beyond the noise of a photograph and the blocks of a JPEG */
static const double SMOOTH = 0.003;              /* 0.8 pixels: paths must still see thin edges */
static const double FINE = 0.006, COARSE = 0.02; /* of roughness: fur and grass; leaves and bricks */
static const double ROUGHNESS_UNIT = 5;          /* brings its logarithms to the range of colours, 0 ... 40 */

/* What a change of colour by 1 in Lab is worth on a path, in sides: across an edge of 50, one side, about as much as around
 * it; and five times that for paths from the frame, which must not leak into an object at a weak edge. */
static const double COLOUR_CONTRAST = 0.02, FRAME_CONTRAST = 0.1;

/* Superpixels, and the pixels that they have at least on average.  900 of a picture of 75,000 pixels have 83 each: fine enough
 * for arms and legs, few enough for all pairs.  120 of them are about what people call parts. */
enum { SMALL = 900, SMALL_PIXELS = 40, LARGE = 120, LARGE_PIXELS = 300 };

void s3svm_photo_features_free(s3svm_photo_features *s)
{
    free(s->lab);
    free(s->soft);
    free(s->texture);
    s3svm_steps_free(&s->colour_steps);
    s3svm_steps_free(&s->frame_steps);
    s3svm_superpixel_graph_free(&s->small);
    s3svm_superpixel_graph_free(&s->large);
    s3svm_walk_graph_free(&s->near_walk);
    s3svm_walk_graph_free(&s->far_walk);
    *s = (s3svm_photo_features){ 0 };
}

static sos_status photo_features_no_memory(const s3svm_photo_features *s, sos_error *error)
{
    return sos_fail(error, SOS_ERR_MEMORY, "no memory for what is seen in %zu by %zu pixels", s->width, s->height);
}

/* ---------------------------------------------------------------- colours */

static sos_status blur(const s3svm_photo_features *s, size_t channels, double sigma, int threads, float values[],
                       sos_error *error)
{
    return s3svm_colour_blur(s->width, s->height, channels, sigma * s->side, threads, values, error);
}

static sos_status colours_find(s3svm_photo_features *s, const s3svm_image *photograph, int threads, sos_error *error)
{
    s->lab = malloc(3 * s->n * sizeof *s->lab);
    s->soft = malloc(3 * s->n * sizeof *s->soft);
    if (!s->lab || !s->soft) return photo_features_no_memory(s, error);
    const sos_status status = s3svm_colour_lab(photograph, threads, s->lab, error);
    if (status) return status;
    memcpy(s->soft, s->lab, 3 * s->n * sizeof *s->soft);
    return blur(s, 3, SOFT, threads, s->soft, error);
}

/* Logarithms of the variance of L around each pixel into number `place` of its texture; square and mean are room. */
static sos_status roughness_find(const s3svm_photo_features *s, double sigma, int threads, size_t place, float square[],
                                 float mean[], sos_error *error)
{
    for (size_t i = 0; i < s->n; i++) {
        mean[i] = s->lab[3 * i];
        square[i] = mean[i] * mean[i];
    }
    sos_status status = blur(s, 1, sigma, threads, square, error);
    if (!status) status = blur(s, 1, sigma, threads, mean, error);
    for (size_t i = 0; i < s->n && !status; i++) {
        const double variance = fmax((double)square[i] - (double)mean[i] * (double)mean[i], 0);
        s->texture[S3SVM_PHOTO_TEXTURE * i + place] = (float)(ROUGHNESS_UNIT * sos_log(1 + variance));
    }
    return status;
}

static sos_status texture_find(s3svm_photo_features *s, int threads, sos_error *error)
{
    float *room = malloc(2 * s->n * sizeof *room);
    s->texture = malloc(S3SVM_PHOTO_TEXTURE * s->n * sizeof *s->texture);
    sos_status status = room && s->texture ? SOS_OK : photo_features_no_memory(s, error);
    for (size_t i = 0; i < s->n && !status; i++)
        memcpy(s->texture + S3SVM_PHOTO_TEXTURE * i, s->soft + 3 * i, 3 * sizeof *s->soft);
    if (!status) status = roughness_find(s, FINE, threads, 3, room, room + s->n, error);
    if (!status) status = roughness_find(s, COARSE, threads, 4, room, room + s->n, error);
    free(room);
    return status;
}

/* ---------------------------------------------------------------- paths */

static sos_status steps_find(s3svm_photo_features *s, int threads, sos_error *error)
{
    float *smooth = malloc(3 * s->n * sizeof *smooth);
    if (!smooth) return photo_features_no_memory(s, error);
    memcpy(smooth, s->lab, 3 * s->n * sizeof *smooth);
    sos_status status = blur(s, 3, SMOOTH, threads, smooth, error);
    if (!status)
        status = s3svm_steps_create(s->width, s->height, 3, smooth, COLOUR_CONTRAST * s->side, &s->colour_steps, error);
    if (!status) status = s3svm_steps_create(s->width, s->height, 3, smooth, FRAME_CONTRAST * s->side, &s->frame_steps, error);
    free(smooth);
    return status;
}

/* ---------------------------------------------------------------- superpixels */

static sos_status graph_find(const s3svm_photo_features *s, const s3svm_image *photograph, size_t wanted, size_t pixels,
                             int threads, s3svm_superpixel_graph *out, sos_error *error)
{
    s3svm_superpixel_settings settings = s3svm_superpixel_defaults();
    settings.count = s->n / pixels + 1 < wanted ? s->n / pixels + 1 : wanted;
    settings.threads = threads;
    return s3svm_superpixel_graph_create(photograph, s->lab, &settings, out, error);
}

/* Walks step across an outline the more readily the longer it is and the more alike the colours: twice the square of 6 units of
 * Lab, which people see at once.  A unit of strength is an outline of 10 pixels, as long as a superpixel is wide. */
static const double NEAR_STRENGTH = 0.1, NEAR_COLOURS = 2 * 6 * 6;

/* Far away, colours must be twice as near, and at most 10 apart; places count by twice the square of a fifth of a side. */
static const double FAR_STRENGTH = 0.1, FAR_COLOURS = 2 * 3 * 3, FAR_COLOURS_MOST = 10 * 10, FAR_PLACES = 0.08;

static const double STRENGTH_LEAST = 1e-5; /* weaker steps change nothing that floats would show */

static double near_strength(const void *data, size_t from, size_t to)
{
    const s3svm_superpixel_graph *g = data;
    const double outline = (double)g->outline[from * g->count + to];
    if (!(outline > 0)) return 0;
    const double colours = s3svm_superpixel_colours_apart(&g->pieces[from], &g->pieces[to]);
    const double strength = outline * NEAR_STRENGTH * sos_exp(-colours / NEAR_COLOURS);
    return strength < STRENGTH_LEAST ? 0 : strength;
}

static double far_strength(const void *data, size_t from, size_t to)
{
    const s3svm_superpixel_graph *g = data;
    const double outline = (double)g->outline[from * g->count + to];
    const double colours = s3svm_superpixel_colours_apart(&g->pieces[from], &g->pieces[to]);
    double strength = outline > 0 ? outline * NEAR_STRENGTH * sos_exp(-colours / NEAR_COLOURS) : 0;
    if (colours < FAR_COLOURS_MOST) {
        const double places = s3svm_superpixel_places_apart(&g->pieces[from], &g->pieces[to]);
        strength += FAR_STRENGTH * sos_exp(-colours / FAR_COLOURS - places / FAR_PLACES);
    }
    return strength < STRENGTH_LEAST ? 0 : strength;
}

static sos_status superpixels_find(s3svm_photo_features *s, const s3svm_image *photograph, int threads, sos_error *error)
{
    sos_status status = graph_find(s, photograph, SMALL, SMALL_PIXELS, threads, &s->small, error);
    if (!status) status = graph_find(s, photograph, LARGE, LARGE_PIXELS, threads, &s->large, error);
    if (!status) status = s3svm_walk_graph_create(s->small.count, near_strength, &s->small, &s->near_walk, error);
    if (!status) status = s3svm_walk_graph_create(s->small.count, far_strength, &s->small, &s->far_walk, error);
    return status;
}

/* ---------------------------------------------------------------- all */

sos_status s3svm_photo_features_create(const s3svm_image *photograph, int threads, s3svm_photo_features *out, sos_error *error)
{
    const size_t n = s3svm_image_size(photograph);
    s3svm_photo_features s = { .width = photograph->width, .height = photograph->height, .n = n, .side = sqrt((double)n) };
    sos_status status = colours_find(&s, photograph, threads, error);
    if (!status) status = texture_find(&s, threads, error);
    if (!status) status = steps_find(&s, threads, error);
    if (!status) status = superpixels_find(&s, photograph, threads, error);
    if (status)
        s3svm_photo_features_free(&s);
    else
        *out = s;
    return status;
}
