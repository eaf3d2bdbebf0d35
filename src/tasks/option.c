/* option.c - finds options by name, and sets them from text. */
#include <s3svm/option.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"

const s3svm_option *s3svm_option_find(const s3svm_option options[], const char *name)
{
    for (const s3svm_option *o = options; o->name; o++)
        if (!strcmp(o->name, name)) return o;
    return NULL;
}

/* ---------------------------------------------------------------- texts of values */

/* Digits up to where they end, which *end receives; false where there is none, or too many for 64 bits. */
static bool digits_parse(const char *text, const char **end, uint64_t *number)
{
    uint64_t n = 0;
    const char *p = text;
    for (; *p >= '0' && *p <= '9'; p++) {
        const uint64_t digit = (uint64_t)(*p - '0');
        if (n > (UINT64_MAX - digit) / 10) return false;
        n = 10 * n + digit;
    }
    *end = p;
    *number = n;
    return p > text;
}

static bool integer_parse(const char *text, int64_t *number)
{
    const bool negative = *text == '-';
    const char *end;
    uint64_t size;
    if (!digits_parse(text + (negative || *text == '+'), &end, &size) || *end || size > INT64_MAX) return false;
    *number = negative ? -(int64_t)size : (int64_t)size;
    return true;
}

static bool bytes_parse(const char *text, size_t *bytes)
{
    static const char UNITS[] = "KMG";
    const char *end;
    uint64_t number;
    if (!digits_parse(text, &end, &number)) return false;
    const char *unit = *end ? strchr(UNITS, *end) : NULL;
    if (*end && (!unit || end[1])) return false;
    const unsigned shift = unit ? 10 * (unsigned)(unit - UNITS + 1) : 0;
    if (number > SIZE_MAX >> shift) return false;
    *bytes = (size_t)number << shift;
    return true;
}

static bool real_parse(const char *text, size_t length, double *x)
{
    double found;
    if (!sos_number_parse(text, length, &found) || !isfinite(found)) return false;
    *x = found;
    return true;
}

bool s3svm_reals_parse(const char *text, size_t most, s3svm_reals *out)
{
    s3svm_reals found = { 0 };
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        if (found.count == S3SVM_REALS_MAX || found.count == most) return false;
        if (!real_parse(at, length, &found.values[found.count++])) return false;
        at += length;
        if (!*at) break;
    }
    *out = found;
    return true;
}

static bool sides_parse(const char *text, s3svm_sides *out)
{
    uint64_t width, height;
    const char *end;
    if (!digits_parse(text, &end, &width) || *end != 'x') return false;
    if (!digits_parse(end + 1, &end, &height) || *end || width > SIZE_MAX || height > SIZE_MAX) return false;
    *out = (s3svm_sides){ (size_t)width, (size_t)height };
    return true;
}

static bool texts_add(const char *text, s3svm_texts *out)
{
    if (out->count == S3SVM_TEXTS_MAX) return false;
    out->values[out->count++] = text;
    return true;
}

static bool sequence_add(const s3svm_option *o, const char *text, s3svm_sequence *out)
{
    if (out->count == S3SVM_SEQUENCE_MAX) return false;
    out->items[out->count].option = o;
    out->items[out->count++].text = text;
    return true;
}

/* The number of the word in "first|second|third". */
static bool choice_parse(const char *choices, const char *word, int *out)
{
    const size_t length = strlen(word);
    for (int number = 0;; number++) {
        const size_t letters = strcspn(choices, "|");
        if (letters == length && !memcmp(choices, word, length)) {
            *out = number;
            return true;
        }
        if (!choices[letters]) return false;
        choices += letters + 1;
    }
}

static bool flag_parse(const char *text, bool *out)
{
    const bool off = text && !strcmp(text, "false");
    if (text && !off && strcmp(text, "true") != 0) return false;
    *out = !off;
    return true;
}

/* ---------------------------------------------------------------- setting them */

static bool value_set(const s3svm_option *o, const char *text, void *value)
{
    switch (o->kind) {
    case S3SVM_OPTION_FLAG: return flag_parse(text, value);
    case S3SVM_OPTION_TEXT: *(const char **)value = text; return true;
    case S3SVM_OPTION_REAL: return real_parse(text, strlen(text), value);
    case S3SVM_OPTION_BYTES: return bytes_parse(text, value);
    case S3SVM_OPTION_CHOICE: return choice_parse(o->argument, text, value);
    case S3SVM_OPTION_REALS: return s3svm_reals_parse(text, (size_t)o->most, value);
    case S3SVM_OPTION_SIDES: return sides_parse(text, value);
    case S3SVM_OPTION_TEXTS: return texts_add(text, value);
    case S3SVM_OPTION_SEQUENCE: return sequence_add(o, text, value);
    case S3SVM_OPTION_INTEGER: break;
    }
    int64_t number;
    if (!integer_parse(text, &number) || number < o->least || number > o->most) return false;
    *(int64_t *)value = number;
    return true;
}

static sos_status refuse(const s3svm_option *o, const char *text, sos_error *error)
{
    const sos_status status = SOS_ERR_ARGUMENT;
    switch (o->kind) {
    case S3SVM_OPTION_FLAG: return sos_fail(error, status, "--%s takes true or false, not '%.200s'", o->name, text);
    case S3SVM_OPTION_INTEGER:
        return sos_fail(error, status, "--%s takes an integer from %lld to %lld, not '%.200s'", o->name, (long long)o->least,
                        (long long)o->most, text);
    case S3SVM_OPTION_BYTES:
        return sos_fail(error, status, "--%s takes a number of bytes such as 500M or 2G, not '%.200s'", o->name, text);
    case S3SVM_OPTION_CHOICE: return sos_fail(error, status, "--%s takes one of %s, not '%.200s'", o->name, o->argument, text);
    case S3SVM_OPTION_SIDES:
        return sos_fail(error, status, "--%s takes width and height such as 400x200, not '%.200s'", o->name, text);
    case S3SVM_OPTION_REALS:
        if (o->most > 1)
            return sos_fail(error, status, "--%s takes up to %lld numbers such as 0.5,0.7,1, not '%.200s'", o->name,
                            (long long)o->most, text);
        break;
    case S3SVM_OPTION_TEXTS:
    case S3SVM_OPTION_SEQUENCE:
        return sos_fail(error, status, "--%s can be given %d times; '%.200s' is one too many", o->name,
                        o->kind == S3SVM_OPTION_TEXTS ? S3SVM_TEXTS_MAX : S3SVM_SEQUENCE_MAX, text);
    case S3SVM_OPTION_TEXT:
    case S3SVM_OPTION_REAL: break;
    }
    return sos_fail(error, status, "--%s takes a number, not '%.200s'", o->name, text);
}

sos_status s3svm_option_set(const s3svm_option *o, void *settings, const char *text, sos_error *error)
{
    if (!text && o->kind != S3SVM_OPTION_FLAG) return sos_fail(error, SOS_ERR_ARGUMENT, "--%s needs a value", o->name);
    return value_set(o, text, (char *)settings + o->offset) ? SOS_OK : refuse(o, text, error);
}

void *s3svm_form_create(const s3svm_form *form)
{
    void *settings = calloc(1, form->size);
    if (settings) form->defaults(settings);
    return settings;
}
