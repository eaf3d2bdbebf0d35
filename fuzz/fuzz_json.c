/* fuzz_json.c - any text as JSON: read or refused.  What is read says the same when it is written and read again; the members
 * of an object, as the texts they are, are those that were read. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/json_read.h"
#include "fuzz.h"

static void value_print(sos_json *j, const char *name, const sos_json_value *v);

/* Members that were read are not to be listed, only found: those of the text, in its order. */
static void members_print(sos_json *j, const sos_json_value *object, const char *text)
{
    sos_json_span name, value;
    size_t count = 0;
    for (; sos_json_member_next(&text, &name, &value); count++) {
        sos_json_value *key = NULL, *part = NULL;
        fuzz_check(!sos_json_read(name.text, name.length, "name", &key, NULL));
        fuzz_check(!sos_json_read(value.text, value.length, "value", &part, NULL));
        const sos_json_value *member = sos_json_value_member(object, sos_json_value_text(key));
        fuzz_check(member && sos_json_value_kind(member) == sos_json_value_kind(part));
        fuzz_check(sos_json_value_size(member) == sos_json_value_size(part));
        if (sos_json_value_kind(part) == SOS_JSON_OBJECT) {
            sos_json_open(j, sos_json_value_text(key), '{');
            members_print(j, part, value.text);
            sos_json_close(j, '}');
        } else
            value_print(j, sos_json_value_text(key), part);
        sos_json_free(key);
        sos_json_free(part);
    }
    fuzz_check(count == sos_json_value_size(object));
}

static void value_print(sos_json *j, const char *name, const sos_json_value *v)
{
    switch (sos_json_value_kind(v)) {
    case SOS_JSON_TRUTH: sos_json_truth(j, name, sos_json_value_truth(v)); break;
    case SOS_JSON_NUMBER: sos_json_real(j, name, sos_json_value_number(v)); break;
    case SOS_JSON_TEXT: sos_json_text(j, name, sos_json_value_text(v)); break;
    case SOS_JSON_LIST:
        sos_json_open(j, name, '[');
        for (size_t i = 0; i < sos_json_value_size(v); i++) value_print(j, NULL, sos_json_value_item(v, i));
        sos_json_close(j, ']');
        break;
    case SOS_JSON_OBJECT: sos_json_count(j, name, sos_json_value_size(v)); break; /* within a list: how many it has */
    default: sos_json_raw(j, name, "null");
    }
}

static char *whole_print(const sos_json_value *v, const char *text, size_t *length)
{
    char *out = NULL;
    FILE *file = open_memstream(&out, length);
    fuzz_check(file != NULL);
    sos_json j = { .file = file };
    if (sos_json_value_kind(v) == SOS_JSON_OBJECT) {
        sos_json_open(&j, NULL, '{');
        members_print(&j, v, text);
        sos_json_close(&j, '}');
    } else
        value_print(&j, NULL, v);
    fuzz_check(!fclose(file));
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    sos_json_value *v = NULL, *again = NULL;
    sos_error error;
    fuzz_check(text != NULL);
    if (size) memcpy(text, data, size);
    text[size] = '\0'; /* as behind the body of a request */
    if (sos_json_read(text, size, "input", &v, &error)) {
        fuzz_check(strstr(error.message, "input") && !v);
    } else {
        size_t first_length, second_length;
        char *first = whole_print(v, text, &first_length);
        fuzz_accepted++;
        fuzz_check(!sos_json_read(first, first_length, "written", &again, &error));
        char *second = whole_print(again, first, &second_length);
        fuzz_check(first_length == second_length && !memcmp(first, second, first_length));
        free(first);
        free(second);
    }
    sos_json_free(v);
    sos_json_free(again);
    free(text);
    return 0;
}

bool fuzz_seed(size_t i, fuzz_bytes *out)
{
    static const char *const TEXTS[] = {
        "{\"a\": [1, -0, 2.5e-3, true, false, null, \"x\\n\\u00e4\\ud83d\\ude00\"], \"b\": {\"c\": {}, \"d\\\"\": []}}",
        " [[], [[1]], {\"z\": 1, \"a\": 2}, 1e308] ",
        "\"a text\\\\ alone\\/\"",
        "{\"name\":\"\xc3\xa4\",\"number\":0.1,\"other\":12345678901234567890}",
    };
    if (i >= sizeof TEXTS / sizeof *TEXTS) return false;
    *out = (fuzz_bytes){ fuzz_copy(TEXTS[i], strlen(TEXTS[i])), strlen(TEXTS[i]) };
    return true;
}
