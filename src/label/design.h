/* design.h - what the energy of a model for labels is made of. */
#ifndef SOS_LABEL_DESIGN_H
#define SOS_LABEL_DESIGN_H

#include <s3svm/label.h>

/* SOS_ERR_ARGUMENT: there can be no such model. */
SOS_MUST_USE sos_status sos_label_design_check(const sos_label_design *d, sos_error *error);

/* Whether it is the usual one of its kind. */
bool sos_label_design_is_usual(const sos_label_design *d);

#endif
