/* relations.c - how labels of neighbours depend on each other: pairs, or patches as pairs or tables.  They depend on the
 * photograph alone, not on marks. */
#include <stdlib.h>

#include "base/elementary.h"
#include "base/error.h"
#include "segment/model/parts.h"
#include "vision/contrast.h"

void s3svm_segment_pair_phi(const s3svm_image *p, double beta, size_t i, size_t j, double phi[])
{
    phi[S3SVM_SEGMENT_CONSTANT] = 1;
    phi[S3SVM_SEGMENT_CONTRAST] = sos_exp(-beta * s3svm_contrast_square(p->pixels + 3 * i, p->pixels + 3 * j));
}

/* Of all pairs of 4-neighbours: to the right and below, pixel by pixel. */
static void contrasts_list(const s3svm_image *p, double beta, double phi[])
{
    for (size_t y = 0; y < p->height; y++)
        for (size_t x = 0; x < p->width; x++)
            for (int down = 0; down < 2; down++) {
                if (down ? y + 1 == p->height : x + 1 == p->width) continue;
                const size_t i = y * p->width + x, j = i + (down ? p->width : 1);
                s3svm_segment_pair_phi(p, beta, i, j, phi);
                phi += S3SVM_SEGMENT_PAIRS;
            }
}

static sos_status relation_pairs_add(const s3svm_segment_input *in, uint32_t group, sos_example *x, sos_error *error)
{
    const s3svm_image *p = in->photograph;
    double *phi = malloc(2 * S3SVM_SEGMENT_PAIRS * s3svm_image_size(p) * sizeof *phi);
    if (!phi) return sos_fail(error, SOS_ERR_MEMORY, "no memory for pairs of %zu pixels", s3svm_image_size(p));
    contrasts_list(p, s3svm_contrast_beta(p, 4), phi);
    const sos_status status = sos_example_add_grid_pairs(x, group, p->width, p->height, 4, phi, error);
    free(phi);
    return status;
}

/* The patches of 2x2 pixels of a photograph: the cluster of gradients, and the four pixels, of each. */
typedef struct patch_list {
    size_t count;
    uint32_t *clusters, *members;
} patch_list;

static void patches_free(patch_list *l)
{
    free(l->clusters);
    free(l->members);
}

static sos_status patches_list(const s3svm_segment_parts *f, const s3svm_segment_input *in, patch_list *l, sos_error *error)
{
    const s3svm_image *p = in->photograph;
    *l = (patch_list){ .count = (p->width - 1) * (p->height - 1) };
    l->clusters = malloc(l->count * sizeof *l->clusters);
    l->members = malloc(4 * l->count * sizeof *l->members);
    if (!l->clusters || !l->members) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu patches", l->count);
    uint32_t *m = l->members;
    for (size_t row = 0; row + 1 < p->height; row++)
        for (size_t column = 0; column + 1 < p->width; column++)
            for (size_t b = 0; b < 4; b++) *m++ = (uint32_t)((row + b / 2) * p->width + column + b % 2);
    return s3svm_segment_clusters(in, S3SVM_SEGMENT_2X2, f->gradients, l->clusters, error);
}

/* All six pairs of the patches of one cluster: four sides, two diagonals.  pairs and phi have room for them. */
static sos_status cluster_pairs_add(const patch_list *l, uint32_t cluster, uint32_t group, uint32_t pairs[], double phi[],
                                    sos_example *x, sos_error *error)
{
    static const struct {
        uint8_t a, b, kind;
    } PAIRS[] = { { 0, 1, S3SVM_SEGMENT_SIDES }, { 2, 3, S3SVM_SEGMENT_SIDES },     { 0, 2, S3SVM_SEGMENT_SIDES },
                  { 1, 3, S3SVM_SEGMENT_SIDES }, { 0, 3, S3SVM_SEGMENT_DIAGONALS }, { 1, 2, S3SVM_SEGMENT_DIAGONALS } };
    size_t count = 0;
    for (size_t c = 0; c < l->count; c++)
        for (size_t k = 0; l->clusters[c] == cluster && k < sizeof PAIRS / sizeof *PAIRS; k++, count++) {
            pairs[2 * count] = l->members[4 * c + PAIRS[k].a];
            pairs[2 * count + 1] = l->members[4 * c + PAIRS[k].b];
            for (size_t j = 0; j < S3SVM_SEGMENT_APART; j++) phi[S3SVM_SEGMENT_APART * count + j] = j == PAIRS[k].kind;
        }
    return sos_example_add_pairs(x, group + cluster, count, pairs, phi, error);
}

static sos_status patch_pairs_add(const patch_list *l, uint32_t group, sos_example *x, sos_error *error)
{
    const size_t most = 6 * l->count;
    uint32_t *pairs = malloc(2 * most * sizeof *pairs);
    double *phi = malloc(S3SVM_SEGMENT_APART * most * sizeof *phi);
    sos_status status = pairs && phi ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pairs", most);
    for (uint32_t c = 0; c < S3SVM_SEGMENT_CLUSTERS && !status; c++)
        status = cluster_pairs_add(l, c, group, pairs, phi, x, error);
    free(pairs);
    free(phi);
    return status;
}

static sos_status tables_add(const patch_list *l, uint32_t group, sos_example *x, sos_error *error)
{
    for (size_t c = 0; c < l->count; c++) l->clusters[c] += group;
    return sos_example_add_listed(x, l->count, l->clusters, l->members, NULL, error);
}

/* All patches of 2x2 pixels, each with the table, or the pairs, of its cluster of gradients. */
static sos_status patches_add(const s3svm_segment_parts *f, const s3svm_segment_input *in, uint32_t group, sos_example *x,
                              sos_error *error)
{
    if (in->photograph->width < 2 || in->photograph->height < 2) return SOS_OK;
    patch_list l;
    sos_status status = patches_list(f, in, &l, error);
    if (!status) status = s3svm_segment_has_tables(f) ? tables_add(&l, group, x, error) : patch_pairs_add(&l, group, x, error);
    patches_free(&l);
    return status;
}

sos_status s3svm_segment_relations_add(const s3svm_segment_parts *f, const s3svm_segment_input *in, sos_example *x,
                                       sos_error *error)
{
    const uint32_t group = s3svm_segment_relations(f);
    sos_status status = s3svm_segment_has_pairs(f) ? relation_pairs_add(in, group, x, error) : SOS_OK;
    if (!status && s3svm_segment_has_patches(f)) status = patches_add(f, in, group, x, error);
    return !status && s3svm_segment_has_regions(f) ? s3svm_segment_regions_add(f, in, x, error) : status;
}
