/* test_evidence.c - models that have learned what to make of a user's network: it is believed while marks agree with it, marks
 * refute it, and nothing is lost without it. */
#include "dialogue_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/segmenter.h>
#include <s3svm/simulate.h>

#include "segment/person/person.h"

enum { COUNT = 8, WIDTH = ELLIPSE_WIDTH, HEIGHT = ELLIPSE_HEIGHT, PIXELS = WIDTH * HEIGHT };

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
    for (size_t i = 0; i < COUNT; i++) {
        shared.pictures[i] = ellipse_random(&r, true);
        shared.pictures[i].maps = ellipse_odds(&shared.pictures[i], &r);
    }
    shared.model = evidence_model_of(COUNT, shared.pictures, 2);
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

static s3svm_segmenter *segmenter_new(const s3svm_marked *p, const s3svm_maps *maps, int threads)
{
    s3svm_segmentation_settings settings = s3svm_segmentation_defaults();
    s3svm_segmenter *s;
    sos_error error;
    settings.maps = maps;
    settings.work.threads = threads;
    check_ok(s3svm_segmenter_create(shared.prepared, &p->photograph, &settings, &s, &error), error);
    return s;
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

/* Errors after each of so many clicks as papers place them. */
static void clicks_make(const s3svm_marked *p, const s3svm_maps *maps, size_t clicks, double errors[])
{
    s3svm_segmenter *s = segmenter_new(p, maps, 1);
    s3svm_simulation person = s3svm_simulation_defaults();
    uint8_t labels[PIXELS] = { 0 };
    s3svm_dialogue *d;
    sos_error error;
    bool right = false;
    person.radius = 2;
    check_ok(s3svm_dialogue_create(WIDTH, HEIGHT, &d, &error), error);
    for (size_t k = 0; k < clicks; k++) {
        check_ok(s3svm_simulate_correct(&person, p->truth, p->care, labels, d, &right, &error), error);
        if (!right) {
            const s3svm_mark mark = s3svm_dialogue_mark(d, k, 0);
            check_ok(s3svm_segmenter_mark(s, 1, &mark, &error), error);
            memcpy(labels, s3svm_segmenter_labels(s), PIXELS);
        }
        errors[k] = error_of(p, labels);
        if (right) break;
    }
    s3svm_dialogue_free(d);
    s3svm_segmenter_free(s);
}

static s3svm_maps maps_inverted(const s3svm_maps *x)
{
    s3svm_maps out;
    sos_error error;
    check_ok(s3svm_maps_create(WIDTH, HEIGHT, 1, &out, &error), error);
    for (size_t i = 0; i < PIXELS; i++) out.values[i] = -x->values[i];
    return out;
}

/* Colours do not tell the object from its twin: the first click is worth more with evidence.  Evidence that is wrong is
 * overruled by a few clicks, and without any the model does as one that never saw some. */
static void test_marks_confirm_and_refute(void **state)
{
    (void)state;
    enum { NEW = 8, CLICKS = 6 };
    double first[3] = { 0 }, last[3] = { 0 };
    for (uint64_t c = 0; c < NEW; c++) {
        sos_random r = test_case_begin(100 + c);
        s3svm_marked p = ellipse_random(&r, true);
        s3svm_maps right = ellipse_odds(&p, &r), wrong = maps_inverted(&right);
        const s3svm_maps *told[3] = { NULL, &right, &wrong };
        for (size_t k = 0; k < 3; k++) {
            double errors[CLICKS] = { 0 };
            clicks_make(&p, told[k], CLICKS, errors);
            first[k] += errors[0] / NEW;
            last[k] += errors[CLICKS - 1] / NEW;
        }
        s3svm_maps_free(&right);
        s3svm_maps_free(&wrong);
        s3svm_marked_free(&p);
    }
    if (!(first[1] < 0.02 && first[1] <= first[0]))
        test_fail(__FILE__, __LINE__, "%g wrong after a click with evidence, %g without", first[1], first[0]);
    for (size_t k = 0; k < 3; k++)
        if (!(last[k] < 0.03)) test_fail(__FILE__, __LINE__, "%g wrong after %d clicks, case %zu", last[k], CLICKS, k);
}

/* What is proposed is nearly right, comes back when all marks are taken back, and changes nothing of what marks give. */
static void test_proposals(void **state)
{
    (void)state;
    double wrong = 0;
    enum { NEW = 6 };
    for (uint64_t c = 0; c < NEW; c++) {
        sos_random r = test_case_begin(200 + c);
        sos_error error;
        s3svm_marked p = ellipse_random(&r, true);
        s3svm_maps maps = ellipse_odds(&p, &r);
        s3svm_segmenter *s = segmenter_new(&p, &maps, 1), *unasked = segmenter_new(&p, &maps, 2);
        const s3svm_point at = { (float)sos_random_below(&r, WIDTH), (float)sos_random_below(&r, HEIGHT) };
        const s3svm_mark mark = { .label = S3SVM_MARK_BACKGROUND, .radius = 2, .count = 1, .points = &at };
        uint8_t proposed[PIXELS], all[PIXELS];
        float odds[PIXELS];
        for (size_t i = 0; i < PIXELS; i++) check(!s3svm_segmenter_labels(s)[i]);
        check_ok(s3svm_segmenter_propose(s, &error), error);
        check_ok(s3svm_segmenter_propose(s, &error), error);
        memcpy(proposed, s3svm_segmenter_labels(s), PIXELS);
        wrong += error_of(&p, proposed) / NEW;
        check(s3svm_segmenter_result(s).object && !s3svm_segmenter_steps(s));
        check_ok(s3svm_segmenter_mark(s, 1, &mark, &error), error);
        check_ok(s3svm_segmenter_mark(unasked, 1, &mark, &error), error);
        check(!memcmp(s3svm_segmenter_labels(s), s3svm_segmenter_labels(unasked), PIXELS));
        check_error(s3svm_segmenter_propose(s, &error), SOS_ERR_ARGUMENT, error, "after the first mark");
        s3svm_segmenter_cut(s, 0);
        check(!memcmp(s3svm_segmenter_labels(s), proposed, PIXELS));
        check_ok(s3svm_segmenter_odds(s, odds, &error), error);
        size_t agree = 0;
        for (size_t i = 0; i < PIXELS; i++) agree += (odds[i] > 0) == proposed[i];
        check(agree > PIXELS * 9 / 10);
        s3svm_dialogue *none;
        check_ok(s3svm_dialogue_create(WIDTH, HEIGHT, &none, &error), error);
        s3svm_segmentation_settings settings = s3svm_segmentation_defaults();
        settings.maps = &maps;
        check_ok(s3svm_photograph_segment(shared.prepared, &p.photograph, none, &settings, all, NULL, &error), error);
        check(!memcmp(all, proposed, PIXELS));
        s3svm_dialogue_free(none);
        s3svm_segmenter_free(s);
        s3svm_segmenter_free(unasked);
        s3svm_maps_free(&maps);
        s3svm_marked_free(&p);
    }
    if (!(wrong < 0.03)) test_fail(__FILE__, __LINE__, "%g of what is proposed is wrong", wrong);
}

/* Maps that also call a corner an object: a mark on the background there takes it away, and leaves the rest. */
static void test_a_mark_on_the_background_corrects_a_proposal(void **state)
{
    (void)state;
    double before = 0, after = 0;
    enum { NEW = 8, CORNER = 9 };
    for (uint64_t c = 0; c < NEW; c++) {
        sos_random r = test_case_begin(300 + c);
        sos_error error;
        s3svm_marked p = ellipse_random(&r, true);
        s3svm_maps maps = ellipse_odds(&p, &r);
        const s3svm_point at = { CORNER / 2, CORNER / 2 };
        const s3svm_mark mark = { .label = S3SVM_MARK_BACKGROUND, .radius = 2, .count = 1, .points = &at };
        for (size_t y = 0; y < CORNER; y++)
            for (size_t x = 0; x < CORNER; x++)
                if (!p.truth[y * WIDTH + x]) maps.values[y * WIDTH + x] = 3;
        s3svm_segmenter *s = segmenter_new(&p, &maps, 1);
        check_ok(s3svm_segmenter_propose(s, &error), error);
        before += error_of(&p, s3svm_segmenter_labels(s)) / NEW;
        if (!p.truth[(size_t)at.y * WIDTH + (size_t)at.x]) check_ok(s3svm_segmenter_mark(s, 1, &mark, &error), error);
        after += error_of(&p, s3svm_segmenter_labels(s)) / NEW;
        s3svm_segmenter_free(s);
        s3svm_maps_free(&maps);
        s3svm_marked_free(&p);
    }
    if (!(after < before)) test_fail(__FILE__, __LINE__, "%g wrong before the mark, %g after it", before, after);
}

static void test_wrong_maps_are_refused(void **state)
{
    (void)state;
    sos_error error;
    sos_random r = test_case_begin(300);
    const s3svm_marked *p = &shared.pictures[0];
    s3svm_segmentation_settings settings = s3svm_segmentation_defaults();
    s3svm_segmenter *s = NULL;
    s3svm_maps two, odds = ellipse_odds(p, &r);
    check_ok(s3svm_maps_create(WIDTH, HEIGHT, 2, &two, &error), error);
    settings.maps = &two;
    check_error(s3svm_segmenter_create(shared.prepared, &p->photograph, &settings, &s, &error), SOS_ERR_ARGUMENT, error,
                "2 channels");
    settings.maps = &odds;
    odds.values[7] = NAN;
    check_error(s3svm_segmenter_create(shared.prepared, &p->photograph, &settings, &s, &error), SOS_ERR_ARGUMENT, error,
                "not finite");
    odds.width--;
    check_error(s3svm_segmenter_create(shared.prepared, &p->photograph, &settings, &s, &error), SOS_ERR_ARGUMENT, error,
                "the picture");
    odds.width++;
    s = segmenter_new(p, NULL, 1);
    check_error(s3svm_segmenter_propose(s, &error), SOS_ERR_ARGUMENT, error, "without maps");
    s3svm_segmenter_free(s);
    s3svm_maps_free(&two);
    s3svm_maps_free(&odds);
}

/* The same model, to the last bit, on any number of threads; and its file is read as it was. */
static void test_same_bits(void **state)
{
    (void)state;
    sos_error error;
    sos_model *one = evidence_model_of(COUNT, shared.pictures, 1), *read;
    char *texts[3];
    size_t lengths[3];
    check_ok(sos_model_write_memory(shared.model, &texts[0], &lengths[0], &error), error);
    check_ok(sos_model_write_memory(one, &texts[1], &lengths[1], &error), error);
    check_ok(sos_model_parse(texts[0], lengths[0], "text", &read, &error), error);
    check_ok(sos_model_write_memory(read, &texts[2], &lengths[2], &error), error);
    s3svm_segment_model *again;
    check_ok(s3svm_segment_model_create(read, &again, &error), error);
    check(s3svm_segment_model_evidence(again));
    for (size_t k = 1; k < 3; k++) check(lengths[0] == lengths[k] && !memcmp(texts[0], texts[k], lengths[0]));
    for (size_t k = 0; k < 3; k++) free(texts[k]);
    s3svm_segment_model_free(again);
    sos_model_free(one);
    sos_model_free(read);
}

/* ---------------------------------------------------------------- what networks might say */

/* All kinds occur: none, as it is, the contrary; everything is finite, and the same seed gives the same. */
static void test_simulated_evidence(void **state)
{
    (void)state;
    enum { DRAWS = 400 };
    size_t none = 0, same = 0, contrary = 0, others = 0;
    for (uint64_t c = 0; c < DRAWS; c++) {
        sos_random r = test_case_begin(400 + c), again = r;
        const size_t i = (size_t)c % COUNT;
        const float *truth = shared.pictures[i].maps.values;
        s3svm_maps x, y;
        sos_error error;
        check_ok(s3svm_simulated_evidence(COUNT, shared.pictures, i, &r, &x, &error), error);
        check_ok(s3svm_simulated_evidence(COUNT, shared.pictures, i, &again, &y, &error), error);
        check(!x.values == !y.values);
        if (x.values) {
            check(x.width == WIDTH && x.height == HEIGHT && x.channels == 1);
            check(!memcmp(x.values, y.values, PIXELS * sizeof *x.values));
            double dot = 0;
            for (size_t k = 0; k < PIXELS; k++) {
                check(isfinite(x.values[k]));
                dot += (double)x.values[k] * (double)truth[k];
            }
            const bool equal = !memcmp(x.values, truth, PIXELS * sizeof *truth);
            same += equal;
            contrary += dot < -PIXELS;
            others += !equal && dot >= -PIXELS;
        }
        none += !x.values;
        s3svm_maps_free(&x);
        s3svm_maps_free(&y);
    }
    check(none > DRAWS / 8 && none < DRAWS / 2 && same > DRAWS / 8 && contrary && others > DRAWS / 8);
    sos_random r = test_case_begin(1000);
    s3svm_marked bare = ellipse_random(&r, false);
    s3svm_maps x;
    sos_error error;
    check_ok(s3svm_simulated_evidence(1, &bare, 0, &r, &x, &error), error);
    check(!x.values);
    s3svm_marked_free(&bare);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks_confirm_and_refute),
        cmocka_unit_test(test_proposals),
        cmocka_unit_test(test_a_mark_on_the_background_corrects_a_proposal),
        cmocka_unit_test(test_wrong_maps_are_refused),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_simulated_evidence),
    };
    return cmocka_run_group_tests(tests, shared_create, shared_free);
}
