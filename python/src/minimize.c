/* minimize.c - <sos/minimize.h>. */
#include "binding.h"

static PyObject *minimizer_create(PyObject *self, PyObject *args)
{
    (void)self, (void)args;
    sos_minimizer *m;
    sos_error error;
    const sos_status status = sos_minimizer_create(&m, &error);
    return status ? failure(status, &error) : handle_new(HANDLE_MINIMIZER, m);
}

static PyObject *result_dict(const sos_minimize_result *r)
{
    return Py_BuildValue("{s:d,s:d,s:d,s:i,s:O,s:K,s:K,s:K,s:K,s:K,s:n,s:d,s:d,s:d,s:i}", "energy", r->energy, "lower_bound",
                         r->lower_bound, "rounding", r->rounding, "bits", r->bits, "warm", r->warm ? Py_True : Py_False,
                         "fixed", (unsigned long long)r->fixed, "augmentations", (unsigned long long)r->augmentations, "pushes",
                         (unsigned long long)r->pushes, "adoptions", (unsigned long long)r->adoptions, "growths",
                         (unsigned long long)r->growths, "bytes", (Py_ssize_t)r->bytes, "seconds_build", r->seconds_build,
                         "seconds_reduce", r->seconds_reduce, "seconds_solve", r->seconds_solve, "device", (int)r->device);
}

/* A converter for "O&" into settings: (start, maximal, reduce, bits, memory_limit, device). */
static int settings_in(PyObject *object, void *out)
{
    sos_minimize_settings *s = out;
    int start, maximal, reduce, bits, device;
    size_t limit;
    *s = sos_minimize_defaults();
    if (!tuple_in(object, "ippiO&i", &start, &maximal, &reduce, &bits, size_in, &limit, &device)) return 0;
    s->start = (sos_start)start;
    s->maximal = maximal;
    s->reduce = reduce;
    s->bits = bits;
    s->memory_limit = limit;
    s->device = (sos_device)device;
    return 1;
}

/* energy, minimizer or None, labels to fill, settings, callback or None. */
static PyObject *minimize(PyObject *self, PyObject *args)
{
    (void)self;
    handle *e, *m;
    array labels = { 0 };
    sos_minimize_settings settings;
    PyObject *callback, *done = NULL;
    sos_minimize_result result;
    sos_status status;
    sos_error error;
    watch w;
    if (!PyArg_ParseTuple(args, "O&O&O&O&O", energy_to_read, &e, minimizer_to_change, &m, bytes_out, &labels, settings_in,
                          &settings, &callback))
        return NULL;
    if (array_has(&labels, sos_energy_variables(e->pointer), "labels")) {
        settings.work.progress = watch_progress;
        settings.work.user = &w;
        handle_share(e);
        handle_own(m);
        watch_begin(&w, callback);
        status = m ? sos_minimizer_run(m->pointer, e->pointer, &settings, labels.data, &result, &error)
                   : sos_minimize(e->pointer, &settings, labels.data, &result, &error);
        watch_end(&w);
        handle_leave(e);
        handle_leave(m);
        done = watch_outcome(&w, status, &error);
    }
    array_close(&labels);
    if (!done) return NULL;
    Py_DECREF(done);
    return result_dict(&result);
}

/* What a batch works on. */
typedef struct batch {
    handle_list energies;
    array *labels; /* count, in the order of the energies */
    uint8_t **rows;
    sos_minimize_result *results;
} batch;

static void batch_close(batch *b)
{
    for (size_t i = 0; b->labels && i < b->energies.count; i++) array_close(&b->labels[i]);
    PyMem_Free(b->labels);
    PyMem_Free(b->rows);
    PyMem_Free(b->results);
    handle_list_close(&b->energies);
}

static bool batch_open(batch *b, PyObject *energies, PyObject *labels)
{
    *b = (batch){ 0 };
    if (!handle_list_open(&b->energies, energies, HANDLE_ENERGY, false)) return false;
    const size_t count = b->energies.count;
    b->labels = PyMem_Calloc(count + 1, sizeof *b->labels);
    b->rows = PyMem_Calloc(count + 1, sizeof *b->rows);
    b->results = PyMem_Calloc(count + 1, sizeof *b->results);
    if (!b->labels || !b->rows || !b->results) return PyErr_NoMemory(), false;
    for (size_t i = 0; i < count; i++) {
        PyObject *item = PySequence_GetItem(labels, (Py_ssize_t)i);
        const bool ok = item && bytes_out(item, &b->labels[i]) &&
                        array_has(&b->labels[i], sos_energy_variables(b->energies.pointers[i]), "labels");
        Py_XDECREF(item); /* the buffer keeps it */
        if (!ok) return false;
        b->rows[i] = b->labels[i].data;
    }
    return true;
}

/* energies, labels to fill, settings, threads, callback or None. */
static PyObject *minimize_batch(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *energies, *labels, *callback, *done = NULL, *list = NULL;
    sos_minimize_settings settings;
    sos_status status;
    sos_error error;
    batch b;
    watch w;
    if (!PyArg_ParseTuple(args, "OOO&iO", &energies, &labels, settings_in, &settings, &settings.work.threads, &callback))
        return NULL;
    if (batch_open(&b, energies, labels)) {
        settings.work.progress = watch_progress;
        settings.work.user = &w;
        watch_begin(&w, callback);
        status = sos_minimize_batch(b.energies.count, (const sos_energy *const *)b.energies.pointers, &settings, b.rows,
                                    b.results, &error);
        watch_end(&w);
        done = watch_outcome(&w, status, &error);
    }
    if (done) list = PyList_New(0);
    for (size_t i = 0; list && i < b.energies.count; i++) {
        PyObject *row = result_dict(&b.results[i]);
        if (!row || PyList_Append(list, row)) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    Py_XDECREF(done);
    batch_close(&b);
    return list;
}

PyMethodDef minimize_methods[] = {
    { "minimizer_create", minimizer_create, METH_NOARGS, NULL },
    { "minimize", minimize, METH_VARARGS, NULL },
    { "minimize_batch", minimize_batch, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
