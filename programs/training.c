#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include "training.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"
#include "ranks.h"

enum { SLACKS_AUTO, SLACKS_ONE, SLACKS_EACH }; /* in the order of --slacks */

/* ---------------------------------------------------------------- options */

const s3svm_option training_options[] = {
    { "output", 'o', S3SVM_SETS_TEXT(training, output), "MODEL", "write the model to this file", 0, 0 },
    { "note", 0, S3SVM_SETS_TEXT(training, note), "TEXT", "a remark to store in the model", 0, 0 },
    { "from", 0, S3SVM_SETS_TEXT(training, from), "MODEL",
      "start from this model and stay near it; C controls how far the weights move", 0, 0 },
    { "C", 0, S3SVM_SETS_REALS(training, C), "LIST", "weight of the training errors: 1, or several to choose from: 0.1,1,10", 0,
      S3SVM_REALS_MAX },
    { "folds", 0, S3SVM_SETS_INTEGER(training, folds), "N",
      "choose C by cross-validation with N folds (default 5 if --C has several values)", 2, 1000 },
    { "slacks", 0, S3SVM_SETS_CHOICE(training, slacks), "auto|1|n", "slack variables: one, or one per example (default auto)",
      0, 0 },
    { "gap", 0, S3SVM_SETS_REAL(training, gap), "G", "stop at this relative duality gap (default 0.001, or that of the task)",
      0, 0 },
    { "epsilon", 0, S3SVM_SETS_REAL(training, epsilon), "E", "stop when no slack is exceeded by more than E (default off)", 0,
      0 },
    { "rounds", 0, S3SVM_SETS_INTEGER(training, rounds), "N", "stop after N rounds for each C (default 0: no limit)", 0,
      1000000000 },
    { "seconds", 0, S3SVM_SETS_REAL(training, seconds), "S", "stop after S seconds (default 0: no limit)", 0, 0 },
    { "searches", 0, S3SVM_SETS_INTEGER(training, searches), "N",
      "with several labels: take the best of N searches (default 1)", 1, 1000 },
    { "relax", 0, S3SVM_SETS_INTEGER(training, relax), "N",
      "with several labels: bound what the searches miss by N rounds of relaxation; slow (default 0: off)", 0, 1000000 },
    { "threads", 0, S3SVM_SETS_INTEGER(training, threads), "N",
      "number of threads (default 0: all cores); does not affect the model", 0, 4096 },
    { "device", 0, S3SVM_SETS_CHOICE(training, device), OPTIONS_DEVICES,
      "a graphics card for examples on grids of 2x2 patches, many together (default auto); does not affect the model", 0, 0 },
    { "checkpoint", 0, S3SVM_SETS_TEXT(training, checkpoint), "FILE",
      "save the state to this file, and resume from it if it exists", 0, 0 },
    { "checkpoint-seconds", 0, S3SVM_SETS_REAL(training, checkpoint_seconds), "S",
      "seconds between two checkpoints (default 60)", 0, 0 },
    { "stream", 0, S3SVM_SETS_FLAG(training, stream), NULL,
      "make examples when they are needed and do not keep them: less memory, slower", 0, 0 },
    { "json", 0, S3SVM_SETS_FLAG(training, json), NULL, "print JSON lines: an object per round, then a summary", 0, 0 },
    S3SVM_OPTIONS_END,
};

training training_defaults(void)
{
    const sos_train_settings d = sos_train_defaults();
    return (training){ .gap = NAN,
                       .epsilon = NAN,
                       .seconds = d.seconds,
                       .checkpoint_seconds = d.checkpoint_seconds,
                       .rounds = (int64_t)d.rounds,
                       .threads = d.work.threads,
                       .searches = (int64_t)d.searches,
                       .slacks = SLACKS_AUTO };
}

static bool values_are_positive(const s3svm_reals *values)
{
    bool positive = true;
    for (size_t i = 0; i < values->count; i++) positive = positive && values->values[i] > 0;
    return positive;
}

static int options_check(const command *self, const training *t, bool validation)
{
    if (!t->output) return options_wrong(self, "no MODEL given: -o names the file to write");
    if (!strcmp(t->output, "-")) return options_wrong(self, "-o must be a file");
    if (!values_are_positive(&t->C)) return options_wrong(self, "--C takes numbers above 0");
    if (t->folds && validation) return options_wrong(self, "--validation and --folds exclude each other");
    if (t->stream && (validation || t->folds || t->C.count > 1))
        return options_wrong(self, "--stream needs a single C, and cannot be combined with --validation or --folds");
    if (t->gap < 0 || t->gap >= 1) return options_wrong(self, "--gap must be at least 0 and below 1");
    if (t->epsilon < 0) return options_wrong(self, "--epsilon must not be negative");
    if (t->seconds < 0) return options_wrong(self, "--seconds must not be negative");
    if (t->checkpoint_seconds < 0) return options_wrong(self, "--checkpoint-seconds must not be negative");
    return OPTIONS_RUN;
}

int training_check(const command *self, const training *t, bool validation, size_t reads, const file_use read[])
{
    int code = options_check(self, t, validation);
    if (code != OPTIONS_RUN) return code;
    const file_use written[] = { { "-o", t->output }, { "--checkpoint", t->checkpoint } };
    if (!ranks_is_first(t->ranks)) return OPTIONS_RUN; /* rank 0 has the files */
    code = files_guard(reads, read, 2, written);
    if (!code) code = output_try(t->output);
    if (!code && t->checkpoint) code = output_try(t->checkpoint);
    return code ? code : OPTIONS_RUN;
}

int training_from(const training *t, sos_model **out)
{
    bool inside;
    sos_error error;
    *out = NULL;
    return t->from && model_find(t->from, out, &inside, &error) ? command_fail("%s", error.message) : COMMAND_DONE;
}

/* ---------------------------------------------------------------- values of C */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Values that come twice would be trained twice. */
static s3svm_reals values_sorted(const s3svm_reals *given)
{
    s3svm_reals v = *given;
    size_t kept = 0;
    qsort(v.values, v.count, sizeof *v.values, ascending);
    for (size_t i = 0; i < v.count; i++)
        if (!kept || v.values[i] != v.values[kept - 1]) v.values[kept++] = v.values[i];
    v.count = kept;
    return v;
}

static s3svm_reals values_of(const training *t, const s3svm_lesson *l)
{
    static const s3svm_reals path = { 7, { 1e-2, 1e-1, 1, 1e1, 1e2, 1e3, 1e4 } };
    if (t->C.count) return values_sorted(&t->C);
    if (!l->validation_count && !t->folds) return (s3svm_reals){ 1, { l->training.C } };
    return values_sorted(l->values.count ? &l->values : &path);
}

/* Several values of C that nothing else chooses among are chosen among by cross-validation. */
static size_t folds_of(const training *t, const s3svm_lesson *l)
{
    enum { USUAL = 5 };
    if (t->folds || t->C.count < 2 || l->validation_count) return (size_t)t->folds;
    return l->count < USUAL ? l->count : USUAL;
}

/* ---------------------------------------------------------------- where models come from */

/* The last part of a path: length letters from where it returns. */
static const char *last_part(const char *path, size_t *length)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/') end--;
    size_t start = end;
    while (start > 0 && path[start - 1] != '/') start--;
    if (start == end) start = 0; /* "/" */
    *length = end - start;
    return path + start;
}

char *training_name(const char *path)
{
    size_t length;
    const char *part = last_part(path, &length);
    return strndup(part, length);
}

/* Without what says where on this machine: "--data=a/b/" becomes "--data=b". */
static void word_print(FILE *file, const char *word)
{
    const char *equals = *word == '-' ? strchr(word, '=') : NULL, *path = equals ? equals + 1 : word;
    size_t length;
    const char *part = last_part(path, &length);
    const char *quote = strchr(word, ' ') ? "'" : "";
    fprintf(file, " %s%.*s%.*s%s", quote, (int)(path - word), word, (int)length, part, quote);
}

char *training_line(const char *name, int argc, char *argv[])
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    if (!file) return NULL;
    fprintf(file, "s3svm %s", name);
    for (int i = 0; i < argc; i++) word_print(file, argv[i]);
    return fclose(file) ? NULL : text;
}

/* ---------------------------------------------------------------- the run */

typedef struct run {
    training_state state;
    progress shown;
    bool warned; /* that a checkpoint could not be written */
} run;

/* Most trainings take so many rounds with all examples. */
enum { ROUNDS_FEW = 10, ROUNDS_MANY = 60 };

static const double LONG_RUN = 60; /* seconds: shorter ones need no estimate */

/* After the first round: what is left, by what it took. */
static void time_estimate(run *u, const sos_train_round *r)
{
    const double all = r->seconds_oracle * (double)u->state.lesson->count / (double)r->examples;
    char note[200];
    if (u->state.estimated || r->round > 1) return;
    u->state.estimated = true;
    if (ROUNDS_MANY * all < LONG_RUN) return;
    snprintf(note, sizeof note,
             "a round with all examples takes about %.3g s; %d to %d are usual, which is %.2g to %.2g minutes", all, ROUNDS_FEW,
             ROUNDS_MANY, ROUNDS_FEW * all / 60, ROUNDS_MANY * all / 60);
    progress_note(&u->shown, note);
}

static bool on_round(void *user, const sos_train_round *r)
{
    run *u = user;
    char text[TRAINING_ROUND_TEXT];
    u->state.seen = *r;
    time_estimate(u, r);
    if (r->checkpoint_error && !u->warned) {
        char note[600];
        snprintf(note, sizeof note, "training goes on without a checkpoint: %s", r->checkpoint_error->message);
        progress_note(&u->shown, note);
        u->warned = true;
    }
    if (progress_due(&u->shown)) {
        training_round_text(&u->state, r, text);
        progress_line(&u->shown, text);
    }
    if (u->state.t->json && ranks_is_first(u->state.t->ranks)) training_round_json(&u->state, r);
    return !progress_interrupted();
}

static sos_train_settings settings_of(run *u)
{
    const training *t = u->state.t;
    const s3svm_lesson *l = u->state.lesson;
    sos_train_settings s = l->training;
    s.C = u->state.values.values[0];
    s.slacks = t->slacks == SLACKS_AUTO ? 0 : t->slacks == SLACKS_ONE ? 1 : l->count;
    if (!isnan(t->gap)) s.gap = t->gap;
    if (!isnan(t->epsilon)) s.epsilon = t->epsilon;
    s.rounds = (size_t)t->rounds;
    s.seconds = t->seconds;
    s.work.threads = (int)t->threads;
    s.device = (sos_device)t->device;
    s.searches = (size_t)t->searches;
    s.relax = (size_t)t->relax;
    s.checkpoint = t->checkpoint;
    s.checkpoint_seconds = t->checkpoint_seconds;
    s.from = u->state.from ? sos_model_weights(u->state.from) : NULL;
    s.watch = on_round;
    s.work.user = u;
    s.work.communicator = t->ranks;
    return s;
}

/* With the one C that there is, or the one that cross-validation finds. */
static sos_status train_once(run *u, sos_train_settings *s, sos_error *error)
{
    training_state *state = &u->state;
    const s3svm_lesson *l = state->lesson;
    sos_status status = SOS_OK;
    if (training_has_folds(state))
        status = sos_train_folds(l->model, l->count, l->examples, state->folds, state->values.count, state->values.values, s,
                                 state->folded, &state->best, error);
    if (status) return status;
    sos_path_point *point = &state->path[state->best];
    s->C = point->C = state->values.values[state->best];
    point->validation_loss = NAN;
    if (l->source) return sos_train_source(l->model, l->source, s, &point->result, error);
    return sos_train(l->model, l->count, l->examples, s, &point->result, error);
}

static sos_status train(run *u, sos_error *error)
{
    training_state *state = &u->state;
    const s3svm_lesson *l = state->lesson;
    sos_train_settings s = settings_of(u);
    options_device_check(state->t->device);
    if (training_has_path(state))
        return sos_train_path(l->model, l->count, l->examples, l->validation_count, l->validation, state->values.count,
                              state->values.values, &s, state->path, &state->best, error);
    return train_once(u, &s, error);
}

/* What was there before is better than a model that has learned nothing. */
static int nothing_learned(const training_state *s)
{
    command_fail("interrupted before anything was learned: '%s' is not written%s", s->t->output,
                 s->t->checkpoint ? "; the same command resumes from the checkpoint" : "");
    return COMMAND_INTERRUPTED;
}

/* What is learned after the weights, if anything is. */
static sos_status rest_learn(const training_state *s, sos_error *error)
{
    const s3svm_lesson *l = s->lesson;
    progress shown;
    const sos_work work = { .threads = (int)s->t->threads, .progress = progress_report, .tell = progress_tell, .user = &shown };
    if (!l->finish) return SOS_OK;
    progress_begin(&shown, "train");
    const sos_status status = l->finish(l->rest, l->model, &work, error);
    progress_end(&shown);
    return status;
}

static int finish(training_state *s)
{
    sos_error error;
    const s3svm_lesson *l = s->lesson;
    const training *t = s->t;
    s->interrupted = ranks_any(t->ranks, progress_interrupted());
    if (s->interrupted && !s->path[s->best].result.learned) return nothing_learned(s);
    const sos_work work = { .threads = (int)t->threads, .communicator = t->ranks };
    sos_status status = SOS_OK;
    if (!s->interrupted && !l->source)
        status = sos_evaluate(l->model, l->count, l->examples, &work, NULL, &s->training_loss, &error);
    if (!ranks_is_first(t->ranks)) return status ? command_fail("%s", error.message) : COMMAND_DONE;
    if (!status && !s->interrupted) status = rest_learn(s, &error);
    if (status == SOS_CANCELLED) status = SOS_OK; /* weights are enough */
    if (!status) status = training_record_set(s, &error);
    if (!status) status = sos_model_write(l->model, s->t->output, &error);
    if (status) return command_fail("%s", error.message);
    training_report(s);
    if (!s->interrupted && !progress_interrupted()) return COMMAND_DONE;
    command_fail("interrupted: the best model so far, of gap %.2g, is in '%s'", s->path[s->best].result.last.gap, s->t->output);
    return COMMAND_INTERRUPTED;
}

sos_status training_facts_set(const training *t, const char *line, sos_model *m, sos_error *error)
{
    char *from = t->from ? training_name(t->from) : NULL;
    sos_status status = from ? training_fact_set(m, "from", from, error) : SOS_OK;
    free(from);
    if (!status) status = line ? training_fact_set(m, "command", line, error) : sos_model_set_fact(m, "command", NULL, error);
    if (!status) status = t->note ? training_fact_set(m, "note", t->note, error) : sos_model_set_fact(m, "note", NULL, error);
    return status;
}

static const double MUCH = 1e9; /* bytes: less needs no estimate */

/* What training will take, for those who may have to stop it: examples, the flows that they keep, which take about as much
 * again, and planes. */
static void memory_estimate(const training *t, const s3svm_lesson *l, const sos_train_settings *s)
{
    double bytes = 0, weights = (double)sos_model_weight_count(l->model);
    size_t own = 0;
    if (l->source) return;
    for (size_t i = 0; i < l->count; i++) {
        if (!l->examples[i]) continue;
        bytes += (s->warm && !s->memory ? 2 : 1) * (double)sos_example_bytes(l->examples[i]);
        own++;
    }
    bytes += (double)own * (double)(s->cache + 1) * weights * sizeof(double);
    if (bytes < MUCH || !ranks_is_first(t->ranks)) return;
    command_note("training takes about %.3g GB here, %.3g MB for each of %zu examples%s", 1e-9 * bytes,
                 1e-6 * bytes / (double)own, own, t->ranks ? "; the same on every other rank" : "");
}

int training_run(const training *t, const sos_model *from, const char *data, const char *line, s3svm_lesson *lesson)
{
    run u = { .state = { .t = t,
                         .from = from,
                         .data = data,
                         .lesson = lesson,
                         .values = values_of(t, lesson),
                         .folds = folds_of(t, lesson),
                         .training_loss = NAN } };
    sos_error error;
    if (u.state.folds == 1 && !t->folds)
        return command_fail("%s: one example is not enough to choose C by cross-validation: give one --C, or --validation",
                            data);
    sos_status status = training_facts_set(t, line, lesson->model, &error);
    const int code = ranks_settle(t->ranks, status ? command_fail("%s", error.message) : COMMAND_DONE);
    if (code) return code;
    memory_estimate(t, lesson, &lesson->training);
    progress_begin(&u.shown, "train");
    status = train(&u, &error);
    progress_end(&u.shown);
    if (status && status != SOS_CANCELLED) return command_fail("%s: %s", data, error.message);
    return finish(&u.state);
}
