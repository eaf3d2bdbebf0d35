/* test_segmenter.c - a photograph that is marked again and again: labels depend on the list of marks alone, marks hold, steps
 * that are taken back were never made; and models that learn from simulated dialogues. */
#include "dialogue_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/segmenter.h>
#include <s3svm/simulate.h>

#include "segment/features/assume.h"
#include "segment/features/maps.h"
#include "segment/model/model.h"
#include "segment/model/tidy.h"

enum { COUNT = 6, WIDTH = ELLIPSE_WIDTH, HEIGHT = ELLIPSE_HEIGHT, PIXELS = WIDTH * HEIGHT };

static struct {
    s3svm_marked pictures[COUNT];
    sos_model *model;
    s3svm_segment_model *prepared;
} shared;

static int shared_create(void **state)
{
    (void)state;
    sos_error error;
    sos_random r = test_case_begin(0);
    for (size_t i = 0; i < COUNT; i++) shared.pictures[i] = ellipse_random(&r, i % 2);
    shared.model = dialogue_model_of(COUNT, shared.pictures, 2);
    check_ok(s3svm_segment_model_create(shared.model, &shared.prepared, &error), error);
    return 0;
}

static int shared_free(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT; i++) s3svm_marked_free(&shared.pictures[i]);
    s3svm_segment_model_free(shared.prepared);
    sos_model_free(shared.model);
    return 0;
}

static s3svm_segmenter *segmenter_new(const s3svm_segment_model *m, const s3svm_image *photograph)
{
    s3svm_segmenter *s;
    sos_error error;
    check_ok(s3svm_segmenter_create(m, photograph, NULL, &s, &error), error);
    return s;
}

static void click(s3svm_segmenter *s, uint8_t label, float x, float y)
{
    const s3svm_point at = { x, y };
    sos_error error;
    check_ok(s3svm_segmenter_mark(s, 1, &(s3svm_mark){ .label = label, .radius = 2, .count = 1, .points = &at }, &error),
             error);
}

static double error_of(const s3svm_marked *p, const uint8_t labels[])
{
    size_t wrong = 0, all = 0;
    for (size_t i = 0; i < PIXELS; i++) {
        all += p->care[i];
        wrong += p->care[i] && labels[i] != p->truth[i];
    }
    return (double)wrong / (double)all;
}

static void random_click(s3svm_segmenter *s, sos_random *r)
{
    click(s, sos_random_below(r, 2) ? S3SVM_MARK_OBJECT : S3SVM_MARK_BACKGROUND, (float)sos_random_below(r, WIDTH),
          (float)sos_random_below(r, HEIGHT));
}

/* With a model of dialogues, and GrabCut. */
static const s3svm_segment_model *solver_of(size_t k) { return k ? NULL : shared.prepared; }

static void test_marks_hold(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(6); c++) {
        sos_random r = test_case_begin(c);
        s3svm_segmenter *s = segmenter_new(solver_of(c % 2), &shared.pictures[c % COUNT].photograph);
        for (size_t i = 0; i < PIXELS; i++) check(!s3svm_segmenter_labels(s)[i]);
        for (size_t step = 0; step < 5; step++) {
            random_click(s, &r);
            const s3svm_image *marks = s3svm_segmenter_marks(s);
            for (size_t i = 0; i < PIXELS; i++)
                if (s3svm_mark_is_sure(marks->pixels[i]))
                    check(s3svm_segmenter_labels(s)[i] == (marks->pixels[i] == S3SVM_MARK_OBJECT));
        }
        s3svm_segmenter_free(s);
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
        const s3svm_image *photograph = &shared.pictures[c % COUNT].photograph;
        s3svm_segmenter *s = segmenter_new(solver_of(c % 2), photograph);
        for (size_t step = 1; step <= STEPS; step++) {
            random_click(s, &r);
            memcpy(after[step], s3svm_segmenter_labels(s), PIXELS);
        }
        check_ok(s3svm_photograph_segment(solver_of(c % 2), photograph, s3svm_segmenter_dialogue(s), NULL, again, NULL, &error),
                 error);
        check(!memcmp(again, after[STEPS], PIXELS));
        const size_t kept = (size_t)sos_random_below(&r, STEPS);
        s3svm_segmenter_cut(s, kept);
        check(s3svm_segmenter_steps(s) == kept && !memcmp(s3svm_segmenter_labels(s), after[kept], PIXELS));
        random_click(s, &r); /* another turn */
        s3svm_segmenter_cut(s, kept);
        s3svm_dialogue *rest = dialogue_copy(s3svm_segmenter_dialogue(s));
        s3svm_segmenter_cut(s, 0);
        check_ok(s3svm_segmenter_replay(s, rest, SIZE_MAX, &error), error);
        check(!memcmp(s3svm_segmenter_labels(s), after[kept], PIXELS));
        random_click(s, &r); /* other marks become those of the list by what differs */
        s3svm_segmenter_cut(s, s3svm_dialogue_common(s3svm_segmenter_dialogue(s), rest));
        check(s3svm_segmenter_steps(s) == kept);
        if (kept) s3svm_segmenter_cut(s, kept - 1);
        for (size_t step = s3svm_segmenter_steps(s); step < kept; step++)
            check_ok(s3svm_segmenter_step(s, rest, step, &error), error);
        check(s3svm_segmenter_steps(s) == kept && !memcmp(s3svm_segmenter_labels(s), after[kept], PIXELS));
        s3svm_dialogue_free(rest);
        s3svm_segmenter_free(s);
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
        s3svm_segmenter *s = segmenter_new(shared.prepared, &shared.pictures[c % COUNT].photograph);
        check_ok(s3svm_segmenter_odds(s, after[0], &error), error);
        for (size_t i = 0; i < PIXELS; i++) check(after[0][i] == 0);
        for (size_t step = 1; step <= STEPS; step++) {
            random_click(s, &r);
            check_ok(s3svm_segmenter_odds(s, after[step], &error), error);
            const s3svm_image *marks = s3svm_segmenter_marks(s);
            for (size_t i = 0; i < PIXELS; i++)
                if (s3svm_mark_is_sure(marks->pixels[i]))
                    check((after[step][i] > 0) == (marks->pixels[i] == S3SVM_MARK_OBJECT));
            const s3svm_segmentation_result result = s3svm_segmenter_result(s);
            check(result.bound <= result.energy && result.energy - result.bound <= 1e-6 * fabs(result.energy) + 1e-9);
            check(result.energy != 0);
        }
        uint8_t labels[PIXELS];
        const size_t kept = 1 + (size_t)sos_random_below(&r, STEPS - 1);
        s3svm_segmenter_cut(s, kept);
        memcpy(labels, s3svm_segmenter_labels(s), PIXELS);
        for (int twice = 0; twice < 2; twice++) {
            check_ok(s3svm_segmenter_odds(s, again, &error), error);
            check(!memcmp(again, after[kept], sizeof again));
            check(s3svm_segmenter_steps(s) == kept && !memcmp(labels, s3svm_segmenter_labels(s), PIXELS));
        }
        s3svm_segmenter_free(s);
    }
    sos_error error;
    float *odds = test_room(NULL, PIXELS, sizeof *odds);
    s3svm_segmenter *s = segmenter_new(NULL, &shared.pictures[0].photograph);
    check_error(s3svm_segmenter_odds(s, odds, &error), SOS_ERR_ARGUMENT, error, "GrabCut", "no model");
    s3svm_segmenter_free(s);
    free(odds);
}

/* A step that fails leaves everything as it was. */
static void test_failed_step(void **state)
{
    (void)state;
    sos_error error;
    s3svm_segmenter *s = segmenter_new(shared.prepared, &shared.pictures[0].photograph);
    click(s, S3SVM_MARK_OBJECT, 20, 28);
    uint8_t before[PIXELS];
    memcpy(before, s3svm_segmenter_labels(s), PIXELS);
    const s3svm_point nowhere = { NAN, 0 };
    check_is(s3svm_segmenter_mark(
                 s, 1, &(s3svm_mark){ .label = S3SVM_MARK_OBJECT, .radius = 2, .count = 1, .points = &nowhere }, &error),
             SOS_ERR_ARGUMENT);
    check(s3svm_segmenter_steps(s) == 1 && !memcmp(before, s3svm_segmenter_labels(s), PIXELS));
    s3svm_dialogue *other;
    check_ok(s3svm_dialogue_create(WIDTH + 1, HEIGHT, &other, &error), error);
    check_error(s3svm_segmenter_replay(s, other, SIZE_MAX, &error), SOS_ERR_ARGUMENT, error, "73 by 56", "72 by 56");
    check_error(s3svm_segmenter_step(s, other, 0, &error), SOS_ERR_ARGUMENT, error, "73 by 56");
    s3svm_dialogue_free(other);
    check_error(s3svm_segmenter_step(s, s3svm_segmenter_dialogue(s), 1, &error), SOS_ERR_ARGUMENT, error,
                "step 1 of a dialogue of 1");
    check(s3svm_segmenter_steps(s) == 1 && !memcmp(before, s3svm_segmenter_labels(s), PIXELS));
    s3svm_segmenter_free(s);
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
    s3svm_segmentation_settings settings = s3svm_segmentation_defaults();
    int left = 1;
    s3svm_segmenter *s;
    settings.work.progress = never;
    settings.work.user = &left;
    check_ok(s3svm_segmenter_create(shared.prepared, &shared.pictures[0].photograph, &settings, &s, &error), error);
    const s3svm_point at = { 20, 28 };
    check_is(
        s3svm_segmenter_mark(s, 1, &(s3svm_mark){ .label = S3SVM_MARK_OBJECT, .radius = 2, .count = 1, .points = &at }, &error),
        SOS_CANCELLED);
    check(!s3svm_segmenter_steps(s) && !s3svm_dialogue_steps(s3svm_segmenter_dialogue(s)));
    s3svm_segmenter_free(s);
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
        s3svm_marked p = ellipse_random(&r, true);
        s3svm_segmenter *s = segmenter_new(shared.prepared, &p.photograph);
        s3svm_simulation person = s3svm_simulation_defaults();
        s3svm_dialogue *d;
        bool right = false;
        person.radius = 2;
        check_ok(s3svm_dialogue_create(WIDTH, HEIGHT, &d, &error), error);
        check_ok(s3svm_simulate_first(&person, p.truth, p.care, d, &error), error);
        for (size_t step = 0; step < STEPS && !right; step++) {
            const s3svm_mark mark = s3svm_dialogue_mark(d, step, 0);
            check_ok(s3svm_segmenter_mark(s, 1, &mark, &error), error);
            if (!step) first += error_of(&p, s3svm_segmenter_labels(s)) / NEW;
            check_ok(s3svm_simulate_correct(&person, p.truth, p.care, s3svm_segmenter_labels(s), d, &right, &error), error);
        }
        last += error_of(&p, s3svm_segmenter_labels(s)) / NEW;
        s3svm_dialogue_free(d);
        s3svm_segmenter_free(s);
        s3svm_marked_free(&p);
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
        s3svm_marked p = ellipse_random(&r, false);
        s3svm_segmenter *s = segmenter_new(shared.prepared, &p.photograph);
        s3svm_simulation person = s3svm_simulation_defaults();
        s3svm_dialogue *d;
        person.kind = S3SVM_SIMULATED_BOX;
        check_ok(s3svm_dialogue_create(WIDTH, HEIGHT, &d, &error), error);
        check_ok(s3svm_simulate_first(&person, p.truth, p.care, d, &error), error);
        check_ok(s3svm_segmenter_replay(s, d, SIZE_MAX, &error), error);
        check(s3svm_segmenter_result(s).object_assumed);
        wrong += error_of(&p, s3svm_segmenter_labels(s)) / NEW;
        s3svm_segmenter_cut(s, 0);
        click(s, S3SVM_MARK_BACKGROUND, 1, 1);
        s3svm_dialogue_free(d);
        s3svm_segmenter_free(s);
        s3svm_marked_free(&p);
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
    s3svm_segment_model *again;
    check_ok(sos_model_parse(texts[0], lengths[0], "text", &read, &error), error);
    check_ok(s3svm_segment_model_create(read, &again, &error), error);
    s3svm_segmenter *a = segmenter_new(shared.prepared, &shared.pictures[1].photograph),
                    *b = segmenter_new(again, &shared.pictures[1].photograph);
    for (size_t step = 0; step < 3; step++) {
        sos_random r = test_case_begin(step), same = r;
        random_click(a, &r);
        random_click(b, &same);
        check(!memcmp(s3svm_segmenter_labels(a), s3svm_segmenter_labels(b), PIXELS));
    }
    s3svm_segmenter_free(a);
    s3svm_segmenter_free(b);
    s3svm_segment_model_free(again);
    sos_model_free(read);
    sos_model_free(one);
    free(texts[0]);
    free(texts[1]);
}

/* The maps of a dialogue, by their definition. */
static void test_maps(void **state)
{
    (void)state;
    const s3svm_marked *p = &shared.pictures[0];
    sos_error error;
    s3svm_image given, last;
    uint8_t before[PIXELS];
    check_ok(s3svm_image_create(WIDTH, HEIGHT, 1, &given, &error), error);
    check_ok(s3svm_image_create(WIDTH, HEIGHT, 1, &last, &error), error);
    given.pixels[10 * WIDTH + 30] = S3SVM_MARK_OBJECT;
    given.pixels[20 * WIDTH + 40] = last.pixels[20 * WIDTH + 40] = S3SVM_MARK_BACKGROUND;
    for (size_t i = 0; i < PIXELS; i++) before[i] = i % WIDTH < 25;
    const s3svm_segment_moment moment = { &last, before };
    const s3svm_segment_input in = { .photograph = &p->photograph, .marks = &given, .threads = 1, .moment = &moment };
    s3svm_photo photo = { 0 };
    s3svm_segment_view v = { 0 };
    check_ok(s3svm_photo_create(&p->photograph, 1, &photo, &error), error);
    check_ok(s3svm_segment_view_find(&in, &photo, S3SVM_SIGHT_DIALOGUE, &v, &error), error);
    check(v.count == S3SVM_SEGMENT_DIALOGUE_MAPS && v.n == PIXELS);
    const double side = sqrt((double)PIXELS);
    for (size_t i = 0; i < PIXELS; i++) {
        const double x = (double)(i % WIDTH), y = (double)(i / WIDTH);
        const double far = hypot(x - 40, y - 20) / side, depth = (x < 25 ? 25 - x : 24 - x) / side / 0.2;
        const float *map = v.maps + i;
        check(fabs((double)map[S3SVM_MAP_LAST_BACKGROUND * v.n] - log(far + 0.01)) < 1e-5);
        check(fabs((double)map[S3SVM_MAP_GIVEN_BACKGROUND * v.n] - log(far + 0.01)) < 1e-5);
        check(fabs((double)map[S3SVM_MAP_LAST_OBJECT * v.n] - log(1.51)) < 1e-5);
        check(map[S3SVM_MAP_BEFORE * v.n] == (before[i] ? 1.0F : -1.0F));
        check(fabs((double)map[S3SVM_MAP_BEFORE_DEPTH * v.n] - fmax(-1, fmin(1, depth))) < 1e-5);
        check(fabs((double)map[S3SVM_MAP_SIZE_OBJECT * v.n] - log(1.0 / PIXELS + 1e-4)) < 1e-5);
    }
    s3svm_segment_view_free(&v);
    s3svm_photo_free(&photo);
    s3svm_image_free(&given);
    s3svm_image_free(&last);
}

/* What tidying makes of labels as they were found. */
static size_t check_tidied(const s3svm_segmenter *found, const s3svm_segmenter *tidied, const s3svm_tidying *tidying)
{
    uint8_t labels[PIXELS];
    s3svm_tidier t = { 0 };
    sos_error error;
    size_t object = 0;
    memcpy(labels, s3svm_segmenter_labels(found), PIXELS);
    check_ok(s3svm_tidier_reserve(&t, WIDTH, HEIGHT, labels, &error), error);
    const size_t changed = s3svm_tidier_tidy(&t, tidying, s3svm_segmenter_marks(tidied), labels);
    s3svm_tidier_free(&t);
    check(!memcmp(labels, s3svm_segmenter_labels(tidied), PIXELS));
    for (size_t i = 0; i < PIXELS; i++) object += labels[i];
    const s3svm_segmentation_result result = s3svm_segmenter_result(tidied);
    if (s3svm_segmenter_steps(tidied)) check(result.object == object && result.tidied == changed);
    return changed;
}

/* Labels of all steps are tidied, whatever was taken back, and steps go on from labels as they were found. */
static void test_tidied(void **state)
{
    (void)state;
    enum { STEPS = 4 };
    size_t changed = 0;
    for (uint64_t c = 0; c < test_cases(8); c++) {
        sos_random r = test_case_begin(c);
        const s3svm_image *photograph = &shared.pictures[c % COUNT].photograph;
        const s3svm_tidying first = { .specks = 60 }, other = { .connected = true, .specks = 5 };
        s3svm_segmentation_settings settings = s3svm_segmentation_defaults();
        s3svm_segmenter *found, *tidied;
        sos_error error;
        settings.tidying.specks = 1;
        check_ok(s3svm_segmenter_create(solver_of(c % 2), photograph, &settings, &found, &error), error);
        settings.tidying = first;
        check_ok(s3svm_segmenter_create(solver_of(c % 2), photograph, &settings, &tidied, &error), error);
        for (size_t step = 0; step < STEPS; step++) {
            sos_random same = r;
            random_click(found, &r);
            random_click(tidied, &same);
            check(s3svm_segmenter_result(found).tidied == 0);
            changed += check_tidied(found, tidied, &first);
        }
        s3svm_segmenter_tidy(tidied, &other);
        changed += check_tidied(found, tidied, &other);
        for (size_t kept = STEPS; kept-- > 0;) {
            s3svm_segmenter_cut(found, kept);
            s3svm_segmenter_cut(tidied, kept);
            check_tidied(found, tidied, &other);
        }
        s3svm_segmenter_free(found);
        s3svm_segmenter_free(tidied);
    }
    check(changed > 0);
}

/* All marks of a list at once are what they are one after the other, also for a model that has not learned from dialogues. */
static void test_at_once(void **state)
{
    (void)state;
    s3svm_segment_model *paper;
    sos_model *file;
    sos_error error;
    s3svm_segment_settings settings = s3svm_segment_defaults();
    settings.features = S3SVM_SEGMENT_PAPER;
    settings.method = S3SVM_SEGMENT_AMN;
    check_ok(s3svm_segment_create(&settings, 2, shared.pictures, &file, &error), error);
    check_ok(s3svm_segment_model_create(file, &paper, &error), error);
    const s3svm_segment_model *solvers[] = { shared.prepared, NULL, paper };
    for (uint64_t c = 0; c < test_cases(6); c++) {
        sos_random r = test_case_begin(c);
        const s3svm_image *photograph = &shared.pictures[c % COUNT].photograph;
        s3svm_segmenter *s = segmenter_new(solvers[c % 3], photograph);
        s3svm_segmentation_result result;
        uint8_t labels[PIXELS];
        size_t counts[S3SVM_MARKS];
        for (size_t step = 0; step < 3; step++) random_click(s, &r);
        check_ok(
            s3svm_photograph_segment(solvers[c % 3], photograph, s3svm_segmenter_dialogue(s), NULL, labels, &result, &error),
            error);
        check(!memcmp(labels, s3svm_segmenter_labels(s), PIXELS));
        s3svm_marks_count(s3svm_segmenter_marks(s), counts);
        check(!memcmp(result.marks, counts, sizeof counts) && result.object == s3svm_segmenter_result(s).object);
        s3svm_segmenter_cut(s, 0);
        check_ok(s3svm_photograph_segment(solvers[c % 3], photograph, s3svm_segmenter_dialogue(s), NULL, labels, NULL, &error),
                 error);
        for (size_t i = 0; i < PIXELS; i++) check(!labels[i]);
        s3svm_segmenter_free(s);
    }
    s3svm_segment_model_free(paper);
    sos_model_free(file);
}

static void test_methods(void **state)
{
    (void)state;
    char names[100] = "";
    sos_error error;
    for (size_t i = 0; s3svm_segmenter_method_at(i); i++) {
        const s3svm_segmenter_method *m = s3svm_segmenter_method_at(i);
        s3svm_segment_model *model;
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? "|" : "", m->name);
        check(s3svm_segmenter_method_find(m->name) == m && *m->title && *m->summary);
        if (m->model && !sos_has("models")) continue;
        check_ok(s3svm_segmenter_model(m->name, &model, &error), error);
        check(!model == !m->model);
        if (model) check(!strcmp(m->name, s3svm_segment_method_name(s3svm_segment_model_method(model))));
        s3svm_segment_model_free(model);
    }
    check(!strcmp(names, S3SVM_SEGMENTER_METHODS));
    s3svm_segment_model *model;
    check(!s3svm_segmenter_method_find("segment"));
    check_error(s3svm_segmenter_model("segment", &model, &error), SOS_ERR_ARGUMENT, error, "'segment'", "s3svm|amn|grabcut");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks_hold),    cmocka_unit_test(test_take_back), cmocka_unit_test(test_odds),
        cmocka_unit_test(test_failed_step),   cmocka_unit_test(test_stopped),   cmocka_unit_test(test_learned),
        cmocka_unit_test(test_missing_kinds), cmocka_unit_test(test_same_bits), cmocka_unit_test(test_maps),
        cmocka_unit_test(test_tidied),        cmocka_unit_test(test_at_once),   cmocka_unit_test(test_methods),
    };
    return cmocka_run_group_tests(tests, shared_create, shared_free);
}
