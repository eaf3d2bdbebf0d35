/* data.h - photographs whose pixels have one of several labels: from files, and as pictures for people. */
#ifndef SOS_LABEL_DATA_H
#define SOS_LABEL_DATA_H

#include <s3svm/confusion.h>
#include <s3svm/dataset.h>
#include <s3svm/label.h>

/* A photograph, 3 channels, and its true labels. */
typedef struct sos_labelled {
    sos_image picture;
    uint8_t *truth; /* 0 where no label is known; or NULL */
    uint8_t *care;  /* 0: not known; NULL: all are */
} sos_labelled;

/* The true labels of an item as numbers in a picture: grey values or palette indices, each below count or the one that is
 * unknown. */
SOS_MUST_USE sos_status sos_label_truth_read(const sos_item *item, size_t count, int unknown, sos_image *out, sos_error *error);

/* Reads an item, with its labels. */
SOS_MUST_USE sos_status sos_labelled_read(const sos_item *item, size_t count, int unknown, sos_labelled *out, sos_error *error);
void sos_labelled_free(sos_labelled *p); /* leaves it empty; an empty one is fine */

/* How many labels the pictures of a folder have: 1 + the greatest number that is not the unknown one. */
SOS_MUST_USE sos_status sos_label_count(const sos_dataset *d, int unknown, size_t *count, sos_error *error);

/* What was called what, against the true labels of an item; *out is to free. */
SOS_MUST_USE sos_status sos_label_judge(const sos_label_names *names, const sos_item *item, const sos_image *labels,
                                        sos_confusion *out, sos_error *error);

/* Labels as colours. */
SOS_MUST_USE sos_status sos_label_paint(const sos_label_names *names, size_t width, size_t height, const uint8_t labels[],
                                        const uint8_t care[], sos_image *out, sos_error *error);

#endif
