/* clicks_charts.c - what happens from click to click. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "experiments/segment/clicks_report.h"

/* One line for each method. */
typedef struct lines {
    const s3svm_clicks_results *results;
    size_t first; /* the click that lines begin with, from 0 */
    double *x, *y, *spread;
    s3svm_series series[S3SVM_CLICKS_METHODS_MAX];
} lines;

static bool lines_open(lines *l, s3svm_report *page, const s3svm_clicks_results *r, size_t first)
{
    const size_t n = r->method_count * r->plan.clicks;
    *l = (lines){ .results = r, .first = first, .x = calloc(3 * n, sizeof(double)) };
    if (!l->x) {
        s3svm_report_no_memory(page, "a chart");
        return false;
    }
    l->y = l->x + n;
    l->spread = l->y + n;
    return true;
}

/* What value says of each click, times a factor. */
static void lines_fill(lines *l, s3svm_clicks_value *value, double factor)
{
    const s3svm_clicks_results *r = l->results;
    const size_t clicks = r->plan.clicks;
    for (size_t m = 0; m < r->method_count; m++) {
        double *x = l->x + m * clicks, *y = l->y + m * clicks, *spread = l->spread + m * clicks;
        for (size_t k = l->first; k < clicks; k++) {
            const s3svm_clicks_mean mean = s3svm_clicks_average(r, m, value, k);
            x[k] = (double)(k + 1);
            y[k] = factor * mean.mean;
            spread[k] = factor * mean.standard_error;
        }
        l->series[m] = (s3svm_series){ .name = r->methods[m].name,
                                       .count = clicks - l->first,
                                       .x = x + l->first,
                                       .y = y + l->first,
                                       .spread = spread + l->first,
                                       .style = (int)(m % S3SVM_PALETTE) + 1 };
    }
}

static void lines_close(lines *l, s3svm_report *page, const char *title, const char *note, const char *axis, bool zero)
{
    const s3svm_chart chart = { .title = title,
                                .note = note,
                                .x = { .name = "clicks" },
                                .y = { .name = axis, .zero = zero },
                                .count = l->results->method_count,
                                .series = l->series };
    s3svm_report_chart(page, &chart);
    free(l->x);
}

/* The error within the last zone, 8 pixels. */
static double near_value(const s3svm_clicks_outcome *o, size_t click) { return o->scores[click].near[S3SVM_CLICKS_ZONES - 1]; }

/* Whether the last goal was reached so far, as clicks are counted. */
static double reached_value(const s3svm_clicks_outcome *o, size_t click)
{
    return o->reached[S3SVM_CLICKS_GOALS - 1] && o->needed[S3SVM_CLICKS_GOALS - 1] <= click + 1;
}

/* Clicks to 0.90 of the first method against those of another, photograph by photograph. */
static void scatter_chart(s3svm_report *page, const s3svm_clicks_results *r, size_t other)
{
    const size_t n = r->case_count;
    double *x = calloc(2 * n, sizeof *x);
    const char **names = calloc(n, sizeof *names);
    char title[300], across[200];
    for (size_t i = 0; i < n && x && names; i++) {
        x[i] = s3svm_clicks_needed(s3svm_clicks_outcome_at(r, i, other), S3SVM_CLICKS_GOALS - 1);
        x[n + i] = s3svm_clicks_needed(s3svm_clicks_outcome_at(r, i, 0), S3SVM_CLICKS_GOALS - 1);
        names[i] = r->data.items[r->cases[i].picture].name;
    }
    snprintf(title, sizeof title, "Clicks to %.2f, photograph by photograph", s3svm_clicks_goals[S3SVM_CLICKS_GOALS - 1]);
    snprintf(across, sizeof across, "%s, clicks", r->methods[other].name);
    if (x && names) {
        const s3svm_series series = {
            .name = r->methods[0].name, .kind = S3SVM_SERIES_POINTS, .count = n, .x = x, .y = x + n, .names = names
        };
        const s3svm_chart chart = { .title = title,
                                    .note = "Points below the line are photographs on which the first method needs fewer.",
                                    .x = { .name = across },
                                    .y = { .name = r->methods[0].name },
                                    .count = 1,
                                    .series = &series,
                                    .diagonal = true };
        s3svm_report_chart(page, &chart);
    } else {
        s3svm_report_no_memory(page, "a chart");
    }
    free(names);
    free(x);
}

void s3svm_clicks_charts(s3svm_report *page, const s3svm_clicks_results *r)
{
    lines l;
    if (lines_open(&l, page, r, 0)) {
        lines_fill(&l, s3svm_clicks_iou, 1);
        lines_close(&l, page, "Intersection over union against clicks", "Means over the photographs; bars are standard errors.",
                    "IoU", false);
    }
    if (lines_open(&l, page, r, 0)) {
        lines_fill(&l, reached_value, 100);
        for (size_t m = 0; m < r->method_count; m++) l.series[m].spread = NULL;
        lines_close(&l, page, "Photographs that have reached 0.90", "Counted from the first click that reached it.",
                    "photographs, %", true);
    }
    if (lines_open(&l, page, r, 0)) {
        lines_fill(&l, near_value, 100);
        lines_close(&l, page, "Error within 8 pixels of the outline", "Pixels that are not sure are left out.",
                    "wrong pixels, %", true);
    }
    if (r->plan.clicks > 1 && lines_open(&l, page, r, 1)) {
        lines_fill(&l, s3svm_clicks_harm, 100);
        lines_close(&l, page, "Harm",
                    "Right pixels, farther from a click than a tenth of the longer side, that the click made wrong.",
                    "of the right pixels, %", true);
    }
    for (size_t m = 1; m < r->method_count; m++) scatter_chart(page, r, m);
}
