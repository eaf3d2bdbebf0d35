#include "segment/maps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/error.h"
#include "segment/canvas.h"
#include "segment/data.h"
#include "vision/colour.h"
#include "vision/distance.h"
#include "vision/marks.h"

enum { START_ITERATIONS = 10, EM_ITERATIONS = 10, POINTS_MAX = 4000, LOOKS = 5 };

static float clip(double x, double most) { return (float)fmax(-most, fmin(most, x)); }

static void canvas_free(sos_canvas *c)
{
    for (size_t k = 0; k < SOS_SEGMENT_LABELS; k++) {
        free(c->mask[k]);
        free(c->far[k]);
    }
    free(c->lab);
    free(c->points);
    free(c->logs);
    free(c->pieces);
    *c = (sos_canvas){ 0 };
}

static sos_status canvas_create(const sos_segment_input *in, sos_segment_view *view, sos_canvas *c, sos_error *error)
{
    static const uint8_t kinds[SOS_SEGMENT_LABELS] = {
        [SOS_SEGMENT_BACKGROUND] = SOS_MARK_BACKGROUND, [SOS_SEGMENT_OBJECT] = SOS_MARK_OBJECT
    };
    const size_t n = sos_image_size(in->photograph);
    *c = (sos_canvas){ .in = in,
                       .width = in->photograph->width,
                       .height = in->photograph->height,
                       .n = n,
                       .side = sqrt((double)n),
                       .lab = malloc(3 * n * sizeof *c->lab),
                       .points = malloc(LOOKS * n * sizeof *c->points),
                       .logs = malloc(n * sizeof *c->logs),
                       .pieces = malloc(n * sizeof *c->pieces),
                       .maps = view->maps,
                       .view = view };
    bool taken = c->lab && c->points && c->logs && c->pieces;
    for (size_t k = 0; k < SOS_SEGMENT_LABELS; k++) {
        c->mask[k] = malloc(n);
        c->far[k] = malloc(n * sizeof *c->far[k]);
        taken = taken && c->mask[k] && c->far[k];
        if (taken) c->count[k] = sos_marks_mask(in->marks, kinds[k], c->mask[k]);
    }
    if (!taken) {
        canvas_free(c);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for maps of %zu pixels", n);
    }
    const sos_status status = sos_colour_lab(in->photograph, in->threads, c->lab, error);
    if (status) canvas_free(c);
    return status;
}

/* ---------------------------------------------------------------- colours */

/* log p(x | marks of a kind) of all pixels into c->logs. */
static sos_status logs_find(sos_canvas *c, const uint8_t mask[], size_t count, size_t d, const float colours[],
                            sos_error *error)
{
    const size_t every = count / POINTS_MAX + 1;
    size_t points = 0, seen = 0;
    for (size_t i = 0; i < c->n; i++)
        if (mask[i] && seen++ % every == 0) memcpy(c->points + d * points++, colours + d * i, d * sizeof *colours);
    const sos_mixture_ridge ridge = SOS_CANVAS_RIDGE;
    sos_mixture m;
    sos_status status = sos_mixture_create(SOS_CANVAS_COMPONENTS, d, &m, error);
    if (status) return status;
    status = sos_mixture_start(&m, points, c->points, START_ITERATIONS, SOS_CANVAS_SEED, &ridge, c->in->threads, error);
    if (!status) status = sos_mixture_improve(&m, points, c->points, EM_ITERATIONS, 1e-3, &ridge, c->in->threads, NULL, error);
    if (!status) sos_mixture_evaluate(&m, c->n, colours, c->logs, NULL, c->in->threads);
    sos_mixture_free(&m);
    return status;
}

/* The ratio of both, and where wanted the logarithms themselves. */
static sos_status ratio_map(sos_canvas *c, size_t d, const float colours[], float ratio[], float *logs[SOS_SEGMENT_LABELS],
                            sos_error *error)
{
    sos_status status = SOS_OK;
    memset(ratio, 0, c->n * sizeof *ratio);
    for (size_t k = 0; k < SOS_SEGMENT_LABELS && !status; k++) {
        if (!c->count[k]) continue;
        status = logs_find(c, c->mask[k], c->count[k], d, colours, error);
        for (size_t i = 0; i < c->n && !status; i++) {
            const double log = fmax(c->logs[i], SOS_CANVAS_LOG_LEAST);
            ratio[i] += (float)(k == SOS_SEGMENT_OBJECT ? log : -log);
            if (logs) logs[k][i] = (float)log;
        }
    }
    for (size_t i = 0; i < c->n; i++) ratio[i] = sos_canvas_both(c) ? clip((double)ratio[i], 20) : 0;
    return status;
}

/* Logarithms of the variance of L around each pixel. */
static sos_status roughness_find(sos_canvas *c, double sigma, float out[], sos_error *error)
{
    float *square = c->points, *mean = c->points + c->n;
    for (size_t i = 0; i < c->n; i++) {
        mean[i] = c->lab[3 * i];
        square[i] = mean[i] * mean[i];
    }
    sos_status status = sos_colour_blur(c->width, c->height, 1, sigma * c->side, c->in->threads, square, error);
    if (!status) status = sos_colour_blur(c->width, c->height, 1, sigma * c->side, c->in->threads, mean, error);
    for (size_t i = 0; i < c->n && !status; i++)
        out[i] = (float)(5 * sos_log(1 + fmax((double)square[i] - (double)mean[i] * (double)mean[i], 0)));
    return status;
}

static sos_status textures_map(sos_canvas *c, const float soft[], sos_error *error)
{
    float *looks = malloc(LOOKS * c->n * sizeof *looks), *rough = malloc(2 * c->n * sizeof *rough);
    sos_status status = looks && rough ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pixels", c->n);
    if (!status) status = roughness_find(c, 0.006, rough, error);
    if (!status) status = roughness_find(c, 0.02, rough + c->n, error);
    for (size_t i = 0; i < c->n && !status; i++) {
        for (size_t k = 0; k < 3; k++) looks[LOOKS * i + k] = soft[3 * i + k];
        for (size_t k = 3; k < LOOKS; k++) looks[LOOKS * i + k] = rough[(k - 3) * c->n + i];
    }
    if (!status) status = ratio_map(c, LOOKS, looks, sos_canvas_map(c, SOS_MAP_TEXTURE_RATIO), NULL, error);
    free(looks);
    free(rough);
    return status;
}

static sos_status colours_map(sos_canvas *c, sos_error *error)
{
    float *logs[SOS_SEGMENT_LABELS] = { [SOS_SEGMENT_BACKGROUND] = sos_canvas_map(c, SOS_MAP_LAB_BACKGROUND),
                                        [SOS_SEGMENT_OBJECT] = sos_canvas_map(c, SOS_MAP_LAB_OBJECT) };
    sos_status status = ratio_map(c, 3, c->lab, sos_canvas_map(c, SOS_MAP_LAB_RATIO), logs, error);
    float *soft = malloc(3 * c->n * sizeof *soft);
    if (!soft && !status) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for colours of %zu pixels", c->n);
    if (!status) {
        memcpy(soft, c->lab, 3 * c->n * sizeof *soft);
        status = sos_colour_blur(c->width, c->height, 3, 0.005 * c->side, c->in->threads, soft, error);
    }
    if (!status) status = ratio_map(c, 3, soft, sos_canvas_map(c, SOS_MAP_SOFT_RATIO), NULL, error);
    if (!status) status = textures_map(c, soft, error);
    free(soft);
    if (status || !sos_canvas_both(c)) return status;
    double sum[SOS_SEGMENT_LABELS] = { 0 };
    for (size_t k = 0; k < SOS_SEGMENT_LABELS; k++)
        for (size_t i = 0; i < c->n; i++)
            if (c->mask[k][i]) sum[k] += (double)sos_canvas_map(c, SOS_MAP_LAB_RATIO)[i];
    const double apart = sum[SOS_SEGMENT_OBJECT] / (double)c->count[SOS_SEGMENT_OBJECT] -
                         sum[SOS_SEGMENT_BACKGROUND] / (double)c->count[SOS_SEGMENT_BACKGROUND];
    for (size_t i = 0; i < c->n; i++) sos_canvas_map(c, SOS_MAP_SEPARATION)[i] = (float)apart;
    return SOS_OK;
}

/* ---------------------------------------------------------------- distances */

static void ratio_of_distances(const sos_canvas *c, float ratio[])
{
    for (size_t i = 0; i < c->n; i++)
        ratio[i] = sos_canvas_both(c) ? c->far[SOS_SEGMENT_OBJECT][i] /
                                            (c->far[SOS_SEGMENT_OBJECT][i] + c->far[SOS_SEGMENT_BACKGROUND][i] + 1e-6F)
                                      : 0.5F;
}

/* Logarithms of distances in sides; without such a mark, of a distance that no pixel has. */
static void logs_of_distances(const sos_canvas *c, size_t k, float logs[])
{
    for (size_t i = 0; i < c->n; i++) {
        const double far = c->count[k] ? (double)c->far[k][i] / c->side : 10;
        logs[i] = (float)sos_log(far + 0.01);
    }
}

/* Distances along paths over values of so many channels; a change by 1 is worth `contrast` sides. */
static sos_status paths_find(sos_canvas *c, size_t channels, const float values[], double contrast, sos_error *error)
{
    sos_steps steps;
    sos_status status = sos_steps_create(c->width, c->height, channels, values, contrast * c->side, &steps, error);
    if (status) return status;
    for (size_t k = 0; k < SOS_SEGMENT_LABELS && !status; k++)
        status = sos_distance_geodesic(c->width, c->height, c->mask[k], &steps, c->far[k], error);
    sos_steps_free(&steps);
    return status;
}

/* Distances along paths on which the chance of being object, by a ratio, changes little. */
static sos_status chances_find(sos_canvas *c, const float ratio[], double blur, sos_error *error)
{
    for (size_t i = 0; i < c->n; i++) c->points[i] = (float)sos_logistic((double)ratio[i]);
    const sos_status status = sos_colour_blur(c->width, c->height, 1, blur * c->side, c->in->threads, c->points, error);
    return status ? status : paths_find(c, 1, c->points, 1, error);
}

static sos_status paths_map(sos_canvas *c, sos_error *error)
{
    sos_status status = chances_find(c, sos_canvas_map(c, SOS_MAP_SOFT_RATIO), 0, error);
    if (status) return status;
    ratio_of_distances(c, sos_canvas_map(c, SOS_MAP_PATH_RATIO));
    logs_of_distances(c, SOS_SEGMENT_OBJECT, sos_canvas_map(c, SOS_MAP_PATH_OBJECT));
    logs_of_distances(c, SOS_SEGMENT_BACKGROUND, sos_canvas_map(c, SOS_MAP_PATH_BACKGROUND));
    status = chances_find(c, sos_canvas_map(c, SOS_MAP_REFINED_RATIO), 0.004, error);
    if (status) return status;
    ratio_of_distances(c, sos_canvas_map(c, SOS_MAP_REFINED_PATH));
    memcpy(c->points, c->lab, 3 * c->n * sizeof *c->lab);
    status = sos_colour_blur(c->width, c->height, 3, 0.003 * c->side, c->in->threads, c->points, error);
    if (!status) status = paths_find(c, 3, c->points, 0.02, error);
    if (status) return status;
    ratio_of_distances(c, sos_canvas_map(c, SOS_MAP_COLOUR_RATIO));
    logs_of_distances(c, SOS_SEGMENT_OBJECT, sos_canvas_map(c, SOS_MAP_COLOUR_OBJECT));
    logs_of_distances(c, SOS_SEGMENT_BACKGROUND, sos_canvas_map(c, SOS_MAP_COLOUR_BACKGROUND));
    for (size_t k = 0; k < SOS_SEGMENT_LABELS && !status; k++)
        status = sos_distance_euclidean(c->width, c->height, c->mask[k], c->in->threads, c->far[k], error);
    if (status) return status;
    ratio_of_distances(c, sos_canvas_map(c, SOS_MAP_EUCLID_RATIO));
    logs_of_distances(c, SOS_SEGMENT_OBJECT, sos_canvas_map(c, SOS_MAP_EUCLID_OBJECT));
    logs_of_distances(c, SOS_SEGMENT_BACKGROUND, sos_canvas_map(c, SOS_MAP_EUCLID_BACKGROUND));
    return SOS_OK;
}

/* The frame of the picture, but where object marks are near, and background marks; c->far has distances as the crow
 * flies. */
static size_t frame_mask(const sos_canvas *c, uint8_t mask[])
{
    const double wide = 0.01 * c->side;
    size_t count = 0;
    for (size_t i = 0; i < c->n; i++) {
        const double x = (double)(i % c->width), y = (double)(i / c->width);
        const double edge = fmin(fmin(x, (double)(c->width - 1) - x), fmin(y, (double)(c->height - 1) - y));
        const bool frame = edge < wide &&
                           (!c->count[SOS_SEGMENT_OBJECT] || (double)c->far[SOS_SEGMENT_OBJECT][i] > 0.15 * c->side);
        count += mask[i] = frame || c->mask[SOS_SEGMENT_BACKGROUND][i];
    }
    return count;
}

static sos_status frame_map(sos_canvas *c, sos_error *error)
{
    uint8_t *mask = malloc(c->n);
    if (!mask) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a mask of %zu pixels", c->n);
    const size_t count = frame_mask(c, mask);
    sos_steps steps;
    memcpy(c->points, c->lab, 3 * c->n * sizeof *c->lab);
    sos_status status = sos_colour_blur(c->width, c->height, 3, 0.003 * c->side, c->in->threads, c->points, error);
    if (!status) status = sos_steps_create(c->width, c->height, 3, c->points, 0.1 * c->side, &steps, error);
    if (!status && count) {
        status = sos_distance_geodesic(c->width, c->height, mask, &steps, c->far[SOS_SEGMENT_OBJECT], error);
        for (size_t i = 0; i < c->n && !status; i++)
            sos_canvas_map(c, SOS_MAP_FRAME_PATH)[i] = (float)sos_log((double)c->far[SOS_SEGMENT_OBJECT][i] / c->side + 0.01);
        if (!status) status = logs_find(c, mask, count, 3, c->lab, error);
        for (size_t i = 0; i < c->n && !status; i++)
            sos_canvas_map(c, SOS_MAP_FRAME_LOG)[i] = (float)fmax(c->logs[i], SOS_CANVAS_LOG_LEAST);
    }
    if (!status) sos_steps_free(&steps);
    free(mask);
    return status;
}

/* ---------------------------------------------------------------- places */

/* Where the object marks are. */
typedef struct place {
    double x, y, spread_x, spread_y;
    double left, right, top, bottom;
} place;

static place place_of(const sos_canvas *c)
{
    double x1 = 0, y1 = 0, x2 = 0, y2 = 0, count = (double)c->count[SOS_SEGMENT_OBJECT];
    place p = { .left = INFINITY, .right = -INFINITY, .top = INFINITY, .bottom = -INFINITY };
    for (size_t i = 0; i < c->n; i++) {
        if (!c->mask[SOS_SEGMENT_OBJECT][i]) continue;
        const double x = (double)(i % c->width), y = (double)(i / c->width);
        x1 += x, y1 += y, x2 += x * x, y2 += y * y;
        p.left = fmin(p.left, x), p.right = fmax(p.right, x), p.top = fmin(p.top, y), p.bottom = fmax(p.bottom, y);
    }
    p.x = x1 / count, p.y = y1 / count;
    p.spread_x = sqrt(fmax(x2 / count - p.x * p.x, 0)) + 0.02 * c->side;
    p.spread_y = sqrt(fmax(y2 / count - p.y * p.y, 0)) + 0.02 * c->side;
    return p;
}

static void places_map(const sos_canvas *c)
{
    const place p = place_of(c);
    for (size_t i = 0; i < c->n; i++) {
        const size_t column = i % c->width, row = i / c->width;
        const double x = (double)column, y = (double)row;
        const double edge = fmin(fmin(x, (double)(c->width - 1) - x), fmin(y, (double)(c->height - 1) - y));
        sos_canvas_map(c, SOS_MAP_BORDER)[i] = (float)(edge / c->side);
        if (!c->count[SOS_SEGMENT_OBJECT]) continue;
        const double aside = (x - p.x) / p.spread_x, below = (y - p.y) / p.spread_y;
        const double out_x = fmax(fmax(p.left - x, x - p.right), 0), out_y = fmax(fmax(p.top - y, y - p.bottom), 0);
        sos_canvas_map(c, SOS_MAP_CENTRE)[i] = (float)fmin(sqrt(aside * aside + below * below), 20);
        sos_canvas_map(c, SOS_MAP_ASIDE)[i] = (float)fmin(fabs(aside), 20);
        sos_canvas_map(c, SOS_MAP_BELOW)[i] = clip(below, 20);
        sos_canvas_map(c, SOS_MAP_BOX)[i] = (float)(sqrt(out_x * out_x + out_y * out_y) / c->side);
        sos_canvas_map(c, SOS_MAP_EXTENT)[i] = (float)(sqrt(p.spread_x * p.spread_y) / c->side);
    }
}

/* ---------------------------------------------------------------- all */

static sos_status blurs_map(sos_canvas *c, sos_error *error)
{
    memcpy(sos_canvas_map(c, SOS_MAP_REFINED_SOFT), sos_canvas_map(c, SOS_MAP_REFINED_RATIO), c->n * sizeof(float));
    sos_status status = SOS_OK;
    const sos_segment_map blurred[] = { SOS_MAP_REFINED_SOFT, SOS_MAP_GRABCUT, SOS_MAP_SECOND };
    for (size_t k = 0; k < 3 && !status; k++)
        status = sos_colour_blur(c->width, c->height, 1, 0.02 * c->side, c->in->threads, sos_canvas_map(c, blurred[k]), error);
    return status;
}

static sos_status maps_fill(const sos_segment_input *in, sos_segment_view *v, sos_error *error)
{
    sos_canvas c;
    sos_status status = canvas_create(in, v, &c, error);
    if (status) return status;
    status = colours_map(&c, error);
    if (!status) status = sos_canvas_superpixels(&c, error);
    if (!status) status = blurs_map(&c, error);
    if (!status) status = paths_map(&c, error);
    if (!status) status = frame_map(&c, error);
    if (!status) places_map(&c);
    canvas_free(&c);
    return status;
}

void sos_segment_view_free(sos_segment_view *v)
{
    free(v->maps);
    for (size_t k = 0; k < 2; k++) sos_mixture_free(&v->refined[k]);
    *v = (sos_segment_view){ 0 };
}

sos_status sos_segment_view_create(const sos_segment_input *in, sos_segment_view *out, sos_error *error)
{
    sos_segment_view v = { .width = in->photograph->width,
                           .height = in->photograph->height,
                           .n = sos_image_size(in->photograph) };
    v.maps = calloc(SOS_SEGMENT_MAPS * v.n, sizeof *v.maps);
    if (!v.maps) return sos_fail(error, SOS_ERR_MEMORY, "no memory for maps of %zu pixels", v.n);
    const sos_status status = maps_fill(in, &v, error);
    if (status)
        sos_segment_view_free(&v);
    else
        *out = v;
    return status;
}
