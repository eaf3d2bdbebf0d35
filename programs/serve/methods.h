/* methods.h - how pictures are segmented: GrabCut, and models, which are read when they are first asked for. */
#ifndef S3SVM_SERVE_METHODS_H
#define S3SVM_SERVE_METHODS_H

#include <pthread.h>

#include <s3svm/segment.h>

#include "base/json.h"

/* A model that several segmenters share. */
typedef struct shared_model {
    s3svm_segment_model *model;
    size_t users; /* under the lock of the methods */
} shared_model;

enum { METHODS_MAX = 5 };

typedef struct method {
    char name[16], title[80], note[160];
    const char *inside;   /* the name of the model inside the program; NULL: it has none */
    bool grabcut;         /* it needs no model */
    shared_model *shared; /* NULL: not read yet */
} method;

typedef struct methods {
    pthread_mutex_t lock;
    method list[METHODS_MAX];
    size_t count;
    char default_name[16];
    sos_model *base; /* what learning starts from */
} methods;

/* The methods inside; and a model of a file, which is then the default and what learning starts from, or NULL. */
SOS_MUST_USE sos_status methods_begin(methods *m, const char *model, sos_error *error);
void methods_end(methods *m);

/* The number of a method by its name, of the default for "", or METHODS_MAX; and its model for use, until it is let go: *out
 * is NULL for GrabCut. */
size_t methods_find(methods *m, const char *name);
SOS_MUST_USE sos_status methods_take(methods *m, size_t number, shared_model **out, sos_error *error);
void methods_release(methods *m, shared_model *s); /* NULL is fine */

/* What was learned, prepared and taken, becomes the method "learned", and the default; NULL: there is none any more. */
SOS_MUST_USE sos_status methods_learned(methods *m, s3svm_segment_model *model, const char *note, sos_error *error);

void methods_print(methods *m, sos_json *j); /* members "methods" and "method" of an object */

#endif
