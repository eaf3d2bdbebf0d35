/* paper.h - what the paper's models of segmentation see of a marked photograph (its supplement). */
#ifndef S3SVM_SEGMENT_PAPER_H
#define S3SVM_SEGMENT_PAPER_H

#include <stddef.h>
#include <stdint.h>

#include "tasks/cache.h"
#include <s3svm/image.h>
#include <s3svm/segment.h>

enum {
    S3SVM_SEGMENT_PATCH = 27,    /* numbers of a patch of 3x3 colours */
    S3SVM_SEGMENT_GRADIENT = 12, /* numbers of a patch of 2x2 colours */
    S3SVM_SEGMENT_CLUSTERS = 50  /* of patches, and of gradients; the paper's number */
};

/* Whether there are a photograph of 3 channels and marks of its size: none, object or background; of dialogues, any. */
SOS_MUST_USE sos_status s3svm_segment_check(const s3svm_segment_input *in, bool dialogues, sos_error *error);

/* Adds a photograph to the key of what is computed from it, and its marks if asked for. */
void s3svm_segment_key(s3svm_cache_key *key, const s3svm_segment_input *in, bool marks);

/* log p(x | object) - log p(x | background) for each pixel, p being mixtures of 5 Gaussians of the colours under the marks,
 * as GrabCut has them, and at least 1e-5 for colours in 0 ... 1.  0 where one kind of mark is missing. */
SOS_MUST_USE sos_status s3svm_segment_colours(const s3svm_segment_input *in, float ratios[], sos_error *error);

/* The colours of the 3x3 pixels around each pixel, the border repeated outwards. */
void s3svm_segment_patches(const s3svm_image *picture, float patches[]);

/* The differences of colours in each of the (width - 1)(height - 1) patches of 2x2 pixels: between the pixels of its upper row
 * and of its left column, and along its two diagonals. */
void s3svm_segment_gradients(const s3svm_image *picture, float gradients[]);

/* Both as descriptions of all patches of a size: how many there are in a picture, how many numbers each has, and these. */
typedef enum s3svm_segment_size { S3SVM_SEGMENT_2X2, S3SVM_SEGMENT_3X3 } s3svm_segment_size;
size_t s3svm_segment_patch_count(const s3svm_image *picture, s3svm_segment_size size);
size_t s3svm_segment_patch_numbers(s3svm_segment_size size);
void s3svm_segment_patch_describe(const s3svm_image *picture, s3svm_segment_size size, float rows[]);

/* The cluster of every patch: the nearest of S3SVM_SEGMENT_CLUSTERS centres. */
SOS_MUST_USE sos_status s3svm_segment_clusters(const s3svm_segment_input *in, s3svm_segment_size size, const float centres[],
                                               uint32_t clusters[], sos_error *error);

#endif
