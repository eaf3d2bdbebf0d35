/* format_scan.c - tokens and numbers of text files. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "energy/format.h"

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

sos_status sos_scan_count(sos_scanner *s, const char *what, size_t most, size_t *count)
{
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

enum { NUMBER_MAX = 1000 }; /* characters of a number; every double has a text much shorter */

/* A decimal number taken apart: (-1)^negative * 0.digits-without-the-point * 10^exponent, see below. */
typedef struct decimal {
    bool negative;
    uint64_t mantissa;            /* of the first significant digits */
    int significant;              /* how many digits those are, leading zeros not counted */
    int exponent;                 /* the number is (all digits as an integer) * 10^exponent */
    char digits[NUMBER_MAX + 16]; /* only filled where the fast way cannot be taken */
    size_t count;
} decimal;

/* [+-] digits [. digits] [e [+-] digits], at least one digit before the e; false for anything else. */
static bool decimal_parse(const char *p, const char *end, decimal *d)
{
    d->negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    d->mantissa = 0;
    d->significant = d->exponent = 0;
    d->count = 0;
    bool point = false;
    for (; p < end && (is_digit(*p) || (*p == '.' && !point)); p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        d->digits[d->count++] = *p;
        d->significant += d->significant || *p != '0';
        if (d->significant <= 19) d->mantissa = 10 * d->mantissa + (uint64_t)(*p - '0');
        d->exponent -= point;
    }
    if (!d->count) return false;
    if (p == end) return true;
    if (*p != 'e' && *p != 'E') return false;
    p++;
    const bool minus = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    if (p == end) return false;
    int e = 0;
    for (; p < end && is_digit(*p); p++)
        if (e < 100000) e = 10 * e + (*p - '0');
    d->exponent += minus ? -e : e;
    return p == end;
}

/* A mantissa below 2^53 times or by an exact power of ten is rounded once, so rightly (Clinger, "How to read floating point
 * numbers accurately", 1990).  The rest goes to strtod, without a decimal point, the one thing that depends on the locale. */
static double decimal_value(decimal *d)
{
    static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                     1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    double x;
    const bool small = d->significant <= 19 && d->mantissa <= UINT64_C(1) << 53;
    if (d->significant <= 19 && d->exponent == 0)
        x = (double)d->mantissa;
    else if (FLT_EVAL_METHOD == 0 && small && d->exponent > 0 && d->exponent <= 22)
        x = (double)d->mantissa * powers[d->exponent];
    else if (FLT_EVAL_METHOD == 0 && small && d->exponent < 0 && d->exponent >= -22)
        x = (double)d->mantissa / powers[-d->exponent];
    else {
        snprintf(d->digits + d->count, sizeof d->digits - d->count, "e%d", d->exponent);
        x = strtod(d->digits, NULL);
    }
    return d->negative ? -x : x;
}

sos_status sos_scan_real(sos_scanner *s, const char *what, double *x)
{
    sos_scan_next(s);
    decimal d;
    if (s->length > NUMBER_MAX)
        return sos_scan_fail(s, SOS_ERR_FORMAT, "%s has %zu characters; a number has at most %d", what, s->length, NUMBER_MAX);
    if (!decimal_parse(s->token, s->token + s->length, &d)) return sos_scan_expected(s, what);
    const double value = decimal_value(&d);
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
    return sos_scan_fail(s, SOS_ERR_FORMAT, "%zu %s cannot be in the %zu bytes that follow", count, what, left);
}

sos_status sos_scan_finish(sos_scanner *s)
{
    if (s->length && s->at == s->end)
        return sos_scan_fail(s, SOS_ERR_FORMAT, "the last line does not end; is the file cut off? (if not, add a newline)");
    sos_scan_next(s);
    return s->length ? sos_scan_expected(s, "the end of the file") : SOS_OK;
}

/* Writes count digits d with the value d[0].d[1]d[2]... * 10^exponent. */
static void decimal_print(char *out, bool negative, const char *d, int count, int exponent)
{
    if (negative) *out++ = '-';
    if (exponent < -5 || exponent > 16) { /* 1.25e-7 */
        *out++ = d[0];
        if (count > 1) *out++ = '.';
        for (int i = 1; i < count; i++) *out++ = d[i];
        snprintf(out, 8, "e%d", exponent);
        return;
    }
    if (exponent < 0) { /* 0.00125 */
        *out++ = '0';
        *out++ = '.';
        for (int i = exponent + 1; i < 0; i++) *out++ = '0';
    }
    for (int i = 0; i < count || i <= exponent; i++) { /* 12.5 */
        *out++ = i < count ? d[i] : '0';
        if (i == exponent && i + 1 < count) *out++ = '.';
    }
    *out = '\0';
}

const char *sos_real_print(double x, char text[SOS_REAL_TEXT])
{
    if (x == rint(x) && fabs(x) <= 0x1p53) {
        snprintf(text, SOS_REAL_TEXT, "%s%" PRId64, x == 0 && signbit(x) ? "-" : "", (int64_t)x);
        return text;
    }
    for (int precision = 15; precision <= 17; precision++) {
        char raw[SOS_REAL_TEXT], digits[SOS_REAL_TEXT];
        snprintf(raw, sizeof raw, "%.*e", precision - 1, fabs(x));
        const char *e = strchr(raw, 'e');
        int count = 0;
        for (const char *p = raw; p < e; p++) /* whatever the locale puts between the digits is left out */
            if (is_digit(*p)) digits[count++] = *p;
        while (count > 1 && digits[count - 1] == '0') count--;
        decimal_print(text, x < 0, digits, count, atoi(e + 1));
        decimal d;
        if (decimal_parse(text, text + strlen(text), &d) && decimal_value(&d) == x) break;
    }
    return text;
}
