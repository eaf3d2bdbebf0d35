/* picture.c - pictures: <s3svm/image.h>, and of <s3svm/marks.h> and <s3svm/drawing.h> what makes some. */
#include "picture.h"

#include <s3svm/drawing.h>
#include <s3svm/marks.h>

static int convert(PyObject *object, picture *p, int (*pixels)(PyObject *, void *))
{
    if (object == NULL) { /* an argument behind this one was wrong */
        picture_close(p);
        return 1;
    }
    if (object == Py_None) return Py_CLEANUP_SUPPORTED;
    if (!PyArg_ParseTuple(object, "O&O&O&O&", pixels, &p->pixels, size_in, &p->height, size_in, &p->width, size_in,
                          &p->channels))
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

PyMethodDef picture_methods[] = {
    { "image_read", image_read, METH_VARARGS, NULL },
    { "image_write", image_write, METH_VARARGS, NULL },
    { "scribbles_read", scribbles_read, METH_VARARGS, NULL },
    { "drawing_make", drawing_make, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
