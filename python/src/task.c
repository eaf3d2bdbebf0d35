/* task.c - models of pictures: predicting (<s3svm/task.h>), what they see of a picture, and models to train. */
#include "picture.h"

#include <stdlib.h>
#include <string.h>

#include <s3svm/denoise.h>
#include <s3svm/label.h>
#include <s3svm/segment.h>
#include <s3svm/task.h>

/* ---- predicting ---- */

static PyObject *task_create(PyObject *self, PyObject *args)
{
    (void)self;
    handle *m;
    const sos_task *task;
    sos_task_model *prepared;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&", model_to_read, &m)) return NULL;
    sos_status status = sos_task_of(m->pointer, &task, &error);
    if (!status) status = sos_task_model_create(task, m->pointer, &prepared, &error);
    return status ? failure(status, &error) : handle_new(HANDLE_TASK_MODEL, prepared);
}

/* name, channels of maps, whether it is about colour pictures, and needs marks; names and colours of the labels. */
static PyObject *task_info(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    if (!PyArg_ParseTuple(args, "O&", task_model_to_read, &h)) return NULL;
    const sos_task *task = sos_task_model_task(h->pointer);
    const sos_task_labels *labels = sos_task_model_labels(h->pointer);
    PyObject *list = PyList_New(0);
    for (size_t l = 0; list && l < labels->count; l++) {
        PyObject *pair = Py_BuildValue("sI", labels->names[l], (unsigned int)labels->colours[l]);
        if (!pair || PyList_Append(list, pair)) Py_CLEAR(list);
        Py_XDECREF(pair);
    }
    if (!list) return NULL;
    return Py_BuildValue("snOON", task->name, (Py_ssize_t)sos_task_model_maps(h->pointer), task->colour ? Py_True : Py_False,
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
    return PyArg_ParseTuple(object, "O&O&O&O&", plane_in, &v->grey, picture_in, &v->colour, picture_in, &v->marks, maps_in,
                            &v->maps);
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

static sos_task_input view_input(const view *v)
{
    const picture *first = v->grey.pixels.held ? &v->grey : &v->colour;
    return (sos_task_input){ .width = first->width,
                             .height = first->height,
                             .grey = picture_plane(&v->grey),
                             .colour = picture_image(&v->colour),
                             .marks = picture_image(&v->marks),
                             .maps = picture_maps(&v->maps) };
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
    const sos_task_input in = view_input(&v);
    const bool colour = sos_task_model_task(h->pointer)->colour;
    if (view_is_sound(&v) && array_has(&labels, in.width * in.height, "labels")) {
        if (colour ? !v.colour.pixels.held : !v.grey.pixels.held) {
            PyErr_SetString(PyExc_ValueError, colour ? "a colour picture is needed" : "a grey picture is needed");
        } else if (sos_task_model_task(h->pointer)->scribbles && !v.marks.pixels.held) {
            PyErr_SetString(PyExc_ValueError, "marks are needed");
        } else {
            handle_share(h);
            PyThreadState *state = PyEval_SaveThread();
            const sos_status status = sos_task_model_predict(h->pointer, &in, labels.data, &error);
            PyEval_RestoreThread(state);
            handle_leave(h);
            result = outcome(status, &error);
        }
    }
    view_close(&v);
    array_close(&labels);
    return result;
}

/* ---- what models see ---- */

static sos_status denoise_example(const sos_model *m, const view *v, sos_example **out, sos_error *error)
{
    sos_denoise_model *p;
    const sos_plane plane = picture_plane(&v->grey);
    const sos_maps maps = picture_maps(&v->maps);
    const sos_denoise_input in = { .noisy = &plane, .maps = maps.values ? &maps : NULL };
    sos_status status = sos_denoise_model_create(m, &p, error);
    if (status) return status;
    status = sos_denoise_model_example_input(p, &in, false, out, error);
    sos_denoise_model_free(p);
    return status;
}

static sos_status segment_example(const sos_model *m, const view *v, sos_example **out, sos_error *error)
{
    sos_segment_model *p;
    const sos_image photograph = picture_image(&v->colour), marks = picture_image(&v->marks);
    const sos_maps maps = picture_maps(&v->maps);
    const sos_segment_input in = { .photograph = &photograph, .marks = &marks, .maps = maps.values ? &maps : NULL };
    sos_status status = sos_segment_model_create(m, &p, error);
    if (status) return status;
    status = sos_segment_model_example(p, &in, NULL, NULL, out, error);
    sos_segment_model_free(p);
    return status;
}

static sos_status label_example(const sos_model *m, const view *v, sos_example **out, sos_error *error)
{
    sos_label_model *p;
    const sos_image image = picture_image(&v->colour);
    const sos_maps maps = picture_maps(&v->maps);
    const sos_label_pictures pictures = {
        .count = 1, .labels = sos_model_labels(m), .pictures = &image, .maps = maps.values ? &maps : NULL
    };
    sos_status status = sos_label_model_create(m, &p, error);
    if (status) return status;
    status = sos_label_model_example(p, &pictures, 0, false, out, error);
    sos_label_model_free(p);
    return status;
}

/* A picture as an example of a model: model, name of its task, view. */
static PyObject *task_example(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    const char *task;
    view v = { 0 };
    sos_example *x = NULL;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&sO&", model_to_read, &h, &task, view_in, &v)) return view_close(&v), NULL;
    if (!view_is_sound(&v)) return view_close(&v), NULL;
    handle_share(h);
    PyThreadState *state = PyEval_SaveThread();
    const sos_status status = !strcmp(task, "denoise")   ? denoise_example(h->pointer, &v, &x, &error)
                              : !strcmp(task, "segment") ? segment_example(h->pointer, &v, &x, &error)
                                                         : label_example(h->pointer, &v, &x, &error);
    PyEval_RestoreThread(state);
    handle_leave(h);
    view_close(&v);
    return status ? failure(status, &error) : handle_new(HANDLE_EXAMPLE, x);
}

/* ---- models to train ---- */

/* Pictures with truths, and what of the library's types is made of them. */
typedef struct lesson {
    picture_list pictures, marks, truths, care, maps;
    sos_maps *map_array;
    const uint8_t **truth_array, **care_array;
    sos_model *model;
    sos_example **examples;
} lesson;

static void lesson_close(lesson *l)
{
    picture_list_close(&l->pictures);
    picture_list_close(&l->marks);
    picture_list_close(&l->truths);
    picture_list_close(&l->care);
    picture_list_close(&l->maps);
    free(l->map_array);
    free(l->truth_array);
    free(l->care_array);
    free(l->examples);
    sos_model_free(l->model);
}

static bool lists_match(const lesson *l)
{
    if (!l->pictures.count || !l->truths.count) {
        PyErr_SetString(PyExc_ValueError, "there is nothing to learn from: pictures and their truths are needed");
        return false;
    }
    const picture_list *const lists[] = { &l->marks, &l->truths, &l->care, &l->maps };
    for (size_t a = 0; a < sizeof lists / sizeof *lists; a++) {
        if (!lists[a]->count) continue;
        bool same = lists[a]->count == l->pictures.count;
        for (size_t i = 0; same && i < l->pictures.count; i++) {
            const picture *p = &l->pictures.pictures[i], *q = &lists[a]->pictures[i];
            same = q->pixels.held && p->width == q->width && p->height == q->height;
        }
        if (!same) {
            PyErr_SetString(PyExc_ValueError, "pictures, marks, truths and maps must be as many, and of the same sizes");
            return false;
        }
    }
    return true;
}

/* pictures, marks, truths, care and maps are sequences of pictures; all but the first may be empty. */
static bool lesson_open(lesson *l, PyObject *lists, bool grey)
{
    PyObject *pictures, *marks, *truths, *care, *maps;
    if (!PyArg_ParseTuple(lists, "OOOOO", &pictures, &marks, &truths, &care, &maps)) return false;
    if (!picture_list_open(&l->pictures, pictures, grey ? plane_in : picture_in) ||
        !picture_list_open(&l->marks, marks, picture_in) || !picture_list_open(&l->truths, truths, picture_in) ||
        !picture_list_open(&l->care, care, picture_in) || !picture_list_open(&l->maps, maps, maps_in) || !lists_match(l))
        return false;
    const size_t count = l->pictures.count;
    l->map_array = calloc(count + 1, sizeof *l->map_array);
    l->truth_array = calloc(count + 1, sizeof *l->truth_array);
    l->care_array = calloc(count + 1, sizeof *l->care_array);
    l->examples = calloc(count + 1, sizeof *l->examples);
    if (!l->map_array || !l->truth_array || !l->care_array || !l->examples) return PyErr_NoMemory(), false;
    for (size_t i = 0; i < l->maps.count; i++) l->map_array[i] = picture_maps(&l->maps.pictures[i]);
    for (size_t i = 0; i < l->truths.count; i++) l->truth_array[i] = l->truths.pictures[i].pixels.data;
    for (size_t i = 0; i < l->care.count; i++) l->care_array[i] = l->care.pictures[i].pixels.data;
    return true;
}

/* The number of a name among names as the headers have them, "a|b|c"; -1, with an exception: there is none. */
static int kind_of(const char *name, const char *names)
{
    const size_t length = strlen(name);
    int kind = 0;
    for (const char *at = names; at; kind++) {
        const char *end = strchr(at, '|');
        const size_t letters = end ? (size_t)(end - at) : strlen(at);
        if (letters == length && !strncmp(at, name, length)) return kind;
        at = end ? end + 1 : NULL;
    }
    PyErr_Format(PyExc_ValueError, "\"%s\" is none of %s", name, names);
    return -1;
}

/* (model, [example, ...], settings of training that serve it best: C and gap). */
static PyObject *lesson_object(lesson *l, const sos_train_settings *training)
{
    PyObject *model = handle_new(HANDLE_MODEL, l->model), *list = PyList_New(0);
    l->model = NULL;
    for (size_t i = 0; i < l->pictures.count; i++) {
        PyObject *x = handle_new(HANDLE_EXAMPLE, l->examples[i]);
        if (list && (!x || PyList_Append(list, x))) Py_CLEAR(list);
        Py_XDECREF(x);
    }
    if (model && list)
        return Py_BuildValue("NN{s:d,s:d,s:d}", model, list, "C", training->C, "gap", training->gap, "epsilon",
                             training->epsilon);
    Py_XDECREF(model);
    Py_XDECREF(list);
    return NULL;
}

typedef struct lesson_settings {
    int kind, method, maps;
    bool alone;
    size_t samples;
    uint64_t seed;
    int threads;
} lesson_settings;

static sos_status learn_maps(lesson *l, const lesson_settings *s, sos_error *error)
{
    if (!l->maps.count) return SOS_OK;
    const sos_maps_settings settings = { .kind = (sos_maps_kind)s->maps };
    return sos_maps_learn(l->model, &settings, l->maps.count, l->map_array, error);
}

static sos_status denoise_learn(lesson *l, const lesson_settings *s, watch *w, sos_train_settings *training, sos_error *error)
{
    const size_t count = l->pictures.count;
    sos_denoise_model *p = NULL;
    sos_denoise_settings settings = sos_denoise_defaults();
    sos_plane *planes = calloc(count + 1, sizeof *planes);
    if (!planes) return error->status = SOS_OK, SOS_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) planes[i] = picture_plane(&l->pictures.pictures[i]);
    settings.seed = s->seed;
    settings.threads = s->threads;
    settings.progress = watch_progress;
    settings.user = w;
    settings.alone = s->alone;
    if (s->samples) settings.samples = s->samples;
    const sos_denoise_kind kind = (sos_denoise_kind)s->kind;
    sos_status status = sos_denoise_create(kind, count, planes, l->truth_array, &settings, &l->model, error);
    if (!status) status = learn_maps(l, s, error);
    if (!status) status = sos_denoise_model_create(l->model, &p, error);
    for (size_t i = 0; !status && i < count; i++) {
        const sos_denoise_input in = { .noisy = &planes[i],
                                       .maps = l->maps.count ? &l->map_array[i] : NULL,
                                       .truth = l->truth_array[i] };
        status = sos_denoise_model_example_input(p, &in, true, &l->examples[i], error);
    }
    for (size_t i = 0; status && i < count; i++) sos_example_free(l->examples[i]);
    *training = sos_denoise_training(kind);
    sos_denoise_model_free(p);
    free(planes);
    return status;
}

static sos_status label_learn(lesson *l, const lesson_settings *s, const sos_label_names *names, watch *w,
                              sos_train_settings *training, sos_error *error)
{
    const size_t count = l->pictures.count;
    sos_label_model *p = NULL;
    sos_label_features *features = NULL;
    sos_image *images = calloc(count + 1, sizeof *images);
    if (!images) return error->status = SOS_OK, SOS_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) images[i] = picture_image(&l->pictures.pictures[i]);
    const sos_label_pictures pictures = { .count = count,
                                          .labels = names->count,
                                          .pictures = images,
                                          .truths = l->truth_array,
                                          .care = l->care.count ? l->care_array : NULL,
                                          .maps = l->maps.count ? l->map_array : NULL };
    sos_label_learning settings = sos_label_learning_defaults();
    settings.seed = s->seed;
    settings.threads = s->threads;
    settings.progress = watch_progress;
    settings.user = w;
    settings.alone = s->alone;
    const sos_label_design design = sos_label_design_of((sos_label_kind)s->kind);
    const sos_work work = { .threads = s->threads, .progress = watch_progress, .user = w };
    sos_status status = sos_label_features_learn(&pictures, &settings, &features, error);
    if (!status) status = sos_label_create(&design, features, names, &l->model, error);
    if (!status) status = learn_maps(l, s, error);
    if (!status) status = sos_label_model_create(l->model, &p, error);
    if (!status) status = sos_label_model_examples(p, &pictures, true, &work, l->examples, error);
    *training = sos_label_training();
    sos_label_model_free(p);
    sos_label_features_free(features);
    free(images);
    return status;
}

static sos_status segment_learn(lesson *l, const lesson_settings *s, watch *w, sos_train_settings *training, sos_error *error)
{
    const size_t count = l->pictures.count;
    sos_segment_model *p = NULL;
    sos_marked *marked = calloc(count + 1, sizeof *marked);
    uint8_t *all_count = NULL;
    size_t most = 1;
    for (size_t i = 0; i < count; i++)
        if (l->pictures.pictures[i].width * l->pictures.pictures[i].height > most)
            most = l->pictures.pictures[i].width * l->pictures.pictures[i].height;
    all_count = malloc(most);
    if (!marked || !all_count) return free(marked), free(all_count), error->status = SOS_OK, SOS_ERR_MEMORY;
    memset(all_count, 1, most);
    for (size_t i = 0; i < count; i++) {
        marked[i].photograph = picture_image(&l->pictures.pictures[i]);
        marked[i].marks = picture_image(&l->marks.pictures[i]);
        marked[i].truth = l->truths.pictures[i].pixels.data;
        marked[i].care = l->care.count ? l->care.pictures[i].pixels.data : all_count;
        if (l->maps.count) marked[i].maps = l->map_array[i];
    }
    sos_segment_settings settings = sos_segment_defaults();
    settings.features = (sos_segment_features)s->kind;
    settings.method = (sos_segment_method)s->method;
    settings.seed = s->seed;
    settings.work = (sos_work){ .threads = s->threads, .progress = watch_progress, .user = w };
    if (s->alone) settings.features = SOS_SEGMENT_NONE;
    if (s->samples) settings.samples = s->samples;
    sos_status status = sos_segment_create(&settings, count, marked, &l->model, error);
    if (!status) status = learn_maps(l, s, error);
    if (!status) status = sos_segment_model_create(l->model, &p, error);
    if (!status) status = sos_segment_model_examples(p, count, marked, NULL, &settings.work, l->examples, error);
    *training = sos_segment_training(settings.features, settings.method);
    sos_segment_model_free(p);
    free(marked);
    free(all_count);
    return status;
}

static bool has_marks(const lesson *l)
{
    if (!l->marks.count) PyErr_SetString(PyExc_ValueError, "marks are needed");
    return l->marks.count;
}

/* task, lists (lesson_open), kind, method or None, kind of maps, (alone, samples, seed, threads), names of labels or None,
 * callback or None. */
static PyObject *task_lesson(PyObject *self, PyObject *args)
{
    (void)self;
    const char *task, *kind, *method, *maps, *label_text;
    PyObject *lists, *callback, *result = NULL;
    int alone;
    unsigned long long seed;
    lesson_settings s = { 0 };
    sos_label_names *names = NULL;
    sos_train_settings training;
    sos_error error = { .status = SOS_OK };
    lesson l = { 0 };
    watch w;
    if (!PyArg_ParseTuple(args, "sOszs(pO&Ki)zO", &task, &lists, &kind, &method, &maps, &alone, size_in, &s.samples, &seed,
                          &s.threads, &label_text, &callback))
        return NULL;
    const bool grey = !strcmp(task, "denoise"), segment = !strcmp(task, "segment");
    s.alone = alone;
    s.seed = seed;
    s.kind = kind_of(kind, grey ? SOS_DENOISE_KINDS : segment ? SOS_SEGMENT_FEATURES_NAMES : SOS_LABEL_KINDS);
    s.method = s.kind < 0 || !segment ? 0 : kind_of(method, SOS_SEGMENT_METHOD_NAMES);
    s.maps = s.kind < 0 || s.method < 0 ? 0 : kind_of(maps, SOS_MAPS_KINDS);
    if (s.kind < 0 || s.method < 0 || s.maps < 0) return NULL;
    sos_status status = SOS_OK;
    if (!grey && !segment) {
        names = malloc(sizeof *names);
        status = names ? sos_label_names_parse(label_text ? label_text : "", names, &error) : SOS_ERR_MEMORY;
    }
    if (status) {
        failure(status, &error);
    } else if (lesson_open(&l, lists, grey) && (!segment || has_marks(&l))) {
        watch_begin(&w, callback);
        status = grey      ? denoise_learn(&l, &s, &w, &training, &error)
                 : segment ? segment_learn(&l, &s, &w, &training, &error)
                           : label_learn(&l, &s, names, &w, &training, &error);
        watch_end(&w);
        PyObject *done = watch_outcome(&w, status, &error);
        if (done) result = lesson_object(&l, &training);
        Py_XDECREF(done);
        for (size_t i = 0; !status && !done && i < l.pictures.count; i++) sos_example_free(l.examples[i]);
    }
    free(names);
    lesson_close(&l);
    return result;
}

PyMethodDef task_methods[] = {
    { "task_create", task_create, METH_VARARGS, NULL },   { "task_info", task_info, METH_VARARGS, NULL },
    { "task_predict", task_predict, METH_VARARGS, NULL }, { "task_example", task_example, METH_VARARGS, NULL },
    { "task_lesson", task_lesson, METH_VARARGS, NULL },   { NULL, NULL, 0, NULL },
};
