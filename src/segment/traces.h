/* traces.h - what follows from a set of pixels of a scene alone: how far others are from it, and how much they look like it.
 *
 * A new mark changes some of the sets that maps are made of, and leaves others as they are: what is known of these is kept, and
 * is the same as if it were found again. */
#ifndef SOS_SEGMENT_TRACES_H
#define SOS_SEGMENT_TRACES_H

#include "segment/scene.h"

typedef enum sos_trace_set {
    SOS_TRACE_BACKGROUND, /* marks, by their labels, with what is assumed */
    SOS_TRACE_OBJECT,
    SOS_TRACE_FRAME,           /* of the picture, and background marks */
    SOS_TRACE_GIVEN,           /* background marks, without what is assumed */
    SOS_TRACE_LAST_BACKGROUND, /* marks of the last step */
    SOS_TRACE_LAST_OBJECT,
    SOS_TRACE_LAST,
    SOS_TRACE_BEFORE,     /* labels found before it: object */
    SOS_TRACE_NOT_BEFORE, /* background */
    SOS_TRACE_SETS
} sos_trace_set;

typedef enum sos_trace_kind {
    SOS_TRACE_TEXTURE, /* log p(x), p being a mixture of the textures of the set; the slowest is first */
    SOS_TRACE_LAB,     /* the same of colours */
    SOS_TRACE_SOFT,    /* and of blurred ones */
    SOS_TRACE_PATH,    /* distances along paths on which colours change little, in pixels */
    SOS_TRACE_TIGHT,   /* the same for steps that must not leak at weak edges */
    SOS_TRACE_CROW,    /* as the crow flies */
    SOS_TRACE_KINDS
} sos_trace_kind;

typedef struct sos_trace {
    size_t count;  /* pixels of the set */
    uint8_t *mask; /* n */
    bool known[SOS_TRACE_KINDS];
    float *values[SOS_TRACE_KINDS]; /* n each, or NULL */
} sos_trace;

typedef struct sos_traces {
    size_t n;
    sos_trace sets[SOS_TRACE_SETS];
} sos_traces;

void sos_traces_free(sos_traces *t); /* leaves it empty; an empty one is fine */

/* Makes a set what the mask says; what was known of it stays if it is the same. */
SOS_MUST_USE sos_status sos_traces_set(sos_traces *t, sos_trace_set set, size_t n, const uint8_t mask[], sos_error *error);

typedef struct sos_trace_wish {
    sos_trace_set set;
    sos_trace_kind kind;
} sos_trace_wish;

/* Finds what is wished for and not known, on several threads.  Of sets without pixels nothing is known. */
SOS_MUST_USE sos_status sos_traces_find(sos_traces *t, const sos_segment_scene *scene, size_t count,
                                        const sos_trace_wish wishes[], int threads, sos_error *error);

/* What was found; logarithms are at least SOS_SEGMENT_LOG_LEAST: colours that no component knows are all alike. */
#define SOS_SEGMENT_LOG_LEAST (-40.0)
static inline const float *sos_traces_of(const sos_traces *t, sos_trace_set set, sos_trace_kind kind)
{
    return t->sets[set].values[kind];
}

#endif
