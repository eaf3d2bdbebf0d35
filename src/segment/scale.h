/* scale.h - photographs with marks at a lower resolution, and back. */
#ifndef SOS_SEGMENT_SCALE_H
#define SOS_SEGMENT_SCALE_H

#include "segment/features.h"

/* A picture whose pixels are the means of blocks of so many pixels a side, and its marks: what most of the marked pixels
 * of a block say. */
typedef struct sos_shrunk {
    size_t factor;
    sos_image picture, marks;
} sos_shrunk;

/* With the least factor that leaves about so many pixels, or fewer. */
SOS_MUST_USE sos_status sos_shrunk_create(const sos_segment_input *in, size_t pixels, sos_shrunk *out, sos_error *error);
void sos_shrunk_free(sos_shrunk *s); /* leaves it empty; an empty one is fine */

/* From values of blocks to pixels of the picture they came from, linear between the middles of blocks. */
void sos_shrunk_grow(const sos_shrunk *s, const float values[], size_t width, size_t height, float out[]);

#endif
