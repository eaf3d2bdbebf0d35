/* multi_energy.h - the internals of sos_multi_energy, for minimize/ and learn/. */
#ifndef SOS_ENERGY_MULTI_ENERGY_H
#define SOS_ENERGY_MULTI_ENERGY_H

#include <sos/multi_energy.h>

#include <float.h>

#include "base/exact.h"
#include "energy/energy.h"

/* Tables of moves are sums of differences of up to 17 costs of labels. */
#define SOS_LARGEST_LABEL_COST (DBL_MAX / 1024)

#define SOS_NO_SET UINT32_MAX

/* A clique whose cost depends on how many members take each label, or how much.  It has g_l(m) by one of three: g; value, of
 * the amount that takes l, at places; or, for robust P^n, g_l(m) = -(most - agree[l]) max(0, reach[l] - (k - m)) / reach[l]. */
typedef struct sos_count_clique {
    size_t k;
    uint32_t *variables; /* k, increasing */
    double weight;
    double most;            /* of robust P^n, else 0 */
    double *g;              /* labels * (k + 1), or NULL */
    double *agree, *reach;  /* labels each, or NULL */
    double *amounts;        /* k, or NULL: 1 each */
    double *place, *value;  /* knots, labels * knots, or NULL */
    size_t knots;           /* or 0 */
    double total, smallest; /* amount of all members; of one */
    bool rounded;           /* sums of amounts are no whole numbers below 2^53 */
} sos_count_clique;

/* The cliques with tables are those of an energy, the frame, whose table t has the members of set t and costs that nobody
 * reads.  The costs of set t are those of the frame's table, times the number of labels, further on in costs. */
struct sos_multi_energy {
    sos_energy *frame;
    bool borrowed; /* the frame is someone else's */
    size_t labels;
    double constant;
    double *unary; /* [labels][n]: a move reads the costs of one label */
    double *costs; /* as many for each label as the frame's tables have */
    size_t costs_room, costs_count;
    uint32_t potts; /* set of the Potts pairs, or SOS_NO_SET */
    sos_count_clique *counts;
    size_t count_count, counts_room, count_bytes;
};

/* An energy over the cliques of a frame that the caller keeps, and may add to.  Costs of sets are 0 until they are set. */
sos_status sos_multi_energy_over(sos_energy *frame, size_t labels, sos_multi_energy **out, sos_error *error);

/* The 2^k costs of a set for label 0; those of the other labels follow. */
static inline const double *sos_multi_energy_costs(const sos_multi_energy *e, uint32_t set)
{
    return e->costs + e->labels * e->frame->tables[set].offset;
}

/* SOS_ERR_ARGUMENT unless these are labels of its variables. */
SOS_MUST_USE sos_status sos_multi_energy_labels_check(const sos_multi_energy *e, const uint8_t labels[], sos_error *error);

/* Frees all cliques that count; or copies them to an energy that has none (false: no memory, and perhaps only some). */
void sos_counts_free(sos_multi_energy *e);
bool sos_counts_copy(sos_multi_energy *to, const sos_multi_energy *from);

/* What a label costs that members of such an amount take, which is a count where amounts are NULL, without weight and most. */
double sos_count_cost(const sos_count_clique *c, size_t label, double amount);

static inline double sos_count_amount(const sos_count_clique *c, size_t q) { return c->amounts ? c->amounts[q] : 1; }

/* How far sos_count_cost may be off, at most, because sums of amounts are rounded. */
double sos_count_doubt(const sos_multi_energy *e, const sos_count_clique *c);

static inline sos_count_function sos_count_pieces(const sos_count_clique *c, size_t label)
{
    return (sos_count_function){ c->knots, c->place, c->value + label * c->knots };
}

/* Of the costs f of a clique: the least, the least where not all members agree, the greatest (or more than that). */
typedef struct sos_extremes {
    double least, least_mixed, greatest;
} sos_extremes;

sos_extremes sos_tables_extremes(const sos_multi_energy *e, uint32_t set); /* exact for up to 6 members */
sos_extremes sos_count_extremes(const sos_multi_energy *e, const sos_count_clique *c);

/* sos_multi_energy_lower_bound, and how far it may be off; share has room for a number for each set of tables, and is
 * overwritten. */
sos_sum sos_multi_energy_bound(const sos_multi_energy *e, double share[]);

#endif
