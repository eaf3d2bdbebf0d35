/* signals.c - signals that end the program early, noted instead of obeyed. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include "signals.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

static const int ENDING[] = { SIGINT, SIGTERM, SIGHUP };
enum { ENDINGS = sizeof ENDING / sizeof *ENDING };

/* The same request often comes twice: by the terminal and by the shell, or, as timeout sends it, to a process and its group. */
static const long long PATIENCE = 500000000; /* nanoseconds */

static atomic_llong first; /* when one was caught; 0: none.  A signal handler can reach nothing else */

static long long nanoseconds(void)
{
    struct timespec now = { 0 };
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000000000 + now.tv_nsec + 1; /* never 0 */
}

static void on_signal(int number)
{
    const int kept = errno;
    const long long now = nanoseconds();
    long long since = 0;
    if (!atomic_compare_exchange_strong(&first, &since, now) && now - since > PATIENCE) {
        signal(number, SIG_DFL);
        raise(number); /* when the handler returns */
    }
    errno = kept;
}

bool signals_is_heard(int number)
{
    struct sigaction found;
    return sigaction(number, NULL, &found) || found.sa_handler != SIG_IGN;
}

void signals_prepare(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

void signals_catch(void)
{
    struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESTART };
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < ENDINGS; i++)
        if (signals_is_heard(ENDING[i])) sigaction(ENDING[i], &action, NULL);
}

bool signals_caught(void) { return atomic_load(&first) != 0; }
