/* facts.h - the facts "task", "features" and "labels" of a model for labels. */
#ifndef S3SVM_LABEL_FACTS_H
#define S3SVM_LABEL_FACTS_H

#include "label/features.h"

SOS_MUST_USE sos_status s3svm_label_facts_set(sos_model *m, const s3svm_label_design *design,
                                              const s3svm_label_features *features, const s3svm_label_names *names,
                                              sos_error *error);

/* SOS_ERR_FORMAT, with the reason, if the facts are not those of a model for labels.  *features is to free. */
SOS_MUST_USE sos_status s3svm_label_features_read(const sos_model *m, s3svm_label_design *design,
                                                  s3svm_label_features **features, sos_error *error);
SOS_MUST_USE sos_status s3svm_label_names_read(const sos_model *m, s3svm_label_names *names, sos_error *error);

#endif
