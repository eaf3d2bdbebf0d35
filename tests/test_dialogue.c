/* test_dialogue.c - marks are drawn where a search over all pixels draws them; later ones win; what is taken back was never
 * made; what is hostile is refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/dialogue.h>

#include "dialogue_support.h"
#include "scratch.h"
#include "support.h"
#include "vision/dialogue.h"

enum { SIDE_MAX = 24, POINTS_MAX = 6 };

/* A random mark of a dialogue of the test's own. */
typedef struct own_mark {
    s3svm_mark mark;
    s3svm_point points[POINTS_MAX];
    s3svm_image pixels;
} own_mark;

static float coordinate_random(sos_random *r, size_t side)
{
    const double x = ((double)side + 12) * sos_random_uniform(r) - 6;
    return (float)(sos_random_below(r, 2) ? floor(x) : x); /* whole numbers have ties */
}

static void pixels_random(sos_random *r, size_t width, size_t height, own_mark *m)
{
    sos_error error;
    check_ok(s3svm_image_create(width, height, 1, &m->pixels, &error), error);
    for (size_t i = 0; i < width * height; i++)
        m->pixels.pixels[i] = (uint8_t)(sos_random_below(r, 3) ? 0 : sos_random_below(r, S3SVM_MARKS));
    m->mark.pixels = &m->pixels;
}

static void mark_random(sos_random *r, size_t width, size_t height, own_mark *m)
{
    *m = (own_mark){ .mark.shape = (s3svm_shape)sos_random_below(r, S3SVM_SHAPES) };
    if (m->mark.shape == S3SVM_SHAPE_PIXELS) {
        pixels_random(r, width, height, m);
        return;
    }
    m->mark.count = m->mark.shape == S3SVM_SHAPE_BOX ? 2 : 1 + (size_t)sos_random_below(r, POINTS_MAX);
    if (m->mark.shape == S3SVM_SHAPE_OUTLINE && m->mark.count < 3) m->mark.count = 3;
    for (size_t i = 0; i < m->mark.count; i++)
        m->points[i] = (s3svm_point){ coordinate_random(r, width), coordinate_random(r, height) };
    m->mark.points = m->points;
    if (m->mark.shape != S3SVM_SHAPE_STROKE) return;
    m->mark.label = (uint8_t)(1 + sos_random_below(r, 2));
    m->mark.radius = (float)(6 * sos_random_uniform(r));
    if (sos_random_below(r, 2)) m->mark.radius = floorf(m->mark.radius);
}

/* ---------------------------------------------------------------- the oracle: one pixel after the other */

/* Distance of a pixel from a line, the foot of the perpendicular being cut to the line. */
static double line_distance(s3svm_point a, s3svm_point b, double x, double y)
{
    const double dx = (double)b.x - (double)a.x, dy = (double)b.y - (double)a.y, square = dx * dx + dy * dy;
    double t = square > 0 ? ((x - (double)a.x) * dx + (y - (double)a.y) * dy) / square : 0;
    t = fmin(fmax(t, 0), 1);
    return hypot(x - (double)a.x - t * dx, y - (double)a.y - t * dy);
}

static double stroke_distance(const s3svm_mark *m, double x, double y)
{
    double least = INFINITY;
    for (size_t i = 0; i < m->count; i++) least = fmin(least, line_distance(m->points[i ? i - 1 : 0], m->points[i], x, y));
    return least;
}

/* How often the sides of an outline pass around a pixel, by the sum of the angles under which they are seen. */
static long windings(const s3svm_mark *m, double x, double y)
{
    double sum = 0;
    for (size_t i = 0; i < m->count; i++) {
        const s3svm_point a = m->points[i], b = m->points[(i + 1) % m->count];
        const double ax = (double)a.x - x, ay = (double)a.y - y, bx = (double)b.x - x, by = (double)b.y - y;
        sum += atan2(ax * by - ay * bx, ax * bx + ay * by);
    }
    return lround(sum / (2 * 3.14159265358979));
}

static bool is_on_outline(const s3svm_mark *m, double x, double y)
{
    return line_distance(m->points[m->count - 1], m->points[0], x, y) < 1e-9 || stroke_distance(m, x, y) < 1e-9;
}

static bool is_inside(const s3svm_mark *m, double x, double y)
{
    if (m->shape == S3SVM_SHAPE_OUTLINE) return windings(m, x, y) != 0;
    const s3svm_point *p = m->points;
    return x >= fmin((double)p[0].x, (double)p[1].x) && x <= fmax((double)p[0].x, (double)p[1].x) &&
           y >= fmin((double)p[0].y, (double)p[1].y) && y <= fmax((double)p[0].y, (double)p[1].y);
}

/* What so many marks say of a pixel; *doubtful: rounding decides. */
static uint8_t pixel_of(size_t count, const own_mark marks[], size_t width, size_t x, size_t y, bool *doubtful)
{
    uint8_t said = S3SVM_MARK_NONE;
    const s3svm_mark *around = NULL;
    *doubtful = false;
    for (size_t i = 0; i < count; i++) {
        const s3svm_mark *m = &marks[i].mark;
        if (m->shape == S3SVM_SHAPE_STROKE) {
            const double radius = fmax((double)m->radius, 0.7072), far = stroke_distance(m, (double)x, (double)y);
            if (fabs(far - radius) < 1e-9 && far != radius) *doubtful = true;
            if (far <= radius) said = m->label;
        } else if (m->shape == S3SVM_SHAPE_PIXELS) {
            const uint8_t mark = m->pixels->pixels[y * width + x];
            if (mark == S3SVM_MARK_OBJECT || mark == S3SVM_MARK_BACKGROUND) said = mark;
            if (mark > S3SVM_MARK_BACKGROUND && said != S3SVM_MARK_OBJECT && said != S3SVM_MARK_BACKGROUND) said = mark;
        } else {
            around = m;
        }
    }
    if (!around || said == S3SVM_MARK_OBJECT || said == S3SVM_MARK_BACKGROUND) return said;
    if (around->shape == S3SVM_SHAPE_OUTLINE && is_on_outline(around, (double)x, (double)y)) *doubtful = true;
    if (!is_inside(around, (double)x, (double)y)) return S3SVM_MARK_BACKGROUND;
    return said == S3SVM_MARK_NONE ? S3SVM_MARK_PERHAPS_OBJECT : said;
}

/* ---------------------------------------------------------------- tests */

static s3svm_image drawn(const s3svm_dialogue *d, size_t steps)
{
    s3svm_image marks;
    sos_error error;
    check_ok(s3svm_image_create(s3svm_dialogue_width(d), s3svm_dialogue_height(d), 1, &marks, &error), error);
    check_ok(s3svm_dialogue_draw(d, steps, &marks, &error), error);
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
        s3svm_dialogue *d;
        sos_error error;
        check_ok(s3svm_dialogue_create(width, height, &d, &error), error);
        while (count < MARKS) {
            mark_random(&r, width, height, marks + count);
            const sos_status status = s3svm_dialogue_add(d, 1, &marks[count].mark, &error);
            if (!status) count++; /* boxes and outlines may lie outside */
            check(!status || strstr(error.message, "no pixel"));
        }
        for (size_t steps = 0; steps <= MARKS; steps++) {
            s3svm_image found = drawn(d, steps);
            for (size_t y = 0; y < height; y++)
                for (size_t x = 0; x < width; x++) {
                    bool doubtful;
                    const uint8_t wanted = pixel_of(steps, marks, width, x, y, &doubtful);
                    check(doubtful || found.pixels[y * width + x] == wanted);
                    doubts += doubtful;
                }
            s3svm_image_free(&found);
        }
        check(doubts <= width * height);
        for (size_t i = 0; i < MARKS; i++) s3svm_image_free(&marks[i].pixels);
        s3svm_dialogue_free(d);
    }
}

/* The marks of one step as the only ones. */
static s3svm_image drawn_alone(const s3svm_dialogue *d, size_t step)
{
    s3svm_dialogue *alone;
    sos_error error;
    check_ok(s3svm_dialogue_create(s3svm_dialogue_width(d), s3svm_dialogue_height(d), &alone, &error), error);
    check_ok(s3svm_dialogue_add_step(alone, d, step, &error), error);
    s3svm_image marks = drawn(alone, 1);
    s3svm_dialogue_free(alone);
    return marks;
}

static void check_drawn(const s3svm_drawn_marks *m, const s3svm_dialogue *d, size_t steps)
{
    const size_t n = s3svm_image_size(&m->all);
    s3svm_image all = drawn(d, steps);
    check(!memcmp(m->all.pixels, all.pixels, n));
    s3svm_image_free(&all);
    if (!steps) return;
    s3svm_image last = drawn_alone(d, steps - 1);
    check(!memcmp(m->last.pixels, last.pixels, n));
    s3svm_image_free(&last);
}

static void test_step_by_step_as_at_once(void **state)
{
    (void)state;
    enum { STEPS = 6, MARKS = 3 };
    for (uint64_t c = 0; c < test_cases(600); c++) {
        sos_random r = test_case_begin(c);
        const size_t width = 1 + (size_t)sos_random_below(&r, SIDE_MAX), height = 1 + (size_t)sos_random_below(&r, SIDE_MAX);
        s3svm_dialogue *d;
        s3svm_drawn_marks m;
        sos_error error;
        check_ok(s3svm_dialogue_create(width, height, &d, &error), error);
        check_ok(s3svm_drawn_marks_create(width, height, &m, &error), error);
        while (s3svm_dialogue_steps(d) < STEPS) {
            const size_t step = s3svm_dialogue_steps(d), count = 1 + (size_t)sos_random_below(&r, MARKS);
            own_mark own[MARKS];
            s3svm_mark marks[MARKS];
            for (size_t i = 0; i < count; i++) {
                mark_random(&r, width, height, own + i);
                marks[i] = own[i].mark;
            }
            if (!s3svm_dialogue_add(d, count, marks, NULL)) { /* boxes and outlines may lie outside */
                check_ok(s3svm_drawn_marks_add(&m, d, step, &error), error);
                check_drawn(&m, d, step + 1);
            }
            for (size_t i = 0; i < count; i++) s3svm_image_free(&own[i].pixels);
        }
        for (size_t k = 0; k < 3; k++) { /* back, and on again */
            const size_t kept = (size_t)sos_random_below(&r, STEPS + 1);
            s3svm_drawn_marks_redraw(&m, d, kept);
            check_drawn(&m, d, kept);
            if (kept < STEPS) check_ok(s3svm_drawn_marks_add(&m, d, kept, &error), error);
            if (kept < STEPS) check_drawn(&m, d, kept + 1);
        }
        s3svm_drawn_marks_free(&m);
        s3svm_dialogue_free(d);
    }
}

static s3svm_mark click(uint8_t label, const s3svm_point *at, float radius)
{
    return (s3svm_mark){ .shape = S3SVM_SHAPE_STROKE, .label = label, .radius = radius, .count = 1, .points = at };
}

static bool same_marks(const s3svm_dialogue *a, const s3svm_dialogue *b)
{
    if (s3svm_dialogue_steps(a) != s3svm_dialogue_steps(b)) return false;
    for (size_t s = 0; s < s3svm_dialogue_steps(a); s++) {
        if (s3svm_dialogue_count(a, s) != s3svm_dialogue_count(b, s)) return false;
        for (size_t i = 0; i < s3svm_dialogue_count(a, s); i++) {
            const s3svm_mark m = s3svm_dialogue_mark(a, s, i), o = s3svm_dialogue_mark(b, s, i);
            if (m.shape != o.shape || m.label != o.label || m.radius != o.radius || m.count != o.count) return false;
            if (m.count && memcmp(m.points, o.points, m.count * sizeof *m.points)) return false;
            if (!m.pixels != !o.pixels) return false;
            if (m.pixels && memcmp(m.pixels->pixels, o.pixels->pixels, s3svm_image_size(m.pixels))) return false;
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
        s3svm_dialogue *d, *plain, *copy;
        sos_error error;
        check_ok(s3svm_dialogue_create(12, 9, &d, &error), error);
        check_ok(s3svm_dialogue_create(12, 9, &plain, &error), error);
        for (size_t s = 0; s < keep + more; s++) {
            own_mark marks[2];
            for (size_t i = 0; i < 2; i++) mark_random(&r, 12, 9, marks + i);
            const s3svm_mark step[2] = { marks[0].mark, marks[1].mark };
            if (!s3svm_dialogue_add(d, 2, step, NULL)) {
                if (s < keep) check_ok(s3svm_dialogue_add(plain, 2, step, &error), error);
            }
            for (size_t i = 0; i < 2; i++) s3svm_image_free(&marks[i].pixels);
        }
        copy = dialogue_copy(d);
        check(same_marks(d, copy));
        s3svm_dialogue_cut(d, s3svm_dialogue_steps(d) + 7);
        check(same_marks(d, copy));
        s3svm_dialogue_cut(d, s3svm_dialogue_steps(plain));
        check(same_marks(d, plain));
        s3svm_image a = drawn(d, 99), b = drawn(plain, 99), e = drawn(copy, s3svm_dialogue_steps(plain));
        check(!memcmp(a.pixels, b.pixels, s3svm_image_size(&a)) && !memcmp(a.pixels, e.pixels, s3svm_image_size(&a)));
        s3svm_image_free(&a);
        s3svm_image_free(&b);
        s3svm_image_free(&e);
        s3svm_dialogue_free(d);
        s3svm_dialogue_free(plain);
        s3svm_dialogue_free(copy);
    }
}

static void test_the_later_wins_and_a_box_never(void **state)
{
    (void)state;
    const s3svm_point middle = { 4, 4 }, corner = { 0, 0 }, box[2] = { { 6, 6 }, { 2, 2 } };
    const s3svm_mark object = click(S3SVM_MARK_OBJECT, &middle, 1), background = click(S3SVM_MARK_BACKGROUND, &middle, 0);
    const s3svm_mark outside = click(S3SVM_MARK_OBJECT, &corner, 0);
    const s3svm_mark around = { .shape = S3SVM_SHAPE_BOX, .count = 2, .points = box };
    const s3svm_mark step[] = { outside, object, around, background };
    s3svm_dialogue *d;
    sos_error error;
    check_ok(s3svm_dialogue_create(9, 9, &d, &error), error);
    check_ok(s3svm_dialogue_add(d, 4, step, &error), error);
    s3svm_image marks = drawn(d, 1);
    check(marks.pixels[0] == S3SVM_MARK_OBJECT && marks.pixels[1] == S3SVM_MARK_BACKGROUND);
    check(marks.pixels[4 * 9 + 4] == S3SVM_MARK_BACKGROUND && marks.pixels[4 * 9 + 3] == S3SVM_MARK_OBJECT);
    check(marks.pixels[2 * 9 + 2] == S3SVM_MARK_PERHAPS_OBJECT && marks.pixels[6 * 9 + 6] == S3SVM_MARK_PERHAPS_OBJECT);
    check(marks.pixels[7 * 9 + 6] == S3SVM_MARK_BACKGROUND);
    s3svm_image_free(&marks);
    s3svm_dialogue_free(d);
}

/* A rectangle (x, y, width, height) in a picture of marks, by its definition: what lies outside is background, what lies inside
 * and is not marked perhaps object; marks of object and background win.  False: no pixel of it is in the picture. */
static bool rectangle_draw(s3svm_image *marks, const long rectangle[4])
{
    bool any = false;
    for (long i = 0; i < (long)s3svm_image_size(marks); i++) {
        const long x = i % (long)marks->width - rectangle[0], y = i / (long)marks->width - rectangle[1];
        any |= x >= 0 && x < rectangle[2] && y >= 0 && y < rectangle[3];
    }
    for (long i = 0; any && i < (long)s3svm_image_size(marks); i++) {
        const long x = i % (long)marks->width - rectangle[0], y = i / (long)marks->width - rectangle[1];
        const bool inside = x >= 0 && x < rectangle[2] && y >= 0 && y < rectangle[3];
        uint8_t *mark = &marks->pixels[i];
        if (s3svm_mark_is_sure(*mark)) continue;
        *mark = !inside ? S3SVM_MARK_BACKGROUND : *mark == S3SVM_MARK_NONE ? S3SVM_MARK_PERHAPS_OBJECT : *mark;
    }
    return any;
}

/* A rectangle is the box between its outermost pixels. */
static void test_a_box_is_a_rectangle(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(300); c++) {
        sos_random r = test_case_begin(c);
        const long rectangle[4] = { (long)sos_random_below(&r, 12) - 3, (long)sos_random_below(&r, 12) - 3,
                                    3 + (long)sos_random_below(&r, 9), 3 + (long)sos_random_below(&r, 9) };
        const s3svm_point corners[2] = { { (float)rectangle[0], (float)rectangle[1] },
                                         { (float)(rectangle[0] + rectangle[2] - 1),
                                           (float)(rectangle[1] + rectangle[3] - 1) } };
        own_mark picture = { .mark.shape = S3SVM_SHAPE_PIXELS };
        s3svm_dialogue *d;
        sos_error error;
        pixels_random(&r, 10, 10, &picture);
        const s3svm_mark step[2] = { { .shape = S3SVM_SHAPE_BOX, .count = 2, .points = corners }, picture.mark };
        check_ok(s3svm_dialogue_create(10, 10, &d, &error), error);
        const sos_status status = s3svm_dialogue_add(d, 2, step, &error);
        check(!status == rectangle_draw(&picture.pixels, rectangle));
        s3svm_image marks = drawn(d, 1);
        check(status || !memcmp(marks.pixels, picture.pixels.pixels, 100));
        s3svm_image_free(&marks);
        s3svm_image_free(&picture.pixels);
        s3svm_dialogue_free(d);
    }
}

static void test_hostile_marks_are_refused(void **state)
{
    (void)state;
    const s3svm_point at = { 1, 1 }, nan = { NAN, 1 }, far = { 1, 2e6F }, flat[3] = { { 1, 1 }, { 5, 5 }, { 1, 1 } };
    const s3svm_point away[2] = { { -9, 1 }, { -1, 3 } };
    s3svm_image small = { 2, 2, 1, (uint8_t[]){ 0, 1, 2, 3 } }, odd = { 4, 4, 1, (uint8_t[16]){ 0, 9 } };
    const struct {
        s3svm_mark mark;
        const char *words;
    } cases[] = {
        { click(S3SVM_MARK_OBJECT, &nan, 1), "point 0" },
        { click(S3SVM_MARK_OBJECT, &far, 1), "point 0" },
        { click(S3SVM_MARK_OBJECT, &at, NAN), "radius" },
        { click(S3SVM_MARK_OBJECT, &at, 1e9F), "radius" },
        { click(S3SVM_MARK_OBJECT, &at, -1), "radius" },
        { click(S3SVM_MARK_NONE, &at, 1), "label 0" },
        { click(S3SVM_MARK_PERHAPS_OBJECT, &at, 1), "label 3" },
        { click(S3SVM_MARK_OBJECT, NULL, 1), "points" },
        { { .shape = S3SVM_SHAPE_BOX, .count = 1, .points = &at }, "points" },
        { { .shape = S3SVM_SHAPE_BOX, .count = 2, .points = away }, "no pixel" },
        { { .shape = S3SVM_SHAPE_BOX, .label = S3SVM_MARK_OBJECT, .count = 2, .points = flat }, "label" },
        { { .shape = S3SVM_SHAPE_OUTLINE, .count = 2, .points = flat }, "points" },
        { { .shape = S3SVM_SHAPE_OUTLINE, .count = 3, .points = flat }, "no pixel" },
        { { .shape = S3SVM_SHAPE_PIXELS, .pixels = &small }, "4 by 4" },
        { { .shape = S3SVM_SHAPE_PIXELS, .pixels = &odd }, "column 1, row 0" },
        { { .shape = S3SVM_SHAPE_PIXELS, .count = 1, .points = &at }, "picture" },
        { { .shape = S3SVM_SHAPES }, "shape" },
    };
    s3svm_dialogue *d;
    sos_error error;
    check_ok(s3svm_dialogue_create(4, 4, &d, &error), error);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const s3svm_mark step[2] = { click(S3SVM_MARK_OBJECT, &at, 1), cases[i].mark };
        check_error(s3svm_dialogue_add(d, 2, step, &error), SOS_ERR_ARGUMENT, error, "mark 1", cases[i].words);
    }
    check_is(s3svm_dialogue_add(d, 0, NULL, &error), SOS_ERR_ARGUMENT);
    check(s3svm_dialogue_steps(d) == 0);
    check_is(s3svm_dialogue_draw(d, 1, &small, &error), SOS_ERR_ARGUMENT);
    s3svm_dialogue_free(d);
    check_is(s3svm_dialogue_create(0, 4, &d, &error), SOS_ERR_RANGE);
    check_is(s3svm_dialogue_create(SIZE_MAX, 4, &d, &error), SOS_ERR_RANGE);
}

static void test_points_have_a_limit_together(void **state)
{
    (void)state;
    const size_t half = S3SVM_DIALOGUE_POINTS_MAX / 2;
    s3svm_point *points = test_room(NULL, half + 1, sizeof *points);
    s3svm_mark m = { .shape = S3SVM_SHAPE_STROKE, .label = S3SVM_MARK_OBJECT, .radius = 2, .count = half, .points = points };
    s3svm_dialogue *d;
    sos_error error;
    for (size_t i = 0; i <= half; i++) points[i] = (s3svm_point){ (float)(i % 97), (float)(i % 89) };
    check_ok(s3svm_dialogue_create(100, 100, &d, &error), error);
    check_ok(s3svm_dialogue_add(d, 1, &m, &error), error);
    m.count = half + 1;
    check_is(s3svm_dialogue_add(d, 1, &m, &error), SOS_ERR_RANGE);
    m.count = half;
    check_ok(s3svm_dialogue_add(d, 1, &m, &error), error);
    s3svm_dialogue_cut(d, 1);
    check_ok(s3svm_dialogue_add(d, 1, &m, &error), error); /* what was taken back counts no more */
    s3svm_dialogue_free(d);
    free(points);
}

static void test_outlines_have_a_limit(void **state)
{
    (void)state;
    const s3svm_point points[] = { { 0, 0 }, { 9, 0 }, { 0, 9 } };
    const s3svm_mark m = { .shape = S3SVM_SHAPE_OUTLINE, .count = 3, .points = points };
    s3svm_dialogue *d;
    sos_error error;
    check_ok(s3svm_dialogue_create(10, 10, &d, &error), error);
    for (size_t i = 0; i < S3SVM_DIALOGUE_OUTLINES_MAX; i++) check_ok(s3svm_dialogue_add(d, 1, &m, &error), error);
    check_is(s3svm_dialogue_add(d, 1, &m, &error), SOS_ERR_RANGE);
    s3svm_dialogue_cut(d, 1);
    check_ok(s3svm_dialogue_add(d, 1, &m, &error), error);
    s3svm_dialogue_free(d);
}

static s3svm_dialogue *dialogue_random(sos_random *r, size_t width, size_t height)
{
    s3svm_dialogue *d;
    sos_error error;
    check_ok(s3svm_dialogue_create(width, height, &d, &error), error);
    for (size_t s = sos_random_below(r, 5); s; s--) {
        own_mark marks[3];
        const size_t count = 1 + (size_t)sos_random_below(r, 3);
        for (size_t i = 0; i < 3; i++) mark_random(r, width, height, marks + i);
        const s3svm_mark step[3] = { marks[0].mark, marks[1].mark, marks[2].mark };
        (void)!s3svm_dialogue_add(d, count, step, NULL); /* some boxes have no pixel */
        for (size_t i = 0; i < 3; i++) s3svm_image_free(&marks[i].pixels);
    }
    return d;
}

/* A copy of the first steps has these in common, and a step that differs in anything ends what is common. */
static void test_common_steps_are_counted(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(200); c++) {
        sos_random r = test_case_begin(c);
        s3svm_dialogue *all = dialogue_random(&r, 9, 7), *part, *wide;
        sos_error error;
        const size_t steps = s3svm_dialogue_steps(all), kept = (size_t)sos_random_below(&r, steps + 1);
        const s3svm_point far = { 1e5F, (float)c };
        check_ok(s3svm_dialogue_create(9, 7, &part, &error), error);
        for (size_t step = 0; step < kept; step++) check_ok(s3svm_dialogue_add_step(part, all, step, &error), error);
        check(s3svm_dialogue_common(all, part) == kept && s3svm_dialogue_common(part, all) == kept);
        check(s3svm_dialogue_common(all, all) == steps);
        check_ok(s3svm_dialogue_add(
                     part, 1, &(s3svm_mark){ .label = S3SVM_MARK_OBJECT, .radius = 1, .count = 1, .points = &far }, &error),
                 error);
        for (size_t step = kept; step < steps; step++) check_ok(s3svm_dialogue_add_step(part, all, step, &error), error);
        check(s3svm_dialogue_common(all, part) == kept);
        check_ok(s3svm_dialogue_create(10, 7, &wide, &error), error);
        check(s3svm_dialogue_common(all, wide) == 0);
        s3svm_dialogue_free(wide);
        s3svm_dialogue_free(part);
        s3svm_dialogue_free(all);
    }
}

static void test_what_is_written_reads_back(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(300); c++) {
        sos_random r = test_case_begin(c);
        s3svm_dialogue *d = dialogue_random(&r, 1 + (size_t)sos_random_below(&r, 20), 1 + (size_t)sos_random_below(&r, 20)),
                       *back;
        char *text;
        size_t length;
        sos_error error;
        check_ok(s3svm_dialogue_encode(d, &text, &length, &error), error);
        if (sos_has("models")) {
            check_ok(s3svm_dialogue_parse(text, length, "memory", &back, &error), error);
            check(same_marks(d, back));
            s3svm_dialogue_free(back);
            check_ok(s3svm_dialogue_write(d, scratch("marks.json"), &error), error);
            check_ok(s3svm_dialogue_read(scratch("marks.json"), &back, &error), error);
            check(same_marks(d, back));
            s3svm_dialogue_free(back);
            text[sos_random_below(&r, length)] = (char)sos_random_below(&r, 256); /* whatever that makes of it */
            if (!s3svm_dialogue_parse(text, length, "memory", &back, &error)) s3svm_dialogue_free(back);
        }
        free(text);
        s3svm_dialogue_free(d);
    }
}

static void test_files_that_say_something_else_are_refused(void **state)
{
    (void)state;
    static const char HEAD[] = "{\"format\": \"s3svm marks\", \"version\": 1, \"width\": 4, \"height\": 2, \"steps\": ";
    const struct {
        const char *text, *words;
    } cases[] = {
        { "[[]]}", "step 1 is not a list of marks" },
        { "[3]}", "step 1" },
        { "{}}", "\"steps\" must be a list" },
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
    s3svm_dialogue *d;
    sos_error error;
    char text[400];
    if (!sos_has("models")) return;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, "%s%s", HEAD, cases[i].text);
        check_error(s3svm_dialogue_parse(text, strlen(text), "some.json", &d, &error), SOS_ERR_FORMAT, error, "some.json",
                    cases[i].words);
    }
    check_error(s3svm_dialogue_parse("{}", 2, "some.json", &d, &error), SOS_ERR_FORMAT, error, "\"format\"");
    check_is(s3svm_dialogue_read(scratch("none.json"), &d, &error), SOS_ERR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drawn_as_by_a_search_over_pixels),
        cmocka_unit_test(test_step_by_step_as_at_once),
        cmocka_unit_test(test_taken_back_is_never_made),
        cmocka_unit_test(test_the_later_wins_and_a_box_never),
        cmocka_unit_test(test_a_box_is_a_rectangle),
        cmocka_unit_test(test_hostile_marks_are_refused),
        cmocka_unit_test(test_points_have_a_limit_together),
        cmocka_unit_test(test_outlines_have_a_limit),
        cmocka_unit_test(test_common_steps_are_counted),
        cmocka_unit_test(test_what_is_written_reads_back),
        cmocka_unit_test(test_files_that_say_something_else_are_refused),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
