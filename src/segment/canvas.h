/* canvas.h - what the makers of maps share; for segment_maps.c and segment_pieces.c only. */
#ifndef SOS_SEGMENT_CANVAS_H
#define SOS_SEGMENT_CANVAS_H

#include <stdbool.h>

#include "segment/maps.h"

typedef struct sos_canvas {
    const sos_segment_input *in;
    size_t width, height, n;
    double side;                       /* of a square of n pixels */
    uint8_t *mask[SOS_SEGMENT_LABELS]; /* of marks */
    size_t count[SOS_SEGMENT_LABELS];
    float *lab;                     /* 3 n */
    float *points;                  /* 5 n, scratch */
    double *logs;                   /* n, scratch */
    float *far[SOS_SEGMENT_LABELS]; /* n, scratch: distances */
    uint32_t *pieces;               /* n: superpixels */
    float *maps;
    sos_segment_view *view;
} sos_canvas;

static inline float *sos_canvas_map(const sos_canvas *c, sos_segment_map map) { return c->maps + (size_t)map * c->n; }
static inline bool sos_canvas_both(const sos_canvas *c)
{
    return c->count[SOS_SEGMENT_OBJECT] && c->count[SOS_SEGMENT_BACKGROUND];
}

/* Mixtures of Lab colours: a variance of 2 on top, about that of noise; log densities from here on are alike. */
enum { SOS_CANVAS_COMPONENTS = 5, SOS_CANVAS_SEED = 1 };
#define SOS_CANVAS_RIDGE                                                                                                       \
    {                                                                                                                          \
        .ridge = 2, .determinant = 0                                                                                           \
    }
#define SOS_CANVAS_LOG_LEAST (-40.0)

/* The maps that come from superpixels, from those of colours. */
SOS_MUST_USE sos_status sos_canvas_superpixels(sos_canvas *c, sos_error *error);

#endif
