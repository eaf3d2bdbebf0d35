/* experiment_row.c - s3svm experiment corel: its options and its summary. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "experiments/common/choose.h"
#include "experiments/experiment.h"
#include "experiments/label/experiment.h"

/* The labels of the Corel images in the order of their numbers. */
static const char COREL[] = "rhino/hippo=8e5a3c,polar bear=f4c542,water=2e6fba,snow=e8eef4,vegetation=3c8d40,ground=b98b5e,"
                            "sky=8fd0f0";

#define USUAL "unary,pairwise,tables,full"

typedef struct options {
    const char *data, *names, *models;
    int64_t splits, seed, train, unknown, epochs;
    double seconds;
} options;

static const s3svm_option OPTIONS[] = {
    { "data", 0, S3SVM_SETS_TEXT(options, data), "DIR", "photographs in DIR/images, their labels in DIR/labels", 0, 0 },
    { "names", 0, S3SVM_SETS_TEXT(options, names), "LIST",
      "names of the labels: sky,water=0000ff,... (default: those of Corel)", 0, 0 },
    { "models", 0, S3SVM_SETS_TEXT(options, models), "LIST", "models to compare, see above (default " USUAL ")", 0, 0 },
    { "void", 0, S3SVM_SETS_INTEGER(options, unknown), "N", "number of pixels without a label (default 255); -1: none", -1,
      255 },
    { "splits", 0, S3SVM_SETS_INTEGER(options, splits), "N", "number of random splits (default 5)", 1, 1000 },
    { "train", 0, S3SVM_SETS_INTEGER(options, train), "N", "number of training images (default 0: three fifths)", 0,
      INT64_MAX },
    { "seed", 0, S3SVM_SETS_INTEGER(options, seed), "N", "seed of the splits (default 1)", 0, INT64_MAX },
    { "epochs", 0, S3SVM_SETS_INTEGER(options, epochs), "N", "training epochs of the networks (default 0: 20)", 0, 10000 },
    { "seconds", 0, S3SVM_SETS_REAL(options, seconds), "S", "time limit for each training (default 0: none)", 0, 0 },
    S3SVM_OPTIONS_END,
};

static void corel_options_defaults(void *settings)
{
    *(options *)settings = (options){ .names = COREL, .models = USUAL, .splits = 5, .seed = 1, .unknown = S3SVM_LABEL_VOID };
}

/* To free. */
static s3svm_label_names *names_make(const options *o, sos_error *error)
{
    sos_error why;
    s3svm_label_names *names = malloc(sizeof *names); /* too large for some stacks */
    if (!names) {
        (void)sos_fail(error, SOS_ERR_MEMORY, "no memory for the names of labels");
        return NULL;
    }
    if (s3svm_label_names_parse(o->names, names, &why)) {
        (void)sos_fail(error, why.status, "--names: %.480s", why.message);
        free(names);
        return NULL;
    }
    names->unknown = (int)o->unknown;
    return names;
}

static const char *model_word(size_t kind) { return s3svm_label_kind_name((s3svm_label_kind)kind); }

static sos_status models_choose(const char *list, bool contends[S3SVM_LABEL_DESIGNS], sos_error *error)
{
    return s3svm_choose("--models", list, S3SVM_LABEL_DESIGNS, model_word, "unary|pairwise|tables|full|pairs|robust|counts",
                        contends, error);
}

static sos_status corel_options_check(const void *settings, sos_error *error)
{
    const options *o = settings;
    sos_error why = { SOS_OK, "" };
    bool contends[S3SVM_LABEL_DESIGNS];
    if (!o->data) return sos_fail(error, SOS_ERR_ARGUMENT, "no --data DIR given");
    const sos_status status = models_choose(o->models, contends, error);
    if (status) return status;
    free(names_make(o, &why));
    return why.status ? sos_fail(error, why.status, "%s", why.message) : SOS_OK;
}

static const s3svm_form FORM = { OPTIONS, sizeof(options), corel_options_defaults, corel_options_check };

/* ---------------------------------------------------------------- the run */

static void row_print(FILE *out, const s3svm_label_results *r, s3svm_label_kind kind)
{
    double (*const scores[])(const s3svm_confusion *) = { s3svm_confusion_accuracy, s3svm_confusion_mean,
                                                          s3svm_confusion_mean_iou };
    fprintf(out, "%-24s", s3svm_label_method_name(kind));
    for (size_t i = 0; i < sizeof scores / sizeof *scores; i++) {
        char text[S3SVM_SPREAD_TEXT];
        fprintf(out, "  %16s", s3svm_spread_text(s3svm_label_spread(r, kind, scores[i]), text));
    }
    fputc('\n', out);
}

static void corel_results_print(FILE *out, const s3svm_label_results *r)
{
    fprintf(out, "Test images, mean%s of %zu split%s: %zu images to learn from, %zu to test on\n\n",
            r->plan.splits > 1 ? " and deviation" : "", r->plan.splits, r->plan.splits == 1 ? "" : "s", r->train,
            r->images - r->train);
    fprintf(out, "%-24s  %16s  %16s  %16s\n", "", "pixels right, %", "classes, %", "mean IoU, %");
    s3svm_label_kind kinds[S3SVM_LABEL_DESIGNS];
    const size_t count = s3svm_label_contenders(&r->plan, kinds);
    for (size_t k = 0; k < count; k++) row_print(out, r, kinds[k]);
    s3svm_contest_print(out, &r->contest, "test images", S3SVM_LABEL_RIVALS, s3svm_label_rivals);
}

static sos_status experiment_run(const s3svm_label_plan *plan, const char *folder, const char *command, FILE *summary,
                                 sos_error *error)
{
    s3svm_label_results *results = malloc(sizeof *results); /* too large for some stacks */
    if (!results) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the results");
    sos_status status = s3svm_label_experiment(plan, results, error);
    if (!status) {
        status = s3svm_label_report(results, folder, command, error);
        if (!status) corel_results_print(summary, results);
        s3svm_label_results_free(results);
    }
    free(results);
    return status;
}

static sos_status corel_run(const void *settings, const sos_work *work, const char *folder, const char *command, FILE *summary,
                            sos_error *error)
{
    const options *o = settings;
    sos_error why;
    s3svm_label_names *names = names_make(o, &why);
    if (!names) return sos_fail(error, why.status, "%s", why.message);
    s3svm_label_plan plan = { .data = o->data,
                              .names = names,
                              .unknown = (int)o->unknown,
                              .splits = (size_t)o->splits,
                              .seed = (uint64_t)o->seed,
                              .train = (size_t)o->train,
                              .epochs = (size_t)o->epochs,
                              .seconds = o->seconds,
                              .threads = work->threads,
                              .progress = work->progress,
                              .user = work->user };
    sos_status status = models_choose(o->models, plan.contends, error);
    if (!status) status = experiment_run(&plan, folder, command, summary, error);
    free(names);
    return status == SOS_CANCELLED ? sos_fail(error, status, "no report was written") : status;
}

const s3svm_experiment s3svm_label_experiment_row = {
    .name = "corel",
    .summary = "label photographs with several labels",
    .details = "Section 4.4 of the paper: unaries alone, with pairs, with learned tables over 2x2 patches, and with\n"
               "superpixels in addition, on the same random splits of labelled photographs.\n"
               "\n"
               "Models: unary; pairwise (pairs of neighbours); pairs (all pairs inside the patches of tables);\n"
               "tables; full (tables, and robust P^n on superpixels); robust and counts (pairs of neighbours, and\n"
               "superpixels of four sizes, the largest being the whole picture, with robust P^n or with learned\n"
               "functions of the share of each label).",
    .examples = "  s3svm experiment corel --data corel --splits 5 -o report\n"
                "  s3svm experiment corel --data street --names road,car=ff0000,sky --splits 1 -o report\n",
    .form = &FORM,
    .run = corel_run,
};
