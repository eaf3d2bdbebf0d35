/* cliques.c - the cliques of a model for labels: pairs, 2x2 patches with tables, and superpixels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/error.h"
#include "label/groups.h"
#include "label/model.h"
#include "vision/contrast.h"
#include "vision/superpixel.h"

#define WHOLE 0 /* all pixels of a picture: which labels it has at all */

/* Pixels of a superpixel, in a picture of 180 x 120: small ones keep to outlines, large ones see beyond them.  With both, 0.4
 * points more of the pixels are right than with tables alone; other sizes were not tried (docs/notes/labeling.md). */
static const double REGION_SIZE[S3SVM_LABEL_SCALES_MAX] = { 60, 240, 1000, WHOLE };
static const double REGION_LEAST = 4;
static const double USUAL_PIXELS = 180 * 120;

/* The share of a superpixel's pixels that may disagree before it costs no more; others were not tried. */
static const double REGION_REACH = 0.3;

/* exp(-700) is still a normal number; a contrast beyond is as good as 0. */
static const double EXPONENT_MAX = 700;

typedef struct example_builder {
    const s3svm_label_model *model;
    const s3svm_image *picture;
    const s3svm_label_view *view;
    sos_example *x;
} example_builder;

/* ---------------------------------------------------------------- reaches */

/* Patches of one reach in a picture. */
typedef struct reach {
    size_t number;
    size_t distance; /* pixels */
    size_t step;     /* columns from one patch to the next */
    double strength;
} reach;

/* Patches further apart than neighbours overlap so much that every second column will do: it takes half the time. */
static reach reach_of(const example_builder *s, size_t number)
{
    const s3svm_label_design *d = &s->model->design;
    const bool near = d->reach[number] <= 1;
    const size_t step = near ? 1 : 2;
    return (reach){ .number = number,
                    .distance = near ? 1 : s3svm_label_view_length(s->view, d->reach[number]),
                    .step = step,
                    .strength = d->strength * (double)step };
}

static double colour_distance(const float lab[], size_t i, size_t j)
{
    double sum = 0;
    for (size_t c = 0; c < 3; c++) {
        const double d = (double)lab[3 * i + c] - (double)lab[3 * j + c];
        sum += d * d;
    }
    return sum;
}

/* Squares of distances become strength * exp(-beta d^2), 1 / beta = 2 mean d^2.  They stand at every stride-th place. */
static void contrasts_find(double strength, size_t count, size_t stride, double squares[])
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += squares[i * stride];
    const double beta = s3svm_contrast_beta_of((double)count, sum);
    for (size_t i = 0; i < count; i++)
        squares[i * stride] = strength * sos_exp(-fmin(beta * squares[i * stride], EXPONENT_MAX));
}

/* ---------------------------------------------------------------- pairs */

/* Whether a patch begins or ends at a column. */
static bool has_corner(const reach *r, size_t width, size_t x)
{
    return r->step == 1 || (x % r->step == 0 && x + r->distance < width) ||
           (x >= r->distance && (x - r->distance) % r->step == 0);
}

/* The sides of all patches; returns how many.  A picture that is too narrow for a patch of neighbours still has sides. */
static size_t sides_list(const reach *r, size_t width, size_t height, uint32_t pairs[])
{
    size_t count = 0;
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            const size_t i = y * width + x, others[] = { i + r->distance, i + r->distance * width };
            const bool there[] = { x % r->step == 0 && x + r->distance < width,
                                   has_corner(r, width, x) && y + r->distance < height };
            for (size_t k = 0; k < 2; k++) {
                if (!there[k]) continue;
                pairs[2 * count] = (uint32_t)i;
                pairs[2 * count++ + 1] = (uint32_t)others[k];
            }
        }
    return count;
}

/* Both diagonals of all patches. */
static size_t diagonals_list(const reach *r, size_t width, size_t height, uint32_t pairs[])
{
    size_t count = 0;
    for (size_t y = 0; y + r->distance < height; y++)
        for (size_t x = 0; x + r->distance < width; x += r->step) {
            const size_t above = y * width + x, below = above + r->distance * width;
            pairs[2 * count] = (uint32_t)above;
            pairs[2 * count++ + 1] = (uint32_t)(below + r->distance);
            pairs[2 * count] = (uint32_t)(above + r->distance);
            pairs[2 * count++ + 1] = (uint32_t)below;
        }
    return count;
}

/* A constant, and the contrast of the colours. */
static void strengths_find(const float lab[], double strength, size_t count, const uint32_t pairs[], double phi[])
{
    for (size_t p = 0; p < count; p++) {
        phi[2 * p] = strength;
        phi[2 * p + 1] = colour_distance(lab, pairs[2 * p], pairs[2 * p + 1]);
    }
    contrasts_find(strength, count, 2, phi + 1);
}

static sos_status label_pairs_add(const example_builder *s, size_t number, bool diagonal, sos_error *error)
{
    const reach r = reach_of(s, number);
    const size_t width = s->picture->width, height = s->picture->height, most = 2 * width * height;
    uint32_t *pairs = malloc(2 * most * sizeof *pairs);
    double *phi = malloc(2 * most * sizeof *phi);
    sos_status status = pairs && phi ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pairs", most);
    if (!status) {
        const size_t count = diagonal ? diagonals_list(&r, width, height, pairs) : sides_list(&r, width, height, pairs);
        strengths_find(s->view->lab, r.strength, count, pairs, phi);
        status = sos_example_add_pairs(s->x, s3svm_label_pair_group(&s->model->design, s->model->features, number, diagonal),
                                       count, pairs, phi, error);
    }
    free(pairs);
    free(phi);
    return status;
}

/* ---------------------------------------------------------------- patches */

typedef struct patch_list {
    size_t count;
    uint32_t *groups, *members;
    double *phi;
} patch_list;

/* How far the two of four colours are apart that differ most, squared. */
static double greatest_distance(const float lab[], const uint32_t members[4])
{
    double most = 0;
    for (size_t a = 1; a < 4; a++)
        for (size_t b = 0; b < a; b++) most = fmax(most, colour_distance(lab, members[a], members[b]));
    return most;
}

/* clusters: of the patches at all places. */
static void patches_list(const example_builder *s, const reach *r, const uint32_t clusters[], patch_list *list)
{
    const size_t width = s->picture->width, across = width - r->distance, places = across * (s->picture->height - r->distance);
    const float *lab = s->view->lab;
    const uint32_t first = s3svm_label_patch_group(s->model->features, r->number);
    for (size_t p = 0; p < places; p++) {
        const size_t corner = p / across * width + p % across;
        if (p % across % r->step) continue;
        uint32_t *members = list->members + 4 * list->count;
        for (size_t q = 0; q < 4; q++) members[q] = (uint32_t)(corner + q / 2 * r->distance * width + q % 2 * r->distance);
        list->groups[list->count] = first + clusters[p];
        list->phi[list->count++] = greatest_distance(lab, members);
    }
    contrasts_find(r->strength, list->count, 1, list->phi);
}

static sos_status patches_add(const example_builder *s, size_t number, sos_error *error)
{
    const reach r = reach_of(s, number);
    if (s->picture->width <= r.distance || s->picture->height <= r.distance) return SOS_OK;
    const size_t most = (s->picture->width - r.distance) * (s->picture->height - r.distance);
    uint32_t *clusters = malloc(most * sizeof *clusters);
    patch_list list = { .groups = malloc(most * sizeof *list.groups),
                        .members = malloc(4 * most * sizeof *list.members),
                        .phi = malloc(most * sizeof *list.phi) };
    sos_status status = clusters && list.groups && list.members && list.phi
                            ? s3svm_label_edges(s->model->features, s->view, r.distance, clusters, error)
                            : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu patches", most);
    if (!status) {
        patches_list(s, &r, clusters, &list);
        status = sos_example_add_listed(s->x, list.count, list.groups, list.members, list.phi, error);
    }
    free(clusters);
    free(list.groups);
    free(list.members);
    free(list.phi);
    return status;
}

/* ---------------------------------------------------------------- superpixels */

/* Strengths are for every pixel of a piece. */
static sos_status pieces_add(const example_builder *s, size_t scale, const uint32_t pieces[], size_t count, sos_error *error)
{
    const s3svm_label_design *d = &s->model->design;
    const size_t n = s3svm_image_size(s->picture), each = s3svm_label_has_counts(d) ? 1 : s3svm_label_scales(d);
    const uint32_t group = s3svm_label_region_group(d, s->model->features);
    size_t *start = malloc((count + 1) * sizeof *start);
    uint32_t *members = malloc(n * sizeof *members);
    double *phi = calloc(count * each, sizeof *phi);
    sos_status status = SOS_OK;
    if (start && members && phi) {
        s3svm_superpixel_lists(n, pieces, count, start, members);
        for (size_t p = 0; p < count; p++) phi[p * each + scale % each] = (double)(start[p + 1] - start[p]);
        status = s3svm_label_has_counts(d)
                     ? sos_example_add_counts(s->x, group + (uint32_t)scale, count, start, members, NULL, phi, error)
                     : sos_example_add_regions(s->x, group, count, start, members, REGION_REACH, phi, error);
    } else {
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu superpixels", count);
    }
    free(start);
    free(members);
    free(phi);
    return status;
}

/* Superpixels of a scale, or the whole picture as one. */
static sos_status pieces_find(const example_builder *s, size_t scale, uint32_t pieces[], size_t *count, sos_error *error)
{
    const size_t n = s3svm_image_size(s->picture);
    s3svm_superpixel_settings settings = s3svm_superpixel_defaults();
    if (REGION_SIZE[scale] == WHOLE) {
        memset(pieces, 0, n * sizeof *pieces);
        *count = 1;
        return SOS_OK;
    }
    settings.size = fmax(REGION_LEAST, REGION_SIZE[scale] * (double)n / USUAL_PIXELS);
    settings.threads = 1;
    return s3svm_superpixels(s->picture, &settings, pieces, count, error);
}

static sos_status regions_add(const example_builder *s, sos_error *error)
{
    const size_t n = s3svm_image_size(s->picture);
    uint32_t *pieces = malloc(n * sizeof *pieces);
    sos_status status = pieces ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for superpixels");
    for (size_t scale = 0; scale < s3svm_label_scales(&s->model->design) && !status; scale++) {
        size_t count;
        status = pieces_find(s, scale, pieces, &count, error);
        if (!status) status = pieces_add(s, scale, pieces, count, error);
    }
    free(pieces);
    return status;
}

/* ---------------------------------------------------------------- all */

sos_status s3svm_label_cliques_add(const s3svm_label_model *p, const s3svm_image *picture, const s3svm_label_view *view,
                                   sos_example *x, sos_error *error)
{
    const example_builder s = { .model = p, .picture = picture, .view = view, .x = x };
    const s3svm_label_design *d = &p->design;
    sos_status status = SOS_OK;
    for (size_t r = 0; s3svm_label_has_pairs(d) && r < d->reaches && !status; r++) {
        status = label_pairs_add(&s, r, false, error);
        if (!status && d->diagonals) status = label_pairs_add(&s, r, true, error);
    }
    for (size_t r = 0; s3svm_label_has_tables(d) && r < d->reaches && !status; r++) status = patches_add(&s, r, error);
    return !status && (s3svm_label_has_robust(d) || s3svm_label_has_counts(d)) ? regions_add(&s, error) : status;
}
