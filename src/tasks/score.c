#include "tasks/score.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

s3svm_score s3svm_score_of(size_t n, const uint8_t labels[], const uint8_t truth[], const uint8_t care[])
{
    s3svm_score s = { 0 };
    for (size_t i = 0; i < n; i++) {
        if (care && !care[i]) continue;
        s.pixels++;
        s.missed += truth[i] && !labels[i];
        s.extra += !truth[i] && labels[i];
        s.found += truth[i] && labels[i];
    }
    return s;
}

double s3svm_score_error(const s3svm_score *s) { return s->pixels ? (double)(s->missed + s->extra) / (double)s->pixels : NAN; }

double s3svm_score_iou(const s3svm_score *s)
{
    const size_t either = s->found + s->missed + s->extra;
    return either ? (double)s->found / (double)either : 1;
}

sos_status s3svm_score_sizes(const s3svm_image *labels, const s3svm_image *truth, const char *path, sos_error *error)
{
    if (labels->width == truth->width && labels->height == truth->height) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "'%.300s' has %zu by %zu pixels, its result %zu by %zu", path, truth->width,
                    truth->height, labels->width, labels->height);
}

/* The share of pixels off the diagonal. */
static double error_of(const s3svm_confusion *c)
{
    const double wrong = c->counts[1] + c->counts[2], all = c->counts[0] + c->counts[3] + wrong;
    return all > 0 ? wrong / all : 0;
}

sos_status s3svm_score_judge(size_t n, const uint8_t labels[], const uint8_t truth[], const uint8_t care[],
                             s3svm_confusion *counts, s3svm_task_score *score, sos_error *error)
{
    const sos_status status = s3svm_confusion_create(2, counts, error);
    if (status) return status;
    const s3svm_score all = s3svm_score_of(n, labels, truth, NULL);
    s3svm_confusion_add(counts, n, labels, truth, care);
    *score = (s3svm_task_score){ .error = s3svm_score_error(&all),
                                 .iou = s3svm_score_iou(&all),
                                 .extra = care ? error_of(counts) : NAN };
    return SOS_OK;
}
