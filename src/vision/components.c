#include "vision/components.h"

#include <stdlib.h>

#include "base/error.h"

/* The first pixel of a part, by way of parents that point to earlier pixels; paths are halved on the way. */
static uint32_t root_of(uint32_t parents[], uint32_t i)
{
    while (parents[i] != i) {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    return i;
}

/* The earlier root becomes that of both. */
static void unite(uint32_t parents[], uint32_t a, uint32_t b)
{
    a = root_of(parents, a);
    b = root_of(parents, b);
    if (a < b)
        parents[b] = a;
    else
        parents[a] = b;
}

/* Unites a pixel with its neighbours to the left and above. */
static void pixel_unite(size_t width, const uint8_t labels[], uint32_t parents[], size_t x, size_t y)
{
    const size_t i = y * width + x;
    parents[i] = (uint32_t)i;
    if (x && labels[i - 1] == labels[i]) unite(parents, (uint32_t)i, (uint32_t)i - 1);
    if (!y) return;
    const size_t above = i - width;
    if (labels[above] == labels[i]) unite(parents, (uint32_t)i, (uint32_t)above);
    if (!labels[i]) return;
    if (x && labels[above - 1] == labels[i]) unite(parents, (uint32_t)i, (uint32_t)above - 1);
    if (x + 1 < width && labels[above + 1] == labels[i]) unite(parents, (uint32_t)i, (uint32_t)above + 1);
}

sos_status s3svm_components(size_t width, size_t height, const uint8_t labels[], uint32_t parts[], size_t *count,
                            sos_error *error)
{
    const size_t n = width * height;
    uint32_t *parents = malloc((n ? n : 1) * sizeof *parents), found = 0;
    if (!parents) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the parts of %zu by %zu pixels", width, height);
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) pixel_unite(width, labels, parents, x, y);
    for (size_t i = 0; i < n; i++) {
        const uint32_t root = root_of(parents, (uint32_t)i);
        parts[i] = root == i ? found++ : parts[root];
    }
    free(parents);
    *count = found;
    return SOS_OK;
}
