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

/* ---- on the card ----
 *
 * A batch goes through a slot in three steps: memory is laid out; the caller, whose threads may share that, fills in the
 * numbers of its grids; the card solves them while the caller is busy with the other slot; and answers are read where they lie.
 */
enum { SOS_CARD_SLOTS = 2 };

typedef struct sos_card_grid {
    uint32_t width, height; /* in */
    uint32_t tables;        /* in; 0: pairs */
    bool chosen;            /* in: patches differ in their tables */

    void *unary, *table, *strength; /* out, to be filled: as above, in integers of the batch's bits */
    uint16_t *which;                /* likewise */
    size_t place;                   /* out: where its pixels begin among those of the batch */

    uint8_t *labels; /* out, until the slot is laid out again */
    int64_t bound_high, bound_low;
    bool solved;
} sos_card_grid;

/* What the part for cards offers, under this name.  One call at a time; what a call did is forgotten where one fails. */
#define SOS_CARD_OPS "sos_card_ops_2"
typedef struct sos_card_ops {
    /* The name of the card, or NULL: there is none that can be used, and *error says why.  *memory: bytes of it that are free.
     */
    const char *(*name)(size_t *memory, sos_error *error);

    /* Bytes of the card that a grid takes, with integers of 32 or 64 bits, besides those of the others. */
    size_t (*bytes)(int bits, const sos_card_grid *grid);

    sos_status (*lay)(int slot, int bits, size_t count, sos_card_grid grids[], sos_error *error);
    sos_status (*start)(int slot, sos_error *error);

    /* Between start and finish, by any thread: is the card done with the slot?  And: it need not go on; what it has not solved
     * yet stays unsolved. */
    bool (*is_ready)(int slot);
    void (*stop)(int slot);

    /* seconds: of the card's work, and with transfers.  Fails if a certificate does not hold. */
    sos_status (*finish)(int slot, size_t count, sos_card_grid grids[], double seconds[2], sos_error *error);

    /* Gives all memory back. */
    void (*release)(void);
} sos_card_ops;

#ifdef __cplusplus
}
#endif

#endif
