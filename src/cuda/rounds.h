/* rounds.h - when heights are searched and how often tiles push: what the card and the CPU have in common. */
#ifndef SOS_CUDA_ROUNDS_H
#define SOS_CUDA_ROUNDS_H

#include "cuda/tile.h"

namespace sos_card
{

/* Measured on an H200 (docs/benchmarks.md). */
enum {
    DESCENT_PASSES = 2, /* over all tiles, each with tiles shifted otherwise */
    DESCENT_SWEEPS = 2, /* in each */
    PUSH_PASSES = 3,    /* between two searches, at least; and half as many as the search took: */
    PUSH_SWEEPS = 6,    /* in a tile */
    CAP_SLACK = 1,      /* above the highest active pixel of a search heights are worth nothing */
    FIRST_LIMIT = 4,    /* of the first search; each further one looks four times as far, */
    LAST_LIMIT = 64,    /* and beyond this as far as there is anything */
    ROUNDS_MAX = 20000, /* then what is left is the CPU's, */
    PASSES_MAX = 4000   /* or after so many passes of searches and pushes, at the next round */
};

SOS_HD int next_limit(int limit) { return limit * 4 > LAST_LIMIT ? (int)HIGHEST : limit * 4; }

/* Long transport takes many passes of search, and deserves as many pushes. */
SOS_HD int push_passes(int search_passes) { return PUSH_PASSES > search_passes / 2 ? (int)PUSH_PASSES : search_passes / 2; }

} // namespace sos_card

#endif
