/* json.c - writes JSON. */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"

/* One character of a text that is to stand in quotes; bytes: those it had. */
static void character_put(FILE *file, uint32_t c, const char *bytes, size_t length)
{
    static const char escaped[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *found = c < 0x80 ? strchr(escaped, (int)c) : NULL;
    if (found)
        fprintf(file, "\\%c", letters[found - escaped]);
    else if (c < 0x20 || c == 0x7f)
        fprintf(file, "\\u%04x", (unsigned)c);
    else if (c == SOS_UTF8_REPLACEMENT)
        fputs("\xef\xbf\xbd", file);
    else
        fwrite(bytes, 1, length, file);
}

static void quoted_put(FILE *file, const char *text)
{
    fputc('"', file);
    uint32_t c;
    for (const char *from = text; (c = sos_utf8_next(&text)); from = text) character_put(file, c, from, (size_t)(text - from));
    fputc('"', file);
}

static bool on_one_line(const sos_json *j) { return j->line || j->row; }

static void line_begin(const sos_json *j, int indent) { fprintf(j->file, "\n%*s", indent, ""); }

/* What stands before a value: comma, new line and name. */
static void lead(sos_json *j, const char *name)
{
    if (j->filled) fputc(',', j->file);
    if (on_one_line(j) && j->filled) fputc(' ', j->file);
    if (j->depth && !on_one_line(j)) line_begin(j, 2 * j->depth);
    if (name) {
        quoted_put(j->file, name);
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

void sos_json_open_row(sos_json *j, const char *name, char bracket)
{
    sos_json_open(j, name, bracket);
    if (!j->row) j->row = j->depth;
}

void sos_json_close(sos_json *j, char bracket)
{
    if (j->filled && !on_one_line(j)) line_begin(j, 2 * (j->depth - 1));
    fputc(bracket, j->file);
    if (j->row == j->depth) j->row = 0;
    j->depth--;
    j->filled = true;
    if (!j->depth && !j->part) fputc('\n', j->file);
}

void sos_json_text(sos_json *j, const char *name, const char *text)
{
    lead(j, name);
    quoted_put(j->file, text);
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

void sos_json_raw(sos_json *j, const char *name, const char *json)
{
    lead(j, name);
    fputs(json, j->file);
}

static void real_put(FILE *file, double x)
{
    char text[SOS_REAL_TEXT];
    fputs(isfinite(x) ? sos_number_print(x, text) : "null", file);
}

void sos_json_real(sos_json *j, const char *name, double x)
{
    lead(j, name);
    real_put(j->file, x);
}

void sos_json_reals(sos_json *j, size_t count, const double x[], size_t on_a_line)
{
    const int indent = j->row ? 2 * j->row - 1 : 2 * j->depth; /* in a row: behind its bracket */
    for (size_t i = 0; i < count; i++) {
        const bool turn = i && on_a_line && i % on_a_line == 0;
        if (!i) lead(j, NULL);
        if (i) fputs(turn ? "," : ", ", j->file);
        if (turn) line_begin(j, indent);
        real_put(j->file, x[i]);
    }
}

void sos_json_floats(sos_json *j, const char *name, size_t count, const float x[])
{
    char text[SOS_REAL_TEXT];
    sos_json_open_row(j, name, '[');
    for (size_t i = 0; i < count; i++) sos_json_raw(j, NULL, isfinite(x[i]) ? sos_number_print_float(x[i], text) : "null");
    sos_json_close(j, ']');
}
