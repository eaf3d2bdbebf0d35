/* clicks_report.h - parts of the page about clicks; for clicks*.c only. */
#ifndef S3SVM_EXPERIMENTS_SEGMENT_CLICKS_REPORT_H
#define S3SVM_EXPERIMENTS_SEGMENT_CLICKS_REPORT_H

#include "experiments/segment/clicks.h"
#include "report/report.h"

void s3svm_clicks_charts(s3svm_report *page, const s3svm_clicks_results *r); /* against the number of clicks */
void s3svm_clicks_films(s3svm_report *page, const s3svm_clicks_results *r);

/* After what labels are judged: the last click, the data set's scribbles, boxes, two strokes. */
typedef enum s3svm_clicks_moment {
    S3SVM_CLICKS_LAST,
    S3SVM_CLICKS_SCRIBBLES,
    S3SVM_CLICKS_BOX,
    S3SVM_CLICKS_HURRIED,
    S3SVM_CLICKS_MOMENTS
} s3svm_clicks_moment;

extern const char *const s3svm_clicks_moments[S3SVM_CLICKS_MOMENTS]; /* for programs */

/* A number of a score after a moment: 0 IoU, 1 error, then the zones. */
enum { S3SVM_CLICKS_NUMBERS = 2 + S3SVM_CLICKS_ZONES };
s3svm_clicks_mean s3svm_clicks_moment_mean(const s3svm_clicks_results *r, size_t method, s3svm_clicks_moment moment,
                                           size_t number);

#endif
