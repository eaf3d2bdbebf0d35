#include "methods.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/embedded.h>
#include <s3svm/segmenter.h>

#include "base/error.h"
#include "base/path.h"
#include "files.h"

/* The default of the methods inside. */
static const s3svm_segmenter_method *inside_default(void) { return s3svm_segmenter_method_at(0); }

static method method_inside(const s3svm_segmenter_method *from)
{
    method m = { .inside = from->model, .grabcut = !from->model };
    snprintf(m.name, sizeof m.name, "%s", from->name);
    snprintf(m.title, sizeof m.title, "%s", from->title);
    snprintf(m.note, sizeof m.note, "%s", from->summary);
    return m;
}

static sos_status shared_create(const sos_model *from, shared_model **out, sos_error *error)
{
    shared_model *s = calloc(1, sizeof *s);
    if (!s) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a model");
    const sos_status status = s3svm_segment_model_create(from, &s->model, error);
    s->users = 1;
    if (status)
        free(s);
    else
        *out = s;
    return status;
}

/* The model of a file, as a method of its own before all others. */
static sos_status model_add(methods *m, const char *path, sos_error *error)
{
    size_t maps;
    bool inside;
    method own = { .name = "model", .note = "the model that the server was started with" };
    sos_status status = model_find(path, &m->base, &inside, error);
    if (!status) status = s3svm_maps_needed(m->base, &maps, error);
    if (!status && maps) status = sos_fail(error, SOS_ERR_ARGUMENT, "'%.200s' needs maps, which a page cannot give", path);
    if (!status) status = shared_create(m->base, &own.shared, error);
    if (status) return status;
    snprintf(own.title, sizeof own.title, "%s", sos_path_name(path));
    snprintf(m->default_name, sizeof m->default_name, "%s", own.name);
    m->list[m->count++] = own;
    return SOS_OK;
}

sos_status methods_begin(methods *m, const char *model, sos_error *error)
{
    *m = (methods){ 0 };
    snprintf(m->default_name, sizeof m->default_name, "%s", inside_default()->name);
    pthread_mutex_init(&m->lock, NULL);
    sos_status status = model ? model_add(m, model, error) : s3svm_embedded_model(inside_default()->model, &m->base, error);
    for (size_t i = 0; s3svm_segmenter_method_at(i) && !status; i++)
        m->list[m->count++] = method_inside(s3svm_segmenter_method_at(i));
    if (status) methods_end(m);
    return status;
}

void methods_end(methods *m)
{
    for (size_t i = 0; i < m->count; i++) methods_release(m, m->list[i].shared);
    sos_model_free(m->base);
    pthread_mutex_destroy(&m->lock);
    *m = (methods){ 0 };
}

size_t methods_find(methods *m, const char *name)
{
    size_t found = 0;
    pthread_mutex_lock(&m->lock);
    const char *wanted = *name ? name : m->default_name;
    while (found < m->count && strcmp(m->list[found].name, wanted) != 0) found++;
    if (found == m->count) found = METHODS_MAX;
    pthread_mutex_unlock(&m->lock);
    return found;
}

/* A model inside is read under the lock: others who want it would have to wait anyway. */
static sos_status inside_read(method *k, sos_error *error)
{
    sos_model *file;
    sos_status status = s3svm_embedded_model(k->inside, &file, error);
    if (status) return status;
    status = shared_create(file, &k->shared, error);
    sos_model_free(file);
    return status;
}

sos_status methods_take(methods *m, size_t number, shared_model **out, sos_error *error)
{
    sos_status status = SOS_OK;
    pthread_mutex_lock(&m->lock);
    if (number >= m->count)
        status = sos_fail(error, SOS_ERR_ARGUMENT, "there is no such method");
    else {
        method *k = &m->list[number];
        if (!k->grabcut && !k->shared && k->inside) status = inside_read(k, error);
        if (!status && !k->grabcut && !k->shared) status = sos_fail(error, SOS_ERR_ARGUMENT, "nothing was learned yet");
        if (!status) *out = k->shared;
        if (!status && k->shared) k->shared->users++;
    }
    pthread_mutex_unlock(&m->lock);
    return status;
}

void methods_release(methods *m, shared_model *s)
{
    if (!s) return;
    pthread_mutex_lock(&m->lock);
    const bool last = !--s->users;
    pthread_mutex_unlock(&m->lock);
    if (!last) return;
    s3svm_segment_model_free(s->model);
    free(s);
}

/* The place of what was learned; it stays where it is once it is there, and its model may be missing. */
static method *learned_method(methods *m)
{
    size_t i = 0;
    while (i < m->count && strcmp(m->list[i].name, "learned") != 0) i++;
    if (i == m->count) m->list[m->count++] = (method){ .name = "learned", .title = "Learned here" };
    return &m->list[i];
}

sos_status methods_learned(methods *m, s3svm_segment_model *model, const char *note, sos_error *error)
{
    shared_model *fresh = model ? calloc(1, sizeof *fresh) : NULL, *before;
    if (model && !fresh) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a model");
    if (fresh) *fresh = (shared_model){ .model = model, .users = 1 };
    pthread_mutex_lock(&m->lock);
    method *k = learned_method(m);
    before = k->shared;
    k->shared = fresh;
    snprintf(k->note, sizeof k->note, "%s", note);
    const char *name = fresh ? "learned" : strcmp(m->list[0].name, "model") == 0 ? "model" : inside_default()->name;
    snprintf(m->default_name, sizeof m->default_name, "%s", name);
    pthread_mutex_unlock(&m->lock);
    methods_release(m, before);
    return SOS_OK;
}

void methods_print(methods *m, sos_json *j)
{
    pthread_mutex_lock(&m->lock);
    sos_json_open(j, "methods", '[');
    for (size_t i = 0; i < m->count; i++) {
        const method *k = &m->list[i];
        if (!strcmp(k->name, "learned") && !k->shared) continue;
        sos_json_open(j, NULL, '{');
        sos_json_text(j, "name", k->name);
        sos_json_text(j, "title", k->title);
        sos_json_text(j, "note", k->note);
        sos_json_close(j, '}');
    }
    sos_json_close(j, ']');
    sos_json_text(j, "method", m->default_name);
    pthread_mutex_unlock(&m->lock);
}
