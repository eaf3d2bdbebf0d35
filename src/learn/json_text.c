/* json_text.c - see json_text.h. */
#include "learn/json_text.h"

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

const char *sos_json_skip_space(const char *p)
{
    while (is_space(*p)) p++;
    return p;
}

static const char *string_skip(const char *p)
{
    for (p++; *p != '"'; p++) p += *p == '\\';
    return p + 1;
}

const char *sos_json_skip_value(const char *p, int *depth)
{
    int open = 0, deepest = 0;
    do {
        if (*p == '"') {
            p = string_skip(p);
        } else if (*p == '{' || *p == '[') {
            if (++open > deepest) deepest = open;
            p++;
        } else if (*p == '}' || *p == ']') {
            open--;
            p++;
        } else if (open) {
            p++;
        } else {
            while (*p && !is_space(*p) && *p != ',' && *p != '}' && *p != ']') p++;
        }
    } while (open);
    if (depth) *depth = deepest;
    return p;
}

bool sos_json_next_member(const char **p, sos_json_span *key, sos_json_span *value)
{
    const char *at = sos_json_skip_space(*p);
    if (*at == ',') at = sos_json_skip_space(at + 1);
    if (*at != '"') return false;
    key->text = at;
    at = string_skip(at);
    key->length = (size_t)(at - key->text);
    value->text = sos_json_skip_space(sos_json_skip_space(at) + 1);
    *p = sos_json_skip_value(value->text, NULL);
    value->length = (size_t)(*p - value->text);
    return true;
}
