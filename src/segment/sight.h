/* sight.h - what a full model sees of a photograph whatever is marked in it: it stays while marks change. */
#ifndef SOS_SEGMENT_SIGHT_H
#define SOS_SEGMENT_SIGHT_H

#include "segment/traces.h"
#include "vision/resample.h"

enum { SOS_SEGMENT_MAPS_PIXELS = 75000 }; /* of a photograph that maps are made of; larger ones are reduced */

typedef struct sos_segment_sight {
    sos_blocks blocks;       /* what maps are made of */
    sos_segment_scene scene; /* of their means */
    float *lab;              /* 3 numbers for each pixel of the photograph: its colours */
    sos_traces *traces;      /* what the last marks left: one thread at a time */
} sos_segment_sight;

/* Of a photograph of 3 channels. */
SOS_MUST_USE sos_status sos_segment_sight_create(const sos_image *photograph, int threads, sos_segment_sight *out,
                                                 sos_error *error);
void sos_segment_sight_free(sos_segment_sight *s); /* leaves it empty; an empty one is fine */

#endif
