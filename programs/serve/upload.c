#include "upload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder.h"
#include "jpeg_strip.h"
#include "server.h"

/* ---------------------------------------------------------------- JPEG */

/* The file without its notes, to be sent back as it is; where there is no memory for it, the picture is sent as a PNG. */
static void file_keep(const uint8_t bytes[], size_t length, picture *p)
{
    uint8_t *file = malloc(length);
    const size_t kept = file ? jpeg_strip(bytes, length, file) : 0;
    uint8_t *fitting = kept ? realloc(file, kept) : NULL;
    if (!fitting) free(file);
    p->file = fitting;
    p->length = fitting ? kept : 0;
}

/* ---------------------------------------------------------------- pictures */

static void read_refuse(sos_status status, const sos_error *error, response *a)
{
    if (status == SOS_ERR_MEMORY || status == SOS_ERR_IO)
        response_failure(a, status, error);
    else if (status == SOS_ERR_RANGE)
        response_fail(a, 413, "large", "%s", error->message);
    else
        response_fail(a, 422, "picture", "%s", error->message);
}

static size_t pixels_most = PIXELS_LEAST;

void upload_prepare(size_t bytes_most)
{
    const size_t fitting = bytes_most / PIXEL_BYTES;
    pixels_most = fitting < PIXELS_LEAST ? PIXELS_LEAST : fitting > PIXELS_MAX ? PIXELS_MAX : fitting;
}

size_t upload_pixels_most(void) { return pixels_most; }

/* What people see of a file, and what cut-outs need of it besides. */
static sos_status photograph_decode(const void *bytes, size_t length, picture *p, bool *strips, sos_error *error)
{
    s3svm_picture whole = { 0 };
    sos_status status = decoder_picture(bytes, length, p->name, pixels_most, &whole, strips, error);
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

static bool picture_decode(const void *bytes, size_t length, picture *p, bool *strips, response *a)
{
    sos_error error;
    const sos_status status = p->drawing ? decoder_image(bytes, length, p->name, DRAWING_PIXELS_MAX, S3SVM_IMAGE_GREY,
                                                         &p->image, &error)
                                         : photograph_decode(bytes, length, p, strips, &error);
    if (status) read_refuse(status, &error, a);
    return !status;
}

bool upload_decode(const void *bytes, size_t length, const char *name, bool drawing, picture *out, response *a)
{
    picture p = { .drawing = drawing };
    snprintf(p.name, sizeof p.name, "%s", name);
    if (!picture_decode(bytes, length, &p, NULL, a)) return false;
    *out = p;
    return true;
}

bool upload_read(const void *bytes, size_t length, const char *name, bool drawing, picture *out, response *a)
{
    picture p = { .drawing = drawing };
    bool strips = false;
    snprintf(p.name, sizeof p.name, "%s", name);
    if (!picture_decode(bytes, length, &p, &strips, a)) return false;
    if (strips) file_keep(bytes, length, &p);
    *out = p;
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
