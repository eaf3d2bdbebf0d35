/* test_text.c - text on its way into pages, numbers as people read them, and tables of values: whatever it says, it
 * stays harmless, and reads back the same. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiments/common/csv.h"
#include "report/text.h"
#include "report_support.h"
#include "scratch.h"

static char *escape(const char *text)
{
    FILE *file = written_begin();
    fputs("<a b=\"", file);
    s3svm_escape(file, text);
    fputs("\">", file);
    s3svm_escape(file, text);
    fputs("</a>\n", file);
    return written_end(file);
}

static void any_bytes_are_harmless_inside_markup(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(2000); c++) {
        sos_random r = test_case_begin(c);
        char text[64];
        bytes_random(&r, text, sizeof text);
        char *out = escape(text);
        check_markup(out);
        free(out);
    }
}

static void escaped_is(const char *text, const char *wanted)
{
    char both[256];
    snprintf(both, sizeof both, "<a b=\"%s\">%s</a>\n", wanted, wanted);
    char *out = escape(text);
    assert_string_equal(out, both);
    free(out);
}

static void text_is_kept_and_what_is_no_text_is_replaced(void **state)
{
    (void)state;
    escaped_is("a < b && \"c\" > 'd'", "a &lt; b &amp;&amp; &quot;c&quot; &gt; &#39;d&#39;");
    escaped_is("<script>", "&lt;script&gt;");
    escaped_is("&amp;", "&amp;amp;");
    escaped_is("σ é € 😀", "σ é € 😀");
    escaped_is("\xff"
               "a\xc3",
               "\xef\xbf\xbd"
               "a\xef\xbf\xbd");
    escaped_is("\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd");                 /* too long a form */
    escaped_is("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"); /* a surrogate */
    escaped_is("\x01\x7f", "\xef\xbf\xbd\xef\xbf\xbd");
    escaped_is(NULL, "");
}

static void base64_reads_back_the_same(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(300); c++) {
        sos_random r = test_case_begin(c);
        uint8_t bytes[100];
        const size_t length = sos_random_below(&r, sizeof bytes);
        for (size_t i = 0; i < length; i++) bytes[i] = (uint8_t)sos_random_bits(&r);
        FILE *file = written_begin();
        s3svm_base64_write(file, bytes, length);
        char *text = written_end(file);
        size_t count;
        uint8_t *again = base64_read(text, strlen(text), &count);
        check(count == length && !memcmp(bytes, again, length));
        free(again);
        free(text);
    }
}

static void numbers_are_shown_with_the_digits_asked_for(void **state)
{
    (void)state;
    char text[S3SVM_NUMBER_TEXT];
    assert_string_equal(s3svm_number_text(0, 3, text), "0");
    assert_string_equal(s3svm_number_text(-0.0, 3, text), "0");
    assert_string_equal(s3svm_number_text(-1.25, 4, text), "−1.25");
    assert_string_equal(s3svm_number_text(0.00012345, 3, text), "0.000123");
    assert_string_equal(s3svm_number_text(99999, 3, text), "100000");
    assert_string_equal(s3svm_number_text(999999, 3, text), "10⁶");
    assert_string_equal(s3svm_number_text(2.5e-7, 3, text), "2.5×10⁻⁷");
    assert_string_equal(s3svm_number_text(NAN, 3, text), "–");
    assert_string_equal(s3svm_number_text(-INFINITY, 3, text), "–");
    for (uint64_t c = 0; c < test_cases(20000); c++) {
        sos_random r = test_case_begin(c);
        const double x = value_random(&r);
        const int digits = 1 + (int)sos_random_below(&r, 12);
        const double shown = shown_value(s3svm_number_text(x, digits, text));
        check(fabs(shown - x) <= 0.5000001 * fabs(x) * pow(10, 1 - digits));
        char wanted[64];
        snprintf(wanted, sizeof wanted, "%.*e", digits - 1, x);
        check(shown == strtod(wanted, NULL));
    }
}

static void fixed_decimals_are_as_printf_has_them(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(20000); c++) {
        sos_random r = test_case_begin(c);
        const int decimals = (int)sos_random_below(&r, 7);
        const double x = (sos_random_uniform(&r) - 0.5) * pow(10, (double)sos_random_below(&r, 7));
        char text[S3SVM_NUMBER_TEXT], wanted[64];
        s3svm_fixed_text(x, decimals, text);
        snprintf(wanted, sizeof wanted, "%.*f", decimals, x);
        const double rounded = strtod(wanted, NULL);
        if (rounded == 0) continue; /* "0", or as many digits as show something */
        check(shown_value(text) == rounded || fabs(fabs(x - rounded) * pow(10, decimals) - 0.5) < 1e-6);
        check(strlen(strchr(wanted, '.') ? strchr(wanted, '.') : "") == strlen(strchr(text, '.') ? strchr(text, '.') : ""));
    }
    char text[S3SVM_NUMBER_TEXT];
    assert_string_equal(s3svm_fixed_text(NAN, 2, text), "–");
    assert_string_equal(s3svm_fixed_text(0, 2, text), "0.00");
    assert_string_equal(s3svm_fixed_text(-0.001, 2, text), "0.00");
    assert_string_equal(s3svm_fixed_text(1e300, 2, text), "10³⁰⁰");
    assert_true(s3svm_decimals(3, (const double[]){ 0.5, -12, NAN }, 3) == 1);
    assert_true(s3svm_decimals(1, (const double[]){ 1 }, 3) == 2);
    assert_true(s3svm_decimals(1, (const double[]){ 12345 }, 3) == 0);
    assert_true(s3svm_decimals(0, NULL, 3) == 0);
}

/* ---------------------------------------------------------------- tables of values */

/* One field as RFC 4180 has it; returns what follows: ',', '\n' or 0. */
static char csv_field(const char **at, char field[], size_t room)
{
    size_t length = 0;
    const char *p = *at;
    const bool quoted = *p == '"';
    if (quoted) p++;
    for (;; p++) {
        if (quoted && *p == '"') {
            if (p[1] != '"') {
                p++;
                break;
            }
            p++;
        } else if (!quoted && (*p == ',' || *p == '\n' || !*p))
            break;
        check(*p && length + 1 < room && (quoted || (*p != '"' && *p != '\r')));
        field[length++] = *p;
    }
    field[length] = '\0';
    const char behind = *p;
    check(behind == ',' || behind == '\n');
    *at = p + 1;
    return behind;
}

static void csv_reads_back_the_same(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(25); c++) {
        sos_random r = test_case_begin(c);
        enum { ROWS = 40, COLUMNS = 4 };
        static char texts[ROWS][COLUMNS][40];
        double numbers[ROWS][COLUMNS];
        s3svm_csv csv;
        sos_error error;
        s3svm_csv_open(&csv, scratch("t.csv"), &error);
        for (size_t i = 0; i < ROWS; i++) {
            for (size_t j = 0; j < COLUMNS; j++) {
                bytes_random(&r, texts[i][j], sizeof texts[i][j]);
                numbers[i][j] = odd_value(&r);
                if (j % 2)
                    s3svm_csv_real(&csv, numbers[i][j]);
                else
                    s3svm_csv_text(&csv, texts[i][j]);
            }
            s3svm_csv_row(&csv);
        }
        check_ok(s3svm_csv_close(&csv), error);
        char *text = file_text(scratch("t.csv")), field[64];
        const char *at = text;
        for (size_t i = 0; i < ROWS; i++)
            for (size_t j = 0; j < COLUMNS; j++) {
                check(csv_field(&at, field, sizeof field) == (j + 1 < COLUMNS ? ',' : '\n'));
                if (j % 2)
                    check(isfinite(numbers[i][j]) ? strtod(field, NULL) == numbers[i][j] : !*field);
                else
                    check(!strcmp(field, texts[i][j]));
            }
        check(!*at);
        free(text);
        unlink(scratch("t.csv"));
    }
}

static void csv_is_plain_where_it_can_be(void **state)
{
    (void)state;
    s3svm_csv c;
    sos_error error;
    s3svm_csv_open(&c, scratch("t.csv"), &error);
    s3svm_csv_text(&c, "method");
    s3svm_csv_text(&c, "a, \"b\"");
    s3svm_csv_row(&c);
    s3svm_csv_text(&c, NULL);
    s3svm_csv_real(&c, 0.1);
    s3svm_csv_count(&c, 7);
    check_ok(s3svm_csv_close(&c), error);
    char *text = file_text(scratch("t.csv"));
    assert_string_equal(text, "method,\"a, \"\"b\"\"\"\n\"\",0.1,7\n");
    free(text);
    unlink(scratch("t.csv"));

    s3svm_csv_open(&c, "/nonexistent/t.csv", &error);
    s3svm_csv_text(&c, "x");
    s3svm_csv_row(&c);
    check_error(s3svm_csv_close(&c), SOS_ERR_IO, error, "/nonexistent/t.csv");
    s3svm_csv_open(&c, scratch("t.csv"), &error);
    s3svm_csv_text(&c, "x");
    s3svm_csv_abandon(&c);
    check_is(s3svm_csv_close(&c), SOS_CANCELLED);
    check(scratch_count() == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_bytes_are_harmless_inside_markup),
        cmocka_unit_test(text_is_kept_and_what_is_no_text_is_replaced),
        cmocka_unit_test(base64_reads_back_the_same),
        cmocka_unit_test(numbers_are_shown_with_the_digits_asked_for),
        cmocka_unit_test(fixed_decimals_are_as_printf_has_them),
        cmocka_unit_test(csv_reads_back_the_same),
        cmocka_unit_test(csv_is_plain_where_it_can_be),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
