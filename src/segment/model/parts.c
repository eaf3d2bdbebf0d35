#include "segment/model/parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "tasks/facts.h"

enum {
    VERSION = 1, /* of the fact "features" */
    KIND_ROOM = 16,
    HASH_ROOM = 17,
    PICTURES_MAX = 100000 /* that networks have seen */
};
static const char TASK[] = "segment";
static const char *const LOOK_NAMES[S3SVM_SEGMENT_LOOKS] = { "response", "ratio" };

const char *s3svm_segment_features_name(s3svm_segment_features features)
{
    return features == S3SVM_SEGMENT_PAPER ? "paper" : features == S3SVM_SEGMENT_NONE ? "none" : "full";
}

const double s3svm_segment_nearness[S3SVM_SEGMENT_NEARNESS] = { 0.02, 0.05, 0.1, 0.2, 0.4 };

/* ---------------------------------------------------------------- methods */

typedef struct method_row {
    const char *name;
    bool pairs, patches, tables, regions, counts, scattered;
    double relations; /* unless the settings say */
} method_row;

static const method_row METHODS[S3SVM_SEGMENT_DESIGNS] = {
    [S3SVM_SEGMENT_AMN] = { .name = "amn", .pairs = true, .relations = 1 },
    [S3SVM_SEGMENT_S3SVM] = { .name = "s3svm", .patches = true, .tables = true, .relations = 4 },
    [S3SVM_SEGMENT_COUNTS] = { .name = "counts", .pairs = true, .regions = true, .counts = true, .relations = 1 },
    [S3SVM_SEGMENT_UNARIES] = { .name = "unaries", .relations = 1 },
    [S3SVM_SEGMENT_KEYED_PAIRS] = { .name = "pairs", .patches = true, .relations = 4 },
    [S3SVM_SEGMENT_ROBUST] = { .name = "robust", .pairs = true, .regions = true, .relations = 1 },
    [S3SVM_SEGMENT_SCATTERED] = { .name = "region-pairs", .pairs = true, .regions = true, .scattered = true, .relations = 1 },
};

const char *s3svm_segment_method_name(s3svm_segment_method method) { return METHODS[method].name; }
double s3svm_segment_method_relations(s3svm_segment_method method) { return METHODS[method].relations; }
bool s3svm_segment_has_pairs(const s3svm_segment_parts *f) { return METHODS[f->method].pairs; }
bool s3svm_segment_has_patches(const s3svm_segment_parts *f) { return METHODS[f->method].patches; }
bool s3svm_segment_has_tables(const s3svm_segment_parts *f) { return METHODS[f->method].tables; }
bool s3svm_segment_has_regions(const s3svm_segment_parts *f) { return METHODS[f->method].regions; }
bool s3svm_segment_has_counts(const s3svm_segment_parts *f) { return METHODS[f->method].counts; }
bool s3svm_segment_has_scattered(const s3svm_segment_parts *f) { return METHODS[f->method].scattered; }

void s3svm_segment_parts_free(s3svm_segment_parts *f)
{
    if (!f) return;
    s3svm_segment_response_free(&f->response);
    s3svm_own_maps_free(&f->maps);
    s3svm_outline_model_free(&f->outline);
    free(f);
}

/* ---------------------------------------------------------------- groups */

enum { GROUPS_MAX = S3SVM_SEGMENT_PATCHES + 1 + S3SVM_SEGMENT_CLUSTERS + S3SVM_SEGMENT_REGIONS, NAME_ROOM = 16 };

typedef struct group_list {
    size_t count, relations, regions; /* all groups; the first of pairs or patches; the first of regions */
    sos_group groups[GROUPS_MAX];
    char names[S3SVM_SEGMENT_CLUSTERS][NAME_ROOM];
} group_list;

static void group_append(group_list *list, const char *name, sos_group_kind kind, size_t size)
{
    list->groups[list->count++] = (sos_group){ .name = name, .kind = kind, .size = size };
}

/* Shares of a region that is object, at which its function may bend.  Each costs time; those of robust P^n are among
 * them. */
static const double SHARES[S3SVM_SEGMENT_SHARES] = { 0, 0.1, 0.3, 0.7, 0.9, 1 };

static void regions_append(const s3svm_segment_parts *f, group_list *list)
{
    static const char *const names[S3SVM_SEGMENT_REGIONS] = { "small superpixels", "superpixels", "large superpixels",
                                                              "sets of colours" };
    const bool counts = s3svm_segment_has_counts(f), scattered = s3svm_segment_has_scattered(f);
    if (!s3svm_segment_has_regions(f)) return;
    if (!counts && !scattered) group_append(list, "regions", SOS_GROUP_NONNEGATIVE, S3SVM_SEGMENT_REGIONS);
    for (size_t k = 0; scattered && k < S3SVM_SEGMENT_REGIONS; k++)
        group_append(list, names[k], SOS_GROUP_NONNEGATIVE, S3SVM_SEGMENT_PAIRS);
    for (size_t k = 0; counts && k < S3SVM_SEGMENT_REGIONS; k++) {
        sos_group *group = &list->groups[list->count];
        group_append(list, names[k], SOS_GROUP_COUNT, S3SVM_SEGMENT_SHARES);
        group->anchored = true;
        group->shares = SHARES;
    }
}

static void groups_of(const s3svm_segment_parts *f, group_list *list)
{
    *list = (group_list){ 0 };
    group_append(list, "scribbles", SOS_GROUP_FREE, 2);
    if (f->kind == S3SVM_SEGMENT_PAPER) {
        group_append(list, "colours", SOS_GROUP_FREE, 1);
        group_append(list, "distances", SOS_GROUP_FREE, S3SVM_SEGMENT_BINS * S3SVM_SEGMENT_BINS);
        group_append(list, "patches", SOS_GROUP_FREE, S3SVM_SEGMENT_CLUSTERS * S3SVM_SEGMENT_STATES);
    } else if (f->kind == S3SVM_SEGMENT_NONE)
        group_append(list, "constant", SOS_GROUP_FREE, 1);
    else
        for (size_t k = 0; k < S3SVM_SEGMENT_LOOKS; k++) group_append(list, LOOK_NAMES[k], SOS_GROUP_FREE, f->knots[k]);
    if (f->response.dialogues)
        group_append(list, "before", SOS_GROUP_FREE, S3SVM_SEGMENT_LABELS * (S3SVM_SEGMENT_NEARNESS + 1));
    list->relations = list->count;
    if (s3svm_segment_has_pairs(f)) group_append(list, "pairs", SOS_GROUP_NONNEGATIVE, S3SVM_SEGMENT_PAIRS);
    for (size_t c = 0; s3svm_segment_has_patches(f) && c < S3SVM_SEGMENT_CLUSTERS; c++) {
        snprintf(list->names[c], NAME_ROOM, "gradient %zu", c);
        if (s3svm_segment_has_tables(f))
            group_append(list, list->names[c], SOS_GROUP_TABLE, 4);
        else
            group_append(list, list->names[c], SOS_GROUP_NONNEGATIVE, S3SVM_SEGMENT_APART);
    }
    list->regions = list->count;
    regions_append(f, list);
}

uint32_t s3svm_segment_relations(const s3svm_segment_parts *f)
{
    group_list list;
    groups_of(f, &list);
    return (uint32_t)list.relations;
}

uint32_t s3svm_segment_regions(const s3svm_segment_parts *f)
{
    group_list list;
    groups_of(f, &list);
    return (uint32_t)list.regions;
}

static sos_status groups_add(sos_model *m, const s3svm_segment_parts *f, sos_error *error)
{
    group_list list;
    groups_of(f, &list);
    sos_status status = SOS_OK;
    for (size_t g = 0; g < list.count && !status; g++) {
        uint32_t number;
        status = sos_model_add_group(m, &list.groups[g], &number, error);
    }
    return status;
}

static sos_status groups_check(const sos_model *m, const s3svm_segment_parts *f, sos_error *error)
{
    group_list list;
    groups_of(f, &list);
    if (sos_model_labels(m) == S3SVM_SEGMENT_LABELS && s3svm_facts_groups(m, list.count, list.groups)) return SOS_OK;
    return sos_fail(error, SOS_ERR_FORMAT, "the model's groups are not those of the %s %s model of segmentation",
                    s3svm_segment_features_name(f->kind), s3svm_segment_method_name(f->method));
}

/* ---------------------------------------------------------------- maps */

/* Evidence is like the log odds of own maps, but that there may be none. */
sos_status s3svm_segment_maps_check(const s3svm_segment_parts *f, const s3svm_maps *maps, size_t width, size_t height,
                                    sos_error *error)
{
    const s3svm_own_maps evidence = { .kind = S3SVM_MAPS_ODDS, .channels = 1 };
    if (!f->response.evidence) return s3svm_own_maps_check(&f->maps, maps, width, height, error);
    return maps && maps->values ? s3svm_own_maps_check(&evidence, maps, width, height, error) : SOS_OK;
}

/* ---------------------------------------------------------------- facts */

static void response_write(sos_json *j, const s3svm_segment_response *r)
{
    if (r->dialogues) sos_json_truth(j, "dialogues", true);
    if (r->evidence) sos_json_truth(j, "evidence", true);
    sos_json_count(j, "learned from", r->pictures);
    sos_json_open(j, "hashes", '[');
    for (size_t i = 0; i < r->pictures; i++) {
        char text[HASH_ROOM];
        snprintf(text, sizeof text, "%016" PRIx64, r->hashes[i]);
        sos_json_text(j, NULL, text);
    }
    sos_json_close(j, ']');
    sos_json_open(j, "networks", '[');
    for (size_t k = 0; k < S3SVM_SEGMENT_NETWORKS; k++) {
        const s3svm_perceptron *p = &r->networks[k];
        sos_json_floats(j, NULL, s3svm_perceptron_numbers(p), p->numbers);
    }
    sos_json_close(j, ']');
}

static void features_write(sos_json *j, const void *data)
{
    const s3svm_segment_parts *f = data;
    sos_json_open(j, NULL, '{');
    sos_json_count(j, "version", VERSION);
    sos_json_text(j, "model", s3svm_segment_features_name(f->kind));
    sos_json_text(j, "method", s3svm_segment_method_name(f->method));
    if (f->kind == S3SVM_SEGMENT_PAPER) {
        sos_json_floats(j, "object distances", S3SVM_SEGMENT_EDGES, f->edges[0]);
        sos_json_floats(j, "background distances", S3SVM_SEGMENT_EDGES, f->edges[1]);
        sos_json_floats(j, "patches", S3SVM_SEGMENT_CLUSTERS * S3SVM_SEGMENT_PATCH, f->patches);
    }
    if (f->kind == S3SVM_SEGMENT_FULL) {
        for (size_t k = 0; k < S3SVM_SEGMENT_LOOKS; k++) sos_json_floats(j, LOOK_NAMES[k], f->knots[k], f->knot[k]);
        response_write(j, &f->response);
    }
    if (f->relations != s3svm_segment_method_relations(f->method)) sos_json_real(j, "relations", f->relations);
    if (s3svm_segment_has_patches(f))
        sos_json_floats(j, "gradients", S3SVM_SEGMENT_CLUSTERS * S3SVM_SEGMENT_GRADIENT, f->gradients);
    sos_json_close(j, '}');
}

static sos_status facts_set(sos_model *m, const s3svm_segment_parts *f, sos_error *error)
{
    const sos_status status = s3svm_facts_set_text(m, "task", TASK, error);
    return status ? status : s3svm_facts_set(m, "features", features_write, f, error);
}

static void kind_read(s3svm_facts *t, s3svm_segment_features *kind, s3svm_segment_method *method)
{
    char name[KIND_ROOM], how[KIND_ROOM];
    s3svm_facts_kind(t, VERSION, sizeof name, name);
    s3svm_facts_text(t, t->whole, "method", sizeof how, how);
    *kind = S3SVM_SEGMENT_PAPER;
    while (*kind < S3SVM_SEGMENT_NONE && strcmp(name, s3svm_segment_features_name(*kind)) != 0) ++*kind;
    size_t design = 0;
    while (design < S3SVM_SEGMENT_DESIGNS - 1 && strcmp(how, METHODS[design].name) != 0) design++;
    *method = (s3svm_segment_method)design;
    if (strcmp(name, s3svm_segment_features_name(*kind)) || strcmp(how, s3svm_segment_method_name(*method)))
        s3svm_facts_wrong(t, "an unknown model of segmentation: \"%s\", \"%s\"", name, how);
}

static void list_read(s3svm_facts *t, const char *name, size_t count, float out[])
{
    s3svm_facts_reals(t, t->whole, name, count, count, out);
}

static void paper_read(s3svm_facts *t, s3svm_segment_parts *f)
{
    list_read(t, "object distances", S3SVM_SEGMENT_EDGES, f->edges[0]);
    list_read(t, "background distances", S3SVM_SEGMENT_EDGES, f->edges[1]);
    list_read(t, "patches", S3SVM_SEGMENT_CLUSTERS * S3SVM_SEGMENT_PATCH, f->patches);
}

static void knots_read(s3svm_facts *t, s3svm_segment_parts *f, size_t k)
{
    f->knots[k] = s3svm_facts_reals(t, t->whole, LOOK_NAMES[k], 2, S3SVM_SEGMENT_KNOTS_MAX, f->knot[k]);
    for (size_t i = 1; i < f->knots[k]; i++)
        if (!(f->knot[k][i] > f->knot[k][i - 1])) s3svm_facts_wrong(t, "\"%s\" must increase", LOOK_NAMES[k]);
}

static uint64_t hash_read(s3svm_facts *t, const sos_json_value *v)
{
    const char *text = sos_json_value_text(v);
    if (!text || strlen(text) != HASH_ROOM - 1 || strspn(text, "0123456789abcdef") != HASH_ROOM - 1)
        s3svm_facts_wrong(t, "a hash must be a string of 16 digits");
    return t->status ? 0 : strtoull(text, NULL, 16);
}

static s3svm_segment_sight sight_read(s3svm_facts *t)
{
    const bool dialogues = sos_json_value_truth(sos_json_value_member(t->whole, "dialogues"));
    const bool evidence = sos_json_value_truth(sos_json_value_member(t->whole, "evidence"));
    if (evidence && !dialogues) s3svm_facts_wrong(t, "\"evidence\" without \"dialogues\"");
    return evidence ? S3SVM_SIGHT_EVIDENCE : dialogues ? S3SVM_SIGHT_DIALOGUE : S3SVM_SIGHT_MARKS;
}

static void full_read(s3svm_facts *t, s3svm_segment_parts *f)
{
    for (size_t k = 0; k < S3SVM_SEGMENT_LOOKS; k++) knots_read(t, f, k);
    const s3svm_segment_sight sight = sight_read(t);
    const size_t pictures = s3svm_facts_count(t, t->whole, "learned from", 1, PICTURES_MAX);
    const sos_json_value *hashes = s3svm_facts_list(t, t->whole, "hashes", pictures, pictures);
    const sos_json_value *networks = s3svm_facts_list(t, t->whole, "networks", S3SVM_SEGMENT_NETWORKS, S3SVM_SEGMENT_NETWORKS);
    if (!t->status) t->status = s3svm_segment_response_create(pictures, sight, &f->response, t->error);
    if (t->status) return;
    for (size_t i = 0; i < pictures; i++) f->response.hashes[i] = hash_read(t, sos_json_value_item(hashes, i));
    const size_t numbers = s3svm_perceptron_numbers(&f->response.networks[0]);
    for (size_t k = 0; k < S3SVM_SEGMENT_NETWORKS; k++)
        s3svm_facts_numbers(t, sos_json_value_item(networks, k), "a network", numbers, numbers,
                            f->response.networks[k].numbers);
}

/* Members of the other kinds would be lost in silence. */
static void members_check(s3svm_facts *t, const s3svm_segment_parts *f)
{
    const char *members[16] = { "version", "model", "method" };
    size_t count = 3;
    if (f->kind == S3SVM_SEGMENT_PAPER) {
        members[count++] = "object distances";
        members[count++] = "background distances";
        members[count++] = "patches";
    } else if (f->kind == S3SVM_SEGMENT_FULL) {
        for (size_t k = 0; k < S3SVM_SEGMENT_LOOKS; k++) members[count++] = LOOK_NAMES[k];
        members[count++] = "dialogues";
        members[count++] = "evidence";
        members[count++] = "learned from";
        members[count++] = "hashes";
        members[count++] = "networks";
    }
    if (s3svm_segment_has_patches(f)) members[count++] = "gradients";
    members[count++] = "relations";
    s3svm_facts_members(t, t->whole, members);
}

/* Models without the member have what is usual for their method. */
static void relations_read(s3svm_facts *t, s3svm_segment_parts *f)
{
    f->relations = s3svm_segment_method_relations(f->method);
    if (sos_json_value_member(t->whole, "relations")) f->relations = s3svm_facts_real(t, t->whole, "relations");
    if (!t->status && !(f->relations > 0)) s3svm_facts_wrong(t, "\"relations\" must be above 0");
}

static sos_status parts_read(const sos_model *m, s3svm_segment_parts *f, sos_error *error)
{
    sos_status status = s3svm_facts_task(m, TASK, error);
    if (status) return status;
    s3svm_facts t = s3svm_facts_open(m, "features", error);
    kind_read(&t, &f->kind, &f->method);
    members_check(&t, f);
    if (f->kind == S3SVM_SEGMENT_PAPER)
        paper_read(&t, f);
    else if (f->kind == S3SVM_SEGMENT_FULL)
        full_read(&t, f);
    relations_read(&t, f);
    if (s3svm_segment_has_patches(f)) list_read(&t, "gradients", S3SVM_SEGMENT_CLUSTERS * S3SVM_SEGMENT_GRADIENT, f->gradients);
    status = s3svm_facts_close(&t);
    if (!status) status = groups_check(m, f, error);
    if (!status) status = s3svm_outline_model_read(m, &f->outline, error);
    if (!status && f->kind != S3SVM_SEGMENT_FULL && !s3svm_outline_model_is_empty(&f->outline))
        status = sos_fail(error, SOS_ERR_FORMAT, "only models with full features can refine outlines");
    return status ? status : s3svm_own_maps_read(m, &f->maps, error);
}

sos_status s3svm_segment_parts_read(const sos_model *m, s3svm_segment_parts **out, sos_error *error)
{
    s3svm_segment_parts *f = calloc(1, sizeof *f);
    if (!f) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the features of a model");
    const sos_status status = parts_read(m, f, error);
    if (status)
        s3svm_segment_parts_free(f);
    else
        *out = f;
    return status;
}

sos_status s3svm_segment_parts_groups(const s3svm_segment_parts *f, sos_model **out, sos_error *error)
{
    sos_model *m;
    sos_status status = sos_model_create(S3SVM_SEGMENT_LABELS, &m, error);
    if (status) return status;
    status = groups_add(m, f, error);
    if (!status) status = s3svm_own_maps_group_add(&f->maps, m, error);
    if (status)
        sos_model_free(m);
    else
        *out = m;
    return status;
}

sos_status s3svm_segment_parts_model(const s3svm_segment_parts *f, sos_model **out, sos_error *error)
{
    sos_model *m;
    sos_status status = s3svm_segment_parts_groups(f, &m, error);
    if (status) return status;
    status = facts_set(m, f, error);
    if (status)
        sos_model_free(m);
    else
        *out = m;
    return status;
}
