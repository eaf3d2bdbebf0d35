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
typedef struct line {
    int socket;
    double deadline; /* 0: none */
    struct line *before, *next;
} line;

struct http {
    server *server;
    struct MHD_Daemon *daemon;
    int socket;
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t changed;
    line *lines;
    size_t bytes; /* of bodies */
    size_t calls; /* requests that are not answered yet */
    bool ending;
    pthread_t watch;
};

/* One request, and its connection. */
typedef struct call {
    exchange x;
    http *http;
    struct MHD_Connection *connection;
    line *line;
    const route *route;
    size_t room;   /* of the body */
    size_t got;    /* bytes, of which those of a refused request are thrown away */
    bool complete; /* all of the body is there */
    bool begun;    /* a worker has it, or had it */
} call;

/* ---------------------------------------------------------------- slow clients */

static void deadline_set(call *c, double seconds)
{
    if (!c->line) return;
    pthread_mutex_lock(&c->http->lock);
    c->line->deadline = seconds > 0 ? sos_seconds() + seconds : 0;
    pthread_mutex_unlock(&c->http->lock);
}

/* Those who send bytes, but so slowly that they would hold a connection for ever, are cut off: libmicrohttpd sees a connection
 * that its client has left. */
static void *lines_watch(void *user)
{
    http *h = user;
    pthread_mutex_lock(&h->lock);
    while (!h->ending) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        pthread_cond_timedwait(&h->changed, &h->lock, &until);
        const double now = sos_seconds();
        for (const line *l = h->lines; l; l = l->next)
            if (l->deadline > 0 && l->deadline < now) shutdown(l->socket, SHUT_RDWR);
    }
    pthread_mutex_unlock(&h->lock);
    return NULL;
}

static void on_line(void *user, struct MHD_Connection *connection, void **place, enum MHD_ConnectionNotificationCode code)
{
    http *h = user;
    line *l = *place;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        l = info ? calloc(1, sizeof *l) : NULL;
        if (!l) return;
        l->socket = info->connect_fd;
        l->deadline = sos_seconds() + HEAD_SECONDS;
        pthread_mutex_lock(&h->lock);
        l->next = h->lines;
        if (l->next) l->next->before = l;
        h->lines = l;
        pthread_mutex_unlock(&h->lock);
        *place = l;
    } else if (l) {
        pthread_mutex_lock(&h->lock);
        if (l->before)
            l->before->next = l->next;
        else
            h->lines = l->next;
        if (l->next) l->next->before = l->before;
        pthread_mutex_unlock(&h->lock);
        free(l);
        *place = NULL;
    }
}

static line *line_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
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
static bool is_known(const request *q, const reply *a)
{
    return *a->tag && q->matches && strstr(q->matches, a->tag) && a->status == 200;
}

static struct MHD_Response *response_make(const request *q, reply *a)
{
    char tag[sizeof a->tag + 2];
    const bool known = is_known(q, a);
    if (known) reply_static(a, NULL, "", 0);
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

static enum MHD_Result answer_send(call *c)
{
    struct MHD_Response *r = response_make(&c->x.asked, &c->x.answer);
    if (!r) return MHD_NO;
    deadline_set(c, SEND_SECONDS);
    const enum MHD_Result sent = MHD_queue_response(c->connection, (unsigned)c->x.answer.status, r);
    MHD_destroy_response(r);
    return sent;
}

/* ---------------------------------------------------------------- bodies */

static size_t body_most(const call *c)
{
    if (!c->route) return 0;
    const content sent = content_of(c->x.asked.type);
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

static void body_drop(call *c)
{
    free(c->x.asked.body);
    bytes_give(c->http, c->room);
    c->x.asked.body = NULL;
    c->x.asked.length = c->room = 0;
}

/* Room for so many bytes and a zero behind them. */
static bool body_grow(call *c, size_t length)
{
    request *q = &c->x.asked;
    if (length + 1 <= c->room) return true;
    size_t room = c->room * 2 > length + 1 ? c->room * 2 : length + 1;
    if (room < 4096) room = 4096;
    if (!bytes_take(c->http, room - c->room)) return false;
    char *larger = realloc(q->body, room);
    if (!larger) {
        bytes_give(c->http, room - c->room);
        return false;
    }
    q->body = larger;
    c->room = room;
    return true;
}

static void body_add(call *c, const char *bytes, size_t length)
{
    request *q = &c->x.asked;
    c->got += length;
    if (c->x.answer.status) return; /* it is refused; the rest is read and forgotten */
    if (q->length + length > body_most(c))
        reply_fail(&c->x.answer, 413, "large", "the request has more than %zu bytes", body_most(c));
    else if (!body_grow(c, q->length + length))
        reply_fail(&c->x.answer, 503, "busy", "too many requests are being read");
    if (c->x.answer.status) {
        body_drop(c);
        return;
    }
    memcpy(q->body + q->length, bytes, length);
    q->length += length;
    q->body[q->length] = '\0';
}

/* ---------------------------------------------------------------- requests */

static const char *header_of(struct MHD_Connection *c, const char *name)
{
    return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

static const char *argument_of(struct MHD_Connection *c, const char *name)
{
    return MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, name);
}

static void request_fill(struct MHD_Connection *c, const char *path, const char *word, request *q)
{
    *q = (request){ .verb = verb_find(word),
                    .path = path,
                    .host = header_of(c, "Host"),
                    .origin = header_of(c, "Origin"),
                    .site = header_of(c, "Sec-Fetch-Site"),
                    .mark = header_of(c, "X-S3SVM"),
                    .authorization = header_of(c, "Authorization"),
                    .cookie = header_of(c, "Cookie"),
                    .type = header_of(c, "Content-Type"),
                    .matches = header_of(c, "If-None-Match"),
                    .token = argument_of(c, "token"),
                    .from = argument_of(c, "from"),
                    .count = argument_of(c, "count") };
}

static bool content_fits(content wanted, content sent)
{
    if (wanted == CONTENT_NONE) return true;
    return wanted == CONTENT_EITHER ? sent != CONTENT_NONE : sent == wanted;
}

static void content_check(call *c)
{
    static const char *const WANTED[] = { "", "application/json", "image/...", "image/... or application/json" };
    const content wanted = c->route->content;
    if (!content_fits(wanted, content_of(c->x.asked.type)))
        reply_fail(&c->x.answer, 415, "type", "this takes Content-Type: %s", WANTED[wanted]);
}

/* The bytes that are announced; -1: none are. */
static double length_announced(const call *c)
{
    const char *text = header_of(c->connection, "Content-Length");
    return text && strlen(text) < 18 ? strtod(text, NULL) : text ? 1e18 : -1;
}

/* What can be refused by the headers alone.  Returns whether it is so large that nothing of it is read. */
static bool head_check(call *c)
{
    request *q = &c->x.asked;
    reply *a = &c->x.answer;
    const double announced = length_announced(c);
    reply unknown = { 0 };
    c->route = route_find(server_routes, q, &unknown);
    guard_check(&c->http->server->guard, q, c->route && c->route->changes, a);
    if (!a->status && !c->route) {
        *a = unknown;
        unknown = (reply){ 0 };
    }
    reply_free(&unknown);
    if (!a->status) content_check(c);
    if (!a->status && announced > (double)body_most(c))
        reply_fail(a, 413, "large", "the request has %.0f bytes; the most is %zu", announced, body_most(c));
    return a->status && (announced > DRAIN_MAX || (announced > 0 && header_of(c->connection, "Expect")));
}

static void call_done(exchange *x)
{
    call *c = (call *)x;
    MHD_resume_connection(c->connection); /* on_request comes again, and sends the answer */
}

static void calls_count(http *h, int change)
{
    pthread_mutex_lock(&h->lock);
    h->calls = change > 0 ? h->calls + 1 : h->calls - 1;
    pthread_cond_broadcast(&h->changed);
    pthread_mutex_unlock(&h->lock);
}

static enum MHD_Result call_begin(http *h, struct MHD_Connection *connection, const char *path, const char *word, void **place)
{
    call *c = calloc(1, sizeof *c);
    if (!c) return MHD_NO;
    *place = c;
    calls_count(h, 1);
    c->http = h;
    c->connection = connection;
    c->line = line_of(connection);
    c->x.server = h->server;
    c->x.done = call_done;
    request_fill(connection, path, word, &c->x.asked);
    c->x.asked.number = atomic_fetch_add(&h->server->number, 1) + 1;
    deadline_set(c, BODY_SECONDS);
    return head_check(c) ? answer_send(c) : MHD_YES;
}

/* All of the request is there. */
static enum MHD_Result call_handle(call *c)
{
    reply *a = &c->x.answer;
    deadline_set(c, 0);
    if (a->status) return answer_send(c);
    pool *workers = c->http->server->pools[c->route->by];
    if (!workers) {
        c->route->handle(&c->x);
        return answer_send(c);
    }
    if (!pool_reserve(workers)) {
        reply_fail(a, 503, "busy", "too many requests wait: ask again in a moment");
        return answer_send(c);
    }
    c->begun = true;
    MHD_suspend_connection(c->connection);
    pool_add(workers, &c->x);
    return MHD_YES;
}

void server_work(exchange *x)
{
    const call *c = (const call *)x;
    if (server_is_ending(x->server))
        reply_fail(&x->answer, 503, "ending", "the server is being stopped");
    else if (!c->route->handle(x))
        return;
    x->done(x);
}

static enum MHD_Result on_request(void *user, struct MHD_Connection *connection, const char *path, const char *word,
                                  const char *version, const char *bytes, size_t *length, void **place)
{
    call *c = *place;
    (void)version;
    if (!c) return call_begin(user, connection, path, word, place);
    if (*length) {
        body_add(c, bytes, *length);
        *length = 0;
        if (c->got > DRAIN_MAX) return MHD_NO;
        return MHD_YES;
    }
    return c->begun ? answer_send(c) : call_handle(c);
}

static void on_end(void *user, struct MHD_Connection *connection, void **place, enum MHD_RequestTerminationCode why)
{
    call *c = *place;
    (void)user;
    (void)connection;
    (void)why;
    if (!c) return;
    deadline_set(c, HEAD_SECONDS + IDLE_SECONDS); /* for the next request of the connection */
    body_drop(c);
    reply_free(&c->x.answer);
    calls_count(c->http, -1);
    free(c);
    *place = NULL;
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
    pthread_cond_init(&h->changed, NULL);
    h->daemon = MHD_start_daemon(
        MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL, NULL,
        on_request, h, MHD_OPTION_EXTERNAL_LOGGER, on_note, NULL, MHD_OPTION_LISTEN_SOCKET, socket, MHD_OPTION_NOTIFY_COMPLETED,
        on_end, NULL, MHD_OPTION_NOTIFY_CONNECTION, on_line, h, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
    if (!h->daemon || pthread_create(&h->watch, NULL, lines_watch, h)) {
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
static void calls_await(http *h)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += END_SECONDS;
    while (h->calls && !pthread_cond_timedwait(&h->changed, &h->lock, &until)) continue;
}

void http_end(http *h)
{
    pthread_mutex_lock(&h->lock);
    calls_await(h);
    h->ending = true;
    pthread_cond_broadcast(&h->changed);
    pthread_mutex_unlock(&h->lock);
    pthread_join(h->watch, NULL);
    MHD_stop_daemon(h->daemon);
    pthread_mutex_destroy(&h->lock);
    pthread_cond_destroy(&h->changed);
    free(h);
}
