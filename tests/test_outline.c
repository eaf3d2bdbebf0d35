/* test_outline.c - a second look at outlines: windows hold the colours that a loop finds, the cut is the best of all
 * labellings, an outline that was put aside comes back, for every number of threads alike; models keep what they have learned.
 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L /* strdup */
#endif

#include "dialogue_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/segment.h>

#include "segment/outlines/outline.h"
#include "vision/colour.h"

/* ---------------------------------------------------------------- pictures */

typedef struct drawing {
    size_t width, height, n;
    s3svm_image photograph;
    float *lab;
    uint8_t *truth;
    s3svm_outline_photo scene;
} drawing;

/* A warm ellipse before a cool ground, both shaded, with noise. */
static void drawing_create(sos_random *r, size_t width, size_t height, double noise, drawing *d)
{
    sos_error error;
    *d = (drawing){ .width = width, .height = height, .n = width * height };
    check_ok(s3svm_image_create(width, height, 3, &d->photograph, &error), error);
    d->lab = test_room(NULL, 3 * d->n, sizeof *d->lab);
    d->truth = test_room(NULL, d->n, 1);
    for (size_t i = 0; i < d->n; i++) {
        const double x = ((double)(i % width) + 0.5) / (double)width - 0.5,
                     y = ((double)(i / width) + 0.5) / (double)height - 0.5;
        d->truth[i] = x * x / 0.09 + y * y / 0.06 < 1;
        static const double warm[3] = { 190, 120, 70 }, cool[3] = { 60, 100, 150 };
        for (size_t c = 0; c < 3; c++) {
            const double shade = (d->truth[i] ? warm[c] : cool[c]) + 40 * x + noise * sos_random_normal(r);
            d->photograph.pixels[3 * i + c] = (uint8_t)fmax(0, fmin(255, shade));
        }
    }
    check_ok(s3svm_colour_lab(&d->photograph, 1, d->lab, &error), error);
    check_ok(s3svm_outline_photo_create(&d->photograph, d->lab, 1, &d->scene, &error), error);
}

static void drawing_free(drawing *d)
{
    s3svm_image_free(&d->photograph);
    s3svm_outline_photo_free(&d->scene);
    free(d->lab);
    free(d->truth);
}

/* The true labels, moved to the right. */
static void labels_move(const drawing *d, size_t by, uint8_t labels[])
{
    for (size_t i = 0; i < d->n; i++) labels[i] = i % d->width >= by ? d->truth[i - by] : 0;
}

static double share_wrong(const drawing *d, const uint8_t labels[])
{
    size_t wrong = 0;
    for (size_t i = 0; i < d->n; i++) wrong += labels[i] != d->truth[i];
    return (double)wrong / (double)d->n;
}

/* ---------------------------------------------------------------- the band */

static bool has_edge(const drawing *d, const uint8_t labels[], size_t x, size_t y)
{
    const size_t i = y * d->width + x;
    return (x && labels[i - 1] != labels[i]) || (x + 1 < d->width && labels[i + 1] != labels[i]) ||
           (y && labels[i - d->width] != labels[i]) || (y + 1 < d->height && labels[i + d->width] != labels[i]);
}

static double distance_from_edges(const drawing *d, const uint8_t labels[], size_t i)
{
    double least = INFINITY;
    for (size_t y = 0; y < d->height; y++)
        for (size_t x = 0; x < d->width; x++)
            if (has_edge(d, labels, x, y))
                least = fmin(least, hypot((double)x - (double)(i % d->width), (double)y - (double)(i / d->width)));
    return least;
}

static void the_band_is_what_is_near_the_outline_and_not_marked(void **state)
{
    (void)state;
    sos_random r = sos_random_seeded(1);
    sos_error error;
    drawing d;
    s3svm_outline_band b;
    drawing_create(&r, 41, 29, 5, &d);
    uint8_t *marks = test_room(NULL, d.n, 1);
    for (size_t i = 0; i < d.n; i++) marks[i] = (uint8_t)(sos_random_below(&r, 20) ? S3SVM_MARK_NONE : S3SVM_MARK_OBJECT);
    check_ok(s3svm_outline_band_create(&d.scene, d.truth, marks, 1, &b, &error), error);
    size_t at = 0;
    for (size_t i = 0; i < d.n; i++) {
        const double far = distance_from_edges(&d, d.truth, i);
        assert_true(fabs(far - (double)b.distances[i]) < 1e-4);
        const bool listed = at < b.count && b.pixels[at] == i;
        if (i % d.width == 0) assert_true(b.first[i / d.width] == at);
        if (marks[i]) assert_false(listed);
        if (listed) at++;
        if (far < 1 && !marks[i]) assert_true(listed);
    }
    assert_true(at == b.count && b.first[d.height] == b.count && b.count > 0);
    s3svm_outline_band_free(&b);
    free(marks);
    drawing_free(&d);
}

static void nothing_happens_without_an_outline(void **state)
{
    (void)state;
    sos_random r = sos_random_seeded(2);
    sos_error error;
    drawing d;
    s3svm_outline_model m = { .strength = 1 };
    drawing_create(&r, 20, 10, 5, &d);
    uint8_t *labels = test_room(NULL, d.n, 1);
    float *response = test_room(NULL, d.n, sizeof *response);
    memset(labels, 1, d.n);
    memset(response, 0, d.n * sizeof *response);
    check_ok(s3svm_perceptron_create(S3SVM_OUTLINE_FEATURES, 8, 1, &m.network, &error), error);
    check_ok(s3svm_outline_decide(&m, &d.scene, NULL, &(s3svm_outline_odds){ response, NULL }, 1, labels, &error), error);
    for (size_t i = 0; i < d.n; i++) assert_true(labels[i] == 1);
    s3svm_outline_model_free(&m);
    free(labels);
    free(response);
    drawing_free(&d);
}

/* ---------------------------------------------------------------- windows */

typedef struct side {
    double count, mean[3], variance[3];
} side;

/* By the definition, pixel by pixel; the constants are those of the code. */
static side side_find(const drawing *d, const s3svm_outline_band *b, const s3svm_outline_window *w, size_t pixel, uint8_t label)
{
    side s = { 0 };
    double sums[3] = { 0 }, squares[3] = { 0 };
    for (size_t i = 0; i < d->n; i++) {
        const size_t across = i % d->width > pixel % d->width ? i % d->width - pixel % d->width
                                                              : pixel % d->width - i % d->width;
        const size_t down = i / d->width > pixel / d->width ? i / d->width - pixel / d->width : pixel / d->width - i / d->width;
        if (across > w->reach || down > w->reach || b->labels[i] != label || (double)b->distances[i] < w->apart) continue;
        s.count++;
        for (size_t c = 0; c < 3; c++) {
            const double x = d->scene.moments[i][1 + c];
            assert_true(d->scene.moments[i][4 + c] == x * x);
            sums[c] += x;
            squares[c] += x * x;
        }
    }
    for (size_t c = 0; c < 3; c++) {
        s.mean[c] = sums[c] / fmax(s.count, 1);
        s.variance[c] = fmax(0, squares[c] / fmax(s.count, 1) - s.mean[c] * s.mean[c]) + 6;
    }
    return s;
}

static void told_check(const drawing *d, const s3svm_outline_band *b, const s3svm_outline_window *w, const float told[],
                       size_t k)
{
    const side back = side_find(d, b, w, b->pixels[k], 0), object = side_find(d, b, w, b->pixels[k], 1);
    double fit = 0, place = 0, apart = 0;
    for (size_t c = 0; c < 3; c++) {
        const double x = d->scene.moments[b->pixels[k]][1 + c], sum = back.variance[c] + object.variance[c];
        const double far = x - back.mean[c], near = x - object.mean[c], between = object.mean[c] - back.mean[c];
        fit += (far * far / back.variance[c] + log(back.variance[c])) / 2;
        fit -= (near * near / object.variance[c] + log(object.variance[c])) / 2;
        place += (x - object.mean[c] + x - back.mean[c]) / 2 * between / sum;
        apart += between * between / sum;
    }
    const bool known = back.count >= 4 && object.count >= 4;
    const double wanted[S3SVM_OUTLINE_TOLD] = { [S3SVM_OUTLINE_FIT] = known ? fmax(-8, fmin(8, fit)) : 0,
                                                [S3SVM_OUTLINE_PLACE] = known ? fmax(-6, fmin(6, place)) : 0,
                                                [S3SVM_OUTLINE_APART] = known ? fmin(6, sqrt(apart)) : 0,
                                                [S3SVM_OUTLINE_SHARE] = log((object.count + 0.5) / (back.count + 0.5)) };
    for (size_t f = 0; f < S3SVM_OUTLINE_TOLD; f++)
        if (!(fabs((double)told[f * b->count + k] - wanted[f]) < 1e-5 * (1 + fabs(wanted[f]))))
            fail_msg("number %zu of pixel %u in a window of %zu: %g, not %g", f, b->pixels[k], w->reach,
                     (double)told[f * b->count + k], wanted[f]);
}

static void windows_hold_the_colours_of_both_sides(void **state)
{
    static const s3svm_outline_window windows[] = { { 2, 0 }, { 3, 1.5 }, { 9, 1 }, { 60, 3 } };
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        sos_random r = sos_random_seeded(seed);
        sos_error error;
        drawing d;
        s3svm_outline_band b;
        print_message("seed %d\n", (int)seed);
        drawing_create(&r, 18 + sos_random_below(&r, 9), 12 + sos_random_below(&r, 9), 12, &d);
        check_ok(s3svm_outline_band_create(&d.scene, d.truth, NULL, 1, &b, &error), error);
        float *told = test_room(NULL, b.count * S3SVM_OUTLINE_TOLD, sizeof *told);
        for (size_t w = 0; w < sizeof windows / sizeof *windows; w++)
            for (int threads = 1; threads <= 3; threads++) {
                memset(told, 0xff, b.count * S3SVM_OUTLINE_TOLD * sizeof *told);
                check_ok(s3svm_outline_sides(&d.scene, &b, &windows[w], threads, told, &error), error);
                for (size_t k = 0; k < b.count; k++) told_check(&d, &b, &windows[w], told, k);
            }
        free(told);
        s3svm_outline_band_free(&b);
        drawing_free(&d);
    }
}

/* ---------------------------------------------------------------- the cut */

static double contrast_between(const drawing *d, double beta, size_t i, size_t j)
{
    double square = 0;
    for (size_t c = 0; c < 3; c++) {
        const double x = (double)d->photograph.pixels[3 * i + c] - (double)d->photograph.pixels[3 * j + c];
        square += x * x;
    }
    const bool diagonal = i % d->width != j % d->width && i / d->width != j / d->width;
    return exp(-beta * square) / (diagonal ? sqrt(2) : 1);
}

static bool are_neighbours(const drawing *d, size_t i, size_t j)
{
    const long across = (long)(i % d->width) - (long)(j % d->width), down = (long)(i / d->width) - (long)(j / d->width);
    return i != j && labs(across) <= 1 && labs(down) <= 1;
}

static double beta_of(const drawing *d)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < d->n; i++)
        for (size_t j = 0; j < i; j++) {
            if (!are_neighbours(d, i, j)) continue;
            for (size_t c = 0; c < 3; c++) {
                const double x = (double)d->photograph.pixels[3 * i + c] - (double)d->photograph.pixels[3 * j + c];
                sum += x * x;
            }
            count++;
        }
    return sum > 0 ? count / (2 * sum) : 0;
}

static double energy_of(const drawing *d, double beta, double strength, const s3svm_outline_band *b, const float odds[],
                        const uint8_t labels[])
{
    double energy = 0;
    for (size_t k = 0; k < b->count; k++) energy += labels[b->pixels[k]] ? 0 : (double)odds[k];
    for (size_t i = 0; i < d->n; i++)
        for (size_t j = 0; j < i; j++)
            if (are_neighbours(d, i, j) && labels[i] != labels[j]) energy += strength * contrast_between(d, beta, i, j);
    return energy;
}

static void the_cut_is_the_best_of_all_labellings(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        sos_random r = sos_random_seeded(seed);
        sos_error error;
        drawing d;
        s3svm_outline_band b;
        uint8_t marks[20], found[20], tried[20];
        float odds[20];
        print_message("seed %d\n", (int)seed);
        drawing_create(&r, 5, 4, 30, &d);
        for (size_t i = 0; i < d.n; i++) {
            d.truth[i] = (uint8_t)sos_random_below(&r, 2);
            marks[i] = sos_random_below(&r, 2) ? S3SVM_MARK_OBJECT : S3SVM_MARK_NONE; /* to leave few */
        }
        check_ok(s3svm_outline_band_create(&d.scene, d.truth, marks, 1, &b, &error), error);
        for (size_t k = 0; k < b.count; k++) odds[k] = (float)(2 * sos_random_normal(&r));
        const double strength = 2 * sos_random_uniform(&r), beta = beta_of(&d);
        memcpy(found, d.truth, d.n);
        memcpy(tried, d.truth, d.n);
        check_ok(s3svm_outline_cut(&d.scene, &b, strength, odds, found, &error), error);
        const double energy = energy_of(&d, beta, strength, &b, odds, found);
        for (size_t labels = 0; labels < (size_t)1 << b.count; labels++) {
            for (size_t k = 0; k < b.count; k++) tried[b.pixels[k]] = labels >> k & 1;
            assert_true(energy_of(&d, beta, strength, &b, odds, tried) > energy - 1e-4);
        }
        for (size_t i = 0; i < d.n; i++)
            if (marks[i]) assert_true(found[i] == d.truth[i]);
        s3svm_outline_band_free(&b);
        drawing_free(&d);
    }
}

/* ---------------------------------------------------------------- the second look */

/* A network that says how well colours fit in the largest window, which sees past what was put aside: two units, as h(a) -
 * h(-a) = 1.1 a. */
static void model_by_hand(s3svm_outline_model *m)
{
    enum { HIDDEN = 8, FIRST = S3SVM_OUTLINE_FEATURES - S3SVM_OUTLINE_WINDOWS * S3SVM_OUTLINE_TOLD };
    sos_error error;
    *m = (s3svm_outline_model){ .strength = 1 };
    check_ok(s3svm_perceptron_create(S3SVM_OUTLINE_FEATURES, HIDDEN, 1, &m->network, &error), error);
    float *weights = m->network.numbers +
                     (FIRST + (S3SVM_OUTLINE_WINDOWS - 1) * S3SVM_OUTLINE_TOLD + S3SVM_OUTLINE_FIT) * HIDDEN;
    weights[0] = 1;
    weights[1] = -1;
    float *outputs = m->network.numbers + (S3SVM_OUTLINE_FEATURES + 1) * HIDDEN;
    outputs[0] = 1;
    outputs[1] = -1;
}

/* How far a wrong pixel is from the true outline, at most; found step by step, as far as 8 pixels. */
static double farthest_wrong(const drawing *d, const uint8_t labels[])
{
    double most = 0;
    for (size_t i = 0; i < d->n; i++) {
        double least = 8;
        if (labels[i] == d->truth[i]) continue;
        const long x = (long)(i % d->width), y = (long)(i / d->width);
        for (long v = y - 8; v <= y + 8; v++)
            for (long u = x - 8; u <= x + 8; u++)
                if (u >= 0 && v >= 0 && u < (long)d->width && v < (long)d->height &&
                    has_edge(d, d->truth, (size_t)u, (size_t)v))
                    least = fmin(least, hypot((double)(u - x), (double)(v - y)));
        most = fmax(most, least);
    }
    return most;
}

static void an_outline_that_was_put_aside_comes_back(void **state)
{
    (void)state;
    sos_random r = sos_random_seeded(3);
    sos_error error;
    s3svm_outline_model m;
    drawing d;
    model_by_hand(&m);
    drawing_create(&r, 500, 400, 8, &d);
    uint8_t *labels = test_room(NULL, 4 * d.n, 1);
    float *response = test_room(NULL, d.n, sizeof *response);
    memset(response, 0, d.n * sizeof *response);
    const s3svm_outline_odds odds = { response, NULL };
    for (int threads = 0; threads < 4; threads++) {
        labels_move(&d, 6, labels + (size_t)threads * d.n);
        if (!threads) assert_true(share_wrong(&d, labels) > 0.01);
        check_ok(s3svm_outline_decide(&m, &d.scene, NULL, &odds, threads, labels + (size_t)threads * d.n, &error), error);
        assert_memory_equal(labels, labels + (size_t)threads * d.n, d.n);
    }
    print_message("wrong: %g %%, at most %g pixels from the outline\n", 100 * share_wrong(&d, labels),
                  farthest_wrong(&d, labels));
    assert_true(share_wrong(&d, labels) < 0.003);
    assert_true(farthest_wrong(&d, labels) <= 1);
    s3svm_outline_model_free(&m);
    free(labels);
    free(response);
    drawing_free(&d);
}

/* ---------------------------------------------------------------- models */

enum { PICTURES = 6 };

static void pictures_draw(s3svm_marked pictures[PICTURES])
{
    sos_random r = sos_random_seeded(4);
    sos_error error;
    for (size_t k = 0; k < PICTURES; k++) {
        drawing d;
        drawing_create(&r, 70 + 2 * k, 60, 25, &d);
        pictures[k] = (s3svm_marked){ .photograph = d.photograph, .truth = d.truth, .care = test_room(NULL, d.n, 1) };
        memset(pictures[k].care, 1, d.n);
        check_ok(s3svm_image_create(d.width, d.height, 1, &pictures[k].marks, &error), error);
        for (size_t x = 0; x < d.width / 5; x++) {
            pictures[k].marks.pixels[30 * d.width + 2 * d.width / 5 + x] = S3SVM_MARK_OBJECT;
            pictures[k].marks.pixels[4 * d.width + 2 * d.width / 5 + x] = S3SVM_MARK_BACKGROUND;
        }
        s3svm_outline_photo_free(&d.scene);
        free(d.lab);
    }
}

static sos_model *model_train(const s3svm_marked pictures[PICTURES])
{
    s3svm_segment_settings s = s3svm_segment_defaults();
    sos_train_settings training = s3svm_segment_training(S3SVM_SEGMENT_FULL, S3SVM_SEGMENT_AMN);
    s3svm_segment_model *prepared;
    sos_example *examples[PICTURES];
    sos_train_result result;
    sos_model *m;
    sos_error error;
    s.method = S3SVM_SEGMENT_AMN;
    s.samples = 300;
    check_ok(s3svm_segment_create(&s, PICTURES, pictures, &m, &error), error);
    check_ok(s3svm_segment_model_create(m, &prepared, &error), error);
    check_ok(s3svm_segment_model_examples(prepared, PICTURES, pictures, NULL, NULL, NULL, examples, &error), error);
    check_ok(sos_train(m, PICTURES, examples, &training, &result, &error), error);
    for (size_t k = 0; k < PICTURES; k++) sos_example_free(examples[k]);
    s3svm_segment_model_free(prepared);
    return m;
}

static double predict_wrong(const sos_model *m, const s3svm_marked *p, uint8_t labels[])
{
    const size_t n = s3svm_image_size(&p->photograph);
    s3svm_segment_model *prepared;
    sos_error error;
    size_t wrong = 0;
    check_ok(s3svm_segment_model_create(m, &prepared, &error), error);
    check_ok(soft_segment(prepared, p, 0, labels, &error), error);
    s3svm_segment_model_free(prepared);
    for (size_t i = 0; i < n; i++) wrong += labels[i] != p->truth[i];
    return (double)wrong / (double)n;
}

static void models_learn_to_look_again_and_keep_it(void **state)
{
    (void)state;
    s3svm_marked pictures[PICTURES];
    uint8_t first[2][80 * 60], again[80 * 60];
    char *facts[2] = { NULL, NULL };
    sos_error error;
    pictures_draw(pictures);
    sos_model *m = model_train(pictures);
    assert_null(sos_model_fact(m, "outline"));
    const double before = predict_wrong(m, &pictures[0], first[0]);
    predict_wrong(m, &pictures[0], first[1]);
    assert_memory_equal(first[0], first[1], s3svm_image_size(&pictures[0].photograph));
    for (int threads = 1; threads <= 2; threads++) {
        const sos_work work = { .threads = threads };
        check_ok(s3svm_segment_outline_learn(m, PICTURES, pictures, NULL, &work, &error), error);
        facts[threads - 1] = strdup(sos_model_fact(m, "outline"));
    }
    assert_string_equal(facts[0], facts[1]);
    assert_true(predict_wrong(m, &pictures[0], again) <= before + 0.002);
    check_ok(sos_model_set_fact(m, "outline", "{\"version\": 1, \"strength\": -1, \"hidden\": 8, \"network\": []}", &error),
             error);
    s3svm_segment_model *prepared = NULL;
    check_error(s3svm_segment_model_create(m, &prepared, &error), SOS_ERR_FORMAT, error, "strength");
    check_ok(sos_model_set_fact(m, "outline", facts[0], &error), error);
    uint8_t same[80 * 60];
    predict_wrong(m, &pictures[0], same);
    assert_memory_equal(same, again, s3svm_image_size(&pictures[0].photograph));
    free(facts[0]);
    free(facts[1]);
    sos_model_free(m);
    for (size_t k = 0; k < PICTURES; k++) s3svm_marked_free(&pictures[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_band_is_what_is_near_the_outline_and_not_marked),
        cmocka_unit_test(nothing_happens_without_an_outline),
        cmocka_unit_test(windows_hold_the_colours_of_both_sides),
        cmocka_unit_test(the_cut_is_the_best_of_all_labellings),
        cmocka_unit_test(an_outline_that_was_put_aside_comes_back),
        cmocka_unit_test(models_learn_to_look_again_and_keep_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
