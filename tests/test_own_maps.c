/* test_own_maps.c - maps of one's own: means, bins and odds are their definitions, models say what they need, and what does not
 * fit is refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "support.h"
#include "tasks/own_maps.h"

enum { WIDTH = 7, HEIGHT = 5, PIXELS = WIDTH * HEIGHT, COUNT = 3 };

/* Maps of normal numbers, about 3 + c with deviation 2 in channel c. */
static void maps_make(size_t channels, uint64_t seed, s3svm_maps maps[COUNT])
{
    sos_error error;
    sos_random r = sos_random_seeded(seed);
    for (size_t i = 0; i < COUNT; i++) {
        check_ok(s3svm_maps_create(WIDTH, HEIGHT, channels, &maps[i], &error), error);
        for (size_t j = 0; j < PIXELS * channels; j++)
            maps[i].values[j] = (float)(3 + (double)(j / PIXELS) + 2 * sos_random_normal(&r));
    }
}

static void maps_drop(s3svm_maps maps[COUNT])
{
    for (size_t i = 0; i < COUNT; i++) s3svm_maps_free(&maps[i]);
}

static sos_model *model_make(size_t labels)
{
    sos_model *m;
    sos_error error;
    uint32_t number;
    check_ok(sos_model_create(labels, &m, &error), error);
    check_ok(sos_model_add_group(m, &(sos_group){ .name = "other", .kind = SOS_GROUP_FREE, .size = 2 }, &number, &error),
             error);
    return m;
}

/* A model that has learned from maps, what it says of them after a trip through a file, and an example of the first picture. */
typedef struct learned {
    sos_model *model;
    s3svm_own_maps own;
    sos_example *x;
} learned;

static learned learn(s3svm_maps_kind kind, size_t labels, const s3svm_maps maps[COUNT], double unit)
{
    learned l = { .model = model_make(labels) };
    sos_error error;
    char *text;
    size_t length;
    sos_model *again;
    check_ok(s3svm_maps_learn(l.model, &(s3svm_maps_settings){ .kind = kind }, COUNT, maps, &error), error);
    check_ok(sos_model_write_memory(l.model, &text, &length, &error), error);
    check_ok(sos_model_parse(text, length, "memory", &again, &error), error);
    free(text);
    check_ok(s3svm_own_maps_read(again, &l.own, &error), error);
    sos_model_free(again);
    check_ok(sos_example_create(l.model, PIXELS, &l.x, &error), error);
    check_ok(s3svm_own_maps_fill(&l.own, &maps[0], WIDTH, HEIGHT, unit, l.x, &error), error);
    return l;
}

static void forget(learned *l)
{
    s3svm_own_maps_free(&l->own);
    sos_example_free(l->x);
    sos_model_free(l->model);
}

static void test_weights_are_of_channels_with_mean_0_and_deviation_1(void **state)
{
    (void)state;
    s3svm_maps maps[COUNT];
    maps_make(3, 1, maps);
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < PIXELS; j++) maps[i].values[2 * PIXELS + j] = 8; /* a channel that says nothing */
    maps[0].values[5] = 1e6F;                                                   /* and a pixel that says too much */
    learned l = learn(S3SVM_MAPS_WEIGHTS, 3, maps, 0.25);
    assert_int_equal(sos_model_group(l.model, 1)->size, 3);
    assert_int_equal(sos_model_group(l.model, 1)->kind, SOS_GROUP_FREE);
    const sos_feature_list f = sos_example_features(l.x, 1);
    for (size_t c = 0; c < 3; c++) {
        long double sum = 0, square = 0;
        for (size_t i = 0; i < COUNT; i++)
            for (size_t j = 0; j < PIXELS; j++) sum += (long double)maps[i].values[c * PIXELS + j];
        const long double mean = sum / (COUNT * PIXELS);
        for (size_t i = 0; i < COUNT; i++)
            for (size_t j = 0; j < PIXELS; j++) {
                const long double d = (long double)maps[i].values[c * PIXELS + j] - mean;
                square += d * d;
            }
        const long double deviation = c == 2 ? 1 : sqrtl(square / (COUNT * PIXELS));
        for (size_t j = 0; j < PIXELS; j++) {
            long double wanted = ((long double)maps[0].values[c * PIXELS + j] - mean) / deviation;
            if (wanted > 10) wanted = 10;
            check(f.start[j + 1] - f.start[j] == 3 && f.index[f.start[j] + c] == c);
            check(fabs(f.value[f.start[j] + c] - (double)(wanted / 4)) < 1e-6);
        }
    }
    check(f.value[f.start[5]] == 2.5); /* as far as anything counts */
    forget(&l);
    maps_drop(maps);
}

static void test_bins_share_a_value_between_two_knots(void **state)
{
    (void)state;
    s3svm_maps maps[COUNT];
    maps_make(2, 2, maps);
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < PIXELS; j++) maps[i].values[PIXELS + j] = 8; /* one knot is enough for it */
    learned l = learn(S3SVM_MAPS_BINS, 2, maps, 1);
    const size_t knots = l.own.first[1];
    assert_int_equal(knots, 16);
    assert_int_equal(l.own.first[2], knots + 1);
    assert_int_equal(sos_model_group(l.model, 1)->size, knots + 1);
    const sos_feature_list f = sos_example_features(l.x, 1);
    for (size_t j = 0; j < PIXELS; j++) {
        double value = 0, share = 0;
        const size_t end = f.start[j + 1];
        check(end - f.start[j] == 3);
        for (size_t k = f.start[j]; k < f.start[j] + 2; k++) { /* knots weighted by their shares are the value */
            share += f.value[k];
            value += f.value[k] * (double)l.own.knots[f.index[k]];
        }
        check(fabs(share - 1) < 1e-6);
        check(fabs(value - (double)maps[0].values[j]) < 1e-5);
        check(f.index[end - 1] == knots && f.value[end - 1] == 1);
    }
    forget(&l);
    maps_drop(maps);
}

static void check_odds(size_t labels, size_t channels, uint64_t seed)
{
    s3svm_maps maps[COUNT];
    maps_make(channels, seed, maps);
    maps[0].values[3] = -400;
    maps[0].values[4] = 3e38F;
    learned l = learn(S3SVM_MAPS_ODDS, labels, maps, 2);
    assert_int_equal(sos_model_group(l.model, 1)->size, 1);
    assert_int_equal(sos_model_group(l.model, 1)->kind, SOS_GROUP_NONNEGATIVE);
    const double *cost = sos_example_costs(l.x, 1);
    for (size_t j = 0; j < PIXELS; j++) {
        long double logit[8] = { 0 }, sum = 0;
        for (size_t c = 0; c < channels; c++) logit[channels == 1 ? 1 : c] = (long double)maps[0].values[c * PIXELS + j];
        for (size_t a = 0; a < labels; a++) {
            sum = 0;
            for (size_t b = 0; b < labels; b++) sum += expl(fminl(logit[b] - logit[a], 11000));
            const long double wanted = fminl(logl(sum), 9);
            check(fabs(cost[j * labels + a] - 2 * (double)wanted) < 1e-9);
        }
    }
    forget(&l);
    maps_drop(maps);
}

static void test_odds_are_minus_log_p(void **state)
{
    (void)state;
    check_odds(2, 1, 3);
    check_odds(2, 2, 4);
    check_odds(5, 5, 5);
}

/* ---- what does not fit ---- */

static void test_maps_that_cannot_be_learned_from_are_refused(void **state)
{
    (void)state;
    s3svm_maps maps[COUNT];
    sos_error error;
    maps_make(3, 6, maps);
    sos_model *m = model_make(2);
    s3svm_maps_settings s = { .kind = S3SVM_MAPS_ODDS };
    check_error(s3svm_maps_learn(m, &s, COUNT, maps, &error), SOS_ERR_ARGUMENT, error, "3 channels", "2 labels");
    s.kind = S3SVM_MAPS_BINS;
    check_error(s3svm_maps_learn(m, &s, 0, NULL, &error), SOS_ERR_ARGUMENT, error, "no training maps");
    s.reserved[7] = 1;
    check_is(s3svm_maps_learn(m, &s, COUNT, maps, &error), SOS_ERR_ARGUMENT);
    s.reserved[7] = 0;
    s.kind = (s3svm_maps_kind)4;
    check_error(s3svm_maps_learn(m, &s, COUNT, maps, &error), SOS_ERR_ARGUMENT, error, "maps: 4");
    s.kind = S3SVM_MAPS_WEIGHTS;
    maps[1].values[2 * PIXELS + 4] = NAN;
    check_error(s3svm_maps_learn(m, &s, COUNT, maps, &error), SOS_ERR_ARGUMENT, error, "channel 2 of pixel 4 of picture 1");
    maps[1].values[2 * PIXELS + 4] = 0;
    maps[2].channels = 2;
    check_error(s3svm_maps_learn(m, &s, COUNT, maps, &error), SOS_ERR_ARGUMENT, error, "picture 2 have 2 channels");
    assert_int_equal(sos_model_groups(m), 1);
    assert_null(sos_model_fact(m, "maps"));
    maps[2].channels = 3;
    check_ok(s3svm_maps_learn(m, &s, COUNT, maps, &error), error);
    check_error(s3svm_maps_learn(m, &s, COUNT, maps, &error), SOS_ERR_ARGUMENT, error, "already");
    size_t channels;
    check_ok(s3svm_maps_needed(m, &channels, &error), error);
    assert_int_equal(channels, 3);
    sos_model_free(m);
    maps_drop(maps);
}

static void test_maps_that_do_not_fit_a_picture_are_refused(void **state)
{
    (void)state;
    s3svm_maps maps[COUNT], none = { 0 };
    sos_error error;
    maps_make(2, 7, maps);
    learned l = learn(S3SVM_MAPS_WEIGHTS, 2, maps, 1);
    const s3svm_own_maps plain = { 0 };
    check_ok(s3svm_own_maps_check(&plain, NULL, 3, 3, &error), error);
    check_ok(s3svm_own_maps_check(&plain, &none, 3, 3, &error), error);
    check_error(s3svm_own_maps_check(&plain, &maps[0], WIDTH, HEIGHT, &error), SOS_ERR_ARGUMENT, error, "trained without maps");
    check_error(s3svm_own_maps_check(&l.own, NULL, WIDTH, HEIGHT, &error), SOS_ERR_ARGUMENT, error, "maps of 2 channels");
    check_error(s3svm_own_maps_check(&l.own, &none, WIDTH, HEIGHT, &error), SOS_ERR_ARGUMENT, error, "none were given");
    check_error(s3svm_own_maps_check(&l.own, &maps[0], HEIGHT, WIDTH, &error), SOS_ERR_ARGUMENT, error, "7 by 5", "5 by 7");
    maps[0].values[PIXELS + 1] = INFINITY;
    check_error(s3svm_own_maps_check(&l.own, &maps[0], WIDTH, HEIGHT, &error), SOS_ERR_ARGUMENT, error, "channel 1 of pixel 1");
    maps[0].channels = 1;
    check_error(s3svm_own_maps_check(&l.own, &maps[0], WIDTH, HEIGHT, &error), SOS_ERR_ARGUMENT, error, "1 channels",
                "needs 2");
    forget(&l);
    maps_drop(maps);
}

static void check_fact(const char *json, const char *why)
{
    sos_model *m = model_make(2);
    sos_error error;
    uint32_t number;
    size_t channels;
    const sos_group group = { .name = "maps", .kind = SOS_GROUP_FREE, .size = 2 };
    check_ok(sos_model_add_group(m, &group, &number, &error), error);
    check_ok(sos_model_set_fact(m, "maps", json, &error), error);
    if (why)
        check_error(s3svm_maps_needed(m, &channels, &error), SOS_ERR_FORMAT, error, why);
    else
        check_ok(s3svm_maps_needed(m, &channels, &error), error);
    sos_model_free(m);
}

static void test_facts_are_checked(void **state)
{
    (void)state;
    check_fact("{\"version\": 1, \"kind\": \"weights\", \"channels\": 2, \"means\": [0, 1], \"deviations\": [1, 2]}", NULL);
    check_fact("{\"version\": 2, \"kind\": \"weights\", \"channels\": 2, \"means\": [0, 1], \"deviations\": [1, 2]}",
               "version 2");
    check_fact("{\"version\": 1, \"kind\": \"weights\", \"channels\": 2, \"means\": [0, 1], \"deviations\": [1, 0]}",
               "channel 1");
    check_fact("{\"version\": 1, \"kind\": \"weights\", \"channels\": 2, \"means\": [0], \"deviations\": [1, 1]}", "means");
    check_fact("{\"version\": 1, \"kind\": \"weights\", \"channels\": 3, \"means\": [0, 0, 0], \"deviations\": [1, 1, 1]}",
               "last group");
    check_fact("{\"version\": 1, \"kind\": \"weights\", \"channels\": 0, \"means\": [], \"deviations\": []}", "channels");
    check_fact("{\"version\": 1, \"kind\": \"weights\", \"channels\": 2, \"knots\": [[1], [1]]}", "knots");
    check_fact("{\"version\": 1, \"kind\": \"bins\", \"channels\": 1, \"knots\": [[1, 2]]}", NULL);
    check_fact("{\"version\": 1, \"kind\": \"bins\", \"channels\": 2, \"knots\": [[1], [1]]}", NULL);
    check_fact("{\"version\": 1, \"kind\": \"bins\", \"channels\": 1, \"knots\": [[1, 1]]}", "increase");
    check_fact("{\"version\": 1, \"kind\": \"bins\", \"channels\": 1, \"knots\": [[]]}", "knots");
    check_fact("{\"version\": 1, \"kind\": \"odds\", \"channels\": 1}", "last group");
    check_fact("{\"version\": 1, \"kind\": \"odds\", \"channels\": 4}", "4 channels");
    check_fact("{\"version\": 1, \"kind\": \"no\", \"channels\": 4}", "unknown kind");
    check_fact("[]", "maps");
}

int main(void)
{
    if (!sos_has("models")) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights_are_of_channels_with_mean_0_and_deviation_1),
        cmocka_unit_test(test_bins_share_a_value_between_two_knots),
        cmocka_unit_test(test_odds_are_minus_log_p),
        cmocka_unit_test(test_maps_that_cannot_be_learned_from_are_refused),
        cmocka_unit_test(test_maps_that_do_not_fit_a_picture_are_refused),
        cmocka_unit_test(test_facts_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
