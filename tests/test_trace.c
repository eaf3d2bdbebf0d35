/* test_trace.c - models of thin structures: learned from pictures, the same bits for every number of threads, and what they say
 * of new pictures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "support.h"
#include "tasks/line_cliques.h"
#include "trace/evidence_view.h"
#include "trace/measure.h"
#include "trace/model.h"
#include "trace/variants.h"
#include "vision/resize.h"
#include <s3svm/task.h>
#include <s3svm/trace.h>

enum { WIDTH = 90, HEIGHT = 70, SIZE = WIDTH * HEIGHT, COUNT = 4 };

/* A few straight lines, 3 pixels wide and darker than what is around them, in noise; the light falls off to the right. */
static void picture_draw(uint64_t seed, s3svm_image *image, uint8_t truth[SIZE])
{
    sos_random r = sos_random_seeded(seed);
    sos_error error;
    memset(truth, 0, SIZE);
    assert_int_equal(s3svm_image_create(WIDTH, HEIGHT, 3, image, &error), SOS_OK);
    for (int line = 0; line < 3; line++) {
        const double x0 = sos_random_uniform(&r) * WIDTH, y0 = sos_random_uniform(&r) * HEIGHT;
        const double angle = sos_random_uniform(&r) * 3.14159265, dx = cos(angle), dy = sin(angle);
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++)
                if (fabs((x - x0) * dy - (y - y0) * dx) < 1.5) truth[y * WIDTH + x] = 1;
    }
    for (size_t i = 0; i < SIZE; i++) {
        const double light = 200 - (double)(i % WIDTH);
        const double grey = light * (truth[i] ? 0.75 : 1) + 12 * sos_random_normal(&r);
        for (size_t c = 0; c < 3; c++) image->pixels[3 * i + c] = (uint8_t)fmin(fmax(grey, 0), 255);
    }
}

typedef struct album {
    s3svm_image images[COUNT];
    uint8_t truth[COUNT][SIZE];
    const uint8_t *truths[COUNT];
    s3svm_trace_pictures pictures;
} album;

static void album_make(album *a)
{
    for (size_t i = 0; i < COUNT; i++) {
        picture_draw(i + 1, &a->images[i], a->truth[i]);
        a->truths[i] = a->truth[i];
    }
    a->pictures = (s3svm_trace_pictures){ .count = COUNT, .images = a->images, .truths = a->truths };
}

static void album_free(album *a)
{
    for (size_t i = 0; i < COUNT; i++) s3svm_image_free(&a->images[i]);
}

static sos_model *model_learn(s3svm_trace_kind kind, const album *a, int threads)
{
    s3svm_trace_settings s = s3svm_trace_defaults();
    s.samples = SANITIZED ? 400 : 8000; /* with sanitizers it is the code that is tested, not what it finds */
    s.folds = 2;
    s.work.threads = threads;
    sos_model *m;
    sos_error error;
    s3svm_trace_model *p;
    sos_example *examples[COUNT];
    assert_int_equal(s3svm_trace_create(kind, &a->pictures, &s, &m, &error), SOS_OK);
    assert_int_equal(s3svm_trace_model_create(m, &p, &error), SOS_OK);
    assert_int_equal(s3svm_trace_model_examples(p, &a->pictures, true, &s.work, examples, &error), SOS_OK);
    sos_train_settings training = s3svm_trace_training();
    training.gap = 0.05;
    training.work.threads = threads;
    assert_int_equal(sos_train(m, COUNT, examples, &training, NULL, &error), SOS_OK);
    for (size_t i = 0; i < COUNT; i++) sos_example_free(examples[i]);
    s3svm_trace_model_free(p);
    return m;
}

static s3svm_trace_counts model_judge(const sos_model *m)
{
    uint8_t truth[SIZE], labels[SIZE];
    s3svm_image image;
    s3svm_trace_model *p;
    s3svm_trace_counts c;
    sos_error error;
    picture_draw(99, &image, truth);
    assert_int_equal(s3svm_trace_model_create(m, &p, &error), SOS_OK);
    assert_int_equal(s3svm_trace_model_predict(p, &image, NULL, labels, &error), SOS_OK);
    assert_int_equal(s3svm_trace_count(WIDTH, HEIGHT, labels, truth, NULL, &c, &error), SOS_OK);
    s3svm_trace_model_free(p);
    s3svm_image_free(&image);
    return c;
}

/* Networks of zeros, whose last offset is what they say everywhere: numbers that can be told apart. */
static void a_new_picture_is_shown_to_all_networks(void **state)
{
    (void)state;
    enum { FOLDS = 3 };
    s3svm_evidence e;
    s3svm_image image;
    s3svm_plane plane, out;
    uint8_t truth[SIZE];
    sos_error error;
    picture_draw(98, &image, truth);
    assert_int_equal(s3svm_evidence_create(FOLDS, &e, &error), SOS_OK);
    e.channel[1] = 1;
    for (size_t k = 0; k < FOLDS; k++) {
        e.first[k].numbers[S3SVM_UNET_NUMBERS - 1] = (float)(k * k);
        e.second[k].numbers[s3svm_perceptron_numbers(&e.second[k]) - 1] = (float)(1 << k);
    }
    assert_int_equal(s3svm_evidence_plane(e.channel, &image, &plane, &error), SOS_OK);
    for (size_t k = 0; k <= FOLDS; k++) {
        const size_t fold = k < FOLDS ? k : S3SVM_EVIDENCE_NEW;
        const double first = k < FOLDS ? (double)(k * k) : 5.0 / 3, second = k < FOLDS ? 1 << k : 7.0 / 3;
        assert_int_equal(s3svm_evidence_first(&e, fold, &plane, 2, &out, &error), SOS_OK);
        for (size_t i = 0; i < SIZE; i++) assert_float_equal(out.values[i], first, 1e-5);
        s3svm_plane_free(&out);
        assert_int_equal(s3svm_evidence_apply(&e, &image, fold, 2, &out, &error), SOS_OK);
        for (size_t i = 0; i < SIZE; i++) assert_float_equal(out.values[i], second, 1e-5);
        s3svm_plane_free(&out);
    }
    s3svm_plane_free(&plane);
    s3svm_image_free(&image);
    s3svm_evidence_free(&e);
}

static void all_kinds_find_lines_in_a_new_picture(void **state)
{
    (void)state;
    album *a = malloc(sizeof *a);
    album_make(a);
    for (size_t kind = 0; kind < S3SVM_TRACE_KIND_COUNT; kind += SANITIZED ? S3SVM_TRACE_LINES : 1) {
        sos_model *m = model_learn((s3svm_trace_kind)kind, a, 2);
        const s3svm_trace_counts c = model_judge(m);
        if (!SANITIZED && s3svm_trace_f1(&c) < 0.8) fail_msg("kind %zu: F1 %g", kind, s3svm_trace_f1(&c));
        sos_model_free(m);
    }
    album_free(a);
    free(a);
}

/* What is found of a picture that has been made larger, by a model whose networks have learned from pictures of that side. */
static double f1_of_larger(s3svm_evidence *e, float side, const s3svm_image *larger, const uint8_t truth[])
{
    const size_t n = s3svm_image_size(larger);
    uint8_t *labels = malloc(n);
    s3svm_plane said;
    s3svm_trace_counts c;
    sos_error error;
    e->side = side;
    assert_int_equal(s3svm_evidence_apply(e, larger, S3SVM_EVIDENCE_NEW, 2, &said, &error), SOS_OK);
    assert_int_equal(s3svm_plane_size(&said), n);
    for (size_t i = 0; i < n; i++) labels[i] = said.values[i] > 0;
    assert_int_equal(s3svm_trace_count(larger->width, larger->height, labels, truth, NULL, &c, &error), SOS_OK);
    s3svm_plane_free(&said);
    free(labels);
    return s3svm_trace_f1(&c);
}

static void a_larger_picture_is_looked_at_as_large_as_those_learned_from(void **state)
{
    (void)state;
    enum { TIMES = 3, MANY = TIMES * TIMES * SIZE };
    album *a = malloc(sizeof *a);
    uint8_t truth[SIZE], *large = malloc(MANY);
    s3svm_image image, larger;
    s3svm_trace_features f;
    sos_error error;
    album_make(a);
    sos_model *m = model_learn(S3SVM_TRACE_EVIDENCE, a, 2);
    picture_draw(97, &image, truth);
    assert_int_equal(s3svm_image_cover(&image, TIMES * WIDTH, TIMES * HEIGHT, &larger, &error), SOS_OK);
    for (size_t i = 0; i < MANY; i++) {
        const size_t x = i % (TIMES * WIDTH) / TIMES, y = i / (TIMES * WIDTH) / TIMES;
        large[i] = truth[y * WIDTH + x];
    }
    assert_int_equal(s3svm_trace_features_read(m, &f, &error), SOS_OK);
    const float side = f.evidence.side;
    assert_float_equal(side, sqrt(SIZE), 0.01);
    const double without = f1_of_larger(&f.evidence, 0, &larger, large);
    const double with = f1_of_larger(&f.evidence, side, &larger, large);
    if (!SANITIZED && !(with > 0.85 && with > without)) fail_msg("F1 %g, at its own size %g", with, without);
    s3svm_trace_features_free(&f);
    s3svm_image_free(&image);
    s3svm_image_free(&larger);
    sos_model_free(m);
    album_free(a);
    free(large);
    free(a);
}

/* Sides keep their proportions: what is too narrow to be made smaller, or too long to be made larger, is looked at as it is. */
static void strips_are_looked_at_at_their_own_size(void **state)
{
    (void)state;
    static const struct {
        size_t width, height;
        float side;
    } strips[] = { { 300, 20, 30 }, { 60000, 2, 1000 } };
    sos_random r = sos_random_seeded(5);
    s3svm_evidence e;
    sos_error error;
    assert_int_equal(s3svm_evidence_create(1, &e, &error), SOS_OK);
    e.channel[1] = 1;
    for (size_t i = 0; i < S3SVM_UNET_NUMBERS; i++) e.first[0].numbers[i] = (float)(0.1 * sos_random_normal(&r));
    for (size_t i = 0; i < s3svm_perceptron_numbers(&e.second[0]); i++)
        e.second[0].numbers[i] = (float)(0.1 * sos_random_normal(&r));
    for (size_t k = 0; k < sizeof strips / sizeof *strips; k++) {
        s3svm_image image;
        s3svm_plane own, out;
        assert_int_equal(s3svm_image_create(strips[k].width, strips[k].height, 3, &image, &error), SOS_OK);
        for (size_t i = 0; i < 3 * s3svm_image_size(&image); i++) image.pixels[i] = (uint8_t)sos_random_below(&r, 256);
        assert_int_equal(s3svm_evidence_look(&e, &image, S3SVM_EVIDENCE_NEW, 2, &own, &error), SOS_OK);
        e.side = strips[k].side;
        if (s3svm_evidence_apply(&e, &image, S3SVM_EVIDENCE_NEW, 2, &out, &error)) fail_msg("%s", error.message);
        assert_memory_equal(own.values, out.values, s3svm_image_size(&image) * sizeof *own.values);
        s3svm_plane_free(&own);
        s3svm_plane_free(&out);
        s3svm_image_free(&image);
    }
    s3svm_evidence_free(&e);
}

static void threads_change_no_bit_and_files_keep_what_is_needed(void **state)
{
    (void)state;
    album *a = malloc(sizeof *a);
    char *text[2];
    size_t length[2];
    sos_error error;
    sos_model *read;
    album_make(a);
    for (int threads = 1; threads <= 2; threads++) {
        sos_model *m = model_learn(S3SVM_TRACE_LINES, a, threads);
        assert_int_equal(sos_model_write_memory(m, &text[threads - 1], &length[threads - 1], &error), SOS_OK);
        sos_model_free(m);
    }
    assert_int_equal(length[0], length[1]);
    assert_memory_equal(text[0], text[1], length[0]);
    assert_int_equal(sos_model_parse(text[0], length[0], "model", &read, &error), SOS_OK);
    const s3svm_trace_counts c = model_judge(read);
    assert_true(SANITIZED || s3svm_trace_f1(&c) > 0.8);
    char *rest;
    size_t rest_length;
    assert_int_equal(sos_model_write_memory(read, &rest, &rest_length, &error), SOS_OK);
    assert_int_equal(rest_length, length[0]);
    assert_memory_equal(rest, text[0], rest_length);
    free(rest);
    const s3svm_task *task;
    assert_int_equal(s3svm_task_of(read, &task, &error), SOS_OK);
    assert_string_equal(task->name, "trace");
    sos_model_free(read);
    free(text[0]);
    free(text[1]);
    album_free(a);
    free(a);
}

static void damaged_facts_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "{\"version\": 1, \"model\": \"lines\"}",
        "{\"version\": 3, \"model\": \"lines\", \"alone\": true, \"even\": [0], \"thresholds\": [1, 2, 3]}",
        "{\"version\": 1, \"model\": \"nothing\", \"alone\": true, \"even\": [0], \"thresholds\": [1, 2, 3]}",
        "{\"version\": 1, \"model\": \"lines\", \"alone\": true, \"even\": [0], \"thresholds\": [1, 3, 2]}",
        "{\"version\": 1, \"model\": \"lines\", \"alone\": true, \"even\": [0], \"thresholds\": [1, 2, 3], \"more\": 1}",
        "{\"version\": 1, \"model\": \"evidence\", \"alone\": true, \"even\": [0], \"thresholds\": [1, 2, 3]}", /* other groups
                                                                                                                 */
    };
    const s3svm_trace_features f = { .design = s3svm_trace_design_find("lines"), .alone = true, .threshold = { 1, 2, 3 } };
    sos_model *m;
    s3svm_trace_model *p;
    sos_error error;
    assert_int_equal(s3svm_trace_features_model(&f, &m, &error), SOS_OK);
    assert_int_equal(s3svm_trace_model_create(m, &p, &error), SOS_OK);
    s3svm_trace_model_free(p);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(sos_model_set_fact(m, "features", wrong[i], &error), SOS_OK);
        if (s3svm_trace_model_create(m, &p, &error) != SOS_ERR_FORMAT) fail_msg("facts %zu are not refused", i);
    }
    sos_model_free(m);
}

/* A loss for stretches that are missed as a whole: by its definition. */
static void breaks_cost_more_than_as_many_scattered_misses(void **state)
{
    (void)state;
    const s3svm_trace_features f = { .design = s3svm_trace_design_find("evidence"), .alone = true, .threshold = { 1, 2, 3 } };
    const s3svm_trace_loss loss = { .missed = 2, .broken = 3 };
    uint8_t truth[SIZE] = { 0 }, labels[SIZE];
    s3svm_image image;
    s3svm_trace_model *p;
    sos_model *m;
    sos_example *x;
    sos_error error;
    assert_int_equal(s3svm_image_create(WIDTH, HEIGHT, 3, &image, &error), SOS_OK);
    assert_int_equal(s3svm_trace_features_model(&f, &m, &error), SOS_OK);
    assert_int_equal(s3svm_trace_model_create(m, &p, &error), SOS_OK);
    for (size_t i = 10; i < 60; i++) truth[30 * WIDTH + i] = 1;
    const s3svm_trace_look look = { .picture = &image, .truth = truth, .loss = &loss };
    assert_int_equal(s3svm_trace_look_example(p, &look, NULL, &x, &error), SOS_OK);
    memcpy(labels, truth, SIZE);
    assert_true(sos_example_loss(x, labels) == 0);
    for (size_t i = 15; i < 55; i += 4) labels[30 * WIDTH + i] = 0;
    assert_true(fabs(sos_example_loss(x, labels) * SIZE - 10 * 2) < 1e-9);
    memcpy(labels, truth, SIZE);
    for (size_t i = 20; i < 30; i++) labels[30 * WIDTH + i] = 0; /* six stretches of five */
    assert_true(fabs(sos_example_loss(x, labels) * SIZE - (10 * 2 + 6 * 3)) < 1e-9);
    sos_example_free(x);
    s3svm_trace_model_free(p);
    sos_model_free(m);
    s3svm_image_free(&image);
}

/* Whatever the size and the colours, what is dark in the variant is what its labels say. */
static void variants_show_the_same_lines_in_other_sizes(void **state)
{
    (void)state;
    enum { MANY = 8 };
    static const double factors[] = { 1.5, 0.67, 2, 0.8 };
    s3svm_image images[MANY];
    const uint8_t *truths[MANY], *cares[MANY];
    uint8_t *truth = malloc(MANY * SIZE), care[SIZE];
    s3svm_evidence_variants v;
    sos_error error;
    bool seen[4] = { false };
    for (size_t i = 0; i < SIZE; i++) care[i] = i % WIDTH > 3;
    for (size_t i = 0; i < MANY; i++) {
        picture_draw(i + 1, &images[i], truth + i * SIZE);
        for (size_t k = 0; k < 3 * SIZE; k++) images[i].pixels[k] = truth[i * SIZE + k / 3] ? 60 : 180;
        truths[i] = truth + i * SIZE;
        cares[i] = i % 2 ? care : NULL;
    }
    const s3svm_evidence_pictures p = { MANY, images, truths, cares };
    assert_int_equal(s3svm_evidence_variants_make(&p, 5, &v, &error), SOS_OK);
    assert_int_equal(v.all.count, 5 * MANY);
    for (size_t i = 0; i < MANY; i++) {
        assert_ptr_equal(v.all.images[i].pixels, images[i].pixels);
        assert_ptr_equal(v.all.truths[i], truths[i]);
        assert_int_equal(v.of[i], i);
    }
    for (size_t k = MANY; k < 5 * MANY; k++) {
        const s3svm_image *varied = &v.all.images[k];
        const size_t i = v.of[k];
        size_t right = 0, unknown = 0, factor = 4;
        assert_int_equal(i, k % MANY);
        for (size_t f = 0; f < 4; f++) {
            const double side = factors[f] > 1 ? WIDTH : factors[f] * WIDTH;
            if (fabs((double)varied->width - side) <= 1) factor = f;
        }
        assert_true(factor < 4);
        seen[factor] = true;
        for (size_t j = 0; j < s3svm_image_size(varied); j++) {
            right += (varied->pixels[3 * j] < 120) == v.all.truths[k][j];
            unknown += v.all.cares[k] && !v.all.cares[k][j];
        }
        const double share = (double)right / (double)s3svm_image_size(varied);
        if (share < 0.95) fail_msg("picture %zu, seed 5: labels of %g of the pixels are right", i, share);
        assert_true(i % 2 ? v.all.cares[k] != NULL : !v.all.cares[k] && !unknown);
    }
    assert_true(seen[1] && seen[3]);
    s3svm_evidence_variants_free(&v);
    for (size_t i = 0; i < MANY; i++) s3svm_image_free(&images[i]);
    free(truth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_facts_are_refused),
        cmocka_unit_test(breaks_cost_more_than_as_many_scattered_misses),
        cmocka_unit_test(variants_show_the_same_lines_in_other_sizes),
        cmocka_unit_test(a_new_picture_is_shown_to_all_networks),
        cmocka_unit_test(all_kinds_find_lines_in_a_new_picture),
        cmocka_unit_test(a_larger_picture_is_looked_at_as_large_as_those_learned_from),
        cmocka_unit_test(strips_are_looked_at_at_their_own_size),
        cmocka_unit_test(threads_change_no_bit_and_files_keep_what_is_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
