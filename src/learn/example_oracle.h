/* example_oracle.h - the oracle of training on examples: the minimum of each one's loss-augmented energy. */
#ifndef SOS_LEARN_EXAMPLE_ORACLE_H
#define SOS_LEARN_EXAMPLE_ORACLE_H

#include <sos/learn.h>

#include "base/share.h"
#include "learn/example_recall.h"
#include "learn/example_search.h"
#include "learn/trainer.h"

/* What a graphics card found for an example, until it is fetched. */
typedef struct sos_card_answer {
    bool there;
    sos_minimize_result result;
} sos_card_answer;

typedef struct sos_example_oracle {
    size_t count;
    sos_example *const *examples;    /* borrowed; NULL where another process has it */
    uint8_t **labels;                /* one array per example: what the oracle found last, at first the truth */
    sos_recall *recalls;             /* [count] or NULL: what the last answers know of other weights */
    bool labelled;                   /* the last labels may be where a call begins; */
    bool warm;                       /* flows are kept from one call to the next */
    bool approximate;                /* of all processes */
    sos_example_searching searching; /* with more than two labels */
    sos_minimize_settings batches;   /* of examples that a graphics card minimises together, and */
    sos_card_answer *answers;        /* [count] what it found for the question that is being asked; the labels are in labels */
    uint64_t hash;                   /* of all examples of all processes; only a checkpoint needs it, so without one it is 0 */
} sos_example_oracle;

/* Are the examples made for the model, and can they be used so; and has one process, and no other, each of them?  Judging needs
 * truths, learning those that fixed variables allow. */
typedef enum sos_example_use { SOS_EXAMPLES_PREDICT, SOS_EXAMPLES_JUDGE, SOS_EXAMPLES_LEARN } sos_example_use;
sos_status sos_examples_check(sos_share *share, const sos_model *m, size_t count, sos_example *const examples[],
                              sos_example_use use, sos_error *error);

/* The examples have been checked. */
sos_status sos_example_oracle_create(sos_example_oracle *o, sos_share *share, size_t count, sos_example *const examples[],
                                     const sos_train_settings *settings, sos_error *error);
void sos_example_oracle_free(sos_example_oracle *o); /* drops the flows of the examples too */

/* The most violated labelling of an example under w, in labels.  start, with two labels: from the flow of the last call, from
 * what is in labels, or cold.  difference is zeros. */
sos_status sos_example_violate(sos_example *x, const double w[], sos_start start, const sos_example_searching *searching,
                               uint8_t labels[], double difference[], double *loss, double *missed, sos_error *error);

/* What the trainer calls; it borrows o. */
sos_oracle sos_example_oracle_interface(sos_example_oracle *o);
sos_recaller sos_example_oracle_recaller(sos_example_oracle *o, const sos_model *m);

/* The mean loss of predictions over the examples of all processes, and each one's own losses (NULL: not wanted). */
sos_status sos_examples_evaluate(sos_share *share, const sos_model *m, size_t count, sos_example *const examples[], int threads,
                                 double losses[], double *mean, sos_error *error);

/* An array of labels per example, NULL: no memory. */
uint8_t **sos_label_arrays_create(size_t count, sos_example *const examples[]);
void sos_label_arrays_free(size_t count, uint8_t **labels);

#endif
