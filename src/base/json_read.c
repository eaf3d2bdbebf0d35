#include "base/json_read.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"

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

/* ---------------------------------------------------------------- reading */

struct sos_json_value {
    const char *name; /* of a member of an object */
    union {
        double number;
        const char *text;
        const sos_json_value *items; /* members in the order of strcmp, so that one is found, and met twice, fast */
    } is;
    uint32_t count; /* of items; 1: true */
    sos_json_kind kind;
};

/* One block has the whole, values[0], the items of each list one behind the other, and all texts, each with a zero behind it in
 * place of its quotes.  Items wait until their list is complete, since lists within it take their room first. */
typedef struct reader {
    const char *name, *text, *at, *end;
    sos_error *error;
    sos_json_value *values, *waiting;
    size_t used, waiting_count, waiting_room;
    char *letters; /* where the next text goes */
} reader;

static sos_status census_check(const census *c, const char *name, sos_error *error)
{
    if (c->depth > SOS_JSON_DEPTH_MAX)
        return sos_fail(error, SOS_ERR_FORMAT, "%.200s: brackets are nested %zu deep; the maximum is %d", name, c->depth,
                        SOS_JSON_DEPTH_MAX);
    if (c->brackets > SOS_JSON_BRACKETS_MAX)
        return sos_fail(error, SOS_ERR_FORMAT, "%.200s: %zu lists and objects; the maximum is %d", name, c->brackets,
                        SOS_JSON_BRACKETS_MAX);
    if (c->values > SOS_JSON_VALUES_MAX)
        return sos_fail(error, SOS_ERR_FORMAT, "%.200s: %zu values; the maximum is %d", name, c->values, SOS_JSON_VALUES_MAX);
    return SOS_OK;
}

static sos_status no_memory(const reader *r)
{
    return sos_fail(r->error, SOS_ERR_MEMORY, "no memory to read all of '%.200s'", r->name);
}

/* At the character where reading stands; columns count characters, from 1. */
static sos_status wrong(const reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static sos_status wrong(const reader *r, const char *format, ...)
{
    char message[160];
    size_t line = 1, column = 1;
    for (const char *p = r->text; p < r->at; p++) {
        column += (*p & 0xc0) != 0x80;
        if (*p != '\n') continue;
        line++;
        column = 1;
    }
    if (r->at == r->end)
        return sos_fail(r->error, SOS_ERR_FORMAT, "%.200s: line %zu: unexpected end; is the file truncated?", r->name, line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return sos_fail(r->error, SOS_ERR_FORMAT, "%.200s: line %zu, column %zu: %s", r->name, line, column, message);
}

/* The next character but white space; 0 at the end, since texts have no zeros. */
static char next_look(reader *r)
{
    while (r->at < r->end && is_space(*r->at)) r->at++;
    return r->at < r->end ? *r->at : '\0';
}

static bool next_take(reader *r, char c)
{
    if (next_look(r) != c) return false;
    r->at++;
    return true;
}

/* ---- texts ---- */

/* Four hexadecimal digits. */
static bool unit_read(reader *r, uint32_t *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        static const char DIGITS[] = "0123456789abcdef0123456789ABCDEF";
        const char *digit = r->at < r->end ? strchr(DIGITS, *r->at) : NULL;
        if (!digit) return false;
        *unit = 16 * *unit + (uint32_t)((digit - DIGITS) % 16);
    }
    return true;
}

static void character_put(reader *r, uint32_t c)
{
    static const uint32_t LEAST[] = { 0, 0x80, 0x800, 0x10000 }, FIRST[] = { 0, 0xc0, 0xe0, 0xf0 };
    int more = 3;
    while (c < LEAST[more]) more--;
    *r->letters++ = (char)(FIRST[more] | c >> 6 * more);
    while (more--) *r->letters++ = (char)(0x80 | (c >> 6 * more & 0x3f));
}

/* Behind \u: a character, or one above 0xffff as two halves. */
static sos_status number_escape_read(reader *r)
{
    uint32_t c, low;
    if (!unit_read(r, &c)) return wrong(r, "\\u needs four hexadecimal digits");
    if (c >= 0xd800 && c < 0xdc00 && r->end - r->at > 2 && r->at[0] == '\\' && r->at[1] == 'u') {
        r->at += 2;
        if (!unit_read(r, &low)) return wrong(r, "\\u needs four hexadecimal digits");
        if (low < 0xdc00 || low >= 0xe000) return wrong(r, "\\u%04x is half of a character", c);
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    if (!c) return wrong(r, "\\u0000 cannot stand in a text");
    if (c >= 0xd800 && c < 0xe000) return wrong(r, "\\u%04x is half of a character", c);
    character_put(r, c);
    return SOS_OK;
}

static sos_status escape_read(reader *r)
{
    static const char LETTERS[] = "\"\\/bfnrt", MEANINGS[] = "\"\\/\b\f\n\r\t";
    const char letter = r->at < r->end ? *r->at : '\0';
    const char *known = letter ? strchr(LETTERS, letter) : NULL;
    if (!known && letter != 'u') return wrong(r, "no such character behind a backslash");
    r->at++;
    if (!known) return number_escape_read(r);
    *r->letters++ = MEANINGS[known - LETTERS];
    return SOS_OK;
}

static sos_status text_read(reader *r, const char **text)
{
    sos_status status = SOS_OK;
    *text = r->letters;
    for (r->at++; !status && r->at < r->end && *r->at != '"';) {
        const char c = *r->at;
        if ((unsigned char)c < ' ') return wrong(r, "a control character, 0x%02x, in a text", (unsigned)c);
        r->at++;
        if (c == '\\')
            status = escape_read(r);
        else
            *r->letters++ = c;
    }
    if (status) return status;
    if (r->at == r->end) return wrong(r, "a text without its end");
    *r->letters++ = '\0';
    if (!sos_utf8_is_valid(*text)) return wrong(r, "the text that ends here is not UTF-8");
    r->at++;
    return SOS_OK;
}

/* ---- numbers and words ---- */

static size_t digits_pass(const char **p, const char *end)
{
    const char *first = *p;
    while (*p < end && **p >= '0' && **p <= '9') ++*p;
    return (size_t)(*p - first);
}

/* Where a number ends that begins at p; NULL: there is none. */
static const char *number_end(const char *p, const char *end)
{
    if (p < end && *p == '-') p++;
    const char *first = p;
    const size_t whole = digits_pass(&p, end);
    if (!whole || (whole > 1 && *first == '0')) return NULL;
    if (p < end && *p == '.' && (p++, !digits_pass(&p, end))) return NULL;
    if (p == end || (*p != 'e' && *p != 'E')) return p;
    p++;
    if (p < end && (*p == '-' || *p == '+')) p++;
    return digits_pass(&p, end) ? p : NULL;
}

static sos_status number_read(reader *r, sos_json_value *v)
{
    const char *end = number_end(r->at, r->end);
    if (!end) return wrong(r, "a value is expected");
    if (!sos_number_parse(r->at, (size_t)(end - r->at), &v->is.number))
        return wrong(r, "a number of more than %d characters", SOS_NUMBER_MAX);
    if (isinf(v->is.number)) return wrong(r, "overflow: a number beyond all doubles");
    v->kind = SOS_JSON_NUMBER;
    r->at = end;
    return SOS_OK;
}

static bool word_take(reader *r, const char *word)
{
    const size_t length = strlen(word);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0) return false;
    r->at += length;
    return true;
}

/* ---- lists and objects ---- */

static sos_status value_read(reader *r, sos_json_value *v);

static int member_compare(const void *a, const void *b)
{
    return strcmp(((const sos_json_value *)a)->name, ((const sos_json_value *)b)->name);
}

static sos_status member_name_read(reader *r, sos_json_value *item)
{
    if (next_look(r) != '"') return wrong(r, "the name of a member is expected");
    const sos_status status = text_read(r, &item->name);
    if (status) return status;
    return next_take(r, ':') ? SOS_OK : wrong(r, "':' is expected");
}

/* The items that wait from first on are all of v. */
static sos_status items_settle(reader *r, size_t first, sos_json_value *v)
{
    const size_t count = r->waiting_count - first;
    sos_json_value *items = r->values + r->used;
    v->is.items = items;
    v->count = (uint32_t)count;
    if (!count) return SOS_OK;
    memcpy(items, r->waiting + first, count * sizeof *items);
    r->used += count;
    r->waiting_count = first;
    if (v->kind == SOS_JSON_LIST) return SOS_OK;
    qsort(items, count, sizeof *items, member_compare);
    for (size_t i = 1; i < count; i++) {
        char shown[60];
        if (strcmp(items[i - 1].name, items[i].name) != 0) continue;
        r->at--; /* to the bracket */
        return wrong(r, "the object that ends here has duplicate members \"%s\"",
                     sos_harmless(items[i].name, sizeof shown, shown));
    }
    return SOS_OK;
}

static sos_status items_read(reader *r, sos_json_value *v)
{
    const bool object = *r->at++ == '{';
    const char close = object ? '}' : ']';
    const size_t first = r->waiting_count;
    v->kind = object ? SOS_JSON_OBJECT : SOS_JSON_LIST;
    for (bool more = !next_take(r, close); more;) {
        sos_json_value item = { 0 };
        sos_status status = object ? member_name_read(r, &item) : SOS_OK;
        if (!status) status = value_read(r, &item);
        if (status) return status;
        if (!sos_grow(&r->waiting, &r->waiting_room, r->waiting_count + 1)) return no_memory(r);
        r->waiting[r->waiting_count++] = item;
        more = next_take(r, ',');
        if (!more && !next_take(r, close)) return wrong(r, "',' or '%c' is expected", close);
    }
    return items_settle(r, first, v);
}

static sos_status value_read(reader *r, sos_json_value *v)
{
    const char c = next_look(r);
    if (c == '{' || c == '[') return items_read(r, v);
    if (c == '"') return v->kind = SOS_JSON_TEXT, text_read(r, &v->is.text);
    if (word_take(r, "null")) return v->kind = SOS_JSON_NULL, SOS_OK;
    v->count = word_take(r, "true");
    if (v->count || word_take(r, "false")) return v->kind = SOS_JSON_TRUTH, SOS_OK;
    return number_read(r, v);
}

sos_status sos_json_read(const char *text, size_t length, const char *name, sos_json_value **whole, sos_error *error)
{
    reader r = { .name = name, .text = text, .at = text, .end = text + length, .error = error, .used = 1 };
    const census c = census_take(text, length);
    sos_status status = census_check(&c, name, error);
    if (status) return status;
    if (memchr(text, 0, length)) return sos_fail(error, SOS_ERR_FORMAT, "%.200s: not a text: it contains a zero byte", name);
    const size_t bytes = c.values * sizeof *r.values;
    r.values = length < SIZE_MAX - bytes ? malloc(bytes + length) : NULL;
    if (!r.values) return no_memory(&r);
    r.letters = (char *)r.values + bytes;
    r.values[0] = (sos_json_value){ 0 };
    status = value_read(&r, &r.values[0]);
    if (!status && next_look(&r)) status = wrong(&r, "end of file expected");
    free(r.waiting);
    if (status)
        free(r.values);
    else
        *whole = r.values;
    return status;
}

void sos_json_free(sos_json_value *whole) { free(whole); }

/* ---------------------------------------------------------------- values */

static bool is_kind(const sos_json_value *v, sos_json_kind kind) { return v && v->kind == kind; }

sos_json_kind sos_json_value_kind(const sos_json_value *v) { return v ? v->kind : SOS_JSON_NONE; }

bool sos_json_value_truth(const sos_json_value *v) { return is_kind(v, SOS_JSON_TRUTH) && v->count; }

double sos_json_value_number(const sos_json_value *v) { return is_kind(v, SOS_JSON_NUMBER) ? v->is.number : NAN; }

const char *sos_json_value_text(const sos_json_value *v) { return is_kind(v, SOS_JSON_TEXT) ? v->is.text : NULL; }

size_t sos_json_value_size(const sos_json_value *v)
{
    return is_kind(v, SOS_JSON_LIST) || is_kind(v, SOS_JSON_OBJECT) ? v->count : 0;
}

const sos_json_value *sos_json_value_item(const sos_json_value *list, size_t i)
{
    return is_kind(list, SOS_JSON_LIST) && i < list->count ? &list->is.items[i] : NULL;
}

const sos_json_value *sos_json_value_member(const sos_json_value *object, const char *name)
{
    const sos_json_value wanted = { .name = name };
    if (!is_kind(object, SOS_JSON_OBJECT)) return NULL;
    return bsearch(&wanted, object->is.items, object->count, sizeof wanted, member_compare);
}

const char *sos_json_value_stranger(const sos_json_value *object, const char *const known[])
{
    const char *first = NULL; /* in the text: names lie in its order */
    for (size_t at = 0; is_kind(object, SOS_JSON_OBJECT) && at < object->count; at++) {
        const char *name = object->is.items[at].name;
        size_t i = 0;
        while (known[i] && strcmp(known[i], name) != 0) i++;
        if (!known[i] && (!first || name < first)) first = name;
    }
    return first;
}
