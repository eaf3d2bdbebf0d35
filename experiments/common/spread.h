/* spread.h - means and standard deviations. */
#ifndef S3SVM_EXPERIMENTS_COMMON_SPREAD_H
#define S3SVM_EXPERIMENTS_COMMON_SPREAD_H

#include <stddef.h>

/* Mean and standard deviation (with n - 1) of numbers; NaN where there are too few. */
double s3svm_mean(size_t count, const double x[]);
double s3svm_deviation(size_t count, const double x[]);

/* Both. */
typedef struct s3svm_spread {
    double mean, deviation;
} s3svm_spread;

/* Of count numbers that value gives; of doubles that stand so many bytes apart. */
typedef double s3svm_value_of(const void *data, size_t i);
s3svm_spread s3svm_spread_of(size_t count, s3svm_value_of *value, const void *data);
s3svm_spread s3svm_spread_of_members(size_t count, const void *first, size_t stride);

/* A share in per cent, for terminals: "1.23 +- 0.04", without a deviation where there is none. */
enum { S3SVM_SPREAD_TEXT = 40 };
const char *s3svm_spread_text(s3svm_spread s, char text[S3SVM_SPREAD_TEXT]);

#endif
