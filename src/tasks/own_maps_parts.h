/* own_maps_parts.h - what the files own_maps*.c share. */
#ifndef S3SVM_TASKS_OWN_MAPS_PARTS_H
#define S3SVM_TASKS_OWN_MAPS_PARTS_H

#include "tasks/own_maps.h"

enum { S3SVM_OWN_MAPS_KNOTS_MAX = 64 }; /* of a channel */

/* With room for what its kind needs; m says how many labels there are. */
SOS_MUST_USE sos_status s3svm_own_maps_create(const sos_model *m, s3svm_maps_kind kind, size_t channels, uint32_t group,
                                              s3svm_own_maps *out, sos_error *error);

/* Adds the fact and the group to a model, which is as it was after a failure. */
SOS_MUST_USE sos_status s3svm_own_maps_add(const s3svm_own_maps *o, sos_model *m, sos_error *error);

SOS_MUST_USE sos_status s3svm_own_maps_odds_check(size_t channels, size_t labels, sos_error *error);

#endif
