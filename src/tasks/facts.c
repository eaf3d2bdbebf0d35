#include "tasks/facts.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/output.h"

/* ---------------------------------------------------------------- reading */

void s3svm_facts_wrong(s3svm_facts *f, const char *format, ...)
{
    char message[300];
    if (f->status) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    f->status = sos_fail(f->error, SOS_ERR_FORMAT, "the model's fact \"%s\": %s", f->key, message);
}

s3svm_facts s3svm_facts_open(const sos_model *m, const char *key, sos_error *error)
{
    s3svm_facts f = { .key = key, .error = error };
    const char *text = sos_model_fact(m, key);
    char name[100];
    snprintf(name, sizeof name, "the model's fact \"%s\"", key);
    if (text)
        f.status = sos_json_read(text, strlen(text), name, &f.whole, error);
    else
        f.status = sos_fail(error, SOS_ERR_FORMAT, "the model has no fact \"%s\"", key);
    return f;
}

sos_status s3svm_facts_close(s3svm_facts *f)
{
    const sos_status status = f->status;
    sos_json_free(f->whole);
    *f = (s3svm_facts){ 0 };
    return status;
}

static const sos_json_value *member(const s3svm_facts *f, const sos_json_value *object, const char *name)
{
    return f->status ? NULL : sos_json_value_member(object, name);
}

/* Texts appear in messages and reports: nothing that a terminal would act on. */
static bool is_plain(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f) return false;
    return true;
}

static void text_take(s3svm_facts *f, const sos_json_value *v, const char *what, size_t room, char out[])
{
    const char *text = f->status ? NULL : sos_json_value_text(v);
    out[0] = '\0';
    if (text && strlen(text) < room && is_plain(text))
        memcpy(out, text, strlen(text) + 1);
    else
        s3svm_facts_wrong(f, "%s must be a string of fewer than %zu bytes, on one line", what, room);
}

/* A member's name in quotes, for messages. */
enum { NAME_TEXT = 80 };
static const char *quoted(const char *name, char text[NAME_TEXT])
{
    snprintf(text, NAME_TEXT, "\"%s\"", name);
    return text;
}

void s3svm_facts_text(s3svm_facts *f, const sos_json_value *object, const char *name, size_t room, char out[])
{
    char what[NAME_TEXT];
    text_take(f, member(f, object, name), quoted(name, what), room, out);
}

double s3svm_facts_real(s3svm_facts *f, const sos_json_value *object, const char *name)
{
    const double x = sos_json_value_number(member(f, object, name));
    if (!isfinite(x)) s3svm_facts_wrong(f, "\"%s\" must be a number", name);
    return f->status ? 0 : x;
}

size_t s3svm_facts_count(s3svm_facts *f, const sos_json_value *object, const char *name, size_t min, size_t max)
{
    const double x = sos_json_value_number(member(f, object, name));
    if (!(x >= (double)min && x <= (double)max && x == rint(x)))
        s3svm_facts_wrong(f, "\"%s\" must be an integer, %zu to %zu", name, min, max);
    return f->status ? min : (size_t)x;
}

/* "must be a list of 2 to 9 numbers" */
static void size_wrong(s3svm_facts *f, const char *what, size_t min, size_t max, const char *things)
{
    if (min == max)
        s3svm_facts_wrong(f, "%s must be a list of %zu %s", what, min, things);
    else
        s3svm_facts_wrong(f, "%s must be a list of %zu to %zu %s", what, min, max, things);
}

static bool is_list(const sos_json_value *v, size_t min, size_t max)
{
    const size_t size = sos_json_value_size(v);
    return sos_json_value_kind(v) == SOS_JSON_LIST && size >= min && size <= max;
}

const sos_json_value *s3svm_facts_list(s3svm_facts *f, const sos_json_value *object, const char *name, size_t min, size_t max)
{
    const sos_json_value *v = member(f, object, name);
    char what[NAME_TEXT];
    if (!is_list(v, min, max)) size_wrong(f, quoted(name, what), min, max, "values");
    return f->status ? NULL : v;
}

size_t s3svm_facts_numbers(s3svm_facts *f, const sos_json_value *list, const char *what, size_t min, size_t max, float out[])
{
    if (!is_list(list, min, max)) size_wrong(f, what, min, max, "numbers");
    const size_t count = f->status ? 0 : sos_json_value_size(list);
    for (size_t i = 0; i < count && !f->status; i++) {
        const double x = sos_json_value_number(sos_json_value_item(list, i));
        if (isnan(x)) s3svm_facts_wrong(f, "number %zu of %s is not a number", i, what);
        if (fabs(x) > (double)FLT_MAX) s3svm_facts_wrong(f, "number %zu of %s is too large", i, what);
        if (!f->status) out[i] = (float)x;
    }
    return f->status ? 0 : count;
}

size_t s3svm_facts_reals(s3svm_facts *f, const sos_json_value *object, const char *name, size_t min, size_t max, float out[])
{
    char what[NAME_TEXT];
    return s3svm_facts_numbers(f, member(f, object, name), quoted(name, what), min, max, out);
}

void s3svm_facts_members(s3svm_facts *f, const sos_json_value *object, const char *const names[])
{
    if (f->status) return;
    const char *stranger = sos_json_value_stranger(object, names);
    char shown[60];
    if (sos_json_value_kind(object) != SOS_JSON_OBJECT)
        s3svm_facts_wrong(f, "it must be an object");
    else if (stranger)
        s3svm_facts_wrong(f, "there is no member \"%s\"", sos_harmless(stranger, sizeof shown, shown));
}

void s3svm_facts_kind(s3svm_facts *f, size_t most, size_t room, char name[])
{
    const size_t version = s3svm_facts_count(f, f->whole, "version", 1, 1000000);
    if (!f->status && version > most)
        f->status = sos_fail(f->error, SOS_ERR_FORMAT, "the model's features have version %zu; this program supports up to %zu",
                             version, most);
    s3svm_facts_text(f, f->whole, "model", room, name);
}

/* ---------------------------------------------------------------- whole facts */

sos_status s3svm_facts_task_name(const sos_model *m, size_t room, char name[], sos_error *error)
{
    if (!sos_model_fact(m, "task"))
        return sos_fail(error, SOS_ERR_FORMAT, "the model is not for pictures: it has no fact \"task\"");
    s3svm_facts f = s3svm_facts_open(m, "task", error);
    text_take(&f, f.whole, "it", room, name);
    return s3svm_facts_close(&f);
}

sos_status s3svm_facts_task(const sos_model *m, const char *task, sos_error *error)
{
    char found[32];
    if (!sos_model_fact(m, "task"))
        return sos_fail(error, SOS_ERR_FORMAT, "the model has no task, and cannot be used for \"%s\": it has no fact \"task\"",
                        task);
    const sos_status status = s3svm_facts_task_name(m, sizeof found, found, error);
    if (status || !strcmp(found, task)) return status;
    return sos_fail(error, SOS_ERR_FORMAT, "a model for the task \"%s\", not \"%s\"", found, task);
}

static bool classes_are(const sos_group *a, const sos_group *b)
{
    if (!a->class_of || !b->class_of) return a->class_of == b->class_of;
    return !memcmp(a->class_of, b->class_of, sizeof *a->class_of << a->size);
}

/* Shares are kept to 1 / SOS_SHARE_UNIT. */
static bool curves_are(const sos_group *a, const sos_group *b)
{
    if (!a->shares != !b->shares) return false;
    bool same = (a->strengths ? a->strengths : 1) == (b->strengths ? b->strengths : 1);
    for (size_t j = 0; same && a->shares && j < a->size; j++) same = fabs(a->shares[j] - b->shares[j]) < 1.0 / SOS_SHARE_UNIT;
    return same;
}

static bool group_is(const sos_group *a, const sos_group *b)
{
    return !strcmp(a->name, b->name) && a->kind == b->kind && a->size == b->size && a->anchored == b->anchored &&
           a->swap == b->swap && a->patch_width == b->patch_width && a->patch_height == b->patch_height &&
           a->reversal == b->reversal && a->counted == b->counted && classes_are(a, b) && curves_are(a, b);
}

bool s3svm_facts_groups(const sos_model *m, size_t count, const sos_group groups[])
{
    bool same = sos_model_groups(m) == count + (sos_model_fact(m, "maps") != NULL);
    for (uint32_t g = 0; same && g < count; g++) same = group_is(sos_model_group(m, g), &groups[g]);
    return same;
}

/* ---------------------------------------------------------------- writing */

sos_status s3svm_facts_set(sos_model *m, const char *key, s3svm_facts_writer *write, const void *data, sos_error *error)
{
    sos_output o;
    char *text = NULL;
    size_t length;
    sos_status status = sos_output_open_memory(&o, error);
    if (status) return status;
    write(&(sos_json){ .file = o.file, .line = true, .part = true }, data);
    status = sos_output_take(&o, &text, &length);
    if (!status) status = sos_model_set_fact(m, key, text, error);
    free(text);
    return status;
}

static void text_write(sos_json *j, const void *text) { sos_json_text(j, NULL, text); }

sos_status s3svm_facts_set_text(sos_model *m, const char *key, const char *text, sos_error *error)
{
    return s3svm_facts_set(m, key, text_write, text, error);
}
