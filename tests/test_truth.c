/* test_truth.c - true labels of an object: what numbers mean, told by all pictures together; sets that teach nothing. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <s3svm/truth.h>

#include "support.h"

enum { WIDTH = 3, HEIGHT = 2, PIXELS = WIDTH * HEIGHT, PICTURES = 3 };

typedef uint8_t numbers[PIXELS];

static s3svm_image image_of(numbers n) { return (s3svm_image){ .width = WIDTH, .height = HEIGHT, .channels = 1, .pixels = n }; }

static void line_keep(void *user, const char *line)
{
    char *all = user;
    snprintf(all + strlen(all), 1000 - strlen(all), "%s\n", line);
}

/* The code of a set, whose pictures are called a, b, c. */
static sos_status survey(int unsure, bool learn, size_t count, numbers pictures[], s3svm_truth_code *code, char told[1000],
                         sos_error *error)
{
    const sos_work work = { .tell = line_keep, .user = told };
    s3svm_truth_survey *s;
    told[0] = '\0';
    sos_status status = s3svm_truth_survey_create(unsure, &s, error);
    if (status) return status;
    for (size_t i = 0; i < count && !status; i++) {
        const s3svm_image image = image_of(pictures[i]);
        status = s3svm_truth_survey_add(s, &image, (const char[]){ (char)('a' + i), '\0' }, error);
    }
    if (!status) status = s3svm_truth_survey_end(s, learn, &work, code, error);
    s3svm_truth_survey_free(s);
    return status;
}

static void decode_check(numbers n, const s3svm_truth_code *code, const char *labels, const char *care)
{
    const s3svm_image image = image_of(n);
    s3svm_truth t;
    sos_error error;
    check_ok(s3svm_truth_decode(&image, code, "x", &t, &error), error);
    check(t.width == WIDTH && t.height == HEIGHT);
    for (size_t i = 0; i < PIXELS; i++) check(t.labels[i] == (labels[i] == '1') && t.care[i] == (care[i] == '1'));
    s3svm_truth_free(&t);
}

static void a_picture_tells_by_itself(void **state)
{
    (void)state;
    static const struct {
        numbers n;
        const char *labels, *care;
    } cases[] = {
        { { 0, 1, 1, 0, 0, 1 }, "011001", "111111" },       { { 0, 255, 255, 0, 0, 255 }, "011001", "111111" },
        { { 0, 1, 128, 0, 0, 1 }, "010001", "110111" },     { { 0, 255, 128, 0, 0, 255 }, "010001", "110111" },
        { { 0, 1, 255, 0, 255, 1 }, "010001", "110101" },   { { 0, 0, 0, 0, 0, 0 }, "000000", "111111" },
        { { 1, 1, 1, 1, 1, 1 }, "111111", "111111" },       { { 255, 255, 255, 255, 255, 255 }, "111111", "111111" },
        { { 128, 0, 128, 0, 0, 128 }, "000000", "010110" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        numbers n;
        memcpy(n, cases[i].n, sizeof n);
        decode_check(n, NULL, cases[i].labels, cases[i].care);
        decode_check(n, &(s3svm_truth_code){ 0 }, cases[i].labels, cases[i].care);
    }
}

static void pictures_tell_together(void **state)
{
    (void)state;
    char told[1000];
    sos_error error;
    s3svm_truth_code code;
    numbers void_of_pascal[] = { { 0, 1, 255, 0, 0, 1 }, { 0, 255, 255, 0, 0, 0 }, { 0, 0, 1, 1, 0, 0 } };
    check_ok(survey(S3SVM_UNSURE_TOLD, true, 3, void_of_pascal, &code, told, &error), error);
    check(code.object == 1 && code.unsure == 255);
    decode_check(void_of_pascal[1], &code, "000000", "100111"); /* by itself it would be an object */
    numbers greys[] = { { 0, 255, 0, 0, 0, 0 }, { 0, 128, 255, 0, 0, 0 } };
    check_ok(survey(S3SVM_UNSURE_TOLD, true, 2, greys, &code, told, &error), error);
    check(code.object == 255 && code.unsure == 128 && !told[0]);
}

static void what_is_said_of_the_unsure_wins(void **state)
{
    (void)state;
    char told[1000];
    sos_error error;
    s3svm_truth_code code;
    numbers mixed[] = { { 0, 1, 0, 0, 0, 1 }, { 0, 255, 255, 0, 0, 0 } };
    check_error(survey(S3SVM_UNSURE_TOLD, true, 2, mixed, &code, told, &error), SOS_ERR_FORMAT, error, "'a'", "'b'", "1",
                "255");
    check_ok(survey(255, true, 2, mixed, &code, told, &error), error);
    check(code.object == 1 && code.unsure == 255);
    check_ok(survey(1, true, 2, mixed, &code, told, &error), error);
    check(code.object == 255 && code.unsure == 1);
    check_error(survey(128, true, 2, mixed, &code, told, &error), SOS_ERR_FORMAT, error, "which one is the object");
    numbers seven[] = { { 0, 1, 7, 0, 7, 1 } };
    check_error(survey(S3SVM_UNSURE_TOLD, true, 1, seven, &code, told, &error), SOS_ERR_FORMAT, error, "'a'",
                "column 2, row 0 is 7");
    check_ok(survey(7, true, 1, seven, &code, told, &error), error);
    decode_check(seven[0], &code, "010001", "110101");
    check_error(survey(7, true, 1, (numbers[]){ { 0, 128, 255, 0, 7, 0 } }, &code, told, &error), SOS_ERR_FORMAT, error,
                "is 128");
    check_error(survey(S3SVM_UNSURE_TOLD, true, 1, (numbers[]){ { 0, 1, 128, 255, 0, 0 } }, &code, told, &error),
                SOS_ERR_FORMAT, error, "which one is the object");
    check_error(survey(255, true, 1, (numbers[]){ { 0, 255, 255, 0, 0, 0 } }, &code, told, &error), SOS_ERR_ARGUMENT, error,
                "no picture has an object");
    const int wrong[] = { 0, -2, 256 };
    for (size_t i = 0; i < 3; i++)
        check_error(survey(wrong[i], true, 1, seven, &code, told, &error), SOS_ERR_ARGUMENT, error, "1 to 255");
}

static void sets_that_teach_nothing_are_refused(void **state)
{
    (void)state;
    char told[1000];
    sos_error error;
    s3svm_truth_code code;
    numbers none[] = { { 0 }, { 0, 128, 0, 0, 0, 0 } }, nobody[] = { { 128, 128, 128, 128, 128, 128 } };
    check_error(survey(S3SVM_UNSURE_TOLD, true, 2, none, &code, told, &error), SOS_ERR_ARGUMENT, error,
                "no picture has an object");
    check_error(survey(S3SVM_UNSURE_TOLD, true, 1, nobody, &code, told, &error), SOS_ERR_ARGUMENT, error, "no pixel", "sure");
    check_ok(survey(S3SVM_UNSURE_TOLD, false, 2, none, &code, told, &error), error);
    check_ok(survey(S3SVM_UNSURE_TOLD, false, 1, nobody, &code, told, &error), error);
    numbers some[] = { { 0 }, { 255, 255, 255, 255, 255, 255 }, { 0, 128, 0, 0, 0, 0 } };
    check_ok(survey(S3SVM_UNSURE_TOLD, true, 3, some, &code, told, &error), error);
    check(strstr(told, "'a', and 1 more: the true labels have no object\n"));
    check(strstr(told, "'b': the true labels have no background\n"));
}

static void file_put(const char *folder, const char *name, numbers n)
{
    char path[300];
    sos_error error;
    s3svm_image image = image_of(n);
    snprintf(path, sizeof path, "%s/labels/%s.png", folder, name);
    check_ok(s3svm_image_write(&image, path, &error), error);
}

static void folders_tell_as_pictures_do(void **state)
{
    (void)state;
    char folder[] = "/tmp/test_truth_XXXXXX", labels[300];
    sos_error error;
    check(mkdtemp(folder) != NULL);
    snprintf(labels, sizeof labels, "%s/labels", folder);
    check(!mkdir(labels, 0777));
    file_put(folder, "a", (numbers){ 0, 1, 255, 0, 0, 1 });
    file_put(folder, "b", (numbers){ 0, 255, 255, 0, 0, 0 });
    s3svm_dataset d;
    s3svm_truth t;
    check_ok(s3svm_dataset_open(folder, S3SVM_IMAGES_OPTIONAL, false, &d, &error), error);
    check_ok(s3svm_dataset_tell_truths(&d, S3SVM_UNSURE_TOLD, true, NULL, &error), error);
    check_ok(s3svm_truth_read(d.items[1].labels, &d.items[1].truth, &t, &error), error);
    check(!memchr(t.labels, 1, PIXELS) && !t.care[1] && t.care[3]);
    s3svm_truth_free(&t);
    check_ok(s3svm_truth_read(d.items[1].labels, NULL, &t, &error), error);
    check(t.labels[1] == 1 && t.care[1] == 1);
    s3svm_truth_free(&t);
    check_ok(s3svm_dataset_tell_truths(&d, 1, true, NULL, &error), error);
    check(d.items[0].truth.object == 255 && d.items[0].truth.unsure == 1);
    s3svm_dataset_free(&d);
    file_put(folder, "b", (numbers){ 0, 9, 0, 0, 0, 0 });
    check_ok(s3svm_dataset_open(folder, S3SVM_IMAGES_OPTIONAL, false, &d, &error), error);
    check_error(s3svm_dataset_tell_truths(&d, S3SVM_UNSURE_TOLD, true, NULL, &error), SOS_ERR_FORMAT, error, "b.png",
                "row 0 is 9");
    check_ok(s3svm_dataset_tell_truths(&d, S3SVM_UNSURE_TOLD, false, NULL, &error), error); /* who reads it will say so */
    s3svm_dataset_free(&d);
    char command[400];
    snprintf(command, sizeof command, "rm -r %s", folder);
    check(!system(command));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_picture_tells_by_itself),       cmocka_unit_test(pictures_tell_together),
        cmocka_unit_test(what_is_said_of_the_unsure_wins), cmocka_unit_test(sets_that_teach_nothing_are_refused),
        cmocka_unit_test(folders_tell_as_pictures_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
