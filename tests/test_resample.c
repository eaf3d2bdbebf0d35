/* test_resample.c - pictures in blocks: every block is what its pixels say, growing is linear between the middles of blocks,
 * and contrasts are their definition. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vision/contrast.h"
#include "vision/resample.h"

/* A random picture of so many channels, its values below most. */
static s3svm_image picture_random(sos_random *r, size_t width, size_t height, size_t channels, uint64_t most)
{
    s3svm_image image;
    sos_error error;
    check_ok(s3svm_image_create(width, height, channels, &image, &error), error);
    for (size_t i = 0; i < width * height * channels; i++) image.pixels[i] = (uint8_t)sos_random_below(r, most);
    return image;
}

static void blocks_are_the_fewest_that_fit(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(200); c++) {
        sos_random r = test_case_begin(c);
        const s3svm_image image = { 1 + sos_random_below(&r, 60), 1 + sos_random_below(&r, 60), 3, NULL };
        const size_t most = sos_random_below(&r, 300);
        const s3svm_blocks b = s3svm_blocks_within(&image, most);
        check(b.width == image.width && b.height == image.height);
        check(b.columns == (image.width + b.factor - 1) / b.factor && b.rows == (image.height + b.factor - 1) / b.factor);
        check(most ? s3svm_blocks_size(&b) <= most : b.factor == 1);
        const s3svm_blocks larger = s3svm_blocks_of(&image, b.factor > 1 ? b.factor - 1 : 1);
        check(b.factor == 1 || s3svm_blocks_size(&larger) > most);
    }
}

static void maps_of_blocks_are_their_means(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(50); c++) {
        sos_random r = test_case_begin(c);
        s3svm_maps maps, small;
        sos_error error;
        const size_t width = 1 + sos_random_below(&r, 20), height = 1 + sos_random_below(&r, 20), n = width * height;
        check_ok(s3svm_maps_create(width, height, 2, &maps, &error), error);
        for (size_t i = 0; i < 2 * n; i++) maps.values[i] = (float)sos_random_normal(&r);
        const s3svm_image picture = { width, height, 3, NULL };
        const s3svm_blocks b = s3svm_blocks_of(&picture, 1 + sos_random_below(&r, 5));
        check_ok(s3svm_blocks_maps(&b, &maps, &small, &error), error);
        check(small.width == b.columns && small.height == b.rows && small.channels == 2);
        for (size_t m = 0; m < 2 * s3svm_blocks_size(&b); m++) {
            const size_t block = m % s3svm_blocks_size(&b), channel = m / s3svm_blocks_size(&b);
            long double sum = 0, count = 0;
            for (size_t i = 0; i < n; i++)
                if (i % width / b.factor == block % b.columns && i / width / b.factor == block / b.columns)
                    sum += (long double)maps.values[channel * n + i], count++;
            check(fabs((double)(sum / count) - (double)small.values[m]) < 1e-6);
        }
        s3svm_maps_free(&maps);
        s3svm_maps_free(&small);
    }
}

/* The mark of block number n, by the rule in words: object if no fewer pixels are object than background and there is one. */
static uint8_t mark_of(const s3svm_blocks *b, const s3svm_image *marks, size_t n)
{
    size_t counts[S3SVM_MARKS] = { 0 };
    for (size_t i = 0; i < s3svm_image_size(marks); i++)
        if (i % b->width / b->factor == n % b->columns && i / b->width / b->factor == n / b->columns)
            counts[marks->pixels[i]]++;
    if (counts[S3SVM_MARK_OBJECT] && counts[S3SVM_MARK_OBJECT] >= counts[S3SVM_MARK_BACKGROUND]) return S3SVM_MARK_OBJECT;
    if (counts[S3SVM_MARK_BACKGROUND]) return S3SVM_MARK_BACKGROUND;
    const size_t none = counts[S3SVM_MARK_NONE], object = counts[S3SVM_MARK_PERHAPS_OBJECT];
    const size_t background = counts[S3SVM_MARK_PERHAPS_BACKGROUND];
    if (none >= object && none >= background) return S3SVM_MARK_NONE;
    return object >= background ? S3SVM_MARK_PERHAPS_OBJECT : S3SVM_MARK_PERHAPS_BACKGROUND;
}

static void check_means(const s3svm_blocks *b, const s3svm_image *picture, const s3svm_image *means)
{
    for (size_t n = 0; n < s3svm_blocks_size(b) * picture->channels; n++) {
        const size_t block = n / picture->channels;
        double sum = 0, count = 0;
        for (size_t i = 0; i < s3svm_image_size(picture); i++)
            if (i % b->width / b->factor == block % b->columns && i / b->width / b->factor == block / b->columns)
                sum += picture->pixels[i * picture->channels + n % picture->channels], count++;
        check(means->pixels[n] == (int)floor(sum / count + 0.5));
    }
}

static void blocks_are_what_their_pixels_say(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(40); c++) {
        sos_random r = test_case_begin(c);
        const size_t width = 1 + sos_random_below(&r, 25), height = 1 + sos_random_below(&r, 25), channels = c % 2 ? 3 : 1;
        s3svm_image picture = picture_random(&r, width, height, channels, 256);
        s3svm_image marks = picture_random(&r, width, height, 1, 1 + c % S3SVM_MARKS), small, small_marks;
        for (size_t i = 0; c % 3 && i < width * height; i++) /* mostly nothing */
            if (sos_random_below(&r, 5)) marks.pixels[i] = S3SVM_MARK_NONE;
        const s3svm_blocks b = s3svm_blocks_of(&picture, 1 + sos_random_below(&r, 6));
        sos_error error;
        check_ok(s3svm_blocks_mean(&b, &picture, &small, &error), error);
        check_ok(s3svm_blocks_marks(&b, &marks, &small_marks, &error), error);
        check(small.width == b.columns && small.height == b.rows && small.channels == channels);
        check(small_marks.width == b.columns && small_marks.height == b.rows && small_marks.channels == 1);
        check_means(&b, &picture, &small);
        for (size_t n = 0; n < s3svm_blocks_size(&b); n++) check(small_marks.pixels[n] == mark_of(&b, &marks, n));
        s3svm_image_free(&picture);
        s3svm_image_free(&marks);
        s3svm_image_free(&small);
        s3svm_image_free(&small_marks);
    }
}

/* Where a pixel lies among the middles of blocks. */
static double among(size_t pixel, size_t factor, size_t blocks)
{
    return fmax(0, fmin(((double)pixel + 0.5) / (double)factor - 0.5, (double)blocks - 1));
}

static void growing_is_linear_between_the_middles(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(40); c++) {
        sos_random r = test_case_begin(c);
        const s3svm_image picture = { 1 + sos_random_below(&r, 30), 1 + sos_random_below(&r, 30), 1, NULL };
        const s3svm_blocks b = s3svm_blocks_of(&picture, 1 + sos_random_below(&r, 6));
        const size_t n = picture.width * picture.height, blocks = s3svm_blocks_size(&b);
        float *values = test_room(NULL, blocks, sizeof *values), *grown = test_room(NULL, n, sizeof *grown);
        uint8_t *labels = test_room(NULL, blocks, 1), *large = test_room(NULL, n, 1), *middle = test_room(NULL, blocks, 1);
        for (size_t k = 0; k < blocks; k++) values[k] = (float)(3 * (k % b.columns) + 5 * (k / b.columns));
        s3svm_blocks_grow(&b, values, grown);
        for (size_t i = 0; i < n; i++) {
            const double x = among(i % b.width, b.factor, b.columns), y = among(i / b.width, b.factor, b.rows);
            check(fabs((double)grown[i] - 3 * x - 5 * y) < 1e-3);
        }
        for (size_t k = 0; k < blocks; k++) values[k] = labels[k] = (uint8_t)sos_random_below(&r, 2);
        s3svm_blocks_grow(&b, values, grown);
        s3svm_blocks_grow_labels(&b, labels, large);
        for (size_t i = 0; i < n; i++) check(fabsf(grown[i] - 0.5F) < 1e-5F || large[i] == (grown[i] > 0.5F));
        s3svm_blocks_middle(&b, large, middle);
        for (size_t k = 0; k < blocks && b.factor % 2;
             k++) /* an even factor has no pixel in the middle, nor has a small block */
            if ((k % b.columns + 1) * b.factor <= b.width && (k / b.columns + 1) * b.factor <= b.height)
                check(middle[k] == labels[k]);
        free(values);
        free(grown);
        free(labels);
        free(large);
        free(middle);
    }
}

static void a_factor_of_1_changes_nothing(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    s3svm_image picture = picture_random(&r, 13, 7, 3, 256), marks = picture_random(&r, 13, 7, 1, S3SVM_MARKS), copy, marked;
    const s3svm_blocks b = s3svm_blocks_of(&picture, 1);
    sos_error error;
    check_ok(s3svm_blocks_mean(&b, &picture, &copy, &error), error);
    check_ok(s3svm_blocks_marks(&b, &marks, &marked, &error), error);
    check(!memcmp(copy.pixels, picture.pixels, 3 * 13 * 7) && !memcmp(marked.pixels, marks.pixels, 13 * 7));
    float values[91], grown[91];
    for (size_t i = 0; i < 91; i++) values[i] = (float)picture.pixels[i] / 7;
    s3svm_blocks_grow(&b, values, grown);
    check(!memcmp(values, grown, sizeof values));
    s3svm_image_free(&picture);
    s3svm_image_free(&marks);
    s3svm_image_free(&copy);
    s3svm_image_free(&marked);
}

/* ---------------------------------------------------------------- contrast */

static void contrast_is_its_definition(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(40); c++) {
        sos_random r = test_case_begin(c);
        const size_t width = 1 + sos_random_below(&r, 12), height = 1 + sos_random_below(&r, 12);
        const int neighbours = c % 2 ? 8 : 4;
        s3svm_image picture = picture_random(&r, width, height, 3, c % 5 ? 256 : 1);
        double sum = 0, count = 0;
        for (size_t i = 0; i < width * height; i++)
            for (size_t j = i + 1; j < width * height; j++) {
                const double dx = fabs((double)(i % width) - (double)(j % width)), dy = (double)(j / width - i / width);
                if (dx > 1 || dy > 1 || (neighbours == 4 && dx + dy > 1)) continue;
                for (size_t k = 0; k < 3; k++) sum += pow((double)picture.pixels[3 * i + k] - picture.pixels[3 * j + k], 2);
                count++;
            }
        const double beta = s3svm_contrast_beta(&picture, neighbours), expected = sum > 0 ? count / (2 * sum) : 0;
        check(fabs(beta - expected) <= 1e-12 * expected);
        uint32_t squares[7];
        double weights[7];
        for (size_t k = 0; k < 7; k++)
            squares[k] = s3svm_contrast_square(picture.pixels, picture.pixels) + (uint32_t)(k * k * 900);
        s3svm_contrast_weights(beta, 1 + c % 7, squares, weights);
        for (size_t k = 0; k < 1 + c % 7; k++) check(fabs(weights[k] - exp(-beta * squares[k])) < 1e-12);
        s3svm_image_free(&picture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_of_blocks_are_their_means),   cmocka_unit_test(blocks_are_the_fewest_that_fit),
        cmocka_unit_test(blocks_are_what_their_pixels_say), cmocka_unit_test(growing_is_linear_between_the_middles),
        cmocka_unit_test(a_factor_of_1_changes_nothing),    cmocka_unit_test(contrast_is_its_definition),
    };
    return cmocka_run_group_tests_name("resample", tests, NULL, NULL);
}
