/* test_calibration.c - calibrations of maps: kinds of numbers are told, scales and offsets are found again and are the best of
 * a grid, scores are their definitions, files come back. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "scratch.h"
#include "support.h"

#include <s3svm/image.h>
#include <s3svm/maps.h>

enum { WIDTH = 40, HEIGHT = 30, PIXELS = WIDTH * HEIGHT, COUNT = 6 };

/* Pictures with labels, and maps of numbers. */
typedef struct pictures {
    s3svm_maps maps[COUNT];
    s3svm_truth truths[COUNT];
} pictures;

/* Labels of which log odds are true: label 1 with probability 1 / (1 + exp(-t)); the maps are (t - offset) / scale. */
static void pictures_make(double scale, double offset, uint64_t seed, pictures *p)
{
    sos_error error;
    sos_random r = sos_random_seeded(seed);
    for (size_t i = 0; i < COUNT; i++) {
        check_ok(s3svm_maps_create(WIDTH, HEIGHT, 1, &p->maps[i], &error), error);
        p->truths[i] = (s3svm_truth){ .width = WIDTH, .height = HEIGHT, .labels = calloc(PIXELS, 1), .care = malloc(PIXELS) };
        memset(p->truths[i].care, 1, PIXELS);
        for (size_t k = 0; k < PIXELS; k++) {
            const double t = 3 * sos_random_normal(&r);
            p->maps[i].values[k] = (float)((t - offset) / scale);
            p->truths[i].labels[k] = sos_random_uniform(&r) < 1 / (1 + exp(-t));
        }
    }
}

static void pictures_free(pictures *p)
{
    for (size_t i = 0; i < COUNT; i++) {
        s3svm_maps_free(&p->maps[i]);
        s3svm_truth_free(&p->truths[i]);
    }
}

/* The mean over pictures of the mean -log p, by the definition. */
static double loss_of(size_t count, const pictures *p, double scale, double offset)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double picture = 0, sure = 0;
        for (size_t k = 0; k < PIXELS; k++) {
            if (!p->truths[i].care[k]) continue;
            const double t = scale * (double)p->maps[i].values[k] + offset, one = 1 / (1 + exp(-t));
            picture -= log(fmax(p->truths[i].labels[k] ? one : 1 - one, DBL_MIN));
            sure++;
        }
        sum += picture / sure / (double)count;
    }
    return sum;
}

static double astray_of(const pictures *p, double scale, double offset)
{
    double sum = 0;
    for (int cell = 0; cell < 10; cell++) {
        double away = 0;
        for (size_t i = 0; i < COUNT; i++) {
            double sure = 0, picture = 0;
            for (size_t k = 0; k < PIXELS; k++) {
                if (!p->truths[i].care[k]) continue;
                const double one = 1 / (1 + exp(-(scale * (double)p->maps[i].values[k] + offset)));
                sure++;
                if ((int)(10 * one) == cell) picture += one - p->truths[i].labels[k];
            }
            away += picture / sure / COUNT;
        }
        sum += fabs(away);
    }
    return sum;
}

static void test_a_known_scale_and_offset_are_found_again(void **state)
{
    (void)state;
    static const double KNOWN[][2] = { { 1, 0 }, { 0.02, 0.5 }, { 40, -1 }, { -0.7, 0.4 } };
    for (size_t c = 0; c < sizeof KNOWN / sizeof *KNOWN; c++) {
        const uint64_t seed = 100 + c;
        pictures p;
        s3svm_maps_calibration found;
        s3svm_maps_calibration_report report;
        sos_error error;
        printf("seed %llu\n", (unsigned long long)seed);
        pictures_make(KNOWN[c][0], KNOWN[c][1], seed, &p);
        check_ok(s3svm_maps_calibrate(COUNT, p.maps, p.truths, NULL, &found, &report, &error), error);
        assert_int_equal(found.numbers, S3SVM_NUMBERS_ODDS);
        printf("scale %g, offset %g for %g, %g\n", found.scale, found.offset, KNOWN[c][0], KNOWN[c][1]);
        assert_true(fabs(found.scale / KNOWN[c][0] - 1) < 0.25); /* the prior draws to the guess, which is far off */
        assert_true(fabs(found.offset - KNOWN[c][1]) < 0.3);
        assert_int_equal(report.pictures, COUNT);
        assert_true(fabs(report.after.loss - loss_of(COUNT, &p, found.scale, found.offset)) < 1e-6);
        assert_true(fabs(report.after.astray - astray_of(&p, found.scale, found.offset)) < 1e-6);
        assert_true(report.after.loss <= report.before.loss + 1e-9 && report.others.loss >= report.after.loss - 1e-6);
        assert_true(report.after.astray < 0.03);
        pictures_free(&p);
    }
}

/* The objective of the header. */
static double objective(const pictures *p, size_t count, double guess, double scale, double offset)
{
    const double away = scale / guess - 1;
    return (double)count * loss_of(count, p, scale, offset) + 0.05 * (away * away + offset * offset);
}

static void test_no_scale_and_offset_of_a_grid_is_better(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        pictures p;
        s3svm_maps_calibration found, guess;
        sos_error error;
        const size_t count = seed == 1 ? 1 : 3; /* with one picture the prior counts most */
        printf("seed %llu\n", (unsigned long long)seed);
        pictures_make(seed == 2 ? 0.2 : 3, -0.8, seed, &p);
        for (size_t k = 0; k < PIXELS / 2; k++) p.truths[0].care[2 * k] = 0; /* they must not count */
        for (size_t k = 0; k < PIXELS / 2; k++) p.truths[0].labels[2 * k] ^= 1;
        check_ok(s3svm_maps_calibrate(count, p.maps, p.truths, NULL, &found, NULL, &error), error);
        check_ok(s3svm_maps_calibration_guess(count, p.maps, &guess, &error), error);
        const double best = objective(&p, count, guess.scale, found.scale, found.offset);
        double least = INFINITY, at_scale = 0, at_offset = 0;
        for (int i = -40; i <= 40; i++)
            for (int j = -40; j <= 40; j++) {
                const double scale = found.scale * (1 + 0.02 * i), offset = found.offset + 0.02 * j;
                const double value = objective(&p, count, guess.scale, scale, offset);
                if (value < least) least = value, at_scale = scale, at_offset = offset;
            }
        assert_true(best <= least + 1e-9);
        assert_true(fabs(at_scale / found.scale - 1) < 0.021 && fabs(at_offset - found.offset) < 0.021);
        pictures_free(&p);
    }
}

static void test_pictures_left_out_are_judged_without_themselves(void **state)
{
    (void)state;
    pictures p;
    sos_error error;
    s3svm_maps_calibration found;
    s3svm_maps_calibration_report report;
    pictures_make(0.3, 0.2, 9, &p);
    check_ok(s3svm_maps_calibrate(COUNT, p.maps, p.truths, NULL, &found, &report, &error), error);
    double loss = 0;
    for (size_t out = 0; out < COUNT; out++) {
        pictures others = p;
        s3svm_maps_calibration all, without;
        others.maps[out] = p.maps[COUNT - 1];
        others.truths[out] = p.truths[COUNT - 1];
        check_ok(s3svm_maps_calibrate(COUNT - 1, others.maps, others.truths, NULL, &without, NULL, &error), error);
        check_ok(s3svm_maps_calibration_guess(COUNT, p.maps, &all, &error), error);
        const pictures one = { .maps = { p.maps[out] }, .truths = { p.truths[out] } };
        loss += loss_of(1, &one, without.scale, without.offset) / COUNT;
    }
    assert_true(fabs(loss - report.others.loss) < 1e-4); /* the guess that the prior draws to may differ a little */
    check_ok(s3svm_maps_calibrate(1, p.maps, p.truths, NULL, &found, &report, &error), error);
    assert_true(isnan(report.others.loss));
    pictures_free(&p);
}

static void test_threads_change_no_bit(void **state)
{
    (void)state;
    pictures p;
    sos_error error;
    s3svm_maps_calibration found[2];
    s3svm_maps_calibration_report report[2];
    pictures_make(2, 0.3, 11, &p);
    for (int i = 0; i < 2; i++) {
        const sos_work work = { .threads = 1 + 2 * i };
        check_ok(s3svm_maps_calibrate(COUNT, p.maps, p.truths, &work, &found[i], &report[i], &error), error);
    }
    assert_true(found[0].scale == found[1].scale && found[0].offset == found[1].offset);
    assert_true(report[0].others.loss == report[1].others.loss && report[0].others.astray == report[1].others.astray);
    pictures_free(&p);
}

/* ---------------------------------------------------------------- without labels */

static s3svm_maps maps_of(const float values[4])
{
    s3svm_maps m;
    sos_error error;
    check_ok(s3svm_maps_create(2, 2, 1, &m, &error), error);
    memcpy(m.values, values, 4 * sizeof *values);
    return m;
}

static void test_kinds_of_numbers_are_told(void **state)
{
    (void)state;
    static const struct {
        float values[4];
        s3svm_maps_numbers numbers;
        double scale;
        float odds[4];
    } CASES[] = {
        { { 0, 0.5f, 0.25f, 1 }, S3SVM_NUMBERS_PROBABILITIES, 1, { -9.21024f, 0, -1.098612f, 9.21024f } },
        { { 0, 51, 204, 255 }, S3SVM_NUMBERS_BYTES, 1, { -6.232448f, -1.386294f, 1.386294f, 6.232448f } },
        { { -2, 3, 4, 5 }, S3SVM_NUMBERS_ODDS, 1, { -2, 3, 4, 5 } },
        { { 0, 51.5f, 204, 255 }, S3SVM_NUMBERS_ODDS, 10.0 / 204, { 0, 2.52451f, 10, 12.5f } }, /* not whole */
        { { -0.1f, 0.02f, 0.04f, 0.05f }, S3SVM_NUMBERS_ODDS, 20, { -2, 0.4f, 0.8f, 1 } },      /* too weak */
        { { -100, 40, 80, 400 }, S3SVM_NUMBERS_ODDS, 0.1, { -10, 4, 8, 40 } },                  /* too strong */
        { { 0, 0, 0, 0 }, S3SVM_NUMBERS_PROBABILITIES, 1, { -9.21024f, -9.21024f, -9.21024f, -9.21024f } },
    };
    for (size_t c = 0; c < sizeof CASES / sizeof *CASES; c++) {
        s3svm_maps m = maps_of(CASES[c].values);
        s3svm_maps_calibration found;
        sos_error error;
        check_ok(s3svm_maps_calibration_guess(1, &m, &found, &error), error);
        assert_int_equal(found.numbers, CASES[c].numbers);
        assert_true(fabs(found.scale - CASES[c].scale) < 1e-6 && found.offset == 0);
        check_ok(s3svm_maps_apply(NULL, &m, &error), error);
        for (int i = 0; i < 4; i++) assert_true(fabsf(m.values[i] - CASES[c].odds[i]) < 1e-4f);
        s3svm_maps_free(&m);
    }
}

static void test_doubt_is_the_expected_share_of_wrong_pixels(void **state)
{
    (void)state;
    s3svm_maps m = maps_of((const float[4]){ 2, -1, 0, 5 });
    double doubt;
    sos_error error;
    check_ok(s3svm_maps_doubt(&m, (const uint8_t[4]){ 1, 0, 1, 0 }, &doubt, &error), error);
    const double wrong = 1 / (1 + exp(2)) + 1 / (1 + exp(1)) + 0.5 + 1 / (1 + exp(-5));
    assert_true(fabs(doubt - wrong / 4) < 1e-12);
    s3svm_maps_free(&m);
}

/* ---------------------------------------------------------------- files */

static void test_png_is_read_as_log_odds(void **state)
{
    (void)state;
    if (!s3svm_image_has_png()) skip();
    s3svm_image image;
    s3svm_maps m;
    sos_error error;
    check_ok(s3svm_image_create(2, 2, 1, &image, &error), error);
    memcpy(image.pixels, (const uint8_t[4]){ 0, 51, 204, 255 }, 4);
    check_ok(s3svm_image_write(&image, scratch("maps.png"), &error), error);
    check_ok(s3svm_maps_read(scratch("maps.png"), &m, &error), error);
    assert_true(m.width == 2 && m.height == 2 && m.channels == 1);
    static const double ODDS[4] = { -6.232448, -1.386294, 1.386294, 6.232448 };
    for (int i = 0; i < 4; i++) assert_true(fabs((double)m.values[i] - ODDS[i]) < 1e-5);
    s3svm_maps_free(&m);
    s3svm_image_free(&image);
}

static void file_write(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void test_files_come_back_and_damaged_ones_are_refused(void **state)
{
    (void)state;
    static const char *const WRONG[] = {
        "",
        "{}",
        "[]",
        "{\"format\": \"s3svm marks\"}",
        "{\"format\": \"s3svm calibration\", \"version\": 2, \"numbers\": \"odds\", \"scale\": 1, \"offset\": 0}",
        "{\"format\": \"s3svm calibration\", \"version\": 1, \"numbers\": \"odd\", \"scale\": 1, \"offset\": 0}",
        "{\"format\": \"s3svm calibration\", \"version\": 1, \"numbers\": \"odds\", \"scale\": \"1\", \"offset\": 0}",
        "{\"format\": \"s3svm calibration\", \"version\": 1, \"numbers\": \"odds\", \"scale\": 1}",
        "{\"format\": \"s3svm calibration\", \"version\": 1, \"numbers\": \"odds\", \"scale\": 1, \"offset\": 0, \"more\": 1}",
    };
    const s3svm_maps_calibration c = { .numbers = S3SVM_NUMBERS_BYTES, .scale = 0.1234567890123, .offset = -3e-7 };
    s3svm_maps_calibration back;
    sos_error error;
    const char *path = scratch("calibration.json");
    check_ok(s3svm_maps_calibration_write(&c, path, &error), error);
    check_ok(s3svm_maps_calibration_read(path, &back, &error), error);
    assert_true(c.numbers == back.numbers && c.scale == back.scale && c.offset == back.offset);
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        file_write(path, WRONG[i]);
        assert_int_equal(s3svm_maps_calibration_read(path, &back, &error), SOS_ERR_FORMAT);
        assert_non_null(strstr(error.message, "calibration.json"));
    }
}

/* What a file of that name gives, from its bytes. */
static sos_status file_parse(const char *path, size_t length, s3svm_maps *out, sos_error *error)
{
    char bytes[4096];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t there = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return s3svm_maps_parse(bytes, there < length ? there : length, path, out, error);
}

static void test_bytes_say_what_files_say(void **state)
{
    (void)state;
    s3svm_maps given, read, parsed;
    s3svm_image image;
    sos_error error;
    check_ok(s3svm_maps_create(5, 4, 1, &given, &error), error);
    check_ok(s3svm_image_create(5, 4, 1, &image, &error), error);
    for (int i = 0; i < 20; i++) given.values[i] = (float)(i - 7) / 3;
    for (int i = 0; i < 20; i++) image.pixels[i] = (uint8_t)(13 * i);
    check_ok(s3svm_npy_write(&given, scratch("maps.npy"), &error), error);
    if (s3svm_image_has_png()) check_ok(s3svm_image_write(&image, scratch("bytes.png"), &error), error);
    for (int kind = 0; kind < 1 + s3svm_image_has_png(); kind++) {
        const char *path = scratch(kind ? "bytes.png" : "maps.npy");
        check_ok(s3svm_maps_read(path, &read, &error), error);
        check_ok(file_parse(path, SIZE_MAX, &parsed, &error), error);
        assert_true(parsed.width == 5 && parsed.height == 4 && parsed.channels == 1);
        assert_memory_equal(read.values, parsed.values, 20 * sizeof(float));
        s3svm_maps_free(&read);
        s3svm_maps_free(&parsed);
        for (size_t length = 0; length < 60; length++) {
            assert_int_equal(file_parse(path, length, &parsed, &error), SOS_ERR_FORMAT);
            assert_non_null(strstr(error.message, kind ? "bytes.png" : "maps.npy"));
        }
    }
    s3svm_maps_free(&given);
    s3svm_image_free(&image);
}

static void test_what_does_not_fit_is_refused(void **state)
{
    (void)state;
    pictures p;
    s3svm_maps_calibration c;
    s3svm_maps two;
    double doubt;
    sos_error error;
    pictures_make(1, 0, 5, &p);
    check_ok(s3svm_maps_create(2, 2, 2, &two, &error), error);
    assert_int_equal(s3svm_maps_apply(NULL, &two, &error), SOS_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "2 channels"));
    assert_int_equal(s3svm_maps_doubt(&two, p.truths[0].labels, &doubt, &error), SOS_ERR_ARGUMENT);
    assert_int_equal(s3svm_maps_calibration_guess(0, NULL, &c, &error), SOS_ERR_ARGUMENT);
    c = (s3svm_maps_calibration){ .numbers = S3SVM_NUMBERS_PROBABILITIES, .scale = 1 };
    const float before = p.maps[0].values[0];
    assert_int_equal(s3svm_maps_apply(&c, &p.maps[0], &error), SOS_ERR_ARGUMENT);
    assert_true(before == p.maps[0].values[0]);
    c = (s3svm_maps_calibration){ .scale = NAN };
    assert_int_equal(s3svm_maps_apply(&c, &p.maps[0], &error), SOS_ERR_ARGUMENT);
    p.maps[1].values[7] = NAN;
    assert_int_equal(s3svm_maps_calibrate(COUNT, p.maps, p.truths, NULL, &c, NULL, &error), SOS_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "pixel 7 of the maps of picture 1"));
    p.maps[1].values[7] = 0;
    p.truths[2].width--;
    assert_int_equal(s3svm_maps_calibrate(COUNT, p.maps, p.truths, NULL, &c, NULL, &error), SOS_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "picture 2"));
    p.truths[2].width++;
    for (size_t i = 0; i < COUNT; i++) memset(p.truths[i].labels, 1, PIXELS);
    assert_int_equal(s3svm_maps_calibrate(COUNT, p.maps, p.truths, NULL, &c, NULL, &error), SOS_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "all pixels are object"));
    s3svm_maps_free(&two);
    pictures_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_known_scale_and_offset_are_found_again),
        cmocka_unit_test(test_no_scale_and_offset_of_a_grid_is_better),
        cmocka_unit_test(test_pictures_left_out_are_judged_without_themselves),
        cmocka_unit_test(test_threads_change_no_bit),
        cmocka_unit_test(test_kinds_of_numbers_are_told),
        cmocka_unit_test(test_doubt_is_the_expected_share_of_wrong_pixels),
        cmocka_unit_test(test_png_is_read_as_log_odds),
        cmocka_unit_test(test_files_come_back_and_damaged_ones_are_refused),
        cmocka_unit_test(test_bytes_say_what_files_say),
        cmocka_unit_test(test_what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
