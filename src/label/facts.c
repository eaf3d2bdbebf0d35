#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#endif

#include "label/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "tasks/facts.h"

/* Versions of the fact "features".  The second says that the fact "design" is there: programs that do not know it must not
 * use the model. */
enum { USUAL = 1, DESIGNED = 2 };

enum { WORD_ROOM = 16, COLOUR_ROOM = 8, NO_VOID = 256 /* in place of a number for pixels without a label */ };
static const char TASK[] = "label";

/* ---------------------------------------------------------------- written */

typedef struct material {
    const sos_label_design *design;
    const sos_label_features *features;
    const sos_label_names *names;
    bool designed; /* the design is not the usual one of its kind */
} material;

/* Only of designs that are not the usual one of their kind. */
static void design_write(FILE *file, const void *data)
{
    const material *all = data;
    const sos_label_design *d = all->design;
    sos_json j = { .file = file, .line = true };
    sos_json_open(&j, NULL, '{');
    sos_json_open(&j, "reaches", '[');
    for (size_t r = 0; r < d->reaches; r++) sos_json_real(&j, NULL, d->reach[r]);
    sos_json_close(&j, ']');
    sos_json_count(&j, "diagonals", d->diagonals);
    sos_json_real(&j, "strength", d->strength);
    sos_json_close(&j, '}');
}

static void features_write(FILE *file, const void *data)
{
    const material *all = data;
    const sos_label_features *f = all->features;
    fprintf(
        file, "{\"version\": %d, \"model\": \"%s\", \"labels\": %zu, \"textures\": %zu, \"patches\": %zu, \"networks\": %zu",
        all->designed ? DESIGNED : USUAL, sos_label_kind_name(all->design->kind), f->labels, f->clusters, f->edges, f->folds);
    fputs(", \"texture\": ", file);
    sos_facts_print(file, f->clusters * SOS_LABEL_TEXTURE, f->centres);
    fputs(", \"patch\": ", file);
    sos_facts_print(file, f->edges * SOS_LABEL_EDGE, f->edge);
    fputs(", \"network\": [", file);
    for (size_t k = 0; k < f->folds; k++) {
        if (k) fputs(", ", file);
        sos_facts_print(file, sos_perceptron_numbers(&f->networks[k]), f->networks[k].numbers);
    }
    fputs("]}", file);
}

static void names_write(FILE *file, const void *data)
{
    const material *all = data;
    const sos_label_names *n = all->names;
    fprintf(file, "{\"void\": %d, \"labels\": [", n->unknown < 0 ? NO_VOID : n->unknown);
    for (size_t l = 0; l < n->count; l++)
        fprintf(file, "%s{\"name\": \"%s\", \"colour\": \"#%06x\"}", l ? ", " : "", n->name[l], (unsigned)n->colour[l]);
    fputs("]}", file);
}

sos_status sos_label_facts_set(sos_model *m, const sos_label_design *design, const sos_label_features *features,
                               const sos_label_names *names, sos_error *error)
{
    const material all = {
        .design = design, .features = features, .names = names, .designed = !sos_label_design_is_usual(design)
    };
    sos_status status = sos_model_set_fact(m, "task", "\"label\"", error);
    if (!status) status = sos_facts_set(m, "labels", names_write, &all, error);
    if (!status && all.designed) status = sos_facts_set(m, "design", design_write, &all, error);
    if (!status) status = sos_facts_set(m, "features", features_write, &all, error);
    return status;
}

/* ---------------------------------------------------------------- read */

/* Version and kind, and no further. */
static sos_status kind_read(sos_facts *t, sos_label_kind *kind, sos_error *error)
{
    char name[WORD_ROOM];
    const sos_status status = sos_facts_kind(t, DESIGNED, sizeof name, name, error);
    if (status) return status;
    for (*kind = SOS_LABEL_UNARY; *kind <= SOS_LABEL_FULL; ++*kind)
        if (!strcmp(name, sos_label_kind_name(*kind))) return SOS_OK;
    return sos_fail(error, SOS_ERR_FORMAT, "an unknown model of labels: \"%s\"", name);
}

static size_t member_count(sos_facts *t, const char *name, size_t min, size_t max)
{
    sos_facts_next(t, name);
    return sos_facts_count(t, min, max);
}

static void member_reals(sos_facts *t, const char *name, size_t count, float out[])
{
    sos_facts_next(t, name);
    sos_facts_reals(t, count, count, out);
}

/* Whatever is not said is usual. */
static sos_status design_read(const sos_model *m, sos_label_kind kind, sos_label_design *d, sos_error *error)
{
    *d = sos_label_design_of(kind);
    if (!sos_model_fact(m, "design")) return SOS_OK;
    sos_facts t = sos_facts_begin(m, "design");
    sos_facts_mark(&t, '{');
    sos_facts_name(&t, "reaches");
    sos_facts_mark(&t, '[');
    d->reaches = 0;
    do d->reach[d->reaches++] = sos_facts_real(&t);
    while (!t.wrong && d->reaches < SOS_LABEL_REACHES_MAX && sos_facts_has(&t, ','));
    sos_facts_mark(&t, ']');
    d->diagonals = member_count(&t, "diagonals", 0, 1) == 1;
    sos_facts_next(&t, "strength");
    d->strength = sos_facts_real(&t);
    sos_facts_mark(&t, '}');
    sos_error why;
    const sos_status status = sos_facts_end(&t, error);
    if (status || !sos_label_design_check(d, &why)) return status;
    return sos_fail(error, SOS_ERR_FORMAT, "the model's fact \"design\": %s", why.message);
}

static void numbers_read(sos_facts *t, sos_label_features *f)
{
    member_reals(t, "texture", f->clusters * SOS_LABEL_TEXTURE, f->centres);
    member_reals(t, "patch", f->edges * SOS_LABEL_EDGE, f->edge);
    sos_facts_next(t, "network");
    sos_facts_mark(t, '[');
    const size_t numbers = sos_perceptron_numbers(&f->networks[0]);
    for (size_t k = 0; k < f->folds; k++) {
        if (k) sos_facts_mark(t, ',');
        sos_facts_reals(t, numbers, numbers, f->networks[k].numbers);
    }
    sos_facts_mark(t, ']');
    sos_facts_mark(t, '}');
}

sos_status sos_label_features_read(const sos_model *m, sos_label_design *design, sos_label_features *features, sos_error *error)
{
    sos_label_kind kind;
    sos_label_design d;
    sos_label_features f;
    sos_status status = sos_facts_task(m, TASK, error);
    if (status) return status;
    sos_facts t = sos_facts_begin(m, "features");
    status = kind_read(&t, &kind, error);
    if (!status) status = design_read(m, kind, &d, error);
    if (status) return status;
    const size_t labels = member_count(&t, "labels", 2, SOS_LABELS_MAX);
    const size_t clusters = member_count(&t, "textures", 1, SOS_LABEL_CLUSTERS_MAX);
    const size_t edges = member_count(&t, "patches", 1, SOS_LABEL_CLUSTERS_MAX);
    const size_t folds = member_count(&t, "networks", 1, SOS_LABEL_FOLDS_MAX);
    if (t.wrong) return sos_facts_end(&t, error);
    status = sos_label_features_create(labels, clusters, edges, folds, &f, error);
    if (status) return status;
    numbers_read(&t, &f);
    status = sos_facts_end(&t, error);
    if (status) {
        sos_label_features_free(&f);
        return status;
    }
    *design = d;
    *features = f;
    return SOS_OK;
}

static void name_read(sos_facts *t, sos_label_names *n)
{
    char colour[COLOUR_ROOM];
    sos_facts_mark(t, '{');
    sos_facts_name(t, "name");
    sos_facts_text(t, SOS_LABEL_NAME, n->name[n->count]);
    sos_facts_next(t, "colour");
    sos_facts_text(t, sizeof colour, colour);
    sos_facts_mark(t, '}');
    if (!t->wrong && (colour[0] != '#' || strspn(colour + 1, "0123456789abcdefABCDEF") != 6)) t->wrong = "a colour #rrggbb";
    if (!t->wrong) n->colour[n->count++] = (uint32_t)strtoul(colour + 1, NULL, 16);
}

static sos_status names_read(sos_facts *t, size_t labels, sos_label_names *n, sos_error *error)
{
    sos_facts_mark(t, '{');
    sos_facts_name(t, "void");
    n->unknown = (int)sos_facts_count(t, 0, NO_VOID);
    if (n->unknown == NO_VOID) n->unknown = -1;
    sos_facts_next(t, "labels");
    sos_facts_mark(t, '[');
    do name_read(t, n);
    while (!t->wrong && n->count < labels && sos_facts_has(t, ','));
    sos_facts_mark(t, ']');
    sos_facts_mark(t, '}');
    const sos_status status = sos_facts_end(t, error);
    if (status || n->count == labels) return status;
    return sos_fail(error, SOS_ERR_FORMAT, "the model has %zu labels, but names of %zu", labels, n->count);
}

sos_status sos_label_names_of(const sos_model *m, sos_label_names *names, sos_error *error)
{
    sos_status status = sos_facts_task(m, TASK, error);
    if (status) return status;
    sos_label_names *n = calloc(1, sizeof *n); /* large, and not every thread has a deep stack */
    if (!n) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the names of labels");
    sos_facts t = sos_facts_begin(m, "labels");
    status = names_read(&t, sos_model_labels(m), n, error);
    if (!status) *names = *n;
    free(n);
    return status;
}
