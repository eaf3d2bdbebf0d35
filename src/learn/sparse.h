/* sparse.h - sparse vectors, one behind the other, that are summed up entry by entry. */
#ifndef SOS_LEARN_SPARSE_H
#define SOS_LEARN_SPARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

typedef struct sos_sparse {
    size_t count, index_room, value_room;
    uint32_t *index; /* [count] of all vectors */
    double *value;
    size_t begin;   /* of the last vector */
    uint32_t *slot; /* [dimensions] where its entry of an index may be: it is there if that one has the index */
    bool no_memory;
} sos_sparse;

/* Adds to an entry of the last vector. */
static inline void sos_sparse_add(sos_sparse *s, uint32_t index, double value)
{
    const size_t at = s->slot[index];
    if (at >= s->begin && at < s->count && s->index[at] == index) {
        s->value[at] += value;
        return;
    }
    if (!sos_grow(&s->index, &s->index_room, s->count + 1) || !sos_grow(&s->value, &s->value_room, s->count + 1)) {
        s->no_memory = true;
        return;
    }
    s->slot[index] = (uint32_t)s->count;
    s->index[s->count] = index;
    s->value[s->count++] = value;
}

#endif
