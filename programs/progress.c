#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include "progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "signals.h"

static const double FIRST_ON_TERMINAL = 2, NEXT_ON_TERMINAL = 0.2, EVERY_ELSEWHERE = 10;

bool progress_interrupted(void) { return signals_caught(); }

static bool silent;

void progress_silence(void) { silent = true; }

void progress_begin(progress *p, const char *what)
{
    p->what = what;
    p->terminal = isatty(STDERR_FILENO);
    p->shown = false;
    p->started = sos_seconds();
    p->last = p->terminal ? p->started + FIRST_ON_TERMINAL - NEXT_ON_TERMINAL : p->started;
    atomic_flag_clear(&p->busy);
    signals_catch();
}

static double pause_of(const progress *p) { return p->terminal ? NEXT_ON_TERMINAL : EVERY_ELSEWHERE; }

bool progress_due(progress *p)
{
    const double now = sos_seconds();
    if (now - p->last < pause_of(p)) return false;
    p->last = now;
    return true;
}

void progress_note(progress *p, const char *text)
{
    if (silent) return;
    fprintf(stderr, "%ss3svm: note: %s\n", p->terminal && p->shown ? "\r\033[K" : "", text);
    p->shown = false;
}

void progress_line(progress *p, const char *text)
{
    if (silent) return;
    fprintf(stderr, "%s%s: %s%s", p->terminal ? "\r\033[K" : "", p->what, text, p->terminal ? "" : "\n");
    fflush(stderr);
    p->shown = true;
}

static void show(progress *p, const char *phase, double done, double now)
{
    const double spent = now - p->started;
    char percent[16] = "", left[40] = "", text[200];
    if (done >= 0) snprintf(percent, sizeof percent, ", %.0f %%", 100 * (done < 1 ? done : 1));
    if (done >= 0.02 && done < 1) snprintf(left, sizeof left, ", about %.0f s left", spent * (1 - done) / done);
    snprintf(text, sizeof text, "%.100s%s, %.0f s%s", phase, percent, spent, left);
    progress_line(p, text);
}

bool progress_report(void *user, const char *phase, double done)
{
    progress *p = user;
    if (signals_caught()) return false;
    if (atomic_flag_test_and_set(&p->busy)) return true;
    if (progress_due(p)) show(p, phase, done, p->last);
    atomic_flag_clear(&p->busy);
    return true;
}

void progress_end(progress *p)
{
    if (p->terminal && p->shown) fputs("\r\033[K", stderr);
    p->shown = false;
}

void progress_tell(void *user, const char *line)
{
    progress_end(user);
    if (!silent) fprintf(stderr, "%s\n", line);
}
