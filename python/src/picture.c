/* picture.c - pictures: <s3svm/image.h>, and of <s3svm/marks.h> and <s3svm/drawing.h> what makes some. */
#include "picture.h"

#include <stdlib.h>

#include <s3svm/drawing.h>
#include <s3svm/marks.h>

static int convert(PyObject *object, picture *p, int (*pixels)(PyObject *, void *))
{
    if (object == NULL) { /* an argument behind this one was wrong */
        picture_close(p);
        return 1;
    }
    if (object == Py_None) return Py_CLEANUP_SUPPORTED;
    if (!tuple_in(object, "O&O&O&O&", pixels, &p->pixels, size_in, &p->height, size_in, &p->width, size_in, &p->channels))
        return 0;
    const size_t most = S3SVM_IMAGE_PIXELS_MAX;
    if (p->height > most || p->width > most || p->channels > S3SVM_MAPS_CHANNELS_MAX || p->height * p->width > most) {
        PyErr_SetString(PyExc_ValueError, "a picture is too large");
    } else if (array_has(&p->pixels, p->height * p->width * p->channels, "a picture")) {
        return Py_CLEANUP_SUPPORTED;
    }
    picture_close(p);
    return 0;
}

int picture_in(PyObject *object, void *out) { return convert(object, out, bytes_in); }
int plane_in(PyObject *object, void *out) { return convert(object, out, floats_in); }
int maps_in(PyObject *object, void *out) { return convert(object, out, floats_in); }

void picture_close(picture *p)
{
    array_close(&p->pixels);
    *p = (picture){ .height = 0 };
}

s3svm_image picture_image(const picture *p)
{
    return (s3svm_image){ .width = p->width, .height = p->height, .channels = p->channels, .pixels = p->pixels.data };
}

s3svm_plane picture_plane(const picture *p)
{
    return (s3svm_plane){ .width = p->width, .height = p->height, .values = p->pixels.data };
}

s3svm_maps picture_maps(const picture *p)
{
    return (s3svm_maps){ .width = p->width, .height = p->height, .channels = p->channels, .values = p->pixels.data };
}

PyObject *image_object(s3svm_image *image)
{
    PyObject *result = Py_BuildValue("Nnnn", bytes_of(image->pixels, s3svm_image_size(image) * image->channels),
                                     (Py_ssize_t)image->height, (Py_ssize_t)image->width, (Py_ssize_t)image->channels);
    s3svm_image_free(image);
    return result;
}

static PyObject *image_read(PyObject *self, PyObject *args)
{
    (void)self;
    const char *path;
    int kind;
    s3svm_image image;
    sos_error error;
    if (!PyArg_ParseTuple(args, "yi", &path, &kind)) return NULL;
    const sos_status status = s3svm_image_read(path, (s3svm_image_kind)kind, &image, &error);
    return status ? failure(status, &error) : image_object(&image);
}

static PyObject *image_write(PyObject *self, PyObject *args)
{
    (void)self;
    picture p = { 0 };
    const char *path;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&y", picture_in, &p, &path)) return NULL;
    const s3svm_image image = picture_image(&p);
    const sos_status status = s3svm_image_write(&image, path, &error);
    picture_close(&p);
    return outcome(status, &error);
}

/* path, photograph, convention: marks, and how they were read, in words. */
static PyObject *scribbles_read(PyObject *self, PyObject *args)
{
    (void)self;
    const char *path;
    picture p = { 0 };
    int convention;
    s3svm_image marks;
    s3svm_scribbles_found found;
    sos_error error;
    if (!PyArg_ParseTuple(args, "yO&i", &path, picture_in, &p, &convention)) return NULL;
    const s3svm_scribbles_settings settings = { .convention = (s3svm_convention)convention };
    const s3svm_image photograph = picture_image(&p);
    const sos_status status = s3svm_scribbles_read(path, &photograph, &settings, &marks, &found, &error);
    picture_close(&p);
    return status ? failure(status, &error) : Py_BuildValue("Ns", image_object(&marks), found.words);
}

static PyObject *drawing_make(PyObject *self, PyObject *args)
{
    (void)self;
    size_t width, height;
    int sketch;
    unsigned long long set, number;
    s3svm_image image;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&O&pKK", size_in, &width, size_in, &height, &sketch, &set, &number)) return NULL;
    const sos_status status = s3svm_drawing_make(width, height, sketch, s3svm_drawing_seed(set, number), &image, &error);
    return status ? failure(status, &error) : image_object(&image);
}

/* ---------------------------------------------------------------- maps as evidence */

/* A picture to learn a calibration from: maps, and labels 0, 1 and 2, which is not sure. */
typedef struct lesson {
    picture maps, labels;
    uint8_t *care;
} lesson;

static void lessons_free(lesson *l, size_t count)
{
    for (size_t i = 0; l && i < count; i++) {
        picture_close(&l[i].maps);
        picture_close(&l[i].labels);
        free(l[i].care);
    }
    free(l);
}

static bool lesson_take(PyObject *pair, lesson *l, s3svm_maps *maps, s3svm_truth *truth)
{
    if (!tuple_in(pair, "O&O&", maps_in, &l->maps, picture_in, &l->labels)) return false;
    const s3svm_image labels = picture_image(&l->labels);
    const size_t n = s3svm_image_size(&labels);
    l->care = malloc(n + 1); /* never 0 bytes */
    if (!l->care) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t i = 0; i < n; i++) l->care[i] = labels.pixels[i] != 2;
    *maps = picture_maps(&l->maps);
    *truth = (s3svm_truth){ .width = labels.width, .height = labels.height, .labels = labels.pixels, .care = l->care };
    return true;
}

static PyObject *calibration_object(const s3svm_maps_calibration *c, const s3svm_maps_calibration_report *r)
{
    return Py_BuildValue("sddn(dd)(dd)(dd)", s3svm_maps_numbers_name(c->numbers), c->scale, c->offset, (Py_ssize_t)r->pictures,
                         r->before.loss, r->before.astray, r->after.loss, r->after.astray, r->others.loss, r->others.astray);
}

/* A list of (maps, labels), threads. */
static PyObject *maps_calibrate(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *list, *result = NULL;
    int threads;
    sos_error error;
    if (!PyArg_ParseTuple(args, "Oi", &list, &threads)) return NULL;
    const Py_ssize_t size = list_size(list);
    if (size < 0) return NULL;
    const size_t count = (size_t)size;
    lesson *lessons = calloc(count + 1, sizeof *lessons);
    s3svm_maps *maps = calloc(count + 1, sizeof *maps);
    s3svm_truth *truths = calloc(count + 1, sizeof *truths);
    bool room = lessons && maps && truths;
    if (!room) PyErr_NoMemory();
    for (size_t i = 0; i < count && room; i++)
        room = lesson_take(PyList_GetItem(list, (Py_ssize_t)i), &lessons[i], &maps[i], &truths[i]);
    if (room) {
        s3svm_maps_calibration c;
        s3svm_maps_calibration_report report;
        const sos_work work = { .threads = threads };
        const sos_status status = s3svm_maps_calibrate(count, maps, truths, &work, &c, &report, &error);
        result = status ? failure(status, &error) : calibration_object(&c, &report);
    }
    lessons_free(lessons, count);
    free(maps);
    free(truths);
    return result;
}

/* Maps, which become log odds where they are; numbers below 0: by what can be told from them; scale, offset. */
static PyObject *maps_apply(PyObject *self, PyObject *args)
{
    (void)self;
    picture p = { 0 };
    int numbers;
    double scale, offset;
    sos_error error;
    if (!PyArg_ParseTuple(args, "O&idd", maps_in, &p, &numbers, &scale, &offset)) return NULL;
    s3svm_maps maps = picture_maps(&p);
    const s3svm_maps_calibration c = { .numbers = (s3svm_maps_numbers)numbers, .scale = scale, .offset = offset };
    const sos_status status = s3svm_maps_apply(numbers < 0 ? NULL : &c, &maps, &error);
    picture_close(&p);
    return outcome(status, &error);
}

static PyObject *calibration_read(PyObject *self, PyObject *args)
{
    (void)self;
    const char *path;
    s3svm_maps_calibration c;
    sos_error error;
    if (!PyArg_ParseTuple(args, "y", &path)) return NULL;
    const sos_status status = s3svm_maps_calibration_read(path, &c, &error);
    return status ? failure(status, &error) : Py_BuildValue("sdd", s3svm_maps_numbers_name(c.numbers), c.scale, c.offset);
}

static PyObject *calibration_write(PyObject *self, PyObject *args)
{
    (void)self;
    const char *path;
    int numbers;
    double scale, offset;
    sos_error error;
    if (!PyArg_ParseTuple(args, "yidd", &path, &numbers, &scale, &offset)) return NULL;
    const s3svm_maps_calibration c = { .numbers = (s3svm_maps_numbers)numbers, .scale = scale, .offset = offset };
    return outcome(s3svm_maps_calibration_write(&c, path, &error), &error);
}

PyMethodDef picture_methods[] = {
    { "maps_calibrate", maps_calibrate, METH_VARARGS, NULL },
    { "maps_apply", maps_apply, METH_VARARGS, NULL },
    { "calibration_read", calibration_read, METH_VARARGS, NULL },
    { "calibration_write", calibration_write, METH_VARARGS, NULL },
    { "image_read", image_read, METH_VARARGS, NULL },
    { "image_write", image_write, METH_VARARGS, NULL },
    { "scribbles_read", scribbles_read, METH_VARARGS, NULL },
    { "drawing_make", drawing_make, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
