/* segment.c - one photograph being marked (<s3svm/segmenter.h>), GrabCut, and the pictures that people want of an object. */
#include "picture.h"

#include <stdlib.h>
#include <string.h>

#include <s3svm/cutout.h>
#include <s3svm/segmenter.h>

#include "segmenter.h"

/* What a segmenter of the library borrows, and the watch of the call that is running. */
struct binding_segmenter {
    s3svm_segment_model *model; /* NULL: GrabCut */
    s3svm_image photograph;
    s3svm_maps maps;
    s3svm_segmenter *segmenter;
    watch watch;
};

void binding_segmenter_free(binding_segmenter *s)
{
    s3svm_segmenter_free(s->segmenter);
    s3svm_segment_model_free(s->model);
    s3svm_image_free(&s->photograph);
    s3svm_maps_free(&s->maps);
    free(s);
}

/* Settings as Python has them: (hard, pixels or 0, specks or 0, connected, threads, components, iterations, gamma, seed). */
static int settings_in(PyObject *object, void *out)
{
    s3svm_segmentation_settings *s = out;
    int hard, connected, threads;
    unsigned long long seed;
    *s = s3svm_segmentation_defaults();
    if (!tuple_in(object, "pO&O&piO&O&dK", &hard, size_in, &s->pixels, size_in, &s->tidying.specks, &connected, &threads,
                  size_in, &s->grabcut.components, size_in, &s->grabcut.iterations, &s->grabcut.gamma, &seed))
        return 0;
    s->hard = hard;
    s->tidying.connected = connected;
    s->work.threads = threads;
    s->grabcut.seed = seed;
    return 1;
}

/* Methods by name: (name, title, summary, name of the model inside or None), the default first. */
static PyObject *segmenter_methods(PyObject *self, PyObject *args)
{
    (void)self, (void)args;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && s3svm_segmenter_method_at(i); i++) {
        const s3svm_segmenter_method *m = s3svm_segmenter_method_at(i);
        PyObject *row = Py_BuildValue("sssz", m->name, m->title, m->summary, m->model);
        if (!row || PyList_Append(list, row)) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

static PyObject *grabcut_defaults(PyObject *self, PyObject *args)
{
    (void)self, (void)args;
    const s3svm_grabcut_settings s = s3svm_grabcut_defaults();
    return Py_BuildValue("nndK", (Py_ssize_t)s.components, (Py_ssize_t)s.iterations, s.gamma, (unsigned long long)s.seed);
}

static sos_status copy_pictures(binding_segmenter *s, const picture *photograph, const picture *maps, sos_error *error)
{
    sos_status status = s3svm_image_create(photograph->width, photograph->height, photograph->channels, &s->photograph, error);
    if (!status) memcpy(s->photograph.pixels, photograph->pixels.data, photograph->pixels.count);
    if (status || !maps->pixels.held) return status;
    status = s3svm_maps_create(maps->width, maps->height, maps->channels, &s->maps, error);
    if (!status) memcpy(s->maps.values, maps->pixels.data, maps->pixels.count * sizeof *s->maps.values);
    return status;
}

/* photograph, model or None for GrabCut, maps or None, settings, callback or None. */
static PyObject *segmenter_create(PyObject *self, PyObject *args)
{
    (void)self;
    picture photograph = { 0 }, maps = { 0 };
    PyObject *model_object, *callback, *done = NULL;
    handle *model = NULL;
    s3svm_segmentation_settings settings;
    sos_error error = { .status = SOS_OK };
    if (!PyArg_ParseTuple(args, "O&OO&O&O", picture_in, &photograph, &model_object, maps_in, &maps, settings_in, &settings,
                          &callback))
        return NULL;
    binding_segmenter *s = calloc(1, sizeof *s);
    if (!s) PyErr_NoMemory();
    if (s && (model_object == Py_None || model_to_read(model_object, &model))) {
        sos_status status = copy_pictures(s, &photograph, &maps, &error);
        if (!status && model) status = s3svm_segment_model_create(model->pointer, &s->model, &error);
        settings.maps = s->maps.values ? &s->maps : NULL;
        settings.work.progress = watch_progress;
        settings.work.user = &s->watch;
        watch_begin(&s->watch, callback);
        if (!status) status = s3svm_segmenter_create(s->model, &s->photograph, &settings, &s->segmenter, &error);
        watch_end(&s->watch);
        done = watch_outcome(&s->watch, status, &error);
    }
    picture_close(&photograph);
    picture_close(&maps);
    if (done) {
        Py_DECREF(done);
        return handle_new(HANDLE_SEGMENTER, s);
    }
    if (s) binding_segmenter_free(s);
    return NULL;
}

/* Marks of one step, as Python has them. */
typedef struct step {
    size_t count;
    s3svm_mark *marks;
    array *points;
    picture *pixels;
    s3svm_image *images;
} step;

static void step_close(step *s)
{
    for (size_t i = 0; i < s->count; i++) {
        if (s->points) array_close(&s->points[i]);
        if (s->pixels) picture_close(&s->pixels[i]);
    }
    PyMem_Free(s->marks);
    PyMem_Free(s->points);
    PyMem_Free(s->pixels);
    PyMem_Free(s->images);
}

/* A mark: (shape, label, radius, points x y side by side as float32 or None, picture or None). */
static bool step_take(step *s, size_t i, PyObject *object)
{
    int shape, label;
    float radius;
    if (!tuple_in(object, "iifO&O&", &shape, &label, &radius, floats_in, &s->points[i], picture_in, &s->pixels[i]))
        return false;
    if (label < 0 || label >= S3SVM_MARKS || shape < 0 || shape >= S3SVM_SHAPES) {
        PyErr_SetString(PyExc_ValueError, "there is no such mark");
        return false;
    }
    s->images[i] = picture_image(&s->pixels[i]);
    s->marks[i] = (s3svm_mark){ .shape = (s3svm_shape)shape,
                                .label = (uint8_t)label,
                                .radius = radius,
                                .count = s->points[i].count / 2,
                                .points = s->points[i].data,
                                .pixels = s->pixels[i].pixels.held ? &s->images[i] : NULL };
    return true;
}

static bool step_open(step *s, PyObject *marks)
{
    *s = (step){ 0 };
    const Py_ssize_t count = PySequence_Size(marks);
    if (count < 0) return false;
    s->count = (size_t)count;
    s->marks = PyMem_Calloc(s->count + 1, sizeof *s->marks);
    s->points = PyMem_Calloc(s->count + 1, sizeof *s->points);
    s->pixels = PyMem_Calloc(s->count + 1, sizeof *s->pixels);
    s->images = PyMem_Calloc(s->count + 1, sizeof *s->images);
    bool ok = s->marks && s->points && s->pixels && s->images;
    if (!ok) PyErr_NoMemory();
    for (size_t i = 0; ok && i < s->count; i++) {
        PyObject *item = PySequence_GetItem(marks, (Py_ssize_t)i);
        ok = item && step_take(s, i, item);
        Py_XDECREF(item);
    }
    if (!ok) step_close(s);
    return ok;
}

/* segmenter, marks of a step, callback or None. */
static PyObject *segmenter_mark(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    PyObject *marks, *callback;
    step s;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&OO", segmenter_to_change, &h, &marks, &callback) || !step_open(&s, marks)) return NULL;
    binding_segmenter *b = h->pointer;
    handle_own(h);
    watch_begin(&b->watch, callback);
    const sos_status status = s3svm_segmenter_mark(b->segmenter, s.count, s.marks, &error);
    watch_end(&b->watch);
    handle_leave(h);
    step_close(&s);
    return watch_outcome(&b->watch, status, &error);
}

/* segmenter: labels before the first mark are what the maps say. */
static PyObject *segmenter_propose(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&", segmenter_to_change, &h)) return NULL;
    return outcome(s3svm_segmenter_propose(((binding_segmenter *)h->pointer)->segmenter, &error), &error);
}

/* segmenter, path of a list of marks or of a file of scribbles, callback or None. */
static PyObject *segmenter_replay(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    const char *path;
    PyObject *callback;
    s3svm_dialogue *d = NULL;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&yO", segmenter_to_change, &h, &path, &callback)) return NULL;
    binding_segmenter *b = h->pointer;
    handle_own(h);
    watch_begin(&b->watch, callback);
    sos_status status = s3svm_dialogue_read_scribbles(path, &b->photograph, NULL, &d, NULL, &error);
    if (!status) status = s3svm_segmenter_replay(b->segmenter, d, SIZE_MAX, &error);
    s3svm_dialogue_free(d);
    watch_end(&b->watch);
    handle_leave(h);
    return watch_outcome(&b->watch, status, &error);
}

static PyObject *segmenter_cut(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    size_t steps;
    if (!PyArg_ParseTuple(args, "O&O&", segmenter_to_change, &h, size_in, &steps)) return NULL;
    s3svm_segmenter_cut(((binding_segmenter *)h->pointer)->segmenter, steps);
    return Py_NewRef(Py_None);
}

static PyObject *segmenter_write(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    const char *path;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&y", segmenter_to_change, &h, &path)) return NULL;
    const binding_segmenter *b = h->pointer;
    return outcome(s3svm_dialogue_write(s3svm_segmenter_dialogue(b->segmenter), path, &error), &error);
}

/* steps, labels, marks, how the last step went. */
static PyObject *segmenter_state(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    if (!PyArg_ParseTuple(args, "O&", segmenter_to_change, &h)) return NULL;
    const binding_segmenter *b = h->pointer;
    const size_t size = s3svm_image_size(&b->photograph);
    const s3svm_segmentation_result r = s3svm_segmenter_result(b->segmenter);
    const s3svm_image *marks = s3svm_segmenter_marks(b->segmenter);
    return Py_BuildValue("nNN{s:O,s:O,s:O,s:n,s:n,s:n,s:n,s:d,s:d,s:d}", (Py_ssize_t)s3svm_segmenter_steps(b->segmenter),
                         bytes_of(s3svm_segmenter_labels(b->segmenter), size), bytes_of(marks->pixels, size),
                         "background_assumed", r.background_assumed ? Py_True : Py_False, "border_assumed",
                         r.border_assumed ? Py_True : Py_False, "object_assumed", r.object_assumed ? Py_True : Py_False,
                         "reduction", (Py_ssize_t)r.reduction, "band", (Py_ssize_t)r.band, "object", (Py_ssize_t)r.object,
                         "tidied", (Py_ssize_t)r.tidied, "seconds_look", r.seconds_look, "seconds_solve", r.seconds_solve,
                         "seconds_refine", r.seconds_refine);
}

/* segmenter, callback or None: bytes of floats, (x, y, label, confidence) or None, pieces, doubt, seconds. */
static PyObject *segmenter_confidence(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    PyObject *callback;
    s3svm_confidence found;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&O", segmenter_to_change, &h, &callback)) return NULL;
    binding_segmenter *b = h->pointer;
    PyObject *values = bytes_of(NULL, s3svm_image_size(&b->photograph) * sizeof(float));
    if (!values) return NULL;
    float *confidence = (float *)(void *)PyByteArray_AsString(values);
    handle_own(h);
    watch_begin(&b->watch, callback);
    const sos_status status = s3svm_segmenter_confidence(b->segmenter, confidence, &found, &error);
    watch_end(&b->watch);
    handle_leave(h);
    PyObject *done = watch_outcome(&b->watch, status, &error);
    if (!done) {
        Py_DECREF(values);
        return NULL;
    }
    Py_DECREF(done);
    PyObject *next = found.found ? Py_BuildValue("(nnid)", (Py_ssize_t)found.next.x, (Py_ssize_t)found.next.y, (int)found.label,
                                                 found.confidence)
                                 : Py_NewRef(Py_None);
    if (!next) {
        Py_DECREF(values);
        return NULL;
    }
    return Py_BuildValue("NNndd", values, next, (Py_ssize_t)found.pieces, found.doubt, found.seconds);
}

/* ---- GrabCut ---- */

/* photograph, marks to begin with and to fill, (components, iterations, gamma, seed, threads), callback or None: (iterations,
 * converged, one sided, beta). */
static PyObject *grabcut(PyObject *self, PyObject *args)
{
    (void)self;
    picture photograph = { 0 };
    array marks = { 0 };
    int threads;
    unsigned long long seed;
    s3svm_grabcut_settings settings = s3svm_grabcut_defaults();
    s3svm_grabcut_result result;
    PyObject *callback, *done = NULL;
    sos_error error;
    watch w;
    if (!PyArg_ParseTuple(args, "O&O&(O&O&dKi)O", picture_in, &photograph, bytes_out, &marks, size_in, &settings.components,
                          size_in, &settings.iterations, &settings.gamma, &seed, &threads, &callback))
        return NULL;
    if (array_has(&marks, photograph.width * photograph.height, "marks")) {
        settings.seed = seed;
        settings.work = (sos_work){ .threads = threads, .progress = watch_progress, .user = &w };
        const s3svm_image image = picture_image(&photograph);
        s3svm_image marked = { .width = image.width, .height = image.height, .channels = 1, .pixels = marks.data };
        watch_begin(&w, callback);
        const sos_status status = s3svm_grabcut(&image, &marked, &settings, &result, &error);
        watch_end(&w);
        done = watch_outcome(&w, status, &error);
    }
    picture_close(&photograph);
    array_close(&marks);
    if (!done) return NULL;
    Py_DECREF(done);
    return Py_BuildValue("nOOd", (Py_ssize_t)result.iterations, result.converged ? Py_True : Py_False,
                         result.one_sided ? Py_True : Py_False, result.beta);
}

/* ---- pictures ---- */

/* photograph, labels, half the width of the soft edge or negative for the usual one, threads. */
static PyObject *cutout_matte(PyObject *self, PyObject *args)
{
    (void)self;
    picture photograph = { 0 };
    array labels = { 0 };
    double edge;
    int threads;
    s3svm_image out;
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&O&di", picture_in, &photograph, bytes_in, &labels, &edge, &threads)) return NULL;
    const s3svm_image image = picture_image(&photograph);
    if (array_has(&labels, s3svm_image_size(&image), "labels")) {
        if (edge < 0) edge = s3svm_cutout_edge(s3svm_image_size(&image));
        const sos_status status = s3svm_cutout_matte(&image, labels.data, edge, threads, &out, &error);
        result = status ? failure(status, &error) : image_object(&out);
    }
    picture_close(&photograph);
    array_close(&labels);
    return result;
}

/* photograph, labels, marks or None, threads. */
static PyObject *cutout_overlay(PyObject *self, PyObject *args)
{
    (void)self;
    picture photograph = { 0 }, marks = { 0 };
    array labels = { 0 };
    int threads;
    s3svm_image out;
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&O&O&i", picture_in, &photograph, bytes_in, &labels, picture_in, &marks, &threads))
        return NULL;
    const s3svm_image image = picture_image(&photograph), marked = picture_image(&marks);
    if (array_has(&labels, s3svm_image_size(&image), "labels")) {
        const sos_status status = s3svm_cutout_overlay(&image, labels.data, marks.pixels.held ? &marked : NULL, threads, &out,
                                                       &error);
        result = status ? failure(status, &error) : image_object(&out);
    }
    picture_close(&photograph);
    picture_close(&marks);
    array_close(&labels);
    return result;
}

PyMethodDef segment_methods[] = {
    { "grabcut_defaults", grabcut_defaults, METH_NOARGS, NULL },
    { "segmenter_methods", segmenter_methods, METH_NOARGS, NULL },
    { "segmenter_create", segmenter_create, METH_VARARGS, NULL },
    { "segmenter_mark", segmenter_mark, METH_VARARGS, NULL },
    { "segmenter_propose", segmenter_propose, METH_VARARGS, NULL },
    { "segmenter_replay", segmenter_replay, METH_VARARGS, NULL },
    { "segmenter_cut", segmenter_cut, METH_VARARGS, NULL },
    { "segmenter_write", segmenter_write, METH_VARARGS, NULL },
    { "segmenter_state", segmenter_state, METH_VARARGS, NULL },
    { "segmenter_confidence", segmenter_confidence, METH_VARARGS, NULL },
    { "grabcut", grabcut, METH_VARARGS, NULL },
    { "cutout_matte", cutout_matte, METH_VARARGS, NULL },
    { "cutout_overlay", cutout_overlay, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
