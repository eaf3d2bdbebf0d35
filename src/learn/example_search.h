/* example_search.h - the most violated labelling of an example with several labels. */
#ifndef SOS_LEARN_EXAMPLE_SEARCH_H
#define SOS_LEARN_EXAMPLE_SEARCH_H

#include "learn/example.h"

/* As sos_train_settings has it. */
typedef struct sos_example_searching {
    size_t searches, exhaustive;
} sos_example_searching;

/* Whether the example has so many labellings at most, so that all are tried. */
bool sos_example_is_listed(const sos_example *x, size_t most);

/* The labelling of least loss-augmented energy that is found: the least one, where all are tried.  labels is of no meaning
 * after an error. */
SOS_MUST_USE sos_status sos_example_search(sos_example *x, const double w[], const sos_example_searching *searching,
                                           uint8_t labels[], sos_minimize_result *result, sos_error *error);

#endif
