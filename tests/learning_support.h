/* learning_support.h - learning problems as plain data, evaluated by the definitions of model.h and learn.h, and solved to the
 * end by listing every constraint: all of it apart from the library. */
#ifndef SOS_TESTS_LEARNING_SUPPORT_H
#define SOS_TESTS_LEARNING_SUPPORT_H

#include <stdio.h>

#include "support.h"

/* As test_case_begin, and *shape is drawn too: what a test makes of it repeats with the seed alone. */
sos_random test_shape_begin(uint64_t number, uint64_t *shape);

/* ---- models ---- */

enum { GROUPS_MAX = 6, PHI_MAX = 3, LESSON_MEMBERS_MAX = 6 };

typedef struct plan_group {
    sos_group spec;
    size_t offset;
    size_t entries;   /* tables: 2^k; counts: knots */
    size_t functions; /* tables, counts: as many as strengths, times labels where there are more than two */
    size_t classes;   /* tables, counts: how many weights each has */
    size_t *class_of; /* tables, counts: [entries] which of them, SIZE_MAX: none */
} plan_group;

typedef struct plan {
    size_t labels, count, weights;
    plan_group groups[GROUPS_MAX];
} plan;

/* Groups of tables are tied by closing the orbits of sets under the generators of the symmetries, one step at a time. */
plan plan_create(size_t labels, size_t count, const sos_group groups[]);
void plan_free(plan *p);

/* The same groups in the library, checked to have the same ties; p takes over how the library numbers classes. */
sos_model *plan_build(plan *p);

/* The costs of a function of a table group, 2^k, or of a count group, at its knots. */
void plan_table(const plan *p, size_t group, size_t function, const double w[], double f[]);

/* Random weights in the cone: multiples of 2^-12, so that they are in it exactly. */
void plan_weights_random(sos_random *r, const plan *p, double w[]);

/* Whether w is in the cone, in exact arithmetic; else *group says where it is not. */
bool plan_holds(const plan *p, const double w[], size_t *group);

/* The sign of the sum of count numbers, exactly. */
int exact_sign(size_t count, const double x[]);

/* ---- examples ---- */

typedef struct sample_feature {
    uint32_t group, variable, index;
    double value;
} sample_feature;

typedef struct sample_pair {
    uint32_t group, variables[2];
    double phi[PHI_MAX];
} sample_pair;

typedef struct sample_clique {
    uint32_t group, variables[LESSON_MEMBERS_MAX];
    double phi;           /* of the first strength, */
    double more[PHI_MAX]; /* and of the others, from 1 on */
} sample_clique;

typedef struct sample_count {
    uint32_t group, variables[LESSON_MEMBERS_MAX];
    size_t k;
    bool given; /* amounts, else 1 each */
    double amounts[LESSON_MEMBERS_MAX], phi[PHI_MAX];
} sample_count;

typedef struct sample_loss {
    size_t k;
    uint32_t variables[LESSON_MEMBERS_MAX];
    double delta[1 << LESSON_MEMBERS_MAX];
} sample_loss;

typedef struct sample {
    size_t n, features_count, pairs_count, cliques_count, counts_count, losses_count;
    sample_feature *features;
    sample_pair *pairs;
    sample_clique *cliques;
    sample_count *counts;
    sample_loss *losses;
    uint8_t *truth, *care; /* care may be NULL */
    double *loss;          /* [n * labels], what set_loss gets; NULL: 1/n per error, or by class */
    double *class_weight;  /* [labels], or NULL */
    double scale;          /* of Psi; 0: not set, so 1 */
} sample;

typedef struct sample_recipe {
    size_t n;
    size_t pairs, cliques; /* of every group that takes them */
    bool phi;              /* pairs and cliques have weights, some of them 0 */
    bool uneven;           /* and these are no multiples of a power of two */
    bool scale;            /* Psi has a scale */
    bool care;             /* some variables do not count */
    bool losses;           /* full or class losses, and on two labels clique losses, instead of 1/n */
    double noise;          /* share of true labels that are not those of least energy of hidden weights */
} sample_recipe;

/* hidden: the weights that the true labels come from; labels^n labellings are tried. */
sample sample_random(sos_random *r, const plan *p, const sample_recipe *wanted, const double hidden[]);
void sample_free(sample *s);
sos_example *sample_build(const plan *p, const sos_model *m, const sample *s);

void sample_psi(const plan *p, const sample *s, const uint8_t labels[], double psi[]);
/* The energy term by term, without Psi. */
long double sample_energy(const plan *p, const sample *s, const double w[], const uint8_t labels[]);
long double sample_delta(const plan *p, const sample *s, const uint8_t labels[]);

/* The next of labels^n labellings, counting from all 0; false after the last. */
bool labelling_next(size_t labels, size_t n, uint8_t y[]);

/* The labelling of least energy, less the loss if augmented, by trying all; returns its value. */
long double sample_least(const plan *p, const sample *s, const double w[], bool augmented, uint8_t best[]);

/* ---- training problems ---- */

typedef struct lesson {
    plan plan;
    size_t count;
    sample *samples;
    sos_model *model;
    sos_example **examples;
} lesson;

/* C of a case: small and large ones in turn. */
double C_of_case(uint64_t c);

lesson lesson_random(sos_random *r, size_t labels, size_t groups_count, const sos_group groups[], size_t examples,
                     const sample_recipe *wanted);
void lesson_free(lesson *l);

/* 1/2 |w|^2 + C/n sum_i max_y (Delta(y_i, y) - w . (Psi(x_i, y) - Psi(x_i, y_i))), by trying all y; mean_hinge may be NULL. */
long double lesson_objective(const lesson *l, double C, const double w[], long double *mean_hinge);

/* An oracle that tries all labellings of the plain data; user is the lesson. */
sos_status lesson_violate(void *user, size_t i, const double w[], double difference[], double *loss, double *missed,
                          sos_error *error);

/* ---- quadratic programs ---- */

/* Minimise 1/2 (x_0^2 + ... + x_{squared-1}^2) + cost . x over left x >= right. */
typedef struct quadratic {
    size_t variables, squared, rows, room;
    double *cost, *left, *right;
} quadratic;

quadratic quadratic_create(size_t variables, size_t squared);
double *quadratic_row(quadratic *q, double right); /* a new row, all zeros */
void quadratic_free(quadratic *q);
/* The minimum, by an interior-point method, to about 1e-8; x may be NULL. */
double quadratic_solve(const quadratic *q, double x[]);
void quadratic_write(const quadratic *q, FILE *file);

/* The rows that say that the weights are in the cone: f(A) + f(B) >= f(A + B) + f(A B) for all sets A, B. */
void quadratic_add_cone(quadratic *q, const plan *p);
/* The training problem with every constraint: the weights, then a slack per example. */
quadratic lesson_quadratic(const lesson *l, double C);

/* Is a near enough to the optimum b of a problem with this C? */
bool is_optimum(double a, double b, double C);

/* Programs that CVXOPT is to solve too, and what they were found to be. */
typedef struct references {
    char folder[256], path[300];
    FILE *file;
    double (*values)[2]; /* and the C they are of */
    size_t count;
} references;

references references_begin(void);
void references_add(references *refs, const quadratic *q, double value, double C);
bool references_check(references *refs); /* runs the script; false: CVXOPT is missing */

#endif
