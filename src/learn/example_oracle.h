/* example_oracle.h - the oracle of training on examples: the minimum of each one's loss-augmented energy. */
#ifndef SOS_LEARN_EXAMPLE_ORACLE_H
#define SOS_LEARN_EXAMPLE_ORACLE_H

#include <sos/learn.h>

#include "learn/example_search.h"

typedef struct sos_example_oracle {
    size_t count;
    sos_example *const *examples;    /* borrowed */
    uint8_t **labels;                /* one array per example, for what the oracle finds */
    bool warm;                       /* flows are kept from one call to the next */
    sos_example_searching searching; /* with more than two labels */
} sos_example_oracle;

/* Are the examples made for the model, and can they be used so?  Judging needs truths, learning those that fixed variables
 * allow. */
typedef enum sos_example_use { SOS_EXAMPLES_PREDICT, SOS_EXAMPLES_JUDGE, SOS_EXAMPLES_LEARN } sos_example_use;
sos_status sos_examples_check(const sos_model *m, size_t count, sos_example *const examples[], sos_example_use use,
                              sos_error *error);

sos_status sos_example_oracle_create(sos_example_oracle *o, size_t count, sos_example *const examples[],
                                     const sos_train_settings *settings, sos_error *error);
void sos_example_oracle_free(sos_example_oracle *o); /* drops the flows of the examples too */

/* What the trainer calls; it borrows o. */
sos_oracle sos_example_oracle_interface(sos_example_oracle *o, size_t labels);

/* A hash of what the examples are; only a checkpoint needs it, so without one it is a constant. */
uint64_t sos_example_oracle_hash(const sos_example_oracle *o, const sos_train_settings *settings);

/* An array of labels per example, NULL: no memory. */
uint8_t **sos_label_arrays_create(size_t count, sos_example *const examples[]);
void sos_label_arrays_free(size_t count, uint8_t **labels);

#endif
