/* resample.h - a picture in blocks: smaller pictures with a pixel for each block, and the way back.
 *
 * Blocks have factor by factor pixels, from the upper left corner on; those at the right and the lower border may have fewer.
 */
#ifndef SOS_VISION_RESAMPLE_H
#define SOS_VISION_RESAMPLE_H

#include <s3svm/maps.h>
#include <s3svm/marks.h>

typedef struct sos_blocks {
    size_t factor;        /* 1: blocks are pixels */
    size_t width, height; /* of the picture, in pixels */
    size_t columns, rows; /* of blocks */
} sos_blocks;

/* Blocks by their factor; and those of the least factor with which there are at most so many (0: pixels). */
sos_blocks sos_blocks_of(const sos_image *picture, size_t factor);
sos_blocks sos_blocks_within(const sos_image *picture, size_t most);

static inline size_t sos_blocks_size(const sos_blocks *b) { return b->columns * b->rows; }

/* A picture of the means of blocks, rounded, half up. */
SOS_MUST_USE sos_status sos_blocks_mean(const sos_blocks *b, const sos_image *picture, sos_image *out, sos_error *error);

/* Maps of the means of blocks. */
SOS_MUST_USE sos_status sos_blocks_maps(const sos_blocks *b, const sos_maps *maps, sos_maps *out, sos_error *error);

/* The marks of blocks.  Strokes are thin, so any pixel of object or background marks its block: as the kind that more of its
 * pixels have, as object where both kinds are as frequent.  A block without either has its most frequent mark. */
SOS_MUST_USE sos_status sos_blocks_marks(const sos_blocks *b, const sos_image *marks, sos_image *out, sos_error *error);

/* The values of the pixels in the middle of blocks. */
void sos_blocks_middle(const sos_blocks *b, const uint8_t values[], uint8_t out[]);

/* From values of blocks to pixels, linear between the middles of blocks.  Labels are 1 from one half on. */
void sos_blocks_grow(const sos_blocks *b, const float values[], float out[]);
void sos_blocks_grow_labels(const sos_blocks *b, const uint8_t labels[], uint8_t out[]);

#endif
