/* split.h - random splits of pictures into training, validation and test parts. */
#ifndef S3SVM_TASKS_SPLIT_H
#define S3SVM_TASKS_SPLIT_H

#include <stddef.h>

#include <sos/status.h>

enum { S3SVM_SPLITS_MAX = 1000 };

/* SOS_ERR_ARGUMENT unless there can be so many. */
SOS_MUST_USE sos_status s3svm_splits_check(size_t splits, sos_error *error);

/* How many pictures of a split are for what. */
typedef struct s3svm_parts {
    size_t train, validation, test;
} s3svm_parts;

/* Leaves to test on what is not to learn from or to choose by; SOS_ERR_ARGUMENT where nothing is left, or nothing to learn
 * from.  validation 0: nothing is chosen. */
SOS_MUST_USE sos_status s3svm_parts_find(size_t images, size_t train, size_t validation, s3svm_parts *out, sos_error *error);

/* The same for numbers of which 0 says: as usual.  That is a half and a quarter; the paper has 75, 38 and 38 of 151. */
SOS_MUST_USE sos_status s3svm_parts_usual(size_t images, size_t train, size_t validation, s3svm_parts *out, sos_error *error);

/* Items of so many bytes, count of them in this order, to free; NULL: no memory. */
void *s3svm_items_picked(const void *items, size_t size, size_t count, const size_t order[]);

#endif
