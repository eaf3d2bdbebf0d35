/* experiment.c - s3svm experiment: reruns the paper's experiments and writes a report.  The word after "experiment" tells them
 * apart. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sos/sos.h>

#include "base/path.h"
#include "command.h"
#include "denoise/experiment.h"
#include "label/experiment.h"
#include "options.h"
#include "progress.h"
#include "segment/experiment.h"
#include "tasks/cache.h"
#include <s3svm/drawing.h>

/* The command line as it could be typed again, cut where it is very long. */
static const char *command_text(const char *name, int argc, char *const argv[], char text[1024])
{
    size_t length = (size_t)snprintf(text, 1024, "s3svm experiment %s", name);
    for (int i = 0; i < argc && length < 1000; i++)
        length += (size_t)snprintf(text + length, 1024 - length, strchr(argv[i], ' ') ? " '%s'" : " %s", argv[i]);
    return text;
}

static int outcome_of(sos_status status, const sos_error *error)
{
    if (!status) return COMMAND_DONE;
    command_fail("%s", status == SOS_CANCELLED ? "interrupted: there is no report" : error->message);
    return status == SOS_CANCELLED ? COMMAND_INTERRUPTED : COMMAND_FAILED;
}

/* ---------------------------------------------------------------- denoising */

enum { NOISE_PLAIN, NOISE_SHIFTED, NOISE_BOTH }; /* in the order of --noise */
enum { MODELS_PAPER, MODELS_ALL };               /* of --models */

typedef struct denoising {
    const char *data, *output;
    sos_reals sigma;
    sos_sides size;
    double shifted;
    int64_t splits, seed, noise_seed, count, samples, threads;
    int noise, models;
    bool unclipped, no_curves;
} denoising;

static void noise_add(sos_denoise_plan *p, const denoising *d, sos_noise_model model, double sigma)
{
    p->noise[p->noises++] = (sos_noise){
        .model = model, .sigma = sigma, .seed = (uint64_t)d->noise_seed, .unclipped = d->unclipped && model == SOS_NOISE_PLAIN
    };
}

static int plan_make(const command *self, const denoising *d, sos_denoise_plan *p)
{
    *p = (sos_denoise_plan){ .data = d->data,
                             .count = (size_t)d->count,
                             .width = d->size.width,
                             .height = d->size.height,
                             .drawings_seed = (uint64_t)d->seed,
                             .splits = (size_t)d->splits,
                             .seed = (uint64_t)d->seed,
                             .without_full = d->models == MODELS_PAPER,
                             .without_curves = d->no_curves,
                             .samples = (size_t)d->samples,
                             .threads = (int)d->threads };
    for (size_t i = 0; i < d->sigma.count && d->noise != NOISE_SHIFTED; i++) {
        if (d->sigma.values[i] < 0) return options_wrong(self, "--sigma must not be negative");
        noise_add(p, d, SOS_NOISE_PLAIN, d->sigma.values[i]);
    }
    if (!(d->shifted >= 0)) return options_wrong(self, "--shifted-sigma must not be negative");
    if (d->noise != NOISE_PLAIN) noise_add(p, d, SOS_NOISE_SHIFTED, d->shifted);
    return OPTIONS_RUN;
}

static void results_print(const sos_denoise_results *r)
{
    printf("Wrong pixels on test images, %%, mean%s of %zu random %s of %zu drawings\n\n",
           r->plan.splits > 1 ? " and deviation" : "", r->plan.splits, r->plan.splits == 1 ? "half" : "halves", r->images);
    printf("%-20s", "");
    for (size_t noise = 0; noise < r->plan.noises; noise++) {
        const sos_noise *n = &r->plan.noise[noise];
        char text[40];
        snprintf(text, sizeof text, "%s %g", n->model == SOS_NOISE_PLAIN ? "plain" : "shifted", n->sigma);
        printf("  %14s", text);
    }
    putchar('\n');
    for (size_t m = 0; m < SOS_DENOISE_METHODS; m++) {
        if (sos_denoise_outcome_at(r, 0, 0, m)->missing) continue;
        printf("%-20s", sos_denoise_method_name(m));
        for (size_t noise = 0; noise < r->plan.noises; noise++) {
            double deviation;
            const double mean = sos_denoise_error(r, noise, m, &deviation);
            char text[40];
            snprintf(text, sizeof text, isfinite(deviation) ? "%.2f +- %.2f" : "%.2f", 100 * mean, 100 * deviation);
            printf("  %14s", text);
        }
        putchar('\n');
    }
    printf("%-20s  %14.2f\n", "all white", 100 * r->white_error);
}

static const sos_option DENOISING[] = {
    { "output", 'o', SOS_SETS_TEXT(denoising, output), "REPORT", "write the report into this folder", 0, 0 },
    { "data", 0, SOS_SETS_TEXT(denoising, data), "DIR", "drawings in DIR/labels (without: made for the occasion)", 0, 0 },
    { "sigma", 0, SOS_SETS_REALS(denoising, sigma), "LIST", "plain noise of these strengths (0.5,0.7,1.0)", 0,
      SOS_DENOISE_NOISES_MAX - 1 },
    { "noise", 0, SOS_SETS_CHOICE(denoising, noise), "plain|shifted|both", "which kinds of noise (both)", 0, 0 },
    { "shifted-sigma", 0, SOS_SETS_REAL(denoising, shifted), "S", "strength of the shifted noise (150)", 0, 0 },
    { "unclipped", 0, SOS_SETS_FLAG(denoising, unclipped), NULL, "plain noise is not clipped to 8 bits", 0, 0 },
    { "splits", 0, SOS_SETS_INTEGER(denoising, splits), "N", "random halves (5)", 1, 1000 },
    { "seed", 0, SOS_SETS_INTEGER(denoising, seed), "N", "of the splits and of drawings that are made (1)", 0, INT64_MAX },
    { "noise-seed", 0, SOS_SETS_INTEGER(denoising, noise_seed), "N", "of the noise (1)", 0, INT64_MAX },
    { "count", 0, SOS_SETS_INTEGER(denoising, count), "N", "how many drawings are made (20)", 2, 100000 },
    { "size", 0, SOS_SETS_SIDES(denoising, size), "WxH", "their size (400x200)", 0, 0 },
    { "models", 0, SOS_SETS_CHOICE(denoising, models), "paper|all",
      "learned models: the paper's only, or the full one too (all)", 0, 0 },
    { "samples", 0, SOS_SETS_INTEGER(denoising, samples), "N", "pixels that the full model's features learn from (0: default)",
      0, INT64_MAX },
    { "no-curves", 0, SOS_SETS_FLAG(denoising, no_curves), NULL, "without the chart of error against C", 0, 0 },
    { "threads", 0, SOS_SETS_INTEGER(denoising, threads), "N", "use N threads (0: all cores); the errors are the same", 0,
      4096 },
    SOS_OPTIONS_END,
};

static int denoising_run(const command *self, int argc, char *argv[])
{
    denoising d = { .sigma = { 3, { 0.5, 0.7, 1 } },
                    .size = { 400, 200 },
                    .shifted = 150,
                    .splits = 5,
                    .seed = 1,
                    .noise_seed = 1,
                    .count = 20,
                    .noise = NOISE_BOTH,
                    .models = MODELS_ALL };
    char text[1024];
    command_text("denoising", argc, argv, text); /* parsing moves them about */
    sos_denoise_plan plan;
    sos_denoise_results results;
    sos_error error;
    progress shown;
    int count;
    int code = options_parse_table(self, DENOISING, &d, argc, argv, &count);
    if (code != OPTIONS_RUN) return code;
    if (count) return options_wrong(self, "what is '%s' for?", argv[0]);
    if (!d.output) return options_wrong(self, "no REPORT given: -o names its folder");
    code = plan_make(self, &d, &plan);
    if (code != OPTIONS_RUN) return code;
    if (sos_folder_create(d.output, &error)) return command_fail("%s", error.message);
    plan.progress = progress_report;
    plan.user = &shown;
    progress_begin(&shown, "experiment");
    sos_status status = sos_denoise_experiment(&plan, &results, &error);
    progress_end(&shown);
    if (status) return outcome_of(status, &error);
    status = sos_denoise_report(&results, d.output, text, &error);
    if (!status) {
        results_print(&results);
        printf("\n%.0f s; the report is %s/index.html\n", results.seconds, d.output);
    }
    sos_denoise_results_free(&results);
    return outcome_of(status, &error);
}

/* ---------------------------------------------------------------- corel */

/* The labels of the Corel images in the order of their numbers. */
static const char COREL[] = "rhino/hippo=8e5a3c,polar bear=f4c542,water=2e6fba,snow=e8eef4,vegetation=3c8d40,ground=b98b5e,"
                            "sky=8fd0f0";

typedef struct corel {
    const char *data, *names, *output;
    int64_t splits, seed, train, unknown, epochs, threads;
    double seconds;
} corel;

static void corel_print(const sos_label_results *r)
{
    printf("Test images, mean%s of %zu split%s: %zu images to learn from, %zu to test on\n\n",
           r->plan.splits > 1 ? " and deviation" : "", r->plan.splits, r->plan.splits == 1 ? "" : "s", r->train,
           r->images - r->train);
    printf("%-24s  %16s  %16s  %16s\n", "", "pixels right, %", "classes, %", "mean IoU, %");
    for (size_t k = 0; k < SOS_LABEL_KINDS_COUNT; k++) {
        double (*const scores[])(const sos_confusion *) = { sos_confusion_accuracy, sos_confusion_mean,
                                                            sos_confusion_mean_iou };
        printf("%-24s", sos_label_method_name((sos_label_kind)k));
        for (size_t i = 0; i < 3; i++) {
            double deviation;
            char text[40];
            const double mean = sos_label_mean(r, (sos_label_kind)k, scores[i], &deviation);
            snprintf(text, sizeof text, isfinite(deviation) ? "%.2f +- %.2f" : "%.2f", 100 * mean, 100 * deviation);
            printf("  %16s", text);
        }
        putchar('\n');
    }
}

static int corel_names(const command *self, const corel *c, sos_label_names *names)
{
    sos_error error;
    const sos_status status = sos_label_names_parse(c->names, names, &error);
    names->unknown = (int)c->unknown;
    return status ? options_wrong(self, "--names: %s", error.message) : OPTIONS_RUN;
}

static int corel_measure(const corel *c, const sos_label_names *names, const char *text)
{
    static sos_label_results results; /* too large for some stacks */
    sos_error error;
    progress shown;
    const sos_label_plan plan = { .data = c->data,
                                  .names = names,
                                  .unknown = (int)c->unknown,
                                  .splits = (size_t)c->splits,
                                  .seed = (uint64_t)c->seed,
                                  .train = (size_t)c->train,
                                  .epochs = (size_t)c->epochs,
                                  .seconds = c->seconds,
                                  .threads = (int)c->threads,
                                  .progress = progress_report,
                                  .user = &shown };
    if (sos_folder_create(c->output, &error)) return command_fail("%s", error.message);
    progress_begin(&shown, "experiment");
    sos_status status = sos_label_experiment(&plan, &results, &error);
    progress_end(&shown);
    if (status) return outcome_of(status, &error);
    status = sos_label_report(&results, c->output, text, &error);
    if (!status) {
        corel_print(&results);
        printf("\n%.0f s; the report is %s/index.html\n", results.seconds, c->output);
    }
    sos_label_results_free(&results);
    return outcome_of(status, &error);
}

static const sos_option COREL_OPTIONS[] = {
    { "output", 'o', SOS_SETS_TEXT(corel, output), "REPORT", "write the report into this folder", 0, 0 },
    { "data", 0, SOS_SETS_TEXT(corel, data), "DIR", "photographs in DIR/images, their labels in DIR/labels", 0, 0 },
    { "names", 0, SOS_SETS_TEXT(corel, names), "LIST", "of the labels: sky,water=0000ff,... (those of Corel)", 0, 0 },
    { "void", 0, SOS_SETS_INTEGER(corel, unknown), "N", "the number for pixels without a label (255); -1: none", -1, 255 },
    { "splits", 0, SOS_SETS_INTEGER(corel, splits), "N", "random splits (5)", 1, 1000 },
    { "train", 0, SOS_SETS_INTEGER(corel, train), "N", "images to learn from (0: three of five)", 0, INT64_MAX },
    { "seed", 0, SOS_SETS_INTEGER(corel, seed), "N", "of the splits (1)", 0, INT64_MAX },
    { "epochs", 0, SOS_SETS_INTEGER(corel, epochs), "N", "of the networks (0: default)", 0, 10000 },
    { "seconds", 0, SOS_SETS_REAL(corel, seconds), "S", "at most, for each training (0: no limit)", 0, 0 },
    { "threads", 0, SOS_SETS_INTEGER(corel, threads), "N", "use N threads (0: all cores); the errors are the same", 0, 4096 },
    SOS_OPTIONS_END,
};

static int corel_run(const command *self, int argc, char *argv[])
{
    corel c = { .names = COREL, .splits = 5, .seed = 1, .unknown = SOS_LABEL_VOID };
    char text[1024];
    command_text("corel", argc, argv, text); /* parsing moves them about */
    sos_label_names *names = malloc(sizeof *names);
    if (!names) return command_fail("no memory for names");
    int count;
    int code = options_parse_table(self, COREL_OPTIONS, &c, argc, argv, &count);
    if (code == OPTIONS_RUN && count) code = options_wrong(self, "what is '%s' for?", argv[0]);
    if (code == OPTIONS_RUN && !c.data) code = options_wrong(self, "no --data DIR given");
    if (code == OPTIONS_RUN && !c.output) code = options_wrong(self, "no REPORT given: -o names its folder");
    if (code == OPTIONS_RUN) code = corel_names(self, &c, names);
    if (code == OPTIONS_RUN) code = corel_measure(&c, names, text);
    free(names);
    return code;
}

/* ---------------------------------------------------------------- interactive */

typedef struct interactive {
    const char *data, *methods, *cache, *output;
    int64_t splits, seed, train, validation, size, samples, threads;
    bool amn_full, no_cache;
} interactive;

/* Who listens while it runs. */
typedef struct listener {
    const char *output, *text;
    progress *shown;
    sos_error *error;
    sos_status status; /* of the last report */
} listener;

static int methods_choose(const command *self, const char *list, bool contends[SOS_CONTENDERS])
{
    for (const char *at = list; *at;) {
        const size_t length = strcspn(at, ",");
        size_t c = 0;
        while (c < SOS_CONTENDERS &&
               (strlen(sos_contender_word(c)) != length || strncmp(sos_contender_word(c), at, length) != 0))
            c++;
        if (c == SOS_CONTENDERS)
            return options_wrong(self, "--methods takes a list of grabcut, amn, s3svm, full and amn-full, not '%s'", list);
        contends[c] = true;
        at += length + (at[length] == ',');
    }
    return OPTIONS_RUN;
}

static void interactive_row(const sos_segment_results *r, size_t contender)
{
    static const size_t members[] = { offsetof(sos_segment_outcome, error), offsetof(sos_segment_outcome, error_without_unsure),
                                      offsetof(sos_segment_outcome, iou) };
    double ignored;
    printf("%-24s", sos_contender_name(contender));
    for (size_t i = 0; i < 3; i++) {
        double deviation;
        char text[40];
        const double mean = sos_segment_mean(r, contender, members[i], &deviation);
        snprintf(text, sizeof text, isfinite(deviation) ? "%.2f +- %.2f" : "%.2f", 100 * mean, 100 * deviation);
        printf("  %17s", text);
    }
    printf("  %9.3f\n", sos_segment_mean(r, contender, offsetof(sos_segment_outcome, seconds_per_image), &ignored));
}

static void interactive_print(const sos_segment_results *r)
{
    printf("Test images, mean%s of %zu split%s: %zu images to learn from, %zu to choose C by, %zu to test on\n\n",
           r->splits > 1 ? " and deviation" : "", r->splits, r->splits == 1 ? "" : "s", r->train, r->validation, r->test);
    printf("%-24s  %17s  %17s  %17s  %9s\n", "", "error, %", "without unsure, %", "IoU, %", "s/image");
    for (size_t c = 0; c < SOS_CONTENDERS; c++)
        if (r->plan.contends[c]) interactive_row(r, c);
    printf("%-24s  %17.2f\n", "all background", 100 * r->background_error);
}

/* A line for each method and split; and the report is there from the first split on, lest hours are lost. */
static void interactive_told(void *user, const sos_segment_results *r, size_t split, size_t contender)
{
    listener *l = user;
    progress_end(l->shown);
    if (contender == SOS_CONTENDERS) {
        l->status = sos_segment_report(r, l->output, l->text, l->error);
        return;
    }
    const sos_segment_outcome *o = sos_segment_outcome_at(r, split, contender);
    fprintf(stderr, "split %zu, %s: error %.2f %%, %.3f s an image", split + 1, sos_contender_name(contender), 100 * o->error,
            o->seconds_per_image);
    if (contender != SOS_CONTENDER_GRABCUT)
        fprintf(stderr, ", C = %g, validation %.2f %%, features %.0f s, training %.0f s", o->trained[o->best].C,
                100 * o->trained[o->best].validation, o->seconds_features, o->seconds_training);
    fputc('\n', stderr);
}

static int interactive_measure(const interactive *i, const sos_segment_plan *wanted, const char *text)
{
    sos_segment_plan plan = *wanted;
    sos_segment_results results;
    sos_error error;
    progress shown;
    listener l = { .output = i->output, .text = text, .shown = &shown, .error = &error };
    plan.progress = progress_report;
    plan.user = &shown;
    plan.told = interactive_told;
    plan.listener = &l;
    if (sos_folder_create(i->output, &error)) return command_fail("%s", error.message);
    progress_begin(&shown, "experiment");
    sos_status status = sos_segment_experiment(&plan, &results, &error);
    progress_end(&shown);
    if (status) return outcome_of(status, &error);
    if (results.stopped || l.status) status = sos_segment_report(&results, i->output, text, &error);
    if (!status) {
        interactive_print(&results);
        printf("\n%.0f s; the report is %s/index.html\n", results.seconds, i->output);
    }
    if (!status && results.stopped)
        command_fail("interrupted: the report is of %zu of %zu splits", results.splits, plan.splits);
    const bool stopped = results.stopped;
    sos_segment_results_free(&results);
    return !status && stopped ? COMMAND_INTERRUPTED : outcome_of(status, &error);
}

static int interactive_plan(const command *self, const interactive *i, char *cache, const char *text)
{
    sos_segment_plan plan = { .data = i->data,
                              .splits = (size_t)i->splits,
                              .seed = (uint64_t)i->seed,
                              .train = (size_t)i->train,
                              .validation = (size_t)i->validation,
                              .side = (size_t)i->size,
                              .samples = (size_t)i->samples,
                              .cache = i->no_cache ? NULL
                                       : i->cache  ? i->cache
                                                   : cache,
                              .threads = (int)i->threads };
    const int code = methods_choose(self, i->methods, plan.contends);
    if (code != OPTIONS_RUN) return code;
    plan.contends[SOS_CONTENDER_AMN_FULL] |= i->amn_full;
    return interactive_measure(i, &plan, text);
}

static const sos_option INTERACTIVE[] = {
    { "output", 'o', SOS_SETS_TEXT(interactive, output), "REPORT", "write the report into this folder", 0, 0 },
    { "data", 0, SOS_SETS_TEXT(interactive, data), "DIR", "photographs in DIR/images, with DIR/labels and DIR/scribbles", 0,
      0 },
    { "methods", 0, SOS_SETS_TEXT(interactive, methods), "LIST", "some of grabcut,amn,s3svm,full,amn-full (the first four)", 0,
      0 },
    { "amn-full", 0, SOS_SETS_FLAG(interactive, amn_full), NULL, "also pairs of neighbours with the full features", 0, 0 },
    { "splits", 0, SOS_SETS_INTEGER(interactive, splits), "N", "random splits (5)", 1, 1000 },
    { "train", 0, SOS_SETS_INTEGER(interactive, train), "N", "images to learn from (0: half)", 0, INT64_MAX },
    { "validation", 0, SOS_SETS_INTEGER(interactive, validation), "N", "images to choose C by (0: a quarter)", 0, INT64_MAX },
    { "seed", 0, SOS_SETS_INTEGER(interactive, seed), "N", "of the splits (1)", 0, INT64_MAX },
    { "size", 0, SOS_SETS_INTEGER(interactive, size), "N", "reduce images to at most N pixels a side (0: not)", 0, 65536 },
    { "samples", 0, SOS_SETS_INTEGER(interactive, samples), "N", "pixels of an image that networks learn from (0: default)", 0,
      INT64_MAX },
    { "cache", 0, SOS_SETS_TEXT(interactive, cache), "DIR", "keep features here (the user's cache folder)", 0, 0 },
    { "no-cache", 0, SOS_SETS_FLAG(interactive, no_cache), NULL, "compute all features anew", 0, 0 },
    { "threads", 0, SOS_SETS_INTEGER(interactive, threads), "N", "use N threads (0: all cores); the errors are the same", 0,
      4096 },
    SOS_OPTIONS_END,
};

static int interactive_run(const command *self, int argc, char *argv[])
{
    interactive i = { .methods = "grabcut,amn,s3svm,full", .splits = 5, .seed = 1 };
    char text[1024];
    command_text("interactive", argc, argv, text); /* parsing moves them about */
    int count;
    int code = options_parse_table(self, INTERACTIVE, &i, argc, argv, &count);
    if (code != OPTIONS_RUN) return code;
    if (count) return options_wrong(self, "what is '%s' for?", argv[0]);
    if (!i.data) return options_wrong(self, "no --data DIR given");
    if (!i.output) return options_wrong(self, "no REPORT given: -o names its folder");
    char *cache = sos_cache_usual();
    code = interactive_plan(self, &i, cache, text);
    free(cache);
    return code;
}

/* ---------------------------------------------------------------- all of them */

typedef struct experiment {
    const char *word;
    int (*run)(const command *self, int argc, char *argv[]);
} experiment;

static const experiment experiments[] = { { "denoising", denoising_run },
                                          { "interactive", interactive_run },
                                          { "corel", corel_run } };
enum { EXPERIMENTS = sizeof experiments / sizeof *experiments };

static int experiment_run(const command *self, int argc, char *argv[])
{
    for (size_t i = 0; argc > 0 && i < EXPERIMENTS; i++)
        if (!strcmp(experiments[i].word, argv[0])) return experiments[i].run(self, argc - 1, argv + 1);
    if (argc > 0 && argv[0][0] != '-') return options_wrong(self, "there is no experiment '%s'", argv[0]);
    return experiments[0].run(self, argc, argv);
}

const command experiment_command = {
    .name = "experiment",
    .arguments = "denoising|interactive|corel -o REPORT",
    .summary = "rerun an experiment of the paper, with a report",
    .details = "denoising: learned models and tuned baselines restore drawings from noise, on the same random splits.\n"
               "interactive: objects are cut out of photographs with scribbles by GrabCut and by learned models.\n"
               "corel: photographs are labelled with several labels; unaries, pairs, 2x2 tables, superpixels.\n"
               "REPORT/index.html shows it with charts and pictures; results.json and results.csv hold the numbers.",
    .examples = "  s3svm experiment denoising -o report\n"
                "  s3svm experiment denoising --data drawings --sigma 0.7 --splits 2 -o report\n"
                "  s3svm experiment denoising --noise shifted --models paper -o report\n"
                "  s3svm experiment interactive --data interactive --splits 5 -o report\n"
                "  s3svm experiment interactive --data interactive --splits 1 --methods grabcut,full -o report\n"
                "  s3svm experiment corel --data corel --splits 5 -o report\n",
    .run = experiment_run,
};
