/* model.c - groups of weights, and the facts that travel with them. */
#include "learn/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "energy/pieces.h"
#include "energy/submodular.h"

/* ---------------------------------------------------------------- layouts */

static void group_free(sos_layout_group *g)
{
    free((void *)g->spec.name);
    sos_ties_release(g->ties);
}

sos_layout *sos_layout_share(sos_layout *layout)
{
    atomic_fetch_add(&layout->references, 1);
    return layout;
}

void sos_layout_release(sos_layout *layout)
{
    if (!layout || atomic_fetch_sub(&layout->references, 1) > 1) return;
    for (size_t g = 0; g < layout->group_count; g++) group_free(&layout->groups[g]);
    free(layout->groups);
    free(layout);
}

static char *copy_text(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    if (copy) memcpy(copy, text, bytes);
    return copy;
}

static bool group_copy(const sos_layout_group *from, sos_layout_group *to)
{
    *to = *from;
    to->spec.name = copy_text(from->spec.name);
    if (to->ties) sos_ties_share(to->ties);
    return to->spec.name;
}

/* A copy with room for one group more. */
static sos_layout *layout_copy(const sos_layout *from)
{
    sos_layout *copy = calloc(1, sizeof *copy);
    if (!copy) return NULL;
    copy->labels = from->labels;
    copy->weights = from->weights;
    copy->table_slots = from->table_slots;
    copy->identity = from->identity;
    atomic_init(&copy->references, 1);
    copy->groups = calloc(from->group_count + 1, sizeof *copy->groups);
    for (size_t g = 0; copy->groups && g < from->group_count; g++) {
        copy->group_count = g + 1;
        if (!group_copy(&from->groups[g], &copy->groups[g])) {
            sos_layout_release(copy);
            return NULL;
        }
    }
    if (!copy->groups) {
        free(copy);
        return NULL;
    }
    return copy;
}

/* What models of earlier versions did not have is mixed in where it is there, so that theirs stay known. */
static uint64_t mix_group(uint64_t hash, const sos_group *g)
{
    const uint64_t facts[] = { g->kind, g->size, g->anchored, g->swap, g->patch_width, g->patch_height };
    const uint64_t ties[] = { g->reversal, g->counted };
    hash = sos_hash(sos_hash(hash, facts, sizeof facts), g->name, strlen(g->name) + 1);
    if (g->reversal || g->counted) hash = sos_hash(hash, ties, sizeof ties);
    if (g->strengths > 1) hash = sos_hash(hash, &g->strengths, sizeof g->strengths);
    if (g->shares) hash = sos_hash(hash, g->shares, g->size * sizeof *g->shares);
    return g->class_of ? sos_hash(hash, g->class_of, sizeof *g->class_of << g->size) : hash;
}

/* ---------------------------------------------------------------- models */

sos_status sos_model_create(size_t labels, sos_model **out, sos_error *error)
{
    if (!out) return sos_fail(error, SOS_ERR_ARGUMENT, "no place for the model was given");
    if (labels < 2 || labels > SOS_LABELS_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "%zu labels; a model has 2 to %d", labels, SOS_LABELS_MAX);
    sos_model *m = calloc(1, sizeof *m);
    sos_layout *layout = calloc(1, sizeof *layout);
    if (!m || !layout) {
        free(m);
        free(layout);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for a model");
    }
    layout->labels = labels;
    atomic_init(&layout->references, 1);
    layout->identity = sos_hash(SOS_HASH_START, &labels, sizeof labels);
    m->layout = layout;
    *out = m;
    return SOS_OK;
}

void sos_model_free(sos_model *m)
{
    if (!m) return;
    for (size_t i = 0; i < m->fact_count; i++) {
        free(m->facts[i].key);
        free(m->facts[i].json);
    }
    free(m->facts);
    free(m->weights);
    sos_layout_release(m->layout);
    free(m);
}

/* The layout is shared: adding groups to the one or the other gives it a layout of its own. */
sos_status sos_model_copy(const sos_model *m, sos_model **out, sos_error *error)
{
    if (!m || !out) return sos_fail(error, SOS_ERR_ARGUMENT, "no model or no place for its copy was given");
    sos_model *copy = calloc(1, sizeof *copy);
    if (!copy) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a model");
    const size_t bytes = m->layout->weights * sizeof *copy->weights;
    copy->layout = sos_layout_share(m->layout);
    copy->weights = m->weights ? malloc(bytes ? bytes : 1) : NULL;
    bool ok = copy->weights || !m->weights;
    if (ok && m->weights) memcpy(copy->weights, m->weights, bytes);
    for (size_t i = 0; ok && i < m->fact_count; i++)
        ok = !sos_model_set_fact(copy, m->facts[i].key, m->facts[i].json, NULL); /* only memory can be short */
    if (!ok) {
        sos_model_free(copy);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for a copy of the model");
    }
    *out = copy;
    return SOS_OK;
}

static sos_status stiffness_check(const sos_group *g, double stiffness, sos_error *error)
{
    if (stiffness > 0 && isfinite(stiffness) && isfinite(1 / stiffness)) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "group \"%.64s\" has stiffness %g; it must be over 0", g->name, stiffness);
}

static sos_status group_check(const sos_layout *layout, const sos_group *g, sos_error *error)
{
    const sos_status reserved = sos_reserved_check("sos_group", g, error);
    if (reserved) return reserved;
    if (!g->name || !g->name[0]) return sos_fail(error, SOS_ERR_ARGUMENT, "a group needs a name");
    for (size_t i = 0; i < layout->group_count; i++)
        if (!strcmp(layout->groups[i].spec.name, g->name))
            return sos_fail(error, SOS_ERR_ARGUMENT, "there is a group \"%s\" already", g->name);
    if (g->stiffness != 0 && stiffness_check(g, g->stiffness, error)) return SOS_ERR_ARGUMENT;
    const bool table = g->kind == SOS_GROUP_TABLE, count = g->kind == SOS_GROUP_COUNT;
    if (!table && !count && g->kind != SOS_GROUP_FREE && g->kind != SOS_GROUP_NONNEGATIVE)
        return sos_fail(error, SOS_ERR_ARGUMENT, "group \"%s\" is of no known kind", g->name);
    if (!g->size || (table && g->size > SOS_TABLE_MEMBERS_MAX) || g->size > (size_t)1 << 30)
        return sos_fail(error, SOS_ERR_ARGUMENT, "group \"%s\" has size %zu", g->name, g->size);
    if (count && (g->size < 2 || g->size > SOS_KNOTS_MAX || !g->shares))
        return sos_fail(error, SOS_ERR_ARGUMENT, "group \"%s\" has %zu knots%s; it takes 2 to %d, and their shares", g->name,
                        g->size, g->shares ? "" : " without shares", SOS_KNOTS_MAX);
    if (!count && g->shares) return sos_fail(error, SOS_ERR_ARGUMENT, "group \"%s\" has shares, but counts nothing", g->name);
    if (g->strengths > (table || count ? SOS_STRENGTHS_MAX : 1))
        return sos_fail(error, SOS_ERR_ARGUMENT, "group \"%s\" has %zu strengths; tables and counts have up to %d", g->name,
                        g->strengths, SOS_STRENGTHS_MAX);
    if (!table &&
        ((!count && (g->anchored || g->swap)) || g->patch_width || g->patch_height || g->reversal || g->counted || g->class_of))
        return sos_fail(error, SOS_ERR_ARGUMENT, "group \"%s\" is no table: it cannot be tied or anchored", g->name);
    if (g->class_of && (g->anchored || g->swap || g->patch_width || g->patch_height || g->reversal || g->counted))
        return sos_fail(error, SOS_ERR_ARGUMENT, "group \"%s\" has classes of its own: no other ties go with them", g->name);
    if (g->counted && (g->patch_width || g->patch_height || g->reversal))
        return sos_fail(error, SOS_ERR_ARGUMENT, "group \"%s\" is counted along a line: patch and reversal do not go with that",
                        g->name);
    if (g->swap && layout->labels > 2)
        return sos_fail(error, SOS_ERR_ARGUMENT, "group \"%s\" swaps two labels, but there are %zu", g->name, layout->labels);
    if ((g->patch_width || g->patch_height) &&
        (!g->patch_width || g->size % g->patch_width || g->size / g->patch_width != g->patch_height))
        return sos_fail(error, SOS_ERR_ARGUMENT, "group \"%s\" has %zu members, but its patch is %zux%zu", g->name, g->size,
                        g->patch_width, g->patch_height);
    return SOS_OK;
}

/* In a layout of the model's own; its content, and so its identity, is the same. */
sos_status sos_model_set_stiffness(sos_model *m, uint32_t group, double stiffness, sos_error *error)
{
    if (!m) return sos_fail(error, SOS_ERR_ARGUMENT, "no model was given");
    if (group >= m->layout->group_count)
        return sos_fail(error, SOS_ERR_ARGUMENT, "group %u, but there are %zu", (unsigned)group, m->layout->group_count);
    const sos_status status = stiffness_check(&m->layout->groups[group].spec, stiffness, error);
    if (status) return status;
    sos_layout *layout = layout_copy(m->layout);
    if (!layout) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a model");
    layout->groups[group].spec.stiffness = stiffness;
    sos_layout_release(m->layout);
    m->layout = layout;
    return SOS_OK;
}

size_t sos_layout_group_weights(const sos_layout *layout, uint32_t group)
{
    const sos_layout_group *g = &layout->groups[group];
    return g->classes * g->copies;
}

/* The ties of a group of the layout that is tied alike, or new ones. */
static sos_status find_ties(const sos_layout *layout, const sos_group *group, sos_ties **out, sos_error *error)
{
    const sos_status status = sos_ties_check(group, error);
    if (status) return status;
    for (size_t i = 0; i < layout->group_count; i++)
        if (layout->groups[i].ties && sos_ties_are_alike(&layout->groups[i].spec, group)) {
            *out = sos_ties_share(layout->groups[i].ties);
            return SOS_OK;
        }
    return sos_ties_create(group, out, error);
}

/* Groups are added to a copy, so that on failure, and for examples that share it, the old layout stays what it was. */
sos_status sos_model_add_group(sos_model *m, const sos_group *group, uint32_t *number, sos_error *error)
{
    if (!m || !group || !number) return sos_fail(error, SOS_ERR_ARGUMENT, "no model, no group or no place for its number");
    sos_status status = group_check(m->layout, group, error);
    sos_ties *ties = NULL;
    if (!status && (group->kind == SOS_GROUP_TABLE || group->kind == SOS_GROUP_COUNT))
        status = find_ties(m->layout, group, &ties, error);
    if (status) return status;
    sos_layout *layout = layout_copy(m->layout);
    sos_layout_group *g = layout ? &layout->groups[layout->group_count] : NULL;
    bool ok = g;
    if (!ok) sos_ties_release(ties);
    if (ok) {
        *g = (sos_layout_group){ .spec = *group, .offset = layout->weights, .copies = 1, .strengths = 1, .ties = ties };
        g->spec.name = copy_text(group->name);
        g->spec.class_of = ties && group->class_of ? ties->class_of : NULL;
        g->spec.shares = ties ? ties->share : NULL;
        layout->group_count++;
        ok = g->spec.name;
        if (ties) {
            g->classes = ties->classes;
            g->strengths = group->strengths ? group->strengths : 1;
            g->copies = sos_layout_label_functions(layout) * g->strengths;
            g->table_slot = layout->table_slots;
            layout->table_slots += g->strengths;
        } else {
            g->classes = group->size * (group->kind == SOS_GROUP_FREE ? layout->labels : 1);
        }
        layout->weights += g->classes * g->copies;
        sos_group known = g->spec; /* with shares as they were taken */
        known.name = group->name;
        layout->identity = mix_group(layout->identity, &known);
    }
    double *weights = ok ? calloc(layout->weights ? layout->weights : 1, sizeof *weights) : NULL;
    if (!weights) {
        sos_layout_release(layout);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for group \"%s\"", group->name);
    }
    if (m->weights) memcpy(weights, m->weights, m->layout->weights * sizeof *weights);
    free(m->weights);
    m->weights = weights;
    *number = (uint32_t)m->layout->group_count;
    sos_layout_release(m->layout);
    m->layout = layout;
    return SOS_OK;
}

size_t sos_model_labels(const sos_model *m) { return m->layout->labels; }
size_t sos_model_groups(const sos_model *m) { return m->layout->group_count; }
const sos_group *sos_model_group(const sos_model *m, uint32_t group) { return &m->layout->groups[group].spec; }
size_t sos_model_weight_count(const sos_model *m) { return m->layout->weights; }
size_t sos_model_group_offset(const sos_model *m, uint32_t group) { return m->layout->groups[group].offset; }
const double *sos_model_weights(const sos_model *m) { return m->weights; }

size_t sos_model_functions(const sos_model *m, uint32_t group)
{
    const sos_layout_group *g = &m->layout->groups[group];
    return g->ties ? g->copies : 0;
}

void sos_layout_table(const sos_layout *layout, uint32_t group, size_t function, const double w[], double f[])
{
    const sos_layout_group *g = &layout->groups[group];
    const double *classes = w + g->offset + (g->copies > 1 ? function : 0) * g->classes;
    const uint32_t *class_of = g->ties->class_of;
    for (size_t S = 0; S < g->ties->entries; S++) f[S] = class_of[S] == SOS_ANCHOR ? 0 : classes[class_of[S]];
}

void sos_model_table(const sos_model *m, uint32_t group, size_t function, double f[])
{
    sos_layout_table(m->layout, group, function, m->weights, f);
}

size_t sos_model_table_class(const sos_model *m, uint32_t group, size_t S)
{
    const uint32_t c = m->layout->groups[group].ties->class_of[S];
    return c == SOS_ANCHOR ? SIZE_MAX : c;
}

static sos_status table_check(const sos_layout *layout, uint32_t group, const double w[], sos_error *error)
{
    const sos_layout_group *g = &layout->groups[group];
    double *f = malloc(g->ties->entries * sizeof *f);
    if (!f) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a function of %zu costs", g->ties->entries);
    sos_status status = SOS_OK;
    sos_error why;
    for (size_t l = 0; !status && l < g->copies; l++) {
        sos_layout_table(layout, group, l, w, f);
        const sos_count_function curve = { g->ties->entries, g->ties->share, f };
        status = g->ties->share ? sos_count_values_check(&curve, &why) : sos_table_check(g->spec.size, f, &why);
        const size_t labels = sos_layout_label_functions(layout);
        if (status && g->strengths > 1)
            sos_fail(error, status, "group \"%.64s\", strength %zu, label %zu: %.360s", g->spec.name, l / labels, l % labels,
                     why.message);
        else if (status)
            sos_fail(error, status, "group \"%.64s\", label %zu: %.380s", g->spec.name, l, why.message);
    }
    free(f);
    return status;
}

sos_status sos_layout_check(const sos_layout *layout, const double w[], sos_error *error)
{
    for (uint32_t group = 0; group < layout->group_count; group++) {
        const sos_layout_group *g = &layout->groups[group];
        for (size_t i = 0; i < sos_layout_group_weights(layout, group); i++) {
            const double x = w[g->offset + i];
            if (!isfinite(x) || (g->spec.kind == SOS_GROUP_NONNEGATIVE && x < 0))
                return sos_fail(error, SOS_ERR_ARGUMENT, "group \"%.64s\": weight %zu is %g", g->spec.name, i, x);
        }
        const sos_status status = g->ties ? table_check(layout, group, w, error) : SOS_OK;
        if (status) return status;
    }
    return SOS_OK;
}

sos_status sos_model_set_weights(sos_model *m, const double w[], sos_error *error)
{
    if (!m || (!w && m->layout->weights)) return sos_fail(error, SOS_ERR_ARGUMENT, "no model or no weights were given");
    const sos_status status = sos_layout_check(m->layout, w, error);
    if (status || !m->layout->weights) return status;
    memcpy(m->weights, w, m->layout->weights * sizeof *w);
    return SOS_OK;
}

/* ---------------------------------------------------------------- facts */

static size_t find_fact(const sos_model *m, const char *key)
{
    size_t i = 0;
    while (i < m->fact_count && strcmp(m->facts[i].key, key) != 0) i++;
    return i;
}

sos_status sos_model_set_fact(sos_model *m, const char *key, const char *json, sos_error *error)
{
    if (!m || !key || !key[0]) return sos_fail(error, SOS_ERR_ARGUMENT, "a fact needs a key");
    const size_t i = find_fact(m, key);
    if (!json) {
        if (i == m->fact_count) return SOS_OK;
        free(m->facts[i].key);
        free(m->facts[i].json);
        memmove(m->facts + i, m->facts + i + 1, (--m->fact_count - i) * sizeof *m->facts);
        return SOS_OK;
    }
    const bool fresh = i == m->fact_count;
    char *value = copy_text(json), *name = fresh ? copy_text(key) : NULL;
    if (!value || (fresh && (!name || !sos_grow(&m->facts, &m->facts_room, m->fact_count + 1)))) {
        free(value);
        free(name);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for the fact \"%s\"", key);
    }
    if (fresh) {
        m->facts[m->fact_count++] = (sos_fact){ name, value };
    } else {
        free(m->facts[i].json);
        m->facts[i].json = value;
    }
    return SOS_OK;
}

const char *sos_model_fact(const sos_model *m, const char *key)
{
    const size_t i = find_fact(m, key);
    return i < m->fact_count ? m->facts[i].json : NULL;
}

size_t sos_model_facts(const sos_model *m) { return m->fact_count; }
const char *sos_model_fact_key(const sos_model *m, size_t i) { return m->facts[i].key; }
