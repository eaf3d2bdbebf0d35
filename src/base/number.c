/* number.c - numbers as text, the same in every locale. */
#include "base/number.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* A decimal number taken apart: (-1)^negative * 0.digits-without-the-point * 10^exponent, see below. */
typedef struct decimal {
    bool negative;
    uint64_t mantissa;                /* of the first significant digits */
    int significant;                  /* how many digits those are, leading zeros not counted */
    int exponent;                     /* the number is (all digits as an integer) * 10^exponent */
    char digits[SOS_NUMBER_MAX + 16]; /* only filled where the fast way cannot be taken */
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

bool sos_number_parse(const char *text, size_t length, double *x)
{
    decimal d;
    if (length > SOS_NUMBER_MAX || !decimal_parse(text, text + length, &d)) return false;
    *x = decimal_value(&d);
    return true;
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

const char *sos_number_print(double x, char text[SOS_REAL_TEXT])
{
    if (!isfinite(x)) {
        strcpy(text, isnan(x) ? "nan" : x < 0 ? "-inf" : "inf");
        return text;
    }
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
        double back;
        if (sos_number_parse(text, strlen(text), &back) && back == x) break;
    }
    return text;
}

/* As printf's %.9g, whatever the locale puts for the point. */
const char *sos_number_print_float(float x, char text[SOS_REAL_TEXT])
{
    char raw[SOS_REAL_TEXT];
    size_t length = 0;
    snprintf(raw, sizeof raw, "%.9g", (double)x);
    for (const char *p = raw; *p; p++) {
        const bool plain = is_digit(*p) || *p == '-' || *p == '+' || *p == 'e';
        if (plain)
            text[length++] = *p;
        else if (!length || text[length - 1] != '.') /* a point of several bytes counts once */
            text[length++] = '.';
    }
    text[length] = '\0';
    return text;
}
