/* ticks.h - where an axis is marked: at round numbers, 1, 2 or 5 times powers of ten. */
#ifndef S3SVM_REPORT_TICKS_H
#define S3SVM_REPORT_TICKS_H

#include <stddef.h>

#include "report/text.h"

/* Rising; mark i stands at digits[i] * 10^exponent[i]. */
enum { S3SVM_TICKS_LEAST = 5, S3SVM_TICKS_MOST = 24 };
typedef struct s3svm_ticks {
    size_t count;
    long long digits[S3SVM_TICKS_MOST + 2];
    int exponent[S3SVM_TICKS_MOST + 2];
} s3svm_ticks;

/* All multiples within low ... high of the least step 1, 2 or 5 times a power of ten that has at most most of them there, which
 * are two or more.  low < high, both at most 1e300 in size, and apart by a millionth of that at least;
 * S3SVM_TICKS_LEAST <= most <= S3SVM_TICKS_MOST. */
void s3svm_ticks_linear(double low, double high, size_t most, s3svm_ticks *ticks);

/* The same step; low and high move outwards to the next multiples. */
void s3svm_ticks_around(double *low, double *high, size_t most, s3svm_ticks *ticks);

/* 1, 2 and 5 times powers of ten within low ... high, if these are at most most; else powers of ten; else every second, fifth,
 * tenth, ... of these.  Where only one or none would be left, as for s3svm_ticks_linear.  1e-300 <= low < high <= 1e300. */
void s3svm_ticks_log(double low, double high, size_t most, s3svm_ticks *ticks);

double s3svm_ticks_value(const s3svm_ticks *ticks, size_t i);

/* Plain with as many decimals as the exponent asks for, or as by s3svm_number_text where that would be long. */
const char *s3svm_ticks_text(const s3svm_ticks *ticks, size_t i, char text[S3SVM_NUMBER_TEXT]);

#endif
