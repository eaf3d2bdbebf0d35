/* resample.h - a picture in blocks: smaller pictures with a pixel for each block, and the way back.
 *
 * Blocks have factor by factor pixels, from the upper left corner on; those at the right and the lower border may have fewer.
 */
#ifndef S3SVM_VISION_RESAMPLE_H
#define S3SVM_VISION_RESAMPLE_H

#include <s3svm/maps.h>
#include <s3svm/marks.h>

typedef struct s3svm_blocks {
    size_t factor;        /* 1: blocks are pixels */
    size_t width, height; /* of the picture, in pixels */
    size_t columns, rows; /* of blocks */
} s3svm_blocks;

/* Blocks by their factor; and those of the least factor with which there are at most so many (0: pixels). */
s3svm_blocks s3svm_blocks_of(const s3svm_image *picture, size_t factor);
s3svm_blocks s3svm_blocks_within(const s3svm_image *picture, size_t most);

static inline size_t s3svm_blocks_size(const s3svm_blocks *b) { return b->columns * b->rows; }

/* A picture of the means of blocks, rounded, half up. */
SOS_MUST_USE sos_status s3svm_blocks_mean(const s3svm_blocks *b, const s3svm_image *picture, s3svm_image *out,
                                          sos_error *error);

/* Maps of the means of blocks. */
SOS_MUST_USE sos_status s3svm_blocks_maps(const s3svm_blocks *b, const s3svm_maps *maps, s3svm_maps *out, sos_error *error);

/* The marks of blocks.  Strokes are thin, so any pixel of object or background marks its block: as the kind that more of its
 * pixels have, as object where both kinds are as frequent.  A block without either has its most frequent mark. */
SOS_MUST_USE sos_status s3svm_blocks_marks(const s3svm_blocks *b, const s3svm_image *marks, s3svm_image *out, sos_error *error);

/* The values of the pixels in the middle of blocks. */
void s3svm_blocks_middle(const s3svm_blocks *b, const uint8_t values[], uint8_t out[]);

/* From values of blocks to pixels, linear between the middles of blocks.  Labels are 1 from one half on. */
void s3svm_blocks_grow(const s3svm_blocks *b, const float values[], float out[]);
void s3svm_blocks_grow_labels(const s3svm_blocks *b, const uint8_t labels[], uint8_t out[]);

#endif
