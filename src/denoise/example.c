/* example.c - a picture as an example of a model of denoising. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "denoise/features.h"
#include "vision/bins.h"

sos_status s3svm_denoise_values_check(const s3svm_plane *noisy, sos_error *error)
{
    for (size_t i = 0; i < s3svm_plane_size(noisy); i++)
        if (!isfinite(noisy->values[i]))
            return sos_fail(error, SOS_ERR_ARGUMENT, "the grey value of pixel %zu is not finite", i);
    return SOS_OK;
}

/* The features of all pixels of a picture, so many each. */
typedef struct unaries {
    size_t *start;
    uint32_t *index;
    double *value;
} unaries;

static void unaries_free(unaries *u)
{
    free(u->start);
    free(u->index);
    free(u->value);
}

static sos_status unaries_create(size_t n, size_t each, unaries *u, sos_error *error)
{
    *u = (unaries){ .start = calloc(n + 1, sizeof *u->start),
                    .index = calloc(n * each, sizeof *u->index),
                    .value = calloc(n * each, sizeof *u->value) };
    if (!u->start || !u->index || !u->value) {
        unaries_free(u);
        (void)sos_fail(error, SOS_ERR_MEMORY, "no memory for the features of %zu pixels", n);
        return SOS_ERR_MEMORY;
    }
    for (size_t i = 0; i <= n; i++) u->start[i] = i * each;
    return SOS_OK;
}

static sos_status unaries_give(sos_example *x, uint32_t group, unaries *u, sos_error *error)
{
    const sos_status status = sos_example_set_features(x, group, u->start, u->index, u->value, error);
    unaries_free(u);
    return status;
}

/* Beyond these log odds a pixel is as good as sure: a hinge that saw more would flatten them all. */
static const double ODDS_MOST = 6;

/* Grey value: |x - 0| - |x - 1|, what ink costs more than paper. */
static double single_value(s3svm_denoise_unary u, const s3svm_denoise_input *in, const s3svm_denoise_view *view, size_t i)
{
    const double grey = (double)in->noisy->values[i];
    if (u == S3SVM_UNARY_CONSTANT) return 1;
    if (u == S3SVM_UNARY_GREY) return fabs(grey) - fabs(grey - 1);
    return fmin(fmax((double)view->response.values[i], -ODDS_MOST), ODDS_MOST) / ODDS_MOST;
}

static sos_status single_set(sos_example *x, uint32_t group, s3svm_denoise_unary u, const s3svm_denoise_input *in,
                             const s3svm_denoise_view *view, sos_error *error)
{
    const size_t n = s3svm_plane_size(in->noisy);
    double *values = malloc(n * sizeof *values);
    if (!values) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the features of %zu pixels", n);
    for (size_t i = 0; i < n; i++) values[i] = single_value(u, in, view, i);
    const sos_status status = sos_example_set_dense_features(x, group, values, 1, 0, error);
    free(values);
    return status;
}

/* A number as what it is between its knots. */
static sos_status knots_set(sos_example *x, uint32_t group, size_t n, const float values[], size_t knots, const float knot[],
                            sos_error *error)
{
    unaries u;
    const sos_status status = unaries_create(n, 2, &u, error);
    if (status) return status;
    for (size_t i = 0; i < n; i++) {
        float share;
        const size_t low = s3svm_bins_place(knots, knot, values[i], &share);
        u.index[2 * i] = (uint32_t)low;
        u.index[2 * i + 1] = (uint32_t)low + 1;
        u.value[2 * i] = 1 - (double)share;
        u.value[2 * i + 1] = (double)share;
    }
    return unaries_give(x, group, &u, error);
}

static sos_status unary_set(const s3svm_denoise_features *f, const s3svm_denoise_groups *g, s3svm_denoise_unary u,
                            const s3svm_denoise_input *in, const s3svm_denoise_view *view, sos_example *x, sos_error *error)
{
    const size_t n = s3svm_plane_size(in->noisy);
    if (u == S3SVM_UNARY_STRENGTH) return knots_set(x, g->unary[u], n, view->where.strength, f->key.knots, f->key.knot, error);
    if (u == S3SVM_UNARY_RESPONSE) return knots_set(x, g->unary[u], n, view->response.values, f->knots, f->knot, error);
    return single_set(x, g->unary[u], u, in, view, error);
}

/* ---------------------------------------------------------------- patches and pairs */

/* Copies the numbers of the pixels of a patch and returns their least distance from being undecided; 0 without responses. */
static double patch_members(const s3svm_plane *noisy, const s3svm_plane *response, size_t left, size_t top, size_t side,
                            uint32_t members[])
{
    double least = response->values ? INFINITY : 0;
    for (size_t j = 0; j < side; j++)
        for (size_t i = 0; i < side; i++) {
            const size_t pixel = (top + j) * noisy->width + left + i;
            members[j * side + i] = (uint32_t)pixel;
            if (response->values) least = fmin(least, fabs((double)response->values[pixel]));
        }
    return least;
}

/* All patches of side x side pixels; where there are responses, those with one below the limit. */
static sos_status patches_add(sos_example *x, uint32_t group, const s3svm_plane *noisy, size_t side,
                              const s3svm_plane *response, double limit, sos_error *error)
{
    if (noisy->width < side || noisy->height < side) return SOS_OK;
    const size_t most = (noisy->width - side + 1) * (noisy->height - side + 1), k = side * side;
    uint32_t *members = malloc(most * k * sizeof *members);
    if (!members) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu patches", most);
    size_t count = 0;
    for (size_t top = 0; top + side <= noisy->height; top++)
        for (size_t left = 0; left + side <= noisy->width; left++)
            count += patch_members(noisy, response, left, top, side, members + count * k) <= limit;
    const sos_status status = sos_example_add_cliques(x, group, count, members, NULL, error);
    free(members);
    return status;
}

/* Pairs of neighbours: in rows and columns of the first group, across corners of the next one if it is wanted. */
static sos_status drawing_pairs_add(sos_example *x, uint32_t group, const s3svm_plane *noisy, bool across, sos_error *error)
{
    const size_t w = noisy->width, h = noisy->height, most = 4 * w * h;
    uint32_t *members = malloc(2 * most * sizeof *members), *groups = malloc(most * sizeof *groups);
    size_t count = 0;
    sos_status status = SOS_OK;
    if (!members || !groups) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for the pairs of %zu by %zu pixels", w, h);
    for (size_t i = 0; i < w * h && !status; i++) {
        const size_t u = i % w;
        const bool right = u + 1 < w, below = i + w < w * h;
        const bool there[4] = { right, below, across && right && below, across && u && below };
        const size_t other[4] = { i + 1, i + w, i + w + 1, i + w - 1 };
        for (size_t d = 0; d < 4; d++) {
            if (!there[d]) continue;
            groups[count] = group + (d > 1);
            members[2 * count] = (uint32_t)i;
            members[2 * count++ + 1] = (uint32_t)other[d];
        }
    }
    if (!status) status = sos_example_add_listed(x, count, groups, members, NULL, error);
    free(members);
    free(groups);
    return status;
}

static sos_status neighbours_add(const s3svm_denoise_features *f, const s3svm_denoise_groups *g, const s3svm_plane *noisy,
                                 const s3svm_denoise_view *view, sos_example *x, sos_error *error)
{
    const s3svm_denoise_design *d = &f->design;
    const s3svm_plane *response = &view->response;
    sos_status status = SOS_OK;
    if (s3svm_design_has_cliques(d, S3SVM_CLIQUES_PAIRS4))
        status = drawing_pairs_add(x, g->cliques[S3SVM_CLIQUES_PAIRS4], noisy, false, error);
    if (!status && s3svm_design_has_cliques(d, S3SVM_CLIQUES_PAIRS8))
        status = drawing_pairs_add(x, g->cliques[S3SVM_CLIQUES_PAIRS8], noisy, true, error);
    if (!status && s3svm_design_has_cliques(d, S3SVM_CLIQUES_PATCH2))
        status = patches_add(x, g->cliques[S3SVM_CLIQUES_PATCH2], noisy, 2, response, f->undecided, error);
    if (!status && s3svm_design_has_cliques(d, S3SVM_CLIQUES_PATCH3))
        status = patches_add(x, g->cliques[S3SVM_CLIQUES_PATCH3], noisy, 3, response, f->undecided, error);
    return status;
}

/* Energies are per pixel, as the loss is: then C means the same for pictures of all sizes. */
sos_status s3svm_denoise_features_apply(const s3svm_denoise_features *f, const s3svm_denoise_input *in,
                                        const s3svm_denoise_view *view, sos_example *x, sos_error *error)
{
    const s3svm_plane *noisy = in->noisy;
    s3svm_denoise_groups groups;
    s3svm_denoise_groups_list(f, &groups);
    sos_status status = SOS_OK;
    for (s3svm_denoise_unary u = 0; u < S3SVM_UNARIES && !status; u++)
        if (s3svm_design_has_unary(&f->design, u)) status = unary_set(f, &groups, u, in, view, x, error);
    if (!status) status = neighbours_add(f, &groups, noisy, view, x, error);
    if (!status) status = s3svm_denoise_lines_apply(f, &groups, view, x, error);
    if (!status) status = s3svm_own_maps_fill(&f->maps, in->maps, noisy->width, noisy->height, 1, x, error);
    if (!status) status = sos_example_set_scale(x, 1 / (double)s3svm_plane_size(noisy), error);
    if (!status && in->truth) status = sos_example_set_truth(x, in->truth, NULL, error);
    return status;
}
