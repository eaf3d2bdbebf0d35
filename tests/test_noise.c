/* test_noise.c - noise has the mean, variance and independence of its model, and files change nothing. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <s3svm/drawing.h>
#include <s3svm/noise.h>
#include <s3svm/noise_options.h>

enum { SIDE = 400, PIXELS = SIDE * SIDE };

/* A picture of one grey value. */
static s3svm_image flat(uint8_t grey)
{
    s3svm_image image;
    sos_error error;
    check_ok(s3svm_image_create(SIDE, SIDE, 1, &image, &error), error);
    memset(image.pixels, grey, PIXELS);
    return image;
}

static s3svm_plane noisy(const s3svm_noise *noise, uint64_t picture, const s3svm_image *clean)
{
    s3svm_plane plane;
    sos_error error;
    check_ok(s3svm_noise_add(noise, picture, clean, &plane, &error), error);
    check(plane.width == clean->width && plane.height == clean->height);
    return plane;
}

static s3svm_plane noisy_flat(const s3svm_noise *noise, uint64_t picture, uint8_t grey)
{
    s3svm_image clean = flat(grey);
    s3svm_plane plane = noisy(noise, picture, &clean);
    s3svm_image_free(&clean);
    return plane;
}

typedef struct moments {
    double mean, variance;
} moments;

static moments measured(const s3svm_plane *p)
{
    double sum = 0, squares = 0;
    const double n = (double)s3svm_plane_size(p);
    for (size_t i = 0; i < s3svm_plane_size(p); i++) sum += p->values[i];
    for (size_t i = 0; i < s3svm_plane_size(p); i++) squares += (p->values[i] - sum / n) * (p->values[i] - sum / n);
    return (moments){ sum / n, squares / n };
}

/* P(N(m, s) <= x). */
static double normal_below(double x, double m, double s) { return 0.5 * erfc((m - x) / (s * 1.4142135623730951)); }

/* Of N(m, s) clipped to 0 ... 1 and rounded to 1/255, summed over its 256 values. */
static moments expected(double m, double s)
{
    double mean = 0, squares = 0;
    for (int k = 0; k < 256; k++) {
        const double above = k == 255 ? 1 : normal_below((k + 0.5) / 255, m, s),
                     below = k ? normal_below((k - 0.5) / 255, m, s) : 0;
        mean += (above - below) * k / 255;
        squares += (above - below) * k * k / (255.0 * 255);
    }
    return (moments){ mean, squares - mean * mean };
}

/* Five standard errors of a mean, and of a variance whose fourth moment is at most that of the normal distribution's. */
static void check_moments(moments got, moments wanted)
{
    const double mean_error = 5 * sqrt(wanted.variance / PIXELS), variance_error = 5 * wanted.variance * sqrt(2.0 / PIXELS);
    if (!(fabs(got.mean - wanted.mean) <= mean_error && fabs(got.variance - wanted.variance) <= variance_error))
        test_fail(__FILE__, __LINE__, "mean %g, not %g; variance %g, not %g", got.mean, wanted.mean, got.variance,
                  wanted.variance);
}

static void unclipped_noise_has_the_moments_of_its_model(void **state)
{
    (void)state;
    static const uint8_t GREYS[] = { 0, 255, 100 };
    for (uint64_t c = 0; c < test_cases(12); c++) {
        sos_random r = test_case_begin(c);
        const uint8_t grey = GREYS[c % 3];
        const bool shifted = c & 1;
        s3svm_noise noise = s3svm_noise_defaults(shifted ? S3SVM_NOISE_SHIFTED : S3SVM_NOISE_PLAIN);
        noise.seed = sos_random_bits(&r);
        noise.unclipped = true;
        s3svm_plane p = noisy_flat(&noise, sos_random_bits(&r), grey);
        const double m = shifted ? (grey + 255.0) / 2 / 255 : grey / 255.0, s = shifted ? 150.0 / 2 / 255 : 0.5;
        check_moments(measured(&p), (moments){ m, s * s });
        s3svm_plane_free(&p);
    }
}

static void clipped_noise_has_the_moments_of_what_is_clipped(void **state)
{
    (void)state;
    static const double SIGMAS[] = { 0.2, 0.5, 0.7, 1 };
    for (uint64_t c = 0; c < test_cases(16); c++) {
        sos_random r = test_case_begin(c);
        const uint8_t grey = c & 1 ? 255 : 0;
        const bool shifted = c & 8;
        s3svm_noise noise = { .model = shifted ? S3SVM_NOISE_SHIFTED : S3SVM_NOISE_PLAIN,
                              .sigma = SIGMAS[c / 2 % 4],
                              .seed = sos_random_bits(&r) };
        if (shifted) noise.sigma *= 150;
        s3svm_plane p = noisy_flat(&noise, sos_random_bits(&r), grey);
        for (size_t i = 0; i < PIXELS; i++) check(p.values[i] >= 0 && p.values[i] <= 1);
        check_moments(measured(&p), shifted ? expected((grey + 255.0) / 2 / 255, noise.sigma / 2 / 255)
                                            : expected(grey / 255.0, noise.sigma));
        s3svm_plane_free(&p);
    }
}

/* The correlation of a[i] and b[i + shift], times the root of the number of pixels: about normal where they are independent. */
static double correlation(const s3svm_plane *a, const s3svm_plane *b, size_t shift)
{
    const moments ma = measured(a), mb = measured(b);
    double sum = 0;
    for (size_t i = 0; i + shift < PIXELS; i++) sum += (a->values[i] - ma.mean) * (b->values[i + shift] - mb.mean);
    return sum / sqrt(ma.variance * mb.variance) / sqrt(PIXELS);
}

static void pixels_pictures_and_seeds_are_independent(void **state)
{
    (void)state;
    static const size_t SHIFTS[] = { 1, 2, 3, SIDE - 1, SIDE, SIDE + 1 };
    for (uint64_t c = 0; c < test_cases(6); c++) {
        sos_random r = test_case_begin(c);
        s3svm_noise noise = s3svm_noise_defaults(c & 1 ? S3SVM_NOISE_SHIFTED : S3SVM_NOISE_PLAIN), other = noise;
        noise.seed = sos_random_below(&r, 100);
        other.seed = noise.seed + 1;
        const uint64_t picture = s3svm_noise_stream("shapes-01.png");
        s3svm_plane a = noisy_flat(&noise, picture, 128), b = noisy_flat(&noise, s3svm_noise_stream("shapes-02.png"), 128);
        s3svm_plane d = noisy_flat(&other, picture, 128), e = noisy_flat(&noise, picture ^ 1, 128);
        for (size_t i = 0; i < sizeof SHIFTS / sizeof *SHIFTS; i++) check(fabs(correlation(&a, &a, SHIFTS[i])) < 5);
        for (size_t shift = 0; shift < 4; shift++) {
            check(fabs(correlation(&a, &b, shift)) < 5);
            check(fabs(correlation(&a, &d, shift)) < 5);
            check(fabs(correlation(&a, &e, shift)) < 5);
            check(fabs(correlation(&d, &a, shift)) < 5);
        }
        s3svm_plane *all[] = { &a, &b, &d, &e };
        for (size_t i = 0; i < 4; i++) s3svm_plane_free(all[i]);
    }
}

static void the_same_seed_and_picture_give_the_same_noise(void **state)
{
    (void)state;
    const s3svm_noise noise = s3svm_noise_defaults(S3SVM_NOISE_PLAIN);
    s3svm_plane a = noisy_flat(&noise, 5, 0), b = noisy_flat(&noise, 5, 0), d = noisy_flat(&noise, 6, 0);
    check(!memcmp(a.values, b.values, PIXELS * sizeof *a.values));
    check(memcmp(a.values, d.values, PIXELS * sizeof *a.values));
    s3svm_plane_free(&a);
    s3svm_plane_free(&b);
    s3svm_plane_free(&d);
}

/* The formulas once more, in grey values and from the normal numbers that plain noise of sigma 1 shows. */
static void each_model_is_its_formula(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(8); c++) {
        sos_random r = test_case_begin(c);
        s3svm_image clean = flat(0);
        for (size_t i = 0; i < PIXELS; i++) clean.pixels[i] = (uint8_t)sos_random_below(&r, 256);
        const double sigma = 1 + 200 * sos_random_uniform(&r);
        const uint64_t seed = sos_random_bits(&r), picture = sos_random_bits(&r);
        s3svm_plane one = noisy(&(s3svm_noise){ .model = S3SVM_NOISE_PLAIN, .sigma = 1, .seed = seed, .unclipped = true },
                                picture, &clean);
        s3svm_plane shifted = noisy(
            &(s3svm_noise){ .model = S3SVM_NOISE_SHIFTED, .sigma = sigma, .seed = seed, .unclipped = true }, picture, &clean);
        s3svm_plane rounded = noisy(&(s3svm_noise){ .model = S3SVM_NOISE_SHIFTED, .sigma = sigma, .seed = seed }, picture,
                                    &clean);
        s3svm_plane still = noisy(&(s3svm_noise){ .model = S3SVM_NOISE_PLAIN, .sigma = 0, .seed = seed }, picture, &clean);
        for (size_t i = 0; i < PIXELS; i++) {
            const double z = one.values[i] - clean.pixels[i] / 255.0, x = (clean.pixels[i] + (255 + sigma * z)) / 2;
            const double clipped = x < 0 ? 0 : x > 255 ? 255 : x;
            check(fabs(255.0 * shifted.values[i] - x) < 1e-3);
            check(fabs(255.0 * rounded.values[i] - clipped) < 0.5 + 1e-3);
            check(fabs(255.0 * rounded.values[i] - rint(255.0 * rounded.values[i])) < 1e-4);
            check(lrint(255.0 * still.values[i]) == clean.pixels[i]);
        }
        s3svm_plane *all[] = { &one, &shifted, &rounded, &still };
        for (size_t i = 0; i < 4; i++) s3svm_plane_free(all[i]);
        s3svm_image_free(&clean);
    }
}

/* Writes the noisy picture to path, reads it again and compares the bits. */
static void check_file(const s3svm_plane *direct, const char *path)
{
    s3svm_image grey, back;
    s3svm_plane plane;
    sos_error error;
    check_ok(s3svm_plane_to_image(direct, &grey, &error), error);
    check_ok(s3svm_image_write(&grey, path, &error), error);
    check_ok(s3svm_image_read(path, S3SVM_IMAGE_GREY, &back, &error), error);
    check_ok(s3svm_image_to_plane(&back, &plane, &error), error);
    check(!memcmp(plane.values, direct->values, s3svm_plane_size(direct) * sizeof *plane.values));
    s3svm_plane_free(&plane);
    s3svm_image_free(&grey);
    s3svm_image_free(&back);
    remove(path);
}

static bool png_is_there(void)
{
    s3svm_image image = flat(0);
    uint8_t *bytes = NULL;
    size_t length;
    const bool there = !s3svm_image_encode(&image, &bytes, &length, NULL);
    free(bytes);
    s3svm_image_free(&image);
    return there;
}

static void noise_on_the_fly_is_noise_through_files(void **state)
{
    (void)state;
    char folder[] = "/tmp/sos-noise-XXXXXX", path[64];
    check(mkdtemp(folder));
    const bool png = png_is_there();
    if (!png) print_message("without libpng: only PGM files are compared\n");
    for (uint64_t c = 0; c < test_cases(12); c++) {
        sos_random r = test_case_begin(c);
        s3svm_image clean;
        sos_error error;
        check_ok(s3svm_drawing_make(80, 60, c & 1, sos_random_bits(&r), &clean, &error), error);
        s3svm_noise noise = s3svm_noise_defaults(c & 2 ? S3SVM_NOISE_SHIFTED : S3SVM_NOISE_PLAIN);
        noise.seed = sos_random_bits(&r);
        s3svm_plane direct = noisy(&noise, sos_random_bits(&r), &clean);
        snprintf(path, sizeof path, "%s/noisy.pgm", folder);
        check_file(&direct, path);
        snprintf(path, sizeof path, "%s/noisy.png", folder);
        if (png) check_file(&direct, path);
        s3svm_plane_free(&direct);
        s3svm_image_free(&clean);
    }
    check(!rmdir(folder));
}

static void the_stream_is_the_hash_of_the_name_alone(void **state)
{
    (void)state;
    const uint64_t stream = s3svm_noise_stream("shapes-01.png");
    check(stream == s3svm_noise_stream("/some/where/labels/shapes-01.png") &&
          stream == s3svm_noise_stream("x.y/shapes-01.jpg"));
    check(stream == s3svm_noise_stream("shapes-01") && stream != s3svm_noise_stream("shapes-02.png"));
    check(s3svm_noise_stream("a.b.png") == s3svm_noise_stream("a.b.pgm") &&
          s3svm_noise_stream("a.b.png") != s3svm_noise_stream("a.c.png"));
    check(s3svm_noise_stream(".png") != s3svm_noise_stream(".jpg"));
    check(s3svm_noise_stream("a") == UINT64_C(0xaf63dc4c8601ec8c)); /* FNV-1a's own test vector */
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    s3svm_image clean = flat(0), colour;
    s3svm_plane out = { .width = 7 };
    sos_error error;
    check_ok(s3svm_image_create(4, 4, 3, &colour, &error), error);
    s3svm_noise noise = s3svm_noise_defaults(S3SVM_NOISE_PLAIN);
    check_error(s3svm_noise_add(&noise, 1, &colour, &out, &error), SOS_ERR_ARGUMENT, error, "3 channels");
    static const double BAD[] = { -0.1, INFINITY, NAN };
    for (size_t i = 0; i < 3; i++) {
        noise.sigma = BAD[i];
        check_error(s3svm_noise_add(&noise, 1, &clean, &out, &error), SOS_ERR_ARGUMENT, error, "sigma");
    }
    noise = s3svm_noise_defaults(S3SVM_NOISE_PLAIN);
    noise.reserved[3] = 1;
    check_error(s3svm_noise_add(&noise, 1, &clean, &out, &error), SOS_ERR_ARGUMENT, error, "s3svm_noise", "reserved");
    noise.reserved[3] = 0;
    noise.sigma = 1e300; /* strange, but only clips */
    check(out.width == 7);
    check_ok(s3svm_noise_add(&noise, 1, &clean, &out, &error), error);
    for (size_t i = 0; i < PIXELS; i++) check(out.values[i] == 0 || out.values[i] == 1);
    s3svm_plane_free(&out);
    s3svm_image_free(&clean);
    s3svm_image_free(&colour);
}

static void the_defaults_are_those_of_the_paper(void **state)
{
    (void)state;
    const s3svm_noise plain = s3svm_noise_defaults(S3SVM_NOISE_PLAIN), shifted = s3svm_noise_defaults(S3SVM_NOISE_SHIFTED);
    check(plain.model == S3SVM_NOISE_PLAIN && plain.sigma == 0.5 && !plain.unclipped);
    check(shifted.model == S3SVM_NOISE_SHIFTED && shifted.sigma == 150 && shifted.seed == plain.seed && !shifted.unclipped);
}

static void options_ask_for_noise_only_if_something_is_said(void **state)
{
    (void)state;
    s3svm_noise made[S3SVM_NOISES_MAX];
    sos_error error;
    s3svm_noise_options o = s3svm_noise_options_none();
    check(s3svm_noise_options_make(&o, made) == 0);
    o.seed = 7;
    check(s3svm_noise_options_make(&o, made) == 1);
    check(made[0].model == S3SVM_NOISE_PLAIN && made[0].sigma == 0.5 && made[0].seed == 7);
    o = s3svm_noise_options_none();
    o.model = S3SVM_NOISE_SHIFTED;
    check(s3svm_noise_options_make(&o, made) == 1);
    check(made[0].model == S3SVM_NOISE_SHIFTED && made[0].sigma == 150 && made[0].seed == 1);
    o.sigma = (s3svm_reals){ 3, { 10, 0, 20 } };
    o.seed = 5;
    check_ok(s3svm_noise_options_check(&o, &error), error);
    check(s3svm_noise_options_make(&o, made) == 3);
    for (size_t i = 0; i < 3; i++)
        check(made[i].model == S3SVM_NOISE_SHIFTED && made[i].sigma == o.sigma.values[i] && made[i].seed == 5 + i);
    o.sigma.values[1] = -1;
    check_error(s3svm_noise_options_check(&o, &error), SOS_ERR_ARGUMENT, error, "--sigma", "-1");
    o.sigma = (s3svm_reals){ .count = S3SVM_NOISES_MAX + 1 };
    check_error(s3svm_noise_options_check(&o, &error), SOS_ERR_ARGUMENT, error, "--sigma", "17");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unclipped_noise_has_the_moments_of_its_model),
        cmocka_unit_test(clipped_noise_has_the_moments_of_what_is_clipped),
        cmocka_unit_test(pixels_pictures_and_seeds_are_independent),
        cmocka_unit_test(the_same_seed_and_picture_give_the_same_noise),
        cmocka_unit_test(each_model_is_its_formula),
        cmocka_unit_test(noise_on_the_fly_is_noise_through_files),
        cmocka_unit_test(the_stream_is_the_hash_of_the_name_alone),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(the_defaults_are_those_of_the_paper),
        cmocka_unit_test(options_ask_for_noise_only_if_something_is_said),
    };
    return cmocka_run_group_tests_name("noise", tests, NULL, NULL);
}
