/* watch.c - calls that run without the interpreter's lock, and how they are stopped. */
#define _POSIX_C_SOURCE 200809L
#include "binding.h"

#include <time.h>

/* Taking the lock may mean waiting for other threads, so it is done so often only; fast enough for a person's Ctrl-C. */
static const double SECONDS_BETWEEN = 0.05;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void watch_begin(watch *w, PyObject *callback)
{
    *w = (watch){ .callback = callback == Py_None ? NULL : callback };
    atomic_init(&w->next, w->callback ? 0 : now() + SECONDS_BETWEEN);
    w->state = PyEval_SaveThread();
}

void watch_end(watch *w) { PyEval_RestoreThread(w->state); }

bool watch_due(watch *w)
{
    const double t = now();
    if (t < atomic_load(&w->next)) return false;
    atomic_store(&w->next, t + SECONDS_BETWEEN);
    return true;
}

bool watch_keep(watch *w)
{
    if (!w->type) PyErr_Fetch(&w->type, &w->value, &w->traceback);
    PyErr_Clear();
    return false;
}

bool watch_signals(watch *w)
{
    if (w->type) return false;
    return PyErr_CheckSignals() ? watch_keep(w) : true;
}

static bool ask(watch *w, const char *phase, double done)
{
    if (!watch_signals(w)) return false;
    if (!w->callback) return true;
    PyObject *answer = PyObject_CallFunction(w->callback, "sd", phase, done);
    if (!answer) return watch_keep(w);
    const bool stop = answer == Py_False;
    Py_DECREF(answer);
    return !stop;
}

bool watch_progress(void *user, const char *phase, double done)
{
    watch *w = user;
    if (!watch_due(w)) return true;
    const PyGILState_STATE state = PyGILState_Ensure();
    const bool go_on = ask(w, phase, done);
    PyGILState_Release(state);
    return go_on;
}

PyObject *watch_outcome(watch *w, sos_status status, const sos_error *error)
{
    if (!w->type) return outcome(status, error);
    PyErr_Restore(w->type, w->value, w->traceback);
    w->type = w->value = w->traceback = NULL;
    return NULL;
}
