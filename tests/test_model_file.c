/* test_model_file.c - models in files: what is written reads back the same, what is wrong is refused with its place, and no
 * damage to a file does anything else. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "learning_support.h"
#include "scratch.h"

static char *file_text(const char *path, size_t *length)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = test_room(NULL, 1 << 21, 1);
    *length = fread(text, 1, (1 << 21) - 1, file);
    text[*length] = '\0';
    fclose(file);
    return text;
}

/* The text that a model is written as. */
static char *model_text(const sos_model *m, size_t *length)
{
    sos_error error;
    check_ok(sos_model_write(m, scratch("m.json"), &error), error);
    char *text = file_text(scratch("m.json"), length);
    unlink(scratch("m.json"));
    return text;
}

static sos_model *parse(const char *text)
{
    sos_model *m = NULL;
    sos_error error;
    check_ok(sos_model_parse(text, strlen(text), "t", &m, &error), error);
    return m;
}

/* ---------------------------------------------------------------- round trips */

static void check_same(const sos_model *a, const sos_model *b)
{
    check(sos_model_labels(a) == sos_model_labels(b));
    check(sos_model_groups(a) == sos_model_groups(b));
    check(sos_model_weight_count(a) == sos_model_weight_count(b));
    for (uint32_t g = 0; g < sos_model_groups(a); g++) {
        const sos_group *x = sos_model_group(a, g), *y = sos_model_group(b, g);
        check(!strcmp(x->name, y->name) && x->kind == y->kind && x->size == y->size);
        check(x->anchored == y->anchored && x->swap == y->swap);
        check(x->patch_width == y->patch_width && x->patch_height == y->patch_height);
        check(x->stiffness == y->stiffness && (x->strengths > 1 ? x->strengths : 1) == (y->strengths > 1 ? y->strengths : 1) &&
              !x->shares == !y->shares);
        check(!x->shares || !memcmp(x->shares, y->shares, x->size * sizeof *x->shares));
        check(x->reversal == y->reversal && x->counted == y->counted && !x->class_of == !y->class_of);
        check(!x->class_of || !memcmp(x->class_of, y->class_of, sizeof *x->class_of << x->size));
        check(sos_model_group_offset(a, g) == sos_model_group_offset(b, g));
    }
    for (size_t i = 0; i < sos_model_weight_count(a); i++) check(same_bits(sos_model_weights(a)[i], sos_model_weights(b)[i]));
    check(sos_model_facts(a) == sos_model_facts(b));
    for (size_t i = 0; i < sos_model_facts(a); i++) {
        const char *key = sos_model_fact_key(a, i);
        check(!strcmp(key, sos_model_fact_key(b, i)));
        check(!strcmp(sos_model_fact(a, key), sos_model_fact(b, key)));
    }
}

static sos_group group_random(sos_random *r, size_t labels, const char *name)
{
    static const double knots[] = { 0, 0.1, 0.5, 0.9, 1 };
    sos_group g = { .name = name, .kind = (sos_group_kind)sos_random_below(r, 4), .size = 1 + sos_random_below(r, 5) };
    if (!sos_random_below(r, 3)) g.stiffness = (double)(1 + sos_random_below(r, 9)) / 3;
    if (g.kind == SOS_GROUP_COUNT || g.kind == SOS_GROUP_TABLE) g.strengths = sos_random_below(r, 4);
    if (g.kind == SOS_GROUP_COUNT) {
        g.size = 5;
        g.shares = knots;
        g.anchored = sos_random_below(r, 2);
        g.swap = labels == 2 && sos_random_below(r, 2);
    }
    if (g.kind != SOS_GROUP_TABLE) return g;
    g.anchored = sos_random_below(r, 2);
    g.swap = labels == 2 && sos_random_below(r, 2);
    static const uint32_t by_number[] = { UINT32_MAX, 2, 2, 1, 2, 1, 1, 0 };
    const size_t shape = sos_random_below(r, 6);
    g.reversal = shape == 3;
    g.counted = shape == 4;
    if (shape == 5) g = (sos_group){ .name = name, .kind = SOS_GROUP_TABLE, .size = 3, .class_of = by_number };
    if (shape == 1) g.patch_width = g.size, g.patch_height = 1;
    if (shape == 2) g.size = 4, g.patch_width = g.patch_height = 2;
    return g;
}

static double number_random(sos_random *r)
{
    static const double odd[] = { 0.0, -0.0, DBL_MIN, DBL_TRUE_MIN, -1e17, 12345678901234567.0, 1e22, 0.1, -1.0 / 3 };
    const uint64_t way = sos_random_below(r, 3);
    if (way == 0) return odd[sos_random_below(r, sizeof odd / sizeof *odd)];
    if (way == 1) return (double)sos_random_below(r, 1000) - 500;
    return ldexp(sos_random_uniform(r) - 0.5, (int)sos_random_below(r, 400) - 200);
}

/* Weights in the cone; those of free groups of every kind that doubles have. */
static sos_model *model_random(sos_random *r)
{
    static const char *const names[] = { "a", "table with \"quotes\"", "\xc3\xa9t\xc3\xa9", "tab\there", "\\", "b/c" };
    const size_t labels = sos_random_below(r, 2) ? 2 : 2 + sos_random_below(r, 4), count = sos_random_below(r, 6);
    sos_group groups[6] = { 0 };
    for (size_t g = 0; g < count; g++) groups[g] = group_random(r, labels, names[g]);
    plan p = plan_create(labels, count, groups);
    sos_model *m = plan_build(&p);
    double *w = test_room(NULL, p.weights + 1, sizeof *w);
    plan_weights_random(r, &p, w);
    for (size_t g = 0; g < count; g++) {
        const size_t next = g + 1 < count ? sos_model_group_offset(m, (uint32_t)g + 1) : p.weights;
        for (size_t i = sos_model_group_offset(m, (uint32_t)g); i < next; i++) {
            if (groups[g].kind == SOS_GROUP_FREE) w[i] = number_random(r);
            if (groups[g].kind == SOS_GROUP_NONNEGATIVE) w[i] = fabs(number_random(r));
        }
    }
    sos_error error;
    check_ok(sos_model_set_weights(m, w, &error), error);
    free(w);
    plan_free(&p);
    return m;
}

static void facts_random(sos_random *r, sos_model *m)
{
    static const char *const keys[] = { "settings", "k\"ey", "\xc3\xa9", "facts" };
    static const char *const values[] = { "1",
                                          "-0.0",
                                          "12345678901234567890123",
                                          "\"a \\\" b } ] , \\u00e9\"",
                                          "[1, [2, {\"x\": null}], true]",
                                          "{\n      \"facts\": {},\n      \"list\": [0.1, 1e-7]\n    }",
                                          "{}",
                                          "false" };
    sos_error error;
    for (size_t i = 0; i < 4; i++)
        if (sos_random_below(r, 2)) check_ok(sos_model_set_fact(m, keys[i], values[sos_random_below(r, 8)], &error), error);
}

static void a_written_model_reads_back_the_same(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(400); c++) {
        sos_random r = test_case_begin(c);
        sos_model *m = model_random(&r), *again = NULL;
        facts_random(&r, m);
        sos_error error;
        check_ok(sos_model_write(m, scratch("a.json"), &error), error);
        check_ok(sos_model_read(scratch("a.json"), &again, &error), error);
        check_same(m, again);
        size_t length, length_again;
        char *text = file_text(scratch("a.json"), &length), *text_again = model_text(again, &length_again);
        check(length == length_again && !memcmp(text, text_again, length));
        free(text);
        free(text_again);
        unlink(scratch("a.json"));
        sos_model_free(m);
        sos_model_free(again);
    }
}

static void a_copy_is_the_same_and_its_own(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(100); c++) {
        sos_random r = test_case_begin(c);
        sos_model *m = model_random(&r), *copy = NULL, *again = NULL;
        facts_random(&r, m);
        sos_error error;
        check_ok(sos_model_copy(m, &copy, &error), error);
        check_same(m, copy);
        check_ok(sos_model_copy(copy, &again, &error), error);

        /* What is done to the one is not done to the other. */
        uint32_t number;
        sos_example *x = NULL;
        uint8_t y[3];
        const sos_group more = { .name = "more", .kind = SOS_GROUP_FREE, .size = 2 };
        check_ok(sos_example_create(m, 3, &x, &error), error);
        check_ok(sos_model_predict(copy, x, NULL, y, NULL, &error), error);
        check_ok(sos_model_set_fact(copy, "another", "1", &error), error);
        check_ok(sos_model_add_group(copy, &more, &number, &error), error);
        check_error(sos_model_predict(copy, x, NULL, y, NULL, &error), SOS_ERR_ARGUMENT, error, "group");
        check_same(m, again);
        sos_model_free(m);
        sos_model_free(copy);
        check_ok(sos_model_predict(again, x, NULL, y, NULL, &error), error);
        sos_example_free(x);
        sos_model_free(again);
    }
    sos_model *copy = NULL;
    check_is(sos_model_copy(NULL, &copy, NULL), SOS_ERR_ARGUMENT);
}

static void streams_and_memory_get_the_bytes_of_the_file(void **state)
{
    (void)state;
    sos_error error;
    for (uint64_t c = 0; c < test_cases(60); c++) {
        sos_random r = test_case_begin(c);
        sos_model *m = model_random(&r);
        facts_random(&r, m);
        size_t length, memory_length = 0;
        char *text = model_text(m, &length), *memory = NULL;
        check_ok(sos_model_write_memory(m, &memory, &memory_length, &error), error);
        check(memory_length == length && !memcmp(memory, text, length + 1));
        free(text);
        free(memory);
        sos_model_free(m);
    }
    sos_model *m = NULL;
    check_ok(sos_model_create(2, &m, &error), error);
    char *text = NULL;
    size_t length = 0;
    check_is(sos_model_write_memory(m, NULL, &length, &error), SOS_ERR_ARGUMENT);
    check_is(sos_model_write_memory(NULL, &text, &length, &error), SOS_ERR_ARGUMENT);
    check_ok(sos_model_set_fact(m, "bad", "{", &error), error);
    check_is(sos_model_write_memory(m, &text, &length, &error), SOS_ERR_ARGUMENT);
    check(!text && !length);
    check_ok(sos_model_set_fact(m, "bad", NULL, &error), error);
    sos_model_free(m);
}

/* One feature per line, nothing twice. */
static void a_model_file_is_for_people_too(void **state)
{
    (void)state;
    static const char form[] = "{\n"
                               "  \"format\": \"s3svm model\",\n"
                               "  \"version\": 1,\n"
                               "  \"made_by\": \"s3svm %s\",\n"
                               "  \"labels\": 2,\n"
                               "  \"groups\": [\n"
                               "    {\n"
                               "      \"name\": \"colour\",\n"
                               "      \"kind\": \"free\",\n"
                               "      \"size\": 2,\n"
                               "      \"weights\": [\n"
                               "        [0.1, -0.1],\n"
                               "        [2, 3]\n"
                               "      ]\n"
                               "    },\n"
                               "    {\n"
                               "      \"name\": \"patch\",\n"
                               "      \"kind\": \"table\",\n"
                               "      \"size\": 4,\n"
                               "      \"anchored\": true,\n"
                               "      \"swap\": true,\n"
                               "      \"patch\": [2, 2],\n"
                               "      \"weights\": [\n"
                               "        1, 1, 1.25\n"
                               "      ]\n"
                               "    }\n"
                               "  ],\n"
                               "  \"facts\": {\n"
                               "    \"note\": \"by hand\"\n"
                               "  }\n"
                               "}\n";
    char text[sizeof form + 40];
    snprintf(text, sizeof text, form, sos_version());
    sos_model *m = parse(text);
    assert_string_equal(sos_model_fact(m, "note"), "\"by hand\"");
    size_t length;
    char *again = model_text(m, &length);
    assert_string_equal(text, again);
    free(again);
    sos_model_free(m);
}

static void members_may_come_in_any_order_and_be_left_out(void **state)
{
    (void)state;
    sos_model *m = parse("\xef\xbb\xbf\r\n{\"f\\u0061cts\":{\"k\" : [ 1 ] }, \"groups\":[{\"weights\":[0,1,1,0],\"size\":2,"
                         "\"kind\":\"table\",\"name\":\"t\"}],\"labels\":2,\"version\":1.0,\"format\":\"s3svm model\"}");
    check(sos_model_groups(m) == 1 && sos_model_weight_count(m) == 4);
    check(!sos_model_group(m, 0)->anchored && !sos_model_group(m, 0)->swap && !sos_model_group(m, 0)->patch_width);
    assert_string_equal(sos_model_fact(m, "k"), "[ 1 ]");
    sos_model_free(m);
    m = parse("{\"format\":\"s3svm model\",\"version\":1,\"labels\":3,\"groups\":[]}");
    check(sos_model_labels(m) == 3 && !sos_model_groups(m) && !sos_model_facts(m));
    sos_model_free(m);
}

/* ---------------------------------------------------------------- what is wrong */

#define HEAD  "{\"format\": \"s3svm model\", \"version\": 1, \"labels\": 2, \"groups\": ["
#define GROUP "\"name\": \"g\", \"kind\": "

static void what_is_wrong_is_refused_with_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words[3];
        sos_status status;
    } cases[] = {
        { "", { "t: line 1", "truncated" }, SOS_ERR_FORMAT },
        { "[]", { "not a model" }, SOS_ERR_FORMAT },
        { "3", { "not a model" }, SOS_ERR_FORMAT },
        { "{}", { "not a model", "\"format\"" }, SOS_ERR_FORMAT },
        { "{\"format\": \"other\"}", { "not a model" }, SOS_ERR_FORMAT },
        { "{\"format\": \"s3svm model\"}", { "\"version\" is missing" }, SOS_ERR_FORMAT },
        { "{\"format\": \"s3svm model\", \"version\": 2, \"new\": 1}", { "version 2", "up to version 1" }, SOS_ERR_FORMAT },
        { "{\"format\": \"s3svm model\", \"version\": 0}", { "\"version\"" }, SOS_ERR_FORMAT },
        { "{\"format\": \"s3svm model\", \"version\": \"1\"}", { "\"version\"" }, SOS_ERR_FORMAT },
        { "{\"format\": \"s3svm model\", \"version\": 1.5}", { "\"version\"" }, SOS_ERR_FORMAT },
        { "{\"format\": \"s3svm model\", \"version\": 1}", { "\"groups\" must be a list" }, SOS_ERR_FORMAT },
        { "{\"format\": \"s3svm model\", \"version\": 1, \"groups\": []}", { "\"labels\" is missing" }, SOS_ERR_FORMAT },
        { "{\"format\": \"s3svm model\", \"version\": 1, \"groups\": [], \"labels\": 1}", { "2 to 255" }, SOS_ERR_FORMAT },
        { "{\"format\": \"s3svm model\", \"version\": 1, \"groups\": [], \"labels\": 256}", { "2 to 255" }, SOS_ERR_FORMAT },
        { "{\"format\": \"s3svm model\", \"version\": 1, \"groups\": [], \"labels\": 2, \"lables\": 2}",
          { "no member \"lables\"" },
          SOS_ERR_FORMAT },
        { HEAD "], \"made_by\": 7}", { "\"made_by\"" }, SOS_ERR_FORMAT },
        { HEAD "], \"facts\": []}", { "\"facts\" must be an object" }, SOS_ERR_FORMAT },
        { HEAD "], \"facts\": {\"\": 1}}", { "facts: ", "key" }, SOS_ERR_FORMAT },
        { HEAD "], \"facts\": {\"a\": 1, \"a\": 2}}", { "line 1", "duplicate" }, SOS_ERR_FORMAT },
        { HEAD "]} {", { "line 1", "end of file expected" }, SOS_ERR_FORMAT },
        { HEAD "],\n\"facts\": {\"a\": NaN}}", { "line 2" }, SOS_ERR_FORMAT },
        { HEAD "1]}", { "groups[0]", "must be an object" }, SOS_ERR_FORMAT },
        { HEAD "{}]}", { "groups[0]", "\"name\"" }, SOS_ERR_FORMAT },
        { HEAD "{\"name\": \"\"}]}", { "groups[0]", "\"name\"" }, SOS_ERR_FORMAT },
        { HEAD "{\"name\": 1}]}", { "groups[0]", "\"name\"" }, SOS_ERR_FORMAT },
        { HEAD "{\"name\": \"g\"}]}", { "groups[0] \"g\"", "\"kind\"" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"tabel\"}]}", { "\"table\" or \"count\"" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"free\"}]}", { "\"size\" is missing" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"count\", \"size\": 1}]}", { "\"size\"", "2 to 1024" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"count\", \"size\": 1025}]}", { "\"size\"", "2 to 1024" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"count\", \"size\": 2, \"weights\": [0, 0]}]}",
          { "\"shares\" must be a list of 2" },
          SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"count\", \"size\": 2, \"shares\": [0, \"1\"], \"weights\": [0, 0]}]}",
          { "knot 1" },
          SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"count\", \"size\": 2, \"shares\": [0, 0.5], \"weights\": [0, 0]}]}",
          { "end at 1" },
          SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"count\", \"size\": 2, \"shares\": [0, 1], \"weights\": [0, 0, 0]}]}",
          { "3 numbers; there must be 2" },
          SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"count\", \"size\": 3, \"shares\": [0, 0.5, 1], \"weights\": [0, -1, 0]}]}",
          { "\"g\"", "not concave" },
          SOS_ERR_NOT_SUBMODULAR },
        { HEAD "{" GROUP "\"count\", \"size\": 2, \"shares\": [0, 1], \"strengths\": 257}]}",
          { "\"strengths\"" },
          SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"count\", \"size\": 2, \"shares\": [0, 1], \"strengths\": 2, \"weights\": [0, 0, 0, 0]}]}",
          { "4 lists; there must be 2" },
          SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"free\", \"size\": 2, \"shares\": [0, 1]}]}", { "only counts" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"free\", \"size\": 1, \"strengths\": 2, \"weights\": [[0, 0]]}]}", { "strengths" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"free\", \"size\": 1, \"stiffness\": -1}]}", { "\"stiffness\"" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"free\", \"size\": 1, \"stiffness\": \"1\"}]}", { "\"stiffness\"" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"free\", \"size\": 1, \"classes\": [0, 1]}]}", { "only tables" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"table\", \"size\": 1, \"classes\": 1}]}", { "list of 2 numbers" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"table\", \"size\": 16, \"classes\": [0, 1]}]}", { "list of 65536 numbers" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"table\", \"size\": 1, \"classes\": [0, 2]}]}", { "\"classes\"", "0 to 1" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"table\", \"size\": 1, \"classes\": [0, -1]}]}", { "\"classes\"", "0 to 1" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"table\", \"size\": 1, \"classes\": [1, 1], \"weights\": [0, 0]}]}", { "class 0" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"table\", \"size\": 1, \"classes\": [null, 0], \"swap\": true, \"weights\": [0]}]}",
          { "other ties" },
          SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"table\", \"size\": 1, \"counted\": 1}]}", { "\"counted\" must be true or false" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"free\", \"size\": 0}]}", { "\"size\" must be an integer" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"table\", \"size\": 17}]}", { "\"size\"", "1 to 16" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"free\", \"size\": 1e300}]}", { "\"size\"" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"free\", \"size\": 1}]}", { "\"weights\" must be a list" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"free\", \"size\": 1000000000, \"weights\": []}]}", { "0 lists", "1000000000" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"free\", \"size\": 2, \"weights\": [[1, 2]]}]}", { "1 list;", "must be 2" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"free\", \"size\": 1, \"weights\": [1]}]}", { "weights[0]", "list of 2" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"free\", \"size\": 1, \"weights\": [[1]]}]}", { "weights[0] has 1 number;" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"free\", \"size\": 1, \"weights\": [[1, null]]}]}", { "number 1 of weights[0]" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"free\", \"size\": 1, \"weights\": [[1, 1e999]]}]}", { "line 1", "overflow" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"nonnegative\", \"size\": 2, \"weights\": [1]}]}", { "1 number;", "must be 2" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"nonnegative\", \"size\": 1, \"weights\": [\"1\"]}]}", { "is no number" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"nonnegative\", \"size\": 1, \"weights\": [-1]}]}", { "t: group \"g\"", "-1" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"nonnegative\", \"size\": 1, \"swap\": true, \"weights\": [1]}]}", { "no table" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"table\", \"size\": 16, \"weights\": [0]}]}", { "at least 4095" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"table\", \"size\": 2, \"weights\": [0, 0]}]}", { "2 numbers", "must be 4" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"table\", \"size\": 2, \"swap\": 1, \"weights\": [0, 0]}]}",
          { "\"swap\" must be true" },
          SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"table\", \"size\": 2, \"patch\": 2, \"weights\": [0, 0]}]}",
          { "[width, height]" },
          SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"table\", \"size\": 2, \"patch\": [2, 0], \"weights\": [0]}]}", { "the height" }, SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"table\", \"size\": 2, \"patch\": [2, 2], \"weights\": [0]}]}",
          { "its patch is 2x2" },
          SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"table\", \"size\": 2, \"weight\": 1, \"weights\": [0]}]}",
          { "no member \"weight\"" },
          SOS_ERR_FORMAT },
        { HEAD "{" GROUP "\"table\", \"size\": 2, \"weights\": [0, 0, 0, 1]}]}",
          { "t: group \"g\"", "not submodular" },
          SOS_ERR_NOT_SUBMODULAR },
        { HEAD "{" GROUP "\"free\", \"size\": 1, \"weights\": [[1, 2]]},\n{" GROUP
               "\"free\", \"size\": 1, \"weights\": [[1, 2]]}]}",
          { "groups[1] \"g\"", "already" },
          SOS_ERR_FORMAT },
        { "{\"format\": \"s3svm model\", \"version\": 1, \"labels\": 200, \"groups\": [{" GROUP
          "\"table\", \"size\": 16, \"weights\": [[1]]}]}",
          { "1 list;", "must be 200" },
          SOS_ERR_FORMAT },
        { "{\"format\": \"s3svm model\", \"version\": 1, \"labels\": 3, \"groups\": [{" GROUP
          "\"table\", \"size\": 16, \"weights\": [[1], [1], [1]]}]}",
          { "at least 4095" },
          SOS_ERR_FORMAT },
        { "{\"format\": \"s3svm model\", \"version\": 1, \"labels\": 3, \"groups\": [{" GROUP
          "\"table\", \"size\": 1, \"swap\": true, \"weights\": [[1], [1], [1]]}]}",
          { "swaps two labels" },
          SOS_ERR_FORMAT },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sos_model *m = NULL;
        sos_error error = { SOS_OK, "" };
        const sos_status status = sos_model_parse(cases[i].text, strlen(cases[i].text), "t", &m, &error);
        if (status != cases[i].status) print_error("case %zu: %s\n%s\n", i, cases[i].text, error.message);
        for (size_t k = 0; k < 3 && cases[i].words[k]; k++) check_error(status, cases[i].status, error, cases[i].words[k]);
        check(!m && !strchr(error.message, '\n'));
        check(sos_model_parse(cases[i].text, strlen(cases[i].text), NULL, &m, NULL) == cases[i].status);
    }
}

static void brackets_without_end_are_refused(void **state)
{
    (void)state;
    enum { DEEP = 1000000 };
    char *text = test_room(NULL, DEEP + 1, 1);
    memset(text, '[', DEEP);
    sos_model *m = NULL;
    sos_error error;
    check_is(sos_model_parse(text, DEEP, "t", &m, &error), SOS_ERR_FORMAT);
    for (size_t i = 0; i < DEEP; i += 5) memcpy(text + i, "{\"a\":", 5);
    check_is(sos_model_parse(text, DEEP, "t", &m, &error), SOS_ERR_FORMAT);
    free(text);
}

static void what_cannot_be_read_back_is_not_written(void **state)
{
    (void)state;
    sos_model *m = NULL;
    sos_error error;
    uint32_t number;
    static const char *const bad[] = { "", "{", "nan", "1 2", "\"\xff\"", "{\"a\": 1, \"a\": 2}" };
    check_ok(sos_model_create(2, &m, &error), error);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_ok(sos_model_set_fact(m, "why", bad[i], &error), error);
        check_error(sos_model_write(m, scratch("x.json"), &error), SOS_ERR_ARGUMENT, error, "fact \"why\" is no JSON");
    }
    char deep[2 * 1001 + 1] = "";
    memset(deep, '[', 1001);
    memset(deep + 1001, ']', 1001);
    check_ok(sos_model_set_fact(m, "why", deep, &error), error);
    check_error(sos_model_write(m, scratch("x.json"), &error), SOS_ERR_ARGUMENT, error, "1001 deep");
    memcpy(deep + 1000, "  ", 2);
    check_ok(sos_model_set_fact(m, "why", deep, &error), error);
    size_t length;
    char *text = model_text(m, &length);
    sos_model *again = parse(text);
    check_same(m, again);
    sos_model_free(again);
    free(text);
    check_ok(sos_model_set_fact(m, "why", NULL, &error), error);
    check_ok(sos_model_set_fact(m, "\xff", "1", &error), error);
    check_error(sos_model_write(m, scratch("x.json"), &error), SOS_ERR_ARGUMENT, error, "UTF-8");
    check_ok(sos_model_set_fact(m, "\xff", NULL, &error), error);
    check_ok(sos_model_add_group(m, &(sos_group){ .name = "\xc3", .size = 1 }, &number, &error), error);
    check_error(sos_model_write(m, scratch("x.json"), &error), SOS_ERR_ARGUMENT, error, "UTF-8");
    check(access(scratch("x.json"), F_OK) == -1);
    sos_model_free(m);
}

static void files_that_cannot_be_opened_are_said(void **state)
{
    (void)state;
    sos_model *m = NULL;
    sos_error error;
    check_error(sos_model_read(scratch("none"), &m, &error), SOS_ERR_IO, error, "cannot open", "none");
    check_error(sos_model_read(scratch_folder(), &m, &error), SOS_ERR_IO, error, "cannot read");
    check_error(sos_model_read("/dev/zero", &m, &error), SOS_ERR_FORMAT, error, "zero byte");
    check_is(sos_model_read(NULL, &m, &error), SOS_ERR_ARGUMENT);
    check_is(sos_model_parse(NULL, 0, "t", &m, &error), SOS_ERR_ARGUMENT);
    check_is(sos_model_parse("{}", 2, "t", NULL, &error), SOS_ERR_ARGUMENT);
    check_ok(sos_model_create(2, &m, &error), error);
    check_error(sos_model_write(m, scratch("no/such.json"), &error), SOS_ERR_IO, error, "cannot write");
    check_error(sos_model_write(m, scratch_folder(), &error), SOS_ERR_IO, error, "cannot write");
    check_is(sos_model_write(m, NULL, &error), SOS_ERR_ARGUMENT);
    check_is(sos_model_write(NULL, scratch("x.json"), &error), SOS_ERR_ARGUMENT);
    if (!access("/dev/full", W_OK)) check_is(sos_model_write(m, "/dev/full", &error), SOS_ERR_IO);
    sos_model_free(m);
}

/* ---------------------------------------------------------------- damage */

static sos_model *model_of_all_kinds(void)
{
    static const char text[] = HEAD "{" GROUP "\"free\", \"size\": 2, \"weights\": [[0.5, -1], [1e-5, 3]]}, "
                                    "{\"name\": \"p\", \"kind\": \"nonnegative\", \"size\": 1, \"weights\": [0.25]}, "
                                    "{\"name\": \"t\", \"kind\": \"table\", \"size\": 4, \"anchored\": true, \"swap\": true, "
                                    "\"patch\": [2, 2], \"weights\": [1, 1.5, 2]}], "
                                    "\"facts\": {\"training\": {\"C\": 1, \"list\": [1, 2]}, \"note\": \"\\u00e9\"}}";
    return parse(text);
}

static void a_file_cut_anywhere_is_refused(void **state)
{
    (void)state;
    sos_model *m = model_of_all_kinds(), *none = NULL;
    size_t length;
    char *text = model_text(m, &length);
    sos_error error;
    for (size_t n = 0; n + 1 < length; n++) { /* the last byte is a newline */
        char *cut = test_room(NULL, n ? n : 1, 1);
        memcpy(cut, text, n);
        check_error(sos_model_parse(cut, n, "t", &none, &error), SOS_ERR_FORMAT, error, "t: line");
        check(!none);
        free(cut);
    }
    free(text);
    sos_model_free(m);
}

static char flipped(char c, size_t bit) { return (char)((unsigned char)c ^ 1u << bit); }

/* Any byte changed: a model that can be written and read, or an error. */
static void a_byte_that_flipped_does_no_harm(void **state)
{
    (void)state;
    static const char bytes[] = "\"{}[],:0-.eE\\ut\x01\x80\xff";
    sos_model *m = model_of_all_kinds();
    size_t length;
    char *text = model_text(m, &length);
    for (size_t at = 0; at < length; at++)
        for (size_t b = 0; b < sizeof bytes + 8; b++) {
            const char old = text[at];
            text[at] = b < sizeof bytes ? bytes[b] : flipped(old, b - sizeof bytes);
            sos_model *changed = NULL;
            sos_error error;
            const sos_status status = sos_model_parse(text, length, "t", &changed, &error);
            check(status == SOS_OK || status == SOS_ERR_FORMAT || status == SOS_ERR_NOT_SUBMODULAR || status == SOS_ERR_RANGE);
            check((status == SOS_OK) == (changed != NULL));
            if (changed) {
                check_ok(sos_model_set_weights(changed, sos_model_weights(changed), &error), error);
                if (b % 7 == 0 && at % 5 == 0) {
                    size_t size;
                    char *written = model_text(changed, &size);
                    sos_model *again = parse(written);
                    check_same(changed, again);
                    sos_model_free(again);
                    free(written);
                }
            }
            sos_model_free(changed);
            text[at] = old;
        }
    free(text);
    sos_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_written_model_reads_back_the_same),
        cmocka_unit_test(a_copy_is_the_same_and_its_own),
        cmocka_unit_test(streams_and_memory_get_the_bytes_of_the_file),
        cmocka_unit_test(a_model_file_is_for_people_too),
        cmocka_unit_test(members_may_come_in_any_order_and_be_left_out),
        cmocka_unit_test(what_is_wrong_is_refused_with_its_place),
        cmocka_unit_test(brackets_without_end_are_refused),
        cmocka_unit_test(what_cannot_be_read_back_is_not_written),
        cmocka_unit_test(files_that_cannot_be_opened_are_said),
        cmocka_unit_test(a_file_cut_anywhere_is_refused),
        cmocka_unit_test(a_byte_that_flipped_does_no_harm),
    };
    return cmocka_run_group_tests_name("model files", tests, scratch_make, scratch_remove_empty);
}
