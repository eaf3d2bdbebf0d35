/* handle.c - objects of the library as Python objects: capsules that own them. */
#include "binding.h"

#include <s3svm/task.h>

#include "lesson.h"
#include "segmenter.h"

static const char *const NAMES[HANDLE_KINDS] = {
    [HANDLE_ENERGY] = "sos_energy",         [HANDLE_MINIMIZER] = "sos_minimizer", [HANDLE_MULTI_ENERGY] = "sos_multi_energy",
    [HANDLE_MODEL] = "sos_model",           [HANDLE_EXAMPLE] = "sos_example",     [HANDLE_TASK_MODEL] = "s3svm_task_model",
    [HANDLE_SEGMENTER] = "s3svm_segmenter", [HANDLE_LESSON] = "s3svm_lesson",     [HANDLE_HINGE] = "sos_hinge",
};

static void free_object(handle_kind kind, void *pointer)
{
    switch (kind) {
    case HANDLE_ENERGY: sos_energy_free(pointer); break;
    case HANDLE_MINIMIZER: sos_minimizer_free(pointer); break;
    case HANDLE_MULTI_ENERGY: sos_multi_energy_free(pointer); break;
    case HANDLE_MODEL: sos_model_free(pointer); break;
    case HANDLE_EXAMPLE: sos_example_free(pointer); break;
    case HANDLE_TASK_MODEL: s3svm_task_model_free(pointer); break;
    case HANDLE_SEGMENTER: binding_segmenter_free(pointer); break;
    case HANDLE_LESSON: lesson_free(pointer); break;
    case HANDLE_HINGE: sos_hinge_free(pointer); break;
    case HANDLE_KINDS: break;
    }
}

static void free_capsule(PyObject *capsule)
{
    const char *name = PyCapsule_GetName(capsule);
    handle *h = PyCapsule_GetPointer(capsule, name);
    for (handle_kind kind = 0; kind < HANDLE_KINDS; kind++)
        if (name == NAMES[kind]) free_object(kind, h->pointer);
    PyMem_Free(h);
}

PyObject *handle_new(handle_kind kind, void *pointer)
{
    handle *h = PyMem_Malloc(sizeof *h);
    if (!h) {
        free_object(kind, pointer);
        return PyErr_NoMemory();
    }
    *h = (handle){ .pointer = pointer };
    PyObject *capsule = PyCapsule_New(h, NAMES[kind], free_capsule);
    if (!capsule) {
        free_object(kind, pointer);
        PyMem_Free(h);
    }
    return capsule;
}

static handle *open_to(PyObject *object, handle_kind kind, bool change)
{
    handle *h = PyCapsule_GetPointer(object, NAMES[kind]);
    if (!h) {
        PyErr_Format(PyExc_TypeError, "this is no %s", NAMES[kind]);
        return NULL;
    }
    if (h->users == 0 || (h->users > 0 && !change)) return h;
    PyErr_Format(PyExc_RuntimeError, "another thread is using this %s; one thread at a time may change it", NAMES[kind] + 4);
    return NULL;
}

static int convert(PyObject *object, void *out, handle_kind kind, bool change)
{
    handle *h = open_to(object, kind, change);
    *(handle **)out = h;
    return h != NULL;
}

int energy_to_read(PyObject *object, void *out) { return convert(object, out, HANDLE_ENERGY, false); }
int energy_to_change(PyObject *object, void *out) { return convert(object, out, HANDLE_ENERGY, true); }
int multi_energy_to_read(PyObject *object, void *out) { return convert(object, out, HANDLE_MULTI_ENERGY, false); }
int multi_energy_to_change(PyObject *object, void *out) { return convert(object, out, HANDLE_MULTI_ENERGY, true); }
int model_to_read(PyObject *object, void *out) { return convert(object, out, HANDLE_MODEL, false); }
int model_to_change(PyObject *object, void *out) { return convert(object, out, HANDLE_MODEL, true); }
int example_to_read(PyObject *object, void *out) { return convert(object, out, HANDLE_EXAMPLE, false); }
int example_to_change(PyObject *object, void *out) { return convert(object, out, HANDLE_EXAMPLE, true); }
int task_model_to_read(PyObject *object, void *out) { return convert(object, out, HANDLE_TASK_MODEL, false); }
int segmenter_to_change(PyObject *object, void *out) { return convert(object, out, HANDLE_SEGMENTER, true); }

int lesson_to_change(PyObject *object, void *out) { return convert(object, out, HANDLE_LESSON, true); }
int hinge_to_read(PyObject *object, void *out) { return convert(object, out, HANDLE_HINGE, false); }
int hinge_to_change(PyObject *object, void *out) { return convert(object, out, HANDLE_HINGE, true); }

int model_or_none(PyObject *object, void *out)
{
    *(handle **)out = NULL;
    return object == Py_None || convert(object, out, HANDLE_MODEL, false);
}

int minimizer_to_change(PyObject *object, void *out)
{
    *(handle **)out = NULL;
    return object == Py_None || convert(object, out, HANDLE_MINIMIZER, true);
}

void handle_share(handle *h)
{
    if (h) h->users++;
}

void handle_own(handle *h)
{
    if (h) h->users = HANDLE_OWNED;
}

void handle_leave(handle *h)
{
    if (h) h->users -= h->users == HANDLE_OWNED ? HANDLE_OWNED : 1;
}

static bool list_take(handle_list *list, PyObject *object, handle_kind kind, bool owned)
{
    handle *h = open_to(object, kind, owned);
    if (!h) return false;
    if (owned)
        handle_own(h);
    else
        handle_share(h);
    list->handles[list->count] = h;
    list->pointers[list->count++] = h->pointer;
    return true;
}

bool handle_list_open(handle_list *list, PyObject *sequence, handle_kind kind, bool owned)
{
    *list = (handle_list){ .sequence = PySequence_Tuple(sequence) };
    if (!list->sequence) return false;
    const Py_ssize_t count = PyTuple_Size(list->sequence);
    list->handles = PyMem_Calloc((size_t)count + 1, sizeof *list->handles);
    list->pointers = PyMem_Calloc((size_t)count + 1, sizeof *list->pointers);
    bool ok = list->handles && list->pointers;
    if (!ok) PyErr_NoMemory();
    for (Py_ssize_t i = 0; ok && i < count; i++) ok = list_take(list, PyTuple_GetItem(list->sequence, i), kind, owned);
    if (!ok) handle_list_close(list);
    return ok;
}

void handle_list_close(handle_list *list)
{
    for (size_t i = 0; i < list->count; i++) handle_leave(list->handles[i]);
    PyMem_Free(list->handles);
    PyMem_Free(list->pointers);
    Py_XDECREF(list->sequence);
    *list = (handle_list){ 0 };
}
