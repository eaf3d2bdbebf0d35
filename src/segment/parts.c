#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#endif

#include "segment/parts.h"

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
static const char *const LOOK_NAMES[SOS_SEGMENT_LOOKS] = { "response", "ratio" };

const char *sos_segment_features_name(sos_segment_features features)
{
    return features == SOS_SEGMENT_PAPER ? "paper" : "full";
}

const char *sos_segment_method_name(sos_segment_method method) { return method == SOS_SEGMENT_AMN ? "amn" : "s3svm"; }

void sos_segment_parts_free(sos_segment_parts *f)
{
    if (f) sos_segment_response_free(&f->response);
    free(f);
}

/* ---------------------------------------------------------------- groups */

enum { GROUPS_MAX = SOS_SEGMENT_PATCHES + 1 + SOS_SEGMENT_CLUSTERS, NAME_ROOM = 16 };

typedef struct group_list {
    size_t count, relations; /* all groups; and the first of pairs or tables */
    sos_group groups[GROUPS_MAX];
    char names[SOS_SEGMENT_CLUSTERS][NAME_ROOM];
} group_list;

static void group_append(group_list *list, const char *name, sos_group_kind kind, size_t size)
{
    list->groups[list->count++] = (sos_group){ .name = name, .kind = kind, .size = size };
}

static void groups_of(const sos_segment_parts *f, group_list *list)
{
    *list = (group_list){ 0 };
    group_append(list, "scribbles", SOS_GROUP_FREE, 2);
    if (f->kind == SOS_SEGMENT_PAPER) {
        group_append(list, "colours", SOS_GROUP_FREE, 1);
        group_append(list, "distances", SOS_GROUP_FREE, SOS_SEGMENT_BINS * SOS_SEGMENT_BINS);
        group_append(list, "patches", SOS_GROUP_FREE, SOS_SEGMENT_CLUSTERS * SOS_SEGMENT_STATES);
    } else
        for (size_t k = 0; k < SOS_SEGMENT_LOOKS; k++) group_append(list, LOOK_NAMES[k], SOS_GROUP_FREE, f->knots[k]);
    list->relations = list->count;
    if (f->method == SOS_SEGMENT_AMN) group_append(list, "pairs", SOS_GROUP_NONNEGATIVE, SOS_SEGMENT_PAIRS);
    for (size_t c = 0; f->method == SOS_SEGMENT_S3SVM && c < SOS_SEGMENT_CLUSTERS; c++) {
        snprintf(list->names[c], NAME_ROOM, "gradient %zu", c);
        group_append(list, list->names[c], SOS_GROUP_TABLE, 4);
    }
}

uint32_t sos_segment_relations(const sos_segment_parts *f)
{
    group_list list;
    groups_of(f, &list);
    return (uint32_t)list.relations;
}

static sos_status groups_add(sos_model *m, const sos_segment_parts *f, sos_error *error)
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

static sos_status groups_check(const sos_model *m, const sos_segment_parts *f, sos_error *error)
{
    group_list list;
    groups_of(f, &list);
    if (sos_model_labels(m) == 2 && sos_facts_groups(m, list.count, list.groups)) return SOS_OK;
    return sos_fail(error, SOS_ERR_FORMAT, "the model's groups are not those of the %s %s model of segmentation",
                    sos_segment_features_name(f->kind), sos_segment_method_name(f->method));
}

/* ---------------------------------------------------------------- facts */

static void reals_write(FILE *file, const char *name, size_t count, const float x[])
{
    fprintf(file, ", \"%s\": ", name);
    sos_facts_print(file, count, x);
}

static void response_write(const sos_segment_response *r, FILE *file)
{
    fprintf(file, ", \"learned from\": %zu, \"hashes\": [", r->pictures);
    for (size_t i = 0; i < r->pictures; i++) fprintf(file, "%s\"%016" PRIx64 "\"", i ? ", " : "", r->hashes[i]);
    fputs("]", file);
    fputs(", \"networks\": [", file);
    for (size_t k = 0; k < SOS_SEGMENT_NETWORKS; k++) {
        const sos_perceptron *p = &r->networks[k];
        fputs(k ? ", " : "", file);
        sos_facts_print(file, sos_perceptron_numbers(p), p->numbers);
    }
    fputs("]", file);
}

static void features_write(FILE *file, const void *data)
{
    const sos_segment_parts *f = data;
    fprintf(file, "{\"version\": %d, \"model\": \"%s\", \"method\": \"%s\"", VERSION, sos_segment_features_name(f->kind),
            sos_segment_method_name(f->method));
    if (f->kind == SOS_SEGMENT_PAPER) {
        reals_write(file, "object distances", SOS_SEGMENT_EDGES, f->edges[0]);
        reals_write(file, "background distances", SOS_SEGMENT_EDGES, f->edges[1]);
        reals_write(file, "patches", SOS_SEGMENT_CLUSTERS * SOS_SEGMENT_PATCH, f->patches);
    }
    if (f->kind == SOS_SEGMENT_FULL) {
        for (size_t k = 0; k < SOS_SEGMENT_LOOKS; k++) reals_write(file, LOOK_NAMES[k], f->knots[k], f->knot[k]);
        response_write(&f->response, file);
    }
    if (f->method == SOS_SEGMENT_S3SVM)
        reals_write(file, "gradients", SOS_SEGMENT_CLUSTERS * SOS_SEGMENT_GRADIENT, f->gradients);
    fputs("}", file);
}

static sos_status facts_set(sos_model *m, const sos_segment_parts *f, sos_error *error)
{
    const sos_status status = sos_model_set_fact(m, "task", "\"segment\"", error);
    return status ? status : sos_facts_set(m, "features", features_write, f, error);
}

/* version, model and method, and no further. */
static sos_status kind_read(sos_facts *t, sos_segment_features *kind, sos_segment_method *method, sos_error *error)
{
    char name[KIND_ROOM], how[KIND_ROOM];
    const sos_status status = sos_facts_kind(t, VERSION, sizeof name, name, error);
    if (status) return status;
    sos_facts_next(t, "method");
    sos_facts_text(t, sizeof how, how);
    if (t->wrong) return sos_facts_end(t, error);
    *kind = strcmp(name, sos_segment_features_name(SOS_SEGMENT_PAPER)) ? SOS_SEGMENT_FULL : SOS_SEGMENT_PAPER;
    *method = strcmp(how, sos_segment_method_name(SOS_SEGMENT_AMN)) ? SOS_SEGMENT_S3SVM : SOS_SEGMENT_AMN;
    if (!strcmp(name, sos_segment_features_name(*kind)) && !strcmp(how, sos_segment_method_name(*method))) return SOS_OK;
    return sos_fail(error, SOS_ERR_FORMAT, "an unknown model of segmentation: \"%s\", \"%s\"", name, how);
}

static void list_read(sos_facts *t, const char *name, size_t count, float out[])
{
    sos_facts_next(t, name);
    sos_facts_reals(t, count, count, out);
}

static void paper_read(sos_facts *t, sos_segment_parts *f)
{
    list_read(t, "object distances", SOS_SEGMENT_EDGES, f->edges[0]);
    list_read(t, "background distances", SOS_SEGMENT_EDGES, f->edges[1]);
    list_read(t, "patches", SOS_SEGMENT_CLUSTERS * SOS_SEGMENT_PATCH, f->patches);
}

static void knots_read(sos_facts *t, sos_segment_parts *f, size_t k)
{
    sos_facts_next(t, LOOK_NAMES[k]);
    f->knots[k] = sos_facts_reals(t, 2, SOS_SEGMENT_KNOTS_MAX, f->knot[k]);
    for (size_t i = 1; i < f->knots[k] && !t->wrong; i++)
        if (!(f->knot[k][i] > f->knot[k][i - 1])) t->wrong = "knots that increase";
}

static uint64_t hash_read(sos_facts *t)
{
    char text[HASH_ROOM];
    sos_facts_text(t, sizeof text, text);
    if (!t->wrong && (strlen(text) != HASH_ROOM - 1 || strspn(text, "0123456789abcdef") != HASH_ROOM - 1))
        t->wrong = "a hash of 16 digits";
    return t->wrong ? 0 : strtoull(text, NULL, 16);
}

static sos_status full_read(sos_facts *t, sos_segment_parts *f, sos_error *error)
{
    for (size_t k = 0; k < SOS_SEGMENT_LOOKS; k++) knots_read(t, f, k);
    sos_facts_next(t, "learned from");
    const size_t pictures = sos_facts_count(t, 1, PICTURES_MAX);
    const sos_status status = sos_segment_response_create(pictures, &f->response, error);
    if (status) return status;
    sos_facts_next(t, "hashes");
    for (size_t i = 0; i < pictures && !t->wrong; i++) {
        sos_facts_mark(t, i ? ',' : '[');
        f->response.hashes[i] = hash_read(t);
    }
    sos_facts_mark(t, ']');
    const size_t numbers = sos_perceptron_numbers(&f->response.networks[0]);
    sos_facts_next(t, "networks");
    for (size_t k = 0; k < SOS_SEGMENT_NETWORKS; k++) {
        sos_facts_mark(t, k ? ',' : '[');
        sos_facts_reals(t, numbers, numbers, f->response.networks[k].numbers);
    }
    sos_facts_mark(t, ']');
    return SOS_OK;
}

static sos_status parts_read(const sos_model *m, sos_segment_parts *f, sos_error *error)
{
    sos_status status = sos_facts_task(m, TASK, error);
    if (status) return status;
    sos_facts t = sos_facts_begin(m, "features");
    status = kind_read(&t, &f->kind, &f->method, error);
    if (!status && f->kind == SOS_SEGMENT_PAPER) paper_read(&t, f);
    if (!status && f->kind == SOS_SEGMENT_FULL) status = full_read(&t, f, error);
    if (status) return status;
    if (f->method == SOS_SEGMENT_S3SVM) list_read(&t, "gradients", SOS_SEGMENT_CLUSTERS * SOS_SEGMENT_GRADIENT, f->gradients);
    sos_facts_mark(&t, '}');
    status = sos_facts_end(&t, error);
    return status ? status : groups_check(m, f, error);
}

sos_status sos_segment_parts_read(const sos_model *m, sos_segment_parts **out, sos_error *error)
{
    sos_segment_parts *f = calloc(1, sizeof *f);
    if (!f) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the features of a model");
    const sos_status status = parts_read(m, f, error);
    if (status)
        sos_segment_parts_free(f);
    else
        *out = f;
    return status;
}

sos_status sos_segment_kind_of(const sos_model *m, sos_segment_features *kind, sos_segment_method *method, sos_error *error)
{
    sos_segment_parts *f = NULL;
    const sos_status status = sos_segment_parts_read(m, &f, error);
    if (status) return status;
    *kind = f->kind;
    *method = f->method;
    sos_segment_parts_free(f);
    return SOS_OK;
}

sos_status sos_segment_parts_model(const sos_segment_parts *f, sos_model **out, sos_error *error)
{
    sos_model *m;
    sos_status status = sos_model_create(2, &m, error);
    if (status) return status;
    status = groups_add(m, f, error);
    if (!status) status = facts_set(m, f, error);
    if (status)
        sos_model_free(m);
    else
        *out = m;
    return status;
}
