/* test_dialogue.c - marks are drawn where a search over all pixels draws them; later ones win; what is taken back was never
 * made; what is hostile is refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/dialogue.h>

#include "scratch.h"
#include "support.h"

enum { SIDE_MAX = 24, POINTS_MAX = 6 };

/* A random mark of a dialogue of the test's own. */
typedef struct own_mark {
    sos_mark mark;
    sos_point points[POINTS_MAX];
    sos_image pixels;
} own_mark;

static float coordinate_random(sos_random *r, size_t side)
{
    const double x = ((double)side + 12) * sos_random_uniform(r) - 6;
    return (float)(sos_random_below(r, 2) ? floor(x) : x); /* whole numbers have ties */
}

static void pixels_random(sos_random *r, size_t width, size_t height, own_mark *m)
{
    sos_error error;
    check_ok(sos_image_create(width, height, 1, &m->pixels, &error), error);
    for (size_t i = 0; i < width * height; i++)
        m->pixels.pixels[i] = (uint8_t)(sos_random_below(r, 3) ? 0 : sos_random_below(r, SOS_MARKS));
    m->mark.pixels = &m->pixels;
}

static void mark_random(sos_random *r, size_t width, size_t height, own_mark *m)
{
    *m = (own_mark){ .mark.shape = (sos_shape)sos_random_below(r, SOS_SHAPES) };
    if (m->mark.shape == SOS_SHAPE_PIXELS) {
        pixels_random(r, width, height, m);
        return;
    }
    m->mark.count = m->mark.shape == SOS_SHAPE_BOX ? 2 : 1 + (size_t)sos_random_below(r, POINTS_MAX);
    if (m->mark.shape == SOS_SHAPE_OUTLINE && m->mark.count < 3) m->mark.count = 3;
    for (size_t i = 0; i < m->mark.count; i++)
        m->points[i] = (sos_point){ coordinate_random(r, width), coordinate_random(r, height) };
    m->mark.points = m->points;
    if (m->mark.shape != SOS_SHAPE_STROKE) return;
    m->mark.label = (uint8_t)(1 + sos_random_below(r, 2));
    m->mark.radius = (float)(6 * sos_random_uniform(r));
    if (sos_random_below(r, 2)) m->mark.radius = floorf(m->mark.radius);
}

/* ---------------------------------------------------------------- the oracle: one pixel after the other */

/* Distance of a pixel from a line, the foot of the perpendicular being cut to the line. */
static double line_distance(sos_point a, sos_point b, double x, double y)
{
    const double dx = (double)b.x - (double)a.x, dy = (double)b.y - (double)a.y, square = dx * dx + dy * dy;
    double t = square > 0 ? ((x - (double)a.x) * dx + (y - (double)a.y) * dy) / square : 0;
    t = fmin(fmax(t, 0), 1);
    return hypot(x - (double)a.x - t * dx, y - (double)a.y - t * dy);
}

static double stroke_distance(const sos_mark *m, double x, double y)
{
    double least = INFINITY;
    for (size_t i = 0; i < m->count; i++) least = fmin(least, line_distance(m->points[i ? i - 1 : 0], m->points[i], x, y));
    return least;
}

/* How often the sides of an outline pass around a pixel, by the sum of the angles under which they are seen. */
static long windings(const sos_mark *m, double x, double y)
{
    double sum = 0;
    for (size_t i = 0; i < m->count; i++) {
        const sos_point a = m->points[i], b = m->points[(i + 1) % m->count];
        const double ax = (double)a.x - x, ay = (double)a.y - y, bx = (double)b.x - x, by = (double)b.y - y;
        sum += atan2(ax * by - ay * bx, ax * bx + ay * by);
    }
    return lround(sum / (2 * 3.14159265358979));
}

static bool is_on_outline(const sos_mark *m, double x, double y)
{
    return line_distance(m->points[m->count - 1], m->points[0], x, y) < 1e-9 || stroke_distance(m, x, y) < 1e-9;
}

static bool is_inside(const sos_mark *m, double x, double y)
{
    if (m->shape == SOS_SHAPE_OUTLINE) return windings(m, x, y) != 0;
    const sos_point *p = m->points;
    return x >= fmin((double)p[0].x, (double)p[1].x) && x <= fmax((double)p[0].x, (double)p[1].x) &&
           y >= fmin((double)p[0].y, (double)p[1].y) && y <= fmax((double)p[0].y, (double)p[1].y);
}

/* What so many marks say of a pixel; *doubtful: rounding decides. */
static uint8_t pixel_of(size_t count, const own_mark marks[], size_t width, size_t x, size_t y, bool *doubtful)
{
    uint8_t said = SOS_MARK_NONE;
    const sos_mark *around = NULL;
    *doubtful = false;
    for (size_t i = 0; i < count; i++) {
        const sos_mark *m = &marks[i].mark;
        if (m->shape == SOS_SHAPE_STROKE) {
            const double radius = fmax((double)m->radius, 0.7072), far = stroke_distance(m, (double)x, (double)y);
            if (fabs(far - radius) < 1e-9 && far != radius) *doubtful = true;
            if (far <= radius) said = m->label;
        } else if (m->shape == SOS_SHAPE_PIXELS) {
            const uint8_t mark = m->pixels->pixels[y * width + x];
            if (mark == SOS_MARK_OBJECT || mark == SOS_MARK_BACKGROUND) said = mark;
            if (mark > SOS_MARK_BACKGROUND && said != SOS_MARK_OBJECT && said != SOS_MARK_BACKGROUND) said = mark;
        } else {
            around = m;
        }
    }
    if (!around || said == SOS_MARK_OBJECT || said == SOS_MARK_BACKGROUND) return said;
    if (around->shape == SOS_SHAPE_OUTLINE && is_on_outline(around, (double)x, (double)y)) *doubtful = true;
    if (!is_inside(around, (double)x, (double)y)) return SOS_MARK_BACKGROUND;
    return said == SOS_MARK_NONE ? SOS_MARK_PERHAPS_OBJECT : said;
}

/* ---------------------------------------------------------------- tests */

static sos_image drawn(const sos_dialogue *d, size_t steps)
{
    sos_image marks;
    sos_error error;
    check_ok(sos_image_create(sos_dialogue_width(d), sos_dialogue_height(d), 1, &marks, &error), error);
    check_ok(sos_dialogue_draw(d, steps, &marks, &error), error);
    return marks;
}

static void test_drawn_as_by_a_search_over_pixels(void **state)
{
    (void)state;
    enum { MARKS = 5 };
    for (uint64_t c = 0; c < test_cases(1500); c++) {
        sos_random r = test_case_begin(c);
        const size_t width = 1 + (size_t)sos_random_below(&r, SIDE_MAX), height = 1 + (size_t)sos_random_below(&r, SIDE_MAX);
        own_mark marks[MARKS];
        size_t count = 0, doubts = 0;
        sos_dialogue *d;
        sos_error error;
        check_ok(sos_dialogue_create(width, height, &d, &error), error);
        while (count < MARKS) {
            mark_random(&r, width, height, marks + count);
            const sos_status status = sos_dialogue_add(d, 1, &marks[count].mark, &error);
            if (!status) count++; /* boxes and outlines may lie outside */
            check(!status || strstr(error.message, "no pixel"));
        }
        for (size_t steps = 0; steps <= MARKS; steps++) {
            sos_image found = drawn(d, steps);
            for (size_t y = 0; y < height; y++)
                for (size_t x = 0; x < width; x++) {
                    bool doubtful;
                    const uint8_t wanted = pixel_of(steps, marks, width, x, y, &doubtful);
                    check(doubtful || found.pixels[y * width + x] == wanted);
                    doubts += doubtful;
                }
            sos_image_free(&found);
        }
        check(doubts <= width * height);
        for (size_t i = 0; i < MARKS; i++) sos_image_free(&marks[i].pixels);
        sos_dialogue_free(d);
    }
}

static sos_mark click(uint8_t label, const sos_point *at, float radius)
{
    return (sos_mark){ .shape = SOS_SHAPE_STROKE, .label = label, .radius = radius, .count = 1, .points = at };
}

static bool same_marks(const sos_dialogue *a, const sos_dialogue *b)
{
    if (sos_dialogue_steps(a) != sos_dialogue_steps(b)) return false;
    for (size_t s = 0; s < sos_dialogue_steps(a); s++) {
        if (sos_dialogue_count(a, s) != sos_dialogue_count(b, s)) return false;
        for (size_t i = 0; i < sos_dialogue_count(a, s); i++) {
            const sos_mark m = sos_dialogue_mark(a, s, i), o = sos_dialogue_mark(b, s, i);
            if (m.shape != o.shape || m.label != o.label || m.radius != o.radius || m.count != o.count) return false;
            if (m.count && memcmp(m.points, o.points, m.count * sizeof *m.points)) return false;
            if (!m.pixels != !o.pixels) return false;
            if (m.pixels && memcmp(m.pixels->pixels, o.pixels->pixels, sos_image_size(m.pixels))) return false;
        }
    }
    return true;
}

static void test_taken_back_is_never_made(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(300); c++) {
        sos_random r = test_case_begin(c);
        const size_t keep = (size_t)sos_random_below(&r, 4), more = 1 + (size_t)sos_random_below(&r, 4);
        sos_dialogue *d, *plain, *copy;
        sos_error error;
        check_ok(sos_dialogue_create(12, 9, &d, &error), error);
        check_ok(sos_dialogue_create(12, 9, &plain, &error), error);
        for (size_t s = 0; s < keep + more; s++) {
            own_mark marks[2];
            for (size_t i = 0; i < 2; i++) mark_random(&r, 12, 9, marks + i);
            const sos_mark step[2] = { marks[0].mark, marks[1].mark };
            if (!sos_dialogue_add(d, 2, step, NULL)) {
                if (s < keep) check_ok(sos_dialogue_add(plain, 2, step, &error), error);
            }
            for (size_t i = 0; i < 2; i++) sos_image_free(&marks[i].pixels);
        }
        check_ok(sos_dialogue_copy(d, &copy, &error), error);
        check(same_marks(d, copy));
        sos_dialogue_cut(d, sos_dialogue_steps(d) + 7);
        check(same_marks(d, copy));
        sos_dialogue_cut(d, sos_dialogue_steps(plain));
        check(same_marks(d, plain));
        sos_image a = drawn(d, 99), b = drawn(plain, 99), e = drawn(copy, sos_dialogue_steps(plain));
        check(!memcmp(a.pixels, b.pixels, sos_image_size(&a)) && !memcmp(a.pixels, e.pixels, sos_image_size(&a)));
        sos_image_free(&a);
        sos_image_free(&b);
        sos_image_free(&e);
        sos_dialogue_free(d);
        sos_dialogue_free(plain);
        sos_dialogue_free(copy);
    }
}

static void test_the_later_wins_and_a_box_never(void **state)
{
    (void)state;
    const sos_point middle = { 4, 4 }, corner = { 0, 0 }, box[2] = { { 6, 6 }, { 2, 2 } };
    const sos_mark object = click(SOS_MARK_OBJECT, &middle, 1), background = click(SOS_MARK_BACKGROUND, &middle, 0);
    const sos_mark outside = click(SOS_MARK_OBJECT, &corner, 0);
    const sos_mark around = { .shape = SOS_SHAPE_BOX, .count = 2, .points = box };
    const sos_mark step[] = { outside, object, around, background };
    sos_dialogue *d;
    sos_error error;
    check_ok(sos_dialogue_create(9, 9, &d, &error), error);
    check_ok(sos_dialogue_add(d, 4, step, &error), error);
    sos_image marks = drawn(d, 1);
    check(marks.pixels[0] == SOS_MARK_OBJECT && marks.pixels[1] == SOS_MARK_BACKGROUND);
    check(marks.pixels[4 * 9 + 4] == SOS_MARK_BACKGROUND && marks.pixels[4 * 9 + 3] == SOS_MARK_OBJECT);
    check(marks.pixels[2 * 9 + 2] == SOS_MARK_PERHAPS_OBJECT && marks.pixels[6 * 9 + 6] == SOS_MARK_PERHAPS_OBJECT);
    check(marks.pixels[7 * 9 + 6] == SOS_MARK_BACKGROUND);
    sos_image_free(&marks);
    sos_dialogue_free(d);
}

/* The rectangle of sos_marks_rectangle is the box between its outermost pixels. */
static void test_a_box_is_a_rectangle(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(300); c++) {
        sos_random r = test_case_begin(c);
        const long rectangle[4] = { (long)sos_random_below(&r, 12) - 3, (long)sos_random_below(&r, 12) - 3,
                                    3 + (long)sos_random_below(&r, 9), 3 + (long)sos_random_below(&r, 9) };
        const sos_point corners[2] = { { (float)rectangle[0], (float)rectangle[1] },
                                       { (float)(rectangle[0] + rectangle[2] - 1), (float)(rectangle[1] + rectangle[3] - 1) } };
        own_mark picture = { .mark.shape = SOS_SHAPE_PIXELS };
        sos_dialogue *d;
        sos_error error;
        pixels_random(&r, 10, 10, &picture);
        const sos_mark step[2] = { { .shape = SOS_SHAPE_BOX, .count = 2, .points = corners }, picture.mark };
        check_ok(sos_dialogue_create(10, 10, &d, &error), error);
        const sos_status status = sos_dialogue_add(d, 2, step, &error),
                         other = sos_marks_rectangle(&picture.pixels, rectangle, &error);
        check(status == other);
        sos_image marks = drawn(d, 1);
        check(status || !memcmp(marks.pixels, picture.pixels.pixels, 100));
        sos_image_free(&marks);
        sos_image_free(&picture.pixels);
        sos_dialogue_free(d);
    }
}

static void test_hostile_marks_are_refused(void **state)
{
    (void)state;
    const sos_point at = { 1, 1 }, nan = { NAN, 1 }, far = { 1, 2e6F }, flat[3] = { { 1, 1 }, { 5, 5 }, { 1, 1 } };
    const sos_point away[2] = { { -9, 1 }, { -1, 3 } };
    sos_image small = { 2, 2, 1, (uint8_t[]){ 0, 1, 2, 3 } }, odd = { 4, 4, 1, (uint8_t[16]){ 0, 9 } };
    const struct {
        sos_mark mark;
        const char *words;
    } cases[] = {
        { click(SOS_MARK_OBJECT, &nan, 1), "point 0" },
        { click(SOS_MARK_OBJECT, &far, 1), "point 0" },
        { click(SOS_MARK_OBJECT, &at, NAN), "radius" },
        { click(SOS_MARK_OBJECT, &at, 1e9F), "radius" },
        { click(SOS_MARK_OBJECT, &at, -1), "radius" },
        { click(SOS_MARK_NONE, &at, 1), "label 0" },
        { click(SOS_MARK_PERHAPS_OBJECT, &at, 1), "label 3" },
        { click(SOS_MARK_OBJECT, NULL, 1), "points" },
        { { .shape = SOS_SHAPE_BOX, .count = 1, .points = &at }, "points" },
        { { .shape = SOS_SHAPE_BOX, .count = 2, .points = away }, "no pixel" },
        { { .shape = SOS_SHAPE_BOX, .label = SOS_MARK_OBJECT, .count = 2, .points = flat }, "label" },
        { { .shape = SOS_SHAPE_OUTLINE, .count = 2, .points = flat }, "points" },
        { { .shape = SOS_SHAPE_OUTLINE, .count = 3, .points = flat }, "no pixel" },
        { { .shape = SOS_SHAPE_PIXELS, .pixels = &small }, "4 by 4" },
        { { .shape = SOS_SHAPE_PIXELS, .pixels = &odd }, "column 1, row 0" },
        { { .shape = SOS_SHAPE_PIXELS, .count = 1, .points = &at }, "picture" },
        { { .shape = SOS_SHAPES }, "shape" },
    };
    sos_dialogue *d;
    sos_error error;
    check_ok(sos_dialogue_create(4, 4, &d, &error), error);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const sos_mark step[2] = { click(SOS_MARK_OBJECT, &at, 1), cases[i].mark };
        check_error(sos_dialogue_add(d, 2, step, &error), SOS_ERR_ARGUMENT, error, "mark 1", cases[i].words);
    }
    check_is(sos_dialogue_add(d, 0, NULL, &error), SOS_ERR_ARGUMENT);
    check(sos_dialogue_steps(d) == 0);
    check_is(sos_dialogue_draw(d, 1, &small, &error), SOS_ERR_ARGUMENT);
    sos_dialogue_free(d);
    check_is(sos_dialogue_create(0, 4, &d, &error), SOS_ERR_RANGE);
    check_is(sos_dialogue_create(SIZE_MAX, 4, &d, &error), SOS_ERR_RANGE);
}

static void test_points_have_a_limit_together(void **state)
{
    (void)state;
    const size_t half = SOS_DIALOGUE_POINTS_MAX / 2;
    sos_point *points = test_room(NULL, half + 1, sizeof *points);
    sos_mark m = { .shape = SOS_SHAPE_STROKE, .label = SOS_MARK_OBJECT, .radius = 2, .count = half, .points = points };
    sos_dialogue *d;
    sos_error error;
    for (size_t i = 0; i <= half; i++) points[i] = (sos_point){ (float)(i % 97), (float)(i % 89) };
    check_ok(sos_dialogue_create(100, 100, &d, &error), error);
    check_ok(sos_dialogue_add(d, 1, &m, &error), error);
    m.count = half + 1;
    check_is(sos_dialogue_add(d, 1, &m, &error), SOS_ERR_RANGE);
    m.count = half;
    check_ok(sos_dialogue_add(d, 1, &m, &error), error);
    sos_dialogue_cut(d, 1);
    check_ok(sos_dialogue_add(d, 1, &m, &error), error); /* what was taken back counts no more */
    sos_dialogue_free(d);
    free(points);
}

static void test_outlines_have_a_limit(void **state)
{
    (void)state;
    const sos_point points[] = { { 0, 0 }, { 9, 0 }, { 0, 9 } };
    const sos_mark m = { .shape = SOS_SHAPE_OUTLINE, .count = 3, .points = points };
    sos_dialogue *d;
    sos_error error;
    check_ok(sos_dialogue_create(10, 10, &d, &error), error);
    for (size_t i = 0; i < SOS_DIALOGUE_OUTLINES_MAX; i++) check_ok(sos_dialogue_add(d, 1, &m, &error), error);
    check_is(sos_dialogue_add(d, 1, &m, &error), SOS_ERR_RANGE);
    sos_dialogue_cut(d, 1);
    check_ok(sos_dialogue_add(d, 1, &m, &error), error);
    sos_dialogue_free(d);
}

static sos_dialogue *dialogue_random(sos_random *r, size_t width, size_t height)
{
    sos_dialogue *d;
    sos_error error;
    check_ok(sos_dialogue_create(width, height, &d, &error), error);
    for (size_t s = sos_random_below(r, 5); s; s--) {
        own_mark marks[3];
        const size_t count = 1 + (size_t)sos_random_below(r, 3);
        for (size_t i = 0; i < 3; i++) mark_random(r, width, height, marks + i);
        const sos_mark step[3] = { marks[0].mark, marks[1].mark, marks[2].mark };
        (void)!sos_dialogue_add(d, count, step, NULL); /* some boxes have no pixel */
        for (size_t i = 0; i < 3; i++) sos_image_free(&marks[i].pixels);
    }
    return d;
}

static void test_what_is_written_reads_back(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(300); c++) {
        sos_random r = test_case_begin(c);
        sos_dialogue *d = dialogue_random(&r, 1 + (size_t)sos_random_below(&r, 20), 1 + (size_t)sos_random_below(&r, 20)),
                     *back;
        char *text;
        size_t length;
        sos_error error;
        check_ok(sos_dialogue_encode(d, &text, &length, &error), error);
        if (sos_has("models")) {
            check_ok(sos_dialogue_parse(text, length, "memory", &back, &error), error);
            check(same_marks(d, back));
            sos_dialogue_free(back);
            check_ok(sos_dialogue_write(d, scratch("marks.json"), &error), error);
            check_ok(sos_dialogue_read(scratch("marks.json"), &back, &error), error);
            check(same_marks(d, back));
            sos_dialogue_free(back);
            text[sos_random_below(&r, length)] = (char)sos_random_below(&r, 256); /* whatever that makes of it */
            if (!sos_dialogue_parse(text, length, "memory", &back, &error)) sos_dialogue_free(back);
        }
        free(text);
        sos_dialogue_free(d);
    }
}

static void test_files_that_say_something_else_are_refused(void **state)
{
    (void)state;
    static const char HEAD[] = "{\"format\": \"s3svm marks\", \"version\": 1, \"width\": 4, \"height\": 2, \"steps\": ";
    const struct {
        const char *text, *words;
    } cases[] = {
        { "[[]]}", "step 1 is no list of marks" },
        { "[3]}", "step 1" },
        { "{}}", "\"steps\" is no list" },
        { "[], \"note\": 1}", "note" },
        { "[[7]]}", "step 1, mark 1" },
        { "[[{\"shape\": \"circle\"}]]}", "\"shape\"" },
        { "[[{\"shape\": \"box\", \"points\": [0, 0, 1, 1], \"label\": \"object\"}]]}", "label" },
        { "[[{\"shape\": \"box\", \"points\": [0, 0, 1]}]]}", "\"points\"" },
        { "[[{\"shape\": \"box\", \"points\": [0, 0]}]]}", "points" },
        { "[[{\"shape\": \"box\", \"points\": [0, \"a\", 1, 1]}]]}", "coordinates" },
        { "[[{\"shape\": \"box\", \"points\": [0, 1e99, 1, 1]}]]}", "coordinates" },
        { "[[{\"shape\": \"stroke\", \"label\": \"dog\", \"radius\": 1, \"points\": [0, 0]}]]}", "\"label\"" },
        { "[[{\"shape\": \"stroke\", \"label\": \"object\", \"radius\": -1, \"points\": [0, 0]}]]}", "\"radius\"" },
        { "[[{\"shape\": \"stroke\", \"label\": \"object\", \"points\": [0, 0]}]]}", "\"radius\"" },
        { "[[{\"shape\": \"pixels\", \"runs\": [7, 0]}]]}", "ends before" },
        { "[[{\"shape\": \"pixels\", \"runs\": [9, 0]}]]}", "run" },
        { "[[{\"shape\": \"pixels\", \"runs\": [4, 0, 4, 5]}]]}", "run" },
        { "[[{\"shape\": \"pixels\", \"runs\": [4, 0, 0, 1, 4, 1]}]]}", "run" },
        { "[[{\"shape\": \"pixels\", \"runs\": [8]}]]}", "\"runs\"" },
    };
    sos_dialogue *d;
    sos_error error;
    char text[400];
    if (!sos_has("models")) return;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, "%s%s", HEAD, cases[i].text);
        check_error(sos_dialogue_parse(text, strlen(text), "some.json", &d, &error), SOS_ERR_FORMAT, error, "some.json",
                    cases[i].words);
    }
    check_error(sos_dialogue_parse("{}", 2, "some.json", &d, &error), SOS_ERR_FORMAT, error, "\"format\"");
    check_is(sos_dialogue_read(scratch("none.json"), &d, &error), SOS_ERR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drawn_as_by_a_search_over_pixels),
        cmocka_unit_test(test_taken_back_is_never_made),
        cmocka_unit_test(test_the_later_wins_and_a_box_never),
        cmocka_unit_test(test_a_box_is_a_rectangle),
        cmocka_unit_test(test_hostile_marks_are_refused),
        cmocka_unit_test(test_points_have_a_limit_together),
        cmocka_unit_test(test_outlines_have_a_limit),
        cmocka_unit_test(test_what_is_written_reads_back),
        cmocka_unit_test(test_files_that_say_something_else_are_refused),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
