/* example_lines.c - the part of an example that depends on directions: keyed pairs, and lines. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "denoise/features.h"
#include "vision/lines.h"

/* The class of a strength: how many thresholds it reaches. */
static size_t class_of(const s3svm_denoise_key *k, float strength)
{
    size_t class = 0;
    while (class < k->thresholds && strength >= k->threshold[class]) class ++;
    return class;
}

/* Cliques of one size, with the number of the group of each. */
typedef struct clique_list {
    size_t size, count;
    uint32_t *groups, *members;
} clique_list;

static void list_free(clique_list *l)
{
    free(l->groups);
    free(l->members);
}

static sos_status list_create(size_t size, size_t most, clique_list *l, sos_error *error)
{
    *l = (clique_list){ .size = size,
                        .groups = malloc((most + 1) * sizeof *l->groups),
                        .members = malloc((most + 1) * size * sizeof *l->members) };
    if (l->groups && l->members) return SOS_OK;
    list_free(l);
    (void)sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu cliques", most);
    return SOS_ERR_MEMORY;
}

static sos_status list_give(clique_list *l, sos_example *x, sos_error *error)
{
    const sos_status status = sos_example_add_listed(x, l->count, l->groups, l->members, NULL, error);
    list_free(l);
    return status;
}

static void pair_put(clique_list *l, uint32_t group, size_t a, size_t b)
{
    l->groups[l->count] = group;
    l->members[2 * l->count] = (uint32_t)a;
    l->members[2 * l->count++ + 1] = (uint32_t)b;
}

/* ---------------------------------------------------------------- keyed pairs */

/* How far the direction of a pair, in quarters of half a turn, is from that of a pixel: 0, along the line, to steps / 2,
 * across. */
static size_t turn_of(const s3svm_directions *d, size_t quarters, size_t pixel)
{
    const size_t turn = (quarters * d->steps / 4 + d->steps - d->direction[pixel]) % d->steps;
    return turn < d->steps - turn ? turn : d->steps - turn;
}

/* The clearer of two pixels says which weights their pair has, and is its first member. */
static void keyed_put(const s3svm_denoise_key *k, const s3svm_directions *d, uint32_t first, size_t quarters, size_t a,
                      size_t b, clique_list *l)
{
    const bool swapped = d->strength[b] > d->strength[a];
    const size_t clear = swapped ? b : a, other = swapped ? a : b;
    pair_put(l, first + s3svm_denoise_keyed_group(k, class_of(k, d->strength[clear]), turn_of(d, quarters, clear)), clear,
             other);
}

static sos_status keyed_add(const s3svm_denoise_key *k, const s3svm_directions *d, uint32_t first, sos_example *x,
                            sos_error *error)
{
    clique_list l;
    const size_t w = d->width, n = w * d->height;
    const sos_status status = list_create(2, 4 * n, &l, error);
    if (status) return status;
    for (size_t i = 0, u = 0; i < n; i++, u = u + 1 < w ? u + 1 : 0) {
        const bool left = u > 0, right = u + 1 < w, below = i + w < n;
        if (right) keyed_put(k, d, first, 0, i, i + 1, &l);
        if (right && below) keyed_put(k, d, first, 1, i, i + w + 1, &l);
        if (below) keyed_put(k, d, first, 2, i, i + w, &l);
        if (left && below) keyed_put(k, d, first, 3, i, i + w - 1, &l);
    }
    return list_give(&l, x, error);
}

/* ---------------------------------------------------------------- lines */

/* Whether the least sure pixel of a line is undecided. */
static bool is_undecided(const s3svm_plane *response, size_t length, const uint32_t members[], double limit)
{
    for (size_t i = 0; i < length; i++)
        if (!response->values || fabs((double)response->values[members[i]]) <= limit) return true;
    return false;
}

/* Keeps every so manieth pixel of whole lines of so many. */
static void lines_thin(size_t length, size_t stride, s3svm_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        const size_t from = lines->start[i];
        lines->start[i] = i * length;
        for (size_t m = 0; m < length; m++) lines->members[i * length + m] = lines->members[from + m * stride];
    }
    lines->start[lines->count] = lines->count * length;
}

/* Cliques of key.length pixels each, some steps apart, along directions d through pixels of the first class and above. */
static sos_status lines_find(const s3svm_denoise_features *f, const s3svm_directions *d, size_t stride, size_t first,
                             s3svm_lines *out, sos_error *error)
{
    const size_t n = d->width * d->height;
    uint8_t *wanted = malloc(n);
    if (!wanted) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the lines of %zu pixels", n);
    for (size_t i = 0; i < n; i++)
        wanted[i] = (i % d->width + i / d->width) % f->key.every == 0 && class_of(&f->key, d->strength[i]) >= first;
    const sos_status status = s3svm_lines_find(d, (f->key.length - 1) * stride + 1, wanted, S3SVM_LINES_LEFT_OUT, out, error);
    free(wanted);
    if (!status && stride > 1) lines_thin(f->key.length, stride, out);
    return status;
}

/* first: the group of lines of first_class. */
static sos_status line_tables_add(const s3svm_denoise_features *f, uint32_t first, size_t first_class,
                                  const s3svm_denoise_view *view, const s3svm_lines *lines, sos_example *x, sos_error *error)
{
    const size_t length = f->key.length;
    clique_list l;
    const sos_status status = list_create(length, lines->count, &l, error);
    if (status) return status;
    for (size_t i = 0; i < lines->count; i++) {
        const uint32_t *members = lines->members + lines->start[i];
        if (!is_undecided(&view->response, length, members, f->undecided)) continue;
        l.groups[l.count] = first + (uint32_t)(class_of(&f->key, view->where.strength[lines->middle[i]]) - first_class);
        for (size_t m = 0; m < length; m++) l.members[l.count * length + m] = members[m];
        l.count++;
    }
    return list_give(&l, x, error);
}

static sos_status line_pairs_add(const s3svm_denoise_features *f, uint32_t first, size_t first_class,
                                 const s3svm_denoise_view *view, const s3svm_lines *lines, sos_example *x, sos_error *error)
{
    const size_t length = f->key.length;
    clique_list l;
    const sos_status status = list_create(2, lines->count * (length * (length - 1) / 2), &l, error);
    if (status) return status;
    for (size_t i = 0; i < lines->count; i++) {
        const uint32_t *members = lines->members + lines->start[i];
        if (!is_undecided(&view->response, length, members, f->undecided)) continue;
        const size_t class = class_of(&f->key, view->where.strength[lines->middle[i]]) - first_class + 1;
        for (size_t a = 0; a < length; a++)
            for (size_t b = a + 1; b < length; b++)
                pair_put(&l, first + s3svm_denoise_line_pair_group(&f->key, class, b - a), members[a], members[b]);
    }
    return list_give(&l, x, error);
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
static size_t class_pick(const s3svm_denoise_features *f, const s3svm_denoise_view *view, size_t class,
                         const s3svm_lines *lines, s3svm_lines *out)
{
    const size_t length = f->key.length;
    out->count = 0;
    for (size_t i = 0; i < lines->count; i++) {
        const uint32_t *members = lines->members + lines->start[i];
        if (class_of(&f->key, view->where.strength[lines->middle[i]]) != class ||
            !is_undecided(&view->response, length, members, f->undecided))
            continue;
        out->start[out->count] = out->count * length;
        memcpy(out->members + out->count++ * length, members, length * sizeof *members);
    }
    out->start[out->count] = out->count * length;
    return out->count;
}

static sos_status line_counts_add(const s3svm_denoise_features *f, s3svm_denoise_cliques which, uint32_t first,
                                  const s3svm_denoise_view *view, const s3svm_lines *lines, sos_example *x, sos_error *error)
{
    s3svm_lines some = { .start = malloc((lines->count + 1) * sizeof *some.start),
                         .members = malloc((lines->count + 1) * f->key.length * sizeof *some.members) };
    sos_status status = some.start && some.members ? SOS_OK
                                                   : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu lines", lines->count);
    for (size_t class = 1; class <= f->key.thresholds && !status; class ++)
        if (class_pick(f, view, class, lines, &some)) status = class_add(which, first + (uint32_t) class - 1, &some, x, error);
    s3svm_lines_free(&some);
    return status;
}

static sos_status lines_add(const s3svm_denoise_features *f, const s3svm_denoise_groups *g, const s3svm_denoise_view *view,
                            sos_example *x, sos_error *error)
{
    static const s3svm_denoise_cliques pairs[] = { S3SVM_CLIQUES_LINE_PAIRS, S3SVM_CLIQUES_LINE_PAIR_TABLES };
    static const s3svm_denoise_cliques counts[] = { S3SVM_CLIQUES_LINE_ROBUST, S3SVM_CLIQUES_LINE_COUNTS };
    s3svm_lines lines;
    sos_status status = lines_find(f, &view->where, 1, 1, &lines, error);
    if (status) return status;
    for (size_t i = 0; i < 2 && !status; i++)
        if (s3svm_design_has_cliques(&f->design, counts[i]))
            status = line_counts_add(f, counts[i], g->cliques[counts[i]], view, &lines, x, error);
    for (size_t i = 0; i < 2 && !status; i++)
        if (s3svm_design_has_cliques(&f->design, pairs[i]))
            status = line_pairs_add(f, g->cliques[pairs[i]], 1, view, &lines, x, error);
    if (!status && s3svm_design_has_cliques(&f->design, S3SVM_CLIQUES_LINE_TABLES))
        status = line_tables_add(f, g->cliques[S3SVM_CLIQUES_LINE_TABLES], 1, view, &lines, x, error);
    s3svm_lines_free(&lines);
    return status;
}

static sos_status long_lines_add(const s3svm_denoise_features *f, const s3svm_denoise_groups *g, const s3svm_denoise_view *view,
                                 sos_example *x, sos_error *error)
{
    static const s3svm_denoise_cliques pairs[] = { S3SVM_CLIQUES_LONG_PAIRS, S3SVM_CLIQUES_LONG_PAIR_TABLES };
    const size_t first = f->key.long_class;
    s3svm_lines lines;
    sos_status status = lines_find(f, &view->fine, f->key.long_stride, first, &lines, error);
    if (status) return status;
    for (size_t i = 0; i < 2 && !status; i++)
        if (s3svm_design_has_cliques(&f->design, pairs[i]))
            status = line_pairs_add(f, g->cliques[pairs[i]], first, view, &lines, x, error);
    if (!status && s3svm_design_has_cliques(&f->design, S3SVM_CLIQUES_LONG_TABLES))
        status = line_tables_add(f, g->cliques[S3SVM_CLIQUES_LONG_TABLES], first, view, &lines, x, error);
    s3svm_lines_free(&lines);
    return status;
}

sos_status s3svm_denoise_lines_apply(const s3svm_denoise_features *f, const s3svm_denoise_groups *groups,
                                     const s3svm_denoise_view *view, sos_example *x, sos_error *error)
{
    sos_status status = SOS_OK;
    if (s3svm_design_has_cliques(&f->design, S3SVM_CLIQUES_KEYED))
        status = keyed_add(&f->key, &view->where, groups->cliques[S3SVM_CLIQUES_KEYED], x, error);
    if (!status && s3svm_design_has_lines(&f->design)) status = lines_add(f, groups, view, x, error);
    if (!status && s3svm_design_has_long_lines(&f->design)) status = long_lines_add(f, groups, view, x, error);
    return status;
}
