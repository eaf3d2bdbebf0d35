/* example.c - a picture as an example of a model of thin structures. */
#include <math.h>
#include <stdlib.h>

#include "base/elementary.h"
#include "base/error.h"
#include "trace/features.h"

/* Beyond these log odds a pixel is as good as sure: a hinge that saw more would flatten them all. */
static const double ODDS_MOST = 6;

/* Cliques all of whose pixels have lower odds than this are left out: nobody would call them a structure. */
static const float SURELY_NOT = -3;

/* Lines go through pixels that are in doubt, on either side: elsewhere they tell nothing that training could use. */
static const float IN_DOUBT = 2.5F;

/* Directions are best where the blur is about as wide as the structures. */
static const double BLUR = 1.5;

sos_status s3svm_trace_directions(const s3svm_plane *response, s3svm_directions *out, sos_error *error)
{
    s3svm_plane seen;
    sos_status status = s3svm_plane_create(response->width, response->height, &seen, error);
    if (status) return status;
    for (size_t i = 0; i < s3svm_plane_size(response); i++) seen.values[i] = (float)sos_logistic(-(double)response->values[i]);
    status = s3svm_directions_find(&seen, BLUR, S3SVM_TRACE_STEPS, out, error);
    s3svm_plane_free(&seen);
    return status;
}

sos_status s3svm_trace_respond(const s3svm_trace_features *f, const s3svm_trace_look *look, s3svm_plane *out, sos_error *error)
{
    if (f->alone) return s3svm_plane_create(look->picture->width, look->picture->height, out, error);
    return s3svm_evidence_apply(&f->evidence, look->picture, look->fold, look->threads, out, error);
}

static sos_status unaries_set(const s3svm_trace_features *f, const s3svm_trace_groups *g, const s3svm_plane *response,
                              sos_example *x, sos_error *error)
{
    const size_t n = s3svm_plane_size(response);
    const double one = 1;
    double *values = malloc(n * sizeof *values);
    if (!values) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the features of %zu pixels", n);
    for (size_t i = 0; i < n; i++)
        values[i] = fmin(fmax((double)response->values[i] - (double)f->even, -ODDS_MOST), ODDS_MOST) / ODDS_MOST;
    sos_status status = sos_example_set_dense_features(x, g->constant, &one, 0, 0, error);
    if (!status && !f->alone) status = sos_example_set_dense_features(x, g->odds, values, 1, 0, error);
    free(values);
    return status;
}

/* Pairs of 8 neighbours: along sides of the first group, across corners of the next one. */
static sos_status neighbours_add(const s3svm_plane *p, uint32_t group, const uint8_t matters[], sos_example *x,
                                 sos_error *error)
{
    const size_t w = p->width, n = s3svm_plane_size(p);
    uint32_t *members = malloc(8 * n * sizeof *members), *groups = malloc(4 * n * sizeof *groups);
    size_t count = 0;
    sos_status status = members && groups ? SOS_OK
                                          : sos_fail(error, SOS_ERR_MEMORY, "no memory for the pairs of %zu pixels", n);
    for (size_t i = 0; i < n && !status; i++) {
        const size_t u = i % w, other[4] = { i + 1, i + w, i + w + 1, i + w - 1 };
        const bool right = u + 1 < w, below = i + w < n, there[4] = { right, below, right && below, u && below };
        for (size_t d = 0; d < 4; d++) {
            if (!there[d] || (!matters[i] && !matters[other[d]])) continue;
            groups[count] = group + (d > 1);
            members[2 * count] = (uint32_t)i;
            members[2 * count++ + 1] = (uint32_t)other[d];
        }
    }
    if (!status) status = sos_example_add_listed(x, count, groups, members, NULL, error);
    free(members);
    free(groups);
    return status;
}

static sos_status lines_add(const s3svm_trace_features *f, const s3svm_trace_groups *g, const s3svm_directions *where,
                            const uint8_t matters[], sos_example *x, sos_error *error)
{
    const s3svm_line_classes classes = { S3SVM_TRACE_THRESHOLDS, f->threshold };
    sos_status status = SOS_OK;
    for (size_t s = 0; s < S3SVM_TRACE_SHAPES && !status; s++) {
        s3svm_lines lines;
        status = s3svm_shaped_lines_find(&classes, &s3svm_trace_shapes[s], where, &lines, error);
        if (status) break;
        status = f->design->cliques & S3SVM_TRACE_LINE_TABLES
                     ? s3svm_line_tables_add(&classes, &s3svm_trace_shapes[s], where->strength, &lines, g->tables[s], matters,
                                             x, error)
                     : s3svm_line_pairs_add(&classes, &s3svm_trace_shapes[s], where->strength, &lines, g->pairs[s], matters, x,
                                            error);
        s3svm_lines_free(&lines);
    }
    return status;
}

static sos_status directed_add(const s3svm_trace_features *f, const s3svm_trace_groups *g, const s3svm_plane *response,
                               const uint8_t matters[], sos_example *x, sos_error *error)
{
    const s3svm_line_classes classes = { S3SVM_TRACE_THRESHOLDS, f->threshold };
    s3svm_directions where;
    sos_status status = s3svm_trace_directions(response, &where, error);
    if (status) return status;
    if (f->design->cliques & S3SVM_TRACE_KEYED) status = s3svm_keyed_pairs_add(&classes, &where, g->keyed, matters, x, error);
    for (size_t i = 0; i < s3svm_plane_size(response); i++)
        if (!(fabsf(response->values[i]) < IN_DOUBT)) where.strength[i] = -INFINITY;
    if (!status && s3svm_trace_has_lines(f->design)) status = lines_add(f, g, &where, matters, x, error);
    s3svm_directions_free(&where);
    return status;
}

/* Energies are per pixel, as the loss is: then C means the same for pictures of all sizes. */
sos_status s3svm_trace_features_apply(const s3svm_trace_features *f, const s3svm_trace_look *look, const s3svm_plane *response,
                                      sos_example *x, sos_error *error)
{
    const size_t n = s3svm_plane_size(response);
    s3svm_trace_groups groups;
    s3svm_trace_groups_list(f, &groups);
    uint8_t *matters = malloc(n);
    if (!matters) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pixels", n);
    for (size_t i = 0; i < n; i++) matters[i] = response->values[i] > SURELY_NOT;
    sos_status status = unaries_set(f, &groups, response, x, error);
    if (!status && f->design->cliques & S3SVM_TRACE_NEIGHBOURS)
        status = neighbours_add(response, groups.neighbours, matters, x, error);
    if (!status && s3svm_trace_has_directions(f->design)) status = directed_add(f, &groups, response, matters, x, error);
    free(matters);
    if (!status) status = s3svm_own_maps_fill(&f->maps, look->maps, response->width, response->height, 1, x, error);
    if (!status) status = sos_example_set_scale(x, 1 / (double)n, error);
    if (!status && look->truth) status = sos_example_set_truth(x, look->truth, look->care, error);
    if (!status && look->truth && look->loss) status = s3svm_trace_loss_add(look, x, error);
    return status;
}
