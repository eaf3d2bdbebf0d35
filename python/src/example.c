/* example.c - the examples of <sos/model.h>, and problem files (<sos/problem.h>).
 *
 * How many numbers a call needs depends on the groups, which the model knows: calls take both, and the example must have been
 * made for the model. */
#include "binding.h"

#include <stdlib.h>

#include <sos/problem.h>

/* An example to change, its model, and one of the groups. */
typedef struct place {
    handle *example, *model;
    unsigned int number;
    const sos_group *group;
} place;

static bool fits(const handle *example, const handle *model)
{
    if (sos_example_fits(example->pointer, model->pointer)) return true;
    PyErr_SetString(PyExc_ValueError, "the problem was made for other groups than the model has");
    return false;
}

/* A converter for "O&" of (example, model, group). */
static int place_in(PyObject *object, void *out)
{
    place *p = out;
    if (!tuple_in(object, "O&O&I", example_to_change, &p->example, model_to_read, &p->model, &p->number)) return 0;
    if (!fits(p->example, p->model)) return 0;
    if (p->number >= sos_model_groups(p->model->pointer)) {
        PyErr_Format(PyExc_IndexError, "there is no group %u", p->number);
        return 0;
    }
    p->group = sos_model_group(p->model->pointer, p->number);
    return 1;
}

/* Numbers phi of a clique, pair or region. */
static size_t phis(const place *p)
{
    if (p->group->kind == SOS_GROUP_NONNEGATIVE) return p->group->size;
    return p->group->strengths ? p->group->strengths : 1;
}

static bool is_kind(const place *p, sos_group_kind kind, const char *what)
{
    if (p->group->kind == kind) return true;
    PyErr_Format(PyExc_ValueError, "group \"%s\" is of another kind: it has no %s", p->group->name, what);
    return false;
}

static PyObject *example_create(PyObject *self, PyObject *args)
{
    (void)self;
    handle *m;
    size_t n;
    sos_example *x;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&O&", model_to_read, &m, size_in, &n)) return NULL;
    const sos_status status = sos_example_create(m->pointer, n, &x, &error);
    return status ? failure(status, &error) : handle_new(HANDLE_EXAMPLE, x);
}

static PyObject *example_fits(PyObject *self, PyObject *args)
{
    (void)self;
    handle *x, *m;
    if (!PyArg_ParseTuple(args, "O&O&", example_to_read, &x, model_to_read, &m)) return NULL;
    return PyBool_FromLong(sos_example_fits(x->pointer, m->pointer));
}

static bool starts_are_sound(const array *start, size_t lists, size_t entries)
{
    if (!array_has(start, lists + 1, "starts")) return false;
    const size_t *s = start->data;
    bool sound = s[0] == 0 && s[lists] == entries;
    for (size_t i = 0; i < lists; i++) sound = sound && s[i] <= s[i + 1];
    if (!sound) PyErr_SetString(PyExc_ValueError, "lists must begin at 0, lie behind each other, and end where the entries do");
    return sound;
}

static PyObject *example_set_features(PyObject *self, PyObject *args)
{
    (void)self;
    place p;
    array start = { 0 }, index = { 0 }, value = { 0 };
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&O&O&O&", place_in, &p, sizes_in, &start, numbers_in, &index, doubles_in, &value))
        return NULL;
    if (is_kind(&p, SOS_GROUP_FREE, "features") &&
        starts_are_sound(&start, sos_example_variables(p.example->pointer), index.count) &&
        array_has_or_none(&value, index.count, "values"))
        result = outcome(sos_example_set_features(p.example->pointer, p.number, start.data, index.data, value.data, &error),
                         &error);
    array_close(&start);
    array_close(&index);
    array_close(&value);
    return result;
}

static PyObject *example_set_costs(PyObject *self, PyObject *args)
{
    (void)self;
    place p;
    array cost = { 0 };
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&O&", place_in, &p, doubles_in, &cost)) return NULL;
    const size_t count = sos_example_variables(p.example->pointer) * sos_model_labels(p.model->pointer) * p.group->size;
    if (is_kind(&p, SOS_GROUP_NONNEGATIVE, "costs") && array_has(&cost, count, "costs"))
        result = outcome(sos_example_set_costs(p.example->pointer, p.number, cost.data, &error), &error);
    array_close(&cost);
    return result;
}

/* Pairs of a nonnegative group, or cliques of a table group: place, count, variables, phi or None. */
static PyObject *example_add_cliques(PyObject *self, PyObject *args)
{
    (void)self;
    place p;
    size_t count;
    array variables = { 0 }, phi = { 0 };
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&O&O&O&", place_in, &p, size_in, &count, numbers_in, &variables, doubles_in, &phi))
        return NULL;
    const bool pairs = p.group->kind == SOS_GROUP_NONNEGATIVE;
    if ((pairs || is_kind(&p, SOS_GROUP_TABLE, "cliques")) &&
        array_has(&variables, count * (pairs ? 2 : p.group->size), "variables") &&
        array_has_or_none(&phi, count * phis(&p), "phi")) {
        sos_example *x = p.example->pointer;
        const sos_status status = pairs ? sos_example_add_pairs(x, p.number, count, variables.data, phi.data, &error)
                                        : sos_example_add_cliques(x, p.number, count, variables.data, phi.data, &error);
        result = outcome(status, &error);
    }
    array_close(&variables);
    array_close(&phi);
    return result;
}

/* Regions of a nonnegative group, or cliques of a count group: place, starts, variables, reach, amounts or None, phi or None.
 */
static PyObject *example_add_regions(PyObject *self, PyObject *args)
{
    (void)self;
    place p;
    double reach;
    array start = { 0 }, variables = { 0 }, amounts = { 0 }, phi = { 0 };
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&O&O&dO&O&", place_in, &p, sizes_in, &start, numbers_in, &variables, &reach, doubles_in,
                          &amounts, doubles_in, &phi))
        return NULL;
    const bool regions = p.group->kind == SOS_GROUP_NONNEGATIVE;
    const size_t count = start.count ? start.count - 1 : 0;
    if ((regions || is_kind(&p, SOS_GROUP_COUNT, "regions")) && starts_are_sound(&start, count, variables.count) &&
        array_has_or_none(&amounts, variables.count, "amounts") && array_has_or_none(&phi, count * phis(&p), "phi")) {
        sos_example *x = p.example->pointer;
        const sos_status status = regions ? sos_example_add_regions(x, p.number, count, start.data, variables.data, reach,
                                                                    phi.data, &error)
                                          : sos_example_add_counts(x, p.number, count, start.data, variables.data, amounts.data,
                                                                   phi.data, &error);
        result = outcome(status, &error);
    }
    array_close(&start);
    array_close(&variables);
    array_close(&amounts);
    array_close(&phi);
    return result;
}

static PyObject *example_set_scale(PyObject *self, PyObject *args)
{
    (void)self;
    handle *x;
    double scale;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&d", example_to_change, &x, &scale)) return NULL;
    return outcome(sos_example_set_scale(x->pointer, scale, &error), &error);
}

static PyObject *example_set_truth(PyObject *self, PyObject *args)
{
    (void)self;
    handle *x;
    array labels = { 0 }, care = { 0 };
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&O&O&", example_to_change, &x, bytes_in, &labels, bytes_in, &care)) return NULL;
    const size_t n = sos_example_variables(x->pointer);
    if (array_has(&labels, n, "labels") && array_has_or_none(&care, n, "care"))
        result = outcome(sos_example_set_truth(x->pointer, labels.data, care.data, &error), &error);
    array_close(&labels);
    array_close(&care);
    return result;
}

static PyObject *example_fix_all(PyObject *self, PyObject *args)
{
    (void)self;
    handle *x;
    array labels = { 0 };
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&O&", example_to_change, &x, bytes_in, &labels)) return NULL;
    if (array_has_or_none(&labels, sos_example_variables(x->pointer), "labels"))
        result = outcome(sos_example_fix_all(x->pointer, labels.data, &error), &error);
    array_close(&labels);
    return result;
}

/* What errors cost, by the true label, or in full: example, model, weights or losses, whether in full. */
static PyObject *example_set_loss(PyObject *self, PyObject *args)
{
    (void)self;
    handle *x, *m;
    array loss = { 0 };
    int full;
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&O&O&p", example_to_change, &x, model_to_read, &m, doubles_in, &loss, &full)) return NULL;
    const size_t labels = sos_model_labels(m->pointer);
    if (fits(x, m) && array_has(&loss, full ? sos_example_variables(x->pointer) * labels : labels, "losses")) {
        const sos_status status = full ? sos_example_set_loss(x->pointer, loss.data, &error)
                                       : sos_example_set_class_loss(x->pointer, loss.data, &error);
        result = outcome(status, &error);
    }
    array_close(&loss);
    return result;
}

static PyObject *example_add_clique_loss(PyObject *self, PyObject *args)
{
    (void)self;
    handle *x;
    array variables = { 0 }, delta = { 0 };
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&O&O&", example_to_change, &x, numbers_in, &variables, doubles_in, &delta)) return NULL;
    const size_t k = variables.count;
    if (k > SOS_TABLE_MEMBERS_MAX || array_has(&delta, (size_t)1 << k, "delta"))
        result = outcome(sos_example_add_clique_loss(x->pointer, k, variables.data, delta.data, &error), &error);
    array_close(&variables);
    array_close(&delta);
    return result;
}

static PyObject *bytes_or_none(const void *data, size_t bytes) { return data ? bytes_of(data, bytes) : Py_NewRef(Py_None); }

/* Variables, bytes, scale, truth or None, care or None, parts. */
static PyObject *example_info(PyObject *self, PyObject *args)
{
    (void)self;
    handle *x;
    if (!PyArg_ParseTuple(args, "O&", example_to_read, &x)) return NULL;
    const size_t n = sos_example_variables(x->pointer);
    return Py_BuildValue("nndNNn", (Py_ssize_t)n, (Py_ssize_t)sos_example_bytes(x->pointer), sos_example_scale(x->pointer),
                         bytes_or_none(sos_example_truth(x->pointer), n), bytes_or_none(sos_example_care(x->pointer), n),
                         (Py_ssize_t)sos_example_parts(x->pointer));
}

static PyObject *example_fixed(PyObject *self, PyObject *args)
{
    (void)self;
    handle *x;
    array out = { 0 };
    if (!PyArg_ParseTuple(args, "O&O&", example_to_read, &x, bytes_out, &out)) return NULL;
    const size_t n = sos_example_variables(x->pointer);
    const bool sound = array_has(&out, n, "labels");
    uint8_t *labels = out.data;
    for (size_t i = 0; sound && i < n; i++) labels[i] = (uint8_t)sos_example_fixed(x->pointer, i);
    array_close(&out);
    return sound ? Py_NewRef(Py_None) : NULL;
}

/* Features of a free group: (start, index, value or None), or None; costs of a nonnegative one, or None. */
static PyObject *example_features(PyObject *self, PyObject *args)
{
    (void)self;
    place p;
    if (!PyArg_ParseTuple(args, "O&", place_in, &p)) return NULL;
    const size_t n = sos_example_variables(p.example->pointer);
    if (p.group->kind == SOS_GROUP_NONNEGATIVE)
        return bytes_or_none(sos_example_costs(p.example->pointer, p.number),
                             n * sos_model_labels(p.model->pointer) * p.group->size * sizeof(double));
    if (!is_kind(&p, SOS_GROUP_FREE, "features")) return NULL;
    const sos_feature_list f = sos_example_features(p.example->pointer, p.number);
    if (!f.start) return Py_NewRef(Py_None);
    const size_t entries = f.start[n];
    return Py_BuildValue("NNN", bytes_of(f.start, (n + 1) * sizeof *f.start), bytes_of(f.index, entries * sizeof *f.index),
                         bytes_or_none(f.value, entries * sizeof *f.value));
}

/* kind, group, variables, phi or delta or None, reach of a region or strength of a clique. */
static PyObject *example_part(PyObject *self, PyObject *args)
{
    (void)self;
    handle *x, *m;
    size_t i;
    if (!PyArg_ParseTuple(args, "O&O&O&", example_to_read, &x, model_to_read, &m, size_in, &i) || !fits(x, m)) return NULL;
    if (i >= sos_example_parts(x->pointer)) return PyErr_Format(PyExc_IndexError, "there is no part %zu", i);
    const sos_part p = sos_example_part(x->pointer, i);
    size_t count = p.kind == SOS_PART_LOSS ? (size_t)1 << p.k : 1;
    if (p.kind != SOS_PART_LOSS && p.kind != SOS_PART_CLIQUE) {
        const sos_group *g = sos_model_group(m->pointer, p.group);
        count = g->kind == SOS_GROUP_NONNEGATIVE ? g->size : g->strengths ? g->strengths : 1;
    }
    const double *numbers = p.kind == SOS_PART_LOSS ? p.as.delta : p.phi;
    const size_t which = p.kind == SOS_PART_REGION ? p.as.reach : p.kind == SOS_PART_CLIQUE ? p.as.strength : 0;
    return Py_BuildValue("iINNn", (int)p.kind, p.kind == SOS_PART_LOSS ? 0U : (unsigned int)p.group,
                         bytes_of(p.variables, p.k * sizeof *p.variables), bytes_or_none(numbers, count * sizeof *numbers),
                         (Py_ssize_t)which);
}

static bool labels_are_sound(const array *labels, const handle *x, size_t count)
{
    if (!array_has(labels, sos_example_variables(x->pointer), "labels")) return false;
    const uint8_t *y = labels->data;
    for (size_t i = 0; i < labels->count; i++)
        if (y[i] >= count) {
            PyErr_Format(PyExc_ValueError, "variable %zu has label %d, but there are %zu", i, (int)y[i], count);
            return false;
        }
    return true;
}

static PyObject *example_loss(PyObject *self, PyObject *args)
{
    (void)self;
    handle *x, *m;
    array labels = { 0 };
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&O&O&", example_to_read, &x, model_to_read, &m, bytes_in, &labels)) return NULL;
    if (fits(x, m) && labels_are_sound(&labels, x, sos_model_labels(m->pointer)))
        result = PyFloat_FromDouble(sos_example_loss(x->pointer, labels.data));
    array_close(&labels);
    return result;
}

static PyObject *example_psi(PyObject *self, PyObject *args)
{
    (void)self;
    handle *x, *m;
    array labels = { 0 }, psi = { 0 };
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&O&O&O&", example_to_read, &x, model_to_read, &m, bytes_in, &labels, doubles_out, &psi))
        return NULL;
    if (fits(x, m) && labels_are_sound(&labels, x, sos_model_labels(m->pointer)) &&
        array_has(&psi, sos_model_weight_count(m->pointer), "psi")) {
        sos_example_psi(x->pointer, labels.data, psi.data);
        result = Py_NewRef(Py_None);
    }
    array_close(&labels);
    array_close(&psi);
    return result;
}

/* model, example, whether the loss counts, labels to fill, callback or None: (energy, lower bound). */
static PyObject *example_minimize(PyObject *self, PyObject *args)
{
    (void)self;
    handle *x, *m;
    int augmented;
    array labels = { 0 };
    PyObject *callback, *done = NULL;
    sos_minimize_settings settings = sos_minimize_defaults();
    sos_minimize_result result;
    sos_error error;
    watch w;
    if (!PyArg_ParseTuple(args, "O&O&pO&O", model_to_read, &m, example_to_change, &x, &augmented, bytes_out, &labels,
                          &callback))
        return NULL;
    if (fits(x, m) && array_has(&labels, sos_example_variables(x->pointer), "labels")) {
        settings.work.progress = watch_progress;
        settings.work.user = &w;
        handle_share(m);
        handle_own(x);
        watch_begin(&w, callback);
        const sos_status status = sos_example_minimize(x->pointer, sos_model_weights(m->pointer), augmented, &settings,
                                                       labels.data, &result, &error);
        watch_end(&w);
        handle_leave(m);
        handle_leave(x);
        done = watch_outcome(&w, status, &error);
    }
    array_close(&labels);
    if (!done) return NULL;
    Py_DECREF(done);
    return Py_BuildValue("dd", result.energy, result.lower_bound);
}

/* A copy of the energy that example_minimize minimises, which is to be multiplied by the scale. */
static PyObject *example_energy(PyObject *self, PyObject *args)
{
    (void)self;
    handle *x, *m;
    int augmented;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&O&p", model_to_read, &m, example_to_change, &x, &augmented) || !fits(x, m)) return NULL;
    const double *w = sos_model_weights(m->pointer);
    const sos_energy *two;
    const sos_multi_energy *several;
    sos_energy *copy;
    sos_multi_energy *multi_copy;
    if (sos_model_labels(m->pointer) == 2) {
        sos_status status = sos_example_energy(x->pointer, w, augmented, &two, &error);
        if (!status) status = sos_energy_copy(two, &copy, &error);
        return status ? failure(status, &error) : handle_new(HANDLE_ENERGY, copy);
    }
    sos_status status = sos_example_multi_energy(x->pointer, w, augmented, &several, &error);
    if (!status) status = sos_multi_energy_copy(several, &multi_copy, &error);
    return status ? failure(status, &error) : handle_new(HANDLE_MULTI_ENERGY, multi_copy);
}

/* ---- problem files ---- */

/* (model, [example, ...]), of a model that is the caller's now, and of an array of examples whose objects are. */
static PyObject *problem_object(sos_model *model, size_t count, sos_example **examples)
{
    PyObject *owner = handle_new(HANDLE_MODEL, model), *list = owner ? PyList_New(0) : NULL;
    size_t taken = 0;
    while (list && taken < count) {
        PyObject *x = handle_new(HANDLE_EXAMPLE, examples[taken]);
        examples[taken++] = NULL; /* freed even where that failed */
        if (!x || PyList_Append(list, x)) Py_CLEAR(list);
        Py_XDECREF(x);
    }
    sos_problem_free(count, examples);
    if (list) return Py_BuildValue("NN", owner, list);
    Py_XDECREF(owner);
    return NULL;
}

static PyObject *problem_read(PyObject *self, PyObject *args)
{
    (void)self;
    const char *path;
    sos_model *model;
    size_t count;
    sos_example **examples;
    sos_error error;
    if (!PyArg_ParseTuple(args, "y", &path)) return NULL;
    const sos_status status = sos_problem_read(path, NULL, &model, &count, &examples, &error);
    return status ? failure(status, &error) : problem_object(model, count, examples);
}

static PyObject *problem_parse(PyObject *self, PyObject *args)
{
    (void)self;
    const char *text, *name;
    Py_ssize_t length;
    sos_model *model;
    size_t count;
    sos_example **examples;
    sos_error error;
    if (!PyArg_ParseTuple(args, "y#s", &text, &length, &name)) return NULL;
    const sos_status status = sos_problem_parse(text, (size_t)length, name, NULL, &model, &count, &examples, &error);
    return status ? failure(status, &error) : problem_object(model, count, examples);
}

/* The bytes of a problem file: model, examples. */
static PyObject *problem_text(PyObject *self, PyObject *args)
{
    (void)self;
    handle *m;
    PyObject *sequence;
    handle_list list;
    char *text;
    size_t length;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&O", model_to_read, &m, &sequence) ||
        !handle_list_open(&list, sequence, HANDLE_EXAMPLE, false))
        return NULL;
    const sos_status status = sos_problem_write_memory(m->pointer, list.count, (sos_example *const *)list.pointers, &text,
                                                       &length, &error);
    handle_list_close(&list);
    if (status) return failure(status, &error);
    PyObject *result = PyBytes_FromStringAndSize(text, (Py_ssize_t)length);
    free(text);
    return result;
}

PyMethodDef example_methods[] = {
    { "example_create", example_create, METH_VARARGS, NULL },
    { "example_fits", example_fits, METH_VARARGS, NULL },
    { "example_set_features", example_set_features, METH_VARARGS, NULL },
    { "example_set_costs", example_set_costs, METH_VARARGS, NULL },
    { "example_add_cliques", example_add_cliques, METH_VARARGS, NULL },
    { "example_add_regions", example_add_regions, METH_VARARGS, NULL },
    { "example_set_scale", example_set_scale, METH_VARARGS, NULL },
    { "example_set_truth", example_set_truth, METH_VARARGS, NULL },
    { "example_fix_all", example_fix_all, METH_VARARGS, NULL },
    { "example_set_loss", example_set_loss, METH_VARARGS, NULL },
    { "example_add_clique_loss", example_add_clique_loss, METH_VARARGS, NULL },
    { "example_info", example_info, METH_VARARGS, NULL },
    { "example_fixed", example_fixed, METH_VARARGS, NULL },
    { "example_features", example_features, METH_VARARGS, NULL },
    { "example_part", example_part, METH_VARARGS, NULL },
    { "example_loss", example_loss, METH_VARARGS, NULL },
    { "example_psi", example_psi, METH_VARARGS, NULL },
    { "example_minimize", example_minimize, METH_VARARGS, NULL },
    { "example_energy", example_energy, METH_VARARGS, NULL },
    { "problem_read", problem_read, METH_VARARGS, NULL },
    { "problem_parse", problem_parse, METH_VARARGS, NULL },
    { "problem_text", problem_text, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
