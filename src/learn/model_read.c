/* model_read.c - models from readable JSON. */
#include "learn/model_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json_read.h"
#include "base/memory.h"

typedef struct reader {
    const char *name; /* of the file */
    sos_error *error;
    size_t labels;
    sos_model *m;
    double *weights; /* of all groups so far */
    size_t room;
    uint32_t *classes; /* of one group */
    double *shares;
    size_t classes_room, shares_room;
    char place[160]; /* in the file, for messages: "groups[2] \"patch\": ", or "" */
} reader;

static sos_status wrong(const reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static sos_status wrong(const reader *r, const char *format, ...)
{
    char message[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return sos_fail(r->error, SOS_ERR_FORMAT, "%.200s: %s%s", r->name, r->place, message);
}

/* A call of the library failed. */
static sos_status blame(const reader *r, const sos_error *inner)
{
    const sos_status status = inner->status == SOS_ERR_ARGUMENT ? SOS_ERR_FORMAT : inner->status;
    return sos_fail(r->error, status, "%.200s: %s%s", r->name, r->place, inner->message);
}

static sos_status no_memory(const reader *r)
{
    return sos_fail(r->error, SOS_ERR_MEMORY, "no memory to read all of '%.200s'", r->name);
}

/* Misspelt members would be lost in silence. */
static sos_status members_check(const reader *r, const sos_json_value *object, const char *const known[])
{
    const char *stranger = sos_json_value_stranger(object, known);
    char shown[60];
    return stranger ? wrong(r, "there is no member \"%s\"", sos_harmless(stranger, sizeof shown, shown)) : SOS_OK;
}

static bool is_list(const sos_json_value *v) { return sos_json_value_kind(v) == SOS_JSON_LIST; }

/* A whole number from least to most. */
static sos_status count_read(const reader *r, const sos_json_value *value, const char *what, double least, double most,
                             size_t *count)
{
    const double x = sos_json_value_number(value);
    if (!value) return wrong(r, "%s is missing", what);
    if (!(x >= least && x <= most && x == floor(x))) return wrong(r, "%s must be an integer, %g to %g", what, least, most);
    *count = (size_t)x;
    return SOS_OK;
}

static sos_status flag_read(const reader *r, const sos_json_value *value, const char *what, bool *flag)
{
    if (value && sos_json_value_kind(value) != SOS_JSON_TRUTH) return wrong(r, "%s must be true or false", what);
    *flag = sos_json_value_truth(value);
    return SOS_OK;
}

static sos_status kind_read(const reader *r, const sos_json_value *value, sos_group_kind *kind)
{
    const char *word = sos_json_value_text(value);
    for (int k = SOS_GROUP_FREE; word && k <= SOS_GROUP_COUNT; k++)
        if (!strcmp(word, SOS_MODEL_KINDS[k])) {
            *kind = (sos_group_kind)k;
            return SOS_OK;
        }
    return wrong(r, "\"kind\" must be \"free\", \"nonnegative\", \"table\" or \"count\"");
}

static sos_status patch_read(const reader *r, const sos_json_value *value, sos_group *group)
{
    if (!value) return SOS_OK;
    if (!is_list(value) || sos_json_value_size(value) != 2) return wrong(r, "\"patch\" must be [width, height]");
    const sos_status status = count_read(r, sos_json_value_item(value, 0), "the width of \"patch\"", 1, SOS_TABLE_MEMBERS_MAX,
                                         &group->patch_width);
    if (status) return status;
    return count_read(r, sos_json_value_item(value, 1), "the height of \"patch\"", 1, SOS_TABLE_MEMBERS_MAX,
                      &group->patch_height);
}

/* A number for every entry, null where there is no weight. */
static sos_status classes_read(reader *r, const sos_json_value *value, sos_group *group)
{
    if (!value) return SOS_OK;
    const size_t entries = (size_t)1 << group->size; /* of a table: that was looked at */
    if (!is_list(value) || sos_json_value_size(value) != entries)
        return wrong(r, "\"classes\" must be a list of %zu numbers", entries);
    if (!sos_grow(&r->classes, &r->classes_room, entries)) return no_memory(r);
    for (size_t S = 0; S < entries; S++) {
        const sos_json_value *item = sos_json_value_item(value, S);
        size_t class = 0;
        const bool none = sos_json_value_kind(item) == SOS_JSON_NULL;
        const sos_status status = none ? SOS_OK
                                       : count_read(r, item, "a number of \"classes\"", 0, (double)entries - 1, &class);
        if (status) return status;
        r->classes[S] = none ? UINT32_MAX : (uint32_t) class;
    }
    group->class_of = r->classes;
    return SOS_OK;
}

/* Places of knots; what they must be, adding the group says. */
static sos_status shares_read(reader *r, const sos_json_value *value, sos_group *group)
{
    if (!value && group->kind != SOS_GROUP_COUNT) return SOS_OK;
    if (group->kind != SOS_GROUP_COUNT) return wrong(r, "only counts have \"shares\"");
    if (!is_list(value) || sos_json_value_size(value) != group->size)
        return wrong(r, "\"shares\" must be a list of %zu numbers", group->size);
    if (!sos_grow(&r->shares, &r->shares_room, group->size)) return no_memory(r);
    for (size_t j = 0; j < group->size; j++) r->shares[j] = sos_json_value_number(sos_json_value_item(value, j));
    group->shares = r->shares;
    return SOS_OK;
}

static sos_status ties_read(reader *r, const sos_json_value *object, sos_group *group)
{
    sos_status status = flag_read(r, sos_json_value_member(object, "anchored"), "\"anchored\"", &group->anchored);
    if (!status) status = flag_read(r, sos_json_value_member(object, "swap"), "\"swap\"", &group->swap);
    if (!status) status = patch_read(r, sos_json_value_member(object, "patch"), group);
    if (!status) status = flag_read(r, sos_json_value_member(object, "reversal"), "\"reversal\"", &group->reversal);
    if (!status) status = flag_read(r, sos_json_value_member(object, "counted"), "\"counted\"", &group->counted);
    const sos_json_value *classes = sos_json_value_member(object, "classes");
    if (!status) status = shares_read(r, sos_json_value_member(object, "shares"), group);
    const sos_json_value *strengths = sos_json_value_member(object, "strengths");
    if (!status && strengths) status = count_read(r, strengths, "\"strengths\"", 1, SOS_STRENGTHS_MAX, &group->strengths);
    if (!status && classes && group->kind != SOS_GROUP_TABLE) return wrong(r, "only tables have \"classes\"");
    return status ? status : classes_read(r, classes, group);
}

static sos_status stiffness_read(const reader *r, const sos_json_value *value, double *stiffness)
{
    *stiffness = value ? sos_json_value_number(value) : 0;
    return *stiffness >= 0 ? SOS_OK : wrong(r, "\"stiffness\" must be a number over 0");
}

static sos_status spec_read(reader *r, const sos_json_value *object, size_t number, sos_group *group)
{
    static const char *const members[] = { "name",    "kind",    "size",      "anchored", "swap",      "patch",   "reversal",
                                           "counted", "classes", "stiffness", "shares",   "strengths", "weights", NULL };
    snprintf(r->place, sizeof r->place, "groups[%zu]: ", number);
    if (sos_json_value_kind(object) != SOS_JSON_OBJECT) return wrong(r, "a group must be an object");
    char shown[100];
    group->name = sos_json_value_text(sos_json_value_member(object, "name"));
    if (!group->name || !*group->name) return wrong(r, "\"name\" must be a text that is not empty");
    snprintf(r->place, sizeof r->place, "groups[%zu] \"%s\": ", number, sos_harmless(group->name, sizeof shown, shown));
    sos_status status = members_check(r, object, members);
    if (!status) status = kind_read(r, sos_json_value_member(object, "kind"), &group->kind);
    const bool table = group->kind == SOS_GROUP_TABLE, count = group->kind == SOS_GROUP_COUNT;
    const double least = count ? 2 : 1, most = table ? SOS_TABLE_MEMBERS_MAX : count ? SOS_KNOTS_MAX : 1 << 30;
    if (!status) status = count_read(r, sos_json_value_member(object, "size"), "\"size\"", least, most, &group->size);
    if (!status) status = stiffness_read(r, sos_json_value_member(object, "stiffness"), &group->stiffness);
    return status ? status : ties_read(r, object, group);
}

/* Symmetries leave a table at least 1/16 of its entries, anchoring takes one: what has fewer weights is refused before any
 * memory is taken for the group.  Classes by number are few, but groups that are tied so share them; classes of one's own have
 * been read by now. */
static sos_status room_check(const reader *r, const sos_json_value *weights, const sos_group *group)
{
    const bool table = group->kind == SOS_GROUP_TABLE || group->kind == SOS_GROUP_COUNT;
    const size_t classes = group->kind == SOS_GROUP_TABLE && !group->counted && !group->class_of
                               ? ((size_t)1 << group->size) / 16
                               : 0;
    const sos_weights_shape s = sos_weights_shape_of(group, r->labels, classes ? classes - 1 : 0);
    if (!is_list(weights)) return wrong(r, "\"weights\" must be a list");
    const size_t given = sos_json_value_size(weights);
    if (s.nested && given != s.rows)
        return wrong(r, "\"weights\" has %zu list%s; there must be %zu", given, given == 1 ? "" : "s", s.rows);
    if (!s.nested && (table ? given < s.columns : given != s.columns))
        return wrong(r, "\"weights\" has %zu number%s; there must be %s%zu", given, given == 1 ? "" : "s",
                     table ? "at least " : "", s.columns);
    if (s.nested && table && sos_json_value_size(sos_json_value_item(weights, 0)) < s.columns)
        return wrong(r, "the lists of \"weights\" must have at least %zu numbers", s.columns);
    return SOS_OK;
}

static sos_status row_read(const reader *r, const sos_json_value *row, size_t columns, const char *what, double w[])
{
    if (!is_list(row) || sos_json_value_size(row) != columns) {
        if (!is_list(row)) return wrong(r, "%s must be a list of %zu numbers", what, columns);
        return wrong(r, "%s has %zu number%s; there must be %zu", what, sos_json_value_size(row),
                     sos_json_value_size(row) == 1 ? "" : "s", columns);
    }
    for (size_t i = 0; i < columns; i++) {
        w[i] = sos_json_value_number(sos_json_value_item(row, i));
        if (isnan(w[i])) return wrong(r, "number %zu of %s is no number", i, what);
    }
    return SOS_OK;
}

static sos_status weights_read(reader *r, const sos_json_value *weights, const sos_group *group, uint32_t number)
{
    const size_t offset = sos_model_group_offset(r->m, number), count = sos_model_weight_count(r->m) - offset;
    const size_t functions = sos_model_functions(r->m, number);
    const sos_weights_shape s = sos_weights_shape_of(group, r->labels, functions ? count / functions : 0);
    if (!sos_grow(&r->weights, &r->room, offset + count)) return no_memory(r);
    if (!s.nested) return row_read(r, weights, s.columns, "\"weights\"", r->weights + offset);
    sos_status status = SOS_OK;
    for (size_t i = 0; !status && i < s.rows; i++) {
        char what[40];
        snprintf(what, sizeof what, "weights[%zu]", i);
        status = row_read(r, sos_json_value_item(weights, i), s.columns, what, r->weights + offset + i * s.columns);
    }
    return status;
}

static sos_status group_read(reader *r, const sos_json_value *object, size_t number)
{
    sos_group group = { 0 };
    sos_status status = spec_read(r, object, number, &group);
    const sos_json_value *weights = sos_json_value_member(object, "weights");
    if (!status) status = room_check(r, weights, &group);
    if (status) return status;
    sos_error inner;
    uint32_t added;
    if (sos_model_add_group(r->m, &group, &added, &inner)) return blame(r, &inner);
    return weights_read(r, weights, &group, added);
}

static sos_status header_read(reader *r, const sos_json_value *root)
{
    static const char *const members[] = { "format", "version", "made_by", "labels", "groups", "facts", NULL };
    const char *format = sos_json_value_text(sos_json_value_member(root, "format"));
    if (!format || strcmp(format, SOS_MODEL_FORMAT) != 0)
        return wrong(r, "not a model: \"format\" is not \"%s\"", SOS_MODEL_FORMAT);
    size_t version = 0;
    sos_status status = count_read(r, sos_json_value_member(root, "version"), "\"version\"", 1, 1e9, &version);
    if (status) return status;
    if (version > SOS_MODEL_VERSION)
        return wrong(r, "version %zu; this library reads models up to version %d", version, SOS_MODEL_VERSION);
    status = members_check(r, root, members);
    if (status) return status;
    const sos_json_value *made_by = sos_json_value_member(root, "made_by"), *groups = sos_json_value_member(root, "groups");
    const sos_json_value *facts = sos_json_value_member(root, "facts");
    if (made_by && !sos_json_value_text(made_by)) return wrong(r, "\"made_by\" must be a text");
    if (!is_list(groups)) return wrong(r, "\"groups\" must be a list");
    if (sos_json_value_size(groups) > SOS_MODEL_GROUPS_MAX)
        return wrong(r, "%zu groups; there can be %d", sos_json_value_size(groups), SOS_MODEL_GROUPS_MAX);
    if (facts && sos_json_value_kind(facts) != SOS_JSON_OBJECT) return wrong(r, "\"facts\" must be an object");
    return count_read(r, sos_json_value_member(root, "labels"), "\"labels\"", 2, SOS_LABELS_MAX, &r->labels);
}

static sos_status fact_read(const reader *r, const char *key, sos_json_span value)
{
    char *text = malloc(value.length + 1);
    if (!text) return no_memory(r);
    memcpy(text, value.text, value.length);
    text[value.length] = '\0';
    sos_error inner;
    const sos_status status = sos_model_set_fact(r->m, key, text, &inner);
    free(text);
    return status ? blame(r, &inner) : SOS_OK;
}

/* facts false: finds the member "facts" of the whole and reads it; true: reads its members.  text is that of an object. */
static sos_status facts_read(const reader *r, const char *text, bool facts)
{
    sos_json_span key, value;
    sos_status status = SOS_OK;
    while (!status && sos_json_member_next(&text, &key, &value)) {
        sos_json_value *name = NULL;
        status = sos_json_read(key.text, key.length, r->name, &name, r->error);
        if (!status && facts)
            status = fact_read(r, sos_json_value_text(name), value);
        else if (!status && !strcmp(sos_json_value_text(name), "facts"))
            status = facts_read(r, value.text, true);
        sos_json_free(name);
    }
    return status;
}

static sos_status model_fill(reader *r, const sos_json_value *root, const char *text)
{
    sos_status status = header_read(r, root);
    sos_error inner;
    if (!status && sos_model_create(r->labels, &r->m, &inner)) return blame(r, &inner);
    const sos_json_value *groups = sos_json_value_member(root, "groups");
    for (size_t g = 0; !status && g < sos_json_value_size(groups); g++)
        status = group_read(r, sos_json_value_item(groups, g), g);
    if (status) return status;
    r->place[0] = '\0';
    if (sos_model_set_weights(r->m, r->weights, &inner)) return blame(r, &inner);
    snprintf(r->place, sizeof r->place, "facts: ");
    return facts_read(r, text, false);
}

sos_status sos_model_parse(const char *text, size_t length, const char *name, sos_model **out, sos_error *error)
{
    if (!text || !out) return sos_fail(error, SOS_ERR_ARGUMENT, "no text or no place for the model was given");
    reader r = { .name = name ? name : "text", .error = error };
    const size_t mark = length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
    sos_json_value *root;
    sos_status status = sos_json_read(text + mark, length - mark, r.name, &root, error);
    if (status) return status;
    const bool object = sos_json_value_kind(root) == SOS_JSON_OBJECT;
    status = object ? model_fill(&r, root, text + mark) : wrong(&r, "not a model: no object");
    sos_json_free(root);
    free(r.weights);
    free(r.classes);
    free(r.shares);
    if (status)
        sos_model_free(r.m);
    else
        *out = r.m;
    return status;
}

sos_status sos_model_read(const char *path, sos_model **out, sos_error *error)
{
    if (!path || !out) return sos_fail(error, SOS_ERR_ARGUMENT, "no path or no place for the model was given");
    char *text = NULL;
    size_t length = 0;
    sos_status status = sos_file_read(path, SOS_CONTENT_TEXT, &text, &length, error);
    if (status) return status;
    status = sos_model_parse(text, length, path, out, error);
    free(text);
    return status;
}
