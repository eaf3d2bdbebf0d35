/* test_superpixel.c - superpixels are connected, numbered in order, of about the size asked for; colours and blur are what
 * their formulas say. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vision/colour.h"
#include "vision/superpixel.h"

static s3svm_image image_of(size_t width, size_t height, size_t channels)
{
    return (s3svm_image){ width, height, channels, test_room(NULL, width * height * channels, 1) };
}

/* Noise, one colour, or stripes. */
static s3svm_image random_image(sos_random *r, size_t side)
{
    s3svm_image image = image_of(1 + sos_random_below(r, side), 1 + sos_random_below(r, side), sos_random_below(r, 2) ? 3 : 1);
    const uint64_t kind = sos_random_below(r, 3);
    for (size_t i = 0; i < s3svm_image_size(&image); i++)
        for (size_t c = 0; c < image.channels; c++)
            image.pixels[i * image.channels + c] = (uint8_t)(kind == 0   ? sos_random_below(r, 256)
                                                             : kind == 1 ? 9
                                                                         : i % image.width / 7 * 40 + sos_random_below(r, 10));
    return image;
}

/* How many pixels of pixel i's label steps between 4 neighbours reach from it. */
static size_t reached(const s3svm_image *image, const uint32_t labels[], size_t i, uint8_t seen[], size_t stack[])
{
    size_t top = 0, count = 0;
    stack[top++] = i;
    seen[i] = 1;
    while (top) {
        const size_t j = stack[--top], x = j % image->width, y = j / image->width;
        const size_t around[4] = { x ? j - 1 : j, x + 1 < image->width ? j + 1 : j, y ? j - image->width : j,
                                   y + 1 < image->height ? j + image->width : j };
        count++;
        for (int k = 0; k < 4; k++) {
            if (seen[around[k]] || labels[around[k]] != labels[j]) continue;
            seen[around[k]] = 1;
            stack[top++] = around[k];
        }
    }
    return count;
}

/* Each number's pixels are connected, and first pixels come in the order of the numbers. */
static void check_pieces(const s3svm_image *image, const uint32_t labels[], size_t count, double least)
{
    const size_t n = s3svm_image_size(image);
    uint8_t *seen = test_room(NULL, n, 1);
    size_t *stack = test_room(NULL, n, sizeof *stack), *sizes = test_room(NULL, count, sizeof *sizes), next = 0;
    memset(seen, 0, n);
    memset(sizes, 0, count * sizeof *sizes);
    for (size_t i = 0; i < n; i++) {
        check(labels[i] < count);
        sizes[labels[i]]++;
    }
    for (size_t i = 0; i < n; i++) {
        if (seen[i]) continue;
        check(labels[i] == next); /* a second piece of an earlier number would fail here */
        const size_t pixels = reached(image, labels, i, seen, stack);
        check(pixels == sizes[next++]);
        check(count == 1 || (double)pixels >= least);
    }
    check(next == count);
    free(seen);
    free(stack);
    free(sizes);
}

static void superpixels_are_connected_and_not_small(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(200); c++) {
        sos_random r = test_case_begin(c);
        s3svm_image image = random_image(&r, 90);
        uint32_t *labels = test_room(NULL, s3svm_image_size(&image), sizeof *labels);
        s3svm_superpixel_settings s = s3svm_superpixel_defaults();
        s.size = 4 + (double)sos_random_below(&r, 300);
        s.compactness = exp(3 * sos_random_normal(&r));
        s.iterations = sos_random_below(&r, 10);
        sos_error error;
        size_t count = 0;
        check_ok(s3svm_superpixels(&image, &s, labels, &count, &error), error);
        const double columns = fmax(1, rint((double)image.width / sqrt(s.size))),
                     rows = fmax(1, rint((double)image.height / sqrt(s.size)));
        check_pieces(&image, labels, count, (double)s3svm_image_size(&image) / (rows * columns) / 4);
        free(labels);
        s3svm_image_free(&image);
    }
}

static void the_number_asked_for_is_about_met(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    s3svm_image image = image_of(240, 160, 3);
    static uint32_t labels[240 * 160];
    for (size_t i = 0; i < 240 * 160 * 3; i++) image.pixels[i] = (uint8_t)(100 + i / 3 % 240 / 2 + sos_random_below(&r, 5));
    for (size_t wanted = 1; wanted < 2000; wanted = wanted * 2 + 5) {
        s3svm_superpixel_settings s = s3svm_superpixel_defaults();
        sos_error error;
        size_t count = 0;
        s.count = wanted;
        check_ok(s3svm_superpixels(&image, &s, labels, &count, &error), error);
        check((double)count >= 0.6 * (double)wanted - 1 && (double)count <= 1.6 * (double)wanted + 1);
    }
    s3svm_image_free(&image);
}

/* A picture of flat patches larger than superpixels: hardly a superpixel crosses an edge. */
static void superpixels_keep_to_edges(void **state)
{
    (void)state;
    enum { SIDE = 120 };
    s3svm_image image = image_of(SIDE, SIDE, 3);
    static uint32_t labels[SIDE * SIDE];
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        const bool inside = hypot((double)(i % SIDE) - 60, (double)(i / SIDE) - 60) < 40;
        for (size_t c = 0; c < 3; c++) image.pixels[3 * i + c] = inside ? (uint8_t)(60 * c) : 220;
    }
    sos_error error;
    size_t count = 0, wrong = 0;
    check_ok(s3svm_superpixels(&image, NULL, labels, &count, &error), error);
    for (uint32_t piece = 0; piece < count; piece++) {
        size_t pixels = 0, inside = 0;
        for (size_t i = 0; i < SIDE * SIDE; i++)
            if (labels[i] == piece) pixels++, inside += image.pixels[3 * i] == 0;
        wrong += inside < pixels - inside ? inside : pixels - inside;
    }
    check(wrong <= SIDE * SIDE / 200);
    s3svm_image_free(&image);
}

static void any_number_of_threads_gives_the_same(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    s3svm_image image = image_of(300, 200, 3);
    static uint32_t labels[2][300 * 200];
    static float lab[2][300 * 200 * 3];
    for (size_t i = 0; i < 300 * 200 * 3; i++) image.pixels[i] = (uint8_t)sos_random_below(&r, 256);
    for (int threads = 1; threads < 6; threads++) {
        s3svm_superpixel_settings s = s3svm_superpixel_defaults();
        sos_error error;
        size_t count;
        s.threads = threads;
        check_ok(s3svm_superpixels(&image, &s, labels[threads > 1], &count, &error), error);
        check_ok(s3svm_colour_lab(&image, threads, lab[threads > 1], &error), error);
        check_ok(s3svm_colour_blur(300, 200, 3, 2.5, threads, lab[threads > 1], &error), error);
        if (threads > 1) check(!memcmp(labels[0], labels[1], sizeof labels[0]) && !memcmp(lab[0], lab[1], sizeof lab[0]));
    }
    s3svm_image_free(&image);
}

/* Lab by the formulas of CIE and IEC 61966-2-1, with the C library's powers. */
static void lab_of(const uint8_t rgb[3], double lab[3])
{
    double light[3], f[3];
    static const double M[3][3] = { { 0.4124564, 0.3575761, 0.1804375 },
                                    { 0.2126729, 0.7151522, 0.0721750 },
                                    { 0.0193339, 0.1191920, 0.9503041 } };
    for (int c = 0; c < 3; c++) {
        const double v = rgb[c] / 255.0;
        light[c] = v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
    }
    for (int c = 0; c < 3; c++) {
        const double t = (M[c][0] * light[0] + M[c][1] * light[1] + M[c][2] * light[2]) / (M[c][0] + M[c][1] + M[c][2]);
        f[c] = t > pow(6.0 / 29, 3) ? cbrt(t) : t * pow(29.0 / 6, 2) / 3 + 4.0 / 29;
    }
    lab[0] = 116 * f[1] - 16;
    lab[1] = 500 * (f[0] - f[1]);
    lab[2] = 200 * (f[1] - f[2]);
}

static void lab_is_that_of_the_formula(void **state)
{
    (void)state;
    s3svm_image image = image_of(4096, 1, 3);
    static float lab[4096 * 3];
    for (size_t i = 0; i < 4096; i++) /* 16 values a channel, with both ends */
        for (size_t c = 0; c < 3; c++) image.pixels[3 * i + c] = (uint8_t)((i >> (4 * c) & 15) * 17);
    sos_error error;
    check_ok(s3svm_colour_lab(&image, 1, lab, &error), error);
    for (size_t i = 0; i < 4096; i++) {
        double wanted[3];
        lab_of(image.pixels + 3 * i, wanted);
        for (size_t c = 0; c < 3; c++) check(fabs((double)lab[3 * i + c] - wanted[c]) < 1e-4);
    }
    check(fabsf(lab[3 * 4095] - 100) < 1e-4F && fabsf(lab[3 * 4095 + 1]) < 1e-4F);
    /* Grey images are their own three channels. */
    s3svm_image grey = image_of(256, 1, 1);
    for (size_t i = 0; i < 256; i++) grey.pixels[i] = (uint8_t)i;
    check_ok(s3svm_colour_lab(&grey, 1, lab, &error), error);
    for (size_t i = 0; i < 256; i++) {
        double wanted[3];
        lab_of((uint8_t[]){ (uint8_t)i, (uint8_t)i, (uint8_t)i }, wanted);
        check(fabs((double)lab[3 * i] - wanted[0]) < 1e-4);
    }
    s3svm_image_free(&image);
    s3svm_image_free(&grey);
}

static void blur_is_that_of_the_formula(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(60); c++) {
        sos_random r = test_case_begin(c);
        const size_t width = 1 + sos_random_below(&r, 20), height = 1 + sos_random_below(&r, 20),
                     channels = 1 + sos_random_below(&r, 4);
        const double sigma = 4 * sos_random_uniform(&r) + 0.01;
        const long radius = (long)ceil(3 * sigma);
        float *values = test_room(NULL, width * height * channels, sizeof *values);
        float *old = test_room(NULL, width * height * channels, sizeof *old);
        for (size_t i = 0; i < width * height * channels; i++) old[i] = values[i] = (float)(100 * sos_random_uniform(&r));
        sos_error error;
        check_ok(s3svm_colour_blur(width, height, channels, sigma, 1, values, &error), error);
        for (size_t i = 0; i < width * height * channels; i++) {
            const long x = (long)(i / channels % width), y = (long)(i / channels / width);
            double sum = 0, mass = 0;
            for (long dy = -radius; dy <= radius; dy++)
                for (long dx = -radius; dx <= radius; dx++) {
                    const double weight = exp(-0.5 * (double)(dx * dx + dy * dy) / (sigma * sigma));
                    const long x2 = x + dx < 0 ? 0 : x + dx >= (long)width ? (long)width - 1 : x + dx;
                    const long y2 = y + dy < 0 ? 0 : y + dy >= (long)height ? (long)height - 1 : y + dy;
                    sum += weight * (double)old[((size_t)y2 * width + (size_t)x2) * channels + i % channels];
                    mass += weight;
                }
            check(fabs((double)values[i] - sum / mass) < 1e-3);
        }
        free(values);
        free(old);
    }
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    s3svm_image image = image_of(2, 2, 4);
    uint32_t labels[4];
    float values[12] = { 0 };
    size_t count = 0;
    sos_error error;
    memset(image.pixels, 0, 16);
    check_error(s3svm_superpixels(&image, NULL, labels, &count, &error), SOS_ERR_ARGUMENT, error, "4 channels");
    image.channels = 3;
    check_error(s3svm_superpixels(&image, NULL, NULL, &count, &error), SOS_ERR_ARGUMENT, error, "no place");
    s3svm_superpixel_settings s = s3svm_superpixel_defaults();
    s.compactness = 0;
    check_error(s3svm_superpixels(&image, &s, labels, &count, &error), SOS_ERR_ARGUMENT, error, "compactness 0");
    s = s3svm_superpixel_defaults();
    s.size = NAN;
    check_error(s3svm_superpixels(&image, &s, labels, &count, &error), SOS_ERR_ARGUMENT, error, "nan pixels");
    check_error(s3svm_colour_blur(2, 2, 3, -1, 1, values, &error), SOS_ERR_ARGUMENT, error, "sigma -1");
    check_error(s3svm_colour_blur(0, 2, 3, 1, 1, values, &error), SOS_ERR_RANGE, error, "0 by 2");
    s3svm_image_free(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(superpixels_are_connected_and_not_small),
        cmocka_unit_test(the_number_asked_for_is_about_met),
        cmocka_unit_test(superpixels_keep_to_edges),
        cmocka_unit_test(any_number_of_threads_gives_the_same),
        cmocka_unit_test(lab_is_that_of_the_formula),
        cmocka_unit_test(blur_is_that_of_the_formula),
        cmocka_unit_test(bad_input_is_refused),
    };
    return cmocka_run_group_tests_name("superpixel", tests, NULL, NULL);
}
