/* cone.h - the weights that are allowed: nonnegative strengths, submodular tables, concave functions.  G w >= 0, block by
 * block. */
#ifndef SOS_LEARN_CONE_H
#define SOS_LEARN_CONE_H

#include "learn/model.h"

enum { SOS_CONE_TERMS = 4 };

/* An inequality: sum of coefficient * weight >= 0.  Terms that are not used have coefficient 0 and index 0. */
typedef struct sos_cone_row {
    uint32_t index[SOS_CONE_TERMS];
    int32_t coefficient[SOS_CONE_TERMS];
} sos_cone_row;

/* The inequalities of one table or function of the count, or w >= 0.  Groups alike share one. */
typedef struct sos_cone_pattern {
    const sos_ties *ties; /* borrowed: of a table or function, with what lifts its inequalities; NULL: w >= 0 */
    size_t size, row_count;
    sos_cone_row *rows;
} sos_cone_pattern;

typedef struct sos_cone_block {
    size_t offset; /* of its weights */
    size_t row;    /* number of its first inequality among all */
    const sos_cone_pattern *pattern;
} sos_cone_block;

typedef struct sos_cone {
    size_t weights, row_count, block_count, pattern_count;
    sos_cone_block *blocks; /* by offset */
    sos_cone_pattern *patterns;
} sos_cone;

sos_status sos_cone_create(const sos_layout *layout, sos_cone *cone, sos_error *error);
void sos_cone_free(sos_cone *cone);

static inline double sos_cone_row_value(const sos_cone_row *r, const double w[])
{
    double sum = 0;
    for (int t = 0; t < SOS_CONE_TERMS; t++) sum += r->coefficient[t] * w[r->index[t]];
    return sum;
}

/* Moves w into the cone, in exact arithmetic: rounds each table to a grid of 2^-40 of its largest weight, each function of the
 * count to one of 2^-46, and lifts it as far as it needs (math.md, 10). */
void sos_cone_repair(const sos_cone *cone, double w[]);

#endif
