/* score.h - how well labels agree with the truth. */
#ifndef S3SVM_TASKS_SCORE_H
#define S3SVM_TASKS_SCORE_H

#include <stddef.h>
#include <stdint.h>

#include <s3svm/task.h>

/* Of two labels, 1 being the object: over one picture or, added up, over many. */
typedef struct s3svm_score {
    size_t pixels;
    size_t missed, extra; /* object called background, and the other way round */
    size_t found;         /* object called object */
} s3svm_score;

/* care NULL: of all pixels, else of those where it is not 0. */
s3svm_score s3svm_score_of(size_t n, const uint8_t labels[], const uint8_t truth[], const uint8_t care[]);

double s3svm_score_error(const s3svm_score *s); /* fraction of wrong pixels */
double s3svm_score_iou(const s3svm_score *s);   /* intersection of result and truth over their union; 1 where both are empty */

/* Whether labels have the size of the truth, which path names: SOS_ERR_ARGUMENT if not. */
SOS_MUST_USE sos_status s3svm_score_sizes(const s3svm_image *labels, const s3svm_image *truth, const char *path,
                                          sos_error *error);

/* Judges two labels: error and iou over all pixels; the extra score is the error over those whose care is not 0, which are also
 * those that counts has (care NULL: all, and no extra score). */
SOS_MUST_USE sos_status s3svm_score_judge(size_t n, const uint8_t labels[], const uint8_t truth[], const uint8_t care[],
                                          s3svm_confusion *counts, s3svm_task_score *score, sos_error *error);

#endif
