#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE
#endif
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* environ */
#endif

#include "serve.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json.h"
#include "base/threads.h"
#include "command.h"
#include "decoder.h"
#include "folder.h"
#include "http.h"
#include "json_response.h"
#include "learner.h"
#include "listen.h"
#include "server.h"
#include "signals.h"
#include "upload.h"

/* Bytes of open pictures and of what segmenters hold: a quarter of the memory of the machine, within bounds. */
static size_t memory_most(void)
{
    const size_t least = (size_t)256 << 20, most = (size_t)8 << 30;
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    const size_t quarter = pages > 0 && size > 0 ? (size_t)pages / 4 * (size_t)size : least;
    return quarter < least ? least : quarter > most ? most : quarter;
}

/* A thousand connections need a thousand files. */
static void files_allow(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit)) return;
    const rlim_t wanted = 4096;
    if (limit.rlim_cur >= wanted) return;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* Large blocks go back to the system at once, so that the size of the program is what it uses. */
static void memory_prepare(void)
{
    mallopt(M_MMAP_THRESHOLD, 1 << 17);
    mallopt(M_TRIM_THRESHOLD, 1 << 20);
    mallopt(M_ARENA_MAX, 4);
}

/* ---------------------------------------------------------------- the end */

static void signals_block(sigset_t *set)
{
    const int endings[] = { SIGINT, SIGTERM, SIGHUP };
    sigemptyset(set);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (signals_is_heard(endings[i])) sigaddset(set, endings[i]);
    pthread_sigmask(SIG_BLOCK, set, NULL); /* for all threads to come: the main one waits for them */
    signal(SIGCHLD, SIG_IGN);              /* nobody waits for the browser */
}

static void end_await(const sigset_t *set)
{
    int number;
    while (sigwait(set, &number)) continue;
}

/* ---------------------------------------------------------------- the beginning */

/* If it cannot be opened, the address is there to read. */
static void address_open(char *address)
{
    char name[] = "xdg-open", *arguments[] = { name, address, NULL };
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none;
    pid_t child;
    sigemptyset(&none);
    if (posix_spawn_file_actions_init(&files)) return;
    for (int i = 0; i < 3; i++) posix_spawn_file_actions_addopen(&files, i, "/dev/null", O_RDWR, 0);
    if (!posix_spawnattr_init(&attributes)) {
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
        posix_spawnattr_setsigmask(&attributes, &none);
        if (posix_spawnp(&child, name, &files, &attributes, arguments, environ))
            command_note("there is no xdg-open to open it");
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
}

static void address_print(const serve_options *r, const server *s, const listening *l)
{
    char address[200];
    listening_address(l, s->guard.open ? s->guard.token : NULL, sizeof address, address);
    if (r->json) {
        sos_json j = { .file = stdout };
        sos_json_open(&j, NULL, '{');
        sos_json_text(&j, "address", address);
        sos_json_count(&j, "port", (uint64_t)l->port);
        if (s->guard.open) sos_json_text(&j, "token", s->guard.token);
        if (r->data) sos_json_text(&j, "data", r->data);
        sos_json_close(&j, '}');
    } else
        printf("%s\n", address);
    fflush(stdout);
    if (!r->json) command_note("the page is at this address; Ctrl-C ends the server");
    if (r->open) address_open(address);
}

static sos_status guard_make(const serve_options *r, const listening *l, guard *g, sos_error *error)
{
    *g = (guard){ .open = !l->loopback };
    snprintf(g->address, sizeof g->address, "%s", r->host ? r->host : "localhost");
    if (gethostname(g->machine, sizeof g->machine - 1)) g->machine[0] = '\0';
    snprintf(g->cookie, sizeof g->cookie, "s3svm-%d", l->port);
    if (digits_random(TOKEN_LENGTH, g->token)) return SOS_OK;
    return sos_fail(error, SOS_ERR_IO, "the system gives no random numbers: %s", strerror(errno));
}

/* For what computes as many workers as cores, and one more: some decode or write. */
static sos_status pools_make(server *s, sos_error *error)
{
    const size_t threads[POOLS] = { 0, FILE_WORKERS, (size_t)sos_thread_count(s->threads) + 1 };
    for (size_t i = 1; i < POOLS; i++) {
        s->pools[i] = pool_create(threads[i], WAITING_MAX, server_work);
        if (!s->pools[i]) return sos_fail(error, SOS_ERR_MEMORY, "no memory or no threads for workers");
    }
    return SOS_OK;
}

static void pools_end(server *s)
{
    for (size_t i = 1; i < POOLS; i++)
        if (s->pools[i]) pool_end(s->pools[i]);
}

static void pools_free(server *s)
{
    for (size_t i = 1; i < POOLS; i++) pool_free(s->pools[i]);
}

static int server_run(const serve_options *r, server *s, listening *l, const sigset_t *signals)
{
    http *h;
    sos_error error;
    sos_status status = pools_make(s, &error);
    if (!status) status = http_begin(s, l->socket, &h, &error);
    if (status) {
        pools_end(s);
        pools_free(s);
        return command_fail("%s", error.message);
    }
    address_print(r, s, l);
    end_await(signals);
    atomic_store(&s->ending, true);
    http_quiet(h);
    pools_end(s);
    learner_end(s->learner); /* what is running is stopped, and kept */
    s->learner = NULL;
    http_end(h);
    pools_free(s);
    return COMMAND_DONE;
}

/* The socket comes last: from then on it is the server's. */
static sos_status server_prepare(const serve_options *r, server *s, listening *l, sos_error *error)
{
    s->threads = (int)r->threads;
    s->seconds = r->seconds;
    sos_status status = methods_begin(&s->methods, r->model, error);
    if (!status) status = tracers_begin(&s->tracers, r->trace, error);
    if (!status && r->data) status = folder_open(r->data, &s->folder, error);
    if (!status && s->folder) status = learner_begin(s, &s->learner, error);
    if (!status) status = listen_begin(r->host, (int)r->port, l, error);
    return status ? status : guard_make(r, l, &s->guard, error);
}

int serve(const serve_options *r)
{
    static server s;
    listening l;
    sigset_t signals;
    sos_error error;
    int code = COMMAND_FAILED;
    files_allow();
    memory_prepare();
    if (!json_response_prepare()) return command_fail("cannot open /dev/null: %s", strerror(errno));
    signals_block(&signals);
    store_begin(&s.store, PICTURES_MAX, memory_most());
    upload_prepare(memory_most());
    if (decoder_begin(upload_pixels_most(), &error)) return command_fail("%s", error.message);
    if (server_prepare(r, &s, &l, &error))
        command_fail("%s", error.message);
    else
        code = server_run(r, &s, &l, &signals);
    store_end(&s.store);
    learner_end(s.learner);
    folder_close(s.folder);
    tracers_end(&s.tracers);
    methods_end(&s.methods);
    decoder_end();
    return code;
}
