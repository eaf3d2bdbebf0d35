#include "upload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jpeg_strip.h"
#include "server.h"

/* ---------------------------------------------------------------- JPEG */

static bool image_is_same(const s3svm_image *a, const s3svm_image *b)
{
    return a->width == b->width && a->height == b->height && a->channels == b->channels &&
           !memcmp(a->pixels, b->pixels, s3svm_image_size(a) * a->channels);
}

/* The stripped file is kept if it decodes to the same pixels: a turned photograph does not. */
static void file_keep(const uint8_t bytes[], size_t length, picture *p)
{
    s3svm_image again;
    sos_error error;
    uint8_t *file = malloc(length);
    const size_t kept = file ? jpeg_strip(bytes, length, file) : 0;
    bool same = false;
    if (kept && !s3svm_image_parse(file, kept, p->name, S3SVM_IMAGE_COLOUR, &again, &error)) {
        same = image_is_same(&again, &p->image);
        s3svm_image_free(&again);
    }
    uint8_t *fitting = same ? realloc(file, kept) : NULL;
    if (!fitting) free(file);
    p->file = fitting;
    p->length = fitting ? kept : 0;
}

/* ---------------------------------------------------------------- pictures */

static void read_refuse(sos_status status, const sos_error *error, response *a)
{
    if (status == SOS_ERR_MEMORY)
        response_failure(a, status, error);
    else if (status == SOS_ERR_RANGE)
        response_fail(a, 413, "large", "%s", error->message);
    else
        response_fail(a, 422, "picture", "%s", error->message);
}

/* What people see of a file, and what cut-outs need of it besides. */
static sos_status photograph_parse(const void *bytes, size_t length, picture *p, sos_error *error)
{
    s3svm_picture whole = { 0 };
    sos_status status = s3svm_picture_parse(bytes, length, p->name, &whole, error);
    if (!status && whole.image.channels == 3 && !whole.deep) {
        p->image = whole.image;
        whole.image = (s3svm_image){ 0 };
    } else if (!status)
        status = s3svm_picture_seen(&whole, &p->image, error);
    if (status)
        s3svm_picture_free(&whole);
    else
        p->given = whole;
    return status;
}

static size_t pixels_most = PIXELS_LEAST;

void upload_prepare(size_t bytes_most)
{
    const size_t fitting = bytes_most / PIXEL_BYTES;
    pixels_most = fitting < PIXELS_LEAST ? PIXELS_LEAST : fitting > PIXELS_MAX ? PIXELS_MAX : fitting;
}

size_t upload_pixels_most(void) { return pixels_most; }

bool upload_decode(const void *bytes, size_t length, const char *name, bool drawing, picture *out, response *a)
{
    const size_t most = drawing ? DRAWING_PIXELS_MAX : pixels_most;
    picture p = { .drawing = drawing };
    sos_error error;
    size_t width, height;
    snprintf(p.name, sizeof p.name, "%s", name);
    sos_status status = s3svm_image_measure(bytes, length, p.name, &width, &height, &error);
    if (!status && width * height > most) {
        response_fail(a, 413, "large", "%zu by %zu pixels are more than %zu", width, height, most);
        return false;
    }
    if (!status && drawing) status = s3svm_image_parse(bytes, length, p.name, S3SVM_IMAGE_GREY, &p.image, &error);
    if (!status && !drawing) status = photograph_parse(bytes, length, &p, &error);
    if (status) {
        read_refuse(status, &error, a);
        return false;
    }
    *out = p;
    return true;
}

bool upload_read(const void *bytes, size_t length, const char *name, bool drawing, picture *out, response *a)
{
    if (!upload_decode(bytes, length, name, drawing, out, a)) return false;
    if (!drawing) file_keep(bytes, length, out);
    return true;
}

void upload_free(picture *p)
{
    s3svm_image_free(&p->image);
    s3svm_picture_free(&p->given);
    s3svm_maps_free(&p->odds);
    free(p->file);
    *p = (picture){ 0 };
}
