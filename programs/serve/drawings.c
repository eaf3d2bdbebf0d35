/* drawings.c - requests about drawings in noise: a picture in, the restored one out. */
#include <stdio.h>
#include <stdlib.h>

#include <s3svm/denoise.h>
#include <s3svm/embedded.h>

#include "base/error.h"
#include "json_response.h"
#include "pictures.h"
#include "server.h"
#include "upload.h"

bool drawings_add(exchange *x)
{
    const request *q = &x->request;
    store *all = &x->server->store;
    picture fresh;
    json_response w;
    if (!upload_read(q->body, q->length, "drawing", true, &fresh, &x->response)) return true;
    picture *p = store_add(all, &fresh, &x->response);
    if (!p) {
        upload_free(&fresh);
        return true;
    }
    json_response_begin(&w);
    sos_json_text(&w.json, "id", p->id);
    sos_json_count(&w.json, "width", p->image.width);
    sos_json_count(&w.json, "height", p->image.height);
    json_response_end(&w, &x->response, 201);
    store_release(all, p);
    return true;
}

bool drawing_image(exchange *x)
{
    store *all = &x->server->store;
    picture *p = store_find(all, x->request.word, true, &x->response);
    if (!p) return true;
    picture_answer(p, &x->response);
    store_release(all, p);
    return true;
}

/* Black ink on white paper. */
static sos_status drawing_encode(size_t width, size_t height, const uint8_t labels[], uint8_t **bytes, size_t *length,
                                 sos_error *error)
{
    s3svm_image out;
    sos_status status = s3svm_image_create(width, height, 1, &out, error);
    if (status) return status;
    for (size_t i = 0; i < width * height; i++) out.pixels[i] = labels[i] ? 0 : 255;
    status = s3svm_image_encode(&out, bytes, length, error);
    s3svm_image_free(&out);
    return status;
}

static sos_status drawing_restore(const s3svm_image *image, uint8_t **bytes, size_t *length, sos_error *error)
{
    sos_model *file = NULL;
    s3svm_denoise_model *model = NULL;
    s3svm_plane grey = { 0 };
    uint8_t *labels = malloc(s3svm_image_size(image));
    sos_status status = labels ? s3svm_embedded_model("denoise", &file, error)
                               : sos_fail(error, SOS_ERR_MEMORY, "no memory for labels");
    if (!status) status = s3svm_denoise_model_create(file, &model, error);
    if (!status) status = s3svm_image_to_plane(image, &grey, error);
    if (!status) status = s3svm_denoise_model_predict(model, &grey, labels, error);
    if (!status) status = drawing_encode(image->width, image->height, labels, bytes, length, error);
    s3svm_plane_free(&grey);
    s3svm_denoise_model_free(model);
    sos_model_free(file);
    free(labels);
    return status;
}

bool drawing_restored(exchange *x)
{
    static const char *const KNOWN[] = { "model", NULL };
    store *all = &x->server->store;
    body b;
    uint8_t *bytes;
    size_t length;
    sos_error error;
    if (!body_read(&x->request, KNOWN, &b, &x->response)) return true;
    if (*b.model) {
        response_fail(&x->response, 422, "model", "\"model\" is null: the one inside is the only one");
        return true;
    }
    picture *p = store_find(all, x->request.word, true, &x->response);
    if (!p) return true;
    const sos_status status = drawing_restore(&p->image, &bytes, &length, &error);
    store_release(all, p);
    if (status)
        response_failure(&x->response, status, &error);
    else
        response_bytes(&x->response, 200, "image/png", bytes, length);
    return true;
}
