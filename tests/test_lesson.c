/* test_lesson.c - lessons of all tasks: pictures in memory teach what the same pictures in a folder do, bit by bit; what does
 * not fit is refused by the name of the picture. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <s3svm/marks.h>
#include <s3svm/task.h>

#include "base/random.h"
#include "support.h"

enum { WIDTH = 20, HEIGHT = 14, PIXELS = WIDTH * HEIGHT, COUNT = 3, CHANNELS = 2 };

/* Pictures of a disc, as all tasks see them. */
typedef struct album {
    char names[COUNT][8];
    float grey[COUNT][PIXELS], maps[COUNT][CHANNELS * PIXELS];
    uint8_t scan[COUNT][PIXELS], colour[COUNT][3 * PIXELS], marks[COUNT][PIXELS], labels[COUNT][PIXELS];
    s3svm_task_picture pictures[COUNT];
} album;

static void picture_draw(album *a, size_t i, const uint8_t values[2], sos_random *r)
{
    for (size_t p = 0; p < PIXELS; p++) {
        const double x = (double)(p % WIDTH) - 5 - 4 * (double)i, y = (double)(p / WIDTH) - 7;
        const bool inside = x * x + y * y < 16;
        const int noise = (int)sos_random_below(r, 60);
        a->labels[i][p] = values[inside];
        a->scan[i][p] = (uint8_t)(inside ? noise : 255 - noise);
        a->grey[i][p] = (float)a->scan[i][p] / 255.0F;
        a->marks[i][p] = x * x + y * y < 3 ? S3SVM_MARK_OBJECT : p < 2 * WIDTH ? S3SVM_MARK_BACKGROUND : S3SVM_MARK_NONE;
        for (size_t c = 0; c < 3; c++) a->colour[i][3 * p + c] = (uint8_t)(inside ? 150 + noise : 40 + 40 * (int)c + noise);
        a->maps[i][p] = (float)noise + (inside ? 60.0F : 0.0F);
        a->maps[i][PIXELS + p] = (float)noise;
    }
}

static s3svm_image image_of(size_t channels, uint8_t *pixels)
{
    return (s3svm_image){ .width = WIDTH, .height = HEIGHT, .channels = channels, .pixels = pixels };
}

/* values: numbers of the two labels. */
static album *album_make(const uint8_t values[2])
{
    album *a = calloc(1, sizeof *a);
    sos_random r = sos_random_seeded(7);
    assert_non_null(a);
    for (size_t i = 0; i < COUNT; i++) {
        picture_draw(a, i, values, &r);
        snprintf(a->names[i], sizeof a->names[i], "p%zu", i);
        a->pictures[i] = (s3svm_task_picture){
            .name = a->names[i],
            .in = { .width = WIDTH,
                    .height = HEIGHT,
                    .grey = { .width = WIDTH, .height = HEIGHT, .values = a->grey[i] },
                    .colour = image_of(3, a->colour[i]),
                    .marks = image_of(1, a->marks[i]),
                    .maps = { .width = WIDTH, .height = HEIGHT, .channels = CHANNELS, .values = a->maps[i] } },
            .labels = image_of(1, a->labels[i]),
        };
    }
    return a;
}

/* ---- the same in a folder ---- */

static char root[64];

static int root_make(void **state)
{
    (void)state;
    strcpy(root, "/tmp/test-lesson-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int root_remove(void **state)
{
    (void)state;
    char line[100];
    snprintf(line, sizeof line, "rm -r %s", root);
    return system(line);
}

static void image_keep(const char *folder, const char *name, size_t channels, const uint8_t pixels[])
{
    char path[300];
    sos_error error;
    s3svm_image image;
    snprintf(path, sizeof path, "%s/%s", root, folder);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/%s.png", root, folder, name);
    check_ok(s3svm_image_create(WIDTH, HEIGHT, channels, &image, &error), error);
    memcpy(image.pixels, pixels, channels * PIXELS);
    check_ok(s3svm_image_write(&image, path, &error), error);
    s3svm_image_free(&image);
}

static void album_keep(const album *a, bool colour, const uint8_t values[2])
{
    for (size_t i = 0; i < COUNT; i++) {
        uint8_t labels[PIXELS];
        char path[300];
        sos_error error;
        for (size_t p = 0; p < PIXELS; p++) /* not values[a != b], which gcc 12 vectorises wrongly */
            labels[p] = a->labels[i][p] != a->labels[0][PIXELS - 1] ? values[1] : values[0];
        image_keep("labels", a->names[i], 1, labels);
        image_keep("images", a->names[i], colour ? 3 : 1, colour ? a->colour[i] : a->scan[i]);
        image_keep("scribbles", a->names[i], 1, a->marks[i]);
        snprintf(path, sizeof path, "%s/maps", root);
        mkdir(path, 0777);
        snprintf(path, sizeof path, "%s/maps/%s.npy", root, a->names[i]);
        check_ok(s3svm_npy_write(&a->pictures[i].in.maps, path, &error), error);
    }
}

/* ---- lessons ---- */

typedef struct setting {
    const char *name, *value;
} setting;

static sos_status lesson_make(const char *name, const setting settings[], const s3svm_lesson_data *data,
                              const s3svm_lesson_data *validation, s3svm_lesson *out, sos_error *error)
{
    const s3svm_task *task = s3svm_task_find(name);
    void *form = s3svm_form_create(task->form);
    for (; settings->name; settings++)
        check_ok(s3svm_option_set(s3svm_option_find(task->form->options, settings->name), form, settings->value, error),
                 *error);
    const sos_status status = s3svm_lesson_make(task, form, NULL, data, validation, NULL, out, error);
    free(form);
    return status;
}

/* The model after some rounds: the same bytes where all examples are the same. */
static char *lesson_train(s3svm_lesson *l)
{
    char *text;
    size_t length;
    sos_error error;
    sos_train_settings s = l->training;
    s.C = 10;
    s.rounds = 4;
    check_ok(sos_train(l->model, l->count, l->examples, &s, NULL, &error), error);
    if (l->finish) check_ok(l->finish(l->rest, l->model, NULL, &error), error);
    check_ok(sos_model_write_memory(l->model, &text, &length, &error), error);
    s3svm_lesson_free(l);
    return text;
}

/* memory and file: the numbers of the two labels. */
static void same_check(const char *task, const setting settings[], const uint8_t memory[2], const uint8_t file[2])
{
    album *a = album_make(memory);
    s3svm_lesson in_memory = { 0 }, in_folder = { 0 };
    sos_error error;
    album_keep(a, strcmp(task, "denoise") != 0, file);
    const s3svm_lesson_data pictures = { .count = COUNT, .pictures = a->pictures },
                            folder = { .folders = { .count = 1, .values = { root } } };
    check_ok(lesson_make(task, settings, &pictures, &pictures, &in_memory, &error), error);
    check_ok(lesson_make(task, settings, &folder, &folder, &in_folder, &error), error);
    check(in_memory.count == in_folder.count && in_memory.validation_count == in_folder.validation_count);
    check(in_memory.fingerprint && in_folder.fingerprint);
    for (size_t i = 0; i < in_memory.validation_count; i++)
        check(sos_example_variables(in_memory.validation[i]) == sos_example_variables(in_folder.validation[i]));
    char *one = lesson_train(&in_memory), *other = lesson_train(&in_folder);
    assert_string_equal(one, other);
    free(one);
    free(other);
    free(a);
}

static const uint8_t ONES[] = { 0, 1 }, GREYS[] = { 0, 255 }, INK[] = { 255, 0 };
static const setting END[] = { { NULL, NULL } };

static void drawings_in_memory_teach_what_a_folder_does(void **state)
{
    (void)state;
    static const setting plain[] = { { "model", "paper" }, { NULL, NULL } };
    static const setting noisy[] = { { "model", "paper" }, { "sigma", "0.5,0.7" }, { NULL, NULL } };
    static const setting maps[] = { { "model", "paper" }, { "maps", "weights" }, { "maps-alone", "true" }, { NULL, NULL } };
    same_check("denoise", plain, INK, INK);
    same_check("denoise", plain, ONES, INK);
    same_check("denoise", plain, ONES, ONES);
    same_check("denoise", noisy, ONES, INK);
    same_check("denoise", maps, INK, ONES);
}

static void photographs_in_memory_teach_what_a_folder_does(void **state)
{
    (void)state;
    static const setting maps[] = { { "method", "amn" }, { "maps", "bins" }, { "maps-alone", "true" }, { NULL, NULL } };
    static const setting paper[] = { { "method", "amn" }, { "features", "paper" }, { NULL, NULL } };
    same_check("segment", maps, ONES, GREYS);
    same_check("segment", paper, GREYS, ONES);
}

static void labels_in_memory_teach_what_a_folder_does(void **state)
{
    (void)state;
    static const setting maps[] = { { "model", "pairwise" }, { "maps", "weights" }, { "maps-alone", "true" }, { NULL, NULL } };
    static const setting balanced[] = { { "model", "unary" },  { "balance", "true" },    { "names", "ground,disc" },
                                        { "maps", "weights" }, { "maps-alone", "true" }, { NULL, NULL } };
    same_check("label", maps, ONES, ONES);
    same_check("label", balanced, ONES, ONES);
}

/* ---- what is refused ---- */

static void refused(const char *task, const setting settings[], const album *a, sos_status wanted, const char *words)
{
    const s3svm_lesson_data data = { .count = COUNT, .pictures = a->pictures };
    s3svm_lesson l = { 0 };
    sos_error error;
    check_error(lesson_make(task, settings, &data, NULL, &l, &error), wanted, error, words);
    check(!l.model && !l.examples);
}

static void pictures_that_do_not_fit_are_refused_by_name(void **state)
{
    (void)state;
    static const setting maps[] = { { "maps", "weights" }, { NULL, NULL } };
    album *a = album_make(ONES);
    s3svm_task_picture *p = &a->pictures[1];
    const s3svm_task_picture whole = *p;
    p->labels.pixels = NULL;
    refused("label", END, a, SOS_ERR_ARGUMENT, "'p1' has no picture of true labels");
    *p = whole;
    p->in.colour.width--;
    refused("label", END, a, SOS_ERR_ARGUMENT, "'p1': the colour picture has 19 by 14 pixels, the true labels 20 by 14");
    *p = whole;
    p->in.colour.channels = 1;
    refused("segment", END, a, SOS_ERR_ARGUMENT, "'p1': the colour picture has 1 channels, not 3");
    *p = whole;
    p->in.marks.pixels = NULL;
    refused("segment", END, a, SOS_ERR_ARGUMENT, "'p1' has no picture of marks");
    *p = whole;
    p->in.grey.values = NULL;
    p->name = NULL;
    refused("denoise", END, a, SOS_ERR_ARGUMENT, "'picture 1' has no grey picture");
    *p = whole;
    p->in.maps.channels = 1;
    refused("denoise", maps, a, SOS_ERR_ARGUMENT, "'p1' has maps of 1 channels; others have 2");
    p->in.maps.values = NULL;
    refused("denoise", maps, a, SOS_ERR_ARGUMENT, "'p1' has no maps");
    *p = whole;
    a->labels[2][3] = 7;
    refused("segment", END, a, SOS_ERR_FORMAT, "'p2': column 3, row 0 is 7");
    memset(a->labels, 0, sizeof a->labels);
    refused("segment", END, a, SOS_ERR_ARGUMENT, "no picture has an object");
    refused("denoise", END, a, SOS_ERR_ARGUMENT, "no drawing has paper");
    refused("label", END, a, SOS_ERR_ARGUMENT, "one label only, 0");
    p->reserved[2] = 1;
    refused("label", END, a, SOS_ERR_ARGUMENT, "s3svm_task_picture");
    free(a);
}

static void data_that_is_neither_nor_is_refused(void **state)
{
    (void)state;
    album *a = album_make(ONES);
    const s3svm_lesson_data none = { 0 },
                            both = { .folders = { .count = 1, .values = { root } }, .count = COUNT, .pictures = a->pictures };
    s3svm_lesson l = { 0 };
    sos_error error;
    check_error(lesson_make("label", END, &none, NULL, &l, &error), SOS_ERR_ARGUMENT, error, "no training pictures");
    check_error(lesson_make("label", END, &both, NULL, &l, &error), SOS_ERR_ARGUMENT, error, "both as folders and as pictures");
    free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawings_in_memory_teach_what_a_folder_does),
        cmocka_unit_test(photographs_in_memory_teach_what_a_folder_does),
        cmocka_unit_test(labels_in_memory_teach_what_a_folder_does),
        cmocka_unit_test(pictures_that_do_not_fit_are_refused_by_name),
        cmocka_unit_test(data_that_is_neither_nor_is_refused),
    };
    return cmocka_run_group_tests(tests, root_make, root_remove);
}
