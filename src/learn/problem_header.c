/* problem_header.c - the head of a problem file: labels and groups of weights. */
#include "learn/problem_reader.h"

#include <string.h>

#include "base/memory.h"
#include "learn/ties.h"

sos_status sos_problem_read_name(sos_problem_reader *r, char name[SOS_PROBLEM_NAME_MAX + 1])
{
    sos_scanner *s = r->s;
    sos_scan_next(s);
    bool plain = s->length && s->length <= SOS_PROBLEM_NAME_MAX;
    for (size_t i = 0; plain && i < s->length; i++) plain = s->token[i] > ' ' && s->token[i] < 127;
    if (!plain) return sos_scan_expected(s, "the name of a group, at most 100 plain characters");
    memcpy(name, s->token, s->length);
    name[s->length] = '\0';
    return SOS_OK;
}

/* Where the knots of a count group are. */
static sos_status shares_words_read(sos_problem_reader *r, sos_group *group)
{
    sos_status status = sos_scan_room(r->s, "shares", group->size, 2);
    if (status) return status;
    if (!sos_grow(&r->numbers, &r->numbers_room, group->size)) return sos_problem_no_memory(r);
    for (size_t j = 0; !status && j < group->size; j++) status = sos_scan_real(r->s, "the share of a knot", &r->numbers[j]);
    group->shares = r->numbers;
    return status;
}

static sos_status kind_words_read(sos_problem_reader *r, sos_group *group)
{
    sos_scan_next(r->s);
    if (sos_scan_is(r->s, "free"))
        group->kind = SOS_GROUP_FREE;
    else if (sos_scan_is(r->s, "nonnegative"))
        group->kind = SOS_GROUP_NONNEGATIVE;
    else if (sos_scan_is(r->s, "table"))
        group->kind = SOS_GROUP_TABLE;
    else if (sos_scan_is(r->s, "count"))
        group->kind = SOS_GROUP_COUNT;
    else
        return sos_scan_expected(r->s, "'free', 'nonnegative', 'table' or 'count'");
    const bool table = group->kind == SOS_GROUP_TABLE, count = group->kind == SOS_GROUP_COUNT;
    const sos_status status = sos_scan_count(r->s,
                                             table   ? "the number of members of a table"
                                             : count ? "the number of knots"
                                                     : "the number of features",
                                             table   ? SOS_TABLE_MEMBERS_MAX
                                             : count ? SOS_KNOTS_MAX
                                                     : (size_t)1 << 30,
                                             &group->size);
    if (!status && !group->size) return sos_scan_expected(r->s, "a number above 0");
    return status || !count ? status : shares_words_read(r, group);
}

/* A number for every entry, '-' where there is no weight. */
static sos_status classes_words_read(sos_problem_reader *r, sos_group *group)
{
    const size_t entries = (size_t)1 << group->size;
    sos_status status = sos_scan_room(r->s, "classes", entries, 2);
    if (status) return status;
    if (!sos_grow(&r->index, &r->index_room, entries)) return sos_problem_no_memory(r);
    for (size_t S = 0; !status && S < entries; S++) {
        size_t class = UINT32_MAX;
        if (!sos_problem_take_word(r, "-")) status = sos_scan_count(r->s, "the class of an entry, or -", entries - 1, &class);
        r->index[S] = (uint32_t) class;
    }
    group->class_of = r->index;
    return status;
}

static sos_status stiffness_words_read(sos_problem_reader *r, sos_group *group)
{
    const sos_status status = sos_scan_real(r->s, "the stiffness of a group", &group->stiffness);
    return !status && !(group->stiffness > 0) ? sos_scan_expected(r->s, "a stiffness over 0") : status;
}

static sos_status patch_words_read(sos_problem_reader *r, sos_group *group)
{
    sos_status status = sos_scan_count(r->s, "the width of a patch", SOS_TABLE_MEMBERS_MAX, &group->patch_width);
    if (!status) status = sos_scan_count(r->s, "the height of a patch", SOS_TABLE_MEMBERS_MAX, &group->patch_height);
    if (!status && (!group->patch_width || !group->patch_height))
        return sos_scan_fail(r->s, SOS_ERR_FORMAT, "a patch of %zu x %zu pixels", group->patch_width, group->patch_height);
    return status;
}

static sos_status strengths_read(sos_problem_reader *r, sos_group *group)
{
    const sos_status status = sos_scan_count(r->s, "the number of strengths", SOS_STRENGTHS_MAX, &group->strengths);
    return !status && !group->strengths ? sos_scan_expected(r->s, "a number above 0") : status;
}

/* The next word, if it is one that ties tables; *more: it was. */
static sos_status table_tie_read(sos_problem_reader *r, sos_group *group, bool *more)
{
    if (sos_problem_take_word(r, "patch")) return patch_words_read(r, group);
    if (sos_problem_take_word(r, "classes")) return classes_words_read(r, group);
    if (sos_problem_take_word(r, "reversal"))
        group->reversal = true;
    else if (sos_problem_take_word(r, "counted"))
        group->counted = true;
    else
        *more = false;
    return SOS_OK;
}

/* The same of tables and counts. */
static sos_status tie_read(sos_problem_reader *r, sos_group *group, bool *more)
{
    if (sos_problem_take_word(r, "strengths")) return strengths_read(r, group);
    if (sos_problem_take_word(r, "anchored"))
        group->anchored = true;
    else if (sos_problem_take_word(r, "swap"))
        group->swap = true;
    else if (group->kind == SOS_GROUP_TABLE)
        return table_tie_read(r, group, more);
    else
        *more = false;
    return SOS_OK;
}

/* What may stand behind the size of a group, in any order: only tables and counts are tied. */
static sos_status ties_words_read(sos_problem_reader *r, sos_group *group)
{
    const bool tied = group->kind == SOS_GROUP_TABLE || group->kind == SOS_GROUP_COUNT;
    sos_status status = SOS_OK;
    for (bool more = true; more && !status;) {
        if (sos_problem_take_word(r, "stiffness"))
            status = stiffness_words_read(r, group);
        else if (tied)
            status = tie_read(r, group, &more);
        else
            more = false;
    }
    return status;
}

static sos_status group_line_read(sos_problem_reader *r)
{
    char name[SOS_PROBLEM_NAME_MAX + 1];
    sos_group group = { .name = name };
    const sos_scanner heading = *r->s;
    sos_status status = sos_problem_read_name(r, name);
    if (!status) status = kind_words_read(r, &group);
    if (!status) status = ties_words_read(r, &group);
    if (status) return status;
    if (sos_model_groups(r->own) == SOS_PROBLEM_GROUPS_MAX)
        return sos_scan_fail(r->s, SOS_ERR_FORMAT, "more than %d groups", SOS_PROBLEM_GROUPS_MAX);
    const size_t labels = sos_model_labels(r->own);
    size_t weights = group.size * (group.kind == SOS_GROUP_FREE ? labels : 1);
    if (group.kind == SOS_GROUP_TABLE) weights = (labels > 2 ? labels : 1) << group.size;
    if (group.kind == SOS_GROUP_COUNT) weights = (labels > 2 ? labels : 1) * group.size;
    weights *= group.strengths ? group.strengths : 1;
    status = sos_problem_allow(r, "the weights of the group", weights, &r->weights_left);
    if (status) return status;
    sos_error inner;
    uint32_t number;
    return sos_model_add_group(r->own, &group, &number, &inner) ? sos_scan_blame(&heading, &inner, "") : SOS_OK;
}

/* Whatever their stiffness: examples fit. */
static bool same_group(const sos_group *a, const sos_group *b)
{
    return !strcmp(a->name, b->name) && sos_ties_are_alike(a, b) && sos_problem_strengths(a) == sos_problem_strengths(b);
}

sos_status sos_problem_compare_groups(const sos_problem_reader *r, const sos_model *expected)
{
    const size_t labels = sos_model_labels(r->own), groups = sos_model_groups(r->own);
    if (labels != sos_model_labels(expected))
        return sos_scan_fail(r->s, SOS_ERR_FORMAT, "%zu labels; the model has %zu", labels, sos_model_labels(expected));
    for (uint32_t g = 0; g < groups && g < sos_model_groups(expected); g++) {
        const sos_group *here = sos_model_group(r->own, g), *there = sos_model_group(expected, g);
        if (strcmp(here->name, there->name) != 0)
            return sos_scan_fail(r->s, SOS_ERR_FORMAT, "group %u is '%s'; in the model it is '%.100s'", (unsigned)g, here->name,
                                 there->name);
        if (!same_group(here, there))
            return sos_scan_fail(r->s, SOS_ERR_FORMAT, "group '%s' is declared otherwise than in the model", here->name);
    }
    if (groups == sos_model_groups(expected)) return SOS_OK;
    return sos_scan_fail(r->s, SOS_ERR_FORMAT, "%zu groups; the model has %zu", groups, sos_model_groups(expected));
}

sos_status sos_problem_read_header(sos_problem_reader *r)
{
    size_t version, labels;
    sos_status status = sos_scan_word(r->s, "sosproblem");
    if (!status) status = sos_scan_count(r->s, "the version, 1", SIZE_MAX, &version);
    if (!status && version != 1) return sos_scan_fail(r->s, SOS_ERR_FORMAT, "version %zu; this library reads 1", version);
    if (!status) status = sos_scan_word(r->s, "labels");
    if (!status) status = sos_scan_count(r->s, "the number of labels", SOS_LABELS_MAX, &labels);
    if (!status && labels < 2) return sos_scan_expected(r->s, "2 labels or more");
    sos_error inner;
    if (!status && sos_model_create(labels, &r->own, &inner)) return sos_scan_blame(r->s, &inner, "");
    while (!status) {
        sos_scan_next(r->s);
        if (!sos_scan_is(r->s, "group")) break;
        status = group_line_read(r);
    }
    return status;
}
