/* clicks_row.c - s3svm experiment clicks: its options and its summary. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "experiments/experiment.h"
#include "experiments/segment/clicks_report.h"

typedef struct options {
    const char *data, *methods, *models, *evidence;
    int64_t splits, photographs, clicks, seed;
    double radius;
    bool whole;
    s3svm_reals learn;
} options;

static const s3svm_option OPTIONS[] = {
    { "data", 0, S3SVM_SETS_TEXT(options, data), "DIR",
      "photographs in DIR/images, masks in DIR/labels, and optionally DIR/scribbles", 0, 0 },
    { "models", 'm', S3SVM_SETS_TEXT(options, models), "LIST",
      "models of s3svm train segment; {} in a name is replaced by the number of the split", 0, 0 },
    { "methods", 0, S3SVM_SETS_TEXT(options, methods), "LIST",
      "methods among model (built-in), amn and grabcut (default model,grabcut; grabcut with -m)", 0, 0 },
    { "evidence", 0, S3SVM_SETS_TEXT(options, evidence), "LIST",
      "models that have learned what to make of DIR/maps take part with each of none, maps, proposed (from what maps propose), "
      "other (maps of another photograph), noise (default none)",
      0, 0 },
    { "learn", 0, S3SVM_SETS_REALS(options, learn), "LIST",
      "also measure the model after learning from this many photographs, for example 10,20", 0, S3SVM_CLICKS_LESSONS_MAX },
    { "splits", 0, S3SVM_SETS_INTEGER(options, splits), "N",
      "use the test parts of N random splits (default 0: all photographs)", 0, 1000 },
    { "photographs", 0, S3SVM_SETS_INTEGER(options, photographs), "N",
      "choose at most N photographs of each split at random (default 0: all)", 0, INT64_MAX },
    { "clicks", 0, S3SVM_SETS_INTEGER(options, clicks), "N", "maximal number of clicks in a dialogue (default 20)", 1,
      S3SVM_CLICKS_MAX },
    { "radius", 0, S3SVM_SETS_REAL(options, radius), "PIXELS", "radius of a click in pixels (default 5)", 0, 0 },
    { "whole", 0, S3SVM_SETS_FLAG(options, whole), NULL,
      "clicks keep their radius even where the true region is thinner, as in papers", 0, 0 },
    { "seed", 0, S3SVM_SETS_INTEGER(options, seed), "N", "seed of splits and random choices (default 1)", 0, INT64_MAX },
    S3SVM_OPTIONS_END,
};

static void clicks_options_defaults(void *settings)
{
    *(options *)settings = (options){ .clicks = 20, .radius = 5, .seed = 1 };
}

static sos_status clicks_options_check(const void *settings, sos_error *error)
{
    const options *o = settings;
    if (!o->data) return sos_fail(error, SOS_ERR_ARGUMENT, "no --data DIR given");
    return o->radius > 0 ? SOS_OK : sos_fail(error, SOS_ERR_ARGUMENT, "--radius takes a number above 0, not %g", o->radius);
}

static const s3svm_form FORM = { OPTIONS, sizeof(options), clicks_options_defaults, clicks_options_check };

/* ---------------------------------------------------------------- what it says */

static void mean_print(FILE *out, int width, s3svm_clicks_mean m, double factor, int decimals)
{
    char text[60];
    if (isnan(m.mean))
        snprintf(text, sizeof text, "-");
    else if (isnan(m.standard_error))
        snprintf(text, sizeof text, "%.*f", decimals, factor * m.mean);
    else
        snprintf(text, sizeof text, "%.*f +- %.*f", decimals, factor * m.mean, decimals, factor * m.standard_error);
    fprintf(out, "  %*s", width, text);
}

static void needed_print(FILE *out, const s3svm_clicks_results *r)
{
    fprintf(out, "%-30s  %14s  %8s  %14s  %8s  %17s  %16s  %9s\n", "", "clicks to 0.85", "reached", "to 0.90", "reached",
            "worst change, IoU", "harm, %", "s/click");
    for (size_t m = 0; m < r->method_count; m++) {
        s3svm_clicks_mean change;
        (void)s3svm_clicks_worst(r, m, &change);
        fprintf(out, "%-30.30s", r->methods[m].name);
        for (size_t g = 0; g < S3SVM_CLICKS_GOALS; g++) {
            mean_print(out, 14, s3svm_clicks_average(r, m, s3svm_clicks_needed, g), 1, 2);
            fprintf(out, "  %6.0f %%", 100 * s3svm_clicks_average(r, m, s3svm_clicks_reached, g).mean);
        }
        mean_print(out, 17, change, 1, 4);
        mean_print(out, 16, s3svm_clicks_average(r, m, s3svm_clicks_mean_harm, 0), 100, 3);
        fprintf(out, "  %9.3f\n", s3svm_clicks_average(r, m, s3svm_clicks_seconds, 0).mean);
    }
}

static void iou_print(FILE *out, const s3svm_clicks_results *r)
{
    fprintf(out, "\nIoU after clicks              ");
    for (size_t f = 0; f < S3SVM_CLICKS_FRAMES && s3svm_clicks_frames[f] <= r->plan.clicks; f++)
        fprintf(out, "  %6zu", s3svm_clicks_frames[f]);
    fputc('\n', out);
    for (size_t m = 0; m < r->method_count; m++) {
        fprintf(out, "%-30.30s", r->methods[m].name);
        for (size_t f = 0; f < S3SVM_CLICKS_FRAMES && s3svm_clicks_frames[f] <= r->plan.clicks; f++)
            fprintf(out, "  %6.3f", s3svm_clicks_average(r, m, s3svm_clicks_iou, s3svm_clicks_frames[f] - 1).mean);
        fputc('\n', out);
    }
}

static void errors_print(FILE *out, const s3svm_clicks_results *r, s3svm_clicks_moment moment, const char *title)
{
    fprintf(out, "\n%-30s  %15s  %15s  %15s  %15s  %15s\n", title, "IoU", "wrong, %", "within 2", "within 4", "within 8");
    for (size_t m = 0; m < r->method_count; m++) {
        fprintf(out, "%-30.30s", r->methods[m].name);
        for (size_t k = 0; k < S3SVM_CLICKS_NUMBERS; k++)
            mean_print(out, 15, s3svm_clicks_moment_mean(r, m, moment, k), k ? 100 : 1, k ? 2 : 3);
        fputc('\n', out);
    }
}

static void clicks_results_print(FILE *out, const s3svm_clicks_results *r)
{
    fprintf(out, "%zu photographs, at most %zu clicks; means and standard errors\n\n", r->picture_count, r->plan.clicks);
    needed_print(out, r);
    iou_print(out, r);
    errors_print(out, r, S3SVM_CLICKS_LAST, "after the last click");
    if (r->has_scribbles) errors_print(out, r, S3SVM_CLICKS_SCRIBBLES, "by the data set's scribbles");
    errors_print(out, r, S3SVM_CLICKS_BOX, "by a box, a tenth larger");
    errors_print(out, r, S3SVM_CLICKS_HURRIED, "by two strokes");
}

/* ---------------------------------------------------------------- the run */

static sos_status clicks_run(const void *settings, const sos_work *work, const char *folder, const char *command, FILE *summary,
                             sos_error *error)
{
    const options *o = settings;
    const s3svm_clicks_plan plan = { .data = o->data,
                                     .methods = o->methods,
                                     .models = o->models,
                                     .evidence = o->evidence,
                                     .splits = (size_t)o->splits,
                                     .photographs = (size_t)o->photographs,
                                     .clicks = (size_t)o->clicks,
                                     .radius = o->radius,
                                     .whole = o->whole,
                                     .learn = o->learn,
                                     .seed = (uint64_t)o->seed,
                                     .threads = work->threads,
                                     .progress = work->progress,
                                     .user = work->user };
    s3svm_clicks_results results;
    sos_status status = s3svm_clicks_experiment(&plan, &results, error);
    if (status == SOS_CANCELLED) return sos_fail(error, status, "no report was written");
    if (status) return status;
    status = s3svm_clicks_report(&results, folder, command, error);
    if (!status) clicks_results_print(summary, &results);
    if (!status && results.case_count < results.planned)
        status = sos_fail(error, SOS_CANCELLED, "the report has %zu of %zu dialogues", results.case_count, results.planned);
    s3svm_clicks_results_free(&results);
    return status;
}

const s3svm_experiment s3svm_clicks_experiment_row = {
    .name = "clicks",
    .summary = "count the clicks needed to cut an object out of a photograph",
    .details = "Simulated dialogues, counted as in papers on interactive segmentation: the first click is in the\n"
               "middle of the object, each further click in the middle of the largest wrong region, until the\n"
               "intersection over union is 0.85 and 0.90, and on to 20 clicks. The report also shows errors along\n"
               "the true outline, results with the scribbles of the data set, with boxes and with two strokes, one on\n"
               "the object and one on the background, and the harm that clicks do far away.\n"
               "\n"
               "Methods: model, the built-in one; amn, with pairs of neighbours; grabcut; and model files. A model\n"
               "tested on photographs that it was trained on looks better than it is: with --splits only test parts\n"
               "count, and -m 'model-{}.json' names a model for each split. With --learn 10,20 the model learns from\n"
               "10, and from 20, photographs of each split, as s3svm train segment --from does, and is tested on the\n"
               "others; where cross-validation on the 10 or 20 finds no gain, it stays as it was. The same photograph,\n"
               "by its pixels, is never on both sides of a split.",
    .examples = "  s3svm experiment clicks --data photographs -o report\n"
                "  s3svm experiment clicks --data photographs --photographs 30 --methods model,amn,grabcut -o report\n"
                "  s3svm experiment clicks --data photographs --splits 5 -m 'model-{}.json' -o report\n"
                "  s3svm experiment clicks --data mine --splits 5 -m segment --learn 10,20 -o report\n",
    .form = &FORM,
    .run = clicks_run,
};
