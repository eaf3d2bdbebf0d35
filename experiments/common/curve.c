#include "experiments/common/curve.h"

#include <stdlib.h>

void s3svm_curve_free(s3svm_curve *c)
{
    free(c->points);
    *c = (s3svm_curve){ 0 };
}

void s3svm_curve_chart(s3svm_report *page, const s3svm_curve *c, double C, const char *title, const char *note)
{
    double *seconds = malloc(3 * (c->count ? c->count : 1) * sizeof *seconds);
    if (!seconds) {
        s3svm_report_no_memory(page, "a chart");
        return;
    }
    double *primal = seconds + c->count, *dual = primal + c->count;
    size_t count = 0;
    for (size_t i = 0; i < c->count; i++) {
        if (C > 0 && c->points[i].C != C) continue;
        seconds[count] = c->points[i].seconds;
        primal[count] = c->points[i].primal;
        dual[count++] = c->points[i].dual;
    }
    const s3svm_series series[] = { { .name = "primal", .count = count, .x = seconds, .y = primal },
                                    { .name = "dual", .count = count, .x = seconds, .y = dual } };
    s3svm_report_chart(page, &(s3svm_chart){ .title = title,
                                             .note = note,
                                             .x = { .name = "seconds", .zero = !(C > 0) },
                                             .y = { .name = "objective", .scale = S3SVM_SCALE_LOG },
                                             .count = 2,
                                             .series = series });
    free(seconds);
}
