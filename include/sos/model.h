/* model.h - a family of energies that is linear in its weights, E(y; x, w) = w . Psi(x, y), and examples x of it.
 *
 *     E = sum_i sum_j x_ij w[j, y_i]                      free groups: features of variables, a weight per feature and label
 *       + sum_pairs [y_a != y_b] sum_j phi_j w[j]         nonnegative groups: strengths of pairs, of regions of any size,
 *                                                         and of given unary costs
 *       + sum_C phi_C f(y_C)                              table groups: every f submodular, its 2^k costs are the weights
 *       + sum_C phi_C F(share of C labelled 1)            count groups: every F concave, its values at knots are the weights
 *
 * (paper, section 4.2).  With more than two labels a table group has a table g_l per label, and a clique costs
 * phi_C sum_l g_l({members labelled l}) (paper, section 4.4); a count group has a function F_l per label in the same way.
 * A group may have several functions f_j, each with its own phi_j of every clique: sum_j phi_Cj f_j(y_C).
 *
 * Add the groups first, then make examples, then train (learn.h) or set weights, then predict. */
#ifndef SOS_MODEL_H
#define SOS_MODEL_H

#include <stdio.h>

#include <sos/expand.h>
#include <sos/multi_energy.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sos_group_kind { SOS_GROUP_FREE, SOS_GROUP_NONNEGATIVE, SOS_GROUP_TABLE, SOS_GROUP_COUNT } sos_group_kind;

#define SOS_KNOTS_MAX 1024 /* knots of a count group */
#define SOS_SHARE_UNIT                                                                                                         \
    100800 /* knots of a count group are multiples of 1/100800: among others all multiples of 1/n for n up to 10 */
#define SOS_STRENGTHS_MAX 256 /* functions of a group */

typedef struct sos_group {
    const char *name; /* unique in the model, not empty */
    sos_group_kind kind;
    size_t size; /* free, nonnegative: number of features; table: number k of members; count: number of knots, at least 2 */

    /* Tables and counts only.  Entries that a symmetry maps to each other share a weight. */
    bool anchored; /* f({}) = F(0) = 0, without a weight */
    bool swap;     /* f(S) = f(C - S), F(s) = F(1 - s): labels 0 and 1 are interchangeable; two labels only */

    /* Tables only. */
    size_t patch_width, patch_height; /* if not 0, their product is k: members are a patch of that shape, and f is invariant
                                         under its mirror images and, if it is square, quarter turns */
    bool reversal;                    /* f is invariant under reversing the order of members: a line read from either end, a
                                         patch after half a turn */
    bool counted;             /* members lie along a line, and f depends only on how many are labelled 1 and on how often
                                 the label changes from one to the next.  Can be combined with anchored and swap only */
    const uint32_t *class_of; /* if not NULL, custom ties in place of all others: [2^k] the class of each entry, 0 to
                                 m - 1, none of them empty; each class has one weight.  UINT32_MAX: no weight, the entry
                                 costs 0.  Refused unless some |S| (k - |S|) + sum_{i in S} c_i + c has one value on each
                                 class and 0 on entries without a weight: this holds for symmetries, for classes by the
                                 number of members, and for anchored single members (math.md, 10.2).  Copied */

    /* All kinds. */
    double stiffness; /* factor of the squared weights in the objective (learn.h), above 0; 0 means 1 */

    /* Counts only. */
    const double *shares; /* [size] positions of the knots: 0 = shares[0] < shares[1] < ... < shares[size - 1] = 1, rounded to
                             multiples of 1 / SOS_SHARE_UNIT; symmetric if swap is set.  F is linear between them.  Copied */

    /* Tables and counts. */
    size_t strengths; /* number of functions of the group, each with its own weights and its own phi of a clique; 0 means 1 */
    uint64_t reserved[8]; /* 0 (status.h) */
} sos_group;

typedef struct sos_model sos_model;

/* Creates a model of 2 to SOS_LABELS_MAX labels, without groups.  The caller frees *out. */
SOS_MUST_USE SOS_API sos_status sos_model_create(size_t labels, sos_model **out, sos_error *error);
SOS_API void sos_model_free(sos_model *m); /* NULL is allowed */

/* Copies a model with its groups, weights and facts: examples made for one can be used with the other until groups are added.
 */
SOS_MUST_USE SOS_API sos_status sos_model_copy(const sos_model *m, sos_model **out, sos_error *error);

/* Adds a group; its weights are 0.  Everything is copied.  *number: 0, 1, ... in the order added.  Examples made before
 * cannot be used with the model any more. */
SOS_MUST_USE SOS_API sos_status sos_model_add_group(sos_model *m, const sos_group *group, uint32_t *number, sos_error *error);

SOS_API size_t sos_model_labels(const sos_model *m);
SOS_API size_t sos_model_groups(const sos_model *m);
SOS_API const sos_group *sos_model_group(const sos_model *m, uint32_t group); /* valid until groups are added or changed */

/* Sets the stiffness of a group, above 0.  Existing examples can still be used. */
SOS_MUST_USE SOS_API sos_status sos_model_set_stiffness(sos_model *m, uint32_t group, double stiffness, sos_error *error);

/* All weights, group after group.  A free group has size * labels weights, with the label varying fastest; a nonnegative group
 * has size.  A table group has one per class of entries, and a count group one per knot, or per two knots that mirror each
 * other (swap); with more than two labels they have these for each label, and all of that for each strength. */
SOS_API size_t sos_model_weight_count(const sos_model *m);
SOS_API size_t sos_model_group_offset(const sos_model *m, uint32_t group);
SOS_API const double *sos_model_weights(const sos_model *m);

/* Sets all weights.  Fails with SOS_ERR_ARGUMENT if a weight is not finite or one of a nonnegative group is negative, and with
 * SOS_ERR_NOT_SUBMODULAR if a table is not submodular or a count function is not concave; the message names the group. */
SOS_MUST_USE SOS_API sos_status sos_model_set_weights(sos_model *m, const double w[], sos_error *error);

/* The number of functions of a table or count group: its strengths, times the number of labels if there are more than two; 0
 * for other groups.  The function of strength j and label l has number j * L + l, where L is the number of labels, or 1 for two
 * labels. */
SOS_API size_t sos_model_functions(const sos_model *m, uint32_t group);

/* Computes a function from the model's weights: the 2^k costs of a table group, or the values of a count group at its knots. */
SOS_API void sos_model_table(const sos_model *m, uint32_t group, size_t function, double f[]);

/* Facts are stored with the model: parameters of features, settings, the training record.  Values are JSON texts.  Setting a
 * key again replaces its value; NULL removes it.  sos_model_fact returns NULL for an unknown key. */
SOS_MUST_USE SOS_API sos_status sos_model_set_fact(sos_model *m, const char *key, const char *json, sos_error *error);
SOS_API const char *sos_model_fact(const sos_model *m, const char *key);
SOS_API size_t sos_model_facts(const sos_model *m);
SOS_API const char *sos_model_fact_key(const sos_model *m, size_t i);

/* Model files: JSON that preserves every double exactly (docs/formats.md).  They are written to a temporary file, which is then
 * renamed.  Reading refuses files that are truncated, of a newer version, or not submodular. */
SOS_MUST_USE SOS_API sos_status sos_model_read(const char *path, sos_model **out, sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_model_parse(const char *text, size_t length, const char *name, sos_model **out,
                                                sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_model_write(const sos_model *m, const char *path, sos_error *error);

/* Writes the same bytes into memory: *text, which the caller frees with free(), has *length bytes and a terminating zero. */
SOS_MUST_USE SOS_API sos_status sos_model_write_memory(const sos_model *m, char **text, size_t *length, sos_error *error);

/* ---- examples ---- */

/* An example: variables, their features, cliques, and for training the true labels and the loss.  It borrows nothing and may
 * outlive the model whose groups it was made for.  Only one thread may use it at a time. */
typedef struct sos_example sos_example;

SOS_MUST_USE SOS_API sos_status sos_example_create(const sos_model *m, size_t n, sos_example **out, sos_error *error);
SOS_API void sos_example_free(sos_example *x); /* NULL is allowed */

/* Whether the example was made for a model with the groups that m has. */
SOS_API bool sos_example_fits(const sos_example *x, const sos_model *m);

/* Sets the features of all variables for a free group, in compressed rows: variable i has the entries start[i] to
 * start[i + 1] - 1 of index[] and value[] (NULL: all 1); start has n + 1 numbers, and start[0] = 0.  A further call replaces
 * the features of the group. */
SOS_MUST_USE SOS_API sos_status sos_example_set_features(sos_example *x, uint32_t group, const size_t start[],
                                                         const uint32_t index[], const double value[], sos_error *error);

/* The same if every variable has all features of the group: feature j of variable i is value[i * variable_stride + j *
 * feature_stride].  Strides describe any layout: rows of features (strides size and 1), planes (1 and n).  They may be
 * negative; a stride of 0 repeats a value. */
SOS_MUST_USE SOS_API sos_status sos_example_set_dense_features(sos_example *x, uint32_t group, const double value[],
                                                               ptrdiff_t variable_stride, ptrdiff_t feature_stride,
                                                               sos_error *error);

/* Sets unary costs for a nonnegative group: variable i labelled l costs sum_j w[j] cost[(i * labels + l) * size + j], where
 * size is the number of features of the group.  One weight thus scales a given estimate for all labels, such as the -log p of a
 * network.  A further call replaces the costs of the group. */
SOS_MUST_USE SOS_API sos_status sos_example_set_costs(sos_example *x, uint32_t group, const double cost[], sos_error *error);

/* Adds pairs of a nonnegative group: count pairs of variables, side by side, and for each pair as many numbers phi >= 0 as the
 * group has features (NULL: all 1). */
SOS_MUST_USE SOS_API sos_status sos_example_add_pairs(sos_example *x, uint32_t group, size_t count, const uint32_t variables[],
                                                      const double phi[], sos_error *error);

/* Adds the pairs of all neighbours in a width x height image whose pixel (x, y) is variable y * width + x.  neighbours is 4 or
 * 8.  The order is pixel by pixel, row by row: the pairs with the pixel to the right, the one below, and for 8 neighbours those
 * below to the right and below to the left, if they are in the image.  phi as above, in that order. */
SOS_MUST_USE SOS_API sos_status sos_example_add_grid_pairs(sos_example *x, uint32_t group, size_t width, size_t height,
                                                           int neighbours, const double phi[], sos_error *error);

/* Adds regions of a nonnegative group: cliques of any size whose members should agree, such as superpixels.  Region r has the
 * entries start[r] to start[r + 1] - 1 of variables[], each variable once (start has count + 1 numbers, start[0] = 0), and phi
 * as for pairs.  If d of its k members do not take the most frequent label, it costs (robust P^n)
 *
 *     min(1, d / R) sum_j phi_j w[j],      R = max(1, floor(reach k)),      0 <= reach <= 1/2. */
SOS_MUST_USE SOS_API sos_status sos_example_add_regions(sos_example *x, uint32_t group, size_t count, const size_t start[],
                                                        const uint32_t variables[], double reach, const double phi[],
                                                        sos_error *error);

/* Adds count cliques of a table group, the members of each side by side.  phi holds, for each clique, as many numbers >= 0 as
 * the group has strengths (NULL: all 1).  The second form names a group for each clique; all have the same number of members,
 * and groups of one strength. */
SOS_MUST_USE SOS_API sos_status sos_example_add_cliques(sos_example *x, uint32_t group, size_t count,
                                                        const uint32_t variables[], const double phi[], sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_example_add_listed(sos_example *x, size_t count, const uint32_t groups[],
                                                       const uint32_t variables[], const double phi[], sos_error *error);

/* Adds the cliques of all patches of an image or a volume, in the order of sos_energy_add_patches and
 * sos_energy_add_volume_patches, for a table group of that many members; phi as for cliques, patch after patch. */
SOS_MUST_USE SOS_API sos_status sos_example_add_patches(sos_example *x, uint32_t group, size_t width, size_t height,
                                                        size_t patch_width, size_t patch_height, const double phi[],
                                                        sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_example_add_volume_patches(sos_example *x, uint32_t group, size_t width, size_t height,
                                                               size_t depth, size_t patch_width, size_t patch_height,
                                                               size_t patch_depth, const double phi[], sos_error *error);

/* Adds cliques of a count group, of any sizes: clique c has the entries start[c] to start[c + 1] - 1 of variables[], each
 * variable once (start has count + 1 numbers, start[0] = 0), and costs phi_c F(s), where s is the share of its members labelled
 * 1; with more than two labels phi_c sum_l F_l(s_l).  amounts, if not NULL, has a number for each member, finite, not negative
 * and not all 0 in a clique; s is then the share of their sum.  phi as for cliques. */
SOS_MUST_USE SOS_API sos_status sos_example_add_counts(sos_example *x, uint32_t group, size_t count, const size_t start[],
                                                       const uint32_t variables[], const double amounts[], const double phi[],
                                                       sos_error *error);

/* Multiplies Psi(x, y), and so every energy of the example, by scale > 0 (default 1).  This changes no prediction, only the
 * weight of the example relative to its loss: with 1/n, images of different sizes count equally, and C means the same for all.
 */
SOS_MUST_USE SOS_API sos_status sos_example_set_scale(sos_example *x, double scale, sos_error *error);

/* Sets the true labels.  Variables whose care is 0 have no loss, whatever their label (NULL: all count). */
SOS_MUST_USE SOS_API sos_status sos_example_set_truth(sos_example *x, const uint8_t labels[], const uint8_t care[],
                                                      sos_error *error);

enum { SOS_LABEL_FREE = SOS_LABELS_MAX }; /* sos_example_fix: the variable is not fixed */

/* Fixes variable i to a label, or frees it again (SOS_LABEL_FREE); or does so for all n variables (NULL: frees all).
 * Predictions, and the most violated labellings of training, keep the fixed labels.
 *
 * In training, the true labelling keeps them as well: a variable of care 0 has its fixed label there, whatever its true one is.
 * A variable that counts must not be fixed to a label other than its true one: training refuses the example (SOS_ERR_ARGUMENT
 * names the variable); give it care 0.  sos_example_loss, and so sos_evaluate, use the true labels as given. */
SOS_MUST_USE SOS_API sos_status sos_example_fix(sos_example *x, size_t i, int label, sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_example_fix_all(sos_example *x, const uint8_t labels[], sos_error *error);

/* The loss is 1/n per variable whose label is not the true one, unless one of these is called after the truth is set.  By
 * class: weight[true label]/n per error.  Per variable: loss[i * labels + l] >= 0 for variable i labelled l, 0 for the true
 * label.  With two labels, a loss per labelling of a clique can be added: delta, 2^k numbers, 0 for the true labelling; -delta
 * must be submodular (SOS_ERR_NOT_SUBMODULAR), because loss-augmented energies are minimised. */
SOS_MUST_USE SOS_API sos_status sos_example_set_class_loss(sos_example *x, const double weight[], sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_example_set_loss(sos_example *x, const double loss[], sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_example_add_clique_loss(sos_example *x, size_t k, const uint32_t variables[],
                                                            const double delta[], sos_error *error);

/* ---- contents of an example ---- */

/* Pointers stay valid until the example changes. */
SOS_API size_t sos_example_variables(const sos_example *x);
SOS_API size_t sos_example_bytes(const sos_example *x);
SOS_API double sos_example_scale(const sos_example *x);
SOS_API const uint8_t *sos_example_truth(const sos_example *x);        /* NULL: not set */
SOS_API const uint8_t *sos_example_care(const sos_example *x);         /* NULL: all count */
SOS_API int sos_example_fixed(const sos_example *x, size_t i);         /* a label or SOS_LABEL_FREE */
SOS_API const double *sos_example_class_loss(const sos_example *x);    /* of sos_example_set_class_loss; NULL: not set */
SOS_API const double *sos_example_variable_loss(const sos_example *x); /* of sos_example_set_loss, which overrides the loss by
                                                                          class; NULL: not set */

/* The features of a free group, in the form of sos_example_set_features; start NULL: there are none, value NULL: all are 1. */
typedef struct sos_feature_list {
    const size_t *start;
    const uint32_t *index;
    const double *value;
} sos_feature_list;

SOS_API sos_feature_list sos_example_features(const sos_example *x, uint32_t group);
SOS_API const double *sos_example_costs(const sos_example *x, uint32_t group); /* as sos_example_set_costs; NULL: none */

/* The parts of an example that involve several variables: pairs, cliques and clique losses by their size, then in the order
 * added; then regions; then cliques of count groups.  A clique of a table group with several strengths is one part for each
 * phi > 0. */
typedef enum sos_part_kind { SOS_PART_PAIR, SOS_PART_CLIQUE, SOS_PART_LOSS, SOS_PART_REGION, SOS_PART_COUNT } sos_part_kind;

typedef struct sos_part {
    sos_part_kind kind;
    uint32_t group;            /* not used for a loss */
    size_t k;                  /* members */
    const uint32_t *variables; /* k; those of a region in increasing order */
    const double *phi; /* one for a clique; for others as many as the group has features or strengths; NULL: all are 1 */
    union {
        size_t strength;       /* SOS_PART_CLIQUE: the number of the strength in its group */
        size_t reach;          /* SOS_PART_REGION: R */
        const double *amounts; /* SOS_PART_COUNT: k, or NULL: 1 each */
        const double *delta;   /* SOS_PART_LOSS: 2^k; a loss has no phi */
    } as;
} sos_part;

SOS_API size_t sos_example_parts(const sos_example *x);
SOS_API sos_part sos_example_part(const sos_example *x, size_t i);

/* ---- loss, Psi, energy and minimum of an example ---- */

/* Delta(truth, labels); 0 without a truth. */
SOS_API double sos_example_loss(const sos_example *x, const uint8_t labels[]);

/* Psi(x, labels): as many numbers as the model has weights.  The model must have the groups the example was made for. */
SOS_API void sos_example_psi(const sos_example *x, const uint8_t labels[], double psi[]);

/* Finds the labels of least energy w . Psi(x, y); with loss_augmented, of least energy minus loss: the most violated
 * constraint. settings (NULL: defaults) and result may be NULL.  w has as many weights as the model, in the model's cone.
 *
 * With two labels the minimum is exact (sos_minimize).  With more it is a local minimum (sos_expand), started from the least
 * unaries or, with SOS_START_LABELS, from labels; it costs no more than the start, and with loss_augmented no more than the
 * truth.  It depends on x, w and the start alone.  Of the settings, bits, memory_limit and progress are used; of the result,
 * energy, lower_bound, rounding, bytes and seconds_solve are set. */
SOS_MUST_USE SOS_API sos_status sos_example_minimize(sos_example *x, const double w[], bool loss_augmented,
                                                     const sos_minimize_settings *settings, uint8_t labels[],
                                                     sos_minimize_result *result, sos_error *error);

/* The energy that sos_example_minimize minimises, with two labels or with more, for use with other minimisers.  The example
 * owns it, and changing the example or minimising it changes the energy:
 *
 *     E(y; x, w) = sos_example_scale(x) * sos_energy_value(*out, y)      (sos_multi_energy_value), minus the loss if requested.
 *
 * A further call with other weights sets its costs and keeps its cliques, so that a minimizer can start from its last flow
 * (sos_minimizer_run, SOS_START_FLOW).  Fixed variables are fixed in it as well; with more than two labels, all labels other
 * than the fixed one cost so much that no labelling of least energy has them. */
SOS_MUST_USE SOS_API sos_status sos_example_energy(sos_example *x, const double w[], bool loss_augmented,
                                                   const sos_energy **out, sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_example_multi_energy(sos_example *x, const double w[], bool loss_augmented,
                                                         const sos_multi_energy **out, sos_error *error);

/* Prediction: sos_example_minimize with the weights of a model, without loss. */
SOS_MUST_USE SOS_API sos_status sos_model_predict(const sos_model *m, sos_example *x, const sos_minimize_settings *settings,
                                                  uint8_t labels[], sos_minimize_result *result, sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
