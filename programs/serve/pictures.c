#include "pictures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/marks.h>

#include "assets.h"
#include "base/error.h"
#include "json_response.h"
#include "server.h"
#include "upload.h"
#include "views.h"

/* ---------------------------------------------------------------- opening, closing */

static void opened_answer(const picture *p, response *a)
{
    json_response w;
    json_response_begin(&w);
    sos_json_text(&w.json, "id", p->id);
    sos_json_count(&w.json, "width", p->image.width);
    sos_json_count(&w.json, "height", p->image.height);
    sos_json_text(&w.json, "name", p->name);
    json_response_end(&w, a, 201);
}

static bool example_read(const request *q, picture *out, response *a)
{
    static const char *const KNOWN[] = { "example", NULL };
    char file[BODY_WORD + 8];
    body b;
    if (!body_read(q, KNOWN, &b, a)) return false;
    snprintf(file, sizeof file, "%s.jpg", b.example);
    const asset *found = asset_find(example_assets, file);
    if (found) return upload_read(found->bytes, found->length, b.example, false, out, a);
    response_fail(a, 404, "unknown", "there is no example of this name");
    return false;
}

bool pictures_add(exchange *x)
{
    const request *q = &x->request;
    store *all = &x->server->store;
    picture fresh;
    const bool json = content_of(q->type) == CONTENT_JSON;
    if (!(json ? example_read(q, &fresh, &x->response)
               : upload_read(q->body, q->length, "picture", false, &fresh, &x->response)))
        return true;
    picture *p = store_add(all, &fresh, &x->response);
    if (!p) {
        upload_free(&fresh);
        return true;
    }
    opened_answer(p, &x->response);
    store_release(all, p);
    return true;
}

bool picture_remove(exchange *x)
{
    if (store_remove(&x->server->store, x->request.word)) {
        response_static(&x->response, "application/json", "", 0);
        x->response.status = 204;
    } else
        response_fail(&x->response, 404, "unknown", "no picture of this id is open");
    return true;
}

/* ---------------------------------------------------------------- image, progress */

void picture_answer(const picture *p, response *a)
{
    sos_error error;
    uint8_t *bytes = NULL;
    size_t length = p->length;
    if (p->file) {
        bytes = malloc(length);
        if (bytes)
            response_bytes(a, 200, "image/jpeg", memcpy(bytes, p->file, length), length);
        else
            response_memory(a);
    } else {
        const s3svm_picture seen = { .image = p->image,
                                     .profile = p->given.profile,
                                     .profile_length = p->given.profile_length };
        const sos_status status = s3svm_picture_encode(&seen, &bytes, &length, &error);
        if (status)
            response_failure(a, status, &error);
        else
            response_bytes(a, 200, "image/png", bytes, length);
    }
    if (a->status != 200) return;
    a->lasting = true; /* an id never has another picture */
    snprintf(a->tag, sizeof a->tag, "%s", p->id);
}

bool picture_image(exchange *x)
{
    store *all = &x->server->store;
    picture *p = store_find(all, x->request.word, false, &x->response);
    if (!p) return true;
    picture_answer(p, &x->response);
    store_release(all, p);
    return true;
}

bool picture_progress(exchange *x)
{
    store *all = &x->server->store;
    json_response w;
    picture *p = store_find(all, x->request.word, false, &x->response);
    if (!p) return true;
    json_response_begin(&w);
    sessions_print(x->server, p, &w.json);
    json_response_end(&w, &x->response, 200);
    store_release(all, p);
    return true;
}

/* ---------------------------------------------------------------- labels */

bool job_submit(exchange *x, picture *p, body *b, size_t kind, size_t detail, job_answer *answer)
{
    response *a = &x->response;
    const size_t number = methods_find(&x->server->methods, b->method);
    job *k = NULL;
    if (number == METHODS_MAX) response_fail(a, 422, "method", "there is no such method");
    const bool fine = !a->status && body_marks_fit(b, p->image.width, p->image.height, a);
    if (fine) k = malloc(sizeof *k);
    if (fine && !k) response_memory(a);
    if (!k) {
        store_release(&x->server->store, p);
        body_free(b);
        return true;
    }
    *k = (job){
        .x = x, .body = *b, .picture = p, .method = number, .kind = kind, .quick = b->quick, .answer = answer, .detail = detail
    };
    job_run(k);
    return false;
}

char *data_url(const uint8_t bytes[], size_t length)
{
    static const char HEAD[] = "\"data:image/png;base64,";
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = malloc(sizeof HEAD + (length + 2) / 3 * 4 + 1);
    if (!text) return NULL;
    memcpy(text, HEAD, sizeof HEAD - 1);
    char *to = text + sizeof HEAD - 1;
    for (size_t i = 0; i < length; i += 3, to += 4) {
        const size_t left = length - i;
        const uint32_t word = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                              (left > 2 ? (uint32_t)bytes[i + 2] : 0);
        for (int d = 0; d < 4; d++) to[d] = DIGITS[word >> (18 - 6 * d) & 63];
        if (left < 3) to[3] = '=';
        if (left < 2) to[2] = '=';
    }
    memcpy(to, "\"", 2);
    return text;
}

static void labels_result_print(sos_json *j, const session *s, const s3svm_segmentation_result *r)
{
    const bool proven = r->energy != 0 || r->bound != 0;
    sos_json_count(j, "object", r->object);
    if (proven) {
        sos_json_real(j, "energy", r->energy);
        sos_json_real(j, "bound", r->bound);
        sos_json_real(j, "gap", r->energy - r->bound);
    } else {
        sos_json_raw(j, "energy", "null");
        sos_json_raw(j, "bound", "null");
        sos_json_raw(j, "gap", "null");
    }
    sos_json_open_row(j, "seconds", '{');
    sos_json_real(j, "look", r->seconds_look);
    sos_json_real(j, "solve", r->seconds_solve);
    sos_json_real(j, "refine", r->seconds_refine);
    sos_json_close(j, '}');
    sos_json_count(j, "reduction", r->reduction);
    sos_json_open_row(j, "assumed", '{');
    sos_json_truth(j, "background", r->background_assumed);
    sos_json_truth(j, "border", r->border_assumed);
    sos_json_truth(j, "object", r->object_assumed);
    sos_json_close(j, '}');
    sos_json_truth(j, "proposed", s->proposed);
    sos_json_truth(j, "quick", s->quick);
}

static void labels_answer(job *k, session *s, s3svm_segmenter *segmenter)
{
    const s3svm_image *image = &k->picture->image;
    const s3svm_segmentation_result result = s3svm_segmenter_result(segmenter);
    uint8_t *png = NULL;
    size_t length = 0;
    char *url = NULL;
    sos_error error;
    json_response w;
    sos_status status = mask_encode(image->width, image->height, s3svm_segmenter_labels(segmenter), &png, &length, &error);
    if (!status) url = data_url(png, length);
    if (!status && !url) status = sos_fail(&error, SOS_ERR_MEMORY, "no memory for the mask");
    if (status)
        response_failure(&k->x->response, status, &error);
    else {
        json_response_begin(&w);
        sos_json_raw(&w.json, "mask", url);
        labels_result_print(&w.json, s, &result);
        json_response_end(&w, &k->x->response, 200);
    }
    free(png);
    free(url);
}

bool picture_labels(exchange *x)
{
    static const char *const KNOWN[] = { "method", "marks", "quick", "connected", NULL };
    body b;
    picture *p = store_find(&x->server->store, x->request.word, false, &x->response);
    if (!p) return true;
    if (body_read(&x->request, KNOWN, &b, &x->response)) return job_submit(x, p, &b, JOB_LABELS, 0, labels_answer);
    store_release(&x->server->store, p);
    return true;
}

/* ---------------------------------------------------------------- views */

static void view_answer(job *k, session *s, s3svm_segmenter *segmenter)
{
    uint8_t *bytes;
    size_t length;
    sos_error error;
    const sos_status status = view_encode((view)k->detail, segmenter, k->picture, s->server->threads, &bytes, &length, &error);
    if (status)
        session_failure(s, status, &error, &k->x->response);
    else
        response_bytes(&k->x->response, 200, "image/png", bytes, length);
}

bool picture_view(exchange *x)
{
    static const char *const KNOWN[] = { "view", "method", "marks", "connected", NULL };
    body b;
    picture *p = store_find(&x->server->store, x->request.word, false, &x->response);
    if (!p) return true;
    if (body_read(&x->request, KNOWN, &b, &x->response)) {
        const view v = view_find(b.view);
        if (v < VIEWS) return job_submit(x, p, &b, JOB_VIEW + v, v, view_answer);
        response_fail(&x->response, 422, "view", "\"view\" is cutout, overlay, mask, marks, unaries, prior or confidence");
        body_free(&b);
    }
    store_release(&x->server->store, p);
    return true;
}

/* ---------------------------------------------------------------- where to look next */

static void next_print(sos_json *j, const s3svm_confidence *c)
{
    sos_json_truth(j, "found", c->found);
    if (c->found) {
        sos_json_count(j, "x", (size_t)c->next.x);
        sos_json_count(j, "y", (size_t)c->next.y);
        sos_json_text(j, "label", c->label ? "object" : "background");
        sos_json_real(j, "confidence", c->confidence);
    }
    sos_json_count(j, "pieces", c->pieces);
    sos_json_real(j, "seconds", c->seconds);
}

static void next_answer(job *k, session *s, s3svm_segmenter *segmenter)
{
    s3svm_confidence found;
    sos_error error;
    json_response w;
    const sos_status status = s3svm_segmenter_confidence(segmenter, NULL, &found, &error);
    if (status) {
        session_failure(s, status, &error, &k->x->response);
        return;
    }
    json_response_begin(&w);
    next_print(&w.json, &found);
    json_response_end(&w, &k->x->response, 200);
}

bool picture_next(exchange *x)
{
    static const char *const KNOWN[] = { "method", "marks", "connected", NULL };
    body b;
    picture *p = store_find(&x->server->store, x->request.word, false, &x->response);
    if (!p) return true;
    if (body_read(&x->request, KNOWN, &b, &x->response)) return job_submit(x, p, &b, JOB_NEXT, 0, next_answer);
    store_release(&x->server->store, p);
    return true;
}
