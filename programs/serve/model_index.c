#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE
#endif

#include "model_index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/json.h"
#include "base/json_read.h"
#include "base/output.h"
#include "server.h"

static const char INDEX[] = "index.json", FORMAT[] = "s3svm models", FILES[] = "learned-";
enum { MODEL_BYTES_MAX = 256 << 20 };

const listed_model *model_index_find(const model_index *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++)
        if (!strcmp(s->list[i].name, name)) return &s->list[i];
    return NULL;
}

/* ---------------------------------------------------------------- reading the index */

static size_t count_of(const sos_json_value *v)
{
    const double x = sos_json_value_number(v);
    return x >= 0 && x < 1e9 ? (size_t)x : 0;
}

/* Only names that this program gives: a file of another name is never opened. */
static bool model_name_read(const sos_json_value *v, char name[MODEL_INDEX_NAME])
{
    const char *text = sos_json_value_text(v);
    const size_t head = strlen(FILES);
    if (!text || strlen(text) >= MODEL_INDEX_NAME || strncmp(text, FILES, head) != 0 || !text[head]) return false;
    if (text[head + strspn(text + head, "0123456789")]) return false;
    memcpy(name, text, strlen(text) + 1);
    return true;
}

static void model_entry_read(const sos_json_value *v, model_index *s)
{
    listed_model m = { .photographs = count_of(sos_json_value_member(v, "photographs")),
                       .before = { sos_json_value_number(sos_json_value_member(v, "clicks_before")),
                                   sos_json_value_number(sos_json_value_member(v, "error_before")) },
                       .after = { sos_json_value_number(sos_json_value_member(v, "clicks_after")),
                                  sos_json_value_number(sos_json_value_member(v, "error_after")) },
                       .better = sos_json_value_truth(sos_json_value_member(v, "better")) };
    const char *made = sos_json_value_text(sos_json_value_member(v, "made"));
    if (s->count == MODEL_INDEX_MAX || !model_name_read(sos_json_value_member(v, "name"), m.name)) return;
    snprintf(m.made, sizeof m.made, "%s", made ? made : "");
    s->list[s->count++] = m;
}

static sos_status index_parse(const char *text, size_t length, model_index *s, sos_error *error)
{
    sos_json_value *whole;
    const sos_status status = sos_json_read(text, length, INDEX, &whole, error);
    if (status) return status;
    const sos_json_value *list = sos_json_value_member(whole, "models");
    for (size_t i = 0; i < sos_json_value_size(list); i++) model_entry_read(sos_json_value_item(list, i), s);
    if (!model_name_read(sos_json_value_member(whole, "current"), s->current)) snprintf(s->current, MODEL_INDEX_NAME, "inside");
    sos_json_free(whole);
    return SOS_OK;
}

sos_status model_index_read(folder *f, model_index *out, sos_error *error)
{
    char *text;
    size_t length;
    *out = (model_index){ .current = "inside" };
    const stamp there = directory_stamp(f->models, INDEX);
    if (!stamp_is_there(&there)) return SOS_OK;
    sos_status status = directory_read(f->models, INDEX, JSON_MAX, &text, &length, error);
    if (status) return status;
    status = index_parse(text, length, out, error);
    free(text);
    return status;
}

/* ---------------------------------------------------------------- writing it */

static sos_status index_write(folder *f, const model_index *s, sos_error *error)
{
    sos_output out;
    char *text;
    size_t length;
    sos_status status = sos_output_open_memory(&out, error);
    if (status) return status;
    sos_json j = { .file = out.file };
    sos_json_open(&j, NULL, '{');
    sos_json_text(&j, "format", FORMAT);
    sos_json_count(&j, "version", 1);
    sos_json_text(&j, "current", s->current);
    sos_json_open(&j, "models", '[');
    for (size_t i = 0; i < s->count; i++) {
        const listed_model *m = &s->list[i];
        sos_json_open_row(&j, NULL, '{');
        sos_json_text(&j, "name", m->name);
        sos_json_text(&j, "made", m->made);
        sos_json_count(&j, "photographs", m->photographs);
        sos_json_real(&j, "clicks_before", m->before.clicks);
        sos_json_real(&j, "clicks_after", m->after.clicks);
        sos_json_real(&j, "error_before", m->before.error);
        sos_json_real(&j, "error_after", m->after.error);
        sos_json_truth(&j, "better", m->better);
        sos_json_close(&j, '}');
    }
    sos_json_close(&j, ']');
    sos_json_close(&j, '}');
    status = sos_output_take(&out, &text, &length);
    if (status) return status;
    status = directory_write(f->models, INDEX, text, length, error);
    free(text);
    return status;
}

/* ---------------------------------------------------------------- models */

static void file_name(const char *name, char file[MODEL_INDEX_NAME + 8])
{
    snprintf(file, MODEL_INDEX_NAME + 8, "%s.json", name);
}

/* The first number that no file has. */
static void name_choose(const folder *f, char name[MODEL_INDEX_NAME])
{
    char file[MODEL_INDEX_NAME + 8];
    stamp there;
    size_t number = 0;
    do {
        snprintf(name, MODEL_INDEX_NAME, "%s%zu", FILES, ++number);
        file_name(name, file);
        there = directory_stamp(f->models, file);
    } while (stamp_is_there(&there));
}

static void date_print(char text[32])
{
    const time_t now = time(NULL);
    struct tm parts;
    if (!gmtime_r(&now, &parts) || !strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &parts)) *text = '\0';
}

/* The oldest that is not used is forgotten where there are too many; its file stays. */
static void oldest_forget(model_index *s)
{
    const size_t oldest = !strcmp(s->list[0].name, s->current);
    memmove(s->list + oldest, s->list + oldest + 1, (s->count - oldest - 1) * sizeof *s->list);
    s->count--;
}

sos_status model_index_add(folder *f, model_index *s, const sos_model *m, const s3svm_adapt_result *result, sos_error *error)
{
    listed_model k = {
        .photographs = result->photographs, .before = result->before, .after = result->after, .better = result->better
    };
    char file[MODEL_INDEX_NAME + 8], *text;
    size_t length;
    model_index next = *s;
    if (f->models < 0) f->models = directory_open(f->root, "models", true);
    if (f->models < 0) return sos_fail(error, SOS_ERR_IO, "'%.200s/models' cannot be used: it is no folder", f->path);
    sos_status status = sos_model_write_memory(m, &text, &length, error);
    if (status) return status;
    name_choose(f, k.name);
    date_print(k.made);
    file_name(k.name, file);
    status = directory_write(f->models, file, text, length, error);
    free(text);
    if (next.count == MODEL_INDEX_MAX) oldest_forget(&next);
    next.list[next.count++] = k;
    if (k.better) memcpy(next.current, k.name, sizeof k.name);
    if (!status) status = index_write(f, &next, error);
    if (!status) *s = next;
    return status;
}

sos_status model_index_load(folder *f, const model_index *s, const char *name, s3svm_segment_model **out, sos_error *error)
{
    const listed_model *k = model_index_find(s, name);
    char file[MODEL_INDEX_NAME + 8], *text;
    size_t length;
    sos_model *m = NULL;
    if (!k) return sos_fail(error, SOS_ERR_ARGUMENT, "there is no model '%.60s'", name);
    file_name(k->name, file);
    sos_status status = directory_read(f->models, file, MODEL_BYTES_MAX, &text, &length, error);
    if (status) return status;
    status = sos_model_parse(text, length, file, &m, error);
    free(text);
    if (!status) status = s3svm_segment_model_create(m, out, error);
    sos_model_free(m);
    return status;
}

sos_status model_index_choose(folder *f, model_index *s, const char *name, sos_error *error)
{
    model_index next = *s;
    snprintf(next.current, sizeof next.current, "%s", name);
    const sos_status status = f->models < 0 ? SOS_OK : index_write(f, &next, error);
    if (!status) *s = next;
    return status;
}
