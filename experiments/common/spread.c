#include "experiments/common/spread.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

s3svm_spread s3svm_spread_of(size_t count, s3svm_value_of *value, const void *data)
{
    s3svm_spread s = { NAN, NAN };
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) sum += value(data, i);
    if (count) s.mean = sum / (double)count;
    for (size_t i = 0; i < count; i++) {
        const double x = value(data, i) - s.mean;
        squares += x * x;
    }
    if (count > 1) s.deviation = sqrt(squares / (double)(count - 1));
    return s;
}

typedef struct members {
    const char *first;
    size_t stride;
} members;

static double member(const void *data, size_t i)
{
    const members *m = data;
    double x;
    memcpy(&x, m->first + i * m->stride, sizeof x);
    return x;
}

s3svm_spread s3svm_spread_of_members(size_t count, const void *first, size_t stride)
{
    return s3svm_spread_of(count, member, &(members){ first, stride });
}

double s3svm_mean(size_t count, const double x[]) { return s3svm_spread_of_members(count, x, sizeof *x).mean; }
double s3svm_deviation(size_t count, const double x[]) { return s3svm_spread_of_members(count, x, sizeof *x).deviation; }

const char *s3svm_spread_text(s3svm_spread s, char text[S3SVM_SPREAD_TEXT])
{
    snprintf(text, S3SVM_SPREAD_TEXT, isfinite(s.deviation) ? "%.2f +- %.2f" : "%.2f", 100 * s.mean, 100 * s.deviation);
    return text;
}
