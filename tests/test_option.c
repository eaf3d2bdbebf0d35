/* test_option.c - options from texts: every text that a kind takes sets the member and nothing else, every other text is
 * refused with the name of the option, and sets nothing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/option.h>

#include "support.h"

typedef struct wishes {
    bool flag;
    const char *text;
    int64_t integer;
    double real;
    size_t bytes;
    int choice;
    s3svm_reals reals, single;
    s3svm_sides sides;
    s3svm_sequence sequence;
} wishes;

static const s3svm_option OPTIONS[] = {
    { "flag", 'f', S3SVM_SETS_FLAG(wishes, flag), NULL, "", 0, 0 },
    { "text", 0, S3SVM_SETS_TEXT(wishes, text), "TEXT", "", 0, 0 },
    { "integer", 0, S3SVM_SETS_INTEGER(wishes, integer), "N", "", -5, 7 },
    { "real", 0, S3SVM_SETS_REAL(wishes, real), "X", "", 0, 0 },
    { "bytes", 0, S3SVM_SETS_BYTES(wishes, bytes), "BYTES", "", 0, 0 },
    { "choice", 0, S3SVM_SETS_CHOICE(wishes, choice), "one|two|three", "", 0, 0 },
    { "reals", 0, S3SVM_SETS_REALS(wishes, reals), "LIST", "", 0, 3 },
    { "single", 0, S3SVM_SETS_REALS(wishes, single), "X", "", 0, 1 },
    { "sides", 0, S3SVM_SETS_SIDES(wishes, sides), "WxH", "", 0, 0 },
    { "first", 0, S3SVM_SETS_SEQUENCE(wishes, sequence), "TEXT", "", 0, 0 },
    { "second", 0, S3SVM_SETS_SEQUENCE(wishes, sequence), "TEXT", "", 0, 0 },
    S3SVM_OPTIONS_END,
};

static wishes some_wishes(void)
{
    wishes w;
    memset(&w, 0, sizeof w); /* padding too: the structs are compared as bytes */
    w.integer = 3;
    w.real = 0.5;
    w.choice = 2;
    return w;
}

static wishes taken(const char *name, const char *text)
{
    wishes w = some_wishes();
    sos_error error;
    check_ok(s3svm_option_set(s3svm_option_find(OPTIONS, name), &w, text, &error), error);
    return w;
}

/* Nothing changed but the member. */
static void check_alone(const wishes *w, const char *name, size_t bytes)
{
    wishes left = some_wishes();
    const size_t offset = s3svm_option_find(OPTIONS, name)->offset;
    memcpy((char *)&left + offset, (const char *)w + offset, bytes);
    assert_memory_equal(&left, w, sizeof left);
}

static void check_refused(const char *name, const char *text)
{
    wishes w = some_wishes(), before = some_wishes();
    sos_error error;
    char dashed[64];
    snprintf(dashed, sizeof dashed, "--%s ", name);
    const sos_status status = s3svm_option_set(s3svm_option_find(OPTIONS, name), &w, text, &error);
    if (!status) fail_msg("--%s takes '%s'", name, text ? text : "(null)");
    assert_int_equal(status, SOS_ERR_ARGUMENT);
    assert_ptr_equal(strstr(error.message, dashed), error.message);
    assert_memory_equal(&w, &before, sizeof w);
}

static void test_options_are_found_by_their_whole_name(void **state)
{
    (void)state;
    assert_ptr_equal(s3svm_option_find(OPTIONS, "flag"), &OPTIONS[0]);
    assert_ptr_equal(s3svm_option_find(OPTIONS, "sides"), &OPTIONS[8]);
    assert_null(s3svm_option_find(OPTIONS, "fla"));
    assert_null(s3svm_option_find(OPTIONS, "flags"));
    assert_null(s3svm_option_find(OPTIONS, ""));
}

static void test_every_kind_takes_its_texts(void **state)
{
    (void)state;
    static const char text[] = "any text";
    wishes w = taken("flag", NULL);
    assert_true(w.flag);
    check_alone(&w, "flag", sizeof w.flag);
    assert_true(taken("flag", "true").flag);
    assert_false(taken("flag", "false").flag);
    assert_ptr_equal(taken("text", text).text, text);
    w = taken("integer", "-5");
    assert_int_equal(w.integer, -5);
    check_alone(&w, "integer", sizeof w.integer);
    assert_int_equal(taken("integer", "+7").integer, 7);
    w = taken("real", "-1.25e2");
    assert_true(w.real == -125);
    check_alone(&w, "real", sizeof w.real);
    assert_int_equal(taken("bytes", "17").bytes, 17);
    assert_int_equal(taken("bytes", "3K").bytes, 3072);
    w = taken("bytes", "2G");
    assert_true(w.bytes == (size_t)2 << 30);
    check_alone(&w, "bytes", sizeof w.bytes);
    assert_int_equal(taken("choice", "one").choice, 0);
    w = taken("choice", "three");
    assert_int_equal(w.choice, 2);
    w = taken("sides", "400x200");
    assert_int_equal(w.sides.width, 400);
    assert_int_equal(w.sides.height, 200);
    check_alone(&w, "sides", sizeof w.sides);
}

static void test_a_sequence_keeps_the_order_of_several_options(void **state)
{
    (void)state;
    static const char *const names[] = { "second", "first", "second" };
    wishes w = some_wishes();
    sos_error error;
    for (size_t i = 0; i < S3SVM_SEQUENCE_MAX; i++)
        check_ok(s3svm_option_set(s3svm_option_find(OPTIONS, names[i % 3]), &w, names[i % 3], &error), error);
    assert_int_equal(w.sequence.count, S3SVM_SEQUENCE_MAX);
    for (size_t i = 0; i < S3SVM_SEQUENCE_MAX; i++) {
        assert_string_equal(w.sequence.items[i].option->name, names[i % 3]);
        assert_ptr_equal(w.sequence.items[i].text, names[i % 3]);
    }
    check_error(s3svm_option_set(s3svm_option_find(OPTIONS, "first"), &w, "x", &error), SOS_ERR_ARGUMENT, error,
                "--first can be given 256 times");
    assert_int_equal(w.sequence.count, S3SVM_SEQUENCE_MAX);
}

static void test_every_kind_refuses_other_texts(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        { "flag", "yes" },       { "flag", "" },       { "integer", "" },      { "integer", "8" },
        { "integer", "-6" },     { "integer", "1.0" }, { "integer", "1 " },    { "integer", " 1" },
        { "integer", "0x1" },    { "integer", "-" },   { "integer", "--1" },   { "integer", "99999999999999999999" },
        { "real", "" },          { "real", "nan" },    { "real", "inf" },      { "real", "1e999" },
        { "real", "1,5" },       { "real", "0x10" },   { "real", "1 2" },      { "bytes", "" },
        { "bytes", "-1" },       { "bytes", "1X" },    { "bytes", "1KB" },     { "bytes", "99999999999G" },
        { "bytes", "K" },        { "choice", "" },     { "choice", "four" },   { "choice", "on" },
        { "choice", "one|two" }, { "choice", "One" },  { "reals", "" },        { "reals", "1,,2" },
        { "reals", "1," },       { "reals", ",1" },    { "reals", "1,2,3,4" }, { "reals", "1;2" },
        { "single", "1,2" },     { "sides", "400" },   { "sides", "400x" },    { "sides", "x200" },
        { "sides", "4x2x3" },    { "sides", "-4x2" },  { "sides", "4e2x2" },   { "sides", "99999999999999999999x2" },
        { "text", NULL },        { "integer", NULL },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) check_refused(wrong[i][0], wrong[i][1]);
}

static void test_lists_hold_the_numbers_that_were_printed(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(300); c++) {
        sos_random r = test_case_begin(c);
        double numbers[S3SVM_REALS_MAX + 1];
        char text[(S3SVM_REALS_MAX + 1) * 32];
        const size_t count = 1 + (size_t)sos_random_below(&r, S3SVM_REALS_MAX + 1);
        int length = 0;
        for (size_t i = 0; i < count; i++) {
            numbers[i] = ldexp(sos_random_uniform(&r) - 0.5, (int)sos_random_below(&r, 60) - 30);
            length += snprintf(text + length, sizeof text - (size_t)length, "%s%.17g", i ? "," : "", numbers[i]);
        }
        s3svm_reals found = { 0 };
        check(s3svm_reals_parse(text, S3SVM_REALS_MAX, &found) == (count <= S3SVM_REALS_MAX));
        check(found.count == (count <= S3SVM_REALS_MAX ? count : 0));
        for (size_t i = 0; i < found.count; i++) check(found.values[i] == numbers[i]);
        check(!s3svm_reals_parse(text, count - 1, &found));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options_are_found_by_their_whole_name),
        cmocka_unit_test(test_every_kind_takes_its_texts),
        cmocka_unit_test(test_a_sequence_keeps_the_order_of_several_options),
        cmocka_unit_test(test_every_kind_refuses_other_texts),
        cmocka_unit_test(test_lists_hold_the_numbers_that_were_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
