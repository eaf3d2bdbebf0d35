/* hinge.h - the structured hinge loss as a function of costs, with its subgradients: for learning what stands below an energy,
 * as a network, through the exact minimum.
 *
 *     E(y) = sum_i u_i y_i + sum_C w_C f_C(y_C)
 *     L(u, f, w) = max_y [Delta(y) + E(t) - E(y)] >= 0,    Delta(y) = sum_i loss_i [y_i != t_i],  t the true labels  (math.md,
 * 14)
 *
 * L is convex in the costs u and f, and in the weights w, and at least the loss of the labels of least energy.  With y the
 * labels that attain it, its subgradients are t_i - y_i for u_i, [t_C = S] - [y_C = S] summed over the cliques of a table for
 * its entry f(S), each times w_C, and f_C(t_C) - f_C(y_C) for w_C.
 *
 *     sos_hinge *h;
 *     sos_hinge_create(structure, &h, &error);                  (an energy with the cliques; its unaries are not used)
 *     sos_hinge_item item[BATCH] = { { .unary = u, .truth = t, .tables = f, .to_unary = du, .to_tables = df }, ... };
 *     sos_hinge_run(h, BATCH, item, NULL, &error);              (item[b].value, du, df)
 */
#ifndef SOS_HINGE_H
#define SOS_HINGE_H

#include <sos/minimize.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What all examples have in common, and the memory, networks and flows that are kept from call to call.  One thread at a time.
 */
typedef struct sos_hinge sos_hinge;

/* Copies the energy: its cliques, tables and weights, concave cliques, whose costs stay as they are, and fixed labels.  Its
 * unaries and its constant are not used. */
SOS_MUST_USE SOS_API sos_status sos_hinge_create(const sos_energy *structure, sos_hinge **out, sos_error *error);
SOS_API void sos_hinge_free(sos_hinge *h); /* NULL is allowed */

/* One example.  Arrays are borrowed for the call; n, the tables and the cliques are those of the structure, in their order
 * (sos_energy_table, sos_energy_clique).  { 0 } and then what there is. */
typedef struct sos_hinge_item {
    const double *unary;  /* n: the cost of label 1 less that of label 0; or NULL, and */
    const float *unary32; /* the same in single precision */
    const uint8_t *truth; /* n labels 0 or 1.  NULL: there is none; labels are those of least energy, value is their energy, and
                             to_unary, to_tables and to_weights are the supergradients of the least energy */
    const double *loss;   /* n numbers >= 0: what a wrong label costs, 0 for a variable that does not count; NULL: 1 each */
    const double *tables; /* the costs of all tables, one behind the other; NULL: those of the structure */
    const double *weights; /* one for each clique with a table; NULL: those of the structure */
    size_t keep; /* 0, or a number from 1 to SOS_HINGE_KEEP_MAX, another for each item of a call: what is kept of this example
                    under that number; the next call with it starts from its flow (SOS_START_FLOW), which changes no result */

    /* What is filled; arrays may be NULL. */
    uint8_t *labels;    /* n: the labels y that attain L; the true ones where none do better than they */
    double *to_unary;   /* n: dL/du */
    double *to_tables;  /* as tables: dL/df */
    double *to_weights; /* as weights: dL/dw */
    double value;       /* L, computed from the labels by the definition */
    double gap;         /* no labelling attains more than value + gap: 0 but for rounding (sos_minimize_result) */
    bool warm;          /* a flow that was kept was used */
    uint64_t reserved[4];
} sos_hinge_item;

enum { SOS_HINGE_KEEP_MAX = 1 << 20 };

typedef struct sos_hinge_settings {
    int bits;             /* as in sos_minimize_settings: 32 is faster, and gap says by how much L may be too small */
    size_t memory;        /* bytes that kept examples may hold together; what comes later starts cold.  0: none is kept */
    sos_work work;        /* items go to threads; a single one has all of them */
    uint64_t reserved[8]; /* 0 (status.h) */
} sos_hinge_settings;

/* As exact as doubles allow, 1 GiB, all cores, no callback. */
SOS_API sos_hinge_settings sos_hinge_defaults(void);

/* L and its subgradients for count items.  settings may be NULL.  Values, labels and gradients are the same bits for every
 * number of threads and whatever was kept.  SOS_ERR_NOT_SUBMODULAR names the table.  If some items fail, the error is that of
 * the one with the lowest number; the others are filled.  progress as in sos_minimize_batch. */
SOS_MUST_USE SOS_API sos_status sos_hinge_run(sos_hinge *h, size_t count, sos_hinge_item items[],
                                              const sos_hinge_settings *settings, sos_error *error);

/* The structure, h's own. */
SOS_API const sos_energy *sos_hinge_structure(const sos_hinge *h);

/* Bytes held by h: copies of the structure, networks and flows. */
SOS_API size_t sos_hinge_bytes(const sos_hinge *h);

/* Drops what was kept under all numbers. */
SOS_API void sos_hinge_forget(sos_hinge *h);

#ifdef __cplusplus
}
#endif

#endif
