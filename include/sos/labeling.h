/* labeling.h - energies with several labels: E(y) = constant + sum_i u_i(y_i) + sum_C w_C sum_l g_l(C_l), y in {0 ... L-1}^n.
 *
 * C_l is the set of members of the clique C that take label l; every g_l is submodular, every w_C >= 0 (paper, section 4.4;
 * math.md, 13).
 *
 *     sos_labeling *e;
 *     uint32_t set;
 *     sos_labeling_create(width * height, labels, &e, &error);
 *     sos_labeling_set_unaries(e, cost, &error);
 *     sos_labeling_add_tables(e, 4, g, &set, &error);
 *     sos_labeling_add_patches(e, set, width, height, 2, 2, NULL, &error);
 *     sos_expand(e, NULL, y, &result, &error);                                             (expand.h)
 *
 * Used by one thread at a time; sos_expand only reads it, so several threads may work on one. */
#ifndef SOS_LABELING_H
#define SOS_LABELING_H

#include <sos/energy.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SOS_LABELS_MAX = 255 };

typedef struct sos_labeling sos_labeling;

/* Creates an energy of n variables with 2 to SOS_LABELS_MAX labels, all costs 0, no cliques.  *out is the caller's. */
SOS_MUST_USE SOS_API sos_status sos_labeling_create(size_t n, size_t labels, sos_labeling **out, sos_error *error);
SOS_API void sos_labeling_free(sos_labeling *e); /* NULL is fine */

/* Adds to the constant term. */
SOS_MUST_USE SOS_API sos_status sos_labeling_add_constant(sos_labeling *e, double cost, sos_error *error);

/* Sets what the labels of a variable cost: one cost per label; or those of all: cost[i * labels + l] for variable i labelled
 * l (NULL: zeros). */
SOS_MUST_USE SOS_API sos_status sos_labeling_set_unary(sos_labeling *e, size_t i, const double cost[], sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_labeling_set_unaries(sos_labeling *e, const double cost[], sos_error *error);

/* ---- cliques with tables, up to SOS_TABLE_MEMBERS_MAX members ---- */

/* Adds a set of tables for cliques of k members, one table per label: g[l * 2^k + S] is the cost when exactly the members
 * whose bit is set in S take label l.  A clique costs the sum over all labels.  *set receives its number: 0, 1, ... in the
 * order added.  Every table must be submodular, as in sos_energy_add_table: SOS_ERR_NOT_SUBMODULAR names the label, S and the
 * pair.  g is copied. */
SOS_MUST_USE SOS_API sos_status sos_labeling_add_tables(sos_labeling *e, size_t k, const double g[], uint32_t *set,
                                                        sos_error *error);

/* Replaces the costs of a set of tables; its cliques follow. */
SOS_MUST_USE SOS_API sos_status sos_labeling_set_tables(sos_labeling *e, uint32_t set, const double g[], sos_error *error);

/* Add cliques that use a set of tables: as the functions of these names in energy.h. */
SOS_MUST_USE SOS_API sos_status sos_labeling_add_cliques(sos_labeling *e, uint32_t set, size_t count,
                                                         const uint32_t variables[], const double weights[], sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_labeling_add_listed(sos_labeling *e, size_t count, const uint32_t sets[],
                                                        const uint32_t variables[], const double weights[], sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_labeling_add_patches(sos_labeling *e, uint32_t set, size_t width, size_t height,
                                                         size_t patch_width, size_t patch_height, const double weights[],
                                                         sos_error *error);

/* Adds count pairs of variables, side by side, that cost their strength >= 0 (NULL: 1) where their labels differ.  They are
 * cliques of a set of tables that the first call adds. */
SOS_MUST_USE SOS_API sos_status sos_labeling_add_potts(sos_labeling *e, size_t count, const uint32_t variables[],
                                                       const double strengths[], sos_error *error);

/* Sets the weights of count cliques of the same size, from clique number first on: numbered by k, then in the order added. */
SOS_MUST_USE SOS_API sos_status sos_labeling_set_weights(sos_labeling *e, size_t first, size_t count, const double weights[],
                                                         sos_error *error);

/* ---- cliques of any size, whose cost depends on how many members take each label ---- */

/* Adds a clique of k members that costs weight * sum_l g_l(number of members labelled l): g[l * (k+1) + m] for m members,
 * concave in m for every label (SOS_ERR_NOT_SUBMODULAR names label and m). */
SOS_MUST_USE SOS_API sos_status sos_labeling_add_counts(sos_labeling *e, size_t k, const uint32_t variables[], const double g[],
                                                        double weight, sos_error *error);

/* P^n Potts: agree[l] <= most where all k members take label l, most otherwise; times weight. */
SOS_MUST_USE SOS_API sos_status sos_labeling_add_pn(sos_labeling *e, size_t k, const uint32_t variables[], const double agree[],
                                                    double most, double weight, sos_error *error);

/* Robust P^n: if d members do not take label l, the cost is
 *
 *     most - sum_l (most - agree[l]) max(0, 1 - d_l / reach[l]),      agree[l] <= most, reach[l] > 0 (NULL: 1),
 *
 * times weight: agree[l] where all take l, growing in a straight line to most where reach[l] members do not.  Where no two
 * reaches add up to more than k, at most one label counts, and this is Kohli's min_l. */
SOS_MUST_USE SOS_API sos_status sos_labeling_add_robust(sos_labeling *e, size_t k, const uint32_t variables[],
                                                        const double agree[], const double reach[], double most, double weight,
                                                        sos_error *error);

/* Sets the weights of count cliques of these kinds, from number first on in the order added. */
SOS_MUST_USE SOS_API sos_status sos_labeling_set_count_weights(sos_labeling *e, size_t first, size_t count,
                                                               const double weights[], sos_error *error);

/* ---- what there is ---- */

SOS_API size_t sos_labeling_variables(const sos_labeling *e);
SOS_API size_t sos_labeling_labels(const sos_labeling *e);
SOS_API size_t sos_labeling_cliques(const sos_labeling *e);       /* with tables */
SOS_API size_t sos_labeling_count_cliques(const sos_labeling *e); /* of any size */
SOS_API size_t sos_labeling_bytes(const sos_labeling *e);
SOS_API double sos_labeling_unary(const sos_labeling *e, size_t i, size_t label);

/* E(labels) by the definition; NaN if a label is not below the number of labels. */
SOS_API double sos_labeling_value(const sos_labeling *e, const uint8_t labels[]);

/* No labelling costs less: the least cost of every variable and of every clique, added up; for tables of more than six
 * members, of every label of the clique.  -INFINITY where memory is short. */
SOS_API double sos_labeling_lower_bound(const sos_labeling *e);

#ifdef __cplusplus
}
#endif

#endif
