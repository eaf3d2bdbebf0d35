/* multi_energy.c - <sos/multi_energy.h>, <sos/expand.h> and, of <sos/format.h>, energies with several labels. */
#include "binding.h"

#include <stdlib.h>

#include <sos/expand.h>
#include <sos/format.h>
#include <sos/relax.h>

static PyObject *multi_create(PyObject *self, PyObject *args)
{
    (void)self;
    size_t n, labels;
    sos_multi_energy *e;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&O&", size_in, &n, size_in, &labels)) return NULL;
    const sos_status status = sos_multi_energy_create(n, labels, &e, &error);
    return status ? failure(status, &error) : handle_new(HANDLE_MULTI_ENERGY, e);
}

static PyObject *multi_copy(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    sos_multi_energy *copy;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&", multi_energy_to_read, &h)) return NULL;
    const sos_status status = sos_multi_energy_copy(h->pointer, &copy, &error);
    return status ? failure(status, &error) : handle_new(HANDLE_MULTI_ENERGY, copy);
}

static PyObject *multi_add_constant(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    double cost;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&d", multi_energy_to_change, &h, &cost)) return NULL;
    return outcome(sos_multi_energy_add_constant(h->pointer, cost, &error), &error);
}

static PyObject *multi_set_unaries(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    array cost = { 0 };
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&O&", multi_energy_to_change, &h, doubles_in, &cost)) return NULL;
    const size_t count = sos_multi_energy_variables(h->pointer) * sos_multi_energy_labels(h->pointer);
    if (array_has_or_none(&cost, count, "unaries"))
        result = outcome(sos_multi_energy_set_unaries(h->pointer, cost.data, &error), &error);
    array_close(&cost);
    return result;
}

static PyObject *multi_set_unary(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    size_t i;
    array cost = { 0 };
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&O&O&", multi_energy_to_change, &h, size_in, &i, doubles_in, &cost)) return NULL;
    if (array_has(&cost, sos_multi_energy_labels(h->pointer), "costs"))
        result = outcome(sos_multi_energy_set_unary(h->pointer, i, cost.data, &error), &error);
    array_close(&cost);
    return result;
}

static PyObject *multi_unaries(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    array out = { 0 };
    if (!PyArg_ParseTuple(args, "O&O&", multi_energy_to_read, &h, doubles_out, &out)) return NULL;
    const size_t n = sos_multi_energy_variables(h->pointer), labels = sos_multi_energy_labels(h->pointer);
    const bool fits = array_has(&out, n * labels, "unaries");
    double *costs = out.data;
    for (size_t i = 0; fits && i < n; i++)
        for (size_t l = 0; l < labels; l++) costs[i * labels + l] = sos_multi_energy_unary(h->pointer, i, l);
    array_close(&out);
    return fits ? Py_NewRef(Py_None) : NULL;
}

static PyObject *multi_add_tables(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    size_t k;
    array g = { 0 };
    uint32_t set;
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&O&O&", multi_energy_to_change, &h, size_in, &k, doubles_in, &g)) return NULL;
    if (k > SOS_TABLE_MEMBERS_MAX || array_has(&g, sos_multi_energy_labels(h->pointer) << k, "tables")) {
        const sos_status status = sos_multi_energy_add_tables(h->pointer, k, g.data, &set, &error);
        result = status ? failure(status, &error) : PyLong_FromUnsignedLong(set);
    }
    array_close(&g);
    return result;
}

/* The members of the tables of a set; 0, with an IndexError: there is no such set. */
static size_t members_of(const sos_multi_energy *e, unsigned int set)
{
    size_t k = 0;
    if (set < sos_multi_energy_sets(e))
        sos_multi_energy_tables(e, set, &k);
    else
        PyErr_Format(PyExc_IndexError, "there is no set of tables %u", set);
    return k;
}

static PyObject *multi_set_tables(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    unsigned int set;
    array g = { 0 };
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&IO&", multi_energy_to_change, &h, &set, doubles_in, &g)) return NULL;
    const size_t k = members_of(h->pointer, set);
    if (k && array_has(&g, sos_multi_energy_labels(h->pointer) << k, "tables"))
        result = outcome(sos_multi_energy_set_tables(h->pointer, set, g.data, &error), &error);
    array_close(&g);
    return result;
}

static PyObject *multi_tables(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    unsigned int set;
    if (!PyArg_ParseTuple(args, "O&I", multi_energy_to_read, &h, &set)) return NULL;
    size_t k = members_of(h->pointer, set);
    if (!k) return NULL;
    const double *g = sos_multi_energy_tables(h->pointer, set, &k);
    return bytes_of(g, sizeof *g * (sos_multi_energy_labels(h->pointer) << k));
}

static PyObject *multi_add_cliques(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    unsigned int set;
    size_t count;
    array variables = { 0 }, weights = { 0 };
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&IO&O&O&", multi_energy_to_change, &h, &set, size_in, &count, numbers_in, &variables,
                          doubles_in, &weights))
        return NULL;
    const size_t k = members_of(h->pointer, set);
    if (k && array_has(&variables, count * k, "variables") && array_has_or_none(&weights, count, "weights"))
        result = outcome(sos_multi_energy_add_cliques(h->pointer, set, count, variables.data, weights.data, &error), &error);
    array_close(&variables);
    array_close(&weights);
    return result;
}

static PyObject *multi_add_patches(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    unsigned int set;
    size_t size[3], patch[3], count = 1;
    array weights = { 0 };
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&I(O&O&O&)(O&O&O&)O&", multi_energy_to_change, &h, &set, size_in, &size[0], size_in, &size[1],
                          size_in, &size[2], size_in, &patch[0], size_in, &patch[1], size_in, &patch[2], doubles_in, &weights))
        return NULL;
    for (int a = 0; a < 3; a++) count *= patch[a] && size[a] >= patch[a] ? size[a] - patch[a] + 1 : 0;
    if (members_of(h->pointer, set) && array_has_or_none(&weights, count, "weights"))
        result = outcome(sos_multi_energy_add_volume_patches(h->pointer, set, size[0], size[1], size[2], patch[0], patch[1],
                                                             patch[2], weights.data, &error),
                         &error);
    array_close(&weights);
    return result;
}

static PyObject *multi_add_potts(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    size_t count;
    array variables = { 0 }, strengths = { 0 };
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&O&O&O&", multi_energy_to_change, &h, size_in, &count, numbers_in, &variables, doubles_in,
                          &strengths))
        return NULL;
    if (array_has(&variables, 2 * count, "variables") && array_has_or_none(&strengths, count, "strengths"))
        result = outcome(sos_multi_energy_add_potts(h->pointer, count, variables.data, strengths.data, &error), &error);
    array_close(&variables);
    array_close(&strengths);
    return result;
}

static PyObject *multi_set_weights(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    size_t first;
    int counts;
    array weights = { 0 };
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&O&O&p", multi_energy_to_change, &h, size_in, &first, doubles_in, &weights, &counts))
        return NULL;
    const sos_status status = counts
                                  ? sos_multi_energy_set_count_weights(h->pointer, first, weights.count, weights.data, &error)
                                  : sos_multi_energy_set_weights(h->pointer, first, weights.count, weights.data, &error);
    array_close(&weights);
    return outcome(status, &error);
}

static PyObject *multi_add_counts(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    double weight;
    array variables = { 0 }, g = { 0 };
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&O&O&d", multi_energy_to_change, &h, numbers_in, &variables, doubles_in, &g, &weight))
        return NULL;
    if (array_has(&g, sos_multi_energy_labels(h->pointer) * (variables.count + 1), "g"))
        result = outcome(sos_multi_energy_add_counts(h->pointer, variables.count, variables.data, g.data, weight, &error),
                         &error);
    array_close(&variables);
    array_close(&g);
    return result;
}

static PyObject *multi_add_pieces(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    double weight;
    array variables = { 0 }, amounts = { 0 }, place = { 0 }, value = { 0 };
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&O&O&O&O&d", multi_energy_to_change, &h, numbers_in, &variables, doubles_in, &amounts,
                          doubles_in, &place, doubles_in, &value, &weight))
        return NULL;
    if (array_has_or_none(&amounts, variables.count, "amounts") &&
        array_has(&value, sos_multi_energy_labels(h->pointer) * place.count, "values"))
        result = outcome(sos_multi_energy_add_pieces(h->pointer, variables.count, variables.data, amounts.data, place.count,
                                                     place.data, value.data, weight, &error),
                         &error);
    array_close(&variables);
    array_close(&amounts);
    array_close(&place);
    array_close(&value);
    return result;
}

/* Robust P^n; without reach P^n. */
static PyObject *multi_add_robust(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    double most, weight;
    array variables = { 0 }, agree = { 0 }, reach = { 0 };
    sos_error error;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&O&O&O&dd", multi_energy_to_change, &h, numbers_in, &variables, doubles_in, &agree,
                          doubles_in, &reach, &most, &weight))
        return NULL;
    const size_t labels = sos_multi_energy_labels(h->pointer);
    if (array_has(&agree, labels, "agree") && array_has_or_none(&reach, labels, "reach"))
        result = outcome(sos_multi_energy_add_robust(h->pointer, variables.count, variables.data, agree.data, reach.data, most,
                                                     weight, &error),
                         &error);
    array_close(&variables);
    array_close(&agree);
    array_close(&reach);
    return result;
}

static PyObject *multi_clique(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    size_t i;
    if (!PyArg_ParseTuple(args, "O&O&", multi_energy_to_read, &h, size_in, &i)) return NULL;
    if (i >= sos_multi_energy_cliques(h->pointer)) return PyErr_Format(PyExc_IndexError, "there is no clique %zu", i);
    const sos_clique c = sos_multi_energy_clique(h->pointer, i);
    return Py_BuildValue("NdI", bytes_of(c.variables, c.k * sizeof *c.variables), c.weight, (unsigned int)c.table);
}

static PyObject *multi_counts(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    if (!PyArg_ParseTuple(args, "O&", multi_energy_to_read, &h)) return NULL;
    const sos_multi_energy *e = h->pointer;
    return Py_BuildValue("{s:n,s:n,s:n,s:n,s:n,s:n,s:d}", "variables", (Py_ssize_t)sos_multi_energy_variables(e), "labels",
                         (Py_ssize_t)sos_multi_energy_labels(e), "sets", (Py_ssize_t)sos_multi_energy_sets(e), "cliques",
                         (Py_ssize_t)sos_multi_energy_cliques(e), "counts", (Py_ssize_t)sos_multi_energy_count_cliques(e),
                         "bytes", (Py_ssize_t)sos_multi_energy_bytes(e), "constant", sos_multi_energy_constant(e));
}

static PyObject *multi_value(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    array labels = { 0 };
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "O&O&", multi_energy_to_read, &h, bytes_in, &labels)) return NULL;
    if (array_has(&labels, sos_multi_energy_variables(h->pointer), "labels"))
        result = PyFloat_FromDouble(sos_multi_energy_value(h->pointer, labels.data));
    array_close(&labels);
    return result;
}

static PyObject *multi_lower_bound(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    if (!PyArg_ParseTuple(args, "O&", multi_energy_to_read, &h)) return NULL;
    return PyFloat_FromDouble(sos_multi_energy_lower_bound(h->pointer));
}

static PyObject *multi_read(PyObject *self, PyObject *args)
{
    (void)self;
    const char *path;
    sos_multi_energy *e;
    sos_error error;
    if (!PyArg_ParseTuple(args, "y", &path)) return NULL;
    const sos_status status = sos_multi_energy_read(path, SOS_FORMAT_AUTO, &e, &error);
    return status ? failure(status, &error) : handle_new(HANDLE_MULTI_ENERGY, e);
}

static PyObject *multi_parse(PyObject *self, PyObject *args)
{
    (void)self;
    const char *text, *name;
    Py_ssize_t length;
    sos_multi_energy *e;
    sos_error error;
    if (!PyArg_ParseTuple(args, "y#s", &text, &length, &name)) return NULL;
    const sos_status status = sos_multi_energy_parse(text, (size_t)length, name, SOS_FORMAT_AUTO, &e, &error);
    return status ? failure(status, &error) : handle_new(HANDLE_MULTI_ENERGY, e);
}

static PyObject *multi_write(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    const char *path;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&y", multi_energy_to_read, &h, &path)) return NULL;
    return outcome(sos_multi_energy_write(h->pointer, path, SOS_FORMAT_MULTI, &error), &error);
}

static PyObject *multi_text(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    char *text;
    size_t length;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&", multi_energy_to_read, &h)) return NULL;
    const sos_status status = sos_multi_energy_write_memory(h->pointer, SOS_FORMAT_MULTI, &text, &length, &error);
    if (status) return failure(status, &error);
    PyObject *result = PyBytes_FromStringAndSize(text, (Py_ssize_t)length);
    free(text);
    return result;
}

/* ---- expansion moves ---- */

static PyObject *result_dict(const sos_expand_result *r, bool cancelled)
{
    return Py_BuildValue("{s:d,s:d,s:d,s:d,s:d,s:O,s:O,s:O,s:K,s:K,s:K,s:K,s:K,s:n,s:d}", "energy", r->energy, "start_energy",
                         r->start_energy, "lower_bound", r->lower_bound, "factor", r->factor, "rounding", r->rounding,
                         "converged", r->converged ? Py_True : Py_False, "exact", r->exact ? Py_True : Py_False, "cancelled",
                         cancelled ? Py_True : Py_False, "sweeps", (unsigned long long)r->sweeps, "moves",
                         (unsigned long long)r->moves, "successes", (unsigned long long)r->successes, "skipped",
                         (unsigned long long)r->skipped, "variables", (unsigned long long)r->variables, "bytes",
                         (Py_ssize_t)r->bytes, "seconds", r->seconds);
}

/* energy, labels to start from and to fill, (from labels, shuffle, seed, sweeps, reduce, bits, memory limit), order or None,
 * callback or None.  What a callback that returned False has cut short says so: "cancelled". */
static PyObject *expand(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    int from_labels, shuffle, reduce, bits;
    unsigned long long seed;
    size_t sweeps, limit;
    array labels = { 0 }, order = { 0 };
    PyObject *callback, *done = NULL;
    sos_expand_result result;
    sos_error error;
    watch w;
    if (!PyArg_ParseTuple(args, "O&O&(ppKO&piO&)O&O", multi_energy_to_read, &h, bytes_out, &labels, &from_labels, &shuffle,
                          &seed, size_in, &sweeps, &reduce, &bits, size_in, &limit, bytes_in, &order, &callback))
        return NULL;
    sos_status status = SOS_OK;
    if (array_has(&labels, sos_multi_energy_variables(h->pointer), "labels") &&
        array_has_or_none(&order, sos_multi_energy_labels(h->pointer), "order")) {
        sos_expand_settings s = sos_expand_defaults();
        s.start = from_labels ? SOS_EXPAND_LABELS : SOS_EXPAND_UNARIES;
        s.order = order.data;
        s.shuffle = shuffle;
        s.seed = seed;
        s.sweeps = sweeps;
        s.reduce = reduce;
        s.bits = bits;
        s.memory_limit = limit;
        s.work.progress = watch_progress;
        s.work.user = &w;
        handle_share(h);
        watch_begin(&w, callback);
        status = sos_expand(h->pointer, &s, labels.data, &result, &error);
        watch_end(&w);
        handle_leave(h);
        done = watch_outcome(&w, status == SOS_CANCELLED ? SOS_OK : status, &error);
    }
    array_close(&labels);
    array_close(&order);
    if (!done) return NULL;
    Py_DECREF(done);
    return result_dict(&result, status == SOS_CANCELLED);
}

/* energy, labels to start from and to fill, (rounds, gap, threads), callback or None */
static PyObject *relax(PyObject *self, PyObject *args)
{
    (void)self;
    handle *h;
    array labels = { 0 };
    PyObject *callback, *done = NULL;
    sos_relax_settings s = sos_relax_defaults();
    sos_relax_result r;
    sos_error error;
    watch w;
    if (!PyArg_ParseTuple(args, "O&O&(O&di)O", multi_energy_to_read, &h, bytes_out, &labels, size_in, &s.rounds, &s.gap,
                          &s.work.threads, &callback))
        return NULL;
    sos_status status = SOS_OK;
    if (array_has(&labels, sos_multi_energy_variables(h->pointer), "labels")) {
        s.work.progress = watch_progress;
        s.work.user = &w;
        handle_share(h);
        watch_begin(&w, callback);
        status = sos_relax(h->pointer, &s, labels.data, &r, &error);
        watch_end(&w);
        handle_leave(h);
        done = watch_outcome(&w, status == SOS_CANCELLED ? SOS_OK : status, &error);
    }
    array_close(&labels);
    if (!done) return NULL;
    Py_DECREF(done);
    return Py_BuildValue("{s:d,s:d,s:O,s:n,s:n,s:d,s:O}", "energy", r.energy, "lower_bound", r.lower_bound, "exact",
                         r.exact ? Py_True : Py_False, "rounds", (Py_ssize_t)r.rounds, "bytes", (Py_ssize_t)r.bytes, "seconds",
                         r.seconds, "cancelled", status == SOS_CANCELLED ? Py_True : Py_False);
}

PyMethodDef multi_energy_methods[] = {
    { "multi_create", multi_create, METH_VARARGS, NULL },
    { "multi_copy", multi_copy, METH_VARARGS, NULL },
    { "multi_add_constant", multi_add_constant, METH_VARARGS, NULL },
    { "multi_set_unaries", multi_set_unaries, METH_VARARGS, NULL },
    { "multi_set_unary", multi_set_unary, METH_VARARGS, NULL },
    { "multi_unaries", multi_unaries, METH_VARARGS, NULL },
    { "multi_add_tables", multi_add_tables, METH_VARARGS, NULL },
    { "multi_set_tables", multi_set_tables, METH_VARARGS, NULL },
    { "multi_tables", multi_tables, METH_VARARGS, NULL },
    { "multi_add_cliques", multi_add_cliques, METH_VARARGS, NULL },
    { "multi_add_patches", multi_add_patches, METH_VARARGS, NULL },
    { "multi_add_potts", multi_add_potts, METH_VARARGS, NULL },
    { "multi_set_weights", multi_set_weights, METH_VARARGS, NULL },
    { "multi_add_counts", multi_add_counts, METH_VARARGS, NULL },
    { "multi_add_pieces", multi_add_pieces, METH_VARARGS, NULL },
    { "multi_add_robust", multi_add_robust, METH_VARARGS, NULL },
    { "multi_clique", multi_clique, METH_VARARGS, NULL },
    { "multi_counts", multi_counts, METH_VARARGS, NULL },
    { "multi_value", multi_value, METH_VARARGS, NULL },
    { "multi_lower_bound", multi_lower_bound, METH_VARARGS, NULL },
    { "multi_read", multi_read, METH_VARARGS, NULL },
    { "multi_parse", multi_parse, METH_VARARGS, NULL },
    { "multi_write", multi_write, METH_VARARGS, NULL },
    { "multi_text", multi_text, METH_VARARGS, NULL },
    { "expand", expand, METH_VARARGS, NULL },
    { "relax", relax, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
