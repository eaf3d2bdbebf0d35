#include "label/facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "label/design.h"
#include "tasks/facts.h"

/* Versions of the fact "features".  The second says that the fact "design" is there: programs that do not know it must not
 * use the model. */
enum { USUAL = 1, DESIGNED = 2 };

enum { WORD_ROOM = 16, COLOUR_ROOM = 8, NO_VOID = 256 /* in place of a number for pixels without a label */ };
static const char TASK[] = "label";

/* ---------------------------------------------------------------- written */

typedef struct material {
    const s3svm_label_design *design;
    const s3svm_label_features *features;
    const s3svm_label_names *names;
    bool designed; /* the design is not the usual one of its kind */
} material;

/* Only of designs that are not the usual one of their kind. */
static void design_write(sos_json *j, const void *data)
{
    const material *all = data;
    const s3svm_label_design *d = all->design;
    sos_json_open(j, NULL, '{');
    sos_json_open(j, "reaches", '[');
    sos_json_reals(j, d->reaches, d->reach, 0);
    sos_json_close(j, ']');
    sos_json_count(j, "diagonals", d->diagonals);
    sos_json_real(j, "strength", d->strength);
    sos_json_close(j, '}');
}

static void features_write(sos_json *j, const void *data)
{
    const material *all = data;
    const s3svm_label_features *f = all->features;
    sos_json_open(j, NULL, '{');
    sos_json_count(j, "version", all->designed ? DESIGNED : USUAL);
    sos_json_text(j, "model", s3svm_label_kind_name(all->design->kind));
    sos_json_count(j, "labels", f->labels);
    sos_json_count(j, "textures", f->clusters);
    sos_json_count(j, "patches", f->edges);
    sos_json_count(j, "networks", f->folds);
    sos_json_floats(j, "texture", f->clusters * S3SVM_LABEL_TEXTURE, f->centres);
    sos_json_floats(j, "patch", f->edges * S3SVM_LABEL_EDGE, f->edge);
    sos_json_open(j, "network", '[');
    for (size_t k = 0; k < f->folds; k++)
        sos_json_floats(j, NULL, s3svm_perceptron_numbers(&f->networks[k]), f->networks[k].numbers);
    sos_json_close(j, ']');
    sos_json_close(j, '}');
}

static void names_write(sos_json *j, const void *data)
{
    const material *all = data;
    const s3svm_label_names *n = all->names;
    sos_json_open(j, NULL, '{');
    sos_json_count(j, "void", (uint64_t)(n->unknown < 0 ? NO_VOID : n->unknown));
    sos_json_open(j, "labels", '[');
    for (size_t l = 0; l < n->count; l++) {
        char colour[COLOUR_ROOM];
        snprintf(colour, sizeof colour, "#%06x", (unsigned)(n->colour[l] & 0xffffff));
        sos_json_open(j, NULL, '{');
        sos_json_text(j, "name", n->name[l]);
        sos_json_text(j, "colour", colour);
        sos_json_close(j, '}');
    }
    sos_json_close(j, ']');
    sos_json_close(j, '}');
}

sos_status s3svm_label_facts_set(sos_model *m, const s3svm_label_design *design, const s3svm_label_features *features,
                                 const s3svm_label_names *names, sos_error *error)
{
    const material all = {
        .design = design, .features = features, .names = names, .designed = !s3svm_label_design_is_usual(design)
    };
    sos_status status = s3svm_facts_set_text(m, "task", TASK, error);
    if (!status) status = s3svm_facts_set(m, "labels", names_write, &all, error);
    if (!status && all.designed) status = s3svm_facts_set(m, "design", design_write, &all, error);
    if (!status) status = s3svm_facts_set(m, "features", features_write, &all, error);
    return status;
}

/* ---------------------------------------------------------------- read */

static s3svm_label_kind kind_read(s3svm_facts *t)
{
    char name[WORD_ROOM];
    s3svm_facts_kind(t, DESIGNED, sizeof name, name);
    for (int kind = 0; !t->status && kind < S3SVM_LABEL_DESIGNS; kind++)
        if (!strcmp(name, s3svm_label_kind_name((s3svm_label_kind)kind))) return (s3svm_label_kind)kind;
    s3svm_facts_wrong(t, "an unknown model of labels: \"%s\"", name);
    return S3SVM_LABEL_UNARY;
}

static void reaches_read(s3svm_facts *t, s3svm_label_design *d)
{
    const sos_json_value *list = s3svm_facts_list(t, t->whole, "reaches", 1, S3SVM_LABEL_REACHES_MAX);
    d->reaches = sos_json_value_size(list);
    for (size_t r = 0; r < d->reaches; r++) {
        d->reach[r] = sos_json_value_number(sos_json_value_item(list, r));
        if (isnan(d->reach[r])) s3svm_facts_wrong(t, "number %zu of \"reaches\" is not a number", r);
    }
}

/* Whatever is not said is usual. */
static sos_status design_read(const sos_model *m, s3svm_label_kind kind, s3svm_label_design *d, sos_error *error)
{
    static const char *const members[] = { "reaches", "diagonals", "strength", NULL };
    *d = s3svm_label_design_of(kind);
    if (!sos_model_fact(m, "design")) return SOS_OK;
    s3svm_facts t = s3svm_facts_open(m, "design", error);
    s3svm_facts_members(&t, t.whole, members);
    reaches_read(&t, d);
    d->diagonals = s3svm_facts_count(&t, t.whole, "diagonals", 0, 1) == 1;
    d->strength = s3svm_facts_real(&t, t.whole, "strength");
    sos_error why;
    if (!t.status && s3svm_label_design_check(d, &why)) s3svm_facts_wrong(&t, "%s", why.message);
    return s3svm_facts_close(&t);
}

static void numbers_read(s3svm_facts *t, s3svm_label_features *f)
{
    const size_t textures = f->clusters * S3SVM_LABEL_TEXTURE, patches = f->edges * S3SVM_LABEL_EDGE;
    const size_t numbers = s3svm_perceptron_numbers(&f->networks[0]);
    s3svm_facts_reals(t, t->whole, "texture", textures, textures, f->centres);
    s3svm_facts_reals(t, t->whole, "patch", patches, patches, f->edge);
    const sos_json_value *list = s3svm_facts_list(t, t->whole, "network", f->folds, f->folds);
    for (size_t k = 0; k < f->folds; k++)
        s3svm_facts_numbers(t, sos_json_value_item(list, k), "a \"network\"", numbers, numbers, f->networks[k].numbers);
}

/* *out is to free, whatever comes. */
static void facts_read(s3svm_facts *t, const sos_model *m, s3svm_label_design *d, s3svm_label_features **out)
{
    static const char *const members[] = { "version",  "model",   "labels", "textures", "patches",
                                           "networks", "texture", "patch",  "network",  NULL };
    const s3svm_label_kind kind = kind_read(t);
    if (!t->status) t->status = design_read(m, kind, d, t->error);
    s3svm_facts_members(t, t->whole, members);
    const size_t labels = s3svm_facts_count(t, t->whole, "labels", 2, SOS_LABELS_MAX);
    const size_t clusters = s3svm_facts_count(t, t->whole, "textures", 0, S3SVM_LABEL_CLUSTERS_MAX);
    const size_t edges = s3svm_facts_count(t, t->whole, "patches", 1, S3SVM_LABEL_CLUSTERS_MAX);
    const size_t folds = s3svm_facts_count(t, t->whole, "networks", 0, S3SVM_LABEL_FOLDS_MAX);
    if (!t->status) t->status = s3svm_label_features_create(labels, clusters, edges, folds, out, t->error);
    if (!t->status) numbers_read(t, *out);
}

sos_status s3svm_label_features_read(const sos_model *m, s3svm_label_design *design, s3svm_label_features **features,
                                     sos_error *error)
{
    s3svm_label_design d;
    s3svm_label_features *f = NULL;
    sos_status status = s3svm_facts_task(m, TASK, error);
    if (status) return status;
    s3svm_facts t = s3svm_facts_open(m, "features", error);
    facts_read(&t, m, &d, &f);
    status = s3svm_facts_close(&t);
    if (status) {
        s3svm_label_features_free(f);
        return status;
    }
    *design = d;
    *features = f;
    return SOS_OK;
}

static void name_read(s3svm_facts *t, const sos_json_value *label, s3svm_label_names *n)
{
    static const char *const members[] = { "name", "colour", NULL };
    char colour[COLOUR_ROOM];
    s3svm_facts_members(t, label, members);
    s3svm_facts_text(t, label, "name", S3SVM_LABEL_NAME, n->name[n->count]);
    s3svm_facts_text(t, label, "colour", sizeof colour, colour);
    if (colour[0] != '#' || strspn(colour + 1, "0123456789abcdefABCDEF") != 6)
        s3svm_facts_wrong(t, "\"%s\" is not a colour #rrggbb", colour);
    if (!t->status) n->colour[n->count++] = (uint32_t)strtoul(colour + 1, NULL, 16);
}

static void names_read(s3svm_facts *t, size_t labels, s3svm_label_names *n)
{
    static const char *const members[] = { "void", "labels", NULL };
    s3svm_facts_members(t, t->whole, members);
    n->unknown = (int)s3svm_facts_count(t, t->whole, "void", 0, NO_VOID);
    if (n->unknown == NO_VOID) n->unknown = -1;
    const sos_json_value *list = s3svm_facts_list(t, t->whole, "labels", labels, labels);
    for (size_t l = 0; l < labels && !t->status; l++) name_read(t, sos_json_value_item(list, l), n);
}

sos_status s3svm_label_names_read(const sos_model *m, s3svm_label_names *names, sos_error *error)
{
    sos_status status = s3svm_facts_task(m, TASK, error);
    if (status) return status;
    s3svm_label_names *n = calloc(1, sizeof *n); /* large, and not every thread has a deep stack */
    if (!n) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the names of labels");
    s3svm_facts t = s3svm_facts_open(m, "labels", error);
    names_read(&t, sos_model_labels(m), n);
    status = s3svm_facts_close(&t);
    if (!status) *names = *n;
    free(n);
    return status;
}
