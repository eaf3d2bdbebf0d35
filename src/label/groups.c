#include "label/groups.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

/* How the groups of the first, second... reach are called. */
static const char *const FAR[S3SVM_LABEL_REACHES_MAX] = { "", "far ", "farther ", "farthest " };

static size_t group_count(const s3svm_label_design *d, const s3svm_label_features *f)
{
    size_t count = s3svm_label_unaries(f);
    if (s3svm_label_has_pairs(d)) count += d->reaches * s3svm_label_directions(d);
    if (s3svm_label_has_tables(d)) count += d->reaches * f->edges;
    if (s3svm_label_has_robust(d)) count += 1;
    return s3svm_label_has_counts(d) ? count + s3svm_label_scales(d) : count;
}

static void pairs_list(const s3svm_label_design *d, s3svm_label_groups *g)
{
    for (size_t reach = 0; reach < d->reaches; reach++)
        for (size_t direction = 0; direction < s3svm_label_directions(d); direction++) {
            char *name = g->names[g->count];
            snprintf(name, S3SVM_LABEL_GROUP_NAME, "%s%s", FAR[reach], direction ? "diagonal" : "edge");
            g->groups[g->count++] = (sos_group){ .name = name, .kind = SOS_GROUP_NONNEGATIVE, .size = 2 };
        }
}

static void tables_list(const s3svm_label_design *d, const s3svm_label_features *f, s3svm_label_groups *g)
{
    for (size_t reach = 0; reach < d->reaches; reach++)
        for (size_t cluster = 0; cluster < f->edges; cluster++) {
            char *name = g->names[g->count];
            snprintf(name, S3SVM_LABEL_GROUP_NAME, "%spatch %zu", FAR[reach], cluster);
            g->groups[g->count++] = (sos_group){
                .name = name, .kind = SOS_GROUP_TABLE, .size = 4, .anchored = true, .patch_width = 2, .patch_height = 2
            };
        }
}

size_t s3svm_label_scales(const s3svm_label_design *d) { return d->kind == S3SVM_LABEL_FULL ? 2 : S3SVM_LABEL_SCALES_MAX; }

/* Shares of a superpixel that has a label, at which the label's function may bend, as in segmentation; those of robust P^n are
 * among them. */
static const double SHARES[] = { 0, 0.1, 0.3, 0.7, 0.9, 1 };

static void counts_list(const s3svm_label_design *d, s3svm_label_groups *g)
{
    static const char *const names[S3SVM_LABEL_SCALES_MAX] = { "small superpixels", "superpixels", "large superpixels",
                                                               "picture" };
    for (size_t scale = 0; scale < s3svm_label_scales(d); scale++)
        g->groups[g->count++] = (sos_group){ .name = names[scale],
                                             .kind = SOS_GROUP_COUNT,
                                             .size = sizeof SHARES / sizeof *SHARES,
                                             .shares = SHARES,
                                             .anchored = true };
}

static void unaries_list(const s3svm_label_features *f, s3svm_label_groups *g)
{
    g->count = s3svm_label_unaries(f);
    if (!s3svm_label_has_networks(f)) {
        g->groups[S3SVM_LABEL_GROUP_CONSTANT] = (sos_group){ .name = "constant", .kind = SOS_GROUP_FREE, .size = 1 };
        return;
    }
    g->groups[S3SVM_LABEL_GROUP_RESPONSE] = (sos_group){ .name = "response", .kind = SOS_GROUP_NONNEGATIVE, .size = 1 };
    g->groups[S3SVM_LABEL_GROUP_TEXTURE] = (sos_group){ .name = "texture", .kind = SOS_GROUP_FREE, .size = f->clusters };
    g->groups[S3SVM_LABEL_GROUP_PLACE] = (sos_group){ .name = "place",
                                                      .kind = SOS_GROUP_FREE,
                                                      .size = (size_t)S3SVM_LABEL_COLUMNS * S3SVM_LABEL_ROWS };
}

static void groups_list(const s3svm_label_design *d, const s3svm_label_features *f, s3svm_label_groups *g)
{
    unaries_list(f, g);
    if (s3svm_label_has_pairs(d)) pairs_list(d, g);
    if (s3svm_label_has_tables(d)) tables_list(d, f, g);
    if (s3svm_label_has_robust(d))
        g->groups[g->count++] = (sos_group){ .name = "region", .kind = SOS_GROUP_NONNEGATIVE, .size = s3svm_label_scales(d) };
    if (s3svm_label_has_counts(d)) counts_list(d, g);
}

sos_status s3svm_label_groups_create(const s3svm_label_design *d, const s3svm_label_features *f, s3svm_label_groups *out,
                                     sos_error *error)
{
    const size_t count = group_count(d, f);
    s3svm_label_groups g = { .groups = calloc(count, sizeof *g.groups), .names = calloc(count, sizeof *g.names) };
    if (!g.groups || !g.names) {
        s3svm_label_groups_free(&g);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for the groups of a model");
    }
    groups_list(d, f, &g);
    *out = g;
    return SOS_OK;
}

void s3svm_label_groups_free(s3svm_label_groups *g)
{
    free(g->groups);
    free(g->names);
    *g = (s3svm_label_groups){ 0 };
}

sos_status s3svm_label_groups_model(const s3svm_label_groups *g, size_t labels, sos_model **out, sos_error *error)
{
    sos_model *m;
    sos_status status = sos_model_create(labels, &m, error);
    if (status) return status;
    for (size_t i = 0; i < g->count && !status; i++) {
        uint32_t number;
        status = sos_model_add_group(m, &g->groups[i], &number, error);
    }
    if (status)
        sos_model_free(m);
    else
        *out = m;
    return status;
}
