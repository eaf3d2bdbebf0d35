#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE
#endif

#include "http.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <microhttpd.h>

#include "base/clock.h"
#include "base/error.h"
#include "route.h"

enum {
    CONNECTIONS_MAX = 1500,      /* at once; a thousand is what must be borne */
    CONNECTION_BYTES = 32 << 10, /* for headers; more are refused with 431 */
    IDLE_SECONDS = 30,           /* without a byte */
    HEAD_SECONDS = 20,           /* from the first byte of a request to its last header, however slowly they come */
    BODY_SECONDS = 120,          /* to the end of its body: 64 megabytes by 5 megabits a second */
    SEND_SECONDS = 300,          /* for the answer, which may be larger */
    END_SECONDS = 5,             /* that a server which is being stopped waits for answers to be sent */
    DRAIN_MAX = 128 << 20        /* bytes that are read of a request that is refused, so that its sender reads the answer */
};

/* A connection, from its first byte on. */
typedef struct connection {
    int socket;
    double deadline; /* 0: none */
    struct connection *before, *next;
} connection;

struct http {
    server *server;
    struct MHD_Daemon *daemon;
    int socket;
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t changed;
    connection *connections;
    size_t bytes;      /* of bodies */
    size_t unanswered; /* requests */
    bool ending;
    pthread_t watch;
};

/* One request, and its connection. */
typedef struct transaction {
    exchange x;
    http *http;
    struct MHD_Connection *mhd;
    connection *connection;
    const route *route;
    size_t room;   /* of the body */
    size_t got;    /* bytes, of which those of a refused request are thrown away */
    bool complete; /* all of the body is there */
    bool begun;    /* a worker has it, or had it */
} transaction;

/* ---------------------------------------------------------------- slow clients */

static void deadline_set(transaction *t, double seconds)
{
    if (!t->connection) return;
    pthread_mutex_lock(&t->http->lock);
    t->connection->deadline = seconds > 0 ? sos_seconds() + seconds : 0;
    pthread_mutex_unlock(&t->http->lock);
}

/* For waiting: a moment from now, by a clock that nobody sets. */
static struct timespec seconds_ahead(time_t seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += seconds;
    return until;
}

/* Those who send bytes, but so slowly that they would hold a connection for ever, are cut off: libmicrohttpd sees a connection
 * that its client has left. */
static void *connections_watch(void *user)
{
    http *h = user;
    pthread_mutex_lock(&h->lock);
    while (!h->ending) {
        const struct timespec until = seconds_ahead(1);
        pthread_cond_timedwait(&h->changed, &h->lock, &until);
        const double now = sos_seconds();
        for (const connection *c = h->connections; c; c = c->next)
            if (c->deadline > 0 && c->deadline < now) shutdown(c->socket, SHUT_RDWR);
    }
    pthread_mutex_unlock(&h->lock);
    return NULL;
}

static void on_connection(void *user, struct MHD_Connection *mhd, void **context, enum MHD_ConnectionNotificationCode code)
{
    http *h = user;
    connection *c = *context;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
        c = info ? calloc(1, sizeof *c) : NULL;
        if (!c) return;
        c->socket = info->connect_fd;
        c->deadline = sos_seconds() + HEAD_SECONDS;
        pthread_mutex_lock(&h->lock);
        c->next = h->connections;
        if (c->next) c->next->before = c;
        h->connections = c;
        pthread_mutex_unlock(&h->lock);
        *context = c;
    } else if (c) {
        pthread_mutex_lock(&h->lock);
        if (c->before)
            c->before->next = c->next;
        else
            h->connections = c->next;
        if (c->next) c->next->before = c->before;
        pthread_mutex_unlock(&h->lock);
        free(c);
        *context = NULL;
    }
}

static connection *connection_of(struct MHD_Connection *mhd)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* ---------------------------------------------------------------- answers */

static void header_add(struct MHD_Response *r, const char *name, const char *value)
{
    if (value && *value) MHD_add_response_header(r, name, value);
}

static void safety_add(struct MHD_Response *r)
{
    header_add(r, "Content-Security-Policy",
               "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
               "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    header_add(r, "X-Content-Type-Options", "nosniff");
    header_add(r, "X-Frame-Options", "DENY");
    header_add(r, "Referrer-Policy", "no-referrer");
    header_add(r, "Cross-Origin-Resource-Policy", "same-origin");
    header_add(r, "Cross-Origin-Opener-Policy", "same-origin");
}

/* Whether whoever asked has this answer already. */
static bool is_known(const request *q, const response *a)
{
    return *a->tag && q->matches && strstr(q->matches, a->tag) && a->status == 200;
}

static struct MHD_Response *response_make(const request *q, response *a)
{
    char tag[sizeof a->tag + 2];
    const bool known = is_known(q, a);
    if (known) response_static(a, NULL, "", 0);
    struct MHD_Response *r = MHD_create_response_from_buffer(a->length, (void *)a->bytes,
                                                             a->borrowed ? MHD_RESPMEM_PERSISTENT : MHD_RESPMEM_MUST_FREE);
    if (!r) return NULL;
    if (!a->borrowed) a->bytes = NULL; /* they are the response's now */
    safety_add(r);
    snprintf(tag, sizeof tag, "\"%s\"", a->tag);
    header_add(r, "Content-Type", a->type);
    header_add(r, "Cache-Control", a->lasting || known ? "no-cache" : "no-store");
    if (*a->tag) header_add(r, "ETag", tag);
    header_add(r, "Allow", a->allow);
    header_add(r, "Set-Cookie", a->cookie);
    header_add(r, "Location", a->location);
    if (a->again) header_add(r, "Retry-After", "1");
    if (known) a->status = 304;
    return r;
}

static enum MHD_Result answer_send(transaction *t)
{
    struct MHD_Response *r = response_make(&t->x.request, &t->x.response);
    if (!r) return MHD_NO;
    deadline_set(t, SEND_SECONDS);
    const enum MHD_Result sent = MHD_queue_response(t->mhd, (unsigned)t->x.response.status, r);
    MHD_destroy_response(r);
    return sent;
}

/* ---------------------------------------------------------------- bodies */

static size_t body_most(const transaction *t)
{
    if (!t->route) return 0;
    const content sent = content_of(t->x.request.type);
    return sent == CONTENT_PICTURE ? UPLOAD_MAX : JSON_MAX;
}

/* Counts bytes of bodies; false: there are too many in all. */
static bool bytes_take(http *h, size_t bytes)
{
    pthread_mutex_lock(&h->lock);
    const bool fits = h->bytes + bytes <= INFLIGHT_MAX;
    if (fits) h->bytes += bytes;
    pthread_mutex_unlock(&h->lock);
    return fits;
}

static void bytes_give(http *h, size_t bytes)
{
    pthread_mutex_lock(&h->lock);
    h->bytes -= bytes;
    pthread_mutex_unlock(&h->lock);
}

static void body_drop(transaction *t)
{
    free(t->x.request.body);
    bytes_give(t->http, t->room);
    t->x.request.body = NULL;
    t->x.request.length = t->room = 0;
}

/* Room for so many bytes and a zero behind them. */
static bool body_grow(transaction *t, size_t length)
{
    request *q = &t->x.request;
    if (length + 1 <= t->room) return true;
    size_t room = t->room * 2 > length + 1 ? t->room * 2 : length + 1;
    if (room < 4096) room = 4096;
    if (!bytes_take(t->http, room - t->room)) return false;
    char *larger = realloc(q->body, room);
    if (!larger) {
        bytes_give(t->http, room - t->room);
        return false;
    }
    q->body = larger;
    t->room = room;
    return true;
}

static void body_add(transaction *t, const char *bytes, size_t length)
{
    request *q = &t->x.request;
    t->got += length;
    if (t->x.response.status) return; /* it is refused; the rest is read and forgotten */
    if (q->length + length > body_most(t))
        response_fail(&t->x.response, 413, "large", "the request has more than %zu bytes", body_most(t));
    else if (!body_grow(t, q->length + length))
        response_fail(&t->x.response, 503, "busy", "too many requests are being read");
    if (t->x.response.status) {
        body_drop(t);
        return;
    }
    memcpy(q->body + q->length, bytes, length);
    q->length += length;
    q->body[q->length] = '\0';
}

/* ---------------------------------------------------------------- requests */

static const char *header_value(struct MHD_Connection *mhd, const char *name)
{
    return MHD_lookup_connection_value(mhd, MHD_HEADER_KIND, name);
}

static const char *argument_of(struct MHD_Connection *mhd, const char *name)
{
    return MHD_lookup_connection_value(mhd, MHD_GET_ARGUMENT_KIND, name);
}

typedef struct header_count {
    const char *name;
    size_t found;
} header_count;

static enum MHD_Result header_is_counted(void *user, enum MHD_ValueKind kind, const char *name, const char *value)
{
    header_count *c = user;
    (void)kind;
    (void)value;
    c->found += !strcasecmp(name, c->name);
    return MHD_YES;
}

/* The first header of those that the server goes by that stands more than once; NULL: none. */
static const char *header_twice(struct MHD_Connection *mhd)
{
    static const char *const SINGLE[] = { "Host",          "Origin",       "Sec-Fetch-Site", "X-S3SVM",
                                          "Authorization", "Content-Type", "Content-Length", "Transfer-Encoding" };
    for (size_t i = 0; i < sizeof SINGLE / sizeof *SINGLE; i++) {
        header_count c = { SINGLE[i], 0 };
        MHD_get_connection_values(mhd, MHD_HEADER_KIND, header_is_counted, &c);
        if (c.found > 1) return SINGLE[i];
    }
    return NULL;
}

static void request_fill(struct MHD_Connection *mhd, const char *path, const char *word, request *q)
{
    *q = (request){ .verb = verb_find(word),
                    .path = path,
                    .host = header_value(mhd, "Host"),
                    .origin = header_value(mhd, "Origin"),
                    .site = header_value(mhd, "Sec-Fetch-Site"),
                    .mark = header_value(mhd, "X-S3SVM"),
                    .authorization = header_value(mhd, "Authorization"),
                    .cookie = header_value(mhd, "Cookie"),
                    .type = header_value(mhd, "Content-Type"),
                    .matches = header_value(mhd, "If-None-Match"),
                    .token = argument_of(mhd, "token"),
                    .from = argument_of(mhd, "from"),
                    .count = argument_of(mhd, "count"),
                    .twice = header_twice(mhd) };
}

static bool content_fits(content wanted, content sent)
{
    if (wanted == CONTENT_NONE) return true;
    return wanted == CONTENT_EITHER ? sent != CONTENT_NONE : sent == wanted;
}

static void content_type_check(transaction *t)
{
    static const char *const WANTED[] = { "", "application/json", "image/...", "image/... or application/json" };
    const content wanted = t->route->content;
    if (!content_fits(wanted, content_of(t->x.request.type)))
        response_fail(&t->x.response, 415, "type", "this takes Content-Type: %s", WANTED[wanted]);
}

/* The bytes that are announced; -1: none are. */
static double length_announced(const transaction *t)
{
    const char *text = header_value(t->mhd, "Content-Length");
    return text && strlen(text) < 18 ? strtod(text, NULL) : text ? 1e18 : -1;
}

/* What can be refused by the headers alone.  Returns whether it is so large that nothing of it is read. */
static bool head_check(transaction *t)
{
    request *q = &t->x.request;
    response *a = &t->x.response;
    const double announced = length_announced(t);
    response unknown = { 0 };
    t->route = route_find(server_routes, q, &unknown);
    guard_check(&t->http->server->guard, q, t->route && t->route->changes, a);
    if (!a->status && !t->route) {
        *a = unknown;
        unknown = (response){ 0 };
    }
    response_free(&unknown);
    if (!a->status) content_type_check(t);
    if (!a->status && announced > (double)body_most(t))
        response_fail(a, 413, "large", "the request has %.0f bytes; the most is %zu", announced, body_most(t));
    return a->status && (announced > DRAIN_MAX || (announced > 0 && header_value(t->mhd, "Expect")));
}

static void transaction_done(exchange *x)
{
    transaction *t = (transaction *)x;
    MHD_resume_connection(t->mhd); /* on_request comes again, and sends the answer */
}

static void transactions_count(http *h, int change)
{
    pthread_mutex_lock(&h->lock);
    h->unanswered = change > 0 ? h->unanswered + 1 : h->unanswered - 1;
    pthread_cond_broadcast(&h->changed);
    pthread_mutex_unlock(&h->lock);
}

static enum MHD_Result transaction_begin(http *h, struct MHD_Connection *mhd, const char *path, const char *word,
                                         void **context)
{
    transaction *t = calloc(1, sizeof *t);
    if (!t) return MHD_NO;
    *context = t;
    transactions_count(h, 1);
    t->http = h;
    t->mhd = mhd;
    t->connection = connection_of(mhd);
    t->x.server = h->server;
    t->x.done = transaction_done;
    request_fill(mhd, path, word, &t->x.request);
    t->x.request.number = atomic_fetch_add(&h->server->number, 1) + 1;
    deadline_set(t, BODY_SECONDS);
    return head_check(t) ? answer_send(t) : MHD_YES;
}

/* All of the request is there. */
static enum MHD_Result transaction_handle(transaction *t)
{
    response *a = &t->x.response;
    deadline_set(t, 0);
    if (a->status) return answer_send(t);
    pool *workers = t->http->server->pools[t->route->pool];
    if (!workers) {
        t->route->handle(&t->x);
        return answer_send(t);
    }
    if (!pool_reserve(workers)) {
        response_fail(a, 503, "busy", "too many requests wait: ask again in a moment");
        return answer_send(t);
    }
    t->begun = true;
    MHD_suspend_connection(t->mhd);
    pool_add(workers, &t->x);
    return MHD_YES;
}

void server_work(exchange *x)
{
    const transaction *t = (const transaction *)x;
    if (server_is_ending(x->server))
        response_fail(&x->response, 503, "ending", "the server is being stopped");
    else if (!t->route->handle(x))
        return;
    x->done(x);
}

static enum MHD_Result on_request(void *user, struct MHD_Connection *mhd, const char *path, const char *word,
                                  const char *version, const char *bytes, size_t *length, void **context)
{
    transaction *t = *context;
    (void)version;
    if (!t) return transaction_begin(user, mhd, path, word, context);
    if (*length) {
        body_add(t, bytes, *length);
        *length = 0;
        if (t->got > DRAIN_MAX) return MHD_NO;
        return MHD_YES;
    }
    return t->begun ? answer_send(t) : transaction_handle(t);
}

static void on_end(void *user, struct MHD_Connection *mhd, void **context, enum MHD_RequestTerminationCode why)
{
    transaction *t = *context;
    (void)user;
    (void)mhd;
    (void)why;
    if (!t) return;
    deadline_set(t, HEAD_SECONDS + IDLE_SECONDS); /* for the next request of the connection */
    body_drop(t);
    response_free(&t->x.response);
    transactions_count(t->http, -1);
    free(t);
    *context = NULL;
}

/* What libmicrohttpd notes is of no use to people. */
static void on_note(void *user, const char *format, va_list arguments)
{
    (void)user;
    (void)format;
    (void)arguments;
}

sos_status http_begin(server *s, int socket, http **out, sos_error *error)
{
    http *h = calloc(1, sizeof *h);
    if (!h) {
        close(socket);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for a server");
    }
    h->server = s;
    h->socket = socket;
    pthread_mutex_init(&h->lock, NULL);
    pthread_condattr_t by;
    pthread_condattr_init(&by);
    pthread_condattr_setclock(&by, CLOCK_MONOTONIC); /* the other one may be set back by a day while somebody waits */
    pthread_cond_init(&h->changed, &by);
    pthread_condattr_destroy(&by);
    h->daemon = MHD_start_daemon(
        MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL, NULL,
        on_request, h, MHD_OPTION_EXTERNAL_LOGGER, on_note, NULL, MHD_OPTION_LISTEN_SOCKET, socket, MHD_OPTION_NOTIFY_COMPLETED,
        on_end, NULL, MHD_OPTION_NOTIFY_CONNECTION, on_connection, h, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
    if (!h->daemon || pthread_create(&h->watch, NULL, connections_watch, h)) {
        if (h->daemon)
            MHD_stop_daemon(h->daemon);
        else
            close(socket);
        free(h);
        return sos_fail(error, SOS_ERR_IO, "the server cannot be started: %s", strerror(errno));
    }
    *out = h;
    return SOS_OK;
}

void http_quiet(http *h)
{
    const int socket = MHD_quiesce_daemon(h->daemon);
    if (socket >= 0) close(socket);
}

/* Until all who asked have their answers, but not for ever. */
static void transactions_await(http *h)
{
    const struct timespec until = seconds_ahead(END_SECONDS);
    while (h->unanswered && !pthread_cond_timedwait(&h->changed, &h->lock, &until)) continue;
}

void http_end(http *h)
{
    pthread_mutex_lock(&h->lock);
    transactions_await(h);
    h->ending = true;
    pthread_cond_broadcast(&h->changed);
    pthread_mutex_unlock(&h->lock);
    pthread_join(h->watch, NULL);
    MHD_stop_daemon(h->daemon);
    pthread_mutex_destroy(&h->lock);
    pthread_cond_destroy(&h->changed);
    free(h);
}
