/* regions.h - a large network cut into regions, which are solved apart and then merged two by two (math.md, 5.5). */
#ifndef SOS_MINIMIZE_REGIONS_H
#define SOS_MINIMIZE_REGIONS_H

#include "minimize/network.h"

/* Region r has the nodes from r * nodes on.  Merge m joins two neighbouring groups of regions; merges of one level touch
 * different nodes.  A clique with members in several regions waits for the first merge that holds all of them. */
typedef struct sos_regions {
    uint32_t count; /* of regions; 0: the network is not cut */
    uint32_t nodes; /* of each region but the last, which may have fewer */
    unsigned levels;
    uint32_t merges;     /* of all levels together, level by level */
    uint32_t *first;     /* [merges + 1] into crossing */
    uint32_t *crossing;  /* cliques with members in several regions, by their merge */
    int64_t *left;       /* [2 * crossings] what a pair among these can carry, while it waits */
    int32_t (*depth)[2]; /* [count] of both trees, at the first region of a group */
    double *rounding;    /* [count] of pairs inside the regions */
    void *block;         /* that holds the arrays */
    size_t bytes, room;  /* of the block: laid out, and there */
} sos_regions;

/* Merges of this level, and the number of the first. */
static inline uint32_t sos_regions_merges(const sos_regions *r, unsigned level)
{
    return (uint32_t)(((uint64_t)r->count + (UINT64_C(2) << level) - 1) >> (level + 1));
}

/* Cuts the network into regions, or not at all: where it is small, where nodes that share cliques do not have near numbers, or
 * where there is no memory for the lists.  forced: nodes of a region whatever that is worth, or 0.  limit: bytes, 0 none. */
void sos_regions_find(sos_regions *r, const sos_network *net, size_t forced, size_t limit, int threads);

void sos_regions_free(sos_regions *r);

#endif
