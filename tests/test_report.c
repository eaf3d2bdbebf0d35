/* test_report.c - reports: what is written is well-formed whatever it says, needs nothing else, and is whole or not
 * there. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "experiments/common/csv.h"
#include "report/report.h"
#include "report_support.h"
#include "scratch.h"

static s3svm_image picture_random(sos_random *r)
{
    s3svm_image image;
    sos_error error;
    check_ok(s3svm_image_create(1 + sos_random_below(r, 9), 1 + sos_random_below(r, 9), sos_random_below(r, 2) ? 3 : 1, &image,
                                &error),
             error);
    for (size_t i = 0; i < s3svm_image_size(&image) * image.channels; i++) image.pixels[i] = (uint8_t)sos_random_bits(r);
    return image;
}

static bool pictures_can_be_written(void)
{
    sos_random r = sos_random_seeded(1);
    s3svm_image image = picture_random(&r);
    uint8_t *bytes = NULL;
    size_t length;
    const bool can = !s3svm_image_encode(&image, &bytes, &length, NULL);
    free(bytes);
    s3svm_image_free(&image);
    return can;
}

/* One thing of a random kind with random texts, numbers and sizes. */
static void report_add_random(s3svm_report *report, sos_random *r, bool pictures)
{
    enum { MOST = 16 };
    char texts[MOST][40];
    const char *names[MOST];
    double numbers[2 * MOST * MOST], few[4];
    uint32_t colours[MOST];
    for (size_t i = 0; i < MOST; i++) {
        bytes_random(r, texts[i], sizeof texts[i]);
        names[i] = i == 5 ? NULL : texts[i];
        colours[i] = (uint32_t)sos_random_bits(r);
    }
    for (size_t i = 0; i < 2 * MOST * MOST; i++) numbers[i] = odd_value(r);
    for (size_t i = 0; i < 4; i++) few[i] = odd_value(r);
    const size_t n = 1 + sos_random_below(r, 6);
    switch (sos_random_below(r, 11)) {
    case 0: s3svm_report_heading(report, texts[0]); break;
    case 1: s3svm_report_subheading(report, names[5]); break;
    case 2: s3svm_report_text(report, "%s: %d", texts[0], 5); break;
    case 3: s3svm_report_code(report, "%s", texts[0]); break;
    case 4: s3svm_report_fact(report, texts[0], "%s", texts[1]); break;
    case 5: {
        s3svm_column columns[MOST] = { 0 };
        for (size_t i = 0; i < n; i++)
            columns[i] = (s3svm_column){ names[i], i % 3 ? texts[i / 2] : NULL, (s3svm_best)sos_random_below(r, 3), i % 2 };
        s3svm_report_table(report, names[n], n, columns);
        for (size_t i = sos_random_below(r, 20); i; i--)
            if (i % 3)
                s3svm_report_number(report, numbers[i], "%.3g", numbers[i]);
            else
                s3svm_report_cell(report, "%s", texts[i % MOST]);
        break;
    }
    case 6: {
        const s3svm_series series = { .name = names[n], .count = 4, .x = numbers, .y = few, .names = n % 2 ? names + 3 : NULL };
        s3svm_report_chart(report,
                           &(s3svm_chart){ .title = names[n + 1], .note = texts[1], .count = n % 2, .series = &series });
        break;
    }
    case 7: s3svm_report_bars(report, &(s3svm_bars){ .title = texts[0], .count = n, .names = names, .values = numbers }); break;
    case 8: {
        if (!pictures) break;
        s3svm_report_pictures(report, names[n], n, n % 2 ? names : NULL);
        for (size_t i = sos_random_below(r, 8); i; i--) {
            s3svm_image image = picture_random(r);
            if (sos_random_below(r, 3) == 0) s3svm_report_picture_row(report, names[i]);
            s3svm_report_picture(report, i % 5 ? &image : NULL, i % 2 ? "%s" : NULL, texts[i]);
            s3svm_image_free(&image);
        }
        break;
    }
    case 9: {
        const size_t width = 1 + sos_random_below(r, 3), height = 1 + sos_random_below(r, 3);
        s3svm_report_patches(report, &(s3svm_patches){ names[n], width, height, width * height > 4 ? 1 : n,
                                                       n % 2 ? names : NULL, numbers, n & 1, n & 2, sos_random_below(r, 40) });
        break;
    }
    default:
        s3svm_report_matrix(report, &(s3svm_matrix){ texts[0], texts[1], names[5], n, names, numbers });
        s3svm_report_legend(report, n, names, colours);
    }
}

static void any_report_is_well_formed(void **state)
{
    (void)state;
    const bool pictures = pictures_can_be_written();
    for (uint64_t c = 0; c < test_cases(60); c++) {
        char *text[2] = { NULL };
        for (size_t again = 0; again < (c % 5 ? 1 : 2); again++) {
            sos_random r = test_case_begin(c);
            char title[60];
            bytes_random(&r, title, sizeof title);
            s3svm_report report;
            sos_error error;
            s3svm_report_open(&report, scratch("r.html"), title, c % 3 ? title : NULL, &error);
            for (size_t i = sos_random_below(&r, 25); i; i--) report_add_random(&report, &r, pictures);
            check_ok(s3svm_report_close(&report), error);
            check(scratch_count() == 1);
            text[again] = file_text(scratch("r.html"));
            unlink(scratch("r.html"));
        }
        check_markup(text[0]);
        if (text[1]) assert_string_equal(text[0], text[1]);
        free(text[0]);
        free(text[1]);
    }
}

static void a_report_needs_nothing_else(void **state)
{
    (void)state;
    s3svm_report r;
    sos_error error;
    s3svm_report_open(&r, scratch("r.html"), "T", "S", &error);
    s3svm_report_heading(&r, "One");
    s3svm_report_heading(&r, "Two");
    s3svm_report_fact(&r, "a", "%d", 1);
    s3svm_report_fact(&r, "b", "%d", 2);
    check_ok(s3svm_report_close(&r), error);
    char *text = file_text(scratch("r.html"));
    check_markup(text);
    check_alone(text);
    check(occurrences(text, "<dl>") == 1 && occurrences(text, "<dt>") == 2);
    check(strstr(text, "<a href=\"#section1\">One</a>") && strstr(text, "<h2 id=\"section2\">Two</h2>"));
    check(strstr(text, "prefers-color-scheme:dark") && strstr(text, "@media print"));
    check(strstr(text, sos_version()) != NULL);
    free(text);
    unlink(scratch("r.html"));
}

static void the_best_numbers_of_a_column_are_set_off(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(25); c++) {
        sos_random r = test_case_begin(c);
        const size_t rows = 1 + sos_random_below(&r, 8);
        const s3svm_column columns[] = {
            { .name = "m" }, { .best = S3SVM_BEST_LEAST }, { .best = S3SVM_BEST_MOST }, { .name = "plain" }
        };
        double x[8][3];
        s3svm_report report;
        sos_error error;
        s3svm_report_open(&report, scratch("r.html"), "T", NULL, &error);
        s3svm_report_table(&report, "Table", 4, columns);
        for (size_t i = 0; i < rows; i++) {
            s3svm_report_cell(&report, "row");
            for (size_t j = 0; j < 3; j++) {
                x[i][j] = sos_random_below(&r, 6) ? (double)sos_random_below(&r, 50) / 10 : NAN;
                s3svm_report_number(&report, x[i][j], "%.0f", x[i][j]);
            }
        }
        check_ok(s3svm_report_close(&report), error);
        char *text = file_text(scratch("r.html")), *at = strstr(text, "<tbody>");
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < 3; j++) {
                at = strstr(at, "<td");
                check(at != NULL);
                double best = NAN;
                for (size_t k = 0; k < rows; k++)
                    if (!isnan(x[k][j]) && (isnan(best) || (j ? x[k][j] > best : x[k][j] < best))) best = x[k][j];
                char shown[16], wanted[16];
                snprintf(shown, sizeof shown, "%.0f", x[i][j]);
                snprintf(wanted, sizeof wanted, "%.0f", best);
                const bool set_off = j < 2 && !isnan(x[i][j]) && !strcmp(shown, wanted);
                char cell[64];
                snprintf(cell, sizeof cell, "<td%s>%s</td>", set_off ? " class=\"best\"" : "", isnan(x[i][j]) ? "–" : shown);
                check(!strncmp(at, cell, strlen(cell)));
                at++;
            }
        free(text);
        unlink(scratch("r.html"));
    }
}

static void embedded_pictures_are_the_pictures(void **state)
{
    (void)state;
    if (!pictures_can_be_written()) skip();
    sos_random r = test_case_begin(0);
    s3svm_report report;
    sos_error error;
    s3svm_image images[6];
    s3svm_report_open(&report, scratch("r.html"), "T", NULL, &error);
    s3svm_report_pictures(&report, "Pictures", 2, (const char *const[]){ "left", "right" });
    for (size_t i = 0; i < 6; i++) {
        images[i] = picture_random(&r);
        if (i % 2 == 0) s3svm_report_picture_row(&report, "row");
        s3svm_report_picture(&report, &images[i], "%zu %%", i);
    }
    check_ok(s3svm_report_close(&report), error);
    char *text = file_text(scratch("r.html"));
    const char *at = text;
    for (size_t i = 0; i < 6; i++) {
        char alt[64];
        snprintf(alt, sizeof alt, " alt=\"%s, row, %zu %%\"", i % 2 ? "right" : "left", i);
        at = strstr(at, alt);
        check(at && (at = strstr(at, "base64,")));
        at += 7;
        size_t length;
        uint8_t *bytes = base64_read(at, strcspn(at, "\""), &length);
        s3svm_image again;
        const s3svm_image_kind kind = images[i].channels == 1 ? S3SVM_IMAGE_GREY : S3SVM_IMAGE_COLOUR;
        check_ok(s3svm_image_parse(bytes, length, "embedded", kind, &again, &error), error);
        check(again.width == images[i].width && again.height == images[i].height && again.channels == images[i].channels);
        check(!memcmp(again.pixels, images[i].pixels, s3svm_image_size(&again) * again.channels));
        s3svm_image_free(&again);
        s3svm_image_free(&images[i]);
        free(bytes);
    }
    free(text);
    unlink(scratch("r.html"));
}

/* A 3x3 patch turned by a quarter, mirrored: written out, apart from the code that is tested. */
static uint32_t turned(uint32_t S)
{
    static const int from[] = { 6, 3, 0, 7, 4, 1, 8, 5, 2 };
    uint32_t T = 0;
    for (int i = 0; i < 9; i++) T |= (S >> from[i] & 1) << i;
    return T;
}

static uint32_t mirrored(uint32_t S)
{
    static const int from[] = { 2, 1, 0, 5, 4, 3, 8, 7, 6 };
    uint32_t T = 0;
    for (int i = 0; i < 9; i++) T |= (S >> from[i] & 1) << i;
    return T;
}

/* Shows the patches of one table and returns how many; the numbers of what each stands for add up to sets. */
static size_t patches_shown(const s3svm_patches *patches, size_t sets)
{
    s3svm_report report;
    sos_error error;
    s3svm_report_open(&report, scratch("r.html"), "T", NULL, &error);
    s3svm_report_patches(&report, patches);
    check_ok(s3svm_report_close(&report), error);
    char *text = file_text(scratch("r.html"));
    check_markup(text);
    const char *from = strstr(text, "<ul class=\"patches");
    check(from != NULL);
    size_t count = 0, sum = 0;
    for (const char *p = from; (p = strstr(p, "<li>")); p++, count++) {
        const char *end = strstr(p, "</li>"), *times = strstr(p, "×");
        sum += times && times < end ? (size_t)atoi(times + 2) : 1;
    }
    check(sum == sets);
    free(text);
    unlink(scratch("r.html"));
    return count;
}

static void patches_are_grouped_by_symmetry_and_cost(void **state)
{
    (void)state;
    double cost[512];
    size_t classes = 0;
    bool met[512] = { false };
    for (uint32_t S = 0; S < 512; S++) {
        cost[S] = 1;
        if (met[S]) continue;
        classes++;
        uint32_t T = S;
        for (int i = 0; i < 4; i++, T = turned(T)) met[T] = met[mirrored(T)] = met[T ^ 511] = met[mirrored(T) ^ 511] = true;
    }
    const s3svm_patches patches = { .width = 3, .height = 3, .count = 1, .costs = cost, .sorted = true, .most = 512 };
    assert_true(patches_shown(&patches, 512) == classes);
    for (uint32_t S = 0; S < 512; S++) cost[S] = S;
    assert_true(patches_shown(&patches, 512) == 512);
    cost[1] = cost[4]; /* two corners that cost the same */
    assert_true(patches_shown(&patches, 512) == 511);
    cost[1] = cost[6]; /* no turn makes one of the other */
    assert_true(patches_shown(&patches, 512) == 512);
    const s3svm_patches small = { .width = 2, .height = 2, .count = 1, .costs = (const double[16]){ 0 } };
    assert_true(patches_shown(&small, 16) == 16);
}

static void failures_leave_nothing(void **state)
{
    (void)state;
    s3svm_report r;
    sos_error error;
    sos_random random = test_case_begin(0);

    s3svm_report_open(&r, "/nonexistent/r.html", "T", NULL, &error);
    for (size_t i = 0; i < 100; i++) report_add_random(&r, &random, true);
    check_error(s3svm_report_close(&r), SOS_ERR_IO, error, "/nonexistent/r.html");
    s3svm_report_abandon(&r);
    s3svm_report_open(&r, scratch_folder(), "T", NULL, NULL);
    check_is(s3svm_report_close(&r), SOS_ERR_IO);

    s3svm_report_open(&r, scratch("r.html"), "T", NULL, &error);
    s3svm_report_cell(&r, "lost");
    s3svm_report_text(&r, "more");
    check_error(s3svm_report_close(&r), SOS_ERR_ARGUMENT, error, "cell", "outside");
    check(scratch_count() == 0);

    s3svm_report_open(&r, scratch("r.html"), "T", NULL, &error);
    s3svm_report_picture(&r, NULL, "lost");
    check_error(s3svm_report_close(&r), SOS_ERR_ARGUMENT, error, "picture", "outside");

    s3svm_report_open(&r, scratch("r.html"), "T", NULL, &error);
    s3svm_report_table(&r, "none", 0, NULL);
    check_error(s3svm_report_close(&r), SOS_ERR_ARGUMENT, error, "columns", "0");

    s3svm_report_open(&r, scratch("r.html"), "T", NULL, &error);
    s3svm_report_pictures(&r, "many", 65, NULL);
    check_error(s3svm_report_close(&r), SOS_ERR_ARGUMENT, error, "columns", "65");

    s3svm_report_open(&r, scratch("r.html"), "T", NULL, &error);
    s3svm_report_patches(&r, &(s3svm_patches){ .width = 4, .height = 3 });
    check_error(s3svm_report_close(&r), SOS_ERR_ARGUMENT, error, "4 x 3");

    s3svm_report_open(&r, scratch("r.html"), "T", NULL, &error);
    s3svm_report_fact(&r, "a", "b");
    s3svm_report_abandon(&r);
    s3svm_report_text(&r, "nothing happens");
    check_is(s3svm_report_close(&r), SOS_CANCELLED);
    check(scratch_count() == 0);
}

static void a_full_disk_is_an_error(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK)) skip();
    s3svm_report r;
    sos_error error;
    s3svm_report_open(&r, "/dev/full", "T", NULL, &error);
    check_is(s3svm_report_close(&r), SOS_ERR_IO);
    s3svm_csv c;
    s3svm_csv_open(&c, "/dev/full", &error);
    s3svm_csv_count(&c, 1);
    check_is(s3svm_csv_close(&c), SOS_ERR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_report_is_well_formed),
        cmocka_unit_test(a_report_needs_nothing_else),
        cmocka_unit_test(the_best_numbers_of_a_column_are_set_off),
        cmocka_unit_test(embedded_pictures_are_the_pictures),
        cmocka_unit_test(patches_are_grouped_by_symmetry_and_cost),
        cmocka_unit_test(failures_leave_nothing),
        cmocka_unit_test(a_full_disk_is_an_error),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
