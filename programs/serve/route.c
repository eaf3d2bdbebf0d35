#include "route.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

const char *verb_name(verb v)
{
    static const char *const NAMES[] = { "GET", "POST", "PUT", "DELETE", "" };
    return NAMES[v];
}

verb verb_find(const char *name)
{
    if (!strcmp(name, "HEAD")) return VERB_GET;
    for (verb v = VERB_GET; v < VERB_OTHER; v++)
        if (!strcmp(name, verb_name(v))) return v;
    return VERB_OTHER;
}

static bool is_hex_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

static bool is_letter(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '_';
}

/* How many characters of the path a word of the pattern stands for; 0: none. */
static size_t word_length(const char *kind, const char *path)
{
    size_t length = 0;
    if (!strncmp(kind, "NAME", 4)) {
        while (is_letter(path[length])) length++;
        return length <= WORD_MAX && *path != '.' ? length : 0;
    }
    const size_t wanted = !strncmp(kind, "KEY", 3) ? KEY_LENGTH : ID_LENGTH;
    while (is_hex_digit(path[length])) length++;
    return length == wanted ? length : 0;
}

bool path_matches(const char *pattern, const char *path, char word[72])
{
    *word = '\0';
    while (*pattern && (*pattern < 'A' || *pattern > 'Z') && *pattern == *path) {
        pattern++;
        path++;
    }
    if (*pattern < 'A' || *pattern > 'Z') return !*pattern && !*path;
    const size_t length = word_length(pattern, path);
    if (!length) return false;
    while (*pattern >= 'A' && *pattern <= 'Z') pattern++;
    if (strcmp(pattern, path + length) != 0) return false;
    snprintf(word, 72, "%.*s", (int)length, path);
    return true;
}

content content_of(const char *type)
{
    if (!type) return CONTENT_NONE;
    const size_t length = strcspn(type, "; ");
    if (length == 16 && !strncasecmp(type, "application/json", length)) return CONTENT_JSON;
    if (length > 6 && !strncasecmp(type, "image/", 6)) return CONTENT_PICTURE;
    return CONTENT_NONE;
}

const route *route_find(const route routes[], request *q, response *a)
{
    char allow[sizeof a->allow] = "";
    for (const route *r = routes; r->pattern; r++) {
        if (!path_matches(r->pattern, q->path, q->word)) continue;
        if (r->verb == q->verb) return r;
        const size_t used = strlen(allow);
        snprintf(allow + used, sizeof allow - used, "%s%s%s", used ? ", " : "", verb_name(r->verb),
                 r->verb == VERB_GET ? ", HEAD" : "");
    }
    if (!*allow) {
        response_fail(a, 404, "unknown", "there is nothing of this name");
        return NULL;
    }
    response_fail(a, 405, "method", "this takes %s", allow);
    memcpy(a->allow, allow, sizeof allow);
    return NULL;
}
