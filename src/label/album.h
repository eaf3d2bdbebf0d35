/* album.h - all photographs of a folder with their true labels, in memory, and parts of them for training and testing. */
#ifndef S3SVM_LABEL_ALBUM_H
#define S3SVM_LABEL_ALBUM_H

#include "label/data.h"

typedef struct s3svm_label_album {
    size_t count;
    char **names; /* of the items */
    s3svm_labelled *pictures;
} s3svm_label_album;

/* Labels as given, or, where given is NULL, made for as many as the pictures of a folder have; unknown: the number of pixels
 * without a label, or -1. */
SOS_MUST_USE sos_status s3svm_label_names_find(const s3svm_label_names *given, const s3svm_dataset *d, int unknown,
                                               s3svm_label_names *out, sos_error *error);

/* wanted, if not NULL, says which photographs are read; the others stay empty. */
SOS_MUST_USE sos_status s3svm_label_album_read(const s3svm_dataset *d, const s3svm_label_names *names, const bool wanted[],
                                               s3svm_label_album *out, sos_error *error);
void s3svm_label_album_free(s3svm_label_album *a); /* leaves it empty; an empty one is fine */

/* Some photographs of an album, which they borrow from. */
typedef struct s3svm_label_selection {
    s3svm_label_pictures chosen; /* as those who learn take them */
    s3svm_image *pictures;
    const uint8_t **truths, **care;
} s3svm_label_selection;

/* The first count of an order, or, where order is NULL, of the album.  No photographs are fine. */
SOS_MUST_USE sos_status s3svm_label_selection_make(const s3svm_label_album *a, size_t labels, size_t count,
                                                   const size_t order[], s3svm_label_selection *out, sos_error *error);
void s3svm_label_selection_free(s3svm_label_selection *s); /* leaves it empty; an empty one is fine */

#endif
