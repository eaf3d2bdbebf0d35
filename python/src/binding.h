/* binding.h - what all files of the extension module share: objects of the library as Python objects, arrays, failures, and
 * callbacks into Python.
 *
 * The module sees arrays by the buffer protocol alone, and Python by its stable interface (from 3.11 on), so that one module
 * serves every later Python and every NumPy.  It is private: the Python files beside it check shapes and convert types first,
 * and nothing here trusts them with the length of an array. */
#ifndef S3SVM_BINDING_H
#define S3SVM_BINDING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <sos/sos.h>

/* ---- objects of the library ---- */

typedef enum handle_kind {
    HANDLE_ENERGY,
    HANDLE_MINIMIZER,
    HANDLE_MULTI_ENERGY,
    HANDLE_MODEL,
    HANDLE_EXAMPLE,
    HANDLE_TASK_MODEL,
    HANDLE_SEGMENTER,
    HANDLE_LESSON,
    HANDLE_HINGE,
    HANDLE_KINDS
} handle_kind;

/* Calls that run without the interpreter's lock have marked what they use, so that another thread that would change it meets an
 * exception, not memory that is being read.  All of it is looked at with the lock held. */
typedef struct handle {
    void *pointer;
    long users; /* how many calls read it; HANDLE_OWNED: one call may change it */
} handle;

enum { HANDLE_OWNED = -1 };

/* A Python object that owns pointer, of the library's type of this kind; NULL, and pointer freed, on failure. */
PyObject *handle_new(handle_kind kind, void *pointer);

/* Converters for "O&" of PyArg_ParseTuple into a handle *: an object to look at, or to change, while the lock is held. */
int energy_to_read(PyObject *object, void *out);
int energy_to_change(PyObject *object, void *out);
int minimizer_to_change(PyObject *object, void *out); /* None: NULL */
int multi_energy_to_read(PyObject *object, void *out);
int multi_energy_to_change(PyObject *object, void *out);
int model_to_read(PyObject *object, void *out);
int model_to_change(PyObject *object, void *out);
int model_or_none(PyObject *object, void *out); /* to look at; None: NULL */
int example_to_read(PyObject *object, void *out);
int example_to_change(PyObject *object, void *out);
int task_model_to_read(PyObject *object, void *out);
int segmenter_to_change(PyObject *object, void *out);
int lesson_to_change(PyObject *object, void *out);
int hinge_to_read(PyObject *object, void *out);
int hinge_to_change(PyObject *object, void *out);

/* Marks for calls without the lock.  NULL is fine. */
void handle_share(handle *h);
void handle_own(handle *h);
void handle_leave(handle *h);

/* Those of a sequence: count pointers and handles, which keep the sequence alive. */
typedef struct handle_list {
    PyObject *sequence; /* owned */
    size_t count;
    handle **handles;
    void **pointers;
} handle_list;

/* owned: calls will change the objects, so that none may stand in the sequence twice. */
bool handle_list_open(handle_list *list, PyObject *sequence, handle_kind kind, bool owned);
void handle_list_close(handle_list *list); /* leaves it empty; an empty one is fine */

/* ---- arrays ---- */

typedef struct array {
    Py_buffer view;
    bool held;
    void *data; /* NULL: None was given */
    size_t count;
} array;

/* Converters for "O&" into an array that is { 0 }: contiguous, of this type; None is an array without data.  Those that are
 * written to must be writable. */
int doubles_in(PyObject *object, void *out);
int floats_in(PyObject *object, void *out);
int numbers_in(PyObject *object, void *out); /* uint32 */
int sizes_in(PyObject *object, void *out);   /* uint64 */
int bytes_in(PyObject *object, void *out);   /* uint8 */
int bytes_out(PyObject *object, void *out);
int doubles_out(PyObject *object, void *out);

void array_close(array *a);

/* Whether the array has so many entries, or, if it may be missing, none: a ValueError with its name if not. */
bool array_has(const array *a, size_t count, const char *name);
bool array_has_or_none(const array *a, size_t count, const char *name);

/* Arrays for Python: bytearray objects that NumPy wraps. */
PyObject *bytes_of(const void *data, size_t bytes);

/* A converter for "O&" into a size_t: a number that is not negative. */
int size_in(PyObject *object, void *out);

/* PyArg_ParseTuple of an argument, which may be anything: a TypeError where it is no tuple. */
int tuple_in(PyObject *object, const char *format, ...);

/* How long a list is, which may be anything: -1 and a TypeError where it is none. */
Py_ssize_t list_size(PyObject *object);

/* ---- failures ---- */

/* None, or NULL with the exception of the status. */
PyObject *outcome(sos_status status, const sos_error *error);
PyObject *failure(sos_status status, const sos_error *error); /* NULL always */

/* ---- calls that take long ---- */

/* Watches a call that runs without the lock: passes progress on to a callable, if there is one, and looks for signals, so that
 * Ctrl-C stops the call. */
typedef struct watch {
    PyObject *callback; /* borrowed; NULL: there is none */
    PyThreadState *state;
    _Atomic double next;                /* on the clock: when to look again */
    PyObject *type, *value, *traceback; /* an exception of the callback or a signal */
} watch;

void watch_begin(watch *w, PyObject *callback); /* releases the lock; callback may be None */
void watch_end(watch *w);                       /* takes it again */

/* A sos_progress, for user = the watch. */
bool watch_progress(void *user, const char *phase, double done);

/* Whether it is time to look, and what is to be looked at with the lock held: false stops the work. */
bool watch_due(watch *w);
bool watch_signals(watch *w);
bool watch_keep(watch *w); /* the exception that is set, for later; false always */

/* What the call came to: None, or an exception: that of the callback or the signal, else that of the status. */
PyObject *watch_outcome(watch *w, sos_status status, const sos_error *error);

/* ---- the functions of the module ---- */

extern PyMethodDef failure_methods[], energy_methods[], minimize_methods[], multi_energy_methods[], model_methods[],
    example_methods[], train_methods[], picture_methods[], task_methods[], lesson_methods[], segment_methods[], hinge_methods[];

#endif
