#include "vision/grabcut.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "vision/contrast.h"
#include "vision/grabcut_turns.h"
#include "vision/marks.h"

enum { NEIGHBOURS = 4, TILE = 16 };

/* Half of the 8 neighbours; the other half comes from the other side. */
static const int RIGHT[NEIGHBOURS] = { 1, -1, 0, 1 }, DOWN[NEIGHBOURS] = { 0, 1, 1, 1 };

/* Variables are pixels in the order of tiles, row by row within a tile: what the flow visits together lies together. */
typedef struct grid {
    const s3svm_image *image;
    const s3svm_grabcut_settings *settings;
    size_t n;
    double beta;
    double unit; /* all costs of the energy are multiples of this, and counted in it */
    sos_energy *energy;
    uint32_t *variable; /* of every pixel */
    uint8_t *marks;     /* n; from here on by variable */
    uint8_t *labels;    /* n */
    float *colours;     /* 3 n */
    void *block;
} grid;

s3svm_grabcut_settings s3svm_grabcut_defaults(void)
{
    return (s3svm_grabcut_settings){ .components = 5, .iterations = 10, .gamma = 50 };
}

static void grabcut_lay_out(grid *g, sos_arena *arena)
{
    g->variable = sos_arena_take(arena, g->n, sizeof *g->variable);
    g->marks = sos_arena_take(arena, g->n, 1);
    g->labels = sos_arena_take(arena, g->n, 1);
    g->colours = sos_arena_take(arena, g->n, 3 * sizeof *g->colours);
}

static void order_tile(grid *g, size_t left, size_t top, const uint8_t marks[], uint32_t *next)
{
    const size_t width = g->image->width, height = g->image->height;
    for (size_t y = top; y < height && y < top + TILE; y++)
        for (size_t x = left; x < width && x < left + TILE; x++) {
            const size_t pixel = y * width + x, v = (*next)++;
            g->variable[pixel] = (uint32_t)v;
            g->marks[v] = marks[pixel];
            g->labels[v] = s3svm_mark_is_object(marks[pixel]);
            for (size_t c = 0; c < 3; c++) g->colours[3 * v + c] = (float)g->image->pixels[3 * pixel + c];
        }
}

static sos_status grid_create(grid *g, const uint8_t marks[], sos_error *error)
{
    sos_arena arena = { 0 };
    grabcut_lay_out(g, &arena);
    g->block = arena.overflowed ? NULL : sos_block_alloc(arena.used);
    if (!g->block) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a cut of %zu pixels", g->n);
    arena = (sos_arena){ .base = g->block };
    grabcut_lay_out(g, &arena);
    uint32_t next = 0;
    for (size_t y = 0; y < g->image->height; y += TILE)
        for (size_t x = 0; x < g->image->width; x += TILE) order_tile(g, x, y, marks, &next);
    return SOS_OK;
}

static void grid_free(grid *g)
{
    sos_energy_free(g->energy);
    sos_block_free(g->block);
}

/* ---------------------------------------------------------------- pairs */

/* Pairs of neighbours that begin in one row of one tile. */
typedef struct pair_row {
    size_t count;
    uint32_t members[2 * NEIGHBOURS * TILE];
    uint32_t squares[NEIGHBOURS * TILE]; /* |x_i - x_j|^2 */
    double weights[NEIGHBOURS * TILE];   /* 1 / |ij| at first, then in units */
} pair_row;

static void list_pairs(const grid *g, size_t left, size_t y, pair_row *row)
{
    const size_t width = g->image->width, end = left + TILE < width ? left + TILE : width;
    row->count = 0;
    for (size_t x = left; x < end; x++)
        for (int k = 0; k < NEIGHBOURS; k++) {
            const size_t x2 = x + (size_t)RIGHT[k], y2 = y + (size_t)DOWN[k]; /* x - 1 may wrap around, to more than width */
            if (x2 >= width || y2 >= g->image->height) continue;
            const size_t i = y * width + x, j = y2 * width + x2;
            row->members[2 * row->count] = g->variable[i];
            row->members[2 * row->count + 1] = g->variable[j];
            row->squares[row->count] = s3svm_contrast_square(g->image->pixels + 3 * i, g->image->pixels + 3 * j);
            row->weights[row->count++] = RIGHT[k] && DOWN[k] ? S3SVM_CONTRAST_DIAGONAL : 1;
        }
}

static void weigh_pairs(const grid *g, pair_row *row)
{
    const double strength = g->settings->gamma / g->unit;
    double likeness[NEIGHBOURS * TILE];
    s3svm_contrast_weights(g->beta, row->count, row->squares, likeness);
    for (size_t k = 0; k < row->count; k++) row->weights[k] = rint(row->weights[k] * likeness[k] * strength);
}

/* The pairs of a row of tiles, tile by tile. */
static sos_status add_pairs(grid *g, uint32_t table, size_t top, pair_row *row, sos_error *error)
{
    const size_t width = g->image->width, height = g->image->height;
    sos_status status = SOS_OK;
    for (size_t left = 0; left < width; left += TILE)
        for (size_t y = top; y < height && y < top + TILE && !status; y++) {
            list_pairs(g, left, y, row);
            weigh_pairs(g, row);
            status = sos_energy_add_cliques(g->energy, table, row->count, row->members, row->weights, error);
        }
    return status;
}

/* The difference between the costs of a pixel's labels is at most 9 gamma, which outweighs its 8 pairs. */
static const double MOST = 9, PAIRS = 8;

static sos_status build_energy(grid *g, sos_error *error)
{
    static const double DIFFER[4] = { 0, 1, 1, 0 };
    const size_t width = g->image->width, height = g->image->height;
    pair_row row;
    uint32_t table = 0;
    g->unit = s3svm_grabcut_unit((MOST + PAIRS) * g->settings->gamma);
    g->beta = s3svm_contrast_beta(g->image, 2 * NEIGHBOURS);
    sos_status status = sos_energy_create(g->n, &g->energy, error);
    if (!status) status = sos_energy_add_table(g->energy, 2, DIFFER, &table, error);
    if (!status) status = sos_energy_reserve(g->energy, table, 4 * width * height + 2 - 3 * (width + height), error);
    for (size_t y = 0; y < height && !status; y += TILE) status = add_pairs(g, table, y, &row, error);
    return status;
}

/* ---------------------------------------------------------------- turns */

/* k-means sees pixels in their own order, so that tiles are nobody else's matter. */
static s3svm_grabcut_job job_of(const grid *g)
{
    const s3svm_grabcut_settings *s = g->settings;
    return (s3svm_grabcut_job){ .variables = g->n,
                                .marks = g->marks,
                                .energy = g->energy,
                                .unit = g->unit,
                                .most = MOST * s->gamma,
                                .points = g->n,
                                .colours = g->colours,
                                .order = g->variable,
                                .share = 1,
                                .log_least = -INFINITY,
                                .components = s->components,
                                .ridge = s3svm_mixture_ridge_grabcut(),
                                .seeds = { s->seed, s->seed + 1 },
                                .iterations = s->iterations,
                                .steps = s->steps,
                                .work = s->work };
}

static sos_status iterations_run(grid *g, const uint8_t marks[], s3svm_mixture mixtures[2], s3svm_grabcut_result *r,
                                 sos_error *error)
{
    const double began = sos_seconds();
    sos_status status = grid_create(g, marks, error);
    if (!status) status = build_energy(g, error);
    if (status) return status;
    const double seconds = sos_seconds() - began;
    const s3svm_grabcut_job job = job_of(g);
    status = s3svm_grabcut_turns(&job, g->labels, mixtures, r, error);
    r->beta = g->beta;
    r->seconds_start += seconds;
    return status;
}

/* ---------------------------------------------------------------- what is asked for */

static sos_status settings_check(const s3svm_grabcut_settings *s, sos_error *error)
{
    const sos_status status = sos_reserved_check("s3svm_grabcut_settings", s, error);
    if (status) return status;
    if (!s->components || s->components > S3SVM_MIXTURE_COMPONENTS_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "mixtures of %zu components", s->components);
    if (!(s->gamma > 1e-100 && s->gamma < 1e100)) return sos_fail(error, SOS_ERR_ARGUMENT, "gamma is %g", s->gamma);
    return SOS_OK;
}

static bool is_one_sided(size_t n, const uint8_t marks[])
{
    for (size_t i = 1; i < n; i++)
        if (s3svm_mark_is_object(marks[i]) != s3svm_mark_is_object(marks[0])) return false;
    return true;
}

/* Where there are no labels, pixels stay what they began as. */
static void marks_decide(const grid *g, bool labelled, uint8_t marks[])
{
    for (size_t i = 0; i < g->n; i++) {
        const bool object = labelled ? g->labels[g->variable[i]] : s3svm_mark_is_object(marks[i]);
        if (!s3svm_mark_is_sure(marks[i])) marks[i] = object ? S3SVM_MARK_PERHAPS_OBJECT : S3SVM_MARK_PERHAPS_BACKGROUND;
    }
}

sos_status s3svm_grabcut_mixtures(const s3svm_image *photograph, s3svm_image *marks, const s3svm_grabcut_settings *settings,
                                  s3svm_mixture mixtures[2], s3svm_grabcut_result *result, sos_error *error)
{
    const s3svm_grabcut_settings s = settings ? *settings : s3svm_grabcut_defaults();
    sos_status status = s3svm_marks_check(photograph, marks, S3SVM_MARKS, error);
    if (!status) status = settings_check(&s, error);
    if (status) return status;
    grid g = { .image = photograph, .settings = &s, .n = s3svm_image_size(photograph) };
    s3svm_grabcut_result r = { 0 };
    s3svm_mixture found[2] = { { 0 }, { 0 } };
    const bool one_sided = is_one_sided(g.n, marks->pixels);
    if (!one_sided) status = iterations_run(&g, marks->pixels, found, &r, error);
    if (!status) {
        r.one_sided = one_sided;
        marks_decide(&g, !one_sided, marks->pixels);
        if (result) *result = r;
    }
    for (int side = 0; side < 2; side++)
        if (mixtures && !status)
            mixtures[side] = found[side];
        else
            s3svm_mixture_free(&found[side]);
    grid_free(&g);
    return status;
}

sos_status s3svm_grabcut(const s3svm_image *photograph, s3svm_image *marks, const s3svm_grabcut_settings *settings,
                         s3svm_grabcut_result *result, sos_error *error)
{
    return s3svm_grabcut_mixtures(photograph, marks, settings, NULL, result, error);
}
