/* test_grabcut.c - GrabCut: the cut is a minimum of the energy that the mixtures define, no iteration raises it, and odd input
 * is no trouble.
 *
 *     test_grabcut segment IMAGE SCRIBBLES MASK START [SEED]
 *
 * is no test but what grabcut_opencv.sh compares with OpenCV: it writes the mask of 10 iterations, and into START the two
 * mixtures and the mask that these began with, in OpenCV's numbers, and prints the seconds of processor time that it took. */
#include "dialogue_support.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vision/grabcut.h"

/* A picture of an object and a background of two colours each, with noise, and marks. */
typedef struct scene {
    s3svm_image image, marks;
    uint8_t *truth;
    size_t n;
} scene;

static scene scene_create(sos_random *r, size_t width, size_t height, double noise)
{
    scene s = { { width, height, 3, test_room(NULL, 3 * width * height, 1) },
                { width, height, 1, test_room(NULL, width * height, 1) },
                test_room(NULL, width * height, 1),
                width * height };
    for (size_t i = 0; i < s.n; i++) {
        const double x = (double)(i % width) / (double)width - 0.5, y = (double)(i / width) / (double)height - 0.5;
        const bool object = x * x + y * y < 0.09;
        static const double COLOURS[4][3] = { { 60, 80, 60 }, { 90, 100, 130 }, { 180, 90, 60 }, { 200, 180, 70 } };
        const double *colour = COLOURS[2 * object + (x > 0)];
        for (size_t c = 0; c < 3; c++)
            s.image.pixels[3 * i + c] = (uint8_t)fmin(255, fmax(0, colour[c] + noise * sos_random_normal(r)));
        s.truth[i] = object;
        s.marks.pixels[i] = fabs(x) < 0.15 && fabs(y) < 0.1            ? S3SVM_MARK_OBJECT
                            : fabs(x) > 0.45 || fabs(y) > 0.42         ? S3SVM_MARK_BACKGROUND
                            : fabs(x) < 0.25 && sos_random_below(r, 2) ? S3SVM_MARK_PERHAPS_OBJECT
                            : sos_random_below(r, 2)                   ? S3SVM_MARK_NONE
                                                                       : S3SVM_MARK_PERHAPS_BACKGROUND;
    }
    return s;
}

static void scene_free(scene *s)
{
    s3svm_image_free(&s->image);
    s3svm_image_free(&s->marks);
    free(s->truth);
}

/* A copy of the marks, to give away. */
static s3svm_image marks_copy(const scene *s)
{
    s3svm_image copy = { s->image.width, s->image.height, 1, test_room(NULL, s->n, 1) };
    memcpy(copy.pixels, s->marks.pixels, s->n);
    return copy;
}

static void labels_of(const s3svm_image *marks, uint8_t labels[])
{
    for (size_t i = 0; i < s3svm_image_size(marks); i++) labels[i] = s3svm_mark_is_object(marks->pixels[i]);
}

/* E by the formula: mixtures by their densities, pairs from the pixels. */
typedef struct terms {
    double beta;
    double *logs[2];
} terms;

static double pair_square(const scene *s, size_t i, size_t j)
{
    double sum = 0;
    for (size_t c = 0; c < 3; c++) sum += pow((double)s->image.pixels[3 * i + c] - (double)s->image.pixels[3 * j + c], 2);
    return sum;
}

/* What the pairs cost; without terms the sum of their squared differences.  *count: how many there are. */
static double over_pairs(const scene *s, const terms *t, const uint8_t labels[], double *count)
{
    const size_t width = s->image.width;
    double sum = 0;
    *count = 0;
    for (size_t i = 0; i < s->n; i++)
        for (size_t j = i + 1; j < s->n; j++) {
            const double dx = (double)(i % width) - (double)(j % width), dy = (double)(i / width) - (double)(j / width);
            if (j > i + width + 1) break;
            if (fabs(dx) > 1 || fabs(dy) > 1) continue;
            ++*count;
            if (!t)
                sum += pair_square(s, i, j);
            else if (labels[i] != labels[j])
                sum += 50 / sqrt(dx * dx + dy * dy) * exp(-t->beta * pair_square(s, i, j));
        }
    return sum;
}

static double find_beta(const scene *s)
{
    double count, sum = over_pairs(s, NULL, NULL, &count);
    return sum > 0 ? count / (2 * sum) : 0;
}

static double energy(const scene *s, const terms *t, const uint8_t labels[])
{
    double count, sum = over_pairs(s, t, labels, &count);
    for (size_t i = 0; i < s->n; i++)
        if (!s3svm_mark_is_sure(s->marks.pixels[i])) sum -= t->logs[labels[i]][i];
    return sum;
}

static void terms_create(const scene *s, const s3svm_mixture mixtures[2], terms *t)
{
    float *points = test_room(NULL, 3 * s->n, sizeof *points);
    for (size_t i = 0; i < 3 * s->n; i++) points[i] = (float)s->image.pixels[i];
    for (int side = 0; side < 2; side++) {
        t->logs[side] = test_room(NULL, s->n, sizeof(double));
        s3svm_mixture_evaluate(&mixtures[side], s->n, points, t->logs[side], NULL, 1);
    }
    t->beta = find_beta(s);
    free(points);
}

static void the_energy_is_the_sum_of_its_terms_and_no_change_of_a_pixel_lowers_it(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(30); c++) {
        sos_random r = test_case_begin(c);
        scene s = scene_create(&r, 5 + sos_random_below(&r, 25), 5 + sos_random_below(&r, 25), 5 + 40 * sos_random_uniform(&r));
        uint8_t *labels = test_room(NULL, s.n, 1), *other = test_room(NULL, s.n, 1);
        s3svm_image marks = marks_copy(&s);
        s3svm_grabcut_step steps[6];
        s3svm_grabcut_settings settings = s3svm_grabcut_defaults();
        s3svm_grabcut_result result;
        s3svm_mixture mixtures[2];
        sos_error error;
        settings.seed = c;
        settings.iterations = 1 + c % 6;
        settings.steps = steps;
        check_ok(s3svm_grabcut_mixtures(&s.image, &marks, &settings, mixtures, &result, &error), error);
        check(result.iterations >= 1 && result.iterations <= settings.iterations && !result.one_sided);
        labels_of(&marks, labels);
        for (size_t i = 0; i < s.n; i++) {
            const uint8_t was = s.marks.pixels[i], is = marks.pixels[i];
            check(s3svm_mark_is_sure(was) ? is == was : is == S3SVM_MARK_PERHAPS_OBJECT || is == S3SVM_MARK_PERHAPS_BACKGROUND);
            other[i] = s3svm_mark_is_sure(was) ? was == S3SVM_MARK_OBJECT : s.truth[i];
        }
        terms t;
        terms_create(&s, mixtures, &t);
        check(fabs(t.beta - result.beta) <= 1e-12 * t.beta);
        const double now = energy(&s, &t, labels), tolerance = 1e-5 * (fabs(now) + (double)s.n);
        check(fabs(now - steps[result.iterations - 1].after) <= tolerance);
        for (size_t k = 0; k < result.iterations; k++) check(steps[k].after <= steps[k].before + tolerance);
        for (size_t i = 0; i < s.n; i += 1 + s.n / 50) {
            if (s3svm_mark_is_sure(s.marks.pixels[i])) continue;
            labels[i] ^= 1;
            check(energy(&s, &t, labels) >= now - tolerance);
            labels[i] ^= 1;
        }
        check(energy(&s, &t, other) >= now - tolerance);
        for (int side = 0; side < 2; side++) {
            free(t.logs[side]);
            s3svm_mixture_free(&mixtures[side]);
        }
        free(labels);
        free(other);
        s3svm_image_free(&marks);
        scene_free(&s);
    }
}

/* The cut of the first iteration is the least of all labellings of few pixels. */
static void few_pixels_are_cut_as_a_search_would(void **state)
{
    (void)state;
    enum { FREE = 11 };
    for (uint64_t c = 0; c < test_cases(40); c++) {
        sos_random r = test_case_begin(c);
        scene s = scene_create(&r, 5, 5, 30);
        for (size_t i = 0, free_ones = 0; i < s.n; i++) {
            s.marks.pixels[i] = (uint8_t)sos_random_below(&r, S3SVM_MARKS);
            if (!s3svm_mark_is_sure(s.marks.pixels[i]) && ++free_ones > FREE)
                s.marks.pixels[i] = (uint8_t)(S3SVM_MARK_OBJECT + sos_random_below(&r, 2));
        }
        s.marks.pixels[0] = S3SVM_MARK_OBJECT;
        s.marks.pixels[1] = S3SVM_MARK_BACKGROUND;
        s3svm_image marks = marks_copy(&s);
        uint8_t labels[25];
        s3svm_grabcut_settings settings = s3svm_grabcut_defaults();
        settings.iterations = 1;
        settings.components = 2;
        s3svm_mixture mixtures[2];
        sos_error error;
        terms t;
        check_ok(s3svm_grabcut_mixtures(&s.image, &marks, &settings, mixtures, NULL, &error), error);
        terms_create(&s, mixtures, &t);
        double least = INFINITY;
        for (uint32_t choice = 0; choice < 1 << FREE; choice++) {
            labels_of(&s.marks, labels);
            for (size_t i = 0, k = 0; i < s.n; i++)
                if (!s3svm_mark_is_sure(s.marks.pixels[i])) labels[i] = choice >> k++ & 1;
            least = fmin(least, energy(&s, &t, labels));
        }
        labels_of(&marks, labels);
        check(energy(&s, &t, labels) <= least + 1e-3);
        for (int side = 0; side < 2; side++) {
            free(t.logs[side]);
            s3svm_mixture_free(&mixtures[side]);
        }
        s3svm_image_free(&marks);
        scene_free(&s);
    }
}

static void an_easy_object_is_found(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(6); c++) {
        sos_random r = test_case_begin(c);
        scene s = scene_create(&r, 90, 70, 8);
        sos_error error;
        size_t wrong = 0;
        if (c % 2) {
            memset(s.marks.pixels, S3SVM_MARK_NONE, s.n);
            rectangle_mark(&s.marks, (const size_t[4]){ 12, 9, 66, 52 });
        }
        check_ok(s3svm_grabcut(&s.image, &s.marks, NULL, NULL, &error), error);
        for (size_t i = 0; i < s.n; i++) wrong += s3svm_mark_is_object(s.marks.pixels[i]) != s.truth[i];
        check(wrong <= s.n / 200);
        scene_free(&s);
    }
}

static void any_number_of_threads_gives_the_same(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    scene s = scene_create(&r, 200, 120, 30);
    uint8_t *first = test_room(NULL, s.n, 1);
    for (int threads = 1; threads < 5; threads++) {
        s3svm_grabcut_settings settings = s3svm_grabcut_defaults();
        sos_error error;
        s3svm_image marks = marks_copy(&s);
        settings.work.threads = threads;
        settings.iterations = 4;
        check_ok(s3svm_grabcut(&s.image, &marks, &settings, NULL, &error), error);
        if (threads == 1) memcpy(first, marks.pixels, s.n);
        check(!memcmp(first, marks.pixels, s.n));
        s3svm_image_free(&marks);
    }
    free(first);
    scene_free(&s);
}

static void converged_means_that_more_iterations_change_nothing(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    scene s = scene_create(&r, 40, 30, 15);
    s3svm_image first = marks_copy(&s), second = marks_copy(&s);
    s3svm_grabcut_settings settings = s3svm_grabcut_defaults();
    s3svm_grabcut_result result;
    sos_error error;
    settings.iterations = 200;
    check_ok(s3svm_grabcut(&s.image, &first, &settings, &result, &error), error);
    check(result.converged && result.iterations < 200);
    settings.iterations = result.iterations - 1;
    check_ok(s3svm_grabcut(&s.image, &second, &settings, &result, &error), error);
    check(!result.converged && !memcmp(first.pixels, second.pixels, s.n));
    s3svm_image_free(&first);
    s3svm_image_free(&second);
    scene_free(&s);
}

typedef struct patience {
    size_t calls, most;
} patience;

static bool wait_for(void *user, const char *phase, double done)
{
    patience *p = user;
    check(!strcmp(phase, "GrabCut") && done >= 0 && done < 1);
    return p->calls++ < p->most;
}

static void it_can_be_stopped_before_every_iteration(void **state)
{
    (void)state;
    for (size_t most = 0; most < 3; most++) {
        sos_random r = test_case_begin(most);
        scene s = scene_create(&r, 40, 30, 40);
        s3svm_image marks = marks_copy(&s);
        patience p = { .most = most };
        s3svm_grabcut_settings settings = s3svm_grabcut_defaults();
        settings.work.progress = wait_for;
        settings.work.user = &p;
        sos_error error;
        check_error(s3svm_grabcut(&s.image, &marks, &settings, NULL, &error), SOS_CANCELLED, error, "stopped after");
        check(p.calls == most + 1 && !memcmp(marks.pixels, s.marks.pixels, s.n));
        s3svm_image_free(&marks);
        scene_free(&s);
    }
}

static void odd_images_are_no_trouble(void **state)
{
    (void)state;
    sos_error error;
    s3svm_grabcut_result result;
    uint8_t pixels[3 * 64] = { 0 }, marked[64];
    for (uint8_t mark = 0; mark < S3SVM_MARKS; mark++) { /* one pixel: nothing to learn */
        s3svm_image one = { 1, 1, 3, pixels }, marks = { 1, 1, 1, marked };
        marked[0] = mark;
        check_ok(s3svm_grabcut(&one, &marks, NULL, &result, &error), error);
        check(marked[0] == (mark ? mark : S3SVM_MARK_PERHAPS_BACKGROUND) && result.one_sided && !result.iterations);
    }
    for (int kind = 0; kind < 3; kind++) { /* one colour; with either side a single pixel; a line */
        s3svm_image flat = { kind == 2 ? 64 : 8, kind == 2 ? 1 : 8, 3, pixels }, marks = { flat.width, flat.height, 1, marked };
        memset(marked, S3SVM_MARK_PERHAPS_BACKGROUND, sizeof marked);
        marked[9] = S3SVM_MARK_OBJECT;
        if (kind == 1) marked[20] = S3SVM_MARK_BACKGROUND;
        check_ok(s3svm_grabcut(&flat, &marks, NULL, &result, &error), error);
        check(marked[9] == S3SVM_MARK_OBJECT && !result.one_sided);
        for (int i = 0; i < 64; i++) check(i == 9 || (kind == 1 && i == 20) || marked[i] >= S3SVM_MARK_PERHAPS_OBJECT);
    }
    s3svm_image flat = { 8, 8, 3, pixels }, marks = { 8, 8, 1, marked };
    for (uint8_t mark = S3SVM_MARK_OBJECT; mark <= S3SVM_MARK_BACKGROUND; mark++) { /* no pixel of one kind */
        s3svm_mixture mixtures[2];
        for (int i = 0; i < 64; i++) marked[i] = (uint8_t)(mark + (i % 3 ? 2 : 0));
        check_ok(s3svm_grabcut_mixtures(&flat, &marks, NULL, mixtures, &result, &error), error);
        check(result.one_sided);
        for (int i = 0; i < 64; i++) check(marked[i] == mark + (i % 3 ? 2 : 0));
        s3svm_mixture_free(&mixtures[0]);
        s3svm_mixture_free(&mixtures[1]);
    }
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    uint8_t pixels[12] = { 0 }, marked[4] = { 0, 1, 2, S3SVM_MARKS };
    s3svm_image image = { 2, 2, 3, pixels }, marks = { 2, 2, 1, marked };
    s3svm_grabcut_settings s = s3svm_grabcut_defaults();
    sos_error error;
    check_error(s3svm_grabcut(&image, &marks, NULL, NULL, &error), SOS_ERR_ARGUMENT, error, "column 1, row 1", "5");
    marked[3] = S3SVM_MARK_PERHAPS_OBJECT;
    image.channels = 1;
    check_error(s3svm_grabcut(&image, &marks, NULL, NULL, &error), SOS_ERR_ARGUMENT, error, "3 channels");
    image.channels = 3;
    marks.width = 1;
    check_error(s3svm_grabcut(&image, &marks, NULL, NULL, &error), SOS_ERR_ARGUMENT, error, "1 by 2", "2 by 2");
    marks.width = 2;
    s.components = 0;
    check_error(s3svm_grabcut(&image, &marks, &s, NULL, &error), SOS_ERR_ARGUMENT, error, "0 components");
    s = s3svm_grabcut_defaults();
    s.gamma = NAN;
    check_error(s3svm_grabcut(&image, &marks, &s, NULL, &error), SOS_ERR_ARGUMENT, error, "gamma");
    s = s3svm_grabcut_defaults();
    s.reserved[3] = 1;
    check_error(s3svm_grabcut(&image, &marks, &s, NULL, &error), SOS_ERR_ARGUMENT, error, "s3svm_grabcut_settings.reserved");
    check_error(s3svm_grabcut(&image, NULL, NULL, NULL, &error), SOS_ERR_ARGUMENT, error, "no marks");
}

/* ---------------------------------------------------------------- for the comparison with OpenCV */

static int complain(const char *what, const sos_error *error)
{
    fprintf(stderr, "%s: %s\n", what, error->message);
    return 1;
}

/* OpenCV's numbers: 0 background, 1 object, 2 perhaps background, 3 perhaps object. */
static uint8_t opencv_number(uint8_t mark)
{
    return (uint8_t)(s3svm_mark_is_object(mark) + (s3svm_mark_is_sure(mark) ? 0 : 2));
}

static s3svm_image opencv_mask(const s3svm_image *marks)
{
    s3svm_image mask = { marks->width, marks->height, 1, test_room(NULL, s3svm_image_size(marks), 1) };
    for (size_t i = 0; i < s3svm_image_size(marks); i++) mask.pixels[i] = opencv_number(marks->pixels[i]);
    return mask;
}

/* The mixtures in OpenCV's order: 5 weights, 15 means, 45 covariances; background first. */
static bool write_mixtures(const s3svm_mixture mixtures[2], FILE *file)
{
    size_t written = 0;
    for (int side = 0; side < 2; side++) {
        written += fwrite(mixtures[side].weight, sizeof(double), 5, file);
        written += fwrite(mixtures[side].mean, sizeof(double), 15, file);
        written += fwrite(mixtures[side].covariance, sizeof(double), 45, file);
    }
    return written == 130;
}

/* What OpenCV is to begin with: mixtures and mask. */
static int write_start(const char *path, const s3svm_mixture mixtures[2], const s3svm_image *marks)
{
    s3svm_image mask = opencv_mask(marks);
    FILE *file = fopen(path, "wb");
    const bool written = file && write_mixtures(mixtures, file) &&
                         fwrite(mask.pixels, 1, s3svm_image_size(&mask), file) == s3svm_image_size(&mask);
    s3svm_image_free(&mask);
    return !file || fclose(file) || !written;
}

static int segment(const char *image_path, const char *scribbles_path, const char *mask_path, const char *start_path,
                   uint64_t seed)
{
    s3svm_image image, marks;
    sos_error error;
    s3svm_grabcut_settings s = s3svm_grabcut_defaults();
    s.work.threads = 1;
    s.seed = seed;
    if (s3svm_image_read(image_path, S3SVM_IMAGE_COLOUR, &image, &error)) return complain(image_path, &error);
    if (s3svm_image_read(scribbles_path, S3SVM_IMAGE_LABELS, &marks, &error)) return complain(scribbles_path, &error);
    s3svm_mixture mixtures[2];
    s.iterations = 0;
    if (s3svm_grabcut_mixtures(&image, &marks, &s, mixtures, NULL, &error)) return complain(image_path, &error);
    if (write_start(start_path, mixtures, &marks)) return 1;
    s.iterations = 10;
    const clock_t began = clock();
    if (s3svm_grabcut(&image, &marks, &s, NULL, &error)) return complain(image_path, &error);
    printf("%.6f\n", (double)(clock() - began) / CLOCKS_PER_SEC);
    s3svm_image mask = opencv_mask(&marks);
    if (s3svm_image_write(&mask, mask_path, &error)) return complain(mask_path, &error);
    s3svm_mixture_free(&mixtures[0]);
    s3svm_mixture_free(&mixtures[1]);
    s3svm_image_free(&image);
    s3svm_image_free(&marks);
    s3svm_image_free(&mask);
    return 0;
}

int main(int argc, char *argv[])
{
    if (argc >= 6 && !strcmp(argv[1], "segment"))
        return segment(argv[2], argv[3], argv[4], argv[5], argc > 6 ? strtoull(argv[6], NULL, 10) : 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_energy_is_the_sum_of_its_terms_and_no_change_of_a_pixel_lowers_it),
        cmocka_unit_test(few_pixels_are_cut_as_a_search_would),
        cmocka_unit_test(an_easy_object_is_found),
        cmocka_unit_test(any_number_of_threads_gives_the_same),
        cmocka_unit_test(converged_means_that_more_iterations_change_nothing),
        cmocka_unit_test(it_can_be_stopped_before_every_iteration),
        cmocka_unit_test(odd_images_are_no_trouble),
        cmocka_unit_test(bad_input_is_refused),
    };
    return cmocka_run_group_tests_name("grabcut", tests, NULL, NULL);
}
