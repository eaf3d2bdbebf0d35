#include "report/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

void s3svm_string_vprint(s3svm_string *s, const char *format, va_list values)
{
    va_list again;
    va_copy(again, values);
    const int length = vsnprintf(NULL, 0, format, values);
    if (length < 0 || s->failed || !sos_grow(&s->text, &s->room, s->length + (size_t)length + 1))
        s->failed = true;
    else {
        vsnprintf(s->text + s->length, (size_t)length + 1, format, again);
        s->length += (size_t)length;
    }
    va_end(again);
}

void s3svm_string_print(s3svm_string *s, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    s3svm_string_vprint(s, format, values);
    va_end(values);
}

void s3svm_string_mark(s3svm_string *s)
{
    if (s->failed || !sos_grow(&s->text, &s->room, s->length + 2)) {
        s->failed = true;
        return;
    }
    s->text[s->length++] = '\0';
    s->text[s->length] = '\0';
}

void s3svm_string_clear(s3svm_string *s)
{
    s->length = 0;
    if (s->text) s->text[0] = '\0';
}

void s3svm_string_free(s3svm_string *s)
{
    free(s->text);
    *s = (s3svm_string){ 0 };
}

static bool is_xml(uint32_t c)
{
    if (c < 0x20) return c == '\t' || c == '\n' || c == '\r';
    return (c < 0x7f || c > 0x9f) && (c & 0xfffe) != 0xfffe;
}

uint32_t s3svm_xml_next(const char **text)
{
    const uint32_t c = sos_utf8_next(text);
    return c && !is_xml(c) ? SOS_UTF8_REPLACEMENT : c;
}

void s3svm_escape(FILE *file, const char *text)
{
    if (!text) return;
    for (const char *at = text, *from = at; s3svm_xml_next(&at); from = at) {
        switch (*from) {
        case '&': fputs("&amp;", file); break;
        case '<': fputs("&lt;", file); break;
        case '>': fputs("&gt;", file); break;
        case '"': fputs("&quot;", file); break;
        case '\'': fputs("&#39;", file); break;
        case '\r': fputs("&#13;", file); break;
        default: {
            const char *again = from;
            if (s3svm_xml_next(&again) == SOS_UTF8_REPLACEMENT)
                fputs("\xef\xbf\xbd", file);
            else
                fwrite(from, 1, (size_t)(at - from), file);
        }
        }
    }
}

void s3svm_base64_write(FILE *file, const uint8_t bytes[], size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < length; i += 3) {
        const size_t left = length - i;
        const uint32_t three = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                               (left > 2 ? bytes[i + 2] : 0);
        fputc(digits[three >> 18], file);
        fputc(digits[three >> 12 & 63], file);
        fputc(left > 1 ? digits[three >> 6 & 63] : '=', file);
        fputc(left > 2 ? digits[three & 63] : '=', file);
    }
}

static void append(char text[S3SVM_NUMBER_TEXT], const char *more)
{
    const size_t used = strlen(text);
    snprintf(text + used, S3SVM_NUMBER_TEXT - used, "%s", more);
}

static void append_power(char text[S3SVM_NUMBER_TEXT], int exponent)
{
    static const char *const raised[] = { "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹" };
    char plain[16];
    snprintf(plain, sizeof plain, "%d", exponent);
    append(text, "10");
    for (const char *p = plain; *p; p++) append(text, *p == '-' ? "⁻" : raised[*p - '0']);
}

/* 0.d1 d2 ... times 10^point, plainly. */
static void append_plain(char text[S3SVM_NUMBER_TEXT], const char *digits, int count, int point)
{
    char one[2] = "";
    if (point <= 0) append(text, "0.");
    for (int i = point; i < 0; i++) append(text, "0");
    for (int i = 0; i < count || i < point; i++) {
        if (i == point && i > 0) append(text, ".");
        one[0] = i < count ? digits[i] : '0';
        append(text, one);
    }
}

const char *s3svm_number_text(double x, int digits, char text[S3SVM_NUMBER_TEXT])
{
    text[0] = '\0';
    if (!isfinite(x)) {
        append(text, "–");
        return text;
    }
    /* Only the digits are taken: what stands between them is the locale's. */
    char raw[40], kept[24] = "0";
    snprintf(raw, sizeof raw, "%.*e", (digits < 1 ? 1 : digits > 17 ? 17 : digits) - 1, fabs(x));
    const char *e = strchr(raw, 'e');
    int count = 0;
    for (const char *p = raw; p < e; p++)
        if (*p >= '0' && *p <= '9') kept[count++] = *p;
    while (count > 1 && kept[count - 1] == '0') count--;
    const int exponent = (int)strtol(e + 1, NULL, 10);
    if (x < 0 && kept[0] != '0') append(text, "−");
    if (exponent >= -4 && exponent < 6) {
        append_plain(text, kept, count, exponent + 1);
        return text;
    }
    if (count > 1 || kept[0] != '1') {
        append_plain(text, kept, count, 1);
        append(text, "×");
    }
    append_power(text, exponent);
    return text;
}

const char *s3svm_fixed_text(double x, int decimals, char text[S3SVM_NUMBER_TEXT])
{
    if (!isfinite(x) || fabs(x) >= 1e9 || decimals < 0 || decimals > 9) return s3svm_number_text(x, 4, text);
    const long long unit = llround(pow(10, decimals)), size = llround(fabs(x) * (double)unit);
    if (size == 0 && x != 0 && fabs(x) < 1e-4) return s3svm_number_text(x, 2, text);
    const char *sign = x < 0 && size > 0 ? "−" : "";
    if (decimals)
        snprintf(text, S3SVM_NUMBER_TEXT, "%s%lld.%0*lld", sign, size / unit, decimals, size % unit);
    else
        snprintf(text, S3SVM_NUMBER_TEXT, "%s%lld", sign, size);
    return text;
}

int s3svm_decimals(size_t count, const double x[], int digits)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(x[i])) most = fmax(most, fabs(x[i]));
    if (!(most > 0)) return 0;
    const int decimals = digits - 1 - (int)floor(log10(most) + 1e-9);
    return decimals < 0 ? 0 : decimals > 9 ? 9 : decimals;
}
