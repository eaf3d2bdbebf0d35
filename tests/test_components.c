/* test_components.c - connected parts are those that a search finds; tidying turns what it says, and nothing else. */
#include <stdlib.h>
#include <string.h>

#include "segment/model/tidy.h"
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
        check_ok(s3svm_components(width, height, labels, parts, &count, &error), error);
        spread(width, n, labels, least);
        for (size_t i = 0; i < n; i++) {
            if (least[i] == i) check(parts[i] == found++); /* in the order of their first pixels */
            check(parts[i] == parts[least[i]]);
        }
        check(count == found);
    }
}

static s3svm_image marks_of(size_t width, size_t height, const char *text, uint8_t labels[])
{
    s3svm_image marks;
    sos_error error;
    check_ok(s3svm_image_create(width, height, 1, &marks, &error), error);
    for (size_t i = 0; i < width * height; i++) {
        labels[i] = text[i] == '#' || text[i] == 'O';
        marks.pixels[i] = text[i] == 'O' ? S3SVM_MARK_OBJECT : text[i] == 'B' ? S3SVM_MARK_BACKGROUND : S3SVM_MARK_NONE;
    }
    return marks;
}

static size_t tidy(const s3svm_image *marks, const s3svm_tidying *t, uint8_t labels[])
{
    s3svm_tidier tidier = { 0 };
    sos_error error;
    check_ok(s3svm_tidier_reserve(&tidier, marks->width, marks->height, labels, &error), error);
    const size_t changed = s3svm_tidier_tidy(&tidier, t, marks, labels);
    s3svm_tidier_free(&tidier);
    return changed;
}

/* Whether the part of pixel i stays, by looking at all pixels. */
static bool stays(size_t n, const uint8_t labels[], const s3svm_image *marks, const size_t least[], const s3svm_tidying *t,
                  size_t i)
{
    size_t pixels = 0;
    bool marked = false, any = false;
    for (size_t k = 0; k < n; k++) {
        const bool said = marks->pixels[k] == (labels[k] ? S3SVM_MARK_OBJECT : S3SVM_MARK_BACKGROUND);
        pixels += least[k] == least[i];
        marked = marked || (least[k] == least[i] && said);
        any = any || (labels[k] && said);
    }
    return marked || (!(t->connected && any && labels[i]) && pixels >= (t->specks ? t->specks : n / 10000));
}

static void test_tidied_as_by_a_search(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(500); c++) {
        sos_random r = test_case_begin(c);
        const size_t width = 1 + (size_t)sos_random_below(&r, SIDE_MAX), height = 1 + (size_t)sos_random_below(&r, SIDE_MAX);
        const size_t n = width * height, share = 2 + (size_t)sos_random_below(&r, 4);
        const s3svm_tidying t = { .connected = sos_random_below(&r, 2), .specks = (size_t)sos_random_below(&r, 9) };
        uint8_t labels[PIXELS_MAX], tidied[PIXELS_MAX];
        size_t least[PIXELS_MAX], turned = 0;
        s3svm_image marks;
        sos_error error;
        check_ok(s3svm_image_create(width, height, 1, &marks, &error), error);
        for (size_t i = 0; i < n; i++) {
            labels[i] = tidied[i] = !sos_random_below(&r, share);
            if (!sos_random_below(&r, 10)) marks.pixels[i] = (uint8_t)sos_random_below(&r, S3SVM_MARKS);
        }
        spread(width, n, labels, least);
        const size_t changed = tidy(&marks, &t, tidied);
        for (size_t i = 0; i < n; i++) {
            const bool kept = stays(n, labels, &marks, least, &t, i);
            check(tidied[i] == (kept ? labels[i] : !labels[i]));
            turned += !kept;
        }
        check(changed == turned);
        s3svm_image_free(&marks);
    }
}

/* '#' object, '.' background; O and B are marked so. */
static void check_tidy(const char *before, s3svm_tidying t, const char *after)
{
    enum { WIDTH = 8, HEIGHT = 4 };
    uint8_t labels[WIDTH * HEIGHT];
    size_t differ = 0;
    s3svm_image marks = marks_of(WIDTH, HEIGHT, before, labels);
    const size_t changed = tidy(&marks, &t, labels);
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
        const bool object = after[i] == '#' || after[i] == 'O';
        if ((labels[i] != 0) != object) test_fail(__FILE__, __LINE__, "pixel %zu of '%s'", i, before);
        differ += (before[i] == '#' || before[i] == 'O') != object;
    }
    check(changed == differ);
    s3svm_image_free(&marks);
}

static void test_specks_of_both_kinds_go_unless_they_are_marked(void **state)
{
    (void)state;
    const s3svm_tidying specks = { .specks = 3 };
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
    const s3svm_tidying connected = { .connected = true };
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
        cmocka_unit_test(test_tidied_as_by_a_search),
        cmocka_unit_test(test_specks_of_both_kinds_go_unless_they_are_marked),
        cmocka_unit_test(test_connected_keeps_what_a_stroke_touches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
