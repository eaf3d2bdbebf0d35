/* energy.h - E(y) = constant + sum_i u_i(y_i) + sum_C w_C f_C(y_C), y in {0,1}^n, every f_C submodular, every w_C >= 0.
 *
 *     sos_energy *e;
 *     uint32_t t;
 *     sos_energy_create(width * height, &e, &error);
 *     sos_energy_set_unaries(e, cost0, cost1, &error);
 *     sos_energy_add_table(e, 4, f, &t, &error);
 *     sos_energy_add_patches(e, t, width, height, 2, 2, NULL, &error);
 *
 * Only one thread may change an energy at a time.  Minimising only reads it, so several threads may minimise the same energy.
 */
#ifndef SOS_ENERGY_H
#define SOS_ENERGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sos/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sos_energy sos_energy;

enum {
    SOS_TABLE_MEMBERS_MAX = 16, /* members of a clique given by a table of 2^k costs */
    SOS_FREE = 2                /* sos_energy_fix: the variable is not fixed */
};

/* Creates an energy of n variables with all costs 0 and no cliques.  The caller frees *out. */
SOS_MUST_USE SOS_API sos_status sos_energy_create(size_t n, sos_energy **out, sos_error *error);
SOS_API void sos_energy_free(sos_energy *e); /* NULL is allowed */

/* Copies e; the copy shares nothing with it.  A minimizer treats the copy as another energy: its first run is a cold start. */
SOS_MUST_USE SOS_API sos_status sos_energy_copy(const sos_energy *e, sos_energy **out, sos_error *error);

/* Adds to the constant term. */
SOS_MUST_USE SOS_API sos_status sos_energy_add_constant(sos_energy *e, double cost, sos_error *error);

/* Sets the costs of label 0 and label 1 of one variable, or of all n variables (n costs each; NULL: zeros). */
SOS_MUST_USE SOS_API sos_status sos_energy_set_unary(sos_energy *e, size_t i, double cost0, double cost1, sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_energy_set_unaries(sos_energy *e, const double cost0[], const double cost1[],
                                                       sos_error *error);

/* Fixes variable i to label 0 or 1, or frees it again (SOS_FREE); or does so for all n variables (NULL: frees all). */
SOS_MUST_USE SOS_API sos_status sos_energy_fix(sos_energy *e, size_t i, int label, sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_energy_fix_all(sos_energy *e, const uint8_t labels[], sos_error *error);

/* Adds a table for cliques of k members, 1 <= k <= SOS_TABLE_MEMBERS_MAX: entry S of f, of 2^k, is the cost when exactly the
 * members whose bit is set in S are labelled 1.  *table receives its number: 0, 1, ... in the order added.  f is copied.
 *
 * The table must be submodular: f(S+i) + f(S+j) >= f(S+i+j) + f(S) for all S without i, j (math.md, 2).  Violations within
 * the rounding of the caller's own arithmetic (16 units in the last place of the largest |f|) are accepted. */
SOS_MUST_USE SOS_API sos_status sos_energy_add_table(sos_energy *e, size_t k, const double f[], uint32_t *table,
                                                     sos_error *error);

/* Replaces the costs of a table, for all cliques that use it. */
SOS_MUST_USE SOS_API sos_status sos_energy_set_table(sos_energy *e, uint32_t table, const double f[], sos_error *error);

/* The submodular table nearest to f in the sense of least squares, for k members (math.md, 14): for steps of learning that
 * leave the cone.  nearest may be f; sos_energy_add_table takes it.  A table that is submodular comes back as it is. */
SOS_MUST_USE SOS_API sos_status sos_table_nearest(size_t k, const double f[], double nearest[], sos_error *error);

/* Adds count cliques that use a table of k members.  variables holds count * k indices, the members of a clique side by side:
 * bit b of S in the table stands for the b-th.  weights holds count factors >= 0, one per clique (NULL: all 1).  Everything is
 * copied. */
SOS_MUST_USE SOS_API sos_status sos_energy_add_cliques(sos_energy *e, uint32_t table, size_t count, const uint32_t variables[],
                                                       const double weights[], sos_error *error);

/* The same for cliques of equal size with a table each: tables holds count table numbers. */
SOS_MUST_USE SOS_API sos_status sos_energy_add_listed(sos_energy *e, size_t count, const uint32_t tables[],
                                                      const uint32_t variables[], const double weights[], sos_error *error);

/* Adds the cliques of all patches of patch_width x patch_height pixels in a width x height image whose pixel (x, y) is
 * variable y * width + x: (width - patch_width + 1)(height - patch_height + 1) cliques, row by row; bit
 * b = dy * patch_width + dx of S stands for the pixel (dx, dy) of the patch.  weights as above.  An image smaller than the
 * patch gets no cliques. */
SOS_MUST_USE SOS_API sos_status sos_energy_add_patches(sos_energy *e, uint32_t table, size_t width, size_t height,
                                                       size_t patch_width, size_t patch_height, const double weights[],
                                                       sos_error *error);

/* The same in a volume of width x height x depth voxels whose voxel (x, y, z) is variable (z * height + y) * width + x: slice
 * by slice, row by row; bit b = (dz * patch_height + dy) * patch_width + dx stands for the voxel (dx, dy, dz) of the patch. */
SOS_MUST_USE SOS_API sos_status sos_energy_add_volume_patches(sos_energy *e, uint32_t table, size_t width, size_t height,
                                                              size_t depth, size_t patch_width, size_t patch_height,
                                                              size_t patch_depth, const double weights[], sos_error *error);

/* Sets the weights of count cliques of the same size, starting with clique number first (numbered as below). */
SOS_MUST_USE SOS_API sos_status sos_energy_set_weights(sos_energy *e, size_t first, size_t count, const double weights[],
                                                       sos_error *error);

/* Adds one clique of any number k of members whose cost depends only on how many of them are labelled 1: weight * g[m] for
 * m = 0 ... k, weight >= 0.  g has k + 1 costs and must be concave: 2 g[m] >= g[m-1] + g[m+1], with the same tolerance as
 * tables.  Minimising it takes memory and time proportional to k times the number of changes of slope of g (P^n Potts and
 * robust P^n have one or two); if there are more than 32 changes, proportional to k times a factor of about ten that hardly
 * grows (math.md, 7.2).  Everything is copied. */
SOS_MUST_USE SOS_API sos_status sos_energy_add_concave(sos_energy *e, size_t k, const uint32_t variables[], const double g[],
                                                       double weight, sos_error *error);

/* The same with a function of the amount A that is labelled 1: weight * F(A), where A is the sum of amounts[i] over the members
 * labelled 1 (k amounts, finite and not negative; NULL: 1 each, so that A is a count).  F is linear between two or more knots:
 * F(place[j]) = value[j], with 0 = place[0] < place[1] < ... < place[knots-1], the last being the sum of all amounts: k if
 * amounts is NULL, otherwise up to rounding (one part in 2^40; the last piece is extended).  F must be concave:
 * SOS_ERR_NOT_SUBMODULAR names the knot, with the tolerance of tables.  The energy takes memory for the k amounts and the
 * knots; minimising takes time and memory proportional to k times the number of knots where the slope changes, or less
 * (math.md, 7). Everything is copied. */
SOS_MUST_USE SOS_API sos_status sos_energy_add_pieces(sos_energy *e, size_t k, const uint32_t variables[],
                                                      const double amounts[], size_t knots, const double place[],
                                                      const double value[], double weight, sos_error *error);

/* Concave cliques of both kinds are numbered 0, 1, ... in the order added.  This replaces the values of one of them at its
 * knots: as many values as were given, k + 1 after sos_energy_add_concave.  A warm start remains possible if the slope still
 * changes at the same knots. */
SOS_MUST_USE SOS_API sos_status sos_energy_set_pieces(sos_energy *e, size_t concave, const double value[], sos_error *error);

/* Sets the weights of count concave cliques, starting with number first. */
SOS_MUST_USE SOS_API sos_status sos_energy_set_concave_weights(sos_energy *e, size_t first, size_t count,
                                                               const double weights[], sos_error *error);

/* Reserves memory for that many more cliques of a table, so that adding them one by one does not reallocate. */
SOS_MUST_USE SOS_API sos_status sos_energy_reserve(sos_energy *e, uint32_t table, size_t cliques, sos_error *error);

/* The contents of the energy.  Pointers stay valid until the energy changes.  Cliques are numbered by k, then in the order
 * added.  Indices are not checked: they must be less than the corresponding counts. */
SOS_API size_t sos_energy_variables(const sos_energy *e);
SOS_API size_t sos_energy_cliques(const sos_energy *e);
SOS_API size_t sos_energy_tables(const sos_energy *e);
SOS_API size_t sos_energy_concaves(const sos_energy *e); /* of both kinds */
SOS_API size_t sos_energy_bytes(const sos_energy *e);
SOS_API double sos_energy_constant(const sos_energy *e);
SOS_API void sos_energy_unary(const sos_energy *e, size_t i, double *cost0, double *cost1);
SOS_API int sos_energy_fixed(const sos_energy *e, size_t i); /* 0, 1 or SOS_FREE */

typedef struct sos_clique {
    size_t k;
    const uint32_t *variables; /* k */
    uint32_t table;
    double weight;
} sos_clique;

typedef struct sos_pieces {
    size_t k, knots;
    const uint32_t *variables; /* k, increasing */
    const double *amounts;     /* k, in the order of the variables, or NULL: 1 each */
    const double *place;       /* knots, or NULL: 0, 1, ... k, as for sos_energy_add_concave */
    const double *value;       /* knots */
    double weight;
} sos_pieces;

SOS_API const double *sos_energy_table(const sos_energy *e, uint32_t table, size_t *k); /* 2^k costs */
SOS_API sos_clique sos_energy_clique(const sos_energy *e, size_t clique);
SOS_API sos_pieces sos_energy_pieces(const sos_energy *e, size_t concave); /* a concave clique of either kind */

/* E(labels) for n labels 0 or 1, computed from the definition, independently of the minimisers.  Fixed variables are not
 * checked. */
SOS_API double sos_energy_value(const sos_energy *e, const uint8_t labels[]);

#ifdef __cplusplus
}
#endif

#endif
