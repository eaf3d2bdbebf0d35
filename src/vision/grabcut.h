/* grabcut.h - what GrabCut leaves behind besides labels. */
#ifndef S3SVM_VISION_GRABCUT_H
#define S3SVM_VISION_GRABCUT_H

#include <s3svm/grabcut.h>

#include "vision/mixture.h"

/* s3svm_grabcut.  mixtures, if not NULL, receives those of the last cut, background first, the caller's to free; empty ones
 * where one_sided. */
SOS_MUST_USE sos_status s3svm_grabcut_mixtures(const s3svm_image *photograph, s3svm_image *marks,
                                               const s3svm_grabcut_settings *settings, s3svm_mixture mixtures[2],
                                               s3svm_grabcut_result *result, sos_error *error);

#endif
