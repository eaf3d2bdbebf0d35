/* model.h - the inside of sos_model and sos_example. */
#ifndef SOS_LEARN_MODEL_H
#define SOS_LEARN_MODEL_H

#include <stdatomic.h>

#include <sos/model.h>

#include "base/error.h"
#include "energy/energy.h"
#include "learn/ties.h"

typedef struct sos_layout_group {
    sos_group spec;    /* its name is owned, its classes and shares are those of the ties */
    size_t offset;     /* of its first weight */
    size_t classes;    /* tables, counts: weights per function; else all weights of the group */
    size_t copies;     /* tables, counts: functions, strength by strength, and label by label where there are more than two */
    size_t strengths;  /* at least 1 */
    size_t table_slot; /* tables: its first among the functions of all groups before it */
    sos_ties *ties;    /* tables, counts: shared; else NULL */
} sos_layout_group;

/* Which weights there are.  Shared by a model and its examples, counted, never changed once shared. */
typedef struct sos_layout {
    size_t labels, group_count, weights, table_slots;
    atomic_size_t references;
    sos_layout_group *groups;
    uint64_t identity; /* of its content: equal layouts have equal ones */
} sos_layout;

typedef struct sos_fact {
    char *key, *json;
} sos_fact;

struct sos_model {
    sos_layout *layout;
    double *weights;
    sos_fact *facts;
    size_t fact_count, facts_room;
};

/* The number of weights that a group has. */
size_t sos_layout_group_weights(const sos_layout *layout, uint32_t group);

sos_layout *sos_layout_share(sos_layout *layout);
void sos_layout_release(sos_layout *layout);

/* How many functions a group has for each strength. */
static inline size_t sos_layout_label_functions(const sos_layout *layout) { return layout->labels > 2 ? layout->labels : 1; }

/* The costs of a function of a table group, 2^k, or of a count group, at its knots. */
void sos_layout_table(const sos_layout *layout, uint32_t group, size_t function, const double w[], double f[]);

/* SOS_OK, or why w is not in the cone of the layout. */
sos_status sos_layout_check(const sos_layout *layout, const double w[], sos_error *error);

/* psi += Psi(x, labels) - Psi(x, base); base NULL: less nothing. */
void sos_example_add_psi(const sos_example *x, const uint8_t labels[], const uint8_t base[], double psi[]);

/* Mixes all that the example is into a hash. */
uint64_t sos_example_hash(const sos_example *x, uint64_t hash);

/* Drops the flow that warm starts keep. */
void sos_example_forget_flow(sos_example *x);

/* Keeps it in less memory until the next minimisation, where that can be done (minimizer.h). */
void sos_example_pack_flow(sos_example *x);
size_t sos_example_flow_bytes(const sos_example *x);

/* The weight that entry S of a table group, or knot S of a count group, stands at, less the group's offset and for function 0;
 * SIZE_MAX: anchored. */
size_t sos_model_table_class(const sos_model *m, uint32_t group, size_t S);

#endif
