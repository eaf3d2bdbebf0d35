#include "experiments/common/contest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

void s3svm_contest_free(s3svm_contest *c)
{
    for (size_t i = 0; c->names && i < c->images; i++) free(c->names[i]);
    free(c->names);
    free(c->pictures);
    free(c->errors);
    free(c->sums);
    free(c->times);
    *c = (s3svm_contest){ 0 };
}

static bool names_copy(s3svm_contest *c, char *const names[])
{
    for (size_t i = 0; i < c->images; i++) {
        const size_t bytes = strlen(names[i]) + 1;
        c->names[i] = malloc(bytes);
        if (!c->names[i]) return false;
        memcpy(c->names[i], names[i], bytes);
    }
    return true;
}

sos_status s3svm_contest_create(size_t images, char *const names[], size_t methods, const char *const method_names[],
                                size_t splits, size_t tests, s3svm_contest *out, sos_error *error)
{
    s3svm_contest c = { .images = images,
                        .methods = methods,
                        .tests = tests,
                        .method_names = method_names,
                        .names = calloc(images, sizeof *c.names),
                        .pictures = calloc(splits * tests, sizeof *c.pictures),
                        .errors = calloc(splits * methods * tests, sizeof *c.errors),
                        .sums = calloc(2 * images, sizeof *c.sums),
                        .times = calloc(images, sizeof *c.times) };
    if (!c.names || !c.pictures || !c.errors || !c.sums || !c.times || !names_copy(&c, names)) {
        s3svm_contest_free(&c);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for the results of %zu pictures", images);
    }
    for (size_t i = 0; i < splits * methods * tests; i++) c.errors[i] = NAN;
    *out = c;
    return SOS_OK;
}

void s3svm_contest_begin(s3svm_contest *c, size_t split, const size_t pictures[])
{
    memcpy(c->pictures + split * c->tests, pictures, c->tests * sizeof *pictures);
}

double *s3svm_contest_errors(const s3svm_contest *c, size_t split, size_t method)
{
    return c->errors + (split * c->methods + method) * c->tests;
}

bool s3svm_contest_has(const s3svm_contest *c, size_t method)
{
    for (size_t split = 0; split < c->splits; split++)
        for (size_t i = 0; i < c->tests; i++)
            if (isnan(s3svm_contest_errors(c, split, method)[i])) return false;
    return c->splits > 0;
}

/* ---------------------------------------------------------------- comparing */

/* Sums of the errors of both over the splits that test on a picture: the method's, then the baseline's. */
static void sums_take(const s3svm_contest *c, s3svm_rivals rivals)
{
    for (size_t p = 0; p < c->images; p++) c->sums[2 * p] = c->sums[2 * p + 1] = 0;
    for (size_t p = 0; p < c->images; p++) c->times[p] = 0;
    for (size_t split = 0; split < c->splits; split++) {
        const double *method = s3svm_contest_errors(c, split, rivals.method);
        const double *baseline = s3svm_contest_errors(c, split, rivals.baseline);
        for (size_t i = 0; i < c->tests; i++) {
            const size_t p = c->pictures[split * c->tests + i];
            c->sums[2 * p] += method[i];
            c->sums[2 * p + 1] += baseline[i];
            c->times[p]++;
        }
    }
}

/* d(p), of a picture that was tested on. */
static double picture_gain(const s3svm_contest *c, size_t p)
{
    return (c->sums[2 * p + 1] - c->sums[2 * p]) / (double)c->times[p];
}

s3svm_comparison s3svm_contest_compare(const s3svm_contest *c, s3svm_rivals rivals)
{
    s3svm_comparison out = { 0 };
    double errors[2] = { 0, 0 }, gains = 0, squares = 0;
    sums_take(c, rivals);
    for (size_t p = 0; p < c->images; p++) {
        if (!c->times[p]) continue;
        const double gain = picture_gain(c, p);
        out.pictures++;
        out.better += gain > 0;
        out.worse += gain < 0;
        gains += gain;
        for (size_t k = 0; k < 2; k++) errors[k] += c->sums[2 * p + k] / (double)c->times[p];
    }
    const double n = (double)out.pictures;
    out.gain = gains / n;
    for (size_t p = 0; p < c->images; p++) {
        if (!c->times[p]) continue;
        const double off = picture_gain(c, p) - out.gain;
        squares += off * off;
    }
    out.uncertainty = out.pictures > 1 ? sqrt(squares / (n * (n - 1))) : NAN;
    out.ratio = errors[1] > 0 ? errors[0] / errors[1] : NAN;
    return out;
}

double s3svm_contest_split_gain(const s3svm_contest *c, s3svm_rivals rivals, size_t split)
{
    return s3svm_mean(c->tests, s3svm_contest_errors(c, split, rivals.baseline)) -
           s3svm_mean(c->tests, s3svm_contest_errors(c, split, rivals.method));
}

/* ---------------------------------------------------------------- written */

static bool both_take_part(const s3svm_contest *c, s3svm_rivals rivals)
{
    return s3svm_contest_has(c, rivals.method) && s3svm_contest_has(c, rivals.baseline);
}

void s3svm_contest_table(s3svm_report *page, const s3svm_contest *c, const char *caption, const char *subject)
{
    const s3svm_column columns[] = { { .name = subject },
                                     { .name = "Method", .text = true },
                                     { .name = "against", .text = true },
                                     { .name = "ratio of errors" },
                                     { .name = "fewer wrong pixels, points" },
                                     { .name = "in standard errors" },
                                     { .name = "images better : worse" },
                                     { .name = c->splits > 1 ? "split by split, points" : NULL } };
    const size_t first = subject ? 0 : 1, last = c->splits > 1 ? 8 : 7;
    s3svm_report_table(page, caption, last - first, columns + first);
}

/* "+0.12": in hundredths, with its sign. */
static const char *points_text(double x, char text[S3SVM_NUMBER_TEXT])
{
    char number[S3SVM_NUMBER_TEXT];
    s3svm_fixed_text(100 * x, 2, number);
    snprintf(text, S3SVM_NUMBER_TEXT, "%s%.40s", x > 0 ? "+" : "", number);
    return text;
}

/* What each split says; of many, how many say the same. */
static void splits_cell(s3svm_report *page, const s3svm_contest *c, s3svm_rivals rivals)
{
    enum { SHOWN = 8, ROOM = SHOWN * (S3SVM_NUMBER_TEXT + 1) };
    char list[ROOM] = "", text[S3SVM_NUMBER_TEXT];
    size_t length = 0, better = 0;
    for (size_t split = 0; split < c->splits; split++) {
        const double gain = s3svm_contest_split_gain(c, rivals, split);
        better += gain > 0;
        if (split < SHOWN)
            length += (size_t)snprintf(list + length, ROOM - length, "%s%s", split ? " " : "", points_text(gain, text));
    }
    if (c->splits <= SHOWN)
        s3svm_report_cell(page, "%s", list);
    else
        s3svm_report_cell(page, "better on %zu of %zu", better, c->splits);
}

void s3svm_contest_row(s3svm_report *page, const s3svm_contest *c, s3svm_rivals rivals, const char *subject)
{
    if (page->status || !both_take_part(c, rivals)) return;
    const s3svm_comparison k = s3svm_contest_compare(c, rivals);
    char gain[S3SVM_NUMBER_TEXT], uncertainty[S3SVM_NUMBER_TEXT], certainty[S3SVM_NUMBER_TEXT], ratio[S3SVM_NUMBER_TEXT];
    if (subject) s3svm_report_cell(page, "%s", subject);
    s3svm_report_cell(page, "%s", c->method_names[rivals.method]);
    s3svm_report_cell(page, "%s", c->method_names[rivals.baseline]);
    s3svm_report_number(page, k.ratio, "%s", s3svm_fixed_text(k.ratio, 2, ratio));
    points_text(k.gain, gain);
    if (isfinite(k.uncertainty))
        s3svm_report_number(page, k.gain, "%s ± %s", gain, s3svm_fixed_text(100 * k.uncertainty, 2, uncertainty));
    else
        s3svm_report_number(page, k.gain, "%s", gain);
    const double steps = k.gain / k.uncertainty;
    s3svm_report_number(page, steps, "%s", s3svm_fixed_text(steps, 1, certainty));
    s3svm_report_cell(page, "%zu : %zu", k.better, k.worse);
    if (c->splits > 1) splits_cell(page, c, rivals);
}

/* Columns of the longest name of a method, at least so many. */
static int names_width(const s3svm_contest *c)
{
    size_t width = 24;
    for (size_t m = 0; m < c->methods; m++) {
        const size_t length = strlen(c->method_names[m]);
        if (s3svm_contest_has(c, m) && length > width) width = length;
    }
    return (int)width;
}

void s3svm_contest_print(FILE *out, const s3svm_contest *c, const char *title, size_t count, const s3svm_rivals rivals[])
{
    const int width = names_width(c);
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (!both_take_part(c, rivals[i])) continue;
        const s3svm_comparison k = s3svm_contest_compare(c, rivals[i]);
        if (!any) fprintf(out, "\nFewer wrong pixels on the same images, in points, with standard error: %s\n\n", title);
        any = true;
        fprintf(out, "%-*s than %-*s  %+6.2f", width, c->method_names[rivals[i].method], width,
                c->method_names[rivals[i].baseline], 100 * k.gain);
        if (isfinite(k.uncertainty)) fprintf(out, " +- %.2f", 100 * k.uncertainty);
        fputc('\n', out);
    }
}

static void comparison_json(sos_json *j, const s3svm_contest *c, s3svm_rivals rivals)
{
    const s3svm_comparison k = s3svm_contest_compare(c, rivals);
    sos_json_open(j, NULL, '{');
    sos_json_text(j, "method", c->method_names[rivals.method]);
    sos_json_text(j, "against", c->method_names[rivals.baseline]);
    sos_json_count(j, "images", k.pictures);
    sos_json_real(j, "gain", k.gain);
    sos_json_real(j, "standard_error", k.uncertainty);
    sos_json_real(j, "ratio", k.ratio);
    sos_json_count(j, "images_better", k.better);
    sos_json_count(j, "images_worse", k.worse);
    sos_json_open_row(j, "split_gains", '[');
    for (size_t split = 0; split < c->splits; split++) sos_json_real(j, NULL, s3svm_contest_split_gain(c, rivals, split));
    sos_json_close(j, ']');
    sos_json_close(j, '}');
}

void s3svm_contest_json(sos_json *j, const s3svm_contest *c, size_t count, const s3svm_rivals rivals[])
{
    sos_json_open(j, "comparisons", '[');
    for (size_t i = 0; i < count; i++)
        if (both_take_part(c, rivals[i])) comparison_json(j, c, rivals[i]);
    sos_json_close(j, ']');
}

void s3svm_contest_images_json(sos_json *j, const s3svm_contest *c, size_t split, size_t method)
{
    const double *errors = s3svm_contest_errors(c, split, method);
    sos_json_open(j, "images", '[');
    for (size_t i = 0; i < c->tests; i++) {
        sos_json_open_row(j, NULL, '{');
        sos_json_text(j, "name", c->names[c->pictures[split * c->tests + i]]);
        sos_json_real(j, "error", errors[i]);
        sos_json_close(j, '}');
    }
    sos_json_close(j, ']');
}
