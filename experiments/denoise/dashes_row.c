/* dashes_row.c - s3svm experiment dashes: its options and its summary. */
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "experiments/denoise/dashes.h"
#include "experiments/experiment.h"

typedef struct options {
    double sigma;
    int64_t splits, seed, count, side;
} options;

static const s3svm_option OPTIONS[] = {
    { "count", 0, S3SVM_SETS_INTEGER(options, count), "N", "number of drawings (default 24)", 6, 100000 },
    { "size", 0, S3SVM_SETS_INTEGER(options, side), "N", "width and height of a drawing in pixels (default 112)", 64, 2048 },
    { "sigma", 0, S3SVM_SETS_REAL(options, sigma), "S", "standard deviation of the noise (default 0.2)", 0, 0 },
    { "splits", 0, S3SVM_SETS_INTEGER(options, splits), "N", "number of random halves (default 5)", 1, 1000 },
    { "seed", 0, S3SVM_SETS_INTEGER(options, seed), "N", "seed of drawings, noise and splits (default 1)", 0, INT64_MAX },
    S3SVM_OPTIONS_END,
};

static void dashes_options_defaults(void *settings)
{
    *(options *)settings = (options){ .sigma = 0.2, .splits = 5, .seed = 1, .count = 24, .side = 112 };
}

static sos_status dashes_options_check(const void *settings, sos_error *error)
{
    const options *o = settings;
    return o->sigma < 0 ? sos_fail(error, SOS_ERR_ARGUMENT, "--sigma must not be negative") : SOS_OK;
}

static const s3svm_form FORM = { OPTIONS, sizeof(options), dashes_options_defaults, dashes_options_check };

static void dashes_results_print(FILE *out, const s3svm_dashes_results *r)
{
    fprintf(out, "On test drawings, %%, mean%s of %zu random %s of %zu drawings\n\n", r->splits > 1 ? " and deviation" : "",
            r->splits, r->splits == 1 ? "half" : "halves", r->drawings.count);
    fprintf(out, "%-28s  %14s  %14s\n", "", "wrong pixels", "IoU");
    for (size_t m = 0; m < S3SVM_DASHES_METHODS; m++) {
        char error[S3SVM_SPREAD_TEXT], iou[S3SVM_SPREAD_TEXT];
        fprintf(out, "%-28s  %14s  %14s\n", s3svm_dashes_names[m],
                s3svm_spread_text(s3svm_dashes_spread(r, m, offsetof(s3svm_dashes_outcome, error)), error),
                s3svm_spread_text(s3svm_dashes_spread(r, m, offsetof(s3svm_dashes_outcome, iou)), iou));
    }
    fprintf(out, "%-28s  %14.2f\n", "all paper", 100 * r->ink);
    s3svm_contest_print(out, &r->contest, "dashes", S3SVM_DASHES_RIVALS, s3svm_dashes_rivals);
}

static sos_status dashes_run(const void *settings, const sos_work *work, const char *folder, const char *command, FILE *summary,
                             sos_error *error)
{
    const options *o = settings;
    const s3svm_dashes_plan plan = { .count = (size_t)o->count,
                                     .side = (size_t)o->side,
                                     .sigma = o->sigma,
                                     .seed = (uint64_t)o->seed,
                                     .splits = (size_t)o->splits,
                                     .threads = work->threads,
                                     .progress = work->progress,
                                     .user = work->user };
    s3svm_dashes_results results;
    sos_status status = s3svm_dashes_experiment(&plan, &results, error);
    if (status == SOS_CANCELLED) return sos_fail(error, status, "no report was written");
    if (status) return status;
    status = s3svm_dashes_report(&results, folder, command, error);
    if (!status) dashes_results_print(summary, &results);
    if (!status && results.splits < plan.splits)
        status = sos_fail(error, SOS_CANCELLED, "the report has %zu of %zu splits", results.splits, plan.splits);
    s3svm_dashes_results_free(&results);
    return status;
}

const s3svm_experiment s3svm_dashes_experiment_row = {
    .name = "dashes",
    .summary = "join dashed curves among similar dashes, which pairs cannot tell apart",
    .details = "Long dashed curves lie, in noise, among single dashes that look the same locally. The models\n"
               "compared are pairs of neighbours, all pairs of the pixels of lines, robust P^n, and learned\n"
               "functions of the share of ink along a line, all with the same features of pixels, the same\n"
               "directions and the same lines.",
    .examples = "  s3svm experiment dashes -o report\n"
                "  s3svm experiment dashes --splits 1 --sigma 0.3 -o report\n",
    .form = &FORM,
    .run = dashes_run,
};
