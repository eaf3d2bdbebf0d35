/* test_filter.c - filters and bins are their definitions, computed in double precision and by the slowest way. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "vision/bins.h"
#include "vision/filter.h"

static const double TOLERANCE = 1e-5;

static s3svm_plane plane_new(size_t width, size_t height)
{
    s3svm_plane p;
    sos_error error;
    check_ok(s3svm_plane_create(width, height, &p, &error), error);
    return p;
}

/* Sizes down to 1, and values a little beyond 0 ... 1. */
static s3svm_plane plane_random(sos_random *r)
{
    s3svm_plane p = plane_new(1 + sos_random_below(r, 20), 1 + sos_random_below(r, 20));
    for (size_t i = 0; i < s3svm_plane_size(&p); i++) p.values[i] = (float)(1.4 * sos_random_uniform(r) - 0.2);
    return p;
}

/* The pixel at any coordinates, walking back and forth at the borders. */
static double at(const s3svm_plane *p, long x, long y)
{
    const long w = (long)p->width, h = (long)p->height;
    while (x < 0 || x >= w) x = x < 0 ? -1 - x : 2 * w - 1 - x;
    while (y < 0 || y >= h) y = y < 0 ? -1 - y : 2 * h - 1 - y;
    return (double)p->values[y * w + x];
}

static void padding_mirrors(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(50); c++) {
        sos_random r = test_case_begin(c);
        s3svm_plane in = plane_random(&r), out;
        sos_error error;
        const size_t margin = sos_random_below(&r, 50);
        check_ok(s3svm_filter_pad(&in, margin, &out, &error), error);
        check(out.width == in.width + 2 * margin && out.height == in.height + 2 * margin);
        for (size_t y = 0; y < out.height; y++)
            for (size_t x = 0; x < out.width; x++)
                check((double)out.values[y * out.width + x] == at(&in, (long)x - (long)margin, (long)y - (long)margin));
        s3svm_plane_free(&in);
        s3svm_plane_free(&out);
    }
}

static void gaussian_is_its_weighted_mean(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(30); c++) {
        sos_random r = test_case_begin(c);
        s3svm_plane in = plane_random(&r), out = plane_new(in.width, in.height);
        sos_error error;
        const double sigma = 0.3 + 3 * sos_random_uniform(&r);
        const long reach = (long)ceil(3 * sigma);
        check_ok(s3svm_filter_gauss(&in, sigma, &out, &error), error);
        for (long y = 0; y < (long)in.height; y++)
            for (long x = 0; x < (long)in.width; x++) {
                double sum = 0, total = 0;
                for (long dy = -reach; dy <= reach; dy++)
                    for (long dx = -reach; dx <= reach; dx++) {
                        const double weight = exp(-(double)(dx * dx + dy * dy) / (2 * sigma * sigma));
                        sum += weight * at(&in, x + dx, y + dy);
                        total += weight;
                    }
                check(fabs((double)out.values[(size_t)y * in.width + (size_t)x] - sum / total) < TOLERANCE);
            }
        s3svm_plane_free(&in);
        s3svm_plane_free(&out);
    }
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* As the filter rounds: to 8 bits. */
static double rounded(double x) { return rint(fmin(fmax(x, 0), 1) * 255) / 255; }

static void median_is_the_middle_of_a_square(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(50); c++) {
        sos_random r = test_case_begin(c);
        s3svm_plane in = plane_random(&r), median = plane_new(in.width, in.height);
        sos_error error;
        const long radius = (long)sos_random_below(&r, 6);
        check_ok(s3svm_filter_median(&in, (size_t)radius, &median, &error), error);
        for (long y = 0; y < (long)in.height; y++)
            for (long x = 0; x < (long)in.width; x++) {
                double window[11 * 11];
                size_t n = 0;
                for (long dy = -radius; dy <= radius; dy++)
                    for (long dx = -radius; dx <= radius; dx++) window[n++] = rounded(at(&in, x + dx, y + dy));
                qsort(window, n, sizeof *window, by_value);
                const size_t i = (size_t)y * in.width + (size_t)x;
                check(fabs((double)median.values[i] - window[n / 2]) < 1e-6);
            }
        s3svm_plane_free(&in);
        s3svm_plane_free(&median);
    }
}

/* The pixel at real coordinates, one of which is an integer. */
static double between(const s3svm_plane *p, double x, double y)
{
    const double left = floor(x + 1e-9), top = floor(y + 1e-9), a = fmax(x - left, 0), b = fmax(y - top, 0);
    const long i = (long)left, j = (long)top;
    return (1 - b) * ((1 - a) * at(p, i, j) + a * at(p, i + 1, j)) + b * ((1 - a) * at(p, i, j + 1) + a * at(p, i + 1, j + 1));
}

static void line_is_the_mean_of_its_samples(void **state)
{
    (void)state;
    const double turn = 2 * acos(-1);
    for (uint64_t c = 0; c < test_cases(100); c++) {
        sos_random r = test_case_begin(c);
        s3svm_plane in = plane_random(&r), out = plane_new(in.width, in.height), padded;
        sos_error error;
        const s3svm_line line = { .angle = (double)sos_random_below(&r, 32) / 32,
                                  .reach = 10 * sos_random_uniform(&r),
                                  .aside = sos_random_below(&r, 2) ? 4 * sos_random_uniform(&r) - 2 : 0 };
        const size_t margin = s3svm_line_margin(&line) + sos_random_below(&r, 3);
        check_ok(s3svm_filter_pad(&in, margin, &padded, &error), error);
        check_ok(s3svm_filter_line(&padded, margin, &line, &out, &error), error);
        const double dx = cos(turn * line.angle), dy = sin(turn * line.angle), longer = fmax(fabs(dx), fabs(dy));
        const long steps = (long)rint(line.reach * longer);
        for (long y = 0; y < (long)in.height; y++)
            for (long x = 0; x < (long)in.width; x++) {
                /* The point of the line nearest to the pixel, slid along it to where the longer axis is whole again. */
                const double px = line.aside * dy, py = -line.aside * dx;
                const double slide = fabs(dy) > fabs(dx) + 1e-9 ? -py / dy : -px / dx;
                double sum = 0;
                for (long i = -steps; i <= steps; i++) {
                    const double t = slide + (double)i / longer;
                    sum += between(&in, (double)x + px + t * dx, (double)y + py + t * dy);
                }
                check(fabs((double)out.values[(size_t)y * in.width + (size_t)x] - sum / (double)(2 * steps + 1)) < 1e-4);
            }
        s3svm_plane_free(&in);
        s3svm_plane_free(&out);
        s3svm_plane_free(&padded);
    }
}

static void aside_is_above_a_row(void **state)
{
    (void)state;
    sos_error error;
    s3svm_plane in = plane_new(9, 9), out = plane_new(9, 9), padded;
    for (size_t x = 0; x < 9; x++) in.values[3 * 9 + x] = 1; /* row 3 */
    const s3svm_line line = { .angle = 0, .reach = 2, .aside = 2 };
    const size_t margin = s3svm_line_margin(&line);
    check_ok(s3svm_filter_pad(&in, margin, &padded, &error), error);
    check_ok(s3svm_filter_line(&padded, margin, &line, &out, &error), error);
    for (size_t y = 0; y < 9; y++) check(fabsf(out.values[y * 9 + 4] - (y == 5 ? 1.0F : 0.0F)) < 1e-6F);
    s3svm_plane_free(&in);
    s3svm_plane_free(&out);
    s3svm_plane_free(&padded);
}

static void bad_filters_are_refused(void **state)
{
    (void)state;
    sos_error error;
    s3svm_plane in = plane_new(5, 4), out = plane_new(5, 4), other = plane_new(4, 5);
    check_error(s3svm_filter_gauss(&in, 0, &out, &error), SOS_ERR_ARGUMENT, error, "deviation 0");
    check_error(s3svm_filter_gauss(&in, NAN, &out, &error), SOS_ERR_ARGUMENT, error, "nan");
    check_error(s3svm_filter_gauss(&in, 1e9, &out, &error), SOS_ERR_ARGUMENT, error, "deviation");
    check_error(s3svm_filter_gauss(&in, 1, &in, &error), SOS_ERR_ARGUMENT, error, "in place");
    check_error(s3svm_filter_median(&in, 1, &other, &error), SOS_ERR_ARGUMENT, error, "5 by 4 to 4 by 5");
    check_error(s3svm_filter_median(&in, 1 << 20, &out, &error), SOS_ERR_ARGUMENT, error, "radius");
    check_error(s3svm_filter_median(&in, 1 << 20, &out, &error), SOS_ERR_ARGUMENT, error, "radius");
    const s3svm_line endless = { .reach = INFINITY }, fine = { .reach = 3 };
    check_error(s3svm_filter_line(&in, 0, &endless, &out, &error), SOS_ERR_ARGUMENT, error, "inf");
    check_error(s3svm_filter_line(&in, 0, &fine, &out, &error), SOS_ERR_ARGUMENT, error, "margin");
    s3svm_plane_free(&in);
    s3svm_plane_free(&out);
    s3svm_plane_free(&other);
}

/* ---------------------------------------------------------------- bins */

static void knots_reproduce_what_lies_between_them(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(200); c++) {
        sos_random r = test_case_begin(c);
        float knots[12];
        const size_t count = 1 + sos_random_below(&r, 12);
        knots[0] = (float)sos_random_normal(&r);
        for (size_t i = 1; i < count; i++) knots[i] = knots[i - 1] + 0.01F + (float)sos_random_uniform(&r);
        for (int i = 0; i < 50; i++) {
            float share;
            const float value = i < 12 ? knots[(size_t)i % count] : (float)(8 * sos_random_normal(&r));
            const size_t low = s3svm_bins_place(count, knots, value, &share);
            check(low + 1 < count || (count == 1 && low == 0 && share == 0));
            check(share >= 0 && share <= 1);
            const double mixed = count == 1 ? (double)knots[0]
                                            : (1 - (double)share) * (double)knots[low] + (double)share * (double)knots[low + 1];
            check(fabs(mixed - (double)fminf(fmaxf(value, knots[0]), knots[count - 1])) < 1e-5);
        }
    }
}

static void values_that_are_no_numbers_have_a_place(void **state)
{
    (void)state;
    const float knots[3] = { -3e38F, 0, 3e38F };
    const float values[] = { NAN, INFINITY, -INFINITY, 3.4e38F, 1e38F };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        float share;
        check(s3svm_bins_place(3, knots, values[i], &share) <= 1);
        check(share >= 0 && share <= 1);
    }
}

static void quantiles_share_the_values_out(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(100); c++) {
        sos_random r = test_case_begin(c);
        float values[300], knots[16];
        const size_t n = 1 + sos_random_below(&r, 300), wanted = 1 + sos_random_below(&r, 16);
        const uint64_t kinds = 1 + sos_random_below(&r, 400); /* often with many equal values */
        for (size_t i = 0; i < n; i++) values[i] = (float)sos_random_below(&r, kinds);
        const size_t count = s3svm_bins_fit(n, values, wanted, knots);
        check(count >= 1 && count <= wanted);
        for (size_t i = 1; i < count; i++) check(knots[i] > knots[i - 1]);
        if (wanted > 1) check(knots[0] == values[0]);
        if (count < wanted || n < 2) continue;
        for (size_t k = 0; k < count; k++) { /* no more values lie below a knot than its rank says */
            size_t below = 0;
            for (size_t i = 0; i < n; i++) below += values[i] < knots[k];
            check((double)below <=
                  (double)k / (double)(count > 1 ? count - 1 : 1) * (double)(n - 1) + (count == 1 ? (double)n : 0));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(padding_mirrors),
        cmocka_unit_test(gaussian_is_its_weighted_mean),
        cmocka_unit_test(median_is_the_middle_of_a_square),
        cmocka_unit_test(line_is_the_mean_of_its_samples),
        cmocka_unit_test(aside_is_above_a_row),
        cmocka_unit_test(bad_filters_are_refused),
        cmocka_unit_test(knots_reproduce_what_lies_between_them),
        cmocka_unit_test(values_that_are_no_numbers_have_a_place),
        cmocka_unit_test(quantiles_share_the_values_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
