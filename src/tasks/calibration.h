/* calibration.h - from what a network says to log odds: numbers as z, and what can be told from them (<s3svm/maps.h>). */
#ifndef S3SVM_TASKS_CALIBRATION_H
#define S3SVM_TASKS_CALIBRATION_H

#include <s3svm/maps.h>

/* z of a number. */
double s3svm_numbers_z(s3svm_maps_numbers numbers, double x);

/* Whether maps have one channel, and numbers that are finite; number: of the picture, for messages, or SIZE_MAX. */
SOS_MUST_USE sos_status s3svm_evidence_check(const s3svm_maps *m, size_t number, sos_error *error);

#endif
