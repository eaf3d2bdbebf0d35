/* test_resize.c - planes of another size: means under a triangle, by a formula of its own. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "support.h"
#include "vision/resize.h"

/* The mean of samples 0 ... n - 1 under a triangle around x, those beyond being the outermost. */
static double under_triangle(size_t n, const double samples[], double x, double reach)
{
    double sum = 0, weights = 0;
    for (int k = -2 * (int)n - 9; k < 3 * (int)n + 9; k++) {
        const double weight = fmax(0, 1 - fabs(k - x) / reach);
        sum += weight * samples[k < 0 ? 0 : k >= (int)n ? n - 1 : (size_t)k];
        weights += weight;
    }
    return sum / weights;
}

/* Rows, then columns, each value by itself. */
static double value_of(const s3svm_plane *from, size_t width, size_t height, size_t x, size_t y)
{
    const double across = (double)from->width / (double)width, down = (double)from->height / (double)height;
    double row[64], column[64];
    for (size_t j = 0; j < from->height; j++) {
        for (size_t i = 0; i < from->width; i++) row[i] = (double)from->values[j * from->width + i];
        column[j] = under_triangle(from->width, row, ((double)x + 0.5) * across - 0.5, fmax(1, across));
    }
    return under_triangle(from->height, column, ((double)y + 0.5) * down - 0.5, fmax(1, down));
}

static void planes_are_means_under_a_triangle(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < 40; c++) {
        sos_random r = test_case_begin(c);
        const size_t width = 1 + (size_t)sos_random_below(&r, 40), height = 1 + (size_t)sos_random_below(&r, 40);
        s3svm_plane from, to;
        sos_error error;
        check_ok(s3svm_plane_create(1 + (size_t)sos_random_below(&r, 30), 1 + (size_t)sos_random_below(&r, 30), &from, &error),
                 error);
        for (size_t i = 0; i < s3svm_plane_size(&from); i++) from.values[i] = (float)sos_random_normal(&r);
        check_ok(s3svm_plane_resize(&from, width, height, &to, &error), error);
        check(to.width == width && to.height == height);
        for (size_t y = 0; y < height; y++)
            for (size_t x = 0; x < width; x++)
                check(fabs((double)to.values[y * width + x] - value_of(&from, width, height, x, y)) < 1e-5);
        s3svm_plane_free(&from);
        s3svm_plane_free(&to);
    }
}

static void the_same_size_is_the_same_plane(void **state)
{
    (void)state;
    enum { WIDTH = 17, HEIGHT = 9 };
    sos_random r = test_case_begin(100);
    s3svm_plane from, to;
    sos_error error;
    check_ok(s3svm_plane_create(WIDTH, HEIGHT, &from, &error), error);
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) from.values[i] = (float)sos_random_normal(&r);
    check_ok(s3svm_plane_resize(&from, WIDTH, HEIGHT, &to, &error), error);
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) check(from.values[i] == to.values[i]);
    s3svm_plane_free(&from);
    s3svm_plane_free(&to);
    check_ok(s3svm_plane_create(1, 1, &from, &error), error);
    check_error(s3svm_plane_resize(&from, 0, 5, &to, &error), SOS_ERR_RANGE, error, "0 by 5");
    s3svm_plane_free(&from);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes_are_means_under_a_triangle),
        cmocka_unit_test(the_same_size_is_the_same_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
