/* failure.c - status codes as exceptions. */
#include "binding.h"

#if defined(_OPENMP)
#include <omp.h>
#endif

enum { STATUSES = SOS_CANCELLED + 1 };

static PyObject *exceptions; /* a tuple of classes by status, from the Python files */

PyObject *failure(sos_status status, const sos_error *error)
{
    PyObject *class = exceptions && (int)status < STATUSES ? PyTuple_GetItem(exceptions, (Py_ssize_t)status) : NULL;
    PyErr_SetString(class ? class : PyExc_RuntimeError, error->status == status ? error->message : sos_status_name(status));
    return NULL;
}

PyObject *outcome(sos_status status, const sos_error *error)
{
    if (status) return failure(status, error);
    return Py_NewRef(Py_None);
}

/* The names of statuses, in their order: what the Python files make classes of. */
static PyObject *status_names(PyObject *self, PyObject *args)
{
    (void)self, (void)args;
    PyObject *names = PyTuple_New(STATUSES);
    for (int i = 0; names && i < STATUSES; i++) {
        PyObject *name = PyUnicode_FromString(sos_status_name((sos_status)i));
        if (!name || PyTuple_SetItem(names, i, name)) Py_CLEAR(names);
    }
    return names;
}

static PyObject *set_exceptions(PyObject *self, PyObject *classes)
{
    (void)self;
    if (!PyTuple_Check(classes) || PyTuple_Size(classes) != STATUSES) {
        PyErr_SetString(PyExc_TypeError, "a class for each status is needed");
        return NULL;
    }
    PyObject *old = exceptions;
    Py_INCREF(classes);
    exceptions = classes;
    Py_XDECREF(old);
    return Py_NewRef(Py_None);
}

static PyObject *version(PyObject *self, PyObject *args)
{
    (void)self, (void)args;
    return PyUnicode_FromString(sos_version());
}

/* In a child that a process with threads has forked: the threads of the parent's pool are not there, and waiting for them would
 * take for ever, so that all work is done by one. */
static PyObject *forked(PyObject *self, PyObject *args)
{
    (void)self, (void)args;
#if defined(_OPENMP)
    omp_set_max_active_levels(0);
#endif
    return Py_NewRef(Py_None);
}

static PyObject *table_members_max(PyObject *self, PyObject *args)
{
    (void)self, (void)args;
    return PyLong_FromLong(SOS_TABLE_MEMBERS_MAX);
}

static PyObject *features(PyObject *self, PyObject *args)
{
    (void)self, (void)args;
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && sos_feature(i); i++)
        if (PyDict_SetItemString(dict, sos_feature(i), sos_has(sos_feature(i)) ? Py_True : Py_False)) Py_CLEAR(dict);
    return dict;
}

PyMethodDef failure_methods[] = {
    { "status_names", status_names, METH_NOARGS, NULL },
    { "set_exceptions", set_exceptions, METH_O, NULL },
    { "version", version, METH_NOARGS, NULL },
    { "features", features, METH_NOARGS, NULL },
    { "forked", forked, METH_NOARGS, NULL },
    { "table_members_max", table_members_max, METH_NOARGS, NULL },
    { NULL, NULL, 0, NULL },
};
