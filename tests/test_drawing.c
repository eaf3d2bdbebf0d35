/* test_drawing.c - drawings are black and white, neither empty nor full, all different, and the same on every machine. */
#include "support.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "drawing/canvas.h"
#include "drawing/subjects.h"
#include <s3svm/drawing.h>

static s3svm_image make(size_t width, size_t height, bool sketch, uint64_t seed)
{
    s3svm_image image;
    sos_error error;
    check_ok(s3svm_drawing_make(width, height, sketch, seed, &image, &error), error);
    check(image.width == width && image.height == height && image.channels == 1 && image.pixels);
    return image;
}

static uint64_t hash_of(size_t width, size_t height, bool sketch, uint64_t seed)
{
    s3svm_image image = make(width, height, sketch, seed);
    const uint64_t hash = sos_hash(SOS_HASH_START, image.pixels, s3svm_image_size(&image));
    s3svm_image_free(&image);
    return hash;
}

static void the_same_seed_gives_the_same_bytes_and_others_do_not(void **state)
{
    (void)state;
    enum { SEEDS = 60 };
    uint64_t seen[2 * SEEDS];
    for (uint64_t i = 0; i < 2 * SEEDS; i++) {
        sos_random r = test_case_begin(i / 2);
        const uint64_t seed = sos_random_bits(&r);
        seen[i] = hash_of(120, 60, i & 1, seed);
        check(seen[i] == hash_of(120, 60, i & 1, seed));
        for (uint64_t k = 0; k < i; k++) check(seen[i] != seen[k]);
    }
}

/* Were taken on x86-64; they hold wherever doubles are those of IEEE 754, and change when the drawings do. */
static void the_bytes_are_those_of_every_machine(void **state)
{
    (void)state;
    uint64_t shapes = SOS_HASH_START, sketches = SOS_HASH_START;
    for (uint64_t n = 0; n < 28; n++) {
        const uint64_t a = hash_of(400, 200, false, n), b = hash_of(400, 200, true, n);
        for (unsigned k = 0; k < 64; k += 8) {
            const uint8_t bytes[2] = { (uint8_t)(a >> k), (uint8_t)(b >> k) };
            shapes = sos_hash(shapes, &bytes[0], 1);
            sketches = sos_hash(sketches, &bytes[1], 1);
        }
    }
    if (shapes != UINT64_C(0x253d29ef16a9f549) || sketches != UINT64_C(0x28e96f4d7cf55331))
        test_fail(__FILE__, __LINE__, "shapes 0x%" PRIx64 ", sketches 0x%" PRIx64, shapes, sketches);
}

static double ink_by_counting(const s3svm_image *image)
{
    size_t ink = 0;
    for (size_t i = 0; i < image->width * image->height; i++) {
        check(image->pixels[i] == 0 || image->pixels[i] == 255);
        ink += !image->pixels[i];
    }
    return (double)ink / (double)(image->width * image->height);
}

static void any_size_has_ink_and_paper_only_and_enough_of_both(void **state)
{
    (void)state;
    static const size_t SIZES[][2] = { { 400, 200 }, { 32, 32 },  { 33, 47 },   { 64, 64 },   { 100, 300 },
                                       { 640, 480 }, { 900, 32 }, { 32, 1500 }, { 300, 299 }, { 1100, 700 } };
    for (uint64_t c = 0; c < test_cases(400); c++) {
        sos_random r = test_case_begin(c);
        const size_t *size = SIZES[c % (sizeof SIZES / sizeof *SIZES)];
        s3svm_image image = make(size[0], size[1], sos_random_below(&r, 2), sos_random_bits(&r));
        const double ink = ink_by_counting(&image);
        check(fabs(ink - s3svm_drawing_ink(&image)) < 1e-12);
        if (!(ink > 0.015 && ink < 0.32)) test_fail(__FILE__, __LINE__, "%zu x %zu: ink %g", size[0], size[1], ink);
        s3svm_image_free(&image);
    }
}

static void a_set_has_as_much_ink_as_people_use(void **state)
{
    (void)state;
    for (int sketch = 0; sketch < 2; sketch++) {
        const uint64_t count = test_cases(140);
        double sum = 0;
        for (uint64_t n = 0; n < count; n++) {
            s3svm_image image = make(400, 200, sketch, s3svm_drawing_seed(1, n));
            sum += ink_by_counting(&image);
            s3svm_image_free(&image);
        }
        const double ink = sum / (double)count;
        if (!(ink > 0.05 && ink < 0.14)) test_fail(__FILE__, __LINE__, "ink %g on average", ink);
    }
}

static void sets_of_neighbouring_seeds_share_nothing(void **state)
{
    (void)state;
    for (uint64_t a = 0; a < 50; a++)
        for (uint64_t b = 0; b < a; b++) {
            const uint64_t p = s3svm_drawing_seed(a, 0), q = s3svm_drawing_seed(b, 0);
            check((p > q ? p - q : q - p) > 1000000);
        }
    check(s3svm_drawing_seed(7, 3) == s3svm_drawing_seed(7, 0) + 3);
}

static void sizes_that_make_no_picture_are_refused(void **state)
{
    (void)state;
    sos_error error;
    s3svm_image image = { .width = 7 };
    check_error(s3svm_drawing_make(31, 200, false, 1, &image, &error), SOS_ERR_RANGE, error, "31", "32");
    check_error(s3svm_drawing_make(200, 0, true, 1, &image, &error), SOS_ERR_RANGE, error, "200 by 0");
    check_is(s3svm_drawing_make(SIZE_MAX, SIZE_MAX, true, 1, &image, NULL), SOS_ERR_RANGE);
    check_is(s3svm_drawing_make((size_t)S3SVM_IMAGE_SIDE_MAX + 1, 64, true, 1, &image, NULL), SOS_ERR_RANGE);
    check(image.width == 7);
}

/* ---- the rasteriser ---- */

typedef struct sheet {
    s3svm_canvas canvas;
    s3svm_image image;
} sheet;

static sheet *sheet_begin(size_t width, size_t height)
{
    sheet *s = test_room(NULL, 1, sizeof *s);
    sos_error error;
    check_ok(s3svm_image_create(width, height, 1, &s->image, &error), error);
    s3svm_canvas_begin(&s->canvas, &s->image, 1, 0);
    return s;
}

static void sheet_free(sheet *s)
{
    s3svm_image_free(&s->image);
    free(s);
}

/* By the definition: a ray to the right crosses the outlines an odd number of times. */
static bool inside(size_t n, const s3svm_spot p[], double x, double y)
{
    bool odd = false;
    for (size_t i = 0, k = n - 1; i < n; k = i++)
        if ((p[i].y <= y) != (p[k].y <= y) && x < p[i].x + (y - p[i].y) / (p[k].y - p[i].y) * (p[k].x - p[i].x)) odd = !odd;
    return odd;
}

static void a_polygon_is_filled_where_its_pixels_are_inside(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(300); c++) {
        sos_random r = test_case_begin(c);
        sheet *s = sheet_begin(40, 30);
        s3svm_spot p[7];
        const size_t n = 3 + (size_t)sos_random_below(&r, 5);
        for (size_t i = 0; i < n; i++) {
            p[i] = (s3svm_spot){ 80 * sos_random_uniform(&r) - 20, 70 * sos_random_uniform(&r) - 20 };
            s3svm_path_add(&s->canvas, p[i].x, p[i].y);
        }
        s3svm_path_fill(&s->canvas, &s3svm_ink);
        size_t wrong = 0;
        for (size_t i = 0; i < 1200; i++)
            wrong += !s->image.pixels[i] != inside(n, p, (double)(i % 40) + 0.5, (double)(i / 40) + 0.5);
        check(!wrong);
        sheet_free(s);
    }
}

/* The union of many discs along the way comes close to it from within. */
static bool near_segment(s3svm_spot p, double rp, s3svm_spot q, double rq, double x, double y, double slack)
{
    for (int i = 0; i <= 2000; i++) {
        const double t = i / 2000.0, dx = p.x + t * (q.x - p.x) - x, dy = p.y + t * (q.y - p.y) - y;
        if (sqrt(dx * dx + dy * dy) <= rp + t * (rq - rp) + slack) return true;
    }
    return false;
}

/* A piece whose radius changes is cut across its axis, so its discs may stand out a little where it is steep. */
static void a_stroke_covers_what_the_pen_reaches(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(40); c++) {
        sos_random r = test_case_begin(c);
        sheet *s = sheet_begin(40, 30);
        const s3svm_spot p = { 60 * sos_random_uniform(&r) - 10, 50 * sos_random_uniform(&r) - 10 };
        const s3svm_spot q = { 60 * sos_random_uniform(&r) - 10, 50 * sos_random_uniform(&r) - 10 };
        const double rp = 0.5 + 4 * sos_random_uniform(&r), rq = c & 1 ? rp : rp + 0.1 * sos_random_uniform(&r);
        s3svm_path_add_round(&s->canvas, p.x, p.y, rp);
        s3svm_path_add_round(&s->canvas, q.x, q.y, rq);
        s3svm_path_stroke(&s->canvas);
        for (size_t i = 0; i < 1200; i++) {
            const double x = (double)(i % 40) + 0.5, y = (double)(i / 40) + 0.5;
            if (near_segment(p, rp, q, rq, x, y, -0.1)) check(!s->image.pixels[i]);
            if (!near_segment(p, rp, q, rq, x, y, 0.1)) check(s->image.pixels[i]);
        }
        sheet_free(s);
    }
}

/* The thinnest pen must not leave gaps: from one end every pixel leads to the other. */
static void a_thin_line_holds_together(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(200); c++) {
        sos_random r = test_case_begin(c);
        sheet *s = sheet_begin(64, 64);
        s3svm_path_add_round(&s->canvas, 1 + 62 * sos_random_uniform(&r), 1.5, 0.55);
        s3svm_path_add_round(&s->canvas, 1 + 62 * sos_random_uniform(&r), 62.5, 0.55);
        s3svm_path_stroke(&s->canvas);
        uint8_t reached[64 * 64] = { 0 };
        size_t stack[64 * 64 * 9], depth = 0, ink = 0, found = 0;
        for (size_t i = 0; i < 64 * 64; i++) {
            ink += !s->image.pixels[i];
            if (!depth && !s->image.pixels[i]) stack[depth++] = i;
        }
        while (depth) {
            const size_t i = stack[--depth], x = i % 64, y = i / 64;
            if (s->image.pixels[i] || reached[i]) continue;
            reached[i] = 1;
            found++;
            for (size_t k = 0; k < 9; k++)
                if (x + k % 3 >= 1 && x + k % 3 <= 64 && y + k / 3 >= 1 && y + k / 3 <= 64)
                    stack[depth++] = (y + k / 3 - 1) * 64 + x + k % 3 - 1;
        }
        check(ink >= 61 && found == ink);
        sheet_free(s);
    }
}

/* More points and contours than there is room for are left out, no more. */
static void too_long_a_path_does_no_harm(void **state)
{
    (void)state;
    sheet *s = sheet_begin(50, 50);
    for (size_t i = 0; i < 3 * S3SVM_PATH_MAX; i++) {
        const s3svm_spot p = sos_turn((double)i / 100);
        s3svm_path_add(&s->canvas, 25 + 20 * p.x, 25 + 20 * p.y);
        if (i % 3 == 0) s3svm_path_close(&s->canvas);
    }
    s3svm_path_fill(&s->canvas, &s3svm_ink);
    for (size_t i = 0; i < 3 * S3SVM_PATH_MAX; i++) s3svm_path_add_round(&s->canvas, (double)(i % 50), 5, 1);
    s3svm_path_stroke(&s->canvas);
    sheet_free(s);
}

/* ---- the tables ---- */

/* Strokes as drawing_parts.h says: a letter, then points; enough of them, and not far outside of the square. */
static void check_strokes(const char *name, const char *text, int most)
{
    int points = 99;
    char kind = 0;
    while (*text) {
        if (strchr("solpcfd", *text)) {
            if (points < 2 && kind != 'd') test_fail(__FILE__, __LINE__, "%s: a stroke of %d points", name, points);
            kind = *text++;
            points = 0;
        } else if (*text == ' ') {
            text++;
        } else {
            int x, y, used = 0;
            if (sscanf(text, "%d,%d%n", &x, &y, &used) != 2 || !kind) test_fail(__FILE__, __LINE__, "%s: '%.12s'", name, text);
            if (x < -8 || x > most || y < -8 || y > 104) test_fail(__FILE__, __LINE__, "%s: %d,%d", name, x, y);
            text += used + (text[used] == '!');
            points++;
            if (kind == 'c' && points > 2) test_fail(__FILE__, __LINE__, "%s: a circle of more than two points", name);
        }
    }
    check(points >= 2 || kind == 'd');
}

static void every_subject_and_letter_can_be_read(void **state)
{
    (void)state;
    check(s3svm_subject_count >= 20);
    for (size_t i = 0; i < s3svm_subject_count; i++) check_strokes(s3svm_subjects[i].name, s3svm_subjects[i].strokes, 104);
    for (const char *letter = "abcdefghijklmnopqrstuvwxyz0123456789"; *letter; letter++) {
        const char name[2] = { *letter, '\0' };
        check(s3svm_letter_strokes(*letter) && s3svm_letter_width(*letter) > 20);
        check_strokes(name, s3svm_letter_strokes(*letter), 66);
    }
    check(!s3svm_letter_strokes('?'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_seed_gives_the_same_bytes_and_others_do_not),
        cmocka_unit_test(the_bytes_are_those_of_every_machine),
        cmocka_unit_test(any_size_has_ink_and_paper_only_and_enough_of_both),
        cmocka_unit_test(a_set_has_as_much_ink_as_people_use),
        cmocka_unit_test(sets_of_neighbouring_seeds_share_nothing),
        cmocka_unit_test(sizes_that_make_no_picture_are_refused),
        cmocka_unit_test(a_polygon_is_filled_where_its_pixels_are_inside),
        cmocka_unit_test(a_stroke_covers_what_the_pen_reaches),
        cmocka_unit_test(a_thin_line_holds_together),
        cmocka_unit_test(too_long_a_path_does_no_harm),
        cmocka_unit_test(every_subject_and_letter_can_be_read),
    };
    return cmocka_run_group_tests_name("drawing", tests, NULL, NULL);
}
