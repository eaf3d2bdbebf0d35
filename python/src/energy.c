/* energy.c - <sos/energy.h> and, of <sos/format.h>, energies with two labels. */
#include "binding.h"

#include <stdlib.h>

#include <sos/format.h>

static PyObject *energy_create(PyObject *self, PyObject *args)
{
    (void)self;
    size_t n;
    sos_energy *e;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&", size_in, &n)) return NULL;
    const sos_status status = sos_energy_create(n, &e, &error);
    return status ? failure(status, &error) : handle_new(HANDLE_ENERGY, e);
}

static PyObject *energy_copy(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    sos_energy *copy;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&", energy_to_read, &h)) return NULL;
    const sos_status status = sos_energy_copy(h->pointer, &copy, &error);
    return status ? failure(status, &error) : handle_new(HANDLE_ENERGY, copy);
}

static PyObject *energy_add_constant(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    double cost;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&d", energy_to_change, &h, &cost)) return NULL;
    return outcome(sos_energy_add_constant(h->pointer, cost, &error), &error);
}

static PyObject *energy_set_unary(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    size_t i;
    double cost0, cost1;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&O&dd", energy_to_change, &h, size_in, &i, &cost0, &cost1)) return NULL;
    return outcome(sos_energy_set_unary(h->pointer, i, cost0, cost1, &error), &error);
}

static PyObject *energy_set_unaries(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    array cost0 = { 0 }, cost1 = { 0 };
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&O&O&", energy_to_change, &h, doubles_in, &cost0, doubles_in, &cost1)) return NULL;
    const size_t n = sos_energy_variables(h->pointer);
    if (array_has_or_none(&cost0, n, "cost0") && array_has_or_none(&cost1, n, "cost1"))
        result = outcome(sos_energy_set_unaries(h->pointer, cost0.data, cost1.data, &error), &error);
    array_close(&cost0);
    array_close(&cost1);
    return result;
}

static PyObject *energy_unaries(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    array out = { 0 };
    if (!PyArg_ParseTuple(args, "O&O&", energy_to_read, &h, doubles_out, &out)) return NULL;
    const size_t n = sos_energy_variables(h->pointer);
    const bool fits = array_has(&out, 2 * n, "unaries");
    double *costs = out.data;
    for (size_t i = 0; fits && i < n; i++) sos_energy_unary(h->pointer, i, &costs[2 * i], &costs[2 * i + 1]);
    array_close(&out);
    if (!fits) return NULL;
    return Py_NewRef(Py_None);
}

static PyObject *energy_fix(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    size_t i;
    int label;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&O&i", energy_to_change, &h, size_in, &i, &label)) return NULL;
    return outcome(sos_energy_fix(h->pointer, i, label, &error), &error);
}

static PyObject *energy_fix_all(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    array labels = { 0 };
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&O&", energy_to_change, &h, bytes_in, &labels)) return NULL;
    if (array_has_or_none(&labels, sos_energy_variables(h->pointer), "labels"))
        result = outcome(sos_energy_fix_all(h->pointer, labels.data, &error), &error);
    array_close(&labels);
    return result;
}

static PyObject *energy_fixed(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    array out = { 0 };
    if (!PyArg_ParseTuple(args, "O&O&", energy_to_read, &h, bytes_out, &out)) return NULL;
    const size_t n = sos_energy_variables(h->pointer);
    const bool fits = array_has(&out, n, "labels");
    uint8_t *labels = out.data;
    for (size_t i = 0; fits && i < n; i++) labels[i] = (uint8_t)sos_energy_fixed(h->pointer, i);
    array_close(&out);
    if (!fits) return NULL;
    return Py_NewRef(Py_None);
}

static PyObject *energy_add_table(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    size_t k;
    array f = { 0 };
    uint32_t table;
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&O&O&", energy_to_change, &h, size_in, &k, doubles_in, &f)) return NULL;
    if (k > SOS_TABLE_MEMBERS_MAX || array_has(&f, (size_t)1 << k, "table")) { /* a wrong k is for the library to name */
        const sos_status status = sos_energy_add_table(h->pointer, k, f.data, &table, &error);
        result = status ? failure(status, &error) : PyLong_FromUnsignedLong(table);
    }
    array_close(&f);
    return result;
}

static bool has_table(const sos_energy *e, unsigned int table)
{
    if (table < sos_energy_tables(e)) return true;
    PyErr_Format(PyExc_IndexError, "there is no table %u", table);
    return false;
}

static PyObject *energy_set_table(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    unsigned int table;
    array f = { 0 };
    size_t k;
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&IO&", energy_to_change, &h, &table, doubles_in, &f)) return NULL;
    if (has_table(h->pointer, table) && sos_energy_table(h->pointer, table, &k) && array_has(&f, (size_t)1 << k, "table"))
        result = outcome(sos_energy_set_table(h->pointer, table, f.data, &error), &error);
    array_close(&f);
    return result;
}

static PyObject *energy_table(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    unsigned int table;
    size_t k;
    if (!PyArg_ParseTuple(args, "O&I", energy_to_read, &h, &table) || !has_table(h->pointer, table)) return NULL;
    const double *f = sos_energy_table(h->pointer, table, &k);
    return bytes_of(f, sizeof *f << k);
}

static PyObject *energy_add_cliques(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    unsigned int table;
    size_t count, k;
    array variables = { 0 }, weights = { 0 };
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&IO&O&O&", energy_to_change, &h, &table, size_in, &count, numbers_in, &variables, doubles_in,
                          &weights))
        return NULL;
    if (has_table(h->pointer, table) && sos_energy_table(h->pointer, table, &k) &&
        array_has(&variables, count * k, "variables") && array_has_or_none(&weights, count, "weights"))
        result = outcome(sos_energy_add_cliques(h->pointer, table, count, variables.data, weights.data, &error), &error);
    array_close(&variables);
    array_close(&weights);
    return result;
}

static PyObject *energy_add_listed(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    size_t k, members;
    array tables = { 0 }, variables = { 0 }, weights = { 0 };
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&O&O&O&O&", energy_to_change, &h, size_in, &k, numbers_in, &tables, numbers_in, &variables,
                          doubles_in, &weights))
        return NULL;
    bool fits = array_has(&variables, tables.count * k, "variables") && array_has_or_none(&weights, tables.count, "weights");
    const uint32_t *number = tables.data;
    for (size_t i = 0; fits && i < tables.count; i++) {
        fits = has_table(h->pointer, number[i]) && sos_energy_table(h->pointer, number[i], &members);
        if (fits && members != k) {
            PyErr_Format(PyExc_ValueError, "clique %zu has %zu members, but table %u has %zu", i, k, (unsigned)number[i],
                         members);
            fits = false;
        }
    }
    if (fits)
        result = outcome(sos_energy_add_listed(h->pointer, tables.count, tables.data, variables.data, weights.data, &error),
                         &error);
    array_close(&tables);
    array_close(&variables);
    array_close(&weights);
    return result;
}

/* Sizes of a volume and of a patch, (width, height, depth) each; a picture has depth 1. */
static PyObject *energy_add_patches(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    unsigned int table;
    size_t size[3], patch[3], k, count = 1;
    array weights = { 0 };
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&I(O&O&O&)(O&O&O&)O&", energy_to_change, &h, &table, size_in, &size[0], size_in, &size[1],
                          size_in, &size[2], size_in, &patch[0], size_in, &patch[1], size_in, &patch[2], doubles_in, &weights))
        return NULL;
    for (int a = 0; a < 3; a++) count *= patch[a] && size[a] >= patch[a] ? size[a] - patch[a] + 1 : 0;
    if (has_table(h->pointer, table) && sos_energy_table(h->pointer, table, &k) &&
        array_has_or_none(&weights, count, "weights"))
        result = outcome(sos_energy_add_volume_patches(h->pointer, table, size[0], size[1], size[2], patch[0], patch[1],
                                                       patch[2], weights.data, &error),
                         &error);
    array_close(&weights);
    return result;
}

static PyObject *energy_set_weights(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    size_t first;
    int concave;
    array weights = { 0 };
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&O&O&p", energy_to_change, &h, size_in, &first, doubles_in, &weights, &concave)) return NULL;
    const sos_status status = concave ? sos_energy_set_concave_weights(h->pointer, first, weights.count, weights.data, &error)
                                      : sos_energy_set_weights(h->pointer, first, weights.count, weights.data, &error);
    array_close(&weights);
    return outcome(status, &error);
}

static PyObject *energy_add_concave(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    double weight;
    array variables = { 0 }, g = { 0 };
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&O&O&d", energy_to_change, &h, numbers_in, &variables, doubles_in, &g, &weight)) return NULL;
    if (array_has(&g, variables.count + 1, "g"))
        result = outcome(sos_energy_add_concave(h->pointer, variables.count, variables.data, g.data, weight, &error), &error);
    array_close(&variables);
    array_close(&g);
    return result;
}

static PyObject *energy_add_pieces(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    double weight;
    array variables = { 0 }, amounts = { 0 }, place = { 0 }, value = { 0 };
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&O&O&O&O&d", energy_to_change, &h, numbers_in, &variables, doubles_in, &amounts, doubles_in,
                          &place, doubles_in, &value, &weight))
        return NULL;
    if (array_has_or_none(&amounts, variables.count, "amounts") && array_has(&value, place.count, "values"))
        result = outcome(sos_energy_add_pieces(h->pointer, variables.count, variables.data, amounts.data, place.count,
                                               place.data, value.data, weight, &error),
                         &error);
    array_close(&variables);
    array_close(&amounts);
    array_close(&place);
    array_close(&value);
    return result;
}

static bool has_concave(const sos_energy *e, size_t concave)
{
    if (concave < sos_energy_concaves(e)) return true;
    PyErr_Format(PyExc_IndexError, "there is no concave clique %zu", concave);
    return false;
}

static PyObject *energy_set_pieces(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    size_t concave;
    array value = { 0 };
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&O&O&", energy_to_change, &h, size_in, &concave, doubles_in, &value)) return NULL;
    if (has_concave(h->pointer, concave) && array_has(&value, sos_energy_pieces(h->pointer, concave).knots, "values"))
        result = outcome(sos_energy_set_pieces(h->pointer, concave, value.data, &error), &error);
    array_close(&value);
    return result;
}

/* variables, weight, table. */
static PyObject *energy_clique(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    size_t i;
    if (!PyArg_ParseTuple(args, "O&O&", energy_to_read, &h, size_in, &i)) return NULL;
    if (i >= sos_energy_cliques(h->pointer)) return PyErr_Format(PyExc_IndexError, "there is no clique %zu", i);
    const sos_clique c = sos_energy_clique(h->pointer, i);
    return Py_BuildValue("NdI", bytes_of(c.variables, c.k * sizeof *c.variables), c.weight, (unsigned int)c.table);
}

static PyObject *bytes_or_none(const double *numbers, size_t count)
{
    if (numbers) return bytes_of(numbers, count * sizeof *numbers);
    return Py_NewRef(Py_None);
}

/* variables, weight, amounts or None, places or None, values. */
static PyObject *energy_concave(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    size_t i;
    if (!PyArg_ParseTuple(args, "O&O&", energy_to_read, &h, size_in, &i) || !has_concave(h->pointer, i)) return NULL;
    const sos_pieces p = sos_energy_pieces(h->pointer, i);
    return Py_BuildValue("NdNNN", bytes_of(p.variables, p.k * sizeof *p.variables), p.weight, bytes_or_none(p.amounts, p.k),
                         bytes_or_none(p.place, p.knots), bytes_of(p.value, p.knots * sizeof *p.value));
}

static PyObject *energy_counts(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    if (!PyArg_ParseTuple(args, "O&", energy_to_read, &h)) return NULL;
    const sos_energy *e = h->pointer;
    return Py_BuildValue("{s:n,s:n,s:n,s:n,s:n,s:d}", "variables", (Py_ssize_t)sos_energy_variables(e), "cliques",
                         (Py_ssize_t)sos_energy_cliques(e), "tables", (Py_ssize_t)sos_energy_tables(e), "concaves",
                         (Py_ssize_t)sos_energy_concaves(e), "bytes", (Py_ssize_t)sos_energy_bytes(e), "constant",
                         sos_energy_constant(e));
}

static PyObject *energy_value(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    array labels = { 0 };
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&O&", energy_to_read, &h, bytes_in, &labels)) return NULL;
    if (array_has(&labels, sos_energy_variables(h->pointer), "labels"))
        result = PyFloat_FromDouble(sos_energy_value(h->pointer, labels.data));
    array_close(&labels);
    return result;
}

static PyObject *energy_read(PyObject *self, PyObject *args)
{
    (void)self;
    const char *path;
    int format;
    sos_energy *e;
    sos_error error;
    if (!PyArg_ParseTuple(args, "yi", &path, &format)) return NULL;
    const sos_status status = sos_energy_read(path, (sos_format)format, &e, &error);
    return status ? failure(status, &error) : handle_new(HANDLE_ENERGY, e);
}

static PyObject *energy_parse(PyObject *self, PyObject *args)
{
    (void)self;
    const char *text, *name;
    Py_ssize_t length;
    int format;
    sos_energy *e;
    sos_error error;
    if (!PyArg_ParseTuple(args, "y#si", &text, &length, &name, &format)) return NULL;
    const sos_status status = sos_energy_parse(text, (size_t)length, name, (sos_format)format, &e, &error);
    return status ? failure(status, &error) : handle_new(HANDLE_ENERGY, e);
}

static PyObject *energy_write(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    const char *path;
    int format;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&yi", energy_to_read, &h, &path, &format)) return NULL;
    return outcome(sos_energy_write(h->pointer, path, (sos_format)format, &error), &error);
}

static PyObject *energy_text(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    int format;
    char *text;
    size_t length;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&i", energy_to_read, &h, &format)) return NULL;
    const sos_status status = sos_energy_write_memory(h->pointer, (sos_format)format, &text, &length, &error);
    if (status) return failure(status, &error);
    PyObject *result = PyBytes_FromStringAndSize(text, (Py_ssize_t)length);
    free(text);
    return result;
}

PyMethodDef energy_methods[] = {
    { "energy_create", energy_create, METH_VARARGS, NULL },
    { "energy_copy", energy_copy, METH_VARARGS, NULL },
    { "energy_add_constant", energy_add_constant, METH_VARARGS, NULL },
    { "energy_set_unary", energy_set_unary, METH_VARARGS, NULL },
    { "energy_set_unaries", energy_set_unaries, METH_VARARGS, NULL },
    { "energy_unaries", energy_unaries, METH_VARARGS, NULL },
    { "energy_fix", energy_fix, METH_VARARGS, NULL },
    { "energy_fix_all", energy_fix_all, METH_VARARGS, NULL },
    { "energy_fixed", energy_fixed, METH_VARARGS, NULL },
    { "energy_add_table", energy_add_table, METH_VARARGS, NULL },
    { "energy_set_table", energy_set_table, METH_VARARGS, NULL },
    { "energy_table", energy_table, METH_VARARGS, NULL },
    { "energy_add_cliques", energy_add_cliques, METH_VARARGS, NULL },
    { "energy_add_listed", energy_add_listed, METH_VARARGS, NULL },
    { "energy_add_patches", energy_add_patches, METH_VARARGS, NULL },
    { "energy_set_weights", energy_set_weights, METH_VARARGS, NULL },
    { "energy_add_concave", energy_add_concave, METH_VARARGS, NULL },
    { "energy_add_pieces", energy_add_pieces, METH_VARARGS, NULL },
    { "energy_set_pieces", energy_set_pieces, METH_VARARGS, NULL },
    { "energy_clique", energy_clique, METH_VARARGS, NULL },
    { "energy_concave", energy_concave, METH_VARARGS, NULL },
    { "energy_counts", energy_counts, METH_VARARGS, NULL },
    { "energy_value", energy_value, METH_VARARGS, NULL },
    { "energy_read", energy_read, METH_VARARGS, NULL },
    { "energy_parse", energy_parse, METH_VARARGS, NULL },
    { "energy_write", energy_write, METH_VARARGS, NULL },
    { "energy_text", energy_text, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
