#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#endif

/* test_label.c - labels of whole images: names, truths, scores, the network, features, models and what is refused. */
#include "learn/model.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "label/data.h"
#include "label/design.h"
#include "label/features.h"
#include "label/inputs.h"
#include "label/model.h"

enum { WIDTH = 24, HEIGHT = 16, PIXELS = WIDTH * HEIGHT, LABELS = 3, PICTURES = 8, FEW = 3 };

enum { BOARDS = 20, BOARDS_LEARNED = 12 }; /* pictures with a rare label */

/* Pictures of three stripes of colours with a little noise, from the top down, at heights that differ: labels are stripes. */
typedef struct stripes {
    s3svm_image pictures[PICTURES];
    uint8_t *truths[PICTURES];
} stripes;

static void stripe_draw(sos_random *r, s3svm_image *picture, uint8_t truth[])
{
    static const uint8_t colours[LABELS][3] = { { 90, 140, 230 }, { 60, 140, 40 }, { 170, 120, 70 } };
    const size_t first = 3 + (size_t)sos_random_below(r, 4), second = 8 + (size_t)sos_random_below(r, 4);
    for (size_t i = 0; i < PIXELS; i++) {
        const size_t y = i / WIDTH;
        truth[i] = (uint8_t)((y >= first) + (y >= second));
        for (size_t c = 0; c < 3; c++) picture->pixels[3 * i + c] = (uint8_t)(colours[truth[i]][c] + sos_random_below(r, 25));
    }
}

static stripes stripes_make(sos_random *r)
{
    stripes s;
    sos_error error;
    for (size_t i = 0; i < PICTURES; i++) {
        check_ok(s3svm_image_create(WIDTH, HEIGHT, 3, &s.pictures[i], &error), error);
        s.truths[i] = test_room(NULL, PIXELS, 1);
        stripe_draw(r, &s.pictures[i], s.truths[i]);
    }
    return s;
}

/* The lesson of pictures that stay where they are. */
static s3svm_label_pictures lesson_of(const stripes *s, size_t count)
{
    return (s3svm_label_pictures){
        .count = count, .labels = LABELS, .pictures = s->pictures, .truths = (const uint8_t *const *)s->truths
    };
}

static void stripes_free(stripes *s)
{
    for (size_t i = 0; i < PICTURES; i++) {
        s3svm_image_free(&s->pictures[i]);
        free(s->truths[i]);
    }
}

static s3svm_label_features *features_make(const s3svm_label_pictures *lesson, int threads)
{
    s3svm_label_learning settings = s3svm_label_learning_defaults();
    s3svm_label_features *f;
    sos_error error;
    settings.clusters = 4;
    settings.edges = 3;
    settings.folds = 2;
    settings.epochs = 10;
    settings.work.threads = threads;
    check_ok(s3svm_label_features_learn(lesson, &settings, &f, &error), error);
    return f;
}

static sos_model *model_make(s3svm_label_kind kind, const s3svm_label_features *f)
{
    const s3svm_label_design design = s3svm_label_design_of(kind);
    static s3svm_label_names names;
    sos_model *m;
    sos_error error;
    check_ok(s3svm_label_names_parse("sky=0000ff,grass,ground", &names, &error), error);
    check_ok(s3svm_label_create(&design, f, &names, &m, &error), error);
    return m;
}

static s3svm_label_model *prepare(const sos_model *m)
{
    s3svm_label_model *p;
    sos_error error;
    check_ok(s3svm_label_model_create(m, &p, &error), error);
    return p;
}

static void train(sos_model *m, const s3svm_label_pictures *lesson)
{
    sos_example *examples[BOARDS_LEARNED];
    sos_train_settings settings = s3svm_label_training();
    sos_error error;
    settings.rounds = 15;
    settings.work.threads = 1;
    s3svm_label_model *p = prepare(m);
    check_ok(s3svm_label_model_examples(p, lesson, true, NULL, NULL, examples, &error), error);
    s3svm_label_model_free(p);
    check_ok(sos_train(m, lesson->count, examples, &settings, NULL, &error), error);
    for (size_t i = 0; i < lesson->count; i++) sos_example_free(examples[i]);
}

static size_t wrong_pixels(const sos_model *m, const s3svm_image *picture, const uint8_t truth[])
{
    uint8_t labels[PIXELS];
    sos_error error;
    size_t wrong = 0;
    s3svm_label_model *p = prepare(m);
    check_ok(s3svm_label_model_predict(p, picture, labels, &error), error);
    s3svm_label_model_free(p);
    for (size_t i = 0; i < PIXELS; i++) wrong += labels[i] != truth[i];
    return wrong;
}

/* ---- names ---- */

static void names_are_read_from_a_list(void **state)
{
    (void)state;
    static s3svm_label_names n;
    sos_error error;
    check_ok(s3svm_label_names_parse("polar bear,sky=0a0BfF,b=#010203", &n, &error), error);
    check(n.count == 3 && n.unknown == 255);
    check(!strcmp(n.name[0], "polar bear") && !strcmp(n.name[1], "sky") && !strcmp(n.name[2], "b"));
    check(n.colour[1] == 0x0a0bff && n.colour[2] == 0x010203 && n.colour[0] <= 0xffffff);
    static const char *const bad[][2] = { { "", "label 0" },          { "one", "1 label" },      { "a,,b", "label 1" },
                                          { "a,b,", "label 2" },      { "a,b=12345", "colour" }, { "a,b=#12345", "colour" },
                                          { "a,b=gggggg", "rrggbb" }, { "a,a", "'a'" },          { "a,\"", "character" } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_error(s3svm_label_names_parse(bad[i][0], &n, &error), SOS_ERR_ARGUMENT, error, bad[i][1]);
    char many[2 * 300 * 4] = "";
    for (size_t i = 0; i < 256; i++) snprintf(many + strlen(many), 8, "%s%zu", i ? "," : "", i);
    check_error(s3svm_label_names_parse(many, &n, &error), SOS_ERR_ARGUMENT, error, "256 labels");
}

static void usual_names_and_colours_differ(void **state)
{
    (void)state;
    static s3svm_label_names n;
    sos_error error;
    check_ok(s3svm_label_names_default(SOS_LABELS_MAX, &n, &error), error);
    for (size_t l = 0; l < 40; l++)
        for (size_t k = 0; k < l; k++) check(n.colour[l] != n.colour[k] && strcmp(n.name[l], n.name[k]) != 0);
    check_error(s3svm_label_names_default(1, &n, &error), SOS_ERR_ARGUMENT, error, "1 label;");
    check_is(s3svm_label_names_default(256, &n, &error), SOS_ERR_ARGUMENT);
}

/* ---- scores ---- */

static void scores_are_those_of_the_definitions(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(100); c++) {
        sos_random r = test_case_begin(c);
        const size_t labels = 2 + (size_t)sos_random_below(&r, 4), n = 1 + (size_t)sos_random_below(&r, 30);
        uint8_t is[30], truth[30], care[30];
        s3svm_confusion counts;
        sos_error error;
        for (size_t i = 0; i < n; i++) {
            is[i] = (uint8_t)sos_random_below(&r, labels);
            truth[i] = (uint8_t)sos_random_below(&r, labels);
            care[i] = sos_random_below(&r, 4) > 0;
        }
        check_ok(s3svm_confusion_create(labels, &counts, &error), error);
        s3svm_confusion_add(&counts, n, is, truth, care);
        double right = 0, all = 0, of_sum = 0, iou_sum = 0, of_count = 0, iou_count = 0;
        for (size_t l = 0; l < labels; l++) {
            double true_pixels = 0, both = 0, either = 0;
            for (size_t i = 0; i < n; i++) {
                if (!care[i]) continue;
                true_pixels += truth[i] == l;
                both += truth[i] == l && is[i] == l;
                either += truth[i] == l || is[i] == l;
            }
            right += both;
            all += true_pixels;
            check(true_pixels > 0 ? fabs(s3svm_confusion_of(&counts, l) - both / true_pixels) < 1e-12
                                  : isnan(s3svm_confusion_of(&counts, l)));
            check(either > 0 ? fabs(s3svm_confusion_iou(&counts, l) - both / either) < 1e-12
                             : isnan(s3svm_confusion_iou(&counts, l)));
            of_sum += true_pixels > 0 ? both / true_pixels : 0;
            of_count += true_pixels > 0;
            iou_sum += either > 0 ? both / either : 0;
            iou_count += either > 0;
        }
        check(all > 0 ? fabs(s3svm_confusion_accuracy(&counts) - right / all) < 1e-12
                      : isnan(s3svm_confusion_accuracy(&counts)));
        check(all > 0 ? fabs(s3svm_confusion_mean(&counts) - of_sum / of_count) < 1e-12 : isnan(s3svm_confusion_mean(&counts)));
        check(all > 0 ? fabs(s3svm_confusion_mean_iou(&counts) - iou_sum / iou_count) < 1e-12
                      : isnan(s3svm_confusion_mean_iou(&counts)));
        s3svm_confusion_free(&counts);
    }
}

/* ---- pictures with labels ---- */

static char *picture_write(const char *folder, const char *name, const char *text)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    check(file && fputs(text, file) >= 0 && !fclose(file));
    return path;
}

static void labels_out_of_range_are_refused_and_void_is_not(void **state)
{
    (void)state;
    char folder[] = "/tmp/test_label_XXXXXX", image[256], labels[256], name[] = "it";
    check(mkdtemp(folder) != NULL);
    snprintf(image, sizeof image, "%s", picture_write(folder, "i.ppm", "P3 2 1 255 1 2 3 4 5 6\n"));
    snprintf(labels, sizeof labels, "%s", picture_write(folder, "l.pgm", "P2 2 1 255 1 255\n"));
    const s3svm_item item = { .name = name, .image = image, .labels = labels, .width = 2, .height = 1 };
    const s3svm_dataset set = { .folder = folder, .count = 1, .items = (s3svm_item *)&item };
    s3svm_labelled p;
    sos_error error;
    size_t count;
    check_ok(s3svm_labelled_read(&item, 2, 255, &p, &error), error);
    check(p.truth[0] == 1 && p.truth[1] == 0 && p.care[0] && !p.care[1]);
    s3svm_labelled_free(&p);
    check_error(s3svm_labelled_read(&item, 2, -1, &p, &error), SOS_ERR_ARGUMENT, error, "l.pgm", "column 1, row 0", "label 255",
                "2 labels");
    check_error(s3svm_labelled_read(&item, 1, 255, &p, &error), SOS_ERR_ARGUMENT, error, "column 0", "label 1");
    check_ok(s3svm_label_count(&set, 255, &count, &error), error);
    check(count == 2);
    picture_write(folder, "l.pgm", "P2 2 1 255 0 255\n");
    check_error(s3svm_label_count(&set, 255, &count, &error), SOS_ERR_ARGUMENT, error, "one label only");
    picture_write(folder, "l.pgm", "P2 2 1 255 255 255\n");
    check_error(s3svm_label_count(&set, 255, &count, &error), SOS_ERR_ARGUMENT, error, "no labels");
    picture_write(folder, "l.pgm", "P2 1 1 255 0\n");
    check_error(s3svm_labelled_read(&item, 2, 255, &p, &error), SOS_ERR_ARGUMENT, error, "1 by 1", "2 by 1");
    unlink(image);
    unlink(labels);
    rmdir(folder);
}

/* ---- features ---- */

/* A plane of a picture and the box that an input is about; those beyond the picture are moved into it. */
typedef struct spot {
    const s3svm_label_view *v;
    size_t x, y;
} spot;

static double inside(double x, size_t side) { return fmax(0, fmin(x, (double)side - 1)); }

/* Mean, or mean square, of a plane over the pixels within a radius of a place that lies so far to the right and below. */
static double mean_around(const spot *s, size_t plane, bool squared, double right, double below, double radius)
{
    const s3svm_label_view *v = s->v;
    const double r = fmax(1, rint(radius * v->scale));
    const double x = floor(inside((double)s->x + right * v->scale, v->width));
    const double y = floor(inside((double)s->y + below * v->scale, v->height));
    double sum = 0, count = 0;
    for (size_t i = 0; i < v->width * v->height; i++) {
        if (fabs((double)(i % v->width) - x) > r || fabs((double)(i / v->width) - y) > r) continue;
        sum += squared ? pow((double)v->planes[plane][i], 2) : (double)v->planes[plane][i];
        count++;
    }
    return sum / count;
}

static double mean_of_rows(const s3svm_label_view *v, size_t plane, bool squared, size_t top, size_t bottom)
{
    double sum = 0, count = 0;
    for (size_t i = top * v->width; i < bottom * v->width; i++, count++)
        sum += squared ? pow((double)v->planes[plane][i], 2) : (double)v->planes[plane][i];
    return sum / count;
}

static double share_below(const s3svm_label_view *v, size_t plane, double value)
{
    double count = 0;
    for (size_t i = 0; i < v->width * v->height; i++) count += (double)v->planes[plane][i] < value;
    return count / (double)(v->width * v->height);
}

/* The table of docs/labeling.md by adding up pixels, row by row. */
static size_t inputs_by_definition(const spot *s, double out[])
{
    static const double radii[] = { 1, 4, 10, 24 }, varied[] = { 3, 8 }, far[] = { 14, 36 }, sides[] = { 5, 11 };
    static const size_t side[] = { 0, 1, 2, 5 };
    const s3svm_label_view *v = s->v;
    const size_t h = v->height;
    size_t n = 0;
    for (size_t r = 0; r < 4; r++)
        for (size_t p = 0; p < 7; p++) out[n++] = mean_around(s, p, false, 0, 0, radii[r]);
    for (size_t r = 0; r < 2; r++)
        for (size_t c = 0; c < 3; c++)
            out[n++] = sqrt(
                fmax(0, mean_around(s, c, true, 0, 0, varied[r]) - pow(mean_around(s, c, false, 0, 0, varied[r]), 2)));
    for (size_t d = 0; d < 2; d++)
        for (size_t k = 0; k < 4; k++)
            for (size_t p = 0; p < 4; p++)
                out[n++] = mean_around(s, side[p], false,
                                       k == 0   ? far[d]
                                       : k == 1 ? -far[d]
                                                : 0,
                                       k == 2   ? far[d]
                                       : k == 3 ? -far[d]
                                                : 0,
                                       sides[d]);
    const double across = 10 * ((double)s->x + 0.5) / (double)v->width, down = 10 * ((double)s->y + 0.5) / (double)h;
    out[n++] = across;
    out[n++] = down;
    out[n++] = fabs(across - 5);
    out[n++] = hypot(across - 5, down - 5);
    for (size_t p = 0; p < 7; p++) out[n++] = mean_of_rows(v, p, false, 0, h);
    for (size_t c = 0; c < 3; c++) {
        out[n++] = sqrt(fmax(0, mean_of_rows(v, c, true, 0, h) - pow(mean_of_rows(v, c, false, 0, h), 2)));
        for (size_t t = 0; t < 3; t++) out[n++] = mean_of_rows(v, c, false, t * h / 3, (t + 1) * h / 3);
        out[n++] = 10 * share_below(v, c, mean_around(s, c, false, 0, 0, 2));
    }
    return n;
}

static void inputs_are_those_of_the_table(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(30); c++) {
        sos_random r = test_case_begin(c);
        const size_t width = 1 + (size_t)sos_random_below(&r, 70), height = 3 + (size_t)sos_random_below(&r, 50);
        s3svm_image picture;
        s3svm_label_view *v;
        sos_error error;
        check_ok(s3svm_image_create(width, height, 3, &picture, &error), error);
        for (size_t i = 0; i < 3 * s3svm_image_size(&picture); i++) picture.pixels[i] = (uint8_t)sos_random_below(&r, 256);
        check_ok(s3svm_label_view_create(&picture, &v, &error), error);
        for (int again = 0; again < 5; again++) {
            const spot s = { v, (size_t)sos_random_below(&r, width), (size_t)sos_random_below(&r, height) };
            float is[S3SVM_LABEL_INPUTS];
            double must[S3SVM_LABEL_INPUTS];
            s3svm_label_inputs(v, s.x, s.y, is);
            check(inputs_by_definition(&s, must) == S3SVM_LABEL_INPUTS);
            for (size_t i = 0; i < S3SVM_LABEL_INPUTS; i++) {
                /* Ranks are by bins, that are a 256th of the range wide: some pixels may lie in the bin of the place. */
                const bool rank = i >= 77 && (i - 77) % 5 == 4;
                if (!(fabs(must[i] - (double)is[i]) <= (rank ? 0.5 : 1e-3)))
                    test_fail(__FILE__, __LINE__, "input %zu at %zu, %zu of %zu x %zu: %g instead of %g", i, s.x, s.y, width,
                              height, (double)is[i], must[i]);
            }
        }
        s3svm_label_view_free(v);
        s3svm_image_free(&picture);
    }
}

/* Inputs of a mirrored picture: those of the boxes at the sides change places, and so do left and right. */
static void inputs_mirror(const float from[S3SVM_LABEL_INPUTS], float to[S3SVM_LABEL_INPUTS])
{
    memcpy(to, from, S3SVM_LABEL_INPUTS * sizeof *to);
    for (size_t i = 0; i < 4; i++) {
        to[34 + i] = from[38 + i];
        to[38 + i] = from[34 + i];
        to[50 + i] = from[54 + i];
        to[54 + i] = from[50 + i];
    }
    to[66] = 10 - from[66];
}

/* Half of the variations are mirrored; all have another light, which is added, and another contrast, which is a factor. */
static void inputs_vary_by_mirrors_and_light(void **state)
{
    (void)state;
    enum { TIMES = 200 };
    static const size_t of_light[] = { 0, 7, 14, 21, 34, 38, 42, 46, 50, 54, 58, 62, 70, 78, 79, 80 };
    static const size_t strengths[] = { 3, 4, 5, 6, 10, 27, 28, 33, 37, 41, 65, 73, 76, 77, 82, 87 };
    static const size_t constant[] = { 66, 67, 68, 69, 81, 86, 91 };
    sos_random r = test_case_begin(10);
    float plain[S3SVM_LABEL_INPUTS], mirrored[S3SVM_LABEL_INPUTS];
    size_t turned = 0;
    double lighter = 0, squares = 0;
    for (size_t i = 0; i < S3SVM_LABEL_INPUTS; i++) plain[i] = (float)(1 + sos_random_uniform(&r));
    inputs_mirror(plain, mirrored);
    for (size_t t = 0; t < TIMES; t++) {
        float x[S3SVM_LABEL_INPUTS];
        memcpy(x, plain, sizeof x);
        s3svm_label_inputs_vary(&r, x);
        const bool is_turned = fabsf(x[66] - mirrored[66]) < 1e-4F;
        const float *from = is_turned ? mirrored : plain, more = x[0] - from[0], times = x[3] / from[3];
        for (size_t i = 0; i < sizeof of_light / sizeof *of_light; i++)
            check(fabsf(x[of_light[i]] - from[of_light[i]] - more) < 1e-4F);
        for (size_t i = 0; i < sizeof strengths / sizeof *strengths; i++)
            check(fabsf(x[strengths[i]] - times * from[strengths[i]]) < 1e-4F);
        for (size_t i = 0; i < sizeof constant / sizeof *constant; i++)
            check(fabsf(x[constant[i]] - from[constant[i]]) < 1e-4F);
        turned += is_turned;
        lighter += (double)more / TIMES;
        squares += (double)more * (double)more / TIMES;
    }
    check(turned > TIMES / 3 && turned < 2 * TIMES / 3);
    check(fabs(lighter) < 2.5 && squares > 40 && squares < 90); /* deviation 8 */
}

static void features_are_the_same_on_any_number_of_threads(void **state)
{
    (void)state;
    sos_random r = test_case_begin(2);
    stripes s = stripes_make(&r);
    const s3svm_label_pictures lesson = lesson_of(&s, FEW);
    s3svm_label_features *one = features_make(&lesson, 1), *two = features_make(&lesson, 3);
    const size_t numbers = s3svm_perceptron_numbers(&one->networks[0]);
    check(one->folds == 2 && two->folds == 2);
    check(!memcmp(one->centres, two->centres, one->clusters * S3SVM_LABEL_TEXTURE * sizeof(float)));
    check(!memcmp(one->edge, two->edge, one->edges * S3SVM_LABEL_EDGE * sizeof(float)));
    for (size_t k = 0; k < 2; k++) check(!memcmp(one->networks[k].numbers, two->networks[k].numbers, numbers * sizeof(float)));
    check(memcmp(one->networks[0].numbers, one->networks[1].numbers, numbers * sizeof(float)) != 0);
    s3svm_label_features_free(one);
    s3svm_label_features_free(two);
    stripes_free(&s);
}

/* A network must not have seen the pictures of its own fold: what these show makes no difference to it. */
static void a_fold_does_not_see_its_own_pictures(void **state)
{
    (void)state;
    sos_random r = test_case_begin(3);
    stripes s = stripes_make(&r);
    const s3svm_label_pictures lesson = lesson_of(&s, FEW);
    s3svm_label_features *before = features_make(&lesson, 1);
    for (size_t i = 0; i < PIXELS; i++) s.truths[2][i] = (uint8_t)(2 - s.truths[2][i]);
    s3svm_label_features *after = features_make(&lesson, 1);
    const size_t numbers = s3svm_perceptron_numbers(&before->networks[0]), own = s3svm_label_fold(before, 2);
    check(!memcmp(before->networks[own].numbers, after->networks[own].numbers, numbers * sizeof(float)));
    check(memcmp(before->networks[1 - own].numbers, after->networks[1 - own].numbers, numbers * sizeof(float)) != 0);
    s3svm_label_features_free(before);
    s3svm_label_features_free(after);
    stripes_free(&s);
}

/* ---- models ---- */

static void every_kind_learns_stripes_and_survives_its_file(void **state)
{
    (void)state;
    sos_random r = test_case_begin(4);
    stripes s = stripes_make(&r);
    const s3svm_label_pictures lesson = lesson_of(&s, PICTURES - 1);
    s3svm_label_features *f = features_make(&lesson, 2);
    char path[] = "/tmp/test_label_XXXXXX";
    const int file = mkstemp(path);
    check(file >= 0 && !close(file));
    for (size_t k = 0; k < S3SVM_LABEL_DESIGNS; k++) {
        sos_model *m = model_make((s3svm_label_kind)k, f), *copy;
        sos_error error;
        train(m, &lesson);
        const size_t wrong = wrong_pixels(m, &s.pictures[PICTURES - 1], s.truths[PICTURES - 1]);
        if (wrong > PIXELS / 12) test_fail(__FILE__, __LINE__, "kind %zu: %zu pixels are wrong", k, wrong);
        check_ok(sos_model_write(m, path, &error), error);
        check_ok(sos_model_read(path, &copy, &error), error);
        check(wrong_pixels(copy, &s.pictures[PICTURES - 1], s.truths[PICTURES - 1]) == wrong);
        s3svm_label_model *prepared = prepare(copy);
        const s3svm_label_names *names = s3svm_label_model_names(prepared);
        const s3svm_label_design *design = s3svm_label_model_design(prepared);
        check(design->kind == (s3svm_label_kind)k && s3svm_label_design_is_usual(design));
        check(names->count == LABELS && names->colour[0] == 0x0000ff && names->unknown == 255);
        check(!strcmp(names->name[2], "ground"));
        s3svm_label_model_free(prepared);
        sos_model_free(m);
        sos_model_free(copy);
    }
    unlink(path);
    s3svm_label_features_free(f);
    stripes_free(&s);
}

/* Unknown pixels do not count, whatever their truth says: neither for the features nor for the weights. */
static void unknown_pixels_do_not_matter(void **state)
{
    (void)state;
    sos_random r = test_case_begin(5);
    stripes s = stripes_make(&r);
    uint8_t care[PIXELS];
    for (size_t i = 0; i < PIXELS; i++) care[i] = i % WIDTH < WIDTH / 2;
    const uint8_t *cares[PICTURES];
    for (size_t p = 0; p < PICTURES; p++) cares[p] = care;
    s3svm_label_pictures lesson = lesson_of(&s, FEW);
    sos_model *models[2];
    lesson.care = cares;
    for (size_t k = 0; k < 2; k++) {
        s3svm_label_features *f = features_make(&lesson, 1);
        models[k] = model_make(S3SVM_LABEL_TABLES, f);
        train(models[k], &lesson);
        s3svm_label_features_free(f);
        for (size_t i = 0; i < PICTURES * PIXELS; i++)
            if (!care[i % PIXELS]) s.truths[i / PIXELS][i % PIXELS] = (uint8_t)sos_random_below(&r, LABELS);
    }
    check(!strcmp(sos_model_fact(models[0], "features"), sos_model_fact(models[1], "features")));
    const double *w = sos_model_weights(models[0]), *v = sos_model_weights(models[1]);
    check(!memcmp(w, v, sos_model_weight_count(models[0]) * sizeof *w));
    sos_model_free(models[0]);
    sos_model_free(models[1]);
    stripes_free(&s);
}

/* ---- rare labels ---- */

enum {
    CELL = 8,
    BOX = 6,
    CELLS_ACROSS = 6,
    CELLS_DOWN = 4,
    BOARD_WIDTH = CELL * CELLS_ACROSS,
    BOARD_HEIGHT = CELL * CELLS_DOWN,
    BOARD = BOARD_WIDTH * BOARD_HEIGHT
};

typedef struct boards {
    s3svm_image pictures[BOARDS];
    uint8_t *truths[BOARDS];
} boards;

/* A board of boxes of all shades.  One box in eight is dark and has label 1; the others have label 0, as the ground has, and
 * three in eight of them are as dark as the lighter ones of those: who minds all errors alike says 0 there. */
static void board_draw(sos_random *r, s3svm_image *picture, uint8_t truth[])
{
    int shades[CELLS_ACROSS * CELLS_DOWN];
    bool rare[CELLS_ACROSS * CELLS_DOWN];
    for (size_t b = 0; b < CELLS_ACROSS * CELLS_DOWN; b++) {
        rare[b] = sos_random_below(r, 8) == 0;
        shades[b] = (int)sos_random_below(r, 80) + (rare[b] ? 50 : 0);
    }
    for (size_t i = 0; i < BOARD; i++) {
        const size_t x = i % BOARD_WIDTH, y = i / BOARD_WIDTH, b = y / CELL * CELLS_ACROSS + x / CELL;
        const bool inside = x % CELL < BOX && y % CELL < BOX;
        truth[i] = inside && rare[b];
        for (size_t c = 0; c < 3; c++)
            picture->pixels[3 * i + c] = (uint8_t)(190 - (inside ? shades[b] : 0) + (int)sos_random_below(r, 20));
    }
}

static boards boards_make(sos_random *r)
{
    boards b;
    sos_error error;
    for (size_t i = 0; i < BOARDS; i++) {
        check_ok(s3svm_image_create(BOARD_WIDTH, BOARD_HEIGHT, 3, &b.pictures[i], &error), error);
        b.truths[i] = test_room(NULL, BOARD, 1);
        board_draw(r, &b.pictures[i], b.truths[i]);
    }
    return b;
}

static void boards_free(boards *b)
{
    for (size_t i = 0; i < BOARDS; i++) {
        s3svm_image_free(&b->pictures[i]);
        free(b->truths[i]);
    }
}

/* The share of the pixels of either label that are found in boards that were not learned from. */
static void shares_found(const sos_model *m, const boards *b, double found[2])
{
    s3svm_label_model *p = prepare(m);
    double right[2] = { 0 }, all[2] = { 0 };
    for (size_t i = BOARDS_LEARNED; i < BOARDS; i++) {
        uint8_t labels[BOARD];
        sos_error error;
        check_ok(s3svm_label_model_predict(p, &b->pictures[i], labels, &error), error);
        for (size_t j = 0; j < BOARD; j++) {
            all[b->truths[i][j]]++;
            right[b->truths[i][j]] += labels[j] == b->truths[i][j];
        }
    }
    for (size_t l = 0; l < 2; l++) found[l] = right[l] / all[l];
    s3svm_label_model_free(p);
}

static void rare_labels_are_found_if_they_count_more(void **state)
{
    (void)state;
    static s3svm_label_names names;
    sos_random r = test_case_begin(11);
    boards b = boards_make(&r);
    sos_error error;
    size_t rare = 0;
    double weights[2];
    s3svm_label_pictures pictures = {
        .count = BOARDS_LEARNED, .labels = 2, .pictures = b.pictures, .truths = (const uint8_t *const *)b.truths
    };
    for (size_t i = 0; i < BOARDS_LEARNED * BOARD; i++) rare += b.truths[i / BOARD][i % BOARD];
    const size_t counts[2] = { BOARDS_LEARNED * BOARD - rare, rare };
    s3svm_label_balance(2, counts, weights);
    check(fabs(weights[0] * (double)counts[0] - weights[1] * (double)counts[1]) < 1e-6);
    check(fabs(weights[0] * (double)counts[0] + weights[1] * (double)counts[1] - BOARDS_LEARNED * BOARD) < 1e-6);
    check_ok(s3svm_label_names_default(2, &names, &error), error);
    double found[2][S3SVM_LABEL_DESIGNS][2];
    for (size_t balanced = 0; balanced < 2; balanced++) {
        pictures.weights = balanced ? weights : NULL;
        s3svm_label_features *f = features_make(&pictures, 2);
        for (size_t k = 0; k < S3SVM_LABEL_DESIGNS; k++) {
            const s3svm_label_design design = s3svm_label_design_of((s3svm_label_kind)k);
            sos_model *m;
            check_ok(s3svm_label_create(&design, f, &names, &m, &error), error);
            train(m, &pictures);
            shares_found(m, &b, found[balanced][k]);
            sos_model_free(m);
        }
        s3svm_label_features_free(f);
    }
    for (size_t k = 0; k < S3SVM_LABEL_DESIGNS; k++) {
        const double *before = found[0][k], *after = found[1][k];
        if (after[1] < before[1] + 0.15 || after[0] < 0.85)
            test_fail(__FILE__, __LINE__, "kind %zu: %.2f of the rare label and %.2f of the other, balanced %.2f and %.2f", k,
                      before[1], before[0], after[1], after[0]);
    }
    weights[1] = 0;
    check_error(s3svm_label_features_learn(&pictures, NULL, &(s3svm_label_features *){ NULL }, &error), SOS_ERR_ARGUMENT, error,
                "label 1", "weight 0");
    boards_free(&b);
}

static void labels_that_are_not_there_have_a_weight_too(void **state)
{
    (void)state;
    static const size_t counts[] = { 10, 0, 30 };
    double weights[3];
    s3svm_label_balance(3, counts, weights);
    check(fabs(weights[0] - 2) < 1e-12 && weights[1] == 1 && fabs(weights[2] - 40.0 / 60) < 1e-12);
}

/* ---- cliques ---- */

/* 0.3 step sum_C exp(-d_C^2 / (2 mean of d^2)) / n over patches of pixels that are so far apart, at every step-th column. */
static double strength_of_patches(const s3svm_image *picture, size_t distance, size_t step)
{
    enum { MOST = 2000 };
    double d[MOST], sum = 0, strength = 0;
    size_t count = 0;
    s3svm_label_view *v;
    sos_error error;
    check_ok(s3svm_label_view_create(picture, &v, &error), error);
    const float *lab = v->lab;
    for (size_t y = 0; y + distance < picture->height; y++)
        for (size_t x = 0; x + distance < picture->width; x += step, count++) {
            d[count] = 0;
            for (size_t pair = 0; pair < 16; pair++) { /* all corners with all */
                const size_t a = (y + pair % 2 * distance) * picture->width + x + pair / 2 % 2 * distance;
                const size_t b = (y + pair / 4 % 2 * distance) * picture->width + x + pair / 8 * distance;
                double square = 0;
                for (size_t c = 0; c < 3; c++) square += pow((double)lab[3 * a + c] - (double)lab[3 * b + c], 2);
                d[count] = fmax(d[count], square);
            }
            sum += d[count];
        }
    for (size_t i = 0; i < count; i++) strength += exp(-d[i] * (double)count / (2 * sum));
    s3svm_label_view_free(v);
    return 0.3 * (double)step * strength / (double)s3svm_image_size(picture);
}

/* With one label everywhere, a group of tables stands at its entry for all four pixels, with the strength of all patches. */
static void patches_near_and_far_count_by_their_contrast(void **state)
{
    (void)state;
    sos_random r = test_case_begin(8);
    stripes s = stripes_make(&r);
    const s3svm_label_pictures lesson = lesson_of(&s, FEW);
    s3svm_label_learning settings = s3svm_label_learning_defaults();
    s3svm_label_features *f;
    s3svm_image picture;
    sos_example *x;
    sos_error error;
    settings.epochs = 1;
    check_ok(s3svm_label_features_learn(&lesson, &settings, &f, &error), error);
    sos_model *m = model_make(S3SVM_LABEL_TABLES, f);
    check_ok(s3svm_image_create(45, 30, 3, &picture, &error), error); /* a quarter of 180 x 120: 8 pixels become 2 */
    for (size_t i = 0; i < 3 * s3svm_image_size(&picture); i++) picture.pixels[i] = (uint8_t)sos_random_below(&r, 256);
    s3svm_label_model *prepared = prepare(m);
    const s3svm_label_look look = { .picture = &picture, .fold = S3SVM_LABEL_NEW };
    check_ok(s3svm_label_example_make(prepared, &look, &x, &error), error);
    s3svm_label_model_free(prepared);
    uint8_t *labels = test_room(NULL, s3svm_image_size(&picture), 1);
    double *psi = test_room(NULL, sos_model_weight_count(m), sizeof *psi);
    memset(labels, 0, s3svm_image_size(&picture));
    sos_example_psi(x, labels, psi);
    check(sos_model_groups(m) == 5);
    for (uint32_t g = 3; g < 5; g++) {
        const double is = psi[sos_model_group_offset(m, g) + sos_model_table_class(m, g, 15)];
        check(fabs(is - strength_of_patches(&picture, g == 3 ? 1 : 2, g == 3 ? 1 : 2)) < 1e-6);
        for (size_t S = 1; S < 15; S++) check(psi[sos_model_group_offset(m, g) + sos_model_table_class(m, g, S)] == 0);
    }
    free(labels);
    free(psi);
    s3svm_image_free(&picture);
    sos_example_free(x);
    sos_model_free(m);
    s3svm_label_features_free(f);
    stripes_free(&s);
}

/* The pairs of pixels within the patches of a reach, found patch by patch: those side by side, or those along diagonals. */
static size_t pairs_that_differ(size_t width, size_t height, size_t distance, size_t step, bool diagonal,
                                const uint8_t labels[])
{
    const size_t n = width * height;
    uint8_t *known = test_room(NULL, n * n, 1);
    size_t count = 0;
    memset(known, 0, n * n);
    for (size_t y = 0; y + distance < height; y++)
        for (size_t x = 0; x + distance < width; x += step)
            for (size_t a = 0; a < 4; a++)
                for (size_t b = 0; b < a; b++) {
                    const size_t i = (y + a / 2 * distance) * width + x + a % 2 * distance;
                    const size_t j = (y + b / 2 * distance) * width + x + b % 2 * distance;
                    if ((a + b == 3) != diagonal || known[i * n + j]) continue;
                    known[i * n + j] = 1;
                    count += labels[i] != labels[j];
                }
    free(known);
    return count;
}

/* An energy of pairs can see exactly the pixels together that one of tables does. */
static void pairs_can_have_the_support_of_the_tables(void **state)
{
    (void)state;
    enum { ACROSS = 45, DOWN = 30, N = ACROSS * DOWN }; /* a quarter of 180 x 120: reaches of 8 and 12 become 2 and 3 */
    static const size_t distances[] = { 1, 2, 3 }, steps[] = { 1, 2, 2 };
    sos_random r = test_case_begin(9);
    stripes s = stripes_make(&r);
    const s3svm_label_pictures lesson = lesson_of(&s, FEW);
    s3svm_label_features *f = features_make(&lesson, 1);
    s3svm_label_design design = s3svm_label_design_of(S3SVM_LABEL_PAIRWISE);
    static s3svm_label_names names;
    sos_model *m;
    s3svm_image picture;
    sos_example *x;
    sos_error error;
    uint8_t labels[N];
    design.reaches = 3;
    design.reach[1] = 8;
    design.reach[2] = 12;
    design.diagonals = true;
    design.strength = 0.7;
    check_ok(s3svm_label_names_default(LABELS, &names, &error), error);
    check_ok(s3svm_label_create(&design, f, &names, &m, &error), error);
    s3svm_label_model *prepared = prepare(m);
    const s3svm_label_design *read = s3svm_label_model_design(prepared);
    check(read->reaches == 3 && read->reach[1] == 8 && read->reach[2] == 12 && read->diagonals && read->strength == 0.7);
    check(!s3svm_label_design_is_usual(read));
    check_ok(s3svm_image_create(ACROSS, DOWN, 3, &picture, &error), error);
    for (size_t i = 0; i < 3 * N; i++) picture.pixels[i] = (uint8_t)sos_random_below(&r, 256);
    for (size_t i = 0; i < N; i++) labels[i] = (uint8_t)sos_random_below(&r, LABELS);
    const s3svm_label_look look = { .picture = &picture, .fold = S3SVM_LABEL_NEW };
    check_ok(s3svm_label_example_make(prepared, &look, &x, &error), error);
    double *psi = test_room(NULL, sos_model_weight_count(m), sizeof *psi);
    sos_example_psi(x, labels, psi);
    check(sos_model_groups(m) == 3 + 6);
    for (uint32_t g = 0; g < 6; g++) {
        const size_t reach = g / 2, count = pairs_that_differ(ACROSS, DOWN, distances[reach], steps[reach], g % 2, labels);
        const double *is = psi + sos_model_group_offset(m, 3 + g), must = 0.7 * (double)(steps[reach] * count) / N;
        if (fabs(is[0] - must) > 1e-9) test_fail(__FILE__, __LINE__, "group %u: %g instead of %g", g, is[0], must);
        check(is[1] > 0 && is[1] < is[0]); /* contrasts */
    }
    free(psi);
    s3svm_image_free(&picture);
    sos_example_free(x);
    s3svm_label_model_free(prepared);
    sos_model_free(m);
    s3svm_label_features_free(f);
    stripes_free(&s);
}

static bool refuse(void *user, const char *phase, double done)
{
    (void)user;
    (void)phase;
    return done < 0.5;
}

static void examples_can_be_stopped(void **state)
{
    (void)state;
    sos_random r = test_case_begin(12);
    stripes s = stripes_make(&r);
    const s3svm_label_pictures pictures = lesson_of(&s, PICTURES);
    const sos_work work = { .threads = 2, .progress = refuse };
    s3svm_label_features *f = features_make(&pictures, 1);
    sos_model *m = model_make(S3SVM_LABEL_UNARY, f);
    s3svm_label_model *p = prepare(m);
    sos_example *examples[PICTURES];
    sos_error error;
    check_error(s3svm_label_model_examples(p, &pictures, true, NULL, &work, examples, &error), SOS_CANCELLED, error, "stopped");
    for (size_t i = 0; i < PICTURES; i++) check(!examples[i]);
    s3svm_label_model_free(p);
    sos_model_free(m);
    s3svm_label_features_free(f);
    stripes_free(&s);
}

static void odd_designs_are_refused(void **state)
{
    (void)state;
    const s3svm_label_design tables = s3svm_label_design_of(S3SVM_LABEL_TABLES);
    s3svm_label_design bad[8];
    sos_error error;
    for (size_t k = 0; k < S3SVM_LABEL_DESIGNS; k++) {
        const s3svm_label_design usual = s3svm_label_design_of((s3svm_label_kind)k);
        check_ok(s3svm_label_design_check(&usual, &error), error);
        check(s3svm_label_design_is_usual(&usual));
    }
    for (size_t i = 0; i < 8; i++) bad[i] = tables;
    bad[0].kind = (s3svm_label_kind)9;
    bad[1].reaches = 0;
    bad[2].reaches = S3SVM_LABEL_REACHES_MAX + 1;
    bad[3].reach[0] = 0.5;
    bad[4].reach[1] = 1; /* twice */
    bad[5].reach[1] = NAN;
    bad[6].strength = 0;
    bad[7].diagonals = true;
    for (size_t i = 0; i < 8; i++) check_is(s3svm_label_design_check(&bad[i], &error), SOS_ERR_ARGUMENT);
}

static void pictures_of_any_size_are_labelled(void **state)
{
    (void)state;
    static const size_t sizes[][2] = { { 1, 1 }, { 1, 9 }, { 7, 1 }, { 2, 2 }, { 3, 50 }, { 300, 200 } };
    sos_random r = test_case_begin(6);
    stripes s = stripes_make(&r);
    const s3svm_label_pictures lesson = lesson_of(&s, FEW);
    s3svm_label_features *f = features_make(&lesson, 1);
    sos_model *m = model_make(S3SVM_LABEL_FULL, f);
    s3svm_label_model *prepared = prepare(m);
    sos_model_free(m); /* nothing is borrowed */
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        s3svm_image picture;
        sos_error error;
        check_ok(s3svm_image_create(sizes[i][0], sizes[i][1], 3, &picture, &error), error);
        for (size_t j = 0; j < 3 * s3svm_image_size(&picture); j++) picture.pixels[j] = (uint8_t)sos_random_below(&r, 256);
        uint8_t *labels = test_room(NULL, s3svm_image_size(&picture), 1);
        check_ok(s3svm_label_model_predict(prepared, &picture, labels, &error), error);
        for (size_t j = 0; j < s3svm_image_size(&picture); j++) check(labels[j] < LABELS);
        free(labels);
        s3svm_image_free(&picture);
    }
    s3svm_label_model_free(prepared);
    s3svm_label_features_free(f);
    stripes_free(&s);
}

/* ---- what is refused ---- */

static void bad_models_and_pictures_are_refused(void **state)
{
    (void)state;
    static s3svm_label_names names;
    sos_random r = test_case_begin(7);
    stripes s = stripes_make(&r);
    const s3svm_label_pictures lesson = lesson_of(&s, FEW), none = lesson_of(&s, 0);
    s3svm_label_features *f = features_make(&lesson, 1), *other;
    const s3svm_label_design unary = s3svm_label_design_of(S3SVM_LABEL_UNARY);
    sos_model *m = model_make(S3SVM_LABEL_UNARY, f), *made;
    s3svm_image grey;
    sos_error error;
    uint8_t labels[PIXELS];
    check_error(s3svm_label_features_learn(&none, NULL, &other, &error), SOS_ERR_ARGUMENT, error, "no training pictures");
    check_ok(s3svm_label_names_default(2, &names, &error), error);
    check_error(s3svm_label_create(&unary, f, &names, &made, &error), SOS_ERR_ARGUMENT, error, "3 labels", "2");
    check_ok(s3svm_image_create(3, 3, 1, &grey, &error), error);
    s3svm_label_model *prepared = prepare(m);
    check_error(s3svm_label_model_predict(prepared, &grey, labels, &error), SOS_ERR_ARGUMENT, error, "1 channels");
    s3svm_label_model_free(prepared);
    s3svm_image_free(&grey);
    static const char *const bad[][3] = { { "task", "\"denoise\"", "denoise" },
                                          { "task", "7", "task" },
                                          { "features", "{\"version\": 99, \"model\": \"full\"}", "version 99" },
                                          { "features", "{\"version\": 1, \"model\": \"best\"}", "best" },
                                          { "features", "{\"version\": 1, \"model\": \"full\"}", "features" } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sos_model *copy = model_make(S3SVM_LABEL_UNARY, f);
        check_ok(sos_model_set_fact(copy, bad[i][0], bad[i][1], &error), error);
        check_error(s3svm_label_model_create(copy, &prepared, &error), SOS_ERR_FORMAT, error, bad[i][2]);
        sos_model_free(copy);
    }
    static const char *const facts[] = { "{\"void\": 255, \"labels\": []}",
                                         "{\"void\": 255, \"labels\": [{\"name\": \"a\", \"colour\": \"#000000\"}]}",
                                         "{\"void\": 999, \"labels\": [{\"name\": \"a\", \"colour\": \"#000000\"}]}",
                                         "{\"void\": 255, \"labels\": [{\"name\": \"a\", \"colour\": \"black\"}]}", "[]" };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        check_ok(sos_model_set_fact(m, "labels", facts[i], &error), error);
        check_is(s3svm_label_model_create(m, &prepared, &error), SOS_ERR_FORMAT);
    }
    sos_model_free(m);
    s3svm_label_features_free(f);
    stripes_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_read_from_a_list),
        cmocka_unit_test(usual_names_and_colours_differ),
        cmocka_unit_test(scores_are_those_of_the_definitions),
        cmocka_unit_test(labels_out_of_range_are_refused_and_void_is_not),
        cmocka_unit_test(inputs_are_those_of_the_table),
        cmocka_unit_test(inputs_vary_by_mirrors_and_light),
        cmocka_unit_test(features_are_the_same_on_any_number_of_threads),
        cmocka_unit_test(a_fold_does_not_see_its_own_pictures),
        cmocka_unit_test(every_kind_learns_stripes_and_survives_its_file),
        cmocka_unit_test(unknown_pixels_do_not_matter),
        cmocka_unit_test(rare_labels_are_found_if_they_count_more),
        cmocka_unit_test(labels_that_are_not_there_have_a_weight_too),
        cmocka_unit_test(patches_near_and_far_count_by_their_contrast),
        cmocka_unit_test(pairs_can_have_the_support_of_the_tables),
        cmocka_unit_test(examples_can_be_stopped),
        cmocka_unit_test(odd_designs_are_refused),
        cmocka_unit_test(pictures_of_any_size_are_labelled),
        cmocka_unit_test(bad_models_and_pictures_are_refused),
    };
    return cmocka_run_group_tests_name("label", tests, NULL, NULL);
}
