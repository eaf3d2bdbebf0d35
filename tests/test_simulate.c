/* test_simulate.c - simulated marks lie on the true label; corrections are where a search finds the deepest place of the
 * largest wrong region; seeds decide everything. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/simulate.h>

#include "support.h"

enum { SIDE = 64, N_MAX = SIDE * SIDE };

/* A random mask of some ellipses, with a band around them where nobody is sure, and labels that err. */
typedef struct scene {
    size_t width, height;
    uint8_t truth[N_MAX], care[N_MAX], labels[N_MAX];
} scene;

static void ellipse_add(sos_random *r, scene *s, uint8_t labels[], uint8_t value, double most)
{
    const double x = (double)s->width * sos_random_uniform(r), y = (double)s->height * sos_random_uniform(r);
    const double a = 1 + most * sos_random_uniform(r), b = 1 + most * sos_random_uniform(r);
    for (size_t i = 0; i < s->width * s->height; i++) {
        const double dx = ((double)(i % s->width) - x) / a, dy = ((double)(i / s->width) - y) / b;
        if (dx * dx + dy * dy <= 1) labels[i] = value;
    }
}

static bool touches_other(const scene *s, size_t i)
{
    const size_t x = i % s->width, y = i / s->width;
    return (x && s->truth[i - 1] != s->truth[i]) || (x + 1 < s->width && s->truth[i + 1] != s->truth[i]) ||
           (y && s->truth[i - s->width] != s->truth[i]) || (y + 1 < s->height && s->truth[i + s->width] != s->truth[i]);
}

static void scene_random(sos_random *r, scene *s)
{
    const bool band = sos_random_below(r, 2);
    size_t object = 0;
    s->width = 8 + (size_t)sos_random_below(r, SIDE - 7);
    s->height = 8 + (size_t)sos_random_below(r, SIDE - 7);
    while (!object) {
        memset(s->truth, 0, sizeof s->truth);
        for (size_t k = 1 + sos_random_below(r, 3); k; k--) ellipse_add(r, s, s->truth, 1, 20);
        ellipse_add(r, s, s->truth, 0, 4);
        object = 0;
        for (size_t i = 0; i < s->width * s->height; i++) {
            s->care[i] = !(band && touches_other(s, i));
            object += s->truth[i] && s->care[i];
        }
    }
    memcpy(s->labels, s->truth, sizeof s->labels);
    for (size_t k = sos_random_below(r, 6); k; k--) ellipse_add(r, s, s->labels, (uint8_t)sos_random_below(r, 2), 9);
}

/* ---------------------------------------------------------------- oracles */

/* The size of the region of wrong pixels of one true label around pixel i, by spreading; member receives its pixels. */
static size_t region_spread(const scene *s, size_t i, uint8_t member[])
{
    size_t size = 1;
    bool changed = true;
    memset(member, 0, N_MAX);
    member[i] = 1;
    while (changed) {
        changed = false;
        for (size_t j = 0; j < s->width * s->height; j++) {
            if (member[j] || !s->care[j] || s->labels[j] == s->truth[j] || s->truth[j] != s->truth[i]) continue;
            const size_t x = j % s->width, y = j / s->width;
            for (size_t v = y ? y - 1 : 0; v <= y + 1 && v < s->height && !member[j]; v++)
                for (size_t u = x ? x - 1 : 0; u <= x + 1 && u < s->width && !member[j]; u++)
                    if (member[v * s->width + u]) {
                        member[j] = 1;
                        size++;
                        changed = true;
                    }
        }
    }
    return size;
}

/* The square of the distance of a pixel from the nearest that is no member, beyond the picture too. */
static long depth_square(const scene *s, const uint8_t member[], size_t i)
{
    const long x = (long)(i % s->width), y = (long)(i / s->width), width = (long)s->width, height = (long)s->height;
    long least = 1L << 30;
    for (long v = -1; v <= height; v++)
        for (long u = -1; u <= width; u++) {
            const bool inside = u >= 0 && v >= 0 && u < width && v < height;
            if (inside && member[v * width + u]) continue;
            const long square = (u - x) * (u - x) + (v - y) * (v - y);
            least = square < least ? square : least;
        }
    return least;
}

/* Where papers click: *size 0 if nothing is wrong. */
static size_t place_search(const scene *s, size_t *size)
{
    static uint8_t member[N_MAX], best[N_MAX], seen[N_MAX];
    size_t place = 0;
    long deepest = -1;
    *size = 0;
    memset(seen, 0, sizeof seen);
    for (size_t i = 0; i < s->width * s->height; i++) {
        if (seen[i] || !s->care[i] || s->labels[i] == s->truth[i]) continue;
        const size_t found = region_spread(s, i, member);
        for (size_t j = 0; j < N_MAX; j++) seen[j] |= member[j];
        if (found <= *size) continue;
        *size = found;
        memcpy(best, member, sizeof best);
    }
    for (size_t i = 0; i < s->width * s->height && *size; i++) {
        if (!best[i]) continue;
        const long depth = depth_square(s, best, i);
        if (depth <= deepest) continue;
        deepest = depth;
        place = i;
    }
    return place;
}

/* ---------------------------------------------------------------- tests */

static s3svm_dialogue *dialogue_of(const scene *s)
{
    s3svm_dialogue *d;
    sos_error error;
    check_ok(s3svm_dialogue_create(s->width, s->height, &d, &error), error);
    return d;
}

/* Every pixel that is marked for certain has that label, and there are such; strokes lie on sure pixels. */
static void check_true(const scene *s, const s3svm_dialogue *d, bool strokes)
{
    size_t counts[S3SVM_MARKS];
    s3svm_image marks;
    sos_error error;
    check_ok(s3svm_image_create(s->width, s->height, 1, &marks, &error), error);
    check_ok(s3svm_dialogue_draw(d, s3svm_dialogue_steps(d), &marks, &error), error);
    s3svm_marks_count(&marks, counts);
    check(counts[S3SVM_MARK_OBJECT] + counts[S3SVM_MARK_BACKGROUND] + counts[S3SVM_MARK_PERHAPS_OBJECT] > 0);
    for (size_t i = 0; i < s3svm_image_size(&marks); i++) {
        if (!s3svm_mark_is_sure(marks.pixels[i])) continue;
        check(s->truth[i] == (marks.pixels[i] == S3SVM_MARK_OBJECT));
        check(s->care[i] || !strokes);
    }
    s3svm_image_free(&marks);
}

static void check_same(const s3svm_dialogue *a, const s3svm_dialogue *b)
{
    check(s3svm_dialogue_steps(a) == s3svm_dialogue_steps(b));
    for (size_t s = 0; s < s3svm_dialogue_steps(a); s++) {
        check(s3svm_dialogue_count(a, s) == s3svm_dialogue_count(b, s));
        for (size_t i = 0; i < s3svm_dialogue_count(a, s); i++) {
            const s3svm_mark m = s3svm_dialogue_mark(a, s, i), o = s3svm_dialogue_mark(b, s, i);
            check(m.shape == o.shape && m.label == o.label && m.radius == o.radius && m.count == o.count);
            check(!memcmp(m.points, o.points, m.count * sizeof *m.points));
        }
    }
}

static s3svm_simulation simulation_random(sos_random *r)
{
    s3svm_simulation s = s3svm_simulation_defaults();
    s.kind = (s3svm_simulated)sos_random_below(r, S3SVM_SIMULATED_KINDS);
    s.both = sos_random_below(r, 2);
    s.hasty = sos_random_below(r, 2);
    s.radius = 0.5 + 6 * sos_random_uniform(r);
    s.margin = 0.3 * sos_random_uniform(r);
    s.seed = sos_random_bits(r);
    return s;
}

static void test_marks_lie_on_the_true_label(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(1000); c++) {
        sos_random r = test_case_begin(c);
        scene s;
        scene_random(&r, &s);
        const s3svm_simulation settings = simulation_random(&r);
        const bool around = settings.kind == S3SVM_SIMULATED_BOX || settings.kind == S3SVM_SIMULATED_OUTLINE;
        s3svm_dialogue *d = dialogue_of(&s), *again = dialogue_of(&s);
        sos_error error;
        bool right;
        check_ok(s3svm_simulate_first(&settings, s.truth, s.care, d, &error), error);
        check_ok(s3svm_simulate_first(&settings, s.truth, s.care, again, &error), error);
        check(s3svm_dialogue_steps(d) == 1);
        check_true(&s, d, !around);
        check_ok(s3svm_simulate_correct(&settings, s.truth, s.care, s.labels, d, &right, &error), error);
        check_ok(s3svm_simulate_correct(&settings, s.truth, s.care, s.labels, again, NULL, &error), error);
        check(s3svm_dialogue_steps(d) == 1 + (size_t)!right);
        check_true(&s, d, !around);
        check_same(d, again);
        s3svm_dialogue_free(d);
        s3svm_dialogue_free(again);
    }
}

static void test_labels_of_marks_are_those_asked_for(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(300); c++) {
        sos_random r = test_case_begin(c);
        scene s;
        scene_random(&r, &s);
        const s3svm_simulation settings = simulation_random(&r);
        const bool around = settings.kind == S3SVM_SIMULATED_BOX || settings.kind == S3SVM_SIMULATED_OUTLINE;
        size_t kinds[S3SVM_MARKS] = { 0 }, boxes = 0, background = 0;
        s3svm_dialogue *d = dialogue_of(&s);
        sos_error error;
        check_ok(s3svm_simulate_first(&settings, s.truth, s.care, d, &error), error);
        for (size_t i = 0; i < s3svm_dialogue_count(d, 0); i++) {
            const s3svm_mark m = s3svm_dialogue_mark(d, 0, i);
            kinds[m.label]++;
            boxes += m.shape == S3SVM_SHAPE_BOX || m.shape == S3SVM_SHAPE_OUTLINE;
        }
        for (size_t i = 0; i < s.width * s.height; i++) background += !s.truth[i] && s.care[i];
        check(boxes == around);
        check(kinds[S3SVM_MARK_OBJECT] == (size_t)(!around || settings.both));
        const size_t lines = settings.kind == S3SVM_SIMULATED_SCRIBBLES ? 3 : 1;
        check(kinds[S3SVM_MARK_BACKGROUND] == (!around && settings.both && background ? lines : 0));
        s3svm_dialogue_free(d);
    }
}

static void test_corrections_are_where_papers_place_them(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(150); c++) {
        sos_random r = test_case_begin(c);
        scene s;
        size_t size;
        scene_random(&r, &s);
        const size_t place = place_search(&s, &size);
        s3svm_dialogue *d = dialogue_of(&s);
        sos_error error;
        bool right;
        check_ok(s3svm_simulate_correct(NULL, s.truth, s.care, s.labels, d, &right, &error), error);
        check(right == !size && s3svm_dialogue_steps(d) == (size_t)!right);
        if (!right) {
            const s3svm_mark m = s3svm_dialogue_mark(d, 0, 0);
            check(s3svm_dialogue_count(d, 0) == 1 && m.shape == S3SVM_SHAPE_STROKE && m.count == 1);
            check(m.points[0].x == (float)(place % s.width) && m.points[0].y == (float)(place / s.width));
            check(m.label == (s.truth[place] ? S3SVM_MARK_OBJECT : S3SVM_MARK_BACKGROUND));
            check_true(&s, d, true);
        }
        s3svm_dialogue_free(d);
    }
}

/* The first click on the object is the correction of labels that are background everywhere. */
static void test_the_first_click_is_a_correction_of_nothing(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(100); c++) {
        sos_random r = test_case_begin(c);
        scene s;
        scene_random(&r, &s);
        memset(s.labels, 0, sizeof s.labels);
        s3svm_dialogue *d = dialogue_of(&s), *other = dialogue_of(&s);
        sos_error error;
        check_ok(s3svm_simulate_first(NULL, s.truth, s.care, d, &error), error);
        check_ok(s3svm_simulate_correct(NULL, s.truth, s.care, s.labels, other, NULL, &error), error);
        check_same(d, other);
        s3svm_dialogue_free(d);
        s3svm_dialogue_free(other);
    }
}

/* A hurried stroke begins where a click would be, stays on the object, and is more than a click where there is room. */
static void test_hurried_strokes_begin_where_clicks_are(void **state)
{
    (void)state;
    size_t long_ones = 0;
    for (uint64_t c = 0; c < test_cases(60); c++) {
        sos_random r = test_case_begin(c);
        scene s;
        scene_random(&r, &s);
        s3svm_simulation person = s3svm_simulation_defaults();
        s3svm_dialogue *d = dialogue_of(&s), *clicked = dialogue_of(&s);
        sos_error error;
        check_ok(s3svm_simulate_first(&person, s.truth, s.care, clicked, &error), error);
        person.kind = S3SVM_SIMULATED_HURRIED;
        check_ok(s3svm_simulate_first(&person, s.truth, s.care, d, &error), error);
        const s3svm_mark stroke = s3svm_dialogue_mark(d, 0, 0), click = s3svm_dialogue_mark(clicked, 0, 0);
        check(s3svm_dialogue_count(d, 0) == 1 && stroke.count == 2 && stroke.label == S3SVM_MARK_OBJECT);
        check(!memcmp(&stroke.points[0], &click.points[0], sizeof *click.points));
        long_ones += memcmp(&stroke.points[0], &stroke.points[1], sizeof *click.points) != 0;
        check_true(&s, d, true);
        s3svm_dialogue_free(d);
        s3svm_dialogue_free(clicked);
    }
    check(long_ones > test_cases(60) / 2);
}

/* A whole click is the disk of its radius around the same place. */
static void test_whole_clicks_keep_their_radius(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(100); c++) {
        sos_random r = test_case_begin(c);
        scene s;
        scene_random(&r, &s);
        s3svm_simulation settings = s3svm_simulation_defaults();
        s3svm_dialogue *d[2] = { dialogue_of(&s), dialogue_of(&s) };
        sos_error error;
        for (size_t k = 0; k < 2; k++) {
            settings.whole = k;
            check_ok(s3svm_simulate_first(&settings, s.truth, s.care, d[k], &error), error);
        }
        const s3svm_mark fits = s3svm_dialogue_mark(d[0], 0, 0), whole = s3svm_dialogue_mark(d[1], 0, 0);
        check(whole.radius == 5 && fits.radius <= 5);
        check(fits.points[0].x == whole.points[0].x && fits.points[0].y == whole.points[0].y);
        for (size_t k = 0; k < 2; k++) s3svm_dialogue_free(d[k]);
    }
}

static void test_other_seeds_mark_other_places(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    scene s = { .width = SIDE, .height = SIDE };
    size_t same = 0;
    (void)r;
    memset(s.care, 1, sizeof s.care);
    for (size_t i = 0; i < N_MAX; i++) s.truth[i] = i % SIDE > 15 && i % SIDE < 50 && i / SIDE > 15 && i / SIDE < 50;
    for (uint64_t seed = 0; seed < 50; seed++) {
        s3svm_simulation settings = s3svm_simulation_defaults();
        s3svm_dialogue *d[2] = { dialogue_of(&s), dialogue_of(&s) };
        sos_error error;
        settings.kind = S3SVM_SIMULATED_STROKES;
        for (size_t k = 0; k < 2; k++) {
            settings.seed = 2 * seed + k;
            check_ok(s3svm_simulate_first(&settings, s.truth, s.care, d[k], &error), error);
        }
        const s3svm_mark a = s3svm_dialogue_mark(d[0], 0, 0), b = s3svm_dialogue_mark(d[1], 0, 0);
        same += a.points[0].x == b.points[0].x && a.points[0].y == b.points[0].y;
        for (size_t k = 0; k < 2; k++) s3svm_dialogue_free(d[k]);
    }
    check(same < 10);
}

static void test_what_cannot_be_marked_is_refused(void **state)
{
    (void)state;
    static uint8_t truth[16], odd[16] = { 2 };
    s3svm_simulation settings = s3svm_simulation_defaults();
    const scene s = { .width = 4, .height = 4 };
    s3svm_dialogue *d = dialogue_of(&s);
    sos_error error;
    bool right = false;
    check_error(s3svm_simulate_first(NULL, truth, NULL, d, &error), SOS_ERR_ARGUMENT, error, "no object");
    check_is(s3svm_simulate_first(NULL, odd, NULL, d, &error), SOS_ERR_ARGUMENT);
    check_is(s3svm_simulate_first(NULL, NULL, NULL, d, &error), SOS_ERR_ARGUMENT);
    check_is(s3svm_simulate_correct(NULL, truth, NULL, odd, d, &right, &error), SOS_ERR_ARGUMENT);
    settings.radius = 0;
    check_is(s3svm_simulate_first(&settings, truth, NULL, d, &error), SOS_ERR_ARGUMENT);
    check_ok(s3svm_simulate_correct(NULL, truth, NULL, truth, d, &right, &error), error);
    check(right && s3svm_dialogue_steps(d) == 0);
    s3svm_dialogue_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks_lie_on_the_true_label),
        cmocka_unit_test(test_labels_of_marks_are_those_asked_for),
        cmocka_unit_test(test_corrections_are_where_papers_place_them),
        cmocka_unit_test(test_the_first_click_is_a_correction_of_nothing),
        cmocka_unit_test(test_hurried_strokes_begin_where_clicks_are),
        cmocka_unit_test(test_whole_clicks_keep_their_radius),
        cmocka_unit_test(test_other_seeds_mark_other_places),
        cmocka_unit_test(test_what_cannot_be_marked_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
