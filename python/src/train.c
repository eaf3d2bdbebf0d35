/* train.c - <sos/learn.h>. */
#include "binding.h"

#include <string.h>

/* ---- settings by their names ---- */

typedef enum setting_kind { SETTING_DOUBLE, SETTING_SIZE, SETTING_BOOL, SETTING_INT } setting_kind;

typedef struct setting {
    const char *name;
    setting_kind kind;
    size_t offset;
} setting;

#define AT(member) offsetof(sos_train_settings, member)
static const setting SETTINGS[] = {
    { "C", SETTING_DOUBLE, AT(C) },
    { "slacks", SETTING_SIZE, AT(slacks) },
    { "gap", SETTING_DOUBLE, AT(gap) },
    { "epsilon", SETTING_DOUBLE, AT(epsilon) },
    { "rounds", SETTING_SIZE, AT(rounds) },
    { "seconds", SETTING_DOUBLE, AT(seconds) },
    { "step", SETTING_DOUBLE, AT(step) },
    { "cache", SETTING_SIZE, AT(cache) },
    { "idle", SETTING_SIZE, AT(idle) },
    { "qp_gap", SETTING_DOUBLE, AT(qp_gap) },
    { "warm", SETTING_BOOL, AT(warm) },
    { "memory", SETTING_SIZE, AT(memory) },
    { "threads", SETTING_INT, AT(work.threads) },
    { "checkpoint_seconds", SETTING_DOUBLE, AT(checkpoint_seconds) },
    { "searches", SETTING_SIZE, AT(searches) },
    { "exhaustive", SETTING_SIZE, AT(exhaustive) },
    { "relax", SETTING_SIZE, AT(relax) },
    { "device", SETTING_INT, AT(device) },
};
enum { SETTINGS_COUNT = sizeof SETTINGS / sizeof *SETTINGS };

static PyObject *setting_get(const setting *s, const sos_train_settings *settings)
{
    const char *at = (const char *)settings + s->offset;
    switch (s->kind) {
    case SETTING_DOUBLE: return PyFloat_FromDouble(*(const double *)(const void *)at);
    case SETTING_SIZE: return PyLong_FromSize_t(*(const size_t *)(const void *)at);
    case SETTING_BOOL: return PyBool_FromLong(*(const bool *)(const void *)at);
    case SETTING_INT: return PyLong_FromLong(*(const int *)(const void *)at);
    }
    return NULL;
}

static void setting_put(const setting *s, sos_train_settings *settings, PyObject *value)
{
    void *at = (char *)settings + s->offset;
    switch (s->kind) {
    case SETTING_DOUBLE: *(double *)at = PyFloat_AsDouble(value); break;
    case SETTING_SIZE: *(size_t *)at = PyLong_AsSize_t(value); break;
    case SETTING_BOOL: *(bool *)at = PyObject_IsTrue(value) == 1; break;
    case SETTING_INT: *(int *)at = (int)PyLong_AsLong(value); break;
    }
}

static PyObject *train_defaults(PyObject *self, PyObject *args)
{
    (void)self, (void)args;
    const sos_train_settings settings = sos_train_defaults();
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < SETTINGS_COUNT; i++) {
        PyObject *value = setting_get(&SETTINGS[i], &settings);
        if (!value || PyDict_SetItemString(dict, SETTINGS[i].name, value)) Py_CLEAR(dict);
        Py_XDECREF(value);
    }
    return dict;
}

/* A converter for "O&": a dict of settings, of which those that are missing keep their defaults. */
static int settings_in(PyObject *object, void *out)
{
    sos_train_settings *settings = out;
    PyObject *key, *value;
    Py_ssize_t at = 0;
    *settings = sos_train_defaults();
    if (!PyDict_Check(object)) {
        PyErr_SetString(PyExc_TypeError, "settings must be a dict");
        return 0;
    }
    while (PyDict_Next(object, &at, &key, &value)) {
        const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
        if (!name) return 0;
        size_t i = 0;
        while (i < SETTINGS_COUNT && strcmp(SETTINGS[i].name, name)) i++;
        if (i == SETTINGS_COUNT) {
            PyErr_Format(PyExc_TypeError, "there is no setting \"%s\"", name);
            return 0;
        }
        setting_put(&SETTINGS[i], settings, value);
        if (PyErr_Occurred()) return 0;
    }
    return 1;
}

/* ---- what training says ---- */

static PyObject *round_dict(const sos_train_round *r)
{
    return Py_BuildValue("{s:n,s:n,s:d,s:d,s:d,s:d,s:d,s:d,s:n,s:n,s:n,s:d,s:d,s:d,s:d,s:O,s:n}", "round", (Py_ssize_t)r->round,
                         "examples", (Py_ssize_t)r->examples, "C", r->C, "primal", r->primal, "dual", r->dual, "gap", r->gap,
                         "hinge", r->hinge, "loss", r->loss, "planes", (Py_ssize_t)r->planes, "oracle_calls",
                         (Py_ssize_t)r->oracle_calls, "cache_hits", (Py_ssize_t)r->cache_hits, "seconds", r->seconds,
                         "seconds_oracle", r->seconds_oracle, "seconds_qp", r->seconds_qp, "seconds_left", r->seconds_left,
                         "approximate", r->approximate ? Py_True : Py_False, "beaten", (Py_ssize_t)r->beaten);
}

static PyObject *result_dict(const sos_train_result *r)
{
    static const char *const OUTCOMES[] = {
        [SOS_TRAIN_GAP] = "gap",         [SOS_TRAIN_EPSILON] = "epsilon", [SOS_TRAIN_ROUNDS] = "rounds",
        [SOS_TRAIN_SECONDS] = "seconds", [SOS_TRAIN_STOPPED] = "stopped", [SOS_TRAIN_STALLED] = "stalled"
    };
    return Py_BuildValue("{s:s,s:N,s:O,s:O,s:O,s:O,s:s}", "outcome", OUTCOMES[r->outcome], "last", round_dict(&r->last),
                         "approximate", r->approximate ? Py_True : Py_False, "learned", r->learned ? Py_True : Py_False, "zero",
                         r->zero ? Py_True : Py_False, "resumed", r->resumed ? Py_True : Py_False, "checkpoint_error",
                         r->checkpoint_error.status ? r->checkpoint_error.message : NULL);
}

/* Every round is told, and every round looks for signals. */
static bool ask(watch *w, const sos_train_round *round)
{
    if (!watch_signals(w)) return false;
    if (!w->callback) return true;
    PyObject *dict = round_dict(round), *answer = dict ? PyObject_CallFunctionObjArgs(w->callback, dict, NULL) : NULL;
    Py_XDECREF(dict);
    if (!answer) return watch_keep(w);
    const bool stop = answer == Py_False;
    Py_DECREF(answer);
    return !stop;
}

static bool tell_round(void *user, const sos_train_round *round)
{
    const PyGILState_STATE state = PyGILState_Ensure();
    const bool go_on = ask(user, round);
    PyGILState_Release(state);
    return go_on;
}

/* (what, the exception that stopped training or None): what a callback or Ctrl-C has stopped has its weights all the same. */
static PyObject *stopped_or_done(watch *w, PyObject *what)
{
    if (what && !w->type) return Py_BuildValue("NO", what, Py_None);
    if (what) PyErr_NormalizeException(&w->type, &w->value, &w->traceback);
    PyObject *pair = what ? Py_BuildValue("NO", what, w->value ? w->value : Py_None) : NULL;
    Py_CLEAR(w->type);
    Py_CLEAR(w->value);
    Py_CLEAR(w->traceback);
    return pair;
}

/* ---- training ---- */

/* What all calls here work on. */
typedef struct job {
    handle *model;
    handle_list examples, validation;
    array from, start;
    sos_train_settings settings;
    const char *checkpoint;
} job;

static void job_close(job *j)
{
    handle_list_close(&j->examples);
    handle_list_close(&j->validation);
    array_close(&j->from);
    array_close(&j->start);
}

static bool job_fits(const job *j)
{
    const size_t count = sos_model_weight_count(j->model->pointer);
    if (!array_has_or_none(&j->from, count, "from") || !array_has_or_none(&j->start, count, "start")) return false;
    for (size_t i = 0; i < j->examples.count + j->validation.count; i++) {
        const void *x = i < j->examples.count ? j->examples.pointers[i] : j->validation.pointers[i - j->examples.count];
        if (!sos_example_fits(x, j->model->pointer)) {
            PyErr_Format(PyExc_ValueError, "problem %zu was made for other groups than the model has", i);
            return false;
        }
    }
    return true;
}

/* model, examples, settings, checkpoint or None, from or None, start or None, callback or None. */
static PyObject *train(PyObject *self, PyObject *args)
{
    (void)self;
    job j = { 0 };
    PyObject *sequence, *callback, *what = NULL;
    sos_train_result result;
    sos_error error;
    watch w = { 0 };
    if (!PyArg_ParseTuple(args, "O&OO&zO&O&O", model_to_change, &j.model, &sequence, settings_in, &j.settings, &j.checkpoint,
                          doubles_in, &j.from, doubles_in, &j.start, &callback))
        return NULL;
    if (handle_list_open(&j.examples, sequence, HANDLE_EXAMPLE, true) && job_fits(&j)) {
        j.settings.checkpoint = j.checkpoint;
        j.settings.from = j.from.data;
        j.settings.start = j.start.data;
        j.settings.watch = tell_round;
        j.settings.work.user = &w;
        handle_own(j.model);
        watch_begin(&w, callback);
        const sos_status status = sos_train(j.model->pointer, j.examples.count, (sos_example *const *)j.examples.pointers,
                                            &j.settings, &result, &error);
        watch_end(&w);
        handle_leave(j.model);
        what = status && status != SOS_CANCELLED ? failure(status, &error) : result_dict(&result);
    }
    job_close(&j);
    return stopped_or_done(&w, what);
}

static PyObject *path_list(size_t count, const sos_path_point points[], size_t best)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *result = result_dict(&points[i].result);
        PyObject *point = result ? Py_BuildValue("ddN", points[i].C, points[i].validation_loss, result) : NULL;
        if (!point || PyList_Append(list, point)) Py_CLEAR(list);
        Py_XDECREF(point);
    }
    return list ? Py_BuildValue("Nn", list, (Py_ssize_t)best) : NULL;
}

/* model, examples, validation examples, values of C, settings, callback or None. */
static PyObject *train_path(PyObject *self, PyObject *args)
{
    (void)self;
    job j = { 0 };
    PyObject *sequence, *validation, *callback, *what = NULL;
    array values = { 0 };
    sos_path_point *points = NULL;
    size_t best = 0;
    sos_error error;
    watch w = { 0 };
    if (!PyArg_ParseTuple(args, "O&OOO&O&O", model_to_change, &j.model, &sequence, &validation, doubles_in, &values,
                          settings_in, &j.settings, &callback))
        return NULL;
    if (handle_list_open(&j.examples, sequence, HANDLE_EXAMPLE, true) &&
        handle_list_open(&j.validation, validation, HANDLE_EXAMPLE, true) && job_fits(&j)) {
        points = PyMem_Calloc(values.count + 1, sizeof *points);
        if (!points) PyErr_NoMemory();
    }
    if (points) {
        j.settings.watch = tell_round;
        j.settings.work.user = &w;
        handle_own(j.model);
        watch_begin(&w, callback);
        const sos_status status = sos_train_path(j.model->pointer, j.examples.count, (sos_example *const *)j.examples.pointers,
                                                 j.validation.count, (sos_example *const *)j.validation.pointers, values.count,
                                                 values.data, &j.settings, points, &best, &error);
        watch_end(&w);
        handle_leave(j.model);
        what = status && status != SOS_CANCELLED ? failure(status, &error) : path_list(values.count, points, best);
    }
    PyMem_Free(points);
    array_close(&values);
    job_close(&j);
    return stopped_or_done(&w, what);
}

/* The loss of each example's prediction: model, examples, threads, losses to fill; the mean. */
static PyObject *evaluate(PyObject *self, PyObject *args)
{
    (void)self;
    job j = { 0 };
    PyObject *sequence, *what = NULL;
    sos_work work = { 0 };
    array losses = { 0 };
    double mean;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&OiO&", model_to_read, &j.model, &sequence, &work.threads, doubles_out, &losses)) return NULL;
    if (handle_list_open(&j.examples, sequence, HANDLE_EXAMPLE, true) && job_fits(&j) &&
        array_has(&losses, j.examples.count, "losses")) {
        handle_share(j.model);
        PyThreadState *state = PyEval_SaveThread();
        const sos_status status = sos_evaluate(j.model->pointer, j.examples.count, (sos_example *const *)j.examples.pointers,
                                               &work, losses.data, &mean, &error);
        PyEval_RestoreThread(state);
        handle_leave(j.model);
        what = status ? failure(status, &error) : PyFloat_FromDouble(mean);
    }
    array_close(&losses);
    job_close(&j);
    return what;
}

PyMethodDef train_methods[] = {
    { "train_defaults", train_defaults, METH_NOARGS, NULL },
    { "train", train, METH_VARARGS, NULL },
    { "train_path", train_path, METH_VARARGS, NULL },
    { "evaluate", evaluate, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
