#include "segment/outlines/outline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sos/minimize.h>

#include <s3svm/marks.h>

#include "base/elementary.h"
#include "base/error.h"
#include "vision/distance.h"
#include "vision/grabcut_turns.h"

/* docs/segmentation.md has what was measured. */
static const double REACH = 16; /* of the band, to both sides */
static const s3svm_outline_window WINDOWS[S3SVM_OUTLINE_WINDOWS] = { { 5, 1 }, { 12, 2 }, { 30, 3 } };
static const double RESPONSE_MOST = 8, EVIDENCE_MOST = 6, DISTANCE_MOST = 30;
enum { REACH_MOST = 127 }; /* of windows: sums of squares of bytes fit into 32 bits */

static sos_status outline_no_memory(const s3svm_outline_photo *s, sos_error *error)
{
    return sos_fail(error, SOS_ERR_MEMORY, "no memory for the outline in %zu by %zu pixels", s->width, s->height);
}

/* ---------------------------------------------------------------- the band */

void s3svm_outline_band_free(s3svm_outline_band *b)
{
    free(b->pixels);
    free(b->first);
    free(b->distances);
    free(b->labels);
    *b = (s3svm_outline_band){ 0 };
}

/* Pixels beside one of another label. */
static void edges_mark(const s3svm_outline_photo *s, const uint8_t labels[], uint8_t edges[])
{
    const size_t width = s->width, height = s->height;
    memset(edges, 0, width * height);
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            const size_t i = y * width + x;
            if (x + 1 < width && labels[i] != labels[i + 1]) edges[i] = edges[i + 1] = 1;
            if (y + 1 < height && labels[i] != labels[i + width]) edges[i] = edges[i + width] = 1;
        }
}

static void band_list(const s3svm_outline_photo *s, const uint8_t marks[], s3svm_outline_band *b)
{
    const float reach = (float)(REACH * s->scale);
    for (size_t y = 0; y < s->height; y++) {
        b->first[y] = (uint32_t)b->count;
        for (size_t i = y * s->width; i < (y + 1) * s->width; i++)
            if (b->distances[i] < reach && !(marks && s3svm_mark_is_sure(marks[i]))) b->pixels[b->count++] = (uint32_t)i;
    }
    b->first[s->height] = (uint32_t)b->count;
}

sos_status s3svm_outline_band_create(const s3svm_outline_photo *s, const uint8_t labels[], const uint8_t marks[], int threads,
                                     s3svm_outline_band *out, sos_error *error)
{
    const size_t n = s->width * s->height;
    s3svm_outline_band b = { .pixels = malloc(n * sizeof *b.pixels),
                             .first = malloc((s->height + 1) * sizeof *b.first),
                             .distances = malloc(n * sizeof *b.distances),
                             .labels = malloc(n) };
    uint8_t *edges = malloc(n);
    sos_status status = b.pixels && b.first && b.distances && b.labels && edges ? SOS_OK : outline_no_memory(s, error);
    if (!status) {
        memcpy(b.labels, labels, n);
        edges_mark(s, labels, edges);
        status = s3svm_distance_euclidean(s->width, s->height, edges, threads, b.distances, error);
    }
    free(edges);
    if (!status) band_list(s, marks, &b);
    if (status)
        s3svm_outline_band_free(&b);
    else
        *out = b;
    return status;
}

/* ---------------------------------------------------------------- features */

static s3svm_outline_window scaled(const s3svm_outline_photo *s, const s3svm_outline_window *w)
{
    const double reach = fmin(REACH_MOST, fmax(2, rint((double)w->reach * s->scale)));
    return (s3svm_outline_window){ (size_t)reach, w->apart * s->scale };
}

static double clipped(double x, double most) { return fmin(most, fmax(-most, x)); }

/* How much of what either calls object both do. */
static double agreement(const s3svm_outline_photo *s, const s3svm_outline_band *b, const float evidence[])
{
    size_t both = 0, either = 0;
    for (size_t i = 0; i < s->width * s->height; i++) {
        both += b->labels[i] && evidence[i] > 0;
        either += b->labels[i] || evidence[i] > 0;
    }
    return (double)both / fmax((double)either, 1);
}

/* What it says; the same as far as it agrees with the labels; and how far that is. */
static void evidence_fill(const s3svm_outline_photo *s, const s3svm_outline_band *b, const float evidence[], float features[])
{
    const double trust = evidence ? agreement(s, b, evidence) : 0;
    for (size_t k = 0; k < b->count; k++) {
        const double x = evidence ? clipped((double)evidence[b->pixels[k]], EVIDENCE_MOST) : 0;
        features[k] = (float)x;
        features[b->count + k] = (float)(trust * x);
        features[2 * b->count + k] = (float)trust;
    }
}

sos_status s3svm_outline_features(const s3svm_outline_photo *s, const s3svm_outline_band *b, const s3svm_outline_odds *odds,
                                  size_t count, int threads, float features[], sos_error *error)
{
    sos_status status = SOS_OK;
    float *distance = features, *logarithm = distance + b->count, *first = logarithm + b->count, *steepness = first + b->count;
    for (size_t k = 0; k < b->count; k++) {
        const size_t i = b->pixels[k];
        const double sign = b->labels[i] ? 1 : -1, far = ((double)b->distances[i] + 0.5) / s->scale;
        distance[k] = (float)(sign * fmin(far, DISTANCE_MOST));
        logarithm[k] = (float)(sign * sos_log(1 + far));
        first[k] = (float)clipped((double)odds->response[i], RESPONSE_MOST);
        steepness[k] = s->steepness[i];
    }
    for (size_t w = 0; w < S3SVM_OUTLINE_WINDOWS && !status; w++) {
        const s3svm_outline_window window = scaled(s, &WINDOWS[w]);
        status = s3svm_outline_sides(s, b, &window, threads, steepness + b->count * (1 + w * S3SVM_OUTLINE_TOLD), error);
    }
    if (count > S3SVM_OUTLINE_FEATURES) evidence_fill(s, b, odds->evidence, features + S3SVM_OUTLINE_FEATURES * b->count);
    return status;
}

/* ---------------------------------------------------------------- the cut */

static const double ODDS_MOST = 20; /* beyond that there is no more doubt */
static const double PAIRS_ALL = 7;  /* eight pairs of a pixel count no more than 4 + 4 / sqrt 2 */

/* The pixels of the band as variables of an energy. */
typedef struct cutting {
    const s3svm_outline_photo *photo;
    const s3svm_outline_band *band;
    double strength, unit; /* costs are whole numbers of units: then flows are exact */
    uint32_t *variable;    /* of all pixels; UINT32_MAX: fixed */
    double *costs[2];
    size_t pairs;
    uint32_t *members;
    double *weights;
    uint8_t *labels;
} cutting;

static void cutting_free(cutting *c)
{
    free(c->variable);
    free(c->costs[0]);
    free(c->costs[1]);
    free(c->members);
    free(c->weights);
    free(c->labels);
}

static bool cutting_allocate(cutting *c)
{
    const size_t n = c->photo->width * c->photo->height, count = c->band->count;
    c->variable = malloc(n * sizeof *c->variable);
    c->costs[0] = malloc(count * sizeof(double));
    c->costs[1] = malloc(count * sizeof(double));
    c->members = malloc(2 * S3SVM_OUTLINE_NEIGHBOURS * count * sizeof *c->members);
    c->weights = malloc(S3SVM_OUTLINE_NEIGHBOURS * count * sizeof *c->weights);
    c->labels = malloc(count);
    return c->variable && c->costs[0] && c->costs[1] && c->members && c->weights && c->labels;
}

/* A pair of pixels i and j, the first of which is in the band unless it is the second. */
static void pair_add(cutting *c, size_t i, size_t j, float contrast)
{
    const uint32_t a = c->variable[i], b = c->variable[j];
    const double weight = rint(c->strength * (double)contrast / c->unit);
    if (a != UINT32_MAX && b != UINT32_MAX) {
        c->members[2 * c->pairs] = a;
        c->members[2 * c->pairs + 1] = b;
        c->weights[c->pairs++] = weight;
    } else if (a != UINT32_MAX)
        c->costs[1 - c->band->labels[j]][a] += weight;
    else
        c->costs[1 - c->band->labels[i]][b] += weight;
}

static void outline_pairs_add(cutting *c)
{
    const s3svm_outline_photo *s = c->photo;
    const size_t n = s->width * s->height;
    const ptrdiff_t steps[S3SVM_OUTLINE_NEIGHBOURS] = { 1, (ptrdiff_t)s->width - 1, (ptrdiff_t)s->width,
                                                        (ptrdiff_t)s->width + 1 };
    for (size_t v = 0; v < c->band->count; v++) {
        const size_t i = c->band->pixels[v];
        for (size_t k = 0; k < S3SVM_OUTLINE_NEIGHBOURS; k++) {
            const float after = s->contrast[k * n + i];
            if (after > 0) pair_add(c, i, i + (size_t)steps[k], after);
            if (i < (size_t)steps[k]) continue;
            const size_t before = i - (size_t)steps[k];
            if (c->variable[before] == UINT32_MAX && s->contrast[k * n + before] > 0)
                pair_add(c, before, i, s->contrast[k * n + before]);
        }
    }
}

static void costs_set(cutting *c, const float odds[])
{
    const size_t n = c->photo->width * c->photo->height;
    memset(c->variable, 0xff, n * sizeof *c->variable);
    for (size_t v = 0; v < c->band->count; v++) {
        const double z = fmin(ODDS_MOST, fmax(-ODDS_MOST, (double)odds[v]));
        c->variable[c->band->pixels[v]] = (uint32_t)v;
        c->costs[0][v] = rint(fmax(z, 0) / c->unit);
        c->costs[1][v] = rint(fmax(-z, 0) / c->unit);
    }
}

static sos_status energy_minimize(const cutting *c, sos_error *error)
{
    static const double DIFFER[4] = { 0, 1, 1, 0 };
    sos_energy *energy = NULL;
    uint32_t table = 0;
    sos_status status = sos_energy_create(c->band->count, &energy, error);
    if (!status) status = sos_energy_add_table(energy, 2, DIFFER, &table, error);
    if (!status) status = sos_energy_add_cliques(energy, table, c->pairs, c->members, c->weights, error);
    if (!status) status = sos_energy_set_unaries(energy, c->costs[0], c->costs[1], error);
    if (!status) status = sos_minimize(energy, NULL, c->labels, NULL, error);
    sos_energy_free(energy);
    return status;
}

sos_status s3svm_outline_cut(const s3svm_outline_photo *s, const s3svm_outline_band *b, double strength, const float odds[],
                             uint8_t labels[], sos_error *error)
{
    if (!b->count) return SOS_OK;
    cutting c = { .photo = s, .band = b, .strength = strength, .unit = s3svm_grabcut_unit(ODDS_MOST + PAIRS_ALL * strength) };
    sos_status status = cutting_allocate(&c) ? SOS_OK : outline_no_memory(s, error);
    if (!status) {
        costs_set(&c, odds);
        outline_pairs_add(&c);
        status = energy_minimize(&c, error);
    }
    for (size_t v = 0; v < b->count && !status; v++) labels[b->pixels[v]] = c.labels[v];
    cutting_free(&c);
    return status;
}

/* ---------------------------------------------------------------- all */

static sos_status band_decide(const s3svm_outline_model *m, const s3svm_outline_photo *s, const s3svm_outline_band *b,
                              const s3svm_outline_odds *odds, int threads, uint8_t labels[], sos_error *error)
{
    const size_t inputs = m->network.inputs;
    float *features = malloc((b->count * inputs + 1) * sizeof *features);
    float *better = malloc((b->count + 1) * sizeof *better);
    sos_status status = features && better ? SOS_OK : outline_no_memory(s, error);
    if (!status) status = s3svm_outline_features(s, b, odds, inputs, threads, features, error);
    if (!status) {
        s3svm_perceptron_apply(&m->network, b->count, b->count, features, better);
        status = s3svm_outline_cut(s, b, m->strength, better, labels, error);
    }
    free(features);
    free(better);
    return status;
}

sos_status s3svm_outline_decide(const s3svm_outline_model *m, const s3svm_outline_photo *s, const uint8_t marks[],
                                const s3svm_outline_odds *odds, int threads, uint8_t labels[], sos_error *error)
{
    s3svm_outline_band b = { 0 };
    sos_status status = s3svm_outline_band_create(s, labels, marks, threads, &b, error);
    if (!status && b.count) status = band_decide(m, s, &b, odds, threads, labels, error);
    s3svm_outline_band_free(&b);
    return status;
}
