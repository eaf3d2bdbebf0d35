/* tracing.c - requests about thin structures: a model in; and of a picture its mask and its centre lines out. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "json_response.h"
#include "pictures.h"
#include "server.h"
#include "tracers.h"
#include "views.h"

bool tracer_put(exchange *x)
{
    const request *q = &x->request;
    sos_error error;
    json_response w;
    const sos_status status = tracers_put(&x->server->tracers, q->word, q->body, q->length, &error);
    if (status == SOS_ERR_MEMORY)
        response_failure(&x->response, status, &error);
    else if (status)
        response_fail(&x->response, 422, "model", "%s", error.message);
    else {
        json_response_begin(&w);
        tracers_print(&x->server->tracers, &w.json);
        json_response_end(&w, &x->response, 200);
    }
    return true;
}

/* What is found in a picture. */
typedef struct tracing {
    uint8_t *labels, *mask;
    size_t mask_length, structure; /* pixels */
    char *mask_url, *svg, *geojson;
    double seconds;
} tracing;

static void tracing_free(tracing *t)
{
    free(t->labels);
    free(t->mask);
    free(t->mask_url);
    free(t->svg);
    free(t->geojson);
}

static sos_status lines_encode(const s3svm_image *image, tracing *t, sos_error *error)
{
    s3svm_centre_lines lines;
    size_t length;
    sos_status status = s3svm_centre_lines_find(image->width, image->height, t->labels, &lines, error);
    if (status) return status;
    status = s3svm_centre_lines_encode_svg(&lines, image->width, image->height, &t->svg, &length, error);
    if (!status) status = s3svm_centre_lines_encode_geojson(&lines, &t->geojson, &length, error);
    s3svm_centre_lines_free(&lines);
    return status;
}

/* *t is to free in any case. */
static sos_status tracing_make(const s3svm_trace_model *model, const s3svm_image *image, tracing *t, sos_error *error)
{
    const size_t n = s3svm_image_size(image);
    const double began = sos_seconds();
    *t = (tracing){ .labels = malloc(n) };
    if (!t->labels) return sos_fail(error, SOS_ERR_MEMORY, "no memory for labels");
    sos_status status = s3svm_trace_model_predict(model, image, NULL, t->labels, error);
    if (status) return status;
    t->seconds = sos_seconds() - began;
    for (size_t i = 0; i < n; i++) t->structure += t->labels[i];
    status = mask_encode(image->width, image->height, t->labels, &t->mask, &t->mask_length, error);
    if (!status) t->mask_url = data_url(t->mask, t->mask_length);
    if (!status && !t->mask_url) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for the mask");
    return status ? status : lines_encode(image, t, error);
}

static void tracing_answer(exchange *x, const picture *p, const tracer *with)
{
    tracing t;
    sos_error error;
    json_response w;
    const sos_status status = tracing_make(with->model, &p->image, &t, &error);
    if (status)
        response_failure(&x->response, status, &error);
    else {
        json_response_begin(&w);
        sos_json_text(&w.json, "model", with->name);
        sos_json_raw(&w.json, "mask", t.mask_url);
        sos_json_count(&w.json, "structure", t.structure);
        sos_json_text(&w.json, "svg", t.svg);
        sos_json_text(&w.json, "geojson", t.geojson);
        sos_json_real(&w.json, "seconds", t.seconds);
        json_response_end(&w, &x->response, 200);
    }
    tracing_free(&t);
}

bool picture_trace(exchange *x)
{
    static const char *const KNOWN[] = { "model", NULL };
    tracers *all = &x->server->tracers;
    response *a = &x->response;
    body b;
    if (!body_read(&x->request, KNOWN, &b, a)) return true;
    picture *p = store_find(&x->server->store, x->request.word, false, a);
    if (!p) return true;
    tracer *with = NULL;
    if (s3svm_image_size(&p->image) > TRACE_PIXELS_MAX)
        response_fail(a, 413, "large", "%zu by %zu pixels are more than %d", p->image.width, p->image.height, TRACE_PIXELS_MAX);
    else {
        with = tracers_take(all, b.model);
        if (!with) response_fail(a, 422, "model", "there is no such model of thin structures");
    }
    if (with) {
        tracing_answer(x, p, with);
        tracers_release(all, with);
    }
    store_release(&x->server->store, p);
    return true;
}
