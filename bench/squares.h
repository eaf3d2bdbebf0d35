/* squares.h - energies of noise in squares, pairs of neighbours, and regions that cost a concave function of their count. */
#ifndef BENCH_SQUARES_H
#define BENCH_SQUARES_H

#include <stdbool.h>
#include <stddef.h>

#include <sos/sos.h>

typedef struct regions_case {
    const char *name;
    size_t width, height, members, pieces; /* members of a region, changes of slope */
    bool layers;                           /* regions of three more sizes, and sets of pixels anywhere */
    bool long_one;
} regions_case;

/* To free. */
sos_energy *regions_build(const regions_case *c);

#endif
