#include "vision/bins.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

size_t s3svm_bins_fit(size_t n, float values[], size_t count, float knots[])
{
    qsort(values, n, sizeof *values, by_value);
    size_t kept = 0;
    for (size_t k = 0; k < count; k++) {
        const double place = count > 1 ? (double)k / (double)(count - 1) : 0.5;
        const float knot = values[(size_t)(place * (double)(n - 1))];
        if (!kept || knot > knots[kept - 1]) knots[kept++] = knot;
    }
    return kept;
}

size_t s3svm_bins_place(size_t count, const float knots[], float value, float *share)
{
    *share = 0;
    if (count < 2 || !(value > knots[0])) return 0;
    if (value >= knots[count - 1]) {
        *share = 1;
        return count - 2;
    }
    size_t low = 0, high = count - 1; /* knots[low] <= value < knots[high] */
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (knots[middle] <= value)
            low = middle;
        else
            high = middle;
    }
    *share = (float)(((double)value - (double)knots[low]) / ((double)knots[high] - (double)knots[low]));
    return low;
}
