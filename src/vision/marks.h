/* marks.h - marks and labels of a photograph, checked. */
#ifndef SOS_VISION_MARKS_H
#define SOS_VISION_MARKS_H

#include <s3svm/marks.h>

/* Whether there is a photograph of 3 channels. */
SOS_MUST_USE sos_status sos_photograph_check(const sos_image *photograph, sos_error *error);

/* Whether there are a photograph of 3 channels and marks of its size, all of them below end. */
SOS_MUST_USE sos_status sos_marks_check(const sos_image *photograph, const sos_image *marks, uint8_t end, sos_error *error);

/* Whether there are a photograph of 3 channels and labels 0 and 1 of its pixels. */
SOS_MUST_USE sos_status sos_labels_check(const sos_image *photograph, const uint8_t labels[], sos_error *error);

/* A mask of the pixels with this mark; returns how many there are. */
size_t sos_marks_mask(const sos_image *marks, uint8_t mark, uint8_t mask[]);

#endif
