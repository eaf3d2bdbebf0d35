/* energy.h - the internals of sos_energy, for minimize/ and learn/. */
#ifndef SOS_ENERGY_ENERGY_H
#define SOS_ENERGY_ENERGY_H

#include <sos/energy.h>

#include "base/error.h"
#include "energy/pieces.h"

/* A table of 2^k costs in the common array of costs. */
typedef struct sos_table {
    size_t k, offset;
    double largest;  /* max |f(S) - f({})| */
    double marginal; /* max |f(S+i) - f(S)| */
    double off;      /* max of what rounding does to f(S) - f({}) */
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

/* A clique that costs weight * F(A), A the sum of the amounts of the members labelled 1 (pieces.h). */
typedef struct sos_concave_clique {
    size_t k;
    uint32_t *variables; /* k, increasing */
    double *amounts;     /* k, or NULL: 1 each */
    sos_count_function f;
    double *place, *value;   /* what f points to, the clique's own; place may be NULL */
    sos_count_function hull; /* f, or, where rounding made that not concave, the least concave function above, */
    double *hull_numbers;    /* in an array of its own; else NULL */
    double weight;

    /* Facts about members and F, without the weight. */
    double total;     /* of the amounts, or the last place if that is more */
    double largest;   /* amount */
    double steepest;  /* max |slope| */
    double tolerance; /* where places are counts: slope changes up to this are rounding of whoever computed F, and would each
                         cost a node */
    double bulk;      /* bound on what its linear pieces cost together */
    double off;       /* bound on what that differs from F: the hull, slopes taken for equal, rounding of differences and
                         quotients */
    size_t kinks;     /* knots where the slope changes */
    bool whole;       /* amounts are whole numbers, of a sum below 2^31 */
    bool integers;    /* so are all integers that come of it at weight 1 */
    bool products;    /* costs of pieces are products of amounts or places that are no whole numbers */
} sos_concave_clique;

/* beta_j = s_j - s_{j+1}, s_j the slope before knot j of the hull: how much the slope changes there; 0 where that is rounding
 * (math.md, 7). */
static inline double sos_slope_change(const sos_concave_clique *c, size_t j)
{
    const double change = sos_count_slope(&c->hull, j) - sos_count_slope(&c->hull, j + 1);
    return change > c->tolerance ? change : 0;
}

/* The slope of the last piece. */
static inline double sos_last_slope(const sos_concave_clique *c) { return sos_count_slope(&c->hull, c->hull.knots - 1); }

struct sos_energy {
    size_t n;
    double constant;
    double *unary; /* 2 n: cost of label 0 and of label 1, variable by variable */
    size_t unary_room;
    uint8_t *fixed; /* n, or NULL while all are free */

    sos_table *tables;
    double *costs; /* of all tables */
    size_t table_count, tables_room, costs_count, costs_room;

    sos_pool pools[SOS_TABLE_MEMBERS_MAX + 1]; /* by k; pools[0] is empty */
    size_t clique_count;

    sos_concave_clique *concaves;
    size_t concave_count, concaves_room, concave_bytes;

    uint64_t revision; /* of the costs of tables, and of the weights that a flow can follow */
    uint64_t identity; /* of the energy and its cliques: changes whenever cliques are added, differs between energies */
};

static inline const double *sos_table_costs(const sos_energy *e, uint32_t table) { return e->costs + e->tables[table].offset; }

/* Loops over members are much faster where the compiler knows their number: these sizes are the common ones. */
#define SOS_FOR_SIZE(k, call) ((k) == 2 ? call(2) : (k) == 4 ? call(4) : (k) == 9 ? call(9) : call(k))

/* sos_energy_value on so many threads: the same bits. */
double sos_energy_value_on(const sos_energy *e, const uint8_t labels[], int threads);

/* A new identity, for the cliques are others. */
void sos_energy_renew(sos_energy *e);

/* An energy of no variables that keeps its memory; n variables, all costs 0, where no clique can tell. */
void sos_energy_clear(sos_energy *e);
sos_status sos_energy_resize(sos_energy *e, size_t n, sos_error *error);

/* Gives every clique of 3 and more members whose weight is a fraction a table of its own, with the weight in its costs: shared
 * tables leave the minimiser 26 bits of a weight (math.md, 6.4), products of doubles 53.  No labelling's energy moves by more
 * than *off.  How many costs the new tables have.  On error the energy is of no use. */
sos_status sos_energy_unshare(sos_energy *e, double *off, sos_error *error);
size_t sos_energy_unshared_costs(const sos_energy *e);

/* Is there a table of this number; may a clique have this weight? */
sos_status sos_table_number_check(const sos_energy *e, uint32_t table, sos_error *error);
sos_status sos_weight_check(double weight, sos_error *error);

/* The members of a clique of any size, sorted, which finds repeats among thousands; *out is the caller's to free.  Their order
 * is no matter to functions of the count. */
sos_status sos_members_copy(size_t n, size_t k, const uint32_t variables[], uint32_t **out, sos_error *error);

/* The amounts of members in the order of sorted, the same members increasing, where they are numbers; *out is the caller's. */
sos_status sos_amounts_copy(size_t k, const uint32_t variables[], const uint32_t sorted[], const double amounts[], double **out,
                            sos_error *error);

/* The sum of the amounts of the members labelled 1. */
double sos_concave_amount(const sos_concave_clique *c, const uint8_t labels[]);

/* Takes all concave cliques away; or copies them to an energy that has none (false: no memory, and perhaps only some). */
void sos_concaves_forget(sos_energy *e);
bool sos_concaves_copy(sos_energy *to, const sos_energy *from);

#endif
