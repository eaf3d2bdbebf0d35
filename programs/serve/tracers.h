/* tracers.h - models that find thin structures: of a file that the server was started with, and those that pages have sent. */
#ifndef S3SVM_SERVE_TRACERS_H
#define S3SVM_SERVE_TRACERS_H

#include <pthread.h>

#include <s3svm/trace.h>

#include "base/json.h"
#include "route.h"

enum { TRACERS_MAX = 8 };

/* A model that several requests share. */
typedef struct tracer {
    char name[WORD_MAX + 1];
    s3svm_trace_model *model;
    size_t users; /* under the lock of the tracers, as is given */
    bool given;   /* by a page: it goes when there are too many */
} tracer;

typedef struct tracers {
    pthread_mutex_t lock;
    tracer *list[TRACERS_MAX]; /* the latest last */
    size_t count;
} tracers;

/* With the model of a file, or none: NULL. */
SOS_MUST_USE sos_status tracers_begin(tracers *t, const char *path, sos_error *error);
void tracers_end(tracers *t);

/* Takes the text of a model, in the place of the one of that name, or of the oldest that a page has sent. */
SOS_MUST_USE sos_status tracers_put(tracers *t, const char *name, const char *text, size_t length, sos_error *error);

/* The model of that name, of "" the latest, until it is let go; NULL: there is none. */
tracer *tracers_take(tracers *t, const char *name);
void tracers_release(tracers *t, tracer *one);

void tracers_print(tracers *t, sos_json *j); /* the member "tracers" of an object: names */

bool tracer_put(exchange *x);    /* PUT /api/tracers/NAME */
bool picture_trace(exchange *x); /* POST /api/pictures/ID/trace */

#endif
