/* thin.h - centre lines: what is left of a mask when its border is taken away again and again, as long as nothing breaks. */
#ifndef S3SVM_VISION_THIN_H
#define S3SVM_VISION_THIN_H

#include <stddef.h>
#include <stdint.h>

#include <sos/status.h>

/* Thins a mask of 0 and 1 in place, to lines one pixel wide that touch along sides and corners.  A pixel goes if it is on the
 * border, simple - its going changes neither the number of parts nor that of holes - and no end of a line; from above, below,
 * left and right in turns, so that what stays is in the middle.  O(widest) passes over the picture. */
SOS_MUST_USE sos_status s3svm_thin(size_t width, size_t height, uint8_t mask[], sos_error *error);

/* Of the 8 neighbours of a pixel as bits, clockwise from the one above: whether the pixel is simple; and how many there are. */
int s3svm_thin_simple(unsigned neighbours);

/* The neighbours of a pixel as such bits; beyond the border there are none. */
unsigned s3svm_thin_neighbours(size_t width, size_t height, const uint8_t mask[], size_t pixel);

#endif
