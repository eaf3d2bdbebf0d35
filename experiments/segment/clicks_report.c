/* clicks_report.c - the report of the experiment "clicks": index.html, results.json, results.csv.
 */
#include "experiments/segment/clicks_report.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/json.h"
#include "experiments/common/results.h"

const char *const s3svm_clicks_moments[S3SVM_CLICKS_MOMENTS] = { "last_click", "scribbles", "box", "hurried" };

static const char *const MOMENTS[S3SVM_CLICKS_MOMENTS] = { "After the last click", "By the data set's scribbles",
                                                           "By a box, a tenth larger", "By two strokes" };

/* ---------------------------------------------------------------- scores */

static double score_number(const s3svm_clicks_score *s, size_t number)
{
    return number == 0 ? s->iou : number == 1 ? s->error : s->near[number - 2];
}

static const s3svm_clicks_score *moment_score(const s3svm_clicks_outcome *o, size_t moment)
{
    const s3svm_clicks_score *const scores[S3SVM_CLICKS_MOMENTS] = { &o->last, &o->scribbles, &o->box, &o->hurried };
    return scores[moment];
}

static double moment_value(const s3svm_clicks_outcome *o, size_t which)
{
    return score_number(moment_score(o, which / S3SVM_CLICKS_NUMBERS), which % S3SVM_CLICKS_NUMBERS);
}

s3svm_clicks_mean s3svm_clicks_moment_mean(const s3svm_clicks_results *r, size_t method, s3svm_clicks_moment moment,
                                           size_t number)
{
    return s3svm_clicks_average(r, method, moment_value, moment * S3SVM_CLICKS_NUMBERS + number);
}

static bool moment_is_there(const s3svm_clicks_results *r, size_t moment)
{
    return moment != S3SVM_CLICKS_SCRIBBLES || r->has_scribbles;
}

/* ---------------------------------------------------------------- for programs */

static void mean_json(sos_json *j, const char *name, s3svm_clicks_mean m)
{
    sos_json_open_row(j, name, '{');
    sos_json_real(j, "mean", m.mean);
    sos_json_real(j, "standard_error", m.standard_error);
    sos_json_real(j, "deviation", m.deviation);
    sos_json_close(j, '}');
}

static void score_json(sos_json *j, const char *name, const s3svm_clicks_score *s)
{
    sos_json_open_row(j, name, '{');
    sos_json_real(j, "iou", s->iou);
    sos_json_real(j, "error", s->error);
    for (size_t z = 0; z < S3SVM_CLICKS_ZONES; z++) {
        char within[32];
        snprintf(within, sizeof within, "error_within_%zu", s3svm_clicks_zones[z]);
        sos_json_real(j, within, s->near[z]);
    }
    sos_json_close(j, '}');
}

static void series_json(sos_json *j, const char *name, size_t count, const s3svm_clicks_outcome *o, s3svm_clicks_value *value)
{
    sos_json_open_row(j, name, '[');
    for (size_t k = 0; k < count; k++) sos_json_real(j, NULL, value(o, k));
    sos_json_close(j, ']');
}

static void case_json(sos_json *j, const s3svm_clicks_results *r, size_t i, size_t method)
{
    const s3svm_clicks_outcome *o = s3svm_clicks_outcome_at(r, i, method);
    sos_json_open(j, NULL, '{');
    sos_json_text(j, "name", r->data.items[r->cases[i].picture].name);
    if (r->plan.splits) sos_json_count(j, "split", r->cases[i].split);
    for (size_t g = 0; g < S3SVM_CLICKS_GOALS; g++) {
        char name[32];
        snprintf(name, sizeof name, "clicks_to_%.2f", s3svm_clicks_goals[g]);
        sos_json_count(j, name, o->needed[g]);
        snprintf(name, sizeof name, "reached_%.2f", s3svm_clicks_goals[g]);
        sos_json_truth(j, name, o->reached[g]);
    }
    sos_json_count(j, "clicks", o->made);
    sos_json_real(j, "seconds_look", o->seconds_look);
    sos_json_real(j, "seconds_per_click", o->seconds);
    series_json(j, "iou", r->plan.clicks, o, s3svm_clicks_iou);
    series_json(j, "error", r->plan.clicks, o, s3svm_clicks_error);
    series_json(j, "harm", r->plan.clicks, o, s3svm_clicks_harm);
    for (size_t t = 0; t < S3SVM_CLICKS_MOMENTS; t++)
        if (moment_is_there(r, t)) score_json(j, s3svm_clicks_moments[t], moment_score(o, t));
    sos_json_close(j, '}');
}

static void means_json(sos_json *j, const s3svm_clicks_results *r, size_t method)
{
    s3svm_clicks_mean change;
    for (size_t g = 0; g < S3SVM_CLICKS_GOALS; g++) {
        char name[32];
        snprintf(name, sizeof name, "clicks_to_%.2f", s3svm_clicks_goals[g]);
        mean_json(j, name, s3svm_clicks_average(r, method, s3svm_clicks_needed, g));
        snprintf(name, sizeof name, "reached_%.2f", s3svm_clicks_goals[g]);
        sos_json_real(j, name, s3svm_clicks_average(r, method, s3svm_clicks_reached, g).mean);
    }
    sos_json_open_row(j, "iou", '[');
    for (size_t k = 0; k < r->plan.clicks; k++)
        sos_json_real(j, NULL, s3svm_clicks_average(r, method, s3svm_clicks_iou, k).mean);
    sos_json_close(j, ']');
    sos_json_count(j, "worst_click", s3svm_clicks_worst(r, method, &change));
    mean_json(j, "worst_change", change);
    mean_json(j, "harm", s3svm_clicks_average(r, method, s3svm_clicks_mean_harm, 0));
    sos_json_real(j, "seconds_look", s3svm_clicks_average(r, method, s3svm_clicks_look, 0).mean);
    sos_json_real(j, "seconds_per_click", s3svm_clicks_average(r, method, s3svm_clicks_seconds, 0).mean);
    for (size_t t = 0; t < S3SVM_CLICKS_MOMENTS; t++) {
        static const char *const numbers[] = { "iou", "error", "error_within_2", "error_within_4", "error_within_8" };
        if (!moment_is_there(r, t)) continue;
        sos_json_open(j, s3svm_clicks_moments[t], '{');
        for (size_t k = 0; k < S3SVM_CLICKS_NUMBERS; k++)
            mean_json(j, numbers[k], s3svm_clicks_moment_mean(r, method, (s3svm_clicks_moment)t, k));
        sos_json_close(j, '}');
    }
}

static void clicks_numbers_write(sos_json *j, const void *results)
{
    const s3svm_clicks_results *r = results;
    sos_json_count(j, "clicks", r->plan.clicks);
    sos_json_real(j, "radius", r->plan.radius);
    sos_json_truth(j, "whole", r->plan.whole);
    sos_json_count(j, "photographs", r->picture_count);
    sos_json_count(j, "dialogues", r->case_count);
    sos_json_open(j, "results", '[');
    for (size_t m = 0; m < r->method_count; m++) {
        sos_json_open(j, NULL, '{');
        sos_json_text(j, "method", r->methods[m].word);
        sos_json_text(j, "name", r->methods[m].name);
        means_json(j, r, m);
        sos_json_open(j, "images", '[');
        for (size_t i = 0; i < r->case_count; i++) case_json(j, r, i, m);
        sos_json_close(j, ']');
        sos_json_close(j, '}');
    }
    sos_json_close(j, ']');
}

static const char *const COLUMNS[] = { "split",          "method",         "image",          "click", "iou", "error",
                                       "error_within_2", "error_within_4", "error_within_8", "harm",  NULL };

/* A row for each click. */
static void clicks_table_write(s3svm_csv *c, const void *results)
{
    const s3svm_clicks_results *r = results;
    for (size_t i = 0; i < r->case_count; i++)
        for (size_t m = 0; m < r->method_count; m++)
            for (size_t k = 0; k < r->plan.clicks; k++) {
                const s3svm_clicks_outcome *o = s3svm_clicks_outcome_at(r, i, m);
                s3svm_csv_count(c, r->cases[i].split);
                s3svm_csv_text(c, r->methods[m].word);
                s3svm_csv_text(c, r->data.items[r->cases[i].picture].name);
                s3svm_csv_count(c, k + 1);
                for (size_t n = 0; n < S3SVM_CLICKS_NUMBERS; n++) s3svm_csv_real(c, score_number(&o->scores[k], n));
                s3svm_csv_real(c, o->harms[k]);
                s3svm_csv_row(c);
            }
}

/* ---------------------------------------------------------------- tables */

/* "12.3 ± 0.4", times a factor, with so many decimals; without an error where there is none. */
static void mean_cell(s3svm_report *page, s3svm_clicks_mean m, double factor, int decimals)
{
    const double mean = factor * m.mean, error = factor * m.standard_error;
    if (isfinite(error))
        s3svm_report_number(page, mean, "%.*f ± %.*f", decimals, mean, decimals, error);
    else
        s3svm_report_number(page, mean, "%.*f", decimals, mean);
}

static void iou_cell(s3svm_report *page, double iou) { s3svm_report_number(page, iou, "%.3f", iou); }

static void share_cell(s3svm_report *page, double share) { s3svm_report_number(page, share, "%.0f", 100 * share); }

/* A table in which the best of several methods is set off; of one alone nothing is. */
static void table_open(s3svm_report *page, const s3svm_clicks_results *r, const char *caption, size_t count,
                       const s3svm_column columns[])
{
    s3svm_column own[16];
    for (size_t i = 0; i < count; i++) {
        own[i] = columns[i];
        if (r->method_count == 1) own[i].best = S3SVM_BEST_NONE;
    }
    s3svm_report_table(page, caption, count, own);
}

static void clicks_table(s3svm_report *page, const s3svm_clicks_results *r)
{
    static const s3svm_column columns[] = { { .name = "Method" },
                                            { .name = "clicks", .group = "To 0.85", .best = S3SVM_BEST_LEAST },
                                            { .name = "deviation", .group = "To 0.85" },
                                            { .name = "reached, %", .group = "To 0.85", .best = S3SVM_BEST_MOST },
                                            { .name = "clicks", .group = "To 0.90", .best = S3SVM_BEST_LEAST },
                                            { .name = "deviation", .group = "To 0.90" },
                                            { .name = "reached, %", .group = "To 0.90", .best = S3SVM_BEST_MOST } };
    table_open(page, r,
               "Clicks to an intersection over union, means over the photographs. ± is the standard error of the mean, "
               "the deviation that of single photographs.",
               7, columns);
    for (size_t m = 0; m < r->method_count; m++) {
        s3svm_report_cell(page, "%s", r->methods[m].name);
        for (size_t g = 0; g < S3SVM_CLICKS_GOALS; g++) {
            const s3svm_clicks_mean needed = s3svm_clicks_average(r, m, s3svm_clicks_needed, g);
            mean_cell(page, needed, 1, 2);
            s3svm_report_number(page, needed.deviation, "%.1f", needed.deviation);
            share_cell(page, s3svm_clicks_average(r, m, s3svm_clicks_reached, g).mean);
        }
    }
}

/* Whether more marks hurt, and how long they take. */
static void harm_table(s3svm_report *page, const s3svm_clicks_results *r)
{
    static const s3svm_column columns[] = { { .name = "Method" },
                                            { .name = "worst mean change of IoU", .best = S3SVM_BEST_MOST },
                                            { .name = "at click" },
                                            { .name = "harm of a click, %", .best = S3SVM_BEST_LEAST },
                                            { .name = "before the first click, s" },
                                            { .name = "a click, s" } };
    table_open(page, r,
               "The effect of a further click: where the mean IoU falls most, or rises least; and seconds on "
               "one thread",
               6, columns);
    for (size_t m = 0; m < r->method_count; m++) {
        s3svm_clicks_mean change;
        const size_t worst = s3svm_clicks_worst(r, m, &change);
        const double seconds = s3svm_clicks_average(r, m, s3svm_clicks_seconds, 0).mean;
        const double look = s3svm_clicks_average(r, m, s3svm_clicks_look, 0).mean;
        s3svm_report_cell(page, "%s", r->methods[m].name);
        mean_cell(page, change, 1, 4);
        s3svm_report_number(page, worst ? (double)worst : NAN, "%zu", worst);
        mean_cell(page, s3svm_clicks_average(r, m, s3svm_clicks_mean_harm, 0), 100, 3);
        s3svm_report_number(page, look, "%.3f", look);
        s3svm_report_number(page, seconds, "%.3f", seconds);
    }
}

static void iou_table(s3svm_report *page, const s3svm_clicks_results *r)
{
    s3svm_column columns[S3SVM_CLICKS_FRAMES + 1] = { { .name = "Method" } };
    char names[S3SVM_CLICKS_FRAMES][8];
    size_t count = 1;
    for (size_t f = 0; f < S3SVM_CLICKS_FRAMES; f++) {
        if (s3svm_clicks_frames[f] > r->plan.clicks) continue;
        snprintf(names[f], sizeof names[f], "%zu", s3svm_clicks_frames[f]);
        columns[count++] = (s3svm_column){ .name = names[f], .group = "clicks", .best = S3SVM_BEST_MOST };
    }
    table_open(page, r, "Intersection over union by number of clicks, means over the photographs", count, columns);
    for (size_t m = 0; m < r->method_count; m++) {
        s3svm_report_cell(page, "%s", r->methods[m].name);
        for (size_t f = 0; f < S3SVM_CLICKS_FRAMES; f++)
            if (s3svm_clicks_frames[f] <= r->plan.clicks)
                iou_cell(page, s3svm_clicks_average(r, m, s3svm_clicks_iou, s3svm_clicks_frames[f] - 1).mean);
    }
}

static void errors_table(s3svm_report *page, const s3svm_clicks_results *r, s3svm_clicks_moment moment)
{
    static const s3svm_column columns[] = { { .name = "Method" },
                                            { .name = "IoU", .best = S3SVM_BEST_MOST },
                                            { .name = "everywhere", .group = "Wrong pixels, %", .best = S3SVM_BEST_LEAST },
                                            { .name = "within 2", .group = "Wrong pixels, %", .best = S3SVM_BEST_LEAST },
                                            { .name = "within 4", .group = "Wrong pixels, %", .best = S3SVM_BEST_LEAST },
                                            { .name = "within 8", .group = "Wrong pixels, %", .best = S3SVM_BEST_LEAST } };
    table_open(page, r, MOMENTS[moment], 6, columns);
    for (size_t m = 0; m < r->method_count; m++) {
        s3svm_report_cell(page, "%s", r->methods[m].name);
        for (size_t k = 0; k < S3SVM_CLICKS_NUMBERS; k++)
            mean_cell(page, s3svm_clicks_moment_mean(r, m, moment, k), k ? 100 : 1, k ? 2 : 3);
    }
}

/* The first method against the others on the same photographs. */
static void differences_table(s3svm_report *page, const s3svm_clicks_results *r)
{
    static const s3svm_column columns[] = { { .name = "Against" },
                                            { .name = "clicks to 0.85" },
                                            { .name = "clicks to 0.90" },
                                            { .name = "after the last click", .group = "Wrong pixels within 8, points" },
                                            { .name = "scribbles", .group = "Wrong pixels within 8, points" },
                                            { .name = "box", .group = "Wrong pixels within 8, points" },
                                            { .name = "scribbles", .group = "Wrong pixels, points" },
                                            { .name = "box", .group = "Wrong pixels, points" },
                                            { .name = "two strokes", .group = "Wrong pixels, points" } };
    static const size_t asked[][2] = {
        { S3SVM_CLICKS_LAST, 4 },      { S3SVM_CLICKS_SCRIBBLES, 4 }, { S3SVM_CLICKS_BOX, 4 },
        { S3SVM_CLICKS_SCRIBBLES, 1 }, { S3SVM_CLICKS_BOX, 1 },       { S3SVM_CLICKS_HURRIED, 1 }
    };
    char caption[300];
    snprintf(caption, sizeof caption,
             "Differences between %s and the others on the same photographs: negative is better. A difference "
             "of less than two standard errors may well be chance.",
             r->methods[0].name);
    s3svm_report_table(page, caption, sizeof columns / sizeof *columns, columns);
    for (size_t m = 1; m < r->method_count; m++) {
        s3svm_report_cell(page, "%s", r->methods[m].name);
        for (size_t g = 0; g < S3SVM_CLICKS_GOALS; g++)
            mean_cell(page, s3svm_clicks_difference(r, 0, m, s3svm_clicks_needed, g), 1, 2);
        for (size_t k = 0; k < sizeof asked / sizeof *asked; k++)
            mean_cell(page, s3svm_clicks_difference(r, 0, m, moment_value, asked[k][0] * S3SVM_CLICKS_NUMBERS + asked[k][1]),
                      100, 2);
    }
}

/* ---------------------------------------------------------------- the page */

static void clicks_report_set_up(s3svm_report *page, const s3svm_clicks_results *r, const s3svm_results_head *head)
{
    s3svm_report_heading(page, "How it was measured");
    s3svm_report_text(page,
                      "Dialogues are simulated. The first click is in the middle of the object; then labels are "
                      "computed, and the next click, with the true label, is in the middle of the largest wrong "
                      "region, and so on up to %zu clicks, or until nothing is wrong. A click is a disk of radius "
                      "%g%s. Unsure pixels are left out of regions and counts. A goal that is not reached counts as "
                      "%zu clicks. All methods see the same photographs; each is corrected where it is wrong.",
                      r->plan.clicks, r->plan.radius,
                      r->plan.whole ? ", whole, so that it may take in pixels of the other label"
                                    : ", smaller where the true region is thinner, so that all marked pixels are right",
                      r->plan.clicks);
    s3svm_report_text(page, "Pixels within a distance of the outline are those with a pixel of the other label, or an unsure "
                            "one, within that distance. Harm is the share of right pixels, farther from a click than a tenth "
                            "of the longer side, that the click made wrong. The figures of a model that was trained on these "
                            "photographs are too good.");
    s3svm_report_fact(page, "Photographs", "%zu of %zu, %s", r->picture_count, r->data.count, r->plan.data);
    if (r->plan.splits)
        s3svm_report_fact(page, "Splits", "test parts, a quarter each, of %zu; seed %llu", r->plan.splits,
                          (unsigned long long)r->plan.seed);
    if (r->case_count < r->planned)
        s3svm_report_fact(page, "Not complete", "%zu of %zu dialogues are done", r->case_count, r->planned);
    s3svm_results_run(page, head);
}

static void clicks_page_write(s3svm_report *page, const s3svm_results_head *head, const void *results)
{
    const s3svm_clicks_results *r = results;
    s3svm_report_heading(page, "Results");
    clicks_table(page, r);
    iou_table(page, r);
    harm_table(page, r);
    if (r->method_count > 1) differences_table(page, r);
    s3svm_report_heading(page, "From click to click");
    s3svm_clicks_charts(page, r);
    s3svm_report_heading(page, "Along the outline");
    for (size_t t = 0; t < S3SVM_CLICKS_MOMENTS; t++)
        if (moment_is_there(r, t)) errors_table(page, r, (s3svm_clicks_moment)t);
    s3svm_report_heading(page, "Films");
    s3svm_clicks_films(page, r);
    clicks_report_set_up(page, r, head);
}

sos_status s3svm_clicks_report(const s3svm_clicks_results *r, const char *folder, const char *command, sos_error *error)
{
    static const s3svm_results_writers writers = { .page = clicks_page_write,
                                                   .numbers = clicks_numbers_write,
                                                   .table = clicks_table_write };
    char subtitle[160];
    snprintf(subtitle, sizeof subtitle, "%zu photographs%s, at most %zu clicks", r->picture_count,
             r->case_count < r->planned ? " so far" : "", r->plan.clicks);
    const s3svm_results_head head = { .experiment = "clicks",
                                      .title = "How many clicks to cut an object out",
                                      .subtitle = subtitle,
                                      .data = r->plan.data,
                                      .command = command,
                                      .images = r->data.count,
                                      .test = r->picture_count,
                                      .splits = r->plan.splits,
                                      .splits_planned = r->plan.splits,
                                      .seed = r->plan.seed,
                                      .seconds = r->seconds,
                                      .columns = COLUMNS };
    return s3svm_results_write(&head, &writers, r, folder, error);
}
