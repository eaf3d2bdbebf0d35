/* problem_items.c - the items of an example in a problem file. */
#include "learn/problem_reader.h"

#include <string.h>

#include "base/memory.h"

enum { BATCH = 1024 }; /* pairs, or cliques of one size, that are added together */

static sos_example *current(const sos_problem_reader *r) { return r->examples[r->count - 1]; }

static sos_status group_named(sos_problem_reader *r, sos_group_kind kind)
{
    char name[SOS_PROBLEM_NAME_MAX + 1];
    const sos_status status = sos_problem_read_name(r, name);
    if (status) return status;
    const size_t groups = sos_model_groups(r->m);
    uint32_t g = r->group; /* most often the last one again */
    if (g >= groups || strcmp(sos_model_group(r->m, g)->name, name) != 0)
        for (g = 0; g < groups && strcmp(sos_model_group(r->m, g)->name, name) != 0; g++) continue;
    if (g == groups) return sos_scan_fail(r->s, SOS_ERR_FORMAT, "there is no group '%s'", name);
    static const char *const kinds[] = { "free", "nonnegative", "table", "count" };
    const sos_group_kind found = sos_model_group(r->m, g)->kind;
    if (found != kind)
        return sos_scan_fail(r->s, SOS_ERR_FORMAT, "'%s' is a %s group; here a %s one is needed", name, kinds[found],
                             kinds[kind]);
    r->group = g;
    return SOS_OK;
}

static sos_status variables_read(sos_problem_reader *r, size_t count, uint32_t variables[])
{
    for (size_t i = 0; i < count; i++) {
        size_t variable;
        const sos_status status = sos_scan_count(r->s, "a variable", r->n - 1, &variable);
        if (status) return status;
        variables[i] = (uint32_t)variable;
        for (size_t j = 0; j < i; j++)
            if (variables[j] == variables[i]) return sos_scan_fail(r->s, SOS_ERR_FORMAT, "variable %zu comes twice", variable);
    }
    return SOS_OK;
}

static sos_status phi_read(sos_problem_reader *r, double *phi)
{
    const sos_status status = sos_scan_real(r->s, "a weight phi", phi);
    if (!status && *phi < 0) return sos_scan_expected(r->s, "a weight phi that is not negative");
    return status;
}

static sos_status pairs_flush(sos_problem_reader *r)
{
    sos_problem_batch *b = &r->pairs;
    sos_error inner;
    if (b->count && sos_example_add_pairs(current(r), b->groups[0], b->count, b->variables, b->size ? b->phi : NULL, &inner))
        return sos_scan_blame(r->s, &inner, "");
    b->count = 0;
    return SOS_OK;
}

static sos_status cliques_flush(sos_problem_reader *r)
{
    sos_problem_batch *b = &r->cliques;
    sos_error inner;
    if (b->count && sos_example_add_listed(current(r), b->count, b->groups, b->variables, b->phi, &inner))
        return sos_scan_blame(r->s, &inner, "");
    b->count = 0;
    return SOS_OK;
}

/* Room for one more pair or clique of so many variables. */
static bool batch_grow(sos_problem_batch *b, size_t members, size_t phi)
{
    return sos_grow(&b->groups, &b->groups_room, b->count + 1) &&
           sos_grow(&b->variables, &b->variables_room, (b->count + 1) * members) &&
           sos_grow(&b->phi, &b->phi_room, (b->count + 1) * phi);
}

static sos_status pair_read(sos_problem_reader *r)
{
    sos_problem_batch *b = &r->pairs;
    uint32_t ends[2];
    sos_status status = group_named(r, SOS_GROUP_NONNEGATIVE);
    if (!status) status = variables_read(r, 2, ends);
    if (status) return status;
    const size_t size = sos_problem_number_follows(r) ? sos_model_group(r->m, r->group)->size : 0;
    if (size) status = sos_scan_room(r->s, "weights phi", size, 2);
    if (!status && b->count && (b->groups[0] != r->group || b->size != size || b->count == BATCH)) status = pairs_flush(r);
    if (status) return status;
    b->size = size;
    if (!batch_grow(b, 2, size)) return sos_problem_no_memory(r);
    for (size_t i = 0; !status && i < size; i++) status = phi_read(r, &b->phi[b->count * size + i]);
    memcpy(b->variables + 2 * b->count, ends, sizeof ends);
    b->groups[b->count] = r->group;
    if (!status) b->count++;
    return status;
}

static sos_status clique_read(sos_problem_reader *r)
{
    sos_problem_batch *b = &r->cliques;
    double phi[SOS_STRENGTHS_MAX];
    uint32_t members[SOS_TABLE_MEMBERS_MAX];
    sos_status status = group_named(r, SOS_GROUP_TABLE);
    if (status) return status;
    const size_t k = sos_model_group(r->m, r->group)->size, strengths = sos_problem_strengths(sos_model_group(r->m, r->group));
    for (size_t j = 0; !status && j < strengths; j++) status = phi_read(r, &phi[j]);
    if (!status) status = variables_read(r, k, members);
    if (!status && !r->seen[r->group]) status = sos_problem_allow(r, "the costs of tables", strengths << k, &r->numbers_left);
    if (!status && strengths > 1) {
        sos_error inner;
        status = cliques_flush(r);
        r->seen[r->group] = 1;
        if (status || !sos_example_add_cliques(current(r), r->group, 1, members, phi, &inner)) return status;
        return sos_scan_blame(r->s, &inner, "");
    }
    if (!status && b->count && (b->size != k || b->count == BATCH)) status = cliques_flush(r);
    if (status) return status;
    r->seen[r->group] = 1;
    b->size = k;
    if (!batch_grow(b, k, 1)) return sos_problem_no_memory(r);
    memcpy(b->variables + k * b->count, members, k * sizeof *members);
    b->groups[b->count] = r->group;
    b->phi[b->count++] = phi[0];
    return SOS_OK;
}

/* feature i index value index value ... */
static sos_status feature_read(sos_problem_reader *r, size_t features, size_t *count)
{
    size_t variable, index;
    sos_status status = sos_scan_count(r->s, "a variable", r->n - 1, &variable);
    while (!status && sos_problem_number_follows(r)) {
        if (!sos_grow(&r->features, &r->features_room, *count + 1)) return sos_problem_no_memory(r);
        sos_problem_feature *f = &r->features[*count];
        status = sos_scan_count(r->s, "the number of a feature", features - 1, &index);
        if (!status) status = sos_scan_real(r->s, "the value of a feature", &f->value);
        f->variable = (uint32_t)variable;
        f->index = (uint32_t)index;
        ++*count;
    }
    return status;
}

/* The features of a group, sorted by variable, to the example. */
static sos_status features_set(sos_problem_reader *r, size_t count)
{
    const size_t n = r->n;
    if (!sos_grow(&r->start, &r->start_room, n + 2) || !sos_grow(&r->index, &r->index_room, count + 1) ||
        !sos_grow(&r->numbers, &r->numbers_room, count + 1))
        return sos_problem_no_memory(r);
    size_t *start = r->start; /* start[i + 1] counts up from where the features of i begin to where they end */
    memset(start, 0, (n + 2) * sizeof *start);
    for (size_t f = 0; f < count; f++) start[r->features[f].variable + 2]++;
    for (size_t i = 0; i < n; i++) start[i + 2] += start[i + 1];
    for (size_t f = 0; f < count; f++) {
        const size_t at = start[r->features[f].variable + 1]++;
        r->index[at] = r->features[f].index;
        r->numbers[at] = r->features[f].value;
    }
    sos_error inner;
    if (sos_example_set_features(current(r), r->group, start, r->index, r->numbers, &inner))
        return sos_scan_blame(r->s, &inner, "");
    return SOS_OK;
}

static sos_status features_read(sos_problem_reader *r)
{
    sos_status status = group_named(r, SOS_GROUP_FREE);
    if (status) return status;
    const sos_group *group = sos_model_group(r->m, r->group);
    if (r->seen[r->group]) return sos_scan_fail(r->s, SOS_ERR_FORMAT, "the features of group '%s' come twice", group->name);
    r->seen[r->group] = 1;
    size_t count = 0;
    while (!status && sos_problem_take_word(r, "feature")) status = feature_read(r, group->size, &count);
    if (status || !count) return status;
    status = sos_problem_allow(r, "the variables that may have features", r->n, &r->numbers_left);
    return status ? status : features_set(r, count);
}

/* A label; a label and a question mark: errors there cost nothing; a question mark alone: as 0? */
static sos_status label_read(sos_problem_reader *r, size_t most, uint8_t *label, uint8_t *care)
{
    sos_scanner *s = r->s;
    sos_scan_next(s);
    size_t digits = 0, value = 0;
    for (; digits < s->length && digits < 4 && s->token[digits] >= '0' && s->token[digits] <= '9'; digits++)
        value = 10 * value + (size_t)(s->token[digits] - '0');
    const bool doubtful = digits + 1 == s->length && s->token[digits] == '?';
    if (!s->length || (digits < s->length && !doubtful)) return sos_scan_expected(s, "a true label such as 1, 1? or ?");
    if (value > most) return sos_scan_fail(s, SOS_ERR_FORMAT, "the label is %zu, but the largest is %zu", value, most);
    *label = (uint8_t)value;
    *care = !doubtful;
    return SOS_OK;
}

static sos_status truth_read(sos_problem_reader *r)
{
    if (r->truth) return sos_scan_fail(r->s, SOS_ERR_FORMAT, "the true labels come twice");
    sos_status status = sos_scan_room(r->s, "true labels", r->n, 2);
    if (status) return status;
    if (!sos_grow(&r->labels, &r->labels_room, 2 * r->n)) return sos_problem_no_memory(r);
    uint8_t *labels = r->labels, *care = r->labels + r->n;
    for (size_t i = 0; !status && i < r->n; i++) status = label_read(r, sos_model_labels(r->m) - 1, &labels[i], &care[i]);
    if (status) return status;
    const bool all = !memchr(care, 0, r->n);
    sos_error inner;
    if (sos_example_set_truth(current(r), labels, all ? NULL : care, &inner)) return sos_scan_blame(r->s, &inner, "");
    r->truth = true;
    return SOS_OK;
}

static sos_status truth_needed(const sos_problem_reader *r)
{
    return r->truth ? SOS_OK : sos_scan_fail(r->s, SOS_ERR_FORMAT, "a loss, but the true labels have not come yet");
}

static sos_status losses_take(sos_problem_reader *r, size_t count)
{
    sos_status status = sos_scan_room(r->s, "losses", count, 2);
    if (status) return status;
    if (!sos_grow(&r->numbers, &r->numbers_room, count)) return sos_problem_no_memory(r);
    for (size_t i = 0; !status && i < count; i++) status = sos_scan_real(r->s, "a loss", &r->numbers[i]);
    return status;
}

/* What errors on each variable cost: by true label, or in full. */
static sos_status loss_read(sos_problem_reader *r, bool by_class)
{
    const sos_scanner heading = *r->s;
    const size_t labels = sos_model_labels(r->m);
    sos_status status = truth_needed(r);
    if (!status && r->loss) return sos_scan_fail(r->s, SOS_ERR_FORMAT, "the loss of variables comes twice");
    if (!status && !by_class && r->n > SIZE_MAX / labels) return sos_scan_fail(r->s, SOS_ERR_FORMAT, "too many losses");
    if (!status) status = losses_take(r, by_class ? labels : r->n * labels);
    if (status) return status;
    r->loss = true;
    sos_error inner;
    sos_example *x = current(r);
    if (by_class ? sos_example_set_class_loss(x, r->numbers, &inner) : sos_example_set_loss(x, r->numbers, &inner))
        return sos_scan_blame(&heading, &inner, "");
    return SOS_OK;
}

static sos_status clique_loss_read(sos_problem_reader *r)
{
    const sos_scanner heading = *r->s;
    size_t k = 0;
    uint32_t members[SOS_TABLE_MEMBERS_MAX];
    sos_status status = truth_needed(r);
    if (!status) status = sos_scan_count(r->s, "the number of members of a clique", SOS_TABLE_MEMBERS_MAX, &k);
    if (!status && !k) return sos_scan_expected(r->s, "a clique of at least 1 member");
    if (!status) status = variables_read(r, k, members);
    if (!status) status = losses_take(r, (size_t)1 << k);
    sos_error inner;
    if (!status && sos_example_add_clique_loss(current(r), k, members, r->numbers, &inner))
        return sos_scan_blame(&heading, &inner, "");
    return status;
}

/* region GROUP reach K v ... [phi ...] */
static sos_status region_read(sos_problem_reader *r)
{
    const sos_scanner heading = *r->s;
    double reach = 0;
    size_t k = 0, variable;
    sos_status status = group_named(r, SOS_GROUP_NONNEGATIVE);
    const uint32_t group = r->group;
    if (!status) status = sos_scan_real(r->s, "the reach of a region", &reach);
    if (!status) status = sos_scan_count(r->s, "the number of members of a region", r->n, &k);
    if (!status && !k) return sos_scan_expected(r->s, "a region of at least 1 member");
    if (!status) status = sos_scan_room(r->s, "members", k, 2);
    if (status) return status;
    if (!sos_grow(&r->index, &r->index_room, k)) return sos_problem_no_memory(r);
    for (size_t q = 0; !status && q < k; q++) {
        status = sos_scan_count(r->s, "a variable", r->n - 1, &variable);
        r->index[q] = (uint32_t)variable;
    }
    const size_t size = !status && sos_problem_number_follows(r) ? sos_model_group(r->m, group)->size : 0;
    if (!status && size) status = sos_scan_room(r->s, "weights phi", size, 2);
    if (!status && !sos_grow(&r->numbers, &r->numbers_room, size)) return sos_problem_no_memory(r);
    for (size_t i = 0; !status && i < size; i++) status = phi_read(r, &r->numbers[i]);
    sos_error inner;
    if (!status &&
        sos_example_add_regions(current(r), group, 1, (size_t[]){ 0, k }, r->index, reach, size ? r->numbers : NULL, &inner))
        return sos_scan_blame(&heading, &inner, "");
    return status;
}

static sos_status reals_read(sos_problem_reader *r, const char *what, size_t count, double out[])
{
    sos_status status = sos_scan_room(r->s, what, count, 2);
    for (size_t i = 0; !status && i < count; i++) status = sos_scan_real(r->s, what, &out[i]);
    return status;
}

/* count GROUP K v ... [phi ...] [amounts a ...] */
static sos_status count_line_read(sos_problem_reader *r)
{
    const sos_scanner heading = *r->s;
    size_t k = 0, variable;
    double phi[SOS_STRENGTHS_MAX];
    sos_status status = group_named(r, SOS_GROUP_COUNT);
    const uint32_t group = r->group;
    if (!status) status = sos_scan_count(r->s, "the number of members of a count", r->n, &k);
    if (!status && !k) return sos_scan_expected(r->s, "a count of at least 1 member");
    if (!status) status = sos_scan_room(r->s, "members", k, 2);
    if (status) return status;
    if (!sos_grow(&r->index, &r->index_room, k) || !sos_grow(&r->numbers, &r->numbers_room, k)) return sos_problem_no_memory(r);
    for (size_t q = 0; !status && q < k; q++) {
        status = sos_scan_count(r->s, "a variable", r->n - 1, &variable);
        r->index[q] = (uint32_t)variable;
    }
    const bool given = !status && sos_problem_number_follows(r);
    if (given) status = reals_read(r, "weights phi", sos_problem_strengths(sos_model_group(r->m, group)), phi);
    const bool amounts = !status && sos_problem_take_word(r, "amounts");
    if (amounts) status = reals_read(r, "amounts", k, r->numbers);
    sos_error inner;
    if (!status && sos_example_add_counts(current(r), group, 1, (size_t[]){ 0, k }, r->index, amounts ? r->numbers : NULL,
                                          given ? phi : NULL, &inner))
        return sos_scan_blame(&heading, &inner, "");
    return status;
}

/* What labels cost by themselves: for each variable and label as many numbers as the group has features. */
static sos_status costs_read(sos_problem_reader *r)
{
    sos_status status = group_named(r, SOS_GROUP_NONNEGATIVE);
    if (status) return status;
    const sos_group *group = sos_model_group(r->m, r->group);
    if (r->seen[r->group]) return sos_scan_fail(r->s, SOS_ERR_FORMAT, "the costs of group '%s' come twice", group->name);
    r->seen[r->group] = 1;
    const size_t each = sos_model_labels(r->m) * group->size; /* below 2^38 */
    if (r->n > SIZE_MAX / each) return sos_scan_fail(r->s, SOS_ERR_FORMAT, "too many costs");
    status = sos_scan_room(r->s, "costs", r->n * each, 2);
    if (status) return status;
    if (!sos_grow(&r->numbers, &r->numbers_room, r->n * each)) return sos_problem_no_memory(r);
    for (size_t i = 0; !status && i < r->n * each; i++) status = sos_scan_real(r->s, "a cost", &r->numbers[i]);
    sos_error inner;
    if (!status && sos_example_set_costs(current(r), r->group, r->numbers, &inner)) return sos_scan_blame(r->s, &inner, "");
    return status;
}

static sos_status fix_read(sos_problem_reader *r)
{
    size_t variable = 0, label = 0;
    sos_status status = sos_scan_count(r->s, "a variable", r->n - 1, &variable);
    if (!status) status = sos_scan_count(r->s, "its label", sos_model_labels(r->m) - 1, &label);
    if (status) return status;
    if (sos_example_fixed(current(r), variable) != SOS_LABEL_FREE)
        return sos_scan_fail(r->s, SOS_ERR_FORMAT, "variable %zu is fixed twice", variable);
    sos_error inner;
    return sos_example_fix(current(r), variable, (int)label, &inner) ? sos_scan_blame(r->s, &inner, "") : SOS_OK;
}

static sos_status scale_read(sos_problem_reader *r)
{
    double scale;
    if (r->scale) return sos_scan_fail(r->s, SOS_ERR_FORMAT, "the scale comes twice");
    const sos_status status = sos_scan_real(r->s, "the scale", &scale);
    if (status) return status;
    r->scale = true;
    sos_error inner;
    return sos_example_set_scale(current(r), scale, &inner) ? sos_scan_blame(r->s, &inner, "") : SOS_OK;
}

sos_status sos_problem_flush(sos_problem_reader *r)
{
    const sos_status status = pairs_flush(r);
    return status ? status : cliques_flush(r);
}

sos_status sos_problem_read_item(sos_problem_reader *r)
{
    const sos_scanner *s = r->s;
    if (!r->within) return sos_scan_expected(s, "'group', 'example' or 'end'");
    if (sos_scan_is(s, "clique")) return clique_read(r);
    if (sos_scan_is(s, "pair")) return pair_read(r);
    if (sos_scan_is(s, "features")) return features_read(r);
    if (sos_scan_is(s, "truth")) return truth_read(r);
    if (sos_scan_is(s, "class-loss")) return loss_read(r, true);
    if (sos_scan_is(s, "loss")) return loss_read(r, false);
    if (sos_scan_is(s, "clique-loss")) return clique_loss_read(r);
    if (sos_scan_is(s, "scale")) return scale_read(r);
    if (sos_scan_is(s, "region")) return region_read(r);
    if (sos_scan_is(s, "count")) return count_line_read(r);
    if (sos_scan_is(s, "costs")) return costs_read(r);
    if (sos_scan_is(s, "fix")) return fix_read(r);
    return sos_scan_expected(s, "the next item, 'example' or 'end'");
}
