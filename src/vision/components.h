/* components.h - connected parts of a picture of labels. */
#ifndef S3SVM_VISION_COMPONENTS_H
#define S3SVM_VISION_COMPONENTS_H

#include <stddef.h>
#include <stdint.h>

#include <sos/status.h>

/* Numbers the parts of pixels that have the same label and touch each other: along sides those of label 0, along sides and
 * corners those of other labels, so that a diagonal line is one part and does not let its surroundings through.  parts receives
 * a number for each pixel, 0 ... *count - 1 in the order of their first pixels.  Linear time (union of neighbours, then one
 * pass that numbers). */
SOS_MUST_USE sos_status s3svm_components(size_t width, size_t height, const uint8_t labels[], uint32_t parts[], size_t *count,
                                         sos_error *error);

#endif
