#include "vision/grabcut.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sos/minimize.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "vision/contrast.h"
#include "vision/marks.h"

enum { BACKGROUND, OBJECT, KMEANS_ITERATIONS = 10, NEIGHBOURS = 4, TILE = 16 };

/* Half of the 8 neighbours; the other half comes from the other side. */
static const int RIGHT[NEIGHBOURS] = { 1, -1, 0, 1 }, DOWN[NEIGHBOURS] = { 0, 1, 1, 1 };

/* Variables are pixels in the order of tiles, row by row within a tile: what the flow visits together lies together. */
typedef struct cut {
    const sos_image *image;
    uint32_t *variable; /* of every pixel */
    uint8_t *colours;   /* n * 3; from here on by variable */
    uint8_t *marks;
    const sos_grabcut_settings *settings;
    size_t n;
    double beta;
    double unit; /* all costs of the energy are multiples of this, and counted in it */
    sos_energy *energy;
    sos_minimizer *minimizer;
    sos_mixture mixtures[2];
    float *points;      /* n * 3 */
    double *logs[2];    /* log p(x_i | background), log p(x_i | object) */
    double *costs[2];   /* of either label, in units */
    uint8_t *best[2];   /* component of either mixture that fits best */
    uint8_t *component; /* of the pixel's own mixture */
    uint8_t *labels;    /* 0 background, 1 object */
    uint8_t *was[2];    /* labels and components one iteration before */
    void *block;
} cut;

sos_grabcut_settings sos_grabcut_defaults(void)
{
    return (sos_grabcut_settings){ .components = 5, .iterations = 10, .gamma = 50 };
}

static void lay_out(cut *c, sos_arena *arena)
{
    c->variable = sos_arena_take(arena, c->n, sizeof *c->variable);
    c->colours = sos_arena_take(arena, c->n, 3);
    c->marks = sos_arena_take(arena, c->n, 1);
    c->points = sos_arena_take(arena, c->n, 3 * sizeof *c->points);
    for (int side = 0; side < 2; side++) {
        c->logs[side] = sos_arena_take(arena, c->n, sizeof(double));
        c->costs[side] = sos_arena_take(arena, c->n, sizeof(double));
        c->best[side] = sos_arena_take(arena, c->n, 1);
        c->was[side] = sos_arena_take(arena, c->n, 1);
    }
    c->component = sos_arena_take(arena, c->n, 1);
    c->labels = sos_arena_take(arena, c->n, 1);
}

static void order_tile(cut *c, size_t left, size_t top, const uint8_t marks[], uint32_t *next)
{
    const size_t width = c->image->width, height = c->image->height;
    for (size_t y = top; y < height && y < top + TILE; y++)
        for (size_t x = left; x < width && x < left + TILE; x++) {
            const size_t pixel = y * width + x, v = (*next)++;
            c->variable[pixel] = (uint32_t)v;
            c->marks[v] = marks[pixel];
            c->labels[v] = sos_mark_is_object(marks[pixel]);
            memcpy(c->colours + 3 * v, c->image->pixels + 3 * pixel, 3);
        }
}

static sos_status cut_create(cut *c, const uint8_t marks[], sos_error *error)
{
    sos_arena arena = { 0 };
    lay_out(c, &arena);
    c->block = arena.overflowed ? NULL : sos_block_alloc(arena.used);
    if (!c->block) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a cut of %zu pixels", c->n);
    arena = (sos_arena){ .base = c->block };
    lay_out(c, &arena);
    uint32_t next = 0;
    for (size_t y = 0; y < c->image->height; y += TILE)
        for (size_t x = 0; x < c->image->width; x += TILE) order_tile(c, x, y, marks, &next);
    for (size_t i = 0; i < 3 * c->n; i++) c->points[i] = (float)c->colours[i];
    sos_status status = sos_minimizer_create(&c->minimizer, error);
    for (int side = 0; side < 2 && !status; side++)
        status = sos_mixture_create(c->settings->components, 3, &c->mixtures[side], error);
    return status;
}

static void cut_free(cut *c)
{
    sos_energy_free(c->energy);
    sos_minimizer_free(c->minimizer);
    sos_mixture_free(&c->mixtures[0]);
    sos_mixture_free(&c->mixtures[1]);
    sos_block_free(c->block);
}

/* ---------------------------------------------------------------- pairs */

/* Pairs of neighbours that begin in one row of one tile. */
typedef struct pair_row {
    size_t count;
    uint32_t members[2 * NEIGHBOURS * TILE];
    uint32_t squares[NEIGHBOURS * TILE]; /* |x_i - x_j|^2 */
    double weights[NEIGHBOURS * TILE];   /* 1 / |ij| at first, then in units */
} pair_row;

static void list_pairs(const cut *c, size_t left, size_t y, pair_row *row)
{
    const size_t width = c->image->width, end = left + TILE < width ? left + TILE : width;
    row->count = 0;
    for (size_t x = left; x < end; x++)
        for (int k = 0; k < NEIGHBOURS; k++) {
            const size_t x2 = x + (size_t)RIGHT[k], y2 = y + (size_t)DOWN[k]; /* x - 1 may wrap around, to more than width */
            if (x2 >= width || y2 >= c->image->height) continue;
            const size_t i = y * width + x, j = y2 * width + x2;
            row->members[2 * row->count] = c->variable[i];
            row->members[2 * row->count + 1] = c->variable[j];
            row->squares[row->count] = sos_contrast_square(c->image->pixels + 3 * i, c->image->pixels + 3 * j);
            row->weights[row->count++] = RIGHT[k] && DOWN[k] ? 0x1.6a09e667f3bcdp-1 : 1;
        }
}

/* Whole numbers of units: then the flow computes with 32-bit integers that are exactly these costs, and every iteration can
 * start from the flow of the one before. */
static void weigh_pairs(const cut *c, pair_row *row)
{
    const double strength = c->settings->gamma / c->unit;
    double likeness[NEIGHBOURS * TILE];
    sos_contrast_weights(c->beta, row->count, row->squares, likeness);
    for (size_t k = 0; k < row->count; k++) row->weights[k] = rint(row->weights[k] * likeness[k] * strength);
}

/* The pairs of a row of tiles, tile by tile. */
static sos_status add_pairs(cut *c, uint32_t table, size_t top, pair_row *row, sos_error *error)
{
    const size_t width = c->image->width, height = c->image->height;
    sos_status status = SOS_OK;
    for (size_t left = 0; left < width; left += TILE)
        for (size_t y = top; y < height && y < top + TILE && !status; y++) {
            list_pairs(c, left, y, row);
            weigh_pairs(c, row);
            status = sos_energy_add_cliques(c->energy, table, row->count, row->members, row->weights, error);
        }
    return status;
}

/* No cost of a pixel is more than 9 gamma, which outweighs its 8 pairs; with these it is 17 gamma, and less than 2^29 units. */
static sos_status build_energy(cut *c, sos_error *error)
{
    static const double DIFFER[4] = { 0, 1, 1, 0 };
    const size_t width = c->image->width, height = c->image->height;
    pair_row row;
    uint32_t table = 0;
    int exponent;
    frexp(17 * c->settings->gamma, &exponent);
    c->unit = ldexp(1, exponent - 29);
    c->beta = sos_contrast_beta(c->image, 8);
    sos_status status = sos_energy_create(c->n, &c->energy, error);
    if (!status) status = sos_energy_add_table(c->energy, 2, DIFFER, &table, error);
    if (!status) status = sos_energy_reserve(c->energy, table, 4 * width * height + 2 - 3 * (width + height), error);
    for (size_t y = 0; y < height && !status; y += TILE) status = add_pairs(c, table, y, &row, error);
    return status;
}

/* ---------------------------------------------------------------- mixtures */

static sos_status start_mixture(cut *c, int side, float samples[], sos_error *error)
{
    const sos_mixture_ridge ridge = sos_mixture_ridge_grabcut();
    size_t count = 0;
    for (size_t i = 0; i < c->n; i++) { /* in the order of pixels, so that tiles are nobody else's matter */
        const size_t v = c->variable[i];
        if (c->labels[v] == side) memcpy(samples + 3 * count++, c->points + 3 * v, 3 * sizeof *samples);
    }
    return sos_mixture_start(&c->mixtures[side], count, samples, KMEANS_ITERATIONS, c->settings->seed + (uint64_t)side, &ridge,
                             c->settings->threads, error);
}

static sos_status start_mixtures(cut *c, sos_error *error)
{
    float *samples = malloc(c->n * 3 * sizeof *samples);
    sos_status status = SOS_OK;
    if (!samples) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for the colours of %zu pixels", c->n);
    for (int side = 0; side < 2 && !status; side++) status = start_mixture(c, side, samples, error);
    free(samples);
    return status;
}

/* Counts, sums and products of the colours of a component; integers, so exact. */
typedef struct moments {
    int64_t count, sum[3], product[6];
} moments;

static void moments_add(moments *m, const uint8_t x[3])
{
    const int32_t r = x[0], g = x[1], b = x[2];
    m->count++;
    m->sum[0] += r;
    m->sum[1] += g;
    m->sum[2] += b;
    m->product[0] += r * r;
    m->product[1] += g * r;
    m->product[2] += g * g;
    m->product[3] += b * r;
    m->product[4] += b * g;
    m->product[5] += b * b;
}

static sos_status component_learn(sos_mixture *mixture, size_t number, const moments *m, int64_t total, sos_error *error)
{
    const sos_mixture_ridge ridge = sos_mixture_ridge_grabcut();
    const double n = m->count ? (double)m->count : 1;
    double mean[3], covariance[9];
    for (size_t i = 0, p = 0; i < 3; i++) {
        mean[i] = (double)m->sum[i] / n;
        for (size_t j = 0; j <= i; j++) {
            const double exact = (double)m->product[p++] - mean[j] * (double)m->sum[i];
            covariance[3 * i + j] = covariance[3 * j + i] = exact / n;
        }
    }
    return sos_mixture_set(mixture, number, m->count ? n / (double)total : 0, mean, covariance, &ridge, error);
}

/* Every pixel's component is the one of its own mixture that fits it best; the mixtures are learned from these. */
static sos_status learn_mixtures(cut *c, sos_error *error)
{
    static const moments NONE;
    moments sums[2][SOS_MIXTURE_COMPONENTS_MAX];
    const size_t components = c->settings->components;
    for (size_t k = 0; k < components; k++) sums[0][k] = sums[1][k] = NONE;
    for (size_t i = 0; i < c->n; i++) {
        const uint8_t label = c->labels[i];
        c->component[i] = c->best[label][i];
        moments_add(&sums[label][c->component[i]], c->colours + 3 * i);
    }
    sos_status status = SOS_OK;
    for (int side = 0; side < 2; side++) {
        int64_t total = 0;
        for (size_t k = 0; k < components; k++) total += sums[side][k].count;
        if (!total) continue; /* a side that has lost all its pixels keeps its mixture */
        for (size_t k = 0; k < components && !status; k++)
            status = component_learn(&c->mixtures[side], k, &sums[side][k], total, error);
    }
    return status;
}

static void evaluate_mixtures(cut *c)
{
    for (int side = 0; side < 2; side++)
        sos_mixture_evaluate(&c->mixtures[side], c->n, c->points, c->logs[side], c->best[side], c->settings->threads);
}

/* ---------------------------------------------------------------- iterations */

/* Only the difference between the labels matters, and none over 9 gamma. */
static void set_costs(cut *c)
{
    const double most = rint(9 * c->settings->gamma / c->unit), scale = 1 / c->unit;
    for (size_t i = 0; i < c->n; i++) {
        double gain = rint((c->logs[OBJECT][i] - c->logs[BACKGROUND][i]) * scale);
        if (sos_mark_is_sure(c->marks[i])) gain = c->marks[i] == SOS_MARK_OBJECT ? most : -most;
        gain = gain < most ? gain : most;
        gain = gain > -most ? gain : -most;
        c->costs[BACKGROUND][i] = gain > 0 ? gain : 0;
        c->costs[OBJECT][i] = gain < 0 ? -gain : 0;
    }
}

/* E of the labels, by the definition. */
static double label_energy(const cut *c)
{
    double sum = 0, pairs = 0;
    for (size_t i = 0; i < c->n; i++)
        if (!sos_mark_is_sure(c->marks[i])) sum -= c->logs[c->labels[i]][i];
    for (size_t k = 0; k < sos_energy_cliques(c->energy); k++) {
        const sos_clique pair = sos_energy_clique(c->energy, k);
        if (c->labels[pair.variables[0]] != c->labels[pair.variables[1]]) pairs += pair.weight;
    }
    return sum + pairs * c->unit;
}

static sos_status minimise(cut *c, size_t iteration, sos_error *error)
{
    sos_minimize_settings s = sos_minimize_defaults();
    sos_grabcut_step *step = c->settings->steps ? &c->settings->steps[iteration] : NULL;
    s.start = SOS_START_FLOW;
    set_costs(c);
    if (step) step->before = label_energy(c);
    sos_status status = sos_energy_set_unaries(c->energy, c->costs[BACKGROUND], c->costs[OBJECT], error);
    if (!status) status = sos_minimizer_run(c->minimizer, c->energy, &s, c->labels, NULL, error);
    if (step && !status) step->after = label_energy(c);
    return status;
}

/* Remembers labels and components; true if they are those of the iteration before: then the next would be the same again. */
static bool is_settled(cut *c)
{
    const bool same = !memcmp(c->was[0], c->labels, c->n) && !memcmp(c->was[1], c->component, c->n);
    memcpy(c->was[0], c->labels, c->n);
    memcpy(c->was[1], c->component, c->n);
    return same;
}

static sos_status iterate(cut *c, sos_grabcut_result *r, sos_error *error)
{
    sos_status status = SOS_OK;
    evaluate_mixtures(c);
    const sos_grabcut_settings *s = c->settings;
    memset(c->was[0], 2, c->n); /* no label */
    while (!status && !r->converged && r->iterations < s->iterations) {
        const double began = sos_seconds();
        if (s->progress && !s->progress(s->user, "GrabCut", (double)r->iterations / (double)s->iterations))
            return sos_fail(error, SOS_CANCELLED, "stopped after %zu iterations of GrabCut", r->iterations);
        status = learn_mixtures(c, error);
        evaluate_mixtures(c);
        const double learned = sos_seconds();
        if (!status) status = minimise(c, r->iterations, error);
        r->converged = is_settled(c);
        r->iterations++;
        r->seconds_mixtures += learned - began;
        r->seconds_cut += sos_seconds() - learned;
    }
    return status;
}

static sos_status run(cut *c, const uint8_t marks[], sos_grabcut_result *r, sos_error *error)
{
    const double began = sos_seconds();
    sos_status status = cut_create(c, marks, error);
    if (!status) status = build_energy(c, error);
    if (!status) status = start_mixtures(c, error);
    r->beta = c->beta;
    r->seconds_start = sos_seconds() - began;
    return status ? status : iterate(c, r, error);
}

/* ---------------------------------------------------------------- what is asked for */

static sos_status settings_check(const sos_grabcut_settings *s, sos_error *error)
{
    if (!s->components || s->components > SOS_MIXTURE_COMPONENTS_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "mixtures of %zu components", s->components);
    if (!(s->gamma > 1e-100 && s->gamma < 1e100)) return sos_fail(error, SOS_ERR_ARGUMENT, "gamma is %g", s->gamma);
    return SOS_OK;
}

static bool is_one_sided(size_t n, const uint8_t marks[])
{
    for (size_t i = 1; i < n; i++)
        if (sos_mark_is_object(marks[i]) != sos_mark_is_object(marks[0])) return false;
    return true;
}

/* labels NULL: marks say what they began as. */
static void marks_decide(const cut *c, const uint8_t labels[], uint8_t marks[])
{
    for (size_t i = 0; i < c->n; i++) {
        const bool object = labels ? labels[c->variable[i]] : sos_mark_is_object(marks[i]);
        if (!sos_mark_is_sure(marks[i])) marks[i] = object ? SOS_MARK_PERHAPS_OBJECT : SOS_MARK_PERHAPS_BACKGROUND;
    }
}

sos_status sos_grabcut_mixtures(const sos_image *photograph, sos_image *marks, const sos_grabcut_settings *settings,
                                sos_mixture mixtures[2], sos_grabcut_result *result, sos_error *error)
{
    const sos_grabcut_settings s = settings ? *settings : sos_grabcut_defaults();
    sos_status status = sos_marks_check(photograph, marks, SOS_MARKS, error);
    if (!status) status = settings_check(&s, error);
    if (status) return status;
    cut c = { .image = photograph, .settings = &s, .n = sos_image_size(photograph) };
    sos_grabcut_result r = { .one_sided = is_one_sided(c.n, marks->pixels) };
    if (!r.one_sided) status = run(&c, marks->pixels, &r, error);
    if (!status) {
        marks_decide(&c, r.one_sided ? NULL : c.labels, marks->pixels);
        if (result) *result = r;
        for (int side = 0; side < 2 && mixtures; side++) {
            mixtures[side] = c.mixtures[side];
            c.mixtures[side] = (sos_mixture){ 0 };
        }
    }
    cut_free(&c);
    return status;
}

sos_status sos_grabcut(const sos_image *photograph, sos_image *marks, const sos_grabcut_settings *settings,
                       sos_grabcut_result *result, sos_error *error)
{
    return sos_grabcut_mixtures(photograph, marks, settings, NULL, result, error);
}
