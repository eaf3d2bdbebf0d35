/* train.c - s3svm train: weights from examples.  Tasks that make their own examples stand beside the generic one, which reads
 * them from a file; the word after "train" tells them apart. */
#include <stdlib.h>
#include <string.h>

#include <sos/sos.h>

#include "command.h"
#include "files.h"
#include "options.h"
#include "training.h"

/* FNV-1a of the bytes: tells what data a model has learned from. */
static uint64_t fingerprint(const char *text, size_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* ---------------------------------------------------------------- examples from a file */

typedef struct problem_data {
    sos_model *model;
    size_t count, validation_count;
    sos_example **examples, **validation;
} problem_data;

static int problem_read(problem_data *d, const char *path, const char *validation, training *t)
{
    char *text = NULL;
    size_t length = 0;
    sos_error error;
    if (text_read(path, &text, &length, &error)) return command_fail("%s", error.message);
    t->data = text_name(path);
    t->fingerprint = fingerprint(text, length);
    sos_status status = sos_problem_parse(text, length, t->data, NULL, &d->model, &d->count, &d->examples, &error);
    free(text);
    if (!status && validation)
        status = sos_problem_read(validation, d->model, NULL, &d->validation_count, &d->validation, &error);
    return status ? command_fail("%s", error.message) : COMMAND_DONE;
}

/* Where a truth is missing, better said with the name of the file. */
static int truths_check(const char *name, size_t count, sos_example *const examples[])
{
    if (!count) return command_fail("%s: there are no examples", name);
    for (size_t i = 0; i < count; i++)
        if (!sos_example_truth(examples[i])) return command_fail("%s: example %zu has no true labels", name, i);
    return COMMAND_DONE;
}

typedef struct request {
    const char *problem, *validation;
} request;

static const sos_option OPTIONS[] = {
    { "problem", 0, SOS_SETS_TEXT(request, problem), "FILE", "groups of weights and examples with true labels", 0, 0 },
    { "validation", 0, SOS_SETS_TEXT(request, validation), "FILE", "examples that choose the best C of several", 0, 0 },
    SOS_OPTIONS_END,
};

static int problem_train(const command *self, int argc, char *argv[])
{
    training t = training_defaults();
    request r = { 0 };
    const option_set sets[] = { { OPTIONS, &r }, { training_options, &t }, { NULL, NULL } };
    int count;
    int code = options_parse(self, sets, argc, argv, &count);
    if (code != OPTIONS_RUN) return code;
    if (count) return options_wrong(self, "'%s' is no task", argv[0]);
    if (!r.problem) return options_wrong(self, "no --problem FILE given");
    if (r.validation && !strcmp(r.validation, "-")) return options_wrong(self, "--validation must be a file");
    code = training_check(self, &t, r.validation != NULL);
    if (code != OPTIONS_RUN) return code;

    problem_data d = { 0 };
    code = problem_read(&d, r.problem, r.validation, &t);
    if (!code) code = truths_check(t.data, d.count, d.examples);
    if (!code && r.validation) code = truths_check(r.validation, d.validation_count, d.validation);
    if (!code) code = training_run(&t, d.model, d.count, d.examples, d.validation_count, d.validation);
    sos_problem_free(d.count, d.examples);
    sos_problem_free(d.validation_count, d.validation);
    sos_model_free(d.model);
    return code;
}

/* ---------------------------------------------------------------- tasks */

typedef struct train_task {
    const char *word; /* after "train" */
    const command *command;
} train_task;

static const train_task tasks[] = { { "denoise", &train_denoise_command },
                                    { "segment", &train_segment_command },
                                    { "label", &train_label_command } };
enum { TASKS = sizeof tasks / sizeof *tasks };

static int train_run(const command *self, int argc, char *argv[])
{
    for (size_t i = 0; argc > 0 && i < TASKS; i++)
        if (!strcmp(tasks[i].word, argv[0])) return tasks[i].command->run(tasks[i].command, argc - 1, argv + 1);
    return problem_train(self, argc, argv);
}

const command train_command = {
    .name = "train",
    .arguments = "--problem FILE -o MODEL",
    .summary = "learn the weights of a model from examples",
    .details = "Structural SVM training: minimises 1/2 |w|^2 + C * (mean slack of the examples), w submodular.\n"
               "FILE declares groups of weights and examples with their true labels (docs/formats.md); '-' is\n"
               "standard input.  The model is JSON, with a record of its training.  s3svm train denoise,\n"
               "segment and label make their examples from pictures themselves.\n"
               "\n"
               "C says how much errors on the examples weigh against large weights: small values learn little, large\n"
               "ones learn the noise too.  Without --C it is 1; with --validation all of 0.01, 0.1, 1, 10, 100, 1000\n"
               "and 10000 are tried, which costs little more than the last alone, and the model with the least loss\n"
               "on the examples of the second FILE is kept.\n"
               "\n"
               "Training ends when the first of --gap (0.001), --epsilon, --rounds and --seconds is reached.  Ctrl-C\n"
               "ends it too: the best model so far is written, and the exit code is 130.",
    .examples = "  s3svm train --problem train.txt -o model.json\n"
                "  s3svm train --problem train.txt --validation other.txt -o model.json\n"
                "  s3svm train --problem train.txt --C 10 --gap 0.01 --checkpoint state -o model.json\n"
                "  s3svm train --problem train.txt -o model.json --json >rounds.jsonl\n",
    .run = train_run,
};
