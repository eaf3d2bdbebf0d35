/* example_search.h - the most violated labelling of an example with several labels. */
#ifndef SOS_LEARN_EXAMPLE_SEARCH_H
#define SOS_LEARN_EXAMPLE_SEARCH_H

#include <sos/learn.h>

#include "learn/example.h"

/* As sos_train_settings has it. */
typedef struct sos_example_searching {
    size_t searches, exhaustive, relax;
    bool precise; /* of two labels: with as many bits as there are */
} sos_example_searching;

static inline sos_example_searching sos_example_searching_of(const sos_train_settings *s)
{
    return (sos_example_searching){ .searches = s->searches, .exhaustive = s->exhaustive, .relax = s->relax };
}

/* Whether the example has so many labellings at most, so that all are tried. */
bool sos_example_is_listed(const sos_example *x, size_t most);

/* Whether the true labelling costs less than an answer, so that the constraint that was found is less violated than none: moves
 * that need not find the minimum are then made from the true one.  The energy has been set, loss included. */
bool sos_example_truth_is_less(const sos_example *x, double energy);

/* The labelling of least loss-augmented energy that is found: the least one, where all are tried.  labels is of no meaning
 * after an error. */
SOS_MUST_USE sos_status sos_example_search(sos_example *x, const double w[], const sos_example_searching *searching,
                                           uint8_t labels[], sos_minimize_result *result, sos_error *error);

#endif
