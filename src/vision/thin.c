#include "vision/thin.h"

#include <stdbool.h>

#include "base/error.h"

static const int DX[8] = { 0, 1, 1, 1, 0, -1, -1, -1 }, DY[8] = { -1, -1, 0, 1, 1, 1, 0, -1 };

unsigned s3svm_thin_neighbours(size_t width, size_t height, const uint8_t mask[], size_t pixel)
{
    const ptrdiff_t x = (ptrdiff_t)(pixel % width), y = (ptrdiff_t)(pixel / width);
    unsigned bits = 0;
    for (int d = 0; d < 8; d++) {
        const ptrdiff_t u = x + DX[d], v = y + DY[d];
        if (u < 0 || v < 0 || u >= (ptrdiff_t)width || v >= (ptrdiff_t)height) continue;
        bits |= (unsigned)(mask[v * (ptrdiff_t)width + u] != 0) << d;
    }
    return bits;
}

/* Yokoi's number for lines that touch along corners, too: over the neighbours b0, b2, b4, b6 along sides,
 *
 *     sum (1 - b_k) - (1 - b_k) (1 - b_k+1) (1 - b_k+2),
 *
 * how many parts of the background come together here; simple where that is 1. */
int s3svm_thin_simple(unsigned neighbours)
{
    int sum = 0;
    for (unsigned k = 0; k < 8; k += 2) {
        const bool a = !(neighbours >> k & 1), b = !(neighbours >> (k + 1) & 1), c = !(neighbours >> (k + 2) % 8 & 1);
        sum += a - (a && b && c);
    }
    return sum == 1;
}

static int bits_count(unsigned bits)
{
    int count = 0;
    for (; bits; bits &= bits - 1) count++;
    return count;
}

/* One pass from a side: whether anything went.  Pixels that are to go are marked first, by what the pass began with, so that a
 * pass takes one layer; each goes only if it is still simple, and no end, when its turn comes. */
static bool pass_run(size_t width, size_t height, unsigned side, uint8_t mask[])
{
    bool changed = false;
    for (size_t i = 0; i < width * height; i++)
        if (mask[i] && !(s3svm_thin_neighbours(width, height, mask, i) >> side & 1)) mask[i] = 2;
    for (size_t i = 0; i < width * height; i++) {
        if (mask[i] != 2) continue;
        const unsigned neighbours = s3svm_thin_neighbours(width, height, mask, i);
        const bool goes = bits_count(neighbours) > 1 && s3svm_thin_simple(neighbours);
        mask[i] = !goes;
        changed |= goes;
    }
    return changed;
}

sos_status s3svm_thin(size_t width, size_t height, uint8_t mask[], sos_error *error)
{
    static const unsigned sides[] = { 0, 4, 2, 6 };
    if (!width || !height) return sos_fail(error, SOS_ERR_ARGUMENT, "a mask without pixels");
    for (size_t i = 0; i < width * height; i++) mask[i] = mask[i] != 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t s = 0; s < 4; s++) changed |= pass_run(width, height, sides[s], mask);
    }
    return SOS_OK;
}
