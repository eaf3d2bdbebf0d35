/* curve.h - the learning curve of a training. */
#ifndef S3SVM_EXPERIMENTS_COMMON_CURVE_H
#define S3SVM_EXPERIMENTS_COMMON_CURVE_H

#include "report/report.h"

typedef struct s3svm_curve_point {
    double C, seconds, primal, dual;
} s3svm_curve_point;

typedef struct s3svm_curve {
    size_t count, room;
    s3svm_curve_point *points;
} s3svm_curve;

void s3svm_curve_free(s3svm_curve *c); /* leaves it empty; an empty one is fine */

/* Bounds against seconds: all points, or with C > 0 those of this C. */
void s3svm_curve_chart(s3svm_report *page, const s3svm_curve *c, double C, const char *title, const char *note);

#endif
