/* array.c - arrays by the buffer protocol. */
#include "binding.h"

#include <stdarg.h>
#include <string.h>

/* The codes of struct that stand for a type, of any C type of that size, and what people call it. */
typedef struct element {
    const char *codes;
    Py_ssize_t size;
    const char *name;
} element;

static const element DOUBLE = { "d", sizeof(double), "float64" }, FLOAT = { "f", sizeof(float), "float32" },
                     NUMBER = { "ILN", sizeof(uint32_t), "uint32" }, SIZE = { "LQN", sizeof(size_t), "uint64" },
                     BYTE = { "B?", sizeof(uint8_t), "uint8" };

/* In the machine's own byte order: no order mark, or one that says so. */
static bool is_of(const Py_buffer *view, const element *e)
{
    const char *format = view->format ? view->format : "B";
    if (*format == '@' || *format == '=') format++;
    return view->itemsize == e->size && *format && strchr(e->codes, *format) && !format[1];
}

static int convert(PyObject *object, array *a, const element *e, int flags)
{
    if (!object) { /* an argument behind this one was wrong */
        array_close(a);
        return 1;
    }
    if (object == Py_None) return Py_CLEANUP_SUPPORTED;
    if (PyObject_GetBuffer(object, &a->view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | flags)) return 0;
    a->held = true;
    if (!is_of(&a->view, e)) {
        PyErr_Format(PyExc_TypeError, "an array of %s is needed", e->name);
        array_close(a);
        return 0;
    }
    a->data = a->view.buf;
    a->count = (size_t)(a->view.len / e->size);
    return Py_CLEANUP_SUPPORTED;
}

int doubles_in(PyObject *object, void *out) { return convert(object, out, &DOUBLE, 0); }
int floats_in(PyObject *object, void *out) { return convert(object, out, &FLOAT, 0); }
int numbers_in(PyObject *object, void *out) { return convert(object, out, &NUMBER, 0); }
int sizes_in(PyObject *object, void *out) { return convert(object, out, &SIZE, 0); }
int bytes_in(PyObject *object, void *out) { return convert(object, out, &BYTE, 0); }
int bytes_out(PyObject *object, void *out) { return convert(object, out, &BYTE, PyBUF_WRITABLE); }
int doubles_out(PyObject *object, void *out) { return convert(object, out, &DOUBLE, PyBUF_WRITABLE); }

void array_close(array *a)
{
    if (a->held) PyBuffer_Release(&a->view);
    *a = (array){ .held = false };
}

bool array_has(const array *a, size_t count, const char *name)
{
    if (a->held && a->count == count) return true;
    PyErr_Format(PyExc_ValueError, "%s has %zu entries, but %zu are needed", name, a->count, count);
    return false;
}

bool array_has_or_none(const array *a, size_t count, const char *name) { return !a->held || array_has(a, count, name); }

PyObject *bytes_of(const void *data, size_t bytes)
{
    if (bytes > PY_SSIZE_T_MAX) return PyErr_NoMemory();
    return PyByteArray_FromStringAndSize(data, (Py_ssize_t)bytes);
}

int size_in(PyObject *object, void *out)
{
    const size_t value = PyLong_AsSize_t(object);
    *(size_t *)out = value;
    return !PyErr_Occurred();
}

int tuple_in(PyObject *object, const char *format, ...)
{
    if (!object) return 0; /* not even that could be had */
    if (!PyTuple_Check(object)) {
        PyErr_SetString(PyExc_TypeError, "a tuple is needed");
        return 0;
    }
    va_list values;
    va_start(values, format);
    const int taken = PyArg_VaParse(object, format, values);
    va_end(values);
    return taken;
}

Py_ssize_t list_size(PyObject *object)
{
    if (PyList_Check(object)) return PyList_Size(object);
    PyErr_SetString(PyExc_TypeError, "a list is needed");
    return -1;
}
