/* tidy.h - removes specks, and parts of the object without a mark. */
#ifndef S3SVM_SEGMENT_TIDY_H
#define S3SVM_SEGMENT_TIDY_H

#include <s3svm/segmenter.h>

/* Pixels of one label side by side in a row; together runs are the picture, from left to right and from top to bottom. */
typedef struct s3svm_run {
    uint32_t first;  /* its first pixel; it ends where the next one begins */
    uint32_t parent; /* an earlier run of its part, or itself */
    uint32_t pixels; /* of the part, in its first run */
    bool marked;     /* a mark in the part says what it is, likewise */
} s3svm_run;

/* Room for runs; { 0 } has none. */
typedef struct s3svm_tidier {
    size_t room;
    s3svm_run *runs;
} s3svm_tidier;

void s3svm_tidier_free(s3svm_tidier *t);

/* Takes the room that labels need, so that tidying them cannot fail, now or later. */
SOS_MUST_USE sos_status s3svm_tidier_reserve(s3svm_tidier *t, size_t width, size_t height, const uint8_t labels[],
                                             sos_error *error);

/* Tidies labels 0 and 1 of a picture of marks; returns how many changed.  Linear time; where runs are long, little more than
 * reading the labels takes. */
size_t s3svm_tidier_tidy(s3svm_tidier *t, const s3svm_tidying *tidying, const s3svm_image *marks, uint8_t labels[]);

#endif
