#include "label/features.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "vision/colour.h"
#include "vision/kmeans.h"

/* What is summed up in boxes. */
enum { LIGHT, RED, BLUE, ACROSS, DOWN, FINE, COARSE, PLANES, SQUARES = PLANES, SUMS = PLANES + 3 };

enum {
    BINS = 256,      /* of the distribution of a colour in a picture */
    HIDDEN = 96,     /* units of a network */
    SAMPLE_STEP = 6, /* pixels between samples, in a picture of the usual size */
    RESPONSE_STEP = 2,
    CLUSTER_SAMPLES = 20000
};
static const double DROP = 0.3;     /* of hidden units, when networks are trained */
static const double DECAY = 0.003;  /* of their weights */
static const double SPREAD = 0.25;  /* added to variances: colours of few pictures differ less than those of all pictures */
static const double USUAL = 146.97; /* the side of a square with as many pixels as 180 x 120 */

struct sos_label_view {
    size_t width, height;
    double scale; /* of lengths */
    float *lab;   /* 3 a pixel */
    float *planes[PLANES];
    double *sums[SUMS];  /* (width + 1) * (height + 1): of all pixels above and to the left */
    float whole[PLANES]; /* means over the picture */
    float spread[3];     /* standard deviations of L, a, b */
    float thirds[3][3];  /* means of L, a, b over the upper, middle and lower third */
    float least[3], width_of_bin[3];
    float below[3][BINS + 1]; /* share of pixels below the lower end of a bin */
};

/* ---------------------------------------------------------------- preparing a picture */

void sos_label_view_free(sos_label_view *v)
{
    if (!v) return;
    free(v->lab);
    for (size_t p = 0; p < PLANES; p++) free(v->planes[p]);
    for (size_t s = 0; s < SUMS; s++) free(v->sums[s]);
    free(v);
}

const float *sos_label_view_lab(const sos_label_view *v) { return v->lab; }

static size_t view_size(const sos_label_view *v) { return v->width * v->height; }

/* Half the difference of the neighbours on both sides; at the border of one. */
static void slopes_find(sos_label_view *v)
{
    const float *light = v->planes[LIGHT];
    for (size_t y = 0; y < v->height; y++)
        for (size_t x = 0; x < v->width; x++) {
            const size_t i = y * v->width + x;
            const float left = light[x ? i - 1 : i], right = light[x + 1 < v->width ? i + 1 : i];
            const float above = light[y ? i - v->width : i], below = light[y + 1 < v->height ? i + v->width : i];
            v->planes[ACROSS][i] = fabsf(right - left) / 2;
            v->planes[DOWN][i] = fabsf(below - above) / 2;
        }
}

/* |L - blurred L| and |blurred L - more blurred L|. */
static sos_status textures_find(sos_label_view *v, sos_error *error)
{
    const size_t n = view_size(v);
    float *little = v->planes[FINE], *much = v->planes[COARSE];
    memcpy(little, v->planes[LIGHT], n * sizeof *little);
    memcpy(much, v->planes[LIGHT], n * sizeof *much);
    sos_status status = sos_colour_blur(v->width, v->height, 1, v->scale, 1, little, error);
    if (!status) status = sos_colour_blur(v->width, v->height, 1, 3 * v->scale, 1, much, error);
    for (size_t i = 0; !status && i < n; i++) {
        much[i] = fabsf(little[i] - much[i]);
        little[i] = fabsf(v->planes[LIGHT][i] - little[i]);
    }
    return status;
}

static void plane_sum(const sos_label_view *v, const float plane[], bool squared, double sums[])
{
    const size_t side = v->width + 1;
    for (size_t x = 0; x < side; x++) sums[x] = 0;
    for (size_t y = 0; y < v->height; y++) {
        double row = 0;
        sums[(y + 1) * side] = 0;
        for (size_t x = 0; x < v->width; x++) {
            const double value = (double)plane[y * v->width + x];
            row += squared ? value * value : value;
            sums[(y + 1) * side + x + 1] = sums[y * side + x + 1] + row;
        }
    }
}

/* Mean over columns left ... right - 1 and rows top ... bottom - 1. */
static inline double box_mean(const sos_label_view *v, size_t sum, size_t left, size_t top, size_t right, size_t bottom)
{
    const double *s = v->sums[sum];
    const size_t side = v->width + 1;
    const double total = s[bottom * side + right] - s[bottom * side + left] - s[top * side + right] + s[top * side + left];
    return total / (double)((right - left) * (bottom - top));
}

static float deviation(double mean, double square) { return (float)sqrt(fmax(square - mean * mean, 0)); }

static void whole_find(sos_label_view *v)
{
    const size_t w = v->width, h = v->height;
    for (size_t p = 0; p < PLANES; p++) v->whole[p] = (float)box_mean(v, p, 0, 0, w, h);
    for (size_t c = 0; c < 3; c++) {
        v->spread[c] = deviation((double)v->whole[c], box_mean(v, SQUARES + c, 0, 0, w, h));
        for (size_t t = 0; t < 3; t++) {
            const size_t top = t * h / 3 < h - 1 ? t * h / 3 : h - 1, end = (t + 1) * h / 3;
            v->thirds[c][t] = (float)box_mean(v, c, 0, top, w, end > top ? end : top + 1);
        }
    }
}

static void distribution_find(sos_label_view *v, size_t c)
{
    const float *plane = v->planes[c];
    const size_t n = view_size(v);
    float least = plane[0], most = plane[0];
    size_t counts[BINS] = { 0 }, sum = 0;
    for (size_t i = 1; i < n; i++) {
        least = fminf(least, plane[i]);
        most = fmaxf(most, plane[i]);
    }
    v->least[c] = least;
    v->width_of_bin[c] = fmaxf((most - least) / BINS, 1e-6F);
    for (size_t i = 0; i < n; i++) {
        const size_t bin = (size_t)((plane[i] - least) / v->width_of_bin[c]);
        counts[bin < BINS ? bin : BINS - 1]++;
    }
    for (size_t b = 0; b < BINS; b++) {
        v->below[c][b] = (float)((double)sum / (double)n);
        sum += counts[b];
    }
    v->below[c][BINS] = 1;
}

/* The share of pixels whose colour is less. */
static float rank_of(const sos_label_view *v, size_t c, double value)
{
    const float place = fminf(fmaxf(((float)value - v->least[c]) / v->width_of_bin[c], 0), BINS);
    const size_t bin = place < BINS ? (size_t)place : BINS - 1;
    return v->below[c][bin] + (place - (float)bin) * (v->below[c][bin + 1] - v->below[c][bin]);
}

static bool view_allocate(sos_label_view *v)
{
    const size_t n = view_size(v), sums = (v->width + 1) * (v->height + 1);
    v->lab = malloc(3 * n * sizeof *v->lab);
    bool room = v->lab;
    for (size_t p = 0; p < PLANES; p++) room &= (v->planes[p] = malloc(n * sizeof(float))) != NULL;
    for (size_t s = 0; s < SUMS; s++) room &= (v->sums[s] = malloc(sums * sizeof(double))) != NULL;
    return room;
}

static sos_status view_fill(sos_label_view *v, const sos_image *picture, sos_error *error)
{
    sos_status status = sos_colour_lab(picture, 1, v->lab, error);
    if (status) return status;
    for (size_t i = 0; i < view_size(v); i++)
        for (size_t c = 0; c < 3; c++) v->planes[c][i] = v->lab[3 * i + c];
    slopes_find(v);
    status = textures_find(v, error);
    if (status) return status;
    for (size_t p = 0; p < PLANES; p++) plane_sum(v, v->planes[p], false, v->sums[p]);
    for (size_t c = 0; c < 3; c++) plane_sum(v, v->planes[c], true, v->sums[SQUARES + c]);
    whole_find(v);
    for (size_t c = 0; c < 3; c++) distribution_find(v, c);
    return SOS_OK;
}

sos_status sos_label_view_create(const sos_image *picture, sos_label_view **out, sos_error *error)
{
    sos_label_view *v = calloc(1, sizeof *v);
    if (!v) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a picture");
    v->width = picture->width;
    v->height = picture->height;
    v->scale = sqrt((double)view_size(v)) / USUAL;
    sos_status status = view_allocate(v) ? view_fill(v, picture, error)
                                         : sos_fail(error, SOS_ERR_MEMORY, "no memory for a picture of %zu by %zu pixels",
                                                    picture->width, picture->height);
    if (status)
        sos_label_view_free(v);
    else
        *out = v;
    return status;
}

/* ---------------------------------------------------------------- one place */

typedef struct box {
    size_t left, top, right, bottom;
} box;

static size_t clamp(double x, size_t most) { return x <= 0 ? 0 : x >= (double)most ? most : (size_t)x; }

/* The pixels of the picture within a radius of a place, which is moved into the picture. */
static box box_around(const sos_label_view *v, double x, double y, double radius)
{
    const double r = fmax(1, rint(radius * v->scale));
    const size_t cx = clamp(x, v->width - 1), cy = clamp(y, v->height - 1);
    return (box){ clamp((double)cx - r, v->width - 1), clamp((double)cy - r, v->height - 1),
                  clamp((double)cx + r + 1, v->width), clamp((double)cy + r + 1, v->height) };
}

static double mean_in(const sos_label_view *v, size_t sum, const box *b)
{
    return box_mean(v, sum, b->left, b->top, b->right, b->bottom);
}

static float *boxes_add(const sos_label_view *v, double x, double y, float *out)
{
    static const double radii[] = { 1, 4, 10, 24 }, spreads[] = { 3, 8 };
    for (size_t r = 0; r < sizeof radii / sizeof *radii; r++) {
        const box b = box_around(v, x, y, radii[r]);
        for (size_t p = 0; p < PLANES; p++) *out++ = (float)mean_in(v, p, &b);
    }
    for (size_t r = 0; r < sizeof spreads / sizeof *spreads; r++) {
        const box b = box_around(v, x, y, spreads[r]);
        for (size_t c = 0; c < 3; c++) *out++ = deviation(mean_in(v, c, &b), mean_in(v, SQUARES + c, &b));
    }
    return out;
}

/* To the four sides, near and far. */
static float *sides_add(const sos_label_view *v, double x, double y, float *out)
{
    static const double distances[] = { 14, 36 }, radii[] = { 5, 11 };
    static const int sides[][2] = { { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 } };
    static const size_t seen[] = { LIGHT, RED, BLUE, FINE };
    for (size_t d = 0; d < 2; d++)
        for (size_t s = 0; s < 4; s++) {
            const double away = distances[d] * v->scale;
            const box b = box_around(v, x + away * sides[s][0], y + away * sides[s][1], radii[d]);
            for (size_t p = 0; p < sizeof seen / sizeof *seen; p++) *out++ = (float)mean_in(v, seen[p], &b);
        }
    return out;
}

/* In tenths of the picture. */
static float *place_add(const sos_label_view *v, double x, double y, float *out)
{
    const double across = 10 * (x + 0.5) / (double)v->width, down = 10 * (y + 0.5) / (double)v->height;
    *out++ = (float)across;
    *out++ = (float)down;
    *out++ = (float)fabs(across - 5);
    *out++ = (float)sqrt((across - 5) * (across - 5) + (down - 5) * (down - 5));
    return out;
}

static float *whole_add(const sos_label_view *v, double x, double y, float *out)
{
    const box near = box_around(v, x, y, 2);
    for (size_t p = 0; p < PLANES; p++) *out++ = v->whole[p];
    for (size_t c = 0; c < 3; c++) {
        *out++ = v->spread[c];
        for (size_t t = 0; t < 3; t++) *out++ = v->thirds[c][t];
        *out++ = 10 * rank_of(v, c, mean_in(v, c, &near));
    }
    return out;
}

void sos_label_view_inputs(const sos_label_view *v, size_t x, size_t y, float out[SOS_LABEL_INPUTS])
{
    out = boxes_add(v, (double)x, (double)y, out);
    out = sides_add(v, (double)x, (double)y, out);
    out = place_add(v, (double)x, (double)y, out);
    (void)whole_add(v, (double)x, (double)y, out);
}

/* Where the inputs stand that the functions above add. */
enum {
    AROUND = 0,
    SPREADS = AROUND + 4 * PLANES,
    SIDES = SPREADS + 2 * 3,
    PLACE = SIDES + 2 * 4 * 4,
    WHOLE = PLACE + 4,
    COLOURS = WHOLE + PLANES, /* for each of three: spread, thirds, rank */
    INPUTS = COLOURS + 3 * 5
};
_Static_assert((int)INPUTS == (int)SOS_LABEL_INPUTS && (int)INPUTS <= (int)SOS_PERCEPTRON_INPUTS_MAX,
               "the inputs of the networks");

/* How much another light or camera changes a picture: standard deviations of L, a and b, and of the log of its contrast. */
static const double LIGHTS[3] = { 8, 4, 4 }, CONTRAST = 0.2;

static void inputs_mirror(float x[])
{
    for (size_t d = 0; d < 2; d++)
        for (size_t p = 0; p < 4; p++) { /* the first two sides are right and left */
            float *right = x + SIDES + d * 16 + p, *left = right + 4, other = *right;
            *right = *left;
            *left = other;
        }
    x[PLACE] = 10 - x[PLACE];
}

/* The same place in a mirrored picture, in another light: a few pictures become many. */
static void inputs_vary(sos_random *r, float x[])
{
    if (sos_random_bits(r) >> 63) inputs_mirror(x);
    for (size_t c = 0; c < 3; c++) {
        const float more = (float)(LIGHTS[c] * (2 * sos_random_uniform(r) - 1) * 1.7320508);
        for (size_t i = 0; i < 4; i++) x[AROUND + i * PLANES + c] += more;
        for (size_t i = 0; i < 8; i++) x[SIDES + i * 4 + c] += more;
        for (size_t i = 0; i < 3; i++) x[COLOURS + c * 5 + 1 + i] += more;
        x[WHOLE + c] += more;
    }
    const float times = (float)sos_exp(CONTRAST * (2 * sos_random_uniform(r) - 1) * 1.7320508);
    for (size_t p = ACROSS; p < PLANES; p++) {
        for (size_t i = 0; i < 4; i++) x[AROUND + i * PLANES + p] *= times;
        x[WHOLE + p] *= times;
    }
    for (size_t i = SPREADS; i < SIDES; i++) x[i] *= times;
    for (size_t i = 0; i < 8; i++) x[SIDES + i * 4 + 3] *= times;
    for (size_t c = 0; c < 3; c++) x[COLOURS + c * 5] *= times;
}

/* Colour counts in units of about what people see as different, edges and texture more. */
static void texture_at(const sos_label_view *v, size_t x, size_t y, float out[SOS_LABEL_TEXTURE])
{
    static const double weights[SOS_LABEL_TEXTURE] = { 0.1, 0.2, 0.2, 0.3, 0.3, 0.5, 0.3 };
    const box b = box_around(v, (double)x, (double)y, 2);
    for (size_t p = 0; p < SOS_LABEL_TEXTURE; p++) out[p] = (float)(weights[p] * mean_in(v, p, &b));
}

static float distance_of(const float a[], const float b[], const float c[], const float d[])
{
    float sum = 0;
    for (size_t k = 0; k < 3; k++) {
        const float x = (a[k] + b[k] - c[k] - d[k]) / 2;
        sum += x * x;
    }
    return sqrtf(sum);
}

/* How much colours differ across, down and along both diagonals: the greater and the less of either two, so that turned and
 * mirrored patches look alike.  Roots, lest the strongest edges take all clusters. */
static void edge_at(const sos_label_view *v, size_t distance, size_t x, size_t y, float out[SOS_LABEL_EDGE])
{
    const float *a = v->lab + 3 * (y * v->width + x), *b = a + 3 * distance, *c = a + 3 * distance * v->width;
    const float *d = c + 3 * distance;
    const float across = distance_of(a, c, b, d), down = distance_of(a, b, c, d);
    const float falling = distance_of(a, a, d, d), rising = distance_of(b, b, c, c);
    out[0] = sqrtf(fmaxf(across, down));
    out[1] = sqrtf(fminf(across, down));
    out[2] = sqrtf(fmaxf(falling, rising));
    out[3] = sqrtf(fminf(falling, rising));
}

/* ---------------------------------------------------------------- a whole picture */

size_t sos_label_view_length(const sos_label_view *v, double pixels) { return (size_t)fmax(1, rint(pixels * v->scale)); }

/* log p at the points of a grid, a row of it at a time. */
static sos_status grid_fill(const sos_label_features *f, const sos_label_view *v, size_t fold, size_t step, size_t across,
                            size_t down, float grid[], sos_error *error)
{
    float *inputs = malloc(across * SOS_LABEL_INPUTS * sizeof *inputs);
    if (!inputs) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the features of a picture");
    const size_t first = fold < f->folds ? fold : 0, end = fold < f->folds ? fold + 1 : f->folds;
    const float share = 1 / (float)(end - first);
    memset(grid, 0, across * down * f->labels * sizeof *grid);
    for (size_t j = 0; j < down; j++) {
        const size_t y = clamp((double)(step / 2 + j * step), v->height - 1);
        float *row = grid + j * across * f->labels;
        for (size_t i = 0; i < across; i++)
            sos_label_view_inputs(v, clamp((double)(step / 2 + i * step), v->width - 1), y, inputs + i * SOS_LABEL_INPUTS);
        for (size_t k = first; k < end; k++) sos_perceptron_add_logs(&f->networks[k], across, inputs, row);
        for (size_t i = 0; i < across * f->labels; i++) row[i] *= share;
    }
    free(inputs);
    return SOS_OK;
}

/* Where a pixel lies between two points of a grid. */
typedef struct between {
    size_t low, high;
    float share; /* of high */
} between;

static between between_of(size_t pixel, size_t step, size_t count)
{
    const float place = fminf(fmaxf(((float)pixel - (float)(step / 2)) / (float)step, 0), (float)(count - 1));
    const size_t low = (size_t)place;
    return (between){ low, low + 1 < count ? low + 1 : low, place - (float)low };
}

static void grid_spread(const sos_label_view *v, size_t labels, size_t step, size_t across, size_t down, const float grid[],
                        float out[])
{
    for (size_t y = 0; y < v->height; y++) {
        const between j = between_of(y, step, down);
        for (size_t x = 0; x < v->width; x++) {
            const between i = between_of(x, step, across);
            const float *a = grid + (j.low * across + i.low) * labels, *b = grid + (j.low * across + i.high) * labels;
            const float *c = grid + (j.high * across + i.low) * labels, *d = grid + (j.high * across + i.high) * labels;
            float *to = out + (y * v->width + x) * labels;
            for (size_t l = 0; l < labels; l++) {
                const float above = a[l] + i.share * (b[l] - a[l]), below = c[l] + i.share * (d[l] - c[l]);
                to[l] = above + j.share * (below - above);
            }
        }
    }
}

sos_status sos_label_responses(const sos_label_features *f, const sos_label_view *v, size_t fold, float out[], sos_error *error)
{
    const size_t step = sos_label_view_length(v, RESPONSE_STEP), across = (v->width + step - 1) / step,
                 down = (v->height + step - 1) / step;
    float *grid = malloc(across * down * f->labels * sizeof *grid);
    if (!grid) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the responses of a picture");
    const sos_status status = grid_fill(f, v, fold, step, across, down, grid, error);
    if (!status) grid_spread(v, f->labels, step, across, down, grid, out);
    free(grid);
    return status;
}

/* The clusters of points that were described. */
static sos_status assign(size_t count, size_t d, float points[], size_t k, const float centres[], uint32_t out[],
                         sos_error *error)
{
    const sos_status status = sos_kmeans_assign(count, d, points, k, centres, 1, out, NULL, error);
    free(points);
    return status;
}

sos_status sos_label_textures(const sos_label_features *f, const sos_label_view *v, uint32_t out[], sos_error *error)
{
    const size_t n = view_size(v);
    float *points = malloc(n * SOS_LABEL_TEXTURE * sizeof *points);
    if (!points) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the textures of a picture");
    for (size_t i = 0; i < n; i++) texture_at(v, i % v->width, i / v->width, points + i * SOS_LABEL_TEXTURE);
    return assign(n, SOS_LABEL_TEXTURE, points, f->clusters, f->centres, out, error);
}

sos_status sos_label_edges(const sos_label_features *f, const sos_label_view *v, size_t distance, uint32_t out[],
                           sos_error *error)
{
    if (v->width <= distance || v->height <= distance) return SOS_OK;
    const size_t across = v->width - distance, n = across * (v->height - distance);
    if (f->edges == 1) {
        memset(out, 0, n * sizeof *out);
        return SOS_OK;
    }
    float *points = malloc(n * SOS_LABEL_EDGE * sizeof *points);
    if (!points) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the edges of a picture");
    for (size_t i = 0; i < n; i++) edge_at(v, distance, i % across, i / across, points + i * SOS_LABEL_EDGE);
    return assign(n, SOS_LABEL_EDGE, points, f->edges, f->edge, out, error);
}

/* ---------------------------------------------------------------- learning */

sos_label_learning sos_label_learning_defaults(void)
{
    return (sos_label_learning){ .clusters = 32, .edges = 1, .folds = 6, .epochs = 20, .seed = 1 };
}

void sos_label_features_free(sos_label_features *f)
{
    free(f->centres);
    free(f->edge);
    for (size_t k = 0; k < SOS_LABEL_FOLDS_MAX; k++) sos_perceptron_free(&f->networks[k]);
    *f = (sos_label_features){ 0 };
}

sos_status sos_label_features_create(size_t labels, size_t clusters, size_t edges, size_t folds, sos_label_features *out,
                                     sos_error *error)
{
    sos_label_features f = { .labels = labels, .clusters = clusters, .edges = edges, .folds = folds };
    if (!clusters || clusters > SOS_LABEL_CLUSTERS_MAX || !edges || edges > SOS_LABEL_CLUSTERS_MAX || !folds ||
        folds > SOS_LABEL_FOLDS_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "%zu and %zu clusters and %zu networks; 1 to %d and 1 to %d are possible",
                        clusters, edges, folds, SOS_LABEL_CLUSTERS_MAX, SOS_LABEL_FOLDS_MAX);
    f.centres = calloc(clusters * SOS_LABEL_TEXTURE, sizeof *f.centres);
    f.edge = calloc(edges * SOS_LABEL_EDGE, sizeof *f.edge);
    sos_status status = f.centres && f.edge ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for clusters");
    for (size_t k = 0; k < folds && !status; k++)
        status = sos_perceptron_create(SOS_LABEL_INPUTS, HIDDEN, labels, &f.networks[k], error);
    if (status)
        sos_label_features_free(&f);
    else
        *out = f;
    return status;
}

/* What is drawn from the pictures to learn from. */
typedef struct harvest {
    float *inputs;       /* of the networks */
    sos_sample *samples; /* places are the numbers of their pictures */
    size_t count, inputs_room, samples_room;
    float *textures, *edges;
    size_t texture_count, edge_count, texture_room, edge_room;
} harvest;

static void harvest_free(harvest *h)
{
    free(h->inputs);
    free(h->samples);
    free(h->textures);
    free(h->edges);
}

static bool samples_take(const sos_label_lesson *lesson, size_t i, const sos_label_view *v, harvest *h)
{
    const size_t step = sos_label_view_length(v, SAMPLE_STEP);
    const size_t most = h->count + ((v->width + step - 1) / step) * ((v->height + step - 1) / step);
    if (!sos_grow(&h->inputs, &h->inputs_room, most * SOS_LABEL_INPUTS) || !sos_grow(&h->samples, &h->samples_room, most))
        return false;
    for (size_t y = step / 2 < v->height ? step / 2 : 0; y < v->height; y += step)
        for (size_t x = step / 2 < v->width ? step / 2 : 0; x < v->width; x += step) {
            const size_t pixel = y * v->width + x;
            if (lesson->care && lesson->care[i] && !lesson->care[i][pixel]) continue;
            sos_label_view_inputs(v, x, y, h->inputs + h->count * SOS_LABEL_INPUTS);
            h->samples[h->count++] = (sos_sample){ .place = (uint32_t)i, .weight = 1, .label = lesson->truths[i][pixel] };
        }
    return true;
}

static bool points_take(const sos_label_view *v, size_t count, sos_random *r, harvest *h)
{
    if (!sos_grow(&h->textures, &h->texture_room, (h->texture_count + count) * SOS_LABEL_TEXTURE) ||
        !sos_grow(&h->edges, &h->edge_room, (h->edge_count + count) * SOS_LABEL_EDGE))
        return false;
    for (size_t i = 0; i < count; i++)
        texture_at(v, (size_t)sos_random_below(r, v->width), (size_t)sos_random_below(r, v->height),
                   h->textures + h->texture_count++ * SOS_LABEL_TEXTURE);
    for (size_t i = 0; i < count && v->width > 1 && v->height > 1; i++)
        edge_at(v, 1, (size_t)sos_random_below(r, v->width - 1), (size_t)sos_random_below(r, v->height - 1),
                h->edges + h->edge_count++ * SOS_LABEL_EDGE);
    return true;
}

static sos_status harvest_make(const sos_label_lesson *lesson, uint64_t seed, harvest *h, sos_error *error)
{
    sos_random r = sos_random_seeded(seed);
    const size_t each = CLUSTER_SAMPLES / lesson->count + 1;
    for (size_t i = 0; i < lesson->count; i++) {
        sos_label_view *v;
        const sos_status status = sos_label_view_create(&lesson->pictures[i], &v, error);
        if (status) return status;
        const bool room = samples_take(lesson, i, v, h) && points_take(v, each, &r, h);
        sos_label_view_free(v);
        if (!room) return sos_fail(error, SOS_ERR_MEMORY, "no memory for samples of %zu pictures", lesson->count);
    }
    return SOS_OK;
}

/* What is not there to tell apart gets clusters of zeros. */
static sos_status clusters_learn(const harvest *h, const sos_label_learning *s, sos_label_features *f, sos_error *error)
{
    sos_kmeans_settings k = sos_kmeans_defaults(f->clusters);
    k.seed = s->seed;
    k.threads = s->threads;
    sos_status status = sos_kmeans(h->texture_count, SOS_LABEL_TEXTURE, h->textures, &k, f->centres, NULL, NULL, error);
    k.clusters = f->edges;
    if (!status && h->edge_count) status = sos_kmeans(h->edge_count, SOS_LABEL_EDGE, h->edges, &k, f->edge, NULL, NULL, error);
    return status;
}

/* A network learns from the samples of all pictures but those of its fold; of all, if there is one fold only. */
static sos_status network_learn(const harvest *h, const sos_label_learning *s, size_t fold, sos_label_features *f,
                                sos_error *error)
{
    float *features = malloc(h->count * SOS_LABEL_INPUTS * sizeof *features);
    sos_sample *chosen = malloc(h->count * sizeof *chosen);
    sos_samples samples = { .features = features, .samples = chosen };
    sos_status status = features && chosen ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu samples", h->count);
    for (size_t i = 0; !status && i < h->count; i++) {
        if (f->folds > 1 && sos_label_fold(f, h->samples[i].place) == fold) continue;
        memcpy(features + samples.count * SOS_LABEL_INPUTS, h->inputs + i * SOS_LABEL_INPUTS,
               SOS_LABEL_INPUTS * sizeof *features);
        chosen[samples.count++] = h->samples[i];
    }
    sos_perceptron_settings n = sos_perceptron_defaults();
    n.epochs = s->epochs;
    n.decay = DECAY;
    n.drop = DROP;
    n.spread = SPREAD;
    n.vary = inputs_vary;
    n.seed = s->seed + fold;
    n.progress = s->progress;
    n.user = s->user;
    if (!status) status = sos_perceptron_train(&f->networks[fold], &samples, &n, error);
    free(features);
    free(chosen);
    return status;
}

static sos_status networks_learn(const harvest *h, const sos_label_learning *s, sos_label_features *f, sos_error *error)
{
    sos_failure failure = { 0 };
    const int workers = sos_thread_count(s->threads);
    (void)workers;
#pragma omp parallel for num_threads(workers) schedule(dynamic, 1)
    for (size_t fold = 0; fold < f->folds; fold++) {
        sos_error why = { SOS_OK, "" };
        const sos_status status = network_learn(h, s, fold, f, &why);
        sos_failure_note(&failure, fold, status, &why);
    }
    return sos_failure_status(&failure, "network", error);
}

static sos_status lesson_check(const sos_label_lesson *lesson, sos_error *error)
{
    if (!lesson->count) return sos_fail(error, SOS_ERR_ARGUMENT, "there are no pictures to learn from");
    for (size_t i = 0; i < lesson->count; i++)
        if (lesson->pictures[i].channels != 3)
            return sos_fail(error, SOS_ERR_ARGUMENT, "picture %zu has %zu channels, not 3", i, lesson->pictures[i].channels);
    return SOS_OK;
}

sos_status sos_label_features_learn(const sos_label_lesson *lesson, const sos_label_learning *settings, sos_label_features *out,
                                    sos_error *error)
{
    const sos_label_learning s = settings ? *settings : sos_label_learning_defaults();
    sos_status status = lesson_check(lesson, error);
    if (status) return status;
    sos_label_features f;
    harvest h = { 0 };
    const size_t folds = s.folds < lesson->count ? s.folds : lesson->count;
    status = sos_label_features_create(lesson->labels, s.clusters, s.edges, folds, &f, error);
    if (status) return status;
    status = harvest_make(lesson, s.seed, &h, error);
    if (!status && !h.count) status = sos_fail(error, SOS_ERR_ARGUMENT, "no pixel of the pictures has a known label");
    if (!status) status = clusters_learn(&h, &s, &f, error);
    if (!status) status = networks_learn(&h, &s, &f, error);
    harvest_free(&h);
    if (status)
        sos_label_features_free(&f);
    else
        *out = f;
    return status;
}
