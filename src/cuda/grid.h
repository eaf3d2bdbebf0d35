/* grid.h - energies on a grid, as a graphics card solves them: what libsos and its part for cards say to each other.
 *
 * A grid of width x height pixels, row by row, has a patch of 2x2 pixels at every pixel but those of the last column and row;
 * bit b of a set S of its pixels stands for the pixel (b & 1, b >> 1).  The energy of a set Y of pixels is
 *
 *     sum_{p in Y} unary[p] + sum_patches f(Y cap patch),       f >= 0 submodular, f(none) = f(all) = 0,
 *
 * in integers.  A function is one of a few tables, or the sum over the six pairs of a patch of what it costs where the first
 * pixel is in Y and the second is not: with modular costs, that is any submodular function of two pixels. */
#ifndef SOS_CUDA_GRID_H
#define SOS_CUDA_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sos/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SOS_GRID_PAIRS = 6, SOS_GRID_SETS = 16, SOS_GRID_TABLES_MAX = 1 << 16 };

/* The two pixels of pair i of a patch. */
static const unsigned char SOS_GRID_PAIR[SOS_GRID_PAIRS][2] = { { 0, 1 }, { 2, 3 }, { 0, 2 }, { 1, 3 }, { 0, 3 }, { 1, 2 } };

typedef struct sos_grid {
    uint32_t width, height; /* 2 or more each */
    const int64_t *unary;   /* one for each pixel */
    /* Either: */
    size_t tables;
    const int64_t *table;  /* SOS_GRID_SETS costs each */
    const uint16_t *which; /* of each pixel's patch, or NULL: table 0 for all */
    /* or, where tables is 0: */
    const int64_t *strength; /* SOS_GRID_PAIRS for each pixel's patch, not negative */

    uint8_t *labels; /* out, where solved: the smallest set of least energy */
    /* Out, where solved: that energy, as the flow proves it: bound_high * 2^32 + bound_low. */
    int64_t bound_high, bound_low;
    bool solved; /* out; false: paths were too long, or rounds used up */
} sos_grid;

/* What the part for cards offers, under this name; all calls may come from any thread. */
#define SOS_CARD_OPS "sos_card_ops_1"
typedef struct sos_card_ops {
    /* The name of the card, or NULL: there is none that can be used, and *error says why. */
    const char *(*name)(sos_error *error);

    /* Solves count grids of any sizes together.  memory: bytes that may be taken of the card, 0: four fifths of what is free.
     * *seconds: of the card's work, without transfers. */
    sos_status (*solve)(size_t count, sos_grid grids[], size_t memory, double *seconds, sos_error *error);
} sos_card_ops;

#ifdef __cplusplus
}
#endif

#endif
