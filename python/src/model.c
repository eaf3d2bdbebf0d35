/* model.c - the models of <sos/model.h>, their pages, and those that the library carries inside. */
#include "binding.h"
#include "report/model_page.h"

#include <stdlib.h>

#include <s3svm/embedded.h>

static PyObject *model_create(PyObject *self, PyObject *args)
{
    (void)self;
    size_t labels;
    sos_model *m;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&", size_in, &labels)) return NULL;
    const sos_status status = sos_model_create(labels, &m, &error);
    return status ? failure(status, &error) : handle_new(HANDLE_MODEL, m);
}

static PyObject *model_copy(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    sos_model *copy;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&", model_to_read, &h)) return NULL;
    const sos_status status = sos_model_copy(h->pointer, &copy, &error);
    return status ? failure(status, &error) : handle_new(HANDLE_MODEL, copy);
}

/* model, name, kind, size, (anchored, swap, reversal, counted), (patch width, height), classes or None, stiffness, shares or
 * None, strengths. */
static PyObject *model_add_group(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    sos_group g = { 0 };
    int kind, anchored, swap, reversal, counted;
    array classes = { 0 }, shares = { 0 };
    uint32_t number;
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&siO&(pppp)(O&O&)O&dO&O&", model_to_change, &h, &g.name, &kind, size_in, &g.size, &anchored,
                          &swap, &reversal, &counted, size_in, &g.patch_width, size_in, &g.patch_height, numbers_in, &classes,
                          &g.stiffness, doubles_in, &shares, size_in, &g.strengths))
        return NULL;
    g.kind = (sos_group_kind)kind;
    g.anchored = anchored;
    g.swap = swap;
    g.reversal = reversal;
    g.counted = counted;
    g.class_of = classes.data;
    g.shares = shares.data;
    if ((g.size > SOS_TABLE_MEMBERS_MAX || array_has_or_none(&classes, (size_t)1 << g.size, "classes")) &&
        array_has_or_none(&shares, g.size, "shares")) {
        const sos_status status = sos_model_add_group(h->pointer, &g, &number, &error);
        result = status ? failure(status, &error) : PyLong_FromUnsignedLong(number);
    }
    array_close(&classes);
    array_close(&shares);
    return result;
}

static bool has_group(const sos_model *m, unsigned int group)
{
    if (group < sos_model_groups(m)) return true;
    PyErr_Format(PyExc_IndexError, "there is no group %u", group);
    return false;
}

static PyObject *model_group(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    unsigned int group;
    if (!PyArg_ParseTuple(args, "O&I", model_to_read, &h, &group) || !has_group(h->pointer, group)) return NULL;
    const sos_group *g = sos_model_group(h->pointer, group);
    const size_t next = group + 1 < sos_model_groups(h->pointer) ? sos_model_group_offset(h->pointer, group + 1)
                                                                 : sos_model_weight_count(h->pointer);
    return Py_BuildValue("{s:s,s:i,s:n,s:O,s:O,s:O,s:O,s:n,s:n,s:d,s:N,s:n,s:n,s:n,s:n}", "name", g->name, "kind", (int)g->kind,
                         "size", (Py_ssize_t)g->size, "anchored", g->anchored ? Py_True : Py_False, "swap",
                         g->swap ? Py_True : Py_False, "reversal", g->reversal ? Py_True : Py_False, "counted",
                         g->counted ? Py_True : Py_False, "patch_width", (Py_ssize_t)g->patch_width, "patch_height",
                         (Py_ssize_t)g->patch_height, "stiffness", g->stiffness, "shares",
                         g->shares ? bytes_of(g->shares, g->size * sizeof *g->shares) : Py_NewRef(Py_None), "strengths",
                         (Py_ssize_t)g->strengths, "first", (Py_ssize_t)sos_model_group_offset(h->pointer, group), "next",
                         (Py_ssize_t)next, "functions", (Py_ssize_t)sos_model_functions(h->pointer, group));
}

static PyObject *model_set_stiffness(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    unsigned int group;
    double stiffness;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&Id", model_to_change, &h, &group, &stiffness)) return NULL;
    return outcome(sos_model_set_stiffness(h->pointer, group, stiffness, &error), &error);
}

static PyObject *model_counts(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    if (!PyArg_ParseTuple(args, "O&", model_to_read, &h)) return NULL;
    return Py_BuildValue("nnn", (Py_ssize_t)sos_model_labels(h->pointer), (Py_ssize_t)sos_model_groups(h->pointer),
                         (Py_ssize_t)sos_model_weight_count(h->pointer));
}

static PyObject *model_weights(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    if (!PyArg_ParseTuple(args, "O&", model_to_read, &h)) return NULL;
    return bytes_of(sos_model_weights(h->pointer), sos_model_weight_count(h->pointer) * sizeof(double));
}

static PyObject *model_set_weights(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    array w = { 0 };
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&O&", model_to_change, &h, doubles_in, &w)) return NULL;
    if (array_has(&w, sos_model_weight_count(h->pointer), "weights"))
        result = outcome(sos_model_set_weights(h->pointer, w.data, &error), &error);
    array_close(&w);
    return result;
}

/* The costs of a function of a table group, or the values of one of a count group. */
static PyObject *model_function(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    unsigned int group;
    size_t function;
    if (!PyArg_ParseTuple(args, "O&IO&", model_to_read, &h, &group, size_in, &function) || !has_group(h->pointer, group))
        return NULL;
    if (function >= sos_model_functions(h->pointer, group))
        return PyErr_Format(PyExc_IndexError, "group %u has no function %zu", group, function);
    const sos_group *g = sos_model_group(h->pointer, group);
    const size_t count = g->kind == SOS_GROUP_TABLE ? (size_t)1 << g->size : g->size;
    double *f = PyMem_Malloc(count * sizeof *f);
    if (!f) return PyErr_NoMemory();
    sos_model_table(h->pointer, group, function, f);
    PyObject *result = bytes_of(f, count * sizeof *f);
    PyMem_Free(f);
    return result;
}

static PyObject *model_set_fact(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    const char *key, *json;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&sz", model_to_change, &h, &key, &json)) return NULL;
    return outcome(sos_model_set_fact(h->pointer, key, json, &error), &error);
}

static PyObject *model_facts(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    if (!PyArg_ParseTuple(args, "O&", model_to_read, &h)) return NULL;
    PyObject *facts = PyDict_New();
    for (size_t i = 0; facts && i < sos_model_facts(h->pointer); i++) {
        const char *key = sos_model_fact_key(h->pointer, i);
        PyObject *value = PyUnicode_FromString(sos_model_fact(h->pointer, key));
        if (!value || PyDict_SetItemString(facts, key, value)) Py_CLEAR(facts);
        Py_XDECREF(value);
    }
    return facts;
}

static PyObject *model_read(PyObject *self, PyObject *args)
{
    (void)self;
    const char *path;
    sos_model *m;
    sos_error error;
    if (!PyArg_ParseTuple(args, "y", &path)) return NULL;
    const sos_status status = sos_model_read(path, &m, &error);
    return status ? failure(status, &error) : handle_new(HANDLE_MODEL, m);
}

static PyObject *model_parse(PyObject *self, PyObject *args)
{
    (void)self;
    const char *text, *name;
    Py_ssize_t length;
    sos_model *m;
    sos_error error;
    if (!PyArg_ParseTuple(args, "y#s", &text, &length, &name)) return NULL;
    const sos_status status = sos_model_parse(text, (size_t)length, name, &m, &error);
    return status ? failure(status, &error) : handle_new(HANDLE_MODEL, m);
}

static PyObject *model_write(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    const char *path;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&y", model_to_read, &h, &path)) return NULL;
    return outcome(sos_model_write(h->pointer, path, &error), &error);
}

static PyObject *model_text(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    char *text;
    size_t length;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&", model_to_read, &h)) return NULL;
    const sos_status status = sos_model_write_memory(h->pointer, &text, &length, &error);
    if (status) return failure(status, &error);
    PyObject *result = PyBytes_FromStringAndSize(text, (Py_ssize_t)length);
    free(text);
    return result;
}

static PyObject *model_page(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    const char *name, *path;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&sy", model_to_read, &h, &name, &path)) return NULL;
    return outcome(s3svm_model_page(h->pointer, name, path, &error), &error);
}

static PyObject *model_embedded(PyObject *self, PyObject *args)
{
    (void)self;
    const char *name;
    sos_model *m;
    sos_error error;
    if (!PyArg_ParseTuple(args, "s", &name)) return NULL;
    const sos_status status = s3svm_embedded_model(name, &m, &error);
    return status ? failure(status, &error) : handle_new(HANDLE_MODEL, m);
}

static PyObject *embedded_names(PyObject *self, PyObject *args)
{
    (void)self, (void)args;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && s3svm_embedded_name(i); i++) {
        PyObject *name = PyUnicode_FromString(s3svm_embedded_name(i));
        if (!name || PyList_Append(list, name)) Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

PyMethodDef model_methods[] = {
    { "model_create", model_create, METH_VARARGS, NULL },
    { "model_copy", model_copy, METH_VARARGS, NULL },
    { "model_add_group", model_add_group, METH_VARARGS, NULL },
    { "model_group", model_group, METH_VARARGS, NULL },
    { "model_set_stiffness", model_set_stiffness, METH_VARARGS, NULL },
    { "model_counts", model_counts, METH_VARARGS, NULL },
    { "model_weights", model_weights, METH_VARARGS, NULL },
    { "model_set_weights", model_set_weights, METH_VARARGS, NULL },
    { "model_function", model_function, METH_VARARGS, NULL },
    { "model_set_fact", model_set_fact, METH_VARARGS, NULL },
    { "model_facts", model_facts, METH_VARARGS, NULL },
    { "model_read", model_read, METH_VARARGS, NULL },
    { "model_parse", model_parse, METH_VARARGS, NULL },
    { "model_write", model_write, METH_VARARGS, NULL },
    { "model_text", model_text, METH_VARARGS, NULL },
    { "model_page", model_page, METH_VARARGS, NULL },
    { "model_embedded", model_embedded, METH_VARARGS, NULL },
    { "embedded_names", embedded_names, METH_NOARGS, NULL },
    { NULL, NULL, 0, NULL },
};
