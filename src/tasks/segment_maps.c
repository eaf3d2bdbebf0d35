#include "tasks/segment_maps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sos/minimize.h>

#include "base/error.h"
#include "tasks/segment_data.h"
#include "vision/colour.h"
#include "vision/distance.h"
#include "vision/lanes.h"
#include "vision/mixture.h"
#include "vision/superpixel.h"

enum { OBJECT, BACKGROUND, SIDES };
enum {
    COMPONENTS = 5,
    START_ITERATIONS = 10,
    EM_ITERATIONS = 10,
    SEED = 1,
    SMALL = 900,
    LARGE = 120,
    POINTS_MAX = 4000,
    SAMPLE = 16000,
    LOOKS = 5,
    TURNS = 8
};
static const double PAIRS = 100; /* of GrabCut: 50, and as much again for diagonal neighbours */

typedef struct canvas {
    const sos_segment_input *in;
    size_t width, height, n;
    double side;          /* of a square of n pixels */
    uint8_t *mask[SIDES]; /* of scribbles */
    size_t count[SIDES];
    float *lab;        /* 3 n */
    float *points;     /* 3 n, scratch */
    double *logs;      /* n, scratch */
    float *far[SIDES]; /* n, scratch: distances */
    uint32_t *pieces;  /* n: superpixels */
    float *maps;
    sos_segment_view *view;
} canvas;

static float *map_of(const canvas *c, sos_segment_map map) { return c->maps + (size_t)map * c->n; }
static bool both(const canvas *c) { return c->count[OBJECT] && c->count[BACKGROUND]; }
static float clip(double x, double most) { return (float)fmax(-most, fmin(most, x)); }
static double logistic(double x) { return 1 / (1 + sos_exp(-fmax(-600, fmin(600, x)))); }

static void canvas_free(canvas *c)
{
    for (size_t k = 0; k < SIDES; k++) {
        free(c->mask[k]);
        free(c->far[k]);
    }
    free(c->lab);
    free(c->points);
    free(c->logs);
    free(c->pieces);
}

static sos_status canvas_create(const sos_segment_input *in, sos_segment_view *view, canvas *c, sos_error *error)
{
    static const uint8_t kinds[SIDES] = { SOS_SCRIBBLE_OBJECT, SOS_SCRIBBLE_BACKGROUND };
    const size_t n = sos_image_size(in->picture);
    *c = (canvas){ .in = in,
                   .width = in->picture->width,
                   .height = in->picture->height,
                   .n = n,
                   .side = sqrt((double)n),
                   .lab = malloc(3 * n * sizeof *c->lab),
                   .points = malloc(LOOKS * n * sizeof *c->points),
                   .logs = malloc(n * sizeof *c->logs),
                   .pieces = malloc(n * sizeof *c->pieces),
                   .maps = view->maps,
                   .view = view };
    bool taken = c->lab && c->points && c->logs && c->pieces;
    for (size_t k = 0; k < SIDES; k++) {
        c->mask[k] = malloc(n);
        c->far[k] = malloc(n * sizeof *c->far[k]);
        taken = taken && c->mask[k] && c->far[k];
        if (taken) c->count[k] = sos_segment_mask(in, kinds[k], c->mask[k]);
    }
    if (!taken) {
        canvas_free(c);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for maps of %zu pixels", n);
    }
    return sos_colour_lab(in->picture, in->threads, c->lab, error);
}

/* ---------------------------------------------------------------- colours */

/* log p(x | scribbles of a kind) of all pixels into c->logs. */
static sos_status logs_find(canvas *c, const uint8_t mask[], size_t count, size_t d, const float colours[], sos_error *error)
{
    const size_t every = count / POINTS_MAX + 1;
    size_t points = 0, seen = 0;
    for (size_t i = 0; i < c->n; i++)
        if (mask[i] && seen++ % every == 0) memcpy(c->points + d * points++, colours + d * i, d * sizeof *colours);
    const sos_mixture_ridge ridge = { .ridge = 2, .determinant = 0 };
    sos_mixture m;
    sos_status status = sos_mixture_create(COMPONENTS, d, &m, error);
    if (status) return status;
    status = sos_mixture_start(&m, points, c->points, START_ITERATIONS, SEED, &ridge, c->in->threads, error);
    if (!status) status = sos_mixture_improve(&m, points, c->points, EM_ITERATIONS, 1e-3, &ridge, c->in->threads, NULL, error);
    if (!status) sos_mixture_evaluate(&m, c->n, colours, c->logs, NULL, c->in->threads);
    sos_mixture_free(&m);
    return status;
}

/* The ratio of both, and where wanted the logarithms themselves. */
static sos_status ratio_map(canvas *c, size_t d, const float colours[], float ratio[], float *logs[SIDES], sos_error *error)
{
    sos_status status = SOS_OK;
    memset(ratio, 0, c->n * sizeof *ratio);
    for (size_t k = 0; k < SIDES && !status; k++) {
        if (!c->count[k]) continue;
        status = logs_find(c, c->mask[k], c->count[k], d, colours, error);
        for (size_t i = 0; i < c->n && !status; i++) {
            const double log = fmax(c->logs[i], -40);
            ratio[i] += (float)(k == OBJECT ? log : -log);
            if (logs) logs[k][i] = (float)log;
        }
    }
    for (size_t i = 0; i < c->n; i++) ratio[i] = both(c) ? clip((double)ratio[i], 20) : 0;
    return status;
}

/* Logarithms of the variance of L around each pixel. */
static sos_status roughness_find(canvas *c, double sigma, float out[], sos_error *error)
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

static sos_status textures_map(canvas *c, const float soft[], sos_error *error)
{
    float *looks = malloc(LOOKS * c->n * sizeof *looks), *rough = malloc(2 * c->n * sizeof *rough);
    sos_status status = looks && rough ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pixels", c->n);
    if (!status) status = roughness_find(c, 0.006, rough, error);
    if (!status) status = roughness_find(c, 0.02, rough + c->n, error);
    for (size_t i = 0; i < c->n && !status; i++) {
        for (size_t k = 0; k < 3; k++) looks[LOOKS * i + k] = soft[3 * i + k];
        for (size_t k = 3; k < LOOKS; k++) looks[LOOKS * i + k] = rough[(k - 3) * c->n + i];
    }
    if (!status) status = ratio_map(c, LOOKS, looks, map_of(c, SOS_MAP_TEXTURE_RATIO), NULL, error);
    free(looks);
    free(rough);
    return status;
}

static sos_status colours_map(canvas *c, sos_error *error)
{
    float *logs[SIDES] = { map_of(c, SOS_MAP_LAB_OBJECT), map_of(c, SOS_MAP_LAB_BACKGROUND) };
    sos_status status = ratio_map(c, 3, c->lab, map_of(c, SOS_MAP_LAB_RATIO), logs, error);
    float *soft = malloc(3 * c->n * sizeof *soft);
    if (!soft && !status) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for colours of %zu pixels", c->n);
    if (!status) {
        memcpy(soft, c->lab, 3 * c->n * sizeof *soft);
        status = sos_colour_blur(c->width, c->height, 3, 0.005 * c->side, c->in->threads, soft, error);
    }
    if (!status) status = ratio_map(c, 3, soft, map_of(c, SOS_MAP_SOFT_RATIO), NULL, error);
    if (!status) status = textures_map(c, soft, error);
    free(soft);
    if (status || !both(c)) return status;
    double sum[SIDES] = { 0 };
    for (size_t k = 0; k < SIDES; k++)
        for (size_t i = 0; i < c->n; i++)
            if (c->mask[k][i]) sum[k] += (double)map_of(c, SOS_MAP_LAB_RATIO)[i];
    const double apart = sum[OBJECT] / (double)c->count[OBJECT] - sum[BACKGROUND] / (double)c->count[BACKGROUND];
    for (size_t i = 0; i < c->n; i++) map_of(c, SOS_MAP_SEPARATION)[i] = (float)apart;
    return SOS_OK;
}

/* ---------------------------------------------------------------- distances */

static void ratio_of_distances(const canvas *c, float ratio[])
{
    for (size_t i = 0; i < c->n; i++)
        ratio[i] = both(c) ? c->far[OBJECT][i] / (c->far[OBJECT][i] + c->far[BACKGROUND][i] + 1e-6F) : 0.5F;
}

/* Logarithms of distances in sides; without such a scribble, of a distance that no pixel has. */
static void logs_of_distances(const canvas *c, size_t k, float logs[])
{
    for (size_t i = 0; i < c->n; i++) {
        const double far = c->count[k] ? (double)c->far[k][i] / c->side : 10;
        logs[i] = (float)sos_log(far + 0.01);
    }
}

/* Distances along paths over values of so many channels; a change by 1 is worth `contrast` sides. */
static sos_status paths_find(canvas *c, size_t channels, const float values[], double contrast, sos_error *error)
{
    sos_steps steps;
    sos_status status = sos_steps_create(c->width, c->height, channels, values, contrast * c->side, &steps, error);
    if (status) return status;
    for (size_t k = 0; k < SIDES && !status; k++)
        status = sos_distance_geodesic(c->width, c->height, c->mask[k], &steps, c->far[k], error);
    sos_steps_free(&steps);
    return status;
}

/* Distances along paths on which the chance of being object, by a ratio, changes little. */
static sos_status chances_find(canvas *c, const float ratio[], double blur, sos_error *error)
{
    for (size_t i = 0; i < c->n; i++) c->points[i] = (float)logistic((double)ratio[i]);
    const sos_status status = sos_colour_blur(c->width, c->height, 1, blur * c->side, c->in->threads, c->points, error);
    return status ? status : paths_find(c, 1, c->points, 1, error);
}

static sos_status paths_map(canvas *c, sos_error *error)
{
    sos_status status = chances_find(c, map_of(c, SOS_MAP_SOFT_RATIO), 0, error);
    if (status) return status;
    ratio_of_distances(c, map_of(c, SOS_MAP_PATH_RATIO));
    logs_of_distances(c, OBJECT, map_of(c, SOS_MAP_PATH_OBJECT));
    logs_of_distances(c, BACKGROUND, map_of(c, SOS_MAP_PATH_BACKGROUND));
    status = chances_find(c, map_of(c, SOS_MAP_REFINED_RATIO), 0.004, error);
    if (status) return status;
    ratio_of_distances(c, map_of(c, SOS_MAP_REFINED_PATH));
    memcpy(c->points, c->lab, 3 * c->n * sizeof *c->lab);
    status = sos_colour_blur(c->width, c->height, 3, 0.003 * c->side, c->in->threads, c->points, error);
    if (!status) status = paths_find(c, 3, c->points, 0.02, error);
    if (status) return status;
    ratio_of_distances(c, map_of(c, SOS_MAP_COLOUR_RATIO));
    logs_of_distances(c, OBJECT, map_of(c, SOS_MAP_COLOUR_OBJECT));
    logs_of_distances(c, BACKGROUND, map_of(c, SOS_MAP_COLOUR_BACKGROUND));
    for (size_t k = 0; k < SIDES && !status; k++)
        status = sos_distance_euclidean(c->width, c->height, c->mask[k], c->in->threads, c->far[k], error);
    if (status) return status;
    ratio_of_distances(c, map_of(c, SOS_MAP_EUCLID_RATIO));
    logs_of_distances(c, OBJECT, map_of(c, SOS_MAP_EUCLID_OBJECT));
    logs_of_distances(c, BACKGROUND, map_of(c, SOS_MAP_EUCLID_BACKGROUND));
    return SOS_OK;
}

/* The frame of the picture, but where object scribbles are near, and background scribbles; c->far has distances as the crow
 * flies. */
static size_t frame_mask(const canvas *c, uint8_t mask[])
{
    const double wide = 0.01 * c->side;
    size_t count = 0;
    for (size_t i = 0; i < c->n; i++) {
        const double x = (double)(i % c->width), y = (double)(i / c->width);
        const double edge = fmin(fmin(x, (double)(c->width - 1) - x), fmin(y, (double)(c->height - 1) - y));
        const bool frame = edge < wide && (!c->count[OBJECT] || (double)c->far[OBJECT][i] > 0.15 * c->side);
        count += mask[i] = frame || c->mask[BACKGROUND][i];
    }
    return count;
}

static sos_status frame_map(canvas *c, sos_error *error)
{
    uint8_t *mask = malloc(c->n);
    if (!mask) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a mask of %zu pixels", c->n);
    const size_t count = frame_mask(c, mask);
    sos_steps steps;
    memcpy(c->points, c->lab, 3 * c->n * sizeof *c->lab);
    sos_status status = sos_colour_blur(c->width, c->height, 3, 0.003 * c->side, c->in->threads, c->points, error);
    if (!status) status = sos_steps_create(c->width, c->height, 3, c->points, 0.1 * c->side, &steps, error);
    if (!status && count) {
        status = sos_distance_geodesic(c->width, c->height, mask, &steps, c->far[OBJECT], error);
        for (size_t i = 0; i < c->n && !status; i++)
            map_of(c, SOS_MAP_FRAME_PATH)[i] = (float)sos_log((double)c->far[OBJECT][i] / c->side + 0.01);
        if (!status) status = logs_find(c, mask, count, 3, c->lab, error);
        for (size_t i = 0; i < c->n && !status; i++) map_of(c, SOS_MAP_FRAME_LOG)[i] = (float)fmax(c->logs[i], -40);
    }
    if (!status) sos_steps_free(&steps);
    free(mask);
    return status;
}

/* ---------------------------------------------------------------- places */

/* Where the object scribbles are. */
typedef struct place {
    double x, y, spread_x, spread_y;
    double left, right, top, bottom;
} place;

static place place_of(const canvas *c)
{
    double x1 = 0, y1 = 0, x2 = 0, y2 = 0, count = (double)c->count[OBJECT];
    place p = { .left = INFINITY, .right = -INFINITY, .top = INFINITY, .bottom = -INFINITY };
    for (size_t i = 0; i < c->n; i++) {
        if (!c->mask[OBJECT][i]) continue;
        const double x = (double)(i % c->width), y = (double)(i / c->width);
        x1 += x, y1 += y, x2 += x * x, y2 += y * y;
        p.left = fmin(p.left, x), p.right = fmax(p.right, x), p.top = fmin(p.top, y), p.bottom = fmax(p.bottom, y);
    }
    p.x = x1 / count, p.y = y1 / count;
    p.spread_x = sqrt(fmax(x2 / count - p.x * p.x, 0)) + 0.02 * c->side;
    p.spread_y = sqrt(fmax(y2 / count - p.y * p.y, 0)) + 0.02 * c->side;
    return p;
}

static void places_map(const canvas *c)
{
    const place p = place_of(c);
    for (size_t i = 0; i < c->n; i++) {
        const size_t column = i % c->width, row = i / c->width;
        const double x = (double)column, y = (double)row;
        const double edge = fmin(fmin(x, (double)(c->width - 1) - x), fmin(y, (double)(c->height - 1) - y));
        map_of(c, SOS_MAP_BORDER)[i] = (float)(edge / c->side);
        if (!c->count[OBJECT]) continue;
        const double aside = (x - p.x) / p.spread_x, below = (y - p.y) / p.spread_y;
        const double out_x = fmax(fmax(p.left - x, x - p.right), 0), out_y = fmax(fmax(p.top - y, y - p.bottom), 0);
        map_of(c, SOS_MAP_CENTRE)[i] = (float)fmin(sqrt(aside * aside + below * below), 20);
        map_of(c, SOS_MAP_ASIDE)[i] = (float)fmin(fabs(aside), 20);
        map_of(c, SOS_MAP_BELOW)[i] = clip(below, 20);
        map_of(c, SOS_MAP_BOX)[i] = (float)(sqrt(out_x * out_x + out_y * out_y) / c->side);
        map_of(c, SOS_MAP_EXTENT)[i] = (float)(sqrt(p.spread_x * p.spread_y) / c->side);
    }
}

/* ---------------------------------------------------------------- superpixels */

typedef struct piece {
    double pixels, lab[3], x, y;
    double scribbled[SIDES];
    double ratio;
} piece;

static sos_status pieces_find(canvas *c, size_t wanted, piece **out, size_t *count, sos_error *error)
{
    sos_superpixel_settings s = sos_superpixel_defaults();
    s.count = wanted < c->n ? wanted : c->n;
    s.threads = c->in->threads;
    sos_status status = sos_superpixels(c->in->picture, &s, c->pieces, count, error);
    if (status) return status;
    piece *pieces = calloc(*count, sizeof *pieces);
    if (!pieces) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu superpixels", *count);
    for (size_t i = 0; i < c->n; i++) {
        piece *p = &pieces[c->pieces[i]];
        p->pixels++;
        for (size_t k = 0; k < 3; k++) p->lab[k] += (double)c->lab[3 * i + k];
        for (size_t k = 0; k < SIDES; k++) p->scribbled[k] += c->mask[k][i];
        p->x += (double)(i % c->width), p->y += (double)(i / c->width);
        p->ratio += (double)map_of(c, SOS_MAP_LAB_RATIO)[i];
    }
    for (piece *p = pieces; p < pieces + *count; p++) {
        for (size_t k = 0; k < 3; k++) p->lab[k] /= p->pixels;
        p->x /= p->pixels * c->side, p->y /= p->pixels * c->side;
        p->ratio /= p->pixels;
    }
    *out = pieces;
    return SOS_OK;
}

/* Means of a map over the pieces. */
static void pieces_pool(const canvas *c, size_t count, const piece pieces[], sos_segment_map from, float means[])
{
    memset(means, 0, count * sizeof *means);
    for (size_t i = 0; i < c->n; i++) means[c->pieces[i]] += map_of(c, from)[i];
    for (size_t p = 0; p < count; p++) means[p] /= (float)pieces[p].pixels;
}

static void pieces_paint(const canvas *c, const float values[], sos_segment_map map)
{
    float *out = map_of(c, map);
    for (size_t i = 0; i < c->n; i++) out[i] = values[c->pieces[i]];
}

static double colours_apart(const piece *a, const piece *b)
{
    double sum = 0;
    for (size_t k = 0; k < 3; k++) sum += (a->lab[k] - b->lab[k]) * (a->lab[k] - b->lab[k]);
    return sum;
}

static double places_apart(const piece *a, const piece *b)
{
    return (a->x - b->x) * (a->x - b->x) + (a->y - b->y) * (a->y - b->y);
}

/* links[a * count + b] = length of their common outline; edges: where colours differ across it, less. */
static void links_count(const canvas *c, size_t count, float links[], float soft[])
{
    const double beta = sos_segment_beta(c->in->picture);
    memset(links, 0, count * count * sizeof *links);
    memset(soft, 0, count * count * sizeof *soft);
    for (size_t i = 0; i < c->n; i++) {
        const uint32_t a = c->pieces[i];
        const size_t neighbours[2] = { i % c->width + 1 < c->width ? i + 1 : i, i + c->width < c->n ? i + c->width : i };
        for (size_t k = 0; k < 2; k++) {
            const uint32_t b = c->pieces[neighbours[k]];
            if (a == b) continue;
            const float like = (float)sos_exp(-beta * sos_segment_difference(c->in->picture, i, neighbours[k]));
            links[a * count + b]++, links[b * count + a]++;
            soft[a * count + b] += like, soft[b * count + a] += like;
        }
    }
}

/* Harmonic functions on a graph whose edges have these strengths, tied to values by weights; Gauss-Seidel. */
typedef struct walk {
    size_t count, edges;
    size_t *start;
    uint32_t *to;
    float *strength;
    float *tied, *weight, *value;
} walk;

static void walk_run(walk *w, size_t rounds)
{
    for (size_t i = 0; i < w->count; i++) w->value[i] = w->tied[i];
    for (size_t r = 0; r < rounds; r++)
        for (size_t k = 0; k < w->count; k++) {
            const size_t i = r % 2 ? w->count - 1 - k : k;
            float sum = w->weight[i] * w->tied[i], mass = w->weight[i];
            for (size_t e = w->start[i]; e < w->start[i + 1]; e++) {
                sum += w->strength[e] * w->value[w->to[e]];
                mass += w->strength[e];
            }
            if (mass > 0) w->value[i] = sum / mass;
        }
}

static void walk_tie(walk *w, const piece pieces[], float prior)
{
    for (size_t i = 0; i < w->count; i++) {
        const piece *p = &pieces[i];
        const double marks = p->scribbled[OBJECT] + p->scribbled[BACKGROUND];
        w->weight[i] = marks > 0 ? 1e4F : prior;
        w->tied[i] = (float)(marks > 0 ? p->scribbled[OBJECT] / marks : logistic(p->ratio));
    }
}

static void walk_edges(walk *w, const piece pieces[], const float links[], bool far)
{
    w->edges = 0;
    for (size_t i = 0; i < w->count; i++) {
        w->start[i] = w->edges;
        for (size_t j = 0; j < w->count; j++) {
            const double colour = colours_apart(&pieces[i], &pieces[j]);
            double strength = 0;
            if (i == j) continue;
            if (links[i * w->count + j] > 0) strength += (double)links[i * w->count + j] * 0.1 * sos_exp(-colour / 72);
            if (far && colour < 100) strength += 0.1 * sos_exp(-colour / 18 - places_apart(&pieces[i], &pieces[j]) / 0.08);
            if (strength < 1e-5) continue;
            w->to[w->edges] = (uint32_t)j;
            w->strength[w->edges++] = (float)strength;
        }
    }
    w->start[w->count] = w->edges;
}

static void nearest_find(size_t count, const piece pieces[], float out[])
{
    for (size_t i = 0; i < count; i++) {
        double least[SIDES] = { INFINITY, INFINITY };
        for (size_t j = 0; j < count; j++)
            for (size_t k = 0; k < SIDES; k++)
                if (pieces[j].scribbled[k] > 0)
                    least[k] = fmin(least[k],
                                    colours_apart(&pieces[i], &pieces[j]) + 900 * places_apart(&pieces[i], &pieces[j]));
        const double o = sqrt(least[OBJECT]) + 1, b = sqrt(least[BACKGROUND]) + 1;
        out[i] = isfinite(o) && isfinite(b) ? (float)(o / (o + b)) : 0.5F;
    }
}

static void walks_run(canvas *c, walk *w, const piece pieces[], const float links[])
{
    pieces_pool(c, w->count, pieces, SOS_MAP_LAB_RATIO, w->value);
    pieces_paint(c, w->value, SOS_MAP_SMALL_RATIO);
    nearest_find(w->count, pieces, w->value);
    pieces_paint(c, w->value, SOS_MAP_NEAREST);
    walk_edges(w, pieces, links, false);
    walk_tie(w, pieces, 0.001F);
    walk_run(w, 200);
    pieces_paint(c, w->value, SOS_MAP_WALK);
    walk_tie(w, pieces, 0.1F);
    walk_run(w, 60);
    pieces_paint(c, w->value, SOS_MAP_WALK_PRIOR);
    walk_edges(w, pieces, links, true);
    walk_tie(w, pieces, 0.05F);
    walk_run(w, 60);
    pieces_paint(c, w->value, SOS_MAP_WALK_FAR);
}

/* ---------------------------------------------------------------- GrabCut on superpixels */

/* Some pixels stand for all. */
typedef struct sample {
    size_t count;
    float *colours; /* 3 each */
    uint32_t *piece;
    float *side_colours; /* scratch: those of one side */
    uint32_t *component; /* scratch */
    uint8_t *best;       /* scratch */
    double *logs;        /* scratch */
} sample;

static void sample_free(sample *s)
{
    free(s->colours);
    free(s->piece);
    free(s->side_colours);
    free(s->component);
    free(s->best);
    free(s->logs);
}

static sos_status sample_create(const canvas *c, sample *s, sos_error *error)
{
    const size_t every = c->n / SAMPLE + 1, room = c->n / every + 1;
    *s = (sample){ .colours = malloc(3 * room * sizeof *s->colours),
                   .piece = malloc(room * sizeof *s->piece),
                   .side_colours = malloc(3 * room * sizeof *s->side_colours),
                   .component = malloc(room * sizeof *s->component),
                   .best = malloc(room),
                   .logs = malloc(room * sizeof *s->logs) };
    if (!s->colours || !s->piece || !s->side_colours || !s->component || !s->best || !s->logs) {
        sample_free(s);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for a sample of %zu pixels", room);
    }
    for (size_t i = 0; i < c->n; i += every, s->count++) {
        memcpy(s->colours + 3 * s->count, c->lab + 3 * i, 3 * sizeof *s->colours);
        s->piece[s->count] = c->pieces[i];
    }
    return SOS_OK;
}

/* Learns the mixture of one side from the sample. */
static sos_status side_learn(const canvas *c, sample *s, const uint8_t labels[], uint8_t side, bool first, sos_mixture *m,
                             sos_error *error)
{
    const sos_mixture_ridge ridge = { .ridge = 2, .determinant = 0 };
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++)
        if (labels[s->piece[i]] == side) memcpy(s->side_colours + 3 * n++, s->colours + 3 * i, 3 * sizeof *s->colours);
    if (!n) return SOS_OK;
    if (first) return sos_mixture_start(m, n, s->side_colours, START_ITERATIONS, SEED, &ridge, c->in->threads, error);
    sos_mixture_evaluate(m, n, s->side_colours, NULL, s->best, c->in->threads);
    for (size_t i = 0; i < n; i++) s->component[i] = s->best[i];
    return sos_mixture_learn(m, n, s->side_colours, s->component, &ridge, error);
}

typedef struct cutting {
    size_t count;
    const piece *pieces;
    const float *soft;
    sample sample;
    sos_mixture mixtures[2]; /* of labels 0 and 1 */
    double *costs[2];        /* of pieces, scratch */
    uint8_t *labels, *next;
} cutting;

static int fixed_label(const piece *p)
{
    if (p->scribbled[OBJECT] + p->scribbled[BACKGROUND] <= 0) return SOS_FREE;
    return p->scribbled[OBJECT] >= p->scribbled[BACKGROUND];
}

static sos_status pairs_add(const cutting *t, sos_energy *e, sos_error *error)
{
    static const double potts[4] = { 0, 1, 1, 0 };
    uint32_t table;
    sos_status status = sos_energy_add_table(e, 2, potts, &table, error);
    for (size_t a = 0; a < t->count && !status; a++)
        for (size_t b = 0; b < a && !status; b++) {
            const double strength = (double)t->soft[a * t->count + b] * PAIRS;
            const uint32_t members[2] = { (uint32_t)a, (uint32_t)b };
            if (strength > 0) status = sos_energy_add_cliques(e, table, 1, members, &strength, error);
        }
    return status;
}

/* The means of -log p over each piece, times its pixels. */
static void costs_find(const canvas *c, cutting *t)
{
    for (size_t k = 0; k < 2; k++) {
        memset(t->costs[k], 0, t->count * sizeof **t->costs);
        sos_mixture_evaluate(&t->mixtures[k], t->sample.count, t->sample.colours, t->sample.logs, NULL, c->in->threads);
        for (size_t i = 0; i < t->sample.count; i++) t->costs[k][t->sample.piece[i]] -= fmax(t->sample.logs[i], -40);
    }
    const double share = (double)c->n / (double)t->sample.count;
    for (size_t p = 0; p < t->count; p++)
        for (size_t k = 0; k < 2; k++) t->costs[k][p] *= share;
}

/* One turn: mixtures, then a cut.  *changed: the labels are others than before. */
static sos_status cutting_turn(const canvas *c, cutting *t, sos_energy *e, bool first, bool *changed, sos_error *error)
{
    sos_status status = SOS_OK;
    for (uint8_t k = 0; k < 2 && !status; k++) status = side_learn(c, &t->sample, t->labels, k, first, &t->mixtures[k], error);
    if (status) return status;
    costs_find(c, t);
    status = sos_energy_set_unaries(e, t->costs[0], t->costs[1], error);
    if (!status) status = sos_minimize(e, NULL, t->next, NULL, error);
    if (status) return status;
    *changed = memcmp(t->next, t->labels, t->count) != 0;
    memcpy(t->labels, t->next, t->count);
    return SOS_OK;
}

static sos_status cutting_run(const canvas *c, cutting *t, sos_error *error)
{
    sos_energy *e;
    sos_status status = sos_energy_create(t->count, &e, error);
    if (status) return status;
    status = pairs_add(t, e, error);
    for (size_t p = 0; p < t->count && !status; p++) status = sos_energy_fix(e, p, fixed_label(&t->pieces[p]), error);
    bool changed = true;
    for (size_t turn = 0; turn < TURNS && changed && !status; turn++)
        status = cutting_turn(c, t, e, turn == 0, &changed, error);
    sos_energy_free(e);
    return status;
}

/* From what the map says pieces are, above one half; ratio and labels receive the outcome. */
static sos_status cut_map(canvas *c, cutting *t, const float start[], sos_segment_map ratio, sos_segment_map label,
                          sos_error *error)
{
    for (size_t p = 0; p < t->count; p++) {
        const int fixed = fixed_label(&t->pieces[p]);
        t->labels[p] = fixed == SOS_FREE ? start && start[p] > 0.5F : (uint8_t)fixed;
    }
    sos_status status = cutting_run(c, t, error);
    for (size_t k = 0; k < 2 && !status; k++) {
        sos_mixture_evaluate(&t->mixtures[k], c->n, c->lab, c->logs, NULL, c->in->threads);
        for (size_t i = 0; i < c->n; i++) map_of(c, ratio)[i] += (float)((k ? 1 : -1) * fmax(c->logs[i], -40));
    }
    for (size_t i = 0; i < c->n && !status; i++) {
        map_of(c, ratio)[i] = clip((double)map_of(c, ratio)[i], 20);
        map_of(c, label)[i] = t->labels[c->pieces[i]];
    }
    return status;
}

static sos_status cuts_map(canvas *c, size_t count, const piece pieces[], const float soft[], const float start[],
                           sos_error *error)
{
    cutting t = { .count = count, .pieces = pieces, .soft = soft };
    sos_status status = sample_create(c, &t.sample, error);
    for (size_t k = 0; k < 2 && !status; k++) {
        t.costs[k] = malloc(count * sizeof *t.costs[k]);
        status = sos_mixture_create(COMPONENTS, 3, &t.mixtures[k], error);
    }
    t.labels = malloc(count);
    t.next = malloc(count);
    if (!status && (!t.costs[0] || !t.costs[1] || !t.labels || !t.next))
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu superpixels", count);
    if (!status) status = cut_map(c, &t, NULL, SOS_MAP_REFINED_RATIO, SOS_MAP_GRABCUT, error);
    for (size_t k = 0; k < 2 && !status; k++) status = sos_mixture_copy(&t.mixtures[k], &c->view->refined[k], error);
    if (!status) status = cut_map(c, &t, start, SOS_MAP_SECOND_RATIO, SOS_MAP_SECOND, error);
    sample_free(&t.sample);
    for (size_t k = 0; k < 2; k++) {
        sos_mixture_free(&t.mixtures[k]);
        free(t.costs[k]);
    }
    free(t.labels);
    free(t.next);
    return status;
}

static sos_status walks_map(canvas *c, const piece pieces[], size_t count, sos_error *error)
{
    walk w = { .count = count,
               .start = malloc((count + 1) * sizeof *w.start),
               .to = malloc(count * count * sizeof *w.to),
               .strength = malloc(count * count * sizeof *w.strength),
               .tied = malloc(count * sizeof *w.tied),
               .weight = malloc(count * sizeof *w.weight),
               .value = malloc(count * sizeof *w.value) };
    float *links = malloc(count * count * sizeof *links), *soft = malloc(count * count * sizeof *soft);
    sos_status status = SOS_OK;
    if (w.start && w.to && w.strength && w.tied && w.weight && w.value && links && soft) {
        links_count(c, count, links, soft);
        walks_run(c, &w, pieces, links);
        status = cuts_map(c, count, pieces, soft, w.value, error);
        pieces_pool(c, count, pieces, SOS_MAP_REFINED_RATIO, w.value);
        pieces_paint(c, w.value, SOS_MAP_SMALL_REFINED);
        pieces_pool(c, count, pieces, SOS_MAP_SECOND_RATIO, w.value);
        pieces_paint(c, w.value, SOS_MAP_SMALL_SECOND);
    } else
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for a graph of %zu superpixels", count);
    free(w.start);
    free(w.to);
    free(w.strength);
    free(w.tied);
    free(w.weight);
    free(w.value);
    free(links);
    free(soft);
    return status;
}

static sos_status pieces_map(canvas *c, sos_error *error)
{
    if (!both(c)) return SOS_OK;
    piece *pieces = NULL;
    size_t count = 0;
    sos_status status = pieces_find(c, SMALL, &pieces, &count, error);
    if (!status) status = walks_map(c, pieces, count, error);
    free(pieces);
    return status;
}

static sos_status large_map(canvas *c, sos_error *error)
{
    if (!both(c)) return SOS_OK;
    piece *pieces = NULL;
    size_t count = 0;
    sos_status status = pieces_find(c, LARGE, &pieces, &count, error);
    float *means = status ? NULL : malloc(count * sizeof *means);
    if (!status && !means) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu superpixels", count);
    if (!status) {
        pieces_pool(c, count, pieces, SOS_MAP_LAB_RATIO, means);
        pieces_paint(c, means, SOS_MAP_LARGE_RATIO);
        pieces_pool(c, count, pieces, SOS_MAP_REFINED_RATIO, means);
        pieces_paint(c, means, SOS_MAP_LARGE_REFINED);
        pieces_pool(c, count, pieces, SOS_MAP_WALK_FAR, means);
        pieces_paint(c, means, SOS_MAP_LARGE_WALK);
    }
    free(means);
    free(pieces);
    return status;
}

static sos_status blurs_map(canvas *c, sos_error *error)
{
    memcpy(map_of(c, SOS_MAP_REFINED_SOFT), map_of(c, SOS_MAP_REFINED_RATIO), c->n * sizeof(float));
    sos_status status = SOS_OK;
    const sos_segment_map blurred[] = { SOS_MAP_REFINED_SOFT, SOS_MAP_GRABCUT, SOS_MAP_SECOND };
    for (size_t k = 0; k < 3 && !status; k++)
        status = sos_colour_blur(c->width, c->height, 1, 0.02 * c->side, c->in->threads, map_of(c, blurred[k]), error);
    return status;
}

#ifdef SEGMENT_TIMES
#include "base/clock.h"
#include <stdio.h>
#define TIMED(call)                                                                                                            \
    do {                                                                                                                       \
        double t = sos_seconds();                                                                                              \
        status = status ? status : (call);                                                                                     \
        fprintf(stderr, "%-30s %.3f\n", #call, sos_seconds() - t);                                                             \
    } while (0)
#else
#define TIMED(call) status = status ? status : (call)
#endif
static sos_status maps_fill(const sos_segment_input *in, sos_segment_view *v, sos_error *error)
{
    canvas c;
    sos_status status = canvas_create(in, v, &c, error);
    if (status) return status;
    TIMED(colours_map(&c, error));
    TIMED(pieces_map(&c, error));
    TIMED(large_map(&c, error));
    TIMED(blurs_map(&c, error));
    TIMED(paths_map(&c, error));
    TIMED(frame_map(&c, error));
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
    sos_segment_view v = { .width = in->picture->width, .height = in->picture->height, .n = sos_image_size(in->picture) };
    v.maps = calloc(SOS_SEGMENT_MAPS * v.n, sizeof *v.maps);
    if (!v.maps) return sos_fail(error, SOS_ERR_MEMORY, "no memory for maps of %zu pixels", v.n);
    const sos_status status = maps_fill(in, &v, error);
    if (status)
        sos_segment_view_free(&v);
    else
        *out = v;
    return status;
}
