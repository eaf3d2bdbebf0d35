/* edge.h - whether the best of several values, in ascending order, is the first or the last: a better one may lie beyond. */
#ifndef SOS_BASE_EDGE_H
#define SOS_BASE_EDGE_H

#include <stddef.h>

/* "smallest" or "largest"; NULL where the best lies between others, or there is no choice. */
static inline const char *sos_edge(size_t best, size_t count)
{
    if (count < 2) return NULL;
    return best == 0 ? "smallest" : best + 1 == count ? "largest" : NULL;
}

#endif
