/* test_confidence.c - how sure labels are: of every piece what forcing it costs, found once more from the start; and of a
 * segmenter the same after steps were taken back, for every number of threads. */
#include "dialogue_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/segmenter.h>

#include "segment/model/confidence.h"

enum { WIDTH = 60, HEIGHT = 44, PIXELS = WIDTH * HEIGHT };

/* A picture in soft blots, an energy that follows it in part, and a few marks. */
typedef struct scene {
    s3svm_image picture;
    sos_energy *energy;
    uint8_t marked[PIXELS];
} scene;

static scene scene_random(sos_random *r)
{
    scene s = { 0 };
    double zero[PIXELS], one[PIXELS], pair[4] = { 0, 1, 1, 0 };
    const double strength = 0.1 + sos_random_uniform(r), phase = 6 * sos_random_uniform(r);
    uint32_t table;
    sos_error error;
    check_ok(s3svm_image_create(WIDTH, HEIGHT, 3, &s.picture, &error), error);
    check_ok(sos_energy_create(PIXELS, &s.energy, &error), error);
    for (size_t i = 0; i < PIXELS; i++) {
        const double x = (double)(i % WIDTH), y = (double)(i / WIDTH), blot = sin(x / 7 + phase) + cos(y / 6 - phase);
        for (size_t c = 0; c < 3; c++)
            s.picture.pixels[3 * i + c] = (uint8_t)(120 + 40 * blot * (c == 1 ? -1 : 1) + 10 * sos_random_uniform(r));
        zero[i] = 0;
        one[i] = blot + 3 * sos_random_uniform(r) - 1.5;
        s.marked[i] = sos_random_below(r, 40) == 0;
    }
    check_ok(sos_energy_set_unaries(s.energy, zero, one, &error), error);
    for (size_t k = 1; k < 3; k++) pair[k] = strength;
    check_ok(sos_energy_add_table(s.energy, 2, pair, &table, &error), error);
    check_ok(sos_energy_add_patches(s.energy, table, WIDTH, HEIGHT, 2, 1, NULL, &error), error);
    check_ok(sos_energy_add_patches(s.energy, table, WIDTH, HEIGHT, 1, 2, NULL, &error), error);
    return s;
}

static double least(const sos_energy *e, uint8_t labels[])
{
    sos_minimize_result r;
    sos_error error;
    check_ok(sos_minimize(e, NULL, labels, &r, &error), error);
    return r.energy;
}

/* All pixels with the confidence of pixel i and its label, turned over in a copy: what the least energy is then, per pixel. */
static void check_piece(const scene *s, double scale, const float confidence[], const uint8_t labels[], double energy, size_t i)
{
    sos_energy *copy;
    sos_error error;
    uint8_t room[PIXELS];
    size_t pixels = 0;
    check_ok(sos_energy_copy(s->energy, &copy, &error), error);
    for (size_t j = 0; j < PIXELS; j++) {
        if (s->marked[j] || confidence[j] < confidence[i] || confidence[j] > confidence[i] || labels[j] != labels[i]) continue;
        check_ok(sos_energy_fix(copy, j, !labels[j], &error), error);
        pixels++;
    }
    const double wanted = scale * (least(copy, room) - energy) * PIXELS / (double)pixels;
    if (fabs(wanted - (double)confidence[i]) > 1e-4 * fabs(wanted))
        test_fail(__FILE__, __LINE__, "pixel %zu: confidence %g, forcing its %zu pixels costs %g", i, (double)confidence[i],
                  pixels, wanted);
    sos_energy_free(copy);
}

static void every_piece_costs_what_forcing_it_costs(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(6); c++) {
        sos_random r = test_case_begin(c);
        scene s = scene_random(&r);
        static float confidence[2][PIXELS];
        uint8_t labels[PIXELS];
        s3svm_confidence found[2];
        const double scale = 0.01, energy = least(s.energy, labels);
        for (int k = 0; k < 2; k++) {
            const sos_work work = { .threads = k ? 3 : 1 };
            const s3svm_confidence_input in = { s.energy, scale, &s.picture, s.marked, &work };
            sos_error error;
            found[k] = (s3svm_confidence){ 0 };
            check_ok(s3svm_confidence_find(&in, confidence[k], &found[k], &error), error);
        }
        check(!memcmp(confidence[0], confidence[1], sizeof confidence[0]) && found[0].pieces == found[1].pieces);
        check(found[0].pieces > 100 && found[0].pieces < 800);
        for (size_t i = 0; i < PIXELS; i++) check(!s.marked[i] || (double)confidence[0][i] == S3SVM_CONFIDENCE_MOST);
        for (int k = 0; k < 12; k++) {
            const size_t i = (size_t)sos_random_below(&r, PIXELS);
            if (!s.marked[i]) check_piece(&s, scale, confidence[0], labels, energy, i);
        }
        s3svm_image_free(&s.picture);
        sos_energy_free(s.energy);
    }
}

static void click(s3svm_segmenter *s, uint8_t label, float x, float y)
{
    const s3svm_point at = { x, y };
    sos_error error;
    check_ok(s3svm_segmenter_mark(s, 1, &(s3svm_mark){ .label = label, .radius = 2, .count = 1, .points = &at }, &error),
             error);
}

static void steps_taken_back_leave_the_confidence_that_was_there(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    s3svm_marked p = ellipse_random(&r, false);
    const size_t n = s3svm_image_size(&p.photograph);
    float *before = test_room(NULL, n, sizeof *before), *after = test_room(NULL, n, sizeof *after);
    s3svm_segment_model *model;
    s3svm_segmenter *s;
    s3svm_confidence first, again;
    sos_error error;
    check_ok(s3svm_segmenter_model("amn", &model, &error), error);
    check_ok(s3svm_segmenter_create(model, &p.photograph, NULL, &s, &error), error);
    check_ok(s3svm_segmenter_confidence(s, before, &first, &error), error);
    check(!first.found && !first.pieces);
    for (size_t i = 0; i < n; i++) check(before[i] == 0);
    click(s, S3SVM_MARK_OBJECT, (float)p.photograph.width / 2, (float)p.photograph.height / 2);
    check_ok(s3svm_segmenter_confidence(s, before, &first, &error), error);
    check(first.found && first.next.x >= 0 && first.next.x < (float)p.photograph.width);
    const size_t place = (size_t)first.next.y * p.photograph.width + (size_t)first.next.x;
    check(place < n && first.label == s3svm_segmenter_labels(s)[place]);
    check(fabs(first.confidence - (double)before[place]) <= 1e-6 * first.confidence);
    for (size_t i = 0; i < n; i++) {
        const bool sure = s3svm_mark_is_sure(s3svm_segmenter_marks(s)->pixels[i]);
        check(before[i] >= 0 && ((double)before[i] == S3SVM_CONFIDENCE_MOST || !sure));
    }
    click(s, S3SVM_MARK_BACKGROUND, 3, 3);
    s3svm_segmenter_cut(s, 1);
    check_ok(s3svm_segmenter_confidence(s, after, &again, &error), error);
    check(!memcmp(before, after, n * sizeof *before) && first.next.x == again.next.x && first.next.y == again.next.y);
    s3svm_segmenter_free(s);
    check_ok(s3svm_segmenter_create(NULL, &p.photograph, NULL, &s, &error), error);
    check_error(s3svm_segmenter_confidence(s, NULL, NULL, &error), SOS_ERR_ARGUMENT, error, "GrabCut", "no model");
    s3svm_segmenter_free(s);
    s3svm_segment_model_free(model);
    s3svm_marked_free(&p);
    free(before);
    free(after);
}

static void a_proposal_is_as_sure_as_its_odds(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    s3svm_marked p = ellipse_random(&r, false);
    const size_t width = p.photograph.width, n = s3svm_image_size(&p.photograph);
    const double most = S3SVM_CONFIDENCE_MOST;
    float *odds = test_room(NULL, n, sizeof *odds), *confidence = test_room(NULL, n, sizeof *confidence);
    const s3svm_maps maps = { .height = p.photograph.height, .width = width, .channels = 1, .values = odds };
    s3svm_segmentation_settings settings = s3svm_segmentation_defaults();
    s3svm_segment_model *model;
    s3svm_segmenter *s;
    s3svm_confidence found;
    sos_error error;
    settings.maps = &maps;
    settings.pixels = SIZE_MAX;
    for (size_t i = 0; i < n; i++) odds[i] = i % width < width / 3 ? 1e20F : i % width < width / 2 ? 1.5F : -0.25F;
    check_ok(s3svm_segmenter_model("amn", &model, &error), error);
    check_ok(s3svm_segmenter_create(model, &p.photograph, &settings, &s, &error), error);
    check_ok(s3svm_segmenter_confidence(s, NULL, &found, &error), error);
    check(!found.found);
    check_ok(s3svm_segmenter_propose(s, &error), error);
    check_ok(s3svm_segmenter_confidence(s, confidence, &found, &error), error);
    check(found.found && found.pieces > 1);
    check(!found.label && fabs(found.confidence - 0.25) < 1e-6 && found.next.x >= (float)(width / 2));
    for (size_t i = 0; i < n; i++) {
        const double sure = (double)confidence[i];
        check(odds[i] < 0 ? fabs(sure - 0.25) < 1e-6 : sure > 1.5 - 1e-6 && sure <= most);
    }
    s3svm_segmenter_free(s);
    s3svm_segment_model_free(model);
    s3svm_marked_free(&p);
    free(odds);
    free(confidence);
}

static void grey_is_half_where_confidence_is_one(void **state)
{
    (void)state;
    const float confidence[4] = { 0, 1, 3, (float)S3SVM_CONFIDENCE_MOST };
    const uint8_t grey[4] = { 0, 128, 191, 255 };
    s3svm_image out;
    sos_error error;
    check_ok(s3svm_confidence_image(2, 2, confidence, &out, &error), error);
    check(out.width == 2 && out.channels == 1 && !memcmp(out.pixels, grey, 4));
    s3svm_image_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_piece_costs_what_forcing_it_costs),
        cmocka_unit_test(steps_taken_back_leave_the_confidence_that_was_there),
        cmocka_unit_test(a_proposal_is_as_sure_as_its_odds),
        cmocka_unit_test(grey_is_half_where_confidence_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
