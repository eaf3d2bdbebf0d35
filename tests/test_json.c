/* test_json.c - JSON: what is written reads back the same, whatever bytes a text has; what is read is strict and bounded; and
 * facts of models over both. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/json_read.h"
#include "base/number.h"
#include "base/utf8.h"
#include "support.h"
#include "tasks/facts.h"

static sos_json_value *read_text(const char *text)
{
    sos_json_value *v = NULL;
    sos_error error;
    check_ok(sos_json_read(text, strlen(text), "t", &v, &error), error);
    return v;
}

/* ---------------------------------------------------------------- writing */

typedef void writer(sos_json *j, const void *data);

static char *written(sos_json form, writer *write, const void *data)
{
    char *text = NULL;
    size_t length;
    form.file = open_memstream(&text, &length);
    assert_non_null(form.file);
    write(&form, data);
    fclose(form.file);
    return text;
}

static void write_layout(sos_json *j, const void *data)
{
    (void)data;
    const double x[] = { 1, 2.5, -0.0, 1e300, NAN };
    sos_json_open(j, NULL, '{');
    sos_json_text(j, "a\"b", "tab\t");
    sos_json_open(j, "rows", '[');
    sos_json_open_row(j, NULL, '[');
    sos_json_reals(j, 5, x, 2);
    sos_json_close(j, ']');
    sos_json_open_row(j, NULL, '{');
    sos_json_truth(j, "yes", true);
    sos_json_open_row(j, "in", '[');
    sos_json_close(j, ']');
    sos_json_count(j, "n", UINT64_MAX);
    sos_json_close(j, '}');
    sos_json_close(j, ']');
    sos_json_open(j, "flat", '[');
    sos_json_reals(j, 4, x, 3);
    sos_json_close(j, ']');
    sos_json_open(j, "none", '{');
    sos_json_close(j, '}');
    sos_json_raw(j, "raw", "[ 1 ]");
    sos_json_close(j, '}');
}

static void layouts_are_for_people(void **state)
{
    (void)state;
    char *text = written((sos_json){ 0 }, write_layout, NULL);
    assert_string_equal(text, "{\n"
                              "  \"a\\\"b\": \"tab\\t\",\n"
                              "  \"rows\": [\n"
                              "    [1, 2.5,\n"
                              "     -0, 1e300,\n"
                              "     null],\n"
                              "    {\"yes\": true, \"in\": [], \"n\": 18446744073709551615}\n"
                              "  ],\n"
                              "  \"flat\": [\n"
                              "    1, 2.5, -0,\n"
                              "    1e300\n"
                              "  ],\n"
                              "  \"none\": {},\n"
                              "  \"raw\": [ 1 ]\n"
                              "}\n");
    free(text);
    text = written((sos_json){ .line = true, .part = true }, write_layout, NULL);
    check(!strncmp(text, "{\"a\\\"b\": \"tab\\t\", \"rows\": [[1, 2.5,", 35) && text[strlen(text) - 1] == '}');
    free(text);
}

static void write_text(sos_json *j, const void *text)
{
    sos_json_open(j, NULL, '[');
    sos_json_text(j, NULL, text);
    sos_json_close(j, ']');
}

/* What a text must read back as: characters by their definition (Unicode, table 3-7), other bytes as U+FFFD. */
static size_t character_length(const unsigned char *p)
{
    static const struct {
        unsigned char first[2], second[2];
        size_t length;
    } forms[] = {
        { { 0x01, 0x7f }, { 0, 0 }, 1 },       { { 0xc2, 0xdf }, { 0x80, 0xbf }, 2 }, { { 0xe0, 0xe0 }, { 0xa0, 0xbf }, 3 },
        { { 0xe1, 0xec }, { 0x80, 0xbf }, 3 }, { { 0xed, 0xed }, { 0x80, 0x9f }, 3 }, { { 0xee, 0xef }, { 0x80, 0xbf }, 3 },
        { { 0xf0, 0xf0 }, { 0x90, 0xbf }, 4 }, { { 0xf1, 0xf3 }, { 0x80, 0xbf }, 4 }, { { 0xf4, 0xf4 }, { 0x80, 0x8f }, 4 },
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (p[0] < forms[i].first[0] || p[0] > forms[i].first[1]) continue;
        if (forms[i].length > 1 && (p[1] < forms[i].second[0] || p[1] > forms[i].second[1])) return 0;
        for (size_t k = 2; k < forms[i].length; k++)
            if (p[k] < 0x80 || p[k] > 0xbf) return 0;
        return forms[i].length;
    }
    return 0;
}

static bool replaced(const char *text, char out[])
{
    bool any = false;
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        const size_t length = character_length(p);
        any |= !length;
        memcpy(out, length ? (const char *)p : "\xef\xbf\xbd", length ? length : 3);
        out += length ? length : 3;
        p += length ? length : 1;
    }
    *out = '\0';
    return any;
}

static void any_bytes_make_valid_texts(void **state)
{
    (void)state;
    static const char *const pieces[] = { "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xef\xbf\xbd", "\xef\xbf\xbe" };
    for (uint64_t c = 0; c < test_cases(3000); c++) {
        sos_random r = test_case_begin(c);
        char text[64] = "", wanted[3 * sizeof text];
        const size_t length = sos_random_below(&r, 40);
        for (size_t n = 0; n < length;) {
            const uint64_t way = sos_random_below(&r, 4);
            const char *piece = pieces[sos_random_below(&r, 5)];
            text[n] = (char)(way == 0 ? 1 + sos_random_below(&r, 127) : 1 + sos_random_below(&r, 255));
            if (way == 1) memcpy(text + n, piece, strlen(piece));
            n += way == 1 ? strlen(piece) : 1;
        }
        check(replaced(text, wanted) == !sos_utf8_is_valid(text));
        char *json = written((sos_json){ 0 }, write_text, text);
        sos_json_value *v = read_text(json);
        assert_string_equal(sos_json_value_text(sos_json_value_item(v, 0)), wanted);
        for (const char *p = json; *p; p++) check((unsigned char)*p >= ' ' || *p == '\n');
        sos_json_free(v);
        free(json);
    }
}

static void write_reals(sos_json *j, const void *x)
{
    sos_json_open(j, NULL, '[');
    sos_json_reals(j, 8, x, 3);
    sos_json_close(j, ']');
}

static void doubles_read_back_the_same(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(1000); c++) {
        sos_random r = test_case_begin(c);
        double x[8] = { 0, -0.0, DBL_TRUE_MIN, DBL_MAX };
        for (size_t i = 4; i < 8; i++)
            x[i] = ldexp(sos_random_uniform(&r) - 0.5, (int)sos_random_below(&r, i < 6 ? 60 : 2000) - (i < 6 ? 30 : 1000));
        char *json = written((sos_json){ .line = true }, write_reals, x);
        sos_json_value *v = read_text(json);
        for (size_t i = 0; i < 8; i++) {
            const double y = sos_json_value_number(sos_json_value_item(v, i));
            check(x[i] == y && signbit(x[i]) == signbit(y));
        }
        sos_json_free(v);
        free(json);
    }
}

static void floats_read_back_the_same(void **state)
{
    (void)state;
    const char *locale = setlocale(LC_ALL, "de_DE.UTF-8"); /* NULL: not there; the rest holds all the same */
    for (uint64_t c = 0; c < test_cases(20000); c++) {
        sos_random r = test_case_begin(c);
        const uint32_t bits = (uint32_t)sos_random_bits(&r);
        float x;
        memcpy(&x, &bits, sizeof x);
        if (c == 0) x = FLT_MAX;
        if (c == 1) x = FLT_TRUE_MIN;
        if (!isfinite(x)) continue;
        char text[SOS_REAL_TEXT];
        double y = 0;
        sos_number_print_float(x, text);
        check(sos_number_parse(text, strlen(text), &y) && (float)y == x && !signbit(x) == !signbit((float)y));
        check(!strchr(text, ',') && strlen(text) <= 15);
    }
    if (locale) setlocale(LC_ALL, "C");
    char text[SOS_REAL_TEXT];
    assert_string_equal(sos_number_print_float(0.1F, text), "0.100000001");
    assert_string_equal(sos_number_print_float(-7, text), "-7");
    assert_string_equal(sos_number_print_float(1e-7F, text), "1.00000001e-07");
}

/* ---------------------------------------------------------------- reading */

static void values_are_what_they_are(void **state)
{
    (void)state;
    sos_json_value *v = read_text(
        " {\"n\": null, \"t\": true, \"x\": -1.5e2, \"s\": \"\\u00e9\\n\", \"l\": [1, 2], \"o\": {\"a\": {}}} ");
    const sos_json_kind kinds[] = { SOS_JSON_NULL, SOS_JSON_TRUTH, SOS_JSON_NUMBER,
                                    SOS_JSON_TEXT, SOS_JSON_LIST,  SOS_JSON_OBJECT };
    static const char *const names[] = { "n", "t", "x", "s", "l", "o", NULL };
    for (size_t i = 0; i < 6; i++) check(sos_json_value_kind(sos_json_value_member(v, names[i])) == kinds[i]);
    check(sos_json_value_truth(sos_json_value_member(v, "t")) && !sos_json_value_truth(sos_json_value_member(v, "x")));
    check(sos_json_value_number(sos_json_value_member(v, "x")) == -150);
    check(isnan(sos_json_value_number(sos_json_value_member(v, "s"))));
    assert_string_equal(sos_json_value_text(sos_json_value_member(v, "s")), "\xc3\xa9\n");
    assert_null(sos_json_value_text(sos_json_value_member(v, "x")));
    check(sos_json_value_size(v) == 6 && sos_json_value_size(sos_json_value_member(v, "l")) == 2);
    assert_null(sos_json_value_item(sos_json_value_member(v, "l"), 2));
    assert_null(sos_json_value_stranger(v, names));
    assert_string_equal(sos_json_value_stranger(v, names + 1), "n");
    assert_null(sos_json_value_stranger(NULL, names));
    check(sos_json_value_kind(NULL) == SOS_JSON_NONE && isnan(sos_json_value_number(NULL)) && !sos_json_value_size(NULL));
    assert_null(sos_json_value_member(NULL, "a"));
    assert_null(sos_json_value_item(NULL, 0));
    sos_json_free(v);
    sos_json_free(NULL);
}

static void what_is_no_json_is_refused(void **state)
{
    (void)state;
    static const char *const bad[][2] = { { "", "truncated" },          { "{", "truncated" },
                                          { "1 2", "line 1" },          { "\n\nnan", "line 3" },
                                          { "[1,]", "line 1" },         { "\"\xff\"", "line 1" },
                                          { "[1e999]", "over" },        { "{\"a\":1,\"a\":1}", "duplicate" },
                                          { "\"\\u0000\"", "0000" },    { "\"\\ud800x\"", "half" },
                                          { "\"\\udc00\"", "half" },    { "\"\\ud800\\u0041\"", "half" },
                                          { "\"\\u00g0\"", "four" },    { "\"\\x\"", "backslash" },
                                          { "\"a\nb\"", "0x0a" },       { "\"a", "truncated" },
                                          { "01", "line 1, column 1" }, { "[1 2]", "column 4: ',' or ']'" },
                                          { "{1:2}", "column 2" },      { "{\"a\" 1}", "':' is expected" },
                                          { "[1.]", "a value" },        { "[.5]", "a value" },
                                          { "[1e]", "a value" },        { "[+1]", "a value" },
                                          { "{\"a\":1,}", "name" },     { "[tru]", "a value" },
                                          { "[\xc3\xa9]", "column 2" }, { "[\"\xc3\xa9\", x]", "column 7" } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sos_json_value *v = NULL;
        sos_error error;
        check_error(sos_json_read(bad[i][0], strlen(bad[i][0]), "some file", &v, &error), SOS_ERR_FORMAT, error,
                    "some file: ", bad[i][1]);
        assert_null(v);
    }
    sos_json_value *v = NULL;
    sos_error error;
    check_error(sos_json_read("[1\0 ]", 5, "some file", &v, &error), SOS_ERR_FORMAT, error, "some file: ", "zero byte");
    assert_null(v);
}

static void escapes_are_the_characters_that_they_name(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        { "\"\\u0041\\u00e9\\u20AC\\ud83d\\ude00\"", "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80" },
        { "\"\\u007f\\u0080\\u07ff\\u0800\\uffff\"", "\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf" },
        { "\"\\ud800\\udc00\\udbff\\udfff\"", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf" },
        { "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t" }
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        sos_json_value *v = read_text(texts[i][0]);
        assert_string_equal(sos_json_value_text(v), texts[i][1]);
        sos_json_free(v);
    }
}

/* Values of lists within lists, and members in any order, against what was written. */
static void lists_and_objects_have_what_stands_in_them(void **state)
{
    (void)state;
    sos_json_value *v = read_text("[[1, [2, 3], []], {\"z\": 4, \"a\": [5], \"m\": {\"x\": 6}}, 7]");
    const sos_json_value *first = sos_json_value_item(v, 0), *second = sos_json_value_item(v, 1);
    const sos_json_value *inner = sos_json_value_item(first, 1);
    check(sos_json_value_size(v) == 3 && sos_json_value_size(first) == 3 && sos_json_value_size(second) == 3);
    check(sos_json_value_number(sos_json_value_item(first, 0)) == 1 &&
          sos_json_value_number(sos_json_value_item(inner, 1)) == 3);
    check(!sos_json_value_size(sos_json_value_item(first, 2)) && sos_json_value_number(sos_json_value_item(v, 2)) == 7);
    check(sos_json_value_number(sos_json_value_member(second, "z")) == 4);
    check(sos_json_value_number(sos_json_value_item(sos_json_value_member(second, "a"), 0)) == 5);
    check(sos_json_value_number(sos_json_value_member(sos_json_value_member(second, "m"), "x")) == 6);
    assert_null(sos_json_value_member(second, "b"));
    assert_null(sos_json_value_item(second, 0));
    assert_null(sos_json_value_member(first, "z"));
    assert_string_equal(sos_json_value_stranger(second, (const char *const[]){ "a", NULL }), "z"); /* the first in the text */
    sos_json_free(v);
}

/* So many of one piece, of which any number can stand within a list. */
static sos_status read_many(const char *piece, size_t count, sos_error *error)
{
    const size_t length = strlen(piece);
    char *text = test_room(NULL, count * length + 2, 1);
    text[0] = '[';
    for (size_t i = 0; i < count; i++) memcpy(text + 1 + i * length, piece, length);
    text[count * length] = ']'; /* in place of the last comma */
    sos_json_value *v = NULL;
    const sos_status status = sos_json_read(text, count * length + 1, "t", &v, error);
    sos_json_free(v);
    free(text);
    return status;
}

static void what_would_fill_the_memory_is_refused(void **state)
{
    (void)state;
    sos_error error;
    char deep[2 * SOS_JSON_DEPTH_MAX + 3] = "";
    memset(deep, '[', SOS_JSON_DEPTH_MAX + 1);
    memset(deep + SOS_JSON_DEPTH_MAX + 1, ']', SOS_JSON_DEPTH_MAX + 1);
    sos_json_value *v = NULL;
    check(sos_json_depth(deep, strlen(deep)) == SOS_JSON_DEPTH_MAX + 1);
    check_error(sos_json_read(deep, strlen(deep), "t", &v, &error), SOS_ERR_FORMAT, error, "1025 deep");
    deep[0] = deep[sizeof deep - 2] = ' ';
    sos_json_free(read_text(deep));
    check(sos_json_depth("\"[[\\\"[[\"", 8) == 0 && sos_json_depth("]]{[", 4) == 2);
    check_error(read_many("{},", SOS_JSON_BRACKETS_MAX, &error), SOS_ERR_FORMAT, error, "lists and objects");
    check_error(read_many("0,", SOS_JSON_VALUES_MAX + (size_t)1, &error), SOS_ERR_FORMAT, error, "values");
    check_ok(read_many("0,", 100000, &error), error);
}

static void members_keep_their_texts(void **state)
{
    (void)state;
    static const char text[] = "\r\n { \"a\\\"}\" : [ 1, {\"b\": \"]\"} ] , \"c\":-1.50e0,\"d\" : \"x\\\\\" } ";
    static const char *const wanted[][2] = { { "\"a\\\"}\"", "[ 1, {\"b\": \"]\"} ]" },
                                             { "\"c\"", "-1.50e0" },
                                             { "\"d\"", "\"x\\\\\"" } };
    sos_json_free(read_text(text));
    const char *at = text;
    sos_json_span name, value;
    for (size_t i = 0; i < 3; i++) {
        check(sos_json_member_next(&at, &name, &value));
        check(name.length == strlen(wanted[i][0]) && !memcmp(name.text, wanted[i][0], name.length));
        check(value.length == strlen(wanted[i][1]) && !memcmp(value.text, wanted[i][1], value.length));
    }
    check(!sos_json_member_next(&at, &name, &value));
    at = "{ }";
    check(!sos_json_member_next(&at, &name, &value));
}

/* ---------------------------------------------------------------- facts */

static const float FLOATS[] = { 0.1F, -3, 1e-30F };

static void write_fact(sos_json *j, const void *text)
{
    sos_json_open(j, NULL, '{');
    sos_json_count(j, "version", 1);
    sos_json_text(j, "model", text);
    sos_json_floats(j, "list", 3, FLOATS);
    sos_json_close(j, '}');
}

static void facts_are_read_as_they_were_written(void **state)
{
    (void)state;
    sos_model *m = NULL;
    sos_error error;
    char name[16];
    float list[4];
    check_ok(sos_model_create(2, &m, &error), error);
    check_ok(s3svm_facts_set(m, "features", write_fact, "caf\xc3\xa9", &error), error);
    assert_string_equal(sos_model_fact(m, "features"),
                        "{\"version\": 1, \"model\": \"caf\xc3\xa9\", \"list\": [0.100000001, -3, 1e-30]}");
    s3svm_facts f = s3svm_facts_open(m, "features", &error);
    s3svm_facts_kind(&f, 1, sizeof name, name);
    check(s3svm_facts_reals(&f, f.whole, "list", 1, 4, list) == 3 && !memcmp(list, FLOATS, sizeof FLOATS));
    check_ok(s3svm_facts_close(&f), error);
    assert_string_equal(name, "caf\xc3\xa9");
    check_ok(s3svm_facts_set_text(m, "task", "weaving", &error), error);
    check_ok(s3svm_facts_task(m, "weaving", &error), error);
    check_error(s3svm_facts_task(m, "knitting", &error), SOS_ERR_FORMAT, error, "weaving", "knitting");
    sos_model_free(m);
}

/* Reads the fact below with members of all kinds. */
static sos_status fact_try(const char *text, sos_error *error)
{
    static const char *const members[] = { "version", "model", "x", "list", "lists", NULL };
    sos_model *m = NULL;
    char name[8];
    float list[3];
    check_ok(sos_model_create(2, &m, error), *error);
    if (text) check_ok(sos_model_set_fact(m, "features", text, error), *error);
    s3svm_facts f = s3svm_facts_open(m, "features", error);
    s3svm_facts_kind(&f, 2, sizeof name, name);
    s3svm_facts_members(&f, f.whole, members);
    s3svm_facts_real(&f, f.whole, "x");
    s3svm_facts_reals(&f, f.whole, "list", 1, 3, list);
    const sos_json_value *lists = s3svm_facts_list(&f, f.whole, "lists", 1, 1);
    s3svm_facts_numbers(&f, sos_json_value_item(lists, 0), "the inner list", 2, 2, list);
    const sos_status status = s3svm_facts_close(&f);
    sos_model_free(m);
    return status;
}

static void the_first_wrong_fact_is_said(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        { NULL, "no fact \"features\"" },
        { "{", "fact \"features\": line 1" },
        { "[]", "\"version\" must be an integer, 1 to" },
        { "{\"version\": 3, \"model\": 7}", "version 3" },
        { "{\"version\": 1, \"model\": 7}", "\"model\" must be a string" },
        { "{\"version\": 1, \"model\": \"12345678\"}", "fewer than 8 bytes" },
        { "{\"version\": 1, \"model\": \"\\u001b[1m\"}", "on one line" },
        { "{\"version\": 1, \"model\": \"m\", \"y\": 1}", "no member \"y\"" },
        { "{\"version\": 1, \"model\": \"m\"}", "\"x\" must be a number" },
        { "{\"version\": 1, \"model\": \"m\", \"x\": 1, \"list\": []}", "\"list\" must be a list of 1 to 3 numbers" },
        { "{\"version\": 1, \"model\": \"m\", \"x\": 1, \"list\": [1, []]}", "number 1 of \"list\" is not a number" },
        { "{\"version\": 1, \"model\": \"m\", \"x\": 1, \"list\": [4e38]}", "too large" },
        { "{\"version\": 1, \"model\": \"m\", \"x\": 1, \"list\": [1], \"lists\": {}}", "\"lists\" must be a list of 1" },
        { "{\"version\": 1, \"model\": \"m\", \"x\": 1, \"list\": [1], \"lists\": [1]}", "the inner list must be" },
    };
    sos_error error;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_error(fact_try(bad[i][0], &error), SOS_ERR_FORMAT, error, bad[i][1]);
    check_ok(fact_try("{\"version\": 2, \"lists\": [[1, 2]], \"x\": 1, \"list\": [1], \"model\": \"m\"}", &error), error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_are_for_people),
        cmocka_unit_test(any_bytes_make_valid_texts),
        cmocka_unit_test(doubles_read_back_the_same),
        cmocka_unit_test(floats_read_back_the_same),
        cmocka_unit_test(values_are_what_they_are),
        cmocka_unit_test(what_is_no_json_is_refused),
        cmocka_unit_test(escapes_are_the_characters_that_they_name),
        cmocka_unit_test(lists_and_objects_have_what_stands_in_them),
        cmocka_unit_test(what_would_fill_the_memory_is_refused),
        cmocka_unit_test(members_keep_their_texts),
        cmocka_unit_test(facts_are_read_as_they_were_written),
        cmocka_unit_test(the_first_wrong_fact_is_said),
    };
    return cmocka_run_group_tests_name("JSON", tests, NULL, NULL);
}
