/* picture.h - pictures as Python passes them: tuples (array, height, width, channels), or None. */
#ifndef S3SVM_BINDING_PICTURE_H
#define S3SVM_BINDING_PICTURE_H

#include "binding.h"

#include <s3svm/image.h>
#include <s3svm/maps.h>
#include <s3svm/plane.h>

/* A picture that borrows the pixels of an array.  Its library objects have no pixels of their own: never free them. */
typedef struct picture {
    array pixels; /* uint8 of pictures, float32 of planes and maps */
    size_t height, width, channels;
} picture;

/* Converters for "O&" into a picture that is { 0 }; None is one without data.  Close it in any case. */
int picture_in(PyObject *object, void *out); /* uint8 */
int plane_in(PyObject *object, void *out);   /* float32, one channel */
int maps_in(PyObject *object, void *out);    /* float32, channel after channel */
void picture_close(picture *p);

s3svm_image picture_image(const picture *p);
s3svm_plane picture_plane(const picture *p);
s3svm_maps picture_maps(const picture *p);

/* (array, height, width, channels) of an image, which is freed. */
PyObject *image_object(s3svm_image *image);

#endif
