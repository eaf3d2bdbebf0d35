/* report_support.c - see report_support.h. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include "report_support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scratch.h"

char *file_text(const char *path)
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
FILE *written_begin(void)
{
    FILE *file = fopen(scratch("written"), "w");
    assert_non_null(file);
    return file;
}

char *written_end(FILE *file)
{
    check(fclose(file) == 0);
    char *text = file_text(scratch("written"));
    unlink(scratch("written"));
    return text;
}

size_t occurrences(const char *text, const char *what)
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

void check_markup(const char *text)
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
void check_alone(const char *text)
{
    static const char *const never[] = { "src=\"http", "src=\"/", "href=\"http", "url(", "@import",
                                         "<link",      "<iframe", "nan",         "inf\"" };
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (strstr(text, never[i])) test_fail(__FILE__, __LINE__, "found %s: %.80s", never[i], strstr(text, never[i]));
}

/* Bytes of all kinds, with a liking for those that mean something. */
void bytes_random(sos_random *r, char text[], size_t room)
{
    static const char liked[] =
        "<>&\"'/=;#\r\n\t ]]>--\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xc0\x80\xed\xa0\x80\xef\xbf\xbf\xf4\x90";
    const size_t length = sos_random_below(r, room);
    for (size_t i = 0; i < length; i++)
        text[i] = sos_random_below(r, 2) ? liked[sos_random_below(r, sizeof liked - 1)] : (char)(1 + sos_random_below(r, 255));
    text[length] = '\0';
}

uint8_t *base64_read(const char *text, size_t length, size_t *count)
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

/* Reads "−1.5×10⁻³" as a person would. */
double shown_value(const char *text)
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

double value_random(sos_random *r)
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

double odd_value(sos_random *r)
{
    static const double odd[] = { NAN,    INFINITY,     -INFINITY, DBL_MAX, -DBL_MAX, 1e300,
                                  -1e300, DBL_TRUE_MIN, 0,         -0.0,    1,        1 + DBL_EPSILON };
    const uint64_t i = sos_random_below(r, 24);
    return i < sizeof odd / sizeof *odd ? odd[i] : value_random(r);
}
