/* test_segmenter.c - a photograph that is marked again and again: labels depend on the list of marks alone, marks hold, steps
 * that are taken back were never made; and models that learn from simulated dialogues. */
#include "dialogue_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/segmenter.h>
#include <s3svm/simulate.h>

#include "segment/assume.h"
#include "segment/maps.h"
#include "segment/model.h"

enum { COUNT = 6, WIDTH = ELLIPSE_WIDTH, HEIGHT = ELLIPSE_HEIGHT, PIXELS = WIDTH * HEIGHT };

static struct {
    sos_marked pictures[COUNT];
    sos_model *model;
    sos_segment_model *prepared;
} shared;

static int shared_create(void **state)
{
    (void)state;
    sos_error error;
    sos_random r = test_case_begin(0);
    for (size_t i = 0; i < COUNT; i++) shared.pictures[i] = ellipse_random(&r, i % 2);
    shared.model = dialogue_model_of(COUNT, shared.pictures, 2);
    check_ok(sos_segment_model_create(shared.model, &shared.prepared, &error), error);
    return 0;
}

static int shared_free(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT; i++) sos_marked_free(&shared.pictures[i]);
    sos_segment_model_free(shared.prepared);
    sos_model_free(shared.model);
    return 0;
}

static sos_segmenter *segmenter_new(const sos_segment_model *m, const sos_image *photograph)
{
    sos_segmenter *s;
    sos_error error;
    check_ok(sos_segmenter_create(m, photograph, NULL, &s, &error), error);
    return s;
}

static void click(sos_segmenter *s, uint8_t label, float x, float y)
{
    const sos_point at = { x, y };
    sos_error error;
    check_ok(sos_segmenter_mark(s, 1, &(sos_mark){ .label = label, .radius = 2, .count = 1, .points = &at }, &error), error);
}

static double error_of(const sos_marked *p, const uint8_t labels[])
{
    size_t wrong = 0, all = 0;
    for (size_t i = 0; i < PIXELS; i++) {
        all += p->care[i];
        wrong += p->care[i] && labels[i] != p->truth[i];
    }
    return (double)wrong / (double)all;
}

static void random_click(sos_segmenter *s, sos_random *r)
{
    click(s, sos_random_below(r, 2) ? SOS_MARK_OBJECT : SOS_MARK_BACKGROUND, (float)sos_random_below(r, WIDTH),
          (float)sos_random_below(r, HEIGHT));
}

/* With a model of dialogues, and GrabCut. */
static const sos_segment_model *solver_of(size_t k) { return k ? NULL : shared.prepared; }

static void test_marks_hold(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(6); c++) {
        sos_random r = test_case_begin(c);
        sos_segmenter *s = segmenter_new(solver_of(c % 2), &shared.pictures[c % COUNT].photograph);
        for (size_t i = 0; i < PIXELS; i++) check(!sos_segmenter_labels(s)[i]);
        for (size_t step = 0; step < 5; step++) {
            random_click(s, &r);
            const sos_image *marks = sos_segmenter_marks(s);
            for (size_t i = 0; i < PIXELS; i++)
                if (sos_mark_is_sure(marks->pixels[i]))
                    check(sos_segmenter_labels(s)[i] == (marks->pixels[i] == SOS_MARK_OBJECT));
        }
        sos_segmenter_free(s);
    }
}

/* Steps that are taken back were never made, whatever came after them; and a list of marks gives the same labels when it is
 * replayed. */
static void test_take_back(void **state)
{
    (void)state;
    enum { STEPS = 4 };
    for (uint64_t c = 0; c < test_cases(6); c++) {
        sos_random r = test_case_begin(c);
        sos_error error;
        uint8_t after[STEPS + 1][PIXELS] = { { 0 } }, again[PIXELS];
        const sos_image *photograph = &shared.pictures[c % COUNT].photograph;
        sos_segmenter *s = segmenter_new(solver_of(c % 2), photograph);
        for (size_t step = 1; step <= STEPS; step++) {
            random_click(s, &r);
            memcpy(after[step], sos_segmenter_labels(s), PIXELS);
        }
        check_ok(
            sos_cutout_dialogue(solver_of(c % 2), photograph, sos_segmenter_dialogue(s), SIZE_MAX, NULL, again, NULL, &error),
            error);
        check(!memcmp(again, after[STEPS], PIXELS));
        const size_t kept = (size_t)sos_random_below(&r, STEPS);
        sos_segmenter_cut(s, kept);
        check(sos_segmenter_steps(s) == kept && !memcmp(sos_segmenter_labels(s), after[kept], PIXELS));
        random_click(s, &r); /* another turn */
        sos_segmenter_cut(s, kept);
        sos_dialogue *rest;
        check_ok(sos_dialogue_copy(sos_segmenter_dialogue(s), &rest, &error), error);
        sos_segmenter_cut(s, 0);
        check_ok(sos_segmenter_replay(s, rest, SIZE_MAX, &error), error);
        check(!memcmp(sos_segmenter_labels(s), after[kept], PIXELS));
        sos_dialogue_free(rest);
        sos_segmenter_free(s);
    }
}

/* Odds agree with marks, energy and bound with each other; steps that are taken back leave the odds that were there. */
static void test_odds(void **state)
{
    (void)state;
    enum { STEPS = 3 };
    for (uint64_t c = 0; c < test_cases(4); c++) {
        sos_random r = test_case_begin(c);
        sos_error error;
        static float after[STEPS + 1][PIXELS], again[PIXELS];
        sos_segmenter *s = segmenter_new(shared.prepared, &shared.pictures[c % COUNT].photograph);
        check_ok(sos_segmenter_odds(s, after[0], &error), error);
        for (size_t i = 0; i < PIXELS; i++) check(after[0][i] == 0);
        for (size_t step = 1; step <= STEPS; step++) {
            random_click(s, &r);
            check_ok(sos_segmenter_odds(s, after[step], &error), error);
            const sos_image *marks = sos_segmenter_marks(s);
            for (size_t i = 0; i < PIXELS; i++)
                if (sos_mark_is_sure(marks->pixels[i])) check((after[step][i] > 0) == (marks->pixels[i] == SOS_MARK_OBJECT));
            const sos_cutout_result result = sos_segmenter_result(s);
            check(result.bound <= result.energy && result.energy - result.bound <= 1e-6 * fabs(result.energy) + 1e-9);
            check(result.energy != 0);
        }
        uint8_t labels[PIXELS];
        const size_t kept = 1 + (size_t)sos_random_below(&r, STEPS - 1);
        sos_segmenter_cut(s, kept);
        memcpy(labels, sos_segmenter_labels(s), PIXELS);
        for (int twice = 0; twice < 2; twice++) {
            check_ok(sos_segmenter_odds(s, again, &error), error);
            check(!memcmp(again, after[kept], sizeof again));
            check(sos_segmenter_steps(s) == kept && !memcmp(labels, sos_segmenter_labels(s), PIXELS));
        }
        sos_segmenter_free(s);
    }
    sos_error error;
    float *odds = test_room(NULL, PIXELS, sizeof *odds);
    sos_segmenter *s = segmenter_new(NULL, &shared.pictures[0].photograph);
    check_error(sos_segmenter_odds(s, odds, &error), SOS_ERR_ARGUMENT, error, "GrabCut", "no model");
    sos_segmenter_free(s);
    free(odds);
}

/* A step that fails leaves everything as it was. */
static void test_failed_step(void **state)
{
    (void)state;
    sos_error error;
    sos_segmenter *s = segmenter_new(shared.prepared, &shared.pictures[0].photograph);
    click(s, SOS_MARK_OBJECT, 20, 28);
    uint8_t before[PIXELS];
    memcpy(before, sos_segmenter_labels(s), PIXELS);
    const sos_point nowhere = { NAN, 0 };
    check_is(
        sos_segmenter_mark(s, 1, &(sos_mark){ .label = SOS_MARK_OBJECT, .radius = 2, .count = 1, .points = &nowhere }, &error),
        SOS_ERR_ARGUMENT);
    check(sos_segmenter_steps(s) == 1 && !memcmp(before, sos_segmenter_labels(s), PIXELS));
    sos_dialogue *other;
    check_ok(sos_dialogue_create(WIDTH + 1, HEIGHT, &other, &error), error);
    check_error(sos_segmenter_replay(s, other, SIZE_MAX, &error), SOS_ERR_ARGUMENT, error, "73 by 56", "72 by 56");
    sos_dialogue_free(other);
    sos_segmenter_free(s);
}

static bool never(void *user, const char *phase, double done)
{
    (void)phase;
    (void)done;
    return --*(int *)user >= 0;
}

static void test_stopped(void **state)
{
    (void)state;
    sos_error error;
    sos_cutout_settings settings = sos_cutout_defaults();
    int left = 1;
    sos_segmenter *s;
    settings.work.progress = never;
    settings.work.user = &left;
    check_ok(sos_segmenter_create(shared.prepared, &shared.pictures[0].photograph, &settings, &s, &error), error);
    const sos_point at = { 20, 28 };
    check_is(sos_segmenter_mark(s, 1, &(sos_mark){ .label = SOS_MARK_OBJECT, .radius = 2, .count = 1, .points = &at }, &error),
             SOS_CANCELLED);
    check(!sos_segmenter_steps(s) && !sos_dialogue_steps(sos_segmenter_dialogue(s)));
    sos_segmenter_free(s);
}

/* What is learned: few clicks bring the object, more of them do not hurt. */
static void test_learned(void **state)
{
    (void)state;
    double first = 0, last = 0;
    enum { NEW = 8, STEPS = 6 };
    for (uint64_t c = 0; c < NEW; c++) {
        sos_random r = test_case_begin(100 + c);
        sos_error error;
        sos_marked p = ellipse_random(&r, true);
        sos_segmenter *s = segmenter_new(shared.prepared, &p.photograph);
        sos_simulation person = sos_simulation_defaults();
        sos_dialogue *d;
        bool right = false;
        person.radius = 2;
        check_ok(sos_dialogue_create(WIDTH, HEIGHT, &d, &error), error);
        check_ok(sos_simulate_first(&person, p.truth, p.care, d, &error), error);
        for (size_t step = 0; step < STEPS && !right; step++) {
            const sos_mark mark = sos_dialogue_mark(d, step, 0);
            check_ok(sos_segmenter_mark(s, 1, &mark, &error), error);
            if (!step) first += error_of(&p, sos_segmenter_labels(s)) / NEW;
            check_ok(sos_simulate_correct(&person, p.truth, p.care, sos_segmenter_labels(s), d, &right, &error), error);
        }
        last += error_of(&p, sos_segmenter_labels(s)) / NEW;
        sos_dialogue_free(d);
        sos_segmenter_free(s);
        sos_marked_free(&p);
    }
    if (!(first < 0.2 && last < 0.02)) test_fail(__FILE__, __LINE__, "%g wrong after one click, %g after 6", first, last);
}

/* What would be wrong if all of a box were object: it is a tenth larger on all sides than an ellipse of radii 0.17 and 0.3. */
#define BOX_WRONG (1.21 * 4 * 0.17 * 0.3 - 3.14159 * 0.17 * 0.3)

/* A box alone is enough, and so is a mark on the background alone. */
static void test_missing_kinds(void **state)
{
    (void)state;
    double wrong = 0;
    enum { NEW = 6 };
    for (uint64_t c = 0; c < NEW; c++) {
        sos_random r = test_case_begin(200 + c);
        sos_error error;
        sos_marked p = ellipse_random(&r, false);
        sos_segmenter *s = segmenter_new(shared.prepared, &p.photograph);
        sos_simulation person = sos_simulation_defaults();
        sos_dialogue *d;
        person.kind = SOS_SIMULATED_BOX;
        check_ok(sos_dialogue_create(WIDTH, HEIGHT, &d, &error), error);
        check_ok(sos_simulate_first(&person, p.truth, p.care, d, &error), error);
        check_ok(sos_segmenter_replay(s, d, SIZE_MAX, &error), error);
        check(sos_segmenter_result(s).object_assumed);
        wrong += error_of(&p, sos_segmenter_labels(s)) / NEW;
        sos_segmenter_cut(s, 0);
        click(s, SOS_MARK_BACKGROUND, 1, 1);
        sos_dialogue_free(d);
        sos_segmenter_free(s);
        sos_marked_free(&p);
    }
    if (!(wrong < BOX_WRONG)) test_fail(__FILE__, __LINE__, "%g wrong in boxes", wrong);
}

/* The same model, to the last bit, on any number of threads; and its file gives the same labels. */
static void test_same_bits(void **state)
{
    (void)state;
    sos_error error;
    sos_model *one = dialogue_model_of(COUNT, shared.pictures, 1);
    char *texts[2];
    size_t lengths[2];
    check_ok(sos_model_write_memory(shared.model, &texts[0], &lengths[0], &error), error);
    check_ok(sos_model_write_memory(one, &texts[1], &lengths[1], &error), error);
    check(lengths[0] == lengths[1] && !memcmp(texts[0], texts[1], lengths[0]));
    sos_model *read;
    sos_segment_model *again;
    check_ok(sos_model_parse(texts[0], lengths[0], "text", &read, &error), error);
    check_ok(sos_segment_model_create(read, &again, &error), error);
    sos_segmenter *a = segmenter_new(shared.prepared, &shared.pictures[1].photograph),
                  *b = segmenter_new(again, &shared.pictures[1].photograph);
    for (size_t step = 0; step < 3; step++) {
        sos_random r = test_case_begin(step), same = r;
        random_click(a, &r);
        random_click(b, &same);
        check(!memcmp(sos_segmenter_labels(a), sos_segmenter_labels(b), PIXELS));
    }
    sos_segmenter_free(a);
    sos_segmenter_free(b);
    sos_segment_model_free(again);
    sos_model_free(read);
    sos_model_free(one);
    free(texts[0]);
    free(texts[1]);
}

/* The maps of a dialogue, by their definition. */
static void test_maps(void **state)
{
    (void)state;
    const sos_marked *p = &shared.pictures[0];
    sos_error error;
    sos_image given, last;
    uint8_t before[PIXELS];
    check_ok(sos_image_create(WIDTH, HEIGHT, 1, &given, &error), error);
    check_ok(sos_image_create(WIDTH, HEIGHT, 1, &last, &error), error);
    given.pixels[10 * WIDTH + 30] = SOS_MARK_OBJECT;
    given.pixels[20 * WIDTH + 40] = last.pixels[20 * WIDTH + 40] = SOS_MARK_BACKGROUND;
    for (size_t i = 0; i < PIXELS; i++) before[i] = i % WIDTH < 25;
    const sos_segment_moment moment = { &last, before };
    const sos_segment_input in = { .photograph = &p->photograph, .marks = &given, .threads = 1, .moment = &moment };
    sos_segment_sight sight = { 0 };
    sos_segment_view v = { 0 };
    check_ok(sos_segment_sight_create(&p->photograph, 1, &sight, &error), error);
    check_ok(sos_segment_view_find(&in, &sight, true, &v, &error), error);
    check(v.count == SOS_SEGMENT_DIALOGUE_MAPS && v.n == PIXELS);
    const double side = sqrt((double)PIXELS);
    for (size_t i = 0; i < PIXELS; i++) {
        const double x = (double)(i % WIDTH), y = (double)(i / WIDTH);
        const double far = hypot(x - 40, y - 20) / side, depth = (x < 25 ? 25 - x : 24 - x) / side / 0.2;
        const float *map = v.maps + i;
        check(fabs((double)map[SOS_MAP_LAST_BACKGROUND * v.n] - log(far + 0.01)) < 1e-5);
        check(fabs((double)map[SOS_MAP_GIVEN_BACKGROUND * v.n] - log(far + 0.01)) < 1e-5);
        check(fabs((double)map[SOS_MAP_LAST_OBJECT * v.n] - log(1.51)) < 1e-5);
        check(map[SOS_MAP_BEFORE * v.n] == (before[i] ? 1.0F : -1.0F));
        check(fabs((double)map[SOS_MAP_BEFORE_DEPTH * v.n] - fmax(-1, fmin(1, depth))) < 1e-5);
        check(fabs((double)map[SOS_MAP_SIZE_OBJECT * v.n] - log(1.0 / PIXELS + 1e-4)) < 1e-5);
    }
    sos_segment_view_free(&v);
    sos_segment_sight_free(&sight);
    sos_image_free(&given);
    sos_image_free(&last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks_hold),    cmocka_unit_test(test_take_back), cmocka_unit_test(test_odds),
        cmocka_unit_test(test_failed_step),   cmocka_unit_test(test_stopped),   cmocka_unit_test(test_learned),
        cmocka_unit_test(test_missing_kinds), cmocka_unit_test(test_same_bits), cmocka_unit_test(test_maps),
    };
    return cmocka_run_group_tests(tests, shared_create, shared_free);
}
