#include "tasks/line_cliques.h"

#include <stdlib.h>

#include "base/error.h"

size_t s3svm_line_class(const s3svm_line_classes *c, float strength)
{
    size_t class = 0;
    while (class < c->thresholds && strength >= c->threshold[class]) class ++;
    return class;
}

bool s3svm_line_matters(const uint8_t matters[], size_t count, const uint32_t members[])
{
    for (size_t i = 0; i < count; i++)
        if (!matters || matters[members[i]]) return true;
    return false;
}

/* ---------------------------------------------------------------- lists of cliques */

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

static void keyed_put(const s3svm_line_classes *c, const s3svm_directions *d, uint32_t first, size_t quarters, size_t a,
                      size_t b, const uint8_t matters[], clique_list *l)
{
    if (matters && !matters[a] && !matters[b]) return;
    const bool swapped = d->strength[b] > d->strength[a];
    const size_t clear = swapped ? b : a, other = swapped ? a : b;
    const size_t class = s3svm_line_class(c, d->strength[clear]), turns = d->steps / 2 + 1;
    pair_put(l, first + (uint32_t)(class * turns + turn_of(d, quarters, clear)), clear, other);
}

sos_status s3svm_keyed_pairs_add(const s3svm_line_classes *c, const s3svm_directions *d, uint32_t first,
                                 const uint8_t matters[], sos_example *x, sos_error *error)
{
    clique_list l;
    const size_t w = d->width, n = w * d->height;
    const sos_status status = list_create(2, 4 * n, &l, error);
    if (status) return status;
    for (size_t i = 0, u = 0; i < n; i++, u = u + 1 < w ? u + 1 : 0) {
        const bool left = u > 0, right = u + 1 < w, below = i + w < n;
        if (right) keyed_put(c, d, first, 0, i, i + 1, matters, &l);
        if (right && below) keyed_put(c, d, first, 1, i, i + w + 1, matters, &l);
        if (below) keyed_put(c, d, first, 2, i, i + w, matters, &l);
        if (left && below) keyed_put(c, d, first, 3, i, i + w - 1, matters, &l);
    }
    return list_give(&l, x, error);
}

/* ---------------------------------------------------------------- lines */

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

sos_status s3svm_shaped_lines_find(const s3svm_line_classes *c, const s3svm_line_shape *shape, const s3svm_directions *d,
                                   s3svm_lines *out, sos_error *error)
{
    const size_t n = d->width * d->height, reach = (shape->length - 1) * shape->stride + 1;
    uint8_t *wanted = malloc(n);
    if (!wanted) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the lines of %zu pixels", n);
    for (size_t i = 0; i < n; i++)
        wanted[i] = (i % d->width + i / d->width) % shape->every == 0 &&
                    s3svm_line_class(c, d->strength[i]) >= shape->first_class;
    const sos_status status = s3svm_lines_find(d, reach, wanted, S3SVM_LINES_LEFT_OUT, out, error);
    free(wanted);
    if (!status && shape->stride > 1) lines_thin(shape->length, shape->stride, out);
    return status;
}

sos_status s3svm_line_tables_add(const s3svm_line_classes *c, const s3svm_line_shape *shape, const float strength[],
                                 const s3svm_lines *lines, uint32_t first, const uint8_t matters[], sos_example *x,
                                 sos_error *error)
{
    const size_t length = shape->length;
    clique_list l;
    const sos_status status = list_create(length, lines->count, &l, error);
    if (status) return status;
    for (size_t i = 0; i < lines->count; i++) {
        const uint32_t *members = lines->members + lines->start[i];
        if (!s3svm_line_matters(matters, length, members)) continue;
        l.groups[l.count] = first + (uint32_t)(s3svm_line_class(c, strength[lines->middle[i]]) - shape->first_class);
        for (size_t m = 0; m < length; m++) l.members[l.count * length + m] = members[m];
        l.count++;
    }
    return list_give(&l, x, error);
}

sos_status s3svm_line_pairs_add(const s3svm_line_classes *c, const s3svm_line_shape *shape, const float strength[],
                                const s3svm_lines *lines, uint32_t first, const uint8_t matters[], sos_example *x,
                                sos_error *error)
{
    const size_t length = shape->length;
    clique_list l;
    const sos_status status = list_create(2, lines->count * (length * (length - 1) / 2), &l, error);
    if (status) return status;
    for (size_t i = 0; i < lines->count; i++) {
        const uint32_t *members = lines->members + lines->start[i];
        if (!s3svm_line_matters(matters, length, members)) continue;
        const size_t class = s3svm_line_class(c, strength[lines->middle[i]]) - shape->first_class;
        for (size_t a = 0; a < length; a++)
            for (size_t b = a + 1; b < length; b++)
                pair_put(&l, first + (uint32_t)(class * (length - 1) + b - a - 1), members[a], members[b]);
    }
    return list_give(&l, x, error);
}
