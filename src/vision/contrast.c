#include "vision/contrast.h"

#include "base/lanes.h"

/* Sums are of whole numbers, and so the same in any order. */
double s3svm_contrast_beta(const s3svm_image *picture, int neighbours)
{
    const size_t width = picture->width, height = picture->height;
    uint64_t sum = 0, count = 0;
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            const uint8_t *here = picture->pixels + 3 * (y * width + x), *below = here + 3 * width;
            const bool right = x + 1 < width, down = y + 1 < height, diagonals = neighbours == 8 && down;
            if (right) sum += s3svm_contrast_square(here, here + 3), count++;
            if (down) sum += s3svm_contrast_square(here, below), count++;
            if (diagonals && right) sum += s3svm_contrast_square(here, below + 3), count++;
            if (diagonals && x) sum += s3svm_contrast_square(here, below - 3), count++;
        }
    return s3svm_contrast_beta_of((double)count, (double)sum);
}

void s3svm_contrast_weights(double beta, size_t count, const uint32_t squares[], double weights[])
{
    for (size_t k = 0; k < count; k += SOS_LANES) {
        double exponents[SOS_LANES] = { 0 };
        for (size_t l = 0; l < SOS_LANES && k + l < count; l++) exponents[l] = -beta * squares[k + l];
        sos_lanes e = *sos_lanes_at(exponents);
        sos_lanes_exp(&e);
        for (size_t l = 0; l < SOS_LANES && k + l < count; l++) weights[k + l] = e[l];
    }
}
