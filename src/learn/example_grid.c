/* example_grid.c - cliques and pairs of an image or a volume: all of its patches, all neighbours. */
#include <stdlib.h>

#include "energy/patches.h"
#include "learn/example.h"

/* With several strengths the energy has a clique for each phi over 0, which a list of them says. */
static sos_status patches_list_add(sos_example *x, uint32_t group, sos_box grid, sos_box patch, const double phi[],
                                   sos_error *error)
{
    const size_t k = x->layout->groups[group].spec.size, count = sos_patches_count(grid, patch);
    if (count > SIZE_MAX / k / sizeof(uint32_t)) return sos_fail(error, SOS_ERR_RANGE, "%zu patches are too many", count);
    uint32_t *members = malloc((count * k + !count) * sizeof *members);
    if (!members) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu patches", count);
    sos_patches_list(grid, patch, members);
    const sos_status status = sos_example_add_cliques(x, group, count, members, phi, error);
    free(members);
    return status;
}

sos_status sos_example_add_volume_patches(sos_example *x, uint32_t group, size_t width, size_t height, size_t depth,
                                          size_t patch_width, size_t patch_height, size_t patch_depth, const double phi[],
                                          sos_error *error)
{
    const sos_box grid = { width, height, depth }, patch = { patch_width, patch_height, patch_depth };
    uint32_t table;
    sos_status status = sos_example_group_check(x, group, SOS_GROUP_TABLE, "patches", error);
    if (!status) status = sos_patches_check(x->n, x->layout->groups[group].spec.size, grid, patch, error);
    if (status) return status;
    if (x->layout->groups[group].strengths > 1) return patches_list_add(x, group, grid, patch, phi, error);
    status = sos_example_group_table(x, group, 0, &table, error);
    if (status) return status;
    return sos_energy_add_volume_patches(x->energy, table, width, height, depth, patch_width, patch_height, patch_depth, phi,
                                         error);
}

sos_status sos_example_add_patches(sos_example *x, uint32_t group, size_t width, size_t height, size_t patch_width,
                                   size_t patch_height, const double phi[], sos_error *error)
{
    return sos_example_add_volume_patches(x, group, width, height, 1, patch_width, patch_height, 1, phi, error);
}

/* Pixel by pixel: the one to the right, the one below; with 8 neighbours also below to the right and to the left. */
static size_t neighbours_list(size_t width, size_t height, int neighbours, uint32_t pairs[])
{
    size_t count = 0;
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            const size_t i = y * width + x;
            const bool right = x + 1 < width, below = y + 1 < height, across = neighbours == 8 && below;
            const bool there[] = { right, below, across && right, across && x > 0 };
            const size_t other[] = { i + 1, i + width, i + width + 1, i + width - 1 };
            for (size_t d = 0; d < sizeof there / sizeof *there; d++) {
                if (!there[d]) continue;
                pairs[2 * count] = (uint32_t)i;
                pairs[2 * count++ + 1] = (uint32_t)other[d];
            }
        }
    return count;
}

sos_status sos_example_add_grid_pairs(sos_example *x, uint32_t group, size_t width, size_t height, int neighbours,
                                      const double phi[], sos_error *error)
{
    sos_status status = sos_example_group_check(x, group, SOS_GROUP_NONNEGATIVE, "pairs", error);
    if (status) return status;
    if (neighbours != 4 && neighbours != 8)
        return sos_fail(error, SOS_ERR_ARGUMENT, "%d neighbours; pixels have 4 or 8", neighbours);
    if (width && height > x->n / width)
        return sos_fail(error, SOS_ERR_ARGUMENT, "a grid of %zux%zu, but there are %zu variables", width, height, x->n);
    const size_t most = (size_t)neighbours / 2 * width * height;
    uint32_t *pairs = malloc((2 * most + !most) * sizeof *pairs);
    if (!pairs) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pairs", most);
    const size_t count = neighbours_list(width, height, neighbours, pairs);
    status = sos_example_add_pairs(x, group, count, pairs, phi, error);
    free(pairs);
    return status;
}
