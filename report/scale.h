/* scale.h - the scale of an axis: from numbers to pixels. */
#ifndef S3SVM_REPORT_SCALE_H
#define S3SVM_REPORT_SCALE_H

#include "report/ticks.h"

typedef struct s3svm_chart_scale {
    bool log;
    double low, high;
    double from, to; /* where low and high are drawn */
    s3svm_ticks ticks;
    bool any; /* something to draw */
} s3svm_chart_scale;

/* Whether a number can be drawn on such a scale. */
bool s3svm_scale_has(double x, bool log);

/* Widens the range to hold x, if it can be drawn. */
void s3svm_scale_cover(s3svm_chart_scale *s, double x);

/* Fixes range and marks, of which there are at most so many; zero: shows 0; tight: marks within the range, otherwise the range
 * ends at marks. */
void s3svm_scale_finish(s3svm_chart_scale *s, bool zero, size_t most, bool tight);

/* Where a number, and a mark, is drawn. */
double s3svm_scale_place(const s3svm_chart_scale *s, double x);
double s3svm_scale_tick(const s3svm_chart_scale *s, size_t i);

#endif
