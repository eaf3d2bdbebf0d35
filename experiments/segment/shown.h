/* shown.h - photographs as large as a page shows them, with labels and marks. */
#ifndef S3SVM_EXPERIMENTS_SEGMENT_SHOWN_H
#define S3SVM_EXPERIMENTS_SEGMENT_SHOWN_H

#include "report/report.h"

/* A photograph reduced to the width of the page's columns, and room for what belongs to its pixels. */
typedef struct s3svm_shown {
    s3svm_image picture;
    size_t full_width, full_height;
    uint8_t *labels;
    s3svm_image marks;
} s3svm_shown;

SOS_MUST_USE sos_status s3svm_shown_create(const s3svm_image *photograph, s3svm_shown *out, sos_error *error);
void s3svm_shown_free(s3svm_shown *s); /* leaves it empty */

/* Shows it with labels at full size, its background dimmed, or without any; and with marks, unless they are NULL.  said stands
 * below. */
void s3svm_shown_overlay(s3svm_report *page, s3svm_shown *s, const uint8_t labels[], const s3svm_image *marks,
                         const char *said);

/* What may be shown, and how much it is worth to be. */
typedef struct s3svm_shown_candidate {
    size_t number;
    double worth;
    bool taken;
} s3svm_shown_candidate;

/* Those of most worth first, those of as much by their numbers. */
void s3svm_shown_order(size_t count, s3svm_shown_candidate list[]);

#endif
