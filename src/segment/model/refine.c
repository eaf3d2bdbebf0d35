/* refine.c - the pixels along an outline, decided again at full size. */
#include "segment/model/refine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sos/minimize.h>

#include "base/elementary.h"
#include "base/error.h"
#include "vision/contrast.h"
#include "vision/distance.h"
#include "vision/grabcut_turns.h"
#include "vision/marks.h"
#include "vision/mixture.h"

enum {
    COMPONENTS = 5, /* of mixtures, and iterations of their k-means: as GrabCut has them */
    KMEANS_ITERATIONS = 10,
    SAMPLES = 1 << 18,   /* pixels from which mixtures are learned, about: as many as a photograph of 0.3 megapixels has */
    SAMPLES_LEAST = 200, /* 40 for a component */
    STRIPE = 1 << 20,    /* free pixels that are decided at a time, about, so that memory does not grow with the outline */
    NEIGHBOURS = 8
};

/* What is minimised over the free pixels is
 *
 *     E(y) = sum_i -log p(x_i | y_i) + PRIOR (2 d_i / reach)^2 [y_i != old label of i]
 *          + sum_ij GAMMA / |ij| exp(-beta |x_i - x_j|^2) [y_i != y_j],
 *
 * p being mixtures of the colours of either side and d_i the distance from the old outline.  Labels found at a reduced size are
 * right but for a pixel of that size, which is half of reach; without the second term what is thin would be lost. */
static const double GAMMA = 20, PRIOR = 50; /* docs/segmentation.md has what was measured */

/* No cost of a pixel is more than 9 gamma, which outweighs its 8 pairs; it has two, and they come with the pairs. */
static const double MOST = 9, ALL = 34;

/* The first half are those after the pixel. */
static const int RIGHT[NEIGHBOURS] = { 1, -1, 0, 1, -1, 1, 0, -1 }, DOWN[NEIGHBOURS] = { 0, 1, 1, 1, 0, -1, -1, -1 };

typedef struct band {
    const s3svm_image *image;
    const uint8_t *marks; /* or NULL */
    double reach;
    int threads;
    bool colours; /* known of both sides */
    uint8_t *labels;
    uint8_t *free;    /* 1 where the label is to be decided */
    float *distances; /* from the outline as it was */
    size_t count;     /* of these */
    double beta, unit;
    s3svm_mixture mixtures[2];
    sos_error *error;
} band;

static sos_status refine_no_memory(const band *b)
{
    return sos_fail(b->error, SOS_ERR_MEMORY, "no memory for the outline of %zu by %zu pixels", b->image->width,
                    b->image->height);
}

/* The label that pixel i must have, or SOS_FREE. */
static int wanted(const band *b, size_t i)
{
    if (b->marks && b->marks[i] == S3SVM_MARK_OBJECT) return 1;
    if (b->marks && b->marks[i] == S3SVM_MARK_BACKGROUND) return 0;
    return SOS_FREE;
}

/* ---------------------------------------------------------------- which pixels */

/* Seeds: pixels beside one of another label, and marks that were not kept, which are put right here. */
static void find_seeds(const band *b)
{
    const size_t width = b->image->width, height = b->image->height, n = width * height;
    for (size_t i = 0; i < n; i++) {
        const int label = wanted(b, i);
        if (label == SOS_FREE || label == b->labels[i]) continue;
        b->labels[i] = (uint8_t)label;
        b->free[i] = 1;
    }
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            const size_t i = y * width + x;
            if (x + 1 < width && b->labels[i] != b->labels[i + 1]) b->free[i] = b->free[i + 1] = 1;
            if (y + 1 < height && b->labels[i] != b->labels[i + width]) b->free[i] = b->free[i + width] = 1;
        }
}

static sos_status find_band(band *b)
{
    const size_t n = s3svm_image_size(b->image);
    find_seeds(b);
    const sos_status status = s3svm_distance_euclidean(b->image->width, b->image->height, b->free, b->threads, b->distances,
                                                       b->error);
    for (size_t i = 0; i < n && !status; i++) {
        b->free[i] = b->distances[i] <= (float)b->reach && wanted(b, i) == SOS_FREE;
        b->count += b->free[i];
    }
    return status;
}

/* ---------------------------------------------------------------- colours */

/* Colours of every stride-th pixel of a side, with or without the band; returns how many. */
static size_t take_samples(const band *b, uint8_t side, bool with_band, size_t stride, float samples[])
{
    const s3svm_image *image = b->image;
    size_t count = 0;
    for (size_t y = 0; y < image->height; y += stride)
        for (size_t x = 0; x < image->width; x += stride) {
            const size_t i = y * image->width + x;
            if (b->labels[i] != side || (b->free[i] && !with_band)) continue;
            for (size_t c = 0; c < 3; c++) samples[3 * count + c] = (float)image->pixels[3 * i + c];
            count++;
        }
    return count;
}

/* Labels in the band may be wrong, and few such pixels would get a component of their own: they count only where a side has
 * little else. */
static sos_status learn_side(band *b, uint8_t side, size_t stride, float samples[])
{
    const s3svm_mixture_ridge ridge = s3svm_mixture_ridge_grabcut();
    size_t count = take_samples(b, side, false, stride, samples);
    if (count < SAMPLES_LEAST) count = take_samples(b, side, true, stride, samples);
    if (!count) b->colours = false; /* too small */
    sos_status status = s3svm_mixture_create(COMPONENTS, 3, &b->mixtures[side], b->error);
    if (!status && count)
        status = s3svm_mixture_start(&b->mixtures[side], count, samples, KMEANS_ITERATIONS, side, &ridge, b->threads, b->error);
    return status;
}

static sos_status learn_mixtures(band *b)
{
    const s3svm_image *image = b->image;
    size_t stride = 1;
    while (s3svm_image_size(image) / (stride * stride) > SAMPLES) stride++;
    const size_t most = ((image->width + stride - 1) / stride) * ((image->height + stride - 1) / stride);
    float *samples = malloc(most * 3 * sizeof *samples);
    if (!samples) return refine_no_memory(b);
    b->colours = true;
    sos_status status = learn_side(b, 0, stride, samples);
    if (!status) status = learn_side(b, 1, stride, samples);
    free(samples);
    return status;
}

/* The number of a neighbour of (x, y), or SIZE_MAX outside of the picture. */
static size_t neighbour(const band *b, size_t x, size_t y, int k)
{
    const size_t x2 = x + (size_t)RIGHT[k], y2 = y + (size_t)DOWN[k]; /* -1 wraps around, to more than the sides */
    return x2 < b->image->width && y2 < b->image->height ? y2 * b->image->width + x2 : SIZE_MAX;
}

/* ---------------------------------------------------------------- the cut */

/* Rows top ... bottom - 1, whose free pixels are variables; those of other stripes are as good as fixed. */
typedef struct stripe {
    size_t top, bottom, count;
    uint32_t *variable; /* of the pixels of the rows */
    float *points;
    double *logs[2], *costs[2];
    uint8_t *labels;
    sos_energy *energy;
} stripe;

static void stripe_free(stripe *s)
{
    sos_energy_free(s->energy);
    free(s->variable);
    free(s->points);
    for (int side = 0; side < 2; side++) {
        free(s->logs[side]);
        free(s->costs[side]);
    }
    free(s->labels);
}

static bool stripe_allocate(stripe *s, size_t width)
{
    s->variable = calloc((s->bottom - s->top) * width, sizeof *s->variable);
    s->points = calloc(s->count, 3 * sizeof *s->points);
    s->labels = calloc(s->count, 1);
    bool ok = s->variable && s->points && s->labels;
    for (int side = 0; side < 2; side++) {
        s->logs[side] = calloc(s->count, sizeof(double));
        s->costs[side] = calloc(s->count, sizeof(double));
        ok = ok && s->logs[side] && s->costs[side];
    }
    return ok;
}

/* Numbers the free pixels of the stripe and takes their colours. */
static void list_variables(const band *b, stripe *s)
{
    const size_t width = b->image->width, first = s->top * width;
    uint32_t v = 0;
    for (size_t i = first; i < s->bottom * width; i++) {
        if (!b->free[i]) continue;
        s->variable[i - first] = v;
        for (size_t c = 0; c < 3; c++) s->points[3 * v + c] = (float)b->image->pixels[3 * i + c];
        v++;
    }
    for (int side = 0; side < 2; side++)
        s3svm_mixture_evaluate(&b->mixtures[side], s->count, s->points, s->logs[side], NULL, b->threads);
}

/* What colours and another label than the old one cost, in units. */
static void set_costs(const band *b, stripe *s)
{
    const size_t width = b->image->width, first = s->top * width;
    const double most = MOST * GAMMA;
    for (size_t i = first; i < s->bottom * width; i++) {
        if (!b->free[i]) continue;
        const uint32_t v = s->variable[i - first];
        const double gain = b->colours ? fmax(-most, fmin(most, s->logs[1][v] - s->logs[0][v])) : 0;
        const double far = b->reach > 0 ? 2 * (double)b->distances[i] / b->reach : 0;
        s->costs[0][v] = rint(fmax(gain, 0) / b->unit);
        s->costs[1][v] = rint(fmax(-gain, 0) / b->unit);
        s->costs[1 - b->labels[i]][v] += rint(fmin(most, PRIOR * far * far) / b->unit);
    }
}

static double pair_weight(const band *b, size_t i, size_t j, int k)
{
    const double e = sos_exp(-b->beta * s3svm_contrast_square(b->image->pixels + 3 * i, b->image->pixels + 3 * j));
    return rint((RIGHT[k] && DOWN[k] ? S3SVM_CONTRAST_DIAGONAL : 1) * e * GAMMA / b->unit);
}

/* The pairs of one free pixel: with fixed neighbours they are costs of its own. */
static sos_status add_pairs(const band *b, stripe *s, uint32_t table, size_t x, size_t y)
{
    const size_t width = b->image->width, i = y * width + x;
    const uint32_t v = s->variable[i - s->top * width];
    uint32_t members[NEIGHBOURS];
    double weights[NEIGHBOURS];
    size_t count = 0;
    for (int k = 0; k < NEIGHBOURS; k++) {
        const size_t j = neighbour(b, x, y, k);
        if (j == SIZE_MAX) continue;
        const bool other = b->free[j] && j >= s->top * width && j < s->bottom * width;
        if (other && k >= NEIGHBOURS / 2) continue;
        const double weight = pair_weight(b, i, j, k);
        if (!other) {
            s->costs[1 - b->labels[j]][v] += weight;
            continue;
        }
        members[2 * count] = v;
        members[2 * count + 1] = s->variable[j - s->top * width];
        weights[count++] = weight;
    }
    return sos_energy_add_cliques(s->energy, table, count, members, weights, b->error);
}

static sos_status build_energy(const band *b, stripe *s)
{
    static const double DIFFER[4] = { 0, 1, 1, 0 };
    uint32_t table = 0;
    sos_status status = sos_energy_create(s->count, &s->energy, b->error);
    if (!status) status = sos_energy_add_table(s->energy, 2, DIFFER, &table, b->error);
    if (!status) status = sos_energy_reserve(s->energy, table, s->count * NEIGHBOURS / 2, b->error);
    for (size_t y = s->top; y < s->bottom; y++)
        for (size_t x = 0; x < b->image->width && !status; x++)
            if (b->free[y * b->image->width + x]) status = add_pairs(b, s, table, x, y);
    if (!status) status = sos_energy_set_unaries(s->energy, s->costs[0], s->costs[1], b->error);
    return status;
}

static sos_status cut_stripe(const band *b, stripe *s)
{
    const size_t width = b->image->width, first = s->top * width;
    if (!s->count) return SOS_OK;
    if (!stripe_allocate(s, width)) return refine_no_memory(b);
    list_variables(b, s);
    set_costs(b, s);
    sos_status status = build_energy(b, s);
    if (!status) status = sos_minimize(s->energy, NULL, s->labels, NULL, b->error);
    for (size_t i = first; i < s->bottom * width && !status; i++)
        if (b->free[i]) b->labels[i] = s->labels[s->variable[i - first]];
    return status;
}

/* Rows as long as there are not too many free pixels in them. */
static stripe stripe_next(const band *b, size_t top)
{
    stripe s = { .top = top, .bottom = top };
    const size_t width = b->image->width;
    while (s.bottom < b->image->height && s.count < STRIPE) {
        for (size_t x = 0; x < width; x++) s.count += b->free[s.bottom * width + x];
        s.bottom++;
    }
    return s;
}

static sos_status cut(band *b)
{
    b->unit = s3svm_grabcut_unit(ALL * GAMMA);
    b->beta = s3svm_contrast_beta(b->image, NEIGHBOURS);
    sos_status status = SOS_OK;
    for (size_t top = 0; top < b->image->height && !status;) {
        stripe s = stripe_next(b, top);
        status = cut_stripe(b, &s);
        top = s.bottom;
        stripe_free(&s);
    }
    return status;
}

sos_status s3svm_labels_refine(const s3svm_image *photograph, const s3svm_image *marks, size_t reach, int threads,
                               uint8_t labels[], size_t *count, sos_error *error)
{
    const size_t n = s3svm_image_size(photograph);
    band b = { .image = photograph,
               .marks = marks ? marks->pixels : NULL,
               .reach = (double)reach,
               .threads = threads,
               .labels = labels,
               .free = calloc(n, 1),
               .distances = malloc(n * sizeof *b.distances),
               .error = error };
    sos_status status = b.free && b.distances ? find_band(&b) : refine_no_memory(&b);
    if (!status && b.count) status = learn_mixtures(&b);
    if (!status && b.count) status = cut(&b);
    if (!status) *count = b.count;
    s3svm_mixture_free(&b.mixtures[0]);
    s3svm_mixture_free(&b.mixtures[1]);
    free(b.free);
    free(b.distances);
    return status;
}
