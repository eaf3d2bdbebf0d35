/* patches.h - the patches of an image or a volume: how many there are, and their members. */
#ifndef SOS_ENERGY_PATCHES_H
#define SOS_ENERGY_PATCHES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A box of width x height x depth variables, pixels of an image or voxels of a volume. */
typedef struct sos_box {
    size_t width, height, depth;
} sos_box;

/* Whether patches of k members fit a grid of at most n variables; one that is smaller than a patch has none. */
sos_status sos_patches_check(size_t n, size_t k, sos_box grid, sos_box patch, sos_error *error);
size_t sos_patches_count(sos_box grid, sos_box patch);

/* The members of all of them, row by row: count * k. */
void sos_patches_list(sos_box grid, sos_box patch, uint32_t members[]);

#endif
