/* test_strokes.c - stroke features do not depend on how the picture is turned or cut into rows, and tell strokes apart. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "vision/strokes.h"

enum { FEATURES = S3SVM_STROKES_FEATURES };

static s3svm_plane plane_new(size_t width, size_t height)
{
    s3svm_plane p;
    sos_error error;
    check_ok(s3svm_plane_create(width, height, &p, &error), error);
    return p;
}

static s3svm_plane plane_random(sos_random *r, size_t width, size_t height)
{
    s3svm_plane p = plane_new(width, height);
    for (size_t i = 0; i < s3svm_plane_size(&p); i++) p.values[i] = (float)sos_random_uniform(r);
    return p;
}

/* All features, those of a pixel side by side, found in bands of so many rows. */
static float *features_of(const s3svm_plane *p, size_t band)
{
    const size_t n = s3svm_plane_size(p);
    float *out = test_room(NULL, n * FEATURES, sizeof *out), *rows = test_room(NULL, band * p->width * FEATURES, sizeof *rows);
    s3svm_strokes *s;
    sos_error error;
    check_ok(s3svm_strokes_create(p, &s, &error), error);
    for (size_t first = 0; first < p->height; first += band) {
        const size_t count = p->height - first < band ? p->height - first : band, pixels = count * p->width;
        check_ok(s3svm_strokes_rows(s, first, count, rows, &error), error);
        for (size_t i = 0; i < pixels; i++)
            for (size_t f = 0; f < FEATURES; f++) out[(first * p->width + i) * FEATURES + f] = rows[f * pixels + i];
    }
    s3svm_strokes_free(s);
    free(rows);
    return out;
}

static void rows_do_not_depend_on_others(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(10); c++) {
        sos_random r = test_case_begin(c);
        s3svm_plane p = plane_random(&r, 1 + sos_random_below(&r, 40), 1 + sos_random_below(&r, 40));
        float *whole = features_of(&p, p.height), *parts = features_of(&p, 1 + sos_random_below(&r, p.height));
        check(!memcmp(whole, parts, s3svm_plane_size(&p) * FEATURES * sizeof *whole));
        free(whole);
        free(parts);
        s3svm_plane_free(&p);
    }
}

typedef enum turn { QUARTER, HALF, MIRROR, TURNS } turn;

/* Where the pixel (x, y) of p comes to lie. */
static size_t turned(const s3svm_plane *p, turn t, size_t x, size_t y)
{
    if (t == QUARTER) return x * p->height + (p->height - 1 - y);
    if (t == HALF) return (p->height - 1 - y) * p->width + (p->width - 1 - x);
    return y * p->width + (p->width - 1 - x);
}

/* Sums in another order differ in the last places, and so may choices between directions that are as good as equal; but few
 * pixels are like that. */
static void turning_the_picture_changes_nothing(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(6); c++) {
        sos_random r = test_case_begin(c);
        const turn t = (turn)(c % TURNS);
        s3svm_plane p = plane_random(&r, 20 + sos_random_below(&r, 30), 20 + sos_random_below(&r, 30));
        s3svm_plane q = t == QUARTER ? plane_new(p.height, p.width) : plane_new(p.width, p.height);
        for (size_t y = 0; y < p.height; y++)
            for (size_t x = 0; x < p.width; x++) q.values[turned(&p, t, x, y)] = p.values[y * p.width + x];
        float *before = features_of(&p, p.height), *after = features_of(&q, q.height);
        size_t other = 0;
        for (size_t y = 0; y < p.height; y++)
            for (size_t x = 0; x < p.width; x++) {
                const float *a = before + (y * p.width + x) * FEATURES, *b = after + turned(&p, t, x, y) * FEATURES;
                float most = 0;
                for (size_t f = 0; f < FEATURES; f++) most = fmaxf(most, fabsf(a[f] - b[f]));
                other += most > 1e-4F;
            }
        check(other * 200 <= s3svm_plane_size(&p));
        free(before);
        free(after);
        s3svm_plane_free(&p);
        s3svm_plane_free(&q);
    }
}

/* Features 1 + 6 + ...: the darkest and the lightest line of each of the 4 reaches; the first probes are the lines of each
 * reach in the direction found, then across it. */
static void a_stroke_is_dark_along_and_light_across(void **state)
{
    (void)state;
    s3svm_plane p = plane_new(41, 41);
    for (size_t i = 0; i < 41; i++) p.values[i * 41 + i] = 1; /* a diagonal */
    float *all = features_of(&p, 41);
    const float *middle = all + (20 * 41 + 20) * FEATURES, *extremes = middle + 7, *probes = extremes + 8;
    for (size_t reach = 0; reach < 4; reach++) {
        check(extremes[2 * reach] > 0.99F && extremes[2 * reach + 1] < extremes[2 * reach]);
        check(probes[reach] > 0.99F);
        check(probes[4 + reach] < 0.51F);
    }
    free(all);
    s3svm_plane_free(&p);
}

static void even_pictures_have_even_features(void **state)
{
    (void)state;
    s3svm_plane p = plane_new(7, 3); /* smaller than every line */
    for (size_t i = 0; i < 21; i++) p.values[i] = 0.25F;
    float *all = features_of(&p, 2);
    for (size_t i = 0; i < 21 * FEATURES; i++) check(fabsf(all[i] - 0.25F) < 1e-5F);
    free(all);
    s3svm_plane_free(&p);
}

static void rows_beyond_the_picture_are_refused(void **state)
{
    (void)state;
    s3svm_plane p = plane_new(3, 3);
    s3svm_strokes *s;
    sos_error error;
    float out[1];
    check_ok(s3svm_strokes_create(&p, &s, &error), error);
    check_error(s3svm_strokes_rows(s, 2, 2, out, &error), SOS_ERR_ARGUMENT, error, "2 rows from row 2");
    check_error(s3svm_strokes_rows(s, 3, 1, out, &error), SOS_ERR_ARGUMENT, error, "row 3");
    check_error(s3svm_strokes_rows(s, 0, 0, out, &error), SOS_ERR_ARGUMENT, error, "0 rows");
    s3svm_strokes_free(s);
    s3svm_plane_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_do_not_depend_on_others),
        cmocka_unit_test(turning_the_picture_changes_nothing),
        cmocka_unit_test(a_stroke_is_dark_along_and_light_across),
        cmocka_unit_test(even_pictures_have_even_features),
        cmocka_unit_test(rows_beyond_the_picture_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
