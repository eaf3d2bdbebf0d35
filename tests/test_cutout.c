/* test_cutout.c - the object in a photograph: a large photograph's labels are those of the direct solution, marks are kept,
 * what is missing is assumed; soft edges are those that the picture was made with, and pictures have what they promise. */
#include "dialogue_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/cutout.h>

#include "segment/model/parts.h"
#include "segment/model/refine.h"

/* A photograph made of an object, a background and the true alpha between them. */
typedef struct scene {
    size_t width, height, n;
    s3svm_image photograph, marks;
    double *alpha;
    uint8_t *object, *background; /* colours, 3 a pixel */
    uint8_t *truth;               /* alpha >= 1/2 */
} scene;

/* A blob whose outline is soft over `blur` pixels, with a stroke in it and a stroke beside it. */
static scene scene_create(sos_random *r, size_t width, size_t height, double blur, double noise)
{
    scene s = { .width = width, .height = height, .n = width * height };
    sos_error error;
    check_ok(s3svm_image_create(width, height, 3, &s.photograph, &error), error);
    check_ok(s3svm_image_create(width, height, 1, &s.marks, &error), error);
    s.alpha = test_room(NULL, s.n, sizeof *s.alpha);
    s.object = test_room(NULL, s.n, 3);
    s.background = test_room(NULL, s.n, 3);
    s.truth = test_room(NULL, s.n, 1);
    const double phase = 6 * sos_random_uniform(r), least = (double)(width < height ? width : height);
    for (size_t i = 0; i < s.n; i++) {
        const double x = (double)(i % width) - (double)width / 2, y = (double)(i / width) - (double)height / 2;
        const double angle = atan2(y, x), radius = least * (0.3 + 0.06 * sin(3 * angle + phase) + 0.02 * sin(11 * angle));
        const double inside = (radius - sqrt(x * x + y * y)) / blur + 0.5;
        s.alpha[i] = fmax(0, fmin(1, inside));
        s.truth[i] = s.alpha[i] >= 0.5;
        for (size_t c = 0; c < 3; c++) {
            const double warm[3] = { 205, 120, 60 }, cool[3] = { 50, 90, 150 };
            const double f = warm[c] + 15 * sin(x / 17 + (double)c) + noise * sos_random_normal(r);
            const double b = cool[c] + 25 * sin(y / 23 - (double)c) + noise * sos_random_normal(r);
            s.object[3 * i + c] = (uint8_t)fmax(0, fmin(255, f));
            s.background[3 * i + c] = (uint8_t)fmax(0, fmin(255, b));
            s.photograph.pixels[3 * i + c] = (uint8_t)(s.alpha[i] * s.object[3 * i + c] +
                                                       (1 - s.alpha[i]) * s.background[3 * i + c] + 0.5);
        }
        if (fabs(x) < least / 10 && fabs(y) < 3) s.marks.pixels[i] = S3SVM_MARK_OBJECT;
        if (fabs(x) < least / 3 && fabs(y + least * 0.45) < 3) s.marks.pixels[i] = S3SVM_MARK_BACKGROUND;
    }
    return s;
}

static void scene_free(scene *s)
{
    s3svm_image_free(&s->photograph);
    s3svm_image_free(&s->marks);
    free(s->alpha);
    free(s->object);
    free(s->background);
    free(s->truth);
}

static size_t differing(size_t n, const uint8_t a[], const uint8_t b[])
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += a[i] != b[i];
    return count;
}

/* The distance to the nearest pixel of another label, by looking at all within reach; reach + 1: there is none. */
static double depth_of(const scene *s, const uint8_t labels[], size_t i, long reach)
{
    const long x = (long)(i % s->width), y = (long)(i / s->width);
    double best = (double)reach + 1;
    for (long v = y - reach; v <= y + reach; v++)
        for (long u = x - reach; u <= x + reach; u++) {
            if (u < 0 || v < 0 || u >= (long)s->width || v >= (long)s->height) continue;
            if (labels[v * (long)s->width + u] == labels[i]) continue;
            best = fmin(best, sqrt((double)((u - x) * (u - x) + (v - y) * (v - y))));
        }
    return best;
}

/* ---------------------------------------------------------------- labels */

static void test_grabcut_is_grabcut(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(3); c++) {
        sos_random r = test_case_begin(c);
        scene s = scene_create(&r, 90, 70, 2, 8);
        uint8_t *labels = test_room(NULL, s.n, 1);
        s3svm_image marks = { s.width, s.height, 1, test_room(NULL, s.n, 1) };
        sos_error error;
        s3svm_segmentation_result result;
        memcpy(marks.pixels, s.marks.pixels, s.n);
        check_ok(s3svm_grabcut(&s.photograph, &marks, NULL, NULL, &error), error);
        check_ok(picture_segment(NULL, &s.photograph, &s.marks, NULL, labels, &result, &error), error);
        for (size_t i = 0; i < s.n; i++) check(labels[i] == s3svm_mark_is_object(marks.pixels[i]));
        check(result.reduction == 1 && !result.background_assumed && !result.object_assumed);
        size_t object = 0;
        for (size_t i = 0; i < s.n; i++) object += labels[i];
        check(result.object == object);
        free(labels);
        s3svm_image_free(&marks);
        scene_free(&s);
    }
}

static void test_a_reduced_size_comes_to_the_labels_of_the_full_size(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(3); c++) {
        sos_random r = test_case_begin(c);
        scene s = scene_create(&r, 301, 227, 2, 10);
        uint8_t *direct = test_room(NULL, s.n, 1), *labels = test_room(NULL, s.n, 1);
        sos_error error;
        s3svm_segmentation_result result;
        s3svm_segmentation_settings settings = s3svm_segmentation_defaults();
        rectangle_mark(&s.marks, (size_t[]){ 50, 10, 200, 207 });
        check_ok(picture_segment(NULL, &s.photograph, &s.marks, &settings, direct, NULL, &error), error);
        check(differing(s.n, direct, s.truth) < s.n / 200);
        for (size_t k = 2; k <= 4; k++) {
            settings.pixels = ((s.width + k - 1) / k) * ((s.height + k - 1) / k);
            check_ok(picture_segment(NULL, &s.photograph, &s.marks, &settings, labels, &result, &error), error);
            check(result.reduction == k && result.band > 0 && result.band < s.n / 3);
            check(differing(s.n, labels, direct) < s.n / 300);
            const size_t refined = differing(s.n, labels, s.truth);
            settings.rough = true;
            check_ok(picture_segment(NULL, &s.photograph, &s.marks, &settings, labels, &result, &error), error);
            check(result.reduction == k && result.band == 0 && differing(s.n, labels, s.truth) >= refined);
            check(differing(s.n, labels, direct) < s.n / 30);
            settings.rough = false;
        }
        free(direct);
        free(labels);
        scene_free(&s);
    }
}

/* What a model of segmentation heeds.  Its weights are set by hand, so that its answers are known. */
typedef struct heed {
    double marks;      /* what it costs to contradict a mark */
    double colours;    /* what the log ratio of colours is worth */
    double neighbours; /* what neighbours cost that differ */
} heed;

static const heed NOTHING = { 0, 0, 0 }, MARKS = { 1, 0, 0 }, COLOURS = { 1000, 1, 5 };

static s3svm_segment_model *model_create(const heed *h)
{
    sos_random r = sos_random_seeded(7);
    scene s = scene_create(&r, 30, 25, 2, 8);
    s3svm_marked lesson = { .photograph = s.photograph, .marks = s.marks, .truth = s.truth };
    s3svm_segment_settings settings = s3svm_segment_defaults();
    settings.features = S3SVM_SEGMENT_PAPER;
    settings.method = S3SVM_SEGMENT_AMN;
    sos_model *m;
    s3svm_segment_model *p;
    sos_error error;
    check_ok(s3svm_segment_create(&settings, 1, &lesson, &m, &error), error);
    double *w = test_room(NULL, sos_model_weight_count(m), sizeof *w);
    memset(w, 0, sos_model_weight_count(m) * sizeof *w);
    double *marks = w + sos_model_group_offset(m, S3SVM_SEGMENT_MARKS);
    marks[S3SVM_SEGMENT_BACKGROUND] = marks[2 + S3SVM_SEGMENT_OBJECT] = h->marks;
    w[sos_model_group_offset(m, S3SVM_SEGMENT_COLOURS) + S3SVM_SEGMENT_OBJECT] = -h->colours;
    w[sos_model_group_offset(m, (uint32_t)sos_model_groups(m) - 1)] = h->neighbours;
    check_ok(sos_model_set_weights(m, w, &error), error);
    check_ok(s3svm_segment_model_create(m, &p, &error), error);
    sos_model_free(m);
    free(w);
    scene_free(&s);
    return p;
}

static void test_marks_are_kept_where_they_are_hard(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    scene s = scene_create(&r, 121, 97, 2, 8);
    s3svm_segment_model *m = model_create(&NOTHING);
    uint8_t *labels = test_room(NULL, s.n, 1);
    sos_error error;
    for (size_t k = 1; k <= 3; k++) {
        s3svm_segmentation_settings settings = s3svm_segmentation_defaults();
        s3svm_segmentation_result result;
        settings.pixels = ((s.width + k - 1) / k) * ((s.height + k - 1) / k);
        check(settings.hard); /* a mark holds, unless somebody says otherwise */
        settings.hard = false;
        check_ok(picture_segment(m, &s.photograph, &s.marks, &settings, labels, &result, &error), error);
        for (size_t i = 0; i < s.n; i++) check(!labels[i]); /* soft: the model's word */
        check(result.reduction == k && !result.object && !result.object_assumed && !result.background_assumed);
        settings.hard = true;
        check_ok(picture_segment(m, &s.photograph, &s.marks, &settings, labels, NULL, &error), error);
        for (size_t i = 0; i < s.n; i++) {
            if (s.marks.pixels[i] == S3SVM_MARK_OBJECT) check(labels[i] == 1);
            if (s.marks.pixels[i] == S3SVM_MARK_BACKGROUND) check(labels[i] == 0);
        }
    }
    free(labels);
    s3svm_segment_model_free(m);
    scene_free(&s);
}

/* A model learns from marks that are sure: others change nothing. */
static void test_perhaps_is_nothing_to_a_model(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    scene s = scene_create(&r, 90, 70, 2, 8);
    s3svm_segment_model *m = model_create(&COLOURS);
    uint8_t *labels[2] = { test_room(NULL, s.n, 1), test_room(NULL, s.n, 1) };
    sos_error error;
    check_ok(picture_segment(m, &s.photograph, &s.marks, NULL, labels[0], NULL, &error), error);
    for (size_t i = 0; i < s.n; i++)
        if (s.marks.pixels[i] == S3SVM_MARK_NONE)
            s.marks.pixels[i] = (uint8_t)(S3SVM_MARK_PERHAPS_OBJECT + sos_random_below(&r, 2));
    check_ok(picture_segment(m, &s.photograph, &s.marks, NULL, labels[1], NULL, &error), error);
    check(!memcmp(labels[0], labels[1], s.n) && differing(s.n, labels[0], s.truth) < s.n / 50);
    free(labels[0]);
    free(labels[1]);
    s3svm_segment_model_free(m);
    scene_free(&s);
}

static void keep_only(scene *s, uint8_t mark)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->marks.pixels[i] != mark) s->marks.pixels[i] = S3SVM_MARK_NONE;
}

static void test_a_kind_that_is_not_marked_is_assumed(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    s3svm_segment_model *m = model_create(&COLOURS);
    for (uint8_t kind = S3SVM_MARK_OBJECT; kind <= S3SVM_MARK_BACKGROUND; kind++)
        for (int learned = 0; learned < 2; learned++) {
            scene s = scene_create(&r, 120, 100, 2, 8);
            uint8_t *labels = test_room(NULL, s.n, 1);
            s3svm_segmentation_result result;
            sos_error error;
            keep_only(&s, kind);
            check_ok(picture_segment(learned ? m : NULL, &s.photograph, &s.marks, NULL, labels, &result, &error), error);
            check(result.background_assumed == (kind == S3SVM_MARK_OBJECT));
            check(result.border_assumed == (learned && kind == S3SVM_MARK_OBJECT));
            check(result.object_assumed == (kind == S3SVM_MARK_BACKGROUND));
            if (!learned) check(differing(s.n, labels, s.truth) < s.n / 100);
            if (learned && kind == S3SVM_MARK_OBJECT) check(differing(s.n, labels, s.truth) < s.n / 50);
            free(labels);
            scene_free(&s);
        }
    s3svm_segment_model_free(m);
}

/* A model that heeds nothing but marks answers with those that it was given. */
static void test_an_object_that_is_not_marked_is_marked_inside(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    s3svm_segment_model *m = model_create(&MARKS);
    scene s = scene_create(&r, 120, 100, 2, 8);
    uint8_t *labels = test_room(NULL, s.n, 1);
    s3svm_segmentation_result result;
    sos_error error;
    size_t object = 0;
    keep_only(&s, S3SVM_MARK_BACKGROUND);
    check_ok(picture_segment(m, &s.photograph, &s.marks, NULL, labels, &result, &error), error);
    for (size_t i = 0; i < s.n; i++) {
        object += s.truth[i];
        check(!labels[i] || s.truth[i]);
    }
    check(result.object_assumed && result.object > object / 8 && result.object < object);
    free(labels);
    s3svm_segment_model_free(m);
    scene_free(&s);
}

/* An object that is cut off by the picture, with no background marked, for a model, which gets the border for background. */
static void test_an_object_reaches_the_border_that_was_assumed(void **state)
{
    (void)state;
    enum { SIDE = 60 };
    uint8_t colours[3 * SIDE * SIDE] = { 0 }, marks[SIDE * SIDE] = { 0 }, labels[SIDE * SIDE];
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        const size_t x = i % SIDE, y = i / SIDE;
        marks[i] = x && y && y + 1 < SIDE && x < 25 ? S3SVM_MARK_OBJECT : S3SVM_MARK_NONE;
    }
    const s3svm_image photograph = { SIDE, SIDE, 3, colours }, marked = { SIDE, SIDE, 1, marks };
    s3svm_segment_model *m = model_create(&MARKS);
    s3svm_segmentation_result result;
    sos_error error;
    check_ok(picture_segment(m, &photograph, &marked, NULL, labels, &result, &error), error);
    check(result.border_assumed);
    for (size_t i = 0; i < SIDE * SIDE; i++) check(labels[i] == (i % SIDE < 25));
    s3svm_segment_model_free(m);
}

/* Nothing but perhaps object: a rectangle around all of the photograph. */
static void test_a_rectangle_around_everything(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    scene s = scene_create(&r, 120, 100, 2, 8);
    uint8_t *labels = test_room(NULL, s.n, 1);
    s3svm_segmentation_result result;
    sos_error error;
    memset(s.marks.pixels, S3SVM_MARK_PERHAPS_OBJECT, s.n);
    check_ok(picture_segment(NULL, &s.photograph, &s.marks, NULL, labels, &result, &error), error);
    check(result.border_assumed && result.background_assumed);
    check(differing(s.n, labels, s.truth) < s.n / 100);
    free(labels);
    scene_free(&s);
}

static void test_a_rectangle_finds_the_object(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    scene s = scene_create(&r, 120, 100, 2, 8);
    uint8_t *labels = test_room(NULL, s.n, 1);
    s3svm_segmentation_result result;
    sos_error error;
    memset(s.marks.pixels, 0, s.n);
    rectangle_mark(&s.marks, (size_t[]){ 18, 8, 84, 84 });
    for (size_t k = 1; k <= 2; k++) {
        s3svm_segmentation_settings settings = s3svm_segmentation_defaults();
        settings.pixels = s.n / (k * k);
        check_ok(picture_segment(NULL, &s.photograph, &s.marks, &settings, labels, &result, &error), error);
        check(!result.background_assumed && !result.object_assumed && result.reduction == k);
        check(differing(s.n, labels, s.truth) < s.n / 100);
    }
    free(labels);
    scene_free(&s);
}

static void test_an_outline_is_put_right_within_reach(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(5); c++) {
        sos_random r = test_case_begin(c);
        scene s = scene_create(&r, 150, 120, 1, 6);
        uint8_t *labels = test_room(NULL, s.n, 1), *was = test_room(NULL, s.n, 1);
        const size_t reach = 5;
        size_t count = 0, free_pixels = 0;
        sos_error error;
        for (size_t i = 0; i < s.n; i++) was[i] = labels[i] = i % s.width >= 2 && s.truth[i - 2]; /* two pixels to the right */
        const size_t wrong = differing(s.n, labels, s.truth);
        check_ok(s3svm_labels_refine(&s.photograph, NULL, reach, 1, labels, &count, &error), error);
        check(wrong > s.n / 100);
        check(differing(s.n, labels, s.truth) < wrong / 8);
        for (size_t i = 0; i < s.n; i++) {
            const double depth = depth_of(&s, was, i, (long)reach + 2);
            if (depth > (double)reach + 1.5) check(labels[i] == was[i]);
            free_pixels += depth <= (double)reach + 1.5;
        }
        check(count <= free_pixels && count > free_pixels / 2);
        free(labels);
        free(was);
        scene_free(&s);
    }
}

static void test_threads_change_nothing(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    scene s = scene_create(&r, 160, 120, 2, 12);
    uint8_t *labels[2];
    s3svm_segmentation_settings settings = s3svm_segmentation_defaults();
    settings.pixels = s.n / 4;
    sos_error error;
    for (int k = 0; k < 2; k++) {
        labels[k] = test_room(NULL, s.n, 1);
        settings.work.threads = k ? 4 : 1;
        check_ok(picture_segment(NULL, &s.photograph, &s.marks, &settings, labels[k], NULL, &error), error);
    }
    check(!memcmp(labels[0], labels[1], s.n));
    s3svm_image pictures[2] = { 0 };
    for (int k = 0; k < 2; k++)
        check_ok(s3svm_cutout_matte(&s.photograph, labels[0], 4, k ? 4 : 1, &pictures[k], &error), error);
    check(!memcmp(pictures[0].pixels, pictures[1].pixels, 4 * s.n));
    s3svm_image_free(&pictures[0]);
    s3svm_image_free(&pictures[1]);
    free(labels[0]);
    free(labels[1]);
    scene_free(&s);
}

/* Pictures of all small sizes and of one colour, whatever is marked. */
static void test_odd_photographs(void **state)
{
    (void)state;
    s3svm_segment_model *const models[3] = { NULL, model_create(&MARKS), model_create(&COLOURS) };
    for (uint64_t c = 0; c < test_cases(150); c++) {
        sos_random r = test_case_begin(c);
        uint8_t colours[3 * 36], marks[36], labels[36];
        const size_t width = 1 + sos_random_below(&r, 6), height = 1 + sos_random_below(&r, 6), n = width * height;
        const uint64_t shades = 1 + sos_random_below(&r, 3), kinds = 1 + sos_random_below(&r, S3SVM_MARKS);
        for (size_t i = 0; i < 3 * n; i++) colours[i] = (uint8_t)(60 * sos_random_below(&r, shades));
        for (size_t i = 0; i < n; i++) marks[i] = (uint8_t)sos_random_below(&r, kinds);
        const s3svm_image photograph = { width, height, 3, colours }, marked = { width, height, 1, marks };
        const s3svm_segment_model *m = models[sos_random_below(&r, 3)];
        s3svm_segmentation_settings settings = s3svm_segmentation_defaults();
        settings.pixels = sos_random_below(&r, 2) ? 1 + sos_random_below(&r, n) : 0;
        s3svm_image picture = { 0 };
        sos_error error;
        check_ok(picture_segment(m, &photograph, &marked, &settings, labels, NULL, &error), error);
        for (size_t i = 0; i < n; i++) {
            check(labels[i] <= 1);
            if (!m && marks[i] == S3SVM_MARK_OBJECT) check(labels[i] == 1);
            if (!m && marks[i] == S3SVM_MARK_BACKGROUND) check(labels[i] == 0);
        }
        check_ok(s3svm_cutout_matte(&photograph, labels, 3, 1, &picture, &error), error);
        s3svm_image_free(&picture);
        check_ok(s3svm_cutout_overlay(&photograph, labels, &marked, 1, &picture, &error), error);
        s3svm_image_free(&picture);
    }
    for (size_t k = 0; k < 3; k++) s3svm_segment_model_free(models[k]);
}

static bool stop(void *user, const char *phase, double done)
{
    (void)phase, (void)done;
    return --*(int *)user > 0;
}

static void test_cancelling_and_wrong_arguments(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    scene s = scene_create(&r, 40, 30, 2, 8);
    uint8_t *labels = test_room(NULL, s.n, 1);
    sos_error error;
    s3svm_image out = { 0 };
    s3svm_segmentation_settings settings = s3svm_segmentation_defaults();
    settings.pixels = s.n / 4;
    settings.work.progress = stop;
    int calls = 1, left = calls; /* before solving, before every iteration of GrabCut, before refining: stopped at any */
    settings.work.user = &left;
    memset(labels, 9, s.n);
    while (picture_segment(NULL, &s.photograph, &s.marks, &settings, labels, NULL, &error)) {
        check(error.status == SOS_CANCELLED && calls < 20);
        for (size_t i = 0; i < s.n; i++) check(labels[i] == 9); /* left alone */
        left = ++calls;
    }
    check(calls > 3);
    settings = s3svm_segmentation_defaults();
    settings.reserved[0] = 1;
    check_error(picture_segment(NULL, &s.photograph, &s.marks, &settings, labels, NULL, &error), SOS_ERR_ARGUMENT, error,
                "s3svm_segmentation_settings.reserved");
    s3svm_image other = { 30, 40, 1, s.marks.pixels };
    check_error(picture_segment(NULL, &s.photograph, &other, NULL, labels, NULL, &error), SOS_ERR_ARGUMENT, error, "30 by 40");
    check_error(s3svm_cutout_overlay(&s.photograph, s.truth, &other, 1, &out, &error), SOS_ERR_ARGUMENT, error, "size");
    s.marks.pixels[41] = S3SVM_MARKS;
    check_error(picture_segment(NULL, &s.photograph, &s.marks, NULL, labels, NULL, &error), SOS_ERR_ARGUMENT, error,
                "column 1, row 1");
    s.marks.pixels[41] = S3SVM_MARK_NONE;
    check_error(picture_segment(NULL, &s.marks, &s.marks, NULL, labels, NULL, &error), SOS_ERR_ARGUMENT, error, "3 channels");
    check_error(s3svm_cutout_matte(&s.photograph, s.truth, 0, 1, &out, &error), SOS_ERR_ARGUMENT, error, "edge");
    check_error(s3svm_cutout_matte(&s.photograph, s.truth, NAN, 1, &out, &error), SOS_ERR_ARGUMENT, error, "edge");
    s.truth[5] = 7;
    check_error(s3svm_cutout_matte(&s.photograph, s.truth, 3, 1, &out, &error), SOS_ERR_ARGUMENT, error, "(5, 0)", "7");
    check(!out.pixels);
    free(labels);
    scene_free(&s);
}

/* ---------------------------------------------------------------- the cut-out */

static double clamped(double x) { return fmax(0, fmin(1, x)); }

/* The share of object labels in a disc: what an edge is that knows nothing of colours. */
static double share_of(const scene *s, size_t i, double radius)
{
    const long x = (long)(i % s->width), y = (long)(i / s->width), reach = (long)radius;
    double sum = 0, count = 0;
    for (long v = y - reach; v <= y + reach; v++)
        for (long u = x - reach; u <= x + reach; u++)
            if (u >= 0 && v >= 0 && u < (long)s->width && v < (long)s->height) {
                sum += s->truth[v * (long)s->width + u];
                count++;
            }
    return sum / count;
}

static void test_opacity_is_the_alpha_that_the_picture_was_made_with(void **state)
{
    (void)state;
    static const double BLURS[] = { 1, 2, 3, 4 };
    for (uint64_t c = 0; c < test_cases(8); c++) {
        sos_random r = test_case_begin(c);
        scene s = scene_create(&r, 130, 110, BLURS[c % 4], 4);
        const double edge = 4;
        double found = 0, hard = 0, soft = 0, stained = 0, pure = 0, recomposed = 0, count = 0, weights = 0;
        s3svm_image out = { 0 };
        sos_error error;
        check_ok(s3svm_cutout_matte(&s.photograph, s.truth, edge, 1, &out, &error), error);
        check(out.width == s.width && out.height == s.height && out.channels == 4);
        for (size_t i = 0; i < s.n; i++) {
            const uint8_t *p = out.pixels + 4 * i;
            const double depth = depth_of(&s, s.truth, i, 6) - 0.5, alpha = p[3] / 255.0;
            if (depth > edge + 0.01) { /* away from the outline: all or nothing, and untouched */
                check(p[3] == (s.truth[i] ? 255 : 0));
                if (s.truth[i]) check(!memcmp(p, s.photograph.pixels + 3 * i, 3));
                continue;
            }
            if (p[3] == 255) check(!memcmp(p, s.photograph.pixels + 3 * i, 3));
            found += fabs(alpha - s.alpha[i]);
            hard += fabs(s.truth[i] - s.alpha[i]);
            soft += fabs(clamped(share_of(&s, i, 1)) - s.alpha[i]);
            count++;
            for (size_t k = 0; k < 3; k++) {
                const double composite = alpha * p[k] + (1 - alpha) * s.background[3 * i + k];
                recomposed += fabs(composite - s.photograph.pixels[3 * i + k]);
                if (s.alpha[i] <= 0.2 || s.alpha[i] >= 0.9) continue;
                weights++;
                pure += fabs((double)p[k] - s.object[3 * i + k]);
                stained += fabs((double)s.photograph.pixels[3 * i + k] - s.object[3 * i + k]);
            }
        }
        check(found < 0.04 * count);
        check(found < 0.6 * hard);
        check(found < 0.6 * soft || soft < 0.02 * count);
        check(weights == 0 || pure < 0.45 * stained);
        check(recomposed < 6 * 3 * count);
        s3svm_image_free(&out);
        scene_free(&s);
    }
}

static void test_opacity_rises_across_the_outline(void **state)
{
    (void)state;
    enum { SIDE = 40 };
    uint8_t colours[3 * SIDE * SIDE], labels[SIDE * SIDE];
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        const double alpha = clamped(((double)(i % SIDE) - 17.5) / 4);
        memset(colours + 3 * i, (int)(40 + 160 * alpha), 3);
        labels[i] = alpha >= 0.5;
    }
    s3svm_image out = { 0 };
    sos_error error;
    check_ok(s3svm_cutout_matte(&(s3svm_image){ SIDE, SIDE, 3, colours }, labels, 4, 1, &out, &error), error);
    const uint8_t *row = out.pixels + (size_t)4 * SIDE * (SIDE / 2);
    for (size_t x = 1; x < SIDE; x++) check(row[4 * x + 3] >= row[4 * (x - 1) + 3]);
    check(row[3] == 0 && row[4 * (SIDE - 1) + 3] == 255);
    check(row[4 * 19 + 3] > 40 && row[4 * 19 + 3] < 160 && row[4 * 20 + 3] > 90 && row[4 * 20 + 3] < 215);
    s3svm_image_free(&out);
}

/* Object and background of one colour: the outline alone decides. */
static void test_opacity_where_colours_say_nothing(void **state)
{
    (void)state;
    enum { SIDE = 30 };
    uint8_t colours[3 * SIDE * SIDE], labels[SIDE * SIDE];
    memset(colours, 100, sizeof colours);
    for (int all = 0; all < 3; all++) {
        for (size_t i = 0; i < SIDE * SIDE; i++) labels[i] = all == 2 ? i % SIDE >= SIDE / 2 : (uint8_t)all;
        s3svm_image out = { 0 };
        sos_error error;
        check_ok(s3svm_cutout_matte(&(s3svm_image){ SIDE, SIDE, 3, colours }, labels, 3, 1, &out, &error), error);
        for (size_t i = 0; i < SIDE * SIDE; i++) {
            const size_t x = i % SIDE;
            if (all < 2 || x < 12 || x >= 18) check(out.pixels[4 * i + 3] == (labels[i] ? 255 : 0));
            if (all == 2 && x == 14) check(out.pixels[4 * i + 3] > 10 && out.pixels[4 * i + 3] < 128);
            if (all == 2 && x == 15) check(out.pixels[4 * i + 3] > 127 && out.pixels[4 * i + 3] < 245);
        }
        s3svm_image_free(&out);
    }
}

/* ---------------------------------------------------------------- the overlay */

static int luma(const uint8_t p[3]) { return (299 * p[0] + 587 * p[1] + 114 * p[2]) / 1000; }

static void test_the_overlay_dims_the_background_and_draws_the_rest(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    scene s = scene_create(&r, 200, 150, 2, 4);
    for (size_t i = 0; i < s.n; i++) /* an area besides the strokes, as trimaps have them */
        if (i % s.width < 40) s.marks.pixels[i] = S3SVM_MARK_BACKGROUND;
    s3svm_image out = { 0 };
    sos_error error;
    check_ok(s3svm_cutout_overlay(&s.photograph, s.truth, &s.marks, 1, &out, &error), error);
    check(out.width == s.width && out.height == s.height && out.channels == 3);
    size_t light = 0;
    for (size_t i = 0; i < s.n; i++) {
        const uint8_t *p = out.pixels + 3 * i, *was = s.photograph.pixels + 3 * i;
        const double depth = depth_of(&s, s.truth, i, 4);
        const uint8_t mark = s.marks.pixels[i];
        if (mark == S3SVM_MARK_OBJECT) check(p[0] > 200 && p[1] < 100 && p[2] < 100);           /* red */
        if (mark == S3SVM_MARK_BACKGROUND && i % s.width > 50) check(p[2] > 200 && p[0] < 100); /* blue */
        if (mark == S3SVM_MARK_BACKGROUND && i % s.width > 10 && i % s.width < 30) check(p[2] < 150);
        if (mark) continue;
        if (s.truth[i]) check(!memcmp(p, was, 3));
        if (!s.truth[i] && depth > 3) check(luma(p) < luma(was));
        light += !s.truth[i] && depth <= 1 && luma(p) > 230;
    }
    check(light > 200);
    s3svm_image_free(&out);
    check_ok(s3svm_cutout_overlay(&s.photograph, s.truth, NULL, 1, &out, &error), error);
    s3svm_image_free(&out);
    scene_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grabcut_is_grabcut),
        cmocka_unit_test(test_a_reduced_size_comes_to_the_labels_of_the_full_size),
        cmocka_unit_test(test_marks_are_kept_where_they_are_hard),
        cmocka_unit_test(test_perhaps_is_nothing_to_a_model),
        cmocka_unit_test(test_a_kind_that_is_not_marked_is_assumed),
        cmocka_unit_test(test_an_object_that_is_not_marked_is_marked_inside),
        cmocka_unit_test(test_an_object_reaches_the_border_that_was_assumed),
        cmocka_unit_test(test_a_rectangle_finds_the_object),
        cmocka_unit_test(test_a_rectangle_around_everything),
        cmocka_unit_test(test_an_outline_is_put_right_within_reach),
        cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_odd_photographs),
        cmocka_unit_test(test_cancelling_and_wrong_arguments),
        cmocka_unit_test(test_opacity_is_the_alpha_that_the_picture_was_made_with),
        cmocka_unit_test(test_opacity_rises_across_the_outline),
        cmocka_unit_test(test_opacity_where_colours_say_nothing),
        cmocka_unit_test(test_the_overlay_dims_the_background_and_draws_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
