/* experiment.c - s3svm experiment: reruns an experiment of a task and writes a report.  The word after "experiment" tells them
 * apart.
 *
 * The experiments measure the libraries from inside, so that they have a copy of their own in a part that is loaded here; the
 * command itself is a client of the installed libraries. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/path.h"
#include "command.h"
#include "experiments/experiment.h"
#include "options.h"
#include "plugin.h"
#include "progress.h"

/* What all experiments are told. */
typedef struct request {
    const char *output;
    int64_t threads;
} request;

static const s3svm_option OUTPUT[] = {
    { "output", 'o', S3SVM_SETS_TEXT(request, output), "REPORT", "write the report to this folder", 0, 0 },
    S3SVM_OPTIONS_END,
};

static const s3svm_option THREADS[] = {
    { "threads", 0, S3SVM_SETS_INTEGER(request, threads), "N",
      "number of threads (default 0: all cores); does not affect the results", 0, 4096 },
    S3SVM_OPTIONS_END,
};

/* ---------------------------------------------------------------- all of them */

/* The list of the part, which NULL ends; an empty one where the part is not installed, or of another version. */
static const s3svm_experiment *const *experiments(void)
{
    static const s3svm_experiment *const NONE[] = { NULL };
    static const s3svm_experiment *const *loaded;
    char path[PLUGIN_PATH];
    if (loaded) return loaded;
    void *plugin = plugin_find("experiments", path) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!plugin || !plugin_symbol(plugin, S3SVM_EXPERIMENTS, &loaded)) loaded = NONE;
    return loaded;
}

static void experiments_list(void)
{
    if (!*experiments()) printf("  (the experiments are not installed)\n");
    for (size_t i = 0; experiments()[i]; i++) printf("  %-12s %s\n", experiments()[i]->name, experiments()[i]->summary);
}

static const char *experiment_name(size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (!experiments()[j]) return NULL;
    return experiments()[i] ? experiments()[i]->name : NULL;
}

enum { EXPERIMENTS_MAX = 64 }; /* that are looked at for one that may be meant */

static int experiment_unknown(const command *self, const char *word)
{
    const char *names[EXPERIMENTS_MAX] = { NULL };
    if (!*experiments()) return command_fail("the experiments are not installed: s3svm-experiments.so is missing");
    for (size_t i = 0; i < EXPERIMENTS_MAX && experiments()[i]; i++) names[i] = experiments()[i]->name;
    const char *nearest = options_nearest(word, names, EXPERIMENTS_MAX);
    if (nearest) return options_wrong(self, "there is no experiment '%s'; did you mean '%s'?", word, nearest);
    return options_wrong(self, "there is no experiment '%s'", word);
}

/* ---------------------------------------------------------------- one of them */

/* The command line as it could be typed again, cut where it is very long. */
static const char *command_text(const char *name, int argc, char *const argv[], char text[1024])
{
    size_t length = (size_t)snprintf(text, 1024, "s3svm %s", name);
    for (int i = 0; i < argc && length < 1000; i++)
        length += (size_t)snprintf(text + length, 1024 - length, strchr(argv[i], ' ') ? " '%s'" : " %s", argv[i]);
    return text;
}

static int measure(const s3svm_experiment *e, const void *settings, const request *r, const char *text)
{
    progress shown;
    sos_error error;
    const sos_work work = { .threads = (int)r->threads, .progress = progress_report, .tell = progress_tell, .user = &shown };
    if (sos_folder_create(r->output, &error)) return command_fail("%s", error.message);
    progress_begin(&shown, "experiment");
    const sos_status status = e->run(settings, &work, r->output, text, stdout, &error);
    progress_end(&shown);
    if (status == SOS_CANCELLED) {
        command_fail("interrupted: %s", error.message);
        return COMMAND_INTERRUPTED;
    }
    if (status) return command_fail("%s", error.message);
    printf("\n%.0f s; report: %s/index.html\n", sos_seconds() - shown.started, r->output);
    return COMMAND_DONE;
}

static int settings_run(const command *self, const s3svm_experiment *e, void *settings, int argc, char *argv[])
{
    request r = { 0 };
    sos_error error;
    char text[1024];
    const option_set sets[] = { { OUTPUT, &r }, { e->form->options, settings }, { THREADS, &r }, { NULL, NULL } };
    int count;
    command_text(self->name, argc, argv, text); /* parsing moves them about */
    const int code = options_parse(self, sets, argc, argv, &count);
    if (code != OPTIONS_RUN) return code;
    if (count) return options_wrong(self, "unexpected argument '%s'", argv[0]);
    if (e->form->check && e->form->check(settings, &error)) return options_wrong(self, "%s", error.message);
    if (!r.output) return options_wrong(self, "no REPORT given: -o names its folder");
    return measure(e, settings, &r, text);
}

static int one_run(const s3svm_experiment *e, int argc, char *argv[])
{
    char name[64], details[4096];
    snprintf(name, sizeof name, "experiment %s", e->name);
    snprintf(details, sizeof details, "%s\n\n%s", e->details,
             "REPORT/index.html is a page with charts and pictures; results.json and results.csv hold the numbers.");
    const command self = {
        .name = name, .arguments = "-o REPORT", .summary = e->summary, .details = details, .examples = e->examples
    };
    void *settings = s3svm_form_create(e->form);
    const int code = settings ? settings_run(&self, e, settings, argc, argv) : command_fail("no memory for settings");
    free(settings);
    return code;
}

/* The first example of each. */
static void examples_join(size_t room, char text[])
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; experiments()[i] && used < room; i++) {
        const char *examples = experiments()[i]->examples;
        used += (size_t)snprintf(text + used, room - used, "%.*s\n", (int)strcspn(examples, "\n"), examples);
    }
}

static int experiment_run(const command *self, int argc, char *argv[])
{
    const option_set none[] = { { NULL, NULL } };
    char examples[2048];
    command shown = *self;
    int count;
    for (size_t i = 0; argc > 0 && experiments()[i]; i++)
        if (!strcmp(experiments()[i]->name, argv[0])) return one_run(experiments()[i], argc - 1, argv + 1);
    if (argc > 0 && argv[0][0] != '-') return experiment_unknown(self, argv[0]);
    examples_join(sizeof examples, examples);
    shown.examples = examples;
    const int code = options_parse(&shown, none, argc > 0, argv, &count);
    return code == OPTIONS_RUN ? options_wrong(self, "no EXPERIMENT given") : code;
}

const command experiment_command = {
    .name = "experiment",
    .arguments = "EXPERIMENT -o REPORT",
    .summary = "run an experiment, of the paper and others, and write a report",
    .details = "REPORT/index.html is a page with charts and pictures; results.json and results.csv hold the numbers.\n"
               "EXPERIMENT is one of the following, each with its own options (s3svm help experiment EXPERIMENT):",
    .list = experiments_list,
    .child = experiment_name,
    .run = experiment_run,
};
