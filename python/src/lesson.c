/* lesson.c - lessons of all tasks: pictures and settings as the library takes them (<s3svm/task.h>). */
#include "lesson.h"

#include <stdlib.h>
#include <string.h>

#include <s3svm/adapt.h>
#include <s3svm/task.h>

#include "picture.h"

/* ---- the tasks ---- */

static PyObject *option_list(const s3svm_option options[])
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && options[i].name; i++) {
        PyObject *option = Py_BuildValue("sss", options[i].name, options[i].argument ? options[i].argument : "",
                                         options[i].help);
        if (!option || PyList_Append(list, option)) Py_CLEAR(list);
        Py_XDECREF(option);
    }
    return list;
}

/* Of each task: name, summary, the model inside or None; whether it is about colour pictures, needs marks, takes truths of an
 * object; its settings: name, values, what they say. */
static PyObject *task_rows(PyObject *self, PyObject *args)
{
    (void)self, (void)args;
    const s3svm_task *t;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && (t = s3svm_task_at(i)) != NULL; i++) {
        PyObject *row = Py_BuildValue("sszOOON", t->name, t->summary, t->model, t->colour ? Py_True : Py_False,
                                      t->scribbles ? Py_True : Py_False, t->objects ? Py_True : Py_False,
                                      option_list(t->form->options));
        if (!row || PyList_Append(list, row)) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

/* ---- settings ---- */

static const s3svm_task *task_find(const char *name)
{
    const s3svm_task *task = s3svm_task_find(name);
    if (!task) PyErr_Format(PyExc_ValueError, "there is no task \"%s\"", name);
    return task;
}

/* Sets what pairs (name, text) say; texts are borrowed. */
static bool settings_fill(const s3svm_form *form, void *settings, PyObject *pairs)
{
    sos_error error;
    const Py_ssize_t count = list_size(pairs);
    if (count < 0) return false;
    for (Py_ssize_t i = 0; i < count; i++) {
        const char *name, *text;
        if (!tuple_in(PyList_GetItem(pairs, i), "ss", &name, &text)) return false;
        const s3svm_option *option = s3svm_option_find(form->options, name);
        if (!option) return PyErr_Format(PyExc_TypeError, "there is no setting \"%s\"", name), false;
        const sos_status status = s3svm_option_set(option, settings, text, &error);
        if (status) return failure(status, &error), false;
    }
    const sos_status status = form->check ? form->check(settings, &error) : SOS_OK;
    return status ? (failure(status, &error), false) : true;
}

/* ---- pictures ---- */

/* The arrays of one picture. */
typedef struct part {
    picture grey, colour, marks, maps, labels;
} part;

/* A lesson, and what it borrows from. */
struct lesson {
    PyObject *source; /* the list of pictures, whose names are borrowed */
    size_t count;
    part *parts;
    s3svm_task_picture *pictures;
    s3svm_lesson lesson;
};

static void part_close(part *p)
{
    picture_close(&p->grey);
    picture_close(&p->colour);
    picture_close(&p->marks);
    picture_close(&p->maps);
    picture_close(&p->labels);
}

void lesson_free(lesson *l)
{
    if (!l) return;
    s3svm_lesson_free(&l->lesson);
    for (size_t i = 0; i < l->count; i++) part_close(&l->parts[i]);
    PyMem_Free(l->parts);
    PyMem_Free(l->pictures);
    Py_XDECREF(l->source);
    PyMem_Free(l);
}

/* (name, grey, colour, marks, maps, labels); all but the name and the labels may be None. */
static bool picture_take(lesson *l, PyObject *object)
{
    part *p = &l->parts[l->count];
    const char *name;
    l->count++;
    if (!tuple_in(object, "sO&O&O&O&O&", &name, plane_in, &p->grey, picture_in, &p->colour, picture_in, &p->marks, maps_in,
                  &p->maps, picture_in, &p->labels))
        return false;
    l->pictures[l->count - 1] = (s3svm_task_picture){ .name = name,
                                                      .in = { .width = p->labels.width,
                                                              .height = p->labels.height,
                                                              .grey = picture_plane(&p->grey),
                                                              .colour = picture_image(&p->colour),
                                                              .marks = picture_image(&p->marks),
                                                              .maps = picture_maps(&p->maps) },
                                                      .labels = picture_image(&p->labels) };
    return true;
}

static lesson *lesson_open(PyObject *list)
{
    lesson *l = PyMem_Calloc(1, sizeof *l);
    const Py_ssize_t count = list_size(list);
    if (l && count >= 0) {
        l->source = Py_NewRef(list);
        l->parts = PyMem_Calloc((size_t)count + 1, sizeof *l->parts);
        l->pictures = PyMem_Calloc((size_t)count + 1, sizeof *l->pictures);
    }
    bool ok = l && l->parts && l->pictures;
    if (!ok && !PyErr_Occurred()) PyErr_NoMemory();
    for (Py_ssize_t i = 0; ok && i < count; i++) ok = picture_take(l, PyList_GetItem(list, i));
    if (ok) return l;
    lesson_free(l);
    return NULL;
}

static bool folders_take(PyObject *list, s3svm_texts *out)
{
    const Py_ssize_t count = list_size(list);
    if (count < 0) return false;
    if (count > S3SVM_TEXTS_MAX) return PyErr_Format(PyExc_ValueError, "at most %d folders", S3SVM_TEXTS_MAX), false;
    for (Py_ssize_t i = 0; i < count; i++) {
        char *path = PyBytes_AsString(PyList_GetItem(list, i));
        if (!path) return false;
        out->values[out->count++] = path;
    }
    return true;
}

/* ---- making and finishing them ---- */

/* A watch that keeps lines for people. */
typedef struct listener {
    watch watch;
    PyObject *lines;
} listener;

static void line_keep(void *user, const char *line)
{
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *text = PyUnicode_DecodeUTF8(line, (Py_ssize_t)strlen(line), "replace");
    if (!text || PyList_Append(((listener *)user)->lines, text)) PyErr_Clear(); /* a line less */
    Py_XDECREF(text);
    PyGILState_Release(state);
}

static PyObject *example_list(s3svm_lesson *l)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; i < l->count; i++) {
        PyObject *x = list ? handle_new(HANDLE_EXAMPLE, l->examples[i]) : NULL;
        if (list) l->examples[i] = NULL;
        if (list && (!x || PyList_Append(list, x))) Py_CLEAR(list);
        Py_XDECREF(x);
    }
    return list;
}

/* (model, [example, ...], settings of training, lesson to finish or None, [line, ...]); the lesson is taken over. */
static PyObject *lesson_object(lesson *l, PyObject *lines)
{
    const sos_train_settings *t = &l->lesson.training;
    PyObject *examples = example_list(&l->lesson), *model = NULL, *rest = NULL;
    PyObject *training = Py_BuildValue("{s:d,s:d,s:d,s:n}", "C", t->C, "gap", t->gap, "epsilon", t->epsilon, "memory",
                                       (Py_ssize_t)t->memory);
    if (examples && training) {
        model = handle_new(HANDLE_MODEL, l->lesson.model);
        l->lesson.model = NULL;
    }
    const bool finishes = l->lesson.finish != NULL;
    if (model && finishes) {
        rest = handle_new(HANDLE_LESSON, l);
        l = NULL;
    }
    lesson_free(l);
    if (model && (rest || !finishes))
        return Py_BuildValue("NNNNO", model, examples, training, rest ? rest : Py_NewRef(Py_None), lines);
    Py_XDECREF(model);
    Py_XDECREF(examples);
    Py_XDECREF(training);
    return NULL;
}

static PyObject *lesson_make(const s3svm_task *task, const void *settings, handle *from, const s3svm_texts *folders, lesson *l,
                             int threads, PyObject *callback)
{
    listener w = { .lines = PyList_New(0) };
    const sos_work work = { .threads = threads, .progress = watch_progress, .tell = line_keep, .user = &w };
    const s3svm_lesson_data data = { .folders = *folders, .count = l->count, .pictures = l->pictures };
    sos_error error;
    PyObject *result = NULL;
    if (w.lines) {
        handle_share(from);
        watch_begin(&w.watch, callback);
        const sos_status status = s3svm_lesson_make(task, settings, from ? from->pointer : NULL, &data, NULL, &work, &l->lesson,
                                                    &error);
        watch_end(&w.watch);
        handle_leave(from);
        PyObject *done = watch_outcome(&w.watch, status, &error);
        if (done) {
            result = lesson_object(l, w.lines);
            l = NULL;
        }
        Py_XDECREF(done);
    }
    lesson_free(l);
    Py_XDECREF(w.lines);
    return result;
}

/* task, [(name of a setting, text), ...], [folder, ...], [picture, ...] (picture_take), model to learn away from or None,
 * threads, callback or None. */
static PyObject *task_lesson(PyObject *self, PyObject *args)
{
    (void)self;
    const char *name;
    PyObject *pairs, *paths, *pictures, *callback, *result = NULL;
    handle *from;
    int threads;
    if (!PyArg_ParseTuple(args, "sO!O!O!O&iO", &name, &PyList_Type, &pairs, &PyList_Type, &paths, &PyList_Type, &pictures,
                          model_or_none, &from, &threads, &callback))
        return NULL;
    const s3svm_task *task = task_find(name);
    void *settings = task ? s3svm_form_create(task->form) : NULL;
    if (task && !settings) PyErr_NoMemory();
    s3svm_texts folders = { 0 };
    if (settings && settings_fill(task->form, settings, pairs) && folders_take(paths, &folders)) {
        lesson *l = lesson_open(pictures);
        if (l) result = lesson_make(task, settings, from, &folders, l, threads, callback);
    }
    free(settings);
    return result;
}

/* ---- adapting a model ---- */

static bool adapt_watch(void *user, const s3svm_adapt_event *e)
{
    static const char *const PHASES[] = {
        [S3SVM_ADAPT_WEIGHTS] = "weights", [S3SVM_ADAPT_OUTLINES] = "outlines", [S3SVM_ADAPT_JUDGE] = "clicks"
    };
    return watch_progress(user, PHASES[e->phase], e->share);
}

/* (model, whether it is a new one, [line, ...]) */
static PyObject *lesson_adapt(const s3svm_task *task, const void *settings, handle *from, const s3svm_texts *folders,
                              const lesson *l, int threads, PyObject *callback)
{
    listener w = { .lines = PyList_New(0) };
    const s3svm_lesson_data data = { .folders = *folders, .count = l->count, .pictures = l->pictures };
    s3svm_adapt_settings s = s3svm_adapt_defaults();
    s3svm_adapt_result found;
    sos_model *m = NULL;
    sos_error error;
    if (!w.lines) return NULL;
    s.work = (sos_work){ .threads = threads, .progress = watch_progress, .tell = line_keep, .user = &w };
    s.watch = adapt_watch;
    handle_share(from);
    watch_begin(&w.watch, callback);
    const sos_status status = task->adapt(settings, from->pointer, &data, &s, &m, &found, &error);
    watch_end(&w.watch);
    handle_leave(from);
    PyObject *done = watch_outcome(&w.watch, status, &error), *result = NULL;
    if (done) {
        result = Py_BuildValue("NOO", handle_new(HANDLE_MODEL, m), found.better ? Py_True : Py_False, w.lines);
        m = NULL;
    }
    sos_model_free(m);
    Py_XDECREF(done);
    Py_DECREF(w.lines);
    return result;
}

/* As task_lesson, but with a model; None: the task does not adapt this one. */
static PyObject *task_adapt(PyObject *self, PyObject *args)
{
    (void)self;
    const char *name;
    PyObject *pairs, *paths, *pictures, *callback, *result = NULL;
    handle *from;
    int threads;
    if (!PyArg_ParseTuple(args, "sO!O!O!O&iO", &name, &PyList_Type, &pairs, &PyList_Type, &paths, &PyList_Type, &pictures,
                          model_or_none, &from, &threads, &callback))
        return NULL;
    const s3svm_task *task = task_find(name);
    void *settings = task ? s3svm_form_create(task->form) : NULL;
    if (task && !settings) PyErr_NoMemory();
    s3svm_texts folders = { 0 };
    if (settings && settings_fill(task->form, settings, pairs) && folders_take(paths, &folders)) {
        const bool adapts = from && task->adapts && task->adapts(settings, from->pointer);
        lesson *l = adapts ? lesson_open(pictures) : NULL;
        if (l) result = lesson_adapt(task, settings, from, &folders, l, threads, callback);
        if (!adapts) result = Py_NewRef(Py_None);
        lesson_free(l);
    }
    free(settings);
    return result;
}

/* lesson, model with its weights, threads, callback or None. */
static PyObject *task_finish(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h, *m;
    PyObject *callback;
    watch w;
    sos_error error;
    sos_work work = { .progress = watch_progress, .user = &w };
    if (!PyArg_ParseTuple(args, "O&O&iO", lesson_to_change, &h, model_to_change, &m, &work.threads, &callback)) return NULL;
    const s3svm_lesson *l = &((lesson *)h->pointer)->lesson;
    handle_own(h);
    handle_own(m);
    watch_begin(&w, callback);
    const sos_status status = l->finish(l->rest, m->pointer, &work, &error);
    watch_end(&w);
    handle_leave(m);
    handle_leave(h);
    return watch_outcome(&w, status, &error);
}

PyMethodDef lesson_methods[] = {
    { "task_rows", task_rows, METH_NOARGS, NULL },
    { "task_lesson", task_lesson, METH_VARARGS, NULL },
    { "task_finish", task_finish, METH_VARARGS, NULL },
    { "task_adapt", task_adapt, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
