/* multi_energy.h - an energy with several labels: y in {0 ... L-1}^n,
 *
 *     E(y) = constant + sum_i u_i(y_i) + sum_C w_C sum_l g_l(C_l).
 *
 * C_l is the set of members of the clique C that take label l; every g_l is submodular, every w_C >= 0 (paper, section 4.4;
 * math.md, 13).
 *
 *     sos_multi_energy *e;
 *     uint32_t set;
 *     sos_multi_energy_create(width * height, labels, &e, &error);
 *     sos_multi_energy_set_unaries(e, cost, &error);
 *     sos_multi_energy_add_tables(e, 4, g, &set, &error);
 *     sos_multi_energy_add_patches(e, set, width, height, 2, 2, NULL, &error);
 *     sos_expand(e, NULL, y, &result, &error);                                             (expand.h)
 *
 * Only one thread may change an energy at a time.  sos_expand only reads it, so several threads may minimise the same energy.
 */
#ifndef SOS_MULTI_ENERGY_H
#define SOS_MULTI_ENERGY_H

#include <sos/energy.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SOS_LABELS_MAX = 255 };

typedef struct sos_multi_energy sos_multi_energy;

/* Creates an energy of n variables with 2 to SOS_LABELS_MAX labels, all costs 0 and no cliques.  The caller frees *out. */
SOS_MUST_USE SOS_API sos_status sos_multi_energy_create(size_t n, size_t labels, sos_multi_energy **out, sos_error *error);
SOS_API void sos_multi_energy_free(sos_multi_energy *e); /* NULL is allowed */

/* Copies e; the copy shares nothing with it. */
SOS_MUST_USE SOS_API sos_status sos_multi_energy_copy(const sos_multi_energy *e, sos_multi_energy **out, sos_error *error);

/* Adds to the constant term. */
SOS_MUST_USE SOS_API sos_status sos_multi_energy_add_constant(sos_multi_energy *e, double cost, sos_error *error);

/* Sets the unary costs of one variable, one per label; or of all variables: cost[i * labels + l] for variable i labelled l
 * (NULL: zeros). */
SOS_MUST_USE SOS_API sos_status sos_multi_energy_set_unary(sos_multi_energy *e, size_t i, const double cost[],
                                                           sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_multi_energy_set_unaries(sos_multi_energy *e, const double cost[], sos_error *error);

/* ---- cliques with tables, up to SOS_TABLE_MEMBERS_MAX members ---- */

/* Adds a set of tables for cliques of k members, one table per label: g[l * 2^k + S] is the cost when exactly the members
 * whose bit is set in S take label l.  A clique costs the sum over all labels.  *set receives its number: 0, 1, ... in the
 * order added.  Every table must be submodular, as in sos_energy_add_table: SOS_ERR_NOT_SUBMODULAR names the label, S and the
 * pair.  g is copied. */
SOS_MUST_USE SOS_API sos_status sos_multi_energy_add_tables(sos_multi_energy *e, size_t k, const double g[], uint32_t *set,
                                                            sos_error *error);

/* Replaces the costs of a set of tables, for all cliques that use it. */
SOS_MUST_USE SOS_API sos_status sos_multi_energy_set_tables(sos_multi_energy *e, uint32_t set, const double g[],
                                                            sos_error *error);

/* Add cliques that use a set of tables, like the functions of the same names in energy.h. */
SOS_MUST_USE SOS_API sos_status sos_multi_energy_add_cliques(sos_multi_energy *e, uint32_t set, size_t count,
                                                             const uint32_t variables[], const double weights[],
                                                             sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_multi_energy_add_patches(sos_multi_energy *e, uint32_t set, size_t width, size_t height,
                                                             size_t patch_width, size_t patch_height, const double weights[],
                                                             sos_error *error);

SOS_MUST_USE SOS_API sos_status sos_multi_energy_add_volume_patches(sos_multi_energy *e, uint32_t set, size_t width,
                                                                    size_t height, size_t depth, size_t patch_width,
                                                                    size_t patch_height, size_t patch_depth,
                                                                    const double weights[], sos_error *error);

/* Adds count pairs of variables, side by side, each of which costs its strength >= 0 (NULL: 1) if the two labels differ.  They
 * are cliques of a set of tables that the first call adds. */
SOS_MUST_USE SOS_API sos_status sos_multi_energy_add_potts(sos_multi_energy *e, size_t count, const uint32_t variables[],
                                                           const double strengths[], sos_error *error);

/* Sets the weights of count cliques of the same size, starting with clique number first: numbered by k, then in the order
 * added. */
SOS_MUST_USE SOS_API sos_status sos_multi_energy_set_weights(sos_multi_energy *e, size_t first, size_t count,
                                                             const double weights[], sos_error *error);

/* ---- cliques of any size, whose cost depends on how many members take each label ---- */

/* Adds a clique of k members that costs weight * sum_l g_l(number of members labelled l): g[l * (k+1) + m] for m members,
 * concave in m for every label (SOS_ERR_NOT_SUBMODULAR names label and m). */
SOS_MUST_USE SOS_API sos_status sos_multi_energy_add_counts(sos_multi_energy *e, size_t k, const uint32_t variables[],
                                                            const double g[], double weight, sos_error *error);

/* The same with functions F_l of the amount that takes a label, linear between knots, as in sos_energy_add_pieces: weight *
 * sum_l F_l(A_l), A_l the sum of amounts[i] (NULL: 1 each) over the members labelled l; value[l * knots + j] at place[j]. */
SOS_MUST_USE SOS_API sos_status sos_multi_energy_add_pieces(sos_multi_energy *e, size_t k, const uint32_t variables[],
                                                            const double amounts[], size_t knots, const double place[],
                                                            const double value[], double weight, sos_error *error);

/* Replaces the labels * knots values of such a clique; cliques of these kinds are numbered 0, 1, ... in the order added. */
SOS_MUST_USE SOS_API sos_status sos_multi_energy_set_pieces(sos_multi_energy *e, size_t clique, const double value[],
                                                            sos_error *error);

/* Robust P^n: if d_l members do not take label l, the cost is
 *
 *     most - sum_l (most - agree[l]) max(0, 1 - d_l / reach[l]),      agree[l] <= most, reach[l] > 0 (NULL: 1),
 *
 * times weight: agree[l] if all members take l, growing linearly to most if reach[l] members do not; with reach 1 this is P^n
 * Potts.  If no two reaches add up to more than k, at most one term of the sum is nonzero, and this is Kohli's min over l. */
SOS_MUST_USE SOS_API sos_status sos_multi_energy_add_robust(sos_multi_energy *e, size_t k, const uint32_t variables[],
                                                            const double agree[], const double reach[], double most,
                                                            double weight, sos_error *error);

/* Sets the weights of count cliques of these kinds, starting with number first in the order added. */
SOS_MUST_USE SOS_API sos_status sos_multi_energy_set_count_weights(sos_multi_energy *e, size_t first, size_t count,
                                                                   const double weights[], sos_error *error);

/* ---- contents ---- */

/* Pointers stay valid until the energy changes.  Indices are not checked: they must be less than the corresponding counts. */
SOS_API size_t sos_multi_energy_variables(const sos_multi_energy *e);
SOS_API size_t sos_multi_energy_labels(const sos_multi_energy *e);
SOS_API size_t sos_multi_energy_sets(const sos_multi_energy *e);          /* of tables */
SOS_API size_t sos_multi_energy_cliques(const sos_multi_energy *e);       /* with tables */
SOS_API size_t sos_multi_energy_count_cliques(const sos_multi_energy *e); /* of any size */
SOS_API size_t sos_multi_energy_bytes(const sos_multi_energy *e);
SOS_API double sos_multi_energy_constant(const sos_multi_energy *e);
SOS_API double sos_multi_energy_unary(const sos_multi_energy *e, size_t i, size_t label);

/* The labels * 2^k costs of a set, as given; and a clique, whose member table is the number of its set. */
SOS_API const double *sos_multi_energy_tables(const sos_multi_energy *e, uint32_t set, size_t *k);
SOS_API sos_clique sos_multi_energy_clique(const sos_multi_energy *e, size_t clique);

/* A clique of any size, as it was added. */
typedef enum sos_counts_kind {
    SOS_COUNTS_COSTS,  /* sos_multi_energy_add_counts */
    SOS_COUNTS_ROBUST, /* sos_multi_energy_add_robust; P^n has reach 1 */
    SOS_COUNTS_PIECES  /* sos_multi_energy_add_pieces */
} sos_counts_kind;

typedef struct sos_counts {
    sos_counts_kind kind;
    size_t k;
    const uint32_t *variables; /* k, increasing */
    double weight;
    union {
        const double *g; /* SOS_COUNTS_COSTS: labels * (k + 1) */
        struct {
            const double *agree, *reach; /* labels each */
            double most;
        } robust;          /* SOS_COUNTS_ROBUST */
        sos_pieces pieces; /* SOS_COUNTS_PIECES: labels * knots values */
    } as;
} sos_counts;

SOS_API sos_counts sos_multi_energy_counts(const sos_multi_energy *e, size_t clique);

/* E(labels), computed from the definition; NaN if a label is not less than the number of labels. */
SOS_API double sos_multi_energy_value(const sos_multi_energy *e, const uint8_t labels[]);

/* A lower bound on the energy of every labelling: the sum of the least costs of all variables and all cliques; for tables of
 * more than six members, of the least costs of each label.  -INFINITY if memory is insufficient. */
SOS_API double sos_multi_energy_lower_bound(const sos_multi_energy *e);

#ifdef __cplusplus
}
#endif

#endif
