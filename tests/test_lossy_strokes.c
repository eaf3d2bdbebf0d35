/* test_lossy_strokes.c - strokes drawn over a colourful photograph and saved as JPEG: what is taken for a stroke is one,
 * whatever the colours of the petals, the quality and the sampling of colours; and what is taken for what is said. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <s3svm/marks.h>

#if defined(SOS_HAVE_JPEG)

#include <jpeglib.h>

enum { WIDTH = 240, HEIGHT = 180, N = WIDTH * HEIGHT };

static char path[64];

typedef struct scene {
    s3svm_image photograph, drawn;
    uint8_t truth[N]; /* S3SVM_MARK_ numbers */
    sos_random random;
} scene;

static uint8_t byte_of(double v) { return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v); }

static double noise(sos_random *r, double width) { return width * (sos_random_uniform(r) - 0.5); }

/* A flower before leaves: six petals of one saturated colour with veins, around a dark middle. */
static void flower_paint(scene *s, const uint8_t petals[3])
{
    const double turn = sos_random_uniform(&s->random), cx = 100 + noise(&s->random, 40), cy = 90 + noise(&s->random, 20);
    for (size_t i = 0; i < N; i++) {
        const double x = (double)(i % WIDTH) - cx, y = (double)(i / WIDTH) - cy, d = sqrt(x * x + y * y);
        const double angle = atan2(y, x) + turn, rim = 62 * sqrt(fabs(cos(3 * angle)));
        const double leaf = 60 + 25 * sin(0.21 * x + 0.1 * y) + 20 * sin(0.05 * x * y / 20) + noise(&s->random, 16);
        const double shade = 0.8 + 0.2 * sin(d / 5) * cos(20 * angle) + noise(&s->random, 0.06);
        uint8_t *p = s->photograph.pixels + 3 * i;
        if (d < 10) {
            for (int c = 0; c < 3; c++) p[c] = byte_of(50 - 15 * c + noise(&s->random, 20));
        } else if (d < rim) {
            for (int c = 0; c < 3; c++) p[c] = byte_of(petals[c] * shade);
        } else {
            p[0] = byte_of(0.7 * leaf);
            p[1] = byte_of(leaf + 20);
            p[2] = byte_of(0.5 * leaf);
        }
    }
}

/* A thick line. */
static void line_draw(scene *s, double x0, double y0, double x1, double y1, double radius, uint8_t mark, uint32_t colour)
{
    for (size_t i = 0; i < N; i++) {
        const double x = (double)(i % WIDTH), y = (double)(i / WIDTH), dx = x1 - x0, dy = y1 - y0;
        double t = ((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy);
        t = t < 0 ? 0 : t > 1 ? 1 : t;
        const double ex = x - x0 - t * dx, ey = y - y0 - t * dy;
        if (ex * ex + ey * ey > radius * radius) continue;
        s->truth[i] = mark;
        for (int c = 0; c < 3; c++) s->drawn.pixels[3 * i + (size_t)c] = (uint8_t)(colour >> (16 - 8 * c));
    }
}

static scene scene_create(uint64_t c, const uint8_t petals[3], uint32_t object, uint32_t background)
{
    scene s = { .random = test_case_begin(c) };
    sos_error error;
    check_ok(s3svm_image_create(WIDTH, HEIGHT, 3, &s.photograph, &error), error);
    check_ok(s3svm_image_create(WIDTH, HEIGHT, 3, &s.drawn, &error), error);
    flower_paint(&s, petals);
    memcpy(s.drawn.pixels, s.photograph.pixels, 3 * N);
    const double radius = 2.5 + 2 * sos_random_uniform(&s.random);
    line_draw(&s, 60 + noise(&s.random, 20), 70, 135 + noise(&s.random, 20), 110, radius, S3SVM_MARK_OBJECT, object);
    line_draw(&s, 8, 8 + 6 * sos_random_uniform(&s.random), 230, 12, radius, S3SVM_MARK_BACKGROUND, background);
    line_draw(&s, 210, 60, 225, 160 + noise(&s.random, 10), radius, S3SVM_MARK_BACKGROUND, background);
    return s;
}

static void scene_free(scene *s)
{
    s3svm_image_free(&s->photograph);
    s3svm_image_free(&s->drawn);
}

/* The drawing as a JPEG; halved: one colour for four pixels. */
static void scene_write(const scene *s, int quality, bool halved)
{
    struct jpeg_compress_struct codec;
    struct jpeg_error_mgr manager;
    FILE *file = fopen(path, "wb");
    check(file);
    codec.err = jpeg_std_error(&manager);
    jpeg_create_compress(&codec);
    jpeg_stdio_dest(&codec, file);
    codec.image_width = WIDTH;
    codec.image_height = HEIGHT;
    codec.input_components = 3;
    codec.in_color_space = JCS_RGB;
    jpeg_set_defaults(&codec);
    jpeg_set_quality(&codec, quality, TRUE);
    codec.comp_info[0].h_samp_factor = codec.comp_info[0].v_samp_factor = halved ? 2 : 1;
    jpeg_start_compress(&codec, TRUE);
    while (codec.next_scanline < HEIGHT) {
        JSAMPROW row = s->drawn.pixels + (size_t)3 * WIDTH * codec.next_scanline;
        jpeg_write_scanlines(&codec, &row, 1);
    }
    jpeg_finish_compress(&codec);
    jpeg_destroy_compress(&codec);
    check(!fclose(file));
}

/* Whether the mark was drawn within two pixels: colours of strokes spread so far. */
static bool is_near(const scene *s, size_t i, uint8_t mark)
{
    const size_t x = i % WIDTH, y = i / WIDTH;
    for (size_t v = y < 2 ? 0 : y - 2; v <= y + 2 && v < HEIGHT; v++)
        for (size_t u = x < 2 ? 0 : x - 2; u <= x + 2 && u < WIDTH; u++)
            if (s->truth[v * WIDTH + u] == mark) return true;
    return false;
}

/* How many pixels are marked that were not drawn so, and how many were drawn and are not marked. */
typedef struct mistakes {
    size_t drawn[S3SVM_MARKS], found[S3SVM_MARKS], wrong;
} mistakes;

static mistakes marks_compare(const scene *s, const s3svm_image *marks)
{
    mistakes m = { .wrong = 0 };
    for (size_t i = 0; i < N; i++) {
        const uint8_t mark = marks->pixels[i];
        m.drawn[s->truth[i]]++;
        m.found[s->truth[i]] += mark == s->truth[i];
        m.wrong += mark != S3SVM_MARK_NONE && !is_near(s, i, mark);
    }
    return m;
}

static const uint8_t PETALS[][3] = { { 250, 210, 10 }, { 255, 180, 0 },  { 230, 20, 40 },  { 240, 60, 160 },
                                     { 60, 60, 230 },  { 150, 40, 200 }, { 255, 255, 245 } };
static const struct {
    uint32_t object, background;
} PENS[] = { { 0xff0000, 0x0000ff }, { 0x00ff00, 0xff0000 }, { 0x00ff00, 0x0000ff }, { 0xffffff, 0x000000 } };
static const int QUALITIES[] = { 30, 50, 75, 90, 95, 100 };
#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* Of strokes whose colour the petals have not, so much is found at least: dark ones over dark leaves, and white ones over
 * yellow at low qualities, lose the most. */
static const double FOUND_LEAST = 0.2;

/* Pixels farther than that from a stroke of their mark: one or two in three drawings of 3,700. */
enum { WRONG_MOST = 3 };

static const double COLOUR_FAR = 120; /* grey values in some channel */

static bool is_far(const uint8_t petals[3], uint32_t pen)
{
    for (int c = 0; c < 3; c++)
        if (fabs((double)petals[c] - (double)(pen >> (16 - 8 * c) & 255)) > COLOUR_FAR) return true;
    return false;
}

static void marks_check(const scene *s, const uint8_t petals[3], uint32_t object)
{
    s3svm_image marks;
    s3svm_scribbles_found found;
    sos_error error;
    check_ok(s3svm_scribbles_read(path, &s->photograph, NULL, &marks, &found, &error), error);
    const mistakes m = marks_compare(s, &marks);
    check(m.wrong <= WRONG_MOST);
    check((double)m.found[S3SVM_MARK_BACKGROUND] >= FOUND_LEAST * (double)m.drawn[S3SVM_MARK_BACKGROUND]);
    if (is_far(petals, object))
        check((double)m.found[S3SVM_MARK_OBJECT] >= FOUND_LEAST * (double)m.drawn[S3SVM_MARK_OBJECT]);
    else
        check(found.own > 0);
    check(strstr(found.words, "over the photograph") && strstr(found.words, "background (") &&
          strstr(found.words, "pixels in "));
    s3svm_image_free(&marks);
}

static void test_what_is_taken_for_a_stroke_was_drawn(void **state)
{
    (void)state;
    uint64_t c = 0;
    for (size_t p = 0; p < LENGTH(PETALS); p++)
        for (size_t k = 0; k < LENGTH(PENS); k++)
            for (size_t q = 0; q < LENGTH(QUALITIES); q++)
                for (int halved = 0; halved < 2; halved++) {
                    scene s = scene_create(c++, PETALS[p], PENS[k].object, PENS[k].background);
                    scene_write(&s, QUALITIES[q], halved);
                    marks_check(&s, PETALS[p], PENS[k].object);
                    scene_free(&s);
                }
}

/* Yellow petals, and red and blue strokes: the petals' edges have changed, which is said. */
static void test_petals_are_counted_and_named(void **state)
{
    (void)state;
    scene s = scene_create(1, PETALS[0], 0xff0000, 0x0000ff);
    s3svm_image marks;
    s3svm_scribbles_found found;
    sos_error error;
    scene_write(&s, 75, true);
    check_ok(s3svm_scribbles_read(path, &s.photograph, NULL, &marks, &found, &error), error);
    check(found.own > 100 && found.own_stroke == S3SVM_STROKE_YELLOW);
    check(!strstr(found.words, "yellow"));
    s3svm_image_free(&marks);

    /* No strokes at all, and petals' edges that could be: nothing can be told. */
    memcpy(s.drawn.pixels, s.photograph.pixels, (size_t)3 * N);
    scene_write(&s, 50, true);
    const s3svm_scribbles_settings yellow = { .object = S3SVM_STROKE_YELLOW };
    check_error(s3svm_scribbles_read(path, &s.photograph, &yellow, &marks, &found, &error), SOS_ERR_FORMAT, error,
                "photograph's own colours", "draw in a PNG");
    scene_free(&s);
}

/* A third colour is no surprise where nothing is lost, and doubtful where it is. */
static void test_a_third_colour_is_refused_with_its_numbers(void **state)
{
    (void)state;
    scene s = scene_create(2, PETALS[0], 0xff0000, 0x0000ff);
    s3svm_image marks;
    sos_error error;
    line_draw(&s, 20, 150, 60, 160, 3, S3SVM_MARK_OBJECT, 0xffffff);
    scene_write(&s, 75, true);
    check_error(s3svm_scribbles_read(path, &s.photograph, NULL, &marks, NULL, &error), SOS_ERR_FORMAT, error, "red (", "blue (",
                "white (", "in 1 part", "--object and --background");
    const s3svm_scribbles_settings named = { .object = S3SVM_STROKE_RED, .background = S3SVM_STROKE_BLUE };
    check_ok(s3svm_scribbles_read(path, &s.photograph, &named, &marks, NULL, &error), error);
    s3svm_image_free(&marks);
    snprintf(strrchr(path, '.'), 5, ".ppm");
    check_ok(s3svm_image_write(&s.drawn, path, &error), error);
    check_ok(s3svm_scribbles_read(path, &s.photograph, NULL, &marks, NULL, &error), error);
    const mistakes m = marks_compare(&s, &marks);
    check(m.wrong == 0 && m.found[S3SVM_MARK_OBJECT] == m.drawn[S3SVM_MARK_OBJECT]);
    s3svm_image_free(&marks);
    scene_free(&s);
    unlink(path);
    snprintf(strrchr(path, '.'), 5, ".jpg");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_taken_for_a_stroke_was_drawn),
        cmocka_unit_test(test_petals_are_counted_and_named),
        cmocka_unit_test(test_a_third_colour_is_refused_with_its_numbers),
    };
    snprintf(path, sizeof path, "lossy-strokes.%ld.jpg", (long)getpid());
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}

#else

int main(void)
{
    puts("without libjpeg: nothing is tested");
    return 77;
}

#endif
