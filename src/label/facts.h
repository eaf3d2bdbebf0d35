/* facts.h - what a model for labels says about itself, in its facts "task", "features" and "labels". */
#ifndef SOS_LABEL_FACTS_H
#define SOS_LABEL_FACTS_H

#include "label/features.h"

SOS_MUST_USE sos_status sos_label_facts_set(sos_model *m, const sos_label_design *design, const sos_label_features *features,
                                            const sos_label_names *names, sos_error *error);

/* SOS_ERR_FORMAT, with the reason, if the facts are not those of a model for labels.  *features is to free. */
SOS_MUST_USE sos_status sos_label_features_read(const sos_model *m, sos_label_design *design, sos_label_features **features,
                                                sos_error *error);
SOS_MUST_USE sos_status sos_label_names_read(const sos_model *m, sos_label_names *names, sos_error *error);

#endif
