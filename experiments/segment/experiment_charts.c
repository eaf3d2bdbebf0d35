/* experiment_charts.c - errors image by image, the choice of C, and how trainings went. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/edge.h"
#include "experiments/segment/experiment_report.h"

static double *room(s3svm_report *page, size_t count)
{
    double *numbers = malloc((count ? count : 1) * sizeof *numbers);
    if (!numbers) s3svm_report_no_memory(page, "a chart");
    return numbers;
}

/* The same look in all charts. */
static int style_of(size_t contender) { return (int)contender + 1; }

/* ---------------------------------------------------------------- image by image */

/* Errors in per cent of all test images of all splits. */
static void errors_list(const s3svm_segment_results *r, size_t contender, double errors[])
{
    for (size_t split = 0; split < r->splits; split++)
        for (size_t i = 0; i < r->test; i++) *errors++ = 100 * s3svm_segment_outcome_at(r, split, contender)->judged[i].error;
}

static size_t better_count(size_t count, const double x[], const double y[])
{
    size_t better = 0;
    for (size_t i = 0; i < count; i++) better += y[i] < x[i];
    return better;
}

static void scatter_draw(s3svm_report *page, const s3svm_segment_results *r, size_t contender, const char *const names[],
                         double x[], double y[])
{
    const size_t count = r->splits * r->test;
    char title[120], note[240], axis[80];
    errors_list(r, S3SVM_CONTENDER_GRABCUT, x);
    errors_list(r, contender, y);
    const size_t better = better_count(count, x, y), worse = better_count(count, y, x);
    snprintf(title, sizeof title, "%s against GrabCut", s3svm_contender_names[contender]);
    snprintf(axis, sizeof axis, "%s: wrong pixels, %%", s3svm_contender_names[contender]);
    snprintf(note, sizeof note,
             "A point for each test image of each split. Below the line, as %zu of %zu are, the model is better than "
             "GrabCut; %zu lie above it.",
             better, count, worse);
    const s3svm_series series = { .name = "test images",
                                  .kind = S3SVM_SERIES_POINTS,
                                  .count = count,
                                  .x = x,
                                  .y = y,
                                  .names = names,
                                  .style = style_of(contender) };
    s3svm_report_chart(page, &(s3svm_chart){ .title = title,
                                             .note = note,
                                             .x = { .name = "GrabCut: wrong pixels, %", .zero = true },
                                             .y = { .name = axis, .zero = true },
                                             .count = 1,
                                             .series = &series,
                                             .diagonal = true });
}

static void scatters(s3svm_report *page, const s3svm_segment_results *r)
{
    static const size_t shown[] = { S3SVM_CONTENDER_FULL, S3SVM_CONTENDER_S3SVM };
    const size_t count = r->splits * r->test;
    double *numbers = room(page, 2 * count);
    const char **names = malloc((count ? count : 1) * sizeof *names);
    for (size_t i = 0; names && i < count; i++) {
        const s3svm_segment_outcome *o = s3svm_segment_outcome_at(r, i / r->test, S3SVM_CONTENDER_GRABCUT);
        names[i] = r->names[o->judged[i % r->test].picture];
    }
    for (size_t k = 0; numbers && names && k < 2; k++)
        if (r->plan.contends[shown[k]]) scatter_draw(page, r, shown[k], names, numbers, numbers + count);
    free(numbers);
    free(names);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* How much of all errors the fifth of the images with the largest has; errors ascend. */
static double heavy_share(size_t count, const double errors[])
{
    double all = 0, heavy = 0;
    for (size_t i = 0; i < count; i++) {
        all += errors[i];
        if (i >= count - count / 5) heavy += errors[i];
    }
    return all > 0 ? heavy / all : 0;
}

enum { FEW_IMAGES = 20 }; /* a fifth of fewer says nothing */

static void sorted_chart(s3svm_report *page, const s3svm_segment_results *r)
{
    const size_t count = r->splits * r->test;
    double *x = room(page, (S3SVM_CONTENDERS + 1) * count);
    s3svm_series series[S3SVM_CONTENDERS];
    size_t lines = 0;
    char note[240];
    if (!x) return;
    for (size_t i = 0; i < count; i++) x[i] = 100 * ((double)i + 0.5) / (double)count;
    for (size_t c = 0; c < S3SVM_CONTENDERS; c++) {
        if (!r->plan.contends[c]) continue;
        double *y = x + (lines + 1) * count;
        errors_list(r, c, y);
        qsort(y, count, sizeof *y, ascending);
        series[lines++] = (s3svm_series){
            .name = s3svm_contender_names[c], .count = count, .x = x, .y = y, .style = style_of(c)
        };
    }
    const double *last = x + lines * count;
    const int length = snprintf(note, sizeof note,
                                "The test images of all splits, sorted for each method from its best to its worst.");
    if (count >= FEW_IMAGES)
        snprintf(note + length, sizeof note - (size_t)length, " Of all errors of %s, %.0f %% are in a fifth of the images.",
                 series[lines - 1].name, 100 * heavy_share(count, last));
    s3svm_report_chart(page, &(s3svm_chart){ .title = "Images from best to worst",
                                             .note = note,
                                             .x = { .name = "images, %", .zero = true },
                                             .y = { .name = "wrong pixels, %", .zero = true },
                                             .count = lines,
                                             .series = series,
                                             .wide = true });
    free(x);
}

void s3svm_segment_error_charts(s3svm_report *page, const s3svm_segment_results *r)
{
    if (r->plan.contends[S3SVM_CONTENDER_GRABCUT]) scatters(page, r);
    sorted_chart(page, r);
}

/* ---------------------------------------------------------------- training */

static s3svm_spread validation_spread(const s3svm_segment_results *r, size_t contender, size_t value)
{
    return s3svm_segment_spread(r, contender,
                                offsetof(s3svm_segment_outcome, trained) + value * sizeof(s3svm_segment_trained) +
                                    offsetof(s3svm_segment_trained, validation));
}

/* Splits that choose C. */
static size_t choices(const s3svm_segment_results *r) { return r->plan.choose_once ? 1 : r->splits; }

static const char *edge_of(const s3svm_segment_outcome *o) { return sos_edge(o->best, o->values); }

/* How often the C that was chosen is the first or the last of those tried. */
static size_t edges_count(const s3svm_segment_results *r)
{
    size_t count = 0;
    for (size_t c = S3SVM_CONTENDER_AMN; c < S3SVM_CONTENDERS; c++)
        for (size_t i = 0; r->plan.contends[c] && i < choices(r); i++)
            count += edge_of(s3svm_segment_outcome_at(r, i, c)) != NULL;
    return count;
}

static void choice_chart(s3svm_report *page, const s3svm_segment_results *r)
{
    double x[S3SVM_CONTENDERS][S3SVM_SEGMENT_TRIED], y[S3SVM_CONTENDERS][S3SVM_SEGMENT_TRIED],
        spread[S3SVM_CONTENDERS][S3SVM_SEGMENT_TRIED];
    s3svm_series series[S3SVM_CONTENDERS];
    size_t lines = 0;
    for (size_t c = 0; c < S3SVM_CONTENDERS; c++) {
        if (!r->plan.contends[c] || c == S3SVM_CONTENDER_GRABCUT) continue;
        const s3svm_segment_outcome *first = s3svm_segment_outcome_at(r, 0, c);
        for (size_t i = 0; i < first->values; i++) {
            x[c][i] = first->trained[i].C;
            const s3svm_spread error = choices(r) > 1 ? validation_spread(r, c, i)
                                                      : (s3svm_spread){ .mean = first->trained[i].validation };
            y[c][i] = 100 * error.mean;
            spread[c][i] = 100 * error.deviation;
        }
        series[lines++] = (s3svm_series){ .name = s3svm_contender_names[c],
                                          .count = first->values,
                                          .x = x[c],
                                          .y = y[c],
                                          .spread = choices(r) > 1 ? spread[c] : NULL,
                                          .style = style_of(c) };
    }
    const size_t edges = edges_count(r);
    char note[300];
    const int length = snprintf(note, sizeof note, "%s",
                                choices(r) > 1
                                    ? "Means over the splits; bars are one standard deviation. Each split chooses the "
                                      "C with its own least error."
                                : r->splits > 1 ? "The C with the least error on the first split is chosen for all."
                                                : "The C with the least error is chosen.");
    if (edges)
        snprintf(note + length, sizeof note - (size_t)length,
                 " In %zu of %zu choices the best C was the smallest or the largest one tried: a value beyond may "
                 "be better.",
                 edges, lines * choices(r));
    s3svm_report_chart(page, &(s3svm_chart){ .title = "Error on validation images against C",
                                             .note = note,
                                             .x = { .name = "C", .scale = S3SVM_SCALE_LOG },
                                             .y = { .name = "wrong pixels, %", .zero = true },
                                             .count = lines,
                                             .series = series,
                                             .wide = true });
}

/* Of the first split, for the C that was chosen; the clock starts with the first C. */
static void bounds_chart(s3svm_report *page, const s3svm_segment_results *r, size_t contender)
{
    const s3svm_segment_outcome *o = s3svm_segment_outcome_at(r, 0, contender);
    const double chosen = o->trained[o->best].C;
    char title[120], note[200];
    snprintf(title, sizeof title, "Training: %s", s3svm_contender_names[contender]);
    snprintf(note, sizeof note, "First split, C = %g%s. The optimum lies between the two.", chosen,
             o->best ? "; seconds since training with the smallest C began" : "");
    s3svm_curve_chart(page, &o->curve, chosen, title, note);
}

void s3svm_segment_training_charts(s3svm_report *page, const s3svm_segment_results *r)
{
    bool learned = false;
    for (size_t c = S3SVM_CONTENDER_AMN; c < S3SVM_CONTENDERS; c++) learned |= r->plan.contends[c];
    if (learned) choice_chart(page, r);
    for (size_t c = S3SVM_CONTENDER_AMN; c < S3SVM_CONTENDERS; c++)
        if (r->plan.contends[c]) bounds_chart(page, r, c);
}
