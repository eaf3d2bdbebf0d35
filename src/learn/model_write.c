/* model_write.c - models as readable JSON. */
#include "learn/model_file.h"

#if SOS_HAVE_JANSSON

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/output.h"
#include "learn/json_text.h"

enum { NUMBERS_PER_LINE = 8 };

/* The text in quotes. */
static sos_status text_write(sos_output *o, const char *what, const char *text)
{
    json_t *value = json_string(text);
    char *quoted = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    json_decref(value);
    if (!quoted) return sos_fail(o->error, SOS_ERR_ARGUMENT, "%s cannot be written: it is not UTF-8", what);
    fputs(quoted, o->file);
    free(quoted);
    return SOS_OK;
}

/* Numbers with commas between them, some on a line. */
static void numbers_write(sos_output *o, const double w[], size_t count, int indent)
{
    char text[SOS_REAL_TEXT];
    for (size_t i = 0; i < count; i++) {
        if (i && i % NUMBERS_PER_LINE == 0)
            fprintf(o->file, ",\n%*s", indent, "");
        else if (i)
            fputs(", ", o->file);
        fputs(sos_number_print(w[i], text), o->file);
    }
}

static void weights_write(sos_output *o, const sos_model *m, uint32_t number)
{
    const size_t labels = sos_model_labels(m), offset = sos_model_group_offset(m, number);
    const size_t next = number + 1 < sos_model_groups(m) ? sos_model_group_offset(m, number + 1) : sos_model_weight_count(m);
    const sos_weights_shape s = sos_weights_shape_of(sos_model_group(m, number), labels,
                                                     labels > 2 ? (next - offset) / labels : next - offset);
    const double *w = sos_model_weights(m) + offset;
    fputs("      \"weights\": [\n", o->file);
    if (!s.nested) {
        fputs("        ", o->file);
        numbers_write(o, w, s.columns, 8);
        fputc('\n', o->file);
    }
    for (size_t i = 0; s.nested && i < s.rows; i++) {
        fputs("        [", o->file);
        numbers_write(o, w + i * s.columns, s.columns, 9);
        fputs(i + 1 < s.rows ? "],\n" : "]\n", o->file);
    }
    fputs("      ]\n", o->file);
}

static sos_status group_write(sos_output *o, const sos_model *m, uint32_t number)
{
    const sos_group *g = sos_model_group(m, number);
    fputs("    {\n      \"name\": ", o->file);
    const sos_status status = text_write(o, "the name of a group", g->name);
    if (status) return status;
    fprintf(o->file, ",\n      \"kind\": \"%s\",\n      \"size\": %zu,\n", SOS_MODEL_KINDS[g->kind], g->size);
    if (g->kind == SOS_GROUP_TABLE)
        fprintf(o->file, "      \"anchored\": %s,\n      \"swap\": %s,\n", g->anchored ? "true" : "false",
                g->swap ? "true" : "false");
    if (g->patch_width) fprintf(o->file, "      \"patch\": [%zu, %zu],\n", g->patch_width, g->patch_height);
    weights_write(o, m, number);
    fputs(number + 1 < sos_model_groups(m) ? "    },\n" : "    }\n", o->file);
    return SOS_OK;
}

static sos_status fact_write(sos_output *o, const char *key, const char *text)
{
    json_error_t e;
    json_t *value = json_loadb(text, strlen(text), SOS_JSON_DECODE | JSON_DECODE_ANY, &e);
    if (!value) return sos_fail(o->error, SOS_ERR_ARGUMENT, "the fact \"%.60s\" is no JSON: %.200s", key, e.text);
    json_decref(value);
    int depth;
    sos_json_skip_value(sos_json_skip_space(text), &depth);
    if (depth > SOS_MODEL_FACT_DEPTH_MAX)
        return sos_fail(o->error, SOS_ERR_ARGUMENT, "the fact \"%.60s\" has brackets %d deep; %d can be", key, depth,
                        SOS_MODEL_FACT_DEPTH_MAX);
    fputs("    ", o->file);
    const sos_status status = text_write(o, "the key of a fact", key);
    fprintf(o->file, ": %s", text);
    return status;
}

static sos_status model_print(sos_output *o, const sos_model *m)
{
    sos_status status = SOS_OK;
    fprintf(o->file, "{\n  \"format\": \"%s\",\n  \"version\": %d,\n  \"made_by\": \"s3svm %s\",\n  \"labels\": %zu,\n",
            SOS_MODEL_FORMAT, SOS_MODEL_VERSION, sos_version(), sos_model_labels(m));
    fputs("  \"groups\": [\n", o->file);
    for (size_t g = 0; !status && g < sos_model_groups(m); g++) status = group_write(o, m, (uint32_t)g);
    const size_t facts = sos_model_facts(m);
    fprintf(o->file, "  ],\n  \"facts\": {%s", facts ? "\n" : "");
    for (size_t i = 0; !status && i < facts; i++) {
        const char *key = sos_model_fact_key(m, i);
        status = fact_write(o, key, sos_model_fact(m, key));
        fputs(i + 1 < facts ? ",\n" : "\n  ", o->file);
    }
    fputs("}\n}\n", o->file);
    return status;
}

sos_status sos_model_write(const sos_model *m, const char *path, sos_error *error)
{
    if (!m || !path) return sos_fail(error, SOS_ERR_ARGUMENT, "no model or no path was given");
    if (sos_model_groups(m) > SOS_MODEL_GROUPS_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "%zu groups; a model file can have %d", sos_model_groups(m),
                        SOS_MODEL_GROUPS_MAX);
    sos_output o;
    sos_status status = sos_output_open(&o, path, error);
    if (status) return status;
    status = model_print(&o, m);
    if (!status) return sos_output_commit(&o);
    sos_output_abandon(&o);
    return status;
}

#else

sos_status sos_model_write(const sos_model *m, const char *path, sos_error *error)
{
    (void)m, (void)path;
    return sos_without_jansson(error);
}

#endif
