#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "server.h"

/* What a segmenter holds, measured with a photograph of a megapixel: 300 bytes for each pixel that a model solves, GrabCut
 * none, 8 for each of the photograph, and a bit for each step. */
enum { SOLVED_BYTES = 300, PHOTOGRAPH_BYTES = 8 };

/* Pixels of a quick answer, and, at most, of others of the models inside (segmenter.c). */
enum { QUICK_PIXELS = 100000, SOLVED_PIXELS = 500000 };

static size_t bytes_guess(const session *s, const picture *p, const shared_model *model, size_t steps)
{
    const size_t evidence = p->odds.values ? sizeof *p->odds.values : 0;
    const size_t n = s3svm_image_size(&p->image), most = s->quick ? QUICK_PIXELS : SOLVED_PIXELS;
    const size_t solved = model ? (SOLVED_BYTES + evidence) * (n < most ? n : most) : 0;
    return solved + PHOTOGRAPH_BYTES * n + steps * (n / 8 + 1);
}

/* ---------------------------------------------------------------- one session */

/* Called by the library, from any of its threads, one at a time. */
static bool session_progress(void *user, const char *phase, double done)
{
    session *s = user;
    store *all = &s->server->store;
    pthread_mutex_lock(&all->lock);
    snprintf(s->phase, sizeof s->phase, "%s", phase);
    const bool go_on = !(s->running && atomic_load(&s->running->stopped)) && !server_is_ending(s->server) &&
                       sos_seconds() < s->deadline;
    pthread_mutex_unlock(&all->lock);
    (void)done; /* of a part; steps tell more */
    return go_on;
}

static void share_set(session *s, double share)
{
    pthread_mutex_lock(&s->server->store.lock);
    s->share = share;
    pthread_mutex_unlock(&s->server->store.lock);
}

/* Lets go of the segmenter; the caller sees to its bytes. */
static void segmenter_drop(session *s)
{
    s3svm_segmenter_free(s->segmenter);
    methods_release(&s->server->methods, s->model);
    s->segmenter = NULL;
    s->model = NULL;
    s->connected = false;
}

/* What maps say of the object, for a model that sees it; NULL: nothing. */
static const s3svm_maps *evidence_of(const session *s, const picture *p)
{
    return s->model && p->odds.values && s3svm_segment_model_evidence(s->model->model) ? &p->odds : NULL;
}

static sos_status segmenter_make(session *s, const picture *p, sos_error *error)
{
    s3svm_segmentation_settings settings = s3svm_segmentation_defaults();
    settings.maps = evidence_of(s, p);
    if (s->quick) settings.pixels = QUICK_PIXELS;
    settings.rough = s->quick;
    settings.work = (sos_work){ .threads = s->server->threads, .progress = session_progress, .user = s };
    return s3svm_segmenter_create(s->model ? s->model->model : NULL, &p->image, &settings, &s->segmenter, error);
}

/* A segmenter with the model that the method has now. */
static sos_status segmenter_take(session *s, picture *p, size_t steps, sos_error *error)
{
    store *all = &s->server->store;
    shared_model *model;
    sos_status status = methods_take(&s->server->methods, s->method, &model, error);
    if (status) return status;
    const bool same = s->segmenter && model == s->model;
    const size_t bytes = bytes_guess(s, p, model, steps);
    store_count(all, p, s->bytes, bytes);
    s->bytes = bytes;
    if (same) {
        methods_release(&s->server->methods, model);
        return SOS_OK;
    }
    segmenter_drop(s);
    s->model = model;
    status = segmenter_make(s, p, error);
    if (status) {
        segmenter_drop(s);
        store_count(all, p, s->bytes, 0);
        s->bytes = 0;
    }
    return status;
}

/* Steps that were made stay made when a newer request stops this one. */
static sos_status marks_follow(session *s, const s3svm_dialogue *d, sos_error *error)
{
    const size_t steps = s3svm_dialogue_steps(d), common = s3svm_dialogue_common(s3svm_segmenter_dialogue(s->segmenter), d);
    sos_status status = SOS_OK;
    if (common < s3svm_segmenter_steps(s->segmenter)) s3svm_segmenter_cut(s->segmenter, common);
    for (size_t step = common; step < steps && !status; step++) {
        share_set(s, (double)(step - common) / (double)(steps - common));
        status = session_progress(s, "segmenting", 0) ? SOS_OK : SOS_CANCELLED;
        if (!status) status = s3svm_segmenter_step(s->segmenter, d, step, error);
    }
    return status;
}

/* Before the first mark labels are what maps say of the object, if they do. */
static sos_status labels_propose(session *s, const picture *p, sos_error *error)
{
    s->proposed = !s3svm_segmenter_steps(s->segmenter) && evidence_of(s, p);
    return s->proposed ? s3svm_segmenter_propose(s->segmenter, error) : SOS_OK;
}

/* Requests may want labels of the same marks tidied in other ways. */
static void labels_tidy(session *s, bool connected)
{
    if (s->connected == connected) return;
    s3svm_segmenter_tidy(s->segmenter, &(s3svm_tidying){ .connected = connected });
    s->connected = connected;
}

/* Marks of which nothing lies in the picture are a mistake. */
static bool marks_are_seen(const s3svm_segmenter *s)
{
    const s3svm_segmentation_result r = s3svm_segmenter_result(s);
    return !s3svm_segmenter_steps(s) || r.marks[S3SVM_MARK_NONE] < s3svm_image_size(s3svm_segmenter_marks(s));
}

/* ---------------------------------------------------------------- requests */

static void job_free(job *k)
{
    exchange *x = k->x;
    store_release(&x->server->store, k->picture);
    body_free(&k->body);
    free(k);
    x->done(x);
}

static void job_refuse(job *k)
{
    if (k->x->response.status)
        ; /* it says why */
    else if (server_is_ending(k->x->server))
        response_fail(&k->x->response, 503, "ending", "the server is being stopped");
    else
        response_failure(&k->x->response, SOS_CANCELLED, NULL);
    job_free(k);
}

void session_failure(const session *s, sos_status status, const sos_error *error, response *a)
{
    if (status == SOS_CANCELLED && server_is_ending(s->server))
        response_fail(a, 503, "ending", "the server is being stopped");
    else if (status == SOS_CANCELLED && sos_seconds() >= s->deadline)
        response_fail(a, 503, "time", "this takes longer than the %g seconds that a request may compute", s->server->seconds);
    else
        response_failure(a, status, error);
}

static void job_work(job *k, session *s)
{
    sos_error error;
    share_set(s, -1);
    s->deadline = sos_seconds() + s->server->seconds;
    sos_status status = segmenter_take(s, k->picture, s3svm_dialogue_steps(k->body.marks), &error);
    if (!status) status = marks_follow(s, k->body.marks, &error);
    if (!status) status = labels_propose(s, k->picture, &error);
    if (!status) labels_tidy(s, k->body.connected);
    if (!status && marks_are_seen(s->segmenter))
        k->answer(k, s, s->segmenter);
    else if (!status)
        response_fail(&k->x->response, 422, "marks", "all marks lie outside of the picture");
    if (status) session_failure(s, status, &error, &k->x->response);
}

/* The session of a picture; NULL: no memory.  Under the lock. */
static session *session_find(const job *k, bool quick)
{
    session *s = k->picture->sessions;
    while (s && (s->method != k->method || s->quick != quick)) s = s->next;
    return s;
}

static session *session_make(const job *k)
{
    session *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    *s = (session){ .method = k->method, .quick = k->quick, .server = k->x->server, .next = k->picture->sessions };
    k->picture->sessions = s;
    return s;
}

/* Takes out of the queue those that another one has made useless, into *useless. */
static void older_take(session *s, const job *newer, bool (*is_older)(const job *a, const job *newer), job **useless)
{
    if (s->running && is_older(s->running, newer)) atomic_store(&s->running->stopped, true);
    for (job **at = &s->waiting; *at;) {
        job *k = *at;
        if (!is_older(k, newer)) {
            at = &k->next;
            continue;
        }
        *at = k->next;
        k->next = *useless;
        *useless = k;
    }
}

static bool is_replaced(const job *a, const job *newer)
{
    return a->kind == newer->kind && a->kind != JOB_DONE && a->x->request.number < newer->x->request.number;
}

/* The quick answer and the exact one to the same marks both matter; to others the older no longer does. */
static bool is_outdated(const job *a, const job *newer)
{
    return is_replaced(a, newer) && a->kind == JOB_LABELS && a->body.hash != newer->body.hash;
}

/* Puts the request into its session.  *first: the session was free, so the caller works on it.  false: it is of no use, or
 * there is no memory. */
static bool session_enter(job *k, session **out, bool *first, job **useless)
{
    session *s = session_find(k, k->quick), *other = session_find(k, !k->quick);
    if (!s) s = session_make(k);
    if (!s) response_memory(&k->x->response);
    if (!s || (k->kind != JOB_DONE && s->newest[k->kind] > k->x->request.number)) return false;
    s->newest[k->kind] = k->x->request.number;
    older_take(s, k, is_replaced, useless);
    if (other) older_take(other, k, is_outdated, useless);
    *first = !s->running;
    if (*first)
        s->running = k;
    else {
        job **at = &s->waiting;
        while (*at) at = &(*at)->next;
        *at = k;
    }
    *out = s;
    return true;
}

/* The next one that waits takes the session; NULL: it is free now. */
static job *session_next(store *all, session *s)
{
    pthread_mutex_lock(&all->lock);
    job *k = s->waiting;
    if (k) s->waiting = k->next;
    if (k) k->next = NULL;
    s->running = k;
    s->used = ++all->now;
    pthread_mutex_unlock(&all->lock);
    return k;
}

void job_run(job *k)
{
    store *all = &k->x->server->store;
    job *useless = NULL, *next;
    session *s = NULL;
    bool first = false;
    pthread_mutex_lock(&all->lock);
    const bool entered = session_enter(k, &s, &first, &useless);
    pthread_mutex_unlock(&all->lock);
    for (; useless; useless = next) {
        next = useless->next;
        job_refuse(useless);
    }
    if (!entered) job_refuse(k);
    if (!first) return;
    while (k) {
        if (server_is_ending(s->server))
            response_fail(&k->x->response, 503, "ending", "the server is being stopped");
        else
            job_work(k, s);
        next = session_next(all, s); /* the picture is in use until the last request of the session is freed */
        job_free(k);
        k = next;
    }
}

/* ---------------------------------------------------------------- for the store */

void sessions_free(picture *p)
{
    for (session *s = p->sessions, *next; s; s = next) {
        next = s->next;
        segmenter_drop(s);
        free(s);
    }
    p->sessions = NULL;
}

bool session_drop_oldest(store *all)
{
    picture *owner = NULL;
    session *found = NULL;
    for (picture *p = all->pictures; p; p = p->next)
        for (session *s = p->sessions; s; s = s->next)
            if (s->segmenter && !s->running && (!found || s->used < found->used)) {
                found = s;
                owner = p;
            }
    if (!found) return false;
    segmenter_drop(found);
    all->bytes -= found->bytes;
    owner->bytes -= found->bytes;
    found->bytes = 0;
    return true;
}

void sessions_stop(picture *p)
{
    for (session *s = p->sessions; s; s = s->next)
        if (s->running) atomic_store(&s->running->stopped, true);
}

void sessions_print(server *from, picture *p, sos_json *j)
{
    const session *busy = NULL;
    pthread_mutex_lock(&from->store.lock);
    for (const session *s = p->sessions; s; s = s->next)
        if (s->running && (!busy || busy->quick)) busy = s;
    sos_json_truth(j, "busy", busy);
    if (busy && busy->share >= 0)
        sos_json_real(j, "share", busy->share);
    else
        sos_json_raw(j, "share", "null");
    sos_json_text(j, "what", busy ? busy->phase : "");
    pthread_mutex_unlock(&from->store.lock);
}
