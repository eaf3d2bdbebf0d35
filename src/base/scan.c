/* scan.c - tokens of text files. */
#include "base/scan.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

void sos_scan_skip_line(sos_scanner *s)
{
    const char *newline = s->at < s->end ? memchr(s->at, '\n', (size_t)(s->end - s->at)) : NULL;
    s->at = newline ? newline : s->end;
}

void sos_scan_next(sos_scanner *s)
{
    for (;;) {
        while (s->at < s->end && is_space(*s->at)) s->at++;
        if (!s->comments || s->at == s->end || *s->at != '#') break;
        sos_scan_skip_line(s);
    }
    const char *p = s->at;
    while (p < s->end && !is_space(*p) && !(s->comments && *p == '#')) p++;
    s->token = s->at;
    s->length = (size_t)(p - s->at);
    s->at = p;
}

bool sos_scan_is(const sos_scanner *s, const char *word)
{
    return s->length == strlen(word) && !memcmp(s->token, word, s->length);
}

static size_t line_of(const sos_scanner *s)
{
    size_t line = 1;
    for (const char *p = s->text; p < s->token; p++) line += *p == '\n';
    return line;
}

sos_status sos_scan_fail(const sos_scanner *s, sos_status status, const char *format, ...)
{
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return sos_fail(s->error, status, "%.200s:%zu: %s", s->name, line_of(s), message);
}

sos_status sos_scan_blame(const sos_scanner *s, const sos_error *inner, const char *what)
{
    const sos_status status = inner->status == SOS_ERR_ARGUMENT ? SOS_ERR_FORMAT : inner->status;
    return sos_scan_fail(s, status, "%s%s%s", what, *what ? ": " : "", inner->message);
}

sos_status sos_scan_expected(const sos_scanner *s, const char *what)
{
    if (!s->length) return sos_scan_fail(s, SOS_ERR_FORMAT, "expected %s, found the end of the file", what);
    char shown[41];
    size_t n = 0;
    for (; n < s->length && n < sizeof shown - 1; n++) shown[n] = s->token[n] > ' ' && s->token[n] < 127 ? s->token[n] : '?';
    shown[n] = '\0';
    return sos_scan_fail(s, SOS_ERR_FORMAT, "expected %s, found '%s'%s", what, shown, n < s->length ? "..." : "");
}

sos_status sos_scan_word(sos_scanner *s, const char *word)
{
    sos_scan_next(s);
    if (sos_scan_is(s, word)) return SOS_OK;
    char quoted[40];
    snprintf(quoted, sizeof quoted, "'%s'", word);
    return sos_scan_expected(s, quoted);
}

/* Nearly all tokens of a large file are whole numbers of a few digits with spaces around: the next one, at once.  False, and
 * nothing was read: look at it with all care. */
static bool quick_whole(sos_scanner *s, bool *negative, uint64_t *n)
{
    const char *p = s->at, *end = s->end;
    while (p < end && is_space(*p)) p++;
    const char *token = p;
    *negative = p < end && *p == '-';
    p += *negative;
    const char *digits = p;
    uint64_t x = 0;
    for (; p < end && is_digit(*p); p++) x = 10 * x + (uint64_t)(*p - '0');
    if (p == end || !is_space(*p) || p == digits || p - digits > 15) return false;
    s->token = token;
    s->length = (size_t)(p - token);
    s->at = p;
    *n = x;
    return true;
}

sos_status sos_scan_count(sos_scanner *s, const char *what, size_t most, size_t *count)
{
    bool negative;
    uint64_t whole;
    const char *before = s->at;
    if (quick_whole(s, &negative, &whole) && !negative && whole <= most) {
        *count = (size_t)whole;
        return SOS_OK;
    }
    s->at = before;
    sos_scan_next(s);
    size_t n = 0, digits = 0;
    for (; digits < s->length && is_digit(s->token[digits]); digits++) {
        const size_t digit = (size_t)(s->token[digits] - '0');
        if (n > (SIZE_MAX - digit) / 10) return sos_scan_fail(s, SOS_ERR_FORMAT, "%s is too large", what);
        n = 10 * n + digit;
    }
    if (!digits || digits < s->length) return sos_scan_expected(s, what);
    if (n > most) return sos_scan_fail(s, SOS_ERR_FORMAT, "%s is %zu, but the largest is %zu", what, n, most);
    *count = n;
    return SOS_OK;
}

sos_status sos_scan_real(sos_scanner *s, const char *what, double *x)
{
    double value;
    bool negative;
    uint64_t whole;
    if (quick_whole(s, &negative, &whole)) {
        *x = negative ? -(double)whole : (double)whole;
        return SOS_OK;
    }
    sos_scan_next(s);
    if (s->length > SOS_NUMBER_MAX)
        return sos_scan_fail(s, SOS_ERR_FORMAT, "%s has %zu characters; a number has at most %d", what, s->length,
                             SOS_NUMBER_MAX);
    if (!sos_number_parse(s->token, s->length, &value)) return sos_scan_expected(s, what);
    if (!isfinite(value)) {
        char finite[100];
        snprintf(finite, sizeof finite, "%s within the range of a double", what);
        return sos_scan_expected(s, finite);
    }
    *x = value;
    return SOS_OK;
}

sos_status sos_scan_room(const sos_scanner *s, const char *what, size_t count, size_t bytes)
{
    const size_t left = (size_t)(s->end - s->at);
    if (count <= (left + 1) / bytes) return SOS_OK;
    return sos_scan_fail(s, SOS_ERR_FORMAT,
                         "%zu %s do not fit into the remaining %zu bytes: the file is truncated, or the number is wrong", count,
                         what, left);
}

sos_status sos_scan_finish(sos_scanner *s)
{
    if (s->length && s->at == s->end)
        return sos_scan_fail(s, SOS_ERR_FORMAT, "the last line is incomplete; is the file truncated? (if not, add a newline)");
    sos_scan_next(s);
    return s->length ? sos_scan_expected(s, "the end of the file") : SOS_OK;
}
