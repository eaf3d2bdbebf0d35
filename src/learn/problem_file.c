/* problem_file.c - learning problems as text (docs/formats.md, "Problem files"). */
#include <sos/problem.h>

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/scan.h"

enum {
    BATCH = 1024, /* pairs, or cliques of one size, that are added together */
    NAME_MAX_BYTES = 100,
    GROUPS_MAX = 4096 /* adding a group copies those before it */
};

typedef struct feature {
    uint32_t variable, index;
    double value;
} feature;

/* Pairs of one group, or cliques of one size, that wait to be added. */
typedef struct batch {
    size_t count, size; /* size: members of a clique; phi of a pair, or 0: none were given, all are 1 */
    uint32_t *variables, *groups;
    double *phi;
    size_t variables_room, groups_room, phi_room;
} batch;

typedef struct reader {
    sos_scanner *s;
    sos_model *own;     /* what the file declares */
    const sos_model *m; /* what the examples are for */
    uint32_t group;     /* the last one named */

    /* Memory that the file may ask for beyond what its bytes pay for: numbers of weights, and of what examples hold. */
    size_t weights_left, numbers_left;

    sos_example **examples;
    size_t count, room;
    bool within;   /* an example: */
    size_t number; /* this one */
    size_t n;
    bool truth, loss, scale;
    uint8_t *seen; /* [groups]: has been used in this example */

    batch pairs, cliques;
    feature *features;
    size_t *start;
    uint32_t *index;
    uint8_t *labels; /* and n more that say which count */
    double *numbers;
    size_t features_room, start_room, index_room, labels_room, numbers_room;
} reader;

static sos_status no_memory(const reader *r) { return sos_scan_fail(r->s, SOS_ERR_MEMORY, "no memory to read further"); }

/* So that a file of some bytes cannot ask for gigabytes. */
static sos_status allowance(const reader *r, const char *what, size_t amount, size_t *left)
{
    if (amount > *left)
        return sos_scan_fail(r->s, SOS_ERR_FORMAT, "%s: too many for a file of %zu bytes", what,
                             (size_t)(r->s->end - r->s->text));
    *left -= amount;
    return SOS_OK;
}

/* The next token, without taking it. */
static sos_scanner peek(const reader *r)
{
    sos_scanner next = *r->s;
    sos_scan_next(&next);
    return next;
}

static bool number_follows(const reader *r)
{
    const sos_scanner next = peek(r);
    const char c = next.length ? *next.token : 'x';
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.';
}

/* Takes the next token if it is this word. */
static bool word_follows(reader *r, const char *word)
{
    const sos_scanner next = peek(r);
    if (!sos_scan_is(&next, word)) return false;
    *r->s = next;
    return true;
}

/* ---------------------------------------------------------------- the groups */

static sos_status name_read(reader *r, char name[NAME_MAX_BYTES + 1])
{
    sos_scanner *s = r->s;
    sos_scan_next(s);
    bool plain = s->length && s->length <= NAME_MAX_BYTES;
    for (size_t i = 0; plain && i < s->length; i++) plain = s->token[i] > ' ' && s->token[i] < 127;
    if (!plain) return sos_scan_expected(s, "the name of a group, at most 100 plain characters");
    memcpy(name, s->token, s->length);
    name[s->length] = '\0';
    return SOS_OK;
}

static sos_status kind_read(reader *r, sos_group *group)
{
    sos_scan_next(r->s);
    if (sos_scan_is(r->s, "free"))
        group->kind = SOS_GROUP_FREE;
    else if (sos_scan_is(r->s, "nonnegative"))
        group->kind = SOS_GROUP_NONNEGATIVE;
    else if (sos_scan_is(r->s, "table"))
        group->kind = SOS_GROUP_TABLE;
    else
        return sos_scan_expected(r->s, "'free', 'nonnegative' or 'table'");
    const bool table = group->kind == SOS_GROUP_TABLE;
    const sos_status status = sos_scan_count(r->s, table ? "the number of members of a table" : "the number of features",
                                             table ? SOS_TABLE_MEMBERS_MAX : (size_t)1 << 30, &group->size);
    if (!status && !group->size) return sos_scan_expected(r->s, "a number above 0");
    return status;
}

static sos_status ties_read(reader *r, sos_group *group)
{
    sos_status status = SOS_OK;
    for (bool more = true; more && !status;) {
        if (word_follows(r, "anchored")) {
            group->anchored = true;
        } else if (word_follows(r, "swap")) {
            group->swap = true;
        } else if (word_follows(r, "patch")) {
            status = sos_scan_count(r->s, "the width of a patch", SOS_TABLE_MEMBERS_MAX, &group->patch_width);
            if (!status) status = sos_scan_count(r->s, "the height of a patch", SOS_TABLE_MEMBERS_MAX, &group->patch_height);
            if (!status && (!group->patch_width || !group->patch_height))
                return sos_scan_fail(r->s, SOS_ERR_FORMAT, "a patch of %zu x %zu pixels", group->patch_width,
                                     group->patch_height);
        } else {
            more = false;
        }
    }
    return status;
}

static sos_status group_read(reader *r)
{
    char name[NAME_MAX_BYTES + 1];
    sos_group group = { .name = name };
    const sos_scanner heading = *r->s;
    sos_status status = name_read(r, name);
    if (!status) status = kind_read(r, &group);
    if (!status && group.kind == SOS_GROUP_TABLE) status = ties_read(r, &group);
    if (status) return status;
    if (sos_model_groups(r->own) == GROUPS_MAX) return sos_scan_fail(r->s, SOS_ERR_FORMAT, "more than %d groups", GROUPS_MAX);
    const size_t labels = sos_model_labels(r->own);
    size_t weights = group.size * (group.kind == SOS_GROUP_FREE ? labels : 1);
    if (group.kind == SOS_GROUP_TABLE) weights = (labels > 2 ? labels : 1) << group.size;
    status = allowance(r, "the weights of the group", weights, &r->weights_left);
    if (status) return status;
    sos_error inner;
    uint32_t number;
    return sos_model_add_group(r->own, &group, &number, &inner) ? sos_scan_blame(&heading, &inner, "") : SOS_OK;
}

static bool same_group(const sos_group *a, const sos_group *b)
{
    return !strcmp(a->name, b->name) && a->kind == b->kind && a->size == b->size && a->anchored == b->anchored &&
           a->swap == b->swap && a->patch_width == b->patch_width && a->patch_height == b->patch_height;
}

static sos_status compare(const reader *r, const sos_model *expected)
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

/* Leaves the first token behind the groups as the last one taken. */
static sos_status header_read(reader *r)
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
        status = group_read(r);
    }
    return status;
}

/* ---------------------------------------------------------------- an example */

static sos_example *current(const reader *r) { return r->examples[r->count - 1]; }

static sos_status group_named(reader *r, sos_group_kind kind)
{
    char name[NAME_MAX_BYTES + 1];
    const sos_status status = name_read(r, name);
    if (status) return status;
    const size_t groups = sos_model_groups(r->m);
    uint32_t g = r->group; /* most often the last one again */
    if (g >= groups || strcmp(sos_model_group(r->m, g)->name, name) != 0)
        for (g = 0; g < groups && strcmp(sos_model_group(r->m, g)->name, name) != 0; g++) continue;
    if (g == groups) return sos_scan_fail(r->s, SOS_ERR_FORMAT, "there is no group '%s'", name);
    static const char *const kinds[] = { "free", "nonnegative", "table" };
    const sos_group_kind found = sos_model_group(r->m, g)->kind;
    if (found != kind)
        return sos_scan_fail(r->s, SOS_ERR_FORMAT, "'%s' is a %s group; here a %s one is needed", name, kinds[found],
                             kinds[kind]);
    r->group = g;
    return SOS_OK;
}

static sos_status variables_read(reader *r, size_t count, uint32_t variables[])
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

static sos_status phi_read(reader *r, double *phi)
{
    const sos_status status = sos_scan_real(r->s, "a weight phi", phi);
    if (!status && *phi < 0) return sos_scan_expected(r->s, "a weight phi that is not negative");
    return status;
}

static sos_status pairs_flush(reader *r)
{
    batch *b = &r->pairs;
    sos_error inner;
    if (b->count && sos_example_add_pairs(current(r), b->groups[0], b->count, b->variables, b->size ? b->phi : NULL, &inner))
        return sos_scan_blame(r->s, &inner, "");
    b->count = 0;
    return SOS_OK;
}

static sos_status cliques_flush(reader *r)
{
    batch *b = &r->cliques;
    sos_error inner;
    if (b->count && sos_example_add_listed(current(r), b->count, b->groups, b->variables, b->phi, &inner))
        return sos_scan_blame(r->s, &inner, "");
    b->count = 0;
    return SOS_OK;
}

/* Room for one more pair or clique of so many variables. */
static bool batch_grow(batch *b, size_t members, size_t phi)
{
    return sos_grow(&b->groups, &b->groups_room, b->count + 1) &&
           sos_grow(&b->variables, &b->variables_room, (b->count + 1) * members) &&
           sos_grow(&b->phi, &b->phi_room, (b->count + 1) * phi);
}

static sos_status pair_read(reader *r)
{
    batch *b = &r->pairs;
    uint32_t ends[2];
    sos_status status = group_named(r, SOS_GROUP_NONNEGATIVE);
    if (!status) status = variables_read(r, 2, ends);
    if (status) return status;
    const size_t size = number_follows(r) ? sos_model_group(r->m, r->group)->size : 0;
    if (size) status = sos_scan_room(r->s, "weights phi", size, 2);
    if (!status && b->count && (b->groups[0] != r->group || b->size != size || b->count == BATCH)) status = pairs_flush(r);
    if (status) return status;
    b->size = size;
    if (!batch_grow(b, 2, size)) return no_memory(r);
    for (size_t i = 0; !status && i < size; i++) status = phi_read(r, &b->phi[b->count * size + i]);
    memcpy(b->variables + 2 * b->count, ends, sizeof ends);
    b->groups[b->count] = r->group;
    if (!status) b->count++;
    return status;
}

static sos_status clique_read(reader *r)
{
    batch *b = &r->cliques;
    double phi;
    uint32_t members[SOS_TABLE_MEMBERS_MAX];
    sos_status status = group_named(r, SOS_GROUP_TABLE);
    if (!status) status = phi_read(r, &phi);
    if (status) return status;
    const size_t k = sos_model_group(r->m, r->group)->size;
    status = variables_read(r, k, members);
    if (!status && !r->seen[r->group]) status = allowance(r, "the costs of tables", (size_t)1 << k, &r->numbers_left);
    if (!status && b->count && (b->size != k || b->count == BATCH)) status = cliques_flush(r);
    if (status) return status;
    r->seen[r->group] = 1;
    b->size = k;
    if (!batch_grow(b, k, 1)) return no_memory(r);
    memcpy(b->variables + k * b->count, members, k * sizeof *members);
    b->groups[b->count] = r->group;
    b->phi[b->count++] = phi;
    return SOS_OK;
}

/* feature i index value index value ... */
static sos_status feature_read(reader *r, size_t features, size_t *count)
{
    size_t variable, index;
    sos_status status = sos_scan_count(r->s, "a variable", r->n - 1, &variable);
    while (!status && number_follows(r)) {
        if (!sos_grow(&r->features, &r->features_room, *count + 1)) return no_memory(r);
        feature *f = &r->features[*count];
        status = sos_scan_count(r->s, "the number of a feature", features - 1, &index);
        if (!status) status = sos_scan_real(r->s, "the value of a feature", &f->value);
        f->variable = (uint32_t)variable;
        f->index = (uint32_t)index;
        ++*count;
    }
    return status;
}

/* The features of a group, sorted by variable, to the example. */
static sos_status features_set(reader *r, size_t count)
{
    const size_t n = r->n;
    if (!sos_grow(&r->start, &r->start_room, n + 2) || !sos_grow(&r->index, &r->index_room, count + 1) ||
        !sos_grow(&r->numbers, &r->numbers_room, count + 1))
        return no_memory(r);
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

static sos_status features_read(reader *r)
{
    sos_status status = group_named(r, SOS_GROUP_FREE);
    if (status) return status;
    const sos_group *group = sos_model_group(r->m, r->group);
    if (r->seen[r->group]) return sos_scan_fail(r->s, SOS_ERR_FORMAT, "the features of group '%s' come twice", group->name);
    r->seen[r->group] = 1;
    size_t count = 0;
    while (!status && word_follows(r, "feature")) status = feature_read(r, group->size, &count);
    if (status || !count) return status;
    status = allowance(r, "the variables that may have features", r->n, &r->numbers_left);
    return status ? status : features_set(r, count);
}

/* A label; a label and a question mark: errors there cost nothing; a question mark alone: as 0? */
static sos_status label_read(reader *r, size_t most, uint8_t *label, uint8_t *care)
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

static sos_status truth_read(reader *r)
{
    if (r->truth) return sos_scan_fail(r->s, SOS_ERR_FORMAT, "the true labels come twice");
    sos_status status = sos_scan_room(r->s, "true labels", r->n, 2);
    if (status) return status;
    if (!sos_grow(&r->labels, &r->labels_room, 2 * r->n)) return no_memory(r);
    uint8_t *labels = r->labels, *care = r->labels + r->n;
    for (size_t i = 0; !status && i < r->n; i++) status = label_read(r, sos_model_labels(r->m) - 1, &labels[i], &care[i]);
    if (status) return status;
    const bool all = !memchr(care, 0, r->n);
    sos_error inner;
    if (sos_example_set_truth(current(r), labels, all ? NULL : care, &inner)) return sos_scan_blame(r->s, &inner, "");
    r->truth = true;
    return SOS_OK;
}

static sos_status truth_needed(const reader *r)
{
    return r->truth ? SOS_OK : sos_scan_fail(r->s, SOS_ERR_FORMAT, "a loss, but the true labels have not come yet");
}

static sos_status losses_take(reader *r, size_t count)
{
    sos_status status = sos_scan_room(r->s, "losses", count, 2);
    if (status) return status;
    if (!sos_grow(&r->numbers, &r->numbers_room, count)) return no_memory(r);
    for (size_t i = 0; !status && i < count; i++) status = sos_scan_real(r->s, "a loss", &r->numbers[i]);
    return status;
}

/* What errors on each variable cost: by true label, or in full. */
static sos_status loss_read(reader *r, bool by_class)
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

static sos_status clique_loss_read(reader *r)
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

static sos_status scale_read(reader *r)
{
    double scale;
    if (r->scale) return sos_scan_fail(r->s, SOS_ERR_FORMAT, "the scale comes twice");
    const sos_status status = sos_scan_real(r->s, "the scale", &scale);
    if (status) return status;
    r->scale = true;
    sos_error inner;
    return sos_example_set_scale(current(r), scale, &inner) ? sos_scan_blame(r->s, &inner, "") : SOS_OK;
}

/* ---------------------------------------------------------------- all examples */

static sos_status example_finish(reader *r)
{
    if (!r->within) return SOS_OK;
    const sos_status status = pairs_flush(r);
    return status ? status : cliques_flush(r);
}

static sos_status example_begin(reader *r)
{
    sos_status status = example_finish(r);
    if (status) return status;
    r->within = true;
    r->number = r->count;
    const size_t groups = sos_model_groups(r->m);
    status = sos_scan_count(r->s, "the number of variables", UINT32_MAX, &r->n);
    if (status) return status;
    if (!r->n) return sos_scan_fail(r->s, SOS_ERR_FORMAT, "an example needs variables");
    status = allowance(r, "the variables of the example", r->n, &r->numbers_left);
    if (!status) status = allowance(r, "groups and examples", groups, &r->numbers_left);
    if (status) return status;
    if (!sos_grow(&r->examples, &r->room, r->count + 1)) return no_memory(r);
    sos_error inner;
    if (sos_example_create(r->m, r->n, &r->examples[r->count], &inner)) return sos_scan_blame(r->s, &inner, "");
    r->count++;
    r->truth = r->loss = r->scale = false;
    memset(r->seen, 0, groups);
    return SOS_OK;
}

/* The item whose first word is the last token. */
static sos_status item_read(reader *r)
{
    const sos_scanner *s = r->s;
    if (sos_scan_is(s, "example")) return example_begin(r);
    if (!r->within) return sos_scan_expected(s, "'group', 'example' or 'end'");
    if (sos_scan_is(s, "clique")) return clique_read(r);
    if (sos_scan_is(s, "pair")) return pair_read(r);
    if (sos_scan_is(s, "features")) return features_read(r);
    if (sos_scan_is(s, "truth")) return truth_read(r);
    if (sos_scan_is(s, "class-loss")) return loss_read(r, true);
    if (sos_scan_is(s, "loss")) return loss_read(r, false);
    if (sos_scan_is(s, "clique-loss")) return clique_loss_read(r);
    if (sos_scan_is(s, "scale")) return scale_read(r);
    return sos_scan_expected(s, "the next item, 'example' or 'end'");
}

static sos_status problem_fill(reader *r, const sos_model *expected)
{
    sos_status status = header_read(r);
    if (!status && expected) status = compare(r, expected);
    if (status) return status;
    r->m = expected ? expected : r->own;
    r->seen = calloc(sos_model_groups(r->m) + 1, 1);
    if (!r->seen) return no_memory(r);
    while (!status && !sos_scan_is(r->s, "end")) {
        status = item_read(r);
        if (!status) sos_scan_next(r->s);
    }
    if (!status) status = example_finish(r);
    r->within &= status != SOS_OK;
    return status ? status : sos_scan_finish(r->s);
}

static void scratch_free(reader *r)
{
    batch *batches[] = { &r->pairs, &r->cliques };
    for (size_t i = 0; i < 2; i++) {
        free(batches[i]->variables);
        free(batches[i]->groups);
        free(batches[i]->phi);
    }
    free(r->seen);
    free(r->features);
    free(r->start);
    free(r->index);
    free(r->labels);
    free(r->numbers);
}

/* "file:line: ..." becomes "file:line: example 3: ...". */
static sos_status example_blame(const reader *r, const sos_error *inner, sos_error *error)
{
    const char *colon = inner->message + strlen(inner->message), *name_end = inner->message;
    for (size_t i = 0; i < 200 && r->s->name[i]; i++) name_end++;
    if (name_end < colon) colon = name_end + 1 + strspn(name_end + 1, "0123456789");
    if (!r->within) return sos_fail(error, inner->status, "%s", inner->message);
    return sos_fail(error, inner->status, "%.*s: example %zu%.260s", (int)(colon - inner->message), inner->message, r->number,
                    colon);
}

sos_status sos_problem_parse(const char *text, size_t length, const char *name, const sos_model *expected, sos_model **model,
                             size_t *count, sos_example ***examples, sos_error *error)
{
    if (!text || !count || !examples || (!model && !expected))
        return sos_fail(error, SOS_ERR_ARGUMENT, "no text or no place for what is in it was given");
    sos_error inner = { SOS_OK, "" };
    sos_scanner s = { text, text, text + length, text, 0, name ? name : "text", true, &inner };
    if (length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) s.at += 3; /* the mark some editors put in front of UTF-8 */
    const size_t paid = length < SIZE_MAX / 64 ? 16 * length : length;
    reader r = { .s = &s, .weights_left = ((size_t)1 << 22) + paid, .numbers_left = ((size_t)1 << 20) + paid };
    sos_status status = problem_fill(&r, expected);
    scratch_free(&r);
    if (!status && !r.examples) r.examples = calloc(1, sizeof *r.examples); /* none: still an array */
    if (!status && !r.examples) status = sos_scan_fail(&s, SOS_ERR_MEMORY, "no memory for a list");
    if (status) {
        sos_problem_free(r.count, r.examples);
        sos_model_free(r.own);
        return example_blame(&r, &inner, error);
    }
    if (model)
        *model = r.own;
    else
        sos_model_free(r.own);
    *count = r.count;
    *examples = r.examples;
    return SOS_OK;
}

sos_status sos_problem_read(const char *path, const sos_model *expected, sos_model **model, size_t *count,
                            sos_example ***examples, sos_error *error)
{
    if (!path) return sos_fail(error, SOS_ERR_ARGUMENT, "no path was given");
    char *text = NULL;
    size_t length = 0;
    sos_status status = sos_text_read(path, &text, &length, error);
    if (status) return status;
    status = sos_problem_parse(text, length, path, expected, model, count, examples, error);
    free(text);
    return status;
}

void sos_problem_free(size_t count, sos_example **examples)
{
    for (size_t i = 0; examples && i < count; i++) sos_example_free(examples[i]);
    free(examples);
}
