/* training_report.c - how training goes and what came out of it: lines, JSON, the record in the model. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#endif

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/edge.h"
#include "base/error.h"
#include "base/json.h"
#include "training.h"

/* ---------------------------------------------------------------- rounds */

static void round_members(sos_json *out, const sos_train_round *r)
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
    sos_json_truth(out, "approximate", r->approximate);
    sos_json_count(out, "oracle_beaten", r->beaten);
    sos_json_real(out, "seconds", r->seconds);
    sos_json_real(out, "seconds_oracle", r->seconds_oracle);
    sos_json_real(out, "seconds_qp", r->seconds_qp);
}

/* "C 10, round 12, gap 0.034, loss at most 0.12, 3 s, about 5 s left"; at first "round 3, 8 of 40 examples, ..." */
void training_round_text(const training_state *s, const sos_train_round *r, char text[TRAINING_ROUND_TEXT])
{
    char C[40] = "", known[60], left[40] = "";
    if (!isfinite(r->primal))
        snprintf(known, sizeof known, "%zu of %zu examples", r->examples, s->lesson->count);
    else
        snprintf(known, sizeof known, "gap %.2g", r->gap);
    if (s->values.count > 1) snprintf(C, sizeof C, "C %g, ", r->C);
    if (r->seconds_left >= 0) snprintf(left, sizeof left, ", about %.0f s left", r->seconds_left);
    snprintf(text, TRAINING_ROUND_TEXT, "%sround %zu, %s, loss at most %.3g, %.0f s%s", C, r->round, known, r->hinge,
             r->seconds, left);
}

/* Of several ranks.  Not in the record of a model, which is the same for any number of them. */
static void ranks_members(sos_json *out, const sos_communicator *ranks, const sos_train_round *r)
{
    if (!ranks) return;
    sos_json_count(out, "ranks", ranks->size);
    sos_json_real(out, "idle", r->idle);
    sos_json_real(out, "seconds_shared", r->seconds_shared);
    sos_json_count(out, "bytes_shared", r->bytes_shared);
}

void training_round_json(const training_state *s, const sos_train_round *r)
{
    sos_json out = { .file = stdout, .line = true };
    sos_json_open(&out, NULL, '{');
    sos_json_text(&out, "event", "round");
    round_members(&out, r);
    sos_json_count(&out, "examples", r->examples);
    sos_json_real(&out, "seconds_left", r->seconds_left >= 0 ? r->seconds_left : NAN);
    ranks_members(&out, s->t->ranks, r);
    sos_json_close(&out, '}');
    fflush(stdout);
}

/* ---------------------------------------------------------------- the record */

static const char *outcome_word(sos_train_outcome outcome)
{
    static const char *const words[] = { "gap", "epsilon", "rounds", "seconds", "stopped", "stalled" };
    return (size_t)outcome < sizeof words / sizeof *words ? words[outcome] : "unknown";
}

static void path_members(sos_json *out, const training_state *s)
{
    sos_json_real(out, "validation_loss", s->path[s->best].validation_loss);
    sos_json_count(out, "validation_examples", s->lesson->validation_count);
    if (sos_edge(s->best, s->values.count)) sos_json_text(out, "C_edge", sos_edge(s->best, s->values.count));
    sos_json_open(out, "path", '[');
    for (size_t i = 0; i < s->values.count; i++) {
        const sos_path_point *q = &s->path[i];
        sos_json_open(out, NULL, '{');
        sos_json_real(out, "C", s->values.values[i]);
        sos_json_text(out, "outcome", q->result.last.round ? outcome_word(q->result.outcome) : "not trained");
        sos_json_count(out, "rounds", q->result.last.round);
        sos_json_real(out, "gap", q->result.last.gap);
        sos_json_real(out, "validation_loss", q->validation_loss);
        sos_json_close(out, '}');
    }
    sos_json_close(out, ']');
}

static void folds_members(sos_json *out, const training_state *s)
{
    sos_json_count(out, "folds", s->folds);
    if (sos_edge(s->best, s->values.count)) sos_json_text(out, "C_edge", sos_edge(s->best, s->values.count));
    sos_json_open(out, "path", '[');
    for (size_t i = 0; i < s->values.count; i++) {
        sos_json_open(out, NULL, '{');
        sos_json_real(out, "C", s->values.values[i]);
        sos_json_real(out, "fold_loss", s->folded[i]);
        sos_json_close(out, '}');
    }
    sos_json_close(out, ']');
}

/* Members of the training record and of the summary. */
static void result_members(sos_json *out, const training_state *s)
{
    const sos_path_point *p = &s->path[s->best];
    char fingerprint[20];
    snprintf(fingerprint, sizeof fingerprint, "%016" PRIx64, s->lesson->fingerprint);
    sos_json_text(out, "version", sos_version());
    sos_json_text(out, "data", s->data);
    sos_json_text(out, "data_fingerprint", fingerprint);
    sos_json_count(out, "examples", s->lesson->count);
    sos_json_text(out, "outcome", outcome_word(p->result.outcome));
    sos_json_truth(out, "learned", p->result.learned);
    sos_json_truth(out, "zero", p->result.zero);
    sos_json_truth(out, "resumed", p->result.resumed);
    round_members(out, &p->result.last);
    sos_json_real(out, "training_loss", s->training_loss);
    if (training_has_path(s)) path_members(out, s);
    if (training_has_folds(s)) folds_members(out, s);
}

static void record_write(sos_json *out, const void *state)
{
    sos_json_open(out, NULL, '{');
    result_members(out, state);
    sos_json_close(out, '}');
}

static void text_write(sos_json *out, const void *text) { sos_json_text(out, NULL, text); }

/* Sets a fact to what write prints; depth says how deep it stands in the model file, for its indents. */
static sos_status fact_set(sos_model *m, const char *key, bool line, void (*write)(sos_json *out, const void *data),
                           const void *data, sos_error *error)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    if (file) write(&(sos_json){ .file = file, .depth = line ? 0 : 2, .line = line, .part = true }, data);
    const bool failed = !file || ferror(file);
    const bool closed = file && !fclose(file);
    const sos_status status = failed || !closed ? sos_fail(error, SOS_ERR_MEMORY, "no memory for the fact \"%s\"", key)
                                                : sos_model_set_fact(m, key, text + strspn(text, " \n"), error);
    free(text);
    return status;
}

sos_status training_record_set(const training_state *s, sos_error *error)
{
    return fact_set(s->lesson->model, "training", false, record_write, s, error);
}

sos_status training_fact_set(sos_model *m, const char *key, const char *text, sos_error *error)
{
    return fact_set(m, key, true, text_write, text, error);
}

/* ---------------------------------------------------------------- what came out */

static const char *outcome_text(sos_train_outcome outcome)
{
    switch (outcome) {
    case SOS_TRAIN_GAP: return "the duality gap is small enough";
    case SOS_TRAIN_EPSILON: return "no slack is wrong by more than epsilon";
    case SOS_TRAIN_ROUNDS: return "the rounds are used up";
    case SOS_TRAIN_SECONDS: return "the seconds are used up";
    case SOS_TRAIN_STOPPED: return "interrupted";
    case SOS_TRAIN_STALLED: return "rounds change nothing any more: this is as close as they come";
    }
    return "unknown";
}

static void path_print(const training_state *s)
{
    printf("  %12s  %8s  %9s  %s\n", "C", "rounds", "gap", "validation loss");
    for (size_t i = 0; i < s->values.count; i++) {
        const sos_path_point *q = &s->path[i];
        if (q->result.last.round)
            printf("  %12g  %8zu  %9.2g  %.5g%s\n", s->values.values[i], q->result.last.round, q->result.last.gap,
                   q->validation_loss,
                   i != s->best                   ? ""
                   : sos_edge(i, s->values.count) ? "  <- taken, at the edge"
                                                  : "  <- taken");
        else
            printf("  %12g  not trained\n", s->values.values[i]);
    }
}

static void folds_print(const training_state *s)
{
    printf("  %12s  loss on what was not learned from, in %zu folds\n", "C", s->folds);
    for (size_t i = 0; i < s->values.count; i++)
        printf("  %12g  %.5g%s\n", s->values.values[i], s->folded[i], i == s->best ? "  <- taken" : "");
}

static void ranks_print(const training_state *s)
{
    const sos_train_round *r = &s->seen;
    if (!s->t->ranks) return;
    printf("  ranks        %zu, idle for %.1f %% of the oracle's time; messages took rank 0 %.3f s, waiting included, and\n"
           "               %.1f kB a round\n",
           s->t->ranks->size, 100 * r->idle, r->seconds_shared,
           1e-3 * (double)r->bytes_shared / (double)(r->round ? r->round : 1));
}

static void text_print(const training_state *s)
{
    const sos_path_point *p = &s->path[s->best];
    const sos_train_round *r = &p->result.last;
    const s3svm_lesson *l = s->lesson;
    const size_t groups = sos_model_groups(l->model);
    printf("%s\n", s->data);
    printf("  size         %zu example%s; %zu group%s of %zu weights\n", l->count, l->count == 1 ? "" : "s", groups,
           groups == 1 ? "" : "s", sos_model_weight_count(l->model));
    if (training_has_path(s) && s->values.count > 1) path_print(s);
    if (training_has_folds(s)) folds_print(s);
    printf("  C            %g\n", r->C);
    printf("  objective    %.6g, and none is below %.6g: gap %.2g\n", r->primal, r->dual, r->gap);
    if (r->approximate)
        printf(
            "  oracle       approximate, as with more than two labels: objective and gap are as far as it sees; what it had\n"
            "               found before was better %zu times\n",
            s->seen.beaten);
    printf("  rounds       %zu%s; %s\n", r->round, p->result.resumed ? ", resumed" : "", outcome_text(p->result.outcome));
    if (!isnan(s->training_loss)) printf("  loss         %.5g on the examples it learned from\n", s->training_loss);
    if (l->validation_count) printf("  validation   loss %.5g on %zu others\n", p->validation_loss, l->validation_count);
    printf("  minimised    %zu times; %zu planes came from caches\n", s->seen.oracle_calls, s->seen.cache_hits);
    printf("  seconds      %.3f: oracle %.3f, quadratic programs %.3f\n", s->seen.seconds, s->seen.seconds_oracle,
           s->seen.seconds_qp);
    ranks_print(s);
    printf("  model        %s\n", s->t->output);
}

static void json_print(const training_state *s)
{
    sos_json out = { .file = stdout, .line = true };
    sos_json_open(&out, NULL, '{');
    sos_json_text(&out, "event", "done");
    result_members(&out, s);
    sos_json_count(&out, "groups", sos_model_groups(s->lesson->model));
    sos_json_count(&out, "weights", sos_model_weight_count(s->lesson->model));
    sos_json_text(&out, "model", s->t->output);
    ranks_members(&out, s->t->ranks, &s->seen);
    sos_json_close(&out, '}');
}

static void zero_note(const training_state *s)
{
    if (!s->path[s->best].result.zero) return;
    if (s->from) {
        fprintf(stderr, "s3svm: note: the optimum is the model that it began with: with C = %g these examples change nothing\n",
                s->values.values[s->best]);
        return;
    }
    fprintf(stderr,
            "s3svm: note: the optimum is w = 0: with C = %g nothing can be learned from these examples.  Try a larger C; if\n"
            "that does not help, look whether features and true labels have anything to do with each other.\n",
            s->values.values[s->best]);
}

static void nothing_note(const training_state *s)
{
    if (s->path[s->best].result.learned) return;
    fprintf(stderr, "s3svm: note: training ended before it had learned anything; the weights in '%s' say nothing\n",
            s->t->output);
}

/* Where the best of several values of C is the first or the last, a better one may lie beyond. */
static void edge_note(const training_state *s)
{
    const char *edge = sos_edge(s->best, s->values.count);
    if (edge)
        fprintf(stderr, "s3svm: note: the best C, %g, is the %s of those tried; a %s one may be better\n",
                s->values.values[s->best], edge, s->best ? "larger" : "smaller");
}

static void checkpoint_note(const training_state *s)
{
    const sos_error *error = &s->path[s->best].result.checkpoint_error;
    if (error->status) fprintf(stderr, "s3svm: note: the last checkpoint could not be written: %s\n", error->message);
}

void training_report(const training_state *s)
{
    if (s->t->json)
        json_print(s);
    else
        text_print(s);
    zero_note(s);
    nothing_note(s);
    edge_note(s);
    checkpoint_note(s);
}
