/* test_scribbles.c - scribbles in every convention come to the same marks, what can be read in two ways is refused with both
 * named, and damaged files are errors. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <s3svm/marks.h>

enum { WIDTH = 40, HEIGHT = 30, N = WIDTH * HEIGHT };

static char path[64];

/* A photograph of many colours, none of them clear, and its marks. */
typedef struct scene {
    s3svm_image photograph;
    uint8_t truth[N]; /* S3SVM_MARK_ numbers */
    sos_random random;
} scene;

static scene scene_create(uint64_t c)
{
    scene s = { .random = test_case_begin(c) };
    sos_error error;
    check_ok(s3svm_image_create(WIDTH, HEIGHT, 3, &s.photograph, &error), error);
    for (size_t i = 0; i < 3 * N; i++) s.photograph.pixels[i] = (uint8_t)(90 + sos_random_below(&s.random, 80));
    const size_t y1 = 2 + sos_random_below(&s.random, 8), y2 = 15 + sos_random_below(&s.random, 10);
    for (size_t x = 5; x < 30; x++)
        for (size_t t = 0; t < 3; t++) {
            s.truth[(y1 + t) * WIDTH + x] = S3SVM_MARK_OBJECT;
            s.truth[(y2 + t) * WIDTH + x] = S3SVM_MARK_BACKGROUND;
        }
    return s;
}

static void write_image(const s3svm_image *image)
{
    sos_error error;
    check_ok(s3svm_image_write(image, path, &error), error);
}

/* A grey PNG of a value for each mark. */
static void write_values(const scene *s, const uint8_t values[3])
{
    uint8_t pixels[N];
    for (size_t i = 0; i < N; i++) pixels[i] = values[s->truth[i]];
    write_image(&(s3svm_image){ WIDTH, HEIGHT, 1, pixels });
}

/* A PNG with a palette: the number and the colour 0xRRGGBB of each mark. */
static void write_palette(const scene *s, const uint8_t numbers[3], size_t count, const uint32_t colours[])
{
    uint8_t pixels[N];
    sos_error error;
    for (size_t i = 0; i < N; i++) pixels[i] = numbers[s->truth[i]];
    check_ok(s3svm_image_write_palette(&(s3svm_image){ WIDTH, HEIGHT, 1, pixels }, count, colours, path, &error), error);
}

enum { OVER_PHOTOGRAPH = 0x1000000, TRANSPARENT };

/* A colour PNG: a colour for each mark; that of nothing may be the photograph or transparent. */
static void write_colours(const scene *s, const uint32_t colours[3])
{
    const size_t channels = colours[0] == TRANSPARENT ? 4 : 3;
    uint8_t *pixels = test_room(NULL, N, channels);
    for (size_t i = 0; i < N; i++) {
        const uint32_t colour = colours[s->truth[i]];
        uint8_t *p = pixels + channels * i;
        for (size_t c = 0; c < 3; c++) p[c] = (uint8_t)(colour >> (16 - 8 * c));
        if (colour == OVER_PHOTOGRAPH) memcpy(p, s->photograph.pixels + 3 * i, 3);
        if (channels == 4) p[3] = colour == TRANSPARENT ? 0 : 255;
    }
    write_image(&(s3svm_image){ WIDTH, HEIGHT, channels, pixels });
    free(pixels);
}

/* Reads path; the convention and the marks must be these: marks[m] where the truth is m. */
static void check_read(const scene *s, const s3svm_scribbles_settings *settings, s3svm_convention convention,
                       const uint8_t marks[3])
{
    s3svm_image found = { 0 };
    s3svm_scribbles_found how;
    sos_error error;
    check_ok(s3svm_scribbles_read(path, &s->photograph, settings, &found, &how, &error), error);
    check(how.convention == convention);
    check(strstr(how.words, s3svm_convention_name(convention)));
    check(found.width == WIDTH && found.height == HEIGHT && found.channels == 1);
    for (size_t i = 0; i < N; i++) check(found.pixels[i] == marks[s->truth[i]]);
    s3svm_image_free(&found);
}

static const uint8_t AS_MARKED[3] = { S3SVM_MARK_NONE, S3SVM_MARK_OBJECT, S3SVM_MARK_BACKGROUND };
static const uint8_t SWAPPED[3] = { S3SVM_MARK_NONE, S3SVM_MARK_BACKGROUND, S3SVM_MARK_OBJECT };

#define check_refused(s, settings, status, ...)                                                                                \
    do {                                                                                                                       \
        s3svm_image none_ = { 0 };                                                                                             \
        sos_error error_;                                                                                                      \
        check_error(s3svm_scribbles_read(path, &(s)->photograph, (settings), &none_, NULL, &error_), (status), error_,         \
                    __VA_ARGS__);                                                                                              \
        check(!none_.pixels);                                                                                                  \
    } while (0)

static const s3svm_scribbles_settings PALETTE = { .convention = S3SVM_CONVENTION_PALETTE },
                                      OPENCV = { .convention = S3SVM_CONVENTION_OPENCV },
                                      TRIMAP = { .convention = S3SVM_CONVENTION_TRIMAP },
                                      COLOUR = { .convention = S3SVM_CONVENTION_COLOUR };

/* ---------------------------------------------------------------- numbers */

static void test_palette_numbers_are_object_1_and_background_2(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(20); c++) {
        scene s = scene_create(c);
        const uint8_t numbers[] = { 0, 1, 2 };
        write_values(&s, numbers);
        check_read(&s, NULL, S3SVM_CONVENTION_PALETTE, AS_MARKED);
        check_read(&s, &PALETTE, S3SVM_CONVENTION_PALETTE, AS_MARKED);
        const uint32_t custom[] = { 0x000000, 0xffffcf, 0xdb0000, 0x0000db }; /* object light, background red */
        write_palette(&s, numbers, 4, custom);
        check_read(&s, NULL, S3SVM_CONVENTION_PALETTE, AS_MARKED);
        const uint32_t agreeing[] = { 0xffffff, 0xff0000, 0x0000ff };
        write_palette(&s, numbers, 3, agreeing);
        check_read(&s, NULL, S3SVM_CONVENTION_PALETTE, AS_MARKED);
        s3svm_image_free(&s.photograph);
    }
}

static void test_opencv_numbers_are_recognised_by_what_most_pixels_are(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(20); c++) {
        scene s = scene_create(c);
        write_values(&s, (uint8_t[]){ 2, 1, 0 });
        check_read(&s, NULL, S3SVM_CONVENTION_OPENCV,
                   (uint8_t[]){ S3SVM_MARK_PERHAPS_BACKGROUND, S3SVM_MARK_OBJECT, S3SVM_MARK_BACKGROUND });
        write_values(&s, (uint8_t[]){ 3, 1, 0 });
        check_read(&s, NULL, S3SVM_CONVENTION_OPENCV,
                   (uint8_t[]){ S3SVM_MARK_PERHAPS_OBJECT, S3SVM_MARK_OBJECT, S3SVM_MARK_BACKGROUND });
        write_values(&s, (uint8_t[]){ 0, 3, 2 }); /* a rectangle's mask: background around */
        check_read(&s, NULL, S3SVM_CONVENTION_OPENCV,
                   (uint8_t[]){ S3SVM_MARK_BACKGROUND, S3SVM_MARK_PERHAPS_OBJECT, S3SVM_MARK_PERHAPS_BACKGROUND });
        write_values(&s, (uint8_t[]){ 0, 1, 2 });
        check_read(&s, &OPENCV, S3SVM_CONVENTION_OPENCV,
                   (uint8_t[]){ S3SVM_MARK_BACKGROUND, S3SVM_MARK_OBJECT, S3SVM_MARK_PERHAPS_BACKGROUND });
        s3svm_image_free(&s.photograph);
    }
}

static void test_trimaps_of_8_and_16_bits(void **state)
{
    (void)state;
    scene s = scene_create(0);
    write_values(&s, (uint8_t[]){ 128, 255, 0 });
    check_read(&s, NULL, S3SVM_CONVENTION_TRIMAP, AS_MARKED);
    write_values(&s, (uint8_t[]){ 254, 255, 0 });
    check_read(&s, NULL, S3SVM_CONVENTION_TRIMAP, AS_MARKED);
    write_values(&s, (uint8_t[]){ 1, 255, 0 });
    check_read(&s, &TRIMAP, S3SVM_CONVENTION_TRIMAP, AS_MARKED);
    write_values(&s, (uint8_t[]){ 200, 255, 200 }); /* no background */
    check_read(&s, NULL, S3SVM_CONVENTION_TRIMAP, (uint8_t[]){ S3SVM_MARK_NONE, S3SVM_MARK_OBJECT, S3SVM_MARK_NONE });
    write_values(&s, (uint8_t[]){ 0, 255, 0 }); /* a finished mask */
    check_read(&s, &TRIMAP, S3SVM_CONVENTION_TRIMAP,
               (uint8_t[]){ S3SVM_MARK_BACKGROUND, S3SVM_MARK_OBJECT, S3SVM_MARK_BACKGROUND });
    s3svm_image_free(&s.photograph);
}

/* PGM of 16 bits: not a picture of labels, but grey. */
static void test_a_trimap_of_16_bits(void **state)
{
    (void)state;
    scene s = scene_create(0);
    FILE *file = fopen(path, "wb");
    check(file);
    fprintf(file, "P5\n%d %d\n65535\n", WIDTH, HEIGHT);
    for (size_t i = 0; i < N; i++) {
        const uint8_t value = (uint8_t[]){ 120, 255, 0 }[s.truth[i]];
        fputc(value, file);
        fputc(value, file);
    }
    fclose(file);
    check_read(&s, NULL, S3SVM_CONVENTION_TRIMAP, AS_MARKED);
    check_refused(&s, &PALETTE, SOS_ERR_FORMAT, "palette", "16 bits");
    s3svm_image_free(&s.photograph);
}

/* ---------------------------------------------------------------- colours */

static void test_strokes_over_any_paper(void **state)
{
    (void)state;
    static const uint32_t PAPERS[] = { 0xffffff, 0x000000, 0x808080, TRANSPARENT, OVER_PHOTOGRAPH };
    static const uint32_t STROKES[][2] = { { 0xff0000, 0x0000ff }, { 0xe02030, 0x3060f0 }, { 0x00ff00, 0x0000ff },
                                           { 0x20c040, 0x1080ff }, { 0xffe000, 0x0000c0 }, { 0x00d000, 0xd00000 },
                                           { 0xff8000, 0x0000ff } };
    for (uint64_t c = 0; c < test_cases(10); c++)
        for (size_t p = 0; p < sizeof PAPERS / sizeof *PAPERS; p++)
            for (size_t k = 0; k < sizeof STROKES / sizeof *STROKES; k++) {
                scene s = scene_create(c);
                write_colours(&s, (uint32_t[]){ PAPERS[p], STROKES[k][0], STROKES[k][1] });
                check_read(&s, NULL, S3SVM_CONVENTION_COLOUR, AS_MARKED);
                s3svm_image_free(&s.photograph);
            }
}

static void test_white_and_black_strokes(void **state)
{
    (void)state;
    scene s = scene_create(0);
    write_colours(&s, (uint32_t[]){ OVER_PHOTOGRAPH, 0xffffff, 0x000000 });
    check_read(&s, NULL, S3SVM_CONVENTION_COLOUR, AS_MARKED);
    write_colours(&s, (uint32_t[]){ 0x000000, 0xffffff, 0x0000ff });
    check_read(&s, NULL, S3SVM_CONVENTION_COLOUR, AS_MARKED);
    write_colours(&s, (uint32_t[]){ TRANSPARENT, 0xff0000, 0x000000 });
    check_read(&s, NULL, S3SVM_CONVENTION_COLOUR, AS_MARKED);
    write_values(&s, (uint8_t[]){ 0, 255, 0 });
    check_read(&s, &COLOUR, S3SVM_CONVENTION_COLOUR, (uint8_t[]){ S3SVM_MARK_NONE, S3SVM_MARK_OBJECT, S3SVM_MARK_NONE });
    s3svm_image_free(&s.photograph);
}

/* Strokes on a grey photograph, saved as grey: many greys are no trimap. */
static void test_a_grey_photograph(void **state)
{
    (void)state;
    scene s = scene_create(0);
    uint8_t pixels[N];
    for (size_t i = 0; i < N; i++) {
        s.photograph.pixels[3 * i + 1] = s.photograph.pixels[3 * i + 2] = s.photograph.pixels[3 * i];
        pixels[i] = s.truth[i] == S3SVM_MARK_OBJECT       ? 255
                    : s.truth[i] == S3SVM_MARK_BACKGROUND ? 0
                                                          : s.photograph.pixels[3 * i];
    }
    write_image(&(s3svm_image){ WIDTH, HEIGHT, 1, pixels });
    check_read(&s, NULL, S3SVM_CONVENTION_COLOUR, AS_MARKED);
    s3svm_image_free(&s.photograph);
}

/* A white photograph, and strokes over white: what is dark in the photograph is not marked. */
static void test_a_photograph_as_white_as_paper(void **state)
{
    (void)state;
    scene s = scene_create(0);
    for (size_t i = 0; i < N; i++)
        if (i % WIDTH < 35) memset(s.photograph.pixels + 3 * i, 255, 3);
    write_colours(&s, (uint32_t[]){ TRANSPARENT, 0xff0000, 0x0000ff });
    check_read(&s, NULL, S3SVM_CONVENTION_COLOUR, AS_MARKED);
    s3svm_image_free(&s.photograph);
}

static void test_named_colours_win(void **state)
{
    (void)state;
    scene s = scene_create(0);
    write_colours(&s, (uint32_t[]){ TRANSPARENT, 0xff0000, 0x00ff00 });
    check_read(&s, NULL, S3SVM_CONVENTION_COLOUR, SWAPPED); /* green object, red background */
    const s3svm_scribbles_settings red = { .convention = 0, .object = S3SVM_STROKE_RED, .background = S3SVM_STROKE_GREEN };
    check_read(&s, &red, S3SVM_CONVENTION_COLOUR, AS_MARKED);
    const s3svm_scribbles_settings only = { .convention = 0, .object = S3SVM_STROKE_AUTO, .background = S3SVM_STROKE_RED };
    check_read(&s, &only, S3SVM_CONVENTION_COLOUR, (uint8_t[]){ S3SVM_MARK_NONE, S3SVM_MARK_BACKGROUND, S3SVM_MARK_NONE });
    const s3svm_scribbles_settings absent = { .convention = 0, .object = S3SVM_STROKE_BLUE, .background = S3SVM_STROKE_AUTO };
    check_refused(&s, &absent, SOS_ERR_FORMAT, "no strokes of that colour", "red and green");
    write_colours(&s, (uint32_t[]){ 0xffffff, 0xff00ff, 0x00ffff });
    const s3svm_scribbles_settings other = { .convention = 0, .object = S3SVM_STROKE_MAGENTA, .background = S3SVM_STROKE_CYAN };
    check_read(&s, &other, S3SVM_CONVENTION_COLOUR, AS_MARKED);
    s3svm_image_free(&s.photograph);
}

/* Strokes with soft ends: blends with the paper are no colours of their own. */
static void test_soft_strokes(void **state)
{
    (void)state;
    scene s = scene_create(0);
    uint8_t pixels[3 * N];
    for (size_t i = 0; i < N; i++) {
        const bool rim = s.truth[i] && (i < WIDTH || s.truth[i - WIDTH] != s.truth[i]);
        const uint8_t faint = rim ? 190 : 0;
        memcpy(pixels + 3 * i,
               s.truth[i] == S3SVM_MARK_OBJECT       ? (uint8_t[]){ 255, faint, faint }
               : s.truth[i] == S3SVM_MARK_BACKGROUND ? (uint8_t[]){ faint, faint, 255 }
                                                     : (uint8_t[]){ 255, 255, 255 },
               3);
    }
    write_image(&(s3svm_image){ WIDTH, HEIGHT, 3, pixels });
    s3svm_image marks = { 0 };
    sos_error error;
    check_ok(s3svm_scribbles_read(path, &s.photograph, NULL, &marks, NULL, &error), error);
    for (size_t i = 0; i < N; i++) {
        check(marks.pixels[i] == S3SVM_MARK_NONE || marks.pixels[i] == s.truth[i]);
        if (s.truth[i] && i >= WIDTH && s.truth[i - WIDTH] == s.truth[i]) check(marks.pixels[i] == s.truth[i]);
    }
    s3svm_image_free(&marks);
    s3svm_image_free(&s.photograph);
}

/* ---------------------------------------------------------------- doubt */

static void test_what_can_be_read_in_two_ways_is_refused(void **state)
{
    (void)state;
    scene s = scene_create(0);
    write_values(&s, (uint8_t[]){ 0, 1, 0 });
    check_refused(&s, NULL, SOS_ERR_FORMAT, "0 or 1", "palette", "opencv", "--convention");
    write_values(&s, (uint8_t[]){ 0, 255, 0 });
    check_refused(&s, NULL, SOS_ERR_FORMAT, "black or white", "trimap", "colour");
    write_values(&s, (uint8_t[]){ 0, 255, 1 });
    check_refused(&s, NULL, SOS_ERR_FORMAT, "labels 1, 2 or 3", "trimap");
    write_values(&s, (uint8_t[]){ 1, 0, 2 });
    check_refused(&s, NULL, SOS_ERR_FORMAT, "0, 1 or 2", "palette", "opencv");
    write_palette(&s, (uint8_t[]){ 0, 1, 2 }, 3, (uint32_t[]){ 0xffffff, 0x0000ff, 0xff0000 });
    check_refused(&s, NULL, SOS_ERR_FORMAT, "blue", "palette", "colour");
    check_read(&s, &PALETTE, S3SVM_CONVENTION_PALETTE, AS_MARKED);
    check_read(&s, &COLOUR, S3SVM_CONVENTION_COLOUR, SWAPPED);
    write_colours(&s, (uint32_t[]){ 0xffffff, 0xff00ff, 0x0000ff });
    check_refused(&s, NULL, SOS_ERR_FORMAT, "blue and magenta", "--object");
    write_colours(&s, (uint32_t[]){ 0x000000, 0xff0000, 0xffff00 });
    check_refused(&s, NULL, SOS_ERR_FORMAT, "red and yellow", "--object");
    s3svm_image_free(&s.photograph);
}

/* Indexed colours whose numbers are beyond the palette convention are strokes. */
static void test_indexed_colours(void **state)
{
    (void)state;
    scene s = scene_create(0);
    write_palette(&s, (uint8_t[]){ 3, 7, 1 }, 8, (uint32_t[]){ 0, 0x0000ff, 0, 0xffffff, 0, 0, 0, 0xff0000 });
    check_read(&s, NULL, S3SVM_CONVENTION_COLOUR, AS_MARKED);
    write_palette(&s, (uint8_t[]){ 2, 0, 1 }, 3, (uint32_t[]){ 0xff0000, 0x0000ff, 0xffffff });
    check_read(&s, NULL, S3SVM_CONVENTION_COLOUR, AS_MARKED);
    s3svm_image_free(&s.photograph);
}

static void test_numbers_that_a_convention_has_not(void **state)
{
    (void)state;
    scene s = scene_create(0);
    write_values(&s, (uint8_t[]){ 0, 1, 3 });
    check_refused(&s, &PALETTE, SOS_ERR_FORMAT, "is 3", "palette", "0, 1 and 2");
    write_values(&s, (uint8_t[]){ 0, 1, 4 });
    check_refused(&s, &OPENCV, SOS_ERR_FORMAT, "is 4", "opencv");
    write_colours(&s, (uint32_t[]){ 0xffffff, 0xff0000, 0x0000ff });
    check_refused(&s, &TRIMAP, SOS_ERR_FORMAT, "trimap is grey");
    check_refused(&s, &OPENCV, SOS_ERR_FORMAT, "opencv", "colour picture");
    s3svm_image_free(&s.photograph);
}

static void test_nothing_marked_and_another_size(void **state)
{
    (void)state;
    scene s = scene_create(0);
    write_values(&s, (uint8_t[]){ 0, 0, 0 });
    check_refused(&s, NULL, SOS_ERR_FORMAT, "nothing is marked");
    check_refused(&s, &PALETTE, SOS_ERR_FORMAT, "nothing is marked");
    write_values(&s, (uint8_t[]){ 128, 128, 128 });
    check_refused(&s, NULL, SOS_ERR_FORMAT, "nothing is marked");
    write_colours(&s, (uint32_t[]){ 0xffffff, 0xffffff, 0xffffff });
    check_refused(&s, &COLOUR, SOS_ERR_FORMAT, "nothing is marked", "white");
    write_colours(&s, (uint32_t[]){ OVER_PHOTOGRAPH, OVER_PHOTOGRAPH, OVER_PHOTOGRAPH });
    check_refused(&s, NULL, SOS_ERR_FORMAT, "nothing is marked", "as in the photograph");
    write_colours(&s, (uint32_t[]){ 0xffffff, 0xc0a0b0, 0x907080 });
    check_refused(&s, NULL, SOS_ERR_FORMAT, "of no clear colour", "#c0a0b0");

    uint8_t small[6] = { 0, 1, 2, 0, 0, 0 };
    write_image(&(s3svm_image){ 3, 2, 1, small });
    check_refused(&s, NULL, SOS_ERR_ARGUMENT, "3 by 2", "40 by 30");
    uint8_t colours[18] = { 255 };
    write_image(&(s3svm_image){ 3, 2, 3, colours });
    check_refused(&s, NULL, SOS_ERR_ARGUMENT, "3 by 2", "40 by 30");
    s3svm_image_free(&s.photograph);
}

/* ---------------------------------------------------------------- hostile files */

static void test_damaged_files_are_errors(void **state)
{
    (void)state;
    scene s = scene_create(0);
    uint8_t *bytes = test_room(NULL, 1 << 16, 1);
    write_palette(&s, (uint8_t[]){ 0, 1, 2 }, 3, (uint32_t[]){ 0, 0xff0000, 0x0000ff });
    FILE *file = fopen(path, "rb");
    check(file);
    const size_t length = fread(bytes, 1, 1 << 16, file);
    fclose(file);
    for (uint64_t c = 0; c < test_cases(400); c++) {
        sos_random r = test_case_begin(c);
        const size_t at = sos_random_below(&r, length), keep = c % 2 ? length : at;
        const uint8_t was = bytes[at];
        bytes[at] ^= (uint8_t)(1 + sos_random_below(&r, 255));
        file = fopen(path, "wb");
        check(file);
        fwrite(bytes, 1, keep, file);
        fclose(file);
        s3svm_image marks = { 0 };
        sos_error error;
        const sos_status status = s3svm_scribbles_read(path, &s.photograph, NULL, &marks, NULL, &error);
        check(!status == !!marks.pixels);
        if (status) check(strlen(error.message) > 10);
        for (size_t i = 0; marks.pixels && i < N; i++) check(marks.pixels[i] < S3SVM_MARKS);
        s3svm_image_free(&marks);
        bytes[at] = was;
    }
    free(bytes);
    unlink(path);
    check_refused(&s, NULL, SOS_ERR_IO, "cannot open");
    s3svm_image_free(&s.photograph);
}

int main(void)
{
    s3svm_image probe = { 1, 1, 1, (uint8_t[]){ 0 } };
    sos_error error;
    snprintf(path, sizeof path, "test_scribbles_%ld.png", (long)getpid());
    if (s3svm_image_write(&probe, path, &error)) {
        printf("skipped: %s\n", error.message);
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_palette_numbers_are_object_1_and_background_2),
        cmocka_unit_test(test_opencv_numbers_are_recognised_by_what_most_pixels_are),
        cmocka_unit_test(test_trimaps_of_8_and_16_bits),
        cmocka_unit_test(test_a_trimap_of_16_bits),
        cmocka_unit_test(test_strokes_over_any_paper),
        cmocka_unit_test(test_white_and_black_strokes),
        cmocka_unit_test(test_a_grey_photograph),
        cmocka_unit_test(test_a_photograph_as_white_as_paper),
        cmocka_unit_test(test_named_colours_win),
        cmocka_unit_test(test_soft_strokes),
        cmocka_unit_test(test_what_can_be_read_in_two_ways_is_refused),
        cmocka_unit_test(test_indexed_colours),
        cmocka_unit_test(test_numbers_that_a_convention_has_not),
        cmocka_unit_test(test_nothing_marked_and_another_size),
        cmocka_unit_test(test_damaged_files_are_errors),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
