/* task.c - models of pictures: predicting, and what they see of a picture (<s3svm/task.h>). */
#include "picture.h"

#include <s3svm/task.h>

/* ---- predicting ---- */

static PyObject *task_create(PyObject *self, PyObject *args)
{
    (void)self;
    handle *m;
    const s3svm_task *task;
    s3svm_task_model *prepared;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&", model_to_read, &m)) return NULL;
    sos_status status = s3svm_task_of(m->pointer, &task, &error);
    if (!status) status = s3svm_task_model_create(task, m->pointer, &prepared, &error);
    return status ? failure(status, &error) : handle_new(HANDLE_TASK_MODEL, prepared);
}

/* name, channels of maps, whether maps can be evidence for it, whether it is about colour pictures, and needs marks; names and
 * colours of the labels. */
static PyObject *task_info(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    if (!PyArg_ParseTuple(args, "O&", task_model_to_read, &h)) return NULL;
    const s3svm_task *task = s3svm_task_model_task(h->pointer);
    const s3svm_task_labels *labels = s3svm_task_model_labels(h->pointer);
    PyObject *list = PyList_New(0);
    for (size_t l = 0; list && l < labels->count; l++) {
        PyObject *pair = Py_BuildValue("sI", labels->names[l], (unsigned int)labels->colours[l]);
        if (!pair || PyList_Append(list, pair)) Py_CLEAR(list);
        Py_XDECREF(pair);
    }
    if (!list) return NULL;
    return Py_BuildValue("snOOON", task->name, (Py_ssize_t)s3svm_task_model_maps(h->pointer),
                         s3svm_task_model_evidence(h->pointer) ? Py_True : Py_False, task->colour ? Py_True : Py_False,
                         task->scribbles ? Py_True : Py_False, list);
}

/* What a model sees of one picture. */
typedef struct view {
    picture grey, colour, marks, maps;
} view;

/* A converter for "O&" into a view that is { 0 }: (grey, colour, marks, maps), each a picture or None, of one size.  Close it
 * where the call succeeded. */
static int view_in(PyObject *object, void *out)
{
    view *v = out;
    return tuple_in(object, "O&O&O&O&", plane_in, &v->grey, picture_in, &v->colour, picture_in, &v->marks, maps_in, &v->maps);
}

static void view_close(view *v)
{
    picture_close(&v->grey);
    picture_close(&v->colour);
    picture_close(&v->marks);
    picture_close(&v->maps);
}

static bool view_is_sound(const view *v)
{
    const picture *const all[] = { &v->grey, &v->colour, &v->marks, &v->maps };
    const picture *first = v->grey.pixels.held ? &v->grey : &v->colour;
    if (!first->pixels.held) {
        PyErr_SetString(PyExc_ValueError, "there is no picture");
        return false;
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]->pixels.held && (all[i]->width != first->width || all[i]->height != first->height)) {
            PyErr_SetString(PyExc_ValueError, "picture, marks and maps must be of one size");
            return false;
        }
    return true;
}

static s3svm_task_input view_input(const view *v)
{
    const picture *first = v->grey.pixels.held ? &v->grey : &v->colour;
    return (s3svm_task_input){ .width = first->width,
                               .height = first->height,
                               .grey = picture_plane(&v->grey),
                               .colour = picture_image(&v->colour),
                               .marks = picture_image(&v->marks),
                               .maps = picture_maps(&v->maps) };
}

/* Whether it has what a task needs: a ValueError if not. */
static bool view_serves(const view *v, const s3svm_task *task)
{
    const char *missing = task->colour && !v->colour.pixels.held     ? "a colour picture is needed"
                          : !task->colour && !v->grey.pixels.held    ? "a grey picture is needed"
                          : task->scribbles && !v->marks.pixels.held ? "marks are needed"
                                                                     : NULL;
    if (missing) PyErr_SetString(PyExc_ValueError, missing);
    return !missing && view_is_sound(v);
}

static PyObject *task_predict(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    view v = { 0 };
    array labels = { 0 };
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&O&O&", task_model_to_read, &h, view_in, &v, bytes_out, &labels)) return view_close(&v), NULL;
    const s3svm_task_input in = view_input(&v);
    if (view_serves(&v, s3svm_task_model_task(h->pointer)) && array_has(&labels, in.width * in.height, "labels")) {
        handle_share(h);
        PyThreadState *state = PyEval_SaveThread();
        const sos_status status = s3svm_task_model_predict(h->pointer, &in, labels.data, &error);
        PyEval_RestoreThread(state);
        handle_leave(h);
        result = outcome(status, &error);
    }
    view_close(&v);
    array_close(&labels);
    return result;
}

/* What a model sees of a picture, as an example: task model, view. */
static PyObject *task_example(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    view v = { 0 };
    sos_example *x = NULL;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&O&", task_model_to_read, &h, view_in, &v)) return view_close(&v), NULL;
    if (!view_serves(&v, s3svm_task_model_task(h->pointer))) return view_close(&v), NULL;
    const s3svm_task_input in = view_input(&v);
    handle_share(h);
    PyThreadState *state = PyEval_SaveThread();
    const sos_status status = s3svm_task_model_example(h->pointer, &in, &x, &error);
    PyEval_RestoreThread(state);
    handle_leave(h);
    view_close(&v);
    return status ? failure(status, &error) : handle_new(HANDLE_EXAMPLE, x);
}

PyMethodDef task_methods[] = {
    { "task_create", task_create, METH_VARARGS, NULL },
    { "task_info", task_info, METH_VARARGS, NULL },
    { "task_predict", task_predict, METH_VARARGS, NULL },
    { "task_example", task_example, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
