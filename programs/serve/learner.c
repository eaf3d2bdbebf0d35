#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE
#endif

#include "learner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/path.h"
#include "command.h"

enum {
    LEARN_PIXELS = 250000, /* of a photograph: models learn from a fifth of a megapixel, larger ones are reduced */
    PHOTOGRAPHS_MAX = 300, /* which then take half a gigabyte */
    SAVE_SECONDS = 10,     /* between two writes of how far it is */
    LOOK_SECONDS = 5,      /* between two looks at the processors */
    NICENESS = 5           /* beyond the server: a third of a processor beside a program that wants all; with 19 a hundredth */
};

static bool is_stopped(learner *l)
{
    pthread_mutex_lock(&l->lock);
    const bool stopped = l->stop || server_is_ending(l->server);
    pthread_mutex_unlock(&l->lock);
    return stopped;
}

/* ---------------------------------------------------------------- photographs */

typedef struct training_set {
    size_t count;
    s3svm_marked *list;
    s3svm_truth_code code; /* of their labels */
} training_set;

static void training_set_free(training_set *a)
{
    for (size_t i = 0; i < a->count; i++) s3svm_marked_free(&a->list[i]);
    free(a->list);
    *a = (training_set){ 0 };
}

static sos_status photograph_shrink(s3svm_marked *m, sos_error *error)
{
    const size_t n = s3svm_image_size(&m->photograph);
    size_t factor = 1;
    while (n / (factor * factor) > LEARN_PIXELS) factor++;
    return factor > 1 ? s3svm_marked_shrink(m, factor, error) : SOS_OK;
}

/* Without an object, or without a background, there is nothing to learn. */
static bool has_both(const s3svm_marked *m)
{
    const size_t n = s3svm_image_size(&m->photograph);
    return memchr(m->truth, 1, n) && memchr(m->truth, 0, n);
}

/* The next photograph that is done, from *at on.  The folder is held for one at a time, so that pages can save meanwhile. */
static sos_status photograph_next(folder *f, const s3svm_truth_code *code, size_t *at, s3svm_marked *m, bool *found,
                                  sos_error *error)
{
    sos_status status = SOS_OK;
    pthread_mutex_lock(&f->lock);
    while (*at < f->count && item_state(&f->items[*at]) != STATE_DONE) ++*at;
    *found = *at < f->count;
    if (*found) status = item_marked(f, &f->items[(*at)++], code, m, error);
    pthread_mutex_unlock(&f->lock);
    return status;
}

static sos_status training_set_begin(folder *f, training_set *a, sos_error *error)
{
    s3svm_truth_code code = { 0 };
    pthread_mutex_lock(&f->lock);
    sos_status status = folder_look(f, error);
    if (!status) status = folder_code(f, &code, error);
    pthread_mutex_unlock(&f->lock);
    if (status) return status;
    *a = (training_set){ .list = calloc(PHOTOGRAPHS_MAX, sizeof *a->list), .code = code };
    return a->list ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for a list of photographs");
}

static sos_status training_set_read(learner *l, training_set *a, sos_error *error)
{
    folder *f = l->server->folder;
    sos_status status = training_set_begin(f, a, error);
    if (status) return status;
    bool found = true;
    for (size_t at = 0; found && a->count < PHOTOGRAPHS_MAX && !status;) {
        s3svm_marked *m = &a->list[a->count];
        status = is_stopped(l) ? sos_fail(error, SOS_CANCELLED, "stopped while reading")
                               : photograph_next(f, &a->code, &at, m, &found, error);
        if (status || !found) continue;
        a->count++;
        status = photograph_shrink(m, error);
        if (status || has_both(m)) continue;
        s3svm_marked_free(m);
        a->count--;
    }
    if (!status && a->count < S3SVM_ADAPT_LEAST)
        status = sos_fail(error, SOS_ERR_ARGUMENT, "%zu photographs with an object are done; learning needs %d", a->count,
                          S3SVM_ADAPT_LEAST);
    if (status) training_set_free(a);
    return status;
}

/* ---------------------------------------------------------------- watching */

static void round_note(learner *l, const s3svm_adapt_event *e)
{
    if (l->round_count == ROUNDS_MAX) return;
    l->rounds[l->round_count++] = (learned_round){
        .fold = e->fold, .round = e->round->round, .objective = e->round->primal, .bound = e->round->dual, .gap = e->round->gap
    };
}

static bool learner_watch(void *user, const s3svm_adapt_event *e)
{
    static const char *const PHASES[] = {
        [S3SVM_ADAPT_WEIGHTS] = "weights", [S3SVM_ADAPT_OUTLINES] = "outlines", [S3SVM_ADAPT_JUDGE] = "judge"
    };
    learner *l = user;
    pthread_mutex_lock(&l->lock);
    snprintf(l->phase, sizeof l->phase, "%s", PHASES[e->phase]);
    if (e->share > l->share) l->share = e->share;
    if (l->paced < l->began && !e->judged) {
        l->paced = sos_seconds();
        l->paced_share = l->share;
    }
    l->folds = e->folds;
    if (e->round) round_note(l, e);
    if (e->judged && l->judged_count < FOLDS_MAX)
        l->judged[l->judged_count++] = (learned_fold){ .fold = e->fold, .before = e->before, .after = e->after };
    if (sos_seconds() - l->saved > SAVE_SECONDS) learner_save(l);
    const bool go_on = !l->stop && !server_is_ending(l->server);
    pthread_mutex_unlock(&l->lock);
    return go_on;
}

/* ---------------------------------------------------------------- the work */

/* Strokes come first, but learning must come to an end beside other work, too. */
static void priority_lower(void)
{
    const id_t self = (id_t)syscall(SYS_gettid);
    setpriority(PRIO_PROCESS, self, getpriority(PRIO_PROCESS, self) + NICENESS);
}

void learner_look(learner *l)
{
    processor_use now;
    if (l->state != LEARNING_RUNNING || sos_seconds() - l->looked < LOOK_SECONDS || !processor_look(&now)) return;
    if (l->looked > l->began) l->others = processor_others(&l->use, &now);
    l->looked = sos_seconds();
    l->use = now;
}

static sos_status model_adopt(learner *l, const sos_model *m, const s3svm_adapt_result *result, sos_error *error)
{
    folder *f = l->server->folder;
    s3svm_segment_model *model = NULL;
    sos_status status = result->better ? s3svm_segment_model_create(m, &model, error) : SOS_OK;
    pthread_mutex_lock(&l->lock);
    pthread_mutex_lock(&f->lock);
    if (!status) status = model_index_add(f, &l->models, m, result, error);
    pthread_mutex_unlock(&f->lock);
    if (!status && model)
        status = methods_learned(&l->server->methods, model, "learned from photographs of this folder", error);
    if (!status) {
        l->has_result = true;
        l->used = model;
        model = NULL;
    }
    pthread_mutex_unlock(&l->lock);
    s3svm_segment_model_free(model);
    return status;
}

static sos_status learn(learner *l, sos_error *error)
{
    training_set a;
    s3svm_adapt_settings settings = s3svm_adapt_defaults();
    s3svm_adapt_result result;
    sos_model *m = NULL;
    sos_status status = training_set_read(l, &a, error);
    if (status) return status;
    pthread_mutex_lock(&l->lock);
    l->photographs = a.count;
    pthread_mutex_unlock(&l->lock);
    settings.cache = l->cache;
    settings.work.threads = l->server->threads;
    settings.watch = learner_watch;
    settings.work.user = l;
    status = s3svm_segment_adapt(l->server->methods.base, a.count, a.list, &settings, &m, &result, error);
    training_set_free(&a);
    if (status) return status;
    l->pending = m; /* so that a full disk costs nothing: see learner_run */
    l->result = result;
    return SOS_OK;
}

/* What was kept for going on is of no use any more. */
static void cache_empty(const learner *l)
{
    names list;
    sos_error error;
    const int directory = directory_open(l->server->folder->own, "cache", false);
    if (directory < 0) return;
    if (!directory_list(directory, SIZE_MAX, &list, &error)) {
        for (size_t i = 0; i < list.count; i++) unlinkat(directory, list.list[i], 0);
        names_free(&list);
    }
    close(directory);
}

static void outcome_note(learner *l, sos_status status, const sos_error *error)
{
    l->seconds += sos_seconds() - l->began;
    l->state = !status ? LEARNING_DONE : status == SOS_CANCELLED ? LEARNING_STOPPED : LEARNING_FAILED;
    if (status && status != SOS_CANCELLED)
        snprintf(l->message, sizeof l->message, "%.290s", error->message);
    else if (status)
        snprintf(l->message, sizeof l->message, "learning was stopped, and can go on");
    else
        snprintf(l->message, sizeof l->message, "%s",
                 l->result.better ? "the new model needs fewer clicks, and is used"
                                  : "the new model needs no fewer clicks, and is not used");
    if (!status) l->share = 1;
    learner_save(l);
}

static void pending_drop(learner *l)
{
    sos_model_free(l->pending);
    l->pending = NULL;
}

/* A model that was learned, but could not be written, is there still when learning goes on. */
static void *learner_run(void *user)
{
    learner *l = user;
    sos_error error;
    priority_lower();
    sos_status status = l->pending ? SOS_OK : learn(l, &error);
    if (!status) status = model_adopt(l, l->pending, &l->result, &error);
    pthread_mutex_lock(&l->lock);
    if (!status) pending_drop(l);
    outcome_note(l, status, &error);
    pthread_mutex_unlock(&l->lock);
    if (!status) cache_empty(l);
    return NULL;
}

/* ---------------------------------------------------------------- what pages ask for */

const char *learner_obstacle(learner *l)
{
    static const char FEW[] = "fewer than 4 photographs are done";
    folder *f = l->server->folder;
    _Static_assert(S3SVM_ADAPT_LEAST == 4, "FEW says so");
    pthread_mutex_lock(&f->lock);
    const size_t done = f->done;
    pthread_mutex_unlock(&f->lock);
    if (l->state == LEARNING_RUNNING) return "it is learning already";
    return done < S3SVM_ADAPT_LEAST ? FEW : NULL;
}

sos_status learner_start(learner *l, bool resume, sos_error *error)
{
    if (l->started) pthread_join(l->thread, NULL); /* it has ended: it is not running */
    l->started = false;
    if (!resume) pending_drop(l);
    l->stop = false;
    l->state = LEARNING_RUNNING;
    l->began = sos_seconds();
    l->seconds = resume ? l->seconds : 0;
    l->others = -1;
    l->share = 0;
    l->round_count = l->judged_count = 0;
    l->has_result = l->used = false;
    l->message[0] = '\0';
    snprintf(l->phase, sizeof l->phase, "reading");
    learner_save(l);
    if (!pthread_create(&l->thread, NULL, learner_run, l)) {
        l->started = true;
        return SOS_OK;
    }
    l->state = LEARNING_FAILED;
    snprintf(l->message, sizeof l->message, "there is no thread to learn in");
    return sos_fail(error, SOS_ERR_MEMORY, "%s", l->message);
}

void learner_stop(learner *l) { l->stop = true; }

sos_status learner_use(learner *l, const char *name, sos_error *error)
{
    folder *f = l->server->folder;
    const bool inside = !strcmp(name, "inside");
    s3svm_segment_model *model = NULL;
    pthread_mutex_lock(&f->lock);
    sos_status status = inside ? SOS_OK : model_index_load(f, &l->models, name, &model, error);
    if (!status) status = model_index_choose(f, &l->models, name, error);
    pthread_mutex_unlock(&f->lock);
    if (!status) status = methods_learned(&l->server->methods, model, "learned from photographs of this folder", error);
    if (status) s3svm_segment_model_free(model);
    return status;
}

/* ---------------------------------------------------------------- beginning, end */

static sos_status learner_open(learner *l, sos_error *error)
{
    folder *f = l->server->folder;
    const int cache = directory_open(f->own, "cache", true);
    if (cache < 0) return sos_fail(error, SOS_ERR_IO, "'%.200s/.s3svm/cache' cannot be used: it is no folder", f->path);
    close(cache);
    l->cache = sos_path_join(f->path, ".s3svm/cache", "");
    l->rounds = calloc(ROUNDS_MAX, sizeof *l->rounds);
    if (!l->cache || !l->rounds) return sos_fail(error, SOS_ERR_MEMORY, "no memory for learning");
    learner_restore(l);
    sos_status status = model_index_read(f, &l->models, error);
    if (status || !strcmp(l->models.current, "inside")) return status;
    if (!learner_use(l, l->models.current, error)) return SOS_OK;
    command_note("%s: the model to begin with is used", error->message); /* somebody may have removed the file */
    snprintf(l->models.current, sizeof l->models.current, "inside");
    return SOS_OK;
}

sos_status learner_begin(server *s, learner **out, sos_error *error)
{
    learner *l = calloc(1, sizeof *l);
    if (!l) return sos_fail(error, SOS_ERR_MEMORY, "no memory for learning");
    l->server = s;
    pthread_mutex_init(&l->lock, NULL);
    const sos_status status = learner_open(l, error);
    if (status)
        learner_end(l);
    else
        *out = l;
    return status;
}

void learner_end(learner *l)
{
    if (!l) return;
    pthread_mutex_lock(&l->lock);
    l->stop = true;
    pthread_mutex_unlock(&l->lock);
    if (l->started) pthread_join(l->thread, NULL);
    pending_drop(l);
    pthread_mutex_destroy(&l->lock);
    free(l->rounds);
    free(l->cache);
    free(l);
}
