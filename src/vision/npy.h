/* npy.h - numbers for each pixel, as other programs make them: arrays of height x width x channels in NumPy's format .npy
 * (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html), of float32 or float64, in either order of bytes and
 * of axes.
 *
 * Nothing in a file is believed: sizes are checked before memory is taken, and every number must be finite as a float. */
#ifndef S3SVM_VISION_NPY_H
#define S3SVM_VISION_NPY_H

#include <stddef.h>

#include <s3svm/maps.h>

SOS_MUST_USE sos_status s3svm_npy_parse(const void *bytes, size_t length, const char *name, s3svm_maps *out, sos_error *error);

/* Height, width and channels as the file's header says, without its numbers. */
SOS_MUST_USE sos_status s3svm_npy_probe(const char *path, size_t *width, size_t *height, size_t *channels, sos_error *error);

#endif
