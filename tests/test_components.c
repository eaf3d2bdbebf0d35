/* test_components.c - connected parts are those that a search finds; tidying turns what it says, and nothing else. */
#include <stdlib.h>
#include <string.h>

#include <s3svm/cutout.h>

#include "support.h"
#include "vision/components.h"

enum { SIDE_MAX = 12, PIXELS_MAX = SIDE_MAX * SIDE_MAX };

/* Whether two pixels that touch belong together. */
static bool joined(const uint8_t labels[], size_t width, size_t a, size_t b)
{
    const long dx = labs((long)(a % width) - (long)(b % width)), dy = labs((long)(a / width) - (long)(b / width));
    return labels[a] == labels[b] && dx <= 1 && dy <= 1 && (dx + dy == 1 || (dx + dy == 2 && labels[a]));
}

/* Parts by spreading numbers until nothing changes: each pixel gets the least pixel of its part. */
static void spread(size_t width, size_t n, const uint8_t labels[], size_t least[])
{
    bool changed = true;
    for (size_t i = 0; i < n; i++) least[i] = i;
    while (changed) {
        changed = false;
        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; b < n; b++)
                if (least[b] < least[a] && joined(labels, width, a, b)) {
                    least[a] = least[b];
                    changed = true;
                }
    }
}

static void test_parts_are_those_of_a_search(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(300); c++) {
        sos_random r = test_case_begin(c);
        const size_t width = 1 + (size_t)sos_random_below(&r, SIDE_MAX), height = 1 + (size_t)sos_random_below(&r, SIDE_MAX);
        const size_t n = width * height, labels_count = 1 + (size_t)sos_random_below(&r, 3);
        uint8_t labels[PIXELS_MAX];
        uint32_t parts[PIXELS_MAX];
        size_t least[PIXELS_MAX], count, found = 0;
        sos_error error;
        for (size_t i = 0; i < n; i++) labels[i] = (uint8_t)sos_random_below(&r, labels_count);
        check_ok(sos_components(width, height, labels, parts, &count, &error), error);
        spread(width, n, labels, least);
        for (size_t i = 0; i < n; i++) {
            if (least[i] == i) check(parts[i] == found++); /* in the order of their first pixels */
            check(parts[i] == parts[least[i]]);
        }
        check(count == found);
    }
}

static sos_image marks_of(size_t width, size_t height, const char *text, uint8_t labels[])
{
    sos_image marks;
    sos_error error;
    check_ok(sos_image_create(width, height, 1, &marks, &error), error);
    for (size_t i = 0; i < width * height; i++) {
        labels[i] = text[i] == '#' || text[i] == 'O';
        marks.pixels[i] = text[i] == 'O' ? SOS_MARK_OBJECT : text[i] == 'B' ? SOS_MARK_BACKGROUND : SOS_MARK_NONE;
    }
    return marks;
}

/* '#' object, '.' background; O and B are marked so. */
static void check_tidy(const char *before, sos_cutout_tidying t, const char *after)
{
    enum { WIDTH = 8, HEIGHT = 4 };
    uint8_t labels[WIDTH * HEIGHT];
    size_t changed, differ = 0;
    sos_error error;
    sos_image marks = marks_of(WIDTH, HEIGHT, before, labels);
    check_ok(sos_cutout_tidy(&marks, &t, labels, &changed, &error), error);
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
        const bool object = after[i] == '#' || after[i] == 'O';
        if ((labels[i] != 0) != object) test_fail(__FILE__, __LINE__, "pixel %zu of '%s'", i, before);
        differ += (before[i] == '#' || before[i] == 'O') != object;
    }
    check(changed == differ);
    sos_image_free(&marks);
}

static void test_specks_of_both_kinds_go_unless_they_are_marked(void **state)
{
    (void)state;
    const sos_cutout_tidying specks = { .specks = 3 };
    check_tidy("###....#"
               "#.#....."
               "###..O.."
               "......B.",
               specks,
               "###....."
               "###....."
               "###..O.."
               "......B.");
    check_tidy("###....."
               "#B#..#.."
               "###...#."
               ".......#",
               specks,
               "###....."
               "#B#..#.."
               "###...#."
               ".......#");
}

static void test_connected_keeps_what_a_stroke_touches(void **state)
{
    (void)state;
    const sos_cutout_tidying connected = { .connected = true };
    check_tidy("O##..###"
               "##...###"
               "..#..###"
               "...#....",
               connected,
               "O##....."
               "##......"
               "..#....."
               "...#....");
    /* without a stroke on any part of the object there is nothing to be connected with */
    check_tidy("###..###"
               "##......"
               "........"
               "..B.....",
               connected,
               "###..###"
               "##......"
               "........"
               "..B.....");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_are_those_of_a_search),
        cmocka_unit_test(test_specks_of_both_kinds_go_unless_they_are_marked),
        cmocka_unit_test(test_connected_keeps_what_a_stroke_touches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
