#include "tracers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/maps.h>

#include "base/error.h"
#include "base/path.h"

/* ---------------------------------------------------------------- one model */

static sos_status tracer_create(const char *name, const sos_model *m, bool given, tracer **out, sos_error *error)
{
    size_t maps;
    sos_status status = s3svm_maps_needed(m, &maps, error);
    if (!status && maps) status = sos_fail(error, SOS_ERR_ARGUMENT, "'%s' needs maps, which a page cannot give", name);
    if (status) return status;
    tracer *t = calloc(1, sizeof *t);
    if (!t) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a model");
    *t = (tracer){ .users = 1, .given = given };
    snprintf(t->name, sizeof t->name, "%s", name);
    status = s3svm_trace_model_create(m, &t->model, error);
    if (status)
        free(t);
    else
        *out = t;
    return status;
}

/* The lock is held by whoever calls, or nobody else knows the tracer. */
static void tracer_leave(tracer *t)
{
    if (--t->users) return;
    s3svm_trace_model_free(t->model);
    free(t);
}

/* ---------------------------------------------------------------- all of them */

/* Names go into paths: letters, digits, points, hyphens and underscores, of which the first is no point. */
static void name_make(const char *path, char name[WORD_MAX + 1])
{
    static const char FINE[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
    snprintf(name, WORD_MAX + 1, "%.*s", WORD_MAX, sos_path_name(path));
    for (size_t i = 0; name[i]; i++)
        if (!strchr(FINE, name[i]) || (!i && name[i] == '.')) name[i] = '_';
}

sos_status tracers_begin(tracers *t, const char *path, sos_error *error)
{
    char name[WORD_MAX + 1];
    sos_model *m = NULL;
    *t = (tracers){ 0 };
    pthread_mutex_init(&t->lock, NULL);
    if (!path) return SOS_OK;
    name_make(path, name);
    sos_status status = sos_model_read(path, &m, error);
    if (!status) status = tracer_create(name, m, false, &t->list[0], error);
    t->count = !status;
    sos_model_free(m);
    return status;
}

void tracers_end(tracers *t)
{
    for (size_t i = 0; i < t->count; i++) tracer_leave(t->list[i]);
    pthread_mutex_destroy(&t->lock);
    *t = (tracers){ 0 };
}

/* The place of a name, or of the oldest that a page has sent where there is no room; count: behind all others. */
static size_t place_find(const tracers *t, const char *name)
{
    for (size_t i = 0; i < t->count; i++)
        if (!strcmp(t->list[i]->name, name)) return i;
    if (t->count < TRACERS_MAX) return t->count;
    size_t i = 0;
    while (!t->list[i]->given) i++;
    return i;
}

static void place_clear(tracers *t, size_t place)
{
    if (place == t->count) return;
    tracer_leave(t->list[place]);
    t->count--;
    for (size_t i = place; i < t->count; i++) t->list[i] = t->list[i + 1];
}

sos_status tracers_put(tracers *t, const char *name, const char *text, size_t length, sos_error *error)
{
    sos_model *m = NULL;
    tracer *fresh = NULL;
    sos_status status = sos_model_parse(text, length, name, &m, error);
    if (!status) status = tracer_create(name, m, true, &fresh, error);
    sos_model_free(m);
    if (status) return status;
    pthread_mutex_lock(&t->lock);
    place_clear(t, place_find(t, name));
    t->list[t->count++] = fresh;
    pthread_mutex_unlock(&t->lock);
    return SOS_OK;
}

tracer *tracers_take(tracers *t, const char *name)
{
    tracer *found = NULL;
    pthread_mutex_lock(&t->lock);
    for (size_t i = 0; i < t->count; i++)
        if (!*name || !strcmp(t->list[i]->name, name)) found = t->list[i];
    if (found) found->users++;
    pthread_mutex_unlock(&t->lock);
    return found;
}

void tracers_release(tracers *t, tracer *one)
{
    pthread_mutex_lock(&t->lock);
    tracer_leave(one);
    pthread_mutex_unlock(&t->lock);
}

void tracers_print(tracers *t, sos_json *j)
{
    pthread_mutex_lock(&t->lock);
    sos_json_open_row(j, "tracers", '[');
    for (size_t i = 0; i < t->count; i++) sos_json_text(j, NULL, t->list[i]->name);
    sos_json_close(j, ']');
    pthread_mutex_unlock(&t->lock);
}
