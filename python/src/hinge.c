/* hinge.c - <sos/hinge.h>. */
#include "binding.h"

static PyObject *hinge_create(PyObject *self, PyObject *args)
{
    (void)self;
    handle *e;
    sos_hinge *h;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&", energy_to_read, &e)) return NULL;
    const sos_status status = sos_hinge_create(e->pointer, &h, &error);
    return status ? failure(status, &error) : handle_new(HANDLE_HINGE, h);
}

static PyObject *hinge_forget(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    if (!PyArg_ParseTuple(args, "O&", hinge_to_change, &h)) return NULL;
    sos_hinge_forget(h->pointer);
    return Py_NewRef(Py_None);
}

static PyObject *hinge_bytes(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    if (!PyArg_ParseTuple(args, "O&", hinge_to_read, &h)) return NULL;
    return PyLong_FromSize_t(sos_hinge_bytes(h->pointer));
}

static size_t table_entries(const sos_energy *e)
{
    size_t entries = 0, k;
    for (uint32_t t = 0; t < sos_energy_tables(e); t++)
        if (sos_energy_table(e, t, &k)) entries += (size_t)1 << k;
    return entries;
}

/* The arrays of a batch, one row for each item; those marked may have one row for all. */
typedef struct call {
    array unary, unary32, truth, loss, tables, weights, keep; /* loss, tables and weights: one row for all, or each its own */
    array labels, to_tables, to_weights, values, gaps, warm;
} call;

static void call_close(call *c)
{
    array *all[] = { &c->unary,  &c->unary32,   &c->truth,      &c->loss,   &c->tables, &c->weights, &c->keep,
                     &c->labels, &c->to_tables, &c->to_weights, &c->values, &c->gaps,   &c->warm };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) array_close(all[i]);
}

static bool has_rows(const array *a, size_t count, size_t row, const char *name)
{
    return !a->held || a->count == row || array_has(a, count * row, name);
}

static bool call_fits(const call *c, const sos_energy *e, size_t count)
{
    const size_t n = sos_energy_variables(e), entries = table_entries(e), cliques = sos_energy_cliques(e);
    return (c->unary32.held ? array_has(&c->unary32, count * n, "unary") : array_has(&c->unary, count * n, "unary")) &&
           array_has_or_none(&c->truth, count * n, "truth") && has_rows(&c->loss, count, n, "loss") &&
           has_rows(&c->tables, count, entries, "tables") && has_rows(&c->weights, count, cliques, "weights") &&
           array_has_or_none(&c->keep, count, "keep") && array_has(&c->labels, count * n, "labels") &&
           array_has(&c->to_tables, count * entries, "gradient") &&
           array_has_or_none(&c->to_weights, count * cliques, "gradient") && array_has(&c->values, count, "values") &&
           array_has(&c->gaps, count, "gaps") && array_has(&c->warm, count, "warm");
}

/* Row i of so many numbers, where a may have one row for all. */
static const double *row_of(const array *a, size_t i, size_t row)
{
    const double *numbers = a->data;
    return numbers ? numbers + (a->count == row ? 0 : i * row) : NULL;
}

static void items_fill(const call *c, const sos_energy *e, size_t count, sos_hinge_item items[])
{
    const size_t n = sos_energy_variables(e), entries = table_entries(e), cliques = sos_energy_cliques(e);
    const double *unary = c->unary.data;
    const float *unary32 = c->unary32.data;
    const uint8_t *truth = c->truth.data;
    const size_t *keep = c->keep.data;
    double *to_tables = c->to_tables.data, *to_weights = c->to_weights.data;
    uint8_t *labels = c->labels.data;
    for (size_t i = 0; i < count; i++)
        items[i] = (sos_hinge_item){ .unary = unary ? unary + i * n : NULL,
                                     .unary32 = unary32 ? unary32 + i * n : NULL,
                                     .truth = truth ? truth + i * n : NULL,
                                     .loss = row_of(&c->loss, i, n),
                                     .tables = row_of(&c->tables, i, entries),
                                     .weights = row_of(&c->weights, i, cliques),
                                     .keep = keep ? keep[i] : 0,
                                     .labels = labels + i * n,
                                     .to_tables = to_tables + i * entries,
                                     .to_weights = to_weights ? to_weights + i * cliques : NULL };
}

static void results_take(const call *c, size_t count, const sos_hinge_item items[])
{
    double *values = c->values.data, *gaps = c->gaps.data;
    uint8_t *warm = c->warm.data;
    for (size_t i = 0; i < count; i++) {
        values[i] = items[i].value;
        gaps[i] = items[i].gap;
        warm[i] = items[i].warm;
    }
}

static PyObject *call_run(handle *h, const call *c, size_t count, sos_hinge_settings *settings, PyObject *callback)
{
    sos_hinge_item *items = PyMem_Calloc(count + 1, sizeof *items);
    sos_error error;
    watch w;
    if (!items) return PyErr_NoMemory();
    items_fill(c, sos_hinge_structure(h->pointer), count, items);
    settings->work.progress = watch_progress;
    settings->work.user = &w;
    handle_own(h);
    watch_begin(&w, callback);
    const sos_status status = sos_hinge_run(h->pointer, count, items, settings, &error);
    watch_end(&w);
    handle_leave(h);
    if (!status) results_take(c, count, items);
    PyMem_Free(items);
    return watch_outcome(&w, status, &error);
}

/* hinge, count; unary in double and in single precision, one of them None; truth, loss, tables, weights, keep, each an array or
 * None; labels, to_tables, to_weights or None, values, gaps and warm to fill; bits, memory, threads, callback or None.  No
 * tuples in it: on failure Python closes only as many arrays as there are arguments. */
static PyObject *hinge_run(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    size_t count;
    call c = { 0 };
    sos_hinge_settings settings = sos_hinge_defaults();
    PyObject *callback, *done = NULL;
    if (!PyArg_ParseTuple(args, "O&O&O&O&O&O&O&O&O&O&O&O&O&O&O&iO&iO", hinge_to_change, &h, size_in, &count, doubles_in,
                          &c.unary, floats_in, &c.unary32, bytes_in, &c.truth, doubles_in, &c.loss, doubles_in, &c.tables,
                          doubles_in, &c.weights, sizes_in, &c.keep, bytes_out, &c.labels, doubles_out, &c.to_tables,
                          doubles_out, &c.to_weights, doubles_out, &c.values, doubles_out, &c.gaps, bytes_out, &c.warm,
                          &settings.bits, size_in, &settings.memory, &settings.work.threads, &callback))
        return NULL;
    if (call_fits(&c, sos_hinge_structure(h->pointer), count)) done = call_run(h, &c, count, &settings, callback);
    call_close(&c);
    return done;
}

/* A table and room for the nearest one. */
static PyObject *table_nearest(PyObject *self, PyObject *args)
{
    (void)self;
    array f = { 0 }, out = { 0 };
    sos_error error;
    PyObject *result = NULL;
    size_t k = 0;
    if (!PyArg_ParseTuple(args, "O&O&", doubles_in, &f, doubles_out, &out)) return NULL;
    while (k < SOS_TABLE_MEMBERS_MAX && (size_t)1 << k < f.count) k++;
    if (array_has(&f, (size_t)1 << k, "table") && array_has(&out, f.count, "nearest"))
        result = outcome(sos_table_nearest(k, f.data, out.data, &error), &error);
    array_close(&f);
    array_close(&out);
    return result;
}

PyMethodDef hinge_methods[] = {
    { "hinge_create", hinge_create, METH_VARARGS, NULL },   { "hinge_forget", hinge_forget, METH_VARARGS, NULL },
    { "hinge_bytes", hinge_bytes, METH_VARARGS, NULL },     { "hinge_run", hinge_run, METH_VARARGS, NULL },
    { "table_nearest", table_nearest, METH_VARARGS, NULL }, { NULL, NULL, 0, NULL },
};
