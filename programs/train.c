/* train.c - s3svm train: weights from examples, which a task makes of a folder of pictures, or which stand in a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sos/sos.h>

#include "base/hash.h"
#include "base/share.h"
#include "command.h"
#include "files.h"
#include "options.h"
#include "progress.h"
#include "ranks.h"
#include "training.h"

/* ---------------------------------------------------------------- which task */

static void tasks_list(void)
{
    for (size_t i = 0; s3svm_task_at(i); i++) printf("  %-8s %s\n", s3svm_task_at(i)->name, s3svm_task_at(i)->summary);
}

static const char *task_name(size_t i) { return s3svm_task_at(i) ? s3svm_task_at(i)->name : NULL; }

enum { TASKS_MAX = 64 }; /* that are looked at for one that may be meant */

static int task_unknown(const command *self, const char *word)
{
    const char *names[TASKS_MAX] = { NULL };
    for (size_t i = 0; i < TASKS_MAX && s3svm_task_at(i); i++) names[i] = s3svm_task_at(i)->name;
    const char *nearest = options_nearest(word, names, TASKS_MAX);
    if (nearest) return options_wrong(self, "there is no task '%s'; did you mean '%s'?", word, nearest);
    return options_wrong(self, "there is no task '%s'", word);
}

/* Ends the checks of options and files: OPTIONS_RUN on all ranks, or the exit code. */
static int checks_settle(const sos_communicator *ranks, int code)
{
    const int settled = ranks_settle(ranks, code == OPTIONS_RUN ? COMMAND_DONE : code);
    return settled ? settled : code;
}

/* ---------------------------------------------------------------- examples from a file */

/* What is learned from: files of a problem, folders of a task. */
typedef struct request {
    const char *data, *validation;
    s3svm_texts folders;
} request;

static const s3svm_option PROBLEM_OPTIONS[] = {
    { "problem", 0, S3SVM_SETS_TEXT(request, data), "FILE", "groups of weights and examples with true labels", 0, 0 },
    { "validation", 0, S3SVM_SETS_TEXT(request, validation), "FILE", "examples on which the best of several C is chosen", 0,
      0 },
    S3SVM_OPTIONS_END,
};

/* A text that rank 0 reads for all, to free. */
static int shared_read(const sos_communicator *ranks, const char *path, char **text, size_t *length)
{
    sos_error error;
    *text = NULL;
    *length = 0;
    int code = COMMAND_DONE;
    if (ranks_is_first(ranks) && text_read(path, text, length, &error)) code = command_fail("%s", error.message);
    code = ranks_settle(ranks, code);
    return code ? code : ranks_share_text(ranks, text, length);
}

static int problem_read(const request *r, const training *t, const sos_model *from, s3svm_lesson *l)
{
    char *text;
    size_t length;
    sos_error error;
    const int code = shared_read(t->ranks, r->data, &text, &length);
    if (code) return code;
    l->fingerprint = sos_hash(SOS_HASH_START, text, length);
    l->training = sos_train_defaults();
    sos_status status = from ? sos_model_copy(from, &l->model, &error) : SOS_OK;
    if (!status)
        status = sos_problem_parse(text, length, text_name(r->data), from, from ? NULL : &l->model, &l->count, &l->examples,
                                   &error);
    free(text);
    return ranks_settle(t->ranks, status ? command_fail("%s", error.message) : COMMAND_DONE);
}

static int validation_read(const request *r, const training *t, s3svm_lesson *l)
{
    char *text;
    size_t length;
    sos_error error;
    const int code = shared_read(t->ranks, r->validation, &text, &length);
    if (code) return code;
    const sos_status status = sos_problem_parse(text, length, r->validation, l->model, NULL, &l->validation_count,
                                                &l->validation, &error);
    free(text);
    return ranks_settle(t->ranks, status ? command_fail("%s", error.message) : COMMAND_DONE);
}

/* All ranks have parsed all examples; each keeps its own.  What an example holds tells what its oracle takes. */
static int examples_deal(const sos_communicator *comm, size_t count, sos_example *examples[])
{
    sos_share share;
    sos_error error;
    bool *mine = NULL;
    double *cost = malloc((count + 1) * sizeof *cost);
    for (size_t i = 0; cost && i < count; i++) cost[i] = (double)sos_example_bytes(examples[i]);
    sos_status status = sos_share_join(&share, comm, &error);
    if (!status && cost) status = sos_share_deal(&share, count, cost, &mine, &error);
    const int code = !cost ? command_fail("no memory") : status ? command_fail("%s", error.message) : COMMAND_DONE;
    for (size_t i = 0; mine && i < count; i++) {
        if (mine[i]) continue;
        sos_example_free(examples[i]);
        examples[i] = NULL;
    }
    free(cost);
    free(mine);
    return ranks_settle(comm, code);
}

/* Where a truth is missing, better said with the name of the file. */
static int truths_check(const char *name, size_t count, sos_example *const examples[])
{
    if (!count) return command_fail("%s: there are no examples", name);
    for (size_t i = 0; i < count; i++)
        if (!sos_example_truth(examples[i])) return command_fail("%s: example %zu has no true labels", name, i);
    return COMMAND_DONE;
}

static int problem_learn(const request *r, const training *t)
{
    s3svm_lesson l = { 0 };
    sos_model *from;
    int code = training_from(t, &from);
    code = ranks_settle(t->ranks, code);
    if (!code) code = problem_read(r, t, from, &l);
    if (!code && r->validation) code = validation_read(r, t, &l);
    if (!code) code = truths_check(text_name(r->data), l.count, l.examples);
    if (!code && r->validation) code = truths_check(r->validation, l.validation_count, l.validation);
    if (!code) code = examples_deal(t->ranks, l.count, l.examples);
    if (!code) code = examples_deal(t->ranks, l.validation_count, l.validation);
    if (!code) code = training_run(t, from, text_name(r->data), NULL, &l);
    s3svm_lesson_free(&l);
    sos_model_free(from);
    return code;
}

static int problem_train(const command *self, const sos_communicator *ranks, int argc, char *argv[])
{
    request r = { 0 };
    training t = training_defaults();
    t.ranks = ranks;
    const option_set sets[] = { { PROBLEM_OPTIONS, &r }, { training_options, &t }, { NULL, NULL } };
    int count;
    int code = options_parse(self, sets, argc, argv, &count);
    if (code != OPTIONS_RUN) return code;
    if (count) return task_unknown(self, argv[0]);
    if (!r.data) return options_wrong(self, "no --problem FILE given");
    if (t.stream) return options_wrong(self, "--stream is only for tasks, which make examples from pictures");
    if (r.validation && !strcmp(r.validation, "-")) return options_wrong(self, "--validation must be a file");
    const file_use inputs[] = { { "", r.data }, { "", r.validation }, { "", t.from } };
    code = training_check(self, &t, r.validation != NULL, 3, inputs);
    code = checks_settle(ranks, code);
    return code == OPTIONS_RUN ? problem_learn(&r, &t) : code;
}

/* ---------------------------------------------------------------- tasks */

static sos_status lesson_make(const s3svm_task *task, const void *settings, const sos_model *from, const request *r,
                              const training *t, s3svm_lesson *out, sos_error *error)
{
    progress shown;
    const sos_work work = {
        .threads = (int)t->threads, .progress = progress_report, .tell = progress_tell, .user = &shown, .communicator = t->ranks
    };
    progress_begin(&shown, "train");
    const s3svm_lesson_data data = { .folders = r->folders, .stream = t->stream },
                            validation = { .folders = { .count = 1, .values = { r->validation } } };
    const sos_status status = s3svm_lesson_make(task, settings, from, &data, r->validation ? &validation : NULL, &work, out,
                                                error);
    progress_end(&shown);
    return status;
}

static int lesson_learn(const s3svm_task *task, const void *settings, const sos_model *from, const request *r,
                        const training *t, const char *line)
{
    s3svm_lesson l = { 0 };
    sos_error error;
    const sos_status status = lesson_make(task, settings, from, r, t, &l, &error);
    if (ranks_any(t->ranks, status == SOS_CANCELLED || (!status && progress_interrupted()))) {
        command_fail("interrupted before there was a model");
        s3svm_lesson_free(&l);
        return COMMAND_INTERRUPTED;
    }
    if (status) return command_fail("%s", error.message);
    char *name = training_name(r->folders.values[0]);
    const int code = name ? training_run(t, from, name, line, &l) : command_fail("no memory for a name");
    free(name);
    s3svm_lesson_free(&l);
    return code;
}

static int task_learn(const s3svm_task *task, const void *settings, const request *r, const training *t, const char *line)
{
    sos_model *from;
    const s3svm_lesson_data data = { .folders = r->folders };
    int code = ranks_settle(t->ranks, training_from(t, &from));
    if (!code)
        code = training_is_own(t, r->validation, task, settings, from) ? training_own(t, task, settings, from, &data, line)
                                                                       : lesson_learn(task, settings, from, r, t, line);
    sos_model_free(from);
    return code;
}

static int settings_check(const command *self, const s3svm_form *form, const void *settings)
{
    sos_error error;
    const sos_status status = form->check ? form->check(settings, &error) : SOS_OK;
    return status ? options_wrong(self, "%s", error.message) : OPTIONS_RUN;
}

static int data_check(const request *r, const training *t)
{
    const file_use written[] = { { "-o", t->output }, { "--checkpoint", t->checkpoint } };
    int code = dataset_guard(r->validation, 2, written);
    for (size_t i = 0; i < r->folders.count && !code; i++) code = dataset_guard(r->folders.values[i], 2, written);
    return code ? code : OPTIONS_RUN;
}

/* settings are those of the task, with their defaults. */
static int task_run(const command *self, const s3svm_task *task, const sos_communicator *ranks, void *settings,
                    const char *line, int argc, char *argv[])
{
    const s3svm_option options[] = {
        { "data", 0, S3SVM_SETS_TEXTS(request, folders), "DIR", task->data, 0, 0 },
        { "validation", 0, S3SVM_SETS_TEXT(request, validation), "DIR", "pictures on which the best of several C is chosen", 0,
          0 },
        S3SVM_OPTIONS_END,
    };
    request r = { 0 };
    training t = training_defaults();
    t.ranks = ranks;
    const option_set sets[] = { { options, &r }, { task->form->options, settings }, { training_options, &t }, { NULL, NULL } };
    int count;
    int code = options_parse(self, sets, argc, argv, &count);
    if (code != OPTIONS_RUN) return code;
    if (count) return options_wrong(self, "unexpected argument '%s'", argv[0]);
    if (!r.folders.count) return options_wrong(self, "no --data DIR given");
    if (r.folders.count > 1 && !task->folders)
        return options_wrong(self, "--data can be given once: %s learns from one folder", task->name);
    if (t.stream && !task->streams) return options_wrong(self, "%s does not support --stream", task->name);
    code = settings_check(self, task->form, settings);
    const file_use inputs[] = { { "", t.from } };
    if (code == OPTIONS_RUN) code = training_check(self, &t, r.validation != NULL, 1, inputs);
    if (code == OPTIONS_RUN && ranks_is_first(ranks)) code = data_check(&r, &t);
    code = checks_settle(ranks, code);
    return code == OPTIONS_RUN ? task_learn(task, settings, &r, &t, line) : code;
}

/* The help that all tasks end with. */
static const char ENDING[] =
    "\n\n"
    "Without --C, --gap and --epsilon, the best values for the model are used. Ctrl-C keeps the best\n"
    "model so far. The model file records what it was trained on. --from MODEL continues from a model,\n"
    "given as a file or by the name of a built-in one, with its features: its weights change only as far\n"
    "as the pictures require. --maps uses the output of your own network as features: NumPy arrays of\n"
    "height x width x channels, named like the pictures (docs/maps.md).";

static int task_train(const s3svm_task *task, const sos_communicator *ranks, int argc, char *argv[])
{
    char name[64], details[4096];
    snprintf(name, sizeof name, "train %s", task->name);
    snprintf(details, sizeof details, "%s%s", task->details, ENDING);
    const command self = { .name = name,
                           .arguments = "--data DIR -o MODEL",
                           .summary = task->summary,
                           .details = details,
                           .examples = task->examples };
    void *settings = s3svm_form_create(task->form);
    char *line = training_line(name, argc, argv);
    const int code = settings && line ? task_run(&self, task, ranks, settings, line, argc, argv) : command_fail("no memory");
    free(settings);
    free(line);
    return code;
}

static int train_with(const command *self, const sos_communicator *ranks, int argc, char *argv[])
{
    const s3svm_task *task = argc > 0 ? s3svm_task_find(argv[0]) : NULL;
    if (task) return task_train(task, ranks, argc - 1, argv + 1);
    return argc > 0 && argv[0][0] != '-' ? task_unknown(self, argv[0]) : problem_train(self, ranks, argc, argv);
}

static int train_run(const command *self, int argc, char *argv[])
{
    const sos_communicator *ranks;
    int code = ranks_begin(&ranks);
    if (!code) code = train_with(self, ranks, argc, argv);
    ranks_end(code);
    return code;
}

const command train_command = {
    .name = "train",
    .arguments = "--problem FILE -o MODEL | TASK --data DIR -o MODEL",
    .summary = "learn the weights of a model from examples",
    .details = "Trains a structural SVM: minimises 1/2 |w|^2 + C * (mean slack of the examples) over submodular w.\n"
               "FILE declares groups of weights, and examples with their true labels (docs/formats.md); '-' is\n"
               "standard input. The model is a JSON file, which includes a record of the training.\n"
               "\n"
               "C weighs errors on the training examples against large weights: a small C learns little, a large C\n"
               "also learns the noise. The default is 1. With --validation, the values 0.01, 0.1, 1, 10, 100, 1000\n"
               "and 10000 are tried, which takes about three times as long as the slowest of them alone, and the\n"
               "model with the least loss on the validation examples is kept. --folds N chooses C by\n"
               "cross-validation instead: each fold is evaluated with models trained on the others, and the final\n"
               "model is trained on all examples with the best C. Several values of --C without --validation are\n"
               "compared in the same way, with 5 folds.\n"
               "\n"
               "--from keeps the groups and features of another model with weights w0 and minimises 1/2 |w - w0|^2\n"
               "in place of 1/2 |w|^2, so that a few examples adapt the model without making it forget what it has\n"
               "learned.\n"
               "\n"
               "Training stops when the first of --gap, --epsilon, --rounds and --seconds is reached. Ctrl-C,\n"
               "SIGTERM and SIGHUP stop it as well: the best model so far is written, and the exit code is 130.\n"
               "\n"
               "TASK makes the examples from pictures; each task has its own options (s3svm help train TASK):",
    .list = tasks_list,
    .child = task_name,
    .examples = "  s3svm train --problem train.txt -o model.json\n"
                "  s3svm train --problem train.txt --validation other.txt -o model.json\n"
                "  s3svm train --problem train.txt --C 10 --gap 0.01 --checkpoint state -o model.json\n"
                "  s3svm train --problem train.txt -o model.json --json >rounds.jsonl\n",
    .run = train_run,
};
