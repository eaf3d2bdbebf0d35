/* test_direction.c - directions are those of lines drawn at known angles; strengths are the second derivative across them;
 * cliques along lines are the pixels that a ruler passes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "vision/direction.h"
#include "vision/lines.h"

static const double TURN = 6.283185307179586;

static s3svm_plane plane_new(size_t width, size_t height)
{
    s3svm_plane p;
    sos_error error;
    check_ok(s3svm_plane_create(width, height, &p, &error), error);
    return p;
}

static s3svm_directions directions_of(const s3svm_plane *p, double blur, size_t steps)
{
    s3svm_directions d;
    sos_error error;
    check_ok(s3svm_directions_find(p, blur, steps, &d, &error), error);
    check(d.width == p->width && d.height == p->height && d.steps == steps);
    return d;
}

/* ---------------------------------------------------------------- directions */

enum { SIDE = 61, MIDDLE = SIDE / 2 };

/* A line through the middle, as wide as a pen, whose edges are soft: dark on light, or light on dark. */
static void line_draw(s3svm_plane *p, double turns, bool dark)
{
    for (size_t i = 0; i < s3svm_plane_size(p); i++) {
        const double x = (double)(i % SIDE) - MIDDLE, y = (double)(i / SIDE) - MIDDLE;
        const double aside = fabs(x * sin(TURN * turns) - y * cos(TURN * turns));
        const double ink = fmin(fmax(2.5 - aside, 0), 1);
        p->values[i] = (float)(dark ? 1 - ink : ink);
    }
}

/* The pixel so far beside the middle of the line. */
static size_t beside(double turns, double distance)
{
    const long x = lrint(MIDDLE - distance * sin(TURN * turns)), y = lrint(MIDDLE + distance * cos(TURN * turns));
    return (size_t)(y * SIDE + x);
}

static void lines_have_the_direction_that_they_were_drawn_in(void **state)
{
    (void)state;
    s3svm_plane p = plane_new(SIDE, SIDE);
    for (uint64_t c = 0; c < test_cases(100); c++) {
        sos_random r = test_case_begin(c);
        const size_t steps = 1 + sos_random_below(&r, 16), step = sos_random_below(&r, steps), at = MIDDLE * SIDE + MIDDLE;
        /* not so near to the border between two steps that pixels decide */
        const double turns = ((double)step + 0.6 * (sos_random_uniform(&r) - 0.5)) / (2 * (double)steps);
        const bool dark = c % 2;
        line_draw(&p, turns, dark);
        s3svm_directions d = directions_of(&p, 2, steps);
        check(d.direction[at] == step);
        check(dark ? d.strength[at] > 0.3F : d.strength[at] < -0.3F);
        for (int side = -1; side <= 1; side += 2) { /* beside it, the other way round, and still along the line */
            const size_t near = beside(turns, side * 5.0);
            check(d.direction[near] == step || steps > 8);
            check(dark ? d.strength[near] < -0.05F : d.strength[near] > 0.05F);
            check(fabsf(d.strength[beside(turns, side * 16.0)]) < 1e-3F);
        }
        s3svm_directions_free(&d);
    }
    s3svm_plane_free(&p);
}

/* The pixel at any coordinates, walking back and forth at the borders. */
static double at(const s3svm_plane *p, long x, long y)
{
    const long w = (long)p->width, h = (long)p->height;
    while (x < 0 || x >= w) x = x < 0 ? -1 - x : 2 * w - 1 - x;
    while (y < 0 || y >= h) y = y < 0 ? -1 - y : 2 * h - 1 - y;
    return (double)p->values[y * w + x];
}

/* The mean of all pixels around, by the definition. */
static double blurred(const s3svm_plane *p, double blur, long x, long y)
{
    const long reach = (long)ceil(3 * blur);
    double sum = 0, weights = 0;
    for (long v = -reach; v <= reach; v++)
        for (long u = -reach; u <= reach; u++) {
            const double weight = exp(-0.5 * (double)(u * u + v * v) / (blur * blur));
            sum += weight * at(p, x + u, y + v);
            weights += weight;
        }
    return sum / weights;
}

/* The second difference along a direction, (cos, sin) H (cos, sin)^T. */
static double curvature(const double n[3][3], double turns)
{
    const double x = cos(TURN * turns), y = sin(TURN * turns);
    const double xx = n[1][0] + n[1][2] - 2 * n[1][1], yy = n[0][1] + n[2][1] - 2 * n[1][1];
    const double xy = (n[2][2] - n[2][0] - n[0][2] + n[0][0]) / 4;
    return x * x * xx + 2 * x * y * xy + y * y * yy;
}

/* Of all directions, the one across the line has the second derivative that is furthest from 0. */
static void strength_is_the_largest_second_derivative(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(20); c++) {
        sos_random r = test_case_begin(c);
        s3svm_plane p = plane_new(1 + sos_random_below(&r, 9), 1 + sos_random_below(&r, 9));
        const double blur = 0.7 + sos_random_uniform(&r);
        for (size_t i = 0; i < s3svm_plane_size(&p); i++) p.values[i] = (float)sos_random_uniform(&r);
        s3svm_directions d = directions_of(&p, blur, 8);
        for (size_t i = 0; i < s3svm_plane_size(&p); i++) {
            double n[3][3], most = 0;
            const long x = (long)(i % p.width), y = (long)(i / p.width);
            for (long v = 0; v < 3; v++)
                for (long u = 0; u < 3; u++) {
                    const long px = x + u - 1, py = y + v - 1, w = (long)p.width, h = (long)p.height;
                    n[v][u] = blurred(&p, blur,
                                      px < 0    ? -1 - px
                                      : px >= w ? 2 * w - 1 - px
                                                : px,
                                      py < 0    ? -1 - py
                                      : py >= h ? 2 * h - 1 - py
                                                : py);
                }
            for (int k = 0; k < 2000; k++) {
                const double curved = curvature((const double(*)[3])n, k / 4000.0);
                if (fabs(curved) > fabs(most)) most = curved;
            }
            check(fabs(fabs((double)d.strength[i]) - blur * blur * fabs(most)) < 1e-4);
        }
        s3svm_directions_free(&d);
        s3svm_plane_free(&p);
    }
}

static void without_lines_there_is_no_strength(void **state)
{
    (void)state;
    s3svm_plane p = plane_new(7, 5);
    s3svm_directions d = directions_of(&p, 2, 8);
    for (size_t i = 0; i < s3svm_plane_size(&p); i++) check(d.direction[i] == 0 && d.strength[i] == 0);
    s3svm_directions_free(&d);
    s3svm_directions_free(&d);
    s3svm_plane_free(&p);
}

static void senseless_steps_are_refused(void **state)
{
    (void)state;
    s3svm_plane p = plane_new(3, 3);
    s3svm_directions d;
    sos_error error;
    check_error(s3svm_directions_find(&p, 2, 0, &d, &error), SOS_ERR_ARGUMENT, error, "0 steps");
    check_error(s3svm_directions_find(&p, 2, S3SVM_DIRECTION_STEPS_MAX + 1, &d, &error), SOS_ERR_ARGUMENT, error, "65 steps");
    check_error(s3svm_directions_find(&p, 0, 8, &d, &error), SOS_ERR_ARGUMENT, error, "deviation 0");
    s3svm_plane_free(&p);
}

/* ---------------------------------------------------------------- lines */

static void places_are_those_that_a_ruler_passes(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(200); c++) {
        sos_random r = test_case_begin(c);
        const size_t length = 1 + sos_random_below(&r, 20), steps = 1 + sos_random_below(&r, 32);
        const size_t direction = sos_random_below(&r, steps);
        const double x = cos(TURN * (double)direction / (2 * (double)steps)),
                     y = sin(TURN * (double)direction / (2 * (double)steps));
        s3svm_line_place p[20];
        s3svm_line_places(length, steps, direction, p);
        check(p[length / 2].x == 0 && p[length / 2].y == 0);
        for (size_t i = 0; i < length; i++) {
            const double t = (double)i - (double)(length / 2);
            /* so many steps along, and at most half a pixel off the line, seen along an axis */
            check(fmax(abs(p[i].x), abs(p[i].y)) == fabs(t));
            check(p[i].x * x + p[i].y * y >= 0 || t < 0);
            check(fabs(p[i].x * y - p[i].y * x) <= 0.5 * fmax(fabs(x), fabs(y)) + 1e-9);
            if (length % 2) check(p[i].x == -p[length - 1 - i].x && p[i].y == -p[length - 1 - i].y);
            if (i) check(abs(p[i].x - p[i - 1].x) <= 1 && abs(p[i].y - p[i - 1].y) <= 1);
        }
    }
    s3svm_line_place p[5];
    static const s3svm_line_place known[4][5] = { { { -2, 0 }, { -1, 0 }, { 0, 0 }, { 1, 0 }, { 2, 0 } },
                                                  { { -2, -2 }, { -1, -1 }, { 0, 0 }, { 1, 1 }, { 2, 2 } },
                                                  { { 0, -2 }, { 0, -1 }, { 0, 0 }, { 0, 1 }, { 0, 2 } },
                                                  { { 2, -2 }, { 1, -1 }, { 0, 0 }, { -1, 1 }, { -2, 2 } } };
    for (size_t d = 0; d < 4; d++) {
        s3svm_line_places(5, 4, d, p);
        assert_memory_equal(p, known[d], sizeof p);
    }
}

/* Lines with the pixels of the places that are inside, for each pixel that wants one. */
static void lines_are_the_places_of_their_pixels(void **state)
{
    (void)state;
    enum { LENGTH_MAX = 16, SIZE_MAX_ = 20 };
    for (uint64_t c = 0; c < test_cases(60); c++) {
        sos_random r = test_case_begin(c);
        const size_t length = 1 + sos_random_below(&r, LENGTH_MAX), width = 1 + sos_random_below(&r, SIZE_MAX_),
                     height = 1 + sos_random_below(&r, SIZE_MAX_), steps = 1 + sos_random_below(&r, 16);
        uint8_t direction[SIZE_MAX_ * SIZE_MAX_], wanted[SIZE_MAX_ * SIZE_MAX_];
        for (size_t i = 0; i < width * height; i++) {
            direction[i] = (uint8_t)sos_random_below(&r, steps);
            wanted[i] = sos_random_below(&r, 3) > 0;
        }
        const s3svm_directions d = { .width = width, .height = height, .steps = steps, .direction = direction };
        const s3svm_lines_border border = c % 2 ? S3SVM_LINES_SHORTENED : S3SVM_LINES_LEFT_OUT;
        const bool all = c % 3 == 0;
        s3svm_lines l;
        sos_error error;
        check_ok(s3svm_lines_find(&d, length, all ? NULL : wanted, border, &l, &error), error);
        size_t line = 0;
        for (size_t i = 0; i < width * height; i++) {
            if (!all && !wanted[i]) continue;
            s3svm_line_place p[LENGTH_MAX];
            uint32_t members[LENGTH_MAX];
            size_t inside = 0;
            s3svm_line_places(length, steps, direction[i], p);
            for (size_t k = 0; k < length; k++) {
                const int x = (int)(i % width) + p[k].x, y = (int)(i / width) + p[k].y;
                if (x >= 0 && y >= 0 && x < (int)width && y < (int)height) members[inside++] = (uint32_t)(y * (int)width + x);
            }
            if (border == S3SVM_LINES_LEFT_OUT && inside < length) continue;
            check(line < l.count && l.middle[line] == i && l.start[line + 1] - l.start[line] == inside);
            assert_memory_equal(l.members + l.start[line], members, inside * sizeof *members);
            line++;
        }
        check(line == l.count && l.start[0] == 0);
        s3svm_lines_free(&l);
        s3svm_lines_free(&l);
    }
}

static void senseless_lengths_are_refused(void **state)
{
    (void)state;
    uint8_t direction = 0;
    const s3svm_directions d = { .width = 1, .height = 1, .steps = 1, .direction = &direction };
    s3svm_lines l;
    sos_error error;
    check_error(s3svm_lines_find(&d, 0, NULL, S3SVM_LINES_SHORTENED, &l, &error), SOS_ERR_ARGUMENT, error, "0 pixels");
    check_error(s3svm_lines_find(&d, S3SVM_LINES_LENGTH_MAX + 1, NULL, S3SVM_LINES_SHORTENED, &l, &error), SOS_ERR_ARGUMENT,
                error, "1025 pixels");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_have_the_direction_that_they_were_drawn_in),
        cmocka_unit_test(strength_is_the_largest_second_derivative),
        cmocka_unit_test(without_lines_there_is_no_strength),
        cmocka_unit_test(senseless_steps_are_refused),
        cmocka_unit_test(places_are_those_that_a_ruler_passes),
        cmocka_unit_test(lines_are_the_places_of_their_pixels),
        cmocka_unit_test(senseless_lengths_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
