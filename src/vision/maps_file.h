/* maps_file.h - files of maps of either kind: numbers in .npy, and probabilities in PNG. */
#ifndef S3SVM_VISION_MAPS_FILE_H
#define S3SVM_VISION_MAPS_FILE_H

#include <stddef.h>

#include <s3svm/maps.h>

/* Log odds of a probability that is given times 255. */
double s3svm_maps_byte_odds(double byte);

/* Width, height and channels, by the head of the file. */
SOS_MUST_USE sos_status s3svm_maps_probe(const char *path, size_t *width, size_t *height, size_t *channels, sos_error *error);

#endif
