/* groups.h - the groups of weights that each design of a model for labels has: unaries first, in all designs alike; then pairs,
 * or the tables of each reach, cluster by cluster; then superpixels: robust P^n in one group, or functions of the count, a
 * group for each size. */
#ifndef SOS_LABEL_GROUPS_H
#define SOS_LABEL_GROUPS_H

#include "label/design.h"
#include "label/features.h"

enum { SOS_LABEL_GROUP_RESPONSE, SOS_LABEL_GROUP_TEXTURE, SOS_LABEL_GROUP_PLACE, SOS_LABEL_UNARIES };
enum { SOS_LABEL_GROUP_CONSTANT }; /* where users' maps stand for these, the only one */

enum {
    SOS_LABEL_COLUMNS = 9, /* cells that places are counted in */
    SOS_LABEL_ROWS = 6,
    SOS_LABEL_SCALES_MAX = 4, /* sizes of superpixels, the picture being the last */
    SOS_LABEL_GROUP_NAME = 32
};

typedef struct sos_label_groups {
    size_t count;
    sos_group *groups;
    char (*names)[SOS_LABEL_GROUP_NAME]; /* that groups point at */
} sos_label_groups;

SOS_MUST_USE sos_status sos_label_groups_create(const sos_label_design *d, const sos_label_features *f, sos_label_groups *out,
                                                sos_error *error);
void sos_label_groups_free(sos_label_groups *g);

/* A model of these groups and nothing else; its weights are 0. */
SOS_MUST_USE sos_status sos_label_groups_model(const sos_label_groups *g, size_t labels, sos_model **out, sos_error *error);

/* How many sizes of superpixels a model has. */
size_t sos_label_scales(const sos_label_design *d);

/* Of pairs: side by side, and along diagonals. */
static inline size_t sos_label_directions(const sos_label_design *d) { return d->diagonals ? 2 : 1; }

/* How many groups are about single pixels, but for maps of users. */
static inline size_t sos_label_unaries(const sos_label_features *f)
{
    return sos_label_has_networks(f) ? SOS_LABEL_UNARIES : 1;
}

/* The group of the pairs of a reach, side by side or along diagonals; the first group of the tables of a reach; that of the
 * regions, which stands last. */
static inline uint32_t sos_label_pair_group(const sos_label_design *d, const sos_label_features *f, size_t reach, bool diagonal)
{
    return (uint32_t)(sos_label_unaries(f) + reach * sos_label_directions(d) + (diagonal ? 1 : 0));
}
static inline uint32_t sos_label_patch_group(const sos_label_features *f, size_t reach)
{
    return (uint32_t)(sos_label_unaries(f) + reach * f->edges);
}
static inline uint32_t sos_label_region_group(const sos_label_design *d, const sos_label_features *f)
{
    return sos_label_has_tables(d) ? sos_label_patch_group(f, d->reaches) : sos_label_pair_group(d, f, d->reaches, false);
}

#endif
