/* json_read.c - reads JSON; the only file that uses libjansson. */
#include "base/json_read.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- texts */

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* What stands in a text, whether it is JSON or not. */
typedef struct census {
    size_t depth, brackets, values; /* values: at most */
} census;

static census census_take(const char *text, size_t length)
{
    census c = { .values = 1 };
    size_t open = 0;
    bool quoted = false;
    for (size_t i = 0; i < length; i++) {
        if (quoted && text[i] == '\\')
            i++;
        else if (text[i] == '"')
            quoted = !quoted;
        else if (quoted)
            continue;
        else if (text[i] == '[' || text[i] == '{') {
            c.brackets++;
            c.values++;
            if (++open > c.depth) c.depth = open;
        } else if ((text[i] == ']' || text[i] == '}') && open)
            open--;
        else if (text[i] == ',')
            c.values++;
    }
    return c;
}

size_t sos_json_depth(const char *text, size_t length) { return census_take(text, length).depth; }

/* The three that follow are for texts that have been read, so ends are where they must be. */

static const char *space_skip(const char *p)
{
    while (is_space(*p)) p++;
    return p;
}

static const char *string_skip(const char *p)
{
    for (p++; *p != '"'; p++) p += *p == '\\';
    return p + 1;
}

static const char *value_skip(const char *p)
{
    size_t open = 0;
    do {
        if (*p == '"') {
            p = string_skip(p);
        } else if (*p == '{' || *p == '[') {
            open++;
            p++;
        } else if (*p == '}' || *p == ']') {
            open--;
            p++;
        } else if (open) {
            p++;
        } else {
            while (!is_space(*p) && *p != ',' && *p != '}' && *p != ']') p++;
        }
    } while (open);
    return p;
}

bool sos_json_member_next(const char **at, sos_json_span *name, sos_json_span *value)
{
    const char *p = space_skip(*at);
    if (*p == '{' || *p == ',') p = space_skip(p + 1);
    if (*p != '"') return false;
    name->text = p;
    p = string_skip(p);
    name->length = (size_t)(p - name->text);
    value->text = space_skip(space_skip(p) + 1); /* behind the colon */
    *at = value_skip(value->text);
    value->length = (size_t)(*at - value->text);
    return true;
}

#if SOS_HAVE_JANSSON

#include <jansson.h>
#include <math.h>

/* ---------------------------------------------------------------- reading */

/* Numbers are all doubles, so that -0 keeps its sign. */
static const size_t DECODE = JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL | JSON_DECODE_ANY;

static const json_t *inside(const sos_json_value *v) { return (const json_t *)(const void *)v; }
static const sos_json_value *outside(const json_t *v) { return (const sos_json_value *)(const void *)v; }

static sos_status census_check(const char *text, size_t length, const char *name, sos_error *error)
{
    const census c = census_take(text, length);
    if (c.depth > SOS_JSON_DEPTH_MAX)
        return sos_fail(error, SOS_ERR_FORMAT, "%.200s: brackets are nested %zu deep; the maximum is %d", name, c.depth,
                        SOS_JSON_DEPTH_MAX);
    if (c.brackets > SOS_JSON_BRACKETS_MAX)
        return sos_fail(error, SOS_ERR_FORMAT, "%.200s: %zu lists and objects; the maximum is %d", name, c.brackets,
                        SOS_JSON_BRACKETS_MAX);
    if (c.values > SOS_JSON_VALUES_MAX)
        return sos_fail(error, SOS_ERR_FORMAT, "%.200s: %zu values; the maximum is %d", name, c.values, SOS_JSON_VALUES_MAX);
    return SOS_OK;
}

sos_status sos_json_read(const char *text, size_t length, const char *name, sos_json_value **whole, sos_error *error)
{
    const sos_status status = census_check(text, length, name, error);
    if (status) return status;
    if (memchr(text, 0, length)) /* which libjansson passes over behind a number */
        return sos_fail(error, SOS_ERR_FORMAT, "%.200s: not a text: it contains a zero byte", name);
    json_error_t e;
    json_t *root = json_loadb(text, length, DECODE, &e);
    if (root) {
        *whole = (sos_json_value *)(void *)root;
        return SOS_OK;
    }
    switch (json_error_code(&e)) {
    case json_error_out_of_memory: return sos_fail(error, SOS_ERR_MEMORY, "no memory to read all of '%.200s'", name);
    case json_error_premature_end_of_input:
        return sos_fail(error, SOS_ERR_FORMAT, "%.200s: line %d: unexpected end; is the file truncated?", name, e.line);
    default: {
        char shown[JSON_ERROR_TEXT_LENGTH];
        return sos_fail(error, SOS_ERR_FORMAT, "%.200s: line %d, column %d: %s", name, e.line, e.column,
                        sos_harmless(e.text, sizeof shown, shown));
    }
    }
}

void sos_json_free(sos_json_value *whole) { json_decref((json_t *)(void *)whole); }

/* ---------------------------------------------------------------- values */

sos_json_kind sos_json_value_kind(const sos_json_value *v)
{
    if (!v) return SOS_JSON_NONE;
    switch (json_typeof(inside(v))) {
    case JSON_OBJECT: return SOS_JSON_OBJECT;
    case JSON_ARRAY: return SOS_JSON_LIST;
    case JSON_STRING: return SOS_JSON_TEXT;
    case JSON_INTEGER:
    case JSON_REAL: return SOS_JSON_NUMBER;
    case JSON_TRUE:
    case JSON_FALSE: return SOS_JSON_TRUTH;
    case JSON_NULL: return SOS_JSON_NULL;
    }
    return SOS_JSON_NONE;
}

bool sos_json_value_truth(const sos_json_value *v) { return json_is_true(inside(v)); }

double sos_json_value_number(const sos_json_value *v) { return json_is_real(inside(v)) ? json_real_value(inside(v)) : NAN; }

const char *sos_json_value_text(const sos_json_value *v) { return json_string_value(inside(v)); }

size_t sos_json_value_size(const sos_json_value *v)
{
    return json_is_array(inside(v)) ? json_array_size(inside(v)) : json_object_size(inside(v));
}

const sos_json_value *sos_json_value_item(const sos_json_value *list, size_t i)
{
    return outside(json_array_get(inside(list), i));
}

const sos_json_value *sos_json_value_member(const sos_json_value *object, const char *name)
{
    return outside(json_object_get(inside(object), name));
}

const char *sos_json_value_stranger(const sos_json_value *object, const char *const known[])
{
    json_t *o = (json_t *)object; /* going over members changes nothing */
    for (void *at = json_object_iter(o); at; at = json_object_iter_next(o, at)) {
        const char *name = json_object_iter_key(at);
        size_t i = 0;
        while (known[i] && strcmp(known[i], name) != 0) i++;
        if (!known[i]) return name;
    }
    return NULL;
}

#else

sos_status sos_json_read(const char *text, size_t length, const char *name, sos_json_value **whole, sos_error *error)
{
    (void)text, (void)length, (void)name, (void)whole;
    return sos_fail(error, SOS_ERR_IO, "this library was built without libjansson: it cannot read JSON or model files");
}

void sos_json_free(sos_json_value *whole) { (void)whole; }

/* There are no values. */
sos_json_kind sos_json_value_kind(const sos_json_value *v) { return (void)v, SOS_JSON_NONE; }
bool sos_json_value_truth(const sos_json_value *v) { return (void)v, false; }
double sos_json_value_number(const sos_json_value *v) { return (void)v, 0; }
const char *sos_json_value_text(const sos_json_value *v) { return (void)v, NULL; }
size_t sos_json_value_size(const sos_json_value *v) { return (void)v, 0; }
const sos_json_value *sos_json_value_item(const sos_json_value *list, size_t i) { return (void)list, (void)i, NULL; }
const sos_json_value *sos_json_value_member(const sos_json_value *object, const char *name)
{
    return (void)object, (void)name, NULL;
}
const char *sos_json_value_stranger(const sos_json_value *object, const char *const known[])
{
    return (void)object, (void)known, NULL;
}

#endif
