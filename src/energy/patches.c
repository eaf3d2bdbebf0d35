/* patches.c - the patches of an image or a volume. */
#include "energy/patches.h"

sos_status sos_patches_check(size_t n, size_t k, sos_box grid, sos_box patch, sos_error *error)
{
    if (!patch.width || !patch.height || !patch.depth || k % patch.width || k / patch.width % patch.height ||
        k / patch.width / patch.height != patch.depth)
        return sos_fail(error, SOS_ERR_ARGUMENT, "patches of %zux%zux%zu, but the table has %zu members", patch.width,
                        patch.height, patch.depth, k);
    if (!grid.width || !grid.height || !grid.depth) return SOS_OK;
    if (grid.height > n / grid.width || grid.depth > n / grid.width / grid.height)
        return sos_fail(error, SOS_ERR_ARGUMENT, "a grid of %zux%zux%zu, but there are %zu variables", grid.width, grid.height,
                        grid.depth, n);
    return SOS_OK;
}

size_t sos_patches_count(sos_box grid, sos_box patch)
{
    if (grid.width < patch.width || grid.height < patch.height || grid.depth < patch.depth) return 0;
    return (grid.width - patch.width + 1) * (grid.height - patch.height + 1) * (grid.depth - patch.depth + 1);
}

/* The members of the patch whose first corner is variable at. */
static uint32_t *patch_members(uint32_t *next, sos_box grid, sos_box patch, size_t at)
{
    for (size_t dz = 0; dz < patch.depth; dz++)
        for (size_t dy = 0; dy < patch.height; dy++)
            for (size_t dx = 0; dx < patch.width; dx++) *next++ = (uint32_t)(at + (dz * grid.height + dy) * grid.width + dx);
    return next;
}

void sos_patches_list(sos_box grid, sos_box patch, uint32_t members[])
{
    for (size_t z = 0; z + patch.depth <= grid.depth; z++)
        for (size_t y = 0; y + patch.height <= grid.height; y++)
            for (size_t x = 0; x + patch.width <= grid.width; x++)
                members = patch_members(members, grid, patch, (z * grid.height + y) * grid.width + x);
}
