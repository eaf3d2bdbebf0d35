/* names.c - names and colours of labels. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include <s3svm/label.h>

/* The first are as far apart as possible for most eyes; later ones go around the circle of hues in golden steps. */
static uint32_t usual_colour(size_t label)
{
    static const uint32_t first[] = { 0xb03a2e, 0xf5d76e, 0x2874a6, 0xeaf2f8, 0x1e8449, 0xa6763d,
                                      0x85c1e9, 0x7d3c98, 0xff8c00, 0x17a589, 0xff69b4, 0x555555 };
    if (label < sizeof first / sizeof *first) return first[label];
    const double hue = 6 * fmod(0.61803398875 * (double)label, 1);
    uint32_t colour = 0;
    for (int c = 0; c < 3; c++) {
        const double away = fabs(fmod(hue + 6 - 2 * c, 6) - 3); /* 3 at the hue of the channel, 0 opposite */
        const double light = 0.25 + 0.6 * fmin(1, fmax(0, away - 1));
        colour = colour << 8 | (uint32_t)(255 * light);
    }
    return colour;
}

static sos_status count_check(size_t count, sos_error *error)
{
    if (count >= 2 && count <= SOS_LABELS_MAX) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "%zu label%s; there must be 2 to %d", count, count == 1 ? "" : "s",
                    SOS_LABELS_MAX);
}

sos_status s3svm_label_names_default(size_t count, s3svm_label_names *out, sos_error *error)
{
    const sos_status status = count_check(count, error);
    if (status) return status;
    memset(out, 0, sizeof *out);
    out->count = count;
    out->unknown = S3SVM_LABEL_VOID;
    for (size_t l = 0; l < count; l++) {
        snprintf(out->name[l], S3SVM_LABEL_NAME, "label %zu", l);
        out->colour[l] = usual_colour(l);
    }
    return SOS_OK;
}

/* One of the list: name, or name=colour. */
static sos_status name_parse(const char *text, size_t length, size_t label, s3svm_label_names *out, sos_error *error)
{
    const char *equals = memchr(text, '=', length);
    const size_t letters = equals ? (size_t)(equals - text) : length;
    if (!letters || letters >= S3SVM_LABEL_NAME)
        return sos_fail(error, SOS_ERR_ARGUMENT, "the name of label %zu has %zu characters; 1 to %d are possible", label,
                        letters, S3SVM_LABEL_NAME - 1);
    for (size_t i = 0; i < letters; i++)
        if (text[i] < ' ' || text[i] == '"' || text[i] == '\\' || text[i] == 127 || (unsigned char)text[i] > 127)
            return sos_fail(error, SOS_ERR_ARGUMENT, "the name of label %zu has a character that is not allowed", label);
    memcpy(out->name[label], text, letters);
    out->name[label][letters] = '\0';
    out->colour[label] = usual_colour(label);
    if (!equals) return SOS_OK;
    const char *colour = equals + 1 + (equals[1] == '#');
    const size_t digits = length - (size_t)(colour - text);
    if (digits != 6 || strspn(colour, "0123456789abcdefABCDEF") < 6)
        return sos_fail(error, SOS_ERR_ARGUMENT, "the colour of label %zu, '%.*s', is not of the form rrggbb", label,
                        (int)(length - letters - 1), equals + 1);
    out->colour[label] = (uint32_t)strtoul(colour, NULL, 16);
    return SOS_OK;
}

static sos_status list_parse(const char *text, s3svm_label_names *n, sos_error *error)
{
    for (const char *at = text;;) {
        const size_t length = strcspn(at, ",");
        if (n->count == SOS_LABELS_MAX) return count_check(n->count + 1, error);
        const sos_status status = name_parse(at, length, n->count, n, error);
        if (status) return status;
        for (size_t l = 0; l < n->count; l++)
            if (!strcmp(n->name[l], n->name[n->count]))
                return sos_fail(error, SOS_ERR_ARGUMENT, "two labels have the name '%s'", n->name[l]);
        n->count++;
        at += length;
        if (!*at++) return count_check(n->count, error);
    }
}

sos_status s3svm_label_names_parse(const char *text, s3svm_label_names *out, sos_error *error)
{
    s3svm_label_names *n = calloc(1, sizeof *n); /* large, and not every thread has a deep stack */
    if (!n) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the names of labels");
    n->unknown = S3SVM_LABEL_VOID;
    const sos_status status = list_parse(text, n, error);
    if (!status) *out = *n;
    free(n);
    return status;
}
