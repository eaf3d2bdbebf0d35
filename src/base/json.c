#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static void quoted(FILE *file, const char *text)
{
    fputc('"', file);
    for (const char *p = text; *p; p++) {
        const unsigned char c = (unsigned char)*p;
        if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            fprintf(file, "\\u%04x", c);
        else
            fputc(c, file);
    }
    fputc('"', file);
}

static void lead(sos_json *j, const char *name)
{
    if (j->filled) fputc(',', j->file);
    if (j->line && j->filled) fputc(' ', j->file);
    if (j->depth && !j->line) fprintf(j->file, "\n%*s", 2 * j->depth, "");
    if (name) {
        quoted(j->file, name);
        fputs(": ", j->file);
    }
    j->filled = true;
}

void sos_json_open(sos_json *j, const char *name, char bracket)
{
    lead(j, name);
    fputc(bracket, j->file);
    j->depth++;
    j->filled = false;
}

void sos_json_close(sos_json *j, char bracket)
{
    j->depth--;
    if (j->filled && !j->line) fprintf(j->file, "\n%*s", 2 * j->depth, "");
    fputc(bracket, j->file);
    j->filled = true;
    if (!j->depth) fputc('\n', j->file);
}

void sos_json_text(sos_json *j, const char *name, const char *text)
{
    lead(j, name);
    quoted(j->file, text);
}

/* The programs never set a locale, so the decimal point is a point. */
const char *sos_json_real_text(double x, char text[SOS_JSON_REAL_TEXT])
{
    if (x == rint(x) && fabs(x) <= 0x1p53) {
        snprintf(text, SOS_JSON_REAL_TEXT, "%" PRId64, (int64_t)x);
        return text;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, SOS_JSON_REAL_TEXT, "%.*g", digits, x);
        if (strtod(text, NULL) == x) break;
    }
    return text;
}

void sos_json_real(sos_json *j, const char *name, double x)
{
    char text[SOS_JSON_REAL_TEXT];
    lead(j, name);
    fputs(isfinite(x) ? sos_json_real_text(x, text) : "null", j->file);
}

void sos_json_count(sos_json *j, const char *name, uint64_t x)
{
    lead(j, name);
    fprintf(j->file, "%" PRIu64, x);
}

void sos_json_truth(sos_json *j, const char *name, bool x)
{
    lead(j, name);
    fputs(x ? "true" : "false", j->file);
}
