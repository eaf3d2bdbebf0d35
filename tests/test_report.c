/* test_report.c - reports, charts and tables of values: what is written is well-formed whatever it says, stands where the
 * numbers say, marks round numbers, reads back the same, and appears whole or not at all. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <dirent.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/csv.h"
#include "report/report.h"
#include "report/ticks.h"
#include "scratch.h"
#include "support.h"

static char *file_text(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    const size_t room = 1 << 22;
    char *text = test_room(NULL, room, 1);
    const size_t length = fread(text, 1, room - 1, file);
    text[length] = '\0';
    check(strlen(text) == length && length < room - 1);
    fclose(file);
    return text;
}

/* What a writer to a FILE writes, to free. */
static FILE *written_begin(void)
{
    FILE *file = fopen(scratch("written"), "w");
    assert_non_null(file);
    return file;
}

static char *written_end(FILE *file)
{
    check(fclose(file) == 0);
    char *text = file_text(scratch("written"));
    unlink(scratch("written"));
    return text;
}

static size_t occurrences(const char *text, const char *what)
{
    size_t count = 0;
    for (const char *p = text; (p = strstr(p, what)); p += strlen(what)) count++;
    return count;
}

/* Well-formed markup: tags nest, attributes are quoted and of different names, ids are unique, nothing unescaped, references to
 * ids lead somewhere, and the bytes are UTF-8.  Fails the test otherwise. */

enum { DEPTH_MAX = 64, IDS_MAX = 4096, NAME_MAX_LENGTH = 32 };

typedef struct markup {
    const char *text, *at;
    char open[DEPTH_MAX][NAME_MAX_LENGTH];
    size_t depth, ids;
    char id[IDS_MAX][NAME_MAX_LENGTH];
} markup;

static void markup_fail(const markup *m, const char *what)
{
    test_fail(__FILE__, __LINE__, "%s at byte %zu: %.60s", what, (size_t)(m->at - m->text), m->at);
}

static void markup_name(markup *m, char name[NAME_MAX_LENGTH])
{
    const size_t length = strspn(m->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-:");
    if (length == 0 || length >= NAME_MAX_LENGTH) markup_fail(m, "no name");
    memcpy(name, m->at, length);
    name[length] = '\0';
    m->at += length;
}

static void markup_reference(markup *m)
{
    static const char *const known[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;", "&#13;" };
    for (size_t i = 0; i < 6; i++)
        if (!strncmp(m->at, known[i], strlen(known[i]))) return;
    markup_fail(m, "an unescaped &");
}

/* One character as RFC 3629 has it, by its table of ranges, and not one that XML forbids. */
static size_t markup_character(const markup *m)
{
    const unsigned char *c = (const unsigned char *)m->at;
    if (c[0] < 0x80) {
        if ((c[0] < 0x20 && c[0] != '\n' && c[0] != '\t') || c[0] == 0x7f) markup_fail(m, "a control character");
        return 1;
    }
    const size_t length = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : 2;
    for (size_t i = 1; i < length; i++)
        if (c[i] < 0x80 || c[i] > 0xbf) markup_fail(m, "no UTF-8");
    if (c[0] < 0xc2 || c[0] > 0xf4 || (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) ||
        (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f))
        markup_fail(m, "no UTF-8");
    if (c[0] == 0xef && c[1] == 0xbf && c[2] >= 0xbe) markup_fail(m, "U+FFFE or U+FFFF");
    return length;
}

static void markup_text(markup *m, const char *ends)
{
    while (*m->at && !strchr(ends, *m->at)) {
        if (*m->at == '&') markup_reference(m);
        if (*m->at == '<') markup_fail(m, "an unescaped <");
        m->at += markup_character(m);
    }
}

static void markup_attribute(markup *m, char seen[][NAME_MAX_LENGTH], size_t count)
{
    if (*m->at != ' ') markup_fail(m, "no space before an attribute");
    m->at++;
    markup_name(m, seen[count]);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(seen[i], seen[count])) markup_fail(m, "an attribute twice");
    if (strncmp(m->at, "=\"", 2)) markup_fail(m, "an attribute without quotes");
    const char *from = m->at += 2;
    markup_text(m, "\"");
    if (*m->at != '"') markup_fail(m, "an attribute without end");
    if (!strcmp(seen[count], "id")) {
        char *id = m->id[m->ids++];
        check(m->ids < IDS_MAX && m->at - from < NAME_MAX_LENGTH);
        snprintf(id, NAME_MAX_LENGTH, "%.*s", (int)(m->at - from), from);
        for (size_t i = 0; i + 1 < m->ids; i++) check(strcmp(m->id[i], id));
    }
    m->at++;
}

static void markup_tag(markup *m)
{
    char name[NAME_MAX_LENGTH], seen[24][NAME_MAX_LENGTH];
    if (m->at[1] == '/') {
        m->at += 2;
        markup_name(m, name);
        if (m->depth == 0 || strcmp(m->open[--m->depth], name)) markup_fail(m, "an end without its start");
        if (*m->at++ != '>') markup_fail(m, "an end tag without end");
        return;
    }
    m->at++;
    markup_name(m, name);
    for (size_t count = 0; *m->at != '>' && *m->at != '/'; count++) {
        check(count < 24);
        markup_attribute(m, seen, count);
    }
    const bool empty = *m->at == '/';
    m->at += empty;
    if (*m->at++ != '>') markup_fail(m, "a tag without end");
    if (empty) return;
    check(m->depth < DEPTH_MAX);
    strcpy(m->open[m->depth++], name);
}

static void markup_references(const markup *m)
{
    static const char *const starts[] = { " for=\"", " href=\"#" };
    for (size_t k = 0; k < 2; k++)
        for (const char *p = m->text; (p = strstr(p, starts[k]));) {
            p += strlen(starts[k]);
            bool found = false;
            for (size_t i = 0; i < m->ids && !found; i++)
                found = !strncmp(p, m->id[i], strlen(m->id[i])) && p[strlen(m->id[i])] == '"';
            check(found);
        }
}

static void check_markup(const char *text)
{
    markup *m = test_room(NULL, 1, sizeof *m);
    memset(m, 0, sizeof *m);
    m->text = m->at = text;
    if (!strncmp(text, "<!DOCTYPE html>\n", 16)) m->at += 16;
    do {
        if (*m->at == '<')
            markup_tag(m);
        else
            markup_text(m, "<");
    } while (m->depth);
    if (strcmp(m->at, "\n")) markup_fail(m, "something behind the end");
    markup_references(m);
    free(m);
}

/* Nothing is fetched from anywhere. */
static void check_alone(const char *text)
{
    static const char *const never[] = { "src=\"http", "src=\"/", "href=\"http", "url(", "@import",
                                         "<link",      "<iframe", "nan",         "inf\"" };
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (strstr(text, never[i])) test_fail(__FILE__, __LINE__, "found %s: %.80s", never[i], strstr(text, never[i]));
}

/* text */

static char *escape(const char *text)
{
    FILE *file = written_begin();
    fputs("<a b=\"", file);
    sos_escape(file, text);
    fputs("\">", file);
    sos_escape(file, text);
    fputs("</a>\n", file);
    return written_end(file);
}

/* Bytes of all kinds, with a liking for those that mean something. */
static void bytes_random(sos_random *r, char text[], size_t room)
{
    static const char liked[] =
        "<>&\"'/=;#\r\n\t ]]>--\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xc0\x80\xed\xa0\x80\xef\xbf\xbf\xf4\x90";
    const size_t length = sos_random_below(r, room);
    for (size_t i = 0; i < length; i++)
        text[i] = sos_random_below(r, 2) ? liked[sos_random_below(r, sizeof liked - 1)] : (char)(1 + sos_random_below(r, 255));
    text[length] = '\0';
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

static uint8_t *base64_read(const char *text, size_t length, size_t *count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint8_t *bytes = test_room(NULL, length + 1, 1);
    uint32_t bits = 0;
    int have = 0;
    *count = 0;
    check(length % 4 == 0);
    for (size_t i = 0; i < length && text[i] != '='; i++) {
        check(strchr(digits, text[i]) != NULL);
        bits = bits << 6 | (uint32_t)(strchr(digits, text[i]) - digits);
        have += 6;
        if (have < 8) continue;
        have -= 8;
        bytes[(*count)++] = (uint8_t)(bits >> have);
    }
    return bytes;
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
        sos_base64_write(file, bytes, length);
        char *text = written_end(file);
        size_t count;
        uint8_t *again = base64_read(text, strlen(text), &count);
        check(count == length && !memcmp(bytes, again, length));
        free(again);
        free(text);
    }
}

/* Reads "−1.5×10⁻³" as a person would. */
static double shown_value(const char *text)
{
    static const char *const raised[] = { "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹" };
    char plain[64] = "";
    const bool negative = !strncmp(text, "−", 3);
    if (negative) text += 3;
    const char *times = strstr(text, "×10"), *power = times ? times + 4 : NULL;
    if (!times && !strncmp(text, "10", 2) && (unsigned char)text[2] >= 0x80) power = text + 2;
    snprintf(plain, sizeof plain, "%.*s", times ? (int)(times - text) : power ? 0 : 63, text);
    if (power && !times) strcpy(plain, "1");
    if (power) strcat(plain, "e");
    while (power && *power) {
        if (!strncmp(power, "⁻", 3)) {
            strcat(plain, "-");
            power += 3;
            continue;
        }
        int digit = 0;
        while (digit < 10 && strncmp(power, raised[digit], strlen(raised[digit]))) digit++;
        check(digit < 10);
        sprintf(plain + strlen(plain), "%d", digit);
        power += strlen(raised[digit]);
    }
    char *end;
    const double x = strtod(plain, &end);
    check(end != plain && *end == '\0');
    return negative ? -x : x;
}

static double value_random(sos_random *r)
{
    const double sign = sos_random_below(r, 2) ? 1 : -1;
    switch (sos_random_below(r, 5)) {
    case 0: return sign * pow(10, 600 * sos_random_uniform(r) - 300);
    case 1: return sign * pow(10, 12 * sos_random_uniform(r) - 6);
    case 2: return sign * (double)sos_random_below(r, 2000000);
    case 3: return sign * 0.001 * (double)sos_random_below(r, 100000);
    default: return sos_random_uniform(r);
    }
}

static void numbers_are_shown_with_the_digits_asked_for(void **state)
{
    (void)state;
    char text[SOS_NUMBER_TEXT];
    assert_string_equal(sos_number_text(0, 3, text), "0");
    assert_string_equal(sos_number_text(-0.0, 3, text), "0");
    assert_string_equal(sos_number_text(-1.25, 4, text), "−1.25");
    assert_string_equal(sos_number_text(0.00012345, 3, text), "0.000123");
    assert_string_equal(sos_number_text(99999, 3, text), "100000");
    assert_string_equal(sos_number_text(999999, 3, text), "10⁶");
    assert_string_equal(sos_number_text(2.5e-7, 3, text), "2.5×10⁻⁷");
    assert_string_equal(sos_number_text(NAN, 3, text), "–");
    assert_string_equal(sos_number_text(-INFINITY, 3, text), "–");
    for (uint64_t c = 0; c < test_cases(20000); c++) {
        sos_random r = test_case_begin(c);
        const double x = value_random(&r);
        const int digits = 1 + (int)sos_random_below(&r, 12);
        const double shown = shown_value(sos_number_text(x, digits, text));
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
        char text[SOS_NUMBER_TEXT], wanted[64];
        sos_fixed_text(x, decimals, text);
        snprintf(wanted, sizeof wanted, "%.*f", decimals, x);
        const double rounded = strtod(wanted, NULL);
        if (rounded == 0) continue; /* "0", or as many digits as show something */
        check(shown_value(text) == rounded || fabs(fabs(x - rounded) * pow(10, decimals) - 0.5) < 1e-6);
        check(strlen(strchr(wanted, '.') ? strchr(wanted, '.') : "") == strlen(strchr(text, '.') ? strchr(text, '.') : ""));
    }
    char text[SOS_NUMBER_TEXT];
    assert_string_equal(sos_fixed_text(NAN, 2, text), "–");
    assert_string_equal(sos_fixed_text(0, 2, text), "0.00");
    assert_string_equal(sos_fixed_text(-0.001, 2, text), "0.00");
    assert_string_equal(sos_fixed_text(1e300, 2, text), "10³⁰⁰");
    assert_true(sos_decimals(3, (const double[]){ 0.5, -12, NAN }, 3) == 1);
    assert_true(sos_decimals(1, (const double[]){ 1 }, 3) == 2);
    assert_true(sos_decimals(1, (const double[]){ 12345 }, 3) == 0);
    assert_true(sos_decimals(0, NULL, 3) == 0);
}

/* ticks */

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
        const size_t most = SOS_TICKS_LEAST + sos_random_below(&r, SOS_TICKS_MOST - SOS_TICKS_LEAST + 1);
        int64_t step;
        ticks_by_trying(low * unit, high * unit, most, &step);

        sos_ticks ticks;
        const double scale = pow(10, power);
        sos_ticks_linear((double)low * scale, (double)high * scale, most, &ticks);
        check(ticks.count >= 2 && ticks.count <= most);
        for (size_t i = 0; i < ticks.count; i++) {
            check(ticks.exponent[i] == ticks.exponent[0]);
            const double x = sos_ticks_value(&ticks, i) / scale * (double)unit;
            const double multiple = x / (double)step;
            check(fabs(multiple - rint(multiple)) < 1e-6);
            check(rint(multiple) * (double)step >= (double)(low * unit) &&
                  rint(multiple) * (double)step <= (double)(high * unit));
            if (i) check(fabs(multiple - sos_ticks_value(&ticks, i - 1) / scale * (double)unit / (double)step - 1) < 1e-6);
        }
        /* No multiple is left out at either end. */
        const double first = sos_ticks_value(&ticks, 0) / scale, last = sos_ticks_value(&ticks, ticks.count - 1) / scale;
        check(first - (double)step / (double)unit < (double)low && last + (double)step / (double)unit > (double)high);

        double from = (double)low * scale, to = (double)high * scale;
        sos_ticks_around(&from, &to, most, &ticks);
        check(from <= (double)low * scale * (1 + 1e-12 * (low < 0 ? -1 : 1)) + 1e-9 * scale &&
              to >= (double)high * scale - 1e-9 * scale * fabs((double)high));
        check(fabs(sos_ticks_value(&ticks, 0) - from) <= 1e-9 * scale * (double)size);
        check(fabs(sos_ticks_value(&ticks, ticks.count - 1) - to) <= 1e-9 * scale * (double)size);
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
        const size_t most = SOS_TICKS_LEAST + sos_random_below(&r, SOS_TICKS_MOST - SOS_TICKS_LEAST + 1);
        const double low = m1 * pow(10, e1), high = m2 * pow(10, e2);
        sos_ticks ticks, linear;
        sos_ticks_log(low, high, most, &ticks);
        sos_ticks_linear(low, high, most, &linear);

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
        sos_ticks ticks = { .count = 1 };
        ticks.digits[0] = (long long)sos_random_below(&r, 2000) - 1000;
        ticks.exponent[0] = (int)sos_random_below(&r, 30) - 15;
        char text[SOS_NUMBER_TEXT];
        const double x = sos_ticks_value(&ticks, 0), shown = shown_value(sos_ticks_text(&ticks, 0, text));
        check(fabs(shown - x) <= 1e-12 * fabs(x));
        check(strlen(text) < 24);
    }
    char text[SOS_NUMBER_TEXT];
    const sos_ticks ticks = { 4, { 0, -5, 10, 15 }, { -1, -1, -1, -1 } };
    assert_string_equal(sos_ticks_text(&ticks, 0, text), "0.0");
    assert_string_equal(sos_ticks_text(&ticks, 1, text), "−0.5");
    assert_string_equal(sos_ticks_text(&ticks, 2, text), "1.0");
    assert_string_equal(sos_ticks_text(&ticks, 3, text), "1.5");
}

/* charts */

static char *drawn(const sos_chart *chart)
{
    FILE *file = written_begin();
    sos_chart_draw(file, chart);
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
        const sos_series series = { .kind = SOS_SERIES_POINTS, .count = COUNT, .x = x, .y = y };
        const sos_chart chart = { .x = { .scale = log_x ? SOS_SCALE_LOG : SOS_SCALE_LINEAR },
                                  .y = { .scale = log_y ? SOS_SCALE_LOG : SOS_SCALE_LINEAR },
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

static double odd_value(sos_random *r)
{
    static const double odd[] = { NAN,    INFINITY,     -INFINITY, DBL_MAX, -DBL_MAX, 1e300,
                                  -1e300, DBL_TRUE_MIN, 0,         -0.0,    1,        1 + DBL_EPSILON };
    const uint64_t i = sos_random_below(r, 24);
    return i < sizeof odd / sizeof *odd ? odd[i] : value_random(r);
}

static void any_numbers_and_names_make_a_chart(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(3000); c++) {
        sos_random r = test_case_begin(c);
        enum { SERIES = 10, COUNT = 30 };
        static double x[SERIES][COUNT], y[SERIES][COUNT], spread[SERIES][COUNT];
        static char texts[SERIES + 3][400];
        sos_series series[SERIES] = { 0 };
        for (size_t i = 0; i < SERIES + 3; i++) bytes_random(&r, texts[i], i % 3 ? 30 : 400);
        const bool same = sos_random_below(&r, 8) == 0;
        const double fixed = odd_value(&r);
        size_t points = 0;
        const sos_scale sx = c & 1 ? SOS_SCALE_LOG : SOS_SCALE_LINEAR, sy = c & 2 ? SOS_SCALE_LOG : SOS_SCALE_LINEAR;
        const sos_chart chart = { .title = texts[SERIES],
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
                                   (sx == SOS_SCALE_LINEAR || x[i][j] >= 1e-300) &&
                                   (sy == SOS_SCALE_LINEAR || y[i][j] >= 1e-300);
                points += shown && i < chart.count;
            }
            series[i] = (sos_series){ .name = i == 4 ? NULL : texts[i],
                                      .kind = (sos_series_kind)sos_random_below(&r, 3),
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
        const sos_bars bars = { .title = texts[0],
                                .axis = texts[1],
                                .count = count,
                                .names = c % 7 ? names : NULL,
                                .values = values,
                                .spreads = c % 2 ? spreads : NULL };
        FILE *file = written_begin();
        sos_bars_draw(file, &bars);
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
    sos_bars_draw(file, &(sos_bars){ .count = 4, .values = values });
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
    for (size_t i = 0; i < SOS_PALETTE; i++) {
        check(1.05 / (luminance(sos_palette_light[i]) + 0.05) >= 3);
        check((luminance(sos_palette_dark[i]) + 0.05) / (luminance(0x15181c) + 0.05) >= 3);
        for (size_t j = 0; j < i; j++)
            check(sos_palette_light[i] != sos_palette_light[j] && sos_palette_dark[i] != sos_palette_dark[j]);
    }
}

static void a_chart_can_be_a_file_of_its_own(void **state)
{
    (void)state;
    const double x[] = { 1, 2 }, y[] = { 3, 4 };
    const sos_series series = { .name = "a", .count = 2, .x = x, .y = y };
    sos_error error;
    check_ok(sos_chart_write(&(sos_chart){ .title = "<T>", .count = 1, .series = &series }, scratch("c.svg"), &error), error);
    char *svg = file_text(scratch("c.svg"));
    check_markup(svg);
    check_alone(svg);
    check(strstr(svg, "prefers-color-scheme:dark") && strstr(svg, ">&lt;T&gt;</text>") && !strncmp(svg, "<svg xmlns=", 11));
    free(svg);
    check_ok(sos_bars_write(&(sos_bars){ .title = "B", .count = 2, .values = y }, scratch("c.svg"), &error), error);
    svg = file_text(scratch("c.svg"));
    check_markup(svg);
    free(svg);
    unlink(scratch("c.svg"));
    check_error(sos_chart_write(&(sos_chart){ .count = 0 }, "/nonexistent/c.svg", &error), SOS_ERR_IO, error,
                "/nonexistent/c.svg");
    check_is(sos_bars_write(&(sos_bars){ .count = 0 }, "/nonexistent/c.svg", NULL), SOS_ERR_IO);
}

/* reports */

static sos_image picture_random(sos_random *r)
{
    sos_image image;
    sos_error error;
    check_ok(sos_image_create(1 + sos_random_below(r, 9), 1 + sos_random_below(r, 9), sos_random_below(r, 2) ? 3 : 1, &image,
                              &error),
             error);
    for (size_t i = 0; i < sos_image_size(&image) * image.channels; i++) image.pixels[i] = (uint8_t)sos_random_bits(r);
    return image;
}

static bool pictures_can_be_written(void)
{
    sos_random r = sos_random_seeded(1);
    sos_image image = picture_random(&r);
    uint8_t *bytes = NULL;
    size_t length;
    const bool can = !sos_image_encode(&image, &bytes, &length, NULL);
    free(bytes);
    sos_image_free(&image);
    return can;
}

/* One thing of a random kind with random texts, numbers and sizes. */
static void report_add_random(sos_report *report, sos_random *r, bool pictures)
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
    case 0: sos_report_heading(report, texts[0]); break;
    case 1: sos_report_subheading(report, names[5]); break;
    case 2: sos_report_text(report, "%s: %d", texts[0], 5); break;
    case 3: sos_report_code(report, "%s", texts[0]); break;
    case 4: sos_report_fact(report, texts[0], "%s", texts[1]); break;
    case 5: {
        sos_column columns[MOST] = { 0 };
        for (size_t i = 0; i < n; i++)
            columns[i] = (sos_column){ names[i], i % 3 ? texts[i / 2] : NULL, (sos_best)sos_random_below(r, 3), i % 2 };
        sos_report_table(report, names[n], n, columns);
        for (size_t i = sos_random_below(r, 20); i; i--)
            if (i % 3)
                sos_report_number(report, numbers[i], "%.3g", numbers[i]);
            else
                sos_report_cell(report, "%s", texts[i % MOST]);
        break;
    }
    case 6: {
        const sos_series series = { .name = names[n], .count = 4, .x = numbers, .y = few, .names = n % 2 ? names + 3 : NULL };
        sos_report_chart(report, &(sos_chart){ .title = names[n + 1], .note = texts[1], .count = n % 2, .series = &series });
        break;
    }
    case 7: sos_report_bars(report, &(sos_bars){ .title = texts[0], .count = n, .names = names, .values = numbers }); break;
    case 8: {
        if (!pictures) break;
        sos_report_pictures(report, names[n], n, n % 2 ? names : NULL);
        for (size_t i = sos_random_below(r, 8); i; i--) {
            sos_image image = picture_random(r);
            if (sos_random_below(r, 3) == 0) sos_report_picture_row(report, names[i]);
            sos_report_picture(report, i % 5 ? &image : NULL, i % 2 ? "%s" : NULL, texts[i]);
            sos_image_free(&image);
        }
        break;
    }
    case 9: {
        const size_t width = 1 + sos_random_below(r, 3), height = 1 + sos_random_below(r, 3);
        sos_report_patches(report, &(sos_patches){ names[n], width, height, width * height > 4 ? 1 : n, n % 2 ? names : NULL,
                                                   numbers, n & 1, n & 2, sos_random_below(r, 40) });
        break;
    }
    default:
        sos_report_matrix(report, &(sos_matrix){ texts[0], texts[1], names[5], n, names, numbers });
        sos_report_legend(report, n, names, colours);
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
            sos_report report;
            sos_error error;
            sos_report_open(&report, scratch("r.html"), title, c % 3 ? title : NULL, &error);
            for (size_t i = sos_random_below(&r, 25); i; i--) report_add_random(&report, &r, pictures);
            check_ok(sos_report_close(&report), error);
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
    sos_report r;
    sos_error error;
    sos_report_open(&r, scratch("r.html"), "T", "S", &error);
    sos_report_heading(&r, "One");
    sos_report_heading(&r, "Two");
    sos_report_fact(&r, "a", "%d", 1);
    sos_report_fact(&r, "b", "%d", 2);
    check_ok(sos_report_close(&r), error);
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
        const sos_column columns[] = {
            { .name = "m" }, { .best = SOS_BEST_LEAST }, { .best = SOS_BEST_MOST }, { .name = "plain" }
        };
        double x[8][3];
        sos_report report;
        sos_error error;
        sos_report_open(&report, scratch("r.html"), "T", NULL, &error);
        sos_report_table(&report, "Table", 4, columns);
        for (size_t i = 0; i < rows; i++) {
            sos_report_cell(&report, "row");
            for (size_t j = 0; j < 3; j++) {
                x[i][j] = sos_random_below(&r, 6) ? (double)sos_random_below(&r, 50) / 10 : NAN;
                sos_report_number(&report, x[i][j], "%.0f", x[i][j]);
            }
        }
        check_ok(sos_report_close(&report), error);
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
    sos_report report;
    sos_error error;
    sos_image images[6];
    sos_report_open(&report, scratch("r.html"), "T", NULL, &error);
    sos_report_pictures(&report, "Pictures", 2, (const char *const[]){ "left", "right" });
    for (size_t i = 0; i < 6; i++) {
        images[i] = picture_random(&r);
        if (i % 2 == 0) sos_report_picture_row(&report, "row");
        sos_report_picture(&report, &images[i], "%zu %%", i);
    }
    check_ok(sos_report_close(&report), error);
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
        sos_image again;
        const sos_image_kind kind = images[i].channels == 1 ? SOS_IMAGE_GREY : SOS_IMAGE_COLOUR;
        check_ok(sos_image_parse(bytes, length, "embedded", kind, &again, &error), error);
        check(again.width == images[i].width && again.height == images[i].height && again.channels == images[i].channels);
        check(!memcmp(again.pixels, images[i].pixels, sos_image_size(&again) * again.channels));
        sos_image_free(&again);
        sos_image_free(&images[i]);
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
static size_t patches_shown(const sos_patches *patches, size_t sets)
{
    sos_report report;
    sos_error error;
    sos_report_open(&report, scratch("r.html"), "T", NULL, &error);
    sos_report_patches(&report, patches);
    check_ok(sos_report_close(&report), error);
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
    const sos_patches patches = { .width = 3, .height = 3, .count = 1, .costs = cost, .sorted = true, .most = 512 };
    assert_true(patches_shown(&patches, 512) == classes);
    for (uint32_t S = 0; S < 512; S++) cost[S] = S;
    assert_true(patches_shown(&patches, 512) == 512);
    cost[1] = cost[4]; /* two corners that cost the same */
    assert_true(patches_shown(&patches, 512) == 511);
    cost[1] = cost[6]; /* no turn makes one of the other */
    assert_true(patches_shown(&patches, 512) == 512);
    const sos_patches small = { .width = 2, .height = 2, .count = 1, .costs = (const double[16]){ 0 } };
    assert_true(patches_shown(&small, 16) == 16);
}

static void failures_leave_nothing(void **state)
{
    (void)state;
    sos_report r;
    sos_error error;
    sos_random random = test_case_begin(0);

    sos_report_open(&r, "/nonexistent/r.html", "T", NULL, &error);
    for (size_t i = 0; i < 100; i++) report_add_random(&r, &random, true);
    check_error(sos_report_close(&r), SOS_ERR_IO, error, "/nonexistent/r.html");
    sos_report_abandon(&r);
    sos_report_open(&r, scratch_folder(), "T", NULL, NULL);
    check_is(sos_report_close(&r), SOS_ERR_IO);

    sos_report_open(&r, scratch("r.html"), "T", NULL, &error);
    sos_report_cell(&r, "lost");
    sos_report_text(&r, "more");
    check_error(sos_report_close(&r), SOS_ERR_ARGUMENT, error, "cell", "outside");
    check(scratch_count() == 0);

    sos_report_open(&r, scratch("r.html"), "T", NULL, &error);
    sos_report_picture(&r, NULL, "lost");
    check_error(sos_report_close(&r), SOS_ERR_ARGUMENT, error, "picture", "outside");

    sos_report_open(&r, scratch("r.html"), "T", NULL, &error);
    sos_report_table(&r, "none", 0, NULL);
    check_error(sos_report_close(&r), SOS_ERR_ARGUMENT, error, "columns", "0");

    sos_report_open(&r, scratch("r.html"), "T", NULL, &error);
    sos_report_pictures(&r, "many", 65, NULL);
    check_error(sos_report_close(&r), SOS_ERR_ARGUMENT, error, "columns", "65");

    sos_report_open(&r, scratch("r.html"), "T", NULL, &error);
    sos_report_patches(&r, &(sos_patches){ .width = 4, .height = 3 });
    check_error(sos_report_close(&r), SOS_ERR_ARGUMENT, error, "4 x 3");

    sos_report_open(&r, scratch("r.html"), "T", NULL, &error);
    sos_report_fact(&r, "a", "b");
    sos_report_abandon(&r);
    sos_report_text(&r, "nothing happens");
    check_is(sos_report_close(&r), SOS_CANCELLED);
    check(scratch_count() == 0);
}

static void a_full_disk_is_an_error(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK)) skip();
    sos_report r;
    sos_error error;
    sos_report_open(&r, "/dev/full", "T", NULL, &error);
    check_is(sos_report_close(&r), SOS_ERR_IO);
    sos_csv c;
    sos_csv_open(&c, "/dev/full", &error);
    sos_csv_count(&c, 1);
    check_is(sos_csv_close(&c), SOS_ERR_IO);
}

/* tables of values */

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
        sos_csv csv;
        sos_error error;
        sos_csv_open(&csv, scratch("t.csv"), &error);
        for (size_t i = 0; i < ROWS; i++) {
            for (size_t j = 0; j < COLUMNS; j++) {
                bytes_random(&r, texts[i][j], sizeof texts[i][j]);
                numbers[i][j] = odd_value(&r);
                if (j % 2)
                    sos_csv_real(&csv, numbers[i][j]);
                else
                    sos_csv_text(&csv, texts[i][j]);
            }
            sos_csv_row(&csv);
        }
        check_ok(sos_csv_close(&csv), error);
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
    sos_csv c;
    sos_error error;
    sos_csv_open(&c, scratch("t.csv"), &error);
    sos_csv_text(&c, "method");
    sos_csv_text(&c, "a, \"b\"");
    sos_csv_row(&c);
    sos_csv_text(&c, NULL);
    sos_csv_real(&c, 0.1);
    sos_csv_count(&c, 7);
    check_ok(sos_csv_close(&c), error);
    char *text = file_text(scratch("t.csv"));
    assert_string_equal(text, "method,\"a, \"\"b\"\"\"\n\"\",0.1,7\n");
    free(text);
    unlink(scratch("t.csv"));

    sos_csv_open(&c, "/nonexistent/t.csv", &error);
    sos_csv_text(&c, "x");
    sos_csv_row(&c);
    check_error(sos_csv_close(&c), SOS_ERR_IO, error, "/nonexistent/t.csv");
    sos_csv_open(&c, scratch("t.csv"), &error);
    sos_csv_text(&c, "x");
    sos_csv_abandon(&c);
    check_is(sos_csv_close(&c), SOS_CANCELLED);
    check(scratch_count() == 0);
}

static void another_locale_changes_nothing(void **state)
{
    (void)state;
    static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE" };
    const double x[] = { 0.5, 1.25 }, y[] = { 0.125, 2.5 };
    const sos_series series = { .count = 2, .x = x, .y = y };
    const sos_chart chart = { .count = 1, .series = &series };
    char *here = drawn(&chart), *there = NULL, fixed[SOS_NUMBER_TEXT];
    bool found = false;
    for (size_t i = 0; i < 4 && !found; i++) found = setlocale(LC_ALL, names[i]) != NULL;
    if (found) there = drawn(&chart);
    sos_fixed_text(1.5, 2, fixed);
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
        cmocka_unit_test(any_bytes_are_harmless_inside_markup),
        cmocka_unit_test(text_is_kept_and_what_is_no_text_is_replaced),
        cmocka_unit_test(base64_reads_back_the_same),
        cmocka_unit_test(numbers_are_shown_with_the_digits_asked_for),
        cmocka_unit_test(fixed_decimals_are_as_printf_has_them),
        cmocka_unit_test(linear_ticks_are_the_finest_that_are_few_enough),
        cmocka_unit_test(logarithmic_ticks_are_1_2_5_or_powers_of_ten),
        cmocka_unit_test(tick_texts_say_the_value),
        cmocka_unit_test(marks_stand_where_the_numbers_say),
        cmocka_unit_test(any_numbers_and_names_make_a_chart),
        cmocka_unit_test(any_bars_can_be_drawn),
        cmocka_unit_test(bars_are_as_long_as_their_numbers),
        cmocka_unit_test(colours_stand_out_from_the_page),
        cmocka_unit_test(a_chart_can_be_a_file_of_its_own),
        cmocka_unit_test(any_report_is_well_formed),
        cmocka_unit_test(a_report_needs_nothing_else),
        cmocka_unit_test(the_best_numbers_of_a_column_are_set_off),
        cmocka_unit_test(embedded_pictures_are_the_pictures),
        cmocka_unit_test(patches_are_grouped_by_symmetry_and_cost),
        cmocka_unit_test(failures_leave_nothing),
        cmocka_unit_test(a_full_disk_is_an_error),
        cmocka_unit_test(csv_reads_back_the_same),
        cmocka_unit_test(csv_is_plain_where_it_can_be),
        cmocka_unit_test(another_locale_changes_nothing),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
