/* model_write.c - models as readable JSON. */
#include "learn/model_file.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/json_read.h"
#include "base/output.h"
#include "base/utf8.h"

enum { NUMBERS_PER_LINE = 8 };

/* ---------------------------------------------------------------- what cannot be read back is not written */

static sos_status text_check(const char *what, const char *text, sos_error *error)
{
    if (sos_utf8_is_valid(text)) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "%s cannot be written: it is not UTF-8", what);
}

static sos_status fact_check(const char *key, const char *text, sos_error *error)
{
    sos_json_value *value = NULL;
    sos_error why;
    const sos_status status = sos_json_read(text, strlen(text), "its text", &value, &why);
    sos_json_free(value);
    if (status == SOS_ERR_FORMAT)
        return sos_fail(error, SOS_ERR_ARGUMENT, "the fact \"%.60s\" is no JSON: %s", key, why.message);
    if (status) return sos_fail(error, status, "%s", why.message);
    const size_t depth = sos_json_depth(text, strlen(text));
    if (depth > SOS_MODEL_FACT_DEPTH_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "the fact \"%.60s\" has brackets %zu deep; %d can be", key, depth,
                        SOS_MODEL_FACT_DEPTH_MAX);
    return text_check("the key of a fact", key, error);
}

static sos_status model_check(const sos_model *m, sos_error *error)
{
    if (!m) return sos_fail(error, SOS_ERR_ARGUMENT, "no model was given");
    sos_status status = SOS_OK;
    if (sos_model_groups(m) > SOS_MODEL_GROUPS_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "%zu groups; a model file can have %d", sos_model_groups(m),
                        SOS_MODEL_GROUPS_MAX);
    for (size_t g = 0; !status && g < sos_model_groups(m); g++)
        status = text_check("the name of a group", sos_model_group(m, (uint32_t)g)->name, error);
    for (size_t i = 0; !status && i < sos_model_facts(m); i++) {
        const char *key = sos_model_fact_key(m, i);
        status = fact_check(key, sos_model_fact(m, key), error);
    }
    return status;
}

/* ---------------------------------------------------------------- writing */

static void weights_write(sos_json *j, const sos_model *m, uint32_t number)
{
    const size_t labels = sos_model_labels(m), offset = sos_model_group_offset(m, number);
    const size_t next = number + 1 < sos_model_groups(m) ? sos_model_group_offset(m, number + 1) : sos_model_weight_count(m);
    const size_t functions = sos_model_functions(m, number);
    const sos_weights_shape s = sos_weights_shape_of(sos_model_group(m, number), labels,
                                                     functions ? (next - offset) / functions : 0);
    const double *w = sos_model_weights(m) + offset;
    sos_json_open(j, "weights", '[');
    if (!s.nested) sos_json_reals(j, s.columns, w, NUMBERS_PER_LINE);
    for (size_t i = 0; s.nested && i < s.rows; i++) {
        sos_json_open_row(j, NULL, '[');
        sos_json_reals(j, s.columns, w + i * s.columns, NUMBERS_PER_LINE);
        sos_json_close(j, ']');
    }
    sos_json_close(j, ']');
}

/* Ties that earlier versions did not know are written where they are there. */
static void ties_write(sos_json *j, const sos_group *g)
{
    sos_json_truth(j, "anchored", g->anchored);
    sos_json_truth(j, "swap", g->swap);
    if (g->patch_width) {
        sos_json_open_row(j, "patch", '[');
        sos_json_count(j, NULL, g->patch_width);
        sos_json_count(j, NULL, g->patch_height);
        sos_json_close(j, ']');
    }
    if (g->reversal) sos_json_truth(j, "reversal", true);
    if (g->counted) sos_json_truth(j, "counted", true);
    if (g->shares) {
        sos_json_open(j, "shares", '[');
        sos_json_reals(j, g->size, g->shares, NUMBERS_PER_LINE);
        sos_json_close(j, ']');
    }
    if (!g->class_of) return;
    sos_json_open_row(j, "classes", '[');
    for (size_t S = 0; S < (size_t)1 << g->size; S++)
        if (g->class_of[S] == UINT32_MAX)
            sos_json_raw(j, NULL, "null");
        else
            sos_json_count(j, NULL, g->class_of[S]);
    sos_json_close(j, ']');
}

static void group_write(sos_json *j, const sos_model *m, uint32_t number)
{
    const sos_group *g = sos_model_group(m, number);
    sos_json_open(j, NULL, '{');
    sos_json_text(j, "name", g->name);
    sos_json_text(j, "kind", SOS_MODEL_KINDS[g->kind]);
    sos_json_count(j, "size", g->size);
    if (g->kind == SOS_GROUP_TABLE || g->kind == SOS_GROUP_COUNT) ties_write(j, g);
    if (g->strengths > 1) sos_json_count(j, "strengths", g->strengths);
    if (g->stiffness > 0) sos_json_real(j, "stiffness", g->stiffness);
    weights_write(j, m, number);
    sos_json_close(j, '}');
}

static void model_print(sos_json *j, const sos_model *m)
{
    char made_by[40];
    snprintf(made_by, sizeof made_by, "s3svm %s", sos_version());
    sos_json_open(j, NULL, '{');
    sos_json_text(j, "format", SOS_MODEL_FORMAT);
    sos_json_count(j, "version", SOS_MODEL_VERSION);
    sos_json_text(j, "made_by", made_by);
    sos_json_count(j, "labels", sos_model_labels(m));
    sos_json_open(j, "groups", '[');
    for (size_t g = 0; g < sos_model_groups(m); g++) group_write(j, m, (uint32_t)g);
    sos_json_close(j, ']');
    sos_json_open(j, "facts", '{');
    for (size_t i = 0; i < sos_model_facts(m); i++) {
        const char *key = sos_model_fact_key(m, i);
        sos_json_raw(j, key, sos_model_fact(m, key));
    }
    sos_json_close(j, '}');
    sos_json_close(j, '}');
}

sos_status sos_model_write(const sos_model *m, const char *path, sos_error *error)
{
    if (!path) return sos_fail(error, SOS_ERR_ARGUMENT, "no path was given");
    sos_output o;
    sos_status status = model_check(m, error);
    if (!status) status = sos_output_open(&o, path, error);
    if (status) return status;
    model_print(&(sos_json){ .file = o.file }, m);
    return sos_output_commit(&o);
}

sos_status sos_model_write_memory(const sos_model *m, char **text, size_t *length, sos_error *error)
{
    if (!text || !length) return sos_fail(error, SOS_ERR_ARGUMENT, "no place for the text was given");
    sos_output o;
    sos_status status = model_check(m, error);
    if (!status) status = sos_output_open_memory(&o, error);
    if (status) return status;
    model_print(&(sos_json){ .file = o.file }, m);
    return sos_output_take(&o, text, length);
}
