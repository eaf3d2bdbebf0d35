/* model.h - a family of energies that is linear in its weights: E(y; x, w) = w . Psi(x, y), and examples x of it.
 *
 *     E = sum_i sum_j x_ij w[j, y_i]                      free groups: features of variables, a weight per feature and label
 *       + sum_pairs [y_a != y_b] sum_j phi_j w[j]         nonnegative groups: strengths of pairs, and of regions of any
 *                                                         size; and of costs that labels have by themselves
 *       + sum_C phi_C f(y_C)                              table groups: every f submodular, its 2^k costs are the weights
 *       + sum_C phi_C F(share of C labelled 1)            count groups: every F concave, its values at knots are the weights
 *
 * (paper, section 4.2).  With more than two labels a table group has a table g_l per label, and a clique costs
 * phi_C sum_l g_l({members labelled l}) (paper, section 4.4); a count group has a function F_l per label in the same way.
 * A group may have several functions f_j, each with its own phi_j of every clique: sum_j phi_Cj f_j(y_C).
 *
 * Build the groups first, then examples, then train (learn.h) or set weights, then predict. */
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
    100800 /* its knots are at multiples of one part in so many: all of n parts for n up to 10 and many more */
#define SOS_STRENGTHS_MAX 256 /* functions of a group */

typedef struct sos_group {
    const char *name; /* unique in the model, not empty */
    sos_group_kind kind;
    size_t size; /* free, nonnegative: number of features; table: number k of members; count: number of knots, at least 2 */

    /* Tables and counts only.  Entries that a symmetry maps to each other share a weight. */
    bool anchored; /* f({}) = F(0) = 0, no weight */
    bool swap;     /* f(S) = f(C - S), F(s) = F(1 - s): label 0 and 1 alike; two labels only */

    /* Tables only. */
    size_t patch_width, patch_height; /* not 0: the symmetries of a patch of that shape, whose product is k: mirrors, and
                                         quarter turns if it is square */
    bool reversal;                    /* the order of members may be reversed: a line looks the same from both ends, a patch
                                         after half a turn */
    bool counted;                     /* of members along a line: f depends only on how many are labelled 1 and on how often the
                                         label changes from one to the next.  Goes with anchored and swap alone */
    const uint32_t *class_of;         /* not NULL: ties of one's own, and no others.  [2^k] the class of each entry, 0 to m - 1,
                                         none of them empty; a class is a weight.  UINT32_MAX: no weight, the entry costs 0.
                                         Refused unless some |S| (k - |S|) + sum_{i in S} c_i + c has one value on each class and
                                         0 where there is no weight: true of symmetries, of classes by the number of members,
                                         and of anchored single members (math.md, 10.2).  Copied */

    /* All kinds. */
    double stiffness; /* how much the square of its weights costs in training; over 0, or 0: 1 (learn.h) */

    /* Counts only. */
    const double *shares; /* [size] where the knots are: 0 = shares[0] < shares[1] < ... < shares[size - 1] = 1, taken to the
                             next multiple of 1 / SOS_SHARE_UNIT; with swap the same from both ends.  F is linear between them.
                             Copied */

    /* Tables and counts. */
    size_t strengths;     /* how many functions the group has, each with its own weights, and numbers phi of a clique; 0: 1 */
    uint64_t reserved[8]; /* 0 (status.h) */
} sos_group;

typedef struct sos_model sos_model;

/* A model of so many labels, 2 to SOS_LABELS_MAX, without groups. */
SOS_MUST_USE SOS_API sos_status sos_model_create(size_t labels, sos_model **out, sos_error *error);
SOS_API void sos_model_free(sos_model *m); /* NULL is fine */

/* A copy with the same groups, weights and facts: examples made for the one can be used with the other, until groups are added.
 */
SOS_MUST_USE SOS_API sos_status sos_model_copy(const sos_model *m, sos_model **out, sos_error *error);

/* Adds a group; its weights are 0.  Everything is copied.  *number: 0, 1, ... in the order added.  Examples made before
 * cannot be used with the model any more. */
SOS_MUST_USE SOS_API sos_status sos_model_add_group(sos_model *m, const sos_group *group, uint32_t *number, sos_error *error);

SOS_API size_t sos_model_labels(const sos_model *m);
SOS_API size_t sos_model_groups(const sos_model *m);
SOS_API const sos_group *sos_model_group(const sos_model *m, uint32_t group); /* until groups are added or changed */

/* Sets the stiffness of a group, over 0.  Examples fit as before. */
SOS_MUST_USE SOS_API sos_status sos_model_set_stiffness(sos_model *m, uint32_t group, double stiffness, sos_error *error);

/* All weights, group after group.  A free group has size * labels, label fastest; a nonnegative one size; a table group one
 * per class of entries, a count group one per knot or two that mirror each other, for each label where there are more than two,
 * and all of that for each of its strengths. */
SOS_API size_t sos_model_weight_count(const sos_model *m);
SOS_API size_t sos_model_group_offset(const sos_model *m, uint32_t group);
SOS_API const double *sos_model_weights(const sos_model *m);

/* Sets all weights.  Refused if one is not finite, a nonnegative one negative (SOS_ERR_ARGUMENT), or a table not submodular or
 * a function of the count not concave (SOS_ERR_NOT_SUBMODULAR): the message names the group. */
SOS_MUST_USE SOS_API sos_status sos_model_set_weights(sos_model *m, const double w[], sos_error *error);

/* How many functions a group of tables or counts has: one per label where there are more than two, times its strengths; 0 of
 * other groups.  That of strength j and label l is number j * L + l, where L is the number of labels, or 1 for two. */
SOS_API size_t sos_model_functions(const sos_model *m, uint32_t group);

/* The 2^k costs of a function of a table group, or the values of one of a count group at its knots, from the model's weights.
 */
SOS_API void sos_model_table(const sos_model *m, uint32_t group, size_t function, double f[]);

/* Facts that travel with the model: feature parameters, settings, the training record.  Values are JSON texts; a key that is
 * set again is replaced, NULL removes it.  sos_model_fact returns NULL for an unknown key. */
SOS_MUST_USE SOS_API sos_status sos_model_set_fact(sos_model *m, const char *key, const char *json, sos_error *error);
SOS_API const char *sos_model_fact(const sos_model *m, const char *key);
SOS_API size_t sos_model_facts(const sos_model *m);
SOS_API const char *sos_model_fact_key(const sos_model *m, size_t i);

/* Model files: readable JSON, exact in every double (docs/formats.md).  Written by way of a temporary file and a rename.
 * Reading refuses what is truncated, of a newer version, or not submodular. */
SOS_MUST_USE SOS_API sos_status sos_model_read(const char *path, sos_model **out, sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_model_parse(const char *text, size_t length, const char *name, sos_model **out,
                                                sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_model_write(const sos_model *m, const char *path, sos_error *error);

/* The same bytes into memory: *text is the caller's, to free by free(), *length its bytes, behind which stands a zero. */
SOS_MUST_USE SOS_API sos_status sos_model_write_memory(const sos_model *m, char **text, size_t *length, sos_error *error);

/* ---- examples ---- */

/* An example: variables, their features, cliques, and for training the true labels and what errors cost.  It borrows nothing
 * and may outlive the model that gave it its groups.  One thread at a time. */
typedef struct sos_example sos_example;

SOS_MUST_USE SOS_API sos_status sos_example_create(const sos_model *m, size_t n, sos_example **out, sos_error *error);
SOS_API void sos_example_free(sos_example *x); /* NULL is fine */

/* Whether the example was made for a model with the groups that m has. */
SOS_API bool sos_example_fits(const sos_example *x, const sos_model *m);

/* The features of all variables for a free group: variable i has those from start[i] to start[i + 1] (n + 1 numbers, start[0]
 * = 0) of index[] and value[] (NULL: all 1).  A call replaces the features of the group. */
SOS_MUST_USE SOS_API sos_status sos_example_set_features(sos_example *x, uint32_t group, const size_t start[],
                                                         const uint32_t index[], const double value[], sos_error *error);

/* The same where every variable has all features of the group: feature j of variable i is value[i * variable_stride + j *
 * feature_stride].  So one array of any layout serves: rows of features (size and 1), planes (1 and n); strides may be
 * negative, and a stride of 0 says that a number is that of all. */
SOS_MUST_USE SOS_API sos_status sos_example_set_dense_features(sos_example *x, uint32_t group, const double value[],
                                                               ptrdiff_t variable_stride, ptrdiff_t feature_stride,
                                                               sos_error *error);

/* What labels cost by themselves, for a nonnegative group: variable i labelled l costs sum_j w[j] cost[(i * labels + l) * size
 * + j], size being the number of features of the group.  So one weight says how much all labels heed another estimate of them,
 * such as its -log p.  A call replaces the costs of the group. */
SOS_MUST_USE SOS_API sos_status sos_example_set_costs(sos_example *x, uint32_t group, const double cost[], sos_error *error);

/* Pairs of a nonnegative group: count pairs of variables, side by side, and for each as many numbers phi >= 0 as the group
 * has features (NULL: all 1). */
SOS_MUST_USE SOS_API sos_status sos_example_add_pairs(sos_example *x, uint32_t group, size_t count, const uint32_t variables[],
                                                      const double phi[], sos_error *error);

/* The pairs of all neighbours of a width x height image whose pixel (x, y) is variable y * width + x: 4 neighbours or 8.  They
 * come pixel by pixel, row by row: with the pixel to the right, the one below, and of 8 the ones below to the right and below
 * to the left, as far as they are in the image.  phi as above, in that order. */
SOS_MUST_USE SOS_API sos_status sos_example_add_grid_pairs(sos_example *x, uint32_t group, size_t width, size_t height,
                                                           int neighbours, const double phi[], sos_error *error);

/* Regions of a nonnegative group: cliques of any size whose members should agree, such as superpixels.  Region r has the
 * variables from start[r] to start[r + 1] (count + 1 numbers, start[0] = 0), each once, and phi as for pairs.  If d of its k
 * members do not take the label that most of them take, it costs (robust P^n)
 *
 *     min(1, d / R) sum_j phi_j w[j],      R = max(1, floor(reach k)),      0 <= reach <= 1/2. */
SOS_MUST_USE SOS_API sos_status sos_example_add_regions(sos_example *x, uint32_t group, size_t count, const size_t start[],
                                                        const uint32_t variables[], double reach, const double phi[],
                                                        sos_error *error);

/* Cliques of table groups: count cliques, the members side by side; phi >= 0 for each (NULL: 1), as many as the group has
 * strengths, side by side.  In the second form each clique names its group; all have the same number of members, and their
 * groups one strength. */
SOS_MUST_USE SOS_API sos_status sos_example_add_cliques(sos_example *x, uint32_t group, size_t count,
                                                        const uint32_t variables[], const double phi[], sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_example_add_listed(sos_example *x, size_t count, const uint32_t groups[],
                                                       const uint32_t variables[], const double phi[], sos_error *error);

/* The cliques of all patches of an image, or of a volume, as sos_energy_add_patches and sos_energy_add_volume_patches have
 * them, for a table group of as many members; phi as for cliques, patch after patch. */
SOS_MUST_USE SOS_API sos_status sos_example_add_patches(sos_example *x, uint32_t group, size_t width, size_t height,
                                                        size_t patch_width, size_t patch_height, const double phi[],
                                                        sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_example_add_volume_patches(sos_example *x, uint32_t group, size_t width, size_t height,
                                                               size_t depth, size_t patch_width, size_t patch_height,
                                                               size_t patch_depth, const double phi[], sos_error *error);

/* Cliques of a count group, of any sizes: clique c has the variables from start[c] to start[c + 1] (count + 1 numbers, start[0]
 * = 0), each once, and costs phi_c F(s), s being the share of its members labelled 1; with more than two labels phi_c sum_l
 * F_l(s_l).  With amounts, one for each member, finite, not negative and not all 0 in a clique, it is the share of their sum.
 * phi as for cliques. */
SOS_MUST_USE SOS_API sos_status sos_example_add_counts(sos_example *x, uint32_t group, size_t count, const size_t start[],
                                                       const uint32_t variables[], const double amounts[], const double phi[],
                                                       sos_error *error);

/* Multiplies Psi(x, y), and so every energy of the example, by scale > 0; 1 unless set.  It changes no prediction, only how
 * much the example weighs against its loss: with 1/n, images of different sizes count alike and C means the same for all. */
SOS_MUST_USE SOS_API sos_status sos_example_set_scale(sos_example *x, double scale, sos_error *error);

/* The true labels.  Variables whose care is 0 never cost anything, whatever label they get (NULL: all count). */
SOS_MUST_USE SOS_API sos_status sos_example_set_truth(sos_example *x, const uint8_t labels[], const uint8_t care[],
                                                      sos_error *error);

enum { SOS_LABEL_FREE = SOS_LABELS_MAX }; /* sos_example_fix: let the variable choose */

/* Fixes variable i to a label, or frees it again (SOS_LABEL_FREE); or all n variables at once (NULL: frees them).  What is
 * predicted, and the most violated labellings of training, keep the fixed labels.
 *
 * So does the labelling that training holds against them: a variable that does not count has its fixed label there, whatever
 * its true one is.  Where a variable that counts is fixed to another label than its true one there is nothing to learn from,
 * and training refuses the example (SOS_ERR_ARGUMENT names the variable): give it care 0.  sos_example_loss, and so
 * sos_evaluate, compare with the true labels as they were given. */
SOS_MUST_USE SOS_API sos_status sos_example_fix(sos_example *x, size_t i, int label, sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_example_fix_all(sos_example *x, const uint8_t labels[], sos_error *error);

/* What errors cost: 1/n per variable with another label than the true one, unless one of these is called after the truth is
 * set.  By class: weight[true label]/n per error.  In full: loss[i * labels + l] >= 0 for variable i labelled l, 0 for the
 * true label.  And for two labels, on top, a cost per labelling of a clique: delta, 2^k numbers, 0 at the true one; -delta
 * must be submodular, else loss-augmented energies could not be minimised (SOS_ERR_NOT_SUBMODULAR). */
SOS_MUST_USE SOS_API sos_status sos_example_set_class_loss(sos_example *x, const double weight[], sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_example_set_loss(sos_example *x, const double loss[], sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_example_add_clique_loss(sos_example *x, size_t k, const uint32_t variables[],
                                                            const double delta[], sos_error *error);

/* ---- what an example holds ---- */

/* Pointers stay valid until the example is changed. */
SOS_API size_t sos_example_variables(const sos_example *x);
SOS_API size_t sos_example_bytes(const sos_example *x);
SOS_API double sos_example_scale(const sos_example *x);
SOS_API const uint8_t *sos_example_truth(const sos_example *x);        /* NULL: not set */
SOS_API const uint8_t *sos_example_care(const sos_example *x);         /* NULL: all count */
SOS_API int sos_example_fixed(const sos_example *x, size_t i);         /* its label or SOS_LABEL_FREE */
SOS_API const double *sos_example_class_loss(const sos_example *x);    /* as sos_example_set_class_loss; NULL: not set */
SOS_API const double *sos_example_variable_loss(const sos_example *x); /* as sos_example_set_loss, before which the loss by
                                                                          class gives way; NULL: not set */

/* The features of a free group, as sos_example_set_features took them; start NULL: there are none, value NULL: all are 1. */
typedef struct sos_feature_list {
    const size_t *start;
    const uint32_t *index;
    const double *value;
} sos_feature_list;

SOS_API sos_feature_list sos_example_features(const sos_example *x, uint32_t group);
SOS_API const double *sos_example_costs(const sos_example *x, uint32_t group); /* as sos_example_set_costs; NULL: none */

/* All that is about several variables: pairs, cliques and losses of cliques by their size, then in the order added, then
 * regions, then cliques of count groups.  A clique of a table group with several strengths is a part for each phi over 0. */
typedef enum sos_part_kind { SOS_PART_PAIR, SOS_PART_CLIQUE, SOS_PART_LOSS, SOS_PART_REGION, SOS_PART_COUNT } sos_part_kind;

typedef struct sos_part {
    sos_part_kind kind;
    uint32_t group;            /* not of a loss */
    size_t k;                  /* members */
    const uint32_t *variables; /* k; those of a region in increasing order */
    const double *phi;         /* one of a clique; of others as many as the group has features, or strengths; NULL: all are 1 */
    union {
        size_t strength;       /* SOS_PART_CLIQUE: which of those of its group */
        size_t reach;          /* SOS_PART_REGION: R */
        const double *amounts; /* SOS_PART_COUNT: k, or NULL: 1 each */
        const double *delta;   /* SOS_PART_LOSS: 2^k; it has no phi */
    } as;
} sos_part;

SOS_API size_t sos_example_parts(const sos_example *x);
SOS_API sos_part sos_example_part(const sos_example *x, size_t i);

/* ---- what follows from it ---- */

/* Delta(truth, labels); 0 without a truth. */
SOS_API double sos_example_loss(const sos_example *x, const uint8_t labels[]);

/* Psi(x, labels): as many numbers as the model has weights.  The model must have the groups the example was made for. */
SOS_API void sos_example_psi(const sos_example *x, const uint8_t labels[], double psi[]);

/* The labels of least energy w . Psi(x, y); with loss_augmented those of least energy less loss: the most violated
 * constraint.  settings (NULL: defaults), result may be NULL.  w: as many weights as the model has, in the model's cone.
 *
 * With two labels by sos_minimize, exactly.  With more by sos_expand, from the least unaries, or, for SOS_START_LABELS, from
 * what labels holds: a local minimum, that costs no more than the start, nor with loss_augmented than the truth.  It is a
 * function of x, w and the start alone.  Of the settings bits, memory_limit and progress are used, of the result energy,
 * lower_bound, rounding, bytes and seconds_solve are set. */
SOS_MUST_USE SOS_API sos_status sos_example_minimize(sos_example *x, const double w[], bool loss_augmented,
                                                     const sos_minimize_settings *settings, uint8_t labels[],
                                                     sos_minimize_result *result, sos_error *error);

/* The energy that sos_example_minimize minimises, for minimising it in one's own way: with two labels, and with more.  It is
 * the example's, and changes with it and with every call that minimises:
 *
 *     E(y; x, w) = sos_example_scale(x) * sos_energy_value(*out, y),      or sos_multi_energy_value, less the loss where asked.
 *
 * Another call with other weights sets its costs and keeps its cliques, so that a minimizer of one's own starts from its last
 * flow (sos_minimizer_run, SOS_START_FLOW).  Fixed variables are fixed in it too; with more than two labels all labels but the
 * fixed one cost so much that no labelling of least energy has them. */
SOS_MUST_USE SOS_API sos_status sos_example_energy(sos_example *x, const double w[], bool loss_augmented,
                                                   const sos_energy **out, sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_example_multi_energy(sos_example *x, const double w[], bool loss_augmented,
                                                         const sos_multi_energy **out, sos_error *error);

/* sos_example_minimize for the weights of a model, without loss: prediction. */
SOS_MUST_USE SOS_API sos_status sos_model_predict(const sos_model *m, sos_example *x, const sos_minimize_settings *settings,
                                                  uint8_t labels[], sos_minimize_result *result, sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
