#include "folder_routes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/path.h"
#include "body.h"
#include "folder.h"
#include "json_response.h"
#include "pictures.h"
#include "server.h"
#include "thumbnails.h"
#include "upload.h"
#include "views.h"

enum { LISTED_MAX = 500, LISTED_DEFAULT = 200 };

/* Takes the folder's lock; false: there is no folder. */
static bool folder_lock(exchange *x, folder **out)
{
    *out = x->server->folder;
    if (!*out) {
        response_fail(&x->response, 404, "unknown", "the server was started without a folder: s3svm serve --data DIR");
        return false;
    }
    pthread_mutex_lock(&(*out)->lock);
    return true;
}

/* The item of the request, which may have come since the folder was looked at. */
static item *item_take(exchange *x, folder *f)
{
    sos_error error;
    item *i = folder_find(f, x->request.word);
    if (!i && !folder_look(f, &error)) i = folder_find(f, x->request.word);
    if (!i) response_fail(&x->response, 404, "unknown", "the folder has no such photograph");
    return i;
}

/* ---------------------------------------------------------------- the list */

static sos_status item_print(folder *f, item *i, sos_json *j, sos_error *error)
{
    char revision[KEY_LENGTH + 1];
    const sos_status status = item_revision(f, i, revision, error);
    if (status) return status;
    sos_json_open_row(j, NULL, '{');
    sos_json_text(j, "key", i->key);
    sos_json_text(j, "name", i->image);
    sos_json_text(j, "state", state_name(item_state(i)));
    sos_json_text(j, "revision", revision);
    if (i->unsure >= 0) sos_json_real(j, "unsure", i->unsure);
    sos_json_close(j, '}');
    return SOS_OK;
}

bool folder_list(exchange *x)
{
    folder *f;
    json_response w;
    sos_error error;
    if (!folder_lock(x, &f)) return true;
    const size_t from = number_read(x->request.from, SIZE_MAX / 32, 0);
    const size_t count = number_read(x->request.count, LISTED_MAX, LISTED_DEFAULT);
    sos_status status = folder_look(f, &error);
    json_response_begin(&w);
    sos_json_text(&w.json, "title", f->title);
    sos_json_count(&w.json, "count", f->count);
    sos_json_count(&w.json, "done", f->done);
    sos_json_count(&w.json, "marked", f->marked);
    sos_json_count(&w.json, "skipped", f->skipped);
    sos_json_open(&w.json, "items", '[');
    for (size_t i = from; i < f->count && i - from < count && !status; i++)
        status = item_print(f, &f->items[i], &w.json, &error);
    sos_json_close(&w.json, ']');
    json_response_end(&w, &x->response, 200);
    pthread_mutex_unlock(&f->lock);
    if (status) response_failure(&x->response, status, &error);
    return true;
}

/* ---------------------------------------------------------------- thumbnails */

bool folder_thumbnail(exchange *x)
{
    folder *f;
    char *bytes = NULL;
    size_t length = 0;
    sos_error error;
    uint64_t hash = 0;
    if (!folder_lock(x, &f)) return true;
    const item *i = item_take(x, f);
    sos_status status = SOS_OK;
    char name[DIRECTORY_NAME] = "";
    bool known = false;
    if (i) {
        const stamp now = directory_stamp(f->images, i->image);
        hash = sos_hash(sos_hash(SOS_HASH_START, i->image, strlen(i->image)), &now, sizeof now);
        known = thumbnail_find(hash, &x->response);
        memcpy(name, i->image, sizeof name);
        if (!known) status = item_image(f, i, &bytes, &length, &error);
    }
    pthread_mutex_unlock(&f->lock);
    if (!i || known) return true;
    if (status)
        response_failure(&x->response, status, &error);
    else
        thumbnail_make(bytes, length, name, hash, &x->response);
    free(bytes);
    return true;
}

/* ---------------------------------------------------------------- cut-outs */

/* The cut-out of a photograph that is done, by its labels. */
static void cutout_answer(exchange *x, const char *bytes, size_t length, const char *name, const s3svm_truth *t)
{
    picture p;
    uint8_t *png;
    size_t size;
    sos_error error;
    if (!upload_decode(bytes, length, name, false, &p, &x->response)) return;
    sos_status status = SOS_OK;
    if (p.image.width != t->width || p.image.height != t->height)
        status = sos_fail(&error, SOS_ERR_FORMAT, "the labels of '%.200s' are for %zu by %zu pixels, it has %zu by %zu", name,
                          t->width, t->height, p.image.width, p.image.height);
    if (!status) status = cutout_encode(&p, t->labels, x->server->threads, &png, &size, &error);
    upload_free(&p);
    if (status)
        response_failure(&x->response, status, &error);
    else
        response_bytes(&x->response, 200, "image/png", png, size);
}

bool folder_cutout(exchange *x)
{
    folder *f;
    char *bytes = NULL, name[DIRECTORY_NAME] = "";
    size_t length = 0;
    s3svm_truth_code code;
    s3svm_truth truth = { 0 };
    sos_error error;
    sos_status status = SOS_OK;
    if (!folder_lock(x, &f)) return true;
    const item *i = item_take(x, f);
    if (i && item_state(i) != STATE_DONE) response_fail(&x->response, 409, "undone", "the photograph is not done");
    if (!x->response.status) {
        memcpy(name, i->image, sizeof name);
        status = folder_code(f, &code, &error);
        if (!status) status = item_truth(f, i, &code, 0, 0, &truth, &error);
        if (!status) status = item_image(f, i, &bytes, &length, &error);
    }
    pthread_mutex_unlock(&f->lock);
    if (status)
        response_failure(&x->response, status, &error);
    else if (!x->response.status)
        cutout_answer(x, bytes, length, name, &truth);
    s3svm_truth_free(&truth);
    free(bytes);
    return true;
}

/* ---------------------------------------------------------------- opening */

/* Marks as a member; null: there are none. */
static sos_status marks_print(folder *f, const item *i, size_t width, size_t height, sos_json *j, sos_error *error)
{
    s3svm_dialogue *d;
    char *text = NULL;
    size_t length;
    sos_status status = item_marks(f, i, width, height, &d, error);
    if (!status && d) status = s3svm_dialogue_encode(d, &text, &length, error);
    if (!status) sos_json_raw(j, "marks", text ? text : "null");
    if (!status) s3svm_dialogue_free(d);
    free(text);
    return status;
}

static void neighbour_print(const folder *f, const item *i, ptrdiff_t step, const char *name, sos_json *j)
{
    const ptrdiff_t other = i - f->items + step;
    if (other >= 0 && (size_t)other < f->count)
        sos_json_text(j, name, f->items[other].key);
    else
        sos_json_raw(j, name, "null");
}

/* Whether something is known of the object before anybody marks it, and what is wrong with maps that are there. */
static void maps_print(const picture *p, sos_json *j)
{
    sos_json_truth(j, "maps", p->odds.values);
    if (*p->note)
        sos_json_text(j, "note", p->note);
    else
        sos_json_raw(j, "note", "null");
}

static sos_status opened_print(folder *f, item *i, const picture *p, sos_json *j, sos_error *error)
{
    char revision[KEY_LENGTH + 1];
    sos_status status = item_revision(f, i, revision, error);
    if (status) return status;
    sos_json_text(j, "id", p->id);
    sos_json_count(j, "width", p->image.width);
    sos_json_count(j, "height", p->image.height);
    sos_json_text(j, "name", i->image);
    sos_json_text(j, "state", state_name(item_state(i)));
    sos_json_text(j, "revision", revision);
    maps_print(p, j);
    neighbour_print(f, i, 1, "next", j);
    neighbour_print(f, i, -1, "previous", j);
    return marks_print(f, i, p->image.width, p->image.height, j, error);
}

/* What tells the photograph of an item, with its maps, from others. */
static uint64_t source_of(const folder *f, const item *i)
{
    const stamp now = directory_stamp(f->images, i->image);
    const uint64_t image = sos_hash(sos_hash(SOS_HASH_START, i->image, strlen(i->image)), &now, sizeof now);
    return item_maps_hash(f, i, image) | 1;
}

static void maps_take(item_maps *m, picture *p)
{
    item_maps_decode(m, p->image.width, p->image.height, &p->odds);
    if (*m->wrong.message) snprintf(p->note, sizeof p->note, "the maps are not used: %.250s", m->wrong.message);
}

/* The photograph of an item, open and in use; known: one that is open already serves, if the files are still the same.  Every
 * page has its own, so that their requests do not displace each other.  Releases the lock while it decodes. */
static picture *item_picture(exchange *x, folder *f, bool known)
{
    picture fresh;
    item_maps maps;
    char *bytes, name[DIRECTORY_NAME];
    size_t length;
    sos_error error;
    const item *i = item_take(x, f);
    if (!i) return NULL;
    const uint64_t source = source_of(f, i);
    picture *p = known ? store_find_source(&x->server->store, source) : NULL;
    if (p) return p;
    memcpy(name, i->image, sizeof name);
    const sos_status status = item_image(f, i, &bytes, &length, &error);
    if (status) {
        response_failure(&x->response, status, &error);
        return NULL;
    }
    item_maps_read(f, i, &maps);
    pthread_mutex_unlock(&f->lock);
    const bool read = upload_read(bytes, length, name, false, &fresh, &x->response);
    free(bytes);
    if (read) {
        maps_take(&maps, &fresh);
        fresh.source = source;
        p = store_add(&x->server->store, &fresh, &x->response);
        if (!p) upload_free(&fresh);
    } else
        free(maps.bytes);
    pthread_mutex_lock(&f->lock);
    return p;
}

bool folder_item_open(exchange *x)
{
    folder *f;
    json_response w;
    sos_error error;
    if (!folder_lock(x, &f)) return true;
    picture *p = item_picture(x, f, false);
    item *i = p ? item_take(x, f) : NULL;
    if (i) {
        json_response_begin(&w);
        const sos_status status = opened_print(f, i, p, &w.json, &error);
        json_response_end(&w, &x->response, 201);
        if (status) response_failure(&x->response, status, &error);
    }
    pthread_mutex_unlock(&f->lock);
    if (p) store_release(&x->server->store, p);
    return true;
}

/* ---------------------------------------------------------------- saving */

static void saved_answer(folder *f, item *i, response *a)
{
    char revision[KEY_LENGTH + 1];
    sos_error error;
    json_response w;
    const sos_status status = item_revision(f, i, revision, &error);
    if (status) {
        response_failure(a, status, &error);
        return;
    }
    json_response_begin(&w);
    sos_json_text(&w.json, "revision", revision);
    sos_json_text(&w.json, "state", state_name(item_state(i)));
    json_response_end(&w, a, 200);
}

/* 409, with what is there now. */
static void changed_answer(folder *f, item *i, const char *revision, size_t width, size_t height, response *a)
{
    sos_error error;
    json_response w;
    json_response_begin(&w);
    sos_json_open(&w.json, "error", '{');
    sos_json_text(&w.json, "code", "changed");
    sos_json_text(&w.json, "message", "another page saved this photograph since");
    sos_json_close(&w.json, '}');
    sos_json_text(&w.json, "revision", revision);
    sos_json_text(&w.json, "state", state_name(item_state(i)));
    const sos_status status = marks_print(f, i, width, height, &w.json, &error);
    json_response_end(&w, a, 409);
    if (status) response_failure(a, status, &error);
}

/* Whether the marks that are to be saved are there already: an answer got lost, and the request came again. */
static bool marks_are_there(folder *f, const item *i, const s3svm_dialogue *marks)
{
    s3svm_dialogue *d;
    sos_error error;
    char *ours = NULL, *theirs = NULL;
    size_t length;
    if (!sos_path_ends(i->scribbles, ".json")) return false;
    if (item_marks(f, i, s3svm_dialogue_width(marks), s3svm_dialogue_height(marks), &d, &error) || !d) return false;
    const bool same = !s3svm_dialogue_encode(marks, &ours, &length, &error) &&
                      !s3svm_dialogue_encode(d, &theirs, &length, &error) && !strcmp(ours, theirs);
    s3svm_dialogue_free(d);
    free(ours);
    free(theirs);
    return same;
}

/* Whether what whoever asks has seen is what is there; false: the answer says what is. */
static bool revision_fits(folder *f, item *i, const body *b, size_t width, size_t height, response *a)
{
    char revision[KEY_LENGTH + 1];
    sos_error error;
    const sos_status status = item_revision(f, i, revision, &error);
    if (status)
        response_failure(a, status, &error);
    else if (strcmp(revision, b->revision) != 0)
        changed_answer(f, i, revision, width, height, a);
    return !a->status;
}

static void marks_save(folder *f, item *i, const body *b, response *a)
{
    sos_error error;
    if (!marks_are_there(f, i, b->marks)) {
        const size_t width = s3svm_dialogue_width(b->marks), height = s3svm_dialogue_height(b->marks);
        if (!revision_fits(f, i, b, width, height, a)) return;
        const sos_status status = item_save(f, i, b->marks, &error);
        if (status) {
            response_failure(a, status, &error);
            return;
        }
    }
    saved_answer(f, i, a);
}

/* Whether the marks are for this photograph, by its header. */
static bool marks_fit_item(folder *f, const item *i, const body *b, response *a)
{
    char *bytes;
    size_t length, width, height;
    sos_error error;
    sos_status status = item_image(f, i, &bytes, &length, &error);
    if (!status) {
        status = s3svm_image_measure(bytes, length, i->image, &width, &height, &error);
        free(bytes);
    }
    if (status)
        response_failure(a, status, &error);
    else
        body_marks_fit(b, width, height, a);
    return !a->status;
}

bool folder_marks(exchange *x)
{
    static const char *const KNOWN[] = { "revision", "marks", NULL };
    folder *f;
    body b;
    if (!body_read(&x->request, KNOWN, &b, &x->response)) return true;
    if (folder_lock(x, &f)) {
        item *i = item_take(x, f);
        if (i && marks_fit_item(f, i, &b, &x->response)) marks_save(f, i, &b, &x->response);
        pthread_mutex_unlock(&f->lock);
    }
    body_free(&b);
    return true;
}

/* ---------------------------------------------------------------- done */

/* Whether all of it is there already, as when an answer got lost. */
static bool done_is_there(folder *f, const item *i, const s3svm_dialogue *marks, const uint8_t png[], size_t length)
{
    char *bytes;
    size_t there;
    sos_error error;
    if (!*i->labels || !marks_are_there(f, i, marks)) return false;
    if (directory_read(f->labels, i->labels, UPLOAD_MAX, &bytes, &there, &error)) return false;
    const bool same = there == length && !memcmp(bytes, png, length);
    free(bytes);
    return same;
}

static void done_write(job *k, folder *f, const uint8_t png[], size_t length)
{
    exchange *x = k->x;
    const s3svm_image *image = &k->picture->image;
    sos_error error;
    pthread_mutex_lock(&f->lock);
    item *i = item_take(x, f);
    if (i && done_is_there(f, i, k->body.marks, png, length))
        saved_answer(f, i, &x->response);
    else if (i && revision_fits(f, i, &k->body, image->width, image->height, &x->response)) {
        const sos_status status = item_finish(f, i, k->body.marks, png, length, &error);
        if (status)
            response_failure(&x->response, status, &error);
        else
            saved_answer(f, i, &x->response);
    }
    pthread_mutex_unlock(&f->lock);
}

static void done_answer(job *k, session *s, s3svm_segmenter *segmenter)
{
    const s3svm_image *image = &k->picture->image;
    const size_t object = s3svm_segmenter_result(segmenter).object;
    uint8_t *png = NULL;
    size_t length = 0;
    sos_error error;
    const sos_status status = mask_encode(image->width, image->height, s3svm_segmenter_labels(segmenter), &png, &length,
                                          &error);
    if (status)
        response_failure(&k->x->response, status, &error);
    else if (!object || object == s3svm_image_size(image))
        response_fail(&k->x->response, 422, "labels", "%s of the photograph is object: there is nothing to learn from",
                      object ? "all" : "nothing");
    else
        done_write(k, s->server->folder, png, length);
    free(png);
}

bool folder_done(exchange *x)
{
    static const char *const KNOWN[] = { "revision", "marks", "method", "connected", NULL };
    folder *f;
    body b;
    if (!body_read(&x->request, KNOWN, &b, &x->response)) return true;
    picture *p = NULL;
    if (folder_lock(x, &f)) {
        p = item_picture(x, f, true);
        pthread_mutex_unlock(&f->lock);
    }
    if (p) return job_submit(x, p, &b, JOB_DONE, 0, done_answer);
    body_free(&b);
    return true;
}

bool folder_undone(exchange *x)
{
    static const char *const KNOWN[] = { "revision", NULL };
    folder *f;
    body b;
    sos_error error;
    if (!body_read(&x->request, KNOWN, &b, &x->response) || !folder_lock(x, &f)) return true;
    item *i = item_take(x, f);
    if (i && *b.revision) revision_fits(f, i, &b, 0, 0, &x->response);
    if (i && !x->response.status) {
        const sos_status status = item_undo(f, i, &error);
        if (status)
            response_failure(&x->response, status, &error);
        else
            saved_answer(f, i, &x->response);
    }
    pthread_mutex_unlock(&f->lock);
    return true;
}
