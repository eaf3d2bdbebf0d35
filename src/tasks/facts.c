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
