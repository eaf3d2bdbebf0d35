/* design.h - what the energy of a model for labels is made of. */
#ifndef SOS_LABEL_DESIGN_H
#define SOS_LABEL_DESIGN_H

#include <s3svm/label.h>

/* SOS_ERR_ARGUMENT: there can be no such model. */
SOS_MUST_USE sos_status sos_label_design_check(const sos_label_design *d, sos_error *error);

/* Whether it is the usual one of its kind. */
bool sos_label_design_is_usual(const sos_label_design *d);

/* What it has besides unaries: pairs, tables over patches, robust P^n or learned functions of the count over superpixels. */
bool sos_label_has_pairs(const sos_label_design *d);
bool sos_label_has_tables(const sos_label_design *d);
bool sos_label_has_robust(const sos_label_design *d);
bool sos_label_has_counts(const sos_label_design *d);

#endif
