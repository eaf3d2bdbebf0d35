/* energy.h - the inside of sos_energy, for the folders to the right of this one. */
#ifndef SOS_ENERGY_ENERGY_H
#define SOS_ENERGY_ENERGY_H

#include <sos/energy.h>

#include "base/error.h"

/* A table of 2^k costs in the common array of costs. */
typedef struct sos_table {
    size_t k, offset;
    double largest;  /* max |f(S) - f({})| */
    double marginal; /* max |f(S+i) - f(S)| */
    bool integers;
    size_t uses; /* cliques that use it, with a weight over 0 */
} sos_table;

/* All cliques of k members. */
typedef struct sos_pool {
    size_t count;
    uint32_t *variables; /* count * k */
    uint32_t *tables;    /* count */
    double *weights;     /* count, or NULL while all weights are 1 */
    size_t variables_room, tables_room, weights_room;
    double largest_weight;
    bool integer_weights;
} sos_pool;

typedef struct sos_concave_clique {
    size_t k;
    uint32_t *variables; /* k */
    double *g;           /* k + 1 */
} sos_concave_clique;

struct sos_energy {
    size_t n;
    double constant;
    double *unary;  /* 2 n: cost of label 0 and of label 1, variable by variable */
    uint8_t *fixed; /* n, or NULL while all are free */

    sos_table *tables;
    double *costs; /* of all tables */
    size_t table_count, tables_room, costs_count, costs_room;

    sos_pool pools[SOS_TABLE_MEMBERS_MAX + 1]; /* by k; pools[0] is empty */
    size_t clique_count;

    sos_concave_clique *concaves;
    size_t concave_count, concaves_room, concave_bytes;

    uint64_t revision; /* of the costs of the tables */
    uint64_t identity; /* of the energy and its cliques: changes whenever cliques are added, differs between energies */
};

static inline const double *sos_table_costs(const sos_energy *e, uint32_t table) { return e->costs + e->tables[table].offset; }

#endif
