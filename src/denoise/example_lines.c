/* example_lines.c - the part of an example that depends on directions: keyed pairs, and lines. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "denoise/features.h"
#include "tasks/line_cliques.h"

static s3svm_line_classes classes_of(const s3svm_denoise_key *k) { return (s3svm_line_classes){ k->thresholds, k->threshold }; }

/* Lines of one kind, and which pixels make a line count: those that are undecided.  matters is NULL where all do. */
typedef struct line_set {
    s3svm_line_shape shape;
    s3svm_lines lines;
    uint8_t *matters;
} line_set;

static void line_set_free(line_set *l)
{
    s3svm_lines_free(&l->lines);
    free(l->matters);
}

/* Cliques of key.length pixels each, some steps apart, along directions d through pixels of the first class and above. */
static sos_status line_set_find(const s3svm_denoise_features *f, const s3svm_denoise_view *view, const s3svm_directions *d,
                                size_t stride, size_t first, line_set *out, sos_error *error)
{
    const s3svm_line_classes classes = classes_of(&f->key);
    const size_t n = d->width * d->height;
    line_set l = { .shape = { .length = f->key.length, .stride = stride, .every = f->key.every, .first_class = first } };
    if (view->response.values && !(l.matters = malloc(n)))
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for the lines of %zu pixels", n);
    for (size_t i = 0; l.matters && i < n; i++) l.matters[i] = fabs((double)view->response.values[i]) <= f->undecided;
    const sos_status status = s3svm_shaped_lines_find(&classes, &l.shape, d, &l.lines, error);
    if (status)
        line_set_free(&l);
    else
        *out = l;
    return status;
}

/* The share of pixels that may disagree before robust P^n costs no more. */
static const double REACH = 0.3;

/* Lines of one class as cliques that count. */
static sos_status class_add(s3svm_denoise_cliques which, uint32_t group, const s3svm_lines *lines, sos_example *x,
                            sos_error *error)
{
    return which == S3SVM_CLIQUES_LINE_ROBUST
               ? sos_example_add_regions(x, group, lines->count, lines->start, lines->members, REACH, NULL, error)
               : sos_example_add_counts(x, group, lines->count, lines->start, lines->members, NULL, NULL, error);
}

/* Copies the lines of a class that are undecided, with room for all of them, and returns how many.  All lines are whole. */
static size_t class_pick(const s3svm_denoise_features *f, const s3svm_denoise_view *view, size_t class, const line_set *l,
                         s3svm_lines *out)
{
    const s3svm_line_classes classes = classes_of(&f->key);
    const s3svm_lines *lines = &l->lines;
    const size_t length = f->key.length;
    out->count = 0;
    for (size_t i = 0; i < lines->count; i++) {
        const uint32_t *members = lines->members + lines->start[i];
        if (s3svm_line_class(&classes, view->where.strength[lines->middle[i]]) != class ||
            !s3svm_line_matters(l->matters, length, members))
            continue;
        out->start[out->count] = out->count * length;
        memcpy(out->members + out->count++ * length, members, length * sizeof *members);
    }
    out->start[out->count] = out->count * length;
    return out->count;
}

static sos_status line_counts_add(const s3svm_denoise_features *f, s3svm_denoise_cliques which, uint32_t first,
                                  const s3svm_denoise_view *view, const line_set *l, sos_example *x, sos_error *error)
{
    const size_t count = l->lines.count;
    s3svm_lines some = { .start = malloc((count + 1) * sizeof *some.start),
                         .members = malloc((count + 1) * f->key.length * sizeof *some.members) };
    sos_status status = some.start && some.members ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu lines", count);
    for (size_t class = 1; class <= f->key.thresholds && !status; class ++)
        if (class_pick(f, view, class, l, &some)) status = class_add(which, first + (uint32_t) class - 1, &some, x, error);
    s3svm_lines_free(&some);
    return status;
}

static sos_status lines_add(const s3svm_denoise_features *f, const s3svm_denoise_groups *g, const s3svm_denoise_view *view,
                            sos_example *x, sos_error *error)
{
    static const s3svm_denoise_cliques pairs[] = { S3SVM_CLIQUES_LINE_PAIRS, S3SVM_CLIQUES_LINE_PAIR_TABLES };
    static const s3svm_denoise_cliques counts[] = { S3SVM_CLIQUES_LINE_ROBUST, S3SVM_CLIQUES_LINE_COUNTS };
    const s3svm_line_classes classes = classes_of(&f->key);
    const float *strength = view->where.strength;
    line_set l;
    sos_status status = line_set_find(f, view, &view->where, 1, 1, &l, error);
    if (status) return status;
    for (size_t i = 0; i < 2 && !status; i++)
        if (s3svm_design_has_cliques(&f->design, counts[i]))
            status = line_counts_add(f, counts[i], g->cliques[counts[i]], view, &l, x, error);
    for (size_t i = 0; i < 2 && !status; i++)
        if (s3svm_design_has_cliques(&f->design, pairs[i]))
            status = s3svm_line_pairs_add(&classes, &l.shape, strength, &l.lines, g->cliques[pairs[i]], l.matters, x, error);
    if (!status && s3svm_design_has_cliques(&f->design, S3SVM_CLIQUES_LINE_TABLES))
        status = s3svm_line_tables_add(&classes, &l.shape, strength, &l.lines, g->cliques[S3SVM_CLIQUES_LINE_TABLES], l.matters,
                                       x, error);
    line_set_free(&l);
    return status;
}

static sos_status long_lines_add(const s3svm_denoise_features *f, const s3svm_denoise_groups *g, const s3svm_denoise_view *view,
                                 sos_example *x, sos_error *error)
{
    static const s3svm_denoise_cliques pairs[] = { S3SVM_CLIQUES_LONG_PAIRS, S3SVM_CLIQUES_LONG_PAIR_TABLES };
    const size_t first = f->key.long_class;
    const s3svm_line_classes classes = classes_of(&f->key);
    const float *strength = view->where.strength;
    line_set l;
    sos_status status = line_set_find(f, view, &view->fine, f->key.long_stride, first, &l, error);
    if (status) return status;
    for (size_t i = 0; i < 2 && !status; i++)
        if (s3svm_design_has_cliques(&f->design, pairs[i]))
            status = s3svm_line_pairs_add(&classes, &l.shape, strength, &l.lines, g->cliques[pairs[i]], l.matters, x, error);
    if (!status && s3svm_design_has_cliques(&f->design, S3SVM_CLIQUES_LONG_TABLES))
        status = s3svm_line_tables_add(&classes, &l.shape, strength, &l.lines, g->cliques[S3SVM_CLIQUES_LONG_TABLES], l.matters,
                                       x, error);
    line_set_free(&l);
    return status;
}

sos_status s3svm_denoise_lines_apply(const s3svm_denoise_features *f, const s3svm_denoise_groups *groups,
                                     const s3svm_denoise_view *view, sos_example *x, sos_error *error)
{
    const s3svm_line_classes classes = classes_of(&f->key);
    sos_status status = SOS_OK;
    if (s3svm_design_has_cliques(&f->design, S3SVM_CLIQUES_KEYED))
        status = s3svm_keyed_pairs_add(&classes, &view->where, groups->cliques[S3SVM_CLIQUES_KEYED], NULL, x, error);
    if (!status && s3svm_design_has_lines(&f->design)) status = lines_add(f, groups, view, x, error);
    if (!status && s3svm_design_has_long_lines(&f->design)) status = long_lines_add(f, groups, view, x, error);
    return status;
}
