/* test_cutout_picture.c - cut-outs as they are written: with the depth and the profile of the photograph and no more opacity
 * than it has, cut to the object, laid over colours and pictures. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/cutout.h>

#include "vision/resize.h"

enum { WIDTH = 40, HEIGHT = 32, PIXELS = WIDTH * HEIGHT };

/* A disc on a ground of another colour, with noise, and labels of the disc. */
typedef struct scene {
    s3svm_picture photograph;
    uint8_t labels[PIXELS];
} scene;

static unsigned sample_random(sos_random *r, double mean) { return (unsigned)(257 * mean + (double)sos_random_below(r, 3000)); }

static scene scene_create(sos_random *r, bool transparent, bool deep)
{
    scene s = { .photograph = { .image = { .width = WIDTH, .height = HEIGHT, .channels = transparent ? 4 : 3 } } };
    s3svm_picture *p = &s.photograph;
    const size_t channels = p->image.channels;
    p->image.pixels = test_room(NULL, PIXELS, channels);
    if (deep) p->deep = test_room(NULL, PIXELS * channels, sizeof *p->deep);
    for (size_t i = 0; i < PIXELS; i++) {
        const double x = (double)(i % WIDTH) - 20, y = (double)(i / WIDTH) - 14, distance = sqrt(x * x + y * y);
        const double alpha = fmax(0, fmin(1, (10 - distance) / 3 + 0.5));
        s.labels[i] = alpha >= 0.5;
        for (size_t k = 0; k < channels; k++) {
            const double mean = k == 3 ? 240 * (double)sos_random_below(r, 2)
                                       : alpha * (200 - 50 * (double)k) + (1 - alpha) * 60;
            const unsigned value = k == 3 && sos_random_below(r, 3) == 0 ? 65535 : sample_random(r, mean);
            p->image.pixels[channels * i + k] = (uint8_t)((value + 128) / 257);
            if (deep) p->deep[channels * i + k] = (uint16_t)value;
        }
    }
    return s;
}

static s3svm_picture cutout_make(const scene *s)
{
    s3svm_picture out = { 0 };
    sos_error error;
    check_ok(s3svm_cutout_picture(&s->photograph, s->labels, 3, 1, &out, &error), error);
    check(out.image.width == WIDTH && out.image.height == HEIGHT && out.image.channels == 4);
    check((out.deep != NULL) == (s->photograph.deep != NULL));
    return out;
}

static void a_plain_photograph_has_the_cutout_of_its_pixels(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    scene s = scene_create(&r, false, false);
    s3svm_picture picture = cutout_make(&s);
    s3svm_image matte;
    sos_error error;
    check_ok(s3svm_cutout_matte(&s.photograph.image, s.labels, 3, 1, &matte, &error), error);
    assert_memory_equal(matte.pixels, picture.image.pixels, 4 * PIXELS);
    s3svm_image_free(&matte);
    s3svm_picture_free(&picture);
    s3svm_picture_free(&s.photograph);
}

static void opacity_is_at_most_that_of_the_photograph(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(6); c++) {
        sos_random r = test_case_begin(c);
        scene s = scene_create(&r, true, c % 2);
        s3svm_picture out = cutout_make(&s);
        const s3svm_picture *p = &s.photograph;
        size_t kept = 0, less = 0;
        for (size_t i = 0; i < PIXELS; i++) {
            const uint8_t opacity = p->image.pixels[4 * i + 3];
            check(out.image.pixels[4 * i + 3] <= opacity);
            if (p->deep) check(out.deep[4 * i + 3] <= p->deep[4 * i + 3]);
            if (out.image.pixels[4 * i + 3] == opacity && opacity && opacity < 255) { /* colours are not mixed with white */
                assert_memory_equal(out.image.pixels + 4 * i, p->image.pixels + 4 * i, 3);
                if (p->deep) assert_memory_equal(out.deep + 4 * i, p->deep + 4 * i, 3 * sizeof *p->deep);
                kept++;
            }
            less += out.image.pixels[4 * i + 3] < opacity;
        }
        check(kept > 20 && less > PIXELS / 3);
        s3svm_picture_free(&out);
        s3svm_picture_free(&s.photograph);
    }
}

static void depth_and_profile_are_kept(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(4); c++) {
        sos_random r = test_case_begin(c);
        scene s = scene_create(&r, false, true);
        uint8_t profile[] = "what colours mean";
        s.photograph.profile = test_room(NULL, sizeof profile, 1);
        memcpy(s.photograph.profile, profile, s.photograph.profile_length = sizeof profile);
        s3svm_picture out = cutout_make(&s);
        size_t whole = 0, finer = 0;
        for (size_t i = 0; i < PIXELS; i++) {
            const uint16_t *deep = out.deep + 4 * i;
            for (size_t k = 0; k < 4; k++) check(abs((int)deep[k] - 257 * out.image.pixels[4 * i + k]) <= 129);
            if (deep[3] == 65535) assert_memory_equal(deep, s.photograph.deep + 3 * i, 3 * sizeof *deep);
            whole += deep[3] == 65535;
            finer += deep[0] % 257 && deep[3] % 257;
        }
        check(whole > 150 && finer > 20);
        assert_int_equal(out.profile_length, sizeof profile);
        assert_memory_equal(out.profile, profile, sizeof profile);
        s3svm_picture_free(&out);
        s3svm_picture_free(&s.photograph);
    }
}

static void trimming_leaves_what_is_seen_and_no_more(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(6); c++) {
        sos_random r = test_case_begin(c);
        scene s = scene_create(&r, false, c % 2);
        s3svm_picture whole = cutout_make(&s), cut = cutout_make(&s);
        size_t box[4] = { 0 };
        sos_error error;
        check_ok(s3svm_cutout_trim(&cut, box, &error), error);
        check(cut.image.width == box[2] && cut.image.height == box[3] && box[2] < WIDTH && box[3] < HEIGHT);
        bool sides[4] = { false };
        for (size_t i = 0; i < PIXELS; i++) {
            const size_t x = i % WIDTH - box[0], y = i / WIDTH - box[1]; /* huge where it is before the box */
            const bool inside = x < box[2] && y<box[3], seen = whole.image.pixels[4 * i + 3]> 0;
            check(inside || !seen);
            if (!inside) continue;
            assert_memory_equal(cut.image.pixels + 4 * (y * box[2] + x), whole.image.pixels + 4 * i, 4);
            if (cut.deep) assert_memory_equal(cut.deep + 4 * (y * box[2] + x), whole.deep + 4 * i, 4 * sizeof *cut.deep);
            const bool at[4] = { x == 0, y == 0, x == box[2] - 1, y == box[3] - 1 };
            for (int k = 0; k < 4; k++) sides[k] = sides[k] || (seen && at[k]);
        }
        check(sides[0] && sides[1] && sides[2] && sides[3]);
        memset(whole.image.pixels, 0, 4 * PIXELS);
        if (whole.deep) memset(whole.deep, 0, 4 * PIXELS * sizeof *whole.deep);
        check_ok(s3svm_cutout_trim(&whole, NULL, &error), error); /* nothing to be seen */
        check(whole.image.width == WIDTH && whole.image.height == HEIGHT);
        s3svm_picture_free(&whole);
        s3svm_picture_free(&cut);
        s3svm_picture_free(&s.photograph);
    }
}

static void a_cutout_on_a_colour_is_the_mixture(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(4); c++) {
        sos_random r = test_case_begin(c);
        scene s = scene_create(&r, c & 2, c & 1);
        s3svm_picture cutout = cutout_make(&s), laid = cutout_make(&s);
        uint8_t colour[3] = { 10, 200, 90 };
        sos_error error;
        check_ok(s3svm_cutout_lay(&laid, &(s3svm_image){ 1, 1, 3, colour }, &error), error);
        assert_int_equal(laid.image.channels, 3);
        for (size_t i = 0; i < PIXELS; i++)
            for (size_t k = 0; k < 3; k++) {
                const double alpha = cutout.image.pixels[4 * i + 3] / 255.0, front = cutout.image.pixels[4 * i + k];
                check(fabs(laid.image.pixels[3 * i + k] - (alpha * front + (1 - alpha) * colour[k])) <= 0.5001);
                if (!laid.deep) continue;
                const double fine = cutout.deep[4 * i + 3] / 65535.0;
                check(fabs(laid.deep[3 * i + k] - (fine * cutout.deep[4 * i + k] + (1 - fine) * 257 * colour[k])) <= 0.5001);
            }
        check_error(s3svm_cutout_lay(&laid, &(s3svm_image){ 1, 1, 3, colour }, &error), SOS_ERR_ARGUMENT, error, "4 channels");
        check_error(s3svm_cutout_trim(&laid, NULL, &error), SOS_ERR_ARGUMENT, error, "4 channels");
        check_error(s3svm_cutout_lay(&cutout, NULL, &error), SOS_ERR_ARGUMENT, error, "no backdrop");
        s3svm_picture_free(&cutout);
        s3svm_picture_free(&laid);
        s3svm_picture_free(&s.photograph);
    }
}

/* The weighted mean around a place of the picture, in both directions at once. */
static double mean_at(const s3svm_image *p, double x, double y, double reach, size_t k)
{
    double sum = 0, weights = 0;
    for (long v = (long)floor(y - reach); v <= (long)ceil(y + reach); v++)
        for (long u = (long)floor(x - reach); u <= (long)ceil(x + reach); u++) {
            const double weight = fmax(0, 1 - fabs((double)u - x) / reach) * fmax(0, 1 - fabs((double)v - y) / reach);
            const long column = u < 0 ? 0 : u >= (long)p->width ? (long)p->width - 1 : u;
            const long row = v < 0 ? 0 : v >= (long)p->height ? (long)p->height - 1 : v;
            sum += weight * p->pixels[((size_t)row * p->width + (size_t)column) * 3 + k];
            weights += weight;
        }
    return sum / weights;
}

static void a_picture_covers_all_and_keeps_its_proportions(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(40); c++) {
        sos_random r = test_case_begin(c);
        s3svm_image from, out;
        sos_error error;
        const size_t width = 1 + sos_random_below(&r, 30), height = 1 + sos_random_below(&r, 30);
        check_ok(s3svm_image_create(1 + sos_random_below(&r, 30), 1 + sos_random_below(&r, 30), 3, &from, &error), error);
        for (size_t i = 0; i < 3 * s3svm_image_size(&from); i++) from.pixels[i] = (uint8_t)sos_random_below(&r, 256);
        check_ok(s3svm_image_cover(&from, width, height, &out, &error), error);
        check(out.width == width && out.height == height && out.channels == 3);
        const double step = fmin((double)from.width / (double)width, (double)from.height / (double)height);
        for (size_t i = 0; i < width * height; i++) {
            /* the middle of the result lies on that of the picture */
            const double x = ((double)(i % width) + 0.5 - (double)width / 2) * step + (double)from.width / 2 - 0.5;
            const double y = ((double)(i / width) + 0.5 - (double)height / 2) * step + (double)from.height / 2 - 0.5;
            for (size_t k = 0; k < 3; k++) check(fabs(out.pixels[3 * i + k] - mean_at(&from, x, y, fmax(1, step), k)) <= 0.501);
        }
        s3svm_image_free(&from);
        s3svm_image_free(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_photograph_has_the_cutout_of_its_pixels),
        cmocka_unit_test(opacity_is_at_most_that_of_the_photograph),
        cmocka_unit_test(depth_and_profile_are_kept),
        cmocka_unit_test(trimming_leaves_what_is_seen_and_no_more),
        cmocka_unit_test(a_cutout_on_a_colour_is_the_mixture),
        cmocka_unit_test(a_picture_covers_all_and_keeps_its_proportions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
