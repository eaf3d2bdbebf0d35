/* training_own.c - a model that goes on with somebody's own pictures: what came of it, and which model is written. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/adapt.h>

#include "base/json.h"
#include "progress.h"
#include "ranks.h"
#include "training.h"

bool training_is_own(const training *t, bool validation, const s3svm_task *task, const void *settings, const sos_model *from)
{
    const bool told = t->C.count || t->folds || t->slacks || t->rounds || t->seconds > 0 || !isnan(t->gap) ||
                      !isnan(t->epsilon) || t->checkpoint || t->stream || validation;
    return from && !told && !t->ranks && task->adapts && task->adapts(settings, from);
}

/* ---------------------------------------------------------------- progress */

typedef struct own_run {
    progress shown; /* first: it gets what the library tells */
    const training *t;
} own_run;

static void scores_json(sos_json *j, const char *name, double before, double after)
{
    sos_json_open_row(j, name, '{');
    sos_json_real(j, "before", before);
    sos_json_real(j, "after", after);
    sos_json_close(j, '}');
}

static void fold_json(const s3svm_adapt_event *e)
{
    sos_json j = { .file = stdout, .line = true };
    sos_json_open(&j, NULL, '{');
    sos_json_text(&j, "event", "fold");
    sos_json_count(&j, "fold", e->fold + 1);
    sos_json_count(&j, "folds", e->folds);
    scores_json(&j, "clicks", e->before.clicks, e->after.clicks);
    scores_json(&j, "error", e->before.error, e->after.error);
    sos_json_close(&j, '}');
    fflush(stdout);
}

static bool own_watch(void *user, const s3svm_adapt_event *e)
{
    static const char *const PHASES[] = {
        [S3SVM_ADAPT_WEIGHTS] = "weights", [S3SVM_ADAPT_OUTLINES] = "outlines", [S3SVM_ADAPT_JUDGE] = "clicks"
    };
    own_run *u = user;
    char phase[60];
    if (e->judged && u->t->json) fold_json(e);
    if (e->fold < e->folds)
        snprintf(phase, sizeof phase, "%s, fold %zu of %zu", PHASES[e->phase], e->fold + 1, e->folds);
    else
        snprintf(phase, sizeof phase, "%s, all photographs", PHASES[e->phase]);
    return progress_report(&u->shown, phase, e->share);
}

/* ---------------------------------------------------------------- what came out */

/* What is said of it. */
typedef struct own_outcome {
    const s3svm_adapt_result *result;
    const char *data, *from, *output;
} own_outcome;

static void outcome_json(const own_outcome *o)
{
    const s3svm_adapt_result *r = o->result;
    sos_json j = { .file = stdout, .line = true };
    sos_json_open(&j, NULL, '{');
    sos_json_text(&j, "event", "done");
    sos_json_text(&j, "data", o->data);
    sos_json_text(&j, "from", o->from);
    sos_json_count(&j, "photographs", r->photographs);
    scores_json(&j, "clicks", r->before.clicks, r->after.clicks);
    scores_json(&j, "error", r->before.error, r->after.error);
    scores_json(&j, "strokes_error", r->strokes_before, r->strokes_after);
    sos_json_truth(&j, "better", r->better);
    sos_json_text(&j, "weights", r->better ? "new" : "old");
    sos_json_text(&j, "model", o->output);
    sos_json_close(&j, '}');
}

static void change_print(const char *what, double before, double after, const char *format, const char *said)
{
    char numbers[2][40];
    snprintf(numbers[0], sizeof numbers[0], format, before);
    snprintf(numbers[1], sizeof numbers[1], format, after);
    printf("  %-12s %s before, %s after", what, numbers[0], numbers[1]);
    if (before > 0) printf(": %.1f %% %s", 100 * fabs(after - before) / before, after > before ? "more" : "fewer");
    printf("%s\n", said);
}

static void outcome_print(const own_outcome *o)
{
    const s3svm_adapt_result *r = o->result;
    printf("%s\n", o->data);
    printf("  photographs  %zu; each was cut out by simulated marks with a model that had not learned from it\n",
           r->photographs);
    change_print("clicks", r->before.clicks, r->after.clicks, "%.2f", "");
    change_print("wrong", 100 * r->before.error, 100 * r->after.error, "%.2f %%", ", after three clicks");
    change_print("", 100 * r->strokes_before, 100 * r->strokes_after, "%.2f %%", ", by strokes");
    if (r->better)
        printf("  model        %s: the new one, which needs fewer clicks\n", o->output);
    else
        printf("  model        %s: the weights of %s, since learning gained nothing\n", o->output, o->from);
}

/* ---------------------------------------------------------------- the run */

static sos_status own_write(const training *t, const char *line, sos_model *m, sos_error *error)
{
    const sos_status status = training_facts_set(t, line, m, error);
    return status ? status : sos_model_write(m, t->output, error);
}

static int own_report(const training *t, const own_outcome *o)
{
    if (t->json)
        outcome_json(o);
    else
        outcome_print(o);
    if (!o->result->better)
        command_note("the new model needs no fewer clicks: '%s' has the weights of the old one, %s", o->output, o->from);
    return COMMAND_DONE;
}

int training_own(const training *t, const s3svm_task *task, const void *settings, const sos_model *from,
                 const s3svm_lesson_data *data, const char *line)
{
    own_run u = { .t = t };
    s3svm_adapt_settings s = s3svm_adapt_defaults();
    s3svm_adapt_result result;
    sos_model *m = NULL;
    sos_error error;
    char *name = training_name(data->folders.values[0]), *origin = training_name(t->from);
    s.work = (sos_work){ .threads = (int)t->threads, .progress = progress_report, .tell = progress_tell, .user = &u.shown };
    s.watch = own_watch;
    progress_begin(&u.shown, "train");
    sos_status status = task->adapt(settings, from, data, &s, &m, &result, &error);
    progress_end(&u.shown);
    int code = COMMAND_DONE;
    if (status == SOS_CANCELLED) {
        command_fail("interrupted before it was known whether learning helps: '%s' is not written", t->output);
        code = COMMAND_INTERRUPTED;
    } else if (!status) {
        status = own_write(t, line, m, &error);
    }
    if (status && !code) code = command_fail("%s", error.message);
    if (!code)
        code = name && origin ? own_report(t, &(own_outcome){ &result, name, origin, t->output }) : command_fail("no memory");
    sos_model_free(m);
    free(name);
    free(origin);
    return code;
}
