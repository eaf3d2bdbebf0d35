/* confusion.c - confusion matrices, and scores computed from them. */
#include <s3svm/confusion.h>

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

sos_status s3svm_confusion_create(size_t labels, s3svm_confusion *out, sos_error *error)
{
    double *counts = calloc(labels * labels, sizeof *counts);
    if (!counts) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the scores of %zu labels", labels);
    *out = (s3svm_confusion){ .labels = labels, .counts = counts };
    return SOS_OK;
}

void s3svm_confusion_free(s3svm_confusion *c)
{
    free(c->counts);
    *c = (s3svm_confusion){ 0 };
}

void s3svm_confusion_add(s3svm_confusion *c, size_t n, const uint8_t labels[], const uint8_t truth[], const uint8_t care[])
{
    for (size_t i = 0; i < n; i++)
        if (!care || care[i]) c->counts[truth[i] * c->labels + labels[i]]++;
}

static double row_sum(const s3svm_confusion *c, size_t label)
{
    double sum = 0;
    for (size_t l = 0; l < c->labels; l++) sum += c->counts[label * c->labels + l];
    return sum;
}

double s3svm_confusion_accuracy(const s3svm_confusion *c)
{
    double right = 0, all = 0;
    for (size_t l = 0; l < c->labels; l++) {
        right += c->counts[l * c->labels + l];
        all += row_sum(c, l);
    }
    return all > 0 ? right / all : NAN;
}

double s3svm_confusion_of(const s3svm_confusion *c, size_t label)
{
    const double all = row_sum(c, label);
    return all > 0 ? c->counts[label * c->labels + label] / all : NAN;
}

double s3svm_confusion_iou(const s3svm_confusion *c, size_t label)
{
    double either = row_sum(c, label) - c->counts[label * c->labels + label];
    for (size_t t = 0; t < c->labels; t++) either += c->counts[t * c->labels + label];
    return either > 0 ? c->counts[label * c->labels + label] / either : NAN;
}

static double mean_over(const s3svm_confusion *c, double (*of)(const s3svm_confusion *, size_t))
{
    double sum = 0;
    size_t count = 0;
    for (size_t l = 0; l < c->labels; l++) {
        const double x = of(c, l);
        if (isnan(x)) continue;
        sum += x;
        count++;
    }
    return count ? sum / (double)count : NAN;
}

double s3svm_confusion_mean(const s3svm_confusion *c) { return mean_over(c, s3svm_confusion_of); }
double s3svm_confusion_mean_iou(const s3svm_confusion *c) { return mean_over(c, s3svm_confusion_iou); }
