#include "seat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "server.h"

/* What a segmenter holds, measured with a photograph of a megapixel: 300 bytes for each pixel that a model solves, GrabCut
 * none, 6 for each of the photograph, and a bit for each step. */
enum { SOLVED_BYTES = 300, PHOTOGRAPH_BYTES = 6 };

/* Pixels of a quick answer, and, at most, of others of the models inside (segmenter.c). */
enum { QUICK_PIXELS = 100000, SOLVED_PIXELS = 500000 };

static size_t bytes_guess(const seat *s, const picture *p, const shared_model *model, size_t steps)
{
    const size_t n = sos_image_size(&p->image), most = s->quick ? QUICK_PIXELS : SOLVED_PIXELS;
    const size_t solved = model ? SOLVED_BYTES * (n < most ? n : most) : 0;
    return solved + PHOTOGRAPH_BYTES * n + steps * (n / 8 + 1);
}

/* ---------------------------------------------------------------- one seat */

/* Called by the library, from any of its threads, one at a time. */
static bool seat_progress(void *user, const char *phase, double done)
{
    seat *s = user;
    store *all = &s->server->store;
    pthread_mutex_lock(&all->lock);
    snprintf(s->phase, sizeof s->phase, "%s", phase);
    const bool go_on = !(s->running && atomic_load(&s->running->stopped)) && !server_is_ending(s->server);
    pthread_mutex_unlock(&all->lock);
    (void)done; /* of a part; steps tell more */
    return go_on;
}

static void share_set(seat *s, double share)
{
    pthread_mutex_lock(&s->server->store.lock);
    s->share = share;
    pthread_mutex_unlock(&s->server->store.lock);
}

/* Lets go of the segmenter; the caller sees to its bytes. */
static void segmenter_drop(seat *s)
{
    sos_segmenter_free(s->segmenter);
    methods_let_go(&s->server->methods, s->model);
    s->segmenter = NULL;
    s->model = NULL;
}

static sos_status segmenter_make(seat *s, const picture *p, sos_error *error)
{
    sos_cutout_settings settings = sos_cutout_defaults();
    if (s->quick) settings.pixels = QUICK_PIXELS;
    settings.rough = s->quick;
    settings.work = (sos_work){ .threads = s->server->threads, .progress = seat_progress, .user = s };
    return sos_segmenter_create(s->model ? s->model->model : NULL, &p->image, &settings, &s->segmenter, error);
}

/* A segmenter with the model that the method has now. */
static sos_status segmenter_take(seat *s, picture *p, size_t steps, sos_error *error)
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
        methods_let_go(&s->server->methods, model);
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

static bool mark_is_same(const sos_mark *a, const sos_mark *b)
{
    if (a->shape != b->shape || a->label != b->label || a->count != b->count) return false;
    if (a->shape == SOS_SHAPE_STROKE && (a->radius < b->radius || a->radius > b->radius)) return false;
    if (a->shape == SOS_SHAPE_PIXELS) return !memcmp(a->pixels->pixels, b->pixels->pixels, sos_image_size(a->pixels));
    return !memcmp(a->points, b->points, a->count * sizeof *a->points);
}

static bool step_is_same(const sos_dialogue *a, const sos_dialogue *b, size_t step)
{
    const size_t count = sos_dialogue_count(a, step);
    if (sos_dialogue_count(b, step) != count) return false;
    for (size_t i = 0; i < count; i++) {
        const sos_mark x = sos_dialogue_mark(a, step, i), y = sos_dialogue_mark(b, step, i);
        if (!mark_is_same(&x, &y)) return false;
    }
    return true;
}

/* How many steps both begin with. */
static size_t steps_common(const sos_dialogue *a, const sos_dialogue *b)
{
    size_t step = 0;
    while (step < sos_dialogue_steps(a) && step < sos_dialogue_steps(b) && step_is_same(a, b, step)) step++;
    return step;
}

static sos_status step_add(sos_segmenter *segmenter, const sos_dialogue *d, size_t step, sos_error *error)
{
    const size_t count = sos_dialogue_count(d, step);
    sos_mark *marks = malloc(count * sizeof *marks);
    if (!marks) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu marks", count);
    for (size_t i = 0; i < count; i++) marks[i] = sos_dialogue_mark(d, step, i);
    const sos_status status = sos_segmenter_mark(segmenter, count, marks, error);
    free(marks);
    return status;
}

/* Steps that were made stay made when a newer request stops this one. */
static sos_status marks_follow(seat *s, const sos_dialogue *d, sos_error *error)
{
    const size_t steps = sos_dialogue_steps(d), common = steps_common(sos_segmenter_dialogue(s->segmenter), d);
    sos_status status = SOS_OK;
    if (common < sos_segmenter_steps(s->segmenter)) sos_segmenter_cut(s->segmenter, common);
    for (size_t step = common; step < steps && !status; step++) {
        share_set(s, (double)(step - common) / (double)(steps - common));
        status = seat_progress(s, "segmenting", 0) ? SOS_OK : SOS_CANCELLED;
        if (!status) status = step_add(s->segmenter, d, step, error);
    }
    return status;
}

/* ---------------------------------------------------------------- requests */

static void ask_free(ask *k)
{
    exchange *x = k->x;
    store_release(&x->server->store, k->picture);
    body_free(&k->body);
    free(k);
    x->done(x);
}

static void ask_refuse(ask *k)
{
    if (k->x->answer.status)
        ; /* it says why */
    else if (server_is_ending(k->x->server))
        reply_fail(&k->x->answer, 503, "ending", "the server is being stopped");
    else
        reply_failure(&k->x->answer, SOS_CANCELLED, NULL);
    ask_free(k);
}

static void ask_work(ask *k, seat *s)
{
    sos_error error;
    share_set(s, -1);
    sos_status status = segmenter_take(s, k->picture, sos_dialogue_steps(k->body.marks), &error);
    if (!status) status = marks_follow(s, k->body.marks, &error);
    if (!status) k->answer(k, s, s->segmenter);
    if (status == SOS_CANCELLED && server_is_ending(s->server))
        reply_fail(&k->x->answer, 503, "ending", "the server is being stopped");
    else if (status)
        reply_failure(&k->x->answer, status, &error);
}

/* The seat of a picture; NULL: no memory.  Under the lock. */
static seat *seat_find(const ask *k, bool quick)
{
    seat *s = k->picture->seats;
    while (s && (s->method != k->method || s->quick != quick)) s = s->next;
    return s;
}

static seat *seat_make(const ask *k)
{
    seat *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    *s = (seat){ .method = k->method, .quick = k->quick, .server = k->x->server, .next = k->picture->seats };
    k->picture->seats = s;
    return s;
}

/* Takes out of the line those that another one has made useless, into *useless. */
static void older_take(seat *s, const ask *newer, bool (*is_older)(const ask *a, const ask *newer), ask **useless)
{
    if (s->running && is_older(s->running, newer)) atomic_store(&s->running->stopped, true);
    for (ask **at = &s->waiting; *at;) {
        ask *k = *at;
        if (!is_older(k, newer)) {
            at = &k->next;
            continue;
        }
        *at = k->next;
        k->next = *useless;
        *useless = k;
    }
}

static bool is_replaced(const ask *a, const ask *newer)
{
    return a->lane == newer->lane && a->lane != LANE_DONE && a->x->asked.number < newer->x->asked.number;
}

/* The quick answer and the exact one to the same marks both matter; to others the older no longer does. */
static bool is_outdated(const ask *a, const ask *newer)
{
    return is_replaced(a, newer) && a->lane == LANE_LABELS && a->body.hash != newer->body.hash;
}

/* Puts the request into its seat.  *first: the seat was free, so the caller works on it.  false: it is of no use, or there is
 * no memory. */
static bool seat_enter(ask *k, seat **out, bool *first, ask **useless)
{
    seat *s = seat_find(k, k->quick), *other = seat_find(k, !k->quick);
    if (!s) s = seat_make(k);
    if (!s) reply_memory(&k->x->answer);
    if (!s || (k->lane != LANE_DONE && s->newest[k->lane] > k->x->asked.number)) return false;
    s->newest[k->lane] = k->x->asked.number;
    older_take(s, k, is_replaced, useless);
    if (other) older_take(other, k, is_outdated, useless);
    *first = !s->running;
    if (*first)
        s->running = k;
    else {
        ask **at = &s->waiting;
        while (*at) at = &(*at)->next;
        *at = k;
    }
    *out = s;
    return true;
}

/* The next one that waits takes the seat; NULL: it is free now. */
static ask *seat_next(store *all, seat *s)
{
    pthread_mutex_lock(&all->lock);
    ask *k = s->waiting;
    if (k) s->waiting = k->next;
    if (k) k->next = NULL;
    s->running = k;
    s->used = ++all->now;
    pthread_mutex_unlock(&all->lock);
    return k;
}

void ask_run(ask *k)
{
    store *all = &k->x->server->store;
    ask *useless = NULL, *next;
    seat *s = NULL;
    bool first = false;
    pthread_mutex_lock(&all->lock);
    const bool entered = seat_enter(k, &s, &first, &useless);
    pthread_mutex_unlock(&all->lock);
    for (; useless; useless = next) {
        next = useless->next;
        ask_refuse(useless);
    }
    if (!entered) ask_refuse(k);
    if (!first) return;
    while (k) {
        if (server_is_ending(s->server))
            reply_fail(&k->x->answer, 503, "ending", "the server is being stopped");
        else
            ask_work(k, s);
        next = seat_next(all, s); /* the picture is in use until the last request of the seat is freed */
        ask_free(k);
        k = next;
    }
}

/* ---------------------------------------------------------------- for the store */

void seats_free(picture *p)
{
    for (seat *s = p->seats, *next; s; s = next) {
        next = s->next;
        segmenter_drop(s);
        free(s);
    }
    p->seats = NULL;
}

bool seat_drop_oldest(store *all)
{
    picture *owner = NULL;
    seat *found = NULL;
    for (picture *p = all->pictures; p; p = p->next)
        for (seat *s = p->seats; s; s = s->next)
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

void seats_stop(picture *p)
{
    for (seat *s = p->seats; s; s = s->next)
        if (s->running) atomic_store(&s->running->stopped, true);
}

void seats_print(server *from, picture *p, sos_json *j)
{
    const seat *busy = NULL;
    pthread_mutex_lock(&from->store.lock);
    for (const seat *s = p->seats; s; s = s->next)
        if (s->running && (!busy || busy->quick)) busy = s;
    sos_json_truth(j, "busy", busy);
    if (busy && busy->share >= 0)
        sos_json_real(j, "share", busy->share);
    else
        sos_json_raw(j, "share", "null");
    sos_json_text(j, "what", busy ? busy->phase : "");
    pthread_mutex_unlock(&from->store.lock);
}
