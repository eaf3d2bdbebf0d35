/* data.h - reads photographs with several labels, and writes labels as coloured pictures. */
#ifndef S3SVM_LABEL_DATA_H
#define S3SVM_LABEL_DATA_H

#include <s3svm/confusion.h>
#include <s3svm/dataset.h>
#include <s3svm/label.h>

/* A photograph, 3 channels, and its true labels. */
typedef struct s3svm_labelled {
    s3svm_image picture;
    uint8_t *truth; /* 0 where no label is known; or NULL */
    uint8_t *care;  /* 0: not known; NULL: all are */
} s3svm_labelled;

/* The truth of a picture of numbers, grey values or palette indices, each below count or the one that is unknown.  *truth and
 * *care, which is NULL where all labels are known, are to free. */
SOS_MUST_USE sos_status s3svm_label_truth_decode(const s3svm_image *labels, const char *name, size_t count, int unknown,
                                                 uint8_t **truth, uint8_t **care, sos_error *error);

/* Reads an item, with its labels. */
SOS_MUST_USE sos_status s3svm_labelled_read(const s3svm_item *item, size_t count, int unknown, s3svm_labelled *out,
                                            sos_error *error);
void s3svm_labelled_free(s3svm_labelled *p); /* leaves it empty; an empty one is fine */

/* How many labels the pictures of a folder have: 1 + the greatest number that is not the unknown one. */
SOS_MUST_USE sos_status s3svm_label_count(const s3svm_dataset *d, int unknown, size_t *count, sos_error *error);

/* The same of pictures whose pixels of each number have been counted; data names them. */
enum { S3SVM_LABEL_NUMBERS = 256 };
void s3svm_label_numbers_count(const s3svm_image *labels, size_t counts[S3SVM_LABEL_NUMBERS]); /* adds */
SOS_MUST_USE sos_status s3svm_label_count_of(const size_t counts[S3SVM_LABEL_NUMBERS], int unknown, const char *data,
                                             size_t *count, sos_error *error);

/* What was called what, against the true labels of an item; *out is to free. */
SOS_MUST_USE sos_status s3svm_label_judge(const s3svm_label_names *names, const s3svm_item *item, const s3svm_image *labels,
                                          s3svm_confusion *out, sos_error *error);

/* Labels as colours. */
SOS_MUST_USE sos_status s3svm_label_paint(const s3svm_label_names *names, size_t width, size_t height, const uint8_t labels[],
                                          const uint8_t care[], s3svm_image *out, sos_error *error);

#endif
