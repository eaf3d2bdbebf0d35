/* experiment_row.c - s3svm experiment interactive: its options, messages and summary. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/edge.h"
#include "base/error.h"
#include "base/path.h"
#include "experiments/common/choose.h"
#include "experiments/experiment.h"
#include "experiments/segment/experiment.h"
#include "tasks/cache.h"

#define METHODS                                                                                                                \
    "grabcut, unaries, amn, pairs, s3svm, robust, region-pairs, counts, unaries-full, amn-full, pairs-full, full, "            \
    "robust-full, region-pairs-full, counts-full"
#define USUAL "grabcut,amn,pairs,s3svm,robust,counts,amn-full,full,counts-full"

typedef struct options {
    const char *data, *methods, *cache, *checkpoint;
    int64_t splits, seed, train, validation, size, samples;
    s3svm_reals C;
    double relations;
    bool no_cache, outlines, choose_once;
} options;

static const s3svm_option OPTIONS[] = {
    { "data", 0, S3SVM_SETS_TEXT(options, data), "DIR", "photographs in DIR/images, with DIR/labels and DIR/scribbles", 0, 0 },
    { "methods", 0, S3SVM_SETS_TEXT(options, methods), "LIST", "methods to compare, see above (default " USUAL ")", 0, 0 },
    { "splits", 0, S3SVM_SETS_INTEGER(options, splits), "N", "number of random splits (default 5)", 1, 1000 },
    { "train", 0, S3SVM_SETS_INTEGER(options, train), "N", "number of training images (default 0: half)", 0, INT64_MAX },
    { "validation", 0, S3SVM_SETS_INTEGER(options, validation), "N", "number of images for choosing C (default 0: a quarter)",
      0, INT64_MAX },
    { "seed", 0, S3SVM_SETS_INTEGER(options, seed), "N", "seed of the splits (default 1)", 0, INT64_MAX },
    { "size", 0, S3SVM_SETS_INTEGER(options, size), "N", "reduce images to at most N pixels a side (default 0: off)", 0,
      65536 },
    { "C", 0, S3SVM_SETS_REALS(options, C), "LIST", "values of C to choose from, increasing (default: four for each method)", 0,
      S3SVM_SEGMENT_TRIED },
    { "relations", 0, S3SVM_SETS_REAL(options, relations), "X",
      "factor of the weights between pixels (default 0: 1 or 4, chosen like C)", 0, 0 },
    { "samples", 0, S3SVM_SETS_INTEGER(options, samples), "N", "pixels of an image for training networks (default 0: 2500)", 0,
      INT64_MAX },
    { "cache", 0, S3SVM_SETS_TEXT(options, cache), "DIR",
      "folder in which features are kept (default: in the cache folder of the user)", 0, 0 },
    { "no-cache", 0, S3SVM_SETS_FLAG(options, no_cache), NULL, "do not use a cache", 0, 0 },
    { "checkpoint", 0, S3SVM_SETS_TEXT(options, checkpoint), "DIR",
      "keep there what methods come to on splits, and go on behind what is there", 0, 0 },
    { "choose-once", 0, S3SVM_SETS_FLAG(options, choose_once), NULL,
      "choose C and --relations on the first split, and use them on all", 0, 0 },
    { "outlines", 0, S3SVM_SETS_FLAG(options, outlines), NULL, "models with full features also refine outlines", 0, 0 },
    S3SVM_OPTIONS_END,
};

static void interactive_options_defaults(void *settings)
{
    *(options *)settings = (options){ .methods = USUAL, .splits = 5, .seed = 1 };
}

static const char *method_word(size_t contender) { return s3svm_contender_row(contender)->word; }

static sos_status methods_choose(const char *list, bool contends[S3SVM_CONTENDERS], sos_error *error)
{
    return s3svm_choose("--methods", list, S3SVM_CONTENDERS, method_word, METHODS, contends, error);
}

static sos_status interactive_options_check(const void *settings, sos_error *error)
{
    const options *o = settings;
    bool contends[S3SVM_CONTENDERS];
    if (!o->data) return sos_fail(error, SOS_ERR_ARGUMENT, "no --data DIR given");
    for (size_t i = 0; i < o->C.count; i++)
        if (!(o->C.values[i] > (i ? o->C.values[i - 1] : 0)))
            return sos_fail(error, SOS_ERR_ARGUMENT, "--C takes increasing numbers above 0");
    return methods_choose(o->methods, contends, error);
}

static const s3svm_form FORM = { OPTIONS, sizeof(options), interactive_options_defaults, interactive_options_check };

/* ---------------------------------------------------------------- what it says */

static void row_print(FILE *out, const s3svm_segment_results *r, size_t contender)
{
    static const size_t members[] = { offsetof(s3svm_segment_outcome, error),
                                      offsetof(s3svm_segment_outcome, error_without_unsure),
                                      offsetof(s3svm_segment_outcome, iou) };
    fprintf(out, "%-34s", s3svm_contender_names[contender]);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        char text[S3SVM_SPREAD_TEXT];
        fprintf(out, "  %17s", s3svm_spread_text(s3svm_segment_spread(r, contender, members[i]), text));
    }
    fprintf(out, "  %9.3f\n", S3SVM_SEGMENT_SPREAD(r, contender, seconds_per_image).mean);
}

static void interactive_results_print(FILE *out, const s3svm_segment_results *r)
{
    fprintf(out, "Test images, mean%s of %zu split%s: %zu images to learn from, %zu to choose C by, %zu to test on\n\n",
            r->splits > 1 ? " and deviation" : "", r->splits, r->splits == 1 ? "" : "s", r->train, r->validation, r->test);
    fprintf(out, "%-34s  %17s  %17s  %17s  %9s\n", "", "error, %", "without unsure, %", "IoU, %", "s/image");
    for (size_t c = 0; c < S3SVM_CONTENDERS; c++)
        if (r->plan.contends[c]) row_print(out, r, c);
    fprintf(out, "%-34s  %17.2f\n", "all background", 100 * r->background_error);
    s3svm_contest_print(out, &r->contest, "test images", S3SVM_SEGMENT_RIVALS, s3svm_segment_rivals);
}

static void outcome_tell(const sos_work *work, const s3svm_segment_results *r, size_t split, size_t contender)
{
    const s3svm_segment_outcome *o = s3svm_segment_outcome_at(r, split, contender);
    const char *edge = sos_edge(o->best, o->values);
    char line[300];
    const int length = snprintf(line, sizeof line, "split %zu, %s: error %.2f %%, %.3f s an image", split + 1,
                                s3svm_contender_names[contender], 100 * o->error, o->seconds_per_image);
    if (contender != S3SVM_CONTENDER_GRABCUT)
        snprintf(line + length, sizeof line - (size_t)length,
                 ", C = %g%s%s%s, relations %g, validation %.2f %%, features %.0f s, training %.0f s", o->trained[o->best].C,
                 edge ? " (the " : "", edge ? edge : "", edge ? " tried)" : "", o->relations,
                 100 * o->trained[o->best].validation, o->seconds_features, o->seconds_training);
    work->tell(work->user, line);
}

/* ---------------------------------------------------------------- the run */

/* Who listens while it runs. */
typedef struct listener {
    const sos_work *work;
    const char *folder, *command;
    sos_error *error;
    sos_status status; /* of the last report */
} listener;

/* A line for each method and split; and the report is there from the first split on, lest hours are lost. */
static void listen(void *user, const s3svm_segment_results *r, size_t split, size_t contender)
{
    listener *l = user;
    if (contender == S3SVM_CONTENDERS)
        l->status = s3svm_segment_report(r, l->folder, l->command, l->error);
    else if (l->work->tell)
        outcome_tell(l->work, r, split, contender);
}

static sos_status plan_run(const s3svm_segment_plan *plan, const listener *l, FILE *summary, sos_error *error)
{
    s3svm_segment_results results;
    sos_status status = s3svm_segment_experiment(plan, &results, error);
    if (status == SOS_CANCELLED) return sos_fail(error, status, "no report was written");
    if (status) return status;
    if (results.stopped || l->status) status = s3svm_segment_report(&results, l->folder, l->command, error);
    if (!status) interactive_results_print(summary, &results);
    if (!status && results.stopped)
        status = sos_fail(error, SOS_CANCELLED, "the report has %zu of %zu splits", results.splits, plan->splits);
    s3svm_segment_results_free(&results);
    return status;
}

static sos_status interactive_run(const void *settings, const sos_work *work, const char *folder, const char *command,
                                  FILE *summary, sos_error *error)
{
    const options *o = settings;
    listener l = { .work = work, .folder = folder, .command = command, .error = error };
    char *usual = s3svm_cache_usual();
    const char *cache = o->cache ? o->cache : usual;
    s3svm_segment_plan plan = { .data = o->data,
                                .splits = (size_t)o->splits,
                                .seed = (uint64_t)o->seed,
                                .train = (size_t)o->train,
                                .validation = (size_t)o->validation,
                                .side = (size_t)o->size,
                                .samples = (size_t)o->samples,
                                .values = o->C.count,
                                .relations = o->relations,
                                .outlines = o->outlines,
                                .choose_once = o->choose_once,
                                .kept = o->checkpoint,
                                .cache = o->no_cache ? NULL : cache,
                                .threads = work->threads,
                                .progress = work->progress,
                                .user = work->user,
                                .told = listen,
                                .listener = &l };
    memcpy(plan.C, o->C.values, sizeof plan.C);
    sos_status status = methods_choose(o->methods, plan.contends, error);
    if (!status && plan.kept) status = sos_folder_create(plan.kept, error);
    if (!status) status = plan_run(&plan, &l, summary, error);
    free(usual);
    return status;
}

const s3svm_experiment s3svm_segment_experiment_row = {
    .name = "interactive",
    .summary = "cut objects out of photographs with scribbles",
    .details = "Section 5.2 of the paper: GrabCut and learned models cut objects out of the same photographs, on the\n"
               "same random splits: one half for training, a quarter for choosing C, the rest for testing.\n"
               "\n"
               "Methods: grabcut; with the paper's features unaries (no terms between pixels), amn (pairs of\n"
               "neighbours), pairs (all pairs of 2x2 patches, by clusters), s3svm (tables of the same patches),\n"
               "robust (amn, and robust P^n on superpixels and sets of colours), region-pairs (amn, and pairs of\n"
               "pixels at random in the same regions, by region and contrast), counts (amn, and learned count\n"
               "functions on the same regions); with the full features unaries-full, amn-full, pairs-full, full,\n"
               "robust-full, region-pairs-full, counts-full.",
    .examples = "  s3svm experiment interactive --data interactive --splits 5 -o report\n"
                "  s3svm experiment interactive --data interactive --splits 1 --methods grabcut,full -o report\n"
                "  s3svm experiment interactive --data interactive --methods amn,counts --C 3e3,1e4,3e4 --choose-once "
                "--checkpoint run -o report\n",
    .form = &FORM,
    .run = interactive_run,
};
