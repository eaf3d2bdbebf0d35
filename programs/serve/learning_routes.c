#include "learning_routes.h"

#include <string.h>

#include "base/clock.h"
#include "body.h"
#include "json_response.h"
#include "learner.h"

static const char NO_FOLDER[] = "the server was started without a folder: s3svm serve --data DIR";

/* Takes the learner's lock; NULL: there is none. */
static learner *learner_take(exchange *x)
{
    learner *l = x->server->learner;
    if (l)
        pthread_mutex_lock(&l->lock);
    else
        response_fail(&x->response, 404, "unknown", "%s", NO_FOLDER);
    return l;
}

void learning_print(server *s, sos_json *j)
{
    learner *l = s->learner;
    const char *reason = NO_FOLDER;
    if (l) {
        pthread_mutex_lock(&l->lock);
        reason = l->state == LEARNING_RUNNING ? NULL : learner_obstacle(l);
        pthread_mutex_unlock(&l->lock);
    }
    sos_json_open_row(j, "learning", '{');
    sos_json_truth(j, "available", !reason);
    sos_json_text(j, "reason", reason ? reason : "");
    sos_json_close(j, '}');
}

/* ---------------------------------------------------------------- showing */

static void score_print(sos_json *j, const s3svm_adapt_score *before, const s3svm_adapt_score *after)
{
    sos_json_real(j, "clicks_before", before->clicks);
    sos_json_real(j, "clicks_after", after->clicks);
    sos_json_real(j, "error_before", before->error);
    sos_json_real(j, "error_after", after->error);
}

static void rounds_print(const learner *l, sos_json *j)
{
    sos_json_open(j, "rounds", '[');
    for (size_t i = 0; i < l->round_count; i++) {
        const learned_round *r = &l->rounds[i];
        sos_json_open_row(j, NULL, '{');
        sos_json_text(j, "phase", "weights");
        sos_json_count(j, "fold", r->fold);
        sos_json_count(j, "round", r->round);
        sos_json_real(j, "objective", r->objective);
        sos_json_real(j, "bound", r->bound);
        sos_json_real(j, "gap", r->gap);
        sos_json_close(j, '}');
    }
    sos_json_close(j, ']');
}

static void learned_folds_print(const learner *l, sos_json *j)
{
    sos_json_open(j, "folds", '[');
    for (size_t i = 0; i < l->judged_count; i++) {
        sos_json_open_row(j, NULL, '{');
        sos_json_count(j, "fold", l->judged[i].fold);
        score_print(j, &l->judged[i].before, &l->judged[i].after);
        sos_json_close(j, '}');
    }
    sos_json_close(j, ']');
}

static void learning_result_print(const learner *l, sos_json *j)
{
    if (!l->has_result) {
        sos_json_raw(j, "result", "null");
        return;
    }
    sos_json_open_row(j, "result", '{');
    score_print(j, &l->result.before, &l->result.after);
    sos_json_truth(j, "better", l->result.better);
    sos_json_truth(j, "used", l->used);
    sos_json_close(j, '}');
}

static void models_print(const learner *l, sos_json *j)
{
    const model_index *s = &l->models;
    sos_json_open(j, "models", '[');
    sos_json_open_row(j, NULL, '{');
    sos_json_text(j, "name", "inside");
    sos_json_text(j, "title", "The model to begin with");
    sos_json_raw(j, "made", "null");
    sos_json_raw(j, "photographs", "null");
    sos_json_truth(j, "current", !strcmp(s->current, "inside"));
    sos_json_close(j, '}');
    for (size_t i = 0; i < s->count; i++) {
        const listed_model *m = &s->list[i];
        sos_json_open_row(j, NULL, '{');
        sos_json_text(j, "name", m->name);
        sos_json_text(j, "title", m->name);
        sos_json_text(j, "made", m->made);
        sos_json_count(j, "photographs", m->photographs);
        sos_json_truth(j, "current", !strcmp(s->current, m->name));
        score_print(j, &m->before, &m->after);
        sos_json_truth(j, "better", m->better);
        sos_json_close(j, '}');
    }
    sos_json_close(j, ']');
}

/* What it would learn from. */
static size_t done_count(const learner *l)
{
    folder *f = l->server->folder;
    pthread_mutex_lock(&f->lock);
    const size_t done = f->done;
    pthread_mutex_unlock(&f->lock);
    return done;
}

static void progress_print(learner *l, sos_json *j)
{
    static const double SURE = 0.02; /* of all work, before which time cannot be told */
    const bool running = l->state == LEARNING_RUNNING;
    const double elapsed = running ? sos_seconds() - l->began : 0;
    const char *obstacle = running ? NULL : learner_obstacle(l);
    sos_json_text(j, "state", learning_name(l->state));
    sos_json_text(j, "message", *l->message ? l->message : obstacle ? obstacle : "");
    sos_json_text(j, "phase", running ? l->phase : "");
    sos_json_real(j, "share", l->share);
    sos_json_real(j, "seconds", l->seconds + elapsed);
    const double gained = l->share - l->paced_share; /* by what was computed since, not found in a file */
    if (running && l->paced >= l->began && gained > SURE)
        sos_json_real(j, "seconds_left", (sos_seconds() - l->paced) * (1 - l->share) / gained);
    else
        sos_json_raw(j, "seconds_left", "null");
    if (running && l->others >= 0)
        sos_json_real(j, "others", l->others);
    else
        sos_json_raw(j, "others", "null");
    sos_json_count(j, "photographs", running || l->has_result ? l->photographs : done_count(l));
    sos_json_count(j, "fold_count", l->folds);
}

bool learning_show(exchange *x)
{
    json_response w;
    learner *l = learner_take(x);
    if (!l) return true;
    learner_look(l);
    json_response_begin(&w);
    progress_print(l, &w.json);
    rounds_print(l, &w.json);
    learned_folds_print(l, &w.json);
    learning_result_print(l, &w.json);
    models_print(l, &w.json);
    json_response_end(&w, &x->response, 200);
    pthread_mutex_unlock(&l->lock);
    return true;
}

/* ---------------------------------------------------------------- changing */

static void state_answer(const learner *l, int status, response *a)
{
    json_response w;
    json_response_begin(&w);
    sos_json_text(&w.json, "state", learning_name(l->state));
    json_response_end(&w, a, status);
}

static void learning_start(learner *l, bool resume, response *a)
{
    sos_error error;
    const char *obstacle = learner_obstacle(l);
    if (obstacle) {
        response_fail(a, 409, "learning", "%s", obstacle);
        return;
    }
    const sos_status status = learner_start(l, resume, &error);
    if (status)
        response_failure(a, status, &error);
    else
        state_answer(l, 202, a);
}

static void learning_act(learner *l, const char *action, response *a)
{
    const bool resume = !strcmp(action, "resume"), open = l->state == LEARNING_STOPPED || l->state == LEARNING_FAILED;
    if (!strcmp(action, "start") || (resume && open))
        learning_start(l, resume, a);
    else if (resume)
        response_fail(a, 409, "learning", "nothing was stopped that could go on");
    else if (strcmp(action, "stop") != 0)
        response_fail(a, 400, "json", "\"action\" is start, stop or resume");
    else if (l->state != LEARNING_RUNNING)
        response_fail(a, 409, "learning", "it is not learning");
    else {
        learner_stop(l);
        state_answer(l, 202, a);
    }
}

bool learning_change(exchange *x)
{
    static const char *const KNOWN[] = { "action", NULL };
    body b;
    if (!body_read(&x->request, KNOWN, &b, &x->response)) return true;
    learner *l = learner_take(x);
    if (!l) return true;
    learning_act(l, b.action, &x->response);
    pthread_mutex_unlock(&l->lock);
    return true;
}

bool learning_use(exchange *x)
{
    static const char *const KNOWN[] = { "model", NULL };
    body b;
    sos_error error;
    if (!body_read(&x->request, KNOWN, &b, &x->response)) return true;
    learner *l = learner_take(x);
    if (!l) return true;
    if (strcmp(b.model, "inside") != 0 && !model_index_find(&l->models, b.model))
        response_fail(&x->response, 404, "unknown", "there is no model of this name");
    else {
        const sos_status status = learner_use(l, b.model, &error);
        if (status)
            response_failure(&x->response, status, &error);
        else
            state_answer(l, 200, &x->response);
    }
    pthread_mutex_unlock(&l->lock);
    return true;
}
