#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include "training.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "progress.h"
#include "tasks/facts.h"

enum { SLACKS_AUTO, SLACKS_ONE, SLACKS_EACH }; /* in the order of --slacks */

/* What a run is doing and has found. */
typedef struct run {
    const training *t;
    sos_model *m;
    size_t count, validation_count;
    sos_example *const *examples, *const *validation;
    progress p;
    sos_train_round seen; /* the last round */
    sos_path_point path[SOS_REALS_MAX];
    size_t best;          /* of the path */
    double training_loss; /* of the model that is written; NaN: not known */
} run;

/* ---------------------------------------------------------------- options */

training training_defaults(void)
{
    const sos_train_settings d = sos_train_defaults();
    return (training){ .gap = d.gap,
                       .epsilon = d.epsilon,
                       .seconds = d.seconds,
                       .rounds = (int64_t)d.rounds,
                       .threads = d.threads,
                       .slacks = SLACKS_AUTO,
                       .usual_C = d.C };
}

const sos_option training_options[] = {
    { "output", 'o', SOS_SETS_TEXT(training, output), "MODEL", "write the model to this file", 0, 0 },
    { "C", 0, SOS_SETS_REALS(training, C), "LIST", "how much errors weigh against large weights: 1, or 0.1,1,10", 0,
      SOS_REALS_MAX },
    { "slacks", 0, SOS_SETS_CHOICE(training, slacks), "auto|1|n", "slack variables: one, or one per example", 0, 0 },
    { "gap", 0, SOS_SETS_REAL(training, gap), "G", "stop at this relative duality gap", 0, 0 },
    { "epsilon", 0, SOS_SETS_REAL(training, epsilon), "E", "or where no slack is wrong by more than E (off)", 0, 0 },
    { "rounds", 0, SOS_SETS_INTEGER(training, rounds), "N", "or after N rounds, for each C (no limit)", 0, 1000000000 },
    { "seconds", 0, SOS_SETS_REAL(training, seconds), "S", "or after S seconds (no limit)", 0, 0 },
    { "threads", 0, SOS_SETS_INTEGER(training, threads), "N", "use N threads (0: all cores); the model is the same", 0, 4096 },
    { "checkpoint", 0, SOS_SETS_TEXT(training, checkpoint), "FILE", "keep the state here, and go on from it if it is there", 0,
      0 },
    { "json", 0, SOS_SETS_FLAG(training, json), NULL, "print JSON lines: an object per round, then a summary", 0, 0 },
    SOS_OPTIONS_END,
};

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool values_are_positive(const sos_reals *values)
{
    bool positive = true;
    for (size_t i = 0; i < values->count; i++) positive = positive && values->values[i] > 0;
    return positive;
}

static void values_choose(training *t, bool validation)
{
    static const double path[] = { 1e-2, 1e-1, 1, 1e1, 1e2, 1e3, 1e4 };
    const double *values = t->usual_values ? t->usual_values : path;
    t->values.count = !validation ? 1 : t->usual_values ? t->usual_count : sizeof path / sizeof *path;
    t->values.values[0] = t->usual_C;
    if (validation) memcpy(t->values.values, values, t->values.count * sizeof *values);
}

/* Values that come twice would be trained twice. */
static void values_sort(sos_reals *v)
{
    size_t kept = 0;
    qsort(v->values, v->count, sizeof *v->values, ascending);
    for (size_t i = 0; i < v->count; i++)
        if (!kept || v->values[i] != v->values[kept - 1]) v->values[kept++] = v->values[i];
    v->count = kept;
}

/* Better to know it before hours of training than after. */
static int output_check(const training *t)
{
    sos_model *none;
    sos_error error;
    if (sos_model_parse("", 0, "", &none, &error) == SOS_ERR_IO) return command_fail("%s", error.message);
    const char *slash = strrchr(t->output, '/');
    char *folder = slash ? strndup(t->output, (size_t)(slash - t->output) + 1) : strdup(".");
    if (!folder) return command_fail("no memory");
    const bool writable = !access(folder, W_OK | X_OK);
    if (!writable) command_fail("cannot write '%s': no folder '%s' to write to", t->output, folder);
    free(folder);
    return writable ? OPTIONS_RUN : COMMAND_FAILED;
}

int training_check(const command *self, training *t, bool validation)
{
    if (!t->output) return options_wrong(self, "no MODEL given: -o names the file to write");
    if (!strcmp(t->output, "-")) return options_wrong(self, "-o must be a file");
    if (!values_are_positive(&t->C)) return options_wrong(self, "--C takes numbers above 0");
    t->values = t->C;
    if (!t->C.count) values_choose(t, validation);
    values_sort(&t->values);
    if (t->values.count > 1 && !validation) return options_wrong(self, "several values of C need --validation, to choose by");
    if (!(t->gap >= 0 && t->gap < 1)) return options_wrong(self, "--gap must be at least 0 and below 1");
    if (!(t->epsilon >= 0)) return options_wrong(self, "--epsilon must not be negative");
    if (!(t->seconds >= 0)) return options_wrong(self, "--seconds must not be negative");
    return output_check(t);
}

/* ---------------------------------------------------------------- lessons */

int training_prepare(const char *data, void *lesson, int (*read)(void *lesson),
                     sos_status (*make)(void *lesson, sos_error *error))
{
    sos_error error;
    progress heard; /* Ctrl-C, though there is nothing to show */
    progress_begin(&heard, "train");
    const int code = read(lesson);
    progress_end(&heard);
    if (code) return code;
    const sos_status status = progress_interrupted() ? SOS_CANCELLED : make(lesson, &error);
    if (status == SOS_CANCELLED) {
        command_fail("interrupted: there is no model yet");
        return COMMAND_INTERRUPTED;
    }
    return status ? command_fail("%s: %s", data, error.message) : COMMAND_DONE;
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

sos_status training_fact(sos_model *m, const char *key, const char *text, sos_error *error)
{
    return sos_facts_set_text(m, key, text, error);
}

/* ---------------------------------------------------------------- rounds */

static void round_json(sos_json *out, const sos_train_round *r)
{
    sos_json_real(out, "C", r->C);
    sos_json_count(out, "round", r->round);
    sos_json_real(out, "primal", r->primal);
    sos_json_real(out, "dual", r->dual);
    sos_json_real(out, "gap", r->gap);
    sos_json_real(out, "hinge", r->hinge);
    sos_json_real(out, "loss", r->loss);
    sos_json_count(out, "planes", r->planes);
    sos_json_count(out, "oracle_calls", r->oracle_calls);
    sos_json_count(out, "cache_hits", r->cache_hits);
    sos_json_real(out, "seconds", r->seconds);
    sos_json_real(out, "seconds_oracle", r->seconds_oracle);
    sos_json_real(out, "seconds_qp", r->seconds_qp);
}

/* "C 10, round 12, gap 0.034, loss at most 0.12, 3 s, about 5 s left"; at first "round 3, 8 of 40 examples, ..." */
static void round_show(run *u, const sos_train_round *r)
{
    char C[40] = "", known[60], left[40] = "", text[280];
    if (r->examples < u->count)
        snprintf(known, sizeof known, "%zu of %zu examples", r->examples, u->count);
    else
        snprintf(known, sizeof known, "gap %.2g", r->gap);
    if (u->t->values.count > 1) snprintf(C, sizeof C, "C %g, ", r->C);
    if (r->seconds_left >= 0) snprintf(left, sizeof left, ", about %.0f s left", r->seconds_left);
    snprintf(text, sizeof text, "%sround %zu, %s, loss at most %.3g, %.0f s%s", C, r->round, known, r->hinge, r->seconds, left);
    progress_line(&u->p, text);
}

static bool on_round(void *user, const sos_train_round *r)
{
    run *u = user;
    u->seen = *r;
    if (progress_due(&u->p)) round_show(u, r);
    if (u->t->json) {
        sos_json out = { .file = stdout, .line = true };
        sos_json_open(&out, NULL, '{');
        sos_json_text(&out, "event", "round");
        round_json(&out, r);
        sos_json_count(&out, "examples", r->examples);
        sos_json_real(&out, "seconds_left", r->seconds_left >= 0 ? r->seconds_left : NAN);
        sos_json_close(&out, '}');
        fflush(stdout);
    }
    return !progress_interrupted();
}

/* ---------------------------------------------------------------- reports */

static const char *outcome_word(sos_train_outcome outcome)
{
    static const char *const words[] = { "gap", "epsilon", "rounds", "seconds", "stopped" };
    return (size_t)outcome < sizeof words / sizeof *words ? words[outcome] : "unknown";
}

static const char *outcome_text(sos_train_outcome outcome)
{
    switch (outcome) {
    case SOS_TRAIN_GAP: return "the duality gap is small enough";
    case SOS_TRAIN_EPSILON: return "no slack is wrong by more than epsilon";
    case SOS_TRAIN_ROUNDS: return "the rounds are used up";
    case SOS_TRAIN_SECONDS: return "the seconds are used up";
    case SOS_TRAIN_STOPPED: return "interrupted";
    }
    return "unknown";
}

static bool has_path(const run *u) { return u->validation_count > 0 || u->t->values.count > 1; }

static void fingerprint_json(sos_json *out, const training *t)
{
    char hex[20];
    snprintf(hex, sizeof hex, "%016" PRIx64, t->fingerprint);
    sos_json_text(out, "data", t->data);
    sos_json_text(out, "data_fingerprint", hex);
}

/* Members of the training record and of the summary. */
static void result_json(sos_json *out, const run *u)
{
    const sos_path_point *p = &u->path[u->best];
    sos_json_text(out, "version", sos_version());
    fingerprint_json(out, u->t);
    sos_json_count(out, "examples", u->count);
    sos_json_text(out, "outcome", outcome_word(p->result.outcome));
    sos_json_truth(out, "zero", p->result.zero);
    sos_json_truth(out, "resumed", p->result.resumed);
    round_json(out, &p->result.last);
    sos_json_real(out, "training_loss", u->training_loss);
    if (!has_path(u)) return;
    sos_json_real(out, "validation_loss", p->validation_loss);
    sos_json_count(out, "validation_examples", u->validation_count);
    sos_json_open(out, "path", '[');
    for (size_t i = 0; i < u->t->values.count; i++) {
        const sos_path_point *q = &u->path[i];
        sos_json_open(out, NULL, '{');
        sos_json_real(out, "C", u->t->values.values[i]);
        sos_json_text(out, "outcome", q->result.last.round ? outcome_word(q->result.outcome) : "not trained");
        sos_json_count(out, "rounds", q->result.last.round);
        sos_json_real(out, "gap", q->result.last.gap);
        sos_json_real(out, "validation_loss", q->validation_loss);
        sos_json_close(out, '}');
    }
    sos_json_close(out, ']');
}

static sos_status record_set(const run *u, sos_error *error)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    if (file) {
        sos_json out = { .file = file, .depth = 2 }; /* as deep as facts stand in a model file */
        sos_json_open(&out, NULL, '{');
        result_json(&out, u);
        sos_json_close(&out, '}');
    }
    const bool failed = !file || ferror(file) || fclose(file);
    *error = (sos_error){ SOS_ERR_MEMORY, "no memory for the training record" };
    const sos_status status = failed ? SOS_ERR_MEMORY : sos_model_set_fact(u->m, "training", text + strspn(text, " \n"), error);
    free(text);
    return status;
}

static void path_print(const run *u)
{
    printf("  %12s  %8s  %9s  %s\n", "C", "rounds", "gap", "validation loss");
    for (size_t i = 0; i < u->t->values.count; i++) {
        const sos_path_point *q = &u->path[i];
        if (!q->result.last.round) {
            printf("  %12g  not trained\n", u->t->values.values[i]);
            continue;
        }
        printf("  %12g  %8zu  %9.2g  %.5g%s\n", u->t->values.values[i], q->result.last.round, q->result.last.gap,
               q->validation_loss, i == u->best ? "  <- taken" : "");
    }
}

static void text_print(const run *u)
{
    const sos_path_point *p = &u->path[u->best];
    const sos_train_round *r = &p->result.last;
    printf("%s\n", u->t->data);
    printf("  size         %zu example%s; %zu group%s of %zu weights\n", u->count, u->count == 1 ? "" : "s",
           sos_model_groups(u->m), sos_model_groups(u->m) == 1 ? "" : "s", sos_model_weight_count(u->m));
    if (u->t->values.count > 1) path_print(u);
    printf("  C            %g\n", r->C);
    printf("  objective    %.6g, and none is below %.6g: gap %.2g\n", r->primal, r->dual, r->gap);
    printf("  rounds       %zu%s; %s\n", r->round, p->result.resumed ? ", resumed" : "", outcome_text(p->result.outcome));
    if (!isnan(u->training_loss)) printf("  loss         %.5g on the examples it learned from\n", u->training_loss);
    if (u->validation_count) printf("  validation   loss %.5g on %zu others\n", p->validation_loss, u->validation_count);
    printf("  minimised    %zu times; %zu planes came from caches\n", u->seen.oracle_calls, u->seen.cache_hits);
    printf("  seconds      %.3f: oracle %.3f, quadratic programs %.3f\n", u->seen.seconds, u->seen.seconds_oracle,
           u->seen.seconds_qp);
    printf("  model        %s\n", u->t->output);
}

static void json_summary(const run *u)
{
    sos_json out = { .file = stdout, .line = true };
    sos_json_open(&out, NULL, '{');
    sos_json_text(&out, "event", "done");
    result_json(&out, u);
    sos_json_count(&out, "groups", sos_model_groups(u->m));
    sos_json_count(&out, "weights", sos_model_weight_count(u->m));
    sos_json_text(&out, "model", u->t->output);
    sos_json_close(&out, '}');
}

static void zero_note(const run *u)
{
    const sos_path_point *p = &u->path[u->best];
    if (!p->result.zero) return;
    fprintf(stderr,
            "s3svm: note: the optimum is w = 0: with C = %g nothing can be learned from these examples.  Try a larger C; if\n"
            "that does not help, look whether features and true labels have anything to do with each other.\n",
            u->t->values.values[u->best]);
}

/* ---------------------------------------------------------------- the run */

static sos_train_settings settings_of(run *u)
{
    const training *t = u->t;
    sos_train_settings s = sos_train_defaults();
    s.C = t->values.values[0];
    s.slacks = t->slacks == SLACKS_AUTO ? 0 : t->slacks == SLACKS_ONE ? 1 : u->count;
    s.gap = t->gap;
    s.epsilon = t->epsilon;
    s.rounds = (size_t)t->rounds;
    s.seconds = t->seconds;
    s.threads = (int)t->threads;
    s.checkpoint = t->checkpoint;
    s.progress = on_round;
    s.user = u;
    return s;
}

static sos_status train(run *u, sos_error *error)
{
    const sos_train_settings s = settings_of(u);
    if (has_path(u))
        return sos_train_path(u->m, u->count, u->examples, u->validation_count, u->validation, u->t->values.count,
                              u->t->values.values, &s, u->path, &u->best, error);
    u->path[0].C = s.C;
    u->path[0].validation_loss = NAN;
    return sos_train(u->m, u->count, u->examples, &s, &u->path[0].result, error);
}

static int finish(run *u)
{
    sos_error error;
    const bool interrupted = progress_interrupted();
    sos_status status = SOS_OK;
    if (!interrupted) status = sos_evaluate(u->m, u->count, u->examples, (int)u->t->threads, NULL, &u->training_loss, &error);
    if (!status) status = record_set(u, &error);
    if (!status) status = sos_model_write(u->m, u->t->output, &error);
    if (status) return command_fail("%s", error.message);
    if (u->t->json)
        json_summary(u);
    else
        text_print(u);
    zero_note(u);
    if (!interrupted) return COMMAND_DONE;
    command_fail("interrupted: the best model so far, of gap %.2g, is in '%s'", u->path[u->best].result.last.gap, u->t->output);
    return COMMAND_INTERRUPTED;
}

int training_run(const training *t, sos_model *m, size_t count, sos_example *const examples[], size_t validation_count,
                 sos_example *const validation[])
{
    run u = { .t = t,
              .m = m,
              .count = count,
              .validation_count = validation_count,
              .examples = examples,
              .validation = validation,
              .training_loss = NAN };
    sos_error error;
    progress_begin(&u.p, "train");
    const sos_status status = train(&u, &error);
    progress_end(&u.p);
    return status ? command_fail("%s: %s", t->data, error.message) : finish(&u);
}
