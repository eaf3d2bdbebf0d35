/* test_trace_thin.c - thinning, levelling and the measures of thin structures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "support.h"
#include "trace/measure.h"
#include "vision/components.h"
#include "vision/level.h"
#include "vision/thin.h"
#include <s3svm/trace.h>

enum { SIDE = 24, SIZE = SIDE * SIDE, CASES = 60 };

/* Parts of label 1, and of label 0 with a frame of zeros around: by flooding, one pixel after the other. */
static size_t parts_count(const uint8_t mask[], uint8_t label, bool corners)
{
    enum { WIDE = SIDE + 2 };
    uint8_t left[WIDE * WIDE] = { 0 };
    size_t count = 0;
    for (size_t y = 0; y < WIDE; y++)
        for (size_t x = 0; x < WIDE; x++) {
            const bool inside = x && y && x <= SIDE && y <= SIDE;
            left[y * WIDE + x] = (inside ? mask[(y - 1) * SIDE + x - 1] : 0) == label;
        }
    for (size_t from = 0; from < WIDE * WIDE; from++) {
        size_t stack[WIDE * WIDE], top = 0;
        if (!left[from]) continue;
        count++;
        left[from] = 0;
        stack[top++] = from;
        while (top) {
            const size_t p = stack[--top];
            for (int d = 0; d < 9; d++) {
                const int dx = d % 3 - 1, dy = d / 3 - 1, x = (int)(p % WIDE) + dx, y = (int)(p / WIDE) + dy;
                if (x < 0 || y < 0 || x >= WIDE || y >= WIDE || (!corners && dx && dy)) continue;
                if (!left[y * WIDE + x]) continue;
                left[y * WIDE + x] = 0;
                stack[top++] = (size_t)(y * WIDE + x);
            }
        }
    }
    return count;
}

static void blobs_draw(sos_random *r, uint8_t mask[])
{
    memset(mask, 0, SIZE);
    for (int b = 0; b < 6; b++) {
        const int x = (int)sos_random_below(r, SIDE), y = (int)sos_random_below(r, SIDE);
        const int w = 1 + (int)sos_random_below(r, 9), h = 1 + (int)sos_random_below(r, 9);
        for (int v = y; v < y + h && v < SIDE; v++)
            for (int u = x; u < x + w && u < SIDE; u++) mask[v * SIDE + u] ^= 1;
    }
}

static void thinning_keeps_parts_and_holes_and_leaves_nothing_to_take(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        uint8_t mask[SIZE], thin[SIZE], again[SIZE];
        sos_random r = sos_random_seeded(seed);
        sos_error error;
        blobs_draw(&r, mask);
        memcpy(thin, mask, SIZE);
        assert_int_equal(s3svm_thin(SIDE, SIDE, thin, &error), SOS_OK);
        for (size_t i = 0; i < SIZE; i++) assert_true(thin[i] <= mask[i]);
        if (parts_count(mask, 1, true) != parts_count(thin, 1, true) ||
            parts_count(mask, 0, false) != parts_count(thin, 0, false))
            fail_msg("seed %d: parts or holes changed", (int)seed);
        memcpy(again, thin, SIZE);
        assert_int_equal(s3svm_thin(SIDE, SIDE, again, &error), SOS_OK);
        assert_memory_equal(again, thin, SIZE);
    }
}

static void a_bar_thins_to_its_middle(void **state)
{
    (void)state;
    uint8_t mask[SIZE] = { 0 };
    sos_error error;
    for (int y = 8; y < 13; y++)
        for (int x = 2; x < 22; x++) mask[y * SIDE + x] = 1;
    assert_int_equal(s3svm_thin(SIDE, SIDE, mask, &error), SOS_OK);
    for (int x = 6; x < 18; x++) {
        for (int y = 0; y < SIDE; y++) assert_int_equal(mask[y * SIDE + x], y == 10);
    }
}

/* A true line of 20 pixels; the answer lacks some of it. */
static void breaks_are_counted_by_pieces_near_the_answer(void **state)
{
    (void)state;
    uint8_t truth[SIZE] = { 0 }, answer[SIZE];
    sos_error error;
    s3svm_trace_counts c;
    for (int x = 2; x < 22; x++) truth[12 * SIDE + x] = 1;
    memcpy(answer, truth, SIZE);
    assert_int_equal(s3svm_trace_count(SIDE, SIDE, answer, truth, NULL, &c, &error), SOS_OK);
    assert_true(c.breaks == 0 && s3svm_trace_f1(&c) == 1 && s3svm_trace_cldice(&c) == 1 && s3svm_trace_f1_near(&c) == 1);
    for (int x = 10; x < 14; x++) answer[12 * SIDE + x] = 0; /* four pixels are all within 2 */
    assert_int_equal(s3svm_trace_count(SIDE, SIDE, answer, truth, NULL, &c, &error), SOS_OK);
    assert_true(c.breaks == 0 && c.missed == 4 && c.extra == 0 && c.true_near == 20);
    answer[12 * SIDE + 14] = 0; /* five are not */
    assert_int_equal(s3svm_trace_count(SIDE, SIDE, answer, truth, NULL, &c, &error), SOS_OK);
    assert_true(c.breaks == 1 && c.missed == 5 && c.true_near == 19);
    const double recall = 15.0 / 20;
    assert_true(fabs(s3svm_trace_f1(&c) - 2 * recall / (1 + recall)) < 1e-12);
    memset(answer, 0, SIZE);
    assert_int_equal(s3svm_trace_count(SIDE, SIDE, answer, truth, NULL, &c, &error), SOS_OK);
    assert_true(c.breaks == 0 && s3svm_trace_f1(&c) == 0);
    uint8_t care[SIZE] = { 0 };
    assert_int_equal(s3svm_trace_count(SIDE, SIDE, answer, truth, care, &c, &error), SOS_OK);
    assert_true(c.pixels == 0 && s3svm_trace_f1(&c) == 1);
}

/* The light falls off, and the contrast of the lines with it; what comes out does not. */
static void levelling_takes_light_and_contrast_away(void **state)
{
    (void)state;
    enum { W = 300, H = 200 };
    s3svm_plane in, out;
    uint8_t frame[W * H] = { 0 };
    sos_error error;
    assert_int_equal(s3svm_plane_create(W, H, &in, &error), SOS_OK);
    for (size_t y = 0; y < H; y++)
        for (size_t x = 0; x < W; x++) {
            const float light = 0.2F + 0.6F * (float)x / W;
            in.values[y * W + x] = light * (y % 20 < 2 ? 0.7F : 1);
        }
    const s3svm_level_settings settings = { .near = 12, .far = 32, .least = 1e-6 };
    assert_int_equal(s3svm_level(&in, frame, &settings, &out, &error), SOS_OK);
    for (size_t x = 40; x < W - 40; x += 20) {
        assert_true(fabsf(out.values[100 * W + x] - out.values[100 * W + 150]) < 0.15F);
        assert_true(out.values[100 * W + x] < -1.5F && out.values[110 * W + x] > 0);
    }
    s3svm_plane_free(&in);
    s3svm_plane_free(&out);
}

static void large_black_areas_are_a_frame_and_thin_ones_are_not(void **state)
{
    (void)state;
    enum { W = 80, H = 60 };
    s3svm_image picture;
    uint8_t frame[W * H];
    sos_error error;
    assert_int_equal(s3svm_image_create(W, H, 3, &picture, &error), SOS_OK);
    for (size_t i = 0; i < W * H; i++)
        for (size_t c = 0; c < 3; c++) picture.pixels[3 * i + c] = i % W < 30 || i / W == 40 ? 3 : 200;
    assert_int_equal(s3svm_level_frame(&picture, frame, &error), SOS_OK);
    for (size_t i = 0; i < W * H; i++) assert_int_equal(frame[i], i % W < 30);
    s3svm_image_free(&picture);
}

/* A cross of two bars: four lines that meet, as wide as the bars. */
static void centre_lines_meet_where_bars_cross(void **state)
{
    (void)state;
    enum { W = 41 };
    uint8_t mask[W * W] = { 0 };
    sos_error error;
    s3svm_centre_lines lines;
    for (int y = 0; y < W; y++)
        for (int x = 0; x < W; x++)
            mask[y * W + x] = (abs(x - 20) < 2 && y > 3 && y < 37) || (abs(y - 20) < 2 && x > 3 && x < 37);
    assert_int_equal(s3svm_centre_lines_find(W, W, mask, &lines, &error), SOS_OK);
    size_t whole = 0;
    for (size_t l = 0; l < lines.count; l++) {
        if (lines.start[l + 1] - lines.start[l] < 8) continue;
        const size_t middle = (lines.start[l] + lines.start[l + 1]) / 2;
        whole++;
        assert_true(lines.width[middle] == 3);
        assert_true(lines.x[middle] == 20 || lines.y[middle] == 20);
    }
    assert_int_equal(whole, 4);
    s3svm_centre_lines_free(&lines);
    memset(mask, 0, sizeof mask);
    for (int y = 10; y < 30; y++)
        for (int x = 10; x < 30; x++) mask[y * W + x] = x < 12 || x >= 28 || y < 12 || y >= 28; /* closed */
    assert_int_equal(s3svm_centre_lines_find(W, W, mask, &lines, &error), SOS_OK);
    assert_int_equal(lines.count, 1);
    const size_t last = lines.start[1] - 1;
    assert_true(last > 60 && lines.x[0] == lines.x[last] && lines.y[0] == lines.y[last]);
    s3svm_centre_lines_free(&lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thinning_keeps_parts_and_holes_and_leaves_nothing_to_take),
        cmocka_unit_test(a_bar_thins_to_its_middle),
        cmocka_unit_test(breaks_are_counted_by_pieces_near_the_answer),
        cmocka_unit_test(levelling_takes_light_and_contrast_away),
        cmocka_unit_test(large_black_areas_are_a_frame_and_thin_ones_are_not),
        cmocka_unit_test(centre_lines_meet_where_bars_cross),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
