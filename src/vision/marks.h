/* marks.h - marks and labels of a photograph, checked. */
#ifndef S3SVM_VISION_MARKS_H
#define S3SVM_VISION_MARKS_H

#include <s3svm/marks.h>

/* Whether there is a photograph of 3 channels. */
SOS_MUST_USE sos_status s3svm_photograph_check(const s3svm_image *photograph, sos_error *error);

/* Whether there are a photograph of 3 channels and marks of its size, all of them below end. */
SOS_MUST_USE sos_status s3svm_marks_check(const s3svm_image *photograph, const s3svm_image *marks, uint8_t end,
                                          sos_error *error);

/* Whether there are a photograph of 3 channels and labels 0 and 1 of its pixels. */
SOS_MUST_USE sos_status s3svm_labels_check(const s3svm_image *photograph, const uint8_t labels[], sos_error *error);

/* A mask of the pixels with this mark; returns how many there are. */
size_t s3svm_marks_mask(const s3svm_image *marks, uint8_t mark, uint8_t mask[]);

/* Whether nothing is marked in so many pixels side by side; by comparing bytes, much faster than pixel by pixel. */
bool s3svm_marks_are_none(size_t count, const uint8_t marks[]);

#endif
