/* example.c - a picture as an example of a model of denoising. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "denoise/features.h"
#include "vision/bins.h"

sos_status sos_denoise_values_check(const sos_plane *noisy, sos_error *error)
{
    for (size_t i = 0; i < sos_plane_size(noisy); i++)
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

static sos_status unaries_give(sos_example *x, unaries *u, sos_error *error)
{
    const sos_status status = sos_example_set_features(x, SOS_DENOISE_PIXELS, u->start, u->index, u->value, error);
    unaries_free(u);
    return status;
}

/* |x - 0| - |x - 1|: what ink costs more than paper; or 1. */
static sos_status single_set(sos_example *x, const sos_plane *noisy, bool constant, sos_error *error)
{
    unaries u;
    const sos_status status = unaries_create(sos_plane_size(noisy), 1, &u, error);
    if (status) return status;
    for (size_t i = 0; i < sos_plane_size(noisy); i++) {
        const double grey = (double)noisy->values[i];
        u.value[i] = constant ? 1 : fabs(grey) - fabs(grey - 1);
    }
    return unaries_give(x, &u, error);
}

static sos_status responses_set(sos_example *x, const sos_denoise_features *f, const sos_plane *response, sos_error *error)
{
    unaries u;
    const sos_status status = unaries_create(sos_plane_size(response), 2, &u, error);
    if (status) return status;
    for (size_t i = 0; i < sos_plane_size(response); i++) {
        float share;
        const size_t low = sos_bins_place(f->knots, f->knot, response->values[i], &share);
        u.index[2 * i] = (uint32_t)low;
        u.index[2 * i + 1] = (uint32_t)low + 1;
        u.value[2 * i] = 1 - (double)share;
        u.value[2 * i + 1] = (double)share;
    }
    return unaries_give(x, &u, error);
}

/* Copies the numbers of the pixels of a patch and returns their least distance from being undecided; 0 without responses. */
static double patch_members(const sos_plane *noisy, const sos_plane *response, size_t left, size_t top, size_t side,
                            uint32_t members[])
{
    double least = response ? INFINITY : 0;
    for (size_t j = 0; j < side; j++)
        for (size_t i = 0; i < side; i++) {
            const size_t pixel = (top + j) * noisy->width + left + i;
            members[j * side + i] = (uint32_t)pixel;
            if (response) least = fmin(least, fabs((double)response->values[pixel]));
        }
    return least;
}

/* All patches of side x side pixels; where there are responses, those with one below the limit. */
static sos_status patches_add(sos_example *x, const sos_plane *noisy, size_t side, const sos_plane *response, double limit,
                              sos_error *error)
{
    if (noisy->width < side || noisy->height < side) return SOS_OK;
    const size_t most = (noisy->width - side + 1) * (noisy->height - side + 1), k = side * side;
    uint32_t *members = malloc(most * k * sizeof *members);
    if (!members) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu patches", most);
    size_t count = 0;
    for (size_t top = 0; top + side <= noisy->height; top++)
        for (size_t left = 0; left + side <= noisy->width; left++)
            count += patch_members(noisy, response, left, top, side, members + count * k) <= limit;
    const sos_status status = sos_example_add_cliques(x, SOS_DENOISE_PATCHES, count, members, NULL, error);
    free(members);
    return status;
}

/* Without networks every patch counts. */
static sos_status single_fill(sos_example *x, const sos_denoise_features *f, const sos_plane *noisy, sos_error *error)
{
    const sos_status status = single_set(x, noisy, f->alone, error);
    return status ? status : patches_add(x, noisy, f->kind == SOS_DENOISE_PAPER ? 2 : 3, NULL, 0, error);
}

static sos_status full_fill(sos_example *x, const sos_denoise_features *f, const sos_plane *noisy, sos_error *error)
{
    sos_plane response;
    sos_status status = sos_response_apply(&f->response, noisy, 0, &response, error);
    if (status) return status;
    status = responses_set(x, f, &response, error);
    if (!status) status = patches_add(x, noisy, 3, &response, f->undecided, error);
    sos_plane_free(&response);
    return status;
}

/* Energies are per pixel, as the loss is: then C means the same for pictures of all sizes. */
sos_status sos_denoise_features_apply(const sos_denoise_features *f, const sos_denoise_input *in, sos_example *x,
                                      sos_error *error)
{
    const sos_plane *noisy = in->noisy;
    const bool single = f->kind == SOS_DENOISE_PAPER || f->alone;
    sos_status status = single ? single_fill(x, f, noisy, error) : full_fill(x, f, noisy, error);
    if (!status) status = sos_own_maps_fill(&f->maps, in->maps, noisy->width, noisy->height, 1, x, error);
    if (!status) status = sos_example_set_scale(x, 1 / (double)sos_plane_size(noisy), error);
    if (!status && in->truth) status = sos_example_set_truth(x, in->truth, NULL, error);
    return status;
}
