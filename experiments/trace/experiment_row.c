/* experiment_row.c - s3svm experiment trace: its options, and what it says when it is done. */
#include <stdio.h>

#include "base/error.h"
#include "experiments/experiment.h"
#include "experiments/trace/experiment.h"
#include "trace/model.h"

typedef struct wishes {
    const char *data;
    int64_t folds, only, seed, samples;
    bool known;
    s3svm_reals Cs;
    double missed, broken;
} wishes;

static const s3svm_option OPTIONS[] = {
    { "data", 0, S3SVM_SETS_TEXT(wishes, data), "DIR", "pictures in DIR/images, their structures in DIR/labels", 0, 0 },
    { "folds", 0, S3SVM_SETS_INTEGER(wishes, folds), "N", "of cross-validation (5)", 2, 100 },
    { "fold", 0, S3SVM_SETS_INTEGER(wishes, only), "N", "only this fold, so that several runs make up one (0: all)", 0, 100 },
    { "known", 0, S3SVM_SETS_FLAG(wishes, known), NULL, "also weights learned from the very pictures that are tested on", 0,
      0 },
    { "C", 0, S3SVM_SETS_REALS(wishes, Cs), "LIST", "to choose from, inside each fold (300,3000)", 0, S3SVM_REALS_MAX },
    { "missed", 0, S3SVM_SETS_REAL(wishes, missed), "X", "what a missed pixel costs in training (1.5)", 0, 0 },
    { "broken", 0, S3SVM_SETS_REAL(wishes, broken), "X", "what a break of the centre line costs on top (1)", 0, 0 },
    { "samples", 0, S3SVM_SETS_INTEGER(wishes, samples), "N", "pixels that networks learn from, about (0: 400000)", 0,
      INT64_MAX },
    { "seed", 0, S3SVM_SETS_INTEGER(wishes, seed), "N", "of folds and networks (1)", 0, INT64_MAX },
    S3SVM_OPTIONS_END,
};

static void defaults(void *settings)
{
    *(wishes *)settings = (wishes){ .folds = 5,
                                    .seed = 1,
                                    .Cs = { 2, { 300, 3000 } },
                                    .missed = s3svm_trace_usual_loss.missed,
                                    .broken = s3svm_trace_usual_loss.broken };
}

static sos_status check(const void *settings, sos_error *error)
{
    const wishes *w = settings;
    if (w->only > w->folds) return sos_fail(error, SOS_ERR_ARGUMENT, "--fold: there are %lld", (long long)w->folds);
    if (!w->data) return sos_fail(error, SOS_ERR_ARGUMENT, "no --data DIR given");
    if (!(w->missed > 0) || !(w->broken >= 0)) return sos_fail(error, SOS_ERR_ARGUMENT, "errors do not cost less than nothing");
    for (size_t i = 0; i < w->Cs.count; i++)
        if (!(w->Cs.values[i] > (i ? w->Cs.values[i - 1] : 0)))
            return sos_fail(error, SOS_ERR_ARGUMENT, "--C: values are over 0, and increase");
    return SOS_OK;
}

static const s3svm_form FORM = { OPTIONS, sizeof(wishes), defaults, check };

static void results_print(FILE *out, const s3svm_trace_results *r)
{
    static s3svm_trace_score *const scores[] = { s3svm_trace_wrong, s3svm_trace_f1, s3svm_trace_f1_near, s3svm_trace_cldice };
    fprintf(out, "Means over %zu pictures, with standard errors: %zu of %zu folds\n\n", r->wrong.tests, r->folds,
            r->plan.folds);
    fprintf(out, "%-22s  %14s  %14s  %14s  %14s  %14s\n", "", "wrong, %", "F1, %", "within 2, %", "clDice, %", "breaks");
    for (size_t m = 0; m < S3SVM_TRACE_METHODS; m++) {
        if (!s3svm_trace_takes_part(r, m)) continue;
        const s3svm_spread breaks = s3svm_trace_mean(r, m, 0, s3svm_trace_breaks);
        fprintf(out, "%-22s", s3svm_trace_method_name(m));
        for (size_t s = 0; s < sizeof scores / sizeof *scores; s++) {
            char text[S3SVM_SPREAD_TEXT];
            fprintf(out, "  %14s", s3svm_spread_text(s3svm_trace_mean(r, m, 0, scores[s]), text));
        }
        fprintf(out, "  %6.2f +- %.2f\n", breaks.mean, breaks.deviation);
    }
    s3svm_contest_print(out, &r->wrong, "wrong pixels", S3SVM_TRACE_RIVALS, s3svm_trace_rivals);
    s3svm_contest_print(out, &r->breaks, "breaks of a picture", S3SVM_TRACE_RIVALS, s3svm_trace_rivals);
}

static sos_status run(const void *settings, const sos_work *work, const char *folder, const char *command, FILE *summary,
                      sos_error *error)
{
    const wishes *w = settings;
    const s3svm_trace_plan plan = { .data = w->data,
                                    .folds = (size_t)w->folds,
                                    .only = (size_t)w->only,
                                    .known = w->known,
                                    .samples = (size_t)w->samples,
                                    .seed = (uint64_t)w->seed,
                                    .Cs = w->Cs,
                                    .missed = w->missed,
                                    .broken = w->broken,
                                    .threads = work->threads,
                                    .progress = work->progress,
                                    .user = work->user };
    s3svm_trace_results results;
    sos_status status = s3svm_trace_experiment(&plan, &results, error);
    if (status == SOS_CANCELLED) return sos_fail(error, status, "there is no report");
    if (status) return status;
    status = s3svm_trace_report(&results, folder, command, error);
    if (!status) results_print(summary, &results);
    s3svm_trace_results_free(&results);
    return status;
}

const s3svm_experiment s3svm_trace_experiment_row = {
    .name = "trace",
    .summary = "thin structures are found in photographs: pairs and tables along lines",
    .details = "Vessels, cracks and other thin structures: what small networks say of each pixel alone; with pairs of\n"
               "neighbours; with pairs along lines, a free table of 2x2 costs for each distance; and with learned tables\n"
               "of all 7 pixels of the same lines.  By cross-validation: every picture is judged once, by models that\n"
               "have not seen it.  All have the same networks, learned anew in each fold.",
    .examples = "  s3svm experiment trace --data vessels -o report\n"
                "  s3svm experiment trace --data cracks --broken 3 -o report\n",
    .form = &FORM,
    .run = run,
};
