/* experiment_report.c - the report of the experiment: index.html, results.json, results.csv. */
#include "experiments/segment/experiment_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/edge.h"
#include "base/error.h"
#include "base/json.h"
#include "experiments/common/results.h"

/* A figure of the paper, or NaN. */
static double papers(double figure) { return figure > 0 ? figure : NAN; }

size_t s3svm_segment_subject(const s3svm_segment_results *r)
{
    size_t c = S3SVM_CONTENDERS - 1;
    while (!r->plan.contends[c]) c--;
    return c;
}

size_t s3svm_segment_reference(const s3svm_segment_results *r)
{
    size_t c = 0;
    while (!r->plan.contends[c]) c++;
    return c;
}

/* ---------------------------------------------------------------- for programs */

static void picture_json(sos_json *j, const s3svm_segment_results *r, const s3svm_segment_judged *judged)
{
    sos_json_open_row(j, NULL, '{');
    sos_json_text(j, "name", r->names[judged->picture]);
    sos_json_real(j, "error", judged->error);
    sos_json_real(j, "error_without_unsure", judged->error_without_unsure);
    sos_json_real(j, "iou", judged->iou);
    sos_json_real(j, "seconds", judged->seconds);
    sos_json_close(j, '}');
}

static void training_json(sos_json *j, const s3svm_segment_outcome *o)
{
    sos_json_real(j, "C", o->trained[o->best].C);
    if (sos_edge(o->best, o->values)) sos_json_text(j, "C_edge", sos_edge(o->best, o->values));
    sos_json_real(j, "relations", o->relations);
    sos_json_count(j, "weights", o->weights);
    sos_json_real(j, "training_error", o->training_error);
    sos_json_real(j, "seconds_features", o->seconds_features);
    sos_json_real(j, "processor_seconds_features", o->processor_features);
    sos_json_real(j, "seconds_training", o->seconds_training);
    sos_json_real(j, "processor_seconds_training", o->processor_training);
    sos_json_open(j, "path", '[');
    for (size_t i = 0; i < o->values; i++) {
        const s3svm_segment_trained *t = &o->trained[i];
        sos_json_open(j, NULL, '{');
        sos_json_real(j, "C", t->C);
        sos_json_real(j, "validation_error", t->validation);
        sos_json_count(j, "rounds", t->rounds);
        sos_json_real(j, "gap", t->gap);
        sos_json_real(j, "seconds", t->seconds);
        sos_json_real(j, "processor_seconds", t->processor);
        sos_json_close(j, '}');
    }
    sos_json_close(j, ']');
}

static void outcome_json(sos_json *j, const s3svm_segment_results *r, size_t split, size_t contender)
{
    const s3svm_segment_outcome *o = s3svm_segment_outcome_at(r, split, contender);
    sos_json_open(j, NULL, '{');
    sos_json_count(j, "split", split);
    sos_json_real(j, "error", o->error);
    sos_json_real(j, "error_without_unsure", o->error_without_unsure);
    sos_json_real(j, "iou", o->iou);
    sos_json_real(j, "seconds_per_image", o->seconds_per_image);
    sos_json_real(j, "seconds_per_200000_pixels", o->seconds_per_fifth);
    if (contender != S3SVM_CONTENDER_GRABCUT) training_json(j, o);
    sos_json_open(j, "images", '[');
    for (size_t i = 0; i < r->test; i++) picture_json(j, r, &o->judged[i]);
    sos_json_close(j, ']');
    sos_json_close(j, '}');
}

static void contender_json(sos_json *j, const s3svm_segment_results *r, size_t contender)
{
    const s3svm_spread error = S3SVM_SEGMENT_SPREAD(r, contender, error), iou = S3SVM_SEGMENT_SPREAD(r, contender, iou);
    const s3svm_spread sure = S3SVM_SEGMENT_SPREAD(r, contender, error_without_unsure);
    const s3svm_contender *row = s3svm_contender_row(contender);
    sos_json_open(j, NULL, '{');
    sos_json_text(j, "method", row->word);
    sos_json_text(j, "name", s3svm_contender_names[contender]);
    sos_json_real(j, "error", error.mean);
    sos_json_real(j, "deviation", error.deviation);
    sos_json_real(j, "error_without_unsure", sure.mean);
    sos_json_real(j, "deviation_without_unsure", sure.deviation);
    sos_json_real(j, "iou", iou.mean);
    sos_json_real(j, "deviation_iou", iou.deviation);
    sos_json_real(j, "seconds_per_image", S3SVM_SEGMENT_SPREAD(r, contender, seconds_per_image).mean);
    sos_json_real(j, "seconds_per_200000_pixels", S3SVM_SEGMENT_SPREAD(r, contender, seconds_per_fifth).mean);
    if (contender != S3SVM_CONTENDER_GRABCUT) {
        sos_json_real(j, "seconds_features", S3SVM_SEGMENT_SPREAD(r, contender, seconds_features).mean);
        sos_json_real(j, "processor_seconds_features", S3SVM_SEGMENT_SPREAD(r, contender, processor_features).mean);
        sos_json_real(j, "seconds_training", S3SVM_SEGMENT_SPREAD(r, contender, seconds_training).mean);
        sos_json_real(j, "processor_seconds_training", S3SVM_SEGMENT_SPREAD(r, contender, processor_training).mean);
    }
    sos_json_real(j, "paper_error", papers(row->paper_error) / 100);
    sos_json_real(j, "paper_deviation", papers(row->paper_deviation) / 100);
    sos_json_real(j, "paper_seconds_training", papers(row->paper_training));
    sos_json_real(j, "paper_seconds_per_image", papers(row->paper_inference));
    sos_json_open(j, "splits", '[');
    for (size_t split = 0; split < r->splits; split++) outcome_json(j, r, split, contender);
    sos_json_close(j, ']');
    sos_json_close(j, '}');
}

static void names_json(sos_json *j, const char *name, const s3svm_segment_results *r, size_t count, const size_t pictures[])
{
    sos_json_open_row(j, name, '[');
    for (size_t i = 0; i < count; i++) sos_json_text(j, NULL, r->names[pictures[i]]);
    sos_json_close(j, ']');
}

static void split_json(sos_json *j, const s3svm_segment_results *r, size_t split)
{
    const size_t *order = s3svm_segment_order(r, split);
    sos_json_open(j, NULL, '{');
    names_json(j, "train", r, r->train, order);
    names_json(j, "validation", r, r->validation, order + r->train);
    names_json(j, "test", r, r->test, order + r->train + r->validation);
    sos_json_close(j, '}');
}

static void interactive_numbers_write(sos_json *j, const void *results)
{
    const s3svm_segment_results *r = results;
    sos_json_count(j, "longest_side", r->plan.side);
    sos_json_truth(j, "cache", r->plan.cache);
    sos_json_truth(j, "C_of_first_split", r->plan.choose_once);
    sos_json_real(j, "error_all_background", r->background_error);
    sos_json_open(j, "results", '[');
    for (size_t c = 0; c < S3SVM_CONTENDERS; c++)
        if (r->plan.contends[c]) contender_json(j, r, c);
    sos_json_close(j, ']');
    s3svm_contest_json(j, &r->contest, S3SVM_SEGMENT_RIVALS, s3svm_segment_rivals);
    sos_json_open(j, "pictures", '[');
    for (size_t split = 0; split < r->splits; split++) split_json(j, r, split);
    sos_json_close(j, ']');
}

static const char *const COLUMNS[] = {
    "split", "method", "C", "image", "error", "error_without_unsure", "iou", "seconds", NULL
};

/* A row for each test picture of each split and method. */
static void interactive_table_write(s3svm_csv *c, const void *results)
{
    const s3svm_segment_results *r = results;
    for (size_t split = 0; split < r->splits; split++)
        for (size_t k = 0; k < S3SVM_CONTENDERS; k++) {
            const s3svm_segment_outcome *o = s3svm_segment_outcome_at(r, split, k);
            for (size_t i = 0; r->plan.contends[k] && i < r->test; i++) {
                s3svm_csv_count(c, split);
                s3svm_csv_text(c, s3svm_contender_row(k)->word);
                s3svm_csv_real(c, k == S3SVM_CONTENDER_GRABCUT ? NAN : o->trained[o->best].C);
                s3svm_csv_text(c, r->names[o->judged[i].picture]);
                s3svm_csv_real(c, o->judged[i].error);
                s3svm_csv_real(c, o->judged[i].error_without_unsure);
                s3svm_csv_real(c, o->judged[i].iou);
                s3svm_csv_real(c, o->judged[i].seconds);
                s3svm_csv_row(c);
            }
        }
}

/* ---------------------------------------------------------------- tables */

static void share_cell(s3svm_report *page, s3svm_spread s) { s3svm_report_share(page, s.mean, s.deviation); }

static void errors_table(s3svm_report *page, const s3svm_segment_results *r)
{
    static const s3svm_column columns[] = { { .name = "Method" },
                                            { .name = "error, %", .group = "The paper" },
                                            { .name = "error, %", .group = "This run", .best = S3SVM_BEST_LEAST },
                                            { .name = "without unsure, %", .group = "This run", .best = S3SVM_BEST_LEAST },
                                            { .name = "IoU, %", .group = "This run", .best = S3SVM_BEST_MOST },
                                            { .name = "training error, %", .group = "This run" } };
    s3svm_report_text(page, "Wrong pixels are averaged over the test images of a split. The unsure band along outlines "
                            "counts as background, as in the paper; the next column leaves it out. IoU is the intersection "
                            "over union of result and true object.");
    s3svm_report_table(page,
                       r->splits > 1 ? "On test images: mean and standard deviation over the splits. The best is highlighted."
                                     : "On test images of one split. The best is highlighted.",
                       6, columns);
    for (size_t c = 0; c < S3SVM_CONTENDERS; c++) {
        if (!r->plan.contends[c]) continue;
        s3svm_report_cell(page, "%s", s3svm_contender_names[c]);
        const s3svm_contender *row = s3svm_contender_row(c);
        s3svm_report_number(page, papers(row->paper_error), "%.1f ± %.1f", row->paper_error, row->paper_deviation);
        share_cell(page, S3SVM_SEGMENT_SPREAD(r, c, error));
        share_cell(page, S3SVM_SEGMENT_SPREAD(r, c, error_without_unsure));
        share_cell(page, S3SVM_SEGMENT_SPREAD(r, c, iou));
        const double mean = c == S3SVM_CONTENDER_GRABCUT ? NAN : S3SVM_SEGMENT_SPREAD(r, c, training_error).mean;
        s3svm_report_number(page, mean, "%.2f", 100 * mean);
    }
}

static void gains_table(s3svm_report *page, const s3svm_segment_results *r)
{
    s3svm_report_text(page, "Whether one method is better than another shows on the same images. " S3SVM_CONTEST_EXPLAINED);
    s3svm_contest_table(page, &r->contest, "Learned models against what they should beat", NULL);
    for (size_t i = 0; i < S3SVM_SEGMENT_RIVALS; i++) s3svm_contest_row(page, &r->contest, s3svm_segment_rivals[i], NULL);
}

static void times_table(s3svm_report *page, const s3svm_segment_results *r)
{
    static const s3svm_column columns[] = { { .name = "Method" },
                                            { .name = "training", .group = "The paper" },
                                            { .name = "an image", .group = "The paper" },
                                            { .name = "features", .group = "This run, by the clock" },
                                            { .name = "training", .group = "This run, by the clock" },
                                            { .name = "features", .group = "This run, processor" },
                                            { .name = "training", .group = "This run, processor" },
                                            { .name = "an image", .group = "This run, processor" },
                                            { .name = "0.2 megapixels", .group = "This run, processor" } };
    s3svm_report_text(page,
                      "Features are for all training and validation images, including learning them%s. Training "
                      "includes all values of C up to the chosen one. Processor time is the sum over all threads; each "
                      "test image is segmented by one thread, including features.",
                      r->plan.cache ? ", unless a cache has them from before" : "");
    s3svm_report_table(page, "Seconds, means over the splits", 9, columns);
    for (size_t c = 0; c < S3SVM_CONTENDERS; c++) {
        if (!r->plan.contends[c]) continue;
        const bool learned = c != S3SVM_CONTENDER_GRABCUT;
        const double numbers[] = { papers(s3svm_contender_row(c)->paper_training),
                                   papers(s3svm_contender_row(c)->paper_inference),
                                   learned ? S3SVM_SEGMENT_SPREAD(r, c, seconds_features).mean : NAN,
                                   learned ? S3SVM_SEGMENT_SPREAD(r, c, seconds_training).mean : NAN,
                                   learned ? S3SVM_SEGMENT_SPREAD(r, c, processor_features).mean : NAN,
                                   learned ? S3SVM_SEGMENT_SPREAD(r, c, processor_training).mean : NAN,
                                   S3SVM_SEGMENT_SPREAD(r, c, seconds_per_image).mean,
                                   S3SVM_SEGMENT_SPREAD(r, c, seconds_per_fifth).mean };
        s3svm_report_cell(page, "%s", s3svm_contender_names[c]);
        for (size_t i = 0; i < 8; i++) {
            char text[32];
            snprintf(text, sizeof text, i == 0 ? "%.0f" : i == 1 ? "%.2f" : i < 6 ? "%.1f" : "%.3f", numbers[i]);
            s3svm_report_number(page, numbers[i], "%s", text);
        }
    }
}

/* ---------------------------------------------------------------- the page */

static void interactive_report_set_up(s3svm_report *page, const s3svm_segment_results *r, const s3svm_results_head *head)
{
    s3svm_report_heading(page, "How it was measured");
    s3svm_report_text(page,
                      "In each photograph, parts of the object and of the background are marked by a person. "
                      "Photographs are split at random: everything, including features, is learned from the training "
                      "images; C, the weight of errors, is chosen on the validation images%s; the test images are "
                      "segmented once and evaluated. GrabCut uses only the scribbles of the image. All methods have "
                      "the same splits.",
                      r->plan.choose_once ? " of the first split" : "");
    s3svm_results_facts(page, head, "Photographs");
    if (r->plan.side) s3svm_report_fact(page, "Reduced", "to at most %zu pixels a side", r->plan.side);
    if (r->plan.cache) s3svm_report_fact(page, "Features", "from a cache where it has them");
    s3svm_report_fact(page, "Calling everything background", "%.2f %% wrong", 100 * r->background_error);
    s3svm_results_run(page, head);
}

static void interactive_page_write(s3svm_report *page, const s3svm_results_head *head, const void *results)
{
    const s3svm_segment_results *r = results;
    s3svm_report_heading(page, "Results");
    errors_table(page, r);
    if (s3svm_segment_subject(r) != s3svm_segment_reference(r)) gains_table(page, r);
    s3svm_segment_error_charts(page, r);
    s3svm_report_heading(page, "Pictures");
    s3svm_segment_pictures(page, r);
    s3svm_report_heading(page, "What was learned");
    s3svm_segment_learned(page, r);
    s3svm_report_heading(page, "Training");
    times_table(page, r);
    s3svm_segment_training_charts(page, r);
    interactive_report_set_up(page, r, head);
}

sos_status s3svm_segment_report(const s3svm_segment_results *r, const char *folder, const char *command, sos_error *error)
{
    static const s3svm_results_writers writers = { .page = interactive_page_write,
                                                   .numbers = interactive_numbers_write,
                                                   .table = interactive_table_write };
    char subtitle[160];
    snprintf(subtitle, sizeof subtitle, "%zu photographs with scribbles, %zu random split%s%s", r->images, r->splits,
             r->splits == 1 ? "" : "s", r->splits < r->plan.splits ? " so far" : "");
    const s3svm_results_head head = { .experiment = "interactive",
                                      .title = "Cutting out objects with learned sum-of-submodular energies",
                                      .subtitle = subtitle,
                                      .data = r->plan.data,
                                      .command = command,
                                      .images = r->images,
                                      .train = r->train,
                                      .validation = r->validation,
                                      .test = r->test,
                                      .splits = r->splits,
                                      .splits_planned = r->plan.splits,
                                      .seed = r->plan.seed,
                                      .seconds = r->seconds,
                                      .columns = COLUMNS };
    return s3svm_results_write(&head, &writers, r, folder, error);
}
