#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#endif

#include "tasks/facts.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static bool expect(sos_facts *f, bool holds, const char *what)
{
    if (!f->wrong && !holds) f->wrong = what;
    return !f->wrong;
}

static void space_pass(sos_facts *f)
{
    while (*f->at == ' ' || *f->at == '\t' || *f->at == '\n' || *f->at == '\r') f->at++;
}

sos_facts sos_facts_begin(const sos_model *m, const char *key)
{
    const char *text = sos_model_fact(m, key);
    return (sos_facts){ .key = key, .text = text, .at = text, .wrong = text ? NULL : "the fact itself" };
}

bool sos_facts_has(sos_facts *f, char mark)
{
    if (f->wrong) return false;
    space_pass(f);
    if (*f->at != mark) return false;
    f->at++;
    return true;
}

void sos_facts_mark(sos_facts *f, char mark)
{
    static const char *const known[] = { "'{'", "'}'", "'['", "']'", "','", "':'", "'\"'" };
    const char *what = "another character";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i][1] == mark) what = known[i];
    expect(f, sos_facts_has(f, mark), what);
}

void sos_facts_text(sos_facts *f, size_t room, char out[])
{
    out[0] = '\0';
    sos_facts_mark(f, '"');
    if (f->wrong) return;
    size_t n = 0;
    for (; n < room && f->at[n] >= ' ' && f->at[n] < 127 && f->at[n] != '"' && f->at[n] != '\\'; n++) {}
    if (!expect(f, n < room && f->at[n] == '"', "a short text")) return;
    memcpy(out, f->at, n);
    out[n] = '\0';
    f->at += n + 1;
}

void sos_facts_name(sos_facts *f, const char *name)
{
    const size_t length = strlen(name);
    sos_facts_mark(f, '"');
    if (f->wrong || !expect(f, !strncmp(f->at, name, length) && f->at[length] == '"', name)) return;
    f->at += length + 1;
    sos_facts_mark(f, ':');
}

void sos_facts_next(sos_facts *f, const char *name)
{
    sos_facts_mark(f, ',');
    sos_facts_name(f, name);
}

/* strtod reads more than JSON has: hexadecimal digits, infinities. */
double sos_facts_real(sos_facts *f)
{
    if (f->wrong) return 0;
    space_pass(f);
    const size_t length = strspn(f->at, "+-.0123456789eE");
    char *end = NULL;
    const double x = length ? strtod(f->at, &end) : 0;
    if (!expect(f, length && end == f->at + length && isfinite(x), "a number")) return 0;
    f->at += length;
    return x;
}

size_t sos_facts_count(sos_facts *f, size_t min, size_t max)
{
    const char *before = f->at;
    const double x = sos_facts_real(f);
    if (f->wrong) return min;
    if (x >= (double)min && x <= (double)max && x == rint(x)) return (size_t)x;
    f->at = before;
    expect(f, false, "an integer within its bounds");
    return min;
}

size_t sos_facts_reals(sos_facts *f, size_t min, size_t max, float out[])
{
    size_t n = 0;
    sos_facts_mark(f, '[');
    while (!f->wrong) {
        const double x = sos_facts_real(f);
        if (!expect(f, n < max, "the end of the list") || !expect(f, fabs(x) <= (double)FLT_MAX, "a smaller number")) break;
        out[n++] = (float)x;
        if (!sos_facts_has(f, ',')) break;
    }
    if (expect(f, n >= min, "a longer list")) sos_facts_mark(f, ']');
    return f->wrong ? 0 : n;
}

sos_status sos_facts_end(sos_facts *f, sos_error *error)
{
    if (!f->wrong) {
        space_pass(f);
        expect(f, *f->at == '\0', "its end");
    }
    if (!f->wrong) return SOS_OK;
    return sos_fail(error, SOS_ERR_FORMAT, "the model's fact \"%s\", byte %zu: expected %s", f->key,
                    f->text ? (size_t)(f->at - f->text) : 0, f->wrong);
}

sos_status sos_facts_kind(sos_facts *f, size_t most, size_t room, char name[], sos_error *error)
{
    sos_facts_mark(f, '{');
    sos_facts_name(f, "version");
    const size_t version = sos_facts_count(f, 1, 1000000);
    sos_facts_next(f, "model");
    sos_facts_text(f, room, name);
    if (f->wrong) return sos_facts_end(f, error);
    if (version <= most) return SOS_OK;
    return sos_fail(error, SOS_ERR_FORMAT, "the model's features have version %zu; this program knows up to %zu", version,
                    most);
}

/* ---------------------------------------------------------------- whole facts */

sos_status sos_facts_task(const sos_model *m, const char *task, sos_error *error)
{
    char found[32];
    if (!sos_model_fact(m, "task"))
        return sos_fail(error, SOS_ERR_FORMAT, "a model for no task, not for \"%s\": it has no fact \"task\"", task);
    sos_facts f = sos_facts_begin(m, "task");
    sos_facts_text(&f, sizeof found, found);
    const sos_status status = sos_facts_end(&f, error);
    if (status || !strcmp(found, task)) return status;
    return sos_fail(error, SOS_ERR_FORMAT, "a model for the task \"%s\", not \"%s\"", found, task);
}

static bool group_is(const sos_group *a, const sos_group *b)
{
    return !strcmp(a->name, b->name) && a->kind == b->kind && a->size == b->size && a->anchored == b->anchored &&
           a->swap == b->swap && a->patch_width == b->patch_width && a->patch_height == b->patch_height;
}

bool sos_facts_groups(const sos_model *m, size_t count, const sos_group groups[])
{
    bool same = sos_model_groups(m) == count;
    for (uint32_t g = 0; same && g < count; g++) same = group_is(sos_model_group(m, g), &groups[g]);
    return same;
}

sos_status sos_facts_set(sos_model *m, const char *key, sos_facts_writer *write, const void *data, sos_error *error)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    if (file) write(file, data);
    const bool whole = file && !ferror(file);
    const bool closed = file && !fclose(file);
    const sos_status status = whole && closed ? sos_model_set_fact(m, key, text, error)
                                              : sos_fail(error, SOS_ERR_MEMORY, "no memory for the facts of a model");
    free(text);
    return status;
}

void sos_facts_print(FILE *file, size_t count, const float x[])
{
    fputs("[", file);
    for (size_t i = 0; i < count; i++) fprintf(file, "%s%.9g", i ? ", " : "", (double)x[i]);
    fputs("]", file);
}
