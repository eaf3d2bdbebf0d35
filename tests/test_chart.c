/* test_chart.c - charts: marks stand where the numbers say, and whatever numbers and names there are, the picture is
 * well-formed. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/chart.h"
#include "report/ticks.h"
#include "report_support.h"
#include "scratch.h"

/* ---------------------------------------------------------------- ticks */

/* In integers: a unit is 10^-8, and low and high are whole numbers of 10^8 units. */
static void ticks_by_trying(int64_t low, int64_t high, size_t most, int64_t *step)
{
    for (int64_t power = 1;; power *= 10)
        for (size_t m = 0; m < 3; m++) {
            *step = power * (m == 0 ? 1 : m == 1 ? 2 : 5);
            size_t count = 0;
            /* The first multiple at or above low, by the remainder and not by division of reals. */
            const int64_t remainder = ((low % *step) + *step) % *step;
            for (int64_t x = remainder ? low + *step - remainder : low; x <= high && count <= most; x += *step) count++;
            if (count <= most) return;
        }
}

static void linear_ticks_are_the_finest_that_are_few_enough(void **state)
{
    (void)state;
    const int64_t unit = 100000000;
    for (uint64_t c = 0; c < test_cases(20000); c++) {
        sos_random r = test_case_begin(c);
        const int64_t size = (int64_t[]){ 10, 100, 1000, 100000 }[sos_random_below(&r, 4)];
        const int64_t low = (int64_t)sos_random_below(&r, (uint64_t)(2 * size)) - size,
                      high = low + 1 + (int64_t)sos_random_below(&r, (uint64_t)size);
        const int power = (int)sos_random_below(&r, 560) - 280;
        const size_t most = S3SVM_TICKS_LEAST + sos_random_below(&r, S3SVM_TICKS_MOST - S3SVM_TICKS_LEAST + 1);
        int64_t step;
        ticks_by_trying(low * unit, high * unit, most, &step);

        s3svm_ticks ticks;
        const double scale = pow(10, power);
        s3svm_ticks_linear((double)low * scale, (double)high * scale, most, &ticks);
        check(ticks.count >= 2 && ticks.count <= most);
        for (size_t i = 0; i < ticks.count; i++) {
            check(ticks.exponent[i] == ticks.exponent[0]);
            const double x = s3svm_ticks_value(&ticks, i) / scale * (double)unit;
            const double multiple = x / (double)step;
            check(fabs(multiple - rint(multiple)) < 1e-6);
            check(rint(multiple) * (double)step >= (double)(low * unit) &&
                  rint(multiple) * (double)step <= (double)(high * unit));
            if (i) check(fabs(multiple - s3svm_ticks_value(&ticks, i - 1) / scale * (double)unit / (double)step - 1) < 1e-6);
        }
        /* No multiple is left out at either end. */
        const double first = s3svm_ticks_value(&ticks, 0) / scale, last = s3svm_ticks_value(&ticks, ticks.count - 1) / scale;
        check(first - (double)step / (double)unit < (double)low && last + (double)step / (double)unit > (double)high);

        double from = (double)low * scale, to = (double)high * scale;
        s3svm_ticks_around(&from, &to, most, &ticks);
        check(from <= (double)low * scale * (1 + 1e-12 * (low < 0 ? -1 : 1)) + 1e-9 * scale &&
              to >= (double)high * scale - 1e-9 * scale * fabs((double)high));
        check(fabs(s3svm_ticks_value(&ticks, 0) - from) <= 1e-9 * scale * (double)size);
        check(fabs(s3svm_ticks_value(&ticks, ticks.count - 1) - to) <= 1e-9 * scale * (double)size);
        check(ticks.count <= most + 2);
    }
}

/* m * 10^e as a pair that compares without rounding. */
static int pair_order(int m, int e, int other_m, int other_e)
{
    return e != other_e ? (e < other_e ? -1 : 1) : m < other_m ? -1 : m > other_m;
}

static void logarithmic_ticks_are_1_2_5_or_powers_of_ten(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(20000); c++) {
        sos_random r = test_case_begin(c);
        const int span = (int)sos_random_below(&r, c % 3 ? 6 : 250);
        const int m1 = 1 + (int)sos_random_below(&r, 9), e1 = (int)sos_random_below(&r, 590 - (uint64_t)span) - 295;
        const int m2 = 1 + (int)sos_random_below(&r, 9), e2 = e1 + span;
        if (pair_order(m1, e1, m2, e2) >= 0) continue;
        const size_t most = S3SVM_TICKS_LEAST + sos_random_below(&r, S3SVM_TICKS_MOST - S3SVM_TICKS_LEAST + 1);
        const double low = m1 * pow(10, e1), high = m2 * pow(10, e2);
        s3svm_ticks ticks, linear;
        s3svm_ticks_log(low, high, most, &ticks);
        s3svm_ticks_linear(low, high, most, &linear);

        /* All candidates of each rule in turn, by trying. */
        static const int every[] = { 0, 1, 2, 5, 10, 20, 50, 100, 200, 500 }; /* 0: 1, 2, 5 in each decade */
        size_t count = 0;
        int digits[4096], exponents[4096];
        for (size_t rule = 0; rule < 10; rule++) {
            count = 0;
            for (int e = e1; e <= e2; e++)
                for (int m = 1; m <= 9; m++) {
                    const bool wanted = every[rule] ? m == 1 && e % every[rule] == 0 : m == 1 || m == 2 || m == 5;
                    if (!wanted || pair_order(m, e, m1, e1) < 0 || pair_order(m, e, m2, e2) > 0) continue;
                    digits[count] = m;
                    exponents[count++] = e;
                }
            if (count <= most) break;
        }
        if (count < 2) {
            check(ticks.count == linear.count);
            for (size_t i = 0; i < ticks.count; i++)
                check(ticks.digits[i] == linear.digits[i] && ticks.exponent[i] == linear.exponent[i]);
            continue;
        }
        check(ticks.count == count);
        for (size_t i = 0; i < count; i++) check(ticks.digits[i] == digits[i] && ticks.exponent[i] == exponents[i]);
    }
}

static void tick_texts_say_the_value(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(20000); c++) {
        sos_random r = test_case_begin(c);
        s3svm_ticks ticks = { .count = 1 };
        ticks.digits[0] = (long long)sos_random_below(&r, 2000) - 1000;
        ticks.exponent[0] = (int)sos_random_below(&r, 30) - 15;
        char text[S3SVM_NUMBER_TEXT];
        const double x = s3svm_ticks_value(&ticks, 0), shown = shown_value(s3svm_ticks_text(&ticks, 0, text));
        check(fabs(shown - x) <= 1e-12 * fabs(x));
        check(strlen(text) < 24);
    }
    char text[S3SVM_NUMBER_TEXT];
    const s3svm_ticks ticks = { 4, { 0, -5, 10, 15 }, { -1, -1, -1, -1 } };
    assert_string_equal(s3svm_ticks_text(&ticks, 0, text), "0.0");
    assert_string_equal(s3svm_ticks_text(&ticks, 1, text), "−0.5");
    assert_string_equal(s3svm_ticks_text(&ticks, 2, text), "1.0");
    assert_string_equal(s3svm_ticks_text(&ticks, 3, text), "1.5");
}

/* ---------------------------------------------------------------- charts */

static char *drawn(const s3svm_chart *chart)
{
    FILE *file = written_begin();
    s3svm_chart_draw(file, chart);
    return written_end(file);
}

/* The middles of all marks of a series drawn as points, in their order. */
static size_t marks_read(const char *svg, size_t most, double x[], double y[])
{
    size_t count = 0;
    const char *p = strstr(svg, " cloud\">");
    check(p != NULL);
    for (; (p = strstr(p, "<path class=\"mark")); count++) {
        p = strstr(p, " d=\"M");
        check(p && count < most && sscanf(p, " d=\"M%lf,%lf", &x[count], &y[count]) == 2);
    }
    return count;
}

/* How far along an axis x stands, as the scale has it. */
static double position(double x, bool log_scale) { return log_scale ? log(x) : x; }

static void check_affine(size_t count, const double at[], const double value[], bool log_scale)
{
    size_t low = 0, high = 0;
    for (size_t i = 0; i < count; i++) {
        if (value[i] < value[low]) low = i;
        if (value[i] > value[high]) high = i;
    }
    const double width = position(value[high], log_scale) - position(value[low], log_scale);
    check(fabs(at[high] - at[low]) > 50);
    for (size_t i = 0; i < count; i++) {
        const double share = (position(value[i], log_scale) - position(value[low], log_scale)) / width;
        check(fabs(at[low] + share * (at[high] - at[low]) - at[i]) < 0.16); /* each is rounded to a tenth */
    }
}

static void marks_stand_where_the_numbers_say(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(500); c++) {
        sos_random r = test_case_begin(c);
        enum { COUNT = 20 };
        double x[COUNT], y[COUNT], at_x[COUNT], at_y[COUNT];
        const bool log_x = c & 1, log_y = c & 2, diagonal = (c & 12) == 12 && log_x == log_y;
        const double size = pow(10, 40 * sos_random_uniform(&r) - 20);
        for (size_t i = 0; i < COUNT; i++) {
            x[i] = size * (log_x ? pow(10, 4 * sos_random_uniform(&r)) : sos_random_uniform(&r) - 0.3);
            y[i] = log_y ? size * pow(10, 3 * sos_random_uniform(&r))
                         : size * (5 + sos_random_uniform(&r) * (diagonal ? 100 : 1));
        }
        const s3svm_series series = { .kind = S3SVM_SERIES_POINTS, .count = COUNT, .x = x, .y = y };
        const s3svm_chart chart = { .x = { .scale = log_x ? S3SVM_SCALE_LOG : S3SVM_SCALE_LINEAR },
                                    .y = { .scale = log_y ? S3SVM_SCALE_LOG : S3SVM_SCALE_LINEAR },
                                    .count = 1,
                                    .series = &series,
                                    .diagonal = diagonal };
        char *svg = drawn(&chart);
        check(marks_read(svg, COUNT, at_x, at_y) == COUNT);
        if (!diagonal) {
            check_affine(COUNT, at_x, x, log_x);
            check_affine(COUNT, at_y, y, log_y);
        }
        if (diagonal) {
            double fx, fy, tx, ty;
            const char *line = strstr(svg, "class=\"diagonal\" d=\"");
            check(line && sscanf(line, "class=\"diagonal\" d=\"M%lf,%lfL%lf,%lf", &fx, &fy, &tx, &ty) == 4);
            /* Below the line is what has the smaller y, and as far as on the other axis. */
            for (size_t i = 0; i < COUNT; i++) {
                const double on_line = fy + (at_x[i] - fx) / (tx - fx) * (ty - fy);
                check(fabs(on_line - at_y[i]) < 0.4 || (at_y[i] > on_line) == (y[i] < x[i]));
            }
        }
        free(svg);
    }
}

/* Every coordinate that stands in an attribute, and the first one of every path, lies within the picture. */
static void check_inside(const char *svg)
{
    double width, height;
    const char *box = strstr(svg, "viewBox=\"0 0 ");
    check(box && sscanf(box, "viewBox=\"0 0 %lf %lf", &width, &height) == 2);
    static const char *const names[] = { " x=\"", " cx=\"", " y=\"", " cy=\"" };
    for (size_t k = 0; k < 4; k++)
        for (const char *p = svg; (p = strstr(p, names[k])); p++) {
            char *end;
            const double value = strtod(p + strlen(names[k]), &end);
            check(*end == '"' && value >= -12 && value <= (k < 2 ? width : height) + 12);
        }
    for (const char *p = svg; (p = strstr(p, " d=\"M")); p++) {
        double x, y;
        check(sscanf(p, " d=\"M%lf,%lf", &x, &y) == 2);
        check(x >= -12 && x <= width + 12 && y >= -2 && y <= height + 2);
    }
}

static void any_numbers_and_names_make_a_chart(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(3000); c++) {
        sos_random r = test_case_begin(c);
        enum { SERIES = 10, COUNT = 30 };
        static double x[SERIES][COUNT], y[SERIES][COUNT], spread[SERIES][COUNT];
        static char texts[SERIES + 3][400];
        s3svm_series series[SERIES] = { 0 };
        for (size_t i = 0; i < SERIES + 3; i++) bytes_random(&r, texts[i], i % 3 ? 30 : 400);
        const bool same = sos_random_below(&r, 8) == 0;
        const double fixed = odd_value(&r);
        size_t points = 0;
        const s3svm_scale sx = c & 1 ? S3SVM_SCALE_LOG : S3SVM_SCALE_LINEAR, sy = c & 2 ? S3SVM_SCALE_LOG : S3SVM_SCALE_LINEAR;
        const s3svm_chart chart = { .title = texts[SERIES],
                                    .note = c % 3 ? NULL : texts[SERIES + 1],
                                    .x = { .name = texts[SERIES + 2], .scale = sx, .zero = c & 4 },
                                    .y = { .name = c % 5 ? texts[0] : NULL, .scale = sy, .zero = c & 8 },
                                    .count = sos_random_below(&r, SERIES + 1),
                                    .series = series,
                                    .diagonal = sx == sy && (c & 16),
                                    .wide = c & 32 };
        for (size_t i = 0; i < SERIES; i++) {
            const size_t count = sos_random_below(&r, 4) ? sos_random_below(&r, COUNT) : sos_random_below(&r, 3);
            for (size_t j = 0; j < count; j++) {
                x[i][j] = same ? fixed : odd_value(&r);
                y[i][j] = same ? fixed : odd_value(&r);
                spread[i][j] = odd_value(&r);
                const bool shown = isfinite(x[i][j]) && isfinite(y[i][j]) && fabs(x[i][j]) <= 1e300 && fabs(y[i][j]) <= 1e300 &&
                                   (sx == S3SVM_SCALE_LINEAR || x[i][j] >= 1e-300) &&
                                   (sy == S3SVM_SCALE_LINEAR || y[i][j] >= 1e-300);
                points += shown && i < chart.count;
            }
            series[i] = (s3svm_series){ .name = i == 4 ? NULL : texts[i],
                                        .kind = (s3svm_series_kind)sos_random_below(&r, 3),
                                        .count = count,
                                        .x = x[i],
                                        .y = y[i],
                                        .spread = i % 2 ? spread[i] : NULL,
                                        .style = (int)sos_random_below(&r, 11) };
        }
        char *svg = drawn(&chart);
        check_markup(svg);
        check_inside(svg);
        check((strstr(svg, "no data") != NULL) >= (points == 0));
        /* Each point has its numbers where the mouse rests. */
        size_t rests = occurrences(svg, "class=\"rest\"");
        for (const char *p = svg; (p = strstr(p, "<path class=\"mark"));) {
            p = strchr(p, '>');
            rests += p[-1] != '/'; /* those of the legend have no title */
        }
        check(rests == points);
        free(svg);
    }
}

static void any_bars_can_be_drawn(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(1000); c++) {
        sos_random r = test_case_begin(c);
        enum { COUNT = 12 };
        char texts[COUNT][60];
        const char *names[COUNT];
        double values[COUNT], spreads[COUNT];
        size_t shown = 0;
        const size_t count = sos_random_below(&r, COUNT + 1);
        for (size_t i = 0; i < COUNT; i++) {
            bytes_random(&r, texts[i], sizeof texts[i]);
            names[i] = i == 3 ? NULL : texts[i];
            values[i] = odd_value(&r);
            spreads[i] = odd_value(&r);
            shown += i < count && isfinite(values[i]) && fabs(values[i]) <= 1e300;
        }
        const s3svm_bars bars = { .title = texts[0],
                                  .axis = texts[1],
                                  .count = count,
                                  .names = c % 7 ? names : NULL,
                                  .values = values,
                                  .spreads = c % 2 ? spreads : NULL };
        FILE *file = written_begin();
        s3svm_bars_draw(file, &bars);
        char *svg = written_end(file);
        check_markup(svg);
        check_inside(svg);
        check(occurrences(svg, "<rect class=\"bar") == shown);
        free(svg);
    }
}

static void bars_are_as_long_as_their_numbers(void **state)
{
    (void)state;
    const double values[] = { 3, -1.5, 0, 0.75 };
    FILE *file = written_begin();
    s3svm_bars_draw(file, &(s3svm_bars){ .count = 4, .values = values });
    char *svg = written_end(file);
    double x[4], width[4];
    const char *p = svg;
    for (size_t i = 0; i < 4; i++) {
        p = strstr(p, "<rect class=\"bar");
        check(p && sscanf(strstr(p, " x="), " x=\"%lf\"", &x[i]) == 1 &&
              sscanf(strstr(p, " width="), " width=\"%lf\"", &width[i]) == 1);
        p++;
    }
    for (size_t i = 0; i < 4; i++) {
        check(fabs(width[i] - width[0] * fabs(values[i]) / 3) < 0.21);
        check(fabs((values[i] < 0 ? x[i] + width[i] : x[i]) - x[0]) < 0.21); /* from zero, to its side */
    }
    free(svg);
}

static double luminance(uint32_t colour)
{
    double sum = 0;
    const double weight[] = { 0.2126, 0.7152, 0.0722 };
    for (int i = 0; i < 3; i++) {
        const double c = (double)(colour >> (16 - 8 * i) & 255) / 255;
        sum += weight[i] * (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
    }
    return sum;
}

static void colours_stand_out_from_the_page(void **state)
{
    (void)state;
    for (size_t i = 0; i < S3SVM_PALETTE; i++) {
        check(1.05 / (luminance(s3svm_palette_light[i]) + 0.05) >= 3);
        check((luminance(s3svm_palette_dark[i]) + 0.05) / (luminance(0x15181c) + 0.05) >= 3);
        for (size_t j = 0; j < i; j++)
            check(s3svm_palette_light[i] != s3svm_palette_light[j] && s3svm_palette_dark[i] != s3svm_palette_dark[j]);
    }
}

static void a_chart_can_be_a_file_of_its_own(void **state)
{
    (void)state;
    const double x[] = { 1, 2 }, y[] = { 3, 4 };
    const s3svm_series series = { .name = "a", .count = 2, .x = x, .y = y };
    sos_error error;
    check_ok(s3svm_chart_write(&(s3svm_chart){ .title = "<T>", .count = 1, .series = &series }, scratch("c.svg"), &error),
             error);
    char *svg = file_text(scratch("c.svg"));
    check_markup(svg);
    check_alone(svg);
    check(strstr(svg, "prefers-color-scheme:dark") && strstr(svg, ">&lt;T&gt;</text>") && !strncmp(svg, "<svg xmlns=", 11));
    free(svg);
    check_ok(s3svm_bars_write(&(s3svm_bars){ .title = "B", .count = 2, .values = y }, scratch("c.svg"), &error), error);
    svg = file_text(scratch("c.svg"));
    check_markup(svg);
    free(svg);
    unlink(scratch("c.svg"));
    check_error(s3svm_chart_write(&(s3svm_chart){ .count = 0 }, "/nonexistent/c.svg", &error), SOS_ERR_IO, error,
                "/nonexistent/c.svg");
    check_is(s3svm_bars_write(&(s3svm_bars){ .count = 0 }, "/nonexistent/c.svg", NULL), SOS_ERR_IO);
}

static void another_locale_changes_nothing(void **state)
{
    (void)state;
    static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE" };
    const double x[] = { 0.5, 1.25 }, y[] = { 0.125, 2.5 };
    const s3svm_series series = { .count = 2, .x = x, .y = y };
    const s3svm_chart chart = { .count = 1, .series = &series };
    char *here = drawn(&chart), *there = NULL, fixed[S3SVM_NUMBER_TEXT];
    bool found = false;
    for (size_t i = 0; i < 4 && !found; i++) found = setlocale(LC_ALL, names[i]) != NULL;
    if (found) there = drawn(&chart);
    s3svm_fixed_text(1.5, 2, fixed);
    setlocale(LC_ALL, "C");
    if (found) {
        assert_string_equal(here, there);
        assert_string_equal(fixed, "1.50");
    }
    free(here);
    free(there);
    if (!found) skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_ticks_are_the_finest_that_are_few_enough),
        cmocka_unit_test(logarithmic_ticks_are_1_2_5_or_powers_of_ten),
        cmocka_unit_test(tick_texts_say_the_value),
        cmocka_unit_test(marks_stand_where_the_numbers_say),
        cmocka_unit_test(any_numbers_and_names_make_a_chart),
        cmocka_unit_test(any_bars_can_be_drawn),
        cmocka_unit_test(bars_are_as_long_as_their_numbers),
        cmocka_unit_test(colours_stand_out_from_the_page),
        cmocka_unit_test(a_chart_can_be_a_file_of_its_own),
        cmocka_unit_test(another_locale_changes_nothing),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
