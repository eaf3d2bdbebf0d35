/* experiment_report.c - what the experiment "trace" found, for people (index.html) and for programs (results.json,
 * results.csv).
 */
#include <stdio.h>

#include "base/json.h"
#include "experiments/common/results.h"
#include "experiments/trace/experiment.h"

/* What is measured of every picture. */
static const struct {
    const char *name, *head;
    s3svm_trace_score *score;
    s3svm_best best;
} SCORES[] = { { "error", "wrong, %", s3svm_trace_wrong, S3SVM_BEST_LEAST },
               { "f1", "F1, %", s3svm_trace_f1, S3SVM_BEST_MOST },
               { "f1_within_2", "F1 within 2 pixels, %", s3svm_trace_f1_near, S3SVM_BEST_MOST },
               { "cldice", "clDice, %", s3svm_trace_cldice, S3SVM_BEST_MOST },
               { "breaks", "breaks", s3svm_trace_breaks, S3SVM_BEST_LEAST } };
enum { SCORE_COUNT = sizeof SCORES / sizeof *SCORES, BREAKS = SCORE_COUNT - 1 };

static const char *const COLUMNS[] = { "image", "fold",        "method", "steps",  "error",
                                       "f1",    "f1_within_2", "cldice", "breaks", NULL };

/* ---------------------------------------------------------------- for programs */

static size_t first_fold(const s3svm_trace_results *r) { return r->plan.only ? r->plan.only - 1 : 0; }

static void outcome_json(sos_json *j, const s3svm_trace_results *r, size_t fold, size_t method)
{
    const s3svm_trace_outcome *o = s3svm_trace_outcome_at(r, fold, method);
    sos_json_open(j, NULL, '{');
    sos_json_count(j, "fold", fold);
    sos_json_real(j, "C", o->C);
    sos_json_real(j, "gap", o->gap);
    sos_json_real(j, "bias", o->bias);
    sos_json_count(j, "rounds", o->rounds);
    sos_json_real(j, "seconds_networks", r->seconds_networks[fold]);
    sos_json_real(j, "seconds_training", o->seconds_training);
    sos_json_real(j, "seconds_per_image", r->seconds_respond[fold] + o->seconds_an_image);
    sos_json_close(j, '}');
}

static void method_json(sos_json *j, const s3svm_trace_results *r, size_t method)
{
    sos_json_open(j, NULL, '{');
    sos_json_text(j, "name", s3svm_trace_method_name(method));
    sos_json_count(j, "weights", s3svm_trace_outcome_at(r, first_fold(r), method)->weights);
    for (size_t s = 0; s < SCORE_COUNT; s++) {
        char name[40];
        const s3svm_spread mean = s3svm_trace_mean(r, method, 0, SCORES[s].score);
        sos_json_real(j, SCORES[s].name, mean.mean);
        snprintf(name, sizeof name, "standard_error_%s", SCORES[s].name);
        sos_json_real(j, name, mean.deviation);
    }
    sos_json_open(j, "folds", '[');
    for (size_t fold = first_fold(r); fold < first_fold(r) + r->folds; fold++) outcome_json(j, r, fold, method);
    sos_json_close(j, ']');
    sos_json_close(j, '}');
}

static void write_numbers(sos_json *j, const void *results)
{
    const s3svm_trace_results *r = results;
    sos_json_open(j, "results", '[');
    for (size_t m = 0; m < S3SVM_TRACE_METHODS; m++)
        if (s3svm_trace_takes_part(r, m)) method_json(j, r, m);
    sos_json_close(j, ']');
    s3svm_contest_json(j, &r->wrong, S3SVM_TRACE_RIVALS, s3svm_trace_rivals);
    sos_json_open(j, "hundreds_of_breaks", '{');
    s3svm_contest_json(j, &r->breaks, S3SVM_TRACE_RIVALS, s3svm_trace_rivals);
    sos_json_close(j, '}');
}

static void write_table(s3svm_csv *c, const void *results)
{
    const s3svm_trace_results *r = results;
    for (size_t i = 0; i < r->images; i++)
        for (size_t m = 0; m < S3SVM_TRACE_METHODS && r->tested[i]; m++)
            for (int steps = -S3SVM_TRACE_ASIDE; steps <= S3SVM_TRACE_ASIDE && s3svm_trace_takes_part(r, m); steps++) {
                s3svm_csv_text(c, r->wrong.names[i]);
                s3svm_csv_count(c, r->fold_of[i] + 1);
                s3svm_csv_text(c, s3svm_trace_method_name(m));
                s3svm_csv_real(c, steps);
                for (size_t s = 0; s < SCORE_COUNT; s++)
                    s3svm_csv_real(c, SCORES[s].score(s3svm_trace_counts_at(r, i, m, steps)));
                s3svm_csv_row(c);
            }
}

/* ---------------------------------------------------------------- for people */

static void scores_table(s3svm_report *page, const s3svm_trace_results *r)
{
    s3svm_column columns[SCORE_COUNT + 2] = { { .name = "Model" } };
    for (size_t s = 0; s < SCORE_COUNT; s++) columns[s + 1] = (s3svm_column){ .name = SCORES[s].head, .best = SCORES[s].best };
    columns[SCORE_COUNT + 1] = (s3svm_column){ .name = "weights" };
    s3svm_report_table(page, "Mean over all pictures, each judged by models that have not seen it, and its standard error.",
                       SCORE_COUNT + 2, columns);
    for (size_t m = 0; m < S3SVM_TRACE_METHODS; m++) {
        if (!s3svm_trace_takes_part(r, m)) continue;
        const size_t weights = s3svm_trace_outcome_at(r, first_fold(r), m)->weights;
        s3svm_report_cell(page, "%s", s3svm_trace_method_name(m));
        for (size_t s = 0; s < SCORE_COUNT; s++) {
            const s3svm_spread mean = s3svm_trace_mean(r, m, 0, SCORES[s].score);
            if (s == BREAKS)
                s3svm_report_number(page, mean.mean, "%.2f", mean.mean);
            else
                s3svm_report_share(page, mean.mean, mean.deviation);
        }
        s3svm_report_number(page, (double)weights, "%zu", weights);
    }
}

static void write_page(s3svm_report *page, const s3svm_results_head *head, const void *results)
{
    const s3svm_trace_results *r = results;
    s3svm_report_heading(page, "Results");
    scores_table(page, r);
    s3svm_report_text(page, "All models have the same networks and the same loss. " S3SVM_CONTEST_EXPLAINED);
    if (r->plan.known)
        s3svm_report_text(page,
                          "Models that know the truth are no results: their weights are learned from the very pictures that "
                          "they are judged on, and say what the best weights could gain.");
    s3svm_contest_table(page, &r->wrong, "Wrong pixels", NULL);
    for (size_t i = 0; i < S3SVM_TRACE_RIVALS; i++) s3svm_contest_row(page, &r->wrong, s3svm_trace_rivals[i], NULL);
    s3svm_contest_table(page, &r->breaks, "Breaks of the centre line; points are breaks of a picture", NULL);
    for (size_t i = 0; i < S3SVM_TRACE_RIVALS; i++) s3svm_contest_row(page, &r->breaks, s3svm_trace_rivals[i], NULL);
    s3svm_report_heading(page, "How it was measured");
    s3svm_report_text(
        page,
        "A break is a piece of a part of the true centre line within 2 pixels of the answer, beyond the first. clDice "
        "is the harmonic mean of the share of the answer's centre line inside the truth and of the truth's inside "
        "the answer. In training a missed pixel costs %g, an added one 1, and five pixels of a centre line in a row "
        "that are all missed %g on top.",
        r->plan.missed, r->plan.broken);
    s3svm_results_facts(page, head, "Pictures");
    s3svm_results_run(page, head);
}

sos_status s3svm_trace_report(const s3svm_trace_results *r, const char *folder, const char *command, sos_error *error)
{
    static const s3svm_results_writers writers = { .page = write_page, .numbers = write_numbers, .table = write_table };
    char subtitle[160];
    const size_t test = r->images / r->plan.folds;
    snprintf(subtitle, sizeof subtitle, "%zu pictures, %zu folds", r->images, r->plan.folds);
    const s3svm_results_head head = { .experiment = "trace",
                                      .title = "Thin structures: pairs and tables along lines",
                                      .subtitle = subtitle,
                                      .data = r->plan.data,
                                      .command = command,
                                      .images = r->images,
                                      .train = r->images - test,
                                      .test = test,
                                      .splits = r->folds,
                                      .splits_planned = r->plan.folds,
                                      .seed = r->plan.seed,
                                      .seconds = r->seconds,
                                      .columns = COLUMNS };
    return s3svm_results_write(&head, &writers, r, folder, error);
}
