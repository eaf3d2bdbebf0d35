/* example.h - the inside of sos_example: one representation from which Psi, the energy w . Psi and the loss-augmented energy
 * are all computed.
 *
 * Cliques live in an energy from the start: phi is the weight of a clique, and a table group is a table of the energy whose
 * costs are set when w is known.  So minimising copies nothing but costs.  With more than two labels the same cliques are those
 * of a sos_multi_energy, whose costs are set instead. */
#ifndef SOS_LEARN_EXAMPLE_H
#define SOS_LEARN_EXAMPLE_H

#include "energy/multi_energy.h"
#include "learn/model.h"
#include "learn/sparse.h"

#define SOS_NO_TABLE UINT32_MAX

/* Features of the variables, of a free group. */
typedef struct sos_features {
    uint32_t group;
    size_t *start; /* n + 1 */
    uint32_t *index;
    double *value; /* or NULL: all 1 */
} sos_features;

/* What labels cost by themselves, of a nonnegative group: numbers of a variable side by side, and of a label within. */
typedef struct sos_label_costs {
    uint32_t group;
    double *cost; /* n * labels * size of the group */
} sos_label_costs;

/* Pairs or regions of a nonnegative group, added by one call: pairs are cliques of two members in the energy, regions stand in
 * the example's list of them, both numbered from first. */
typedef struct sos_run {
    uint32_t group;
    size_t first, count;
    double *phi; /* count * size of the group, or NULL: all 1 */
} sos_run;

/* A clique of any size: strength * min(1, d / reach), d members being without the label that most of them have. */
typedef struct sos_region {
    size_t start, k; /* its members, in the array of all */
    size_t reach;
} sos_region;

/* A clique of a count group.  Its run says which group, and has its phi. */
typedef struct sos_count {
    size_t start, k; /* its members, in the array of all */
    double total;    /* amount of all members */
    bool has_amounts;
    size_t amounts; /* where they start in the array of all, if it has; else they are 1 each */
} sos_count;

/* What a table of the energy is: that of a group, the Potts table of pairs, or the loss of a clique. */
typedef struct sos_table_use {
    uint32_t group;    /* or SOS_NO_TABLE */
    uint32_t strength; /* which of its functions */
    double *delta;     /* 2^k, of a clique loss; else NULL */
} sos_table_use;

struct sos_example {
    sos_layout *layout;
    sos_energy *energy;
    size_t n;
    double scale;

    sos_features *features;
    size_t features_count, features_room;
    sos_label_costs *costs;
    size_t costs_count, costs_room;
    sos_run *pair_runs;
    size_t pair_runs_count, pair_runs_room;
    sos_run *region_runs;
    size_t region_runs_count, region_runs_room;
    sos_region *regions;
    size_t regions_count, regions_room;
    uint32_t *members; /* of the regions */
    size_t members_count, members_room;
    sos_run *count_runs;
    size_t count_runs_count, count_runs_room;
    sos_count *counts;
    size_t counts_count, counts_room;
    uint32_t *counted; /* members of the counts */
    double *amounts;   /* of those that have such */
    size_t counted_count, counted_room, amounts_count, amounts_room;
    double *strengths;   /* of the concave cliques that stand for the regions in the energy, with two labels; or NULL */
    size_t regions_laid; /* how many these are; counts follow */
    uint32_t *table_of;  /* [table slots of the layout] or SOS_NO_TABLE */
    uint32_t potts;      /* table of pairs, or SOS_NO_TABLE */
    sos_table_use *uses; /* [tables of the energy] */
    size_t uses_room;

    uint8_t *truth, *care; /* n each; care NULL: all */
    uint8_t *fixed;        /* n labels or SOS_LABEL_FREE; NULL: all are free */
    uint8_t *reference;    /* n: the truth with the fixed labels in it; NULL: no truth, or none is fixed */
    double *class_loss;    /* labels, or NULL */
    double *loss;          /* n * labels, or NULL */
    bool clique_losses;

    sos_multi_energy *multi;  /* over the cliques of the energy, with more than two labels once minimised, or NULL */
    sos_minimizer *minimizer; /* that keeps its flow, or NULL */
    size_t flow_bytes;
};

/* A copy of count items; NULL stays NULL and is no failure.  out: where the pointer to the copy goes. */
bool sos_copy_array(void *out, const void *from, size_t count, size_t size);

/* Is this a group of the kind?  what: what the call adds, for the message. */
sos_status sos_example_group_check(const sos_example *x, uint32_t group, sos_group_kind kind, const char *what,
                                   sos_error *error);

void sos_features_free(sos_features *f);

/* What variable i labelled l costs by them. */
double sos_example_label_cost(const sos_example *x, const sos_label_costs *c, size_t i, size_t l, const double w[]);

/* A new table of the energy, with the costs f (NULL: for now all 0), and what it is for. */
sos_status sos_example_new_table(sos_example *x, size_t k, const double f[], sos_table_use use, uint32_t *table,
                                 sos_error *error);

/* The table of the energy that stands for one of the strengths of a table group. */
sos_status sos_example_group_table(sos_example *x, uint32_t group, size_t strength, uint32_t *table, sos_error *error);

/* Are all phi of so many pairs or regions, each with so many, finite and not negative?  what: "pair", "region" or the like. */
sos_status sos_example_phi_check(const sos_group *g, const char *what, size_t count, size_t each, const double phi[],
                                 sos_error *error);

/* How many phi a clique, pair or region of the group has. */
static inline size_t sos_layout_group_phi(const sos_layout_group *g) { return g->ties ? g->strengths : g->spec.size; }

/* ---- counts (example_counts.c) ---- */

/* Amounts of its members; NULL: 1 each. */
static inline const double *sos_count_amounts(const sos_example *x, const sos_count *c)
{
    return c->has_amounts ? x->amounts + c->amounts : NULL;
}

/* Where a share lies between knots: so much of the next one, and the rest of knot j. */
typedef struct sos_knot {
    size_t j;
    double next;
} sos_knot;

sos_knot sos_example_count_knot(const sos_example *x, const sos_count *c, const sos_ties *t, const uint8_t labels[],
                                size_t label);

/* The values at the knots of the i-th count, of one label (or the only function): sum_j phi_j F_j. */
void sos_example_count_values(const sos_example *x, const sos_run *r, size_t i, size_t label, const double w[], double value[]);

/* The counts of the energy, with two labels, behind the regions: added, or given other values. */
sos_status sos_example_set_counts(sos_example *x, const double w[], sos_error *error);
sos_status sos_example_set_label_counts(sos_example *x, const double w[], sos_error *error);

/* How many cliques of one member stand before the pairs in the energy's numbers. */
static inline size_t sos_example_pairs_begin(const sos_example *x) { return x->energy->pools[1].count; }

/* min(1, d / reach). */
double sos_example_region_cost(const sos_example *x, const sos_region *r, const uint8_t labels[]);

/* Is there a truth; and can it be learned from: are variables that count fixed to no other label? */
sos_status sos_example_truth_check(const sos_example *x, sos_error *error);
sos_status sos_example_lesson_check(const sos_example *x, sos_error *error);

/* Loss of variable i labelled l. */
double sos_example_loss_of(const sos_example *x, size_t i, size_t l);

/* With two labels: adds what Psi gains where variable i alone gets the label, or where the c-th clique of k members goes from
 * one set of members labelled 1 to another, without what these gain by themselves.  Returns what the loss gains. */
double sos_example_move_variable(const sos_example *x, size_t i, size_t label, sos_sparse *psi);
double sos_example_move_clique(const sos_example *x, size_t k, size_t c, size_t from, size_t to, sos_sparse *psi);

/* The members that have the label, as a set. */
static inline size_t sos_members_on(size_t k, const uint32_t variables[], const uint8_t labels[], size_t label)
{
    size_t S = 0;
    for (size_t q = 0; q < k; q++) S |= (size_t)(labels[variables[q]] == label) << q;
    return S;
}

/* The labelling that training compares with: the truth, with the fixed labels of variables that do not count. */
static inline const uint8_t *sos_example_reference(const sos_example *x) { return x->reference ? x->reference : x->truth; }

/* Puts the fixed labels in. */
void sos_example_keep_fixed(const sos_example *x, uint8_t labels[]);

/* The strengths of all regions with these weights, to free. */
sos_status sos_example_region_strengths(const sos_example *x, const double w[], double **out, sos_error *error);

/* Sets the strengths of pairs, which both kinds of energy share. */
sos_status sos_example_set_pairs(sos_example *x, const double w[], sos_error *error);

/* Set all costs of the example's energy, or of its energy with several labels, which is created if need be: those of w . Psi
 * over the scale, less the loss over the scale with loss_augmented. */
sos_status sos_example_set_energy(sos_example *x, const double w[], bool loss_augmented, sos_error *error);
sos_status sos_example_set_multi_energy(sos_example *x, const double w[], bool loss_augmented, sos_error *error);

/* The minimum of the loss-augmented energy with weights of cliques that are rounded to 53 bits, not to 26 (math.md, 6.4):
 * slower, and in more memory.  Does it pay, and fit? */
bool sos_example_has_precise(const sos_example *x);
sos_status sos_example_minimize_precisely(sos_example *x, const double w[], uint8_t labels[], sos_minimize_result *result,
                                          sos_error *error);

#endif
